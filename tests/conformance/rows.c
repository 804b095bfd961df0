/** Rows as JSON lists, in and out, and how they compare. */
#include "api/json_rows.h"
#include "column/value.h"

#include <math.h>
#include <stdlib.h>

#include "driver.h"

/* ---- in ---- */

/* Structs are lists here and objects for the JSON reader. A new reference. */
static json_t *to_reader(const json_t *value, const struct arus_type *type)
{
    json_t *out;

    if (json_is_object(value) && type->id == ARUS_TYPE_MAP) {
        const char *key;
        json_t *item;

        out = json_object();
        json_object_foreach((json_t *)(uintptr_t)value, key, item)
        {
            (void)json_object_set_new(out, key, to_reader(item, type->fields[1].type));
        }
        return out;
    }
    if (json_is_string(value) && arus_type_is_fractional(type)) {
        const char *text = json_string_value(value);
        const double number = strtod(text, NULL);

        return isfinite(number) ? json_real(number) : json_string(text);
    }
    if (!json_is_array(value) || (type->id != ARUS_TYPE_ARRAY && type->id != ARUS_TYPE_STRUCT)) {
        return json_incref((json_t *)(uintptr_t)value);
    }
    out = type->id == ARUS_TYPE_ARRAY ? json_array() : json_object();
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);

        if (type->id == ARUS_TYPE_ARRAY) {
            (void)json_array_append_new(out, to_reader(item, type->fields[0].type));
        } else if (i < type->field_count) {
            const struct arus_field *field = &type->fields[i];

            (void)json_object_setn_new(out, field->name.data, field->name.size,
                                       to_reader(item, field->type));
        }
    }
    return out;
}

enum arus_status rows_from_json(const json_t *rows, const struct arus_type *schema,
                                const struct arus_zone *zone, struct arus_chunk_rows **out,
                                struct arus_error *err)
{
    struct arus_buffer lines = {0};
    enum arus_status status = ARUS_OK;

    for (size_t i = 0; status == ARUS_OK && i < json_array_size(rows); i++) {
        json_t *record = to_reader(json_array_get(rows, i), schema);
        char *line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));

        status = arus_buffer_append(&lines, line, strlen(line), err);
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(&lines, '\n', err);
        }
        free(line);
        json_decref(record);
    }
    if (status == ARUS_OK) {
        status = arus_json_rows_read(schema, zone, arus_buffer_text(&lines), out, err);
    }
    arus_buffer_release(&lines);
    return status;
}

/* ---- out ---- */

static json_t *real_json(double value)
{
    if (isnan(value)) {
        return json_string("NaN");
    }
    if (isinf(value)) {
        return json_string(value > 0 ? "Infinity" : "-Infinity");
    }
    return json_real(value);
}

static json_t *value_json(const struct arus_vector *vector, uint32_t i,
                          const struct arus_zone *zone);

static json_t *text_json(const struct arus_vector *vector, uint32_t i, const struct arus_zone *zone)
{
    struct arus_buffer text = {0};
    struct arus_error err;
    json_t *out = NULL;

    if (arus_value_cast_text(vector, i, zone, &text, &err) == ARUS_OK) {
        out = json_stringn_nocheck(text.data == NULL ? "" : text.data, text.size);
    }
    arus_buffer_release(&text);
    return out;
}

/* Bytes print as hexadecimal digits. */
static json_t *binary_json(struct arus_text bytes)
{
    char *digits = calloc(bytes.size * 2 + 1, 1);
    json_t *out;

    for (size_t i = 0; i < bytes.size; i++) {
        (void)snprintf(digits + 2 * i, 3, "%02x", (unsigned char)bytes.data[i]);
    }
    out = json_string(digits);
    free(digits);
    return out;
}

static json_t *span_json(const struct arus_vector *vector, uint32_t i, const struct arus_zone *zone)
{
    const struct arus_span span = ((const struct arus_span *)vector->values)[i];
    json_t *out = vector->type->id == ARUS_TYPE_MAP ? json_object() : json_array();

    for (uint32_t k = span.begin; k < span.begin + span.count; k++) {
        if (vector->type->id == ARUS_TYPE_ARRAY) {
            (void)json_array_append_new(out, value_json(&vector->children[0], k, zone));
        } else {
            json_t *key = text_json(&vector->children[0], k, zone);

            (void)json_object_set_new_nocheck(out, json_string_value(key),
                                              value_json(&vector->children[1], k, zone));
            json_decref(key);
        }
    }
    return out;
}

static json_t *struct_json(const struct arus_vector *vector, uint32_t i,
                           const struct arus_zone *zone)
{
    json_t *out = json_array();

    for (uint16_t f = 0; f < vector->type->field_count; f++) {
        (void)json_array_append_new(out, value_json(&vector->children[f], i, zone));
    }
    return out;
}

