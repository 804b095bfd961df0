/** Digits eight at a time. */
#ifndef ARUS_FORMAT_JSON_DIGITS_INTERNAL_H
#define ARUS_FORMAT_JSON_DIGITS_INTERNAL_H

#include <stdint.h>
#include <string.h>

#define DIGITS_8 0x3030303030303030u

static inline uint64_t load_8(const char *at)
{
    uint64_t bytes;

    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/* Marks bytes that are no digits; behind a byte beyond ASCII the marks mean nothing. */
static inline uint64_t other_bytes(uint64_t bytes)
{
    const uint64_t t = bytes ^ DIGITS_8;

    return ((t + 0x7676767676767676u) | t) & 0x8080808080808080u;
}

/* How many digits begin `bytes` (first character lowest): 0..8. */
static inline uint32_t digit_count(uint64_t bytes)
{
    const uint64_t others = other_bytes(bytes);

    return others == 0 ? 8 : (uint32_t)__builtin_ctzll(others) / 8;
}

#endif
