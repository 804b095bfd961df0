/* SELECT: items, grouping, HAVING, DISTINCT, and the ORDER BY right above it. */
#include "plan/resolve_internal.h"
#include "plan/say.h"

/* One SELECT while it is resolved. */
struct select {
    struct arus_resolver *resolver;
    const struct arus_urel *from;
    const struct arus_urel *sort; /* NULL: none, or sorted afterwards by output columns */
    struct arus_bound input;
    struct arus_expr_context context; /* has the items */
    size_t item_capacity;
    bool is_aggregate;
    bool has_generator;
    struct arus_exprs keys;       /* over the input */
    uint64_t *masks;              /* [from->set_count] keys of each grouping set */
    size_t lead_count;            /* columns of the aggregate's output in front of the aggregates */
    struct arus_exprs aggregates; /* over the input */
    struct arus_exprs sort_keys;  /* over the input; over the aggregate's output once it is made */
    const struct arus_expr *having;
    struct arus_plan *plan; /* what the items are computed over */
};

/* ---- items ---- */

static const struct arus_uexpr *strip_alias(const struct arus_uexpr *expr)
{
    return expr->kind == ARUS_UEXPR_ALIAS ? expr->args.items[0] : expr;
}

static enum arus_status add_item(struct select *select, const struct arus_uexpr *from,
                                 struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;
    const struct arus_uexpr *bare = strip_alias(from);
    struct arus_item item = {.from = bare};

    if (bare->kind == ARUS_UEXPR_STAR) {
        return arus_resolve_star(context, bare, &context->items, &context->item_count,
                                 &select->item_capacity, err);
    }
    if (arus_uexpr_is_generator(bare)) {
        item.generator = bare;
        select->has_generator = true;
    }
    if (from->kind == ARUS_UEXPR_ALIAS) {
        item.name = from->names[0];
        item.has_alias = true;
        item.names = from->names;
        item.name_count = from->name_count;
        if (item.generator == NULL && from->is_list) {
            return arus_fail_at(err, from->name_place, "MULTI_ALIAS_WITHOUT_GENERATOR",
                                "only a function that makes rows takes several names");
        }
    } else if (bare->kind == ARUS_UEXPR_NAME) {
        item.name = bare->name.parts[bare->name.part_count - 1];
    }
    ARUS_TRY(arus_list_grow(select->resolver->arena, (void **)&context->items,
                            sizeof(*context->items), context->item_count, &select->item_capacity,
                            err));
    context->items[context->item_count++] = item;
    return ARUS_OK;
}

static enum arus_status open_items(struct select *select, struct arus_error *err)
{
    const struct arus_urel *from = select->from;

    for (uint32_t i = 0; from->prepends_groups && i < from->groups.count; i++) {
        ARUS_TRY(add_item(select, from->groups.items[i], err));
    }
    for (uint32_t i = 0; i < from->items.count; i++) {
        ARUS_TRY(add_item(select, from->items.items[i], err));
    }
    return ARUS_OK;
}

/* A plain column keeps its identity: SELECT *, * has no ambiguous names. */
static void keep_column(struct select *select, struct arus_item *item)
{
    const struct arus_scope *scope = &select->input.scope;

    if (item->expr == NULL || item->expr->kind != ARUS_EXPR_COLUMN || item->keeps_column) {
        return;
    }
    for (size_t i = 0; i < scope->count; i++) {
        const struct arus_scope_column *column = &scope->columns[i];

        if (column->index == item->expr->index && item->name.data != NULL &&
            arus_resolver_same(select->resolver, column->name, item->name)) {
            item->keeps_column = true;
            item->id = column->id;
            item->qualifier = column->qualifier;
            return;
        }
    }
}

