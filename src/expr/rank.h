/** The element of a rank without sorting: counted by its first bits, then quickselect. */
#ifndef ARUS_EXPR_RANK_H
#define ARUS_EXPR_RANK_H

#include "base/arena.h"

#include <stdint.h>

/** What would stand at `rank` (from 0, below `count`) of the sorted values: -0.0 below 0.0, NaN
 * greatest. The values change places. */
double arus_rank_select(double *values, uint64_t count, uint64_t rank);

/** Values that are asked for several ranks. Set the first three fields, the others zero. */
struct arus_ranks {
    const double *values; /* [count] stay as they are */
    uint64_t count;
    struct arus_arena *arena; /* of what is kept between two questions */
    double *near;             /* [near_count] those that a sort puts at near_begin and behind */
    uint64_t near_begin;
    uint64_t near_count;
};

/** What would stand at `rank`, as arus_rank_select; ranks beside each other are found together. */
ARUS_MUST_USE enum arus_status arus_ranks_at(struct arus_ranks *ranks, uint64_t rank, double *out,
                                             struct arus_error *err);

#endif
