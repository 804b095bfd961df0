/** Linear probing; keys live in builders, so that they come out as columns. */
#include "exec/group_table.h"

#include "base/alloc.h"
#include "base/prefetch.h"

#define SLOTS_FIRST  ((uint32_t)1024)
#define GROUPS_FIRST ((uint32_t)512)
#define GROUPS_MAX   ((uint32_t)1 << 30)
#define AHEAD        ((uint32_t)16) /* rows whose slots and keys are fetched before they are asked for */
#define FETCH_MIN    ((uint32_t)16384) /* slots; smaller tables lie in the cache */

enum arus_status arus_group_table_init(struct arus_group_table *table,
                                       const struct arus_type *const *key_types, uint32_t key_count,
                                       size_t stride, struct arus_error *err)
{
    *table = (struct arus_group_table){.key_count = key_count, .stride = stride};
    table->keys = arus_alloc(key_count + 1, sizeof *table->keys);
    table->views = arus_alloc(key_count + 1, sizeof *table->views);
    table->slots = arus_alloc(SLOTS_FIRST, sizeof *table->slots);
    if (table->keys == NULL || table->views == NULL || table->slots == NULL) {
        arus_group_table_release(table);
        return arus_fail_memory(err);
    }
    table->slot_mask = SLOTS_FIRST - 1;
    for (uint32_t k = 0; k < key_count; k++) {
        const enum arus_status status = arus_builder_init(&table->keys[k], key_types[k], err);

        if (status != ARUS_OK) {
            arus_group_table_release(table);
            return status;
        }
        table->views[k] = (struct arus_vector){.type = key_types[k]};
    }
    table->equal = arus_keys_equal_for(table->views, key_count);
    return ARUS_OK;
}

void arus_group_table_release(struct arus_group_table *table)
{
    for (uint32_t k = 0; table->keys != NULL && k < table->key_count; k++) {
        arus_builder_release(&table->keys[k]);
    }
    arus_free(table->keys);
    arus_free(table->views);
    arus_free(table->slots);
    arus_free(table->hashes);
    arus_free(table->states);
    arus_arena_release(&table->heap);
    arus_arena_release(&table->view_arena);
    *table = (struct arus_group_table){0};
}

void arus_group_table_reset(struct arus_group_table *table)
{
    for (uint32_t k = 0; k < table->key_count; k++) {
        arus_builder_reset(&table->keys[k]);
    }
    if (table->slots != NULL) {
        memset(table->slots, 0, ((size_t)table->slot_mask + 1) * sizeof *table->slots);
    }
    table->group_count = 0;
    arus_arena_reset(&table->heap);
}

static uint64_t slot_of(uint64_t hash, uint32_t group)
{
    return (hash & ~(uint64_t)UINT32_MAX) | (group + 1);
}

static enum arus_status grow_slots(struct arus_group_table *table, struct arus_error *err)
{
    const size_t count = ((size_t)table->slot_mask + 1) * 2;
    const uint32_t mask = (uint32_t)(count - 1);
    uint64_t *slots = arus_alloc(count, sizeof *slots);

    if (slots == NULL) {
        return arus_fail_memory(err);
    }
    for (uint32_t group = 0; group < table->group_count; group++) {
        uint32_t at = (uint32_t)table->hashes[group] & mask;

        while (slots[at] != 0) {
            at = (at + 1) & mask;
        }
        slots[at] = slot_of(table->hashes[group], group);
    }
    arus_free(table->slots);
    table->slots = slots;
    table->slot_mask = mask;
    return ARUS_OK;
}

static enum arus_status grow_groups(struct arus_group_table *table, struct arus_error *err)
{
    const uint32_t old = table->group_capacity;
    const uint32_t capacity = old == 0 ? GROUPS_FIRST : old * 2;
    void *hashes = arus_realloc(table->hashes, capacity * sizeof *table->hashes);
    void *states;

    if (hashes == NULL || capacity > GROUPS_MAX) {
        return arus_fail_memory(err);
    }
    table->hashes = hashes;
    if (table->stride != 0) {
        states = arus_realloc(table->states, capacity * table->stride);
        if (states == NULL) {
            return arus_fail_memory(err);
        }
        table->states = states;
    }
    table->group_capacity = capacity;
    return ARUS_OK;
}

/* The builders' arrays as vectors: values may have moved. */
static void refresh_views(struct arus_group_table *table)
{
    for (uint32_t k = 0; k < table->key_count; k++) {
        const struct arus_builder *builder = &table->keys[k];

        table->views[k].row_count = builder->row_count;
        table->views[k].values = builder->values;
        table->views[k].validity = builder->validity;
    }
}

static enum arus_status refresh_nested(struct arus_group_table *table, struct arus_error *err)
{
    arus_arena_reset(&table->view_arena);
    for (uint32_t k = 0; k < table->key_count; k++) {
        ARUS_TRY(arus_builder_finish(&table->keys[k], &table->view_arena, &table->views[k], err));
    }
    return ARUS_OK;
}

