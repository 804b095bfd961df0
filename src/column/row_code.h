/**
 * Rows as bytes without pointers. As KEY equal bytes are equal keys: nulls equal nulls, all NaN are
 * one, zero has no sign. As ROW they give back exactly what went in. Keys of state tables, stored
 * rows of joins; part of the format of stored state.
 *
 *     row   null bits of the leaf columns, 8 a byte, 1 = null; then the values that are not null,
 * in order leaf  a column; a STRUCT is a leaf without value, followed by its fields (null when it
 * is null) value fixed size: as it lies in a vector; texts: column/text_code.h; ARRAY, MAP:
 * column/pack.h
 */
#ifndef ARUS_COLUMN_ROW_CODE_H
#define ARUS_COLUMN_ROW_CODE_H

#include "column/vector.h"

enum arus_row_use { ARUS_ROW_AS_KEY, ARUS_ROW_AS_ROW };

struct arus_row_leaf;

/** Immutable; lives in the arena it was made in. */
struct arus_row_code {
    const struct arus_row_leaf *leaves; /* [leaf_count] */
    uint32_t leaf_count;
    uint32_t column_count;
    uint32_t null_size;  /* bytes of null bits */
    uint32_t fixed_size; /* of a row without nulls: null bits and values of fixed size */
    enum arus_row_use use;
};

/** Of `count` columns of these types, which must outlive the code. */
ARUS_MUST_USE enum arus_status
arus_row_code_make(const struct arus_type *const *types, uint32_t count, enum arus_row_use use,
                   struct arus_arena *arena, struct arus_row_code *out, struct arus_error *err);

/** Encoded rows: row i is bytes[starts[i]] .. bytes[starts[i + 1]]. */
struct arus_row_bytes {
    char *bytes;
    uint32_t *starts; /* [row_count + 1] */
    uint32_t row_count;
};

/** Encodes columns of any form, at most 4 GiB at a time. The bytes live in the arena. */
ARUS_MUST_USE enum arus_status arus_row_code_encode(const struct arus_row_code *code,
                                                    const struct arus_vector *columns,
                                                    uint32_t row_count, struct arus_arena *arena,
                                                    struct arus_row_bytes *out,
                                                    struct arus_error *err);
/** Encoded rows back to FLAT columns [column_count] that share nothing with the bytes. */
ARUS_MUST_USE enum arus_status
arus_row_code_decode(const struct arus_row_code *code, const char **rows, uint32_t count,
                     struct arus_arena *arena, struct arus_vector *out, struct arus_error *err);
/** Behind one encoded row. */
const char *arus_row_code_skip(const struct arus_row_code *code, const char *row);

#endif
