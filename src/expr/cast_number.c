/** Casts from BOOLEAN, integers, FLOAT and DOUBLE. */
#include "expr/cast.h"
#include "types/datetime.h"
#include "types/decimal.h"

#include <math.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* Java: the integral part must fit; exactly 2^63 counts as the largest BIGINT. */
static inline bool is_outside_8(double x)
{
    return !(x < 128.0 && x > -129.0);
}
static inline bool is_outside_16(double x)
{
    return !(x < 32768.0 && x > -32769.0);
}
static inline bool is_outside_32(double x)
{
    return !(x < 2147483648.0 && x > -2147483649.0);
}
static inline bool is_outside_64(double x)
{
    return !(x <= 9223372036854775808.0 && x >= -9223372036854775808.0);
}
/* Java's (int) and (long): NaN is 0, the ends saturate. */
static inline int32_t to_int32(double x)
{
    return x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : x != x ? 0 : (int32_t)x;
}
static inline int64_t to_int64(double x)
{
    return x >= 9223372036854775808.0    ? INT64_MAX
           : x <= -9223372036854775808.0 ? INT64_MIN
           : x != x                      ? 0
                                         : (int64_t)x;
}

typedef bool (*convert_fn)(const void *in, void *out, uint32_t count);
typedef void (*wrap_fn)(const void *in, void *out, uint32_t count);

static enum arus_status cast_numbers(const struct arus_kernel_call *call, convert_fn convert,
                                     wrap_fn wrap, struct arus_vector *out, uint32_t *bad_row,
                                     struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    const uint32_t from_size = arus_type_value_size(in->type);
    const uint32_t to_size = arus_type_value_size(call->expr->type);

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    if (call->expr->cast_mode == ARUS_CAST_LEGACY) {
        wrap(in->values, out->values, call->row_count);
        return ARUS_OK;
    }
    if (!convert(in->values, out->values, call->row_count)) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i) &&
            convert((const char *)in->values + (size_t)i * from_size,
                    (char *)out->values + (size_t)i * to_size, 1)) {
            ARUS_TRY(arus_cast_bad(call, i, ARUS_CAST_OVERFLOW, out, bad_row, err));
        }
    }
    return ARUS_OK;
}

#define NAME       u8_8
#define FROM       uint8_t
#define TO         int8_t
#define IS_BAD(x)  0
#define CONVERT(x) (int8_t)(x)
#define WRAP(x)    (int8_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       u8_16
#define FROM       uint8_t
#define TO         int16_t
#define IS_BAD(x)  0
#define CONVERT(x) (int16_t)(x)
#define WRAP(x)    (int16_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       u8_32
#define FROM       uint8_t
#define TO         int32_t
#define IS_BAD(x)  0
#define CONVERT(x) (int32_t)(x)
#define WRAP(x)    (int32_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       u8_64
#define FROM       uint8_t
#define TO         int64_t
#define IS_BAD(x)  0
#define CONVERT(x) (int64_t)(x)
#define WRAP(x)    (int64_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       u8_float
#define FROM       uint8_t
#define TO         float
#define IS_BAD(x)  0
#define CONVERT(x) (float)(x)
#define WRAP(x)    (float)(x)
#include "expr/cast_number.inc.h"

#define NAME       u8_double
#define FROM       uint8_t
#define TO         double
#define IS_BAD(x)  0
#define CONVERT(x) (double)(x)
#define WRAP(x)    (double)(x)
#include "expr/cast_number.inc.h"

#define NAME       8_16
#define FROM       int8_t
#define TO         int16_t
#define IS_BAD(x)  0
#define CONVERT(x) (int16_t)(x)
#define WRAP(x)    (int16_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       8_32
#define FROM       int8_t
#define TO         int32_t
#define IS_BAD(x)  0
#define CONVERT(x) (int32_t)(x)
#define WRAP(x)    (int32_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       8_64
#define FROM       int8_t
#define TO         int64_t
#define IS_BAD(x)  0
#define CONVERT(x) (int64_t)(x)
#define WRAP(x)    (int64_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       8_float
#define FROM       int8_t
#define TO         float
#define IS_BAD(x)  0
#define CONVERT(x) (float)(x)
#define WRAP(x)    (float)(x)
#include "expr/cast_number.inc.h"

