#include "format/avro_read.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_arena arena;
static struct arus_error err;

static struct arus_builder builder; /* of the last row read, which lies in it */

static void release(void)
{
    arus_builder_release(&builder);
    arus_arena_release(&arena);
}

TestSuite(avro_read, .fini = release);

/* The plan of a schema for columns; NULL: `err` says why. */
static const struct arus_avro_plan *plan_of(const char *schema, const char *ddl)
{
    const struct arus_avro_plan *plan = NULL;
    const struct arus_avro *writer;
    const struct arus_type *type;

    cr_assert(eq(int, arus_avro_parse(arus_text_of(schema), &arena, &writer, &err), ARUS_OK));
    cr_assert(eq(int, arus_type_parse_ddl(arus_text_of(ddl), &arena, &type, &err), ARUS_OK));
    return arus_avro_plan_make(writer, type, &arena, &plan, &err) == ARUS_OK ? plan : NULL;
}

static enum arus_status read_one(const struct arus_avro_plan *plan, const char *ddl,
                                 struct arus_text bytes, struct arus_vector *out)
{
    const struct arus_type *type;

    arus_builder_release(&builder);
    cr_assert(eq(int, arus_type_parse_ddl(arus_text_of(ddl), &arena, &type, &err), ARUS_OK));
    cr_assert(eq(int, arus_builder_init(&builder, type, &err), ARUS_OK));
    if (arus_avro_plan_read(plan, bytes, &builder, &err) != ARUS_OK) {
        return err.status;
    }
    return arus_builder_finish(&builder, &arena, out, &err);
}

#define RECORD                                                                                     \
    "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"},"           \
    "{\"name\":\"skipped\",\"type\":{\"type\":\"array\",\"items\":\"string\"}},"                   \
    "{\"name\":\"b\",\"type\":[\"null\",\"string\"]}]}"

Test(avro_read, fields_meet_by_name_and_others_are_skipped)
{
    const char *ddl = "STRUCT<b: STRING, missing: INT, a: BIGINT>";
    const struct arus_avro_plan *plan = plan_of(RECORD, ddl);
    struct arus_vector row;

    cr_assert(plan != NULL);
    /* a = 3; two items in one block, end; branch 1, "xy" */
    cr_assert(
        eq(int, read_one(plan, ddl, ARUS_TEXT("\x06\x04\x02p\x02q\x00\x02\x04xy"), &row), ARUS_OK));
    cr_expect(eq(i64, ((const int64_t *)row.children[2].values)[0], 3));
    cr_expect(eq(u32, ((const struct arus_view *)row.children[0].values)[0].size, 2));
    cr_expect(not(arus_vector_is_valid(&row.children[1], 0)));
}

Test(avro_read, every_cut_of_a_record_is_malformed)
{
    const char *ddl = "STRUCT<b: STRING, a: BIGINT>";
    const struct arus_avro_plan *plan = plan_of(RECORD, ddl);
    const struct arus_text whole = ARUS_TEXT("\x06\x04\x02p\x02q\x00\x02\x04xy");
    struct arus_vector row;

    for (size_t size = 0; size < whole.size; size++) {
        cr_expect(eq(int, read_one(plan, ddl, (struct arus_text){whole.data, size}, &row),
                     ARUS_BAD_DATA));
    }
    cr_expect(eq(int, read_one(plan, ddl, ARUS_TEXT("\x06\x00\x00Z"), &row), ARUS_BAD_DATA));
}

Test(avro_read, what_does_not_fit_names_the_field)
{
    cr_assert(plan_of(RECORD, "STRUCT<a: STRING>") == NULL);
    cr_expect(eq(str, err.message, "Avro int cannot be read as STRING (field a)"));
    cr_assert(plan_of("\"long\"", "INT") == NULL);
    cr_expect(eq(str, err.message, "Avro long cannot be read as INT (field of the value itself)"));
}

Test(avro_read, numbers_are_promoted)
{
    struct arus_vector row;

    cr_assert(eq(int, read_one(plan_of("\"int\"", "DOUBLE"), "DOUBLE", ARUS_TEXT("\x07"), &row),
                 ARUS_OK));
    cr_expect(epsilon_eq(dbl, ((const double *)row.values)[0], -4.0, 0.0));
    cr_assert(eq(int,
                 read_one(plan_of("\"int\"", "TINYINT"), "TINYINT", ARUS_TEXT("\x80\x02"), &row),
                 ARUS_BAD_DATA)); /* 128 */
}

Test(avro_read, a_block_of_no_countable_size_is_malformed)
{
    const char *schema = "{\"type\":\"array\",\"items\":\"int\"}";
    struct arus_vector row;

    cr_expect(eq(int,
                 read_one(plan_of(schema, "ARRAY<INT>"), "ARRAY<INT>",
                          ARUS_TEXT("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x02\x02"), &row),
                 ARUS_BAD_DATA)); /* -2^63 items */
}

Test(avro_read, items_without_bytes_are_counted_over_the_whole_value)
{
    const char *schema = "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":\"null\"}}";
    const char *ddl = "ARRAY<ARRAY<INT>>";
    const struct arus_avro_plan *plan = plan_of(schema, ddl);
    struct arus_vector row;

    cr_assert(plan != NULL);
    /* two arrays of 3 nulls; two of 600,000 */
    cr_expect(eq(int, read_one(plan, ddl, ARUS_TEXT("\x04\x06\x00\x06\x00\x00"), &row), ARUS_OK));
    cr_expect(eq(int,
                 read_one(plan, ddl, ARUS_TEXT("\x04\x80\x9f\x49\x00\x80\x9f\x49\x00\x00"), &row),
                 ARUS_BAD_DATA));
}
