/* Interval literals: units to months or microseconds. */
#include "column/value.h"
#include "plan/from_sql.h"
#include "plan/say.h"
#include "sql/parser.h"

#include <string.h>

enum { MONTHS_PER_YEAR = 12 };
#define BAD_NUMBER        "INVALID_INTERVAL_FORMAT.UNRECOGNIZED_NUMBER"
#define BAD_RANGE         "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING"
#define MICROS_PER_SECOND ((int64_t)1000000)

/* What the parts add up to. */
struct interval_sum {
    int64_t months;
    int64_t micros;
    int first; /* enum arus_interval_field; -1: none yet */
    int last;
    struct arus_place place;
};

struct unit_row {
    const char *name;
    enum arus_interval_field field;
    int64_t factor; /* months or microseconds */
};

static const struct unit_row UNITS[] = {
    [ARUS_AST_YEAR] = {"year", ARUS_INTERVAL_YEAR, MONTHS_PER_YEAR},
    [ARUS_AST_MONTH] = {"month", ARUS_INTERVAL_MONTH, 1},
    [ARUS_AST_WEEK] = {"week", ARUS_INTERVAL_DAY, 7 * 86400 * MICROS_PER_SECOND},
    [ARUS_AST_DAY] = {"day", ARUS_INTERVAL_DAY, 86400 * MICROS_PER_SECOND},
    [ARUS_AST_HOUR] = {"hour", ARUS_INTERVAL_HOUR, 3600 * MICROS_PER_SECOND},
    [ARUS_AST_MINUTE] = {"minute", ARUS_INTERVAL_MINUTE, 60 * MICROS_PER_SECOND},
    [ARUS_AST_SECOND] = {"second", ARUS_INTERVAL_SECOND, MICROS_PER_SECOND},
    [ARUS_AST_MILLISECOND] = {"millisecond", ARUS_INTERVAL_SECOND, 1000},
    [ARUS_AST_MICROSECOND] = {"microsecond", ARUS_INTERVAL_SECOND, 1},
};
enum { UNIT_COUNT = sizeof(UNITS) / sizeof(UNITS[0]) };

