/* Spark's EliminateOuterJoin: a condition above an outer join that drops the rows a side was filled
 * with nulls for. Of two streams the other kind of join keeps less, and sooner knows what is late.
 */
#include "plan/optimise_internal.h"

static enum arus_status put_null(void *self, const struct arus_expr *expr,
                                 const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_optimiser *optimiser = self;
    const struct arus_maker maker = arus_optimiser_maker(optimiser, expr->place);
    struct arus_vector value;

    *out = NULL;
    if (expr->kind != ARUS_EXPR_COLUMN) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_init_null(&value, expr->type, 1, optimiser->arena, err));
    return arus_literal_make(&value, maker.place, optimiser->arena, out, err);
}

/* Is the condition not true where all its columns are null? */
static enum arus_status fails_for_nulls(struct arus_optimiser *optimiser,
                                        const struct arus_expr *cond, bool *out,
                                        struct arus_error *err)
{
    const struct arus_expr *nulled = NULL;

    ARUS_TRY(arus_expr_rewrite(cond, put_null, optimiser, optimiser->arena, &nulled, err));
    ARUS_TRY(arus_expr_fold(nulled, optimiser->env, optimiser->arena, &nulled, err));
    *out = nulled->kind == ARUS_EXPR_LITERAL && arus_expr_truth(nulled) != 1;
    return ARUS_OK;
}

static enum arus_status refuses_nulls(struct arus_optimiser *optimiser,
                                      const struct arus_expr *cond, uint32_t begin, uint32_t end,
                                      bool *out, struct arus_error *err)
{
    struct arus_exprs needed = {0};

    *out = false;
    if (arus_expr_is_volatile(cond) || arus_expr_within(cond, 0, 0)) {
        return ARUS_OK;
    }
    if (arus_expr_within(cond, begin, end)) {
        return fails_for_nulls(optimiser, cond, out, err);
    }
    ARUS_TRY(arus_optimise_infer(optimiser, cond, begin, end, &needed, err));
    *out = needed.count > 0;
    return ARUS_OK;
}

static enum arus_join_kind without_nulls(enum arus_join_kind kind, bool left, bool right)
{
    if (kind == ARUS_JOIN_FULL && left != right) {
        return left ? ARUS_JOIN_LEFT : ARUS_JOIN_RIGHT;
    }
    if ((kind == ARUS_JOIN_LEFT && right) || (kind == ARUS_JOIN_RIGHT && left) ||
        (kind == ARUS_JOIN_FULL && left && right)) {
        return ARUS_JOIN_INNER;
    }
    return kind;
}

enum arus_status arus_optimise_outer(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                     const struct arus_exprs *above, struct arus_error *err)
{
    const uint32_t left_count = plan->children[0]->schema->field_count;
    const uint32_t begins[3] = {0, left_count, UINT32_MAX};
    bool refuses[2] = {false, false};

    if (!plan->children[0]->is_streaming || !plan->children[1]->is_streaming) {
        return ARUS_OK;
    }
    for (size_t i = 0; i < above->count; i++) {
        for (int s = 0; s < 2; s++) {
            bool found = false;

            ARUS_TRY(
                refuses_nulls(optimiser, above->items[i], begins[s], begins[s + 1], &found, err));
            refuses[s] |= found;
        }
    }
    plan->join.kind = without_nulls(plan->join.kind, refuses[0], refuses[1]);
    return ARUS_OK;
}
