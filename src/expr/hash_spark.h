/** Spark's row hashes: Murmur3 and XXH64 as its `hash` and `xxhash64` compute them. */
#ifndef ARUS_EXPR_HASH_SPARK_H
#define ARUS_EXPR_HASH_SPARK_H

#include "column/vector.h"

/** Hash of row i with a seed; a null leaves the seed as it is. FLAT or CONSTANT vectors without
 * MAP. */
uint32_t arus_murmur3_value(const struct arus_vector *vector, uint32_t i, uint32_t seed);
uint64_t arus_xxhash64_value(const struct arus_vector *vector, uint32_t i, uint64_t seed);
/** The hashes of all rows; rows without a value: the seed. */
void arus_xxhash64_column(const struct arus_vector *vector, uint32_t row_count, uint64_t seed,
                          uint64_t *out);
uint64_t arus_xxhash64_bytes(const void *data, size_t size, uint64_t seed);

#endif
