/** Rows into builders, and windows of batches. */
#include "column/append.h"

static enum arus_status append_view(struct arus_builder *builder, const struct arus_view *view,
                                    struct arus_arena *heap, struct arus_error *err)
{
    struct arus_view kept = *view;
    void *copy;

    if (view->size != 0 && heap != NULL) {
        ARUS_TRY(arus_arena_bytes(heap, view->size, &copy, err));
        memcpy(copy, view->data, view->size);
        kept.data = copy;
    }
    return arus_builder_value(builder, &kept, err);
}

static enum arus_status append_span(struct arus_builder *builder, const struct arus_vector *data,
                                    struct arus_span span, struct arus_arena *heap,
                                    struct arus_error *err)
{
    for (uint16_t field = 0; field < data->type->field_count; field++) {
        for (uint32_t k = 0; k < span.count; k++) {
            ARUS_TRY(arus_builder_append(&builder->children[field], &data->children[field],
                                         span.begin + k, heap, err));
        }
    }
    return arus_builder_span(builder, span.count, err);
}

static enum arus_status append_struct(struct arus_builder *builder, const struct arus_vector *data,
                                      uint32_t at, struct arus_arena *heap, struct arus_error *err)
{
    for (uint16_t field = 0; field < data->type->field_count; field++) {
        ARUS_TRY(
            arus_builder_append(&builder->children[field], &data->children[field], at, heap, err));
    }
    return arus_builder_struct(builder, err);
}

enum arus_status arus_builder_append(struct arus_builder *builder, const struct arus_vector *vector,
                                     uint32_t i, struct arus_arena *heap, struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(vector);
    const uint32_t at = arus_vector_at(vector, i);
    const struct arus_type *type = data->type;

    if (!arus_vector_is_valid(vector, i)) {
        return arus_builder_null(builder, err);
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        return append_struct(builder, data, at, heap, err);
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        return append_span(builder, data, ((const struct arus_span *)data->values)[at], heap, err);
    }
    if (arus_type_is_view(type)) {
        return append_view(builder, (const struct arus_view *)data->values + at, heap, err);
    }
    return arus_builder_value(
        builder, (const char *)data->values + (size_t)at * arus_type_value_size(type), err);
}

static enum arus_status window_vector(const struct arus_vector *vector, uint32_t begin,
                                      uint32_t count, struct arus_arena *arena,
                                      struct arus_vector *out, struct arus_error *err)
{
    const uint16_t field_count = vector->type->field_count;

    *out = *vector;
    out->row_count = count;
    if (vector->form == ARUS_VECTOR_CONSTANT) {
        return ARUS_OK;
    }
    ARUS_ASSERT(vector->form == ARUS_VECTOR_FLAT && begin % 64 == 0);
    if (vector->values != NULL) {
        out->values = (char *)vector->values + (size_t)begin * arus_type_value_size(vector->type);
    }
    if (vector->validity != NULL) {
        out->validity = vector->validity + begin / 64;
    }
    if (vector->type->id != ARUS_TYPE_STRUCT || field_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, field_count, &out->children, err));
    for (uint16_t field = 0; field < field_count; field++) {
        ARUS_TRY(window_vector(&vector->children[field], begin, count, arena, &out->children[field],
                               err));
    }
    return ARUS_OK;
}

enum arus_status arus_batch_window(const struct arus_batch *batch, uint32_t begin, uint32_t count,
                                   struct arus_arena *arena, struct arus_batch *out,
                                   struct arus_error *err)
{
    const uint16_t field_count = batch->schema->field_count;

    *out = (struct arus_batch){.schema = batch->schema, .row_count = count};
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, field_count, &out->columns, err));
    for (uint16_t field = 0; field < field_count; field++) {
        ARUS_TRY(
            window_vector(&batch->columns[field], begin, count, arena, &out->columns[field], err));
    }
    return ARUS_OK;
}

enum arus_status arus_batch_init(struct arus_batch *batch, const struct arus_type *schema,
                                 uint32_t row_count, struct arus_arena *arena,
                                 struct arus_error *err)
{
    *batch = (struct arus_batch){.schema = schema, .row_count = row_count};
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, schema->field_count, &batch->columns, err));
    for (uint16_t field = 0; field < schema->field_count; field++) {
        ARUS_TRY(arus_vector_init(&batch->columns[field], schema->fields[field].type, row_count,
                                  arena, err));
    }
    return ARUS_OK;
}
