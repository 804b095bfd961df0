/**
 * The syntax tree: plain data in one arena, no pointer into a catalog, every node with its place in
 * the text. A zeroed pointer or count means "not written". Texts live in the arena or in the SQL
 * text.
 */
#ifndef ARUS_SQL_AST_H
#define ARUS_SQL_AST_H

#include "base/error.h"
#include "base/option.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** No tree is higher than this: recursion over it is safe. AND and OR chains count as one. */
#define ARUS_AST_HEIGHT_MAX 1000

struct arus_ast_expr;
struct arus_ast_body;
struct arus_ast_query;
struct arus_ast_relation;
struct arus_ast_statement;

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

/* ---- expressions ---- */

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
    ARUS_AST_CALL_NILADIC, /* current_date without parentheses */
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

/* ---- relations ---- */

enum arus_ast_join_kind {
    ARUS_AST_INNER,
    ARUS_AST_CROSS, /* CROSS JOIN, a comma */
    ARUS_AST_LEFT,
    ARUS_AST_RIGHT,
    ARUS_AST_FULL,
    ARUS_AST_SEMI,
    ARUS_AST_ANTI
};

struct arus_ast_join {
    enum arus_ast_join_kind kind;
    bool is_natural;
    bool is_comma;                         /* FROM a, b */
    const struct arus_ast_relation *left;  /* NULL in a pipe: the rows so far */
    const struct arus_ast_relation *right; /* right->is_lateral: JOIN LATERAL */
    const struct arus_ast_expr *on;
    struct arus_ast_names using_columns;
    struct arus_place place; /* LEFT OUTER JOIN */
};

struct arus_ast_values {
    const struct arus_ast_expr *const *rows; /* each as written: a ROW, or a value */
    uint32_t count;
};

/** LATERAL VIEW [OUTER] f(..) t AS a, b. */
struct arus_ast_lateral_view {
    const struct arus_ast_relation *input;
    bool is_outer;
    const struct arus_ast_expr *call; /* kind CALL */
};

enum arus_ast_relation_kind {
    ARUS_AST_TABLE,        /* name; two parts, the second quoted: fmt.`path` */
    ARUS_AST_SUBQUERY,     /* query */
    ARUS_AST_VALUES,       /* values */
    ARUS_AST_FUNCTION,     /* call: kind CALL */
    ARUS_AST_JOIN,         /* join */
    ARUS_AST_NESTED,       /* inner: ( relation ) with an alias */
    ARUS_AST_LATERAL_VIEW, /* lateral_view; alias and columns are its own */
    ARUS_AST_SAMPLE,       /* inner TABLESAMPLE (..): the plan refuses it */
    ARUS_AST_PIVOT         /* inner PIVOT/UNPIVOT (..): the plan refuses it */
};

/** WATERMARK expr [[AS] name] DELAY OF interval. */
struct arus_ast_watermark {
    const struct arus_ast_expr *expr;
    struct arus_ast_name name;         /* text.data NULL: none */
    const struct arus_ast_expr *delay; /* kind INTERVAL */
    struct arus_place place;
};

struct arus_ast_relation {
    enum arus_ast_relation_kind kind;
    uint32_t height;
    struct arus_place place; /* the whole relation */
    bool is_lateral;         /* LATERAL (query), LATERAL f(..) */
    bool is_stream;
    struct arus_place stream_place; /* the word STREAM */
    struct arus_settings options;   /* WITH (k = v, ..) */
    struct arus_place options_place;
    const struct arus_ast_watermark *watermark;
    struct arus_ast_name alias;    /* text.data NULL: none */
    struct arus_ast_names columns; /* AS t(a, b) */
    struct arus_ast_names name;
    const struct arus_ast_query *query;
    const struct arus_ast_expr *call;
    const struct arus_ast_relation *inner;
    union {
        struct arus_ast_values values;
        struct arus_ast_join join;
        struct arus_ast_lateral_view lateral_view;
        bool is_unpivot;
    };
};

/* ---- queries ---- */

struct arus_ast_item {
    const struct arus_ast_expr *expr; /* may be a STAR */
    struct arus_ast_name alias;       /* text.data NULL: none */
    struct arus_ast_names aliases;    /* AS (a, b) */
    struct arus_place place;
};

enum arus_ast_group_kind {
    ARUS_AST_GROUP_NONE,
    ARUS_AST_GROUP_LIST,
    ARUS_AST_GROUP_ALL,
    ARUS_AST_GROUP_ROLLUP, /* from here on: the plan refuses them (T3) */
    ARUS_AST_GROUP_CUBE,
    ARUS_AST_GROUP_SETS
};

