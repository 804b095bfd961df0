/** format_string (printf): Java's Formatter. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/number_text.h"
#include "types/utf8.h"

#include <math.h>
#include <stdlib.h>

/* One `%[index$][flags][width][.precision]conversion`. */
struct spec {
    uint32_t index; /* from 1; 0: the next argument */
    bool is_left;
    bool has_plus;
    bool has_blank;
    bool has_zero;
    bool has_comma;
    bool has_parentheses;
    bool is_alternate;
    int32_t width;     /* -1: none */
    int32_t precision; /* -1: none */
    char conversion;
};

static enum arus_status fail_format(struct arus_text format, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.FORMAT",
                     "the format '%.*s' does not fit its arguments", ARUS_TEXT_ARGS(format));
}

static int32_t read_number(struct arus_text format, size_t *at)
{
    int32_t number = -1;

    for (; *at < format.size && format.data[*at] >= '0' && format.data[*at] <= '9'; (*at)++) {
        number = number < 0 ? 0 : number;
        number = number > 100000000 ? number : number * 10 + (format.data[*at] - '0');
    }
    return number;
}

static bool read_flag(char c, struct spec *spec)
{
    switch (c) {
    case '-':
        return spec->is_left = true;
    case '+':
        return spec->has_plus = true;
    case ' ':
        return spec->has_blank = true;
    case '0':
        return spec->has_zero = true;
    case ',':
        return spec->has_comma = true;
    case '(':
        return spec->has_parentheses = true;
    case '#':
        return spec->is_alternate = true;
    default:
        return false;
    }
}

/* *at stands behind the `%`. */
static bool read_spec(struct arus_text format, size_t *at, struct spec *spec)
{
    const size_t begin = *at;
    const int32_t index = read_number(format, at);

    *spec = (struct spec){.width = -1, .precision = -1};
    if (index > 0 && *at < format.size && format.data[*at] == '$') {
        spec->index = (uint32_t)index;
        (*at)++;
    } else {
        *at = begin;
    }
    while (*at < format.size && read_flag(format.data[*at], spec)) {
        (*at)++;
    }
    spec->width = read_number(format, at);
    if (*at < format.size && format.data[*at] == '.') {
        (*at)++;
        spec->precision = read_number(format, at);
        if (spec->precision < 0) {
            return false;
        }
    }
    if (*at >= format.size) {
        return false;
    }
    spec->conversion = format.data[(*at)++];
    return !(spec->is_left && spec->has_zero) &&
           !((spec->is_left || spec->has_zero) && spec->width < 0);
}

/* ---- laying out ---- */

static enum arus_status append_repeated(struct arus_buffer *out, char c, size_t count,
                                        struct arus_error *err)
{
    for (; count > 0; count--) {
        ARUS_TRY(arus_buffer_append_char(out, c, err));
    }
    return ARUS_OK;
}

static enum arus_status append_padded(struct arus_buffer *out, const struct spec *spec,
                                      struct arus_text text, struct arus_error *err)
{
    const size_t have = arus_utf8_units(text);
    const size_t missing =
        spec->width > 0 && (size_t)spec->width > have ? (size_t)spec->width - have : 0;

    if (!spec->is_left) {
        ARUS_TRY(append_repeated(out, ' ', missing, err));
    }
    ARUS_TRY(arus_buffer_append_text(out, text, err));
    return spec->is_left ? append_repeated(out, ' ', missing, err) : ARUS_OK;
}

/* `null` and `true`: cut to the precision, in capitals for a capital conversion. */
static enum arus_status append_word(struct arus_buffer *out, const struct spec *spec,
                                    const char *word, struct arus_error *err)
{
    const bool is_capital = spec->conversion >= 'A' && spec->conversion <= 'Z';
    const size_t size = strlen(word);
    char bytes[8];

    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(is_capital ? word[i] - 'a' + 'A' : word[i]);
    }
    return append_padded(
        out, spec,
        (struct arus_text){bytes, spec->precision >= 0 && (size_t)spec->precision < size
                                      ? (size_t)spec->precision
                                      : size},
        err);
}

