/** Compiling patterns: Spark's checks first, then Java's DateTimeFormatterBuilder.appendPattern. */
#include "types/datetime_pattern_internal.h"

#define OPS_MAX     1000
#define DEPTH_MAX   32
#define COUNT_MAX   255
#define YEAR_WIDTH  19
#define OP_TEXT_MAX 128 /* a zone's id or name is the longest */

struct builder {
    struct arus_text pattern;
    enum arus_pattern_use use;
    bool has_era;
    bool has_fraction; /* parsing: S takes any number of digits up to its count */
    struct arus_pattern_op *ops;
    uint16_t count;
    int32_t value_index; /* the number that adjacent fixed numbers take digits from; -1: none */
    uint16_t open[DEPTH_MAX];
    uint32_t depth;
};

enum fault { NONE, WEEK_BASED, ILLEGAL, LENGTH, INVALID };

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* ---- Spark's checks ---- */

/* Copies the parts outside of quotes one by one; a quoted part is every second one. */
static bool contains_run(struct arus_text part, char letter, size_t count)
{
    size_t run = 0;

    for (size_t i = 0; i < part.size; i++) {
        run = part.data[i] == letter ? run + 1 : 0;
        if (run == count) {
            return true;
        }
    }
    return false;
}

static enum fault check_part(struct arus_text part, enum arus_pattern_use use)
{
    for (size_t i = 0; i < part.size; i++) {
        if (part.data[i] != '\0' && strchr("YWwuec", part.data[i]) != NULL) {
            return WEEK_BASED;
        }
    }
    for (size_t i = 0; i < part.size; i++) {
        const char c = part.data[i];

        if (c != '\0' && (strchr("ABnNp", c) != NULL ||
                          (use != ARUS_PATTERN_FORMAT && strchr("EFqQ", c) != NULL))) {
            return ILLEGAL;
        }
    }
    for (const char *letter = "GMLEQq"; *letter != '\0'; letter++) {
        if (contains_run(part, *letter, 5)) {
            return LENGTH;
        }
    }
    return contains_run(part, 'y', 11) ? LENGTH : NONE;
}

/* The stretch up to the next quote. */
static struct arus_text part_at(struct arus_text pattern, size_t at)
{
    size_t end = at;

    while (end < pattern.size && pattern.data[end] != '\'') {
        end++;
    }
    return (struct arus_text){pattern.data + at, end - at};
}

static enum fault check_pattern(struct builder *builder)
{
    enum fault fault = NONE;
    bool is_quoted = false;

    for (size_t at = 0; at <= builder->pattern.size; is_quoted = !is_quoted) {
        const struct arus_text part = part_at(builder->pattern, at);

        at += part.size + 1;
        if (!is_quoted && part.size != 0) {
            builder->has_era |= memchr(part.data, 'G', part.size) != NULL;
            builder->has_fraction |= memchr(part.data, 'S', part.size) != NULL;
            fault = fault == NONE ? check_part(part, builder->use) : fault;
        }
    }
    return fault;
}

/* Would Java's old SimpleDateFormat take it? Then Spark says that its meaning has changed. */
static bool is_legacy(struct arus_text pattern)
{
    bool is_quoted = false;
    size_t run = 0;

    for (size_t i = 0; i < pattern.size; i++) {
        const char c = pattern.data[i];

        if (c == '\'') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && is_letter(c)) {
            run = i > 0 && pattern.data[i - 1] == c ? run + 1 : 1;
            if (strchr("GyMdkHmsSEDFwWahKzZYuXL", c) == NULL || (c == 'X' && run > 3)) {
                return false;
            }
        }
    }
    return !is_quoted;
}

/* ---- operations ---- */

static bool add(struct builder *builder, struct arus_pattern_op op)
{
    if (builder->count == OPS_MAX) {
        return false;
    }
    builder->ops[builder->count++] = op;
    builder->value_index = -1;
    return true;
}

/* Java's adjacent value parsing: fixed widths behind a number reserve its last digits. */
static bool add_value(struct builder *builder, struct arus_pattern_op op)
{
    const int32_t index = builder->value_index;
    const bool is_fixed = op.min == op.max && op.sign == ARUS_SIGN_NOT_NEGATIVE;

    if (!add(builder, op)) {
        return false;
    }
    if (index >= 0 && is_fixed) {
        builder->ops[index].reserved = (uint8_t)(builder->ops[index].reserved + op.max);
        builder->value_index = index;
    } else {
        builder->value_index = builder->count - 1;
    }
    return true;
}

