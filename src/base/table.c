/** Linear probing; a slot holds enough of the hash that texts are compared about once. */
#include "base/table.h"

#include "base/alloc.h"
#include "base/hash.h"

#define CAPACITY_MIN ((uint32_t)64)
#define HASH_MASK    UINT64_C(0xffffffff00000000)

static uint32_t slot_of(const struct arus_text_table *table, struct arus_text key, uint64_t hash)
{
    const uint32_t mask = table->capacity - 1;
    uint32_t slot = (uint32_t)hash & mask;

    while (table->slots[slot] != 0) {
        const uint64_t word = table->slots[slot];

        if (((word ^ hash) & HASH_MASK) == 0 &&
            arus_text_equal(table->texts[(uint32_t)word - 1], key)) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static enum arus_status grow(struct arus_text_table *table, struct arus_error *err)
{
    const uint32_t capacity = table->capacity == 0 ? CAPACITY_MIN : table->capacity * 2;
    uint64_t *slots;
    struct arus_text *texts;

    if (capacity == 0) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "more than 2 billion texts in a table");
    }
    slots = (uint64_t *)arus_alloc(capacity, sizeof *slots);
    if (slots == NULL) {
        return arus_fail_memory(err);
    }
    texts = (struct arus_text *)arus_realloc(table->texts, capacity / 2 * sizeof *texts);
    if (texts == NULL) {
        arus_free(slots);
        return arus_fail_memory(err);
    }
    arus_free(table->slots);
    table->slots = slots;
    table->texts = texts;
    table->capacity = capacity;
    for (uint32_t i = 0; i < table->count; i++) {
        const uint64_t hash = arus_hash_bytes(texts[i].data, texts[i].size, 0);

        slots[slot_of(table, texts[i], hash)] = (hash & HASH_MASK) | (i + 1);
    }
    return ARUS_OK;
}

enum arus_status arus_text_table_add(struct arus_text_table *table, struct arus_text key,
                                     uint32_t *out, bool *is_new, struct arus_error *err)
{
    const uint64_t hash = arus_hash_bytes(key.data, key.size, 0);
    uint32_t slot;

    if (table->count >= table->capacity / 2) {
        ARUS_TRY(grow(table, err));
    }
    slot = slot_of(table, key, hash);
    *is_new = table->slots[slot] == 0;
    if (*is_new) {
        ARUS_TRY(arus_text_copy(key, &table->keys, &table->texts[table->count], err));
        table->count++;
        table->slots[slot] = (hash & HASH_MASK) | table->count;
    }
    *out = (uint32_t)table->slots[slot] - 1;
    return ARUS_OK;
}

int64_t arus_text_table_find(const struct arus_text_table *table, struct arus_text key)
{
    uint64_t word;

    if (table->count == 0) {
        return -1;
    }
    word = table->slots[slot_of(table, key, arus_hash_bytes(key.data, key.size, 0))];
    return word == 0 ? -1 : (int64_t)(uint32_t)word - 1;
}

void arus_text_table_reset(struct arus_text_table *table)
{
    if (table->capacity != 0) {
        memset(table->slots, 0, table->capacity * sizeof *table->slots);
    }
    table->count = 0;
    arus_arena_reset(&table->keys);
}

void arus_text_table_release(struct arus_text_table *table)
{
    arus_free(table->slots);
    arus_free(table->texts);
    arus_arena_release(&table->keys);
    *table = (struct arus_text_table){0};
}