static enum arus_status resolve_items(struct select *select, struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;

    for (size_t i = 0; i < context->item_count; i++) {
        struct arus_item *item = &context->items[i];

        ARUS_TRY(arus_resolve_item(context, item, err));
        if (item->expr != NULL && item->name.data == NULL) {
            ARUS_TRY(arus_expr_name(item->expr, select->resolver->arena, &item->name, err));
        }
        keep_column(select, item);
    }
    return ARUS_OK;
}

/* ---- GROUP BY ---- */

/* The number of an ordinal; 0: the expression is none. */
static int64_t ordinal_of(const struct arus_uexpr *expr, bool *is_ordinal)
{
    *is_ordinal = expr->kind == ARUS_UEXPR_LITERAL && expr->value.type->id == ARUS_TYPE_INT &&
                  arus_vector_is_valid(&expr->value, 0);
    return *is_ordinal ? ((const int32_t *)expr->value.values)[0] : 0;
}

static enum arus_status group_ordinal(struct select *select, int64_t ordinal,
                                      struct arus_place place, const struct arus_expr **out,
                                      struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;
    struct arus_item *item = NULL;

    if (ordinal < 1 || (uint64_t)ordinal > context->item_count) {
        return arus_fail_at(err, place, "GROUP_BY_POS_OUT_OF_RANGE",
                            "GROUP BY %lld: SELECT has %zu columns", (long long)ordinal,
                            context->item_count);
    }
    item = &context->items[ordinal - 1];
    ARUS_TRY(arus_resolve_item(context, item, err));
    if (item->expr == NULL || arus_expr_has_aggregate(item->expr)) {
        return arus_fail_at(err, place, "GROUP_BY_POS_AGGREGATE",
                            "GROUP BY %lld: that column is an aggregate", (long long)ordinal);
    }
    *out = item->expr;
    return ARUS_OK;
}

static enum arus_status add_key(struct select *select, const struct arus_expr *key, size_t *at,
                                struct arus_error *err)
{
    for (*at = 0; *at < select->keys.count; (*at)++) {
        if (arus_expr_equal(select->keys.items[*at], key)) {
            return ARUS_OK;
        }
    }
    return arus_exprs_add(&select->keys, select->resolver->arena, key, err);
}

static enum arus_status resolve_group(struct select *select, const struct arus_uexpr *from,
                                      size_t *at, struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;
    const struct arus_uexpr *bare = strip_alias(from);
    const struct arus_expr *key = NULL;
    bool is_ordinal = false;
    const int64_t ordinal = ordinal_of(bare, &is_ordinal);

    if (is_ordinal && !select->from->prepends_groups) {
        ARUS_TRY(group_ordinal(select, ordinal, bare->place, &key, err));
        return add_key(select, key, at, err);
    }
    context->clause = ARUS_CLAUSE_GROUP;
    context->alias_rule = ARUS_ALIAS_AFTER;
    ARUS_TRY(arus_resolve_expr(context, bare, &key, err));
    if (arus_expr_has_aggregate(key)) {
        return arus_fail_at(err, bare->place, "GROUP_BY_AGGREGATE",
                            "an aggregate cannot stand in GROUP BY");
    }
    return add_key(select, key, at, err);
}

enum { SET_KEYS_MAX = 60 };

/* The keys of all grouping sets, each once; masks say which set has which. */
static enum arus_status resolve_sets(struct select *select, struct arus_error *err)
{
    const struct arus_urel *from = select->from;

    ARUS_TRY(ARUS_NEW(select->resolver->arena, uint64_t, from->set_count, &select->masks, err));
    for (uint32_t i = 0; i < from->set_count; i++) {
        for (uint32_t j = 0; j < from->sets[i].count; j++) {
            size_t at = 0;

            ARUS_TRY(resolve_group(select, from->sets[i].items[j], &at, err));
            if (at >= SET_KEYS_MAX) {
                return arus_fail_at(err, from->group_place, "ARUS_NOT_SUPPORTED",
                                    "more than %d keys in grouping sets", (int)SET_KEYS_MAX);
            }
            select->masks[i] |= (uint64_t)1 << at;
        }
    }
    select->context.group_keys = from->set_count > 0 ? &select->keys : NULL;
    return ARUS_OK;
}

