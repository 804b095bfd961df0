/** Casts from STRING, and to STRING. */
#include "column/value.h"
#include "expr/cast.h"
#include "types/datetime.h"
#include "types/decimal.h"
#include "types/interval.h"
#include "types/number_text.h"

static enum arus_cast_result result_of(bool is_fine)
{
    return is_fine ? ARUS_CAST_FINE : ARUS_CAST_BAD_INPUT;
}

static enum arus_cast_result to_integer(const struct arus_kernel_call *call, uint32_t i,
                                        struct arus_vector *out, struct arus_error *err)
{
    const struct arus_text text = arus_text_trim(arus_text_at(&call->args[0], i));
    const uint32_t size = arus_type_value_size(out->type);
    int64_t value;

    (void)err;
    if (!arus_int64_parse(text, &value) &&
        (call->expr->cast_mode != ARUS_CAST_LEGACY || !arus_int64_parse_lenient(text, &value))) {
        return ARUS_CAST_BAD_INPUT;
    }
    if (size < 8 &&
        (value >= (int64_t)1 << (8 * size - 1) || value < -((int64_t)1 << (8 * size - 1)))) {
        return ARUS_CAST_BAD_INPUT;
    }
    memcpy((char *)out->values + (size_t)i * size, &value, size);
    return ARUS_CAST_FINE;
}

static enum arus_cast_result to_double(const struct arus_kernel_call *call, uint32_t i,
                                       struct arus_vector *out, struct arus_error *err)
{
    (void)err;
    return result_of(
        arus_double_parse_cast(arus_text_at(&call->args[0], i), (double *)out->values + i));
}

static enum arus_cast_result to_float(const struct arus_kernel_call *call, uint32_t i,
                                      struct arus_vector *out, struct arus_error *err)
{
    (void)err;
    return result_of(
        arus_float_parse_cast(arus_text_at(&call->args[0], i), (float *)out->values + i));
}

static enum arus_cast_result to_boolean(const struct arus_kernel_call *call, uint32_t i,
                                        struct arus_vector *out, struct arus_error *err)
{
    bool value = false;
    const bool is_fine = arus_boolean_parse_cast(arus_text_at(&call->args[0], i), &value);

    (void)err;
    ((uint8_t *)out->values)[i] = value;
    return result_of(is_fine);
}

static enum arus_cast_result to_decimal(const struct arus_kernel_call *call, uint32_t i,
                                        struct arus_vector *out, struct arus_error *err)
{
    const struct arus_text text = arus_text_trim(arus_text_at(&call->args[0], i));
    const struct arus_decimal_type type = {out->type->precision, out->type->scale};
    arus_int128 value;

    (void)err;
    switch (arus_decimal_parse(text, type, &value)) {
    case ARUS_DECIMAL_OK:
        arus_decimal_set(out->type, out->values, i, value);
        return ARUS_CAST_FINE;
    case ARUS_DECIMAL_BAD_TEXT:
        return ARUS_CAST_BAD_INPUT;
    case ARUS_DECIMAL_OUT_OF_RANGE:
        return ARUS_CAST_OUT_OF_RANGE;
    case ARUS_DECIMAL_UNSUPPORTED:
        return ARUS_CAST_TOO_LARGE;
    }
    return ARUS_CAST_BAD_INPUT;
}

static enum arus_cast_result to_date(const struct arus_kernel_call *call, uint32_t i,
                                     struct arus_vector *out, struct arus_error *err)
{
    (void)err;
    return result_of(arus_date_parse(arus_text_at(&call->args[0], i), (int32_t *)out->values + i));
}

static enum arus_cast_result to_timestamp(const struct arus_kernel_call *call, uint32_t i,
                                          struct arus_vector *out, struct arus_error *err)
{
    const struct arus_timestamp_context context = {.zone = call->env->zone,
                                                   .now = call->env->now_micros};

    (void)err;
    return result_of(arus_timestamp_parse(arus_text_at(&call->args[0], i), &context,
                                          (int64_t *)out->values + i));
}

