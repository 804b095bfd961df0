/** Avro schemas from JSON. */
#include "format/avro_internal.h"
#include "format/json_scan.h"
#include "types/number_text.h"

#define NAMED_MAX 256

struct parser {
    struct arus_json_scan scan;
    struct arus_arena *arena;
    const struct arus_avro_naming *naming; /* NULL: the usual */
    struct arus_text space;                /* namespace at hand */
    const struct arus_avro *named[NAMED_MAX];
    uint32_t named_count;
};

static enum arus_status fail_schema(struct arus_error *err, const char *what)
{
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA", "bad Avro schema: %s", what);
}

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

/* Bytes of the namespace and its point in a full name. */
static size_t space_size(struct arus_text name)
{
    size_t size = name.size;

    while (size > 0 && name.data[size - 1] != '.') {
        size--;
    }
    return size;
}

static enum arus_status full_name(const struct parser *parser, struct arus_text name,
                                  struct arus_text *out, struct arus_error *err)
{
    if (parser->space.size == 0 || space_size(name) > 0) {
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

    for (size_t k = 0; k < ARUS_AVRO_FIXED; k++) { /* primitives */
        if (arus_text_equal(name, arus_text_of(ARUS_AVRO_KINDS[k]))) {
            struct arus_avro *node;

            ARUS_TRY(ARUS_NEW(parser->arena, struct arus_avro, 1, &node, err));
            node->kind = (enum arus_avro_kind)k;
            *out = node;
            return arus_avro_set_type(node, parser->naming, parser->arena, err);
        }
    }
    ARUS_TRY(full_name(parser, name, &full, err));
    for (uint32_t k = 0; k < parser->named_count; k++) {
        if (arus_text_equal(parser->named[k]->full_name, full) ||
            arus_text_equal(parser->named[k]->full_name, name)) {
            *out = parser->named[k];
            return (*out)->type != NULL ? ARUS_OK : fail_schema(err, "a type contains itself");
        }
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA",
                     "bad Avro schema: there is no type `%.*s`", ARUS_TEXT_ARGS(name));
}

/* Names the type; what it holds is named in its namespace. */
static enum arus_status add_named(struct parser *parser, struct arus_text name,
                                  struct arus_avro *node, struct arus_error *err)
{
    size_t size;

    if (name.size == 0) {
        return fail_schema(err, "a record, enum or fixed needs a name");
    }
    if (parser->named_count == NAMED_MAX) {
        return fail_schema(err, "too many named types");
    }
    ARUS_TRY(full_name(parser, name, &node->full_name, err));
    for (uint32_t k = 0; k < parser->named_count; k++) {
        if (arus_text_equal(parser->named[k]->full_name, node->full_name)) {
            return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_AVRO_SCHEMA",
                             "bad Avro schema: type `%.*s` is there twice",
                             ARUS_TEXT_ARGS(node->full_name));
        }
    }
    size = space_size(node->full_name);
    node->name = (struct arus_text){node->full_name.data + size, node->full_name.size - size};
    parser->space = (struct arus_text){node->full_name.data, size == 0 ? 0 : size - 1};
    parser->named[parser->named_count++] = node;
    return ARUS_OK;
}

/* A growing list of children in the arena. */
struct nodes {
    const struct arus_avro **items;
    struct arus_text *names;
    struct arus_avro_field *fields;
    uint32_t count;
    uint32_t capacity;
};

static enum arus_status nodes_grow(struct nodes *nodes, struct arus_arena *arena,
                                   struct arus_error *err)
{
    const uint32_t capacity = nodes->capacity == 0 ? 8 : 2 * nodes->capacity;
    const struct nodes old = *nodes;

    ARUS_TRY(ARUS_NEW(arena, const struct arus_avro *, capacity, &nodes->items, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, capacity, &nodes->names, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_avro_field, capacity, &nodes->fields, err));
    for (uint32_t k = 0; k < nodes->count; k++) {
        nodes->items[k] = old.items[k];
        nodes->names[k] = old.names[k];
        nodes->fields[k] = old.fields[k];
    }
    nodes->capacity = capacity;
    return ARUS_OK;
}

