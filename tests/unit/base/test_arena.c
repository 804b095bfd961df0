#include "base/arena.h"
#include "support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static enum arus_status fill_two_blocks(struct arus_error *err)
{
    struct arus_arena arena = {0};
    enum arus_status status = ARUS_OK;
    void *memory;

    for (int i = 0; i < 3 && status == ARUS_OK; i++) {
        status = arus_arena_alloc(&arena, 60000, &memory, err);
    }
    arus_arena_release(&arena);
    return status;
}

Test(arena, stops_at_its_limit)
{
    struct arus_arena arena;
    struct arus_error err;
    void *memory;

    arus_arena_init(&arena, 100);
    cr_assert(eq(int, arus_arena_alloc(&arena, 101, &memory, &err), ARUS_NO_MEMORY));
    cr_expect(eq(str, err.message, "arena limit of 100 bytes reached"));
    arus_arena_release(&arena);
}

Test(arena, gives_zeroed_memory_after_a_reset)
{
    struct arus_arena arena = {0};
    struct arus_error err;
    void *memory;

    cr_assert(eq(int, arus_arena_alloc(&arena, 1000, &memory, &err), ARUS_OK));
    memset(memory, 0xff, 1000);
    arus_arena_reset(&arena);
    cr_assert(eq(int, arus_arena_alloc(&arena, 1000, &memory, &err), ARUS_OK));
    for (int i = 0; i < 1000; i++) {
        cr_assert(eq(int, ((unsigned char *)memory)[i], 0));
    }
    arus_arena_release(&arena);
}

Test(arena, a_reset_keeps_its_blocks)
{
    struct arus_arena arena = {0};
    struct arus_error err;
    void *first;
    void *again;

    for (int round = 0; round < 2; round++) {
        void **out = round == 0 ? &first : &again;

        cr_assert(eq(int, arus_arena_buffer(&arena, 50000, out, &err), ARUS_OK));
        cr_assert(eq(int, arus_arena_buffer(&arena, 900000, out, &err), ARUS_OK));
        arus_arena_reset(&arena);
    }
    cr_expect(eq(ptr, first, again));
    arus_arena_release(&arena);
}

Test(arena, survives_each_failing_allocation)
{
    assert_each_failure(fill_two_blocks);
}
