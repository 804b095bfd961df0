/** Encodings: what our encoder writes, our decoder reads, at every width and in parts of any size.
 */
#include "format/parquet_decode.h"
#include "format/parquet_encode.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

#define COUNT 1000

/** A fixed sequence of numbers. */
static uint64_t number(uint64_t i)
{
    uint64_t x = i * UINT64_C(0x9E3779B97F4A7C15) + 12345;

    x ^= x >> 29;
    return x * UINT64_C(0xBF58476D1CE4E5B9);
}

/** The decoder reads some bytes past the end: give it room. */
static void pad(struct arus_buffer *buffer)
{
    struct arus_error err;

    cr_assert(eq(int, arus_buffer_reserve(buffer, 64, &err), ARUS_OK));
    memset(buffer->data + buffer->size, 0xAA, 64);
}

static void check_indices(const uint32_t *values, uint32_t count, uint8_t width, uint32_t part)
{
    struct arus_buffer buffer = {0};
    struct arus_parquet_rle rle;
    struct arus_error err;
    uint32_t got[COUNT];

    cr_assert(eq(int, arus_parquet_write_indices(values, count, width, &buffer, &err), ARUS_OK));
    pad(&buffer);
    arus_parquet_rle_init(&rle, (const uint8_t *)buffer.data, buffer.size, width);
    for (uint32_t i = 0; i < count; i += part) {
        const uint32_t n = count - i < part ? count - i : part;

        cr_assert(arus_parquet_rle_read(&rle, got + i, n), "width %d part %d", width, (int)part);
    }
    cr_assert(memcmp(got, values, count * sizeof *values) == 0, "width %d part %d", width,
              (int)part);
    arus_buffer_release(&buffer);
}

Test(parquet_decode, indices_of_every_width)
{
    uint32_t values[COUNT];

    for (uint8_t width = 0; width <= 32; width++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            values[i] = width == 0 ? 0 : (uint32_t)(number(i) >> (64 - width));
        }
        check_indices(values, COUNT, width, COUNT);
        check_indices(values, COUNT - 3, width, 7);
        check_indices(values, 1, width, 1);
    }
}

Test(parquet_decode, runs_within_packed_values)
{
    uint32_t values[COUNT];

    for (uint32_t run = 1; run < 200; run += 13) {
        for (uint32_t i = 0; i < COUNT; i++) {
            values[i] = i / run % 3 == 0 ? (uint32_t)(number(i) >> 62) : 2;
        }
        check_indices(values, COUNT, 2, COUNT);
        check_indices(values, COUNT, 9, 64);
    }
}

Test(parquet_decode, levels_as_bytes)
{
    struct arus_buffer buffer = {0};
    struct arus_parquet_rle rle;
    struct arus_error err;
    uint8_t values[COUNT];
    uint8_t got[COUNT];

    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = i > 500 && i < 800 ? 5 : (uint8_t)(number(i) >> 61);
    }
    cr_assert(eq(int, arus_parquet_write_levels(values, COUNT, 3, &buffer, &err), ARUS_OK));
    pad(&buffer);
    arus_parquet_rle_init(&rle, (const uint8_t *)buffer.data, buffer.size, 3);
    cr_assert(arus_parquet_rle_read_bytes(&rle, got, COUNT));
    cr_expect(memcmp(got, values, COUNT) == 0);
    cr_expect(not(arus_parquet_rle_read_bytes(&rle, got, 8)), "there are no more");
    arus_buffer_release(&buffer);
}

Test(parquet_decode, old_levels_have_the_highest_bit_first)
{
    const uint8_t bytes[] = {0x05, 0x39, 0x77}; /* the format's own example: 0 1 2 3 4 5 6 7 */
    uint8_t got[8];

    cr_assert(arus_parquet_bits_read(bytes, sizeof bytes, 3, 0, got, 8));
    for (uint8_t i = 0; i < 8; i++) {
        cr_expect(eq(u8, got[i], i));
    }
    cr_assert(arus_parquet_bits_read(bytes, sizeof bytes, 3, 5, got, 3));
    cr_expect(eq(u8, got[0], 5));
    cr_expect(not(arus_parquet_bits_read(bytes, sizeof bytes, 3, 6, got, 3)));
}

