/** Implicit casts: common types, what a function takes, and the rule that most registry rows share.
 */
#ifndef ARUS_EXPR_COERCE_H
#define ARUS_EXPR_COERCE_H

#include "expr/function.h"

/*
 * `takes` of a registry row: a letter an argument; the last one holds for all further arguments.
 *
 *   o BOOLEAN  i INT  l BIGINT  d DOUBLE  s STRING  x BINARY  D DATE  t TIMESTAMP  n TIMESTAMP_NTZ
 *   N any number (STRING: DOUBLE)   I any integer (STRING: BIGINT)   L any integer, as BIGINT
 *   S STRING or BINARY                     T TIMESTAMP or TIMESTAMP_NTZ
 *   A any array   M any map   R any struct   a ARRAY<STRING>   . anything
 *   =x as x, but only NULL is cast
 *
 * `gives`: a letter of these, `1`..`9` the type of that argument, `e` the element type of
 * argument 1. A row without `gives` has a rule.
 */

/** The rule of rows without `bind`. */
ARUS_MUST_USE enum arus_status arus_bind_default(struct arus_bind *bind, struct arus_error *err);
/** Checks and casts all arguments by letters. Errors: DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE. */
ARUS_MUST_USE enum arus_status arus_args_take(struct arus_bind *bind, const char *takes,
                                              struct arus_error *err);
/** Checks and casts one argument by one letter (or `=x`). */
ARUS_MUST_USE enum arus_status arus_arg_take(struct arus_bind *bind, uint32_t i, const char *letter,
                                             struct arus_error *err);
/** Casts one argument; the caller knows that this is allowed. */
ARUS_MUST_USE enum arus_status arus_arg_cast(struct arus_bind *bind, uint32_t i,
                                             const struct arus_type *type, struct arus_error *err);
/**
 * Casts arguments first, first + step, ... to their common type, which is given back. VOID if all
 * are. Errors: DATATYPE_MISMATCH.DATA_DIFF_TYPES.
 */
ARUS_MUST_USE enum arus_status arus_args_common(struct arus_bind *bind, uint32_t first,
                                                uint32_t step, const struct arus_type **out,
                                                struct arus_error *err);
/** Does a value of `from` stand for `to` without a written cast? (Spark: canANSIStoreAssign, and
 * STRING for any atomic type) */
bool arus_type_converts(const struct arus_type *from, const struct arus_type *to);
/** Can values be ordered (and so compared with =)? No MAP inside. */
bool arus_type_is_orderable(const struct arus_type *type);
/** The decimal that an argument of integer or decimal type counts as; literals by their digits. */
ARUS_MUST_USE enum arus_status arus_arg_to_decimal(struct arus_bind *bind, uint32_t i,
                                                   struct arus_error *err);

/** Fails with DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE at argument i. */
ARUS_MUST_USE enum arus_status arus_fail_input(const struct arus_bind *bind, uint32_t i,
                                               const char *wanted, struct arus_error *err);
/** "DECIMAL(10,2)" for messages; cut to fit. */
struct arus_type_name {
    char text[96];
};
struct arus_type_name arus_type_name(const struct arus_type *type);

/** The value of a constant argument (CONSTANT vector). *is_found false: not constant, or it fails.
 */
ARUS_MUST_USE enum arus_status arus_arg_constant(const struct arus_bind *bind, uint32_t i,
                                                 struct arus_vector *out, bool *is_found,
                                                 struct arus_error *err);
/** A constant STRING argument; NULL data when it is null or not constant. */
ARUS_MUST_USE enum arus_status arus_arg_text(const struct arus_bind *bind, uint32_t i,
                                             struct arus_text *out, struct arus_error *err);
/** A literal argument: *out = LITERAL of type with one fixed-size value or view. */
ARUS_MUST_USE enum arus_status arus_literal_of(const struct arus_type *type, const void *value,
                                               struct arus_arena *arena,
                                               const struct arus_expr **out,
                                               struct arus_error *err);
/** NULL of a type. */
ARUS_MUST_USE enum arus_status arus_literal_null(const struct arus_type *type,
                                                 struct arus_arena *arena,
                                                 const struct arus_expr **out,
                                                 struct arus_error *err);
/** Appends an argument to the call (default arguments). */
ARUS_MUST_USE enum arus_status arus_arg_append(struct arus_bind *bind, const struct arus_expr *arg,
                                               struct arus_error *err);
/** Checks the keys of WITHIN GROUP (ORDER BY ..). Errors: INVALID_WITHIN_GROUP_EXPRESSION.* */
ARUS_MUST_USE enum arus_status arus_orders_take(const struct arus_bind *bind, uint32_t min,
                                                uint32_t max, struct arus_error *err);
/** Sets the text of the call: `name(args)` as they are now. */
ARUS_MUST_USE enum arus_status arus_args_text(struct arus_bind *bind, struct arus_error *err);
/** Sets the text of the call with its keys; with all of their directions, or only DESC. */
ARUS_MUST_USE enum arus_status arus_orders_text(struct arus_bind *bind, bool says_all,
                                                struct arus_error *err);
/** Appends an INT as argument i when it was left out: Spark shows it in texts. */
ARUS_MUST_USE enum arus_status arus_arg_default(struct arus_bind *bind, uint32_t i, int32_t value,
                                                struct arus_error *err);
/** Another call from within a rule: same session, place of the outer one. */
ARUS_MUST_USE enum arus_status arus_call_of(const struct arus_bind *bind, const char *name,
                                            const struct arus_expr *const *args, uint32_t arg_count,
                                            const struct arus_expr **out, struct arus_error *err);
/** Another call from within a rule, NULL where it fails, also by a fault of its arguments. */
ARUS_MUST_USE enum arus_status arus_try_call_of(const struct arus_bind *bind, const char *name,
                                                const struct arus_expr *const *args,
                                                uint32_t arg_count, const struct arus_expr **out,
                                                struct arus_error *err);
/** Rule: the call is `name(args)` of another row; for aliases with another text. */
ARUS_MUST_USE enum arus_status arus_bind_as(struct arus_bind *bind, const char *name,
                                            struct arus_error *err);

#endif
