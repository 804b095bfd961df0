/** Avro schemas: from JSON, from SQL types, and the SQL type of each. */
#include "format/avro.h"
#include "format/json_scan.h"
#include "types/number_text.h"

#define NAMED_MAX 256

struct parser {
    struct arus_json_scan scan;
    struct arus_arena *arena;
    struct arus_text space; /* namespace at hand */
    const struct arus_avro *named[NAMED_MAX];
    struct arus_text full_names[NAMED_MAX];
    uint32_t named_count;
};

static enum arus_status fail_schema(struct arus_error *err, const char *what)
{
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA", "bad Avro schema: %s", what);
}

static const char *const PRIMITIVES[] = {"null",  "boolean", "int",   "long",
                                         "float", "double",  "bytes", "string"};

/* ---- SQL types ---- */

static enum arus_status union_type(struct arus_avro *node, struct arus_arena *arena,
                                   struct arus_error *err)
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
        ARUS_TRY(arus_text_format(arena, &fields[count].name, err, "member%u", count));
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
        return arus_type_struct(fields, count, arena, &node->type, err);
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

static enum arus_status set_type(struct arus_avro *node, struct arus_arena *arena,
                                 struct arus_error *err)
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
    return union_type(node, arena, err);
}

/* ---- JSON ---- */

static enum arus_status parse_node(struct parser *parser, int depth, const struct arus_avro **out,
                                   struct arus_error *err);

static enum arus_status read_text(struct parser *parser, struct arus_text *out,
                                  struct arus_error *err)
{
    struct arus_buffer buffer = {0};
    bool is_fine;
    enum arus_status status = arus_json_scan_string(&parser->scan, &buffer, &is_fine, err);

    if (status == ARUS_OK) {
        status = is_fine ? arus_text_copy(arus_buffer_text(&buffer), parser->arena, out, err)
                         : fail_schema(err, "a text is missing");
    }
    arus_buffer_release(&buffer);
    return status;
}

static enum arus_status full_name(const struct parser *parser, struct arus_text name,
                                  struct arus_text *out, struct arus_error *err)
{
    if (parser->space.size == 0 || memchr(name.data, '.', name.size) != NULL) {
        *out = name;
        return ARUS_OK;
    }
    return arus_text_format(parser->arena, out, err, "%.*s.%.*s", ARUS_TEXT_ARGS(parser->space),
                            ARUS_TEXT_ARGS(name));
}

static enum arus_status find_named(const struct parser *parser, struct arus_text name,
                                   const struct arus_avro **out, struct arus_error *err)
{
    struct arus_text full;

    for (size_t k = 0; k < sizeof PRIMITIVES / sizeof *PRIMITIVES; k++) {
        if (arus_text_equal(name, arus_text_of(PRIMITIVES[k]))) {
            struct arus_avro *node;

            ARUS_TRY(ARUS_NEW(parser->arena, struct arus_avro, 1, &node, err));
            node->kind = (enum arus_avro_kind)k;
            *out = node;
            return set_type(node, parser->arena, err);
        }
    }
    ARUS_TRY(full_name(parser, name, &full, err));
    for (uint32_t k = 0; k < parser->named_count; k++) {
        if (arus_text_equal(parser->full_names[k], full) ||
            arus_text_equal(parser->full_names[k], name)) {
            *out = parser->named[k];
            return (*out)->type != NULL ? ARUS_OK : fail_schema(err, "a type contains itself");
        }
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA",
                     "bad Avro schema: there is no type `%.*s`", ARUS_TEXT_ARGS(name));
}

static enum arus_status add_named(struct parser *parser, const struct arus_avro *node,
                                  struct arus_error *err)
{
    if (parser->named_count == NAMED_MAX) {
        return fail_schema(err, "too many named types");
    }
    parser->named[parser->named_count] = node;
    return full_name(parser, node->name, &parser->full_names[parser->named_count++], err);
}

/* A growing list of children in the arena. */
struct nodes {
    const struct arus_avro **items;
    struct arus_text *names;
    uint32_t count;
    uint32_t capacity;
};

static enum arus_status nodes_add(struct nodes *nodes, struct arus_text name,
                                  const struct arus_avro *node, struct arus_arena *arena,
                                  struct arus_error *err)
{
    if (nodes->count == nodes->capacity) {
        const uint32_t capacity = nodes->capacity == 0 ? 8 : 2 * nodes->capacity;
        const struct arus_avro **items;
        struct arus_text *names;

        ARUS_TRY(ARUS_NEW(arena, const struct arus_avro *, capacity, &items, err));
        ARUS_TRY(ARUS_NEW(arena, struct arus_text, capacity, &names, err));
        for (uint32_t k = 0; k < nodes->count; k++) {
            items[k] = nodes->items[k];
            names[k] = nodes->names[k];
        }
        nodes->items = items;
        nodes->names = names;
        nodes->capacity = capacity;
    }
    nodes->items[nodes->count] = node;
    nodes->names[nodes->count++] = name;
    return ARUS_OK;
}

