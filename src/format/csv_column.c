/**
 * Columns filled from the index. The quick ways take what cells mostly look like, eight bytes at a
 * time, and leave everything else to csv_cell_parse. Cells are followed by at least 64 readable
 * bytes.
 */
#include "base/alloc.h"
#include "base/attr.h"
#include "format/csv_scan_internal.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define ZEROS       0x3030303030303030ULL

/* ---- eight bytes ---- */

ARUS_INLINE uint64_t load8(const char *data)
{
    uint64_t word;

    memcpy(&word, data, sizeof word);
    return word;
}

/* Digits as numbers in the bytes of a word: all below ten? */
ARUS_INLINE bool are_digits(uint64_t word)
{
    return ((word | (word + 0x7676767676767676ULL)) & 0x8080808080808080ULL) == 0;
}

/* Eight digits, the first in the lowest byte. */
ARUS_INLINE uint32_t digits8(uint64_t word)
{
    word = word * 10 + (word >> 8);
    return (uint32_t)(((word & 0x000000FF000000FFULL) * 0x000F424000000064ULL +
                       ((word >> 16) & 0x000000FF000000FFULL) * 0x0000271000000001ULL) >>
                      32);
}

/* The first `size` (1..8) bytes as digits, moved up so that zeros come first. */
ARUS_INLINE uint64_t digits_of(const char *data, uint32_t size)
{
    return (load8(data) ^ ZEROS) << (8 * (8 - size));
}

/* ---- integers ---- */

struct no_state {
    char unused;
};

/* Up to 16 digits with an optional minus. */
ARUS_INLINE bool quick_integer(const char *data, uint32_t size, int64_t *out)
{
    const bool is_negative = data[0] == '-';
    uint64_t low;
    int64_t value;

    data += is_negative;
    size -= is_negative;
    if (size == 0 || size > 16) {
        return false;
    }
    if (size <= 8) {
        low = digits_of(data, size);
        if (!are_digits(low)) {
            return false;
        }
        value = digits8(low);
    } else {
        const uint64_t high = digits_of(data, size - 8);

        low = load8(data + size - 8) ^ ZEROS;
        if (!are_digits(high) || !are_digits(low)) {
            return false;
        }
        value = (int64_t)digits8(high) * 100000000 + digits8(low);
    }
    *out = is_negative ? -value : value;
    return true;
}

ARUS_INLINE bool quick_bigint(struct no_state *state, const char *data, uint32_t size, int64_t *out)
{
    (void)state;
    return quick_integer(data, size, out);
}

ARUS_INLINE bool quick_int(struct no_state *state, const char *data, uint32_t size, int32_t *out)
{
    int64_t value;

    (void)state;
    if (!quick_integer(data, size, &value) || value != (int32_t)value) {
        return false;
    }
    *out = (int32_t)value;
    return true;
}

ARUS_INLINE bool quick_smallint(struct no_state *state, const char *data, uint32_t size,
                                int16_t *out)
{
    int64_t value;

    (void)state;
    if (!quick_integer(data, size, &value) || value != (int16_t)value) {
        return false;
    }
    *out = (int16_t)value;
    return true;
}

ARUS_INLINE bool quick_tinyint(struct no_state *state, const char *data, uint32_t size, int8_t *out)
{
    int64_t value;

    (void)state;
    if (!quick_integer(data, size, &value) || value != (int8_t)value) {
        return false;
    }
    *out = (int8_t)value;
    return true;
}

/* ---- doubles ---- */

