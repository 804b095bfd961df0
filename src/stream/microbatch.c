/** One micro-batch by the commit protocol of docs/architecture.md: plan, run, prepare, publish,
 * finish. */
#include "base/failpoint.h"
#include "stream/query_internal.h"

#define SINK_OUTPUT "sink"

/* Times the phases of one trigger. */
struct timing {
    const struct arus_query *query;
    struct arus_progress *progress;
    int64_t since_us;
};

static void end_phase(struct timing *timing, enum arus_phase phase)
{
    const int64_t now_us = arus_query_now_us(timing->query);

    timing->progress->phase_us[phase] += (uint64_t)(now_us - timing->since_us);
    timing->since_us = now_us;
}

static enum arus_status plan_sources(struct arus_query *query, bool is_unlimited, bool *has_new,
                                     struct arus_error *err)
{
    const bool is_available_now =
        query->config.available_now ||
        query->config.plan->properties.trigger == ARUS_TRIGGER_AVAILABLE_NOW;
    const struct arus_plan_limits limits = {.is_unlimited = is_unlimited,
                                            .is_available_now = is_available_now,
                                            .now_ms = arus_query_now_ms(query)};

    *has_new = false;
    for (uint32_t i = 0; i < query->source_count; i++) {
        struct arus_query_source *source = &query->sources[i];

        ARUS_TRY(source->source->ops->stream_plan(source->stream, arus_buffer_text(&source->offset),
                                                  &limits, &query->batch, &source->planned, err));
        if (!source->planned.has_new) {
            source->planned.end = arus_buffer_text(&source->offset);
        }
        *has_new = *has_new || source->planned.has_new;
    }
    return ARUS_OK;
}

static enum arus_status batch_plan(struct arus_query *query, struct arus_batch_plan *out,
                                   struct arus_error *err)
{
    struct arus_text *offsets;

    ARUS_TRY(ARUS_NEW(&query->batch, struct arus_text, query->source_count + 1, &offsets, err));
    for (uint32_t i = 0; i < query->source_count; i++) {
        offsets[i] = query->sources[i].planned.end;
    }
    *out =
        (struct arus_batch_plan){.batch_id = query->next_batch_id,
                                 .watermark_ms = query->time.now_ms,
                                 .timestamp_ms = query->ahead.is_begun ? query->ahead.timestamp_ms
                                                                       : arus_query_now_ms(query),
                                 .offsets = offsets,
                                 .offset_count = query->source_count};
    query->ahead.is_begun = false;
    return ARUS_OK;
}

/* `is_repeat`: the plan is of an earlier run, whose files the sources have not counted. */
static enum arus_status find_splits(struct arus_query *query, const struct arus_batch_plan *plan,
                                    bool is_repeat, struct arus_splits *splits,
                                    struct arus_error *err)
{
    for (uint32_t i = 0; i < query->source_count; i++) {
        struct arus_query_source *source = &query->sources[i];
        const struct arus_text start = arus_buffer_text(&source->offset);

        splits[i] = (struct arus_splits){0};
        if (arus_text_equal(start, plan->offsets[i])) {
            continue;
        }
        ARUS_TRY(source->source->ops->stream_splits(
            source->stream, start, plan->offsets[i], arus_exec_scan(query->exec, i),
            arus_exec_thread_count(query->exec), &query->batch, &splits[i], err));
        source->planned.known_count += is_repeat ? splits[i].file_count : 0;
    }
    return ARUS_OK;
}

static enum arus_status note_sources(struct arus_query *query, struct arus_error *err)
{
    for (uint32_t i = 0; i < query->source_count; i++) {
        const struct arus_query_source *source = &query->sources[i];

        if (source->source->ops->stream_read != NULL) {
            ARUS_TRY(source->source->ops->stream_read(source->stream, err));
        }
    }
    return ARUS_OK;
}