static enum arus_status enter(struct parser *parser, enum arus_json_kind wanted, const char *what,
                              struct arus_error *err)
{
    if (arus_json_scan_peek(&parser->scan) != wanted) {
        return fail_schema(err, what);
    }
    arus_json_scan_enter(&parser->scan);
    return ARUS_OK;
}

static enum arus_status read_key(struct parser *parser, struct arus_text *out,
                                 struct arus_error *err)
{
    ARUS_TRY(read_text(parser, out, err));
    return arus_json_scan_colon(&parser->scan) ? ARUS_OK : fail_schema(err, "a colon is missing");
}

static enum arus_status skip(struct parser *parser, struct arus_error *err)
{
    return arus_json_scan_skip(&parser->scan) ? ARUS_OK : fail_schema(err, "it is no JSON");
}

static enum arus_status parse_field(struct parser *parser, int depth, struct nodes *fields,
                                    struct arus_error *err)
{
    const struct arus_avro *type = NULL;
    struct arus_text name = {0};
    bool is_fine;

    ARUS_TRY(enter(parser, ARUS_JSON_OBJECT, "a field must be an object", err));
    for (bool is_first = true; arus_json_scan_more(&parser->scan, is_first, &is_fine);
         is_first = false) {
        struct arus_text key;

        ARUS_TRY(read_key(parser, &key, err));
        if (arus_text_equal(key, ARUS_TEXT("name"))) {
            ARUS_TRY(read_text(parser, &name, err));
        } else if (arus_text_equal(key, ARUS_TEXT("type"))) {
            ARUS_TRY(parse_node(parser, depth + 1, &type, err));
        } else {
            ARUS_TRY(skip(parser, err));
        }
    }
    if (!is_fine || type == NULL || name.size == 0) {
        return fail_schema(err, "a field needs a name and a type");
    }
    return nodes_add(fields, name, type, parser->arena, err);
}

/* A list of nodes (union), of fields, or of symbols. */
enum list_kind { LIST_NODES, LIST_FIELDS, LIST_SYMBOLS };

static enum arus_status parse_list(struct parser *parser, int depth, enum list_kind kind,
                                   struct nodes *out, struct arus_error *err)
{
    bool is_fine;

    ARUS_TRY(enter(parser, ARUS_JSON_ARRAY, "a list is missing", err));
    for (bool is_first = true; arus_json_scan_more(&parser->scan, is_first, &is_fine);
         is_first = false) {
        const struct arus_avro *node = NULL;
        struct arus_text symbol = {0};

        if (kind == LIST_FIELDS) {
            ARUS_TRY(parse_field(parser, depth, out, err));
            continue;
        }
        if (kind == LIST_NODES) {
            ARUS_TRY(parse_node(parser, depth + 1, &node, err));
        } else {
            ARUS_TRY(read_text(parser, &symbol, err));
        }
        ARUS_TRY(nodes_add(out, symbol, node, parser->arena, err));
    }
    return is_fine ? ARUS_OK : fail_schema(err, "it is no JSON");
}

/* The parts of `{"type": .., ..}`; `fields` and `items` are read in a second pass, once the name is
 * known. */
struct parts {
    struct arus_text type;
    struct arus_text name;
    struct arus_text space;
    struct arus_text logical;
    int64_t size;
    int64_t precision;
    int64_t scale;
    struct arus_json_scan nested_type; /* at == NULL: the type is a name */
    struct arus_json_scan fields;
    struct arus_json_scan items;
    struct arus_json_scan symbols;
};

static enum arus_status read_integer(struct parser *parser, int64_t *out, struct arus_error *err)
{
    const char *begin;

    (void)arus_json_scan_peek(&parser->scan);
    begin = parser->scan.at;
    ARUS_TRY(skip(parser, err));
    return arus_int64_parse((struct arus_text){begin, (size_t)(parser->scan.at - begin)}, out)
               ? ARUS_OK
               : fail_schema(err, "a number is missing");
}

