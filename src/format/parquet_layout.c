/** The elements and levels of a schema, as Spark writes them; every column is OPTIONAL. */
#include "format/parquet_shred.h"

static uint32_t count_elements(const struct arus_type *type)
{
    uint32_t count = 1;

    for (uint16_t i = 0; i < type->field_count; i++) {
        count += count_elements(type->fields[i].type);
    }
    return count + (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP);
}

enum arus_parquet_order arus_parquet_order_of(const struct arus_type *type, uint8_t *width)
{
    /* The fewest bytes that hold so many digits, from 19 on. */
    static const uint8_t WIDTHS[] = {9,  9,  9,  10, 10, 11, 11, 11, 12, 12,
                                     13, 13, 13, 14, 14, 15, 15, 16, 16, 16};

    *width = 0;
    switch (type->id) {
    case ARUS_TYPE_BOOLEAN:
        return ARUS_PARQUET_ORDER_BOOLEAN;
    case ARUS_TYPE_TINYINT:
    case ARUS_TYPE_SMALLINT:
    case ARUS_TYPE_INT:
    case ARUS_TYPE_DATE:
    case ARUS_TYPE_INTERVAL_YM:
        *width = 4;
        return ARUS_PARQUET_ORDER_INT32;
    case ARUS_TYPE_BIGINT:
    case ARUS_TYPE_TIMESTAMP:
    case ARUS_TYPE_TIMESTAMP_NTZ:
    case ARUS_TYPE_INTERVAL_DT:
        *width = 8;
        return ARUS_PARQUET_ORDER_INT64;
    case ARUS_TYPE_FLOAT:
        *width = 4;
        return ARUS_PARQUET_ORDER_FLOAT;
    case ARUS_TYPE_DOUBLE:
        *width = 8;
        return ARUS_PARQUET_ORDER_DOUBLE;
    case ARUS_TYPE_DECIMAL:
        *width = type->precision <= 9    ? 4
                 : type->precision <= 18 ? 8
                                         : WIDTHS[type->precision - 19];
        return type->precision <= 9    ? ARUS_PARQUET_ORDER_INT32
               : type->precision <= 18 ? ARUS_PARQUET_ORDER_INT64
                                       : ARUS_PARQUET_ORDER_WIDE;
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_BINARY:
        return ARUS_PARQUET_ORDER_BYTES;
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        return ARUS_PARQUET_ORDER_NONE;
    }
    return ARUS_PARQUET_ORDER_NONE;
}

static int8_t physical_of(enum arus_parquet_order order)
{
    switch (order) {
    case ARUS_PARQUET_ORDER_NONE: /* VOID: always null */
    case ARUS_PARQUET_ORDER_BOOLEAN:
        return ARUS_PARQUET_BOOLEAN;
    case ARUS_PARQUET_ORDER_INT32:
        return ARUS_PARQUET_INT32;
    case ARUS_PARQUET_ORDER_INT64:
        return ARUS_PARQUET_INT64;
    case ARUS_PARQUET_ORDER_FLOAT:
        return ARUS_PARQUET_FLOAT;
    case ARUS_PARQUET_ORDER_DOUBLE:
        return ARUS_PARQUET_DOUBLE;
    case ARUS_PARQUET_ORDER_WIDE:
        return ARUS_PARQUET_FIXED;
    case ARUS_PARQUET_ORDER_BYTES:
        return ARUS_PARQUET_BYTE_ARRAY;
    }
    return ARUS_PARQUET_BOOLEAN;
}

static void annotate_leaf(const struct arus_type *type, struct arus_parquet_element *out)
{
    if (type->id == ARUS_TYPE_VOID) {
        out->logical = ARUS_PARQUET_LOGICAL_UNKNOWN;
    } else if (type->id == ARUS_TYPE_TINYINT || type->id == ARUS_TYPE_SMALLINT) {
        out->logical = ARUS_PARQUET_LOGICAL_INTEGER;
        out->bit_width = type->id == ARUS_TYPE_TINYINT ? 8 : 16;
        out->is_signed = true;
    } else if (type->id == ARUS_TYPE_STRING) {
        out->logical = ARUS_PARQUET_LOGICAL_STRING;
    } else if (type->id == ARUS_TYPE_DATE) {
        out->logical = ARUS_PARQUET_LOGICAL_DATE;
    } else if (type->id == ARUS_TYPE_TIMESTAMP || type->id == ARUS_TYPE_TIMESTAMP_NTZ) {
        out->logical = ARUS_PARQUET_LOGICAL_TIMESTAMP;
        out->unit = ARUS_PARQUET_MICROS;
        out->is_utc = type->id == ARUS_TYPE_TIMESTAMP;
    } else if (type->id == ARUS_TYPE_DECIMAL) {
        out->logical = ARUS_PARQUET_LOGICAL_DECIMAL;
        out->precision = type->precision;
        out->scale = type->scale;
    }
}

