/** Spark's schema JSON. Reading it: a small JSON reader that knows what it looks for. */
#include "types/interval.h"
#include "types/type.h"
#include "types/utf8.h"

#define DEPTH_MAX 200

/* ---- writing ---- */

static const char *const NAMES[ARUS_TYPE_COUNT] = {
    [ARUS_TYPE_VOID] = "void",
    [ARUS_TYPE_BOOLEAN] = "boolean",
    [ARUS_TYPE_TINYINT] = "byte",
    [ARUS_TYPE_SMALLINT] = "short",
    [ARUS_TYPE_INT] = "integer",
    [ARUS_TYPE_BIGINT] = "long",
    [ARUS_TYPE_FLOAT] = "float",
    [ARUS_TYPE_DOUBLE] = "double",
    [ARUS_TYPE_STRING] = "string",
    [ARUS_TYPE_BINARY] = "binary",
    [ARUS_TYPE_DATE] = "date",
    [ARUS_TYPE_TIMESTAMP] = "timestamp",
    [ARUS_TYPE_TIMESTAMP_NTZ] = "timestamp_ntz",
    [ARUS_TYPE_INTERVAL] = "interval",
};

static enum arus_status put(struct arus_buffer *out, const char *text, struct arus_error *err)
{
    return arus_buffer_append(out, text, strlen(text), err);
}

static enum arus_status put_char(struct arus_buffer *out, char c, struct arus_error *err)
{
    static const char SHORT[] = "\b\t\n\f\r\"\\";
    static const char LETTERS[] = "btnfr\"\\";

    const char *found = c == '\0' ? NULL : strchr(SHORT, c);

    if (found != NULL) {
        ARUS_TRY(arus_buffer_append_char(out, '\\', err));
        return arus_buffer_append_char(out, LETTERS[found - SHORT], err);
    }
    return (unsigned char)c < 0x20 ? arus_buffer_printf(out, err, "\\u%04X", (unsigned char)c)
                                   : arus_buffer_append_char(out, c, err);
}

static enum arus_status put_string(struct arus_buffer *out, struct arus_text text,
                                   struct arus_error *err)
{
    ARUS_TRY(put(out, "\"", err));
    for (size_t i = 0; i < text.size; i++) {
        ARUS_TRY(put_char(out, text.data[i], err));
    }
    return put(out, "\"", err);
}

static enum arus_status put_bool(struct arus_buffer *out, const char *key, bool value,
                                 struct arus_error *err)
{
    return arus_buffer_printf(out, err, ",\"%s\":%s", key, value ? "true" : "false");
}

static enum arus_status put_field(const struct arus_field *field, struct arus_buffer *out,
                                  struct arus_error *err)
{
    ARUS_TRY(put(out, "{\"name\":", err));
    ARUS_TRY(put_string(out, field->name, err));
    ARUS_TRY(put(out, ",\"type\":", err));
    ARUS_TRY(arus_type_json(field->type, out, err));
    ARUS_TRY(put_bool(out, "nullable", field->is_nullable, err));
    ARUS_TRY(put(out, ",\"metadata\":{", err));
    if (field->comment.size != 0) {
        ARUS_TRY(put(out, "\"comment\":", err));
        ARUS_TRY(put_string(out, field->comment, err));
    }
    return put(out, "}}", err);
}

