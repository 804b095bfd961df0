/** A compiled pattern: a list of operations, used by formatting and parsing. */
#ifndef ARUS_TYPES_DATETIME_PATTERN_INTERNAL_H
#define ARUS_TYPES_DATETIME_PATTERN_INTERNAL_H

#include "types/datetime_pattern.h"

enum arus_pattern_field {
    ARUS_PATTERN_YEAR, /* proleptic: 0 is 1 BC */
    ARUS_PATTERN_YEAR_OF_ERA,
    ARUS_PATTERN_ERA, /* 0 BC, 1 AD */
    ARUS_PATTERN_QUARTER,
    ARUS_PATTERN_MONTH,
    ARUS_PATTERN_DAY,
    ARUS_PATTERN_DAY_OF_YEAR,
    ARUS_PATTERN_DAY_IN_MONTH_WEEK, /* 1..7: the day within a week that begins with the month */
    ARUS_PATTERN_JULIAN_DAY,        /* modified */
    ARUS_PATTERN_WEEKDAY,           /* Monday = 1 */
    ARUS_PATTERN_AMPM,
    ARUS_PATTERN_HOUR,       /* 0..23 */
    ARUS_PATTERN_CLOCK_HOUR, /* 1..24 */
    ARUS_PATTERN_HOUR_AMPM,  /* 0..11 */
    ARUS_PATTERN_CLOCK_AMPM, /* 1..12 */
    ARUS_PATTERN_MINUTE,
    ARUS_PATTERN_SECOND,
    ARUS_PATTERN_NANO,
    ARUS_PATTERN_OFFSET, /* seconds */
    ARUS_PATTERN_FIELD_COUNT
};

enum arus_pattern_kind {
    ARUS_PATTERN_LITERAL,
    ARUS_PATTERN_NUMBER,
    ARUS_PATTERN_REDUCED,  /* the last two digits of a year, 2000..2099 */
    ARUS_PATTERN_FRACTION, /* of a second */
    ARUS_PATTERN_TEXT,
    ARUS_PATTERN_OFFSET_ID,  /* +HH:MM and the like */
    ARUS_PATTERN_OFFSET_GMT, /* GMT+2 */
    ARUS_PATTERN_ZONE_ID,    /* VV */
    ARUS_PATTERN_ZONE_NAME,  /* z */
    ARUS_PATTERN_OPTIONAL_BEGIN,
    ARUS_PATTERN_OPTIONAL_END
};

/** Java's SignStyle, as far as patterns use it. */
enum arus_pattern_sign { ARUS_SIGN_NORMAL, ARUS_SIGN_EXCEEDS_PAD, ARUS_SIGN_NOT_NEGATIVE };

struct arus_pattern_op {
    enum arus_pattern_kind kind;
    enum arus_pattern_field field;
    enum arus_pattern_sign sign;
    uint8_t min; /* digits */
    uint8_t max;
    uint8_t reserved;         /* digits that the fixed numbers right behind need */
    bool is_full;             /* TEXT, OFFSET_GMT, ZONE_NAME: the long form */
    uint8_t offset_type;      /* OFFSET_ID: Java's index of `+HH`, `+HHmm`, ... */
    struct arus_text literal; /* LITERAL; OFFSET_ID: the text for none */
    uint16_t end;             /* OPTIONAL_BEGIN: index of its end */
};

struct arus_datetime_pattern {
    const struct arus_pattern_op *ops;
    uint16_t count;
    uint32_t text_max; /* bytes that formatting may write */
};

/** Name of a text field's value: month, weekday, quarter, era, am or pm; empty: out of range. */
struct arus_text arus_pattern_name(enum arus_pattern_field field, bool is_full, int64_t value);

#endif
