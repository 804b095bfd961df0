/**
 * A join of two streams, one partition at a time: the left rows of the batch look for stored right
 * rows and are stored, then the right rows for stored left rows, those of this batch among them.
 * Rule: Spark's StreamingSymmetricHashJoinExec.
 */
#include "exec/stream_join.h"

#include "exec/fate.h"

#define FIXED_SIZE 16u /* of a stored row: whether it ever had a match */

/* ---- opening, and rows that come in ---- */

static bool preserves(enum arus_join_kind kind, uint32_t side)
{
    return kind == ARUS_JOIN_FULL || kind == (side == 0 ? ARUS_JOIN_LEFT : ARUS_JOIN_RIGHT);
}

static enum arus_status open_side(struct arus_stateful *stateful, uint32_t side,
                                  struct arus_state_operator_config *table, struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;
    const struct arus_type *input = plan->join.sides[side].input;
    const enum arus_join_kind kind = plan->join.kind;
    struct arus_arena *arena = &stateful->exec->arena;
    const struct arus_type **types;

    ARUS_TRY(
        ARUS_NEW(arena, const struct arus_type *, (size_t)input->field_count + 1, &types, err));
    for (uint16_t f = 0; f < input->field_count; f++) {
        types[f] = input->fields[f].type;
    }
    ARUS_TRY(arus_row_code_make(types, input->field_count, ARUS_ROW_AS_ROW, arena,
                                &stateful->rows[side], err));
    table->layout = (struct arus_state_layout){
        .fixed_size =
            preserves(kind, side) || (kind == ARUS_JOIN_SEMI && side == 0) ? FIXED_SIZE : 0,
        .is_multi = true,
        .has_payload = true,
        .has_expiry = stateful->plan->inputs[side].expiry.kind != ARUS_EXPIRY_NONE};
    return ARUS_OK;
}

enum arus_status arus_stream_join_open(struct arus_stateful *stateful,
                                       struct arus_state_operator_config *tables,
                                       struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;
    const struct arus_type *schema = plan->join.sides[0].program_schema;
    struct arus_exec *exec = stateful->exec;
    const struct arus_type **types;

    ARUS_TRY(
        ARUS_NEW(&exec->arena, const struct arus_type *, (size_t)plan->key_count + 1, &types, err));
    for (uint32_t k = 0; k < plan->key_count; k++) {
        types[k] = schema->fields[k].type;
    }
    ARUS_TRY(arus_row_code_make(types, plan->key_count, ARUS_ROW_AS_KEY, &exec->arena,
                                &stateful->keys, err));
    ARUS_TRY(open_side(stateful, 0, &tables[0], err));
    ARUS_TRY(open_side(stateful, 1, &tables[1], err));
    ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_program_state *, exec->thread_count,
                      &stateful->conditions, err));
    return ARUS_NEW(&exec->arena, struct arus_stored_lane, exec->thread_count,
                    &stateful->stored_lanes, err);
}

/* What keeps a row from ever having a match. */
static enum arus_status find_flags(struct arus_lane *lane, const struct arus_gather *plan,
                                   const struct arus_join_side *side,
                                   const struct arus_batch *batch, const struct arus_batch *keys,
                                   unsigned char **out, struct arus_error *err)
{
    struct arus_vector condition;
    unsigned char *flags;

    ARUS_TRY(ARUS_NEW(&lane->step, unsigned char, (size_t)batch->row_count + 1, &flags, err));
    *out = flags;
    for (uint32_t k = 0; k < plan->key_count; k++) {
        const bool may_match_null =
            plan->join.is_null_safe[k] || plan->join.kind == ARUS_JOIN_FULL; /* as Spark's do */

        for (uint32_t i = 0; !may_match_null && i < batch->row_count; i++) {
            if (!arus_vector_is_valid(&keys->columns[k], i)) {
                flags[i] |= ARUS_STORED_NO_KEY;
            }
        }
    }
    if (side->condition == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_lane_run(lane, side->condition, &lane->side_state, batch, &condition, err));
    for (uint32_t i = 0; i < batch->row_count; i++) {
        const bool *values = arus_vector_data(&condition)->values;

        if (!arus_vector_is_valid(&condition, i) || !values[arus_vector_at(&condition, i)]) {
            flags[i] |= ARUS_STORED_NO_MATCH;
        }
    }
    return ARUS_OK;
}

