#include "types/decimal.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static arus_int128 number(const char *text)
{
    arus_int128 value = 0;

    for (const char *at = text + (*text == '-'); *at != '\0'; at++) {
        value = value * 10 + (*at - '0');
    }
    return *text == '-' ? -value : value;
}

static const char *spell(arus_int128 value, uint8_t scale, char *out)
{
    out[arus_decimal_write((struct arus_decimal){value, scale}, out)] = '\0';
    return out;
}

struct arithmetic {
    char op;
    const char *a;
    uint8_t scale_a;
    const char *b;
    uint8_t scale_b;
    uint8_t precision;
    uint8_t scale;
    const char *expected;
};

static bool apply(const struct arithmetic *row, arus_int128 *out)
{
    const struct arus_decimal a = {number(row->a), row->scale_a};
    const struct arus_decimal b = {number(row->b), row->scale_b};
    const struct arus_decimal_type type = {row->precision, row->scale};

    switch (row->op) {
    case '+':
        return arus_decimal_add(a, b, type, out);
    case '-':
        return arus_decimal_subtract(a, b, type, out);
    case '*':
        return arus_decimal_multiply(a, b, type, out);
    case '/':
        return arus_decimal_divide(a, b, type, out);
    case '%':
        return arus_decimal_remainder(a, b, type, out);
    default:
        return arus_decimal_integral_divide(a, b, out);
    }
}

Test(decimal, arithmetic_is_exact_and_rounds_once)
{
    static const struct arithmetic ROWS[] = {
#include "unit/types/decimal_rows.inc.h"
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char text[ARUS_DECIMAL_TEXT_MAX + 1];
        arus_int128 value;
        const char *result = apply(&ROWS[i], &value) ? spell(value, 0, text) : "over";

        cr_expect_str_eq(result, ROWS[i].expected, "%s %c %s", ROWS[i].a, ROWS[i].op, ROWS[i].b);
    }
}

Test(decimal, rescaling_rounds_in_five_ways)
{
    static const struct {
        const char *value;
        int32_t from;
        int32_t to;
        enum arus_rounding rounding;
        const char *expected;
    } ROWS[] = {
#include "unit/types/rescale_rows.inc.h"
    };

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char text[ARUS_DECIMAL_TEXT_MAX + 1];
        arus_int128 value;
        const bool fits = arus_decimal_rescale(number(ROWS[i].value), ROWS[i].from, ROWS[i].to,
                                               ROWS[i].rounding, &value);

        cr_expect_str_eq(fits ? spell(value, 0, text) : "over", ROWS[i].expected);
    }
}

Test(decimal, texts_are_rounded_to_the_scale)
{
    static const struct {
        uint8_t precision;
        uint8_t scale;
        const char *text;
        const char *expected;
    } ROWS[] = {
#include "unit/types/decimal_text_rows.inc.h"
    };
    static const char *const STATUS[] = {"", "bad", "over", "unsup"};

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char text[ARUS_DECIMAL_TEXT_MAX + 1];
        arus_int128 value;
        const enum arus_decimal_status status = arus_decimal_parse(
            arus_text_of(ROWS[i].text),
            (struct arus_decimal_type){ROWS[i].precision, ROWS[i].scale}, &value);

        cr_expect_str_eq(status == ARUS_DECIMAL_OK ? spell(value, ROWS[i].scale, text)
                                                   : STATUS[status],
                         ROWS[i].expected, "%s", ROWS[i].text);
    }
}