#define NAME       8_double
#define FROM       int8_t
#define TO         double
#define IS_BAD(x)  0
#define CONVERT(x) (double)(x)
#define WRAP(x)    (double)(x)
#include "expr/cast_number.inc.h"

#define NAME       8_u8
#define FROM       int8_t
#define TO         uint8_t
#define IS_BAD(x)  0
#define CONVERT(x) (uint8_t)((x) != 0)
#define WRAP(x)    (uint8_t)((x) != 0)
#include "expr/cast_number.inc.h"

#define NAME       16_8
#define FROM       int16_t
#define TO         int8_t
#define IS_BAD(x)  (x)<-128 || (x)> 127
#define CONVERT(x) (int8_t)(x)
#define WRAP(x)    (int8_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       16_32
#define FROM       int16_t
#define TO         int32_t
#define IS_BAD(x)  0
#define CONVERT(x) (int32_t)(x)
#define WRAP(x)    (int32_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       16_64
#define FROM       int16_t
#define TO         int64_t
#define IS_BAD(x)  0
#define CONVERT(x) (int64_t)(x)
#define WRAP(x)    (int64_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       16_float
#define FROM       int16_t
#define TO         float
#define IS_BAD(x)  0
#define CONVERT(x) (float)(x)
#define WRAP(x)    (float)(x)
#include "expr/cast_number.inc.h"

#define NAME       16_double
#define FROM       int16_t
#define TO         double
#define IS_BAD(x)  0
#define CONVERT(x) (double)(x)
#define WRAP(x)    (double)(x)
#include "expr/cast_number.inc.h"

#define NAME       16_u8
#define FROM       int16_t
#define TO         uint8_t
#define IS_BAD(x)  0
#define CONVERT(x) (uint8_t)((x) != 0)
#define WRAP(x)    (uint8_t)((x) != 0)
#include "expr/cast_number.inc.h"

#define NAME       32_8
#define FROM       int32_t
#define TO         int8_t
#define IS_BAD(x)  (x)<-128 || (x)> 127
#define CONVERT(x) (int8_t)(x)
#define WRAP(x)    (int8_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       32_16
#define FROM       int32_t
#define TO         int16_t
#define IS_BAD(x)  (x)<-32768 || (x)> 32767
#define CONVERT(x) (int16_t)(x)
#define WRAP(x)    (int16_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       32_64
#define FROM       int32_t
#define TO         int64_t
#define IS_BAD(x)  0
#define CONVERT(x) (int64_t)(x)
#define WRAP(x)    (int64_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       32_float
#define FROM       int32_t
#define TO         float
#define IS_BAD(x)  0
#define CONVERT(x) (float)(x)
#define WRAP(x)    (float)(x)
#include "expr/cast_number.inc.h"

#define NAME       32_double
#define FROM       int32_t
#define TO         double
#define IS_BAD(x)  0
#define CONVERT(x) (double)(x)
#define WRAP(x)    (double)(x)
#include "expr/cast_number.inc.h"

#define NAME       32_u8
#define FROM       int32_t
#define TO         uint8_t
#define IS_BAD(x)  0
#define CONVERT(x) (uint8_t)((x) != 0)
#define WRAP(x)    (uint8_t)((x) != 0)
#include "expr/cast_number.inc.h"

