/** SQL number formats: tokens and the rules on their order. */
#include "types/number_format.h"

enum token_kind { OPEN, SIGN, MINUS, DOLLAR, DIGITS, POINT, CLOSE, UNKNOWN };

struct token {
    enum token_kind kind;
    char c;             /* UNKNOWN: the character */
    uint32_t run_begin; /* DIGITS */
    uint32_t run_count;
    bool has_separator; /* DIGITS: a comma somewhere */
    bool is_torn;       /* a comma without digits at one side */
};

struct tokens {
    struct arus_text text;
    struct token *items; /* [count] */
    uint32_t count;
    struct arus_number_run *runs;
    uint32_t run_count;
    bool has_brackets;
};

static char upper_at(struct arus_text text, size_t at)
{
    const char c = at < text.size ? text.data[at] : '\0';

    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

static bool is_digit(char c)
{
    return c == '0' || c == '9';
}

static bool is_separator(char c)
{
    return c == ',' || c == 'G';
}

static size_t read_digits(struct tokens *tokens, size_t at)
{
    struct token *token = &tokens->items[tokens->count++];
    bool needs_digits = true; /* at the begin and behind a comma */

    *token = (struct token){.kind = DIGITS, .run_begin = tokens->run_count};
    for (;;) {
        const char c = upper_at(tokens->text, at);

        if (is_separator(c)) {
            token->has_separator = true;
            token->is_torn |= needs_digits;
            needs_digits = true;
            at++;
        } else if (is_digit(c)) {
            const size_t begin = at;

            while (is_digit(upper_at(tokens->text, at))) {
                at++;
            }
            tokens->runs[tokens->run_count++] =
                (struct arus_number_run){(uint32_t)(at - begin), c == '0'};
            needs_digits = false;
        } else {
            break;
        }
    }
    token->is_torn |= needs_digits;
    token->run_count = tokens->run_count - token->run_begin;
    return at;
}

static size_t read_token(struct tokens *tokens, size_t at)
{
    const char c = upper_at(tokens->text, at);
    const char next = upper_at(tokens->text, at + 1);
    struct token token = {.kind = UNKNOWN, .c = c};
    size_t size = 1;

    if (is_digit(c) || is_separator(c)) {
        return read_digits(tokens, at);
    }
    if (c == '.' || c == 'D') {
        token.kind = POINT;
    } else if (c == '$') {
        token.kind = DOLLAR;
    } else if (c == 'S') {
        token.kind = SIGN;
    } else if (c == 'M' && next == 'I') {
        token.kind = MINUS;
        size = 2;
    } else if (c == 'P' && next == 'R') {
        token.kind = CLOSE;
        tokens->has_brackets = true;
        size = 2;
    }
    tokens->items[tokens->count++] = token;
    return at + size;
}

static enum arus_status fail_format(const struct tokens *tokens, const char *condition,
                                    const char *why, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_CONFIG, condition, "the number format '%.*s' is wrong: %s",
                     ARUS_TEXT_ARGS(tokens->text), why);
}

static uint32_t first_of(const struct tokens *tokens, enum token_kind kind)
{
    uint32_t i = 0;

    while (i < tokens->count && tokens->items[i].kind != kind) {
        i++;
    }
    return i;
}

static enum arus_status check_digits(const struct tokens *tokens, struct arus_error *err)
{
    const uint32_t dollar = first_of(tokens, DOLLAR);
    const uint32_t point = first_of(tokens, POINT);

