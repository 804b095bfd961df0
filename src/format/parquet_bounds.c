/** Ranges by kernels, cut bounds by the rules of the page index. */
#include "format/parquet_bounds.h"

#include "base/attr.h"

#include <math.h>

#define NAME  range_of_bytes
#define TYPE  uint8_t
#define WIDER int64_t
#include "format/parquet_range.inc.h"
#define NAME  range_of_int32
#define TYPE  int32_t
#define WIDER int64_t
#include "format/parquet_range.inc.h"
#define NAME  range_of_int64
#define TYPE  int64_t
#define WIDER int64_t
#include "format/parquet_range.inc.h"
#define NAME  range_of_float
#define TYPE  float
#define WIDER double
#include "format/parquet_range.inc.h"
#define NAME  range_of_double
#define TYPE  double
#define WIDER double
#include "format/parquet_range.inc.h"
#define NAME  range_of_wide
#define TYPE  arus_int128
#define WIDER arus_int128
#include "format/parquet_range.inc.h"

ARUS_KERNEL static bool floats_have_nan(const float *values, uint32_t count)
{
    uint32_t nan_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        nan_count += !(values[i] == values[i]);
    }
    return nan_count != 0;
}

ARUS_KERNEL static bool doubles_have_nan(const double *values, uint32_t count)
{
    uint32_t nan_count = 0;

    for (uint32_t i = 0; i < count; i++) {
        nan_count += !(values[i] == values[i]);
    }
    return nan_count != 0;
}

static enum arus_status keep(struct arus_buffer *buffer, struct arus_text value,
                             struct arus_error *err)
{
    arus_buffer_reset(buffer);
    return arus_buffer_append_text(buffer, value, err);
}

enum arus_status arus_parquet_bounds_add_text(struct arus_parquet_bounds *bounds,
                                              struct arus_text value, struct arus_error *err)
{
    if (!bounds->has_value || arus_text_compare(value, arus_buffer_text(&bounds->min)) < 0) {
        ARUS_TRY(keep(&bounds->min, value, err));
    }
    if (!bounds->has_value || arus_text_compare(value, arus_buffer_text(&bounds->max)) > 0) {
        ARUS_TRY(keep(&bounds->max, value, err));
    }
    bounds->has_value = true;
    return ARUS_OK;
}

static uint32_t big_endian_prefix(struct arus_view value)
{
    uint32_t prefix;

    memcpy(&prefix, value.prefix, sizeof prefix);
    return __builtin_bswap32(prefix);
}

/** Most values are settled by their first bytes. */
static enum arus_status add_views(struct arus_parquet_bounds *bounds,
                                  const struct arus_view *values, uint32_t count,
                                  struct arus_error *err)
{
    uint32_t least = big_endian_prefix(values[0]);
    uint32_t most = least;
    uint32_t min = 0;
    uint32_t max = 0;

    for (uint32_t i = 1; i < count; i++) {
        const uint32_t prefix = big_endian_prefix(values[i]);

        if (prefix <= least &&
            (prefix < least ||
             arus_text_compare(arus_view_text(values[i]), arus_view_text(values[min])) < 0)) {
            least = prefix;
            min = i;
        }
        if (prefix >= most &&
            (prefix > most ||
             arus_text_compare(arus_view_text(values[i]), arus_view_text(values[max])) > 0)) {
            most = prefix;
            max = i;
        }
    }
    ARUS_TRY(arus_parquet_bounds_add_text(bounds, arus_view_text(values[min]), err));
    return arus_parquet_bounds_add_text(bounds, arus_view_text(values[max]), err);
}

/** The first values set the bounds from which ranges grow. */
static void begin_range(struct arus_parquet_bounds *bounds)
{
    if (bounds->has_value) {
        return;
    }
    switch (bounds->order) {
    case ARUS_PARQUET_ORDER_BOOLEAN:
        bounds->of.whole.min = 1;
        bounds->of.whole.max = 0;
        break;
    case ARUS_PARQUET_ORDER_INT32:
        bounds->of.whole.min = INT32_MAX;
        bounds->of.whole.max = INT32_MIN;
        break;
    case ARUS_PARQUET_ORDER_INT64:
        bounds->of.whole.min = INT64_MAX;
        bounds->of.whole.max = INT64_MIN;
        break;
    case ARUS_PARQUET_ORDER_FLOAT:
    case ARUS_PARQUET_ORDER_DOUBLE:
        bounds->of.real.min = (double)INFINITY;
        bounds->of.real.max = -(double)INFINITY;
        break;
    case ARUS_PARQUET_ORDER_WIDE:
        bounds->of.wide.max = -((arus_int128)1 << 126) * 2;
        bounds->of.wide.min = -(bounds->of.wide.max + 1);
        break;
    case ARUS_PARQUET_ORDER_NONE:
    case ARUS_PARQUET_ORDER_BYTES:
        break;
    }
}