/* `field` NULL: nothing to say. */
static enum arus_status nodes_add(struct nodes *nodes, struct arus_text name,
                                  const struct arus_avro *node, const struct arus_avro_field *field,
                                  struct arus_arena *arena, struct arus_error *err)
{
    if (nodes->count == nodes->capacity) {
        ARUS_TRY(nodes_grow(nodes, arena, err));
    }
    nodes->items[nodes->count] = node;
    nodes->names[nodes->count] = name;
    if (field != NULL) {
        nodes->fields[nodes->count] = *field;
    }
    nodes->count++;
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

/* A list of nodes (union), of fields, or of symbols (names). */
enum list_kind { LIST_NODES, LIST_FIELDS, LIST_SYMBOLS };

static enum arus_status parse_field(struct parser *parser, int depth, struct nodes *fields,
                                    struct arus_error *err);

static enum arus_status parse_list(struct parser *parser, int depth, enum list_kind kind,
                                   struct nodes *out, struct arus_error *err)
{
    bool is_fine;

    ARUS_TRY(enter(parser, ARUS_JSON_ARRAY, "a list is missing", err));
    for (bool is_first = true;
         arus_json_scan_more(&parser->scan, ARUS_JSON_ARRAY, is_first, &is_fine);
         is_first = false) {
        const struct arus_avro *node = NULL;
        struct arus_text symbol = {0};

        if (kind == LIST_FIELDS) {
            ARUS_TRY(parse_field(parser, depth, out, err));
            continue;
        }
        if (kind == LIST_NODES) {
            ARUS_TRY(parse_node(parser, depth + 1, &node, err));
            if (node->kind == ARUS_AVRO_UNION) {
                return fail_schema(err, "a union in a union");
            }
        } else {
            ARUS_TRY(read_text(parser, &symbol, err));
        }
        ARUS_TRY(nodes_add(out, symbol, node, NULL, parser->arena, err));
    }
    return is_fine ? ARUS_OK : fail_schema(err, "it is no JSON");
}

/* The JSON of a default, as it stands. */
static enum arus_status read_default(struct parser *parser, struct arus_text *out,
                                     struct arus_error *err)
{
    const char *begin;

    (void)arus_json_scan_peek(&parser->scan);
    begin = parser->scan.at;
    ARUS_TRY(skip(parser, err));
    return arus_text_copy((struct arus_text){begin, (size_t)(parser->scan.at - begin)},
                          parser->arena, out, err);
}

static enum arus_status read_aliases(struct parser *parser, const struct arus_text **out,
                                     uint32_t *count, struct arus_error *err)
{
    struct nodes nodes = {0};

    ARUS_TRY(parse_list(parser, 0, LIST_SYMBOLS, &nodes, err));
    *out = nodes.names;
    *count = nodes.count;
    return ARUS_OK;
}

static enum arus_status parse_field(struct parser *parser, int depth, struct nodes *fields,
                                    struct arus_error *err)
{
    struct arus_avro_field field = {0};
    const struct arus_avro *type = NULL;
    struct arus_text name = {0};
    bool is_fine;

    ARUS_TRY(enter(parser, ARUS_JSON_OBJECT, "a field must be an object", err));
    for (bool is_first = true;
         arus_json_scan_more(&parser->scan, ARUS_JSON_OBJECT, is_first, &is_fine);
         is_first = false) {
        struct arus_text key;

        ARUS_TRY(read_key(parser, &key, err));
        if (arus_text_equal(key, ARUS_TEXT("name"))) {
            ARUS_TRY(read_text(parser, &name, err));
        } else if (arus_text_equal(key, ARUS_TEXT("type"))) {
            ARUS_TRY(parse_node(parser, depth + 1, &type, err));
        } else if (arus_text_equal(key, ARUS_TEXT("default"))) {
            ARUS_TRY(read_default(parser, &field.fallback, err));
        } else if (arus_text_equal(key, ARUS_TEXT("aliases"))) {
            ARUS_TRY(read_aliases(parser, &field.aliases, &field.alias_count, err));
        } else {
            ARUS_TRY(skip(parser, err));
        }
    }
    if (!is_fine || type == NULL || name.size == 0) {
        return fail_schema(err, "a field needs a name and a type");
    }
    return nodes_add(fields, name, type, &field, parser->arena, err);
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
    struct arus_json_scan aliases;
    struct arus_json_scan fallback; /* any JSON; an enum's is a symbol */
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
        {"aliases", NULL, NULL, &parts->aliases},     {"default", NULL, NULL, &parts->fallback},
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
        ARUS_TRY(nodes_add(&nodes, (struct arus_text){0}, item, NULL, parser->arena, err));
    } else {
        ARUS_TRY(parse_list(parser, depth,
                            node->kind == ARUS_AVRO_RECORD ? LIST_FIELDS : LIST_SYMBOLS, &nodes,
                            err));
    }
    node->count = nodes.count;
    node->names = nodes.names;
    node->fields = nodes.fields;
    node->children = nodes.items;
    parser->scan = after;
    return ARUS_OK;
}

