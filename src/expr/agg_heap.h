/** Memory behind aggregate states: grows only, never moves, freed at once. One thread at a time. */
#ifndef ARUS_EXPR_AGG_HEAP_H
#define ARUS_EXPR_AGG_HEAP_H

#include "base/error.h"

#include <stddef.h>

struct arus_agg_heap;

ARUS_MUST_USE enum arus_status arus_agg_heap_open(struct arus_agg_heap **out,
                                                  struct arus_error *err);
/** Accepts NULL. */
void arus_agg_heap_close(struct arus_agg_heap *heap);
/** `size` bytes aligned to 8, not zeroed; *out lives until reset or close. */
ARUS_MUST_USE enum arus_status arus_agg_heap_alloc(struct arus_agg_heap *heap, size_t size,
                                                   void **out, struct arus_error *err);
/** Bytes handed out, those that are no longer used included. */
size_t arus_agg_heap_size(const struct arus_agg_heap *heap);
/** Ends all memory handed out, keeps one block for reuse. */
void arus_agg_heap_reset(struct arus_agg_heap *heap);

#endif
