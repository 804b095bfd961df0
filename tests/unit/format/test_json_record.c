/** What a single record becomes: values by type, bad fields, and where the parser goes on after an
 * error. */
#include "support/json_case.h"

struct rule {
    const char *text;
    const char *rows; /* shown */
};

/* Each text through the exact path and, three times in a row, through the fast one. */
static void check(const char *ddl, const char *const *given, const struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct json_case c;

        json_case_open(&c, ddl, given);
        cr_expect_eq(json_case_decode(&c, JSON_EXACT_PATH, arus_text_of(rules[i].text), 8192),
                     ARUS_OK, "%s", c.err.message);
        cr_expect_str_eq(json_case_text(&c), rules[i].rows, "%s\nis    %swanted %s", rules[i].text,
                         json_case_text(&c), rules[i].rows);
        cr_expect_eq(json_case_decode(&c, JSON_ANY_PATH, arus_text_of(rules[i].text), 8192),
                     ARUS_OK);
        cr_expect_str_eq(json_case_text(&c), rules[i].rows, "fast: %s\nis    %swanted %s",
                         rules[i].text, json_case_text(&c), rules[i].rows);
        json_case_close(&c);
    }
}
#define CHECK(ddl, given, rules) check((ddl), (given), (rules), sizeof(rules) / sizeof *(rules))

#define ABC "a INT, b STRING, c DOUBLE, _corrupt_record STRING"

Test(json_record, skips_blank_lines_and_ignores_text_after_the_first_value)
{
    static const struct rule RULES[] = {
        {"\n  \n{\"a\":1}\n\n", "1|NULL|NULL|NULL\n"},
        {"{\"a\":1} \n{\"a\":2}x\n{\"a\":3}{\"a\":4}\n{\"a\":5},\n",
         "1|NULL|NULL|NULL\n2|NULL|NULL|NULL\n3|NULL|NULL|NULL\n5|NULL|NULL|NULL\n"},
        {"{\"a\":1}}\n", "1|NULL|NULL|NULL\n"},
        {"", ""},
        {"{\"a\":1}\r{\"a\":2}\r\n{\"a\":3}",
         "1|NULL|NULL|NULL\n2|NULL|NULL|NULL\n3|NULL|NULL|NULL\n"},
        {"\xEF\xBB\xBF{\"a\":1}\n", "1|NULL|NULL|NULL\n"},
    };
    CHECK(ABC, NULL, RULES);
}

Test(json_record, makes_a_row_of_each_object_of_an_array)
{
    static const struct rule RULES[] = {
        {"[{\"a\":1},{\"a\":2}]\n[]\n", "1|NULL|NULL|NULL\n2|NULL|NULL|NULL\n"},
        {"[{\"a\":1},4]\n", "NULL|NULL|NULL|[{\"a\":1},4]\n"},
        {"[{\"a\":1},null]\n", "NULL|NULL|NULL|[{\"a\":1},null]\n"},
        {"[{\"a\":1},{\"a\":\"x\"}]\n",
         "1|NULL|NULL|[{\"a\":1},{\"a\":\"x\"}]\nNULL|NULL|NULL|[{\"a\":1},{\"a\":\"x\"}]\n"},
        {"[{\"a\":1}] x\n", "1|NULL|NULL|NULL\n"},
        {"[[{\"a\":1}]]\n", "NULL|NULL|NULL|[[{\"a\":1}]]\n"},
    };
    CHECK(ABC, NULL, RULES);
}

Test(json_record, keeps_the_last_good_value_of_a_repeated_name)
{
    static const struct rule RULES[] = {
        {"{\"a\":1,\"a\":2}", "2|NULL|NULL|NULL\n"},
        {"{\"a\":\"x\",\"a\":2}", "2|NULL|NULL|{\"a\":\"x\",\"a\":2}\n"},
        {"{\"a\":1,\"a\":null}", "NULL|NULL|NULL|NULL\n"},
        {"{\"a\":1,\"a\":\"x\"}", "1|NULL|NULL|{\"a\":1,\"a\":\"x\"}\n"},
        {"{\"A\":1,\"\\u0062\":\"k\"}", "NULL|k|NULL|NULL\n"},
    };
    CHECK(ABC, NULL, RULES);
}