/* Rows of the batch that go on: not late, and with a chance to be of use. */
static enum arus_status choose_rows(struct arus_lane *lane, struct arus_stateful *stateful,
                                    uint32_t side, const struct arus_batch *batch,
                                    const struct arus_batch *keys, uint32_t **rows, uint32_t *count,
                                    unsigned char **flags, struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;
    const int32_t late_column = stateful->plan->inputs[side].late_column;
    const bool keeps_all = preserves(plan->join.kind, side);
    uint32_t kept = 0;

    ARUS_TRY(find_flags(lane, plan, &plan->join.sides[side], batch, keys, flags, err));
    if (late_column >= 0) {
        ARUS_TRY(
            arus_stored_on_time(lane, stateful, &keys->columns[late_column], rows, count, err));
    } else {
        ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, (size_t)batch->row_count + 1, rows, err));
        *count = batch->row_count;
        for (uint32_t i = 0; i < *count; i++) {
            (*rows)[i] = i;
        }
    }
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t row = (*rows)[i];

        if (keeps_all || (*flags)[row] == 0) {
            (*rows)[kept++] = row;
        }
    }
    arus_fate_take(lane, *rows, kept);
    arus_fate_drop(lane, *count - kept);
    *count = kept;
    return ARUS_OK;
}

enum arus_status arus_stream_join_add(struct arus_lane *lane, struct arus_gather_state *gather,
                                      const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_stateful *stateful = gather->stateful;
    const uint32_t side = lane->exec->stages[lane->stage_index].plan->side;
    const struct arus_join_side *plan = &gather->plan->join.sides[side];
    const struct arus_expiry *expiry = &stateful->plan->inputs[side].expiry;
    struct arus_batch columns = {.schema = plan->program_schema, .row_count = batch->row_count};
    struct arus_batch rows;
    struct arus_batch keys;
    struct arus_stored *stored;
    unsigned char *flags;
    uint32_t *chosen;
    uint32_t count;

    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector,
                      (size_t)plan->program_schema->field_count + 1, &columns.columns, err));
    ARUS_TRY(arus_lane_run(lane, plan->program, &lane->gather_state, batch, columns.columns, err));
    ARUS_TRY(choose_rows(lane, stateful, side, batch, &columns, &chosen, &count, &flags, err));
    if (count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_batch_slice(batch, chosen, count, &lane->step, &rows, err));
    ARUS_TRY(arus_batch_slice(&columns, chosen, count, &lane->step, &keys, err));
    ARUS_TRY(arus_stored_add(lane, stateful, &rows, keys.columns, &stored, err));
    stored->side = side;
    for (uint32_t i = 0; i < count; i++) {
        stored->flags[i] = flags[chosen[stored->order.rows[i]]];
    }
    ARUS_TRY(arus_stored_pack(lane, stateful, &stateful->rows[side], stored, err));
    return expiry->kind == ARUS_EXPIRY_NONE
               ? ARUS_OK
               : arus_stored_times(lane, stateful, &keys.columns[expiry->column], 0, stored, err);
}

/* ---- looking for matches ---- */

/* A pair has been found true: both rows know, and a semi join gives out its left row once. */
static enum arus_status mark_pair(struct arus_join_task *task, struct arus_stored *stored,
                                  uint32_t row, uint32_t entry, struct arus_error *err)
{
    struct arus_state_part *other = task->tables[1 - task->side];
    const bool is_semi = task->plan->join.kind == ARUS_JOIN_SEMI;
    unsigned char *fixed;
    bool was_matched;

    if (is_semi && task->side == 0 && (stored->flags[row] & ARUS_STORED_MATCHED) == 0) {
        ARUS_TRY(arus_join_list_add(&task->semi_rows, row, err));
    }
    stored->flags[row] |= ARUS_STORED_MATCHED;
    if (other->layout->fixed_size == 0) {
        return ARUS_OK;
    }
    fixed = arus_state_part_fixed(other, entry);
    was_matched = *fixed != 0;
    if (was_matched) {
        return ARUS_OK;
    }
    *fixed = 1;
    if (is_semi) {
        ARUS_TRY(arus_join_list_add(&task->semi_entries, entry, err));
    }
    return arus_state_part_touch(other, entry, err);
}

static enum arus_status take_pairs(struct arus_join_task *task, struct arus_stored *stored,
                                   struct arus_error *err)
{
    const uint32_t *kept;
    uint32_t count;

