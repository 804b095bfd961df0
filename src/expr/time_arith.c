#include "expr/time_arith.h"

#include "expr/strings.h"
#include "types/datetime.h"
#include "types/decimal.h"

#include <math.h>

static bool is_days(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_INTERVAL_DT && type->precision == ARUS_INTERVAL_DAY &&
           type->scale == ARUS_INTERVAL_DAY;
}

static bool is_timestamp(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_TIMESTAMP || type->id == ARUS_TYPE_TIMESTAMP_NTZ;
}

static enum arus_status fail_overflow(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "DATETIME_OVERFLOW",
                     "the result is beyond the range of dates and timestamps");
}

/* ---- kernels: the sign is bound ---- */

static int64_t signed_interval(const struct arus_kernel_call *call, uint32_t i)
{
    const enum arus_sign *sign = call->expr->bound;
    const struct arus_vector *arg = &call->args[1];
    const int64_t value =
        arg->type->id == ARUS_TYPE_INTERVAL_YM ? arus_int_at(arg, i) : arus_bigint_at(arg, i);

    return *sign == ARUS_MINUS ? (int64_t)(0 - (uint64_t)value) : value;
}

static enum arus_status kernel_time_add(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    const bool is_months = call->args[1].type->id == ARUS_TYPE_INTERVAL_YM;
    const struct arus_zone *zone =
        call->expr->type->id == ARUS_TYPE_TIMESTAMP ? call->env->zone : ARUS_ZONE_UTC;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int64_t time = arus_bigint_at(&call->args[0], i);
        const int64_t by = signed_interval(call, i);
        int64_t *r = (int64_t *)out->values + i;
        const bool is_fine = is_months
                                 ? arus_timestamp_add(time, (int32_t)by, 0, 0, zone, r)
                                 : arus_timestamp_add(time, 0, (int32_t)(by / ARUS_MICROS_PER_DAY),
                                                      by % ARUS_MICROS_PER_DAY, zone, r);

        if (!is_fine && arus_bit_get(call->valid, i)) {
            *bad_row = i;
            return fail_overflow(err);
        }
    }
    return ARUS_OK;
}

static enum arus_status kernel_date_add_months(const struct arus_kernel_call *call,
                                               struct arus_vector *out, uint32_t *bad_row,
                                               struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, &ARUS_DATE, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (!arus_date_add_months(arus_int_at(&call->args[0], i), signed_interval(call, i),
                                  (int32_t *)out->values + i) &&
            arus_bit_get(call->valid, i)) {
            *bad_row = i;
            return fail_overflow(err);
        }
    }
    return ARUS_OK;
}

static enum arus_status kernel_subtract_dates(const struct arus_kernel_call *call,
                                              struct arus_vector *out, uint32_t *bad_row,
                                              struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int64_t days =
            (int64_t)arus_int_at(&call->args[0], i) - arus_int_at(&call->args[1], i);

        if (__builtin_mul_overflow(days, ARUS_MICROS_PER_DAY, (int64_t *)out->values + i) &&
            arus_bit_get(call->valid, i)) {
            *bad_row = i;
            return fail_overflow(err);
        }
    }
    return ARUS_OK;
}

/* The difference of the wall clocks. */
static enum arus_status kernel_subtract_times(const struct arus_kernel_call *call,
                                              struct arus_vector *out, uint32_t *bad_row,
                                              struct arus_error *err)
{
    const struct arus_zone *zone =
        call->args[0].type->id == ARUS_TYPE_TIMESTAMP ? call->env->zone : ARUS_ZONE_UTC;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int64_t a = arus_zone_to_local(zone, arus_bigint_at(&call->args[0], i));
        const int64_t b = arus_zone_to_local(zone, arus_bigint_at(&call->args[1], i));

        if (__builtin_sub_overflow(a, b, (int64_t *)out->values + i) &&
            arus_bit_get(call->valid, i)) {
            *bad_row = i;
            return fail_overflow(err);
        }
    }
    return ARUS_OK;
}

/* ---- binding + and - ---- */

