/** Batches that wait for the exchange of a stateful gather. */
#include "base/alloc.h"
#include "exec/fate.h"
#include "exec/stateful.h"

#include <stdlib.h>

#define LOOKUPS_KEPT 64u /* batches of a lane whose memory stays for the next run */

void arus_stored_reset(struct arus_stateful *stateful)
{
    for (uint32_t w = 0; stateful->stored_lanes != NULL && w < stateful->exec->thread_count; w++) {
        arus_arena_reset(&stateful->stored_lanes[w].arena);
        arus_arena_reset(&stateful->stored_lanes[w].lookups);
        stateful->stored_lanes[w].count = 0;
    }
}

void arus_stored_close(struct arus_stateful *stateful)
{
    for (uint32_t w = 0; stateful->stored_lanes != NULL && w < stateful->exec->thread_count; w++) {
        arus_arena_release(&stateful->stored_lanes[w].arena);
        arus_arena_release(&stateful->stored_lanes[w].lookups);
        arus_free(stateful->stored_lanes[w].items);
    }
}

void arus_stored_looked_up(struct arus_stateful *stateful)
{
    for (uint32_t w = 0; w < stateful->exec->thread_count; w++) {
        struct arus_stored_lane *lane = &stateful->stored_lanes[w];

        if (lane->count > LOOKUPS_KEPT) {
            arus_arena_release(&lane->lookups);
        }
    }
}

enum arus_status arus_stored_next(struct arus_stored_lane *lane, struct arus_stored **out,
                                  struct arus_error *err)
{
    if (lane->count == lane->capacity) {
        const uint32_t capacity = lane->capacity == 0 ? 8 : lane->capacity * 2;
        struct arus_stored *items = arus_realloc(lane->items, capacity * sizeof *items);

        if (items == NULL) {
            return arus_fail_memory(err);
        }
        lane->items = items;
        lane->capacity = capacity;
    }
    *out = &lane->items[lane->count++];
    **out = (struct arus_stored){0};
    return ARUS_OK;
}

/* Batches of one task lie in one lane, in order. */
static int compare(const void *left, const void *right)
{
    const struct arus_stored *a = *(struct arus_stored *const *)left;
    const struct arus_stored *b = *(struct arus_stored *const *)right;

    if (a->task != b->task) {
        return a->task < b->task ? -1 : 1;
    }
    return (a > b) - (a < b);
}

enum arus_status arus_stored_list(struct arus_stateful *stateful, uint32_t side,
                                  struct arus_stored ***out, uint32_t *count,
                                  struct arus_error *err)
{
    const uint32_t lane_count = stateful->exec->thread_count;
    size_t most = 1;

    for (uint32_t w = 0; w < lane_count; w++) {
        most += stateful->stored_lanes[w].count;
    }
    ARUS_TRY(ARUS_NEW(&stateful->exec->run_arena, struct arus_stored *, most, out, err));
    *count = 0;
    for (uint32_t w = 0; w < lane_count; w++) {
        for (uint32_t i = 0; i < stateful->stored_lanes[w].count; i++) {
            struct arus_stored *stored = &stateful->stored_lanes[w].items[i];

            if (stored->side == side) {
                (*out)[(*count)++] = stored;
            }
        }
    }
    if (*count > 1) {
        qsort(*out, *count, sizeof **out, compare);
    }
    return ARUS_OK;
}

/* Keys and rows in the order of partitions; a DEDUP gives out its rows as they came. */
static enum arus_status sort_rows(struct arus_lane *lane, const struct arus_stateful *stateful,
                                  const struct arus_batch *batch, const struct arus_vector *keys,
                                  struct arus_stored *stored, struct arus_batch *rows,
                                  struct arus_error *err)
{
    struct arus_arena *arena = &stateful->stored_lanes[lane->worker].lookups;
    struct arus_keyed keyed;

    ARUS_TRY(arus_keyed_make(&stateful->keys, keys, batch->row_count, &lane->step, &keyed, err));
    ARUS_TRY(arus_by_partition_make(keyed.hashes, batch->row_count, arena, &stored->order, err));
    ARUS_TRY(
        arus_keyed_gather(&keyed, stored->order.rows, arena, &stored->keys, &stored->hashes, err));
    if (stateful->plan->kind == ARUS_STATE_JOIN) {
        return arus_batch_slice(batch, stored->order.rows, batch->row_count, &lane->step, rows,
                                err);
    }
    *rows = *batch;
    return ARUS_OK;
}

enum arus_status arus_stored_add(struct arus_lane *lane, struct arus_stateful *stateful,
                                 const struct arus_batch *batch, const struct arus_vector *keys,
                                 struct arus_stored **out, struct arus_error *err)
{
    struct arus_stored_lane *own = &stateful->stored_lanes[lane->worker];
    struct arus_stored *stored;
    struct arus_batch rows;
    void *flags;

