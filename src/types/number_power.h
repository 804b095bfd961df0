/** Powers of ten as 128-bit significands, for shortest printing and exact reading of doubles. */
#ifndef ARUS_TYPES_NUMBER_POWER_H
#define ARUS_TYPES_NUMBER_POWER_H

#include <stdint.h>

#define ARUS_POWER_MIN   (-292)
#define ARUS_POWER_MAX   324
#define ARUS_POWER_EXACT 55 /* 10^0 .. 10^55 fit in 128 bits */

/** 10^k = (high * 2^64 + low) * 2^(floor(log2(10^k)) - 127), rounded up when it does not fit. */
struct arus_power {
    uint64_t high; /* top bit set */
    uint64_t low;
};

extern const struct arus_power ARUS_POWERS_OF_TEN[ARUS_POWER_MAX - ARUS_POWER_MIN + 1];

static inline struct arus_power arus_power_of_ten(int32_t k)
{
    return ARUS_POWERS_OF_TEN[k - ARUS_POWER_MIN];
}

/** The 128 bits of a product. */
static inline struct arus_power arus_multiply_wide(uint64_t a, uint64_t b)
{
    __extension__ const unsigned __int128 product = (unsigned __int128)a * b;

    return (struct arus_power){(uint64_t)(product >> 64), (uint64_t)product};
}

#endif
