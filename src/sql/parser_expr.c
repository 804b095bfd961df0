/** Operators and predicates. Chains of one level are loops; only nesting recurses, to a limit. */
#include "sql/parser_internal.h"

uint32_t arus_expr_height(const struct arus_ast_expr *expr)
{
    return expr == NULL ? 0 : expr->height;
}

enum arus_status arus_height_raise(uint32_t *mine, uint32_t height, struct arus_place place,
                                   struct arus_error *err)
{
    *mine = *mine > height + 1 ? *mine : height + 1;
    if (*mine > ARUS_AST_HEIGHT_MAX) {
        return arus_fail_at(err, place, "FAILED_TO_PARSE_TOO_COMPLEX",
                            "this is built of more than %d levels", ARUS_AST_HEIGHT_MAX);
    }
    return ARUS_OK;
}

enum arus_status arus_expr_make(struct arus_parser *p, enum arus_ast_expr_kind kind, uint32_t begin,
                                struct arus_list args, struct arus_ast_expr **out,
                                struct arus_error *err)
{
    struct arus_ast_expr *expr;

    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_expr, 1, &expr, err));
    expr->kind = kind;
    expr->height = 1;
    expr->place = arus_parser_place(p, begin);
    expr->args = args.items;
    expr->arg_count = args.count;
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(
            arus_height_raise(&expr->height, arus_expr_height(expr->args[i]), expr->place, err));
    }
    *out = expr;
    return ARUS_OK;
}

static enum arus_status make_binary(struct arus_parser *p, enum arus_ast_op op, uint32_t begin,
                                    const struct arus_ast_expr *left,
                                    const struct arus_ast_expr *right,
                                    const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_list args = {0};
    struct arus_ast_expr *expr;

    ARUS_TRY(ARUS_PUSH(p, &args, left, err));
    ARUS_TRY(ARUS_PUSH(p, &args, right, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_BINARY, begin, args, &expr, err));
    expr->op = op;
    *out = expr;
    return ARUS_OK;
}

/* ---- operators of values ---- */

static const struct {
    enum arus_token_kind token;
    enum arus_ast_op op;
    unsigned level; /* higher binds tighter */
} OPERATORS[] = {
    {ARUS_TOKEN_STAR, ARUS_AST_MULTIPLY, 7},
    {ARUS_TOKEN_SLASH, ARUS_AST_DIVIDE, 7},
    {ARUS_TOKEN_PERCENT, ARUS_AST_MODULO, 7},
    {ARUS_TOKEN_PLUS, ARUS_AST_ADD, 6},
    {ARUS_TOKEN_MINUS, ARUS_AST_SUBTRACT, 6},
    {ARUS_TOKEN_CONCAT, ARUS_AST_CONCAT, 6},
    {ARUS_TOKEN_SHIFT_LEFT, ARUS_AST_SHIFT_LEFT, 5},
    {ARUS_TOKEN_SHIFT_RIGHT, ARUS_AST_SHIFT_RIGHT, 5},
    {ARUS_TOKEN_SHIFT_RIGHT_UNSIGNED, ARUS_AST_SHIFT_RIGHT_UNSIGNED, 5},
    {ARUS_TOKEN_AMPERSAND, ARUS_AST_BIT_AND, 4},
    {ARUS_TOKEN_HAT, ARUS_AST_BIT_XOR, 3},
    {ARUS_TOKEN_BAR, ARUS_AST_BIT_OR, 2},
    {ARUS_TOKEN_EQUAL, ARUS_AST_EQUAL, 1},
    {ARUS_TOKEN_EQUAL_NULL, ARUS_AST_EQUAL_NULL, 1},
    {ARUS_TOKEN_NOT_EQUAL, ARUS_AST_NOT_EQUAL, 1},
    {ARUS_TOKEN_LESS, ARUS_AST_LESS, 1},
    {ARUS_TOKEN_LESS_EQUAL, ARUS_AST_LESS_EQUAL, 1},
    {ARUS_TOKEN_GREATER, ARUS_AST_GREATER, 1},
    {ARUS_TOKEN_GREATER_EQUAL, ARUS_AST_GREATER_EQUAL, 1},
};