Test(json_record, loses_the_whole_row_when_the_syntax_is_broken)
{
    static const struct rule RULES[] = {
        {"{\"a\":1,}", "NULL|NULL|NULL|{\"a\":1,}\n"},
        {"{\"a\":01}", "NULL|NULL|NULL|{\"a\":01}\n"},
        {"{\"a\":1 \"b\":\"x\"}", "NULL|NULL|NULL|{\"a\":1 \"b\":\"x\"}\n"},
        {"{\"a\":1,\"b\":\"a\tb\"}", "NULL|NULL|NULL|{\"a\":1,\"b\":\"a\tb\"}\n"},
        {"{\"a\":1,\"z\":\"\\x\"}", "NULL|NULL|NULL|{\"a\":1,\"z\":\"\\x\"}\n"},
        {"{\"a\":1", "NULL|NULL|NULL|{\"a\":1\n"},
        {"{a:1}", "NULL|NULL|NULL|{a:1}\n"},
        {"5", "NULL|NULL|NULL|5\n"},
        {"null", "NULL|NULL|NULL|null\n"},
    };
    CHECK(ABC, NULL, RULES);
}

/* Jackson stands behind the bad byte; if the rest still reads as JSON, the row goes on. */
Test(json_record, goes_on_behind_a_bad_string_like_jackson)
{
    static const struct rule RULES[] = {
        {"{\"a\":1,\"b\":\"\\u12\",\"c\":1}", "1|NULL|1.0|{\"a\":1,\"b\":\"\\u12\",\"c\":1}\n"},
        {"{\"a\":1,\"b\":\"\xE9\"}", "1|NULL|NULL|{\"a\":1,\"b\":\"\xE9\"}\n"},
        {"{\"a\":1,\"b\":\"\xE9x\"}", "NULL|NULL|NULL|{\"a\":1,\"b\":\"\xE9x\"}\n"},
        {"{\"a\":1,\"b\":\"\xED\xA0\x80\"}", "NULL|NULL|NULL|{\"a\":1,\"b\":\"\xED\xA0\x80\"}\n"},
        {"{\"a\":1,\"z\":\"\xED\xA0\x80\"}", "1|NULL|NULL|NULL\n"},
        {"{\"a\":1,\"b\":\"\xC1\xBF\"}", "1|\x7F|NULL|NULL\n"},
        {"{\"a\":1,\"b\":[\"\xE9\"]}", "1|]|NULL|{\"a\":1,\"b\":[\"\xE9\"]}\n"},
        {"{\"a\":1,\"b\":{\"x\":1]}", "1|NULL|NULL|{\"a\":1,\"b\":{\"x\":1]}\n"},
        {"{\"a\":1,\"b\":\"\\ud83d\\ude00x\\ud83d\"}", "1|\xF0\x9F\x98\x80x?|NULL|NULL\n"},
    };
    CHECK(ABC, NULL, RULES);
}

/* The parser of characters leaves alone what stands behind a bad word or number. */
Test(json_record, goes_on_behind_bad_words_when_it_reads_characters)
{
    static const char *const CHARACTERS[] = {"encoding=UTF-8", "lineSep=\n", NULL};
    static const struct rule OF_CHARACTERS[] = {
        {"{\"x\":[1,nan],\"d\":2}", "NULL|2\n"}, {"{\"x\":[nul],\"d\":2}", "NULL|2\n"},
        {"{\"x\":[5.],\"d\":2}", "NULL|2\n"},    {"{\"x\":[1e],\"d\":2}", "NULL|2\n"},
        {"{\"x\":[5.,1],\"d\":2}", "NULL|2\n"},  {"{\"x\":[1.5e],\"d\":2}", "NULL|NULL\n"},
        {"{\"x\":[01],\"d\":2}", "NULL|NULL\n"}, {"{\"x\":nan,\"d\":2}", "NULL|NULL\n"},
    };
    static const struct rule OF_BYTES[] = {
        {"{\"x\":[1,nan],\"d\":2}", "NULL|NULL\n"},
        {"{\"x\":[nul],\"d\":2}", "NULL|NULL\n"},
        {"{\"x\":[5.],\"d\":2}", "NULL|NULL\n"},
        {"{\"x\":[1e],\"d\":2}", "NULL|NULL\n"},
    };
    CHECK("x ARRAY<DOUBLE>, d INT", CHARACTERS, OF_CHARACTERS);
    CHECK("x ARRAY<DOUBLE>, d INT", NULL, OF_BYTES);
}

