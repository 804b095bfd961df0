/** Intervals: months (year-month), microseconds (day-time), and their texts. Nothing allocates. */
#ifndef ARUS_TYPES_INTERVAL_H
#define ARUS_TYPES_INTERVAL_H

#include "types/type.h"

/**
 * Unit text: `1 day 2 hours`, `interval 1.5 seconds`, `-1 month 3 weeks`; units year month week day
 * hour minute second millisecond microsecond (+s), any case; fractions only for seconds. False: bad
 * text or overflow.
 */
bool arus_interval_parse_units(struct arus_text text, struct arus_interval *out);

/**
 * CAST(text AS INTERVAL first TO last): `1-2`, `1 02:03:04.5`, one number for a single field, or
 * the full literal `INTERVAL '..' DAY TO SECOND`. `type` INTERVAL_YM: *out months; INTERVAL_DT:
 * microseconds. Errors: ARUS_BAD_DATA, INVALID_INTERVAL_FORMAT.*, INTERVAL_ARITHMETIC_OVERFLOW.*:
 * as Spark.
 */
ARUS_MUST_USE enum arus_status arus_interval_parse(struct arus_text text,
                                                   const struct arus_type *type, int64_t *out,
                                                   struct arus_error *err);
/** The body of a literal: INTERVAL 'text' first TO last. Same texts without the word INTERVAL. */
ARUS_MUST_USE enum arus_status arus_interval_parse_literal(struct arus_text text,
                                                           const struct arus_type *type,
                                                           int64_t *out, struct arus_error *err);

#define ARUS_INTERVAL_TEXT_MAX 128
/** `INTERVAL '1 02:03:04.5' DAY TO SECOND`; value in months or microseconds. Returns the size, no
 * NUL. */
size_t arus_interval_write(int64_t value, const struct arus_type *type, char *out);
/** `1 day 2 hours 0.5 seconds`-like unit text of both families, Spark's CalendarInterval.toString.
 */
size_t arus_interval_write_units(struct arus_interval value, char *out);

/** `YEAR` ... `SECOND`, upper case. */
struct arus_text arus_interval_field_name(enum arus_interval_field field);

#endif
