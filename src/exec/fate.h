/**
 * What becomes of the rows that streams give. Each has one fate, counted where it is decided: in
 * the steps of its stage, and in the gather where the stage ends.
 *
 * Where a step makes several rows of one (GENERATE, PROBE) they share the fate of the row they come
 * from: taken if one of them was, else late, else duplicate, else filtered.
 */
#ifndef ARUS_EXEC_FATE_H
#define ARUS_EXEC_FATE_H

#include "exec/exec_internal.h"

/** Source rows of one batch that may become several; a bit a row. */
struct arus_fate_rows {
    uint32_t row_count;
    bool is_counted;
    uint64_t taken[ARUS_BATCH_ROWS / 64];
    uint64_t late[ARUS_BATCH_ROWS / 64];
    uint64_t waiting[ARUS_BATCH_ROWS / 64]; /* for a DEDUP gather to look up their keys */
};

/** How a lane counts: when it is opened. */
void arus_fate_open(struct arus_lane *lane);
/** Around all that is done with one batch of a streaming scan. */
ARUS_MUST_USE enum arus_status arus_fate_begin(struct arus_lane *lane, uint32_t row_count,
                                               struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_fate_end(struct arus_lane *lane, struct arus_error *err);

/** The row of the stage's source that row `row` of the batch at hand comes from. */
uint32_t arus_lane_origin(const struct arus_lane *lane, uint32_t row);

/** A step lets `count` rows go. */
static inline void arus_fate_drop(struct arus_lane *lane, uint32_t count)
{
    lane->fates.filtered += lane->is_source && !lane->fans_out ? count : 0;
}
/** At the gather: rows[0..count) of the batch at hand (NULL: its first ones) were taken. */
void arus_fate_take(struct arus_lane *lane, const uint32_t *rows, uint32_t count);
/** … came too late; rising; `times`: event times by row of the batch. */
ARUS_MUST_USE enum arus_status arus_fate_late(struct arus_lane *lane, const uint32_t *rows,
                                              uint32_t count, const int64_t *times,
                                              struct arus_error *err);
struct arus_stored;
/** … wait in `stored`, which remembers where they came from. */
ARUS_MUST_USE enum arus_status arus_fate_wait(struct arus_lane *lane, const uint32_t *rows,
                                              uint32_t count, struct arus_stored *stored,
                                              struct arus_error *err);
/** All rows have been looked up: adds what became of those that waited in `stored`. `kept`: rows
 * with new keys. */
void arus_fate_settle(struct arus_fates *fates, struct arus_stored *stored, const uint32_t *kept,
                      uint32_t kept_count);
/** Behind the last arus_fate_settle: rows that several batches share. */
void arus_fate_settle_shared(struct arus_fates *fates, struct arus_stored *stored);

#endif
