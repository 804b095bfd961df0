/** CREATE TABLE, VIEW, STREAMING TABLE, MATERIALIZED VIEW, FLOW. */
#include "sql/parser_internal.h"

#define NOT_ALLOWED "_LEGACY_ERROR_TEMP_0035" /* Spark: "Operation not allowed" */

/* ---- columns ---- */

static enum arus_status parse_generated(struct arus_parser *p, struct arus_ast_column_def *out,
                                        struct arus_error *err)
{
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_ALWAYS, err));
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_AS, err));
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    ARUS_TRY(arus_parse_expr(p, &out->generated, err));
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err);
}

static enum arus_status fail_twice(const struct arus_token *token, const char *what,
                                   const char *condition, struct arus_error *err)
{
    return arus_fail_at(err, token_place(token), condition, "%s stands twice", what);
}

/* NOT NULL, COMMENT, DEFAULT, GENERATED: in any order, each once. */
static enum arus_status parse_column_options(struct arus_parser *p, struct arus_ast_column_def *out,
                                             struct arus_error *err)
{
    static const char CONDITION[] = "CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE";

    for (;;) {
        const struct arus_token *token = parser_token(p);

        if (parser_is_words(p, ARUS_WORD_NOT, ARUS_WORD_NULL)) {
            if (out->is_not_null) {
                return fail_twice(token, "NOT NULL", CONDITION, err);
            }
            p->at += 2;
            out->is_not_null = true;
        } else if (parser_take_word(p, ARUS_WORD_COMMENT)) {
            if (out->comment.text.data != NULL) {
                return fail_twice(token, "COMMENT", CONDITION, err);
            }
            ARUS_TRY(arus_parse_string(p, "a comment in quotes", &out->comment, err));
        } else if (parser_take_word(p, ARUS_WORD_DEFAULT)) {
            if (out->default_value != NULL) {
                return fail_twice(token, "DEFAULT", CONDITION, err);
            }
            ARUS_TRY(arus_parse_expr(p, &out->default_value, err));
        } else if (parser_take_word(p, ARUS_WORD_GENERATED)) {
            ARUS_TRY(parse_generated(p, out, err));
        } else {
            return ARUS_OK;
        }
    }
}

/* Things that other systems write into a column list. */
static enum arus_status refuse_constraint(const struct arus_parser *p, struct arus_error *err)
{
    static const char *const PAIRS[][2] = {
        {"PRIMARY", "KEY"}, {"FOREIGN", "KEY"}, {"UNIQUE", NULL}, {"CHECK", NULL}};
    const struct arus_token *token = parser_token(p);
    const struct arus_token *next = parser_peek(p, 1);

    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        if (parser_is_text(p, token, PAIRS[i][0]) &&
            (PAIRS[i][1] == NULL ? next->kind == ARUS_TOKEN_OPEN
                                 : parser_is_text(p, next, PAIRS[i][1]))) {
            return arus_parser_refuse(token_place(token), err, "%s%s%s", PAIRS[i][0],
                                      PAIRS[i][1] == NULL ? "" : " ",
                                      PAIRS[i][1] == NULL ? "" : PAIRS[i][1]);
        }
    }
    if (parser_is_text(p, token, "CONSTRAINT") && token_is_name(next) &&
        !token_ends_statement(parser_peek(p, 2)) && parser_peek(p, 2)->kind == ARUS_TOKEN_WORD) {
        return arus_parser_refuse(token_place(token), err, "CONSTRAINT");
    }
    if (parser_is_words(p, ARUS_WORD_WATERMARK, ARUS_WORD_FOR)) {
        const enum arus_status status = arus_parser_fail(p, "a column", err);

        (void)arus_error_help(err, "the watermark stands in the query: FROM STREAM t WATERMARK ts "
                                   "DELAY OF INTERVAL 5 SECONDS");
        return status;
    }
    return ARUS_OK;
}

static enum arus_status fail_colon(const struct arus_parser *p, struct arus_error *err)
{
    const enum arus_status status = arus_parser_fail(p, "a type", err);

    (void)arus_error_note(err, "`name: type` is for the fields of a STRUCT");
    return status;
}

static enum arus_status parse_column(struct arus_parser *p, struct arus_ast_column_def *out,
                                     struct arus_error *err)
{
    *out = (struct arus_ast_column_def){0};
    ARUS_TRY(refuse_constraint(p, err));
    ARUS_TRY(arus_parse_name(p, "a column", &out->name, err));
    if (parser_is(p, ARUS_TOKEN_COLON)) {
        return fail_colon(p, err);
    }
    ARUS_TRY(arus_parse_type(p, &out->type, err));
    ARUS_TRY(parse_column_options(p, out, err));
    return refuse_constraint(p, err);
}

