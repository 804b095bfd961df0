/** What a zone is: rows of transitions, searched by a coarse index. */
#ifndef ARUS_TYPES_ZONE_INTERNAL_H
#define ARUS_TYPES_ZONE_INTERNAL_H

#include "types/zone.h"

#define ARUS_ZONE_STEP_BITS 24 /* one index entry per 2^24 seconds, 194 days */

/** From `utc` on the offset is `offset`. */
struct arus_zone_row {
    int64_t utc;    /* seconds */
    int64_t local;  /* wall clock seconds from which on the new offset is meant */
    int32_t offset; /* seconds east */
    bool is_daylight;
};

struct arus_zone {
    struct arus_text name;
    const struct arus_zone_row *rows; /* [row_count], rising; rows[0] begins at INT64_MIN */
    const uint16_t *steps;            /* [step_count] last row that begins at or before a step */
    uint32_t row_count;               /* 1: a fixed offset */
    uint32_t step_count;
    int64_t steps_begin; /* seconds */
    int64_t
        cycle_begin; /* seconds; later instants repeat every 400 years; INT64_MAX: they do not */
    const struct arus_zone_names *names; /* NULL: none */
};

/** Reads TZif bytes. False: not such a file, or damaged. */
ARUS_MUST_USE enum arus_status arus_zone_read(struct arus_text bytes, struct arus_arena *arena,
                                              struct arus_zone *out, bool *is_zone,
                                              struct arus_error *err);

/** The rule behind the last transition: `EST5EDT,M3.2.0,M11.1.0`. */
struct arus_zone_rule_day {
    uint8_t kind;  /* 'M', 'J' or 0 (day of year from 0) */
    uint8_t month; /* 1..12 */
    uint8_t week;  /* 1..5 */
    uint16_t day;  /* day of week or of year */
    int32_t time;  /* seconds after midnight, may be negative */
};
struct arus_zone_rule {
    int32_t standard; /* seconds east */
    int32_t daylight;
    bool has_daylight;
    struct arus_zone_rule_day begin; /* of daylight time */
    struct arus_zone_rule_day end;
};
bool arus_zone_rule_parse(struct arus_text text, struct arus_zone_rule *out);
/** The two transitions of a year, in UTC seconds. */
void arus_zone_rule_year(const struct arus_zone_rule *rule, int64_t year, int64_t *begin,
                         int64_t *end);

#endif
