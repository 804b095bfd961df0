/** Spark's table of readable type pairs (its vectorised reader), checked against Spark 4.3. */
#include "format/parquet_convert.h"

#include "format/parquet_decode.h"

#define MICROS_PER_DAY    INT64_C(86400000000)
#define INT32_DIGITS      10
#define INT64_DIGITS      20
#define DECIMAL_BYTES_MAX 16

/* ---- which ---- */

/** Set by the finders: how to read, if at all. */
static bool take(struct arus_parquet_conversion *out, enum arus_parquet_conversion_id id)
{
    out->id = id;
    return true;
}

static bool is_signed_integer(const struct arus_parquet_element *element)
{
    return element->logical == ARUS_PARQUET_LOGICAL_NONE ||
           (element->logical == ARUS_PARQUET_LOGICAL_INTEGER && element->is_signed);
}

/** A decimal may gain digits before and behind the point, never lose one. */
static bool decimal_fits(const struct arus_parquet_element *element, const struct arus_type *type,
                         struct arus_parquet_conversion *out)
{
    const int32_t precision = type->precision - element->precision;
    const int32_t scale = type->scale - element->scale;

    out->scale_up = (uint8_t)scale;
    return element->logical == ARUS_PARQUET_LOGICAL_DECIMAL && scale >= 0 && precision >= scale;
}

static bool integer_fits_decimal(const struct arus_parquet_element *element,
                                 const struct arus_type *type, int digits,
                                 struct arus_parquet_conversion *out)
{
    out->scale_up = type->scale;
    return is_signed_integer(element) && type->precision - type->scale >= digits;
}

static bool find_int32(const struct arus_parquet_element *element, const struct arus_type *type,
                       struct arus_parquet_conversion *out)
{
    const bool is_unsigned = element->logical == ARUS_PARQUET_LOGICAL_INTEGER &&
                             !element->is_signed && element->bit_width == 32;

    if (is_unsigned) {
        return (type->id == ARUS_TYPE_BIGINT && take(out, ARUS_PARQUET_UINT32_TO_INT64)) ||
               (type->id == ARUS_TYPE_DOUBLE && take(out, ARUS_PARQUET_INT32_TO_DOUBLE));
    }
    if (type->id == ARUS_TYPE_INT || type->id == ARUS_TYPE_INTERVAL_YM ||
        type->id == ARUS_TYPE_DATE) {
        return take(out, ARUS_PARQUET_COPY);
    }
    if (type->id == ARUS_TYPE_TINYINT) {
        return take(out, ARUS_PARQUET_INT32_TO_INT8);
    }
    if (type->id == ARUS_TYPE_SMALLINT) {
        return take(out, ARUS_PARQUET_INT32_TO_INT16);
    }
    if (type->id == ARUS_TYPE_BIGINT) {
        return take(out, ARUS_PARQUET_INT32_TO_INT64);
    }
    if (type->id == ARUS_TYPE_DOUBLE) {
        return take(out, ARUS_PARQUET_INT32_TO_DOUBLE);
    }
    if (type->id == ARUS_TYPE_TIMESTAMP_NTZ) {
        return element->logical == ARUS_PARQUET_LOGICAL_DATE &&
               take(out, ARUS_PARQUET_DAYS_TO_MICROS);
    }
    return type->id == ARUS_TYPE_DECIMAL && take(out, ARUS_PARQUET_INT32_TO_DECIMAL) &&
           (decimal_fits(element, type, out) ||
            integer_fits_decimal(element, type, INT32_DIGITS, out));
}

static bool find_int64(const struct arus_parquet_element *element, const struct arus_type *type,
                       struct arus_parquet_conversion *out)
{
    if (element->logical == ARUS_PARQUET_LOGICAL_INTEGER && !element->is_signed) {
        return type->id == ARUS_TYPE_DECIMAL && type->precision == 20 && type->scale == 0 &&
               take(out, ARUS_PARQUET_UINT64_TO_DECIMAL);
    }
    if (type->id == ARUS_TYPE_BIGINT || type->id == ARUS_TYPE_INTERVAL_DT) {
        return take(out, ARUS_PARQUET_COPY);
    }
    if (type->id == ARUS_TYPE_TIMESTAMP || type->id == ARUS_TYPE_TIMESTAMP_NTZ) {
        return element->logical == ARUS_PARQUET_LOGICAL_TIMESTAMP &&
               element->unit != ARUS_PARQUET_NANOS &&
               take(out, element->unit == ARUS_PARQUET_MILLIS ? ARUS_PARQUET_MILLIS_TO_MICROS
                                                              : ARUS_PARQUET_COPY);
    }
    return type->id == ARUS_TYPE_DECIMAL && take(out, ARUS_PARQUET_INT64_TO_DECIMAL) &&
           (decimal_fits(element, type, out) ||
            integer_fits_decimal(element, type, INT64_DIGITS, out));
}