static enum arus_status own_text(struct arus_bind *bind, enum arus_sign sign, bool has_parentheses,
                                 struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = ARUS_OK;

    if (has_parentheses) {
        status = arus_buffer_append_char(&text, '(', err);
    }
    if (status == ARUS_OK) {
        status = arus_expr_text(bind->args[0], &text, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_printf(&text, err, " %c ", sign == ARUS_PLUS ? '+' : '-');
    }
    if (status == ARUS_OK) {
        status = arus_expr_text(bind->args[1], &text, err);
    }
    if (status == ARUS_OK && has_parentheses) {
        status = arus_buffer_append_char(&text, ')', err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), bind->arena, &bind->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

/* The replacement keeps its own text. */
static enum arus_status text_of(struct arus_bind *bind, const struct arus_expr *expr,
                                struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = arus_expr_text(expr, &text, err);

    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), bind->arena, &bind->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status use(struct arus_bind *bind, const struct arus_type *type,
                            arus_kernel_fn kernel, enum arus_sign sign, struct arus_error *err)
{
    enum arus_sign *bound;

    ARUS_TRY(ARUS_NEW(bind->arena, enum arus_sign, 1, &bound, err));
    *bound = sign;
    bind->bound = bound;
    bind->type = type;
    bind->kernel = kernel;
    bind->can_fail = true;
    return ARUS_OK;
}

static void swap_args(struct arus_bind *bind)
{
    const struct arus_expr *first = bind->args[0];

    bind->args[0] = bind->args[1];
    bind->args[1] = first;
}

/* date_add(d, days of the interval) */
static enum arus_status date_and_days(struct arus_bind *bind, enum arus_sign sign,
                                      struct arus_error *err)
{
    const struct arus_expr *args[2] = {bind->args[0]};

    ARUS_TRY(arus_call_of(bind, "extractansiintervaldays", &bind->args[1], 1, &args[1], err));
    if (sign == ARUS_MINUS) {
        ARUS_TRY(arus_call_of(bind, "-", &args[1], 1, &args[1], err));
    }
    ARUS_TRY(arus_call_of(bind, "date_add", args, 2, &bind->replacement, err));
    if (sign == ARUS_PLUS) {
        return text_of(bind, bind->replacement, err);
    }
    return own_text(bind, sign, false, err);
}

static enum arus_status with_interval(struct arus_bind *bind, enum arus_sign sign,
                                      struct arus_error *err)
{
    const struct arus_type *time = bind->args[0]->type;
    const bool is_months = bind->args[1]->type->id == ARUS_TYPE_INTERVAL_YM;

    if (time->id == ARUS_TYPE_DATE && is_days(bind->args[1]->type)) {
        return date_and_days(bind, sign, err);
    }
    ARUS_TRY(own_text(bind, sign, false, err));
    if (time->id == ARUS_TYPE_DATE && is_months) {
        return use(bind, &ARUS_DATE, kernel_date_add_months, sign, err);
    }
    if (!is_timestamp(time)) {
        ARUS_TRY(arus_arg_take(bind, 0, "T", err));
    }
    ARUS_TRY(use(bind, bind->args[0]->type, kernel_time_add, sign, err));
    if (time->id == ARUS_TYPE_STRING) { /* text + interval is a text again */
        const struct arus_expr *sum;

        ARUS_TRY(arus_call_of(bind, sign == ARUS_PLUS ? "+" : "-", bind->args, 2, &sum, err));
        return arus_cast_implicit(sum, &ARUS_STRING, bind->is_ansi, bind->arena, &bind->replacement,
                                  err);
    }
    return ARUS_OK;
}

static enum arus_status subtract(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *a = bind->args[0]->type;
    const struct arus_type *b = bind->args[1]->type;
    const uint32_t text = a->id == ARUS_TYPE_STRING ? 0 : 1;

    if (!bind->is_ansi && bind->args[text]->type->id == ARUS_TYPE_STRING &&
        (is_timestamp(a) || is_timestamp(b) || a->id == ARUS_TYPE_DATE)) {
        return arus_fail_input(bind, text, is_timestamp(a) || is_timestamp(b) ? "TIMESTAMP" : "INT",
                               err);
    }
    if (is_timestamp(a) || is_timestamp(b)) {
        const struct arus_type *common = arus_type_common(a, b, true, bind->arena);

        if (common == NULL || !is_timestamp(common)) {
            return arus_fail_input(bind, is_timestamp(a) ? 1 : 0, "TIMESTAMP", err);
        }
        ARUS_TRY(arus_arg_cast(bind, 0, common, err));
        ARUS_TRY(arus_arg_cast(bind, 1, common, err));
        return use(bind, &ARUS_INTERVAL_DT, kernel_subtract_times, ARUS_MINUS, err);
    }
    if (b->id == ARUS_TYPE_DATE || (a->id == ARUS_TYPE_DATE && b->id == ARUS_TYPE_STRING)) {
        const struct arus_type *days;

        ARUS_TRY(arus_arg_cast(bind, 1, &ARUS_DATE, err));
        if (a->id != ARUS_TYPE_DATE) {
            if (a->id != ARUS_TYPE_STRING && a->id != ARUS_TYPE_VOID) {
                return arus_fail_input(bind, 0, "DATE", err);
            }
            ARUS_TRY(arus_arg_cast(bind, 0, &ARUS_DATE, err));
        }
        ARUS_TRY(arus_type_interval(ARUS_INTERVAL_DAY, ARUS_INTERVAL_DAY, bind->arena, &days, err));
        return use(bind, days, kernel_subtract_dates, ARUS_MINUS, err);
    }
    return ARUS_OK;
}

/* DATE and a number of days */
static enum arus_status date_and_number(struct arus_bind *bind, enum arus_sign sign,
                                        struct arus_error *err)
{
    ARUS_TRY(arus_call_of(bind, sign == ARUS_PLUS ? "date_add" : "date_sub", bind->args, 2,
                          &bind->replacement, err));
    return text_of(bind, bind->replacement, err);
}

static bool is_interval(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_INTERVAL_YM || type->id == ARUS_TYPE_INTERVAL_DT;
}

enum arus_status arus_bind_time_add(struct arus_bind *bind, enum arus_sign sign,
                                    struct arus_error *err)
{
    const struct arus_type *a = bind->args[0]->type;
    const struct arus_type *b = bind->args[1]->type;

    if (is_interval(a) && a->id == b->id) {
        return ARUS_OK;
    }
    if (is_interval(b) && (is_timestamp(a) || a->id == ARUS_TYPE_DATE ||
                           (a->id == ARUS_TYPE_STRING && b->id == ARUS_TYPE_INTERVAL_DT))) {
        return with_interval(bind, sign, err);
    }
    if (sign == ARUS_PLUS && is_interval(a) &&
        (is_timestamp(b) || b->id == ARUS_TYPE_DATE ||
         (b->id == ARUS_TYPE_STRING && a->id == ARUS_TYPE_INTERVAL_DT))) {
        swap_args(bind);
        return with_interval(bind, sign, err);
    }
    if (sign == ARUS_PLUS && a->id == ARUS_TYPE_INTERVAL_DT && b->id != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 1, "DATE or TIMESTAMP", err);
    }
    if (b->id == ARUS_TYPE_INTERVAL_DT && a->id != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "DATE or TIMESTAMP", err);
    }
    if ((is_interval(a) && (sign == ARUS_PLUS || b->id < ARUS_TYPE_DATE)) || is_interval(b)) {
        return ARUS_OK;
    }
    if (sign == ARUS_MINUS) {
        ARUS_TRY(subtract(bind, err));
        if (bind->type != NULL) {
            return ARUS_OK;
        }
    }
    if (sign == ARUS_PLUS && a->id == ARUS_TYPE_VOID && b->id == ARUS_TYPE_DATE) {
        return arus_literal_null(&ARUS_TIMESTAMP, bind->arena, &bind->replacement, err);
    }
    if (sign == ARUS_PLUS && ((is_timestamp(a) && b->id == ARUS_TYPE_VOID) ||
                              (is_timestamp(b) && a->id == ARUS_TYPE_VOID))) {
        return arus_literal_null(is_timestamp(a) ? a : b, bind->arena, &bind->replacement, err);
    }
    if (sign == ARUS_PLUS && (a->id == ARUS_TYPE_DATE || b->id == ARUS_TYPE_DATE) &&
        (a->id == ARUS_TYPE_STRING || b->id == ARUS_TYPE_STRING)) {
        return arus_fail_input(bind, a->id == ARUS_TYPE_STRING ? 0 : 1, "INT", err);
    }
    if (a->id == ARUS_TYPE_DATE && b->id != ARUS_TYPE_STRING) {
        return date_and_number(bind, sign, err);
    }
    if (sign == ARUS_PLUS && b->id == ARUS_TYPE_DATE && a->id != ARUS_TYPE_STRING) {
        swap_args(bind);
        return date_and_number(bind, sign, err);
    }
    return ARUS_OK;
}

/* ---- interval * number, interval / number ---- */

struct scaling {
    bool is_division;
};

enum scale_result { SCALE_FINE, SCALE_ZERO, SCALE_OVERFLOW };

static bool round_to(long double value, bool is_months, int64_t *out)
{
    const long double rounded = floorl(value + 0.5L);

    if (!(rounded < (is_months ? 2147483648.0L : 9223372036854775808.0L)) ||
        !(rounded >= (is_months ? -2147483648.0L : -9223372036854775808.0L))) {
        return false;
    }
    *out = (int64_t)rounded;
    return true;
}

static enum scale_result scale_by_decimal(int64_t interval, struct arus_decimal by,
                                          bool is_division, int64_t *out)
{
    const struct arus_decimal left = {interval, 0};
    const struct arus_decimal_type whole = {ARUS_DECIMAL_PRECISION_MAX, 0};
    arus_int128 value;

    if (is_division && by.value == 0) {
        return SCALE_ZERO;
    }
    if (!(is_division ? arus_decimal_divide(left, by, whole, &value)
                      : arus_decimal_multiply(left, by, whole, &value)) ||
        value > INT64_MAX || value < INT64_MIN) {
        return SCALE_OVERFLOW;
    }
    *out = (int64_t)value;
    return SCALE_FINE;
}

static enum scale_result scale_by_double(int64_t interval, double by, bool is_division,
                                         bool is_months, int64_t *out)
{
    if (is_division && by == 0) {
        return SCALE_ZERO;
    }
    return round_to(is_division ? (long double)((double)interval / by)
                                : (long double)((double)interval * by),
                    is_months, out)
               ? SCALE_FINE
               : SCALE_OVERFLOW;
}

static enum scale_result scale_row(const struct arus_kernel_call *call, uint32_t i, int64_t *out)
{
    const struct scaling *scaling = call->expr->bound;
    const struct arus_vector *by = &call->args[1];
    const bool is_months = call->args[0].type->id == ARUS_TYPE_INTERVAL_YM;
    const int64_t interval =
        is_months ? arus_int_at(&call->args[0], i) : arus_bigint_at(&call->args[0], i);
    const size_t at = i * ARUS_STEP(by);
    enum scale_result result;

    if (by->type->id == ARUS_TYPE_DOUBLE) {
        return scale_by_double(interval, arus_double_at(by, i), scaling->is_division, is_months,
                               out);
    }
    if (by->type->id == ARUS_TYPE_DECIMAL) {
        const struct arus_decimal decimal = {arus_decimal_get(by->type, by->values, (uint32_t)at),
                                             by->type->scale};

        result = scale_by_decimal(interval, decimal, scaling->is_division, out);
    } else {
        const struct arus_decimal decimal = {arus_bigint_at(by, i), 0};

        result = scale_by_decimal(interval, decimal, scaling->is_division, out);
    }
    if (result == SCALE_FINE && is_months && (*out > INT32_MAX || *out < INT32_MIN)) {
        return SCALE_OVERFLOW;
    }
    return result;
}

static enum arus_status kernel_scale(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        int64_t value = 0;
        const enum scale_result result =
            arus_bit_get(call->valid, i) ? scale_row(call, i, &value) : SCALE_FINE;

        if (result != SCALE_FINE) {
            *bad_row = i;
            return result == SCALE_ZERO
                       ? arus_fail(err, ARUS_BAD_DATA, "INTERVAL_DIVIDED_BY_ZERO",
                                   "an interval is divided by zero")
                       : arus_fail(err, ARUS_BAD_DATA,
                                   "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
                                   "interval overflow");
        }
        if (out->type->id == ARUS_TYPE_INTERVAL_YM) {
            ((int32_t *)out->values)[i] = (int32_t)value;
        } else {
            ((int64_t *)out->values)[i] = value;
        }
    }
    return ARUS_OK;
}

enum arus_status arus_bind_interval_scale(struct arus_bind *bind, bool is_division,
                                          struct arus_error *err)
{
    struct scaling *scaling;

    if (!is_division && !is_interval(bind->args[0]->type) && is_interval(bind->args[1]->type)) {
        swap_args(bind);
    }
    if (!is_interval(bind->args[0]->type)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arg_take(bind, 1, "N", err));
    if (bind->args[1]->type->id == ARUS_TYPE_FLOAT) {
        ARUS_TRY(arus_arg_cast(bind, 1, &ARUS_DOUBLE, err));
    } else if (arus_type_is_integer(bind->args[1]->type)) {
        ARUS_TRY(arus_arg_cast(bind, 1, &ARUS_BIGINT, err));
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct scaling, 1, &scaling, err));
    scaling->is_division = is_division;
    bind->bound = scaling;
    bind->kernel = kernel_scale;
    bind->can_fail = true;
    bind->type =
        bind->args[0]->type->id == ARUS_TYPE_INTERVAL_YM ? &ARUS_INTERVAL_YM : &ARUS_INTERVAL_DT;
    return ARUS_OK;
}