static enum arus_status put_struct(const struct arus_type *type, struct arus_buffer *out,
                                   struct arus_error *err)
{
    ARUS_TRY(put(out, "{\"type\":\"struct\",\"fields\":[", err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(put(out, i == 0 ? "" : ",", err));
        ARUS_TRY(put_field(&type->fields[i], out, err));
    }
    return put(out, "]}", err);
}

enum arus_status arus_type_json(const struct arus_type *type, struct arus_buffer *out,
                                struct arus_error *err)
{
    if (type->id == ARUS_TYPE_STRUCT) {
        return put_struct(type, out, err);
    }
    if (type->id == ARUS_TYPE_ARRAY) {
        ARUS_TRY(put(out, "{\"type\":\"array\",\"elementType\":", err));
        ARUS_TRY(arus_type_json(type->fields[0].type, out, err));
        ARUS_TRY(put_bool(out, "containsNull", type->fields[0].is_nullable, err));
        return put(out, "}", err);
    }
    if (type->id == ARUS_TYPE_MAP) {
        ARUS_TRY(put(out, "{\"type\":\"map\",\"keyType\":", err));
        ARUS_TRY(arus_type_json(type->fields[0].type, out, err));
        ARUS_TRY(put(out, ",\"valueType\":", err));
        ARUS_TRY(arus_type_json(type->fields[1].type, out, err));
        ARUS_TRY(put_bool(out, "valueContainsNull", type->fields[1].is_nullable, err));
        return put(out, "}", err);
    }
    ARUS_TRY(put(out, "\"", err));
    ARUS_TRY(NAMES[type->id] != NULL ? put(out, NAMES[type->id], err)
                                     : arus_type_simple(type, out, err));
    return put(out, "\"", err);
}

/* ---- reading ---- */

struct reader {
    const char *at;
    const char *begin;
    const char *end;
    uint32_t depth;
    struct arus_arena *arena;
    struct arus_error *err;
};

static enum arus_status fail(const struct reader *reader, const char *what)
{
    return arus_fail(reader->err, ARUS_BAD_CONFIG, "INVALID_JSON_DATA_TYPE",
                     "bad schema JSON at byte %td: %s", reader->at - reader->begin, what);
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n' ||
                                        *reader->at == '\t' || *reader->at == '\r')) {
        reader->at++;
    }
}

static bool take(struct reader *reader, char c)
{
    skip_blanks(reader);
    if (reader->at < reader->end && *reader->at == c) {
        reader->at++;
        return true;
    }
    return false;
}

static enum arus_status expect(struct reader *reader, char c)
{
    char what[] = "`?` must stand here";

    what[1] = c;
    return take(reader, c) ? ARUS_OK : fail(reader, what);
}

static bool read_hex(struct reader *reader, uint32_t *out)
{
    uint32_t value = 0;

    if (reader->end - reader->at < 4) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        const char c = *reader->at++;
        const char small = (char)(c | 0x20);

        if (c >= '0' && c <= '9') {
            value = value * 16 + (uint32_t)(c - '0');
        } else if (small >= 'a' && small <= 'f') {
            value = value * 16 + (uint32_t)(small - 'a') + 10;
        } else {
            return false;
        }
    }
    *out = value;
    return true;
}

