/** Lays the wanted schema over the file's. */
#include "base/alloc.h"
#include "format/parquet_assemble.h"

void arus_parquet_columns_release(struct arus_parquet_columns *columns)
{
    for (uint32_t i = 0; i < columns->made_count; i++) {
        arus_parquet_column_release(columns->items[i]);
        arus_free(columns->items[i]);
    }
    arus_free(columns->items);
    *columns = (struct arus_parquet_columns){0};
}

static enum arus_status make_column(struct arus_parquet_columns *columns, struct arus_error *err)
{
    struct arus_parquet_column *column;

    if (columns->made_count == columns->capacity) {
        const uint32_t capacity = columns->capacity == 0 ? 16 : columns->capacity * 2;
        void *items = arus_realloc(columns->items, capacity * sizeof(void *));

        if (items == NULL) {
            return arus_fail_memory(err);
        }
        columns->items = items;
        columns->capacity = capacity;
    }
    column = arus_alloc(1, sizeof *column);
    if (column == NULL) {
        return arus_fail_memory(err);
    }
    columns->items[columns->made_count++] = column;
    return ARUS_OK;
}

static enum arus_status add_column(struct arus_parquet_columns *columns,
                                   const struct arus_parquet_node *node, uint32_t *index,
                                   struct arus_error *err)
{
    if (columns->count == columns->made_count) {
        ARUS_TRY(make_column(columns, err));
    }
    *index = columns->count++;
    arus_parquet_column_rebind(columns->items[*index], node);
    return ARUS_OK;
}

enum arus_status arus_parquet_child_find(const struct arus_parquet_node *node,
                                         struct arus_text name,
                                         const struct arus_parquet_node **out,
                                         struct arus_error *err)
{
    *out = NULL;
    for (uint32_t i = 0; i < node->child_count; i++) {
        const struct arus_parquet_node *child = &node->children[i];

        if (!arus_text_equal_nocase(child->element->name, name)) {
            continue;
        }
        if (*out != NULL) {
            return arus_fail(
                err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT",
                "found duplicate fields \"%.*s\" and \"%.*s\" in case-insensitive mode",
                ARUS_TEXT_ARGS((*out)->element->name), ARUS_TEXT_ARGS(child->element->name));
        }
        *out = child;
    }
    return ARUS_OK;
}

static enum arus_status mismatch(const struct arus_parquet_node *node, const struct arus_type *type,
                                 struct arus_error *err)
{
    const bool is_leaf = arus_parquet_node_is_leaf(node) && type->id != ARUS_TYPE_STRUCT;
    struct arus_buffer wanted = {0};
    char found[96];
    enum arus_status status;

    arus_parquet_element_text(node->element, found, sizeof found);
    status = arus_type_simple(type, &wanted, err);
    if (status == ARUS_OK) {
        status =
            arus_fail(err, ARUS_BAD_DATA,
                      is_leaf ? "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"
                              : "FAILED_READ_FILE.NO_HINT",
                      "column %.*s: expected type %.*s, but the file has %s",
                      ARUS_TEXT_ARGS(node->element->name), (int)wanted.size, wanted.data, found);
    }
    arus_buffer_release(&wanted);
    return status;
}

/** The place that a value is looked for in. */
struct place {
    const struct arus_parquet_node *node;
    uint8_t slot_definition;
    uint8_t slot_repetition;
};

/** What all the steps down share. */
struct planner {
    struct arus_arena *arena;
    struct arus_parquet_columns *columns;
};

static enum arus_status plan_field(struct planner *planner, struct place place,
                                   const struct arus_type *type, struct arus_parquet_want *out,
                                   struct arus_error *err);
static enum arus_status plan_value(struct planner *planner, struct place place,
                                   const struct arus_type *type, struct arus_parquet_want *out,
                                   struct arus_error *err);

