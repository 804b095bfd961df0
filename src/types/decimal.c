/** Decimal types and arithmetic. Common cases stay in 128 bits; the rest goes through 256. */
#include "types/decimal.h"

#include "types/exact_power.h"
#include "types/number_text.h"
#include "types/wide.h"

#define PRECISION_MAX ARUS_DECIMAL_PRECISION_MAX
#define SCALE_KEPT    6 /* fraction digits that an over-long result keeps */

#define E(n)     ((arus_int128)1##n)
#define E18      ((arus_int128)1000000000000000000)
#define BIG(n)   (E18 * 1##n)
#define HUGE_(n) (E18 * E18 * 1##n)

const arus_int128 ARUS_DECIMAL_POWERS[PRECISION_MAX + 1] = {
    1,
    E(0),
    E(00),
    E(000),
    E(0000),
    E(00000),
    E(000000),
    E(0000000),
    E(00000000),
    E(000000000),
    E(0000000000),
    E(00000000000),
    E(000000000000),
    E(0000000000000),
    E(00000000000000),
    E(000000000000000),
    E(0000000000000000),
    E(00000000000000000),
    E18,
    BIG(0),
    BIG(00),
    BIG(000),
    BIG(0000),
    BIG(00000),
    BIG(000000),
    BIG(0000000),
    BIG(00000000),
    BIG(000000000),
    BIG(0000000000),
    BIG(00000000000),
    BIG(000000000000),
    BIG(0000000000000),
    BIG(00000000000000),
    BIG(000000000000000),
    BIG(0000000000000000),
    BIG(00000000000000000),
    E18 *E18,
    HUGE_(0),
    HUGE_(00),
};

/* ---- types ---- */

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Beyond 38 digits those left of the point are kept, and of the fraction at least six if it had
 * them. */
static struct arus_decimal_type adjust(int32_t precision, int32_t scale)
{
    if (precision > PRECISION_MAX) {
        scale = larger(PRECISION_MAX - (precision - scale), smaller(scale, SCALE_KEPT));
        precision = PRECISION_MAX;
    }
    return (struct arus_decimal_type){(uint8_t)precision, (uint8_t)scale};
}

struct arus_decimal_type arus_decimal_add_type(struct arus_decimal_type a,
                                               struct arus_decimal_type b)
{
    const int32_t scale = larger(a.scale, b.scale);

    return adjust(larger(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale);
}

struct arus_decimal_type arus_decimal_multiply_type(struct arus_decimal_type a,
                                                    struct arus_decimal_type b)
{
    return adjust(a.precision + b.precision + 1, a.scale + b.scale);
}

struct arus_decimal_type arus_decimal_divide_type(struct arus_decimal_type a,
                                                  struct arus_decimal_type b)
{
    const int32_t scale = larger(SCALE_KEPT, a.scale + b.precision + 1);

    return adjust(a.precision - a.scale + b.scale + scale, scale);
}

struct arus_decimal_type arus_decimal_remainder_type(struct arus_decimal_type a,
                                                     struct arus_decimal_type b)
{
    const int32_t scale = larger(a.scale, b.scale);

    return adjust(smaller(a.precision - a.scale, b.precision - b.scale) + scale, scale);
}

struct arus_decimal_type arus_decimal_widen_type(struct arus_decimal_type a,
                                                 struct arus_decimal_type b)
{
    const int32_t scale = larger(a.scale, b.scale);
    const int32_t whole = larger(a.precision - a.scale, b.precision - b.scale);

    return (struct arus_decimal_type){(uint8_t)smaller(whole + scale, PRECISION_MAX),
                                      (uint8_t)smaller(scale, PRECISION_MAX - whole)};
}

struct arus_decimal_type arus_decimal_integer_type(enum arus_type_id id)
{
    const uint8_t precision = id == ARUS_TYPE_TINYINT    ? 3
                              : id == ARUS_TYPE_SMALLINT ? 5
                              : id == ARUS_TYPE_INT      ? 10
                                                         : 20;

