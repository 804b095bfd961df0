#include "format/csv.h"
#include "support/failing.h"

#include "csv_fixture.h"

#define ABC       "a INT, b STRING, c DOUBLE, _corrupt_record STRING"
#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *const NOTHING[] = {NULL};

static void expect(const char *ddl, const char *const *options, struct arus_text content,
                   const char *expected)
{
    const struct fixture fixture = {.format = &ARUS_FORMAT_CSV, .ddl = ddl, .options = options};

    expect_rows(&fixture, content, expected);
}

static struct arus_error expect_error(const char *ddl, const char *const *options,
                                      struct arus_text content, const char *condition)
{
    const struct fixture fixture = {.format = &ARUS_FORMAT_CSV, .ddl = ddl, .options = options};

    return expect_failure(&fixture, content, condition);
}

Test(csv, ends_lines_at_any_line_end)
{
    expect(ABC, NOTHING, ARUS_TEXT("1,x,1.5\n2,y,2.5\r\n3,z,3.5\r4,w,4.5"),
           "1|x|1.5|NULL\n2|y|2.5|NULL\n3|z|3.5|NULL\n4|w|4.5|NULL\n");
    expect(ABC, NOTHING, ARUS_TEXT(""), "");
    expect(ABC, NOTHING, ARUS_TEXT("\n\n   \n\t\n"), "");
}

Test(csv, keeps_bad_rows_and_their_text)
{
    expect(ABC, NOTHING, ARUS_TEXT("1,x\n2\n3,z,3.5,4\nq,\"r\",3\n"),
           "1|x|NULL|1,x\n2|NULL|NULL|2\n3|z|3.5|3,z,3.5,4\nNULL|r|3.0|q,\"r\",3\n");
}

Test(csv, drops_bad_rows)
{
    expect("a INT, b STRING", WITH("mode", "DROPMALFORMED"), ARUS_TEXT("1,x\nq,y\n3\n4,z\n5,w,1\n"),
           "1|x\n4|z\n");
}

Test(csv, stops_at_a_bad_row_and_says_where)
{
    struct arus_error err = expect_error("a INT, b STRING", WITH("mode", "FAILFAST"),
                                         ARUS_TEXT("1,x\n2,y,z\n"), "MALFORMED_CSV_RECORD");

    cr_expect(eq(u64, err.file.line, 2));
    err =
        expect_error("a STRING, b INT", WITH("mode", "failfast"), ARUS_TEXT("u,1\n\n\xC3\xA9,q\n"),
                     "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION");
    cr_expect(eq(u64, err.file.line, 3));
    cr_expect(eq(u64, err.file.column, 3));
    err = expect_error("a STRING, b INT", WITH("mode", "FAILFAST", "multiLine", "true"),
                       ARUS_TEXT("\"u\n\",1\nx,q\n"),
                       "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION");
    cr_expect(eq(u64, err.file.line, 3));
    err =
        expect_error("a STRING, b INT", WITH("mode", "failfast"), ARUS_TEXT("u,1\n\n\xC3\xA9,q\n"),
                     "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION");
    cr_expect(strstr(err.row, ":3 \xC3\xA9,q") != NULL, "%s", err.row);
}

Test(csv, reads_quotes_as_spark_does)
{
    expect("a STRING, b STRING", NOTHING,
           ARUS_TEXT("\"a\\\"b\",c\n\"a\"\"b\",c\n\"ab\"c,d\na\"b,c\n\"x\" ,y\n \"x\",y\n"
                     "\"unclosed,c\na\\,b\n\"a\\\\\",b\n\"a,b\"c\",d\n\"\",\n"),
           "a\"b|c\n\"a\"\"b\"|c\n\"ab\"c|d\na\"b|c\nx|y\n \"x\"|y\nunclosed,c|NULL\na\\|b\na\\|b\n"
           "\"a,b\"c\"|d\nNULL|NULL\n");
    expect("a STRING, b STRING", WITH("escape", "\""), ARUS_TEXT("\"a\"\"b\",1\n"), "a\"b|1\n");
    expect("a STRING, b STRING", WITH("quote", ""), ARUS_TEXT("\"a,b\"\n"), "\"a|b\"\n");
    expect("a STRING, b STRING", WITH("quote", "\xC2\xAB"),
           ARUS_TEXT("\xC2\xAB"
                     "a,b\xC2\xAB,c\n"),
           "a,b|c\n");
}