static enum arus_status resolve_groups(struct select *select, struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;
    size_t at = 0;

    for (uint32_t i = 0; i < select->from->groups.count; i++) {
        ARUS_TRY(resolve_group(select, select->from->groups.items[i], &at, err));
    }
    for (size_t i = 0; select->from->group_all && i < context->item_count; i++) {
        ARUS_TRY(arus_resolve_item(context, &context->items[i], err));
        if (context->items[i].expr != NULL && !arus_expr_has_aggregate(context->items[i].expr)) {
            ARUS_TRY(add_key(select, context->items[i].expr, &at, err));
        }
    }
    return resolve_sets(select, err);
}

/* ---- ORDER BY ---- */

static bool is_orderable(const struct arus_type *type)
{
    if (type->id == ARUS_TYPE_MAP || type->id == ARUS_TYPE_INTERVAL) {
        return false;
    }
    for (uint16_t i = 0; arus_type_is_nested(type) && i < type->field_count; i++) {
        if (!is_orderable(type->fields[i].type)) {
            return false;
        }
    }
    return true;
}

static enum arus_status check_sort_key(const struct arus_expr *key, struct arus_place place,
                                       struct arus_error *err)
{
    return is_orderable(key->type)
               ? ARUS_OK
               : arus_fail_at(err, place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                              "%s has no order", arus_type_label(key->type).text);
}

static enum arus_status bad_order_ordinal(int64_t ordinal, size_t count, struct arus_place place,
                                          struct arus_error *err)
{
    return arus_fail_at(err, place, "ORDER_BY_POS_OUT_OF_RANGE",
                        "ORDER BY %lld: the result has %zu columns", (long long)ordinal, count);
}

static enum arus_status resolve_sort_key(struct select *select, const struct arus_usort *sort,
                                         struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;
    const struct arus_expr *key = NULL;
    bool is_ordinal = false;
    const int64_t ordinal = ordinal_of(sort->expr, &is_ordinal);

    if (is_ordinal) {
        if (ordinal < 1 || (uint64_t)ordinal > context->item_count) {
            return bad_order_ordinal(ordinal, context->item_count, sort->place, err);
        }
        key = context->items[ordinal - 1].expr;
    } else {
        ARUS_TRY(arus_resolve_expr(context, sort->expr, &key, err));
    }
    ARUS_TRY(check_sort_key(key, sort->place, err));
    return arus_exprs_add(&select->sort_keys, select->resolver->arena, key, err);
}

static enum arus_status resolve_sort_keys(struct select *select, struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;

    context->clause = ARUS_CLAUSE_ORDER;
    context->alias_rule = ARUS_ALIAS_BEFORE;
    if (select->sort->sort_all) {
        for (size_t i = 0; i < context->item_count; i++) {
            ARUS_TRY(check_sort_key(context->items[i].expr, select->sort->place, err));
            ARUS_TRY(arus_exprs_add(&select->sort_keys, select->resolver->arena,
                                    context->items[i].expr, err));
        }
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < select->sort->sort_count; i++) {
        ARUS_TRY(resolve_sort_key(select, &select->sort->sorts[i], err));
    }
    return ARUS_OK;
}

static enum arus_status make_sort(struct arus_resolver *resolver, const struct arus_urel *sort,
                                  const struct arus_exprs *exprs, struct arus_plan **inout,
                                  struct arus_error *err)
{
    struct arus_sort_key *keys = NULL;
    struct arus_plan *plan = NULL;

    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_sort_key, exprs->count, &keys, err));
    for (size_t i = 0; i < exprs->count; i++) {
        const struct arus_usort *from = &sort->sorts[sort->sort_all ? 0 : i];

        keys[i] = (struct arus_sort_key){exprs->items[i], from->is_descending, from->nulls_first};
    }
    ARUS_TRY(
        arus_plan_make(ARUS_PLAN_SORT, sort->place, *inout, NULL, resolver->arena, &plan, err));
    plan->sort.keys = keys;
    plan->sort.key_count = (uint32_t)exprs->count;
    *inout = plan;
    return ARUS_OK;
}