static enum arus_status read_part(struct parser *parser, struct arus_text key, struct parts *parts,
                                  struct arus_error *err)
{
    const struct {
        const char *key;
        struct arus_text *text;
        int64_t *integer;
        struct arus_json_scan *scan;
    } rows[] = {
        {"name", &parts->name, NULL, NULL},           {"namespace", &parts->space, NULL, NULL},
        {"logicalType", &parts->logical, NULL, NULL}, {"size", NULL, &parts->size, NULL},
        {"precision", NULL, &parts->precision, NULL}, {"scale", NULL, &parts->scale, NULL},
        {"fields", NULL, NULL, &parts->fields},       {"items", NULL, NULL, &parts->items},
        {"values", NULL, NULL, &parts->items},        {"symbols", NULL, NULL, &parts->symbols},
    };

    if (arus_text_equal(key, ARUS_TEXT("type"))) {
        if (arus_json_scan_peek(&parser->scan) == ARUS_JSON_STRING) {
            return read_text(parser, &parts->type, err);
        }
        parts->nested_type = parser->scan;
        return skip(parser, err);
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!arus_text_equal(key, arus_text_of(rows[k].key))) {
            continue;
        }
        if (rows[k].text != NULL) {
            return read_text(parser, rows[k].text, err);
        }
        if (rows[k].integer != NULL) {
            return read_integer(parser, rows[k].integer, err);
        }
        *rows[k].scan = parser->scan;
    }
    return skip(parser, err);
}

static void set_logical(struct arus_avro *node, const struct parts *parts)
{
    static const struct {
        const char *name;
        enum arus_avro_kind kind;
        enum arus_avro_logical logical;
    } ROWS[] = {
        {"date", ARUS_AVRO_INT, ARUS_AVRO_DATE},
        {"timestamp-millis", ARUS_AVRO_LONG, ARUS_AVRO_TIMESTAMP_MILLIS},
        {"timestamp-micros", ARUS_AVRO_LONG, ARUS_AVRO_TIMESTAMP_MICROS},
        {"local-timestamp-millis", ARUS_AVRO_LONG, ARUS_AVRO_LOCAL_MILLIS},
        {"local-timestamp-micros", ARUS_AVRO_LONG, ARUS_AVRO_LOCAL_MICROS},
        {"decimal", ARUS_AVRO_BYTES, ARUS_AVRO_DECIMAL},
        {"decimal", ARUS_AVRO_FIXED, ARUS_AVRO_DECIMAL},
    };

    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        if (ROWS[k].kind == node->kind &&
            arus_text_equal(parts->logical, arus_text_of(ROWS[k].name))) {
            node->logical = ROWS[k].logical;
        }
    }
    if (node->logical == ARUS_AVRO_DECIMAL) {
        if (parts->precision < 1 || parts->precision > 38 || parts->scale < 0 ||
            parts->scale > parts->precision) {
            node->logical = ARUS_AVRO_PLAIN;
            return;
        }
        node->precision = (uint8_t)parts->precision;
        node->scale = (uint8_t)parts->scale;
    }
}

/* RECORD, ENUM, FIXED, ARRAY, MAP: what stands behind the type. */
static enum arus_status parse_body(struct parser *parser, int depth, const struct parts *parts,
                                   struct arus_avro *node, struct arus_error *err)
{
    const struct arus_json_scan after = parser->scan;
    struct nodes nodes = {0};
    const struct arus_avro *item;

    if (node->kind == ARUS_AVRO_FIXED) {
        node->size = (uint32_t)parts->size;
        return parts->size > 0 ? ARUS_OK : fail_schema(err, "a fixed type needs a size");
    }
    parser->scan = node->kind == ARUS_AVRO_RECORD ? parts->fields
                   : node->kind == ARUS_AVRO_ENUM ? parts->symbols
                                                  : parts->items;
    if (parser->scan.at == NULL) {
        return fail_schema(err, "fields, symbols, items or values are missing");
    }
    if (node->kind == ARUS_AVRO_ARRAY || node->kind == ARUS_AVRO_MAP) {
        ARUS_TRY(parse_node(parser, depth + 1, &item, err));
        ARUS_TRY(nodes_add(&nodes, (struct arus_text){0}, item, parser->arena, err));
    } else {
        ARUS_TRY(parse_list(parser, depth,
                            node->kind == ARUS_AVRO_RECORD ? LIST_FIELDS : LIST_SYMBOLS, &nodes,
                            err));
    }
    node->count = nodes.count;
    node->names = nodes.names;
    node->children = nodes.items;
    parser->scan = after;
    return ARUS_OK;
}

