/** Expressions of the syntax tree; see sql/ast.h. */
#ifndef ARUS_SQL_AST_EXPR_H
#define ARUS_SQL_AST_EXPR_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** No tree is higher than this: recursion over it is safe. AND and OR chains count as one. */
#define ARUS_AST_HEIGHT_MAX 1000

struct arus_ast_expr;
struct arus_ast_query;

struct arus_ast_name {
    struct arus_text text; /* without backticks, `` halved */
    struct arus_place place;
    bool is_quoted; /* written with backticks */
};

/** A dotted name: a, a.b, `a b`.c; or a plain list of names. */
struct arus_ast_names {
    const struct arus_ast_name *items;
    uint32_t count; /* 0: none */
};

/** A type as written, for types/type_parse_ddl: "STRUCT<a: INT>". */
struct arus_ast_type {
    struct arus_text text;
    struct arus_place place;
};

/** A string constant with its escapes undone. data NULL: not written. */
struct arus_ast_string {
    struct arus_text text;
    struct arus_place place;
};

enum arus_ast_expr_kind {
    ARUS_AST_LITERAL,  /* literal */
    ARUS_AST_INTERVAL, /* interval */
    ARUS_AST_COLUMN,   /* names: the longest run of a.b.c; the plan splits table, column, fields */
    ARUS_AST_STAR,     /* star: *, t.*, each with EXCEPT */
    ARUS_AST_UNARY,    /* op, args[1] */
    ARUS_AST_BINARY,   /* op, args[2] */
    ARUS_AST_AND,      /* args[2..]: a AND b AND c is one node, ((a AND b) AND c) */
    ARUS_AST_OR,       /* args[2..] */
    ARUS_AST_IS,       /* test, is_not, args[1] */
    ARUS_AST_BETWEEN,  /* is_not, args[3]: value, low, high */
    ARUS_AST_IN,       /* is_not, args[2..]: value, list */
    ARUS_AST_IN_QUERY, /* is_not, args[1], query */
    ARUS_AST_EXISTS,   /* query */
    ARUS_AST_SCALAR_QUERY, /* query */
    ARUS_AST_LIKE,         /* like, is_not, args[2..]: value, patterns (one unless ANY/ALL) */
    ARUS_AST_CASE,         /* case_ */
    ARUS_AST_CAST,         /* cast, args[1] */
    ARUS_AST_CALL,         /* call */
    ARUS_AST_INDEX,        /* args[2]: a[i] */
    ARUS_AST_FIELD,        /* names.items[0], args[1]: (expression that is no plain name).field */
    ARUS_AST_LAMBDA,       /* names: the parameters, args[1]: the body */
    ARUS_AST_ROW,          /* args[2..]: (a, b), the same as struct(a, b) */
    ARUS_AST_TABLE_ARG     /* query: TABLE(query) or TABLE(name), only as an argument of a table
                              function */
};

enum arus_ast_literal_kind {
    ARUS_AST_NULL,
    ARUS_AST_BOOLEAN, /* integer: 0, 1 */
    ARUS_AST_TINYINT, /* integer; range checked */
    ARUS_AST_SMALLINT,
    ARUS_AST_INT,
    ARUS_AST_BIGINT,
    ARUS_AST_DECIMAL, /* text: [-]digits[.digits][E[+-]digits] without suffix; precision, scale as
                         Spark counts them */
    ARUS_AST_FLOAT,   /* number; text as DECIMAL */
    ARUS_AST_DOUBLE,
    ARUS_AST_STRING,       /* text */
    ARUS_AST_BINARY_VALUE, /* text: the bytes */
    ARUS_AST_DATE, /* text of a typed literal, to be cast by the plan (INVALID_TYPED_LITERAL) */
    ARUS_AST_TIMESTAMP,
    ARUS_AST_TIMESTAMP_NTZ,
    ARUS_AST_TIMESTAMP_LTZ,
    ARUS_AST_TIME
};

