/** Whole columns against the functions of one value. */
#include "expr/calendar.h"

#include <criterion/criterion.h>

#define COUNT 500
#define HOUR  (3600 * ARUS_MICROS_PER_SECOND)

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 16;
}

static void expect_fields(const int32_t *days, bool may_refuse)
{
    static int32_t out[COUNT];

    for (int field = ARUS_FIELD_YEAR; field <= ARUS_FIELD_DAY_OF_YEAR; field++) {
        const enum arus_date_field wanted = (enum arus_date_field)field;
        const bool is_made = arus_calendar_field(wanted, days, COUNT, out);

        cr_assert(is_made || may_refuse || wanted == ARUS_FIELD_YEAR_OF_WEEK ||
                  wanted == ARUS_FIELD_WEEK || wanted == ARUS_FIELD_DAY_OF_YEAR);
        for (int i = 0; is_made && i < COUNT; i++) {
            cr_assert_eq(out[i], arus_date_field(days[i], wanted), "field %d of day %d", field,
                         days[i]);
        }
    }
}

Test(calendar, fields_of_near_and_far_days)
{
    static int32_t days[COUNT];
    uint64_t state = 7;

    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < COUNT; i++) {
            days[i] = (int32_t)(next_random(&state) % 24000000) - 12000000;
        }
        expect_fields(days, false);
    }
    for (int i = 0; i < COUNT; i++) {
        days[i] = i - COUNT / 2;
    }
    expect_fields(days, false);
    for (int i = 0; i < COUNT; i++) {
        days[i] = i < 10 ? INT32_MIN + i : i < 20 ? INT32_MAX - i : (int32_t)next_random(&state);
    }
    expect_fields(days, true);
}

static void expect_times(const int64_t *micros, const struct arus_zone *zone)
{
    static int64_t times[COUNT];
    static int32_t out[COUNT];
    int64_t offset;

    cr_assert(arus_zone_is_fixed(zone, &offset));
    arus_calendar_days(micros, offset, COUNT, out);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(out[i], arus_timestamp_days(micros[i] + offset));
    }
    arus_calendar_clock(ARUS_CLOCK_HOUR, micros, offset, COUNT, out);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(out[i], arus_timestamp_time(micros[i] + offset) / HOUR);
    }
    arus_calendar_clock(ARUS_CLOCK_SECOND, micros, offset, COUNT, out);
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(out[i], arus_timestamp_time(micros[i] + offset) / 1000000 % 60);
    }
    for (int unit = ARUS_TRUNC_YEAR; unit < ARUS_TRUNC_NONE; unit++) {
        if (!arus_calendar_trunc((enum arus_trunc_unit)unit, micros, offset, COUNT, times)) {
            continue;
        }
        for (int i = 0; i < COUNT; i++) {
            cr_assert_eq(times[i],
                         arus_timestamp_trunc(micros[i], (enum arus_trunc_unit)unit, zone),
                         "unit %d of %lld", unit, (long long)micros[i]);
        }
    }
}

Test(calendar, times_before_and_after_1970_in_fixed_zones)
{
    static int64_t micros[COUNT];
    struct arus_arena arena = {0};
    const struct arus_zone *zone;
    struct arus_error err;
    uint64_t state = 11;
    int64_t offset;

    arus_arena_init(&arena, 0);
    for (int i = 0; i < COUNT; i++) {
        micros[i] = (int64_t)next_random(&state) * (i % 2 == 0 ? 3 : -3);
    }
    micros[0] = 0;
    micros[1] = -1;
    expect_times(micros, ARUS_ZONE_UTC);
    cr_assert_eq(arus_zone_open(ARUS_TEXT("-07:30"), &arena, &zone, &err), ARUS_OK);
    expect_times(micros, zone);
    cr_assert_eq(arus_zone_open(ARUS_TEXT("Europe/Paris"), &arena, &zone, &err), ARUS_OK);
    cr_expect(!arus_zone_is_fixed(zone, &offset));
    arus_arena_release(&arena);
}

Test(calendar, a_shift_beyond_the_limits_is_refused)
{
    const int64_t micros[] = {0, INT64_MAX - 5, INT64_MIN + 5};
    int64_t out[3];

    cr_assert(arus_calendar_shift(micros, 5, 2, out));
    cr_expect_eq(out[0], 5);
    cr_expect_eq(out[1], INT64_MAX);
    cr_expect(!arus_calendar_shift(micros, 6, 2, out));
    cr_assert(arus_calendar_shift(micros + 2, -5, 1, out));
    cr_expect_eq(out[0], INT64_MIN);
    cr_expect(!arus_calendar_shift(micros, -6, 3, out));
}
