#include "exec/group_table.h"
#include "support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define ROWS 20000

static struct arus_error err;

static void find(struct arus_group_table *table, const struct arus_vector *keys, uint32_t key_count,
                 uint32_t row_count, uint32_t *groups)
{
    uint64_t *hashes = arus_alloc(row_count, sizeof *hashes);

    arus_keys_hash(keys, key_count, row_count, hashes);
    cr_assert(
        eq(int, arus_group_table_find(table, keys, row_count, hashes, groups, &err), ARUS_OK));
    arus_free(hashes);
}

Test(group_table, equal_keys_share_a_group_in_order_of_appearance)
{
    const struct arus_type *types[] = {&ARUS_BIGINT};
    struct arus_group_table table;
    struct arus_arena arena = {0};
    struct arus_vector key;
    uint32_t groups[ROWS];

    cr_assert(eq(int, arus_group_table_init(&table, types, 1, 16, &err), ARUS_OK));
    cr_assert(eq(int, arus_vector_init(&key, &ARUS_BIGINT, ROWS, &arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < ROWS; i++) {
        ((int64_t *)key.values)[i] = i % 7001;
    }
    find(&table, &key, 1, ROWS, groups);
    cr_expect(eq(u32, table.group_count, 7001));
    for (uint32_t i = 0; i < ROWS; i++) {
        cr_assert(eq(u32, groups[i], i % 7001));
    }
    for (uint32_t i = 0; i < 7001 * 16; i++) {
        cr_assert(eq(int, table.states[i], 0), "new states are zeroed");
    }
    arus_group_table_release(&table);
    arus_arena_release(&arena);
}

Test(group_table, null_and_nan_are_keys_and_zero_has_no_sign)
{
    const struct arus_type *types[] = {&ARUS_DOUBLE};
    const double values[] = {0.0, -0.0, 0.0 / 0.0, -(0.0 / 0.0), 1.0, 1.0};
    struct arus_group_table table;
    struct arus_arena arena = {0};
    struct arus_vector key;
    uint32_t groups[6];

    cr_assert(eq(int, arus_group_table_init(&table, types, 1, 0, &err), ARUS_OK));
    cr_assert(eq(int, arus_vector_init(&key, &ARUS_DOUBLE, 6, &arena, &err), ARUS_OK));
    cr_assert(eq(int, arus_vector_need_validity(&key, &arena, &err), ARUS_OK));
    memcpy(key.values, values, sizeof values);
    arus_bit_clear(key.validity, 4);
    find(&table, &key, 1, 6, groups);
    cr_expect(eq(u32, groups[0], groups[1]));
    cr_expect(eq(u32, groups[2], groups[3]));
    cr_expect(ne(u32, groups[4], groups[5]));
    cr_expect(eq(u32, table.group_count, 4));
    arus_group_table_release(&table);
    arus_arena_release(&arena);
}

Test(group_table, a_merge_finds_groups_that_are_there_and_adds_the_others)
{
    const struct arus_type *types[] = {&ARUS_STRING};
    const char *texts[] = {"left only, a long key", "both, a long key too",
                           "right only, long as well"};
    struct arus_group_table tables[2];
    struct arus_arena arena = {0};
    struct arus_vector key;
    const struct arus_vector *kept;
    uint32_t groups[2];

    cr_assert(eq(int, arus_vector_init(&key, &ARUS_STRING, 2, &arena, &err), ARUS_OK));
    for (uint32_t t = 0; t < 2; t++) {
        cr_assert(eq(int, arus_group_table_init(&tables[t], types, 1, 0, &err), ARUS_OK));
        for (uint32_t i = 0; i < 2; i++) {
            ((struct arus_view *)key.values)[i] = arus_view_of(texts[t + i], strlen(texts[t + i]));
        }
        find(&tables[t], &key, 1, 2, groups);
    }
    cr_assert(eq(int, arus_group_table_merge(&tables[0], &tables[1], groups, &err), ARUS_OK));
    cr_expect(eq(u32, groups[0], 1));
    cr_expect(eq(u32, groups[1], 2));
    cr_assert(eq(int, arus_group_table_keys(&tables[0], &kept, &err), ARUS_OK));
    for (uint32_t i = 0; i < 3; i++) {
        const struct arus_view view = ((const struct arus_view *)kept[0].values)[i];

        cr_expect(
            arus_text_equal((struct arus_text){view.data, view.size}, arus_text_of(texts[i])));
    }
    arus_group_table_release(&tables[0]);
    arus_group_table_release(&tables[1]);
    arus_arena_release(&arena);
}

Test(group_table, string_keys_are_kept_as_copies)
{
    const struct arus_type *types[] = {&ARUS_STRING, &ARUS_INT};
    struct arus_group_table table;
    struct arus_arena arena = {0};
    struct arus_vector keys[2];
    const struct arus_vector *kept;
    char text[] = "a longer key";
    uint32_t groups[2];

    cr_assert(eq(int, arus_group_table_init(&table, types, 2, 0, &err), ARUS_OK));
    for (uint32_t k = 0; k < 2; k++) {
        cr_assert(eq(int, arus_vector_init(&keys[k], types[k], 2, &arena, &err), ARUS_OK));
    }
    for (uint32_t i = 0; i < 2; i++) {
        ((struct arus_view *)keys[0].values)[i] = arus_view_of(text, sizeof text - 1);
        ((int32_t *)keys[1].values)[i] = (int32_t)i;
    }
    find(&table, keys, 2, 2, groups);
    text[0] = 'X';
    cr_assert(eq(int, arus_group_table_keys(&table, &kept, &err), ARUS_OK));
    cr_expect(eq(u32, table.group_count, 2));
    cr_expect(eq(int, memcmp(((struct arus_view *)kept[0].values)[1].data, "a longer key", 12), 0));
    arus_group_table_release(&table);
    arus_arena_release(&arena);
}

static enum arus_status fill(struct arus_error *failure)
{
    const struct arus_type *types[] = {&ARUS_BIGINT};
    struct arus_group_table table = {0};
    struct arus_arena arena = {0};
    struct arus_vector key;
    uint64_t hashes[3000];
    uint32_t groups[3000];
    enum arus_status status = arus_group_table_init(&table, types, 1, 16, failure);

    if (status == ARUS_OK) {
        status = arus_vector_init(&key, &ARUS_BIGINT, 3000, &arena, failure);
    }
    if (status == ARUS_OK) {
        for (uint32_t i = 0; i < 3000; i++) {
            ((int64_t *)key.values)[i] = i;
        }
        arus_keys_hash(&key, 1, 3000, hashes);
        status = arus_group_table_find(&table, &key, 3000, hashes, groups, failure);
    }
    arus_group_table_release(&table);
    arus_arena_release(&arena);
    return status;
}

Test(group_table, survives_each_failing_allocation)
{
    assert_each_failure(fill);
}
