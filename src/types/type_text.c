/** Printing types: DDL and simpleString. */
#include "types/interval.h"
#include "types/type.h"

enum style { SQL, SIMPLE };

static const char *const NAMES[ARUS_TYPE_COUNT] = {
#define X(name, c_type, spark_name) [ARUS_TYPE_##name] = (spark_name),
    ARUS_TYPES(X)
#undef X
};

static enum arus_status put(struct arus_buffer *out, const char *text, struct arus_error *err)
{
    return arus_buffer_append(out, text, strlen(text), err);
}

/* ASCII letters in capitals for DDL, small for simpleString. */
static enum arus_status put_name(struct arus_buffer *out, struct arus_text name, enum style style,
                                 struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, name.size, err));
    for (size_t i = 0; i < name.size; i++) {
        const char small =
            name.data[i] >= 'A' && name.data[i] <= 'Z' ? (char)(name.data[i] + 32) : name.data[i];
        const bool is_letter = small >= 'a' && small <= 'z';

        out->data[out->size++] = style == SQL && is_letter ? (char)(small - 32) : small;
    }
    return ARUS_OK;
}

static bool is_plain_name(struct arus_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        const char c = name.data[i];
        const bool is_letter = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';

        if (!is_letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return name.size != 0;
}

static enum arus_status put_quoted(struct arus_buffer *out, struct arus_text name,
                                   struct arus_error *err)
{
    if (is_plain_name(name)) {
        return arus_buffer_append_text(out, name, err);
    }
    ARUS_TRY(arus_buffer_append_char(out, '`', err));
    ARUS_TRY(arus_buffer_reserve(out, name.size * 2, err));
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '`') {
            out->data[out->size++] = '`';
        }
        out->data[out->size++] = name.data[i];
    }
    return arus_buffer_append_char(out, '`', err);
}

static enum arus_status put_type(const struct arus_type *type, enum style style,
                                 struct arus_buffer *out, struct arus_error *err);

static enum arus_status put_interval(const struct arus_type *type, enum style style,
                                     struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(put_name(out, ARUS_TEXT("interval "), style, err));
    ARUS_TRY(put_name(out, arus_interval_field_name(type->precision), style, err));
    if (type->precision == type->scale) {
        return ARUS_OK;
    }
    ARUS_TRY(put_name(out, ARUS_TEXT(" to "), style, err));
    return put_name(out, arus_interval_field_name(type->scale), style, err);
}

static enum arus_status put_field(const struct arus_field *field, enum style style,
                                  struct arus_buffer *out, struct arus_error *err)
{
    if (style == SQL) {
        ARUS_TRY(put_quoted(out, field->name, err));
        ARUS_TRY(put(out, ": ", err));
    } else {
        ARUS_TRY(arus_buffer_append_text(out, field->name, err));
        ARUS_TRY(put(out, ":", err));
    }
    return put_type(field->type, style, out, err);
}

static enum arus_status put_struct(const struct arus_type *type, enum style style,
                                   struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(put_name(out, ARUS_TEXT("struct<"), style, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(put(out, i == 0 ? "" : style == SQL ? ", " : ",", err));
        ARUS_TRY(put_field(&type->fields[i], style, out, err));
    }
    return put(out, ">", err);
}

static enum arus_status put_type(const struct arus_type *type, enum style style,
                                 struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_text name = arus_text_of(NAMES[type->id]);

    if (type->id == ARUS_TYPE_INTERVAL_YM || type->id == ARUS_TYPE_INTERVAL_DT) {
        return put_interval(type, style, out, err);
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        return put_struct(type, style, out, err);
    }
    ARUS_TRY(put_name(out, name, style, err));
    if (type->id == ARUS_TYPE_DECIMAL) {
        return arus_buffer_printf(out, err, "(%u,%u)", type->precision, type->scale);
    }
    if (type->field_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(put(out, "<", err));
    ARUS_TRY(put_type(type->fields[0].type, style, out, err));
    if (type->field_count == 2) {
        ARUS_TRY(put(out, style == SQL ? ", " : ",", err));
        ARUS_TRY(put_type(type->fields[1].type, style, out, err));
    }
    return put(out, ">", err);
}

enum arus_status arus_type_sql(const struct arus_type *type, struct arus_buffer *out,
                               struct arus_error *err)
{
    return put_type(type, SQL, out, err);
}

enum arus_status arus_type_simple(const struct arus_type *type, struct arus_buffer *out,
                                  struct arus_error *err)
{
    return put_type(type, SIMPLE, out, err);
}

enum arus_status arus_schema_ddl(const struct arus_type *schema, struct arus_buffer *out,
                                 struct arus_error *err)
{
    for (uint16_t i = 0; i < schema->field_count; i++) {
        ARUS_TRY(put(out, i == 0 ? "" : ", ", err));
        ARUS_TRY(put_quoted(out, schema->fields[i].name, err));
        ARUS_TRY(put(out, " ", err));
        ARUS_TRY(put_type(schema->fields[i].type, SQL, out, err));
    }
    return ARUS_OK;
}
