/** Rows that outlive their batches: deep copies, in the order they came. */
#ifndef ARUS_COLUMN_ROW_STORE_H
#define ARUS_COLUMN_ROW_STORE_H

#include "column/append.h"

/** Zeroed = empty and releasable. Not thread-safe: one per worker. */
struct arus_row_store {
    struct arus_arena arena;
    struct arus_batch *batches; /* [batch_count], owned list, FLAT columns in the arena */
    size_t batch_count;
    size_t batch_capacity;
    uint64_t row_count;
};

/** Adds a copy of the batch. */
ARUS_MUST_USE enum arus_status arus_row_store_add(struct arus_row_store *store,
                                                  const struct arus_batch *batch,
                                                  struct arus_error *err);
/** All rows of `count` stores, one after the other, as one FLAT batch (of more than ARUS_BATCH_ROWS
 * rows) in `arena`. Errors: ARUS_NO_MEMORY also beyond 2^31 rows. */
ARUS_MUST_USE enum arus_status arus_row_store_concat(const struct arus_row_store *stores,
                                                     size_t count, const struct arus_type *schema,
                                                     struct arus_arena *arena,
                                                     struct arus_batch *out,
                                                     struct arus_error *err);
/** Forgets the rows, keeps the memory. */
void arus_row_store_reset(struct arus_row_store *store);
void arus_row_store_release(struct arus_row_store *store);

#endif
