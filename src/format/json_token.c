/** Tokens, scopes, blanks, comments and words. */
#include "base/alloc.h"
#include "format/json_token_internal.h"

#define WORD_SIZE_MAX 256
#define CAPACITY_MIN  16
#define SPACE_END     (-1)
#define SPACE_BAD     (-2)

bool json_fail(struct json_parser *parser, const char *problem)
{
    parser->problem = problem;
    parser->problem_at = parser->at;
    return false;
}

void json_start(struct json_parser *parser, struct arus_text text)
{
    parser->begin = text.data;
    parser->at = text.data;
    parser->end = text.data + text.size;
    parser->token = JSON_NONE;
    parser->pending = JSON_NONE;
    parser->is_unfinished = false;
    parser->token_begin = text.data;
    parser->number_end = text.data;
    parser->problem = NULL;
    parser->problem_at = NULL;
    parser->depth = 0;
    if (parser->contexts != NULL) {
        parser->contexts[0] = (struct json_context){.scope = JSON_IN_ROOT};
    }
    if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0) {
        parser->at += 3;
    }
}

void json_parser_release(struct json_parser *parser)
{
    arus_free(parser->contexts);
    parser->contexts = NULL;
    parser->capacity = 0;
}

static bool need_context(struct json_parser *parser)
{
    const uint32_t capacity = parser->capacity == 0 ? CAPACITY_MIN : parser->capacity * 2;
    struct json_context *grown;

    if (parser->depth + 1 < parser->capacity) {
        return true;
    }
    grown = arus_alloc(capacity, sizeof *grown);
    if (grown == NULL) {
        parser->is_out_of_memory = true;
        return json_fail(parser, "out of memory");
    }
    if (parser->contexts != NULL) {
        memcpy(grown, parser->contexts, parser->capacity * sizeof *grown);
        arus_free(parser->contexts);
    }
    parser->contexts = grown;
    parser->capacity = capacity;
    return true;
}

static enum json_token open_scope(struct json_parser *parser, enum json_scope scope)
{
    if (!need_context(parser)) {
        return JSON_ERROR;
    }
    parser->contexts[++parser->depth] = (struct json_context){.scope = scope};
    if (parser->depth > parser->rules->depth_max) {
        (void)json_fail(parser, "nested too deeply");
        return JSON_ERROR;
    }
    parser->token = scope == JSON_IN_ARRAY ? JSON_ARRAY : JSON_OBJECT;
    return parser->token;
}

static enum json_token close_scope(struct json_parser *parser, enum json_scope scope)
{
    parser->token_begin = parser->at - 1;
    parser->number_end = parser->at;
    if (parser->contexts[parser->depth].scope != scope) {
        (void)json_fail(parser, scope == JSON_IN_ARRAY ? "`]` closes nothing here"
                                                       : "`}` closes nothing here");
        return JSON_ERROR;
    }
    parser->depth--;
    parser->token = scope == JSON_IN_ARRAY ? JSON_ARRAY_END : JSON_OBJECT_END;
    return parser->token;
}

const struct arus_text *json_name(const struct json_parser *parser)
{
    uint32_t depth = parser->depth;

    if ((parser->token == JSON_OBJECT || parser->token == JSON_ARRAY) && depth != 0) {
        depth--;
    }
    return parser->contexts[depth].has_name ? &parser->contexts[depth].name : NULL;
}

static bool skip_block_comment(struct json_parser *parser)
{
    while (parser->at + 1 < parser->end) {
        if (parser->at[0] == '*' && parser->at[1] == '/') {
            parser->at += 2;
            return true;
        }
        parser->at++;
    }
    parser->at = parser->end;
    return json_fail(parser, "a comment does not end");
}

/* Behind the first slash. */
static bool skip_comment(struct json_parser *parser)
{
    if (!parser->rules->allows_comments) {
        return json_fail(parser, "a comment is not allowed here");
    }
    if (parser->at == parser->end) {
        return json_fail(parser, "the text ends in a comment");
    }
    if (*parser->at == '*') {
        parser->at++;
        return skip_block_comment(parser);
    }
    if (*parser->at++ != '/') {
        return json_fail(parser, "`*` or `/` must follow the slash of a comment");
    }
    while (parser->at < parser->end && *parser->at != '\n' && *parser->at != '\r') {
        parser->at++;
    }
    return true;
}

