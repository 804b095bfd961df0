/** Calls: arguments and what follows them, and the calls that have words between their arguments.
 */
#include "sql/parser_internal.h"

static enum arus_status make_string(struct arus_parser *p, const struct arus_token *token,
                                    const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_expr_make(p, ARUS_AST_LITERAL, token->begin, (struct arus_list){0}, &expr, err));
    expr->place = token_place(token);
    expr->literal =
        (struct arus_ast_literal){.kind = ARUS_AST_STRING, .text = parser_text(p, token)};
    *out = expr;
    return ARUS_OK;
}

/* A CALL whose arguments are plain. */
static enum arus_status make_call(struct arus_parser *p, const struct arus_ast_call *call,
                                  uint32_t begin, const struct arus_ast_expr **out,
                                  struct arus_error *err)
{
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_expr_make(p, ARUS_AST_CALL, begin, (struct arus_list){0}, &expr, err));
    expr->call = *call;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        ARUS_TRY(arus_height_raise(&expr->height, call->args[i].expr->height, expr->place, err));
    }
    ARUS_TRY(arus_height_raise(&expr->height, arus_expr_height(call->filter), expr->place, err));
    *out = expr;
    return ARUS_OK;
}

/* ---- arguments ---- */

/* TABLE(query), TABLE(name). */
static enum arus_status parse_table_argument(struct arus_parser *p, struct arus_ast_arg *out,
                                             struct arus_error *err)
{
    const uint32_t begin = parser_token(p)->begin;
    struct arus_ast_query *query;
    struct arus_ast_body *body;
    struct arus_ast_expr *expr;

    p->at++;
    if (arus_parser_is_query_at(p, p->at + 1)) {
        const struct arus_ast_query *inner;

        ARUS_TRY(arus_parse_nested_query(p, &inner, err));
        ARUS_TRY(arus_expr_make(p, ARUS_AST_TABLE_ARG, begin, (struct arus_list){0}, &expr, err));
        expr->query = inner;
        out->expr = expr;
        return arus_height_raise(&expr->height, arus_query_height(inner), expr->place, err);
    }
    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_query, 1, &query, err));
    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_body, 1, &body, err));
    p->at++;
    body->kind = ARUS_AST_BODY_RELATION;
    ARUS_TRY(arus_parse_table_name(p, &body->relation, err));
    body->place = body->relation->place;
    query->body = body;
    query->place = body->place;
    body->height = query->height = 2;
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_TABLE_ARG, begin, (struct arus_list){0}, &expr, err));
    expr->query = query;
    expr->height = 3;
    out->expr = expr;
    return ARUS_OK;
}

static bool is_struct(struct arus_ast_names name)
{
    return name.count == 1 && arus_text_equal_nocase(name.items[0].text, ARUS_TEXT("struct"));
}

static enum arus_status parse_argument(struct arus_parser *p, struct arus_ast_names name,
                                       struct arus_ast_arg *out, struct arus_error *err)
{
    *out = (struct arus_ast_arg){0};
    if (parser_is_word(p, ARUS_WORD_TABLE) && parser_peek(p, 1)->kind == ARUS_TOKEN_OPEN) {
        return parse_table_argument(p, out, err);
    }
    if (parser_is_word(p, ARUS_WORD_TABLE) && token_is_name(parser_peek(p, 1))) {
        const enum arus_status status = arus_parser_fail(p, "an expression", err);

        (void)arus_error_help(err, "TABLE(name) or TABLE(SELECT ..)");
        return status;
    }
    if (parser_peek(p, 1)->kind == ARUS_TOKEN_NAMED) {
        out->form = ARUS_AST_ARG_NAMED;
        ARUS_TRY(arus_parse_name(p, "a parameter", &out->name, err));
        p->at++;
    }
    ARUS_TRY(arus_parse_expr(p, &out->expr, err));
    if (is_struct(name) && out->form == ARUS_AST_ARG_PLAIN && parser_take_word(p, ARUS_WORD_AS)) {
        out->form = ARUS_AST_ARG_ALIAS;
        return arus_parse_name(p, "a field", &out->name, err);
    }
    return ARUS_OK;
}

