/** Decimals <-> text. */
#include "types/decimal.h"
#include "types/number_text.h"
#include "types/utf8.h"
#include "types/wide.h"

#include <utf8proc.h>

#define PRECISION_MAX ARUS_DECIMAL_PRECISION_MAX
#define TEXT_MAX      512 /* with digits that are not ASCII */
#define EXPONENT_MAX  (INT64_C(4000000000))

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* Where the digits of a number lie: significant digit i is the i-th digit from `first` on. */
struct layout {
    const char *first; /* first digit that is not 0; NULL: the number is 0 */
    const char *end;   /* behind the last digit or point */
    int64_t count;     /* significant digits */
    int64_t written;   /* all digits but leading zeros of the whole part */
    int64_t exponent;  /* of the last digit */
    bool is_negative;
};

static bool read_exponent(const char *at, const char *end, int64_t *exponent)
{
    bool is_negative;
    int64_t value = 0;

    if (at == end) {
        return true;
    }
    if (*at != 'e' && *at != 'E') {
        return false;
    }
    at++;
    is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end) {
        return false;
    }
    for (; at < end; at++) {
        if (!is_digit(*at)) {
            return false;
        }
        value = value < EXPONENT_MAX ? value * 10 + (*at - '0') : value;
    }
    *exponent += is_negative ? -value : value;
    return value <= INT32_MAX;
}

static bool read_layout(struct arus_text text, struct layout *layout)
{
    const char *at = text.data;
    const char *end = text.data + text.size;
    bool has_digit = false;
    bool is_fraction = false;

    *layout = (struct layout){.is_negative = text.size != 0 && *at == '-'};
    at += at < end && (*at == '-' || *at == '+');
    for (; at < end && (is_digit(*at) || (*at == '.' && !is_fraction)); at++) {
        if (*at == '.') {
            is_fraction = true;
            continue;
        }
        has_digit = true;
        layout->exponent -= is_fraction;
        if (layout->first == NULL && *at != '0') {
            layout->first = at;
        }
        layout->count += layout->first != NULL;
    }
    layout->end = at;
    return has_digit && read_exponent(at, end, &layout->exponent);
}

/* The first `count` significant digits (at most 38), rounded HALF_UP by the next one. */
static arus_int128 take_digits(const struct layout *layout, int64_t count)
{
    arus_uint128 value = 0;
    uint64_t part = 0;
    uint64_t power = 1;
    const char *at = layout->first;

    for (; count > 0; at++) {
        if (*at != '.') {
            part = part * 10 + (uint64_t)(*at - '0');
            power *= 10;
            count--;
        }
        if (power == 1000000000000000000U) {
            value = value * power + part;
            part = 0;
            power = 1;
        }
    }
    value = value * power + part;
    at += at < layout->end && *at == '.';
    return (arus_int128)(value + (at < layout->end && *at >= '5'));
}

static enum arus_decimal_status parse_ascii(struct arus_text text, struct arus_decimal_type type,
                                            arus_int128 *out)
{
    struct layout layout;
    int64_t shift;

    if (!read_layout(text, &layout)) {
        return ARUS_DECIMAL_BAD_TEXT;
    }
    *out = 0;
    shift = layout.exponent + type.scale;
    if (layout.first == NULL || layout.count + shift < 0) {
        return ARUS_DECIMAL_OK;
    }
    if (layout.count + layout.exponent > PRECISION_MAX) {
        return ARUS_DECIMAL_UNSUPPORTED;
    }
    if (layout.count + shift > type.precision) {
        return ARUS_DECIMAL_OUT_OF_RANGE;
    }
    *out = take_digits(&layout, shift < 0 ? layout.count + shift : layout.count);
    *out *= shift > 0 ? ARUS_DECIMAL_POWERS[shift] : 1;
    *out = layout.is_negative ? -*out : *out;
    return arus_decimal_fits(*out, type.precision) ? ARUS_DECIMAL_OK : ARUS_DECIMAL_OUT_OF_RANGE;
}

/* Decimal digits of any script lie in runs of ten, zero first. */
static int32_t digit_of(uint32_t code_point)
{
    int32_t run = 0;

    while (utf8proc_category((int32_t)code_point - run) == UTF8PROC_CATEGORY_ND) {
        run++;
    }
    return run == 0 ? -1 : (run - 1) % 10;
}

