/** Writing numbers: shortest digits by Schubfach (R. Giulietti), laid out as Java's toString. */
#include "types/number_text.h"

#include "types/number_power.h"

#define DOUBLE_BITS 52 /* of the stored significand */
#define DOUBLE_BIAS (1023 + DOUBLE_BITS)
#define FLOAT_BITS  23
#define FLOAT_BIAS  (127 + FLOAT_BITS)
#define TINY        8 /* subnormals below this many units need one more digit */

static const char PAIRS[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* ---- integers ---- */

static uint32_t digit_count(uint64_t value)
{
    static const uint64_t LIMITS[] = {
        0,
        10,
        100,
        1000,
        10000,
        100000,
        1000000,
        10000000,
        100000000,
        1000000000,
        10000000000,
        100000000000,
        1000000000000,
        10000000000000,
        100000000000000,
        1000000000000000,
        10000000000000000,
        100000000000000000,
        1000000000000000000,
        10000000000000000000U,
    };
    const uint32_t bits = 64 - (uint32_t)__builtin_clzll(value | 1);
    const uint32_t guess = bits * 1233 >> 12; /* log10(2) */

    return guess + (value >= LIMITS[guess]);
}

/* Exactly `count` digits, leading zeros included. */
static void write_digits(uint64_t value, uint32_t count, char *out)
{
    while (count >= 2) {
        memcpy(out + count - 2, PAIRS + value % 100 * 2, 2);
        value /= 100;
        count -= 2;
    }
    if (count == 1) {
        out[0] = (char)('0' + value % 10);
    }
}

size_t arus_uint64_write(uint64_t value, char *out)
{
    const uint32_t count = digit_count(value);

    write_digits(value, count, out);
    return count;
}

size_t arus_int64_write(int64_t value, char *out)
{
    if (value >= 0) {
        return arus_uint64_write((uint64_t)value, out);
    }
    *out = '-';
    return 1 + arus_uint64_write(-(uint64_t)value, out + 1);
}

/* ---- shortest digits ---- */

static int32_t floor_log2_pow10(int32_t e)
{
    return (int32_t)(((int64_t)e * 913124641741) >> 38);
}

static int32_t floor_log10_pow2(int32_t e)
{
    return (int32_t)(((int64_t)e * 661971961083) >> 41);
}

static int32_t floor_log10_three_quarters_pow2(int32_t e)
{
    return (int32_t)(((int64_t)e * 661971961083 - 274743187321) >> 41);
}

/* The high part of g * cp, its lowest bit set when anything was cut off. */
static uint64_t round_to_odd(struct arus_power g, uint64_t cp)
{
    const struct arus_power x = arus_multiply_wide(g.low, cp);
    const struct arus_power y = arus_multiply_wide(g.high, cp);
    const uint64_t low = y.low + x.high;
    const uint64_t high = y.high + (low < y.low);

    return high | (low > 1);
}

/* Removes trailing zeros. */
static struct arus_digits normal(uint64_t digits, int32_t exponent)
{
    if (digits == 0) {
        return (struct arus_digits){0, 0};
    }
    while (digits % 100000000 == 0) {
        digits /= 100000000;
        exponent += 8;
    }
    if (digits % 10000 == 0) {
        digits /= 10000;
        exponent += 4;
    }
    if (digits % 100 == 0) {
        digits /= 100;
        exponent += 2;
    }
    if (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (struct arus_digits){digits, exponent};
}

/* The number and the ends of its rounding interval, times 4, scaled by 10^-k. */
struct interval {
    uint64_t lower;
    uint64_t value;
    uint64_t upper;
};

static struct interval scale(int32_t q, uint64_t c, int32_t k, bool is_regular)
{
    const struct arus_power g = arus_power_of_ten(-k);
    const int32_t h = q + floor_log2_pow10(-k) + 1;
    const uint64_t out = c & 1; /* the ends of an odd number's interval are not in it */

    return (struct interval){
        .lower = round_to_odd(g, (4 * c - 1 - is_regular) << h) + out,
        .value = round_to_odd(g, (4 * c) << h),
        .upper = round_to_odd(g, (4 * c + 2) << h) - out,
    };
}

/* c * 2^q; `is_regular`: the neighbour below is as far as the one above. `down`: c was scaled by
 * 10^-down. */
static struct arus_digits shortest(int32_t q, uint64_t c, int32_t down, bool is_regular)
{
    const int32_t k = is_regular ? floor_log10_pow2(q) : floor_log10_three_quarters_pow2(q);
    const struct interval v = scale(q, c, k, is_regular);
    const uint64_t s = v.value / 4;
    const uint64_t middle = 4 * s + 2;

    if (s >= 100) {
        const uint64_t ten = s / 10;
        const bool is_lower_in = v.lower <= ten * 40;
        const bool is_upper_in = ten * 40 + 40 <= v.upper;

        if (is_lower_in != is_upper_in) {
            return normal(ten + is_upper_in, k + 1 - down);
        }
    }
    if ((v.lower <= 4 * s) != (4 * s + 4 <= v.upper)) {
        return normal(s + (4 * s + 4 <= v.upper), k - down);
    }
    return normal(s + (v.value > middle || (v.value == middle && (s & 1) != 0)), k - down);
}

static struct arus_digits digits_of(uint64_t fraction, int32_t exponent, int32_t bits, int32_t bias)
{
    const uint64_t hidden = (uint64_t)1 << bits;

    if (exponent == 0) {
        if (fraction == 0) {
            return (struct arus_digits){0, 0};
        }
        return fraction < TINY ? shortest(1 - bias, fraction * 10, 1, true)
                               : shortest(1 - bias, fraction, 0, true);
    }
    if (exponent <= bias && bias - exponent <= bits) { /* perhaps an integer */
        const int32_t shift = bias - exponent;
        const uint64_t c = hidden | fraction;

        if ((c & (((uint64_t)1 << shift) - 1)) == 0) {
            return normal(c >> shift, 0);
        }
    }
    return shortest(exponent - bias, hidden | fraction, 0, fraction != 0 || exponent == 1);
}

#define FEW_SCALE 10000    /* four decimal places */
#define FEW_MAX   1e11     /* such numbers have at most 15 digits */
#define FEW_FLOAT 1000000U /* a float's first six digits are its own */

/*
 * Numbers with few decimal places, as most are. A decimal of 15 digits that reads back as a double
 * is the only one of its length, so it is the shortest.
 */
static bool few_digits(double value, struct arus_digits *out)
{
    const double scaled = value * FEW_SCALE + 0.5;
    uint64_t whole;

    if (!(value < FEW_MAX)) {
        return false;
    }
    whole = (uint64_t)scaled;
    *out = normal(whole, -4);
    return (double)whole / FEW_SCALE == value;
}

struct arus_digits arus_double_digits(double value)
{
    struct arus_digits few;
    uint64_t bits;

    if (few_digits(value, &few)) {
        return few;
    }
    memcpy(&bits, &value, sizeof bits);
    return digits_of(bits & (((uint64_t)1 << DOUBLE_BITS) - 1),
                     (int32_t)(bits >> DOUBLE_BITS & 0x7FF), DOUBLE_BITS, DOUBLE_BIAS);
}

struct arus_digits arus_float_digits(float value)
{
    struct arus_digits few;
    uint32_t bits;

    if (value < (float)FEW_FLOAT) {
        const double scaled = (double)value * FEW_SCALE + 0.5;

        few = normal((uint64_t)scaled, -4);
        if ((float)((double)(uint64_t)scaled / FEW_SCALE) == value && few.digits < FEW_FLOAT) {
            return few;
        }
    }
    memcpy(&bits, &value, sizeof bits);
    return digits_of(bits & (((uint32_t)1 << FLOAT_BITS) - 1), (int32_t)(bits >> FLOAT_BITS & 0xFF),
                     FLOAT_BITS, FLOAT_BIAS);
}

/* ---- Java's layout ---- */

static size_t write_text(struct arus_text text, char *out)
{
    memcpy(out, text.data, text.size);
    return text.size;
}

static size_t write_zeros(char *out, int32_t count)
{
    memset(out, '0', (size_t)count);
    return (size_t)count;
}

/* 0.001 <= value < 10^7 */
static size_t write_plain(struct arus_digits d, int32_t count, char *out)
{
    const int32_t whole = count + d.exponent; /* digits in front of the point */
    size_t size = 0;

    if (whole <= 0) {
        size = write_text(ARUS_TEXT("0."), out);
        size += write_zeros(out + size, -whole);
        write_digits(d.digits, (uint32_t)count, out + size);
        return size + (size_t)count;
    }
    if (d.exponent >= 0) {
        write_digits(d.digits, (uint32_t)count, out);
        size = (size_t)count + write_zeros(out + count, d.exponent);
        return size + write_text(ARUS_TEXT(".0"), out + size);
    }
    write_digits(d.digits, (uint32_t)count, out + 1);
    memmove(out, out + 1, (size_t)whole);
    out[whole] = '.';
    return (size_t)count + 1;
}

static size_t write_scientific(struct arus_digits d, int32_t count, char *out)
{
    size_t size = (size_t)count + 1;

    write_digits(d.digits, (uint32_t)count, out + 1);
    out[0] = out[1];
    out[1] = '.';
    if (count == 1) {
        out[size++] = '0';
    }
    out[size++] = 'E';
    return size + arus_int64_write(count - 1 + d.exponent, out + size);
}

static size_t write_java(struct arus_digits d, char *out)
{
    const int32_t count = (int32_t)digit_count(d.digits);
    const int32_t scientific = count - 1 + d.exponent;

    if (d.digits == 0) {
        return write_text(ARUS_TEXT("0.0"), out);
    }
    return scientific >= -3 && scientific < 7 ? write_plain(d, count, out)
                                              : write_scientific(d, count, out);
}

static size_t write_special(bool is_nan, bool is_negative, char *out)
{
    if (is_nan) {
        return write_text(ARUS_TEXT("NaN"), out);
    }
    return write_text(is_negative ? ARUS_TEXT("-Infinity") : ARUS_TEXT("Infinity"), out);
}

size_t arus_double_write(double value, char *out)
{
    const bool is_negative = __builtin_signbit(value) != 0;

    if (value - value != 0) { /* NaN or infinite */
        return write_special(value != value, is_negative, out);
    }
    *out = '-';
    return is_negative +
           write_java(arus_double_digits(is_negative ? -value : value), out + is_negative);
}

size_t arus_float_write(float value, char *out)
{
    const bool is_negative = __builtin_signbit(value) != 0;

    if (value - value != 0) {
        return write_special(value != value, is_negative, out);
    }
    *out = '-';
    return is_negative +
           write_java(arus_float_digits(is_negative ? -value : value), out + is_negative);
}
