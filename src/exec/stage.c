/** One stage: its source cut into tasks, each task's rows pushed through the steps on a worker's
 * lane. */
#include "base/alloc.h"
#include "exec/fate.h"
#include "exec/side.h"

static enum arus_status open_lane(struct arus_exec *exec, uint32_t stage_index, uint32_t worker,
                                  struct arus_lane **out, struct arus_error *err)
{
    const struct arus_stage *plan = exec->stages[stage_index].plan;
    struct arus_lane *lane = arus_alloc(1, sizeof *lane);

    *out = lane;
    if (lane == NULL) {
        return arus_fail_memory(err);
    }
    lane->exec = exec;
    lane->stage_index = stage_index;
    lane->worker = worker;
    lane->step_states = arus_alloc((size_t)plan->step_count + 1, sizeof(void *));
    lane->condition_states = arus_alloc((size_t)plan->step_count + 1, sizeof(void *));
    lane->origins = arus_alloc((size_t)plan->step_count + 2, sizeof *lane->origins);
    if (lane->step_states == NULL || lane->condition_states == NULL || lane->origins == NULL) {
        arus_free(lane->step_states);
        arus_free(lane->condition_states);
        arus_free(lane->origins);
        arus_free(lane);
        *out = NULL;
        return arus_fail_memory(err);
    }
    arus_fate_open(lane);
    return ARUS_OK;
}

void arus_lane_close(struct arus_lane *lane)
{
    const struct arus_stage_state *stage;

    if (lane == NULL) {
        return;
    }
    stage = &lane->exec->stages[lane->stage_index];
    for (uint32_t i = 0; i < stage->plan->step_count; i++) {
        arus_program_state_close(lane->step_states[i]);
        arus_program_state_close(lane->condition_states[i]);
    }
    arus_program_state_close(lane->gather_state);
    arus_program_state_close(lane->side_state);
    if (lane->scan != NULL) {
        stage->plan->scan.source->ops->worker_close(lane->scan);
    }
    arus_arena_release(&lane->step);
    arus_free(lane->source_times);
    arus_free(lane->origins);
    arus_free(lane->step_states);
    arus_free(lane->condition_states);
    arus_free(lane);
}

/* The tasks of a stage that runs now. */
struct tasks {
    struct arus_exec *exec;
    struct arus_stage_state *stage;
    uint32_t stage_index;
    struct arus_splits splits;     /* FROM_SCAN */
    const struct arus_batch *rows; /* FROM_VALUES, FROM_GATHER, FROM_BUILD_REST: cut into windows */
    uint32_t row_count;
    const struct arus_batch *pieces; /* FROM_GATHER with state */
    struct window *windows;          /* [count] of the pieces */
    uint32_t count;
};

/* Rows [begin, begin + count) of a piece: at most ARUS_BATCH_ROWS. */
struct window {
    uint32_t piece;
    uint32_t begin;
    uint32_t count;
};

/* What other threads may see of a streaming stage; NULL: nothing. */
static struct arus_exec_live *live_of(const struct arus_exec *exec, const struct arus_stage *plan)
{
    return plan->from == ARUS_FROM_SCAN && plan->scan.is_stream ? exec->run->live : NULL;
}

static enum arus_status run_split(struct arus_lane *lane, const struct arus_split *split,
                                  struct arus_error *err)
{
    struct arus_stage_state *stage = &lane->exec->stages[lane->stage_index];
    const struct arus_source_ops *ops = stage->plan->scan.source->ops;
    struct arus_exec_live *live = live_of(lane->exec, stage->plan);
    struct arus_batch batch;

    if (lane->scan == NULL) {
        ARUS_TRY(ops->worker_open(stage->scan, &lane->scan, err));
        arus_side_watch(lane);
    }
    ARUS_TRY(ops->worker_start(lane->scan, split, err));
    while (!arus_steps_is_full(lane) && !arus_pool_is_needless(lane->exec->pool, lane->task)) {
        ARUS_TRY(ops->worker_next(lane->scan, &batch, err));
        if (batch.row_count == 0) {
            break;
        }
        lane->row_count += batch.row_count;
        if (live != NULL) {
            atomic_fetch_add_explicit(&live->row_count, batch.row_count, memory_order_relaxed);
        }
        arus_arena_reset(&lane->step);
        ARUS_TRY(arus_fate_begin(lane, batch.row_count, err));
        ARUS_TRY(arus_steps_push(lane, 0, &batch, err));
        ARUS_TRY(arus_fate_end(lane, err));
    }
    if (live != NULL) {
        atomic_fetch_add_explicit(&live->task_done, 1, memory_order_relaxed);
    }
    return ARUS_OK;
}

static enum arus_status run_window(struct arus_lane *lane, const struct tasks *tasks, uint32_t task,
                                   struct arus_error *err)
{
    const struct arus_stage *plan = tasks->stage->plan;
    const uint32_t begin = task * ARUS_BATCH_ROWS;
    const uint32_t left = tasks->row_count - begin;
    const uint32_t count = left < ARUS_BATCH_ROWS ? left : ARUS_BATCH_ROWS;
    struct arus_batch window;

