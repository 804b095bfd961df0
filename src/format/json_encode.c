/** Values to JSON text. */
#include "base/alloc.h"
#include "format/json_encode_internal.h"
#include "format/json_rewrite_internal.h"
#include "format/json_settings_internal.h"
#include "types/decimal.h"
#include "types/interval.h"
#include "types/number_text.h"

#include <stdlib.h>

#define SCALAR_SIZE_MAX                                                                            \
    96 /* of any value but strings, binaries and nested ones, quotes included                      \
        */

struct arus_json_encoder {
    const struct arus_type *type;
    const struct json_write_settings *settings;
    const struct arus_zone *zone;
    struct arus_json_encoder *children; /* [type->field_count] */
    struct arus_text *keys;             /* STRUCT: [field_count] `"name":` */
    uint16_t *order;                    /* STRUCT: [field_count] fields as they are written */
};

static enum arus_status fill(struct arus_json_encoder *encoder, const struct arus_type *type,
                             const struct json_write_settings *settings,
                             const struct arus_zone *zone, struct arus_arena *arena,
                             struct arus_error *err);

static enum arus_status make_key(const struct arus_json_encoder *encoder, uint16_t i,
                                 struct arus_arena *arena, struct arus_error *err)
{
    struct arus_buffer buffer = {0};
    enum arus_status status = json_write_string(encoder->type->fields[i].name,
                                                encoder->settings->writes_ascii, &buffer, err);

    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&buffer, ':', err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&buffer), arena, &encoder->keys[i], err);
    }
    arus_buffer_release(&buffer);
    return status;
}

/* As declared, or by name. */
static enum arus_status make_order(struct arus_json_encoder *encoder, struct arus_arena *arena,
                                   struct arus_error *err)
{
    const struct arus_type *type = encoder->type;

    ARUS_TRY(ARUS_NEW(arena, uint16_t, type->field_count, &encoder->order, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        uint16_t at = i;

        for (;
             encoder->settings->sorts_keys && at > 0 &&
             arus_text_compare(type->fields[encoder->order[at - 1]].name, type->fields[i].name) > 0;
             at--) {
            encoder->order[at] = encoder->order[at - 1];
        }
        encoder->order[at] = i;
    }
    return ARUS_OK;
}

static enum arus_status fill_children(struct arus_json_encoder *encoder, struct arus_arena *arena,
                                      struct arus_error *err)
{
    const struct arus_type *type = encoder->type;

    ARUS_TRY(ARUS_NEW(arena, struct arus_json_encoder, type->field_count, &encoder->children, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, type->field_count, &encoder->keys, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(fill(&encoder->children[i], type->fields[i].type, encoder->settings, encoder->zone,
                      arena, err));
        if (type->id == ARUS_TYPE_STRUCT) {
            ARUS_TRY(make_key(encoder, i, arena, err));
        }
    }
    return type->id == ARUS_TYPE_STRUCT ? make_order(encoder, arena, err) : ARUS_OK;
}

static enum arus_status fill(struct arus_json_encoder *encoder, const struct arus_type *type,
                             const struct json_write_settings *settings,
                             const struct arus_zone *zone, struct arus_arena *arena,
                             struct arus_error *err)
{
    *encoder = (struct arus_json_encoder){.type = type, .settings = settings, .zone = zone};
    return type->field_count == 0 ? ARUS_OK : fill_children(encoder, arena, err);
}

enum arus_status arus_json_encoder_make(const struct arus_type *type, const void *settings,
                                        const struct arus_zone *zone, struct arus_arena *arena,
                                        const struct arus_json_encoder **out,
                                        struct arus_error *err)
{
    const struct json_write_settings *write = settings;
    struct arus_json_encoder *encoder;

