/** Unsigned 256-bit arithmetic for exact decimal intermediates. */
#ifndef ARUS_TYPES_WIDE_H
#define ARUS_TYPES_WIDE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 arus_uint128;

struct arus_wide {
    arus_uint128 high;
    arus_uint128 low;
};

struct arus_wide arus_wide_multiply(arus_uint128 a, arus_uint128 b);
/** a * b; false: more than 256 bits. */
bool arus_wide_scale(struct arus_wide a, arus_uint128 b, struct arus_wide *out);
/** a + b, known to fit. */
struct arus_wide arus_wide_add(struct arus_wide a, struct arus_wide b);
/** a - b for a >= b. */
struct arus_wide arus_wide_subtract(struct arus_wide a, struct arus_wide b);
/** <0, 0, >0. */
int arus_wide_compare(struct arus_wide a, struct arus_wide b);
/** Quotient and remainder; divisor not 0. */
struct arus_wide arus_wide_divide(struct arus_wide a, arus_uint128 divisor,
                                  arus_uint128 *remainder);

#endif
