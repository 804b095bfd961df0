#include "format/avro_read.h"
#include "support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_arena arena;
static struct arus_error err;
static struct arus_builder builder; /* of the last value read, which lies in it */

static void release(void)
{
    arus_builder_release(&builder);
    arus_arena_release(&arena);
}

TestSuite(avro_resolve, .fini = release);

#define RECORD(fields) "{\"type\":\"record\",\"name\":\"P\",\"fields\":[" fields "]}"
#define NAME           "{\"name\":\"name\",\"type\":\"string\"}"

static const struct arus_avro *schema_of(const char *json)
{
    const struct arus_avro *schema;

    cr_assert(eq(int, arus_avro_parse(arus_text_of(json), &arena, &schema, &err), ARUS_OK));
    return schema;
}

/* NULL: `err` says why. */
static const struct arus_avro_plan *plan_of(const char *writer, const char *reader)
{
    const struct arus_avro_plan *plan;

    return arus_avro_plan_resolve(schema_of(writer), schema_of(reader), &arena, &plan, &err) ==
                   ARUS_OK
               ? plan
               : NULL;
}

/* Reads one value that the bytes may go on behind; the size of what is left. */
static enum arus_status read_one(const char *writer, const char *reader, struct arus_text *bytes,
                                 struct arus_vector *out)
{
    const struct arus_avro_plan *plan = plan_of(writer, reader);

    cr_assert(plan != NULL, "%s", err.message);
    arus_builder_release(&builder);
    cr_assert(eq(int, arus_builder_init(&builder, schema_of(reader)->type, &err), ARUS_OK));
    if (arus_avro_plan_take(plan, bytes, &builder, &err) != ARUS_OK) {
        return err.status;
    }
    return arus_builder_finish(&builder, &arena, out, &err);
}

static int64_t long_at(const struct arus_vector *vector)
{
    return ((const int64_t *)vector->values)[0];
}

static struct arus_text text_at(const struct arus_vector *vector)
{
    return arus_view_text(((const struct arus_view *)vector->values)[0]);
}

Test(avro_resolve, a_field_that_the_writer_lacks_takes_its_default)
{
    const char *reader =
        RECORD("{\"name\":\"n\",\"type\":\"long\",\"default\":7}," NAME
               ",{\"name\":\"s\",\"type\":[\"null\",\"string\"],\"default\":"
               "null},{\"name\":\"t\",\"type\":\"string\",\"default\":\"\\u00e9\"}");
    struct arus_text bytes = ARUS_TEXT("\x06"
                                       "AnnXY");
    struct arus_vector row;

    cr_assert(eq(int, read_one(RECORD(NAME), reader, &bytes, &row), ARUS_OK));
    cr_expect(eq(i64, long_at(&row.children[0]), 7));
    cr_expect(arus_text_equal(text_at(&row.children[1]), ARUS_TEXT("Ann")));
    cr_expect(not(arus_vector_is_valid(&row.children[2], 0)));
    cr_expect(arus_text_equal(text_at(&row.children[3]), ARUS_TEXT("\xC3\xA9")));
    cr_expect(eq(sz, bytes.size, 2)); /* what follows is left */
}

Test(avro_resolve, without_a_default_the_field_is_named)
{
    cr_assert(plan_of(RECORD(NAME), RECORD("{\"name\":\"n\",\"type\":\"int\"}")) == NULL);
    cr_expect(eq(int, err.status, ARUS_BAD_CONFIG));
    cr_expect(strcmp(err.condition, "MALFORMED_AVRO_MESSAGE") == 0);
    cr_expect(eq(str, err.message,
                 "the writer's schema has no field n, and the reader's has no default for it"));
}

Test(avro_resolve, a_bad_default_is_named)
{
    cr_assert(plan_of(RECORD(NAME),
                      RECORD("{\"name\":\"n\",\"type\":\"int\",\"default\":\"x\"}")) == NULL);
    cr_expect(eq(str, err.message, "the default of field n is bad: it is no value of type int"));
}

Test(avro_resolve, what_can_never_be_read_is_an_error_of_the_schemas)
{
    cr_assert(plan_of("\"int\"", "\"string\"") == NULL);
    cr_expect(eq(str, err.message,
                 "the writer's int cannot be read as the reader's string (field of the value "
                 "itself)"));
    cr_expect(plan_of("{\"type\":\"enum\",\"name\":\"n.E\",\"symbols\":[\"A\"]}",
                      "{\"type\":\"enum\",\"name\":\"G\",\"symbols\":[\"A\"]}") == NULL);
    cr_expect(eq(str, err.message,
                 "the writer's enum n.E cannot be read as the reader's enum G (field of the value "
                 "itself)"));
}

Test(avro_resolve, what_some_values_can_be_read_as_fails_by_the_value)
{
    struct arus_text good = ARUS_TEXT("\x02\x06");
    struct arus_text bad = ARUS_TEXT("\x00");
    struct arus_vector row;

    cr_assert(eq(int, read_one("[\"null\",\"int\"]", "\"long\"", &good, &row), ARUS_OK));
    cr_expect(eq(i64, long_at(&row), 3));
    cr_expect(eq(int, read_one("[\"null\",\"int\"]", "\"long\"", &bad, &row), ARUS_BAD_DATA));
    cr_expect(eq(str, err.message,
                 "the writer's null cannot be read as the reader's long (field of the value "
                 "itself)"));
}

