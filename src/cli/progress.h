/** What a running query shows: a live line on a screen, log lines elsewhere, a line at its end. */
#ifndef ARUS_CLI_PROGRESS_H
#define ARUS_CLI_PROGRESS_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** Something that may be unknown. */
#define ARUS_UNKNOWN INT64_MIN

/** Numbers of a query now. Counts are ARUS_UNKNOWN where they do not apply; texts NULL. */
struct arus_progress_view {
    const char *query;
    int64_t batch;
    int64_t rows;           /* in, since the start of the run */
    double rows_per_second; /* below 0: unknown */
    int64_t files_left;
    int64_t lag_records;
    int64_t lag_ms;
    const char *watermark; /* "09:29:58" */
    int64_t late;          /* rows */
    int64_t state_bytes;
    int64_t eta_ms;
    const char *waiting; /* "broker k1:9092": what it waits for */
    int64_t waiting_ms;
};

/**
 * One live line, without a newline, of at most `width` columns (0: any): when it is too narrow ETA,
 * late, rows, state and wm go first. `name_width`: the longest name of the queries that are shown.
 */
ARUS_MUST_USE enum arus_status arus_progress_line(const struct arus_progress_view *view,
                                                  int name_width, int width,
                                                  struct arus_buffer *out, struct arus_error *err);

/** query=windows batch=1042 rows=12431800 files_left=3 ..: for logs; unknown ones are left out. */
ARUS_MUST_USE enum arus_status arus_progress_fields(const struct arus_progress_view *view,
                                                    struct arus_buffer *out,
                                                    struct arus_error *err);

/** What a query did, at its end or (with -v) a batch. Counts as above. */
struct arus_summary {
    const char *query;
    int64_t batch_first;
    int64_t batch_last;
    int64_t rows_in;
    int64_t rows_out;
    int64_t late;
    int64_t rejected; /* 0: nothing is said */
    int64_t files;
    int64_t duplicates;
    int64_t keys;
    int64_t state;         /* rows, of a batch line */
    const char *watermark; /* of a batch line; NULL: none yet */
    bool has_watermark;
    int64_t duration_ms;
};

/** "events  batch 0      400 rows in     400 out   1 file    18 ms", with a newline. */
ARUS_MUST_USE enum arus_status arus_summary_line(const struct arus_summary *summary,
                                                 struct arus_buffer *out, struct arus_error *err);
/** "windows  batch 4   400 in   1 out   late 36   state 3   wm 2026-03-02 09:29:58.5", with a
 * newline. */
ARUS_MUST_USE enum arus_status arus_summary_batch(const struct arus_summary *summary,
                                                  struct arus_buffer *out, struct arus_error *err);

/* ---- live lines ---- */

/** Lines that are drawn over each other on a screen. Zeroed = nothing drawn. */
struct arus_live {
    int line_count;     /* drawn now */
    int64_t started_ms; /* set by the caller */
    int64_t drawn_ms;   /* 0: never */
};

/** May it draw now? Not before 0.3 s, at most 10 times a second. */
bool arus_live_is_due(const struct arus_live *live, int64_t now_ms);
/** Appends what replaces the lines on the screen by `lines` (each without newline). */
ARUS_MUST_USE enum arus_status arus_live_draw(struct arus_live *live, const struct arus_text *lines,
                                              int line_count, int64_t now_ms,
                                              struct arus_buffer *out, struct arus_error *err);
/** Appends what removes them, before any other output. */
ARUS_MUST_USE enum arus_status arus_live_erase(struct arus_live *live, struct arus_buffer *out,
                                               struct arus_error *err);

/* ---- log lines ---- */

enum arus_log_form {
    ARUS_LOG_FORM_PLAIN,   /* 2026-11-30T08:41:07Z info TEXT */
    ARUS_LOG_FORM_SYSTEMD, /* <6>TEXT */
    ARUS_LOG_FORM_JSON     /* {"time":"..","level":"info","message":".."} */
};

/** A line with its newline; `priority` as of syslog (3 error, 4 warning, 5 notice, 6 info, 7
 * debug). */
ARUS_MUST_USE enum arus_status arus_log_line(enum arus_log_form form, int64_t now_ms, int priority,
                                             struct arus_text text, struct arus_buffer *out,
                                             struct arus_error *err);

#endif
