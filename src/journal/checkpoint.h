/**
 * A checkpoint: Spark's text files (`metadata`, `offsets/`, `commits/`, `sources/`) as mirrors of
 * the journal, the one truth. Opening repairs what a crash or a power loss left, and refuses what
 * contradicts itself.
 *
 * One micro-batch, in this order:
 *
 *     sources plan, stage their log entries
 *     arus_checkpoint_plan       sources/I/K, offsets/N
 *     sinks stage; state puts its delta into arus_checkpoint_write
 *     arus_checkpoint_prepare    the one transaction
 *     sinks publish
 *     arus_checkpoint_finish     commits/N, purge
 *
 * A failure before prepare: arus_checkpoint_abandon, then the batch may run again in this process.
 */
#ifndef ARUS_JOURNAL_CHECKPOINT_H
#define ARUS_JOURNAL_CHECKPOINT_H

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "journal/log.h"
#include "journal/store.h"

#include <stdbool.h>
#include <stdint.h>

/** The lock file in a checkpoint's folder: base/lock.h. */
#define ARUS_CHECKPOINT_LOCK ".arus.lock"

/** What the caller decides; zero means the default where one is named. */
struct arus_checkpoint_config {
    const char *folder; /* absolute */
    const char *shown;  /* as the user wrote it, for texts */
    const char *query;  /* name, for texts */
    bool is_stateful;   /* the journal is `state/`, else `.arus/` */
    uint32_t source_count;
    int64_t batches_retained;     /* 100: spark.sql.streaming.minBatchesToRetain */
    uint32_t source_log_interval; /* 10: spark.sql.streaming.fileSource.log.compactInterval */
    uint32_t sink_log_interval;   /* 10: spark.sql.streaming.fileSink.log.compactInterval */
    int64_t source_log_delay_ms;  /* 0: 10 minutes; -1: none (cleanupDelay 0) */
    int64_t sink_log_delay_ms;
    bool keeps_source_log; /* fileSource.log.deletion false */
    bool keeps_sink_log;
    const struct arus_text
        *conf_values; /* see arus_checkpoint_conf_find; [ARUS_CONF_COUNT] or NULL: defaults */
    const struct arus_logger *logger; /* notices; may be NULL */
};

/** X(NAME, key, default): the `conf` object of offsets/N, in the order of Spark 4.3's text. */
#define ARUS_CHECKPOINT_CONF(X)                                                                    \
    X(STATE_PROVIDER, "spark.sql.streaming.stateStore.providerClass",                              \
      "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")               \
    X(DEDUP_KEY_ORDER, "spark.sql.dropDuplicates.deterministicKeyOrder.enabled", "true")           \
    X(ROCKSDB_MERGE, "spark.sql.streaming.stateStore.rocksdb.mergeOperatorVersion", "2")           \
    X(ROCKSDB_FORMAT, "spark.sql.streaming.stateStore.rocksdb.formatVersion", "5")                 \
    X(SOURCE_EVOLUTION, "spark.sql.streaming.queryEvolution.enableSourceEvolution", "false")       \
    X(STATE_ENCODING, "spark.sql.streaming.stateStore.encodingFormat", "unsaferow")                \
    X(STRICT_DISTRIBUTION, "spark.sql.streaming.statefulOperator.useStrictDistribution", "true")   \
    X(GROUPS_FORMAT, "spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion", "2")         \
    X(WATERMARK_POLICY, "spark.sql.streaming.multipleWatermarkPolicy", "min")                      \
    X(ROW_CHECKSUM, "spark.sql.streaming.stateStore.rowChecksum.enabled", "false")                 \
    X(NULLABLE_OUTPUT, "spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled",        \
      "true")                                                                                      \
    X(AGGREGATE_FORMAT, "spark.sql.streaming.aggregation.stateFormatVersion", "2")                 \
    X(PROTOBUF, "spark.sql.function.protobufExtensions.enabled", "false")                          \
    X(SHUFFLE_PARTITIONS, "spark.sql.shuffle.partitions", "200")                                   \
    X(JOIN_FORMAT, "spark.sql.streaming.join.stateFormatVersion", "2")                             \
    X(STATE_CODEC, "spark.sql.streaming.stateStore.compression.codec", "lz4")                      \
    X(PRUNE_FILTERS, "spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan", "false")

enum arus_checkpoint_conf {
#define X(name, key, value) ARUS_CONF_##name,
    ARUS_CHECKPOINT_CONF(X)
#undef X
        ARUS_CONF_COUNT
};

