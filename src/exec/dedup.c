/** drop_duplicates: rows wait in their batches while their keys are looked up partition by
 * partition; the rows with new keys are then picked out where they lie. */
#include "exec/fate.h"
#include "exec/stateful.h"

enum arus_status arus_dedup_open(struct arus_stateful *stateful,
                                 struct arus_state_operator_config *table, struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;
    struct arus_exec *exec = stateful->exec;
    const struct arus_type **types;

    ARUS_TRY(
        ARUS_NEW(&exec->arena, const struct arus_type *, (size_t)plan->key_count + 1, &types, err));
    for (uint32_t k = 0; k < plan->key_count; k++) {
        types[k] = plan->program_schema->fields[k].type;
    }
    ARUS_TRY(arus_row_code_make(types, plan->key_count, ARUS_ROW_AS_KEY, &exec->arena,
                                &stateful->keys, err));
    table->layout = (struct arus_state_layout){
        .has_expiry = stateful->plan->inputs[0].expiry.kind != ARUS_EXPIRY_NONE};
    return ARUS_NEW(&exec->arena, struct arus_stored_lane, exec->thread_count,
                    &stateful->stored_lanes, err);
}

/* Rule: with a delay, a row without an event time counts as of 1970. */
static void leave_soon(struct arus_stored *stored, int64_t delay)
{
    for (uint32_t i = 0; i < stored->rows.row_count; i++) {
        if (stored->times[i] == ARUS_STATE_NEVER) {
            stored->times[i] = delay;
        }
    }
}

enum arus_status arus_dedup_add(struct arus_lane *lane, struct arus_gather_state *gather,
                                const struct arus_batch *batch, const struct arus_batch *columns,
                                struct arus_error *err)
{
    struct arus_stateful *stateful = gather->stateful;
    const struct arus_state_input *input = &stateful->plan->inputs[0];
    struct arus_batch rows = *batch;
    struct arus_batch keys = *columns;
    struct arus_stored *stored;
    uint32_t *on_time = NULL;
    uint32_t count;

    if (input->late_column >= 0) {
        ARUS_TRY(arus_stored_on_time(lane, stateful, &columns->columns[input->late_column],
                                     &on_time, &count, err));
        if (count < batch->row_count) {
            ARUS_TRY(arus_batch_slice(batch, on_time, count, &lane->step, &rows, err));
            ARUS_TRY(arus_batch_slice(columns, on_time, count, &lane->step, &keys, err));
        }
    }
    if (rows.row_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_stored_add(lane, stateful, &rows, keys.columns, &stored, err));
    ARUS_TRY(arus_fate_wait(lane, on_time, rows.row_count, stored, err));
    if (input->expiry.kind == ARUS_EXPIRY_NONE) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_stored_times(lane, stateful, &keys.columns[input->expiry.column],
                               input->expiry.delay_micros, stored, err));
    if (stateful->plan->kind == ARUS_STATE_DEDUP_WITHIN) {
        leave_soon(stored, input->expiry.delay_micros);
    }
    return ARUS_OK;
}

static enum arus_status look_up(struct arus_stateful *stateful, uint32_t partition,
                                struct arus_stored *stored, struct arus_error *err)
{
    struct arus_stateful_part *part = &stateful->parts[partition];
    const uint32_t *rows = stored->order.rows + stored->order.begin[partition];
    struct arus_state_keys keys;
    uint32_t count;
    uint32_t *entries;
    bool *is_new;

    arus_arena_reset(&part->scratch);
    ARUS_TRY(arus_stored_keys(stored, partition, &part->scratch, &keys, &count, err));
    ARUS_TRY(ARUS_NEW(&part->scratch, uint32_t, (size_t)count + 1, &entries, err));
    ARUS_TRY(ARUS_NEW(&part->scratch, bool, (size_t)count + 1, &is_new, err));
    ARUS_TRY(arus_state_part_find(arus_stateful_table_part(stateful, 0, partition), &keys, NULL,
                                  count, entries, is_new, err));
    for (uint32_t i = 0; i < count; i++) {
        stored->flags[rows[i]] = is_new[i] ? ARUS_STORED_KEEP : 0;
        part->updated_rows += is_new[i];
    }
    part->duplicate_rows += count;
    return ARUS_OK;
}

static enum arus_status finish_partition(void *self, uint32_t partition, uint32_t worker,
                                         struct arus_error *err)
{
    struct arus_stateful *stateful = self;
    struct arus_stateful_part *part = &stateful->parts[partition];
    const uint64_t begin_us = arus_stateful_now_us();
    uint64_t removal_us;
    uint32_t removed;

    (void)worker;
    for (uint32_t i = 0; i < stateful->list_counts[0]; i++) {
        ARUS_TRY(look_up(stateful, partition, stateful->lists[0][i], err));
    }
    part->duplicate_rows -= part->updated_rows;
    removal_us = arus_stateful_now_us();
    part->update_us = removal_us - begin_us;
    ARUS_TRY(arus_state_part_evict(arus_stateful_table_part(stateful, 0, partition),
                                   stateful->evict_bounds[0], &removed, err));
    part->removed_rows = removed;
    part->removal_us = arus_stateful_now_us() - removal_us;
    return arus_state_encode(stateful->exec->state, stateful->table, partition, err);
}

static enum arus_status pick(struct arus_stateful *stateful, struct arus_stored *stored,
                             struct arus_error *err)
{
    struct arus_stateful_part *part = &stateful->parts[0];
    struct arus_batch piece;
    uint32_t *rows;
    uint32_t count = 0;

    ARUS_TRY(ARUS_NEW(&part->arena, uint32_t, (size_t)stored->rows.row_count + 1, &rows, err));
    for (uint32_t i = 0; i < stored->rows.row_count; i++) {
        rows[count] = i;
        count += stored->flags[i] & ARUS_STORED_KEEP;
    }
    arus_fate_settle(&stateful->fates, stored, rows, count);
    if (count == stored->rows.row_count) {
        return arus_stateful_add_piece(part, &stored->rows, err);
    }
    ARUS_TRY(arus_batch_slice(&stored->rows, rows, count, &part->arena, &piece, err));
    return arus_stateful_add_piece(part, &piece, err);
}

enum arus_status arus_dedup_finish(struct arus_stateful *stateful, struct arus_error *err)
{
    ARUS_TRY(arus_stored_list(stateful, 0, &stateful->lists[0], &stateful->list_counts[0], err));
    ARUS_TRY(arus_stateful_run(stateful, finish_partition, err));
    arus_stored_looked_up(stateful);
    for (uint32_t i = 0; i < stateful->list_counts[0]; i++) {
        ARUS_TRY(pick(stateful, stateful->lists[0][i], err));
    }
    for (uint32_t i = 0; i < stateful->list_counts[0]; i++) {
        arus_fate_settle_shared(&stateful->fates, stateful->lists[0][i]);
    }
    stateful->parts[0].dropped_rows = stateful->late_rows;
    return ARUS_OK;
}