Test(csv, ends_values_at_separators_of_any_length)
{
    expect("a INT, b STRING", WITH("sep", "||"), ARUS_TEXT("1||\"x||y\"\n2|3||z\n"),
           "1|x||y\nNULL|z\n");
    expect("a INT, b STRING", WITH("delimiter", "\\t"), ARUS_TEXT("1\tx\n"), "1|x\n");
    expect("a INT, b STRING", WITH("sep", "\xC2\xA7"), ARUS_TEXT("1\xC2\xA7\xC3\xA9\n"),
           "1|\xC3\xA9\n");
    (void)expect_error("a INT", WITH("sep", "\\q"), ARUS_TEXT("1"),
                       "INVALID_DELIMITER_VALUE.UNSUPPORTED_SPECIAL_CHARACTER");
}

Test(csv, tells_null_from_empty)
{
    expect("a STRING, b STRING", WITH("nullValue", "NA"), ARUS_TEXT("NA,\"\"\n,\"NA\"\n"),
           "NULL|\nNULL|NULL\n");
    expect("a INT, b STRING", WITH("nullValue", "1", "emptyValue", "E"), ARUS_TEXT("1,\"\"\n2,x\n"),
           "NULL|E\n2|x\n");
}

Test(csv, skips_the_header_of_each_file)
{
    expect("a INT, b STRING", WITH("header", "true"), ARUS_TEXT("\n\nx,y\n1,u\n"), "1|u\n");
    expect("a INT, b STRING", WITH("header", "true", "comment", "#"),
           ARUS_TEXT(" #x\na,b\n#1,u\n2,v\n"), "2|v\n");
    expect("a INT, b STRING", WITH("header", "true", "enforceSchema", "false"),
           ARUS_TEXT("A,\"b\"\n1,u\n"), "1|u\n");
    (void)expect_error("a INT, b STRING", WITH("header", "true", "enforceSchema", "false"),
                       ARUS_TEXT("b,a\n1,u\n"), "FAILED_READ_FILE.NO_HINT");
}

Test(csv, checks_only_the_columns_that_are_read)
{
    const struct fixture first = {.format = &ARUS_FORMAT_CSV,
                                  .ddl = "a STRING, b INT, c STRING",
                                  .options = WITH("mode", "DROPMALFORMED"),
                                  .columns = "0,"};
    const struct fixture none = {
        .format = &ARUS_FORMAT_CSV, .ddl = "a STRING, b INT", .options = NOTHING, .columns = "-"};

    expect_rows(&first, ARUS_TEXT("x\nx,q\nx,1,y,z\n\"x\",1,y\n"), "x\nx\nx\nx\n");
    expect_rows(&none, ARUS_TEXT("x\n\n\"x,q\ny,1\n"), "\n\n\n");
}

Test(csv, takes_numbers_as_java_does)
{
    expect("k INT, v INT", NOTHING,
           ARUS_TEXT("0,+1\n1,-0\n2, 1\n3,1.0\n4,2147483648\n5,00000000000000000007\n"
                     "6,-2147483648\n7,\xEF\xBC\x91\n8,-\n"),
           "0|1\n1|0\n2|NULL\n3|NULL\n4|NULL\n5|7\n6|-2147483648\n7|1\n8|NULL\n");
    expect("v BIGINT", NOTHING,
           ARUS_TEXT("9223372036854775807\n-9223372036854775808\n9223372036854775808\n"),
           "9223372036854775807\n-9223372036854775808\nNULL\n");
    expect("k INT, v DOUBLE", NOTHING,
           ARUS_TEXT(
               "0,.5\n1,5.\n2,-0\n3,1e400\n4, 1.5 \n5,1d\n6,0x1p3\n7,Inf\n8,inf\n9,123456789.25\n"
               "10,0.1234567890123456789\n11,.\n12,-.5\n13,1.2.3\n"),
           "0|0.5\n1|5.0\n2|-0.0\n3|Infinity\n4|1.5\n5|1.0\n6|8.0\n7|Infinity\n8|NULL\n9|1."
           "2345678925E8\n"
           "10|0.12345678901234568\n11|NULL\n12|-0.5\n13|NULL\n");
    expect("v DECIMAL(5,2)", WITH("sep", ";"), ARUS_TEXT("1.235\n-1.235\n1,2,3\n999.995\n1e2\n"),
           "1.24\n-1.24\n123.00\nNULL\n100.00\n");
    expect("v BOOLEAN", NOTHING, ARUS_TEXT("true\nFalse\n1\ntrues\n"), "true\nfalse\nNULL\nNULL\n");
}

