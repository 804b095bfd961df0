#include "expr/percentile.h"
#include "expr/rank.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

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

/* Ranks of many values, counted by digits; asked for in any order. */
Test(rank, counts_what_sorting_would_put_there)
{
    static const uint64_t KEPT[] = {UINT64_MAX, 0xFFF0000000000FFF, 0x8000000000000003, 1};
    enum { MANY = 9000 };
    double *values = malloc(MANY * sizeof *values);
    double *sorted = malloc(MANY * sizeof *sorted);
    struct arus_arena arena = {0};
    struct arus_error err;
    uint64_t state = 4711;

    for (size_t shape = 0; shape < 4; shape++) { /* all bits, few of them, zeros, all the same */
        struct arus_ranks ranks = {.values = values, .count = MANY, .arena = &arena};

        for (size_t i = 0; i < MANY; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            memcpy(&values[i], &(uint64_t){state & KEPT[shape]}, sizeof *values);
        }
        memcpy(sorted, values, MANY * sizeof *values);
        qsort(sorted, MANY, sizeof *sorted, arus_double_compare);
        for (uint64_t i = 0; i < 200; i++) {
            const uint64_t rank = i % 3 == 0 ? i : state % MANY;
            double found;

            state = state * 6364136223846793005u + 1;
            cr_assert(eq(int, arus_ranks_at(&ranks, rank, &found, &err), ARUS_OK));
            cr_expect(arus_double_compare(&found, &sorted[rank]) == 0,
                      "shape %d: rank %d is %g, not %g", (int)shape, (int)rank, found,
                      sorted[rank]);
        }
    }
    arus_arena_release(&arena);
    free(values);
    free(sorted);
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
