#include "cli/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct arus_text NAMES[] = {{"a", 1}, {"b \"c\"", 5}, {"d", 1}};
static const struct arus_cell CELLS[] = {
    {ARUS_CELL_BARE, {"1.5", 3}},
    {ARUS_CELL_TEXT, {"x,\"y\"\n\x01\xFF", 8}},
    {ARUS_CELL_NULL, {NULL, 0}},
};

static void expect_text(struct arus_buffer *out, const char *expected)
{
    struct arus_error err;

    cr_assert(eq(int, arus_buffer_append_char(out, '\0', &err), ARUS_OK));
    cr_expect_str_eq(out->data, expected);
    arus_buffer_release(out);
}

Test(rows, json_keeps_types)
{
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_rows_json(NAMES, CELLS, 3, &out, &err), ARUS_OK));
    expect_text(&out,
                "{\"a\":1.5,\"b \\\"c\\\"\":\"x,\\\"y\\\"\\n\\u0001\xEF\xBF\xBD\",\"d\":null}\n");
}

Test(rows, golden_rows_are_texts)
{
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_rows_schema(ARUS_TEXT("a INT"), &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_rows_texts(CELLS, 3, &out, &err), ARUS_OK));
    expect_text(&out, "{\"schema\": \"a INT\"}\n"
                      "[\"1.5\",\"x,\\\"y\\\"\\n\\u0001\xEF\xBF\xBD\",null]\n");
}

Test(rows, csv_tells_null_from_empty)
{
    static const struct arus_cell ROW[] = {
        {ARUS_CELL_NULL, {NULL, 0}}, {ARUS_CELL_TEXT, {"", 0}},   {ARUS_CELL_TEXT, {"a\"b,c", 5}},
        {ARUS_CELL_BARE, {"-1", 2}}, {ARUS_CELL_TEXT, {" x", 2}},
    };
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_rows_csv_header(NAMES, 3, &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_rows_csv(ROW, 5, &out, &err), ARUS_OK));
    expect_text(&out, "a,\"b \"\"c\"\"\",d\n,\"\",\"a\"\"b,c\",-1,\" x\"\n");
}