    if (first_of(tokens, DIGITS) == tokens->count) {
        return fail_format(tokens, "INVALID_FORMAT.WRONG_NUM_DIGIT", "it has no digit 0 or 9", err);
    }
    if (dollar < tokens->count && dollar > first_of(tokens, DIGITS)) {
        return fail_format(tokens, "INVALID_FORMAT.CUR_MUST_BEFORE_DIGIT",
                           "$ must stand before the digits", err);
    }
    if (dollar < tokens->count && dollar > point) {
        return fail_format(tokens, "INVALID_FORMAT.CUR_MUST_BEFORE_DEC",
                           "$ must stand before the point", err);
    }
    for (uint32_t i = point; i < tokens->count; i++) {
        if (tokens->items[i].kind == DIGITS && tokens->items[i].has_separator) {
            return fail_format(tokens, "INVALID_FORMAT.THOUSANDS_SEPS_MUST_BEFORE_DEC",
                               "a , or G must not stand behind the point", err);
        }
    }
    for (uint32_t i = 0; i < tokens->count; i++) {
        if (tokens->items[i].kind == DIGITS && tokens->items[i].is_torn) {
            return fail_format(tokens, "INVALID_FORMAT.CONT_THOUSANDS_SEPS",
                               "a , or G must have digits at both sides", err);
        }
    }
    return ARUS_OK;
}

static enum arus_status check_counts(const struct tokens *tokens, struct arus_error *err)
{
    static const struct {
        enum token_kind kind;
        const char *why;
    } ONCE[] = {
        {POINT, "more than one . or D"}, {SIGN, "more than one S"},   {MINUS, "more than one MI"},
        {DOLLAR, "more than one $"},     {CLOSE, "more than one PR"},
    };

    for (size_t k = 0; k < sizeof ONCE / sizeof *ONCE; k++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < tokens->count; i++) {
            count += tokens->items[i].kind == ONCE[k].kind;
        }
        if (count > 1) {
            return fail_format(tokens, "INVALID_FORMAT.WRONG_NUM_TOKEN", ONCE[k].why, err);
        }
    }
    return ARUS_OK;
}

/* Fills `out` on the way through the only order that is allowed. */
static enum arus_status take_tokens(const struct tokens *tokens, struct arus_number_format *out,
                                    struct arus_error *err)
{
    const struct token *token = tokens->items;
    const struct token *const end = token + tokens->count;

    if (token < end && (token->kind == SIGN || token->kind == MINUS)) {
        out->sign_before = token++->kind == SIGN ? 'S' : 'M';
    }
    if (token < end && token->kind == DOLLAR) {
        out->has_dollar = true;
        token++;
    }
    if (token < end && token->kind == DIGITS) {
        out->runs = tokens->runs + token->run_begin;
        out->run_count = token++->run_count;
    }
    if (token < end && token->kind == POINT) {
        out->has_point = true;
        token++;
    }
    if (token < end && token->kind == DIGITS) {
        out->fraction_max = tokens->runs[token++->run_begin].count;
    }
    if (token < end && (token->kind == SIGN || token->kind == MINUS)) {
        out->sign_after = token++->kind == SIGN ? 'S' : 'M';
    } else if (token < end && token->kind == CLOSE) {
        token++;
    }
    return token == end
               ? ARUS_OK
               : fail_format(tokens, "INVALID_FORMAT.UNEXPECTED_TOKEN",
                             "its parts are [MI|S] [$] digits [.|D] digits [PR|MI|S]", err);
}

enum arus_status arus_number_format_compile(struct arus_text text, struct arus_arena *arena,
                                            struct arus_number_format *out, struct arus_error *err)
{
    struct tokens tokens = {.text = text};

    *out = (struct arus_number_format){0};
    if (text.size == 0) {
        return fail_format(&tokens, "INVALID_FORMAT.EMPTY", "it is empty", err);
    }
    ARUS_TRY(ARUS_NEW(arena, struct token, text.size, &tokens.items, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_number_run, text.size, &tokens.runs, err));
    for (size_t at = 0; at < text.size;) {
        at = read_token(&tokens, at);
    }
    ARUS_TRY(check_digits(&tokens, err));
    ARUS_TRY(check_counts(&tokens, err));
    ARUS_TRY(take_tokens(&tokens, out, err));
    out->has_brackets = tokens.has_brackets;
    for (uint32_t i = 0; i < out->run_count; i++) {
        out->whole_max += out->runs[i].count;
    }
    return ARUS_OK;
}
