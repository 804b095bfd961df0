#include "exec/stateful.h"

#include "base/alloc.h"
#include "base/clock.h"

uint32_t arus_stateful_table(const struct arus_physical *physical, uint32_t operator_id)
{
    uint32_t table = 0;

    for (uint32_t id = 0; id < operator_id; id++) {
        table += physical->operators[id]->kind == ARUS_STATE_JOIN ? 2 : 1;
    }
    return table;
}

uint64_t arus_stateful_now_us(void)
{
    return (uint64_t)arus_clock_monotonic_us();
}

static enum arus_status open_kind(struct arus_stateful *stateful,
                                  struct arus_state_operator_config *tables, struct arus_error *err)
{
    switch (stateful->plan->kind) {
    case ARUS_STATE_AGGREGATE:
    case ARUS_STATE_SESSION:
        return arus_group_state_open(stateful, tables, err);
    case ARUS_STATE_DEDUP:
    case ARUS_STATE_DEDUP_WITHIN:
        return arus_dedup_open(stateful, tables, err);
    case ARUS_STATE_JOIN:
        return arus_stream_join_open(stateful, tables, err);
    case ARUS_STATE_LIMIT:
        return arus_limit_state_open(tables);
    }
    return ARUS_OK;
}

enum arus_status arus_stateful_open(struct arus_exec *exec, struct arus_gather_state *gather,
                                    struct arus_error *err)
{
    const struct arus_state_operator *plan = gather->plan->state;
    struct arus_state_operator_config *tables;

    ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_stateful, 1, &gather->stateful, err));
    gather->stateful->exec = exec;
    gather->stateful->gather = gather;
    gather->stateful->plan = plan;
    gather->stateful->table = arus_stateful_table(exec->physical, plan->id);
    tables = &exec->state_tables[gather->stateful->table];
    tables[0].name = plan->name;
    if (plan->kind == ARUS_STATE_JOIN) {
        tables[1].name = plan->name;
    }
    return open_kind(gather->stateful, tables, err);
}

void arus_stateful_close(struct arus_stateful *stateful)
{
    if (stateful == NULL) {
        return;
    }
    arus_group_state_close(stateful);
    arus_stored_close(stateful);
    for (uint32_t w = 0; stateful->conditions != NULL && w < stateful->exec->thread_count; w++) {
        arus_program_state_close(stateful->conditions[w]);
    }
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        struct arus_stateful_part *part = &stateful->parts[p];

        arus_free(part->pieces);
        arus_agg_heap_close(part->heap);
        arus_arena_release(&part->arena);
        arus_arena_release(&part->scratch);
    }
}

static void set_bounds(struct arus_stateful *stateful)
{
    const struct arus_state_operator *plan = stateful->plan;
    const int64_t late_ms = stateful->exec->late_inputs[plan->id];
    const int64_t evict_ms = stateful->exec->evict_inputs[plan->id];

    stateful->late_bound = late_ms * 1000;
    for (int side = 0; side < 2; side++) {
        const struct arus_expiry *expiry = &plan->inputs[side].expiry;

        stateful->evict_bounds[side] = arus_watermark_state(expiry, evict_ms) * 1000;
    }
}

void arus_stateful_begin(struct arus_stateful *stateful)
{
    set_bounds(stateful);
    stateful->late_rows = 0;
    stateful->fates = (struct arus_fates){0};
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        struct arus_stateful_part *part = &stateful->parts[p];

        arus_arena_reset(&part->arena);
        part->piece_count = 0;
        part->updated_rows = 0;
        part->removed_rows = 0;
        part->dropped_rows = 0;
        part->duplicate_rows = 0;
        part->update_us = 0;
        part->removal_us = 0;
    }
    arus_group_state_reset(stateful);
    arus_stored_reset(stateful);
}

enum arus_status arus_stateful_run(struct arus_stateful *stateful, arus_task_fn task,
                                   struct arus_error *err)
{
    const enum arus_status status =
        arus_pool_run(stateful->exec->pool, task, stateful, ARUS_STATE_PART_COUNT, err);

    if (status == ARUS_NO_MEMORY) {
        uint64_t keys = 0;

        for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
            keys += arus_stateful_table_part(stateful, 0, p)->entry_count;
        }
        return arus_error_wrap(err, "%s (operator %u, %llu keys)", stateful->plan->name,
                               stateful->plan->id, (unsigned long long)keys);
    }
    return status;
}

