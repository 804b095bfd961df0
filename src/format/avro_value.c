/** Avro's binary encoding of single values. */
#include "format/avro.h"
#include "types/decimal.h"

/* ---- decoding ---- */

struct reader {
    const unsigned char *at;
    const unsigned char *end;
    struct arus_arena *step;
};

static enum arus_status fail_value(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "MALFORMED_AVRO_MESSAGE",
                     "the bytes are no Avro value of the schema");
}

static bool read_long(struct reader *reader, int64_t *out)
{
    uint64_t value = 0;

    for (uint32_t shift = 0; shift < 70; shift += 7) {
        unsigned char byte;

        if (reader->at == reader->end) {
            return false;
        }
        byte = *reader->at++;
        if (shift < 64) {
            value |= (uint64_t)(byte & 0x7F) << shift;
        }
        if (byte < 0x80) {
            *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
            return true;
        }
    }
    return false;
}

static bool read_bytes(struct reader *reader, uint64_t size, struct arus_text *out)
{
    if (size > (uint64_t)(reader->end - reader->at)) {
        return false;
    }
    *out = (struct arus_text){(const char *)reader->at, size};
    reader->at += size;
    return true;
}

static bool read_sized(struct reader *reader, struct arus_text *out)
{
    int64_t size;

    return read_long(reader, &size) && size >= 0 && read_bytes(reader, (uint64_t)size, out);
}

static arus_int128 big_endian(struct arus_text bytes)
{
    arus_int128 value = bytes.size > 0 && bytes.data[0] < 0 ? -1 : 0;

    for (size_t k = 0; k < bytes.size && k < 16; k++) {
        value = value * 256 + (unsigned char)bytes.data[k]; /* at most 16 bytes count */
    }
    return value;
}

static enum arus_status add_text(struct arus_builder *builder, struct arus_text text,
                                 struct arus_error *err)
{
    const struct arus_view view = arus_view_of(text.size == 0 ? "" : text.data, text.size);

    return arus_builder_value(builder, &view, err);
}

static enum arus_status decode(const struct arus_avro *schema, struct reader *reader,
                               struct arus_builder *builder, struct arus_error *err);

static enum arus_status decode_number(const struct arus_avro *schema, struct reader *reader,
                                      struct arus_builder *builder, struct arus_error *err)
{
    int64_t value;
    int32_t narrow;

    if (!read_long(reader, &value)) {
        return fail_value(err);
    }
    if (schema->kind == ARUS_AVRO_INT && arus_type_value_size(builder->type) == 4) {
        if (value > INT32_MAX || value < INT32_MIN) {
            return fail_value(err);
        }
        narrow = (int32_t)value;
        return arus_builder_value(builder, &narrow, err);
    }
    if (schema->logical == ARUS_AVRO_TIMESTAMP_MILLIS ||
        schema->logical == ARUS_AVRO_LOCAL_MILLIS) {
        if (__builtin_mul_overflow(value, (int64_t)1000, &value)) {
            return fail_value(err);
        }
    }
    return arus_builder_value(builder, &value, err);
}

static enum arus_status decode_fraction(const struct arus_avro *schema, struct reader *reader,
                                        struct arus_builder *builder, struct arus_error *err)
{
    struct arus_text bytes;
    double value;
    float single;

    if (!read_bytes(reader, schema->kind == ARUS_AVRO_FLOAT ? 4 : 8, &bytes)) {
        return fail_value(err);
    }
    if (schema->kind == ARUS_AVRO_DOUBLE) {
        memcpy(&value, bytes.data, 8);
        return arus_builder_value(builder, &value, err);
    }
    memcpy(&single, bytes.data, 4);
    if (builder->type->id == ARUS_TYPE_FLOAT) {
        return arus_builder_value(builder, &single, err);
    }
    value = (double)single;
    return arus_builder_value(builder, &value, err);
}

static enum arus_status decode_bytes(const struct arus_avro *schema, struct reader *reader,
                                     struct arus_builder *builder, struct arus_error *err)
{
    struct arus_text bytes;
    arus_int128 value;
    int64_t narrow;

