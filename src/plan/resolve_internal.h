/** What the resolve_*.c files share. */
#ifndef ARUS_PLAN_RESOLVE_INTERNAL_H
#define ARUS_PLAN_RESOLVE_INTERNAL_H

#include "plan/list.h"
#include "plan/resolve.h"
#include "plan/tree.h"

/* ---- scopes ---- */

/** A name that expressions can use. */
struct arus_scope_column {
    struct arus_text qualifier; /* alias of the table; empty: none */
    struct arus_text name;
    uint32_t index;   /* column of the plan */
    uint32_t id;      /* the same for the same column under two names in one scope */
    bool is_hidden;   /* only with its qualifier: the other side of USING */
    bool is_fallback; /* only when nothing else has the name: window of GROUP BY */
};

struct arus_scope {
    struct arus_scope_column *columns; /* in the order of `*` */
    size_t count;
    size_t capacity;
};

/** A resolved relation: its rows and the names of its columns. */
struct arus_bound {
    struct arus_plan *plan;
    struct arus_scope scope;
};

struct arus_resolved_cte {
    const struct arus_resolved_cte *outer;
    const struct arus_ucte *cte;
    const struct arus_resolved_cte *visible; /* what its query may use */
};

struct arus_resolver {
    struct arus_catalog *catalog;
    struct arus_arena *arena;
    const struct arus_resolved_cte *ctes; /* newest first */
    uint32_t next_id;
    uint32_t stream_count;
    uint32_t depth;
};

ARUS_MUST_USE enum arus_status arus_scope_add(struct arus_resolver *resolver,
                                              struct arus_scope *scope,
                                              const struct arus_scope_column *column,
                                              struct arus_error *err);
/** One column per field of the schema, all new, with this qualifier. */
ARUS_MUST_USE enum arus_status arus_scope_open(struct arus_resolver *resolver,
                                               const struct arus_type *schema,
                                               struct arus_text qualifier, struct arus_scope *out,
                                               struct arus_error *err);
/** Is it this name, as the session compares names? */
bool arus_resolver_same(const struct arus_resolver *resolver, struct arus_text a,
                        struct arus_text b);

/** What a name means: a column and how many parts name it; the others are fields. */
struct arus_scope_match {
    const struct arus_scope_column *column; /* NULL: no match */
    uint32_t part_count;
    bool is_ambiguous;
};
void arus_scope_find(const struct arus_resolver *resolver, const struct arus_scope *scope,
                     const struct arus_uname *name, struct arus_scope_match *out);
/** UNRESOLVED_COLUMN.* with the nearest name and the list of columns. */
ARUS_MUST_USE enum arus_status arus_scope_unknown(const struct arus_scope *scope,
                                                  const struct arus_uname *name,
                                                  struct arus_error *err);

/* ---- expressions ---- */

enum arus_clause {
    ARUS_CLAUSE_SELECT,
    ARUS_CLAUSE_WHERE,
    ARUS_CLAUSE_GROUP,
    ARUS_CLAUSE_HAVING,
    ARUS_CLAUSE_ORDER,
    ARUS_CLAUSE_JOIN,
    ARUS_CLAUSE_VALUES,
    ARUS_CLAUSE_ARGUMENT /* of a table function, LIMIT, WATERMARK */
};

enum arus_item_state { ARUS_ITEM_NEW, ARUS_ITEM_BUSY, ARUS_ITEM_READY };

/** A select item behind star expansion. */
struct arus_item {
    enum arus_item_state state;
    const struct arus_uexpr *from; /* NULL: a column of a star */
    const struct arus_expr *expr;  /* READY; NULL for a generator */
    struct arus_text name;         /* alias or column name; data NULL: the text of expr */
    const struct arus_text *names; /* generator: AS (a, b) */
    uint32_t name_count;
    bool has_alias;                     /* other items may name it */
    bool keeps_column;                  /* a plain column under its own name */
    struct arus_text qualifier;         /* keeps_column */
    uint32_t id;                        /* keeps_column */
    const struct arus_uexpr *generator; /* the call, when the item is one */
};

enum arus_alias_rule {
    ARUS_ALIAS_NONE,
    ARUS_ALIAS_AFTER, /* columns first: lateral aliases, GROUP BY */
    ARUS_ALIAS_BEFORE /* aliases first: ORDER BY, HAVING */
};

/** COLUMN with this index: the number of the grouping set, until the aggregate is made. */
#define ARUS_GROUPING_COLUMN ((uint32_t)0x20000000)

/** The variables of a lambda, for the names in its body. */
struct arus_lambda_scope {
    const struct arus_lambda_scope *outer;
    uint32_t level; /* of its first variable */
    uint32_t count;
    const struct arus_text *names;            /* [count] */
    const struct arus_expr *const *variables; /* [count] */
};

