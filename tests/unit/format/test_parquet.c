/** Parquet through the contract of formats: what is written is read; schemas, splits, predicates,
 * damage. */
#include "format/parquet_merge.h"
#include "support/failing.h"

#include <criterion/new/assert.h>

#include "parquet_fixture.h"

#define EVERY_TYPE                                                                                 \
    "b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, d5 DECIMAL(5,2), "      \
    "d15 DECIMAL(15,3), d30 DECIMAL(30,4), str STRING, bin BINARY, dt DATE, ts TIMESTAMP, "        \
    "ntz TIMESTAMP_NTZ"

static const char EVERY_LINE[] =
    "{\"b\":true,\"t\":-1,\"s\":300,\"i\":70000,\"l\":-5000000000,\"f\":1.5,\"d\":-2.25,"
    "\"d5\":-1.25,\"d15\":12.5,\"d30\":12345678901234567890.1234,\"str\":\"gr\xc3\xbcn\","
    "\"bin\":\"AQL/\",\"dt\":\"2026-03-02\",\"ts\":\"2026-03-02T03:04:05.678Z\","
    "\"ntz\":\"1969-12-31T23:59:59.5\"}\n{}\n";

static void write_lines(struct fixture *fixture, const char *lines)
{
    struct arus_error err;

    MUST(fixture_write(fixture, arus_text_of(lines), &err));
}

/** Lines {"n":0,..}, {"n":1,..}: every tenth n is null, s is one of 7 words, a holds n % 4 numbers.
 */
static struct arus_text many_lines(struct fixture *fixture, int count)
{
    struct arus_buffer lines = {0};
    struct arus_text copy;
    struct arus_error err;

    for (int i = 0; i < count; i++) {
        MUST(arus_buffer_printf(&lines, &err, "{\"n\":%d,\"s\":\"word %d\"", i, i % 7));
        MUST(arus_buffer_printf(&lines, &err, i % 10 == 3 ? ",\"o\":null" : ",\"o\":%d", i * 3));
        MUST(arus_buffer_printf(&lines, &err, ",\"a\":["));
        for (int j = 0; j < i % 4; j++) {
            MUST(arus_buffer_printf(&lines, &err, "%s%d", j == 0 ? "" : ",", i + j));
        }
        MUST(arus_buffer_printf(&lines, &err, "]}\n"));
    }
    MUST(arus_text_copy(arus_buffer_text(&lines), &fixture->arena, &copy, &err));
    arus_buffer_release(&lines);
    return copy;
}

#define MANY "n BIGINT, s STRING, o INT, a ARRAY<BIGINT>"

Test(parquet, every_type_comes_back)
{
    struct fixture fixture;

    fixture_open(&fixture, EVERY_TYPE, NULL);
    write_lines(&fixture, EVERY_LINE);
    cr_expect(eq(str, plain(fixture_text(&fixture, NULL)),
                 "true;-1;300;70000;-5000000000;1.5;-2.25;-1.25;12.500;12345678901234567890.1234;"
                 "gr\xc3\xbcn;[01 02 FF];2026-03-02;2026-03-02 03:04:05.678;"
                 "1969-12-31 23:59:59.5\n"
                 "NULL;NULL;NULL;NULL;NULL;NULL;NULL;NULL;NULL;NULL;NULL;NULL;NULL;NULL;NULL\n"));
    cr_expect(eq(u64, fixture.written.row_count, 2));
    cr_expect(eq(u64, fixture.written.byte_count, fixture.bytes.size));
    fixture_close(&fixture);
}

Test(parquet, nested_values_come_back)
{
    struct fixture fixture;

    fixture_open(&fixture, "a ARRAY<ARRAY<INT>>, m MAP<STRING, STRUCT<x: INT, y: ARRAY<STRING>>>",
                 NULL);
    write_lines(&fixture,
                "{\"a\":[[1,null],[],null,[2]],\"m\":{\"k\":{\"x\":1,\"y\":[\"p\",null]},"
                "\"l\":null}}\n{\"a\":[],\"m\":{}}\n{}\n{\"a\":[null],\"m\":{\"z\":{}}}\n");
    cr_expect(eq(str, plain(fixture_text(&fixture, NULL)),
                 "[[1, NULL], [], NULL, [2]];{k -> {1, [p, NULL]}, l -> NULL}\n"
                 "[];{}\nNULL;NULL\n[NULL];{z -> {NULL, NULL}}\n"));
    fixture_close(&fixture);
}

