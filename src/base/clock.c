/** clock_gettime, in units. */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

static int64_t now_us(clockid_t id)
{
    struct timespec now;

    (void)clock_gettime(id, &now); /* cannot fail for these two clocks */
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t arus_clock_wall_us(void)
{
    return now_us(CLOCK_REALTIME);
}

int64_t arus_clock_wall_ms(void)
{
    return now_us(CLOCK_REALTIME) / 1000;
}

int64_t arus_clock_monotonic_us(void)
{
    return now_us(CLOCK_MONOTONIC);
}

void arus_clock_sleep_us(int64_t duration_us)
{
    struct timespec left = {.tv_sec = duration_us / 1000000,
                            .tv_nsec = (duration_us % 1000000) * 1000};

    if (duration_us <= 0) {
        return;
    }
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

void arus_clock_local_time(int64_t wall_ms, char *out)
{
    const time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;

    if (localtime_r(&seconds, &parts) == NULL || strftime(out, 9, "%H:%M:%S", &parts) == 0) {
        out[0] = '\0';
    }
}
