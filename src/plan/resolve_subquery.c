/* Subqueries in expressions become joins; conditions on the query around become join conditions. */
#include "plan/from_sql.h"
#include "plan/resolve_internal.h"
#include "plan/say.h"

/* ---- taking outer conditions out ---- */

static bool is_outer_column(const struct arus_expr *expr, void *self)
{
    (void)self;
    return expr->kind == ARUS_EXPR_COLUMN && (expr->index & ARUS_OUTER_COLUMN) != 0;
}

static bool has_outer(const struct arus_expr *expr)
{
    return expr != NULL && arus_expr_any(expr, is_outer_column, NULL);
}

static enum arus_status unsupported(const struct arus_plan *plan, struct arus_error *err)
{
    return arus_fail_at(
        err, plan->place,
        plan->kind == ARUS_PLAN_PROJECT || plan->kind == ARUS_PLAN_AGGREGATE
            ? "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.CORRELATED_REFERENCE"
            : "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_"
              "ALLOWED",
        "columns of the query around can stand only in WHERE here");
}

static bool exprs_have_outer(const struct arus_expr *const *exprs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (has_outer(exprs[i])) {
            return true;
        }
    }
    return false;
}

/* Does the node itself (not its children) use outer columns? */
static bool node_has_outer(const struct arus_plan *plan)
{
    bool found = false;

    switch (plan->kind) {
    case ARUS_PLAN_FILTER:
        return has_outer(plan->filter.condition);
    case ARUS_PLAN_PROJECT:
        return exprs_have_outer(plan->project.exprs, plan->schema->field_count);
    case ARUS_PLAN_AGGREGATE:
        return exprs_have_outer(plan->aggregate.keys, plan->aggregate.key_count) ||
               exprs_have_outer(plan->aggregate.aggregates, plan->aggregate.aggregate_count);
    case ARUS_PLAN_SORT:
        for (uint32_t i = 0; i < plan->sort.key_count; i++) {
            found |= has_outer(plan->sort.keys[i].expr);
        }
        return found;
    case ARUS_PLAN_JOIN:
        for (uint32_t i = 0; i < plan->join.key_count; i++) {
            found |= has_outer(plan->join.keys[i].left) || has_outer(plan->join.keys[i].right);
        }
        return found || has_outer(plan->join.condition);
    case ARUS_PLAN_GENERATE:
        return has_outer(plan->generate.input);
    case ARUS_PLAN_SCAN:
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
    case ARUS_PLAN_LIMIT:
    case ARUS_PLAN_UNION:
    case ARUS_PLAN_WATERMARK:
    case ARUS_PLAN_DEDUP:
        return false;
    }
    return false;
}

static bool tree_has_outer(const struct arus_plan *plan)
{
    bool found = node_has_outer(plan);

    for (uint32_t i = 0; i < plan->child_count; i++) {
        found |= tree_has_outer(plan->children[i]);
    }
    return found;
}

static enum arus_status pull(struct arus_resolver *resolver, struct arus_plan **inout,
                             struct arus_exprs *conds, struct arus_error *err);

static enum arus_status pull_filter(struct arus_resolver *resolver, struct arus_plan **inout,
                                    struct arus_exprs *conds, struct arus_error *err)
{
    const struct arus_plan *plan = *inout;
    const struct arus_maker maker = arus_resolver_maker(resolver, plan->place);
    struct arus_plan *child = plan->children[0];
    struct arus_exprs all = {0};
    struct arus_exprs rest = {0};
    const struct arus_expr *condition = NULL;

    ARUS_TRY(pull(resolver, &child, conds, err));
    ARUS_TRY(arus_exprs_add_conjuncts(&all, resolver->arena, plan->filter.condition, err));
    for (size_t i = 0; i < all.count; i++) {
        ARUS_TRY(arus_exprs_add(has_outer(all.items[i]) ? conds : &rest, resolver->arena,
                                all.items[i], err));
    }
    ARUS_TRY(arus_exprs_conjoin(&rest, &maker, &condition, err));
    *inout = child;
    return condition == NULL ? ARUS_OK
                             : arus_plan_filter(child, condition, resolver->arena, inout, err);
}

/* Turns inner columns of conditions into columns of a new output. */
struct inner_map {
    struct arus_arena *arena;
    const struct arus_type *child;
    struct arus_exprs *added; /* child columns that the output gains behind `first` */
    uint32_t first;
};

