#include "stream/event_time.h"

#include <string.h>

enum arus_status arus_event_time_open(struct arus_event_time *time,
                                      const struct arus_physical *physical, struct arus_text policy,
                                      struct arus_arena *arena, struct arus_error *err)
{
    time->count = physical->watermark_count;
    time->takes_max = arus_text_equal_nocase(policy, ARUS_TEXT("max"));
    ARUS_TRY(ARUS_NEW(arena, int64_t, (size_t)time->count + 1, &time->delays_ms, err));
    ARUS_TRY(ARUS_NEW(arena, int64_t, (size_t)time->count + 1, &time->nodes_ms, err));
    for (uint32_t i = 0; i < time->count; i++) {
        time->nodes_ms[i] = ARUS_WATERMARK_UNKNOWN;
    }
    for (uint32_t s = 0; s < physical->stage_count; s++) {
        const struct arus_stage *stage = &physical->stages[s];

        for (uint32_t i = 0; i < stage->step_count; i++) {
            const struct arus_step *step = stage->steps[i];

            if (step->kind == ARUS_STEP_WATERMARK) {
                time->delays_ms[step->watermark.index] = step->watermark.delay_micros / 1000;
            }
        }
    }
    return ARUS_OK;
}

/* Rule: the smallest (or largest) of all steps; one that has seen nothing counts as 0. It never
 * goes back. */
static int64_t global_of(const struct arus_event_time *time, const int64_t *nodes)
{
    int64_t global = 0;

    for (uint32_t i = 0; i < time->count; i++) {
        const int64_t node = nodes[i] == ARUS_WATERMARK_UNKNOWN ? 0 : nodes[i];

        if (i == 0 || (time->takes_max ? node > global : node < global)) {
            global = node;
        }
    }
    return global > time->now_ms ? global : time->now_ms;
}

int64_t arus_event_time_next(const struct arus_event_time *time, const struct arus_exec *exec,
                             int64_t *nodes)
{
    for (uint32_t i = 0; i < time->count; i++) {
        const struct arus_event_stats stats = arus_exec_event_stats(exec, i);
        const int64_t seen = stats.max_ms - time->delays_ms[i];

        nodes[i] = time->nodes_ms[i];
        if (stats.count != 0 && (nodes[i] == ARUS_WATERMARK_UNKNOWN || seen > nodes[i])) {
            nodes[i] = seen;
        }
    }
    return global_of(time, nodes);
}

void arus_event_time_take(struct arus_event_time *time, const int64_t *nodes, size_t node_count,
                          int64_t ran_ms, int64_t next_ms)
{
    if (node_count == time->count && node_count != 0) {
        memcpy(time->nodes_ms, nodes, node_count * sizeof *nodes);
    }
    time->late_ms = ran_ms;
    time->now_ms = next_ms;
}
