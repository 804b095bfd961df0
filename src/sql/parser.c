/** Scripts, errors and the small steps that all parse functions take. */
#include "sql/parser.h"

#include "sql/parser_internal.h"

#include <stdarg.h>
#include <stdio.h>

#define FOUND_SIZE_MAX 40

struct arus_place arus_parser_place(const struct arus_parser *p, uint32_t begin)
{
    const struct arus_token *last = &p->tokens[p->at == 0 ? 0 : p->at - 1];
    const uint32_t end = last->begin + last->size;

    return (struct arus_place){begin, end > begin ? end - begin : 0};
}

struct arus_place arus_parser_here(const struct arus_parser *p)
{
    const struct arus_token *token = parser_token(p);

    if (!token_ends_statement(token)) {
        return token_place(token);
    }
    if (p->at == 0 || token_ends_statement(token - 1)) {
        return (struct arus_place){token->begin, token->size == 0 ? 1 : token->size};
    }
    return (struct arus_place){token[-1].begin + token[-1].size, 1};
}

/* What is wrong with a token that no statement may have; false: nothing. */
static bool fail_bad_token(const struct arus_parser *p, const struct arus_token *token,
                           struct arus_error *err)
{
    const struct arus_text text = parser_text(p, token);
    const struct arus_place first = {token->begin, 1};
    enum arus_status status = ARUS_OK;

    if (token->kind == ARUS_TOKEN_BAD_CHARACTER) {
        status =
            arus_parser_fail_at(token_place(token), err, "`%.*s` is no SQL", ARUS_TEXT_ARGS(text));
    } else if (token->kind == ARUS_TOKEN_BAD_NAME) {
        status = arus_fail_at(err, token_place(token), "INVALID_IDENTIFIER",
                              "the name `%.*s` needs backticks: it has letters outside of ASCII",
                              ARUS_TEXT_ARGS(text));
    } else if (token->kind == ARUS_TOKEN_UNCLOSED_STRING) {
        status = arus_parser_fail_at(first, err, "this string has no end");
    } else if (token->kind == ARUS_TOKEN_UNCLOSED_NAME) {
        status = arus_parser_fail_at(first, err, "this backtick has no partner");
    } else if (token->kind == ARUS_TOKEN_UNCLOSED_COMMENT) {
        status = arus_fail_at(err, (struct arus_place){token->begin, 2},
                              "UNCLOSED_BRACKETED_COMMENT", "this comment has no end");
    }
    return status != ARUS_OK;
}

void arus_parser_suggest(const struct arus_parser *p, const struct arus_token *token,
                         const enum arus_word *words, size_t count, struct arus_error *err)
{
    const struct arus_text text = parser_text(p, token);
    struct arus_text best = {0};
    size_t best_distance = SIZE_MAX;

    if (token->kind != ARUS_TOKEN_WORD) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct arus_text word = arus_word_text(words[i]);
        const size_t distance = arus_text_distance(text, word);

        if (distance != 0 && distance < best_distance && distance * 3 <= word.size) {
            best = word;
            best_distance = distance;
        }
    }
    if (best.size != 0) {
        (void)arus_error_label(err, "did you mean `%.*s`?", ARUS_TEXT_ARGS(best));
    }
}

static const enum arus_word CLAUSES[] = {
    ARUS_WORD_FROM,          ARUS_WORD_WHERE,   ARUS_WORD_GROUP, ARUS_WORD_HAVING,
    ARUS_WORD_ORDER,         ARUS_WORD_LIMIT,   ARUS_WORD_UNION, ARUS_WORD_JOIN,
    ARUS_WORD_WATERMARK,     ARUS_WORD_USING,   ARUS_WORD_DELAY, ARUS_WORD_OPTIONS,
    ARUS_WORD_TBLPROPERTIES, ARUS_WORD_INTERVAL};
#define CLAUSE_COUNT (sizeof CLAUSES / sizeof CLAUSES[0])

