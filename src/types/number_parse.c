/** Reading numbers. Doubles: Clinger's exact case, then Lemire's product, then strtod. */
#include "types/exact_power.h"
#include "types/number_power.h"
#include "types/number_text.h"

#include <stdlib.h>

#define DIGITS_MAX   800 /* more never change a double */
#define EXPONENT_MAX 100000

/* ---- small things ---- */

static bool is_blank(char c)
{
    return (unsigned char)c <= 0x20 || c == 0x7F;
}

struct arus_text arus_text_trim(struct arus_text text)
{
    while (text.size != 0 && is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    while (text.size != 0 && is_blank(*text.data)) {
        text.data++;
        text.size--;
    }
    return text;
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* ---- integers ---- */

/* Eight digits at once; false: another character among them. */
static bool parse_eight(const char *at, uint64_t *out)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    if (((word & 0xF0F0F0F0F0F0F0F0U) |
         (((word + 0x0606060606060606U) & 0xF0F0F0F0F0F0F0F0U) >> 4)) != 0x3333333333333333U) {
        return false;
    }
    word = (word & 0x0F0F0F0F0F0F0F0FU) * 2561 >> 8;
    word = (word & 0x00FF00FF00FF00FFU) * 6553601 >> 16;
    *out = (word & 0x0000FFFF0000FFFFU) * 42949672960001U >> 32;
    return true;
}

/* Digits as a negative number, so that the minimum fits. */
static bool parse_negative(const char *at, const char *end, int64_t *out)
{
    int64_t value = 0;

    if (at == end) {
        return false;
    }
    if (end - at <= 18) {
        uint64_t eight;

        for (; end - at >= 8; at += 8) {
            if (!parse_eight(at, &eight)) {
                return false;
            }
            value = value * 100000000 - (int64_t)eight;
        }
        for (; at < end; at++) {
            const uint32_t digit = (unsigned char)(*at - '0');

            if (digit > 9) {
                return false;
            }
            value = value * 10 - digit;
        }
        *out = value;
        return true;
    }
    for (; at < end; at++) {
        const uint32_t digit = (unsigned char)(*at - '0');

        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) {
            return false;
        }
    }
    *out = value;
    return true;
}

bool arus_int64_parse(struct arus_text text, int64_t *out)
{
    const char *at = text.data;
    const char *end = text.data + text.size;
    const bool is_negative = text.size != 0 && *at == '-';
    int64_t value = 0;

    if (is_negative || (text.size != 0 && *at == '+')) {
        at++;
    }
    if (text.size == 0 || !parse_negative(at, end, &value) ||
        (!is_negative && value == INT64_MIN)) {
        return false;
    }
    *out = is_negative ? value : -value;
    return true;
}

bool arus_int64_parse_lenient(struct arus_text text, int64_t *out)
{
    const char *point = text.size == 0 ? NULL : memchr(text.data, '.', text.size);
    struct arus_text whole = text;

    if (point == NULL) {
        return arus_int64_parse(text, out);
    }
    for (const char *at = point + 1; at < text.data + text.size; at++) {
        if (!is_digit(*at)) {
            return false;
        }
    }
    whole.size = (size_t)(point - text.data);
    if (whole.size == 0 || (whole.size == 1 && (*text.data == '-' || *text.data == '+'))) {
        *out = 0; /* `.5`, and even `.` alone */
        return true;
    }
    return arus_int64_parse(whole, out);
}

bool arus_int32_parse(struct arus_text text, int32_t *out)
{
    int64_t value;

    if (!arus_int64_parse(text, &value) || value < INT32_MIN || value > INT32_MAX) {
        return false;
    }
    *out = (int32_t)value;
    return true;
}

bool arus_int16_parse(struct arus_text text, int16_t *out)
{
    int64_t value;

    if (!arus_int64_parse(text, &value) || value < INT16_MIN || value > INT16_MAX) {
        return false;
    }
    *out = (int16_t)value;
    return true;
}

bool arus_int8_parse(struct arus_text text, int8_t *out)
{
    int64_t value;

    if (!arus_int64_parse(text, &value) || value < INT8_MIN || value > INT8_MAX) {
        return false;
    }
    *out = (int8_t)value;
    return true;
}

