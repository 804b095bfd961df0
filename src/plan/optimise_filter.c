/* Filters sink. A condition that may fail never meets rows that it did not meet before, and never
 * overtakes another one. */
#include "plan/optimise_internal.h"

#include <string.h>

static enum arus_status sink(struct arus_optimiser *optimiser, struct arus_plan **inout,
                             struct arus_exprs *conds, struct arus_error *err);

/* Which of the conditions go on and which stay, in their order. */
struct split {
    struct arus_exprs down;
    struct arus_exprs stay;
};

static enum arus_status sort_condition(struct arus_optimiser *optimiser, struct split *split,
                                       const struct arus_expr *cond, bool may_pass,
                                       struct arus_error *err)
{
    const bool overtakes = split->stay.count > 0 && arus_expr_can_fail(cond);

    return arus_exprs_add(may_pass && !overtakes ? &split->down : &split->stay, optimiser->arena,
                          cond, err);
}

static enum arus_status wrap(struct arus_optimiser *optimiser, struct arus_plan **inout,
                             const struct arus_exprs *conds, struct arus_error *err)
{
    const struct arus_maker maker = arus_optimiser_maker(optimiser, (*inout)->place);
    const struct arus_expr *condition = NULL;

    ARUS_TRY(arus_exprs_conjoin(conds, &maker, &condition, err));
    return condition == NULL ? ARUS_OK
                             : arus_plan_filter(*inout, condition, optimiser->arena, inout, err);
}

/* Sinks `down` into child `i` and leaves `stay` above the node. */
static enum arus_status sink_and_wrap(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                      struct split *split, struct arus_error *err)
{
    ARUS_TRY(sink(optimiser, &(*inout)->children[0], &split->down, err));
    return wrap(optimiser, inout, &split->stay, err);
}

static enum arus_status sink_filter(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                    struct arus_exprs *conds, struct arus_error *err)
{
    struct arus_exprs all = {0};

    ARUS_TRY(arus_exprs_add_conjuncts(&all, optimiser->arena, (*inout)->filter.condition, err));
    for (size_t i = 0; i < conds->count; i++) {
        const struct arus_expr *cond = conds->items[i];
        bool is_implied = false;

        if (arus_expr_is_call(cond, "is not null")) {
            ARUS_TRY(arus_optimise_implied(optimiser, &all, cond->args[0], &is_implied, err));
        }
        if (!is_implied) {
            ARUS_TRY(arus_exprs_add(&all, optimiser->arena, cond, err));
        }
    }
    *inout = (*inout)->children[0];
    return sink(optimiser, inout, &all, err);
}

/* ---- projections ---- */

struct use_search {
    const struct arus_expr *const *exprs;
    bool *used;
    bool is_cheap;
    bool is_volatile;
};

static bool look_at_use(const struct arus_expr *expr, void *self)
{
    struct use_search *search = self;

    if (expr->kind == ARUS_EXPR_COLUMN) {
        search->used[expr->index] = true;
        search->is_cheap &= arus_expr_is_cheap(search->exprs[expr->index]);
        search->is_volatile |= arus_expr_is_volatile(search->exprs[expr->index]);
    }
    return false;
}

/* Below the projection its other failing expressions meet fewer rows, as in Spark: then even a dear
 * condition goes down. */
static enum arus_status passes_project(struct arus_optimiser *optimiser,
                                       const struct arus_plan *plan, const struct arus_expr *cond,
                                       bool *out, struct arus_error *err)
{
    struct use_search search = {plan->project.exprs, NULL, true, arus_expr_is_volatile(cond)};
    bool others_fail = false;

    ARUS_TRY(ARUS_NEW(optimiser->arena, bool, plan->schema->field_count + 1u, &search.used, err));
    (void)arus_expr_any(cond, look_at_use, &search);
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        others_fail |= !search.used[i] && arus_expr_can_fail(plan->project.exprs[i]);
    }
    *out = !search.is_volatile && (search.is_cheap || others_fail);
    return ARUS_OK;
}

static enum arus_status sink_project(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                     struct arus_exprs *conds, struct arus_error *err)
{
    struct arus_plan *plan = *inout;
    struct split split = {{0}, {0}};

    for (size_t i = 0; i < conds->count; i++) {
        bool passes = false;

        ARUS_TRY(passes_project(optimiser, plan, conds->items[i], &passes, err));
        ARUS_TRY(sort_condition(optimiser, &split, conds->items[i], passes, err));
    }
    for (size_t i = 0; i < split.down.count; i++) {
        ARUS_TRY(arus_expr_substitute(split.down.items[i], plan->project.exprs, optimiser->arena,
                                      &split.down.items[i], err));
    }
    return sink_and_wrap(optimiser, inout, &split, err);
}