    if (task->pair_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_join_emit_pairs(task, stored, &kept, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(
            mark_pair(task, stored, task->pair_rows[kept[i]], task->pair_entries[kept[i]], err));
    }
    task->pair_count = 0;
    return ARUS_OK;
}

static enum arus_status probe(struct arus_join_task *task, struct arus_stored *stored,
                              const struct arus_state_keys *keys, uint32_t begin, uint32_t count,
                              struct arus_error *err)
{
    const struct arus_state_part *other = task->tables[1 - task->side];

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = begin + i;
        uint32_t entry;

        arus_state_part_fetch(other, keys, NULL, i, count);
        if ((stored->flags[row] & (ARUS_STORED_NO_KEY | ARUS_STORED_NO_MATCH)) != 0) {
            continue;
        }
        entry = arus_state_part_get(other, keys->keys[i], keys->hashes[i]);
        for (; entry != ARUS_STATE_NONE; entry = arus_state_part_next(other, entry)) {
            if (task->pair_count == ARUS_BATCH_ROWS) {
                ARUS_TRY(take_pairs(task, stored, err));
            }
            task->pair_rows[task->pair_count] = row;
            task->pair_entries[task->pair_count++] = entry;
        }
    }
    return take_pairs(task, stored, err);
}

/* Is it of use after its own probe? A left row that a left semi join has given out is not, nor a
 * right row that leaves with this batch, unless it will leave as a row without a match. */
static bool is_kept(const struct arus_join_task *task, const struct arus_stored *stored,
                    uint32_t row)
{
    if ((stored->flags[row] & ARUS_STORED_NO_MATCH) != 0) {
        return false;
    }
    if (task->side == 0) {
        return task->plan->join.kind != ARUS_JOIN_SEMI ||
               (stored->flags[row] & ARUS_STORED_MATCHED) == 0;
    }
    if (stored->times == NULL || stored->times[row] > task->stateful->evict_bounds[1]) {
        return true;
    }
    return preserves(task->plan->join.kind, 1) && (stored->flags[row] & ARUS_STORED_MATCHED) == 0;
}

static enum arus_status store_rows(struct arus_join_task *task, const struct arus_stored *stored,
                                   const struct arus_state_keys *keys, uint32_t begin,
                                   uint32_t count, struct arus_error *err)
{
    struct arus_state_part *own = task->tables[task->side];
    const uint32_t *starts = stored->packed.starts;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = begin + i;
        const struct arus_text payload = {stored->packed.bytes + starts[row],
                                          starts[row + 1] - starts[row]};
        uint32_t entry;

        arus_state_part_fetch(own, keys, NULL, i, count);
        if (!is_kept(task, stored, row)) {
            continue;
        }
        ARUS_TRY(arus_state_part_add(own, keys->keys[i], keys->hashes[i],
                                     keys->expiries == NULL ? ARUS_STATE_NEVER : keys->expiries[i],
                                     payload, &entry, err));
        if (own->layout->fixed_size != 0) {
            *arus_state_part_fixed(own, entry) = (stored->flags[row] & ARUS_STORED_MATCHED) != 0;
        }
        task->part->updated_rows++;
    }
    return ARUS_OK;
}

/* Rows of a preserved side that can match nothing come out at once. */
static enum arus_status emit_matchless(struct arus_join_task *task,
                                       const struct arus_stored *stored, uint32_t begin,
                                       uint32_t count, struct arus_error *err)
{
    uint32_t *alone;
    uint32_t alone_count = 0;

    if (!preserves(task->plan->join.kind, task->side)) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&task->part->arena, uint32_t, (size_t)count + 1, &alone, err));
    for (uint32_t i = 0; i < count; i++) {
        alone[alone_count] = begin + i;
        alone_count += (stored->flags[begin + i] & ARUS_STORED_NO_MATCH) != 0;
    }
    return arus_join_emit_rows(task, stored, alone, alone_count, err);
}

/* Rule: a stored left row leaves with its first match; one of this batch counts as never stored. */
static enum arus_status remove_semi(struct arus_join_task *task, struct arus_error *err)
{
    struct arus_state_part *left = task->tables[0];
    const uint32_t *entries = (const uint32_t *)(const void *)task->semi_entries.items.data;

    for (uint32_t i = 0; i < task->semi_entries.count; i++) {
        if (left->links[entries[i]].id >= task->first_id) {
            task->part->updated_rows--;
        } else {
            task->part->removed_rows++;
        }
        ARUS_TRY(arus_state_part_remove(left, entries[i], err));
    }
    return ARUS_OK;
}