static bool find_bytes(const struct arus_parquet_element *element, const struct arus_type *type,
                       struct arus_parquet_conversion *out)
{
    if (type->id == ARUS_TYPE_BINARY ||
        (type->id == ARUS_TYPE_STRING && element->physical == ARUS_PARQUET_BYTE_ARRAY)) {
        return take(out, ARUS_PARQUET_COPY);
    }
    return type->id == ARUS_TYPE_DECIMAL && take(out, ARUS_PARQUET_BYTES_TO_DECIMAL) &&
           decimal_fits(element, type, out);
}

bool arus_parquet_conversion_find(const struct arus_parquet_element *element,
                                  const struct arus_type *type, struct arus_parquet_conversion *out)
{
    const enum arus_parquet_physical physical = (enum arus_parquet_physical)element->physical;
    bool is_same;

    *out = (struct arus_parquet_conversion){.in_size = arus_parquet_physical_size(physical),
                                            .out_size = arus_type_value_size(type)};
    if (type->id == ARUS_TYPE_VOID) {
        return element->logical == ARUS_PARQUET_LOGICAL_UNKNOWN && take(out, ARUS_PARQUET_NOTHING);
    }
    switch (physical) {
    case ARUS_PARQUET_BOOLEAN:
        return type->id == ARUS_TYPE_BOOLEAN;
    case ARUS_PARQUET_INT32:
        is_same = find_int32(element, type, out);
        break;
    case ARUS_PARQUET_INT64:
        is_same = find_int64(element, type, out);
        break;
    case ARUS_PARQUET_INT96:
        return type->id == ARUS_TYPE_TIMESTAMP || type->id == ARUS_TYPE_TIMESTAMP_NTZ;
    case ARUS_PARQUET_FLOAT:
        return type->id == ARUS_TYPE_FLOAT ||
               (type->id == ARUS_TYPE_DOUBLE && take(out, ARUS_PARQUET_FLOAT_TO_DOUBLE));
    case ARUS_PARQUET_DOUBLE:
        return type->id == ARUS_TYPE_DOUBLE;
    case ARUS_PARQUET_BYTE_ARRAY:
    case ARUS_PARQUET_FIXED:
        return find_bytes(element, type, out);
    default: /* not reached: the tree was checked */
        return false;
    }
    if (is_same && out->id == ARUS_PARQUET_INT64_TO_DECIMAL && out->scale_up == 0 &&
        out->out_size == out->in_size) {
        out->id = ARUS_PARQUET_COPY;
    }
    return is_same;
}

/* ---- how ---- */

#define NAME       int8_of_int32
#define IN         int32_t
#define OUT        int8_t
#define CONVERT(x) ((int8_t)(uint8_t)(uint32_t)(x))
#include "format/parquet_convert.inc.h"

#define NAME       int16_of_int32
#define IN         int32_t
#define OUT        int16_t
#define CONVERT(x) ((int16_t)(uint16_t)(uint32_t)(x))
#include "format/parquet_convert.inc.h"

#define NAME       int64_of_int32
#define IN         int32_t
#define OUT        int64_t
#define CONVERT(x) ((int64_t)(x))
#include "format/parquet_convert.inc.h"

#define NAME       int64_of_uint32
#define IN         uint32_t
#define OUT        int64_t
#define CONVERT(x) ((int64_t)(x))
#include "format/parquet_convert.inc.h"

#define NAME       double_of_int32
#define IN         int32_t
#define OUT        double
#define CONVERT(x) ((double)(x))
#include "format/parquet_convert.inc.h"

#define NAME       double_of_float
#define IN         float
#define OUT        double
#define CONVERT(x) ((double)(x))
#include "format/parquet_convert.inc.h"