static enum arus_status map_inner(void *self, const struct arus_expr *expr,
                                  const struct arus_expr **out, struct arus_error *err)
{
    struct inner_map *map = self;
    struct arus_expr *copy = NULL;
    size_t at = 0;

    if (expr->kind != ARUS_EXPR_COLUMN) {
        return ARUS_OK;
    }
    if ((expr->index & ARUS_OUTER_COLUMN) != 0) {
        *out = expr;
        return ARUS_OK;
    }
    while (at < map->added->count && map->added->items[at]->index != expr->index) {
        at++;
    }
    if (at == map->added->count) {
        const struct arus_expr *column = NULL;

        ARUS_TRY(arus_column_make(map->child, expr->index, expr->place, map->arena, &column, err));
        ARUS_TRY(arus_exprs_add(map->added, map->arena, column, err));
    }
    ARUS_TRY(ARUS_NEW(map->arena, struct arus_expr, 1, &copy, err));
    *copy = *expr;
    copy->index = map->first + (uint32_t)at;
    *out = copy;
    return ARUS_OK;
}

static enum arus_status map_conditions(struct inner_map *map, struct arus_exprs *conds,
                                       struct arus_error *err)
{
    for (size_t i = 0; i < conds->count; i++) {
        ARUS_TRY(
            arus_expr_rewrite(conds->items[i], map_inner, map, map->arena, &conds->items[i], err));
    }
    return ARUS_OK;
}

static enum arus_status pull_project(struct arus_resolver *resolver, struct arus_plan **inout,
                                     struct arus_exprs *conds, struct arus_error *err)
{
    const struct arus_plan *plan = *inout;
    const uint32_t count = plan->schema->field_count;
    struct arus_plan *child = plan->children[0];
    struct arus_exprs added = {0};
    struct arus_exprs exprs = {0};
    struct arus_text *names = NULL;
    struct inner_map map = {.arena = resolver->arena, .added = &added, .first = count};

    ARUS_TRY(pull(resolver, &child, conds, err));
    map.child = child->schema;
    ARUS_TRY(map_conditions(&map, conds, err));
    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_text, count + added.count, &names, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_exprs_add(&exprs, resolver->arena, plan->project.exprs[i], err));
        names[i] = plan->schema->fields[i].name;
    }
    for (size_t i = 0; i < added.count; i++) {
        ARUS_TRY(arus_exprs_add(&exprs, resolver->arena, added.items[i], err));
    }
    ARUS_TRY(arus_plan_project(child, exprs.items, names, (uint32_t)exprs.count, resolver->arena,
                               inout, err));
    (*inout)->window = added.count == 0 ? plan->window : NULL;
    return ARUS_OK;
}

/* Equal conditions become keys; a projection puts them behind the old columns. */
static enum arus_status pull_aggregate(struct arus_resolver *resolver, struct arus_plan **inout,
                                       struct arus_exprs *conds, struct arus_error *err)
{
    const struct arus_plan *plan = *inout;
    const uint32_t key_count = plan->aggregate.key_count;
    const uint32_t count = plan->schema->field_count;
    struct arus_plan *child = plan->children[0];
    struct arus_plan *made = NULL;
    struct arus_exprs added = {0};
    struct arus_exprs keys = {0};
    struct arus_exprs all = {0};
    const struct arus_expr **exprs = NULL;
    struct inner_map map = {.arena = resolver->arena, .added = &added, .first = count};

    ARUS_TRY(pull(resolver, &child, conds, err));
    for (size_t i = 0; i < conds->count; i++) {
        if (!arus_expr_is_call(conds->items[i], "=") &&
            !arus_expr_is_call(conds->items[i], "<=>")) {
            return unsupported(plan, err);
        }
    }
    if (conds->count == 0) {
        ARUS_TRY(arus_plan_make(plan->kind, plan->place, child, NULL, resolver->arena, &made, err));
        made->schema = plan->schema;
        made->aggregate = plan->aggregate;
        *inout = made;
        return ARUS_OK;
    }
    map.child = child->schema;
    ARUS_TRY(map_conditions(&map, conds, err));
    for (uint32_t i = 0; i < key_count; i++) {
        ARUS_TRY(arus_exprs_add(&keys, resolver->arena, plan->aggregate.keys[i], err));
    }
    for (size_t i = 0; i < added.count; i++) {
        ARUS_TRY(arus_exprs_add(&keys, resolver->arena, added.items[i], err));
    }
    ARUS_TRY(arus_plan_make(plan->kind, plan->place, child, NULL, resolver->arena, &made, err));
    made->aggregate = plan->aggregate;
    made->aggregate.keys = keys.items;
    made->aggregate.key_count = (uint32_t)keys.count;
    for (size_t i = 0; i < keys.count + plan->aggregate.aggregate_count; i++) {
        ARUS_TRY(arus_exprs_add(
            &all, resolver->arena,
            i < keys.count ? keys.items[i] : plan->aggregate.aggregates[i - keys.count], err));
    }
    ARUS_TRY(arus_plan_fields(all.items, NULL, (uint32_t)all.count, resolver->arena, &made->schema,
                              err));
    ARUS_TRY(ARUS_NEW(resolver->arena, const struct arus_expr *, all.count, &exprs, err));
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t from = i; /* old keys, old aggregates, then the added keys */

