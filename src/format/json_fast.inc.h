/**
 * Template: the row loop of the fast path.
 * In: FAST(name) decorates a name; FAST_TARGET: attributes of every function;
 * FAST_MATCHES(step, at): do the pattern's first 32 bytes stand at `at`?
 * FAST_STRING_END(at): the first quote, backslash, control character or byte beyond ASCII.
 */

#ifndef ARUS_FORMAT_JSON_FAST_INC_H
#define ARUS_FORMAT_JSON_FAST_INC_H

#include "format/json_digits_internal.h"

#define LIKELY(x)     __builtin_expect((x), 1)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define UNLIKELY(x)   __builtin_expect((x), 0)

static const uint64_t POWERS[] = {1u,      10u,      100u,      1000u,      10000u,
                                  100000u, 1000000u, 10000000u, 100000000u, 1000000000u};
static const double POWERS_DOUBLE[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

/* The value of the first `count` (1..8) digits. */
static inline uint64_t digits_value(uint64_t bytes, uint32_t count)
{
    bytes <<= 64 - 8 * count;
    bytes = (bytes & 0x0F0F0F0F0F0F0F0Fu) * 2561 >> 8;
    bytes = (bytes & 0x00FF00FF00FF00FFu) * 6553601 >> 16;
    return (bytes & 0x0000FFFF0000FFFFu) * 42949672960001u >> 32;
}

static inline struct arus_view view_of(const char *data, size_t size)
{
    struct arus_view view = {.size = (uint32_t)size, .data = data};
    uint32_t prefix;

    memcpy(&prefix, data, sizeof prefix);
    prefix &= size >= 4 ? UINT32_MAX : (1u << (8 * size)) - 1;
    memcpy(view.prefix, &prefix, sizeof prefix);
    return view;
}

#endif

/* json_walk.inc.h */
FAST_TARGET static const char *FAST(walk)(struct json_fast *fast, const struct json_node *node,
                                          struct arus_builder *builder, const char *at);

FAST_TARGET ALWAYS_INLINE bool FAST(matches)(const struct json_fast *fast,
                                             const struct json_step *step, const char *at)
{
    return LIKELY(FAST_MATCHES(step, at)) &&
           (LIKELY(step->size <= JSON_PATTERN_SIZE) ||
            ((size_t)(fast->end - at) >= step->size &&
             memcmp(step->text + JSON_PATTERN_SIZE, at + JSON_PATTERN_SIZE,
                    step->size - JSON_PATTERN_SIZE) == 0));
}

FAST_TARGET ALWAYS_INLINE const char *
FAST(string)(struct json_fast *fast, const struct json_step *step, const char *at, uint32_t row)
{
    struct arus_view *out = (struct arus_view *)step->target->values + row;
    const char *end = FAST_STRING_END(at);

    if (LIKELY(*end == '"')) {
        *out = view_of(at, (size_t)(end - at));
        return end + 1;
    }
    end = json_string_rest(fast, at, end, out);
    return end == NULL ? NULL : end + 1;
}

FAST_TARGET ALWAYS_INLINE const char *FAST(skip_string)(const char *at)
{
    const char *end = FAST_STRING_END(at);

    return LIKELY(*end == '"') ? end + 1 : json_skip_string_rest(end);
}

/* An integer token; any that needs more than 15 digits goes the long way. */
FAST_TARGET ALWAYS_INLINE const char *FAST(integer)(const char *at, int64_t *out)
{
    const bool is_negative = *at == '-';
    const char *first = at + is_negative;
    const uint64_t bytes = load_8(first);
    uint32_t count = digit_count(bytes);
    uint64_t value;

    if (UNLIKELY(count == 0 || (*first == '0' && count > 1))) {
        return NULL;
    }
    value = digits_value(bytes, count);
    if (count == 8) {
        const uint64_t more = load_8(first + 8);
        const uint32_t more_count = digit_count(more);

        if (UNLIKELY(more_count == 8)) {
            return json_long_integer(at, out);
        }
        if (more_count != 0) {
            value = value * POWERS[more_count] + digits_value(more, more_count);
            count += more_count;
        }
    }
    *out = is_negative ? -(int64_t)value : (int64_t)value;
    return first + count;
}

/* As FAST(digits), for numbers of up to 7 digits before the point and 8 behind it. */
FAST_TARGET static bool FAST(long_digits)(const char **at, int64_t *digits,
                                          uint32_t *fraction_count)
{
    const bool is_negative = **at == '-';
    const char *first = *at + is_negative;
    const uint64_t bytes = load_8(first);
    const uint32_t count = digit_count(bytes);
    const uint64_t more = load_8(first + count + 1);
    const uint32_t more_count = digit_count(more);
    uint64_t value;

    if (count - 1u > 6u || more_count == 0 || (*first == '0' && count > 1) || first[count] != '.') {
        return false;
    }
    value = digits_value(bytes, count) * POWERS[more_count] + digits_value(more, more_count);
    *at = first + count + 1 + more_count;
    *digits = is_negative ? -(int64_t)value : (int64_t)value;
    *fraction_count = more_count;
    return (**at | 0x20) != 'e' && (unsigned char)(**at - '0') > 9;
}

/* Digits of a number without exponent: eight bytes that hold its end, at most one point among
 * them. False: the long way. */
FAST_TARGET ALWAYS_INLINE bool FAST(digits)(const char **at, int64_t *digits,
                                            uint32_t *fraction_count)
{
    const bool is_negative = **at == '-';
    const char *first = *at + is_negative;
    uint64_t bytes = load_8(first);
    const uint64_t others = other_bytes(bytes);
    uint32_t count = (uint32_t)__builtin_ctzll(others | (uint64_t)1 << 63) / 8;
    uint64_t value;

    if (UNLIKELY(others == 0 || count == 0 || (*first == '0' && count > 1))) {
        return false;
    }
    *fraction_count = 0;
    if (first[count] == '.') {
        const uint64_t rest = others & (others - 1);
        const uint32_t end = (uint32_t)__builtin_ctzll(rest | (uint64_t)1 << 63) / 8;
        const uint64_t whole = ((uint64_t)1 << (8 * count)) - 1;

        if (UNLIKELY(rest == 0 || end == count + 1)) {
            return FAST(long_digits)(at, digits, fraction_count);
        }
        *fraction_count = end - count - 1;
        bytes = (bytes & whole) | ((bytes >> 8) & ~whole); /* without the point */
        count = end - 1;
        first++;
    }
    value = digits_value(bytes, count);
    first += count;
    *at = first;
    *digits = is_negative ? -(int64_t)value : (int64_t)value;
    return (*first | 0x20) != 'e';
}

FAST_TARGET ALWAYS_INLINE const char *FAST(double_value)(const char *at, double *out)
{
    const char *end = at;
    int64_t digits;
    uint32_t fraction_count;

    if (UNLIKELY(!FAST(digits)(&end, &digits, &fraction_count) || (digits == 0 && *at == '-'))) {
        return json_any_double(at, out);
    }
    *out = (double)digits / POWERS_DOUBLE[fraction_count];
    return end;
}

FAST_TARGET ALWAYS_INLINE const char *FAST(decimal)(const struct json_step *step, const char *at,
                                                    uint32_t row)
{
    const struct arus_type *type = step->target->node->type;
    const char *end = at;
    int64_t digits;
    uint32_t fraction_count;

    if (UNLIKELY(!FAST(digits)(&end, &digits, &fraction_count) || fraction_count > type->scale ||
                 type->scale - fraction_count > 4)) {
        return json_any_decimal(step, at, row);
    }
    digits *= (int64_t)POWERS[type->scale - fraction_count];
    if (digits >= step->cached || digits <= -step->cached) {
        return NULL;
    }
    ((int64_t *)step->target->values)[row] = digits;
    return end;
}

/* Without a branch on the value: which one comes is hard to predict. */
FAST_TARGET ALWAYS_INLINE const char *FAST(boolean)(const char *at, uint8_t *out)
{
    const uint64_t word = load_8(at);
    const bool is_true = (word & 0xFFFFFFFFu) == 0x65757274u;      /* true */
    const bool is_false = (word & 0xFFFFFFFFFFu) == 0x65736C6166u; /* false */

    *out = is_true;
    return LIKELY(is_true | is_false) ? at + 4 + is_false : NULL;
}

/* `yyyy-MM-ddTHH:mm:ss[.f{1,6}][Z]`; other forms go the general way. */
FAST_TARGET ALWAYS_INLINE const char *
FAST(timestamp)(struct json_fast *fast, struct json_step *step, const char *at, uint32_t row)
{
    const uint64_t first = load_8(at);
    const uint64_t second = load_8(at + 8);
    const uint32_t tens = (uint32_t)(unsigned char)at[17] - '0';
    const uint32_t ones = (uint32_t)(unsigned char)at[18] - '0';
    const char *end = at + 19;
    int64_t micros;

    if (UNLIKELY(first != step->cached_text[0] || second != step->cached_text[1])) {
        if (!json_parse_minute(at, &step->cached)) {
            step->cached_text[0] = 0;
            return json_text_value(fast, step, at, row);
        }
        step->cached_text[0] = first;
        step->cached_text[1] = second;
    }
    if (UNLIKELY(at[16] != ':' || tens > 5 || ones > 9)) {
        return json_text_value(fast, step, at, row);
    }
    micros = step->cached + (int64_t)(tens * 10 + ones) * 1000000;
    if (*end == '.') {
        const uint64_t bytes = load_8(end + 1);
        const uint32_t count = digit_count(bytes);

        if (UNLIKELY(count - 1u > 5u)) {
            return json_text_value(fast, step, at, row);
        }
        micros += (int64_t)(digits_value(bytes, count) * POWERS[6 - count]);
        end += 1 + count;
    }
    if (LIKELY(end[0] == 'Z' && end[1] == '"' && step->is_instant)) {
        end++;
    } else if (*end != '"') {
        return json_text_value(fast, step, at, row);
    } else if (step->is_instant && !fast->is_utc) {
        micros = arus_zone_to_utc(fast->converter->times.zone, micros);
    }
    ((int64_t *)step->target->values)[row] = micros;
    return end + 1;
}

FAST_TARGET ALWAYS_INLINE const char *FAST(date)(struct json_fast *fast, struct json_step *step,
                                                 const char *at, uint32_t row)
{
    const uint64_t first = load_8(at);
    const uint64_t second = load_8(at + 2);

    if (UNLIKELY(at[10] != '"')) {
        return json_text_value(fast, step, at, row);
    }
    if (UNLIKELY(first != step->cached_text[0] || second != step->cached_text[1])) {
        if (!json_parse_day(at, &step->cached)) {
            step->cached_text[0] = 0;
            return json_text_value(fast, step, at, row);
        }
        step->cached_text[0] = first;
        step->cached_text[1] = second;
    }
    ((int32_t *)step->target->values)[row] = (int32_t)step->cached;
    return at + 11;
}

/* Integers narrower than 64 bits. */
FAST_TARGET ALWAYS_INLINE const char *FAST(narrow)(const struct json_step *step, const char *at,
                                                   uint32_t row)
{
    int64_t value;
    const char *end = FAST(integer)(at, &value);

    if (end == NULL) {
        return NULL;
    }
    if (step->op == JSON_OP_INT) {
        ((int32_t *)step->target->values)[row] = (int32_t)value;
        return value == (int32_t)value ? end : NULL;
    }
    if (step->op == JSON_OP_SMALLINT) {
        ((int16_t *)step->target->values)[row] = (int16_t)value;
        return value == (int16_t)value ? end : NULL;
    }
    ((int8_t *)step->target->values)[row] = (int8_t)value; /* 128..255 wrap, as in Jackson */
    return value >= INT8_MIN && value <= UINT8_MAX ? end : NULL;
}

/* Integers and booleans without a branch on what they are like, all else the long way. */
FAST_TARGET ALWAYS_INLINE const char *FAST(skip_any)(struct json_fast *fast, const char *at)
{
    uint8_t is_true;
    int64_t value;
    const char *end = FAST(boolean)(at, &is_true);

    if (end != NULL) {
        return end;
    }
    end = FAST(integer)(at, &value);
    return LIKELY(end != NULL && (*end == ',' || *end == '}')) ? end : json_skip_value(fast, at);
}

FAST_TARGET ALWAYS_INLINE const char *FAST(value)(struct json_fast *fast, struct json_step *step,
                                                  const char *at, uint32_t row)
{
    switch (step->op) {
    case JSON_OP_END:
        return at;
    case JSON_OP_SKIP_STRING:
        return FAST(skip_string)(at);
    case JSON_OP_SKIP_ANY:
        return FAST(skip_any)(fast, at);
    case JSON_OP_STRING:
        return FAST(string)(fast, step, at, row);
    case JSON_OP_TINYINT:
    case JSON_OP_SMALLINT:
    case JSON_OP_INT:
        return FAST(narrow)(step, at, row);
    case JSON_OP_BIGINT:
        return FAST(integer)(at, (int64_t *)step->target->values + row);
    case JSON_OP_FLOAT:
        return json_any_float(at, (float *)step->target->values + row);
    case JSON_OP_DOUBLE:
        return FAST(double_value)(at, (double *)step->target->values + row);
    case JSON_OP_DECIMAL:
        return FAST(decimal)(step, at, row);
    case JSON_OP_BOOLEAN:
        return FAST(boolean)(at, (uint8_t *)step->target->values + row);
    case JSON_OP_TIMESTAMP:
        return FAST(timestamp)(fast, step, at, row);
    case JSON_OP_DATE:
        return FAST(date)(fast, step, at, row);
    case JSON_OP_TEXT:
        return json_text_value(fast, step, at, row);
    case JSON_OP_VALUE:
        return step->target->is_nested
                   ? FAST(walk)(fast, step->target->node, step->target->builder, at)
                   : json_token_value(fast, step, at, row);
    }
    return NULL;
}

/* Behind the closing brace: the start of the next record, NULL: something else follows. */
FAST_TARGET ALWAYS_INLINE const char *FAST(line_end)(const struct json_fast *fast, const char *at)
{
    if (UNLIKELY(fast->is_record)) {
        return at == fast->end ? at : NULL;
    }
    if (LIKELY(*at == '\n')) {
        return at + 1;
    }
    return at[0] == '\r' && at[1] == '\n' ? at + 2 : NULL;
}

FAST_TARGET static inline const char *FAST(row)(struct json_fast *fast, const char *at,
                                                uint32_t row)
{
    const struct json_program *program = fast->program;
    struct json_step *step = program->steps;

    for (;;) {
        if (LIKELY(FAST(matches)(fast, step, at))) {
            at += step->size;
            if (step->op == JSON_OP_END) {
                break;
            }
            at = FAST(value)(fast, step, at, row);
            step++;
        } else {
            at = json_resync(fast, &step, at, row);
        }
        if (UNLIKELY(at == NULL)) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < program->absent_count; i++) {
        json_set_null(fast, program->absent[i], row);
    }
    return FAST(line_end)(fast, at);
}

FAST_TARGET const char *FAST(json_rows)(struct json_fast *fast, const char *at, uint32_t *row_out,
                                        uint32_t row_max)
{
    uint32_t row = *row_out;

    while (row < row_max && at < fast->end) {
        const char *next = FAST(row)(fast, at, row);

        if (UNLIKELY(next == NULL || fast->status != ARUS_OK)) {
            json_undo_row(fast, row);
            break;
        }
        at = next;
        row++;
    }
    *row_out = row;
    return at;
}
