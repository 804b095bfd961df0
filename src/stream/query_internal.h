/** The state of a running query, shared by the files of this folder. */
#ifndef ARUS_STREAM_QUERY_INTERNAL_H
#define ARUS_STREAM_QUERY_INTERNAL_H

#include "exec/exec.h"
#include "journal/checkpoint.h"
#include "stream/event_time.h"
#include "stream/query.h"
#include "stream/side.h"
#include "stream/summary.h"

/** A streaming source and how far it was read. */
struct arus_query_source {
    const struct arus_source *source;
    struct arus_source_stream *stream;
    struct arus_buffer offset;   /* end of the newest published batch; empty: none */
    struct arus_planned planned; /* of the batch being made, in the batch arena */
};

/** Writes result rows into the sink: one worker of it per slot, opened by the first row. */
struct arus_query_output {
    struct arus_sink_stream *sink;
    const struct arus_sink *plan;
    struct arus_sink_worker **workers; /* [thread_count] */
    struct arus_pool *closers;         /* NULL: not needed yet */
    uint32_t worker_count;
};

/** What other threads may see; single numbers, each right by itself. */
struct arus_query_live {
    struct arus_exec_live exec;
    _Atomic int64_t batch_id;
    _Atomic uint64_t files_known;
    _Atomic uint64_t files_done;
    _Atomic uint64_t files_left;
    _Atomic int64_t idle_since_ms;
    _Atomic uint64_t reopened_count; /* after an outage */
};

/** Something that passes keeps the query from going on. */
struct arus_outage {
    int64_t pause_ms; /* before the next attempt; 0: there is none */
    int64_t begin_us; /* monotonic */
    struct arus_error said;
};

/** What was begun of the next micro-batch. */
struct arus_query_ahead {
    struct arus_arena arena; /* its splits */
    int64_t timestamp_ms;    /* the instant of its plan */
    bool is_begun;
};

struct arus_query {
    struct arus_query_config config;
    struct arus_query_live live;
    struct arus_checkpoint *checkpoint;
    struct arus_exec *exec;
    struct arus_query_source *sources; /* [source_count] */
    uint32_t source_count;
    struct arus_query_output output;
    struct arus_query_sides sides;
    struct arus_arena base;  /* lives as long as the query */
    struct arus_arena arena; /* likewise, but for a reopening */
    struct arus_arena batch; /* reset before each micro-batch */
    struct arus_buffer manifest;
    struct arus_buffer extra;  /* the summary of the batch being made */
    struct arus_buffer text;   /* scratch */
    struct arus_row_sums sums; /* of all published batches */
    struct arus_event_time time;
    struct arus_summary_place *watermark_places; /* [watermark_count] */
    struct arus_text *state_titles;              /* [operator_count] */
    char *temporary_checkpoint;                  /* to be removed at close; NULL: a real one */
    char run_id[37];
    struct arus_outage outage;
    struct arus_query_ahead ahead;
    int64_t next_batch_id;
    struct arus_checkpoint_start start; /* what an earlier run left; todo NEXT: all done */
    int64_t last_trigger_ms;
    bool has_triggered;     /* last_trigger_ms is known */
    int64_t last_report_ms; /* of a batch or an idle trigger of this run */
    bool has_reported;
    bool has_run;     /* a micro-batch in this process: the operators know their counts */
    bool is_prepared; /* the batch being made */
    bool is_open;     /* checkpoint, sources and sink fit together */
};

/* query.c */

/**
 * Closes checkpoint, sources and sink and opens them again: whatever a failed micro-batch left is
 * found out as after a crash. After a failure only this or close may follow.
 */
ARUS_MUST_USE enum arus_status arus_query_reopen(struct arus_query *query, struct arus_error *err);

/** Milliseconds since 1970 and microseconds for durations, by the query's clock. */
int64_t arus_query_now_ms(const struct arus_query *query);
int64_t arus_query_now_us(const struct arus_query *query);

/* summarise.c */

/** Names of watermarks and operators, once the checkpoint is open. */
ARUS_MUST_USE enum arus_status arus_query_describe(struct arus_query *query,
                                                   struct arus_error *err);
/** Fills query->extra with the summary after this batch; `nodes` of each WATERMARK step. */
ARUS_MUST_USE enum arus_status arus_query_summarise(struct arus_query *query,
                                                    const struct arus_batch_plan *plan,
                                                    const struct arus_progress *progress,
                                                    int64_t *nodes, int64_t next_watermark_ms,
                                                    struct arus_error *err);
/** Every row that was read must have one fate; anything else is a bug of ours. */
ARUS_MUST_USE enum arus_status arus_query_check_fates(const struct arus_progress *progress,
                                                      struct arus_error *err);
/** Rows in, each with one fate, and rows out. */
void arus_row_sums_add(struct arus_row_sums *sums, const struct arus_progress *progress);

/* run.c */

/** Waits until something may be new (if `wants_input`), a stop is asked for, or the time is over.
 */
void arus_query_wait(struct arus_query *query, int64_t wait_ms, bool wants_input);

/* outage.c */

/**
 * After ARUS_RETRY in `err`: says so once, waits, opens everything again until that works or a stop
 * is asked for; then nothing may be open. Errors: what waiting does not cure.
 */
ARUS_MUST_USE enum arus_status arus_query_outlast(struct arus_query *query, struct arus_error *err);
/** A trigger went well: the outage, if there was one, is over. */
void arus_query_outlasted(struct arus_query *query);

/* microbatch.c */

/** A run of the exec; `watermark_before_ms` is that of the batch before. */
void arus_query_describe_run(const struct arus_query *query, int64_t timestamp_ms,
                             int64_t watermark_ms, int64_t watermark_before_ms,
                             const struct arus_splits *splits, struct arus_exec_run *out);

/* ahead.c */

/** This batch is computed; plan and next watermark of `record` are known. Begins to read the next
 * one, where that is known. */
void arus_query_run_ahead(struct arus_query *query, const struct arus_batch_record *record);

/* live.c */

/** A batch is planned: its files are known, none is read. */
void arus_query_live_plan(struct arus_query *query);
/** The batch is published, or (`is_idle`) there was nothing to do. */
void arus_query_live_done(struct arus_query *query, bool is_idle);

/* space.c */

/** Rewrites the error of a full disk; others stay as they are. */
void arus_query_explain_failure(const struct arus_query *query, int64_t batch_id,
                                struct arus_error *err);

/* output.c */

/** The consumer that the exec hands result rows to. */
struct arus_consumer arus_output_consumer(struct arus_query_output *output);
/** Ends all workers, several at once on the threads of `exec` (NULL: they are busy, on threads of
 * its own): each encodes what it holds and syncs its parts. */
ARUS_MUST_USE enum arus_status arus_output_close_workers(struct arus_query_output *output,
                                                         struct arus_exec *exec,
                                                         struct arus_error *err);
/** Ends the workers that are left after a failure: what they have made is of no use. */
void arus_output_abandon_workers(struct arus_query_output *output);

#endif