enum arus_status arus_parquet_bounds_add(struct arus_parquet_bounds *bounds, const void *values,
                                         uint32_t count, struct arus_error *err)
{
    if (count == 0) {
        return ARUS_OK;
    }
    begin_range(bounds);
    switch (bounds->order) {
    case ARUS_PARQUET_ORDER_NONE:
        return ARUS_OK;
    case ARUS_PARQUET_ORDER_BOOLEAN:
        range_of_bytes(values, count, &bounds->of.whole.min, &bounds->of.whole.max);
        break;
    case ARUS_PARQUET_ORDER_INT32:
        range_of_int32(values, count, &bounds->of.whole.min, &bounds->of.whole.max);
        break;
    case ARUS_PARQUET_ORDER_INT64:
        range_of_int64(values, count, &bounds->of.whole.min, &bounds->of.whole.max);
        break;
    case ARUS_PARQUET_ORDER_FLOAT:
        bounds->has_nan |= floats_have_nan(values, count);
        range_of_float(values, count, &bounds->of.real.min, &bounds->of.real.max);
        break;
    case ARUS_PARQUET_ORDER_DOUBLE:
        bounds->has_nan |= doubles_have_nan(values, count);
        range_of_double(values, count, &bounds->of.real.min, &bounds->of.real.max);
        break;
    case ARUS_PARQUET_ORDER_WIDE:
        range_of_wide(values, count, &bounds->of.wide.min, &bounds->of.wide.max);
        break;
    case ARUS_PARQUET_ORDER_BYTES:
        return add_views(bounds, values, count, err);
    }
    bounds->has_value = true;
    return ARUS_OK;
}

enum arus_status arus_parquet_bounds_merge(struct arus_parquet_bounds *bounds,
                                           const struct arus_parquet_bounds *from,
                                           struct arus_error *err)
{
    if (!from->has_value) {
        return ARUS_OK;
    }
    bounds->has_nan |= from->has_nan;
    if (bounds->order == ARUS_PARQUET_ORDER_BYTES) {
        ARUS_TRY(arus_parquet_bounds_add_text(bounds, arus_buffer_text(&from->min), err));
        return arus_parquet_bounds_add_text(bounds, arus_buffer_text(&from->max), err);
    }
    begin_range(bounds);
    if (bounds->order == ARUS_PARQUET_ORDER_WIDE) {
        range_of_wide(&from->of.wide.min, 2, &bounds->of.wide.min, &bounds->of.wide.max);
    } else if (bounds->order >= ARUS_PARQUET_ORDER_FLOAT) {
        range_of_double(&from->of.real.min, 2, &bounds->of.real.min, &bounds->of.real.max);
    } else {
        range_of_int64(&from->of.whole.min, 2, &bounds->of.whole.min, &bounds->of.whole.max);
    }
    bounds->has_value = true;
    return ARUS_OK;
}

void arus_parquet_bounds_reset(struct arus_parquet_bounds *bounds)
{
    bounds->has_value = false;
    bounds->has_nan = false;
    arus_buffer_reset(&bounds->min);
    arus_buffer_reset(&bounds->max);
}

void arus_parquet_bounds_release(struct arus_parquet_bounds *bounds)
{
    arus_buffer_release(&bounds->min);
    arus_buffer_release(&bounds->max);
}

void arus_parquet_wide_write(arus_int128 value, uint8_t width, uint8_t *out)
{
    for (uint8_t i = width; i > 0; i--) {
        out[i - 1] = (uint8_t)value;
        value >>= 8;
    }
}