struct arus_ast_group {
    enum arus_ast_group_kind kind;
    const struct arus_ast_expr *const *keys; /* ROLLUP, CUBE, SETS: the elements, ROW for (a, b) */
    uint32_t count;
    struct arus_place place; /* GROUP BY, or the word ROLLUP and so on */
};

struct arus_ast_select {
    bool is_distinct;
    const struct arus_ast_item *items;
    uint32_t item_count;
    const struct arus_ast_relation *from; /* NULL: no FROM (one row) */
    const struct arus_ast_expr *where;
    struct arus_ast_group group_by;
    const struct arus_ast_expr *having;
    struct arus_place place; /* the word SELECT */
};

enum arus_ast_set_op { ARUS_AST_UNION, ARUS_AST_EXCEPT, ARUS_AST_INTERSECT };

struct arus_ast_set {
    enum arus_ast_set_op op;
    bool is_all;                      /* keeps duplicates */
    const struct arus_ast_body *left; /* NULL in a pipe: the rows so far */
    const struct arus_ast_body *right;
    struct arus_place place; /* UNION ALL */
};

enum arus_ast_body_kind {
    ARUS_AST_BODY_SELECT,
    ARUS_AST_BODY_RELATION, /* relation: VALUES .., TABLE t, or FROM t before a pipe; all columns */
    ARUS_AST_BODY_QUERY,    /* ( query ) */
    ARUS_AST_BODY_SET
};

struct arus_ast_body {
    enum arus_ast_body_kind kind;
    uint32_t height;
    struct arus_place place;
    union {
        struct arus_ast_select select;
        const struct arus_ast_relation *relation;
        const struct arus_ast_query *query;
        struct arus_ast_set set;
    };
};

enum arus_ast_pipe_kind {
    ARUS_AST_PIPE_SELECT,    /* items, is_distinct */
    ARUS_AST_PIPE_EXTEND,    /* items */
    ARUS_AST_PIPE_SET,       /* items: alias is the column that gets a new value */
    ARUS_AST_PIPE_DROP,      /* names */
    ARUS_AST_PIPE_AS,        /* names.items[0] */
    ARUS_AST_PIPE_WHERE,     /* condition */
    ARUS_AST_PIPE_AGGREGATE, /* items, group_by, group_items */
    ARUS_AST_PIPE_JOIN,      /* join, left NULL */
    ARUS_AST_PIPE_SET_OP,    /* set, left NULL */
    ARUS_AST_PIPE_ORDER,     /* order */
    ARUS_AST_PIPE_LIMIT,     /* limit (NULL: ALL or not written), offset */
    ARUS_AST_PIPE_SAMPLE,    /* the plan refuses these two */
    ARUS_AST_PIPE_PIVOT
};

struct arus_ast_pipe {
    enum arus_ast_pipe_kind kind;
    struct arus_place place; /* the operator's word */
    bool is_distinct;
    const struct arus_ast_item *items;
    uint32_t item_count;
    const struct arus_ast_item
        *group_items; /* AGGREGATE .. GROUP BY e [AS a], ..; they lead the result */
    uint32_t group_item_count;
    struct arus_ast_names names;
    const struct arus_ast_expr *condition;
    struct arus_ast_join join;
    struct arus_ast_set set;
    struct arus_ast_order order;
    const struct arus_ast_expr *limit;
    const struct arus_ast_expr *offset;
};

struct arus_ast_cte {
    struct arus_ast_name name;
    struct arus_ast_names columns;
    const struct arus_ast_query *query;
};

struct arus_ast_query {
    struct arus_place place;
    uint32_t height;
    const struct arus_ast_cte *ctes;
    uint32_t cte_count;
    const struct arus_ast_body *body;
    struct arus_ast_order order;       /* count 0: none */
    const struct arus_ast_expr *limit; /* NULL: none or ALL */
    const struct arus_ast_expr *offset;
    struct arus_place limit_place; /* the words LIMIT, OFFSET */
    struct arus_place offset_place;
    const struct arus_ast_pipe *pipes; /* after all of the above, in order */
    uint32_t pipe_count;
};

/* ---- statements ---- */

struct arus_ast_column_def {
    struct arus_ast_name name;
    struct arus_ast_type type; /* text.data NULL: none (view columns) */
    bool is_not_null;
    struct arus_ast_string comment;
    const struct arus_ast_expr *default_value;
    const struct arus_ast_expr *generated;
};

