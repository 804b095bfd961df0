/** Formatting by a compiled pattern. */
#include "types/datetime_pattern_internal.h"
#include "types/number_text.h"

#define JULIAN_DAY_OF_EPOCH 40587

/* The moment taken apart. */
struct moment {
    int64_t utc;
    const struct arus_zone *zone;
    int32_t offset;
    int32_t days;
    struct arus_civil date;
    uint32_t second;
    uint32_t micros;
};

static int64_t field_of(const struct moment *moment, enum arus_pattern_field field)
{
    const int64_t hour = moment->second / 3600;

    switch (field) {
    case ARUS_PATTERN_YEAR:
        return moment->date.year;
    case ARUS_PATTERN_YEAR_OF_ERA:
        return moment->date.year > 0 ? moment->date.year : 1 - (int64_t)moment->date.year;
    case ARUS_PATTERN_ERA:
        return moment->date.year > 0;
    case ARUS_PATTERN_QUARTER:
        return (moment->date.month + 2) / 3;
    case ARUS_PATTERN_MONTH:
        return moment->date.month;
    case ARUS_PATTERN_DAY:
        return moment->date.day;
    case ARUS_PATTERN_DAY_OF_YEAR:
        return arus_date_field(moment->days, ARUS_FIELD_DAY_OF_YEAR);
    case ARUS_PATTERN_DAY_IN_MONTH_WEEK:
        return (moment->date.day - 1) % 7 + 1;
    case ARUS_PATTERN_JULIAN_DAY:
        return (int64_t)moment->days + JULIAN_DAY_OF_EPOCH;
    case ARUS_PATTERN_WEEKDAY:
        return arus_date_field(moment->days, ARUS_FIELD_DAY_OF_WEEK_ISO);
    case ARUS_PATTERN_AMPM:
        return hour / 12;
    case ARUS_PATTERN_HOUR:
        return hour;
    case ARUS_PATTERN_CLOCK_HOUR:
        return hour == 0 ? 24 : hour;
    case ARUS_PATTERN_HOUR_AMPM:
        return hour % 12;
    case ARUS_PATTERN_CLOCK_AMPM:
        return hour % 12 == 0 ? 12 : hour % 12;
    case ARUS_PATTERN_MINUTE:
        return moment->second / 60 % 60;
    case ARUS_PATTERN_SECOND:
        return moment->second % 60;
    case ARUS_PATTERN_NANO:
        return (int64_t)moment->micros * 1000;
    case ARUS_PATTERN_OFFSET:
        return moment->offset;
    case ARUS_PATTERN_FIELD_COUNT:
        return 0;
    }
    return 0;
}

static enum arus_status put(struct arus_buffer *out, const char *text, struct arus_error *err)
{
    return arus_buffer_append(out, text, strlen(text), err);
}

static enum arus_status put_padded(struct arus_buffer *out, uint64_t value, uint32_t width,
                                   struct arus_error *err)
{
    char digits[ARUS_INT64_TEXT_MAX];
    const size_t size = arus_uint64_write(value, digits);

    for (size_t i = size; i < width; i++) {
        ARUS_TRY(arus_buffer_append_char(out, '0', err));
    }
    return arus_buffer_append(out, digits, size, err);
}

static enum arus_status put_number(const struct arus_pattern_op *op, int64_t value,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    uint64_t limit = 1;

    if (op->kind == ARUS_PATTERN_REDUCED) {
        return put_padded(out, size % 100, 2, err);
    }
    for (uint32_t i = 0; i < op->min && i < 18; i++) {
        limit *= 10;
    }
    if (value < 0) {
        ARUS_TRY(put(out, "-", err));
    } else if (op->sign == ARUS_SIGN_EXCEEDS_PAD && size >= limit) {
        ARUS_TRY(put(out, "+", err));
    }
    return put_padded(out, size, op->min, err);
}

static enum arus_status put_fraction(const struct arus_pattern_op *op, int64_t nanos,
                                     struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t i = op->max; i < 9; i++) {
        nanos /= 10;
    }
    return put_padded(out, (uint64_t)nanos, op->max, err);
}

static enum arus_status put_two(struct arus_buffer *out, bool has_colon, uint32_t value,
                                struct arus_error *err)
{
    ARUS_TRY(put(out, has_colon ? ":" : "", err));
    return put_padded(out, value, 2, err);
}

