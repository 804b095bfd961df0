/** The table of metrics, and its text. */
#include "cli/metrics.h"

#include "base/clock.h"
#include "cli/metrics_internal.h"
#include "cli/version.h"

#include <jansson.h>

#include <stddef.h>
#include <string.h>

/* Where the samples of a metric go to. */
struct sheet {
    const char *name; /* of the metric */
    const struct arus_metrics_view *view;
    struct arus_buffer *out;
    struct arus_error *err;
};

struct metric {
    const char *name;
    const char *type;
    const char *labels; /* besides `query`; for the reference */
    const char *help;
    size_t offset; /* of the number in arus_query_metrics, for put_number and put_seconds */
    enum arus_status (*put)(const struct sheet *sheet, size_t offset);
    enum arus_status (*put_process)(const struct sheet *sheet); /* once, not by query */
};

/* ---- samples ---- */

static enum arus_status put_label(const struct sheet *sheet, const char *name,
                                  struct arus_text value)
{
    ARUS_TRY(arus_buffer_printf(sheet->out, sheet->err, "%s%s=\"",
                                strcmp(name, "query") == 0 ? "{" : ",", name));
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.data[i];

        if (c == '\n') {
            ARUS_TRY(arus_buffer_printf(sheet->out, sheet->err, "\\n"));
            continue;
        }
        if (c == '"' || c == '\\') {
            ARUS_TRY(arus_buffer_append_char(sheet->out, '\\', sheet->err));
        }
        ARUS_TRY(arus_buffer_append_char(sheet->out, c, sheet->err));
    }
    return arus_buffer_append_char(sheet->out, '"', sheet->err);
}

/* `name_suffix{query=".."`: further labels and the value follow. */
static enum arus_status begin_sample(const struct sheet *sheet, const char *suffix)
{
    ARUS_TRY(arus_buffer_printf(sheet->out, sheet->err, "%s%s", sheet->name, suffix));
    return put_label(sheet, "query", arus_text_of(sheet->view->query));
}

static enum arus_status end_count(const struct sheet *sheet, uint64_t value)
{
    return arus_buffer_printf(sheet->out, sheet->err, "} %llu\n", (unsigned long long)value);
}

static enum arus_status end_real(const struct sheet *sheet, double value)
{
    return arus_buffer_printf(sheet->out, sheet->err, "} %.15g\n", value);
}

/* ---- by query ---- */

static const void *field(const struct sheet *sheet, size_t offset)
{
    return (const char *)sheet->view->metrics + offset;
}

static enum arus_status put_number(const struct sheet *sheet, size_t offset)
{
    ARUS_TRY(begin_sample(sheet, ""));
    return end_count(sheet, *(const uint64_t *)field(sheet, offset));
}

/* Milliseconds since 1970; 0: nothing to tell yet. */
static enum arus_status put_seconds(const struct sheet *sheet, size_t offset)
{
    const int64_t value_ms = *(const int64_t *)field(sheet, offset);

    if (value_ms == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(begin_sample(sheet, ""));
    return end_real(sheet, (double)value_ms / 1000);
}

static enum arus_status put_batch_id(const struct sheet *sheet, size_t offset)
{
    (void)offset;
    if (sheet->view->metrics->batches == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(begin_sample(sheet, ""));
    return end_count(sheet, (uint64_t)sheet->view->metrics->last_batch_id);
}

static enum arus_status put_running(const struct sheet *sheet, size_t offset)
{
    (void)offset;
    ARUS_TRY(begin_sample(sheet, ""));
    return end_count(sheet, sheet->view->is_running);
}

static enum arus_status put_reconnects(const struct sheet *sheet, size_t offset)
{
    (void)offset;
    ARUS_TRY(begin_sample(sheet, ""));
    return end_count(sheet, sheet->view->reconnects);
}

static enum arus_status put_failure(const struct sheet *sheet, size_t offset)
{
    (void)offset;
    if (sheet->view->failure == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(begin_sample(sheet, ""));
    ARUS_TRY(put_label(sheet, "condition", arus_text_of(sheet->view->failure)));
    return end_count(sheet, 1);
}

static enum arus_status put_histogram(const struct sheet *sheet, const char *phase,
                                      const struct arus_histogram *histogram)
{
    uint64_t sum = 0;

    for (int i = 0; i <= ARUS_METRICS_BUCKETS; i++) {
        char bound[32] = "+Inf";

        if (i < ARUS_METRICS_BUCKETS) {
            (void)snprintf(bound, sizeof bound, "%g", ARUS_METRICS_BOUNDS[i]);
            sum += histogram->counts[i];
        }
        ARUS_TRY(begin_sample(sheet, "_bucket"));
        ARUS_TRY(put_label(sheet, "phase", arus_text_of(phase)));
        ARUS_TRY(put_label(sheet, "le", arus_text_of(bound)));
        ARUS_TRY(end_count(sheet, i < ARUS_METRICS_BUCKETS ? sum : histogram->count));
    }
    ARUS_TRY(begin_sample(sheet, "_sum"));
    ARUS_TRY(put_label(sheet, "phase", arus_text_of(phase)));
    ARUS_TRY(end_real(sheet, (double)histogram->sum_us / 1e6));
    ARUS_TRY(begin_sample(sheet, "_count"));
    ARUS_TRY(put_label(sheet, "phase", arus_text_of(phase)));
    return end_count(sheet, histogram->count);
}

static enum arus_status put_durations(const struct sheet *sheet, size_t offset)
{
    static const char *const PHASES[] = {
#define X(name, text) text,
        ARUS_PHASES(X)
#undef X
    };