/* Behind `\u`: one code point, two escapes for those beyond U+FFFF. */
static bool read_unicode(struct reader *reader, uint32_t *out)
{
    uint32_t low;

    if (!read_hex(reader, out)) {
        return false;
    }
    if (*out < 0xD800 || *out > 0xDFFF) {
        return true;
    }
    if (*out > 0xDBFF || reader->end - reader->at < 6 || reader->at[0] != '\\' ||
        reader->at[1] != 'u') {
        return false;
    }
    reader->at += 2;
    if (!read_hex(reader, &low) || low < 0xDC00 || low > 0xDFFF) {
        return false;
    }
    *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

static bool read_escape(struct reader *reader, char *out, size_t *size)
{
    static const char LETTERS[] = "btnfr\"\\/";
    static const char BYTES[] = "\b\t\n\f\r\"\\/";
    const char c = reader->at < reader->end ? *reader->at++ : '\0';
    const char *found = c == '\0' ? NULL : strchr(LETTERS, c);
    uint32_t code_point;

    if (found != NULL) {
        out[(*size)++] = BYTES[found - LETTERS];
        return true;
    }
    if (c != 'u' || !read_unicode(reader, &code_point)) {
        return false;
    }
    *size += arus_utf8_write(code_point, out + *size);
    return true;
}

/* Bytes up to the closing quote, escapes as written; the text has ended when there is none. */
static size_t string_size(const struct reader *reader)
{
    const char *at = reader->at;

    while (at < reader->end && *at != '"') {
        at += *at == '\\' ? 2 : 1;
    }
    return (size_t)((at < reader->end ? at : reader->end) - reader->at);
}

static enum arus_status read_string(struct reader *reader, struct arus_text *out)
{
    size_t size = 0;
    void *memory;
    char *to;

    ARUS_TRY(expect(reader, '"'));
    ARUS_TRY(arus_arena_alloc(reader->arena, string_size(reader) + 1, &memory, reader->err));
    to = memory;
    while (reader->at < reader->end) {
        const char c = *reader->at++;

        if (c == '"') {
            *out = (struct arus_text){to, size};
            return ARUS_OK;
        }
        if (c != '\\') {
            to[size++] = c;
        } else if (!read_escape(reader, to, &size)) {
            return fail(reader, "bad escape");
        }
    }
    return fail(reader, "the string is not closed");
}

static enum arus_status read_bool(struct reader *reader, bool *out)
{
    const size_t left = (size_t)(reader->end - reader->at);

    skip_blanks(reader);
    if (left >= 4 && memcmp(reader->at, "true", 4) == 0) {
        reader->at += 4;
        *out = true;
        return ARUS_OK;
    }
    if (left >= 5 && memcmp(reader->at, "false", 5) == 0) {
        reader->at += 5;
        *out = false;
        return ARUS_OK;
    }
    return fail(reader, "true or false must stand here");
}

/* One string, word or punctuation mark of a value that nobody wants. */
static enum arus_status skip_token(struct reader *reader, int32_t *depth)
{
    static const char MARKS[] = ",:{}[]\" \t\r\n";
    struct arus_text ignored;
    char c;

    skip_blanks(reader);
    if (reader->at == reader->end) {
        return fail(reader, "the text ends");
    }
    c = *reader->at;
    if (c == '"') {
        return read_string(reader, &ignored);
    }
    if (c != '\0' && strchr(MARKS, c) != NULL) {
        reader->at++;
        *depth += c == '{' || c == '[';
        *depth -= c == '}' || c == ']';
        return *depth < 0 ? fail(reader, "a value must stand here") : ARUS_OK;
    }
    do {
        reader->at++;
    } while (reader->at < reader->end &&
             (*reader->at == '\0' || strchr(MARKS, *reader->at) == NULL));
    return ARUS_OK;
}

static enum arus_status skip_value(struct reader *reader)
{
    int32_t depth = 0;

    do {
        ARUS_TRY(skip_token(reader, &depth));
    } while (depth != 0);
    return ARUS_OK;
}

static enum arus_status read_type(struct reader *reader, const struct arus_type **out);

/* `decimal(10,2)`, `interval day to second`, ...; and names that only JSON has. */
static enum arus_status type_of_name(struct reader *reader, struct arus_text name,
                                     const struct arus_type **out)
{
    static const struct arus_type *const PLAINS[ARUS_TYPE_COUNT] = {
        [ARUS_TYPE_VOID] = &ARUS_VOID,
        [ARUS_TYPE_BOOLEAN] = &ARUS_BOOLEAN,
        [ARUS_TYPE_TINYINT] = &ARUS_TINYINT,
        [ARUS_TYPE_SMALLINT] = &ARUS_SMALLINT,
        [ARUS_TYPE_INT] = &ARUS_INT,
        [ARUS_TYPE_BIGINT] = &ARUS_BIGINT,
        [ARUS_TYPE_FLOAT] = &ARUS_FLOAT,
        [ARUS_TYPE_DOUBLE] = &ARUS_DOUBLE,
        [ARUS_TYPE_STRING] = &ARUS_STRING,
        [ARUS_TYPE_BINARY] = &ARUS_BINARY,
        [ARUS_TYPE_DATE] = &ARUS_DATE,
        [ARUS_TYPE_TIMESTAMP] = &ARUS_TIMESTAMP,
        [ARUS_TYPE_TIMESTAMP_NTZ] = &ARUS_TIMESTAMP_NTZ,
        [ARUS_TYPE_INTERVAL] = &ARUS_INTERVAL,
    };
    static const char *const PREFIXES[] = {"decimal", "interval", "varchar(", "char("};

    for (size_t i = 0; i < ARUS_TYPE_COUNT; i++) {
        if (NAMES[i] != NULL && arus_text_equal(name, arus_text_of(NAMES[i]))) {
            *out = PLAINS[i];
            return ARUS_OK;
        }
    }
    if (arus_text_equal(name, ARUS_TEXT("null"))) {
        *out = &ARUS_VOID;
        return ARUS_OK;
    }
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        if (arus_text_starts_with(name, arus_text_of(PREFIXES[i]))) {
            return arus_type_parse_cast(name, reader->arena, out, reader->err);
        }
    }
    return arus_fail(reader->err, ARUS_BAD_CONFIG, "INVALID_JSON_DATA_TYPE",
                     "the schema has the unknown type `%.*s`", ARUS_TEXT_ARGS(name));
}