static enum arus_status take_batch(struct arus_join_task *task, struct arus_stored *stored,
                                   uint32_t partition, struct arus_error *err)
{
    const uint32_t begin = stored->order.begin[partition];
    struct arus_state_keys keys;
    uint32_t count;

    arus_arena_reset(&task->part->scratch);
    ARUS_TRY(arus_stored_keys(stored, partition, &task->part->scratch, &keys, &count, err));
    if (count == 0) {
        return ARUS_OK;
    }
    task->semi_rows.count = 0;
    task->semi_entries.count = 0;
    ARUS_TRY(probe(task, stored, &keys, begin, count, err));
    ARUS_TRY(arus_join_emit_semi(task, stored, err));
    ARUS_TRY(remove_semi(task, err));
    ARUS_TRY(emit_matchless(task, stored, begin, count, err));
    return store_rows(task, stored, &keys, begin, count, err);
}

/* ---- what leaves ---- */

static enum arus_status emit_unmatched(struct arus_join_task *task, uint32_t side,
                                       struct arus_error *err)
{
    const struct arus_state_part *own = task->tables[side];
    uint32_t *expired;
    uint32_t count;
    uint32_t unmatched = 0;

    ARUS_TRY(arus_state_part_expired(task->tables[side], task->stateful->evict_bounds[side],
                                     &task->part->arena, &expired, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        if (*arus_state_part_fixed(own, expired[i]) == 0) {
            expired[unmatched++] = expired[i];
        }
    }
    task->side = side;
    return arus_join_emit_entries(task, expired, unmatched, err);
}

static enum arus_status leave(struct arus_join_task *task, struct arus_error *err)
{
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t count;

        if (preserves(task->plan->join.kind, side)) {
            ARUS_TRY(emit_unmatched(task, side, err));
        }
        ARUS_TRY(arus_state_part_evict(task->tables[side], task->stateful->evict_bounds[side],
                                       &count, err));
        task->part->removed_rows += count;
    }
    return ARUS_OK;
}

static enum arus_status run_partition(struct arus_join_task *task, uint32_t partition,
                                      struct arus_error *err)
{
    struct arus_stateful *stateful = task->stateful;
    const uint64_t begin_us = arus_stateful_now_us();
    uint64_t removal_us;

    for (task->side = 0; task->side < 2; task->side++) {
        for (uint32_t i = 0; i < stateful->list_counts[task->side]; i++) {
            ARUS_TRY(take_batch(task, stateful->lists[task->side][i], partition, err));
        }
    }
    removal_us = arus_stateful_now_us();
    task->part->update_us = removal_us - begin_us;
    ARUS_TRY(leave(task, err));
    task->part->removal_us = arus_stateful_now_us() - removal_us;
    ARUS_TRY(arus_state_encode(stateful->exec->state, stateful->table, partition, err));
    return arus_state_encode(stateful->exec->state, stateful->table + 1, partition, err);
}

static enum arus_status finish_partition(void *self, uint32_t partition, uint32_t worker,
                                         struct arus_error *err)
{
    struct arus_stateful *stateful = self;
    struct arus_join_task task = {.stateful = stateful,
                                  .plan = stateful->gather->plan,
                                  .part = &stateful->parts[partition],
                                  .worker = worker};
    enum arus_status status;
    void *memory;

    task.tables[0] = arus_stateful_table_part(stateful, 0, partition);
    task.tables[1] = arus_stateful_table_part(stateful, 1, partition);
    task.first_id = task.tables[0]->next_id;
    ARUS_TRY(
        arus_arena_buffer(&task.part->arena, 2 * ARUS_BATCH_ROWS * sizeof(uint32_t), &memory, err));
    task.pair_rows = memory;
    task.pair_entries = task.pair_rows + ARUS_BATCH_ROWS;
    status = run_partition(&task, partition, err);
    arus_buffer_release(&task.semi_rows.items);
    arus_buffer_release(&task.semi_entries.items);
    return status;
}

enum arus_status arus_stream_join_finish(struct arus_stateful *stateful, struct arus_error *err)
{
    for (uint32_t side = 0; side < 2; side++) {
        ARUS_TRY(arus_stored_list(stateful, side, &stateful->lists[side],
                                  &stateful->list_counts[side], err));
    }
    ARUS_TRY(arus_stateful_run(stateful, finish_partition, err));
    arus_stored_looked_up(stateful);
    stateful->parts[0].dropped_rows = stateful->late_rows;
    return ARUS_OK;
}
