/** The watermark of a running query. Rules: Spark's WatermarkTracker; facts in
 * docs/architecture.md. */
#ifndef ARUS_STREAM_EVENT_TIME_H
#define ARUS_STREAM_EVENT_TIME_H

#include "exec/exec.h"

#define ARUS_WATERMARK_UNKNOWN INT64_MIN /* no row came by since the query is there */

/** Zeroed, then opened. */
struct arus_event_time {
    int64_t *delays_ms; /* [count] of each WATERMARK step */
    int64_t *nodes_ms;  /* [count] the largest event time minus the delay; or UNKNOWN */
    uint32_t count;
    bool takes_max;   /* multipleWatermarkPolicy */
    int64_t now_ms;   /* W(N) of the next batch */
    int64_t late_ms;  /* W(N - 1) */
    bool wants_batch; /* the next batch is due without new input */
};

ARUS_MUST_USE enum arus_status
arus_event_time_open(struct arus_event_time *time, const struct arus_physical *physical,
                     struct arus_text policy, struct arus_arena *arena, struct arus_error *err);
/**
 * What the watermark is after a run; nodes[count] what each step knows then. Nothing is taken over
 * yet.
 */
int64_t arus_event_time_next(const struct arus_event_time *time, const struct arus_exec *exec,
                             int64_t *nodes);
/** The batch is published: it ran with `ran_ms`. */
void arus_event_time_take(struct arus_event_time *time, const int64_t *nodes, size_t node_count,
                          int64_t ran_ms, int64_t next_ms);

#endif
