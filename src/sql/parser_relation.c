/** FROM: tables, STREAM, subqueries, table functions, joins, lateral views. */
#include "sql/parser_internal.h"

static enum arus_status parse_relation(struct arus_parser *p, const struct arus_ast_relation **out,
                                       struct arus_error *err);

static enum arus_status make(struct arus_parser *p, enum arus_ast_relation_kind kind,
                             struct arus_ast_relation **out, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_relation, 1, out, err));
    (*out)->kind = kind;
    (*out)->height = 1;
    return ARUS_OK;
}

/* Height over an inner relation. */
static enum arus_status raise(struct arus_ast_relation *relation,
                              const struct arus_ast_relation *inner, struct arus_error *err)
{
    return inner == NULL
               ? ARUS_OK
               : arus_height_raise(&relation->height, inner->height, relation->place, err);
}

/* ---- alias ---- */

static bool is_table_word(const struct arus_token *token)
{
    return token->kind == ARUS_TOKEN_QUOTED ||
           (token->kind == ARUS_TOKEN_WORD &&
            (arus_word_flags(token->word) & ARUS_WORD_NOT_TABLE) == 0);
}

/* WATERMARK is a clause if an expression follows, else a name. */
static bool at_watermark(const struct arus_parser *p)
{
    const struct arus_token *next = parser_peek(p, 1);

    return parser_is_word(p, ARUS_WORD_WATERMARK) &&
           (is_table_word(next) || next->kind == ARUS_TOKEN_OPEN);
}

static bool at_options(const struct arus_parser *p)
{
    return parser_is_word(p, ARUS_WORD_WITH) && parser_peek(p, 1)->kind == ARUS_TOKEN_OPEN;
}

static bool at_bare_alias(const struct arus_parser *p)
{
    const struct arus_token *next = parser_peek(p, 1);

    if (!is_table_word(parser_token(p)) || at_watermark(p) || at_options(p)) {
        return false;
    }
    if (token_is_word(next, ARUS_WORD_BY)) {
        return !parser_is_word(p, ARUS_WORD_SORT) && !parser_is_word(p, ARUS_WORD_CLUSTER) &&
               !parser_is_word(p, ARUS_WORD_DISTRIBUTE);
    }
    return !(parser_is_word(p, ARUS_WORD_WINDOW) && token_is_name(next) &&
             token_is_word(parser_peek(p, 2), ARUS_WORD_AS));
}

static enum arus_status parse_alias(struct arus_parser *p, struct arus_ast_relation *out,
                                    struct arus_error *err)
{
    const bool has_as = parser_take_word(p, ARUS_WORD_AS);

    if (!has_as && !at_bare_alias(p)) {
        return ARUS_OK;
    }
    if (has_as && !is_table_word(parser_token(p))) {
        return arus_parser_fail(p, "an alias", err);
    }
    ARUS_TRY(arus_parse_name(p, "an alias", &out->alias, err));
    if (!has_as) {
        p->alias_at = p->at;
    }
    if (parser_is(p, ARUS_TOKEN_OPEN)) {
        ARUS_TRY(arus_parse_name_list(p, "a column", &out->columns, err));
    }
    return ARUS_OK;
}

/* ---- WITH, WATERMARK ---- */

static enum arus_status parse_options(struct arus_parser *p, struct arus_ast_relation *out,
                                      struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    if (!at_options(p)) {
        return ARUS_OK;
    }
    p->at++;
    ARUS_TRY(arus_parse_settings(p, "an option", &out->options, err));
    out->options_place = arus_parser_place(p, begin);
    return ARUS_OK;
}

static enum arus_status help_delay(enum arus_status status, struct arus_error *err)
{
    (void)arus_error_help(err, "WATERMARK ts DELAY OF INTERVAL 10 MINUTES");
    return status;
}

static enum arus_status check_delay(const struct arus_ast_expr *delay, struct arus_error *err)
{
    const struct arus_ast_interval *interval = &delay->interval;

