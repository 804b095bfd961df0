/** Linear probing over halves of hashes; deletion moves the rest of a cluster back, so there are no
 * tombstones. */
#include "state/part.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "state/part_internal.h"

#include <stdio.h>

#define SLOTS_FIRST   16u
#define ENTRIES_FIRST 16u
#define ENTRIES_MAX   (UINT32_C(1) << 31)
#define PAGE_SIZE     4096u
#define ENTRY_ROOM    10u /* of two sizes */
#define BYTES_FIRST   256u
#define AHEAD         6u /* rows between the steps of fetching */

uint64_t arus_state_hash(const char *key, size_t size)
{
    return arus_hash_bytes(key, size, 0);
}

void arus_state_part_init(struct arus_state_part *part, const struct arus_state_layout *layout,
                          struct arus_state_budget *budget)
{
    *part = (struct arus_state_part){.layout = layout,
                                     .budget = budget,
                                     .block_free = ARUS_STATE_NONE,
                                     .block_now = ARUS_STATE_NONE,
                                     .next_id = 1,
                                     .evicted = INT64_MIN};
}

void arus_state_part_clear(struct arus_state_part *part)
{
    for (uint32_t i = 0; i < part->block_count; i++) {
        arus_free(part->blocks[i].bytes);
    }
    arus_free(part->blocks);
    arus_free(part->slots);
    arus_free(part->fixed);
    arus_free(part->key_at);
    arus_free(part->expiry);
    arus_free(part->links);
    arus_free(part->dirty);
    arus_buffer_release(&part->removed);
    if (part->budget != NULL) {
        atomic_fetch_sub_explicit(&part->budget->used_size, part->memory_size,
                                  memory_order_relaxed);
    }
    arus_state_part_init(part, part->layout, part->budget);
}

void arus_state_part_reset(struct arus_state_part *part)
{
    if (part->slots != NULL) {
        memset(part->slots, 0, ((size_t)part->slot_mask + 1) * sizeof *part->slots);
    }
    part->block_free = ARUS_STATE_NONE;
    for (uint32_t i = part->block_count; i-- > 0;) {
        struct arus_state_block *block = &part->blocks[i];

        *block = (struct arus_state_block){
            .bytes = block->bytes, .capacity = block->capacity, .size = part->block_free};
        part->block_free = i;
    }
    part->block_now = ARUS_STATE_NONE;
    part->is_scratch = true;
    part->slot_count = 0;
    part->entry_count = 0;
    part->dirty_count = 0;
    part->removed_count = 0;
    arus_buffer_reset(&part->removed);
    part->evicted = INT64_MIN;
}

