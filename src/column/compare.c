/** Spark's order of two values. */
#include "column/vector.h"

static int compare_values(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                          uint32_t j);

#define SIGN(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_double(double a, double b)
{
    const bool is_nan_a = a != a;
    const bool is_nan_b = b != b;

    return is_nan_a || is_nan_b ? is_nan_a - is_nan_b : SIGN(a, b);
}

static int compare_view(const struct arus_view *a, const struct arus_view *b)
{
    const uint32_t size = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->prefix, b->prefix, sizeof a->prefix);

    if (order == 0 && size > sizeof a->prefix) {
        order = memcmp(a->data, b->data, size);
    }
    return order != 0 ? order : SIGN(a->size, b->size);
}

static int compare_span(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                        uint32_t j)
{
    const struct arus_span x = ((const struct arus_span *)a->values)[i];
    const struct arus_span y = ((const struct arus_span *)b->values)[j];
    const uint32_t count = x.count < y.count ? x.count : y.count;

    for (uint32_t k = 0; k < count; k++) {
        for (uint16_t f = 0; f < a->type->field_count; f++) {
            const int order =
                arus_vector_compare(&a->children[f], x.begin + k, &b->children[f], y.begin + k);

            if (order != 0) {
                return order;
            }
        }
    }
    return SIGN(x.count, y.count);
}

static int compare_struct(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                          uint32_t j)
{
    for (uint16_t f = 0; f < a->type->field_count; f++) {
        const int order = arus_vector_compare(&a->children[f], i, &b->children[f], j);

        if (order != 0) {
            return order;
        }
    }
    return 0;
}

#define AS(type, vector, row) (((const type *)(vector)->values)[row])
#define BY(type)              SIGN(AS(type, a, i), AS(type, b, j))

/* No order that means anything, but equal ones are equal. */
static int compare_interval(const struct arus_interval *a, const struct arus_interval *b)
{
    if (a->months != b->months) {
        return SIGN(a->months, b->months);
    }
    return a->days != b->days ? SIGN(a->days, b->days) : SIGN(a->micros, b->micros);
}

static int compare_values(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                          uint32_t j)
{
    switch (a->type->id) {
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_COUNT:
        return 0;
    case ARUS_TYPE_BOOLEAN:
        return BY(uint8_t);
    case ARUS_TYPE_TINYINT:
        return BY(int8_t);
    case ARUS_TYPE_SMALLINT:
        return BY(int16_t);
    case ARUS_TYPE_INT:
    case ARUS_TYPE_DATE:
    case ARUS_TYPE_INTERVAL_YM:
        return BY(int32_t);
    case ARUS_TYPE_BIGINT:
    case ARUS_TYPE_TIMESTAMP:
    case ARUS_TYPE_TIMESTAMP_NTZ:
    case ARUS_TYPE_INTERVAL_DT:
        return BY(int64_t);
    case ARUS_TYPE_INTERVAL:
        return compare_interval(&AS(struct arus_interval, a, i), &AS(struct arus_interval, b, j));
    case ARUS_TYPE_DECIMAL:
        return arus_type_is_wide(a->type) ? BY(arus_int128) : BY(int64_t);
    case ARUS_TYPE_FLOAT:
        return compare_double((double)AS(float, a, i), (double)AS(float, b, j));
    case ARUS_TYPE_DOUBLE:
        return compare_double(AS(double, a, i), AS(double, b, j));
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_BINARY:
        return compare_view(&AS(struct arus_view, a, i), &AS(struct arus_view, b, j));
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
        return compare_span(a, i, b, j);
    case ARUS_TYPE_STRUCT:
        return compare_struct(a, i, b, j);
    }
    return 0;
}

int arus_vector_compare(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                        uint32_t j)
{
    const bool has_a = arus_vector_is_valid(a, i);
    const bool has_b = arus_vector_is_valid(b, j);

    if (!has_a || !has_b) {
        return has_a - has_b;
    }
    return compare_values(arus_vector_data(a), arus_vector_at(a, i), arus_vector_data(b),
                          arus_vector_at(b, j));
}