        if (i >= count) {
            from = key_count + (i - count);
        } else if (i >= key_count) {
            from = i + (uint32_t)added.count;
        }
        ARUS_TRY(
            arus_column_make(made->schema, from, plan->place, resolver->arena, &exprs[i], err));
    }
    return arus_plan_project(made, exprs, NULL, (uint32_t)all.count, resolver->arena, inout, err);
}

static enum arus_status pull(struct arus_resolver *resolver, struct arus_plan **inout,
                             struct arus_exprs *conds, struct arus_error *err)
{
    const struct arus_plan *plan = *inout;

    if (!tree_has_outer(plan)) {
        return ARUS_OK;
    }
    if (plan->kind == ARUS_PLAN_FILTER) {
        return pull_filter(resolver, inout, conds, err);
    }
    if (node_has_outer(plan)) {
        return unsupported(plan, err);
    }
    if (plan->kind == ARUS_PLAN_PROJECT) {
        return pull_project(resolver, inout, conds, err);
    }
    if (plan->kind == ARUS_PLAN_AGGREGATE) {
        return pull_aggregate(resolver, inout, conds, err);
    }
    return unsupported(plan, err);
}

enum arus_status arus_decorrelate(struct arus_resolver *resolver, struct arus_plan **inout,
                                  struct arus_exprs *conds, struct arus_error *err)
{
    return pull(resolver, inout, conds, err);
}

struct join_map {
    struct arus_arena *arena;
    uint32_t left_count;
};

static enum arus_status map_joined(void *self, const struct arus_expr *expr,
                                   const struct arus_expr **out, struct arus_error *err)
{
    const struct join_map *map = self;
    struct arus_expr *copy = NULL;

    if (expr->kind != ARUS_EXPR_COLUMN) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(map->arena, struct arus_expr, 1, &copy, err));
    *copy = *expr;
    copy->index = (expr->index & ARUS_OUTER_COLUMN) != 0 ? expr->index & ~ARUS_OUTER_COLUMN
                                                         : expr->index + map->left_count;
    *out = copy;
    return ARUS_OK;
}

enum arus_status arus_decorrelated_condition(struct arus_resolver *resolver,
                                             const struct arus_exprs *conds, uint32_t left_count,
                                             struct arus_place place, const struct arus_expr **out,
                                             struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(resolver, place);
    struct join_map map = {resolver->arena, left_count};
    struct arus_exprs mapped = {0};

    for (size_t i = 0; i < conds->count; i++) {
        const struct arus_expr *cond = NULL;

        ARUS_TRY(arus_expr_rewrite(conds->items[i], map_joined, &map, resolver->arena, &cond, err));
        ARUS_TRY(arus_exprs_add(&mapped, resolver->arena, cond, err));
    }
    return arus_exprs_conjoin(&mapped, &maker, out, err);
}

/* ---- joining ---- */

/* A subquery while it is joined. */
struct subquery {
    struct arus_expr_context *context;
    const struct arus_uexpr *from;
    struct arus_plan *plan;
    uint32_t column_count; /* without those that conditions need */
    struct arus_exprs conds;
    const struct arus_expr *condition; /* over the columns of the join */
    const struct arus_expr *empty;     /* its value without rows, unless that is NULL */
};

/* ---- what an aggregate gives without rows: count is 0, a list is empty ---- */

struct empty_map {
    struct arus_resolver *resolver;
    const struct arus_plan *child;
    bool is_known;
};

