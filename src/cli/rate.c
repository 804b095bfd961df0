/** A ring of notes. */
#include "cli/rate.h"

#define GAP_MS       500
#define ETA_AFTER_MS 2000

static uint32_t newest(const struct arus_rate *rate)
{
    return (rate->next + ARUS_RATE_SAMPLES - 1) % ARUS_RATE_SAMPLES;
}

static uint32_t oldest(const struct arus_rate *rate)
{
    return rate->count < ARUS_RATE_SAMPLES ? 0 : rate->next;
}

void arus_rate_note(struct arus_rate *rate, int64_t now_ms, uint64_t rows)
{
    if (rate->count != 0 && now_ms - rate->times_ms[newest(rate)] < GAP_MS) {
        return;
    }
    rate->times_ms[rate->next] = now_ms;
    rate->rows[rate->next] = rows;
    rate->next = (rate->next + 1) % ARUS_RATE_SAMPLES;
    rate->count += rate->count < ARUS_RATE_SAMPLES;
}

double arus_rate_per_second(const struct arus_rate *rate, int64_t now_ms, uint64_t rows)
{
    const uint32_t first = oldest(rate);

    if (rate->count == 0 || now_ms <= rate->times_ms[first] || rows < rate->rows[first]) {
        return -1;
    }
    return (double)(rows - rate->rows[first]) * 1000 / (double)(now_ms - rate->times_ms[first]);
}

int64_t arus_rate_eta_ms(double done, double left, int64_t elapsed_ms)
{
    if (elapsed_ms < ETA_AFTER_MS || done <= 0 || left <= 0) {
        return INT64_MIN;
    }
    return (int64_t)((double)elapsed_ms * left / done);
}
