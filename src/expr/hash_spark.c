#include "expr/hash_spark.h"

#include "types/decimal.h"

/* ---- Murmur3, x86, 32 bits; the tail byte by byte, signed ---- */

static uint32_t rotate_32(uint32_t x, uint32_t n)
{
    return x << n | x >> (32 - n);
}

static uint32_t murmur_mix(uint32_t hash, uint32_t word)
{
    word *= 0xCC9E2D51;
    word = rotate_32(word, 15);
    word *= 0x1B873593;
    hash ^= word;
    return rotate_32(hash, 13) * 5 + 0xE6546B64;
}

static uint32_t murmur_end(uint32_t hash, uint32_t size)
{
    hash ^= size;
    hash ^= hash >> 16;
    hash *= 0x85EBCA6B;
    hash ^= hash >> 13;
    hash *= 0xC2B2AE35;
    return hash ^ hash >> 16;
}

static uint32_t murmur_int(uint32_t value, uint32_t seed)
{
    return murmur_end(murmur_mix(seed, value), 4);
}

static uint32_t murmur_long(uint64_t value, uint32_t seed)
{
    return murmur_end(murmur_mix(murmur_mix(seed, (uint32_t)value), (uint32_t)(value >> 32)), 8);
}

static uint32_t murmur_bytes(const char *data, uint32_t size, uint32_t seed)
{
    uint32_t at = 0;

    for (; at + 4 <= size; at += 4) {
        uint32_t word;

        memcpy(&word, data + at, 4);
        seed = murmur_mix(seed, word);
    }
    for (; at < size; at++) {
        seed = murmur_mix(seed, (uint32_t)(int32_t)(signed char)data[at]);
    }
    return murmur_end(seed, size);
}

/* ---- XXH64 ---- */

#define PRIME_1 0x9E3779B185EBCA87u
#define PRIME_2 0xC2B2AE3D27D4EB4Fu
#define PRIME_3 0x165667B19E3779F9u
#define PRIME_4 0x85EBCA77C2B2AE63u
#define PRIME_5 0x27D4EB2F165667C5u

static uint64_t rotate_64(uint64_t x, uint32_t n)
{
    return x << n | x >> (64 - n);
}

static uint64_t xx_round(uint64_t acc, uint64_t word)
{
    return rotate_64(acc + word * PRIME_2, 31) * PRIME_1;
}

static uint64_t xx_end(uint64_t hash)
{
    hash ^= hash >> 33;
    hash *= PRIME_2;
    hash ^= hash >> 29;
    hash *= PRIME_3;
    return hash ^ hash >> 32;
}

static uint64_t xx_int(uint32_t value, uint64_t seed)
{
    uint64_t hash = seed + PRIME_5 + 4;

    hash ^= value * PRIME_1;
    return xx_end(rotate_64(hash, 23) * PRIME_2 + PRIME_3);
}

static uint64_t xx_long(uint64_t value, uint64_t seed)
{
    uint64_t hash = seed + PRIME_5 + 8;

    hash ^= xx_round(0, value);
    return xx_end(rotate_64(hash, 27) * PRIME_1 + PRIME_4);
}

static uint64_t load_64(const unsigned char *data)
{
    uint64_t word;

    memcpy(&word, data, 8);
    return word;
}

