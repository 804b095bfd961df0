/** Dates and timestamps <-> text, as Spark's stringToDate and stringToTimestamp read them. */
#include "types/datetime.h"
#include "types/number_text.h"

#define MICROS         ARUS_MICROS_PER_SECOND
#define MICROS_PER_DAY ARUS_MICROS_PER_DAY
#define HIGH_BITS      0x8080808080808080U
#define DAYS_TO_EPOCH  (719163 + 146097) /* from -0400-12-31 */

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* ---- dates ---- */

/* A run of digits within bounds; *at moves behind it. */
static bool take_segment(const char **at, const char *end, int32_t least, int32_t most,
                         int32_t *out)
{
    const char *begin = *at;
    int32_t value = 0;

    while (*at < end && is_digit(**at)) {
        if (*at - begin >= most) {
            return false;
        }
        value = value * 10 + (**at - '0');
        (*at)++;
    }
    *out = value;
    return *at - begin >= least;
}

static bool is_separator(char c)
{
    return c == ' ' || c == 'T';
}

bool arus_date_parse(struct arus_text text, int32_t *out)
{
    const struct arus_text word = arus_text_trim(text);
    const char *at = word.data;
    const char *end = at + word.size;
    int32_t year;
    int32_t month = 1;
    int32_t day = 1;
    bool is_negative;

    if (word.size == 0) {
        return false;
    }
    is_negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (!take_segment(&at, end, 4, 7, &year)) {
        return false;
    }
    if (at < end) {
        if (*at++ != '-' || !take_segment(&at, end, 1, 2, &month)) {
            return false;
        }
    }
    if (at < end) {
        if (*at++ != '-' || !take_segment(&at, end, 1, 2, &day) ||
            (at < end && !is_separator(*at))) {
            return false;
        }
    }
    return arus_date_make(is_negative ? -year : year, month, day, out);
}

/* ---- timestamps: the common form ---- */

