/** Constants: numbers, strings, typed literals, intervals. */
#include "sql/parser_internal.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>

#define NUMBER_SIZE_MAX                                                                            \
    400 /* longer ones are cut for the conversion to double: no double needs more */
#define DIGITS_MAX 38

static bool is_number(const struct arus_token *token)
{
    return token->kind >= ARUS_TOKEN_INTEGER && token->kind <= ARUS_TOKEN_BIGDECIMAL;
}

bool arus_parser_at_negative_number(const struct arus_parser *p)
{
    return parser_is(p, ARUS_TOKEN_MINUS) && is_number(parser_peek(p, 1));
}

static enum arus_status make(struct arus_parser *p, uint32_t begin,
                             const struct arus_ast_literal *literal,
                             const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_expr_make(p, ARUS_AST_LITERAL, begin, (struct arus_list){0}, &expr, err));
    expr->literal = *literal;
    *out = expr;
    return ARUS_OK;
}

/* ---- numbers ---- */

static size_t suffix_size(enum arus_token_kind kind)
{
    return kind == ARUS_TOKEN_BIGDECIMAL ? 2 : kind >= ARUS_TOKEN_TINYINT;
}

/* Fills text with the sign and the number without its suffix. */
static enum arus_status number_text(struct arus_parser *p, const struct arus_token *token,
                                    bool is_negative, struct arus_text *out, struct arus_error *err)
{
    const int size = (int)(token->size - suffix_size(token->kind));

    return arus_text_format(p->arena, out, err, "%s%.*s", is_negative ? "-" : "", size,
                            p->sql.data + token->begin);
}

static enum arus_status fail_range(struct arus_place place, struct arus_text text, const char *type,
                                   struct arus_error *err)
{
    return arus_fail_at(err, place, "INVALID_NUMERIC_LITERAL_RANGE",
                        "the number %.*s is out of the range of %s",
                        (int)(text.size > 60 ? 60 : text.size), text.data, type);
}

static enum arus_status read_bounded(struct arus_ast_literal *literal, struct arus_place place,
                                     int64_t maximum, const char *type, struct arus_error *err)
{
    errno = 0;
    literal->integer = strtoll(literal->text.data, NULL, 10);
    if (errno == ERANGE || literal->integer > maximum || literal->integer < -maximum - 1) {
        return fail_range(place, literal->text, type, err);
    }
    return ARUS_OK;
}

/* Spark compares the exact decimal with the largest value of the type; long double is exact enough.
 */
static enum arus_status read_floating(struct arus_ast_literal *literal, struct arus_place place,
                                      struct arus_error *err)
{
    const bool is_float = literal->kind == ARUS_AST_FLOAT;
    const long double exact = strtold(literal->text.data, NULL);
    const long double limit = is_float ? (long double)FLT_MAX : (long double)DBL_MAX;

    if (exact > limit || exact < -limit) {
        return fail_range(place, literal->text, is_float ? "FLOAT" : "DOUBLE", err);
    }
    literal->number =
        is_float ? (double)strtof(literal->text.data, NULL) : strtod(literal->text.data, NULL);
    return ARUS_OK;
}

/* Precision and scale as BigDecimal counts them: no leading zeros, the exponent moves the point. */
static enum arus_status read_decimal(struct arus_ast_literal *literal, struct arus_place place,
                                     struct arus_error *err)
{
    const char *c = literal->text.data + (literal->text.data[0] == '-');
    long precision = 0;
    long scale = 0;
    bool is_fraction = false;

    for (; *c != '\0' && (*c | 0x20) != 'e'; c++) {
        if (*c == '.') {
            is_fraction = true;
            continue;
        }
        precision += precision > 0 || *c != '0';
        scale += is_fraction;
    }
    if (*c != '\0') {
        long exponent = strtol(c + 1, NULL, 10);

        exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;
        scale -= exponent;
    }
    if (scale < 0) { /* 1e3BD is 1000 */
        precision -= precision > 0 ? scale : 0;
        scale = 0;
    }
    precision = precision < 1 ? 1 : precision;
    precision = precision < scale ? scale : precision;
    if (precision > DIGITS_MAX) {
        return arus_fail_at(err, place, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                            "a DECIMAL has at most 38 digits, this number needs %ld", precision);
    }
    literal->precision = (uint8_t)precision;
    literal->scale = (uint8_t)scale;
    return ARUS_OK;
}