Test(decimal, literals_have_the_digits_they_are_written_with)
{
    static const struct {
        const char *text;
        uint8_t precision;
        uint8_t scale;
    } ROWS[] = {{"1.5", 2, 1}, {"00.50", 2, 2},  {"1.0", 2, 1}, {".5", 1, 1},  {"1.", 1, 0},
                {"0", 1, 0},   {"1.5E-2", 3, 3}, {"1e3", 4, 0}, {"0.00", 2, 2}};
    struct arus_decimal_type type;
    arus_int128 value;

    for (size_t i = 0; i < COUNT(ROWS); i++) {
        cr_assert(eq(int, arus_decimal_parse_literal(arus_text_of(ROWS[i].text), &type, &value),
                     ARUS_DECIMAL_OK));
        cr_expect(eq(int, type.precision, ROWS[i].precision), "%s", ROWS[i].text);
        cr_expect(eq(int, type.scale, ROWS[i].scale), "%s", ROWS[i].text);
    }
    cr_expect(eq(int, arus_decimal_parse_literal(ARUS_TEXT("1e40"), &type, &value),
                 ARUS_DECIMAL_OUT_OF_RANGE));
}

Test(decimal, result_types_keep_the_digits_before_the_point)
{
    const struct arus_decimal_type a = {38, 10};
    const struct arus_decimal_type b = {18, 6};
    struct arus_decimal_type r = arus_decimal_add_type(b, (struct arus_decimal_type){20, 10});

    cr_expect(r.precision == 23 && r.scale == 10);
    r = arus_decimal_multiply_type(b, (struct arus_decimal_type){20, 10});
    cr_expect(r.precision == 38 && r.scale == 15);
    r = arus_decimal_divide_type((struct arus_decimal_type){20, 10}, b);
    cr_expect(r.precision == 38 && r.scale == 22);
    r = arus_decimal_divide_type(a, a);
    cr_expect(r.precision == 38 && r.scale == 6);
    r = arus_decimal_remainder_type(b, (struct arus_decimal_type){3, 3});
    cr_expect(r.precision == 6 && r.scale == 6);
    r = arus_decimal_widen_type((struct arus_decimal_type){5, 2},
                                (struct arus_decimal_type){38, 37});
    cr_expect(r.precision == 38 && r.scale == 35);
}

Test(decimal, doubles_count_by_their_shortest_text)
{
    const struct arus_decimal_type type = {10, 2};
    const struct arus_decimal_type fine = {38, 18};
    arus_int128 value;

    cr_expect(arus_decimal_from_double(2.675, type, &value) && value == 268);
    cr_expect(arus_decimal_from_double(-0.005, type, &value) && value == -1);
    cr_expect(arus_decimal_from_double((double)0.1F, fine, &value) &&
              value == (arus_int128)100000001490116120);
    cr_expect(not(arus_decimal_from_double(1e8, type, &value)));
    cr_expect(not(arus_decimal_from_double(__builtin_nan(""), type, &value)));
    cr_expect(eq(dbl, arus_decimal_to_double((struct arus_decimal){12345, 3}), 12.345));
    cr_expect(eq(dbl, arus_decimal_to_double((struct arus_decimal){ARUS_DECIMAL_POWERS[38] - 1, 0}),
                 1e38));
}

Test(decimal, scientific_text_is_for_small_numbers)
{
    char out[ARUS_DECIMAL_TEXT_MAX + 1];

    out[arus_decimal_write_scientific((struct arus_decimal){0, 18}, out)] = '\0';
    cr_expect_str_eq(out, "0E-18");
    out[arus_decimal_write_scientific((struct arus_decimal){-15, 10}, out)] = '\0';
    cr_expect_str_eq(out, "-1.5E-9");
    out[arus_decimal_write_scientific((struct arus_decimal){1, 6}, out)] = '\0';
    cr_expect_str_eq(out, "0.000001");
}

Test(decimal, comparison_looks_across_scales)
{
    const arus_int128 huge = ARUS_DECIMAL_POWERS[38] - 1;

    cr_expect(eq(
        int, arus_decimal_compare((struct arus_decimal){10, 1}, (struct arus_decimal){1, 0}), 0));
    cr_expect(lt(
        int, arus_decimal_compare((struct arus_decimal){huge, 38}, (struct arus_decimal){huge, 0}),
        0));
    cr_expect(
        gt(int,
           arus_decimal_compare((struct arus_decimal){-huge, 38}, (struct arus_decimal){-huge, 0}),
           0));
}