/** What a batch reads and when it is. */
struct arus_batch_plan {
    int64_t batch_id;
    int64_t watermark_ms;            /* `batchWatermarkMs`: the one this batch uses; 0: none */
    int64_t timestamp_ms;            /* `batchTimestampMs`: current_timestamp() */
    const struct arus_text *offsets; /* [offset_count] end of each source; empty: none yet (`-`) */
    size_t offset_count;
    struct arus_text extra; /* the stream's own bytes, kept beside the plan (not in Spark's text) */
};

/** The staged form of one output: the sink, or a side table. */
struct arus_batch_output {
    struct arus_text name;     /* "sink", "late", "rejects" */
    struct arus_text manifest; /* of stage_finish */
};

/** A prepared batch, as the journal keeps it. */
struct arus_batch_record {
    struct arus_batch_plan plan;
    int64_t next_watermark_ms; /* `nextBatchWatermarkMs` of commits/N */
    const struct arus_batch_output *outputs;
    size_t output_count;
    struct arus_text extra; /* the stream's own: watermarks of sources, progress, row counts */
};

/** What to do first. */
enum arus_checkpoint_todo {
    ARUS_TODO_NEXT, /* plan batch `batch_id` */
    ARUS_TODO_RUN,  /* `record.plan` is decided but not prepared: run it with exactly these offsets
                     */
    ARUS_TODO_PUBLISH /* `record` is prepared, perhaps half published: publish it (again), then
                         finish it */
};

struct arus_checkpoint_start {
    enum arus_checkpoint_todo todo;
    int64_t batch_id;
    struct arus_batch_record record; /* RUN: only the plan */
    struct arus_batch_record last;   /* the newest published batch: start offsets, watermark */
    bool has_last;
    bool is_new; /* no batch was ever planned */
};

struct arus_checkpoint;

/**
 * Locks the checkpoint, takes up or makes journal and `metadata`, restores mirrors.
 *
 * Errors: ARUS_MISMATCH (nothing was changed): in use; STREAMING_CHECKPOINT_MISSING_METADATA_FILE;
 * STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY; STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY;
 * STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA (state is there, the query has none);
 * MALFORMED_LOG_FILE; INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION; gaps; another number of sources; a
 * stateful checkpoint of Spark.
 */
ARUS_MUST_USE enum arus_status arus_checkpoint_open(const struct arus_checkpoint_config *config,
                                                    struct arus_checkpoint **out,
                                                    struct arus_error *err);
/** 36 characters. */
const char *arus_checkpoint_id(const struct arus_checkpoint *checkpoint);
struct arus_log_set *arus_checkpoint_logs(struct arus_checkpoint *checkpoint);
struct arus_store *arus_checkpoint_store(struct arus_checkpoint *checkpoint);
/** What the next transaction (prepare, drop) will also do: state deltas, notes. */
struct arus_store_write *arus_checkpoint_write(struct arus_checkpoint *checkpoint);

/**
 * Call once, when all sources and sinks have been opened: takes over progress that Spark made
 * meanwhile, and says where to begin. Texts live in the arena.
 */
ARUS_MUST_USE enum arus_status arus_checkpoint_begin(struct arus_checkpoint *checkpoint,
                                                     struct arus_arena *arena,
                                                     struct arus_checkpoint_start *out,
                                                     struct arus_error *err);

/**
 * What `start` asked for is done: what comes now. A power cut may take commits/N and leave
 * offsets/N+1: then N is published again, and the plan behind it is run as it stands.
 */
ARUS_MUST_USE enum arus_status arus_checkpoint_next(struct arus_checkpoint *checkpoint,
                                                    struct arus_arena *arena,
                                                    struct arus_checkpoint_start *out,
                                                    struct arus_error *err);

/** Writes the staged entries of the source logs, then offsets/N. For a RUN after a restart it only
 * checks. */
ARUS_MUST_USE enum arus_status arus_checkpoint_plan(struct arus_checkpoint *checkpoint,
                                                    const struct arus_batch_plan *plan,
                                                    struct arus_error *err);
/** The one transaction: record, staged log entries, arus_checkpoint_write, "N-1 is published". */
ARUS_MUST_USE enum arus_status arus_checkpoint_prepare(struct arus_checkpoint *checkpoint,
                                                       const struct arus_batch_record *record,
                                                       struct arus_error *err);
/** Published: writes commits/N, forgets what is too old, syncs mirrors behind the scenes. */
ARUS_MUST_USE enum arus_status arus_checkpoint_finish(struct arus_checkpoint *checkpoint,
                                                      int64_t batch_id, struct arus_error *err);
/** A batch that was planned but not prepared is given up in this process; its plan stays. */
void arus_checkpoint_abandon(struct arus_checkpoint *checkpoint);
/**
 * The staged form of prepared batch N is lost: takes N out of the journal (with what
 * arus_checkpoint_write holds, the removal of its state delta), keeps its plan; N runs next.
 */
