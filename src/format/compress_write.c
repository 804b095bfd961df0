/** Compression of streams. */
#define ZLIB_CONST /* its input pointers become const */
#include "base/alloc.h"
#include "format/compress.h"

#include <lz4.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include <bzlib.h>

#define OUTPUT_SIZE ((size_t)256 * 1024)
/* Hadoop's readers hold 256 KiB of plain bytes; its own writers leave this much for the overhead.
 */
#define BLOCK_SIZE ((size_t)256 * 1024 - ((size_t)256 * 1024 / 6 + 32))

struct arus_compressor {
    const struct compressor_ops *ops;
    enum arus_compression compression;
    struct arus_output target;
    char *output;             /* owned, OUTPUT_SIZE */
    struct arus_buffer block; /* Hadoop: plain bytes that wait */
    struct arus_buffer packed;
    bool has_written; /* Hadoop: a block */
    bool is_open;
    union {
        z_stream zlib;
        bz_stream bzip2;
        ZSTD_CCtx *zstd;
    } state;
};

struct compressor_ops {
    enum arus_status (*open)(struct arus_compressor *self, struct arus_error *err);
    enum arus_status (*write)(struct arus_compressor *self, const char *data, size_t size,
                              struct arus_error *err);
    enum arus_status (*finish)(struct arus_compressor *self, struct arus_error *err);
    void (*close)(struct arus_compressor *self);
};

static enum arus_status emit(struct arus_compressor *self, const void *data, size_t size,
                             struct arus_error *err)
{
    return size == 0 ? ARUS_OK : self->target.write(self->target.self, data, size, err);
}

static enum arus_status fail_compress(const struct arus_compressor *self, struct arus_error *err)
{
    return arus_fail(err, ARUS_FATAL, NULL, "cannot compress with %s",
                     ARUS_COMPRESSION_CHOICES[self->compression]);
}

static unsigned capped(size_t size)
{
    return size > (1U << 30) ? 1U << 30 : (unsigned)size;
}

/* ---- none ---- */

static enum arus_status none_open(struct arus_compressor *self, struct arus_error *err)
{
    (void)self;
    (void)err;
    return ARUS_OK;
}

static enum arus_status none_write(struct arus_compressor *self, const char *data, size_t size,
                                   struct arus_error *err)
{
    return emit(self, data, size, err);
}

static enum arus_status none_finish(struct arus_compressor *self, struct arus_error *err)
{
    (void)self;
    (void)err;
    return ARUS_OK;
}

static void none_close(struct arus_compressor *self)
{
    (void)self;
}

/* ---- gzip and zlib ---- */

static enum arus_status zlib_open(struct arus_compressor *self, struct arus_error *err)
{
    const int window_bits = self->compression == ARUS_COMPRESSION_GZIP ? 15 + 16 : 15;

    return deflateInit2(&self->state.zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8,
                        Z_DEFAULT_STRATEGY) == Z_OK
               ? ARUS_OK
               : arus_fail_memory(err);
}

/* Runs until all input is taken (and, to finish, all is written). */
static enum arus_status zlib_run(struct arus_compressor *self, int flush, struct arus_error *err)
{
    z_stream *zlib = &self->state.zlib;
    int result;

    do {
        zlib->next_out = (unsigned char *)self->output;
        zlib->avail_out = OUTPUT_SIZE;
        result = deflate(zlib, flush);
        if (result == Z_STREAM_ERROR) {
            return fail_compress(self, err);
        }
        ARUS_TRY(emit(self, self->output, OUTPUT_SIZE - zlib->avail_out, err));
    } while (flush == Z_FINISH ? result != Z_STREAM_END : zlib->avail_out == 0);
    return ARUS_OK;
}

static enum arus_status zlib_write(struct arus_compressor *self, const char *data, size_t size,
                                   struct arus_error *err)
{
    while (size > 0) {
        const unsigned part = capped(size);

        self->state.zlib.next_in = (const unsigned char *)data;
        self->state.zlib.avail_in = part;
        ARUS_TRY(zlib_run(self, Z_NO_FLUSH, err));
        data += part;
        size -= part;
    }
    return ARUS_OK;
}

static enum arus_status zlib_finish(struct arus_compressor *self, struct arus_error *err)
{
    self->state.zlib.avail_in = 0;
    return zlib_run(self, Z_FINISH, err);
}

