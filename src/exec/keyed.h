/** Rows of a stateful operator with their keys as bytes, hashed, and their event times. */
#ifndef ARUS_EXEC_KEYED_H
#define ARUS_EXEC_KEYED_H

#include "column/row_code.h"
#include "state/part.h"

/** Of one batch; memory of an arena. */
struct arus_keyed {
    struct arus_text *keys; /* [row_count] */
    uint64_t *hashes;       /* [row_count] */
    uint32_t row_count;
};

/** `columns`: of any form. */
ARUS_MUST_USE enum arus_status arus_keyed_make(const struct arus_row_code *code,
                                               const struct arus_vector *columns,
                                               uint32_t row_count, struct arus_arena *arena,
                                               struct arus_keyed *out, struct arus_error *err);

/** Event times in microseconds of a TIMESTAMP or of a window (its end); nulls are ARUS_STATE_NEVER.
 */
ARUS_MUST_USE enum arus_status arus_event_times(const struct arus_vector *column,
                                                struct arus_arena *arena, int64_t **out,
                                                struct arus_error *err);

/** Row numbers in the order of partitions: those of p are rows[begin[p]] .. rows[begin[p + 1]]. */
struct arus_by_partition {
    uint32_t *rows;
    uint32_t begin[ARUS_STATE_PART_COUNT + 1];
};

/** Keys of rows[0..row_count), copied: what one partition reads lies side by side. */
ARUS_MUST_USE enum arus_status arus_keyed_gather(const struct arus_keyed *keyed,
                                                 const uint32_t *rows, struct arus_arena *arena,
                                                 struct arus_row_bytes *keys, uint64_t **hashes,
                                                 struct arus_error *err);
/** Stable. */
ARUS_MUST_USE enum arus_status arus_by_partition_make(const uint64_t *hashes, uint32_t row_count,
                                                      struct arus_arena *arena,
                                                      struct arus_by_partition *out,
                                                      struct arus_error *err);

#endif