Test(parquet, a_struct_is_null_or_not_even_if_none_of_its_fields_is_in_the_file)
{
    struct fixture fixture;

    fixture_open(&fixture, "st STRUCT<x: INT, l: ARRAY<INT>>", NULL);
    write_lines(&fixture, "{\"st\":{\"x\":1}}\n{}\n{\"st\":{\"x\":2,\"l\":[1,2]}}\n");
    cr_expect(
        eq(str, plain(fixture_text(&fixture, "st STRUCT<z: BIGINT>")), "{NULL}\nNULL\n{NULL}\n"));
    cr_expect(eq(str, plain(fixture_text(&fixture, "st STRUCT<L: ARRAY<BIGINT>, q: INT>")),
                 "{NULL, NULL}\nNULL\n{[1, 2], NULL}\n"));
    fixture_close(&fixture);
}

Test(parquet, columns_are_found_by_name_without_case_and_widened)
{
    struct fixture fixture;

    fixture_open(&fixture, "I INT, f FLOAT, d DATE", NULL);
    write_lines(&fixture, "{\"I\":7,\"f\":0.5,\"d\":\"2026-03-02\"}\n");
    cr_expect(eq(str,
                 plain(fixture_text(&fixture, "none STRING, D TIMESTAMP_NTZ, F DOUBLE, "
                                              "i DECIMAL(12,2)")),
                 "NULL;2026-03-02 00:00:00;0.5;7.00\n"));
    fixture_close(&fixture);
}

/** Reads by a schema that must fail. */
static struct arus_error read_failure(struct fixture *fixture, const char *ddl)
{
    const struct arus_input input = fixture_file(fixture);
    const struct arus_type *schema = NULL;
    struct arus_buffer out = {0};
    struct arus_scan scan;
    struct arus_error err;

    MUST(arus_type_parse_ddl(arus_text_of(ddl), &fixture->arena, &schema, &err));
    scan = fixture_scan(schema);
    cr_assert(eq(int, fixture_read(fixture, &scan, &input, &out, &err), ARUS_BAD_DATA));
    cr_expect(eq(str, err.file.path, fixture->path));
    arus_buffer_release(&out);
    return err;
}

Test(parquet, types_that_do_not_fit_are_refused)
{
    struct fixture fixture;
    struct arus_error err;

    fixture_open(&fixture, "l BIGINT, s STRING, a ARRAY<INT>", NULL);
    write_lines(&fixture, "{\"l\":7,\"s\":\"x\",\"a\":[1]}\n");
    err = read_failure(&fixture, "l INT");
    cr_expect(eq(str, plain(err.condition), "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"));
    cr_expect(eq(str, err.message, "column l: expected type int, but the file has INT64"));
    err = read_failure(&fixture, "s DOUBLE");
    cr_expect(eq(str, plain(err.condition), "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"));
    err = read_failure(&fixture, "a INT");
    cr_expect(eq(str, plain(err.condition), "FAILED_READ_FILE.NO_HINT"));
    fixture_close(&fixture);
}

Test(parquet, two_columns_of_one_name_cannot_be_told_apart)
{
    const struct arus_field fields[] = {{ARUS_TEXT("a"), &ARUS_INT, true, {0}},
                                        {ARUS_TEXT("A"), &ARUS_INT, true, {0}},
                                        {ARUS_TEXT("b"), &ARUS_INT, true, {0}}};
    struct fixture fixture;
    struct arus_error err;

    fixture_open(&fixture, "a INT", NULL);
    MUST(arus_type_struct(fields, 3, &fixture.arena, &fixture.schema, &err));
    fixture_write_nulls(&fixture, 2);
    err = read_failure(&fixture, "a INT");
    cr_expect(
        eq(str, err.message, "found duplicate fields \"a\" and \"A\" in case-insensitive mode"));
    cr_expect(eq(str, plain(fixture_text(&fixture, "b INT")), "NULL\nNULL\n"));
    fixture_close(&fixture);
}

Test(parquet, a_file_without_rows_has_its_schema)
{
    const struct arus_type *schema;
    struct fixture fixture;
    struct arus_buffer ddl = {0};
    struct arus_input input;
    struct arus_error err;

    fixture_open(&fixture,
                 EVERY_TYPE ", y INTERVAL YEAR TO MONTH, v VOID, a ARRAY<MAP<INT, STRING>>", NULL);
    fixture_write_nulls(&fixture, 0);
    cr_expect(eq(str, plain(fixture_text(&fixture, NULL)), ""));
    input = fixture_file(&fixture);
    MUST(ARUS_FORMAT_PARQUET.infer(fixture.read_settings, &(struct arus_inputs){&input, 1},
                                   ARUS_ZONE_UTC, &fixture.arena, &schema, &err));
    MUST(arus_schema_ddl(schema, &ddl, &err));
    cr_expect(arus_type_equal(schema, fixture.schema), "%.*s", (int)ddl.size, ddl.data);
    arus_buffer_release(&ddl);
    fixture_close(&fixture);
}

