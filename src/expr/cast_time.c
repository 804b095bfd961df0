/** Casts from DATE, TIMESTAMP, TIMESTAMP_NTZ and intervals. */
#include "expr/calendar.h"
#include "expr/cast.h"
#include "types/datetime.h"
#include "types/decimal.h"

static enum arus_cast_result time_to_date(const struct arus_kernel_call *call, uint32_t i,
                                          struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    const int64_t micros = ((const int64_t *)in->values)[i];

    (void)err;
    ((int32_t *)out->values)[i] = in->type->id == ARUS_TYPE_TIMESTAMP
                                      ? arus_wall_at(call->env->zone, micros).days
                                      : arus_timestamp_days(micros);
    return ARUS_CAST_FINE;
}

static enum arus_cast_result date_to_time(const struct arus_kernel_call *call, uint32_t i,
                                          struct arus_vector *out, struct arus_error *err)
{
    const int32_t days = ((const int32_t *)call->args[0].values)[i];
    int64_t *r = (int64_t *)out->values + i;
    const bool is_fine = out->type->id == ARUS_TYPE_TIMESTAMP
                             ? arus_date_to_timestamp(days, call->env->zone, r)
                             : !__builtin_mul_overflow((int64_t)days, ARUS_MICROS_PER_DAY, r);

    (void)err;
    return is_fine ? ARUS_CAST_FINE : ARUS_CAST_DATETIME;
}

static enum arus_cast_result time_to_time(const struct arus_kernel_call *call, uint32_t i,
                                          struct arus_vector *out, struct arus_error *err)
{
    const int64_t micros = ((const int64_t *)call->args[0].values)[i];
    int64_t *r = (int64_t *)out->values + i;
    const bool is_fine = out->type->id == ARUS_TYPE_TIMESTAMP
                             ? arus_timestamp_to_utc(call->env->zone, micros, r)
                             : arus_timestamp_to_local(call->env->zone, micros, r);

    (void)err;
    return is_fine ? ARUS_CAST_FINE : ARUS_CAST_DATETIME;
}

/* Whole seconds, floored; a fraction only for FLOAT, DOUBLE and DECIMAL. */
static enum arus_cast_result time_to_number(const struct arus_kernel_call *call, uint32_t i,
                                            struct arus_vector *out, struct arus_error *err)
{
    const int64_t micros = ((const int64_t *)call->args[0].values)[i];
    const int64_t seconds = arus_floor_div(micros, ARUS_MICROS_PER_SECOND);
    const uint32_t size = arus_type_value_size(out->type);
    arus_int128 decimal;

    (void)err;
    if (out->type->id == ARUS_TYPE_DOUBLE) {
        ((double *)out->values)[i] = (double)micros / 1e6;
        return ARUS_CAST_FINE;
    }
    if (out->type->id == ARUS_TYPE_FLOAT) {
        ((float *)out->values)[i] = (float)((double)micros / 1e6);
        return ARUS_CAST_FINE;
    }
    if (out->type->id == ARUS_TYPE_DECIMAL) {
        const struct arus_decimal_type type = {out->type->precision, out->type->scale};

        if (!arus_decimal_from_double((double)micros / 1e6, type, &decimal)) {
            return ARUS_CAST_OUT_OF_RANGE;
        }
        arus_decimal_set(out->type, out->values, i, decimal);
        return ARUS_CAST_FINE;
    }
    if (size < 8 &&
        (seconds >= (int64_t)1 << (8 * size - 1) || seconds < -((int64_t)1 << (8 * size - 1)))) {
        return call->expr->cast_mode == ARUS_CAST_LEGACY ? ARUS_CAST_NULL : ARUS_CAST_OVERFLOW;
    }
    memcpy((char *)out->values + (size_t)i * size, &seconds, size);
    return ARUS_CAST_FINE;
}

static enum arus_cast_result time_to_boolean(const struct arus_kernel_call *call, uint32_t i,
                                             struct arus_vector *out, struct arus_error *err)
{
    (void)err;
    if (call->args[0].type->id == ARUS_TYPE_DATE) {
        return ARUS_CAST_NULL;
    }
    ((uint8_t *)out->values)[i] = ((const int64_t *)call->args[0].values)[i] != 0;
    return ARUS_CAST_FINE;
}

/* ANSI off: a DATE is no number. */
static enum arus_cast_result to_null(const struct arus_kernel_call *call, uint32_t i,
                                     struct arus_vector *out, struct arus_error *err)
{
    (void)call;
    (void)i;
    (void)out;
    (void)err;
    return ARUS_CAST_NULL;
}

/* ---- intervals ---- */

