#include "column/builder.h"
#include "column/row_code.h"
#include "column/text_code.h"
#include "support/folder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

static struct arus_error err;

static struct arus_vector texts(const char *const *values, uint32_t count, struct arus_arena *arena)
{
    struct arus_vector vector;

    MUST(arus_vector_init(&vector, &ARUS_STRING, count, arena, &err));
    MUST(arus_vector_need_validity(&vector, arena, &err));
    for (uint32_t i = 0; i < count; i++) {
        if (values[i] == NULL) {
            arus_bit_clear(vector.validity, i);
        }
        ((struct arus_view *)vector.values)[i] =
            values[i] == NULL ? (struct arus_view){0} : arus_view_of(values[i], strlen(values[i]));
    }
    return vector;
}

static void decode(const struct arus_row_code *code, const struct arus_row_bytes *rows,
                   struct arus_arena *arena, struct arus_vector *out)
{
    const char **starts;

    MUST(ARUS_NEW(arena, const char *, rows->row_count + 1, &starts, &err));
    for (uint32_t i = 0; i < rows->row_count; i++) {
        starts[i] = rows->bytes + rows->starts[i];
        cr_assert(eq(ptr, (void *)(uintptr_t)arus_row_code_skip(code, starts[i]),
                     (void *)(rows->bytes + rows->starts[i + 1])));
    }
    MUST(arus_row_code_decode(code, starts, rows->row_count, arena, out, &err));
}

Test(row_code, texts_come_back_and_ids_take_half)
{
    const char *const values[] = {"",
                                  NULL,
                                  "plain",
                                  "0123456789abcdef0123456789abcdef",
                                  "0123456789ABCDEF0123456789ABCDEF",
                                  "0123456789abcdef0123456789abcdeF",
                                  "0123456789abcdef01",
                                  "123e4567-e89b-12d3-a456-426614174000",
                                  "123E4567-E89B-12D3-A456-426614174000",
                                  "123e4567-e89b-12d3-a456_426614174000",
                                  "1234567890123456",
                                  "g123456789abcdef0123456789abcdef"};
    const size_t sizes[] = {2, 1, 7, 19, 19, 34, 12, 18, 18, 38, 11, 34};
    const uint32_t count = sizeof values / sizeof *values;
    const struct arus_type *types[] = {&ARUS_STRING};
    struct arus_arena arena = {0};
    struct arus_vector column = texts(values, count, &arena);
    struct arus_row_code code;
    struct arus_row_bytes rows;
    struct arus_vector back;

    MUST(arus_row_code_make(types, 1, ARUS_ROW_AS_KEY, &arena, &code, &err));
    MUST(arus_row_code_encode(&code, &column, count, &arena, &rows, &err));
    decode(&code, &rows, &arena, &back);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect(eq(sz, rows.starts[i + 1] - rows.starts[i], sizes[i]), "row %u", i);
        cr_expect(arus_vector_compare(&column, i, &back, i) == 0, "row %u", i);
    }
    arus_arena_release(&arena);
}

Test(row_code, long_texts_of_every_size_come_back)
{
    const struct arus_type *types[] = {&ARUS_STRING};
    struct arus_arena arena = {0};
    struct arus_row_code code;

    MUST(arus_row_code_make(types, 1, ARUS_ROW_AS_ROW, &arena, &code, &err));
    for (uint32_t size = 0; size < 600; size++) {
        char text[601];
        const char *const values[] = {text};
        struct arus_row_bytes rows;
        struct arus_vector back;
        struct arus_vector column;

        memset(text, size % 3 == 0 ? 'a' : 'x', size);
        text[size] = '\0';
        column = texts(values, 1, &arena);
        MUST(arus_row_code_encode(&code, &column, 1, &arena, &rows, &err));
        decode(&code, &rows, &arena, &back);
        cr_assert(arus_vector_compare(&column, 0, &back, 0) == 0, "size %u", size);
    }
    arus_arena_release(&arena);
}

Test(row_code, keys_know_one_nan_and_one_zero_but_rows_keep_them)
{
    const double values[] = {0.0, -0.0, NAN, -NAN};
    const struct arus_type *types[] = {&ARUS_DOUBLE};
    struct arus_arena arena = {0};
    struct arus_row_code code;
    struct arus_row_bytes rows;
    struct arus_vector column;

    MUST(arus_vector_init(&column, &ARUS_DOUBLE, 4, &arena, &err));
    memcpy(column.values, values, sizeof values);
    MUST(arus_row_code_make(types, 1, ARUS_ROW_AS_KEY, &arena, &code, &err));
    MUST(arus_row_code_encode(&code, &column, 4, &arena, &rows, &err));
    cr_expect(memcmp(rows.bytes, rows.bytes + 9, 9) == 0);
    cr_expect(memcmp(rows.bytes + 18, rows.bytes + 27, 9) == 0);
    MUST(arus_row_code_make(types, 1, ARUS_ROW_AS_ROW, &arena, &code, &err));
    MUST(arus_row_code_encode(&code, &column, 4, &arena, &rows, &err));
    cr_expect(memcmp(rows.bytes, rows.bytes + 9, 9) != 0);
    arus_arena_release(&arena);
}

Test(row_code, windows_and_lists_and_nulls_come_back)
{
    const struct arus_type *type;
    const struct arus_type *types[2];
    struct arus_arena arena = {0};
    struct arus_builder builder = {0};
    struct arus_row_code code;
    struct arus_row_bytes rows;
    struct arus_vector columns[2];
    struct arus_vector back[2];

    MUST(arus_type_parse_ddl(
        ARUS_TEXT("STRUCT<start: TIMESTAMP, more: STRUCT<a: INT, b: ARRAY<STRING>>>"), &arena,
        &type, &err));
    types[0] = type;
    types[1] = &ARUS_INT;
    MUST(arus_builder_init(&builder, type, &err));
    for (int64_t i = 0; i < 5; i++) {
        const int32_t number = (int32_t)i;
        const struct arus_view text = arus_view_of("element", 7);
        struct arus_builder *more = &builder.children[1];

        if (i == 2) {
            MUST(arus_builder_null(&builder, &err));
            continue;
        }
        MUST(arus_builder_value(&builder.children[0], &i, &err));
        if (i == 3) {
            MUST(arus_builder_null(more, &err));
        } else {
            MUST(arus_builder_value(&more->children[0], &number, &err));
            MUST(arus_builder_value(&more->children[1].children[0], &text, &err));
            MUST(arus_builder_span(&more->children[1], 1, &err));
            MUST(arus_builder_struct(more, &err));
        }
        MUST(arus_builder_struct(&builder, &err));
    }
    MUST(arus_builder_finish(&builder, &arena, &columns[0], &err));
    MUST(arus_vector_init_null(&columns[1], &ARUS_INT, 5, &arena, &err));
    MUST(arus_row_code_make(types, 2, ARUS_ROW_AS_KEY, &arena, &code, &err));
    MUST(arus_row_code_encode(&code, columns, 5, &arena, &rows, &err));
    decode(&code, &rows, &arena, back);
    for (uint32_t i = 0; i < 5; i++) {
        cr_expect(arus_vector_compare(&columns[0], i, &back[0], i) == 0, "row %u", i);
        cr_expect(eq(int, arus_vector_is_valid(&back[1], i), false));
    }
    arus_builder_release(&builder);
    arus_arena_release(&arena);
}
