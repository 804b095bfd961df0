/**
 * The physical plan: what exec runs. Rows flow in stages: a stage reads one source, passes each
 * batch through its steps (row by row work, any number of workers), and ends in a gather, which
 * holds rows back until all stages that feed it are through. A gather is the source of a later
 * stage; the last one is the result.
 *
 *     scan -> filter -> project -> gather (aggregate) | gather rows -> project -> gather (sort) |
 * -> gather (result)
 *
 * Everything is immutable, in the plan arena and shared by all workers. Expressions are compiled.
 */
#ifndef ARUS_PLAN_PHYSICAL_H
#define ARUS_PLAN_PHYSICAL_H

#include "plan/logical.h"
#include "plan/stateful.h"

/* ---- steps: batch in, batches out ---- */

enum arus_step_kind {
    ARUS_STEP_FILTER,    /* program: one BOOLEAN; keeps true */
    ARUS_STEP_PROJECT,   /* program: the new columns */
    ARUS_STEP_GENERATE,  /* program: one ARRAY or MAP; unnests it behind the columns */
    ARUS_STEP_PROBE,     /* looks rows up in a BUILD gather */
    ARUS_STEP_WATERMARK, /* observes an event time column; rows pass */
    ARUS_STEP_LIMIT /* at most `limit` rows of this stage, over all workers: the rest may be skipped
                     */
};

struct arus_step {
    enum arus_step_kind kind;
    struct arus_place place;
    const struct arus_type *schema; /* of the rows behind the step */
    const struct arus_program
        *program; /* over the rows before it; PROBE: the keys, in the build's order */
    union {
        struct {
            enum arus_unnest unnest;
            bool has_position;
            bool is_outer;
        } generate;
        struct {
            uint32_t build; /* index of the gather */
            enum arus_join_kind
                kind; /* INNER, LEFT (every probed row comes out), SEMI, ANTI, ANTI_NULL, MARK;
                         FULL: also a BUILD_REST stage; RIGHT is LEFT with build_is_left */
            const struct arus_program
                *condition;     /* over left columns, then right ones; NULL: none */
            bool build_is_left; /* columns of the build stand first in the output and for the
                                   condition */
        } probe;
        struct {
            uint32_t column; /* TIMESTAMP, or a window: its end counts; a null counts as time 0 */
            uint32_t index;  /* among the watermarks of the query */
            int64_t delay_micros;
        } watermark;
        int64_t limit;
    };
};

/* ---- gathers: where stages end ---- */

enum arus_gather_kind {
    ARUS_GATHER_AGGREGATE, /* groups; partly in each worker, then by key hash */
    ARUS_GATHER_SORT,      /* all rows in order; limit and skip apply */
    ARUS_GATHER_LIMIT,     /* rows in the order of splits; limit and skip apply */
    ARUS_GATHER_BUILD,     /* hash table for PROBE */
    ARUS_GATHER_DEDUP,     /* stateful: the first row of each key */
    ARUS_GATHER_JOIN,      /* stateful: two streams; its stages say which side they are */
    ARUS_GATHER_RESULT     /* the root: rows of the query */
};

struct arus_aggregate_item {
    const struct arus_expr *expr; /* CALL of an aggregate */
    uint32_t first_arg; /* columns [first_arg, first_arg + expr->arg_count) of the program */
    int32_t filter;     /* BOOLEAN column of the program, -1: none */
    bool is_distinct;   /* update once per group and distinct arguments */
};

/** One side of a JOIN gather. */
struct arus_join_side {
    const struct arus_type *input;          /* schema of its rows */
    const struct arus_program *program;     /* keys, then the event time if it is no key */
    const struct arus_type *program_schema; /* STRUCT of the program's results, names empty */
    const struct arus_program
        *condition; /* one BOOLEAN over its columns; NULL: none. A row for which it is not true
                       matches nothing and is not stored: it comes out with nulls at once on a
                       preserved side, else not at all */
};

