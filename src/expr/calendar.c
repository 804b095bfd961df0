#include "expr/calendar.h"

#define HOUR   (3600 * ARUS_MICROS_PER_SECOND)
#define MINUTE (60 * ARUS_MICROS_PER_SECOND)

/* Days from year -32800 on count upwards from 0. */
#define NEAR_ERAS  82
#define NEAR_YEARS ((uint32_t)400 * NEAR_ERAS)
#define NEAR_SHIFT ((uint32_t)719468 + (uint32_t)NEAR_ERAS * 146097)
#define NEAR_LIMIT ((uint32_t)1 << 29) /* four times a day fits 32 bits */

ARUS_KERNEL static bool are_near(const int32_t *days, uint32_t count)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < count; i++) {
        all |= (uint32_t)days[i] + NEAR_SHIFT;
    }
    return all < NEAR_LIMIT;
}

struct near_date {
    uint32_t year, month, day;
};

/* The algorithm of arus_date_to_civil, in words of 32 bits. */
ARUS_INLINE struct near_date near_date_of(int32_t days)
{
    const uint32_t n = 4 * ((uint32_t)days + NEAR_SHIFT) + 3;
    const uint32_t century = n / 146097;
    const uint32_t in_century = (n % 146097) | 3;
    const uint64_t product = UINT64_C(2939745) * in_century;
    const uint32_t day_of_year = (uint32_t)product / 2939745 / 4;
    const uint32_t mixed = 2141 * day_of_year + 197913;
    const uint32_t is_next = day_of_year >= 306; /* January and February */

    return (struct near_date){
        .year = 100 * century + (uint32_t)(product >> 32) - NEAR_YEARS + is_next,
        .month = (mixed >> 16) - 12 * is_next,
        .day = (mixed & 0xFFFF) / 2141 + 1,
    };
}

#define NAME        years
#define FIELD(date) (date).year
#include "expr/calendar.inc.h"
#define NAME        quarters
#define FIELD(date) ((date).month + 2) / 3
#include "expr/calendar.inc.h"
#define NAME        months
#define FIELD(date) (date).month
#include "expr/calendar.inc.h"
#define NAME        month_days
#define FIELD(date) (date).day
#include "expr/calendar.inc.h"

/* `shift` + (Monday = 0, moved on by `turn` days). */
ARUS_KERNEL static void week_days(const int32_t *days, uint32_t count, uint32_t turn, int32_t shift,
                                  int32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from_least = (uint32_t)days[i] ^ 0x80000000u; /* 1970-01-01: 2 modulo 7 */

        out[i] = (int32_t)((from_least % 7 + 1 + turn) % 7) + shift;
    }
}

bool arus_calendar_field(enum arus_date_field field, const int32_t *days, uint32_t count,
                         int32_t *out)
{
    static void (*const FIELDS[ARUS_FIELD_DAY_OF_YEAR + 1])(const int32_t *, uint32_t,
                                                            int32_t *) = {
        [ARUS_FIELD_YEAR] = years,
        [ARUS_FIELD_QUARTER] = quarters,
        [ARUS_FIELD_MONTH] = months,
        [ARUS_FIELD_DAY] = month_days,
    };

    if (field == ARUS_FIELD_DAY_OF_WEEK) {
        week_days(days, count, 1, 1, out);
        return true;
    }
    if (field == ARUS_FIELD_WEEKDAY || field == ARUS_FIELD_DAY_OF_WEEK_ISO) {
        week_days(days, count, 0, field == ARUS_FIELD_DAY_OF_WEEK_ISO, out);
        return true;
    }
    if (FIELDS[field] == NULL || !are_near(days, count)) {
        return false;
    }
    FIELDS[field](days, count, out);
    return true;
}

/* ---- times ---- */

/* a modulo a constant unit, never negative. */
ARUS_INLINE int64_t rest_of(int64_t a, int64_t unit)
{
    const int64_t rest = a % unit;

    return rest + ((rest >> 63) & unit);
}

void arus_calendar_days(const int64_t *micros, int64_t offset, uint32_t count, int32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const int64_t local = (int64_t)((uint64_t)micros[i] + (uint64_t)offset);
        const int64_t days = local / ARUS_MICROS_PER_DAY;

        out[i] = (int32_t)(days + ((local - days * ARUS_MICROS_PER_DAY) >> 63));
    }
}

ARUS_KERNEL static bool shift_all(const int64_t *micros, int64_t shift, uint32_t count,
                                  int64_t *out)
{
    int64_t bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        const int64_t sum = (int64_t)((uint64_t)micros[i] + (uint64_t)shift);

        bad |= (micros[i] ^ sum) & (shift ^ sum); /* sign bit: overflow */
        out[i] = sum;
    }
    return bad >= 0;
}

bool arus_calendar_shift(const int64_t *micros, int64_t shift, uint32_t count, int64_t *out)
{
    return shift_all(micros, shift, count, out);
}

ARUS_INLINE void clock_of(const int64_t *micros, int64_t offset, uint32_t count, int32_t *out,
                          int64_t whole, int64_t unit)
{
    for (uint32_t i = 0; i < count; i++) {
        const int64_t local = (int64_t)((uint64_t)micros[i] + (uint64_t)offset);

        out[i] = (int32_t)((uint64_t)rest_of(local, whole) / (uint64_t)unit);
    }
}

void arus_calendar_clock(enum arus_calendar_clock hand, const int64_t *micros, int64_t offset,
                         uint32_t count, int32_t *out)
{
    switch (hand) {
    case ARUS_CLOCK_HOUR:
        clock_of(micros, offset, count, out, ARUS_MICROS_PER_DAY, HOUR);
        break;
    case ARUS_CLOCK_MINUTE:
        clock_of(micros, offset, count, out, HOUR, MINUTE);
        break;
    case ARUS_CLOCK_SECOND:
        clock_of(micros, offset, count, out, MINUTE, ARUS_MICROS_PER_SECOND);
        break;
    }
}

ARUS_INLINE void trunc_to(const int64_t *micros, int64_t offset, uint32_t count, int64_t *out,
                          int64_t unit)
{
    for (uint32_t i = 0; i < count; i++) {
        const int64_t local = (int64_t)((uint64_t)micros[i] + (uint64_t)offset);

        out[i] = (int64_t)((uint64_t)micros[i] - (uint64_t)rest_of(local, unit));
    }
}

bool arus_calendar_trunc(enum arus_trunc_unit unit, const int64_t *micros, int64_t offset,
                         uint32_t count, int64_t *out)
{
    switch (unit) {
    case ARUS_TRUNC_MILLISECOND:
        trunc_to(micros, offset, count, out, 1000);
        return true;
    case ARUS_TRUNC_SECOND:
        trunc_to(micros, offset, count, out, ARUS_MICROS_PER_SECOND);
        return true;
    case ARUS_TRUNC_MINUTE:
        trunc_to(micros, offset, count, out, MINUTE);
        return true;
    case ARUS_TRUNC_HOUR:
        trunc_to(micros, offset, count, out, HOUR);
        return true;
    case ARUS_TRUNC_DAY:
        trunc_to(micros, offset, count, out, ARUS_MICROS_PER_DAY);
        return true;
    case ARUS_TRUNC_MICROSECOND:
    case ARUS_TRUNC_WEEK:
    case ARUS_TRUNC_MONTH:
    case ARUS_TRUNC_QUARTER:
    case ARUS_TRUNC_YEAR:
    case ARUS_TRUNC_NONE:
        break;
    }
    return false;
}