/* 1.07 GiB, 41 MiB, 2.5 KiB */
static const char *size_text(uint64_t size, char out[32])
{
    static const char *const UNITS[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = (double)size / 1024;
    size_t unit = 0;

    for (; value >= 1000 && unit + 1 < sizeof UNITS / sizeof *UNITS; unit++) {
        value /= 1024;
    }
    (void)snprintf(out, 32, "%.3g %s", value, UNITS[unit]);
    return out;
}

enum arus_status arus_state_take_memory(struct arus_state_budget *budget, uint64_t size,
                                        struct arus_error *err)
{
    const uint64_t used =
        atomic_fetch_add_explicit(&budget->used_size, size, memory_order_relaxed) + size;
    char needed[32];
    char limit[32];

    if (budget->size_max == 0 || used <= budget->size_max) {
        return ARUS_OK;
    }
    atomic_fetch_sub_explicit(&budget->used_size, size, memory_order_relaxed);
    arus_ignore(arus_fail(err, ARUS_NO_MEMORY, "ARUS_STATE_MEMORY_LIMIT",
                          "state needs %s, state.memoryLimit is %s", size_text(used, needed),
                          size_text(budget->size_max, limit)));
    return arus_error_help(err,
                           "a watermark bounds state; or TBLPROPERTIES (state.memoryLimit '%llum')",
                           (unsigned long long)(budget->size_max * 2 / 1048576 + 1));
}

void arus_state_give_memory(struct arus_state_budget *budget, uint64_t size)
{
    atomic_fetch_sub_explicit(&budget->used_size, size, memory_order_relaxed);
}

/* Grows an array that counts against the budget. */
static enum arus_status grow(struct arus_state_part *part, void **array, size_t item_size,
                             size_t old_count, size_t count, struct arus_error *err)
{
    const uint64_t extra = (count - old_count) * item_size;
    void *memory;

    ARUS_TRY(arus_state_take_memory(part->budget, extra, err));
    memory = arus_realloc(*array, count * item_size);
    if (memory == NULL) {
        arus_state_give_memory(part->budget, extra);
        return arus_fail_memory(err);
    }
    part->memory_size += extra;
    *array = memory;
    return ARUS_OK;
}

static void give_back(struct arus_state_part *part, uint64_t size)
{
    part->memory_size -= size;
    arus_state_give_memory(part->budget, size);
}

/* ---- slots ---- */

static uint64_t slot_make(uint64_t hash, uint32_t entry)
{
    return hash << 32 | (entry + 1);
}

/* Fresh memory is written before it is read: a page that was only read is mapped a second time. */
static void touch_pages(uint64_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i += PAGE_SIZE / sizeof *slots) {
        *(volatile uint64_t *)&slots[i] = 0;
    }
}

/* Twice as many slots, or more when so many keys will come. */
static enum arus_status grow_slots(struct arus_state_part *part, uint64_t key_count,
                                   struct arus_error *err)
{
    const size_t old = part->slots == NULL ? 0 : (size_t)part->slot_mask + 1;
    size_t count = old == 0 ? SLOTS_FIRST : old * 2;
    uint64_t *slots;

    while (key_count > count / 4 * 3) {
        count *= 2;
    }
    ARUS_TRY(arus_state_take_memory(part->budget, (count - old) * sizeof *slots, err));
    slots = arus_alloc(count, sizeof *slots);
    if (slots == NULL) {
        atomic_fetch_sub_explicit(&part->budget->used_size, (count - old) * sizeof *slots,
                                  memory_order_relaxed);
        return arus_fail_memory(err);
    }
    touch_pages(slots, count);
    part->memory_size += (count - old) * sizeof *slots;
    for (size_t i = 0; i < old; i++) {
        if (part->slots[i] != 0) {
            size_t at = (part->slots[i] >> 32) & (count - 1);

            while (slots[at] != 0) {
                at = (at + 1) & (count - 1);
            }
            slots[at] = part->slots[i];
        }
    }
    arus_free(part->slots);
    part->slots = slots;
    part->slot_mask = (uint32_t)(count - 1);
    return ARUS_OK;
}

enum arus_status arus_state_part_expect(struct arus_state_part *part, uint64_t key_count,
                                        struct arus_error *err)
{
    const uint64_t wanted = part->slot_count + key_count;

    return key_count == 0 || wanted < part->slot_mask / 4 * 3 || wanted > ENTRIES_MAX
               ? ARUS_OK
               : grow_slots(part, wanted, err);
}

static void delete_slot(struct arus_state_part *part, uint32_t at)
{
    uint64_t *slots = part->slots;
    const uint32_t mask = part->slot_mask;
    uint32_t hole = at;

    for (uint32_t i = (at + 1) & mask; slots[i] != 0; i = (i + 1) & mask) {
        const uint32_t home = (uint32_t)(slots[i] >> 32) & mask;

        if (((i - home) & mask) >= ((i - hole) & mask)) {
            slots[hole] = slots[i];
            hole = i;
        }
    }
    slots[hole] = 0;
    part->slot_count--;
}