    *out = NULL;
    ARUS_TRY(ARUS_NEW(arena, struct arus_json_encoder, 1, &encoder, err));
    ARUS_TRY(fill(encoder, type, write, write->zone != NULL ? write->zone : zone, arena, err));
    *out = encoder;
    return ARUS_OK;
}

/* ---- values that are not nested ---- */

static inline enum arus_status need(struct arus_buffer *out, size_t size, struct arus_error *err)
{
    return out->capacity - out->size >= size ? ARUS_OK : arus_buffer_reserve(out, size, err);
}

static size_t put_fraction(double value, bool is_float, char *to)
{
    size_t size;

    if (value - value == 0) {
        return is_float ? arus_float_write((float)value, to) : arus_double_write(value, to);
    }
    *to = '"';
    size = 1 + arus_double_write(value, to + 1); /* NaN, Infinity, -Infinity */
    to[size++] = '"';
    return size;
}

/* The numbers and booleans of row i; room for them is there. */
static size_t put_plain(const struct arus_vector *data, uint32_t i, char *to)
{
    const enum arus_type_id id = data->type->id;

    if (id == ARUS_TYPE_BIGINT) {
        return arus_int64_write(((const int64_t *)data->values)[i], to);
    }
    if (id == ARUS_TYPE_INT) {
        return arus_int64_write(((const int32_t *)data->values)[i], to);
    }
    if (id == ARUS_TYPE_DOUBLE) {
        return put_fraction(((const double *)data->values)[i], false, to);
    }
    if (id == ARUS_TYPE_FLOAT) {
        return put_fraction((double)((const float *)data->values)[i], true, to);
    }
    if (id == ARUS_TYPE_SMALLINT) {
        return arus_int64_write(((const int16_t *)data->values)[i], to);
    }
    if (id == ARUS_TYPE_TINYINT) {
        return arus_int64_write(((const int8_t *)data->values)[i], to);
    }
    if (id == ARUS_TYPE_DECIMAL) {
        return arus_decimal_write_scientific(/* Java's toString: tiny ones as 1E-7 */
                                             (struct arus_decimal){
                                                 arus_decimal_get(data->type, data->values, i),
                                                 data->type->scale},
                                             to);
    }
    if (((const uint8_t *)data->values)[i] != 0) {
        memcpy(to, "true", 4);
        return 4;
    }
    memcpy(to, "false", 5);
    return 5;
}

static size_t put_timestamp(const struct arus_json_encoder *encoder, int64_t micros, char *to)
{
    const int32_t offset = arus_zone_offset(encoder->zone, micros);
    size_t size = arus_wall_write_iso(arus_wall_shift(micros, offset * ARUS_MICROS_PER_SECOND), to);

    return size + arus_offset_write_iso(offset, to + size);
}

/* Texts of dates, times and intervals without a pattern. */
static size_t put_time(const struct arus_json_encoder *encoder, const struct arus_vector *data,
                       uint32_t i, char *to)
{
    const enum arus_type_id id = data->type->id;

    if (id == ARUS_TYPE_TIMESTAMP) {
        return put_timestamp(encoder, ((const int64_t *)data->values)[i], to);
    }
    if (id == ARUS_TYPE_TIMESTAMP_NTZ) {
        return arus_timestamp_write_iso(((const int64_t *)data->values)[i], to);
    }
    if (id == ARUS_TYPE_DATE) {
        return arus_date_write(((const int32_t *)data->values)[i], to);
    }
    if (id == ARUS_TYPE_INTERVAL) {
        return arus_interval_write_units(((const struct arus_interval *)data->values)[i], to);
    }
    return arus_interval_write(id == ARUS_TYPE_INTERVAL_YM ? ((const int32_t *)data->values)[i]
                                                           : ((const int64_t *)data->values)[i],
                               data->type, to);
}

static const struct arus_datetime_pattern *pattern_of(const struct json_write_settings *settings,
                                                      enum arus_type_id id)
{
    return id == ARUS_TYPE_TIMESTAMP       ? settings->timestamp_pattern
           : id == ARUS_TYPE_TIMESTAMP_NTZ ? settings->ntz_pattern
           : id == ARUS_TYPE_DATE          ? settings->date_pattern
                                           : NULL;
}

static enum arus_status write_pattern(const struct arus_json_encoder *encoder,
                                      const struct arus_datetime_pattern *pattern,
                                      const struct arus_vector *data, uint32_t i,
                                      struct arus_buffer *out, struct arus_error *err)
{
    const bool is_instant = data->type->id == ARUS_TYPE_TIMESTAMP;
    const int64_t micros = data->type->id == ARUS_TYPE_DATE
                               ? ((const int32_t *)data->values)[i] * ARUS_MICROS_PER_DAY
                               : ((const int64_t *)data->values)[i];
    struct arus_buffer text = {0};
    enum arus_status status = arus_datetime_pattern_format(
        pattern, micros, is_instant ? encoder->zone : ARUS_ZONE_UTC, &text, err);