static enum arus_status write_real(double value, enum arus_parquet_order order,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const float single = (float)value;

    return order == ARUS_PARQUET_ORDER_FLOAT ? arus_buffer_append(out, &single, sizeof single, err)
                                             : arus_buffer_append(out, &value, sizeof value, err);
}

static enum arus_status write_whole(int64_t value, enum arus_parquet_order order,
                                    struct arus_buffer *out, struct arus_error *err)
{
    const size_t size = order == ARUS_PARQUET_ORDER_BOOLEAN ? 1
                        : order == ARUS_PARQUET_ORDER_INT32 ? 4
                                                            : 8;

    return arus_buffer_append(out, &value, size, err); /* little-endian */
}

enum arus_status arus_parquet_bounds_write(const struct arus_parquet_bounds *bounds,
                                           struct arus_buffer *min, struct arus_buffer *max,
                                           struct arus_error *err)
{
    const double least = bounds->of.real.min;
    const double most = bounds->of.real.max;
    uint8_t bytes[sizeof(arus_int128)];

    switch (bounds->order) {
    case ARUS_PARQUET_ORDER_NONE:
        return ARUS_OK;
    case ARUS_PARQUET_ORDER_BOOLEAN:
    case ARUS_PARQUET_ORDER_INT32:
    case ARUS_PARQUET_ORDER_INT64:
        ARUS_TRY(write_whole(bounds->of.whole.min, bounds->order, min, err));
        return write_whole(bounds->of.whole.max, bounds->order, max, err);
    case ARUS_PARQUET_ORDER_FLOAT:
    case ARUS_PARQUET_ORDER_DOUBLE:
        ARUS_TRY(write_real(least == 0 ? -0.0 : least, bounds->order, min, err));
        return write_real(most == 0 ? 0.0 : most, bounds->order, max, err);
    case ARUS_PARQUET_ORDER_WIDE:
        arus_parquet_wide_write(bounds->of.wide.min, bounds->width, bytes);
        ARUS_TRY(arus_buffer_append(min, bytes, bounds->width, err));
        arus_parquet_wide_write(bounds->of.wide.max, bounds->width, bytes);
        return arus_buffer_append(max, bytes, bounds->width, err);
    case ARUS_PARQUET_ORDER_BYTES:
        ARUS_TRY(arus_buffer_append_text(min, arus_buffer_text(&bounds->min), err));
        return arus_buffer_append_text(max, arus_buffer_text(&bounds->max), err);
    }
    return ARUS_OK;
}

/* ---- cut bounds ---- */

/** The largest size <= size_max that ends a character. */
static size_t cut_size(struct arus_text value, size_t size_max, bool is_utf8)
{
    size_t size = size_max;

    while (is_utf8 && size > 0 && ((uint8_t)value.data[size] & 0xC0) == 0x80) {
        size--;
    }
    return size == 0 ? size_max : size; /* no UTF-8 after all */
}

enum arus_status arus_parquet_cut_min(struct arus_text value, size_t size_max, bool is_utf8,
                                      struct arus_buffer *out, struct arus_error *err)
{
    const size_t size = value.size <= size_max ? value.size : cut_size(value, size_max, is_utf8);

    return arus_buffer_append(out, value.data, size, err);
}

/** Raises the last character that can be raised in ASCII; others are dropped. */
static size_t raise_text(uint8_t *bytes, size_t size, bool is_utf8)
{
    const uint8_t most = is_utf8 ? 0x7E : 0xFE;

    while (size > 0) {
        if (bytes[size - 1] <= most) {
            bytes[size - 1]++;
            return size;
        }
        size--;
    }
    return 0;
}

enum arus_status arus_parquet_cut_max(struct arus_text value, size_t size_max, bool is_utf8,
                                      struct arus_buffer *out, struct arus_error *err)
{
    const size_t begin = out->size;
    size_t size;

    if (value.size <= size_max) {
        return arus_buffer_append_text(out, value, err);
    }
    ARUS_TRY(arus_buffer_append(out, value.data, cut_size(value, size_max, is_utf8), err));
    size = raise_text((uint8_t *)out->data + begin, out->size - begin, is_utf8);
    out->size = begin + size;
    return size != 0 ? ARUS_OK : arus_buffer_append_text(out, value, err); /* cannot be cut */
}
