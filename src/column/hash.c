/** Row hashes: a 64 x 64 -> 128 bit multiply folds each value into the row's hash. */
#include "column/hash.h"

#define SEED      0x9E3779B97F4A7C15U
#define FACTOR    0xD6E8FEB86659FD93U
#define NULL_BITS 0xA0761D6478BD642FU
#define NAN_BITS  0x7FF8000000000000U
#define SPAN_BITS 0xE7037ED1A0B428DBU

__extension__ typedef unsigned __int128 uint128;

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    const uint128 product = (uint128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t mix(uint64_t hash, uint64_t bits)
{
    return fold(hash ^ bits ^ SEED, FACTOR);
}

/* ---- bits of values; equal values have equal bits ---- */

static inline uint64_t load8(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint64_t load4(const char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* Every byte is read once or twice; the size is part of the hash. */
static inline uint64_t bits_of_view(struct arus_view view)
{
    const char *at = view.data;
    size_t left = view.size;
    uint64_t hash = view.size * FACTOR;

    if (left > 16) {
        for (; left > 16; at += 16, left -= 16) {
            hash = fold(load8(at) ^ SEED, load8(at + 8) ^ hash);
        }
        return fold(load8(at + left - 16) ^ SEED, load8(at + left - 8) ^ hash);
    }
    if (left >= 8) {
        return fold(load8(at) ^ SEED, load8(at + left - 8) ^ hash);
    }
    if (left >= 4) {
        return fold(load4(at) ^ SEED, load4(at + left - 4) ^ hash);
    }
    if (left > 0) {
        const uint64_t word = (uint64_t)(unsigned char)at[0] << 16 |
                              (uint64_t)(unsigned char)at[left >> 1] << 8 |
                              (unsigned char)at[left - 1];

        return fold(word ^ SEED, hash);
    }
    return hash;
}

static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;

    value += 0.0; /* -0.0 becomes 0.0 */
    memcpy(&bits, &value, sizeof bits);
    return value == value ? bits : NAN_BITS;
}

static inline uint64_t bits_of_wide(arus_int128 value)
{
    return fold((uint64_t)value ^ SEED, (uint64_t)(value >> 64) ^ FACTOR);
}

static inline uint64_t bits_of_interval(struct arus_interval value)
{
    const uint64_t far = (uint64_t)(uint32_t)value.months << 32 | (uint32_t)value.days;

    return fold((uint64_t)value.micros ^ SEED, far ^ FACTOR);
}

#define NAME    8
#define TYPE    uint8_t
#define BITS(v) (v)
#include "column/hash.inc.h"
#define NAME    16
#define TYPE    uint16_t
#define BITS(v) (v)
#include "column/hash.inc.h"
#define NAME    32
#define TYPE    uint32_t
#define BITS(v) (v)
#include "column/hash.inc.h"
#define NAME    64
#define TYPE    uint64_t
#define BITS(v) (v)
#include "column/hash.inc.h"
#define NAME    wide
#define TYPE    arus_int128
#define BITS(v) bits_of_wide(v)
#include "column/hash.inc.h"
#define NAME    float
#define TYPE    float
#define BITS(v) bits_of_double((double)(v))
#include "column/hash.inc.h"
#define NAME    double
#define TYPE    double
#define BITS(v) bits_of_double(v)
#include "column/hash.inc.h"
#define NAME    interval
#define TYPE    struct arus_interval
#define BITS(v) bits_of_interval(v)
#include "column/hash.inc.h"
#define NAME    view
#define TYPE    struct arus_view
#define BITS(v) bits_of_view(v)
#include "column/hash.inc.h"

/* ---- one row of a nested value ---- */

static uint64_t hash_row(const struct arus_vector *vector, uint32_t i, uint64_t hash)
{
    const struct arus_vector *data = arus_vector_data(vector);
    struct arus_vector one = *data;
    uint32_t row = arus_vector_at(vector, i);

    one.form = ARUS_VECTOR_DICTIONARY;
    one.row_count = 1;
    one.indices = &row;
    one.base = data;
    arus_vector_hash(&one, 1, &hash);
    return hash;
}

static uint64_t hash_span(const struct arus_vector *data, uint32_t row, uint64_t hash)
{
    const struct arus_span span = ((const struct arus_span *)data->values)[row];

    hash = mix(hash, span.count ^ SPAN_BITS);
    for (uint32_t j = 0; j < span.count; j++) {
        for (uint16_t f = 0; f < data->type->field_count; f++) {
            hash = hash_row(&data->children[f], span.begin + j, hash);
        }
    }
    return hash;
}

static void hash_nested(const struct arus_vector *data, const uint32_t *indices, uint32_t count,
                        uint64_t *hashes)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = indices == NULL ? i : indices[i];
        uint64_t hash = hashes[i];

        if (!arus_bit_get(data->validity, row)) {
            hashes[i] = mix(hash, NULL_BITS);
        } else if (data->type->id == ARUS_TYPE_STRUCT) {
            for (uint16_t f = 0; f < data->type->field_count; f++) {
                hash = hash_row(&data->children[f], row, hash);
            }
            hashes[i] = mix(hash, SPAN_BITS);
        } else {
            hashes[i] = hash_span(data, row, hash);
        }
    }
}

static void hash_void(const struct arus_vector *data, const uint32_t *indices, uint32_t count,
                      uint64_t *hashes)
{
    (void)data;
    (void)indices;
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = mix(hashes[i], NULL_BITS);
    }
}

typedef void (*hash_fn)(const struct arus_vector *data, const uint32_t *indices, uint32_t count,
                        uint64_t *hashes);

