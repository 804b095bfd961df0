/** Running a physical plan: stages on worker threads, rows handed to a consumer. */
#ifndef ARUS_EXEC_EXEC_H
#define ARUS_EXEC_EXEC_H

#include "base/thread.h"
#include "connector/side.h"
#include "plan/physical.h"

#include <stdatomic.h>

struct arus_store;
struct arus_store_write;

/** Opaque: workers, their memory and what is kept between micro-batches (static build sides). */
struct arus_exec;

/**
 * Where the result rows go. `write` is called on worker threads: never twice at once for one slot;
 * slots count from 0 to thread_count - 1. With `is_ordered` there is one slot, and rows come in the
 * order of the input.
 */
struct arus_consumer {
    enum arus_status (*write)(void *self, uint32_t slot, const struct arus_batch *batch,
                              struct arus_error *err);
    void *self;
    bool is_ordered;
};

/** How far a run is; written by workers, read from any thread. Streaming scans only. */
struct arus_exec_live {
    _Atomic uint64_t row_count; /* rises over all runs */
    _Atomic uint32_t task_count;
    _Atomic uint32_t task_done;
};

/** Where rows go that are set aside: side tables. */
struct arus_side_writer {
    bool is_on[ARUS_SIDE_COUNT];
    int64_t batch_id; /* column `batch` */
    /** Rows of ARUS_SIDE_SCHEMA. Called on worker threads: never twice at once for one slot. */
    enum arus_status (*write)(void *self, enum arus_side side, uint32_t slot,
                              const struct arus_batch *batch, struct arus_error *err);
    void *self;
};

/** What one run works on. */
struct arus_exec_run {
    int64_t now_micros;                /* current_timestamp() */
    const struct arus_splits *streams; /* [physical->stream_count]; NULL for a batch query */
    int64_t watermark_ms;              /* W(N): what leaves the state */
    int64_t late_watermark_ms;         /* W(N - 1): which rows are late */
    const volatile int *stop;    /* may be NULL: `stop_at` ends the run early with ARUS_RETRY */
    int stop_at;                 /* or more */
    struct arus_exec_live *live; /* may be NULL */
    const struct arus_side_writer *side; /* NULL: nothing is set aside; else in all runs or none */
};

/** What became of the rows of streaming sources; each has one fate. */
struct arus_fates {
    uint64_t taken;     /* into the result, or by the first operator that gathers rows */
    uint64_t late;      /* behind the watermark of that operator */
    uint64_t rejected;  /* dropped by DROPMALFORMED */
    uint64_t filtered;  /* by a condition, a join without a match, a limit */
    uint64_t duplicate; /* dropped by drop_duplicates */
};

/** Sums of one run. */
struct arus_exec_stats {
    uint64_t input_rows; /* read from streaming sources, rejected ones too */
    struct arus_fates fates;
    uint64_t output_rows;
    uint64_t input_bytes;
};

/** Event times of a WATERMARK step in one run, in whole milliseconds. */
struct arus_event_stats {
    uint64_t count;
    int64_t min_ms; /* count 0: undefined */
    int64_t max_ms;
    __extension__ __int128 sum_ms;
};

/** What a stateful operator did in one run. Names are those of Spark's progress records. */
struct arus_operator_stats {
    const char *name;
    enum arus_state_kind kind;
    uint32_t table_count;
    uint64_t total_rows;
    uint64_t updated_rows;
    uint64_t removed_rows;
    uint64_t dropped_rows;   /* by watermark, as Spark counts: groups, not rows */
    uint64_t late_rows;      /* the true number of late input rows */
    uint64_t duplicate_rows; /* dropped by drop_duplicates */
    uint64_t memory_size;    /* bytes */
    uint64_t update_us;
    uint64_t removal_us;
    int64_t late_watermark_ms;
    int64_t evict_watermark_ms;
};

/**
 * Makes ready for any number of runs. `physical` and what it points to must outlive the exec.
 *
 * `thread_count` 0: one per core. Errors: what opening a scan may say.
 */
