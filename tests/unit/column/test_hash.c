#include "column/hash.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_arena arena;
static struct arus_error err;

static void release(void)
{
    arus_arena_release(&arena);
}

TestSuite(hash, .fini = release);

Test(hash, all_nan_and_both_zeros_are_alike)
{
    double values[] = {0.0, -0.0, __builtin_nan("1"), -__builtin_nan("2"), 1.0};
    const struct arus_vector v = {.type = &ARUS_DOUBLE, .row_count = 5, .values = values};
    uint64_t hashes[5] = {0};

    arus_vector_hash(&v, 5, hashes);
    cr_expect(eq(u64, hashes[0], hashes[1]));
    cr_expect(eq(u64, hashes[2], hashes[3]));
    cr_expect(ne(u64, hashes[0], hashes[4]));
    cr_expect(arus_rows_equal(&v, 0, &v, 1, 1));
    cr_expect(arus_rows_equal(&v, 2, &v, 3, 1));
    cr_expect(not(arus_rows_equal(&v, 0, &v, 4, 1)));
}

Test(hash, forms_and_batches_do_not_count)
{
    struct arus_view values[] = {arus_view_of("", 0), arus_view_of("abc", 3),
                                 arus_view_of("abcdefgh", 8),
                                 arus_view_of("a string of more than sixteen bytes", 35)};
    uint64_t bits = 0xE; /* the first is null */
    const uint32_t indices[] = {3, 0, 1, 2, 3, 3, 1, 1};
    const struct arus_vector flat = {
        .type = &ARUS_STRING, .row_count = 4, .values = values, .validity = &bits};
    struct arus_vector sliced, constant = flat;
    uint64_t a[4] = {0}, b[8] = {0}, c[2] = {0}, d[8] = {0};

    cr_assert(eq(int, arus_vector_slice(&flat, indices, 8, &arena, &sliced, &err), ARUS_OK));
    constant.form = ARUS_VECTOR_CONSTANT;
    arus_vector_hash(&flat, 4, a);
    arus_vector_hash(&sliced, 8, b); /* each string once */
    arus_vector_hash(&sliced, 7, d); /* row by row */
    arus_vector_hash(&constant, 2, c);
    for (size_t i = 0; i < 8; i++) {
        cr_expect(eq(u64, b[i], a[indices[i]]));
        cr_expect(i == 7 || d[i] == b[i]);
        cr_expect(arus_rows_equal(&sliced, (uint32_t)i, &flat, indices[i], 1));
    }
    cr_expect(eq(u64, c[1], a[0]));
    cr_expect(not(arus_rows_equal(&flat, 1, &flat, 2, 1)));
    cr_expect(not(arus_rows_equal(&flat, 0, &flat, 2, 1)));
}

Test(hash, columns_combine_in_order)
{
    int32_t left[] = {1, 2};
    int32_t right[] = {2, 1};
    const struct arus_vector a = {.type = &ARUS_INT, .row_count = 2, .values = left};
    const struct arus_vector b = {.type = &ARUS_INT, .row_count = 2, .values = right};
    uint64_t hashes[2] = {0};

    arus_vector_hash(&a, 2, hashes);
    arus_vector_hash(&b, 2, hashes);
    cr_expect(ne(u64, hashes[0], hashes[1]));
}

Test(hash, nested_values_hash_by_content)
{
    static const struct arus_field element[] = {{{"element", 7}, &ARUS_INT, true, {0}}};
    static const struct arus_type array = {
        .id = ARUS_TYPE_ARRAY, .field_count = 1, .fields = element};
    int32_t numbers[] = {1, 2, 1, 2, 1};
    struct arus_vector child = {.type = &ARUS_INT, .row_count = 5, .values = numbers};
    struct arus_span spans[] = {{0, 2}, {2, 2}, {4, 1}, {4, 0}};
    const struct arus_vector v = {
        .type = &array, .row_count = 4, .values = spans, .children = &child};
    uint64_t hashes[4] = {0};

    arus_vector_hash(&v, 4, hashes);
    cr_expect(eq(u64, hashes[0], hashes[1]));
    cr_expect(ne(u64, hashes[1], hashes[2]));
    cr_expect(ne(u64, hashes[2], hashes[3]));
    cr_expect(arus_rows_equal(&v, 0, &v, 1, 1));
}

Test(hash, few_collisions_among_small_numbers)
{
    enum { COUNT = 20000 };
    static int64_t values[COUNT];
    static uint64_t hashes[COUNT];
    static uint8_t seen[1 << 18];
    const struct arus_vector v = {.type = &ARUS_BIGINT, .row_count = COUNT, .values = values};
    uint32_t collisions = 0;

    for (int64_t i = 0; i < COUNT; i++) {
        values[i] = i * 1000;
    }
    arus_vector_hash(&v, COUNT, hashes);
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t *slot = &seen[hashes[i] & ((1 << 18) - 1)];

        collisions += *slot;
        *slot = 1;
    }
    cr_expect(lt(u32, collisions, 900)); /* 20,000 in 262,144 slots: about 745 */
}