Test(csv, takes_dates_and_times)
{
    struct fixture paris = {.format = &ARUS_FORMAT_CSV,
                            .ddl = "v TIMESTAMP",
                            .options = NOTHING,
                            .zone = "Europe/Paris"};

    expect("v DATE", NOTHING,
           ARUS_TEXT("2026-03-02\n2026-3-2\n2026-02-30\n2026-03-02 x\n20260302\n"),
           "2026-03-02\n2026-03-02\nNULL\n2026-03-02\nNULL\n");
    expect(
        "v TIMESTAMP", NOTHING,
        ARUS_TEXT("2026-01-01T00:00:00.190Z\n2026-01-01 23:59:59\n2026-01-01 24:00:00\n"
                  "2026-01-01T00:00:00.1234567Z\n2026-01-01T00:00:00.\n2026-01-01T01:00:00+01:00\n"
                  "2026-01-01\n2026-01-01T0:00:00Z\n"),
        "2026-01-01 00:00:00.19\n2026-01-01 23:59:59\nNULL\n2026-01-01 00:00:00.123456\n"
        "2026-01-01 00:00:00\n2026-01-01 00:00:00\n2026-01-01 00:00:00\n2026-01-01 00:00:00\n");
    expect("v TIMESTAMP_NTZ", NOTHING, ARUS_TEXT("2026-01-01T00:00:00Z\n2026-01-01T00:00:00.5\n"),
           "NULL\n2026-01-01 00:00:00.5\n");
    expect_rows(&paris,
                ARUS_TEXT("2026-01-01T00:00:00Z\n2026-01-01T00:00:00\n2026-03-29 02:30:00\n"),
                "2026-01-01 01:00:00\n2026-01-01 00:00:00\n2026-03-29 03:30:00\n");
}

Test(csv, keeps_line_ends_inside_quotes_only_when_asked)
{
    expect(ABC, NOTHING, ARUS_TEXT("1,\"a\nb\",1.5\n"), "1|a|NULL|1,\"a\nNULL|1.5|NULL|b\",1.5\n");
    expect(ABC, WITH("multiLine", "true"), ARUS_TEXT("1,\"a\nb\",1.5\n\n2,y,2.5\n"),
           "1|a\nb|1.5|NULL\n2|y|2.5|NULL\n");
    expect(ABC, WITH("multiLine", "true"), ARUS_TEXT("1,\"a\r\nb\",1.5\r\n2,y,2.5\r\n"),
           "1|a\nb|1.5|NULL\n2|y|2.5|NULL\n");
    expect(ABC, WITH("multiLine", "true", "header", "true"), ARUS_TEXT("a,b,c\n1,\"abc,1.5\n2,y\n"),
           "1|abc,1.5\n2,y\n|NULL|1,\"abc,1.5\n2,y\n");
}

Test(csv, reads_records_longer_than_its_buffer)
{
    static char content[3 << 20];
    const struct fixture fixture = {
        .format = &ARUS_FORMAT_CSV, .ddl = "a INT, b STRING", .options = WITH("multiLine", "true")};
    struct arus_buffer out = {0};
    struct arus_error err = {0};

    memset(content, '\n', sizeof content);
    memcpy(content, "1,\"", 3);
    memcpy(content + sizeof content - 7, "\"\n2,x\n\n", 7);
    cr_assert(eq(int, read_rows(&fixture, (struct arus_text){content, sizeof content}, &out, &err),
                 ARUS_OK));
    cr_expect(eq(sz, out.size, sizeof content - 10 + 2 + 1 + 4));
    cr_expect(eq(int, memcmp(out.data + out.size - 5, "\n2|x\n", 5), 0));
    arus_buffer_release(&out);
}

Test(csv, ends_lines_at_its_own_separator)
{
    expect(ABC, WITH("lineSep", ";"), ARUS_TEXT("1,x\r\n,1.5;2,y,2.5\n"),
           "1|x\r\n|1.5|NULL\n2|y|2.5|NULL\n");
    expect("a STRING", WITH("lineSep", "\n"), ARUS_TEXT("x\r\ny\n"), "x\r\ny\n");
}

Test(csv, ends_records_at_its_own_separator)
{
    expect(ABC, WITH("multiLine", "true", "lineSep", ";"),
           ARUS_TEXT("1,\"a;\nb\",1.5;2,\"y\";3,\"z\" ;4,w,2.5;"),
           "1|a;\nb|1.5|NULL\n2|y|NULL|2,\"y\";\n3|z|NULL|3,\"z\" ;\n4|w|2.5|NULL\n");
    expect("a INT, b BINARY, c INT", WITH("multiLine", "true", "lineSep", "\n"),
           (struct arus_text){"1,\0x,\n", 6}, "1|[00 78]|NULL\n");
}