static void check_many(const char *const *options, int count)
{
    struct fixture fixture;
    struct arus_error err;
    const char *first;

    fixture_open(&fixture, MANY, NULL);
    MUST(fixture_write(&fixture, many_lines(&fixture, count), &err));
    first = fixture_text(&fixture, NULL);
    MUST(fixture_options(&fixture, options, &err));
    MUST(fixture_write(&fixture, many_lines(&fixture, count), &err));
    cr_expect(eq(str, plain(fixture_text(&fixture, NULL)), plain(first)));
    fixture_close(&fixture);
}

Test(parquet, all_codecs_pages_and_row_groups_hold_the_same_rows)
{
    static const char *const CODECS[] = {"none", "gzip", "zstd", "lz4", "lz4_raw", "snappy"};

    for (size_t i = 0; i < sizeof CODECS / sizeof CODECS[0]; i++) {
        check_many((const char *const[]){"compression", CODECS[i], NULL}, 3000);
    }
    check_many((const char *const[]){"parquet.page.row.count.limit", "7", NULL}, 3000);
    check_many(
        (const char *const[]){"parquet.page.size", "100", "parquet.block.size", "4096", NULL},
        30000);
    check_many((const char *const[]){"parquet.enable.dictionary", "false", NULL}, 3000);
    check_many((const char *const[]){"parquet.dictionary.page.size", "64", NULL}, 3000);
}

Test(parquet, splits_share_out_the_row_groups)
{
    static const char *const SMALL[] = {"parquet.block.size", "2048", NULL};
    struct fixture fixture;
    struct arus_buffer out = {0};
    struct arus_input input;
    struct arus_scan scan;
    struct arus_error err;
    const char *all;

    fixture_open(&fixture, MANY, SMALL);
    MUST(fixture_write(&fixture, many_lines(&fixture, 60000), &err));
    all = fixture_text(&fixture, NULL);
    scan = fixture_scan(fixture.schema);
    input = fixture_file(&fixture);
    for (uint64_t i = 0; i < 5; i++) {
        input.begin = input.size * i / 5;
        input.end = input.size * (i + 1) / 5;
        MUST(fixture_read(&fixture, &scan, &input, &out, &err));
    }
    MUST(arus_buffer_append_char(&out, '\0', &err));
    cr_expect(strcmp(out.data, all) == 0);
    arus_buffer_release(&out);
    fixture_close(&fixture);
}

/** Rows that a predicate n OP value leaves, by row groups. */
static size_t rows_left(struct fixture *fixture, enum arus_compare compare, int64_t value)
{
    struct arus_predicate predicate = {.field = 0, .compare = compare};
    struct arus_scan scan = fixture_scan(fixture->schema);
    const struct arus_input input = fixture_file(fixture);
    struct arus_buffer out = {0};
    struct arus_error err;
    size_t rows = 0;

    scan.predicates = &predicate;
    scan.predicate_count = 1;
    MUST(arus_value_make(&ARUS_BIGINT, &value, 1, &fixture->arena, &predicate.literal, &err));
    MUST(fixture_read(fixture, &scan, &input, &out, &err));
    for (size_t i = 0; i < out.size; i++) {
        rows += out.data[i] == '\n';
    }
    arus_buffer_release(&out);
    return rows;
}

Test(parquet, row_groups_that_cannot_fit_are_not_read)
{
    static const char *const SMALL[] = {"parquet.block.size", "2048", NULL};
    struct fixture fixture;
    struct arus_error err;

    fixture_open(&fixture, MANY, SMALL);
    MUST(fixture_write(&fixture, many_lines(&fixture, 65536), &err));
    cr_expect(eq(sz, rows_left(&fixture, ARUS_GE, 0), 65536));
    cr_expect(eq(sz, rows_left(&fixture, ARUS_LT, 0), 0));
    cr_expect(eq(sz, rows_left(&fixture, ARUS_IS_NULL, 0), 0));
    cr_expect(eq(sz, rows_left(&fixture, ARUS_NE, 5), 65536));
    cr_expect(gt(sz, rows_left(&fixture, ARUS_EQ, 40000), 0));
    cr_expect(lt(sz, rows_left(&fixture, ARUS_EQ, 40000), 20000));
    cr_expect(lt(sz, rows_left(&fixture, ARUS_GT, 65000), 20000));
    cr_expect(eq(sz, rows_left(&fixture, ARUS_GT, 65535), 0));
    fixture_close(&fixture);
}

