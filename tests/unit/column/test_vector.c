#include "base/alloc.h"
#include "column/builder.h"
#include "column/vector.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define OK(call) cr_assert(eq(int, (call), ARUS_OK))

static struct arus_arena arena;
static struct arus_error err;

static void release(void)
{
    arus_arena_release(&arena);
}

TestSuite(vector, .fini = release);

/* Row i: NULL for i % 7 == 3; else struct{n: i, a: [i, NULL, ...] of i % 4 elements, s: text}. */
static const struct arus_field ELEMENT[] = {{{"element", 7}, &ARUS_BIGINT, true, {0}}};
static const struct arus_type LONGS = {.id = ARUS_TYPE_ARRAY, .field_count = 1, .fields = ELEMENT};
static const struct arus_field ROW_FIELDS[] = {
    {{"n", 1}, &ARUS_INT, true, {0}},
    {{"a", 1}, &LONGS, true, {0}},
    {{"s", 1}, &ARUS_STRING, true, {0}},
};
static const struct arus_type ROW = {
    .id = ARUS_TYPE_STRUCT, .field_count = 3, .fields = ROW_FIELDS};

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz";

static void fill(struct arus_builder *builder, uint32_t row_count)
{
    for (uint32_t i = 0; i < row_count; i++) {
        const struct arus_view view = arus_view_of(LETTERS + i % 5, i % 20);
        const int32_t n = (int32_t)i;

        if (i % 7 == 3) {
            OK(arus_builder_null(builder, &err));
            continue;
        }
        OK(arus_builder_value(&builder->children[0], &n, &err));
        for (uint32_t j = 0; j < i % 4; j++) {
            const int64_t element = i * 10 + j;

            if (j == 1) {
                OK(arus_builder_null(&builder->children[1].children[0], &err));
            } else {
                OK(arus_builder_value(&builder->children[1].children[0], &element, &err));
            }
        }
        OK(arus_builder_span(&builder->children[1], i % 4, &err));
        OK(arus_builder_value(&builder->children[2], &view, &err));
        OK(arus_builder_struct(builder, &err));
    }
}

static void assert_same_row(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                            uint32_t j)
{
    cr_assert(eq(int, arus_vector_compare(a, i, b, j), 0), "row %u is not row %u", i, j);
}

static void check_forms(uint32_t row_count)
{
    struct arus_builder builder = {0};
    struct arus_vector flat, sliced, again, out;
    uint32_t *indices;

    OK(arus_builder_init(&builder, &ROW, &err));
    fill(&builder, row_count);
    OK(arus_builder_finish(&builder, &arena, &flat, &err));
    OK(ARUS_NEW(&arena, uint32_t, row_count, &indices, &err));
    for (uint32_t i = 0; i < row_count; i++) {
        indices[i] = (i * 31 + 5) % row_count;
    }
    OK(arus_vector_slice(&flat, indices, row_count, &arena, &sliced, &err));
    OK(arus_vector_slice(&sliced, indices, row_count, &arena, &again, &err));
    OK(arus_vector_flatten(&again, &arena, &out, &err));
    cr_assert(eq(int, out.form, ARUS_VECTOR_FLAT));
    for (uint32_t i = 0; i < row_count; i++) {
        assert_same_row(&out, i, &flat, indices[indices[i]]);
        assert_same_row(&again, i, &flat, indices[indices[i]]);
    }
    OK(arus_vector_copy(&sliced, &arena, &out, &err));
    for (uint32_t i = 0; i < row_count; i++) {
        assert_same_row(&out, i, &flat, indices[i]);
    }
    arus_builder_release(&builder);
}

Test(vector, slices_flattened_and_copied_hold_the_same_rows)
{
    static const uint32_t COUNTS[] = {1, 2, 63, 64, 65, 200, 1000};

    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        check_forms(COUNTS[i]);
    }
}

Test(vector, a_copy_has_no_pointer_into_its_source)
{
    struct arus_builder builder = {0};
    struct arus_builder twin = {0};
    struct arus_vector source, copy, expected;

    OK(arus_builder_init(&builder, &ROW, &err));
    OK(arus_builder_init(&twin, &ROW, &err));
    fill(&builder, 500);
    fill(&twin, 500);
    OK(arus_builder_finish(&builder, &arena, &source, &err));
    OK(arus_builder_finish(&twin, &arena, &expected, &err));
    OK(arus_vector_copy(&source, &arena, &copy, &err));
    arus_builder_release(&builder);
    for (uint32_t i = 0; i < 500; i++) {
        assert_same_row(&copy, i, &expected, i);
    }
    arus_builder_release(&twin);
}

Test(vector, constants_become_flat_rows)
{
    struct arus_builder builder = {0};
    struct arus_vector one, out;

    OK(arus_builder_init(&builder, &ROW, &err));
    fill(&builder, 8);
    arus_builder_reset(&builder);
    fill(&builder, 3);
    arus_builder_truncate(&builder, 2);
    cr_assert(eq(u32, builder.children[1].children[0].row_count, 1));
    OK(arus_builder_finish(&builder, &arena, &one, &err));
    one.form = ARUS_VECTOR_CONSTANT;
    one.row_count = 100;
    OK(arus_vector_flatten(&one, &arena, &out, &err));
    cr_assert(eq(u32, out.row_count, 100));
    cr_assert(eq(u32, out.children[0].row_count, 100));
    for (uint32_t i = 0; i < 100; i++) {
        assert_same_row(&out, i, &one, 0);
    }
    OK(arus_vector_copy(&one, &arena, &out, &err));
    assert_same_row(&out, 99, &one, 0);
    arus_builder_release(&builder);
}