    if (schema->kind == ARUS_AVRO_FIXED ? !read_bytes(reader, schema->size, &bytes)
                                        : !read_sized(reader, &bytes)) {
        return fail_value(err);
    }
    if (schema->logical != ARUS_AVRO_DECIMAL) {
        return add_text(builder, bytes, err);
    }
    value = big_endian(bytes);
    if (bytes.size > 16 || !arus_decimal_fits(value, schema->precision)) {
        return arus_builder_null(builder, err);
    }
    narrow = (int64_t)value;
    return arus_builder_value(
        builder, arus_type_is_wide(builder->type) ? (const void *)&value : &narrow, err);
}

/* Blocks of items; a negative count is followed by the block's size. */
static enum arus_status decode_list(const struct arus_avro *schema, struct reader *reader,
                                    struct arus_builder *builder, struct arus_error *err)
{
    uint32_t total = 0;
    int64_t count;

    for (;;) {
        if (!read_long(reader, &count)) {
            return fail_value(err);
        }
        if (count == 0) {
            return arus_builder_span(builder, total, err);
        }
        if (count < 0) {
            int64_t size;

            count = -count;
            if (!read_long(reader, &size)) {
                return fail_value(err);
            }
        }
        for (; count > 0; count--, total++) {
            struct arus_text key;

            if (schema->kind == ARUS_AVRO_MAP) {
                if (!read_sized(reader, &key)) {
                    return fail_value(err);
                }
                ARUS_TRY(add_text(&builder->children[0], key, err));
            }
            ARUS_TRY(decode(schema->children[0], reader,
                            &builder->children[schema->kind == ARUS_AVRO_MAP], err));
            if (total == UINT32_MAX - 1) {
                return fail_value(err);
            }
        }
    }
}

static enum arus_status decode_union(const struct arus_avro *schema, struct reader *reader,
                                     struct arus_builder *builder, struct arus_error *err)
{
    const bool is_struct = schema->type->id == ARUS_TYPE_STRUCT && schema->type->field_count > 1 &&
                           arus_text_equal(schema->type->fields[0].name, ARUS_TEXT("member0"));
    int64_t index;
    uint16_t member = 0;

    if (!read_long(reader, &index) || index < 0 || index >= schema->count) {
        return fail_value(err);
    }
    if (schema->children[index]->kind == ARUS_AVRO_NULL) {
        return arus_builder_null(builder, err);
    }
    if (!is_struct) {
        return decode(schema->children[index], reader, builder, err);
    }
    for (uint32_t k = 0; k < schema->count; k++) {
        if (schema->children[k]->kind == ARUS_AVRO_NULL) {
            continue;
        }
        ARUS_TRY(k == index ? decode(schema->children[k], reader, &builder->children[member], err)
                            : arus_builder_null(&builder->children[member], err));
        member++;
    }
    return arus_builder_struct(builder, err);
}

static enum arus_status decode(const struct arus_avro *schema, struct reader *reader,
                               struct arus_builder *builder, struct arus_error *err)
{
    struct arus_text bytes;
    int64_t index;

    switch (schema->kind) {
    case ARUS_AVRO_NULL:
        return arus_builder_null(builder, err);
    case ARUS_AVRO_BOOLEAN:
        return read_bytes(reader, 1, &bytes) ? arus_builder_value(builder, bytes.data, err)
                                             : fail_value(err);
    case ARUS_AVRO_INT:
    case ARUS_AVRO_LONG:
        return decode_number(schema, reader, builder, err);
    case ARUS_AVRO_FLOAT:
    case ARUS_AVRO_DOUBLE:
        return decode_fraction(schema, reader, builder, err);
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_FIXED:
        return decode_bytes(schema, reader, builder, err);
    case ARUS_AVRO_STRING:
        return read_sized(reader, &bytes) ? add_text(builder, bytes, err) : fail_value(err);
    case ARUS_AVRO_ENUM:
        if (!read_long(reader, &index) || index < 0 || index >= schema->count) {
            return fail_value(err);
        }
        return add_text(builder, schema->names[index], err);
    case ARUS_AVRO_ARRAY:
    case ARUS_AVRO_MAP:
        return decode_list(schema, reader, builder, err);
    case ARUS_AVRO_RECORD:
        for (uint32_t k = 0; k < schema->count; k++) {
            ARUS_TRY(decode(schema->children[k], reader, &builder->children[k], err));
        }
        return arus_builder_struct(builder, err);
    case ARUS_AVRO_UNION:
        break;
    }
    return decode_union(schema, reader, builder, err);
}

