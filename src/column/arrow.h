/** Batches as Arrow C Data: what other programs and libraries take without a copy of their own. */
#ifndef ARUS_COLUMN_ARROW_H
#define ARUS_COLUMN_ARROW_H

#include "column/vector.h"

/* The two structs of the Arrow C data interface, as its specification gives them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_NULLABLE 2
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

/** A schema as a struct type. `out` owns its memory: end it with out->release(out). Children may be
 * moved out before and are then released on their own. */
ARUS_MUST_USE enum arus_status arus_arrow_schema(const struct arus_type *schema,
                                                 struct ArrowSchema *out, struct arus_error *err);
/** Rows as a struct array, copied: strings and lists with 32-bit offsets, booleans as bits,
 * decimals in 16 bytes. Errors: ARUS_NO_MEMORY, also beyond 2 GiB of text in one column. */
ARUS_MUST_USE enum arus_status arus_arrow_batch(const struct arus_batch *batch,
                                                struct ArrowArray *out, struct arus_error *err);

#endif