/* `FORM t` was read as an alias and then stopped at `t`: the slip is one token back. */
static void blame_alias(const struct arus_parser *p, struct arus_error *err)
{
    const struct arus_token *alias = &p->tokens[p->at - 1];
    struct arus_error slip = {.status = err->status};

    arus_parser_suggest(p, alias, CLAUSES, CLAUSE_COUNT, &slip);
    if (slip.label[0] != '\0') {
        (void)snprintf(err->message, sizeof err->message, "`%.*s` is no clause",
                       ARUS_TEXT_ARGS(parser_text(p, alias)));
        memcpy(err->label, slip.label, sizeof err->label);
        err->place = token_place(alias);
    }
}

enum arus_status arus_parser_fail(const struct arus_parser *p, const char *what,
                                  struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    struct arus_text found = parser_text(p, token);
    enum arus_status status;

    if (fail_bad_token(p, token, err)) {
        return err->status;
    }
    if (token_ends_statement(token)) {
        status = arus_parser_fail_at(arus_parser_here(p), err, "%s expected at the end", what);
    } else {
        found.size = found.size > FOUND_SIZE_MAX ? FOUND_SIZE_MAX : found.size;
        status =
            arus_parser_fail_at(token_place(token), err, "%s expected, found %s%.*s%s", what,
                                token->kind == ARUS_TOKEN_QUOTED ? "" : "`", ARUS_TEXT_ARGS(found),
                                token->kind == ARUS_TOKEN_QUOTED ? "" : "`");
        arus_parser_suggest(p, token, CLAUSES, CLAUSE_COUNT, err);
    }
    if (err->label[0] == '\0' && p->alias_at != 0 && p->alias_at == p->at) {
        blame_alias(p, err);
    }
    return status;
}

enum arus_status arus_parser_fail_at(struct arus_place place, struct arus_error *err,
                                     const char *format, ...)
{
    char text[sizeof err->message];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return arus_fail_at(err, place, "PARSE_SYNTAX_ERROR", "%s", text);
}

enum arus_status arus_parser_refuse(struct arus_place place, struct arus_error *err,
                                    const char *format, ...)
{
    char text[sizeof err->message];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return arus_fail_at(err, place, "ARUS_NOT_SUPPORTED", "%s is not in arus", text);
}

enum arus_status arus_parser_expect(struct arus_parser *p, enum arus_token_kind kind,
                                    const char *what, struct arus_error *err)
{
    return parser_take(p, kind) ? ARUS_OK : arus_parser_fail(p, what, err);
}

enum arus_status arus_parser_expect_word(struct arus_parser *p, enum arus_word word,
                                         struct arus_error *err)
{
    enum arus_status status;
    char what[32];

    if (parser_take_word(p, word)) {
        return ARUS_OK;
    }
    (void)snprintf(what, sizeof what, "`%s`", arus_word_text(word).data);
    status = arus_parser_fail(p, what, err);
    if (err->label[0] == '\0') {
        arus_parser_suggest(p, parser_token(p), &word, 1, err);
    }
    return status;
}

enum arus_status arus_parser_enter(struct arus_parser *p, struct arus_error *err)
{
    if (p->depth >= ARUS_SQL_DEPTH_MAX) {
        return arus_fail_at(err, arus_parser_here(p), "FAILED_TO_PARSE_TOO_COMPLEX",
                            "this is nested deeper than %d levels", ARUS_SQL_DEPTH_MAX);
    }
    p->depth++;
    return ARUS_OK;
}

enum arus_status arus_list_push(struct arus_parser *p, struct arus_list *list, const void *item,
                                size_t item_size, struct arus_error *err)
{
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity == 0 ? 4 : list->capacity * 2;
        void *items;

        ARUS_TRY(arus_arena_array(p->arena, item_size, capacity, &items, err));
        if (list->count != 0) {
            memcpy(items, list->items, list->count * item_size);
        }
        list->items = items;
        list->capacity = capacity;
    }
    memcpy((char *)list->items + list->count * item_size, item, item_size);
    list->count++;
    return ARUS_OK;
}

