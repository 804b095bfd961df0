/** The fast path, in both machine codes, gives what the exact path gives. */
#include "base/alloc.h"
#include "support/json_case.h"

#define SCHEMA                                                                                     \
    "id BIGINT, name STRING, at TIMESTAMP, day DATE, price DOUBLE, rate FLOAT, ok BOOLEAN, "       \
    "small TINYINT, n INT, cash DECIMAL(10,2), big DECIMAL(30,5), wall TIMESTAMP_NTZ, raw "        \
    "BINARY, "                                                                                     \
    "tags ARRAY<STRING>, pos STRUCT<x: DOUBLE, y: STRING>, `more keys` MAP<STRING, INT>, "         \
    "never INT, _corrupt_record STRING"

/** xorshift: the same lines everywhere. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 33) % below;
}

struct field {
    const char *name;
    const char *values[12];
};

static const struct field FIELDS[] = {
    {"id",
     {"1", "-0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "12345678",
      "123456789012", "01", "1.0", "1e3", "12345678901234567", "0"}},
    {"name",
     {"\"plain\"", "\"\"", "\"x\\n\\u00e9\\\"\"",
      "\"\xC3\xA9\xF0\x9F\x98\x80 long enough for more than one load of bytes\"", "\"\\ud83d\"",
      "\"\\ud83d\\ude00\"", "12.50", "[1, 2]", "{\"a\" : 1}", "true", "\"\xFF\"", "\"abc\""}},
    {"at",
     {"\"2026-01-01T00:00:00.190Z\"", "\"2026-01-01T00:00:59Z\"", "\"2026-01-01 00:01:00\"",
      "\"2026-01-01T00:00:60Z\"", "\"2026-02-30T00:00:00Z\"", "1700000000", "1.5", "\"\"",
      "\"2026-03-01T10:20:30.1234567+05:30\"", "\"2024-02-29\"", "\"x\"",
      "\"2026-01-01T00:00:00.1Z\""}},
    {"day",
     {"\"2026-01-31\"", "\"2026-02-29\"", "\"2024-02-29\"", "\"2026-1-1\"", "5", "\"12345\"",
      "\"2026-01-31T10\"", "\"0000-01-01\"", "\"9999-12-31\"", "\"2026-13-01\"", "\"\"",
      "\"1970-01-01\""}},
    {"price",
     {"481.92", "0.1", "-0.0", "-0", "1e400", "1.7976931348623157E308", "123456789.123",
      "1234567.1234567", "NaN", "\"NaN\"", "\"1.5\"", "5."}},
    {"rate",
     {"0.1", "16777217", "3.4028236e38", "1e-50", "-0", "1.5", ".5", "\"-INF\"", "-Infinity",
      "12345678.9", "1", "100"}},
    {"ok",
     {"true", "false", "tru", "truex", "\"true\"", "1", "true", "false", "null", "false", "true",
      "True"}},
    {"small", {"1", "127", "128", "255", "256", "-128", "-129", "1.0", "0", "00", "12", "7"}},
    {"n",
     {"1", "2147483647", "2147483648", "-2147483648", "-2147483649", "0", "99999999", "1_0", "-",
      "+1", "12345678", "3"}},
    {"cash",
     {"1", "1.005", "99999999.99", "99999999.995", "100000000", "-5.5", "\"1,000.5\"", "1e2",
      "0.00001", "\" 1\"", "12.3", "12.34"}},
    {"big",
     {"1", "1234567890123456789012345.12345", "1e24", "1e25", "-0.00001", "\"5\"", "true", "0.5",
      "99.999995", "12", "3.14", "NaN"}},
    {"wall",
     {"\"2026-01-01T00:00:00\"", "\"2026-01-01T00:00:00Z\"", "\"2026-01-01T00:00:00.5\"", "5",
      "\"12:30\"", "\"2026-01-01\"", "\"x\"", "\"2026-01-01 01:02:03.123456\"", "\"\"", "null",
      "\"2026-01-01T00:00:00.25\"", "\"2026-06-01T00:00\""}},
    {"raw",
     {"\"YWJj\"", "\"YQ==\"", "\"YQ\"", "\"a\"", "\"!!\"", "\"\"", "5", "\"YW\\/j\"", "\"YWJj\"",
      "\"YWJjZA==\"", "\"YQ=\"", "[]"}},
    {"tags",
     {"[]", "[\"a\", \"b\"]", "[1, null, {\"x\":2}]", "\"x\"", "[\"a\"", "{}", "[\"\\u00e9\"]",
      "[[1]]", "[\"a\",]", "[\"q\"]", "[true]", "[\"\xFF\"]"}},
    {"pos",
     {"{\"x\":1.5,\"y\":\"n\"}", "{}", "{\"x\":\"bad\",\"y\":\"k\"}", "{\"y\":\"a\",\"y\":\"b\"}",
      "[]", "5", "{\"x\":01}", "{\"z\":{\"x\":1}}", "{\"x\":1,\"y\":\"\\x\"}", "{ \"y\" : 1 }",
      "{\"x\":2", "null"}},
    {"more keys",
     {"{}", "{\"a\":1}", "{\"a\":1,\"a\":2}", "{\"a\":\"x\"}", "{\"a\":null}", "[]", "{\"\\n\":1}",
      "{\"a\":1,}", "{\"a\" 1}", "5", "{\"a\":{\"b\":1},\"c\":2}", "{\"k\":3}"}},
    {"unknown",
     {"1", "\"s\"", "[1,[2,{\"a\":\"]\"}]]", "{\"a\":{\"b\":null}}", "\"\\q\"", "\"\\u12\"", "tru",
      "01", "\"\xC3\"", "null", "1.5e10", "\"\\\\\""}},
    {"unread",
     {"7", "-0", "00", "12345678", "123456789012345678901", "1.25", "-12e3", "true", "falsey", "1x",
      "-", "false"}},
};
#define FIELD_COUNT (sizeof FIELDS / sizeof *FIELDS)

static void add(struct arus_buffer *out, const char *text)
{
    struct arus_error err;

    cr_assert_eq(arus_buffer_append(out, text, strlen(text), &err), ARUS_OK);
}

/* Mostly the same fields in the same order, mostly with values that fit. */
static void add_line(uint64_t *state, struct arus_buffer *out, uint32_t first, bool is_spaced)
{
    const char *before = is_spaced ? "{ \"" : "{\"";
    const bool is_odd = draw(state, 4) == 0;

    for (uint32_t i = 0; i < FIELD_COUNT; i++) {
        const struct field *field = &FIELDS[(first + i) % FIELD_COUNT];
        uint32_t value = is_odd ? draw(state, 12) : 0;

        if (draw(state, 12) == 0) {
            continue;
        }
        value = draw(state, 6) == 0 ? 11 : value;
        add(out, before);
        add(out, field->name);
        add(out, is_spaced ? "\": " : "\":");
        add(out, draw(state, 16) == 0 ? "null" : field->values[value]);
        before = is_spaced ? ", \"" : ",\"";
    }
    add(out, before[0] == '{' ? "{}" : "}");
}

