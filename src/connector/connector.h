/** The contract of sources and sinks. The engine owns threads, retries, batching and commit. */
#ifndef ARUS_CONNECTOR_CONNECTOR_H
#define ARUS_CONNECTOR_CONNECTOR_H

#include "base/option.h"
#include "column/scan.h"
#include "column/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct arus_memory;       /* connector/memory.h */
struct arus_state_reader; /* connector/state_reader.h */

/** Where console sinks print; any thread, one call a batch. */
struct arus_printer {
    enum arus_status (*print)(void *self, struct arus_text text, struct arus_error *err);
    void *self;
};

/* ---- sources ---- */

/** What CREATE TABLE (or ``json.`path` ``) says. Lives in the plan arena. */
struct arus_table {
    struct arus_text name;
    const struct arus_connector *connector;
    const struct arus_type *declared;       /* STRUCT; NULL: no column list */
    const struct arus_text *partitioned_by; /* column names of PARTITIONED BY */
    size_t partitioned_by_count;
    struct arus_settings options;
    struct arus_place place; /* of the table's name in its CREATE, or of the path */
    const char *folder;      /* absolute; relative paths start here */
    const struct arus_zone *zone;
    struct arus_memory *memory;             /* rows of the program that embeds arus; NULL: none */
    const struct arus_state_reader *states; /* state of queries; NULL: cannot be read here */
    bool may_be_missing;                    /* a path where nothing is has no rows */
};

/** A table whose options were read: made by bind, in the plan arena. The connector embeds it first.
 */
struct arus_source {
    const struct arus_source_ops *ops;
    const struct arus_table *table;
    const struct arus_type
        *schema; /* all columns as a query sees them: data, then partition columns */
    const struct arus_type *metadata; /* type of the hidden `_metadata` column, or NULL */
    struct arus_text description;     /* Spark's: FileStreamSource[file:/abs/in] */
    struct arus_text location;        /* as the user wrote it, for texts: `in/` */
    const char *path;                 /* absolute folder that is read; NULL: none, or a pattern */
};

/** A piece of work for one worker. Connectors embed it first. */
struct arus_split {
    uint64_t size;  /* bytes or records: for balance and progress */
    uint32_t index; /* position among the splits of the batch: errors are reported in this order */
};

struct arus_splits {
    struct arus_split **items;
    size_t count;
    uint64_t file_count; /* whole files that these are parts of; a source without files: 0 */
};

/** Opaque, one per source and query (scan), worker (scan_worker), running query (source_stream). */
struct arus_source_scan;
struct arus_scan_worker;
struct arus_source_stream;
struct arus_log_set; /* journal/log.h: where a stream keeps `sources/I` */

/** How far a micro-batch may go. */
struct arus_plan_limits {
    bool is_unlimited;     /* trigger once: read limits are ignored */
    bool is_available_now; /* stay inside the snapshot taken at the first plan of this run */
    uint64_t byte_max;     /* not used by files */
    int64_t now_ms;        /* when the trigger began, by the query's clock */
};

/** What a source has to offer. Texts live in the arena given to plan. */
struct arus_planned {
    bool has_new;             /* false: end equals start */
    struct arus_text end;     /* offset JSON as it stands in offsets/N; empty: none yet (`-`) */
    uint64_t left_count;      /* files or records known and left for later batches */
    uint64_t known_count;     /* files seen in all */
    struct arus_text latest;  /* offset JSON of all there is; empty: the source does not say */
    struct arus_text metrics; /* JSON object of Spark's source metrics; empty: none */
};

struct arus_source_ops {
    /** Reads options, checks the path, finds the schema (declared, or by looking inside for a
     * batch). `is_stream`: a schema is required where Spark requires it. */
    enum arus_status (*bind)(const struct arus_table *table, bool is_stream,
                             struct arus_arena *arena, struct arus_source **out,
                             struct arus_error *err);

    /* reading, batch and stream alike */

