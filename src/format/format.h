/** The contract of file formats: bytes <-> batches. One row per format in format/format.c. */
#ifndef ARUS_FORMAT_FORMAT_H
#define ARUS_FORMAT_FORMAT_H

#include "base/option.h"
#include "column/scan.h"
#include "column/vector.h"

#include <stdbool.h>
#include <stdint.h>

/** A file, or a byte range of one, as it was planned. Readers never look past `size`. */
struct arus_input {
    const char *path; /* absolute, raw bytes, NUL-terminated */
    uint64_t size;    /* of the file when it was planned */
    uint64_t begin; /* the records that begin in [begin, end) belong to this input; line formats: a
                       line */
    uint64_t
        end; /* belongs to the split in which its first byte lies; Parquet: a row group likewise */
};

struct arus_inputs {
    const struct arus_input *items;
    size_t count;
};

/** Where a writer's bytes go: a file, a buffer, a compressor. */
struct arus_output {
    enum arus_status (*write)(void *self, const void *data, size_t size, struct arus_error *err);
    void *self;
};

/** Opaque; each format casts to its own. */
struct arus_reader;
struct arus_writer;

/** What a finished writer knows. */
struct arus_write_stats {
    uint64_t row_count;
    uint64_t byte_count;
};

struct arus_format {
    const char *name; /* json, csv, text, parquet */
    const char *summary;
    const struct arus_option *read_options; /* zero-terminated; offsets in the read settings */
    size_t read_settings_size;
    const struct arus_option *write_options;
    size_t write_settings_size;
    bool holds_schema; /* a file tells the exact types of its columns */

    /**
     * Checks and completes parsed options that depend on each other (encodings, patterns), once per
     * query. `settings` is zeroed memory of read_settings_size filled by arus_options_parse. NULL:
     * nothing to do.
     */
    enum arus_status (*check_read)(void *settings, const struct arus_type *schema,
                                   struct arus_arena *arena, struct arus_error *err);
    enum arus_status (*check_write)(void *settings, const struct arus_type *schema,
                                    struct arus_arena *arena, struct arus_error *err);

    /** May a file of this name be read in byte ranges (no compression, no multiLine, ...)? */
    bool (*is_splittable)(const void *settings, const char *path);
    /**
     * The schema of files by looking inside (text: always `value STRING`), Spark's inference rules:
     * csv and json read them all, parquet the first footer or, with mergeSchema, every one. At
     * least one input, none empty, in the order of the paths.
     * Errors: UNABLE_TO_INFER_SCHEMA, CANNOT_MERGE_SCHEMAS, FAILED_READ_FILE.*
     */
    enum arus_status (*infer)(const void *settings, const struct arus_inputs *inputs,
                              const struct arus_zone *zone, struct arus_arena *arena,
                              const struct arus_type **out, struct arus_error *err);

    /** One reader per worker, reused for many inputs; `scan` and `settings` outlive it. */
    enum arus_status (*reader_open)(const struct arus_scan *scan, const void *settings,
                                    struct arus_reader **out, struct arus_error *err);
    /** Begins an input; ends the one before. An empty (0 byte) file has no rows and is no error. */
    enum arus_status (*reader_start)(struct arus_reader *reader, const struct arus_input *input,
                                     struct arus_error *err);
    /**
     * Gives the next rows (1..ARUS_BATCH_ROWS), columns in the order of scan->output; row_count 0:
     * the input has ended. The batch lives until the next call on this reader. Errors:
     * ARUS_BAD_DATA FAILED_READ_FILE.* or the inner condition, with err->file set.
     */
    enum arus_status (*reader_next)(struct arus_reader *reader, struct arus_batch *out,
                                    struct arus_error *err);
    /**
     * Right after open: bad records go to `bad` (with text and line, without the file), and
     * reader_record may be asked. `bad->take` NULL: only the latter. NULL: rows have no records to
     * speak of.
     */
    void (*reader_watch)(struct arus_reader *reader, const struct arus_bad_records *bad);
    /** Text and line of the record that row `row` of the newest batch came from. Cheapest for
     * rising rows. Errors: the file cannot be read any more. */
    enum arus_status (*reader_record)(struct arus_reader *reader, uint32_t row,
                                      struct arus_record *out, struct arus_error *err);
    void (*reader_stats)(const struct arus_reader *reader,
                         struct arus_scan_stats *out); /* since open */
    void (*reader_close)(struct arus_reader *reader);  /* accepts NULL */

    /** `.json`, `.json.gz`, `.snappy.parquet`: what follows `part-…-c000`. */
    const char *(*extension)(const void *settings);
    /** One writer per file. `schema` is without partition columns. Nothing is written before the
     * first batch or finish. */
    enum arus_status (*writer_open)(const struct arus_type *schema, const void *settings,
                                    const struct arus_zone *zone, struct arus_output output,
                                    struct arus_writer **out, struct arus_error *err);
    enum arus_status (*writer_write)(struct arus_writer *writer, const struct arus_batch *batch,
                                     struct arus_error *err);
    /** Writes what is held back and the end of the file. No call but close may follow. */
    enum arus_status (*writer_finish)(struct arus_writer *writer, struct arus_write_stats *out,
                                      struct arus_error *err);
    /** Bytes the writer holds back now: for the memory budget. */
    uint64_t (*writer_held_size)(const struct arus_writer *writer);
    void (*writer_close)(struct arus_writer *writer); /* accepts NULL; before finish: abandons */
};

/** All formats, NULL-terminated: format/format.c is the one list. */
extern const struct arus_format *const ARUS_FORMATS[];
/** By name without case, or NULL. */
const struct arus_format *arus_format_find(struct arus_text name);

#endif
