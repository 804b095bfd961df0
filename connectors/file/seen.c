/** Open addressing, linear probing; grown by doubling. */
#include "file/seen.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/prefetch.h"
#include "base/uuid.h"

#define CAPACITY_MIN ((size_t)1024)

enum arus_status arus_seen_init(struct arus_seen *seen, bool ignores_folders,
                                struct arus_error *err)
{
    char random[37];

    *seen = (struct arus_seen){.ignores_folders = ignores_folders};
    ARUS_TRY(arus_uuid_make(random, err));
    seen->seed.high = arus_hash_bytes(random, 36, 1);
    seen->seed.low = arus_hash_bytes(random, 36, 2);
    return ARUS_OK;
}

void arus_seen_release(struct arus_seen *seen)
{
    arus_free(seen->slots);
    arus_buffer_release(&seen->folder);
    *seen = (struct arus_seen){0};
}

void arus_seen_reset(struct arus_seen *seen)
{
    if (seen->capacity > CAPACITY_MIN) {
        arus_free(seen->slots);
        seen->slots = NULL;
        seen->capacity = 0;
    } else if (seen->capacity != 0 && seen->count != 0) {
        memset(seen->slots, 0, seen->capacity * sizeof *seen->slots);
    }
    seen->count = 0;
}

static bool is_empty(struct arus_seen_key key)
{
    return (key.high | key.low) == 0;
}

static struct arus_seen_key hash(const struct arus_seen *seen, struct arus_text text)
{
    return (struct arus_seen_key){arus_hash_bytes(text.data, text.size, seen->seed.high),
                                  arus_hash_bytes(text.data, text.size, seen->seed.low)};
}

/** Files come folder by folder: its hash is kept. */
static enum arus_status note_folder(struct arus_seen *seen, struct arus_text folder,
                                    struct arus_error *err)
{
    if (seen->ignores_folders || arus_text_equal(arus_buffer_text(&seen->folder), folder)) {
        return ARUS_OK;
    }
    arus_buffer_reset(&seen->folder);
    ARUS_TRY(arus_buffer_append_text(&seen->folder, folder, err));
    seen->folder_key = hash(seen, folder);
    return ARUS_OK;
}

static struct arus_seen_key key_of(const struct arus_seen *seen, struct arus_text name)
{
    const struct arus_seen_key own = hash(seen, name);
    struct arus_seen_key key = {arus_hash_mix(seen->folder_key.high, own.high),
                                arus_hash_mix(seen->folder_key.low, own.low)};

    key.low |= is_empty(key); /* no key is the empty slot */
    return key;
}

static size_t slot_of(const struct arus_seen *seen, struct arus_seen_key key)
{
    const size_t mask = seen->capacity - 1;
    size_t slot = (size_t)key.high & mask;

    while (!is_empty(seen->slots[slot]) &&
           (seen->slots[slot].high != key.high || seen->slots[slot].low != key.low)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static enum arus_status grow(struct arus_seen *seen, size_t capacity, struct arus_error *err)
{
    const struct arus_seen old = *seen;
    struct arus_seen_key *slots = (struct arus_seen_key *)arus_alloc(capacity, sizeof *slots);

    if (slots == NULL) {
        return arus_fail_memory(err);
    }
    seen->slots = slots;
    seen->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++) {
        if (!is_empty(old.slots[i])) {
            slots[slot_of(seen, old.slots[i])] = old.slots[i];
        }
    }
    arus_free(old.slots);
    return ARUS_OK;
}

enum arus_status arus_seen_reserve(struct arus_seen *seen, uint64_t count, struct arus_error *err)
{
    size_t capacity = CAPACITY_MIN;

    while (capacity < count * 2 && capacity < SIZE_MAX / 4) {
        capacity *= 2;
    }
    return capacity <= seen->capacity ? ARUS_OK : grow(seen, capacity, err);
}

bool arus_seen_has(struct arus_seen *seen, struct arus_text folder, struct arus_text name)
{
    struct arus_error ignored;

    if (seen->count == 0 || note_folder(seen, folder, &ignored) != ARUS_OK) {
        return false;
    }
    return !is_empty(seen->slots[slot_of(seen, key_of(seen, name))]);
}

void arus_seen_hint(struct arus_seen *seen, struct arus_text folder, struct arus_text name)
{
    struct arus_error ignored;

    if (seen->count != 0 && note_folder(seen, folder, &ignored) == ARUS_OK) {
        arus_prefetch(&seen->slots[(size_t)key_of(seen, name).high & (seen->capacity - 1)]);
    }
}

static enum arus_status add_key(struct arus_seen *seen, struct arus_seen_key key, bool *is_new,
                                struct arus_error *err)
{
    size_t slot;

    if (seen->count * 2 >= seen->capacity) {
        ARUS_TRY(grow(seen, seen->capacity == 0 ? CAPACITY_MIN : seen->capacity * 2, err));
    }
    slot = slot_of(seen, key);
    *is_new = is_empty(seen->slots[slot]);
    if (*is_new) {
        seen->slots[slot] = key;
        seen->count++;
    }
    return ARUS_OK;
}

enum arus_status arus_seen_add(struct arus_seen *seen, struct arus_text folder,
                               struct arus_text name, bool *is_new, struct arus_error *err)
{
    ARUS_TRY(note_folder(seen, folder, err));
    return add_key(seen, key_of(seen, name), is_new, err);
}

enum arus_status arus_seen_enqueue(struct arus_seen *seen, struct arus_text folder,
                                   struct arus_text name, struct arus_error *err)
{
    struct arus_seen_key key;

    if (seen->queue_count == ARUS_SEEN_QUEUE) {
        ARUS_TRY(arus_seen_settle(seen, err));
    }
    ARUS_TRY(note_folder(seen, folder, err));
    key = key_of(seen, name);
    if (seen->capacity != 0) {
        arus_prefetch(&seen->slots[(size_t)key.high & (seen->capacity - 1)]);
    }
    seen->queue[seen->queue_count++] = key;
    return ARUS_OK;
}

enum arus_status arus_seen_settle(struct arus_seen *seen, struct arus_error *err)
{
    for (uint32_t i = 0; i < seen->queue_count; i++) {
        bool is_new;

        ARUS_TRY(add_key(seen, seen->queue[i], &is_new, err));
    }
    seen->queue_count = 0;
    return ARUS_OK;
}