/* ---- aggregates, generators, watermarks ---- */

static enum arus_status sink_aggregate(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                       struct arus_exprs *conds, struct arus_error *err)
{
    struct arus_plan *plan = *inout;
    struct split split = {{0}, {0}};

    for (size_t i = 0; i < conds->count; i++) {
        const struct arus_expr *cond = conds->items[i];
        const bool may_pass = plan->aggregate.key_count > 0 && !plan->aggregate.has_session &&
                              arus_expr_within(cond, 0, plan->aggregate.key_count) &&
                              !arus_expr_within(cond, 0, 0) && !arus_expr_can_fail(cond);

        ARUS_TRY(sort_condition(optimiser, &split, cond, may_pass, err));
    }
    for (size_t i = 0; i < split.down.count; i++) {
        ARUS_TRY(arus_expr_substitute(split.down.items[i], plan->aggregate.keys, optimiser->arena,
                                      &split.down.items[i], err));
    }
    return sink_and_wrap(optimiser, inout, &split, err);
}

static bool is_column(const struct arus_expr *expr, void *self)
{
    return expr->kind == ARUS_EXPR_COLUMN && expr->index == *(const uint32_t *)self;
}

static bool passes_node(const struct arus_plan *plan, const struct arus_expr *cond)
{
    uint32_t time = plan->watermark.column;

    switch (plan->kind) {
    case ARUS_PLAN_GENERATE:
        return arus_expr_within(cond, 0, plan->children[0]->schema->field_count) &&
               !arus_expr_can_fail(cond) && !arus_expr_is_volatile(cond);
    case ARUS_PLAN_WATERMARK: /* the watermark must see all times */
        return !arus_expr_is_volatile(cond) && !arus_expr_any(cond, is_column, &time);
    case ARUS_PLAN_SORT:
        return !arus_expr_is_volatile(cond);
    case ARUS_PLAN_SCAN:
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
    case ARUS_PLAN_FILTER:
    case ARUS_PLAN_PROJECT:
    case ARUS_PLAN_AGGREGATE:
    case ARUS_PLAN_LIMIT:
    case ARUS_PLAN_JOIN:
    case ARUS_PLAN_UNION:
    case ARUS_PLAN_DEDUP:
        break;
    }
    return false;
}

/* A row that a condition on the time drops for a null elsewhere does not move the watermark. */
static enum arus_status infer_below_watermark(struct arus_optimiser *optimiser,
                                              const struct arus_plan *plan, struct split *split,
                                              struct arus_error *err)
{
    struct arus_exprs inferred = {0};

    for (size_t i = 0; i < split->stay.count; i++) {
        ARUS_TRY(
            arus_optimise_infer(optimiser, split->stay.items[i], 0, UINT32_MAX, &inferred, err));
    }
    for (size_t i = 0; i < inferred.count; i++) {
        bool is_implied = false;

        ARUS_TRY(arus_optimise_implied(optimiser, &split->down, inferred.items[i]->args[0],
                                       &is_implied, err));
        if (!is_implied && passes_node(plan, inferred.items[i])) {
            ARUS_TRY(arus_exprs_add(&split->down, optimiser->arena, inferred.items[i], err));
        }
    }
    return ARUS_OK;
}

static enum arus_status sink_node(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                  struct arus_exprs *conds, struct arus_error *err)
{
    struct split split = {{0}, {0}};

    for (size_t i = 0; i < conds->count; i++) {
        ARUS_TRY(sort_condition(optimiser, &split, conds->items[i],
                                passes_node(*inout, conds->items[i]), err));
    }
    if ((*inout)->kind == ARUS_PLAN_WATERMARK) {
        ARUS_TRY(infer_below_watermark(optimiser, *inout, &split, err));
    }
    return sink_and_wrap(optimiser, inout, &split, err);
}

static enum arus_status sink_union(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                   struct arus_exprs *conds, struct arus_error *err)
{
    struct arus_exprs twice = {0};

    for (size_t i = 0; i < conds->count; i++) {
        ARUS_TRY(arus_exprs_add(&twice, optimiser->arena, conds->items[i], err));
    }
    ARUS_TRY(sink(optimiser, &plan->children[0], conds, err));
    return sink(optimiser, &plan->children[1], &twice, err);
}

/* ---- joins ---- */

struct join_split {
    struct arus_exprs left;
    struct arus_exprs right; /* over the right columns alone */
    struct arus_exprs stay;
};

