/** DecimalFormat patterns: from numbers to text. */
#include "types/number_pattern.h"
#include "types/number_text.h"

#include <math.h>
#include <stdio.h>

/* Java's limits for all but BigDecimal. */
#define INTEGER_DIGITS_MAX  309
#define FRACTION_DIGITS_MAX 340

/* 0.d1d2d3... * 10^point */
struct digits {
    char text[ARUS_DECIMAL_TEXT_MAX]; /* no zeros at its ends */
    int32_t count;                    /* 0: zero */
    int32_t point;
    bool is_negative;
    bool is_whole; /* an integer type: no fraction but the required one */
    double value;  /* of a DOUBLE: its exact value tells ties; else 0 */
};

/* Of plain digits with an optional point, without a sign. */
static void set_digits(struct digits *out, struct arus_text plain)
{
    bool is_behind = false;

    out->count = 0;
    out->point = 0;
    for (size_t i = 0; i < plain.size; i++) {
        const char c = plain.data[i];

        if (c == '.') {
            is_behind = true;
        } else if (c == '0' && out->count == 0) {
            out->point -= is_behind;
        } else {
            out->text[out->count++] = c;
            out->point += !is_behind;
        }
    }
    while (out->count > 0 && out->text[out->count - 1] == '0') {
        out->count--;
    }
    out->point = out->count == 0 ? 0 : out->point;
}

/* The sign of: exact value of the double - its digits. 800 digits hold every double. */
static int rest_sign(const struct digits *digits)
{
    char exact[820];
    int32_t at = 0;

    if (digits->value == 0.0) {
        return 0;
    }
    snprintf(exact, sizeof exact, "%.800e", fabs(digits->value));
    for (const char *c = exact; *c != '\0' && *c != 'e'; c++) {
        if (*c != '.') {
            const char shown = at < digits->count ? digits->text[at] : '0';

            if (*c != shown) {
                return *c > shown ? 1 : -1;
            }
            at++;
        }
    }
    return 0;
}

static bool rounds_up(const struct digits *digits, int32_t keep)
{
    int sign;

    if (digits->text[keep] != '5' || keep + 1 < digits->count) {
        return digits->text[keep] >= '5';
    }
    sign = rest_sign(digits);
    return sign != 0 ? sign > 0 : keep > 0 && (digits->text[keep - 1] - '0') % 2 != 0;
}

/* Keeps `keep` digits, HALF_EVEN. */
static void round_digits(struct digits *digits, int32_t keep)
{
    bool is_up;

    if (keep >= digits->count) {
        return;
    }
    is_up = keep >= 0 && rounds_up(digits, keep);
    digits->count = keep < 0 ? 0 : keep;
    while (is_up && digits->count > 0 && digits->text[digits->count - 1] == '9') {
        digits->count--;
    }
    if (is_up && digits->count > 0) {
        digits->text[digits->count - 1]++;
    } else if (is_up) {
        digits->text[digits->count++] = '1';
        digits->point++;
    }
    while (digits->count > 0 && digits->text[digits->count - 1] == '0') {
        digits->count--;
    }
    digits->point = digits->count == 0 ? 0 : digits->point;
}

/* The digit of weight 10^-(at + 1) below the first one. */
static char digit_at(const struct digits *digits, int32_t at)
{
    return at >= 0 && at < digits->count ? digits->text[at] : '0';
}

static enum arus_status write_plain(const struct arus_number_pattern *pattern,
                                    struct digits *digits, struct arus_buffer *out,
                                    struct arus_error *err)
{
    const int32_t point = digits->point;
    int32_t whole = point > pattern->integer_min ? point : pattern->integer_min;
    int32_t fraction = digits->is_whole ? 0 : digits->count - point;

    fraction = digits->count == 0 ? 0 : fraction;
    fraction = fraction > pattern->fraction_max ? pattern->fraction_max : fraction;
    fraction = fraction < pattern->fraction_min ? pattern->fraction_min : fraction;
    if (whole <= 0) {
        whole = fraction > 0 ? 0 : 1;
    }
    for (int32_t i = whole; i > 0; i--) {
        ARUS_TRY(arus_buffer_append_char(out, digit_at(digits, point - i), err));
        if (i > 1 && pattern->grouping > 0 && (i - 1) % pattern->grouping == 0) {
            ARUS_TRY(arus_buffer_append_char(out, ',', err));
        }
    }
    if (fraction > 0 || pattern->shows_point) {
        ARUS_TRY(arus_buffer_append_char(out, '.', err));
    }
    for (int32_t i = 0; i < fraction; i++) {
        ARUS_TRY(arus_buffer_append_char(out, digit_at(digits, point + i), err));
    }
    return ARUS_OK;
}

/* `##0.0E0` moves the exponent by its integer digits, `00.0E0` always shows two of them. */
static enum arus_status write_scientific(const struct arus_number_pattern *pattern,
                                         struct digits *digits, struct arus_buffer *out,
                                         struct arus_error *err)
{
    const int32_t repeat = pattern->integer_max;
    const bool repeats = repeat > 1 && repeat > pattern->integer_min;
    const int32_t integer_min = repeats ? 1 : pattern->integer_min;
    int32_t exponent = digits->point;
    int32_t total = pattern->integer_min + pattern->fraction_min;
    int32_t whole;