/* ---- decimal and scientific text ---- */

struct scan {
    uint64_t digits; /* the first 19 significant ones */
    int32_t exponent;
    bool is_negative;
    bool is_cut;      /* more digits followed, not all zero */
    const char *stop; /* behind the number */
};

/* One run of digits; counts those that did not fit. Returns its length. */
static size_t scan_digits(const char *at, const char *end, struct scan *scan, int32_t *dropped)
{
    const char *begin = at;
    uint64_t digits = scan->digits;

    for (; at < end && is_digit(*at) && digits < 1000000000000000000U; at++) {
        digits = digits * 10 + (uint64_t)(*at - '0');
    }
    scan->digits = digits;
    for (; at < end && is_digit(*at); at++) {
        scan->is_cut |= *at != '0';
        *dropped += 1;
    }
    return (size_t)(at - begin);
}

static const char *scan_exponent(const char *at, const char *end, int32_t *exponent)
{
    const char *mark = at;
    bool is_negative;
    int32_t value = 0;

    if (at == end || (*at != 'e' && *at != 'E')) {
        return at;
    }
    at++;
    is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || !is_digit(*at)) {
        return mark;
    }
    for (; at < end && is_digit(*at); at++) {
        value = value < EXPONENT_MAX ? value * 10 + (*at - '0') : value;
    }
    *exponent += is_negative ? -value : value;
    return at;
}

/* False: no number at the front. */
static bool scan_number(const char *at, const char *end, struct scan *scan)
{
    int32_t dropped = 0;
    size_t whole;
    size_t fraction = 0;

    *scan = (struct scan){.is_negative = at < end && *at == '-'};
    at += at < end && (*at == '-' || *at == '+');
    whole = scan_digits(at, end, scan, &dropped);
    at += whole;
    scan->exponent = dropped;
    if (at < end && *at == '.') {
        int32_t dropped_fraction = 0;

        fraction = scan_digits(at + 1, end, scan, &dropped_fraction);
        scan->exponent -= (int32_t)fraction - dropped_fraction;
        at += whole + fraction == 0 ? 0 : fraction + 1;
    }
    if (whole + fraction == 0) {
        return false;
    }
    scan->stop = scan_exponent(at, end, &scan->exponent);
    return true;
}

/* ---- digits -> double ---- */

