/** The build side of a join: rows and a chained hash table over their keys. Read-only once made,
 * but for the marks. */
#ifndef ARUS_EXEC_JOIN_TABLE_H
#define ARUS_EXEC_JOIN_TABLE_H

#include "column/row_store.h"
#include "exec/keys.h"

#include <stdatomic.h>

/** Zeroed = empty and releasable. */
struct arus_join_table {
    struct arus_batch
        rows; /* FLAT; one more row behind the last: all null, for rows without a match */
    struct arus_vector *keys; /* [key_count], FLAT, [row_count] */
    uint32_t key_count;
    uint32_t row_count; /* without the null row */
    bool has_null_key;
    uint32_t *heads;  /* [mask + 1] row + 1; 0: none */
    uint32_t *next;   /* [row_count] row + 1 of the next with the same slot */
    uint64_t *hashes; /* [row_count] */
    uint32_t mask;
    _Atomic unsigned char *matched; /* [row_count]; only for RIGHT and FULL */
    arus_keys_equal_fn equal;
    struct arus_arena arena;
};

/**
 * Makes the table from stores of the build rows and of their keys (same order). `is_null_safe[k]`:
 * a null key matches a null key; otherwise rows with a null key are kept but never found.
 */
ARUS_MUST_USE enum arus_status
arus_join_table_make(struct arus_join_table *table, const struct arus_row_store *rows,
                     const struct arus_row_store *keys, size_t store_count,
                     const struct arus_type *row_schema, const struct arus_type *key_schema,
                     const bool *is_null_safe, bool keeps_marks, struct arus_error *err);
void arus_join_table_release(struct arus_join_table *table);

/**
 * Finds candidates: for rows from *row on, pairs (probe row, build row) whose keys are equal, at
 * most `pair_max`. *row and *chain say where to go on (start: 0 and 0); *row = row_count: all done.
 */
void arus_join_table_probe(const struct arus_join_table *table, const struct arus_vector *keys,
                           const uint64_t *hashes, uint32_t row_count, const bool *is_null_safe,
                           uint32_t *row, uint32_t *chain, uint32_t *probe_rows,
                           uint32_t *build_rows, uint32_t pair_max, uint32_t *pair_count);

#endif
