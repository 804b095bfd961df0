/** Queries: WITH, set operations, ORDER BY, LIMIT, and the parts between parentheses. */
#include "sql/parser_internal.h"

uint32_t arus_query_height(const struct arus_ast_query *query)
{
    return query == NULL ? 0 : query->height;
}

/* ---- where a query begins ---- */

/* Can the token be the first of what follows VALUES, FROM, TABLE? */
static bool begins_operand(const struct arus_token *token)
{
    return token_is_name(token)
               ? token->kind == ARUS_TOKEN_QUOTED ||
                     (arus_word_flags(token->word) & ARUS_WORD_NOT_VALUE) == 0
               : token->kind == ARUS_TOKEN_OPEN || token->kind == ARUS_TOKEN_STRING ||
                     (token->kind >= ARUS_TOKEN_INTEGER && token->kind <= ARUS_TOKEN_BIGDECIMAL) ||
                     token->kind == ARUS_TOKEN_MINUS;
}

static bool begins_query(const struct arus_token *token, const struct arus_token *next)
{
    if (token_is_word(token, ARUS_WORD_SELECT)) {
        return next->kind != ARUS_TOKEN_CLOSE && next->kind != ARUS_TOKEN_COMMA &&
               next->kind != ARUS_TOKEN_DOT;
    }
    if (token_is_word(token, ARUS_WORD_VALUES)) {
        return begins_operand(next) && next->kind != ARUS_TOKEN_MINUS;
    }
    if (token_is_word(token, ARUS_WORD_FROM)) {
        return token_is_name(next) || next->kind == ARUS_TOKEN_OPEN;
    }
    return (token_is_word(token, ARUS_WORD_TABLE) || token_is_word(token, ARUS_WORD_WITH)) &&
           token_is_name(next);
}

/* What may stand behind a query in parentheses so that the whole is still a query. */
static bool continues_query(const struct arus_token *token)
{
    return token->kind == ARUS_TOKEN_CLOSE || token->kind == ARUS_TOKEN_PIPE ||
           token_ends_statement(token) || token_is_word(token, ARUS_WORD_UNION) ||
           token_is_word(token, ARUS_WORD_EXCEPT) || token_is_word(token, ARUS_WORD_MINUS) ||
           token_is_word(token, ARUS_WORD_INTERSECT) || token_is_word(token, ARUS_WORD_ORDER) ||
           token_is_word(token, ARUS_WORD_LIMIT) || token_is_word(token, ARUS_WORD_OFFSET);
}

bool arus_parser_is_query_at(const struct arus_parser *p, uint32_t index)
{
    const struct arus_token *token = &p->tokens[index];
    int depth = 0;

    while (token->kind == ARUS_TOKEN_OPEN) {
        depth++;
        if (depth > ARUS_SQL_DEPTH_MAX || token->match == 0 ||
            !continues_query(&p->tokens[token->match + 1])) {
            return false;
        }
        token++;
    }
    return token->kind != ARUS_TOKEN_END && begins_query(token, token + 1);
}

enum arus_status arus_parse_nested_query(struct arus_parser *p, const struct arus_ast_query **out,
                                         struct arus_error *err)
{
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    ARUS_TRY(arus_parse_query(p, out, err));
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err);
}

/* ---- terms ---- */

static enum arus_status parse_query_term(struct arus_parser *p, struct arus_ast_body *body,
                                         struct arus_error *err)
{
    body->kind = ARUS_AST_BODY_QUERY;
    ARUS_TRY(arus_parse_nested_query(p, &body->query, err));
    body->height = 1;
    return arus_height_raise(&body->height, body->query->height, body->query->place, err);
}

static enum arus_status parse_relation_term(struct arus_parser *p, struct arus_ast_body *body,
                                            struct arus_error *err)
{
    body->kind = ARUS_AST_BODY_RELATION;
    if (parser_take_word(p, ARUS_WORD_TABLE)) {
        ARUS_TRY(arus_parse_table_name(p, &body->relation, err));
    } else {
        ARUS_TRY(arus_parse_values(p, &body->relation, err));
    }
    body->height = body->relation->height + 1;
    return ARUS_OK;
}