/* The slot of a key, or the free one where it belongs. There are slots. */
static uint32_t find_slot(const struct arus_state_part *part, const char *key, uint32_t size,
                          uint64_t hash)
{
    const uint64_t *slots = part->slots;
    const uint64_t tag = hash & UINT32_MAX;
    uint32_t at = (uint32_t)hash & part->slot_mask;

    for (; slots[at] != 0; at = (at + 1) & part->slot_mask) {
        if (slots[at] >> 32 == tag) {
            const struct arus_text own = arus_state_part_key(part, arus_slot_entry(slots[at]));

            if (own.size == size && memcmp(own.data, key, size) == 0) {
                break;
            }
        }
    }
    return at;
}

/* ---- entries ---- */

static enum arus_status grow_entries(struct arus_state_part *part, uint32_t wanted,
                                     struct arus_error *err)
{
    const struct arus_state_layout *layout = part->layout;
    const uint32_t old = part->entry_capacity;
    uint32_t count = old < ARUS_STATE_BLOCK ? old * 2 : old + old / 2;

    count = count < ENTRIES_FIRST ? ENTRIES_FIRST : count;
    count = count < wanted ? wanted : count;
    if (count > ENTRIES_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "more than 2^31 entries in one partition");
    }
    ARUS_TRY(grow(part, (void **)&part->key_at, sizeof *part->key_at, old, count, err));
    if (layout->fixed_size != 0) {
        ARUS_TRY(grow(part, (void **)&part->fixed, layout->fixed_size, old, count, err));
    }
    if (layout->has_expiry) {
        ARUS_TRY(grow(part, (void **)&part->expiry, sizeof *part->expiry, old, count, err));
    }
    if (layout->is_multi) {
        ARUS_TRY(grow(part, (void **)&part->links, sizeof *part->links, old, count, err));
    }
    part->entry_capacity = count;
    return ARUS_OK;
}

static void trim_block(struct arus_state_part *part, struct arus_state_block *block)
{
    char *bytes;

    if (part->is_scratch || block->capacity - block->size <= block->size / 16) {
        return;
    }
    bytes = arus_realloc(block->bytes, block->size);
    if (bytes != NULL) {
        give_back(part, block->capacity - block->size);
        block->bytes = bytes;
        block->capacity = block->size;
    }
}

static enum arus_status open_block(struct arus_state_part *part, struct arus_error *err)
{
    uint32_t index = part->block_free;

    if (part->block_now != ARUS_STATE_NONE) {
        trim_block(part, &part->blocks[part->block_now]);
        part->block_size = part->blocks[part->block_now].size;
    }
    if (index != ARUS_STATE_NONE) {
        part->block_free = part->blocks[index].size;
    } else {
        if (part->block_count == part->block_capacity) {
            const uint32_t capacity =
                part->block_capacity == 0 ? 1 : part->block_capacity + part->block_capacity / 2 + 1;

            ARUS_TRY(grow(part, (void **)&part->blocks, sizeof *part->blocks, part->block_capacity,
                          capacity, err));
            part->block_capacity = capacity;
        }
        index = part->block_count++;
        part->blocks[index] = (struct arus_state_block){0};
    }
    part->blocks[index] = (struct arus_state_block){.bytes = part->blocks[index].bytes,
                                                    .capacity = part->blocks[index].capacity,
                                                    .expiry_min = ARUS_STATE_NEVER};
    part->block_now = index;
    return ARUS_OK;
}

/* Room for `size` more bytes. */
static enum arus_status reserve_bytes(struct arus_state_part *part, struct arus_state_block *block,
                                      uint64_t size, struct arus_error *err)
{
    const uint64_t wanted = block->size + size;

    if (wanted > UINT32_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "256 entries of state are larger than 4 GiB");
    }
    if (wanted > block->capacity) {
        const uint32_t first =
            part->block_size < BYTES_FIRST ? BYTES_FIRST : part->block_size + ENTRY_ROOM;
        uint64_t capacity = block->capacity == 0 ? first : (uint64_t)block->capacity * 2;

        capacity = capacity < wanted ? wanted : capacity;
        capacity = capacity > UINT32_MAX ? UINT32_MAX : capacity;
        ARUS_TRY(grow(part, (void **)&block->bytes, 1, block->capacity, capacity, err));
        block->capacity = (uint32_t)capacity;
    }
    return ARUS_OK;
}

