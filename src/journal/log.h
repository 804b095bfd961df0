/**
 * Spark's compactible text logs: `sources/I/` of a checkpoint and `_spark_metadata/` of a file
 * sink, with the journal behind them. File N holds `v1` and a JSON line per file; every tenth is
 * `N.compact` with all lines so far.
 */
#ifndef ARUS_JOURNAL_LOG_H
#define ARUS_JOURNAL_LOG_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** The logs of one running query; belongs to struct arus_checkpoint. */
struct arus_log_set;
/** One of them; belongs to the set. */
struct arus_log;

/** A line, read. Texts live as long as the line they come from, or in the arena. */
struct arus_log_line {
    struct arus_text uri; /* as written, JSON escapes undone */
    uint64_t size;        /* sink log only */
    int64_t mtime_ms;     /* `timestamp` or `modificationTime` */
    int64_t log_id;       /* source log only: `batchId` */
    bool is_folder;
};

typedef enum arus_status (*arus_log_line_fn)(void *self, struct arus_text line,
                                             struct arus_error *err);

/**
 * Reads a line of a source log or a sink log. Key order, spaces and unknown keys do not matter, a
 * missing key does. Errors: ARUS_MISMATCH "not JSON", "`blockSize` is missing".
 */
ARUS_MUST_USE enum arus_status arus_log_parse_source(struct arus_text line,
                                                     struct arus_arena *arena,
                                                     struct arus_log_line *out,
                                                     struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_log_parse_sink(struct arus_text line, struct arus_arena *arena,
                                                   struct arus_log_line *out,
                                                   struct arus_error *err);
/** Appends a line with a newline behind it, Spark's keys in Spark's order. */
ARUS_MUST_USE enum arus_status arus_log_append_source(struct arus_buffer *out,
                                                      struct arus_text path, int64_t mtime_ms,
                                                      int64_t log_id, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_log_append_sink(struct arus_buffer *out, struct arus_text path,
                                                    uint64_t size, int64_t mtime_ms,
                                                    struct arus_error *err);

/* ---- reading a folder that another query writes ---- */

/**
 * The lines of a sink's log, as Spark's reader picks its files: the last compact and what follows;
 * again when a newer compact appears meanwhile. `after` >= 0: only lines of entries beyond it, if
 * they stand in files of their own; else all lines, known ones too. `*newest` -1: the folder has no
 * log (`*is_missing`) or an empty one.
 *
 * Errors: ARUS_MISMATCH BATCH_METADATA_NOT_FOUND, MALFORMED_LOG_FILE,
 * INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION.
 */
ARUS_MUST_USE enum arus_status arus_log_read_sink(const char *folder, int64_t after,
                                                  arus_log_line_fn fn, void *self, int64_t *newest,
                                                  bool *is_missing, struct arus_error *err);

/* ---- the logs of a running query; one thread ---- */

/**
 * The log `sources/index`, taken up: text and journal agree afterwards (entries the journal holds
 * are written anew when they are missing, empty or cut; torn ones it does not know are removed).
 * Errors: ARUS_MISMATCH: contradictions, damage, gaps.
 */
ARUS_MUST_USE enum arus_status arus_log_open_source(struct arus_log_set *set, uint32_t index,
                                                    struct arus_log **out, struct arus_error *err);
/** The log `folder`/_spark_metadata, made if it is missing. `retention_ms` < 0: keep for ever. */
ARUS_MUST_USE enum arus_status arus_log_open_sink(struct arus_log_set *set, const char *folder,
                                                  int64_t retention_ms, struct arus_log **out,
                                                  struct arus_error *err);
/** Where sources and sinks note the folders they make (base/file.h): the plan of the next batch
 * syncs each once, before it writes anything. */
struct arus_buffer *arus_log_set_made(struct arus_log_set *set);
/** Highest id; -1: none. Staged entries do not count. */
int64_t arus_log_newest(const struct arus_log *log);
/** Lines in all that the journal knows of: how many files a source has read, at least. */
uint64_t arus_log_count(const struct arus_log *log);
/** Every line from the beginning, oldest first, staged ones last. */
ARUS_MUST_USE enum arus_status arus_log_each(struct arus_log *log, arus_log_line_fn fn, void *self,
                                             struct arus_error *err);
/**
 * The lines that entry `id` itself brought, and what was staged with them. `*is_found` false: no
 * such entry. `detail` is empty for entries that Spark wrote.
 */
ARUS_MUST_USE enum arus_status arus_log_entry(struct arus_log *log, int64_t id,
                                              struct arus_arena *arena, struct arus_text *lines,
                                              struct arus_text *detail, bool *is_found,
                                              struct arus_error *err);
/**
 * Holds entry `id` (the newest + 1; a sink's may repeat the one staged before) for the batch being
 * made: the checkpoint writes a source's at plan, and both go into the journal at prepare. Lines
 * end in newlines; `detail` is the caller's own. Both are copied.
 */
ARUS_MUST_USE enum arus_status arus_log_stage(struct arus_log *log, int64_t id,
                                              struct arus_text lines, struct arus_text detail,
                                              struct arus_error *err);
/**
 * Writes entry `id` under its name, as a compact where one is due, and never over another. The same
 * text there already is fine. Errors: ARUS_MISMATCH CONCURRENT_STREAM_LOG_UPDATE: another text is
 * there.
 */
ARUS_MUST_USE enum arus_status arus_log_add(struct arus_log *log, int64_t id,
                                            struct arus_text lines, struct arus_error *err);

/** What the folder has under an id. */
enum arus_log_found {
    ARUS_LOG_FOUND_NONE,
    ARUS_LOG_FOUND_SAME,
    ARUS_LOG_FOUND_TORN, /* empty, or a proper beginning of ours */
    ARUS_LOG_FOUND_OTHER
};
ARUS_MUST_USE enum arus_status arus_log_compare(struct arus_log *log, int64_t id,
                                                struct arus_text lines, enum arus_log_found *out,
                                                struct arus_error *err);
/** A batch that was prepared and then given up: parts of it may lie about. -1: none. */
int64_t arus_log_set_repeat(const struct arus_log_set *set);
/** The checkpoint's folder, absolute. */
const char *arus_log_set_folder(const struct arus_log_set *set);
/** The same as the user wrote it, for texts. */
const char *arus_log_set_shown(const struct arus_log_set *set);

/* ---- what sources and sinks without such a log keep ---- */

/**
 * `sources/index/0` of a source that fixes where it began: a NUL, `v1`, the offset JSON, as Spark's
 * Kafka source writes it; a number has no NUL, as that of its rate source. `*is_found` false: not
 * yet written. Copied into the arena.
 * Errors: ARUS_MISMATCH MALFORMED_LOG_FILE, INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION.
 */
ARUS_MUST_USE enum arus_status arus_log_initial(struct arus_log_set *set, uint32_t index,
                                                struct arus_arena *arena, struct arus_text *out,
                                                bool *is_found, struct arus_error *err);
/** Writes it, durably; an empty or torn one is replaced. */
ARUS_MUST_USE enum arus_status arus_log_set_initial(struct arus_log_set *set, uint32_t index,
                                                    struct arus_text offset,
                                                    struct arus_error *err);
/** A text in the journal under a name of the caller's; `*is_found` false: there is none. */
ARUS_MUST_USE enum arus_status arus_log_note(struct arus_log_set *set, const char *name,
                                             struct arus_arena *arena, struct arus_text *out,
                                             bool *is_found, struct arus_error *err);
/** Becomes durable with the next prepare. */
ARUS_MUST_USE enum arus_status arus_log_set_note(struct arus_log_set *set, const char *name,
                                                 struct arus_text value, struct arus_error *err);

struct arus_logger;
/** Where notices go; NULL: nowhere. */
const struct arus_logger *arus_log_set_logger(const struct arus_log_set *set);

#endif