static const double POWERS[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* Up to 15 digits with a point somewhere: exact, for both the digits and the power fit a double. */
static bool loop_double(const char *data, uint32_t size, double *out)
{
    uint64_t digits = 0;
    uint32_t count = 0;
    uint32_t point = UINT32_MAX;

    for (uint32_t i = 0; i < size; i++) {
        const unsigned char digit = (unsigned char)(data[i] - '0');

        if (digit < 10) {
            digits = digits * 10 + digit;
            count++;
        } else if (data[i] == '.' && point == UINT32_MAX) {
            point = i;
        } else {
            return false;
        }
    }
    if (count == 0 || count > 15) {
        return false;
    }
    *out = (double)digits / POWERS[point == UINT32_MAX ? 0 : size - 1 - point];
    return true;
}

ARUS_INLINE bool quick_double(struct no_state *state, const char *data, uint32_t size, double *out)
{
    const bool is_negative = data[0] == '-';
    double value;

    (void)state;
    data += is_negative;
    size -= is_negative;
    if (size >= 2 && size <= 8) {
        const uint64_t word = load8(data);
        const uint64_t points = word ^ 0x2E2E2E2E2E2E2E2EULL;
        const uint64_t hit = ((points - 0x0101010101010101ULL) & ~points & 0x8080808080808080ULL);
        const uint32_t point = hit == 0 ? 8 : (uint32_t)__builtin_ctzll(hit) / 8;

        if (point < size) { /* close the gap at the point: one digit less */
            const uint64_t front = ((uint64_t)1 << (8 * point)) - 1;
            uint64_t digits = (word & front) | ((word >> 8) & ~front);

            digits = (digits ^ ZEROS) << (8 * (9 - size));
            if (!are_digits(digits)) {
                return false;
            }
            value = digits8(digits) / POWERS[size - 1 - point];
            *out = is_negative ? -value : value;
            return true;
        }
    }
    if (size == 0 || size > 16 || !loop_double(data, size, &value)) {
        return false;
    }
    *out = is_negative ? -value : value;
    return true;
}

/* ---- booleans and strings ---- */

/* Without a branch on the value: it is anybody's guess. */
ARUS_INLINE bool quick_boolean(struct no_state *state, const char *data, uint32_t size,
                               uint8_t *out)
{
    const uint64_t word = load8(data);
    const bool is_true = size == 4 && (uint32_t)word == 0x65757274;
    const bool is_false = size == 5 && (word & 0xFFFFFFFFFF) == 0x65736C6166;

    (void)state;
    *out = is_true;
    return (unsigned)is_true | (unsigned)is_false;
}

ARUS_INLINE bool quick_string(struct no_state *state, const char *data, uint32_t size,
                              struct arus_view *out)
{
    uint32_t prefix;

    (void)state;
    memcpy(&prefix, data, sizeof prefix);
    prefix &= size >= 4 ? UINT32_MAX : ((uint32_t)1 << (8 * size)) - 1;
    out->size = size;
    memcpy(out->prefix, &prefix, sizeof prefix);
    out->data = data;
    return true;
}

/* ---- dates and times ---- */

/* The last date met: neighbours mostly share it. */
struct date_state {
    uint64_t word; /* yyyy-mm- */
    uint16_t day;
    int32_t days;
};

ARUS_INLINE bool two_digits(const char *data, uint32_t *out)
{
    const unsigned char a = (unsigned char)(data[0] - '0');
    const unsigned char b = (unsigned char)(data[1] - '0');

    *out = (uint32_t)a * 10 + b;
    return a < 10 && b < 10;
}

/* yyyy-mm-dd */
static bool parse_new_date(const char *data, int32_t *out)
{
    uint32_t century;
    uint32_t year;
    uint32_t month;
    uint32_t day;

    return two_digits(data, &century) && two_digits(data + 2, &year) && data[4] == '-' &&
           two_digits(data + 5, &month) && data[7] == '-' && two_digits(data + 8, &day) &&
           arus_date_make((int64_t)century * 100 + year, month, day, out);
}

ARUS_INLINE bool quick_days(struct date_state *state, const char *data, int32_t *out)
{
    const uint64_t word = load8(data);
    uint16_t day;

    memcpy(&day, data + 8, sizeof day);
    if (ARUS_UNLIKELY(word != state->word || day != state->day)) {
        if (!parse_new_date(data, &state->days)) {
            state->word = 0;
            return false;
        }
        state->word = word;
        state->day = day;
    }
    *out = state->days;
    return true;
}

ARUS_INLINE bool quick_date(struct date_state *state, const char *data, uint32_t size, int32_t *out)
{
    return size == 10 && quick_days(state, data, out);
}

/* hh:mm:ss */
ARUS_INLINE bool quick_clock(const char *data, int64_t *micros)
{
    const uint64_t word = load8(data) ^ 0x30303A30303A3030ULL;
    const uint64_t pairs = word * 10 + (word >> 8);
    const uint32_t hour = pairs & 0xFF;
    const uint32_t minute = (pairs >> 24) & 0xFF;
    const uint32_t second = (pairs >> 48) & 0xFF;

    *micros = (int64_t)(hour * 3600 + minute * 60 + second) * 1000000;
    return are_digits(word) && (word & 0x0000FF0000FF0000ULL) == 0 && hour < 24 && minute < 60 &&
           second < 60;
}

/* Up to six digits behind the point. */
ARUS_INLINE bool quick_fraction(const char *data, uint32_t size, int64_t *micros)
{
    static const uint32_t SCALES[] = {1000000, 100000, 10000, 1000, 100, 10, 1};
    const uint64_t digits = digits_of(data, size);

    *micros = (int64_t)digits8(digits) * SCALES[size];
    return are_digits(digits);
}

/* yyyy-mm-dd[T ]hh:mm:ss[.ffffff][Z]: the wall clock, and whether a Z stands behind it. */
ARUS_INLINE bool quick_wall(struct date_state *state, const char *data, uint32_t size, int64_t *out,
                            bool *has_zone)
{
    int64_t micros;
    int64_t fraction = 0;
    int32_t days;

    if (size < 19 || (data[10] != 'T' && data[10] != ' ')) {
        return false;
    }
    *has_zone = data[size - 1] == 'Z';
    size -= *has_zone;
    if (!quick_days(state, data, &days) || !quick_clock(data + 11, &micros)) {
        return false;
    }
    if (size > 19 && (data[19] != '.' || size == 20 || size > 26 ||
                      !quick_fraction(data + 20, size - 20, &fraction))) {
        return false;
    }
    *out = days * ARUS_MICROS_PER_DAY + micros + fraction;
    return true;
}

ARUS_INLINE bool quick_utc(struct date_state *state, const char *data, uint32_t size, int64_t *out)
{
    bool has_zone;

    return quick_wall(state, data, size, out, &has_zone);
}

ARUS_INLINE bool quick_zulu(struct date_state *state, const char *data, uint32_t size, int64_t *out)
{
    bool has_zone;

    return quick_wall(state, data, size, out, &has_zone) && has_zone;
}

ARUS_INLINE bool quick_ntz(struct date_state *state, const char *data, uint32_t size, int64_t *out)
{
    bool has_zone;

    return quick_wall(state, data, size, out, &has_zone) && !has_zone;
}

/* ---- one function per kind of column ---- */

#define NAME  fill_bigint
#define TYPE  int64_t
#define QUICK quick_bigint
#define STATE struct no_state
#include "format/csv_fill.inc.h"

#define NAME  fill_int
#define TYPE  int32_t
#define QUICK quick_int
#define STATE struct no_state
#include "format/csv_fill.inc.h"

#define NAME  fill_smallint
#define TYPE  int16_t
#define QUICK quick_smallint
#define STATE struct no_state
#include "format/csv_fill.inc.h"

#define NAME  fill_tinyint
#define TYPE  int8_t
#define QUICK quick_tinyint
#define STATE struct no_state
#include "format/csv_fill.inc.h"

#define NAME  fill_double
#define TYPE  double
#define QUICK quick_double
#define STATE struct no_state
#include "format/csv_fill.inc.h"

#define NAME  fill_boolean
#define TYPE  uint8_t
#define QUICK quick_boolean
#define STATE struct no_state
#include "format/csv_fill.inc.h"

#define NAME  fill_view
#define TYPE  struct arus_view
#define QUICK quick_string
#define STATE struct no_state
#include "format/csv_fill.inc.h"

#define NAME  fill_date
#define TYPE  int32_t
#define QUICK quick_date
#define STATE struct date_state
#include "format/csv_fill.inc.h"

#define NAME  fill_timestamp_utc
#define TYPE  int64_t
#define QUICK quick_utc
#define STATE struct date_state
#include "format/csv_fill.inc.h"

#define NAME  fill_timestamp_zulu
#define TYPE  int64_t
#define QUICK quick_zulu
#define STATE struct date_state
#include "format/csv_fill.inc.h"

#define NAME  fill_ntz
#define TYPE  int64_t
#define QUICK quick_ntz
#define STATE struct date_state
#include "format/csv_fill.inc.h"

/* Always the exact way. */
ARUS_INLINE bool never(struct no_state *state, const char *data, uint32_t size, char *out)
{
    (void)state;
    (void)data;
    (void)size;
    (void)out;
    return false;
}

#define NAME  fill_exactly
#define TYPE  char
#define QUICK never
#define STATE struct no_state
#include "format/csv_fill.inc.h"

/* A number that is also one of the special texts must not be taken for a number. */
static bool has_odd_specials(const struct csv_read_settings *settings)
{
    const struct arus_text texts[] = {settings->nan_value, settings->positive_inf,
                                      settings->negative_inf};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value;

        if (texts[i].size == 0 ||
            (texts[i].size <= 16 && loop_double(texts[i].data, (uint32_t)texts[i].size, &value)) ||
            (texts[i].size <= 17 && texts[i].data[0] == '-' &&
             loop_double(texts[i].data + 1, (uint32_t)texts[i].size - 1, &value))) {
            return true;
        }
    }
    return false;
}