static uint32_t item_height(const struct arus_ast_select *select)
{
    uint32_t height = 0;

    for (uint32_t i = 0; i < select->item_count; i++) {
        const uint32_t mine = select->items[i].expr->height;

        height = mine > height ? mine : height;
    }
    return height;
}

static uint32_t group_height(const struct arus_ast_group *group)
{
    uint32_t height = 0;

    for (uint32_t i = 0; i < group->count; i++) {
        height = group->keys[i]->height > height ? group->keys[i]->height : height;
    }
    for (uint32_t i = 0; i < group->part_count; i++) {
        const uint32_t mine = group_height(&group->parts[i]) + 1;

        height = mine > height ? mine : height;
    }
    return height;
}

static enum arus_status raise_select(struct arus_ast_body *body, struct arus_error *err)
{
    const struct arus_ast_select *select = &body->select;
    const uint32_t from = select->from == NULL ? 0 : select->from->height;

    body->height = 1;
    ARUS_TRY(arus_height_raise(&body->height, item_height(select), select->place, err));
    ARUS_TRY(arus_height_raise(&body->height, from, select->place, err));
    ARUS_TRY(arus_height_raise(&body->height, arus_expr_height(select->where), select->place, err));
    ARUS_TRY(
        arus_height_raise(&body->height, arus_expr_height(select->having), select->place, err));
    return arus_height_raise(&body->height, group_height(&select->group_by), select->place, err);
}

/* FROM rel SELECT .., or FROM rel alone before a pipe. */
static enum arus_status parse_from_first(struct arus_parser *p, struct arus_ast_body *body,
                                         struct arus_error *err)
{
    const struct arus_ast_relation *from;

    p->at++;
    ARUS_TRY(arus_parse_from(p, &from, err));
    if (parser_is_word(p, ARUS_WORD_SELECT)) {
        body->kind = ARUS_AST_BODY_SELECT;
        ARUS_TRY(arus_parse_select(p, from, &body->select, err));
        return raise_select(body, err);
    }
    body->kind = ARUS_AST_BODY_RELATION;
    body->relation = from;
    body->height = from->height + 1;
    return ARUS_OK;
}

enum arus_status arus_parse_term(struct arus_parser *p, const struct arus_ast_body **out,
                                 struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_body *body;

    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_body, 1, &body, err));
    if (parser_is(p, ARUS_TOKEN_OPEN)) {
        ARUS_TRY(parse_query_term(p, body, err));
    } else if (parser_is_word(p, ARUS_WORD_SELECT)) {
        body->kind = ARUS_AST_BODY_SELECT;
        ARUS_TRY(arus_parse_select(p, NULL, &body->select, err));
        ARUS_TRY(raise_select(body, err));
    } else if (parser_is_word(p, ARUS_WORD_VALUES) || parser_is_word(p, ARUS_WORD_TABLE)) {
        ARUS_TRY(parse_relation_term(p, body, err));
    } else if (parser_is_word(p, ARUS_WORD_FROM)) {
        ARUS_TRY(parse_from_first(p, body, err));
    } else {
        return arus_parser_fail(p, "`SELECT`", err);
    }
    body->place = arus_parser_place(p, begin);
    *out = body;
    return ARUS_OK;
}

/* ---- set operations ---- */

static bool at_intersect(const struct arus_parser *p)
{
    return parser_is_word(p, ARUS_WORD_INTERSECT);
}

bool arus_parser_at_set_op(const struct arus_parser *p)
{
    return at_intersect(p) || parser_is_word(p, ARUS_WORD_UNION) ||
           parser_is_word(p, ARUS_WORD_EXCEPT) || parser_is_word(p, ARUS_WORD_MINUS);
}