static const hash_fn HASHES[ARUS_TYPE_COUNT] = {
    [ARUS_TYPE_VOID] = hash_void,
    [ARUS_TYPE_BOOLEAN] = hash_8,
    [ARUS_TYPE_TINYINT] = hash_8,
    [ARUS_TYPE_SMALLINT] = hash_16,
    [ARUS_TYPE_INT] = hash_32,
    [ARUS_TYPE_BIGINT] = hash_64,
    [ARUS_TYPE_FLOAT] = hash_float,
    [ARUS_TYPE_DOUBLE] = hash_double,
    [ARUS_TYPE_DECIMAL] = hash_64,
    [ARUS_TYPE_STRING] = hash_view,
    [ARUS_TYPE_BINARY] = hash_view,
    [ARUS_TYPE_DATE] = hash_32,
    [ARUS_TYPE_TIMESTAMP] = hash_64,
    [ARUS_TYPE_TIMESTAMP_NTZ] = hash_64,
    [ARUS_TYPE_INTERVAL_YM] = hash_32,
    [ARUS_TYPE_INTERVAL_DT] = hash_64,
    [ARUS_TYPE_INTERVAL] = hash_interval,
    [ARUS_TYPE_ARRAY] = hash_nested,
    [ARUS_TYPE_MAP] = hash_nested,
    [ARUS_TYPE_STRUCT] = hash_nested,
};

/* The bits that a value of a view column mixes in, once per row of a small dictionary. */
static void hash_dictionary(const struct arus_vector *vector, uint32_t row_count, uint64_t *hashes,
                            uint64_t *bits)
{
    const struct arus_vector *base = vector->base;
    const struct arus_view *views = base->values;

    for (uint32_t i = 0; i < base->row_count; i++) {
        bits[i] = arus_bit_get(base->validity, i) ? bits_of_view(views[i]) : NULL_BITS;
    }
    for (uint32_t i = 0; i < row_count; i++) {
        hashes[i] = mix(hashes[i], bits[vector->indices[i]]);
    }
}

#define DICTIONARY_MAX 1024 /* strings hashed once into a table on the stack */

static void hash_constant(const struct arus_vector *data, hash_fn hash, uint32_t row_count,
                          uint64_t *hashes)
{
    for (uint32_t i = 0; i < row_count; i++) {
        hash(data, NULL, 1, &hashes[i]);
    }
}

void arus_vector_hash(const struct arus_vector *vector, uint32_t row_count, uint64_t *hashes)
{
    const struct arus_vector *data = arus_vector_data(vector);
    const hash_fn hash = arus_type_is_wide(data->type) ? hash_wide : HASHES[data->type->id];
    uint64_t bits[DICTIONARY_MAX];

    if (data->form == ARUS_VECTOR_CONSTANT) {
        hash_constant(data, hash, row_count, hashes);
    } else if (vector->form == ARUS_VECTOR_FLAT) {
        hash(data, NULL, row_count, hashes);
    } else if (arus_type_is_view(data->type) && data->row_count <= DICTIONARY_MAX &&
               data->row_count * 2 <= row_count) {
        hash_dictionary(vector, row_count, hashes, bits);
    } else {
        hash(data, vector->indices, row_count, hashes);
    }
}

/* ---- equality ---- */

static bool equal_views(const struct arus_view *a, const struct arus_view *b)
{
    return a->size == b->size && memcmp(a->prefix, b->prefix, sizeof a->prefix) == 0 &&
           (a->size <= sizeof a->prefix || memcmp(a->data, b->data, a->size) == 0);
}

/* Plain bits, no floats. */
static bool equal_bits(const void *a, uint32_t i, const void *b, uint32_t j, uint32_t size)
{
    switch (size) {
    case 1:
        return ((const uint8_t *)a)[i] == ((const uint8_t *)b)[j];
    case 2:
        return ((const uint16_t *)a)[i] == ((const uint16_t *)b)[j];
    case 4:
        return ((const uint32_t *)a)[i] == ((const uint32_t *)b)[j];
    case 8:
        return ((const uint64_t *)a)[i] == ((const uint64_t *)b)[j];
    default:
        return ((const arus_int128 *)a)[i] == ((const arus_int128 *)b)[j];
    }
}

static bool equal_values(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                         uint32_t j)
{
    const struct arus_vector *x = arus_vector_data(a);
    const struct arus_vector *y = arus_vector_data(b);
    const uint32_t row_x = arus_vector_at(a, i);
    const uint32_t row_y = arus_vector_at(b, j);
    const struct arus_type *type = x->type;

    if (arus_type_is_fractional(type) || arus_type_is_nested(type) || type->id == ARUS_TYPE_VOID) {
        return arus_vector_compare(a, i, b, j) == 0;
    }
    if (!arus_bit_get(x->validity, row_x) || !arus_bit_get(y->validity, row_y)) {
        return arus_bit_get(x->validity, row_x) == arus_bit_get(y->validity, row_y);
    }
    if (arus_type_is_view(type)) {
        return equal_views((const struct arus_view *)x->values + row_x,
                           (const struct arus_view *)y->values + row_y);
    }
    return equal_bits(x->values, row_x, y->values, row_y, arus_type_value_size(type));
}

bool arus_rows_equal(const struct arus_vector *a, uint32_t i, const struct arus_vector *b,
                     uint32_t j, uint32_t column_count)
{
    for (uint32_t c = 0; c < column_count; c++) {
        if (!equal_values(&a[c], i, &b[c], j)) {
            return false;
        }
    }
    return true;
}