const double ARUS_EXACT_POWERS[ARUS_EXACT_POWER_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool make_clinger(uint64_t digits, int32_t exponent, double *out)
{
    if (digits > (uint64_t)1 << 53 || exponent < -ARUS_EXACT_POWER_MAX ||
        exponent > ARUS_EXACT_POWER_MAX) {
        return false;
    }
    *out = exponent < 0 ? (double)digits / ARUS_EXACT_POWERS[-exponent]
                        : (double)digits * ARUS_EXACT_POWERS[exponent];
    return true;
}

static struct arus_power floor_power(int32_t exponent)
{
    struct arus_power power = arus_power_of_ten(exponent);

    if (exponent < 0 || exponent > ARUS_POWER_EXACT) {
        power.high -= power.low == 0;
        power.low--;
    }
    return power;
}

/* Eisel and Lemire: two products decide nearly always. */
static bool make_lemire(uint64_t digits, int32_t exponent, double *out)
{
    struct arus_power power;
    struct arus_power x;
    uint64_t mantissa;
    uint64_t top;
    int64_t exponent2;
    int lead;

    if (digits == 0 || exponent < ARUS_POWER_MIN || exponent > 308) {
        return false;
    }
    power = floor_power(exponent);
    lead = __builtin_clzll(digits);
    digits <<= lead;
    exponent2 = (((int64_t)exponent * 217706) >> 16) + 64 + 1023 - lead;
    x = arus_multiply_wide(digits, power.high);
    if ((x.high & 0x1FF) == 0x1FF && x.low + digits < digits) {
        const struct arus_power y = arus_multiply_wide(digits, power.low);

        x.low += y.high;
        x.high += x.low < y.high;
        if ((x.high & 0x1FF) == 0x1FF && x.low + 1 == 0 && y.low + digits < digits) {
            return false;
        }
    }
    top = x.high >> 63;
    mantissa = x.high >> (top + 9);
    exponent2 -= (int64_t)(1 ^ top);
    if (x.low == 0 && (x.high & 0x1FF) == 0 && (mantissa & 3) == 1) {
        return false;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53 != 0) {
        mantissa >>= 1;
        exponent2++;
    }
    if (exponent2 < 1 || exponent2 > 2046) {
        return false;
    }
    mantissa = (mantissa & (((uint64_t)1 << 52) - 1)) | ((uint64_t)exponent2 << 52);
    memcpy(out, &mantissa, sizeof *out);
    return true;
}

/* The number again as `digits` `e` `exponent`, NUL-terminated and short enough for strtod. */
static void respell(const char *at, const char *end, char *out)
{
    int64_t exponent = 0;
    int32_t written_exponent = 0;
    bool is_fraction = false;
    bool is_cut = false;
    size_t size = 0;

    at += at < end && (*at == '-' || *at == '+');
    for (; at < end && (is_digit(*at) || *at == '.'); at++) {
        if (*at == '.') {
            is_fraction = true;
            continue;
        }
        if (size == 0 && *at == '0') {
            exponent -= is_fraction;
        } else if (size < DIGITS_MAX) {
            out[size++] = *at;
            exponent -= is_fraction;
        } else {
            is_cut |= *at != '0';
            exponent += !is_fraction;
        }
    }
    (void)scan_exponent(at, end, &written_exponent);
    if (size == 0) {
        out[size++] = '0';
    }
    if (is_cut) {
        out[size++] = '1';
        exponent--;
    }
    out[size++] = 'e';
    size += arus_int64_write(exponent + written_exponent, out + size);
    out[size] = '\0';
}

static double make_slow(struct arus_text text)
{
    char spelled[DIGITS_MAX + 32];

    respell(text.data, text.data + text.size, spelled);
    return strtod(spelled, NULL); /* the program keeps LC_NUMERIC at "C" */
}

double arus_double_make(uint64_t digits, int32_t exponent, bool is_negative, struct arus_text text)
{
    double value = 0;

    if (digits != 0 && !make_clinger(digits, exponent, &value) &&
        !make_lemire(digits, exponent, &value)) {
        value = make_slow(text);
    }
    return is_negative ? -value : value;
}

static double make_double(const struct scan *scan, struct arus_text text)
{
    double low;
    double high;

    if (!scan->is_cut) {
        return arus_double_make(scan->digits, scan->exponent, scan->is_negative, text);
    }
    if (!make_lemire(scan->digits, scan->exponent, &low) ||
        !make_lemire(scan->digits + 1, scan->exponent, &high) || low != high) {
        low = make_slow(text);
    }
    return scan->is_negative ? -low : low;
}

/* Through double, unless that lies in the middle of two floats: then rounding twice could err. */
static float make_float(const struct scan *scan, struct arus_text text)
{
    char spelled[DIGITS_MAX + 32];
    const double value = make_double(scan, text);
    const double size = value < 0 ? -value : value;
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x1FFFFFFF) != 0x10000000 && (size >= 0x1p-126 || size == 0)) {
        return (float)value;
    }
    respell(text.data, text.data + text.size, spelled);
    return scan->is_negative ? -strtof(spelled, NULL) : strtof(spelled, NULL);
}

bool arus_double_parse(struct arus_text text, double *out)
{
    struct scan scan;

    if (text.size == 0 || !scan_number(text.data, text.data + text.size, &scan) ||
        scan.stop != text.data + text.size) {
        return false;
    }
    *out = make_double(&scan, text);
    return true;
}

bool arus_float_parse(struct arus_text text, float *out)
{
    struct scan scan;

    if (text.size == 0 || !scan_number(text.data, text.data + text.size, &scan) ||
        scan.stop != text.data + text.size) {
        return false;
    }
    *out = make_float(&scan, text);
    return true;
}

/* ---- Java's and CAST's additions ---- */

static struct arus_text trim_java(struct arus_text text)
{
    while (text.size != 0 && (unsigned char)text.data[text.size - 1] <= 0x20) {
        text.size--;
    }
    while (text.size != 0 && (unsigned char)*text.data <= 0x20) {
        text.data++;
        text.size--;
    }
    return text;
}

