/** Packing bits. Every writer first reserves for the worst case, then stores freely. */
#include "format/parquet_encode.h"

#include "base/attr.h"

#define BLOCK      128 /* differences that share a minimum */
#define MINI       32  /* differences that share a width */
#define SLACK_SIZE ((size_t)64)

uint8_t arus_parquet_bit_width(uint64_t max)
{
    return max == 0 ? 0 : (uint8_t)(64 - __builtin_clzll(max));
}

static uint8_t *put_varint(uint8_t *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

static uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline uint64_t join4(const uint32_t *values, unsigned width)
{
    return values[0] | (uint64_t)values[1] << width | (uint64_t)values[2] << (2 * width) |
           (uint64_t)values[3] << (3 * width);
}

/** Eight values into `width` bytes; stores up to 16. */
static inline void pack8(const uint32_t *values, unsigned width, uint8_t *to)
{
    uint64_t low = 0;

    if (width <= 8) {
        low = join4(values, width) | join4(values + 4, width) << (4 * width);
        memcpy(to, &low, sizeof low);
    } else if (width < 16) {
        const uint64_t high = join4(values + 4, width);

        low = join4(values, width) | high << (4 * width);
        memcpy(to, &low, sizeof low);
        low = high >> (64 - 4 * width);
        memcpy(to + 8, &low, sizeof low);
    } else {
        for (unsigned j = 0, bits = 0; j < 8; j++) {
            low |= (uint64_t)values[j] << bits;
            for (bits += width; bits >= 8; bits -= 8) {
                *to++ = (uint8_t)low;
                low >>= 8;
            }
        }
    }
}

/** MINI values into 4 * width bytes; gives the end. */
static uint8_t *pack32(const uint64_t *values, unsigned width, uint8_t *to)
{
    uint8_t *end = to + (size_t)width * (MINI / 8);
    uint64_t word = 0;
    unsigned bits = 0;

    if (width == 0) {
        return to;
    }
    for (unsigned i = 0; i < MINI; i++) {
        word |= values[i] << bits;
        bits += width;
        if (bits >= 64) {
            memcpy(to, &word, sizeof word);
            to += sizeof word;
            bits -= 64;
            word = bits == 0 ? 0 : values[i] >> (width - bits);
        }
    }
    memcpy(to, &word, sizeof word); /* 32 * width is a multiple of 32 bits */
    return end;
}

static uint8_t *put_repeated(uint32_t value, uint32_t count, uint8_t width, uint8_t *to)
{
    to = put_varint(to, (uint64_t)count << 1);
    memcpy(to, &value, sizeof value);
    return to + (width + 7) / 8;
}

#define NAME(x) x##_indices
#define TYPE    uint32_t
#include "format/parquet_hybrid.inc.h"

#define NAME(x) x##_levels
#define TYPE    uint8_t
#include "format/parquet_hybrid.inc.h"

#define NAME(x)  x##_32
#define TYPE     int32_t
#define UNSIGNED uint32_t
#include "format/parquet_delta.inc.h"

#define NAME(x)  x##_64
#define TYPE     int64_t
#define UNSIGNED uint64_t
#include "format/parquet_delta.inc.h"

static size_t hybrid_size(uint32_t count, uint8_t width)
{
    return ((size_t)count / 8 + 2) * ((size_t)width + 1) + ((size_t)count / 16) * 10 + SLACK_SIZE;
}

static uint8_t *end_of(struct arus_buffer *out)
{
    return (uint8_t *)out->data + out->size;
}

static void set_end(struct arus_buffer *out, const uint8_t *end)
{
    out->size = (size_t)(end - (uint8_t *)out->data);
}

enum arus_status arus_parquet_write_indices(const uint32_t *values, uint32_t count, uint8_t width,
                                            struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, hybrid_size(count, width), err));
    set_end(out, put_hybrid_indices(values, count, width, end_of(out)));
    return ARUS_OK;
}

enum arus_status arus_parquet_write_levels(const uint8_t *values, uint32_t count, uint8_t width,
                                           struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, hybrid_size(count, width), err));
    set_end(out, put_hybrid_levels(values, count, width, end_of(out)));
    return ARUS_OK;
}

enum arus_status arus_parquet_write_run(uint32_t value, uint32_t count, uint8_t width,
                                        struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, SLACK_SIZE, err));
    set_end(out, put_repeated(value, count, width, end_of(out)));
    return ARUS_OK;
}

static size_t delta_size(uint32_t count, size_t value_size)
{
    const size_t blocks = (size_t)count / BLOCK + 1;

    return blocks * (BLOCK * value_size + 16) + SLACK_SIZE;
}

enum arus_status arus_parquet_write_delta32(const int32_t *values, uint32_t count,
                                            struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, delta_size(count, sizeof *values), err));
    set_end(out, put_delta_32(values, count, end_of(out)));
    return ARUS_OK;
}

enum arus_status arus_parquet_write_delta64(const int64_t *values, uint32_t count,
                                            struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, delta_size(count, sizeof *values), err));
    set_end(out, put_delta_64(values, count, end_of(out)));
    return ARUS_OK;
}
