/** What higher-order functions share: elements of a batch side by side, rules of lambdas. */
#ifndef ARUS_EXPR_LAMBDA_H
#define ARUS_EXPR_LAMBDA_H

#include "expr/collection.h"

/** Elements of all rows that have a value, row after row. */
struct arus_elements {
    uint32_t count;
    uint32_t *rows;          /* [count] row of the call */
    uint32_t *at;            /* [count] row of the child */
    int32_t *positions;      /* [count] from 0 in its array */
    struct arus_span *spans; /* [row_count] of each row in these arrays */
};

/** Elements of an ARRAY or MAP argument. */
ARUS_MUST_USE enum arus_status arus_elements_init(struct arus_elements *elements,
                                                  const struct arus_kernel_call *call,
                                                  const struct arus_vector *list,
                                                  struct arus_error *err);
/** The children that the elements name, as one vector of elements->count rows. */
ARUS_MUST_USE enum arus_status arus_elements_take(const struct arus_elements *elements,
                                                  const struct arus_kernel_call *call,
                                                  const struct arus_vector *child,
                                                  struct arus_vector *out, struct arus_error *err);
/** A FLAT vector of int32 that is there already. */
void arus_vector_of_ints(struct arus_vector *vector, const struct arus_type *type, int32_t *values,
                         uint32_t count);

/** The value of a BOOLEAN at i, in any form: 0, 1, or 2 for null. */
static inline uint8_t arus_truth_at(const struct arus_vector *vector, uint32_t i)
{
    if (!arus_vector_is_valid(vector, i)) {
        return 2;
    }
    return ((const uint8_t *)arus_vector_data(vector)->values)[arus_vector_at(vector, i)] != 0;
}

/* ---- rules ---- */

/** Argument i must be an ARRAY (a MAP), and not NULL. */
ARUS_MUST_USE enum arus_status arus_lambda_takes(const struct arus_bind *bind, uint32_t i,
                                                 enum arus_type_id id, struct arus_error *err);
/** Casts the body of lambda i; NULL bodies only. */
ARUS_MUST_USE enum arus_status arus_lambda_cast_null(struct arus_bind *bind, uint32_t i,
                                                     const struct arus_type *type,
                                                     struct arus_error *err);
/** The body of lambda i must be BOOLEAN. */
ARUS_MUST_USE enum arus_status arus_lambda_is_condition(struct arus_bind *bind, uint32_t i,
                                                        struct arus_error *err);
/** Shapes: (element[, position]) of argument 0; (key, value) of argument 0. */
enum arus_status arus_lambda_of_array(struct arus_bind *bind, uint32_t i,
                                      struct arus_lambda_shape *out, struct arus_error *err);
enum arus_status arus_lambda_of_map(struct arus_bind *bind, uint32_t i,
                                    struct arus_lambda_shape *out, struct arus_error *err);

#endif
