/** Compression of single blocks: Parquet pages. */
#define ZLIB_CONST /* its input pointers become const */
#include "format/compress.h"
#include "format/snappy.h"

#include <lz4.h>
#include <lz4frame.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include <string.h>

#define ZSTD_LEVEL     3
#define LZ4_PIECE      ((size_t)128 * 1024)
#define BLOCK_SIZE_MAX ((size_t)INT32_MAX)
#define SAMPLED_SIZE   ((size_t)128 * 1024) /* from here on blocks are tried before */
#define SAMPLE_SIZE    ((size_t)16 * 1024)
#define SAVING_MIN     8 /* a sample must lose this part of its size */

static const char *const NAMES[] = {"uncompressed", "snappy", "gzip", "lzo",
                                    "brotli",       "lz4",    "zstd", "lz4_raw"};

const char *arus_block_codec_name(int codec)
{
    return codec < 0 || codec > ARUS_BLOCK_LZ4_RAW ? "unknown" : NAMES[codec];
}

void arus_block_state_release(struct arus_block_state *state)
{
    ZSTD_freeCCtx(state->zstd_compressor);
    ZSTD_freeDCtx(state->zstd_decompressor);
    *state = (struct arus_block_state){0};
}

static enum arus_status fail_block(enum arus_block_codec codec, struct arus_error *err)
{
    return arus_fail(err, ARUS_FATAL, NULL, "cannot compress a block with %s",
                     arus_block_codec_name((int)codec));
}

static enum arus_status fail_broken(int codec, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT", "a %s block is broken",
                     arus_block_codec_name(codec));
}

/* ---- compress: each fills out->data + out->size, room `*size`, and sets `*size` ---- */

static bool shrinks(const char *sample, char *out, size_t room)
{
    return snappy_compress(sample, SAMPLE_SIZE, out, &room) == SNAPPY_OK &&
           room < SAMPLE_SIZE - SAMPLE_SIZE / SAVING_MIN;
}

/* Digests and other random texts take the compressor longest and hardly shrink: two samples tell.
 */
static bool is_worth_packing(struct arus_text plain, char *out, size_t room)
{
    return plain.size < SAMPLED_SIZE || shrinks(plain.data, out, room) ||
           shrinks(plain.data + plain.size / 2, out, room);
}

/* The same bytes as one literal of the format: size, tag with 4 bytes of length, bytes. */
static size_t snappy_store(struct arus_text plain, char *out)
{
    const uint32_t last = (uint32_t)plain.size - 1;
    char *at = out;
    size_t left;

    for (left = plain.size; left >= 0x80; left >>= 7) {
        *at++ = (char)(left | 0x80);
    }
    *at++ = (char)left;
    *at++ = (char)(63 << 2);
    memcpy(at, &last, sizeof last);
    memcpy(at + sizeof last, plain.data, plain.size);
    return (size_t)(at - out) + sizeof last + plain.size;
}

static bool snappy_pack(struct arus_text plain, char *out, size_t *size)
{
    if (!is_worth_packing(plain, out, *size)) {
        *size = snappy_store(plain, out);
        return true;
    }
    return snappy_compress(plain.data, plain.size, out, size) == SNAPPY_OK;
}

static bool lz4_pack(struct arus_text plain, char *out, size_t *size)
{
    const int result = LZ4_compress_default(plain.data == NULL ? "" : plain.data, out,
                                            (int)plain.size, (int)*size);

    *size = result < 0 ? 0 : (size_t)result;
    return result > 0;
}

static void put_number(char *out, size_t number)
{
    out[0] = (char)(number >> 24);
    out[1] = (char)(number >> 16);
    out[2] = (char)(number >> 8);
    out[3] = (char)number;
}

/* Hadoop's decompressor holds 256 KiB at a time: pieces well below, each with its own two sizes. */
static bool lz4_hadoop_pack(struct arus_text plain, char *out, size_t *size)
{
    size_t used = 0;
    size_t done = 0;

    do {
        const size_t left = plain.size - done;
        const size_t piece = left < LZ4_PIECE ? left : LZ4_PIECE;
        size_t packed = *size - used - 8;

        if (!lz4_pack((struct arus_text){plain.data + done, piece}, out + used + 8, &packed)) {
            return false;
        }
        put_number(out + used, piece);
        put_number(out + used + 4, packed);
        used += packed + 8;
        done += piece;
    } while (done < plain.size);
    *size = used;
    return true;
}