enum arus_status arus_stateful_add_piece(struct arus_stateful_part *part,
                                         const struct arus_batch *piece, struct arus_error *err)
{
    if (piece->row_count == 0) {
        return ARUS_OK;
    }
    if (part->piece_count == part->piece_capacity) {
        const uint32_t capacity = part->piece_capacity == 0 ? 4 : part->piece_capacity * 2;
        struct arus_batch *pieces = arus_realloc(part->pieces, capacity * sizeof *pieces);

        if (pieces == NULL) {
            return arus_fail_memory(err);
        }
        part->pieces = pieces;
        part->piece_capacity = capacity;
    }
    part->pieces[part->piece_count++] = *piece;
    return ARUS_OK;
}

/* ---- for whoever runs the query: exec.h ---- */

enum arus_status arus_exec_load_state(struct arus_exec *exec, struct arus_store *store,
                                      int64_t batch_id, struct arus_error *err)
{
    return exec->state == NULL ? ARUS_OK
                               : arus_state_load(exec->state, store, batch_id, exec->pool, err);
}

enum arus_status arus_exec_save_state(struct arus_exec *exec, int64_t batch_id, int64_t oldest_kept,
                                      struct arus_store_write *write, struct arus_error *err)
{
    return exec->state == NULL ? ARUS_OK
                               : arus_state_save(exec->state, batch_id, oldest_kept, write, err);
}

void arus_exec_settle_state(struct arus_exec *exec)
{
    if (exec->state != NULL) {
        arus_state_settle(exec->state);
    }
}

enum arus_status arus_exec_drop_state(struct arus_exec *exec, int64_t batch_id,
                                      struct arus_store_write *write, struct arus_error *err)
{
    return exec->state == NULL ? ARUS_OK : arus_state_drop(exec->state, batch_id, write, err);
}

struct arus_stateful *arus_stateful_find(const struct arus_exec *exec, uint32_t id)
{
    for (uint32_t i = 0; i < exec->physical->gather_count; i++) {
        struct arus_stateful *stateful = exec->gathers[i].stateful;

        if (stateful != NULL && stateful->plan->id == id) {
            return stateful;
        }
    }
    return NULL;
}

bool arus_exec_next_expiry(const struct arus_exec *exec, uint32_t id, int64_t *out_ms)
{
    const struct arus_stateful *stateful = arus_stateful_find(exec, id);
    int64_t next = ARUS_STATE_NEVER;

    for (uint32_t p = 0; stateful != NULL && p < ARUS_STATE_PART_COUNT; p++) {
        const int64_t first =
            arus_state_part_first_expiry(arus_stateful_table_part(stateful, 0, p));

        next = first < next ? first : next;
    }
    *out_ms = next / 1000;
    return next != ARUS_STATE_NEVER;
}

struct arus_operator_stats arus_exec_operator_stats(const struct arus_exec *exec, uint32_t id)
{
    const struct arus_stateful *stateful = arus_stateful_find(exec, id);
    struct arus_operator_stats stats = {.name = exec->physical->operators[id]->name,
                                        .kind = exec->physical->operators[id]->kind};

    if (stateful == NULL) {
        return stats;
    }
    stats.late_rows = stateful->late_rows;
    stats.late_watermark_ms = exec->late_inputs[id];
    stats.evict_watermark_ms = exec->evict_inputs[id];
    stats.table_count = stateful->plan->kind == ARUS_STATE_JOIN ? 2 : 1;
    for (uint32_t t = 0; t < stats.table_count; t++) {
        stats.total_rows += arus_state_entry_count(exec->state, stateful->table + t);
        stats.memory_size += arus_state_memory_size(exec->state, stateful->table + t);
    }
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        const struct arus_stateful_part *part = &stateful->parts[p];

        stats.updated_rows += part->updated_rows;
        stats.removed_rows += part->removed_rows;
        stats.dropped_rows += part->dropped_rows;
        stats.duplicate_rows += part->duplicate_rows;
        stats.update_us += part->update_us;
        stats.removal_us += part->removal_us;
        stats.memory_size += part->heap == NULL ? 0 : arus_agg_heap_size(part->heap);
    }
    return stats;
}