/* Digits with sign, grouping and zero padding; `digits` may have a fraction behind a point. */
static enum arus_status append_number(struct arus_buffer *out, const struct spec *spec,
                                      struct arus_text digits, bool is_negative,
                                      struct arus_error *err)
{
    struct arus_buffer text = {0};
    size_t whole = 0;
    enum arus_status status = ARUS_OK;
    const char *sign = is_negative       ? (spec->has_parentheses ? "(" : "-")
                       : spec->has_plus  ? "+"
                       : spec->has_blank ? " "
                                         : "";
    const size_t close = is_negative && spec->has_parentheses;

    while (whole < digits.size && digits.data[whole] >= '0' && digits.data[whole] <= '9') {
        whole++;
    }
    for (size_t i = 0; i < digits.size && status == ARUS_OK; i++) {
        if (spec->has_comma && i > 0 && i < whole && (whole - i) % 3 == 0) {
            status = arus_buffer_append_char(&text, ',', err);
        }
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(&text, digits.data[i], err);
        }
    }
    if (status == ARUS_OK) {
        struct arus_buffer all = {0};
        const size_t have = strlen(sign) + text.size + close;

        status = arus_buffer_append(&all, sign, strlen(sign), err);
        if (status == ARUS_OK && spec->has_zero && spec->width > 0 && (size_t)spec->width > have) {
            status = append_repeated(&all, '0', (size_t)spec->width - have, err);
        }
        if (status == ARUS_OK) {
            status = arus_buffer_append_text(&all, arus_buffer_text(&text), err);
        }
        if (status == ARUS_OK && close) {
            status = arus_buffer_append_char(&all, ')', err);
        }
        if (status == ARUS_OK) {
            status = append_padded(out, spec, arus_buffer_text(&all), err);
        }
        arus_buffer_release(&all);
    }
    arus_buffer_release(&text);
    return status;
}

/* ---- doubles: the shortest digits, rounded half up ---- */

/* `digits` * 10^`exponent` with `places` behind the point, as text. */
static enum arus_status fixed_text(struct arus_digits digits, int32_t places,
                                   struct arus_buffer *out, struct arus_error *err)
{
    char text[24];
    int64_t shift = (int64_t)digits.exponent + places; /* zeros to append, or digits to drop */
    size_t count;
    int64_t point;

    if (shift < 0) {
        uint64_t power = 1;

        for (int64_t k = shift; k < 0 && power < 10000000000000000000u; k++) {
            power = -shift > 19 ? 10000000000000000000u : power * 10;
        }
        digits.digits = -shift > 19 ? 0
                                    : digits.digits / power +
                                          (digits.digits % power >= power - digits.digits % power);
        shift = 0;
    }
    count = arus_uint64_write(digits.digits, text);
    point = (int64_t)count + shift - places; /* digits before the point */
    if (digits.digits == 0) {
        shift = 0;
        point = (int64_t)count - places;
    }
    for (int64_t k = point; k < 1; k++) { /* leading zeros */
        ARUS_TRY(arus_buffer_append_char(out, '0', err));
        if (k == point && places > 0 && point <= 0) {
            ARUS_TRY(arus_buffer_append_char(out, '.', err));
        }
    }
    if (point <= 0 && places > 0) {
        ARUS_TRY(arus_buffer_append(out, text, count, err));
        return append_repeated(out, '0', (size_t)shift, err);
    }
    for (int64_t k = 0; k < (int64_t)count + shift; k++) {
        if (k == point && places > 0) {
            ARUS_TRY(arus_buffer_append_char(out, '.', err));
        }
        ARUS_TRY(arus_buffer_append_char(out, k < (int64_t)count ? text[k] : '0', err));
    }
    return ARUS_OK;
}