struct arus_ast_literal {
    enum arus_ast_literal_kind kind;
    struct arus_text text;
    int64_t integer;
    double number;
    uint8_t precision;
    uint8_t scale;
};

enum arus_ast_unit {
    ARUS_AST_YEAR,
    ARUS_AST_MONTH,
    ARUS_AST_WEEK,
    ARUS_AST_DAY,
    ARUS_AST_HOUR,
    ARUS_AST_MINUTE,
    ARUS_AST_SECOND,
    ARUS_AST_MILLISECOND,
    ARUS_AST_MICROSECOND
};

enum arus_ast_interval_form {
    ARUS_AST_INTERVAL_UNITS, /* parts: 1 HOUR 30 MINUTES, '10' MINUTE */
    ARUS_AST_INTERVAL_RANGE, /* parts[0] with unit .. to: '1-2' YEAR TO MONTH */
    ARUS_AST_INTERVAL_TEXT   /* parts[0].value: '10 minutes' */
};

struct arus_ast_interval_part {
    struct arus_text value; /* digits or the string's text, without the sign of is_negative */
    bool is_negative;       /* a minus before the value, outside of a string */
    bool is_quoted;
    enum arus_ast_unit unit;
    struct arus_place place;
};

struct arus_ast_interval {
    enum arus_ast_interval_form form;
    const struct arus_ast_interval_part *parts;
    uint32_t part_count;
    enum arus_ast_unit to; /* RANGE */
};

struct arus_ast_star {
    struct arus_ast_names qualifier;      /* t of t.* */
    const struct arus_ast_names *excepts; /* * EXCEPT (a, s.f) */
    uint32_t except_count;
};

enum arus_ast_op {
    /* unary */
    ARUS_AST_NOT, /* NOT, ! */
    ARUS_AST_NEGATE,
    ARUS_AST_PLUS_SIGN,
    ARUS_AST_BIT_NOT,
    /* binary */
    ARUS_AST_MULTIPLY,
    ARUS_AST_DIVIDE,
    ARUS_AST_MODULO,
    ARUS_AST_DIV, /* integer division */
    ARUS_AST_ADD,
    ARUS_AST_SUBTRACT,
    ARUS_AST_CONCAT, /* || */
    ARUS_AST_SHIFT_LEFT,
    ARUS_AST_SHIFT_RIGHT,
    ARUS_AST_SHIFT_RIGHT_UNSIGNED,
    ARUS_AST_BIT_AND,
    ARUS_AST_BIT_XOR,
    ARUS_AST_BIT_OR,
    ARUS_AST_EQUAL,      /* = == */
    ARUS_AST_EQUAL_NULL, /* <=> */
    ARUS_AST_NOT_EQUAL,  /* <> != */
    ARUS_AST_LESS,
    ARUS_AST_LESS_EQUAL, /* <= !> */
    ARUS_AST_GREATER,
    ARUS_AST_GREATER_EQUAL, /* >= !< */
    ARUS_AST_DISTINCT_FROM, /* IS DISTINCT FROM */
    ARUS_AST_NOT_DISTINCT_FROM
};

/** `+`, `NOT`, `IS DISTINCT FROM`: its sign, and the name of the function that computes it. */
const char *arus_ast_op_name(enum arus_ast_op op);

enum arus_ast_test { ARUS_AST_IS_NULL, ARUS_AST_IS_TRUE, ARUS_AST_IS_FALSE, ARUS_AST_IS_UNKNOWN };

enum arus_ast_like_op { ARUS_AST_LIKE_OP, ARUS_AST_ILIKE_OP, ARUS_AST_RLIKE_OP };
enum arus_ast_quantifier { ARUS_AST_ONE, ARUS_AST_ANY, ARUS_AST_ALL };

struct arus_ast_like {
    enum arus_ast_like_op op;
    enum arus_ast_quantifier quantifier;
    struct arus_text escape; /* one character; data NULL: the default, a backslash */
};