static struct arus_parquet_element *add_element(struct arus_parquet_layout *layout,
                                                struct arus_text name,
                                                enum arus_parquet_repetition repetition)
{
    struct arus_parquet_element *element = &layout->elements[layout->element_count++];

    *element = (struct arus_parquet_element){
        .name = name, .physical = -1, .repetition = (uint8_t)repetition};
    return element;
}

static enum arus_status lay_field(struct arus_parquet_layout *layout, struct arus_text name,
                                  const struct arus_type *type, struct arus_parquet_branch *out,
                                  struct arus_error *err);

static void lay_leaf(struct arus_parquet_layout *layout, struct arus_parquet_element *element,
                     struct arus_parquet_branch *out)
{
    uint8_t width;

    element->physical = physical_of(arus_parquet_order_of(out->type, &width));
    element->type_length = element->physical == ARUS_PARQUET_FIXED ? width : 0;
    annotate_leaf(out->type, element);
    out->sink = layout->leaf_count++;
}

/** The children of a group, below its repeated group if it is a list. */
static enum arus_status lay_children(struct arus_parquet_layout *layout,
                                     struct arus_parquet_branch *out, struct arus_error *err)
{
    const struct arus_type *type = out->type;
    const bool repeats = type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP;

    if (repeats) {
        ARUS_TRY(ARUS_NEW(layout->arena, struct arus_parquet_branch, 1, &out->inner, err));
        out->inner->definition = (uint8_t)(out->definition + 1);
        out->inner->repetition = (uint8_t)(out->repetition + 1);
    }
    for (uint16_t i = 0; i < type->field_count; i++) {
        struct arus_parquet_branch *child = &out->children[i];
        struct arus_text name = type->fields[i].name;

        child->definition = (uint8_t)(out->definition + repeats);
        child->repetition = (uint8_t)(out->repetition + repeats);
        child->is_required = type->id == ARUS_TYPE_MAP && i == 0;
        if (type->id == ARUS_TYPE_ARRAY) {
            name = ARUS_TEXT("element");
        } else if (type->id == ARUS_TYPE_MAP) {
            name = i == 0 ? ARUS_TEXT("key") : ARUS_TEXT("value");
        }
        ARUS_TRY(lay_field(layout, name, type->fields[i].type, child, err));
    }
    return ARUS_OK;
}

/** `out` comes with its parent's levels. */
static enum arus_status lay_field(struct arus_parquet_layout *layout, struct arus_text name,
                                  const struct arus_type *type, struct arus_parquet_branch *out,
                                  struct arus_error *err)
{
    struct arus_parquet_element *element =
        add_element(layout, name, out->is_required ? ARUS_PARQUET_REQUIRED : ARUS_PARQUET_OPTIONAL);

    out->type = type;
    out->element = element;
    out->definition = (uint8_t)(out->definition + !out->is_required);
    if (!arus_type_is_nested(type)) {
        lay_leaf(layout, element, out);
        return ARUS_OK;
    }
    if (type->field_count == 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         "column %.*s: Parquet has no struct without fields", ARUS_TEXT_ARGS(name));
    }
    if (out->definition > ARUS_PARQUET_LEVEL_MAX) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "column %.*s: nested too deeply",
                         ARUS_TEXT_ARGS(name));
    }
    ARUS_TRY(ARUS_NEW(layout->arena, struct arus_parquet_branch, type->field_count, &out->children,
                      err));
    element->child_count = type->id == ARUS_TYPE_STRUCT ? type->field_count : 1;
    if (type->id == ARUS_TYPE_ARRAY) {
        element->logical = ARUS_PARQUET_LOGICAL_LIST;
        add_element(layout, ARUS_TEXT("list"), ARUS_PARQUET_REPEATED)->child_count = 1;
    } else if (type->id == ARUS_TYPE_MAP) {
        element->logical = ARUS_PARQUET_LOGICAL_MAP;
        add_element(layout, ARUS_TEXT("key_value"), ARUS_PARQUET_REPEATED)->child_count = 2;
    }
    return lay_children(layout, out, err);
}

enum arus_status arus_parquet_layout_build(const struct arus_type *schema, struct arus_arena *arena,
                                           struct arus_parquet_layout *out, struct arus_error *err)
{
    *out = (struct arus_parquet_layout){.arena = arena};
    ARUS_TRY(
        ARUS_NEW(arena, struct arus_parquet_element, count_elements(schema), &out->elements, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_parquet_branch, 1, &out->root, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_parquet_branch, schema->field_count, &out->root->children,
                      err));
    out->root->type = schema;
    out->root->element = add_element(out, ARUS_TEXT("spark_schema"), ARUS_PARQUET_REQUIRED);
    out->elements[0].child_count = schema->field_count;
    return lay_children(out, out->root, err);
}