static void describe_event_time(const struct arus_query *query, const struct arus_batch_plan *plan,
                                struct arus_progress *progress)
{
    struct arus_event_progress *event = &progress->event;

    event->has_watermark = query->time.count != 0;
    event->watermark_ms = plan->watermark_ms;
    for (uint32_t i = 0; i < query->time.count && !event->has_rows; i++) {
        const struct arus_event_stats stats = arus_exec_event_stats(query->exec, i);

        if (stats.count != 0) { /* Spark: the first watermark that saw rows */
            event->has_rows = true;
            event->min_ms = stats.min_ms;
            event->max_ms = stats.max_ms;
            event->avg_ms = (int64_t)(stats.sum_ms / (int64_t)stats.count);
        }
    }
}

static enum arus_status describe_operators(struct arus_query *query,
                                           const struct arus_batch_plan *plan,
                                           struct arus_progress *progress, struct arus_error *err)
{
    const uint32_t count = query->config.plan->physical->operator_count;
    struct arus_operator_stats *operators;

    describe_event_time(query, plan, progress);
    ARUS_TRY(
        ARUS_NEW(&query->batch, struct arus_operator_stats, (size_t)count + 1, &operators, err));
    for (uint32_t i = 0; i < count; i++) {
        operators[i] = arus_exec_operator_stats(query->exec, i);
    }
    progress->operators = operators;
    progress->operator_count = count;
    return ARUS_OK;
}

static enum arus_status describe_sources(struct arus_query *query,
                                         const struct arus_batch_plan *plan,
                                         struct arus_progress *progress, struct arus_error *err)
{
    struct arus_source_progress *sources;

    ARUS_TRY(ARUS_NEW(&query->batch, struct arus_source_progress, query->source_count + 1, &sources,
                      err));
    for (uint32_t i = 0; i < query->source_count; i++) {
        const struct arus_query_source *source = &query->sources[i];

        sources[i] = (struct arus_source_progress){.description = source->source->description,
                                                   .left_count = source->planned.left_count,
                                                   .known_count = source->planned.known_count,
                                                   .latest = source->planned.latest,
                                                   .metrics = source->planned.metrics};
        ARUS_TRY(arus_text_copy(arus_buffer_text(&source->offset), &query->batch, &sources[i].start,
                                err));
        if (plan != NULL) {
            const struct arus_scan_stats stats = arus_exec_source_stats(query->exec, i);

            sources[i].end = plan->offsets[i];
            sources[i].byte_count = stats.byte_count;
            sources[i].row_count = query->source_count == 1
                                       ? progress->input_rows /* also where nothing was read anew */
                                       : stats.row_count + stats.rejected_count;
        } else {
            sources[i].end = sources[i].start;
        }
    }
    progress->state_limit = (uint64_t)query->config.plan->properties.state_memory_limit;
    progress->sources = sources;
    progress->source_count = query->source_count;
    return ARUS_OK;
}

void arus_query_describe_run(const struct arus_query *query, int64_t timestamp_ms,
                             int64_t watermark_ms, int64_t watermark_before_ms,
                             const struct arus_splits *splits, struct arus_exec_run *out)
{
    *out = (struct arus_exec_run){
        .now_micros = timestamp_ms * 1000,
        .streams = splits,
        .watermark_ms = watermark_ms,
        .late_watermark_ms =
            query->config.plan->settings.allow_multiple ? watermark_before_ms : watermark_ms,
        .stop = query->config.stop == NULL ? NULL : &query->config.stop->level,
        .stop_at = ARUS_STOP_NOW}; /* a first signal lets it end */
}

/* Reads and computes the batch; its rows are with the workers of the sink. */
static enum arus_status compute_batch(struct arus_query *query, const struct arus_batch_plan *plan,
                                      struct arus_progress *progress, struct arus_error *err)
{
    const struct arus_sink_ops *ops = query->output.plan->ops;
    const struct arus_consumer consumer = arus_output_consumer(&query->output);
    struct arus_exec_stats stats = {0};
    struct arus_splits *splits;
    struct arus_exec_run run;
    enum arus_status status;

