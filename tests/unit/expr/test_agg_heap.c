#include "expr/agg_heap.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

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
