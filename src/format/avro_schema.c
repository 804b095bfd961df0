/** Avro schemas and SQL types: the type of each schema, the schema of each type. */
#include "format/avro_internal.h"

/* ---- SQL types ---- */

const char *const ARUS_AVRO_KINDS[] = {"null",   "boolean", "int",    "long",  "float",
                                       "double", "bytes",   "string", "fixed", "enum",
                                       "array",  "map",     "record", "union"};

static enum arus_status member_name(const struct arus_avro *member, uint16_t at,
                                    const struct arus_avro_naming *naming, struct arus_arena *arena,
                                    struct arus_text *out, struct arus_error *err)
{
    const struct arus_text name =
        member->name.size > 0 ? member->name : arus_text_of(ARUS_AVRO_KINDS[member->kind]);

    if (naming == NULL || !naming->is_by_type) {
        return arus_text_format(arena, out, err, "member%u", at);
    }
    return arus_text_format(arena, out, err, "%.*s%.*s", ARUS_TEXT_ARGS(naming->prefix),
                            ARUS_TEXT_ARGS(name));
}

static enum arus_status members_type(struct arus_avro *node, struct arus_field *fields,
                                     uint16_t count, struct arus_arena *arena,
                                     struct arus_error *err)
{
    node->has_members = true;
    for (uint16_t i = 0; i < count; i++) {
        for (uint16_t k = 0; k < i; k++) {
            if (arus_text_equal_nocase(fields[i].name, fields[k].name)) {
                return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA",
                                 "bad Avro schema: two members of a union would be named `%.*s`",
                                 ARUS_TEXT_ARGS(fields[i].name));
            }
        }
    }
    return arus_type_struct(fields, count, arena, &node->type, err);
}

static enum arus_status union_type(struct arus_avro *node, const struct arus_avro_naming *naming,
                                   struct arus_arena *arena, struct arus_error *err)
{
    struct arus_field *fields;
    uint32_t kinds = 0;
    uint16_t count = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, node->count, &fields, err));
    for (uint32_t i = 0; i < node->count; i++) {
        const struct arus_avro *child = node->children[i];

        if (child->kind == ARUS_AVRO_NULL) {
            node->is_nullable = true;
            continue;
        }
        ARUS_TRY(member_name(child, count, naming, arena, &fields[count].name, err));
        fields[count].type = child->type;
        fields[count++].is_nullable = true;
        kinds |= 1u << child->kind;
    }
    if (count == 0) {
        node->type = &ARUS_VOID;
    } else if (count == 1) {
        node->type = fields[0].type;
    } else if (kinds == (1u << ARUS_AVRO_INT | 1u << ARUS_AVRO_LONG)) {
        node->type = &ARUS_BIGINT;
    } else if (kinds == (1u << ARUS_AVRO_FLOAT | 1u << ARUS_AVRO_DOUBLE)) {
        node->type = &ARUS_DOUBLE;
    } else {
        return members_type(node, fields, count, arena, err);
    }
    return ARUS_OK;
}

static enum arus_status record_type(struct arus_avro *node, struct arus_arena *arena,
                                    struct arus_error *err)
{
    struct arus_field *fields;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, node->count, &fields, err));
    for (uint32_t i = 0; i < node->count; i++) {
        fields[i].name = node->names[i];
        fields[i].type = node->children[i]->type;
        fields[i].is_nullable = node->children[i]->is_nullable;
    }
    return arus_type_struct(fields, (uint16_t)node->count, arena, &node->type, err);
}

static const struct arus_type *long_type(enum arus_avro_logical logical)
{
    switch (logical) {
    case ARUS_AVRO_TIMESTAMP_MILLIS:
    case ARUS_AVRO_TIMESTAMP_MICROS:
        return &ARUS_TIMESTAMP;
    case ARUS_AVRO_LOCAL_MILLIS:
    case ARUS_AVRO_LOCAL_MICROS:
        return &ARUS_TIMESTAMP_NTZ;
    case ARUS_AVRO_PLAIN:
    case ARUS_AVRO_DATE:
    case ARUS_AVRO_DECIMAL:
        break;
    }
    return &ARUS_BIGINT;
}

enum arus_status arus_avro_set_type(struct arus_avro *node, const struct arus_avro_naming *naming,
                                    struct arus_arena *arena, struct arus_error *err)
{
    const struct arus_avro *child =
        node->count > 0 && node->children != NULL ? node->children[0] : NULL;

    switch (node->kind) {
    case ARUS_AVRO_NULL:
        node->type = &ARUS_VOID;
        node->is_nullable = true;
        return ARUS_OK;
    case ARUS_AVRO_BOOLEAN:
        node->type = &ARUS_BOOLEAN;
        return ARUS_OK;
    case ARUS_AVRO_INT:
        node->type = node->logical == ARUS_AVRO_DATE ? &ARUS_DATE : &ARUS_INT;
        return ARUS_OK;
    case ARUS_AVRO_LONG:
        node->type = long_type(node->logical);
        return ARUS_OK;
    case ARUS_AVRO_FLOAT:
        node->type = &ARUS_FLOAT;
        return ARUS_OK;
    case ARUS_AVRO_DOUBLE:
        node->type = &ARUS_DOUBLE;
        return ARUS_OK;
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_FIXED:
        if (node->logical == ARUS_AVRO_DECIMAL) {
            return arus_type_decimal(node->precision, node->scale, arena, &node->type, err);
        }
        node->type = &ARUS_BINARY;
        return ARUS_OK;
    case ARUS_AVRO_STRING:
    case ARUS_AVRO_ENUM:
        node->type = &ARUS_STRING;
        return ARUS_OK;
    case ARUS_AVRO_ARRAY:
        return arus_type_array(child->type, child->is_nullable, arena, &node->type, err);
    case ARUS_AVRO_MAP:
        return arus_type_map(&ARUS_STRING, child->type, child->is_nullable, arena, &node->type,
                             err);
    case ARUS_AVRO_RECORD:
        return record_type(node, arena, err);
    case ARUS_AVRO_UNION:
        break;
    }
    return union_type(node, naming, arena, err);
}