/* The level of the operator at the next token; 0: none. */
static unsigned find_operator(const struct arus_parser *p, enum arus_ast_op *op)
{
    const struct arus_token *token = parser_token(p);

    if (token_is_word(token, ARUS_WORD_DIV)) {
        *op = ARUS_AST_DIV;
        return 7;
    }
    for (size_t i = 0; i < sizeof OPERATORS / sizeof OPERATORS[0]; i++) {
        if (OPERATORS[i].token == token->kind) {
            *op = OPERATORS[i].op;
            return OPERATORS[i].level;
        }
    }
    return 0;
}

static bool find_sign(const struct arus_parser *p, enum arus_ast_op *op)
{
    const struct arus_token *token = parser_token(p);

    if (token->kind == ARUS_TOKEN_MINUS) {
        *op = ARUS_AST_NEGATE;
    } else if (token->kind == ARUS_TOKEN_PLUS) {
        *op = ARUS_AST_PLUS_SIGN;
    } else if (token->kind == ARUS_TOKEN_TILDE) {
        *op = ARUS_AST_BIT_NOT;
    } else {
        return false;
    }
    return true;
}

/* - + ~; a minus before a number belongs to the number. */
static enum arus_status parse_unary(struct arus_parser *p, const struct arus_ast_expr **out,
                                    struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const struct arus_ast_expr *operand;
    struct arus_list args = {0};
    struct arus_ast_expr *expr;
    enum arus_ast_op op;

    if (arus_parser_at_negative_number(p) || !find_sign(p, &op)) {
        return arus_parse_primary(p, out, err);
    }
    p->at++;
    ARUS_TRY(arus_parser_enter(p, err));
    ARUS_TRY(parse_unary(p, &operand, err));
    p->depth--;
    ARUS_TRY(ARUS_PUSH(p, &args, operand, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_UNARY, begin, args, &expr, err));
    expr->op = op;
    *out = expr;
    return ARUS_OK;
}

static enum arus_status parse_operators(struct arus_parser *p, unsigned level_min,
                                        const struct arus_ast_expr **out, struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const struct arus_ast_expr *left;
    enum arus_ast_op op;
    unsigned level;

    ARUS_TRY(parse_unary(p, &left, err));
    while ((level = find_operator(p, &op)) >= level_min && level != 0) {
        const struct arus_ast_expr *right;

        p->at++;
        ARUS_TRY(parse_operators(p, level + 1, &right, err));
        ARUS_TRY(make_binary(p, op, begin, left, right, &left, err));
    }
    *out = left;
    return ARUS_OK;
}

enum arus_status arus_parse_value(struct arus_parser *p, const struct arus_ast_expr **out,
                                  struct arus_error *err)
{
    return parse_operators(p, 1, out, err);
}

/* ---- predicates: one behind each value ---- */

struct predicate {
    uint32_t begin;
    bool is_not;
    const struct arus_ast_expr *value;
};

static enum arus_status parse_between(struct arus_parser *p, const struct predicate *head,
                                      const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_list args = {0};
    const struct arus_ast_expr *bound;
    struct arus_ast_expr *expr;

    p->at++;
    ARUS_TRY(ARUS_PUSH(p, &args, head->value, err));
    ARUS_TRY(arus_parse_value(p, &bound, err));
    ARUS_TRY(ARUS_PUSH(p, &args, bound, err));
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_AND, err));
    ARUS_TRY(arus_parse_value(p, &bound, err));
    ARUS_TRY(ARUS_PUSH(p, &args, bound, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_BETWEEN, head->begin, args, &expr, err));
    expr->is_not = head->is_not;
    *out = expr;
    return ARUS_OK;
}

