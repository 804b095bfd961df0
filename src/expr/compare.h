/** Comparisons of two vectors of one type. */
#ifndef ARUS_EXPR_COMPARE_H
#define ARUS_EXPR_COMPARE_H

#include "expr/arith.h"

enum arus_comparison {
    ARUS_COMPARE_EQUAL,
    ARUS_COMPARE_LESS,
    ARUS_COMPARE_LESS_EQUAL,
    ARUS_COMPARE_COUNT
};

/** r[i] = a[i] op b[i], nulls aside. Both FLAT or CONSTANT (not both CONSTANT), of one type. */
void arus_compare(enum arus_comparison op, const struct arus_vector *a, const struct arus_vector *b,
                  uint32_t row_count, uint8_t *r);
/** Kernel of `=`, `<`, `<=`, `>`, `>=`: by the function's name. */
enum arus_status arus_kernel_compare(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err);
/** Kernel of `<=>`. */
enum arus_status arus_kernel_equal_null(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err);
/** Casts both arguments to what they are compared as. Errors: BINARY_OP_DIFF_TYPES,
 * INVALID_ORDERING_TYPE. */
enum arus_status arus_bind_compare(struct arus_bind *bind, struct arus_error *err);

#endif
