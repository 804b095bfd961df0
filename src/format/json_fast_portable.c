/** The fast path for any machine: eight bytes at a time. */
#include "format/json_fast_internal.h"

#define ONES       0x0101010101010101u
#define HIGH_BITS  0x8080808080808080u
#define FAST(name) name##_portable
#define FAST_TARGET

#define FAST_MATCHES(step, at) matches_bytes((step), (at))
#define FAST_STRING_END(at)    string_end((at))

static inline bool matches_bytes(const struct json_step *step, const char *at)
{
    return memcmp(step->text, at,
                  step->size < JSON_PATTERN_SIZE ? step->size : JSON_PATTERN_SIZE) == 0;
}

static inline bool is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

/* May mark bytes behind the first special one, never one too late. */
static inline uint64_t specials(uint64_t bytes)
{
    const uint64_t quotes = bytes ^ (ONES * '"');
    const uint64_t slashes = bytes ^ (ONES * '\\');

    return (bytes | (bytes - ONES * ' ') | ((quotes - ONES) & ~quotes) |
            ((slashes - ONES) & ~slashes)) &
           HIGH_BITS;
}

static inline const char *string_end(const char *at)
{
    uint64_t bytes;

    for (;;) {
        memcpy(&bytes, at, sizeof bytes);
        if (specials(bytes) != 0) {
            break;
        }
        at += 8;
    }
    while (is_plain((unsigned char)*at)) {
        at++;
    }
    return at;
}

#include "format/json_fast.inc.h"
#include "format/json_walk.inc.h"
