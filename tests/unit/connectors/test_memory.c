#include "connector/memory.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_memory *memory;
static struct arus_error err;

static const struct arus_field FIELDS[] = {{.name = {"a", 1}, .type = &ARUS_INT}};
static const struct arus_type SCHEMA = {.id = ARUS_TYPE_STRUCT, .field_count = 1, .fields = FIELDS};

static void open_memory(void)
{
    cr_assert(eq(int, arus_memory_make(&memory, &err), ARUS_OK));
}

static void close_memory(void)
{
    arus_memory_free(memory);
}

TestSuite(memory, .init = open_memory, .fini = close_memory);

/* Rows 0..count-1. */
static struct arus_chunk_rows *chunk(uint32_t count)
{
    struct arus_chunk_rows *made;
    struct arus_arena arena = {0};
    struct arus_batch batch;

    cr_assert(eq(int, arus_chunk_rows_make(&SCHEMA, &made, &err), ARUS_OK));
    cr_assert(eq(int, arus_batch_init(&batch, &SCHEMA, count, &arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < count; i++) {
        ((int32_t *)batch.columns[0].values)[i] = (int32_t)i;
    }
    cr_assert(eq(int, arus_chunk_rows_append(made, &batch, &err), ARUS_OK));
    arus_arena_release(&arena);
    return made;
}

static uint64_t rows_of(const char *table)
{
    struct arus_arena arena = {0};
    struct arus_chunks chunks;
    uint64_t count = 0;

    cr_assert(eq(int,
                 arus_memory_take(memory, arus_text_of(table), 0, SIZE_MAX, &arena, &chunks, &err),
                 ARUS_OK));
    for (size_t i = 0; i < chunks.count; i++) {
        count += chunks.items[i]->rows.row_count;
    }
    arus_chunks_drop(&chunks);
    arus_arena_release(&arena);
    return count;
}

Test(memory, counts_adds_by_table_without_case)
{
    cr_assert(eq(int, arus_memory_add(memory, ARUS_TEXT("s"), chunk(2), &err), ARUS_OK));
    cr_assert(eq(int, arus_memory_add(memory, ARUS_TEXT("S"), chunk(3), &err), ARUS_OK));
    cr_expect(eq(sz, arus_memory_count(memory, ARUS_TEXT("s")), 2));
    cr_expect(eq(sz, arus_memory_count(memory, ARUS_TEXT("t")), 0));
    cr_expect(eq(u64, rows_of("s"), 5));
}

Test(memory, takes_a_batch_once)
{
    cr_assert(
        eq(int, arus_memory_put(memory, ARUS_TEXT("out"), 0, false, chunk(2), &err), ARUS_OK));
    cr_assert(
        eq(int, arus_memory_put(memory, ARUS_TEXT("out"), 0, false, chunk(9), &err), ARUS_OK));
    cr_expect(eq(u64, rows_of("out"), 2));
}

Test(memory, shows_the_newest_batch_in_complete_mode_and_knows_the_others)
{
    cr_assert(eq(int, arus_memory_put(memory, ARUS_TEXT("out"), 0, true, chunk(2), &err), ARUS_OK));
    cr_assert(eq(int, arus_memory_put(memory, ARUS_TEXT("out"), 1, true, chunk(3), &err), ARUS_OK));
    cr_expect(eq(u64, rows_of("out"), 3));
    cr_expect(arus_memory_has(memory, ARUS_TEXT("out"), 0));
}

Test(memory, keeps_rows_that_somebody_reads)
{
    struct arus_arena arena = {0};
    struct arus_chunks chunks;

    cr_assert(eq(int, arus_memory_set(memory, ARUS_TEXT("t"), chunk(2), &err), ARUS_OK));
    cr_assert(eq(int, arus_memory_take(memory, ARUS_TEXT("t"), 0, SIZE_MAX, &arena, &chunks, &err),
                 ARUS_OK));
    cr_assert(eq(int, arus_memory_set(memory, ARUS_TEXT("t"), chunk(7), &err), ARUS_OK));
    cr_expect(eq(u64, chunks.items[0]->rows.row_count, 2));
    cr_expect(eq(u64, rows_of("t"), 7));
    arus_chunks_drop(&chunks);
    arus_arena_release(&arena);
}
