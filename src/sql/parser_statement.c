/** Statements other than CREATE. */
#include "sql/parser_internal.h"

/* ---- SET, RESET ---- */

static enum arus_status parse_setting_key(struct arus_parser *p, struct arus_ast_string *out,
                                          struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_names names;

    ARUS_TRY(arus_parse_names(p, "a key", &names, err));
    out->place = arus_parser_place(p, begin);
    return arus_names_join(p, names, &out->text, err);
}

/* All up to the `;`, as it stands there. */
static enum arus_status take_raw_value(struct arus_parser *p, struct arus_ast_string *out,
                                       struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    if (parser_at_end(p)) {
        out->text = ARUS_TEXT("");
        out->place = arus_parser_here(p);
        return ARUS_OK;
    }
    while (!parser_at_end(p)) {
        if (parser_token(p)->kind >= ARUS_TOKEN_UNCLOSED_STRING) {
            return arus_parser_fail(p, "a value", err);
        }
        p->at++;
    }
    out->place = arus_parser_place(p, begin);
    out->text = (struct arus_text){p->sql.data + begin, out->place.size};
    return ARUS_OK;
}

static enum arus_status parse_time_zone(struct arus_parser *p, struct arus_ast_statement *out,
                                        struct arus_error *err)
{
    enum arus_status status;

    out->kind = ARUS_AST_SET_TIME_ZONE;
    p->at += 2;
    if (parser_is(p, ARUS_TOKEN_STRING)) {
        return arus_parse_string(p, "a zone", &out->time_zone.zone, err);
    }
    if (parser_take_word(p, ARUS_WORD_LOCAL)) {
        out->time_zone.is_local = true;
        return ARUS_OK;
    }
    if (parser_is_word(p, ARUS_WORD_INTERVAL)) {
        return arus_parse_interval(p, &out->time_zone.interval, err);
    }
    status = arus_parser_fail(p, "a zone in quotes, LOCAL or an INTERVAL", err);
    (void)arus_error_help(err, "SET TIME ZONE 'Europe/Berlin'");
    return status;
}

static bool is_set_of_something_else(const struct arus_parser *p)
{
    static const char *const WORDS[] = {"VAR", "VARIABLE", "ROLE", "CATALOG"};

    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (parser_is_text(p, parser_token(p), WORDS[i]) && token_is_name(parser_peek(p, 1))) {
            return true;
        }
    }
    return false;
}

static enum arus_status parse_set(struct arus_parser *p, struct arus_ast_statement *out,
                                  struct arus_error *err)
{
    p->at++;
    if (parser_is_words(p, ARUS_WORD_TIME, ARUS_WORD_ZONE)) {
        return parse_time_zone(p, out, err);
    }
    out->kind = ARUS_AST_SET;
    if (parser_at_end(p)) {
        return ARUS_OK;
    }
    if (parser_is(p, ARUS_TOKEN_MINUS) && parser_is_text(p, parser_peek(p, 1), "v")) {
        p->at += 2;
        out->setting.is_verbose = true;
        return ARUS_OK;
    }
    if (is_set_of_something_else(p)) {
        return arus_parser_refuse(token_place(parser_token(p)), err, "SET %.*s",
                                  ARUS_TEXT_ARGS(parser_text(p, parser_token(p))));
    }
    ARUS_TRY(parse_setting_key(p, &out->setting.key, err));
    if (parser_at_end(p)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_EQUAL, "`=`", err));
    return take_raw_value(p, &out->setting.value, err);
}

static enum arus_status parse_reset(struct arus_parser *p, struct arus_ast_statement *out,
                                    struct arus_error *err)
{
    p->at++;
    out->kind = ARUS_AST_RESET;
    return parser_at_end(p) ? ARUS_OK : parse_setting_key(p, &out->setting.key, err);
}

/* ---- EXPLAIN, DESCRIBE, SHOW ---- */

static enum arus_status parse_explain(struct arus_parser *p, struct arus_ast_statement *out,
                                      struct arus_error *err)
{
    const struct arus_token *word;

