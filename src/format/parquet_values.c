/** The values of a page in every encoding but dictionaries. */
#include "format/parquet_decode.h"

#include <string.h>

#define STEP            256
#define JULIAN_1970     INT64_C(2440588)
#define MICROS_PER_DAY  UINT64_C(86400000000)
#define STRING_SIZE_MAX ((uint64_t)INT32_MAX)

uint32_t arus_parquet_physical_size(enum arus_parquet_physical physical)
{
    switch (physical) {
    case ARUS_PARQUET_BOOLEAN:
        return 1;
    case ARUS_PARQUET_INT32:
    case ARUS_PARQUET_FLOAT:
        return 4;
    case ARUS_PARQUET_INT64:
    case ARUS_PARQUET_INT96:
    case ARUS_PARQUET_DOUBLE:
        return 8;
    case ARUS_PARQUET_BYTE_ARRAY:
    case ARUS_PARQUET_FIXED:
        return sizeof(struct arus_view);
    }
    return 0;
}

static uint64_t left_of(const struct arus_parquet_values *values)
{
    return (uint64_t)(values->end - values->at);
}

static bool init_lengths(struct arus_parquet_values *values, const uint8_t *data)
{
    if (!arus_parquet_delta_init(&values->delta, data, (size_t)(values->end - data))) {
        return false;
    }
    values->at = arus_parquet_delta_end(values->delta);
    return values->at != NULL;
}

static bool init_prefixes(struct arus_parquet_values *values)
{
    const uint8_t *lengths;

    if (!arus_parquet_delta_init(&values->prefix, values->at, left_of(values))) {
        return false;
    }
    lengths = arus_parquet_delta_end(values->prefix);
    return lengths != NULL && init_lengths(values, lengths);
}

static bool init_runs(struct arus_parquet_values *values)
{
    uint32_t size = 0;

    if (left_of(values) < sizeof size) {
        return false;
    }
    memcpy(&size, values->at, sizeof size);
    values->at += sizeof size;
    if (size > left_of(values)) {
        return false;
    }
    arus_parquet_rle_init(&values->rle, values->at, size, 1);
    return true;
}

bool arus_parquet_values_init(struct arus_parquet_values *values, int32_t encoding,
                              const uint8_t *data, size_t size)
{
    const enum arus_parquet_physical physical = values->physical;
    const bool is_bytes = physical == ARUS_PARQUET_BYTE_ARRAY || physical == ARUS_PARQUET_FIXED;

    values->encoding = encoding;
    values->at = data;
    values->end = data + size;
    values->position = 0;
    values->last = (struct arus_view){0};
    switch (encoding) {
    case ARUS_PARQUET_PLAIN:
        return true;
    case ARUS_PARQUET_RLE:
        return physical == ARUS_PARQUET_BOOLEAN && init_runs(values);
    case ARUS_PARQUET_DELTA_BINARY_PACKED:
        return (physical == ARUS_PARQUET_INT32 || physical == ARUS_PARQUET_INT64) &&
               arus_parquet_delta_init(&values->delta, data, size);
    case ARUS_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return physical == ARUS_PARQUET_BYTE_ARRAY && init_lengths(values, data);
    case ARUS_PARQUET_DELTA_BYTE_ARRAY:
        return is_bytes && init_prefixes(values);
    case ARUS_PARQUET_BYTE_STREAM_SPLIT:
        values->stride = values->width == 0 ? 0 : size / values->width;
        return physical != ARUS_PARQUET_BOOLEAN && physical != ARUS_PARQUET_BYTE_ARRAY &&
               physical != ARUS_PARQUET_INT96 && values->width != 0;
    default: /* a number from the file */
        return false;
    }
}

/* ---- PLAIN ---- */

static bool read_plain_booleans(struct arus_parquet_values *values, uint8_t *out, uint32_t count)
{
    if (values->position + count > left_of(values) * 8) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bit = values->position + i;

        out[i] = (values->at[bit / 8] >> (bit % 8)) & 1;
    }
    values->position += count;
    return true;
}

