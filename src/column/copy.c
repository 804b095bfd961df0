/** Deep copies: concatenating the rows of several vectors into one FLAT vector of its own memory.
 */
#include "column/rows.h"

/* The rows of one column that follow one another in the result. */
struct pieces {
    const struct arus_rows *items;
    size_t count;
    uint32_t row_count; /* of all items */
};

static enum arus_status concat(struct pieces pieces, const struct arus_type *type,
                               struct arus_arena *arena, struct arus_vector *out,
                               struct arus_error *err);

static enum arus_status concat_validity(struct pieces pieces, struct arus_arena *arena,
                                        struct arus_vector *out, struct arus_error *err)
{
    bool may_have_nulls = false;
    uint32_t at = 0;

    for (size_t i = 0; i < pieces.count; i++) {
        may_have_nulls |= arus_rows_may_have_nulls(pieces.items[i]);
    }
    if (!may_have_nulls) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_need_validity(out, arena, err));
    for (size_t i = 0; i < pieces.count; i++) {
        arus_rows_validity(pieces.items[i], out->validity, at);
        at += pieces.items[i].count;
    }
    return ARUS_OK;
}

/* Copies the bytes behind the views and turns the views to the copy. */
static enum arus_status own_bytes(struct arus_view *views, uint32_t count, struct arus_arena *arena,
                                  struct arus_error *err)
{
    size_t total = 0;
    void *memory;
    char *to;

    for (uint32_t i = 0; i < count; i++) {
        total += views[i].size;
    }
    ARUS_TRY(arus_arena_buffer(arena, total, &memory, err));
    to = memory;
    for (uint32_t i = 0; i < count; i++) {
        if (views[i].size != 0) {
            memcpy(to, views[i].data, views[i].size);
        }
        views[i].data = to;
        to += views[i].size;
    }
    return ARUS_OK;
}

/* A constant or a small dictionary: its strings are copied once, not once per row. */
static enum arus_status copy_views(struct arus_rows rows, struct arus_view *out,
                                   struct arus_arena *arena, struct arus_error *err)
{
    const uint32_t distinct = rows.is_constant ? 1 : rows.data->row_count;
    void *memory;

    if (!rows.is_constant && (rows.indices == NULL || distinct > rows.count / 2)) {
        arus_rows_values(rows, rows.data->values, sizeof *out, out);
        return own_bytes(out, rows.count, arena, err);
    }
    ARUS_TRY(arus_arena_buffer(arena, distinct * sizeof *out, &memory, err));
    memcpy(memory, rows.data->values, distinct * sizeof *out);
    ARUS_TRY(own_bytes(memory, distinct, arena, err));
    arus_rows_values(rows, memory, sizeof *out, out);
    return ARUS_OK;
}

static enum arus_status copy_values(struct arus_rows rows, void *out, struct arus_arena *arena,
                                    struct arus_error *err)
{
    const struct arus_type *type = rows.data->type;

    if (arus_type_is_view(type)) {
        return copy_views(rows, out, arena, err);
    }
    arus_rows_values(rows, rows.data->values, arus_type_value_size(type), out);
    return ARUS_OK;
}

static enum arus_status concat_values(struct pieces pieces, struct arus_arena *arena,
                                      struct arus_vector *out, struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(out->type);
    unsigned char *to = out->values;

    for (size_t i = 0; i < pieces.count; i++) {
        const struct arus_rows rows = pieces.items[i];

        if (rows.count == 0) {
            continue;
        }
        ARUS_TRY(copy_values(rows, to, arena, err));
        to += (size_t)rows.count * size;
    }
    return ARUS_OK;
}

/* ---- arrays and maps ---- */

/* One piece of spans: which child rows it needs, in order; its spans are written to `spans`. */
static uint32_t place_spans(struct arus_rows rows, struct arus_span *spans, uint32_t begin)
{
    const struct arus_span *from = rows.data->values;
    const uint64_t *bits = rows.data->validity;
    uint32_t end = begin;

    if (rows.is_constant) {
        const uint32_t count = arus_bit_get(bits, 0) ? from[0].count : 0;

        for (uint32_t i = 0; i < rows.count; i++) {
            spans[i] = (struct arus_span){begin, count};
        }
        return begin + count;
    }
    for (uint32_t i = 0; i < rows.count; i++) {
        const uint32_t row = rows.indices == NULL ? i : rows.indices[i];

        spans[i] = (struct arus_span){end, arus_bit_get(bits, row) ? from[row].count : 0};
        end += spans[i].count;
    }
    return end;
}

/* Child row numbers of the spans just placed. */
static void list_elements(struct arus_rows rows, const struct arus_span *placed, uint32_t *out)
{
    const struct arus_span *from = rows.data->values;
    const uint32_t count = rows.is_constant ? 1 : rows.count;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = rows.is_constant || rows.indices == NULL ? i : rows.indices[i];

        for (uint32_t j = 0; j < placed[i].count; j++) {
            *out++ = from[row].begin + j;
        }
    }
}