static enum arus_status bad_interval(struct arus_error *err, struct arus_place place,
                                     const char *condition, struct arus_text text)
{
    arus_say(err, place, condition, "`%.*s` is no interval", ARUS_TEXT_ARGS(text));
    return arus_error_help(err, "INTERVAL 10 MINUTES, or INTERVAL '1 02:03:04' DAY TO SECOND");
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct arus_text trim(struct arus_text text)
{
    while (text.size > 0 && is_blank(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

/* Digits at the start of `*text`, taken off; -1: none, or too many. */
static int64_t take_digits(struct arus_text *text)
{
    int64_t value = 0;
    size_t i = 0;

    while (i < text->size && text->data[i] >= '0' && text->data[i] <= '9') {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, text->data[i] - '0', &value)) {
            return -1;
        }
        i++;
    }
    if (i == 0) {
        return -1;
    }
    text->data += i;
    text->size -= i;
    return value;
}

/* `.123` as microseconds, taken off; digits behind the sixth are cut. */
static int64_t take_fraction(struct arus_text *text)
{
    int64_t micros = 0;
    int64_t unit = MICROS_PER_SECOND / 10;
    size_t i = 1;

    if (text->size == 0 || text->data[0] != '.') {
        return 0;
    }
    while (i < text->size && text->data[i] >= '0' && text->data[i] <= '9' && i <= 9) {
        micros += (text->data[i] - '0') * unit;
        unit /= 10;
        i++;
    }
    text->data += i;
    text->size -= i;
    return micros;
}

static bool take_sign(struct arus_text *text)
{
    const bool is_negative = text->size > 0 && text->data[0] == '-';

    if (text->size > 0 && (text->data[0] == '-' || text->data[0] == '+')) {
        text->data++;
        text->size--;
    }
    return is_negative;
}

static enum arus_status add_unit(struct interval_sum *sum, int64_t value, int64_t extra,
                                 enum arus_ast_unit unit, struct arus_error *err)
{
    const struct unit_row *row = &UNITS[unit];
    int64_t *total = row->field <= ARUS_INTERVAL_MONTH ? &sum->months : &sum->micros;
    int64_t part = 0;

    if (sum->first >= 0 &&
        (sum->first <= ARUS_INTERVAL_MONTH) != (row->field <= ARUS_INTERVAL_MONTH)) {
        arus_say(err, sum->place, "_LEGACY_ERROR_TEMP_0029",
                 "an interval is either years and months, or days and smaller units");
        return arus_error_help(err, "use two intervals");
    }
    if (__builtin_mul_overflow(value, row->factor, &part) ||
        __builtin_add_overflow(part, extra, &part) || __builtin_add_overflow(*total, part, total)) {
        return arus_fail_at(err, sum->place, "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
                            "the interval is too long");
    }
    sum->first = sum->first < 0 || (int)row->field < sum->first ? (int)row->field : sum->first;
    sum->last = (int)row->field > sum->last ? (int)row->field : sum->last;
    return ARUS_OK;
}

/* One number with its unit: `-1.5` SECOND. */
static enum arus_status add_value(struct interval_sum *sum, struct arus_text text, bool is_negative,
                                  enum arus_ast_unit unit, struct arus_error *err)
{
    const struct arus_text whole = text;
    int64_t value = 0;
    int64_t extra = 0;
    bool has_digits = true;

    text = trim(text);
    is_negative ^= take_sign(&text);
    text = trim(text);
    if (text.size > 0 && text.data[0] == '.') {
        has_digits = text.size > 1;
    } else {
        value = take_digits(&text);
    }
    if (unit == ARUS_AST_SECOND) {
        extra = take_fraction(&text);
    } else if (text.size > 0 && text.data[0] == '.') {
        return arus_fail_at(err, sum->place, "INVALID_INTERVAL_FORMAT.INVALID_FRACTION",
                            "only seconds have a fraction: `%.*s`", ARUS_TEXT_ARGS(whole));
    }
    if (value < 0 || !has_digits || text.size > 0) {
        return bad_interval(err, sum->place, BAD_NUMBER, whole);
    }
    return add_unit(sum, is_negative ? -value : value, is_negative ? -extra : extra, unit, err);
}

static int find_unit(struct arus_text word)
{
    for (int i = 0; i < UNIT_COUNT; i++) {
        const struct arus_text name = arus_text_of(UNITS[i].name);
        struct arus_text plural = word;

        if (word.size == name.size + 1 && (word.data[name.size] | 0x20) == 's') {
            plural.size--;
        }
        if (arus_text_equal_nocase(plural, name)) {
            return i;
        }
    }
    return -1;
}

static struct arus_text take_word(struct arus_text *text)
{
    struct arus_text word = {text->data, 0};

    *text = trim(*text);
    word.data = text->data;
    while (word.size < text->size && !is_blank(text->data[word.size])) {
        word.size++;
    }
    text->data += word.size;
    text->size -= word.size;
    return word;
}

/* '10 minutes 3 seconds', 'interval 1 day' */
static enum arus_status add_text(struct interval_sum *sum, struct arus_text text, bool is_negative,
                                 struct arus_error *err)
{
    struct arus_text rest = trim(text);
    struct arus_text number;

    number = take_word(&rest);
    if (arus_text_equal_nocase(number, ARUS_TEXT("interval"))) {
        number = take_word(&rest);
    }
    if (number.size == 0) {
        return bad_interval(err, sum->place, BAD_NUMBER, text);
    }
    while (number.size > 0) {
        struct arus_text word;
        int unit = 0;

        if (number.size == 1 && (number.data[0] == '-' || number.data[0] == '+')) {
            const char *start = number.data;

            number = take_word(&rest);
            number = (struct arus_text){start, (size_t)(number.data + number.size - start)};
        }
        word = take_word(&rest);
        if (word.size == 0) {
            return arus_fail_at(err, sum->place, "INVALID_INTERVAL_FORMAT.MISSING_UNIT",
                                "`%.*s` has no unit of time", ARUS_TEXT_ARGS(text));
        }
        unit = find_unit(word);
        if (unit < 0) {
            arus_say(err, sum->place, "INVALID_INTERVAL_FORMAT.INVALID_UNIT",
                     "`%.*s` is no unit of time", ARUS_TEXT_ARGS(word));
            return arus_error_help(err, "units: year month week day hour minute second "
                                        "millisecond microsecond");
        }
        ARUS_TRY(add_value(sum, number, is_negative, (enum arus_ast_unit)unit, err));
        number = take_word(&rest);
    }
    return ARUS_OK;
}

/* '1-2' YEAR TO MONTH, '1 02:03:04.5' DAY TO SECOND: numbers with one separator between each pair
 */
static enum arus_status add_range(struct interval_sum *sum,
                                  const struct arus_ast_interval *interval, struct arus_error *err)
{
    static const char SEPARATORS[] = {'-', '\0', ' ', ':', ':'}; /* behind year .. minute */
    static const int64_t LIMITS[] = {INT64_MAX, 11, INT64_MAX, 23, 59, 59};
    const struct arus_ast_interval_part *part = &interval->parts[0];
    const int first = (int)UNITS[part->unit].field;
    const int last = (int)UNITS[interval->to].field;
    struct arus_text text = trim(part->value);
    bool is_negative = part->is_negative;

    is_negative ^= take_sign(&text);
    for (int field = first; field <= last; field++) {
        const enum arus_ast_unit unit = field <= ARUS_INTERVAL_MONTH
                                            ? (enum arus_ast_unit)field
                                            : (enum arus_ast_unit)(field + 1); /* no WEEK */
        const int64_t value = take_digits(&text);
        int64_t extra = 0;

        if (value < 0 || (field > first && value > LIMITS[field])) {
            return bad_interval(err, part->place, BAD_RANGE, part->value);
        }
        if (field == ARUS_INTERVAL_SECOND) {
            extra = take_fraction(&text);
        }
        ARUS_TRY(
            add_unit(sum, is_negative ? -value : value, is_negative ? -extra : extra, unit, err));
        if (field == last) {
            break;
        }
        if (text.size == 0 || text.data[0] != SEPARATORS[field]) {
            return bad_interval(err, part->place, BAD_RANGE, part->value);
        }
        text.data++;
        text.size--;
    }
    return text.size == 0 ? ARUS_OK : bad_interval(err, part->place, BAD_RANGE, part->value);
}

static enum arus_status add_units(struct interval_sum *sum,
                                  const struct arus_ast_interval *interval, struct arus_error *err)
{
    for (uint32_t i = 0; i < interval->part_count; i++) {
        const struct arus_ast_interval_part *part = &interval->parts[i];

        ARUS_TRY(add_value(sum, part->value, part->is_negative, part->unit, err));
    }
    return ARUS_OK;
}

static enum arus_status add_literal(struct interval_sum *sum,
                                    const struct arus_ast_interval *interval,
                                    struct arus_error *err)
{
    switch (interval->form) {
    case ARUS_AST_INTERVAL_UNITS:
        return add_units(sum, interval, err);
    case ARUS_AST_INTERVAL_RANGE:
        return add_range(sum, interval, err);
    case ARUS_AST_INTERVAL_TEXT:
        return add_text(sum, interval->parts[0].value, interval->parts[0].is_negative, err);
    }
    return ARUS_OK;
}

/* interval '3' day, interval '1 2:3:4' day to second: as in SQL */
static enum arus_status add_sql(struct interval_sum *sum, struct arus_text text,
                                struct arus_error *err)
{
    const struct arus_ast_expr *expr = NULL;
    struct arus_arena arena;
    enum arus_status status;

    arus_arena_init(&arena, 0);
    status = arus_sql_parse_expr(text, &arena, &expr, err);
    if (status == ARUS_OK && expr->kind == ARUS_AST_INTERVAL) {
        status = add_literal(sum, &expr->interval, err);
    } else if (status != ARUS_NO_MEMORY) {
        status = bad_interval(err, sum->place, BAD_NUMBER, text);
    }
    arus_arena_release(&arena);
    return status;
}

enum arus_status arus_interval_read(struct arus_text text, struct arus_place place, int64_t *months,
                                    int64_t *micros, struct arus_error *err)
{
    struct interval_sum sum = {.first = -1, .last = -1, .place = place};
    const struct arus_text word = ARUS_TEXT("interval");
    const struct arus_text trimmed = trim(text);
    const bool is_sql = trimmed.size > word.size &&
                        arus_text_equal_nocase((struct arus_text){trimmed.data, word.size}, word) &&
                        memchr(trimmed.data, '\'', trimmed.size) != NULL;

    ARUS_TRY(is_sql ? add_sql(&sum, trimmed, err) : add_text(&sum, text, false, err));
    *months = sum.months;
    *micros = sum.micros;
    return ARUS_OK;
}

enum arus_status arus_from_sql_interval(const struct arus_ast_interval *interval,
                                        struct arus_place place, struct arus_arena *arena,
                                        struct arus_vector *out, struct arus_error *err)
{
    struct interval_sum sum = {.first = -1, .last = -1, .place = place};
    const struct arus_type *type = NULL;
    int32_t months = 0;

    if (interval->form == ARUS_AST_INTERVAL_TEXT) {
        if (add_literal(&sum, interval, err) != ARUS_OK) {
            err->condition = "INVALID_TYPED_LITERAL";
            return err->status;
        }
    } else {
        ARUS_TRY(add_literal(&sum, interval, err));
    }
    ARUS_TRY(arus_type_interval((enum arus_interval_field)sum.first,
                                (enum arus_interval_field)sum.last, arena, &type, err));
    if (type->id == ARUS_TYPE_INTERVAL_DT) {
        return arus_value_make(type, &sum.micros, 1, arena, out, err);
    }
    if (sum.months < INT32_MIN || sum.months > INT32_MAX) {
        return arus_fail_at(err, place, "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
                            "the interval is too long");
    }
    months = (int32_t)sum.months;
    return arus_value_make(type, &months, 1, arena, out, err);
}
