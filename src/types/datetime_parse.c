/** Parsing by a compiled pattern: Java's strict parsers, then its strict resolver with Spark's
 * defaults. */
#include "types/datetime_pattern_internal.h"
#include "types/number_text.h"

#define JULIAN_DAY_OF_EPOCH 40587
#define OFFSET_MAX          INT64_C(64800)
#define YEAR_MAX            999999999

struct state {
    const char *end;
    int64_t values[ARUS_PATTERN_FIELD_COUNT];
    uint32_t known;        /* bit per field */
    struct arus_text zone; /* id; data NULL: none */
};

static bool is_known(const struct state *state, enum arus_pattern_field field)
{
    return (state->known >> field & 1) != 0;
}

/* A field met twice must agree. */
static bool set(struct state *state, enum arus_pattern_field field, int64_t value)
{
    if (is_known(state, field) && state->values[field] != value) {
        return false;
    }
    state->values[field] = value;
    state->known |= (uint32_t)1 << field;
    return true;
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* ---- the parsers: behind what they took, NULL: no match ---- */

static const char *take_text(const char *at, const char *end, struct arus_text text)
{
    if ((size_t)(end - at) < text.size) {
        return NULL;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (fold(at[i]) != fold(text.data[i])) {
            return NULL;
        }
    }
    return at + text.size;
}

static size_t count_digits(const char *at, const char *end, size_t most)
{
    size_t count = 0;

    while (count < most && at + count < end && is_digit(at[count])) {
        count++;
    }
    return count;
}

static bool is_sign_allowed(const struct arus_pattern_op *op, char sign)
{
    return op->sign == ARUS_SIGN_EXCEEDS_PAD || (op->sign == ARUS_SIGN_NORMAL && sign == '-');
}

static const char *take_number(const struct arus_pattern_op *op, struct state *state,
                               const char *at)
{
    const char sign = at < state->end ? *at : '\0';
    const bool is_signed = sign == '+' || sign == '-';
    size_t count;
    int64_t value = 0;

    if (is_signed && !is_sign_allowed(op, sign)) {
        return NULL;
    }
    at += is_signed;
    count = count_digits(at, state->end, (size_t)op->max + op->reserved);
    if (count < op->min) {
        return NULL;
    }
    if (op->reserved > 0) {
        count = count > (size_t)op->min + op->reserved ? count - op->reserved : op->min;
    }
    if (count > 18) {
        return NULL; /* beyond every field's range */
    }
    for (size_t i = 0; i < count; i++) {
        value = value * 10 + (at[i] - '0');
    }
    if (sign == '-' && value == 0) {
        return NULL;
    }
    if (op->sign == ARUS_SIGN_EXCEEDS_PAD && sign != '-' && (sign == '+') != (count > op->min)) {
        return NULL;
    }
    value = sign == '-' ? -value : value;
    value += op->kind == ARUS_PATTERN_REDUCED ? 2000 : 0;
    return set(state, op->field, value) ? at + count : NULL;
}

static const char *take_fraction(const struct arus_pattern_op *op, struct state *state,
                                 const char *at)
{
    const size_t count = count_digits(at, state->end, op->max);
    int64_t nanos = 0;

    if (count < op->min) {
        return NULL;
    }
    for (size_t i = 0; i < 9; i++) {
        nanos = nanos * 10 + (i < count ? at[i] - '0' : 0);
    }
    return set(state, ARUS_PATTERN_NANO, nanos) ? at + count : NULL;
}

static const char *take_name(const struct arus_pattern_op *op, struct state *state, const char *at)
{
    for (int64_t value = 0; value <= 12; value++) {
        const struct arus_text name = arus_pattern_name(op->field, op->is_full, value);
        const char *next = name.size == 0 ? NULL : take_text(at, state->end, name);

        if (next != NULL) {
            return set(state, op->field, value) ? next : NULL;
        }
    }
    return NULL;
}

/* `[:]dd` below 60; false leaves *at. */
static bool take_two(const char **at, const char *end, bool has_colon, int32_t *out)
{
    const char *from = *at;

    if (has_colon) {
        if (from == end || *from != ':') {
            return false;
        }
        from++;
    }
    if (count_digits(from, end, 2) < 2) {
        return false;
    }
    *out = (from[0] - '0') * 10 + (from[1] - '0');
    if (*out > 59) {
        return false;
    }
    *at = from + 2;
    return true;
}

/* `+HH:MM` of Java's type; the text for none is tried before by the caller. */
static const char *take_signed(uint32_t type, const char *at, const char *end, int32_t *out)
{
    const bool has_colon = type > 0 && type % 2 == 0;
    int32_t hours;
    int32_t minutes = 0;
    int32_t seconds = 0;
    bool is_negative;
    bool has_minutes;

    if (at == end || (*at != '+' && *at != '-')) {
        return NULL;
    }
    is_negative = *at++ == '-';
    if (!take_two(&at, end, false, &hours) || hours > 23) {
        return NULL;
    }
    has_minutes = type > 0 && take_two(&at, end, has_colon, &minutes);
    if (type >= 3 && !has_minutes) {
        return NULL;
    }
    if (type >= 5 && has_minutes) {
        (void)take_two(&at, end, has_colon, &seconds);
    }
    *out = hours * 3600 + minutes * 60 + seconds;
    *out = is_negative ? -*out : *out;
    return at;
}

static const char *take_offset(const struct arus_pattern_op *op, struct state *state,
                               const char *at)
{
    const char *next = take_text(at, state->end, op->literal);
    int32_t offset = 0;

    if (next == NULL) {
        next = take_signed(op->offset_type, at, state->end, &offset);
    }
    return next != NULL && set(state, ARUS_PATTERN_OFFSET, offset) ? next : NULL;
}

/* `GMT`, `GMT+2`, `GMT+02:00[:ss]` */
static const char *take_gmt(const struct arus_pattern_op *op, struct state *state, const char *at)
{
    const char *next = take_text(at, state->end, ARUS_TEXT("GMT"));
    int32_t hours = 0;
    int32_t minutes = 0;
    int32_t seconds = 0;
    size_t digits;
    bool is_negative;

    if (next == NULL) {
        return NULL;
    }
    if (next == state->end || (*next != '+' && *next != '-')) {
        return set(state, ARUS_PATTERN_OFFSET, 0) ? next : NULL;
    }
    is_negative = *next++ == '-';
    digits = count_digits(next, state->end, 2);
    if (digits == 0 || (op->is_full && digits < 2)) {
        return NULL;
    }
    for (size_t i = 0; i < digits; i++) {
        hours = hours * 10 + (*next++ - '0');
    }
    if (take_two(&next, state->end, true, &minutes)) {
        (void)take_two(&next, state->end, true, &seconds);
    } else if (op->is_full) {
        return NULL;
    }
    hours = hours * 3600 + minutes * 60 + seconds;
    return set(state, ARUS_PATTERN_OFFSET, is_negative ? -hours : hours) ? next : NULL;
}

static const char *set_zone(struct state *state, const char *begin, const char *end)
{
    state->zone = (struct arus_text){begin, (size_t)(end - begin)};
    return end;
}

/* An offset, `UTC` `GMT` `UT` with or without one, an id, or (for z) an English name. */
static const char *take_zone(const struct arus_pattern_op *op, struct state *state, const char *at)
{
    static const char *const PREFIXES[] = {"UTC", "GMT", "UT"};
    const enum arus_zone_style style = op->is_full ? ARUS_ZONE_LONG : ARUS_ZONE_SHORT;
    const struct arus_text rest = {at, (size_t)(state->end - at)};
    const char *next = take_signed(6, at, state->end, &(int32_t){0});
    struct arus_text id;
    size_t size;

    if (next != NULL) {
        return set_zone(state, at, next);
    }
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        const char *behind = take_text(at, state->end, arus_text_of(PREFIXES[i]));

        next = behind == NULL ? NULL : take_signed(6, behind, state->end, &(int32_t){0});
        if (next != NULL) {
            return set_zone(state, at, next);
        }
    }
    id = arus_zone_match(rest, style, &size);
    if (op->kind == ARUS_PATTERN_ZONE_ID && size != 0 &&
        !arus_text_equal_nocase(id, (struct arus_text){at, size})) {
        return NULL; /* an English name, not an id */
    }
    if (size != 0) {
        state->zone = id;
        return at + size;
    }
    next = take_text(at, state->end, ARUS_TEXT("Z"));
    if (next != NULL) {
        state->zone = ARUS_TEXT("Z");
    }
    return next;
}