    ARUS_TRY(ops->stage_begin(query->output.sink, plan->batch_id, err));
    ARUS_TRY(ARUS_NEW(&query->batch, struct arus_splits, query->source_count + 1, &splits, err));
    ARUS_TRY(find_splits(query, plan, progress->is_repeat, splits, err));
    arus_query_describe_run(query, plan->timestamp_ms, plan->watermark_ms, query->time.late_ms,
                            splits, &run);
    run.live = &query->live.exec;
    ARUS_TRY(arus_query_sides_begin(query, plan->batch_id, plan->timestamp_ms, &run.side, err));
    status = arus_exec_run(query->exec, &run, &consumer, &stats, err);
    if (status != ARUS_OK) {
        arus_output_abandon_workers(&query->output);
        return status;
    }
    query->has_run = true;
    progress->input_rows = stats.input_rows;
    progress->fates = stats.fates;
    progress->output_rows = stats.output_rows;
    ARUS_TRY(describe_operators(query, plan, progress, err));
    return describe_sources(query, plan, progress, err);
}

/* Everything is durable in its staged form afterwards, and nothing is visible. */
static enum arus_status stage_batch(struct arus_query *query, const struct arus_batch_plan *plan,
                                    struct arus_progress *progress, struct arus_error *err)
{
    const struct arus_sink_ops *ops = query->output.plan->ops;
    struct arus_sink_stats written = {0};

    ARUS_TRY(
        arus_output_close_workers(&query->output, query->ahead.is_begun ? NULL : query->exec, err));
    ARUS_TRY(note_sources(query, err));
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_RUN, plan->batch_id);
    arus_buffer_reset(&query->manifest);
    ARUS_TRY(
        ops->stage_finish(query->output.sink, plan->batch_id, &query->manifest, &written, err));
    ARUS_TRY(arus_query_sides_finish(query, err));
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_STAGE_SYNC, plan->batch_id);
    progress->output_files = written.file_count;
    progress->output_bytes = written.byte_count;
    return arus_query_check_fates(progress, err);
}

static enum arus_status publish(struct arus_query *query, const struct arus_batch_record *record,
                                struct arus_error *err)
{
    for (size_t i = 0; i < record->output_count; i++) {
        if (arus_text_equal(record->outputs[i].name, ARUS_TEXT(SINK_OUTPUT))) {
            ARUS_TRY(query->output.plan->ops->publish(query->output.sink, record->plan.batch_id,
                                                      record->outputs[i].manifest, err));
        }
    }
    return arus_query_sides_publish(query, record, err);
}

static enum arus_status take_offsets(struct arus_query *query, const struct arus_batch_plan *plan,
                                     struct arus_error *err)
{
    for (uint32_t i = 0; i < query->source_count; i++) {
        struct arus_query_source *source = &query->sources[i];

        arus_buffer_reset(&source->offset);
        ARUS_TRY(arus_buffer_append_text(&source->offset, plan->offsets[i], err));
    }
    query->next_batch_id = plan->batch_id + 1;
    return ARUS_OK;
}

/* What was read for the batch before may be cleaned up now that the next one is planned: as late as
 * Spark does. */
static enum arus_status clean_sources(struct arus_query *query, struct arus_error *err)
{
    for (uint32_t i = 0; i < query->source_count; i++) {
        struct arus_query_source *source = &query->sources[i];

        if (source->offset.size != 0 && source->source->ops->stream_committed != NULL) {
            ARUS_TRY(source->source->ops->stream_committed(source->stream,
                                                           arus_buffer_text(&source->offset), err));
        }
    }
    return ARUS_OK;
}