static enum arus_status parse_in_query(struct arus_parser *p, const struct predicate *head,
                                       const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_list args = {0};
    const struct arus_ast_query *query;
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_parse_nested_query(p, &query, err));
    ARUS_TRY(ARUS_PUSH(p, &args, head->value, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_IN_QUERY, head->begin, args, &expr, err));
    expr->query = query;
    expr->is_not = head->is_not;
    *out = expr;
    return arus_height_raise(&expr->height, arus_query_height(query), expr->place, err);
}

static enum arus_status parse_in(struct arus_parser *p, const struct predicate *head,
                                 const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_list args = {0};
    struct arus_ast_expr *expr;

    p->at++;
    if (parser_is(p, ARUS_TOKEN_OPEN) && arus_parser_is_query_at(p, p->at + 1)) {
        return parse_in_query(p, head, out, err);
    }
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    if (parser_is(p, ARUS_TOKEN_CLOSE)) {
        return arus_fail_at(err, arus_parser_place(p, parser_token(p)[-2].begin),
                            "INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", "the list of IN is empty");
    }
    ARUS_TRY(ARUS_PUSH(p, &args, head->value, err));
    ARUS_TRY(arus_parse_expr_list(p, &args, err));
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_IN, head->begin, args, &expr, err));
    expr->is_not = head->is_not;
    *out = expr;
    return ARUS_OK;
}

static bool take_quantifier(struct arus_parser *p, enum arus_ast_quantifier *out)
{
    if (parser_peek(p, 1)->kind != ARUS_TOKEN_OPEN) {
        return false;
    }
    if (parser_is_word(p, ARUS_WORD_ANY) || parser_is_word(p, ARUS_WORD_SOME)) {
        *out = ARUS_AST_ANY;
    } else if (parser_is_word(p, ARUS_WORD_ALL)) {
        *out = ARUS_AST_ALL;
    } else {
        return false;
    }
    p->at++;
    return true;
}

/* ANY (p, ..), from the parenthesis on. */
static enum arus_status parse_patterns(struct arus_parser *p, struct arus_list *args,
                                       struct arus_error *err)
{
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    if (parser_is(p, ARUS_TOKEN_CLOSE)) {
        return arus_fail_at(err, token_place(parser_token(p) - 2),
                            "INVALID_SQL_SYNTAX.EMPTY_QUANTIFIED_PATTERN",
                            "the list of patterns is empty");
    }
    ARUS_TRY(arus_parse_expr_list(p, args, err));
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

static size_t utf8_length(struct arus_text text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.size; i++) {
        count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    }
    return count;
}

static enum arus_status parse_escape(struct arus_parser *p, struct arus_ast_like *like,
                                     struct arus_error *err)
{
    struct arus_ast_string string;

    if (!parser_take_word(p, ARUS_WORD_ESCAPE)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_parse_string(p, "an escape character", &string, err));
    if (utf8_length(string.text) != 1) {
        return arus_fail_at(err, string.place, "INVALID_ESC", "ESCAPE takes one character");
    }
    like->escape = string.text;
    return ARUS_OK;
}

static enum arus_status parse_like(struct arus_parser *p, const struct predicate *head,
                                   enum arus_ast_like_op op, const struct arus_ast_expr **out,
                                   struct arus_error *err)
{
    struct arus_ast_like like = {.op = op};
    struct arus_list args = {0};
    const struct arus_ast_expr *pattern;
    struct arus_ast_expr *expr;

    p->at++;
    ARUS_TRY(ARUS_PUSH(p, &args, head->value, err));
    if (op != ARUS_AST_RLIKE_OP && take_quantifier(p, &like.quantifier)) {
        ARUS_TRY(parse_patterns(p, &args, err));
    } else {
        ARUS_TRY(arus_parse_value(p, &pattern, err));
        ARUS_TRY(ARUS_PUSH(p, &args, pattern, err));
        if (op != ARUS_AST_RLIKE_OP) {
            ARUS_TRY(parse_escape(p, &like, err));
        }
    }
    ARUS_TRY(arus_expr_make(p, ARUS_AST_LIKE, head->begin, args, &expr, err));
    expr->is_not = head->is_not;
    expr->like = like;
    *out = expr;
    return ARUS_OK;
}

