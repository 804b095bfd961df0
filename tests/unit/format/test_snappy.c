/** What libsnappy packs comes out again; broken blocks are refused just where libsnappy refuses
 * them. */
#include "format/snappy.h"

#include <criterion/criterion.h>
#include <snappy-c.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** xorshift: the same blocks everywhere. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 33) % below;
}

/* Exactly as large as it has to be, so that a byte too many is seen by the sanitizers. */
static char *exactly(const void *data, size_t size)
{
    char *copy = malloc(size == 0 ? 1 : size);

    cr_assert_neq(copy, NULL);
    if (size != 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

/* Both ways over one block. */
static void compare(const char *block, size_t size, uint64_t seed)
{
    char *in = exactly(block, size);
    size_t theirs = 0;
    size_t ours = 0;
    const bool is_sized = snappy_uncompressed_length(in, size, &theirs) == SNAPPY_OK;

    cr_assert_eq(arus_snappy_size((struct arus_text){in, size}, &ours), is_sized, "seed %llu",
                 (unsigned long long)seed);
    if (is_sized && theirs <= 1 << 20) {
        char *left = malloc(theirs + 1);
        char *right = malloc(theirs + 1);
        const bool is_good = snappy_uncompress(in, size, left, &theirs) == SNAPPY_OK;

        cr_assert_eq(ours, theirs);
        cr_assert_eq(arus_snappy_unpack((struct arus_text){in, size}, right, ours), is_good,
                     "seed %llu", (unsigned long long)seed);
        cr_assert_eq(is_good ? memcmp(left, right, ours) : 0, 0, "seed %llu",
                     (unsigned long long)seed);
        free(left);
        free(right);
    }
    free(in);
}

/* Repetitions at all distances, in runs of all lengths, between bytes that do not repeat. */
static size_t make_plain(uint64_t *state, char *plain, size_t size_max)
{
    const size_t size = draw(state, (uint32_t)size_max);
    const uint32_t alphabet = 1 + draw(state, 255);
    const uint32_t distance_max = 1 + draw(state, draw(state, 2) == 0 ? 24 : 70000);
    size_t at = 0;

    while (at < size) {
        const size_t run = 1 + draw(state, draw(state, 8) == 0 ? 300 : 20);
        const size_t distance = 1 + draw(state, distance_max);
        const bool is_copy = draw(state, 2) == 0 && distance <= at;

        for (size_t i = 0; i < run && at < size; i++, at++) {
            plain[at] = is_copy ? plain[at - distance] : (char)draw(state, alphabet);
        }
    }
    return size;
}

Test(snappy, gives_back_what_was_packed_and_refuses_what_was_broken)
{
    enum { PLAIN_MAX = 100000 };
    char *plain = malloc(PLAIN_MAX);
    const size_t room = snappy_max_compressed_length(PLAIN_MAX);
    char *block = malloc(room);

    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t state = seed * 0x9E3779B97F4A7C15u;
        const size_t size = make_plain(&state, plain, seed % 4 == 0 ? PLAIN_MAX : 700);
        size_t packed = room;

        cr_assert_eq(snappy_compress(plain, size, block, &packed), SNAPPY_OK);
        compare(block, packed, seed);
        for (unsigned i = 0; i < 8; i++) {
            compare(block, draw(&state, (uint32_t)packed + 1), seed); /* cut off */
        }
        for (unsigned i = 0; i < 24; i++) { /* one byte after the other goes wrong */
            block[draw(&state, (uint32_t)packed)] = (char)draw(&state, 256);
            compare(block, packed, seed);
        }
    }
    free(plain);
    free(block);
}

/* libsnappy writes few kinds of elements; others may write all. */
Test(snappy, takes_every_kind_of_element_at_every_place)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t state = seed * 0x9E3779B97F4A7C15u;
        char block[4096];
        size_t size = 3;
        size_t plain = 0;

        while (size < sizeof block - 400 && draw(&state, 60) != 0) {
            const unsigned kind = plain == 0 ? 0 : draw(&state, 4);
            const uint32_t code = draw(&state, 64);
            size_t length = code + 1;

            block[size++] = (char)(code << 2 | kind);
            if (kind == 0) {
                const uint32_t more = code < 60 ? 0 : code - 59;

                if (more != 0) {
                    length = 1 + draw(&state, 200);
                    memcpy(block + size, &(uint32_t){(uint32_t)length - 1}, more);
                    size += more;
                }
                for (size_t i = 0; i < length; i++) {
                    block[size++] = (char)draw(&state, 256);
                }
            } else {
                const uint32_t near = draw(&state, 2) == 0 ? 20 : 2000;
                const uint32_t offset = 1 + draw(&state, plain < near ? (uint32_t)plain : near);

                length = kind == 1 ? (code & 7) + 4 : length;
                if (kind == 1) {
                    block[size - 1] = (char)((offset >> 8 & 7) << 5 | (code & 7) << 2 | 1);
                }
                memcpy(block + size, &offset, 4);
                size += kind == 3 ? 4 : kind;
            }
            plain += length;
        }
        block[0] = (char)(plain & 0x7F) | (char)0x80; /* the size, in three bytes */
        block[1] = (char)(plain >> 7 & 0x7F) | (char)0x80;
        block[2] = (char)(plain >> 14);
        compare(block, size, seed);
    }
}

Test(snappy, refuses_sizes_it_cannot_have)
{
    static const char *const BLOCKS[] = {
        "",         "\x80",         "\xFF\xFF\xFF\xFF\x1F",    "\x01",
        "\x01\x00", "\x01\x01\x00", "\xFF\xFF\xFF\xFF\xFF\xFF"};

    for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        compare(BLOCKS[i], strlen(BLOCKS[i]), i);
    }
}
