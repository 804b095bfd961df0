/** What the parser's files share. A parse function leaves `at` behind what it took, or fails. */
#ifndef ARUS_SQL_PARSER_INTERNAL_H
#define ARUS_SQL_PARSER_INTERNAL_H

#include "sql/ast.h"
#include "sql/lexer.h"
#include "sql/parser.h"

/** Parentheses, subqueries and signs may nest this deep. */
#define ARUS_SQL_DEPTH_MAX 300

/** Items that grow in the arena. Zeroed = empty. */
struct arus_list {
    void *items;
    uint32_t count;
    uint32_t capacity;
};

struct arus_parser {
    struct arus_text sql;
    struct arus_arena *arena;
    const struct arus_token *tokens;
    uint32_t at;    /* index of the next token */
    uint32_t depth; /* open calls of arus_parse_expr, _query, _relation */
    uint32_t
        alias_at; /* 1 + index of the last name that was taken as an alias without AS; 0: none */
    struct arus_list warnings; /* struct arus_ast_warning */
};

/* ---- tokens: parser.c ---- */

static inline const struct arus_token *parser_token(const struct arus_parser *p)
{
    return &p->tokens[p->at];
}

/** The token `ahead` places further; END if the text is shorter. */
static inline const struct arus_token *parser_peek(const struct arus_parser *p, uint32_t ahead)
{
    const struct arus_token *token = &p->tokens[p->at];

    while (ahead > 0 && token->kind != ARUS_TOKEN_END) {
        token++;
        ahead--;
    }
    return token;
}

static inline bool parser_is(const struct arus_parser *p, enum arus_token_kind kind)
{
    return parser_token(p)->kind == kind;
}

static inline bool token_is_word(const struct arus_token *token, enum arus_word word)
{
    return token->kind == ARUS_TOKEN_WORD && token->word == word;
}

static inline bool token_is_name(const struct arus_token *token)
{
    return token->kind == ARUS_TOKEN_WORD || token->kind == ARUS_TOKEN_QUOTED;
}

static inline bool token_ends_statement(const struct arus_token *token)
{
    return token->kind == ARUS_TOKEN_END || token->kind == ARUS_TOKEN_SEMICOLON;
}

static inline bool parser_is_word(const struct arus_parser *p, enum arus_word word)
{
    return token_is_word(parser_token(p), word);
}

/** A word that is not in sql/word.h, without case. */
static inline bool parser_is_text(const struct arus_parser *p, const struct arus_token *token,
                                  const char *word)
{
    return token->kind == ARUS_TOKEN_WORD &&
           arus_text_equal_nocase((struct arus_text){p->sql.data + token->begin, token->size},
                                  arus_text_of(word));
}

/** The next two tokens are these words. */
static inline bool parser_is_words(const struct arus_parser *p, enum arus_word first,
                                   enum arus_word second)
{
    return parser_is_word(p, first) && token_is_word(parser_peek(p, 1), second);
}

static inline bool parser_at_end(const struct arus_parser *p)
{
    return token_ends_statement(parser_token(p));
}

/** Takes the token if it is of this kind. */
static inline bool parser_take(struct arus_parser *p, enum arus_token_kind kind)
{
    if (!parser_is(p, kind)) {
        return false;
    }
    p->at += kind != ARUS_TOKEN_END;
    return true;
}

static inline bool parser_take_word(struct arus_parser *p, enum arus_word word)
{
    if (!parser_is_word(p, word)) {
        return false;
    }
    p->at++;
    return true;
}

static inline struct arus_place token_place(const struct arus_token *token)
{
    return (struct arus_place){token->begin, token->size};
}

static inline struct arus_text parser_text(const struct arus_parser *p,
                                           const struct arus_token *token)
{
    return (struct arus_text){p->sql.data + token->begin, token->size};
}

/** From the first byte of `begin` to the last token taken. */
struct arus_place arus_parser_place(const struct arus_parser *p, uint32_t begin);
/** Where the next token is; at the end of the statement the byte behind the last token. */
struct arus_place arus_parser_here(const struct arus_parser *p);

