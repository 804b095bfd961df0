/** What the files of exec share: the states of stages and gathers, and the lanes of workers. */
#ifndef ARUS_EXEC_EXEC_INTERNAL_H
#define ARUS_EXEC_EXEC_INTERNAL_H

#include "base/thread.h"
#include "column/builder.h"
#include "column/row_store.h"
#include "exec/distinct.h"
#include "exec/exec.h"
#include "exec/group_table.h"
#include "exec/join_table.h"
#include "expr/agg_heap.h"
#include "state/state.h"

#include <stdatomic.h>

struct arus_exec;
struct arus_fate_rows;
struct arus_json_encoder;
struct arus_side_rows;

/** What one worker needs to run one stage: registers and scratch, kept from run to run. */
struct arus_lane {
    struct arus_exec *exec;
    uint32_t stage_index;
    uint32_t worker;
    struct arus_scan_worker *scan;           /* FROM_SCAN; NULL until the first split */
    struct arus_program_state **step_states; /* [step_count]; NULL where a step has no program */
    struct arus_program_state **condition_states; /* [step_count] PROBE conditions */
    struct arus_program_state *gather_state;
    struct arus_program_state *side_state; /* JOIN gathers: the condition of the side */
    uint32_t task;                         /* that runs now: the order of the input */
    struct arus_arena step;                /* reset before each source batch */
    uint32_t at;                           /* the step that works now; step_count: the gather */
    const uint32_t **origins;         /* [step_count + 1] rows of a step's input in that of the step
                                         before; NULL: the same rows. Followed back after a failure */
    bool is_source;                   /* its rows are those of a stream */
    bool fans_out;                    /* steps may make several rows of one */
    struct arus_fates fates;          /* of the rows of this run */
    struct arus_fate_rows *fate_rows; /* of the source batch at hand; fans_out only */
    const struct arus_batch *source;  /* the batch at hand, as it entered the first step */
    struct arus_bad_records bad;      /* tells this lane */
    int64_t *source_times; /* [ARUS_BATCH_ROWS] event times by row of `source`; NULL: not noted */
    bool has_times;        /* … of the batch at hand */
    uint64_t row_count;    /* rows the source gave in this run */
    struct arus_scan_stats scan_base; /* stats of `scan` when the run began */
};

/** One worker's groups. */
struct arus_group_lane {
    struct arus_group_table groups;
    struct arus_distinct *distinct; /* [item_count]; only DISTINCT items are used */
    struct arus_agg_heap *heap;
    uint32_t many_left; /* batches until it is looked again whether they have few keys */
    bool is_open;
};

/** Where stages end. Per worker until it is finished, then `rows` or `join`. */
struct arus_gather_state {
    const struct arus_gather *plan;
    struct arus_row_store *rows;    /* [thread_count]: SORT, LIMIT, BUILD */
    struct arus_row_store *keys;    /* [thread_count]: SORT, BUILD */
    struct arus_group_lane *groups; /* [thread_count]: AGGREGATE */
    uint32_t *offsets;              /* [item_count] of each aggregate's state */
    size_t stride;
    struct arus_batch result; /* finished rows, FLAT, any number */
    struct arus_batch
        *pieces; /* [piece_count] finished rows of a stateful gather instead; in the run's arena */
    uint32_t piece_count;
    struct arus_stateful
        *stateful; /* keeps state between micro-batches: exec/stateful.h; or NULL */
    struct arus_join_table join;
    struct arus_arena arena; /* of result */
    _Atomic int64_t taken;   /* LIMIT: rows taken so far */
    bool is_finished;
};

struct arus_stage_state {
    const struct arus_stage *plan;
    struct arus_source_scan *scan;           /* FROM_SCAN */
    struct arus_lane **lanes;                /* [thread_count], made when first used */
    _Atomic int64_t *limits_left;            /* [step_count] LIMIT steps */
    struct arus_fates fates;                 /* of the last run */
    uint64_t fingerprint;                    /* of a static scan when it was last read */
    struct arus_scan_stats stats;            /* of the last run */
    const struct arus_json_encoder *encoder; /* of its source's rows, for side tables; or NULL */
};

/** What was begun of the next run: ahead.c. */
struct arus_exec_ahead {
    struct arus_background *thread; /* NULL: never needed */
    struct arus_exec_run run;
    uint32_t stage_count; /* from the first on, that are done */
    bool is_begun;
};