static uint64_t load(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/* Every byte of `word` at most the same byte of `most`, which is below 0x80? */
static bool is_within(uint64_t word, uint64_t most)
{
    return ((most + HIGH_BITS - word) & ~word & HIGH_BITS) == HIGH_BITS;
}

static uint32_t two(uint64_t word, int byte)
{
    return (uint32_t)(word >> (8 * byte) & 0xFF) * 10 + (uint32_t)(word >> (8 * byte + 8) & 0xFF);
}

struct moment {
    int32_t days;
    int64_t time; /* microseconds of the day */
};

/* arus_date_make for years 0..9999, from a table of the days before each month. */
static bool make_days(uint32_t year, uint32_t month, uint32_t day, int32_t *out)
{
    static const uint16_t BEFORE[2][14] = {
        {0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365},
        {0, 0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366}};
    const uint32_t century = year / 100;
    const bool is_leap = (year & 3) == 0 && (year != century * 100 || (century & 3) == 0);
    const uint32_t past = year + 399; /* the years before, counted from -400 */

    if (month - 1 > 11 ||
        day - 1 >= (uint32_t)(BEFORE[is_leap][month + 1] - BEFORE[is_leap][month])) {
        return false;
    }
    *out =
        (int32_t)(past * 365 + past / 4 - past / 100 + past / 400 + BEFORE[is_leap][month] + day) -
        DAYS_TO_EPOCH;
    return true;
}

/* `yyyy-MM-dd?HH:mm:ss` in 19 bytes, ? one of ` ` and `T`. */
static bool parse_fixed(const char *at, struct moment *out)
{
    const uint64_t date = load(at) ^ 0x2D30302D30303030U;       /* 0000-00- */
    const uint64_t clock = load(at + 11) ^ 0x30303A30303A3030U; /* 00:00:00 */
    const uint32_t day = (uint32_t)(unsigned char)(at[8] - '0') * 10 + (unsigned char)(at[9] - '0');
    const uint32_t year = two(date, 0) * 100 + two(date, 2);
    const uint32_t month = two(date, 5);
    const uint32_t hour = two(clock, 0);
    const uint32_t minute = two(clock, 3);
    const uint32_t second = two(clock, 6);

    if (!is_within(date, 0x0009090009090909U) || !is_within(clock, 0x0909000909000909U) ||
        !is_digit(at[8]) || !is_digit(at[9]) || !is_separator(at[10]) || hour > 23 || minute > 59 ||
        second > 59) {
        return false;
    }
    out->time = (int64_t)(hour * 3600 + minute * 60 + second) * MICROS;
    return make_days(year, month, day, &out->days);
}

/* Digits behind a point as microseconds; more than six are cut. */
static const char *take_fraction(const char *at, const char *end, int64_t *micros)
{
    int64_t value = 0;
    int32_t count = 0;

    for (; at < end && is_digit(*at); at++) {
        if (count < 6) {
            value = value * 10 + (*at - '0');
            count++;
        }
    }
    for (; count < 6; count++) {
        value *= 10;
    }
    *micros = value;
    return at;
}

/* ---- timestamps: any form ---- */

struct parsed {
    struct moment moment;
    struct arus_text zone; /* trimmed; data NULL: none */
    bool is_time_only;
};

/* `h[:m[:s[.f][zone]]]`; true when all of the text was read. */
static bool parse_time(const char *at, const char *end, struct parsed *out)
{
    int32_t hour;
    int32_t minute = 0;
    int32_t second = 0;
    int64_t micros = 0;

    if (!take_segment(&at, end, 1, 2, &hour)) {
        return false;
    }
    if (at < end) {
        if (*at++ != ':' || !take_segment(&at, end, 1, 2, &minute)) {
            return false;
        }
    }
    if (at < end) {
        if (*at++ != ':' || !take_segment(&at, end, 1, 2, &second)) {
            return false;
        }
        if (at < end && *at == '.') {
            at = take_fraction(at + 1, end, &micros);
        }
        if (at < end) {
            out->zone = arus_text_trim((struct arus_text){at, (size_t)(end - at)});
        }
    }
    if (hour > 23 || minute > 59 || second > 59) {
        return false;
    }
    out->moment.time = (hour * INT64_C(3600) + minute * INT64_C(60) + second) * MICROS + micros;
    return true;
}

static bool is_time(struct arus_text text)
{
    return (text.size > 1 && text.data[1] == ':' && is_digit(*text.data)) ||
           (text.size > 2 && text.data[2] == ':' && is_digit(*text.data) && is_digit(text.data[1]));
}

static bool parse_any(struct arus_text text, struct parsed *out)
{
    const char *at = text.data;
    const char *end = at + text.size;
    int32_t year;
    int32_t month = 1;
    int32_t day = 1;
    bool is_negative;

    *out = (struct parsed){.is_time_only = *at == 'T' || is_time(text)};
    if (out->is_time_only) {
        return parse_time(at + (*at == 'T'), end, out);
    }
    is_negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (!take_segment(&at, end, 4, 6, &year)) {
        return false;
    }
    if (at < end && (*at++ != '-' || !take_segment(&at, end, 1, 2, &month))) {
        return false;
    }
    if (at < end && (*at++ != '-' || !take_segment(&at, end, 1, 2, &day))) {
        return false;
    }
    if (at < end && (!is_separator(*at) || !parse_time(at + 1, end, out))) {
        return false;
    }
    return arus_date_make(is_negative ? -year : year, month, day, &out->moment.days);
}

/* Counts from the nearer midnight, so that the first day of int64 has its hours too. */
static bool to_local(const struct moment *moment, int64_t *out)
{
    const bool is_before = moment->days < 0;

    return !__builtin_mul_overflow((int64_t)moment->days + is_before, MICROS_PER_DAY, out) &&
           !__builtin_add_overflow(*out, moment->time - is_before * MICROS_PER_DAY, out);
}

/* An instant from a wall clock; the local time may lie at the ends of int64. */
static bool to_instant(int64_t local, const struct arus_zone *zone, int64_t *out)
{
    if (local < INT64_MIN + 2 * MICROS_PER_DAY || local > INT64_MAX - 2 * MICROS_PER_DAY) {
        return !__builtin_sub_overflow(local,
                                       arus_zone_offset(zone, local) * ARUS_MICROS_PER_SECOND, out);
    }
    *out = arus_zone_to_utc(zone, local);
    return true;
}

static int32_t today(int64_t now, const struct arus_zone *zone)
{
    return arus_timestamp_days(arus_zone_to_local(zone, now));
}

static bool finish(struct parsed *parsed, const struct arus_timestamp_context *context,
                   const struct arus_zone *zone, int64_t *out)
{
    int64_t local;

    if (parsed->is_time_only) {
        parsed->moment.days = today(context->now, zone);
    }
    return to_local(&parsed->moment, &local) && to_instant(local, zone, out);
}

/* The text names a zone that is not a plain offset. */
static bool finish_region(struct parsed *parsed, const struct arus_timestamp_context *context,
                          int64_t *out)
{
    struct arus_zone_cache once = {0};
    struct arus_arena scratch = {0};
    const struct arus_zone *zone;
    bool is_done;

    if (context->zones != NULL) {
        zone = arus_zone_cache_find(context->zones, parsed->zone);
        return zone != NULL && finish(parsed, context, zone, out);
    }
    once.arena = &scratch;
    zone = arus_zone_cache_find(&once, parsed->zone);
    is_done = zone != NULL && finish(parsed, context, zone, out);
    arus_arena_release(&scratch);
    return is_done;
}

static bool finish_offset(struct parsed *parsed, const struct arus_timestamp_context *context,
                          int32_t offset, int64_t *out)
{
    const int64_t shift = offset * MICROS;
    int64_t local;

    if (parsed->is_time_only) {
        parsed->moment.days = arus_timestamp_days(context->now + shift);
    }
    return to_local(&parsed->moment, &local) && !__builtin_sub_overflow(local, shift, out);
}

static bool parse_slow(struct arus_text text, const struct arus_timestamp_context *context,
                       int64_t *out)
{
    const struct arus_text word = arus_text_trim(text);
    struct parsed parsed;
    int32_t offset;

    if (word.size == 0 || !parse_any(word, &parsed)) {
        return false;
    }
    if (parsed.zone.data == NULL) {
        return finish(&parsed, context, context->zone, out);
    }
    return arus_zone_parse_offset(parsed.zone, &offset)
               ? finish_offset(&parsed, context, offset, out)
               : finish_region(&parsed, context, out);
}

bool arus_timestamp_parse(struct arus_text text, const struct arus_timestamp_context *context,
                          int64_t *out)
{
    const char *end = text.data + text.size;
    struct moment moment;
    const char *at;
    int64_t micros = 0;

    if (text.size < 19 || !parse_fixed(text.data, &moment)) {
        return parse_slow(text, context, out);
    }
    at = text.data + 19;
    if (end - at >= 5 && *at == '.' && at[4] == 'Z' && is_digit(at[1]) && is_digit(at[2]) &&
        is_digit(at[3])) {
        micros = INT64_C(1000) * ((at[1] - '0') * 100 + (at[2] - '0') * 10 + (at[3] - '0'));
        at += 4;
    } else if (at < end && *at == '.') {
        at = take_fraction(at + 1, end, &micros);
    }
    micros += moment.days * MICROS_PER_DAY + moment.time;
    if (at == end) {
        *out = arus_zone_to_utc(context->zone, micros);
        return true;
    }
    if (end - at == 1 && *at == 'Z') {
        *out = micros;
        return true;
    }
    return parse_slow(text, context, out);
}

bool arus_timestamp_ntz_parse(struct arus_text text, enum arus_ntz_zone zone, int64_t *out)
{
    const struct arus_text word = arus_text_trim(text);
    struct parsed parsed;
    int32_t offset;

    if (word.size == 0 || !parse_any(word, &parsed) || parsed.is_time_only) {
        return false;
    }
    if (parsed.zone.data != NULL) {
        const struct arus_timestamp_context context = {.zone = ARUS_ZONE_UTC};

        if (zone == ARUS_NTZ_REFUSE_ZONE) {
            return false;
        }
        if (!arus_zone_parse_offset(parsed.zone, &offset) &&
            !finish_region(&parsed, &context, out)) {
            return false;
        }
    }
    return to_local(&parsed.moment, out);
}

/* ---- special words ---- */

bool arus_date_parse_special(struct arus_text text, int64_t now, const struct arus_zone *zone,
                             int32_t *out)
{
    const struct arus_text word = arus_text_trim(text);
    const int32_t day = today(now, zone);

    if (arus_text_equal_nocase(word, ARUS_TEXT("epoch"))) {
        *out = 0;
    } else if (arus_text_equal_nocase(word, ARUS_TEXT("now")) ||
               arus_text_equal_nocase(word, ARUS_TEXT("today"))) {
        *out = day;
    } else if (arus_text_equal_nocase(word, ARUS_TEXT("yesterday"))) {
        *out = day - 1;
    } else if (arus_text_equal_nocase(word, ARUS_TEXT("tomorrow"))) {
        *out = day + 1;
    } else {
        return false;
    }
    return true;
}

bool arus_timestamp_parse_special(struct arus_text text, int64_t now, const struct arus_zone *zone,
                                  int64_t *out)
{
    const struct arus_text word = arus_text_trim(text);
    int32_t days;

    if (!arus_date_parse_special(word, now, zone, &days)) {
        return false;
    }
    if (arus_text_equal_nocase(word, ARUS_TEXT("epoch"))) {
        *out = 0;
        return true;
    }
    if (arus_text_equal_nocase(word, ARUS_TEXT("now"))) {
        *out = now;
        return true;
    }
    return arus_date_to_timestamp(days, zone, out);
}

/* ---- writing ---- */

static void write_two(uint32_t value, char *out)
{
    out[0] = (char)('0' + value / 10);
    out[1] = (char)('0' + value % 10);
}

static size_t write_year(int32_t year, char *out)
{
    const uint32_t size = year < 0 ? -(uint32_t)year : (uint32_t)year;
    size_t at = 0;

    if (year < 0 || year > 9999) {
        out[at++] = year < 0 ? '-' : '+';
    }
    if (size > 9999) {
        return at + arus_uint64_write(size, out + at);
    }
    write_two(size / 100, out + at);
    write_two(size % 100, out + at + 2);
    return at + 4;
}

size_t arus_date_write(int32_t days, char *out)
{
    const struct arus_civil civil = arus_date_to_civil(days);
    const size_t size = write_year(civil.year, out);

    out[size] = '-';
    write_two(civil.month, out + size + 1);
    out[size + 3] = '-';
    write_two(civil.day, out + size + 4);
    return size + 6;
}

/* `yyyy-MM-dd?HH:mm:ss` */
static size_t write_seconds(struct arus_wall wall, char separator, char *out)
{
    const uint32_t second = (uint32_t)(wall.time / MICROS);
    const size_t size = arus_date_write(wall.days, out);

    out[size] = separator;
    write_two(second / 3600, out + size + 1);
    out[size + 3] = ':';
    write_two(second / 60 % 60, out + size + 4);
    out[size + 6] = ':';
    write_two(second % 60, out + size + 7);
    return size + 9;
}

size_t arus_timestamp_write(int64_t local_micros, char *out)
{
    return arus_wall_write(arus_wall_shift(local_micros, 0), out);
}

size_t arus_timestamp_write_iso(int64_t local_micros, char *out)
{
    return arus_wall_write_iso(arus_wall_shift(local_micros, 0), out);
}

size_t arus_wall_write(struct arus_wall wall, char *out)
{
    uint32_t micros = (uint32_t)(wall.time % MICROS);
    size_t size = write_seconds(wall, ' ', out);
    size_t end;

    if (micros == 0) {
        return size;
    }
    out[size++] = '.';
    end = size + 6;
    for (size_t i = end; i-- > size; micros /= 10) {
        out[i] = (char)('0' + micros % 10);
    }
    while (out[end - 1] == '0') {
        end--;
    }
    return end;
}

size_t arus_wall_write_iso(struct arus_wall wall, char *out)
{
    const uint32_t millis = (uint32_t)(wall.time % MICROS) / 1000;
    const size_t size = write_seconds(wall, 'T', out);

    out[size] = '.';
    out[size + 1] = (char)('0' + millis / 100);
    write_two(millis % 100, out + size + 2);
    return size + 4;
}

size_t arus_offset_write_iso(int32_t offset_seconds, char *out)
{
    const uint32_t rest = offset_seconds < 0 ? -(uint32_t)offset_seconds : (uint32_t)offset_seconds;

    if (rest / 60 == 0 && rest % 60 == 0) {
        out[0] = 'Z';
        return 1;
    }
    out[0] = offset_seconds < 0 ? '-' : '+';
    write_two(rest / 3600, out + 1);
    out[3] = ':';
    write_two(rest / 60 % 60, out + 4);
    return 6;
}