    if (interval->form == ARUS_AST_INTERVAL_TEXT) {
        return help_delay(arus_parser_fail_at(delay->place, err, "the unit stands in the string"),
                          err);
    }
    return ARUS_OK;
}

/* DELAY OF interval */
static enum arus_status parse_delay(struct arus_parser *p, struct arus_ast_watermark *out,
                                    struct arus_error *err)
{
    if (!parser_take_word(p, ARUS_WORD_DELAY)) {
        return help_delay(arus_parser_fail(p, "`DELAY OF`", err), err);
    }
    if (!parser_take_word(p, ARUS_WORD_OF)) {
        return help_delay(arus_parser_fail(p, "`OF`", err), err);
    }
    if (!parser_is_word(p, ARUS_WORD_INTERVAL)) {
        return help_delay(arus_parser_fail(p, "`INTERVAL`", err), err);
    }
    ARUS_TRY(arus_parse_interval(p, &out->delay, err));
    return check_delay(out->delay, err);
}

static enum arus_status parse_watermark(struct arus_parser *p, struct arus_ast_relation *out,
                                        struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_watermark *watermark;

    if (!at_watermark(p)) {
        return ARUS_OK;
    }
    p->at++;
    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_watermark, 1, &watermark, err));
    ARUS_TRY(arus_parse_expr(p, &watermark->expr, err));
    if (parser_take_word(p, ARUS_WORD_AS) ||
        (is_table_word(parser_token(p)) && !parser_is_word(p, ARUS_WORD_DELAY))) {
        ARUS_TRY(arus_parse_name(p, "a name", &watermark->name, err));
    }
    ARUS_TRY(parse_delay(p, watermark, err));
    watermark->place = arus_parser_place(p, begin);
    out->watermark = watermark;
    return arus_height_raise(&out->height, watermark->expr->height, watermark->place, err);
}

/* The order is fixed: WITH, WATERMARK, alias. */
static enum arus_status fail_order(const struct arus_parser *p, const char *what,
                                   struct arus_error *err)
{
    const enum arus_status status =
        arus_parser_fail_at(token_place(parser_token(p)), err, "%s cannot stand here", what);

    (void)arus_error_help(err, "the order is: STREAM t WITH (..) WATERMARK .. DELAY OF .. AS a");
    return status;
}

/* ---- time travel, samples, pivots ---- */

static enum arus_status refuse_time_travel(const struct arus_parser *p, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const bool is_as_of =
        parser_is_word(p, ARUS_WORD_TIMESTAMP) || parser_is_word(p, ARUS_WORD_VERSION);
    const struct arus_token *next = parser_peek(p, 1);

    if ((is_as_of && token_is_word(next, ARUS_WORD_AS) &&
         token_is_word(parser_peek(p, 2), ARUS_WORD_OF)) ||
        (parser_is_word(p, ARUS_WORD_FOR) &&
         (token_is_word(next, ARUS_WORD_SYSTEM_TIME) ||
          token_is_word(next, ARUS_WORD_SYSTEM_VERSION) ||
          token_is_word(next, ARUS_WORD_TIMESTAMP) || token_is_word(next, ARUS_WORD_VERSION)))) {
        return arus_parser_refuse(token_place(token), err, "time travel");
    }
    return ARUS_OK;
}

/* inner, WORD ( .. ): a relation of its own around `inner`. */
static enum arus_status wrap(struct arus_parser *p, enum arus_ast_relation_kind kind,
                             const struct arus_ast_relation *inner, struct arus_ast_relation **out,
                             struct arus_error *err)
{
    const struct arus_token *word = parser_token(p);
    const struct arus_token *open = parser_peek(p, 1);

    p->at++;
    while (token_is_name(open)) { /* UNPIVOT INCLUDE NULLS */
        p->at++;
        open++;
    }
    if (open->kind != ARUS_TOKEN_OPEN || open->match == 0) {
        return arus_parser_fail(p, "`(`", err);
    }
    p->at = open->match + 1;
    ARUS_TRY(make(p, kind, out, err));
    (*out)->inner = inner;
    (*out)->place = token_place(word);
    (*out)->is_unpivot = word->word == ARUS_WORD_UNPIVOT;
    return raise(*out, inner, err);
}