/** Where an expression stands. */
struct arus_expr_context {
    struct arus_resolver *resolver;
    struct arus_bound *input; /* may gain columns at its end: windows, subqueries */
    enum arus_clause clause;
    enum arus_alias_rule alias_rule;
    struct arus_item *items;
    size_t item_count; /* items that names may mean */
    bool in_aggregate;
    const struct arus_uexpr *window; /* the one window(..) of this SELECT */
    const struct arus_expr *window_column;
    bool has_session;
    const struct arus_exprs *group_keys;     /* with grouping sets: what grouping() may name */
    const struct arus_expr_context *outer;   /* around a subquery */
    const struct arus_lambda_scope *lambdas; /* around the expression, innermost first */
};

/** A column of the query around has this bit in its index until the subquery is joined. */
#define ARUS_OUTER_COLUMN ((uint32_t)0x40000000)

ARUS_MUST_USE enum arus_status arus_resolve_expr(struct arus_expr_context *context,
                                                 const struct arus_uexpr *from,
                                                 const struct arus_expr **out,
                                                 struct arus_error *err);
/** An argument that `shape` is handed to: LAMBDA. What is no lambda has the same value for all
 * elements. Errors: INVALID_LAMBDA_FUNCTION_CALL.* */
ARUS_MUST_USE enum arus_status arus_resolve_lambda(struct arus_expr_context *context,
                                                   const struct arus_uexpr *from,
                                                   const struct arus_lambda_shape *shape,
                                                   const struct arus_expr **out,
                                                   struct arus_error *err);
/** The variable that the first part of a name means, or NULL. */
ARUS_MUST_USE enum arus_status arus_lambda_find(const struct arus_expr_context *context,
                                                const struct arus_uname *name,
                                                const struct arus_expr **out,
                                                struct arus_error *err);
/** Makes sure that an item is READY; generators stay without an expr. */
ARUS_MUST_USE enum arus_status arus_resolve_item(struct arus_expr_context *context,
                                                 struct arus_item *item, struct arus_error *err);
/** As arus_resolve_expr, for a condition: BOOLEAN, or DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN. */
ARUS_MUST_USE enum arus_status arus_resolve_condition(struct arus_expr_context *context,
                                                      const struct arus_uexpr *from,
                                                      const struct arus_expr **out,
                                                      struct arus_error *err);
/** Columns of `*` or `t.*`, as items. */
ARUS_MUST_USE enum arus_status arus_resolve_star(struct arus_expr_context *context,
                                                 const struct arus_uexpr *star,
                                                 struct arus_item **items, size_t *count,
                                                 size_t *capacity, struct arus_error *err);
/** The value of a constant expression; *is_constant false: it is none. */
ARUS_MUST_USE enum arus_status arus_resolve_constant(struct arus_resolver *resolver,
                                                     const struct arus_expr *expr,
                                                     struct arus_vector *out,
                                                     struct arus_error *err);
struct arus_maker arus_resolver_maker(const struct arus_resolver *resolver,
                                      struct arus_place place);
bool arus_uexpr_has_aggregate(const struct arus_uexpr *expr);
bool arus_uexpr_is_generator(const struct arus_uexpr *expr);
bool arus_is_generator(struct arus_text name);

/* ---- windows, generators, subqueries ---- */

ARUS_MUST_USE enum arus_status arus_resolve_window(struct arus_expr_context *context,
                                                   const struct arus_uexpr *call,
                                                   const struct arus_expr **out,
                                                   struct arus_error *err);
/** grouping(k), grouping_id(). Errors: UNSUPPORTED_GROUPING_EXPRESSION, GROUPING_COLUMN_MISMATCH.
 */
ARUS_MUST_USE enum arus_status arus_resolve_grouping(struct arus_expr_context *context,
                                                     const struct arus_uexpr *call,
                                                     const struct arus_expr **out,
                                                     struct arus_error *err);
/** Each row once per grouping set: behind its columns the keys (null where masks[i] lacks their
 * bit) and the set's id. *first: the first of these columns. */
ARUS_MUST_USE enum arus_status
arus_grouping_expand(struct arus_resolver *resolver, struct arus_place place,
                     const struct arus_exprs *keys, const uint64_t *masks, uint32_t mask_count,
                     struct arus_plan **inout, uint32_t *first, struct arus_error *err);
/** Adds a GENERATE node on top of input->plan; *first, *count: its new columns. `map` (or NULL)
 * turns the argument's columns into the plan's. */
