/** Values of columns in Avro's binary encoding. */
#include "format/avro_internal.h"
#include "types/decimal.h"

enum arus_status arus_avro_put_long(struct arus_buffer *out, int64_t value, struct arus_error *err)
{
    uint64_t bits = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);

    while (bits >= 0x80) {
        ARUS_TRY(arus_buffer_append_char(out, (char)(bits | 0x80), err));
        bits >>= 7;
    }
    return arus_buffer_append_char(out, (char)bits, err);
}

enum arus_status arus_avro_put_sized(struct arus_buffer *out, struct arus_text text,
                                     struct arus_error *err)
{
    ARUS_TRY(arus_avro_put_long(out, (int64_t)text.size, err));
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
        ARUS_TRY(arus_avro_put_long(out, size, err));
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
        return arus_avro_put_sized(out, bytes, err);
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
            return arus_avro_put_long(out, k, err);
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
        ARUS_TRY(arus_avro_put_long(out, span.count, err));
    }
    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (is_map) {
            const struct arus_vector *keys = &vector->children[0];

            ARUS_TRY(arus_avro_put_sized(
                out, arus_view_text(((const struct arus_view *)keys->values)[row_at(keys, j)]),
                err));
        }
        ARUS_TRY(arus_avro_encode(schema->children[0], &vector->children[is_map], j, out, err));
    }
    return arus_avro_put_long(out, 0, err);
}

static enum arus_status encode_union(const struct arus_avro *schema,
                                     const struct arus_vector *vector, uint32_t i,
                                     struct arus_buffer *out, struct arus_error *err)
{
    const bool is_valid = arus_vector_is_valid(vector, i);

    for (uint32_t k = 0; k < schema->count; k++) {
        if ((schema->children[k]->kind != ARUS_AVRO_NULL) == is_valid) {
            ARUS_TRY(arus_avro_put_long(out, k, err));
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

            return arus_avro_put_long(out, micros / 1000 - (micros % 1000 < 0), err);
        }
        return arus_avro_put_long(out, integer_at(vector, row), err);
    case ARUS_AVRO_FLOAT:
        return arus_buffer_append(out, (const float *)vector->values + row, 4, err);
    case ARUS_AVRO_DOUBLE:
        return arus_buffer_append(out, (const double *)vector->values + row, 8, err);
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_FIXED:
        return encode_bytes(schema, vector, row, out, err);
    case ARUS_AVRO_STRING:
        return arus_avro_put_sized(
            out, arus_view_text(((const struct arus_view *)vector->values)[row]), err);
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