    if (status == ARUS_OK) {
        status =
            json_write_string(arus_buffer_text(&text), encoder->settings->writes_ascii, out, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status write_time(const struct arus_json_encoder *encoder,
                                   const struct arus_vector *data, uint32_t i,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_datetime_pattern *pattern = pattern_of(encoder->settings, data->type->id);

    if (pattern != NULL) {
        return write_pattern(encoder, pattern, data, i, out, err);
    }
    ARUS_TRY(need(out, SCALAR_SIZE_MAX, err));
    out->data[out->size++] = '"';
    out->size += put_time(encoder, data, i, out->data + out->size);
    out->data[out->size++] = '"';
    return ARUS_OK;
}

static enum arus_status write_base64(struct arus_view bytes, struct arus_buffer *out,
                                     struct arus_error *err)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *data = (const unsigned char *)bytes.data;
    char *to;

    ARUS_TRY(need(out, ((size_t)bytes.size + 2) / 3 * 4 + 2, err));
    to = out->data + out->size;
    *to++ = '"';
    for (uint32_t i = 0; i < bytes.size; i += 3) {
        const uint32_t left = bytes.size - i;
        const uint32_t bits = (uint32_t)data[i] << 16 |
                              (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                              (left > 2 ? data[i + 2] : 0);

        *to++ = DIGITS[bits >> 18];
        *to++ = DIGITS[bits >> 12 & 63];
        *to++ = left > 1 ? DIGITS[bits >> 6 & 63] : '=';
        *to++ = left > 2 ? DIGITS[bits & 63] : '=';
    }
    *to++ = '"';
    out->size = (size_t)(to - out->data);
    return ARUS_OK;
}

/* A quote, a backslash, a control character or (when asked) a byte beyond ASCII among eight? */
static inline bool has_special(uint64_t bytes, uint64_t non_ascii)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t quotes = bytes ^ (ones * '"');
    const uint64_t slashes = bytes ^ (ones * '\\');

    return ((((bytes - ones * ' ') & ~bytes) | ((quotes - ones) & ~quotes) |
             ((slashes - ones) & ~slashes) | (bytes & non_ascii)) &
            0x8080808080808080u) != 0;
}

/* Copies as it checks; what needs an escape starts over the careful way. */
static enum arus_status write_view(const struct arus_view *view, bool is_ascii,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const uint64_t non_ascii = is_ascii ? UINT64_MAX : 0;
    char *to;
    uint32_t i = 0;

    ARUS_TRY(need(out, (size_t)view->size + 16, err));
    to = out->data + out->size;
    *to++ = '"';
    for (; i < view->size; i += 8) {
        uint64_t bytes = 0x2020202020202020u;
        const uint32_t left = view->size - i;

        memcpy(&bytes, view->data + i, left < 8 ? left : 8);
        if (has_special(bytes, non_ascii)) {
            return json_write_string(arus_view_text(*view), is_ascii, out, err);
        }
        memcpy(to + i, &bytes, 8);
    }
    to[view->size] = '"';
    out->size = (size_t)(to + view->size + 1 - out->data);
    return ARUS_OK;
}

/* ---- nested values ---- */

static enum arus_status write_value(const struct arus_json_encoder *encoder,
                                    const struct arus_vector *data, uint32_t i,
                                    struct arus_buffer *out, struct arus_error *err);

static enum arus_status write_child(const struct arus_json_encoder *encoder,
                                    const struct arus_vector *vector, uint32_t i,
                                    struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(vector);
    const uint32_t at = arus_vector_at(vector, i);

    if (data->type->id == ARUS_TYPE_VOID || !arus_bit_get(data->validity, at)) {
        return arus_buffer_append(out, "null", 4, err);
    }
    return write_value(encoder, data, at, out, err);
}

static enum arus_status write_struct(const struct arus_json_encoder *encoder,
                                     const struct arus_vector *columns, uint32_t i,
                                     struct arus_buffer *out, struct arus_error *err)
{
    const bool ignores_nulls = encoder->settings->ignores_nulls;
    char before = '{';

    for (uint16_t f = 0; f < encoder->type->field_count; f++) {
        const uint16_t k = encoder->order[f];
        const struct arus_text key = encoder->keys[k];
        const struct arus_vector *data = arus_vector_data(&columns[k]);
        const uint32_t at = arus_vector_at(&columns[k], i);
        const bool is_null = data->type->id == ARUS_TYPE_VOID || !arus_bit_get(data->validity, at);

        if (is_null && ignores_nulls) {
            continue;
        }
        ARUS_TRY(need(out, key.size + 8, err));
        out->data[out->size] = before;
        memcpy(out->data + out->size + 1, key.data, key.size);
        out->size += key.size + 1;
        before = ',';
        if (is_null) {
            memcpy(out->data + out->size, "null", 4);
            out->size += 4;
        } else {
            ARUS_TRY(write_value(&encoder->children[k], data, at, out, err));
        }
    }
    ARUS_TRY(need(out, 2, err));
    if (before == '{') {
        out->data[out->size++] = '{';
    }
    out->data[out->size++] = '}';
    return ARUS_OK;
}

static enum arus_status write_array(const struct arus_json_encoder *encoder,
                                    const struct arus_vector *data, uint32_t i,
                                    struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_span span = ((const struct arus_span *)data->values)[i];

    ARUS_TRY(arus_buffer_append_char(out, '[', err));
    for (uint32_t k = 0; k < span.count; k++) {
        if (k != 0) {
            ARUS_TRY(arus_buffer_append_char(out, ',', err));
        }
        ARUS_TRY(write_child(&encoder->children[0], &data->children[0], span.begin + k, out, err));
    }
    return arus_buffer_append_char(out, ']', err);
}

/* A value as Java prints a row's insides: `[1,a,null]`, nested likewise, times as numbers. */
static enum arus_status put_inner(const struct arus_vector *vector, uint32_t i,
                                  struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(vector);
    const uint32_t at = arus_vector_at(vector, i);
    const bool is_array = data->type->id == ARUS_TYPE_ARRAY;
    struct arus_span span = {0, data->type->field_count};

    if (!arus_vector_is_valid(vector, i)) {
        return arus_buffer_append(out, "null", 4, err);
    }
    if (arus_type_is_view(data->type)) {
        const struct arus_view view = ((const struct arus_view *)data->values)[at];

        return arus_buffer_append(out, view.data, view.size, err);
    }
    if (!arus_type_is_nested(data->type)) {
        ARUS_TRY(need(out, SCALAR_SIZE_MAX, err));
        out->size += data->type->id < ARUS_TYPE_DATE
                         ? put_plain(data, at, out->data + out->size)
                         : arus_int64_write(arus_type_value_size(data->type) == 4
                                                ? ((const int32_t *)data->values)[at]
                                                : ((const int64_t *)data->values)[at],
                                            out->data + out->size);
        return ARUS_OK;
    }
    if (is_array) {
        span = ((const struct arus_span *)data->values)[at];
    }
    ARUS_TRY(arus_buffer_append_char(out, '[', err));
    for (uint32_t k = 0; k < span.count; k++) {
        if (k > 0) {
            ARUS_TRY(arus_buffer_append_char(out, ',', err));
        }
        ARUS_TRY(
            put_inner(&data->children[is_array ? 0 : k], is_array ? span.begin + k : at, out, err));
    }
    return arus_buffer_append_char(out, ']', err);
}

static enum arus_status write_nested_key(const struct arus_json_encoder *encoder,
                                         const struct arus_vector *keys, uint32_t i,
                                         struct arus_buffer *out, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = put_inner(keys, i, &text, err);

    if (status == ARUS_OK) {
        status =
            json_write_string(arus_buffer_text(&text), encoder->settings->writes_ascii, out, err);
    }
    arus_buffer_release(&text);
    return status;
}

/* A map's key is a name whatever its type; dates and times as the numbers that they are inside. */
static enum arus_status write_key(const struct arus_json_encoder *encoder,
                                  const struct arus_vector *keys, uint32_t i,
                                  struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(keys);
    const uint32_t at = arus_vector_at(keys, i);
    const uint32_t size = arus_type_value_size(data->type);
    char *to;

    if (arus_type_is_nested(data->type)) {
        return write_nested_key(encoder, keys, i, out, err);
    }
    if (arus_type_is_view(data->type)) {
        return write_child(encoder, keys, i, out, err);
    }
    ARUS_TRY(need(out, SCALAR_SIZE_MAX, err));
    to = out->data + out->size + 1;
    if (data->type->id < ARUS_TYPE_DATE) {
        out->size += put_plain(data, at, to);
    } else {
        out->size += arus_int64_write(size == 4 ? ((const int32_t *)data->values)[at]
                                                : ((const int64_t *)data->values)[at],
                                      to);
    }
    if (*to == '"') { /* NaN and infinities bring their quotes */
        memmove(to - 1, to, (size_t)(out->data + out->size + 1 - to));
        return ARUS_OK;
    }
    to[-1] = '"';
    out->data[++out->size] = '"';
    out->size++;
    return ARUS_OK;
}

struct json_entry {
    struct arus_buffer key; /* as it is written */
    uint32_t at;
};

static int compare_entries(const void *a, const void *b)
{
    return arus_text_compare(arus_buffer_text(&((const struct json_entry *)a)->key),
                             arus_buffer_text(&((const struct json_entry *)b)->key));
}

/* With sortKeys: keys are written first, then sorted. */
static enum arus_status write_sorted_map(const struct arus_json_encoder *encoder,
                                         const struct arus_vector *data, struct arus_span span,
                                         struct arus_buffer *out, struct arus_error *err)
{
    struct json_entry *entries = arus_alloc(span.count, sizeof *entries);
    enum arus_status status = entries == NULL && span.count > 0 ? arus_fail_memory(err) : ARUS_OK;

    for (uint32_t k = 0; status == ARUS_OK && k < span.count; k++) {
        entries[k].at = span.begin + k;
        status = write_key(&encoder->children[0], &data->children[0], span.begin + k,
                           &entries[k].key, err);
    }
    if (status == ARUS_OK && span.count > 0) {
        qsort(entries, span.count, sizeof *entries, compare_entries);
        status = arus_buffer_append_char(out, '{', err);
    }
    for (uint32_t k = 0; status == ARUS_OK && k < span.count; k++) {
        status = k > 0 ? arus_buffer_append_char(out, ',', err) : ARUS_OK;
        if (status == ARUS_OK) {
            status = arus_buffer_append_text(out, arus_buffer_text(&entries[k].key), err);
        }
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(out, ':', err);
        }
        if (status == ARUS_OK) {
            status =
                write_child(&encoder->children[1], &data->children[1], entries[k].at, out, err);
        }
    }
    for (uint32_t k = 0; entries != NULL && k < span.count; k++) {
        arus_buffer_release(&entries[k].key);
    }
    arus_free(entries);
    ARUS_TRY(status);
    return arus_buffer_append(out, span.count == 0 ? "{}" : "}", span.count == 0 ? 2 : 1, err);
}

static enum arus_status write_map(const struct arus_json_encoder *encoder,
                                  const struct arus_vector *data, uint32_t i,
                                  struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_span span = ((const struct arus_span *)data->values)[i];

    if (encoder->settings->sorts_keys) {
        return write_sorted_map(encoder, data, span, out, err);
    }
    ARUS_TRY(arus_buffer_append_char(out, '{', err));
    for (uint32_t k = span.begin; k < span.begin + span.count; k++) {
        if (k != span.begin) {
            ARUS_TRY(arus_buffer_append_char(out, ',', err));
        }
        ARUS_TRY(write_key(&encoder->children[0], &data->children[0], k, out, err));
        ARUS_TRY(arus_buffer_append_char(out, ':', err));
        ARUS_TRY(write_child(&encoder->children[1], &data->children[1], k, out, err));
    }
    return arus_buffer_append_char(out, '}', err);
}

/* `data` is FLAT or CONSTANT, row i has a value. */
static enum arus_status write_value(const struct arus_json_encoder *encoder,
                                    const struct arus_vector *data, uint32_t i,
                                    struct arus_buffer *out, struct arus_error *err)
{
    switch (data->type->id) {
    case ARUS_TYPE_STRING:
        return write_view((const struct arus_view *)data->values + i,
                          encoder->settings->writes_ascii, out, err);
    case ARUS_TYPE_BINARY:
        return write_base64(((const struct arus_view *)data->values)[i], out, err);
    case ARUS_TYPE_DATE:
    case ARUS_TYPE_TIMESTAMP:
    case ARUS_TYPE_TIMESTAMP_NTZ:
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_INTERVAL_YM:
    case ARUS_TYPE_INTERVAL_DT:
        return write_time(encoder, data, i, out, err);
    case ARUS_TYPE_ARRAY:
        return write_array(encoder, data, i, out, err);
    case ARUS_TYPE_MAP:
        return write_map(encoder, data, i, out, err);
    case ARUS_TYPE_STRUCT:
        return write_struct(encoder, data->children, i, out, err);
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_COUNT:
        return arus_buffer_append(out, "null", 4, err);
    case ARUS_TYPE_BOOLEAN:
    case ARUS_TYPE_TINYINT:
    case ARUS_TYPE_SMALLINT:
    case ARUS_TYPE_INT:
    case ARUS_TYPE_BIGINT:
    case ARUS_TYPE_FLOAT:
    case ARUS_TYPE_DOUBLE:
    case ARUS_TYPE_DECIMAL:
        break;
    }
    ARUS_TRY(need(out, SCALAR_SIZE_MAX, err));
    out->size += put_plain(data, i, out->data + out->size);
    return ARUS_OK;
}

/* Layout of text that has just been written compactly, from `begin` on. */
static enum arus_status lay_out(const struct arus_json_encoder *encoder, size_t begin,
                                struct arus_buffer *out, struct arus_error *err)
{
    struct arus_buffer compact = {0};
    enum arus_status status;

    if (!encoder->settings->is_pretty) {
        return ARUS_OK;
    }
    status = arus_buffer_append(&compact, out->data + begin, out->size - begin, err);
    if (status == ARUS_OK) {
        out->size = begin;
        status = json_write_pretty(arus_buffer_text(&compact), out, err);
    }
    arus_buffer_release(&compact);
    return status;
}

enum arus_status arus_json_encode(const struct arus_json_encoder *encoder,
                                  const struct arus_vector *vector, uint32_t i,
                                  struct arus_buffer *out, struct arus_error *err)
{
    const size_t begin = out->size;

    ARUS_TRY(write_child(encoder, vector, i, out, err));
    return lay_out(encoder, begin, out, err);
}

enum arus_status json_encode_row(const struct arus_json_encoder *encoder,
                                 const struct arus_vector *columns, uint32_t i,
                                 struct arus_buffer *out, struct arus_error *err)
{
    const size_t begin = out->size;

    ARUS_TRY(write_struct(encoder, columns, i, out, err));
    return lay_out(encoder, begin, out, err);
}
