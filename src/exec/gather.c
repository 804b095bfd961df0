/** Where stages end: collecting rows per worker, and making one result of them. */
#include "base/alloc.h"
#include "exec/fate.h"
#include "exec/stateful.h"

enum arus_status arus_gather_open(struct arus_exec *exec, struct arus_gather_state *gather,
                                  const struct arus_gather *plan, struct arus_error *err)
{
    const uint32_t count = exec->thread_count;

    gather->plan = plan;
    if (plan->state != NULL) {
        ARUS_TRY(arus_stateful_open(exec, gather, err));
        if (plan->kind != ARUS_GATHER_LIMIT) {
            return ARUS_OK;
        }
    }
    switch (plan->kind) {
    case ARUS_GATHER_AGGREGATE:
        ARUS_TRY(arus_group_plan(exec, gather, err));
        return ARUS_NEW(&exec->arena, struct arus_group_lane, count, &gather->groups, err);
    case ARUS_GATHER_SORT:
    case ARUS_GATHER_BUILD:
        ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_row_store, count, &gather->keys, err));
        return ARUS_NEW(&exec->arena, struct arus_row_store, count, &gather->rows, err);
    case ARUS_GATHER_LIMIT:
        return ARUS_NEW(&exec->arena, struct arus_row_store, count, &gather->rows, err);
    case ARUS_GATHER_DEDUP:
    case ARUS_GATHER_JOIN:
    case ARUS_GATHER_RESULT:
        return ARUS_OK;
    }
    return ARUS_OK;
}

static enum arus_status run_program(struct arus_lane *lane, const struct arus_gather *plan,
                                    const struct arus_batch *batch, struct arus_batch *out,
                                    struct arus_error *err)
{
    *out = (struct arus_batch){.schema = plan->program_schema, .row_count = batch->row_count};
    if (plan->program == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, plan->program_schema->field_count,
                      &out->columns, err));
    return arus_lane_run(lane, plan->program, &lane->gather_state, batch, out->columns, err);
}

static enum arus_status add_rows(struct arus_lane *lane, struct arus_gather_state *gather,
                                 const struct arus_batch *batch, struct arus_error *err)
{
    const struct arus_gather *plan = gather->plan;
    struct arus_batch keys;

    if (plan->program != NULL) {
        ARUS_TRY(run_program(lane, plan, batch, &keys, err));
        ARUS_TRY(arus_row_store_add(&gather->keys[lane->worker], &keys, err));
    }
    arus_fate_take(lane, NULL, batch->row_count);
    return arus_row_store_add(&gather->rows[lane->worker], batch, err);
}

/* Rows skip..skip+limit of all that come, in the order they come. */
static enum arus_status add_limited(struct arus_lane *lane, struct arus_gather_state *gather,
                                    const struct arus_batch *batch, struct arus_error *err)
{
    const int64_t skip = gather->plan->limit.skip;
    const int64_t limit = gather->plan->limit.limit;
    const int64_t at = atomic_fetch_add(&gather->taken, (int64_t)batch->row_count);
    const int64_t end = limit < 0 ? INT64_MAX : skip + limit;
    struct arus_batch part;
    uint32_t *indices;
    uint32_t count = 0;

    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, batch->row_count, &indices, err));
    for (uint32_t i = 0; i < batch->row_count; i++) {
        if (at + i >= skip && at + i < end) {
            indices[count++] = i;
        }
    }
    arus_fate_take(lane, indices, count);
    arus_fate_drop(lane, batch->row_count - count);
    if (count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_batch_slice(batch, indices, count, &lane->step, &part, err));
    return arus_row_store_add(&gather->rows[lane->worker], &part, err);
}

