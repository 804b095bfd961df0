/** Which columns carry an event time with a watermark: Spark's column metadata `watermarkDelayMs`.
 */
#ifndef ARUS_PLAN_EVENT_TIME_H
#define ARUS_PLAN_EVENT_TIME_H

#include "plan/logical.h"

/** The mark of one column; zeroed: none. */
struct arus_event_mark {
    const struct arus_plan *origin; /* node that made the column; NULL: no event time */
    uint32_t origin_column;         /* of that node: copies of one column have the same origin */
    int64_t delay_micros;           /* of its watermark */
};

/**
 * out[i]: mark of column i. `out` has schema->field_count places.
 *
 * A mark follows the column by name and alias, window(col, ..), session_window(col, ..) and
 * window_time(window); any other expression loses it. Of a UNION the left side counts. A second
 * watermark takes the place of the first.
 */
ARUS_MUST_USE enum arus_status arus_event_marks(const struct arus_plan *plan,
                                                struct arus_arena *arena,
                                                const struct arus_event_mark **out,
                                                struct arus_error *err);
/** The mark of an expression over columns with these marks; zeroed: none. */
struct arus_event_mark arus_event_mark_of(const struct arus_expr *expr,
                                          const struct arus_event_mark *columns);
/**
 * The one marked column among `count` of them; -1: none. Copies of one column count once.
 * Errors: MULTIPLE_EVENT_TIME_COLUMNS at `place` unless `takes_first`.
 */
ARUS_MUST_USE enum arus_status arus_event_column(const struct arus_event_mark *marks,
                                                 uint32_t count, bool takes_first,
                                                 struct arus_place place, int32_t *out,
                                                 struct arus_error *err);

#endif