enum arus_status arus_resolve_sort(struct arus_resolver *resolver, const struct arus_urel *sort,
                                   struct arus_bound *inout, struct arus_error *err)
{
    struct arus_expr_context context = {
        .resolver = resolver, .input = inout, .clause = ARUS_CLAUSE_ARGUMENT};
    const uint32_t count = sort->sort_all ? (uint32_t)inout->scope.count : sort->sort_count;
    struct arus_exprs keys = {0};

    for (uint32_t i = 0; i < count; i++) {
        const struct arus_expr *key = NULL;
        bool is_ordinal = sort->sort_all;
        int64_t ordinal = (int64_t)i + 1;
        struct arus_place place = sort->place;

        if (!sort->sort_all) {
            ordinal = ordinal_of(sort->sorts[i].expr, &is_ordinal);
            place = sort->sorts[i].place;
        }
        if (is_ordinal && (ordinal < 1 || (uint64_t)ordinal > inout->scope.count)) {
            return bad_order_ordinal(ordinal, inout->scope.count, place, err);
        }
        if (is_ordinal) {
            ARUS_TRY(arus_column_make(inout->plan->schema, inout->scope.columns[ordinal - 1].index,
                                      place, resolver->arena, &key, err));
        } else {
            ARUS_TRY(arus_resolve_expr(&context, sort->sorts[i].expr, &key, err));
        }
        ARUS_TRY(check_sort_key(key, place, err));
        ARUS_TRY(arus_exprs_add(&keys, resolver->arena, key, err));
    }
    return make_sort(resolver, sort, &keys, &inout->plan, err);
}

/* ---- aggregation ---- */

/* A key or aggregate inside an expression becomes a column of the aggregate's output. */
static enum arus_status split_node(void *self, const struct arus_expr *expr,
                                   const struct arus_expr **out, struct arus_error *err)
{
    struct select *select = self;
    const struct arus_type *schema = select->plan == NULL ? NULL : select->plan->schema;

    for (size_t i = 0; i < select->keys.count; i++) {
        if (arus_expr_equal(expr, select->keys.items[i])) {
            const struct arus_text name =
                expr->kind == ARUS_EXPR_COLUMN ? expr->name : schema->fields[i].name;

            return arus_column_named(schema, (uint32_t)i, name, expr->place,
                                     select->resolver->arena, out, err);
        }
    }
    for (size_t i = 0; expr->aggregate != NULL && i < select->aggregates.count; i++) {
        if (arus_expr_equal(expr, select->aggregates.items[i])) {
            return arus_column_make(schema, (uint32_t)(select->lead_count + i), expr->place,
                                    select->resolver->arena, out, err);
        }
    }
    if (expr->kind == ARUS_EXPR_COLUMN && expr->index == ARUS_GROUPING_COLUMN) {
        return arus_column_make(schema, (uint32_t)select->keys.count, expr->place,
                                select->resolver->arena, out, err);
    }
    if (arus_expr_is_call(expr, "window_time") && select->from->is_grouped) {
        arus_say(err, expr->place, "MISSING_AGGREGATION",
                 "window_time is computed before the groups are made");
        return arus_error_help(err,
                               "take it in a query around this one: SELECT window_time(w) FROM "
                               "(SELECT window AS w ..)");
    }
    if (expr->kind == ARUS_EXPR_COLUMN && (expr->index & ARUS_OUTER_COLUMN) == 0) {
        const bool is_grouped = select->from->is_grouped;

        arus_say(err, expr->place, is_grouped ? "MISSING_AGGREGATION" : "MISSING_GROUP_BY",
                 "`%.*s` is neither grouped nor in an aggregate", ARUS_TEXT_ARGS(expr->name));
        return arus_error_help(err, "GROUP BY .., %.*s, or any_value(%.*s)",
                               ARUS_TEXT_ARGS(expr->name), ARUS_TEXT_ARGS(expr->name));
    }
    *out = (expr->index & ARUS_OUTER_COLUMN) != 0 && expr->kind == ARUS_EXPR_COLUMN ? expr : NULL;
    return ARUS_OK;
}

