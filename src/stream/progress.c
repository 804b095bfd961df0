/** Spark's progress record, written with jansson, which keeps the order of keys. */
#include "stream/progress.h"

#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARUS_SHOWN_PARTITIONS 64 /* of state, as src/state has them */

uint64_t arus_progress_duration_us(const struct arus_progress *progress)
{
    uint64_t sum = 0;

    for (int i = 0; i < ARUS_PHASE_COUNT; i++) {
        sum += progress->phase_us[i];
    }
    return sum;
}

static json_t *text_json(struct arus_text text)
{
    return text.data == NULL ? json_null() : json_stringn(text.data, text.size);
}

/* An offset is JSON already; Spark shows it as a value, null before the first. */
static json_t *offset_json(struct arus_text offset)
{
    json_t *value =
        offset.size == 0 ? NULL : json_loadb(offset.data, offset.size, JSON_DECODE_ANY, NULL);

    return value == NULL ? json_null() : value;
}

static json_t *time_json(int64_t wall_ms, const char *between, const char *behind)
{
    const int64_t ms = (wall_ms % 1000 + 1000) % 1000;
    const time_t seconds = (time_t)((wall_ms - ms) / 1000);
    struct tm parts;

    if (gmtime_r(&seconds, &parts) == NULL) {
        return json_null();
    }
    return json_sprintf("%04d-%02d-%02d%s%02d:%02d:%02d.%03d%s", parts.tm_year + 1900,
                        parts.tm_mon + 1, parts.tm_mday, between, parts.tm_hour, parts.tm_min,
                        parts.tm_sec, (int)ms, behind);
}

static json_t *iso_json(int64_t wall_ms)
{
    return time_json(wall_ms, "T", "Z");
}

static json_t *plain_time_json(int64_t wall_ms)
{
    return time_json(wall_ms, " ", "");
}

/* Rows a second with one decimal; 0.0 where the time is unknown. */
static json_t *rate_json(uint64_t row_count, int64_t duration_ms)
{
    const double rate = duration_ms <= 0 ? 0.0 : (double)row_count * 1000.0 / (double)duration_ms;

    return json_real(round(rate * 10.0) / 10.0);
}

static int64_t ms(uint64_t us)
{
    return (int64_t)((us + 999) / 1000);
}

static json_t *durations_json(const struct arus_progress *progress)
{
    const int64_t all = ms(arus_progress_duration_us(progress));
    const uint64_t *us = progress->phase_us;
    json_t *durations = json_object();

    if (!progress->is_idle) {
        (void)json_object_set_new(
            durations, "addBatch",
            json_integer(ms(us[ARUS_PHASE_RUN] + us[ARUS_PHASE_PREPARE] + us[ARUS_PHASE_PUBLISH])));
        (void)json_object_set_new(durations, "commitOffsets",
                                  json_integer(ms(us[ARUS_PHASE_FINISH])));
        (void)json_object_set_new(durations, "getBatch", json_integer(0));
    }
    if (!progress->is_repeat) {
        (void)json_object_set_new(durations, "latestOffset", json_integer(ms(us[ARUS_PHASE_PLAN])));
    }
    if (!progress->is_idle) {
        (void)json_object_set_new(durations, "queryPlanning", json_integer(0));
    }
    (void)json_object_set_new(durations, "triggerExecution", json_integer(all));
    if (!progress->is_idle && !progress->is_repeat) {
        (void)json_object_set_new(durations, "walCommit", json_integer(0));
    }
    return durations;
}

static void set_rates(json_t *object, uint64_t rows, int64_t since_last_ms, int64_t duration_ms)
{
    (void)json_object_set_new(object, "numInputRows", json_integer((json_int_t)rows));
    (void)json_object_set_new(object, "inputRowsPerSecond", rate_json(rows, since_last_ms));
    /* as in Spark, nothing takes less than a millisecond */
    (void)json_object_set_new(object, "processedRowsPerSecond",
                              rate_json(rows, duration_ms < 1 ? 1 : duration_ms));
}

