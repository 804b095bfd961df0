/** collect_list, collect_set. */
#include "expr/agg_value.h"
#include "expr/coerce.h"
#include "expr/families.h"

#include <math.h>

/* Packed elements one behind the other; a set also has a hash table of their offsets. */
struct list_state {
    struct arus_view items;
    struct arus_view slots; /* uint32_t[slot_count]: offset of an item + 1, 0: free */
    uint64_t item_capacity;
    uint64_t count;
};

static uint32_t list_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct list_state);
}

static uint32_t list_views(const struct arus_expr *expr, uint32_t offsets[ARUS_AGG_VIEWS_MAX])
{
    (void)expr;
    offsets[0] = offsetof(struct list_state, items);
    offsets[1] = offsetof(struct list_state, slots);
    return 2;
}

static bool is_set(const struct arus_expr *expr)
{
    return strcmp(expr->function->name, "collect_set") == 0;
}

static char *bytes_of(const struct arus_view *view)
{
    char *bytes;

    memcpy(&bytes, &view->data, sizeof bytes);
    return bytes;
}

/* Room for `size` more bytes of items. */
static enum arus_status list_need(struct list_state *state, size_t size, struct arus_agg_heap *heap,
                                  struct arus_error *err)
{
    const size_t wanted = state->items.size + size;
    void *memory;

    if (wanted <= state->item_capacity) {
        return ARUS_OK;
    }
    if (wanted > UINT32_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                         "a collected list is larger than 4 GiB");
    }
    state->item_capacity = wanted < 64 ? 64 : 2 * wanted;
    ARUS_TRY(arus_agg_heap_alloc(heap, state->item_capacity, &memory, err));
    if (state->items.size > 0) {
        memcpy(memory, state->items.data, state->items.size);
    }
    state->items.data = memory;
    return ARUS_OK;
}

static uint32_t hash_bytes(const char *bytes, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325u;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001B3u;
    }
    return (uint32_t)(hash ^ (hash >> 32));
}

static size_t item_size(const struct arus_type *type, const struct list_state *state,
                        uint32_t offset)
{
    const char *item = state->items.data + offset;

    return (size_t)(arus_pack_skip(type, item) - item);
}

/* The slot of an item, or the free one where it belongs. */
static uint32_t find_slot(const struct list_state *state, const struct arus_type *type,
                          const char *item, size_t size)
{
    const uint32_t *slots = (const void *)state->slots.data;
    const uint32_t mask = state->slots.size / 4 - 1;
    uint32_t slot = hash_bytes(item, size) & mask;

    for (; slots[slot] != 0; slot = (slot + 1) & mask) {
        const uint32_t offset = slots[slot] - 1;

        if (item_size(type, state, offset) == size &&
            memcmp(state->items.data + offset, item, size) == 0) {
            break;
        }
    }
    return slot;
}

static enum arus_status grow_slots(struct list_state *state, const struct arus_type *type,
                                   struct arus_agg_heap *heap, struct arus_error *err)
{
    const uint32_t slot_count = state->slots.size / 4;
    const uint32_t wanted = slot_count == 0 ? 16 : 2 * slot_count;
    uint32_t offset = 0;
    void *memory;

    if (2 * (state->count + 1) <= slot_count) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_agg_heap_alloc(heap, (size_t)wanted * 4, &memory, err));
    memset(memory, 0, (size_t)wanted * 4);
    state->slots = (struct arus_view){.size = wanted * 4, .data = memory};
    while (offset < state->items.size) {
        const size_t size = item_size(type, state, offset);

        ((uint32_t *)memory)[find_slot(state, type, state->items.data + offset, size)] = offset + 1;
        offset += (uint32_t)size;
    }
    return ARUS_OK;
}

/* The `size` bytes just written behind the items become one, unless a set has it already. */
static enum arus_status list_commit(struct list_state *state, const struct arus_expr *expr,
                                    size_t size, struct arus_agg_heap *heap, struct arus_error *err)
{
    const struct arus_type *type = expr->args[0]->type;

    if (is_set(expr)) {
        uint32_t *slots;
        uint32_t slot;

        ARUS_TRY(grow_slots(state, type, heap, err));
        slots = (void *)bytes_of(&state->slots);
        slot = find_slot(state, type, state->items.data + state->items.size, size);
        if (slots[slot] != 0) {
            return ARUS_OK;
        }
        slots[slot] = state->items.size + 1;
    }
    state->items.size += (uint32_t)size;
    state->count++;
    return ARUS_OK;
}

