/** From levels and values to vectors: what a query wants, laid over what a file has. */
#ifndef ARUS_FORMAT_PARQUET_ASSEMBLE_H
#define ARUS_FORMAT_PARQUET_ASSEMBLE_H

#include "column/vector.h"
#include "format/parquet_column.h"

enum arus_parquet_shape {
    ARUS_PARQUET_MISSING, /* not in the file: null */
    ARUS_PARQUET_LEAF,
    ARUS_PARQUET_STRUCT,
    ARUS_PARQUET_LIST /* and MAP */
};

/**
 * A wanted value and where it is in the file. A "slot" is a place where a value could be: a row, or
 * an element of the innermost list around it; an entry begins one when its repetition is at most
 * slot_repetition and its definition at least slot_definition.
 */
struct arus_parquet_want {
    enum arus_parquet_shape shape;
    const struct arus_type *type;
    uint8_t slot_definition;
    uint8_t slot_repetition;
    uint8_t definition;                 /* from here on the slot has a value */
    uint8_t element_definition;         /* LIST: from here on there is an element */
    uint8_t element_repetition;         /* LIST: of a further element */
    struct arus_parquet_want *children; /* [type->field_count] */
    uint32_t column;                    /* LEAF: its values; others: whose levels to follow */
};

/** The columns that a plan reads; grows. Zeroed = empty and releasable. */
struct arus_parquet_columns {
    struct arus_parquet_column **items; /* pointers stay valid as it grows */
    uint32_t count;
    uint32_t made_count; /* those behind `count` wait for the next file */
    uint32_t capacity;
};
/** Forgets the columns, keeps their memory. */
static inline void arus_parquet_columns_reset(struct arus_parquet_columns *columns)
{
    columns->count = 0;
}
void arus_parquet_columns_release(struct arus_parquet_columns *columns);

/**
 * Plans reading `root`'s fields as those of `type` (STRUCT); names match without case.
 * Errors: ARUS_BAD_DATA FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH;
 * FAILED_READ_FILE.NO_HINT: two columns fit a name, or a group stands for a plain value.
 */
ARUS_MUST_USE enum arus_status
arus_parquet_want_build(const struct arus_parquet_node *root, const struct arus_type *type,
                        struct arus_arena *arena, struct arus_parquet_columns *columns,
                        struct arus_parquet_want *out, struct arus_error *err);
/**
 * Makes the vector of a want from what its columns have just read.
 * Errors: ARUS_BAD_DATA: the columns contradict each other.
 */
ARUS_MUST_USE enum arus_status
arus_parquet_want_vector(const struct arus_parquet_want *want,
                         const struct arus_parquet_columns *columns, uint32_t row_count,
                         struct arus_arena *arena, struct arus_vector *out, struct arus_error *err);
/** The child whose name fits, NULL: none. Errors: two fit. */
ARUS_MUST_USE enum arus_status arus_parquet_child_find(const struct arus_parquet_node *node,
                                                       struct arus_text name,
                                                       const struct arus_parquet_node **out,
                                                       struct arus_error *err);

#endif