/* Java takes the digits of every script. False: another character, or too long. */
static bool to_ascii(struct arus_text text, char *out, size_t *out_size)
{
    size_t at = 0;
    size_t size = 0;

    while (at < text.size) {
        const uint32_t code_point = arus_utf8_next(text, &at);
        const int32_t digit = code_point < 0x80 ? -1 : digit_of(code_point);

        if (size == TEXT_MAX || (code_point >= 0x80 && digit < 0)) {
            return false;
        }
        out[size++] = (char)(digit < 0 ? (int32_t)code_point : '0' + digit);
    }
    *out_size = size;
    return true;
}

enum arus_decimal_status arus_decimal_parse(struct arus_text text, struct arus_decimal_type type,
                                            arus_int128 *out)
{
    const enum arus_decimal_status status = parse_ascii(text, type, out);
    char ascii[TEXT_MAX];
    size_t size;

    if (status != ARUS_DECIMAL_BAD_TEXT || arus_text_is_ascii(text) ||
        !to_ascii(text, ascii, &size)) {
        return status;
    }
    return parse_ascii((struct arus_text){ascii, size}, type, out);
}

enum arus_decimal_status
arus_decimal_parse_literal(struct arus_text text, struct arus_decimal_type *type, arus_int128 *out)
{
    struct layout layout;
    int64_t scale;
    int64_t precision;

    if (!read_layout(text, &layout)) {
        return ARUS_DECIMAL_BAD_TEXT;
    }
    scale = layout.exponent > 0 ? 0 : -layout.exponent;
    precision = layout.count + (layout.exponent > 0 ? layout.exponent : 0);
    precision = precision < scale ? scale : precision;
    precision = precision == 0 ? 1 : precision;
    if (precision > PRECISION_MAX) {
        return ARUS_DECIMAL_OUT_OF_RANGE;
    }
    *type = (struct arus_decimal_type){(uint8_t)precision, (uint8_t)scale};
    return arus_decimal_parse(text, *type, out);
}

/* Digits of a magnitude, not padded. */
static size_t write_magnitude(arus_uint128 value, char *out)
{
    const arus_uint128 power = (arus_uint128)ARUS_DECIMAL_POWERS[18];
    size_t size;
    uint64_t low;

    if (value >> 64 == 0) {
        return arus_uint64_write((uint64_t)value, out);
    }
    low = (uint64_t)(value % power);
    size = write_magnitude(value / power, out);
    for (size_t i = 18; i-- > 0; low /= 10) {
        out[size + i] = (char)('0' + low % 10);
    }
    return size + 18;
}

static arus_uint128 magnitude(arus_int128 value)
{
    return value < 0 ? -(arus_uint128)value : (arus_uint128)value;
}

size_t arus_decimal_write(struct arus_decimal value, char *out)
{
    char digits[40];
    const size_t count = write_magnitude(magnitude(value.value), digits);
    size_t size = 0;
    size_t whole;

    if (value.value < 0) {
        out[size++] = '-';
    }
    if (value.scale == 0) {
        memcpy(out + size, digits, count);
        return size + count;
    }
    whole = count > value.scale ? count - value.scale : 0;
    if (whole == 0) {
        out[size++] = '0';
    }
    memcpy(out + size, digits, whole);
    size += whole;
    out[size++] = '.';
    for (size_t i = count; i < value.scale; i++) {
        out[size++] = '0';
    }
    memcpy(out + size, digits + whole, count - whole);
    return size + count - whole;
}

size_t arus_decimal_write_scientific(struct arus_decimal value, char *out)
{
    char digits[40];
    const size_t count = write_magnitude(magnitude(value.value), digits);
    const int64_t exponent = (int64_t)count - 1 - value.scale;
    size_t size = 0;

    if (exponent >= -6) {
        return arus_decimal_write(value, out);
    }
    if (value.value < 0) {
        out[size++] = '-';
    }
    out[size++] = digits[0];
    if (count > 1) {
        out[size++] = '.';
        memcpy(out + size, digits + 1, count - 1);
        size += count - 1;
    }
    out[size++] = 'E';
    return size + arus_int64_write(exponent, out + size);
}