enum arus_status arus_parse_set_words(struct arus_parser *p, struct arus_ast_set *out,
                                      struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);

    p->at++;
    out->op = token->word == ARUS_WORD_UNION       ? ARUS_AST_UNION
              : token->word == ARUS_WORD_INTERSECT ? ARUS_AST_INTERSECT
                                                   : ARUS_AST_EXCEPT;
    out->is_all = parser_take_word(p, ARUS_WORD_ALL);
    if (!out->is_all) {
        (void)parser_take_word(p, ARUS_WORD_DISTINCT);
    }
    out->place = arus_parser_place(p, token->begin);
    if (parser_is_words(p, ARUS_WORD_BY, ARUS_WORD_NAME)) {
        const enum arus_status status = arus_parser_fail(p, "`SELECT`", err);

        (void)arus_error_note(err, "Spark has BY NAME in its DataFrame API only");
        return status;
    }
    return ARUS_OK;
}

static enum arus_status make_set(struct arus_parser *p, uint32_t begin,
                                 const struct arus_ast_set *set, const struct arus_ast_body **out,
                                 struct arus_error *err)
{
    struct arus_ast_body *body;

    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_body, 1, &body, err));
    body->kind = ARUS_AST_BODY_SET;
    body->set = *set;
    body->place = arus_parser_place(p, begin);
    ARUS_TRY(arus_height_raise(&body->height, set->left->height, set->place, err));
    ARUS_TRY(arus_height_raise(&body->height, set->right->height, set->place, err));
    *out = body;
    return ARUS_OK;
}

static enum arus_status parse_intersects(struct arus_parser *p, const struct arus_ast_body **out,
                                         struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    ARUS_TRY(arus_parse_term(p, out, err));
    while (at_intersect(p)) {
        struct arus_ast_set set = {.left = *out};

        ARUS_TRY(arus_parse_set_words(p, &set, err));
        ARUS_TRY(arus_parse_term(p, &set.right, err));
        ARUS_TRY(make_set(p, begin, &set, out, err));
    }
    return ARUS_OK;
}

static enum arus_status parse_body(struct arus_parser *p, const struct arus_ast_body **out,
                                   struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    ARUS_TRY(parse_intersects(p, out, err));
    while (arus_parser_at_set_op(p)) {
        struct arus_ast_set set = {.left = *out};

        ARUS_TRY(arus_parse_set_words(p, &set, err));
        ARUS_TRY(parse_intersects(p, &set.right, err));
        ARUS_TRY(make_set(p, begin, &set, out, err));
    }
    return ARUS_OK;
}

/* ---- WITH, ORDER BY, LIMIT ---- */

static enum arus_status check_cte_name(const struct arus_list *ctes,
                                       const struct arus_ast_name *name, struct arus_error *err)
{
    const struct arus_ast_cte *items = ctes->items;

    for (uint32_t i = 0; i < ctes->count; i++) {
        if (arus_text_equal_nocase(items[i].name.text, name->text)) {
            return arus_fail_at(err, name->place, "DUPLICATED_CTE_NAMES", "WITH names `%.*s` twice",
                                ARUS_TEXT_ARGS(name->text));
        }
    }
    return ARUS_OK;
}

static enum arus_status parse_cte(struct arus_parser *p, struct arus_list *ctes,
                                  struct arus_error *err)
{
    struct arus_ast_cte cte = {0};

    ARUS_TRY(arus_parse_name(p, "a name", &cte.name, err));
    ARUS_TRY(check_cte_name(ctes, &cte.name, err));
    if (parser_is(p, ARUS_TOKEN_OPEN) && !arus_parser_is_query_at(p, p->at + 1)) {
        ARUS_TRY(arus_parse_name_list(p, "a column", &cte.columns, err));
    }
    (void)parser_take_word(p, ARUS_WORD_AS);
    ARUS_TRY(arus_parse_nested_query(p, &cte.query, err));
    return ARUS_PUSH(p, ctes, cte, err);
}