/* INT, else BIGINT, else DECIMAL(n,0). */
static enum arus_status read_plain_integer(struct arus_ast_literal *literal,
                                           struct arus_place place, struct arus_error *err)
{
    errno = 0;
    literal->integer = strtoll(literal->text.data, NULL, 10);
    if (errno == ERANGE) {
        literal->kind = ARUS_AST_DECIMAL;
        literal->integer = 0;
        return read_decimal(literal, place, err);
    }
    literal->kind = literal->integer >= INT32_MIN && literal->integer <= INT32_MAX
                        ? ARUS_AST_INT
                        : ARUS_AST_BIGINT;
    return ARUS_OK;
}

static enum arus_status read_number(enum arus_token_kind kind, struct arus_ast_literal *literal,
                                    struct arus_place place, struct arus_error *err)
{
    if (kind == ARUS_TOKEN_INTEGER) {
        return read_plain_integer(literal, place, err);
    }
    if (kind == ARUS_TOKEN_TINYINT) {
        literal->kind = ARUS_AST_TINYINT;
        return read_bounded(literal, place, INT8_MAX, "TINYINT", err);
    }
    if (kind == ARUS_TOKEN_SMALLINT) {
        literal->kind = ARUS_AST_SMALLINT;
        return read_bounded(literal, place, INT16_MAX, "SMALLINT", err);
    }
    if (kind == ARUS_TOKEN_BIGINT) {
        literal->kind = ARUS_AST_BIGINT;
        return read_bounded(literal, place, INT64_MAX, "BIGINT", err);
    }
    if (kind == ARUS_TOKEN_DECIMAL || kind == ARUS_TOKEN_BIGDECIMAL) {
        literal->kind = ARUS_AST_DECIMAL;
        return read_decimal(literal, place, err);
    }
    literal->kind = kind == ARUS_TOKEN_FLOAT ? ARUS_AST_FLOAT : ARUS_AST_DOUBLE;
    return read_floating(literal, place, err);
}

static enum arus_status parse_number(struct arus_parser *p, const struct arus_ast_expr **out,
                                     struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const bool is_negative = parser_take(p, ARUS_TOKEN_MINUS);
    const struct arus_token *token = parser_token(p);
    struct arus_ast_literal literal = {0};

    p->at++;
    ARUS_TRY(number_text(p, token, is_negative, &literal.text, err));
    ARUS_TRY(read_number(token->kind, &literal, arus_parser_place(p, begin), err));
    return make(p, begin, &literal, out, err);
}

/* ---- strings and typed literals ---- */

static enum arus_status join_strings(struct arus_parser *p, const struct arus_list *parts,
                                     struct arus_text *out, struct arus_error *err)
{
    const struct arus_text *items = parts->items;
    size_t size = 0;
    size_t at = 0;
    void *memory;

    for (uint32_t i = 0; i < parts->count; i++) {
        size += items[i].size;
    }
    ARUS_TRY(arus_arena_alloc(p->arena, size + 1, &memory, err));
    for (uint32_t i = 0; i < parts->count; i++) {
        memcpy((char *)memory + at, items[i].data, items[i].size);
        at += items[i].size;
    }
    *out = (struct arus_text){memory, size};
    return ARUS_OK;
}

/* Adjacent strings are one. */
static enum arus_status parse_strings(struct arus_parser *p, const struct arus_ast_expr **out,
                                      struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_literal literal = {.kind = ARUS_AST_STRING};
    struct arus_list parts = {0};

    while (parser_is(p, ARUS_TOKEN_STRING)) {
        struct arus_ast_string part;

        ARUS_TRY(arus_parse_string(p, "a string", &part, err));
        ARUS_TRY(ARUS_PUSH(p, &parts, part.text, err));
    }
    ARUS_TRY(join_strings(p, &parts, &literal.text, err));
    return make(p, begin, &literal, out, err);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* X'1F'; an odd count gets a leading zero. */
static enum arus_status read_binary(struct arus_parser *p, struct arus_text digits,
                                    struct arus_place place, struct arus_text *out,
                                    struct arus_error *err)
{
    const size_t size = (digits.size + 1) / 2;
    unsigned char *bytes;
    void *memory;

    ARUS_TRY(arus_arena_alloc(p->arena, size + 1, &memory, err));
    bytes = memory;
    for (size_t i = 0; i < digits.size; i++) {
        const size_t nibble = i + digits.size % 2;
        const int digit = hex_digit(digits.data[i]);

        if (digit < 0) {
            return arus_fail_at(err, place, "INVALID_TYPED_LITERAL",
                                "a binary value has hexadecimal digits only");
        }
        bytes[nibble / 2] = (unsigned char)(bytes[nibble / 2] << 4 | digit);
    }
    *out = (struct arus_text){memory, size};
    return ARUS_OK;
}

static enum arus_status literal_kind_of(enum arus_word word, enum arus_ast_literal_kind *out)
{
    static const struct {
        enum arus_word word;
        enum arus_ast_literal_kind kind;
    } KINDS[] = {
        {ARUS_WORD_X, ARUS_AST_BINARY_VALUE},
        {ARUS_WORD_DATE, ARUS_AST_DATE},
        {ARUS_WORD_TIME, ARUS_AST_TIME},
        {ARUS_WORD_TIMESTAMP, ARUS_AST_TIMESTAMP},
        {ARUS_WORD_TIMESTAMP_NTZ, ARUS_AST_TIMESTAMP_NTZ},
        {ARUS_WORD_TIMESTAMP_LTZ, ARUS_AST_TIMESTAMP_LTZ},
    };

    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (KINDS[i].word == word) {
            *out = KINDS[i].kind;
            return ARUS_OK;
        }
    }
    return ARUS_BAD_CONFIG;
}

