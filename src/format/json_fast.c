/** The fast path's less frequent cases. */
#include "format/json_fast_internal.h"
#include "types/decimal.h"
#include "types/number_text.h"
#include "types/utf8.h"

#define MICROS_PER_MINUTE ((int64_t)60000000)
#define NUMBER_SIZE_MAX   1000 /* digits; more are left to the exact path */

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- rows ---- */

void json_set_null(struct json_fast *fast, struct json_target *target, uint32_t row)
{
    static const struct json_cell NOTHING = {0};
    struct arus_error err;

    if (!target->is_nested) {
        json_store(target->builder, row, &NOTHING);
    } else if (arus_builder_null(target->builder, &err) != ARUS_OK) {
        fast->status = err.status;
    }
}

void json_undo_row(struct json_fast *fast, uint32_t row)
{
    for (uint32_t i = 0; i < fast->target_count; i++) {
        struct json_target *target = &fast->targets[i];

        if (target->is_nested) {
            arus_builder_truncate(target->builder, row);
        } else {
            arus_bit_set(target->validity, row);
        }
    }
}

static bool stands_at(const struct json_fast *fast, const char *pattern, size_t size,
                      const char *at)
{
    return (size_t)(fast->end - at) >= size && memcmp(pattern, at, size) == 0;
}

const char *json_resync(struct json_fast *fast, struct json_step **step, const char *at,
                        uint32_t row)
{
    struct json_step *first = *step;
    struct json_step *next = first;

    if (stands_at(fast, first->text, first->plain_size, at) && first->op != JSON_OP_END &&
        stands_at(fast, "null", 4, at + first->plain_size)) {
        if (first->target != NULL) {
            json_set_null(fast, first->target, row);
        }
        *step = first + 1;
        return at + first->plain_size + 4;
    }
    if (first ==
        fast->program->steps) { /* its pattern holds the opening brace, the others do not */
        return NULL;
    }
    while (next->op != JSON_OP_END) {
        next++;
        if (stands_at(fast, next->text, next->plain_size, at)) {
            break;
        }
    }
    if (next == first || !stands_at(fast, next->text, next->plain_size, at)) {
        return NULL;
    }
    for (struct json_step *left_out = first; left_out < next; left_out++) {
        if (left_out->target != NULL) {
            json_set_null(fast, left_out->target, row);
        }
    }
    *step = next;
    return at;
}

/* ---- strings ---- */

/* Behind a backslash. NULL: an escape that the exact path must judge. */
static const char *skip_escape(const char *at)
{
    if (*at != '\0' && strchr("\"\\/bfnrt", *at) != NULL) {
        return at + 1;
    }
    if (*at != 'u') {
        return NULL;
    }
    for (int i = 1; i <= 4; i++) {
        const char c = (char)(at[i] | 0x20);

        if (!is_digit(at[i]) && !(c >= 'a' && c <= 'f')) {
            return NULL;
        }
    }
    return at + 5;
}

/* A well-formed character beyond ASCII; NULL: none. */
static const char *skip_multibyte(const char *at)
{
    const uint32_t size = arus_utf8_size((unsigned char)*at);

    for (uint32_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return NULL;
        }
    }
    return size > 1 && arus_utf8_is_valid((struct arus_text){at, size}) ? at + size : NULL;
}

/* The closing quote, from any place inside. NULL: surprise. */
static const char *find_quote(const char *at, bool *has_escape)
{
    while (*at != '"') {
        const unsigned char c = (unsigned char)*at;

        if (c == '\\') {
            *has_escape = true;
            at = skip_escape(at + 1);
        } else if (c >= 0x80) {
            at = skip_multibyte(at);
        } else {
            at = c < ' ' ? NULL : at + 1;
        }
        if (at == NULL) {
            return NULL;
        }
    }
    return at;
}

const char *json_skip_string_rest(const char *at)
{
    bool has_escape = false;

    at = find_quote(at, &has_escape);
    return at == NULL ? NULL : at + 1;
}

