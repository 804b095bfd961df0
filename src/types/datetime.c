/** The calendar: days, fields, truncation, adding. Hinnant's algorithms on years that begin in
 * March. */
#include "types/datetime.h"

#define DAYS_PER_ERA   146097 /* 400 years */
#define EPOCH_SHIFT    719468 /* days from 0000-03-01 to 1970-01-01 */
#define MICROS         ARUS_MICROS_PER_SECOND
#define MICROS_PER_DAY ARUS_MICROS_PER_DAY

static int64_t days_from_civil(int64_t year, uint32_t month, uint32_t day)
{
    const int64_t y = year - (month <= 2);
    const int64_t era = (y >= 0 ? y : y - 399) / 400;
    const uint32_t year_of_era = (uint32_t)(y - era * 400);
    const uint32_t day_of_year =
        (153 * (month + (month > 2 ? UINT32_MAX - 2 : 9)) + 2) / 5 + day - 1;
    const uint32_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return era * DAYS_PER_ERA + (int64_t)day_of_era - EPOCH_SHIFT;
}

int32_t arus_date_from_civil(int32_t year, uint32_t month, uint32_t day)
{
    return (int32_t)days_from_civil(year, month, day);
}

/*
 * After Neri and Schneider, "Euclidean affine functions and their application to calendar
 * algorithms" (2022): years begin in March, divisions become multiplications.
 */
struct arus_civil arus_date_to_civil(int32_t days)
{
    enum { ERAS = 14705 }; /* makes every day positive */
    const uint64_t day = (uint64_t)((int64_t)days + EPOCH_SHIFT + (int64_t)ERAS * DAYS_PER_ERA);
    const uint64_t century = (4 * day + 3) / DAYS_PER_ERA;
    const uint32_t day_of_century = (uint32_t)((4 * day + 3) % DAYS_PER_ERA / 4);
    const uint64_t product = UINT64_C(2939745) * (4 * day_of_century + 3);
    const uint32_t day_of_year = (uint32_t)product / 2939745 / 4;
    const uint32_t mixed = 2141 * day_of_year + 197913;
    const uint32_t month = mixed >> 16;
    const bool is_next = day_of_year >= 306; /* January and February */

    return (struct arus_civil){
        .year =
            (int32_t)((int64_t)(100 * century + (product >> 32)) - 400 * (int64_t)ERAS + is_next),
        .month = (uint8_t)(is_next ? month - 12 : month),
        .day = (uint8_t)((mixed & 0xFFFF) / 2141 + 1),
    };
}

uint32_t arus_month_length(int64_t year, uint32_t month)
{
    static const uint8_t LENGTHS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return LENGTHS[month - 1] + (month == 2 && arus_year_is_leap(year));
}

bool arus_date_make(int64_t year, int64_t month, int64_t day, int32_t *out)
{
    int64_t days;

    if (month < 1 || month > 12 || day < 1 || year < -6000000 || year > 6000000 ||
        day > arus_month_length(year, (uint32_t)month)) {
        return false;
    }
    days = days_from_civil(year, (uint32_t)month, (uint32_t)day);
    *out = (int32_t)days;
    return days >= INT32_MIN && days <= INT32_MAX;
}

bool arus_timestamp_to_local(const struct arus_zone *zone, int64_t utc_micros, int64_t *out)
{
    return !__builtin_add_overflow(
        utc_micros, arus_zone_offset(zone, utc_micros) * ARUS_MICROS_PER_SECOND, out);
}

/* At the limits the clock has the offset of two days before. */
bool arus_timestamp_to_utc(const struct arus_zone *zone, int64_t local_micros, int64_t *out)
{
    const int64_t days = 2 * MICROS_PER_DAY;
    const int64_t inside = local_micros > INT64_MAX - days   ? INT64_MAX - days
                           : local_micros < INT64_MIN + days ? INT64_MIN + days
                                                             : local_micros;

    return !__builtin_sub_overflow(local_micros, inside - arus_zone_to_utc(zone, inside), out);
}

bool arus_date_to_timestamp(int32_t days, const struct arus_zone *zone, int64_t *out)
{
    int64_t local;

    if (__builtin_mul_overflow((int64_t)days, MICROS_PER_DAY, &local) ||
        local < INT64_MIN + 2 * MICROS_PER_DAY || local > INT64_MAX - 2 * MICROS_PER_DAY) {
        return false;
    }
    *out = arus_zone_to_utc(zone, local);
    return true;
}