enum arus_status arus_avro_decode(const struct arus_avro *schema, struct arus_text bytes,
                                  struct arus_arena *step, struct arus_builder *builder,
                                  struct arus_error *err)
{
    const unsigned char *data = (const unsigned char *)bytes.data;
    struct reader reader = {data, data + bytes.size, step};

    return decode(schema, &reader, builder, err);
}

/* ---- encoding ---- */

static enum arus_status write_long(struct arus_buffer *out, int64_t value, struct arus_error *err)
{
    uint64_t bits = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);

    while (bits >= 0x80) {
        ARUS_TRY(arus_buffer_append_char(out, (char)(bits | 0x80), err));
        bits >>= 7;
    }
    return arus_buffer_append_char(out, (char)bits, err);
}

static enum arus_status write_sized(struct arus_buffer *out, struct arus_text text,
                                    struct arus_error *err)
{
    ARUS_TRY(write_long(out, (int64_t)text.size, err));
    return arus_buffer_append_text(out, text, err);
}

static uint32_t row_at(const struct arus_vector *vector, uint32_t i)
{
    return vector->form == ARUS_VECTOR_CONSTANT ? 0 : i;
}

static int64_t integer_at(const struct arus_vector *vector, uint32_t row)
{
    switch (arus_type_value_size(vector->type)) {
    case 1:
        return ((const int8_t *)vector->values)[row];
    case 2:
        return ((const int16_t *)vector->values)[row];
    case 4:
        return ((const int32_t *)vector->values)[row];
    default:
        return ((const int64_t *)vector->values)[row];
    }
}

static enum arus_status encode_decimal(const struct arus_avro *schema, arus_int128 value,
                                       struct arus_buffer *out, struct arus_error *err)
{
    uint32_t size = 1;

    if (schema->kind == ARUS_AVRO_FIXED) {
        size = schema->size;
    } else {
        while (size < 16 && (value >> (8 * size - 1)) != (value < 0 ? -1 : 0)) {
            size++;
        }
        ARUS_TRY(write_long(out, size, err));
    }
    for (uint32_t k = size; k > 0; k--) {
        ARUS_TRY(arus_buffer_append_char(
            out, (char)(k > 16 ? (value < 0 ? -1 : 0) : value >> (8 * (k - 1))), err));
    }
    return ARUS_OK;
}

static enum arus_status encode_bytes(const struct arus_avro *schema,
                                     const struct arus_vector *vector, uint32_t row,
                                     struct arus_buffer *out, struct arus_error *err)
{
    struct arus_text bytes;

    if (vector->type->id == ARUS_TYPE_DECIMAL) {
        return encode_decimal(schema, arus_decimal_get(vector->type, vector->values, row), out,
                              err);
    }
    bytes = arus_view_text(((const struct arus_view *)vector->values)[row]);
    if (schema->kind != ARUS_AVRO_FIXED) {
        return write_sized(out, bytes, err);
    }
    return bytes.size == schema->size
               ? arus_buffer_append_text(out, bytes, err)
               : arus_fail(err, ARUS_BAD_DATA, "AVRO_INCOMPATIBLE_WRITE_TYPE",
                           "%zu bytes do not fit a fixed type of %u", bytes.size, schema->size);
}

static enum arus_status encode_enum(const struct arus_avro *schema, struct arus_text symbol,
                                    struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t k = 0; k < schema->count; k++) {
        if (arus_text_equal(schema->names[k], symbol)) {
            return write_long(out, k, err);
        }
    }
    return arus_fail(err, ARUS_BAD_DATA, "AVRO_INCOMPATIBLE_WRITE_TYPE",
                     "'%.*s' is no symbol of the enum", ARUS_TEXT_ARGS(symbol));
}

