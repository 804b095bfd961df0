/** XORShift and MT19937, seeded as Spark and its libraries seed them. */
#include "expr/random_generator.h"

#include <math.h>

/* ---- XORShift ---- */

static uint32_t rotate(uint32_t value, int by)
{
    return value << by | value >> (32 - by);
}

/* Murmur3 of a long's eight bytes, the highest first. */
static uint32_t murmur3_of_long(uint64_t value, uint32_t seed)
{
    uint32_t h = seed;

    for (int word = 1; word >= 0; word--) {
        uint32_t k = __builtin_bswap32((uint32_t)(value >> (32 * word)));

        k *= 0xcc9e2d51u;
        k = rotate(k, 15) * 0x1b873593u;
        h ^= k;
        h = rotate(h, 13) * 5 + 0xe6546b64u;
    }
    h ^= 8;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

void arus_xorshift_init(struct arus_xorshift *random, int64_t seed)
{
    const uint32_t low = murmur3_of_long((uint64_t)seed, 0x3c074a61u);
    const uint32_t high = murmur3_of_long((uint64_t)seed, low);

    *random = (struct arus_xorshift){.state = (int64_t)((uint64_t)high << 32 | low)};
}

static int32_t next(struct arus_xorshift *random, int bits)
{
    uint64_t state = (uint64_t)random->state;

    state ^= state << 21;
    state ^= state >> 35;
    state ^= state << 4;
    random->state = (int64_t)state;
    return (int32_t)(uint32_t)(state & (((uint64_t)1 << bits) - 1));
}

int32_t arus_xorshift_int(struct arus_xorshift *random)
{
    return next(random, 32);
}

double arus_xorshift_double(struct arus_xorshift *random)
{
    const int64_t high = (int64_t)next(random, 26) << 27;

    return (double)(high + next(random, 27)) * 0x1p-53;
}

double arus_xorshift_gaussian(struct arus_xorshift *random)
{
    double a;
    double b;
    double size;

    if (random->has_spare) {
        random->has_spare = false;
        return random->spare;
    }
    do { /* the polar method */
        a = 2 * arus_xorshift_double(random) - 1;
        b = 2 * arus_xorshift_double(random) - 1;
        size = a * a + b * b;
    } while (size >= 1 || size == 0);
    size = sqrt(-2 * log(size) / size);
    random->spare = b * size;
    random->has_spare = true;
    return a * size;
}

/* ---- MT19937 ---- */

enum { WORDS = ARUS_TWISTER_WORDS, AHEAD = 397 };

static void init_by_int(struct arus_twister *random, uint32_t seed)
{
    random->words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        const uint32_t last = random->words[i - 1];

        random->words[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    random->at = WORDS;
}

void arus_twister_init(struct arus_twister *random, int64_t seed)
{
    const uint32_t keys[2] = {(uint32_t)((uint64_t)seed >> 32), (uint32_t)seed};
    uint32_t *words = random->words;
    uint32_t i = 1;

    init_by_int(random, 19650218u);
    for (uint32_t k = 0; k < WORDS; k++) {
        words[i] =
            (words[i] ^ ((words[i - 1] ^ words[i - 1] >> 30) * 1664525u)) + keys[k % 2] + k % 2;
        if (++i == WORDS) {
            words[0] = words[WORDS - 1];
            i = 1;
        }
    }
    for (uint32_t k = 1; k < WORDS; k++) {
        words[i] = (words[i] ^ ((words[i - 1] ^ words[i - 1] >> 30) * 1566083941u)) - i;
        if (++i == WORDS) {
            words[0] = words[WORDS - 1];
            i = 1;
        }
    }
    words[0] = 0x80000000u;
}

static void twist(struct arus_twister *random)
{
    uint32_t *words = random->words;

    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t mixed = (words[i] & 0x80000000u) | (words[(i + 1) % WORDS] & 0x7fffffffu);

        words[i] = words[(i + AHEAD) % WORDS] ^ mixed >> 1 ^ ((mixed & 1) != 0 ? 0x9908b0dfu : 0);
    }
    random->at = 0;
}

uint32_t arus_twister_bits(struct arus_twister *random)
{
    uint32_t bits;

    if (random->at >= WORDS) {
        twist(random);
    }
    bits = random->words[random->at++];
    bits ^= bits >> 11;
    bits ^= bits << 7 & 0x9d2c5680u;
    bits ^= bits << 15 & 0xefc60000u;
    return bits ^ bits >> 18;
}

int32_t arus_twister_below(struct arus_twister *random, int32_t bound)
{
    int32_t bits;
    int32_t value;

    if ((bound & -bound) == bound) {
        return (int32_t)((int64_t)bound * (arus_twister_bits(random) >> 1) >> 31);
    }
    do {
        bits = (int32_t)(arus_twister_bits(random) >> 1);
        value = bits % bound;
    } while ((int64_t)bits - value + (bound - 1) > INT32_MAX);
    return value;
}
