/** One leaf of a file being written: values in, pages held back until the row group ends. */
#ifndef ARUS_FORMAT_PARQUET_SINK_H
#define ARUS_FORMAT_PARQUET_SINK_H

#include "format/compress.h"
#include "format/parquet_bounds.h"
#include "format/parquet_encode.h"
#include "format/parquet_internal.h"
#include "format/parquet_meta.h"

/** Rows for a sink: whole rows, one entry each unless the column repeats. */
struct arus_parquet_rows {
    const uint8_t *definitions; /* [entry_count]; NULL: all have a value */
    const uint8_t *repetitions; /* [entry_count]; NULL: the column does not repeat */
    uint32_t entry_count;
    uint32_t row_count;
    const void *values; /* [value_count] as the sink's order says; ORDER_NONE: nothing */
    uint32_t value_count;
};

/** What is known of a written page. */
struct arus_parquet_page_note {
    int64_t offset; /* from the first data page of the chunk */
    int32_t size;   /* with its header */
    int64_t first_row;
    int64_t null_count;
    bool has_bounds;
    uint32_t min_begin; /* in `note_texts` */
    uint32_t min_size;
    uint32_t max_begin;
    uint32_t max_size;
};

/** Zeroed but for the first part = empty and releasable. */
struct arus_parquet_sink {
    const struct arus_parquet_write_settings *settings;
    const struct arus_parquet_element *element;
    enum arus_block_codec codec;
    enum arus_parquet_order order; /* also: how values come in */
    uint8_t max_definition;
    uint8_t max_repetition;
    uint8_t width; /* bytes of a PLAIN value; 0: they have a length in front */

    /* the page */
    struct arus_buffer definitions; /* uint8_t; empty: all have a value so far */
    struct arus_buffer repetitions;
    uint32_t entry_count;
    uint32_t row_count;
    uint32_t value_count;
    struct arus_buffer indices; /* uint32_t, while there is a dictionary */
    struct arus_buffer plain;   /* PLAIN bytes otherwise (booleans as bytes) */
    struct arus_parquet_bounds page_bounds;

    /* the chunk */
    bool is_indexed; /* the dictionary pays */
    bool is_tried;   /* enough values were seen to say so */
    struct arus_parquet_dictionary dictionary;
    struct arus_buffer pages; /* data pages with headers */
    struct arus_buffer notes; /* struct arus_parquet_page_note */
    struct arus_buffer note_texts;
    struct arus_parquet_bounds bounds;
    struct arus_parquet_chunk chunk; /* sizes and counts so far */
    int64_t chunk_rows;
    int64_t null_count;

    /* memory for encoding */
    struct arus_buffer scratch; /* a page */
    struct arus_buffer fixed;   /* wide values as bytes */
    struct arus_buffer views;   /* over `fixed` */
};

/** Sets what follows from the settings; the first part but order, levels and element must be there.
 */
void arus_parquet_sink_init(struct arus_parquet_sink *sink);
void arus_parquet_sink_release(struct arus_parquet_sink *sink);
/** Takes rows in; ends pages as the settings say. */
ARUS_MUST_USE enum arus_status arus_parquet_sink_add(struct arus_parquet_sink *sink,
                                                     const struct arus_parquet_rows *rows,
                                                     struct arus_block_state *codecs,
                                                     struct arus_error *err);
/** Gives up a dictionary that has grown against the values seen so far. */
ARUS_MUST_USE enum arus_status arus_parquet_sink_judge(struct arus_parquet_sink *sink,
                                                       struct arus_error *err);
/** Ends the last page. */
ARUS_MUST_USE enum arus_status arus_parquet_sink_end_page(struct arus_parquet_sink *sink,
                                                          struct arus_block_state *codecs,
                                                          struct arus_error *err);
/** Appends the dictionary page, if there is one, to `out`. */
ARUS_MUST_USE enum arus_status arus_parquet_sink_dictionary(struct arus_parquet_sink *sink,
                                                            struct arus_block_state *codecs,
                                                            struct arus_buffer *out,
                                                            struct arus_error *err);
/** Appends the chunk's column index (nothing when a page has no bounds) and its offset index;
 * `begin`: the file position of the first data page. Sizes go to the chunk. */
ARUS_MUST_USE enum arus_status arus_parquet_sink_indexes(struct arus_parquet_sink *sink,
                                                         int64_t begin, struct arus_buffer *out,
                                                         struct arus_error *err);
/** Forgets the chunk, keeps the memory. */
void arus_parquet_sink_reset(struct arus_parquet_sink *sink);
/** Bytes that wait for the row group's end. */
uint64_t arus_parquet_sink_size(const struct arus_parquet_sink *sink);
/** Bytes of memory. */
uint64_t arus_parquet_sink_held_size(const struct arus_parquet_sink *sink);

#endif
