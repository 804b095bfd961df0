/** What operators work on: literals, names, calls, CASE, parentheses, and the postfixes [i] .f ::t.
 */
#include "sql/parser_internal.h"

/* ---- names ---- */

static bool may_follow_name(const struct arus_token *token)
{
    static const enum arus_word WORDS[] = {
        ARUS_WORD_FROM, ARUS_WORD_AS,   ARUS_WORD_AND,   ARUS_WORD_OR,    ARUS_WORD_IS,
        ARUS_WORD_IN,   ARUS_WORD_NOT,  ARUS_WORD_LIKE,  ARUS_WORD_WHERE, ARUS_WORD_BETWEEN,
        ARUS_WORD_ASC,  ARUS_WORD_DESC, ARUS_WORD_NULLS, ARUS_WORD_DIV,   ARUS_WORD_END,
    };

    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        if (token_is_word(token, WORDS[i])) {
            return true;
        }
    }
    return token->kind == ARUS_TOKEN_COMMA || token->kind == ARUS_TOKEN_CLOSE ||
           token->kind == ARUS_TOKEN_DOT || token->kind == ARUS_TOKEN_CLOSE_BRACKET ||
           (token->kind >= ARUS_TOKEN_EQUAL && token->kind <= ARUS_TOKEN_SHIFT_RIGHT_UNSIGNED);
}

/* like('abc', 'a%'): these operators are functions too. */
static bool is_operator_function(const struct arus_token *token, const struct arus_token *next)
{
    return next->kind == ARUS_TOKEN_OPEN &&
           (token->word == ARUS_WORD_LIKE || token->word == ARUS_WORD_ILIKE ||
            token->word == ARUS_WORD_RLIKE || token->word == ARUS_WORD_REGEXP);
}

/* Words like FROM are columns only where nothing else fits: `SELECT a, FROM t` is a slip. */
static enum arus_status check_word(const struct arus_parser *p, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const struct arus_token *next = parser_peek(p, 1);
    enum arus_status status;

    if (!parser_is_words(p, ARUS_WORD_ORDER, ARUS_WORD_BY) &&
        !parser_is_words(p, ARUS_WORD_GROUP, ARUS_WORD_BY) &&
        (token->kind != ARUS_TOKEN_WORD ||
         (arus_word_flags(token->word) & ARUS_WORD_NOT_VALUE) == 0 || may_follow_name(next) ||
         is_operator_function(token, next))) {
        return ARUS_OK;
    }
    status = arus_parser_fail(p, "an expression", err);
    if (token->word == ARUS_WORD_AS && token_is_name(next) && p->at > 0 &&
        token[-1].kind != ARUS_TOKEN_OPEN) {
        err->condition = "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"; /* Spark reads a column AS */
    }
    if (token->word == ARUS_WORD_FROM && p->at > 0 && token[-1].kind == ARUS_TOKEN_COMMA) {
        (void)arus_error_help(err, "leave out the comma before FROM");
    }
    return status;
}

static bool is_niladic(enum arus_word word)
{
    return word == ARUS_WORD_CURRENT_DATE || word == ARUS_WORD_CURRENT_TIMESTAMP ||
           word == ARUS_WORD_CURRENT_USER || word == ARUS_WORD_LOCALTIMESTAMP;
}

static enum arus_status make_niladic(struct arus_parser *p, const struct arus_token *token,
                                     struct arus_list names, const struct arus_ast_expr **out,
                                     struct arus_error *err)
{
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_expr_make(p, ARUS_AST_CALL, token->begin, (struct arus_list){0}, &expr, err));
    expr->call.form = ARUS_AST_CALL_NILADIC;
    expr->call.name = (struct arus_ast_names){names.items, names.count};
    *out = expr;
    return ARUS_OK;
}

static enum arus_status parse_lambda(struct arus_parser *p, uint32_t begin, struct arus_list names,
                                     const struct arus_ast_expr **out, struct arus_error *err)
{
    const struct arus_ast_expr *body;
    struct arus_list args = {0};
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_ARROW, "`->`", err));
    ARUS_TRY(arus_parse_expr(p, &body, err));
    ARUS_TRY(ARUS_PUSH(p, &args, body, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_LAMBDA, begin, args, &expr, err));
    expr->names = (struct arus_ast_names){names.items, names.count};
    *out = expr;
    return ARUS_OK;
}

