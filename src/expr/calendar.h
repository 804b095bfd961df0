/** Calendar arithmetic on whole columns: fields of dates and times, truncation. Rows without a
 * value are computed like others. */
#ifndef ARUS_EXPR_CALENDAR_H
#define ARUS_EXPR_CALENDAR_H

#include "types/datetime.h"

/** As arus_date_field. False: `out` is undefined, a day is too far away or the field is not made
 * here. */
bool arus_calendar_field(enum arus_date_field field, const int32_t *days, uint32_t count,
                         int32_t *out);
/** Days of instants that are `offset` microseconds before the wall clock. */
void arus_calendar_days(const int64_t *micros, int64_t offset, uint32_t count, int32_t *out);

/** Adds `shift` microseconds. False: `out` is undefined, an instant is beyond the limits. */
bool arus_calendar_shift(const int64_t *micros, int64_t shift, uint32_t count, int64_t *out);

enum arus_calendar_clock { ARUS_CLOCK_HOUR, ARUS_CLOCK_MINUTE, ARUS_CLOCK_SECOND };
/** The hands of the clock. */
void arus_calendar_clock(enum arus_calendar_clock hand, const int64_t *micros, int64_t offset,
                         uint32_t count, int32_t *out);
/** As arus_timestamp_trunc. False: the unit is longer than a day. */
bool arus_calendar_trunc(enum arus_trunc_unit unit, const int64_t *micros, int64_t offset,
                         uint32_t count, int64_t *out);

#endif