static enum arus_status empty_value(struct arus_resolver *resolver, const struct arus_plan *plan,
                                    uint32_t index, const struct arus_expr **out,
                                    struct arus_error *err);

static enum arus_status map_empty(void *self, const struct arus_expr *expr,
                                  const struct arus_expr **out, struct arus_error *err)
{
    struct empty_map *map = self;

    if (expr->kind != ARUS_EXPR_COLUMN) {
        return ARUS_OK;
    }
    if ((expr->index & ARUS_OUTER_COLUMN) == 0) {
        ARUS_TRY(empty_value(map->resolver, map->child, expr->index, out, err));
    }
    map->is_known &= *out != NULL;
    return ARUS_OK;
}

static enum arus_status empty_expr(struct arus_resolver *resolver, const struct arus_expr *expr,
                                   const struct arus_plan *child, const struct arus_expr **out,
                                   struct arus_error *err)
{
    struct empty_map map = {resolver, child, true};

    ARUS_TRY(arus_expr_rewrite(expr, map_empty, &map, resolver->arena, out, err));
    *out = map.is_known ? *out : NULL;
    return ARUS_OK;
}

/* A state without rows, finished. */
static enum arus_status empty_aggregate(struct arus_resolver *resolver,
                                        const struct arus_expr *expr, const struct arus_expr **out,
                                        struct arus_error *err)
{
    const uint32_t size = (expr->aggregate->state_size(expr) + 15) / 16 * 16;
    struct arus_vector value;
    void *state;

    ARUS_TRY(arus_arena_alloc(resolver->arena, size, &state, err));
    ARUS_TRY(expr->aggregate->finish(expr, state, size, 1, resolver->arena, &value, err));
    value.form = ARUS_VECTOR_CONSTANT;
    return arus_literal_make(&value, expr->place, resolver->arena, out, err);
}

/* Column `index` of a plan whose aggregate gets no rows; NULL: there may be no row at all. */
static enum arus_status empty_value(struct arus_resolver *resolver, const struct arus_plan *plan,
                                    uint32_t index, const struct arus_expr **out,
                                    struct arus_error *err)
{
    *out = NULL;
    if (plan->kind == ARUS_PLAN_PROJECT) {
        return empty_expr(resolver, plan->project.exprs[index], plan->children[0], out, err);
    }
    if (plan->kind == ARUS_PLAN_AGGREGATE && plan->aggregate.key_count == 0) {
        return empty_aggregate(resolver, plan->aggregate.aggregates[index], out, err);
    }
    return ARUS_OK;
}

/* Exactly one row, whatever comes in? */
static bool gives_one_row(const struct arus_plan *plan)
{
    while (plan->kind == ARUS_PLAN_PROJECT) {
        plan = plan->children[0];
    }
    return plan->kind == ARUS_PLAN_AGGREGATE && plan->aggregate.key_count == 0;
}

/* HAVING over one row: for a value, no row is NULL. */
static enum arus_status drop_having(struct arus_resolver *resolver, struct arus_plan **inout,
                                    struct arus_error *err)
{
    struct arus_plan *plan = *inout;
    struct arus_plan *filter = plan->kind == ARUS_PLAN_PROJECT ? plan->children[0] : plan;
    const struct arus_maker maker = arus_resolver_maker(resolver, plan->place);
    const struct arus_text *name = &plan->schema->fields[0].name;
    const struct arus_expr **exprs;
    const struct arus_expr *args[2];

    if (filter->kind != ARUS_PLAN_FILTER || filter->filter.condition == NULL ||
        !gives_one_row(filter->children[0])) {
        return ARUS_OK;
    }
    args[0] = filter->filter.condition;
    if (plan->kind == ARUS_PLAN_PROJECT) {
        args[1] = plan->project.exprs[0];
    } else {
        ARUS_TRY(arus_column_make(plan->schema, 0, plan->place, resolver->arena, &args[1], err));
    }
    ARUS_TRY(ARUS_NEW(resolver->arena, const struct arus_expr *, 1, &exprs, err));
    ARUS_TRY(arus_maker_call(&maker, "case", args, 2, &exprs[0], err));
    return arus_plan_project(filter->children[0], exprs, name, 1, resolver->arena, inout, err);
}

/* The same as a literal; none if it is NULL, which an outer join gives anyway. */
static enum arus_status find_empty(struct subquery *subquery, struct arus_error *err)
{
    struct arus_resolver *resolver = subquery->context->resolver;
    const struct arus_expr *found = NULL;
    struct arus_vector value;