/* Java's OffsetIdPrinterParser. */
static enum arus_status put_offset(const struct arus_pattern_op *op, int32_t offset,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const uint32_t type = op->offset_type;
    const uint32_t size = offset < 0 ? -(uint32_t)offset : (uint32_t)offset;
    const uint32_t minutes = size / 60 % 60;
    const uint32_t seconds = size % 60;
    const bool has_colon = type > 0 && type % 2 == 0;
    const bool has_minutes = type >= 3 || minutes > 0;
    const bool has_seconds = type >= 5 && seconds > 0;

    if (offset == 0 || (size / 3600 == 0 && minutes == 0 && !has_seconds)) {
        return arus_buffer_append_text(out, op->literal, err);
    }
    ARUS_TRY(put(out, offset < 0 ? "-" : "+", err));
    ARUS_TRY(put_padded(out, size / 3600, 2, err));
    if (has_minutes) {
        ARUS_TRY(put_two(out, has_colon, minutes, err));
    }
    return has_seconds ? put_two(out, has_colon, seconds, err) : ARUS_OK;
}

static enum arus_status put_gmt(const struct arus_pattern_op *op, int32_t offset,
                                struct arus_buffer *out, struct arus_error *err)
{
    const uint32_t size = offset < 0 ? -(uint32_t)offset : (uint32_t)offset;

    ARUS_TRY(put(out, "GMT", err));
    if (offset == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(put(out, offset < 0 ? "-" : "+", err));
    ARUS_TRY(put_padded(out, size / 3600, op->is_full ? 2 : 1, err));
    if (op->is_full || size % 3600 != 0) {
        ARUS_TRY(put_two(out, true, size / 60 % 60, err));
    }
    return size % 60 != 0 ? put_two(out, true, size % 60, err) : ARUS_OK;
}

static enum arus_status put_op(const struct arus_pattern_op *op, const struct moment *moment,
                               struct arus_buffer *out, struct arus_error *err)
{
    switch (op->kind) {
    case ARUS_PATTERN_LITERAL:
        return arus_buffer_append_text(out, op->literal, err);
    case ARUS_PATTERN_NUMBER:
    case ARUS_PATTERN_REDUCED:
        return put_number(op, field_of(moment, op->field), out, err);
    case ARUS_PATTERN_FRACTION:
        return put_fraction(op, field_of(moment, op->field), out, err);
    case ARUS_PATTERN_TEXT:
        return arus_buffer_append_text(
            out, arus_pattern_name(op->field, op->is_full, field_of(moment, op->field)), err);
    case ARUS_PATTERN_OFFSET_ID:
        return put_offset(op, moment->offset, out, err);
    case ARUS_PATTERN_OFFSET_GMT:
        return put_gmt(op, moment->offset, out, err);
    case ARUS_PATTERN_ZONE_ID:
        return arus_buffer_append_text(out, arus_zone_name(moment->zone), err);
    case ARUS_PATTERN_ZONE_NAME:
        return arus_buffer_append_text(
            out,
            arus_zone_display(moment->zone, moment->utc,
                              op->is_full ? ARUS_ZONE_LONG : ARUS_ZONE_SHORT),
            err);
    case ARUS_PATTERN_OPTIONAL_BEGIN:
    case ARUS_PATTERN_OPTIONAL_END:
        return ARUS_OK;
    }
    return ARUS_OK;
}

enum arus_status arus_datetime_pattern_format(const struct arus_datetime_pattern *pattern,
                                              int64_t utc_micros, const struct arus_zone *zone,
                                              struct arus_buffer *out, struct arus_error *err)
{
    const int32_t offset = arus_zone_offset(zone, utc_micros);
    const int64_t local = utc_micros + offset * ARUS_MICROS_PER_SECOND;
    const int64_t time = arus_timestamp_time(local);
    const int32_t days = arus_timestamp_days(local);
    const struct moment moment = {
        .utc = utc_micros,
        .zone = zone,
        .offset = offset,
        .days = days,
        .date = arus_date_to_civil(days),
        .second = (uint32_t)(time / ARUS_MICROS_PER_SECOND),
        .micros = (uint32_t)(time % ARUS_MICROS_PER_SECOND),
    };

    for (uint16_t i = 0; i < pattern->count; i++) {
        ARUS_TRY(put_op(&pattern->ops[i], &moment, out, err));
    }
    return ARUS_OK;
}
