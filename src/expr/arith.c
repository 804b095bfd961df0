/** Operators over integers and floating point numbers. Overflow shows in the sign bit: no branch in
 * a loop. */
#include "expr/arith.h"

#include "column/value.h"

#include <math.h>

#define WRAP_ADD(type, wrap, x, y)       ((type)((wrap)(x) + (wrap)(y)))
#define WRAP_SUBTRACT(type, wrap, x, y)  ((type)((wrap)(x) - (wrap)(y)))
#define WRAP_MULTIPLY(type, x, y)        ((type)((int64_t)(x) * (y)))
#define ADD_OVERFLOW(type, x, y, z)      ((type)(((x) ^ (z)) & ((y) ^ (z))))
#define SUBTRACT_OVERFLOW(type, x, y, z) ((type)(((x) ^ (y)) & ((x) ^ (z))))
#define MULTIPLY_OVERFLOW(type, x, y, z) ((type) - ((int64_t)(x) * (y) != (z)))
#define IS_ZERO(type, y)                 ((type) - ((y) == 0))
/* the divisor -1 is answered apart: MIN / -1 traps */
#define REMAINDER(type, x, y) ((type)((y) == 0 || (y) == -1 ? 0 : (x) % (y)))

static inline int64_t pmod_integer(int64_t x, int64_t y)
{
    const int64_t rest = y == 0 || y == -1 ? 0 : x % y;

    return rest < 0 && y != 0 ? (rest + y) % y : rest;
}

static inline float pmod_float_of(float x, float y)
{
    const float rest = fmodf(x, y);

    return rest < 0 ? fmodf(rest + y, y) : rest;
}

static inline double pmod_double_of(double x, double y)
{
    const double rest = fmod(x, y);

    return rest < 0 ? fmod(rest + y, y) : rest;
}

#define NAME          add_8
#define TYPE          int8_t
#define OUT           int8_t
#define BAD_TYPE      int8_t
#define COMPUTE(x, y) WRAP_ADD(int8_t, uint8_t, x, y)
#define BAD(x, y, z)  ADD_OVERFLOW(int8_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          subtract_8
#define TYPE          int8_t
#define OUT           int8_t
#define BAD_TYPE      int8_t
#define COMPUTE(x, y) WRAP_SUBTRACT(int8_t, uint8_t, x, y)
#define BAD(x, y, z)  SUBTRACT_OVERFLOW(int8_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          multiply_8
#define TYPE          int8_t
#define OUT           int8_t
#define BAD_TYPE      int8_t
#define COMPUTE(x, y) WRAP_MULTIPLY(int8_t, x, y)
#define BAD(x, y, z)  MULTIPLY_OVERFLOW(int8_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          remainder_8
#define TYPE          int8_t
#define OUT           int8_t
#define BAD_TYPE      int8_t
#define COMPUTE(x, y) REMAINDER(int8_t, x, y)
#define BAD(x, y, z)  IS_ZERO(int8_t, y)
#include "expr/arith.inc.h"

#define NAME          pmod_8
#define TYPE          int8_t
#define OUT           int8_t
#define BAD_TYPE      int8_t
#define COMPUTE(x, y) (int8_t) pmod_integer(x, y)
#define BAD(x, y, z)  IS_ZERO(int8_t, y)
#include "expr/arith.inc.h"

#define NAME          and_8
#define TYPE          int8_t
#define OUT           int8_t
#define BAD_TYPE      int8_t
#define COMPUTE(x, y) (int8_t)((x) & (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          or_8
#define TYPE          int8_t
#define OUT           int8_t
#define BAD_TYPE      int8_t
#define COMPUTE(x, y) (int8_t)((x) | (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          xor_8
#define TYPE          int8_t
#define OUT           int8_t
#define BAD_TYPE      int8_t
#define COMPUTE(x, y) (int8_t)((x) ^ (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          add_16
#define TYPE          int16_t
#define OUT           int16_t
#define BAD_TYPE      int16_t
#define COMPUTE(x, y) WRAP_ADD(int16_t, uint16_t, x, y)
#define BAD(x, y, z)  ADD_OVERFLOW(int16_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          subtract_16
#define TYPE          int16_t
#define OUT           int16_t
#define BAD_TYPE      int16_t
#define COMPUTE(x, y) WRAP_SUBTRACT(int16_t, uint16_t, x, y)
#define BAD(x, y, z)  SUBTRACT_OVERFLOW(int16_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          multiply_16
#define TYPE          int16_t
#define OUT           int16_t
#define BAD_TYPE      int16_t
#define COMPUTE(x, y) WRAP_MULTIPLY(int16_t, x, y)
#define BAD(x, y, z)  MULTIPLY_OVERFLOW(int16_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          remainder_16
#define TYPE          int16_t
#define OUT           int16_t
#define BAD_TYPE      int16_t
#define COMPUTE(x, y) REMAINDER(int16_t, x, y)
#define BAD(x, y, z)  IS_ZERO(int16_t, y)
#include "expr/arith.inc.h"

