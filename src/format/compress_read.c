/** Decompression of streams. */
#define ZLIB_CONST /* its input pointers become const */
#include "base/alloc.h"
#include "format/compress.h"
#include "format/snappy.h"

#include <lz4.h>
#include <zlib.h>
#include <zstd.h>

#include <bzlib.h>

#define INPUT_SIZE ((size_t)256 * 1024)

/* Hadoop's framing: [plain size of a block] ([compressed size of a piece] piece)...; sizes are big
 * endian. */
struct hadoop {
    struct arus_buffer piece;
    struct arus_buffer plain;
    size_t plain_at;
    size_t block_left; /* plain bytes that the current block still has to give */
};

struct arus_decompressor {
    const struct decompressor_ops *ops;
    enum arus_compression compression;
    struct arus_feed source;
    unsigned char *input; /* owned, INPUT_SIZE */
    size_t input_at;
    size_t input_size;
    bool has_ended;    /* the source */
    bool is_in_member; /* begun, not ended: the end of the source is an error here */
    bool is_open;      /* the library's state needs a close */
    union {
        z_stream zlib;
        bz_stream bzip2;
        ZSTD_DCtx *zstd;
        struct hadoop hadoop;
    } state;
};

struct decompressor_ops {
    enum arus_status (*open)(struct arus_decompressor *self, struct arus_error *err);
    /* Takes input, gives output; `*size` 0: needs more input. */
    enum arus_status (*step)(struct arus_decompressor *self, char *data, size_t capacity,
                             size_t *size, struct arus_error *err);
    void (*close)(struct arus_decompressor *self);
};

static enum arus_status fail_broken(const struct arus_decompressor *self, const char *what,
                                    struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT", "the %s data is broken: %s",
                     ARUS_COMPRESSION_CHOICES[self->compression], what);
}

static enum arus_status fail_cut_off(const struct arus_decompressor *self, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT",
                     "the %s data breaks off: the file is not complete",
                     ARUS_COMPRESSION_CHOICES[self->compression]);
}

static enum arus_status refill(struct arus_decompressor *self, struct arus_error *err)
{
    if (self->input_at < self->input_size || self->has_ended) {
        return ARUS_OK;
    }
    self->input_at = 0;
    self->input_size = 0;
    ARUS_TRY(self->source.read(self->source.self, self->input, INPUT_SIZE, &self->input_size, err));
    self->has_ended = self->input_size == 0;
    return ARUS_OK;
}

static unsigned capped(size_t size)
{
    return size > (1U << 30) ? 1U << 30 : (unsigned)size;
}

/* ---- gzip and zlib ---- */

static enum arus_status zlib_open(struct arus_decompressor *self, struct arus_error *err)
{
    const int window_bits = self->compression == ARUS_COMPRESSION_GZIP ? 15 + 16 : 15;

    return inflateInit2(&self->state.zlib, window_bits) == Z_OK ? ARUS_OK : arus_fail_memory(err);
}

static enum arus_status zlib_step(struct arus_decompressor *self, char *data, size_t capacity,
                                  size_t *size, struct arus_error *err)
{
    z_stream *zlib = &self->state.zlib;
    int result;

    zlib->next_in = self->input + self->input_at;
    zlib->avail_in = (unsigned)(self->input_size - self->input_at);
    zlib->next_out = (unsigned char *)data;
    zlib->avail_out = capped(capacity);
    self->is_in_member = self->is_in_member || zlib->avail_in > 0;
    result = inflate(zlib, Z_NO_FLUSH);
    self->input_at = self->input_size - zlib->avail_in;
    *size = capped(capacity) - zlib->avail_out;
    switch (result) {
    case Z_STREAM_END:
        self->is_in_member = false;
        return inflateReset(zlib) == Z_OK ? ARUS_OK : fail_broken(self, "cannot reset", err);
    case Z_OK:
    case Z_BUF_ERROR:
        return ARUS_OK;
    case Z_MEM_ERROR:
        return arus_fail_memory(err);
    default:
        return fail_broken(self, zlib->msg != NULL ? zlib->msg : "unknown form", err);
    }
}

static void zlib_close(struct arus_decompressor *self)
{
    (void)inflateEnd(&self->state.zlib);
}

/* ---- bzip2 ---- */

static enum arus_status bzip2_open(struct arus_decompressor *self, struct arus_error *err)
{
    return BZ2_bzDecompressInit(&self->state.bzip2, 0, 0) == BZ_OK ? ARUS_OK
                                                                   : arus_fail_memory(err);
}

static void bzip2_close(struct arus_decompressor *self)
{
    (void)BZ2_bzDecompressEnd(&self->state.bzip2);
}

static enum arus_status bzip2_restart(struct arus_decompressor *self, struct arus_error *err)
{
    self->is_in_member = false;
    bzip2_close(self);
    self->is_open = false;
    self->state.bzip2 = (bz_stream){0};
    ARUS_TRY(bzip2_open(self, err));
    self->is_open = true;
    return ARUS_OK;
}