/* ---- fields ---- */

/* Monday = 0. */
static int32_t weekday(int32_t days)
{
    const int32_t rest = (int32_t)(((int64_t)days + 3) % 7);

    return rest < 0 ? rest + 7 : rest;
}

/* The Thursday of a day's ISO week decides year and number. */
static struct arus_civil thursday_of(int32_t days, int32_t *week)
{
    const int32_t thursday = days - weekday(days) + 3;
    const struct arus_civil civil = arus_date_to_civil(thursday);

    *week = (thursday - arus_date_from_civil(civil.year, 1, 1)) / 7 + 1;
    return civil;
}

int32_t arus_date_field(int32_t days, enum arus_date_field field)
{
    const struct arus_civil civil = arus_date_to_civil(days);
    int32_t week;

    switch (field) {
    case ARUS_FIELD_YEAR:
        return civil.year;
    case ARUS_FIELD_YEAR_OF_WEEK:
        return thursday_of(days, &week).year;
    case ARUS_FIELD_QUARTER:
        return (civil.month + 2) / 3;
    case ARUS_FIELD_MONTH:
        return civil.month;
    case ARUS_FIELD_WEEK:
        (void)thursday_of(days, &week);
        return week;
    case ARUS_FIELD_DAY:
        return civil.day;
    case ARUS_FIELD_DAY_OF_WEEK:
        return (weekday(days) + 1) % 7 + 1;
    case ARUS_FIELD_WEEKDAY:
        return weekday(days);
    case ARUS_FIELD_DAY_OF_WEEK_ISO:
        return weekday(days) + 1;
    case ARUS_FIELD_DAY_OF_YEAR:
        return days - arus_date_from_civil(civil.year, 1, 1) + 1;
    }
    return 0;
}

int32_t arus_date_last_day(int32_t days)
{
    const struct arus_civil civil = arus_date_to_civil(days);

    return days + (int32_t)(arus_month_length(civil.year, civil.month) - civil.day);
}

bool arus_date_add_months(int32_t days, int64_t months, int32_t *out)
{
    const struct arus_civil civil = arus_date_to_civil(days);
    int64_t total;
    int64_t year;
    uint32_t month;
    uint32_t length;

    if (months < -INT64_C(200000000) || months > INT64_C(200000000)) {
        return false;
    }
    total = (int64_t)civil.year * 12 + civil.month - 1 + months;
    year = arus_floor_div(total, 12);
    month = (uint32_t)(total - year * 12) + 1;
    length = arus_month_length(year, month);
    return arus_date_make(year, month, civil.day < length ? civil.day : length, out);
}

int32_t arus_date_next_day(int32_t days, int32_t day)
{
    return days + 1 + (day - weekday(days) + 13) % 7;
}

int32_t arus_weekday_parse(struct arus_text name)
{
    static const char *const NAMES[] = {"MONDAY", "TUESDAY",  "WEDNESDAY", "THURSDAY",
                                        "FRIDAY", "SATURDAY", "SUNDAY"};

    for (int32_t i = 0; i < 7; i++) {
        const struct arus_text full = arus_text_of(NAMES[i]);

        if (name.size <= 3 && name.size >= 2 &&
            arus_text_equal_nocase(name, (struct arus_text){full.data, name.size})) {
            return i;
        }
        if (arus_text_equal_nocase(name, full)) {
            return i;
        }
    }
    return -1;
}

/* ---- truncation ---- */

