/** Row hashes and row equality over key columns: grouping, joins, deduplication. Not Spark's
 * hash(). */
#ifndef ARUS_COLUMN_HASH_H
#define ARUS_COLUMN_HASH_H

#include "column/vector.h"

/**
 * Mixes the hash of every row into hashes[0..row_count); start with zeros. Nulls hash too; all NaN
 * are alike, -0.0 is 0.0. Equal rows (arus_rows_equal) have equal hashes, also across forms and
 * batches.
 */
void arus_vector_hash(const struct arus_vector *vector, uint32_t row_count, uint64_t *hashes);

/** Are row i of the columns a and row j of the columns b the same group? NULL equals NULL, NaN NaN,
 * -0.0 0.0. */
bool arus_rows_equal(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                     uint32_t j, uint32_t column_count);

#endif
