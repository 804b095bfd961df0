#include "plan/optimise_internal.h"
#include "plan/say.h"

#include <string.h>

struct arus_maker arus_optimiser_maker(const struct arus_optimiser *optimiser,
                                       struct arus_place place)
{
    return (struct arus_maker){.arena = optimiser->arena,
                               .zone = optimiser->env->zone,
                               .is_ansi = optimiser->env->is_ansi,
                               .place = place};
}

bool arus_expr_is_cheap(const struct arus_expr *expr)
{
    switch (expr->kind) {
    case ARUS_EXPR_LITERAL:
    case ARUS_EXPR_COLUMN:
        return true;
    case ARUS_EXPR_FIELD:
        return arus_expr_is_cheap(expr->args[0]);
    case ARUS_EXPR_CAST:
    case ARUS_EXPR_CALL:
    case ARUS_EXPR_LAMBDA:
        return false;
    case ARUS_EXPR_VARIABLE:
        return true;
    }
    return false;
}

static bool is_volatile_node(const struct arus_expr *expr, void *self)
{
    (void)self;
    return expr->kind == ARUS_EXPR_CALL && (expr->function->flags & ARUS_VOLATILE) != 0;
}

bool arus_expr_is_volatile(const struct arus_expr *expr)
{
    return arus_expr_any(expr, is_volatile_node, NULL);
}

/* ---- a copy with folded constants ---- */

static enum arus_status fold(struct arus_optimiser *optimiser, const struct arus_expr **inout,
                             struct arus_error *err)
{
    return *inout == NULL ? ARUS_OK
                          : arus_expr_fold(*inout, optimiser->env, optimiser->arena, inout, err);
}

static enum arus_status fold_list(struct arus_optimiser *optimiser, const struct arus_expr ***inout,
                                  uint32_t count, struct arus_error *err)
{
    const struct arus_expr **exprs = NULL;

    ARUS_TRY(ARUS_NEW(optimiser->arena, const struct arus_expr *, count, &exprs, err));
    for (uint32_t i = 0; i < count; i++) {
        exprs[i] = (*inout)[i];
        ARUS_TRY(fold(optimiser, &exprs[i], err));
    }
    *inout = exprs;
    return ARUS_OK;
}

/* The arguments of an aggregate; the call itself stays. */
static enum arus_status fold_aggregates(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                        struct arus_error *err)
{
    const struct arus_expr **calls = NULL;

    ARUS_TRY(ARUS_NEW(optimiser->arena, const struct arus_expr *, plan->aggregate.aggregate_count,
                      &calls, err));
    for (uint32_t i = 0; i < plan->aggregate.aggregate_count; i++) {
        struct arus_expr *copy = NULL;

        ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_expr, 1, &copy, err));
        *copy = *plan->aggregate.aggregates[i];
        ARUS_TRY(fold_list(optimiser, &copy->args, copy->arg_count, err));
        ARUS_TRY(fold(optimiser, &copy->filter, err));
        calls[i] = copy;
    }
    plan->aggregate.aggregates = calls;
    return ARUS_OK;
}

static enum arus_status fold_keys(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                  struct arus_error *err)
{
    struct arus_join_key *keys = NULL;

    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_join_key, plan->join.key_count, &keys, err));
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        keys[i] = plan->join.keys[i];
        ARUS_TRY(fold(optimiser, &keys[i].left, err));
        ARUS_TRY(fold(optimiser, &keys[i].right, err));
    }
    plan->join.keys = keys;
    ARUS_TRY(fold(optimiser, &plan->join.condition, err));
    return arus_optimise_condition(optimiser, &plan->join.condition, err);
}

static enum arus_status fold_sort(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                  struct arus_error *err)
{
    struct arus_sort_key *keys = NULL;

    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_sort_key, plan->sort.key_count, &keys, err));
    for (uint32_t i = 0; i < plan->sort.key_count; i++) {
        keys[i] = plan->sort.keys[i];
        ARUS_TRY(fold(optimiser, &keys[i].expr, err));
    }
    plan->sort.keys = keys;
    return ARUS_OK;
}

/* A map as a key: its entries in order, so that equal maps are equal (Spark's MapSort). */
static enum arus_status sort_maps(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                  struct arus_error *err)
{
    const struct arus_maker maker = arus_optimiser_maker(optimiser, plan->place);

