/** What exact and approximate percentiles share: which points are asked for, results by type. */
#ifndef ARUS_EXPR_PERCENTILE_H
#define ARUS_EXPR_PERCENTILE_H

#include "expr/aggregate_bytes.h"
#include "expr/coerce.h"

#include <math.h>
#include <string.h>

struct arus_percentile {
    double *points; /* [count] 0..1, in the plan */
    uint32_t count;
    bool is_list;
    bool is_reversed;             /* from the greatest value down */
    const struct arus_type *type; /* of one result */
    double error;                 /* approximate: share of the rank that may be missed */
};

/** Doubles as Java sorts them: -0.0 below 0.0, NaN greatest. For qsort. */
int arus_double_compare(const void *left, const void *right);
/** Bits whose order as numbers is that order. */
static inline uint64_t arus_double_key(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits ^= (uint64_t)((int64_t)bits >> 63) | (uint64_t)1 << 63;
    return value != value ? UINT64_MAX : bits;
}
/** Sorts in that order; `scratch` has room for as many. NaNs may come out with other bits. */
void arus_doubles_sort(double *values, size_t count, double *scratch);
/** Argument i: a constant DOUBLE or an array of them, 0..1. */
ARUS_MUST_USE enum arus_status arus_percentile_points(struct arus_bind *bind, uint32_t i,
                                                      struct arus_percentile *percentile,
                                                      struct arus_error *err);
/** Argument 0 as DOUBLE: dates and intervals by their number. */
ARUS_MUST_USE enum arus_status arus_percentile_value(struct arus_bind *bind,
                                                     struct arus_error *err);
/** Sets the type of the call: one result or a list. */
ARUS_MUST_USE enum arus_status arus_percentile_type(struct arus_bind *bind,
                                                    const struct arus_percentile *percentile,
                                                    struct arus_error *err);

/** results[0..percentile->count) of one state. */
typedef enum arus_status (*arus_percentile_fn)(const struct arus_percentile *percentile,
                                               const void *state, struct arus_arena *step,
                                               double *results, struct arus_error *err);
/** Results of all states; those without values are null. */
ARUS_MUST_USE enum arus_status
arus_percentile_finish(const struct arus_expr *expr, const unsigned char *states, size_t stride,
                       uint32_t count, arus_percentile_fn compute, struct arus_arena *step,
                       struct arus_vector *out, struct arus_error *err);

#endif