#define NAME       64_8
#define FROM       int64_t
#define TO         int8_t
#define IS_BAD(x)  (x)<-128 || (x)> 127
#define CONVERT(x) (int8_t)(x)
#define WRAP(x)    (int8_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       64_16
#define FROM       int64_t
#define TO         int16_t
#define IS_BAD(x)  (x)<-32768 || (x)> 32767
#define CONVERT(x) (int16_t)(x)
#define WRAP(x)    (int16_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       64_32
#define FROM       int64_t
#define TO         int32_t
#define IS_BAD(x)  (x)<INT32_MIN || (x)> INT32_MAX
#define CONVERT(x) (int32_t)(x)
#define WRAP(x)    (int32_t)(x)
#include "expr/cast_number.inc.h"

#define NAME       64_float
#define FROM       int64_t
#define TO         float
#define IS_BAD(x)  0
#define CONVERT(x) (float)(x)
#define WRAP(x)    (float)(x)
#include "expr/cast_number.inc.h"

#define NAME       64_double
#define FROM       int64_t
#define TO         double
#define IS_BAD(x)  0
#define CONVERT(x) (double)(x)
#define WRAP(x)    (double)(x)
#include "expr/cast_number.inc.h"

#define NAME       64_u8
#define FROM       int64_t
#define TO         uint8_t
#define IS_BAD(x)  0
#define CONVERT(x) (uint8_t)((x) != 0)
#define WRAP(x)    (uint8_t)((x) != 0)
#include "expr/cast_number.inc.h"

#define NAME       float_8
#define FROM       float
#define TO         int8_t
#define IS_BAD(x)  is_outside_8((double)(x))
#define CONVERT(x) (int8_t) to_int32((double)(x))
#define WRAP(x)    (int8_t) to_int32((double)(x))
#include "expr/cast_number.inc.h"

#define NAME       float_16
#define FROM       float
#define TO         int16_t
#define IS_BAD(x)  is_outside_16((double)(x))
#define CONVERT(x) (int16_t) to_int32((double)(x))
#define WRAP(x)    (int16_t) to_int32((double)(x))
#include "expr/cast_number.inc.h"

#define NAME       float_32
#define FROM       float
#define TO         int32_t
#define IS_BAD(x)  is_outside_32((double)(x))
#define CONVERT(x) (int32_t) to_int32((double)(x))
#define WRAP(x)    (int32_t) to_int32((double)(x))
#include "expr/cast_number.inc.h"

#define NAME       float_64
#define FROM       float
#define TO         int64_t
#define IS_BAD(x)  is_outside_64((double)(x))
#define CONVERT(x) (int64_t) to_int64((double)(x))
#define WRAP(x)    (int64_t) to_int64((double)(x))
#include "expr/cast_number.inc.h"

#define NAME       float_double
#define FROM       float
#define TO         double
#define IS_BAD(x)  0
#define CONVERT(x) (double)(x)
#define WRAP(x)    (double)(x)
#include "expr/cast_number.inc.h"

#define NAME       float_u8
#define FROM       float
#define TO         uint8_t
#define IS_BAD(x)  0
#define CONVERT(x) (uint8_t)((x) != 0)
#define WRAP(x)    (uint8_t)((x) != 0)
#include "expr/cast_number.inc.h"

#define NAME       double_8
#define FROM       double
#define TO         int8_t
#define IS_BAD(x)  is_outside_8((double)(x))
#define CONVERT(x) (int8_t) to_int32((double)(x))
#define WRAP(x)    (int8_t) to_int32((double)(x))
#include "expr/cast_number.inc.h"

#define NAME       double_16
#define FROM       double
#define TO         int16_t
#define IS_BAD(x)  is_outside_16((double)(x))
#define CONVERT(x) (int16_t) to_int32((double)(x))
#define WRAP(x)    (int16_t) to_int32((double)(x))
#include "expr/cast_number.inc.h"

#define NAME       double_32
#define FROM       double
#define TO         int32_t
#define IS_BAD(x)  is_outside_32((double)(x))
#define CONVERT(x) (int32_t) to_int32((double)(x))
#define WRAP(x)    (int32_t) to_int32((double)(x))
#include "expr/cast_number.inc.h"

