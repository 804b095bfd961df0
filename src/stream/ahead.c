/** The next micro-batch is read while this one is made durable. It is not planned before its turn:
 * what was read ahead counts only if the plan then asks for the same. */
#include "stream/query_internal.h"

static bool has_sides(const struct arus_query *query)
{
    for (int i = 0; i < ARUS_SIDE_COUNT; i++) {
        if (query->sides.format != NULL && query->sides.writer.is_on[i]) {
            return true;
        }
    }
    return false;
}

/* Only where batches follow each other at once, and nothing but the state waits for the rows. */
static bool can_run_ahead(const struct arus_query *query)
{
    const bool is_available_now =
        query->config.available_now ||
        query->config.plan->properties.trigger == ARUS_TRIGGER_AVAILABLE_NOW;
    bool can = is_available_now && query->config.clock == NULL && !has_sides(query) &&
               (query->config.stop == NULL || query->config.stop->level == ARUS_STOP_NO) &&
               arus_exec_can_run_ahead(query->exec);

    for (uint32_t i = 0; i < query->source_count; i++) {
        can = can && query->sources[i].source->ops->stream_peek != NULL;
    }
    return can;
}

static enum arus_status peek(struct arus_query *query, struct arus_splits *splits, bool *has_new,
                             struct arus_error *err)
{
    const struct arus_plan_limits limits = {.is_available_now = true};

    *has_new = false;
    for (uint32_t i = 0; i < query->source_count; i++) {
        ARUS_TRY(query->sources[i].source->ops->stream_peek(query->sources[i].stream, &limits,
                                                            arus_exec_thread_count(query->exec),
                                                            &query->ahead.arena, &splits[i], err));
        *has_new = *has_new || splits[i].count != 0;
    }
    return ARUS_OK;
}

static enum arus_status begin(struct arus_query *query, const struct arus_batch_record *record,
                              struct arus_error *err)
{
    struct arus_exec_run run = {0};
    struct arus_splits *splits;
    bool has_new;

    arus_arena_reset(&query->ahead.arena);
    ARUS_TRY(
        ARUS_NEW(&query->ahead.arena, struct arus_splits, query->source_count + 1, &splits, err));
    ARUS_TRY(peek(query, splits, &has_new, err));
    if (!has_new) {
        return ARUS_OK;
    }
    query->ahead.timestamp_ms = arus_query_now_ms(query);
    arus_query_describe_run(query, query->ahead.timestamp_ms, record->next_watermark_ms,
                            record->plan.watermark_ms, splits, &run);
    ARUS_TRY(arus_exec_run_ahead(query->exec, &run, err));
    query->ahead.is_begun = true;
    return ARUS_OK;
}

void arus_query_run_ahead(struct arus_query *query, const struct arus_batch_record *record)
{
    struct arus_error ignored;

    query->ahead.is_begun = false;
    if (can_run_ahead(query)) {
        arus_ignore(begin(query, record, &ignored)); /* it shows again where it belongs */
    }
}
