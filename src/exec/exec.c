/** Opening, running and closing a physical plan. */
#include "exec/exec.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "exec/ahead.h"
#include "exec/side.h"
#include "exec/state_rows.h"
#include "exec/stateful.h"

static enum arus_status open_stage(struct arus_exec *exec, uint32_t index, struct arus_error *err)
{
    struct arus_stage_state *stage = &exec->stages[index];
    const struct arus_stage *plan = &exec->physical->stages[index];
    void *memory;

    stage->plan = plan;
    ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_lane *, exec->thread_count, &stage->lanes, err));
    ARUS_TRY(arus_arena_array(&exec->arena, sizeof *stage->limits_left,
                              (size_t)plan->step_count + 1, &memory, err));
    stage->limits_left = memory;
    if (plan->from != ARUS_FROM_SCAN) {
        return ARUS_OK;
    }
    return plan->scan.source->ops->scan_open(plan->scan.source, plan->scan.request, &exec->arena,
                                             &stage->scan, err);
}

/* Gathers say what their tables hold; then the state is opened. */
static enum arus_status open_state(struct arus_exec *exec, struct arus_error *err)
{
    const struct arus_physical *physical = exec->physical;
    const uint32_t count = physical->operator_count;
    const uint32_t tables = arus_stateful_table(physical, count);

    ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_state_operator_config, (size_t)tables + 1,
                      &exec->state_tables, err));
    ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_event_stats,
                      (size_t)exec->thread_count * physical->watermark_count + 1,
                      &exec->event_stats, err));
    ARUS_TRY(ARUS_NEW(&exec->arena, int64_t, (size_t)count + 1, &exec->late_inputs, err));
    ARUS_TRY(ARUS_NEW(&exec->arena, int64_t, (size_t)count + 1, &exec->evict_inputs, err));
    ARUS_TRY(ARUS_NEW(&exec->arena, int64_t, (size_t)count + 1, &exec->ran_inputs, err));
    ARUS_TRY(ARUS_NEW(&exec->arena, int64_t, (size_t)count + 1, &exec->next_inputs, err));
    for (uint32_t i = 0; i < physical->gather_count; i++) {
        ARUS_TRY(arus_gather_open(exec, &exec->gathers[i], &physical->gathers[i], err));
    }
    return tables == 0 ? ARUS_OK
                       : arus_state_open(exec->state_tables, tables, 0, &exec->state, err);
}

void arus_exec_limit_state(struct arus_exec *exec, uint64_t memory_max)
{
    if (exec->state != NULL) {
        arus_state_budget(exec->state)->size_max = memory_max;
    }
}

static enum arus_status open_parts(struct arus_exec *exec, struct arus_error *err)
{
    const struct arus_physical *physical = exec->physical;

    ARUS_TRY(arus_pool_open(exec->thread_count, &exec->pool, err));
    ARUS_TRY(
        ARUS_NEW(&exec->arena, struct arus_stage_state, physical->stage_count, &exec->stages, err));
    ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_gather_state, physical->gather_count,
                      &exec->gathers, err));
    return open_state(exec, err);
}

static enum arus_status open_stages(struct arus_exec *exec, struct arus_error *err)
{
    for (uint32_t i = 0; i < exec->physical->stage_count; i++) {
        ARUS_TRY(open_stage(exec, i, err));
    }
    return ARUS_OK;
}

enum arus_status arus_exec_open(const struct arus_physical *physical,
                                const struct arus_eval_env *env, uint32_t thread_count,
                                struct arus_exec **out, struct arus_error *err)
{
    enum arus_status status = arus_exec_open_state(physical, env, thread_count, out, err);

    if (status == ARUS_OK) {
        status = open_stages(*out, err);
    }
    if (status != ARUS_OK) {
        arus_exec_close(*out);
        *out = NULL;
    }
    return status;
}

enum arus_status arus_exec_open_state(const struct arus_physical *physical,
                                      const struct arus_eval_env *env, uint32_t thread_count,
                                      struct arus_exec **out, struct arus_error *err)
{
    struct arus_exec *exec = arus_alloc(1, sizeof *exec);
    enum arus_status status;

