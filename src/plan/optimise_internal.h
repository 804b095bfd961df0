/** The passes of the optimiser. Each takes a tree that is its own to change. */
#ifndef ARUS_PLAN_OPTIMISE_INTERNAL_H
#define ARUS_PLAN_OPTIMISE_INTERNAL_H

#include "plan/optimise.h"
#include "plan/tree.h"

struct arus_optimiser {
    const struct arus_eval_env *env;
    struct arus_arena *arena;
};

/** Filters sink to where their columns come from; equal conditions become join keys; scans learn
 * simple ones. */
ARUS_MUST_USE enum arus_status arus_optimise_filters(struct arus_optimiser *optimiser,
                                                     struct arus_plan **inout,
                                                     struct arus_error *err);
/** Adds `x IS NOT NULL` to `out` for each column and struct field of [begin, end) that must not be
 * null for `cond` to be true, counted from `begin`; not what `out` says already. */
ARUS_MUST_USE enum arus_status arus_optimise_infer(struct arus_optimiser *optimiser,
                                                   const struct arus_expr *cond, uint32_t begin,
                                                   uint32_t end, struct arus_exprs *out,
                                                   struct arus_error *err);
/** The same for what a join needs of the rows of its streaming sides: keys, ON and, of an inner
 * join, the conditions `above` it. */
ARUS_MUST_USE enum arus_status
arus_optimise_infer_sides(struct arus_optimiser *optimiser, const struct arus_plan *plan,
                          const struct arus_exprs *above, struct arus_exprs *left,
                          struct arus_exprs *right, struct arus_error *err);
/** An outer join of two streams becomes what is left of it under the conditions `above`. */
ARUS_MUST_USE enum arus_status arus_optimise_outer(struct arus_optimiser *optimiser,
                                                   struct arus_plan *plan,
                                                   const struct arus_exprs *above,
                                                   struct arus_error *err);
/** Is `expr` never null where all of `known` are true? */
ARUS_MUST_USE enum arus_status arus_optimise_implied(struct arus_optimiser *optimiser,
                                                     const struct arus_exprs *known,
                                                     const struct arus_expr *expr, bool *out,
                                                     struct arus_error *err);
/** NOT goes inwards: NOT (a < b) is a >= b; b = true is b. NULL stays NULL. */
ARUS_MUST_USE enum arus_status arus_optimise_condition(struct arus_optimiser *optimiser,
                                                       const struct arus_expr **inout,
                                                       struct arus_error *err);
/** Columns and struct fields that nobody reads go away. */
ARUS_MUST_USE enum arus_status arus_optimise_columns(struct arus_optimiser *optimiser,
                                                     struct arus_plan **inout,
                                                     struct arus_error *err);
/** Projections on projections become one; those that change nothing go away. */
ARUS_MUST_USE enum arus_status arus_optimise_projections(struct arus_optimiser *optimiser,
                                                         struct arus_plan **inout,
                                                         struct arus_error *err);

/** Columns, fields and literals only: as cheap to compute twice as once. */
bool arus_expr_is_cheap(const struct arus_expr *expr);
/** Gives another value when computed again: rand(). */
bool arus_expr_is_volatile(const struct arus_expr *expr);
struct arus_maker arus_optimiser_maker(const struct arus_optimiser *optimiser,
                                       struct arus_place place);

#endif