static enum arus_cast_result to_ntz(const struct arus_kernel_call *call, uint32_t i,
                                    struct arus_vector *out, struct arus_error *err)
{
    (void)err;
    return result_of(arus_timestamp_ntz_parse(arus_text_at(&call->args[0], i), ARUS_NTZ_DROP_ZONE,
                                              (int64_t *)out->values + i));
}

static enum arus_cast_result to_interval(const struct arus_kernel_call *call, uint32_t i,
                                         struct arus_vector *out, struct arus_error *err)
{
    int64_t value;

    if (arus_interval_parse(arus_text_at(&call->args[0], i), out->type, &value, err) != ARUS_OK) {
        return ARUS_CAST_FAILED;
    }
    if (out->type->id == ARUS_TYPE_INTERVAL_YM) {
        ((int32_t *)out->values)[i] = (int32_t)value;
    } else {
        ((int64_t *)out->values)[i] = value;
    }
    return ARUS_CAST_FINE;
}

/* In every mode a bad text is NULL. */
static enum arus_cast_result to_calendar(const struct arus_kernel_call *call, uint32_t i,
                                         struct arus_vector *out, struct arus_error *err)
{
    (void)err;
    return arus_interval_parse_units(arus_text_at(&call->args[0], i),
                                     (struct arus_interval *)out->values + i)
               ? ARUS_CAST_FINE
               : ARUS_CAST_NULL;
}

#define ROWS(name)                                                                                 \
    static enum arus_status cast_##name(const struct arus_kernel_call *call,                       \
                                        struct arus_vector *out, uint32_t *bad_row,                \
                                        struct arus_error *err)                                    \
    {                                                                                              \
        return arus_cast_rows(call, name, out, bad_row, err);                                      \
    }
ROWS(to_integer)
ROWS(to_double)
ROWS(to_float)
ROWS(to_boolean)
ROWS(to_decimal)
ROWS(to_date)
ROWS(to_timestamp)
ROWS(to_ntz)
ROWS(to_interval)
ROWS(to_calendar)
#undef ROWS

/* STRING and BINARY: the same bytes. */
static enum arus_status cast_bytes(const struct arus_kernel_call *call, struct arus_vector *out,
                                   uint32_t *bad_row, struct arus_error *err)
{
    (void)bad_row;
    (void)err;
    *out = call->args[0];
    out->type = call->expr->type;
    return ARUS_OK;
}

arus_kernel_fn arus_cast_from_text(const struct arus_type *to)
{
    static const arus_kernel_fn KERNELS[ARUS_TYPE_COUNT] = {
        [ARUS_TYPE_BOOLEAN] = cast_to_boolean,
        [ARUS_TYPE_TINYINT] = cast_to_integer,
        [ARUS_TYPE_SMALLINT] = cast_to_integer,
        [ARUS_TYPE_INT] = cast_to_integer,
        [ARUS_TYPE_BIGINT] = cast_to_integer,
        [ARUS_TYPE_FLOAT] = cast_to_float,
        [ARUS_TYPE_DOUBLE] = cast_to_double,
        [ARUS_TYPE_DECIMAL] = cast_to_decimal,
        [ARUS_TYPE_BINARY] = cast_bytes,
        [ARUS_TYPE_DATE] = cast_to_date,
        [ARUS_TYPE_TIMESTAMP] = cast_to_timestamp,
        [ARUS_TYPE_TIMESTAMP_NTZ] = cast_to_ntz,
        [ARUS_TYPE_INTERVAL] = cast_to_calendar,
        [ARUS_TYPE_INTERVAL_YM] = cast_to_interval,
        [ARUS_TYPE_INTERVAL_DT] = cast_to_interval,
    };

    return KERNELS[to->id];
}

/* ---- to STRING ---- */

static size_t write_decimal(const struct arus_kernel_call *call, const struct arus_vector *in,
                            uint32_t i, char *out)
{
    const struct arus_decimal value = {arus_decimal_get(in->type, in->values, i), in->type->scale};

    return call->expr->cast_mode == ARUS_CAST_LEGACY ? arus_decimal_write_scientific(value, out)
                                                     : arus_decimal_write(value, out);
}