ARUS_MUST_USE enum arus_status arus_resolve_generator(struct arus_expr_context *context,
                                                      const struct arus_uexpr *call, bool is_outer,
                                                      struct arus_exprs *args,
                                                      struct arus_plan **inout, uint32_t *first,
                                                      uint32_t *count, struct arus_error *err);
/** Resolves the arguments of a generator over context->input. */
ARUS_MUST_USE enum arus_status arus_resolve_generator_args(struct arus_expr_context *context,
                                                           const struct arus_uexpr *call,
                                                           struct arus_exprs *args,
                                                           struct arus_error *err);
/** A subquery inside an expression: joins it to context->input and gives its column. */
ARUS_MUST_USE enum arus_status arus_resolve_subquery(struct arus_expr_context *context,
                                                     const struct arus_uexpr *from, bool is_negated,
                                                     const struct arus_expr **out,
                                                     struct arus_error *err);
/** A conjunct of WHERE that is [NOT] EXISTS or [NOT] IN (query): a semi or anti join. *is_done
 * false: it is none. */
ARUS_MUST_USE enum arus_status arus_resolve_where_query(struct arus_expr_context *context,
                                                        const struct arus_uexpr *conjunct,
                                                        bool *is_done, struct arus_error *err);

/* ---- relations ---- */

ARUS_MUST_USE enum arus_status arus_resolve_relation(struct arus_resolver *resolver,
                                                     const struct arus_urel *from,
                                                     const struct arus_expr_context *outer,
                                                     struct arus_bound *out,
                                                     struct arus_error *err);
/** `sort` is the ORDER BY right above it, or NULL. */
ARUS_MUST_USE enum arus_status arus_resolve_select(struct arus_resolver *resolver,
                                                   const struct arus_urel *from,
                                                   const struct arus_urel *sort,
                                                   const struct arus_expr_context *outer,
                                                   struct arus_bound *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_resolve_sort(struct arus_resolver *resolver,
                                                 const struct arus_urel *sort,
                                                 struct arus_bound *inout, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_resolve_join(struct arus_resolver *resolver,
                                                 const struct arus_urel *from,
                                                 const struct arus_expr_context *outer,
                                                 struct arus_bound *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_resolve_setop(struct arus_resolver *resolver,
                                                  const struct arus_urel *from,
                                                  const struct arus_expr_context *outer,
                                                  struct arus_bound *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_resolve_function(struct arus_resolver *resolver,
                                                     const struct arus_urel *from,
                                                     const struct arus_expr_context *outer,
                                                     struct arus_bound *out,
                                                     struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_resolve_lateral(struct arus_resolver *resolver,
                                                    const struct arus_urel *from,
                                                    const struct arus_expr_context *outer,
                                                    struct arus_bound *out, struct arus_error *err);
/** |> EXTEND, SET, DROP */
ARUS_MUST_USE enum arus_status arus_resolve_pipe(struct arus_resolver *resolver,
                                                 const struct arus_urel *from,
                                                 const struct arus_expr_context *outer,
                                                 struct arus_bound *out, struct arus_error *err);
/** Makes the plan's columns exactly those of `*`, in that order, under their names. */
ARUS_MUST_USE enum arus_status arus_bound_close(struct arus_resolver *resolver,
                                                struct arus_bound *inout, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_resolve_values(struct arus_resolver *resolver,
                                                   const struct arus_urel *from,
                                                   struct arus_bound *out, struct arus_error *err);
/** Splits a condition over both sides into equal keys and the rest; makes the JOIN node. */
ARUS_MUST_USE enum arus_status arus_join_make(struct arus_resolver *resolver,
                                              enum arus_join_kind kind, struct arus_place place,
                                              struct arus_plan *left, struct arus_plan *right,
                                              const struct arus_expr *condition,
                                              struct arus_plan **out, struct arus_error *err);
/**
 * Takes the conditions on columns of the query around out of a subquery's plan. They come back over
 * its output (which may gain columns at its end) and marked outer columns.
 */
ARUS_MUST_USE enum arus_status arus_decorrelate(struct arus_resolver *resolver,
                                                struct arus_plan **inout, struct arus_exprs *conds,
                                                struct arus_error *err);
/** Such a condition over the columns of a join: outer ones left, those of the subquery behind
 * `left_count`. */
ARUS_MUST_USE enum arus_status
arus_decorrelated_condition(struct arus_resolver *resolver, const struct arus_exprs *conds,
                            uint32_t left_count, struct arus_place place,
                            const struct arus_expr **out, struct arus_error *err);
/** All columns as keys, no aggregates: DISTINCT. */
ARUS_MUST_USE enum arus_status arus_distinct_make(struct arus_resolver *resolver,
                                                  struct arus_place place, struct arus_plan *child,
                                                  struct arus_plan **out, struct arus_error *err);

#endif
