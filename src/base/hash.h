/** A fast 64-bit hash of bytes and numbers. Not for adversaries; the values are part of no file
 * format but the checksums of the journal (journal/store.c). */
#ifndef ARUS_BASE_HASH_H
#define ARUS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARUS_HASH_K0 UINT64_C(0x9e3779b97f4a7c15)
#define ARUS_HASH_K1 UINT64_C(0xe7037ed1a0b428db)
#define ARUS_HASH_K2 UINT64_C(0x8ebc6af09c88c6e3)

/** Both halves of the 128-bit product, folded: every input bit reaches every output bit. */
static inline uint64_t arus_hash_fold(uint64_t a, uint64_t b)
{
    __extension__ const unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/** Of a number. */
static inline uint64_t arus_hash_u64(uint64_t value)
{
    return arus_hash_fold(value ^ ARUS_HASH_K0, value ^ ARUS_HASH_K1) ^ value;
}

/** Of two hashes, in this order. */
static inline uint64_t arus_hash_mix(uint64_t a, uint64_t b)
{
    return arus_hash_fold(a ^ ARUS_HASH_K1, b ^ ARUS_HASH_K2);
}

static inline uint64_t arus_hash_load64(const uint8_t *data)
{
    uint64_t word;

    memcpy(&word, data, sizeof word);
    return word;
}

static inline uint64_t arus_hash_load32(const uint8_t *data)
{
    uint32_t word;

    memcpy(&word, data, sizeof word);
    return word;
}

/** More than 16 bytes: hash.c. */
uint64_t arus_hash_long(const void *data, size_t size, uint64_t seed);

/** Of bytes. Other seeds give independent hashes. `data` may be NULL when size is 0. */
static inline uint64_t arus_hash_bytes(const void *data, size_t size, uint64_t seed)
{
    const uint8_t *bytes = (const uint8_t *)data;
    uint64_t a = 0;
    uint64_t b = 0;

    if (size > 16) {
        return arus_hash_long(data, size, seed);
    }
    if (size >= 8) {
        a = arus_hash_load64(bytes);
        b = arus_hash_load64(bytes + size - 8);
    } else if (size >= 4) {
        a = arus_hash_load32(bytes);
        b = arus_hash_load32(bytes + size - 4);
    } else if (size > 0) {
        a = ((uint64_t)bytes[0] << 16) | ((uint64_t)bytes[size / 2] << 8) | bytes[size - 1];
    }
    return arus_hash_fold(ARUS_HASH_K1 ^ size ^ seed,
                          arus_hash_fold(a ^ ARUS_HASH_K0 ^ seed, b ^ ARUS_HASH_K2));
}

#endif