    if (repeats) {
        exponent = (exponent >= 1 ? exponent - 1 : exponent - repeat) / repeat * repeat;
    } else {
        exponent -= integer_min;
    }
    whole = digits->count == 0 ? integer_min : digits->point - exponent;
    exponent = digits->count == 0 ? 0 : exponent;
    total = total < whole ? whole : total;
    total = total < digits->count ? digits->count : total;
    for (int32_t i = 0; i < total; i++) {
        if (i == whole) {
            ARUS_TRY(arus_buffer_append_char(out, '.', err));
        }
        ARUS_TRY(arus_buffer_append_char(out, digit_at(digits, i), err));
    }
    if (pattern->shows_point && total == whole) {
        ARUS_TRY(arus_buffer_append_char(out, '.', err));
    }
    return arus_buffer_printf(out, err, "E%s%0*d", exponent < 0 ? "-" : "", pattern->exponent_min,
                              exponent < 0 ? -exponent : exponent);
}

static enum arus_status write_digits(const struct arus_number_pattern *pattern,
                                     struct digits *digits, struct arus_buffer *out,
                                     struct arus_error *err)
{
    const bool has_exponent = pattern->exponent_min > 0;
    const int32_t significant = pattern->integer_max + pattern->fraction_max;

    if (!has_exponent) {
        round_digits(digits, digits->point + pattern->fraction_max);
    } else if (significant > 0) {
        round_digits(digits, significant);
    }
    ARUS_TRY(arus_buffer_append_text(out, pattern->prefix[digits->is_negative], err));
    if (has_exponent) {
        ARUS_TRY(write_scientific(pattern, digits, out, err));
    } else {
        ARUS_TRY(write_plain(pattern, digits, out, err));
    }
    return arus_buffer_append_text(out, pattern->suffix[digits->is_negative], err);
}

static int32_t at_most(int32_t value, int32_t limit)
{
    return value < limit ? value : limit;
}

static struct arus_number_pattern limited(const struct arus_number_pattern *pattern)
{
    struct arus_number_pattern out = *pattern;

    out.integer_min = at_most(out.integer_min, INTEGER_DIGITS_MAX);
    out.integer_max = at_most(out.integer_max, INTEGER_DIGITS_MAX);
    out.fraction_min = at_most(out.fraction_min, FRACTION_DIGITS_MAX);
    out.fraction_max = at_most(out.fraction_max, FRACTION_DIGITS_MAX);
    return out;
}

/* Takes a sign off. */
static struct arus_text unsigned_text(const char *text, size_t size, bool *is_negative)
{
    *is_negative = size > 0 && text[0] == '-';
    return (struct arus_text){text + *is_negative, size - *is_negative};
}

enum arus_status arus_number_pattern_decimal(const struct arus_number_pattern *pattern,
                                             struct arus_decimal value, struct arus_buffer *out,
                                             struct arus_error *err)
{
    char text[ARUS_DECIMAL_TEXT_MAX];
    struct digits digits = {.is_whole = false};
    const size_t size = arus_decimal_write(value, text);

    set_digits(&digits, unsigned_text(text, size, &digits.is_negative));
    digits.point += digits.count > 0 ? pattern->shift : 0;
    return write_digits(pattern, &digits, out, err);
}

enum arus_status arus_number_pattern_int64(const struct arus_number_pattern *pattern, int64_t value,
                                           struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_number_pattern own = limited(pattern);
    char text[ARUS_INT64_TEXT_MAX];
    struct digits digits = {.is_whole = true};
    const size_t size = arus_int64_write(value, text);

    set_digits(&digits, unsigned_text(text, size, &digits.is_negative));
    digits.point += digits.count > 0 ? pattern->shift : 0;
    return write_digits(&own, &digits, out, err);
}

static enum arus_status write_infinity(const struct arus_number_pattern *pattern, bool is_negative,
                                       struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append_text(out, pattern->prefix[is_negative], err));
    ARUS_TRY(arus_buffer_append_text(out, arus_text_of("\xE2\x88\x9E"), err));
    return arus_buffer_append_text(out, pattern->suffix[is_negative], err);
}

enum arus_status arus_number_pattern_double(const struct arus_number_pattern *pattern, double value,
                                            struct arus_buffer *out, struct arus_error *err)
{
    static const double FACTORS[] = {1, 10, 100, 1000};
    const struct arus_number_pattern own = limited(pattern);
    struct digits digits = {.is_negative = signbit(value) != 0};
    char text[ARUS_INT64_TEXT_MAX + 1];
    struct arus_digits shortest;
    size_t size;

    if (isnan(value)) {
        return arus_buffer_append_text(out, arus_text_of("NaN"), err);
    }
    value *= FACTORS[pattern->shift]; /* Java multiplies before it looks at the digits */
    if (isinf(value)) {
        return write_infinity(pattern, digits.is_negative, out, err);
    }
    shortest = arus_double_digits(fabs(value));
    size = arus_uint64_write(shortest.digits, text);
    set_digits(&digits, (struct arus_text){text, size});
    digits.point += digits.count > 0 ? shortest.exponent : 0;
    digits.value = value;
    return write_digits(&own, &digits, out, err);
}