/* ( a, s.f ) behind EXCEPT. */
static enum arus_status parse_excepts(struct arus_parser *p, struct arus_ast_star *star,
                                      struct arus_error *err)
{
    struct arus_list list = {0};

    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    do {
        struct arus_ast_names names;

        ARUS_TRY(arus_parse_names(p, "a column", &names, err));
        ARUS_TRY(ARUS_PUSH(p, &list, names, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    star->excepts = list.items;
    star->except_count = list.count;
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

/* At the `*`. */
static enum arus_status parse_star(struct arus_parser *p, uint32_t begin, struct arus_list names,
                                   const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_ast_star star = {.qualifier = {names.items, names.count}};
    struct arus_ast_expr *expr;

    p->at++;
    if (parser_is_word(p, ARUS_WORD_EXCEPT) && parser_peek(p, 1)->kind == ARUS_TOKEN_OPEN &&
        !arus_parser_is_query_at(p, p->at + 2)) {
        p->at++;
        ARUS_TRY(parse_excepts(p, &star, err));
    } else if (parser_is_word(p, ARUS_WORD_EXCLUDE)) {
        enum arus_status status = arus_parser_fail(p, "`FROM`", err);

        (void)arus_error_help(err, "Spark spells it * EXCEPT (a, b)");
        return status;
    }
    ARUS_TRY(arus_expr_make(p, ARUS_AST_STAR, begin, (struct arus_list){0}, &expr, err));
    expr->star = star;
    *out = expr;
    return ARUS_OK;
}

/* a.b.c, a.b(..), t.*, x -> e, current_date. */
static enum arus_status parse_path(struct arus_parser *p, const struct arus_ast_expr **out,
                                   struct arus_error *err)
{
    const struct arus_token *first = parser_token(p);
    struct arus_list names = {0};
    struct arus_ast_names path;
    struct arus_ast_expr *expr;

    ARUS_TRY(check_word(p, err));
    do {
        struct arus_ast_name name;

        if (names.count > 0 && parser_is(p, ARUS_TOKEN_STAR)) {
            return parse_star(p, first->begin, names, out, err);
        }
        if (!token_is_name(parser_token(p))) {
            return arus_parser_fail(p, "a name", err);
        }
        ARUS_TRY(arus_parser_take_name(p, &name, err));
        ARUS_TRY(ARUS_PUSH(p, &names, name, err));
    } while (parser_take(p, ARUS_TOKEN_DOT));
    path = (struct arus_ast_names){names.items, names.count};
    if (parser_is(p, ARUS_TOKEN_OPEN)) {
        return arus_parse_call(p, path, first->begin, out, err);
    }
    if (names.count == 1 && parser_is(p, ARUS_TOKEN_ARROW)) {
        return parse_lambda(p, first->begin, names, out, err);
    }
    if (names.count == 1 && first->kind == ARUS_TOKEN_WORD && is_niladic(first->word)) {
        return make_niladic(p, first, names, out, err);
    }
    ARUS_TRY(arus_expr_make(p, ARUS_AST_COLUMN, first->begin, (struct arus_list){0}, &expr, err));
    expr->names = path;
    *out = expr;
    return ARUS_OK;
}

/* ---- parentheses ---- */

static enum arus_status parse_scalar_query(struct arus_parser *p, const struct arus_ast_expr **out,
                                           struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const struct arus_ast_query *query;
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_parse_nested_query(p, &query, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_SCALAR_QUERY, begin, (struct arus_list){0}, &expr, err));
    expr->query = query;
    *out = expr;
    return arus_height_raise(&expr->height, arus_query_height(query), expr->place, err);
}

static enum arus_status parse_lambda_list(struct arus_parser *p, const struct arus_ast_expr **out,
                                          struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_names names;

    ARUS_TRY(arus_parse_name_list(p, "a parameter", &names, err));
    return parse_lambda(
        p, begin, (struct arus_list){.items = (void *)(uintptr_t)names.items, .count = names.count},
        out, err);
}

/* ( e ) or a row ( e, e, .. ). */
static enum arus_status parse_nested(struct arus_parser *p, const struct arus_ast_expr **out,
                                     struct arus_error *err)
{
    const struct arus_token *open = parser_token(p);
    struct arus_list args = {0};
    struct arus_ast_expr *expr;

    if (open->match != 0 && p->tokens[open->match + 1].kind == ARUS_TOKEN_ARROW) {
        return parse_lambda_list(p, out, err);
    }
    if (arus_parser_is_query_at(p, p->at + 1)) {
        return parse_scalar_query(p, out, err);
    }
    p->at++;
    ARUS_TRY(arus_parse_expr_list(p, &args, err));
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_CLOSE, args.count > 1 ? "`,` or `)`" : "`)`", err));
    if (args.count == 1) {
        *out = *(const struct arus_ast_expr *const *)args.items;
        return ARUS_OK;
    }
    ARUS_TRY(arus_expr_make(p, ARUS_AST_ROW, open->begin, args, &expr, err));
    *out = expr;
    return ARUS_OK;
}

/* ---- CASE ---- */

static bool at_case(const struct arus_parser *p)
{
    const struct arus_token *next = parser_peek(p, 1);

    return parser_is_word(p, ARUS_WORD_CASE) && next->kind != ARUS_TOKEN_COMMA &&
           next->kind != ARUS_TOKEN_CLOSE && next->kind != ARUS_TOKEN_DOT &&
           !token_is_word(next, ARUS_WORD_FROM) && !token_is_word(next, ARUS_WORD_AS);
}

struct case_parts {
    struct arus_list whens;
    struct arus_list thens;
};

static enum arus_status parse_branches(struct arus_parser *p, struct case_parts *parts,
                                       struct arus_error *err)
{
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_WHEN, err));
    do {
        const struct arus_ast_expr *expr;

        ARUS_TRY(arus_parse_expr(p, &expr, err));
        ARUS_TRY(ARUS_PUSH(p, &parts->whens, expr, err));
        ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_THEN, err));
        ARUS_TRY(arus_parse_expr(p, &expr, err));
        ARUS_TRY(ARUS_PUSH(p, &parts->thens, expr, err));
    } while (parser_take_word(p, ARUS_WORD_WHEN));
    return ARUS_OK;
}