    *out = NULL;
    if (exec == NULL) {
        return arus_fail_memory(err);
    }
    exec->physical = physical;
    exec->env = *env;
    exec->thread_count = thread_count == 0 ? arus_thread_cores() : thread_count;
    status = open_parts(exec, err);
    if (status != ARUS_OK) {
        arus_exec_close(exec);
        return status;
    }
    *out = exec;
    return ARUS_OK;
}

static void close_scan(struct arus_stage_state *stage)
{
    if (stage->scan != NULL && stage->plan->scan.source->ops->scan_close != NULL) {
        stage->plan->scan.source->ops->scan_close(stage->scan);
    }
}

void arus_exec_close(struct arus_exec *exec)
{
    if (exec == NULL) {
        return;
    }
    arus_exec_close_ahead(exec);
    for (uint32_t i = 0; exec->stages != NULL && i < exec->physical->stage_count; i++) {
        for (uint32_t w = 0; exec->stages[i].lanes != NULL && w < exec->thread_count; w++) {
            arus_lane_close(exec->stages[i].lanes[w]);
        }
        close_scan(&exec->stages[i]);
    }
    for (uint32_t i = 0; exec->gathers != NULL && i < exec->physical->gather_count; i++) {
        arus_gather_close(exec, &exec->gathers[i]);
    }
    arus_side_close(exec);
    arus_state_close(exec->state);
    arus_pool_close(exec->pool);
    arus_arena_release(&exec->run_arena);
    arus_arena_release(&exec->arena);
    arus_free(exec);
}

static const struct arus_stage_state *stream_stage(const struct arus_exec *exec, uint32_t index)
{
    for (uint32_t i = 0; i < exec->physical->stage_count; i++) {
        const struct arus_stage *plan = exec->stages[i].plan;

        if (plan->from == ARUS_FROM_SCAN && plan->scan.is_stream &&
            plan->scan.stream_index == index) {
            return &exec->stages[i];
        }
    }
    return NULL;
}

struct arus_source_scan *arus_exec_scan(const struct arus_exec *exec, uint32_t stream_index)
{
    const struct arus_stage_state *stage = stream_stage(exec, stream_index);

    ARUS_ASSERT(stage != NULL);
    return stage->scan;
}

struct arus_scan_stats arus_exec_source_stats(const struct arus_exec *exec, uint32_t stream_index)
{
    const struct arus_stage_state *stage = stream_stage(exec, stream_index);

    return stage == NULL ? (struct arus_scan_stats){0} : stage->stats;
}

uint32_t arus_exec_thread_count(const struct arus_exec *exec)
{
    return exec->thread_count;
}

enum arus_status arus_exec_parallel(struct arus_exec *exec, arus_task_fn fn, void *self,
                                    uint32_t task_count, struct arus_error *err)
{
    return arus_pool_run(exec->pool, fn, self, task_count, err);
}

/* Does a static stage have to run again: first time, or its files have changed? */
enum arus_status arus_exec_look_at_static(struct arus_exec *exec, struct arus_error *err)
{
    bool is_same = exec->is_static_ready;

    for (uint32_t i = 0; i < exec->physical->stage_count; i++) {
        struct arus_stage_state *stage = &exec->stages[i];
        uint64_t fingerprint;

        if (stage->plan->from != ARUS_FROM_SCAN || !stage->plan->is_static ||
            exec->physical->stream_count == 0) {
            continue;
        }
        ARUS_TRY(stage->plan->scan.source->ops->fingerprint(stage->scan, &fingerprint, err));
        is_same = is_same && fingerprint == stage->fingerprint;
        stage->fingerprint = fingerprint;
    }
    exec->is_static_ready = is_same && exec->physical->stream_count != 0;
    return ARUS_OK;
}