    p->at++;
    out->kind = ARUS_AST_EXPLAIN;
    word = parser_token(p);
    if (parser_take_word(p, ARUS_WORD_EXTENDED)) {
        out->explain.mode = ARUS_AST_EXPLAIN_EXTENDED;
    } else if (parser_take_word(p, ARUS_WORD_FORMATTED)) {
        out->explain.mode = ARUS_AST_EXPLAIN_FORMATTED;
    } else if (token_is_word(word, ARUS_WORD_CODEGEN) || token_is_word(word, ARUS_WORD_COST) ||
               token_is_word(word, ARUS_WORD_LOGICAL)) {
        return arus_parser_refuse(token_place(word), err, "EXPLAIN %.*s",
                                  ARUS_TEXT_ARGS(parser_text(p, word)));
    } else if (token_is_word(word, ARUS_WORD_ANALYZE)) {
        return arus_parser_fail(p, "a statement", err);
    }
    ARUS_TRY(arus_parser_enter(p, err));
    ARUS_TRY(arus_parse_statement(p, &out->explain.statement, err));
    p->depth--;
    return ARUS_OK;
}

static bool take_extended(struct arus_parser *p)
{
    if (token_ends_statement(parser_peek(p, 1)) || parser_peek(p, 1)->kind == ARUS_TOKEN_DOT) {
        return false; /* a table of this name */
    }
    return parser_take_word(p, ARUS_WORD_EXTENDED) || parser_take_word(p, ARUS_WORD_FORMATTED);
}

static enum arus_status parse_describe(struct arus_parser *p, struct arus_ast_statement *out,
                                       struct arus_error *err)
{
    const bool has_more = !token_ends_statement(parser_peek(p, 2));

    p->at++;
    out->kind = ARUS_AST_DESCRIBE;
    if (has_more && parser_take_word(p, ARUS_WORD_FUNCTION)) {
        out->describe.what = ARUS_AST_DESCRIBE_FUNCTION;
        out->describe.is_extended = take_extended(p);
        return arus_parse_names(p, "a function", &out->describe.name, err);
    }
    if (has_more && (parser_is_word(p, ARUS_WORD_DATABASE) || parser_is_word(p, ARUS_WORD_SCHEMA) ||
                     parser_is_word(p, ARUS_WORD_CATALOG))) {
        return arus_parser_refuse(token_place(parser_token(p)), err, "DESCRIBE %.*s",
                                  ARUS_TEXT_ARGS(parser_text(p, parser_token(p))));
    }
    if (has_more && (parser_take_word(p, ARUS_WORD_QUERY) ||
                     (!parser_is_word(p, ARUS_WORD_TABLE) && arus_parser_is_query_at(p, p->at)))) {
        out->describe.what = ARUS_AST_DESCRIBE_QUERY;
        return arus_parse_query(p, &out->describe.query, err);
    }
    if (has_more) {
        (void)parser_take_word(p, ARUS_WORD_TABLE);
    }
    out->describe.is_extended = take_extended(p);
    return arus_parse_names(p, "a table", &out->describe.name, err);
}

/* [FROM|IN db] [[LIKE] 'p*'] */
static enum arus_status parse_show_pattern(struct arus_parser *p, struct arus_ast_show *out,
                                           struct arus_error *err)
{
    if (parser_is_word(p, ARUS_WORD_FROM) || parser_is_word(p, ARUS_WORD_IN)) {
        return arus_parser_refuse(token_place(parser_token(p)), err, "a database");
    }
    if (parser_take_word(p, ARUS_WORD_LIKE) || parser_is(p, ARUS_TOKEN_STRING)) {
        return arus_parse_string(p, "a pattern in quotes", &out->pattern, err);
    }
    return ARUS_OK;
}

static enum arus_status parse_show_columns(struct arus_parser *p, struct arus_ast_show *out,
                                           struct arus_error *err)
{
    if (!parser_take_word(p, ARUS_WORD_FROM) && !parser_take_word(p, ARUS_WORD_IN)) {
        return arus_parser_fail(p, "`FROM`", err);
    }
    return arus_parse_names(p, "a table", &out->name, err);
}

static enum arus_status parse_show_properties(struct arus_parser *p, struct arus_ast_show *out,
                                              struct arus_error *err)
{
    ARUS_TRY(arus_parse_names(p, "a table", &out->name, err));
    if (!parser_take(p, ARUS_TOKEN_OPEN)) {
        return ARUS_OK;
    }
    if (parser_is(p, ARUS_TOKEN_STRING)) {
        ARUS_TRY(arus_parse_string(p, "a key", &out->pattern, err));
    } else {
        ARUS_TRY(parse_setting_key(p, &out->pattern, err));
    }
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err);
}

