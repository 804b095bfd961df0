/** What `arus run` knows about its queries while they run, and what it says about them. */
#ifndef ARUS_CLI_RUN_H
#define ARUS_CLI_RUN_H

#include "cli/metrics.h"
#include "cli/opened.h"
#include "cli/progress.h"
#include "cli/rate.h"

#include <pthread.h>
#include <stdio.h>

#define ARUS_RUN_QUERIES_MAX 64

struct arus_run;

/** One query. What the query's thread changes is behind run->mutex. */
struct arus_running {
    struct arus_run *run;
    const struct arus_stream_query *plan;
    struct arus_query *query;
    enum arus_status status;
    struct arus_error err;
    enum arus_query_end end;
    char name[128];
    int64_t batch_first; /* -1: no batch in this run */
    int64_t batch_last;
    int64_t batch_next;
    uint64_t rows_in;
    uint64_t rows_out;
    uint64_t files_known;  /* at the end */
    uint64_t known_before; /* read by earlier runs */
    uint64_t duration_us;
    uint64_t late_rows;
    uint64_t rejected_rows;
    uint64_t dropped_groups; /* late ones as Spark counts them */
    uint64_t duplicate_rows;
    bool has_watermark;
    bool has_duplicates; /* it drops them: how many, and the keys it knows */
    bool has_state;
    int64_t watermark_ms;   /* the newest batch ran with */
    char watermark_text[9]; /* 09:29:58; empty: none yet */
    uint64_t key_count;     /* behind the newest batch, as state_rows and state_bytes */
    uint64_t state_rows;
    uint64_t state_bytes;
    int64_t begin_ms;
    bool is_done; /* its run has ended */
    struct arus_rate rate;
    struct arus_query_metrics metrics; /* for serve.c */
};

struct arus_run {
    struct arus_opened opened;
    struct arus_running queries[ARUS_RUN_QUERIES_MAX];
    uint32_t query_count;
    const struct arus_stop *stop;
    struct arus_logger logger;
    enum arus_log_form log_form;
    bool has_log; /* --log */
    int verbosity;
    FILE *progress;        /* --progress; NULL: none */
    pthread_mutex_t mutex; /* standard error, progress, the sums above */
    struct arus_live live;
    bool is_available_now;  /* --available-now */
    struct arus_http *http; /* --metrics; NULL: none */

    /* watch.c: what it shows, and when it did so last */
    pthread_t watcher;
    bool is_watched;
    bool shows_live; /* a line a query that is drawn over and over */
    bool shows_log;  /* a line now and then */
    bool shows_ends; /* a line at start and end */
    int64_t logged_ms;
    int64_t told_ms;
    uint64_t batch_count;
    uint64_t logged_batches;
};

/** NULL: no memory. */
struct arus_run *arus_run_new(void);
/** Opens --progress and --log, takes over the signals. */
ARUS_MUST_USE enum arus_status arus_run_begin(struct arus_run *run, const struct arus_args *args,
                                              struct arus_error *err);
void arus_run_close(struct arus_run *run);
void arus_running_begin(struct arus_running *running);
/** Its run is over; the query is still open. */
void arus_running_end(struct arus_running *running);
/** For arus_query_config.on_progress; `self` is a struct arus_running. */
void arus_running_progress(void *self, const struct arus_progress *progress);
/** The line at the end of a query. */
void arus_running_say_end(struct arus_running *running);

/** Takes the live lines off the screen. */
void arus_run_erase(struct arus_run *run);
/** Prints an error between the live lines. Any thread. */
void arus_run_print_error(struct arus_run *run, const char *subject, const struct arus_error *err);

#endif
