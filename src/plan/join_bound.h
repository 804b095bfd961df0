/** How far the condition of a join of two streams ties the times of its sides together. */
#ifndef ARUS_PLAN_JOIN_BOUND_H
#define ARUS_PLAN_JOIN_BOUND_H

#include "plan/event_time.h"

/**
 * The state watermark of one side: its rows at or below it leave. With `has_time` it is
 * (watermark * 1000 + offset_micros) / 1000 - minus_ms, and with `has_limit` never above limit_ms.
 *
 * A limit comes from a comparison of the side with numbers alone, `v > 1`: Spark takes the number
 * for a time in seconds, so that the side hardly ever gets rid of a row. As Spark's results show it
 * (rows of outer joins that never come), it is the same here.
 */
struct arus_join_bound {
    bool has_time;
    bool has_limit;
    uint32_t column;       /* of the side; has_time */
    int64_t offset_micros; /* the smallest of all conjuncts */
    int64_t minus_ms;      /* 1: the comparison takes equal times */
    int64_t limit_ms;
};

/** One side of a condition over the columns of both. */
struct arus_bound_side {
    uint32_t begin;
    uint32_t end;
    const struct arus_event_mark *marks; /* [end - begin] */
};

/**
 * Solves the conjuncts of `condition` (NULL: none) for a column of `side`; marked columns of
 * `other` stand for the watermark. What cannot be solved bounds nothing. Rule: Spark's
 * StreamingJoinHelper.getStateValueWatermark.
 */
ARUS_MUST_USE enum arus_status arus_join_bound(const struct arus_expr *condition,
                                               const struct arus_bound_side *side,
                                               const struct arus_bound_side *other,
                                               struct arus_arena *arena,
                                               struct arus_join_bound *out, struct arus_error *err);

#endif
