#include "exec/fate.h"

#include "exec/side.h"
#include "exec/stateful.h"

static const struct arus_stage *stage_of(const struct arus_lane *lane)
{
    return lane->exec->stages[lane->stage_index].plan;
}

static enum arus_gather_kind target_of(const struct arus_lane *lane)
{
    return lane->exec->gathers[stage_of(lane)->target].plan->kind;
}

void arus_fate_open(struct arus_lane *lane)
{
    const struct arus_stage *stage = stage_of(lane);

    lane->is_source = stage->from == ARUS_FROM_SCAN && stage->scan.is_stream;
    for (uint32_t i = 0; i < stage->step_count; i++) {
        const enum arus_step_kind kind = stage->steps[i]->kind;

        lane->fans_out = lane->fans_out || kind == ARUS_STEP_GENERATE || kind == ARUS_STEP_PROBE;
    }
}

uint32_t arus_lane_origin(const struct arus_lane *lane, uint32_t row)
{
    for (uint32_t step = lane->at + 1; step-- > 0;) {
        row = lane->origins[step] == NULL ? row : lane->origins[step][row];
    }
    return row;
}

/* Rows that wait are looked at again when the batch is long gone. */
static struct arus_arena *memory_of(struct arus_lane *lane)
{
    const struct arus_gather_state *gather = &lane->exec->gathers[stage_of(lane)->target];

    return target_of(lane) == ARUS_GATHER_DEDUP
               ? &gather->stateful->stored_lanes[lane->worker].arena
               : &lane->step;
}

enum arus_status arus_fate_begin(struct arus_lane *lane, uint32_t row_count, struct arus_error *err)
{
    if (!lane->is_source || !lane->fans_out) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(memory_of(lane), struct arus_fate_rows, 1, &lane->fate_rows, err));
    lane->fate_rows->row_count = row_count;
    return ARUS_OK;
}

static uint64_t count_bits(uint64_t bits)
{
    return (uint64_t)__builtin_popcountll(bits);
}

/* Late rows of the batch: those of which nothing, or (`is_kept`) something, was in time. */
static enum arus_status set_aside(struct arus_lane *lane, bool is_kept, struct arus_error *err)
{
    const struct arus_fate_rows *bits = lane->fate_rows;
    uint32_t count = 0;
    uint32_t *rows;

    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, (size_t)bits->row_count + 1, &rows, err));
    for (uint32_t i = 0; i < bits->row_count; i++) {
        const bool in_time = arus_bit_get(bits->taken, i) || arus_bit_get(bits->waiting, i);

        if (arus_bit_get(bits->late, i) && in_time == is_kept) {
            rows[count++] = i;
        }
    }
    return arus_side_late(lane, rows, count, NULL, is_kept, err);
}

enum arus_status arus_fate_end(struct arus_lane *lane, struct arus_error *err)
{
    const struct arus_fate_rows *rows = lane->fate_rows;
    uint64_t arrived = 0;

    if (!lane->is_source || !lane->fans_out) {
        return ARUS_OK;
    }
    for (size_t i = 0; i < arus_validity_words(rows->row_count); i++) {
        const uint64_t used = rows->taken[i] | rows->waiting[i];

        lane->fates.taken += count_bits(rows->taken[i]);
        lane->fates.late += count_bits(rows->late[i] & ~used);
        arrived += count_bits(rows->late[i] | used);
    }
    lane->fates.filtered += rows->row_count - arrived;
    if (!arus_side_is_on(lane->exec, ARUS_SIDE_LATE)) {
        return ARUS_OK;
    }
    ARUS_TRY(set_aside(lane, false, err));
    return set_aside(lane, true, err);
}

static void mark(const struct arus_lane *lane, const uint32_t *rows, uint32_t count, uint64_t *bits)
{
    for (uint32_t i = 0; i < count; i++) {
        arus_bit_set(bits, arus_lane_origin(lane, rows == NULL ? i : rows[i]));
    }
}

void arus_fate_take(struct arus_lane *lane, const uint32_t *rows, uint32_t count)
{
    if (lane->is_source && lane->fans_out) {
        mark(lane, rows, count, lane->fate_rows->taken);
    } else {
        lane->fates.taken += lane->is_source ? count : 0;
    }
}

enum arus_status arus_fate_late(struct arus_lane *lane, const uint32_t *rows, uint32_t count,
                                const int64_t *times, struct arus_error *err)
{
    uint32_t *origins;
    int64_t *late_times;

    if (lane->is_source && lane->fans_out) {
        mark(lane, rows, count, lane->fate_rows->late);
        return ARUS_OK; /* a row may have another part that is in time */
    }
    lane->fates.late += lane->is_source ? count : 0;
    if (count == 0 || !arus_side_is_on(lane->exec, ARUS_SIDE_LATE)) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&lane->step, uint32_t, count, &origins, err));
    ARUS_TRY(ARUS_NEW(&lane->step, int64_t, count, &late_times, err));
    for (uint32_t i = 0; i < count; i++) {
        origins[i] = arus_lane_origin(lane, rows[i]);
        late_times[i] = times[rows[i]];
    }
    return arus_side_late(lane, origins, count, late_times, false, err);
}

enum arus_status arus_fate_wait(struct arus_lane *lane, const uint32_t *rows, uint32_t count,
                                struct arus_stored *stored, struct arus_error *err)
{
    stored->is_source = lane->is_source;
    if (!lane->is_source || !lane->fans_out) {
        return ARUS_OK;
    }
    mark(lane, rows, count, lane->fate_rows->waiting);
    stored->fate = lane->fate_rows;
    ARUS_TRY(ARUS_NEW(memory_of(lane), uint32_t, (size_t)count + 1, &stored->origins, err));
    for (uint32_t i = 0; i < count; i++) {
        stored->origins[i] = arus_lane_origin(lane, rows == NULL ? i : rows[i]);
    }
    return ARUS_OK;
}

void arus_fate_settle(struct arus_fates *fates, struct arus_stored *stored, const uint32_t *kept,
                      uint32_t kept_count)
{
    if (stored->fate != NULL) {
        for (uint32_t i = 0; i < kept_count; i++) {
            arus_bit_set(stored->fate->taken, stored->origins[kept[i]]);
        }
    } else if (stored->is_source) {
        fates->taken += kept_count;
        fates->duplicate += stored->rows.row_count - kept_count;
    }
}

void arus_fate_settle_shared(struct arus_fates *fates, struct arus_stored *stored)
{
    struct arus_fate_rows *rows = stored->fate;

    if (rows == NULL || rows->is_counted) {
        return;
    }
    rows->is_counted = true;
    for (size_t i = 0; i < arus_validity_words(rows->row_count); i++) {
        fates->taken += count_bits(rows->taken[i]);
        fates->duplicate += count_bits(rows->waiting[i] & ~rows->taken[i]);
    }
}
