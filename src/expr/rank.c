#include "expr/rank.h"

#include "expr/percentile.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 128 }; /* good pivots need far fewer; then the rest is sorted */

static void swap_doubles(double *a, double *b)
{
    const double kept = *a;

    *a = *b;
    *b = kept;
}

static double middle_of(double a, double b, double c)
{
    const double low = a < b ? a : b;
    const double high = a < b ? b : a;

    return c < low ? low : c > high ? high : c;
}

/* NaNs behind the numbers; how many numbers there are. */
static uint64_t numbers_first(double *values, uint64_t count)
{
    uint64_t numbers = 0;

    while (numbers < count && !isnan(values[numbers])) {
        numbers++;
    }
    for (uint64_t i = numbers; i < count; i++) {
        if (!isnan(values[i])) {
            swap_doubles(&values[numbers++], &values[i]);
        }
    }
    return numbers;
}

/* Small ones of values[begin..end] in front, the rest behind; narrows to the part with `rank`. */
static void part(double *values, int64_t *begin, int64_t *end, int64_t rank)
{
    const double pivot =
        middle_of(values[*begin], values[*begin + (*end - *begin) / 2], values[*end]);
    int64_t i = *begin;
    int64_t j = *end;

    while (i <= j) {
        while (values[i] < pivot) {
            i++;
        }
        while (values[j] > pivot) {
            j--;
        }
        if (i <= j) {
            swap_doubles(&values[i++], &values[j--]);
        }
    }
    if (rank <= j) {
        *end = j;
    } else if (rank >= i) {
        *begin = i;
    } else { /* between them all are the pivot */
        *begin = rank;
        *end = rank;
    }
}

/* Zeros compare as equal; -0.0 stands below 0.0. */
static double zero_at(const double *values, uint64_t count, uint64_t rank)
{
    uint64_t lower = 0;

    for (uint64_t i = 0; i < count; i++) {
        lower += values[i] < 0 || (values[i] == 0 && signbit(values[i]) != 0);
    }
    return rank < lower ? -0.0 : 0.0;
}

double arus_rank_select(double *values, uint64_t count, uint64_t rank)
{
    const uint64_t numbers = numbers_first(values, count);
    int64_t begin = 0;
    int64_t end = (int64_t)numbers - 1;

    if (rank >= numbers) {
        return (double)NAN;
    }
    for (int round = 0; begin < end; round++) {
        if (round == ROUNDS_MAX) {
            qsort(values + begin, (size_t)(end - begin) + 1, sizeof *values, arus_double_compare);
            break;
        }
        part(values, &begin, &end, (int64_t)rank);
    }
    return values[rank] == 0 ? zero_at(values, numbers, rank) : values[rank];
}