static enum arus_status parse_object(struct parser *parser, int depth, const struct arus_avro **out,
                                     struct arus_error *err)
{
    static const char *const NAMES[] = {"fixed", "enum", "array", "map", "record"};
    const struct arus_text outer_space = parser->space;
    struct parts parts = {0};
    struct arus_avro *node;
    bool is_fine;
    enum arus_avro_kind kind = ARUS_AVRO_NULL;

    ARUS_TRY(enter(parser, ARUS_JSON_OBJECT, "it is no JSON", err));
    for (bool is_first = true; arus_json_scan_more(&parser->scan, is_first, &is_fine);
         is_first = false) {
        struct arus_text key;

        ARUS_TRY(read_key(parser, &key, err));
        ARUS_TRY(read_part(parser, key, &parts, err));
    }
    if (!is_fine) {
        return fail_schema(err, "it is no JSON");
    }
    if (parts.nested_type.at != NULL) {
        const struct arus_json_scan after = parser->scan;

        parser->scan = parts.nested_type;
        ARUS_TRY(parse_node(parser, depth + 1, out, err));
        parser->scan = after;
        return ARUS_OK;
    }
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
        if (arus_text_equal(parts.type, arus_text_of(NAMES[k]))) {
            kind = (enum arus_avro_kind)(ARUS_AVRO_FIXED + k);
        }
    }
    ARUS_TRY(ARUS_NEW(parser->arena, struct arus_avro, 1, &node, err));
    if (kind == ARUS_AVRO_NULL) { /* a primitive or a name, perhaps with a logical type */
        const struct arus_avro *plain;

        ARUS_TRY(find_named(parser, parts.type, &plain, err));
        *node = *plain;
        set_logical(node, &parts);
        *out = node;
        return node->kind >= ARUS_AVRO_FIXED ? ARUS_OK : set_type(node, parser->arena, err);
    }
    node->kind = kind;
    node->name = parts.name;
    if (parts.space.size > 0) {
        parser->space = parts.space;
    }
    set_logical(node, &parts);
    if (kind != ARUS_AVRO_ARRAY && kind != ARUS_AVRO_MAP) {
        if (parts.name.size == 0) {
            return fail_schema(err, "a record, enum or fixed needs a name");
        }
        ARUS_TRY(add_named(parser, node, err));
    }
    ARUS_TRY(parse_body(parser, depth, &parts, node, err));
    parser->space = outer_space;
    *out = node;
    return set_type(node, parser->arena, err);
}

static enum arus_status parse_node(struct parser *parser, int depth, const struct arus_avro **out,
                                   struct arus_error *err)
{
    const enum arus_json_kind kind = arus_json_scan_peek(&parser->scan);
    struct nodes nodes = {0};
    struct arus_avro *node;
    struct arus_text name;

    if (depth > 64) {
        return fail_schema(err, "it is nested too deeply");
    }
    if (kind == ARUS_JSON_STRING) {
        ARUS_TRY(read_text(parser, &name, err));
        return find_named(parser, name, out, err);
    }
    if (kind == ARUS_JSON_OBJECT) {
        return parse_object(parser, depth, out, err);
    }
    ARUS_TRY(parse_list(parser, depth, LIST_NODES, &nodes, err));
    ARUS_TRY(ARUS_NEW(parser->arena, struct arus_avro, 1, &node, err));
    node->kind = ARUS_AVRO_UNION;
    node->count = nodes.count;
    node->children = nodes.items;
    *out = node;
    return set_type(node, parser->arena, err);
}

enum arus_status arus_avro_parse(struct arus_text json, struct arus_arena *arena,
                                 const struct arus_avro **out, struct arus_error *err)
{
    struct parser *parser;

    ARUS_TRY(ARUS_NEW(arena, struct parser, 1, &parser, err));
    parser->scan = (struct arus_json_scan){json.data, json.data + json.size};
    parser->arena = arena;
    return parse_node(parser, 0, out, err);
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
    ARUS_TRY(set_type(null, arena, err));
    children[0] = node;
    children[1] = null;
    both->kind = ARUS_AVRO_UNION;
    both->count = 2;
    both->children = children;
    *out = both;
    return set_type(both, arena, err);
}

enum arus_status arus_avro_of(const struct arus_type *type, bool is_nullable,
                              struct arus_arena *arena, const struct arus_avro **out,
                              struct arus_error *err)
{
    struct arus_avro *node;

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
    ARUS_TRY(set_type(node, arena, err));
    *out = node;
    return is_nullable && node->kind != ARUS_AVRO_NULL ? with_null(node, arena, out, err) : ARUS_OK;
}