static struct arus_text without_suffix(struct arus_text text)
{
    const char last = text.size == 0 ? '\0' : text.data[text.size - 1];

    text.size -= last == 'd' || last == 'D' || last == 'f' || last == 'F';
    return text;
}

static bool parse_special(struct arus_text text, bool is_cast, double *out)
{
    const bool is_signed = text.size != 0 && (*text.data == '-' || *text.data == '+');
    const bool is_negative = is_signed && *text.data == '-';
    const struct arus_text word = {text.data + is_signed, text.size - is_signed};

    if (arus_text_equal(word, ARUS_TEXT("NaN")) ||
        (is_cast && !is_signed && arus_text_equal_nocase(word, ARUS_TEXT("nan")))) {
        *out = (double)__builtin_nanf("");
        return true;
    }
    if (arus_text_equal(word, ARUS_TEXT("Infinity")) ||
        (is_cast && (arus_text_equal_nocase(word, ARUS_TEXT("inf")) ||
                     arus_text_equal_nocase(word, ARUS_TEXT("infinity"))))) {
        *out = is_negative ? -__builtin_inf() : __builtin_inf();
        return true;
    }
    return false;
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* `[+-]?0x h*.h* p[+-]d+`; copied for strtod. Texts of more than 100 bytes are refused. */
static bool spell_hex(struct arus_text text, char *out)
{
    const char *at = text.data;
    const char *end = text.data + text.size;
    size_t digits = 0;
    bool has_point = false;

    if (text.size > 100) {
        return false;
    }
    at += at < end && (*at == '-' || *at == '+');
    if (end - at < 2 || *at != '0' || (at[1] | 0x20) != 'x') {
        return false;
    }
    for (at += 2; at < end && (is_hex_digit(*at) || (*at == '.' && !has_point)); at++) {
        has_point |= *at == '.';
        digits += *at != '.';
    }
    if (digits == 0 || at == end || (*at | 0x20) != 'p') {
        return false;
    }
    at++;
    at += at < end && (*at == '-' || *at == '+');
    if (at == end) {
        return false;
    }
    for (; at < end; at++) {
        if (!is_digit(*at)) {
            return false;
        }
    }
    memcpy(out, text.data, text.size);
    out[text.size] = '\0';
    return true;
}

static bool parse_double(struct arus_text text, bool is_cast, double *out)
{
    const struct arus_text word = trim_java(text);
    const struct arus_text number = without_suffix(word);
    char spelled[104];

    if (arus_double_parse(number, out)) {
        return true;
    }
    if (spell_hex(number, spelled)) {
        *out = strtod(spelled, NULL);
        return true;
    }
    return parse_special(word, is_cast, out);
}

static bool parse_float(struct arus_text text, bool is_cast, float *out)
{
    const struct arus_text word = trim_java(text);
    const struct arus_text number = without_suffix(word);
    char spelled[104];
    double special;

    if (arus_float_parse(number, out)) {
        return true;
    }
    if (spell_hex(number, spelled)) {
        *out = strtof(spelled, NULL);
        return true;
    }
    if (!parse_special(word, is_cast, &special)) {
        return false;
    }
    *out = (float)special;
    return true;
}

bool arus_double_parse_java(struct arus_text text, double *out)
{
    return parse_double(text, false, out);
}

bool arus_float_parse_java(struct arus_text text, float *out)
{
    return parse_float(text, false, out);
}

bool arus_double_parse_cast(struct arus_text text, double *out)
{
    return parse_double(text, true, out);
}

bool arus_float_parse_cast(struct arus_text text, float *out)
{
    return parse_float(text, true, out);
}

bool arus_boolean_parse_cast(struct arus_text text, bool *out)
{
    static const char *const WORDS[] = {"t", "true", "y", "yes", "1", "f", "false", "n", "no", "0"};
    const struct arus_text word = arus_text_trim(text);

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (arus_text_equal_nocase(word, arus_text_of(WORDS[i]))) {
            *out = i < 5;
            return true;
        }
    }
    return false;
}
