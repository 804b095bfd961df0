/** Files: places of errors, whole documents, inference, and what is written comes back. */
#include "base/alloc.h"
#include "format/json_settings_internal.h"
#include "support/folder.h"
#include "support/json_case.h"

#include <criterion/criterion.h>

TestSuite(json_reader, .init = folder_make, .fini = folder_remove);

static struct arus_input input_of(const char *path, size_t size)
{
    return (struct arus_input){.path = path, .size = size, .begin = 0, .end = size};
}

/* All rows of a file in c->shown. */
static enum arus_status read_file(struct json_case *c, const char *path, size_t size)
{
    const struct arus_format *format = &ARUS_FORMAT_JSON;
    const struct arus_input input = input_of(path, size);
    struct arus_reader *reader = NULL;
    struct arus_batch batch = {0};
    enum arus_status status = format->reader_open(&c->scan, c->settings, &reader, &c->err);

    arus_buffer_reset(&c->shown);
    if (status == ARUS_OK) {
        status = format->reader_start(reader, &input, &c->err);
    }
    while (status == ARUS_OK) {
        status = format->reader_next(reader, &batch, &c->err);
        if (status != ARUS_OK || batch.row_count == 0) {
            break;
        }
        json_case_show(c, &batch);
    }
    format->reader_close(reader);
    return status;
}

static void expect_rows(const char *ddl, const char *const *given, const char *content,
                        const char *rows)
{
    const char *path = at("a.json");
    struct json_case c;

    put_file(path, content);
    json_case_open(&c, ddl, given);
    cr_expect_eq(read_file(&c, path, strlen(content)), ARUS_OK, "%s", c.err.message);
    cr_expect_str_eq(json_case_text(&c), rows);
    json_case_close(&c);
}

Test(json_reader, reads_a_document_of_many_lines)
{
    static const char *const MULTI[] = {"multiLine=true", NULL};

    expect_rows("a INT, b STRING", MULTI, "[\n {\"a\": 1},\n {\"a\": 2, \"b\":\"x\"}\n]\n",
                "1|NULL\n2|x\n");
    expect_rows("a INT, b STRING", MULTI, "{\n\"a\": 1}\n{\"a\":2}\n", "1|NULL\n");
    expect_rows("a INT, _corrupt_record STRING", MULTI, "{\"a\":1,\n", "NULL|{\"a\":1,\n\n");
    expect_rows("a INT, b STRING", MULTI, "", "");
}

Test(json_reader, splits_records_at_a_separator_of_choice)
{
    static const char *const COMMA[] = {"lineSep=;", NULL};
    static const char *const NEWLINE[] = {"lineSep=\n", NULL};

    expect_rows("a INT, _corrupt_record STRING", COMMA, "{\"a\":1};{\"a\":\n2};;x",
                "1|NULL\n2|NULL\nNULL|x\n");
    expect_rows("a INT, _corrupt_record STRING", NEWLINE, "{\"a\":1}\r\nx\r\n",
                "1|NULL\nNULL|x\r\n");
}

Test(json_reader, names_file_line_and_column_of_a_bad_record)
{
    static const char *const FAIL[] = {"mode=FAILFAST", NULL};
    static const char CONTENT[] = "{\"a\":1}\n\n{\"a\":2,}\n{\"a\":3}\n";
    const char *path = at("bad.json");
    struct json_case c;

    put_file(path, CONTENT);
    json_case_open(&c, "a INT", FAIL);
    cr_assert_eq(read_file(&c, path, sizeof CONTENT - 1), ARUS_BAD_DATA);
    cr_expect_str_eq(c.err.file.path, path);
    cr_expect_eq(c.err.file.line, 3);
    cr_expect_eq(c.err.file.column, 8);
    cr_expect_str_eq(c.err.message, "bad JSON: a name must follow the comma");
    cr_expect(strstr(c.err.row, "bad.json:3 {\"a\":2,}") != NULL, "%s", c.err.row);
    json_case_close(&c);
}

Test(json_reader, refuses_the_corrupt_record_column_alone)
{
    struct json_case c;

    json_case_open(&c, "_corrupt_record STRING", NULL);
    cr_expect_eq(read_file(&c, "/dev/null", 0), ARUS_BAD_CONFIG);
    cr_expect_str_eq(c.err.condition, "UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN");
    json_case_close(&c);
}