static enum arus_status save_state(struct arus_query *query, int64_t batch_id,
                                   struct arus_error *err)
{
    const int64_t kept = query->config.plan->properties.min_batches_to_retain;

    return arus_exec_save_state(query->exec, batch_id, batch_id - kept,
                                arus_checkpoint_write(query->checkpoint), err);
}

/* The batch is published: its watermark counts from now on, and may make another batch due. */
static void take_time(struct arus_query *query, const struct arus_batch_record *record,
                      const int64_t *nodes, size_t node_count)
{
    arus_event_time_take(&query->time, nodes, node_count, record->plan.watermark_ms,
                         record->next_watermark_ms);
    query->time.wants_batch =
        arus_exec_wants_batch(query->exec, record->plan.watermark_ms, record->next_watermark_ms);
}

/* The sink, and side tables that got rows. */
static size_t list_outputs(const struct arus_query *query, struct arus_batch_output *out)
{
    size_t count = 0;

    out[count].name = ARUS_TEXT(SINK_OUTPUT);
    out[count++].manifest = arus_buffer_text(&query->manifest);
    for (int i = 0; i < ARUS_SIDE_COUNT; i++) {
        const struct arus_buffer *manifest = &query->sides.tables[i].manifest;

        if (manifest->size != 0) {
            out[count].name = arus_text_of(arus_side_name((enum arus_side)i));
            out[count++].manifest = arus_buffer_text(manifest);
        }
    }
    return count;
}

/* From a decided plan to a finished batch. */
static enum arus_status make_batch(struct arus_query *query, const struct arus_batch_plan *plan,
                                   struct timing *timing, struct arus_error *err)
{
    int64_t *nodes;
    struct arus_batch_output outputs[1 + ARUS_SIDE_COUNT];
    struct arus_batch_record record = {.plan = *plan, .outputs = outputs};

    arus_query_live_plan(query);
    ARUS_TRY(arus_checkpoint_plan(query->checkpoint, plan, err));
    ARUS_TRY(clean_sources(query, err));
    end_phase(timing, ARUS_PHASE_PLAN);
    ARUS_TRY(ARUS_NEW(&query->batch, int64_t, (size_t)query->time.count + 1, &nodes, err));
    ARUS_TRY(compute_batch(query, plan, timing->progress, err));
    record.next_watermark_ms = arus_event_time_next(&query->time, query->exec, nodes);
    arus_query_run_ahead(query, &record);
    ARUS_TRY(stage_batch(query, plan, timing->progress, err));
    end_phase(timing, ARUS_PHASE_RUN);
    record.output_count = list_outputs(query, outputs);
    ARUS_TRY(
        arus_query_summarise(query, plan, timing->progress, nodes, record.next_watermark_ms, err));
    record.extra = arus_buffer_text(&query->extra);
    ARUS_TRY(save_state(query, plan->batch_id, err));
    ARUS_TRY(arus_checkpoint_prepare(query->checkpoint, &record, err));
    arus_exec_settle_state(query->exec);
    query->is_prepared = true;
    end_phase(timing, ARUS_PHASE_PREPARE);
    ARUS_TRY(publish(query, &record, err));
    end_phase(timing, ARUS_PHASE_PUBLISH);
    ARUS_TRY(take_offsets(query, plan, err));
    take_time(query, &record, nodes, query->time.count);
    ARUS_TRY(arus_checkpoint_finish(query->checkpoint, plan->batch_id, err));
    end_phase(timing, ARUS_PHASE_FINISH);
    arus_row_sums_add(&query->sums, timing->progress);
    return ARUS_OK;
}

/* Who reports, and since when. */
static void introduce(const struct arus_query *query, struct arus_progress *progress)
{
    progress->id = arus_checkpoint_id(query->checkpoint);
    progress->run_id = query->run_id;
    progress->name = query->config.plan->properties.query_name;
    progress->sink = query->output.plan->description;
    progress->counts_rows = query->output.plan->counts_rows;
    progress->since_last_ms =
        query->has_triggered ? progress->trigger_ms - query->last_trigger_ms : 0;
}

