/** Dates and times: the proleptic Gregorian calendar, texts, fields, truncation. Nothing allocates.
 */
#ifndef ARUS_TYPES_DATETIME_H
#define ARUS_TYPES_DATETIME_H

#include "types/zone.h"

#include <stdbool.h>

#define ARUS_MICROS_PER_SECOND ((int64_t)1000000)
#define ARUS_MICROS_PER_DAY    ((int64_t)86400 * 1000000)

/** A day of the calendar. */
struct arus_civil {
    int32_t year;
    uint8_t month; /* 1..12 */
    uint8_t day;   /* 1..31 */
};

/** Days since 1970-01-01; the date must exist. Year within +-290,000 beyond int32 days is the
 * caller's care. */
int32_t arus_date_from_civil(int32_t year, uint32_t month, uint32_t day);
struct arus_civil arus_date_to_civil(int32_t days);
static inline bool arus_year_is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}
/** 28..31. */
uint32_t arus_month_length(int64_t year, uint32_t month);
/** False: no such day, or more days than int32 holds. */
bool arus_date_make(int64_t year, int64_t month, int64_t day, int32_t *out);

/** Floor division, also for negative numbers: days and time of day of a local timestamp. */
static inline int64_t arus_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
static inline int32_t arus_timestamp_days(int64_t local_micros)
{
    return (int32_t)arus_floor_div(local_micros, ARUS_MICROS_PER_DAY);
}
/** Microseconds since midnight, 0..86,399,999,999. */
static inline int64_t arus_timestamp_time(int64_t local_micros)
{
    const int64_t rest = local_micros % ARUS_MICROS_PER_DAY;

    return rest < 0 ? rest + ARUS_MICROS_PER_DAY : rest;
}
/** What a clock on the wall shows: also of instants that as local microseconds leave int64. */
struct arus_wall {
    int32_t days;
    int64_t time; /* microseconds since midnight, 0..86,399,999,999 */
};
/** `shift`: microseconds to add, less than a day. */
static inline struct arus_wall arus_wall_shift(int64_t micros, int64_t shift)
{
    struct arus_wall wall = {arus_timestamp_days(micros), arus_timestamp_time(micros) + shift};
    const int32_t step = (wall.time >= ARUS_MICROS_PER_DAY) - (wall.time < 0);

    wall.days += step;
    wall.time -= step * ARUS_MICROS_PER_DAY;
    return wall;
}
static inline struct arus_wall arus_wall_at(const struct arus_zone *zone, int64_t utc_micros)
{
    return arus_wall_shift(utc_micros, arus_zone_offset(zone, utc_micros) * ARUS_MICROS_PER_SECOND);
}
/** Instant <-> local microseconds. False: outside int64. */
bool arus_timestamp_to_local(const struct arus_zone *zone, int64_t utc_micros, int64_t *out);
bool arus_timestamp_to_utc(const struct arus_zone *zone, int64_t local_micros, int64_t *out);
/** Date in a zone -> instant (midnight there). False: outside int64. */
bool arus_date_to_timestamp(int32_t days, const struct arus_zone *zone, int64_t *out);

/* ---- text -> value; all trim (as CAST does) and return false for bad text ---- */

/** `[+-]yyyy[yyy][-[m]m[-[d]d]]`, after a full date ` ` or `T` and anything. */
bool arus_date_parse(struct arus_text text, int32_t *out);

struct arus_zone_cache;

/** What a timestamp text may need besides itself. */
struct arus_timestamp_context {
    const struct arus_zone *zone;  /* for texts without zone; TIMESTAMP_NTZ: unused */
    int64_t now;                   /* an instant: the day of a time alone (`10:20:30`) */
    struct arus_zone_cache *zones; /* zones named in texts; NULL: opened anew each time, slow */
};
/** CAST and readers alike: date, then ` ` or `T`, `h[:m[:s[.f]]]`, then after seconds a zone. */
bool arus_timestamp_parse(struct arus_text text, const struct arus_timestamp_context *context,
                          int64_t *out);
