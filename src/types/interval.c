/** Interval texts, as Spark's IntervalUtils reads and writes them. */
#include "types/interval.h"

#include "types/number_text.h"

#define MICROS_PER_SECOND INT64_C(1000000)
#define MICROS_PER_MINUTE (60 * MICROS_PER_SECOND)
#define MICROS_PER_HOUR   (3600 * MICROS_PER_SECOND)
#define MICROS_PER_DAY    (86400 * MICROS_PER_SECOND)
#define MONTHS_PER_YEAR   12
#define FRACTION_MAX      9 /* digits; those behind the sixth are cut */

static const char *const NAMES[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};
static const int64_t UNITS[] = {
    MONTHS_PER_YEAR, 1, MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MINUTE, MICROS_PER_SECOND};

struct arus_text arus_interval_field_name(enum arus_interval_field field)
{
    return arus_text_of(NAMES[field]);
}

/* ---- reading characters ---- */

struct cursor {
    const char *at;
    const char *end;
};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
}

static bool skip_blanks(struct cursor *cursor)
{
    const char *begin = cursor->at;

    while (cursor->at < cursor->end && is_blank(*cursor->at)) {
        cursor->at++;
    }
    return cursor->at > begin;
}

static bool take(struct cursor *cursor, char c)
{
    if (cursor->at < cursor->end && *cursor->at == c) {
        cursor->at++;
        return true;
    }
    return false;
}

/* A word without case. */
static bool take_word(struct cursor *cursor, const char *word)
{
    const struct arus_text wanted = arus_text_of(word);

    if ((size_t)(cursor->end - cursor->at) < wanted.size ||
        !arus_text_equal_nocase((struct arus_text){cursor->at, wanted.size}, wanted)) {
        return false;
    }
    cursor->at += wanted.size;
    return true;
}

/* Up to `digits_max` digits as a negative number, so that the minimum fits. */
static bool take_number(struct cursor *cursor, int32_t digits_max, int64_t *out)
{
    const char *begin = cursor->at;
    int64_t value = 0;

    for (; cursor->at < cursor->end && is_digit(*cursor->at); cursor->at++) {
        if (cursor->at - begin == digits_max || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, *cursor->at - '0', &value)) {
            return false;
        }
    }
    *out = value;
    return cursor->at > begin;
}

/* Up to nine digits behind a point, as negative microseconds. False: more digits. */
static bool take_fraction(struct cursor *cursor, int64_t *out)
{
    int32_t count = 0;
    int64_t value = 0;

    for (; cursor->at < cursor->end && is_digit(*cursor->at); cursor->at++, count++) {
        if (count < 6) {
            value = value * 10 - (*cursor->at - '0');
        }
    }
    for (int32_t i = count; i < 6; i++) {
        value *= 10;
    }
    *out = value;
    return count <= FRACTION_MAX;
}

/* ---- unit texts ---- */

enum unit { YEARS, MONTHS, WEEKS, DAYS, HOURS, MINUTES, SECONDS, MILLISECONDS, MICROSECONDS };

static bool take_unit(struct cursor *cursor, enum unit *out)
{
    static const char *const WORDS[] = {"year",   "month",  "week",        "day",        "hour",
                                        "minute", "second", "millisecond", "microsecond"};

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        if (take_word(cursor, WORDS[i])) {
            *out = (enum unit)i;
            (void)(take(cursor, 's') || take(cursor, 'S'));
            return cursor->at == cursor->end || is_blank(*cursor->at);
        }
    }
    return false;
}

static bool add_int32(int32_t *sum, int64_t value, int32_t factor)
{
    return !__builtin_mul_overflow(value, factor, &value) &&
           !__builtin_add_overflow(*sum, value, sum);
}

static bool add_micros(int64_t *sum, int64_t value, int64_t factor)
{
    return !__builtin_mul_overflow(value, factor, &value) &&
           !__builtin_add_overflow(*sum, value, sum);
}

static bool add_unit(struct arus_interval *interval, enum unit unit, int64_t value)
{
    switch (unit) {
    case YEARS:
        return add_int32(&interval->months, value, MONTHS_PER_YEAR);
    case MONTHS:
        return add_int32(&interval->months, value, 1);
    case WEEKS:
        return add_int32(&interval->days, value, 7);
    case DAYS:
        return add_int32(&interval->days, value, 1);
    case HOURS:
        return add_micros(&interval->micros, value, MICROS_PER_HOUR);
    case MINUTES:
        return add_micros(&interval->micros, value, MICROS_PER_MINUTE);
    case SECONDS:
        return add_micros(&interval->micros, value, MICROS_PER_SECOND);
    case MILLISECONDS:
        return add_micros(&interval->micros, value, 1000);
    case MICROSECONDS:
        return add_micros(&interval->micros, value, 1);
    }
    return false;
}

