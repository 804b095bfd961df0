/** The random numbers of Spark: what a seed gives there it gives here (gaussians but for the last
 * digit). */
#ifndef ARUS_EXPR_RANDOM_GENERATOR_H
#define ARUS_EXPR_RANDOM_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

/** Spark's XORShiftRandom with the methods of java.util.Random. */
struct arus_xorshift {
    int64_t state;
    double spare; /* the second of two gaussians */
    bool has_spare;
};

void arus_xorshift_init(struct arus_xorshift *random, int64_t seed);
/** 32 random bits. */
int32_t arus_xorshift_int(struct arus_xorshift *random);
/** 0 <= x < 1 */
double arus_xorshift_double(struct arus_xorshift *random);
/** Mean 0, deviation 1. */
double arus_xorshift_gaussian(struct arus_xorshift *random);

#define ARUS_TWISTER_WORDS 624

/** MT19937 as commons-math makes it from a long. */
struct arus_twister {
    uint32_t words[ARUS_TWISTER_WORDS];
    uint32_t at;
};

void arus_twister_init(struct arus_twister *random, int64_t seed);
uint32_t arus_twister_bits(struct arus_twister *random);
/** 0 <= x < bound; bound > 0 */
int32_t arus_twister_below(struct arus_twister *random, int32_t bound);

#endif