static enum arus_status split(struct select *select, const struct arus_expr **inout,
                              struct arus_error *err)
{
    return *inout == NULL
               ? ARUS_OK
               : arus_expr_rewrite(*inout, split_node, select, select->resolver->arena, inout, err);
}

/* Collects the aggregates of an expression, each once. */
static enum arus_status collect_node(struct select *select, const struct arus_expr *expr,
                                     struct arus_error *err)
{
    for (size_t i = 0; i < select->keys.count; i++) {
        if (arus_expr_equal(expr, select->keys.items[i])) {
            return ARUS_OK;
        }
    }
    if (expr->aggregate != NULL) {
        for (size_t i = 0; i < select->aggregates.count; i++) {
            if (arus_expr_equal(expr, select->aggregates.items[i])) {
                return ARUS_OK;
            }
        }
        return arus_exprs_add(&select->aggregates, select->resolver->arena, expr, err);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(collect_node(select, expr->args[i], err));
    }
    return ARUS_OK;
}

static enum arus_status collect_aggregates(struct select *select,
                                           const struct arus_exprs *generator_args,
                                           struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;

    for (size_t i = 0; i < context->item_count; i++) {
        if (context->items[i].expr != NULL) {
            ARUS_TRY(collect_node(select, context->items[i].expr, err));
        }
    }
    if (select->having != NULL) {
        ARUS_TRY(collect_node(select, select->having, err));
    }
    for (size_t i = 0; i < select->sort_keys.count; i++) {
        ARUS_TRY(collect_node(select, select->sort_keys.items[i], err));
    }
    for (size_t i = 0; i < generator_args->count; i++) {
        ARUS_TRY(collect_node(select, generator_args->items[i], err));
    }
    return ARUS_OK;
}

static enum arus_status aggregate_schema(struct select *select, struct arus_plan *plan,
                                         struct arus_error *err)
{
    struct arus_arena *arena = select->resolver->arena;
    struct arus_exprs all = {0};
    struct arus_text *names = NULL;

    for (uint32_t i = 0; i < plan->aggregate.key_count; i++) {
        ARUS_TRY(arus_exprs_add(&all, arena, plan->aggregate.keys[i], err));
    }
    for (size_t i = 0; i < select->aggregates.count; i++) {
        ARUS_TRY(arus_exprs_add(&all, arena, select->aggregates.items[i], err));
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, all.count, &names, err));
    for (size_t i = 0; i < select->keys.count; i++) {
        ARUS_TRY(arus_expr_name(select->keys.items[i], arena, &names[i], err));
    }
    return arus_plan_fields(all.items, names, (uint32_t)all.count, arena, &plan->schema, err);
}

/* With grouping sets the keys are columns of the expanded rows, and what tells the sets apart. */
static enum arus_status expand_keys(struct select *select, struct arus_plan **input,
                                    struct arus_exprs *keys, struct arus_error *err)
{
    struct arus_arena *arena = select->resolver->arena;
    uint32_t first = 0;

    if (select->from->set_count == 0) {
        *keys = select->keys;
        return ARUS_OK;
    }
    ARUS_TRY(arus_grouping_expand(select->resolver, select->from->group_place, &select->keys,
                                  select->masks, select->from->set_count, input, &first, err));
    for (uint32_t i = first; i < (*input)->schema->field_count; i++) {
        const struct arus_expr *key = NULL;

        ARUS_TRY(
            arus_column_make((*input)->schema, i, select->from->group_place, arena, &key, err));
        ARUS_TRY(arus_exprs_add(keys, arena, key, err));
    }
    return ARUS_OK;
}

