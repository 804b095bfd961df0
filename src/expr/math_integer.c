/** Integers: bits, bases, buckets. */
#include "expr/families.h"
#include "expr/rowwise.h"

#include <math.h>

/* ---- integers ---- */

static enum arus_status factorial(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int32_t n = arus_row_arg_int(row, 0, i);
    int64_t product = 1;

    if (n < 0 || n > 20) {
        return arus_row_null(row, i, err);
    }
    for (int32_t k = 2; k <= n; k++) {
        product *= k;
    }
    arus_row_bigint(row, i, product);
    return ARUS_OK;
}
ARUS_ROWWISE(factorial)

static enum arus_status bin(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const uint64_t value = (uint64_t)arus_row_arg_bigint(row, 0, i);
    char digits[64];
    size_t count = 0;

    do {
        count++;
        digits[64 - count] = (char)('0' + ((value >> (count - 1)) & 1));
    } while (count < 64 && value >> count != 0);
    return arus_row_bytes(row, i, digits + 64 - count, count, err);
}
ARUS_ROWWISE(bin)

static enum arus_status bit_count(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_int(row, i, __builtin_popcountll((uint64_t)arus_row_arg_bigint(row, 0, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(bit_count)

static enum arus_status bind_bit_count(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    bind->type = &ARUS_INT;
    if (type->id != ARUS_TYPE_BOOLEAN && type->id != ARUS_TYPE_VOID &&
        !arus_type_is_integer(type)) {
        return arus_fail_input(bind, 0, "an integer or BOOLEAN", err);
    }
    return arus_arg_cast(bind, 0, &ARUS_BIGINT, err);
}

static enum arus_status bit_get(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int32_t position = arus_row_arg_int(row, 1, i);
    const int32_t *bits = row->call->expr->bound;

    if (position < 0 || position >= *bits) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE",
                         "bit %d is not one of 0 to %d", position, *bits - 1);
    }
    ((int8_t *)row->out->values)[i] = (int8_t)((arus_row_arg_bigint(row, 0, i) >> position) & 1);
    return ARUS_OK;
}
ARUS_ROWWISE(bit_get)

static enum arus_status bind_bit_get(struct arus_bind *bind, struct arus_error *err)
{
    int32_t *bits;

    ARUS_TRY(ARUS_NEW(bind->arena, int32_t, 1, &bits, err));
    ARUS_TRY(arus_args_take(bind, "Ii", err));
    *bits = (int32_t)(8 * arus_type_value_size(bind->args[0]->type));
    bind->bound = bits;
    bind->type = &ARUS_TINYINT;
    return arus_arg_cast(bind, 0, &ARUS_BIGINT, err);
}

static enum arus_status width_bucket(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const double value = arus_double_at(&row->call->args[0], i);
    const double low = arus_double_at(&row->call->args[1], i);
    const double high = arus_double_at(&row->call->args[2], i);
    const int64_t count = arus_row_arg_bigint(row, 3, i);
    const double first = low < high ? low : high;
    const double last = low < high ? high : low;
    int64_t bucket;

    if (count <= 0 || count == INT64_MAX || isnan(value) || low == high || !isfinite(low) ||
        !isfinite(high)) {
        return arus_row_null(row, i, err);
    }
    if (low < high) {
        bucket = value < first   ? 0
                 : value >= last ? count + 1
                                 : (int64_t)((double)count * (value - low) / (high - low)) + 1;
    } else {
        bucket = value > last     ? 0
                 : value <= first ? count + 1
                                  : (int64_t)((double)count * (low - value) / (low - high)) + 1;
    }
    arus_row_bigint(row, i, bucket);
    return ARUS_OK;
}
ARUS_ROWWISE(width_bucket)

/* Intervals of one family count in their unit. */
static enum arus_status bind_width_bucket(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;

    bind->type = &ARUS_BIGINT;
    bind->is_nullable = true;
    if (id == ARUS_TYPE_INTERVAL_YM || id == ARUS_TYPE_INTERVAL_DT) {
        for (uint32_t i = 0; i < 3; i++) {
            if (bind->args[i]->type->id != id) {
                return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                                    "`width_bucket` needs values of one type, not %s and %s",
                                    arus_type_name(bind->args[0]->type).text,
                                    arus_type_name(bind->args[i]->type).text);
            }
            ARUS_TRY(arus_call_of(bind, "interval_number", &bind->args[i], 1, &bind->args[i], err));
        }
    }
    return arus_args_take(bind, "dddl", err);
}

/* Text in base 2..36 to another base; a negative target base gives signed digits. */
static enum arus_status conv(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text raw = arus_row_arg_text(row, 0, i);
    const int32_t from = arus_row_arg_int(row, 1, i);
    const int32_t to = arus_row_arg_int(row, 2, i);
    const uint64_t base = (uint64_t)(to < 0 ? -to : to);
    char digits[72];
    size_t count = 0;
    size_t at = 0;
    size_t end = raw.size;
    uint64_t value = 0;
    bool is_negative;

    while (at < end && raw.data[at] == ' ') {
        at++;
    }
    while (end > at && raw.data[end - 1] == ' ') {
        end--;
    }
    if (from < 2 || from > 36 || base < 2 || base > 36 || at == end) {
        return arus_row_null(row, i, err);
    }
    is_negative = raw.data[at] == '-';
    for (at += is_negative; at < end; at++) {
        const char c = raw.data[at];
        const int32_t digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'z' ? c - 'a' + 10
                              : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                                     : 99;

        if (digit >= from) {
            break;
        }
        if (__builtin_mul_overflow(value, (uint64_t)from, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value)) {
            if (row->call->env->is_ansi) {
                return arus_fail(err, ARUS_BAD_DATA, "ARITHMETIC_OVERFLOW",
                                 "conv overflows 64 bits");
            }
            value = UINT64_MAX;
            break;
        }
    }
    if (is_negative && to > 0) {
        value = (int64_t)value < 0 ? UINT64_MAX : 0 - value;
    }
    if (to < 0 && (int64_t)value < 0) {
        value = 0 - value;
        is_negative = true;
    }
    do {
        const uint64_t digit = value % base;

        digits[sizeof digits - ++count] = (char)(digit < 10 ? '0' + digit : 'A' + (digit - 10));
        value /= base;
    } while (value > 0);
    if (is_negative && to < 0) {
        digits[sizeof digits - ++count] = '-';
    }
    return arus_row_bytes(row, i, digits + sizeof digits - count, count, err);
}
ARUS_ROWWISE(conv)

const struct arus_function ARUS_INTEGERS[] = {
    ARUS_FUNCTION("factorial", NULL, 0, 1, 1, "i", "l", kernel_factorial, "factorial(n) -> BIGINT",
                  "NULL outside 0..20", "factorial(5)", "120"),
    ARUS_FUNCTION("bin", NULL, 0, 1, 1, "l", "s", kernel_bin, "bin(n) -> STRING", "binary digits",
                  "bin(13)", "1101"),
    {.name = "bit_count",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_bit_count,
     .kernel = kernel_bit_count,
     .signature = "bit_count(n) -> INT",
     .help = "bits that are 1",
     .example = "bit_count(7)",
     .result = "3"},
    {.name = "bit_get",
     .aliases = "getbit",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_bit_get,
     .kernel = kernel_bit_get,
     .signature = "bit_get(n, position) -> TINYINT",
     .help = "one bit",
     .example = "bit_get(11, 0)",
     .result = "1"},
    {.name = "width_bucket",
     .flags = ARUS_STRICT,
     .arg_min = 4,
     .arg_max = 4,
     .bind = bind_width_bucket,
     .kernel = kernel_width_bucket,
     .signature = "width_bucket(x, low, high, n) -> BIGINT",
     .help = "number of the bucket among n; of numbers or intervals",
     .example = "width_bucket(5.3, 0.2, 10.6, 5)",
     .result = "3"},
    ARUS_FUNCTION("conv", NULL, ARUS_CAN_FAIL, 3, 3, "sii", "s", kernel_conv,
                  "conv(number, from, to) -> STRING", "digits in another base",
                  "conv('100', 2, 10)", "4"),
    {0},
};
