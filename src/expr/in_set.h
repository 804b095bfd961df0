/** x IN (constants): a set that is asked for whole columns. */
#ifndef ARUS_EXPR_IN_SET_H
#define ARUS_EXPR_IN_SET_H

#include "expr/function.h"

struct arus_in_set;

/** May the values lie in a set? Their type's equal values must have equal bytes; a few texts are
 * sooner compared one by one. */
bool arus_in_set_fits(const struct arus_type *type, uint32_t value_count);
/** Keeps `values`, which are FLAT without nulls. Memory: the arena. */
ARUS_MUST_USE enum arus_status arus_in_set_make(const struct arus_vector *values, bool has_null,
                                                struct arus_arena *arena,
                                                const struct arus_in_set **out,
                                                struct arus_error *err);
/** expr->bound is the set. NULL when not found and a NULL is among the constants. */
ARUS_MUST_USE enum arus_status arus_kernel_in_set(const struct arus_kernel_call *call,
                                                  struct arus_vector *out, uint32_t *bad_row,
                                                  struct arus_error *err);

#endif
