#include "expr/agg_heap.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

static uint64_t used;

static enum arus_status take(void *self, uint64_t size, struct arus_error *err)
{
    const uint64_t *limit = self;

    if (used + size > *limit) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "full");
    }
    used += size;
    return ARUS_OK;
}

static void give(void *self, uint64_t size)
{
    (void)self;
    used -= size;
}

Test(agg_heap, counts_its_blocks_until_it_is_closed)
{
    uint64_t limit = 100000;
    const struct arus_agg_meter meter = {take, give, &limit};
    struct arus_agg_heap *heap;
    struct arus_error err;
    void *memory;
    uint64_t seen = 0;

    used = 0;
    cr_assert(eq(int, arus_agg_heap_open(&heap, &err), ARUS_OK));
    arus_agg_heap_set_meter(heap, &meter);
    while (arus_agg_heap_alloc(heap, 100, &memory, &err) == ARUS_OK) {
        seen += 104;
    }
    cr_expect(eq(str, err.message, "full"));
    cr_expect(gt(u64, seen, 50000));
    cr_expect(ge(u64, used, seen));
    arus_agg_heap_close(heap);
    cr_expect(eq(u64, used, 0));
}

Test(agg_heap, begins_with_a_small_block)
{
    uint64_t limit = 8192;
    const struct arus_agg_meter meter = {take, give, &limit};
    struct arus_agg_heap *heap;
    struct arus_error err;
    void *memory;

    used = 0;
    cr_assert(eq(int, arus_agg_heap_open(&heap, &err), ARUS_OK));
    arus_agg_heap_set_meter(heap, &meter);
    cr_expect(eq(int, arus_agg_heap_alloc(heap, 8, &memory, &err), ARUS_OK));
    arus_agg_heap_set_meter(heap, NULL);
    cr_expect(eq(u64, used, 0));
    arus_agg_heap_close(heap);
}

/* Stretches of all lengths grow in turn, short ones and long ones, and keep what is in them. */
Test(agg_heap, what_grows_keeps_its_bytes)
{
    enum { COUNT = 5, STEPS = 30 };
    uint64_t limit = UINT64_MAX;
    const struct arus_agg_meter meter = {take, give, &limit};
    struct arus_agg_heap *heap;
    struct arus_error err;
    void *stretches[COUNT] = {NULL};
    size_t sizes[COUNT] = {0};

    used = 0;
    cr_assert(eq(int, arus_agg_heap_open(&heap, &err), ARUS_OK));
    arus_agg_heap_set_meter(heap, &meter);
    for (size_t step = 0; step < STEPS * COUNT; step++) {
        const size_t k = step * 3 % COUNT;
        const size_t size = sizes[k] + sizes[k] / 2 + 10 + k;
        unsigned char *bytes;

        cr_assert(eq(int,
                     arus_agg_heap_grow(heap, stretches[k], sizes[k], size, &stretches[k], &err),
                     ARUS_OK));
        bytes = stretches[k];
        for (size_t i = 0; i < sizes[k]; i++) {
            cr_assert(bytes[i] == (unsigned char)(k * 50 + i % 49), "step %zu", step);
        }
        for (size_t i = sizes[k]; i < size; i++) {
            bytes[i] = (unsigned char)(k * 50 + i % 49);
        }
        sizes[k] = size;
    }
    cr_expect(ge(u64, used, sizes[0] + sizes[1] + sizes[2] + sizes[3] + sizes[4]));
    arus_agg_heap_reset(heap);
    cr_expect(eq(sz, arus_agg_heap_size(heap), 0));
    arus_agg_heap_close(heap);
    cr_expect(eq(u64, used, 0));
}

Test(agg_heap, a_long_stretch_that_may_not_grow_stays)
{
    uint64_t limit = 1000000;
    const struct arus_agg_meter meter = {take, give, &limit};
    struct arus_agg_heap *heap;
    struct arus_error err;
    void *memory;
    void *grown;

    used = 0;
    cr_assert(eq(int, arus_agg_heap_open(&heap, &err), ARUS_OK));
    arus_agg_heap_set_meter(heap, &meter);
    cr_assert(eq(int, arus_agg_heap_alloc(heap, 500000, &memory, &err), ARUS_OK));
    memset(memory, 7, 500000);
    cr_expect(
        eq(int, arus_agg_heap_grow(heap, memory, 500000, 1500000, &grown, &err), ARUS_NO_MEMORY));
    cr_expect(eq(int, ((unsigned char *)memory)[499999], 7));
    arus_agg_heap_close(heap);
    cr_expect(eq(u64, used, 0));
}
