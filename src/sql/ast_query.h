/** Relations and queries of the syntax tree; see sql/ast.h. */
#ifndef ARUS_SQL_AST_QUERY_H
#define ARUS_SQL_AST_QUERY_H

#include "base/option.h"
#include "sql/ast_expr.h"

struct arus_ast_body;
struct arus_ast_relation;

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
    ARUS_AST_GROUP_ROLLUP,
    ARUS_AST_GROUP_CUBE,
    ARUS_AST_GROUP_SETS,
    ARUS_AST_GROUP_PRODUCT /* a, ROLLUP (b, c), ..: each set of one part with each of the others */
};

struct arus_ast_group {
    enum arus_ast_group_kind kind;
    const struct arus_ast_expr *const *keys; /* LIST; ROLLUP, CUBE: the elements, ROW for (a, b);
                                                SETS: keys in front of it, GROUP BY a GROUPING .. */
    uint32_t count;
    const struct arus_ast_group *parts; /* PRODUCT, SETS: LIST of one key, ROLLUP, CUBE, SETS */
    uint32_t part_count;
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

#endif