/* ---- the whole pattern ---- */

static const char *take_ops(const struct arus_pattern_op *ops, uint16_t from, uint16_t to,
                            struct state *state, const char *at);

static const char *take_op(const struct arus_pattern_op *op, struct state *state, const char *at)
{
    switch (op->kind) {
    case ARUS_PATTERN_LITERAL:
        return take_text(at, state->end, op->literal);
    case ARUS_PATTERN_NUMBER:
    case ARUS_PATTERN_REDUCED:
        return take_number(op, state, at);
    case ARUS_PATTERN_FRACTION:
        return take_fraction(op, state, at);
    case ARUS_PATTERN_TEXT:
        return take_name(op, state, at);
    case ARUS_PATTERN_OFFSET_ID:
        return take_offset(op, state, at);
    case ARUS_PATTERN_OFFSET_GMT:
        return take_gmt(op, state, at);
    case ARUS_PATTERN_ZONE_ID:
    case ARUS_PATTERN_ZONE_NAME:
        return take_zone(op, state, at);
    case ARUS_PATTERN_OPTIONAL_BEGIN:
    case ARUS_PATTERN_OPTIONAL_END:
        return at;
    }
    return NULL;
}

static const char *take_ops(const struct arus_pattern_op *ops, uint16_t from, uint16_t to,
                            struct state *state, const char *at)
{
    for (uint16_t i = from; i < to && at != NULL; i++) {
        if (ops[i].kind == ARUS_PATTERN_OPTIONAL_BEGIN) {
            struct state tried = *state;
            const char *next = take_ops(ops, (uint16_t)(i + 1), ops[i].end, &tried, at);

            if (next != NULL) {
                *state = tried;
                at = next;
            }
            i = ops[i].end;
        } else {
            at = take_op(&ops[i], state, at);
        }
    }
    return at;
}

