/** A state that collects bytes: percentiles, mode, listagg. */
#ifndef ARUS_EXPR_AGGREGATE_BYTES_H
#define ARUS_EXPR_AGGREGATE_BYTES_H

#include "expr/agg_value.h"

/** Zeroed: nothing yet. */
struct arus_bytes_state {
    struct arus_view bytes; /* in the heap */
    uint64_t capacity;
    uint64_t count; /* values; the bytes of each are the aggregate's matter */
};

uint32_t arus_bytes_size(const struct arus_expr *expr);
uint32_t arus_bytes_views(const struct arus_expr *expr, uint32_t offsets[ARUS_AGG_VIEWS_MAX]);
/** Room for `size` more bytes, to be written by the caller: `count` stays. */
ARUS_MUST_USE enum arus_status arus_bytes_extend(struct arus_bytes_state *state, size_t size,
                                                 struct arus_agg_heap *heap, void **out,
                                                 struct arus_error *err);
/** Appends bytes, not a value: `count` stays. */
ARUS_MUST_USE enum arus_status arus_bytes_append(struct arus_bytes_state *state, const void *data,
                                                 size_t size, struct arus_agg_heap *heap,
                                                 struct arus_error *err);
/** Appends row i of a vector, packed. */
ARUS_MUST_USE enum arus_status arus_bytes_pack(struct arus_bytes_state *state,
                                               const struct arus_vector *vector, uint32_t i,
                                               const struct arus_agg_call *call,
                                               struct arus_error *err);
/** Merge: the bytes of one state behind those of the other. */
ARUS_MUST_USE enum arus_status arus_bytes_merge(const struct arus_agg_call *call,
                                                const unsigned char *from, size_t from_stride,
                                                uint32_t count, struct arus_error *err);

#endif