/* The text of a raw string. False: no memory. */
static bool unescape(struct json_fast *fast, struct arus_text *text)
{
    struct arus_error err;
    void *memory;

    if (arus_arena_alloc(&fast->converter->texts, text->size + 4, &memory, &err) != ARUS_OK) {
        fast->status = err.status;
        return false;
    }
    text->size = json_unescape(*text, memory);
    text->data = memory;
    return true;
}

static const char *read_text(struct json_fast *fast, const char *begin, const char *at,
                             struct arus_text *out)
{
    bool has_escape = false;
    const char *end = find_quote(at, &has_escape);

    if (end == NULL) {
        return NULL;
    }
    *out = (struct arus_text){begin, (size_t)(end - begin)};
    return !has_escape || unescape(fast, out) ? end : NULL;
}

const char *json_string_rest(struct json_fast *fast, const char *begin, const char *at,
                             struct arus_view *out)
{
    struct arus_text text;
    const char *end = read_text(fast, begin, at, &text);

    if (end != NULL) {
        *out = arus_view_of(text.data, text.size);
    }
    return end;
}

const char *json_name_rest(struct json_fast *fast, const char *begin, const char *at,
                           struct arus_text *out)
{
    const char *end = read_text(fast, begin, at, out);

    return end == NULL ? NULL : end + 1;
}

const char *json_text_value(struct json_fast *fast, const struct json_step *step, const char *at,
                            uint32_t row)
{
    const struct json_target *target = step->target;
    struct json_cell cell = {.is_valid = true};
    struct arus_text text;
    const char *end = read_text(fast, at, at, &text);

    if (end == NULL || !json_convert_text(fast->converter, target->node->type, text, &cell)) {
        return NULL;
    }
    json_store(target->builder, row, &cell);
    return end + 1;
}

/* ---- numbers ---- */

const char *json_number_end(const char *at)
{
    const char *begin = at;

    at += *at == '-';
    if (!is_digit(*at) || (*at == '0' && is_digit(at[1]))) {
        return NULL;
    }
    while (is_digit(*at)) {
        at++;
    }
    if (*at == '.') {
        if (!is_digit(*++at)) {
            return NULL;
        }
        while (is_digit(*at)) {
            at++;
        }
    }
    if ((*at | 0x20) == 'e') {
        at++;
        at += *at == '-' || *at == '+';
        if (!is_digit(*at)) {
            return NULL;
        }
        while (is_digit(*at)) {
            at++;
        }
    }
    return at - begin > NUMBER_SIZE_MAX ? NULL : at;
}

static struct arus_text number_text(const char *at, const char *end)
{
    return (struct arus_text){at, (size_t)(end - at)};
}

const char *json_long_integer(const char *at, int64_t *out)
{
    const char *end = json_number_end(at);

    return end != NULL && arus_int64_parse(number_text(at, end), out) ? end : NULL;
}

static bool is_minus_zero_integer(const char *at, const char *end)
{
    return end - at == 2 && at[0] == '-' && at[1] == '0';
}

const char *json_any_double(const char *at, double *out)
{
    const char *end = json_number_end(at);

    if (end == NULL) {
        return NULL;
    }
    if (is_minus_zero_integer(at, end)) {
        *out = 0;
        return end;
    }
    return arus_double_parse(number_text(at, end), out) ? end : NULL;
}

const char *json_any_float(const char *at, float *out)
{
    const char *end = json_number_end(at);

    if (end == NULL) {
        return NULL;
    }
    if (is_minus_zero_integer(at, end)) {
        *out = 0;
        return end;
    }
    return arus_float_parse(number_text(at, end), out) ? end : NULL;
}

