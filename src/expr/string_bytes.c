#define _GNU_SOURCE
#include "expr/string_bytes.h"

#include "expr/strings.h"
#include "types/utf8.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

#define BLOCK      ((size_t)16)
#define NEEDLE_MAX ((size_t)32) /* longer ones could be compared too often in vain */

/* Bit i: the first and the last byte of the needle stand where they do when it is at[i]. */
static inline uint32_t candidates(const char *at, struct arus_text needle)
{
    const __m128i first = _mm_set1_epi8(needle.data[0]);
    const __m128i last = _mm_set1_epi8(needle.data[needle.size - 1]);
    const __m128i begins = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i ends = _mm_loadu_si128((const __m128i *)(const void *)(at + needle.size - 1));

    return (uint32_t)_mm_movemask_epi8(
        _mm_and_si128(_mm_cmpeq_epi8(begins, first), _mm_cmpeq_epi8(ends, last)));
}

static const char *find_short(struct arus_text text, struct arus_text needle)
{
    const char *at = text.data;
    const char *last_block = text.data + (text.size - needle.size + 1) - BLOCK;

    for (;;) {
        for (uint32_t bits = candidates(at, needle); bits != 0; bits &= bits - 1) {
            const char *place = at + __builtin_ctz(bits);

            if (memcmp(place + 1, needle.data + 1, needle.size - 2) == 0) {
                return place;
            }
        }
        if (at == last_block) {
            return NULL;
        }
        at = (size_t)(last_block - at) < BLOCK ? last_block : at + BLOCK;
    }
}

static const char *find(struct arus_text text, struct arus_text needle)
{
    return needle.size >= 2 && needle.size <= NEEDLE_MAX && text.size - needle.size + 1 >= BLOCK
               ? find_short(text, needle)
               : memmem(text.data, text.size, needle.data, needle.size);
}
#else
static const char *find(struct arus_text text, struct arus_text needle)
{
    return memmem(text.data, text.size, needle.data, needle.size);
}
#endif

size_t arus_text_find(struct arus_text text, struct arus_text needle, size_t from)
{
    const char *found;

    if (needle.size == 0) {
        return from <= text.size ? from : ARUS_NOT_FOUND;
    }
    if (from >= text.size || text.size - from < needle.size) {
        return ARUS_NOT_FOUND;
    }
    found = find((struct arus_text){text.data + from, text.size - from}, needle);
    return found == NULL ? ARUS_NOT_FOUND : (size_t)(found - text.data);
}

size_t arus_text_find_last(struct arus_text text, struct arus_text needle, size_t end)
{
    if (needle.size > end) {
        return ARUS_NOT_FOUND;
    }
    for (size_t at = end - needle.size + 1; at-- > 0;) {
        if (memcmp(text.data + at, needle.data, needle.size) == 0) {
            return at;
        }
    }
    return ARUS_NOT_FOUND;
}

struct arus_view arus_view_code_points(struct arus_view view, int64_t begin, int64_t end)
{
    const struct arus_text text = arus_view_text(view);
    size_t from;
    size_t to;

    if (end <= begin || end <= 0) {
        return arus_view_empty();
    }
    from = begin <= 0 ? 0 : arus_utf8_offset(text, (size_t)begin);
    to = from + arus_utf8_offset((struct arus_text){text.data + from, text.size - from},
                                 (size_t)(end - (begin < 0 ? 0 : begin)));
    return arus_view_part(view, from, to - from);
}