/** Where a leaf's levels tell which structs are there, at the least cost. */
static const struct arus_parquet_node *cheapest_leaf(const struct arus_parquet_node *node)
{
    const struct arus_parquet_node *best = NULL;

    if (arus_parquet_node_is_leaf(node)) {
        return node;
    }
    for (uint32_t i = 0; i < node->child_count; i++) {
        const struct arus_parquet_node *leaf = cheapest_leaf(&node->children[i]);

        if (leaf != NULL && (best == NULL || leaf->repetition < best->repetition ||
                             (leaf->repetition == best->repetition &&
                              leaf->element->physical < best->element->physical))) {
            best = leaf;
        }
    }
    return best;
}

static enum arus_status plan_struct(struct planner *planner, struct place place,
                                    const struct arus_type *type, struct arus_parquet_want *out,
                                    struct arus_error *err)
{
    const struct arus_parquet_node *leaf;
    bool has_column = false;

    out->shape = ARUS_PARQUET_STRUCT;
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct arus_parquet_node *child;

        ARUS_TRY(arus_parquet_child_find(place.node, type->fields[i].name, &child, err));
        if (child == NULL) {
            out->children[i].shape = ARUS_PARQUET_MISSING;
            out->children[i].type = type->fields[i].type;
            continue;
        }
        ARUS_TRY(plan_field(planner,
                            (struct place){child, place.slot_definition, place.slot_repetition},
                            type->fields[i].type, &out->children[i], err));
        if (!has_column && out->children[i].shape != ARUS_PARQUET_MISSING) {
            out->column = out->children[i].column;
            has_column = true;
        }
    }
    if (has_column) {
        return ARUS_OK;
    }
    leaf = cheapest_leaf(place.node);
    if (leaf == NULL) { /* a group without fields says nothing */
        out->shape = ARUS_PARQUET_MISSING;
        return ARUS_OK;
    }
    ARUS_TRY(add_column(planner->columns, leaf, &out->column, err));
    planner->columns->items[out->column]->is_levels_only = true;
    return ARUS_OK;
}

/** The place of an element: what repeats in it is its own matter. */
static struct place element_place(const struct arus_parquet_node *repeated,
                                  const struct arus_parquet_node *element)
{
    return (struct place){element, repeated->definition, repeated->repetition};
}

static enum arus_status plan_list(struct planner *planner, const struct arus_parquet_list *list,
                                  const struct arus_type *type, struct arus_parquet_want *out,
                                  struct arus_error *err)
{
    const struct place place = element_place(list->repeated, list->element);

    out->shape = ARUS_PARQUET_LIST;
    out->element_definition = list->repeated->definition;
    out->element_repetition = list->repeated->repetition;
    if (list->element == list->repeated) {
        ARUS_TRY(plan_value(planner, place, type->fields[0].type, &out->children[0], err));
    } else {
        ARUS_TRY(plan_field(planner, place, type->fields[0].type, &out->children[0], err));
    }
    if (out->children[0].shape == ARUS_PARQUET_MISSING) {
        out->shape = ARUS_PARQUET_MISSING;
    }
    out->column = out->children[0].column;
    return ARUS_OK;
}

static enum arus_status plan_map(struct planner *planner, const struct arus_parquet_list *map,
                                 const struct arus_type *type, struct arus_parquet_want *out,
                                 struct arus_error *err)
{
    out->shape = ARUS_PARQUET_LIST;
    out->element_definition = map->repeated->definition;
    out->element_repetition = map->repeated->repetition;
    for (uint16_t i = 0; i < 2; i++) {
        ARUS_TRY(plan_field(planner, element_place(map->repeated, &map->repeated->children[i]),
                            type->fields[i].type, &out->children[i], err));
    }
    out->column = out->children[0].column;
    return ARUS_OK;
}

static enum arus_status plan_leaf(struct planner *planner, struct place place,
                                  const struct arus_type *type, struct arus_parquet_want *out,
                                  struct arus_error *err)
{
    struct arus_parquet_conversion conversion;

    out->shape = ARUS_PARQUET_LEAF;
    if (!arus_parquet_conversion_find(place.node->element, type, &conversion)) {
        return mismatch(place.node, type, err);
    }
    ARUS_TRY(add_column(planner->columns, place.node, &out->column, err));
    planner->columns->items[out->column]->conversion = conversion;
    return ARUS_OK;
}