/* ARUS_PARQUET_PAD bytes behind a page can be read: a prefix is one load, whatever the size. */
static inline struct arus_view padded_view(const uint8_t *at, uint32_t size)
{
    struct arus_view view = {.size = size, .data = (const char *)at};
    uint32_t word;

    memcpy(&word, at, sizeof word);
    word &= size < sizeof word ? ((uint32_t)1 << (8 * size)) - 1 : UINT32_MAX;
    memcpy(view.prefix, &word, sizeof word);
    return view;
}

static bool read_plain_strings(struct arus_parquet_values *values, struct arus_view *out,
                               uint32_t count)
{
    const uint8_t *at = values->at;
    const uint8_t *end = values->end;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = 0;

        if (end - at < 4) {
            return false;
        }
        memcpy(&size, at, sizeof size);
        at += 4;
        if (size > (uint64_t)(end - at)) {
            return false;
        }
        out[i] = padded_view(at, size);
        at += size;
    }
    values->at = at;
    return true;
}

/** Nanoseconds of the day and the Julian day; wraps like Spark for days beyond reason. */
static int64_t micros_of_int96(const uint8_t *at)
{
    int64_t nanos;
    int32_t day;

    memcpy(&nanos, at, sizeof nanos);
    memcpy(&day, at + sizeof nanos, sizeof day);
    return (int64_t)((uint64_t)(day - JULIAN_1970) * MICROS_PER_DAY + (uint64_t)(nanos / 1000));
}

static bool read_plain_fixed(struct arus_parquet_values *values, void *out, uint32_t count)
{
    const uint64_t size = (uint64_t)count * values->width;

    if (size > left_of(values)) {
        return false;
    }
    if (values->physical == ARUS_PARQUET_FIXED) {
        for (uint32_t i = 0; i < count; i++) {
            const char *at = (const char *)values->at + (size_t)i * values->width;

            ((struct arus_view *)out)[i] = arus_view_of(at, values->width);
        }
    } else if (values->physical == ARUS_PARQUET_INT96) {
        for (uint32_t i = 0; i < count; i++) {
            ((int64_t *)out)[i] = micros_of_int96(values->at + (size_t)i * values->width);
        }
    } else if (size != 0) {
        memcpy(out, values->at, size);
    }
    values->at += size;
    return true;
}

static bool read_plain(struct arus_parquet_values *values, void *out, uint32_t count)
{
    if (values->physical == ARUS_PARQUET_BOOLEAN) {
        return read_plain_booleans(values, out, count);
    }
    if (values->physical == ARUS_PARQUET_BYTE_ARRAY) {
        return read_plain_strings(values, out, count);
    }
    return read_plain_fixed(values, out, count);
}

/* ---- deltas ---- */

static bool read_delta_ints(struct arus_parquet_values *values, void *out, uint32_t count)
{
    int64_t wide[STEP];
    int32_t *narrow = out;

    if (values->physical == ARUS_PARQUET_INT64) {
        return arus_parquet_delta_read(&values->delta, out, count);
    }
    while (count != 0) {
        const uint32_t n = count < STEP ? count : STEP;

        if (!arus_parquet_delta_read(&values->delta, wide, n)) {
            return false;
        }
        for (uint32_t i = 0; i < n; i++) {
            narrow[i] = (int32_t)(uint32_t)wide[i];
        }
        narrow += n;
        count -= n;
    }
    return true;
}

static bool read_delta_strings(struct arus_parquet_values *values, struct arus_view *out,
                               uint32_t count)
{
    int64_t sizes[STEP];

    while (count != 0) {
        const uint32_t n = count < STEP ? count : STEP;

        if (!arus_parquet_delta_read(&values->delta, sizes, n)) {
            return false;
        }
        for (uint32_t i = 0; i < n; i++) {
            if ((uint64_t)sizes[i] > left_of(values)) {
                return false;
            }
            out[i] = padded_view(values->at, (uint32_t)sizes[i]);
            values->at += sizes[i];
        }
        out += n;
        count -= n;
    }
    return true;
}

static enum arus_status damaged(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, NULL, "a page is damaged");
}

