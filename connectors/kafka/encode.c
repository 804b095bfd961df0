/** Keys and values made from columns, by format. */
#include "kafka/encode.h"

#include "format/avro.h"
#include "format/json.h"

#include <stdio.h>

/* ---- Avro schemas as text ---- */

static enum arus_status print_schema(const struct arus_type *type, bool is_nullable,
                                     const char *name, struct arus_buffer *out,
                                     struct arus_error *err);

static enum arus_status print_fields(const struct arus_type *type, const char *name,
                                     struct arus_buffer *out, struct arus_error *err)
{
    char inner[512];

    ARUS_TRY(
        arus_buffer_printf(out, err, "{\"type\":\"record\",\"name\":\"%s\",\"fields\":[", name));
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct arus_field *field = &type->fields[i];

        (void)snprintf(inner, sizeof inner, "%s_%.*s", name, ARUS_TEXT_ARGS(field->name));
        ARUS_TRY(arus_buffer_printf(out, err, "%s{\"name\":\"%.*s\",\"type\":", i == 0 ? "" : ",",
                                    ARUS_TEXT_ARGS(field->name)));
        ARUS_TRY(print_schema(field->type, field->is_nullable, inner, out, err));
        ARUS_TRY(arus_buffer_append_char(out, '}', err));
    }
    return arus_buffer_append(out, "]}", 2, err);
}

static const char *simple_name(const struct arus_type *type)
{
    switch (type->id) {
    case ARUS_TYPE_BOOLEAN:
        return "\"boolean\"";
    case ARUS_TYPE_TINYINT:
    case ARUS_TYPE_SMALLINT:
    case ARUS_TYPE_INT:
    case ARUS_TYPE_INTERVAL_YM:
        return "\"int\"";
    case ARUS_TYPE_BIGINT:
    case ARUS_TYPE_INTERVAL_DT:
        return "\"long\"";
    case ARUS_TYPE_FLOAT:
        return "\"float\"";
    case ARUS_TYPE_DOUBLE:
        return "\"double\"";
    case ARUS_TYPE_STRING:
        return "\"string\"";
    case ARUS_TYPE_BINARY:
        return "\"bytes\"";
    case ARUS_TYPE_DATE:
        return "{\"type\":\"int\",\"logicalType\":\"date\"}";
    case ARUS_TYPE_TIMESTAMP:
        return "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\"}";
    case ARUS_TYPE_TIMESTAMP_NTZ:
        return "{\"type\":\"long\",\"logicalType\":\"local-timestamp-micros\"}";
    case ARUS_TYPE_DECIMAL:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_COUNT:
        break;
    }
    return NULL;
}

/* Without the null branch. */
static enum arus_status print_type(const struct arus_type *type, const char *name,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const char *simple = simple_name(type);

    if (simple != NULL) {
        return arus_buffer_append_text(out, arus_text_of(simple), err);
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        return print_fields(type, name, out, err);
    }
    if (type->id == ARUS_TYPE_DECIMAL) {
        const struct arus_avro *fixed;
        struct arus_arena scratch = {0};
        enum arus_status status = arus_avro_of(type, false, &scratch, &fixed, err);

        if (status == ARUS_OK) {
            status =
                arus_buffer_printf(out, err,
                                   "{\"type\":\"fixed\",\"name\":\"%s_fixed\",\"size\":%u,"
                                   "\"logicalType\":\"decimal\",\"precision\":%u,\"scale\":%u}",
                                   name, fixed->size, type->precision, type->scale);
        }
        arus_arena_release(&scratch);
        return status;
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        const bool is_map = type->id == ARUS_TYPE_MAP;

        ARUS_TRY(arus_buffer_printf(out, err, "{\"type\":\"%s\",\"%s\":", is_map ? "map" : "array",
                                    is_map ? "values" : "items"));
        ARUS_TRY(print_schema(type->fields[is_map].type, type->fields[is_map].is_nullable, name,
                              out, err));
        return arus_buffer_append_char(out, '}', err);
    }
    return arus_fail(err, ARUS_BAD_CONFIG, NULL, "Avro has no values of this type");
}

static enum arus_status print_schema(const struct arus_type *type, bool is_nullable,
                                     const char *name, struct arus_buffer *out,
                                     struct arus_error *err)
{
    if (!is_nullable) {
        return print_type(type, name, out, err);
    }
    ARUS_TRY(arus_buffer_append_char(out, '[', err));
    ARUS_TRY(print_type(type, name, out, err));
    return arus_buffer_append_text(out, ARUS_TEXT(",\"null\"]"), err);
}

enum arus_status arus_kafka_avro_text(const struct arus_type *type, struct arus_arena *arena,
                                      struct arus_text *out, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = print_schema(type, false, "topLevelRecord", &text, err);

    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), arena, out, err);
    }
    arus_buffer_release(&text);
    return status;
}

/* ---- binding ---- */

static enum arus_status take_columns(struct arus_kafka_encoding *encoding,
                                     const struct arus_type *schema, const bool *is_taken,
                                     struct arus_arena *arena, struct arus_error *err)
{
    struct arus_field *fields;
    uint16_t *columns;
    uint16_t count = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, schema->field_count + 1u, &fields, err));
    ARUS_TRY(ARUS_NEW(arena, uint16_t, schema->field_count + 1u, &columns, err));
    for (uint16_t i = 0; i < schema->field_count; i++) {
        if (is_taken[i]) {
            columns[count] = i;
            fields[count++] = schema->fields[i];
        }
    }
    encoding->columns = columns;
    return arus_type_struct(fields, count, arena, &encoding->type, err);
}