    arus_arena_reset(&lane->step);
    if (plan->from == ARUS_FROM_BUILD_REST) {
        return arus_probe_rest(lane, &lane->exec->gathers[plan->gather.index], plan->gather.probe,
                               begin, count, err);
    }
    ARUS_TRY(arus_batch_window(tasks->rows, begin, count, &lane->step, &window, err));
    window.schema = plan->input;
    return arus_steps_push(lane, 0, &window, err);
}

static enum arus_status run_piece(struct arus_lane *lane, const struct tasks *tasks, uint32_t task,
                                  struct arus_error *err)
{
    const struct window *window = &tasks->windows[task];
    const struct arus_batch *piece = &tasks->pieces[window->piece];
    struct arus_batch batch = *piece;

    arus_arena_reset(&lane->step);
    if (window->count < piece->row_count) { /* large pieces are FLAT or CONSTANT */
        ARUS_TRY(arus_batch_window(piece, window->begin, window->count, &lane->step, &batch, err));
    }
    batch.schema = tasks->stage->plan->input;
    return arus_steps_push(lane, 0, &batch, err);
}

static enum arus_status run_range(struct arus_lane *lane, const struct arus_stage *plan,
                                  uint32_t task, struct arus_error *err)
{
    const int64_t first = (int64_t)task * ARUS_BATCH_ROWS;
    struct arus_batch batch;
    int64_t *values;
    uint32_t count = 0;

    arus_arena_reset(&lane->step);
    ARUS_TRY(arus_batch_init(&batch, plan->input, ARUS_BATCH_ROWS, &lane->step, err));
    values = batch.columns[0].values;
    for (; count < ARUS_BATCH_ROWS; count++) {
        const arus_int128 value =
            plan->range.start + (arus_int128)(first + count) * plan->range.step;

        if (plan->range.step > 0 ? value >= plan->range.end : value <= plan->range.end) {
            break;
        }
        values[count] = (int64_t)value;
    }
    batch.row_count = count;
    batch.columns[0].row_count = count;
    return count == 0 ? ARUS_OK : arus_steps_push(lane, 0, &batch, err);
}

static enum arus_status run_task(void *self, uint32_t task, uint32_t worker, struct arus_error *err)
{
    struct tasks *tasks = self;
    struct arus_stage_state *stage = tasks->stage;
    struct arus_lane *lane = stage->lanes[worker];

    if (lane == NULL) {
        ARUS_TRY(open_lane(tasks->exec, tasks->stage_index, worker, &stage->lanes[worker], err));
        lane = stage->lanes[worker];
    }
    lane->task = task;
    if (arus_steps_is_full(lane)) {
        return ARUS_OK;
    }
    if (tasks->windows != NULL) {
        return run_piece(lane, tasks, task, err);
    }
    if (stage->plan->from == ARUS_FROM_SCAN) {
        return run_split(lane, tasks->splits.items[task], err);
    }
    if (stage->plan->from == ARUS_FROM_RANGE) {
        return run_range(lane, stage->plan, task, err);
    }
    return run_window(lane, tasks, task, err);
}

static uint32_t range_tasks(const struct arus_stage *plan)
{
    const arus_int128 distance = (arus_int128)plan->range.end - plan->range.start;
    const arus_int128 rows = plan->range.step == 0 ? 0 : distance / plan->range.step + 1;

    return rows <= 0 ? 0 : (uint32_t)((rows + ARUS_BATCH_ROWS - 1) / ARUS_BATCH_ROWS);
}

static enum arus_status find_windows(struct tasks *tasks, const struct arus_gather_state *from,
                                     struct arus_error *err)
{
    size_t most = 1;

    for (uint32_t i = 0; i < from->piece_count; i++) {
        most += from->pieces[i].row_count / ARUS_BATCH_ROWS + 1;
    }
    ARUS_TRY(ARUS_NEW(&tasks->exec->run_arena, struct window, most, &tasks->windows, err));
    tasks->pieces = from->pieces;
    for (uint32_t i = 0; i < from->piece_count; i++) {
        for (uint32_t at = 0; at < from->pieces[i].row_count; at += ARUS_BATCH_ROWS) {
            const uint32_t left = from->pieces[i].row_count - at;

            tasks->windows[tasks->count++] =
                (struct window){i, at, left < ARUS_BATCH_ROWS ? left : ARUS_BATCH_ROWS};
        }
    }
    return ARUS_OK;
}

static enum arus_status find_tasks(struct tasks *tasks, struct arus_error *err)
{
    struct arus_exec *exec = tasks->exec;
    const struct arus_stage *plan = tasks->stage->plan;
    struct arus_gather_state *from;

