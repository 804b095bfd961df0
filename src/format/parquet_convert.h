/** From Parquet's physical values to ours: which pairs of types Spark reads, and how. */
#ifndef ARUS_FORMAT_PARQUET_CONVERT_H
#define ARUS_FORMAT_PARQUET_CONVERT_H

#include "format/parquet_meta.h"
#include "types/type.h"

#include <stdbool.h>
#include <stdint.h>

/** X(NAME): what happens to each value. COPY: nothing, both lie alike in memory. */
#define ARUS_PARQUET_CONVERSIONS(X)                                                                \
    X(COPY)                                                                                        \
    X(NOTHING)                                                                                     \
    X(INT32_TO_INT8)                                                                               \
    X(INT32_TO_INT16)                                                                              \
    X(INT32_TO_INT64)                                                                              \
    X(UINT32_TO_INT64)                                                                             \
    X(INT32_TO_DOUBLE)                                                                             \
    X(FLOAT_TO_DOUBLE)                                                                             \
    X(DAYS_TO_MICROS)                                                                              \
    X(MILLIS_TO_MICROS)                                                                            \
    X(INT32_TO_DECIMAL)                                                                            \
    X(INT64_TO_DECIMAL)                                                                            \
    X(UINT64_TO_DECIMAL)                                                                           \
    X(BYTES_TO_DECIMAL)

enum arus_parquet_conversion_id {
#define X(name) ARUS_PARQUET_##name,
    ARUS_PARQUET_CONVERSIONS(X)
#undef X
};

struct arus_parquet_conversion {
    enum arus_parquet_conversion_id id;
    uint32_t in_size;  /* bytes of a physical value (parquet_decode.h) */
    uint32_t out_size; /* bytes of a value in a vector */
    uint8_t scale_up;  /* decimals: digits to append */
};

/** False: Spark refuses to read this leaf as `type` (a type without fields). */
bool arus_parquet_conversion_find(const struct arus_parquet_element *element,
                                  const struct arus_type *type,
                                  struct arus_parquet_conversion *out);
/** False: a value is out of range. Not for COPY and NOTHING. */
bool arus_parquet_conversion_apply(const struct arus_parquet_conversion *conversion, const void *in,
                                   void *out, uint32_t count);

#endif
