/** The unresolved plan: what a front end says, before any name is looked up. Plain data in one
 * arena. */
#ifndef ARUS_PLAN_UNRESOLVED_H
#define ARUS_PLAN_UNRESOLVED_H

#include "base/option.h"
#include "column/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct arus_urel;
struct arus_uexpr;
struct arus_usort;

/** A name of one or more parts: `t.s.f`. */
struct arus_uname {
    const struct arus_text *parts;
    uint32_t part_count;
    struct arus_place place;
};

struct arus_uexprs {
    const struct arus_uexpr **items;
    uint32_t count;
};

enum arus_uexpr_kind {
    ARUS_UEXPR_LITERAL,  /* value */
    ARUS_UEXPR_TYPED,    /* text, a literal of `type`: DATE '2026-03-02' */
    ARUS_UEXPR_NAME,     /* name */
    ARUS_UEXPR_STAR,     /* name (part_count 0: all columns), except */
    ARUS_UEXPR_CALL,     /* function args; operators too, under the registry's names */
    ARUS_UEXPR_CAST,     /* args[0] to type; is_try */
    ARUS_UEXPR_FIELD,    /* args[0].text */
    ARUS_UEXPR_ALIAS,    /* args[0] AS names[0], or AS (names ..) of a generator */
    ARUS_UEXPR_SUBQUERY, /* (query): one value */
    ARUS_UEXPR_EXISTS,   /* EXISTS (query) */
    ARUS_UEXPR_IN_QUERY, /* args IN (query); NOT stands around it as a call */
    ARUS_UEXPR_LAMBDA,   /* names -> args[0] */
    ARUS_UEXPR_WINDOW    /* f(..) OVER (..): known, always refused */
};

struct arus_uexpr {
    enum arus_uexpr_kind kind;
    struct arus_place place;      /* of the whole expression */
    struct arus_place name_place; /* CALL: of the function's name or the operator */
    struct arus_uname name;       /* NAME, STAR */
    struct arus_text text; /* CALL: function; FIELD: field; TYPED: the text between the quotes */
    struct arus_uexprs args;
    const struct arus_text *names; /* ALIAS, LAMBDA; CALL: of the arguments, or NULL */
    uint32_t name_count;
    const struct arus_type *type;    /* CAST, TYPED */
    struct arus_vector value;        /* LITERAL: CONSTANT, row_count 1 */
    bool is_try;                     /* CAST: TRY_CAST */
    bool is_distinct;                /* CALL: f(DISTINCT x) */
    bool ignores_nulls;              /* CALL: IGNORE NULLS */
    bool is_list;                    /* ALIAS: AS (a) instead of AS a */
    const struct arus_usort *orders; /* CALL: [order_count] WITHIN GROUP (ORDER BY ..) */
    uint32_t order_count;
    const struct arus_uexpr *filter; /* CALL: FILTER (WHERE ..), or NULL */
    const struct arus_urel *query;   /* SUBQUERY, EXISTS, IN_QUERY */
    const struct arus_uname *except; /* STAR */
    uint32_t except_count;
};

struct arus_usort {
    const struct arus_uexpr *expr;
    bool is_descending;
    bool nulls_first;
    struct arus_place place;
};

enum arus_urel_kind {
    ARUS_UREL_ONE_ROW,   /* no FROM: one row without columns */
    ARUS_UREL_TABLE,     /* name, or name[0] = format and path; is_stream, settings */
    ARUS_UREL_FUNCTION,  /* name(items ..): a generator, range, drop_duplicates with inputs[0] */
    ARUS_UREL_VALUES,    /* rows */
    ARUS_UREL_ALIAS,     /* inputs[0] AS alias (columns) */
    ARUS_UREL_WATERMARK, /* inputs[0] WATERMARK condition [AS alias] DELAY OF delay */
    ARUS_UREL_FILTER,    /* inputs[0] WHERE condition */
    ARUS_UREL_SELECT, /* items over inputs[0], grouped when is_grouped or an aggregate is in them */
    ARUS_UREL_JOIN,   /* inputs[0], inputs[1] */
    ARUS_UREL_SETOP,  /* inputs[0], inputs[1] */
    ARUS_UREL_SORT,   /* sorts, or sort_all */
    ARUS_UREL_LIMIT,  /* condition = number of rows */
    ARUS_UREL_OFFSET, /* condition = number of rows */
    ARUS_UREL_WITH,   /* ctes, then inputs[0] */
    ARUS_UREL_LATERAL, /* inputs[0] LATERAL VIEW [OUTER] items[0] alias AS columns */
    ARUS_UREL_EXTEND,  /* |> EXTEND items: all columns, then these */
    ARUS_UREL_SET,     /* |> SET columns[i] = items[i] */
    ARUS_UREL_DROP,    /* |> DROP columns */
    ARUS_UREL_SAMPLE   /* TABLESAMPLE: known, always refused */
};

