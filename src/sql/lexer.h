/** SQL text to tokens, by Spark's lexical rules. */
#ifndef ARUS_SQL_LEXER_H
#define ARUS_SQL_LEXER_H

#include "base/text.h"
#include "sql/word.h"

/** Longer texts are refused. */
#define ARUS_SQL_SIZE_MAX ((size_t)64 << 20)

enum arus_token_kind {
    ARUS_TOKEN_END,
    ARUS_TOKEN_WORD,   /* a name without quotes, or a keyword: `word` */
    ARUS_TOKEN_QUOTED, /* `a b` */
    ARUS_TOKEN_STRING, /* '..', "..", r'..' */
    ARUS_TOKEN_INTEGER,
    ARUS_TOKEN_DECIMAL,  /* 1.5 */
    ARUS_TOKEN_EXPONENT, /* 1e5 */
    ARUS_TOKEN_TINYINT,  /* 1Y */
    ARUS_TOKEN_SMALLINT,
    ARUS_TOKEN_BIGINT,
    ARUS_TOKEN_FLOAT,
    ARUS_TOKEN_DOUBLE,
    ARUS_TOKEN_BIGDECIMAL, /* 1.5BD */
    ARUS_TOKEN_HINT,       /* the whole of a hint comment, slash star plus */
    ARUS_TOKEN_SEMICOLON,
    ARUS_TOKEN_OPEN,
    ARUS_TOKEN_CLOSE,
    ARUS_TOKEN_OPEN_BRACKET,
    ARUS_TOKEN_CLOSE_BRACKET,
    ARUS_TOKEN_COMMA,
    ARUS_TOKEN_DOT,
    ARUS_TOKEN_EQUAL, /* = == */
    ARUS_TOKEN_EQUAL_NULL,
    ARUS_TOKEN_NOT_EQUAL, /* <> != */
    ARUS_TOKEN_LESS,
    ARUS_TOKEN_LESS_EQUAL, /* <= !> */
    ARUS_TOKEN_GREATER,
    ARUS_TOKEN_GREATER_EQUAL, /* >= !< */
    ARUS_TOKEN_PLUS,
    ARUS_TOKEN_MINUS,
    ARUS_TOKEN_STAR,
    ARUS_TOKEN_SLASH,
    ARUS_TOKEN_PERCENT,
    ARUS_TOKEN_TILDE,
    ARUS_TOKEN_AMPERSAND,
    ARUS_TOKEN_BAR,
    ARUS_TOKEN_CONCAT,
    ARUS_TOKEN_HAT,
    ARUS_TOKEN_SHIFT_LEFT,
    ARUS_TOKEN_SHIFT_RIGHT,
    ARUS_TOKEN_SHIFT_RIGHT_UNSIGNED,
    ARUS_TOKEN_PIPE, /* |> */
    ARUS_TOKEN_COLON,
    ARUS_TOKEN_COLONS, /* :: */
    ARUS_TOKEN_ARROW,  /* -> */
    ARUS_TOKEN_NAMED,  /* => */
    ARUS_TOKEN_EXCLAMATION,
    ARUS_TOKEN_BAD_CHARACTER,
    ARUS_TOKEN_BAD_NAME, /* has letters outside ASCII */
    ARUS_TOKEN_UNCLOSED_STRING,
    ARUS_TOKEN_UNCLOSED_NAME,
    ARUS_TOKEN_UNCLOSED_COMMENT
};

struct arus_token {
    enum arus_token_kind kind;
    enum arus_word word; /* WORD only */
    uint32_t begin;      /* bytes */
    uint32_t size;
    uint32_t match; /* OPEN: index of its CLOSE, 0: it has none */
};

struct arus_tokens {
    const struct arus_token *items; /* the last one is END, of size 0 at the end of the text */
    uint32_t count;
};

/** Cuts the text into tokens. Bad text becomes tokens too, for the parser to report in order. */
ARUS_MUST_USE enum arus_status arus_sql_lex(struct arus_text sql, struct arus_arena *arena,
                                            struct arus_tokens *out, struct arus_error *err);

/** The value of a STRING token's text ('..', with quotes): escapes undone. */
ARUS_MUST_USE enum arus_status arus_sql_unescape(struct arus_text token, struct arus_arena *arena,
                                                 struct arus_text *out, struct arus_error *err);
/** The name in a QUOTED token's text. */
ARUS_MUST_USE enum arus_status arus_sql_unquote(struct arus_text token, struct arus_arena *arena,
                                                struct arus_text *out, struct arus_error *err);

#endif
