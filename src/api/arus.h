/**
 * arus as a library: pipelines of Spark SQL over files, run exactly once, from any C program.
 *
 *     struct arus_problem problem;
 *     struct arus_engine *engine;
 *
 *     if (arus_engine_open("/data", 0, &engine, &problem) == ARUS_OUTCOME_DONE &&
 *         arus_engine_load_file(engine, "landing.sql", &problem) == ARUS_OUTCOME_DONE) {
 *         arus_engine_run(engine, NULL, &problem);
 *     }
 *     arus_engine_close(engine);
 *
 * Link with `pkg-config --cflags --libs arus`. Texts are UTF-8 and end with NUL. Functions of one
 * engine are called by one thread at a time, except where they say otherwise; different engines do
 * not know of each other. Two runs on one checkpoint exclude each other, as between processes.
 */
#ifndef ARUS_H
#define ARUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ARUS_API __attribute__((visibility("default")))
#else
#define ARUS_API
#endif

/* ---- outcomes and problems ---- */

/** What became of a call; the numbers are the exit codes of the program `arus`. */
enum arus_outcome {
    ARUS_OUTCOME_DONE = 0,
    ARUS_OUTCOME_FAILED = 1,   /* rows that cannot be processed, memory, disk */
    ARUS_OUTCOME_WRONG = 2,    /* the SQL, an option or an argument is wrong; nothing ran */
    ARUS_OUTCOME_MISMATCH = 3, /* checkpoint, table and query do not fit; nothing was changed */
    ARUS_OUTCOME_INTERRUPTED =
        4 /* stopped on request before the work was done: no problem is told */
};

/**
 * One error or warning. Empty texts and zeros stand for what is not known. Calls fill the caller's
 * when their outcome is neither DONE nor INTERRUPTED; they accept NULL for it.
 */
struct arus_problem {
    enum arus_outcome outcome;
    char query[256];     /* the streaming query that failed */
    char condition[128]; /* Spark's error condition: "UNRESOLVED_COLUMN.WITH_SUGGESTION" */
    char sqlstate[8];    /* "42703" */
    char file[512];      /* pipeline file or data file that line and column belong to; empty with a
                            line: the text given to load_text or query */
    uint64_t line;       /* from 1 */
    uint64_t column;     /* from 1, in characters */
    char message[512];   /* what is wrong: lower case, one line, no full stop */
    char row[400];       /* the input row that failed: "file:line text" */
    char note[400];      /* why */
    char help[512];      /* what to type instead */
};

/* ---- engines ---- */

/** Tables, views, settings and streaming queries that were loaded. Every text that was read stays
 * in its memory until it is closed. */
struct arus_engine;

/** "0.1.0". */
ARUS_API const char *arus_version(void);

/**
 * Opens an engine. Relative paths in texts start at `folder`; NULL: the current folder.
 * `thread_count` 0: one thread per core. The caller closes the engine.
 */
ARUS_API enum arus_outcome arus_engine_open(const char *folder, uint32_t thread_count,
                                            struct arus_engine **out, struct arus_problem *problem);
/** Not while a run or an Arrow stream of this engine goes on. Accepts NULL. */
ARUS_API void arus_engine_close(struct arus_engine *engine);

/**
 * Reads a pipeline: checks all statements, touches no data. May be called again: later texts see
 * what earlier ones made. Queries (SELECT) in it are checked and not run. A relative `path` starts
 * at the engine's folder.
 *
 * ARUS_OUTCOME_WRONG: `problem` is the first error, arus_engine_problems has all of them; the good
 * statements took effect.
 */
ARUS_API enum arus_outcome arus_engine_load_file(struct arus_engine *engine, const char *path,
                                                 struct arus_problem *problem);
ARUS_API enum arus_outcome arus_engine_load_text(struct arus_engine *engine, const char *text,
                                                 struct arus_problem *problem);
/** Errors of the text read last, in its order. Valid until the next load or query. */
ARUS_API const struct arus_problem *arus_engine_problems(const struct arus_engine *engine,
                                                         size_t *count);
/** Warnings likewise. */
ARUS_API const struct arus_problem *arus_engine_warnings(const struct arus_engine *engine,
                                                         size_t *count);

/* ---- rows in memory: USING memory ---- */

