/** Defaults of a schema's fields: from JSON to Avro's bytes, as Avro's own library writes them
 * (class ResolvingGrammarGenerator). */
#include "format/avro_internal.h"
#include "format/json_scan.h"
#include "types/number_text.h"
#include "types/utf8.h"

#include <math.h>

static enum arus_status put(const struct arus_avro *schema, struct arus_json_scan *json,
                            struct arus_buffer *out, struct arus_error *err);

static enum arus_status fail_kind(const struct arus_avro *schema, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA", "it is no value of type %s",
                     ARUS_AVRO_KINDS[schema->kind]);
}

/* The value at hand as it stands; the scan goes behind it. */
static bool take_raw(struct arus_json_scan *json, struct arus_text *out)
{
    const char *begin;

    (void)arus_json_scan_peek(json);
    begin = json->at;
    if (!arus_json_scan_skip(json)) {
        return false;
    }
    *out = (struct arus_text){begin, (size_t)(json->at - begin)};
    return true;
}

/* ---- numbers ---- */

/* Java's conversions: whole numbers lose their upper bits, others stop at the type's ends. */
static int64_t whole_of(struct arus_text number, uint32_t bits)
{
    const double limit = ldexp(1.0, (int)bits - 1);
    uint64_t digits = 0;
    double value;

    if (memchr(number.data, '.', number.size) == NULL &&
        memchr(number.data, 'e', number.size) == NULL &&
        memchr(number.data, 'E', number.size) == NULL) {
        for (size_t k = 0; k < number.size; k++) {
            digits = number.data[k] == '-' ? 0 : digits * 10 + (uint64_t)(number.data[k] - '0');
        }
        digits = number.data[0] == '-' ? 0 - digits : digits;
        return bits == 32 ? (int32_t)(uint32_t)digits : (int64_t)digits;
    }
    if (!arus_double_parse(number, &value)) {
        return 0;
    }
    if (value >= limit) {
        return bits == 32 ? INT32_MAX : INT64_MAX;
    }
    return value < -limit ? (bits == 32 ? INT32_MIN : INT64_MIN) : (int64_t)value;
}

static enum arus_status put_number(const struct arus_avro *schema, struct arus_text number,
                                   struct arus_buffer *out, struct arus_error *err)
{
    double value = 0;
    float single;

    if (schema->kind == ARUS_AVRO_INT || schema->kind == ARUS_AVRO_LONG) {
        return arus_avro_put_long(out, whole_of(number, schema->kind == ARUS_AVRO_INT ? 32 : 64),
                                  err);
    }
    if (!arus_double_parse_java(number, &value)) {
        return fail_kind(schema, err);
    }
    single = (float)value;
    return schema->kind == ARUS_AVRO_FLOAT ? arus_buffer_append(out, &single, sizeof single, err)
                                           : arus_buffer_append(out, &value, sizeof value, err);
}

/* ---- texts ---- */

/* One byte a character; what has none is a question mark. */
static enum arus_status to_latin1(struct arus_text text, struct arus_buffer *out,
                                  struct arus_error *err)
{
    size_t at = 0;

    while (at < text.size) {
        const uint32_t character = arus_utf8_next(text, &at);

        ARUS_TRY(arus_buffer_append_char(out, character > 0xFF ? '?' : (char)character, err));
    }
    return ARUS_OK;
}

/* A fixed type's bytes are cut, or filled up with zeros. */
static enum arus_status put_bytes(const struct arus_avro *schema, struct arus_text text,
                                  struct arus_buffer *out, struct arus_error *err)
{
    struct arus_buffer bytes = {0};
    enum arus_status status = to_latin1(text, &bytes, err);

    while (status == ARUS_OK && schema->kind == ARUS_AVRO_FIXED && bytes.size < schema->size) {
        status = arus_buffer_append_char(&bytes, '\0', err);
    }
    if (status == ARUS_OK) {
        status = schema->kind == ARUS_AVRO_FIXED
                     ? arus_buffer_append(out, bytes.data, schema->size, err)
                     : arus_avro_put_sized(out, arus_buffer_text(&bytes), err);
    }
    arus_buffer_release(&bytes);
    return status;
}

static enum arus_status put_symbol(const struct arus_avro *schema, struct arus_text text,
                                   struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t k = 0; k < schema->count; k++) {
        if (arus_text_equal(schema->names[k], text)) {
            return arus_avro_put_long(out, k, err);
        }
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA", "%.*s is no symbol of the enum %.*s",
                     ARUS_TEXT_ARGS(text), ARUS_TEXT_ARGS(schema->name));
}