static bool take_nulls(struct arus_parser *p, enum arus_ast_nulls *out)
{
    if (parser_is_words(p, ARUS_WORD_IGNORE, ARUS_WORD_NULLS)) {
        *out = ARUS_AST_IGNORE_NULLS;
    } else if (parser_is_words(p, ARUS_WORD_RESPECT, ARUS_WORD_NULLS)) {
        *out = ARUS_AST_RESPECT_NULLS;
    } else {
        return false;
    }
    p->at += 2;
    return true;
}

/* Inside the parentheses, and the closing one. */
static enum arus_status parse_arguments(struct arus_parser *p, struct arus_ast_call *call,
                                        struct arus_error *err)
{
    struct arus_list args = {0};

    p->at++;
    if (parser_peek(p, 1)->kind != ARUS_TOKEN_CLOSE && parser_peek(p, 1)->kind != ARUS_TOKEN_DOT) {
        call->is_distinct = parser_take_word(p, ARUS_WORD_DISTINCT);
        if (!call->is_distinct && parser_peek(p, 1)->kind != ARUS_TOKEN_COMMA) {
            (void)parser_take_word(p, ARUS_WORD_ALL);
        }
    }
    if (!parser_is(p, ARUS_TOKEN_CLOSE)) {
        do {
            struct arus_ast_arg arg;

            ARUS_TRY(parse_argument(p, call->name, &arg, err));
            ARUS_TRY(ARUS_PUSH(p, &args, arg, err));
        } while (parser_take(p, ARUS_TOKEN_COMMA));
    }
    (void)take_nulls(p, &call->nulls);
    call->args = args.items;
    call->arg_count = args.count;
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`,` or `)`", err);
}

/* ---- behind the parentheses ---- */

static enum arus_status parse_within_group(struct arus_parser *p, struct arus_ast_call *call,
                                           struct arus_error *err)
{
    if (!parser_is_words(p, ARUS_WORD_WITHIN, ARUS_WORD_GROUP)) {
        return ARUS_OK;
    }
    p->at += 2;
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_OPEN, "`(`", err));
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_ORDER, err));
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_BY, err));
    ARUS_TRY(arus_parse_order(p, &call->within_group, err));
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err);
}

static enum arus_status parse_filter(struct arus_parser *p, struct arus_ast_call *call,
                                     struct arus_error *err)
{
    if (!parser_is_word(p, ARUS_WORD_FILTER) || parser_peek(p, 1)->kind != ARUS_TOKEN_OPEN) {
        return ARUS_OK;
    }
    p->at += 2;
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_WHERE, err));
    ARUS_TRY(arus_parse_expr(p, &call->filter, err));
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err);
}

/* [PARTITION BY ..] [ORDER BY ..] [frame], inside the parentheses of OVER. */
static enum arus_status parse_window_spec(struct arus_parser *p, struct arus_ast_over *over,
                                          uint32_t close, struct arus_error *err)
{
    struct arus_list keys = {0};

    if (parser_is_words(p, ARUS_WORD_PARTITION, ARUS_WORD_BY)) {
        p->at += 2;
        ARUS_TRY(arus_parse_expr_list(p, &keys, err));
        over->partition_by = keys.items;
        over->partition_count = keys.count;
    }
    if (parser_is_words(p, ARUS_WORD_ORDER, ARUS_WORD_BY)) {
        p->at += 2;
        ARUS_TRY(arus_parse_order(p, &over->order, err));
    }
    if (p->at < close) {
        const uint32_t begin = parser_token(p)->begin;

        p->at = close;
        over->frame = (struct arus_text){p->sql.data + begin, arus_parser_place(p, begin).size};
    }
    return arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err);
}