#define NAME       double_64
#define FROM       double
#define TO         int64_t
#define IS_BAD(x)  is_outside_64((double)(x))
#define CONVERT(x) (int64_t) to_int64((double)(x))
#define WRAP(x)    (int64_t) to_int64((double)(x))
#include "expr/cast_number.inc.h"

#define NAME       double_float
#define FROM       double
#define TO         float
#define IS_BAD(x)  0
#define CONVERT(x) (float)(x)
#define WRAP(x)    (float)(x)
#include "expr/cast_number.inc.h"

#define NAME       double_u8
#define FROM       double
#define TO         uint8_t
#define IS_BAD(x)  0
#define CONVERT(x) (uint8_t)((x) != 0)
#define WRAP(x)    (uint8_t)((x) != 0)
#include "expr/cast_number.inc.h"

static const arus_kernel_fn KERNELS[ARUS_TYPE_COUNT][ARUS_TYPE_COUNT] = {
    [ARUS_TYPE_BOOLEAN] = {[ARUS_TYPE_TINYINT] = cast_u8_8,
                           [ARUS_TYPE_SMALLINT] = cast_u8_16,
                           [ARUS_TYPE_INT] = cast_u8_32,
                           [ARUS_TYPE_BIGINT] = cast_u8_64,
                           [ARUS_TYPE_FLOAT] = cast_u8_float,
                           [ARUS_TYPE_DOUBLE] = cast_u8_double},
    [ARUS_TYPE_TINYINT] = {[ARUS_TYPE_SMALLINT] = cast_8_16,
                           [ARUS_TYPE_INT] = cast_8_32,
                           [ARUS_TYPE_BIGINT] = cast_8_64,
                           [ARUS_TYPE_FLOAT] = cast_8_float,
                           [ARUS_TYPE_DOUBLE] = cast_8_double,
                           [ARUS_TYPE_BOOLEAN] = cast_8_u8},
    [ARUS_TYPE_SMALLINT] = {[ARUS_TYPE_TINYINT] = cast_16_8,
                            [ARUS_TYPE_INT] = cast_16_32,
                            [ARUS_TYPE_BIGINT] = cast_16_64,
                            [ARUS_TYPE_FLOAT] = cast_16_float,
                            [ARUS_TYPE_DOUBLE] = cast_16_double,
                            [ARUS_TYPE_BOOLEAN] = cast_16_u8},
    [ARUS_TYPE_INT] = {[ARUS_TYPE_TINYINT] = cast_32_8,
                       [ARUS_TYPE_SMALLINT] = cast_32_16,
                       [ARUS_TYPE_BIGINT] = cast_32_64,
                       [ARUS_TYPE_FLOAT] = cast_32_float,
                       [ARUS_TYPE_DOUBLE] = cast_32_double,
                       [ARUS_TYPE_BOOLEAN] = cast_32_u8},
    [ARUS_TYPE_BIGINT] = {[ARUS_TYPE_TINYINT] = cast_64_8,
                          [ARUS_TYPE_SMALLINT] = cast_64_16,
                          [ARUS_TYPE_INT] = cast_64_32,
                          [ARUS_TYPE_FLOAT] = cast_64_float,
                          [ARUS_TYPE_DOUBLE] = cast_64_double,
                          [ARUS_TYPE_BOOLEAN] = cast_64_u8},
    [ARUS_TYPE_FLOAT] = {[ARUS_TYPE_TINYINT] = cast_float_8,
                         [ARUS_TYPE_SMALLINT] = cast_float_16,
                         [ARUS_TYPE_INT] = cast_float_32,
                         [ARUS_TYPE_BIGINT] = cast_float_64,
                         [ARUS_TYPE_DOUBLE] = cast_float_double,
                         [ARUS_TYPE_BOOLEAN] = cast_float_u8},
    [ARUS_TYPE_DOUBLE] = {[ARUS_TYPE_TINYINT] = cast_double_8,
                          [ARUS_TYPE_SMALLINT] = cast_double_16,
                          [ARUS_TYPE_INT] = cast_double_32,
                          [ARUS_TYPE_BIGINT] = cast_double_64,
                          [ARUS_TYPE_FLOAT] = cast_double_float,
                          [ARUS_TYPE_BOOLEAN] = cast_double_u8},
};