/* Sides that conditions above the join may sink into. */
static bool takes_left(enum arus_join_kind kind)
{
    return kind != ARUS_JOIN_RIGHT && kind != ARUS_JOIN_FULL;
}

static bool takes_right(enum arus_join_kind kind)
{
    return kind == ARUS_JOIN_INNER || kind == ARUS_JOIN_RIGHT;
}

static enum arus_status move_right(struct arus_optimiser *optimiser, const struct arus_expr *cond,
                                   uint32_t left_count, struct arus_exprs *out,
                                   struct arus_error *err)
{
    const struct arus_expr *shifted = NULL;

    ARUS_TRY(arus_expr_shift(cond, -(int32_t)left_count, optimiser->arena, &shifted, err));
    return arus_exprs_add(out, optimiser->arena, shifted, err);
}

static enum arus_status split_above(struct arus_optimiser *optimiser, const struct arus_plan *plan,
                                    const struct arus_exprs *conds, struct join_split *out,
                                    struct arus_error *err)
{
    const uint32_t left_count = plan->children[0]->schema->field_count;

    for (size_t i = 0; i < conds->count; i++) {
        const struct arus_expr *cond = conds->items[i];
        const bool is_fixed =
            arus_expr_can_fail(cond) || arus_expr_is_volatile(cond) || arus_expr_within(cond, 0, 0);

        if (!is_fixed && takes_left(plan->join.kind) && arus_expr_within(cond, 0, left_count)) {
            ARUS_TRY(arus_exprs_add(&out->left, optimiser->arena, cond, err));
        } else if (!is_fixed && takes_right(plan->join.kind) &&
                   arus_expr_within(cond, left_count, UINT32_MAX)) {
            ARUS_TRY(move_right(optimiser, cond, left_count, &out->right, err));
        } else {
            ARUS_TRY(arus_exprs_add(&out->stay, optimiser->arena, cond, err));
        }
    }
    return ARUS_OK;
}

/* Conjuncts of ON that look at one side only. */
static enum arus_status split_on(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                 struct join_split *out, struct arus_error *err)
{
    const struct arus_maker maker = arus_optimiser_maker(optimiser, plan->place);
    const uint32_t left_count = plan->children[0]->schema->field_count;
    const enum arus_join_kind kind = plan->join.kind;
    const bool left_may =
        kind == ARUS_JOIN_INNER || kind == ARUS_JOIN_RIGHT || kind == ARUS_JOIN_SEMI;
    const bool right_may = kind == ARUS_JOIN_INNER || kind == ARUS_JOIN_LEFT ||
                           kind == ARUS_JOIN_SEMI || kind == ARUS_JOIN_ANTI ||
                           kind == ARUS_JOIN_MARK;
    struct arus_exprs all = {0};
    struct arus_exprs rest = {0};

    if (plan->join.condition == NULL || plan->join.is_single) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_exprs_add_conjuncts(&all, optimiser->arena, plan->join.condition, err));
    for (size_t i = 0; i < all.count; i++) {
        const struct arus_expr *cond = all.items[i];
        const bool is_fixed =
            arus_expr_can_fail(cond) || arus_expr_is_volatile(cond) || arus_expr_within(cond, 0, 0);

        if (!is_fixed && left_may && arus_expr_within(cond, 0, left_count)) {
            ARUS_TRY(arus_exprs_add(&out->left, optimiser->arena, cond, err));
        } else if (!is_fixed && right_may && arus_expr_within(cond, left_count, UINT32_MAX)) {
            ARUS_TRY(move_right(optimiser, cond, left_count, &out->right, err));
        } else {
            ARUS_TRY(arus_exprs_add(&rest, optimiser->arena, cond, err));
        }
    }
    return arus_exprs_conjoin(&rest, &maker, &plan->join.condition, err);
}

