/** Building the tree, the legacy forms of lists and maps, and Spark's mapping of types. */
#include "format/parquet_schema.h"

#include <stdio.h>

/* ---- the tree ---- */

/** Where building stands in the depth-first list. */
struct cursor {
    const struct arus_parquet_meta *meta;
    struct arus_arena *arena;
    uint32_t next; /* element */
    uint32_t leaf;
};

static enum arus_status bad_schema(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, NULL, "the schema in the footer is damaged");
}

static bool element_is_sound(const struct arus_parquet_element *element)
{
    if (element->physical < 0) {
        return element->child_count >= 0;
    }
    return element->physical <= ARUS_PARQUET_FIXED && element->child_count == 0 &&
           (element->physical != ARUS_PARQUET_FIXED || element->type_length > 0);
}

static enum arus_status build_node(struct cursor *cursor, const struct arus_parquet_node *parent,
                                   unsigned depth, struct arus_parquet_node *out,
                                   struct arus_error *err)
{
    const struct arus_parquet_element *element = &cursor->meta->elements[cursor->next++];
    const uint32_t left = cursor->meta->element_count - cursor->next;

    if (depth > ARUS_PARQUET_DEPTH_MAX || !element_is_sound(element) ||
        (uint32_t)element->child_count > left) {
        return bad_schema(err);
    }
    out->element = element;
    out->leaf = cursor->leaf;
    if (parent != NULL) { /* the root repeats nothing */
        out->definition = (uint8_t)(parent->definition + (element->repetition != 0));
        out->repetition =
            (uint8_t)(parent->repetition + (element->repetition == ARUS_PARQUET_REPEATED));
    }
    cursor->leaf += element->physical >= 0;
    out->child_count = (uint32_t)element->child_count;
    ARUS_TRY(
        ARUS_NEW(cursor->arena, struct arus_parquet_node, out->child_count, &out->children, err));
    for (uint32_t i = 0; i < out->child_count; i++) {
        if (cursor->next == cursor->meta->element_count) {
            return bad_schema(err);
        }
        ARUS_TRY(build_node(cursor, out, depth + 1, &out->children[i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_parquet_tree_build(const struct arus_parquet_meta *meta,
                                         struct arus_arena *arena, struct arus_parquet_node *out,
                                         struct arus_error *err)
{
    struct cursor cursor = {.meta = meta, .arena = arena};

    *out = (struct arus_parquet_node){0};
    ARUS_TRY(build_node(&cursor, NULL, 0, out, err));
    return cursor.next == meta->element_count ? ARUS_OK : bad_schema(err);
}

/* ---- lists and maps ---- */

static bool is_repeated(const struct arus_parquet_node *node)
{
    return node->element->repetition == ARUS_PARQUET_REPEATED;
}

/** The backward compatibility rules of the format, as Spark has them. */
static bool repeated_is_element(const struct arus_parquet_node *repeated, struct arus_text parent)
{
    const struct arus_text name = repeated->element->name;
    const struct arus_text tuple = ARUS_TEXT("_tuple");

    if (arus_parquet_node_is_leaf(repeated) || repeated->child_count != 1 ||
        arus_text_equal(name, ARUS_TEXT("array"))) {
        return true;
    }
    return name.size == parent.size + tuple.size && arus_text_starts_with(name, parent) &&
           arus_text_ends_with(name, tuple);
}

bool arus_parquet_node_list(const struct arus_parquet_node *node, struct arus_parquet_list *out)
{
    const struct arus_parquet_node *repeated = node->children;

    if (node->element->logical != ARUS_PARQUET_LOGICAL_LIST || node->child_count != 1 ||
        !is_repeated(repeated)) {
        return false;
    }
    out->repeated = repeated;
    out->element =
        repeated_is_element(repeated, node->element->name) ? repeated : &repeated->children[0];
    return true;
}

bool arus_parquet_node_map(const struct arus_parquet_node *node, struct arus_parquet_list *out)
{
    const uint8_t logical = node->element->logical;

    if ((logical != ARUS_PARQUET_LOGICAL_MAP && logical != ARUS_PARQUET_LOGICAL_MAP_KEY_VALUE) ||
        node->child_count != 1 || !is_repeated(node->children) ||
        node->children[0].child_count != 2) {
        return false;
    }
    out->repeated = node->children;
    out->element = node->children;
    return true;
}

/* ---- texts ---- */

static void annotation_text(const struct arus_parquet_element *element, char *out, size_t size)
{
    static const char *const NAMES[] = {
#define X(name, logical_id, converted_id, text) text,
        ARUS_PARQUET_LOGICALS(X)
#undef X
    };
    static const char *const UNITS[] = {"?", "MILLIS", "MICROS", "NANOS"};
    const char *unit = UNITS[element->unit < 4 ? element->unit : 0];

    if (element->logical == ARUS_PARQUET_LOGICAL_DECIMAL) {
        (void)snprintf(out, size, "DECIMAL(%d,%d)", element->precision, element->scale);
    } else if (element->logical == ARUS_PARQUET_LOGICAL_TIME ||
               element->logical == ARUS_PARQUET_LOGICAL_TIMESTAMP) {
        (void)snprintf(out, size, "%s(%s,%s)", NAMES[element->logical], unit,
                       element->is_utc ? "true" : "false");
    } else if (element->logical == ARUS_PARQUET_LOGICAL_INTEGER) {
        (void)snprintf(out, size, "INTEGER(%u,%s)", element->bit_width,
                       element->is_signed ? "true" : "false");
    } else {
        (void)snprintf(out, size, "%s", NAMES[element->logical]);
    }
}

void arus_parquet_element_text(const struct arus_parquet_element *element, char *out, size_t size)
{
    static const char *const NAMES[] = {"BOOLEAN", "INT32",  "INT64",  "INT96",
                                        "FLOAT",   "DOUBLE", "BINARY", "FIXED_LEN_BYTE_ARRAY"};
    const char *name = element->physical < 0 ? "group" : NAMES[element->physical];
    char annotation[64];

    annotation_text(element, annotation, sizeof annotation);
    if (annotation[0] == '\0') {
        (void)snprintf(out, size, "%s", name);
    } else {
        (void)snprintf(out, size, "%s (%s)", name, annotation);
    }
}

/* ---- Spark's types ---- */

static enum arus_status illegal(const struct arus_parquet_element *element, struct arus_error *err)
{
    char text[96];

    arus_parquet_element_text(element, text, sizeof text);
    return arus_fail(err, ARUS_BAD_DATA, "PARQUET_TYPE_ILLEGAL", "column %.*s: illegal type %s",
                     ARUS_TEXT_ARGS(element->name), text);
}

static enum arus_status decimal_type(const struct arus_parquet_element *element, int32_t most,
                                     struct arus_arena *arena, const struct arus_type **out,
                                     struct arus_error *err)
{
    if (element->precision < 1 || element->precision > most || element->scale < 0 ||
        element->scale > element->precision) {
        return illegal(element, err);
    }
    return arus_type_decimal((uint8_t)element->precision, (uint8_t)element->scale, arena, out, err);
}

static enum arus_status time_type(const struct arus_parquet_element *element,
                                  struct arus_error *err)
{
    if (element->unit == ARUS_PARQUET_MILLIS) {
        return illegal(element, err);
    }
    return arus_fail(err, ARUS_BAD_DATA, "UNSUPPORTED_TIME_TYPE",
                     "column %.*s: the data type TIME is not supported",
                     ARUS_TEXT_ARGS(element->name));
}

static enum arus_status int32_type(const struct arus_parquet_element *element,
                                   struct arus_arena *arena, const struct arus_type **out,
                                   struct arus_error *err)
{
    if (element->logical == ARUS_PARQUET_LOGICAL_DECIMAL) {
        return decimal_type(element, 9, arena, out, err);
    }
    if (element->logical == ARUS_PARQUET_LOGICAL_DATE) {
        *out = &ARUS_DATE;
    } else if (element->logical == ARUS_PARQUET_LOGICAL_INTEGER && element->bit_width == 8) {
        *out = element->is_signed ? &ARUS_TINYINT : &ARUS_SMALLINT;
    } else if (element->logical == ARUS_PARQUET_LOGICAL_INTEGER && element->bit_width == 16) {
        *out = element->is_signed ? &ARUS_SMALLINT : &ARUS_INT;
    } else if (element->logical == ARUS_PARQUET_LOGICAL_INTEGER && element->bit_width == 32) {
        *out = element->is_signed ? &ARUS_INT : &ARUS_BIGINT;
    } else if (element->logical == ARUS_PARQUET_LOGICAL_NONE ||
               element->logical == ARUS_PARQUET_LOGICAL_UNKNOWN) {
        *out = &ARUS_INT;
    } else {
        return element->logical == ARUS_PARQUET_LOGICAL_TIME ? time_type(element, err)
                                                             : illegal(element, err);
    }
    return ARUS_OK;
}

static enum arus_status int64_type(const struct arus_parquet_element *element,
                                   struct arus_arena *arena, const struct arus_type **out,
                                   struct arus_error *err)
{
    if (element->logical == ARUS_PARQUET_LOGICAL_DECIMAL) {
        return decimal_type(element, 18, arena, out, err);
    }
    if (element->logical == ARUS_PARQUET_LOGICAL_INTEGER && !element->is_signed) {
        return arus_type_decimal(20, 0, arena, out, err);
    }
    if (element->logical == ARUS_PARQUET_LOGICAL_TIMESTAMP && element->unit != ARUS_PARQUET_NANOS) {
        *out = element->is_utc ? &ARUS_TIMESTAMP : &ARUS_TIMESTAMP_NTZ;
    } else if (element->logical == ARUS_PARQUET_LOGICAL_NONE ||
               element->logical == ARUS_PARQUET_LOGICAL_UNKNOWN ||
               element->logical == ARUS_PARQUET_LOGICAL_INTEGER) {
        *out = &ARUS_BIGINT;
    } else {
        return element->logical == ARUS_PARQUET_LOGICAL_TIME ? time_type(element, err)
                                                             : illegal(element, err);
    }
    return ARUS_OK;
}

static enum arus_status bytes_type(const struct arus_parquet_element *element,
                                   struct arus_arena *arena, const struct arus_type **out,
                                   struct arus_error *err)
{
    const bool is_fixed = element->physical == ARUS_PARQUET_FIXED;

    if (element->logical == ARUS_PARQUET_LOGICAL_DECIMAL) {
        return decimal_type(element, 38, arena, out, err);
    }
    if (element->logical == ARUS_PARQUET_LOGICAL_NONE ||
        (!is_fixed && (element->logical == ARUS_PARQUET_LOGICAL_BSON ||
                       element->logical == ARUS_PARQUET_LOGICAL_UNKNOWN))) {
        *out = &ARUS_BINARY;
    } else if (!is_fixed && (element->logical == ARUS_PARQUET_LOGICAL_STRING ||
                             element->logical == ARUS_PARQUET_LOGICAL_ENUM ||
                             element->logical == ARUS_PARQUET_LOGICAL_JSON)) {
        *out = &ARUS_STRING;
    } else {
        return illegal(element, err);
    }
    return ARUS_OK;
}

static enum arus_status leaf_type(const struct arus_parquet_element *element,
                                  struct arus_arena *arena, const struct arus_type **out,
                                  struct arus_error *err)
{
    switch ((enum arus_parquet_physical)element->physical) {
    case ARUS_PARQUET_BOOLEAN:
        *out = element->logical == ARUS_PARQUET_LOGICAL_UNKNOWN ? &ARUS_VOID : &ARUS_BOOLEAN;
        return ARUS_OK;
    case ARUS_PARQUET_INT32:
        return int32_type(element, arena, out, err);
    case ARUS_PARQUET_INT64:
        return int64_type(element, arena, out, err);
    case ARUS_PARQUET_INT96:
        *out = &ARUS_TIMESTAMP;
        return ARUS_OK;
    case ARUS_PARQUET_FLOAT:
        *out = &ARUS_FLOAT;
        return ARUS_OK;
    case ARUS_PARQUET_DOUBLE:
        *out = &ARUS_DOUBLE;
        return ARUS_OK;
    case ARUS_PARQUET_BYTE_ARRAY:
    case ARUS_PARQUET_FIXED:
        return bytes_type(element, arena, out, err);
    }
    return illegal(element, err);
}

static enum arus_status field_type(const struct arus_parquet_node *node, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err);
static enum arus_status value_type(const struct arus_parquet_node *node, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err);

static enum arus_status struct_type(const struct arus_parquet_node *node, struct arus_arena *arena,
                                    const struct arus_type **out, struct arus_error *err)
{
    struct arus_field *fields;

    if (node->child_count > UINT16_MAX) {
        return arus_fail(err, ARUS_BAD_DATA, NULL, "more than %u columns", UINT16_MAX);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, node->child_count, &fields, err));
    for (uint32_t i = 0; i < node->child_count; i++) {
        ARUS_TRY(arus_text_copy(node->children[i].element->name, arena, &fields[i].name, err));
        ARUS_TRY(field_type(&node->children[i], arena, &fields[i].type, err));
        fields[i].is_nullable = true;
    }
    return arus_type_struct(fields, (uint16_t)node->child_count, arena, out, err);
}

static enum arus_status list_type(const struct arus_parquet_list *list, struct arus_arena *arena,
                                  const struct arus_type **out, struct arus_error *err)
{
    const struct arus_type *element;

    if (list->element == list->repeated) {
        ARUS_TRY(value_type(list->element, arena, &element, err));
    } else {
        ARUS_TRY(field_type(list->element, arena, &element, err));
    }
    return arus_type_array(element, true, arena, out, err);
}

static enum arus_status map_type(const struct arus_parquet_list *map, struct arus_arena *arena,
                                 const struct arus_type **out, struct arus_error *err)
{
    const struct arus_type *key;
    const struct arus_type *value;

    ARUS_TRY(field_type(&map->repeated->children[0], arena, &key, err));
    ARUS_TRY(field_type(&map->repeated->children[1], arena, &value, err));
    return arus_type_map(key, value, true, arena, out, err);
}

/** The type of one value of the node, its own repetition left aside. */
static enum arus_status value_type(const struct arus_parquet_node *node, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    const uint8_t logical = node->element->logical;
    struct arus_parquet_list list;

    if (arus_parquet_node_is_leaf(node)) {
        return leaf_type(node->element, arena, out, err);
    }
    if (arus_parquet_node_list(node, &list)) {
        return list_type(&list, arena, out, err);
    }
    if (arus_parquet_node_map(node, &list)) {
        return map_type(&list, arena, out, err);
    }
    if (logical == ARUS_PARQUET_LOGICAL_LIST || logical == ARUS_PARQUET_LOGICAL_MAP) {
        return illegal(node->element, err);
    }
    return struct_type(node, arena, out, err);
}

/** A repeated node outside of LIST and MAP is an array of its values. */
static enum arus_status field_type(const struct arus_parquet_node *node, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    const struct arus_type *element;

    if (!is_repeated(node)) {
        return value_type(node, arena, out, err);
    }
    ARUS_TRY(value_type(node, arena, &element, err));
    return arus_type_array(element, true, arena, out, err);
}

enum arus_status arus_parquet_spark_type(const struct arus_parquet_meta *meta,
                                         const struct arus_parquet_node *root,
                                         struct arus_arena *arena, const struct arus_type **out,
                                         struct arus_error *err)
{
    struct arus_error ignored;

    /* As in Spark, a text that cannot be read gives way to the file's own types. */
    if (meta->spark_schema.data != NULL &&
        arus_type_parse_json(meta->spark_schema, arena, out, &ignored) == ARUS_OK &&
        (*out)->id == ARUS_TYPE_STRUCT) {
        return ARUS_OK;
    }
    return struct_type(root, arena, out, err);
}