static bool has_nested(const struct arus_group_table *table)
{
    for (uint32_t k = 0; k < table->key_count; k++) {
        if (arus_type_is_nested(table->keys[k].type)) {
            return true;
        }
    }
    return false;
}

static enum arus_status add_group(struct arus_group_table *table, const struct arus_vector *keys,
                                  uint32_t row, uint64_t hash, struct arus_arena *heap,
                                  struct arus_error *err)
{
    if (table->group_count == table->group_capacity) {
        ARUS_TRY(grow_groups(table, err));
    }
    for (uint32_t k = 0; k < table->key_count; k++) {
        ARUS_TRY(arus_builder_append(&table->keys[k], &keys[k], row, heap, err));
    }
    table->hashes[table->group_count] = hash;
    if (table->stride != 0) {
        memset(table->states + table->group_count * table->stride, 0, table->stride);
    }
    table->group_count++;
    if (has_nested(table)) {
        return refresh_nested(table, err);
    }
    refresh_views(table);
    return ARUS_OK;
}

/* Where the first key of the group lies that a row will most likely be compared with, or NULL. */
static inline const char *key_of(const struct arus_group_table *table, uint64_t hash)
{
    const uint64_t slot = table->slots[(uint32_t)hash & table->slot_mask];
    const struct arus_vector *key = &table->views[0];

    return slot == 0 || (slot ^ hash) >> 32 != 0
               ? NULL
               : (const char *)key->values +
                     ((uint32_t)slot - 1) * (size_t)arus_type_value_size(key->type);
}

/* Slots are fetched three steps ahead of their rows, keys two, the bytes of texts one. */
static void fetch_ahead(const struct arus_group_table *table, const uint64_t *hashes, uint32_t row,
                        uint32_t row_count)
{
    const bool is_view = table->key_count > 0 && arus_type_is_view(table->views[0].type);
    const uint32_t end = row_count - row > 3 * AHEAD ? row + 3 * AHEAD : row_count;
    const uint32_t done = row == 0 ? 0 : 2 * AHEAD; /* at the start all three are near */

    for (uint32_t i = row + done; i < end; i++) {
        arus_prefetch(&table->slots[(uint32_t)hashes[i] & table->slot_mask]);
    }
    for (uint32_t i = row + done / 2; i < end && i < row + 2 * AHEAD; i++) {
        arus_prefetch(key_of(table, hashes[i]));
    }
    for (uint32_t i = row; is_view && i < end && i < row + AHEAD; i++) {
        const struct arus_view *view = (const void *)key_of(table, hashes[i]);

        arus_prefetch(view == NULL ? NULL : view->data);
    }
}

/* `heap`: for bytes of new keys. */
static enum arus_status find(struct arus_group_table *table, const struct arus_vector *keys,
                             uint32_t row_count, const uint64_t *hashes, struct arus_arena *heap,
                             uint32_t *groups, struct arus_error *err)
{
    if (table->key_count == 0 && table->group_count != 0) {
        memset(groups, 0, row_count * sizeof *groups);
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < row_count; i++) {
        const uint64_t hash = hashes[i];
        uint32_t at = (uint32_t)hash & table->slot_mask;
        uint64_t slot;

        if (i % AHEAD == 0 && table->slot_mask >= FETCH_MIN) {
            fetch_ahead(table, hashes, i, row_count);
        }
        while ((slot = table->slots[at]) != 0) {
            if ((slot ^ hash) >> 32 == 0 &&
                table->equal(keys, i, table->views, (uint32_t)slot - 1, table->key_count)) {
                break;
            }
            at = (at + 1) & table->slot_mask;
        }
        if (slot != 0) {
            groups[i] = (uint32_t)slot - 1;
            arus_prefetch(table->states + groups[i] * table->stride); /* to be updated soon */
            continue;
        }
        ARUS_TRY(add_group(table, keys, i, hash, heap, err));
        groups[i] = table->group_count - 1;
        table->slots[at] = slot_of(hash, groups[i]);
        if (table->group_count > table->slot_mask / 2) {
            ARUS_TRY(grow_slots(table, err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_group_table_find(struct arus_group_table *table,
                                       const struct arus_vector *keys, uint32_t row_count,
                                       const uint64_t *hashes, uint32_t *groups,
                                       struct arus_error *err)
{
    return find(table, keys, row_count, hashes, &table->heap, groups, err);
}

enum arus_status arus_group_table_merge(struct arus_group_table *table,
                                        struct arus_group_table *from, uint32_t *groups,
                                        struct arus_error *err)
{
    ARUS_TRY(refresh_nested(from, err));
    return find(table, from->views, from->group_count, from->hashes, NULL, groups, err);
}

enum arus_status arus_group_table_keys(struct arus_group_table *table,
                                       const struct arus_vector **out, struct arus_error *err)
{
    ARUS_TRY(refresh_nested(table, err));
    *out = table->views;
    return ARUS_OK;
}
