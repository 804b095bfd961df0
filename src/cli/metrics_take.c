/** Numbers of a query, added up from its progress. */
#include "cli/metrics.h"
#include "cli/metrics_internal.h"

const double ARUS_METRICS_BOUNDS[ARUS_METRICS_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                          0.1,   0.25,   0.5,   1,    5,     30};

static void observe(struct arus_histogram *histogram, uint64_t duration_us)
{
    histogram->count++;
    histogram->sum_us += duration_us;
    for (int i = 0; i < ARUS_METRICS_BUCKETS; i++) {
        if ((double)duration_us <= ARUS_METRICS_BOUNDS[i] * 1e6) {
            histogram->counts[i]++;
            return;
        }
    }
}

static enum arus_status keep(struct arus_buffer *buffer, struct arus_text text,
                             struct arus_error *err)
{
    arus_buffer_reset(buffer);
    return arus_buffer_append_text(buffer, text, err);
}

/* Is anything left, and since when? Whatever waits came after `caught_up_ms`. */
static void take_lag(struct arus_source_metrics *to, const struct arus_source_progress *from,
                     int64_t trigger_ms)
{
    to->is_behind = from->left_count > 0 ||
                    (from->latest.size > 0 && !arus_text_equal(from->latest, from->end));
    if (!to->is_behind || to->caught_up_ms == 0) {
        to->caught_up_ms = trigger_ms;
    }
}

static enum arus_status take_sources(struct arus_query_metrics *metrics,
                                     const struct arus_progress *progress, struct arus_error *err)
{
    metrics->source_count = progress->source_count < ARUS_METRICS_SOURCES_MAX
                                ? (uint32_t)progress->source_count
                                : ARUS_METRICS_SOURCES_MAX;
    for (uint32_t i = 0; i < metrics->source_count; i++) {
        const struct arus_source_progress *from = &progress->sources[i];
        struct arus_source_metrics *to = &metrics->sources[i];

        ARUS_TRY(keep(&to->description, from->description, err));
        ARUS_TRY(keep(&to->end, from->end, err));
        ARUS_TRY(keep(&to->latest, from->latest, err));
        to->row_count += from->row_count;
        to->byte_count += from->byte_count;
        take_lag(to, from, progress->trigger_ms);
        to->left_count = from->left_count;
    }
    return ARUS_OK;
}

static void take_operators(struct arus_query_metrics *metrics, const struct arus_progress *progress)
{
    metrics->state_limit = progress->state_limit;
    if (progress->operator_count == 0) {
        return; /* none, or a batch that was only given out */
    }
    metrics->operator_count = progress->operator_count < ARUS_METRICS_OPERATORS_MAX
                                  ? progress->operator_count
                                  : ARUS_METRICS_OPERATORS_MAX;
    for (uint32_t i = 0; i < metrics->operator_count; i++) {
        metrics->operators[i].name = progress->operators[i].name;
        metrics->operators[i].rows = progress->operators[i].total_rows;
        metrics->operators[i].bytes = progress->operators[i].memory_size;
    }
}

static void take_batch(struct arus_query_metrics *metrics, const struct arus_progress *progress)
{
    metrics->batches++;
    metrics->output_rows += progress->output_rows;
    metrics->output_bytes += progress->output_bytes;
    metrics->late_rows += progress->fates.late;
    metrics->rejected_rows += progress->fates.rejected;
    metrics->duplicate_rows += progress->fates.duplicate;
    metrics->filtered_rows += progress->fates.filtered;
    metrics->last_batch_id = progress->batch_id;
    metrics->last_batch_ms =
        progress->trigger_ms + (int64_t)(arus_progress_duration_us(progress) / 1000);
    for (int phase = 0; phase < ARUS_PHASE_COUNT; phase++) {
        observe(&metrics->durations[phase], progress->phase_us[phase]);
    }
}

enum arus_status arus_metrics_take(struct arus_query_metrics *metrics,
                                   const struct arus_progress *progress, struct arus_error *err)
{
    metrics->is_ready = true;
    if (!progress->is_idle) {
        take_batch(metrics, progress);
    }
    if (progress->event.has_watermark && progress->event.watermark_ms > 0) {
        metrics->watermark_ms = progress->event.watermark_ms;
    }
    take_operators(metrics, progress);
    ARUS_TRY(take_sources(metrics, progress, err));
    arus_buffer_reset(&metrics->progress);
    return arus_progress_json(progress, &metrics->progress, err);
}

void arus_metrics_release(struct arus_query_metrics *metrics)
{
    for (uint32_t i = 0; i < ARUS_METRICS_SOURCES_MAX; i++) {
        arus_buffer_release(&metrics->sources[i].description);
        arus_buffer_release(&metrics->sources[i].end);
        arus_buffer_release(&metrics->sources[i].latest);
    }
    arus_buffer_release(&metrics->progress);
}