static enum arus_status bzip2_step(struct arus_decompressor *self, char *data, size_t capacity,
                                   size_t *size, struct arus_error *err)
{
    bz_stream *bzip2 = &self->state.bzip2;
    int result;

    bzip2->next_in = (char *)self->input + self->input_at;
    bzip2->avail_in = (unsigned)(self->input_size - self->input_at);
    bzip2->next_out = data;
    bzip2->avail_out = capped(capacity);
    self->is_in_member = self->is_in_member || bzip2->avail_in > 0;
    result = BZ2_bzDecompress(bzip2);
    self->input_at = self->input_size - bzip2->avail_in;
    *size = capped(capacity) - bzip2->avail_out;
    switch (result) {
    case BZ_STREAM_END:
        return bzip2_restart(self, err);
    case BZ_OK:
        return ARUS_OK;
    case BZ_MEM_ERROR:
        return arus_fail_memory(err);
    default:
        return fail_broken(self, "wrong block or checksum", err);
    }
}

/* ---- zstd ---- */

static enum arus_status zstd_open(struct arus_decompressor *self, struct arus_error *err)
{
    self->state.zstd = ZSTD_createDCtx();
    return self->state.zstd != NULL ? ARUS_OK : arus_fail_memory(err);
}

static enum arus_status zstd_step(struct arus_decompressor *self, char *data, size_t capacity,
                                  size_t *size, struct arus_error *err)
{
    ZSTD_inBuffer input = {self->input, self->input_size, self->input_at};
    ZSTD_outBuffer output = {data, capacity, 0};
    size_t result;

    if (!self->is_in_member && input.pos == input.size) {
        return ARUS_OK;
    }
    result = ZSTD_decompressStream(self->state.zstd, &output, &input);
    self->input_at = input.pos;
    *size = output.pos;
    if (ZSTD_isError(result)) {
        return fail_broken(self, ZSTD_getErrorName(result), err);
    }
    self->is_in_member = result != 0;
    return ARUS_OK;
}

static void zstd_close(struct arus_decompressor *self)
{
    ZSTD_freeDCtx(self->state.zstd);
}

/* ---- snappy and lz4 in Hadoop's framing ---- */

/* Takes exactly `size` bytes; `*is_end`: the source ended before the first one. */
static enum arus_status take(struct arus_decompressor *self, void *data, size_t size, bool *is_end,
                             struct arus_error *err)
{
    size_t done = 0;

    while (done < size) {
        size_t part;

        ARUS_TRY(refill(self, err));
        if (self->has_ended) {
            *is_end = done == 0;
            return *is_end ? ARUS_OK : fail_cut_off(self, err);
        }
        part = self->input_size - self->input_at;
        part = part < size - done ? part : size - done;
        memcpy((char *)data + done, self->input + self->input_at, part);
        self->input_at += part;
        done += part;
    }
    *is_end = false;
    return ARUS_OK;
}

static enum arus_status take_number(struct arus_decompressor *self, size_t *out, bool *is_end,
                                    struct arus_error *err)
{
    unsigned char b[4];

    ARUS_TRY(take(self, b, sizeof b, is_end, err));
    if (!*is_end) {
        *out = ((size_t)b[0] << 24) | ((size_t)b[1] << 16) | ((size_t)b[2] << 8) | b[3];
        if (*out > (size_t)INT32_MAX) {
            return fail_broken(self, "not in Hadoop's block framing", err);
        }
    }
    return ARUS_OK;
}

/* Plain size of a piece, checked against what its compressed size can hold. */
static bool piece_bound(const struct arus_decompressor *self, size_t *out)
{
    const struct hadoop *hadoop = &self->state.hadoop;
    size_t bound;

    if (self->compression == ARUS_COMPRESSION_LZ4) {
        bound = hadoop->piece.size * 255 + 64;
        *out = bound < hadoop->block_left ? bound : hadoop->block_left;
        return true;
    }
    return arus_snappy_size(arus_buffer_text(&hadoop->piece), out) && *out <= hadoop->block_left;
}

static bool piece_decode(struct arus_decompressor *self, size_t bound)
{
    struct hadoop *hadoop = &self->state.hadoop;

    if (self->compression == ARUS_COMPRESSION_LZ4) {
        const int size = LZ4_decompress_safe(hadoop->piece.data, hadoop->plain.data,
                                             (int)hadoop->piece.size, (int)bound);

        hadoop->plain.size = size < 0 ? 0 : (size_t)size;
        return size >= 0;
    }
    hadoop->plain.size = bound;
    return arus_snappy_unpack(arus_buffer_text(&hadoop->piece), hadoop->plain.data, bound);
}

static enum arus_status take_piece(struct arus_decompressor *self, struct arus_error *err)
{
    struct hadoop *hadoop = &self->state.hadoop;
    size_t size = 0;
    size_t bound;
    bool is_end;