Test(parquet, nan_never_hides_rows)
{
    struct fixture fixture;
    struct arus_predicate predicate = {.field = 0, .compare = ARUS_GT};
    const double eight = 8;
    struct arus_buffer out = {0};
    struct arus_input input;
    struct arus_scan scan;
    struct arus_error err;

    fixture_open(&fixture, "d DOUBLE", NULL);
    write_lines(&fixture, "{\"d\":1}\n{\"d\":\"NaN\"}\n{\"d\":-0.0}\n");
    input = fixture_file(&fixture);
    scan = fixture_scan(fixture.schema);
    scan.predicates = &predicate;
    scan.predicate_count = 1;
    MUST(arus_value_make(&ARUS_DOUBLE, &eight, 1, &fixture.arena, &predicate.literal, &err));
    MUST(fixture_read(&fixture, &scan, &input, &out, &err));
    cr_expect(eq(sz, out.size, strlen("1.0\nNaN\n-0.0\n")));
    arus_buffer_release(&out);
    fixture_close(&fixture);
}

Test(parquet, an_empty_file_has_no_rows_and_no_schema)
{
    const struct arus_type *schema;
    struct fixture fixture;
    struct arus_input input;
    struct arus_error err;

    fixture_open(&fixture, "a INT", NULL);
    cr_expect(eq(str, plain(fixture_text(&fixture, NULL)), ""));
    input = fixture_file(&fixture);
    cr_expect(ne(int,
                 ARUS_FORMAT_PARQUET.infer(fixture.read_settings, &(struct arus_inputs){&input, 1},
                                           ARUS_ZONE_UTC, &fixture.arena, &schema, &err),
                 ARUS_OK));
    cr_expect(eq(str, plain(err.condition), "UNABLE_TO_INFER_SCHEMA"));
    fixture_close(&fixture);
}

Test(parquet, what_is_no_parquet_is_told)
{
    static const char *const BAD[] = {"PAR1", "{\"a\":1}\n{\"a\":2}\n", "PAR1....\x10\0\0\0PAR1"};
    const struct arus_type *schema;
    struct fixture fixture;
    struct arus_input input;
    struct arus_error err;

    fixture_open(&fixture, "a INT", NULL);
    for (size_t i = 0; i < 3; i++) {
        arus_buffer_reset(&fixture.bytes);
        MUST(arus_buffer_append(&fixture.bytes, BAD[i], i == 2 ? 16 : strlen(BAD[i]), &err));
        err = read_failure(&fixture, "a INT");
        cr_expect(eq(str, plain(err.condition), "FAILED_READ_FILE.NO_HINT"));
        input = fixture_file(&fixture);
        cr_expect(
            eq(int,
               ARUS_FORMAT_PARQUET.infer(fixture.read_settings, &(struct arus_inputs){&input, 1},
                                         ARUS_ZONE_UTC, &fixture.arena, &schema, &err),
               ARUS_BAD_DATA));
        cr_expect(eq(str, plain(err.condition), "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER"));
    }
    fixture_close(&fixture);
}

Test(parquet, a_flipped_byte_gives_rows_or_an_error)
{
    struct fixture fixture;
    struct arus_scan scan;
    struct arus_error err;

    fixture_open(&fixture, MANY, NULL);
    MUST(fixture_write(&fixture, many_lines(&fixture, 50), &err));
    scan = fixture_scan(fixture.schema);
    for (size_t i = 0; i < fixture.bytes.size; i += 3) {
        struct arus_buffer out = {0};
        struct arus_input input;
        enum arus_status status;

        fixture.bytes.data[i] ^= 0x55;
        input = fixture_file(&fixture);
        status = fixture_read(&fixture, &scan, &input, &out, &err);
        cr_expect(status == ARUS_OK || status == ARUS_BAD_DATA || status == ARUS_NO_MEMORY);
        fixture.bytes.data[i] ^= 0x55;
        arus_buffer_release(&out);
    }
    fixture_close(&fixture);
}