static bool add_number(struct builder *builder, enum arus_pattern_field field, uint32_t min,
                       uint32_t max, enum arus_pattern_sign sign)
{
    return add_value(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_NUMBER,
                                                       .field = field,
                                                       .sign = sign,
                                                       .min = (uint8_t)min,
                                                       .max = (uint8_t)max});
}

/* One letter: any width; two: exactly two digits. */
static bool add_one_or_two(struct builder *builder, enum arus_pattern_field field, uint32_t count)
{
    if (count == 1) {
        return add_number(builder, field, 1, YEAR_WIDTH, ARUS_SIGN_NORMAL);
    }
    return count == 2 && add_number(builder, field, 2, 2, ARUS_SIGN_NOT_NEGATIVE);
}

static bool add_text(struct builder *builder, enum arus_pattern_field field, bool is_full)
{
    return add(builder, (struct arus_pattern_op){
                            .kind = ARUS_PATTERN_TEXT, .field = field, .is_full = is_full});
}

static bool add_year(struct builder *builder, uint32_t count)
{
    const enum arus_pattern_field field =
        builder->has_era ? ARUS_PATTERN_YEAR_OF_ERA : ARUS_PATTERN_YEAR;

    if (count == 2) {
        return add_value(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_REDUCED,
                                                           .field = field,
                                                           .sign = ARUS_SIGN_NOT_NEGATIVE,
                                                           .min = 2,
                                                           .max = 2});
    }
    return add_number(builder, field, count, YEAR_WIDTH,
                      count < 4 ? ARUS_SIGN_NORMAL : ARUS_SIGN_EXCEEDS_PAD);
}

static bool add_month(struct builder *builder, enum arus_pattern_field field, uint32_t count)
{
    return count < 3 ? add_one_or_two(builder, field, count)
                     : count < 5 && add_text(builder, field, count == 4);
}

static bool add_fraction(struct builder *builder, uint32_t count)
{
    const struct arus_pattern_op op = {
        .kind = ARUS_PATTERN_FRACTION,
        .field = ARUS_PATTERN_NANO,
        .sign = ARUS_SIGN_NOT_NEGATIVE,
        .min = builder->use != ARUS_PATTERN_FORMAT ? 1 : (uint8_t)count,
        .max = (uint8_t)count,
    };

    if (count > 9) {
        return false;
    }
    return op.min == op.max ? add_value(builder, op) : add(builder, op);
}

static bool add_offset(struct builder *builder, uint32_t type, struct arus_text none)
{
    return add(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_OFFSET_ID,
                                                 .field = ARUS_PATTERN_OFFSET,
                                                 .offset_type = (uint8_t)type,
                                                 .literal = none});
}

static bool add_gmt(struct builder *builder, bool is_full)
{
    return add(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_OFFSET_GMT,
                                                 .field = ARUS_PATTERN_OFFSET,
                                                 .is_full = is_full});
}

static bool add_offset_letter(struct builder *builder, char letter, uint32_t count)
{
    static const uint8_t TYPES[] = {1, 3, 4, 5, 6}; /* +HHmm +HHMM +HH:MM +HHMMss +HH:MM:ss */

    if (letter == 'O') {
        return (count == 1 || count == 4) && add_gmt(builder, count == 4);
    }
    if (letter == 'Z') {
        return count < 4    ? add_offset(builder, 3, ARUS_TEXT("+0000"))
               : count == 4 ? add_gmt(builder, true)
                            : count == 5 && add_offset(builder, 6, ARUS_TEXT("Z"));
    }
    if (count > 5) {
        return false;
    }
    if (letter == 'X') {
        return add_offset(builder, TYPES[count - 1], ARUS_TEXT("Z"));
    }
    return add_offset(builder, TYPES[count - 1],
                      count == 1       ? ARUS_TEXT("+00")
                      : count % 2 == 0 ? ARUS_TEXT("+0000")
                                       : ARUS_TEXT("+00:00"));
}

static bool add_zone(struct builder *builder, char letter, uint32_t count)
{
    if (letter == 'V') {
        return count == 2 && add(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_ZONE_ID});
    }
    return count < 5 && add(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_ZONE_NAME,
                                                              .is_full = count == 4});
}

