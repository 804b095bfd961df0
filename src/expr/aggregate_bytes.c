#include "expr/aggregate_bytes.h"

uint32_t arus_bytes_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct arus_bytes_state);
}

uint32_t arus_bytes_views(const struct arus_expr *expr, uint32_t offsets[ARUS_AGG_VIEWS_MAX])
{
    (void)expr;
    offsets[0] = offsetof(struct arus_bytes_state, bytes);
    return 1;
}

/* The bytes of a state, to be overwritten. */
static char *own_bytes(const struct arus_bytes_state *state)
{
    char *bytes;

    memcpy(&bytes, &state->bytes.data, sizeof bytes);
    return bytes;
}

enum arus_status arus_bytes_extend(struct arus_bytes_state *state, size_t size,
                                   struct arus_agg_heap *heap, void **out, struct arus_error *err)
{
    const size_t wanted = state->bytes.size + size;

    if (wanted > state->capacity) {
        const size_t capacity = wanted < 64 ? 64 : 2 * wanted;
        void *memory;

        if (wanted > UINT32_MAX) {
            return arus_fail(err, ARUS_NO_MEMORY, "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                             "an aggregate has collected more than 4 GiB");
        }
        ARUS_TRY(
            arus_agg_heap_grow(heap, own_bytes(state), state->capacity, capacity, &memory, err));
        state->capacity = capacity;
        state->bytes.data = memory;
    }
    *out = own_bytes(state) + state->bytes.size;
    state->bytes.size = (uint32_t)wanted;
    return ARUS_OK;
}

enum arus_status arus_bytes_append(struct arus_bytes_state *state, const void *data, size_t size,
                                   struct arus_agg_heap *heap, struct arus_error *err)
{
    void *room;

    ARUS_TRY(arus_bytes_extend(state, size, heap, &room, err));
    if (size > 0) {
        memcpy(room, data, size);
    }
    return ARUS_OK;
}

enum arus_status arus_bytes_pack(struct arus_bytes_state *state, const struct arus_vector *vector,
                                 uint32_t i, const struct arus_agg_call *call,
                                 struct arus_error *err)
{
    const size_t size = arus_pack_size(vector, i);
    void *memory;

    ARUS_TRY(arus_arena_alloc(call->step, size, &memory, err));
    (void)arus_pack_write(vector, i, memory);
    return arus_bytes_append(state, memory, size, call->heap, err);
}

enum arus_status arus_bytes_merge(const struct arus_agg_call *call, const unsigned char *from,
                                  size_t from_stride, uint32_t count, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct arus_bytes_state *more = (const void *)(from + i * from_stride);
        struct arus_bytes_state *state = (void *)arus_agg_state(call, i);

        ARUS_TRY(arus_bytes_append(state, more->bytes.data, more->bytes.size, call->heap, err));
        state->count += more->count;
    }
    return ARUS_OK;
}