    return (struct arus_decimal_type){precision, 0};
}

/* ---- signed magnitudes ---- */

struct number {
    struct arus_wide size;
    bool is_negative;
};

static arus_uint128 magnitude(arus_int128 value)
{
    return value < 0 ? -(arus_uint128)value : (arus_uint128)value;
}

/* size * 10^n; false: beyond 256 bits. n >= 0. */
static bool scale_up(struct arus_wide size, int32_t n, struct arus_wide *out)
{
    *out = size;
    while (n > PRECISION_MAX) {
        if (!arus_wide_scale(*out, (arus_uint128)ARUS_DECIMAL_POWERS[PRECISION_MAX], out)) {
            return false;
        }
        n -= PRECISION_MAX;
    }
    return arus_wide_scale(*out, (arus_uint128)ARUS_DECIMAL_POWERS[n], out);
}

static bool rounds_up(arus_uint128 quotient, arus_uint128 rest, arus_uint128 divisor,
                      bool is_negative, enum arus_rounding rounding)
{
    switch (rounding) {
    case ARUS_HALF_UP:
        return rest >= divisor - rest;
    case ARUS_HALF_EVEN:
        return rest > divisor - rest || (rest == divisor - rest && (quotient & 1) != 0);
    case ARUS_FLOOR:
        return is_negative && rest != 0;
    case ARUS_CEILING:
        return !is_negative && rest != 0;
    case ARUS_DOWN:
        return false;
    }
    return false;
}

/* a / divisor, rounded, as a signed value of at most 38 digits. */
static bool divide_rounded(struct number a, arus_uint128 divisor, enum arus_rounding rounding,
                           arus_int128 *out)
{
    arus_uint128 rest;
    struct arus_wide quotient = arus_wide_divide(a.size, divisor, &rest);

    quotient.low += rounds_up(quotient.low, rest, divisor, a.is_negative, rounding);
    if (quotient.high != 0 || quotient.low >= (arus_uint128)ARUS_DECIMAL_POWERS[PRECISION_MAX]) {
        return false;
    }
    *out = a.is_negative ? -(arus_int128)quotient.low : (arus_int128)quotient.low;
    return true;
}

/* The same in 64 bits. */
static bool divide_short(int64_t value, uint64_t divisor, enum arus_rounding rounding,
                         arus_int128 *out)
{
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    const uint64_t rest = size % divisor;
    const uint64_t quotient =
        size / divisor + rounds_up(size / divisor, rest, divisor, value < 0, rounding);

    *out = value < 0 ? -(arus_int128)quotient : (arus_int128)quotient;
    return true;
}

/* To another scale; from a number of any size. */
static bool settle(struct number a, int32_t from_scale, int32_t to_scale,
                   enum arus_rounding rounding, arus_int128 *out)
{
    int32_t down = from_scale - to_scale;

    if (down <= 0) {
        return (a.size.high | a.size.low) == 0
                   ? (*out = 0, true)
                   : down >= -2 * PRECISION_MAX && scale_up(a.size, -down, &a.size) &&
                         divide_rounded(a, 1, ARUS_DOWN, out);
    }
    if (down > PRECISION_MAX) { /* first cut digits that leave a mark, then round once */
        const int32_t cut = down - PRECISION_MAX;
        bool is_inexact = false;

        for (int32_t i = 0; i < cut && (a.size.high | a.size.low) != 0; i += PRECISION_MAX) {
            arus_uint128 rest;

            a.size = arus_wide_divide(
                a.size, (arus_uint128)ARUS_DECIMAL_POWERS[smaller(cut - i, PRECISION_MAX)], &rest);
            is_inexact |= rest != 0;
        }
        a.size.low |= is_inexact; /* an even last digit before ties becomes odd: no false tie */
        down = PRECISION_MAX;
    }
    return divide_rounded(a, (arus_uint128)ARUS_DECIMAL_POWERS[down], rounding, out);
}

bool arus_decimal_rescale(arus_int128 value, int32_t from_scale, int32_t to_scale,
                          enum arus_rounding rounding, arus_int128 *out)
{
    const int32_t up = to_scale - from_scale;
    const struct number number = {{0, magnitude(value)}, value < 0};