/** Takes the token or fails with "WHAT expected". */
ARUS_MUST_USE enum arus_status arus_parser_expect(struct arus_parser *p, enum arus_token_kind kind,
                                                  const char *what, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_parser_expect_word(struct arus_parser *p, enum arus_word word,
                                                       struct arus_error *err);

/** PARSE_SYNTAX_ERROR at the next token: "WHAT expected, found `x`"; names bad tokens and likely
 * slips. */
ARUS_MUST_USE enum arus_status arus_parser_fail(const struct arus_parser *p, const char *what,
                                                struct arus_error *err);
/** As above at a place, with a text of its own. */
ARUS_MUST_USE enum arus_status arus_parser_fail_at(struct arus_place place, struct arus_error *err,
                                                   const char *format, ...) ARUS_PRINTF(3, 4);
/** Spark knows it, arus does not: "WHAT is not in arus" [ARUS_NOT_SUPPORTED]. */
ARUS_MUST_USE enum arus_status arus_parser_refuse(struct arus_place place, struct arus_error *err,
                                                  const char *format, ...) ARUS_PRINTF(3, 4);
/** Sets the label "did you mean `X`?" if the token is a name near one of the words. */
void arus_parser_suggest(const struct arus_parser *p, const struct arus_token *token,
                         const enum arus_word *words, size_t count, struct arus_error *err);

/** Enters a nested construct; pair with p->depth--. */
ARUS_MUST_USE enum arus_status arus_parser_enter(struct arus_parser *p, struct arus_error *err);

ARUS_MUST_USE enum arus_status arus_list_push(struct arus_parser *p, struct arus_list *list,
                                              const void *item, size_t item_size,
                                              struct arus_error *err);
#define ARUS_PUSH(p, list, item, err) arus_list_push((p), (list), &(item), sizeof(item), (err))

/* ---- names, strings, lists: parser_name.c ---- */

/** Takes the next token, which must be a name. */
ARUS_MUST_USE enum arus_status
arus_parser_take_name(struct arus_parser *p, struct arus_ast_name *out, struct arus_error *err);
/** One name, any word or `quoted`. `what` as in "a table name". */
ARUS_MUST_USE enum arus_status arus_parse_name(struct arus_parser *p, const char *what,
                                               struct arus_ast_name *out, struct arus_error *err);
/** a.b.c */
ARUS_MUST_USE enum arus_status arus_parse_names(struct arus_parser *p, const char *what,
                                                struct arus_ast_names *out, struct arus_error *err);
/** (a, b), from the parenthesis on. */
ARUS_MUST_USE enum arus_status arus_parse_name_list(struct arus_parser *p, const char *what,
                                                    struct arus_ast_names *out,
                                                    struct arus_error *err);
/** One string constant. */
ARUS_MUST_USE enum arus_status arus_parse_string(struct arus_parser *p, const char *what,
                                                 struct arus_ast_string *out,
                                                 struct arus_error *err);
/** ( key [=] value, .. ) */
ARUS_MUST_USE enum arus_status arus_parse_settings(struct arus_parser *p, const char *what,
                                                   struct arus_settings *out,
                                                   struct arus_error *err);
/** A type, as text. */
ARUS_MUST_USE enum arus_status arus_parse_type(struct arus_parser *p, struct arus_ast_type *out,
                                               struct arus_error *err);
/** Names joined by dots. */
ARUS_MUST_USE enum arus_status arus_names_join(struct arus_parser *p, struct arus_ast_names names,
                                               struct arus_text *out, struct arus_error *err);

/* ---- expressions: parser_expr.c, parser_primary.c, parser_call.c, parser_literal.c ---- */

ARUS_MUST_USE enum arus_status
arus_parse_expr(struct arus_parser *p, const struct arus_ast_expr **out, struct arus_error *err);
/** Without NOT, AND, OR and predicates: what may stand on a side of BETWEEN. */
ARUS_MUST_USE enum arus_status
arus_parse_value(struct arus_parser *p, const struct arus_ast_expr **out, struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_parse_primary(struct arus_parser *p, const struct arus_ast_expr **out, struct arus_error *err);
/** e, e, .. */
ARUS_MUST_USE enum arus_status arus_parse_expr_list(struct arus_parser *p, struct arus_list *out,
                                                    struct arus_error *err);
/** f( .. ) and what follows, from the parenthesis on; `begin`: where the name begins. */
ARUS_MUST_USE enum arus_status arus_parse_call(struct arus_parser *p, struct arus_ast_names name,
                                               uint32_t begin, const struct arus_ast_expr **out,
                                               struct arus_error *err);
/** CAST, EXTRACT, TRIM and other calls with words inside; *out NULL: none begins here. */
ARUS_MUST_USE enum arus_status arus_parse_special_call(struct arus_parser *p,
                                                       const struct arus_ast_expr **out,
                                                       struct arus_error *err);
/** A number, string, typed literal, NULL, TRUE, FALSE, INTERVAL; *out NULL: none begins here. */
ARUS_MUST_USE enum arus_status
arus_parse_literal(struct arus_parser *p, const struct arus_ast_expr **out, struct arus_error *err);
/** A literal that may begin with a minus. */
bool arus_parser_at_negative_number(const struct arus_parser *p);
bool arus_parser_at_interval(const struct arus_parser *p);
ARUS_MUST_USE enum arus_status arus_parse_interval(struct arus_parser *p,
                                                   const struct arus_ast_expr **out,
                                                   struct arus_error *err);

/** A node from `begin` to the last token taken, height 1 above its args. */
ARUS_MUST_USE enum arus_status arus_expr_make(struct arus_parser *p, enum arus_ast_expr_kind kind,
                                              uint32_t begin, struct arus_list args,
                                              struct arus_ast_expr **out, struct arus_error *err);
/** Raises the height above `height` and checks it. */
ARUS_MUST_USE enum arus_status arus_height_raise(uint32_t *mine, uint32_t height,
                                                 struct arus_place place, struct arus_error *err);
uint32_t arus_expr_height(const struct arus_ast_expr *expr);
uint32_t arus_query_height(const struct arus_ast_query *query);

/* ---- queries: parser_query.c, parser_select.c, parser_pipe.c, parser_relation.c ---- */

/** Does a query begin at the token of this index? */
bool arus_parser_is_query_at(const struct arus_parser *p, uint32_t index);
ARUS_MUST_USE enum arus_status
arus_parse_query(struct arus_parser *p, const struct arus_ast_query **out, struct arus_error *err);
/** ( query ) */
ARUS_MUST_USE enum arus_status arus_parse_nested_query(struct arus_parser *p,
                                                       const struct arus_ast_query **out,
                                                       struct arus_error *err);
/** SELECT ..; `from` is what FROM-first syntax gave, or NULL. */
ARUS_MUST_USE enum arus_status arus_parse_select(struct arus_parser *p,
                                                 const struct arus_ast_relation *from,
                                                 struct arus_ast_select *out,
                                                 struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_parse_items(struct arus_parser *p, struct arus_list *out,
                                                struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_parse_group_by(struct arus_parser *p, struct arus_ast_group *out, struct arus_error *err);
/** The items behind ORDER BY. */
ARUS_MUST_USE enum arus_status arus_parse_order(struct arus_parser *p, struct arus_ast_order *out,
                                                struct arus_error *err);
/** [LIMIT n|ALL] [OFFSET n] */
ARUS_MUST_USE enum arus_status arus_parse_limit(struct arus_parser *p,
                                                const struct arus_ast_expr **limit,
                                                const struct arus_ast_expr **offset,
                                                struct arus_error *err);
/** UNION and its kin at the next token? Takes the words. */
ARUS_MUST_USE enum arus_status arus_parse_set_words(struct arus_parser *p, struct arus_ast_set *out,
                                                    struct arus_error *err);
bool arus_parser_at_set_op(const struct arus_parser *p);
/** One SELECT, VALUES, TABLE, FROM or ( query ). */
ARUS_MUST_USE enum arus_status
arus_parse_term(struct arus_parser *p, const struct arus_ast_body **out, struct arus_error *err);
/** What follows |>. */
ARUS_MUST_USE enum arus_status arus_parse_pipe(struct arus_parser *p, struct arus_ast_pipe *out,
                                               struct arus_error *err);

/** rel, rel .. {LATERAL VIEW ..}, behind FROM. */
ARUS_MUST_USE enum arus_status arus_parse_from(struct arus_parser *p,
                                               const struct arus_ast_relation **out,
                                               struct arus_error *err);
bool arus_parser_at_join(const struct arus_parser *p);
/** [LEFT ..] JOIN prim [ON ..] with out->left already set. */
ARUS_MUST_USE enum arus_status arus_parse_join(struct arus_parser *p, struct arus_ast_join *out,
                                               struct arus_error *err);
/** VALUES .. with its alias. */
ARUS_MUST_USE enum arus_status arus_parse_values(struct arus_parser *p,
                                                 const struct arus_ast_relation **out,
                                                 struct arus_error *err);
/** A name without parts as a relation: TABLE t. */
ARUS_MUST_USE enum arus_status arus_parse_table_name(struct arus_parser *p,
                                                     const struct arus_ast_relation **out,
                                                     struct arus_error *err);

/* ---- statements: parser_statement.c, parser_create.c ---- */

ARUS_MUST_USE enum arus_status arus_parse_statement(struct arus_parser *p,
                                                    const struct arus_ast_statement **out,
                                                    struct arus_error *err);
/** From CREATE on. */
ARUS_MUST_USE enum arus_status
arus_parse_create(struct arus_parser *p, struct arus_ast_statement *out, struct arus_error *err);
/** From INSERT on; fills all but the flow's name. */
ARUS_MUST_USE enum arus_status arus_parse_insert(struct arus_parser *p, struct arus_ast_insert *out,
                                                 struct arus_error *err);

#endif
