/** The time. Tests pass times in; only the edges (triggers, batch time, progress) ask here. */
#ifndef ARUS_BASE_CLOCK_H
#define ARUS_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/** Since 1970-01-01 UTC, by the wall clock, which may jump. */
int64_t arus_clock_wall_us(void);
int64_t arus_clock_wall_ms(void);
/** Since some fixed moment; never goes back. */
int64_t arus_clock_monotonic_us(void);
/** Sleeps, also over signals. */
void arus_clock_sleep_us(int64_t duration_us);
/** `HH:MM:SS` in the machine's zone, for texts about running processes. `out` has room for 9 bytes.
 */
void arus_clock_local_time(int64_t wall_ms, char *out);

#endif
