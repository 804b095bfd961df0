/** From vectors to levels and values: the tree of a schema that is written. */
#ifndef ARUS_FORMAT_PARQUET_SHRED_H
#define ARUS_FORMAT_PARQUET_SHRED_H

#include "format/parquet_sink.h"

#define ARUS_PARQUET_LEVEL_MAX 120 /* deeper nesting is refused */

/** A field that is written. Lives in the writer's arena; its buffers are its own. */
struct arus_parquet_branch {
    const struct arus_type *type;
    const struct arus_parquet_element *element; /* of this node */
    bool is_required;                           /* map keys */
    uint8_t definition;                         /* level of an entry that has a value here */
    uint8_t repetition;
    uint32_t sink;                        /* leaves: index */
    struct arus_parquet_branch *children; /* [type->field_count] */
    struct arus_parquet_branch *inner;    /* ARRAY, MAP: the repeated group; only entries */

    /* entries of the slice at hand */
    struct arus_buffer rows; /* uint32_t: row of the vector; DEAD: no value */
    struct arus_buffer definitions;
    struct arus_buffer repetitions;
    struct arus_buffer values; /* leaves: gathered */
};

/** Elements of a schema being built, depth first, and the leaves among them. */
struct arus_parquet_layout {
    struct arus_arena *arena;
    struct arus_parquet_element *elements; /* [element_count] */
    uint32_t element_count;
    uint32_t leaf_count;
    struct arus_parquet_branch *root; /* type: the schema */
};

/** Lays out a schema in Spark's way. Errors: ARUS_BAD_CONFIG: a struct without fields. */
ARUS_MUST_USE enum arus_status arus_parquet_layout_build(const struct arus_type *schema,
                                                         struct arus_arena *arena,
                                                         struct arus_parquet_layout *out,
                                                         struct arus_error *err);
/** How values of the type are handed to a sink, and the bytes of one in the file. */
enum arus_parquet_order arus_parquet_order_of(const struct arus_type *type, uint8_t *width);

/** Gives rows [begin, begin + count) of column `field` to its sinks.
 * Errors: ARUS_BAD_DATA: a null map key. */
ARUS_MUST_USE enum arus_status arus_parquet_shred(struct arus_parquet_branch *root, uint16_t field,
                                                  const struct arus_vector *vector, uint32_t begin,
                                                  uint32_t count, struct arus_parquet_sink *sinks,
                                                  struct arus_block_state *codecs,
                                                  struct arus_error *err);
uint64_t arus_parquet_branch_held_size(const struct arus_parquet_branch *branch);
void arus_parquet_branch_release(struct arus_parquet_branch *branch);

#endif
