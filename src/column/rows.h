/** Moving values and validity bits between flat buffers: the kernels under vector.c and copy.c. */
#ifndef ARUS_COLUMN_ROWS_H
#define ARUS_COLUMN_ROWS_H

#include "column/vector.h"

/** A choice of rows of a FLAT or CONSTANT vector. */
struct arus_rows {
    const struct arus_vector *data;
    const uint32_t *indices; /* [count]; NULL: rows 0..count-1, or row 0 throughout (is_constant) */
    uint32_t count;
    bool is_constant;
};

/** The rows of a vector of any form. */
struct arus_rows arus_rows_of(const struct arus_vector *vector);
/** The same rows of child `field` of a struct; needs the arena when the child is a DICTIONARY. */
ARUS_MUST_USE enum arus_status arus_rows_child(struct arus_rows rows, uint16_t field,
                                               struct arus_arena *arena, struct arus_rows *out,
                                               struct arus_error *err);
/** Values of `rows`, of 1, 2, 4, 8 or 16 bytes (0: nothing), to out[0..count). */
void arus_rows_values(struct arus_rows rows, const void *values, uint32_t value_size, void *out);
/** Validity of `rows` to bits at.. of `out`; other bits keep their value. */
void arus_rows_validity(struct arus_rows rows, uint64_t *out, uint32_t at);
/** May there be a null among them? Looks at no bits. */
bool arus_rows_may_have_nulls(struct arus_rows rows);

#endif
