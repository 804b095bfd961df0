/** The function registry: one row per function; binding, help, docs and example tests come from it.
 */
#ifndef ARUS_EXPR_FUNCTION_H
#define ARUS_EXPR_FUNCTION_H

#include "expr/expr.h"

enum arus_function_kind { ARUS_SCALAR, ARUS_AGGREGATE, ARUS_GENERATOR };

enum arus_function_flags {
    ARUS_STRICT =
        1, /* any null argument -> null: the framework ANDs the bitmaps, the kernel sees FLAT or
              CONSTANT arguments and may ignore nulls (but must not fail on them) */
    ARUS_LAZY =
        2, /* CASE, AND, OR, IF, COALESCE: later arguments only for the rows that reach them */
    ARUS_CAN_FAIL = 4,     /* may raise at run time */
    ARUS_NOT_CONSTANT = 8, /* now(), rand(): never folded */
    ARUS_CHEAP = 16,       /* costs less than picking the rows that need it */
    ARUS_VOLATILE = 32,    /* rand(), uuid(): two calls differ */
    /* Which arguments of a strict call may raise errors beside a null one: as a rule those before
     * it, for Spark computes them one after the other and stops at the first null. */
    ARUS_LAST_FIRST = 64, /* divisions: it begins with the last */
    ARUS_ALL_ARGS = 128   /* concat: all are computed */
};

/** What one call keeps from batch to batch, in one thread: a compiled regex, a cache of zones. */
struct arus_kernel_memo {
    void *data;
    void (*close)(void *data); /* called when the program state is closed; NULL: nothing to close */
};

struct arus_lambdas; /* the lambdas of a call while it runs */

/** One call of a kernel over a batch. */
struct arus_kernel_call {
    const struct arus_expr *expr;   /* type, bound, place */
    const struct arus_vector *args; /* [expr->arg_count]; strict: FLAT or CONSTANT */
    uint32_t row_count;
    const uint64_t *valid; /* strict: rows to compute (NULL: all); errors only for these */
    const struct arus_eval_env *env;
    struct arus_arena *step; /* results and scratch */
    struct arus_kernel_memo *memo;
    const struct arus_lambdas *lambdas; /* for arus_lambda_run; NULL: none */
};

/**
 * Computes `out`: FLAT (arus_vector_init from call->step), of expr->type. Strict functions need not
 * set validity (the framework does) unless they make nulls of their own. Errors: ARUS_BAD_DATA,
 * with *bad_row = the first failing row.
 */
typedef enum arus_status (*arus_kernel_fn)(const struct arus_kernel_call *call,
                                           struct arus_vector *out, uint32_t *bad_row,
                                           struct arus_error *err);

/**
 * Computes the lambda that is argument `arg` for `count` elements: variables[v] has `count` values
 * of its v-th variable, element e belongs to row rows[e] of the call. `out` has `count` rows, in
 * any form. Errors: those of its body, with *bad_row = the row of the first failing element.
 */
ARUS_MUST_USE enum arus_status arus_lambda_run(const struct arus_kernel_call *call, uint32_t arg,
                                               const struct arus_vector *variables,
                                               const uint32_t *rows, uint32_t count,
                                               struct arus_vector *out, uint32_t *bad_row,
                                               struct arus_error *err);

/** A key of WITHIN GROUP (ORDER BY ..). */
struct arus_order {
    const struct arus_expr *expr;
    bool is_descending;
    bool nulls_first;
};

/** A call being resolved: the rule checks and coerces arguments and says type and kernel. */
struct arus_bind {
    const struct arus_function *function;
    struct arus_text name; /* as the user wrote it */
    struct arus_place place;
    const struct arus_expr **args; /* [arg_count]; the rule may wrap them in casts, in place */
    uint32_t arg_count;
    const struct arus_text
        *arg_names;   /* [arg_count] struct(1 AS a), f(x => 1); empty: none; NULL: none at all */
    bool is_distinct; /* f(DISTINCT x) */
    const struct arus_order *orders; /* [order_count] WITHIN GROUP */
    uint32_t order_count;
    bool is_ansi;
    const struct arus_zone *zone;
    struct arus_arena *arena; /* of the plan */
    /* results */
    const struct arus_type *type;
    bool is_nullable; /* preset: strict and some argument is nullable */
    const void *bound;
    bool can_fail;                          /* preset: ARUS_CAN_FAIL */
    arus_kernel_fn kernel;                  /* preset: function->kernel */
    const struct arus_aggregate *aggregate; /* preset: function->aggregate */
    const struct arus_expr *replacement; /* set: the call becomes this expression, with the call's
                                            text (its own text if function->text is "") */
    struct arus_text text;               /* set: overrides the generated text */
};
typedef enum arus_status (*arus_bind_fn)(struct arus_bind *bind, struct arus_error *err);

