/** round, bround, ceil, floor. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/decimal.h"
#include "types/exact_power.h"
#include "types/number_text.h"

#include <math.h>

/* expr->bound: how, and to which digit. */
struct rounding {
    enum arus_rounding mode;
    int32_t digits; /* behind the point */
};

static enum arus_rounding mode_of(const struct arus_bind *bind)
{
    switch (bind->function->name[0]) {
    case 'b':
        return ARUS_HALF_EVEN;
    case 'c':
        return ARUS_CEILING;
    case 'f':
        return ARUS_FLOOR;
    default:
        return ARUS_HALF_UP;
    }
}

/* ---- numbers by their shortest decimal text ---- */

static uint64_t round_digits(uint64_t digits, uint32_t drop, enum arus_rounding mode)
{
    uint64_t power = 1;
    uint64_t quotient;
    uint64_t rest;

    if (drop > 19) {
        return 0;
    }
    for (uint32_t i = 0; i < drop; i++) {
        power *= 10;
    }
    quotient = digits / power;
    rest = digits % power;
    if (rest > power - rest ||
        (rest == power - rest && (mode == ARUS_HALF_UP || quotient % 2 == 1))) {
        quotient++;
    }
    return quotient;
}

static double make_double(uint64_t digits, int32_t exponent, bool is_negative)
{
    char text[48];
    size_t size = 0;
    double value = 0;

    if (digits >> 53 == 0 && exponent <= 0 && exponent >= -22) { /* both exact: one division */
        return arus_double_make(digits, exponent, is_negative, (struct arus_text){0});
    }
    if (is_negative) {
        text[size++] = '-';
    }
    size += arus_uint64_write(digits, text + size);
    text[size++] = 'E';
    size += arus_int64_write(exponent, text + size);
    (void)arus_double_parse((struct arus_text){text, size}, &value);
    return value;
}

static double round_double(double x, struct arus_digits digits, const struct rounding *rounding)
{
    if (x == 0) {
        return 0.0; /* also -0.0: a decimal has no such sign */
    }
    if (digits.exponent >= -rounding->digits) {
        return x;
    }
    {
        const int64_t drop = -(int64_t)rounding->digits - digits.exponent;
        const uint64_t rounded =
            round_digits(digits.digits, drop > 20 ? 20 : (uint32_t)drop, rounding->mode);

        return rounded == 0 ? 0.0 : make_double(rounded, -rounding->digits, signbit(x) != 0);
    }
}

#define QUICK_DIGITS_MAX 15
#define QUICK_SIZE_MAX   1099511627776.0 /* 2^40: what follows is exact to 2^-12 */
#define TIE_WIDTH        0.0009765625    /* 2^-10 */

/* No digits are needed while the number is surely not half way between two results. */
static bool round_quickly(double x, const struct rounding *rounding, double *out)
{
    double power;
    double size;
    double rest;
    int64_t whole;

    if (rounding->digits < 0 || rounding->digits > QUICK_DIGITS_MAX) {
        return false;
    }
    power = ARUS_EXACT_POWERS[rounding->digits];
    size = fabs(x) * power;
    if (!(size < QUICK_SIZE_MAX)) {
        return false;
    }
    whole = (int64_t)size;
    rest = size - (double)whole;
    if (fabs(rest - 0.5) < TIE_WIDTH) {
        return false;
    }
    whole += rest > 0.5;
    *out = whole == 0 ? 0.0 : copysign((double)whole / power, x);
    return true;
}

static enum arus_status round_fraction(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct rounding *rounding = row->call->expr->bound;
    const struct arus_vector *arg = &row->call->args[0];

    (void)err;
    if (arg->type->id == ARUS_TYPE_FLOAT) {
        const float x = ((const float *)arg->values)[i * ARUS_STEP(arg)];

        ((float *)row->out->values)[i] =
            isfinite(x) ? (float)round_double((double)x, arus_float_digits(fabsf(x)), rounding) : x;
        return ARUS_OK;
    }
    {
        const double x = arus_double_at(arg, i);
        double *out = (double *)row->out->values + i;

        if (!round_quickly(x, rounding, out)) {
            *out = isfinite(x) ? round_double(x, arus_double_digits(fabs(x)), rounding) : x;
        }
    }
    return ARUS_OK;
}
ARUS_ROWWISE(round_fraction)

/* ---- integers, to tens and hundreds ---- */

