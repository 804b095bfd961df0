/** What a Parquet file says about itself: footer, page headers, page indexes. Plain data, both
 * ways. */
#ifndef ARUS_FORMAT_PARQUET_META_H
#define ARUS_FORMAT_PARQUET_META_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "format/thrift.h"

#include <stdbool.h>
#include <stdint.h>

/* The numbers of all these enums are Parquet's. */

enum arus_parquet_physical {
    ARUS_PARQUET_BOOLEAN = 0,
    ARUS_PARQUET_INT32 = 1,
    ARUS_PARQUET_INT64 = 2,
    ARUS_PARQUET_INT96 = 3,
    ARUS_PARQUET_FLOAT = 4,
    ARUS_PARQUET_DOUBLE = 5,
    ARUS_PARQUET_BYTE_ARRAY = 6,
    ARUS_PARQUET_FIXED = 7
};

enum arus_parquet_repetition {
    ARUS_PARQUET_REQUIRED = 0,
    ARUS_PARQUET_OPTIONAL = 1,
    ARUS_PARQUET_REPEATED = 2
};

enum arus_parquet_encoding {
    ARUS_PARQUET_PLAIN = 0,
    ARUS_PARQUET_PLAIN_DICTIONARY = 2,
    ARUS_PARQUET_RLE = 3,
    ARUS_PARQUET_BIT_PACKED = 4,
    ARUS_PARQUET_DELTA_BINARY_PACKED = 5,
    ARUS_PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
    ARUS_PARQUET_DELTA_BYTE_ARRAY = 7,
    ARUS_PARQUET_RLE_DICTIONARY = 8,
    ARUS_PARQUET_BYTE_STREAM_SPLIT = 9
};

enum arus_parquet_page {
    ARUS_PARQUET_DATA_PAGE = 0,
    ARUS_PARQUET_INDEX_PAGE = 1,
    ARUS_PARQUET_DICTIONARY_PAGE = 2,
    ARUS_PARQUET_DATA_PAGE_V2 = 3
};

/** X(NAME, logical id, converted id, text). LogicalType and the old ConvertedType in one; -1: has
 * none. The times and integers have several converted ids: see parquet_meta.c. */
#define ARUS_PARQUET_LOGICALS(X)                                                                   \
    X(NONE, -1, -1, "")                                                                            \
    X(STRING, 1, 0, "STRING")                                                                      \
    X(MAP, 2, 1, "MAP")                                                                            \
    X(MAP_KEY_VALUE, -1, 2, "MAP_KEY_VALUE")                                                       \
    X(LIST, 3, 3, "LIST")                                                                          \
    X(ENUM, 4, 4, "ENUM")                                                                          \
    X(DECIMAL, 5, 5, "DECIMAL")                                                                    \
    X(DATE, 6, 6, "DATE")                                                                          \
    X(TIME, 7, -1, "TIME")                                                                         \
    X(TIMESTAMP, 8, -1, "TIMESTAMP")                                                               \
    X(INTEGER, 10, -1, "INTEGER")                                                                  \
    X(UNKNOWN, 11, -1, "UNKNOWN")                                                                  \
    X(JSON, 12, 19, "JSON")                                                                        \
    X(BSON, 13, 20, "BSON")                                                                        \
    X(UUID, 14, -1, "UUID")                                                                        \
    X(FLOAT16, 15, -1, "FLOAT16")                                                                  \
    X(INTERVAL, -1, 21, "INTERVAL")                                                                \
    X(OTHER, -1, -1, "OTHER")

enum arus_parquet_logical {
#define X(name, logical_id, converted_id, text) ARUS_PARQUET_LOGICAL_##name,
    ARUS_PARQUET_LOGICALS(X)
#undef X
};

enum arus_parquet_unit { ARUS_PARQUET_MILLIS = 1, ARUS_PARQUET_MICROS = 2, ARUS_PARQUET_NANOS = 3 };

/** A node of the schema, in depth-first order. */
struct arus_parquet_element {
    struct arus_text name;
    int8_t physical; /* enum arus_parquet_physical; -1: a group */
    uint8_t repetition;
    uint8_t logical;   /* enum arus_parquet_logical */
    uint8_t unit;      /* TIME, TIMESTAMP */
    bool is_utc;       /* TIME, TIMESTAMP: adjusted to UTC */
    bool is_signed;    /* INTEGER */
    uint8_t bit_width; /* INTEGER */
    int32_t precision; /* DECIMAL */
    int32_t scale;
    int32_t type_length; /* FIXED: bytes of a value */
    int32_t child_count;
};

/** Bounds of a chunk's values in PLAIN form. */
struct arus_parquet_stats {
    struct arus_text min; /* data NULL: unknown */
    struct arus_text max;
    int64_t null_count; /* -1: unknown */
    bool is_old;        /* from the deprecated fields: signed order only */
};

/** A column's bytes in one row group. */
struct arus_parquet_chunk {
    int32_t physical;
    int32_t codec; /* enum arus_block_codec */
    int64_t value_count;
    int64_t plain_size;      /* with page headers */
    int64_t compressed_size; /* with page headers */
    int64_t data_offset;
    int64_t dictionary_offset; /* 0: none */
    bool is_elsewhere;         /* in another file */
    bool is_encrypted;
    struct arus_parquet_stats stats;
    /* for writing */
    uint32_t encodings; /* bit per enum arus_parquet_encoding */
    int32_t dictionary_pages;
    int32_t page_counts[ARUS_PARQUET_BYTE_STREAM_SPLIT + 1]; /* data pages by encoding */
    int64_t offset_index_offset;
    int64_t column_index_offset;
    int32_t offset_index_size;
    int32_t column_index_size; /* 0: none */
};

struct arus_parquet_row_group {
    struct arus_parquet_chunk *chunks; /* [leaf_count] */
    int64_t row_count;
    int64_t plain_size;
    int64_t compressed_size;
    int64_t file_offset; /* 0: unknown */
};

struct arus_parquet_meta {
    struct arus_parquet_element *elements; /* [0] is the root */
    uint32_t element_count;
    uint32_t leaf_count;
    struct arus_parquet_row_group *row_groups;
    uint32_t row_group_count;
    int64_t row_count;
    struct arus_text created_by;
    struct arus_text spark_schema; /* JSON; data NULL: none */
    bool is_encrypted;
};

/**
 * Reads the Thrift bytes of a footer. Texts point into `bytes`; arrays live in the arena.
 * Errors: ARUS_BAD_DATA: damaged.
 */
ARUS_MUST_USE enum arus_status arus_parquet_meta_read(struct arus_text bytes,
                                                      struct arus_arena *arena,
                                                      struct arus_parquet_meta *out,
                                                      struct arus_error *err);

/** A page header, data pages of both versions and dictionaries in one. */
struct arus_parquet_page_header {
    int32_t type; /* enum arus_parquet_page */
    int32_t plain_size;
    int32_t compressed_size;
    int32_t value_count;
    int32_t encoding;
    int32_t definition_encoding; /* V1 */
    int32_t repetition_encoding; /* V1 */
    int32_t definition_size;     /* V2: bytes of levels before the values, never compressed */
    int32_t repetition_size;     /* V2 */
    bool is_compressed;          /* V2 */
};

/** Reads one header at in->at. False: damaged or cut off. */
bool arus_parquet_page_read(struct arus_thrift *in, struct arus_parquet_page_header *out);
/** Appends a V1 data page's or a dictionary page's header. */
ARUS_MUST_USE enum arus_status arus_parquet_page_write(const struct arus_parquet_page_header *page,
                                                       struct arus_buffer *out,
                                                       struct arus_error *err);

#endif
