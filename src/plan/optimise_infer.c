/* Conditions that others imply: Spark's InferFiltersFromConstraints. Below a watermark they decide
 * which rows move it. */
#include "plan/optimise_internal.h"

/* The place of what the user did not write: shown as it was made. */
static const struct arus_place UNWRITTEN = {0};

/* The columns and struct fields that are not null where `expr` is not. */
static enum arus_status add_needed(struct arus_optimiser *optimiser, const struct arus_expr *expr,
                                   struct arus_exprs *out, struct arus_error *err)
{
    switch (expr->kind) {
    case ARUS_EXPR_COLUMN:
        return arus_exprs_add(out, optimiser->arena, expr, err);
    case ARUS_EXPR_FIELD:
        return arus_expr_is_cheap(expr) ? arus_exprs_add(out, optimiser->arena, expr, err)
                                        : ARUS_OK;
    case ARUS_EXPR_CAST:
        return add_needed(optimiser, expr->args[0], out, err);
    case ARUS_EXPR_CALL:
        break;
    case ARUS_EXPR_LITERAL:
    case ARUS_EXPR_LAMBDA:
    case ARUS_EXPR_VARIABLE:
        return ARUS_OK;
    }
    if (expr->function->kind != ARUS_SCALAR || (expr->function->flags & ARUS_STRICT) == 0) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(add_needed(optimiser, expr->args[i], out, err));
    }
    return ARUS_OK;
}

/* The same where the condition is true. */
static enum arus_status add_needed_by(struct arus_optimiser *optimiser,
                                      const struct arus_expr *cond, struct arus_exprs *out,
                                      struct arus_error *err)
{
    if (arus_expr_is_call(cond, "is not null")) {
        cond = cond->args[0];
    }
    return arus_expr_is_volatile(cond) ? ARUS_OK : add_needed(optimiser, cond, out, err);
}

enum arus_status arus_optimise_implied(struct arus_optimiser *optimiser,
                                       const struct arus_exprs *known, const struct arus_expr *expr,
                                       bool *out, struct arus_error *err)
{
    struct arus_exprs needed = {0};

    *out = !expr->is_nullable;
    for (size_t i = 0; i < known->count; i++) {
        ARUS_TRY(add_needed_by(optimiser, known->items[i], &needed, err));
    }
    for (size_t i = 0; i < needed.count && !*out; i++) {
        *out = arus_expr_equal(needed.items[i], expr);
    }
    return ARUS_OK;
}