static enum arus_status round_integer(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct rounding *rounding = row->call->expr->bound;
    const struct arus_vector *arg = &row->call->args[0];
    const uint32_t size = arus_type_value_size(arg->type);
    const size_t at = i * ARUS_STEP(arg);
    const int32_t up = -rounding->digits;
    arus_int128 value = size == 1   ? ((const int8_t *)arg->values)[at]
                        : size == 2 ? ((const int16_t *)arg->values)[at]
                        : size == 4 ? ((const int32_t *)arg->values)[at]
                                    : ((const int64_t *)arg->values)[at];
    int64_t result;

    if (up > 0) {
        arus_int128 scaled;

        if (up > 20 || !arus_decimal_rescale(value, up, 0, rounding->mode, &scaled)) {
            scaled = 0;
        }
        value = scaled * ARUS_DECIMAL_POWERS[up > 20 ? 0 : up];
    }
    result = (int64_t)value;
    if (row->call->expr->can_fail &&
        (result != value || (size < 8 && (result >= (int64_t)1 << (8 * size - 1) ||
                                          result < -((int64_t)1 << (8 * size - 1)))))) {
        return arus_fail(err, ARUS_BAD_DATA, "ARITHMETIC_OVERFLOW", "rounding overflows %s",
                         arus_type_name(arg->type).text);
    }
    memcpy((char *)row->out->values + (size_t)i * size, &result, size);
    return ARUS_OK;
}
ARUS_ROWWISE(round_integer)

/* ---- decimals ---- */

static enum arus_status any_decimal(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct rounding *rounding = row->call->expr->bound;
    const struct arus_vector *arg = &row->call->args[0];
    const arus_int128 value =
        arus_decimal_get(arg->type, arg->values, (uint32_t)(i * ARUS_STEP(arg)));
    const struct arus_type *type = row->out->type;
    arus_int128 result;

    if (rounding->digits >= arg->type->scale) {
        result = value;
    } else if (rounding->digits >= 0) {
        if (!arus_decimal_rescale(value, arg->type->scale, rounding->digits, rounding->mode,
                                  &result)) {
            return arus_row_null(row, i, err);
        }
    } else { /* tens: away with the fraction and more digits, then back */
        const int32_t up = -rounding->digits;

        if (up > 38 ||
            !arus_decimal_rescale(value, arg->type->scale + up, 0, rounding->mode, &result)) {
            result = 0;
        }
        if (up <= 38 && __builtin_mul_overflow(result, ARUS_DECIMAL_POWERS[up], &result)) {
            return arus_fail(err, ARUS_BAD_DATA, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                             "rounding overflows %s", arus_type_name(type).text);
        }
    }
    if (!arus_decimal_fits(result, type->precision)) {
        return arus_fail(err, ARUS_BAD_DATA, "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
                         "rounding overflows %s", arus_type_name(type).text);
    }
    arus_decimal_set(type, row->out->values, i, result);
    return ARUS_OK;
}
ARUS_ROWWISE(any_decimal)

/* ROUND of decimals of up to 18 digits behind the point, which always fits: halves go away from
 * zero. */
static enum arus_status kernel_round_decimal(const struct arus_kernel_call *call,
                                             struct arus_vector *out, uint32_t *bad_row,
                                             struct arus_error *err)
{
    const struct rounding *rounding = call->expr->bound;
    const struct arus_vector *arg = &call->args[0];
    const int64_t *values = arg->values;
    const size_t step = ARUS_STEP(arg);
    int64_t *result;
    int64_t power;

    if (rounding->mode != ARUS_HALF_UP || rounding->digits < 0 ||
        rounding->digits >= arg->type->scale || arus_type_is_wide(arg->type) ||
        arus_type_is_wide(call->expr->type)) {
        return kernel_any_decimal(call, out, bad_row, err);
    }
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    result = out->values;
    power = (int64_t)ARUS_DECIMAL_POWERS[arg->type->scale - rounding->digits];
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int64_t value = values[i * step];
        const int64_t quotient = value / power;
        const int64_t rest = value - quotient * power;

        result[i] = quotient + (rest >= power - rest) - (-rest >= power + rest);
    }
    return ARUS_OK;
}

/* ---- binding ---- */

static enum arus_status digits_argument(struct arus_bind *bind, int32_t *digits, bool *is_null,
                                        struct arus_error *err)
{
    struct arus_vector value;
    bool is_found;