static enum arus_status make_aggregate(struct select *select, struct arus_error *err)
{
    const struct arus_expr_context *context = &select->context;
    const struct arus_place place =
        select->from->group_place.size > 0 ? select->from->group_place : select->from->place;
    struct arus_plan *input = select->input.plan;
    struct arus_plan *plan = NULL;
    struct arus_exprs keys = {0};

    ARUS_TRY(expand_keys(select, &input, &keys, err));
    ARUS_TRY(arus_plan_make(ARUS_PLAN_AGGREGATE, place, input, NULL, select->resolver->arena, &plan,
                            err));
    plan->aggregate.keys = keys.items;
    plan->aggregate.key_count = (uint32_t)keys.count;
    select->lead_count = keys.count;
    plan->aggregate.aggregates = select->aggregates.items;
    plan->aggregate.aggregate_count = (uint32_t)select->aggregates.count;
    for (size_t i = 0; context->has_session && i < select->keys.count; i++) {
        if (arus_expr_equal(select->keys.items[i], context->window_column)) {
            plan->aggregate.has_session = true;
            plan->aggregate.session_key = (uint32_t)i;
        }
    }
    ARUS_TRY(aggregate_schema(select, plan, err));
    select->plan = plan;
    return ARUS_OK;
}

static enum arus_status split_all(struct select *select, struct arus_exprs *generator_args,
                                  struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;

    for (size_t i = 0; i < context->item_count; i++) {
        ARUS_TRY(split(select, &context->items[i].expr, err));
    }
    ARUS_TRY(split(select, &select->having, err));
    for (size_t i = 0; i < select->sort_keys.count; i++) {
        ARUS_TRY(split(select, &select->sort_keys.items[i], err));
    }
    for (size_t i = 0; i < generator_args->count; i++) {
        ARUS_TRY(split(select, &generator_args->items[i], err));
    }
    return ARUS_OK;
}

static enum arus_status aggregate(struct select *select, struct arus_exprs *generator_args,
                                  struct arus_error *err)
{
    ARUS_TRY(collect_aggregates(select, generator_args, err));
    ARUS_TRY(make_aggregate(select, err));
    ARUS_TRY(split_all(select, generator_args, err));
    if (select->having != NULL) {
        ARUS_TRY(arus_plan_filter(select->plan, select->having, select->resolver->arena,
                                  &select->plan, err));
    }
    return ARUS_OK;
}

/* ---- generators ---- */

static enum arus_status generator_names(const struct arus_item *item, uint32_t count,
                                        struct arus_error *err)
{
    if (item->name_count == 0 || item->name_count == count) {
        return ARUS_OK;
    }
    return arus_fail_at(err, item->generator->place, "UDTF_ALIAS_NUMBER_MISMATCH",
                        "%u names for the %u columns of `%.*s`", item->name_count, count,
                        ARUS_TEXT_ARGS(item->generator->text));
}

