/** Grows a column row by row: for decoders of nested data and for edges. Flat readers write arrays
 * directly. */
#ifndef ARUS_COLUMN_BUILDER_H
#define ARUS_COLUMN_BUILDER_H

#include "column/vector.h"

/**
 * Appends values of one type. Its memory is its own and is kept over resets; strings are NOT
 * copied: a view must stay valid until the finished vector dies.
 */
struct arus_builder {
    const struct arus_type *type;
    uint32_t row_count;
    uint32_t null_count;
    uint32_t capacity;             /* rows that values and validity have room for */
    void *values;                  /* as struct arus_vector */
    uint64_t *validity;            /* always kept up */
    struct arus_builder *children; /* [type->field_count] */
};

/** Zeroed memory becomes a builder of `type` (which must outlive it). */
ARUS_MUST_USE enum arus_status arus_builder_init(struct arus_builder *builder,
                                                 const struct arus_type *type,
                                                 struct arus_error *err);
void arus_builder_release(struct arus_builder *builder);
/** Forgets all rows, keeps the memory. */
void arus_builder_reset(struct arus_builder *builder);
/** Room for `rows` more rows (not for children of arrays and maps). */
ARUS_MUST_USE enum arus_status arus_builder_reserve(struct arus_builder *builder, uint32_t rows,
                                                    struct arus_error *err);
/** Appends a null; structs get a null in every child. */
ARUS_MUST_USE enum arus_status arus_builder_null(struct arus_builder *builder,
                                                 struct arus_error *err);
/** Appends a value of a fixed-size type or a view: `value` points at the type's c_type. */
ARUS_MUST_USE enum arus_status arus_builder_value(struct arus_builder *builder, const void *value,
                                                  struct arus_error *err);
/** Appends an array or map whose `count` elements were just appended to the children. */
ARUS_MUST_USE enum arus_status arus_builder_span(struct arus_builder *builder, uint32_t count,
                                                 struct arus_error *err);
/** Appends a struct whose fields were just appended to the children. */
ARUS_MUST_USE enum arus_status arus_builder_struct(struct arus_builder *builder,
                                                   struct arus_error *err);
/** Takes back all rows from `row_count` on (children too): a record turned out bad. */
void arus_builder_truncate(struct arus_builder *builder, uint32_t row_count);
/** The rows as a FLAT vector over the builder's memory; valid until reset. validity NULL if no
 * nulls. `arena` holds the child structs only. */
ARUS_MUST_USE enum arus_status arus_builder_finish(const struct arus_builder *builder,
                                                   struct arus_arena *arena,
                                                   struct arus_vector *out, struct arus_error *err);

#endif
