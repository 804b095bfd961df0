/** Between parquet.c, the reader and the writer: settings and the doors of both. */
#ifndef ARUS_FORMAT_PARQUET_INTERNAL_H
#define ARUS_FORMAT_PARQUET_INTERNAL_H

#include "format/format.h"

/** What the read options say. */
struct arus_parquet_read_settings {
    bool is_merged;
};

/** What the write options say. */
struct arus_parquet_write_settings {
    int codec;          /* enum arus_parquet_codec_choice */
    int64_t block_size; /* bytes held back before a row group is written */
    int64_t page_size;  /* bytes of values */
    int64_t page_rows;
    int64_t dictionary_size; /* bytes */
    bool has_dictionary;
};

/** X(NAME, option text, block codec, file suffix): Spark's names. */
#define ARUS_PARQUET_CODECS(X)                                                                     \
    X(NONE, "none", UNCOMPRESSED, ".parquet")                                                      \
    X(UNCOMPRESSED, "uncompressed", UNCOMPRESSED, ".parquet")                                      \
    X(SNAPPY, "snappy", SNAPPY, ".snappy.parquet")                                                 \
    X(GZIP, "gzip", GZIP, ".gz.parquet")                                                           \
    X(ZSTD, "zstd", ZSTD, ".zstd.parquet")                                                         \
    X(LZ4, "lz4", LZ4, ".lz4hadoop.parquet")                                                       \
    X(LZ4_RAW, "lz4_raw", LZ4_RAW, ".lz4raw.parquet")

enum arus_parquet_codec_choice {
#define X(name, text, codec, suffix) ARUS_PARQUET_CODEC_##name,
    ARUS_PARQUET_CODECS(X)
#undef X
};

enum arus_status arus_parquet_infer(const void *settings, const struct arus_inputs *inputs,
                                    const struct arus_zone *zone, struct arus_arena *arena,
                                    const struct arus_type **out, struct arus_error *err);
enum arus_status arus_parquet_reader_open(const struct arus_scan *scan, const void *settings,
                                          struct arus_reader **out, struct arus_error *err);
enum arus_status arus_parquet_reader_start(struct arus_reader *reader,
                                           const struct arus_input *input, struct arus_error *err);
enum arus_status arus_parquet_reader_next(struct arus_reader *reader, struct arus_batch *out,
                                          struct arus_error *err);
void arus_parquet_reader_stats(const struct arus_reader *reader, struct arus_scan_stats *out);
void arus_parquet_reader_close(struct arus_reader *reader);

enum arus_status arus_parquet_writer_open(const struct arus_type *schema, const void *settings,
                                          const struct arus_zone *zone, struct arus_output output,
                                          struct arus_writer **out, struct arus_error *err);
enum arus_status arus_parquet_writer_write(struct arus_writer *writer,
                                           const struct arus_batch *batch, struct arus_error *err);
enum arus_status arus_parquet_writer_finish(struct arus_writer *writer,
                                            struct arus_write_stats *out, struct arus_error *err);
uint64_t arus_parquet_writer_held_size(const struct arus_writer *writer);
void arus_parquet_writer_close(struct arus_writer *writer);

#endif