enum arus_trunc_unit arus_trunc_unit_parse(struct arus_text name)
{
    static const struct {
        struct arus_text name;
        enum arus_trunc_unit unit;
    } NAMES[] = {
        {{"YEAR", 4}, ARUS_TRUNC_YEAR},
        {{"YYYY", 4}, ARUS_TRUNC_YEAR},
        {{"YY", 2}, ARUS_TRUNC_YEAR},
        {{"QUARTER", 7}, ARUS_TRUNC_QUARTER},
        {{"MONTH", 5}, ARUS_TRUNC_MONTH},
        {{"MM", 2}, ARUS_TRUNC_MONTH},
        {{"MON", 3}, ARUS_TRUNC_MONTH},
        {{"WEEK", 4}, ARUS_TRUNC_WEEK},
        {{"DAY", 3}, ARUS_TRUNC_DAY},
        {{"DD", 2}, ARUS_TRUNC_DAY},
        {{"HOUR", 4}, ARUS_TRUNC_HOUR},
        {{"MINUTE", 6}, ARUS_TRUNC_MINUTE},
        {{"SECOND", 6}, ARUS_TRUNC_SECOND},
        {{"MILLISECOND", 11}, ARUS_TRUNC_MILLISECOND},
        {{"MICROSECOND", 11}, ARUS_TRUNC_MICROSECOND},
    };

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (name.size == NAMES[i].name.size && arus_text_equal_nocase(name, NAMES[i].name)) {
            return NAMES[i].unit;
        }
    }
    return ARUS_TRUNC_NONE;
}

int32_t arus_date_trunc(int32_t days, enum arus_trunc_unit unit)
{
    const struct arus_civil civil = arus_date_to_civil(days);

    switch (unit) {
    case ARUS_TRUNC_YEAR:
        return arus_date_from_civil(civil.year, 1, 1);
    case ARUS_TRUNC_QUARTER:
        return arus_date_from_civil(civil.year, (civil.month - 1U) / 3 * 3 + 1, 1);
    case ARUS_TRUNC_MONTH:
        return days - civil.day + 1;
    case ARUS_TRUNC_WEEK:
        return days - weekday(days);
    case ARUS_TRUNC_DAY:
    case ARUS_TRUNC_HOUR:
    case ARUS_TRUNC_MINUTE:
    case ARUS_TRUNC_SECOND:
    case ARUS_TRUNC_MILLISECOND:
    case ARUS_TRUNC_MICROSECOND:
    case ARUS_TRUNC_NONE:
        return days;
    }
    return days;
}

static int64_t floor_to(int64_t micros, int64_t unit)
{
    return arus_floor_div(micros, unit) * unit;
}

int64_t arus_timestamp_trunc(int64_t utc_micros, enum arus_trunc_unit unit,
                             const struct arus_zone *zone)
{
    int64_t local;

    switch (unit) {
    case ARUS_TRUNC_MICROSECOND:
    case ARUS_TRUNC_NONE:
        return utc_micros;
    case ARUS_TRUNC_MILLISECOND:
        return floor_to(utc_micros, 1000);
    case ARUS_TRUNC_SECOND:
        return floor_to(utc_micros, MICROS);
    case ARUS_TRUNC_MINUTE: /* on the wall clock: old offsets have seconds */
    case ARUS_TRUNC_HOUR:
        return utc_micros - arus_wall_at(zone, utc_micros).time %
                                (unit == ARUS_TRUNC_HOUR ? 3600 * MICROS : 60 * MICROS);
    case ARUS_TRUNC_DAY:
    case ARUS_TRUNC_WEEK:
    case ARUS_TRUNC_MONTH:
    case ARUS_TRUNC_QUARTER:
    case ARUS_TRUNC_YEAR:
        local = arus_zone_to_local(zone, utc_micros);
        return arus_zone_to_utc(zone,
                                arus_date_trunc(arus_timestamp_days(local), unit) * MICROS_PER_DAY);
    }
    return utc_micros;
}

bool arus_timestamp_add(int64_t utc_micros, int32_t months, int32_t days, int64_t micros,
                        const struct arus_zone *zone, int64_t *out)
{
    int64_t result = utc_micros;

    if (months != 0 || days != 0) {
        const struct arus_wall wall = arus_wall_at(zone, utc_micros);
        int32_t date = wall.days;

        if (!arus_date_add_months(date, months, &date) ||
            __builtin_add_overflow(date, days, &date) ||
            __builtin_mul_overflow((int64_t)date, MICROS_PER_DAY, &result) ||
            __builtin_add_overflow(result, wall.time, &result)) {
            return false;
        }
        if (result < INT64_MIN + 2 * MICROS_PER_DAY || result > INT64_MAX - 2 * MICROS_PER_DAY) {
            return false;
        }
        result = arus_zone_to_utc(zone, result);
    }
    return !__builtin_add_overflow(result, micros, out);
}