static enum arus_status put_chars(const struct arus_avro *schema, struct arus_text text,
                                  struct arus_buffer *out, struct arus_error *err)
{
    if (schema->kind == ARUS_AVRO_STRING) {
        return arus_avro_put_sized(out, text, err);
    }
    return schema->kind == ARUS_AVRO_ENUM ? put_symbol(schema, text, out, err)
                                          : put_bytes(schema, text, out, err);
}

static enum arus_status put_text(const struct arus_avro *schema, struct arus_json_scan *json,
                                 struct arus_buffer *out, struct arus_error *err)
{
    struct arus_buffer text = {0};
    bool is_fine;
    enum arus_status status = arus_json_scan_string(json, &text, &is_fine, err);

    if (status == ARUS_OK) {
        status =
            is_fine ? put_chars(schema, arus_buffer_text(&text), out, err) : fail_kind(schema, err);
    }
    arus_buffer_release(&text);
    return status;
}

/* ---- what holds others ---- */

/* Array: the values of an array or object; map: names and values of an object; from anything else:
 * empty, as Avro's library has it. */
static enum arus_status put_items(const struct arus_avro *schema, struct arus_json_scan *json,
                                  struct arus_buffer *out, struct arus_error *err)
{
    const enum arus_json_kind kind = arus_json_scan_peek(json);
    const bool is_map = schema->kind == ARUS_AVRO_MAP;
    bool is_fine = true;

    if (kind != ARUS_JSON_OBJECT && (is_map || kind != ARUS_JSON_ARRAY)) {
        is_fine = arus_json_scan_skip(json);
        return is_fine ? arus_avro_put_long(out, 0, err) : fail_kind(schema, err);
    }
    arus_json_scan_enter(json);
    for (bool is_first = true; arus_json_scan_more(json, kind, is_first, &is_fine);
         is_first = false) {
        ARUS_TRY(arus_avro_put_long(out, 1, err)); /* a block of one */
        if (is_map) {
            static const struct arus_avro KEY = {.kind = ARUS_AVRO_STRING};

            ARUS_TRY(put_text(&KEY, json, out, err));
        }
        if (kind == ARUS_JSON_OBJECT &&
            ((!is_map && !arus_json_scan_skip(json)) || !arus_json_scan_colon(json))) {
            return fail_kind(schema, err);
        }
        ARUS_TRY(put(schema->children[0], json, out, err));
    }
    return is_fine ? arus_avro_put_long(out, 0, err) : fail_kind(schema, err);
}

/* The value of a name in an object, the last one if it is there twice. at == NULL: there is none.
 */
static enum arus_status find_member(struct arus_json_scan json, struct arus_text name,
                                    struct arus_json_scan *out, struct arus_error *err)
{
    struct arus_buffer buffer = {0};
    enum arus_status status = ARUS_OK;
    bool is_fine = true;

    *out = (struct arus_json_scan){0};
    if (arus_json_scan_peek(&json) != ARUS_JSON_OBJECT) {
        return ARUS_OK;
    }
    arus_json_scan_enter(&json);
    for (bool is_first = true;
         status == ARUS_OK && arus_json_scan_more(&json, ARUS_JSON_OBJECT, is_first, &is_fine);
         is_first = false) {
        struct arus_text key;

        status = arus_json_scan_name(&json, &buffer, &key, &is_fine, err);
        if (status != ARUS_OK || !is_fine || !arus_json_scan_colon(&json)) {
            break;
        }
        if (arus_text_equal(key, name)) {
            *out = json;
        }
        if (!arus_json_scan_skip(&json)) {
            break;
        }
    }
    arus_buffer_release(&buffer);
    return status;
}

static enum arus_status put_record(const struct arus_avro *schema, struct arus_json_scan *json,
                                   struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t k = 0; k < schema->count; k++) {
        struct arus_json_scan value;

        ARUS_TRY(find_member(*json, schema->names[k], &value, err));
        if (value.at != NULL) {
            ARUS_TRY(put(schema->children[k], &value, out, err));
            continue;
        }
        if (schema->fields == NULL || schema->fields[k].fallback.data == NULL) {
            return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA",
                             "it gives no value for field %.*s", ARUS_TEXT_ARGS(schema->names[k]));
        }
        ARUS_TRY(arus_avro_put_default(schema, k, out, err));
    }
    return arus_json_scan_skip(json) ? ARUS_OK : fail_kind(schema, err);
}