static enum arus_status encode_list(const struct arus_avro *schema,
                                    const struct arus_vector *vector, uint32_t row,
                                    struct arus_buffer *out, struct arus_error *err)
{
    const bool is_map = schema->kind == ARUS_AVRO_MAP;
    const struct arus_span span = ((const struct arus_span *)vector->values)[row];

    if (span.count > 0) {
        ARUS_TRY(write_long(out, span.count, err));
    }
    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (is_map) {
            const struct arus_vector *keys = &vector->children[0];

            ARUS_TRY(write_sized(
                out, arus_view_text(((const struct arus_view *)keys->values)[row_at(keys, j)]),
                err));
        }
        ARUS_TRY(arus_avro_encode(schema->children[0], &vector->children[is_map], j, out, err));
    }
    return write_long(out, 0, err);
}

static enum arus_status encode_union(const struct arus_avro *schema,
                                     const struct arus_vector *vector, uint32_t i,
                                     struct arus_buffer *out, struct arus_error *err)
{
    const bool is_valid = arus_vector_is_valid(vector, i);

    for (uint32_t k = 0; k < schema->count; k++) {
        if ((schema->children[k]->kind != ARUS_AVRO_NULL) == is_valid) {
            ARUS_TRY(write_long(out, k, err));
            return is_valid ? arus_avro_encode(schema->children[k], vector, i, out, err) : ARUS_OK;
        }
    }
    return arus_fail(err, ARUS_BAD_DATA, "AVRO_INCOMPATIBLE_WRITE_TYPE",
                     "a NULL has no place in the Avro schema");
}

static enum arus_status encode_record(const struct arus_avro *schema,
                                      const struct arus_vector *vector, uint32_t row,
                                      struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t k = 0; k < schema->count; k++) {
        const int32_t field = arus_type_find_nocase(vector->type, schema->names[k]);

        ARUS_TRY(arus_avro_encode(schema->children[k], &vector->children[field], row, out, err));
    }
    return ARUS_OK;
}

enum arus_status arus_avro_encode(const struct arus_avro *schema, const struct arus_vector *vector,
                                  uint32_t i, struct arus_buffer *out, struct arus_error *err)
{
    const uint32_t row = row_at(vector, i);

    if (schema->kind == ARUS_AVRO_UNION) {
        return encode_union(schema, vector, i, out, err);
    }
    if (schema->kind == ARUS_AVRO_NULL) {
        return ARUS_OK;
    }
    if (!arus_vector_is_valid(vector, i)) {
        return arus_fail(err, ARUS_BAD_DATA, "AVRO_INCOMPATIBLE_WRITE_TYPE",
                         "a NULL has no place in the Avro schema");
    }
    switch (schema->kind) {
    case ARUS_AVRO_BOOLEAN:
        return arus_buffer_append(out, (const char *)vector->values + row, 1, err);
    case ARUS_AVRO_INT:
    case ARUS_AVRO_LONG:
        if (schema->kind == ARUS_AVRO_LONG && vector->type->id != ARUS_TYPE_BIGINT &&
            schema->logical != ARUS_AVRO_TIMESTAMP_MICROS &&
            schema->logical != ARUS_AVRO_LOCAL_MICROS) {
            const int64_t micros = integer_at(vector, row); /* milliseconds, floored */

            return write_long(out, micros / 1000 - (micros % 1000 < 0), err);
        }
        return write_long(out, integer_at(vector, row), err);
    case ARUS_AVRO_FLOAT:
        return arus_buffer_append(out, (const float *)vector->values + row, 4, err);
    case ARUS_AVRO_DOUBLE:
        return arus_buffer_append(out, (const double *)vector->values + row, 8, err);
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_FIXED:
        return encode_bytes(schema, vector, row, out, err);
    case ARUS_AVRO_STRING:
        return write_sized(out, arus_view_text(((const struct arus_view *)vector->values)[row]),
                           err);
    case ARUS_AVRO_ENUM:
        return encode_enum(schema, arus_view_text(((const struct arus_view *)vector->values)[row]),
                           out, err);
    case ARUS_AVRO_ARRAY:
    case ARUS_AVRO_MAP:
        return encode_list(schema, vector, row, out, err);
    case ARUS_AVRO_RECORD:
    case ARUS_AVRO_NULL:
    case ARUS_AVRO_UNION:
        break;
    }
    return encode_record(schema, vector, row, out, err);
}