struct arus_exec {
    const struct arus_physical *physical;
    struct arus_eval_env env;
    struct arus_pool *pool;
    uint32_t thread_count;
    struct arus_stage_state *stages;
    struct arus_gather_state *gathers;
    struct arus_arena arena;     /* lives as long as the exec */
    struct arus_arena run_arena; /* splits of batch scans; reset by each run */
    bool is_static_ready;        /* static gathers are made */
    struct arus_state *state;    /* of all stateful gathers; NULL: there is none */
    struct arus_state_operator_config *state_tables; /* what `state` was opened with */
    struct arus_event_stats *event_stats; /* [thread_count * watermark_count] of the last run */
    struct arus_side_rows *sides; /* [thread_count * ARUS_SIDE_COUNT]; NULL: none was needed */
    int64_t *late_inputs;         /* [operator_count] watermark in ms that makes rows late */
    int64_t *evict_inputs;        /* [operator_count] that lets state go */
    int64_t *ran_inputs;          /* [operator_count] scratch of arus_exec_wants_batch, which */
    int64_t *next_inputs;         /* may be asked while the next run has begun */
    /* of the run that goes on */
    const struct arus_exec_run *run;
    const struct arus_consumer *consumer;
    _Atomic uint64_t output_rows;
    struct arus_exec_ahead ahead;
};

/* stage.c */
ARUS_MUST_USE enum arus_status arus_stage_run(struct arus_exec *exec, uint32_t stage_index,
                                              struct arus_error *err);
void arus_lane_close(struct arus_lane *lane);

/* steps.c: passes a batch through steps from `step` on, and at the end into the gather. */
ARUS_MUST_USE enum arus_status arus_steps_push(struct arus_lane *lane, uint32_t step,
                                               const struct arus_batch *batch,
                                               struct arus_error *err);
/** Has whoever runs it asked for an early end? */
static inline bool arus_exec_is_stopped(const struct arus_exec *exec)
{
    return exec->run->stop != NULL && *exec->run->stop >= exec->run->stop_at;
}

/** True when every further row would be thrown away (LIMIT reached, stop asked for). */
bool arus_steps_is_full(const struct arus_lane *lane);

/* probe.c */
ARUS_MUST_USE enum arus_status arus_probe_push(struct arus_lane *lane, uint32_t step,
                                               const struct arus_batch *batch,
                                               struct arus_error *err);
/** Build rows without a match as rows of the probe's output: tasks of a BUILD_REST stage. */
ARUS_MUST_USE enum arus_status arus_probe_rest(struct arus_lane *lane,
                                               const struct arus_gather_state *build,
                                               const struct arus_step *probe, uint32_t begin,
                                               uint32_t count, struct arus_error *err);

/* gather.c */
ARUS_MUST_USE enum arus_status arus_gather_open(struct arus_exec *exec,
                                                struct arus_gather_state *gather,
                                                const struct arus_gather *plan,
                                                struct arus_error *err);
/** Takes rows on a worker's thread. */
ARUS_MUST_USE enum arus_status
arus_gather_add(struct arus_lane *lane, const struct arus_batch *batch, struct arus_error *err);
/** All rows are in: makes `result` or `join`. Does nothing the second time. */
ARUS_MUST_USE enum arus_status arus_gather_finish(struct arus_exec *exec,
                                                  struct arus_gather_state *gather,
                                                  struct arus_error *err);
/** Ready for the next run. */
void arus_gather_reset(struct arus_exec *exec, struct arus_gather_state *gather);
void arus_gather_close(struct arus_exec *exec, struct arus_gather_state *gather);

/* group.c: the AGGREGATE gather */

/** Where rows of groups go. */
struct arus_group_target {
    unsigned char *states;
    struct arus_agg_heap *heap;
    struct arus_distinct *distinct; /* [item_count] of DISTINCT items; NULL: there are none */
};
/** Adds the rows to the states of their groups. */
ARUS_MUST_USE enum arus_status
arus_group_update(struct arus_lane *lane, struct arus_gather_state *gather,
                  const struct arus_vector *columns, const uint32_t *groups, uint32_t row_count,
                  const struct arus_group_target *target, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_group_add(struct arus_lane *lane,
                                              struct arus_gather_state *gather,
                                              const struct arus_vector *columns, uint32_t row_count,
                                              struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_group_finish(struct arus_exec *exec, struct arus_gather_state *gather, struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_group_plan(struct arus_exec *exec, struct arus_gather_state *gather, struct arus_error *err);
void arus_group_lane_release(struct arus_group_lane *lane, uint32_t item_count);

/* session.c: merges sessions that touch; *kept are the groups that are left, in order */
ARUS_MUST_USE enum arus_status arus_session_merge(struct arus_exec *exec,
                                                  struct arus_gather_state *gather,
                                                  struct arus_group_lane *lane,
                                                  const uint32_t **kept, uint32_t *kept_count,
                                                  struct arus_error *err);

/* sort.c */
ARUS_MUST_USE enum arus_status
arus_sort_finish(struct arus_exec *exec, struct arus_gather_state *gather, struct arus_error *err);

/** Runs a program over a batch of the step that works now (lane->at); a failing row's origin goes
 * into err->row. */
ARUS_MUST_USE enum arus_status arus_lane_run(struct arus_lane *lane,
                                             const struct arus_program *program,
                                             struct arus_program_state **state,
                                             const struct arus_batch *batch,
                                             struct arus_vector *out, struct arus_error *err);

#endif
