/** The one door to the heap: everything else asks here, so tests can make it say no. */
#ifndef ARUS_BASE_ALLOC_H
#define ARUS_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/** `count` zeroed items of `size` bytes, or NULL. The product is checked. */
void *arus_alloc(size_t count, size_t size);
/** 64-byte aligned, length rounded up to 64, not zeroed; for column buffers. NULL on failure. */
void *arus_alloc_buffer(size_t size);
/** Grows or shrinks memory of arus_alloc; new bytes are not zeroed. NULL: failed, the old memory
 * stays. */
void *arus_realloc(void *memory, size_t size);
/** Accepts NULL and all kinds above. */
void arus_free(void *memory);

/** Test hook: the n-th allocation from now fails (1 = the next); 0 switches it off. */
void arus_alloc_fail_at(uint64_t nth);

#endif