static bool gzip_pack(struct arus_text plain, char *out, size_t *size)
{
    z_stream zlib = {0};
    int result;

    if (deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        return false;
    }
    zlib.next_in = (const unsigned char *)plain.data;
    zlib.avail_in = (unsigned)plain.size;
    zlib.next_out = (unsigned char *)out;
    zlib.avail_out = (unsigned)*size;
    result = deflate(&zlib, Z_FINISH);
    *size -= zlib.avail_out;
    (void)deflateEnd(&zlib);
    return result == Z_STREAM_END;
}

static bool zstd_pack(struct arus_block_state *state, struct arus_text plain, char *out,
                      size_t *size)
{
    if (state->zstd_compressor == NULL) {
        state->zstd_compressor = ZSTD_createCCtx();
    }
    if (state->zstd_compressor == NULL) {
        return false;
    }
    *size =
        ZSTD_compressCCtx(state->zstd_compressor, out, *size, plain.data, plain.size, ZSTD_LEVEL);
    return !ZSTD_isError(*size);
}

static size_t pack_bound(enum arus_block_codec codec, size_t size)
{
    switch (codec) {
    case ARUS_BLOCK_SNAPPY:
        return snappy_max_compressed_length(size);
    case ARUS_BLOCK_GZIP:
        return compressBound(size) + 32;
    case ARUS_BLOCK_LZ4:
        return (size / LZ4_PIECE + 1) * ((size_t)LZ4_compressBound((int)LZ4_PIECE) + 8);
    case ARUS_BLOCK_LZ4_RAW:
        return (size_t)LZ4_compressBound((int)size) + 8;
    case ARUS_BLOCK_ZSTD:
        return ZSTD_compressBound(size);
    case ARUS_BLOCK_UNCOMPRESSED:
    case ARUS_BLOCK_LZO:
    case ARUS_BLOCK_BROTLI:
        break;
    }
    return size;
}

static bool pack(struct arus_block_state *state, enum arus_block_codec codec,
                 struct arus_text plain, char *out, size_t *size)
{
    switch (codec) {
    case ARUS_BLOCK_SNAPPY:
        return snappy_pack(plain, out, size);
    case ARUS_BLOCK_GZIP:
        return gzip_pack(plain, out, size);
    case ARUS_BLOCK_LZ4:
        return lz4_hadoop_pack(plain, out, size);
    case ARUS_BLOCK_LZ4_RAW:
        return lz4_pack(plain, out, size);
    case ARUS_BLOCK_ZSTD:
        return zstd_pack(state, plain, out, size);
    case ARUS_BLOCK_UNCOMPRESSED:
        if (plain.size > 0) {
            memcpy(out, plain.data, plain.size);
        }
        *size = plain.size;
        return true;
    case ARUS_BLOCK_LZO:
    case ARUS_BLOCK_BROTLI:
        break;
    }
    return false;
}

enum arus_status arus_block_compress(struct arus_block_state *state, enum arus_block_codec codec,
                                     struct arus_text plain, struct arus_buffer *out,
                                     struct arus_error *err)
{
    size_t size;

    if (plain.size > BLOCK_SIZE_MAX / 2) {
        return fail_block(codec, err);
    }
    size = pack_bound(codec, plain.size);
    ARUS_TRY(arus_buffer_reserve(out, size, err));
    if (!pack(state, codec, plain, out->data + out->size, &size)) {
        return fail_block(codec, err);
    }
    out->size += size;
    return ARUS_OK;
}

/* ---- decompress: true when exactly `size` bytes came out ---- */