    ARUS_TRY(arus_arg_take(bind, 1, "i", err));
    ARUS_TRY(arus_arg_constant(bind, 1, &value, &is_found, err));
    if (!is_found) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "the digits of `%.*s` must be a constant", ARUS_TEXT_ARGS(bind->name));
    }
    *is_null = !arus_vector_is_valid(&value, 0);
    *digits = *is_null ? 0 : *(const int32_t *)value.values;
    return ARUS_OK;
}

static enum arus_status decimal_result(struct arus_bind *bind, int32_t digits,
                                       struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;
    const int32_t whole = type->precision - type->scale + 1;
    const int32_t scale = digits < 0 ? 0 : digits < type->scale ? digits : type->scale;
    int32_t precision = whole + scale;

    if (digits < 0 && -(int64_t)digits + 1 > precision) {
        precision = digits < -37 ? 38 : -digits + 1;
    }
    if (precision > 38) {
        precision = 38;
    }
    bind->kernel = kernel_round_decimal;
    bind->can_fail = true;
    return arus_type_decimal((uint8_t)precision, (uint8_t)scale, bind->arena, &bind->type, err);
}

static enum arus_status bind_round(struct arus_bind *bind, struct arus_error *err)
{
    struct rounding *rounding;
    int32_t digits = 0;
    bool is_null = false;

    ARUS_TRY(arus_arg_take(bind, 0, "N", err));
    if (bind->arg_count == 2) {
        ARUS_TRY(digits_argument(bind, &digits, &is_null, err));
    } else {
        const struct arus_expr *zero;

        ARUS_TRY(arus_literal_of(&ARUS_INT, &digits, bind->arena, &zero, err));
        ARUS_TRY(arus_arg_append(bind, zero, err));
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct rounding, 1, &rounding, err));
    *rounding = (struct rounding){mode_of(bind), digits};
    bind->bound = rounding;
    bind->type = bind->args[0]->type;
    if (bind->type->id == ARUS_TYPE_DECIMAL) {
        return decimal_result(bind, digits, err);
    }
    bind->kernel = arus_type_is_integer(bind->type) ? kernel_round_integer : kernel_round_fraction;
    bind->can_fail = arus_type_is_integer(bind->type) && bind->is_ansi && digits < 0;
    return ARUS_OK;
}

/* ---- ceil and floor ---- */

static enum arus_status to_whole(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct rounding *rounding = row->call->expr->bound;
    const double x = arus_double_at(&row->call->args[0], i);
    const double whole = rounding->mode == ARUS_CEILING ? ceil(x) : floor(x);

    if (isnan(whole)) {
        arus_row_bigint(row, i, 0);
        return ARUS_OK;
    }
    if (whole > 9223372036854775808.0 || whole < -9223372036854775808.0) {
        if (row->call->expr->can_fail) {
            return arus_fail(err, ARUS_BAD_DATA, "ARITHMETIC_OVERFLOW", "%.17g overflows BIGINT",
                             whole);
        }
    }
    arus_row_bigint(row, i,
                    whole >= 9223372036854775808.0    ? INT64_MAX
                    : whole <= -9223372036854775808.0 ? INT64_MIN
                                                      : (int64_t)whole);
    return ARUS_OK;
}

/* False: a value is NaN or beyond BIGINT. */
ARUS_KERNEL static bool wholes(const double *x, bool is_up, uint32_t count, int64_t *out)
{
    uint8_t is_bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        const double whole = is_up ? ceil(x[i]) : floor(x[i]);
        const bool fits = fabs(whole) < 9223372036854775808.0;

        is_bad |= !fits;
        out[i] = (int64_t)(fits ? whole : 0.0);
    }
    return is_bad == 0;
}

static enum arus_status kernel_to_whole(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    const struct rounding *rounding = call->expr->bound;

    if (call->args[0].form == ARUS_VECTOR_FLAT) {
        ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
        if (wholes(call->args[0].values, rounding->mode == ARUS_CEILING, call->row_count,
                   out->values)) {
            return ARUS_OK;
        }
    }
    return arus_rowwise_run(call, to_whole, out, bad_row, err);
}

/* ceil and floor take only an INT that is there, where round takes what converts to one. */
static enum arus_status scale_argument(struct arus_bind *bind, int32_t *digits,
                                       struct arus_error *err)
{
    bool is_null = true;

