/** SELECT and its clauses, and the operators behind |>. */
#include "sql/parser_internal.h"

/* ---- items ---- */

static bool at_alias(const struct arus_parser *p)
{
    const struct arus_token *token = parser_token(p);
    const struct arus_token *next = parser_peek(p, 1);

    if (token->kind != ARUS_TOKEN_WORD) {
        return token->kind == ARUS_TOKEN_QUOTED;
    }
    if (token->word == ARUS_WORD_FROM) { /* SELECT 1 from: nothing else can be meant */
        return token_ends_statement(next);
    }
    if (token_is_word(next, ARUS_WORD_BY) &&
        (token->word == ARUS_WORD_SORT || token->word == ARUS_WORD_CLUSTER ||
         token->word == ARUS_WORD_DISTRIBUTE)) {
        return false;
    }
    return (arus_word_flags(token->word) & ARUS_WORD_NOT_ALIAS) == 0;
}

static enum arus_status parse_item(struct arus_parser *p, struct arus_ast_item *out,
                                   struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    *out = (struct arus_ast_item){0};
    ARUS_TRY(arus_parse_expr(p, &out->expr, err));
    if (parser_take_word(p, ARUS_WORD_AS)) {
        if (parser_is(p, ARUS_TOKEN_OPEN)) {
            ARUS_TRY(arus_parse_name_list(p, "a name", &out->aliases, err));
        } else {
            ARUS_TRY(arus_parse_name(p, "a name", &out->alias, err));
        }
    } else if (at_alias(p)) {
        ARUS_TRY(arus_parse_name(p, "a name", &out->alias, err));
        p->alias_at = p->at;
    }
    out->place = arus_parser_place(p, begin);
    return ARUS_OK;
}

