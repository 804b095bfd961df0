/** `rate-micro-batch`: so many rows a micro-batch; its offset holds the next row and its time. */
#include "base/alloc.h"
#include "rate/counting.h"
#include "rate/rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct batch_settings {
    int64_t rows_per_batch;
    int64_t start_ms;
    int64_t advance_ms;
    int64_t partitions;
};

static const struct arus_option OPTIONS[] = {
    {"rowsPerBatch", ARUS_OPTION_INT64, offsetof(struct batch_settings, rows_per_batch), NULL,
     "Rows of each micro-batch.", NULL, 1, NULL},
    {"startTimestamp", ARUS_OPTION_INT64, offsetof(struct batch_settings, start_ms), "0",
     "Time of the first batch's rows, in milliseconds since 1970.", NULL, 0, NULL},
    {"advanceMillisPerBatch", ARUS_OPTION_INT64, offsetof(struct batch_settings, advance_ms),
     "1000", "How far the time moves from batch to batch.", NULL, 0, NULL},
    {"numPartitions", ARUS_OPTION_INT64, offsetof(struct batch_settings, partitions), "0",
     "Parts of a batch; 0: one for each thread.", NULL, 0, NULL},
    {0},
};

struct batch_source {
    struct arus_source base;
    struct batch_settings settings;
};

void arus_rate_batch_options(const struct arus_connector *connector, enum arus_connector_side side,
                             const struct arus_option *tables[ARUS_OPTION_TABLES_MAX])
{
    (void)connector;
    (void)side;
    tables[0] = OPTIONS;
    tables[1] = NULL;
}

static enum arus_status batch_bind(const struct arus_table *table, bool is_stream,
                                   struct arus_arena *arena, struct arus_source **out,
                                   struct arus_error *err)
{
    const struct arus_option *const tables[] = {OPTIONS, NULL};
    struct batch_source *source;
    struct arus_text description;

    (void)is_stream;
    ARUS_TRY(ARUS_NEW(arena, struct batch_source, 1, &source, err));
    ARUS_TRY(arus_options_parse(tables, &table->options, "a rate-micro-batch source", arena,
                                &source->settings, err));
    if (source->settings.rows_per_batch == 0) {
        arus_ignore(arus_fail_at(err, table->place, NULL, "`%.*s` has no rowsPerBatch",
                                 ARUS_TEXT_ARGS(table->name)));
        return arus_error_help(err, "OPTIONS (rowsPerBatch 10)");
    }
    source->base.ops = &ARUS_RATE_BATCH_SOURCE;
    *out = &source->base;
    ARUS_TRY(arus_text_format(arena, &description, err,
                              "RatePerMicroBatchStream[rowsPerBatch=%" PRId64
                              ", numPartitions=%" PRId64 ", startTimestamp=%" PRId64
                              ", advanceMsPerBatch=%" PRId64 "]",
                              source->settings.rows_per_batch, source->settings.partitions,
                              source->settings.start_ms, source->settings.advance_ms));
    return arus_counting_bind(&source->base, table, description.data, err);
}

struct arus_source_stream {
    const struct batch_source *source;
    bool has_planned; /* in this run */
};

struct position {
    int64_t row;
    int64_t time_ms;
};

static enum arus_status batch_stream_open(const struct arus_source *source,
                                          struct arus_log_set *logs, uint32_t index,
                                          struct arus_source_stream **out, struct arus_error *err)
{
    (void)logs;
    (void)index;
    *out = arus_alloc(1, sizeof **out);
    if (*out == NULL) {
        return arus_fail_memory(err);
    }
    (*out)->source = (const struct batch_source *)source;
    return ARUS_OK;
}

/* `{"offset":4,"timestamp":2000}`; empty: the start. */
static enum arus_status position_of(const struct arus_source_stream *stream,
                                    struct arus_text offset, struct position *out,
                                    struct arus_error *err)
{
    char text[96];

    *out = (struct position){0, stream->source->settings.start_ms};
    if (offset.size == 0) {
        return ARUS_OK;
    }
    (void)snprintf(text, sizeof text, "%.*s", ARUS_TEXT_ARGS(offset));
    if (sscanf(text, " { \"offset\" : %" SCNd64 " , \"timestamp\" : %" SCNd64 " }", &out->row,
               &out->time_ms) == 2) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_MISMATCH, "MALFORMED_LOG_FILE",
                     "`%.*s` is no offset of rate-micro-batch", ARUS_TEXT_ARGS(offset));
}

static enum arus_status batch_stream_plan(struct arus_source_stream *stream, struct arus_text start,
                                          const struct arus_plan_limits *limits,
                                          struct arus_arena *arena, struct arus_planned *out,
                                          struct arus_error *err)
{
    const struct batch_settings *settings = &stream->source->settings;
    struct position position;

    *out = (struct arus_planned){.end = start};
    if ((limits->is_available_now || limits->is_unlimited) && stream->has_planned) {
        return ARUS_OK; /* it has no end: one batch a run, as in Spark */
    }
    ARUS_TRY(position_of(stream, start, &position, err));
    stream->has_planned = true;
    out->has_new = true;
    return arus_text_format(
        arena, &out->end, err, "{\"offset\":%" PRId64 ",\"timestamp\":%" PRId64 "}",
        position.row + settings->rows_per_batch, position.time_ms + settings->advance_ms);
}

static enum arus_status batch_stream_splits(struct arus_source_stream *stream,
                                            struct arus_text start, struct arus_text end,
                                            struct arus_source_scan *scan, uint32_t worker_count,
                                            struct arus_arena *arena, struct arus_splits *out,
                                            struct arus_error *err)
{
    struct position from;
    struct position to;
    struct arus_counting rows;

    (void)scan;
    ARUS_TRY(position_of(stream, start, &from, err));
    ARUS_TRY(position_of(stream, end, &to, err));
    rows = (struct arus_counting){from.row, to.row, from.time_ms, 0};
    return arus_counting_splits(&rows, stream->source->settings.partitions, worker_count, arena,
                                out, err);
}

static void batch_stream_close(struct arus_source_stream *stream)
{
    arus_free(stream);
}

const struct arus_source_ops ARUS_RATE_BATCH_SOURCE = {
    .bind = batch_bind,
    .scan_open = arus_counting_scan_open,
    .worker_open = arus_counting_worker_open,
    .worker_start = arus_counting_worker_start,
    .worker_next = arus_counting_worker_next,
    .worker_stats = arus_counting_worker_stats,
    .worker_close = arus_counting_worker_close,
    .stream_open = batch_stream_open,
    .stream_plan = batch_stream_plan,
    .stream_splits = batch_stream_splits,
    .stream_committed = arus_counting_committed,
    .stream_wake_fd = arus_counting_wake_fd,
    .stream_close = batch_stream_close,
};
