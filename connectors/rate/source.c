/** `rate`: so many rows a second since the query began. The offset is whole seconds. */
#include "base/alloc.h"
#include "journal/log.h"
#include "rate/counting.h"
#include "rate/rate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000

struct rate_settings {
    int64_t rows_per_second;
    int64_t ramp_up_ms;
    int64_t partitions;
};

static const struct arus_option OPTIONS[] = {
    {"rowsPerSecond", ARUS_OPTION_INT64, offsetof(struct rate_settings, rows_per_second), "1",
     "Rows of each second.", NULL, 1, NULL},
    {"rampUpTime", ARUS_OPTION_DURATION, offsetof(struct rate_settings, ramp_up_ms), "0s",
     "How long the rate rises to that, in whole seconds; a bare number counts seconds.", NULL, 0,
     NULL},
    {"numPartitions", ARUS_OPTION_INT64, offsetof(struct rate_settings, partitions), "0",
     "Parts of a batch; 0: one for each thread.", NULL, 0, NULL},
    {0},
};

struct rate_source {
    struct arus_source base;
    struct rate_settings settings;
    int64_t ramp_up_s;
};

void arus_rate_options(const struct arus_connector *connector, enum arus_connector_side side,
                       const struct arus_option *tables[ARUS_OPTION_TABLES_MAX])
{
    (void)connector;
    (void)side;
    tables[0] = OPTIONS;
    tables[1] = NULL;
}

static bool is_number(struct arus_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    return text.size > 0;
}

static enum arus_status rate_bind(const struct arus_table *table, bool is_stream,
                                  struct arus_arena *arena, struct arus_source **out,
                                  struct arus_error *err)
{
    const struct arus_option *const tables[] = {OPTIONS, NULL};
    const struct arus_setting *ramp_up = arus_settings_find(&table->options, "rampUpTime");
    struct rate_source *source;
    struct arus_text description;

    (void)is_stream;
    ARUS_TRY(ARUS_NEW(arena, struct rate_source, 1, &source, err));
    ARUS_TRY(arus_options_parse(tables, &table->options, "a rate source", arena, &source->settings,
                                err));
    source->ramp_up_s = ramp_up != NULL && is_number(ramp_up->value)
                            ? source->settings.ramp_up_ms
                            : source->settings.ramp_up_ms / MS;
    source->base.ops = &ARUS_RATE_SOURCE;
    *out = &source->base;
    ARUS_TRY(arus_text_format(arena, &description, err,
                              "RateStreamV2[rowsPerSecond=%" PRId64 ", rampUpTimeSeconds=%" PRId64
                              ", numPartitions=%s",
                              source->settings.rows_per_second, source->ramp_up_s,
                              source->settings.partitions == 0 ? "default]" : ""));
    if (source->settings.partitions != 0) {
        ARUS_TRY(arus_text_format(arena, &description, err, "%.*s%" PRId64 "]",
                                  ARUS_TEXT_ARGS(description), source->settings.partitions));
    }
    return arus_counting_bind(&source->base, table, description.data, err);
}

/* ---- numbers ---- */

/* The first value behind second `s`. While it rises, second k brings k * d rows. */
static bool value_at(const struct rate_source *source, int64_t s, int64_t *out)
{
    const int64_t rows = source->settings.rows_per_second;
    const int64_t risen = s < source->ramp_up_s ? s : source->ramp_up_s;
    const int64_t delta = rows / (source->ramp_up_s + 1);
    const arus_int128 value =
        (arus_int128)delta * risen * (risen + 1) / 2 + (arus_int128)(s - risen) * rows;

    *out = (int64_t)value;
    return value <= INT64_MAX / 2;
}

/* ---- streaming ---- */

struct arus_source_stream {
    const struct rate_source *source;
    struct arus_log_set *logs;
    uint32_t index;
    bool has_creation;
    int64_t creation_ms;
    bool has_snapshot; /* of a run that ends when caught up */
    int64_t snapshot;
};

static enum arus_status rate_stream_open(const struct arus_source *source,
                                         struct arus_log_set *logs, uint32_t index,
                                         struct arus_source_stream **out, struct arus_error *err)
{
    *out = arus_alloc(1, sizeof **out);
    if (*out == NULL) {
        return arus_fail_memory(err);
    }
    (*out)->source = (const struct rate_source *)source;
    (*out)->logs = logs;
    (*out)->index = index;
    return ARUS_OK;
}