static enum arus_status raise_case(struct arus_ast_expr *expr, struct arus_error *err)
{
    const struct arus_ast_case *c = &expr->case_;

    ARUS_TRY(arus_height_raise(&expr->height, arus_expr_height(c->operand), expr->place, err));
    ARUS_TRY(arus_height_raise(&expr->height, arus_expr_height(c->otherwise), expr->place, err));
    for (uint32_t i = 0; i < c->branch_count; i++) {
        ARUS_TRY(arus_height_raise(&expr->height, c->whens[i]->height, expr->place, err));
        ARUS_TRY(arus_height_raise(&expr->height, c->thens[i]->height, expr->place, err));
    }
    return ARUS_OK;
}

static enum arus_status parse_case(struct arus_parser *p, const struct arus_ast_expr **out,
                                   struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_case result = {0};
    struct case_parts parts = {0};
    struct arus_ast_expr *expr;

    p->at++;
    if (!parser_is_word(p, ARUS_WORD_WHEN)) {
        ARUS_TRY(arus_parse_expr(p, &result.operand, err));
    }
    ARUS_TRY(parse_branches(p, &parts, err));
    if (parser_take_word(p, ARUS_WORD_ELSE)) {
        ARUS_TRY(arus_parse_expr(p, &result.otherwise, err));
    }
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_END, err));
    result.whens = parts.whens.items;
    result.thens = parts.thens.items;
    result.branch_count = parts.whens.count;
    ARUS_TRY(arus_expr_make(p, ARUS_AST_CASE, begin, (struct arus_list){0}, &expr, err));
    expr->case_ = result;
    *out = expr;
    return raise_case(expr, err);
}

/* ---- postfixes ---- */