    if (subquery->from->kind != ARUS_UEXPR_SUBQUERY || subquery->column_count != 1) {
        return ARUS_OK;
    }
    ARUS_TRY(drop_having(resolver, &subquery->plan, err));
    ARUS_TRY(empty_value(resolver, subquery->plan, 0, &found, err));
    if (found == NULL || !arus_expr_is_constant(found)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_resolve_constant(resolver, found, &value, err));
    return arus_vector_is_valid(&value, 0)
               ? arus_literal_make(&value, found->place, resolver->arena, &subquery->empty, err)
               : ARUS_OK;
}

static enum arus_status open_subquery(struct subquery *subquery, struct arus_error *err)
{
    struct arus_resolver *resolver = subquery->context->resolver;
    struct arus_bound bound;

    ARUS_TRY(
        arus_resolve_relation(resolver, subquery->from->query, subquery->context, &bound, err));
    ARUS_TRY(arus_bound_close(resolver, &bound, err));
    if (bound.plan->is_streaming) {
        arus_say(err, subquery->from->place, "INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY",
                 "a subquery in an expression cannot read a stream");
        return arus_error_help(err, "join the stream, or read the table without STREAM");
    }
    subquery->column_count = bound.plan->schema->field_count;
    subquery->plan = bound.plan;
    ARUS_TRY(find_empty(subquery, err));
    ARUS_TRY(arus_decorrelate(resolver, &subquery->plan, &subquery->conds, err));
    return arus_decorrelated_condition(resolver, &subquery->conds,
                                       subquery->context->input->plan->schema->field_count,
                                       subquery->from->place, &subquery->condition, err);
}

/* a = b; or (a = b) OR (a = b) IS NULL */
static enum arus_status in_condition(const struct arus_maker *maker, const struct arus_expr *left,
                                     const struct arus_expr *right, bool takes_null,
                                     const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr *pair[2] = {left, right};

    ARUS_TRY(arus_maker_call(maker, "=", pair, 2, out, err));
    if (!takes_null || (!left->is_nullable && !right->is_nullable)) {
        return ARUS_OK;
    }
    pair[0] = *out;
    ARUS_TRY(arus_maker_call(maker, "is null", out, 1, &pair[1], err));
    return arus_maker_call(maker, "or", pair, 2, out, err);
}

static enum arus_status add_in(struct subquery *subquery, bool takes_null, struct arus_error *err)
{
    struct arus_expr_context *context = subquery->context;
    const struct arus_uexprs *args = &subquery->from->args;
    const struct arus_maker maker = arus_resolver_maker(context->resolver, subquery->from->place);
    const uint32_t left_count = context->input->plan->schema->field_count;
    struct arus_exprs list = {0};

    if (args->count != subquery->column_count) {
        return arus_fail_at(
            err, subquery->from->place, "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
            "%u values on the left, %u columns in the query", args->count, subquery->column_count);
    }
    for (uint32_t i = 0; i < args->count; i++) {
        const struct arus_expr *left = NULL;
        const struct arus_expr *right = NULL;
        const struct arus_expr *equal = NULL;

        ARUS_TRY(arus_resolve_expr(context, args->items[i], &left, err));
        ARUS_TRY(arus_column_make(subquery->plan->schema, i, subquery->from->place, maker.arena,
                                  &right, err));
        ARUS_TRY(arus_expr_shift(right, (int32_t)left_count, maker.arena, &right, err));
        ARUS_TRY(in_condition(&maker, left, right, takes_null, &equal, err));
        ARUS_TRY(arus_exprs_add(&list, maker.arena, equal, err));
    }
    if (subquery->condition != NULL) {
        ARUS_TRY(arus_exprs_add(&list, maker.arena, subquery->condition, err));
    }
    return arus_exprs_conjoin(&list, &maker, &subquery->condition, err);
}

static enum arus_status join_subquery(struct subquery *subquery, enum arus_join_kind kind,
                                      struct arus_error *err)
{
    struct arus_bound *input = subquery->context->input;

    return arus_join_make(subquery->context->resolver, kind, subquery->from->place, input->plan,
                          subquery->plan, subquery->condition, &input->plan, err);
}