/** One value: `prefix` bytes of the value before, then `suffix` bytes of the page. */
static enum arus_status join_string(struct arus_parquet_values *values, uint64_t prefix,
                                    uint64_t suffix, struct arus_arena *arena,
                                    struct arus_error *err)
{
    void *memory;

    if (prefix > values->last.size || suffix > left_of(values) ||
        prefix + suffix > STRING_SIZE_MAX) {
        return damaged(err);
    }
    if (prefix == 0) {
        values->last = arus_view_of((const char *)values->at, (uint32_t)suffix);
    } else {
        ARUS_TRY(arus_arena_alloc(arena, prefix + suffix, &memory, err));
        memcpy(memory, values->last.data, prefix);
        memcpy((char *)memory + prefix, values->at, suffix);
        values->last = arus_view_of(memory, (uint32_t)(prefix + suffix));
    }
    values->at += suffix;
    return ARUS_OK;
}

static enum arus_status read_front_coded(struct arus_parquet_values *values, struct arus_view *out,
                                         uint32_t count, struct arus_arena *arena,
                                         struct arus_error *err)
{
    int64_t prefixes[STEP];
    int64_t suffixes[STEP];

    while (count != 0) {
        const uint32_t n = count < STEP ? count : STEP;

        if (!arus_parquet_delta_read(&values->prefix, prefixes, n) ||
            !arus_parquet_delta_read(&values->delta, suffixes, n)) {
            return damaged(err);
        }
        for (uint32_t i = 0; i < n; i++) {
            ARUS_TRY(join_string(values, (uint64_t)prefixes[i], (uint64_t)suffixes[i], arena, err));
            if (values->physical == ARUS_PARQUET_FIXED && values->last.size != values->width) {
                return damaged(err);
            }
            out[i] = values->last;
        }
        out += n;
        count -= n;
    }
    return ARUS_OK;
}

/* ---- BYTE_STREAM_SPLIT ---- */

static void gather_bytes(const struct arus_parquet_values *values, uint8_t *out, uint32_t count)
{
    for (uint32_t j = 0; j < values->width; j++) {
        const uint8_t *from = values->at + values->stride * j + values->position;

        for (uint32_t i = 0; i < count; i++) {
            out[(size_t)i * values->width + j] = from[i];
        }
    }
}

static enum arus_status read_split(struct arus_parquet_values *values, void *out, uint32_t count,
                                   struct arus_arena *arena, struct arus_error *err)
{
    void *memory = out;

    if (count > values->stride - values->position) {
        return damaged(err);
    }
    if (values->physical != ARUS_PARQUET_FIXED) {
        gather_bytes(values, out, count);
    } else {
        ARUS_TRY(arus_arena_alloc(arena, (size_t)count * values->width, &memory, err));
        gather_bytes(values, memory, count);
        for (uint32_t i = 0; i < count; i++) {
            const char *at = (const char *)memory + (size_t)i * values->width;

            ((struct arus_view *)out)[i] = arus_view_of(at, values->width);
        }
    }
    values->position += count;
    return ARUS_OK;
}

enum arus_status arus_parquet_values_read(struct arus_parquet_values *values, void *out,
                                          uint32_t count, struct arus_arena *arena,
                                          struct arus_error *err)
{
    bool is_fine = false;

    switch (values->encoding) {
    case ARUS_PARQUET_PLAIN:
        is_fine = read_plain(values, out, count);
        break;
    case ARUS_PARQUET_RLE:
        is_fine = arus_parquet_rle_read_bytes(&values->rle, out, count);
        break;
    case ARUS_PARQUET_DELTA_BINARY_PACKED:
        is_fine = read_delta_ints(values, out, count);
        break;
    case ARUS_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        is_fine = read_delta_strings(values, out, count);
        break;
    case ARUS_PARQUET_DELTA_BYTE_ARRAY:
        return read_front_coded(values, out, count, arena, err);
    case ARUS_PARQUET_BYTE_STREAM_SPLIT:
        return read_split(values, out, count, arena, err);
    default: /* refused by init */
        break;
    }
    return is_fine ? ARUS_OK : damaged(err);
}