    /** Compiles a request. `scan->schema` is source->schema (plus `_metadata` behind it where asked
     * for). */
    enum arus_status (*scan_open)(const struct arus_source *source, const struct arus_scan *scan,
                                  struct arus_arena *arena, struct arus_source_scan **out,
                                  struct arus_error *err);
    /** Behind the last use of it and of its splits; its own memory is the arena's. NULL: nothing to
     * do. */
    void (*scan_close)(struct arus_source_scan *scan);
    /** One per worker thread. */
    enum arus_status (*worker_open)(struct arus_source_scan *scan, struct arus_scan_worker **out,
                                    struct arus_error *err);
    enum arus_status (*worker_start)(struct arus_scan_worker *worker,
                                     const struct arus_split *split, struct arus_error *err);
    /** row_count 0: the split has ended. The batch lives until the next call on this worker. */
    enum arus_status (*worker_next)(struct arus_scan_worker *worker, struct arus_batch *out,
                                    struct arus_error *err);
    /** After a failure: fills err->row with where the row of the newest batch came from, and its
     * text. May be slow. NULL: rows have no place. */
    void (*worker_place)(struct arus_scan_worker *worker, uint32_t row, struct arus_error *err);
    /** Right after open: bad records go to `bad`, which outlives the worker, and worker_record may
     * be asked. NULL: rows have no place. */
    void (*worker_watch)(struct arus_scan_worker *worker, const struct arus_bad_records *bad);
    /** Where row `row` of the newest batch came from. Cheapest for rising rows. */
    enum arus_status (*worker_record)(struct arus_scan_worker *worker, uint32_t row,
                                      struct arus_record *out, struct arus_error *err);
    void (*worker_stats)(const struct arus_scan_worker *worker, struct arus_scan_stats *out);
    void (*worker_close)(struct arus_scan_worker *worker);
    /** Everything that is there now, for a batch query. NULL: read with STREAM only. */
    enum arus_status (*list)(struct arus_source_scan *scan, uint32_t worker_count,
                             struct arus_arena *arena, struct arus_splits *out,
                             struct arus_error *err);
    /** A number that changes when what list would give changes: caches of static join sides. */
    enum arus_status (*fingerprint)(struct arus_source_scan *scan, uint64_t *out,
                                    struct arus_error *err);

    /* streaming; NULL: the connector cannot be read with STREAM */

    /** Takes up the history in `logs` (its own `sources/INDEX`). */
    enum arus_status (*stream_open)(const struct arus_source *source, struct arus_log_set *logs,
                                    uint32_t index, struct arus_source_stream **out,
                                    struct arus_error *err);
    /** Decides the end of the next micro-batch, which begins behind `start` (the end of the newest
     * published batch; empty: none), and stages its log entry; nothing is read yet. */
    enum arus_status (*stream_plan)(struct arus_source_stream *stream, struct arus_text start,
                                    const struct arus_plan_limits *limits, struct arus_arena *arena,
                                    struct arus_planned *out, struct arus_error *err);
    /** The splits of (start, end]; checks that what was planned is still there, unchanged. */
    enum arus_status (*stream_splits)(struct arus_source_stream *stream, struct arus_text start,
                                      struct arus_text end, struct arus_source_scan *scan,
                                      uint32_t worker_count, struct arus_arena *arena,
                                      struct arus_splits *out, struct arus_error *err);
    /** The splits of the micro-batch that the next plan will probably take, as the files are now;
     * decides nothing. Empty: not known. NULL: nothing is read ahead. */
    enum arus_status (*stream_peek)(struct arus_source_stream *stream,
                                    const struct arus_plan_limits *limits, uint32_t worker_count,
                                    struct arus_arena *arena, struct arus_splits *out,
                                    struct arus_error *err);
    /** Do both stand for the same bytes, cut in the same way? */
    bool (*splits_equal)(const struct arus_splits *a, const struct arus_splits *b);
    /** All splits of the batch were read: what a later run must know beside the offsets goes into
     * notes (arus_log_set_note), which become durable with the batch. NULL: nothing. */
    enum arus_status (*stream_read)(struct arus_source_stream *stream, struct arus_error *err);
    /** The batch that ends at `end` is published and durable, and the next one is planned: clean up
     * behind it. NULL: nothing. */
    enum arus_status (*stream_committed)(struct arus_source_stream *stream, struct arus_text end,
                                         struct arus_error *err);
    /** A descriptor that becomes readable when something may be new; -1: poll. */
    int (*stream_wake_fd)(struct arus_source_stream *stream);
    void (*stream_close)(struct arus_source_stream *stream);
};

/* ---- sinks ---- */

enum arus_output_mode { ARUS_APPEND, ARUS_UPDATE, ARUS_COMPLETE };

/** What CREATE STREAMING TABLE says about its sink. */
struct arus_sink_config {
    struct arus_text name; /* of the query */
    const struct arus_connector *connector;
    struct arus_settings options; /* TBLPROPERTIES that are not the engine's */
    const struct arus_text *partitioned_by;
    size_t partitioned_by_count;
    struct arus_place place; /* of the statement's name */
    struct arus_place partition_place;
    struct arus_place path_place;
    const struct arus_type *schema; /* of the query's result */
    enum arus_output_mode mode;
    const char *folder; /* absolute; relative paths start here */
    const struct arus_zone *zone;
    struct arus_memory *memory;         /* as struct arus_table */
    const struct arus_printer *printer; /* NULL: standard output */
};

/** A bound sink, in the plan arena. The connector embeds it first. */
struct arus_sink {
    const struct arus_sink_ops *ops;
    const struct arus_sink_config *config;
    struct arus_text description; /* Spark's: FileSink[file:/abs/out] */
    struct arus_text location;    /* for texts: out/events */
    const char *path;             /* absolute folder that must be nobody else's; NULL: none */
    bool is_ordered;              /* rows come in the order of the input, to ops->write */
    bool counts_rows;             /* its rows stand in the progress record, as Spark's do */
};

struct arus_sink_stream;
struct arus_sink_worker;

/** Sums of a batch, filled by finish_staging. */
struct arus_sink_stats {
    uint64_t row_count;
    uint64_t file_count;
    uint64_t byte_count;
};

