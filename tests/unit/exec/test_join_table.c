#include "exec/join_table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_error err;
static struct arus_arena arena;

static const struct arus_field FIELDS[] = {{.type = &ARUS_BIGINT, .is_nullable = true}};
static const struct arus_type SCHEMA = {.id = ARUS_TYPE_STRUCT, .field_count = 1, .fields = FIELDS};

/* One BIGINT column; a negative number stands for null. */
static struct arus_batch batch_of(const int64_t *values, uint32_t count)
{
    struct arus_batch batch;

    cr_assert(eq(int, arus_batch_init(&batch, &SCHEMA, count, &arena, &err), ARUS_OK));
    cr_assert(eq(int, arus_vector_need_validity(&batch.columns[0], &arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < count; i++) {
        ((int64_t *)batch.columns[0].values)[i] = values[i];
        if (values[i] < 0) {
            arus_bit_clear(batch.columns[0].validity, i);
        }
    }
    return batch;
}

static void make(struct arus_join_table *table, const int64_t *values, uint32_t count,
                 const bool *is_null_safe)
{
    const struct arus_batch rows = batch_of(values, count);
    struct arus_row_store stores[2] = {0};

    for (int i = 0; i < 2; i++) {
        cr_assert(eq(int, arus_row_store_add(&stores[i], &rows, &err), ARUS_OK));
    }
    *table = (struct arus_join_table){0};
    cr_assert(eq(int,
                 arus_join_table_make(table, &stores[0], &stores[1], 1, &SCHEMA, &SCHEMA,
                                      is_null_safe, false, &err),
                 ARUS_OK));
    arus_row_store_release(&stores[0]);
    arus_row_store_release(&stores[1]);
}

static uint32_t probe(const struct arus_join_table *table, const int64_t *values, uint32_t count,
                      const bool *is_null_safe, uint32_t pair_max, uint32_t *pairs)
{
    const struct arus_batch rows = batch_of(values, count);
    uint64_t hashes[64];
    uint32_t left[64];
    uint32_t right[64];
    uint32_t row = 0;
    uint32_t chain = 0;
    uint32_t all = 0;

    arus_keys_hash(rows.columns, 1, count, hashes);
    while (row < count) {
        uint32_t found;

        arus_join_table_probe(table, rows.columns, hashes, count, is_null_safe, &row, &chain, left,
                              right, pair_max, &found);
        for (uint32_t i = 0; i < found; i++) {
            pairs[all++] = left[i] * 100 + right[i];
        }
    }
    return all;
}

Test(join_table, finds_every_pair_in_row_order_however_small_the_portions)
{
    const int64_t build[] = {5, 7, 5, -1, 5};
    const int64_t probes[] = {7, 5, 6, -1, 5};
    const uint32_t wanted[] = {1, 100, 102, 104, 400, 402, 404};
    const bool strict[] = {false};
    struct arus_join_table table;

    make(&table, build, 5, strict);
    cr_expect(table.has_null_key);
    for (uint32_t pair_max = 1; pair_max <= 8; pair_max++) {
        uint32_t pairs[64];

        cr_assert(eq(u32, probe(&table, probes, 5, strict, pair_max, pairs), 7));
        cr_expect(eq(int, memcmp(pairs, wanted, sizeof wanted), 0));
    }
    arus_join_table_release(&table);
    arus_arena_release(&arena);
}

Test(join_table, null_meets_null_only_where_it_is_null_safe)
{
    const int64_t values[] = {-1, 3};
    const bool safe[] = {true};
    struct arus_join_table table;
    uint32_t pairs[64];

    make(&table, values, 2, safe);
    cr_expect(eq(u32, probe(&table, values, 2, safe, 8, pairs), 2));
    cr_expect(not(table.has_null_key));
    arus_join_table_release(&table);
    arus_arena_release(&arena);
}

Test(join_table, the_row_behind_the_last_is_null)
{
    const int64_t values[] = {1, 2, 3};
    const bool strict[] = {false};
    struct arus_join_table table;

    make(&table, values, 3, strict);
    cr_assert(eq(u32, table.row_count, 3));
    cr_expect(not(arus_vector_is_valid(&table.rows.columns[0], 3)));
    cr_expect(arus_vector_is_valid(&table.rows.columns[0], 2));
    arus_join_table_release(&table);
    arus_arena_release(&arena);
}