static bool take_test(struct arus_parser *p, enum arus_ast_test *out)
{
    static const struct {
        enum arus_word word;
        enum arus_ast_test test;
    } TESTS[] = {
        {ARUS_WORD_NULL, ARUS_AST_IS_NULL},
        {ARUS_WORD_TRUE, ARUS_AST_IS_TRUE},
        {ARUS_WORD_FALSE, ARUS_AST_IS_FALSE},
        {ARUS_WORD_UNKNOWN, ARUS_AST_IS_UNKNOWN},
    };

    for (size_t i = 0; i < sizeof TESTS / sizeof TESTS[0]; i++) {
        if (parser_take_word(p, TESTS[i].word)) {
            *out = TESTS[i].test;
            return true;
        }
    }
    return false;
}

static enum arus_status parse_is(struct arus_parser *p, const struct predicate *head,
                                 const struct arus_ast_expr **out, struct arus_error *err)
{
    const struct arus_ast_expr *right;
    struct arus_list args = {0};
    enum arus_ast_test test;
    struct arus_ast_expr *expr;
    bool is_not;

    p->at++;
    is_not = parser_take_word(p, ARUS_WORD_NOT);
    if (parser_is_words(p, ARUS_WORD_DISTINCT, ARUS_WORD_FROM)) {
        p->at += 2;
        ARUS_TRY(arus_parse_value(p, &right, err));
        return make_binary(p, is_not ? ARUS_AST_NOT_DISTINCT_FROM : ARUS_AST_DISTINCT_FROM,
                           head->begin, head->value, right, out, err);
    }
    if (!take_test(p, &test)) {
        return arus_parser_fail(p, "`NULL`, `TRUE`, `FALSE`, `UNKNOWN` or `DISTINCT FROM`", err);
    }
    ARUS_TRY(ARUS_PUSH(p, &args, head->value, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_IS, head->begin, args, &expr, err));
    expr->is_not = is_not;
    expr->test = test;
    *out = expr;
    return ARUS_OK;
}

static bool begins_predicate(const struct arus_token *token)
{
    return token->kind == ARUS_TOKEN_WORD &&
           (token->word == ARUS_WORD_BETWEEN || token->word == ARUS_WORD_IN ||
            token->word == ARUS_WORD_LIKE || token->word == ARUS_WORD_ILIKE ||
            token->word == ARUS_WORD_RLIKE || token->word == ARUS_WORD_REGEXP);
}

static enum arus_status parse_predicated(struct arus_parser *p, const struct arus_ast_expr **out,
                                         struct arus_error *err)
{
    struct predicate head = {.begin = parser_token(p)->begin};

    ARUS_TRY(arus_parse_value(p, &head.value, err));
    *out = head.value;
    if (parser_is_word(p, ARUS_WORD_IS)) {
        return parse_is(p, &head, out, err);
    }
    if (parser_is_word(p, ARUS_WORD_NOT) && begins_predicate(parser_peek(p, 1))) {
        head.is_not = true;
        p->at++;
    }
    if (!begins_predicate(parser_token(p))) {
        return ARUS_OK;
    }
    if (parser_is_word(p, ARUS_WORD_BETWEEN)) {
        return parse_between(p, &head, out, err);
    }
    if (parser_is_word(p, ARUS_WORD_IN)) {
        return parse_in(p, &head, out, err);
    }
    return parse_like(p, &head,
                      parser_is_word(p, ARUS_WORD_LIKE)    ? ARUS_AST_LIKE_OP
                      : parser_is_word(p, ARUS_WORD_ILIKE) ? ARUS_AST_ILIKE_OP
                                                           : ARUS_AST_RLIKE_OP,
                      out, err);
}

/* ---- NOT, AND, OR ---- */

