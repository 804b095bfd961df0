/** A file's schema as a tree with levels, and what Spark makes of it. */
#ifndef ARUS_FORMAT_PARQUET_SCHEMA_H
#define ARUS_FORMAT_PARQUET_SCHEMA_H

#include "format/parquet_meta.h"
#include "types/type.h"

#define ARUS_PARQUET_DEPTH_MAX 64

/** A group or a leaf. Lives in the arena of the footer. */
struct arus_parquet_node {
    const struct arus_parquet_element *element;
    struct arus_parquet_node *children; /* [child_count] */
    uint32_t child_count;
    uint32_t leaf;      /* index of the first leaf below, or of this leaf */
    uint8_t definition; /* level of an entry that has a value here */
    uint8_t repetition; /* level of an entry that repeats here or above */
};

/** Errors: ARUS_BAD_DATA: the list of elements is no tree, or a deep one. */
ARUS_MUST_USE enum arus_status arus_parquet_tree_build(const struct arus_parquet_meta *meta,
                                                       struct arus_arena *arena,
                                                       struct arus_parquet_node *out,
                                                       struct arus_error *err);

static inline bool arus_parquet_node_is_leaf(const struct arus_parquet_node *node)
{
    return node->element->physical >= 0;
}

/** Where a list's elements are: all forms that were ever written. */
struct arus_parquet_list {
    const struct arus_parquet_node *repeated;
    const struct arus_parquet_node *element; /* the repeated node itself in lists of two levels */
};

/** Is the group a LIST (or MAP: repeated = the entries, element = the same) of a known form? */
bool arus_parquet_node_list(const struct arus_parquet_node *node, struct arus_parquet_list *out);
bool arus_parquet_node_map(const struct arus_parquet_node *node, struct arus_parquet_list *out);

/**
 * The Spark type of a file: the schema that Spark left in the footer, else by Spark's mapping of
 * Parquet types. Errors: ARUS_BAD_DATA PARQUET_TYPE_ILLEGAL, UNSUPPORTED_TIME_TYPE.
 */
ARUS_MUST_USE enum arus_status arus_parquet_spark_type(const struct arus_parquet_meta *meta,
                                                       const struct arus_parquet_node *root,
                                                       struct arus_arena *arena,
                                                       const struct arus_type **out,
                                                       struct arus_error *err);

/** `INT32 (DECIMAL(9,2))`: for messages. Cut to `size`. */
void arus_parquet_element_text(const struct arus_parquet_element *element, char *out, size_t size);

#endif
