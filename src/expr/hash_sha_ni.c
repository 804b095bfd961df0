#include "expr/hash_sha_ni.h"

#include "base/attr.h"
#include "format/cpu.h"

#include <stdatomic.h>

#if ARUS_HAS_AVX2_CODE

#include <cpuid.h>
#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1,ssse3")))
#define HERE   __attribute__((target("sha,sse4.1,ssse3"), always_inline)) static inline

static bool ask_machine(void)
{
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;

    return arus_cpu_detect() != ARUS_CPU_PORTABLE && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (b & bit_SHA) != 0;
}

bool arus_sha_ni_is_here(void)
{
    static atomic_int known; /* 0: not asked yet, 1: no, 2: yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);

    if (answer == 0) {
        answer = ask_machine() ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

HERE __m128i load(const void *at)
{
    return _mm_loadu_si128(at);
}

/* ---- SHA-1 ---- */

/* The instruction takes the kind of round as a constant. */
HERE __m128i four_rounds(__m128i abcd, __m128i e, int kind)
{
    switch (kind) {
    case 0:
        return _mm_sha1rnds4_epu32(abcd, e, 0);
    case 1:
        return _mm_sha1rnds4_epu32(abcd, e, 1);
    case 2:
        return _mm_sha1rnds4_epu32(abcd, e, 2);
    default:
        return _mm_sha1rnds4_epu32(abcd, e, 3);
    }
}

TARGET void arus_sha1_block_ni(void *state, const uint8_t *block)
{
    const __m128i turn = _mm_set_epi64x(0x0001020304050607, 0x08090A0B0C0D0E0F);
    uint32_t *h = state;
    const __m128i first = _mm_shuffle_epi32(load(h), 0x1B);
    const __m128i first_e = _mm_set_epi32((int)h[4], 0, 0, 0);
    __m128i abcd = first;
    __m128i before = first_e;
    __m128i w[4];

    for (int i = 0; i < 4; i++) {
        w[i] = _mm_shuffle_epi8(load(block + 16 * i), turn);
    }
#pragma GCC unroll 20
    for (int i = 0; i < 20; i++) {
        const __m128i word = w[i % 4];
        const __m128i e = i == 0 ? _mm_add_epi32(before, word) : _mm_sha1nexte_epu32(before, word);

        before = abcd;
        abcd = four_rounds(abcd, e, i / 5);
        w[i % 4] = _mm_sha1msg2_epu32(
            _mm_xor_si128(_mm_sha1msg1_epu32(word, w[(i + 1) % 4]), w[(i + 2) % 4]),
            w[(i + 3) % 4]);
    }
    before = _mm_sha1nexte_epu32(before, first_e);
    _mm_storeu_si128(state, _mm_shuffle_epi32(_mm_add_epi32(abcd, first), 0x1B));
    h[4] = (uint32_t)_mm_extract_epi32(before, 3);
}

/* ---- SHA-256 ---- */

TARGET void arus_sha256_block_ni(void *state, const uint32_t k[64], const uint8_t *block)
{
    const __m128i turn = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
    uint32_t *h = state;
    const __m128i low = _mm_shuffle_epi32(load(h), 0xB1);
    const __m128i high = _mm_shuffle_epi32(load(h + 4), 0x1B);
    const __m128i first_abef = _mm_alignr_epi8(low, high, 8);
    const __m128i first_cdgh = _mm_blend_epi16(high, low, 0xF0);
    __m128i abef = first_abef;
    __m128i cdgh = first_cdgh;
    __m128i w[4];

    for (int i = 0; i < 4; i++) {
        w[i] = _mm_shuffle_epi8(load(block + 16 * i), turn);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        const __m128i word = w[i % 4];
        const __m128i last = w[(i + 3) % 4];
        const __m128i sum = _mm_add_epi32(word, load(k + 4 * i));

        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
        w[i % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(word, w[(i + 1) % 4]),
                                                      _mm_alignr_epi8(last, w[(i + 2) % 4], 4)),
                                        last);
    }
    abef = _mm_shuffle_epi32(_mm_add_epi32(abef, first_abef), 0x1B);
    cdgh = _mm_shuffle_epi32(_mm_add_epi32(cdgh, first_cdgh), 0xB1);
    _mm_storeu_si128((void *)h, _mm_blend_epi16(abef, cdgh, 0xF0));
    _mm_storeu_si128((void *)(h + 4), _mm_alignr_epi8(cdgh, abef, 8));
}

#else

bool arus_sha_ni_is_here(void)
{
    return false;
}

void arus_sha1_block_ni(void *state, const uint8_t *block)
{
    (void)state;
    (void)block;
}

void arus_sha256_block_ni(void *state, const uint32_t k[64], const uint8_t *block)
{
    (void)state;
    (void)k;
    (void)block;
}

#endif