/* a = b between the sides, above an inner join: a key. */
static enum arus_status take_keys(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                  struct arus_exprs *stay, struct arus_error *err)
{
    const uint32_t left_count = plan->children[0]->schema->field_count;
    struct arus_join_key *keys = NULL;
    struct arus_exprs rest = {0};

    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_join_key, plan->join.key_count + stay->count,
                      &keys, err));
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        keys[i] = plan->join.keys[i];
    }
    for (size_t i = 0; i < stay->count; i++) {
        const struct arus_expr *cond = stay->items[i];
        const bool is_null_safe = arus_expr_is_call(cond, "<=>");
        struct arus_join_key *key = &keys[plan->join.key_count];
        int left = -1;

        for (int side = 0; side < 2 && (is_null_safe || arus_expr_is_call(cond, "=")); side++) {
            if (!arus_expr_within(cond->args[side], 0, 0) &&
                !arus_expr_within(cond->args[1 - side], 0, 0) &&
                arus_expr_within(cond->args[side], 0, left_count) &&
                arus_expr_within(cond->args[1 - side], left_count, UINT32_MAX) &&
                arus_type_equal(cond->args[0]->type, cond->args[1]->type)) {
                left = side;
            }
        }
        if (left < 0) {
            ARUS_TRY(arus_exprs_add(&rest, optimiser->arena, cond, err));
            continue;
        }
        key->left = cond->args[left];
        key->is_null_safe = is_null_safe;
        ARUS_TRY(arus_expr_shift(cond->args[1 - left], -(int32_t)left_count, optimiser->arena,
                                 &key->right, err));
        plan->join.key_count++;
    }
    plan->join.keys = keys;
    *stay = rest;
    return ARUS_OK;
}

/* WHERE over an inner join of streams is ON: a time bound in it bounds the state. */
static enum arus_status take_condition(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                       struct arus_exprs *stay, struct arus_error *err)
{
    const struct arus_maker maker = arus_optimiser_maker(optimiser, plan->place);
    struct arus_exprs on = {0};
    struct arus_exprs rest = {0};

    if (!plan->children[0]->is_streaming || !plan->children[1]->is_streaming) {
        return ARUS_OK;
    }
    if (plan->join.condition != NULL) {
        ARUS_TRY(arus_exprs_add(&on, optimiser->arena, plan->join.condition, err));
    }
    for (size_t i = 0; i < stay->count; i++) {
        const bool is_fixed = rest.count > 0 || arus_expr_is_volatile(stay->items[i]);

        ARUS_TRY(arus_exprs_add(is_fixed ? &rest : &on, optimiser->arena, stay->items[i], err));
    }
    *stay = rest;
    return arus_exprs_conjoin(&on, &maker, &plan->join.condition, err);
}

static enum arus_status sink_join(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                  struct arus_exprs *conds, struct arus_error *err)
{
    struct arus_plan *plan = *inout;
    struct join_split split = {{0}, {0}, {0}};

    ARUS_TRY(arus_optimise_outer(optimiser, plan, conds, err));
    ARUS_TRY(split_above(optimiser, plan, conds, &split, err));
    ARUS_TRY(split_on(optimiser, plan, &split, err));
    if (plan->join.kind == ARUS_JOIN_INNER) {
        ARUS_TRY(take_keys(optimiser, plan, &split.stay, err));
        ARUS_TRY(take_condition(optimiser, plan, &split.stay, err));
    }
    ARUS_TRY(
        arus_optimise_infer_sides(optimiser, plan, &split.stay, &split.left, &split.right, err));
    ARUS_TRY(sink(optimiser, &plan->children[0], &split.left, err));
    ARUS_TRY(sink(optimiser, &plan->children[1], &split.right, err));
    return wrap(optimiser, inout, &split.stay, err);
}

/* ---- scans ---- */

struct compare_row {
    const char *name;
    enum arus_compare compare;
    enum arus_compare turned; /* literal OP column */
};

static const struct compare_row COMPARES[] = {
    {"=", ARUS_EQ, ARUS_EQ},  {"!=", ARUS_NE, ARUS_NE}, {"<", ARUS_LT, ARUS_GT},
    {"<=", ARUS_LE, ARUS_GE}, {">", ARUS_GT, ARUS_LT},  {">=", ARUS_GE, ARUS_LE},
};

/* Fills the predicate if the condition is simple. */
static bool read_predicate(const struct arus_plan *scan, const struct arus_expr *cond,
                           struct arus_predicate *out)
{
    const uint32_t source_count = scan->scan.source->schema->field_count;
    const struct arus_expr *column = cond->arg_count > 0 ? cond->args[0] : cond;
    const struct arus_expr *literal = cond->arg_count > 1 ? cond->args[1] : NULL;
    bool is_turned = false;

