/** The next run's part before the state - reading, decoding, keys and groups of its rows - on a
 * thread of its own, while whoever runs the query makes the run before it durable. */
#include "exec/ahead.h"

#include "exec/stateful.h"

/* A stage whose rows wait in a stateful gather: nothing leaves the exec, no state is touched. */
static bool is_before_state(const struct arus_exec *exec, const struct arus_stage *plan)
{
    const struct arus_gather_state *target = &exec->gathers[plan->target];

    return plan->from == ARUS_FROM_SCAN && plan->scan.is_stream && target->stateful != NULL &&
           target->plan->kind != ARUS_GATHER_LIMIT;
}

static enum arus_status run_ahead(void *self, struct arus_error *err)
{
    struct arus_exec *exec = self;
    struct arus_exec_ahead *ahead = &exec->ahead;

    ARUS_TRY(arus_exec_begin(exec, &ahead->run, err));
    for (ahead->stage_count = 0; ahead->stage_count < exec->physical->stage_count;
         ahead->stage_count++) {
        const struct arus_stage *plan = exec->stages[ahead->stage_count].plan;

        if (arus_exec_is_kept(exec, plan->target)) {
            continue;
        }
        if (!is_before_state(exec, plan)) {
            return ARUS_OK;
        }
        ARUS_TRY(arus_stage_run(exec, ahead->stage_count, err));
        if (arus_exec_is_stopped(exec)) {
            return arus_fail(err, ARUS_RETRY, NULL, "stopped");
        }
    }
    return ARUS_OK;
}

bool arus_exec_can_run_ahead(const struct arus_exec *exec)
{
    return exec->state != NULL && exec->thread_count > 1 && exec->physical->refusal == NULL &&
           exec->physical->stage_count != 0 && exec->is_static_ready;
}

enum arus_status arus_exec_run_ahead(struct arus_exec *exec, const struct arus_exec_run *run,
                                     struct arus_error *err)
{
    struct arus_exec_ahead *ahead = &exec->ahead;

    arus_exec_forget_ahead(exec);
    if (ahead->thread == NULL) {
        ARUS_TRY(arus_background_open(&ahead->thread, err));
    }
    ahead->run = *run;
    ahead->run.live = NULL; /* its batch has not begun */
    ARUS_TRY(arus_background_start(ahead->thread, run_ahead, exec, err));
    ahead->is_begun = true;
    return ARUS_OK;
}

void arus_exec_forget_ahead(struct arus_exec *exec)
{
    struct arus_error ignored;

    if (exec->ahead.is_begun) {
        arus_ignore(arus_background_wait(exec->ahead.thread, &ignored));
        exec->ahead.is_begun = false;
    }
}

/* Do both runs read the same bytes? */
static bool has_same_splits(const struct arus_exec *exec, const struct arus_exec_run *run)
{
    for (uint32_t i = 0; i < exec->physical->stage_count; i++) {
        const struct arus_stage *plan = exec->stages[i].plan;

        if (plan->from == ARUS_FROM_SCAN && plan->scan.is_stream &&
            (plan->scan.source->ops->splits_equal == NULL ||
             !plan->scan.source->ops->splits_equal(
                 &run->streams[plan->scan.stream_index],
                 &exec->ahead.run.streams[plan->scan.stream_index]))) {
            return false;
        }
    }
    return true;
}

static bool is_same_run(const struct arus_exec *exec, const struct arus_exec_run *run)
{
    const struct arus_exec_run *ahead = &exec->ahead.run;

    return run->side == NULL && run->now_micros == ahead->now_micros &&
           run->watermark_ms == ahead->watermark_ms &&
           run->late_watermark_ms == ahead->late_watermark_ms && has_same_splits(exec, run);
}

/* What was done ahead shows in the numbers of the batch at once. */
static void show(const struct arus_exec *exec, struct arus_exec_live *live)
{
    for (uint32_t i = 0; live != NULL && i < exec->ahead.stage_count; i++) {
        const struct arus_stage_state *stage = &exec->stages[i];

        if (is_before_state(exec, stage->plan)) {
            const uint32_t task_count =
                (uint32_t)exec->ahead.run.streams[stage->plan->scan.stream_index].count;

            atomic_fetch_add_explicit(&live->row_count, stage->stats.row_count,
                                      memory_order_relaxed);
            atomic_fetch_add_explicit(&live->task_count, task_count, memory_order_relaxed);
            atomic_fetch_add_explicit(&live->task_done, task_count, memory_order_relaxed);
        }
    }
}

enum arus_status arus_exec_take_ahead(struct arus_exec *exec, const struct arus_exec_run *run,
                                      uint32_t *stages_done, struct arus_error *err)
{
    struct arus_error failure;
    enum arus_status status;

    *stages_done = 0;
    if (!exec->ahead.is_begun) {
        return ARUS_OK;
    }
    exec->ahead.is_begun = false;
    status = arus_background_wait(exec->ahead.thread, &failure);
    if (status != ARUS_OK || !is_same_run(exec, run)) {
        return ARUS_OK; /* an error shows again where it belongs */
    }
    ARUS_TRY(arus_exec_look_at_static(exec, err));
    if (exec->is_static_ready) {
        *stages_done = exec->ahead.stage_count;
        show(exec, run->live);
    }
    return ARUS_OK;
}

void arus_exec_close_ahead(struct arus_exec *exec)
{
    arus_exec_forget_ahead(exec);
    arus_background_close(exec->ahead.thread);
    exec->ahead.thread = NULL;
}