static json_t *sources_json(const struct arus_progress *progress, int64_t duration_ms)
{
    json_t *sources = json_array();

    for (size_t i = 0; i < progress->source_count; i++) {
        const struct arus_source_progress *source = &progress->sources[i];
        json_t *object = json_object();

        (void)json_object_set_new(object, "description", text_json(source->description));
        (void)json_object_set_new(object, "startOffset", offset_json(source->start));
        (void)json_object_set_new(object, "endOffset", offset_json(source->end));
        (void)json_object_set_new(object, "latestOffset", offset_json(source->latest));
        set_rates(object, source->row_count, progress->since_last_ms, duration_ms);
        if (source->metrics.size != 0) {
            (void)json_object_set_new(object, "metrics", offset_json(source->metrics));
        }
        (void)json_array_append_new(sources, object);
    }
    return sources;
}

static json_t *arus_json(const struct arus_progress *progress)
{
    static const char *const NAMES[] = {
#define X(name, text) text,
        ARUS_PHASES(X)
#undef X
    };
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {
        {"rowsOut", progress->output_rows},         {"rowsTaken", progress->fates.taken},
        {"rowsRejected", progress->fates.rejected}, {"rowsLate", progress->fates.late},
        {"rowsFiltered", progress->fates.filtered}, {"rowsDuplicate", progress->fates.duplicate},
    };
    json_t *object = json_object();
    json_t *phases = json_object();
    uint64_t left = 0;

    for (size_t i = 0; i < progress->source_count; i++) {
        left += progress->sources[i].left_count;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)json_object_set_new(object, rows[i].key, json_integer((json_int_t)rows[i].value));
    }
    (void)json_object_set_new(object, "filesLeft", json_integer((json_int_t)left));
    for (int i = 0; i < ARUS_PHASE_COUNT; i++) {
        (void)json_object_set_new(phases, NAMES[i],
                                  json_integer((json_int_t)progress->phase_us[i]));
    }
    (void)json_object_set_new(object, "phaseUs", phases);
    return object;
}

/* Keys sorted, as Spark's. */
static json_t *event_json(const struct arus_event_progress *event)
{
    json_t *object = json_object();

    if (event->has_rows) {
        (void)json_object_set_new(object, "avg", iso_json(event->avg_ms));
        (void)json_object_set_new(object, "max", iso_json(event->max_ms));
        (void)json_object_set_new(object, "min", iso_json(event->min_ms));
    }
    (void)json_object_set_new(object, "watermark", iso_json(event->watermark_ms));
    return object;
}

static json_t *custom_json(const struct arus_operator_stats *op)
{
    json_t *object = json_object();

    if (strncmp(op->name, "dedupe", 6) == 0) {
        (void)json_object_set_new(object, "numDroppedDuplicateRows",
                                  json_integer((json_int_t)op->duplicate_rows));
    }
    (void)json_object_set_new(object, "numLateInputRows", json_integer((json_int_t)op->late_rows));
    return object;
}

static json_t *operator_json(const struct arus_progress *progress,
                             const struct arus_operator_stats *op)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"numRowsTotal", op->total_rows},
        {"numRowsUpdated", op->updated_rows},
        {"allUpdatesTimeMs", op->update_us / 1000},
        {"numRowsRemoved", op->removed_rows},
        {"allRemovalsTimeMs", op->removal_us / 1000},
        {"commitTimeMs", progress->phase_us[ARUS_PHASE_PREPARE] / 1000},
        {"memoryUsedBytes", op->memory_size},
        {"numRowsDroppedByWatermark", op->dropped_rows},
        {"numShufflePartitions", ARUS_SHOWN_PARTITIONS},
        {"numStateStoreInstances", op->table_count * ARUS_SHOWN_PARTITIONS},
    };
    json_t *object = json_object();

    (void)json_object_set_new(object, "operatorName", json_string(op->name));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        (void)json_object_set_new(object, numbers[i].key,
                                  json_integer((json_int_t)numbers[i].value));
    }
    (void)json_object_set_new(object, "customMetrics", custom_json(op));
    return object;
}