/* DATE '2020-01-01' and its kin: any word before a string. */
static enum arus_status parse_typed(struct arus_parser *p, const struct arus_ast_expr **out,
                                    struct arus_error *err)
{
    const struct arus_token *type = parser_token(p);
    struct arus_ast_literal literal = {0};
    struct arus_ast_string string;
    struct arus_place place;

    p->at++;
    ARUS_TRY(arus_parse_string(p, "a string", &string, err));
    place = arus_parser_place(p, type->begin);
    if (literal_kind_of(type->word, &literal.kind) != ARUS_OK) {
        return arus_fail_at(err, token_place(type), "UNSUPPORTED_TYPED_LITERAL",
                            "there are no `%.*s '..'` literals",
                            ARUS_TEXT_ARGS(parser_text(p, type)));
    }
    literal.text = string.text;
    if (literal.kind == ARUS_AST_BINARY_VALUE) {
        ARUS_TRY(read_binary(p, string.text, place, &literal.text, err));
    }
    return make(p, type->begin, &literal, out, err);
}

/* ---- intervals ---- */

static const struct {
    enum arus_word singular;
    enum arus_word plural;
    enum arus_ast_unit unit;
} UNITS[] = {
    {ARUS_WORD_YEAR, ARUS_WORD_YEARS, ARUS_AST_YEAR},
    {ARUS_WORD_MONTH, ARUS_WORD_MONTHS, ARUS_AST_MONTH},
    {ARUS_WORD_WEEK, ARUS_WORD_WEEKS, ARUS_AST_WEEK},
    {ARUS_WORD_DAY, ARUS_WORD_DAYS, ARUS_AST_DAY},
    {ARUS_WORD_HOUR, ARUS_WORD_HOURS, ARUS_AST_HOUR},
    {ARUS_WORD_MINUTE, ARUS_WORD_MINUTES, ARUS_AST_MINUTE},
    {ARUS_WORD_SECOND, ARUS_WORD_SECONDS, ARUS_AST_SECOND},
    {ARUS_WORD_MILLISECOND, ARUS_WORD_MILLISECONDS, ARUS_AST_MILLISECOND},
    {ARUS_WORD_MICROSECOND, ARUS_WORD_MICROSECONDS, ARUS_AST_MICROSECOND},
};

static bool find_unit(const struct arus_token *token, enum arus_ast_unit *out)
{
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if (token_is_word(token, UNITS[i].singular) || token_is_word(token, UNITS[i].plural)) {
            *out = UNITS[i].unit;
            return true;
        }
    }
    return false;
}

static bool is_nanosecond(const struct arus_token *token)
{
    return token_is_word(token, ARUS_WORD_NANOSECOND) ||
           token_is_word(token, ARUS_WORD_NANOSECONDS);
}

static bool is_interval_value(const struct arus_token *token)
{
    return token->kind == ARUS_TOKEN_INTEGER || token->kind == ARUS_TOKEN_DECIMAL ||
           token->kind == ARUS_TOKEN_STRING;
}

/* [+-] value unit at `ahead`; the unit may be missing behind an unsigned value (`must_have_unit`
 * false). */
static bool is_part(const struct arus_parser *p, uint32_t ahead, bool must_have_unit)
{
    const struct arus_token *token = parser_peek(p, ahead);
    const bool has_sign = token->kind == ARUS_TOKEN_MINUS || token->kind == ARUS_TOKEN_PLUS;
    const struct arus_token *value = parser_peek(p, ahead + has_sign);
    const struct arus_token *unit = parser_peek(p, ahead + has_sign + 1);
    enum arus_ast_unit ignored;

    return is_interval_value(value) &&
           ((!has_sign && !must_have_unit) || find_unit(unit, &ignored) || is_nanosecond(unit));
}

bool arus_parser_at_interval(const struct arus_parser *p)
{
    return parser_is_word(p, ARUS_WORD_INTERVAL) && is_part(p, 1, false);
}