static enum arus_status parse_index(struct arus_parser *p, uint32_t begin,
                                    const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_list args = {0};
    const struct arus_ast_expr *index;
    struct arus_ast_expr *expr;

    p->at++;
    ARUS_TRY(ARUS_PUSH(p, &args, *out, err));
    ARUS_TRY(arus_parse_value(p, &index, err));
    ARUS_TRY(ARUS_PUSH(p, &args, index, err));
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_CLOSE_BRACKET, "`]`", err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_INDEX, begin, args, &expr, err));
    *out = expr;
    return ARUS_OK;
}

static enum arus_status parse_field(struct arus_parser *p, uint32_t begin,
                                    const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_list args = {0};
    struct arus_list names = {0};
    struct arus_ast_name name;
    struct arus_ast_expr *expr;

    p->at++;
    if (!token_is_name(parser_token(p))) {
        return arus_parser_fail(p, "a field", err);
    }
    ARUS_TRY(arus_parser_take_name(p, &name, err));
    ARUS_TRY(ARUS_PUSH(p, &names, name, err));
    ARUS_TRY(ARUS_PUSH(p, &args, *out, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_FIELD, begin, args, &expr, err));
    expr->names = (struct arus_ast_names){names.items, names.count};
    *out = expr;
    return ARUS_OK;
}

static enum arus_status parse_colons(struct arus_parser *p, uint32_t begin,
                                     const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_ast_cast cast = {.form = ARUS_AST_CAST_COLONS};
    struct arus_list args = {0};
    struct arus_ast_expr *expr;

    p->at++;
    ARUS_TRY(arus_parse_type(p, &cast.type, err));
    ARUS_TRY(ARUS_PUSH(p, &args, *out, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_CAST, begin, args, &expr, err));
    expr->cast = cast;
    *out = expr;
    return ARUS_OK;
}

static enum arus_status refuse_postfix(const struct arus_parser *p,
                                       const struct arus_ast_expr *expr, struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const bool is_path = token->kind == ARUS_TOKEN_COLON && expr->kind != ARUS_AST_LITERAL &&
                         token_is_name(parser_peek(p, 1));

    if (is_path) {
        return arus_parser_refuse(token_place(token), err, "a path into VARIANT (column:path)");
    }
    if (token_is_word(token, ARUS_WORD_COLLATE) && token_is_name(parser_peek(p, 1))) {
        return arus_parser_refuse(token_place(token), err, "COLLATE");
    }
    return ARUS_OK;
}

static enum arus_status parse_postfixes(struct arus_parser *p, uint32_t begin,
                                        const struct arus_ast_expr **out, struct arus_error *err)
{
    for (;;) {
        if (parser_is(p, ARUS_TOKEN_OPEN_BRACKET)) {
            ARUS_TRY(parse_index(p, begin, out, err));
        } else if (parser_is(p, ARUS_TOKEN_DOT)) {
            ARUS_TRY(parse_field(p, begin, out, err));
        } else if (parser_is(p, ARUS_TOKEN_COLONS)) {
            ARUS_TRY(parse_colons(p, begin, out, err));
        } else {
            return refuse_postfix(p, *out, err);
        }
    }
}

static enum arus_status parse_base(struct arus_parser *p, const struct arus_ast_expr **out,
                                   struct arus_error *err)
{
    if (parser_is(p, ARUS_TOKEN_OPEN)) {
        return parse_nested(p, out, err);
    }
    if (parser_is(p, ARUS_TOKEN_STAR)) {
        return parse_star(p, parser_token(p)->begin, (struct arus_list){0}, out, err);
    }
    if (at_case(p)) {
        return parse_case(p, out, err);
    }
    ARUS_TRY(arus_parse_literal(p, out, err));
    if (*out != NULL) {
        return ARUS_OK;
    }
    if (!token_is_name(parser_token(p))) {
        return arus_parser_fail(p, "an expression", err);
    }
    ARUS_TRY(arus_parse_special_call(p, out, err));
    return *out != NULL ? ARUS_OK : parse_path(p, out, err);
}

enum arus_status arus_parse_primary(struct arus_parser *p, const struct arus_ast_expr **out,
                                    struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;

    ARUS_TRY(parse_base(p, out, err));
    if ((*out)->kind == ARUS_AST_STAR || (*out)->kind == ARUS_AST_LAMBDA) {
        return ARUS_OK;
    }
    return parse_postfixes(p, begin, out, err);
}