static json_t *value_json(const struct arus_vector *whole, uint32_t row,
                          const struct arus_zone *zone)
{
    const struct arus_vector *vector = arus_vector_data(whole);
    const uint32_t i = arus_vector_at(whole, row);

    if (!arus_vector_is_valid(whole, row)) {
        return json_null();
    }
    switch (vector->type->id) {
    case ARUS_TYPE_BOOLEAN:
        return json_boolean(((const uint8_t *)vector->values)[i]);
    case ARUS_TYPE_TINYINT:
        return json_integer(((const int8_t *)vector->values)[i]);
    case ARUS_TYPE_SMALLINT:
        return json_integer(((const int16_t *)vector->values)[i]);
    case ARUS_TYPE_INT:
        return json_integer(((const int32_t *)vector->values)[i]);
    case ARUS_TYPE_BIGINT:
        return json_integer(((const int64_t *)vector->values)[i]);
    case ARUS_TYPE_FLOAT:
        return real_json((double)((const float *)vector->values)[i]);
    case ARUS_TYPE_DOUBLE:
        return real_json(((const double *)vector->values)[i]);
    case ARUS_TYPE_BINARY:
        return binary_json(arus_view_text(((const struct arus_view *)vector->values)[i]));
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
        return span_json(vector, i, zone);
    case ARUS_TYPE_STRUCT:
        return struct_json(vector, i, zone);
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_DECIMAL:
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_DATE:
    case ARUS_TYPE_TIMESTAMP:
    case ARUS_TYPE_TIMESTAMP_NTZ:
    case ARUS_TYPE_INTERVAL_YM:
    case ARUS_TYPE_INTERVAL_DT:
    case ARUS_TYPE_COUNT:
        break;
    }
    return text_json(whole, row, zone);
}

enum arus_status rows_to_json(const struct arus_chunk_rows *chunk, const struct arus_zone *zone,
                              json_t *out, struct arus_error *err)
{
    for (size_t b = 0; b < chunk->rows.batch_count; b++) {
        const struct arus_batch *batch = &chunk->rows.batches[b];

        for (uint32_t i = 0; i < batch->row_count; i++) {
            json_t *row = json_array();

            for (uint16_t c = 0; c < batch->schema->field_count; c++) {
                json_t *value = value_json(&batch->columns[c], i, zone);

                if (value == NULL) {
                    json_decref(row);
                    return arus_fail(err, ARUS_FATAL, NULL, "a value has no text");
                }
                (void)json_array_append_new(row, value);
            }
            (void)json_array_append_new(out, row);
        }
    }
    return ARUS_OK;
}

/* ---- comparing ---- */

static bool reals_equal(double a, double b)
{
    if (a == 0.0 && b == 0.0) {
        return signbit(a) == signbit(b);
    }
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

bool values_equal(const json_t *found, const json_t *wanted)
{
    if (json_is_number(found) && json_is_number(wanted)) {
        return json_is_integer(found) && json_is_integer(wanted)
                   ? json_integer_value(found) == json_integer_value(wanted)
                   : reals_equal(json_number_value(found), json_number_value(wanted));
    }
    if (json_is_array(found) && json_is_array(wanted)) {
        bool same = json_array_size(found) == json_array_size(wanted);

        for (size_t i = 0; same && i < json_array_size(found); i++) {
            same = values_equal(json_array_get(found, i), json_array_get(wanted, i));
        }
        return same;
    }
    if (json_is_object(found) && json_is_object(wanted)) {
        return json_object_size(found) == json_object_size(wanted) && json_includes(found, wanted);
    }
    return json_equal(found, wanted) != 0;
}

bool rows_equal(const json_t *found, const json_t *wanted, bool ordered)
{
    const size_t count = json_array_size(wanted);
    bool same = json_array_size(found) == count;
    bool *used = calloc(count + 1, sizeof *used);

    for (size_t i = 0; same && i < count; i++) {
        const json_t *row = json_array_get(found, i);
        size_t k = ordered ? i : 0;
        const size_t end = ordered ? i + 1 : count;

        while (k < end && (used[k] || !values_equal(row, json_array_get(wanted, k)))) {
            k++;
        }
        same = k < end;
        used[same ? k : 0] = true;
    }
    free(used);
    return same;
}

bool json_includes(const json_t *found, const json_t *wanted)
{
    bool same = true;

    if (json_is_object(wanted)) {
        const char *key;
        json_t *item;

        json_object_foreach((json_t *)(uintptr_t)wanted, key, item)
        {
            const json_t *there = json_object_get(found, key);

            same = same && (there != NULL ? json_includes(there, item) : json_is_null(item));
        }
        return same && json_is_object(found);
    }
    if (json_is_array(wanted)) {
        same = json_array_size(found) == json_array_size(wanted);
        for (size_t i = 0; same && i < json_array_size(wanted); i++) {
            same = json_includes(json_array_get(found, i), json_array_get(wanted, i));
        }
        return same;
    }
    return values_equal(found, wanted);
}
