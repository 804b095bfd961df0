/** What the files of the csv format share: settings, the dialect, the exact tokenizer, cells. */
#ifndef ARUS_FORMAT_CSV_INTERNAL_H
#define ARUS_FORMAT_CSV_INTERNAL_H

#include "column/scan.h"
#include "format/chunk.h"
#include "format/compress.h"
#include "format/format.h"
#include "types/datetime.h"
#include "types/datetime_pattern.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- dialect ---- */

/** What to do with a quote inside a quoted value that is neither escaped nor the end. */
enum csv_quote_handling {
    CSV_STOP_AT_DELIMITER,
    CSV_STOP_AT_CLOSING_QUOTE,
    CSV_BACK_TO_DELIMITER,
    CSV_SKIP_VALUE,
    CSV_RAISE_ERROR
};

#define CSV_SPECIAL_MAX 5
/** Stands for special character i where that one needs several bytes of UTF-8; no such byte is in
 * UTF-8. */
#define CSV_SPECIAL_BYTE(i) ((unsigned char)(0xF8 + (i)))

/** How records and values are told apart. All special characters are one byte; 0: off, or the byte
 * 0. */
struct csv_dialect {
    unsigned char delimiter; /* 0 when `multi` is used */
    struct arus_text multi;  /* a delimiter of several characters; size 0: none */
    unsigned char quote;
    unsigned char escape;
    unsigned char escape_escape;
    unsigned char comment;
    bool has_comment;
    unsigned char new_line;   /* what a line end becomes */
    unsigned char separator1; /* the line end, one or two bytes */
    unsigned char separator2; /* 0: one byte */
    bool detects_separator;   /* multiLine without lineSep */
    bool normalizes_in_quotes;
    bool is_simple; /* one-byte specials, nothing trimmed, no limit: the quick ways may be tried */
    enum csv_quote_handling handling;
    bool trims_begin;
    bool trims_end;
    struct arus_text null_value;
    struct arus_text empty_value;
    uint32_t column_max;
    uint64_t char_max;                          /* UTF-16 units of a value; UINT64_MAX: no limit */
    struct arus_text specials[CSV_SPECIAL_MAX]; /* those that need several bytes */
    size_t special_count;
};

/* ---- settings ---- */

struct csv_read_settings {
    struct arus_text sep;
    struct arus_text quote;
    struct arus_text escape;
    struct arus_text escape_escape;
    struct arus_text comment;
    struct arus_text null_value;
    struct arus_text empty_value;
    struct arus_text nan_value;
    struct arus_text positive_inf;
    struct arus_text negative_inf;
    struct arus_text date_format;
    struct arus_text timestamp_format;
    struct arus_text ntz_format;
    struct arus_text time_zone;
    struct arus_text line_sep;
    struct arus_text encoding_name;
    struct arus_text mode_name;
    struct arus_text corrupt_name;
    struct arus_text quote_handling;
    struct arus_text variant_column;
    struct arus_text pruning;
    bool header;
    bool enforces_schema;
    bool trims_begin;
    bool trims_end;
    bool multi_line;
    bool infers_schema;
    bool prefers_date;
    int64_t column_max;
    int64_t char_max;
    /* completed by check */
    struct csv_dialect dialect;
    enum arus_read_mode mode;
    bool prunes_columns;
    enum arus_encoding encoding;
    const struct arus_zone *zone;                     /* NULL: the session's */
    const struct arus_datetime_pattern *date_pattern; /* NULL: none given */
    const struct arus_datetime_pattern *timestamp_pattern;
    const struct arus_datetime_pattern *ntz_pattern;
    bool has_bad_date_pattern; /* no cell fits an impossible pattern */
    bool has_bad_timestamp_pattern;
    bool has_bad_ntz_pattern;
};

struct csv_write_settings {
    struct arus_text sep;
    struct arus_text quote;
    struct arus_text escape;
    struct arus_text escape_escape;
    struct arus_text comment;
    struct arus_text null_value;
    struct arus_text empty_value;
    struct arus_text date_format;
    struct arus_text timestamp_format;
    struct arus_text ntz_format;
    struct arus_text time_zone;
    struct arus_text line_sep;
    struct arus_text encoding_name;
    bool header;
    bool quotes_all;
    bool escapes_quotes;
    bool trims_begin;
    bool trims_end;
    int compression_choice;
    /* completed by check */
    enum arus_compression compression;
    enum arus_encoding encoding;
    const struct arus_zone *zone;
    const struct arus_datetime_pattern *date_pattern;
    const struct arus_datetime_pattern *timestamp_pattern;
    const struct arus_datetime_pattern *ntz_pattern;
};

extern const struct arus_option CSV_READ_OPTIONS[];
extern const struct arus_option CSV_WRITE_OPTIONS[];
enum arus_status csv_check_read(void *settings, const struct arus_type *schema,
                                struct arus_arena *arena, struct arus_error *err);