static void check_delta(const int64_t *values, uint32_t count, uint32_t part)
{
    struct arus_buffer buffer = {0};
    struct arus_parquet_delta delta;
    struct arus_error err;
    int64_t got[COUNT];

    cr_assert(eq(int, arus_parquet_write_delta64(values, count, &buffer, &err), ARUS_OK));
    pad(&buffer);
    cr_assert(arus_parquet_delta_init(&delta, (const uint8_t *)buffer.data, buffer.size));
    cr_expect(arus_parquet_delta_end(delta) == (const uint8_t *)buffer.data + buffer.size);
    for (uint32_t i = 0; i < count; i += part) {
        cr_assert(arus_parquet_delta_read(&delta, got + i, count - i < part ? count - i : part));
    }
    cr_expect(memcmp(got, values, count * sizeof *values) == 0, "count %d", (int)count);
    cr_expect(not(arus_parquet_delta_read(&delta, got, 1)), "there are no more");
    arus_buffer_release(&buffer);
}

Test(parquet_decode, deltas_of_any_size)
{
    int64_t values[COUNT];

    for (unsigned bits = 0; bits <= 64; bits += 4) {
        for (uint32_t i = 0; i < COUNT; i++) {
            values[i] = bits == 0 ? 7 : (int64_t)(number(i) >> (64 - bits));
        }
        values[COUNT / 2] = INT64_MIN;
        values[COUNT / 2 + 1] = INT64_MAX;
        check_delta(values, COUNT, COUNT);
        check_delta(values, COUNT, 33);
        check_delta(values, 1, 1);
        check_delta(values, 129, 128);
    }
}

Test(parquet_decode, deltas_of_32_bits_wrap)
{
    const int32_t values[] = {INT32_MIN, INT32_MAX, 0, -1, INT32_MIN, 5, 5, 5};
    struct arus_parquet_values in = {.physical = ARUS_PARQUET_INT32, .width = 4};
    struct arus_buffer buffer = {0};
    struct arus_arena arena = {0};
    struct arus_error err;
    int32_t got[8];

    cr_assert(eq(int, arus_parquet_write_delta32(values, 8, &buffer, &err), ARUS_OK));
    pad(&buffer);
    cr_assert(arus_parquet_values_init(&in, ARUS_PARQUET_DELTA_BINARY_PACKED,
                                       (const uint8_t *)buffer.data, buffer.size));
    cr_assert(eq(int, arus_parquet_values_read(&in, got, 8, &arena, &err), ARUS_OK));
    cr_expect(memcmp(got, values, sizeof values) == 0);
    arus_buffer_release(&buffer);
}

Test(parquet_decode, a_string_longer_than_its_page_is_damage)
{
    const uint8_t bytes[32] = {9, 0, 0, 0, 'a', 'b'};
    struct arus_parquet_values in = {.physical = ARUS_PARQUET_BYTE_ARRAY};
    struct arus_arena arena = {0};
    struct arus_view got[1];
    struct arus_error err;

    cr_assert(arus_parquet_values_init(&in, ARUS_PARQUET_PLAIN, bytes, 6));
    cr_expect(eq(int, arus_parquet_values_read(&in, got, 1, &arena, &err), ARUS_BAD_DATA));
}

Test(parquet_decode, a_dictionary_gives_each_value_one_index)
{
    struct arus_parquet_dictionary dictionary = {.is_sized = true};
    struct arus_error err;
    struct arus_view views[COUNT];
    char texts[COUNT][48];
    uint32_t indices[COUNT];

    for (uint32_t i = 0; i < COUNT; i++) {
        const int value = (int)(number(i) % 400);

        (void)snprintf(texts[i], sizeof texts[i], "%.*s%d", value % 40,
                       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", value);
        views[i] = arus_view_of(texts[i], strlen(texts[i]));
    }
    views[0] = arus_view_of("", 0);
    cr_assert(eq(int, arus_parquet_dictionary_add_views(&dictionary, views, COUNT, indices, &err),
                 ARUS_OK));
    cr_expect(gt(u32, dictionary.count, 300));
    cr_expect(le(u32, dictionary.count, 401));
    for (uint32_t i = 0; i < COUNT; i++) {
        cr_assert(arus_text_equal(arus_parquet_dictionary_value(&dictionary, indices[i]),
                                  arus_view_text(views[i])));
    }
    arus_parquet_dictionary_release(&dictionary);
}