Test(parquet, file_names_tell_the_codec)
{
    static const char *const PAIRS[][2] = {
        {"snappy", ".snappy.parquet"}, {"gzip", ".gz.parquet"},
        {"zstd", ".zstd.parquet"},     {"none", ".parquet"},
        {"lz4", ".lz4hadoop.parquet"}, {"lz4_raw", ".lz4raw.parquet"}};
    struct fixture fixture;
    struct arus_error err;

    fixture_open(&fixture, "a INT", NULL);
    cr_expect(
        eq(str, plain(ARUS_FORMAT_PARQUET.extension(fixture.write_settings)), ".snappy.parquet"));
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        const char *const options[] = {"parquet.compression", PAIRS[i][0], NULL};

        MUST(fixture_options(&fixture, options, &err));
        cr_expect(eq(str, plain(ARUS_FORMAT_PARQUET.extension(fixture.write_settings)),
                     plain(PAIRS[i][1])));
    }
    fixture_close(&fixture);
}

/* ---- allocations that fail ---- */

static struct fixture broken;

static enum arus_status write_broken(struct arus_error *err)
{
    const struct arus_output output = {fixture_put, &broken.bytes};
    struct arus_vector columns[2] = {0};
    struct arus_batch batch = {.schema = broken.schema, .row_count = 3, .columns = columns};
    struct arus_arena arena = {0};
    struct arus_writer *writer = NULL;
    enum arus_status status;
    static const int64_t VALUES[] = {1, 2, 2};

    arus_buffer_reset(&broken.bytes);
    columns[0] = (struct arus_vector){
        .type = &ARUS_BIGINT, .row_count = 3, .values = (void *)(uintptr_t)VALUES};
    status = arus_vector_init_null(&columns[1], broken.schema->fields[1].type, 3, &arena, err);
    if (status == ARUS_OK) {
        status = ARUS_FORMAT_PARQUET.writer_open(broken.schema, broken.write_settings,
                                                 ARUS_ZONE_UTC, output, &writer, err);
    }
    if (status == ARUS_OK) {
        status = ARUS_FORMAT_PARQUET.writer_write(writer, &batch, err);
    }
    if (status == ARUS_OK) {
        status = ARUS_FORMAT_PARQUET.writer_finish(writer, &broken.written, err);
    }
    ARUS_FORMAT_PARQUET.writer_close(writer);
    arus_arena_release(&arena);
    return status;
}

static enum arus_status read_broken(struct arus_error *err)
{
    const struct arus_scan scan = fixture_scan(broken.schema);
    const struct arus_input input = {
        .path = broken.path, .size = broken.bytes.size, .end = broken.bytes.size};
    struct arus_buffer out = {0};
    const enum arus_status status = fixture_read(&broken, &scan, &input, &out, err);

    arus_buffer_release(&out);
    return status;
}

Test(parquet, survives_each_failing_allocation)
{
    fixture_open(&broken, "n BIGINT, a ARRAY<STRUCT<x: INT, s: STRING>>", NULL);
    assert_each_failure(write_broken);
    (void)fixture_file(&broken);
    assert_each_failure(read_broken);
    fixture_close(&broken);
}

Test(parquet, schemas_are_merged_by_name)
{
    static const char *const ROWS[][3] = {
        {"a INT, b STRING", "B STRING, c DATE", "a INT, b STRING, c DATE"},
        {"s STRUCT<x: INT>, l ARRAY<STRUCT<p: INT>>", "s STRUCT<y: INT>, l ARRAY<STRUCT<q: DATE>>",
         "s STRUCT<x: INT, y: INT>, l ARRAY<STRUCT<p: INT, q: DATE>>"},
        {"m MAP<STRING, STRUCT<x: INT>>, d DECIMAL(10,2)",
         "d DECIMAL(12,2), m MAP<STRING, STRUCT<y: INT>>",
         "m MAP<STRING, STRUCT<x: INT, y: INT>>, d DECIMAL(12,2)"},
        {"a INT", "a BIGINT", NULL},
        {"d DECIMAL(10,2)", "d DECIMAL(10,3)", NULL},
        {"s STRUCT<x: FLOAT>", "s STRUCT<x: DOUBLE>", NULL},
    };
    struct arus_arena arena = {0};
    struct arus_error err;

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_type *types[3];
        const struct arus_type *merged;

        for (size_t k = 0; k < 3 && ROWS[i][k] != NULL; k++) {
            MUST(arus_type_parse_ddl(arus_text_of(ROWS[i][k]), &arena, &types[k], &err));
        }
        if (ROWS[i][2] == NULL) {
            cr_expect(
                ne(int, arus_parquet_merge(types[0], types[1], &arena, &merged, &err), ARUS_OK));
            cr_expect(eq(str, plain(err.condition), "CANNOT_MERGE_SCHEMAS"));
            continue;
        }
        MUST(arus_parquet_merge(types[0], types[1], &arena, &merged, &err));
        cr_expect(arus_type_equal(merged, types[2]), "row %zu", i);
    }
    arus_arena_release(&arena);
}
