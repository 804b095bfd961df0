/** Names, strings, key-value lists and types. */
#include "sql/parser_internal.h"

#include <stdio.h>

enum arus_status arus_parser_take_name(struct arus_parser *p, struct arus_ast_name *out,
                                       struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    p->at++;
    *out = (struct arus_ast_name){.text = parser_text(p, token),
                                  .place = token_place(token),
                                  .is_quoted = token->kind == ARUS_TOKEN_QUOTED};
    if (!out->is_quoted) {
        return ARUS_OK;
    }
    if (token->size == 2) {
        return arus_parser_fail_at(out->place, err, "a name cannot be empty");
    }
    return arus_sql_unquote(out->text, p->arena, &out->text, err);
}

/* a-b where a name stands: Spark wants backticks. */
static enum arus_status check_hyphen(const struct arus_parser *p, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const struct arus_token *next = parser_peek(p, 1);

    if (token->kind != ARUS_TOKEN_MINUS || next->kind != ARUS_TOKEN_WORD) {
        return ARUS_OK;
    }
    return arus_fail_at(err, arus_place_join(token_place(token - 1), token_place(next)),
                        "INVALID_IDENTIFIER", "a name with a hyphen needs backticks");
}

enum arus_status arus_parse_name(struct arus_parser *p, const char *what, struct arus_ast_name *out,
                                 struct arus_error *err)
{
    if (!token_is_name(parser_token(p))) {
        return arus_parser_fail(p, what, err);
    }
    ARUS_TRY(arus_parser_take_name(p, out, err));
    return check_hyphen(p, err);
}

/* Behind a dot. A shell that ran `path` leaves nothing there. */
static enum arus_status parse_part(struct arus_parser *p, struct arus_ast_name *out,
                                   struct arus_error *err)
{
    const struct arus_token *before = parser_token(p) - 2;
    const struct arus_text text = parser_text(p, before);

    if (token_is_name(parser_token(p))) {
        return arus_parse_name(p, "a name", out, err);
    }
    if (!parser_at_end(p)) {
        return arus_parser_fail(p, "a name", err);
    }
    return arus_parser_fail_at(arus_parser_here(p), err,
                               "`path` missing after %.*s. (in a shell, put SQL in single quotes)",
                               ARUS_TEXT_ARGS(text));
}

enum arus_status arus_parse_names(struct arus_parser *p, const char *what,
                                  struct arus_ast_names *out, struct arus_error *err)
{
    struct arus_list list = {0};
    struct arus_ast_name name;

    ARUS_TRY(arus_parse_name(p, what, &name, err));
    ARUS_TRY(ARUS_PUSH(p, &list, name, err));
    while (parser_take(p, ARUS_TOKEN_DOT)) {
        ARUS_TRY(parse_part(p, &name, err));
        ARUS_TRY(ARUS_PUSH(p, &list, name, err));
    }
    *out = (struct arus_ast_names){list.items, list.count};
    return ARUS_OK;
}