    switch (plan->from) {
    case ARUS_FROM_SCAN:
        if (plan->scan.is_stream && exec->run->streams != NULL) {
            tasks->splits = exec->run->streams[plan->scan.stream_index];
        } else {
            ARUS_TRY(plan->scan.source->ops->list(tasks->stage->scan, exec->thread_count,
                                                  &exec->run_arena, &tasks->splits, err));
        }
        tasks->count = (uint32_t)tasks->splits.count;
        return ARUS_OK;
    case ARUS_FROM_VALUES:
        tasks->rows = plan->values;
        tasks->row_count = plan->values->row_count;
        break;
    case ARUS_FROM_RANGE:
        tasks->count = range_tasks(plan);
        return ARUS_OK;
    case ARUS_FROM_GATHER:
        from = &exec->gathers[plan->gather.index];
        ARUS_TRY(arus_gather_finish(exec, from, err));
        if (from->pieces != NULL && from->stateful != NULL &&
            from->plan->kind != ARUS_GATHER_LIMIT) {
            return find_windows(tasks, from, err);
        }
        tasks->rows = &from->result;
        tasks->row_count = from->result.row_count;
        break;
    case ARUS_FROM_BUILD_REST:
        tasks->row_count = exec->gathers[plan->gather.index].join.row_count;
        break;
    }
    tasks->count = (tasks->row_count + ARUS_BATCH_ROWS - 1) / ARUS_BATCH_ROWS;
    return ARUS_OK;
}

static enum arus_status finish_builds(struct arus_exec *exec, const struct arus_stage *plan,
                                      struct arus_error *err)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (plan->steps[i]->kind == ARUS_STEP_PROBE) {
            ARUS_TRY(arus_gather_finish(exec, &exec->gathers[plan->steps[i]->probe.build], err));
        }
    }
    return ARUS_OK;
}

/* One worker only: an order to keep, or sets of distinct values that cannot be added up. */
static bool is_serial(const struct arus_exec *exec, const struct arus_stage *plan)
{
    const struct arus_gather *target = &exec->physical->gathers[plan->target];

    if (plan->is_ordered || target->kind == ARUS_GATHER_LIMIT) {
        return true;
    }
    if (target->kind == ARUS_GATHER_RESULT) {
        return exec->consumer->is_ordered;
    }
    for (uint32_t i = 0; target->kind == ARUS_GATHER_AGGREGATE && i < target->aggregate.item_count;
         i++) {
        if (target->aggregate.items[i].is_distinct) {
            return true;
        }
    }
    return false;
}

static void begin_counts(struct arus_stage_state *stage, uint32_t thread_count)
{
    for (uint32_t i = 0; i < stage->plan->step_count; i++) {
        if (stage->plan->steps[i]->kind == ARUS_STEP_LIMIT) {
            stage->limits_left[i] = stage->plan->steps[i]->limit;
        }
    }
    for (uint32_t i = 0; i < thread_count; i++) {
        struct arus_lane *lane = stage->lanes[i];

        if (lane != NULL) {
            lane->row_count = 0;
            lane->fates = (struct arus_fates){0};
            if (lane->scan != NULL) {
                stage->plan->scan.source->ops->worker_stats(lane->scan, &lane->scan_base);
            }
        }
    }
}

static void end_counts(struct arus_stage_state *stage, uint32_t thread_count)
{
    stage->stats = (struct arus_scan_stats){0};
    stage->fates = (struct arus_fates){0};
    for (uint32_t i = 0; i < thread_count; i++) {
        const struct arus_lane *lane = stage->lanes[i];
        struct arus_scan_stats now = {0};

        if (lane == NULL) {
            continue;
        }
        if (lane->scan != NULL) {
            stage->plan->scan.source->ops->worker_stats(lane->scan, &now);
        }
        stage->stats.row_count += lane->row_count;
        stage->fates.taken += lane->fates.taken;
        stage->fates.late += lane->fates.late;
        stage->fates.filtered += lane->fates.filtered;
        stage->stats.rejected_count += now.rejected_count - lane->scan_base.rejected_count;
        stage->stats.byte_count += now.byte_count - lane->scan_base.byte_count;
    }
}

static enum arus_status run_serially(struct tasks *tasks, struct arus_error *err)
{
    for (uint32_t task = 0; task < tasks->count; task++) {
        ARUS_TRY(run_task(tasks, task, 0, err));
    }
    return ARUS_OK;
}

enum arus_status arus_stage_run(struct arus_exec *exec, uint32_t stage_index,
                                struct arus_error *err)
{
    struct arus_stage_state *stage = &exec->stages[stage_index];
    struct tasks tasks = {.exec = exec, .stage = stage, .stage_index = stage_index};

    ARUS_TRY(finish_builds(exec, stage->plan, err));
    ARUS_TRY(find_tasks(&tasks, err));
    begin_counts(stage, exec->thread_count);
    if (live_of(exec, stage->plan) != NULL) {
        atomic_fetch_add_explicit(&exec->run->live->task_count, tasks.count, memory_order_relaxed);
    }
    if (is_serial(exec, stage->plan) || tasks.count == 1) {
        ARUS_TRY(run_serially(&tasks, err));
    } else if (tasks.count != 0) {
        ARUS_TRY(arus_pool_run(exec->pool, run_task, &tasks, tasks.count, err));
    }
    end_counts(stage, exec->thread_count);
    return ARUS_OK;
}
