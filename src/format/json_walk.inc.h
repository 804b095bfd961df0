/**
 * Template, behind json_fast.inc.h: objects whose names come in any order, and nested values
 * straight into builders. Takes only clean JSON without repeated names; all else is a surprise
 * (NULL, false).
 */

#ifndef ARUS_FORMAT_JSON_WALK_INC_H
#define ARUS_FORMAT_JSON_WALK_INC_H

#define FIELDS_WALKED_MAX 64 /* of a nested struct */

/* A line end is a blank only inside a record that is known to its end. */
static inline const char *skip_blanks(const struct json_fast *fast, const char *at)
{
    while (at < fast->end &&
           (*at == ' ' || *at == '\t' || (fast->is_record && (*at == '\n' || *at == '\r')))) {
        at++;
    }
    return at;
}

/* Behind a mark and the blanks on both sides of it. NULL: another character. */
static inline const char *skip_mark(const struct json_fast *fast, const char *at, char mark)
{
    if (UNLIKELY(*at != mark)) {
        at = skip_blanks(fast, at);
        if (*at != mark) {
            return NULL;
        }
    }
    at++;
    return (unsigned char)*at > ' ' ? at : skip_blanks(fast, at);
}

#endif

/* A name and its colon, from the opening quote on. */
FAST_TARGET static inline const char *FAST(name)(struct json_fast *fast, const char *at,
                                                 struct arus_text *name)
{
    const char *end;

    if (UNLIKELY(*at != '"')) {
        return NULL;
    }
    at++;
    end = FAST_STRING_END(at);
    if (LIKELY(*end == '"')) {
        *name = (struct arus_text){at, (size_t)(end - at)};
        end++;
    } else {
        end = json_name_rest(fast, at, end, name);
    }
    return end == NULL ? NULL : skip_mark(fast, end, ':');
}

/* A value that is not nested, of `type`, to values[row] of a builder; or skipped when `target` is
 * NULL. */
FAST_TARGET static inline const char *
FAST(any_value)(struct json_fast *fast, struct json_target *target, const char *at, uint32_t row)
{
    struct json_step step = {.target = target};

    step.op = json_choose_op(fast, target == NULL ? NULL : target->node->type, *at);
    if (target != NULL) {
        step.is_instant = target->node->type->id == ARUS_TYPE_TIMESTAMP;
    }
    if (step.op == JSON_OP_DECIMAL) {
        return json_any_decimal(&step, at, row);
    }
    return FAST(value)(fast, &step, at + (*at == '"' && step.op != JSON_OP_VALUE), row);
}

/* Behind a value: `*is_last` when the closing mark stood there. */
static inline const char *FAST(next_item)(const struct json_fast *fast, const char *at,
                                          char closing, bool *is_last)
{
    at = (unsigned char)*at > ' ' ? at : skip_blanks(fast, at);
    *is_last = *at == closing;
    if (*is_last) {
        return at + 1;
    }
    return skip_mark(fast, at, ',');
}

FAST_TARGET static inline const char *FAST(walk_null)(struct json_fast *fast,
                                                      struct arus_builder *builder, const char *at)
{
    struct arus_error err;

    if (at[1] != 'u' || at[2] != 'l' || at[3] != 'l') {
        return NULL;
    }
    if (arus_builder_null(builder, &err) != ARUS_OK) {
        fast->status = err.status;
        return NULL;
    }
    return at + 4;
}

/* A value that is not nested, by way of a builder of one row. */
FAST_TARGET static const char *FAST(walk_flat)(struct json_fast *fast, const struct json_node *node,
                                               struct arus_builder *builder, const char *at)
{
    struct json_cell cell;
    uint64_t validity = 1;
    struct arus_builder single = {
        .type = node->type, .values = &cell.as, .validity = &validity, .capacity = 1};
    struct json_target target = {
        .builder = &single, .node = node, .values = &cell.as, .validity = &validity};
    struct arus_error err;

    at = FAST(any_value)(fast, &target, at, 0);
    if (at == NULL) {
        return NULL;
    }
    if ((validity == 1 ? arus_builder_value(builder, &cell.as, &err)
                       : arus_builder_null(builder, &err)) != ARUS_OK) {
        fast->status = err.status;
        return NULL;
    }
    return at;
}

FAST_TARGET static const char *FAST(walk_array)(struct json_fast *fast,
                                                const struct json_node *node,
                                                struct arus_builder *builder, const char *at)
{
    struct arus_error err;
    uint32_t count = 0;
    bool is_last = false;

    at = skip_mark(fast, at, '[');
    if (*at == ']') {
        is_last = true;
        at++;
    }
    while (!is_last) {
        at = FAST(walk)(fast, &node->children[0], &builder->children[0], at);
        if (at == NULL) {
            return NULL;
        }
        count++;
        at = FAST(next_item)(fast, at, ']', &is_last);
        if (at == NULL) {
            return NULL;
        }
    }
    if (arus_builder_span(builder, count, &err) != ARUS_OK) {
        fast->status = err.status;
        return NULL;
    }
    return at;
}

FAST_TARGET static const char *FAST(walk_map)(struct json_fast *fast, const struct json_node *node,
                                              struct arus_builder *builder, const char *at)
{
    struct arus_error err;
    uint32_t count = 0;
    bool is_last = false;