static uint64_t xx_stripes(const unsigned char *data, size_t size, uint64_t seed)
{
    uint64_t v[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
    uint64_t hash;

    for (size_t at = 0; at + 32 <= size; at += 32) {
        for (uint32_t k = 0; k < 4; k++) {
            v[k] = xx_round(v[k], load_64(data + at + 8 * (size_t)k));
        }
    }
    hash = rotate_64(v[0], 1) + rotate_64(v[1], 7) + rotate_64(v[2], 12) + rotate_64(v[3], 18);
    for (uint32_t k = 0; k < 4; k++) {
        hash = (hash ^ xx_round(0, v[k])) * PRIME_1 + PRIME_4;
    }
    return hash;
}

uint64_t arus_xxhash64_bytes(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *bytes = data;
    size_t at = size / 32 * 32;
    uint64_t hash = size >= 32 ? xx_stripes(bytes, size, seed) : seed + PRIME_5;

    hash += size;
    for (; at + 8 <= size; at += 8) {
        hash ^= xx_round(0, load_64(bytes + at));
        hash = rotate_64(hash, 27) * PRIME_1 + PRIME_4;
    }
    if (at + 4 <= size) {
        uint32_t word;

        memcpy(&word, bytes + at, 4);
        hash ^= word * PRIME_1;
        hash = rotate_64(hash, 23) * PRIME_2 + PRIME_3;
        at += 4;
    }
    for (; at < size; at++) {
        hash ^= bytes[at] * PRIME_5;
        hash = rotate_64(hash, 11) * PRIME_1;
    }
    return xx_end(hash);
}

/* ---- values ---- */

/* A flat value as Spark sees it: 4 bytes, 8 bytes, or bytes. */
struct hashed {
    enum { HASH_INT, HASH_LONG, HASH_BYTES } kind;
    uint64_t number;
    const char *data;
    uint32_t size;
    char bytes[16];
};

/* A wide decimal: the shortest big-endian two's complement, as BigInteger.toByteArray. */
static void hash_wide(arus_int128 value, struct hashed *out)
{
    uint32_t size = 16;

    for (uint32_t b = 0; b < 16; b++) {
        out->bytes[15 - b] = (char)(value >> (8 * b));
    }
    while (size > 1) {
        const char first = out->bytes[16 - size];
        const char second = out->bytes[17 - size];

        if (!(first == 0 && second >= 0) && !(first == -1 && second < 0)) {
            break;
        }
        size--;
    }
    out->kind = HASH_BYTES;
    out->data = out->bytes + 16 - size;
    out->size = size;
}

static void hash_fraction(const struct arus_vector *vector, uint32_t row, struct hashed *out)
{
    if (vector->type->id == ARUS_TYPE_FLOAT) {
        float value = ((const float *)vector->values)[row];
        uint32_t bits = 0x7FC00000;

        value = value == 0 ? 0 : value;
        if (value == value) {
            memcpy(&bits, &value, sizeof bits);
        }
        out->number = bits;
    } else {
        double value = ((const double *)vector->values)[row];
        uint64_t bits = 0x7FF8000000000000u;

        value = value == 0 ? 0 : value;
        if (value == value) {
            memcpy(&bits, &value, sizeof bits);
        }
        out->kind = HASH_LONG;
        out->number = bits;
    }
}

static void hashed_of(const struct arus_vector *vector, uint32_t row, struct hashed *out)
{
    const struct arus_type *type = vector->type;

    out->kind = HASH_INT;
    if (arus_type_is_view(type)) {
        const struct arus_view *view = (const struct arus_view *)vector->values + row;

        out->kind = HASH_BYTES;
        out->data = view->data;
        out->size = view->size;
        return;
    }
    if (arus_type_is_fractional(type)) {
        hash_fraction(vector, row, out);
        return;
    }
    if (arus_type_is_wide(type)) {
        hash_wide(((const arus_int128 *)vector->values)[row], out);
        return;
    }
    switch (arus_type_value_size(type)) {
    case 1:
        out->number = (uint32_t)(int32_t)((const int8_t *)vector->values)[row];
        break;
    case 2:
        out->number = (uint32_t)(int32_t)((const int16_t *)vector->values)[row];
        break;
    case 4:
        out->number = ((const uint32_t *)vector->values)[row];
        break;
    default:
        out->kind = HASH_LONG;
        out->number = ((const uint64_t *)vector->values)[row];
        break;
    }
}

uint32_t arus_murmur3_value(const struct arus_vector *vector, uint32_t i, uint32_t seed)
{
    const uint32_t row = vector->form == ARUS_VECTOR_CONSTANT ? 0 : i;
    struct hashed value;

    if (!arus_vector_is_valid(vector, i)) {
        return seed;
    }
    if (vector->type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < vector->type->field_count; f++) {
            seed = arus_murmur3_value(&vector->children[f], row, seed);
        }
        return seed;
    }
    if (vector->type->id == ARUS_TYPE_ARRAY) {
        const struct arus_span span = ((const struct arus_span *)vector->values)[row];

        for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
            seed = arus_murmur3_value(&vector->children[0], j, seed);
        }
        return seed;
    }
    if (vector->type->id == ARUS_TYPE_INTERVAL) {
        const struct arus_interval parts = ((const struct arus_interval *)vector->values)[row];

        seed = murmur_int((uint32_t)parts.days, murmur_long((uint64_t)parts.micros, seed));
        return murmur_int((uint32_t)parts.months, seed);
    }
    hashed_of(vector, row, &value);
    return value.kind == HASH_INT    ? murmur_int((uint32_t)value.number, seed)
           : value.kind == HASH_LONG ? murmur_long(value.number, seed)
                                     : murmur_bytes(value.data, value.size, seed);
}

uint64_t arus_xxhash64_value(const struct arus_vector *vector, uint32_t i, uint64_t seed)
{
    const uint32_t row = vector->form == ARUS_VECTOR_CONSTANT ? 0 : i;
    struct hashed value;

    if (!arus_vector_is_valid(vector, i)) {
        return seed;
    }
    if (vector->type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < vector->type->field_count; f++) {
            seed = arus_xxhash64_value(&vector->children[f], row, seed);
        }
        return seed;
    }
    if (vector->type->id == ARUS_TYPE_ARRAY) {
        const struct arus_span span = ((const struct arus_span *)vector->values)[row];

        for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
            seed = arus_xxhash64_value(&vector->children[0], j, seed);
        }
        return seed;
    }
    if (vector->type->id == ARUS_TYPE_INTERVAL) {
        const struct arus_interval parts = ((const struct arus_interval *)vector->values)[row];

        seed = xx_int((uint32_t)parts.days, xx_long((uint64_t)parts.micros, seed));
        return xx_int((uint32_t)parts.months, seed);
    }
    hashed_of(vector, row, &value);
    return value.kind == HASH_INT    ? xx_int((uint32_t)value.number, seed)
           : value.kind == HASH_LONG ? xx_long(value.number, seed)
                                     : arus_xxhash64_bytes(value.data, value.size, seed);
}

/* Values that are hashed as one word of 64 bits. */
static bool is_long(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_BIGINT || type->id == ARUS_TYPE_TIMESTAMP ||
           type->id == ARUS_TYPE_TIMESTAMP_NTZ;
}

void arus_xxhash64_column(const struct arus_vector *vector, uint32_t row_count, uint64_t seed,
                          uint64_t *out)
{
    const uint64_t *longs = vector->values;

    if (vector->form == ARUS_VECTOR_FLAT && vector->validity == NULL && is_long(vector->type)) {
        for (uint32_t i = 0; i < row_count; i++) {
            out[i] = xx_long(longs[i], seed);
        }
        return;
    }
    for (uint32_t i = 0; i < row_count; i++) {
        out[i] = arus_xxhash64_value(vector, i, seed);
    }
}