    if (up == 0) {
        *out = value;
        return true;
    }
    if (up > 0 && up <= PRECISION_MAX) {
        return !__builtin_mul_overflow(value, ARUS_DECIMAL_POWERS[up], out) &&
               arus_decimal_fits(*out, PRECISION_MAX);
    }
    if (up >= -18 && up < 0 && value == (int64_t)value) {
        return divide_short((int64_t)value, (uint64_t)ARUS_DECIMAL_POWERS[-up], rounding, out);
    }
    return settle(number, from_scale, to_scale, rounding, out);
}

/* ---- arithmetic ---- */

/* Both numbers at the larger scale, in 128 bits; false: one does not fit. */
static bool align(struct arus_decimal *a, struct arus_decimal *b)
{
    if (a->scale < b->scale) {
        const arus_int128 power = ARUS_DECIMAL_POWERS[b->scale - a->scale];

        if (__builtin_mul_overflow(a->value, power, &a->value)) {
            return false;
        }
        a->scale = b->scale;
    } else if (b->scale < a->scale) {
        const arus_int128 power = ARUS_DECIMAL_POWERS[a->scale - b->scale];

        if (__builtin_mul_overflow(b->value, power, &b->value)) {
            return false;
        }
        b->scale = a->scale;
    }
    return true;
}

static bool fit(bool is_settled, struct arus_decimal_type result, const arus_int128 *out)
{
    return is_settled && arus_decimal_fits(*out, result.precision);
}

static bool add_wide(struct arus_decimal a, struct arus_decimal b, struct arus_decimal_type result,
                     arus_int128 *out)
{
    const int32_t scale = larger(a.scale, b.scale);
    struct number x = {{0, magnitude(a.value)}, a.value < 0};
    const struct number y = {{0, magnitude(b.value)}, b.value < 0};
    struct arus_wide big = {0};
    struct arus_wide other = {0};

    (void)scale_up(x.size, scale - a.scale, &big); /* 10^76 fits */
    (void)scale_up(y.size, scale - b.scale, &other);
    if (x.is_negative == y.is_negative) {
        x.size = arus_wide_add(big, other);
    } else if (arus_wide_compare(big, other) >= 0) {
        x.size = arus_wide_subtract(big, other);
    } else {
        x.size = arus_wide_subtract(other, big);
        x.is_negative = y.is_negative;
    }
    return fit(settle(x, scale, result.scale, ARUS_HALF_UP, out), result, out);
}

bool arus_decimal_add(struct arus_decimal a, struct arus_decimal b, struct arus_decimal_type result,
                      arus_int128 *out)
{
    struct arus_decimal x = a;
    struct arus_decimal y = b;
    arus_int128 sum;

    if (!align(&x, &y) || __builtin_add_overflow(x.value, y.value, &sum)) {
        return add_wide(a, b, result, out);
    }
    if (x.scale == result.scale) {
        *out = sum;
        return arus_decimal_fits(sum, result.precision);
    }
    return fit(settle((struct number){{0, magnitude(sum)}, sum < 0}, x.scale, result.scale,
                      ARUS_HALF_UP, out),
               result, out);
}

bool arus_decimal_subtract(struct arus_decimal a, struct arus_decimal b,
                           struct arus_decimal_type result, arus_int128 *out)
{
    b.value = -b.value;
    return arus_decimal_add(a, b, result, out);
}

bool arus_decimal_multiply(struct arus_decimal a, struct arus_decimal b,
                           struct arus_decimal_type result, arus_int128 *out)
{
    const int32_t scale = a.scale + b.scale;
    struct number product = {.is_negative = (a.value < 0) != (b.value < 0)};
    arus_int128 small;

    if (scale == result.scale && !__builtin_mul_overflow(a.value, b.value, &small)) {
        *out = small;
        return arus_decimal_fits(small, result.precision);
    }
    product.size = arus_wide_multiply(magnitude(a.value), magnitude(b.value));
    return fit(settle(product, scale, result.scale, ARUS_HALF_UP, out), result, out);
}

/* a * 10^n / b, rounded. A dividend beyond 256 bits gives a quotient beyond 38 digits. */
static bool divide_scaled(struct arus_decimal a, arus_int128 b, int32_t n,
                          enum arus_rounding rounding, arus_int128 *out)
{
    struct number dividend = {{0, magnitude(a.value)}, (a.value < 0) != (b < 0)};

    if (a.value == 0) {
        *out = 0;
        return true;
    }
    return scale_up(dividend.size, n, &dividend.size) &&
           divide_rounded(dividend, magnitude(b), rounding, out);
}

bool arus_decimal_divide(struct arus_decimal a, struct arus_decimal b,
                         struct arus_decimal_type result, arus_int128 *out)
{
    const int32_t n = result.scale + b.scale - a.scale;