static void mutate(uint64_t *state, struct arus_buffer *out, size_t begin)
{
    static const char BYTES[] = "\"\\{}[],:0 -.\xC3\x01tnEe9'\r";
    const size_t at = begin + draw(state, (uint32_t)(out->size - begin));

    switch (draw(state, 3)) {
    case 0:
        out->data[at] = BYTES[draw(state, sizeof BYTES - 1)];
        break;
    case 1:
        memmove(out->data + at, out->data + at + 1, out->size - at - 1);
        out->size--;
        break;
    case 2:
        out->size = at + 1;
        break;
    }
}

static void make_text(uint64_t *state, struct arus_buffer *out)
{
    static const char *const ENDS[] = {"\n", "\n", "\n", "\r\n", " \n", "x\n"};
    const uint32_t first = draw(state, FIELD_COUNT);
    const bool is_spaced = draw(state, 3) == 0;
    const uint32_t count = 1 + draw(state, 40);

    arus_buffer_reset(out);
    for (uint32_t i = 0; i < count; i++) {
        const size_t begin = out->size;

        add_line(state, out, draw(state, 20) == 0 ? draw(state, FIELD_COUNT) : first, is_spaced);
        if (draw(state, 5) == 0) {
            mutate(state, out, begin);
        }
        if (i + 1 < count || draw(state, 2) == 0) {
            add(out, ENDS[draw(state, 6)]);
        }
    }
}

static void compare(struct json_case *exact, struct json_case *fast, struct arus_buffer *text,
                    uint64_t seed)
{
    static const enum json_path PATHS[] = {JSON_ANY_PATH, JSON_PORTABLE_PATH};

    cr_assert_eq(json_case_decode(exact, JSON_EXACT_PATH, arus_buffer_text(text), 8192), ARUS_OK);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(json_case_decode(fast, PATHS[i], arus_buffer_text(text), i == 0 ? 8192 : 7),
                     ARUS_OK);
        cr_assert_eq(fast->shown.size, exact->shown.size, "seed %llu path %zu\n%s\n%s",
                     (unsigned long long)seed, i, json_case_text(exact), json_case_text(fast));
        cr_assert(arus_text_equal(arus_buffer_text(&fast->shown), arus_buffer_text(&exact->shown)),
                  "seed %llu path %zu\n%s\n%s", (unsigned long long)seed, i, json_case_text(exact),
                  json_case_text(fast));
    }
}

Test(json_fast, gives_what_the_exact_path_gives)
{
    static const char *const MODES[] = {"mode=PERMISSIVE", "mode=DROPMALFORMED"};
    struct json_case exact;
    struct json_case fast;
    struct arus_buffer text = {0};

    for (uint64_t seed = 1; seed <= 600; seed++) {
        const char *const given[] = {MODES[seed % 2], NULL};
        uint64_t state = seed * 0x9E3779B97F4A7C15u;

        json_case_open(&exact, SCHEMA, given);
        json_case_open(&fast, SCHEMA, given);
        make_text(&state, &text);
        compare(&exact, &fast, &text, seed);
        json_case_close(&exact);
        json_case_close(&fast);
    }
    arus_buffer_release(&text);
}

static uint32_t exact_count(const struct arus_json_decoder *decoder)
{
    return decoder->surprise_count;
}

Test(json_fast, learns_a_new_order_of_names)
{
    struct json_case c;
    struct arus_json_decoder *decoder = NULL;
    struct arus_buffer text = {0};
    struct arus_batch batch;
    size_t at = 0;

    json_case_open(&c, "a INT, b STRING", NULL);
    for (int i = 0; i < 1000; i++) {
        add(&text, i < 500 ? "{\"a\":1,\"b\":\"x\"}\n" : "{\"b\":\"y\",\"a\":2}\n");
    }
    cr_assert_eq(arus_buffer_reserve(&text, 64, &c.err), ARUS_OK);
    cr_assert_eq(arus_json_decoder_open(&c.scan, c.settings, &decoder, &c.err), ARUS_OK);
    cr_assert_eq(arus_json_decode(decoder, arus_buffer_text(&text), &at, 8192, &batch, &c.err),
                 ARUS_OK);
    cr_expect_eq(batch.row_count, 1000);
    cr_expect_eq(decoder->program_count, 2);
    cr_expect_lt(exact_count(decoder), 3);
    arus_json_decoder_close(decoder);
    arus_buffer_release(&text);
    json_case_close(&c);
}