    at = skip_mark(fast, at, '{');
    if (*at == '}') {
        is_last = true;
        at++;
    }
    while (!is_last) {
        struct arus_text name;
        struct arus_view key;

        at = FAST(name)(fast, at, &name);
        if (at == NULL) {
            return NULL;
        }
        key = arus_view_of(name.data, name.size);
        if (arus_builder_value(&builder->children[0], &key, &err) != ARUS_OK) {
            fast->status = err.status;
            return NULL;
        }
        at = FAST(walk)(fast, &node->children[1], &builder->children[1], at);
        count++;
        at = at == NULL ? NULL : FAST(next_item)(fast, at, '}', &is_last);
        if (at == NULL) {
            return NULL;
        }
    }
    if (arus_builder_span(builder, count, &err) != ARUS_OK) {
        fast->status = err.status;
        return NULL;
    }
    return at;
}

/* Nulls for the fields that did not come, then the struct itself. */
static bool FAST(finish_struct)(struct json_fast *fast, struct arus_builder *builder, uint64_t seen)
{
    struct arus_error err;
    enum arus_status status = ARUS_OK;

    for (uint16_t i = 0; i < builder->type->field_count && status == ARUS_OK; i++) {
        if ((seen >> i & 1) == 0) {
            status = arus_builder_null(&builder->children[i], &err);
        }
    }
    if (status == ARUS_OK) {
        status = arus_builder_struct(builder, &err);
    }
    fast->status = status;
    return status == ARUS_OK;
}

FAST_TARGET static const char *FAST(walk_struct)(struct json_fast *fast,
                                                 const struct json_node *node,
                                                 struct arus_builder *builder, const char *at)
{
    uint64_t seen = 0;
    bool is_last = false;

    at = skip_mark(fast, at, '{');
    if (*at == '}') {
        is_last = true;
        at++;
    }
    while (!is_last) {
        struct arus_text name;
        int32_t child;

        at = FAST(name)(fast, at, &name);
        if (at == NULL) {
            return NULL;
        }
        child = json_node_find(node, name);
        if (child < 0) {
            at = FAST(any_value)(fast, NULL, at, 0);
        } else if ((seen >> child & 1) != 0) {
            return NULL;
        } else {
            seen |= (uint64_t)1 << child;
            at = FAST(walk)(fast, &node->children[child], &builder->children[child], at);
        }
        at = at == NULL ? NULL : FAST(next_item)(fast, at, '}', &is_last);
        if (at == NULL) {
            return NULL;
        }
    }
    return FAST(finish_struct)(fast, builder, seen) ? at : NULL;
}

/* Appends one value of any type to a builder. */
FAST_TARGET static const char *FAST(walk)(struct json_fast *fast, const struct json_node *node,
                                          struct arus_builder *builder, const char *at)
{
    const enum arus_type_id id = node->type->id;

    if (*at == 'n') {
        return FAST(walk_null)(fast, builder, at);
    }
    if (!arus_type_is_nested(node->type)) {
        return FAST(walk_flat)(fast, node, builder, at);
    }
    if (id == ARUS_TYPE_STRUCT) {
        return *at == '{' && node->child_count <= FIELDS_WALKED_MAX
                   ? FAST(walk_struct)(fast, node, builder, at)
                   : NULL;
    }
    if (id == ARUS_TYPE_MAP) {
        return *at == '{' ? FAST(walk_map)(fast, node, builder, at) : NULL;
    }
    return *at == '[' ? FAST(walk_array)(fast, node, builder, at) : NULL;
}

/* A field of the record. */
FAST_TARGET static inline const char *FAST(field)(struct json_fast *fast, const char *at,
                                                  uint32_t row)
{
    struct arus_text name;
    struct json_target *target;
    int32_t child;

    at = FAST(name)(fast, at, &name);
    if (at == NULL) {
        return NULL;
    }
    child = json_node_find(fast->root, name);
    if (child < 0) {
        return FAST(any_value)(fast, NULL, at, 0);
    }
    if ((fast->seen[child / 64] >> (child % 64) & 1) != 0) {
        return NULL;
    }
    fast->seen[child / 64] |= (uint64_t)1 << (child % 64);
    target = &fast->targets[child];
    if (target->is_nested) {
        return FAST(walk)(fast, target->node, target->builder, at);
    }
    if (*at == 'n') {
        json_set_null(fast, target, row);
        return memcmp(at, "null", 4) == 0 ? at + 4 : NULL;
    }
    return FAST(any_value)(fast, target, at, row);
}

FAST_TARGET static inline bool FAST(fields)(struct json_fast *fast, const char **at, uint32_t row)
{
    const char *next = *at;
    bool is_last = false;

    if (*next != '{') {
        return false;
    }
    next = skip_mark(fast, next, '{');
    if (*next == '}') {
        is_last = true;
        next++;
    }
    while (!is_last) {
        next = FAST(field)(fast, next, row);
        next = next == NULL ? NULL : FAST(next_item)(fast, next, '}', &is_last);
        if (next == NULL) {
            return false;
        }
    }
    *at = next;
    return true;
}

FAST_TARGET bool FAST(json_any_row)(struct json_fast *fast, const char **at, uint32_t row)
{
    const uint32_t words = (fast->target_count + 63) / 64;
    const char *next = *at;

    memset(fast->seen, 0, words * sizeof *fast->seen);
    if (FAST(fields)(fast, &next, row) && next <= fast->end) {
        next = FAST(line_end)(fast, next);
        for (uint32_t i = 0; next != NULL && i < fast->target_count; i++) {
            if ((fast->seen[i / 64] >> (i % 64) & 1) == 0) {
                json_set_null(fast, &fast->targets[i], row);
            }
        }
        if (next != NULL && fast->status == ARUS_OK) {
            *at = next;
            return true;
        }
    }
    json_undo_row(fast, row);
    return false;
}