Test(csv, gives_bad_records_without_their_line_end)
{
    expect(ABC, WITH("multiLine", "true"), ARUS_TEXT("x,\"a\rb\"\r"),
           "NULL|a\nb|NULL|x,\"a\rb\"\n");
    expect(ABC, WITH("lineSep", "\n"), ARUS_TEXT("x,y\r\nx,y\f\n"),
           "NULL|y\r|NULL|x,y\nNULL|y\f|NULL|x,y\f\n");
}

Test(csv, a_file_of_one_carriage_return_is_a_bad_record)
{
    expect(ABC, WITH("multiLine", "true"), ARUS_TEXT("\r"), "NULL|NULL|NULL|\n");
    expect(ABC, WITH("multiLine", "true"), ARUS_TEXT("\r\n"), "");
    expect(ABC, WITH("multiLine", "true"), ARUS_TEXT("\n"), "");
}

Test(csv, checks_all_columns_with_multi_line)
{
    const struct fixture fixture = {.format = &ARUS_FORMAT_CSV,
                                    .ddl = "a STRING, b STRING",
                                    .options = WITH("multiLine", "true", "mode", "DROPMALFORMED"),
                                    .columns = "0,"};

    expect_rows(&fixture, ARUS_TEXT("x\ny,z\n"), "y\n");
}

Test(csv, replaces_bytes_that_are_no_text)
{
    expect("a STRING", NOTHING,
           ARUS_TEXT("a\xFF"
                     "b\n"),
           "a\xEF\xBF\xBD"
           "b\n");
    expect("a STRING", WITH("encoding", "ISO-8859-1"), ARUS_TEXT("\xE9\n"), "\xC3\xA9\n");
    (void)expect_error("a STRING", WITH("encoding", "GBK"), ARUS_TEXT(""),
                       "INVALID_PARAMETER_VALUE.CHARSET");
}

Test(csv, refuses_what_it_cannot_hold)
{
    (void)expect_error("a STRUCT<x: INT>", NOTHING, ARUS_TEXT(""),
                       "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE");
    (void)expect_error("a INT, _corrupt_record INT", NOTHING, ARUS_TEXT(""),
                       "INVALID_CORRUPT_RECORD_TYPE");
    (void)expect_error("_corrupt_record STRING", NOTHING, ARUS_TEXT(""),
                       "UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN");
    (void)expect_error("a INT", WITH("quote", "ab"), ARUS_TEXT(""),
                       "OPTION_VALUE_EXCEEDS_ONE_CHARACTER");
    (void)expect_error("a INT, b INT, c INT", WITH("maxColumns", "2"), ARUS_TEXT("1,2,3"),
                       "MALFORMED_CSV_RECORD");
    (void)expect_error("a STRING", WITH("maxCharsPerColumn", "2"),
                       ARUS_TEXT("\xC3\xA9\xC3\xA9\nabc\n"), "MALFORMED_CSV_RECORD");
}

/* ---- the fast path gives what the exact one gives ---- */

static uint32_t random_next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Rows that look right, with a slip here and there. */
static void random_rows(uint32_t seed, struct arus_buffer *out)
{
    static const char *const PIECES[] = {"12",         "-7",
                                         "abc",        "1.5",
                                         "-0.25",      "true",
                                         "false",      "",
                                         "2026-01-02", "2026-01-02T03:04:05.6Z",
                                         "NULL",       "99999999999",
                                         "x y",        "\xC3\xA9",
                                         ".5",         "1e3",
                                         "2026-02-30", "123456789012345678",
                                         "\"q\"",      "\"a,b\"",
                                         "\"a\\\"b\"", "\"",
                                         "a\"b",       " 1"};
    static const char *const ENDS[] = {"\n", "\n", "\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n \n"};
    struct arus_error err;

    for (uint32_t row = random_next(&seed) % 40; row < 60; row++) {
        const uint32_t count = random_next(&seed) % 8 == 0 ? random_next(&seed) % 7 : 6;

        for (uint32_t i = 0; i < count; i++) {
            const char *piece = PIECES[random_next(&seed) % (sizeof PIECES / sizeof *PIECES)];

            if (i > 0) {
                cr_assert(eq(int, arus_buffer_append_char(out, ',', &err), ARUS_OK));
            }
            cr_assert(eq(int, arus_buffer_append(out, piece, strlen(piece), &err), ARUS_OK));
        }
        cr_assert(eq(int,
                     arus_buffer_append_text(out, arus_text_of(ENDS[random_next(&seed) % 9]), &err),
                     ARUS_OK));
    }
    for (uint32_t i = random_next(&seed) % 4; i > 0; i--) { /* and a few bytes turned */
        out->data[random_next(&seed) % out->size] = (char)random_next(&seed);
    }
}

