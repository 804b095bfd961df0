#include "expr/agg_value.h"

static uint32_t row_at(const struct arus_vector *vector, uint32_t i)
{
    return vector->form == ARUS_VECTOR_CONSTANT ? 0 : i;
}

size_t arus_pack_size(const struct arus_vector *vector, uint32_t i)
{
    const struct arus_type *type = vector->type;
    const uint32_t row = row_at(vector, i);
    size_t size = 1;

    if (!arus_vector_is_valid(vector, i)) {
        return 1;
    }
    if (arus_type_is_view(type)) {
        return 5 + ((const struct arus_view *)vector->values)[row].size;
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            size += arus_pack_size(&vector->children[f], row);
        }
        return size;
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        const struct arus_span span = ((const struct arus_span *)vector->values)[row];

        for (uint32_t j = 0; j < span.count; j++) {
            for (uint16_t f = 0; f < type->field_count; f++) {
                size += arus_pack_size(&vector->children[f], span.begin + j);
            }
        }
        return size + 4;
    }
    return 1 + arus_type_value_size(type);
}

static char *write_bytes(const void *data, size_t size, char *out)
{
    if (size > 0) {
        memcpy(out, data, size);
    }
    return out + size;
}

char *arus_pack_write(const struct arus_vector *vector, uint32_t i, char *out)
{
    const struct arus_type *type = vector->type;
    const uint32_t row = row_at(vector, i);
    const bool is_valid = arus_vector_is_valid(vector, i);

    *out++ = is_valid;
    if (!is_valid) {
        return out;
    }
    if (arus_type_is_view(type)) {
        const struct arus_view view = ((const struct arus_view *)vector->values)[row];

        out = write_bytes(&view.size, 4, out);
        return write_bytes(view.data, view.size, out);
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            out = arus_pack_write(&vector->children[f], row, out);
        }
        return out;
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        const struct arus_span span = ((const struct arus_span *)vector->values)[row];

        out = write_bytes(&span.count, 4, out);
        for (uint32_t j = 0; j < span.count; j++) {
            for (uint16_t f = 0; f < type->field_count; f++) {
                out = arus_pack_write(&vector->children[f], span.begin + j, out);
            }
        }
        return out;
    }
    return write_bytes((const char *)vector->values + (size_t)row * arus_type_value_size(type),
                       arus_type_value_size(type), out);
}

static enum arus_status read_nested(struct arus_builder *builder, const char **at,
                                    struct arus_error *err)
{
    const struct arus_type *type = builder->type;
    uint32_t count;

    if (type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            ARUS_TRY(arus_pack_read(&builder->children[f], at, err));
        }
        return arus_builder_struct(builder, err);
    }
    memcpy(&count, *at, 4);
    *at += 4;
    for (uint32_t j = 0; j < count; j++) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            ARUS_TRY(arus_pack_read(&builder->children[f], at, err));
        }
    }
    return arus_builder_span(builder, count, err);
}

enum arus_status arus_pack_read(struct arus_builder *builder, const char **at,
                                struct arus_error *err)
{
    const struct arus_type *type = builder->type;
    struct arus_view view;
    arus_int128 value;
    uint32_t size;

    if (*(*at)++ == 0) {
        return arus_builder_null(builder, err);
    }
    if (arus_type_is_nested(type)) {
        return read_nested(builder, at, err);
    }
    if (arus_type_is_view(type)) {
        memcpy(&size, *at, 4);
        view = arus_view_of(*at + 4, size);
        *at += 4 + size;
        return arus_builder_value(builder, &view, err);
    }
    size = arus_type_value_size(type);
    memcpy(&value, *at, size);
    *at += size;
    return arus_builder_value(builder, &value, err);
}

const char *arus_pack_skip(const struct arus_type *type, const char *at)
{
    uint32_t count;

    if (*at++ == 0) {
        return at;
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            at = arus_pack_skip(type->fields[f].type, at);
        }
        return at;
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        memcpy(&count, at, 4);
        at += 4;
        for (uint32_t j = 0; j < count; j++) {
            for (uint16_t f = 0; f < type->field_count; f++) {
                at = arus_pack_skip(type->fields[f].type, at);
            }
        }
        return at;
    }
    if (arus_type_is_view(type)) {
        memcpy(&count, at, 4);
        return at + 4 + count;
    }
    return at + arus_type_value_size(type);
}