static enum arus_status append_bytes(struct arus_state_part *part, struct arus_state_block *block,
                                     struct arus_text key, struct arus_text payload,
                                     struct arus_error *err)
{
    char *at;

    ARUS_TRY(reserve_bytes(part, block, (uint64_t)key.size + payload.size + ENTRY_ROOM, err));
    at = arus_bytes_write(key.data, key.size, block->bytes + block->size);
    if (part->layout->has_payload) {
        at = arus_bytes_write(payload.data, payload.size, at);
    }
    block->size = (uint32_t)(at - block->bytes);
    return ARUS_OK;
}

static enum arus_status new_entry(struct arus_state_part *part, struct arus_text key,
                                  int64_t expiry, struct arus_text payload, uint32_t *out,
                                  struct arus_error *err)
{
    struct arus_state_block *block;
    uint32_t entry;
    uint32_t in_block;

    if (part->block_now == ARUS_STATE_NONE ||
        part->blocks[part->block_now].used_count == ARUS_STATE_BLOCK) {
        ARUS_TRY(open_block(part, err));
    }
    block = &part->blocks[part->block_now];
    in_block = block->used_count;
    entry = part->block_now * ARUS_STATE_BLOCK + in_block;
    if (entry >= part->entry_capacity) {
        ARUS_TRY(grow_entries(part, entry + 1, err));
    }
    part->key_at[entry] = block->size;
    ARUS_TRY(append_bytes(part, block, key, payload, err));
    if (part->layout->fixed_size != 0) {
        memset(arus_state_part_fixed(part, entry), 0, part->layout->fixed_size);
    }
    if (part->layout->has_expiry) {
        part->expiry[entry] = expiry;
        block->expiry_min = expiry < block->expiry_min ? expiry : block->expiry_min;
    }
    block->live[in_block / 64] |= UINT64_C(1) << (in_block % 64);
    block->used_count++;
    block->live_count++;
    part->entry_count++;
    *out = entry;
    return part->is_scratch ? ARUS_OK : arus_state_part_touch(part, entry, err);
}

enum arus_status arus_state_part_touch(struct arus_state_part *part, uint32_t entry,
                                       struct arus_error *err)
{
    uint64_t *word = &part->blocks[entry / ARUS_STATE_BLOCK].dirty[entry % ARUS_STATE_BLOCK / 64];
    const uint64_t bit = UINT64_C(1) << (entry % 64);

    if ((*word & bit) != 0) {
        return ARUS_OK;
    }
    if (part->dirty_count == part->dirty_capacity) {
        const uint32_t capacity = part->dirty_capacity == 0 ? 64 : part->dirty_capacity * 2;

        ARUS_TRY(grow(part, (void **)&part->dirty, sizeof *part->dirty, part->dirty_capacity,
                      capacity, err));
        part->dirty_capacity = capacity;
    }
    *word |= bit;
    part->dirty[part->dirty_count++] = entry;
    return ARUS_OK;
}

void arus_state_part_free_block(struct arus_state_part *part, uint32_t index)
{
    struct arus_state_block *block = &part->blocks[index];

    give_back(part, block->capacity);
    arus_free(block->bytes);
    *block = (struct arus_state_block){.expiry_min = ARUS_STATE_NEVER};
    if (index != part->block_now) {
        block->size = part->block_free;
        part->block_free = index;
    }
}

void arus_state_part_kill(struct arus_state_part *part, uint32_t entry)
{
    const uint32_t index = entry / ARUS_STATE_BLOCK;
    struct arus_state_block *block = &part->blocks[index];

    block->live[entry % ARUS_STATE_BLOCK / 64] &= ~(UINT64_C(1) << (entry % 64));
    block->live_count--;
    part->entry_count--;
    if (block->live_count == 0) {
        arus_state_part_free_block(part, index);
    }
}

