/** Single values: making constants, and the text that CAST to STRING gives. */
#include "column/value.h"

#include "types/datetime.h"
#include "types/decimal.h"
#include "types/interval.h"
#include "types/number_text.h"

enum arus_status arus_value_make(const struct arus_type *type, const void *value,
                                 uint32_t row_count, struct arus_arena *arena,
                                 struct arus_vector *out, struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(type);
    void *memory;

    ARUS_ASSERT(!arus_type_is_nested(type) && type->id != ARUS_TYPE_VOID);
    *out = (struct arus_vector){.type = type, .form = ARUS_VECTOR_CONSTANT, .row_count = row_count};
    ARUS_TRY(arus_arena_buffer(arena, size, &memory, err));
    memcpy(memory, value, size);
    out->values = memory;
    if (arus_type_is_view(type)) {
        struct arus_view *view = memory;
        struct arus_text copy;

        ARUS_TRY(arus_text_copy(arus_view_text(*view), arena, &copy, err));
        *view = arus_view_of(copy.data, copy.size);
    }
    return ARUS_OK;
}

/* How values become text; the zone for timestamps. */
struct style {
    const struct arus_zone *zone;
    const char *null_text;
    bool shows_binary; /* as hex digits */
};

static enum arus_status put(struct arus_buffer *out, const char *text, struct arus_error *err)
{
    return arus_buffer_append(out, text, strlen(text), err);
}

/* `[31 32 0A]` */
static enum arus_status put_binary(struct arus_view view, struct arus_buffer *out,
                                   struct arus_error *err)
{
    static const char HEX[] = "0123456789ABCDEF";

    ARUS_TRY(arus_buffer_reserve(out, (size_t)view.size * 3 + 2, err));
    out->data[out->size++] = '[';
    for (uint32_t i = 0; i < view.size; i++) {
        const unsigned char byte = (unsigned char)view.data[i];

        if (i != 0) {
            out->data[out->size++] = ' ';
        }
        out->data[out->size++] = HEX[byte >> 4];
        out->data[out->size++] = HEX[byte & 15];
    }
    out->data[out->size++] = ']';
    return ARUS_OK;
}

#define AS(c_type, vector, row) (((const c_type *)(vector)->values)[row])
#define TEXT_MAX                ((size_t)128) /* of one number, date or interval */

static size_t write_word(struct arus_text word, char *out)
{
    memcpy(out, word.data, word.size);
    return word.size;
}

/* Values of bounded size; returns what was written. */
static size_t write_small(const struct arus_vector *vector, uint32_t row,
                          const struct arus_zone *zone, char *out)
{
    const struct arus_type *type = vector->type;

    switch (type->id) {
    case ARUS_TYPE_BOOLEAN:
        return write_word(AS(uint8_t, vector, row) != 0 ? ARUS_TEXT("true") : ARUS_TEXT("false"),
                          out);
    case ARUS_TYPE_TINYINT:
        return arus_int64_write(AS(int8_t, vector, row), out);
    case ARUS_TYPE_SMALLINT:
        return arus_int64_write(AS(int16_t, vector, row), out);
    case ARUS_TYPE_INT:
        return arus_int64_write(AS(int32_t, vector, row), out);
    case ARUS_TYPE_BIGINT:
        return arus_int64_write(AS(int64_t, vector, row), out);
    case ARUS_TYPE_FLOAT:
        return arus_float_write(AS(float, vector, row), out);
    case ARUS_TYPE_DOUBLE:
        return arus_double_write(AS(double, vector, row), out);
    case ARUS_TYPE_DECIMAL:
        return arus_decimal_write(
            (struct arus_decimal){arus_decimal_get(type, vector->values, row), type->scale}, out);
    case ARUS_TYPE_DATE:
        return arus_date_write(AS(int32_t, vector, row), out);
    case ARUS_TYPE_TIMESTAMP:
        return arus_wall_write(arus_wall_at(zone, AS(int64_t, vector, row)), out);
    case ARUS_TYPE_TIMESTAMP_NTZ:
        return arus_timestamp_write(AS(int64_t, vector, row), out);
    case ARUS_TYPE_INTERVAL_YM:
        return arus_interval_write(AS(int32_t, vector, row), type, out);
    case ARUS_TYPE_INTERVAL:
        return arus_interval_write_units(AS(struct arus_interval, vector, row), out);
    case ARUS_TYPE_INTERVAL_DT:
        return arus_interval_write(AS(int64_t, vector, row), type, out);
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_BINARY:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        return 0;
    }
    return 0;
}