    if (bind->args[1]->type->id == ARUS_TYPE_INT && arus_expr_is_constant(bind->args[1])) {
        ARUS_TRY(digits_argument(bind, digits, &is_null, err));
    }
    return is_null ? arus_fail_at(err, bind->args[1]->place, "NON_FOLDABLE_ARGUMENT",
                                  "the digits of `%.*s` must be a constant INT",
                                  ARUS_TEXT_ARGS(bind->name))
                   : ARUS_OK;
}

/* ceil(x, n): in decimals, whatever x is. */
static enum arus_status with_digits(struct arus_bind *bind, struct arus_error *err)
{
    struct rounding *rounding;
    const struct arus_type *type = bind->args[0]->type;
    struct arus_decimal_type as = {38, 18};
    int32_t digits;

    ARUS_TRY(scale_argument(bind, &digits, err));
    if (type->id == ARUS_TYPE_VOID) { /* as wide as a BIGINT with these digits */
        const uint8_t scale = (uint8_t)(digits < 0 ? 0 : digits > 17 ? 17 : digits);

        ARUS_TRY(arus_type_decimal((uint8_t)(21 + scale), scale, bind->arena, &type, err));
        return arus_literal_null(type, bind->arena, &bind->replacement, err);
    }
    if (arus_type_is_integer(type)) {
        as = arus_decimal_integer_type(type->id);
    } else if (type->id == ARUS_TYPE_FLOAT) {
        as = (struct arus_decimal_type){14, 7};
    } else if (type->id == ARUS_TYPE_DOUBLE) {
        as = (struct arus_decimal_type){30, 15};
    }
    if (type->id != ARUS_TYPE_DECIMAL) {
        const struct arus_type *decimal;

        ARUS_TRY(arus_type_decimal(as.precision, as.scale, bind->arena, &decimal, err));
        ARUS_TRY(arus_arg_cast(bind, 0, decimal, err));
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct rounding, 1, &rounding, err));
    *rounding = (struct rounding){mode_of(bind), digits};
    bind->bound = rounding;
    bind->is_nullable = true;
    return decimal_result(bind, digits, err);
}

static enum arus_status bind_whole(struct arus_bind *bind, struct arus_error *err)
{
    struct rounding *rounding;

    if (bind->arg_count == 1 || bind->args[0]->type->id != ARUS_TYPE_VOID) {
        ARUS_TRY(arus_arg_take(bind, 0, "N", err));
    }
    if (bind->arg_count == 2) {
        ARUS_TRY(arus_args_text(bind, err)); /* named as the user wrote it, not FLOOR(x, 1) */
        return with_digits(bind, err);
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct rounding, 1, &rounding, err));
    *rounding = (struct rounding){mode_of(bind), 0};
    bind->bound = rounding;
    if (bind->args[0]->type->id == ARUS_TYPE_DECIMAL) {
        return decimal_result(bind, 0, err);
    }
    if (arus_type_is_integer(bind->args[0]->type)) {
        return arus_cast_implicit(bind->args[0], &ARUS_BIGINT, bind->is_ansi, bind->arena,
                                  &bind->replacement, err);
    }
    bind->type = &ARUS_BIGINT;
    bind->kernel = kernel_to_whole;
    bind->can_fail = bind->is_ansi;
    return arus_arg_cast(bind, 0, &ARUS_DOUBLE, err);
}

#define ROUND(name_, aliases_, bind_, text_, signature_, help_, example_, result_)                 \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_STRICT, .arg_min = 1, .arg_max = 2,      \
        .bind = bind_, .text = text_, .signature = signature_, .help = help_, .example = example_, \
        .result = result_                                                                          \
    }

const struct arus_function ARUS_ROUNDS[] = {
    ROUND("round", NULL, bind_round, NULL, "round(x[, digits])", "nearest, ties away from zero",
          "round(2.675D, 2)", "2.68"),
    ROUND("bround", NULL, bind_round, NULL, "bround(x[, digits])",
          "nearest, ties to the even digit", "bround(2.5)", "2"),
    ROUND("ceil", "ceiling", bind_whole, "@CEIL($*)", "ceil(x[, digits]) -> BIGINT or DECIMAL",
          "up", "ceil(-0.1D)", "0"),
    ROUND("floor", NULL, bind_whole, "FLOOR($*)", "floor(x[, digits]) -> BIGINT or DECIMAL", "down",
          "floor(-0.1D)", "-1"),
    {0},
};