#define NAME          pmod_16
#define TYPE          int16_t
#define OUT           int16_t
#define BAD_TYPE      int16_t
#define COMPUTE(x, y) (int16_t) pmod_integer(x, y)
#define BAD(x, y, z)  IS_ZERO(int16_t, y)
#include "expr/arith.inc.h"

#define NAME          and_16
#define TYPE          int16_t
#define OUT           int16_t
#define BAD_TYPE      int16_t
#define COMPUTE(x, y) (int16_t)((x) & (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          or_16
#define TYPE          int16_t
#define OUT           int16_t
#define BAD_TYPE      int16_t
#define COMPUTE(x, y) (int16_t)((x) | (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          xor_16
#define TYPE          int16_t
#define OUT           int16_t
#define BAD_TYPE      int16_t
#define COMPUTE(x, y) (int16_t)((x) ^ (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          add_32
#define TYPE          int32_t
#define OUT           int32_t
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) WRAP_ADD(int32_t, uint32_t, x, y)
#define BAD(x, y, z)  ADD_OVERFLOW(int32_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          subtract_32
#define TYPE          int32_t
#define OUT           int32_t
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) WRAP_SUBTRACT(int32_t, uint32_t, x, y)
#define BAD(x, y, z)  SUBTRACT_OVERFLOW(int32_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          multiply_32
#define TYPE          int32_t
#define OUT           int32_t
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) WRAP_MULTIPLY(int32_t, x, y)
#define BAD(x, y, z)  MULTIPLY_OVERFLOW(int32_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          remainder_32
#define TYPE          int32_t
#define OUT           int32_t
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) REMAINDER(int32_t, x, y)
#define BAD(x, y, z)  IS_ZERO(int32_t, y)
#include "expr/arith.inc.h"

#define NAME          pmod_32
#define TYPE          int32_t
#define OUT           int32_t
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) (int32_t) pmod_integer(x, y)
#define BAD(x, y, z)  IS_ZERO(int32_t, y)
#include "expr/arith.inc.h"

#define NAME          and_32
#define TYPE          int32_t
#define OUT           int32_t
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) (int32_t)((x) & (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          or_32
#define TYPE          int32_t
#define OUT           int32_t
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) (int32_t)((x) | (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          xor_32
#define TYPE          int32_t
#define OUT           int32_t
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) (int32_t)((x) ^ (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          add_64
#define TYPE          int64_t
#define OUT           int64_t
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) WRAP_ADD(int64_t, uint64_t, x, y)
#define BAD(x, y, z)  ADD_OVERFLOW(int64_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          subtract_64
#define TYPE          int64_t
#define OUT           int64_t
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) WRAP_SUBTRACT(int64_t, uint64_t, x, y)
#define BAD(x, y, z)  SUBTRACT_OVERFLOW(int64_t, x, y, z)
#include "expr/arith.inc.h"

#define NAME          remainder_64
#define TYPE          int64_t
#define OUT           int64_t
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) REMAINDER(int64_t, x, y)
#define BAD(x, y, z)  IS_ZERO(int64_t, y)
#include "expr/arith.inc.h"

#define NAME          pmod_64
#define TYPE          int64_t
#define OUT           int64_t
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) (int64_t) pmod_integer(x, y)
#define BAD(x, y, z)  IS_ZERO(int64_t, y)
#include "expr/arith.inc.h"

