/** One running streaming query: recovery, triggers, micro-batches, the commit protocol. */
#ifndef ARUS_STREAM_QUERY_H
#define ARUS_STREAM_QUERY_H

#include "base/log.h"
#include "plan/analyse.h"
#include "stream/progress.h"

struct arus_query;

/** The note in a checkpoint that says what its state means: plan/state_digest.h. */
#define ARUS_STATE_NOTE "state-digest"

/** How a run is asked to end; set by a signal handler or another thread. */
enum arus_stop_level { ARUS_STOP_NO, ARUS_STOP_AFTER_BATCH, ARUS_STOP_NOW };

struct arus_stop {
    volatile int level; /* enum arus_stop_level */
    int fd;             /* readable once level is not NO; -1: none, then waits are short */
};

/** Time moved by somebody else: trigger times, batch times and durations come from it. */
struct arus_query_clock {
    int64_t (*now_ms)(void *self); /* since 1970, never going back */
    void *self;
};

struct arus_query_config {
    const struct arus_stream_query *plan; /* outlives the query */
    const char *pipeline;                 /* absolute path of its file, remembered; NULL: none */
    uint32_t thread_count;                /* 0: one per core */
    bool available_now;                   /* end when caught up, whatever the trigger says */
    const struct arus_query_clock *clock; /* NULL: the machine's */
    const struct arus_stop *stop;
    const struct arus_logger *logger; /* may be NULL */
    /** Called after each micro-batch and each idle trigger, on the query's thread; may be NULL. */
    void (*on_progress)(void *self, const struct arus_progress *progress);
    void *self;
};

/** Why a run came to its end. */
enum arus_query_end {
    ARUS_END_DONE,       /* the trigger has no more */
    ARUS_END_STOPPED,    /* asked to stop, nothing was left undone that the trigger had promised */
    ARUS_END_INTERRUPTED /* asked to stop before the work was done */
};

/**
 * Refuses folders that contain each other: source, sink, checkpoint. Touches no data.
 * Errors: ARUS_NESTED_FOLDERS at the place of the path.
 */
ARUS_MUST_USE enum arus_status arus_query_check_folders(const struct arus_stream_query *plan,
                                                        struct arus_error *err);

/**
 * Takes the locks, opens source, sink and checkpoint, and finds out where to go on. Nothing runs
 * yet. Errors: ARUS_MISMATCH when checkpoint, sink and query do not fit together: nothing was
 * changed.
 */
ARUS_MUST_USE enum arus_status arus_query_open(const struct arus_query_config *config,
                                               struct arus_query **out, struct arus_error *err);
/**
 * One trigger by hand: finishes what an earlier run left, or plans and makes the next batch. `*did`
 * false: nothing was due. `is_unlimited`: read limits are ignored and no batch without input is
 * made (trigger once). Errors: as arus_query_run; the query may only be closed afterwards.
 */
ARUS_MUST_USE enum arus_status arus_query_trigger(struct arus_query *query, bool is_unlimited,
                                                  bool *did, struct arus_error *err);
/** When the trigger that began at `start_ms` is followed by the next: a multiple of the interval.
 */
int64_t arus_query_next_trigger_ms(int64_t start_ms, int64_t interval_ms);
/**
 * Runs until the trigger ends or a stop is asked for. A run that has no end by itself outlasts what
 * may pass (ARUS_RETRY): it says so once, waits, opens everything again and goes on.
 */
ARUS_MUST_USE enum arus_status arus_query_run(struct arus_query *query, enum arus_query_end *end,
                                              struct arus_error *err);
/** 36 characters each: of the query, kept in its checkpoint, and of this run. */
const char *arus_query_id(const struct arus_query *query);
const char *arus_query_run_id(const struct arus_query *query);
/** The micro-batch that is being made, or comes next. */
int64_t arus_query_batch_id(const struct arus_query *query);

/** What a query is doing. */
struct arus_query_now {
    int64_t batch_id;        /* being made, or the next one */
    uint64_t rows;           /* read in this run, those of the batch being made too */
    uint64_t files_known;    /* by published batches, and by the plan of the batch being made */
    uint64_t files_done;     /* of them: by published batches */
    uint64_t files_left;     /* behind the batch being made */
    double batch_done;       /* 0..1: part of the batch being made that is read */
    int64_t idle_since_ms;   /* wall clock; 0: it works */
    uint64_t reopened_count; /* after an outage: a broker that was away */
};

/** Looks at a query from any thread while it is open. */
struct arus_query_now arus_query_look(const struct arus_query *query);
/** Makes everything durable and gives the locks back. Accepts NULL. */
ARUS_MUST_USE enum arus_status arus_query_close(struct arus_query *query, struct arus_error *err);

#endif
