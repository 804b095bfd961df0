/** Numbers as texts by a pattern: java.text.DecimalFormat with the symbols of the US, HALF_EVEN. */
#ifndef ARUS_TYPES_NUMBER_PATTERN_H
#define ARUS_TYPES_NUMBER_PATTERN_H

#include "base/arena.h"
#include "base/text.h"
#include "types/decimal.h"

/** A compiled pattern. */
struct arus_number_pattern {
    struct arus_text prefix[2]; /* [is negative] */
    struct arus_text suffix[2];
    int32_t integer_min; /* digits */
    int32_t integer_max; /* only of numbers with an exponent */
    int32_t fraction_min;
    int32_t fraction_max;
    int32_t grouping;     /* digits between commas; 0: no commas */
    int32_t shift;        /* times 10^shift: 2 with %, 3 with U+2030 */
    int32_t exponent_min; /* digits; 0: no exponent */
    bool shows_point;     /* also without a fraction */
};

/**
 * Compiles `#,##0.00;(#)` and the like. Owns: `out` points into the arena.
 * Errors: ARUS_BAD_DATA, INVALID_PARAMETER_VALUE.PATTERN.
 */
ARUS_MUST_USE enum arus_status arus_number_pattern_compile(struct arus_text text,
                                                           struct arus_arena *arena,
                                                           struct arus_number_pattern *out,
                                                           struct arus_error *err);
/** `#,##0` with `places` digits behind the point. */
struct arus_number_pattern arus_number_pattern_of_places(int32_t places);

/** Append a number. FLOAT counts as DOUBLE; the digits of a DOUBLE are the shortest ones, but ties
 * are told by its exact value. */
ARUS_MUST_USE enum arus_status arus_number_pattern_int64(const struct arus_number_pattern *pattern,
                                                         int64_t value, struct arus_buffer *out,
                                                         struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_number_pattern_decimal(const struct arus_number_pattern *pattern, struct arus_decimal value,
                            struct arus_buffer *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_number_pattern_double(const struct arus_number_pattern *pattern,
                                                          double value, struct arus_buffer *out,
                                                          struct arus_error *err);

#endif
