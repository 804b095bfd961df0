#include "format/compress.h"
#include "support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

static enum arus_status append(void *self, const void *data, size_t size, struct arus_error *err)
{
    return arus_buffer_append(self, data, size, err);
}

struct stretch_feed {
    struct arus_text text;
    size_t step;
};

static enum arus_status feed_read(void *self, void *data, size_t capacity, size_t *size,
                                  struct arus_error *err)
{
    struct stretch_feed *feed = self;
    const size_t part = feed->text.size < feed->step ? feed->text.size : feed->step;

    (void)err;
    *size = part < capacity ? part : capacity;
    memcpy(data, feed->text.data, *size);
    feed->text.data += *size;
    feed->text.size -= *size;
    return ARUS_OK;
}

static void pack(enum arus_compression compression, struct arus_text plain, struct arus_buffer *out)
{
    struct arus_error err;
    struct arus_compressor *compressor = NULL;
    struct arus_output output;

    cr_assert(
        eq(int,
           arus_compressor_open(compression, (struct arus_output){append, out}, &compressor, &err),
           ARUS_OK));
    output = arus_compressor_output(compressor);
    cr_assert(eq(int, output.write(output.self, plain.data, plain.size / 3, &err), ARUS_OK));
    cr_assert(eq(
        int,
        output.write(output.self, plain.data + plain.size / 3, plain.size - plain.size / 3, &err),
        ARUS_OK));
    cr_assert(eq(int, arus_compressor_finish(compressor, &err), ARUS_OK));
    arus_compressor_close(compressor);
}

static enum arus_status unpack(enum arus_compression compression, struct arus_text packed,
                               size_t step, struct arus_buffer *out, struct arus_error *err)
{
    struct stretch_feed feed = {packed, step};
    struct arus_decompressor *decompressor = NULL;
    enum arus_status status;
    char piece[1000];
    size_t size = 1;

    status = arus_decompressor_open(compression, (struct arus_feed){feed_read, &feed},
                                    &decompressor, err);
    while (status == ARUS_OK && size > 0) {
        status = arus_decompressor_read(decompressor, piece, sizeof piece, &size, err);
        if (status == ARUS_OK) {
            status = arus_buffer_append(out, piece, size, err);
        }
    }
    arus_decompressor_close(decompressor);
    return status;
}

static struct arus_text sample(char *data, size_t size)
{
    uint32_t seed = 1;

    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        data[i] = (char)('a' + (seed >> 28));
    }
    return (struct arus_text){data, size};
}

Test(compress, reads_what_it_wrote_and_refuses_what_breaks_off)
{
    static char data[600000];
    const struct arus_text plain = sample(data, sizeof data);
    struct arus_error err;

    for (int c = ARUS_COMPRESSION_BZIP2; c <= ARUS_COMPRESSION_ZSTD; c++) {
        struct arus_buffer packed = {0};
        struct arus_buffer again = {0};

        pack((enum arus_compression)c, plain, &packed);
        cr_assert(eq(int,
                     unpack((enum arus_compression)c, arus_buffer_text(&packed), 777, &again, &err),
                     ARUS_OK),
                  "%d: %s", c, err.message);
        cr_assert(arus_text_equal(arus_buffer_text(&again), plain));
        packed.size -= 5;
        cr_expect(
            eq(int,
               unpack((enum arus_compression)c, arus_buffer_text(&packed), 1 << 20, &again, &err),
               ARUS_BAD_DATA),
            "%d", c);
        arus_buffer_release(&packed);
        arus_buffer_release(&again);
    }
}

Test(compress, joins_members_and_keeps_nothing_as_nothing)
{
    struct arus_error err;

    for (int c = ARUS_COMPRESSION_BZIP2; c <= ARUS_COMPRESSION_ZSTD; c++) {
        struct arus_buffer packed = {0};
        struct arus_buffer again = {0};

        pack((enum arus_compression)c, ARUS_TEXT(""), &packed);
        pack((enum arus_compression)c, ARUS_TEXT("abc"), &packed);
        pack((enum arus_compression)c, ARUS_TEXT("def"), &packed);
        cr_assert(eq(int,
                     unpack((enum arus_compression)c, arus_buffer_text(&packed), 1, &again, &err),
                     ARUS_OK),
                  "%d: %s", c, err.message);
        cr_expect(arus_text_equal(arus_buffer_text(&again), ARUS_TEXT("abcdef")));
        arus_buffer_release(&packed);
        arus_buffer_release(&again);
    }
}