static enum arus_status last_column(const struct subquery *subquery, uint32_t index,
                                    const struct arus_expr **out, struct arus_error *err)
{
    return arus_column_make(subquery->context->input->plan->schema, index, subquery->from->place,
                            subquery->context->resolver->arena, out, err);
}

struct outer_names {
    struct arus_buffer *text;
    uint32_t seen[32]; /* columns; more are not shown */
    uint32_t count;
    struct arus_error *err;
    enum arus_status status;
};

static bool note_outer(const struct arus_expr *expr, void *self)
{
    struct outer_names *names = self;

    if (expr->kind != ARUS_EXPR_COLUMN || (expr->index & ARUS_OUTER_COLUMN) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < names->count; i++) {
        if (names->seen[i] == expr->index) {
            return false;
        }
    }
    if (names->count < 32 && names->status == ARUS_OK) {
        names->seen[names->count++] = expr->index;
        names->status =
            arus_buffer_printf(names->text, names->err, "%s%.*s", names->count > 1 ? ", " : "",
                               ARUS_TEXT_ARGS(expr->name));
    }
    return false;
}

/* `scalarsubquery(a)`: the columns around that it uses */
static enum arus_status scalar_text(const struct subquery *subquery, const struct arus_expr **inout,
                                    struct arus_error *err)
{
    struct arus_arena *arena = subquery->context->resolver->arena;
    struct arus_buffer text = {0};
    struct outer_names names = {.text = &text, .err = err};
    struct arus_expr *copy = NULL;
    enum arus_status status = arus_buffer_append_text(&text, ARUS_TEXT("scalarsubquery("), err);