/* The members that may stand in the object of a nested type. */
struct members {
    struct arus_text kind;
    const struct arus_type *element;
    const struct arus_type *key;
    const struct arus_type *value;
    struct arus_field *fields;
    size_t field_count;
    bool has_fields;
    bool contains_null;
};

/* `"key":` */
static enum arus_status read_key(struct reader *reader, struct arus_text *out)
{
    ARUS_TRY(read_string(reader, out));
    ARUS_TRY(expect(reader, ':'));
    skip_blanks(reader);
    return ARUS_OK;
}

static enum arus_status read_metadata_member(struct reader *reader, struct arus_text *comment)
{
    struct arus_text key;

    ARUS_TRY(read_key(reader, &key));
    return arus_text_equal(key, ARUS_TEXT("comment")) && reader->at < reader->end &&
                   *reader->at == '"'
               ? read_string(reader, comment)
               : skip_value(reader);
}

static enum arus_status read_metadata(struct reader *reader, struct arus_text *comment)
{
    ARUS_TRY(expect(reader, '{'));
    if (take(reader, '}')) {
        return ARUS_OK;
    }
    do {
        ARUS_TRY(read_metadata_member(reader, comment));
    } while (take(reader, ','));
    return expect(reader, '}');
}

static enum arus_status read_field_member(struct reader *reader, struct arus_field *out)
{
    struct arus_text key;

    ARUS_TRY(read_key(reader, &key));
    if (arus_text_equal(key, ARUS_TEXT("name"))) {
        return read_string(reader, &out->name);
    }
    if (arus_text_equal(key, ARUS_TEXT("type"))) {
        return read_type(reader, &out->type);
    }
    if (arus_text_equal(key, ARUS_TEXT("nullable"))) {
        return read_bool(reader, &out->is_nullable);
    }
    return arus_text_equal(key, ARUS_TEXT("metadata")) ? read_metadata(reader, &out->comment)
                                                       : skip_value(reader);
}

static enum arus_status read_field(struct reader *reader, struct arus_field *out)
{
    *out = (struct arus_field){.is_nullable = true};
    ARUS_TRY(expect(reader, '{'));
    do {
        ARUS_TRY(read_field_member(reader, out));
    } while (take(reader, ','));
    ARUS_TRY(expect(reader, '}'));
    return out->type == NULL || out->name.data == NULL ? fail(reader, "a field lacks name or type")
                                                       : ARUS_OK;
}

/* Room for one more field; old rows stay in the arena. */
static enum arus_status grow_fields(struct reader *reader, struct members *members)
{
    const size_t count = members->field_count;
    struct arus_field *grown;

