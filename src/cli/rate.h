/** Rows a second over the last seconds, and when the rest is done. */
#ifndef ARUS_CLI_RATE_H
#define ARUS_CLI_RATE_H

#include <stdint.h>

#define ARUS_RATE_SAMPLES 11 /* half a second apart: five seconds */

/** Zeroed = no sample. Fields belong to rate.c. */
struct arus_rate {
    int64_t times_ms[ARUS_RATE_SAMPLES]; /* a ring; `next` is the oldest once it is full */
    uint64_t rows[ARUS_RATE_SAMPLES];
    uint32_t count;
    uint32_t next;
};

/** Notes how many rows there are at a time; times rise. Notes closer than half a second are left
 * out. */
void arus_rate_note(struct arus_rate *rate, int64_t now_ms, uint64_t rows);
/** Rows a second since the oldest note, which is five seconds old at most; below 0: unknown. */
double arus_rate_per_second(const struct arus_rate *rate, int64_t now_ms, uint64_t rows);

/**
 * Milliseconds until `left` is done when `done` took `elapsed_ms`; INT64_MIN (ARUS_UNKNOWN) in the
 * first two seconds, and while nothing is done.
 */
int64_t arus_rate_eta_ms(double done, double left, int64_t elapsed_ms);

#endif