enum arus_ujoin {
    ARUS_UJOIN_INNER,
    ARUS_UJOIN_CROSS,
    ARUS_UJOIN_LEFT,
    ARUS_UJOIN_RIGHT,
    ARUS_UJOIN_FULL,
    ARUS_UJOIN_SEMI,
    ARUS_UJOIN_ANTI
};

enum arus_usetop { ARUS_USETOP_UNION, ARUS_USETOP_EXCEPT, ARUS_USETOP_INTERSECT };

struct arus_ucte {
    struct arus_text name;
    struct arus_place place;
    const struct arus_text *columns;
    uint32_t column_count;
    const struct arus_urel *query;
};

/** A relation. Which fields count says the list above; others are zero. */
struct arus_urel {
    enum arus_urel_kind kind;
    struct arus_place place; /* of the clause: the table's name, the JOIN, the LIMIT .. */
    const struct arus_urel *inputs[2];
    struct arus_uname name;         /* TABLE, FUNCTION */
    struct arus_text path;          /* TABLE: format.`path` */
    bool is_path;                   /* TABLE: path is set */
    bool is_stream;                 /* TABLE: STREAM name */
    struct arus_place stream_place; /* TABLE: the word STREAM */
    struct arus_settings settings;  /* TABLE: WITH (..) */
    struct arus_uexprs items;       /* SELECT, FUNCTION, LATERAL, EXTEND, SET */
    const struct arus_uexprs *rows; /* VALUES */
    uint32_t row_count;
    struct arus_text alias; /* ALIAS, WATERMARK (of the new column), LATERAL; may be empty */
    const struct arus_text *columns;        /* ALIAS, LATERAL, JOIN (USING), SET, DROP */
    const struct arus_place *column_places; /* [column_count] or NULL */
    uint32_t column_count;
    const struct arus_uexpr *condition; /* WATERMARK, FILTER, JOIN (ON), LIMIT, OFFSET */
    const struct arus_uexpr *delay;     /* WATERMARK */
    bool is_distinct;                   /* SELECT */
    bool is_grouped;                    /* SELECT: GROUP BY or |> AGGREGATE is there */
    bool group_all;                     /* SELECT: GROUP BY ALL */
    bool prepends_groups;               /* SELECT: |> AGGREGATE: the groups are the first columns */
    bool is_pipe;                       /* SELECT, FILTER: from |>: clauses do not mix */
    struct arus_uexprs groups;          /* SELECT */
    const struct arus_uexprs
        *sets; /* SELECT: GROUPING SETS, ROLLUP, CUBE; groups: all their keys */
    uint32_t set_count;
    struct arus_place group_place;   /* SELECT: of GROUP BY */
    const struct arus_uexpr *having; /* SELECT */
    enum arus_ujoin join;            /* JOIN */
    bool is_natural;                 /* JOIN */
    bool has_using;                  /* JOIN */
    bool is_lateral;                 /* JOIN with LATERAL */
    enum arus_usetop setop;          /* SETOP */
    bool keeps_all;                  /* SETOP: ALL */
    const struct arus_usort *sorts;  /* SORT */
    uint32_t sort_count;
    bool sort_all;                /* SORT: ORDER BY ALL; sorts[0] has the directions */
    bool is_outer;                /* LATERAL */
    const struct arus_ucte *ctes; /* WITH */
    uint32_t cte_count;
};

#endif