#define ARUS_LAMBDA_VARIABLES_MAX 3

/** What a function hands to one of its lambdas. */
struct arus_lambda_shape {
    uint32_t count_min; /* variables that it must name */
    uint32_t count_max;
    struct arus_lambda_variable {
        const struct arus_type *type;
        bool is_nullable;
    } variables[ARUS_LAMBDA_VARIABLES_MAX];
};
/** The shape of lambda `i`. Arguments before it are resolved and may be cast here; bind->args of
 * later lambdas are NULL. */
typedef enum arus_status (*arus_lambda_fn)(struct arus_bind *bind, uint32_t i,
                                           struct arus_lambda_shape *out, struct arus_error *err);

/**
 * An aggregate's state is plain bytes of a fixed size, so that it can be stored as it is. What does
 * not fit (strings, lists) lies in a heap and is named by views whose memory the heap owns.
 */
struct arus_agg_heap; /* expr/agg_heap.h: grows, compacts; knows no aggregate */

struct arus_agg_call {
    const struct arus_expr *expr;
    const struct arus_vector *args; /* FLAT or CONSTANT */
    uint32_t row_count;
    const uint32_t *groups; /* [row_count] group of each row; NULL: all rows in group 0 */
    unsigned char *states;  /* state of group g at states + g * stride */
    size_t stride;
    struct arus_agg_heap *heap;
    const struct arus_eval_env *env;
    struct arus_arena *step;
};

#define ARUS_AGG_VIEWS_MAX 4

struct arus_aggregate {
    uint32_t (*state_size)(
        const struct arus_expr *expr); /* multiple of 8 (16-aligned for wide decimals) */
    /** New states are zeroed bytes: that must mean "no rows yet". */
    enum arus_status (*update)(const struct arus_agg_call *call, struct arus_error *err);
    /** Adds states `from` (count of them, stride apart) to groups `groups` of call->states. */
    enum arus_status (*merge)(const struct arus_agg_call *call, const unsigned char *from,
                              size_t from_stride, uint32_t count, struct arus_error *err);
    /** Results of `count` states as a FLAT vector of expr->type. */
    enum arus_status (*finish)(const struct arus_expr *expr, const unsigned char *states,
                               size_t stride, uint32_t count, struct arus_arena *step,
                               struct arus_vector *out, struct arus_error *err);
    /**
     * Where in the state struct arus_views lie (size 0: empty) whose bytes are in the heap; NULL:
     * nowhere. The bytes hold no pointers. A state is stored as its bytes and those behind its
     * views; it is read back by setting view.data to the stored bytes (NULL when size is 0) and
     * merging it into a fresh state, never by using it as it is. A smaller heap is made likewise.
     */
    uint32_t (*views)(const struct arus_expr *expr, uint32_t offsets[ARUS_AGG_VIEWS_MAX]);
};

/** One row of the registry. Families live in files (expr/math.c, …) as zero-terminated arrays. */
struct arus_function {
    const char *name;    /* lower case */
    const char *aliases; /* separated by blanks, or NULL */
    enum arus_function_kind kind;
    uint32_t flags;
    uint8_t arg_min;
    uint8_t arg_max; /* 255: any number */
    arus_bind_fn bind;
    arus_kernel_fn kernel; /* or chosen by bind */
    const struct arus_aggregate *aggregate;
    const char *signature; /* "date_trunc(unit, ts) -> TIMESTAMP" */
    const char *help;      /* one line; NULL: a part of others that users do not see */
    const char *example;   /* SQL expression, or NULL for operators */
    const char *result;    /* its value as text; a test runs every example */
    const char *takes; /* argument types for the rule of all rows without `bind`: see coerce.h */
    const char *gives; /* result type, likewise */
    const char *text;  /* pattern of its text, `($1 + $2)`; NULL: `name(arg, arg)` */
    const char *alias_text; /* the pattern under other names; NULL: as text */
    arus_lambda_fn lambda;  /* higher-order functions */
    uint8_t lambda_args;    /* bit i: argument i is a lambda */
    uint8_t order_max;      /* keys of WITHIN GROUP; 0: none; its rule checks the rest */
};