/* ---- to decimals, timestamps and intervals: row by row ---- */

static int64_t integer_at(const struct arus_vector *vector, uint32_t i)
{
    switch (arus_type_value_size(vector->type)) {
    case 1:
        return ((const int8_t *)vector->values)[i];
    case 2:
        return ((const int16_t *)vector->values)[i];
    case 4:
        return ((const int32_t *)vector->values)[i];
    default:
        return ((const int64_t *)vector->values)[i];
    }
}

static double fraction_at(const struct arus_vector *vector, uint32_t i)
{
    return vector->type->id == ARUS_TYPE_FLOAT ? (double)((const float *)vector->values)[i]
                                               : ((const double *)vector->values)[i];
}

static enum arus_cast_result row_to_decimal(const struct arus_kernel_call *call, uint32_t i,
                                            struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    const struct arus_decimal_type type = {out->type->precision, out->type->scale};
    arus_int128 value;
    bool is_fine;

    (void)err;
    if (in->type->id == ARUS_TYPE_FLOAT || in->type->id == ARUS_TYPE_DOUBLE) {
        if (!isfinite(fraction_at(in, i))) {
            return ARUS_CAST_NULL;
        }
        is_fine = arus_decimal_from_double(fraction_at(in, i), type, &value);
    } else {
        is_fine = arus_decimal_from_int64(integer_at(in, i), type, &value);
    }
    if (!is_fine) {
        return ARUS_CAST_OUT_OF_RANGE;
    }
    arus_decimal_set(out->type, out->values, i, value);
    return ARUS_CAST_FINE;
}

static enum arus_cast_result row_to_timestamp(const struct arus_kernel_call *call, uint32_t i,
                                              struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    int64_t *r = (int64_t *)out->values + i;

    (void)err;
    if (in->type->id == ARUS_TYPE_BOOLEAN) {
        *r = integer_at(in, i);
        return ARUS_CAST_FINE;
    }
    if (arus_type_is_fractional(in->type)) {
        const double micros = fraction_at(in, i) * 1e6;

        if (isnan(micros) || isinf(micros)) {
            return ARUS_CAST_BAD_INPUT;
        }
        if (call->expr->cast_mode != ARUS_CAST_LEGACY && is_outside_64(micros)) {
            return ARUS_CAST_OVERFLOW;
        }
        *r = to_int64(micros);
        return ARUS_CAST_FINE;
    }
    if (__builtin_mul_overflow(integer_at(in, i), ARUS_MICROS_PER_SECOND, r)) {
        *r = integer_at(in, i) < 0 ? INT64_MIN : INT64_MAX; /* Spark saturates */
    }
    return ARUS_CAST_FINE;
}

static const int64_t UNIT_MICROS[] = {
    [ARUS_INTERVAL_DAY] = ARUS_MICROS_PER_DAY,
    [ARUS_INTERVAL_HOUR] = 3600 * ARUS_MICROS_PER_SECOND,
    [ARUS_INTERVAL_MINUTE] = 60 * ARUS_MICROS_PER_SECOND,
    [ARUS_INTERVAL_SECOND] = ARUS_MICROS_PER_SECOND,
};

static enum arus_cast_result row_to_interval(const struct arus_kernel_call *call, uint32_t i,
                                             struct arus_vector *out, struct arus_error *err)
{
    const int64_t value = integer_at(&call->args[0], i);

