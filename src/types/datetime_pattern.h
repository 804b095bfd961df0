/** Java DateTimeFormatter patterns as Spark takes them: compiled once, then strict formatting and
 * parsing. */
#ifndef ARUS_TYPES_DATETIME_PATTERN_H
#define ARUS_TYPES_DATETIME_PATTERN_H

#include "types/datetime.h"

/** Opaque, immutable; lives in the arena. */
struct arus_datetime_pattern;

/** Parsing refuses some letters that formatting takes (week day names, E). For TIMESTAMP_NTZ every
 * fault is INVALID_DATETIME_PATTERN.WITH_SUGGESTION. */
enum arus_pattern_use { ARUS_PATTERN_FORMAT, ARUS_PATTERN_PARSE, ARUS_PATTERN_PARSE_NTZ };

/**
 * Errors: ARUS_BAD_DATA with INVALID_DATETIME_PATTERN.* or
 * INCONSISTENT_BEHAVIOR_CROSS_VERSION.*, as Spark raises them at run time.
 */
ARUS_MUST_USE enum arus_status
arus_datetime_pattern_compile(struct arus_text pattern, enum arus_pattern_use use,
                              struct arus_arena *arena, const struct arus_datetime_pattern **out,
                              struct arus_error *err);
/** The instant on the wall clock of `zone`. */
ARUS_MUST_USE enum arus_status
arus_datetime_pattern_format(const struct arus_datetime_pattern *pattern, int64_t utc_micros,
                             const struct arus_zone *zone, struct arus_buffer *out,
                             struct arus_error *err);
/** The whole text must fit. False: it does not. Missing fields: 1970-01-01 00:00:00; a zone in the
 * text wins. */
bool arus_datetime_pattern_parse(const struct arus_datetime_pattern *pattern, struct arus_text text,
                                 const struct arus_timestamp_context *context, int64_t *out);
/** Wall clock of the text; a zone in it is dropped (or refused). */
bool arus_datetime_pattern_parse_ntz(const struct arus_datetime_pattern *pattern,
                                     struct arus_text text, enum arus_ntz_zone zone, int64_t *out);

#endif
