/** Memory behind aggregate states: grows only, moves only when asked to, freed at once. One thread
 * at a time. */
#ifndef ARUS_EXPR_AGG_HEAP_H
#define ARUS_EXPR_AGG_HEAP_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct arus_agg_heap;

/** Who counts the memory of a heap. Lives longer than it. */
struct arus_agg_meter {
    /** Errors: what the owner says when it is too much; then nothing is allocated. */
    enum arus_status (*take)(void *self, uint64_t size, struct arus_error *err);
    void (*give)(void *self, uint64_t size);
    void *self;
};

ARUS_MUST_USE enum arus_status arus_agg_heap_open(struct arus_agg_heap **out,
                                                  struct arus_error *err);
/** Blocks from now on count; NULL: none does, and what has counted is given back. */
void arus_agg_heap_set_meter(struct arus_agg_heap *heap, const struct arus_agg_meter *meter);
/** Accepts NULL. */
void arus_agg_heap_close(struct arus_agg_heap *heap);
/** `size` bytes aligned to 8, not zeroed; *out lives until reset or close. */
ARUS_MUST_USE enum arus_status arus_agg_heap_alloc(struct arus_agg_heap *heap, size_t size,
                                                   void **out, struct arus_error *err);
/**
 * `size` bytes, more than `old_size`, that begin with those of `memory`, which alloc or grow gave
 * for `old_size` (0: none) and which ends. Long ones grow where they are, without a copy.
 */
ARUS_MUST_USE enum arus_status arus_agg_heap_grow(struct arus_agg_heap *heap, void *memory,
                                                  size_t old_size, size_t size, void **out,
                                                  struct arus_error *err);
/** Bytes handed out, those that are no longer used included. */
size_t arus_agg_heap_size(const struct arus_agg_heap *heap);
/** Ends all memory handed out, keeps one block for reuse. */
void arus_agg_heap_reset(struct arus_agg_heap *heap);

#endif