static void skip_statement(struct arus_parser *p)
{
    while (!parser_at_end(p)) {
        p->at++;
    }
}

/* A clause in the wrong order is the usual reason for text behind a whole statement. */
static enum arus_status fail_leftover(const struct arus_parser *p, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const bool is_clause =
        token_is_word(token, ARUS_WORD_WHERE) || token_is_word(token, ARUS_WORD_GROUP) ||
        token_is_word(token, ARUS_WORD_HAVING) || token_is_word(token, ARUS_WORD_ORDER) ||
        token_is_word(token, ARUS_WORD_LIMIT);
    enum arus_status status;

    if (!is_clause) {
        return arus_parser_fail(p, "`;`", err);
    }
    status = arus_parser_fail_at(token_place(token), err, "`%.*s` cannot stand here",
                                 ARUS_TEXT_ARGS(parser_text(p, token)));
    (void)arus_error_note(err, "the order is SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, "
                               "LIMIT, OFFSET");
    return status;
}

/* Takes one statement and stops before its `;`. */
static enum arus_status parse_one(struct arus_parser *p, struct arus_list *statements,
                                  struct arus_error *err)
{
    const struct arus_ast_statement *statement;

    p->depth = 0;
    p->alias_at = 0;
    ARUS_TRY(arus_parse_statement(p, &statement, err));
    if (!parser_at_end(p)) {
        return fail_leftover(p, err);
    }
    return ARUS_PUSH(p, statements, statement, err);
}

static enum arus_status parse_script(struct arus_parser *p, struct arus_list *statements,
                                     struct arus_list *errors, struct arus_error *err)
{
    while (!parser_is(p, ARUS_TOKEN_END) && errors->count < ARUS_SQL_ERRORS_MAX) {
        enum arus_status status;

        if (parser_take(p, ARUS_TOKEN_SEMICOLON)) {
            continue;
        }
        status = parse_one(p, statements, err);
        if (status == ARUS_BAD_CONFIG) {
            ARUS_TRY(ARUS_PUSH(p, errors, *err, err));
            skip_statement(p);
        } else if (status != ARUS_OK) {
            return status;
        }
    }
    return ARUS_OK;
}

enum arus_status arus_sql_parse(struct arus_text sql, struct arus_arena *arena,
                                struct arus_script *out, struct arus_errors *errors,
                                struct arus_error *err)
{
    struct arus_parser parser = {.sql = sql, .arena = arena};
    struct arus_list statements = {0};
    struct arus_list found = {0};
    struct arus_tokens tokens = {0};

    *out = (struct arus_script){0};
    *errors = (struct arus_errors){0};
    ARUS_TRY(arus_sql_lex(sql, arena, &tokens, err));
    parser.tokens = tokens.items;
    ARUS_TRY(parse_script(&parser, &statements, &found, err));
    *out = (struct arus_script){statements.items, statements.count, parser.warnings.items,
                                parser.warnings.count};
    *errors = (struct arus_errors){found.items, found.count};
    if (found.count != 0) {
        *err = errors->items[0];
        return err->status;
    }
    return ARUS_OK;
}

enum arus_status arus_sql_parse_expr(struct arus_text sql, struct arus_arena *arena,
                                     const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_parser parser = {.sql = sql, .arena = arena};
    struct arus_tokens tokens = {0};

    *out = NULL;
    ARUS_TRY(arus_sql_lex(sql, arena, &tokens, err));
    parser.tokens = tokens.items;
    ARUS_TRY(arus_parse_expr(&parser, out, err));
    return parser_is(&parser, ARUS_TOKEN_END) ? ARUS_OK : arus_parser_fail(&parser, "the end", err);
}
