#include "expr/percentile.h"

#include "types/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIX_MIN ((size_t)512) /* values; fewer are sorted by comparing */

int arus_double_compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    if (isnan(a) || isnan(b)) {
        return (isnan(a) != 0) - (isnan(b) != 0);
    }
    if (a == b) {
        return (signbit(b) != 0) - (signbit(a) != 0);
    }
    return (a > b) - (a < b);
}

static double value_of(uint64_t key)
{
    const uint64_t bits = key >> 63 != 0 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;

    memcpy(&value, &bits, sizeof value);
    return key == UINT64_MAX ? (double)NAN : value;
}

/* One step of a radix sort: by the byte at `shift`, equal ones stay in their order. */
static void sort_by_byte(const uint64_t *from, uint64_t *to, size_t count, unsigned shift,
                         const size_t counts[256])
{
    size_t at[256];
    size_t end = 0;

    for (unsigned b = 0; b < 256; b++) {
        at[b] = end;
        end += counts[b];
    }
    for (size_t i = 0; i < count; i++) {
        to[at[from[i] >> shift & 0xFF]++] = from[i];
    }
}

static void sort_by_bytes(double *values, size_t count, double *scratch)
{
    size_t counts[8][256] = {{0}};
    uint64_t *from = (uint64_t *)(void *)values;
    uint64_t *to = (uint64_t *)(void *)scratch;

    for (size_t i = 0; i < count; i++) {
        const uint64_t key = arus_double_key(values[i]);

        memcpy(&from[i], &key, sizeof key);
        for (unsigned byte = 0; byte < 8; byte++) {
            counts[byte][key >> (8 * byte) & 0xFF]++;
        }
    }
    for (unsigned byte = 0; byte < 8 && count > 0; byte++) {
        if (counts[byte][from[0] >> (8 * byte) & 0xFF] != count) { /* it tells some apart */
            uint64_t *swap = from;

            sort_by_byte(from, to, count, 8 * byte, counts[byte]);
            from = to;
            to = swap;
        }
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = value_of(from[i]);
    }
}

void arus_doubles_sort(double *values, size_t count, double *scratch)
{
    if (count < RADIX_MIN) {
        qsort(values, count, sizeof *values, arus_double_compare);
    } else {
        sort_by_bytes(values, count, scratch);
    }
}

/* A value back in the type it came from. */
static void store_double(const struct arus_type *type, void *values, uint32_t i, double value)
{
    int64_t integer = value >= 9223372036854775808.0                   ? INT64_MAX
                      : value < -9223372036854775808.0 || isnan(value) ? INT64_MIN
                                                                       : (int64_t)value;
    arus_int128 decimal = 0;

    if (type->id == ARUS_TYPE_DOUBLE) {
        ((double *)values)[i] = value;
    } else if (type->id == ARUS_TYPE_FLOAT) {
        ((float *)values)[i] = (float)value;
    } else if (type->id == ARUS_TYPE_DECIMAL) {
        (void)arus_decimal_from_double(
            value, (struct arus_decimal_type){type->precision, type->scale}, &decimal);
        arus_decimal_set(type, values, i, decimal);
    } else {
        memcpy((char *)values + (size_t)i * arus_type_value_size(type), &integer,
               arus_type_value_size(type));
    }
}

enum arus_status arus_percentile_finish(const struct arus_expr *expr, const unsigned char *states,
                                        size_t stride, uint32_t count, arus_percentile_fn compute,
                                        struct arus_arena *step, struct arus_vector *out,
                                        struct arus_error *err)
{
    const struct arus_percentile *percentile = expr->bound;
    struct arus_vector *values = out;
    double *results;

    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    ARUS_TRY(ARUS_NEW(step, double, percentile->count, &results, err));
    if (percentile->is_list) {
        values = out->children;
        ARUS_TRY(arus_vector_init(values, percentile->type, count * percentile->count, step, err));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct arus_bytes_state *state = (const void *)(states + i * stride);

        if (state->count == 0) {
            arus_bit_clear(out->validity, i);
        } else {
            ARUS_TRY(compute(percentile, state, step, results, err));
        }
        for (uint32_t k = 0; k < percentile->count; k++) {
            store_double(percentile->type, values->values, i * percentile->count + k,
                         state->count == 0 ? 0 : results[k]);
        }
        if (percentile->is_list) {
            ((struct arus_span *)out->values)[i] =
                (struct arus_span){i * percentile->count, percentile->count};
        }
    }
    return ARUS_OK;
}

static enum arus_status fail_point(const struct arus_bind *bind, struct arus_error *err)
{
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                        "a percentage must lie between 0.0 and 1.0");
}

enum arus_status arus_percentile_points(struct arus_bind *bind, uint32_t i,
                                        struct arus_percentile *percentile, struct arus_error *err)
{
    struct arus_vector value;
    const struct arus_vector *items = &value;
    const struct arus_type *list;
    bool is_found;

    percentile->is_list = bind->args[i]->type->id == ARUS_TYPE_ARRAY;
    if (percentile->is_list) {
        ARUS_TRY(arus_type_array(&ARUS_DOUBLE, true, bind->arena, &list, err));
        if (!arus_type_converts(bind->args[i]->type, list)) {
            return arus_fail_input(bind, i, "DOUBLE or ARRAY<DOUBLE>", err);
        }
        ARUS_TRY(arus_arg_cast(bind, i, list, err));
    } else {
        ARUS_TRY(arus_arg_take(bind, i, "d", err));
    }
    ARUS_TRY(arus_arg_constant(bind, i, &value, &is_found, err));
    if (!is_found) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "the percentage must be a constant");
    }
    if (!arus_vector_is_valid(&value, 0)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.UNEXPECTED_NULL",
                            "the percentage must not be NULL");
    }
    percentile->count = 1;
    if (percentile->is_list) {
        percentile->count = ((const struct arus_span *)value.values)->count;
        items = &value.children[0];
    }
    ARUS_TRY(ARUS_NEW(bind->arena, double, percentile->count, &percentile->points, err));
    for (uint32_t k = 0; k < percentile->count; k++) {
        percentile->points[k] = arus_double_at(items, k);
        if (!(percentile->points[k] >= 0 && percentile->points[k] <= 1)) {
            return fail_point(bind, err);
        }
    }
    return ARUS_OK;
}

enum arus_status arus_percentile_type(struct arus_bind *bind,
                                      const struct arus_percentile *percentile,
                                      struct arus_error *err)
{
    bind->type = percentile->type;
    bind->is_nullable = true;
    bind->bound = percentile;
    return percentile->is_list
               ? arus_type_array(percentile->type, false, bind->arena, &bind->type, err)
               : ARUS_OK;
}

enum arus_status arus_percentile_value(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;

    if (id == ARUS_TYPE_INTERVAL_YM || id == ARUS_TYPE_INTERVAL_DT) {
        ARUS_TRY(arus_call_of(bind, "interval_number", &bind->args[0], 1, &bind->args[0], err));
    } else if (id == ARUS_TYPE_DATE) {
        ARUS_TRY(arus_call_of(bind, "unix_date", &bind->args[0], 1, &bind->args[0], err));
    } else if (id == ARUS_TYPE_TIMESTAMP || id == ARUS_TYPE_TIMESTAMP_NTZ) {
        ARUS_TRY(arus_call_of(bind, "micros_number", &bind->args[0], 1, &bind->args[0], err));
    }
    return arus_arg_cast(bind, 0, &ARUS_DOUBLE, err);
}
