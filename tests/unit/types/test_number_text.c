#include "types/number_text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

struct row64 {
    uint64_t bits;
    const char *text;
};
struct row32 {
    uint32_t bits;
    const char *text;
};
struct parse64 {
    const char *text;
    uint64_t bits;
};
struct parse32 {
    const char *text;
    uint32_t bits;
};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

Test(number_text, doubles_are_written_as_java_writes_them)
{
    static const struct row64 ROWS[] = {
#include "unit/types/double_rows.inc.h"
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char out[ARUS_DOUBLE_TEXT_MAX + 1];
        double value;

        memcpy(&value, &ROWS[i].bits, sizeof value);
        out[arus_double_write(value, out)] = '\0';
        cr_expect_str_eq(out, ROWS[i].text);
    }
}

Test(number_text, floats_are_written_as_java_writes_them)
{
    static const struct row32 ROWS[] = {
#include "unit/types/float_rows.inc.h"
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char out[ARUS_FLOAT_TEXT_MAX + 1];
        float value;

        memcpy(&value, &ROWS[i].bits, sizeof value);
        out[arus_float_write(value, out)] = '\0';
        cr_expect_str_eq(out, ROWS[i].text);
    }
}

Test(number_text, layout_changes_at_a_thousandth_and_ten_millions)
{
    static const struct {
        double value;
        const char *text;
    } ROWS[] = {
        {0.0, "0.0"},     {-0.0, "-0.0"},       {1.0, "1.0"},        {9999999.0, "9999999.0"},
        {1e7, "1.0E7"},   {0.001, "0.001"},     {0.00099, "9.9E-4"}, {123.456, "123.456"},
        {1e10, "1.0E10"}, {1.5e300, "1.5E300"}, {100.0, "100.0"},    {0.1, "0.1"},
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char out[ARUS_DOUBLE_TEXT_MAX + 1];

        out[arus_double_write(ROWS[i].value, out)] = '\0';
        cr_expect_str_eq(out, ROWS[i].text);
    }
}

Test(number_text, texts_become_the_nearest_double)
{
    static const struct parse64 ROWS[] = {
#include "unit/types/parse_double_rows.inc.h"
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        double value;
        uint64_t bits;

        cr_assert(arus_double_parse(arus_text_of(ROWS[i].text), &value));
        memcpy(&bits, &value, sizeof bits);
        cr_expect(eq(u64, bits, ROWS[i].bits), "%s", ROWS[i].text);
    }
}

Test(number_text, texts_become_the_nearest_float)
{
    static const struct parse32 ROWS[] = {
#include "unit/types/parse_float_rows.inc.h"
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        float value;
        uint32_t bits;

        cr_assert(arus_float_parse(arus_text_of(ROWS[i].text), &value));
        memcpy(&bits, &value, sizeof bits);
        cr_expect(eq(u32, bits, ROWS[i].bits), "%s", ROWS[i].text);
    }
}

Test(number_text, bad_numbers_are_refused)
{
    static const char *const ROWS[] = {"",   "-",  "+",   ".",   "e5",  "1e",  "1e+", "1.5.2",
                                       "1 ", " 1", "0x1", "nan", "1_0", "1,0", "--1", "1f"};
    double value;

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        cr_expect(not(arus_double_parse(arus_text_of(ROWS[i]), &value)), "%s", ROWS[i]);
    }
}

Test(number_text, java_takes_suffixes_words_and_hexadecimal_numbers)
{
    static const struct {
        const char *text;
        const char *java; /* NULL: refused */
        const char *cast;
    } ROWS[] = {
        {" 1.5 ", "1.5", "1.5"},      {"1d", "1.0", "1.0"},
        {"1.F", "1.0", "1.0"},        {"0x1p3", "8.0", "8.0"},
        {"-0x.8p1f", "-1.0", "-1.0"}, {"0x1", NULL, NULL},
        {"NaN", "NaN", "NaN"},        {"-Infinity", "-Infinity", "-Infinity"},
        {"Inf", NULL, "Infinity"},    {"+iNFinity", NULL, "Infinity"},
        {"nan", NULL, "NaN"},         {"-inf", NULL, "-Infinity"},
        {"1L", NULL, NULL},           {"", NULL, NULL},
        {"dd", NULL, NULL},
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        const struct arus_text text = arus_text_of(ROWS[i].text);
        char out[ARUS_DOUBLE_TEXT_MAX + 1];
        double value;

        cr_assert(eq(int, arus_double_parse_java(text, &value), ROWS[i].java != NULL), "%s",
                  ROWS[i].text);
        if (ROWS[i].java != NULL) {
            out[arus_double_write(value, out)] = '\0';
            cr_expect_str_eq(out, ROWS[i].java);
        }
        cr_assert(eq(int, arus_double_parse_cast(text, &value), ROWS[i].cast != NULL), "%s",
                  ROWS[i].text);
        if (ROWS[i].cast != NULL) {
            out[arus_double_write(value, out)] = '\0';
            cr_expect_str_eq(out, ROWS[i].cast);
        }
    }
}

Test(number_text, integers_have_their_limits)
{
    int8_t tiny;
    int16_t small;
    int32_t medium;
    int64_t big;

    cr_expect(arus_int8_parse(ARUS_TEXT("-128"), &tiny) && tiny == -128);
    cr_expect(not(arus_int8_parse(ARUS_TEXT("128"), &tiny)));
    cr_expect(arus_int16_parse(ARUS_TEXT("+32767"), &small) && small == 32767);
    cr_expect(not(arus_int16_parse(ARUS_TEXT("-32769"), &small)));
    cr_expect(arus_int32_parse(ARUS_TEXT("-2147483648"), &medium) && medium == INT32_MIN);
    cr_expect(not(arus_int32_parse(ARUS_TEXT("2147483648"), &medium)));
    cr_expect(arus_int64_parse(ARUS_TEXT("-9223372036854775808"), &big) && big == INT64_MIN);
    cr_expect(arus_int64_parse(ARUS_TEXT("0000000000000000000000007"), &big) && big == 7);
    cr_expect(not(arus_int64_parse(ARUS_TEXT("9223372036854775808"), &big)));
    cr_expect(not(arus_int64_parse(ARUS_TEXT("1.0"), &big)));
    cr_expect(not(arus_int64_parse(ARUS_TEXT("+"), &big)));
    cr_expect(not(arus_int64_parse(ARUS_TEXT(""), &big)));
}

Test(number_text, lenient_integers_drop_a_fraction)
{
    static const struct {
        const char *text;
        int64_t value; /* -99: refused */
    } ROWS[] = {{"1.99", 1}, {"-1.5", -1}, {".1", 0}, {".", 0},    {"1.", 1},
                {"7", 7},    {"1.x", -99}, {"", -99}, {"x.1", -99}};

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        int64_t value = -99;

        (void)!arus_int64_parse_lenient(arus_text_of(ROWS[i].text), &value);
        cr_expect(eq(i64, value, ROWS[i].value), "%s", ROWS[i].text);
    }
}

Test(number_text, booleans_have_ten_words)
{
    bool value;

    cr_expect(arus_boolean_parse_cast(ARUS_TEXT(" YES\n"), &value) && value);
    cr_expect(arus_boolean_parse_cast(ARUS_TEXT("1"), &value) && value);
    cr_expect(arus_boolean_parse_cast(ARUS_TEXT("n"), &value) && !value);
    cr_expect(not(arus_boolean_parse_cast(ARUS_TEXT("on"), &value)));
    cr_expect(not(arus_boolean_parse_cast(ARUS_TEXT(""), &value)));
}