/* The next character that counts, or SPACE_END, SPACE_BAD. */
static int skip_space(struct json_parser *parser)
{
    while (parser->at < parser->end) {
        const int c = (unsigned char)*parser->at++;

        if (c > ' ' && c != '/') {
            return c;
        }
        if (c == '/' && !skip_comment(parser)) {
            return SPACE_BAD;
        }
        if (c < ' ' && c != '\n' && c != '\r' && c != '\t') {
            (void)json_fail(parser, "a control character stands between values");
            return SPACE_BAD;
        }
    }
    return SPACE_END;
}

/* As skip_space, but the text must go on. */
static int need_char(struct json_parser *parser)
{
    const int c = skip_space(parser);

    if (c == SPACE_END) {
        (void)json_fail(parser, parser->contexts[parser->depth].scope == JSON_IN_ARRAY
                                    ? "an array does not end"
                                    : "an object does not end");
        return SPACE_BAD;
    }
    return c;
}

/* Java's isJavaIdentifierPart, roughly: all of Unicode beyond ASCII counts. */
static bool is_word_byte(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c >= 0x7F || c <= 8 || (c >= 0x0E && c <= 0x1B);
}

bool json_fail_word(struct json_parser *parser, const char *problem)
{
    const char *begin = parser->at;

    while (parser->at < parser->end && parser->at - begin < WORD_SIZE_MAX &&
           is_word_byte((unsigned char)*parser->at)) {
        parser->at++;
    }
    if (parser->rules->reads_bytes && parser->at < parser->end &&
        parser->at - begin < WORD_SIZE_MAX) {
        parser->at++;
    }
    return json_fail(parser, problem);
}

bool json_match(struct json_parser *parser, const char *word, size_t matched)
{
    for (const char *next = word + matched; *next != '\0'; next++) {
        if (parser->at == parser->end || *parser->at != *next) {
            return json_fail_word(parser, "an unknown word stands where a value belongs");
        }
        parser->at++;
    }
    if (parser->at < parser->end && is_word_byte((unsigned char)*parser->at)) {
        return json_fail_word(parser, "an unknown word stands where a value belongs");
    }
    parser->number_end = parser->at;
    return true;
}

static enum json_token non_numeric(struct json_parser *parser, const char *word, size_t matched)
{
    if (!json_match(parser, word, matched)) {
        return JSON_ERROR;
    }
    if (!parser->rules->allows_non_numeric) {
        (void)json_fail(parser, "NaN and infinities are not allowed here");
        return JSON_ERROR;
    }
    return JSON_FLOAT;
}

static enum json_token unexpected(struct json_parser *parser, int c)
{
    switch (c) {
    case '\'':
        if (!parser->rules->allows_single_quotes) {
            break;
        }
        return json_read_single_quoted(parser) ? JSON_STRING : JSON_ERROR;
    case 'N':
        return non_numeric(parser, "NaN", 1);
    case 'I':
        return non_numeric(parser, "Infinity", 1);
    case '+':
        if (parser->at == parser->end) {
            break;
        }
        return json_read_infinity(parser, (unsigned char)*parser->at++, false);
    default:
        if (c >= 0 && is_word_byte((unsigned char)c) && (c < '0' || c > '9')) {
            (void)json_fail_word(parser, "an unknown word stands where a value belongs");
            return JSON_ERROR;
        }
        break;
    }
    (void)json_fail(parser, "a value must stand here");
    return JSON_ERROR;
}

/* The token of a value that begins with `c`; objects and arrays are not opened yet. */
static enum json_token read_value(struct json_parser *parser, int c)
{
    parser->token_begin = parser->at - 1;
    switch (c) {
    case '"':
        parser->is_unfinished = true;
        return JSON_STRING;
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case 't':
        return json_match(parser, "true", 1) ? JSON_TRUE : JSON_ERROR;
    case 'f':
        return json_match(parser, "false", 1) ? JSON_FALSE : JSON_ERROR;
    case 'n':
        return json_match(parser, "null", 1) ? JSON_NULL : JSON_ERROR;
    case '-':
        return json_read_signed(parser);
    default:
        return c >= '0' && c <= '9' ? json_read_number(parser, c) : unexpected(parser, c);
    }
}