static enum arus_status parse_with(struct arus_parser *p, struct arus_ast_query *query,
                                   struct arus_error *err)
{
    struct arus_list ctes = {0};

    if (!parser_take_word(p, ARUS_WORD_WITH)) {
        return ARUS_OK;
    }
    if (parser_is_word(p, ARUS_WORD_RECURSIVE) && token_is_name(parser_peek(p, 1)) &&
        !token_is_word(parser_peek(p, 1), ARUS_WORD_AS)) {
        return arus_parser_refuse(token_place(parser_token(p)), err, "WITH RECURSIVE");
    }
    do {
        ARUS_TRY(parse_cte(p, &ctes, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    query->ctes = ctes.items;
    query->cte_count = ctes.count;
    return ARUS_OK;
}

static enum arus_status parse_nulls(struct arus_parser *p, enum arus_ast_null_order *out,
                                    struct arus_error *err)
{
    if (!parser_take_word(p, ARUS_WORD_NULLS)) {
        return ARUS_OK;
    }
    if (parser_take_word(p, ARUS_WORD_FIRST)) {
        *out = ARUS_AST_NULLS_FIRST;
        return ARUS_OK;
    }
    *out = ARUS_AST_NULLS_LAST;
    return parser_take_word(p, ARUS_WORD_LAST) ? ARUS_OK
                                               : arus_parser_fail(p, "`FIRST` or `LAST`", err);
}

/* ALL as the only item, not a column of this name. */
static bool take_order_all(struct arus_parser *p)
{
    const struct arus_token *next = parser_peek(p, 1);

    if (!parser_is_word(p, ARUS_WORD_ALL) || next->kind == ARUS_TOKEN_DOT ||
        next->kind == ARUS_TOKEN_COMMA || next->kind == ARUS_TOKEN_OPEN) {
        return false;
    }
    p->at++;
    return true;
}

enum arus_status arus_parse_order(struct arus_parser *p, struct arus_ast_order *out,
                                  struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_list items = {0};

    out->is_all = take_order_all(p);
    do {
        struct arus_ast_order_item item = {0};

        if (!out->is_all) {
            ARUS_TRY(arus_parse_expr(p, &item.expr, err));
        }
        item.is_descending = parser_take_word(p, ARUS_WORD_DESC);
        if (!item.is_descending) {
            (void)parser_take_word(p, ARUS_WORD_ASC);
        }
        ARUS_TRY(parse_nulls(p, &item.nulls, err));
        ARUS_TRY(ARUS_PUSH(p, &items, item, err));
    } while (!out->is_all && parser_take(p, ARUS_TOKEN_COMMA));
    out->items = items.items;
    out->count = items.count;
    out->place = arus_parser_place(p, begin);
    return ARUS_OK;
}

enum arus_status arus_parse_limit(struct arus_parser *p, const struct arus_ast_expr **limit,
                                  const struct arus_ast_expr **offset, struct arus_error *err)
{
    if (parser_take_word(p, ARUS_WORD_LIMIT) && !parser_take_word(p, ARUS_WORD_ALL)) {
        ARUS_TRY(arus_parse_expr(p, limit, err));
    }
    if (parser_take_word(p, ARUS_WORD_OFFSET)) {
        ARUS_TRY(arus_parse_expr(p, offset, err));
    }
    return ARUS_OK;
}

/* The clause at the front; ARUS_WORD_NONE: none. */
static enum arus_word sorting_word(const struct arus_parser *p)
{
    static const enum arus_word WORDS[] = {ARUS_WORD_ORDER, ARUS_WORD_SORT, ARUS_WORD_CLUSTER,
                                           ARUS_WORD_DISTRIBUTE};

    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (parser_is_words(p, WORDS[i], ARUS_WORD_BY)) {
            return WORDS[i];
        }
    }
    return ARUS_WORD_NONE;
}

static enum arus_status check_cluster(const struct arus_parser *p,
                                      const struct arus_ast_order *order, struct arus_error *err)
{
    for (uint32_t i = 0; i < order->count; i++) {
        if (order->items[i].is_descending || order->items[i].nulls != ARUS_AST_NULLS_UNSAID) {
            return arus_parser_fail(p, "no direction behind CLUSTER BY", err);
        }
    }
    return ARUS_OK;
}

/* ORDER BY; SORT BY and CLUSTER BY sort each partition in Spark: all rows sorted are that, too. */
static enum arus_status parse_sorting(struct arus_parser *p, struct arus_ast_query *query,
                                      struct arus_error *err)
{
    const enum arus_word word = sorting_word(p);
    const struct arus_place place = token_place(parser_token(p));

    if (word == ARUS_WORD_NONE) {
        return ARUS_OK;
    }
    if (word == ARUS_WORD_DISTRIBUTE) {
        return arus_parser_refuse(place, err, "DISTRIBUTE BY");
    }
    p->at += 2;
    ARUS_TRY(arus_parse_order(p, &query->order, err));
    query->order.place = arus_parser_place(p, place.begin);
    if (word == ARUS_WORD_CLUSTER) {
        ARUS_TRY(check_cluster(p, &query->order, err));
    }
    return sorting_word(p) == ARUS_WORD_NONE
               ? ARUS_OK
               : arus_fail_at(err, token_place(parser_token(p)),
                              "UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES",
                              "ORDER BY, SORT BY, DISTRIBUTE BY and CLUSTER BY go one at a time");
}

static enum arus_status parse_organization(struct arus_parser *p, struct arus_ast_query *query,
                                           struct arus_error *err)
{
    ARUS_TRY(parse_sorting(p, query, err));
    if (parser_is_word(p, ARUS_WORD_LIMIT)) {
        query->limit_place = token_place(parser_token(p));
    } else if (parser_is_word(p, ARUS_WORD_OFFSET)) {
        query->offset_place = token_place(parser_token(p));
    }
    return arus_parse_limit(p, &query->limit, &query->offset, err);
}

static enum arus_status parse_pipes(struct arus_parser *p, struct arus_ast_query *query,
                                    struct arus_error *err)
{
    struct arus_list pipes = {0};

    while (parser_take(p, ARUS_TOKEN_PIPE)) {
        struct arus_ast_pipe pipe = {0};

        ARUS_TRY(arus_parse_pipe(p, &pipe, err));
        ARUS_TRY(ARUS_PUSH(p, &pipes, pipe, err));
    }
    query->pipes = pipes.items;
    query->pipe_count = pipes.count;
    return ARUS_OK;
}

static enum arus_status raise_query(struct arus_ast_query *query, struct arus_error *err)
{
    ARUS_TRY(arus_height_raise(&query->height, query->body->height, query->place, err));
    ARUS_TRY(arus_height_raise(&query->height, query->pipe_count, query->place, err));
    for (uint32_t i = 0; i < query->cte_count; i++) {
        ARUS_TRY(
            arus_height_raise(&query->height, query->ctes[i].query->height, query->place, err));
    }
    for (uint32_t i = 0; i < query->order.count; i++) {
        ARUS_TRY(arus_height_raise(&query->height, arus_expr_height(query->order.items[i].expr),
                                   query->place, err));
    }
    return ARUS_OK;
}

enum arus_status arus_parse_query(struct arus_parser *p, const struct arus_ast_query **out,
                                  struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_query *query;

    ARUS_TRY(arus_parser_enter(p, err));
    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_query, 1, &query, err));
    ARUS_TRY(parse_with(p, query, err));
    ARUS_TRY(parse_body(p, &query->body, err));
    ARUS_TRY(parse_organization(p, query, err));
    ARUS_TRY(parse_pipes(p, query, err));
    query->place = arus_parser_place(p, begin);
    p->depth--;
    *out = query;
    return raise_query(query, err);
}