static size_t write_boolean(uint8_t value, char *out)
{
    memcpy(out, value ? "true" : "false", value ? 4 : 5);
    return value ? 4 : 5;
}

/* Longest text of a flat value. */
#define FLAT_TEXT_MAX 96

static size_t write_flat(const struct arus_kernel_call *call, const struct arus_vector *in,
                         uint32_t i, char *out)
{
    switch (in->type->id) {
    case ARUS_TYPE_BOOLEAN:
        return write_boolean(((const uint8_t *)in->values)[i], out);
    case ARUS_TYPE_TINYINT:
        return arus_int64_write(((const int8_t *)in->values)[i], out);
    case ARUS_TYPE_SMALLINT:
        return arus_int64_write(((const int16_t *)in->values)[i], out);
    case ARUS_TYPE_INT:
        return arus_int64_write(((const int32_t *)in->values)[i], out);
    case ARUS_TYPE_BIGINT:
        return arus_int64_write(((const int64_t *)in->values)[i], out);
    case ARUS_TYPE_FLOAT:
        return arus_float_write(((const float *)in->values)[i], out);
    case ARUS_TYPE_DOUBLE:
        return arus_double_write(((const double *)in->values)[i], out);
    case ARUS_TYPE_DECIMAL:
        return write_decimal(call, in, i, out);
    case ARUS_TYPE_DATE:
        return arus_date_write(((const int32_t *)in->values)[i], out);
    case ARUS_TYPE_TIMESTAMP:
        return arus_wall_write(arus_wall_at(call->env->zone, ((const int64_t *)in->values)[i]),
                               out);
    case ARUS_TYPE_TIMESTAMP_NTZ:
        return arus_timestamp_write(((const int64_t *)in->values)[i], out);
    case ARUS_TYPE_INTERVAL_YM:
        return arus_interval_write(((const int32_t *)in->values)[i], in->type, out);
    case ARUS_TYPE_INTERVAL:
        return arus_interval_write_units(((const struct arus_interval *)in->values)[i], out);
    case ARUS_TYPE_INTERVAL_DT:
        return arus_interval_write(((const int64_t *)in->values)[i], in->type, out);
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_BINARY:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        break;
    }
    return 0;
}

static enum arus_status cast_flat_to_text(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    const struct arus_vector *in = &call->args[0];
    struct arus_strings strings = {.arena = call->step};
    struct arus_view *r;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    r = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (!arus_bit_get(call->valid, i)) {
            r[i] = arus_view_empty();
            continue;
        }
        ARUS_TRY(arus_strings_need(&strings, FLAT_TEXT_MAX, err));
        r[i] = arus_strings_take(&strings, write_flat(call, in, i, strings.at));
    }
    return ARUS_OK;
}

static enum arus_status cast_nested_to_text(const struct arus_kernel_call *call,
                                            struct arus_vector *out, uint32_t *bad_row,
                                            struct arus_error *err)
{
    struct arus_strings strings = {.arena = call->step};
    struct arus_buffer text = {0};
    enum arus_status status = ARUS_OK;
    struct arus_view *r;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    r = out->values;
    for (uint32_t i = 0; i < call->row_count && status == ARUS_OK; i++) {
        arus_buffer_reset(&text);
        r[i] = arus_view_empty();
        if (arus_bit_get(call->valid, i)) {
            status = arus_value_cast_text(&call->args[0], i, call->env->zone, &text, err);
            if (status == ARUS_OK) {
                status = arus_strings_add(&strings, text.data, text.size, &r[i], err);
            }
        }
    }
    arus_buffer_release(&text);
    return status;
}

arus_kernel_fn arus_cast_to_text(const struct arus_type *from)
{
    if (arus_type_is_view(from)) {
        return cast_bytes;
    }
    return arus_type_is_nested(from) ? cast_nested_to_text : cast_flat_to_text;
}