/* The item of a generator becomes the items of its columns. */
static enum arus_status spread_generator(struct select *select, size_t *position,
                                         struct arus_exprs *args, struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;
    const struct arus_item item = context->items[*position];
    uint32_t first = 0;
    uint32_t count = 0;

    ARUS_TRY(arus_resolve_generator(context, item.generator, false, args, &select->plan, &first,
                                    &count, err));
    ARUS_TRY(generator_names(&item, count, err));
    for (uint32_t i = 1; i < count; i++) {
        ARUS_TRY(arus_list_grow(select->resolver->arena, (void **)&context->items,
                                sizeof(*context->items), context->item_count,
                                &select->item_capacity, err));
        context->item_count++;
    }
    for (size_t i = context->item_count; i-- > *position + count;) {
        context->items[i] = context->items[i - count + 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        struct arus_item *made = &context->items[*position + i];

        *made = (struct arus_item){.state = ARUS_ITEM_READY, .has_alias = item.name_count > 0};
        made->name =
            item.name_count > 0 ? item.names[i] : select->plan->schema->fields[first + i].name;
        ARUS_TRY(arus_column_make(select->plan->schema, first + i, item.generator->place,
                                  select->resolver->arena, &made->expr, err));
    }
    *position += count;
    return ARUS_OK;
}

static enum arus_status spread_generators(struct select *select, struct arus_exprs *args,
                                          const size_t *arg_ends, struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;
    size_t position = 0;
    size_t begin = 0;
    size_t index = 0;

    while (position < context->item_count) {
        struct arus_exprs own;

        if (context->items[position].generator == NULL) {
            position++;
            continue;
        }
        own = (struct arus_exprs){args->items + begin, arg_ends[index] - begin,
                                  arg_ends[index] - begin};
        begin = arg_ends[index++];
        ARUS_TRY(spread_generator(select, &position, &own, err));
    }
    return ARUS_OK;
}

/* All generators' arguments in one list; arg_ends[i]: where those of the i-th end. */
static enum arus_status generator_args(struct select *select, struct arus_exprs *args,
                                       size_t **arg_ends, struct arus_error *err)
{
    struct arus_expr_context *context = &select->context;
    size_t count = 0;

    ARUS_TRY(ARUS_NEW(select->resolver->arena, size_t, context->item_count + 1, arg_ends, err));
    context->clause = ARUS_CLAUSE_SELECT;
    context->alias_rule = ARUS_ALIAS_AFTER;
    for (size_t i = 0; i < context->item_count; i++) {
        if (context->items[i].generator != NULL) {
            ARUS_TRY(arus_resolve_generator_args(context, context->items[i].generator, args, err));
            (*arg_ends)[count++] = args->count;
        }
    }
    return ARUS_OK;
}

/* ---- result ---- */

static enum arus_status result_scope(struct select *select, struct arus_scope *out,
                                     struct arus_error *err)
{
    const struct arus_expr_context *context = &select->context;

    *out = (struct arus_scope){0};
    for (size_t i = 0; i < context->item_count; i++) {
        const struct arus_item *item = &context->items[i];
        const struct arus_scope_column column = {
            .qualifier = item->keeps_column ? item->qualifier : (struct arus_text){0},
            .name = item->name,
            .index = (uint32_t)i,
            .id = item->keeps_column ? item->id : select->resolver->next_id++};

        ARUS_TRY(arus_scope_add(select->resolver, out, &column, err));
    }
    return ARUS_OK;
}

/* The place of a sort key among the items, or a hidden column behind them. */
static enum arus_status place_sort_keys(struct select *select, struct arus_exprs *exprs,
                                        struct arus_exprs *keys, struct arus_error *err)
{
    struct arus_arena *arena = select->resolver->arena;

    for (size_t i = 0; i < select->sort_keys.count; i++) {
        const struct arus_expr *key = select->sort_keys.items[i];
        struct arus_expr *column = NULL;
        size_t index = 0;

        while (index < exprs->count && !arus_expr_equal(exprs->items[index], key)) {
            index++;
        }
        if (index == exprs->count) {
            ARUS_TRY(arus_exprs_add(exprs, arena, key, err));
        }
        ARUS_TRY(ARUS_NEW(arena, struct arus_expr, 1, &column, err));
        *column = (struct arus_expr){.kind = ARUS_EXPR_COLUMN,
                                     .type = key->type,
                                     .is_nullable = key->is_nullable,
                                     .place = key->place,
                                     .index = (uint32_t)index};
        ARUS_TRY(arus_expr_name(key, arena, &column->name, err));
        ARUS_TRY(arus_exprs_add(keys, arena, column, err));
    }
    return ARUS_OK;
}

static enum arus_status finish(struct select *select, struct arus_bound *out,
                               struct arus_error *err)
{
    const struct arus_expr_context *context = &select->context;
    struct arus_arena *arena = select->resolver->arena;
    const uint32_t count = (uint32_t)context->item_count;
    struct arus_exprs exprs = {0};
    struct arus_exprs keys = {0};
    struct arus_text *names = NULL;

    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_exprs_add(&exprs, arena, context->items[i].expr, err));
    }
    ARUS_TRY(place_sort_keys(select, &exprs, &keys, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, exprs.count, &names, err));
    for (uint32_t i = 0; i < count; i++) {
        names[i] = context->items[i].name;
    }
    ARUS_TRY(arus_plan_project(select->plan, exprs.items, names, (uint32_t)exprs.count, arena,
                               &out->plan, err));
    out->plan->place = select->from->place;
    ARUS_TRY(result_scope(select, &out->scope, err));
    if (select->from->is_distinct) {
        ARUS_TRY(
            arus_distinct_make(select->resolver, select->from->place, out->plan, &out->plan, err));
    }
    if (select->sort != NULL) {
        ARUS_TRY(make_sort(select->resolver, select->sort, &keys, &out->plan, err));
        if (exprs.count > count) {
            ARUS_TRY(arus_plan_keep(out->plan, count, arena, &out->plan, err));
        }
    }
    return ARUS_OK;
}