static enum arus_status concat_elements(struct pieces pieces, const uint32_t *elements,
                                        const uint32_t *counts, uint16_t field,
                                        struct arus_arena *arena, struct arus_vector *out,
                                        struct arus_error *err)
{
    const struct arus_type *type = out->type->fields[field].type;
    struct pieces inner = {.count = pieces.count};
    struct arus_rows *items;

    ARUS_TRY(ARUS_NEW(arena, struct arus_rows, pieces.count, &items, err));
    for (size_t i = 0; i < pieces.count; i++) {
        const struct arus_rows by = {
            .data = pieces.items[i].data, .indices = elements, .count = counts[i]};

        if (counts[i] == 0) {
            items[i] = arus_rows_of(&by.data->children[field]);
            items[i].count = 0;
            continue;
        }
        ARUS_TRY(arus_rows_child(by, field, arena, &items[i], err));
        elements += counts[i];
        inner.row_count += counts[i];
    }
    inner.items = items;
    return concat(inner, type, arena, &out->children[field], err);
}

static enum arus_status concat_spans(struct pieces pieces, struct arus_arena *arena,
                                     struct arus_vector *out, struct arus_error *err)
{
    struct arus_span *spans = out->values;
    uint32_t *counts;
    uint32_t end = 0;
    void *memory;

    ARUS_TRY(ARUS_NEW(arena, uint32_t, pieces.count, &counts, err));
    for (size_t i = 0; i < pieces.count; i++) {
        const uint32_t begin = end;

        end = pieces.items[i].count == 0 ? begin : place_spans(pieces.items[i], spans, begin);
        counts[i] = end - begin;
        spans += pieces.items[i].count;
    }
    ARUS_TRY(arus_arena_buffer(arena, (size_t)end * sizeof(uint32_t), &memory, err));
    spans = out->values;
    end = 0;
    for (size_t i = 0; i < pieces.count; i++) {
        if (counts[i] != 0) {
            list_elements(pieces.items[i], spans, (uint32_t *)memory + end);
        }
        end += counts[i];
        spans += pieces.items[i].count;
    }
    for (uint16_t i = 0; i < out->type->field_count; i++) {
        ARUS_TRY(concat_elements(pieces, memory, counts, i, arena, out, err));
    }
    return ARUS_OK;
}

static enum arus_status concat_field(struct pieces pieces, uint16_t field, struct arus_arena *arena,
                                     struct arus_vector *out, struct arus_error *err)
{
    struct arus_rows *items;

    ARUS_TRY(ARUS_NEW(arena, struct arus_rows, pieces.count, &items, err));
    for (size_t i = 0; i < pieces.count; i++) {
        ARUS_TRY(arus_rows_child(pieces.items[i], field, arena, &items[i], err));
    }
    return concat((struct pieces){items, pieces.count, pieces.row_count},
                  out->type->fields[field].type, arena, &out->children[field], err);
}

static enum arus_status concat_fields(struct pieces pieces, struct arus_arena *arena,
                                      struct arus_vector *out, struct arus_error *err)
{
    for (uint16_t i = 0; i < out->type->field_count; i++) {
        ARUS_TRY(concat_field(pieces, i, arena, out, err));
    }
    return ARUS_OK;
}

static enum arus_status concat(struct pieces pieces, const struct arus_type *type,
                               struct arus_arena *arena, struct arus_vector *out,
                               struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(type);

    *out = (struct arus_vector){.type = type, .row_count = pieces.row_count};
    if (size != 0) {
        ARUS_TRY(arus_arena_buffer(arena, (size_t)pieces.row_count * size, &out->values, err));
    }
    ARUS_TRY(concat_validity(pieces, arena, out, err));
    if (!arus_type_is_nested(type)) {
        return concat_values(pieces, arena, out, err);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, type->field_count, &out->children, err));
    return type->id == ARUS_TYPE_STRUCT ? concat_fields(pieces, arena, out, err)
                                        : concat_spans(pieces, arena, out, err);
}

enum arus_status arus_vector_copy(const struct arus_vector *vector, struct arus_arena *arena,
                                  struct arus_vector *out, struct arus_error *err)
{
    const struct arus_rows rows = arus_rows_of(vector);

    return concat((struct pieces){&rows, 1, rows.count}, vector->type, arena, out, err);
}

enum arus_status arus_batch_concat(const struct arus_batch *batches, size_t count,
                                   const struct arus_type *schema, struct arus_arena *arena,
                                   struct arus_batch *out, struct arus_error *err)
{
    struct pieces pieces = {.count = count};
    struct arus_rows *items;
    uint64_t row_count = 0;

    for (size_t i = 0; i < count; i++) {
        row_count += batches[i].row_count;
    }
    if (row_count > UINT32_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "more than %u rows in one piece", UINT32_MAX);
    }
    *out = (struct arus_batch){.schema = schema, .row_count = (uint32_t)row_count};
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, schema->field_count, &out->columns, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_rows, count, &items, err));
    pieces.items = items;
    pieces.row_count = out->row_count;
    for (uint16_t i = 0; i < schema->field_count; i++) {
        for (size_t j = 0; j < count; j++) {
            items[j] = arus_rows_of(&batches[j].columns[i]);
        }
        ARUS_TRY(concat(pieces, schema->fields[i].type, arena, &out->columns[i], err));
    }
    return ARUS_OK;
}