ARUS_MUST_USE enum arus_status arus_checkpoint_drop(struct arus_checkpoint *checkpoint,
                                                    int64_t batch_id, struct arus_error *err);
/** Syncs all mirrors, notes the last batch as published, unlocks. Failures of syncs are reported;
 * it is closed. */
ARUS_MUST_USE enum arus_status arus_checkpoint_close(struct arus_checkpoint *checkpoint,
                                                     struct arus_error *err);

/**
 * Closes a checkpoint when the query did not come to its first batch: if this opening made it, it
 * is gone again, so that an old one can be put in its place.
 */
void arus_checkpoint_undo(struct arus_checkpoint *checkpoint);

/* ---- notes: named texts that live in the journal ---- */

/** `*is_found` false: there is none. Copied into the arena. */
ARUS_MUST_USE enum arus_status arus_checkpoint_note(struct arus_checkpoint *checkpoint,
                                                    const char *name, struct arus_arena *arena,
                                                    struct arus_text *out, bool *is_found,
                                                    struct arus_error *err);
/** Becomes durable with the next prepare (or drop). */
ARUS_MUST_USE enum arus_status arus_checkpoint_set_note(struct arus_checkpoint *checkpoint,
                                                        const char *name, struct arus_text value,
                                                        struct arus_error *err);

/* ---- looking from outside (arus status, audit): takes no lock, changes nothing ---- */

struct arus_checkpoint_view {
    bool exists; /* `metadata` or a journal is there */
    char id[37];
    bool is_stateful;
    int64_t newest_prepared;  /* -1: none */
    int64_t newest_published; /* by journal or commits/; -1: none */
    int64_t oldest_retained;
    int64_t newest_planned; /* newest offsets/N */
};

ARUS_MUST_USE enum arus_status
arus_checkpoint_look(const char *folder, struct arus_checkpoint_view *out, struct arus_error *err);
/** The record of a batch, from the journal or, for plans, from offsets/N and commits/N. */
ARUS_MUST_USE enum arus_status arus_checkpoint_look_batch(const char *folder, int64_t batch_id,
                                                          struct arus_arena *arena,
                                                          struct arus_batch_record *out,
                                                          bool *is_found, struct arus_error *err);

/** The journal of a checkpoint, to be read; `*out` NULL: there is none. */
ARUS_MUST_USE enum arus_status
arus_checkpoint_look_store(const char *folder, struct arus_store **out, struct arus_error *err);
/** A note, as arus_checkpoint_note. */
ARUS_MUST_USE enum arus_status arus_checkpoint_look_note(struct arus_store *store, const char *name,
                                                         struct arus_arena *arena,
                                                         struct arus_text *out, bool *is_found,
                                                         struct arus_error *err);
/** Does the journal still keep this batch, and so all that its state needs? */
ARUS_MUST_USE enum arus_status arus_checkpoint_look_kept(struct arus_store *store, int64_t batch_id,
                                                         bool *out, struct arus_error *err);

/** Each line of a sink's log that the journal knows, and the line of its detail; oldest first. */
ARUS_MUST_USE enum arus_status
arus_checkpoint_look_sink(struct arus_store *store, const char *sink,
                          enum arus_status (*fn)(void *self, struct arus_text line,
                                                 struct arus_text detail, struct arus_error *err),
                          void *self, struct arus_error *err);

/* ---- the text files themselves (journal/checkpoint_text.c) ---- */

/** Appends offsets/N, v1, byte for byte as Spark 4.3. `conf` [ARUS_CONF_COUNT], an empty text = the
 * default. */
ARUS_MUST_USE enum arus_status arus_offsets_format(struct arus_buffer *out,
                                                   const struct arus_batch_plan *plan,
                                                   const struct arus_text *conf,
                                                   struct arus_error *err);
/**
 * Reads v1 and v2. `conf` may be NULL; else [ARUS_CONF_COUNT] gets the known keys' values (empty:
 * absent). Errors: ARUS_MISMATCH with err->file set to `path`: MALFORMED_LOG_FILE,
 * INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION, incomplete, not JSON.
 */
ARUS_MUST_USE enum arus_status arus_offsets_parse(struct arus_text content, const char *path,
                                                  struct arus_arena *arena,
                                                  struct arus_batch_plan *out,
                                                  struct arus_text *conf, struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_commit_format(struct arus_buffer *out, int64_t next_watermark_ms, struct arus_error *err);
/** Reads v1 and v2; `v1` alone and `{}` are fine. */
ARUS_MUST_USE enum arus_status arus_commit_parse(struct arus_text content, const char *path,
                                                 int64_t *next_watermark_ms,
                                                 struct arus_error *err);

#endif
