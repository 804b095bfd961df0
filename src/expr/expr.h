/** Resolved expressions: typed trees over the columns of one input, and how they are evaluated. */
#ifndef ARUS_EXPR_EXPR_H
#define ARUS_EXPR_EXPR_H

#include "column/vector.h"
#include "types/zone.h"

#include <stdbool.h>
#include <stdint.h>

struct arus_function;
struct arus_aggregate;
struct arus_kernel_call;

enum arus_expr_kind {
    ARUS_EXPR_LITERAL, /* value */
    ARUS_EXPR_COLUMN,  /* column of the input */
    ARUS_EXPR_FIELD,   /* args[0] is a STRUCT (or ARRAY of STRUCT: array of the field); `index` its
                          field */
    ARUS_EXPR_CAST,    /* args[0] to `type`; cast_mode */
    ARUS_EXPR_CALL,    /* function with args; operators, CASE, AND/OR are functions too */
    ARUS_EXPR_LAMBDA,  /* args[0] the body, args[1..] its VARIABLEs; `index` the level of the first.
                          Only as an argument of a CALL */
    ARUS_EXPR_VARIABLE /* of a lambda around; `index` its level: variables further out count first
                        */
};

enum arus_cast_mode { ARUS_CAST_ANSI, ARUS_CAST_LEGACY, ARUS_CAST_TRY };

/** Immutable after resolution, in the plan arena. Arguments are already coerced to what the
 * function takes. */
struct arus_expr {
    enum arus_expr_kind kind;
    enum arus_cast_mode cast_mode;
    const struct arus_type *type;
    bool is_nullable;
    bool is_implicit;         /* CAST that the user did not write: left out of texts */
    bool can_fail;            /* this node may raise (arguments aside); see arus_expr_can_fail */
    struct arus_place place;  /* of the whole expression in the SQL text */
    uint32_t index;           /* COLUMN, FIELD, LAMBDA, VARIABLE */
    struct arus_vector value; /* LITERAL: CONSTANT */
    struct arus_text name;    /* COLUMN, FIELD, CALL (as written, lower case): for texts */
    struct arus_text text;    /* overrides the generated text when not empty (`nvl(a, b)`) */
    const struct arus_function *function; /* CALL */
    const void
        *bound; /* CALL: what the function's bind kept (a compiled pattern, ...); read-only */
    enum arus_status (*kernel)(const struct arus_kernel_call *call, struct arus_vector *out,
                               uint32_t *bad_row,
                               struct arus_error *err); /* CALL: chosen by bind */
    const struct arus_aggregate *aggregate;             /* CALL of an aggregate */
    bool is_distinct;                                   /* aggregate over distinct arguments */
    const struct arus_expr *filter;                     /* aggregate: FILTER (WHERE …), or NULL */
    const struct arus_expr **args;
    uint32_t arg_count;
    const struct arus_expr **constants; /* CALL: arguments that are in `bound` instead of `args` */
    uint32_t constant_count;
};

/** What evaluation depends on besides the rows. Constant within a micro-batch. */
struct arus_eval_env {
    const struct arus_zone *zone;
    int64_t now_micros; /* current_timestamp(): the batch time */
    bool is_ansi;
    const char *sql; /* the SQL text, for fragments in error messages; may be NULL */
};

/** A set of expressions compiled into one flat program. Immutable: threads share it, each with its
 * own state. */
struct arus_program;
struct arus_program_state;

/** Compiles `count` expressions over one input schema. Common subexpressions are computed once;
 * constants were folded before (expr_fold). Lives in the arena. */
ARUS_MUST_USE enum arus_status arus_program_compile(const struct arus_expr *const *exprs,
                                                    size_t count, struct arus_arena *arena,
                                                    const struct arus_program **out,
                                                    struct arus_error *err);
/** Per-thread registers. */
ARUS_MUST_USE enum arus_status arus_program_state_open(const struct arus_program *program,
                                                       struct arus_program_state **out,
                                                       struct arus_error *err);
void arus_program_state_close(struct arus_program_state *state); /* accepts NULL */
/**
 * Evaluates all expressions over a batch (any vector forms). out[i] is the i-th result: memory of
 * `step`, of the state, or shared with the input; lives until step is reset, the state's next run
 * or the input's end. A plain column comes back as it is (no copy). Errors: ARUS_BAD_DATA with
 * Spark's condition, the expression's place, and `*bad_row` = first failing row.
 */
ARUS_MUST_USE enum arus_status arus_program_run(const struct arus_program *program,
                                                struct arus_program_state *state,
                                                const struct arus_eval_env *env,
                                                const struct arus_batch *input,
                                                struct arus_arena *step, struct arus_vector *out,
                                                uint32_t *bad_row, struct arus_error *err);
/** The rows for which a BOOLEAN vector is true, as indices; *count of them. `indices` has row_count
 * places. */
void arus_filter_indices(const struct arus_vector *condition, uint32_t *indices, uint32_t *count);

/** Evaluates an expression without columns: constant folding, LIMIT, options. *out is CONSTANT,
 * row_count 1. */
ARUS_MUST_USE enum arus_status
arus_expr_eval_constant(const struct arus_expr *expr, const struct arus_eval_env *env,
                        struct arus_arena *arena, struct arus_vector *out, struct arus_error *err);
/** Does it use a variable of a lambda around it, of this level or a later one? */
bool arus_expr_has_variable(const struct arus_expr *expr, uint32_t level);
/** True when it uses no column and nothing that changes from batch to batch (now(), rand()). */
bool arus_expr_is_constant(const struct arus_expr *expr);
/** Could evaluating it raise an error? (decides laziness, predicate pushdown) */
bool arus_expr_can_fail(const struct arus_expr *expr);
/** Are the arguments that only `bound` knows the same? */
bool arus_expr_equal_constants(const struct arus_expr *a, const struct arus_expr *b);
/** Structural equality (columns by index). */
bool arus_expr_equal(const struct arus_expr *a, const struct arus_expr *b);

#endif
