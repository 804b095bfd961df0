/** Compression: streams (text files, both ways) and blocks (Parquet pages). */
#ifndef ARUS_FORMAT_COMPRESS_H
#define ARUS_FORMAT_COMPRESS_H

#include "base/error.h"
#include "base/text.h"
#include "format/format.h"

#include <stddef.h>
#include <stdint.h>

/** X(NAME, spark_name, suffix). Streams; SNAPPY and LZ4 in Hadoop's block framing, DEFLATE = zlib.
 */
#define ARUS_COMPRESSIONS(X)                                                                       \
    X(NONE, "none", "")                                                                            \
    X(BZIP2, "bzip2", ".bz2")                                                                      \
    X(DEFLATE, "deflate", ".deflate")                                                              \
    X(GZIP, "gzip", ".gz")                                                                         \
    X(LZ4, "lz4", ".lz4")                                                                          \
    X(SNAPPY, "snappy", ".snappy")                                                                 \
    X(ZSTD, "zstd", ".zst")

enum arus_compression {
#define X(name, spark_name, suffix) ARUS_COMPRESSION_##name,
    ARUS_COMPRESSIONS(X)
#undef X
};

/** Names for an ARUS_OPTION_CHOICE row, in the order of the enum, then "uncompressed";
 * NULL-terminated. */
extern const char *const ARUS_COMPRESSION_CHOICES[];
/** A choice's compression ("uncompressed" is NONE). */
enum arus_compression arus_compression_of_choice(int choice);
/** By the suffix of a file name; NONE when no suffix fits. */
enum arus_compression arus_compression_of_path(const char *path);
const char *arus_compression_suffix(enum arus_compression compression);

/* ---- streams ---- */

/** Where bytes come from. `*size` 0: the end. */
struct arus_feed {
    enum arus_status (*read)(void *self, void *data, size_t capacity, size_t *size,
                             struct arus_error *err);
    void *self;
};

/** Opaque. */
struct arus_decompressor;
struct arus_compressor;

/** Reads the plain bytes of a compressed feed. Nothing is read yet. NONE is not allowed. */
ARUS_MUST_USE enum arus_status arus_decompressor_open(enum arus_compression compression,
                                                      struct arus_feed source,
                                                      struct arus_decompressor **out,
                                                      struct arus_error *err);
/** Several gzip, bzip2 or zstd members are one stream; an empty feed is empty.
 * Errors: ARUS_BAD_DATA: broken or cut off. */
ARUS_MUST_USE enum arus_status arus_decompressor_read(struct arus_decompressor *decompressor,
                                                      void *data, size_t capacity, size_t *size,
                                                      struct arus_error *err);
/** Accepts NULL. */
void arus_decompressor_close(struct arus_decompressor *decompressor);

/** Writes to `target` what is written to arus_compressor_output. NONE passes the bytes on. */
ARUS_MUST_USE enum arus_status arus_compressor_open(enum arus_compression compression,
                                                    struct arus_output target,
                                                    struct arus_compressor **out,
                                                    struct arus_error *err);
/** Valid until close. */
struct arus_output arus_compressor_output(struct arus_compressor *compressor);
/** Writes the rest. Only close may follow. */
ARUS_MUST_USE enum arus_status arus_compressor_finish(struct arus_compressor *compressor,
                                                      struct arus_error *err);
/** Accepts NULL. Before finish: abandons. */
void arus_compressor_close(struct arus_compressor *compressor);

/* ---- blocks (Parquet) ---- */

/** The numbers are Parquet's CompressionCodec. LZO and BROTLI are not supported. */
enum arus_block_codec {
    ARUS_BLOCK_UNCOMPRESSED = 0,
    ARUS_BLOCK_SNAPPY = 1,
    ARUS_BLOCK_GZIP = 2,
    ARUS_BLOCK_LZO = 3,
    ARUS_BLOCK_BROTLI = 4,
    ARUS_BLOCK_LZ4 = 5, /* Hadoop's framing; reading also takes a raw block and an LZ4 frame */
    ARUS_BLOCK_ZSTD = 6,
    ARUS_BLOCK_LZ4_RAW = 7
};

/** Contexts that are costly to make, kept for the next block. Zeroed = empty and releasable. One
 * per thread. */
struct arus_block_state {
    void *zstd_compressor;
    void *zstd_decompressor;
};
void arus_block_state_release(struct arus_block_state *state);

/** "snappy", ...; "unknown" for other numbers. */
const char *arus_block_codec_name(int codec);
/** Appends the compressed form. Errors: ARUS_FATAL for a codec we cannot write. */
ARUS_MUST_USE enum arus_status arus_block_compress(struct arus_block_state *state,
                                                   enum arus_block_codec codec,
                                                   struct arus_text plain, struct arus_buffer *out,
                                                   struct arus_error *err);
/** Fills exactly `plain_size` bytes. Errors: ARUS_BAD_DATA: broken block, another size, unknown
 * codec. */
ARUS_MUST_USE enum arus_status arus_block_decompress(struct arus_block_state *state, int codec,
                                                     struct arus_text block, void *plain,
                                                     size_t plain_size, struct arus_error *err);

#endif