    (void)offset;
    for (int phase = 0; phase < ARUS_PHASE_COUNT; phase++) {
        ARUS_TRY(put_histogram(sheet, PHASES[phase], &sheet->view->metrics->durations[phase]));
    }
    return ARUS_OK;
}

/* ---- by source ---- */

static enum arus_status put_source(const struct sheet *sheet, size_t offset)
{
    const struct arus_query_metrics *metrics = sheet->view->metrics;

    for (uint32_t i = 0; i < metrics->source_count; i++) {
        const struct arus_source_metrics *source = &metrics->sources[i];

        ARUS_TRY(begin_sample(sheet, ""));
        ARUS_TRY(put_label(sheet, "source", arus_buffer_text(&source->description)));
        ARUS_TRY(
            end_count(sheet, *(const uint64_t *)(const void *)((const char *)source + offset)));
    }
    return ARUS_OK;
}

static bool has_partitions(const struct arus_source_metrics *source)
{
    return source->latest.size != 0;
}

static enum arus_status put_waiting(const struct sheet *sheet, size_t offset)
{
    const struct arus_query_metrics *metrics = sheet->view->metrics;

    (void)offset;
    for (uint32_t i = 0; i < metrics->source_count; i++) {
        const struct arus_source_metrics *source = &metrics->sources[i];

        if (!has_partitions(source)) {
            ARUS_TRY(begin_sample(sheet, ""));
            ARUS_TRY(put_label(sheet, "source", arus_buffer_text(&source->description)));
            ARUS_TRY(end_count(sheet, source->left_count));
        }
    }
    return ARUS_OK;
}

static enum arus_status put_topic_lag(const struct sheet *sheet, const char *topic,
                                      const json_t *latest, const json_t *end)
{
    const char *partition;
    json_t *offset;

    json_object_foreach((json_t *)(uintptr_t)latest, partition, offset)
    {
        const json_int_t lag =
            json_integer_value(offset) - json_integer_value(json_object_get(end, partition));

        ARUS_TRY(begin_sample(sheet, ""));
        ARUS_TRY(put_label(sheet, "topic", arus_text_of(topic)));
        ARUS_TRY(put_label(sheet, "partition", arus_text_of(partition)));
        ARUS_TRY(end_count(sheet, lag > 0 ? (uint64_t)lag : 0));
    }
    return ARUS_OK;
}

static enum arus_status put_lag(const struct sheet *sheet, size_t offset)
{
    const struct arus_query_metrics *metrics = sheet->view->metrics;
    enum arus_status status = ARUS_OK;

    (void)offset;
    for (uint32_t i = 0; i < metrics->source_count && status == ARUS_OK; i++) {
        const struct arus_source_metrics *source = &metrics->sources[i];
        json_t *latest = json_loadb(source->latest.data, source->latest.size, 0, NULL);
        json_t *end = json_loadb(source->end.data, source->end.size, 0, NULL);
        const char *topic;
        json_t *partitions;

        json_object_foreach(latest, topic, partitions)
        {
            if (status == ARUS_OK && json_is_object(partitions)) {
                status = put_topic_lag(sheet, topic, partitions, json_object_get(end, topic));
            }
        }
        json_decref(latest);
        json_decref(end);
    }
    return status;
}

static enum arus_status put_lag_seconds(const struct sheet *sheet, size_t offset)
{
    const struct arus_query_metrics *metrics = sheet->view->metrics;
    const int64_t now_ms = arus_clock_wall_ms();

