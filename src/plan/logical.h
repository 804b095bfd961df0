/** The resolved plan: every name is a column index, every expression has a type. */
#ifndef ARUS_PLAN_LOGICAL_H
#define ARUS_PLAN_LOGICAL_H

#include "column/scan.h"
#include "connector/connector.h"
#include "expr/function.h"

#include <stdbool.h>
#include <stdint.h>

enum arus_plan_kind {
    ARUS_PLAN_SCAN,
    ARUS_PLAN_VALUES,
    ARUS_PLAN_RANGE,
    ARUS_PLAN_FILTER,
    ARUS_PLAN_PROJECT,
    ARUS_PLAN_AGGREGATE,
    ARUS_PLAN_SORT,
    ARUS_PLAN_LIMIT,
    ARUS_PLAN_JOIN,
    ARUS_PLAN_UNION,
    ARUS_PLAN_WATERMARK,
    ARUS_PLAN_DEDUP,
    ARUS_PLAN_GENERATE
};

enum arus_join_kind {
    ARUS_JOIN_INNER,
    ARUS_JOIN_LEFT,
    ARUS_JOIN_RIGHT,
    ARUS_JOIN_FULL,
    ARUS_JOIN_SEMI,      /* left rows with a match; left columns only */
    ARUS_JOIN_ANTI,      /* left rows without a match; left columns only */
    ARUS_JOIN_ANTI_NULL, /* NOT IN (query): as ANTI, but a null on either side counts as a match */
    ARUS_JOIN_MARK       /* left columns, then BOOLEAN: has a match (EXISTS, IN in an expression) */
};

struct arus_sort_key {
    const struct arus_expr *expr;
    bool is_descending;
    bool nulls_first;
};

/** One pair of equal keys of a join: left is over the left columns, right over the right ones, same
 * type. */
struct arus_join_key {
    const struct arus_expr *left;
    const struct arus_expr *right;
    bool is_null_safe; /* <=> */
};

enum arus_unnest { ARUS_UNNEST_ELEMENTS, ARUS_UNNEST_INLINE };

/** What a window column of a PROJECT was made from: window(time, size, slide, start). Microseconds.
 */
struct arus_time_window {
    const struct arus_expr
        *time; /* TIMESTAMP over the PROJECT's input; a window's own time for window(w, ..) */
    int64_t size;
    int64_t slide;
    int64_t start;
    bool is_session;       /* session_window(time, gap); size is the gap, -1: an expression */
    struct arus_text text; /* window(event_time, '10 minutes') */
};

/**
 * A node. `schema` is a STRUCT with the columns it gives. Lives in the plan arena; the optimiser
 * makes new nodes. Expressions are over the columns of children[0] (JOIN: of both, left first).
 */
struct arus_plan {
    enum arus_plan_kind kind;
    bool is_streaming;       /* a scan below reads a stream */
    struct arus_place place; /* of the clause in the SQL text */
    const struct arus_type *schema;
    struct arus_plan **children;
    uint32_t child_count;
    const char *set_operation; /* JOIN, AGGREGATE, UNION: made for EXCEPT or INTERSECT; else NULL */
    const struct arus_time_window
        *window; /* PROJECT, GENERATE: the last column is a window, or has windows in it */
    union {
        struct {
            const struct arus_source *source;
            bool is_stream;
            struct arus_place stream_place; /* the word STREAM */
            uint32_t stream_index; /* position among the streams of the query, in the order of the
                                      text */
            uint16_t *fields;      /* [schema->field_count] position in source->schema (+1 behind:
                                      _metadata) */
            struct arus_predicate
                *predicates; /* fields of source->schema; may be used, filters stay */
            size_t predicate_count;
        } scan;
        struct {
            struct arus_batch rows; /* may have no columns, but rows */
        } values;
        struct {
            int64_t start;
            int64_t end;
            int64_t step;
        } range;
        struct {
            const struct arus_expr *condition;
        } filter;
        struct {
            const struct arus_expr **exprs; /* [schema->field_count] */
        } project;
        struct {
            const struct arus_expr **keys; /* the first columns */
            uint32_t key_count;
            const struct arus_expr **aggregates; /* the columns behind: calls of aggregates */
            uint32_t aggregate_count;
            bool has_session; /* keys[session_key] is a session window: overlapping ones merge */
            uint32_t session_key;
            bool is_distinct; /* SELECT DISTINCT: keys only */
        } aggregate;
        struct {
            const struct arus_sort_key *keys;
            uint32_t key_count;
        } sort;
        struct {
            int64_t count; /* -1: no limit */
            int64_t skip;  /* OFFSET */
        } limit;
        struct {
            enum arus_join_kind kind;
            const struct arus_join_key *keys;
            uint32_t key_count;
            const struct arus_expr *condition; /* what is left of ON, or NULL */
            bool is_single;                    /* scalar subquery: more than one right row is
                                                  SCALAR_SUBQUERY_TOO_MANY_ROWS */
        } join;
        struct {
            uint32_t column;
            int64_t delay_micros; /* a month counts 31 days */
        } watermark;
        struct {
            const uint32_t *columns;
            uint32_t column_count;
            bool within_watermark;
        } dedup;
        struct {
            const struct arus_expr *input; /* ARRAY or MAP; gives rows behind the child's columns */
            enum arus_unnest unnest; /* INLINE: fields of the element structs become columns */
            bool has_position;
            bool is_outer;
            bool is_grouping; /* made for GROUPING SETS: the keys of each set, then its id */
        } generate;
    };
};

#endif