/* Of `needed`, what lies in [begin, end). */
static enum arus_status add_not_null(struct arus_optimiser *optimiser,
                                     const struct arus_exprs *needed, uint32_t begin, uint32_t end,
                                     struct arus_exprs *out, struct arus_error *err)
{
    for (size_t i = 0; i < needed->count; i++) {
        const struct arus_expr *expr = needed->items[i];
        const struct arus_maker maker = arus_optimiser_maker(optimiser, UNWRITTEN);
        bool is_implied = false;

        if (!arus_expr_within(expr, begin, end)) {
            continue;
        }
        ARUS_TRY(arus_expr_shift(expr, -(int32_t)begin, optimiser->arena, &expr, err));
        ARUS_TRY(arus_optimise_implied(optimiser, out, expr, &is_implied, err));
        if (!is_implied) {
            ARUS_TRY(arus_maker_call(&maker, "is not null", &expr, 1, &expr, err));
            ARUS_TRY(arus_exprs_add(out, optimiser->arena, expr, err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_optimise_infer(struct arus_optimiser *optimiser, const struct arus_expr *cond,
                                     uint32_t begin, uint32_t end, struct arus_exprs *out,
                                     struct arus_error *err)
{
    struct arus_exprs needed = {0};

    ARUS_TRY(add_needed_by(optimiser, cond, &needed, err));
    return add_not_null(optimiser, &needed, begin, end, out, err);
}

/* What is not null where a key is not. */
static enum arus_status infer_key(struct arus_optimiser *optimiser, const struct arus_expr *key,
                                  struct arus_exprs *out, struct arus_error *err)
{
    struct arus_exprs needed = {0};

    ARUS_TRY(arus_expr_is_volatile(key) ? ARUS_OK : add_needed(optimiser, key, &needed, err));
    return add_not_null(optimiser, &needed, 0, UINT32_MAX, out, err);
}

/* ---- what holds for one of two equal columns holds for the other ---- */

/* Which output column is the input's column i, for each that has one. */
static enum arus_status passed_columns(struct arus_optimiser *optimiser,
                                       const struct arus_plan *project, uint32_t **map,
                                       bool **is_passed, struct arus_error *err)
{
    const uint32_t count = project->children[0]->schema->field_count;

    ARUS_TRY(ARUS_NEW(optimiser->arena, uint32_t, (size_t)count + 1, map, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, bool, (size_t)count + 1, is_passed, err));
    for (uint32_t i = 0; i < project->schema->field_count; i++) {
        const struct arus_expr *expr = project->project.exprs[i];

        if (expr->kind == ARUS_EXPR_COLUMN && !(*is_passed)[expr->index]) {
            (*map)[expr->index] = i;
            (*is_passed)[expr->index] = true;
        }
    }
    return ARUS_OK;
}

static bool is_gone(const struct arus_expr *expr, void *self)
{
    const bool *is_passed = self;

    return expr->kind == ARUS_EXPR_COLUMN && !is_passed[expr->index];
}

/* Conditions that are true for all rows of the plan, over its columns. */
static enum arus_status add_facts(struct arus_optimiser *optimiser, const struct arus_plan *plan,
                                  struct arus_exprs *out, struct arus_error *err)
{
    struct arus_exprs below = {0};
    uint32_t *map;
    bool *is_passed;

    if (plan->kind == ARUS_PLAN_FILTER) {
        ARUS_TRY(arus_exprs_add_conjuncts(out, optimiser->arena, plan->filter.condition, err));
        return add_facts(optimiser, plan->children[0], out, err);
    }
    if (plan->kind == ARUS_PLAN_WATERMARK || plan->kind == ARUS_PLAN_DEDUP) {
        return add_facts(optimiser, plan->children[0], out, err);
    }
    if (plan->kind != ARUS_PLAN_PROJECT) {
        return ARUS_OK;
    }
    ARUS_TRY(add_facts(optimiser, plan->children[0], &below, err));
    ARUS_TRY(passed_columns(optimiser, plan, &map, &is_passed, err));
    for (size_t i = 0; i < below.count; i++) {
        const struct arus_expr *fact = below.items[i];

        if (!arus_expr_any(fact, is_gone, is_passed)) {
            ARUS_TRY(arus_expr_remap(fact, map, optimiser->arena, &fact, err));
            ARUS_TRY(arus_exprs_add(out, optimiser->arena, fact, err));
        }
    }
    return ARUS_OK;
}

/* One column and what equals it. */
struct equal_pair {
    const struct arus_expr *from;
    const struct arus_expr *to;
    bool is_used;
};

static enum arus_status put_equal(void *self, const struct arus_expr *expr,
                                  const struct arus_expr **out, struct arus_error *err)
{
    struct equal_pair *pair = self;

    (void)err;
    *out = expr->kind == ARUS_EXPR_COLUMN && expr->index == pair->from->index ? pair->to : NULL;
    pair->is_used |= *out != NULL;
    return ARUS_OK;
}

static bool is_among(const struct arus_exprs *list, const struct arus_expr *expr)
{
    for (size_t i = 0; i < list->count; i++) {
        if (arus_expr_equal(list->items[i], expr)) {
            return true;
        }
    }
    return false;
}

static enum arus_status unwritten(struct arus_optimiser *optimiser, const struct arus_expr *expr,
                                  const struct arus_expr **out, struct arus_error *err)
{
    struct arus_expr *copy = NULL;

    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_expr, 1, &copy, err));
    *copy = *expr;
    copy->place = UNWRITTEN;
    *out = copy;
    return ARUS_OK;
}

/* The facts with `to` for `from`, those that look at [begin, end) alone, counted from `begin`. */
static enum arus_status copy_facts(struct arus_optimiser *optimiser, const struct arus_exprs *facts,
                                   const struct arus_expr *from, const struct arus_expr *to,
                                   uint32_t begin, uint32_t end, struct arus_exprs *out,
                                   struct arus_error *err)
{
    struct arus_exprs made = {0};

    for (size_t i = 0; i < facts->count; i++) {
        struct equal_pair pair = {from, to, false};
        const struct arus_expr *fact = facts->items[i];

        if (arus_expr_is_call(fact, "is not null") || arus_expr_is_volatile(fact) ||
            arus_expr_can_fail(fact)) {
            continue;
        }
        ARUS_TRY(arus_expr_rewrite(fact, put_equal, &pair, optimiser->arena, &fact, err));
        if (pair.is_used && arus_expr_within(fact, begin, end) && !is_among(facts, fact)) {
            ARUS_TRY(arus_expr_shift(fact, -(int32_t)begin, optimiser->arena, &fact, err));
            ARUS_TRY(unwritten(optimiser, fact, &fact, err));
            ARUS_TRY(arus_exprs_add(&made, optimiser->arena, fact, err));
        }
    }
    for (size_t i = 0; i < made.count; i++) {
        if (!is_among(out, made.items[i])) {
            ARUS_TRY(arus_exprs_add(out, optimiser->arena, made.items[i], err));
        }
    }
    return ARUS_OK;
}

/* Adds a list over the columns of one side, as columns of the joined row. */
static enum arus_status add_shifted(struct arus_optimiser *optimiser, const struct arus_exprs *list,
                                    uint32_t begin, struct arus_exprs *out, struct arus_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct arus_expr *expr = NULL;

        ARUS_TRY(arus_expr_shift(list->items[i], (int32_t)begin, optimiser->arena, &expr, err));
        ARUS_TRY(arus_exprs_add(out, optimiser->arena, expr, err));
    }
    return ARUS_OK;
}

static bool is_cast_column(const struct arus_expr *expr)
{
    return expr->kind == ARUS_EXPR_CAST && expr->args[0]->kind == ARUS_EXPR_COLUMN;
}

/* Rule: a = b with two columns goes both ways, CAST(a) = b from b to a alone. */
static bool may_stand_for(const struct arus_expr *from, const struct arus_expr *to)
{
    return from->kind == ARUS_EXPR_COLUMN && (to->kind == ARUS_EXPR_COLUMN || is_cast_column(to));
}

struct join_side {
    bool takes; /* conditions that no row without a match needs to pass */
    uint32_t begin;
    uint32_t end;
    struct arus_exprs *out; /* over the side's columns */
};

static enum arus_status copy_over_keys(struct arus_optimiser *optimiser,
                                       const struct arus_plan *plan, const struct arus_exprs *conds,
                                       const struct join_side sides[2], struct arus_error *err)
{
    struct arus_exprs facts = {0};

    ARUS_TRY(add_shifted(optimiser, conds, 0, &facts, err));
    for (int s = 0; s < 2; s++) {
        struct arus_exprs own = {0};

        ARUS_TRY(add_facts(optimiser, plan->children[s], &own, err));
        ARUS_TRY(add_shifted(optimiser, &own, sides[s].begin, &facts, err));
        ARUS_TRY(add_shifted(optimiser, sides[s].out, sides[s].begin, &facts, err));
    }
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        const struct arus_join_key *key = &plan->join.keys[i];
        const struct arus_expr *pair[2] = {key->left, NULL};

        ARUS_TRY(
            arus_expr_shift(key->right, (int32_t)sides[1].begin, optimiser->arena, &pair[1], err));
        for (int s = 0; s < 2 && !key->is_null_safe; s++) {
            if (sides[s].takes && may_stand_for(pair[1 - s], pair[s])) {
                ARUS_TRY(copy_facts(optimiser, &facts, pair[1 - s], pair[s], sides[s].begin,
                                    sides[s].end, sides[s].out, err));
            }
        }
    }
    return ARUS_OK;
}

/* Rows of a stream that cannot match go before they are kept, or move a watermark. */
enum arus_status arus_optimise_infer_sides(struct arus_optimiser *optimiser,
                                           const struct arus_plan *plan,
                                           const struct arus_exprs *above, struct arus_exprs *left,
                                           struct arus_exprs *right, struct arus_error *err)
{
    const enum arus_join_kind kind = plan->join.kind;
    const bool is_both = kind == ARUS_JOIN_INNER || kind == ARUS_JOIN_SEMI;
    const uint32_t left_count = plan->children[0]->schema->field_count;
    struct join_side sides[2] = {
        {is_both || kind == ARUS_JOIN_RIGHT, 0, left_count, left},
        {is_both || kind == ARUS_JOIN_LEFT || kind == ARUS_JOIN_ANTI, left_count, UINT32_MAX,
         right},
    };
    struct arus_exprs conds = {0};