/* When the query began stands in `sources/I/0`. */
static enum arus_status need_creation(struct arus_source_stream *stream, const int64_t *now_ms,
                                      struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_text text = {0};
    bool is_found = false;
    enum arus_status status;

    if (stream->has_creation) {
        return ARUS_OK;
    }
    status = arus_log_initial(stream->logs, stream->index, &arena, &text, &is_found, err);
    if (status == ARUS_OK && is_found) {
        stream->creation_ms = strtoll(text.data, NULL, 10);
    } else if (status == ARUS_OK && now_ms == NULL) {
        status = arus_fail(err, ARUS_MISMATCH, "MALFORMED_LOG_FILE",
                           "sources/%u/0 is missing: it holds when the query began", stream->index);
    } else if (status == ARUS_OK) {
        stream->creation_ms = *now_ms;
        status = arus_text_format(&arena, &text, err, "%" PRId64, *now_ms);
        if (status == ARUS_OK) {
            status = arus_log_set_initial(stream->logs, stream->index, text, err);
        }
    }
    stream->has_creation = status == ARUS_OK;
    arus_arena_release(&arena);
    return status;
}

static int64_t seconds_of(struct arus_text offset)
{
    char digits[24] = "0";

    if (offset.size > 0 && offset.size < sizeof digits) {
        memcpy(digits, offset.data, offset.size);
        digits[offset.size] = '\0';
    }
    return strtoll(digits, NULL, 10);
}

static enum arus_status rate_stream_plan(struct arus_source_stream *stream, struct arus_text start,
                                         const struct arus_plan_limits *limits,
                                         struct arus_arena *arena, struct arus_planned *out,
                                         struct arus_error *err)
{
    const int64_t begin = seconds_of(start);
    int64_t end;

    *out = (struct arus_planned){.end = start};
    ARUS_TRY(need_creation(stream, &limits->now_ms, err));
    end = (limits->now_ms - stream->creation_ms) / MS;
    end = end < begin ? begin : end; /* a clock that was set back */
    if (limits->is_available_now) {
        end = stream->has_snapshot ? stream->snapshot : end;
        stream->has_snapshot = true;
        stream->snapshot = end;
    }
    out->has_new = start.size == 0 || end > begin; /* the first batch is empty, as in Spark */
    return out->has_new ? arus_text_format(arena, &out->end, err, "%" PRId64, end) : ARUS_OK;
}

static enum arus_status rate_stream_splits(struct arus_source_stream *stream,
                                           struct arus_text start, struct arus_text end,
                                           struct arus_source_scan *scan, uint32_t worker_count,
                                           struct arus_arena *arena, struct arus_splits *out,
                                           struct arus_error *err)
{
    const int64_t from = seconds_of(start);
    const int64_t to = seconds_of(end);
    struct arus_counting rows = {0};

    (void)scan;
    ARUS_TRY(need_creation(stream, NULL, err));
    if (!value_at(stream->source, from, &rows.begin) || !value_at(stream->source, to, &rows.end)) {
        return arus_fail(err, ARUS_FATAL, "INCORRECT_END_OFFSET",
                         "second %" PRId64 " at %" PRId64 " rows a second: too many rows", to,
                         stream->source->settings.rows_per_second);
    }
    rows.start_ms = stream->creation_ms + from * MS;
    rows.ms_per_value =
        rows.end == rows.begin ? 0 : (double)((to - from) * MS) / (double)(rows.end - rows.begin);
    return arus_counting_splits(&rows, stream->source->settings.partitions, worker_count, arena,
                                out, err);
}

static void rate_stream_close(struct arus_source_stream *stream)
{
    arus_free(stream);
}

const struct arus_source_ops ARUS_RATE_SOURCE = {
    .bind = rate_bind,
    .scan_open = arus_counting_scan_open,
    .worker_open = arus_counting_worker_open,
    .worker_start = arus_counting_worker_start,
    .worker_next = arus_counting_worker_next,
    .worker_stats = arus_counting_worker_stats,
    .worker_close = arus_counting_worker_close,
    .stream_open = rate_stream_open,
    .stream_plan = rate_stream_plan,
    .stream_splits = rate_stream_splits,
    .stream_committed = arus_counting_committed,
    .stream_wake_fd = arus_counting_wake_fd,
    .stream_close = rate_stream_close,
};