    if (cond->kind != ARUS_EXPR_CALL) {
        return false;
    }
    if (literal != NULL && literal->kind == ARUS_EXPR_COLUMN) {
        column = cond->args[1];
        literal = cond->args[0];
        is_turned = true;
    }
    if (column->kind != ARUS_EXPR_COLUMN || scan->scan.fields[column->index] >= source_count) {
        return false;
    }
    out->field = scan->scan.fields[column->index];
    if (arus_expr_is_call(cond, "is null") || arus_expr_is_call(cond, "is not null")) {
        out->compare = arus_expr_is_call(cond, "is null") ? ARUS_IS_NULL : ARUS_NOT_NULL;
        return true;
    }
    if (literal == NULL || literal->kind != ARUS_EXPR_LITERAL || cond->arg_count != 2 ||
        !arus_vector_is_valid(&literal->value, 0) ||
        !arus_type_equal(literal->type, column->type)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(COMPARES) / sizeof(COMPARES[0]); i++) {
        if (arus_expr_is_call(cond, COMPARES[i].name)) {
            out->compare = is_turned ? COMPARES[i].turned : COMPARES[i].compare;
            out->literal = literal->value;
            return true;
        }
    }
    return false;
}

/* Every condition in front of a predicate must be one that cannot fail: skipped rows would hide its
 * error. */
static enum arus_status sink_scan(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                  struct arus_exprs *conds, struct arus_error *err)
{
    struct arus_plan *plan = *inout;
    struct arus_predicate *predicates = NULL;
    size_t count = 0;

    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_predicate, conds->count, &predicates, err));
    for (size_t i = 0; i < conds->count && !arus_expr_can_fail(conds->items[i]); i++) {
        count += read_predicate(plan, conds->items[i], &predicates[count]);
    }
    plan->scan.predicates = predicates;
    plan->scan.predicate_count = count;
    return wrap(optimiser, inout, conds, err);
}

/* ---- all nodes ---- */

/* Conditions that are constant: TRUE goes away. */
static void drop_true(struct arus_exprs *conds)
{
    size_t kept = 0;

    for (size_t i = 0; i < conds->count; i++) {
        if (arus_expr_truth(conds->items[i]) != 1) {
            conds->items[kept++] = conds->items[i];
        }
    }
    conds->count = kept;
}

static enum arus_status sink_below(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                   struct arus_error *err)
{
    for (uint32_t i = 0; i < plan->child_count; i++) {
        struct arus_exprs none = {0};

        ARUS_TRY(sink(optimiser, &plan->children[i], &none, err));
    }
    return ARUS_OK;
}

static bool is_never_true(const struct arus_expr *cond)
{
    return cond->kind == ARUS_EXPR_LITERAL && cond->type->id == ARUS_TYPE_BOOLEAN &&
           arus_expr_truth(cond) != 1;
}

/* No row passes: nothing is read. A stream still moves on. */
static enum arus_status make_empty(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                   struct arus_error *err)
{
    const struct arus_plan *plan = *inout;
    struct arus_plan *empty = NULL;

    ARUS_TRY(
        arus_plan_make(ARUS_PLAN_VALUES, plan->place, NULL, NULL, optimiser->arena, &empty, err));
    empty->schema = plan->schema;
    *inout = empty;
    return arus_batch_concat(NULL, 0, plan->schema, optimiser->arena, &empty->values.rows, err);
}

static enum arus_status sink(struct arus_optimiser *optimiser, struct arus_plan **inout,
                             struct arus_exprs *conds, struct arus_error *err)
{
    drop_true(conds);
    for (size_t i = 0; i < conds->count; i++) {
        if (is_never_true(conds->items[i]) && !(*inout)->is_streaming) {
            return make_empty(optimiser, inout, err);
        }
    }
    switch ((*inout)->kind) {
    case ARUS_PLAN_FILTER:
        return sink_filter(optimiser, inout, conds, err);
    case ARUS_PLAN_PROJECT:
        return sink_project(optimiser, inout, conds, err);
    case ARUS_PLAN_AGGREGATE:
        return sink_aggregate(optimiser, inout, conds, err);
    case ARUS_PLAN_UNION:
        return sink_union(optimiser, *inout, conds, err);
    case ARUS_PLAN_JOIN:
        return sink_join(optimiser, inout, conds, err);
    case ARUS_PLAN_GENERATE:
    case ARUS_PLAN_WATERMARK:
    case ARUS_PLAN_SORT:
        return sink_node(optimiser, inout, conds, err);
    case ARUS_PLAN_SCAN:
        return sink_scan(optimiser, inout, conds, err);
    case ARUS_PLAN_VALUES:
    case ARUS_PLAN_RANGE:
    case ARUS_PLAN_LIMIT:
    case ARUS_PLAN_DEDUP:
        break;
    }
    ARUS_TRY(sink_below(optimiser, *inout, err));
    return wrap(optimiser, inout, conds, err);
}

enum arus_status arus_optimise_filters(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                       struct arus_error *err)
{
    struct arus_exprs none = {0};

    return sink(optimiser, inout, &none, err);
}