/* Columns of a view: c [COMMENT 's'], or with types for a view over a source. */
static enum arus_status parse_view_column(struct arus_parser *p, struct arus_ast_column_def *out,
                                          struct arus_error *err)
{
    *out = (struct arus_ast_column_def){0};
    ARUS_TRY(arus_parse_name(p, "a column", &out->name, err));
    if (!parser_is(p, ARUS_TOKEN_COMMA) && !parser_is(p, ARUS_TOKEN_CLOSE) &&
        !(parser_is_word(p, ARUS_WORD_COMMENT) && parser_peek(p, 1)->kind == ARUS_TOKEN_STRING)) {
        ARUS_TRY(arus_parse_type(p, &out->type, err));
    }
    return parse_column_options(p, out, err);
}

typedef enum arus_status (*column_fn)(struct arus_parser *p, struct arus_ast_column_def *out,
                                      struct arus_error *err);

static enum arus_status parse_columns(struct arus_parser *p, column_fn parse,
                                      struct arus_ast_create *out, struct arus_error *err)
{
    struct arus_list columns = {0};

    if (!parser_take(p, ARUS_TOKEN_OPEN)) {
        return ARUS_OK;
    }
    do {
        struct arus_ast_column_def column;

        ARUS_TRY(parse(p, &column, err));
        ARUS_TRY(ARUS_PUSH(p, &columns, column, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    out->columns = columns.items;
    out->column_count = columns.count;
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

/* ---- clauses ---- */

enum clause {
    CLAUSE_NONE,
    CLAUSE_USING = 1,
    CLAUSE_OPTIONS = 2,
    CLAUSE_LOCATION = 4,
    CLAUSE_PARTITIONED = 8,
    CLAUSE_COMMENT = 16,
    CLAUSE_PROPERTIES = 32,
    CLAUSE_CLUSTER = 64
};

static enum clause find_clause(const struct arus_parser *p)
{
    static const struct {
        enum arus_word word;
        enum clause clause;
    } CLAUSES[] = {
        {ARUS_WORD_USING, CLAUSE_USING},       {ARUS_WORD_OPTIONS, CLAUSE_OPTIONS},
        {ARUS_WORD_LOCATION, CLAUSE_LOCATION}, {ARUS_WORD_PARTITIONED, CLAUSE_PARTITIONED},
        {ARUS_WORD_COMMENT, CLAUSE_COMMENT},   {ARUS_WORD_TBLPROPERTIES, CLAUSE_PROPERTIES},
        {ARUS_WORD_CLUSTER, CLAUSE_CLUSTER},
    };

    for (size_t i = 0; i < sizeof CLAUSES / sizeof CLAUSES[0]; i++) {
        if (parser_is_word(p, CLAUSES[i].word)) {
            return CLAUSES[i].clause;
        }
    }
    return CLAUSE_NONE;
}

static enum arus_status parse_partitioned(struct arus_parser *p, struct arus_ast_create *out,
                                          struct arus_error *err)
{
    struct arus_list names = {0};

    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_BY, err));
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    do {
        const struct arus_token *token = parser_token(p);
        struct arus_ast_name name;

        ARUS_TRY(arus_parse_name(p, "a column", &name, err));
        if (parser_is(p, ARUS_TOKEN_OPEN)) {
            return arus_parser_refuse(token_place(token), err, "a partition transform");
        }
        ARUS_TRY(ARUS_PUSH(p, &names, name, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    out->partition_by = (struct arus_ast_names){names.items, names.count};
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

/* CLUSTER BY (a, b): kept as a place only. */
static enum arus_status parse_cluster(struct arus_parser *p, struct arus_ast_create *out,
                                      struct arus_error *err)
{
    struct arus_ast_names ignored;

    out->cluster_by = token_place(parser_token(p) - 1);
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_BY, err));
    return arus_parse_name_list(p, "a column", &ignored, err);
}

static enum arus_status parse_key_values(struct arus_parser *p, struct arus_settings *settings,
                                         struct arus_place *place, struct arus_error *err)
{
    const uint32_t begin = parser_token(p)[-1].begin;

    ARUS_TRY(arus_parse_settings(p, "an option", settings, err));
    *place = arus_parser_place(p, begin);
    return ARUS_OK;
}

static enum arus_status parse_clause(struct arus_parser *p, enum clause clause,
                                     struct arus_ast_create *out, struct arus_error *err)
{
    p->at++;
    switch (clause) {
    case CLAUSE_NONE:
        break;
    case CLAUSE_USING:
        return arus_parse_names(p, "a format", &out->format, err);
    case CLAUSE_OPTIONS:
        return parse_key_values(p, &out->options, &out->options_place, err);
    case CLAUSE_PROPERTIES:
        return parse_key_values(p, &out->properties, &out->properties_place, err);
    case CLAUSE_LOCATION:
        return arus_parse_string(p, "a path in quotes", &out->location, err);
    case CLAUSE_COMMENT:
        return arus_parse_string(p, "a comment in quotes", &out->comment, err);
    case CLAUSE_PARTITIONED:
        return parse_partitioned(p, out, err);
    case CLAUSE_CLUSTER:
        return parse_cluster(p, out, err);
    }
    return ARUS_OK;
}

static enum arus_status refuse_clause(const struct arus_parser *p, struct arus_error *err)
{
    static const char *const HIVE[] = {"ROW", "STORED", "CLUSTERED", "SKEWED"};
    enum arus_status status;

    for (size_t i = 0; i < sizeof HIVE / sizeof HIVE[0]; i++) {
        if (parser_is_text(p, parser_token(p), HIVE[i])) {
            return arus_parser_refuse(token_place(parser_token(p)), err, "%s", HIVE[i]);
        }
    }
    if (parser_is_word(p, ARUS_WORD_WITH)) {
        status = arus_parser_fail(p, "`USING`", err);
        (void)arus_error_help(err, "USING json OPTIONS (path 'in'), or TBLPROPERTIES (..) of a "
                                   "streaming table");
        return status;
    }
    return ARUS_OK;
}

/* Clauses in any order, each once; `allowed`: sum of enum clause. */
static enum arus_status parse_clauses(struct arus_parser *p, unsigned allowed,
                                      struct arus_ast_create *out, struct arus_error *err)
{
    unsigned seen = out->format.count == 0 ? 0 : CLAUSE_USING;
    enum clause clause;

    while ((clause = find_clause(p)) != CLAUSE_NONE) {
        const struct arus_token *token = parser_token(p);
        const char *word = arus_word_text(token->word).data;

        if ((seen & clause) != 0) {
            return fail_twice(token, word, "DUPLICATE_CLAUSES", err);
        }
        if ((allowed & clause) == 0) {
            return arus_fail_at(err, token_place(token), NOT_ALLOWED, "%s cannot stand here", word);
        }
        seen |= clause;
        ARUS_TRY(parse_clause(p, clause, out, err));
    }
    return refuse_clause(p, err);
}

static enum arus_status parse_if_not_exists(struct arus_parser *p, struct arus_ast_create *out,
                                            struct arus_error *err)
{
    if (!parser_is_words(p, ARUS_WORD_IF, ARUS_WORD_NOT)) {
        return ARUS_OK;
    }
    p->at += 2;
    out->if_not_exists = true;
    return arus_parser_expect_word(p, ARUS_WORD_EXISTS, err);
}

/* [AS query] */
static enum arus_status parse_as(struct arus_parser *p, struct arus_ast_create *out,
                                 struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    if (!parser_take_word(p, ARUS_WORD_AS)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_parse_query(p, &out->query, err));
    if (out->column_count != 0 && out->columns[0].type.text.data != NULL) {
        return arus_fail_at(err, token_place(token), NOT_ALLOWED,
                            "columns and AS cannot stand together: the query names the columns");
    }
    return ARUS_OK;
}

/* ---- tables ---- */

/* name [(cols)] USING fmt clause* [AS query] */
static enum arus_status parse_table(struct arus_parser *p, struct arus_ast_statement *out,
                                    struct arus_error *err)
{
    struct arus_ast_create *create = &out->create;

    out->kind = ARUS_AST_CREATE_TABLE;
    ARUS_TRY(parse_if_not_exists(p, create, err));
    ARUS_TRY(arus_parse_names(p, "a table", &create->name, err));
    if (parser_is_word(p, ARUS_WORD_LIKE)) {
        return arus_parser_refuse(token_place(parser_token(p)), err, "CREATE TABLE .. LIKE");
    }
    ARUS_TRY(parse_columns(p, parse_column, create, err));
    ARUS_TRY(refuse_clause(p, err));
    if (!parser_is_word(p, ARUS_WORD_USING)) {
        return arus_parser_expect_word(p, ARUS_WORD_USING, err);
    }
    ARUS_TRY(parse_clauses(p, 127, create, err));
    return parse_as(p, create, err);
}

/* Spark says no to OPTIONS and LOCATION; people write them all the same. */
static enum arus_status parse_streaming_clauses(struct arus_parser *p,
                                                struct arus_ast_create *create,
                                                struct arus_error *err)
{
    const unsigned allowed =
        CLAUSE_USING | CLAUSE_PARTITIONED | CLAUSE_COMMENT | CLAUSE_PROPERTIES | CLAUSE_CLUSTER;
    const enum arus_status status = parse_clauses(p, allowed, create, err);

    if (status != ARUS_OK && err->condition != NULL && strcmp(err->condition, NOT_ALLOWED) == 0) {
        (void)arus_error_help(err, "TBLPROPERTIES (path 'out', checkpointLocation 'ckpt')");
    }
    return status;
}

/* name [(cols)] [USING fmt] clause* [AS query] */
static enum arus_status parse_streaming_table(struct arus_parser *p, struct arus_ast_statement *out,
                                              struct arus_error *err)
{
    struct arus_ast_create *create = &out->create;

    out->kind = ARUS_AST_CREATE_STREAMING_TABLE;
    ARUS_TRY(parse_if_not_exists(p, create, err));
    ARUS_TRY(arus_parse_names(p, "a table", &create->name, err));
    ARUS_TRY(parse_columns(p, parse_column, create, err));
    if (parser_take_word(p, ARUS_WORD_USING)) {
        ARUS_TRY(arus_parse_names(p, "a format", &create->format, err));
    }
    ARUS_TRY(parse_streaming_clauses(p, create, err));
    if (parser_take_word(p, ARUS_WORD_AS)) {
        return arus_parse_query(p, &create->query, err);
    }
    return parser_at_end(p) ? ARUS_OK : arus_parser_expect_word(p, ARUS_WORD_AS, err);
}

/* name [(cols)] [USING fmt] clause* AS query */
static enum arus_status parse_materialized_view(struct arus_parser *p,
                                                struct arus_ast_statement *out,
                                                struct arus_error *err)
{
    struct arus_ast_create *create = &out->create;

    out->kind = ARUS_AST_CREATE_MATERIALIZED_VIEW;
    ARUS_TRY(parse_if_not_exists(p, create, err));
    ARUS_TRY(arus_parse_names(p, "a view", &create->name, err));
    ARUS_TRY(parse_columns(p, parse_view_column, create, err));
    if (parser_take_word(p, ARUS_WORD_USING)) {
        ARUS_TRY(arus_parse_names(p, "a format", &create->format, err));
    }
    ARUS_TRY(parse_streaming_clauses(p, create, err));
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_AS, err));
    return arus_parse_query(p, &create->query, err);
}

/* ---- views ---- */

static enum arus_status check_temporary(const struct arus_ast_create *create,
                                        struct arus_place place, struct arus_error *err)
{
    if (create->if_not_exists) {
        return arus_fail_at(err, place, "_LEGACY_ERROR_TEMP_0053",
                            "a temporary view takes no IF NOT EXISTS");
    }
    if (create->properties.count != 0) {
        return arus_fail_at(err, create->properties_place, NOT_ALLOWED,
                            "a temporary view takes no TBLPROPERTIES");
    }
    return ARUS_OK;
}

/* name [(c, ..)] [COMMENT 's'] AS query, or name [(cols)] USING fmt [OPTIONS (..)] */
static enum arus_status parse_view(struct arus_parser *p, struct arus_ast_statement *out,
                                   struct arus_error *err)
{
    struct arus_ast_create *create = &out->create;
    const struct arus_place place = token_place(parser_token(p));

    out->kind = ARUS_AST_CREATE_VIEW;
    ARUS_TRY(parse_if_not_exists(p, create, err));
    ARUS_TRY(arus_parse_names(p, "a view", &create->name, err));
    ARUS_TRY(parse_columns(p, parse_view_column, create, err));
    if (create->is_temporary && parser_take_word(p, ARUS_WORD_USING)) {
        ARUS_TRY(arus_parse_names(p, "a format", &create->format, err));
        ARUS_TRY(parse_clauses(p, CLAUSE_OPTIONS, create, err));
        return create->if_not_exists ? check_temporary(create, place, err) : ARUS_OK;
    }
    ARUS_TRY(parse_clauses(p, CLAUSE_COMMENT | CLAUSE_PROPERTIES, create, err));
    if (create->is_temporary) {
        ARUS_TRY(check_temporary(create, place, err));
    }
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_AS, err));
    ARUS_TRY(arus_parse_query(p, &create->query, err));
    for (uint32_t i = 0; i < create->column_count; i++) {
        if (create->columns[i].type.text.data != NULL) {
            return arus_parser_fail_at(create->columns[i].type.place, err,
                                       "the columns of a view have no types: the query gives them");
        }
    }
    return ARUS_OK;
}