uint64_t arus_state_part_hash_of(const struct arus_state_part *part, uint32_t entry)
{
    const struct arus_text key = arus_state_part_key(part, entry);

    return arus_state_hash(key.data, key.size);
}

static uint32_t slot_of(const struct arus_state_part *part, uint32_t entry, uint64_t hash)
{
    const struct arus_text key = arus_state_part_key(part, entry);

    return find_slot(part, key.data, (uint32_t)key.size, hash);
}

static void set_slot_entry(struct arus_state_part *part, uint32_t slot, uint32_t entry)
{
    part->slots[slot] = (part->slots[slot] & ~(uint64_t)UINT32_MAX) | (entry + 1);
}

void arus_state_part_unlink(struct arus_state_part *part, uint32_t entry, uint64_t hash)
{
    struct arus_state_link *links = part->links;
    struct arus_state_link link;

    if (!part->layout->is_multi) {
        delete_slot(part, slot_of(part, entry, hash));
        return;
    }
    link = links[entry];
    if (links[link.previous].next == entry) { /* not the first */
        links[link.previous].next = link.next;
        if (link.next != ARUS_STATE_NONE) {
            links[link.next].previous = link.previous;
        } else {
            links[arus_slot_entry(part->slots[slot_of(part, entry, hash)])].previous =
                link.previous;
        }
    } else if (link.next == ARUS_STATE_NONE) {
        delete_slot(part, slot_of(part, entry, hash));
    } else {
        links[link.next].previous = link.previous;
        set_slot_entry(part, slot_of(part, entry, hash), link.next);
    }
}

/* ---- finding ---- */

void arus_state_part_fetch(const struct arus_state_part *part, const struct arus_state_keys *keys,
                           const uint32_t *rows, uint32_t j, uint32_t count)
{
    if (part->slots == NULL) {
        return;
    }
    for (uint32_t i = 0; j == 0 && i < count && i < 2 * AHEAD; i++) {
        arus_slot_fetch(part, keys->hashes[rows == NULL ? i : rows[i]]);
    }
    if (rows != NULL && count - j > 3 * AHEAD) {
        const uint32_t row = rows[j + 3 * AHEAD];

        arus_prefetch(&keys->keys[row]);
        arus_prefetch(&keys->hashes[row]);
    }
    if (count - j > 2 * AHEAD) {
        const uint32_t row = rows == NULL ? j + 2 * AHEAD : rows[j + 2 * AHEAD];

        arus_prefetch(keys->keys[row].data);
        arus_slot_fetch(part, keys->hashes[row]);
    }
    if (count - j > AHEAD) {
        const uint64_t hash = keys->hashes[rows == NULL ? j + AHEAD : rows[j + AHEAD]];
        const uint64_t slot = part->slots[(uint32_t)hash & part->slot_mask];

        if (slot != 0 && slot >> 32 == (hash & UINT32_MAX)) {
            arus_prefetch(&part->key_at[arus_slot_entry(slot)]);
            if (part->layout->is_multi) {
                arus_prefetch(&part->links[arus_slot_entry(slot)]);
            }
        }
    }
    if (count - j > AHEAD / 2) {
        const uint64_t hash = keys->hashes[rows == NULL ? j + AHEAD / 2 : rows[j + AHEAD / 2]];
        const uint64_t slot = part->slots[(uint32_t)hash & part->slot_mask];

        if (slot != 0 && slot >> 32 == (hash & UINT32_MAX)) {
            const uint32_t entry = arus_slot_entry(slot);

            arus_prefetch(part->blocks[entry / ARUS_STATE_BLOCK].bytes + part->key_at[entry]);
        }
    }
}