static void expect_schema(const char *const *given, const char *content, const char *schema)
{
    const char *path = at("infer.json");
    struct arus_arena arena = {0};
    struct arus_error err = {0};
    struct arus_buffer text = {0};
    const struct arus_input input = input_of(path, strlen(content));
    const struct arus_type *type = NULL;
    void *settings = json_case_settings(&arena, ARUS_FORMAT_JSON.read_options,
                                        ARUS_FORMAT_JSON.read_settings_size, given, &err);

    put_file(path, content);
    cr_assert_eq(ARUS_FORMAT_JSON.check_read(settings, NULL, &arena, &err), ARUS_OK);
    cr_assert_eq(ARUS_FORMAT_JSON.infer(settings, &(struct arus_inputs){&input, 1}, ARUS_ZONE_UTC,
                                        &arena, &type, &err),
                 ARUS_OK, "%s", err.message);
    cr_assert_eq(arus_type_simple(type, &text, &err), ARUS_OK);
    cr_assert_eq(arus_buffer_append_char(&text, '\0', &err), ARUS_OK);
    cr_expect_str_eq(text.data, schema);
    arus_buffer_release(&text);
    arus_arena_release(&arena);
}

Test(json_reader, infers_what_spark_infers)
{
    static const char *const STRINGS[] = {"primitivesAsString=true", NULL};
    static const char *const DECIMALS[] = {"prefersDecimal=true", NULL};
    static const char *const DROP[] = {"dropFieldIfAllNull=true", NULL};

    expect_schema(NULL, "{\"b\":1,\"a\":\"x\"}\n{\"c\":1.5}\n",
                  "struct<a:string,b:bigint,c:double>");
    expect_schema(NULL, "{\"a\":1}\nx\n", "struct<_corrupt_record:string,a:bigint>");
    expect_schema(NULL, "{\"a\":1}\n{\"a\":\"x\"}\n", "struct<a:string>");
    expect_schema(NULL, "{\"a\":1}\n{\"a\":9223372036854775808}\n", "struct<a:decimal(20,0)>");
    expect_schema(NULL, "{\"a\":{\"x\":1,\"y\":[1,2.5]}}\n{\"a\":{\"z\":true,\"y\":[\"s\"]}}\n",
                  "struct<a:struct<x:bigint,y:array<string>,z:boolean>>");
    expect_schema(NULL, "{\"a\":null,\"b\":[],\"c\":{},\"d\":\"\"}\n",
                  "struct<a:string,b:array<string>,d:string>");
    expect_schema(NULL, "[{\"a\":1},{\"b\":2}]\n5\n",
                  "struct<_corrupt_record:string,a:bigint,b:bigint>");
    expect_schema(STRINGS, "{\"a\":1,\"b\":true}\n", "struct<a:string,b:string>");
    expect_schema(DECIMALS, "{\"a\":1.25,\"b\":\"0.5\"}\n",
                  "struct<a:decimal(3,2),b:decimal(1,1)>");
    expect_schema(
        DECIMALS,
        "{\"a\":\"1,234.5\",\"b\":\"1e2\",\"c\":\"0.05\",\"d\":\"1e\",\"e\":0.05,\"f\":\".5\"}\n",
        "struct<a:decimal(5,1),b:string,c:string,d:string,e:decimal(2,2),"
        "f:decimal(1,1)>");
    expect_schema(DROP, "{\"a\":null,\"b\":1}\n", "struct<b:bigint>");
    expect_schema(NULL, "{\"a\":{\"x\":1},\"a\":{}}\n", "struct<a:struct<x:bigint>>");
}

Test(json_reader, a_name_twice_in_one_record_makes_no_schema)
{
    const char *path = at("twice.json");
    const char *content = "{\"b\":{\"a\":1}}\n{\"b\":{\"a\":1,\"a\":2}}\n";
    const struct arus_input input = input_of(path, strlen(content));
    struct arus_arena arena = {0};
    struct arus_error err = {0};
    const struct arus_type *type = NULL;
    void *settings = json_case_settings(&arena, ARUS_FORMAT_JSON.read_options,
                                        ARUS_FORMAT_JSON.read_settings_size, NULL, &err);

    put_file(path, content);
    cr_assert_eq(ARUS_FORMAT_JSON.check_read(settings, NULL, &arena, &err), ARUS_OK);
    cr_expect_eq(ARUS_FORMAT_JSON.infer(settings, &(struct arus_inputs){&input, 1}, ARUS_ZONE_UTC,
                                        &arena, &type, &err),
                 ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.condition, "COLUMN_ALREADY_EXISTS");
    arus_arena_release(&arena);
}

/* ---- writing ---- */

static enum arus_status append(void *self, const void *data, size_t size, struct arus_error *err)
{
    return arus_buffer_append(self, data, size, err);
}