/* Behind the name or parentheses of a relation: [WITH] [sample] [WATERMARK] [alias]. */
static enum arus_status parse_suffixes(struct arus_parser *p, uint32_t begin,
                                       struct arus_ast_relation **relation, struct arus_error *err)
{
    ARUS_TRY(refuse_time_travel(p, err));
    ARUS_TRY(parse_options(p, *relation, err));
    (*relation)->place = arus_parser_place(p, begin);
    if (parser_is_word(p, ARUS_WORD_TABLESAMPLE) && !(*relation)->is_stream) {
        ARUS_TRY(wrap(p, ARUS_AST_SAMPLE, *relation, relation, err));
    }
    ARUS_TRY(parse_watermark(p, *relation, err));
    ARUS_TRY(parse_alias(p, *relation, err));
    if (at_watermark(p)) {
        return fail_order(p, "WATERMARK", err);
    }
    if (at_options(p)) {
        return fail_order(p, "WITH", err);
    }
    if ((*relation)->kind != ARUS_AST_SAMPLE) {
        (*relation)->place = arus_parser_place(p, begin);
    }
    return ARUS_OK;
}

/* ---- primaries ---- */

enum arus_status arus_parse_values(struct arus_parser *p, const struct arus_ast_relation **out,
                                   struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_relation *relation;
    struct arus_list rows = {0};

    p->at++;
    ARUS_TRY(make(p, ARUS_AST_VALUES, &relation, err));
    ARUS_TRY(arus_parse_expr_list(p, &rows, err));
    relation->values = (struct arus_ast_values){rows.items, rows.count};
    for (uint32_t i = 0; i < rows.count; i++) {
        ARUS_TRY(arus_height_raise(&relation->height, relation->values.rows[i]->height,
                                   relation->values.rows[i]->place, err));
    }
    ARUS_TRY(parse_watermark(p, relation, err));
    ARUS_TRY(parse_alias(p, relation, err));
    relation->place = arus_parser_place(p, begin);
    *out = relation;
    return ARUS_OK;
}

static enum arus_status parse_subquery(struct arus_parser *p, struct arus_ast_relation **out,
                                       struct arus_error *err)
{
    ARUS_TRY(make(p, ARUS_AST_SUBQUERY, out, err));
    ARUS_TRY(arus_parse_nested_query(p, &(*out)->query, err));
    return arus_height_raise(&(*out)->height, (*out)->query->height, (*out)->query->place, err);
}

/* ( rel ) */
static enum arus_status parse_nested_relation(struct arus_parser *p, struct arus_ast_relation **out,
                                              struct arus_error *err)
{
    ARUS_TRY(arus_parser_enter(p, err));
    ARUS_TRY(make(p, ARUS_AST_NESTED, out, err));
    p->at++;
    ARUS_TRY(parse_relation(p, &(*out)->inner, err));
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err));
    p->depth--;
    return raise(*out, (*out)->inner, err);
}

static enum arus_status fail_table(const struct arus_parser *p, struct arus_error *err)
{
    const bool is_flink =
        parser_is_word(p, ARUS_WORD_TABLE) && parser_peek(p, 1)->kind == ARUS_TOKEN_OPEN;
    const enum arus_status status = arus_parser_fail(p, "a table", err);

    if (is_flink) {
        (void)arus_error_help(err, "Spark's windows are functions: GROUP BY window(ts, '10 "
                                   "minutes')");
    }
    return status;
}