/* A run that made batches says nothing when it ends; one that waits says so now and then. */
static bool is_worth_a_word(const struct arus_query *query, const struct arus_progress *progress)
{
    const bool ends = query->config.available_now ||
                      query->config.plan->properties.trigger != ARUS_TRIGGER_PROCESSING_TIME;

    if (!progress->is_idle || !query->has_reported) {
        return true;
    }
    return !ends && progress->trigger_ms - query->last_report_ms >=
                        query->config.plan->settings.no_data_progress_ms;
}

static void report(struct arus_query *query, struct arus_progress *progress)
{
    query->last_trigger_ms = progress->trigger_ms;
    query->has_triggered = true;
    if (!is_worth_a_word(query, progress)) {
        return;
    }
    query->last_report_ms = progress->trigger_ms;
    query->has_reported = true;
    if (query->config.on_progress != NULL) {
        query->config.on_progress(query->config.self, progress);
    }
}

/* What the batch did when it was computed, from the sums before it and behind it. */
static void recall_rows(struct arus_query *query, const struct arus_query_summary *summary,
                        struct arus_progress *progress)
{
    const struct arus_row_sums *before = &query->sums;
    const struct arus_row_sums *after = &summary->rows;

    if (summary->query.size == 0 || after->in < before->in) {
        return; /* not written by arus */
    }
    progress->input_rows = after->in - before->in;
    progress->output_rows = after->out - before->out;
    progress->fates = (struct arus_fates){.taken = after->taken - before->taken,
                                          .late = after->late - before->late,
                                          .rejected = after->rejected - before->rejected,
                                          .filtered = after->filtered - before->filtered,
                                          .duplicate = after->duplicate - before->duplicate};
    for (uint32_t i = 0; i < query->source_count && i < summary->source_count; i++) {
        query->sources[i].planned.known_count = summary->sources[i].known_count;
        query->sources[i].planned.left_count = summary->sources[i].left_count;
    }
    query->sums = *after;
}

/* What an earlier run prepared: the same bytes are handed out, nothing is computed. */
static enum arus_status finish_prepared(struct arus_query *query, struct timing *timing,
                                        struct arus_error *err)
{
    const struct arus_batch_record *record = &query->start.record;
    struct arus_query_summary summary;

    timing->progress->is_repeat = true;
    ARUS_TRY(arus_summary_parse(record->extra, &query->batch, &summary, err));
    ARUS_TRY(publish(query, record, err));
    recall_rows(query, &summary, timing->progress);
    ARUS_TRY(describe_sources(query, &record->plan, timing->progress, err));
    end_phase(timing, ARUS_PHASE_PUBLISH);
    ARUS_TRY(take_offsets(query, &record->plan, err));
    take_time(query, record, summary.watermarks, summary.watermark_count);
    ARUS_TRY(arus_checkpoint_finish(query->checkpoint, record->plan.batch_id, err));
    end_phase(timing, ARUS_PHASE_FINISH);
    return ARUS_OK;
}

/* Rule: once a batch ran, an idle record says how large the state is; nothing has changed. */
static enum arus_status describe_idle_operators(struct arus_query *query,
                                                struct arus_progress *progress,
                                                struct arus_error *err)
{
    const struct arus_batch_plan now = {.watermark_ms = query->time.now_ms};
    struct arus_operator_stats *operators;

    if (!query->has_run) {
        return ARUS_OK;
    }
    ARUS_TRY(describe_operators(query, &now, progress, err));
    progress->event.has_rows = false;
    operators = (struct arus_operator_stats *)(uintptr_t)progress->operators;
    for (uint32_t i = 0; i < progress->operator_count; i++) {
        operators[i] =
            (struct arus_operator_stats){.name = operators[i].name,
                                         .kind = operators[i].kind,
                                         .table_count = operators[i].table_count,
                                         .total_rows = operators[i].total_rows,
                                         .memory_size = operators[i].memory_size,
                                         .late_watermark_ms = operators[i].late_watermark_ms,
                                         .evict_watermark_ms = operators[i].evict_watermark_ms};
    }
    return ARUS_OK;
}

