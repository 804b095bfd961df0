/** Rows of a batch that have the same key, where there are few keys: each is then encoded and
 * looked up once, not once a row. */
#ifndef ARUS_EXEC_FEW_H
#define ARUS_EXEC_FEW_H

#include "column/vector.h"

struct arus_few {
    uint32_t *firsts; /* [count] the first row of each key, rising */
    uint32_t *places; /* [row_count] which of them a row is like */
    uint32_t count;
};

/**
 * Rows with the same place have the same key; the same key may have several places (zeros of both
 * signs, what a dictionary says twice). `columns`: of any form. *is_few false: there are too many
 * keys, or of a type that is not looked at (arrays, maps, decimals of 16 bytes); `out` says nothing
 * then. Memory of the arena.
 */
ARUS_MUST_USE enum arus_status arus_few_find(const struct arus_vector *columns,
                                             uint32_t column_count, uint32_t row_count,
                                             struct arus_arena *arena, struct arus_few *out,
                                             bool *is_few, struct arus_error *err);

#endif