/**
 * By name or alias without case. NULL: none. Operators are functions too:
 * `+ - * / % div` (one argument: the sign), `= == <=> != <> < <= > >=`, `and or not`, `& | ^ ~ <<
 * >> >>>`, `||`, `in` (x, list...), `between` (x, low, high), `like ilike` (x, pattern[, escape]),
 * `rlike`, `case` (condition, value, ..., [else]), `case_operand` (operand, match, value, ...,
 * [else]), `is null`, `is not null`, `is true`, `is false`, `is distinct from`, `[]` (array, index
 * or map, key). NOT IN, NOT LIKE, IS NOT TRUE … are `not` around the plain form.
 */
const struct arus_function *arus_function_find(struct arus_text name);
/** All families, NULL-terminated list of zero-terminated arrays. */
extern const struct arus_function *const ARUS_FUNCTION_FAMILIES[];
/** The nearest name (or the Spark spelling of a DuckDB, Flink name), for "did you mean"; empty:
 * none. */
struct arus_text arus_function_suggest(struct arus_text name);

/** The first half of arus_call_make: finds bind->function and checks the number of arguments. */
ARUS_MUST_USE enum arus_status arus_call_open(struct arus_bind *bind, struct arus_error *err);
/** Is argument i a lambda? */
static inline bool arus_arg_is_lambda(const struct arus_function *function, uint32_t i)
{
    return i < 8 && ((function->lambda_args >> i) & 1) != 0;
}
/**
 * Makes a CALL: looks up, checks the number of arguments, runs the rule.
 * Errors: UNRESOLVED_ROUTINE, WRONG_NUM_ARGS, DATATYPE_MISMATCH.*, at their places.
 */
ARUS_MUST_USE enum arus_status arus_call_make(struct arus_bind *bind, const struct arus_expr **out,
                                              struct arus_error *err);
/**
 * Makes `arg.name`: a field of a STRUCT, an array of fields of an ARRAY of STRUCT, the value of a
 * MAP. Errors: FIELD_NOT_FOUND, AMBIGUOUS_REFERENCE_TO_FIELDS, INVALID_EXTRACT_BASE_FIELD_TYPE.
 */
ARUS_MUST_USE enum arus_status arus_field_make(const struct arus_expr *arg, struct arus_text name,
                                               struct arus_place place, struct arus_arena *arena,
                                               const struct arus_expr **out,
                                               struct arus_error *err);
/** Makes a LITERAL of a CONSTANT vector (kept: memory of the plan). */
ARUS_MUST_USE enum arus_status arus_literal_make(const struct arus_vector *value,
                                                 struct arus_place place, struct arus_arena *arena,
                                                 const struct arus_expr **out,
                                                 struct arus_error *err);
/** Makes a CAST, or returns the argument when the types are equal. Errors:
 * DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION, ... */
ARUS_MUST_USE enum arus_status arus_cast_make(const struct arus_expr *arg,
                                              const struct arus_type *type,
                                              enum arus_cast_mode mode, struct arus_place place,
                                              struct arus_arena *arena,
                                              const struct arus_expr **out, struct arus_error *err);
/** Replaces constant subtrees by literals. A constant that fails is left as it is: it fails when a
 * row reaches it. */
ARUS_MUST_USE enum arus_status arus_expr_fold(const struct arus_expr *expr,
                                              const struct arus_eval_env *env,
                                              struct arus_arena *arena,
                                              const struct arus_expr **out, struct arus_error *err);
/** As arus_cast_make, marked implicit; ANSI or LEGACY as the session is. */
ARUS_MUST_USE enum arus_status
arus_cast_implicit(const struct arus_expr *arg, const struct arus_type *type, bool is_ansi,
                   struct arus_arena *arena, const struct arus_expr **out, struct arus_error *err);
/** The common type of two types (CASE, UNION, IN, =; facts/sql-dialect 6), or NULL. */
const struct arus_type *arus_type_common(const struct arus_type *a, const struct arus_type *b,
                                         bool is_ansi, struct arus_arena *arena);
/** Spark's text of an expression for generated column names and EXPLAIN: `(a + 1)`, `CAST(a AS
 * STRING)`. */
ARUS_MUST_USE enum arus_status arus_expr_text(const struct arus_expr *expr, struct arus_buffer *out,
                                              struct arus_error *err);

#endif
