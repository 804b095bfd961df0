/** The fast path for x86-64 machines with AVX2; elsewhere the portable one under its name. */
#include "format/json_fast_internal.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define FAST(name)  name##_avx2
#define FAST_TARGET __attribute__((target("avx2,bmi,bmi2,lzcnt")))

#define FAST_MATCHES(step, at) matches_pattern((step), (at))
#define FAST_STRING_END(at)    string_end((at))

FAST_TARGET static inline bool matches_pattern(const struct json_step *step, const char *at)
{
    const __m256i found = _mm256_loadu_si256((const __m256i *)(const void *)at);
    const __m256i wanted = _mm256_loadu_si256((const __m256i *)(const void *)step->pattern);
    const uint32_t equal = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, wanted));

    return (~equal & step->mask) == 0;
}

FAST_TARGET static inline const char *string_end(const char *at)
{
    const __m256i quote = _mm256_set1_epi8('"');
    const __m256i slash = _mm256_set1_epi8('\\');
    const __m256i blank = _mm256_set1_epi8(' ');

    for (;; at += 32) {
        const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)at);
        /* Signed: bytes beyond ASCII are below the blank too. */
        const __m256i special = _mm256_or_si256(
            _mm256_cmpgt_epi8(blank, bytes),
            _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote), _mm256_cmpeq_epi8(bytes, slash)));
        const uint32_t found = (uint32_t)_mm256_movemask_epi8(special);

        if (found != 0) {
            return at + __builtin_ctz(found);
        }
    }
}

#include "format/json_fast.inc.h"
#include "format/json_walk.inc.h"

#else

const char *json_rows_avx2(struct json_fast *fast, const char *at, uint32_t *row, uint32_t row_max)
{
    return json_rows_portable(fast, at, row, row_max);
}

bool json_any_row_avx2(struct json_fast *fast, const char **at, uint32_t row)
{
    return json_any_row_portable(fast, at, row);
}

#endif