static enum arus_status parse_over(struct arus_parser *p, struct arus_ast_call *call,
                                   struct arus_error *err)
{
    const struct arus_token *token = parser_token(p);
    const struct arus_token *next = parser_peek(p, 1);
    struct arus_ast_over *over;

    if (!parser_is_word(p, ARUS_WORD_OVER) ||
        !(next->kind == ARUS_TOKEN_OPEN || token_is_name(next))) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_over, 1, &over, err));
    p->at++;
    if (next->kind != ARUS_TOKEN_OPEN) {
        ARUS_TRY(arus_parse_name(p, "a window", &over->window, err));
    } else {
        p->at++;
        if (next->match == 0) {
            return arus_parser_fail(p, "a window and `)`", err);
        }
        ARUS_TRY(parse_window_spec(p, over, next->match, err));
    }
    over->place = arus_parser_place(p, token->begin);
    call->over = over;
    return ARUS_OK;
}

static bool takes_unit(struct arus_ast_names name)
{
    enum arus_word word;

    if (name.count != 1 || name.items[0].is_quoted) {
        return false;
    }
    word = arus_word_find(name.items[0].text);
    return word == ARUS_WORD_DATEADD || word == ARUS_WORD_DATEDIFF || word == ARUS_WORD_DATE_ADD ||
           word == ARUS_WORD_DATE_DIFF || word == ARUS_WORD_TIMESTAMPADD ||
           word == ARUS_WORD_TIMESTAMPDIFF;
}

/* dateadd(DAY, n, d): the first of three arguments is a word, not a column. */
static enum arus_status read_unit(struct arus_parser *p, struct arus_ast_call *call,
                                  struct arus_error *err)
{
    struct arus_ast_arg *args;
    struct arus_ast_expr *unit;

    if (call->arg_count != 3 || !takes_unit(call->name) ||
        call->args[0].expr->kind != ARUS_AST_COLUMN || call->args[0].expr->names.count != 1) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_arg, 3, &args, err));
    ARUS_TRY(ARUS_NEW(p->arena, struct arus_ast_expr, 1, &unit, err));
    memcpy(args, call->args, 3 * sizeof *args);
    *unit = (struct arus_ast_expr){
        .kind = ARUS_AST_LITERAL,
        .height = 1,
        .place = args[0].expr->place,
        .literal = {.kind = ARUS_AST_STRING, .text = args[0].expr->names.items[0].text}};
    args[0].expr = unit;
    call->args = args;
    call->form = ARUS_AST_CALL_UNIT;
    return ARUS_OK;
}

enum arus_status arus_parse_call(struct arus_parser *p, struct arus_ast_names name, uint32_t begin,
                                 const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_ast_call call = {.name = name};

    ARUS_TRY(parse_arguments(p, &call, err));
    ARUS_TRY(read_unit(p, &call, err));
    ARUS_TRY(parse_within_group(p, &call, err));
    ARUS_TRY(parse_filter(p, &call, err));
    (void)take_nulls(p, &call.nulls);
    ARUS_TRY(parse_over(p, &call, err));
    return make_call(p, &call, begin, out, err);
}

/* ---- calls with words inside ---- */

struct special {
    const struct arus_token *name; /* the function's word; `at` stands behind its parenthesis */
    struct arus_list args;         /* struct arus_ast_arg */
    enum arus_ast_call_form form;
    struct arus_text function; /* data NULL: as written */
};

static enum arus_status add_argument(struct arus_parser *p, struct special *call,
                                     const struct arus_ast_expr *expr, struct arus_error *err)
{
    const struct arus_ast_arg arg = {.expr = expr};

    return ARUS_PUSH(p, &call->args, arg, err);
}

static enum arus_status parse_and_add(struct arus_parser *p, struct special *call,
                                      struct arus_error *err)
{
    const struct arus_ast_expr *expr;

