/* Conditions that others imply: Spark's InferFiltersFromConstraints, as far as nulls go. Below a
 * watermark they decide which rows move it. */
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

/* Rows of a stream that cannot match for a null go before they are kept, or move a watermark. */
enum arus_status arus_optimise_infer_sides(struct arus_optimiser *optimiser,
                                           const struct arus_plan *plan,
                                           const struct arus_exprs *above, struct arus_exprs *left,
                                           struct arus_exprs *right, struct arus_error *err)
{
    const enum arus_join_kind kind = plan->join.kind;
    const bool is_both = kind == ARUS_JOIN_INNER || kind == ARUS_JOIN_SEMI;
    const uint32_t left_count = plan->children[0]->schema->field_count;
    struct side {
        bool takes;
        uint32_t begin;
        uint32_t end;
        struct arus_exprs *out;
    } sides[2] = {
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
        const struct side *side = &sides[s];

        if (!side->takes || plan->join.is_single || !plan->children[s]->is_streaming) {
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