    (void)err;
    if (out->type->id == ARUS_TYPE_INTERVAL_DT) {
        return __builtin_mul_overflow(value, UNIT_MICROS[out->type->scale],
                                      (int64_t *)out->values + i)
                   ? ARUS_CAST_OVERFLOW
                   : ARUS_CAST_FINE;
    }
    if (value > INT32_MAX || value < INT32_MIN ||
        __builtin_mul_overflow((int32_t)value, out->type->scale == ARUS_INTERVAL_YEAR ? 12 : 1,
                               (int32_t *)out->values + i)) {
        return ARUS_CAST_OVERFLOW;
    }
    return ARUS_CAST_FINE;
}

/* ANSI off: the bytes of an integer, big-endian. */
static enum arus_cast_result row_to_binary(const struct arus_kernel_call *call, uint32_t i,
                                           struct arus_vector *out, struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(call->args[0].type);
    const uint64_t value = (uint64_t)integer_at(&call->args[0], i);
    void *memory;

    if (arus_arena_alloc(call->step, size, &memory, err) != ARUS_OK) {
        return ARUS_CAST_FAILED;
    }
    for (uint32_t b = 0; b < size; b++) {
        ((uint8_t *)memory)[b] = (uint8_t)(value >> (8 * (size - 1 - b)));
    }
    ((struct arus_view *)out->values)[i] = arus_view_of(memory, size);
    return ARUS_CAST_FINE;
}

