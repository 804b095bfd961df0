/** Making vectors, and other forms of the same rows without copying strings or elements. */
#include "column/vector.h"

#include "column/rows.h"

#include <stdatomic.h>

static enum arus_status new_children(const struct arus_type *type, struct arus_arena *arena,
                                     struct arus_vector **out, struct arus_error *err)
{
    *out = NULL;
    if (type->field_count == 0) {
        return ARUS_OK;
    }
    return ARUS_NEW(arena, struct arus_vector, type->field_count, out, err);
}

static enum arus_status new_values(const struct arus_type *type, uint32_t row_count,
                                   struct arus_arena *arena, void **out, struct arus_error *err)
{
    const size_t size = arus_type_value_size(type);

    *out = NULL;
    if (size == 0) {
        return ARUS_OK;
    }
    return arus_arena_buffer(arena, size * row_count, out, err);
}

enum arus_status arus_vector_init(struct arus_vector *vector, const struct arus_type *type,
                                  uint32_t row_count, struct arus_arena *arena,
                                  struct arus_error *err)
{
    const uint32_t child_rows = type->id == ARUS_TYPE_STRUCT ? row_count : 0;

    *vector = (struct arus_vector){.type = type, .row_count = row_count};
    ARUS_TRY(new_values(type, row_count, arena, &vector->values, err));
    ARUS_TRY(new_children(type, arena, &vector->children, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(
            arus_vector_init(&vector->children[i], type->fields[i].type, child_rows, arena, err));
    }
    return ARUS_OK;
}

uint64_t arus_vector_new_identity(void)
{
    static _Atomic uint64_t last;

    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static enum arus_status new_validity(uint32_t row_count, struct arus_arena *arena, uint64_t **out,
                                     struct arus_error *err)
{
    void *memory;

    ARUS_TRY(arus_arena_buffer(arena, arus_validity_words(row_count) * sizeof **out, &memory, err));
    *out = memory;
    return ARUS_OK;
}

enum arus_status arus_vector_need_validity(struct arus_vector *vector, struct arus_arena *arena,
                                           struct arus_error *err)
{
    if (vector->validity != NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(new_validity(vector->row_count, arena, &vector->validity, err));
    memset(vector->validity, 0xFF, arus_validity_words(vector->row_count) * sizeof(uint64_t));
    return ARUS_OK;
}

enum arus_status arus_vector_init_null(struct arus_vector *vector, const struct arus_type *type,
                                       uint32_t row_count, struct arus_arena *arena,
                                       struct arus_error *err)
{
    const bool is_struct = type->id == ARUS_TYPE_STRUCT;

    *vector =
        (struct arus_vector){.type = type, .form = ARUS_VECTOR_CONSTANT, .row_count = row_count};
    ARUS_TRY(ARUS_NEW(arena, uint64_t, 1, &vector->validity, err));
    if (arus_type_value_size(type) != 0) {
        ARUS_TRY(arus_arena_alloc(arena, 16, &vector->values, err));
    }
    ARUS_TRY(new_children(type, arena, &vector->children, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(arus_vector_init_null(&vector->children[i], type->fields[i].type,
                                       is_struct ? row_count : 0, arena, err));
    }
    return ARUS_OK;
}

static enum arus_status flatten_rows(struct arus_rows rows, struct arus_arena *arena,
                                     struct arus_vector *out, struct arus_error *err);

static enum arus_status flatten_child(struct arus_rows rows, uint16_t field,
                                      struct arus_arena *arena, struct arus_vector *out,
                                      struct arus_error *err)
{
    struct arus_rows child;

    if (rows.data->type->id != ARUS_TYPE_STRUCT) {
        return arus_vector_flatten(&rows.data->children[field], arena, out, err);
    }
    ARUS_TRY(arus_rows_child(rows, field, arena, &child, err));
    return flatten_rows(child, arena, out, err);
}

static enum arus_status flatten_children(struct arus_rows rows, struct arus_arena *arena,
                                         struct arus_vector *out, struct arus_error *err)
{
    const struct arus_type *type = rows.data->type;

    ARUS_TRY(new_children(type, arena, &out->children, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(flatten_child(rows, i, arena, &out->children[i], err));
    }
    return ARUS_OK;
}

static enum arus_status flatten_rows(struct arus_rows rows, struct arus_arena *arena,
                                     struct arus_vector *out, struct arus_error *err)
{
    const struct arus_type *type = rows.data->type;

    *out = (struct arus_vector){.type = type, .row_count = rows.count};
    if (!rows.is_constant && rows.indices == NULL) {
        out->values = rows.data->values;
        out->validity = rows.data->validity;
        return flatten_children(rows, arena, out, err);
    }
    ARUS_TRY(new_values(type, rows.count, arena, &out->values, err));
    arus_rows_values(rows, rows.data->values, arus_type_value_size(type), out->values);
    if (arus_rows_may_have_nulls(rows)) {
        ARUS_TRY(new_validity(rows.count, arena, &out->validity, err));
        arus_rows_validity(rows, out->validity, 0);
    }
    return flatten_children(rows, arena, out, err);
}

enum arus_status arus_vector_flatten(const struct arus_vector *vector, struct arus_arena *arena,
                                     struct arus_vector *out, struct arus_error *err)
{
    if (vector->form == ARUS_VECTOR_FLAT && !arus_type_is_nested(vector->type)) {
        *out = *vector;
        return ARUS_OK;
    }
    return flatten_rows(arus_rows_of(vector), arena, out, err);
}

/* What fold_slice did last, so that columns with the same indices share one folded array. */
struct folded {
    const uint32_t *from;
    const uint32_t *to;
};

static enum arus_status slice(const struct arus_vector *vector, const uint32_t *indices,
                              uint32_t count, struct arus_arena *arena, struct folded *last,
                              struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(vector);
    struct arus_vector *base;
    void *folded;

    if (data->form == ARUS_VECTOR_CONSTANT) {
        *out = *data;
        out->row_count = count;
        return ARUS_OK;
    }
    *out = (struct arus_vector){.type = vector->type,
                                .form = ARUS_VECTOR_DICTIONARY,
                                .row_count = count,
                                .indices = indices,
                                .base = data};
    if (vector->form == ARUS_VECTOR_FLAT) {
        ARUS_TRY(ARUS_NEW(arena, struct arus_vector, 1, &base, err));
        *base = *vector;
        out->base = base;
        return ARUS_OK;
    }
    if (last->from != vector->indices) {
        const struct arus_rows rows = {.data = vector, .indices = indices, .count = count};

        ARUS_TRY(arus_arena_buffer(arena, (size_t)count * sizeof *indices, &folded, err));
        arus_rows_values(rows, vector->indices, sizeof *indices, folded);
        *last = (struct folded){vector->indices, folded};
    }
    out->indices = last->to;
    return ARUS_OK;
}

enum arus_status arus_vector_slice(const struct arus_vector *vector, const uint32_t *indices,
                                   uint32_t count, struct arus_arena *arena,
                                   struct arus_vector *out, struct arus_error *err)
{
    struct folded none = {0};

    return slice(vector, indices, count, arena, &none, out, err);
}

enum arus_status arus_batch_slice(const struct arus_batch *batch, const uint32_t *indices,
                                  uint32_t count, struct arus_arena *arena, struct arus_batch *out,
                                  struct arus_error *err)
{
    const uint16_t column_count = batch->schema->field_count;
    struct folded last = {0};
    struct arus_vector *columns;

    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, column_count, &columns, err));
    for (uint16_t i = 0; i < column_count; i++) {
        ARUS_TRY(slice(&batch->columns[i], indices, count, arena, &last, &columns[i], err));
    }
    *out = (struct arus_batch){batch->schema, count, columns};
    return ARUS_OK;
}
