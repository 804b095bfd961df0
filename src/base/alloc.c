/** Heap access and failure injection. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define ALIGNMENT ((size_t)64)

static _Atomic uint64_t fail_countdown; /* test hook: the one global of this folder */

static bool must_fail(void)
{
    uint64_t left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);

    if (left == 0) {
        return false;
    }
    atomic_store_explicit(&fail_countdown, left - 1, memory_order_relaxed);
    return left == 1;
}

void *arus_alloc(size_t count, size_t size)
{
    return must_fail() ? NULL : calloc(count, size);
}

void *arus_alloc_buffer(size_t size)
{
    size_t padded;

    if (size > SIZE_MAX - ALIGNMENT || must_fail()) {
        return NULL;
    }
    padded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    padded = padded == 0 ? ALIGNMENT : padded;
    return aligned_alloc(ALIGNMENT, padded);
}

void *arus_realloc(void *memory, size_t size)
{
    return must_fail() ? NULL : realloc(memory, size);
}

void arus_free(void *memory)
{
    free(memory);
}

void arus_alloc_fail_at(uint64_t nth)
{
    atomic_store_explicit(&fail_countdown, nth, memory_order_relaxed);
}