Test(avro_resolve, fields_meet_by_alias)
{
    const char *writer =
        RECORD("{\"name\":\"a\",\"type\":\"int\"},{\"name\":\"b\",\"type\":\"int\"}");
    const char *reader = RECORD("{\"name\":\"z\",\"type\":\"long\",\"aliases\":[\"b\"]}");
    struct arus_text bytes = ARUS_TEXT("\x02\x06");
    struct arus_vector row;

    cr_assert(eq(int, read_one(writer, reader, &bytes, &row), ARUS_OK));
    cr_expect(eq(i64, long_at(&row.children[0]), 3));
    cr_expect(plan_of(writer, RECORD("{\"name\":\"a\",\"type\":\"int\",\"aliases\":[\"b\"]}")) ==
              NULL); /* both would go into a */
}

Test(avro_resolve, symbols_meet_by_name_and_unknown_ones_have_a_default)
{
    const char *writer = "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\",\"C\"]}";
    const char *reader =
        "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"C\",\"U\"],\"default\":\"U\"}";
    struct arus_text bytes = ARUS_TEXT("\x04");
    struct arus_text unknown = ARUS_TEXT("\x00");
    struct arus_text none = ARUS_TEXT("\x06");
    struct arus_vector row;

    cr_assert(eq(int, read_one(writer, reader, &bytes, &row), ARUS_OK));
    cr_expect(arus_text_equal(text_at(&row), ARUS_TEXT("C")));
    cr_assert(eq(int, read_one(writer, reader, &unknown, &row), ARUS_OK));
    cr_expect(arus_text_equal(text_at(&row), ARUS_TEXT("U")));
    cr_expect(eq(int, read_one(writer, reader, &none, &row), ARUS_BAD_DATA));
}

Test(avro_resolve, a_union_of_several_types_has_a_field_for_each)
{
    struct arus_text bytes = ARUS_TEXT("\x06");
    struct arus_vector row;

    cr_assert(
        eq(int, read_one("\"int\"", "[\"null\",\"string\",\"long\"]", &bytes, &row), ARUS_OK));
    cr_expect(not(arus_vector_is_valid(&row.children[0], 0)));
    cr_expect(eq(i64, long_at(&row.children[1]), 3));
}

/* Names can stand for endless schemas: 2^40 parts here. */
Test(avro_resolve, a_schema_of_too_many_parts_is_refused)
{
    struct arus_buffer json = {0};
    const struct arus_avro *schema;
    const struct arus_avro_plan *plan;

    for (int i = 0; i < 40; i++) {
        cr_assert(eq(int,
                     arus_buffer_printf(&json, &err,
                                        "{\"type\":\"record\",\"name\":\"R%d\",\"fields\":[{"
                                        "\"name\":\"a\",\"type\":",
                                        i),
                     ARUS_OK));
    }
    cr_assert(eq(int, arus_buffer_append_text(&json, ARUS_TEXT("\"int\""), &err), ARUS_OK));
    for (int i = 39; i >= 0; i--) {
        cr_assert(
            eq(int,
               arus_buffer_printf(&json, &err,
                                  i == 39 ? "}]}" : "},{\"name\":\"b\",\"type\":\"R%d\"}]}", i + 1),
               ARUS_OK));
    }
    cr_assert(eq(int, arus_avro_parse(arus_buffer_text(&json), &arena, &schema, &err), ARUS_OK));
    cr_assert(
        eq(int, arus_avro_plan_resolve(schema, schema, &arena, &plan, &err), ARUS_BAD_CONFIG));
    cr_expect(eq(str, err.message, "the Avro schema has too many parts"));
    arus_buffer_release(&json);
}

static enum arus_status resolve_all(struct arus_error *error)
{
    static const char WRITER[] = "[\"null\"," RECORD(NAME) "]";
    static const char READER[] =
        "[\"null\"," RECORD(NAME ",{\"name\":\"e\",\"type\":{\"type\":\"enum\",\"name\":\"E\","
                                 "\"symbols\":[\"A\"],\"aliases\":[\"F\"],\"default\":\"A\"},"
                                 "\"default\":\"A\"},{\"name\":\"m\",\"type\":{\"type\":\"map\","
                                 "\"values\":\"bytes\"},\"default\":{\"k\":\"v\"}}") "]";
    struct arus_arena memory = {0};
    const struct arus_avro *writer = NULL;
    const struct arus_avro *reader = NULL;
    const struct arus_avro_plan *plan;
    enum arus_status status = arus_avro_parse(ARUS_TEXT(WRITER), &memory, &writer, error);

    if (status == ARUS_OK) {
        status = arus_avro_parse(ARUS_TEXT(READER), &memory, &reader, error);
    }
    if (status == ARUS_OK) {
        status = arus_avro_plan_resolve(writer, reader, &memory, &plan, error);
    }
    arus_arena_release(&memory);
    return status;
}

Test(avro_resolve, survives_each_failing_allocation)
{
    assert_each_failure(resolve_all);
}