#define NAME          and_64
#define TYPE          int64_t
#define OUT           int64_t
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) (int64_t)((x) & (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          or_64
#define TYPE          int64_t
#define OUT           int64_t
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) (int64_t)((x) | (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          xor_64
#define TYPE          int64_t
#define OUT           int64_t
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) (int64_t)((x) ^ (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          add_float
#define TYPE          float
#define OUT           float
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) ((x) + (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          subtract_float
#define TYPE          float
#define OUT           float
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) ((x) - (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          multiply_float
#define TYPE          float
#define OUT           float
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) ((x) * (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          divide_float
#define TYPE          float
#define OUT           float
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) ((x) / (y))
#define BAD(x, y, z)  IS_ZERO(int32_t, y)
#include "expr/arith.inc.h"

#define NAME          remainder_float
#define TYPE          float
#define OUT           float
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) fmodf((x), (y))
#define BAD(x, y, z)  IS_ZERO(int32_t, y)
#include "expr/arith.inc.h"

#define NAME          pmod_float
#define TYPE          float
#define OUT           float
#define BAD_TYPE      int32_t
#define COMPUTE(x, y) pmod_float_of((x), (y))
#define BAD(x, y, z)  IS_ZERO(int32_t, y)
#include "expr/arith.inc.h"

#define NAME          add_double
#define TYPE          double
#define OUT           double
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) ((x) + (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          subtract_double
#define TYPE          double
#define OUT           double
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) ((x) - (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          multiply_double
#define TYPE          double
#define OUT           double
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) ((x) * (y))
#define BAD(x, y, z)  0
#include "expr/arith.inc.h"

#define NAME          divide_double
#define TYPE          double
#define OUT           double
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) ((x) / (y))
#define BAD(x, y, z)  IS_ZERO(int64_t, y)
#include "expr/arith.inc.h"

#define NAME          remainder_double
#define TYPE          double
#define OUT           double
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) fmod((x), (y))
#define BAD(x, y, z)  IS_ZERO(int64_t, y)
#include "expr/arith.inc.h"

#define NAME          pmod_double
#define TYPE          double
#define OUT           double
#define BAD_TYPE      int64_t
#define COMPUTE(x, y) pmod_double_of((x), (y))
#define BAD(x, y, z)  IS_ZERO(int64_t, y)
#include "expr/arith.inc.h"

/* A 64-bit product needs the processor's flag. */
static bool multiply_64(const struct arus_arith *arith, const void *left, const void *right,
                        void *out, uint32_t count, enum arus_shape shape)
{
    const int64_t *a = left;
    const int64_t *b = right;
    const uint32_t step_a = shape == ARUS_CONSTANT_FLAT ? 0 : 1;
    const uint32_t step_b = shape == ARUS_FLAT_CONSTANT ? 0 : 1;
    int64_t *r = out;
    bool bad = false;

    (void)arith;
    for (uint32_t i = 0; i < count; i++) {
        bad |= __builtin_mul_overflow(a[i * step_a], b[i * step_b], &r[i]);
    }
    return bad;
}

static bool div_64(const struct arus_arith *arith, const void *left, const void *right, void *out,
                   uint32_t count, enum arus_shape shape)
{
    const int64_t *a = left;
    const int64_t *b = right;
    const uint32_t step_a = shape == ARUS_CONSTANT_FLAT ? 0 : 1;
    const uint32_t step_b = shape == ARUS_FLAT_CONSTANT ? 0 : 1;
    int64_t *r = out;
    bool bad = false;

    (void)arith;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t x = a[i * step_a];
        const int64_t y = b[i * step_b];

        bad |= y == 0 || (y == -1 && x == INT64_MIN);
        r[i] = y == 0 ? 0 : y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
    }
    return bad;
}

#define INTEGERS(op)                                                                               \
    {                                                                                              \
        [ARUS_TYPE_TINYINT] = op##_8, [ARUS_TYPE_SMALLINT] = op##_16, [ARUS_TYPE_INT] = op##_32,   \
        [ARUS_TYPE_BIGINT] = op##_64                                                               \
    }
#define NUMBERS(op)                                                                                \
    {                                                                                              \
        [ARUS_TYPE_TINYINT] = op##_8, [ARUS_TYPE_SMALLINT] = op##_16, [ARUS_TYPE_INT] = op##_32,   \
        [ARUS_TYPE_BIGINT] = op##_64, [ARUS_TYPE_FLOAT] = op##_float,                              \
        [ARUS_TYPE_DOUBLE] = op##_double                                                           \
    }
#define NUMBERS_AND_INTERVALS(op)                                                                  \
    {                                                                                              \
        [ARUS_TYPE_TINYINT] = op##_8, [ARUS_TYPE_SMALLINT] = op##_16, [ARUS_TYPE_INT] = op##_32,   \
        [ARUS_TYPE_BIGINT] = op##_64, [ARUS_TYPE_FLOAT] = op##_float,                              \
        [ARUS_TYPE_DOUBLE] = op##_double, [ARUS_TYPE_INTERVAL_YM] = op##_32,                       \
        [ARUS_TYPE_INTERVAL_DT] = op##_64                                                          \
    }

static const arus_arith_fn KERNELS[ARUS_ARITH_COUNT][ARUS_TYPE_COUNT] = {
    [ARUS_ARITH_ADD] = NUMBERS_AND_INTERVALS(add),
    [ARUS_ARITH_SUBTRACT] = NUMBERS_AND_INTERVALS(subtract),
    [ARUS_ARITH_MULTIPLY] = NUMBERS(multiply),
    [ARUS_ARITH_DIVIDE] = {[ARUS_TYPE_FLOAT] = divide_float, [ARUS_TYPE_DOUBLE] = divide_double},
    [ARUS_ARITH_REMAINDER] = NUMBERS(remainder),
    [ARUS_ARITH_PMOD] = NUMBERS(pmod),
    [ARUS_ARITH_DIV] = {[ARUS_TYPE_BIGINT] = div_64},
    [ARUS_ARITH_AND] = INTEGERS(and),
    [ARUS_ARITH_OR] = INTEGERS(or),
    [ARUS_ARITH_XOR] = INTEGERS(xor),
};

arus_arith_fn arus_arith_find(enum arus_arith_op op, enum arus_type_id id)
{
    return KERNELS[op][id];
}

/* ---- running ---- */

static enum arus_shape shape_of(const struct arus_vector *args)
{
    if (args[0].form == ARUS_VECTOR_CONSTANT) {
        return ARUS_CONSTANT_FLAT;
    }
    return args[1].form == ARUS_VECTOR_CONSTANT ? ARUS_FLAT_CONSTANT : ARUS_FLAT_FLAT;
}

static const char *value_at(const struct arus_vector *vector, uint32_t i)
{
    const size_t at = vector->form == ARUS_VECTOR_CONSTANT ? 0 : i;

    return (const char *)vector->values + at * arus_type_value_size(vector->type);
}

static bool is_zero_at(const struct arus_vector *vector, uint32_t i)
{
    const char *value = value_at(vector, i);

    if (arus_type_is_fractional(vector->type)) {
        return vector->type->id == ARUS_TYPE_FLOAT ? *(const float *)(const void *)value == 0
                                                   : *(const double *)(const void *)value == 0;
    }
    for (uint32_t b = 0; b < arus_type_value_size(vector->type); b++) {
        if (value[b] != 0) {
            return false;
        }
    }
    return true;
}

static enum arus_status fail_zero(const struct arus_arith *arith, struct arus_error *err)
{
    enum arus_status status = arus_fail(err, ARUS_BAD_DATA, arith->zero, "division by zero");
    return arith->instead == NULL ? status
                                  : arus_error_help(err, "NULL instead: %s(..)", arith->instead);
}

static enum arus_status fail_overflow(const struct arus_kernel_call *call, uint32_t row,
                                      struct arus_error *err)
{
    const struct arus_arith *arith = call->expr->bound;
    struct arus_buffer text = {0};
    enum arus_status status = arus_value_text(&call->args[0], row, call->env->zone, &text, err);

    if (status == ARUS_OK) {
        status = arus_buffer_printf(&text, err, " %s ", arith->symbol);
    }
    if (status == ARUS_OK) {
        status = arus_value_text(&call->args[1], row, call->env->zone, &text, err);
    }
    if (status == ARUS_OK) {
        status = arus_fail(err, ARUS_BAD_DATA, arith->overflow, "%s overflow: %.*s",
                           arus_type_name(call->expr->type).text,
                           ARUS_TEXT_ARGS(arus_buffer_text(&text)));
        if (arith->instead != NULL) {
            status = arus_error_help(err, "a wider type: CAST(.. AS %s), or NULL: %s(..)",
                                     call->expr->type->id == ARUS_TYPE_BIGINT ? "DECIMAL(20,0)"
                                                                              : "BIGINT",
                                     arith->instead);
        }
    }
    arus_buffer_release(&text);
    return status;
}

/* The slow pass: which rows are bad? */
static enum arus_status find_bad(const struct arus_kernel_call *call, struct arus_vector *out,
                                 uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_arith *arith = call->expr->bound;
    const uint32_t size = arus_type_value_size(out->type);

    for (uint32_t i = 0; i < call->row_count; i++) {
        if (!arus_bit_get(call->valid, i) ||
            !arith->fn(arith, value_at(&call->args[0], i), value_at(&call->args[1], i),
                       (char *)out->values + (size_t)i * size, 1, ARUS_FLAT_FLAT)) {
            continue;
        }
        if (arith->on_bad == ARUS_BAD_IS_NULL && arith->fn == div_64 &&
            !is_zero_at(&call->args[1], i)) {
            continue; /* ANSI off: it wraps */
        }
        if (arith->on_bad == ARUS_BAD_IS_NULL) {
            ARUS_TRY(arus_vector_need_validity(out, call->step, err));
            arus_bit_clear(out->validity, i);
            continue;
        }
        *bad_row = i;
        if (arith->zero != NULL && is_zero_at(&call->args[1], i)) {
            return fail_zero(arith, err);
        }
        return fail_overflow(call, i, err);
    }
    return ARUS_OK;
}

enum arus_status arus_kernel_arith(const struct arus_kernel_call *call, struct arus_vector *out,
                                   uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_arith *arith = call->expr->bound;
    bool is_bad;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    is_bad = arith->fn(arith, call->args[0].values, call->args[1].values, out->values,
                       call->row_count, shape_of(call->args));
    if (!is_bad || arith->on_bad == ARUS_BAD_WRAPS) {
        return ARUS_OK;
    }
    return find_bad(call, out, bad_row, err);
}
