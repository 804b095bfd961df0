#include "expr/rank.h"

#include "expr/percentile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS_MAX = 128, /* good pivots need far fewer; then the rest is sorted */
    DIGIT_BITS = 13,  /* sign, exponent and the first bit behind it */
    DIGITS = 1 << DIGIT_BITS,
    COUNTED_MIN = 4096 /* fewer values are not counted by digits */
};

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

static unsigned digit_of(double value, unsigned shift)
{
    return (unsigned)(arus_double_key(value) >> shift) & (DIGITS - 1);
}

/* The values of one digit; *out has room for one more. */
static void take_digit(const double *values, uint64_t count, unsigned shift, unsigned digit,
                       double *out)
{
    uint64_t taken = 0;

    for (uint64_t i = 0; i < count; i++) {
        out[taken] = values[i];
        taken += digit_of(values[i], shift) == digit;
    }
}

/* Leaves those of the values near `rank` that have its digit; all before have the same bits. */
static enum arus_status narrow(struct arus_ranks *ranks, const double *values, unsigned shift,
                               uint64_t rank, struct arus_error *err)
{
    uint32_t counts[DIGITS] = {0};
    unsigned digit = 0;
    double *near;

    for (uint64_t i = 0; i < ranks->near_count; i++) {
        counts[digit_of(values[i], shift)]++;
    }
    while (ranks->near_begin + counts[digit] <= rank) {
        ranks->near_begin += counts[digit++];
    }
    ARUS_TRY(ARUS_NEW(ranks->arena, double, (size_t)counts[digit] + 1, &near, err));
    take_digit(values, ranks->near_count, shift, digit, near);
    ranks->near = near;
    ranks->near_count = counts[digit];
    return ARUS_OK;
}

static enum arus_status come_near(struct arus_ranks *ranks, uint64_t rank, struct arus_error *err)
{
    const double *values = ranks->values;
    unsigned shift = 64 - DIGIT_BITS;

    ranks->near_begin = 0;
    ranks->near_count = ranks->count;
    if (ranks->count < COUNTED_MIN) {
        ARUS_TRY(ARUS_NEW(ranks->arena, double, ranks->count, &ranks->near, err));
        memcpy(ranks->near, values, ranks->count * sizeof *values);
        return ARUS_OK;
    }
    do {
        ARUS_TRY(narrow(ranks, values, shift, rank, err));
        values = ranks->near;
        shift = shift < DIGIT_BITS ? 0 : shift - DIGIT_BITS;
    } while (ranks->near_count >= COUNTED_MIN && shift > 0);
    return ARUS_OK;
}

enum arus_status arus_ranks_at(struct arus_ranks *ranks, uint64_t rank, double *out,
                               struct arus_error *err)
{
    if (rank < ranks->near_begin || rank - ranks->near_begin >= ranks->near_count) {
        ARUS_TRY(come_near(ranks, rank, err));
    }
    *out = arus_rank_select(ranks->near, ranks->near_count, rank - ranks->near_begin);
    return ARUS_OK;
}
