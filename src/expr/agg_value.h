/** Single values of any type as bytes without pointers: how aggregate states keep them. */
#ifndef ARUS_EXPR_AGG_VALUE_H
#define ARUS_EXPR_AGG_VALUE_H

#include "column/pack.h"
#include "expr/agg_heap.h"
#include "expr/function.h"
#include "expr/strings.h"

/** A value that a state keeps: `max(x)`, `first(x)`. Zeroed: none yet. */
struct arus_agg_value {
    struct arus_view packed; /* in the heap; data NULL: none yet */
    uint64_t capacity;
};

/** Takes row i of a vector. */
ARUS_MUST_USE enum arus_status arus_agg_value_set(struct arus_agg_value *value,
                                                  const struct arus_vector *vector, uint32_t i,
                                                  struct arus_agg_heap *heap,
                                                  struct arus_error *err);
/** Takes over another state's value. */
ARUS_MUST_USE enum arus_status arus_agg_value_copy(struct arus_agg_value *value,
                                                   const struct arus_agg_value *from,
                                                   struct arus_agg_heap *heap,
                                                   struct arus_error *err);
static inline bool arus_agg_value_is_set(const struct arus_agg_value *value)
{
    return value->packed.data != NULL;
}
static inline bool arus_agg_value_is_null(const struct arus_agg_value *value)
{
    return value->packed.data[0] == 0;
}
/** A value that is set against row i of a vector: Spark's order. */
static inline int arus_agg_value_compare(const struct arus_agg_value *value,
                                         const struct arus_vector *vector, uint32_t i)
{
    return arus_pack_compare_row(value->packed.data, vector, i);
}
/** Does a value that is set take the place of `held`? Of equal ones it does. `sign` 1: the greater
 * stays; -1: the less. */
static inline bool arus_agg_value_is_better(const struct arus_type *type,
                                            const struct arus_agg_value *held,
                                            const struct arus_agg_value *offered, int sign)
{
    return !arus_agg_value_is_set(held) ||
           arus_pack_compare(type, held->packed.data, offered->packed.data) * sign <= 0;
}
/** Values at states + offset, + stride, ...; unset ones are null. */
ARUS_MUST_USE enum arus_status arus_agg_values_finish(const struct arus_type *type,
                                                      const unsigned char *values, size_t stride,
                                                      uint32_t count, struct arus_arena *step,
                                                      struct arus_vector *out,
                                                      struct arus_error *err);

/** Errors: DATATYPE_MISMATCH.INVALID_ORDERING_TYPE when values of the type have no order. */
ARUS_MUST_USE enum arus_status arus_agg_need_order(const struct arus_bind *bind,
                                                   const struct arus_type *type,
                                                   struct arus_error *err);

/** Does row i of an argument have a value? */
static inline bool arus_agg_has(const struct arus_vector *arg, uint32_t i)
{
    return arg->type->id != ARUS_TYPE_VOID &&
           arus_bit_get(arg->validity, arg->form == ARUS_VECTOR_CONSTANT ? 0 : i);
}
static inline unsigned char *arus_agg_state(const struct arus_agg_call *call, uint32_t i)
{
    return call->states + (call->groups == NULL ? 0 : call->groups[i] * call->stride);
}

#endif
