/** Parquet's encodings, read: levels, dictionary indices, values. Every call checks bounds and says
 * false on damage. Memory behind `end` must be readable for 8 more bytes. */
#ifndef ARUS_FORMAT_PARQUET_DECODE_H
#define ARUS_FORMAT_PARQUET_DECODE_H

#include "base/attr.h"
#include "column/vector.h"
#include "format/parquet_meta.h"

#include <stdbool.h>
#include <stdint.h>

#define ARUS_PARQUET_PAD ((size_t)16)

/** The RLE / bit-packed hybrid. */
struct arus_parquet_rle {
    const uint8_t *at;
    const uint8_t *end;
    uint64_t packed_bit;  /* from `at`: the next packed value */
    uint32_t packed_left; /* values of the present packed run */
    uint32_t repeat_left; /* values of the present repeated run */
    uint32_t repeat_value;
    uint8_t width; /* 0..32 bits */
};

void arus_parquet_rle_init(struct arus_parquet_rle *rle, const uint8_t *data, size_t size,
                           uint8_t width);
bool arus_parquet_rle_read(struct arus_parquet_rle *rle, uint32_t *out, uint32_t count);
/** For widths up to 8: levels and booleans. */
bool arus_parquet_rle_read_bytes(struct arus_parquet_rle *rle, uint8_t *out, uint32_t count);
/** The old form of levels (BIT_PACKED: most significant bit first) from value `begin` on. */
bool arus_parquet_bits_read(const uint8_t *data, size_t size, uint8_t width, uint64_t begin,
                            uint8_t *out, uint32_t count);

/** DELTA_BINARY_PACKED. */
struct arus_parquet_delta {
    const uint8_t *at;
    const uint8_t *end;
    uint64_t value; /* the last one */
    uint64_t min_delta;
    const uint8_t *widths; /* of the present block's mini blocks */
    uint64_t bit;          /* in the present mini block, from `mini` */
    const uint8_t *mini;
    uint32_t left;      /* values not yet given */
    uint32_t mini_left; /* deltas left in the mini block */
    uint32_t mini_index;
    uint32_t mini_count; /* per block */
    uint32_t mini_size;  /* deltas in each */
    bool is_first;       /* the next value is the header's */
};

bool arus_parquet_delta_init(struct arus_parquet_delta *delta, const uint8_t *data, size_t size);
bool arus_parquet_delta_read(struct arus_parquet_delta *delta, int64_t *out, uint32_t count);
/** Passes over all values. The first byte behind them, or NULL. */
const uint8_t *arus_parquet_delta_end(struct arus_parquet_delta delta);

/**
 * The values of one page, given as physical values: BOOLEAN uint8_t, INT32 int32_t, INT64 int64_t,
 * INT96 int64_t (microseconds since 1970), FLOAT, DOUBLE, BYTE_ARRAY and FIXED struct arus_view.
 */
struct arus_parquet_values {
    enum arus_parquet_physical physical;
    int32_t encoding;
    uint32_t width; /* bytes of a fixed value on the page */
    const uint8_t *at;
    const uint8_t *end;
    uint64_t position; /* PLAIN booleans: the bit; BYTE_STREAM_SPLIT: the value */
    uint64_t stride;   /* BYTE_STREAM_SPLIT: values in the page */
    struct arus_parquet_rle rle;
    struct arus_parquet_delta delta;  /* values or lengths (of suffixes) */
    struct arus_parquet_delta prefix; /* DELTA_BYTE_ARRAY */
    struct arus_view last;            /* DELTA_BYTE_ARRAY: the value before */
};

/** Begins a page. Not for dictionary encodings. */
bool arus_parquet_values_init(struct arus_parquet_values *values, int32_t encoding,
                              const uint8_t *data, size_t size);
/** Gives the next `count` values; made-up strings live in `arena`. ARUS_BAD_DATA: damaged. */
ARUS_MUST_USE enum arus_status arus_parquet_values_read(struct arus_parquet_values *values,
                                                        void *out, uint32_t count,
                                                        struct arus_arena *arena,
                                                        struct arus_error *err);
/** Bytes of one physical value as given. */
uint32_t arus_parquet_physical_size(enum arus_parquet_physical physical);

#endif
