/** SQL number formats: texts to numbers and back. */
#include "types/number_format.h"

/* ---- text to number ---- */

struct scan {
    struct arus_text text;
    size_t at;
    arus_int128 value;
    uint32_t digit_count;
};

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char skip_blanks(struct scan *scan)
{
    while (scan->at < scan->text.size && is_blank(scan->text.data[scan->at])) {
        scan->at++;
    }
    return scan->at < scan->text.size ? scan->text.data[scan->at] : '\0';
}

static bool accept(struct scan *scan, char wanted)
{
    const bool is_there = skip_blanks(scan) == wanted;

    scan->at += is_there;
    return is_there;
}

/* S takes + and -, M only -. True: a minus was there. */
static bool accept_sign(struct scan *scan, char sign)
{
    if (sign == 'S' && accept(scan, '+')) {
        return false;
    }
    return sign != 0 && accept(scan, '-');
}

/* Digits up to a comma or anything else. */
static uint32_t take_run(struct scan *scan, uint32_t count_max)
{
    uint32_t count = 0;

    while (is_digit(skip_blanks(scan))) {
        const char c = scan->text.data[scan->at++];

        if (++count <= count_max) {
            scan->value = scan->value * 10 + (c - '0');
            scan->digit_count++;
        }
    }
    return count;
}

static uint32_t groups_ahead(const struct scan *scan)
{
    uint32_t count = 1;

    for (size_t at = scan->at; at < scan->text.size; at++) {
        const char c = scan->text.data[at];

        if (c == ',') {
            count++;
        } else if (!is_digit(c) && !is_blank(c)) {
            break;
        }
    }
    return count;
}

/* The groups of the text are the last ones of the format. */
static bool take_whole(struct scan *scan, const struct arus_number_format *format)
{
    const uint32_t groups = groups_ahead(scan);

    if (groups > format->run_count) {
        return false;
    }
    for (uint32_t r = 0; r < format->run_count; r++) {
        const struct arus_number_run *run = &format->runs[r];
        const bool is_there = r + groups >= format->run_count;
        uint32_t count = 0;

        if (is_there) {
            if (r + groups > format->run_count && !accept(scan, ',')) {
                return false;
            }
            count = take_run(scan, run->count);
        }
        if (count > run->count || (run->is_exact && count != run->count)) {
            return false;
        }
    }
    return true;
}

static bool take_fraction(struct scan *scan, const struct arus_number_format *format)
{
    uint32_t count = 0;

    if (format->has_point && accept(scan, '.')) {
        count = take_run(scan, format->fraction_max);
    }
    if (count > format->fraction_max) {
        return false;
    }
    for (; count < format->fraction_max; count++) {
        scan->value *= 10;
    }
    return true;
}

bool arus_number_format_parse(const struct arus_number_format *format, struct arus_text text,
                              arus_int128 *out)
{
    struct scan scan = {.text = text};
    const bool is_open = format->has_brackets && accept(&scan, '<');
    bool is_negative = accept_sign(&scan, format->sign_before);

    if (format->has_dollar && !accept(&scan, '$')) {
        return false;
    }
    if ((format->run_count > 0 && !take_whole(&scan, format)) || !take_fraction(&scan, format)) {
        return false;
    }
    is_negative ^= accept_sign(&scan, format->sign_after);
    if (format->has_brackets && accept(&scan, '>') != is_open) {
        return false;
    }
    skip_blanks(&scan);
    *out = is_negative != is_open ? -scan.value : scan.value;
    return scan.digit_count > 0 && scan.at == text.size;
}

/* ---- number to text ---- */

/* The digits of a number without zeros at their ends. */
struct parts {
    char text[ARUS_DECIMAL_TEXT_MAX];
    struct arus_text whole;
    struct arus_text fraction;
    bool is_negative;
    bool is_too_long; /* for the format: every digit is a # */
};

static void split(struct parts *parts, struct arus_decimal value,
                  const struct arus_number_format *format)
{
    struct arus_text text = {parts->text, arus_decimal_write(value, parts->text)};
    size_t point = 0;

    parts->is_negative = text.data[0] == '-';
    text.data += parts->is_negative;
    text.size -= parts->is_negative;
    while (text.size > 0 && text.data[0] == '0') {
        text.data++;
        text.size--;
    }
    while (point < text.size && text.data[point] != '.') {
        point++;
    }
    parts->whole = (struct arus_text){text.data, point};
    parts->fraction = (struct arus_text){text.data + point, 0};
    if (point < text.size) {
        parts->fraction = (struct arus_text){text.data + point + 1, text.size - point - 1};
    }
    while (parts->fraction.size > 0 && parts->fraction.data[parts->fraction.size - 1] == '0') {
        parts->fraction.size--;
    }
    parts->is_too_long =
        parts->whole.size > format->whole_max || parts->fraction.size > format->fraction_max;
}

