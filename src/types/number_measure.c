/** Digits and scale of number texts. */
#include "types/number_measure.h"

/* The digits behind `e`. */
static bool measure_exponent(struct arus_text text, int64_t *out)
{
    const bool is_negative = text.size != 0 && text.data[0] == '-';
    size_t at = is_negative || (text.size != 0 && text.data[0] == '+');
    int64_t exponent = 0;

    if (at == text.size) {
        return false;
    }
    for (; at < text.size; at++) {
        if (text.data[at] < '0' || text.data[at] > '9' || exponent > INT32_MAX) {
            return false;
        }
        exponent = exponent * 10 + (text.data[at] - '0');
    }
    *out = is_negative ? -exponent : exponent;
    return true;
}

bool arus_number_measure(struct arus_text text, struct arus_number_measure *out)
{
    int64_t exponent = 0;
    bool has_point = false;
    bool has_digit = false;
    size_t at = text.size != 0 && (text.data[0] == '-' || text.data[0] == '+');

    *out = (struct arus_number_measure){0};
    for (; at < text.size && (text.data[at] | 0x20) != 'e'; at++) {
        const char c = text.data[at];

        if (c == ',') {
            continue;
        }
        if ((c != '.' || has_point) && (c < '0' || c > '9')) {
            return false;
        }
        out->digits += c != '.' && (out->digits != 0 || c != '0');
        out->scale += has_point;
        has_digit |= c != '.';
        has_point |= c == '.';
    }
    if (!has_digit || (at < text.size &&
                       !measure_exponent((struct arus_text){text.data + at + 1, text.size - at - 1},
                                         &exponent))) {
        return false;
    }
    out->digits += out->digits == 0;
    out->scale -= exponent;
    return true;
}
