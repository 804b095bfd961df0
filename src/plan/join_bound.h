/** How far the condition of a join of two streams ties the times of its sides together. */
#ifndef ARUS_PLAN_JOIN_BOUND_H
#define ARUS_PLAN_JOIN_BOUND_H

#include "plan/event_time.h"

/**
 * `column > watermark * 1000 + offset_micros` holds for every row of one side that can still match,
 * in other words: rows at or below the state watermark
 * (watermark * 1000 + offset_micros) / 1000 - minus_ms never match again.
 */
struct arus_join_bound {
    bool is_bounded;
    uint32_t column;       /* of the side */
    int64_t offset_micros; /* the smallest of all conjuncts */
    int64_t minus_ms;      /* 1: the comparison takes equal times */
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
