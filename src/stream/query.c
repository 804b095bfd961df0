/** Opening and closing a streaming query. */
#include "stream/query.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/file.h"
#include "base/uuid.h"
#include "plan/state_digest.h"
#include "stream/query_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A query without checkpointLocation keeps its logs for this run only. */
static enum arus_status make_temporary(struct arus_query *query, struct arus_error *err)
{
    const char *folder = getenv("TMPDIR");
    struct arus_text path;

    ARUS_TRY(arus_text_format(&query->base, &path, err, "%s/arus-XXXXXX",
                              folder == NULL || folder[0] != '/' ? "/tmp" : folder));
    query->temporary_checkpoint = mkdtemp((char *)(uintptr_t)path.data);
    if (query->temporary_checkpoint == NULL) {
        return arus_fail(err, ARUS_FATAL, NULL, "cannot make a temporary checkpoint in %.*s",
                         ARUS_TEXT_ARGS(path));
    }
    return ARUS_OK;
}

/* The conf object of offsets/N: what SET said, where Spark records it. */
static enum arus_status conf_values(struct arus_query *query, const struct arus_text **out,
                                    struct arus_error *err)
{
    static const char *const KEYS[] = {
#define X(name, key, value) key,
        ARUS_CHECKPOINT_CONF(X)
#undef X
    };
    const struct arus_stream_query *plan = query->config.plan;
    struct arus_text *values;

    ARUS_TRY(ARUS_NEW(&query->arena, struct arus_text, ARUS_CONF_COUNT, &values, err));
    for (size_t i = 0; i < ARUS_CONF_COUNT; i++) {
        for (size_t k = 0; k < plan->conf_count; k++) {
            if (arus_text_equal(plan->conf[k].key, arus_text_of(KEYS[i]))) {
                values[i] = plan->conf[k].value;
            }
        }
    }
    *out = values;
    return ARUS_OK;
}

static enum arus_status open_checkpoint(struct arus_query *query, struct arus_error *err)
{
    const struct arus_stream_query *plan = query->config.plan;
    struct arus_checkpoint_config config = {
        .is_stateful = plan->physical->operator_count != 0,
        .folder = plan->properties.checkpoint_path,
        .shown = plan->properties.checkpoint.data,
        .query = plan->name.data,
        .source_count = plan->physical->stream_count,
        .batches_retained = plan->properties.min_batches_to_retain,
        .sink_log_interval = (uint32_t)plan->settings.file_sink_compact_interval,
        .logger = query->config.logger,
    };

    if (config.folder == NULL) {
        if (query->temporary_checkpoint == NULL) {
            ARUS_TRY(make_temporary(query, err));
        }
        config.folder = query->temporary_checkpoint;
        config.shown = query->temporary_checkpoint;
    }
    ARUS_TRY(conf_values(query, &config.conf_values, err));
    return arus_checkpoint_open(&config, &query->checkpoint, err);
}

static enum arus_status open_sources(struct arus_query *query, struct arus_error *err)
{
    struct arus_log_set *logs = arus_checkpoint_logs(query->checkpoint);

    query->source_count = query->config.plan->physical->stream_count;
    ARUS_TRY(ARUS_NEW(&query->arena, struct arus_query_source, query->source_count + 1,
                      &query->sources, err));
    for (uint32_t i = 0; i < query->source_count; i++) {
        struct arus_query_source *source = &query->sources[i];

        source->source = query->config.plan->sources[i];
        ARUS_TRY(source->source->ops->stream_open(source->source, logs, i, &source->stream, err));
    }
    return ARUS_OK;
}

static enum arus_status open_sink(struct arus_query *query, struct arus_error *err)
{
    const struct arus_sink *sink = query->config.plan->sink;
    struct arus_checkpoint_view view = {.newest_planned = -1, .newest_prepared = -1};

    if (query->config.plan->properties.checkpoint_path != NULL) {
        ARUS_TRY(arus_checkpoint_look(query->config.plan->properties.checkpoint_path, &view, err));
    }
    query->output.plan = sink;
    query->output.worker_count = arus_exec_thread_count(query->exec);
    ARUS_TRY(ARUS_NEW(&query->arena, struct arus_sink_worker *, query->output.worker_count,
                      &query->output.workers, err));
    ARUS_TRY(sink->ops->stream_open(
        sink, arus_checkpoint_logs(query->checkpoint), arus_checkpoint_id(query->checkpoint),
        view.newest_planned < 0 && view.newest_prepared < 0, &query->output.sink, err));
    if (sink->ops->watch_stop != NULL && query->config.stop != NULL) {
        sink->ops->watch_stop(query->output.sink, &query->config.stop->level, ARUS_STOP_NOW);
    }
    return ARUS_OK;
}

/* What the state means, as the checkpoint has it, must be what the query makes of it. */
static enum arus_status check_digest(struct arus_query *query, bool *is_found,
                                     struct arus_error *err)
{
    const struct arus_physical *physical = query->config.plan->physical;
    struct arus_text stored;