static void expect_same_rows(uint32_t seed, const char *columns)
{
    static const char DDL[] = "a INT, b STRING, c DOUBLE, d BOOLEAN, e DATE, f TIMESTAMP, "
                              "_corrupt_record STRING";
    static const char *const EXTRA[][2] = {{"header", "false"},
                                           {"escape", "\""},
                                           {"multiLine", "true"},
                                           {"lineSep", "\n"},
                                           {"comment", "a"}};
    const char *const null_value = seed % 3 == 0 ? "NULL" : "";
    const char *const *extra = EXTRA[seed % 5];
    const char *const fast_options[] = {"nullValue", null_value, extra[0], extra[1], NULL};
    const char *const exact_options[] = {"nullValue",         null_value, extra[0], extra[1],
                                         "maxCharsPerColumn", "100000",   NULL};
    struct fixture fixture = {
        .format = &ARUS_FORMAT_CSV, .ddl = DDL, .options = fast_options, .columns = columns};
    struct arus_buffer content = {0};
    struct arus_buffer rows[3] = {0};
    struct arus_error err = {0};

    random_rows(seed, &content);
    cr_assert(eq(int, read_rows(&fixture, arus_buffer_text(&content), &rows[0], &err), ARUS_OK));
    (void)setenv("ARUS_CPU", "portable", 1);
    cr_assert(eq(int, read_rows(&fixture, arus_buffer_text(&content), &rows[1], &err), ARUS_OK));
    (void)unsetenv("ARUS_CPU");
    fixture.options = exact_options; /* a limit on characters asks for the exact tokenizer */
    cr_assert(eq(int, read_rows(&fixture, arus_buffer_text(&content), &rows[2], &err), ARUS_OK));
    for (size_t i = 1; i < 3; i++) {
        cr_assert(arus_text_equal(arus_buffer_text(&rows[0]), arus_buffer_text(&rows[i])),
                  "seed %u, way %zu\n%.*s\n-- fast --\n%.*s\n-- other --\n%.*s", (unsigned)seed, i,
                  ARUS_TEXT_ARGS(arus_buffer_text(&content)),
                  ARUS_TEXT_ARGS(arus_buffer_text(&rows[0])),
                  ARUS_TEXT_ARGS(arus_buffer_text(&rows[i])));
    }
    for (size_t i = 0; i < 3; i++) {
        arus_buffer_release(&rows[i]);
    }
    arus_buffer_release(&content);
}

Test(csv, gives_the_same_rows_on_every_way)
{
    for (uint32_t seed = 1; seed <= 500; seed++) {
        expect_same_rows(seed, NULL);
        expect_same_rows(seed, "0,1,2,3,4,5,");
        expect_same_rows(seed, "1,3,");
    }
}

Test(csv, gives_every_row_to_one_split)
{
    const struct arus_text content = ARUS_TEXT("a,b\n1,x\r\n2,\"y\"\n\n3,z\r4,\xC3\xA9");
    struct fixture fixture = {
        .format = &ARUS_FORMAT_CSV, .ddl = "a INT, b STRING", .options = WITH("header", "true")};

    for (fixture.cut = 1; fixture.cut < content.size; fixture.cut++) {
        expect_rows(&fixture, content, "1|x\n2|y\n3|z\n4|\xC3\xA9\n");
    }
}

static enum arus_status read_lines(struct arus_error *err)
{
    const struct fixture fixture = {
        .format = &ARUS_FORMAT_CSV, .ddl = ABC, .options = WITH("sep", "\xC2\xA7")};
    struct arus_buffer out = {0};
    const enum arus_status status = read_rows(&fixture,
                                              ARUS_TEXT("1\xC2\xA7\"x\\\"\"\xC2\xA7"
                                                        "2.5\nq\n\xFF\n"),
                                              &out, err);

    arus_buffer_release(&out);
    return status;
}

static enum arus_status read_document(struct arus_error *err)
{
    const struct fixture fixture = {
        .format = &ARUS_FORMAT_CSV, .ddl = ABC, .options = WITH("multiLine", "true")};
    struct arus_buffer out = {0};
    const enum arus_status status =
        read_rows(&fixture, ARUS_TEXT("1,\"x\\\"\n\",2.5\nq\n"), &out, err);

    arus_buffer_release(&out);
    return status;
}

Test(csv, survives_each_failing_allocation)
{
    assert_each_failure(read_lines);
    assert_each_failure(read_document);
}