Test(vector, nulls_of_every_type_are_constant)
{
    struct arus_vector null, out;

    OK(arus_vector_init_null(&null, &ROW, 70, &arena, &err));
    OK(arus_vector_flatten(&null, &arena, &out, &err));
    cr_expect(not(arus_vector_is_valid(&out, 69)));
    OK(arus_vector_copy(&null, &arena, &out, &err));
    cr_expect(not(arus_vector_is_valid(&out, 69)));
    cr_expect(not(arus_vector_is_valid(&out.children[1], 69)));
}

Test(vector, concatenated_batches_keep_their_rows)
{
    const uint32_t sizes[] = {3, 0, 70, 1, 129};
    struct arus_builder builders[5] = {0};
    struct arus_batch batches[5];
    struct arus_batch out;
    uint32_t at = 0;

    for (size_t b = 0; b < 5; b++) {
        struct arus_vector rows;

        OK(arus_builder_init(&builders[b], &ROW, &err));
        fill(&builders[b], sizes[b]);
        OK(arus_builder_finish(&builders[b], &arena, &rows, &err));
        batches[b] = (struct arus_batch){&ROW, sizes[b], rows.children};
    }
    OK(arus_batch_concat(batches, 5, &ROW, &arena, &out, &err));
    cr_assert(eq(u32, out.row_count, 203));
    for (size_t b = 0; b < 5; b++) {
        for (uint32_t i = 0; i < sizes[b]; i++, at++) {
            for (uint16_t c = 0; c < 3; c++) {
                assert_same_row(&out.columns[c], at, &batches[b].columns[c], i);
            }
        }
        arus_builder_release(&builders[b]);
    }
}

Test(vector, batch_slices_share_the_folded_indices)
{
    struct arus_builder builder = {0};
    struct arus_vector rows;
    struct arus_batch batch, sliced, twice;
    uint32_t indices[] = {9, 5, 0};

    OK(arus_builder_init(&builder, &ROW, &err));
    fill(&builder, 10);
    OK(arus_builder_finish(&builder, &arena, &rows, &err));
    batch = (struct arus_batch){&ROW, 10, rows.children};
    OK(arus_batch_slice(&batch, indices, 3, &arena, &sliced, &err));
    OK(arus_batch_slice(&sliced, (uint32_t[]){2, 0}, 2, &arena, &twice, &err));
    cr_expect(twice.columns[0].indices == twice.columns[2].indices);
    assert_same_row(&twice.columns[2], 1, &batch.columns[2], 9);
    arus_builder_release(&builder);
}

Test(vector, order_of_doubles_and_nulls_is_sparks)
{
    double values[] = {__builtin_nan(""), __builtin_inf(), -0.0, 0.0, -1.0};
    uint64_t bits = 0xF; /* the last is null */
    const struct arus_vector v = {
        .type = &ARUS_DOUBLE, .row_count = 5, .values = values, .validity = &bits};

    cr_expect(gt(int, arus_vector_compare(&v, 0, &v, 1), 0));
    cr_expect(eq(int, arus_vector_compare(&v, 0, &v, 0), 0));
    cr_expect(eq(int, arus_vector_compare(&v, 2, &v, 3), 0));
    cr_expect(lt(int, arus_vector_compare(&v, 4, &v, 3), 0));
    cr_expect(eq(int, arus_vector_compare(&v, 4, &v, 4), 0));
}

Test(vector, strings_compare_by_unsigned_bytes)
{
    struct arus_view values[] = {arus_view_of("abcd", 4), arus_view_of("abcde", 5),
                                 arus_view_of("abc\xC3", 4), arus_view_of("ab", 2),
                                 arus_view_of("ab\0", 3)};
    const struct arus_vector v = {.type = &ARUS_STRING, .row_count = 5, .values = values};

    cr_expect(lt(int, arus_vector_compare(&v, 0, &v, 1), 0));
    cr_expect(gt(int, arus_vector_compare(&v, 2, &v, 1), 0));
    cr_expect(lt(int, arus_vector_compare(&v, 3, &v, 4), 0));
}

Test(vector, builders_survive_each_failing_allocation)
{
    enum arus_status status = ARUS_NO_MEMORY;

    for (uint64_t nth = 1; status != ARUS_OK && nth < 50; nth++) {
        struct arus_builder builder = {0};

        arus_alloc_fail_at(nth);
        status = arus_builder_init(&builder, &ROW, &err);
        for (uint32_t i = 0; status == ARUS_OK && i < 100; i++) {
            status = arus_builder_null(&builder, &err);
        }
        arus_alloc_fail_at(0);
        arus_builder_release(&builder);
    }
    cr_expect(eq(int, status, ARUS_OK));
}