const char *json_any_decimal(const struct json_step *step, const char *at, uint32_t row)
{
    const struct arus_type *type = step->target->node->type;
    const char *end = json_number_end(at);
    arus_int128 value;

    if (end == NULL || arus_decimal_parse(number_text(at, end),
                                          (struct arus_decimal_type){type->precision, type->scale},
                                          &value) != ARUS_DECIMAL_OK) {
        return NULL;
    }
    arus_decimal_set(type, step->target->values, row, value);
    return end;
}

/* ---- dates ---- */

static bool two_digits(const char *at, uint32_t *out)
{
    *out = (uint32_t)(at[0] - '0') * 10 + (uint32_t)(at[1] - '0');
    return is_digit(at[0]) && is_digit(at[1]);
}

bool json_parse_day(const char *at, int64_t *days)
{
    uint32_t century;
    uint32_t year;
    uint32_t month;
    uint32_t day;

    if (!two_digits(at, &century) || !two_digits(at + 2, &year) || at[4] != '-' ||
        !two_digits(at + 5, &month) || at[7] != '-' || !two_digits(at + 8, &day)) {
        return false;
    }
    year += century * 100;
    if (month < 1 || month > 12 || day < 1 || day > arus_month_length(year, month)) {
        return false;
    }
    *days = arus_date_from_civil((int32_t)year, month, day);
    return true;
}

bool json_parse_minute(const char *at, int64_t *micros)
{
    int64_t days;
    uint32_t hour;
    uint32_t minute;

    if (!json_parse_day(at, &days) || (at[10] != 'T' && at[10] != ' ') ||
        !two_digits(at + 11, &hour) || at[13] != ':' || !two_digits(at + 14, &minute) ||
        hour > 23 || minute > 59) {
        return false;
    }
    *micros = days * ARUS_MICROS_PER_DAY + (int64_t)(hour * 60 + minute) * MICROS_PER_MINUTE;
    return true;
}

/* ---- by the tokenizer ---- */

/* A line end inside a value belongs to the next record. */
static bool crosses_line(const struct json_fast *fast, const char *begin, const char *end)
{
    return !fast->is_record && (memchr(begin, '\n', (size_t)(end - begin)) != NULL ||
                                memchr(begin, '\r', (size_t)(end - begin)) != NULL);
}

const char *json_token_value(struct json_fast *fast, const struct json_step *step, const char *at,
                             uint32_t row)
{
    struct json_parser *parser = &fast->converter->parser;
    struct json_cell cell;
    enum json_outcome outcome;

    arus_arena_reset(&fast->converter->cells);
    if (at >= fast->end ||
        !json_start_value(parser, (struct arus_text){at, (size_t)(fast->end - at)})) {
        return NULL;
    }
    outcome = json_convert(fast->converter, step->target->node, &cell);
    fast->converter->first = (struct json_problem){0};
    if (parser->is_out_of_memory) {
        fast->status = ARUS_NO_MEMORY;
    }
    if (outcome != JSON_DONE || crosses_line(fast, at, parser->at)) {
        return NULL;
    }
    json_store(step->target->builder, row, &cell);
    return parser->at;
}

static const char *skip_nested(struct json_fast *fast, const char *at)
{
    struct json_parser *parser = &fast->converter->parser;

    if (at >= fast->end ||
        !json_start_value(parser, (struct arus_text){at, (size_t)(fast->end - at)}) ||
        json_next(parser) == JSON_ERROR || !json_skip(parser) ||
        crosses_line(fast, at, parser->at)) {
        return NULL;
    }
    return parser->at;
}

const char *json_skip_value(struct json_fast *fast, const char *at)
{
    switch (*at) {
    case '"':
        return json_skip_string_rest(at + 1);
    case '{':
    case '[':
        return skip_nested(fast, at);
    case 't':
        return stands_at(fast, "true", 4, at) ? at + 4 : NULL;
    case 'f':
        return stands_at(fast, "false", 5, at) ? at + 5 : NULL;
    case 'n':
        return stands_at(fast, "null", 4, at) ? at + 4 : NULL;
    default:
        return json_number_end(at);
    }
}
