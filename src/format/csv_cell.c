/** One cell: text to value, by Java's parsers. */
#include "base/clock.h"
#include "format/csv_internal.h"
#include "types/decimal.h"
#include "types/interval.h"
#include "types/number_text.h"
#include "types/utf8.h"

#include <math.h>
#include <utf8proc.h>

#define NUMBER_SIZE_MAX 400

void csv_cells_init(struct csv_cells *self, const struct csv_read_settings *settings,
                    const struct arus_zone *zone)
{
    *self = (struct csv_cells){.settings = settings};
    self->zones.arena = &self->zone_arena;
    self->time.zone = settings->zone != NULL ? settings->zone : zone;
    self->time.zone = self->time.zone != NULL ? self->time.zone : ARUS_ZONE_UTC;
    self->time.now = arus_clock_wall_us();
}

void csv_cells_release(struct csv_cells *self)
{
    arus_arena_release(&self->zone_arena);
}

/* ---- numbers ---- */

/* The value of a decimal digit of any script, as Character.digit gives it; -1: none. */
static int digit_value(uint32_t code)
{
    uint32_t first = code;

    if (utf8proc_category((utf8proc_int32_t)code) != UTF8PROC_CATEGORY_ND) {
        return -1;
    }
    while (utf8proc_category((utf8proc_int32_t)first - 1) == UTF8PROC_CATEGORY_ND) {
        first--;
    }
    return (int)((code - first) % 10);
}

/* Digits of other scripts become ASCII: Java's integers and decimals take them. False: nothing to
 * do. */
static bool to_ascii_digits(struct arus_text text, char *out, size_t out_size,
                            struct arus_text *ascii)
{
    size_t size = 0;
    size_t at = 0;

    if (arus_text_is_ascii(text)) {
        return false;
    }
    while (at < text.size) {
        const uint32_t code = arus_utf8_next(text, &at);
        const int digit = code < 0x80 ? -1 : digit_value(code);

        if (size == out_size || (code >= 0x80 && digit < 0)) {
            return false;
        }
        out[size++] = digit < 0 ? (char)code : (char)('0' + digit);
    }
    *ascii = (struct arus_text){out, size};
    return true;
}

static bool parse_integer(enum arus_type_id id, struct arus_text text, void *out)
{
    if (id == ARUS_TYPE_TINYINT) {
        return arus_int8_parse(text, out);
    }
    if (id == ARUS_TYPE_SMALLINT) {
        return arus_int16_parse(text, out);
    }
    return id == ARUS_TYPE_INT ? arus_int32_parse(text, out) : arus_int64_parse(text, out);
}

static bool parse_any_integer(enum arus_type_id id, struct arus_text text, void *out)
{
    char digits[NUMBER_SIZE_MAX];
    struct arus_text ascii;

    return parse_integer(id, text, out) ||
           (to_ascii_digits(text, digits, sizeof digits, &ascii) && parse_integer(id, ascii, out));
}

/* nanValue, positiveInf, negativeInf come first. */
static bool special_double(const struct csv_read_settings *settings, struct arus_text text,
                           double *out)
{
    if (arus_text_equal(text, settings->nan_value)) {
        *out = (double)NAN;
    } else if (arus_text_equal(text, settings->negative_inf)) {
        *out = -(double)INFINITY;
    } else if (arus_text_equal(text, settings->positive_inf)) {
        *out = (double)INFINITY;
    } else {
        return false;
    }
    return true;
}

static bool parse_float(const struct csv_read_settings *settings, struct arus_text text, float *out)
{
    double special;

    if (special_double(settings, text, &special)) {
        *out = (float)special;
        return true;
    }
    return arus_float_parse_java(text, out);
}

static bool parse_decimal(const struct arus_type *type, struct arus_text text, void *out)
{
    const struct arus_decimal_type decimal = {type->precision, type->scale};
    char plain[NUMBER_SIZE_MAX];
    char digits[NUMBER_SIZE_MAX];
    struct arus_text bare = {plain, 0};
    arus_int128 value;

    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != ',') {
            if (bare.size == sizeof plain) {
                return false;
            }
            plain[bare.size++] = text.data[i];
        }
    }
    if (arus_decimal_parse(bare, decimal, &value) != ARUS_DECIMAL_OK &&
        !(to_ascii_digits(bare, digits, sizeof digits, &bare) &&
          arus_decimal_parse(bare, decimal, &value) == ARUS_DECIMAL_OK)) {
        return false;
    }
    if (arus_type_is_wide(type)) {
        memcpy(out, &value, sizeof value);
    } else {
        const int64_t narrow = (int64_t)value;

        memcpy(out, &narrow, sizeof narrow);
    }
    return true;
}

static bool parse_boolean(struct arus_text text, uint8_t *out)
{
    *out = arus_text_equal_nocase(text, ARUS_TEXT("true"));
    return *out != 0 || arus_text_equal_nocase(text, ARUS_TEXT("false"));
}