/* ---- from SQL types ---- */

static uint32_t bytes_for(uint8_t precision)
{
    uint32_t size = 1;
    long double limit = 1;

    for (uint8_t k = 0; k < precision; k++) {
        limit *= 10;
    }
    for (long double most = 128; most < limit; most *= 256) {
        size++;
    }
    return size;
}

static enum arus_avro_kind kind_of(const struct arus_type *type)
{
    switch (type->id) {
    case ARUS_TYPE_BOOLEAN:
        return ARUS_AVRO_BOOLEAN;
    case ARUS_TYPE_TINYINT:
    case ARUS_TYPE_SMALLINT:
    case ARUS_TYPE_INT:
    case ARUS_TYPE_DATE:
    case ARUS_TYPE_INTERVAL_YM:
        return ARUS_AVRO_INT;
    case ARUS_TYPE_BIGINT:
    case ARUS_TYPE_TIMESTAMP:
    case ARUS_TYPE_TIMESTAMP_NTZ:
    case ARUS_TYPE_INTERVAL_DT:
        return ARUS_AVRO_LONG;
    case ARUS_TYPE_FLOAT:
        return ARUS_AVRO_FLOAT;
    case ARUS_TYPE_DOUBLE:
        return ARUS_AVRO_DOUBLE;
    case ARUS_TYPE_DECIMAL:
        return ARUS_AVRO_FIXED;
    case ARUS_TYPE_STRING:
        return ARUS_AVRO_STRING;
    case ARUS_TYPE_BINARY:
        return ARUS_AVRO_BYTES;
    case ARUS_TYPE_ARRAY:
        return ARUS_AVRO_ARRAY;
    case ARUS_TYPE_MAP:
        return ARUS_AVRO_MAP;
    case ARUS_TYPE_STRUCT:
        return ARUS_AVRO_RECORD;
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_COUNT:
        break;
    }
    return ARUS_AVRO_NULL;
}

static enum arus_status children_of(struct arus_avro *node, const struct arus_type *type,
                                    struct arus_arena *arena, struct arus_error *err)
{
    const uint32_t first = type->id == ARUS_TYPE_MAP ? 1 : 0;
    const struct arus_avro **children;
    struct arus_text *names;

    node->count = type->field_count - first;
    ARUS_TRY(ARUS_NEW(arena, const struct arus_avro *, node->count, &children, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, node->count, &names, err));
    for (uint32_t i = 0; i < node->count; i++) {
        const struct arus_field *field = &type->fields[first + i];

        names[i] = field->name;
        ARUS_TRY(arus_avro_of(field->type, field->is_nullable, arena, &children[i], err));
    }
    node->children = children;
    node->names = names;
    return ARUS_OK;
}

static enum arus_status with_null(const struct arus_avro *node, struct arus_arena *arena,
                                  const struct arus_avro **out, struct arus_error *err)
{
    const struct arus_avro **children;
    struct arus_avro *null;
    struct arus_avro *both;

    ARUS_TRY(ARUS_NEW(arena, struct arus_avro, 1, &null, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_avro, 1, &both, err));
    ARUS_TRY(ARUS_NEW(arena, const struct arus_avro *, 2, &children, err));
    ARUS_TRY(arus_avro_set_type(null, NULL, arena, err));
    children[0] = node;
    children[1] = null;
    both->kind = ARUS_AVRO_UNION;
    both->count = 2;
    both->children = children;
    *out = both;
    return arus_avro_set_type(both, NULL, arena, err);
}

enum arus_status arus_avro_of(const struct arus_type *type, bool is_nullable,
                              struct arus_arena *arena, const struct arus_avro **out,
                              struct arus_error *err)
{
    struct arus_avro *node;

    if (type->id == ARUS_TYPE_INTERVAL) {
        return arus_fail(err, ARUS_BAD_CONFIG, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         "Avro has no type for INTERVAL");
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_avro, 1, &node, err));
    node->kind = kind_of(type);
    if (type->id == ARUS_TYPE_DATE) {
        node->logical = ARUS_AVRO_DATE;
    } else if (type->id == ARUS_TYPE_TIMESTAMP) {
        node->logical = ARUS_AVRO_TIMESTAMP_MICROS;
    } else if (type->id == ARUS_TYPE_TIMESTAMP_NTZ) {
        node->logical = ARUS_AVRO_LOCAL_MICROS;
    } else if (type->id == ARUS_TYPE_DECIMAL) {
        node->logical = ARUS_AVRO_DECIMAL;
        node->precision = type->precision;
        node->scale = type->scale;
        node->size = bytes_for(type->precision);
    } else if (arus_type_is_nested(type)) {
        ARUS_TRY(children_of(node, type, arena, err));
    }
    ARUS_TRY(arus_avro_set_type(node, NULL, arena, err));
    *out = node;
    return is_nullable && node->kind != ARUS_AVRO_NULL ? with_null(node, arena, out, err) : ARUS_OK;
}
