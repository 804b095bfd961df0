/** What a batch leaves behind for `arus status`. */
#include "plan/explain.h"
#include "stream/query_internal.h"

#include <inttypes.h>

enum arus_status arus_query_describe(struct arus_query *query, struct arus_error *err)
{
    const struct arus_physical *physical = query->config.plan->physical;

    ARUS_TRY(ARUS_NEW(&query->arena, struct arus_summary_place, physical->watermark_count + 1,
                      &query->watermark_places, err));
    for (uint32_t s = 0; s < physical->stage_count; s++) {
        const struct arus_stage *stage = &physical->stages[s];

        for (uint32_t i = 0; i < stage->step_count; i++) {
            const struct arus_step *step = stage->steps[i];

            if (step->kind == ARUS_STEP_WATERMARK) {
                struct arus_summary_place *place = &query->watermark_places[step->watermark.index];

                place->source = stage->from == ARUS_FROM_SCAN ? stage->scan.source->table->name
                                                              : (struct arus_text){0};
                place->column = step->schema->fields[step->watermark.column].name;
            }
        }
    }
    ARUS_TRY(ARUS_NEW(&query->arena, struct arus_text, physical->operator_count + 1,
                      &query->state_titles, err));
    for (uint32_t i = 0; i < physical->operator_count; i++) {
        arus_buffer_reset(&query->text);
        ARUS_TRY(arus_explain_operator(physical, i, &query->text, err));
        ARUS_TRY(arus_text_copy(arus_buffer_text(&query->text), &query->arena,
                                &query->state_titles[i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_query_check_fates(const struct arus_progress *progress,
                                        struct arus_error *err)
{
    const struct arus_fates *fates = &progress->fates;
    const uint64_t sum =
        fates->taken + fates->late + fates->rejected + fates->filtered + fates->duplicate;

    if (sum == progress->input_rows) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_FATAL, NULL,
                     "internal error: %" PRIu64 " rows were read, but %" PRIu64 " taken, %" PRIu64
                     " late, %" PRIu64 " rejected, %" PRIu64 " filtered, %" PRIu64 " duplicate",
                     progress->input_rows, fates->taken, fates->late, fates->rejected,
                     fates->filtered, fates->duplicate);
}

void arus_row_sums_add(struct arus_row_sums *sums, const struct arus_progress *progress)
{
    sums->in += progress->input_rows;
    sums->taken += progress->fates.taken;
    sums->late += progress->fates.late;
    sums->rejected += progress->fates.rejected;
    sums->filtered += progress->fates.filtered;
    sums->duplicate += progress->fates.duplicate;
    sums->out += progress->output_rows;
}

/* What leaves the state next, as the watermark rises: of all groups, the one that ends first. */
static void note_next_close(const struct arus_query *query, uint32_t id,
                            struct arus_query_summary *summary)
{
    const struct arus_state_operator *item = query->config.plan->physical->operators[id];
    int64_t ends_ms;

    if ((item->kind == ARUS_STATE_AGGREGATE || item->kind == ARUS_STATE_SESSION) &&
        arus_exec_next_expiry(query->exec, id, &ends_ms) &&
        (summary->next_close_ms == ARUS_WATERMARK_UNKNOWN || ends_ms < summary->next_close_ms)) {
        summary->next_close_ms = ends_ms;
    }
}

static enum arus_status summarise_state(struct arus_query *query,
                                        const struct arus_progress *progress,
                                        struct arus_query_summary *summary, struct arus_error *err)
{
    summary->state_count = progress->operator_count;
    ARUS_TRY(ARUS_NEW(&query->batch, struct arus_summary_state, summary->state_count + 1,
                      &summary->states, err));
    for (uint32_t i = 0; i < progress->operator_count; i++) {
        summary->states[i] =
            (struct arus_summary_state){.name = arus_text_of(progress->operators[i].name),
                                        .title = query->state_titles[i],
                                        .rows = progress->operators[i].total_rows,
                                        .bytes = progress->operators[i].memory_size};
        note_next_close(query, i, summary);
    }
    return ARUS_OK;
}

enum arus_status arus_query_summarise(struct arus_query *query, const struct arus_batch_plan *plan,
                                      const struct arus_progress *progress, int64_t *nodes,
                                      int64_t next_watermark_ms, struct arus_error *err)
{
    const struct arus_stream_query *config = query->config.plan;
    struct arus_query_summary summary = {.query = config->name,
                                         .watermarks = nodes,
                                         .watermark_count = query->time.count,
                                         .watermark_ms = next_watermark_ms,
                                         .watermark_places = query->watermark_places,
                                         .next_close_ms = ARUS_WATERMARK_UNKNOWN,
                                         .sink_format =
                                             arus_text_of(config->sink_config->connector->name),
                                         .sink_location = config->sink->location,
                                         .timestamp_ms = plan->timestamp_ms,
                                         .rows = query->sums,
                                         .source_count = query->source_count};

    if (query->config.pipeline != NULL) {
        summary.pipeline = arus_text_of(query->config.pipeline);
    }
    if (config->sink->path != NULL) {
        summary.sink_path = arus_text_of(config->sink->path);
    }
    ARUS_TRY(ARUS_NEW(&query->batch, struct arus_summary_source, query->source_count + 1,
                      &summary.sources, err));
    for (uint32_t i = 0; i < query->source_count; i++) {
        const struct arus_query_source *source = &query->sources[i];

        summary.sources[i] = (struct arus_summary_source){
            .kind = arus_text_of(source->source->table->connector->name),
            .path = source->source->path == NULL ? (struct arus_text){0}
                                                 : arus_text_of(source->source->path),
            .location = source->source->location,
            .known_count = source->planned.known_count,
            .left_count = source->planned.left_count,
        };
    }
    arus_row_sums_add(&summary.rows, progress);
    ARUS_TRY(summarise_state(query, progress, &summary, err));
    arus_buffer_reset(&query->text);
    ARUS_TRY(arus_progress_json(progress, &query->text, err));
    summary.progress = arus_buffer_text(&query->text);
    arus_buffer_reset(&query->extra);
    return arus_summary_format(&summary, &query->extra, err);
}