static bool add_letter(struct builder *builder, char letter, uint32_t count)
{
    switch (letter) {
    case 'y':
        return add_year(builder, count);
    case 'G':
        return count < 5 && add_text(builder, ARUS_PATTERN_ERA, count == 4);
    case 'Q':
    case 'q':
        return add_month(builder, ARUS_PATTERN_QUARTER, count);
    case 'M':
    case 'L':
        return add_month(builder, ARUS_PATTERN_MONTH, count);
    case 'd':
        return add_one_or_two(builder, ARUS_PATTERN_DAY, count);
    case 'D':
        return count == 1 ? add_one_or_two(builder, ARUS_PATTERN_DAY_OF_YEAR, 1)
                          : count < 4 && add_number(builder, ARUS_PATTERN_DAY_OF_YEAR, count, 3,
                                                    ARUS_SIGN_NOT_NEGATIVE);
    case 'F':
        return count == 1 && add_one_or_two(builder, ARUS_PATTERN_DAY_IN_MONTH_WEEK, 1);
    case 'g':
        return count < 20 &&
               add_number(builder, ARUS_PATTERN_JULIAN_DAY, count, YEAR_WIDTH, ARUS_SIGN_NORMAL);
    case 'E':
        return count < 5 && add_text(builder, ARUS_PATTERN_WEEKDAY, count == 4);
    case 'a':
        return count == 1 && add_text(builder, ARUS_PATTERN_AMPM, false);
    case 'H':
        return add_one_or_two(builder, ARUS_PATTERN_HOUR, count);
    case 'k':
        return add_one_or_two(builder, ARUS_PATTERN_CLOCK_HOUR, count);
    case 'K':
        return add_one_or_two(builder, ARUS_PATTERN_HOUR_AMPM, count);
    case 'h':
        return add_one_or_two(builder, ARUS_PATTERN_CLOCK_AMPM, count);
    case 'm':
        return add_one_or_two(builder, ARUS_PATTERN_MINUTE, count);
    case 's':
        return add_one_or_two(builder, ARUS_PATTERN_SECOND, count);
    case 'S':
        return add_fraction(builder, count);
    case 'X':
    case 'x':
    case 'Z':
    case 'O':
        return add_offset_letter(builder, letter, count);
    case 'V':
    case 'z':
        return add_zone(builder, letter, count);
    default:
        return false;
    }
}

/* ---- the pattern ---- */

static bool add_literal(struct builder *builder, struct arus_text text)
{
    return add(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_LITERAL, .literal = text});
}

/* Behind an opening quote; doubled quotes stand for one. */
static bool add_quoted(struct builder *builder, size_t *at)
{
    const struct arus_text pattern = builder->pattern;
    size_t begin = *at;

    if (begin < pattern.size && pattern.data[begin] == '\'') {
        *at += 1;
        return add_literal(builder, (struct arus_text){pattern.data + begin, 1});
    }
    for (; *at < pattern.size; *at += 1) {
        if (pattern.data[*at] != '\'') {
            continue;
        }
        if (*at > begin &&
            !add_literal(builder, (struct arus_text){pattern.data + begin, *at - begin})) {
            return false;
        }
        if (*at + 1 == pattern.size || pattern.data[*at + 1] != '\'') {
            *at += 1;
            return true;
        }
        begin = ++*at; /* the second quote is text */
    }
    return false;
}

static bool close_optional(struct builder *builder)
{
    if (builder->depth == 0) {
        return false;
    }
    builder->ops[builder->open[--builder->depth]].end = builder->count;
    return add(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_OPTIONAL_END});
}

static bool open_optional(struct builder *builder)
{
    if (builder->depth == DEPTH_MAX) {
        return false;
    }
    builder->open[builder->depth++] = builder->count;
    return add(builder, (struct arus_pattern_op){.kind = ARUS_PATTERN_OPTIONAL_BEGIN});
}

/* What stands at *at; moves behind it. */
static bool add_next(struct builder *builder, size_t *at)
{
    const struct arus_text pattern = builder->pattern;
    const size_t begin = *at;
    const char c = pattern.data[begin];

    *at += 1;
    if (is_letter(c)) {
        while (*at < pattern.size && pattern.data[*at] == c) {
            *at += 1;
        }
        return *at - begin <= COUNT_MAX && add_letter(builder, c, (uint32_t)(*at - begin));
    }
    switch (c) {
    case '\'':
        return add_quoted(builder, at);
    case '[':
        return open_optional(builder);
    case ']':
        return close_optional(builder);
    case '{':
    case '}':
    case '#':
        return false;
    default:
        return add_literal(builder, (struct arus_text){pattern.data + begin, 1});
    }
}

