/** Smallest and largest values of pages and chunks, for statistics and the page index. */
#ifndef ARUS_FORMAT_PARQUET_BOUNDS_H
#define ARUS_FORMAT_PARQUET_BOUNDS_H

#include "base/error.h"
#include "base/text.h"
#include "column/vector.h"

#include <stdbool.h>
#include <stdint.h>

/** How values compare: the order that the column type defines. */
enum arus_parquet_order {
    ARUS_PARQUET_ORDER_NONE,    /* no statistics */
    ARUS_PARQUET_ORDER_BOOLEAN, /* uint8_t */
    ARUS_PARQUET_ORDER_INT32,
    ARUS_PARQUET_ORDER_INT64,
    ARUS_PARQUET_ORDER_FLOAT,
    ARUS_PARQUET_ORDER_DOUBLE,
    ARUS_PARQUET_ORDER_WIDE, /* arus_int128: decimals in fixed bytes */
    ARUS_PARQUET_ORDER_BYTES /* struct arus_view: unsigned bytes */
};

/** Zeroed but for order and width = empty and releasable. */
struct arus_parquet_bounds {
    enum arus_parquet_order order;
    uint8_t width; /* WIDE: bytes of a value in the file */
    bool has_value;
    bool has_nan; /* then there are no bounds: readers disagree on where NaN sorts */
    union {
        struct {
            int64_t min;
            int64_t max;
        } whole; /* BOOLEAN, INT32, INT64 */
        struct {
            double min;
            double max;
        } real; /* FLOAT, DOUBLE */
        struct {
            arus_int128 min;
            arus_int128 max;
        } wide;
    } of;
    struct arus_buffer min; /* BYTES */
    struct arus_buffer max;
};

/** Takes `count` values in, laid out as the order says. */
ARUS_MUST_USE enum arus_status arus_parquet_bounds_add(struct arus_parquet_bounds *bounds,
                                                       const void *values, uint32_t count,
                                                       struct arus_error *err);
/** Takes one value of a BYTES order in. */
ARUS_MUST_USE enum arus_status arus_parquet_bounds_add_text(struct arus_parquet_bounds *bounds,
                                                            struct arus_text value,
                                                            struct arus_error *err);
/** Takes all that `from` has seen in. */
ARUS_MUST_USE enum arus_status arus_parquet_bounds_merge(struct arus_parquet_bounds *bounds,
                                                         const struct arus_parquet_bounds *from,
                                                         struct arus_error *err);
void arus_parquet_bounds_reset(struct arus_parquet_bounds *bounds);
void arus_parquet_bounds_release(struct arus_parquet_bounds *bounds);
/** May readers rely on min and max? */
static inline bool arus_parquet_bounds_hold(const struct arus_parquet_bounds *bounds)
{
    return bounds->has_value && !bounds->has_nan;
}
/** Appends the PLAIN bytes of min and of max. Zeros: min gets -0.0, max +0.0. */
ARUS_MUST_USE enum arus_status arus_parquet_bounds_write(const struct arus_parquet_bounds *bounds,
                                                         struct arus_buffer *min,
                                                         struct arus_buffer *max,
                                                         struct arus_error *err);
/** Big-endian two's complement in `width` bytes. */
void arus_parquet_wide_write(arus_int128 value, uint8_t width, uint8_t *out);
/** Appends a bound of at most `size_max` bytes: a cut max is raised, by code points if it is_utf8.
 */
ARUS_MUST_USE enum arus_status arus_parquet_cut_min(struct arus_text value, size_t size_max,
                                                    bool is_utf8, struct arus_buffer *out,
                                                    struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_parquet_cut_max(struct arus_text value, size_t size_max,
                                                    bool is_utf8, struct arus_buffer *out,
                                                    struct arus_error *err);

#endif