static enum arus_status next_batch(struct arus_query *query, bool is_unlimited,
                                   struct timing *timing, bool *did, struct arus_error *err)
{
    struct arus_batch_plan plan;

    ARUS_TRY(plan_sources(query, is_unlimited, did, err));
    *did = *did || (query->time.wants_batch && !is_unlimited &&
                    query->config.plan->settings.no_data_batches);
    if (!*did) {
        end_phase(timing, ARUS_PHASE_PLAN);
        timing->progress->is_idle = true;
        ARUS_TRY(describe_idle_operators(query, timing->progress, err));
        return describe_sources(query, NULL, timing->progress, err);
    }
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_PLAN, query->next_batch_id);
    ARUS_TRY(batch_plan(query, &plan, err));
    return make_batch(query, &plan, timing, err);
}

/* The staged form is gone, and nothing lists the batch: it is made again, from the same plan. */
static bool is_lost(enum arus_status status, const struct arus_error *err)
{
    return status == ARUS_RETRY && err->condition != NULL &&
           strcmp(err->condition, "ARUS_STAGED_PART_LOST") == 0;
}

static enum arus_status drop_batch(struct arus_query *query, int64_t batch_id,
                                   struct arus_error *err)
{
    ARUS_TRY(
        arus_exec_drop_state(query->exec, batch_id, arus_checkpoint_write(query->checkpoint), err));
    ARUS_TRY(arus_checkpoint_drop(query->checkpoint, batch_id, err));
    query->sides.is_clean = false;
    return arus_exec_load_state(query->exec, arus_checkpoint_store(query->checkpoint), batch_id - 1,
                                err);
}

static enum arus_status repeat_batch(struct arus_query *query, struct timing *timing,
                                     struct arus_error *err)
{
    timing->progress->is_repeat = true;
    if (query->start.todo == ARUS_TODO_PUBLISH) {
        enum arus_status status;

        query->is_prepared = true;
        status = finish_prepared(query, timing, err);
        if (!is_lost(status, err)) {
            return status;
        }
        query->is_prepared = false;
        ARUS_TRY(drop_batch(query, query->start.record.plan.batch_id, err));
    }
    return make_batch(query, &query->start.record.plan, timing, err);
}

static enum arus_status pending_batch(struct arus_query *query, struct timing *timing, bool *did,
                                      struct arus_error *err)
{
    *did = true;
    ARUS_TRY(repeat_batch(query, timing, err));
    return arus_checkpoint_next(query->checkpoint, &query->arena, &query->start, err);
}

enum arus_status arus_query_trigger(struct arus_query *query, bool is_unlimited, bool *did,
                                    struct arus_error *err)
{
    struct arus_progress progress = {.batch_id = query->next_batch_id,
                                     .trigger_ms = arus_query_now_ms(query)};
    struct timing timing = {query, &progress, arus_query_now_us(query)};
    enum arus_status status;

    *did = false;
    query->is_prepared = false;
    introduce(query, &progress);
    arus_arena_reset(&query->batch);
    if (query->start.todo != ARUS_TODO_NEXT) {
        status = pending_batch(query, &timing, did, err);
    } else {
        status = next_batch(query, is_unlimited, &timing, did, err);
    }
    if (status != ARUS_OK) {
        arus_checkpoint_abandon(query->checkpoint);
        arus_query_explain_failure(query, progress.batch_id, err);
        return status;
    }
    arus_query_sides_expire(query);
    arus_query_live_done(query, progress.is_idle);
    report(query, &progress);
    return ARUS_OK;
}