static bool build(struct builder *builder)
{
    size_t at = 0;

    while (at < builder->pattern.size) {
        if (!add_next(builder, &at)) {
            return false;
        }
    }
    while (builder->depth > 0) {
        if (!close_optional(builder)) {
            return false;
        }
    }
    return true;
}

static enum arus_status fail(enum fault fault, enum arus_pattern_use use, struct arus_text pattern,
                             struct arus_error *err)
{
    static const char *const CONDITIONS[] = {
        [NONE] = NULL,
        [WEEK_BASED] = "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN",
        [ILLEGAL] = "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER",
        [LENGTH] = "INVALID_DATETIME_PATTERN.LENGTH",
        [INVALID] = "INVALID_DATETIME_PATTERN.WITH_SUGGESTION",
    };
    static const char *const REASONS[] = {
        [NONE] = "",
        [WEEK_BASED] = "week-based letters (Y W w u e c) are not supported",
        [ILLEGAL] = "a letter in it is not supported here",
        [LENGTH] = "too many letters of one kind",
        [INVALID] = "unknown letter, count or quote",
    };
    const char *condition = use == ARUS_PATTERN_PARSE_NTZ ? CONDITIONS[INVALID]
                            : is_legacy(pattern)
                                ? "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"
                                : CONDITIONS[fault];

    return arus_fail(err, ARUS_BAD_DATA, condition, "bad date pattern '%.*s': %s",
                     ARUS_TEXT_ARGS(pattern), REASONS[fault]);
}

static uint32_t text_max(const struct arus_pattern_op *ops, uint16_t count)
{
    size_t size = 0;

    for (uint16_t i = 0; i < count; i++) {
        size += OP_TEXT_MAX + ops[i].literal.size;
    }
    return (uint32_t)size;
}

enum arus_status arus_datetime_pattern_compile(struct arus_text pattern, enum arus_pattern_use use,
                                               struct arus_arena *arena,
                                               const struct arus_datetime_pattern **out,
                                               struct arus_error *err)
{
    struct builder builder = {.use = use, .value_index = -1};
    struct arus_datetime_pattern *compiled;
    enum fault fault;

    ARUS_TRY(arus_text_copy(pattern, arena, &builder.pattern, err));
    fault = check_pattern(&builder);
    if (fault != NONE) {
        return fail(fault, use, pattern, err);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_pattern_op,
                      (pattern.size < OPS_MAX / 2 ? pattern.size * 2 : OPS_MAX) + 1, &builder.ops,
                      err));
    if (!build(&builder)) {
        return fail(INVALID, use, pattern, err);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_datetime_pattern, 1, &compiled, err));
    *compiled = (struct arus_datetime_pattern){builder.ops, builder.count,
                                               text_max(builder.ops, builder.count)};
    *out = compiled;
    return ARUS_OK;
}

struct arus_text arus_pattern_name(enum arus_pattern_field field, bool is_full, int64_t value)
{
    static const char *const MONTHS[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    static const char *const DAYS[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday"};
    static const char *const QUARTERS[] = {"1st quarter", "2nd quarter", "3rd quarter",
                                           "4th quarter"};
    static const char *const SHORT_QUARTERS[] = {"Q1", "Q2", "Q3", "Q4"};
    static const char *const ERAS[] = {"Before Christ", "Anno Domini"};
    static const char *const SHORT_ERAS[] = {"BC", "AD"};
    static const char *const HALVES[] = {"AM", "PM"};
    struct arus_text name = {0};

    if (field == ARUS_PATTERN_MONTH && value >= 1 && value <= 12) {
        name = arus_text_of(MONTHS[value - 1]);
        name.size = is_full ? name.size : 3;
    } else if (field == ARUS_PATTERN_WEEKDAY && value >= 1 && value <= 7) {
        name = arus_text_of(DAYS[value - 1]);
        name.size = is_full ? name.size : 3;
    } else if (field == ARUS_PATTERN_QUARTER && value >= 1 && value <= 4) {
        name = arus_text_of(is_full ? QUARTERS[value - 1] : SHORT_QUARTERS[value - 1]);
    } else if (field == ARUS_PATTERN_ERA && value >= 0 && value <= 1) {
        name = arus_text_of(is_full ? ERAS[value] : SHORT_ERAS[value]);
    } else if (field == ARUS_PATTERN_AMPM && value >= 0 && value <= 1) {
        name = arus_text_of(HALVES[value]);
    }
    return name;
}