/* `[+-] digits[.digits] unit` */
static bool take_part(struct cursor *cursor, struct arus_interval *out)
{
    const bool is_negative = take(cursor, '-');
    bool has_point;
    int64_t value = 0;
    int64_t fraction = 0;
    enum unit unit;

    if (!is_negative) {
        (void)take(cursor, '+');
    }
    (void)skip_blanks(cursor);
    has_point = take(cursor, '.');
    if (has_point && (cursor->at == cursor->end || !is_digit(*cursor->at))) {
        return false;
    }
    if (!has_point) {
        if (!take_number(cursor, 20, &value)) {
            return false;
        }
        has_point = take(cursor, '.');
    }
    if (has_point && !take_fraction(cursor, &fraction)) {
        return false;
    }
    if (!skip_blanks(cursor) || !take_unit(cursor, &unit) || (has_point && unit != SECONDS)) {
        return false;
    }
    if (!is_negative && (value == INT64_MIN || __builtin_sub_overflow(0, value, &value))) {
        return false;
    }
    return add_unit(out, unit, value) &&
           !__builtin_add_overflow(out->micros, is_negative ? fraction : -fraction, &out->micros);
}

bool arus_interval_parse_units(struct arus_text text, struct arus_interval *out)
{
    const struct arus_text word = arus_text_trim(text);
    struct cursor cursor = {word.data, word.data + word.size};

    *out = (struct arus_interval){0};
    if (take_word(&cursor, "interval") && !skip_blanks(&cursor)) {
        return false;
    }
    if (cursor.at == cursor.end) {
        return false;
    }
    while (cursor.at < cursor.end) {
        if (!take_part(&cursor, out)) {
            return false;
        }
        (void)skip_blanks(&cursor);
    }
    return true;
}

/* ---- field ranges ---- */

enum outcome { GOOD, UNMATCHED, OUT_OF_RANGE };

/* `[+|-]`: Spark's pattern takes a bar too, as a plus. */
static bool take_sign(struct cursor *cursor)
{
    const bool is_negative = take(cursor, '-');

    if (!is_negative && !take(cursor, '+')) {
        (void)take(cursor, '|');
    }
    return is_negative;
}

/* Most digits of the leading field. */
static int32_t lead_digits(enum arus_interval_field field)
{
    static const int32_t DIGITS[] = {20, 20, 9, 10, 12, 13};

    return DIGITS[field];
}

static const char SEPARATORS[] = {'\0', '-', '\0', ' ', ':', ':'}; /* in front of a field */
static const int64_t FIELD_MAX[] = {0, 11, 0, 23, 59, 59};

/* The body of an interval as a negative sum. */
static enum outcome take_fields(struct cursor *cursor, const struct arus_type *type, int64_t *out)
{
    bool is_in_range = true;
    int64_t sum = 0;
    int64_t value;

    for (uint32_t f = type->precision; f <= type->scale; f++) {
        const bool is_lead = f == type->precision;

        if (!is_lead && !take(cursor, SEPARATORS[f])) {
            return UNMATCHED;
        }
        if (!take_number(cursor,
                         is_lead                    ? lead_digits(f)
                         : f == ARUS_INTERVAL_MONTH ? 20
                                                    : 2,
                         &value)) {
            return UNMATCHED;
        }
        is_in_range &= is_lead || -value <= FIELD_MAX[f];
        is_in_range &= add_micros(&sum, value, UNITS[f]);
    }
    if (type->scale == ARUS_INTERVAL_SECOND && take(cursor, '.')) {
        if (cursor->at == cursor->end || !is_digit(*cursor->at) || !take_fraction(cursor, &value)) {
            return UNMATCHED;
        }
        is_in_range &= add_micros(&sum, value, 1);
    }
    *out = sum;
    return is_in_range ? GOOD : OUT_OF_RANGE;
}