/* In a set all NaN are one value, and -0.0 is 0.0. */
static void normalise(const struct arus_type *type, char *item)
{
    double d;
    float f;

    if (type->id == ARUS_TYPE_DOUBLE) {
        memcpy(&d, item + 1, sizeof d);
        d = d == 0 ? 0 : isnan(d) ? (double)NAN : d;
        memcpy(item + 1, &d, sizeof d);
    } else if (type->id == ARUS_TYPE_FLOAT) {
        memcpy(&f, item + 1, sizeof f);
        f = f == 0 ? 0 : isnan(f) ? NAN : f;
        memcpy(item + 1, &f, sizeof f);
    }
}

static enum arus_status list_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct list_state *state = (void *)arus_agg_state(call, i);
        size_t size;
        char *item;

        if (!arus_agg_has(arg, i)) {
            continue;
        }
        size = arus_pack_size(arg, i);
        ARUS_TRY(list_need(state, size, call->heap, err));
        item = bytes_of(&state->items) + state->items.size;
        (void)arus_pack_write(arg, i, item);
        if (is_set(call->expr)) {
            normalise(arg->type, item);
        }
        ARUS_TRY(list_commit(state, call->expr, size, call->heap, err));
    }
    return ARUS_OK;
}

static enum arus_status list_merge(const struct arus_agg_call *call, const unsigned char *from,
                                   size_t from_stride, uint32_t count, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct list_state *more = (const void *)(from + i * from_stride);
        struct list_state *state = (void *)arus_agg_state(call, i);
        uint32_t offset = 0;

        while (offset < more->items.size) {
            const size_t size = item_size(call->expr->args[0]->type, more, offset);

            ARUS_TRY(list_need(state, size, call->heap, err));
            memcpy(bytes_of(&state->items) + state->items.size, more->items.data + offset, size);
            ARUS_TRY(list_commit(state, call->expr, size, call->heap, err));
            offset += (uint32_t)size;
        }
    }
    return ARUS_OK;
}

static enum arus_status append_list(struct arus_builder *builder, const struct list_state *state,
                                    struct arus_error *err)
{
    const char *at = state->items.data;

    for (uint64_t i = 0; i < state->count; i++) {
        ARUS_TRY(arus_pack_read(&builder->children[0], &at, err));
    }
    return arus_builder_span(builder, (uint32_t)state->count, err);
}

static enum arus_status list_finish(const struct arus_expr *expr, const unsigned char *states,
                                    size_t stride, uint32_t count, struct arus_arena *step,
                                    struct arus_vector *out, struct arus_error *err)
{
    struct arus_builder builder = {0};
    struct arus_vector vector;
    enum arus_status status = arus_builder_init(&builder, expr->type, err);

    for (uint32_t i = 0; i < count && status == ARUS_OK; i++) {
        status = append_list(&builder, (const void *)(states + i * stride), err);
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

static const struct arus_aggregate LIST = {.state_size = list_size,
                                           .update = list_update,
                                           .merge = list_merge,
                                           .finish = list_finish,
                                           .views = list_views};

static enum arus_status bind_list(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    if (bind->function->name[8] == 's' && !arus_type_is_orderable(type)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
                            "collect_set cannot compare %s", arus_type_name(type).text);
    }
    bind->is_nullable = false;
    return arus_type_array(type, false, bind->arena, &bind->type, err);
}

#define AGGREGATE(name_, aliases_, help_, example_, result_)                                       \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .kind = ARUS_AGGREGATE, .arg_min = 1, .arg_max = 1,    \
        .bind = bind_list, .aggregate = &LIST, .alias_text = name_ "($D$*)",                       \
        .signature = name_ "(x) -> ARRAY", .help = help_, .example = example_, .result = result_   \
    }

const struct arus_function ARUS_LIST_AGGREGATES[] = {
    AGGREGATE("collect_list", "array_agg", "all values without NULL; [] when there are none",
              "collect_list(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "[1, 2, 4]"),
    AGGREGATE("collect_set", NULL, "the different values without NULL, in no order",
              "array_sort(collect_set(x)) FROM VALUES (2), (1), (2) AS t(x)", "[1, 2]"),
    {0},
};