struct arus_sink_ops {
    /** Options, path, types and mode are checked; nothing is touched. Spark's conditions. */
    enum arus_status (*bind)(const struct arus_sink_config *config, struct arus_arena *arena,
                             struct arus_sink **out, struct arus_error *err);
    /**
     * Locks the target and takes up its log. `query_id` is the 36-character id of the checkpoint;
     * `is_new_checkpoint`: refuse a target that has a log (ARUS_SINK_HAS_LOG).
     */
    enum arus_status (*stream_open)(const struct arus_sink *sink, struct arus_log_set *logs,
                                    const char *query_id, bool is_new_checkpoint,
                                    struct arus_sink_stream **out, struct arus_error *err);
    /** Before the first batch of a run: the newest batch that the journal holds as published (-1:
     * none) and its manifest (empty: written by somebody else). NULL: not wanted. */
    enum arus_status (*stream_resume)(struct arus_sink_stream *stream, int64_t batch_id,
                                      struct arus_text manifest, struct arus_error *err);
    /** Starts the staged form of a batch; removes every staged or final part of this query and
     * batch id that no log names. */
    enum arus_status (*stage_begin)(struct arus_sink_stream *stream, int64_t batch_id,
                                    struct arus_error *err);
    /** A sink with is_ordered takes its rows here, one batch after the other, and has no worker_
     * calls. NULL: it has. */
    enum arus_status (*write)(struct arus_sink_stream *stream, const struct arus_batch *batch,
                              struct arus_error *err);
    /** One per worker; `slot` names its part files. Called on the worker's thread, as all worker_
     * calls. */
    enum arus_status (*worker_open)(struct arus_sink_stream *stream, uint32_t slot,
                                    struct arus_sink_worker **out, struct arus_error *err);
    enum arus_status (*worker_write)(struct arus_sink_worker *worker,
                                     const struct arus_batch *batch, struct arus_error *err);
    /** Ends the worker's files; on failure or `abandon` they are left for stage_begin to remove. */
    enum arus_status (*worker_close)(struct arus_sink_worker *worker, bool abandon,
                                     struct arus_error *err);
    /** Makes the staged form durable (fsync of files and folders) and describes it in `manifest`:
     * what publish needs, also in a later process. */
    enum arus_status (*stage_finish)(struct arus_sink_stream *stream, int64_t batch_id,
                                     struct arus_buffer *manifest, struct arus_sink_stats *stats,
                                     struct arus_error *err);
    /** Hands the staged form out. Idempotent: finishes what a crash left half done.
     * Errors: ARUS_RETRY ARUS_STAGED_PART_LOST: the staged form is gone and no log lists the batch:
     * it may be dropped (arus_checkpoint_drop) and run again with its plan. */
    enum arus_status (*publish)(struct arus_sink_stream *stream, int64_t batch_id,
                                struct arus_text manifest, struct arus_error *err);
    /** Is batch_id in the target exactly as the manifest says (log entry equal, every part with its
     * size)? */
    enum arus_status (*is_published)(struct arus_sink_stream *stream, int64_t batch_id,
                                     struct arus_text manifest, bool *out, struct arus_error *err);
    /** The run's stop level: a publish that waits gives up with ARUS_RETRY once it is `stop_at` or
     * more; the batch stays prepared. NULL: publish never waits long. */
    void (*watch_stop)(struct arus_sink_stream *stream, const volatile int *stop, int stop_at);
    void (*stream_close)(struct arus_sink_stream *stream);
};

/* ---- the list ---- */

#define ARUS_OPTION_TABLES_MAX 4
enum arus_connector_side { ARUS_SOURCE_SIDE, ARUS_SINK_SIDE };

/** What USING names. */
struct arus_connector {
    const char *name;
    const char *summary;
    const struct arus_source_ops *source; /* NULL: not readable */
    const struct arus_sink_ops *sink;     /* NULL: not writable */
    /** Its option tables, NULL-terminated in `tables`: for help and docs. */
    void (*options)(const struct arus_connector *connector, enum arus_connector_side side,
                    const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);
    /** What could be read with these options, as rows: `arus topics`. NULL: nothing to browse.
     * `out` lives in the arena. */
    enum arus_status (*browse)(const struct arus_settings *options, const char *folder,
                               struct arus_arena *arena, struct arus_batch *out,
                               struct arus_error *err);
    /** Names the library that it loads at its first use, with its version. NULL: it has none. */
    enum arus_status (*library)(char out[64], struct arus_error *err);
    const void *data; /* the connector's own: the file connector's format row */
    bool is_fleeting; /* what its sink gets does not outlast the run: checkpointLocation may be
                         missing */
    bool is_by_name;  /* what its sink got is read under the query's name, without a path */
};

/** Zero-terminated (name NULL); defined in connectors/builtin.c. */
extern const struct arus_connector ARUS_CONNECTORS[];
/** By name without case, or NULL. */
const struct arus_connector *arus_connector_find(struct arus_text name);

#endif