static enum arus_status put_value(const struct arus_vector *vector, uint32_t i,
                                  const struct style *style, struct arus_buffer *out,
                                  struct arus_error *err);

static enum arus_status put_array(const struct arus_vector *vector, struct arus_span span,
                                  const struct style *style, struct arus_buffer *out,
                                  struct arus_error *err)
{
    ARUS_TRY(put(out, "[", err));
    for (uint32_t i = 0; i < span.count; i++) {
        ARUS_TRY(put(out, i == 0 ? "" : ", ", err));
        ARUS_TRY(put_value(&vector->children[0], span.begin + i, style, out, err));
    }
    return put(out, "]", err);
}

static enum arus_status put_map(const struct arus_vector *vector, struct arus_span span,
                                const struct style *style, struct arus_buffer *out,
                                struct arus_error *err)
{
    ARUS_TRY(put(out, "{", err));
    for (uint32_t i = 0; i < span.count; i++) {
        ARUS_TRY(put(out, i == 0 ? "" : ", ", err));
        ARUS_TRY(put_value(&vector->children[0], span.begin + i, style, out, err));
        ARUS_TRY(put(out, " -> ", err));
        ARUS_TRY(put_value(&vector->children[1], span.begin + i, style, out, err));
    }
    return put(out, "}", err);
}

static enum arus_status put_struct(const struct arus_vector *vector, uint32_t row,
                                   const struct style *style, struct arus_buffer *out,
                                   struct arus_error *err)
{
    ARUS_TRY(put(out, "{", err));
    for (uint16_t i = 0; i < vector->type->field_count; i++) {
        ARUS_TRY(put(out, i == 0 ? "" : ", ", err));
        ARUS_TRY(put_value(&vector->children[i], row, style, out, err));
    }
    return put(out, "}", err);
}

static enum arus_status put_value(const struct arus_vector *vector, uint32_t i,
                                  const struct style *style, struct arus_buffer *out,
                                  struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(vector);
    const uint32_t row = arus_vector_at(vector, i);
    const enum arus_type_id id = data->type->id;

    if (!arus_vector_is_valid(vector, i)) {
        return put(out, style->null_text, err);
    }
    if (id == ARUS_TYPE_STRING || (id == ARUS_TYPE_BINARY && !style->shows_binary)) {
        return arus_buffer_append_text(out, arus_view_text(AS(struct arus_view, data, row)), err);
    }
    if (id == ARUS_TYPE_BINARY) {
        return put_binary(AS(struct arus_view, data, row), out, err);
    }
    if (id == ARUS_TYPE_ARRAY) {
        return put_array(data, AS(struct arus_span, data, row), style, out, err);
    }
    if (id == ARUS_TYPE_MAP) {
        return put_map(data, AS(struct arus_span, data, row), style, out, err);
    }
    if (id == ARUS_TYPE_STRUCT) {
        return put_struct(data, row, style, out, err);
    }
    ARUS_TRY(arus_buffer_reserve(out, TEXT_MAX, err));
    out->size += write_small(data, row, style->zone, out->data + out->size);
    return ARUS_OK;
}

enum arus_status arus_value_text(const struct arus_vector *vector, uint32_t i,
                                 const struct arus_zone *zone, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const struct style style = {.zone = zone, .null_text = "NULL", .shows_binary = true};

    return put_value(vector, i, &style, out, err);
}

enum arus_status arus_value_cast_text(const struct arus_vector *vector, uint32_t i,
                                      const struct arus_zone *zone, struct arus_buffer *out,
                                      struct arus_error *err)
{
    const struct style style = {.zone = zone, .null_text = "null"};

    return put_value(vector, i, &style, out, err);
}