Test(json_record, gives_a_text_column_the_source_of_other_values)
{
    static const struct rule RULES[] = {
        {"{\"b\":1.50}", "NULL|1.50|NULL|NULL\n"},
        {"{\"b\":{\"x\": 1, \"y\":[1, 2]}}", "NULL|{\"x\": 1, \"y\":[1, 2]}|NULL|NULL\n"},
        {"{\"b\":true}", "NULL|true|NULL|NULL\n"},
        {"{\"b\":+INF}", "NULL|+INF|NULL|NULL\n"},
    };
    static const char *const ENCODED[] = {"encoding=UTF-8", NULL};
    static const struct rule REWRITTEN[] = {
        {"{\"b\":1.50}", "NULL|1.5|NULL|NULL\n"},
        {"{\"b\":{\"x\": 1e2, \"y\":[1, -0]}}", "NULL|{\"x\":100.0,\"y\":[1,0]}|NULL|NULL\n"},
        {"{\"b\":NaN}", "NULL|\"NaN\"|NULL|NULL\n"},
    };
    CHECK(ABC, NULL, RULES);
    CHECK(ABC, ENCODED, REWRITTEN);
}

Test(json_record, reads_numbers_by_the_column)
{
    static const struct rule RULES[] = {
        {"{\"t\":255,\"s\":32767,\"l\":-9223372036854775808,\"f\":16777217,\"d\":-0,\"n\":1.005}",
         "-1|32767|-9223372036854775808|1.6777216E7|0.0|1.01|NULL\n"},
        {"{\"t\":256}", "NULL|NULL|NULL|NULL|NULL|NULL|{\"t\":256}\n"},
        {"{\"s\":32768}", "NULL|NULL|NULL|NULL|NULL|NULL|{\"s\":32768}\n"},
        {"{\"l\":9223372036854775808}",
         "NULL|NULL|NULL|NULL|NULL|NULL|{\"l\":9223372036854775808}\n"},
        {"{\"l\":1e3}", "NULL|NULL|NULL|NULL|NULL|NULL|{\"l\":1e3}\n"},
        {"{\"d\":1e400,\"f\":\"NaN\"}", "NULL|NULL|NULL|NaN|Infinity|NULL|NULL\n"},
        {"{\"d\":-INF,\"f\":-0.0}", "NULL|NULL|NULL|-0.0|-Infinity|NULL|NULL\n"},
        {"{\"d\":\"1.5\"}", "NULL|NULL|NULL|NULL|NULL|NULL|{\"d\":\"1.5\"}\n"},
        {"{\"n\":\"1,000.5\"}", "NULL|NULL|NULL|NULL|NULL|1000.50|NULL\n"},
        {"{\"n\":10000}", "NULL|NULL|NULL|NULL|NULL|NULL|{\"n\":10000}\n"},
    };
    CHECK("t TINYINT, s SMALLINT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(6,2), "
          "_corrupt_record STRING",
          NULL, RULES);
}

Test(json_record, reads_times_and_dates)
{
    static const struct rule RULES[] = {
        {"{\"t\":\"2020-01-01T10:20:30.123456+05:30\",\"d\":\"2020-1-1\"}",
         "2020-01-01 04:50:30.123456|2020-01-01|NULL|NULL\n"},
        {"{\"t\":1577836800,\"d\":\"123\"}", "2020-01-01 00:00:00|1970-05-04|NULL|NULL\n"},
        {"{\"t\":9223372036855}", "NULL|NULL|NULL|{\"t\":9223372036855}\n"}, /* Spark wraps round */
        {"{\"t\":\"2020-01-01GMT\",\"d\":\"2020-01-01GMT\"}",
         "2020-01-01 00:00:00|2020-01-01|NULL|NULL\n"},
        {"{\"d\":\"-12345678\"}", "NULL|-31831-05-05|NULL|NULL\n"},
        {"{\"d\":19000}", "NULL|NULL|NULL|{\"d\":19000}\n"},
        {"{\"w\":\"2020-01-01T10:20:30\"}", "NULL|NULL|2020-01-01 10:20:30|NULL\n"},
        {"{\"w\":\"2020-01-01T10:20:30Z\"}", "NULL|NULL|NULL|{\"w\":\"2020-01-01T10:20:30Z\"}\n"},
    };
    CHECK("t TIMESTAMP, d DATE, w TIMESTAMP_NTZ, _corrupt_record STRING", NULL, RULES);
}