/* FLOW f [COMMENT 's'] AS INSERT INTO .. */
static enum arus_status parse_flow(struct arus_parser *p, struct arus_ast_statement *out,
                                   struct arus_error *err)
{
    struct arus_ast_insert insert = {0};

    ARUS_TRY(arus_parse_names(p, "a flow", &insert.flow, err));
    if (parser_take_word(p, ARUS_WORD_COMMENT)) {
        ARUS_TRY(arus_parse_string(p, "a comment in quotes", &insert.comment, err));
    }
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_AS, err));
    if (parser_is_word(p, ARUS_WORD_AUTO)) {
        return arus_parser_refuse(token_place(parser_token(p)), err, "AUTO CDC");
    }
    ARUS_TRY(arus_parse_insert(p, &insert, err));
    out->kind = ARUS_AST_INSERT;
    out->insert = insert;
    return ARUS_OK;
}

/* ---- which one ---- */

static enum arus_status take_or_replace(struct arus_parser *p, struct arus_ast_create *out,
                                        struct arus_error *err)
{
    if (!parser_take_word(p, ARUS_WORD_OR)) {
        return ARUS_OK;
    }
    out->or_replace = true;
    return arus_parser_expect_word(p, ARUS_WORD_REPLACE, err);
}

static enum arus_status check_replace(const struct arus_parser *p,
                                      const struct arus_ast_create *create, struct arus_error *err)
{
    if (create->or_replace && !parser_is_word(p, ARUS_WORD_VIEW)) {
        return arus_parser_refuse(token_place(parser_token(p) - 1), err,
                                  "OR REPLACE of anything but a view");
    }
    if (create->is_temporary && !parser_is_word(p, ARUS_WORD_VIEW)) {
        const enum arus_status status = arus_parser_fail(p, "`VIEW`", err);

        (void)arus_error_help(err, "CREATE TEMPORARY VIEW, or CREATE TABLE");
        return status;
    }
    return ARUS_OK;
}