/* a.b, or f(..) */
static enum arus_status parse_named(struct arus_parser *p, struct arus_ast_relation **out,
                                    struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    struct arus_ast_names names;

    if (!token_is_name(token) ||
        (token->kind == ARUS_TOKEN_WORD &&
         (arus_word_flags(token->word) & ARUS_WORD_RESERVED) == ARUS_WORD_RESERVED) ||
        (token_is_word(token, ARUS_WORD_TABLE) && parser_peek(p, 1)->kind == ARUS_TOKEN_OPEN)) {
        return fail_table(p, err);
    }
    ARUS_TRY(arus_parse_names(p, "a table", &names, err));
    if (!parser_is(p, ARUS_TOKEN_OPEN)) {
        ARUS_TRY(make(p, ARUS_AST_TABLE, out, err));
        (*out)->name = names;
        return ARUS_OK;
    }
    ARUS_TRY(make(p, ARUS_AST_FUNCTION, out, err));
    (*out)->name = names;
    ARUS_TRY(arus_parse_call(p, names, token->begin, &(*out)->call, err));
    return arus_height_raise(&(*out)->height, (*out)->call->height, (*out)->call->place, err);
}

enum arus_status arus_parse_table_name(struct arus_parser *p, const struct arus_ast_relation **out,
                                       struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_relation *relation;

    ARUS_TRY(make(p, ARUS_AST_TABLE, &relation, err));
    ARUS_TRY(arus_parse_names(p, "a table", &relation->name, err));
    relation->place = arus_parser_place(p, begin);
    *out = relation;
    return ARUS_OK;
}

/* STREAM is a word of its own only if a relation follows. */
static bool at_stream(const struct arus_parser *p)
{
    const struct arus_token *next = parser_peek(p, 1);

    if (!parser_is_word(p, ARUS_WORD_STREAM)) {
        return false;
    }
    if (next->kind == ARUS_TOKEN_OPEN || next->kind == ARUS_TOKEN_QUOTED) {
        return true;
    }
    return is_table_word(next) && !token_is_word(next, ARUS_WORD_WITH) &&
           !(token_is_word(next, ARUS_WORD_WATERMARK) && is_table_word(parser_peek(p, 2)) &&
             !token_is_word(parser_peek(p, 2), ARUS_WORD_WATERMARK));
}

static enum arus_status parse_stream(struct arus_parser *p, struct arus_ast_relation **out,
                                     struct arus_error *err)
{
    const struct arus_place place = token_place(parser_token(p));
    enum arus_status status;

    p->at++;
    if (!parser_take(p, ARUS_TOKEN_OPEN)) {
        ARUS_TRY(parse_named(p, out, err));
    } else if (arus_parser_is_query_at(p, p->at)) {
        status = arus_parser_fail(p, "a table", err);
        (void)arus_error_help(err, "STREAM stands before a table: (SELECT .. FROM STREAM t)");
        return status;
    } else {
        ARUS_TRY(make(p, ARUS_AST_TABLE, out, err));
        ARUS_TRY(arus_parse_names(p, "a table", &(*out)->name, err));
        ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err));
    }
    (*out)->is_stream = true;
    (*out)->stream_place = place;
    return ARUS_OK;
}

static enum arus_status parse_primary(struct arus_parser *p, const struct arus_ast_relation **out,
                                      struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const bool is_lateral = parser_take_word(p, ARUS_WORD_LATERAL);
    struct arus_ast_relation *relation;

    if (parser_is(p, ARUS_TOKEN_OPEN)) {
        ARUS_TRY(arus_parser_is_query_at(p, p->at + 1) ? parse_subquery(p, &relation, err)
                                                       : parse_nested_relation(p, &relation, err));
    } else if (at_stream(p)) {
        ARUS_TRY(parse_stream(p, &relation, err));
    } else if (arus_parser_is_query_at(p, p->at) && parser_is_word(p, ARUS_WORD_VALUES)) {
        return arus_parse_values(p, out, err);
    } else {
        ARUS_TRY(parse_named(p, &relation, err));
    }
    relation->is_lateral = is_lateral;
    ARUS_TRY(parse_suffixes(p, begin, &relation, err));
    *out = relation;
    return ARUS_OK;
}

/* ---- joins ---- */

