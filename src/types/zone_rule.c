/** POSIX TZ strings: the rule that holds after a file's last transition. */
#include "types/datetime.h"
#include "types/zone_internal.h"

struct cursor {
    const char *at;
    const char *end;
};

static bool take(struct cursor *cursor, char c)
{
    if (cursor->at < cursor->end && *cursor->at == c) {
        cursor->at++;
        return true;
    }
    return false;
}

static bool take_number(struct cursor *cursor, int32_t *out)
{
    const char *begin = cursor->at;
    int32_t value = 0;

    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9' &&
           cursor->at - begin < 4) {
        value = value * 10 + (*cursor->at++ - '0');
    }
    *out = value;
    return cursor->at > begin;
}

/* `EST` or `<+03>`. */
static bool take_name(struct cursor *cursor)
{
    const char *begin = cursor->at;

    if (take(cursor, '<')) {
        while (cursor->at < cursor->end && *cursor->at != '>') {
            cursor->at++;
        }
        return take(cursor, '>');
    }
    while (cursor->at < cursor->end &&
           ((*cursor->at | 0x20) >= 'a' && (*cursor->at | 0x20) <= 'z')) {
        cursor->at++;
    }
    return cursor->at > begin;
}

/* `[+-]h[:mm[:ss]]` in seconds. */
static bool take_time(struct cursor *cursor, int32_t *out)
{
    const bool is_negative = take(cursor, '-');
    int32_t hours;
    int32_t minutes = 0;
    int32_t seconds = 0;

    if (!is_negative) {
        (void)take(cursor, '+');
    }
    if (!take_number(cursor, &hours) || (take(cursor, ':') && !take_number(cursor, &minutes)) ||
        (take(cursor, ':') && !take_number(cursor, &seconds))) {
        return false;
    }
    *out = hours * 3600 + minutes * 60 + seconds;
    *out = is_negative ? -*out : *out;
    return true;
}

static bool take_day(struct cursor *cursor, struct arus_zone_rule_day *out)
{
    int32_t month = 0;
    int32_t week = 0;
    int32_t day = 0;

    *out = (struct arus_zone_rule_day){.time = 7200};
    if (!take(cursor, ',')) {
        return false;
    }
    if (take(cursor, 'M')) {
        out->kind = 'M';
        if (!take_number(cursor, &month) || !take(cursor, '.') || !take_number(cursor, &week) ||
            !take(cursor, '.') || !take_number(cursor, &day)) {
            return false;
        }
        if (month < 1 || month > 12 || week < 1 || week > 5 || day > 6) {
            return false;
        }
    } else {
        out->kind = take(cursor, 'J') ? 'J' : 0;
        if (!take_number(cursor, &day) || day > 365) {
            return false;
        }
    }
    out->month = (uint8_t)month;
    out->week = (uint8_t)week;
    out->day = (uint16_t)day;
    return !take(cursor, '/') || take_time(cursor, &out->time);
}

bool arus_zone_rule_parse(struct arus_text text, struct arus_zone_rule *out)
{
    struct cursor cursor = {text.data, text.data + text.size};

    *out = (struct arus_zone_rule){0};
    if (!take_name(&cursor) || !take_time(&cursor, &out->standard)) {
        return false;
    }
    out->standard = -out->standard; /* POSIX counts west */
    if (cursor.at == cursor.end) {
        return true;
    }
    out->has_daylight = true;
    out->daylight = out->standard + 3600;
    if (!take_name(&cursor)) {
        return false;
    }
    if (cursor.at < cursor.end && *cursor.at != ',') {
        if (!take_time(&cursor, &out->daylight)) {
            return false;
        }
        out->daylight = -out->daylight;
    }
    return take_day(&cursor, &out->begin) && take_day(&cursor, &out->end) &&
           cursor.at == cursor.end;
}

/* Seconds from the epoch to the wall clock of the rule's moment. */
static int64_t wall_of(const struct arus_zone_rule_day *rule, int64_t year)
{
    int64_t days = arus_date_from_civil((int32_t)year, 1, 1);
    int64_t weekday;

    switch (rule->kind) {
    case 'M':
        days = arus_date_from_civil((int32_t)year, rule->month, 1);
        weekday = arus_floor_div(days + 4, 7); /* 1970-01-01 was a Thursday, Sunday = 0 */
        weekday = days + 4 - weekday * 7;
        days += (rule->day - weekday + 7) % 7 + INT64_C(7) * (rule->week - 1);
        if (days >= arus_date_from_civil((int32_t)year, rule->month, 1) +
                        (int64_t)arus_month_length(year, rule->month)) {
            days -= 7;
        }
        break;
    case 'J':
        days += rule->day - 1 + (arus_year_is_leap(year) && rule->day >= 60);
        break;
    default:
        days += rule->day;
        break;
    }
    return days * 86400 + rule->time;
}

void arus_zone_rule_year(const struct arus_zone_rule *rule, int64_t year, int64_t *begin,
                         int64_t *end)
{
    *begin = wall_of(&rule->begin, year) - rule->standard;
    *end = wall_of(&rule->end, year) - rule->daylight;
}