    if (arus_function_find(ARUS_TEXT("sort_array")) == NULL) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < plan->aggregate.key_count; i++) {
        const struct arus_expr **key = &plan->aggregate.keys[i];

        if ((*key)->type->id == ARUS_TYPE_MAP &&
            !arus_type_is_nested((*key)->type->fields[1].type)) {
            ARUS_TRY(arus_maker_call(&maker, "map_entries", key, 1, key, err));
            ARUS_TRY(arus_maker_call(&maker, "sort_array", key, 1, key, err));
            ARUS_TRY(arus_maker_call(&maker, "map_from_entries", key, 1, key, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status fold_node(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                  struct arus_error *err)
{
    switch (plan->kind) {
    case ARUS_PLAN_FILTER:
        ARUS_TRY(fold(optimiser, &plan->filter.condition, err));
        return arus_optimise_condition(optimiser, &plan->filter.condition, err);
    case ARUS_PLAN_PROJECT:
        return fold_list(optimiser, &plan->project.exprs, plan->schema->field_count, err);
    case ARUS_PLAN_AGGREGATE:
        ARUS_TRY(fold_list(optimiser, &plan->aggregate.keys, plan->aggregate.key_count, err));
        ARUS_TRY(sort_maps(optimiser, plan, err));
        return fold_aggregates(optimiser, plan, err);
    case ARUS_PLAN_JOIN:
        return fold_keys(optimiser, plan, err);
    case ARUS_PLAN_GENERATE:
        return fold(optimiser, &plan->generate.input, err);
    case ARUS_PLAN_SORT:
        return fold_sort(optimiser, plan, err);
    case ARUS_PLAN_SCAN:
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
    case ARUS_PLAN_LIMIT:
    case ARUS_PLAN_UNION:
    case ARUS_PLAN_WATERMARK:
    case ARUS_PLAN_DEDUP:
        break;
    }
    return ARUS_OK;
}

static enum arus_status copy_tree(struct arus_optimiser *optimiser, const struct arus_plan *plan,
                                  struct arus_plan **out, struct arus_error *err)
{
    struct arus_plan *copy = NULL;
    struct arus_plan **children = NULL;

    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_plan, 1, &copy, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_plan *, 2, &children, err));
    *copy = *plan;
    copy->children = children;
    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(copy_tree(optimiser, plan->children[i], &children[i], err));
    }
    *out = copy;
    return fold_node(optimiser, copy, err);
}

/* ---- drop_duplicates in a batch: groups with the first of the other columns ---- */

static enum arus_status dedup_aggregate(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                        struct arus_plan **out, uint32_t *map,
                                        struct arus_error *err)
{
    const struct arus_maker maker = arus_optimiser_maker(optimiser, plan->place);
    struct arus_plan *child = plan->children[0];
    struct arus_exprs all = {0};
    struct arus_plan *made = NULL;
    const uint32_t none = UINT32_MAX;

    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        map[i] = none;
    }
    for (uint32_t i = 0; i < plan->dedup.column_count; i++) {
        const struct arus_expr *key = NULL;

        if (map[plan->dedup.columns[i]] == none) {
            map[plan->dedup.columns[i]] = (uint32_t)all.count;
            ARUS_TRY(arus_column_make(child->schema, plan->dedup.columns[i], plan->place,
                                      optimiser->arena, &key, err));
            ARUS_TRY(arus_exprs_add(&all, optimiser->arena, key, err));
        }
    }
    ARUS_TRY(arus_plan_make(ARUS_PLAN_AGGREGATE, plan->place, child, NULL, optimiser->arena, &made,
                            err));
    made->aggregate.key_count = (uint32_t)all.count;
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        const struct arus_expr *first = NULL;

        if (map[i] == none) {
            map[i] = (uint32_t)all.count;
            ARUS_TRY(
                arus_column_make(child->schema, i, plan->place, optimiser->arena, &first, err));
            ARUS_TRY(arus_maker_call(&maker, "first", &first, 1, &first, err));
            ARUS_TRY(arus_exprs_add(&all, optimiser->arena, first, err));
        }
    }
    made->aggregate.keys = all.items;
    made->aggregate.aggregates = all.items + made->aggregate.key_count;
    made->aggregate.aggregate_count = (uint32_t)all.count - made->aggregate.key_count;
    *out = made;
    return arus_plan_fields(all.items, NULL, (uint32_t)all.count, optimiser->arena, &made->schema,
                            err);
}

static enum arus_status replace_dedup(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                      struct arus_error *err)
{
    struct arus_plan *plan = *inout;
    const uint32_t count = plan->schema->field_count;
    const struct arus_expr **exprs = NULL;
    struct arus_text *names = NULL;
    struct arus_plan *made = NULL;
    uint32_t *map = NULL;

    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(replace_dedup(optimiser, &plan->children[i], err));
    }
    if (plan->kind != ARUS_PLAN_DEDUP || plan->is_streaming) {
        return ARUS_OK;
    }
    if (plan->dedup.within_watermark) {
        arus_say(err, plan->place, "_LEGACY_ERROR_TEMP_3102",
                 "drop_duplicates_within_watermark is for streams: a table has no watermark");
        return arus_error_help(err, "drop_duplicates(..)");
    }
    ARUS_TRY(ARUS_NEW(optimiser->arena, uint32_t, count, &map, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, const struct arus_expr *, count, &exprs, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_text, count, &names, err));
    ARUS_TRY(dedup_aggregate(optimiser, plan, &made, map, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(
            arus_column_make(made->schema, map[i], plan->place, optimiser->arena, &exprs[i], err));
        names[i] = plan->schema->fields[i].name;
    }
    return arus_plan_project(made, exprs, names, count, optimiser->arena, inout, err);
}

/* ---- limits ---- */