/* Both forms of a kind of column. */
struct csv_kind {
    csv_fill_fn fill;
    csv_quick_fn quick;
};

#define KIND(name) ((struct csv_kind){name, name##_one})

static struct csv_kind timestamp_kind(const struct csv_read_settings *settings,
                                      const struct arus_zone *zone)
{
    if (settings->timestamp_format.data != NULL) {
        return KIND(fill_exactly);
    }
    return zone == ARUS_ZONE_UTC ||
                   arus_text_equal(arus_zone_name(zone), arus_zone_name(ARUS_ZONE_UTC))
               ? KIND(fill_timestamp_utc)
               : KIND(fill_timestamp_zulu);
}

static struct csv_kind choose_kind(const struct arus_type *type,
                                   const struct csv_read_settings *settings,
                                   const struct arus_zone *zone)
{
    switch (type->id) {
    case ARUS_TYPE_BIGINT:
        return KIND(fill_bigint);
    case ARUS_TYPE_INT:
        return KIND(fill_int);
    case ARUS_TYPE_SMALLINT:
        return KIND(fill_smallint);
    case ARUS_TYPE_TINYINT:
        return KIND(fill_tinyint);
    case ARUS_TYPE_DOUBLE:
        return has_odd_specials(settings) ? KIND(fill_exactly) : KIND(fill_double);
    case ARUS_TYPE_BOOLEAN:
        return KIND(fill_boolean);
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_BINARY:
        return KIND(fill_view);
    case ARUS_TYPE_DATE:
        return settings->date_format.data != NULL ? KIND(fill_exactly) : KIND(fill_date);
    case ARUS_TYPE_TIMESTAMP:
        return timestamp_kind(settings, zone);
    case ARUS_TYPE_TIMESTAMP_NTZ:
        return settings->ntz_format.data != NULL ? KIND(fill_exactly) : KIND(fill_ntz);
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_FLOAT:
    case ARUS_TYPE_DECIMAL:
    case ARUS_TYPE_INTERVAL_YM:
    case ARUS_TYPE_INTERVAL_DT:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        break;
    }
    return KIND(fill_exactly);
}