    (void)offset;
    for (uint32_t i = 0; i < metrics->source_count; i++) {
        const struct arus_source_metrics *source = &metrics->sources[i];
        const int64_t lag_ms = source->is_behind ? now_ms - source->caught_up_ms : 0;

        ARUS_TRY(begin_sample(sheet, ""));
        ARUS_TRY(put_label(sheet, "source", arus_buffer_text(&source->description)));
        ARUS_TRY(end_real(sheet, lag_ms > 0 ? (double)lag_ms / 1000 : 0));
    }
    return ARUS_OK;
}

/* ---- by operator ---- */

static enum arus_status put_operators(const struct sheet *sheet, bool bytes)
{
    const struct arus_query_metrics *metrics = sheet->view->metrics;

    for (uint32_t i = 0; i < metrics->operator_count; i++) {
        char label[80];

        (void)snprintf(label, sizeof label, "%u %s", i, metrics->operators[i].name);
        ARUS_TRY(begin_sample(sheet, ""));
        ARUS_TRY(put_label(sheet, "operator", arus_text_of(label)));
        ARUS_TRY(
            end_count(sheet, bytes ? metrics->operators[i].bytes : metrics->operators[i].rows));
    }
    return ARUS_OK;
}

static enum arus_status put_state_rows(const struct sheet *sheet, size_t offset)
{
    (void)offset;
    return put_operators(sheet, false);
}

static enum arus_status put_state_bytes(const struct sheet *sheet, size_t offset)
{
    (void)offset;
    return put_operators(sheet, true);
}

static enum arus_status put_state_limit(const struct sheet *sheet, size_t offset)
{
    (void)offset;
    if (sheet->view->metrics->state_limit == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(begin_sample(sheet, ""));
    return end_count(sheet, sheet->view->metrics->state_limit);
}

/* ---- of the process ---- */

static enum arus_status put_build(const struct sheet *sheet)
{
    return arus_buffer_printf(sheet->out, sheet->err, "%s{version=\"%s\"} 1\n", sheet->name,
                              ARUS_VERSION);
}

static enum arus_status put_value(const struct sheet *sheet, double value)
{
    return value < 0 ? ARUS_OK
                     : arus_buffer_printf(sheet->out, sheet->err, "%s %.15g\n", sheet->name, value);
}

static enum arus_status put_cpu(const struct sheet *sheet)
{
    return put_value(sheet, arus_process_look().cpu_seconds);
}

static enum arus_status put_resident(const struct sheet *sheet)
{
    return put_value(sheet, (double)arus_process_look().resident_bytes);
}

static enum arus_status put_open_fds(const struct sheet *sheet)
{
    return put_value(sheet, (double)arus_process_look().open_fds);
}

static enum arus_status put_max_fds(const struct sheet *sheet)
{
    return put_value(sheet, (double)arus_process_look().max_fds);
}

static enum arus_status put_start(const struct sheet *sheet)
{
    return put_value(sheet, arus_process_look().start_seconds);
}

/* ---- the table ---- */

#define NUMBER(name, field, help)                                                                  \
    {                                                                                              \
        name, "counter", NULL, help, offsetof(struct arus_query_metrics, field), put_number, NULL  \
    }
#define TIME(name, field, help)                                                                    \
    {                                                                                              \
        name, "gauge", NULL, help, offsetof(struct arus_query_metrics, field), put_seconds, NULL   \
    }
#define OTHER(name, type, labels, put, help)                                                       \
    {                                                                                              \
        name, type, labels, help, 0, put, NULL                                                     \
    }
#define PROCESS(name, type, labels, put, help)                                                     \
    {                                                                                              \
        name, type, labels, help, 0, NULL, put                                                     \
    }

static const struct metric METRICS[] = {
    NUMBER("arus_batches_total", batches, "Micro-batches published."),
    OTHER("arus_batch_failures_total", "counter", "condition", put_failure,
          "Micro-batches that ended the query with an error."),
    {"arus_input_rows_total", "counter", "source", "Rows read.",
     offsetof(struct arus_source_metrics, row_count), put_source, NULL},
    {"arus_input_bytes_total", "counter", "source", "Bytes of them as they were read.",
     offsetof(struct arus_source_metrics, byte_count), put_source, NULL},
    NUMBER("arus_output_rows_total", output_rows, "Rows handed to the sink."),
    NUMBER("arus_output_bytes_total", output_bytes, "Bytes of them as the sink stored them."),
    NUMBER("arus_late_rows_total", late_rows, "Rows behind the watermark."),
    NUMBER("arus_rejected_rows_total", rejected_rows, "Rows that could not be read."),
    NUMBER("arus_duplicate_rows_total", duplicate_rows, "Rows dropped as duplicates."),
    NUMBER("arus_filtered_rows_total", filtered_rows, "Rows that WHERE took out."),
    OTHER("arus_kafka_reconnects_total", "counter", NULL, put_reconnects,
          "Outages that were outlasted: a broker or registry that was away."),
    OTHER("arus_batch_duration_seconds", "histogram", "phase", put_durations,
          "Time of a micro-batch by phase: plan, run, prepare, publish, finish."),
    OTHER("arus_last_batch_id", "gauge", NULL, put_batch_id, "The newest published micro-batch."),
    TIME("arus_last_batch_timestamp_seconds", last_batch_ms, "When it was published."),
    TIME("arus_watermark_timestamp_seconds", watermark_ms, "The watermark it ran with."),
    OTHER("arus_query_running", "gauge", NULL, put_running, "1 until the query ends."),
    OTHER("arus_source_lag_records", "gauge", "topic, partition", put_lag,
          "Records behind the newest batch."),
    OTHER("arus_source_lag_seconds", "gauge", "source", put_lag_seconds,
          "Since when something waits, at most: since nothing was left last. 0: nothing is."),
    OTHER("arus_source_waiting_files", "gauge", "source", put_waiting,
          "Files behind the newest batch."),
    OTHER("arus_state_rows", "gauge", "operator", put_state_rows, "Rows of state."),
    OTHER("arus_state_bytes", "gauge", "operator", put_state_bytes, "Memory of the state."),
    OTHER("arus_state_limit_bytes", "gauge", NULL, put_state_limit,
          "state.memoryLimit, where one is set."),
    PROCESS("arus_build_info", "gauge", "version", put_build, "1; the version is the label."),
    PROCESS("process_cpu_seconds_total", "counter", NULL, put_cpu, "User and system time."),
    PROCESS("process_resident_memory_bytes", "gauge", NULL, put_resident, "Resident memory."),
    PROCESS("process_open_fds", "gauge", NULL, put_open_fds, "Open file descriptors."),
    PROCESS("process_max_fds", "gauge", NULL, put_max_fds, "The most there may be."),
    PROCESS("process_start_time_seconds", "gauge", NULL, put_start, "When the process began."),
};
#define METRIC_COUNT (sizeof METRICS / sizeof METRICS[0])

static enum arus_status write_metric(const struct metric *metric,
                                     const struct arus_metrics_view *views, uint32_t view_count,
                                     struct arus_buffer *out, struct arus_error *err)
{
    struct sheet sheet = {.name = metric->name, .out = out, .err = err};

