/** Runs, deltas and bits. */
#include "format/parquet_decode.h"

#include <string.h>

static uint64_t load64(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

/** Up to 57 bits from bit `bit` on. */
static uint64_t bits_at(const uint8_t *base, uint64_t bit, unsigned width)
{
    return (load64(base + bit / 8) >> (bit % 8)) & (((uint64_t)1 << width) - 1);
}

/** Up to 64 bits. */
static uint64_t long_bits_at(const uint8_t *base, uint64_t bit, unsigned width)
{
    const uint8_t *at = base + bit / 8;
    const unsigned shift = bit % 8;
    uint64_t word = load64(at) >> shift;

    if (shift != 0) {
        word |= (uint64_t)at[8] << (64 - shift);
    }
    return width == 64 ? word : word & (((uint64_t)1 << width) - 1);
}

/** False at the end or when it does not fit 64 bits. */
static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;

        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

/* ---- hybrid ---- */

void arus_parquet_rle_init(struct arus_parquet_rle *rle, const uint8_t *data, size_t size,
                           uint8_t width)
{
    *rle = (struct arus_parquet_rle){.at = data, .end = data + size, .width = width};
}

static bool begin_packed(struct arus_parquet_rle *rle, uint64_t groups)
{
    const uint64_t room = (uint64_t)(rle->end - rle->at) * 8;
    uint64_t count = groups * 8;

    if (groups == 0 || groups > UINT32_MAX / 8) {
        return false;
    }
    if (rle->width != 0 && count > room / rle->width) {
        count = room / rle->width; /* some writers cut the last group short */
    }
    rle->packed_left = (uint32_t)count;
    rle->packed_bit = 0;
    return count != 0;
}

static bool begin_run(struct arus_parquet_rle *rle)
{
    const size_t bytes = (rle->width + 7U) / 8;
    uint64_t header = 0;

    if (!read_varint(&rle->at, rle->end, &header)) {
        return false;
    }
    if ((header & 1) != 0) {
        return begin_packed(rle, header >> 1);
    }
    if ((size_t)(rle->end - rle->at) < bytes || header >> 1 > UINT32_MAX || header == 0) {
        return false;
    }
    rle->repeat_value = 0;
    memcpy(&rle->repeat_value, rle->at, bytes);
    rle->at += bytes;
    rle->repeat_left = (uint32_t)(header >> 1);
    return rle->width == 32 || rle->repeat_value < (uint32_t)1 << rle->width;
}

static void end_packed(struct arus_parquet_rle *rle, uint32_t count)
{
    rle->packed_bit += (uint64_t)count * rle->width;
    rle->packed_left -= count;
    if (rle->packed_left == 0) {
        rle->at += (rle->packed_bit + 7) / 8;
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

ARUS_KERNEL static void unpack(const uint8_t *base, uint64_t bit, unsigned width, uint32_t *out,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (uint32_t)bits_at(base, bit + (uint64_t)i * width, width);
    }
}

bool arus_parquet_rle_read(struct arus_parquet_rle *rle, uint32_t *out, uint32_t count)
{
    while (count != 0) {
        uint32_t n;

        if (rle->repeat_left != 0) {
            n = least(rle->repeat_left, count);
            for (uint32_t i = 0; i < n; i++) {
                out[i] = rle->repeat_value;
            }
            rle->repeat_left -= n;
        } else if (rle->packed_left != 0) {
            n = least(rle->packed_left, count);
            unpack(rle->at, rle->packed_bit, rle->width, out, n);
            end_packed(rle, n);
        } else if (begin_run(rle)) {
            continue;
        } else {
            return false;
        }
        out += n;
        count -= n;
    }
    return true;
}

bool arus_parquet_rle_read_bytes(struct arus_parquet_rle *rle, uint8_t *out, uint32_t count)
{
    while (count != 0) {
        uint32_t n;

        if (rle->repeat_left != 0) {
            n = least(rle->repeat_left, count);
            memset(out, (int)rle->repeat_value, n);
            rle->repeat_left -= n;
        } else if (rle->packed_left != 0) {
            n = least(rle->packed_left, count);
            for (uint32_t i = 0; i < n; i++) {
                out[i] = (uint8_t)bits_at(rle->at, rle->packed_bit + (uint64_t)i * rle->width,
                                          rle->width);
            }
            end_packed(rle, n);
        } else if (begin_run(rle)) {
            continue;
        } else {
            return false;
        }
        out += n;
        count -= n;
    }
    return true;
}

bool arus_parquet_bits_read(const uint8_t *data, size_t size, uint8_t width, uint64_t begin,
                            uint8_t *out, uint32_t count)
{
    uint64_t bit = begin * width;

    if (bit + (uint64_t)count * width > (uint64_t)size * 8) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        unsigned value = 0;

        for (unsigned j = 0; j < width; j++, bit++) {
            value = value << 1 | ((data[bit / 8] >> (7 - bit % 8)) & 1);
        }
        out[i] = (uint8_t)value;
    }
    return true;
}

/* ---- deltas ---- */

static uint64_t unzigzag(uint64_t value)
{
    return (value >> 1) ^ (0 - (value & 1));
}

bool arus_parquet_delta_init(struct arus_parquet_delta *delta, const uint8_t *data, size_t size)
{
    uint64_t block = 0;
    uint64_t minis = 0;
    uint64_t count = 0;
    uint64_t first = 0;

    *delta = (struct arus_parquet_delta){.at = data, .end = data + size, .is_first = true};
    if (!read_varint(&delta->at, delta->end, &block) ||
        !read_varint(&delta->at, delta->end, &minis) ||
        !read_varint(&delta->at, delta->end, &count) ||
        !read_varint(&delta->at, delta->end, &first)) {
        return false;
    }
    if (minis == 0 || minis > 4096 || block == 0 || block > 1 << 20 || block % minis != 0 ||
        block / minis % 8 != 0 || count > INT32_MAX) {
        return false;
    }
    delta->mini_count = (uint32_t)minis;
    delta->mini_size = (uint32_t)(block / minis);
    delta->mini_index = delta->mini_count; /* none begun */
    delta->left = (uint32_t)count;
    delta->value = unzigzag(first);
    return true;
}

static bool begin_block(struct arus_parquet_delta *delta)
{
    uint64_t min_delta = 0;

    if (!read_varint(&delta->at, delta->end, &min_delta) ||
        (size_t)(delta->end - delta->at) < delta->mini_count) {
        return false;
    }
    delta->min_delta = unzigzag(min_delta);
    delta->widths = delta->at;
    delta->at += delta->mini_count;
    delta->mini_index = 0;
    return true;
}

static bool begin_mini(struct arus_parquet_delta *delta)
{
    uint64_t bits;

    if (delta->mini_index == delta->mini_count && !begin_block(delta)) {
        return false;
    }
    if (delta->widths[delta->mini_index] > 64) {
        return false;
    }
    delta->mini_left = delta->mini_size;
    delta->mini = delta->at;
    delta->bit = 0;
    bits = (uint64_t)delta->widths[delta->mini_index++] * delta->mini_size;
    if ((uint64_t)(delta->end - delta->at) * 8 < bits) {
        return false;
    }
    delta->at += bits / 8;
    return true;
}

static void sum_deltas(struct arus_parquet_delta *delta, int64_t *out, uint32_t count)
{
    const unsigned width = delta->widths[delta->mini_index - 1];
    uint64_t value = delta->value;

    if (width <= 56) {
        for (uint32_t i = 0; i < count; i++) {
            value += delta->min_delta + bits_at(delta->mini, delta->bit + i * width, width);
            out[i] = (int64_t)value;
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            value += delta->min_delta + long_bits_at(delta->mini, delta->bit + i * width, width);
            out[i] = (int64_t)value;
        }
    }
    delta->bit += (uint64_t)count * width;
    delta->value = value;
}

bool arus_parquet_delta_read(struct arus_parquet_delta *delta, int64_t *out, uint32_t count)
{
    if (count > delta->left) {
        return false;
    }
    delta->left -= count;
    if (count != 0 && delta->is_first) {
        delta->is_first = false;
        *out++ = (int64_t)delta->value;
        count--;
    }
    while (count != 0) {
        uint32_t n;

        if (delta->mini_left == 0 && !begin_mini(delta)) {
            return false;
        }
        n = least(delta->mini_left, count);
        sum_deltas(delta, out, n);
        delta->mini_left -= n;
        out += n;
        count -= n;
    }
    return true;
}

const uint8_t *arus_parquet_delta_end(struct arus_parquet_delta delta)
{
    uint32_t left = delta.left > 0 ? delta.left - 1 : 0; /* the first stands in the header */

    while (left != 0) {
        if (!begin_mini(&delta)) {
            return NULL;
        }
        left -= least(left, delta.mini_size);
    }
    /* Mini blocks that hold no value of the last block have a width but no bytes. */
    return delta.at;
}