static bool take_function_kind(struct arus_parser *p)
{
    const struct arus_token *token = parser_token(p);

    if (token_is_word(parser_peek(p, 1), ARUS_WORD_FUNCTIONS) &&
        (token->word == ARUS_WORD_ALL || parser_is_text(p, token, "SYSTEM") ||
         parser_is_text(p, token, "USER"))) {
        p->at++;
    }
    return parser_take_word(p, ARUS_WORD_FUNCTIONS);
}

static enum arus_status parse_show(struct arus_parser *p, struct arus_ast_statement *out,
                                   struct arus_error *err)
{
    struct arus_ast_show *show = &out->show;

    p->at++;
    out->kind = ARUS_AST_SHOW;
    if (parser_take_word(p, ARUS_WORD_TABLES)) {
        show->what = ARUS_AST_SHOW_TABLES;
        return parse_show_pattern(p, show, err);
    }
    if (parser_take_word(p, ARUS_WORD_VIEWS)) {
        show->what = ARUS_AST_SHOW_VIEWS;
        return parse_show_pattern(p, show, err);
    }
    if (take_function_kind(p)) {
        show->what = ARUS_AST_SHOW_FUNCTIONS;
        return parse_show_pattern(p, show, err);
    }
    if (parser_take_word(p, ARUS_WORD_COLUMNS)) {
        show->what = ARUS_AST_SHOW_COLUMNS;
        return parse_show_columns(p, show, err);
    }
    if (parser_is_words(p, ARUS_WORD_CREATE, ARUS_WORD_TABLE)) {
        p->at += 2;
        show->what = ARUS_AST_SHOW_CREATE_TABLE;
        return arus_parse_names(p, "a table", &show->name, err);
    }
    if (parser_take_word(p, ARUS_WORD_TBLPROPERTIES)) {
        show->what = ARUS_AST_SHOW_TBLPROPERTIES;
        return parse_show_properties(p, show, err);
    }
    if (!token_is_name(parser_token(p))) {
        return arus_parser_fail(p, "`TABLES`", err);
    }
    return arus_parser_refuse(token_place(parser_token(p)), err, "SHOW %.*s",
                              ARUS_TEXT_ARGS(parser_text(p, parser_token(p))));
}

/* ---- INSERT ---- */

enum arus_status arus_parse_insert(struct arus_parser *p, struct arus_ast_insert *out,
                                   struct arus_error *err)
{
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_INSERT, err));
    if (parser_is_text(p, parser_token(p), "OVERWRITE")) {
        return arus_parser_refuse(token_place(parser_token(p)), err, "INSERT OVERWRITE");
    }
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_INTO, err));
    if (token_is_name(parser_peek(p, 1))) {
        (void)parser_take_word(p, ARUS_WORD_TABLE);
    }
    ARUS_TRY(arus_parse_names(p, "a table", &out->target, err));
    if (parser_is_words(p, ARUS_WORD_BY, ARUS_WORD_NAME)) {
        p->at += 2;
        out->is_by_name = true;
    }
    if (parser_is_word(p, ARUS_WORD_PARTITION) || parser_is_word(p, ARUS_WORD_REPLACE) ||
        (parser_is(p, ARUS_TOKEN_OPEN) && !arus_parser_is_query_at(p, p->at))) {
        return arus_parser_refuse(token_place(parser_token(p)), err,
                                  "a column list, PARTITION or REPLACE behind INSERT INTO");
    }
    return arus_parse_query(p, &out->query, err);
}

static enum arus_status parse_insert(struct arus_parser *p, struct arus_ast_statement *out,
                                     struct arus_error *err)
{
    out->kind = ARUS_AST_INSERT;
    return arus_parse_insert(p, &out->insert, err);
}

static enum arus_status parse_query(struct arus_parser *p, struct arus_ast_statement *out,
                                    struct arus_error *err)
{
    out->kind = ARUS_AST_QUERY;
    return arus_parse_query(p, &out->query, err);
}

/* ---- all ---- */

typedef enum arus_status (*statement_fn)(struct arus_parser *p, struct arus_ast_statement *out,
                                         struct arus_error *err);

