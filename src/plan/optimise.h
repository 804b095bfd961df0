/** Rewrites that keep results and errors, and save work. */
#ifndef ARUS_PLAN_OPTIMISE_H
#define ARUS_PLAN_OPTIMISE_H

#include "plan/logical.h"

/**
 * Folds constants, moves filters down and simple ones into scans, drops columns that nobody reads,
 * joins projections, moves limits down. The resolved plan stays as it is.
 */
ARUS_MUST_USE enum arus_status arus_optimise(struct arus_plan *plan,
                                             const struct arus_eval_env *env,
                                             struct arus_arena *arena, const struct arus_plan **out,
                                             struct arus_error *err);

#endif
