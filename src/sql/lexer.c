/** The scanner: longest match, as Spark's lexer does it. */
#include "sql/lexer.h"

#include <stdint.h>

struct lexer {
    const char *data;
    size_t size;
    size_t at;
    struct arus_arena *arena;
    struct arus_token *tokens;
    uint32_t count;
    uint32_t capacity;
    uint32_t open; /* index of the innermost OPEN, its `match` holds the next outer one; UINT32_MAX:
                      none */
};

static unsigned char byte_at(const struct lexer *lexer, size_t at)
{
    return at < lexer->size ? (unsigned char)lexer->data[at] : 0;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_byte(unsigned char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static enum arus_status grow(struct lexer *lexer, struct arus_error *err)
{
    const uint32_t capacity = lexer->capacity == 0 ? 256 : lexer->capacity * 2;
    struct arus_token *tokens;

    ARUS_TRY(ARUS_NEW(lexer->arena, struct arus_token, capacity, &tokens, err));
    if (lexer->count != 0) {
        memcpy(tokens, lexer->tokens, lexer->count * sizeof *tokens);
    }
    lexer->tokens = tokens;
    lexer->capacity = capacity;
    return ARUS_OK;
}

/* OPEN tokens chain to the next outer one until their CLOSE comes. */
static void pair_parentheses(struct lexer *lexer, struct arus_token *token)
{
    if (token->kind == ARUS_TOKEN_OPEN) {
        token->match = lexer->open;
        lexer->open = lexer->count;
    } else if (token->kind == ARUS_TOKEN_CLOSE && lexer->open != UINT32_MAX) {
        struct arus_token *open = &lexer->tokens[lexer->open];

        lexer->open = open->match;
        open->match = lexer->count;
    } else if (token->kind == ARUS_TOKEN_SEMICOLON || token->kind == ARUS_TOKEN_END) {
        while (lexer->open != UINT32_MAX) {
            const uint32_t outer = lexer->tokens[lexer->open].match;

            lexer->tokens[lexer->open].match = 0;
            lexer->open = outer;
        }
    }
}

static enum arus_status add(struct lexer *lexer, enum arus_token_kind kind, size_t size,
                            struct arus_error *err)
{
    struct arus_token *token;

    if (lexer->count == lexer->capacity) {
        ARUS_TRY(grow(lexer, err));
    }
    token = &lexer->tokens[lexer->count];
    *token =
        (struct arus_token){.kind = kind, .begin = (uint32_t)lexer->at, .size = (uint32_t)size};
    if (kind == ARUS_TOKEN_WORD) {
        token->word = arus_word_find((struct arus_text){lexer->data + lexer->at, size});
    }
    pair_parentheses(lexer, token);
    lexer->count++;
    lexer->at += size;
    return ARUS_OK;
}

/* "-- to the end of the line"; a backslash before the line end continues it. */
static void skip_line_comment(struct lexer *lexer)
{
    while (lexer->at < lexer->size) {
        const unsigned char c = byte_at(lexer, lexer->at);

        if (c == '\\' && byte_at(lexer, lexer->at + 1) == '\n') {
            lexer->at += 2;
            continue;
        }
        if (c == '\n' || c == '\r') {
            return;
        }
        lexer->at++;
    }
}

/* Size of a bracketed comment with its nested ones; 0: it has no end. */
static size_t bracketed_comment_size(const struct lexer *lexer)
{
    size_t at = lexer->at + 2;
    size_t depth = 1;

    while (at + 1 < lexer->size) {
        const unsigned char c = byte_at(lexer, at);
        const unsigned char next = byte_at(lexer, at + 1);

        if (c == '*' && next == '/') {
            at += 2;
            depth--;
            if (depth == 0) {
                return at - lexer->at;
            }
        } else if (c == '/' && next == '*') {
            at += 2;
            depth++;
        } else {
            at++;
        }
    }
    return 0;
}

static enum arus_status lex_comment(struct lexer *lexer, struct arus_error *err)
{
    const size_t size = bracketed_comment_size(lexer);

    if (size == 0) {
        return add(lexer, ARUS_TOKEN_UNCLOSED_COMMENT, lexer->size - lexer->at, err);
    }
    if (byte_at(lexer, lexer->at + 2) == '+') {
        return add(lexer, ARUS_TOKEN_HINT, size, err);
    }
    lexer->at += size;
    return ARUS_OK;
}

/* '..' or "..": a doubled quote and a backslash keep it open. */
static enum arus_status lex_string(struct lexer *lexer, struct arus_error *err)
{
    const unsigned char quote = byte_at(lexer, lexer->at);
    size_t at = lexer->at + 1;

    while (at < lexer->size) {
        const unsigned char c = byte_at(lexer, at);

        if (c == '\\') {
            at += 2;
        } else if (c == quote && byte_at(lexer, at + 1) == quote) {
            at += 2;
        } else if (c == quote) {
            return add(lexer, ARUS_TOKEN_STRING, at + 1 - lexer->at, err);
        } else {
            at++;
        }
    }
    return add(lexer, ARUS_TOKEN_UNCLOSED_STRING, lexer->size - lexer->at, err);
}

/* r'..': the next quote ends it. */
static enum arus_status lex_raw_string(struct lexer *lexer, struct arus_error *err)
{
    const unsigned char quote = byte_at(lexer, lexer->at + 1);
    size_t at = lexer->at + 2;

    while (at < lexer->size && byte_at(lexer, at) != quote) {
        at++;
    }
    if (at >= lexer->size) {
        return add(lexer, ARUS_TOKEN_UNCLOSED_STRING, lexer->size - lexer->at, err);
    }
    return add(lexer, ARUS_TOKEN_STRING, at + 1 - lexer->at, err);
}

static enum arus_status lex_quoted_name(struct lexer *lexer, struct arus_error *err)
{
    size_t at = lexer->at + 1;

    while (at < lexer->size) {
        if (byte_at(lexer, at) != '`') {
            at++;
        } else if (byte_at(lexer, at + 1) == '`') {
            at += 2;
        } else {
            return add(lexer, ARUS_TOKEN_QUOTED, at + 1 - lexer->at, err);
        }
    }
    return add(lexer, ARUS_TOKEN_UNCLOSED_NAME, lexer->size - lexer->at, err);
}

/* Reads the exponent at `at` if there is a whole one; returns where it ends. */
static size_t skip_exponent(const struct lexer *lexer, size_t at)
{
    size_t end = at;

    if ((byte_at(lexer, end) | 0x20) != 'e') {
        return at;
    }
    end++;
    if (byte_at(lexer, end) == '+' || byte_at(lexer, end) == '-') {
        end++;
    }
    if (!is_digit(byte_at(lexer, end))) {
        return at;
    }
    while (is_digit(byte_at(lexer, end))) {
        end++;
    }
    return end;
}

/* The suffix at *at decides the kind; `plain` without one. */
static enum arus_token_kind skip_suffix(const struct lexer *lexer, size_t *at,
                                        enum arus_token_kind plain)
{
    static const struct {
        char letter;
        enum arus_token_kind kind;
    } SUFFIXES[] = {
        {'f', ARUS_TOKEN_FLOAT},    {'d', ARUS_TOKEN_DOUBLE},  {'l', ARUS_TOKEN_BIGINT},
        {'s', ARUS_TOKEN_SMALLINT}, {'y', ARUS_TOKEN_TINYINT},
    };
    const char letter = (char)(byte_at(lexer, *at) | 0x20);
    const size_t usable = plain == ARUS_TOKEN_INTEGER ? 5 : 2;

    if (letter == 'b' && (byte_at(lexer, *at + 1) | 0x20) == 'd') {
        *at += 2;
        return ARUS_TOKEN_BIGDECIMAL;
    }
    for (size_t i = 0; i < usable; i++) {
        if (SUFFIXES[i].letter == letter) {
            (*at)++;
            return SUFFIXES[i].kind;
        }
    }
    return plain;
}

/* A number with a point, 0 if there is none: `1.5a` is `1`, `.`, `5a`. */
static size_t decimal_size(const struct lexer *lexer, enum arus_token_kind *kind)
{
    size_t at = lexer->at;
    size_t end;

    while (is_digit(byte_at(lexer, at))) {
        at++;
    }
    if (byte_at(lexer, at) != '.' || (at == lexer->at && !is_digit(byte_at(lexer, at + 1)))) {
        return 0;
    }
    at++;
    while (is_digit(byte_at(lexer, at))) {
        at++;
    }
    end = skip_exponent(lexer, at);
    *kind = skip_suffix(lexer, &end, end == at ? ARUS_TOKEN_DECIMAL : ARUS_TOKEN_EXPONENT);
    return is_name_byte(byte_at(lexer, end)) || byte_at(lexer, end) >= 0x80 ? 0 : end - lexer->at;
}

static size_t name_size(const struct lexer *lexer, bool *is_ascii)
{
    size_t at = lexer->at;

    *is_ascii = true;
    while (is_name_byte(byte_at(lexer, at)) || byte_at(lexer, at) >= 0x80) {
        *is_ascii = *is_ascii && byte_at(lexer, at) < 0x80;
        at++;
    }
    return at - lexer->at;
}

/* A number or a name that begins with a digit: the longer one wins, the number at a tie. */
static enum arus_status lex_number(struct lexer *lexer, struct arus_error *err)
{
    enum arus_token_kind kind = ARUS_TOKEN_INTEGER;
    const size_t decimal = decimal_size(lexer, &kind);
    size_t at = lexer->at;
    size_t end;
    size_t name;
    bool is_ascii;

    if (decimal != 0) {
        return add(lexer, kind, decimal, err);
    }
    while (is_digit(byte_at(lexer, at))) {
        at++;
    }
    end = skip_exponent(lexer, at);
    kind = skip_suffix(lexer, &end, end == at ? ARUS_TOKEN_INTEGER : ARUS_TOKEN_EXPONENT);
    name = name_size(lexer, &is_ascii);
    if (name > end - lexer->at) {
        return add(lexer, is_ascii ? ARUS_TOKEN_WORD : ARUS_TOKEN_BAD_NAME, name, err);
    }
    return add(lexer, kind, end - lexer->at, err);
}

/* One character that SQL does not know; a whole UTF-8 sequence. */
static enum arus_status lex_bad_character(struct lexer *lexer, struct arus_error *err)
{
    size_t size = 1;

    while ((byte_at(lexer, lexer->at + size) & 0xC0) == 0x80) {
        size++;
    }
    return add(lexer, ARUS_TOKEN_BAD_CHARACTER, size, err);
}

/* General punctuation, blanks and symbols (U+2000..U+2FFF), U+00A0..U+00BF, U+3000..U+303F: no
 * letters. */
static bool is_foreign_symbol(const struct lexer *lexer)
{
    const unsigned char a = byte_at(lexer, lexer->at);
    const unsigned char b = byte_at(lexer, lexer->at + 1);

    return a == 0xE2 || a == 0xF0 || (a == 0xC2 && b >= 0xA0) || (a == 0xE3 && b == 0x80) ||
           (a == 0xEF && b >= 0xBB) || (a >= 0x80 && a < 0xC2);
}

static enum arus_status lex_name(struct lexer *lexer, struct arus_error *err)
{
    bool is_ascii;
    const size_t size = name_size(lexer, &is_ascii);

    return add(lexer, is_ascii ? ARUS_TOKEN_WORD : ARUS_TOKEN_BAD_NAME, size, err);
}

/* Longest first. */
static const struct {
    struct arus_text text;
    enum arus_token_kind kind;
} OPERATORS[] = {
    {{"<=>", 3}, ARUS_TOKEN_EQUAL_NULL},
    {{">>>", 3}, ARUS_TOKEN_SHIFT_RIGHT_UNSIGNED},
    {{"==", 2}, ARUS_TOKEN_EQUAL},
    {{"=>", 2}, ARUS_TOKEN_NAMED},
    {{"<>", 2}, ARUS_TOKEN_NOT_EQUAL},
    {{"!=", 2}, ARUS_TOKEN_NOT_EQUAL},
    {{"<=", 2}, ARUS_TOKEN_LESS_EQUAL},
    {{"!>", 2}, ARUS_TOKEN_LESS_EQUAL},
    {{">=", 2}, ARUS_TOKEN_GREATER_EQUAL},
    {{"!<", 2}, ARUS_TOKEN_GREATER_EQUAL},
    {{"<<", 2}, ARUS_TOKEN_SHIFT_LEFT},
    {{">>", 2}, ARUS_TOKEN_SHIFT_RIGHT},
    {{"||", 2}, ARUS_TOKEN_CONCAT},
    {{"|>", 2}, ARUS_TOKEN_PIPE},
    {{"::", 2}, ARUS_TOKEN_COLONS},
    {{"->", 2}, ARUS_TOKEN_ARROW},
    {{";", 1}, ARUS_TOKEN_SEMICOLON},
    {{"(", 1}, ARUS_TOKEN_OPEN},
    {{")", 1}, ARUS_TOKEN_CLOSE},
    {{"[", 1}, ARUS_TOKEN_OPEN_BRACKET},
    {{"]", 1}, ARUS_TOKEN_CLOSE_BRACKET},
    {{",", 1}, ARUS_TOKEN_COMMA},
    {{".", 1}, ARUS_TOKEN_DOT},
    {{"=", 1}, ARUS_TOKEN_EQUAL},
    {{"<", 1}, ARUS_TOKEN_LESS},
    {{">", 1}, ARUS_TOKEN_GREATER},
    {{"+", 1}, ARUS_TOKEN_PLUS},
    {{"-", 1}, ARUS_TOKEN_MINUS},
    {{"*", 1}, ARUS_TOKEN_STAR},
    {{"/", 1}, ARUS_TOKEN_SLASH},
    {{"%", 1}, ARUS_TOKEN_PERCENT},
    {{"~", 1}, ARUS_TOKEN_TILDE},
    {{"&", 1}, ARUS_TOKEN_AMPERSAND},
    {{"|", 1}, ARUS_TOKEN_BAR},
    {{"^", 1}, ARUS_TOKEN_HAT},
    {{":", 1}, ARUS_TOKEN_COLON},
    {{"!", 1}, ARUS_TOKEN_EXCLAMATION},
};

static enum arus_status lex_operator(struct lexer *lexer, struct arus_error *err)
{
    const struct arus_text rest = {lexer->data + lexer->at, lexer->size - lexer->at};

    for (size_t i = 0; i < sizeof OPERATORS / sizeof OPERATORS[0]; i++) {
        if (arus_text_starts_with(rest, OPERATORS[i].text)) {
            return add(lexer, OPERATORS[i].kind, OPERATORS[i].text.size, err);
        }
    }
    return lex_bad_character(lexer, err);
}

static enum arus_status lex_token(struct lexer *lexer, struct arus_error *err)
{
    const unsigned char c = byte_at(lexer, lexer->at);
    const unsigned char next = byte_at(lexer, lexer->at + 1);

    if (is_space(c)) {
        lexer->at++;
        return ARUS_OK;
    }
    if (c == '-' && next == '-') {
        skip_line_comment(lexer);
        return ARUS_OK;
    }
    if (c == '/' && next == '*') {
        return lex_comment(lexer, err);
    }
    if (c == '\'' || c == '"') {
        return lex_string(lexer, err);
    }
    if ((c | 0x20) == 'r' && (next == '\'' || next == '"')) {
        return lex_raw_string(lexer, err);
    }
    if (c == '`') {
        return lex_quoted_name(lexer, err);
    }
    if (is_digit(c) || (c == '.' && is_digit(next))) {
        enum arus_token_kind kind;

        return c == '.' && decimal_size(lexer, &kind) == 0 ? lex_operator(lexer, err)
                                                           : lex_number(lexer, err);
    }
    if (is_name_byte(c) || (c >= 0x80 && !is_foreign_symbol(lexer))) {
        return lex_name(lexer, err);
    }
    return lex_operator(lexer, err);
}

enum arus_status arus_sql_lex(struct arus_text sql, struct arus_arena *arena,
                              struct arus_tokens *out, struct arus_error *err)
{
    struct lexer lexer = {.data = sql.data, .size = sql.size, .arena = arena, .open = UINT32_MAX};

    if (sql.size > ARUS_SQL_SIZE_MAX) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the SQL text is longer than 64 MiB");
    }
    if (arus_text_starts_with(sql, ARUS_TEXT("\xEF\xBB\xBF"))) {
        lexer.at = 3; /* byte order mark */
    }
    while (lexer.at < lexer.size) {
        ARUS_TRY(lex_token(&lexer, err));
    }
    ARUS_TRY(add(&lexer, ARUS_TOKEN_END, 0, err));
    *out = (struct arus_tokens){lexer.tokens, lexer.count};
    return ARUS_OK;
}
