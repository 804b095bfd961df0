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
        "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_"
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
};

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

/* count(..) without rows is 0, but an outer join gives NULL for a key that is not there. */
static bool is_count(const struct arus_plan *plan)
{
    while (plan->kind == ARUS_PLAN_PROJECT && plan->schema->field_count > 0 &&
           plan->project.exprs[0]->kind == ARUS_EXPR_COLUMN) {
        const uint32_t index = plan->project.exprs[0]->index;

        plan = plan->children[0];
        if (plan->kind == ARUS_PLAN_AGGREGATE && index >= plan->aggregate.key_count) {
            return arus_expr_is_call(plan->aggregate.aggregates[index - plan->aggregate.key_count],
                                     "count");
        }
        if (index != 0) {
            return false;
        }
    }
    return false;
}

static enum arus_status scalar(struct subquery *subquery, const struct arus_expr **out,
                               struct arus_error *err)
{
    const struct arus_maker maker =
        arus_resolver_maker(subquery->context->resolver, subquery->from->place);
    const uint32_t left_count = subquery->context->input->plan->schema->field_count;
    const struct arus_expr *pair[2];

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
    ARUS_TRY(join_subquery(subquery, ARUS_JOIN_LEFT, err));
    subquery->context->input->plan->join.is_single = subquery->conds.count == 0;
    ARUS_TRY(last_column(subquery, left_count, out, err));
    if (subquery->conds.count == 0 || !is_count(subquery->plan)) {
        return ARUS_OK;
    }
    pair[0] = *out;
    ARUS_TRY(arus_maker_bigint(&maker, 0, &pair[1], err));
    return arus_maker_call(&maker, "coalesce", pair, 2, out, err);
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