enum arus_status csv_column_init(struct csv_column *column, const struct arus_type *type,
                                 uint32_t token, const struct csv_cells *cells,
                                 struct arus_error *err)
{
    const struct csv_kind kind = choose_kind(type, cells->settings, cells->time.zone);

    *column =
        (struct csv_column){.type = type, .token = token, .fill = kind.fill, .quick = kind.quick};
    column->value_size = arus_type_value_size(type);
    column->values = arus_alloc_buffer((size_t)column->value_size * ARUS_BATCH_ROWS);
    column->validity = arus_alloc_buffer(ARUS_BATCH_ROWS / 8);
    if (column->values == NULL || column->validity == NULL) {
        return arus_fail_memory(err);
    }
    memset(column->values, 0, (size_t)column->value_size * ARUS_BATCH_ROWS);
    return ARUS_OK;
}

void csv_column_release(struct csv_column *column)
{
    arus_free(column->values);
    arus_free(column->validity);
    *column = (struct csv_column){0};
}

void csv_column_reset(struct csv_column *column)
{
    memset(column->validity, 0xFF, ARUS_BATCH_ROWS / 8);
    column->null_count = 0;
}

void csv_column_set_null(struct csv_column *column, uint32_t row)
{
    memset(column->values + (size_t)row * column->value_size, 0, column->value_size);
    arus_bit_clear(column->validity, row);
    column->null_count++;
}

bool csv_column_set_quickly(struct csv_column *column, uint32_t row, struct arus_text cell,
                            struct csv_cells *cells)
{
    if (!column->quick(column->values + (size_t)row * column->value_size, cell)) {
        return csv_column_set(column, row, cell, cells);
    }
    arus_bit_set(column->validity, row);
    return true;
}

bool csv_column_set(struct csv_column *column, uint32_t row, struct arus_text cell,
                    struct csv_cells *cells)
{
    _Alignas(16) char value[16];

    if (!csv_cell_parse(cells, column->type, cell, value)) {
        csv_column_set_null(column, row);
        return false;
    }
    memcpy(column->values + (size_t)row * column->value_size, value, column->value_size);
    arus_bit_set(column->validity, row);
    return true;
}