static char last_of(const struct arus_buffer *out, size_t begin)
{
    return out->size > begin ? out->data[out->size - 1] : '\0';
}

/* Blanks go in front of a sign: `   -4`. */
static enum arus_status append_blank(struct arus_buffer *out, size_t begin, struct arus_error *err)
{
    const char last = last_of(out, begin);

    ARUS_TRY(arus_buffer_append_char(out, ' ', err));
    if (last == '+' || last == '-' || last == '<') {
        out->data[out->size - 2] = ' ';
        out->data[out->size - 1] = last;
    }
    return ARUS_OK;
}

/* A sign at the end goes in front of blanks. */
static enum arus_status append_sign(struct arus_buffer *out, size_t begin, char sign,
                                    struct arus_error *err)
{
    size_t at;

    ARUS_TRY(arus_buffer_append_char(out, ' ', err));
    at = out->size - 1;
    while (at > begin && out->data[at - 1] == ' ') {
        at--;
    }
    out->data[at] = sign;
    return ARUS_OK;
}

/* Of S or MI: MI leaves a place for a minus. */
static enum arus_status write_sign(char sign, bool is_negative, struct arus_buffer *out,
                                   size_t begin, struct arus_error *err)
{
    if (sign == 0) {
        return ARUS_OK;
    }
    if (sign == 'M' && !is_negative) {
        return arus_buffer_append_char(out, ' ', err);
    }
    return append_sign(out, begin, is_negative ? '-' : '+', err);
}

static enum arus_status write_whole(const struct arus_number_format *format,
                                    const struct parts *parts, struct arus_buffer *out,
                                    size_t begin, struct arus_error *err)
{
    uint32_t left = format->whole_max;

    for (uint32_t r = 0; r < format->run_count; r++) {
        if (r > 0 && is_digit(last_of(out, begin))) {
            ARUS_TRY(arus_buffer_append_char(out, ',', err));
        } else if (r > 0) {
            ARUS_TRY(append_blank(out, begin, err));
        }
        for (uint32_t k = 0; k < format->runs[r].count; k++, left--) {
            if (parts->is_too_long) {
                ARUS_TRY(arus_buffer_append_char(out, '#', err));
            } else if (left <= parts->whole.size) {
                ARUS_TRY(
                    arus_buffer_append_char(out, parts->whole.data[parts->whole.size - left], err));
            } else if (format->runs[r].is_exact) {
                ARUS_TRY(arus_buffer_append_char(out, '0', err));
            } else {
                ARUS_TRY(append_blank(out, begin, err));
            }
        }
    }
    return ARUS_OK;
}

static enum arus_status write_fraction(const struct arus_number_format *format,
                                       const struct parts *parts, struct arus_buffer *out,
                                       size_t begin, struct arus_error *err)
{
    if (!format->has_point) {
        return ARUS_OK;
    }
    if (last_of(out, begin) == ' ') {
        out->data[out->size - 1] = '0';
    }
    /* a point without digits keeps its place */
    ARUS_TRY(arus_buffer_append_char(out, format->fraction_max > 0 ? '.' : ' ', err));
    for (uint32_t k = 0; k < format->fraction_max; k++) {
        const char c = parts->is_too_long         ? '#'
                       : k < parts->fraction.size ? parts->fraction.data[k]
                                                  : '0';

        ARUS_TRY(arus_buffer_append_char(out, c, err));
    }
    return ARUS_OK;
}

enum arus_status arus_number_format_write(const struct arus_number_format *format,
                                          struct arus_decimal value, struct arus_buffer *out,
                                          struct arus_error *err)
{
    const size_t begin = out->size;
    struct parts parts;

    split(&parts, value, format);
    if (format->has_brackets && parts.is_negative) {
        ARUS_TRY(arus_buffer_append_char(out, '<', err));
    }
    ARUS_TRY(write_sign(format->sign_before, parts.is_negative, out, begin, err));
    if (format->has_dollar) {
        ARUS_TRY(arus_buffer_append_char(out, '$', err));
    }
    ARUS_TRY(write_whole(format, &parts, out, begin, err));
    ARUS_TRY(write_fraction(format, &parts, out, begin, err));
    ARUS_TRY(write_sign(format->sign_after, parts.is_negative, out, begin, err));
    if (format->has_brackets && parts.is_negative) {
        return append_sign(out, begin, '>', err);
    }
    return format->has_brackets ? arus_buffer_append_text(out, arus_text_of("  "), err) : ARUS_OK;
}