static const int64_t UNITS[] = {
    [ARUS_INTERVAL_YEAR] = 12,
    [ARUS_INTERVAL_MONTH] = 1,
    [ARUS_INTERVAL_DAY] = ARUS_MICROS_PER_DAY,
    [ARUS_INTERVAL_HOUR] = 3600 * ARUS_MICROS_PER_SECOND,
    [ARUS_INTERVAL_MINUTE] = 60 * ARUS_MICROS_PER_SECOND,
    [ARUS_INTERVAL_SECOND] = ARUS_MICROS_PER_SECOND,
};

static int64_t interval_at(const struct arus_vector *in, uint32_t i)
{
    return in->type->id == ARUS_TYPE_INTERVAL_YM ? ((const int32_t *)in->values)[i]
                                                 : ((const int64_t *)in->values)[i];
}

/* Another range of fields: what lies below the last one is cut off. */
static enum arus_cast_result interval_to_interval(const struct arus_kernel_call *call, uint32_t i,
                                                  struct arus_vector *out, struct arus_error *err)
{
    const int64_t value = interval_at(&call->args[0], i);
    const int64_t unit = out->type->scale == ARUS_INTERVAL_SECOND ? 1 : UNITS[out->type->scale];
    const int64_t cut = value - value % unit;

    (void)err;
    if (out->type->id == ARUS_TYPE_INTERVAL_YM) {
        ((int32_t *)out->values)[i] = (int32_t)cut;
    } else {
        ((int64_t *)out->values)[i] = cut;
    }
    return ARUS_CAST_FINE;
}

static enum arus_cast_result interval_to_number(const struct arus_kernel_call *call, uint32_t i,
                                                struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    const int64_t value = interval_at(in, i);
    const uint8_t last = in->type->scale;
    const int64_t whole = value / UNITS[last];
    const uint32_t size = arus_type_value_size(out->type);
    arus_int128 decimal;

    (void)err;
    if (out->type->id == ARUS_TYPE_DECIMAL) {
        const int32_t scale = last == ARUS_INTERVAL_SECOND ? 6 : 0;

        if (!arus_decimal_rescale(scale == 6 ? value : whole, scale, out->type->scale, ARUS_HALF_UP,
                                  &decimal) ||
            !arus_decimal_fits(decimal, out->type->precision)) {
            return ARUS_CAST_OUT_OF_RANGE;
        }
        arus_decimal_set(out->type, out->values, i, decimal);
        return ARUS_CAST_FINE;
    }
    if (size < 8 &&
        (whole >= (int64_t)1 << (8 * size - 1) || whole < -((int64_t)1 << (8 * size - 1)))) {
        return ARUS_CAST_OVERFLOW;
    }
    memcpy((char *)out->values + (size_t)i * size, &whole, size);
    return ARUS_CAST_FINE;
}

#define ROWS(name)                                                                                 \
    static enum arus_status cast_##name(const struct arus_kernel_call *call,                       \
                                        struct arus_vector *out, uint32_t *bad_row,                \
                                        struct arus_error *err)                                    \
    {                                                                                              \
        return arus_cast_rows(call, name, out, bad_row, err);                                      \
    }
ROWS(date_to_time)
ROWS(time_to_number)
ROWS(time_to_boolean)
ROWS(to_null)
ROWS(interval_to_interval)
ROWS(interval_to_number)
#undef ROWS

static enum arus_status cast_time_to_date(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    int64_t offset = 0;

    if (in->type->id == ARUS_TYPE_TIMESTAMP && !arus_zone_is_fixed(call->env->zone, &offset)) {
        return arus_cast_rows(call, time_to_date, out, bad_row, err);
    }
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    arus_calendar_days(in->values, offset, call->row_count, out->values);
    return ARUS_OK;
}

static enum arus_status cast_clock(const struct arus_kernel_call *call, struct arus_vector *out,
                                   uint32_t *bad_row, struct arus_error *err)
{
    int64_t offset;

    if (arus_zone_is_fixed(call->env->zone, &offset)) {
        const int64_t shift = call->expr->type->id == ARUS_TYPE_TIMESTAMP ? -offset : offset;

        ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
        if (arus_calendar_shift(call->args[0].values, shift, call->row_count, out->values)) {
            return ARUS_OK;
        }
    }
    return arus_cast_rows(call, time_to_time, out, bad_row, err);
}

arus_kernel_fn arus_cast_from_time(const struct arus_type *from, const struct arus_type *to)
{
    if (to->id == ARUS_TYPE_BOOLEAN) {
        return cast_time_to_boolean;
    }
    if (from->id == ARUS_TYPE_DATE) {
        return arus_type_is_numeric(to) ? cast_to_null : cast_date_to_time;
    }
    if (to->id == ARUS_TYPE_DATE) {
        return cast_time_to_date;
    }
    return arus_type_is_numeric(to) ? cast_time_to_number : cast_clock;
}

arus_kernel_fn arus_cast_from_interval(const struct arus_type *from, const struct arus_type *to)
{
    (void)from;
    return arus_type_is_numeric(to) ? cast_interval_to_number : cast_interval_to_interval;
}