static json_t *operators_json(const struct arus_progress *progress)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < progress->operator_count; i++) {
        (void)json_array_append_new(array, operator_json(progress, &progress->operators[i]));
    }
    return array;
}

static const char *short_name(enum arus_state_kind kind)
{
    static const char *const NAMES[] = {
        [ARUS_STATE_AGGREGATE] = "aggregate", [ARUS_STATE_SESSION] = "session",
        [ARUS_STATE_DEDUP] = "dedup",         [ARUS_STATE_DEDUP_WITHIN] = "dedup",
        [ARUS_STATE_JOIN] = "join",           [ARUS_STATE_LIMIT] = "limit",
    };

    return NAMES[kind];
}

/* By operator; of two of a kind the one nearer to the sink. */
static json_t *watermarks_json(const struct arus_progress *progress)
{
    json_t *object = json_object();

    for (uint32_t i = progress->operator_count; i-- > 0;) {
        const struct arus_operator_stats *op = &progress->operators[i];
        json_t *watermarks = json_object();

        (void)json_object_set_new(watermarks, "late", plain_time_json(op->late_watermark_ms));
        (void)json_object_set_new(watermarks, "evict", plain_time_json(op->evict_watermark_ms));
        (void)json_object_set_new(object, short_name(op->kind), watermarks);
    }
    return object;
}

static json_t *progress_object(const struct arus_progress *progress)
{
    const int64_t duration_ms = ms(arus_progress_duration_us(progress));
    json_t *object = json_object();
    json_t *sink = json_object();
    json_t *arus;

    (void)json_object_set_new(object, "id", json_string(progress->id));
    (void)json_object_set_new(object, "runId", json_string(progress->run_id));
    (void)json_object_set_new(object, "name", text_json(progress->name));
    (void)json_object_set_new(object, "timestamp", iso_json(progress->trigger_ms));
    (void)json_object_set_new(object, "batchId", json_integer(progress->batch_id));
    (void)json_object_set_new(object, "batchDuration", json_integer(duration_ms));
    set_rates(object, progress->input_rows, progress->since_last_ms, duration_ms);
    (void)json_object_set_new(object, "durationMs", durations_json(progress));
    if (progress->event.has_watermark) {
        (void)json_object_set_new(object, "eventTime", event_json(&progress->event));
    }
    (void)json_object_set_new(object, "stateOperators", operators_json(progress));
    (void)json_object_set_new(object, "sources", sources_json(progress, duration_ms));
    (void)json_object_set_new(sink, "description", text_json(progress->sink));
    (void)json_object_set_new(
        sink, "numOutputRows",
        json_integer(progress->counts_rows ? (json_int_t)progress->output_rows : -1));
    (void)json_object_set_new(object, "sink", sink);
    arus = arus_json(progress);
    if (progress->event.has_watermark && progress->operator_count != 0) {
        (void)json_object_set_new(arus, "operatorWatermarks", watermarks_json(progress));
    }
    (void)json_object_set_new(object, "arus", arus);
    return object;
}

static int append(const char *data, size_t size, void *self)
{
    struct arus_error ignored; /* json_dump_callback knows failure only */

    return arus_buffer_append(self, data, size, &ignored) == ARUS_OK ? 0 : -1;
}

enum arus_status arus_progress_json(const struct arus_progress *progress, struct arus_buffer *out,
                                    struct arus_error *err)
{
    json_t *object = progress_object(progress);
    int result = -1;

    if (object != NULL) {
        result = json_dump_callback(object, append, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    }
    json_decref(object);
    return result == 0 ? ARUS_OK : arus_fail_memory(err);
}
