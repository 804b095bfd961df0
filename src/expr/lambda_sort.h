/** array_sort with an order of its own. */
#ifndef ARUS_EXPR_LAMBDA_SORT_H
#define ARUS_EXPR_LAMBDA_SORT_H

#include "expr/function.h"

/** Rule of array_sort(array, lambda). */
ARUS_MUST_USE enum arus_status arus_bind_sort_by(struct arus_bind *bind, struct arus_error *err);
enum arus_status arus_lambda_of_order(struct arus_bind *bind, uint32_t i,
                                      struct arus_lambda_shape *out, struct arus_error *err);
enum arus_status arus_kernel_sort_by(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err);

#endif