ARUS_MUST_USE enum arus_status arus_exec_open(const struct arus_physical *physical,
                                              const struct arus_eval_env *env,
                                              uint32_t thread_count, struct arus_exec **out,
                                              struct arus_error *err);
/** Bytes that state may take; 0: no limit. Before the first run. */
void arus_exec_limit_state(struct arus_exec *exec, uint64_t memory_max);
/** The opened scan of a streaming source, for its splits. */
struct arus_source_scan *arus_exec_scan(const struct arus_exec *exec, uint32_t stream_index);
/** Rows and bytes that one streaming source gave in the last run. */
struct arus_scan_stats arus_exec_source_stats(const struct arus_exec *exec, uint32_t stream_index);

/**
 * Runs all stages once. Errors: the first in input order; ARUS_RETRY after `stop`.
 */
ARUS_MUST_USE enum arus_status arus_exec_run(struct arus_exec *exec,
                                             const struct arus_exec_run *run,
                                             const struct arus_consumer *consumer,
                                             struct arus_exec_stats *stats, struct arus_error *err);
/** Has the query stages before its state that may run ahead, once a run has gone well? */
bool arus_exec_can_run_ahead(const struct arus_exec *exec);
/**
 * Begins the run that will probably come next, on other threads, as far as no state is needed.
 * Between this and arus_exec_run only the state may be saved and settled, and watermarks asked for.
 * arus_exec_run goes on where it ended if `run` is the same (instant, watermarks, splits), else it
 * begins anew; nothing is to be seen of an error here. `run` is copied, its splits must live until
 * the next of these calls or the close.
 */
ARUS_MUST_USE enum arus_status arus_exec_run_ahead(struct arus_exec *exec,
                                                   const struct arus_exec_run *run,
                                                   struct arus_error *err);
/** Waits for it and throws it away. */
void arus_exec_forget_ahead(struct arus_exec *exec);
struct arus_event_stats arus_exec_event_stats(const struct arus_exec *exec, uint32_t index);
struct arus_operator_stats arus_exec_operator_stats(const struct arus_exec *exec, uint32_t id);
/** The smallest event time (in ms) at which something leaves operator `id`; false: nothing does. */
bool arus_exec_next_expiry(const struct arus_exec *exec, uint32_t id, int64_t *out_ms);
/**
 * Is another micro-batch due without new input, after one that ran with `ran_ms` and moved the
 * global watermark to `next_ms`?
 */
bool arus_exec_wants_batch(struct arus_exec *exec, int64_t ran_ms, int64_t next_ms);

/* ---- state between micro-batches; without stateful operators these do nothing ---- */

/** What it was after micro-batch `batch_id`; -1: empty. Also after a run that failed. */
ARUS_MUST_USE enum arus_status arus_exec_load_state(struct arus_exec *exec,
                                                    struct arus_store *store, int64_t batch_id,
                                                    struct arus_error *err);
/** Adds what the run has changed to a transaction; borrowed until settle. */
ARUS_MUST_USE enum arus_status arus_exec_save_state(struct arus_exec *exec, int64_t batch_id,
                                                    int64_t oldest_kept,
                                                    struct arus_store_write *write,
                                                    struct arus_error *err);
/** That transaction is durable. */
void arus_exec_settle_state(struct arus_exec *exec);
/** Takes a micro-batch out of the journal with the next commit of `write`. */
ARUS_MUST_USE enum arus_status arus_exec_drop_state(struct arus_exec *exec, int64_t batch_id,
                                                    struct arus_store_write *write,
                                                    struct arus_error *err);
void arus_exec_close(struct arus_exec *exec); /* accepts NULL */
uint32_t arus_exec_thread_count(const struct arus_exec *exec);
/** Tasks 0..task_count-1 on the worker threads, between two runs: see arus_pool_run. */
ARUS_MUST_USE enum arus_status arus_exec_parallel(struct arus_exec *exec, arus_task_fn fn,
                                                  void *self, uint32_t task_count,
                                                  struct arus_error *err);

#endif