static enum arus_status refuse_create(const struct arus_parser *p, struct arus_error *err)
{
    static const char *const WORDS[] = {"FUNCTION",  "DATABASE",   "SCHEMA",  "NAMESPACE", "INDEX",
                                        "CATALOG",   "ROLE",       "METRIC",  "VARIABLE",  "GLOBAL",
                                        "PROCEDURE", "TABLESPACE", "SEQUENCE"};

    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (parser_is_text(p, parser_token(p), WORDS[i])) {
            return arus_parser_refuse(token_place(parser_token(p)), err, "CREATE %s", WORDS[i]);
        }
    }
    return arus_parser_fail(p, "`TABLE`, `VIEW` or `STREAMING TABLE`", err);
}

enum arus_status arus_parse_create(struct arus_parser *p, struct arus_ast_statement *out,
                                   struct arus_error *err)
{
    struct arus_ast_create *create = &out->create;

    p->at++;
    ARUS_TRY(take_or_replace(p, create, err));
    if (parser_is_words(p, ARUS_WORD_EXTERNAL, ARUS_WORD_TABLE)) {
        p->at++;
    }
    create->is_temporary =
        parser_take_word(p, ARUS_WORD_TEMPORARY) || parser_take_word(p, ARUS_WORD_TEMP);
    ARUS_TRY(check_replace(p, create, err));
    if (parser_take_word(p, ARUS_WORD_TABLE)) {
        return parse_table(p, out, err);
    }
    if (parser_take_word(p, ARUS_WORD_VIEW)) {
        return parse_view(p, out, err);
    }
    if (parser_is_words(p, ARUS_WORD_STREAMING, ARUS_WORD_TABLE)) {
        p->at += 2;
        return parse_streaming_table(p, out, err);
    }
    if (parser_is_words(p, ARUS_WORD_MATERIALIZED, ARUS_WORD_VIEW)) {
        p->at += 2;
        return parse_materialized_view(p, out, err);
    }
    if (parser_take_word(p, ARUS_WORD_FLOW)) {
        return parse_flow(p, out, err);
    }
    return refuse_create(p, err);
}