static enum arus_status bind_json(struct arus_kafka_encoding *encoding,
                                  const struct arus_settings *options, const struct arus_zone *zone,
                                  struct arus_arena *arena, struct arus_error *err)
{
    const struct arus_option *const tables[] = {ARUS_FORMAT_JSON.write_options, NULL};
    const struct arus_json_encoder *encoder;
    void *settings;

    ARUS_TRY(arus_arena_alloc(arena, ARUS_FORMAT_JSON.write_settings_size, &settings, err));
    ARUS_TRY(arus_options_parse(tables, options, "json", arena, settings, err));
    if (ARUS_FORMAT_JSON.check_write != NULL) {
        ARUS_TRY(ARUS_FORMAT_JSON.check_write(settings, encoding->type, arena, err));
    }
    ARUS_TRY(arus_json_encoder_make(encoding->type, settings, zone, arena, &encoder, err));
    encoding->encoder = encoder;
    return ARUS_OK;
}

static enum arus_status bind_avro(struct arus_kafka_encoding *encoding, struct arus_arena *arena,
                                  struct arus_error *err)
{
    const struct arus_avro *schema;

    ARUS_TRY(arus_avro_of(encoding->type, false, arena, &schema, err));
    encoding->encoder = schema;
    return arus_kafka_avro_text(encoding->type, arena, &encoding->schema, err);
}

enum arus_status arus_kafka_encoding_bind(struct arus_kafka_encoding *encoding,
                                          enum arus_kafka_format format,
                                          const struct arus_type *schema, const bool *is_taken,
                                          const struct arus_settings *options,
                                          const struct arus_zone *zone, struct arus_place place,
                                          struct arus_arena *arena, struct arus_error *err)
{
    encoding->format = format;
    ARUS_TRY(take_columns(encoding, schema, is_taken, arena, err));
    if (encoding->type->field_count == 0) {
        return arus_fail_at(err, place, NULL, "no column is left for the %s",
                            encoding->is_key ? "key" : "value");
    }
    switch (format) {
    case ARUS_KAFKA_JSON:
        return bind_json(encoding, options, zone, arena, err);
    case ARUS_KAFKA_AVRO:
        return bind_avro(encoding, arena, err);
    case ARUS_KAFKA_TEXT:
        if (encoding->type->field_count == 1 && arus_type_is_view(encoding->type->fields[0].type)) {
            return ARUS_OK;
        }
        return arus_fail_at(err, place, NULL, "the format text takes one STRING or BINARY column");
    case ARUS_KAFKA_RAW:
    case ARUS_KAFKA_CSV:
    case ARUS_KAFKA_FORMAT_COUNT:
        break;
    }
    return arus_fail_at(err, place, NULL, "a Kafka sink writes json, text or avro");
}

/* ---- encoding ---- */

enum arus_status arus_kafka_encoder_begin(struct arus_kafka_encoder *encoder,
                                          const struct arus_kafka_encoding *encoding,
                                          const struct arus_batch *batch, struct arus_arena *arena,
                                          struct arus_error *err)
{
    encoder->encoding = encoding;
    encoder->row = (struct arus_vector){.type = encoding->type, .row_count = batch->row_count};
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, encoding->type->field_count,
                      &encoder->row.children, err));
    for (uint16_t i = 0; i < encoding->type->field_count; i++) {
        ARUS_TRY(arus_vector_flatten(&batch->columns[encoding->columns[i]], arena,
                                     &encoder->row.children[i], err));
    }
    return ARUS_OK;
}

static enum arus_status put_frame(const struct arus_kafka_encoder *encoder, struct arus_error *err)
{
    const uint32_t id = encoder->schema_id;
    const char frame[5] = {0, (char)(id >> 24), (char)(id >> 16), (char)(id >> 8), (char)id};

    return encoder->encoding->subject[0] == '\0'
               ? ARUS_OK
               : arus_buffer_append(encoder->out, frame, sizeof frame, err);
}

enum arus_status arus_kafka_encode_row(struct arus_kafka_encoder *encoder, uint32_t i,
                                       struct arus_kafka_bytes *bytes, struct arus_error *err)
{
    const struct arus_kafka_encoding *encoding = encoder->encoding;

    if (encoding->format == ARUS_KAFKA_TEXT) {
        const struct arus_vector *column = &encoder->row.children[0];

        *bytes = (struct arus_kafka_bytes){0};
        if (arus_vector_is_valid(column, i)) {
            const struct arus_view view =
                ((const struct arus_view *)column->values)[arus_vector_at(column, i)];

            *bytes = (struct arus_kafka_bytes){view.size == 0 ? "" : view.data, view.size};
        }
        return ARUS_OK;
    }
    arus_buffer_reset(encoder->out);
    if (encoding->format == ARUS_KAFKA_JSON) {
        ARUS_TRY(arus_json_encode(encoding->encoder, &encoder->row, i, encoder->out, err));
    } else {
        ARUS_TRY(put_frame(encoder, err));
        ARUS_TRY(arus_avro_encode(encoding->encoder, &encoder->row, i, encoder->out, err));
    }
    *bytes = (struct arus_kafka_bytes){encoder->out->data, encoder->out->size};
    return ARUS_OK;
}
