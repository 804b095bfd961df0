#include "expr/java_map.h"

#include "expr/hash_spark.h"
#include "types/decimal.h"

#include <math.h>

/* ---- hashCode() ---- */

static int32_t hash_long(int64_t value)
{
    return (int32_t)(value ^ (int64_t)((uint64_t)value >> 32));
}

static int32_t hash_double(double value)
{
    int64_t bits;

    if (isnan(value)) {
        return 0x7ff80000;
    }
    memcpy(&bits, &value, sizeof bits);
    return hash_long(bits);
}

static int32_t hash_float(float value)
{
    int32_t bits;

    if (isnan(value)) {
        return 0x7fc00000;
    }
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* scala.math.BigDecimal: as the number that equals it */
static int32_t hash_decimal(const struct arus_vector *values, uint32_t i)
{
    const arus_int128 unscaled = arus_decimal_get(values->type, values->values, i);
    const double value = (double)unscaled / pow(10, values->type->scale);
    const int64_t whole = (int64_t)value;

    if ((double)whole == value) {
        return whole == (int32_t)whole ? (int32_t)whole : hash_long(whole);
    }
    return (double)(float)value == value ? hash_float((float)value) : hash_double(value);
}

static int32_t hash_code(const struct arus_vector *values, uint32_t i)
{
    const void *data = values->values;

    switch (values->type->id) {
    case ARUS_TYPE_BOOLEAN:
        return ((const uint8_t *)data)[i] != 0 ? 1231 : 1237;
    case ARUS_TYPE_TINYINT:
        return ((const int8_t *)data)[i];
    case ARUS_TYPE_SMALLINT:
        return ((const int16_t *)data)[i];
    case ARUS_TYPE_INT:
    case ARUS_TYPE_DATE:
    case ARUS_TYPE_INTERVAL_YM:
        return ((const int32_t *)data)[i];
    case ARUS_TYPE_BIGINT:
    case ARUS_TYPE_TIMESTAMP:
    case ARUS_TYPE_TIMESTAMP_NTZ:
    case ARUS_TYPE_INTERVAL_DT:
        return hash_long(((const int64_t *)data)[i]);
    case ARUS_TYPE_FLOAT:
        return hash_float(((const float *)data)[i]);
    case ARUS_TYPE_DOUBLE:
        return hash_double(((const double *)data)[i]);
    case ARUS_TYPE_DECIMAL:
        return hash_decimal(values, i);
    case ARUS_TYPE_STRING:
        return (int32_t)arus_murmur3_value(values, i, 42);
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_BINARY:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        break;
    }
    return 0; /* no fixed order in Spark either: by arrival */
}

/* Guava's murmur3_32().hashInt() */
static uint32_t spread(int32_t code)
{
    uint32_t k = (uint32_t)code * 0xcc9e2d51U;
    uint32_t h;

    k = (k << 15 | k >> 17) * 0x1b873593U;
    h = (k << 13 | k >> 19) * 5 + 0xe6546b64U;
    h ^= 4;
    h = (h ^ h >> 16) * 0x85ebca6bU;
    h = (h ^ h >> 13) * 0xc2b2ae35U;
    return h ^ h >> 16;
}

/* ---- OpenHashSet ---- */

struct set {
    const uint32_t *hashes;
    uint32_t *slots; /* [capacity] value + 1 */
    uint32_t capacity;
    uint32_t count;
};

static void set_put(struct set *set, uint32_t value)
{
    const uint32_t mask = set->capacity - 1;
    uint32_t at = set->hashes[value] & mask;

    for (uint32_t step = 1; set->slots[at] != 0; step++) {
        at = (at + step) & mask;
    }
    set->slots[at] = value + 1;
}

static enum arus_status set_grow(struct set *set, struct arus_arena *step, struct arus_error *err)
{
    const uint32_t *old = set->slots;
    const uint32_t capacity = set->capacity;

    set->capacity = capacity == 0 ? 64 : 2 * capacity;
    ARUS_TRY(ARUS_NEW(step, uint32_t, set->capacity, &set->slots, err));
    for (uint32_t at = 0; at < capacity; at++) {
        if (old[at] != 0) {
            set_put(set, old[at] - 1);
        }
    }
    return ARUS_OK;
}

/* Puts values in this order; they come out in the order of the slots. */
static enum arus_status reorder(const uint32_t *hashes, uint32_t *order, uint32_t count,
                                struct arus_arena *step, struct arus_error *err)
{
    struct set set = {.hashes = hashes};
    uint32_t next = 0;

    ARUS_TRY(set_grow(&set, step, err));
    for (uint32_t k = 0; k < count; k++) {
        set_put(&set, order[k]);
        if (++set.count > (uint32_t)(0.7 * set.capacity)) {
            ARUS_TRY(set_grow(&set, step, err));
        }
    }
    for (uint32_t at = 0; at < set.capacity; at++) {
        if (set.slots[at] != 0) {
            order[next++] = set.slots[at] - 1;
        }
    }
    return ARUS_OK;
}

enum arus_status arus_java_map_most(const struct arus_vector *values, const uint64_t *times,
                                    struct arus_arena *step, uint32_t *out, struct arus_error *err)
{
    const uint32_t count = values->row_count;
    uint32_t *hashes;
    uint32_t *order;

    ARUS_TRY(ARUS_NEW(step, uint32_t, count, &hashes, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, count, &order, err));
    for (uint32_t k = 0; k < count; k++) {
        hashes[k] = spread(hash_code(values, k));
        order[k] = k;
    }
    for (int map = 0; map < 3; map++) { /* of a partition, read back, merged */
        ARUS_TRY(reorder(hashes, order, count, step, err));
    }
    *out = order[0];
    for (uint32_t k = 1; k < count; k++) {
        *out = times[order[k]] > times[*out] ? order[k] : *out;
    }
    return ARUS_OK;
}