static const struct {
    enum arus_word first;
    enum arus_word second; /* NONE: no second word */
    enum arus_ast_join_kind kind;
} JOINS[] = {
    {ARUS_WORD_INNER, ARUS_WORD_NONE, ARUS_AST_INNER},
    {ARUS_WORD_CROSS, ARUS_WORD_NONE, ARUS_AST_CROSS},
    {ARUS_WORD_LEFT, ARUS_WORD_OUTER, ARUS_AST_LEFT},
    {ARUS_WORD_LEFT, ARUS_WORD_SEMI, ARUS_AST_SEMI},
    {ARUS_WORD_LEFT, ARUS_WORD_ANTI, ARUS_AST_ANTI},
    {ARUS_WORD_LEFT, ARUS_WORD_NONE, ARUS_AST_LEFT},
    {ARUS_WORD_RIGHT, ARUS_WORD_OUTER, ARUS_AST_RIGHT},
    {ARUS_WORD_RIGHT, ARUS_WORD_NONE, ARUS_AST_RIGHT},
    {ARUS_WORD_FULL, ARUS_WORD_OUTER, ARUS_AST_FULL},
    {ARUS_WORD_FULL, ARUS_WORD_NONE, ARUS_AST_FULL},
    {ARUS_WORD_SEMI, ARUS_WORD_NONE, ARUS_AST_SEMI},
    {ARUS_WORD_ANTI, ARUS_WORD_NONE, ARUS_AST_ANTI},
};

bool arus_parser_at_join(const struct arus_parser *p)
{
    for (size_t i = 0; i < sizeof JOINS / sizeof JOINS[0]; i++) {
        if (parser_is_word(p, JOINS[i].first)) {
            return true;
        }
    }
    return parser_is_word(p, ARUS_WORD_JOIN) || parser_is_word(p, ARUS_WORD_NATURAL);
}

static enum arus_ast_join_kind take_join_kind(struct arus_parser *p)
{
    for (size_t i = 0; i < sizeof JOINS / sizeof JOINS[0]; i++) {
        if (parser_is_word(p, JOINS[i].first) &&
            (JOINS[i].second == ARUS_WORD_NONE ||
             token_is_word(parser_peek(p, 1), JOINS[i].second))) {
            p->at += JOINS[i].second == ARUS_WORD_NONE ? 1 : 2;
            return JOINS[i].kind;
        }
    }
    return ARUS_AST_INNER;
}

static enum arus_status parse_criteria(struct arus_parser *p, struct arus_ast_join *out,
                                       struct arus_error *err)
{
    if (out->is_natural) {
        return ARUS_OK;
    }
    if (parser_take_word(p, ARUS_WORD_ON)) {
        return arus_parse_expr(p, &out->on, err);
    }
    if (parser_take_word(p, ARUS_WORD_USING)) {
        return arus_parse_name_list(p, "a column", &out->using_columns, err);
    }
    return ARUS_OK;
}

enum arus_status arus_parse_join(struct arus_parser *p, struct arus_ast_join *out,
                                 struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    out->is_natural = parser_take_word(p, ARUS_WORD_NATURAL);
    out->kind = take_join_kind(p);
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_JOIN, err));
    out->place = arus_parser_place(p, begin);
    if (out->is_natural && out->kind == ARUS_AST_CROSS) {
        return arus_fail_at(err, out->place, "INCOMPATIBLE_JOIN_TYPES",
                            "a join cannot be NATURAL and CROSS");
    }
    ARUS_TRY(parse_primary(p, &out->right, err));
    return parse_criteria(p, out, err);
}

static enum arus_status make_join(struct arus_parser *p, uint32_t begin,
                                  const struct arus_ast_join *join,
                                  const struct arus_ast_relation **out, struct arus_error *err)
{
    struct arus_ast_relation *relation;

    ARUS_TRY(make(p, ARUS_AST_JOIN, &relation, err));
    relation->join = *join;
    relation->place = arus_parser_place(p, begin);
    ARUS_TRY(raise(relation, join->left, err));
    ARUS_TRY(raise(relation, join->right, err));
    *out = relation;
    return arus_height_raise(&relation->height, arus_expr_height(join->on), join->place, err);
}