static bool micros_of_days(const int32_t *in, int64_t *out, uint32_t count)
{
    bool is_bad = false;

    for (uint32_t i = 0; i < count; i++) {
        is_bad |= __builtin_mul_overflow((int64_t)in[i], MICROS_PER_DAY, &out[i]);
    }
    return !is_bad;
}

static bool micros_of_millis(const int64_t *in, int64_t *out, uint32_t count)
{
    bool is_bad = false;

    for (uint32_t i = 0; i < count; i++) {
        is_bad |= __builtin_mul_overflow(in[i], INT64_C(1000), &out[i]);
    }
    return !is_bad;
}

static bool store_decimal(arus_int128 value, const struct arus_parquet_conversion *conversion,
                          void *out, uint32_t i)
{
    bool is_bad = false;

    for (uint8_t digit = 0; digit < conversion->scale_up; digit++) {
        is_bad |= __builtin_mul_overflow(value, (arus_int128)10, &value);
    }
    if (conversion->out_size == sizeof(arus_int128)) {
        ((arus_int128 *)out)[i] = value;
        return !is_bad;
    }
    ((int64_t *)out)[i] = (int64_t)value;
    return !is_bad && (arus_int128)(int64_t)value == value;
}

__extension__ typedef unsigned __int128 uint128;

/** Big-endian two's complement of any length. */
static bool load_big_endian(struct arus_view bytes, arus_int128 *out)
{
    const uint8_t *at = (const uint8_t *)bytes.data;
    uint128 value = bytes.size > 0 && at[0] >= 0x80 ? ~(uint128)0 : 0;
    const uint8_t sign = (uint8_t)value;
    uint32_t begin = 0;

    for (; bytes.size - begin > DECIMAL_BYTES_MAX; begin++) {
        if (at[begin] != sign) {
            return false;
        }
    }
    for (uint32_t i = begin; i < bytes.size; i++) {
        value = value << 8 | at[i];
    }
    *out = (arus_int128)value;
    return begin == 0 || (*out < 0) == (sign != 0);
}

static bool decimals(const struct arus_parquet_conversion *conversion, const void *in, void *out,
                     uint32_t count)
{
    bool is_fine = true;

    for (uint32_t i = 0; i < count; i++) {
        arus_int128 value = 0;

        if (conversion->id == ARUS_PARQUET_INT32_TO_DECIMAL) {
            value = ((const int32_t *)in)[i];
        } else if (conversion->id == ARUS_PARQUET_INT64_TO_DECIMAL) {
            value = ((const int64_t *)in)[i];
        } else if (conversion->id == ARUS_PARQUET_UINT64_TO_DECIMAL) {
            value = ((const uint64_t *)in)[i];
        } else {
            is_fine &= load_big_endian(((const struct arus_view *)in)[i], &value);
        }
        is_fine &= store_decimal(value, conversion, out, i);
    }
    return is_fine;
}

bool arus_parquet_conversion_apply(const struct arus_parquet_conversion *conversion, const void *in,
                                   void *out, uint32_t count)
{
    switch (conversion->id) {
    case ARUS_PARQUET_COPY:
    case ARUS_PARQUET_NOTHING:
        return true;
    case ARUS_PARQUET_INT32_TO_INT8:
        return int8_of_int32(in, out, count);
    case ARUS_PARQUET_INT32_TO_INT16:
        return int16_of_int32(in, out, count);
    case ARUS_PARQUET_INT32_TO_INT64:
        return int64_of_int32(in, out, count);
    case ARUS_PARQUET_UINT32_TO_INT64:
        return int64_of_uint32(in, out, count);
    case ARUS_PARQUET_INT32_TO_DOUBLE:
        return double_of_int32(in, out, count);
    case ARUS_PARQUET_FLOAT_TO_DOUBLE:
        return double_of_float(in, out, count);
    case ARUS_PARQUET_DAYS_TO_MICROS:
        return micros_of_days(in, out, count);
    case ARUS_PARQUET_MILLIS_TO_MICROS:
        return micros_of_millis(in, out, count);
    case ARUS_PARQUET_INT32_TO_DECIMAL:
    case ARUS_PARQUET_INT64_TO_DECIMAL:
    case ARUS_PARQUET_UINT64_TO_DECIMAL:
    case ARUS_PARQUET_BYTES_TO_DECIMAL:
        return decimals(conversion, in, out, count);
    }
    return false;
}