    if (plan->join.condition != NULL) {
        ARUS_TRY(arus_exprs_add_conjuncts(&conds, optimiser->arena, plan->join.condition, err));
    }
    for (size_t i = 0; kind == ARUS_JOIN_INNER && i < above->count; i++) {
        ARUS_TRY(arus_exprs_add(&conds, optimiser->arena, above->items[i], err));
    }
    for (int s = 0; s < 2; s++) {
        sides[s].takes &= !plan->join.is_single && plan->children[s]->is_streaming;
    }
    ARUS_TRY(copy_over_keys(optimiser, plan, &conds, sides, err));
    for (int s = 0; s < 2; s++) {
        const struct join_side *side = &sides[s];

        if (!side->takes) {
            continue;
        }
        for (uint32_t i = 0; i < plan->join.key_count; i++) {
            const struct arus_join_key *key = &plan->join.keys[i];

            if (!key->is_null_safe) {
                ARUS_TRY(infer_key(optimiser, s == 0 ? key->left : key->right, side->out, err));
            }
        }
        for (size_t i = 0; i < conds.count; i++) {
            ARUS_TRY(arus_optimise_infer(optimiser, conds.items[i], side->begin, side->end,
                                         side->out, err));
        }
    }
    return ARUS_OK;
}

/* ---- NOT goes inwards, as in Spark's BooleanSimplification ---- */

static const char *opposite(const struct arus_expr *call)
{
    static const char *const PAIRS[][2] = {
        {"<", ">="}, {"<=", ">"}, {"is null", "is not null"}, {"and", "or"}};

    for (size_t i = 0; i < sizeof(PAIRS) / sizeof(*PAIRS); i++) {
        for (int side = 0; side < 2; side++) {
            if (arus_expr_is_call(call, PAIRS[i][side])) {
                return PAIRS[i][1 - side];
            }
        }
    }
    return NULL;
}

static enum arus_status simplify(const struct arus_maker *maker, const struct arus_expr *expr,
                                 bool is_negated, const struct arus_expr **out,
                                 struct arus_error *err);

static enum arus_status simplify_call(const struct arus_maker *maker, const struct arus_expr *call,
                                      bool is_negated, const char *name,
                                      const struct arus_expr **out, struct arus_error *err)
{
    const bool is_logic = arus_expr_is_call(call, "and") || arus_expr_is_call(call, "or");
    const struct arus_expr **args = NULL;
    bool is_changed = is_negated;

    ARUS_TRY(ARUS_NEW(maker->arena, const struct arus_expr *, call->arg_count, &args, err));
    for (uint32_t i = 0; i < call->arg_count; i++) {
        args[i] = call->args[i];
        if (is_logic) {
            ARUS_TRY(simplify(maker, call->args[i], is_negated, &args[i], err));
        }
        is_changed |= args[i] != call->args[i];
    }
    *out = call;
    return is_changed ? arus_maker_call(maker, name, args, call->arg_count, out, err) : ARUS_OK;
}

static enum arus_status simplify(const struct arus_maker *maker, const struct arus_expr *expr,
                                 bool is_negated, const struct arus_expr **out,
                                 struct arus_error *err)
{
    const char *turned = opposite(expr);

    *out = expr;
    if (arus_expr_is_call(expr, "not")) {
        ARUS_TRY(simplify(maker, expr->args[0], !is_negated, out, err));
        if (arus_expr_is_call(*out, "not") && (*out)->args[0] == expr->args[0]) {
            *out = expr; /* as it was written */
        }
        return ARUS_OK;
    }
    if (arus_expr_is_call(expr, "=") && arus_expr_truth(expr->args[1]) >= 0) {
        return simplify(maker, expr->args[0], is_negated != (arus_expr_truth(expr->args[1]) == 0),
                        out, err);
    }
    if (turned == NULL) {
        return is_negated ? arus_maker_call(maker, "not", &expr, 1, out, err) : ARUS_OK;
    }
    return simplify_call(maker, expr, is_negated, is_negated ? turned : expr->function->name, out,
                         err);
}

enum arus_status arus_optimise_condition(struct arus_optimiser *optimiser,
                                         const struct arus_expr **inout, struct arus_error *err)
{
    const struct arus_maker maker = arus_optimiser_maker(optimiser, UNWRITTEN);

    return *inout == NULL ? ARUS_OK : simplify(&maker, *inout, false, inout, err);
}