struct arus_ast_case {
    const struct arus_ast_expr *operand;      /* CASE x WHEN ..; NULL: CASE WHEN */
    const struct arus_ast_expr *const *whens; /* [branch_count] */
    const struct arus_ast_expr *const *thens; /* [branch_count] */
    uint32_t branch_count;
    const struct arus_ast_expr *otherwise; /* NULL: no ELSE */
};

enum arus_ast_cast_form { ARUS_AST_CAST_CALL, ARUS_AST_TRY_CAST, ARUS_AST_CAST_COLONS /* x::t */ };

struct arus_ast_cast {
    enum arus_ast_cast_form form;
    struct arus_ast_type type;
};

/** How a call was written, where the arguments alone do not tell it. */
enum arus_ast_call_form {
    ARUS_AST_CALL_PLAIN, /* also SUBSTRING(s FROM i FOR n), POSITION(a IN b), OVERLAY(..): arguments
                            in call order */
    ARUS_AST_CALL_NILADIC, /* current_date without parentheses: a column of this name goes first */
    ARUS_AST_CALL_EXTRACT, /* EXTRACT(f FROM e): args = string literal f, e */
    ARUS_AST_CALL_TRIM,    /* TRIM([BOTH|LEADING|TRAILING] [c] FROM s): args = s [, c]; name trim,
                              ltrim, rtrim */
    ARUS_AST_CALL_UNIT /* dateadd(DAY, n, d) and its kin: args[0] = string literal of the unit */
};

enum arus_ast_nulls { ARUS_AST_NULLS_DEFAULT, ARUS_AST_IGNORE_NULLS, ARUS_AST_RESPECT_NULLS };

enum arus_ast_arg_form {
    ARUS_AST_ARG_PLAIN,
    ARUS_AST_ARG_NAMED, /* name => e */
    ARUS_AST_ARG_ALIAS  /* e AS name, only in struct(..) */
};

struct arus_ast_arg {
    enum arus_ast_arg_form form;
    struct arus_ast_name name;
    const struct arus_ast_expr *expr;
};

enum arus_ast_null_order { ARUS_AST_NULLS_UNSAID, ARUS_AST_NULLS_FIRST, ARUS_AST_NULLS_LAST };

struct arus_ast_order_item {
    const struct arus_ast_expr *expr;
    bool is_descending;
    enum arus_ast_null_order nulls;
};

struct arus_ast_order {
    const struct arus_ast_order_item *items;
    uint32_t count;
    bool is_all; /* ORDER BY ALL: count 1, its expr NULL */
    struct arus_place place;
};

/** f(..) OVER (..): kept so that the plan can refuse it by name. */
struct arus_ast_over {
    const struct arus_ast_expr *const *partition_by;
    uint32_t partition_count;
    struct arus_ast_order order;
    struct arus_text frame;      /* ROWS BETWEEN .. as written */
    struct arus_ast_name window; /* OVER w */
    struct arus_place place;
};

struct arus_ast_call {
    enum arus_ast_call_form form;
    struct arus_ast_names name;
    const struct arus_ast_arg *args;
    uint32_t arg_count;
    bool is_distinct;
    enum arus_ast_nulls nulls;
    const struct arus_ast_expr *filter; /* FILTER (WHERE ..) */
    struct arus_ast_order within_group; /* WITHIN GROUP (ORDER BY ..) */
    const struct arus_ast_over *over;
};

struct arus_ast_expr {
    enum arus_ast_expr_kind kind;
    uint32_t height;         /* 1 for a leaf */
    struct arus_place place; /* the whole expression, without enclosing parentheses */
    bool is_not;
    enum arus_ast_op op;
    enum arus_ast_test test;
    const struct arus_ast_expr *const *args;
    uint32_t arg_count;
    struct arus_ast_names names;
    const struct arus_ast_query *query;
    union {
        struct arus_ast_literal literal;
        struct arus_ast_interval interval;
        struct arus_ast_star star;
        struct arus_ast_like like;
        struct arus_ast_case case_;
        struct arus_ast_cast cast;
        struct arus_ast_call call;
    };
};

#endif