    ARUS_TRY(arus_parse_expr(p, &expr, err));
    return add_argument(p, call, expr, err);
}

static enum arus_status finish_special(struct arus_parser *p, const struct special *special,
                                       const struct arus_ast_expr **out, struct arus_error *err)
{
    const struct arus_ast_name name = {
        .text = special->function.data != NULL ? special->function : parser_text(p, special->name),
        .place = token_place(special->name)};
    struct arus_list names = {0};
    struct arus_ast_call call = {
        .form = special->form, .args = special->args.items, .arg_count = special->args.count};

    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err));
    ARUS_TRY(ARUS_PUSH(p, &names, name, err));
    call.name = (struct arus_ast_names){names.items, names.count};
    return make_call(p, &call, special->name->begin, out, err);
}

/* EXTRACT(f FROM e) */
static enum arus_status parse_extract(struct arus_parser *p, struct special *call,
                                      struct arus_error *err)
{
    const struct arus_token *field = parser_token(p);
    const struct arus_ast_expr *literal;

    if (!token_is_name(field)) {
        return arus_parser_fail(p, "a field (YEAR, HOUR, ..)", err);
    }
    p->at++;
    ARUS_TRY(make_string(p, field, &literal, err));
    ARUS_TRY(add_argument(p, call, literal, err));
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_FROM, err));
    call->form = ARUS_AST_CALL_EXTRACT;
    return parse_and_add(p, call, err);
}

/* TRIM([BOTH|LEADING|TRAILING] [c] FROM s) */
static enum arus_status parse_trim(struct arus_parser *p, struct special *call,
                                   struct arus_error *err)
{
    const struct arus_ast_expr *set = NULL;

    call->form = ARUS_AST_CALL_TRIM;
    call->function = ARUS_TEXT("trim");
    if (parser_take_word(p, ARUS_WORD_LEADING)) {
        call->function = ARUS_TEXT("ltrim");
    } else if (parser_take_word(p, ARUS_WORD_TRAILING)) {
        call->function = ARUS_TEXT("rtrim");
    } else {
        (void)parser_take_word(p, ARUS_WORD_BOTH);
    }
    if (!parser_is_word(p, ARUS_WORD_FROM)) {
        ARUS_TRY(arus_parse_value(p, &set, err));
    }
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_FROM, err));
    if (set != NULL) { /* as trim(set, s) */
        ARUS_TRY(add_argument(p, call, set, err));
    }
    return parse_and_add(p, call, err);
}

/* SUBSTRING(s FROM i [FOR n]), OVERLAY(s PLACING r FROM i [FOR n]) */
static enum arus_status parse_from_for(struct arus_parser *p, struct special *call,
                                       struct arus_error *err)
{
    ARUS_TRY(parse_and_add(p, call, err));
    if (call->name->word == ARUS_WORD_SUBSTR) {
        call->function = ARUS_TEXT("substring");
    }
    if (call->name->word == ARUS_WORD_OVERLAY) {
        ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_PLACING, err));
        ARUS_TRY(parse_and_add(p, call, err));
    }
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_FROM, err));
    ARUS_TRY(parse_and_add(p, call, err));
    return parser_take_word(p, ARUS_WORD_FOR) ? parse_and_add(p, call, err) : ARUS_OK;
}

/* POSITION(a IN b) */
static enum arus_status parse_position(struct arus_parser *p, struct special *call,
                                       struct arus_error *err)
{
    const struct arus_ast_expr *part;

    call->function = ARUS_TEXT("locate");
    ARUS_TRY(arus_parse_value(p, &part, err));
    ARUS_TRY(add_argument(p, call, part, err));
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_IN, err));
    return parse_and_add(p, call, err);
}

