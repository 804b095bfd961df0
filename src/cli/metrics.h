/** Numbers of running queries for Prometheus: collected batch by batch, written as text. */
#ifndef ARUS_CLI_METRICS_H
#define ARUS_CLI_METRICS_H

#include "api/session.h"
#include "base/text.h"

#define ARUS_METRICS_SOURCES_MAX   8
#define ARUS_METRICS_OPERATORS_MAX 16
#define ARUS_METRICS_BUCKETS       12

struct arus_histogram {
    uint64_t counts[ARUS_METRICS_BUCKETS]; /* not summed up */
    uint64_t count;
    uint64_t sum_us;
};

struct arus_source_metrics {
    struct arus_buffer description;
    struct arus_buffer end;    /* offset JSON of the newest batch */
    struct arus_buffer latest; /* offset JSON of all there is; empty: unknown */
    uint64_t row_count;
    uint64_t byte_count;
    uint64_t left_count;
    bool is_behind;       /* the newest batch left something */
    int64_t caught_up_ms; /* when nothing was left last; before that, the first batch */
};

/** Of one query since the process began. Zeroed = empty. */
struct arus_query_metrics {
    uint64_t batches;
    uint64_t output_rows;
    uint64_t output_bytes;
    uint64_t late_rows;
    uint64_t rejected_rows;
    uint64_t duplicate_rows;
    uint64_t filtered_rows;
    int64_t last_batch_id;
    int64_t last_batch_ms; /* wall clock; 0: none yet */
    int64_t watermark_ms;  /* 0: none yet */
    struct arus_histogram durations[ARUS_PHASE_COUNT];
    struct arus_source_metrics sources[ARUS_METRICS_SOURCES_MAX];
    uint32_t source_count;
    struct {
        const char *name;
        uint64_t rows;
        uint64_t bytes;
    } operators[ARUS_METRICS_OPERATORS_MAX]; /* sink side first */
    uint32_t operator_count;
    uint64_t state_limit;        /* 0: none */
    struct arus_buffer progress; /* JSON of the newest record */
    bool is_ready;               /* published a batch, or found nothing new */
};

/** One query as it is now; texts are borrowed. */
struct arus_metrics_view {
    const char *query;
    const struct arus_query_metrics *metrics;
    bool is_running;
    uint64_t reconnects;
    const char *failure; /* condition, or "none"; NULL: it has not failed */
};

/** Adds a progress record of the query. */
ARUS_MUST_USE enum arus_status arus_metrics_take(struct arus_query_metrics *metrics,
                                                 const struct arus_progress *progress,
                                                 struct arus_error *err);
void arus_metrics_release(struct arus_query_metrics *metrics);
/** All metrics in Prometheus' text format, 0.0.4. */
ARUS_MUST_USE enum arus_status arus_metrics_write(const struct arus_metrics_view *views,
                                                  uint32_t view_count, struct arus_buffer *out,
                                                  struct arus_error *err);
/** Their reference: name, type, labels, meaning, as a Markdown table. */
ARUS_MUST_USE enum arus_status arus_metrics_page(struct arus_buffer *out, struct arus_error *err);

#endif