/**
 * What a program keeps for its engines: rows of in-memory tables, and what in-memory sinks were
 * given. A table is read with STREAM (each add is one step of it, and is there again after a
 * restart) or as a whole (as it is when the query starts). A sink is read by its query's name:
 * SELECT .. FROM out. Every engine has a store of its own; rows that shall outlive it, or that
 * several engines share, are in one opened here. Any thread.
 */
struct arus_memory;

ARUS_API enum arus_outcome arus_memory_open(struct arus_memory **out, struct arus_problem *problem);
/** When no engine uses it any more. Accepts NULL. */
ARUS_API void arus_memory_close(struct arus_memory *memory);
/** Instead of the engine's own store; call it before texts are loaded. */
ARUS_API void arus_engine_use_memory(struct arus_engine *engine, struct arus_memory *memory);

/**
 * Adds rows to a table that was loaded: JSON objects, one a line, read as a json source reads them
 * (timestamps in the session's zone, missing columns are null). Not while texts are loaded; while a
 * run goes on it is fine.
 *
 * ARUS_OUTCOME_FAILED: a line is no good, nothing was added. ARUS_OUTCOME_WRONG: no such table.
 */
ARUS_API enum arus_outcome arus_engine_add_rows(struct arus_engine *engine, const char *table,
                                                const char *lines, struct arus_problem *problem);
/** Puts rows in place of all that are there: for tables that are read as a whole. */
ARUS_API enum arus_outcome arus_engine_set_rows(struct arus_engine *engine, const char *table,
                                                const char *lines, struct arus_problem *problem);

/* ---- streaming queries ---- */

/** How many streaming tables were loaded, and their names in order; NULL beyond the last. */
ARUS_API size_t arus_engine_stream_count(const struct arus_engine *engine);
ARUS_API const char *arus_engine_stream_name(const struct arus_engine *engine, size_t index);

/** Zeroed: all queries, by their own triggers, in silence. */
struct arus_run_options {
    const char *query;  /* the one to run, without case; NULL: all */
    bool available_now; /* end when caught up, whatever the trigger says */
    /**
     * Told after each micro-batch and each trigger that found nothing: `progress` is one line of
     * JSON in the shape of Spark's StreamingQueryProgress, borrowed for the call. Called from
     * threads of the queries, never twice at once; must not call into the engine except
     * arus_engine_stop. May be NULL.
     */
    void (*on_progress)(void *self, const char *query, const char *progress);
    void *self;
    /** Milliseconds since 1970, never going back: current_timestamp() and triggers follow it; for
     * tests. Called from threads of the queries, with `self`. NULL: the machine's clock. */
    int64_t (*now_ms)(void *self);
};

/**
 * Runs streaming queries until their triggers end, one fails, or arus_engine_stop; each on a thread
 * of its own. When one fails the others end after their batch. `options` may be NULL.
 *
 * ARUS_OUTCOME_MISMATCH: a checkpoint is in use or does not fit. ARUS_OUTCOME_INTERRUPTED: stopped
 * while input was left.
 */
ARUS_API enum arus_outcome arus_engine_run(struct arus_engine *engine,
                                           const struct arus_run_options *options,
                                           struct arus_problem *problem);
/**
 * Asks the run to end: after the micro-batch it is making, or with `now` at once (the batch is made
 * again by the next run). Any thread, also a signal handler, also before the run begins: then it
 * does nothing. Forgotten when arus_engine_run returns.
 */
ARUS_API void arus_engine_stop(struct arus_engine *engine, bool now);

/* ---- batch queries ---- */

/* The Arrow C data and stream interfaces, as their specification gives them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/**
 * Loads `text` like arus_engine_load_text, runs the last query in it (SELECT, SHOW, DESCRIBE, ..)
 * and gives its rows as a stream of record batches, which the caller releases before it closes the
 * engine. Any thread may read it, one at a time.
 *
 * The query runs on a thread behind the stream from the first get_next on, a few batches ahead of
 * the reader: memory stays bounded however many rows there are. Releasing the stream early ends the
 * query. An error while it runs makes get_next return EIO (ENOMEM for memory), with
 * "message [CONDITION]" in get_last_error.
 */
ARUS_API enum arus_outcome arus_engine_query(struct arus_engine *engine, const char *text,
                                             struct ArrowArrayStream *out,
                                             struct arus_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