/* ---- from fields to a moment ---- */

static bool in_range(const struct state *state, enum arus_pattern_field field, int64_t least,
                     int64_t most)
{
    return !is_known(state, field) ||
           (state->values[field] >= least && state->values[field] <= most);
}

static bool are_fields_valid(const struct state *state)
{
    return in_range(state, ARUS_PATTERN_YEAR, -YEAR_MAX, YEAR_MAX) &&
           in_range(state, ARUS_PATTERN_YEAR_OF_ERA, 1, YEAR_MAX) &&
           in_range(state, ARUS_PATTERN_MONTH, 1, 12) && in_range(state, ARUS_PATTERN_DAY, 1, 31) &&
           in_range(state, ARUS_PATTERN_DAY_OF_YEAR, 1, 366) &&
           in_range(state, ARUS_PATTERN_HOUR, 0, 23) &&
           in_range(state, ARUS_PATTERN_CLOCK_HOUR, 1, 24) &&
           in_range(state, ARUS_PATTERN_HOUR_AMPM, 0, 11) &&
           in_range(state, ARUS_PATTERN_CLOCK_AMPM, 1, 12) &&
           in_range(state, ARUS_PATTERN_MINUTE, 0, 59) &&
           in_range(state, ARUS_PATTERN_SECOND, 0, 59) &&
           in_range(state, ARUS_PATTERN_OFFSET, -OFFSET_MAX, OFFSET_MAX);
}

static int64_t value_or(const struct state *state, enum arus_pattern_field field, int64_t other)
{
    return is_known(state, field) ? state->values[field] : other;
}

static bool resolve_year(struct state *state)
{
    const int64_t year = state->values[ARUS_PATTERN_YEAR_OF_ERA];

    if (is_known(state, ARUS_PATTERN_YEAR_OF_ERA)) {
        return set(state, ARUS_PATTERN_YEAR,
                   value_or(state, ARUS_PATTERN_ERA, 1) == 1 ? year : 1 - year);
    }
    return true;
}

static bool resolve_date(struct state *state, int32_t *days)
{
    int64_t year;
    int64_t month;
    int64_t day;
    int32_t first;

    if (!resolve_year(state)) {
        return false;
    }
    if (is_known(state, ARUS_PATTERN_JULIAN_DAY)) {
        const int64_t count = state->values[ARUS_PATTERN_JULIAN_DAY] - JULIAN_DAY_OF_EPOCH;

        *days = (int32_t)count;
        return count >= INT32_MIN && count <= INT32_MAX;
    }
    year = value_or(state, ARUS_PATTERN_YEAR, 1970);
    month = value_or(state, ARUS_PATTERN_MONTH, 1);
    day = value_or(state, ARUS_PATTERN_DAY, 1);
    if (!is_known(state, ARUS_PATTERN_DAY_OF_YEAR)) {
        return arus_date_make(year, month, day, days);
    }
    if (state->values[ARUS_PATTERN_DAY_OF_YEAR] == 366 && !arus_year_is_leap(year)) {
        return false;
    }
    if (!arus_date_make(year, 1, 1, &first)) {
        return false;
    }
    *days = first + (int32_t)state->values[ARUS_PATTERN_DAY_OF_YEAR] - 1;
    return arus_date_to_civil(*days).month ==
               value_or(state, ARUS_PATTERN_MONTH, arus_date_to_civil(*days).month) &&
           arus_date_to_civil(*days).day ==
               value_or(state, ARUS_PATTERN_DAY, arus_date_to_civil(*days).day);
}