static int64_t smaller(int64_t a, int64_t b)
{
    if (a < 0 || b < 0) {
        return a < 0 ? b : a;
    }
    return a < b ? a : b;
}

/* LIMIT over a projection goes below it; two limits become one. */
static enum arus_status push_limit(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                   struct arus_error *err)
{
    struct arus_plan *plan = *inout;
    struct arus_plan *child = plan->child_count > 0 ? plan->children[0] : NULL;

    if (plan->kind == ARUS_PLAN_LIMIT && child->kind == ARUS_PLAN_PROJECT) {
        plan->children[0] = child->children[0];
        plan->schema = plan->children[0]->schema;
        child->children[0] = plan;
        *inout = child;
        return push_limit(optimiser, &child->children[0], err);
    }
    if (plan->kind == ARUS_PLAN_LIMIT && child->kind == ARUS_PLAN_LIMIT && plan->limit.skip == 0) {
        child->limit.count = smaller(child->limit.count, plan->limit.count);
        *inout = child;
        return push_limit(optimiser, inout, err);
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(push_limit(optimiser, &plan->children[i], err));
    }
    return ARUS_OK;
}

/* ---- projections ---- */

/* How often each column is used by a list of expressions. */
static bool count_column(const struct arus_expr *expr, void *self)
{
    if (expr->kind == ARUS_EXPR_COLUMN) {
        ((uint32_t *)self)[expr->index]++;
    }
    return false;
}

static enum arus_status can_merge(struct arus_optimiser *optimiser, const struct arus_plan *outer,
                                  const struct arus_plan *inner, bool *out, struct arus_error *err)
{
    uint32_t *counts = NULL;

    ARUS_TRY(ARUS_NEW(optimiser->arena, uint32_t, inner->schema->field_count + 1u, &counts, err));
    for (uint32_t i = 0; i < outer->schema->field_count; i++) {
        (void)arus_expr_any(outer->project.exprs[i], count_column, counts);
    }
    *out = inner->window == NULL && outer->window == NULL;
    for (uint32_t i = 0; i < inner->schema->field_count; i++) {
        const struct arus_expr *expr = inner->project.exprs[i];

        if (counts[i] > 1 && !arus_expr_is_cheap(expr)) {
            *out = false;
        }
        if (counts[i] > 0 && arus_expr_is_volatile(expr)) {
            *out = false;
        }
    }
    return ARUS_OK;
}

static bool is_identity(const struct arus_plan *plan)
{
    const struct arus_type *before = plan->children[0]->schema;

    if (before->field_count != plan->schema->field_count) {
        return false;
    }
    for (uint32_t i = 0; i < before->field_count; i++) {
        if (plan->project.exprs[i]->kind != ARUS_EXPR_COLUMN ||
            plan->project.exprs[i]->index != i ||
            !arus_text_equal(before->fields[i].name, plan->schema->fields[i].name)) {
            return false;
        }
    }
    return true;
}

static enum arus_status merge_projects(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                       bool *is_done, struct arus_error *err)
{
    struct arus_plan *inner = plan->children[0];

    ARUS_TRY(can_merge(optimiser, plan, inner, is_done, err));
    if (!*is_done) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        ARUS_TRY(arus_expr_substitute(plan->project.exprs[i], inner->project.exprs,
                                      optimiser->arena, &plan->project.exprs[i], err));
    }
    plan->children[0] = inner->children[0];
    return ARUS_OK;
}

enum arus_status arus_optimise_projections(struct arus_optimiser *optimiser,
                                           struct arus_plan **inout, struct arus_error *err)
{
    struct arus_plan *plan = *inout;

    for (uint32_t i = 0; i < plan->child_count; i++) {
        ARUS_TRY(arus_optimise_projections(optimiser, &plan->children[i], err));
    }
    while (plan->kind == ARUS_PLAN_PROJECT && plan->children[0]->kind == ARUS_PLAN_PROJECT) {
        bool is_done = false;

        ARUS_TRY(merge_projects(optimiser, plan, &is_done, err));
        if (!is_done) {
            break;
        }
    }
    if (plan->kind == ARUS_PLAN_PROJECT && is_identity(plan)) {
        *inout = plan->children[0];
    }
    return ARUS_OK;
}

enum arus_status arus_optimise(struct arus_plan *plan, const struct arus_eval_env *env,
                               struct arus_arena *arena, const struct arus_plan **out,
                               struct arus_error *err)
{
    struct arus_optimiser optimiser = {env, arena};
    struct arus_plan *copy = NULL;

    ARUS_TRY(copy_tree(&optimiser, plan, &copy, err));
    ARUS_TRY(replace_dedup(&optimiser, &copy, err));
    ARUS_TRY(arus_optimise_filters(&optimiser, &copy, err));
    ARUS_TRY(arus_optimise_projections(&optimiser, &copy, err));
    ARUS_TRY(push_limit(&optimiser, &copy, err));
    ARUS_TRY(arus_optimise_columns(&optimiser, &copy, err));
    ARUS_TRY(arus_optimise_projections(&optimiser, &copy, err));
    *out = copy;
    return ARUS_OK;
}
