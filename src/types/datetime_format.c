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

/* The writers below return the size; the caller has reserved room. */

static size_t write_text(struct arus_text text, char *out)
{
    if (text.size == 1) {
        *out = *text.data;
    } else if (text.size != 0) {
        memcpy(out, text.data, text.size);
    }
    return text.size;
}

static void write_pair(uint32_t value, char *out)
{
    out[0] = (char)('0' + value / 10);
    out[1] = (char)('0' + value % 10);
}

static size_t write_padded(uint64_t value, uint32_t width, char *out)
{
    char digits[ARUS_INT64_TEXT_MAX];
    size_t size;
    size_t zeros;

    if (width == 2 && value < 100) {
        write_pair((uint32_t)value, out);
        return 2;
    }
    if (width == 4 && value < 10000) {
        write_pair((uint32_t)value / 100, out);
        write_pair((uint32_t)value % 100, out + 2);
        return 4;
    }
    size = arus_uint64_write(value, digits);
    zeros = size < width ? width - size : 0;
    memset(out, '0', zeros);
    memcpy(out + zeros, digits, size);
    return zeros + size;
}

/* More than `width` digits? */
static bool exceeds(uint64_t value, uint32_t width)
{
    uint64_t limit = 10000;

    for (uint32_t i = 4; i < width && i < 18; i++) {
        limit *= 10;
    }
    return value >= limit;
}

static size_t write_number(const struct arus_pattern_op *op, int64_t value, char *out)
{
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    size_t at = 0;

    if (op->kind == ARUS_PATTERN_REDUCED) {
        return write_padded(size % 100, 2, out);
    }
    if (value < 0) {
        out[at++] = '-';
    } else if (op->sign == ARUS_SIGN_EXCEEDS_PAD && exceeds(size, op->min)) {
        out[at++] = '+';
    }
    return at + write_padded(size, op->min, out + at);
}

static size_t write_fraction(const struct arus_pattern_op *op, int64_t nanos, char *out)
{
    for (uint32_t i = op->max; i < 9; i++) {
        nanos /= 10;
    }
    return write_padded((uint64_t)nanos, op->max, out);
}

static size_t write_two(bool has_colon, uint32_t value, char *out)
{
    out[0] = ':';
    return has_colon + write_padded(value, 2, out + has_colon);
}

/* Java's OffsetIdPrinterParser. */
static size_t write_offset(const struct arus_pattern_op *op, int32_t offset, char *out)
{
    const uint32_t type = op->offset_type;
    const uint32_t rest = offset < 0 ? -(uint32_t)offset : (uint32_t)offset;
    const uint32_t minutes = rest / 60 % 60;
    const uint32_t seconds = rest % 60;
    const bool has_colon = type > 0 && type % 2 == 0;
    const bool has_seconds = type >= 5 && seconds > 0;
    size_t size = 1;

    if (rest / 3600 == 0 && minutes == 0 && !has_seconds) {
        return write_text(op->literal, out);
    }
    out[0] = offset < 0 ? '-' : '+';
    size += write_padded(rest / 3600, 2, out + size);
    if (type >= 3 || minutes > 0) {
        size += write_two(has_colon, minutes, out + size);
    }
    return has_seconds ? size + write_two(has_colon, seconds, out + size) : size;
}

static size_t write_gmt(const struct arus_pattern_op *op, int32_t offset, char *out)
{
    const uint32_t rest = offset < 0 ? -(uint32_t)offset : (uint32_t)offset;
    size_t size = write_text(ARUS_TEXT("GMT"), out);

    if (offset == 0) {
        return size;
    }
    out[size++] = offset < 0 ? '-' : '+';
    size += write_padded(rest / 3600, op->is_full ? 2 : 1, out + size);
    if (op->is_full || rest % 3600 != 0) {
        size += write_two(true, rest / 60 % 60, out + size);
    }
    return rest % 60 != 0 ? size + write_two(true, rest % 60, out + size) : size;
}

static size_t write_op(const struct arus_pattern_op *op, const struct moment *moment, char *out)
{
    switch (op->kind) {
    case ARUS_PATTERN_LITERAL:
        return write_text(op->literal, out);
    case ARUS_PATTERN_NUMBER:
    case ARUS_PATTERN_REDUCED:
        return write_number(op, field_of(moment, op->field), out);
    case ARUS_PATTERN_FRACTION:
        return write_fraction(op, field_of(moment, op->field), out);
    case ARUS_PATTERN_TEXT:
        return write_text(arus_pattern_name(op->field, op->is_full, field_of(moment, op->field)),
                          out);
    case ARUS_PATTERN_OFFSET_ID:
        return write_offset(op, moment->offset, out);
    case ARUS_PATTERN_OFFSET_GMT:
        return write_gmt(op, moment->offset, out);
    case ARUS_PATTERN_ZONE_ID:
        return write_text(arus_zone_name(moment->zone), out);
    case ARUS_PATTERN_ZONE_NAME:
        return write_text(arus_zone_display(moment->zone, moment->utc,
                                            op->is_full ? ARUS_ZONE_LONG : ARUS_ZONE_SHORT),
                          out);
    case ARUS_PATTERN_OPTIONAL_BEGIN:
    case ARUS_PATTERN_OPTIONAL_END:
        return 0;
    }
    return 0;
}

enum arus_status arus_datetime_pattern_format(const struct arus_datetime_pattern *pattern,
                                              int64_t utc_micros, const struct arus_zone *zone,
                                              struct arus_buffer *out, struct arus_error *err)
{
    const int32_t offset = arus_zone_offset(zone, utc_micros);
    const struct arus_wall wall = arus_wall_shift(utc_micros, offset * ARUS_MICROS_PER_SECOND);
    const struct moment moment = {
        .utc = utc_micros,
        .zone = zone,
        .offset = offset,
        .days = wall.days,
        .date = arus_date_to_civil(wall.days),
        .second = (uint32_t)(wall.time / ARUS_MICROS_PER_SECOND),
        .micros = (uint32_t)(wall.time % ARUS_MICROS_PER_SECOND),
    };

    ARUS_TRY(arus_buffer_reserve(out, pattern->text_max, err));
    for (uint16_t i = 0; i < pattern->count; i++) {
        out->size += write_op(&pattern->ops[i], &moment, out->data + out->size);
    }
    return ARUS_OK;
}
