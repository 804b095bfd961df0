/** Key columns: hashed a batch at a time, compared row by row by a routine chosen once. */
#ifndef ARUS_EXEC_KEYS_H
#define ARUS_EXEC_KEYS_H

#include "column/vector.h"

/** Are row i of `a` and row j of `b` equal in all key columns? Nulls equal nulls, NaN equals NaN.
 * Both FLAT. */
typedef bool (*arus_keys_equal_fn)(const struct arus_vector *a, uint32_t i,
                                   const struct arus_vector *b, uint32_t j, uint32_t key_count);

/** The fastest routine for these types. */
arus_keys_equal_fn arus_keys_equal_for(const struct arus_vector *keys, uint32_t key_count);

/** hashes[i] over all key columns; without keys all rows have one hash. */
void arus_keys_hash(const struct arus_vector *keys, uint32_t key_count, uint32_t row_count,
                    uint64_t *hashes);

#endif