/* `d.ddde+xx` */
static enum arus_status scientific_text(struct arus_digits digits, int32_t places,
                                        struct arus_buffer *out, struct arus_error *err)
{
    char text[24];
    size_t count = arus_uint64_write(digits.digits, text);
    int32_t exponent = digits.digits == 0 ? 0 : digits.exponent + (int32_t)count - 1;

    if ((size_t)places + 1 < count) {
        uint64_t power = 1;
        uint64_t rest;

        for (size_t k = (size_t)places + 1; k < count; k++) {
            power *= 10;
        }
        rest = digits.digits % power;
        digits.digits = digits.digits / power + (rest >= power - rest);
        count = arus_uint64_write(digits.digits, text);
        if (count > (size_t)places + 1) {
            count--;
            exponent++;
        }
    }
    ARUS_TRY(arus_buffer_append_char(out, text[0], err));
    if (places > 0) {
        ARUS_TRY(arus_buffer_append_char(out, '.', err));
        ARUS_TRY(arus_buffer_append(out, text + 1, count - 1, err));
        ARUS_TRY(append_repeated(out, '0', (size_t)places + 1 - count, err));
    }
    return arus_buffer_printf(out, err, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static enum arus_status double_text(const struct spec *spec, double value, struct arus_buffer *out,
                                    struct arus_error *err)
{
    const struct arus_digits digits = arus_double_digits(fabs(value));
    int32_t places = spec->precision < 0 ? 6 : spec->precision;

    if (spec->conversion == 'e' || spec->conversion == 'E') {
        return scientific_text(digits, places, out, err);
    }
    if (spec->conversion == 'f') {
        return fixed_text(digits, places, out, err);
    }
    places = places == 0 ? 1 : places;
    if (value == 0 || (fabs(value) >= 1e-4 && fabs(value) < pow(10, places))) {
        const int32_t whole = value == 0 ? 1 : (int32_t)floor(log10(fabs(value))) + 1;

        return fixed_text(digits, places > whole ? places - whole : 0, out, err);
    }
    return scientific_text(digits, places - 1, out, err);
}

static enum arus_status append_double(struct arus_buffer *out, const struct spec *spec,
                                      double value, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status;

    if (!isfinite(value)) {
        const char *name = isnan(value)            ? "NaN"
                           : value > 0             ? (spec->has_plus ? "+Infinity" : "Infinity")
                           : spec->has_parentheses ? "(Infinity)"
                                                   : "-Infinity";

        return append_padded(out, spec, arus_text_of(name), err);
    }
    status = double_text(spec, value, &text, err);
    if (status == ARUS_OK) {
        status = append_number(out, spec, arus_buffer_text(&text), signbit(value) != 0, err);
    }
    arus_buffer_release(&text);
    return status;
}

/* ---- arguments ---- */

static int64_t integer_at(const struct arus_vector *arg, uint32_t i)
{
    const size_t at = i * ARUS_STEP(arg);

    switch (arus_type_value_size(arg->type)) {
    case 1:
        return ((const int8_t *)arg->values)[at];
    case 2:
        return ((const int16_t *)arg->values)[at];
    case 4:
        return ((const int32_t *)arg->values)[at];
    default:
        return ((const int64_t *)arg->values)[at];
    }
}

static enum arus_status append_integer(struct arus_buffer *out, const struct spec *spec,
                                       const struct arus_vector *arg, uint32_t i,
                                       struct arus_error *err)
{
    const int64_t value = integer_at(arg, i);
    const uint32_t bits = 8 * arus_type_value_size(arg->type);
    const uint64_t raw =
        bits == 64 ? (uint64_t)value : (uint64_t)value & (((uint64_t)1 << bits) - 1);
    const bool is_octal = spec->conversion == 'o';
    char digits[32];
    size_t count = sizeof digits;
    uint64_t rest = raw;

    if (spec->conversion == 'd') {
        const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

        return append_number(out, spec, (struct arus_text){digits, arus_uint64_write(size, digits)},
                             value < 0, err);
    }
    do {
        digits[--count] = "0123456789abcdef"[rest & (is_octal ? 7 : 15)];
        rest >>= is_octal ? 3 : 4;
    } while (rest != 0);
    if (spec->is_alternate) {
        if (!is_octal) {
            digits[--count] = 'x';
        }
        digits[--count] = '0';
    }
    return append_number(out, spec, (struct arus_text){digits + count, sizeof digits - count},
                         false, err);
}

/* String.valueOf of what Spark hands over: dates are days, timestamps microseconds. */
static enum arus_status append_string(struct arus_buffer *out, const struct spec *spec,
                                      const struct arus_vector *arg, uint32_t i,
                                      struct arus_error *err)
{
    struct arus_text text = arus_text_at(arg, i);

    if (spec->precision >= 0) {
        text.size = arus_utf8_offset(text, (size_t)spec->precision);
    }
    return append_padded(out, spec, text, err);
}

static enum arus_status append_arg(struct arus_rowwise *row, const struct spec *spec, uint32_t arg,
                                   uint32_t i, bool *is_fine, struct arus_error *err)
{
    const struct arus_vector *vector = &row->call->args[arg];
    const bool is_integer = arus_type_is_integer(vector->type);
    const bool is_null = !arus_vector_is_valid(vector, i);
    char bytes[4];

    *is_fine = true;
    if (spec->conversion == 'b' || spec->conversion == 'B') {
        const bool is_true =
            !is_null && (vector->type->id != ARUS_TYPE_BOOLEAN || arus_boolean_at(vector, i));

        return append_word(&row->buffer, spec, is_true ? "true" : "false", err);
    }
    if (is_null) {
        *is_fine = spec->conversion != '\0' && strchr("dxXoeEfgGsSc", spec->conversion) != NULL;
        return append_word(&row->buffer, spec, "null", err);
    }
    if (spec->conversion == 's' || spec->conversion == 'S') {
        return append_string(&row->buffer, spec, vector, i, err);
    }
    if (is_integer && spec->conversion == 'c') {
        return append_padded(
            &row->buffer, spec,
            (struct arus_text){bytes, arus_utf8_write((uint32_t)integer_at(vector, i), bytes)},
            err);
    }
    if (is_integer && strchr("dxXo", spec->conversion) != NULL && spec->precision < 0) {
        return append_integer(&row->buffer, spec, vector, i, err);
    }
    if (vector->type->id == ARUS_TYPE_DOUBLE && strchr("eEfgG", spec->conversion) != NULL) {
        return append_double(&row->buffer, spec, arus_double_at(vector, i), err);
    }
    *is_fine = false;
    return ARUS_OK;
}

static void make_upper(struct arus_buffer *buffer, size_t from)
{
    for (size_t k = from; k < buffer->size; k++) {
        if (buffer->data[k] >= 'a' && buffer->data[k] <= 'z') {
            buffer->data[k] = (char)(buffer->data[k] - 32);
        }
    }
}

/* Arguments come twice: as they are, and as texts for %s (see the rule). */
static enum arus_status append_spec(struct arus_rowwise *row, const struct spec *spec,
                                    uint32_t *next, uint32_t i, struct arus_text format,
                                    struct arus_error *err)
{
    const uint32_t arg_count = (row->call->expr->arg_count - 1) / 2;
    const uint32_t index = spec->index > 0 ? spec->index : ++*next;
    const size_t begin = row->buffer.size;
    const bool is_text = spec->conversion == 's' || spec->conversion == 'S';
    bool is_fine;

    if (index > arg_count) {
        return fail_format(format, err);
    }
    ARUS_TRY(append_arg(row, spec, is_text ? arg_count + index : index, i, &is_fine, err));
    if (!is_fine) {
        return fail_format(format, err);
    }
    if (strchr("XEGSB", spec->conversion) != NULL) {
        make_upper(&row->buffer, begin);
    }
    return ARUS_OK;
}

static enum arus_status format_string(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    struct arus_text format;
    uint32_t next = 0;

    if (!arus_vector_is_valid(&row->call->args[0], i)) {
        return arus_row_null(row, i, err);
    }
    format = arus_row_arg_text(row, 0, i);
    arus_buffer_reset(&row->buffer);
    for (size_t at = 0; at < format.size;) {
        struct spec spec;

        if (format.data[at] != '%') {
            ARUS_TRY(arus_buffer_append_char(&row->buffer, format.data[at++], err));
            continue;
        }
        at++;
        if (!read_spec(format, &at, &spec)) {
            return fail_format(format, err);
        }
        if (spec.conversion == '%' || spec.conversion == 'n') {
            ARUS_TRY(append_padded(&row->buffer, &spec,
                                   arus_text_of(spec.conversion == '%' ? "%" : "\n"), err));
        } else {
            ARUS_TRY(append_spec(row, &spec, &next, i, format, err));
        }
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(format_string)

/* What %s shows: the value behind a date is a number. */
static enum arus_status text_of(struct arus_bind *bind, const struct arus_expr *arg,
                                const struct arus_expr **out, struct arus_error *err)
{
    const enum arus_type_id id = arg->type->id;

    if (id == ARUS_TYPE_DATE) {
        ARUS_TRY(arus_call_of(bind, "unix_date", &arg, 1, &arg, err));
    } else if (id == ARUS_TYPE_TIMESTAMP) {
        ARUS_TRY(arus_call_of(bind, "unix_micros", &arg, 1, &arg, err));
    }
    return arus_cast_implicit(arg, &ARUS_STRING, bind->is_ansi, bind->arena, out, err);
}

static enum arus_status format_text(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = arus_buffer_printf(&text, err, "%.*s(", ARUS_TEXT_ARGS(bind->name));

    for (uint32_t i = 0; i < bind->arg_count && status == ARUS_OK; i++) {
        status = i > 0 ? arus_buffer_append_text(&text, ARUS_TEXT(", "), err) : ARUS_OK;
        if (status == ARUS_OK) {
            status = arus_expr_text(bind->args[i], &text, err);
        }
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&text, ')', err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), bind->arena, &bind->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status bind_format(struct arus_bind *bind, struct arus_error *err)
{
    const uint32_t count = bind->arg_count - 1;
    const struct arus_expr **args;

    ARUS_TRY(format_text(bind, err));
    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, 1 + 2 * count, &args, err));
    args[0] = bind->args[0];
    for (uint32_t i = 1; i <= count; i++) {
        args[i] = bind->args[i];
        ARUS_TRY(text_of(bind, bind->args[i], &args[count + i], err));
        if (args[i]->type->id == ARUS_TYPE_FLOAT) {
            ARUS_TRY(arus_cast_implicit(args[i], &ARUS_DOUBLE, true, bind->arena, &args[i], err));
        } else if (args[i]->type->id == ARUS_TYPE_VOID) {
            args[i] = args[count + i];
        }
    }
    bind->args = args;
    bind->arg_count = 1 + 2 * count;
    bind->type = &ARUS_STRING;
    bind->is_nullable = args[0]->is_nullable;
    return ARUS_OK;
}

const struct arus_function ARUS_FORMATS_TEXT[] = {
    {.name = "format_string",
     .aliases = "printf",
     .flags = ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 255,
     .bind = bind_format,
     .kernel = kernel_format_string,
     .signature = "format_string(format, a, ..) -> STRING",
     .help = "Java's printf",
     .example = "format_string('%05.1f %s', 3.14159D, 'x')",
     .result = "003.1 x"},
    {0},
};
