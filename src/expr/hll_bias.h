/** HyperLogLog++: how far raw estimates are off, by precision 4..18. */
#ifndef ARUS_EXPR_HLL_BIAS_H
#define ARUS_EXPR_HLL_BIAS_H

#include <stdint.h>

#define ARUS_HLL_PRECISION_MIN 4
#define ARUS_HLL_PRECISION_MAX 18

struct arus_hll_bias {
    const double *estimates; /* [count] rising */
    const double *biases;    /* [count] */
    uint32_t count;
    double threshold; /* linear counting is better up to here */
};

extern const struct arus_hll_bias ARUS_HLL_BIASES[]; /* from precision 4 on */

#endif