    *is_found = false;
    if (physical->operator_count == 0) {
        return ARUS_OK; /* state there, but no operator: the checkpoint refused it */
    }
    ARUS_TRY(arus_checkpoint_note(query->checkpoint, ARUS_STATE_NOTE, &query->arena, &stored,
                                  is_found, err));
    return *is_found ? arus_state_digest_check(physical, stored,
                                               query->config.plan->properties.checkpoint.data, err)
                     : ARUS_OK;
}

static enum arus_status keep_digest(struct arus_query *query, struct arus_error *err)
{
    if (query->config.plan->physical->operator_count == 0) {
        return ARUS_OK;
    }
    arus_buffer_reset(&query->text);
    ARUS_TRY(arus_state_digest_write(query->config.plan->physical, &query->text, err));
    return arus_checkpoint_set_note(query->checkpoint, ARUS_STATE_NOTE,
                                    arus_buffer_text(&query->text), err);
}

/* State and watermark as the newest batch in the journal left them. */
static enum arus_status take_state(struct arus_query *query,
                                   const struct arus_query_summary *summary, struct arus_error *err)
{
    const struct arus_checkpoint_start *start = &query->start;
    const struct arus_stream_query *plan = query->config.plan;
    const int64_t newest = start->todo == ARUS_TODO_PUBLISH ? start->batch_id
                           : start->has_last                ? start->last.plan.batch_id
                                                            : -1;

    ARUS_TRY(arus_event_time_open(&query->time, plan->physical,
                                  plan->settings.multiple_watermark_policy, &query->arena, err));
    if (start->has_last) {
        arus_event_time_take(&query->time, summary->watermarks, summary->watermark_count,
                             start->last.plan.watermark_ms, start->last.next_watermark_ms);
    }
    arus_exec_limit_state(query->exec, (uint64_t)plan->properties.state_memory_limit);
    return arus_exec_load_state(query->exec, arus_checkpoint_store(query->checkpoint), newest, err);
}

static enum arus_status take_start(struct arus_query *query, struct arus_error *err)
{
    struct arus_query_summary summary;

    ARUS_TRY(arus_checkpoint_begin(query->checkpoint, &query->arena, &query->start, err));
    query->next_batch_id = query->start.batch_id;
    ARUS_TRY(arus_summary_parse(query->start.last.extra, &query->arena, &summary, err));
    query->sums = summary.rows;
    for (uint32_t i = 0; i < query->source_count && i < summary.source_count; i++) {
        query->sources[i].planned.known_count = summary.sources[i].known_count;
    }
    ARUS_TRY(take_state(query, &summary, err));
    arus_query_live_done(query, false);
    for (uint32_t i = 0; query->start.has_last && i < query->source_count; i++) {
        ARUS_TRY(arus_buffer_append_text(&query->sources[i].offset,
                                         query->start.last.plan.offsets[i], err));
    }
    return ARUS_OK;
}

/* What the journal knows of the sink's last batch. */
static enum arus_status resume_sink(struct arus_query *query, struct arus_error *err)
{
    const struct arus_checkpoint_start *start = &query->start;
    const struct arus_sink_ops *ops = query->output.plan->ops;
    const bool has_output = start->has_last && start->last.output_count > 0;

    if (ops->stream_resume == NULL) {
        return ARUS_OK;
    }
    return ops->stream_resume(query->output.sink, start->has_last ? start->last.plan.batch_id : -1,
                              has_output ? start->last.outputs[0].manifest : (struct arus_text){0},
                              err);
}

/* The checkpoint has state and this query needs none: the digest knows of what operators. */
static enum arus_status explain_state(const struct arus_query *query, struct arus_error *err)
{
    const struct arus_stream_query *plan = query->config.plan;
    struct arus_store *store = NULL;
    struct arus_arena arena = {0};
    struct arus_error better;
    struct arus_text stored;
    bool is_found = false;

    if (plan->physical->operator_count > 0 || err->condition == NULL ||
        strcmp(err->condition, "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA") != 0 ||
        arus_checkpoint_look_store(plan->properties.checkpoint_path, &store, &better) != ARUS_OK ||
        store == NULL) {
        return err->status;
    }
    if (arus_checkpoint_look_note(store, ARUS_STATE_NOTE, &arena, &stored, &is_found, &better) ==
            ARUS_OK &&
        is_found &&
        arus_state_digest_check(plan->physical, stored, plan->properties.checkpoint.data,
                                &better) != ARUS_OK) {
        *err = better;
    }
    arus_store_close(store);
    arus_arena_release(&arena);
    return err->status;
}

static enum arus_status open_parts(struct arus_query *query, struct arus_error *err)
{
    const struct arus_stream_query *plan = query->config.plan;
    bool has_digest;

