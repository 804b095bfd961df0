/** Blocks of 64 bytes as bits: which bytes are like one, and where they are. */
#ifndef ARUS_FORMAT_BLOCK_INTERNAL_H
#define ARUS_FORMAT_BLOCK_INTERNAL_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if ARUS_HAS_AVX2_CODE
#include <immintrin.h>
#endif

#define BLOCK_ONES  0x0101010101010101ULL
#define BLOCK_HIGHS 0x8080808080808080ULL

/* Bit i: data[i] == byte, without any vector instruction. */
ARUS_INLINE uint64_t mask_portable(const char *data, char byte)
{
    uint64_t mask = 0;

    for (size_t i = 0; i < 8; i++) {
        uint64_t word;
        uint64_t hit;

        memcpy(&word, data + i * 8, sizeof word);
        word ^= BLOCK_ONES * (unsigned char)byte;
        hit = ~(((word & ~BLOCK_HIGHS) + ~BLOCK_HIGHS) | word | ~BLOCK_HIGHS);
        if (hit != 0) {
            mask |= (((hit >> 7) * 0x0102040810204080ULL) >> 56) << (i * 8);
        }
    }
    return mask;
}

ARUS_INLINE bool any_portable(const char *data, char a, char b)
{
    return (mask_portable(data, a) | mask_portable(data, b)) != 0;
}

ARUS_INLINE void flatten_portable(uint64_t bits, uint32_t base, uint32_t *out)
{
    while (bits != 0) {
        *out++ = base + (uint32_t)__builtin_ctzll(bits);
        bits &= bits - 1;
    }
}

#if ARUS_HAS_AVX2_CODE
ARUS_TARGET_AVX2 static inline uint64_t mask_avx2(const char *data, char byte)
{
    const __m256i wanted = _mm256_set1_epi8(byte);
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)data);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(data + 32));
    const uint32_t low_mask = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
    const uint32_t high_mask = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));

    return low_mask | (uint64_t)high_mask << 32;
}

ARUS_TARGET_AVX2 static inline bool any_avx2(const char *data, char a, char b)
{
    const __m256i first = _mm256_set1_epi8(a);
    const __m256i second = _mm256_set1_epi8(b);
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)data);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(data + 32));
    const __m256i any = _mm256_or_si256(
        _mm256_or_si256(_mm256_cmpeq_epi8(low, first), _mm256_cmpeq_epi8(low, second)),
        _mm256_or_si256(_mm256_cmpeq_epi8(high, first), _mm256_cmpeq_epi8(high, second)));

    return _mm256_testz_si256(any, any) == 0;
}

/* Eight at a time, whether there are so many or not: no branch to guess. Writes up to 8 too many.
 */
ARUS_TARGET_AVX2 static inline void flatten_avx2(uint64_t bits, uint32_t base, uint32_t *out)
{
    const uint32_t count = (uint32_t)__builtin_popcountll(bits);

    for (uint32_t done = 0; done < count; done += 8) {
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; i++) {
            out[done + i] = base + (uint32_t)_tzcnt_u64(bits);
            bits = _blsr_u64(bits);
        }
    }
}
#endif

#endif