static bool gzip_unpack(struct arus_text block, char *plain, size_t size)
{
    z_stream zlib = {0};
    char spare; /* an exact fit still needs room for the end mark when size is 0 */
    int result = Z_STREAM_END;
    size_t left;

    if (inflateInit2(&zlib, 15 + 32) != Z_OK) { /* gzip or zlib */
        return false;
    }
    zlib.next_in = (const unsigned char *)block.data;
    zlib.avail_in = (unsigned)block.size;
    zlib.next_out = (unsigned char *)(size == 0 ? &spare : plain);
    zlib.avail_out = (unsigned)size;
    while (zlib.avail_in > 0 && result == Z_STREAM_END) { /* several members are allowed */
        result = inflate(&zlib, Z_FINISH);
        if (result == Z_STREAM_END && zlib.avail_in > 0 && inflateReset(&zlib) != Z_OK) {
            result = Z_DATA_ERROR;
        }
    }
    left = zlib.avail_out;
    (void)inflateEnd(&zlib);
    return result == Z_STREAM_END && left == 0;
}

static bool lz4_unpack(struct arus_text block, char *plain, size_t size)
{
    return block.size <= BLOCK_SIZE_MAX &&
           LZ4_decompress_safe(block.data, plain, (int)block.size, (int)size) == (int)size;
}

static size_t get_number(const char *data)
{
    const unsigned char *b = (const unsigned char *)data;

    return ((size_t)b[0] << 24) | ((size_t)b[1] << 16) | ((size_t)b[2] << 8) | b[3];
}

static bool lz4_hadoop_unpack(struct arus_text block, char *plain, size_t size)
{
    size_t done = 0;

    while (block.size >= 8) {
        const size_t plain_size = get_number(block.data);
        const size_t packed_size = get_number(block.data + 4);

        if (packed_size > block.size - 8 || plain_size > size - done ||
            !lz4_unpack((struct arus_text){block.data + 8, packed_size}, plain + done,
                        plain_size)) {
            return false;
        }
        done += plain_size;
        block.data += 8 + packed_size;
        block.size -= 8 + packed_size;
    }
    return block.size == 0 && done == size;
}

static bool lz4_frame_unpack(struct arus_text block, char *plain, size_t size)
{
    LZ4F_dctx *context = NULL;
    size_t done = 0;
    size_t used = 0;
    size_t result = 1;

    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
        return false;
    }
    while (result != 0 && !LZ4F_isError(result) && used < block.size) {
        size_t output = size - done;
        size_t input = block.size - used;

        result = LZ4F_decompress(context, plain + done, &output, block.data + used, &input, NULL);
        if (output == 0 && input == 0) {
            break;
        }
        done += output;
        used += input;
    }
    (void)LZ4F_freeDecompressionContext(context);
    return result == 0 && done == size;
}

static bool zstd_unpack(struct arus_block_state *state, struct arus_text block, char *plain,
                        size_t size)
{
    if (state->zstd_decompressor == NULL) {
        state->zstd_decompressor = ZSTD_createDCtx();
    }
    return state->zstd_decompressor != NULL &&
           ZSTD_decompressDCtx(state->zstd_decompressor, plain, size, block.data, block.size) ==
               size;
}

enum arus_status arus_block_decompress(struct arus_block_state *state, int codec,
                                       struct arus_text block, void *plain, size_t plain_size,
                                       struct arus_error *err)
{
    bool is_good = plain_size <= BLOCK_SIZE_MAX;

    switch (codec) {
    case ARUS_BLOCK_UNCOMPRESSED:
        is_good = block.size == plain_size;
        if (is_good && plain_size > 0) {
            memcpy(plain, block.data, plain_size);
        }
        break;
    case ARUS_BLOCK_SNAPPY:
        is_good = is_good && arus_snappy_unpack(block, plain, plain_size);
        break;
    case ARUS_BLOCK_GZIP:
        is_good = is_good && gzip_unpack(block, plain, plain_size);
        break;
    case ARUS_BLOCK_LZ4:
        is_good = is_good && (lz4_hadoop_unpack(block, plain, plain_size) ||
                              lz4_unpack(block, plain, plain_size) ||
                              lz4_frame_unpack(block, plain, plain_size));
        break;
    case ARUS_BLOCK_LZ4_RAW:
        is_good = is_good && lz4_unpack(block, plain, plain_size);
        break;
    case ARUS_BLOCK_ZSTD:
        is_good = is_good && zstd_unpack(state, block, plain, plain_size);
        break;
    default:
        return arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT",
                         "the codec %s (%d) cannot be read", arus_block_codec_name(codec), codec);
    }
    return is_good ? ARUS_OK : fail_broken(codec, err);
}