static enum json_token enter(struct json_parser *parser, enum json_token token)
{
    if (token == JSON_OBJECT) {
        return open_scope(parser, JSON_IN_OBJECT);
    }
    if (token == JSON_ARRAY) {
        return open_scope(parser, JSON_IN_ARRAY);
    }
    if (token != JSON_ERROR) {
        parser->token = token;
    }
    return token;
}

static enum json_token read_field(struct json_parser *parser, int c)
{
    enum json_token value;

    if (!json_read_name(parser, c)) {
        return JSON_ERROR;
    }
    parser->token = JSON_NAME;
    c = need_char(parser);
    if (c == ':') {
        c = need_char(parser);
    } else if (c != SPACE_BAD) {
        (void)json_fail(parser, "a colon must follow the name");
        c = SPACE_BAD;
    }
    if (c == SPACE_BAD) {
        return JSON_ERROR;
    }
    value = read_value(parser, c);
    if (value == JSON_ERROR) {
        return JSON_ERROR;
    }
    parser->pending = value;
    return JSON_NAME;
}

static enum json_token next_after_name(struct json_parser *parser)
{
    const enum json_token token = parser->pending;

    parser->pending = JSON_NONE;
    return enter(parser, token);
}

static enum json_token end_of_text(struct json_parser *parser)
{
    if (parser->depth != 0) {
        (void)json_fail(parser, parser->contexts[parser->depth].scope == JSON_IN_ARRAY
                                    ? "an array does not end"
                                    : "an object does not end");
        return JSON_ERROR;
    }
    parser->token = JSON_NONE;
    return JSON_NONE;
}

enum json_token json_next(struct json_parser *parser)
{
    struct json_context *context;
    int c;

    if (!need_context(parser)) {
        return JSON_ERROR;
    }
    if (parser->token == JSON_NAME) {
        return next_after_name(parser);
    }
    if (parser->is_unfinished && !json_skip_string(parser)) {
        return JSON_ERROR;
    }
    c = skip_space(parser);
    if (c == SPACE_END) {
        return end_of_text(parser);
    }
    if (c == SPACE_BAD) {
        return JSON_ERROR;
    }
    if (c == ']' || c == '}') {
        return close_scope(parser, c == ']' ? JSON_IN_ARRAY : JSON_IN_OBJECT);
    }
    context = &parser->contexts[parser->depth];
    if (context->has_entries && context->scope != JSON_IN_ROOT) {
        if (c != ',') {
            (void)json_fail(parser, "a comma must stand between entries");
            return JSON_ERROR;
        }
        c = need_char(parser);
        if (c == SPACE_BAD) {
            return JSON_ERROR;
        }
    }
    context->has_entries = true;
    return context->scope == JSON_IN_OBJECT ? read_field(parser, c)
                                            : enter(parser, read_value(parser, c));
}

bool json_skip(struct json_parser *parser)
{
    uint32_t open = 1;

    if (parser->token != JSON_OBJECT && parser->token != JSON_ARRAY) {
        return true;
    }
    while (open != 0) {
        const enum json_token token = json_next(parser);

        if (token == JSON_ERROR) {
            return false;
        }
        if (token == JSON_NONE) {
            return json_fail(parser, "the text ends inside a value");
        }
        open += token == JSON_OBJECT || token == JSON_ARRAY;
        open -= token == JSON_OBJECT_END || token == JSON_ARRAY_END;
    }
    return true;
}

bool json_start_value(struct json_parser *parser, struct arus_text text)
{
    json_start(parser, (struct arus_text){text.data, 0});
    parser->end = text.data + text.size;
    if (!need_context(parser)) {
        return false;
    }
    parser->depth = 1;
    parser->contexts[1] = (struct json_context){.scope = JSON_IN_OBJECT, .has_entries = true};
    parser->token = JSON_NAME;
    parser->at++;
    parser->pending = read_value(parser, (unsigned char)parser->at[-1]);
    return parser->pending != JSON_ERROR;
}
