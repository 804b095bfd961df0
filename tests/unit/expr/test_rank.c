#include "expr/percentile.h"
#include "expr/rank.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 300 };

/* Every rank of the values is what sorting puts there. */
static void expect_as_sorted(const double *values, uint64_t count, const char *what)
{
    double sorted[COUNT_MAX];
    double mixed[COUNT_MAX];

    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, arus_double_compare);
    memcpy(mixed, values, count * sizeof *values);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t rank = i * 7 % count; /* any order; the values have moved meanwhile */
        const double found = arus_rank_select(mixed, count, rank);

        cr_expect(arus_double_compare(&found, &sorted[rank]) == 0,
                  "%s: rank %d of %d is %g, not %g", what, (int)rank, (int)count, found,
                  sorted[rank]);
    }
}

Test(rank, selects_what_sorting_would_put_there)
{
    static const double SHAPES[] = {1, 2, 3, 7, 50, 1e9}; /* so many different values */
    double values[COUNT_MAX];
    uint64_t state = 88172645463325252U;

    for (size_t shape = 0; shape < sizeof SHAPES / sizeof *SHAPES; shape++) {
        for (uint64_t count = 1; count <= COUNT_MAX; count += 1 + count / 9) {
            for (uint64_t i = 0; i < count; i++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                values[i] = floor((double)(state >> 11) * 0x1p-53 * SHAPES[shape]) - 1;
                values[i] = state % 11 == 0   ? (double)NAN
                            : state % 13 == 0 ? -(double)INFINITY
                            : state % 5 == 0  ? -0.0
                                              : values[i];
            }
            expect_as_sorted(values, count, "random");
        }
    }
}

Test(rank, runs_and_slopes)
{
    double up[COUNT_MAX];
    double down[COUNT_MAX];
    double nothing[COUNT_MAX];

    for (int i = 0; i < COUNT_MAX; i++) {
        up[i] = i;
        down[i] = COUNT_MAX - i;
        nothing[i] = (double)NAN;
    }
    expect_as_sorted(up, COUNT_MAX, "up");
    expect_as_sorted(down, COUNT_MAX, "down");
    expect_as_sorted(nothing, COUNT_MAX, "no numbers");
}

Test(rank, many_doubles_are_sorted_as_comparing_sorts_them)
{
    static const double SPECIAL[] = {0.0, -0.0, 1.5, -1.5, INFINITY, -INFINITY, NAN, 5e-324};
    enum { MANY = 3000 };
    double *values = malloc(MANY * sizeof *values);
    double *sorted = malloc(MANY * sizeof *sorted);
    double *scratch = malloc(MANY * sizeof *scratch);

    for (uint64_t seed = 1; seed <= 40; seed++) {
        const size_t count = seed * 75;
        uint64_t state = seed * 0x9E3779B97F4A7C15u;

        for (size_t i = 0; i < count; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if (state % 4 == 0) {
                values[i] = SPECIAL[state / 4 % 8];
            } else if (state % 4 == 1) {
                values[i] = (double)(int64_t)(state >> 40) / 100 - 50000;
            } else {
                memcpy(&values[i], &state, sizeof state); /* any bits */
            }
        }
        memcpy(sorted, values, count * sizeof *values);
        qsort(sorted, count, sizeof *sorted, arus_double_compare);
        arus_doubles_sort(values, count, scratch);
        for (size_t i = 0; i < count; i++) {
            cr_assert_eq(arus_double_compare(&values[i], &sorted[i]), 0,
                         "seed %d: %g, not %g at %d", (int)seed, values[i], sorted[i], (int)i);
        }
    }
    free(values);
    free(sorted);
    free(scratch);
}
