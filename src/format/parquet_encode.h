/** Parquet's encodings, written: hybrid runs, deltas, and the dictionary of a chunk. */
#ifndef ARUS_FORMAT_PARQUET_ENCODE_H
#define ARUS_FORMAT_PARQUET_ENCODE_H

#include "base/error.h"
#include "base/text.h"
#include "column/vector.h"

#include <stdbool.h>
#include <stdint.h>

/** Bits that hold 0..max. */
uint8_t arus_parquet_bit_width(uint64_t max);
/** Appends the RLE / bit-packed hybrid of values below 2^width; width 0..32 (levels: 0..8). */
ARUS_MUST_USE enum arus_status arus_parquet_write_indices(const uint32_t *values, uint32_t count,
                                                          uint8_t width, struct arus_buffer *out,
                                                          struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_parquet_write_levels(const uint8_t *values, uint32_t count,
                                                         uint8_t width, struct arus_buffer *out,
                                                         struct arus_error *err);
/** The same for `count` equal values. */
ARUS_MUST_USE enum arus_status arus_parquet_write_run(uint32_t value, uint32_t count, uint8_t width,
                                                      struct arus_buffer *out,
                                                      struct arus_error *err);
/** Appends DELTA_BINARY_PACKED. */
ARUS_MUST_USE enum arus_status arus_parquet_write_delta32(const int32_t *values, uint32_t count,
                                                          struct arus_buffer *out,
                                                          struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_parquet_write_delta64(const int64_t *values, uint32_t count,
                                                          struct arus_buffer *out,
                                                          struct arus_error *err);

struct arus_parquet_slot;

/** Each distinct value once, in order of appearance. Zeroed = empty and releasable. */
struct arus_parquet_dictionary {
    struct arus_parquet_slot *slots;
    uint32_t slot_count; /* power of two, or 0 */
    uint32_t count;
    bool is_sized;             /* BYTE_ARRAY: a length in front of each value in `plain` */
    struct arus_buffer plain;  /* the dictionary page */
    struct arus_buffer values; /* struct arus_parquet_bytes[count]: where in `plain` */
};

struct arus_parquet_bytes {
    uint32_t begin;
    uint32_t size;
};

/** The indices of `count` values, new ones are added. */
ARUS_MUST_USE enum arus_status
arus_parquet_dictionary_add32(struct arus_parquet_dictionary *dictionary, const uint32_t *values,
                              uint32_t count, uint32_t *indices, struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_parquet_dictionary_add64(struct arus_parquet_dictionary *dictionary, const uint64_t *values,
                              uint32_t count, uint32_t *indices, struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_parquet_dictionary_add_views(struct arus_parquet_dictionary *dictionary,
                                  const struct arus_view *values, uint32_t count, uint32_t *indices,
                                  struct arus_error *err);
/** The bytes of value i, without length. */
struct arus_text arus_parquet_dictionary_value(const struct arus_parquet_dictionary *dictionary,
                                               uint32_t i);
uint64_t arus_parquet_dictionary_held_size(const struct arus_parquet_dictionary *dictionary);
/** Forgets all values, keeps the memory. */
void arus_parquet_dictionary_reset(struct arus_parquet_dictionary *dictionary);
void arus_parquet_dictionary_release(struct arus_parquet_dictionary *dictionary);

#endif