/** All CREATE statements but functions and flows; what a kind cannot have stays zeroed. */
struct arus_ast_create {
    struct arus_ast_names name;
    bool if_not_exists;
    bool or_replace;
    bool is_temporary;
    const struct arus_ast_column_def *columns;
    uint32_t column_count;
    struct arus_ast_names format;    /* USING fmt */
    struct arus_settings options;    /* OPTIONS (..); keys joined by dots */
    struct arus_settings properties; /* TBLPROPERTIES (..) */
    struct arus_place options_place;
    struct arus_place properties_place;
    struct arus_ast_string location;
    struct arus_ast_string comment;
    struct arus_ast_names partition_by;
    struct arus_place cluster_by;       /* the word CLUSTER; size 0: none. The plan refuses it */
    const struct arus_ast_query *query; /* AS query */
};

/** INSERT INTO x [BY NAME] query, also of a CREATE FLOW. */
struct arus_ast_insert {
    struct arus_ast_names flow; /* CREATE FLOW f AS */
    struct arus_ast_string comment;
    struct arus_ast_names target;
    bool is_by_name;
    const struct arus_ast_query *query;
};

/** SET .., RESET ... Key NULL: all settings. */
struct arus_ast_setting {
    struct arus_ast_string key;
    struct arus_ast_string
        value;       /* as written up to `;`, trimmed; text.data NULL: ask for the value */
    bool is_verbose; /* SET -v */
};

struct arus_ast_time_zone {
    struct arus_ast_string zone;          /* 'Area/City' */
    bool is_local;                        /* LOCAL */
    const struct arus_ast_expr *interval; /* INTERVAL '05:30' HOUR TO MINUTE */
};

enum arus_ast_explain_mode {
    ARUS_AST_EXPLAIN_SIMPLE,
    ARUS_AST_EXPLAIN_EXTENDED,
    ARUS_AST_EXPLAIN_FORMATTED
};

struct arus_ast_explain {
    enum arus_ast_explain_mode mode;
    const struct arus_ast_statement *statement;
};

enum arus_ast_describe_what {
    ARUS_AST_DESCRIBE_TABLE,
    ARUS_AST_DESCRIBE_QUERY,
    ARUS_AST_DESCRIBE_FUNCTION
};

struct arus_ast_describe {
    enum arus_ast_describe_what what;
    bool is_extended;
    struct arus_ast_names name;
    const struct arus_ast_query *query;
};

enum arus_ast_show_what {
    ARUS_AST_SHOW_TABLES,
    ARUS_AST_SHOW_VIEWS,
    ARUS_AST_SHOW_FUNCTIONS,
    ARUS_AST_SHOW_COLUMNS,
    ARUS_AST_SHOW_CREATE_TABLE,
    ARUS_AST_SHOW_TBLPROPERTIES
};

struct arus_ast_show {
    enum arus_ast_show_what what;
    struct arus_ast_string pattern; /* LIKE 'p*', or a property's key */
    struct arus_ast_names name;
};

enum arus_ast_statement_kind {
    ARUS_AST_CREATE_TABLE, /* create */
    ARUS_AST_CREATE_VIEW,  /* create; is_temporary; with query, or with format: a source table */
    ARUS_AST_CREATE_STREAMING_TABLE,   /* create; query NULL: filled by flows */
    ARUS_AST_CREATE_MATERIALIZED_VIEW, /* create */
    ARUS_AST_INSERT,                   /* insert */
    ARUS_AST_SET,                      /* setting */
    ARUS_AST_RESET,                    /* setting */
    ARUS_AST_SET_TIME_ZONE,            /* time_zone */
    ARUS_AST_QUERY,                    /* query */
    ARUS_AST_EXPLAIN,                  /* explain */
    ARUS_AST_DESCRIBE,                 /* describe */
    ARUS_AST_SHOW                      /* show */
};

struct arus_ast_statement {
    enum arus_ast_statement_kind kind;
    struct arus_place place; /* from its first to its last word */
    union {
        struct arus_ast_create create;
        struct arus_ast_insert insert;
        struct arus_ast_setting setting;
        struct arus_ast_time_zone time_zone;
        const struct arus_ast_query *query;
        struct arus_ast_explain explain;
        struct arus_ast_describe describe;
        struct arus_ast_show show;
    };
};

/** A place and a text that the user should see though all is well, e.g. an ignored hint. */
struct arus_ast_warning {
    struct arus_place place;
    const char *condition;
    struct arus_text message;
};

struct arus_script {
    const struct arus_ast_statement *const *statements;
    uint32_t statement_count;
    const struct arus_ast_warning *warnings;
    uint32_t warning_count;
};

/** Appends a readable dump, an indented line a node. */
ARUS_MUST_USE enum arus_status arus_ast_print(const struct arus_script *script,
                                              struct arus_buffer *out, struct arus_error *err);

#endif