/* Reads rows by `ddl` and writes them again. */
static void expect_written(const char *ddl, const char *const *given, const char *content,
                           const char *written)
{
    const struct arus_format *format = &ARUS_FORMAT_JSON;
    struct json_case c;
    struct arus_json_decoder *decoder = NULL;
    struct arus_writer *writer = NULL;
    struct arus_write_stats stats;
    struct arus_batch batch;
    struct arus_buffer out = {0};
    char text[2048] = {0};
    size_t from = 0;
    void *settings;

    json_case_open(&c, ddl, NULL);
    settings = json_case_settings(&c.arena, format->write_options, format->write_settings_size,
                                  given, &c.err);
    cr_assert_eq(format->check_write(settings, c.scan.output, &c.arena, &c.err), ARUS_OK, "%s",
                 c.err.message);
    memcpy(text, content, strlen(content));
    cr_assert_eq(arus_json_decoder_open(&c.scan, c.settings, &decoder, &c.err), ARUS_OK);
    cr_assert_eq(arus_json_decode(decoder, arus_text_of(text), &from, 8192, &batch, &c.err),
                 ARUS_OK);
    cr_assert_eq(format->writer_open(c.scan.output, settings, ARUS_ZONE_UTC,
                                     (struct arus_output){append, &out}, &writer, &c.err),
                 ARUS_OK);
    cr_assert_eq(format->writer_write(writer, &batch, &c.err), ARUS_OK);
    cr_assert_eq(format->writer_finish(writer, &stats, &c.err), ARUS_OK);
    cr_assert_eq(arus_buffer_append_char(&out, '\0', &c.err), ARUS_OK);
    cr_expect_str_eq(out.data, written);
    cr_expect_eq(stats.row_count, batch.row_count);
    cr_expect_eq(stats.byte_count, strlen(written));
    format->writer_close(writer);
    arus_json_decoder_close(decoder);
    arus_buffer_release(&out);
    json_case_close(&c);
}

Test(json_reader, writes_what_spark_writes)
{
    static const char *const NULLS[] = {"ignoreNullFields=false", NULL};
    static const char *const PRETTY[] = {"pretty=true", NULL};
    static const char *const ASCII[] = {"writeNonAsciiCharacterAsCodePoint=true", NULL};

    expect_written("b BOOLEAN, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(5,2), s STRING, v BINARY",
                   NULL,
                   "{\"b\":true,\"l\":-9007199254740993,\"f\":1.1,\"d\":1e-5,\"n\":12.3,"
                   "\"s\":\"a\\\"\\\\\\n\\u0001/\xC3\xA9\",\"v\":\"MTIK\"}\n{\"d\":\"NaN\"}\n{}\n",
                   "{\"b\":true,\"l\":-9007199254740993,\"f\":1.1,\"d\":1.0E-5,\"n\":12.30,"
                   "\"s\":\"a\\\"\\\\\\n\\u0001/\xC3\xA9\",\"v\":\"MTIK\"}\n{\"d\":\"NaN\"}\n{}\n");
    expect_written("t TIMESTAMP, w TIMESTAMP_NTZ, d DATE", NULL,
                   "{\"t\":\"2026-03-02T03:04:05.123456Z\",\"w\":\"2026-03-02T03:04:05.5\","
                   "\"d\":\"2026-03-02\"}\n",
                   "{\"t\":\"2026-03-02T03:04:05.123Z\",\"w\":\"2026-03-02T03:04:05.500\","
                   "\"d\":\"2026-03-02\"}\n");
    expect_written("a ARRAY<STRING>, m MAP<STRING, INT>, s STRUCT<x: INT, y: INT>", NULL,
                   "{\"a\":[\"x\",null],\"m\":{\"k\":1,\"n\":null},\"s\":{\"x\":1}}\n",
                   "{\"a\":[\"x\",null],\"m\":{\"k\":1,\"n\":null},\"s\":{\"x\":1}}\n");
    expect_written("a INT, s STRUCT<x: INT>", NULLS, "{\"s\":{}}\n{}\n",
                   "{\"a\":null,\"s\":{\"x\":null}}\n{\"a\":null,\"s\":null}\n");
    expect_written("a INT, r ARRAY<INT>, s STRUCT<x: INT>", PRETTY,
                   "{\"a\":1,\"r\":[1,2],\"s\":{}}\n",
                   "{\n  \"a\" : 1,\n  \"r\" : [ 1, 2 ],\n  \"s\" : { }\n}\n");
    expect_written("s STRING", ASCII, "{\"s\":\"\xC3\xA9\xF0\x9F\x98\x80\"}\n",
                   "{\"s\":\"\\u00E9\\uD83D\\uDE00\"}\n");
}

/* ---- single values ---- */