static enum arus_status parse_part(struct arus_parser *p, struct arus_ast_interval_part *out,
                                   struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const struct arus_token *value;
    struct arus_ast_string string;

    *out = (struct arus_ast_interval_part){.is_negative = parser_take(p, ARUS_TOKEN_MINUS)};
    (void)parser_take(p, ARUS_TOKEN_PLUS);
    value = parser_token(p);
    out->is_quoted = value->kind == ARUS_TOKEN_STRING;
    if (out->is_quoted) {
        ARUS_TRY(arus_parse_string(p, "a number", &string, err));
        out->value = string.text;
    } else {
        p->at++;
        out->value = parser_text(p, value);
    }
    out->place = arus_parser_place(p, begin);
    if (is_nanosecond(parser_token(p))) {
        return arus_fail_at(err, token_place(parser_token(p)),
                            "INVALID_INTERVAL_FORMAT.INVALID_UNIT",
                            "an interval counts no nanoseconds");
    }
    return ARUS_OK;
}

/* Takes the unit of the newest part; sets the form if the interval ends with it. */
static enum arus_status parse_unit(struct arus_parser *p, struct arus_ast_interval *interval,
                                   struct arus_ast_interval_part *part, struct arus_error *err)
{
    const bool is_first = interval->part_count == 0;

    if (!find_unit(parser_token(p), &part->unit)) {
        if (!part->is_quoted || part->is_negative || !is_first) {
            return arus_parser_fail(p, "a unit (DAY, HOUR, MINUTE, ..)", err);
        }
        interval->form = ARUS_AST_INTERVAL_TEXT;
        return ARUS_OK;
    }
    p->at++;
    if (is_first && parser_is_word(p, ARUS_WORD_TO) &&
        find_unit(parser_peek(p, 1), &interval->to)) {
        p->at += 2;
        interval->form = ARUS_AST_INTERVAL_RANGE;
    }
    return ARUS_OK;
}

static enum arus_status parse_interval_parts(struct arus_parser *p,
                                             struct arus_ast_interval *interval,
                                             struct arus_error *err)
{
    struct arus_list parts = {0};

    do {
        struct arus_ast_interval_part part;

        ARUS_TRY(parse_part(p, &part, err));
        ARUS_TRY(parse_unit(p, interval, &part, err));
        ARUS_TRY(ARUS_PUSH(p, &parts, part, err));
        interval->parts = parts.items;
        interval->part_count = parts.count;
    } while (interval->form == ARUS_AST_INTERVAL_UNITS && is_part(p, 0, true));
    return ARUS_OK;
}

enum arus_status arus_parse_interval(struct arus_parser *p, const struct arus_ast_expr **out,
                                     struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_interval interval = {0};
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_INTERVAL, err));
    if (!is_part(p, 0, false)) {
        return arus_parser_fail(p, "a number and a unit (10 MINUTES)", err);
    }
    ARUS_TRY(parse_interval_parts(p, &interval, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_INTERVAL, begin, (struct arus_list){0}, &expr, err));
    expr->interval = interval;
    *out = expr;
    return ARUS_OK;
}

/* ---- all ---- */

static bool is_constant_word(const struct arus_token *token)
{
    return token_is_word(token, ARUS_WORD_NULL) || token_is_word(token, ARUS_WORD_TRUE) ||
           token_is_word(token, ARUS_WORD_FALSE);
}

static enum arus_status parse_constant_word(struct arus_parser *p, const struct arus_ast_expr **out,
                                            struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const struct arus_ast_literal literal = {
        .kind = token->word == ARUS_WORD_NULL ? ARUS_AST_NULL : ARUS_AST_BOOLEAN,
        .integer = token->word == ARUS_WORD_TRUE,
        .text = parser_text(p, token),
    };

    p->at++;
    return make(p, token->begin, &literal, out, err);
}

enum arus_status arus_parse_literal(struct arus_parser *p, const struct arus_ast_expr **out,
                                    struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    *out = NULL;
    if (is_number(token) || arus_parser_at_negative_number(p)) {
        return parse_number(p, out, err);
    }
    if (token->kind == ARUS_TOKEN_STRING) {
        return parse_strings(p, out, err);
    }
    if (arus_parser_at_interval(p)) {
        return arus_parse_interval(p, out, err);
    }
    if (token->kind == ARUS_TOKEN_WORD && parser_peek(p, 1)->kind == ARUS_TOKEN_STRING) {
        return parse_typed(p, out, err);
    }
    if (is_constant_word(token) && parser_peek(p, 1)->kind != ARUS_TOKEN_OPEN) {
        return parse_constant_word(p, out, err);
    }
    return ARUS_OK;
}