/* CAST(e AS t), TRY_CAST(e AS t); `at` stands behind the parenthesis. */
static enum arus_status parse_cast(struct arus_parser *p, const struct arus_token *word,
                                   const struct arus_ast_expr **out, struct arus_error *err)
{
    struct arus_ast_cast cast = {.form = word->word == ARUS_WORD_CAST ? ARUS_AST_CAST_CALL
                                                                      : ARUS_AST_TRY_CAST};
    struct arus_list args = {0};
    const struct arus_ast_expr *operand;
    struct arus_ast_expr *expr;

    ARUS_TRY(arus_parse_expr(p, &operand, err));
    if (parser_is(p, ARUS_TOKEN_CLOSE) || parser_is(p, ARUS_TOKEN_COMMA)) {
        const enum arus_status status = arus_fail_at(
            err, token_place(word), "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "a cast needs its type");

        (void)arus_error_help(err, "CAST(x AS INT)");
        return status;
    }
    ARUS_TRY(arus_parser_expect_word(p, ARUS_WORD_AS, err));
    ARUS_TRY(arus_parse_type(p, &cast.type, err));
    ARUS_TRY(arus_parser_expect(p, ARUS_TOKEN_CLOSE, "`)`", err));
    ARUS_TRY(ARUS_PUSH(p, &args, operand, err));
    ARUS_TRY(arus_expr_make(p, ARUS_AST_CAST, word->begin, args, &expr, err));
    expr->cast = cast;
    *out = expr;
    return ARUS_OK;
}

/* Does `word` stand between the parentheses of this call, outside of inner ones? */
static bool has_inside(const struct arus_parser *p, const struct arus_token *open,
                       enum arus_word word)
{
    for (const struct arus_token *token = open + 1; token < &p->tokens[open->match]; token++) {
        if (token_is_word(token, word)) {
            return true;
        }
        if (token->kind == ARUS_TOKEN_COMMA) {
            return false;
        }
        if (token->kind == ARUS_TOKEN_OPEN && token->match != 0) {
            token = &p->tokens[token->match];
        }
    }
    return false;
}

typedef enum arus_status (*special_fn)(struct arus_parser *p, struct special *call,
                                       struct arus_error *err);

static special_fn find_special(const struct arus_parser *p, const struct arus_token *word)
{
    static const struct {
        enum arus_word name;
        enum arus_word inside;
        special_fn parse;
    } SPECIALS[] = {
        {ARUS_WORD_EXTRACT, ARUS_WORD_FROM, parse_extract},
        {ARUS_WORD_TRIM, ARUS_WORD_FROM, parse_trim},
        {ARUS_WORD_SUBSTRING, ARUS_WORD_FROM, parse_from_for},
        {ARUS_WORD_SUBSTR, ARUS_WORD_FROM, parse_from_for},
        {ARUS_WORD_OVERLAY, ARUS_WORD_PLACING, parse_from_for},
        {ARUS_WORD_POSITION, ARUS_WORD_IN, parse_position},
    };

    for (size_t i = 0; i < sizeof SPECIALS / sizeof SPECIALS[0]; i++) {
        if (token_is_word(word, SPECIALS[i].name) && has_inside(p, word + 1, SPECIALS[i].inside)) {
            return SPECIALS[i].parse;
        }
    }
    return NULL;
}

enum arus_status arus_parse_special_call(struct arus_parser *p, const struct arus_ast_expr **out,
                                         struct arus_error *err)
{
    const struct arus_token *word = parser_token(p);
    struct special call = {.name = word};
    special_fn parse;

    *out = NULL;
    if (word->kind != ARUS_TOKEN_WORD || word[1].kind != ARUS_TOKEN_OPEN) {
        return ARUS_OK;
    }
    if (word->word == ARUS_WORD_CAST || word->word == ARUS_WORD_TRY_CAST) {
        p->at += 2;
        return parse_cast(p, word, out, err);
    }
    parse = find_special(p, word);
    if (parse == NULL) {
        return ARUS_OK;
    }
    p->at += 2;
    ARUS_TRY(parse(p, &call, err));
    return finish_special(p, &call, out, err);
}