/* ---- values of states ---- */

static enum arus_status make_room(struct arus_agg_value *value, size_t size,
                                  struct arus_agg_heap *heap, struct arus_error *err)
{
    void *memory;

    if (value->packed.data != NULL && value->capacity >= size) {
        return ARUS_OK;
    }
    value->capacity = value->packed.data == NULL ? size : size + size / 2;
    ARUS_TRY(arus_agg_heap_alloc(heap, value->capacity, &memory, err));
    value->packed.data = memory;
    return ARUS_OK;
}

/* The bytes of a state's own value, to be overwritten. */
static char *own_bytes(const struct arus_agg_value *value)
{
    char *bytes;

    memcpy(&bytes, &value->packed.data, sizeof bytes);
    return bytes;
}

enum arus_status arus_agg_value_set(struct arus_agg_value *value, const struct arus_vector *vector,
                                    uint32_t i, struct arus_agg_heap *heap, struct arus_error *err)
{
    const size_t size = arus_pack_size(vector, i);

    ARUS_TRY(make_room(value, size, heap, err));
    (void)arus_pack_write(vector, i, own_bytes(value));
    value->packed = arus_view_of(value->packed.data, size);
    return ARUS_OK;
}

enum arus_status arus_agg_value_copy(struct arus_agg_value *value,
                                     const struct arus_agg_value *from, struct arus_agg_heap *heap,
                                     struct arus_error *err)
{
    ARUS_TRY(make_room(value, from->packed.size, heap, err));
    memcpy(own_bytes(value), from->packed.data, from->packed.size);
    value->packed = arus_view_of(value->packed.data, from->packed.size);
    return ARUS_OK;
}

static enum arus_status unpack_one(const struct arus_type *type, const char *at,
                                   struct arus_arena *step, struct arus_vector *out,
                                   struct arus_error *err)
{
    struct arus_builder builder = {0};
    struct arus_vector vector;
    enum arus_status status = arus_builder_init(&builder, type, err);

    if (status == ARUS_OK) {
        status = arus_pack_read(&builder, &at, err);
    }
    if (status == ARUS_OK) {
        status = arus_builder_finish(&builder, step, &vector, err);
    }
    if (status == ARUS_OK) {
        status = arus_vector_copy(&vector, step, out, err);
    }
    arus_builder_release(&builder);
    return status;
}

enum arus_status arus_agg_value_compare(const struct arus_type *type,
                                        const struct arus_agg_value *a, const struct arus_vector *b,
                                        uint32_t i, struct arus_arena *step, int *out,
                                        struct arus_error *err)
{
    struct arus_vector flat = {.type = type, .row_count = 1};
    const char *payload = a->packed.data + 1;
    struct arus_view view;
    arus_int128 value = 0;

    if (arus_type_is_nested(type)) {
        ARUS_TRY(unpack_one(type, a->packed.data, step, &flat, err));
    } else if (arus_type_is_view(type)) {
        view = arus_view_of(payload + 4, a->packed.size - 5);
        flat.values = &view;
    } else {
        memcpy(&value, payload, arus_type_value_size(type));
        flat.values = &value;
    }
    *out = arus_vector_compare(&flat, 0, b, i);
    return ARUS_OK;
}

enum arus_status arus_agg_values_finish(const struct arus_type *type, const unsigned char *values,
                                        size_t stride, uint32_t count, struct arus_arena *step,
                                        struct arus_vector *out, struct arus_error *err)
{
    struct arus_builder builder = {0};
    struct arus_vector vector;
    enum arus_status status = arus_builder_init(&builder, type, err);

    for (uint32_t i = 0; i < count && status == ARUS_OK; i++) {
        const struct arus_agg_value *value = (const void *)(values + i * stride);
        const char *at = value->packed.data;

        status = at == NULL ? arus_builder_null(&builder, err) : arus_pack_read(&builder, &at, err);
    }
    if (status == ARUS_OK) {
        status = arus_builder_finish(&builder, step, &vector, err);
    }
    if (status == ARUS_OK) {
        status = arus_vector_copy(&vector, step, out, err);
    }
    arus_builder_release(&builder);
    return status;
}