/* What resolution asks of a named type: its aliases, an enum's symbol for unknown ones. */
static enum arus_status parse_fallbacks(struct parser *parser, const struct parts *parts,
                                        struct arus_avro *node, struct arus_error *err)
{
    const struct arus_json_scan after = parser->scan;

    if (parts->aliases.at != NULL) {
        struct nodes nodes = {0};

        parser->scan = parts->aliases;
        ARUS_TRY(parse_list(parser, 0, LIST_SYMBOLS, &nodes, err));
        for (uint32_t k = 0; k < nodes.count; k++) {
            ARUS_TRY(full_name(parser, nodes.names[k], &nodes.names[k], err));
        }
        node->aliases = nodes.names;
        node->alias_count = nodes.count;
    }
    if (node->kind == ARUS_AVRO_ENUM && parts->fallback.at != NULL) {
        parser->scan = parts->fallback;
        ARUS_TRY(read_text(parser, &node->fallback, err));
    }
    parser->scan = after;
    return ARUS_OK;
}

/* RECORD, ENUM, FIXED, ARRAY, MAP. */
static enum arus_status parse_complex(struct parser *parser, int depth, enum arus_avro_kind kind,
                                      const struct parts *parts, const struct arus_avro **out,
                                      struct arus_error *err)
{
    const struct arus_text outer_space = parser->space;
    struct arus_avro *node;

    ARUS_TRY(ARUS_NEW(parser->arena, struct arus_avro, 1, &node, err));
    node->kind = kind;
    set_logical(node, parts);
    if (kind != ARUS_AVRO_ARRAY && kind != ARUS_AVRO_MAP) {
        if (parts->space.size > 0) {
            parser->space = parts->space;
        }
        ARUS_TRY(add_named(parser, parts->name, node, err));
        ARUS_TRY(parse_fallbacks(parser, parts, node, err));
    }
    ARUS_TRY(parse_body(parser, depth, parts, node, err));
    parser->space = outer_space;
    *out = node;
    return arus_avro_set_type(node, parser->naming, parser->arena, err);
}

static enum arus_status parse_object(struct parser *parser, int depth, const struct arus_avro **out,
                                     struct arus_error *err)
{
    const struct arus_avro *plain;
    struct parts parts = {0};
    struct arus_avro *node;
    bool is_fine;

    ARUS_TRY(enter(parser, ARUS_JSON_OBJECT, "it is no JSON", err));
    for (bool is_first = true;
         arus_json_scan_more(&parser->scan, ARUS_JSON_OBJECT, is_first, &is_fine);
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
    for (int k = ARUS_AVRO_FIXED; k <= ARUS_AVRO_RECORD; k++) {
        if (arus_text_equal(parts.type, arus_text_of(ARUS_AVRO_KINDS[k]))) {
            return parse_complex(parser, depth, (enum arus_avro_kind)k, &parts, out, err);
        }
    }
    /* a primitive or a name, perhaps with a logical type */
    ARUS_TRY(find_named(parser, parts.type, &plain, err));
    ARUS_TRY(ARUS_NEW(parser->arena, struct arus_avro, 1, &node, err));
    *node = *plain;
    set_logical(node, &parts);
    *out = node;
    return node->kind >= ARUS_AVRO_FIXED
               ? ARUS_OK
               : arus_avro_set_type(node, parser->naming, parser->arena, err);
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
    return arus_avro_set_type(node, parser->naming, parser->arena, err);
}

enum arus_status arus_avro_parse_named(struct arus_text json, const struct arus_avro_naming *naming,
                                       struct arus_arena *arena, const struct arus_avro **out,
                                       struct arus_error *err)
{
    struct parser *parser;

    ARUS_TRY(ARUS_NEW(arena, struct parser, 1, &parser, err));
    parser->scan = (struct arus_json_scan){json.data, json.data + json.size};
    parser->arena = arena;
    parser->naming = naming;
    return parse_node(parser, 0, out, err);
}

enum arus_status arus_avro_parse(struct arus_text json, struct arus_arena *arena,
                                 const struct arus_avro **out, struct arus_error *err)
{
    return arus_avro_parse_named(json, NULL, arena, out, err);
}