    ARUS_TRY(take_number(self, &size, &is_end, err));
    if (is_end) {
        return fail_cut_off(self, err);
    }
    arus_buffer_reset(&hadoop->piece);
    while (!is_end && hadoop->piece.size < size) { /* in steps: a broken size must not allocate */
        size_t part = size - hadoop->piece.size;

        part = part < INPUT_SIZE ? part : INPUT_SIZE;
        ARUS_TRY(arus_buffer_reserve(&hadoop->piece, part, err));
        ARUS_TRY(take(self, hadoop->piece.data + hadoop->piece.size, part, &is_end, err));
        hadoop->piece.size += part;
    }
    if (is_end) {
        return fail_cut_off(self, err);
    }
    if (size == 0 || !piece_bound(self, &bound)) {
        return fail_broken(self, "a block with wrong sizes", err);
    }
    arus_buffer_reset(&hadoop->plain);
    hadoop->plain_at = 0;
    ARUS_TRY(arus_buffer_reserve(&hadoop->plain, bound + 1, err));
    if (!piece_decode(self, bound)) {
        return fail_broken(self, "a block cannot be decoded", err);
    }
    hadoop->block_left -= hadoop->plain.size;
    return ARUS_OK;
}

static enum arus_status hadoop_open(struct arus_decompressor *self, struct arus_error *err)
{
    (void)err;
    self->state.hadoop = (struct hadoop){0};
    return ARUS_OK;
}

static enum arus_status hadoop_step(struct arus_decompressor *self, char *data, size_t capacity,
                                    size_t *size, struct arus_error *err)
{
    struct hadoop *hadoop = &self->state.hadoop;
    bool is_end = false;

    while (hadoop->plain_at == hadoop->plain.size && !is_end) {
        if (hadoop->block_left == 0) {
            ARUS_TRY(take_number(self, &hadoop->block_left, &is_end, err));
        } else {
            ARUS_TRY(take_piece(self, err));
        }
    }
    *size = hadoop->plain.size - hadoop->plain_at;
    *size = *size < capacity ? *size : capacity;
    if (*size > 0) {
        memcpy(data, hadoop->plain.data + hadoop->plain_at, *size);
        hadoop->plain_at += *size;
    }
    return ARUS_OK;
}

static void hadoop_close(struct arus_decompressor *self)
{
    arus_buffer_release(&self->state.hadoop.piece);
    arus_buffer_release(&self->state.hadoop.plain);
}

/* ---- all ---- */

static const struct decompressor_ops ZLIB = {zlib_open, zlib_step, zlib_close};
static const struct decompressor_ops BZIP2 = {bzip2_open, bzip2_step, bzip2_close};
static const struct decompressor_ops ZSTD = {zstd_open, zstd_step, zstd_close};
static const struct decompressor_ops HADOOP = {hadoop_open, hadoop_step, hadoop_close};

static const struct decompressor_ops *const OPS[] = {
    [ARUS_COMPRESSION_NONE] = NULL,     [ARUS_COMPRESSION_BZIP2] = &BZIP2,
    [ARUS_COMPRESSION_DEFLATE] = &ZLIB, [ARUS_COMPRESSION_GZIP] = &ZLIB,
    [ARUS_COMPRESSION_LZ4] = &HADOOP,   [ARUS_COMPRESSION_SNAPPY] = &HADOOP,
    [ARUS_COMPRESSION_ZSTD] = &ZSTD,
};

enum arus_status arus_decompressor_open(enum arus_compression compression, struct arus_feed source,
                                        struct arus_decompressor **out, struct arus_error *err)
{
    struct arus_decompressor *self = arus_alloc(1, sizeof *self);
    enum arus_status status;

    *out = NULL;
    ARUS_ASSERT(OPS[compression] != NULL);
    if (self == NULL) {
        return arus_fail_memory(err);
    }
    self->ops = OPS[compression];
    self->compression = compression;
    self->source = source;
    self->input = arus_alloc_buffer(INPUT_SIZE);
    status = self->input == NULL ? arus_fail_memory(err) : self->ops->open(self, err);
    if (status != ARUS_OK) {
        arus_decompressor_close(self);
        return status;
    }
    self->is_open = true;
    *out = self;
    return ARUS_OK;
}

enum arus_status arus_decompressor_read(struct arus_decompressor *self, void *data, size_t capacity,
                                        size_t *size, struct arus_error *err)
{
    *size = 0;
    for (;;) {
        ARUS_TRY(refill(self, err));
        ARUS_TRY(self->ops->step(self, data, capacity, size, err));
        if (*size > 0) {
            return ARUS_OK;
        }
        if (self->has_ended && self->input_at == self->input_size) {
            return self->is_in_member ? fail_cut_off(self, err) : ARUS_OK;
        }
    }
}

void arus_decompressor_close(struct arus_decompressor *self)
{
    if (self == NULL) {
        return;
    }
    if (self->is_open) {
        self->ops->close(self);
    }
    arus_free(self->input);
    arus_free(self);
}