static enum arus_status parse_exists(struct arus_parser *p, const struct arus_ast_expr **out,
                                     struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const struct arus_ast_query *query;
    struct arus_ast_expr *expr;

    p->at++;
    ARUS_TRY(arus_parse_nested_query(p, &query, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_EXISTS, begin, (struct arus_list){0}, &expr, err));
    expr->query = query;
    *out = expr;
    return arus_height_raise(&expr->height, arus_query_height(query), expr->place, err);
}

/* `not` may also be a column: NOT only before something that can be negated. */
static bool at_not(const struct arus_parser *p)
{
    const struct arus_token *next = parser_peek(p, 1);

    if (!parser_is_word(p, ARUS_WORD_NOT) && !parser_is(p, ARUS_TOKEN_EXCLAMATION)) {
        return false;
    }
    return !(parser_is_word(p, ARUS_WORD_NOT) &&
             (next->kind == ARUS_TOKEN_COMMA || next->kind == ARUS_TOKEN_CLOSE ||
              next->kind == ARUS_TOKEN_DOT));
}

static enum arus_status parse_not(struct arus_parser *p, const struct arus_ast_expr **out,
                                  struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    const struct arus_ast_expr *operand;
    struct arus_list args = {0};
    struct arus_ast_expr *expr;

    if (parser_is_word(p, ARUS_WORD_EXISTS) && parser_peek(p, 1)->kind == ARUS_TOKEN_OPEN &&
        arus_parser_is_query_at(p, p->at + 2)) {
        return parse_exists(p, out, err);
    }
    if (!at_not(p)) {
        return parse_predicated(p, out, err);
    }
    p->at++;
    ARUS_TRY(arus_parser_enter(p, err));
    ARUS_TRY(parse_not(p, &operand, err));
    p->depth--;
    ARUS_TRY(ARUS_PUSH(p, &args, operand, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_UNARY, begin, args, &expr, err));
    expr->op = ARUS_AST_NOT;
    *out = expr;
    return ARUS_OK;
}

typedef enum arus_status (*parse_fn)(struct arus_parser *p, const struct arus_ast_expr **out,
                                     struct arus_error *err);

/* x AND x AND .. in one node. */
static enum arus_status parse_chain(struct arus_parser *p, enum arus_word word,
                                    enum arus_ast_expr_kind kind, parse_fn parse_part,
                                    const struct arus_ast_expr **out, struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_list args = {0};
    struct arus_ast_expr *expr;

    ARUS_TRY(parse_part(p, out, err));
    if (!parser_is_word(p, word)) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_PUSH(p, &args, *out, err));
    while (parser_take_word(p, word)) {
        ARUS_TRY(parse_part(p, out, err));
        ARUS_TRY(ARUS_PUSH(p, &args, *out, err));
    }
    ARUS_TRY(arus_expr_make(p, kind, begin, args, &expr, err));
    *out = expr;
    return ARUS_OK;
}

static enum arus_status parse_and(struct arus_parser *p, const struct arus_ast_expr **out,
                                  struct arus_error *err)
{
    return parse_chain(p, ARUS_WORD_AND, ARUS_AST_AND, parse_not, out, err);
}

enum arus_status arus_parse_expr(struct arus_parser *p, const struct arus_ast_expr **out,
                                 struct arus_error *err)
{
    ARUS_TRY(arus_parser_enter(p, err));
    ARUS_TRY(parse_chain(p, ARUS_WORD_OR, ARUS_AST_OR, parse_and, out, err));
    p->depth--;
    return ARUS_OK;
}

enum arus_status arus_parse_expr_list(struct arus_parser *p, struct arus_list *out,
                                      struct arus_error *err)
{
    do {
        const struct arus_ast_expr *expr;

        ARUS_TRY(arus_parse_expr(p, &expr, err));
        ARUS_TRY(ARUS_PUSH(p, out, expr, err));
    } while (parser_take(p, ARUS_TOKEN_COMMA));
    return ARUS_OK;
}
