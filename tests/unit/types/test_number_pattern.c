#include "types/number_pattern.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

static struct arus_arena arena;
static struct arus_buffer buffer;
static struct arus_error err;

static void finish(void)
{
    arus_arena_release(&arena);
    arus_buffer_release(&buffer);
}

static struct arus_number_pattern compiled(const char *text)
{
    struct arus_number_pattern pattern;

    cr_assert(arus_number_pattern_compile(arus_text_of(text), &arena, &pattern, &err) == ARUS_OK,
              "%s: %s", text, err.message);
    return pattern;
}

static void expect_text(const char *pattern, const char *wanted)
{
    cr_expect(arus_text_equal(arus_buffer_text(&buffer), arus_text_of(wanted)), "%s: %.*s, not %s",
              pattern, (int)buffer.size, buffer.data, wanted);
}

/* What java.text.DecimalFormat gives. */
Test(number_pattern, formats_doubles, .fini = finish)
{
    static const struct {
        const char *pattern;
        double value;
        const char *text;
    } ROWS[] = {
        {"#,###.#", 1234567.891, "1,234,567.9"},
        {"#,##0.00;(#,##0.00)", -1234.5, "(1,234.50)"},
        {"0;0", -5, "-5"},
        {"a0b;0b", -5, "5b"},
        {"0.0%", 0.285, "28.5%"},
        {"0.00000000000000000000%", 0.07, "7.00000000000000100000%"},
        {"#0.0\xE2\x80\xB0", 1.5, "1500.0\xE2\x80\xB0"},
        {"\xC2\xA4"
         "0",
         1, "$1"},
        {"'#'#", 7, "#7"},
        {"0 'it''s'", 1, "1 it's"},
        {"abc", 1234, "abc1234"},
        {"0 0", 1234, "1234 "},
        {".00", 0.5, ".50"},
        {"#.", 1234, "1234."},
        {"#.##", 0, "0"},
        {"#.#", -0.001, "-0"},
        {"0", NAN, "NaN"},
        {"0%;(0%)", -INFINITY, "(\xE2\x88\x9E%)"},
        {"0.00", 0.125, "0.12"}, /* a tie: to the even digit */
        {"0.00", 0.135, "0.14"}, /* a bit more than its digits say */
        {"0.00", 1.005, "1.00"}, /* a bit less */
        {"#", 0.5, "0"},
        {"#.#", 0.05, "0.1"},
        {"0.00", 99.996, "100.00"},
        {"##0.###E0", 12345, "12.345E3"},
        {"##0.###E0", 0.00012345, "123.45E-6"},
        {"00.###E00", 0.00012345, "12.345E-05"},
        {"0.0E0", 9.999, "1.0E1"},
        {"##0.0E00", 0, "0.0E00"},
        {"#E0", 1234, ".1E4"},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_number_pattern pattern = compiled(ROWS[i].pattern);

        arus_buffer_reset(&buffer);
        cr_assert(arus_number_pattern_double(&pattern, ROWS[i].value, &buffer, &err) == ARUS_OK);
        expect_text(ROWS[i].pattern, ROWS[i].text);
    }
}

Test(number_pattern, is_exact_for_integers_and_decimals, .fini = finish)
{
    const struct arus_number_pattern percent = compiled("0%");
    const struct arus_number_pattern places = arus_number_pattern_of_places(2);

    cr_assert(arus_number_pattern_int64(&percent, INT64_MAX, &buffer, &err) == ARUS_OK);
    expect_text("0%", "922337203685477580700%");
    arus_buffer_reset(&buffer);
    cr_assert(arus_number_pattern_int64(&places, INT64_MIN, &buffer, &err) == ARUS_OK);
    expect_text("2 places", "-9,223,372,036,854,775,808.00");
    arus_buffer_reset(&buffer);
    cr_assert(arus_number_pattern_decimal(&places, (struct arus_decimal){1234125, 3}, &buffer,
                                          &err) == ARUS_OK);
    expect_text("2 places", "1,234.12");
}

Test(number_pattern, refuses_what_java_refuses, .fini = finish)
{
    static const char *const BAD[] = {"#.#.#", "0#0",   "#,", "0'", "'x",  "#.00#0",
                                      "0.0,0", "0;0;0", ";0", "0E", "%%0", "0,.0"};

    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct arus_number_pattern pattern;

        cr_expect(arus_number_pattern_compile(arus_text_of(BAD[i]), &arena, &pattern, &err) ==
                      ARUS_BAD_DATA,
                  "%s", BAD[i]);
    }
}