static const struct {
    enum arus_word word;
    statement_fn parse; /* NULL: a statement of Spark that arus refuses */
} STATEMENTS[] = {
    {ARUS_WORD_SELECT, parse_query},
    {ARUS_WORD_WITH, parse_query},
    {ARUS_WORD_VALUES, parse_query},
    {ARUS_WORD_FROM, parse_query},
    {ARUS_WORD_TABLE, parse_query},
    {ARUS_WORD_CREATE, arus_parse_create},
    {ARUS_WORD_SET, parse_set},
    {ARUS_WORD_RESET, parse_reset},
    {ARUS_WORD_INSERT, parse_insert},
    {ARUS_WORD_EXPLAIN, parse_explain},
    {ARUS_WORD_DESCRIBE, parse_describe},
    {ARUS_WORD_DESC, parse_describe},
    {ARUS_WORD_SHOW, parse_show},
    {ARUS_WORD_ADD, NULL},
    {ARUS_WORD_ALTER, NULL},
    {ARUS_WORD_ANALYZE, NULL},
    {ARUS_WORD_BEGIN, NULL},
    {ARUS_WORD_CACHE, NULL},
    {ARUS_WORD_CALL, NULL},
    {ARUS_WORD_CLEAR, NULL},
    {ARUS_WORD_COMMENT, NULL},
    {ARUS_WORD_COMMIT, NULL},
    {ARUS_WORD_DECLARE, NULL},
    {ARUS_WORD_DELETE, NULL},
    {ARUS_WORD_DROP, NULL},
    {ARUS_WORD_EXECUTE, NULL},
    {ARUS_WORD_EXPORT, NULL},
    {ARUS_WORD_GRANT, NULL},
    {ARUS_WORD_IMPORT, NULL},
    {ARUS_WORD_LOAD, NULL},
    {ARUS_WORD_LOCK, NULL},
    {ARUS_WORD_MERGE, NULL},
    {ARUS_WORD_MSCK, NULL},
    {ARUS_WORD_OPTIMIZE, NULL},
    {ARUS_WORD_REFRESH, NULL},
    {ARUS_WORD_REPAIR, NULL},
    {ARUS_WORD_REPLACE, NULL},
    {ARUS_WORD_REVOKE, NULL},
    {ARUS_WORD_ROLLBACK, NULL},
    {ARUS_WORD_TRUNCATE, NULL},
    {ARUS_WORD_UNCACHE, NULL},
    {ARUS_WORD_UNLOCK, NULL},
    {ARUS_WORD_UPDATE, NULL},
    {ARUS_WORD_USE, NULL},
};
#define STATEMENT_COUNT (sizeof STATEMENTS / sizeof STATEMENTS[0])

/* "`SELEC` starts no statement; did you mean `SELECT`?" */
static enum arus_status fail_statement(const struct arus_parser *p, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const struct arus_text text = parser_text(p, token);
    enum arus_word words[STATEMENT_COUNT];
    struct arus_error near;

    if (token->kind != ARUS_TOKEN_WORD) {
        return arus_parser_fail(p, "a statement", err);
    }
    for (size_t i = 0; i < STATEMENT_COUNT; i++) {
        words[i] = STATEMENTS[i].word;
    }
    near.label[0] = '\0';
    near.status = ARUS_BAD_CONFIG;
    arus_parser_suggest(p, token, words, STATEMENT_COUNT, &near);
    return arus_parser_fail_at(token_place(token), err, "`%.*s` starts no statement%s%s",
                               (int)(text.size > 40 ? 40 : text.size), text.data,
                               near.label[0] == '\0' ? "" : "; ", near.label);
}

static enum arus_status parse_known(struct arus_parser *p, struct arus_ast_statement *out,
                                    struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    if (token->kind == ARUS_TOKEN_OPEN) {
        return parse_query(p, out, err);
    }
    for (size_t i = 0; i < STATEMENT_COUNT; i++) {
        if (!token_is_word(token, STATEMENTS[i].word)) {
            continue;
        }
        if (STATEMENTS[i].parse != NULL) {
            return STATEMENTS[i].parse(p, out, err);
        }
        return arus_parser_refuse(token_place(token), err, "%s",
                                  arus_word_text(STATEMENTS[i].word).data);
    }
    return fail_statement(p, err);
}

enum arus_status arus_parse_statement(struct arus_parser *p, const struct arus_ast_statement **out,
                                      struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_statement *statement;

    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_statement, 1, &statement, err));
    ARUS_TRY(parse_known(p, statement, err));
    statement->place = arus_parser_place(p, begin);
    *out = statement;
    return ARUS_OK;
}