Test(compress, packs_blocks_and_checks_their_size)
{
    static const enum arus_block_codec CODECS[] = {ARUS_BLOCK_UNCOMPRESSED, ARUS_BLOCK_SNAPPY,
                                                   ARUS_BLOCK_GZIP,         ARUS_BLOCK_LZ4,
                                                   ARUS_BLOCK_ZSTD,         ARUS_BLOCK_LZ4_RAW};
    static char data[10000];
    static char again[10001];
    struct arus_block_state state = {0};
    struct arus_error err;

    for (size_t i = 0; i < sizeof CODECS / sizeof *CODECS; i++) {
        const size_t sizes[] = {0, 1, sizeof data};

        for (size_t s = 0; s < 3; s++) {
            const struct arus_text plain = sample(data, sizes[s]);
            struct arus_buffer packed = {0};

            cr_assert(
                eq(int, arus_block_compress(&state, CODECS[i], plain, &packed, &err), ARUS_OK));
            cr_assert(eq(int,
                         arus_block_decompress(&state, (int)CODECS[i], arus_buffer_text(&packed),
                                               again, plain.size, &err),
                         ARUS_OK),
                      "%d %zu", (int)CODECS[i], plain.size);
            cr_expect(eq(int, memcmp(again, data, plain.size), 0));
            cr_expect(eq(int,
                         arus_block_decompress(&state, (int)CODECS[i], arus_buffer_text(&packed),
                                               again, plain.size + 1, &err),
                         ARUS_BAD_DATA),
                      "%d %zu", (int)CODECS[i], plain.size);
            arus_buffer_release(&packed);
        }
    }
    cr_expect(eq(int,
                 arus_block_decompress(&state, ARUS_BLOCK_BROTLI, ARUS_TEXT("x"), again, 1, &err),
                 ARUS_BAD_DATA));
    arus_block_state_release(&state);
}

/* Rule: what hardly shrinks is stored in snappy's format as it is, even where its begin is worth
 * nothing; what shrinks in one of the places that are tried is packed. */
Test(compress, blocks_that_hardly_shrink_are_stored)
{
    static const char DIGITS[] = "0123456789abcdef";
    static char data[300000];
    static char again[sizeof data];
    struct arus_block_state state = {0};
    struct arus_error err;
    const struct arus_text plain = {data, sizeof data};
    uint64_t seed = 1;

    for (size_t i = 0; i < sizeof data; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
        data[i] = DIGITS[seed >> 60];
    }
    for (int half = 0; half < 2; half++) {
        struct arus_buffer packed = {0};

        if (half == 1) {
            memset(data + sizeof data / 2, 'x', sizeof data / 2);
        }
        cr_assert(arus_block_compress(&state, ARUS_BLOCK_SNAPPY, plain, &packed, &err) == ARUS_OK);
        cr_expect(half == 1 ? packed.size < sizeof data * 3 / 4
                            : packed.size > sizeof data && packed.size < sizeof data + 10,
                  "%zu", packed.size);
        cr_assert(arus_block_decompress(&state, ARUS_BLOCK_SNAPPY, arus_buffer_text(&packed), again,
                                        sizeof again, &err) == ARUS_OK);
        cr_expect(memcmp(again, data, sizeof data) == 0);
        arus_buffer_release(&packed);
    }
    arus_block_state_release(&state);
}

static enum arus_status open_all(struct arus_error *err)
{
    struct stretch_feed feed = {ARUS_TEXT(""), 1};
    struct arus_buffer out = {0};
    enum arus_status status = ARUS_OK;

    for (int c = ARUS_COMPRESSION_BZIP2; c <= ARUS_COMPRESSION_ZSTD && status == ARUS_OK; c++) {
        struct arus_decompressor *decompressor = NULL;
        struct arus_compressor *compressor = NULL;

        status = arus_decompressor_open((enum arus_compression)c,
                                        (struct arus_feed){feed_read, &feed}, &decompressor, err);
        if (status == ARUS_OK) {
            status = arus_compressor_open((enum arus_compression)c,
                                          (struct arus_output){append, &out}, &compressor, err);
        }
        arus_decompressor_close(decompressor);
        arus_compressor_close(compressor);
    }
    arus_buffer_release(&out);
    return status;
}

Test(compress, survives_each_failing_allocation)
{
    assert_each_failure(open_all);
}
