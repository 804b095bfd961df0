/** One leaf of a file, read row by row range: pages in, levels and values out. */
#ifndef ARUS_FORMAT_PARQUET_COLUMN_H
#define ARUS_FORMAT_PARQUET_COLUMN_H

#include "format/compress.h"
#include "format/parquet_convert.h"
#include "format/parquet_decode.h"
#include "format/parquet_schema.h"

#define ARUS_PARQUET_LEVELS_STEP 1024

/** Growing memory, 64-byte aligned. Zeroed = empty and releasable. */
struct arus_parquet_block {
    uint8_t *data;
    size_t capacity;
};

/** At least `size` bytes; keeps the first `keep` bytes. */
ARUS_MUST_USE enum arus_status arus_parquet_block_reserve(struct arus_parquet_block *block,
                                                          size_t size, size_t keep,
                                                          struct arus_error *err);
void arus_parquet_block_release(struct arus_parquet_block *block);

/** An open file. */
struct arus_parquet_file {
    int fd;
    uint64_t size;
    const char *path;
};

/** Plain bytes of a page that strings of the present batch may point into. */
struct arus_parquet_page_memory {
    struct arus_parquet_page_memory *next;
    struct arus_parquet_block block;
};

/** How the levels of a page are written. */
struct arus_parquet_levels {
    struct arus_parquet_rle rle;
    const uint8_t *bits; /* BIT_PACKED, the old form; else NULL */
    size_t bits_size;
    uint64_t position;
    uint8_t max; /* 0: no levels, all are 0 */
};

/**
 * Zeroed = empty and releasable. After a read: entry_count levels, and value_count values of the
 * entries that have one, converted. They live until the next read, strings too.
 */
struct arus_parquet_column {
    /* set by the reader before the first chunk */
    const struct arus_parquet_node *node;
    struct arus_parquet_conversion conversion;
    bool is_levels_only; /* its values are not wanted */
    bool may_index;      /* the batch may take places in the dictionary instead of values */

    /* the chunk */
    const struct arus_parquet_file *file;
    int32_t codec;
    uint64_t offset; /* of the next byte to fetch */
    uint64_t end;
    int64_t entries_left; /* of nested columns: by the footer, not yet read ahead */
    uint64_t byte_count;  /* fetched since the column was opened */
    struct arus_parquet_block input;
    size_t input_begin;
    size_t input_end;
    struct arus_parquet_block dictionary_bytes;
    struct arus_parquet_block dictionary; /* converted values */
    uint32_t dictionary_count;
    uint64_t dictionary_identity; /* as of its vector */
    bool has_dictionary;

    /* the page */
    struct arus_parquet_page_memory *page; /* its plain bytes */
    struct arus_parquet_page_memory *held; /* earlier pages that the batch points into */
    struct arus_parquet_page_memory *spare;
    uint32_t page_left; /* entries whose levels are not yet read */
    bool is_dictionary_page;
    struct arus_parquet_levels repetition;
    struct arus_parquet_levels definition;
    struct arus_parquet_values values;
    struct arus_parquet_rle indices;
    uint8_t ahead_repetition[ARUS_PARQUET_LEVELS_STEP]; /* levels read but not yet given */
    uint8_t ahead_definition[ARUS_PARQUET_LEVELS_STEP];
    uint32_t ahead_begin;
    uint32_t ahead_end;

    /* the batch */
    struct arus_arena arena;               /* strings put together */
    struct arus_parquet_block last;        /* the value that the next front-coded one builds on */
    struct arus_parquet_block repetitions; /* uint8_t[entry_count] */
    struct arus_parquet_block definitions; /* uint8_t[entry_count] */
    struct arus_parquet_block out;         /* room for entry_count values */
    struct arus_parquet_block scratch;     /* indices or physical values */
    struct arus_parquet_block places;      /* is_indexed: uint32_t[value_count] in the dictionary */
    bool is_indexed;                       /* `out` is not filled; see arus_parquet_column_settle */
    uint32_t entry_count;
    uint32_t value_count;
};

void arus_parquet_column_release(struct arus_parquet_column *column);
/** Another leaf, of another file; keeps the memory. */
void arus_parquet_column_rebind(struct arus_parquet_column *column,
                                const struct arus_parquet_node *node);
/** Begins a chunk; what was read before ends. Errors: ARUS_BAD_DATA: out of the file. */
ARUS_MUST_USE enum arus_status arus_parquet_column_start(struct arus_parquet_column *column,
                                                         const struct arus_parquet_file *file,
                                                         const struct arus_parquet_chunk *chunk,
                                                         struct arus_error *err);
/** Reads the next `row_count` rows. Errors: ARUS_BAD_DATA: damaged, or the chunk has fewer rows. */
ARUS_MUST_USE enum arus_status arus_parquet_column_read(struct arus_parquet_column *column,
                                                        uint32_t row_count,
                                                        struct arus_block_state *codecs,
                                                        struct arus_error *err);

/** The values of an indexed batch into `out`. */
void arus_parquet_column_settle(struct arus_parquet_column *column);

/* ---- pages (parquet_page.c) ---- */

/** Goes to the next page with entries: sets levels, values and page_left. */
ARUS_MUST_USE enum arus_status arus_parquet_column_next_page(struct arus_parquet_column *column,
                                                             struct arus_block_state *codecs,
                                                             struct arus_error *err);
/** "column NAME: " in front of a failure. */
enum arus_status arus_parquet_column_damaged(const struct arus_parquet_column *column,
                                             const char *what, struct arus_error *err);

#endif