enum arus_status csv_check_write(void *settings, const struct arus_type *schema,
                                 struct arus_arena *arena, struct arus_error *err);
/** Chunk options for reading files with these settings. */
struct arus_chunk_options csv_chunk_options(const struct csv_read_settings *settings);

/* ---- the exact tokenizer: univocity's results, one record at a time ---- */

/** A value of a record; data NULL: no value at all (a skipped one). */
struct csv_token {
    const char *data;
    uint32_t size;
};

enum csv_result {
    CSV_RECORD,          /* tokens and record_end are set */
    CSV_NOTHING,         /* a blank line or a comment: go on at record_end */
    CSV_END,             /* no bytes are left */
    CSV_MORE,            /* the record goes on behind the last byte (is_final false) */
    CSV_TOO_LARGE,       /* more columns or characters than allowed */
    CSV_UNESCAPED_QUOTE, /* RAISE_ERROR met one */
    CSV_FAILED           /* out of memory: err is filled */
};

/** Zeroed but for dialect, arena: ready. Token bytes live in the input or in the arena. */
struct csv_tokenizer {
    const struct csv_dialect *dialect;
    struct arus_arena *arena;
    struct csv_token *tokens; /* owned */
    size_t token_count;
    size_t token_capacity;
    const char *record_begin;
    const char *record_end; /* behind the bytes taken */

    /* the state of univocity's parser, by its names */
    const unsigned char *at;
    const unsigned char *end;
    bool is_final; /* nothing follows `end` */
    bool normalizes;
    unsigned char separator1;
    unsigned char separator2;
    unsigned char ch;
    unsigned char prev;
    unsigned char delimiter;
    bool unescaped;
    bool trims;
    bool is_skipping;      /* the value is dropped */
    size_t line_end_count; /* read in this record */
    size_t match;
    size_t depth;
    enum csv_result failure; /* CSV_RECORD: none */
    struct arus_buffer value;
    struct arus_buffer blanks;
    struct arus_error *err;
};

void csv_tokenizer_release(struct csv_tokenizer *self);
/** A line without its line end. */
enum csv_result csv_tokenize_line(struct csv_tokenizer *self, struct arus_text line,
                                  struct arus_error *err);
/** The first record of `text`, whose line ends count; separator1/2 must be set. */
enum csv_result csv_tokenize_record(struct csv_tokenizer *self, struct arus_text text,
                                    bool is_final, struct arus_error *err);
/** The line ends of a document, from its first bytes. */
void csv_detect_separator(struct csv_tokenizer *self, struct arus_text text);
/** Only bytes <= 0x20? */
bool csv_is_blank(struct arus_text line);

/* ---- cells ---- */

/** What turning cells into values needs besides them. One per reader. */
struct csv_cells {
    const struct csv_read_settings *settings;
    struct arus_timestamp_context time;
    struct arus_zone_cache zones;
    struct arus_arena zone_arena;
};

void csv_cells_init(struct csv_cells *self, const struct csv_read_settings *settings,
                    const struct arus_zone *zone);
void csv_cells_release(struct csv_cells *self);
/**
 * The value of a cell that is not null, as the type's c_type at `out` (16 bytes). False: it does
 * not fit the type. Strings are views of `text`.
 */
bool csv_cell_parse(struct csv_cells *self, const struct arus_type *type, struct arus_text text,
                    void *out);

/* ---- the rest of the format's functions ---- */

enum arus_status csv_infer(const void *settings, const struct arus_inputs *inputs,
                           const struct arus_zone *zone, struct arus_arena *arena,
                           const struct arus_type **out, struct arus_error *err);
enum arus_status csv_reader_open(const struct arus_scan *scan, const void *settings,
                                 struct arus_reader **out, struct arus_error *err);
enum arus_status csv_reader_start(struct arus_reader *reader, const struct arus_input *input,
                                  struct arus_error *err);
enum arus_status csv_reader_next(struct arus_reader *reader, struct arus_batch *out,
                                 struct arus_error *err);
void csv_reader_watch(struct arus_reader *reader, const struct arus_bad_records *bad);
enum arus_status csv_reader_record(struct arus_reader *reader, uint32_t row,
                                   struct arus_record *out, struct arus_error *err);
void csv_reader_stats(const struct arus_reader *reader, struct arus_scan_stats *out);
void csv_reader_close(struct arus_reader *reader);
const char *csv_extension(const void *settings);
enum arus_status csv_writer_open(const struct arus_type *schema, const void *settings,
                                 const struct arus_zone *zone, struct arus_output output,
                                 struct arus_writer **out, struct arus_error *err);
enum arus_status csv_writer_write(struct arus_writer *writer, const struct arus_batch *batch,
                                  struct arus_error *err);
enum arus_status csv_writer_finish(struct arus_writer *writer, struct arus_write_stats *out,
                                   struct arus_error *err);
uint64_t csv_writer_held_size(const struct arus_writer *writer);
void csv_writer_close(struct arus_writer *writer);

#endif