static void expect_values(const char *ddl, const char *const *texts, uint32_t count,
                          const char *shown)
{
    struct arus_arena arena = {0};
    struct arus_error err = {0};
    struct arus_buffer out = {0};
    const struct arus_type *type = NULL;
    struct arus_json_values *values = NULL;
    struct arus_vector column;
    struct arus_vector result;
    uint32_t bad_row;
    void *settings = json_case_settings(&arena, ARUS_FORMAT_JSON.read_options,
                                        ARUS_FORMAT_JSON.read_settings_size, NULL, &err);

    cr_assert_eq(arus_type_parse_ddl(arus_text_of(ddl), &arena, &type, &err), ARUS_OK);
    cr_assert_eq(ARUS_FORMAT_JSON.check_read(settings, type, &arena, &err), ARUS_OK);
    cr_assert_eq(arus_vector_init(&column, &ARUS_STRING, count, &arena, &err), ARUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        ((struct arus_view *)column.values)[i] = arus_view_of(texts[i], strlen(texts[i]));
    }
    cr_assert_eq(arus_json_values_open(type, settings, ARUS_ZONE_UTC, &values, &err), ARUS_OK);
    cr_assert_eq(arus_json_values_decode(values, &column, &result, &bad_row, &err), ARUS_OK, "%s",
                 err.message);
    cr_assert_eq(result.row_count, count);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(arus_value_text(&result, i, ARUS_ZONE_UTC, &out, &err), ARUS_OK);
        cr_assert_eq(arus_buffer_append_char(&out, '\n', &err), ARUS_OK);
    }
    cr_assert_eq(arus_buffer_append_char(&out, '\0', &err), ARUS_OK);
    cr_expect_str_eq(out.data, shown);
    arus_json_values_close(values);
    arus_buffer_release(&out);
    arus_arena_release(&arena);
}

Test(json_reader, from_json_gives_one_value_per_text)
{
    static const char *const STRUCTS[] = {"{\"a\":1,\"b\":{\"x\": 1.50}}",
                                          "[{\"a\":1}]",
                                          "  ",
                                          "{\"a\":\"x\",\"b\":\"k\"}",
                                          "null",
                                          "{\"a\":1}{\"a\":2}",
                                          "{\n\"a\":3}",
                                          "{\"a\":4}"};
    static const char *const ARRAYS[] = {
        "[{\"a\":1}]", "{\"a\":1}", "[{\"a\":\"x\"},{\"a\":2}]", "[1]", "null", "", "[null]"};
    static const char *const MAPS[] = {"{\"a\":1,\"a\":2}", "{\"a\":\"x\"}", "[1]", "{}"};

    expect_values("a INT, b STRING", STRUCTS, 8,
                  "{1, {\"x\":1.5}}\n{NULL, NULL}\nNULL\n{NULL, k}\n{NULL, NULL}\n{1, NULL}\n"
                  "{3, NULL}\n{4, NULL}\n");
    expect_values("ARRAY<STRUCT<a: INT>>", ARRAYS, 7,
                  "[{1}]\n[{1}]\n[{NULL}, {2}]\nNULL\nNULL\nNULL\n[NULL]\n");
    expect_values("MAP<STRING, INT>", MAPS, 4, "{a -> 1, a -> 2}\nNULL\nNULL\n{}\n");
}

/* ---- memory ---- */

static enum arus_status decode_once(uint64_t nth, struct arus_error *err)
{
    static const char TEXT[64 * 4] =
        "{\"a\":1,\"b\":\"x\\n\",\"r\":[\"p\",\"q\\t\"]}\n{\"b\":\"y\",\"a\":2}\n[{\"a\":3}]\n";
    struct json_case c;
    struct arus_json_decoder *decoder = NULL;
    struct arus_batch batch;
    enum arus_status status;
    size_t from = 0;

    json_case_open(&c, "a INT, b STRING, r ARRAY<STRING>", NULL);
    arus_alloc_fail_at(nth);
    status = arus_json_decoder_open(&c.scan, c.settings, &decoder, err);
    while (status == ARUS_OK && from < strlen(TEXT)) {
        status = arus_json_decode(decoder, arus_text_of(TEXT), &from, 8192, &batch, err);
    }
    arus_alloc_fail_at(0);
    arus_json_decoder_close(decoder);
    json_case_close(&c);
    return status;
}

Test(json_reader, survives_each_failing_allocation)
{
    enum arus_status status = ARUS_NO_MEMORY;
    uint64_t nth = 0;

    while (status != ARUS_OK) {
        struct arus_error err = {0};

        cr_assert_lt(++nth, 1000);
        status = decode_once(nth, &err);
        cr_assert(status == ARUS_OK || status == ARUS_NO_MEMORY, "allocation %d: %s", (int)nth,
                  arus_status_name(status));
    }
    cr_assert_gt(nth, 10);
}
