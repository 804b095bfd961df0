#include "column/value.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_arena arena;
static struct arus_error err;
static struct arus_buffer buffer;

static void release(void)
{
    arus_arena_release(&arena);
    arus_buffer_release(&buffer);
}

TestSuite(value, .fini = release);

static const char *shown(const struct arus_vector *vector, uint32_t row)
{
    arus_buffer_reset(&buffer);
    cr_assert(eq(int, arus_value_text(vector, row, ARUS_ZONE_UTC, &buffer, &err), ARUS_OK));
    cr_assert(eq(int, arus_buffer_append_char(&buffer, '\0', &err), ARUS_OK));
    return buffer.data;
}

static const char *cast(const struct arus_vector *vector, uint32_t row)
{
    arus_buffer_reset(&buffer);
    cr_assert(eq(int, arus_value_cast_text(vector, row, ARUS_ZONE_UTC, &buffer, &err), ARUS_OK));
    cr_assert(eq(int, arus_buffer_append_char(&buffer, '\0', &err), ARUS_OK));
    return buffer.data;
}

static struct arus_vector make(const struct arus_type *type, const void *value)
{
    struct arus_vector vector;

    cr_assert(eq(int, arus_value_make(type, value, 10, &arena, &vector, &err), ARUS_OK));
    return vector;
}

Test(value, texts_are_those_of_cast)
{
    static const struct arus_type narrow = {.id = ARUS_TYPE_DECIMAL, .precision = 5, .scale = 2};
    static const struct arus_type wide = {.id = ARUS_TYPE_DECIMAL, .precision = 38, .scale = 10};
    struct arus_vector v;

    v = make(&ARUS_BOOLEAN, &(uint8_t){1});
    cr_expect_str_eq(cast(&v, 9), "true");
    v = make(&ARUS_BOOLEAN, &(uint8_t){0});
    cr_expect_str_eq(cast(&v, 0), "false");
    v = make(&ARUS_TINYINT, &(int8_t){-128});
    cr_expect_str_eq(cast(&v, 0), "-128");
    v = make(&ARUS_FLOAT, &(float){1.1F});
    cr_expect_str_eq(cast(&v, 0), "1.1");
    v = make(&ARUS_DOUBLE, &(double){1e10});
    cr_expect_str_eq(cast(&v, 0), "1.0E10");
    v = make(&narrow, &(int64_t){-5});
    cr_expect_str_eq(cast(&v, 0), "-0.05");
    v = make(&wide, &(arus_int128){0});
    cr_expect_str_eq(cast(&v, 0), "0.0000000000");
    v = make(&ARUS_DATE, &(int32_t){-1});
    cr_expect_str_eq(cast(&v, 0), "1969-12-31");
    v = make(&ARUS_TIMESTAMP, &(int64_t){-500000});
    cr_expect_str_eq(cast(&v, 0), "1969-12-31 23:59:59.5");
    v = make(&ARUS_INTERVAL_YM, &(int32_t){14});
    cr_expect_str_eq(cast(&v, 0), "INTERVAL '1-2' YEAR TO MONTH");
    v = make(&ARUS_STRING, &(struct arus_view){.size = 2, .data = "ab"});
    cr_expect_str_eq(cast(&v, 0), "ab");
    v = make(&ARUS_BINARY, &(struct arus_view){.size = 3, .data = "12\n"});
    cr_expect_str_eq(shown(&v, 0), "[31 32 0A]");
    cr_expect_str_eq(cast(&v, 0), "12\n");
}

Test(value, nulls_and_nested_values)
{
    static const struct arus_field element[] = {{{"element", 7}, &ARUS_INT, true, {0}}};
    static const struct arus_field entry[] = {{{"key", 3}, &ARUS_INT, false, {0}},
                                              {{"value", 5}, &ARUS_INT, true, {0}}};
    static const struct arus_type array = {
        .id = ARUS_TYPE_ARRAY, .field_count = 1, .fields = element};
    static const struct arus_type map = {.id = ARUS_TYPE_MAP, .field_count = 2, .fields = entry};
    static const struct arus_type row = {.id = ARUS_TYPE_STRUCT, .field_count = 2, .fields = entry};
    int32_t numbers[] = {1, 2, 3};
    uint64_t bits = 5;
    struct arus_vector children[] = {
        {.type = &ARUS_INT, .row_count = 3, .values = numbers, .validity = &bits},
        {.type = &ARUS_INT, .row_count = 3, .values = numbers, .validity = &bits}};
    struct arus_span spans[] = {{0, 3}, {2, 1}, {0, 0}};
    struct arus_vector v = {.type = &array, .row_count = 3, .values = spans, .children = children};

    cr_expect_str_eq(shown(&v, 0), "[1, NULL, 3]");
    cr_expect_str_eq(cast(&v, 0), "[1, null, 3]");
    cr_expect_str_eq(cast(&v, 2), "[]");
    v.type = &map;
    cr_expect_str_eq(cast(&v, 1), "{3 -> 3}");
    v.type = &row;
    cr_expect_str_eq(shown(&v, 1), "{NULL, NULL}");
    v.validity = &(uint64_t){0};
    cr_expect_str_eq(shown(&v, 1), "NULL");
}
