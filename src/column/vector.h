/** Columns: typed vectors in three forms, and the batches they make up. */
#ifndef ARUS_COLUMN_VECTOR_H
#define ARUS_COLUMN_VECTOR_H

#include "base/arena.h"
#include "base/error.h"
#include "types/type.h"

#include <stdbool.h>
#include <stdint.h>

/** Most rows of a batch; a batch may also end at a byte budget (4 MiB of row text). */
#define ARUS_BATCH_ROWS ((uint32_t)8192)

enum arus_vector_form {
    ARUS_VECTOR_FLAT,      /* row i at values[i] */
    ARUS_VECTOR_CONSTANT,  /* every row has the value (and the null) of row 0 */
    ARUS_VECTOR_DICTIONARY /* row i is row indices[i] of `base`, which is FLAT or CONSTANT */
};

/**
 * One column of a batch. Borrowed memory throughout: buffers belong to an arena, a reader's chunk
 * or a build side, and live as long as the batch (until its maker is asked for the next one).
 *
 * Validity: bit i of word i/64, LSB first, 1 = has a value; NULL = no nulls. Bits past the end are
 * undefined. Values of null rows are defined memory with any content (views: size 0); kernels that
 * can fail must look at validity first. Buffers are 64-byte aligned and padded.
 */
struct arus_vector {
    const struct arus_type *type;
    enum arus_vector_form form;
    uint32_t row_count; /* rows of the batch (for children: of the child) */
    uint64_t *validity; /* FLAT: [row_count]; CONSTANT: [1]; DICTIONARY: unused */
    void *values;       /* FLAT: [row_count]; CONSTANT: [1]; by types/type.h; STRUCT: NULL */
    struct arus_vector *children;   /* [type->field_count]; ARRAY, MAP: own row_count; STRUCT: the
                                       parent's;   always FLAT or CONSTANT for a FLAT parent */
    const uint32_t *indices;        /* DICTIONARY: [row_count] */
    const struct arus_vector *base; /* DICTIONARY */
    uint64_t identity; /* of a base that comes again with later batches: equal numbers, equal rows;
                          0: not known */
};

/** Rows in columns. `columns` has one vector per field of `schema`, all of `row_count` rows. */
struct arus_batch {
    const struct arus_type *schema; /* STRUCT */
    uint32_t row_count;
    struct arus_vector *columns; /* [schema->field_count] */
};

/* ---- validity ---- */

static inline size_t arus_validity_words(uint32_t row_count)
{
    return ((size_t)row_count + 63) / 64;
}
/** FLAT or CONSTANT word bitmap; NULL = all valid. */
static inline bool arus_bit_get(const uint64_t *bits, uint32_t i)
{
    return bits == NULL || ((bits[i / 64] >> (i % 64)) & 1) != 0;
}
static inline void arus_bit_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void arus_bit_clear(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~((uint64_t)1 << (i % 64));
}
/** The row of `base` (or of the vector itself) that holds row i. */
static inline uint32_t arus_vector_at(const struct arus_vector *vector, uint32_t i)
{
    switch (vector->form) {
    case ARUS_VECTOR_FLAT:
        return i;
    case ARUS_VECTOR_CONSTANT:
        return 0;
    case ARUS_VECTOR_DICTIONARY:
        return vector->base->form == ARUS_VECTOR_CONSTANT ? 0 : vector->indices[i];
    }
    return i;
}
/** The vector whose `values` arus_vector_at counts in. */
static inline const struct arus_vector *arus_vector_data(const struct arus_vector *vector)
{
    return vector->form == ARUS_VECTOR_DICTIONARY ? vector->base : vector;
}
/** Slow, for edges and tests: does row i have a value? */
static inline bool arus_vector_is_valid(const struct arus_vector *vector, uint32_t i)
{
    const struct arus_vector *data = arus_vector_data(vector);

    return data->type->id != ARUS_TYPE_VOID &&
           arus_bit_get(data->validity, arus_vector_at(vector, i));
}

/** A view of bytes with its prefix. */
static inline struct arus_view arus_view_of(const char *data, size_t size)
{
    struct arus_view view = {.size = (uint32_t)size, .data = data};

    memcpy(view.prefix, data, size < 4 ? size : 4);
    return view;
}
static inline struct arus_text arus_view_text(struct arus_view view)
{
    return (struct arus_text){view.data, view.size};
}

/* ---- making vectors; memory from the arena ---- */

/** FLAT, all rows valid (validity NULL), values not initialised; children made likewise with 0 rows
 * for ARRAY/MAP and `row_count` for STRUCT. */
ARUS_MUST_USE enum arus_status arus_vector_init(struct arus_vector *vector,
                                                const struct arus_type *type, uint32_t row_count,
                                                struct arus_arena *arena, struct arus_error *err);
/** A number that no vector had before. Any thread. */
uint64_t arus_vector_new_identity(void);
/** Gives a FLAT vector a validity bitmap with every bit 1 if it has none. */
ARUS_MUST_USE enum arus_status arus_vector_need_validity(struct arus_vector *vector,
                                                         struct arus_arena *arena,
                                                         struct arus_error *err);
/** CONSTANT null of any type. */
ARUS_MUST_USE enum arus_status arus_vector_init_null(struct arus_vector *vector,
                                                     const struct arus_type *type,
                                                     uint32_t row_count, struct arus_arena *arena,
                                                     struct arus_error *err);
/** The same rows as FLAT (shares memory when it is FLAT already). Nested children become FLAT too.
 */
ARUS_MUST_USE enum arus_status arus_vector_flatten(const struct arus_vector *vector,
                                                   struct arus_arena *arena,
                                                   struct arus_vector *out, struct arus_error *err);
/** Rows indices[0..count) as a DICTIONARY over the vector (dictionaries are folded, a constant
 * stays one). No copy of values; `indices` must live as long as the result. */
ARUS_MUST_USE enum arus_status arus_vector_slice(const struct arus_vector *vector,
                                                 const uint32_t *indices, uint32_t count,
                                                 struct arus_arena *arena, struct arus_vector *out,
                                                 struct arus_error *err);
/** A deep copy with no pointer into the source's memory: for what outlives a batch. FLAT. */
ARUS_MUST_USE enum arus_status arus_vector_copy(const struct arus_vector *vector,
                                                struct arus_arena *arena, struct arus_vector *out,
                                                struct arus_error *err);
/** All columns sliced by the same indices (a filter's result). Folded index arrays are shared by
 * columns. */
ARUS_MUST_USE enum arus_status arus_batch_slice(const struct arus_batch *batch,
                                                const uint32_t *indices, uint32_t count,
                                                struct arus_arena *arena, struct arus_batch *out,
                                                struct arus_error *err);
/** FLAT concatenation of batches of one schema, deeply copied: sort, build sides. Any number of
 * rows. */
ARUS_MUST_USE enum arus_status arus_batch_concat(const struct arus_batch *batches, size_t count,
                                                 const struct arus_type *schema,
                                                 struct arus_arena *arena, struct arus_batch *out,
                                                 struct arus_error *err);
/** Row i against row j: Spark's order. <0, 0, >0; null is lowest and equals null; NaN highest; -0.0
 * = 0.0. */
int arus_vector_compare(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                        uint32_t j);

#endif