/* From the negative sum to the value. */
static enum outcome settle(const struct arus_type *type, bool is_negative, int64_t *value)
{
    if (!is_negative && *value == INT64_MIN) {
        return OUT_OF_RANGE;
    }
    *value = is_negative ? *value : -*value;
    return type->id == ARUS_TYPE_INTERVAL_YM && (*value < INT32_MIN || *value > INT32_MAX)
               ? OUT_OF_RANGE
               : GOOD;
}

/* `' DAY TO SECOND`, exactly the fields of the type. */
static bool take_range(struct cursor *cursor, const struct arus_type *type)
{
    if (!take(cursor, '\'') || !skip_blanks(cursor) || !take_word(cursor, NAMES[type->precision])) {
        return false;
    }
    return type->precision == type->scale ||
           (skip_blanks(cursor) && take_word(cursor, "TO") && skip_blanks(cursor) &&
            take_word(cursor, NAMES[type->scale]));
}

static enum outcome parse_fields(struct arus_text text, const struct arus_type *type,
                                 bool allows_literal, int64_t *out)
{
    const struct arus_text word = arus_text_trim(text);
    struct cursor cursor = {word.data, word.data + word.size};
    const bool is_literal = allows_literal && take_word(&cursor, "INTERVAL");
    bool is_negative = false;
    enum outcome outcome;

    if (is_literal) {
        if (!skip_blanks(&cursor)) {
            return UNMATCHED;
        }
        is_negative = take_sign(&cursor);
        if (!take(&cursor, '\'')) {
            return UNMATCHED;
        }
    }
    is_negative ^= take_sign(&cursor);
    outcome = take_fields(&cursor, type, out);
    if (outcome == UNMATCHED || (is_literal && !take_range(&cursor, type)) ||
        cursor.at != cursor.end) {
        return UNMATCHED;
    }
    return outcome == GOOD ? settle(type, is_negative, out) : outcome;
}

static enum arus_status fail(enum outcome outcome, struct arus_text text,
                             const struct arus_type *type, struct arus_error *err)
{
    const bool is_months = type->id == ARUS_TYPE_INTERVAL_YM;
    const struct arus_text first = arus_interval_field_name(type->precision);
    const struct arus_text last = arus_interval_field_name(type->scale);
    const char *condition = "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING";

    if (outcome == UNMATCHED) {
        condition = is_months ? "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"
                              : "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE";
    }
    return arus_fail(err, ARUS_BAD_DATA, condition, "'%.*s' is no interval %.*s to %.*s%s",
                     ARUS_TEXT_ARGS(text), ARUS_TEXT_ARGS(first), ARUS_TEXT_ARGS(last),
                     outcome == OUT_OF_RANGE ? ": out of range" : "");
}

enum arus_status arus_interval_parse(struct arus_text text, const struct arus_type *type,
                                     int64_t *out, struct arus_error *err)
{
    const enum outcome outcome = parse_fields(text, type, true, out);

    return outcome == GOOD ? ARUS_OK : fail(outcome, text, type, err);
}

/* One field alone: a number as in unit texts. */
static bool parse_single(struct arus_text text, const struct arus_type *type, int64_t *out)
{
    static const enum unit FIELDS[] = {YEARS, MONTHS, DAYS, HOURS, MINUTES, SECONDS};
    const struct arus_text word = arus_text_trim(text);
    struct cursor cursor = {word.data, word.data + word.size};
    const bool is_seconds = type->precision == ARUS_INTERVAL_SECOND;
    const bool is_negative = take_sign(&cursor);
    struct arus_interval interval = {0};
    int64_t value = 0;
    int64_t fraction = 0;
    const bool has_digits = take_number(&cursor, 20, &value);

    if (is_seconds && take(&cursor, '.')) {
        if (!has_digits && (cursor.at == cursor.end || !is_digit(*cursor.at))) {
            return false;
        }
        if (!take_fraction(&cursor, &fraction)) {
            return false;
        }
    } else if (!has_digits) {
        return false;
    }
    if (cursor.at != cursor.end || !add_unit(&interval, FIELDS[type->precision], value) ||
        __builtin_add_overflow(interval.micros, fraction, &interval.micros) ||
        !add_micros(&interval.micros, interval.days, MICROS_PER_DAY)) {
        return false;
    }
    *out = type->id == ARUS_TYPE_INTERVAL_YM ? interval.months : interval.micros;
    return settle(type, is_negative, out) == GOOD;
}