enum arus_status arus_state_part_find(struct arus_state_part *part,
                                      const struct arus_state_keys *keys, const uint32_t *rows,
                                      uint32_t count, uint32_t *entries, bool *is_new,
                                      struct arus_error *err)
{
    for (uint32_t j = 0; j < count; j++) {
        const uint32_t row = rows == NULL ? j : rows[j];
        const struct arus_text key = keys->keys[row];
        uint32_t at;
        bool is_missing;

        if (part->slot_count >= part->slot_mask / 4 * 3) {
            ARUS_TRY(grow_slots(part, 0, err));
        }
        arus_state_part_fetch(part, keys, rows, j, count);
        at = find_slot(part, key.data, (uint32_t)key.size, keys->hashes[row]);
        is_missing = part->slots[at] == 0;
        if (is_missing) {
            ARUS_TRY(new_entry(part, key,
                               keys->expiries == NULL ? ARUS_STATE_NEVER : keys->expiries[row],
                               (struct arus_text){0}, &entries[j], err));
            part->slots[at] = slot_make(keys->hashes[row], entries[j]);
            part->slot_count++;
        } else {
            entries[j] = arus_slot_entry(part->slots[at]);
        }
        if (is_new != NULL) {
            is_new[j] = is_missing;
        }
    }
    return ARUS_OK;
}

/* Entries of `count` rows in the block of now, which has room for them. */
static enum arus_status append_to_block(struct arus_state_part *part,
                                        const struct arus_state_keys *keys, const uint32_t *rows,
                                        uint32_t count, uint32_t *entries, struct arus_error *err)
{
    struct arus_state_block *block = &part->blocks[part->block_now];
    const uint32_t first = part->block_now * ARUS_STATE_BLOCK + block->used_count;
    uint64_t size = 0;
    char *at;

    if (first + count > part->entry_capacity) {
        ARUS_TRY(grow_entries(part, first + count, err));
    }
    for (uint32_t j = 0; j < count; j++) {
        size += keys->keys[rows[j]].size + ENTRY_ROOM;
    }
    ARUS_TRY(reserve_bytes(part, block, size, err));
    if (part->layout->fixed_size != 0) {
        memset(arus_state_part_fixed(part, first), 0, (size_t)count * part->layout->fixed_size);
    }
    at = block->bytes + block->size;
    for (uint32_t j = 0; j < count; j++) {
        const uint32_t entry = first + j;
        const int64_t expiry = keys->expiries == NULL ? ARUS_STATE_NEVER : keys->expiries[rows[j]];

        part->key_at[entry] = (uint32_t)(at - block->bytes);
        at = arus_bytes_write(keys->keys[rows[j]].data, keys->keys[rows[j]].size, at);
        if (part->layout->has_expiry) {
            part->expiry[entry] = expiry;
            block->expiry_min = expiry < block->expiry_min ? expiry : block->expiry_min;
        }
        block->live[entry % ARUS_STATE_BLOCK / 64] |= UINT64_C(1) << (entry % 64);
        entries[rows[j]] = entry;
    }
    block->size = (uint32_t)(at - block->bytes);
    block->used_count += (uint16_t)count;
    block->live_count += (uint16_t)count;
    part->entry_count += count;
    return ARUS_OK;
}

enum arus_status arus_state_part_append(struct arus_state_part *part,
                                        const struct arus_state_keys *keys, const uint32_t *rows,
                                        uint32_t count, uint32_t *entries, struct arus_error *err)
{
    while (count != 0) {
        uint32_t room;

        if (part->block_now == ARUS_STATE_NONE ||
            part->blocks[part->block_now].used_count == ARUS_STATE_BLOCK) {
            ARUS_TRY(open_block(part, err));
        }
        room = ARUS_STATE_BLOCK - part->blocks[part->block_now].used_count;
        room = count < room ? count : room;
        ARUS_TRY(append_to_block(part, keys, rows, room, entries, err));
        rows += room;
        count -= room;
    }
    return ARUS_OK;
}

uint32_t arus_state_part_get(const struct arus_state_part *part, struct arus_text key,
                             uint64_t hash)
{
    uint32_t at;

    if (part->slots == NULL) {
        return ARUS_STATE_NONE;
    }
    at = find_slot(part, key.data, (uint32_t)key.size, hash);
    return part->slots[at] == 0 ? ARUS_STATE_NONE : arus_slot_entry(part->slots[at]);
}