static enum arus_status add_groups(struct arus_lane *lane, struct arus_gather_state *gather,
                                   const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_batch columns;

    ARUS_TRY(run_program(lane, gather->plan, batch, &columns, err));
    if (gather->stateful != NULL) {
        return arus_group_state_add(lane, gather, columns.columns, batch->row_count, err);
    }
    arus_fate_take(lane, NULL, batch->row_count);
    return arus_group_add(lane, gather, columns.columns, batch->row_count, err);
}

static enum arus_status add_keyed(struct arus_lane *lane, struct arus_gather_state *gather,
                                  const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_batch columns;

    ARUS_TRY(run_program(lane, gather->plan, batch, &columns, err));
    return arus_dedup_add(lane, gather, batch, &columns, err);
}

enum arus_status arus_gather_add(struct arus_lane *lane, const struct arus_batch *batch,
                                 struct arus_error *err)
{
    struct arus_exec *exec = lane->exec;
    struct arus_gather_state *gather = &exec->gathers[exec->stages[lane->stage_index].plan->target];

    switch (gather->plan->kind) {
    case ARUS_GATHER_AGGREGATE:
        return add_groups(lane, gather, batch, err);
    case ARUS_GATHER_SORT:
    case ARUS_GATHER_BUILD:
        return add_rows(lane, gather, batch, err);
    case ARUS_GATHER_LIMIT:
        return add_limited(lane, gather, batch, err);
    case ARUS_GATHER_DEDUP:
        return add_keyed(lane, gather, batch, err);
    case ARUS_GATHER_JOIN:
        return arus_stream_join_add(lane, gather, batch, err);
    case ARUS_GATHER_RESULT:
        atomic_fetch_add(&exec->output_rows, batch->row_count);
        arus_fate_take(lane, NULL, batch->row_count);
        return exec->consumer->write(exec->consumer->self, lane->worker, batch, err);
    }
    return ARUS_OK;
}

static enum arus_status finish_build(struct arus_exec *exec, struct arus_gather_state *gather,
                                     struct arus_error *err)
{
    static const struct arus_type NO_KEYS = {.id = ARUS_TYPE_STRUCT};
    const struct arus_gather *plan = gather->plan;
    const struct arus_type *keys = plan->program == NULL ? &NO_KEYS : plan->program_schema;
    enum arus_status status = arus_join_table_make(
        &gather->join, gather->rows, gather->keys, exec->thread_count, plan->input, keys,
        plan->build.is_null_safe, plan->build.keeps_rest, err);

    for (uint32_t i = 0; i < exec->thread_count; i++) {
        arus_row_store_release(&gather->rows[i]);
        arus_row_store_release(&gather->keys[i]);
    }
    if (status == ARUS_OK && plan->build.is_single && gather->join.row_count > 1) {
        status =
            arus_fail(err, ARUS_BAD_DATA, "SCALAR_SUBQUERY_TOO_MANY_ROWS",
                      "a subquery that stands for one value gave %u rows", gather->join.row_count);
        (void)arus_error_at(err, plan->place);
    }
    return status;
}

/* Pieces of all partitions; few rows make one batch. */
static enum arus_status collect_pieces(struct arus_exec *exec, struct arus_gather_state *gather,
                                       struct arus_error *err)
{
    const struct arus_stateful *stateful = gather->stateful;
    uint64_t row_count = 0;
    size_t count = 0;

    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        count += stateful->parts[p].piece_count;
    }
    ARUS_TRY(ARUS_NEW(&exec->run_arena, struct arus_batch, count + 1, &gather->pieces, err));
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        for (uint32_t i = 0; i < stateful->parts[p].piece_count; i++) {
            gather->pieces[gather->piece_count++] = stateful->parts[p].pieces[i];
            row_count += stateful->parts[p].pieces[i].row_count;
        }
    }
    if (count > 1 && row_count <= ARUS_BATCH_ROWS) {
        ARUS_TRY(arus_batch_concat(gather->pieces, count, gather->plan->schema, &gather->arena,
                                   &gather->result, err));
        gather->pieces[0] = gather->result;
        gather->piece_count = 1;
    }
    return ARUS_OK;
}

