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
#define FRESH_MIN ((size_t)32 << 20) /* glibc always asks the kernel for as much */

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
    const size_t total = size != 0 && count <= PTRDIFF_MAX / size ? count * size : 0;

    if (must_fail()) {
        return NULL;
    }
    if (total >= FRESH_MIN) { /* zeros of the kernel; up to 4 MiB at the ends in small pages */
        return wish_wide(calloc(count, size), total);
    }
    if (total >= WIDE_MIN || total == HUGE_PAGE) { /* one such page, without waste, counts too */
        void *memory = alloc_wide(total);

        return memory == NULL ? NULL : memset(memory, 0, total);
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