/* One hour of the day from the four ways to write it. */
static bool resolve_hour(struct state *state, int64_t *hour)
{
    const bool has_half = is_known(state, ARUS_PATTERN_AMPM);
    const int64_t half = value_or(state, ARUS_PATTERN_AMPM, 0);

    if (is_known(state, ARUS_PATTERN_CLOCK_HOUR) &&
        !set(state, ARUS_PATTERN_HOUR, state->values[ARUS_PATTERN_CLOCK_HOUR] % 24)) {
        return false;
    }
    if (is_known(state, ARUS_PATTERN_CLOCK_AMPM) &&
        !set(state, ARUS_PATTERN_HOUR_AMPM, state->values[ARUS_PATTERN_CLOCK_AMPM] % 12)) {
        return false;
    }
    if (is_known(state, ARUS_PATTERN_HOUR)) {
        *hour = state->values[ARUS_PATTERN_HOUR];
        return (!has_half || half == *hour / 12) &&
               value_or(state, ARUS_PATTERN_HOUR_AMPM, *hour % 12) == *hour % 12;
    }
    *hour = half * 12 + value_or(state, ARUS_PATTERN_HOUR_AMPM, 0);
    return true;
}

static bool resolve_local(struct state *state, int64_t *out)
{
    int64_t hour;
    int64_t seconds;
    int32_t days;

    if (!are_fields_valid(state) || !resolve_date(state, &days) || !resolve_hour(state, &hour)) {
        return false;
    }
    seconds = hour * 3600 + value_or(state, ARUS_PATTERN_MINUTE, 0) * 60 +
              value_or(state, ARUS_PATTERN_SECOND, 0);
    return !__builtin_mul_overflow((int64_t)days, ARUS_MICROS_PER_DAY, out) &&
           !__builtin_add_overflow(*out,
                                   seconds * ARUS_MICROS_PER_SECOND +
                                       value_or(state, ARUS_PATTERN_NANO, 0) / 1000,
                                   out);
}

static bool parse_local(const struct arus_datetime_pattern *pattern, struct arus_text text,
                        struct state *state, int64_t *out)
{
    const char *begin = text.size == 0 ? "" : text.data;

    *state = (struct state){.end = begin + text.size};
    return take_ops(pattern->ops, 0, pattern->count, state, begin) == state->end &&
           resolve_local(state, out);
}

/* The zone of the text; NULL: unknown. A zone opened in `scratch` when there is no cache. */
static const struct arus_zone *find_zone(const struct arus_timestamp_context *context,
                                         struct arus_text name, struct arus_arena *scratch)
{
    struct arus_zone_cache once = {.arena = scratch};

    return arus_zone_cache_find(context->zones != NULL ? context->zones : &once, name);
}

static bool in_zone(const struct arus_zone *zone, int64_t local, int64_t *out)
{
    if (local < INT64_MIN + 2 * ARUS_MICROS_PER_DAY ||
        local > INT64_MAX - 2 * ARUS_MICROS_PER_DAY) {
        return false;
    }
    *out = arus_zone_to_utc(zone, local);
    return true;
}

bool arus_datetime_pattern_parse(const struct arus_datetime_pattern *pattern, struct arus_text text,
                                 const struct arus_timestamp_context *context, int64_t *out)
{
    struct arus_arena scratch = {0};
    const struct arus_zone *zone;
    struct state state;
    int64_t local;
    bool is_done;

    if (!parse_local(pattern, text, &state, &local)) {
        return false;
    }
    if (state.zone.data == NULL) {
        if (!is_known(&state, ARUS_PATTERN_OFFSET)) {
            return in_zone(context->zone, local, out);
        }
        return !__builtin_sub_overflow(
            local, state.values[ARUS_PATTERN_OFFSET] * ARUS_MICROS_PER_SECOND, out);
    }
    zone = find_zone(context, state.zone, &scratch);
    is_done = zone != NULL && in_zone(zone, local, out);
    arus_arena_release(&scratch);
    return is_done;
}

bool arus_datetime_pattern_parse_ntz(const struct arus_datetime_pattern *pattern,
                                     struct arus_text text, enum arus_ntz_zone zone, int64_t *out)
{
    struct state state;

    return parse_local(pattern, text, &state, out) &&
           (zone == ARUS_NTZ_DROP_ZONE ||
            (state.zone.data == NULL && !is_known(&state, ARUS_PATTERN_OFFSET)));
}