static enum arus_status finish_stateful(struct arus_exec *exec, struct arus_gather_state *gather,
                                        struct arus_error *err)
{
    struct arus_stateful *stateful = gather->stateful;
    int64_t end;

    switch (stateful->plan->kind) {
    case ARUS_STATE_AGGREGATE:
    case ARUS_STATE_SESSION:
        ARUS_TRY(arus_group_state_finish(stateful, err));
        break;
    case ARUS_STATE_DEDUP:
    case ARUS_STATE_DEDUP_WITHIN:
        ARUS_TRY(arus_dedup_finish(stateful, err));
        break;
    case ARUS_STATE_JOIN:
        ARUS_TRY(arus_stream_join_finish(stateful, err));
        break;
    case ARUS_STATE_LIMIT:
        end = gather->plan->limit.limit + gather->plan->limit.skip;
        ARUS_TRY(arus_limit_state_set(stateful, gather->taken < end ? gather->taken : end, err));
        return arus_row_store_concat(gather->rows, exec->thread_count, gather->plan->input,
                                     &gather->arena, &gather->result, err);
    }
    return collect_pieces(exec, gather, err);
}

enum arus_status arus_gather_finish(struct arus_exec *exec, struct arus_gather_state *gather,
                                    struct arus_error *err)
{
    if (gather->is_finished) {
        return ARUS_OK;
    }
    gather->is_finished = true;
    if (gather->stateful != NULL) {
        return finish_stateful(exec, gather, err);
    }
    switch (gather->plan->kind) {
    case ARUS_GATHER_AGGREGATE:
        return arus_group_finish(exec, gather, err);
    case ARUS_GATHER_SORT:
        return arus_sort_finish(exec, gather, err);
    case ARUS_GATHER_LIMIT:
        return arus_row_store_concat(gather->rows, exec->thread_count, gather->plan->input,
                                     &gather->arena, &gather->result, err);
    case ARUS_GATHER_BUILD:
        return finish_build(exec, gather, err);
    case ARUS_GATHER_DEDUP:
    case ARUS_GATHER_JOIN:
    case ARUS_GATHER_RESULT:
        return ARUS_OK;
    }
    return ARUS_OK;
}

void arus_gather_reset(struct arus_exec *exec, struct arus_gather_state *gather)
{
    for (uint32_t i = 0; i < exec->thread_count; i++) {
        if (gather->rows != NULL) {
            arus_row_store_reset(&gather->rows[i]);
        }
        if (gather->keys != NULL) {
            arus_row_store_reset(&gather->keys[i]);
        }
        if (gather->groups != NULL) {
            arus_group_lane_release(&gather->groups[i], gather->plan->aggregate.item_count);
        }
    }
    arus_join_table_release(&gather->join);
    arus_arena_reset(&gather->arena);
    gather->result = (struct arus_batch){0};
    gather->piece_count = 0;
    gather->taken = 0;
    if (gather->stateful != NULL && exec->run != NULL) {
        arus_stateful_begin(gather->stateful);
        gather->taken = gather->stateful->plan->kind == ARUS_STATE_LIMIT
                            ? arus_limit_state_get(gather->stateful)
                            : 0;
    }
    gather->is_finished = false;
}

void arus_gather_close(struct arus_exec *exec, struct arus_gather_state *gather)
{
    if (gather->plan == NULL) {
        return;
    }
    arus_stateful_close(gather->stateful);
    gather->stateful = NULL;
    arus_gather_reset(exec, gather);
    for (uint32_t i = 0; i < exec->thread_count; i++) {
        if (gather->rows != NULL) {
            arus_row_store_release(&gather->rows[i]);
        }
        if (gather->keys != NULL) {
            arus_row_store_release(&gather->keys[i]);
        }
    }
    arus_arena_release(&gather->arena);
}