enum arus_status arus_state_part_add(struct arus_state_part *part, struct arus_text key,
                                     uint64_t hash, int64_t expiry, struct arus_text payload,
                                     uint32_t *entry, struct arus_error *err)
{
    uint32_t at;

    if (part->slot_count >= part->slot_mask / 4 * 3) {
        ARUS_TRY(grow_slots(part, 0, err));
    }
    ARUS_TRY(new_entry(part, key, expiry, payload, entry, err));
    at = find_slot(part, key.data, (uint32_t)key.size, hash);
    if (part->slots[at] == 0) {
        part->slots[at] = slot_make(hash, *entry);
        part->slot_count++;
        if (part->layout->is_multi) {
            part->links[*entry] =
                (struct arus_state_link){ARUS_STATE_NONE, *entry, part->next_id++};
        }
    } else if (part->layout->is_multi) {
        const uint32_t first = arus_slot_entry(part->slots[at]);
        const uint32_t last = part->links[first].previous;

        part->links[*entry] = (struct arus_state_link){ARUS_STATE_NONE, last, part->next_id++};
        part->links[last].next = *entry;
        part->links[first].previous = *entry;
    }
    return ARUS_OK;
}

enum arus_status arus_state_part_remove(struct arus_state_part *part, uint32_t entry,
                                        struct arus_error *err)
{
    const struct arus_text key = arus_state_part_key(part, entry);
    char number[10];
    char *end = arus_varint_write(key.size, number);

    ARUS_TRY(arus_buffer_append(&part->removed, number, (size_t)(end - number), err));
    ARUS_TRY(arus_buffer_append_text(&part->removed, key, err));
    if (part->layout->is_multi) {
        end = arus_varint_write(part->links[entry].id, number);
        ARUS_TRY(arus_buffer_append(&part->removed, number, (size_t)(end - number), err));
    }
    part->removed_count++;
    arus_state_part_drop_entry(part, entry);
    return ARUS_OK;
}

void arus_state_part_drop_entry(struct arus_state_part *part, uint32_t entry)
{
    arus_state_part_unlink(part, entry, arus_state_part_hash_of(part, entry));
    arus_state_part_kill(part, entry);
}

void arus_state_part_set_expiry(struct arus_state_part *part, uint32_t entry, int64_t expiry)
{
    struct arus_state_block *block = &part->blocks[entry / ARUS_STATE_BLOCK];

    part->expiry[entry] = expiry;
    block->expiry_min = expiry < block->expiry_min ? expiry : block->expiry_min;
}

struct arus_text arus_state_part_long_key(const char *at)
{
    uint64_t size;

    at = arus_varint_read(at, &size);
    return (struct arus_text){at, size};
}

struct arus_text arus_state_part_payload(const struct arus_state_part *part, uint32_t entry)
{
    const struct arus_text key = arus_state_part_key(part, entry);
    uint64_t size;
    const char *at = arus_varint_read(key.data + key.size, &size);

    return (struct arus_text){at, size};
}

/* ---- all entries ---- */

uint32_t arus_state_part_next_live(const struct arus_state_part *part, uint32_t entry)
{
    for (uint32_t index = entry / ARUS_STATE_BLOCK; index < part->block_count; index++) {
        const struct arus_state_block *block = &part->blocks[index];
        uint32_t in_block = index == entry / ARUS_STATE_BLOCK ? entry % ARUS_STATE_BLOCK : 0;

        while (block->live_count != 0 && in_block < ARUS_STATE_BLOCK) {
            const uint64_t word = block->live[in_block / 64] >> (in_block % 64);

            if (word != 0) {
                return index * ARUS_STATE_BLOCK + in_block + (uint32_t)__builtin_ctzll(word);
            }
            in_block = (in_block / 64 + 1) * 64;
        }
    }
    return ARUS_STATE_NONE;
}
