/** What the physical*.c files share: a plan on its way to stages. */
#ifndef ARUS_PLAN_PHYSICAL_INTERNAL_H
#define ARUS_PLAN_PHYSICAL_INTERNAL_H

#include "plan/list.h"
#include "plan/physical.h"
#include "plan/tree.h"

/* A stage that has no target yet. */
struct arus_open_stage {
    struct arus_stage stage;
    struct arus_list steps;
    bool is_streaming;
};

struct arus_open_stages {
    struct arus_open_stage *items;
    size_t count;
    size_t capacity;
};

struct arus_stage_builder {
    struct arus_arena *arena;
    const struct arus_eval_env *env;
    struct arus_physical_rules rules;
    struct arus_physical *physical;
    struct arus_stage *stages;
    size_t stage_capacity;
    struct arus_gather *gathers;
    size_t gather_capacity;
    const struct arus_plan **stateful;   /* [operator_count] nodes by id */
    struct arus_state_operator **states; /* [operator_count] by id */
};

/* physical.c */
ARUS_MUST_USE enum arus_status arus_build_stages(struct arus_stage_builder *builder,
                                                 const struct arus_plan *plan,
                                                 struct arus_open_stages *out,
                                                 struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_build_program(struct arus_stage_builder *builder,
                                                  const struct arus_exprs *exprs,
                                                  const struct arus_program **program,
                                                  const struct arus_type **schema,
                                                  struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_add_gather(struct arus_stage_builder *builder,
                                               const struct arus_gather *gather, uint32_t *index,
                                               struct arus_error *err);
/* The open stages end in a gather. */
ARUS_MUST_USE enum arus_status arus_end_stages(struct arus_stage_builder *builder,
                                               const struct arus_open_stages *list, uint32_t gather,
                                               uint32_t side, struct arus_error *err);
/* *list: one new stage that reads the gather. */
ARUS_MUST_USE enum arus_status arus_read_gather(struct arus_stage_builder *builder, uint32_t gather,
                                                bool is_ordered, bool is_streaming,
                                                struct arus_open_stages *list,
                                                struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_join_is_null_safe(struct arus_stage_builder *builder,
                                                      const struct arus_plan *plan,
                                                      const bool **out, struct arus_error *err);

/* physical_state.c */

/* Numbers the stateful operators: top-down, left before right, as Spark does. */
ARUS_MUST_USE enum arus_status arus_number_operators(struct arus_stage_builder *builder,
                                                     const struct arus_plan *plan,
                                                     struct arus_error *err);
/* The state of an AGGREGATE or LIMIT; NULL: it keeps nothing. */
ARUS_MUST_USE enum arus_status arus_state_of_groups(struct arus_stage_builder *builder,
                                                    const struct arus_plan *plan,
                                                    const struct arus_state_operator **out,
                                                    struct arus_error *err);
const struct arus_state_operator *arus_state_of_limit(struct arus_stage_builder *builder,
                                                      const struct arus_plan *plan);
ARUS_MUST_USE enum arus_status arus_build_dedup(struct arus_stage_builder *builder,
                                                const struct arus_plan *plan,
                                                struct arus_open_stages *out,
                                                struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_build_stream_join(struct arus_stage_builder *builder,
                                                      const struct arus_plan *plan,
                                                      struct arus_open_stages *out,
                                                      struct arus_error *err);

#endif