Test(json_record, nulls_whole_arrays_and_maps_but_single_fields_of_structs)
{
    static const struct rule RULES[] = {
        {"{\"r\":[1,null],\"m\":{\"k\":1,\"k\":2},\"s\":{\"x\":1,\"y\":\"b\"},\"t\":\"e\"}",
         "[1, NULL]|{k -> 1, k -> 2}|{1, b}|e|NULL\n"},
        {"{\"r\":[1,\"q\",3],\"t\":\"e\"}", "NULL|NULL|NULL|e|{\"r\":[1,\"q\",3],\"t\":\"e\"}\n"},
        {"{\"m\":{\"k\":\"q\",\"z\":3},\"t\":\"e\"}",
         "NULL|NULL|NULL|e|{\"m\":{\"k\":\"q\",\"z\":3},\"t\":\"e\"}\n"},
        {"{\"s\":{\"x\":\"q\",\"y\":\"b\"},\"t\":\"e\"}",
         "NULL|NULL|{NULL, b}|e|{\"s\":{\"x\":\"q\",\"y\":\"b\"},\"t\":\"e\"}\n"},
        {"{\"r\":[1 2],\"t\":\"e\"}", "NULL|NULL|NULL|e|{\"r\":[1 2],\"t\":\"e\"}\n"},
        {"{\"s\":{\"x\":01},\"t\":\"e\"}", "NULL|NULL|NULL|NULL|{\"s\":{\"x\":01},\"t\":\"e\"}\n"},
        {"{\"s\":{\"x\":1},\"s\":{\"y\":\"k\"}}", "NULL|NULL|{NULL, k}|NULL|NULL\n"},
    };
    CHECK("r ARRAY<INT>, m MAP<STRING, INT>, s STRUCT<x: INT, y: STRING>, t STRING, "
          "_corrupt_record STRING",
          NULL, RULES);
}

Test(json_record, reads_base64_and_resumes_where_jackson_does)
{
    static const struct rule RULES[] = {
        {"{\"v\":\"YWJj YWJj\",\"t\":\"e\"}", "[61 62 63 61 62 63]|e|NULL\n"},
        {"{\"v\":\"YQ==\",\"t\":\"e\"}", "[61]|e|NULL\n"},
        {"{\"v\":\"YQ\",\"t\":\"e\"}", "NULL|e|{\"v\":\"YQ\",\"t\":\"e\"}\n"},
        {"{\"v\":\"YQ=\",\"t\":\"e\"}", "NULL|NULL|{\"v\":\"YQ=\",\"t\":\"e\"}\n"},
        {"{\"v\":\"a\",\"t\":\"e\"}", "NULL|NULL|{\"v\":\"a\",\"t\":\"e\"}\n"},
        {"{\"v\":\"!!\",\"t\":\"e\"}", "NULL|e|{\"v\":\"!!\",\"t\":\"e\"}\n"},
    };
    CHECK("v BINARY, t STRING, _corrupt_record STRING", NULL, RULES);
}