/* ---- dates and times ---- */

/* Without "GMT", wherever it stands: what Spark tries last. False: there is none (or too much
 * text). */
static bool without_gmt(struct arus_text text, char *out, size_t out_size, struct arus_text *rest)
{
    size_t size = 0;
    bool has_found = false;

    for (size_t i = 0; i < text.size; i++) {
        if (i + 3 <= text.size && memcmp(text.data + i, "GMT", 3) == 0) {
            has_found = true;
            i += 2;
            continue;
        }
        if (size == out_size) {
            return false;
        }
        out[size++] = text.data[i];
    }
    *rest = (struct arus_text){out, size};
    return has_found;
}

static bool parse_date(struct csv_cells *self, struct arus_text text, int32_t *out)
{
    const struct csv_read_settings *settings = self->settings;
    char copy[NUMBER_SIZE_MAX];
    struct arus_text rest;
    int64_t micros;

    if (settings->has_bad_date_pattern) {
        return false;
    }
    if (settings->date_pattern == NULL) {
        return arus_date_parse(text, out) ||
               (without_gmt(text, copy, sizeof copy, &rest) && arus_date_parse(rest, out));
    }
    if (!arus_datetime_pattern_parse_ntz(settings->date_pattern, text, ARUS_NTZ_DROP_ZONE,
                                         &micros)) {
        return false;
    }
    *out = arus_timestamp_days(micros);
    return true;
}

static bool parse_timestamp(struct csv_cells *self, struct arus_text text, int64_t *out)
{
    const struct csv_read_settings *settings = self->settings;
    char copy[NUMBER_SIZE_MAX];
    struct arus_text rest;

    self->time.zones = &self->zones; /* the struct may have moved since init */
    self->zones.arena = &self->zone_arena;
    if (settings->has_bad_timestamp_pattern) {
        return false;
    }
    if (settings->timestamp_pattern != NULL) {
        return arus_datetime_pattern_parse(settings->timestamp_pattern, text, &self->time, out);
    }
    return arus_timestamp_parse(text, &self->time, out) ||
           (without_gmt(text, copy, sizeof copy, &rest) &&
            arus_timestamp_parse(rest, &self->time, out));
}

static bool parse_ntz(struct csv_cells *self, struct arus_text text, int64_t *out)
{
    const struct csv_read_settings *settings = self->settings;

    if (settings->has_bad_ntz_pattern) {
        return false;
    }
    if (settings->ntz_pattern != NULL) {
        return arus_datetime_pattern_parse_ntz(settings->ntz_pattern, text, ARUS_NTZ_REFUSE_ZONE,
                                               out);
    }
    return arus_timestamp_ntz_parse(text, ARUS_NTZ_REFUSE_ZONE, out);
}

static bool parse_interval(const struct arus_type *type, struct arus_text text, void *out)
{
    struct arus_error err;
    int64_t value;

    if (arus_interval_parse(text, type, &value, &err) != ARUS_OK) {
        return false;
    }
    if (type->id == ARUS_TYPE_INTERVAL_YM) {
        const int32_t months = (int32_t)value;

        memcpy(out, &months, sizeof months);
    } else {
        memcpy(out, &value, sizeof value);
    }
    return true;
}

static bool parse_double(const struct csv_read_settings *settings, struct arus_text text,
                         double *out)
{
    return special_double(settings, text, out) || arus_double_parse_java(text, out);
}

bool csv_cell_parse(struct csv_cells *self, const struct arus_type *type, struct arus_text text,
                    void *out)
{
    struct arus_view view;

    switch (type->id) {
    case ARUS_TYPE_TINYINT:
    case ARUS_TYPE_SMALLINT:
    case ARUS_TYPE_INT:
    case ARUS_TYPE_BIGINT:
        return parse_any_integer(type->id, text, out);
    case ARUS_TYPE_FLOAT:
        return parse_float(self->settings, text, out);
    case ARUS_TYPE_DOUBLE:
        return parse_double(self->settings, text, out);
    case ARUS_TYPE_DECIMAL:
        return parse_decimal(type, text, out);
    case ARUS_TYPE_BOOLEAN:
        return parse_boolean(text, out);
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_BINARY:
        view = arus_view_of(text.data, text.size);
        memcpy(out, &view, sizeof view);
        return true;
    case ARUS_TYPE_DATE:
        return parse_date(self, text, out);
    case ARUS_TYPE_TIMESTAMP:
        return parse_timestamp(self, text, out);
    case ARUS_TYPE_TIMESTAMP_NTZ:
        return parse_ntz(self, text, out);
    case ARUS_TYPE_INTERVAL_YM:
    case ARUS_TYPE_INTERVAL_DT:
        return parse_interval(type, text, out);
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        break;
    }
    return false;
}