    if (n >= 0) {
        return fit(divide_scaled(a, b.value, n, ARUS_HALF_UP, out), result, out);
    }
    /* More digits than wanted: divide exactly enough, and round the quotient. */
    return arus_decimal_rescale(b.value, 0, -n, ARUS_DOWN, &b.value)
               ? fit(divide_scaled(a, b.value, 0, ARUS_HALF_UP, out), result, out)
               : (*out = 0, true);
}

bool arus_decimal_integral_divide(struct arus_decimal a, struct arus_decimal b, arus_int128 *out)
{
    const int32_t n = b.scale - a.scale;

    if (n >= 0) {
        return divide_scaled(a, b.value, n, ARUS_DOWN, out);
    }
    if (!arus_decimal_rescale(b.value, 0, -n, ARUS_DOWN, &b.value)) {
        *out = 0;
        return true;
    }
    return divide_scaled(a, b.value, 0, ARUS_DOWN, out);
}

/* One of the two at the other's scale lies beyond 128 bits. */
static arus_int128 remainder_wide(struct arus_decimal a, struct arus_decimal b)
{
    struct arus_wide dividend = {0, magnitude(a.value)};
    arus_uint128 rest;

    if (a.scale >= b.scale) {
        return a.value; /* the divisor is larger */
    }
    (void)scale_up(dividend, b.scale - a.scale, &dividend);
    (void)arus_wide_divide(dividend, magnitude(b.value), &rest);
    return a.value < 0 ? -(arus_int128)rest : (arus_int128)rest;
}

bool arus_decimal_remainder(struct arus_decimal a, struct arus_decimal b,
                            struct arus_decimal_type result, arus_int128 *out)
{
    struct arus_decimal x = a;
    struct arus_decimal y = b;
    const arus_int128 rest = align(&x, &y) ? x.value % y.value : remainder_wide(a, b);
    const int32_t scale = larger(a.scale, b.scale);

    return fit(arus_decimal_rescale(rest, scale, result.scale, ARUS_HALF_UP, out), result, out);
}

int arus_decimal_compare(struct arus_decimal a, struct arus_decimal b)
{
    struct arus_decimal x = a;
    struct arus_decimal y = b;
    struct arus_wide big = {0, magnitude(a.value)};
    struct arus_wide other = {0, magnitude(b.value)};
    int order;

    if (align(&x, &y)) {
        return (x.value > y.value) - (x.value < y.value);
    }
    if ((a.value < 0) != (b.value < 0)) {
        return a.value < 0 ? -1 : 1;
    }
    (void)scale_up(big, larger(b.scale - a.scale, 0), &big);
    (void)scale_up(other, larger(a.scale - b.scale, 0), &other);
    order = arus_wide_compare(big, other);
    return a.value < 0 ? -order : order;
}

/* ---- conversions ---- */

bool arus_decimal_from_int64(int64_t value, struct arus_decimal_type type, arus_int128 *out)
{
    *out = value;
    return fit(arus_decimal_rescale(value, 0, type.scale, ARUS_DOWN, out), type, out);
}

#define QUICK_SIZE_MAX 1099511627776.0 /* 2^40: what follows is exact to 2^-12 */
#define TIE_WIDTH      0.0009765625    /* 2^-10 */

/* The shortest text of a double is within 2^-12 of it here, so it is rounded to the same number
 * while that is surely not half way between two. */
static bool round_quickly(double value, uint32_t scale, int64_t *out)
{
    double size;
    double rest;

    if (scale > ARUS_EXACT_POWER_MAX) {
        return false;
    }
    size = (value < 0 ? -value : value) * ARUS_EXACT_POWERS[scale];
    if (!(size < QUICK_SIZE_MAX)) {
        return false;
    }
    *out = (int64_t)size;
    rest = size - (double)*out - 0.5;
    if (rest > -TIE_WIDTH && rest < TIE_WIDTH) {
        return false;
    }
    *out += rest > 0;
    *out = value < 0 ? -*out : *out;
    return true;
}

bool arus_decimal_from_double(double value, struct arus_decimal_type type, arus_int128 *out)
{
    struct arus_digits digits;
    arus_int128 whole;
    int64_t quick;

    if (round_quickly(value, type.scale, &quick)) {
        *out = quick;
        return arus_decimal_fits(*out, type.precision);
    }
    if (value - value != 0) {
        return false;
    }
    digits = arus_double_digits(value < 0 ? -value : value);
    whole = value < 0 ? -(arus_int128)digits.digits : (arus_int128)digits.digits;
    return fit(arus_decimal_rescale(whole, -digits.exponent, type.scale, ARUS_HALF_UP, out), type,
               out);
}

double arus_decimal_to_double(struct arus_decimal value)
{
    const arus_uint128 size = magnitude(value.value);
    char text[ARUS_DECIMAL_TEXT_MAX];
    double result = 0;

    if (size >> 64 == 0) {
        const size_t text_size = size >> 53 == 0 ? 0 : arus_decimal_write(value, text);

        return arus_double_make((uint64_t)size, -(int32_t)value.scale, value.value < 0,
                                (struct arus_text){text, text_size});
    }
    (void)arus_double_parse((struct arus_text){text, arus_decimal_write(value, text)}, &result);
    return result;
}

bool arus_decimal_to_int64(struct arus_decimal value, int64_t *out)
{
    const arus_int128 whole = value.value / ARUS_DECIMAL_POWERS[value.scale];

    *out = (int64_t)whole;
    return whole >= INT64_MIN && whole <= INT64_MAX;
}