Test(json_record, takes_what_options_allow)
{
    static const char *const COMMENTS[] = {"allowComments=true",
                                           "allowNumericLeadingZeros=true",
                                           "allowUnquotedFieldNames=true",
                                           "allowUnquotedControlChars=true",
                                           "allowBackslashEscapingAnyCharacter=true",
                                           NULL};
    static const char *const STRICT[] = {"allowSingleQuotes=false", "allowNonNumericNumbers=false",
                                         NULL};
    static const struct rule ALLOWED[] = {
        {"/*x*/{a:007,\"b\"/*y*/:\"\\q\t\"}//z", "7|q\t|NULL|NULL\n"},
        {"{a-b:1,a:2}", "2|NULL|NULL|NULL\n"},
    };
    static const struct rule REFUSED[] = {
        {"{'a':1}", "NULL|NULL|NULL|{'a':1}\n"},
        {"{\"a\":1,\"c\":NaN}", "NULL|NULL|NULL|{\"a\":1,\"c\":NaN}\n"},
        {"{\"a\":1,\"c\":\"NaN\"}", "1|NULL|NULL|{\"a\":1,\"c\":\"NaN\"}\n"},
    };
    static const struct rule QUOTED[] = {{"{'a':1,\"b\":'it\\'s'}", "1|it's|NULL|NULL\n"}};

    CHECK(ABC, COMMENTS, ALLOWED);
    CHECK(ABC, STRICT, REFUSED);
    CHECK(ABC, NULL, QUOTED);
}

Test(json_record, keeps_limits)
{
    static const char *const SMALL[] = {"maxNestingDepth=2", "maxNumLen=4", "maxStringLen=5", NULL};
    static const struct rule RULES[] = {
        {"{\"a\":1,\"b\":[[1]],\"c\":2.5}", "1|]|2.5|{\"a\":1,\"b\":[[1]],\"c\":2.5}\n"},
        {"{\"a\":1,\"c\":12345}", "NULL|NULL|NULL|{\"a\":1,\"c\":12345}\n"},
        {"{\"a\":1,\"b\":\"abcdef\"}", "1|NULL|NULL|{\"a\":1,\"b\":\"abcdef\"}\n"},
    };
    CHECK(ABC, SMALL, RULES);
}

Test(json_record, drops_or_refuses_bad_records_by_mode)
{
    static const char *const DROP[] = {"mode=dropMalformed", NULL};
    static const char *const FAIL[] = {"mode=FAILFAST", NULL};
    static const struct rule DROPPED[] = {
        {"{\"a\":1}\n{\"a\":\"x\",\"b\":\"k\"}\n{\"b\"\n{\"a\":2}\n",
         "1|NULL|NULL|NULL\n2|NULL|NULL|NULL\n"}};
    struct json_case c;

    CHECK(ABC, DROP, DROPPED);
    json_case_open(&c, ABC, FAIL);
    cr_expect_eq(
        json_case_decode(&c, JSON_ANY_PATH, ARUS_TEXT("{\"a\":1}\n{\"a\":1,\"b\":2,}\n"), 8192),
        ARUS_BAD_DATA);
    cr_expect_str_eq(c.err.condition, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION");
    cr_expect_eq(c.err.file.column, 14);
    cr_expect_eq(json_case_decode(&c, JSON_ANY_PATH, ARUS_TEXT("{\"a\":\"x\"}\n"), 8192),
                 ARUS_BAD_DATA);
    cr_expect_str_eq(c.err.condition, "CANNOT_PARSE_JSON_FIELD");
    cr_expect_str_eq(c.err.message, "bad JSON: the value is no INT");
    json_case_close(&c);
}

Test(json_record, gives_a_large_array_in_batches)
{
    struct json_case c;
    struct arus_buffer text = {0};
    uint32_t row_count = 0;

    json_case_open(&c, "a INT, b STRING", NULL);
    cr_assert_eq(arus_buffer_append_char(&text, '[', &c.err), ARUS_OK);
    for (int i = 0; i < 20000; i++) {
        cr_assert_eq(arus_buffer_printf(&text, &c.err, "%s{\"a\":%d,\"b\":\"\\n%d\"}",
                                        i == 0 ? "" : ",", i, i),
                     ARUS_OK);
    }
    cr_assert_eq(arus_buffer_append_char(&text, ']', &c.err), ARUS_OK);
    cr_expect_eq(json_case_decode(&c, JSON_ANY_PATH, arus_buffer_text(&text), 8192), ARUS_OK);
    for (size_t i = 0; i < c.shown.size; i++) {
        row_count += c.shown.data[i] == '|';
    }
    cr_expect_eq(row_count, 20000);
    cr_expect(arus_text_ends_with(arus_buffer_text(&c.shown), ARUS_TEXT("19999|\n19999\n")));
    arus_buffer_release(&text);
    json_case_close(&c);
}