enum arus_status arus_parse_items(struct arus_parser *p, struct arus_list *out,
                                  struct arus_error *err)
{
    do {
        struct arus_ast_item item;

        ARUS_TRY(parse_item(p, &item, err));
        ARUS_TRY(ARUS_PUSH(p, out, item, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    return ARUS_OK;
}

/* ---- GROUP BY ---- */

/* An element of GROUPING SETS may be (). */
static enum arus_status parse_element(struct arus_parser *p, struct arus_list *out,
                                      struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const struct arus_ast_expr *expr;
    struct arus_ast_expr *empty;

    if (parser_is(p, ARUS_TOKEN_OPEN) && parser_peek(p, 1)->kind == ARUS_TOKEN_CLOSE) {
        p->at += 2;
        ARUS_TRY(arus_expr_make(p, ARUS_AST_ROW, begin, (struct arus_list){0}, &empty, err));
        expr = empty;
    } else {
        ARUS_TRY(arus_parse_expr(p, &expr, err));
    }
    return ARUS_PUSH(p, out, expr, err);
}

/* The elements of ROLLUP or CUBE. */
static enum arus_status parse_elements(struct arus_parser *p, struct arus_ast_group *out,
                                       struct arus_error *err)
{
    struct arus_list keys = {0};

    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    do {
        ARUS_TRY(parse_element(p, &keys, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    out->keys = keys.items;
    out->count = keys.count;
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

static enum arus_status make_key(struct arus_parser *p, uint32_t begin,
                                 const struct arus_list *keys, struct arus_ast_group *out)
{
    *out = (struct arus_ast_group){.kind = ARUS_AST_GROUP_LIST,
                                   .keys = keys->items,
                                   .count = keys->count,
                                   .place = arus_parser_place(p, begin)};
    return ARUS_OK;
}

/* ROLLUP (..), CUBE (..), GROUPING SETS (..): takes the words. */
static bool take_grouping(struct arus_parser *p, struct arus_ast_group *out)
{
    const struct arus_token *token = parser_token(p);

    if (parser_is_words(p, ARUS_WORD_GROUPING, ARUS_WORD_SETS)) {
        out->kind = ARUS_AST_GROUP_SETS;
        p->at++;
    } else if (parser_peek(p, 1)->kind == ARUS_TOKEN_OPEN &&
               (parser_is_word(p, ARUS_WORD_ROLLUP) || parser_is_word(p, ARUS_WORD_CUBE))) {
        out->kind = token->word == ARUS_WORD_CUBE ? ARUS_AST_GROUP_CUBE : ARUS_AST_GROUP_ROLLUP;
    } else {
        return false;
    }
    p->at++;
    out->place = arus_parser_place(p, token->begin);
    return true;
}

static enum arus_status parse_sets(struct arus_parser *p, struct arus_ast_group *out,
                                   struct arus_error *err);

/* ROLLUP (..), CUBE (..), GROUPING SETS (..). */
static enum arus_status parse_grouping(struct arus_parser *p, struct arus_ast_group *out,
                                       struct arus_error *err)
{
    return out->kind == ARUS_AST_GROUP_SETS ? parse_sets(p, out, err) : parse_elements(p, out, err);
}

/* One of GROUPING SETS (..): keys; or sets again, which behind a list of keys Spark does not know.
 */
static enum arus_status parse_set(struct arus_parser *p, bool may_nest, struct arus_ast_group *out,
                                  struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_list keys = {0};

    if (may_nest && take_grouping(p, out)) {
        return parse_grouping(p, out, err);
    }
    ARUS_TRY(parse_element(p, &keys, err));
    return make_key(p, begin, &keys, out);
}

static enum arus_status parse_sets(struct arus_parser *p, struct arus_ast_group *out,
                                   struct arus_error *err)
{
    struct arus_list parts = {0};

    ARUS_TRY(arus_parser_enter(p, err));
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    do {
        struct arus_ast_group part = {0};

        ARUS_TRY(parse_set(p, out->count == 0, &part, err));
        ARUS_TRY(ARUS_PUSH(p, &parts, part, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    out->parts = parts.items;
    out->part_count = parts.count;
    p->depth--;
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

/* One part of a list: a key, or grouping sets. */
static enum arus_status parse_group_part(struct arus_parser *p, struct arus_ast_group *out,
                                         struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const struct arus_ast_expr *key;
    struct arus_list keys = {0};

    if (take_grouping(p, out)) {
        return parse_grouping(p, out, err);
    }
    ARUS_TRY(arus_parse_expr(p, &key, err));
    ARUS_TRY(ARUS_PUSH(p, &keys, key, err));
    return make_key(p, begin, &keys, out);
}

/* Keys alone are one list. */
static enum arus_status join_keys(struct arus_parser *p, const struct arus_list *parts,
                                  struct arus_ast_group *out, struct arus_error *err)
{
    const struct arus_ast_group *items = parts->items;
    struct arus_list keys = {0};

    out->kind = ARUS_AST_GROUP_LIST;
    for (uint32_t i = 0; i < parts->count; i++) {
        ARUS_TRY(ARUS_PUSH(p, &keys, items[i].keys[0], err));
    }
    out->keys = keys.items;
    out->count = keys.count;
    return ARUS_OK;
}

static enum arus_status parse_group_list(struct arus_parser *p, struct arus_ast_group *out,
                                         struct arus_error *err)
{
    struct arus_list parts = {0};
    bool has_sets = false;

    do {
        struct arus_ast_group part = {0};

        ARUS_TRY(parse_group_part(p, &part, err));
        has_sets |= part.kind != ARUS_AST_GROUP_LIST;
        ARUS_TRY(ARUS_PUSH(p, &parts, part, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    if (has_sets && parts.count == 1) {
        *out = *(const struct arus_ast_group *)parts.items;
        return ARUS_OK;
    }
    if (has_sets) {
        out->kind = ARUS_AST_GROUP_PRODUCT;
        out->parts = parts.items;
        out->part_count = parts.count;
        return ARUS_OK;
    }
    ARUS_TRY(join_keys(p, &parts, out, err));
    if (parser_is_words(p, ARUS_WORD_GROUPING, ARUS_WORD_SETS)) {
        (void)take_grouping(p, out);
        return parse_sets(p, out, err);
    }
    if (parser_is_words(p, ARUS_WORD_WITH, ARUS_WORD_ROLLUP) ||
        parser_is_words(p, ARUS_WORD_WITH, ARUS_WORD_CUBE)) {
        p->at += 2;
        out->kind = token_is_word(parser_token(p) - 1, ARUS_WORD_CUBE) ? ARUS_AST_GROUP_CUBE
                                                                       : ARUS_AST_GROUP_ROLLUP;
    }
    return ARUS_OK;
}

static bool at_group_all(const struct arus_parser *p)
{
    const struct arus_token *next = parser_peek(p, 1);

    return parser_is_word(p, ARUS_WORD_ALL) && next->kind != ARUS_TOKEN_DOT &&
           next->kind != ARUS_TOKEN_COMMA && next->kind != ARUS_TOKEN_OPEN;
}

enum arus_status arus_parse_group_by(struct arus_parser *p, struct arus_ast_group *out,
                                     struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    if (!parser_is_words(p, ARUS_WORD_GROUP, ARUS_WORD_BY)) {
        return ARUS_OK;
    }
    p->at += 2;
    out->place = arus_parser_place(p, begin);
    if (at_group_all(p)) {
        p->at++;
        out->kind = ARUS_AST_GROUP_ALL;
        return ARUS_OK;
    }
    return parse_group_list(p, out, err);
}

/* ---- SELECT ---- */

static enum arus_status skip_hint(struct arus_parser *p, struct arus_error *err)
{
    while (parser_is(p, ARUS_TOKEN_HINT)) {
        const struct arus_ast_warning warning = {
            .place = token_place(parser_token(p)),
            .message = ARUS_TEXT("arus needs no hints: this one is ignored")};

        ARUS_TRY(ARUS_PUSH(p, &p->warnings, warning, err));
        p->at++;
    }
    return ARUS_OK;
}

static bool take_distinct(struct arus_parser *p)
{
    const struct arus_token *next = parser_peek(p, 1);

    if (next->kind == ARUS_TOKEN_COMMA || next->kind == ARUS_TOKEN_DOT ||
        token_ends_statement(next) || token_is_word(next, ARUS_WORD_FROM)) {
        return false; /* a column of this name */
    }
    if (parser_take_word(p, ARUS_WORD_DISTINCT)) {
        return true;
    }
    (void)parser_take_word(p, ARUS_WORD_ALL);
    return false;
}

static enum arus_status refuse_clauses(const struct arus_parser *p, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    if (token_is_word(token, ARUS_WORD_QUALIFY) && !token_ends_statement(parser_peek(p, 1))) {
        return arus_parser_refuse(token_place(token), err, "QUALIFY");
    }
    if (token_is_word(token, ARUS_WORD_WINDOW) && token_is_name(parser_peek(p, 1))) {
        return arus_parser_refuse(token_place(token), err, "the WINDOW clause");
    }
    return ARUS_OK;
}

enum arus_status arus_parse_select(struct arus_parser *p, const struct arus_ast_relation *from,
                                   struct arus_ast_select *out, struct arus_error *err)
{
    struct arus_list items = {0};

    *out = (struct arus_ast_select){.from = from, .place = token_place(parser_token(p))};
    p->at++;
    ARUS_TRY(skip_hint(p, err));
    out->is_distinct = take_distinct(p);
    ARUS_TRY(arus_parse_items(p, &items, err));
    out->items = items.items;
    out->item_count = items.count;
    if (from == NULL && parser_take_word(p, ARUS_WORD_FROM)) {
        ARUS_TRY(arus_parse_from(p, &out->from, err));
    }
    if (parser_take_word(p, ARUS_WORD_WHERE)) {
        ARUS_TRY(arus_parse_expr(p, &out->where, err));
    }
    ARUS_TRY(arus_parse_group_by(p, &out->group_by, err));
    if (parser_take_word(p, ARUS_WORD_HAVING)) {
        ARUS_TRY(arus_parse_expr(p, &out->having, err));
    }
    return refuse_clauses(p, err);
}

/* ---- pipes ---- */

static enum arus_status pipe_items(struct arus_parser *p, struct arus_ast_pipe *out,
                                   struct arus_error *err)
{
    struct arus_list items = {0};

    if (out->kind == ARUS_AST_PIPE_SELECT) {
        ARUS_TRY(skip_hint(p, err));
        out->is_distinct = take_distinct(p);
    }
    ARUS_TRY(arus_parse_items(p, &items, err));
    out->items = items.items;
    out->item_count = items.count;
    return refuse_clauses(p, err);
}

/* SET c = e, .. */
static enum arus_status pipe_set(struct arus_parser *p, struct arus_ast_pipe *out,
                                 struct arus_error *err)
{
    struct arus_list items = {0};

    do {
        struct arus_ast_item item = {0};

        ARUS_TRY(arus_parse_name(p, "a column", &item.alias, err));
        ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_EQUAL, "`=`", err));
        ARUS_TRY(arus_parse_expr(p, &item.expr, err));
        item.place = arus_parser_place(p, item.alias.place.begin);
        ARUS_TRY(ARUS_PUSH(p, &items, item, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    out->items = items.items;
    out->item_count = items.count;
    return ARUS_OK;
}

static enum arus_status pipe_drop(struct arus_parser *p, struct arus_ast_pipe *out,
                                  struct arus_error *err)
{
    struct arus_list names = {0};

    do {
        struct arus_ast_name name;

        ARUS_TRY(arus_parse_name(p, "a column", &name, err));
        ARUS_TRY(ARUS_PUSH(p, &names, name, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    out->names = (struct arus_ast_names){names.items, names.count};
    return ARUS_OK;
}

static enum arus_status pipe_as(struct arus_parser *p, struct arus_ast_pipe *out,
                                struct arus_error *err)
{
    struct arus_list names = {0};
    struct arus_ast_name name;

    ARUS_TRY(arus_parse_name(p, "a name", &name, err));
    ARUS_TRY(ARUS_PUSH(p, &names, name, err));
    out->names = (struct arus_ast_names){names.items, names.count};
    return ARUS_OK;
}

static enum arus_status pipe_where(struct arus_parser *p, struct arus_ast_pipe *out,
                                   struct arus_error *err)
{
    return arus_parse_expr(p, &out->condition, err);
}

/* AGGREGATE [items] [GROUP BY items] */
static enum arus_status pipe_aggregate(struct arus_parser *p, struct arus_ast_pipe *out,
                                       struct arus_error *err)
{
    struct arus_list items = {0};
    struct arus_list keys = {0};

    if (!parser_is_words(p, ARUS_WORD_GROUP, ARUS_WORD_BY)) {
        ARUS_TRY(arus_parse_items(p, &items, err));
    }
    out->items = items.items;
    out->item_count = items.count;
    if (parser_is_words(p, ARUS_WORD_GROUP, ARUS_WORD_BY)) {
        p->at += 2;
        ARUS_TRY(arus_parse_items(p, &keys, err));
    }
    out->group_items = keys.items;
    out->group_item_count = keys.count;
    return ARUS_OK;
}

static enum arus_status pipe_order(struct arus_parser *p, struct arus_ast_pipe *out,
                                   struct arus_error *err)
{
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_BY, err));
    return arus_parse_order(p, &out->order, err);
}

static enum arus_status pipe_parentheses(struct arus_parser *p, struct arus_ast_pipe *out,
                                         struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    (void)out;
    if (token->kind != ARUS_TOKEN_OPEN || token->match == 0) {
        return arus_parser_fail(p, "`(`", err);
    }
    p->at = token->match + 1;
    return ARUS_OK;
}

typedef enum arus_status (*pipe_fn)(struct arus_parser *p, struct arus_ast_pipe *out,
                                    struct arus_error *err);

static const struct {
    enum arus_word word;
    enum arus_ast_pipe_kind kind;
    pipe_fn parse;
} PIPES[] = {
    {ARUS_WORD_SELECT, ARUS_AST_PIPE_SELECT, pipe_items},
    {ARUS_WORD_EXTEND, ARUS_AST_PIPE_EXTEND, pipe_items},
    {ARUS_WORD_SET, ARUS_AST_PIPE_SET, pipe_set},
    {ARUS_WORD_DROP, ARUS_AST_PIPE_DROP, pipe_drop},
    {ARUS_WORD_AS, ARUS_AST_PIPE_AS, pipe_as},
    {ARUS_WORD_WHERE, ARUS_AST_PIPE_WHERE, pipe_where},
    {ARUS_WORD_AGGREGATE, ARUS_AST_PIPE_AGGREGATE, pipe_aggregate},
    {ARUS_WORD_ORDER, ARUS_AST_PIPE_ORDER, pipe_order},
    {ARUS_WORD_TABLESAMPLE, ARUS_AST_PIPE_SAMPLE, pipe_parentheses},
    {ARUS_WORD_PIVOT, ARUS_AST_PIPE_PIVOT, pipe_parentheses},
    {ARUS_WORD_UNPIVOT, ARUS_AST_PIPE_PIVOT, pipe_parentheses},
};
#define PIPE_COUNT (sizeof PIPES / sizeof PIPES[0])

static enum arus_status fail_pipe(const struct arus_parser *p, struct arus_error *err)
{
    const enum arus_status status = arus_parser_fail(p, "an operator behind `|>`", err);
    enum arus_word words[PIPE_COUNT];

    for (size_t i = 0; i < PIPE_COUNT; i++) {
        words[i] = PIPES[i].word;
    }
    if (err->label[0] == '\0') {
        arus_parser_suggest(p, parser_token(p), words, PIPE_COUNT, err);
    }
    (void)arus_error_help(err, "SELECT, EXTEND, SET, DROP, AS, WHERE, AGGREGATE, JOIN, UNION, "
                               "EXCEPT, INTERSECT, ORDER BY, LIMIT or OFFSET");
    return status;
}

/* ORDER BY .. LIMIT .. is two operators. */
static enum arus_status check_single(const struct arus_parser *p, struct arus_error *err)
{
    enum arus_status status;

    if (!parser_is_word(p, ARUS_WORD_LIMIT) && !parser_is_word(p, ARUS_WORD_OFFSET) &&
        !parser_is_word(p, ARUS_WORD_ORDER)) {
        return ARUS_OK;
    }
    status = arus_fail_at(err, token_place(parser_token(p)),
                          "MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS",
                          "a pipe operator has one of ORDER BY, LIMIT and OFFSET");
    (void)arus_error_help(err, "|> ORDER BY .. |> LIMIT ..");
    return status;
}

static enum arus_status parse_pipe_operator(struct arus_parser *p, struct arus_ast_pipe *out,
                                            struct arus_error *err)
{
    if (arus_parser_at_join(p)) {
        out->kind = ARUS_AST_PIPE_JOIN;
        return arus_parse_join(p, &out->join, err);
    }
    if (arus_parser_at_set_op(p)) {
        out->kind = ARUS_AST_PIPE_SET_OP;
        ARUS_TRY(arus_parse_set_words(p, &out->set, err));
        return arus_parse_term(p, &out->set.right, err);
    }
    if (parser_is_word(p, ARUS_WORD_LIMIT) || parser_is_word(p, ARUS_WORD_OFFSET)) {
        out->kind = ARUS_AST_PIPE_LIMIT;
        ARUS_TRY(arus_parse_limit(p, &out->limit, &out->offset, err));
        return check_single(p, err);
    }
    for (size_t i = 0; i < PIPE_COUNT; i++) {
        if (parser_take_word(p, PIPES[i].word)) {
            out->kind = PIPES[i].kind;
            ARUS_TRY(PIPES[i].parse(p, out, err));
            return out->kind == ARUS_AST_PIPE_ORDER ? check_single(p, err) : ARUS_OK;
        }
    }
    return fail_pipe(p, err);
}

enum arus_status arus_parse_pipe(struct arus_parser *p, struct arus_ast_pipe *out,
                                 struct arus_error *err)
{
    *out = (struct arus_ast_pipe){.place = token_place(parser_token(p))};
    return parse_pipe_operator(p, out, err);
}
