/** What happened in a micro-batch, and its text in the shape of Spark's StreamingQueryProgress. */
#ifndef ARUS_STREAM_PROGRESS_H
#define ARUS_STREAM_PROGRESS_H

#include "base/error.h"
#include "base/text.h"
#include "exec/exec.h"

#include <stdbool.h>
#include <stdint.h>

/** The parts of a micro-batch that are timed; design.md 4. */
#define ARUS_PHASES(X)                                                                             \
    X(PLAN, "plan")                                                                                \
    X(RUN, "run")                                                                                  \
    X(PREPARE, "prepare")                                                                          \
    X(PUBLISH, "publish")                                                                          \
    X(FINISH, "finish")

enum arus_phase {
#define X(name, text) ARUS_PHASE_##name,
    ARUS_PHASES(X)
#undef X
        ARUS_PHASE_COUNT
};

/** One source of the query in this batch. Texts are borrowed. */
struct arus_source_progress {
    struct arus_text description;
    struct arus_text start; /* offset JSON; empty: none */
    struct arus_text end;
    uint64_t row_count;
    uint64_t byte_count;      /* read; 0: the source does not say */
    uint64_t left_count;      /* files or records that wait */
    uint64_t known_count;     /* files seen in all */
    struct arus_text latest;  /* offset JSON; empty: unknown */
    struct arus_text metrics; /* JSON object; empty: none */
};

/** Event times and the watermark; the strings of Spark's eventTime block. */
struct arus_event_progress {
    bool has_watermark; /* else there is no such block */
    bool has_rows;
    int64_t watermark_ms; /* the batch ran with */
    int64_t min_ms;
    int64_t max_ms;
    int64_t avg_ms;
};

/** Borrowed by observers for the call only. */
struct arus_progress {
    const char *id;     /* of the query, 36 characters */
    const char *run_id; /* of this run */
    struct arus_text name;
    int64_t batch_id;
    bool is_idle;          /* nothing new: no batch was made, batch_id is the next one */
    bool is_repeat;        /* a batch that an earlier run had planned */
    int64_t trigger_ms;    /* wall clock when the trigger began */
    int64_t since_last_ms; /* since the trigger before; 0: first */
    uint64_t phase_us[ARUS_PHASE_COUNT];
    uint64_t input_rows;
    struct arus_fates fates; /* of the input rows: their sum */
    uint64_t output_rows;
    uint64_t output_files;
    uint64_t output_bytes; /* staged; 0: the sink does not say */
    struct arus_event_progress event;
    const struct arus_operator_stats *operators; /* [operator_count] sink side first */
    uint32_t operator_count;
    uint64_t state_limit;                       /* bytes; 0: none */
    const struct arus_source_progress *sources; /* [source_count] */
    size_t source_count;
    struct arus_text sink;
    bool counts_rows; /* the sink's record has output_rows, else -1 */
};

/** Microseconds of the whole batch. */
uint64_t arus_progress_duration_us(const struct arus_progress *progress);

/** Appends one line of JSON without a newline; keys and order are Spark's, `arus` last. */
ARUS_MUST_USE enum arus_status arus_progress_json(const struct arus_progress *progress,
                                                  struct arus_buffer *out, struct arus_error *err);

#endif