    names.status = status;
    for (size_t i = 0; i < subquery->conds.count; i++) {
        (void)arus_expr_any(subquery->conds.items[i], note_outer, &names);
    }
    status = names.status;
    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&text, ')', err);
    }
    if (status == ARUS_OK) {
        status = ARUS_NEW(arena, struct arus_expr, 1, &copy, err);
    }
    if (status == ARUS_OK) {
        *copy = **inout;
        status = arus_text_copy(arus_buffer_text(&text), arena, &copy->text, err);
        *inout = copy;
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status scalar(struct subquery *subquery, const struct arus_expr **out,
                               struct arus_error *err)
{
    const struct arus_maker maker =
        arus_resolver_maker(subquery->context->resolver, subquery->from->place);
    const uint32_t left_count = subquery->context->input->plan->schema->field_count;
    const struct arus_text mark_name = ARUS_TEXT("found");
    const bool has_empty = subquery->conds.count > 0 && subquery->empty != NULL;
    const struct arus_expr *mark = NULL;
    const struct arus_expr *args[3];

    if (subquery->column_count != 1) {
        return arus_fail_at(
            err, subquery->from->place,
            "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_"
            "COLUMN",
            "a subquery that stands for a value has one column, not %u", subquery->column_count);
    }
    if (subquery->conds.count > 0 && subquery->plan->kind != ARUS_PLAN_PROJECT) {
        return unsupported(subquery->plan, err);
    }
    if (has_empty) { /* tells a row without a match from one whose value is NULL */
        ARUS_TRY(arus_maker_boolean(&maker, true, &mark, err));
        ARUS_TRY(arus_plan_append(subquery->plan, &mark, &mark_name, 1, maker.arena,
                                  &subquery->plan, err));
    }
    ARUS_TRY(join_subquery(subquery, ARUS_JOIN_LEFT, err));
    subquery->context->input->plan->join.is_single = subquery->conds.count == 0;
    ARUS_TRY(last_column(subquery, left_count, out, err));
    if (has_empty) {
        ARUS_TRY(last_column(subquery, subquery->context->input->plan->schema->field_count - 1u,
                             &args[0], err));
        ARUS_TRY(arus_maker_call(&maker, "is null", args, 1, &args[0], err));
        args[1] = subquery->empty;
        args[2] = *out;
        ARUS_TRY(arus_maker_call(&maker, "case", args, 3, out, err));
    }
    return scalar_text(subquery, out, err);
}

/* NULL IN (query) is NULL; with ANSI only when the query gives a row, else false. */
static bool is_null_literal(const struct arus_uexpr *from)
{
    return from->args.count == 1 && from->args.items[0]->kind == ARUS_UEXPR_LITERAL &&
           from->args.items[0]->value.type->id == ARUS_TYPE_VOID;
}

static enum arus_status null_result(struct arus_expr_context *context,
                                    const struct arus_uexpr *from, const struct arus_expr **out,
                                    struct arus_error *err)
{
    struct arus_vector value;

    ARUS_TRY(arus_vector_init_null(&value, &ARUS_BOOLEAN, 1, context->resolver->arena, err));
    return arus_literal_make(&value, from->place, context->resolver->arena, out, err);
}

static enum arus_status null_in(struct subquery *subquery, bool is_negated,
                                const struct arus_expr **out, struct arus_error *err)
{
    struct arus_expr_context *context = subquery->context;
    const struct arus_maker maker = arus_resolver_maker(context->resolver, subquery->from->place);
    const struct arus_expr *args[3];

    ARUS_TRY(join_subquery(subquery, ARUS_JOIN_MARK, err));
    ARUS_TRY(last_column(subquery, context->input->plan->schema->field_count - 1u, &args[0], err));
    ARUS_TRY(null_result(context, subquery->from, &args[1], err));
    ARUS_TRY(arus_maker_boolean(&maker, is_negated, &args[2], err));
    return arus_maker_call(&maker, "case", args, 3, out, err);
}

enum arus_status arus_resolve_subquery(struct arus_expr_context *context,
                                       const struct arus_uexpr *from, bool is_negated,
                                       const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(context->resolver, from->place);
    struct subquery subquery = {.context = context, .from = from};

    if (context->lambdas != NULL) {
        return arus_fail_at(err, from->place,
                            "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.HIGHER_ORDER_FUNCTION",
                            "a subquery cannot stand in a lambda");
    }
    if (context->in_aggregate || context->clause == ARUS_CLAUSE_JOIN) {
        return arus_refuse(err, from->place, "subqueries inside an aggregate or ON are");
    }
    ARUS_TRY(open_subquery(&subquery, err));
    if (from->kind == ARUS_UEXPR_SUBQUERY) {
        return scalar(&subquery, out, err);
    }
    if (from->kind == ARUS_UEXPR_IN_QUERY) {
        if (is_null_literal(from) && !maker.is_ansi) {
            return null_result(context, from, out, err);
        }
        if (is_null_literal(from)) {
            return null_in(&subquery, is_negated, out, err);
        }
        ARUS_TRY(add_in(&subquery, is_negated, err));
    }
    ARUS_TRY(join_subquery(&subquery, ARUS_JOIN_MARK, err));
    ARUS_TRY(last_column(&subquery, context->input->plan->schema->field_count - 1u, out, err));
    return is_negated ? arus_maker_call(&maker, "not", out, 1, out, err) : ARUS_OK;
}

/* ---- conjuncts of WHERE ---- */

static enum arus_join_kind where_kind(const struct subquery *subquery, bool is_negated)
{
    const bool is_plain = subquery->from->kind == ARUS_UEXPR_IN_QUERY &&
                          subquery->from->args.count == 1 && subquery->conds.count == 0;

    if (!is_negated) {
        return ARUS_JOIN_SEMI;
    }
    return is_plain ? ARUS_JOIN_ANTI_NULL : ARUS_JOIN_ANTI;
}

enum arus_status arus_resolve_where_query(struct arus_expr_context *context,
                                          const struct arus_uexpr *conjunct, bool *is_done,
                                          struct arus_error *err)
{
    const bool is_negated = conjunct->kind == ARUS_UEXPR_CALL &&
                            arus_text_equal_nocase(conjunct->text, ARUS_TEXT("not"));
    const struct arus_uexpr *from = is_negated ? conjunct->args.items[0] : conjunct;
    struct subquery subquery = {.context = context, .from = from};
    enum arus_join_kind kind = ARUS_JOIN_SEMI;

    *is_done = from->kind == ARUS_UEXPR_EXISTS || from->kind == ARUS_UEXPR_IN_QUERY;
    if (!*is_done) {
        return ARUS_OK;
    }
    ARUS_TRY(open_subquery(&subquery, err));
    kind = where_kind(&subquery, is_negated);
    if (from->kind == ARUS_UEXPR_IN_QUERY) {
        ARUS_TRY(add_in(&subquery, kind == ARUS_JOIN_ANTI, err));
    }
    ARUS_TRY(join_subquery(&subquery, kind, err));
    if (kind == ARUS_JOIN_ANTI_NULL && context->input->plan->join.key_count == 0) {
        return arus_refuse(err, from->place, "NOT IN with a constant on the left is");
    }
    return ARUS_OK;
}
