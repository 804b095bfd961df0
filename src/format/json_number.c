/** Numbers and infinities as tokens; their values are made by types/number_text.h. */
#include "format/json_token_internal.h"

static inline bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline int peek(const struct json_parser *parser)
{
    return parser->at < parser->end ? (unsigned char)*parser->at : -1;
}

/* Jackson has read the bad byte; of characters, only up to `mark`, behind the first `.` or `e`. */
static enum json_token fail_number(struct json_parser *parser, const char *mark,
                                   const char *problem)
{
    if (!parser->rules->reads_bytes) {
        parser->at = mark;
    } else if (parser->at < parser->end) {
        parser->at++;
    }
    (void)json_fail(parser, problem);
    return JSON_ERROR;
}

static uint32_t read_digits(struct json_parser *parser)
{
    const char *begin = parser->at;

    while (is_digit(peek(parser))) {
        parser->at++;
    }
    return (uint32_t)(parser->at - begin);
}

static enum json_token finish_number(struct json_parser *parser, enum json_token token,
                                     uint32_t digit_count)
{
    parser->number_end = parser->at;
    if (digit_count > parser->rules->number_size_max) {
        (void)json_fail(parser, "a number is longer than maxNumLen");
        return JSON_ERROR;
    }
    return token;
}

static enum json_token read_exponent(struct json_parser *parser, const char *mark,
                                     uint32_t digit_count)
{
    uint32_t count;

    parser->at++;
    if (peek(parser) == '-' || peek(parser) == '+') {
        parser->at++;
    }
    count = read_digits(parser);
    if (count == 0) {
        return fail_number(parser, mark, "an exponent has no digits");
    }
    return finish_number(parser, JSON_FLOAT, digit_count + count);
}

static enum json_token read_fraction(struct json_parser *parser, uint32_t digit_count)
{
    const char *mark = parser->at + 1;

    if (peek(parser) == '.') {
        uint32_t count;

        parser->at++;
        count = read_digits(parser);
        if (count == 0) {
            return fail_number(parser, mark, "a digit must follow the decimal point");
        }
        digit_count += count;
        if ((peek(parser) | 0x20) != 'e') {
            return finish_number(parser, JSON_FLOAT, digit_count);
        }
    }
    return read_exponent(parser, mark, digit_count);
}

/* `c` is its first digit and has been read. */
enum json_token json_read_number(struct json_parser *parser, int c)
{
    uint32_t digit_count;

    if (c == '0' && is_digit(peek(parser))) {
        if (!parser->rules->allows_leading_zeros) {
            (void)json_fail(parser, "a number has a leading zero");
            return JSON_ERROR;
        }
        while (parser->at + 1 < parser->end && *parser->at == '0' && is_digit(parser->at[1])) {
            parser->at++;
        }
        parser->at++;
    }
    digit_count = 1 + read_digits(parser);
    if (peek(parser) == '.' || (peek(parser) | 0x20) == 'e') {
        return read_fraction(parser, digit_count);
    }
    return finish_number(parser, JSON_INTEGER, digit_count);
}

enum json_token json_read_signed(struct json_parser *parser)
{
    int c;

    if (parser->at == parser->end) {
        (void)json_fail(parser, "the text ends in a number");
        return JSON_ERROR;
    }
    c = (unsigned char)*parser->at++;
    return is_digit(c) ? json_read_number(parser, c) : json_read_infinity(parser, c, true);
}

enum json_token json_read_infinity(struct json_parser *parser, int c, bool is_negative)
{
    if (c == 'I' && parser->at < parser->end) {
        c = (unsigned char)*parser->at++;
        if (c == 'N' || c == 'n') {
            const char *word = c == 'N' ? "INF" : "Infinity";

            if (!json_match(parser, word, 2)) {
                return JSON_ERROR;
            }
            if (!parser->rules->allows_non_numeric) {
                (void)json_fail(parser, "NaN and infinities are not allowed here");
                return JSON_ERROR;
            }
            return JSON_FLOAT;
        }
    }
    (void)json_fail(parser, is_negative ? "a digit must follow the minus sign"
                                        : "a number must not begin with a plus sign");
    return JSON_ERROR;
}