enum arus_status arus_parse_name_list(struct arus_parser *p, const char *what,
                                      struct arus_ast_names *out, struct arus_error *err)
{
    struct arus_list list = {0};

    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    do {
        struct arus_ast_name name;

        ARUS_TRY(arus_parse_name(p, what, &name, err));
        ARUS_TRY(ARUS_PUSH(p, &list, name, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    *out = (struct arus_ast_names){list.items, list.count};
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

enum arus_status arus_parse_string(struct arus_parser *p, const char *what,
                                   struct arus_ast_string *out, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    if (token->kind != ARUS_TOKEN_STRING) {
        return arus_parser_fail(p, what, err);
    }
    p->at++;
    out->place = token_place(token);
    return arus_sql_unescape(parser_text(p, token), p->arena, &out->text, err);
}

enum arus_status arus_names_join(struct arus_parser *p, struct arus_ast_names names,
                                 struct arus_text *out, struct arus_error *err)
{
    size_t size = 0;
    size_t at = 0;
    void *memory;

    for (uint32_t i = 0; i < names.count; i++) {
        size += names.items[i].text.size + 1;
    }
    ARUS_TRY(arus_arena_alloc(p->arena, size, &memory, err));
    for (uint32_t i = 0; i < names.count; i++) {
        if (i > 0) {
            ((char *)memory)[at++] = '.';
        }
        memcpy((char *)memory + at, names.items[i].text.data, names.items[i].text.size);
        at += names.items[i].text.size;
    }
    *out = (struct arus_text){memory, at};
    return ARUS_OK;
}

/* ---- key-value lists ---- */

static enum arus_status parse_key(struct arus_parser *p, struct arus_setting *out,
                                  struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_string string;
    struct arus_ast_names names;

    if (parser_is(p, ARUS_TOKEN_STRING)) {
        ARUS_TRY(arus_parse_string(p, "a key", &string, err));
        out->key = string.text;
        out->key_place = string.place;
        return ARUS_OK;
    }
    ARUS_TRY(arus_parse_names(p, "a key", &names, err));
    out->key_place = arus_parser_place(p, begin);
    return arus_names_join(p, names, &out->key, err);
}

static bool is_number(const struct arus_token *token)
{
    return token->kind >= ARUS_TOKEN_INTEGER && token->kind <= ARUS_TOKEN_BIGDECIMAL;
}

static enum arus_status fail_bare_value(const struct arus_parser *p, const struct arus_token *token,
                                        struct arus_error *err)
{
    const struct arus_text text = parser_text(p, token);
    const enum arus_status status = arus_parser_fail_at(
        token_place(token), err, "the value `%.*s` needs quotes", ARUS_TEXT_ARGS(text));

    (void)arus_error_help(err, "'%.*s'", ARUS_TEXT_ARGS(text));
    return status;
}

/* A string, number or truth value; a bare word is most likely a string without its quotes. */
static enum arus_status parse_setting_value(struct arus_parser *p, struct arus_setting *out,
                                            struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const bool is_negative = token->kind == ARUS_TOKEN_MINUS && is_number(parser_peek(p, 1));
    struct arus_ast_string string;

    if (token->kind == ARUS_TOKEN_STRING) {
        ARUS_TRY(arus_parse_string(p, "a value", &string, err));
        out->value = string.text;
        out->value_place = string.place;
        return ARUS_OK;
    }
    if (is_number(token) || is_negative || token_is_word(token, ARUS_WORD_TRUE) ||
        token_is_word(token, ARUS_WORD_FALSE)) {
        p->at += is_negative ? 2 : 1;
        out->value_place = arus_parser_place(p, token->begin);
        out->value = (struct arus_text){p->sql.data + token->begin, out->value_place.size};
        return ARUS_OK;
    }
    if (token->kind == ARUS_TOKEN_WORD) {
        return fail_bare_value(p, token, err);
    }
    return arus_parser_fail(p, "a value", err);
}

static enum arus_status check_duplicate(const struct arus_list *list,
                                        const struct arus_setting *setting, struct arus_error *err)
{
    const struct arus_setting *items = list->items;

    for (uint32_t i = 0; i < list->count; i++) {
        if (arus_text_equal_nocase(items[i].key, setting->key)) {
            return arus_fail_at(err, setting->key_place, "DUPLICATE_KEY",
                                "the key `%.*s` stands twice", ARUS_TEXT_ARGS(setting->key));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_parse_settings(struct arus_parser *p, const char *what,
                                     struct arus_settings *out, struct arus_error *err)
{
    struct arus_list list = {0};

    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    do {
        struct arus_setting setting = {0};

        if (parser_is(p, ARUS_TOKEN_CLOSE)) {
            return arus_parser_fail(p, list.count == 0 ? what : "a key", err);
        }
        ARUS_TRY(parse_key(p, &setting, err));
        (void)parser_take(p, ARUS_TOKEN_EQUAL);
        ARUS_TRY(parse_setting_value(p, &setting, err));
        ARUS_TRY(check_duplicate(&list, &setting, err));
        ARUS_TRY(ARUS_PUSH(p, &list, setting, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    *out = (struct arus_settings){list.items, list.count};
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

/* ---- types ---- */

/* How many angles the token closes; -1: it opens one. */
static int angles_closed(const struct arus_token *token)
{
    if (token->kind == ARUS_TOKEN_LESS) {
        return -1;
    }
    if (token->kind == ARUS_TOKEN_SHIFT_RIGHT) {
        return 2;
    }
    return token->kind == ARUS_TOKEN_SHIFT_RIGHT_UNSIGNED ? 3 : token->kind == ARUS_TOKEN_GREATER;
}

/* Behind the `<`: takes tokens until all angles are closed. */
static enum arus_status skip_angles(struct arus_parser *p, struct arus_error *err)
{
    int open = 1;

    while (open > 0) {
        const struct arus_token *token = parser_token(p);

        if (token_ends_statement(token) || token->kind >= ARUS_TOKEN_BAD_CHARACTER) {
            return arus_parser_fail(p, "`>`", err);
        }
        open -= angles_closed(token);
        if (open < 0) {
            return arus_parser_fail(p, "one `>` less", err);
        }
        p->at++;
    }
    return ARUS_OK;
}

static bool is_interval_unit(const struct arus_token *token)
{
    return token->kind == ARUS_TOKEN_WORD &&
           (token->word == ARUS_WORD_YEAR || token->word == ARUS_WORD_MONTH ||
            token->word == ARUS_WORD_DAY || token->word == ARUS_WORD_HOUR ||
            token->word == ARUS_WORD_MINUTE || token->word == ARUS_WORD_SECOND);
}

/* TIMESTAMP WITH LOCAL TIME ZONE, TIMESTAMP WITHOUT TIME ZONE */
static void skip_time_zone(struct arus_parser *p)
{
    const bool is_local =
        parser_is_word(p, ARUS_WORD_WITH) && token_is_word(parser_peek(p, 1), ARUS_WORD_LOCAL);
    const uint32_t skip = is_local ? 2 : 1;

    if ((is_local || parser_is_text(p, parser_token(p), "WITHOUT")) &&
        token_is_word(parser_peek(p, skip), ARUS_WORD_TIME) &&
        token_is_word(parser_peek(p, skip + 1), ARUS_WORD_ZONE)) {
        p->at += skip + 2;
    }
}

static enum arus_status skip_type_arguments(struct arus_parser *p, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    if (token_is_word(token - 1, ARUS_WORD_INTERVAL) && is_interval_unit(token)) {
        p->at++;
        if (parser_is_word(p, ARUS_WORD_TO) && is_interval_unit(parser_peek(p, 1))) {
            p->at += 2;
        }
        return ARUS_OK;
    }
    if (token_is_word(token - 1, ARUS_WORD_TIMESTAMP)) {
        skip_time_zone(p);
    }
    if (token->kind == ARUS_TOKEN_OPEN) {
        if (token->match == 0) {
            p->at++;
            return arus_parser_fail(p, "the end of the type", err);
        }
        p->at = token->match + 1;
        return ARUS_OK;
    }
    if (parser_take(p, ARUS_TOKEN_NOT_EQUAL) || !parser_take(p, ARUS_TOKEN_LESS)) { /* <> */
        return ARUS_OK;
    }
    return skip_angles(p, err);
}

enum arus_status arus_parse_type(struct arus_parser *p, struct arus_ast_type *out,
                                 struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    if (token->kind != ARUS_TOKEN_WORD) {
        return arus_parser_fail(p, "a type", err);
    }
    p->at++;
    ARUS_TRY(skip_type_arguments(p, err));
    if (parser_is_word(p, ARUS_WORD_COLLATE)) {
        return arus_parser_refuse(token_place(parser_token(p)), err, "COLLATE");
    }
    out->place = arus_parser_place(p, token->begin);
    out->text = (struct arus_text){p->sql.data + token->begin, out->place.size};
    return ARUS_OK;
}