static bool has_aggregate(const struct arus_urel *from, const struct arus_urel *sort)
{
    bool found = from->is_grouped || from->having != NULL;

    for (uint32_t i = 0; i < from->items.count; i++) {
        found |= arus_uexpr_has_aggregate(from->items.items[i]);
    }
    for (uint32_t i = 0; sort != NULL && !sort->sort_all && i < sort->sort_count; i++) {
        found |= arus_uexpr_has_aggregate(sort->sorts[i].expr);
    }
    return found;
}

static enum arus_status resolve_having(struct select *select, struct arus_error *err)
{
    if (select->from->having == NULL) {
        return ARUS_OK;
    }
    select->context.clause = ARUS_CLAUSE_HAVING;
    select->context.alias_rule = ARUS_ALIAS_BEFORE;
    return arus_resolve_condition(&select->context, select->from->having, &select->having, err);
}

enum arus_status arus_resolve_select(struct arus_resolver *resolver, const struct arus_urel *from,
                                     const struct arus_urel *sort,
                                     const struct arus_expr_context *outer, struct arus_bound *out,
                                     struct arus_error *err)
{
    struct select select = {.resolver = resolver, .from = from};
    struct arus_exprs args = {0};
    size_t *arg_ends = NULL;

    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, &select.input, err));
    select.context =
        (struct arus_expr_context){.resolver = resolver, .input = &select.input, .outer = outer};
    select.is_aggregate = has_aggregate(from, sort);
    ARUS_TRY(open_items(&select, err));
    if (!from->is_distinct && !(select.has_generator && select.is_aggregate)) {
        select.sort = sort;
    }
    ARUS_TRY(resolve_groups(&select, err));
    ARUS_TRY(resolve_items(&select, err));
    ARUS_TRY(resolve_having(&select, err));
    ARUS_TRY(generator_args(&select, &args, &arg_ends, err));
    if (select.sort != NULL && !select.has_generator) {
        ARUS_TRY(resolve_sort_keys(&select, err));
    }
    select.plan = select.input.plan;
    if (select.is_aggregate) {
        ARUS_TRY(aggregate(&select, &args, err));
    }
    ARUS_TRY(spread_generators(&select, &args, arg_ends, err));
    if (select.sort != NULL && select.has_generator) {
        select.input.plan = select.plan; /* what the keys add goes on top */
        ARUS_TRY(resolve_sort_keys(&select, err));
        select.plan = select.input.plan;
    }
    ARUS_TRY(finish(&select, out, err));
    return sort != NULL && select.sort == NULL ? arus_resolve_sort(resolver, sort, out, err)
                                               : ARUS_OK;
}