static void zlib_close(struct arus_compressor *self)
{
    (void)deflateEnd(&self->state.zlib);
}

/* ---- bzip2 ---- */

static enum arus_status bzip2_open(struct arus_compressor *self, struct arus_error *err)
{
    return BZ2_bzCompressInit(&self->state.bzip2, 9, 0, 0) == BZ_OK ? ARUS_OK
                                                                    : arus_fail_memory(err);
}

static enum arus_status bzip2_run(struct arus_compressor *self, int action, struct arus_error *err)
{
    bz_stream *bzip2 = &self->state.bzip2;
    int result;

    do {
        bzip2->next_out = self->output;
        bzip2->avail_out = OUTPUT_SIZE;
        result = BZ2_bzCompress(bzip2, action);
        if (result < 0) {
            return fail_compress(self, err);
        }
        ARUS_TRY(emit(self, self->output, OUTPUT_SIZE - bzip2->avail_out, err));
    } while (action == BZ_FINISH ? result != BZ_STREAM_END : bzip2->avail_in > 0);
    return ARUS_OK;
}

static enum arus_status bzip2_write(struct arus_compressor *self, const char *data, size_t size,
                                    struct arus_error *err)
{
    char copy[4096]; /* its interface takes no const */

    while (size > 0) {
        const size_t part = size < sizeof copy ? size : sizeof copy;

        memcpy(copy, data, part);
        self->state.bzip2.next_in = copy;
        self->state.bzip2.avail_in = (unsigned)part;
        ARUS_TRY(bzip2_run(self, BZ_RUN, err));
        data += part;
        size -= part;
    }
    return ARUS_OK;
}

static enum arus_status bzip2_finish(struct arus_compressor *self, struct arus_error *err)
{
    self->state.bzip2.avail_in = 0;
    return bzip2_run(self, BZ_FINISH, err);
}

static void bzip2_close(struct arus_compressor *self)
{
    (void)BZ2_bzCompressEnd(&self->state.bzip2);
}

/* ---- zstd ---- */

static enum arus_status zstd_open(struct arus_compressor *self, struct arus_error *err)
{
    self->state.zstd = ZSTD_createCCtx();
    return self->state.zstd != NULL ? ARUS_OK : arus_fail_memory(err);
}

static enum arus_status zstd_run(struct arus_compressor *self, ZSTD_inBuffer *input,
                                 ZSTD_EndDirective directive, struct arus_error *err)
{
    size_t left;

    do {
        ZSTD_outBuffer output = {self->output, OUTPUT_SIZE, 0};

        left = ZSTD_compressStream2(self->state.zstd, &output, input, directive);
        if (ZSTD_isError(left)) {
            return fail_compress(self, err);
        }
        ARUS_TRY(emit(self, self->output, output.pos, err));
    } while (directive == ZSTD_e_end ? left != 0 : input->pos < input->size);
    return ARUS_OK;
}

static enum arus_status zstd_write(struct arus_compressor *self, const char *data, size_t size,
                                   struct arus_error *err)
{
    ZSTD_inBuffer input = {data, size, 0};

    return zstd_run(self, &input, ZSTD_e_continue, err);
}

static enum arus_status zstd_finish(struct arus_compressor *self, struct arus_error *err)
{
    ZSTD_inBuffer input = {NULL, 0, 0};

    return zstd_run(self, &input, ZSTD_e_end, err);
}

static void zstd_close(struct arus_compressor *self)
{
    ZSTD_freeCCtx(self->state.zstd);
}

/* ---- snappy and lz4 in Hadoop's framing ---- */

static void put_number(char *out, size_t number)
{
    out[0] = (char)(number >> 24);
    out[1] = (char)(number >> 16);
    out[2] = (char)(number >> 8);
    out[3] = (char)number;
}

static bool block_encode(struct arus_compressor *self, char *out, size_t *size)
{
    const struct arus_buffer *block = &self->block;

    if (self->compression == ARUS_COMPRESSION_LZ4) {
        const int result = LZ4_compress_default(block->data, out, (int)block->size, (int)*size);

        *size = result < 0 ? 0 : (size_t)result;
        return result > 0;
    }
    return snappy_compress(block->data, block->size, out, size) == SNAPPY_OK;
}

