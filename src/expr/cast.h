/** Casts: which exist, and the kernels behind them (facts/sql-dialect 7). */
#ifndef ARUS_EXPR_CAST_H
#define ARUS_EXPR_CAST_H

#include "expr/coerce.h"
#include "expr/strings.h"

/** What one value of a cast turned out to be. */
enum arus_cast_result {
    ARUS_CAST_FINE,
    ARUS_CAST_BAD_INPUT,    /* CAST_INVALID_INPUT */
    ARUS_CAST_OVERFLOW,     /* CAST_OVERFLOW */
    ARUS_CAST_OUT_OF_RANGE, /* NUMERIC_VALUE_OUT_OF_RANGE */
    ARUS_CAST_TOO_LARGE,    /* NUMERIC_OUT_OF_SUPPORTED_RANGE: more digits than any decimal */
    ARUS_CAST_DATETIME,     /* DATETIME_OVERFLOW */
    ARUS_CAST_INTERVAL,     /* INTERVAL_ARITHMETIC_OVERFLOW */
    ARUS_CAST_FAILED,       /* err is filled */
    ARUS_CAST_NULL          /* null in every mode */
};

/** The kernel of a cast between different types; NULL: there is none. Knows all modes. */
arus_kernel_fn arus_cast_kernel(const struct arus_type *from, const struct arus_type *to);
/** Parts of arus_cast_kernel, by source. */
arus_kernel_fn arus_cast_from_number(const struct arus_type *from, const struct arus_type *to);
arus_kernel_fn arus_cast_from_decimal(const struct arus_type *to);
arus_kernel_fn arus_cast_from_text(const struct arus_type *to);
arus_kernel_fn arus_cast_from_time(const struct arus_type *from, const struct arus_type *to);
arus_kernel_fn arus_cast_from_interval(const struct arus_type *from, const struct arus_type *to);
arus_kernel_fn arus_cast_to_text(const struct arus_type *from);
enum arus_status arus_kernel_cast_nested(const struct arus_kernel_call *call,
                                         struct arus_vector *out, uint32_t *bad_row,
                                         struct arus_error *err);

/** Converts value i of `in` (FLAT) into place i of `out`. */
typedef enum arus_cast_result (*arus_cast_row_fn)(const struct arus_kernel_call *call, uint32_t i,
                                                  struct arus_vector *out, struct arus_error *err);
/** Runs a row function over the valid rows: errors, or nulls, as the mode says. */
enum arus_status arus_cast_rows(const struct arus_kernel_call *call, arus_cast_row_fn fn,
                                struct arus_vector *out, uint32_t *bad_row, struct arus_error *err);
/** Row i cannot be cast: a null (TRY, LEGACY) or an error. */
enum arus_status arus_cast_bad(const struct arus_kernel_call *call, uint32_t i,
                               enum arus_cast_result result, struct arus_vector *out,
                               uint32_t *bad_row, struct arus_error *err);

#endif