#define ROWS(name)                                                                                 \
    static enum arus_status cast_##name(const struct arus_kernel_call *call,                       \
                                        struct arus_vector *out, uint32_t *bad_row,                \
                                        struct arus_error *err)                                    \
    {                                                                                              \
        return arus_cast_rows(call, row_##name, out, bad_row, err);                                \
    }
ROWS(to_decimal)
ROWS(to_timestamp)
ROWS(to_interval)
ROWS(to_binary)
#undef ROWS

arus_kernel_fn arus_cast_from_number(const struct arus_type *from, const struct arus_type *to)
{
    if (to->id == ARUS_TYPE_DECIMAL) {
        return cast_to_decimal;
    }
    if (to->id == ARUS_TYPE_TIMESTAMP) {
        return cast_to_timestamp;
    }
    if (to->id == ARUS_TYPE_BINARY) {
        return cast_to_binary;
    }
    if (to->id == ARUS_TYPE_INTERVAL_YM || to->id == ARUS_TYPE_INTERVAL_DT) {
        return cast_to_interval;
    }
    return KERNELS[from->id][to->id];
}

/* ---- from decimals ---- */

static enum arus_cast_result from_decimal_to_integer(struct arus_decimal value, uint32_t i,
                                                     enum arus_cast_mode mode,
                                                     struct arus_vector *out)
{
    const uint32_t bits = 8 * arus_type_value_size(out->type);
    int64_t integer;

    if (!arus_decimal_to_int64(value, &integer)) {
        arus_int128 whole;

        if (mode != ARUS_CAST_LEGACY ||
            !arus_decimal_rescale(value.value, value.scale, 0, ARUS_DOWN, &whole)) {
            return ARUS_CAST_OVERFLOW;
        }
        integer = (int64_t)whole;
    }
    if (mode != ARUS_CAST_LEGACY && bits < 64 &&
        (integer >= (int64_t)1 << (bits - 1) || integer < -((int64_t)1 << (bits - 1)))) {
        return ARUS_CAST_OVERFLOW;
    }
    memcpy((char *)out->values + (size_t)i * (bits / 8), &integer, bits / 8);
    return ARUS_CAST_FINE;
}

static enum arus_cast_result from_decimal_to_interval(struct arus_decimal value, uint32_t i,
                                                      struct arus_vector *out)
{
    const bool is_months = out->type->id == ARUS_TYPE_INTERVAL_YM;
    const int64_t unit = !is_months                               ? UNIT_MICROS[out->type->scale]
                         : out->type->scale == ARUS_INTERVAL_YEAR ? 12
                                                                  : 1;
    arus_int128 whole;

    if (__builtin_mul_overflow(value.value, (arus_int128)unit, &whole) ||
        !arus_decimal_rescale(whole, value.scale, 0, ARUS_HALF_UP, &whole) ||
        whole > (is_months ? INT32_MAX : INT64_MAX) ||
        whole < (is_months ? INT32_MIN : INT64_MIN)) {
        return ARUS_CAST_OVERFLOW;
    }
    if (is_months) {
        ((int32_t *)out->values)[i] = (int32_t)whole;
    } else {
        ((int64_t *)out->values)[i] = (int64_t)whole;
    }
    return ARUS_CAST_FINE;
}

static enum arus_cast_result from_decimal_to_decimal(struct arus_decimal value, uint32_t i,
                                                     struct arus_vector *out)
{
    arus_int128 result;

    if (!arus_decimal_rescale(value.value, value.scale, out->type->scale, ARUS_HALF_UP, &result) ||
        !arus_decimal_fits(result, out->type->precision)) {
        return ARUS_CAST_OUT_OF_RANGE;
    }
    arus_decimal_set(out->type, out->values, i, result);
    return ARUS_CAST_FINE;
}

static enum arus_cast_result from_decimal_to_timestamp(struct arus_decimal value, uint32_t i,
                                                       struct arus_vector *out)
{
    arus_int128 micros;

    if (__builtin_mul_overflow(value.value, (arus_int128)ARUS_MICROS_PER_SECOND, &micros) ||
        !arus_decimal_rescale(micros, value.scale, 0, ARUS_DOWN, &micros)) {
        return ARUS_CAST_OVERFLOW;
    }
    ((int64_t *)out->values)[i] = (int64_t)micros; /* Spark wraps */
    return ARUS_CAST_FINE;
}

static enum arus_cast_result row_from_decimal(const struct arus_kernel_call *call, uint32_t i,
                                              struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    const struct arus_decimal value = {arus_decimal_get(in->type, in->values, i), in->type->scale};

    (void)err;
    if (arus_type_is_integer(out->type)) {
        return from_decimal_to_integer(value, i, call->expr->cast_mode, out);
    }
    if (out->type->id == ARUS_TYPE_DECIMAL) {
        return from_decimal_to_decimal(value, i, out);
    }
    if (out->type->id == ARUS_TYPE_TIMESTAMP) {
        return from_decimal_to_timestamp(value, i, out);
    }
    if (out->type->id == ARUS_TYPE_DOUBLE) {
        ((double *)out->values)[i] = arus_decimal_to_double(value);
        return ARUS_CAST_FINE;
    }
    if (out->type->id == ARUS_TYPE_FLOAT) {
        ((float *)out->values)[i] = (float)arus_decimal_to_double(value);
        return ARUS_CAST_FINE;
    }
    if (out->type->id == ARUS_TYPE_BOOLEAN) {
        ((uint8_t *)out->values)[i] = value.value != 0;
        return ARUS_CAST_FINE;
    }
    return from_decimal_to_interval(value, i, out);
}

/* Up to 18 digits: below 2^53 one division is exact, and so is its divisor. */
static enum arus_status cast_short_to_double(const struct arus_kernel_call *call,
                                             struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    const int64_t *values = in->values;
    const int64_t limit = (int64_t)1 << 53;
    const double power = (double)(int64_t)ARUS_DECIMAL_POWERS[in->type->scale];
    double *result;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    result = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int64_t value = values[i];

        result[i] = value <= limit && value >= -limit
                        ? (double)value / power
                        : arus_decimal_to_double((struct arus_decimal){value, in->type->scale});
    }
    return ARUS_OK;
}

static enum arus_status cast_decimal(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    if (call->expr->type->id == ARUS_TYPE_DOUBLE && !arus_type_is_wide(call->args[0].type)) {
        return cast_short_to_double(call, out, err);
    }
    return arus_cast_rows(call, row_from_decimal, out, bad_row, err);
}

arus_kernel_fn arus_cast_from_decimal(const struct arus_type *to)
{
    (void)to;
    return cast_decimal;
}