    if (count != 0 && (count < 8 || (count & (count - 1)) != 0)) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(reader->arena, struct arus_field, count == 0 ? 8 : count * 2, &grown,
                      reader->err));
    if (count != 0) {
        memcpy(grown, members->fields, count * sizeof *grown);
    }
    members->fields = grown;
    return ARUS_OK;
}

static enum arus_status read_fields(struct reader *reader, struct members *out)
{
    out->has_fields = true;
    ARUS_TRY(expect(reader, '['));
    if (take(reader, ']')) {
        return ARUS_OK;
    }
    do {
        ARUS_TRY(grow_fields(reader, out));
        ARUS_TRY(read_field(reader, &out->fields[out->field_count++]));
    } while (take(reader, ',') && out->field_count < UINT16_MAX);
    return expect(reader, ']');
}

static enum arus_status read_member(struct reader *reader, struct members *out)
{
    struct arus_text key;

    ARUS_TRY(read_key(reader, &key));
    if (arus_text_equal(key, ARUS_TEXT("type"))) {
        return read_string(reader, &out->kind);
    }
    if (arus_text_equal(key, ARUS_TEXT("fields"))) {
        return read_fields(reader, out);
    }
    if (arus_text_equal(key, ARUS_TEXT("elementType"))) {
        return read_type(reader, &out->element);
    }
    if (arus_text_equal(key, ARUS_TEXT("keyType"))) {
        return read_type(reader, &out->key);
    }
    if (arus_text_equal(key, ARUS_TEXT("valueType"))) {
        return read_type(reader, &out->value);
    }
    return arus_text_equal(key, ARUS_TEXT("containsNull")) ||
                   arus_text_equal(key, ARUS_TEXT("valueContainsNull"))
               ? read_bool(reader, &out->contains_null)
               : skip_value(reader);
}

static enum arus_status read_members(struct reader *reader, struct members *out)
{
    do {
        ARUS_TRY(read_member(reader, out));
    } while (take(reader, ','));
    return expect(reader, '}');
}

static enum arus_status read_nested(struct reader *reader, const struct arus_type **out)
{
    struct members members = {.contains_null = true};

    ARUS_TRY(read_members(reader, &members));
    if (arus_text_equal(members.kind, ARUS_TEXT("struct")) && members.has_fields) {
        return arus_type_struct(members.fields, (uint16_t)members.field_count, reader->arena, out,
                                reader->err);
    }
    if (arus_text_equal(members.kind, ARUS_TEXT("array")) && members.element != NULL) {
        return arus_type_array(members.element, members.contains_null, reader->arena, out,
                               reader->err);
    }
    if (arus_text_equal(members.kind, ARUS_TEXT("map")) && members.key != NULL &&
        members.value != NULL) {
        return arus_type_map(members.key, members.value, members.contains_null, reader->arena, out,
                             reader->err);
    }
    return fail(reader, "this object is no type");
}

static enum arus_status read_type(struct reader *reader, const struct arus_type **out)
{
    struct arus_text name;
    enum arus_status status;

    if (!take(reader, '{')) {
        ARUS_TRY(read_string(reader, &name));
        return type_of_name(reader, name, out);
    }
    if (++reader->depth > DEPTH_MAX) {
        return fail(reader, "nested too deeply");
    }
    status = read_nested(reader, out);
    reader->depth--;
    return status;
}

enum arus_status arus_type_parse_json(struct arus_text json, struct arus_arena *arena,
                                      const struct arus_type **out, struct arus_error *err)
{
    struct reader reader = {.at = json.data,
                            .begin = json.data,
                            .end = json.data + json.size,
                            .arena = arena,
                            .err = err};

    ARUS_TRY(read_type(&reader, out));
    skip_blanks(&reader);
    return reader.at == reader.end ? ARUS_OK : fail(&reader, "text follows the schema");
}
