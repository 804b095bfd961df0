/** The element of a rank without sorting: quickselect. */
#ifndef ARUS_EXPR_RANK_H
#define ARUS_EXPR_RANK_H

#include <stdint.h>

/** What would stand at `rank` (from 0, below `count`) of the sorted values: -0.0 below 0.0, NaN
 * greatest. The values change places. */
double arus_rank_select(double *values, uint64_t count, uint64_t rank);

#endif