/** Wall clock. A zone in the text: dropped (CAST) or bad (readers). A time alone is bad. */
enum arus_ntz_zone { ARUS_NTZ_DROP_ZONE, ARUS_NTZ_REFUSE_ZONE };
bool arus_timestamp_ntz_parse(struct arus_text text, enum arus_ntz_zone zone, int64_t *out);
/** `epoch now today yesterday tomorrow` of typed literals, any case; false: none of them. */
bool arus_date_parse_special(struct arus_text text, int64_t now, const struct arus_zone *zone,
                             int32_t *out);
bool arus_timestamp_parse_special(struct arus_text text, int64_t now, const struct arus_zone *zone,
                                  int64_t *out);

/* ---- value -> text; return the size, no NUL ---- */

#define ARUS_DATE_TEXT_MAX      16
#define ARUS_TIMESTAMP_TEXT_MAX 36
/** `yyyy-MM-dd`, years beyond 9999 with `+`, negative with `-`. */
size_t arus_date_write(int32_t days, char *out);
/** `yyyy-MM-dd HH:mm:ss[.ffffff]`, trailing zeros dropped. */
size_t arus_wall_write(struct arus_wall wall, char *out);
size_t arus_timestamp_write(int64_t local_micros, char *out);
/** `yyyy-MM-ddTHH:mm:ss.SSS` and, with a zone offset, `Z` or `+hh:mm[:ss]`: the writers' default
 * format. */
size_t arus_wall_write_iso(struct arus_wall wall, char *out);
size_t arus_timestamp_write_iso(int64_t local_micros, char *out);
size_t arus_offset_write_iso(int32_t offset_seconds, char *out);

/* ---- fields and arithmetic ---- */

enum arus_date_field {
    ARUS_FIELD_YEAR,
    ARUS_FIELD_YEAR_OF_WEEK, /* ISO */
    ARUS_FIELD_QUARTER,
    ARUS_FIELD_MONTH,
    ARUS_FIELD_WEEK, /* ISO week of year */
    ARUS_FIELD_DAY,
    ARUS_FIELD_DAY_OF_WEEK,     /* Sunday = 1 */
    ARUS_FIELD_WEEKDAY,         /* Monday = 0 */
    ARUS_FIELD_DAY_OF_WEEK_ISO, /* Monday = 1 */
    ARUS_FIELD_DAY_OF_YEAR
};
int32_t arus_date_field(int32_t days, enum arus_date_field field);
/** Hour, minute, second of a local timestamp by arus_timestamp_time / units. */
int32_t arus_date_last_day(int32_t days);
/** Clamps to the last day of the month. False: outside int32. */
bool arus_date_add_months(int32_t days, int64_t months, int32_t *out);
/** `day` of the week (Monday = 0) strictly after `days`: next_day. */
int32_t arus_date_next_day(int32_t days, int32_t weekday);
/** Names of week days (`MO MON MONDAY` ..., any case): Monday = 0; -1: none. */
int32_t arus_weekday_parse(struct arus_text name);

enum arus_trunc_unit {
    ARUS_TRUNC_YEAR,
    ARUS_TRUNC_QUARTER,
    ARUS_TRUNC_MONTH,
    ARUS_TRUNC_WEEK,
    ARUS_TRUNC_DAY,
    ARUS_TRUNC_HOUR,
    ARUS_TRUNC_MINUTE,
    ARUS_TRUNC_SECOND,
    ARUS_TRUNC_MILLISECOND,
    ARUS_TRUNC_MICROSECOND,
    ARUS_TRUNC_NONE /* unknown name */
};
/** All names of sql-dialect 10, any case. */
enum arus_trunc_unit arus_trunc_unit_parse(struct arus_text name);
/** YEAR..WEEK (DAY: unchanged). */
int32_t arus_date_trunc(int32_t days, enum arus_trunc_unit unit);
/** On the wall clock of the zone. */
int64_t arus_timestamp_trunc(int64_t utc_micros, enum arus_trunc_unit unit,
                             const struct arus_zone *zone);
/** TIMESTAMP + interval: months on the wall clock, then days, then microseconds. False: overflow.
 */
bool arus_timestamp_add(int64_t utc_micros, int32_t months, int32_t days, int64_t micros,
                        const struct arus_zone *zone, int64_t *out);

#endif