enum arus_status arus_interval_parse_literal(struct arus_text text, const struct arus_type *type,
                                             int64_t *out, struct arus_error *err)
{
    enum outcome outcome;

    if (type->precision == type->scale) {
        return parse_single(text, type, out) ? ARUS_OK : fail(UNMATCHED, text, type, err);
    }
    outcome = parse_fields(text, type, false, out);
    return outcome == GOOD ? ARUS_OK : fail(outcome, text, type, err);
}

/* ---- writing ---- */

static size_t put(char *out, struct arus_text text)
{
    memcpy(out, text.data, text.size);
    return text.size;
}

/* At least two digits. */
static size_t write_two(uint64_t value, char *out)
{
    size_t size = 0;

    if (value < 10) {
        out[size++] = '0';
    }
    return size + arus_uint64_write(value, out + size);
}

/* `.5` of microseconds, nothing for 0. */
static size_t write_fraction(uint64_t micros, char *out)
{
    size_t size = 7;

    if (micros == 0) {
        return 0;
    }
    out[0] = '.';
    for (size_t i = 6; i > 0; i--, micros /= 10) {
        out[i] = (char)('0' + micros % 10);
    }
    while (out[size - 1] == '0') {
        size--;
    }
    return size;
}

static size_t write_years(uint64_t months, const struct arus_type *type, char *out)
{
    size_t size = 0;

    if (type->scale == ARUS_INTERVAL_YEAR) {
        return arus_uint64_write(months / MONTHS_PER_YEAR, out);
    }
    if (type->precision == ARUS_INTERVAL_MONTH) {
        return arus_uint64_write(months, out);
    }
    size += arus_uint64_write(months / MONTHS_PER_YEAR, out);
    out[size++] = '-';
    return size + arus_uint64_write(months % MONTHS_PER_YEAR, out + size);
}

static size_t write_days(uint64_t micros, const struct arus_type *type, char *out)
{
    size_t size = 0;

    for (uint32_t f = type->precision; f <= type->scale; f++) {
        const uint64_t unit = (uint64_t)UNITS[f];

        if (f > type->precision) {
            out[size++] = SEPARATORS[f];
        }
        size += f == ARUS_INTERVAL_DAY ? arus_uint64_write(micros / unit, out + size)
                                       : write_two(micros / unit, out + size);
        micros %= unit;
        if (f == ARUS_INTERVAL_SECOND) {
            size += write_fraction(micros, out + size);
        }
    }
    return size;
}

size_t arus_interval_write(int64_t value, const struct arus_type *type, char *out)
{
    const uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    size_t size = put(out, value < 0 ? ARUS_TEXT("INTERVAL '-") : ARUS_TEXT("INTERVAL '"));

    size += type->id == ARUS_TYPE_INTERVAL_YM ? write_years(rest, type, out + size)
                                              : write_days(rest, type, out + size);
    size += put(out + size, ARUS_TEXT("' "));
    size += put(out + size, arus_text_of(NAMES[type->precision]));
    if (type->precision != type->scale) {
        size += put(out + size, ARUS_TEXT(" TO "));
        size += put(out + size, arus_text_of(NAMES[type->scale]));
    }
    return size;
}

/* `3 days `, nothing for 0. */
static size_t write_unit(int64_t value, const char *unit, char *out)
{
    size_t size;

    if (value == 0) {
        return 0;
    }
    size = arus_int64_write(value, out);
    return size + put(out + size, arus_text_of(unit));
}

size_t arus_interval_write_units(struct arus_interval value, char *out)
{
    const int64_t rest = value.micros % MICROS_PER_MINUTE;
    const uint64_t micros = rest < 0 ? (uint64_t)-rest : (uint64_t)rest;
    size_t size = 0;

    size += write_unit(value.months / MONTHS_PER_YEAR, " years ", out);
    size += write_unit(value.months % MONTHS_PER_YEAR, " months ", out + size);
    size += write_unit(value.days, " days ", out + size);
    size += write_unit(value.micros / MICROS_PER_HOUR, " hours ", out + size);
    size += write_unit(value.micros % MICROS_PER_HOUR / MICROS_PER_MINUTE, " minutes ", out + size);
    if (rest != 0) {
        size += put(out + size, rest < 0 ? ARUS_TEXT("-") : ARUS_TEXT(""));
        size += arus_uint64_write(micros / MICROS_PER_SECOND, out + size);
        size += write_fraction(micros % MICROS_PER_SECOND, out + size);
        size += put(out + size, ARUS_TEXT(" seconds "));
    }
    return size == 0 ? put(out, ARUS_TEXT("0 seconds")) : size - 1;
}