/* A gather is kept when everything that feeds it is static and unchanged. */
bool arus_exec_is_kept(const struct arus_exec *exec, uint32_t gather_index)
{
    if (!exec->is_static_ready || exec->gathers[gather_index].plan->kind == ARUS_GATHER_RESULT) {
        return false;
    }
    for (uint32_t i = 0; i < exec->physical->stage_count; i++) {
        const struct arus_stage *plan = exec->stages[i].plan;

        if (plan->target == gather_index && !plan->is_static) {
            return false;
        }
    }
    return true;
}

static void begin_run(struct arus_exec *exec)
{
    arus_arena_reset(&exec->run_arena);
    exec->output_rows = 0;
    memset(exec->event_stats, 0,
           (size_t)exec->thread_count * exec->physical->watermark_count *
               sizeof *exec->event_stats);
    arus_watermark_inputs(exec->physical, exec->run->late_watermark_ms, exec->late_inputs);
    arus_watermark_inputs(exec->physical, exec->run->watermark_ms, exec->evict_inputs);
    for (uint32_t i = 0; i < exec->physical->gather_count; i++) {
        if (!arus_exec_is_kept(exec, i)) {
            arus_gather_reset(exec, &exec->gathers[i]);
        }
    }
}

enum arus_status arus_exec_begin(struct arus_exec *exec, const struct arus_exec_run *run,
                                 struct arus_error *err)
{
    exec->run = run;
    ARUS_TRY(arus_exec_look_at_static(exec, err));
    begin_run(exec);
    return ARUS_OK;
}

static enum arus_status run_stages(struct arus_exec *exec, uint32_t first, struct arus_error *err)
{
    for (uint32_t i = first; i < exec->physical->stage_count; i++) {
        if (!arus_exec_is_kept(exec, exec->stages[i].plan->target)) {
            ARUS_TRY(arus_stage_run(exec, i, err));
        }
        if (arus_exec_is_stopped(exec)) {
            return arus_fail(err, ARUS_RETRY, NULL, "stopped");
        }
    }
    return ARUS_OK;
}

static void add_fates(struct arus_fates *sum, const struct arus_fates *more)
{
    sum->taken += more->taken;
    sum->late += more->late;
    sum->filtered += more->filtered;
    sum->duplicate += more->duplicate;
}

static void sum_up(const struct arus_exec *exec, struct arus_exec_stats *stats)
{
    *stats = (struct arus_exec_stats){.output_rows = exec->output_rows};
    for (uint32_t i = 0; i < exec->physical->stage_count; i++) {
        const struct arus_stage_state *stage = &exec->stages[i];

        if (stage->plan->from == ARUS_FROM_SCAN && stage->plan->scan.is_stream) {
            stats->input_rows += stage->stats.row_count;
            stats->input_rows += stage->stats.rejected_count;
            stats->input_bytes += stage->stats.byte_count;
            stats->fates.rejected += stage->stats.rejected_count;
            add_fates(&stats->fates, &stage->fates);
        }
    }
    for (uint32_t i = 0; i < exec->physical->gather_count; i++) {
        if (exec->gathers[i].stateful != NULL) {
            add_fates(&stats->fates, &exec->gathers[i].stateful->fates);
        }
    }
}

enum arus_status arus_exec_run(struct arus_exec *exec, const struct arus_exec_run *run,
                               const struct arus_consumer *consumer, struct arus_exec_stats *stats,
                               struct arus_error *err)
{
    const struct arus_error *refusal = exec->physical->refusal;
    enum arus_status status;
    uint32_t stages_done;

    if (refusal != NULL) {
        *err = *refusal;
        return refusal->status;
    }
    ARUS_TRY(arus_exec_take_ahead(exec, run, &stages_done, err));
    exec->run = run;
    exec->consumer = consumer;
    if (stages_done == 0) {
        ARUS_TRY(arus_exec_begin(exec, run, err));
    }
    if (exec->state != NULL) {
        arus_state_encode_begin(exec->state);
    }
    ARUS_TRY(arus_side_begin(exec, err));
    status = run_stages(exec, stages_done, err);
    if (status == ARUS_OK) {
        status = arus_side_end(exec, err);
    }
    sum_up(exec, stats);
    exec->is_static_ready = status == ARUS_OK;
    return status;
}
