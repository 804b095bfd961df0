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

enum arus_status arus_bytes_append(struct arus_bytes_state *state, const void *data, size_t size,
                                   struct arus_agg_heap *heap, struct arus_error *err)
{
    const size_t wanted = state->bytes.size + size;
    char *own;
    void *memory;

    if (wanted > state->capacity) {
        if (wanted > UINT32_MAX) {
            return arus_fail(err, ARUS_NO_MEMORY, "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                             "an aggregate has collected more than 4 GiB");
        }
        state->capacity = wanted < 64 ? 64 : 2 * wanted;
        ARUS_TRY(arus_agg_heap_alloc(heap, state->capacity, &memory, err));
        if (state->bytes.size > 0) {
            memcpy(memory, state->bytes.data, state->bytes.size);
        }
        state->bytes.data = memory;
    }
    memcpy(&own, &state->bytes.data, sizeof own);
    if (size > 0) {
        memcpy(own + state->bytes.size, data, size);
    }
    state->bytes.size = (uint32_t)wanted;
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