/* ---- checking ---- */

static bool fits(const struct arus_avro *schema, const struct arus_type *type)
{
    switch (schema->kind) {
    case ARUS_AVRO_NULL:
        return true;
    case ARUS_AVRO_BOOLEAN:
        return type->id == ARUS_TYPE_BOOLEAN;
    case ARUS_AVRO_INT:
        return type->id == ARUS_TYPE_INT || type->id == ARUS_TYPE_SMALLINT ||
               type->id == ARUS_TYPE_TINYINT || type->id == ARUS_TYPE_DATE ||
               type->id == ARUS_TYPE_INTERVAL_YM;
    case ARUS_AVRO_LONG:
        return type->id == ARUS_TYPE_BIGINT || type->id == ARUS_TYPE_TIMESTAMP ||
               type->id == ARUS_TYPE_TIMESTAMP_NTZ || type->id == ARUS_TYPE_INTERVAL_DT;
    case ARUS_AVRO_FLOAT:
        return type->id == ARUS_TYPE_FLOAT;
    case ARUS_AVRO_DOUBLE:
        return type->id == ARUS_TYPE_DOUBLE;
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_FIXED:
        return schema->logical == ARUS_AVRO_DECIMAL
                   ? type->id == ARUS_TYPE_DECIMAL && type->precision == schema->precision &&
                         type->scale == schema->scale
                   : type->id == ARUS_TYPE_BINARY;
    case ARUS_AVRO_STRING:
    case ARUS_AVRO_ENUM:
        return type->id == ARUS_TYPE_STRING;
    case ARUS_AVRO_ARRAY:
        return type->id == ARUS_TYPE_ARRAY;
    case ARUS_AVRO_MAP:
        return type->id == ARUS_TYPE_MAP && type->fields[0].type->id == ARUS_TYPE_STRING;
    case ARUS_AVRO_RECORD:
        return type->id == ARUS_TYPE_STRUCT && type->field_count == schema->count;
    case ARUS_AVRO_UNION:
        break;
    }
    return true;
}

enum arus_status arus_avro_check(const struct arus_avro *schema, const struct arus_type *type,
                                 struct arus_error *err)
{
    if (type->id == ARUS_TYPE_VOID) {
        return ARUS_OK;
    }
    if (!fits(schema, type)) {
        return arus_fail(err, ARUS_BAD_CONFIG, "AVRO_INCOMPATIBLE_WRITE_TYPE",
                         "the Avro schema does not fit the SQL type");
    }
    for (uint32_t k = 0; schema->children != NULL && k < schema->count; k++) {
        const struct arus_type *inner = type;

        if (schema->kind == ARUS_AVRO_ARRAY || schema->kind == ARUS_AVRO_MAP) {
            inner = type->fields[schema->kind == ARUS_AVRO_MAP].type;
        } else if (schema->kind == ARUS_AVRO_RECORD) {
            const int32_t field = arus_type_find_nocase(type, schema->names[k]);

            if (field < 0) {
                return arus_fail(err, ARUS_BAD_CONFIG, "AVRO_INCOMPATIBLE_WRITE_TYPE",
                                 "there is no field `%.*s` for the Avro schema",
                                 ARUS_TEXT_ARGS(schema->names[k]));
            }
            inner = type->fields[field].type;
        } else if (schema->kind == ARUS_AVRO_ENUM) {
            break;
        }
        if (inner->id == ARUS_TYPE_VOID && schema->children[k]->kind != ARUS_AVRO_NULL) {
            return arus_fail(err, ARUS_BAD_CONFIG, "AVRO_INCOMPATIBLE_WRITE_TYPE",
                             "a part of type VOID does not fit the Avro schema");
        }
        ARUS_TRY(arus_avro_check(schema->children[k], inner, err));
    }
    return ARUS_OK;
}
