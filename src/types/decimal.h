/** Decimals: __int128 unscaled values up to 38 digits; scale and precision travel beside them. */
#ifndef ARUS_TYPES_DECIMAL_H
#define ARUS_TYPES_DECIMAL_H

#include "types/type.h"

#define ARUS_DECIMAL_PRECISION_MAX 38
/** Sign, 38 digits, point, leading zero: arus_decimal_write needs no more. */
#define ARUS_DECIMAL_TEXT_MAX 42

enum arus_rounding {
    ARUS_HALF_UP,   /* ties away from zero */
    ARUS_HALF_EVEN, /* ties to the even digit: bround */
    ARUS_FLOOR,     /* towards minus infinity */
    ARUS_CEILING,   /* towards plus infinity */
    ARUS_DOWN       /* towards zero */
};

/* ---- result types (sql-dialect 6); limited to 38 digits ---- */

struct arus_decimal_type {
    uint8_t precision;
    uint8_t scale;
};
struct arus_decimal_type arus_decimal_add_type(struct arus_decimal_type a,
                                               struct arus_decimal_type b);
struct arus_decimal_type arus_decimal_multiply_type(struct arus_decimal_type a,
                                                    struct arus_decimal_type b);
struct arus_decimal_type arus_decimal_divide_type(struct arus_decimal_type a,
                                                  struct arus_decimal_type b);
struct arus_decimal_type arus_decimal_remainder_type(struct arus_decimal_type a,
                                                     struct arus_decimal_type b);
/** Common type of CASE, UNION, comparison: beyond 38 digits the fraction is cut. */
struct arus_decimal_type arus_decimal_widen_type(struct arus_decimal_type a,
                                                 struct arus_decimal_type b);
/** The decimal that an integer type counts as: (3,0), (5,0), (10,0), (20,0). */
struct arus_decimal_type arus_decimal_integer_type(enum arus_type_id id);

/* ---- values ---- */

/** 10^n, n in 0..38. */
extern const arus_int128 ARUS_DECIMAL_POWERS[ARUS_DECIMAL_PRECISION_MAX + 1];

static inline bool arus_decimal_fits(arus_int128 value, uint8_t precision)
{
    const arus_int128 limit = ARUS_DECIMAL_POWERS[precision];

    return value < limit && value > -limit;
}

/** To another scale. False: more than 38 digits. */
bool arus_decimal_rescale(arus_int128 value, int32_t from_scale, int32_t to_scale,
                          enum arus_rounding rounding, arus_int128 *out);

/*
 * Arithmetic: exact, then rounded HALF_UP to result.scale. False: the result has more than
 * result.precision digits. The divisor must not be 0.
 */
struct arus_decimal {
    arus_int128 value;
    uint8_t scale;
};
bool arus_decimal_add(struct arus_decimal a, struct arus_decimal b, struct arus_decimal_type result,
                      arus_int128 *out);
bool arus_decimal_subtract(struct arus_decimal a, struct arus_decimal b,
                           struct arus_decimal_type result, arus_int128 *out);
bool arus_decimal_multiply(struct arus_decimal a, struct arus_decimal b,
                           struct arus_decimal_type result, arus_int128 *out);
bool arus_decimal_divide(struct arus_decimal a, struct arus_decimal b,
                         struct arus_decimal_type result, arus_int128 *out);
/** Sign of the dividend. */
bool arus_decimal_remainder(struct arus_decimal a, struct arus_decimal b,
                            struct arus_decimal_type result, arus_int128 *out);
/** DIV: the integral quotient, cut towards zero. False: beyond 38 digits. */
bool arus_decimal_integral_divide(struct arus_decimal a, struct arus_decimal b, arus_int128 *out);
/** <0, 0, >0 across scales. */
int arus_decimal_compare(struct arus_decimal a, struct arus_decimal b);

/* ---- conversions; false: out of range ---- */

bool arus_decimal_from_int64(int64_t value, struct arus_decimal_type type, arus_int128 *out);
/** By the shortest decimal text of the number, HALF_UP. False also for NaN and infinities. A FLOAT
 * is widened first (0.1F is 0.10000000149011612). */
bool arus_decimal_from_double(double value, struct arus_decimal_type type, arus_int128 *out);
/** Correctly rounded. */
double arus_decimal_to_double(struct arus_decimal value);
/** Cut towards zero. */
bool arus_decimal_to_int64(struct arus_decimal value, int64_t *out);

enum arus_decimal_status {
    ARUS_DECIMAL_OK,
    ARUS_DECIMAL_BAD_TEXT,     /* CAST_INVALID_INPUT */
    ARUS_DECIMAL_OUT_OF_RANGE, /* NUMERIC_VALUE_OUT_OF_RANGE: does not fit the type */
    ARUS_DECIMAL_UNSUPPORTED /* NUMERIC_OUT_OF_SUPPORTED_RANGE: more than 38 digits before the point
                              */
};

/** Decimal or scientific text, no trimming, HALF_UP to the scale; any number of digits. */
enum arus_decimal_status arus_decimal_parse(struct arus_text text, struct arus_decimal_type type,
                                            arus_int128 *out);
/** The type and value of a literal such as `1.50` or `1e3BD`: as many digits as written. */
enum arus_decimal_status
arus_decimal_parse_literal(struct arus_text text, struct arus_decimal_type *type, arus_int128 *out);
/** Plain digits with the full scale: `-0.05`, `12.30`. Returns the size; no NUL. */
size_t arus_decimal_write(struct arus_decimal value, char *out);
/** Java's BigDecimal.toString: scientific for small numbers (`0E-18`, `1E-7`); CAST to STRING with
 * ANSI off. */
size_t arus_decimal_write_scientific(struct arus_decimal value, char *out);

/** Element i of the values of a DECIMAL vector. */
static inline arus_int128 arus_decimal_get(const struct arus_type *type, const void *values,
                                           uint32_t i)
{
    return arus_type_is_wide(type) ? ((const arus_int128 *)values)[i]
                                   : (arus_int128)((const int64_t *)values)[i];
}
static inline void arus_decimal_set(const struct arus_type *type, void *values, uint32_t i,
                                    arus_int128 value)
{
    if (arus_type_is_wide(type)) {
        ((arus_int128 *)values)[i] = value;
    } else {
        ((int64_t *)values)[i] = (int64_t)value;
    }
}

#endif