    ARUS_TRY(arus_stored_next(own, &stored, err));
    stored->task = lane->task;
    ARUS_TRY(sort_rows(lane, stateful, batch, keys, stored, &rows, err));
    stored->rows = (struct arus_batch){.schema = batch->schema, .row_count = batch->row_count};
    ARUS_TRY(ARUS_NEW(&own->arena, struct arus_vector, (size_t)batch->schema->field_count + 1,
                      &stored->rows.columns, err));
    for (uint16_t f = 0; f < batch->schema->field_count; f++) {
        ARUS_TRY(arus_vector_copy(&rows.columns[f], &own->arena, &stored->rows.columns[f], err));
    }
    ARUS_TRY(arus_arena_alloc(&own->arena, (size_t)batch->row_count + 1, &flags, err));
    stored->flags = flags;
    *out = stored;
    return ARUS_OK;
}

enum arus_status arus_stored_keys(const struct arus_stored *stored, uint32_t partition,
                                  struct arus_arena *arena, struct arus_state_keys *out,
                                  uint32_t *count, struct arus_error *err)
{
    const uint32_t begin = stored->order.begin[partition];
    const uint32_t *starts = stored->keys.starts + begin;
    struct arus_text *keys;
    void *memory;

    *count = stored->order.begin[partition + 1] - begin;
    ARUS_TRY(arus_arena_buffer(arena, *count * sizeof *keys + 1, &memory, err));
    keys = memory;
    for (uint32_t i = 0; i < *count; i++) {
        keys[i] = (struct arus_text){stored->keys.bytes + starts[i], starts[i + 1] - starts[i]};
    }
    *out = (struct arus_state_keys){keys, stored->hashes + begin,
                                    stored->times == NULL ? NULL : stored->times + begin};
    return ARUS_OK;
}

enum arus_status arus_stored_pack(struct arus_lane *lane, struct arus_stateful *stateful,
                                  const struct arus_row_code *code, struct arus_stored *stored,
                                  struct arus_error *err)
{
    struct arus_arena *arena = &stateful->stored_lanes[lane->worker].lookups;
    const uint32_t row_count = stored->rows.row_count;
    const size_t starts_size = ((size_t)row_count + 1) * sizeof *stored->packed.starts;
    struct arus_row_bytes bytes;
    void *memory;

    ARUS_TRY(arus_row_code_encode(code, stored->rows.columns, row_count, &lane->step, &bytes, err));
    stored->packed.row_count = row_count;
    ARUS_TRY(arus_arena_buffer(arena, starts_size, &memory, err));
    stored->packed.starts = memcpy(memory, bytes.starts, starts_size);
    ARUS_TRY(arus_arena_buffer(arena, (size_t)bytes.starts[row_count] + 1, &memory, err));
    stored->packed.bytes = memcpy(memory, bytes.bytes, bytes.starts[row_count]);
    return ARUS_OK;
}

enum arus_status arus_stored_times(struct arus_lane *lane, struct arus_stateful *stateful,
                                   const struct arus_vector *column, int64_t delay,
                                   struct arus_stored *stored, struct arus_error *err)
{
    const uint32_t row_count = stored->rows.row_count;
    int64_t *times;
    void *memory;

    ARUS_TRY(arus_event_times(column, &lane->step, &times, err));
    ARUS_TRY(arus_arena_buffer(&stateful->stored_lanes[lane->worker].lookups,
                               row_count * sizeof *times + 1, &memory, err));
    stored->times = memory;
    for (uint32_t i = 0; i < row_count; i++) {
        const int64_t time = times[stored->order.rows[i]];

        stored->times[i] = time == ARUS_STATE_NEVER ? time : time + delay;
    }
    return ARUS_OK;
}

enum arus_status arus_stored_on_time(struct arus_lane *lane, struct arus_stateful *stateful,
                                     const struct arus_vector *column, uint32_t **rows,
                                     uint32_t *count, struct arus_error *err)
{
    const uint32_t row_count = column->row_count;
    uint32_t late_count = 0;
    uint32_t *late;
    int64_t *times;

    ARUS_TRY(arus_event_times(column, &lane->step, &times, err));
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, (size_t)row_count + 1, rows, err));
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, (size_t)row_count + 1, &late, err));
    *count = 0;
    for (uint32_t i = 0; i < row_count; i++) {
        if (times[i] > stateful->late_bound) {
            (*rows)[(*count)++] = i;
        } else {
            late[late_count++] = i;
        }
    }
    atomic_fetch_add(&stateful->late_rows, late_count);
    return arus_fate_late(lane, late, late_count, times, err);
}