static enum arus_status parse_pivot(struct arus_parser *p, const struct arus_ast_relation **out,
                                    struct arus_error *err)
{
    struct arus_ast_relation *relation;

    ARUS_TRY(wrap(p, ARUS_AST_PIVOT, *out, &relation, err));
    ARUS_TRY(parse_alias(p, relation, err));
    *out = relation;
    return ARUS_OK;
}

static bool at_pivot(const struct arus_parser *p)
{
    return parser_is_word(p, ARUS_WORD_PIVOT) || parser_is_word(p, ARUS_WORD_UNPIVOT);
}

/* prim {JOIN prim ..} */
static enum arus_status parse_relation(struct arus_parser *p, const struct arus_ast_relation **out,
                                       struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    ARUS_TRY(parse_primary(p, out, err));
    for (;;) {
        struct arus_ast_join join = {.left = *out};

        if (at_pivot(p)) {
            ARUS_TRY(parse_pivot(p, out, err));
            continue;
        }
        if (!arus_parser_at_join(p)) {
            return ARUS_OK;
        }
        ARUS_TRY(arus_parse_join(p, &join, err));
        ARUS_TRY(make_join(p, begin, &join, out, err));
    }
}

/* ---- FROM ---- */

/* [t] [AS c, ..] behind LATERAL VIEW f(..). */
static enum arus_status parse_view_alias(struct arus_parser *p, struct arus_ast_relation *out,
                                         struct arus_error *err)
{
    struct arus_list names = {0};

    if (at_bare_alias(p)) {
        ARUS_TRY(arus_parse_name(p, "an alias", &out->alias, err));
    }
    if (!parser_take_word(p, ARUS_WORD_AS) && !at_bare_alias(p)) {
        return ARUS_OK;
    }
    do {
        struct arus_ast_name name;

        ARUS_TRY(arus_parse_name(p, "a column", &name, err));
        ARUS_TRY(ARUS_PUSH(p, &names, name, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    out->columns = (struct arus_ast_names){names.items, names.count};
    return ARUS_OK;
}

static enum arus_status parse_lateral_view(struct arus_parser *p,
                                           const struct arus_ast_relation **out,
                                           struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_relation *relation;
    struct arus_ast_names name;
    uint32_t call_begin;

    p->at += 2;
    ARUS_TRY(make(p, ARUS_AST_LATERAL_VIEW, &relation, err));
    relation->lateral_view.input = *out;
    relation->lateral_view.is_outer = parser_take_word(p, ARUS_WORD_OUTER);
    call_begin = parser_token(p)->begin;
    ARUS_TRY(arus_parse_names(p, "a function", &name, err));
    if (!parser_is(p, ARUS_TOKEN_OPEN)) {
        return arus_parser_fail(p, "`(`", err);
    }
    ARUS_TRY(arus_parse_call(p, name, call_begin, &relation->lateral_view.call, err));
    ARUS_TRY(parse_view_alias(p, relation, err));
    relation->place = arus_parser_place(p, begin);
    ARUS_TRY(raise(relation, *out, err));
    *out = relation;
    return arus_height_raise(&relation->height, relation->lateral_view.call->height,
                             relation->place, err);
}

static bool at_lateral_view(const struct arus_parser *p)
{
    return parser_is_words(p, ARUS_WORD_LATERAL, ARUS_WORD_VIEW);
}

enum arus_status arus_parse_from(struct arus_parser *p, const struct arus_ast_relation **out,
                                 struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    ARUS_TRY(parse_relation(p, out, err));
    while (parser_is(p, ARUS_TOKEN_COMMA)) {
        struct arus_ast_join join = {.kind = ARUS_AST_CROSS,
                                     .is_comma = true,
                                     .left = *out,
                                     .place = token_place(parser_token(p))};

        p->at++;
        ARUS_TRY(parse_relation(p, &join.right, err));
        ARUS_TRY(make_join(p, begin, &join, out, err));
    }
    while (at_lateral_view(p)) {
        ARUS_TRY(parse_lateral_view(p, out, err));
    }
    return ARUS_OK;
}
