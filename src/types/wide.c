/** 256 bits as two halves; long division in base 2^64 (Knuth, algorithm D). */
#include "types/wide.h"

struct arus_wide arus_wide_multiply(arus_uint128 a, arus_uint128 b)
{
    const uint64_t a1 = (uint64_t)(a >> 64);
    const uint64_t a0 = (uint64_t)a;
    const uint64_t b1 = (uint64_t)(b >> 64);
    const uint64_t b0 = (uint64_t)b;
    const arus_uint128 low = (arus_uint128)a0 * b0;
    const arus_uint128 middle = (arus_uint128)a1 * b0 + (uint64_t)(low >> 64);
    const arus_uint128 other = (arus_uint128)a0 * b1 + (uint64_t)middle;

    return (struct arus_wide){
        .high = (arus_uint128)a1 * b1 + (middle >> 64) + (other >> 64),
        .low = (other << 64) | (uint64_t)low,
    };
}

struct arus_wide arus_wide_add(struct arus_wide a, struct arus_wide b)
{
    const arus_uint128 low = a.low + b.low;

    return (struct arus_wide){a.high + b.high + (low < a.low), low};
}

struct arus_wide arus_wide_subtract(struct arus_wide a, struct arus_wide b)
{
    return (struct arus_wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

int arus_wide_compare(struct arus_wide a, struct arus_wide b)
{
    if (a.high != b.high) {
        return a.high < b.high ? -1 : 1;
    }
    return (a.low > b.low) - (a.low < b.low);
}

bool arus_wide_scale(struct arus_wide a, arus_uint128 b, struct arus_wide *out)
{
    const struct arus_wide low = arus_wide_multiply(a.low, b);
    const struct arus_wide high = arus_wide_multiply(a.high, b);

    *out = (struct arus_wide){low.high + high.low, low.low};
    return high.high == 0 && out->high >= low.high;
}

static struct arus_wide divide_short(struct arus_wide a, uint64_t divisor, arus_uint128 *remainder)
{
    const uint64_t limbs[4] = {(uint64_t)(a.high >> 64), (uint64_t)a.high, (uint64_t)(a.low >> 64),
                               (uint64_t)a.low};
    uint64_t quotient[4];
    uint64_t rest = 0;

    for (int i = 0; i < 4; i++) {
        const arus_uint128 part = ((arus_uint128)rest << 64) | limbs[i];

        quotient[i] = (uint64_t)(part / divisor);
        rest = (uint64_t)(part % divisor);
    }
    *remainder = rest;
    return (struct arus_wide){((arus_uint128)quotient[0] << 64) | quotient[1],
                              ((arus_uint128)quotient[2] << 64) | quotient[3]};
}

/* One digit: (rest * 2^64 + next) / divisor for rest < divisor, the divisor's top bit set. */
static uint64_t divide_step(arus_uint128 *rest, uint64_t next, arus_uint128 divisor)
{
    const uint64_t d1 = (uint64_t)(divisor >> 64);
    const uint64_t d0 = (uint64_t)divisor;
    const uint64_t top = (uint64_t)(*rest >> 64);
    arus_uint128 digit = top >= d1 ? UINT64_MAX : *rest / d1;
    arus_uint128 left = *rest - digit * d1;
    arus_uint128 part;

    while (left >> 64 == 0 && digit * d0 > ((left << 64) | next)) {
        digit--;
        left += d1;
    }
    part = (*rest << 64) | next;
    *rest = part - digit * divisor; /* modulo 2^128, and the true rest is smaller */
    return (uint64_t)digit;
}

struct arus_wide arus_wide_divide(struct arus_wide a, arus_uint128 divisor, arus_uint128 *remainder)
{
    arus_uint128 rest;
    arus_uint128 quotient_high = 0;
    uint64_t high;
    uint64_t low;
    int shift;

    if (a.high == 0) {
        *remainder = a.low % divisor;
        return (struct arus_wide){0, a.low / divisor};
    }
    if (divisor >> 64 == 0) {
        return divide_short(a, (uint64_t)divisor, remainder);
    }
    if (a.high >= divisor) {
        quotient_high = a.high / divisor;
        a.high %= divisor;
    }
    shift = __builtin_clzll((uint64_t)(divisor >> 64));
    divisor <<= shift;
    rest = shift == 0 ? a.high : (a.high << shift) | (a.low >> (128 - shift));
    a.low <<= shift;
    high = divide_step(&rest, (uint64_t)(a.low >> 64), divisor);
    low = divide_step(&rest, (uint64_t)a.low, divisor);
    *remainder = rest >> shift;
    return (struct arus_wide){quotient_high, ((arus_uint128)high << 64) | low};
}