    ARUS_TRY(arus_query_check_folders(plan, err));
    ARUS_TRY(
        arus_exec_open(plan->physical, &plan->env, query->config.thread_count, &query->exec, err));
    if (open_checkpoint(query, err) != ARUS_OK) {
        return explain_state(query, err);
    }
    ARUS_TRY(check_digest(query, &has_digest, err)); /* before the sink compares: it is the cause */
    ARUS_TRY(open_sources(query, err));
    ARUS_TRY(open_sink(query, err));
    if (!has_digest) {
        ARUS_TRY(keep_digest(query, err));
    }
    ARUS_TRY(arus_query_sides_open(query, err));
    ARUS_TRY(take_start(query, err));
    ARUS_TRY(arus_query_describe(query, err));
    ARUS_TRY(resume_sink(query, err));
    query->is_open = true;
    return ARUS_OK;
}

static enum arus_status open_query(struct arus_query *query, const char *pipeline,
                                   struct arus_error *err)
{
    struct arus_text copy;

    if (pipeline != NULL) {
        ARUS_TRY(arus_text_copy(arus_text_of(pipeline), &query->base, &copy, err));
        query->config.pipeline = copy.data;
    }
    ARUS_TRY(arus_uuid_make(query->run_id, err));
    return open_parts(query, err);
}

enum arus_status arus_query_open(const struct arus_query_config *config, struct arus_query **out,
                                 struct arus_error *err)
{
    struct arus_query *query = arus_alloc(1, sizeof *query);
    enum arus_status status;

    *out = NULL;
    if (query == NULL) {
        return arus_fail_memory(err);
    }
    query->config = *config;
    query->config.pipeline = NULL;
    status = open_query(query, config->pipeline, err);
    if (status != ARUS_OK) {
        struct arus_error later;

        arus_ignore(arus_query_close(query, &later)); /* the failure that counts is the first */
        return status;
    }
    *out = query;
    return ARUS_OK;
}

static void close_ends(struct arus_query *query)
{
    arus_query_sides_close(query);
    arus_output_abandon_workers(&query->output); /* none is open but after a failure */
    if (query->output.sink != NULL) {
        query->output.plan->ops->stream_close(query->output.sink);
    }
    for (uint32_t i = 0; query->sources != NULL && i < query->source_count; i++) {
        if (query->sources[i].stream != NULL) {
            query->sources[i].source->ops->stream_close(query->sources[i].stream);
        }
        arus_buffer_release(&query->sources[i].offset);
    }
}

int64_t arus_query_now_ms(const struct arus_query *query)
{
    const struct arus_query_clock *clock = query->config.clock;

    return clock == NULL ? arus_clock_wall_ms() : clock->now_ms(clock->self);
}

int64_t arus_query_now_us(const struct arus_query *query)
{
    const struct arus_query_clock *clock = query->config.clock;

    return clock == NULL ? arus_clock_monotonic_us() : clock->now_ms(clock->self) * 1000;
}

const char *arus_query_id(const struct arus_query *query)
{
    return arus_checkpoint_id(query->checkpoint);
}

const char *arus_query_run_id(const struct arus_query *query)
{
    return query->run_id;
}

int64_t arus_query_batch_id(const struct arus_query *query)
{
    return query->next_batch_id;
}

/* What open_parts opened; also after its failure. */
static enum arus_status close_parts(struct arus_query *query, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    if (query->exec != NULL) {
        arus_exec_forget_ahead(query->exec);
    }
    query->ahead.is_begun = false;
    close_ends(query);
    if (query->checkpoint != NULL && query->is_open) {
        status = arus_checkpoint_close(query->checkpoint, err);
    } else if (query->checkpoint != NULL) {
        arus_checkpoint_undo(query->checkpoint);
    }
    arus_exec_close(query->exec);
    query->checkpoint = NULL;
    query->exec = NULL;
    query->sources = NULL;
    query->source_count = 0;
    arus_pool_close(query->output.closers);
    query->output = (struct arus_query_output){0};
    query->is_open = false;
    return status;
}

enum arus_status arus_query_reopen(struct arus_query *query, struct arus_error *err)
{
    ARUS_TRY(close_parts(query, err));
    query->time = (struct arus_event_time){0};
    query->start = (struct arus_checkpoint_start){0};
    query->has_run = false;
    query->is_prepared = false;
    arus_arena_reset(&query->batch);
    arus_arena_reset(&query->arena);
    ARUS_TRY(open_parts(query, err));
    atomic_fetch_add(&query->live.reopened_count, 1);
    return ARUS_OK;
}

enum arus_status arus_query_close(struct arus_query *query, struct arus_error *err)
{
    enum arus_status status;

    if (query == NULL) {
        return ARUS_OK;
    }
    if (query->is_open) {
        arus_failpoint_reach(ARUS_FAILPOINT_BEFORE_EXIT_SYNC, query->next_batch_id - 1);
    }
    status = close_parts(query, err);
    if (query->temporary_checkpoint != NULL && status == ARUS_OK) {
        status = arus_folder_remove_all(query->temporary_checkpoint, err);
    }
    arus_buffer_release(&query->manifest);
    arus_buffer_release(&query->extra);
    arus_buffer_release(&query->text);
    arus_arena_release(&query->ahead.arena);
    arus_arena_release(&query->batch);
    arus_arena_release(&query->arena);
    arus_arena_release(&query->base);
    arus_free(query);
    return status;
}