static enum arus_status block_flush(struct arus_compressor *self, struct arus_error *err)
{
    const size_t bound = self->compression == ARUS_COMPRESSION_LZ4
                             ? (size_t)LZ4_compressBound((int)self->block.size)
                             : snappy_max_compressed_length(self->block.size);
    size_t size = bound;

    arus_buffer_reset(&self->packed);
    ARUS_TRY(arus_buffer_reserve(&self->packed, bound + 8, err));
    if (!block_encode(self, self->packed.data + 8, &size)) {
        return fail_compress(self, err);
    }
    put_number(self->packed.data, self->block.size);
    put_number(self->packed.data + 4, size);
    self->has_written = true;
    arus_buffer_reset(&self->block);
    return emit(self, self->packed.data, size + 8, err);
}

static enum arus_status hadoop_write(struct arus_compressor *self, const char *data, size_t size,
                                     struct arus_error *err)
{
    while (size > 0) {
        size_t part = BLOCK_SIZE - self->block.size;

        part = part < size ? part : size;
        ARUS_TRY(arus_buffer_append(&self->block, data, part, err));
        if (self->block.size == BLOCK_SIZE) {
            ARUS_TRY(block_flush(self, err));
        }
        data += part;
        size -= part;
    }
    return ARUS_OK;
}

static enum arus_status hadoop_finish(struct arus_compressor *self, struct arus_error *err)
{
    static const char EMPTY[4];

    if (self->block.size > 0) {
        return block_flush(self, err);
    }
    return self->has_written ? ARUS_OK : emit(self, EMPTY, sizeof EMPTY, err);
}

/* ---- all ---- */

static const struct compressor_ops NONE = {none_open, none_write, none_finish, none_close};
static const struct compressor_ops ZLIB = {zlib_open, zlib_write, zlib_finish, zlib_close};
static const struct compressor_ops BZIP2 = {bzip2_open, bzip2_write, bzip2_finish, bzip2_close};
static const struct compressor_ops ZSTD = {zstd_open, zstd_write, zstd_finish, zstd_close};
static const struct compressor_ops HADOOP = {none_open, hadoop_write, hadoop_finish, none_close};

static const struct compressor_ops *const OPS[] = {
    [ARUS_COMPRESSION_NONE] = &NONE,    [ARUS_COMPRESSION_BZIP2] = &BZIP2,
    [ARUS_COMPRESSION_DEFLATE] = &ZLIB, [ARUS_COMPRESSION_GZIP] = &ZLIB,
    [ARUS_COMPRESSION_LZ4] = &HADOOP,   [ARUS_COMPRESSION_SNAPPY] = &HADOOP,
    [ARUS_COMPRESSION_ZSTD] = &ZSTD,
};

enum arus_status arus_compressor_open(enum arus_compression compression, struct arus_output target,
                                      struct arus_compressor **out, struct arus_error *err)
{
    struct arus_compressor *self = arus_alloc(1, sizeof *self);
    enum arus_status status;

    *out = NULL;
    if (self == NULL) {
        return arus_fail_memory(err);
    }
    self->ops = OPS[compression];
    self->compression = compression;
    self->target = target;
    self->output = arus_alloc_buffer(OUTPUT_SIZE);
    status = self->output == NULL ? arus_fail_memory(err) : self->ops->open(self, err);
    if (status != ARUS_OK) {
        arus_compressor_close(self);
        return status;
    }
    self->is_open = true;
    *out = self;
    return ARUS_OK;
}

static enum arus_status compressor_write(void *self, const void *data, size_t size,
                                         struct arus_error *err)
{
    struct arus_compressor *compressor = self;

    return compressor->ops->write(compressor, data, size, err);
}

struct arus_output arus_compressor_output(struct arus_compressor *self)
{
    return (struct arus_output){compressor_write, self};
}

enum arus_status arus_compressor_finish(struct arus_compressor *self, struct arus_error *err)
{
    return self->ops->finish(self, err);
}

void arus_compressor_close(struct arus_compressor *self)
{
    if (self == NULL) {
        return;
    }
    if (self->is_open) {
        self->ops->close(self);
    }
    arus_buffer_release(&self->block);
    arus_buffer_release(&self->packed);
    arus_free(self->output);
    arus_free(self);
}
