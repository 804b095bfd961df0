#include "base/hash_stream.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static uint64_t hash_in_pieces(const unsigned char *bytes, size_t size, size_t piece)
{
    struct arus_hash_stream stream = {0};

    for (size_t at = 0; at < size; at += piece) {
        arus_hash_stream_add(&stream, bytes + at, size - at < piece ? size - at : piece);
    }
    return arus_hash_stream_end(&stream);
}

Test(hash_stream, pieces_do_not_matter)
{
    static unsigned char bytes[5 * ARUS_HASH_BLOCK + 77];
    static const size_t PIECES[] = {1, 7, 64, 8191, 8192, 8193, 16384, 30000};
    static const size_t SIZES[] = {0, 1, 8191, 8192, 8193, 16384, sizeof bytes};

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(i * 31 + i / 251);
    }
    for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
        const uint64_t whole = hash_in_pieces(bytes, SIZES[s], sizeof bytes);

        for (size_t p = 0; p < sizeof PIECES / sizeof PIECES[0]; p++) {
            cr_expect(eq(u64, hash_in_pieces(bytes, SIZES[s], PIECES[p]), whole));
        }
    }
}

Test(hash_stream, each_byte_and_the_length_count)
{
    static unsigned char bytes[2 * ARUS_HASH_BLOCK];
    const uint64_t before = hash_in_pieces(bytes, sizeof bytes, 100);

    cr_expect(ne(u64, hash_in_pieces(bytes, sizeof bytes - 1, 100), before));
    for (size_t i = 0; i < sizeof bytes; i += 1111) {
        bytes[i] ^= 1;
        cr_expect(ne(u64, hash_in_pieces(bytes, sizeof bytes, 100), before));
        bytes[i] ^= 1;
    }
}