/* Kinds of JSON that a branch of a union takes. */
static bool is_of_kind(const struct arus_avro *schema, const struct arus_json_scan *json)
{
    struct arus_json_scan at = *json;
    const enum arus_json_kind kind = arus_json_scan_peek(&at);

    switch (schema->kind) {
    case ARUS_AVRO_NULL:
        return kind == ARUS_JSON_WORD && *at.at == 'n';
    case ARUS_AVRO_BOOLEAN:
        return kind == ARUS_JSON_WORD && *at.at != 'n';
    case ARUS_AVRO_INT:
    case ARUS_AVRO_LONG:
    case ARUS_AVRO_FLOAT:
    case ARUS_AVRO_DOUBLE:
        return kind == ARUS_JSON_NUMBER;
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_STRING:
    case ARUS_AVRO_FIXED:
    case ARUS_AVRO_ENUM:
        return kind == ARUS_JSON_STRING;
    case ARUS_AVRO_ARRAY:
        return kind == ARUS_JSON_ARRAY;
    case ARUS_AVRO_MAP:
    case ARUS_AVRO_RECORD:
        return kind == ARUS_JSON_OBJECT;
    case ARUS_AVRO_UNION:
        break;
    }
    return false;
}

static enum arus_status put_union(const struct arus_avro *schema, struct arus_json_scan *json,
                                  struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t k = 0; k < schema->count; k++) {
        if (is_of_kind(schema->children[k], json)) {
            ARUS_TRY(arus_avro_put_long(out, k, err));
            return put(schema->children[k], json, out, err);
        }
    }
    return fail_kind(schema, err);
}

/* ---- all kinds ---- */

static enum arus_status put_word(const struct arus_avro *schema, struct arus_text word,
                                 struct arus_buffer *out, struct arus_error *err)
{
    return schema->kind == ARUS_AVRO_NULL ? ARUS_OK
                                          : arus_buffer_append_char(out, word.data[0] == 't', err);
}

static enum arus_status put(const struct arus_avro *schema, struct arus_json_scan *json,
                            struct arus_buffer *out, struct arus_error *err)
{
    struct arus_text raw;

    switch (schema->kind) {
    case ARUS_AVRO_UNION:
        return put_union(schema, json, out, err);
    case ARUS_AVRO_ARRAY:
    case ARUS_AVRO_MAP:
        return put_items(schema, json, out, err);
    case ARUS_AVRO_RECORD:
        return put_record(schema, json, out, err);
    case ARUS_AVRO_NULL:
    case ARUS_AVRO_BOOLEAN:
    case ARUS_AVRO_INT:
    case ARUS_AVRO_LONG:
    case ARUS_AVRO_FLOAT:
    case ARUS_AVRO_DOUBLE:
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_STRING:
    case ARUS_AVRO_FIXED:
    case ARUS_AVRO_ENUM:
        break;
    }
    if (!is_of_kind(schema, json)) {
        return fail_kind(schema, err);
    }
    if (arus_json_scan_peek(json) == ARUS_JSON_STRING) {
        return put_text(schema, json, out, err);
    }
    if (!take_raw(json, &raw)) {
        return fail_kind(schema, err);
    }
    return schema->kind <= ARUS_AVRO_BOOLEAN ? put_word(schema, raw, out, err)
                                             : put_number(schema, raw, out, err);
}

/* A field that is a float or double takes "NaN" and other texts of Java's numbers. */
static enum arus_status put_number_text(const struct arus_avro *schema, struct arus_json_scan *json,
                                        struct arus_buffer *out, struct arus_error *err)
{
    struct arus_buffer text = {0};
    bool is_fine;
    enum arus_status status = arus_json_scan_string(json, &text, &is_fine, err);

    if (status == ARUS_OK) {
        status = is_fine ? put_number(schema, arus_buffer_text(&text), out, err)
                         : fail_kind(schema, err);
    }
    arus_buffer_release(&text);
    return status;
}

enum arus_status arus_avro_put_default(const struct arus_avro *record, uint32_t at,
                                       struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_avro *schema = record->children[at];
    const struct arus_text fallback = record->fields[at].fallback;
    struct arus_json_scan json = {fallback.data, fallback.data + fallback.size};

    return (schema->kind == ARUS_AVRO_FLOAT || schema->kind == ARUS_AVRO_DOUBLE) &&
                   arus_json_scan_peek(&json) == ARUS_JSON_STRING
               ? put_number_text(schema, &json, out, err)
               : put(schema, &json, out, err);
}
