/** What the files of this folder share. */
#ifndef ARUS_CONNECTORS_FILE_FILE_INTERNAL_H
#define ARUS_CONNECTORS_FILE_FILE_INTERNAL_H

#include "base/file.h"
#include "file/file.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- options.c ---- */

enum arus_clean_source { ARUS_CLEAN_OFF, ARUS_CLEAN_ARCHIVE, ARUS_CLEAN_DELETE };

struct arus_file_read_settings {
    struct arus_text path;
    int64_t max_files; /* 0: no limit */
    int64_t max_bytes; /* 0: no limit */
    bool latest_first;
    int64_t max_age_ms;
    bool file_name_only;
    int clean_source; /* enum arus_clean_source */
    struct arus_text archive_folder;
    struct arus_text name_glob; /* empty: none */
    bool is_recursive;
    bool ignore_missing;
    bool ignore_corrupt;
    struct arus_text modified_before;
    struct arus_text modified_after;
};

struct arus_file_write_settings {
    struct arus_text path;
    int64_t max_records;  /* a file; 0: no limit */
    int64_t retention_ms; /* 0: for ever */
};

/** Reads the source's options and the format's, each into its own struct, in the arena. */
ARUS_MUST_USE enum arus_status
arus_file_read_options(const struct arus_format *format, const struct arus_settings *settings,
                       struct arus_arena *arena, struct arus_file_read_settings *out,
                       void **format_settings, struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_file_write_options(const struct arus_format *format, const struct arus_settings *settings,
                        struct arus_arena *arena, struct arus_file_write_settings *out,
                        void **format_settings, struct arus_error *err);

/* ---- glob.c ---- */

/** Does a path hold pattern characters? */
bool arus_glob_is(struct arus_text path);
/** Does a name (one component) match? */
bool arus_glob_match(struct arus_text pattern, struct arus_text name);
/** All paths that match a pattern, sorted, absolute; `{a,b}` may span components. */
ARUS_MUST_USE enum arus_status arus_glob_expand(struct arus_text pattern, struct arus_arena *arena,
                                                struct arus_text **out, size_t *count,
                                                struct arus_error *err);

/* ---- listing.c ---- */

/** One file that counts. */
struct arus_file_entry {
    struct arus_text path; /* absolute, NUL-terminated */
    uint64_t size;
    int64_t mtime_ns;
    uint64_t inode; /* 0: unknown (from a sink's log) */
};

/** A stretch of a file, and how it was read. */
struct arus_file_lookup {
    const struct arus_format *format;
    const struct arus_scan *scan;
    const void *settings;
    struct arus_input input;
};

/**
 * Puts "PATH:LINE text" of the stretch's `row`-th row (from 0) into err->row; the path alone where
 * rows are no lines. Reads the stretch about twice.
 */
void arus_file_place_row(const struct arus_file_lookup *lookup, uint64_t row,
                         struct arus_error *err);

/** A growing list; zeroed = empty. Paths lie in its arena. */
struct arus_file_list {
    struct arus_arena arena;
    struct arus_file_entry *items; /* owned */
    size_t count;
    size_t capacity;
    bool has_folders; /* folders below the root were looked into, whatever was found there */
};

ARUS_MUST_USE enum arus_status arus_file_list_add(struct arus_file_list *list,
                                                  const struct arus_file_entry *entry,
                                                  struct arus_error *err);
void arus_file_list_reset(struct arus_file_list *list);
void arus_file_list_release(struct arus_file_list *list);
/** In which order files are read. Ties of the modification time (milliseconds) go by path. */
enum arus_file_order { ARUS_OLDEST_FIRST, ARUS_NEWEST_FIRST };

void arus_file_list_sort(struct arus_file_list *list, enum arus_file_order order);
/** Moves the sorted files of `from` into the sorted list, whose first `head` items are passed over.
 */
ARUS_MUST_USE enum arus_status arus_file_list_merge(struct arus_file_list *list, size_t head,
                                                    const struct arus_file_list *from,
                                                    enum arus_file_order order,
                                                    struct arus_error *err);
/** Forgets the first `head` items, and the memory of their paths. */
ARUS_MUST_USE enum arus_status arus_file_list_drop(struct arus_file_list *list, size_t head,
                                                   struct arus_error *err);

/** Where to look and what counts. */
struct arus_listing {
    const char *root; /* absolute folder, file or pattern */
    bool is_glob;
    bool is_recursive;
    bool may_be_missing; /* a root that is not there has no files */
    struct arus_text name_glob;
    /** Asked before a file is looked at: false leaves it out without a stat. NULL: all. */
    bool (*wants)(void *self, struct arus_text folder, struct arus_text name);
    /** Told a few names ahead what `wants` will be asked about; NULL: not told. */
    void (*hint)(void *self, struct arus_text folder, struct arus_text name);
    void *self;
    /** The root, being read already: the first listing takes it. NULL, or closed: none. */
    struct arus_folder *ahead;
};

/** How a root that may be a sink's folder is read. */
enum arus_listing_way {
    ARUS_LISTING_OPEN, /* through its log when it has one */
    ARUS_LISTING_RAW,
    ARUS_LISTING_LOG
};

/** Names that no listing shows: `_x` without `=`, `.x`, `x._COPYING_`. */
bool arus_listing_hides(struct arus_text name);
/** Does a file of this name count (hidden names, pathGlobFilter)? */
bool arus_listing_takes(const struct arus_listing *listing, struct arus_text name);
/**
 * Lists: files directly in each root; in `k=v` folders at all depths; everywhere when recursive. A
 * root with
 * `_spark_metadata` (no pattern) is read through that log. Unsorted.
 * Errors: PATH_NOT_FOUND when a root that is no pattern is not there;
 * CONFLICTING_PARTITION_COLUMN_NAMES.
 */
ARUS_MUST_USE enum arus_status arus_listing_run(const struct arus_listing *listing,
                                                struct arus_file_list *out, struct arus_error *err);
/** As run, the way being settled; through a log, entries up to `*log_newest` may be left out.
 * `*has_any`: are there files or partition folders, wanted or not? */
ARUS_MUST_USE enum arus_status arus_listing_follow(const struct arus_listing *listing,
                                                   enum arus_listing_way way, int64_t *log_newest,
                                                   struct arus_file_list *out, bool *has_any,
                                                   struct arus_error *err);
/** One file per folder, and no folder twice in a row: what partition columns are found from. */
ARUS_MUST_USE enum arus_status arus_listing_samples(const struct arus_listing *listing,
                                                    struct arus_file_list *out,
                                                    struct arus_error *err);
/** Is the folder a sink with a log? */
ARUS_MUST_USE enum arus_status arus_listing_has_log(const char *root, bool *out,
                                                    struct arus_error *err);

/* ---- partition.c ---- */

/** Partition columns of a table, in the order of the folders. */
struct arus_partitions {
    const struct arus_type *schema; /* STRUCT of the partition columns; no fields: none */
    struct arus_text root;          /* folder names behind this prefix count */
    const struct arus_zone *zone;
};

/** `k=v` folders between root and file: names and values (Hive escapes undone; null for the default
 * partition). */
struct arus_partition_part {
    struct arus_text name;
    struct arus_text value;
    bool is_null;
};
ARUS_MUST_USE enum arus_status arus_partition_parts(struct arus_text root, struct arus_text path,
                                                    struct arus_arena *arena,
                                                    struct arus_partition_part **out, size_t *count,
                                                    struct arus_error *err);
/** Spark's inference of names and types from the paths of files. Gives a STRUCT, without fields
 * when there is none. */
ARUS_MUST_USE enum arus_status arus_partition_infer(struct arus_text root,
                                                    const struct arus_file_list *files,
                                                    struct arus_arena *arena,
                                                    const struct arus_type **out,
                                                    struct arus_error *err);
/** The values for one file as constants; [schema->field_count], row_count 1. */
ARUS_MUST_USE enum arus_status
arus_partition_values(const struct arus_partitions *partitions, struct arus_text path,
                      struct arus_arena *arena, struct arus_vector *out, struct arus_error *err);

/* ---- source.c ---- */

struct arus_file_source {
    struct arus_source base;
    const struct arus_format *format;
    struct arus_file_read_settings settings;
    void *format_settings;
    struct arus_listing listing;
    const struct arus_type *data; /* STRUCT: what the files hold */
    struct arus_partitions partitions;
    struct arus_text
        corrupt_column; /* name of the corrupt-record column when the schema has it; else empty */
};

struct arus_file_split {
    struct arus_split base;
    struct arus_file_entry file;
    uint64_t begin;
    uint64_t end;
};

struct arus_source_scan {
    const struct arus_file_source *source;
    const struct arus_scan *request;
    struct arus_scan inner;        /* what the format is asked for */
    const int32_t *from_format;    /* [request->output->field_count] column of the reader, -1 */
    const int32_t *from_partition; /* … partition column, -1 */
    int32_t metadata_column;       /* position of `_metadata` in the output, -1 */
    struct arus_file_list files;   /* of a table read as a whole; see is_listed */
    bool is_listed;
};

/* ---- schema.c ---- */

/**
 * The columns of a table: source->data, ->partitions, ->corrupt_column and base.schema. Looks into
 * the folder where columns are not declared. Errors: UNABLE_TO_INFER_SCHEMA, COLUMN_ALREADY_EXISTS,
 * INVALID_CORRUPT_RECORD_TYPE, those of the format.
 */
ARUS_MUST_USE enum arus_status arus_file_bind_schema(struct arus_file_source *source,
                                                     bool is_stream, struct arus_arena *arena,
                                                     struct arus_error *err);
/** The columns of `all` that are (or, not wanted, are not) among the names; all nullable, as Spark
 * reads files. */
ARUS_MUST_USE enum arus_status arus_file_pick_columns(const struct arus_type *all,
                                                      const struct arus_text *names, size_t count,
                                                      bool wanted, struct arus_arena *arena,
                                                      const struct arus_type **out,
                                                      struct arus_error *err);

/** Cuts files into splits: byte ranges where the format allows it. */
ARUS_MUST_USE enum arus_status arus_file_splits(const struct arus_file_source *source,
                                                const struct arus_file_entry *files, size_t count,
                                                uint32_t worker_count, struct arus_arena *arena,
                                                struct arus_splits *out, struct arus_error *err);

/** Do both stand for the same stretches of the same files, unchanged? */
bool arus_file_splits_equal(const struct arus_splits *a, const struct arus_splits *b);

/* ---- clean.c ---- */

/** Errors: ARUS_BAD_CONFIG: cleanSource archive without a folder, or with one that could meet the
 * source's path (Spark: component by component, as far as both go down). */
ARUS_MUST_USE enum arus_status arus_file_check_archive(const struct arus_file_source *source,
                                                       struct arus_error *err);
/**
 * Deletes or archives the file of a line of the source's log, if it is still the one that was
 * planned (`planned` NULL: only the line knows). Errors: it stays, the text says why.
 */
ARUS_MUST_USE enum arus_status arus_file_clean(const struct arus_file_source *source,
                                               struct arus_text line,
                                               const struct arus_file_entry *planned,
                                               struct arus_error *err);

/* ---- source_stream.c: the streaming half of ARUS_FILE_SOURCE ---- */

/** The log id of `{"logOffset":N}`, also of a bare number; -1: none. */
int64_t arus_file_offset_of(struct arus_text offset);

enum arus_status arus_file_stream_open(const struct arus_source *source, struct arus_log_set *logs,
                                       uint32_t index, struct arus_source_stream **out,
                                       struct arus_error *err);
enum arus_status arus_file_stream_plan(struct arus_source_stream *stream, struct arus_text start,
                                       const struct arus_plan_limits *limits,
                                       struct arus_arena *arena, struct arus_planned *out,
                                       struct arus_error *err);
enum arus_status arus_file_stream_splits(struct arus_source_stream *stream, struct arus_text start,
                                         struct arus_text end, struct arus_source_scan *scan,
                                         uint32_t worker_count, struct arus_arena *arena,
                                         struct arus_splits *out, struct arus_error *err);
enum arus_status arus_file_stream_peek(struct arus_source_stream *stream,
                                       const struct arus_plan_limits *limits, uint32_t worker_count,
                                       struct arus_arena *arena, struct arus_splits *out,
                                       struct arus_error *err);
enum arus_status arus_file_stream_committed(struct arus_source_stream *stream, struct arus_text end,
                                            struct arus_error *err);
int arus_file_stream_wake_fd(struct arus_source_stream *stream);
void arus_file_stream_close(struct arus_source_stream *stream);

#endif