struct arus_gather {
    enum arus_gather_kind kind;
    struct arus_place place;
    const struct arus_state_operator
        *state; /* AGGREGATE, LIMIT: NULL: nothing is kept between batches; DEDUP, JOIN: never NULL
                 */
    const struct arus_type *input;  /* schema of the rows that come in */
    const struct arus_type *schema; /* of the rows that go out */
    const struct arus_program
        *program; /* AGGREGATE: keys, arguments, filters; SORT: keys; BUILD: keys; DEDUP: keys, then
                     the event time if there is one and it is no key; over `input` */
    const struct arus_type
        *program_schema; /* STRUCT of the program's results, names empty; NULL without program */
    uint32_t key_count;
    union {
        struct {
            const struct arus_aggregate_item *items;
            uint32_t item_count;
            bool is_global;   /* no GROUP BY: one row even without input */
            bool has_session; /* key session_key is STRUCT<start, end>: overlapping ones of one
                                 group are merged */
            uint32_t session_key;
        } aggregate;
        struct {
            const struct arus_sort_key *keys; /* directions; `expr` is compiled into program */
            int64_t limit;                    /* -1: none */
            int64_t skip;
        } sort;
        struct {
            int64_t limit; /* -1: none */
            int64_t skip;
        } limit;
        struct {
            const bool *is_null_safe; /* [key_count] */
            bool keeps_rest;          /* a BUILD_REST stage wants the rows that no probe matched */
            bool is_static; /* stream: the same in every micro-batch while its sources do not change
                             */
            bool is_single; /* more than one row: SCALAR_SUBQUERY_TOO_MANY_ROWS */
        } build;
        struct {
            enum arus_join_kind kind;           /* INNER, LEFT, RIGHT, FULL, SEMI */
            const bool *is_null_safe;           /* [key_count] */
            const struct arus_join_side *sides; /* [2] left, right; `input` and `program` above are
                                                   NULL */
            const struct arus_program
                *condition; /* over left columns, then right ones; NULL: none */
        } join;
    };
};

/* ---- stages ---- */

enum arus_stage_source {
    ARUS_FROM_SCAN,
    ARUS_FROM_VALUES,
    ARUS_FROM_RANGE,
    ARUS_FROM_GATHER,    /* rows of an earlier gather, in its order */
    ARUS_FROM_BUILD_REST /* build rows without a match, nulls for the other side: the probe step's
                            output schema */
};

struct arus_stage {
    enum arus_stage_source from;
    const struct arus_type *input; /* schema of the source's rows */
    union {
        struct {
            const struct arus_source *source;
            const struct arus_scan *request; /* request->output equals `input` */
            bool is_stream;
            uint32_t stream_index;
        } scan;
        const struct arus_batch *values; /* may have more than ARUS_BATCH_ROWS rows */
        struct {
            int64_t start;
            int64_t end;
            int64_t step;
        } range;
        struct {
            uint32_t index;
            const struct arus_step *probe; /* BUILD_REST: the step that probed it */
        } gather;
    };
    const struct arus_step **steps;
    uint32_t step_count;
    uint32_t target; /* gather that takes the rows */
    uint32_t side;   /* target is a JOIN: 0 left, 1 right; all stages of the left side stand before
                        those of the right one */
    bool is_ordered; /* the source has an order that the result must keep: run as one */
    bool is_static;  /* no streaming scan feeds it */
};

struct arus_physical {
    const struct arus_type *schema;
    const struct arus_stage
        *stages; /* in an order of execution: what a stage needs stands before it */
    uint32_t stage_count;
    const struct arus_gather *gathers; /* the last one is RESULT */
    uint32_t gather_count;
    uint32_t stream_count; /* streaming scans */
    uint32_t watermark_count;
    const struct arus_state_operator *const *operators; /* [operator_count] by id */
    uint32_t operator_count;
    const struct arus_error
        *refusal;    /* why no batch can run, which Spark finds in the first one; NULL: nothing */
    const char *sql; /* the text that places point into; zero-terminated */
};

/** What the stateful operators of a streaming query depend on. Zeroed for a batch query. */
struct arus_physical_rules {
    enum arus_output_mode mode;
    bool takes_first_event_time; /* of several, with statefulOperator.allowMultiple=false */
};

/**
 * Makes the stages of an optimised plan.
 * Errors: MULTIPLE_EVENT_TIME_COLUMNS at a stateful operator.
 */
ARUS_MUST_USE enum arus_status
arus_physical_make(const struct arus_plan *plan, struct arus_physical_rules rules,
                   const struct arus_eval_env *env, struct arus_arena *arena,
                   const struct arus_physical **out, struct arus_error *err);
/** Appends a readable dump: a line a stage, a step, a gather. */
ARUS_MUST_USE enum arus_status arus_physical_print(const struct arus_physical *physical,
                                                   struct arus_buffer *out, struct arus_error *err);

#endif