/** A group that is neither a list nor a map. */
static bool is_struct(const struct arus_parquet_node *node)
{
    struct arus_parquet_list list;

    return !arus_parquet_node_is_leaf(node) && !arus_parquet_node_list(node, &list) &&
           !arus_parquet_node_map(node, &list);
}

/** One value of the node, its own repetition left aside. */
static enum arus_status plan_value(struct planner *planner, struct place place,
                                   const struct arus_type *type, struct arus_parquet_want *out,
                                   struct arus_error *err)
{
    struct arus_parquet_list list;

    *out = (struct arus_parquet_want){.type = type,
                                      .slot_definition = place.slot_definition,
                                      .slot_repetition = place.slot_repetition,
                                      .definition = place.node->definition};
    ARUS_TRY(
        ARUS_NEW(planner->arena, struct arus_parquet_want, type->field_count, &out->children, err));
    if (!arus_type_is_nested(type) && arus_parquet_node_is_leaf(place.node)) {
        return plan_leaf(planner, place, type, out, err);
    }
    if (type->id == ARUS_TYPE_STRUCT && is_struct(place.node)) {
        return plan_struct(planner, place, type, out, err);
    }
    if (type->id == ARUS_TYPE_ARRAY && arus_parquet_node_list(place.node, &list)) {
        return plan_list(planner, &list, type, out, err);
    }
    if (type->id == ARUS_TYPE_MAP && arus_parquet_node_map(place.node, &list)) {
        return plan_map(planner, &list, type, out, err);
    }
    return mismatch(place.node, type, err);
}

/** A repeated node outside of LIST and MAP is a list that is never null. */
static enum arus_status plan_field(struct planner *planner, struct place place,
                                   const struct arus_type *type, struct arus_parquet_want *out,
                                   struct arus_error *err)
{
    const struct arus_parquet_list list = {place.node, place.node};

    if (place.node->element->repetition != ARUS_PARQUET_REPEATED) {
        return plan_value(planner, place, type, out, err);
    }
    if (type->id != ARUS_TYPE_ARRAY) {
        return mismatch(place.node, type, err);
    }
    *out = (struct arus_parquet_want){.type = type,
                                      .slot_definition = place.slot_definition,
                                      .slot_repetition = place.slot_repetition,
                                      .definition = place.slot_definition};
    ARUS_TRY(ARUS_NEW(planner->arena, struct arus_parquet_want, 1, &out->children, err));
    return plan_list(planner, &list, type, out, err);
}

/* Texts of a column may stay in their dictionary: work on them is done once a value. Children of
 * other vectors are flat. */
static void allow_places(const struct planner *planner, const struct arus_parquet_want *want)
{
    if (want->shape == ARUS_PARQUET_LEAF &&
        (want->type->id == ARUS_TYPE_STRING || want->type->id == ARUS_TYPE_BINARY)) {
        struct arus_parquet_column *column = planner->columns->items[want->column];

        column->may_index = column->node->repetition == 0;
    }
}

enum arus_status arus_parquet_want_build(const struct arus_parquet_node *root,
                                         const struct arus_type *type, struct arus_arena *arena,
                                         struct arus_parquet_columns *columns,
                                         struct arus_parquet_want *out, struct arus_error *err)
{
    struct planner planner = {arena, columns};

    *out = (struct arus_parquet_want){.shape = ARUS_PARQUET_STRUCT, .type = type};
    ARUS_TRY(ARUS_NEW(arena, struct arus_parquet_want, type->field_count, &out->children, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct arus_parquet_node *child;

        ARUS_TRY(arus_parquet_child_find(root, type->fields[i].name, &child, err));
        if (child == NULL) {
            out->children[i].shape = ARUS_PARQUET_MISSING;
            out->children[i].type = type->fields[i].type;
        } else {
            ARUS_TRY(plan_field(&planner, (struct place){child, 0, 0}, type->fields[i].type,
                                &out->children[i], err));
            allow_places(&planner, &out->children[i]);
        }
    }
    return ARUS_OK;
}
