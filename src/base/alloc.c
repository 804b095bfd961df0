/** Heap access and failure injection. */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT ((size_t)64)
#define PAGE      ((size_t)4096)
#define HUGE_PAGE ((size_t)2 * 1024 * 1024)
#define WIDE_MIN  (2 * HUGE_PAGE)

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

/* The whole pages of it; also of memory that has grown. */
static void *wish_wide(void *memory, size_t size)
{
    const uintptr_t begin = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE;

    if (memory != NULL) {
        (void)madvise((void *)begin, ((uintptr_t)memory + size - begin) / PAGE * PAGE,
                      MADV_HUGEPAGE); /* only a wish */
    }
    return memory;
}

/* Large tables in pages of 2 MiB: 512 times fewer faults, and a random access finds its page. */
static void *alloc_wide(size_t size)
{
    const size_t padded = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;

    return wish_wide(aligned_alloc(HUGE_PAGE, padded), padded);
}

void *arus_alloc(size_t count, size_t size)
{
    const bool is_sized = size != 0 && count <= PTRDIFF_MAX / size;

    if (must_fail()) {
        return NULL;
    }
    if (is_sized && count * size == HUGE_PAGE) { /* one such page, without waste */
        void *memory = alloc_wide(HUGE_PAGE);

        return memory == NULL ? NULL : memset(memory, 0, HUGE_PAGE);
    }
    if (is_sized && count * size >= WIDE_MIN) { /* comes zeroed from the kernel */
        return wish_wide(calloc(count, size), count * size);
    }
    return calloc(count, size);
}

void *arus_alloc_buffer(size_t size)
{
    size_t padded;

    if (size > SIZE_MAX - HUGE_PAGE || must_fail()) {
        return NULL;
    }
    if (size >= WIDE_MIN) {
        return alloc_wide(size);
    }
    padded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    padded = padded == 0 ? ALIGNMENT : padded;
    return aligned_alloc(ALIGNMENT, padded);
}

void *arus_realloc(void *memory, size_t size)
{
    if (must_fail()) {
        return NULL;
    }
    if (size < WIDE_MIN) {
        return realloc(memory, size);
    }
    return memory == NULL ? alloc_wide(size) : wish_wide(realloc(memory, size), size);
}

void arus_free(void *memory)
{
    free(memory);
}

void arus_alloc_fail_at(uint64_t nth)
{
    atomic_store_explicit(&fail_countdown, nth, memory_order_relaxed);
}