    ARUS_TRY(arus_buffer_printf(out, err, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
                                metric->help, metric->name, metric->type));
    if (metric->put_process != NULL) {
        return metric->put_process(&sheet);
    }
    for (uint32_t i = 0; i < view_count; i++) {
        sheet.view = &views[i];
        ARUS_TRY(metric->put(&sheet, metric->offset));
    }
    return ARUS_OK;
}

enum arus_status arus_metrics_write(const struct arus_metrics_view *views, uint32_t view_count,
                                    struct arus_buffer *out, struct arus_error *err)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        ARUS_TRY(write_metric(&METRICS[i], views, view_count, out, err));
    }
    return ARUS_OK;
}

enum arus_status arus_metrics_page(struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(
        out, err,
        "# Metrics\n\nWritten by `arus help --generate`; edit the tables in the source "
        "instead.\n\n`arus run --metrics ADDR` serves them at `/metrics`. `arus_` metrics have the "
        "label `query`, but for "
        "`arus_build_info`.\n\n| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n"));
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        ARUS_TRY(arus_buffer_printf(
            out, err, "| `%s` | %s | %s | %s |\n", METRICS[i].name, METRICS[i].type,
            METRICS[i].labels == NULL ? "" : METRICS[i].labels, METRICS[i].help));
    }
    return ARUS_OK;
}
