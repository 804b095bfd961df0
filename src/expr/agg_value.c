#include "expr/agg_value.h"

#include "expr/coerce.h"

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

enum arus_status arus_agg_need_order(const struct arus_bind *bind, const struct arus_type *type,
                                     struct arus_error *err)
{
    return arus_type_is_orderable(type)
               ? ARUS_OK
               : arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                              "`%.*s` cannot order %s", ARUS_TEXT_ARGS(bind->name),
                              arus_type_name(type).text);
}
