/** Open addressing with linear probing. Short values stand in their slot, so most probes touch one
 * line. */
#include "base/alloc.h"
#include "format/parquet_encode.h"

#include <string.h>

#define SLOT_COUNT_LEAST ((uint32_t)256)
#define FACTOR           UINT64_C(0x9E3779B97F4A7C15)
#define OTHER_FACTOR     UINT64_C(0xC2B2AE3D27D4EB4F)
#define SHORT_SIZE       16

/** What tells values apart: up to 16 bytes the value itself (given `size`), else hashes. */
struct key {
    uint64_t word;
    uint64_t more;
    uint32_t size;
};

struct arus_parquet_slot {
    struct key key;
    uint32_t number; /* index + 1; 0: empty */
};

static inline uint32_t place_of(struct key key, uint32_t slot_count)
{
    const uint64_t hash = (key.word ^ key.size) * FACTOR ^ key.more * OTHER_FACTOR;

    return (uint32_t)(hash ^ hash >> 32) * 0x85EBCA6BU >> (32 - __builtin_ctz(slot_count));
}

static inline bool keys_equal(struct key a, struct key b)
{
    return ((a.word ^ b.word) | (a.more ^ b.more) | (a.size ^ b.size)) == 0;
}

static inline uint64_t load64(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint32_t load32(const char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

static struct key hash_of(struct arus_view value)
{
    const char *end = value.data + value.size;
    struct key key = {load64(value.data), load64(end - 8), value.size};

    for (const char *at = value.data + 8; at + 8 < end; at += 8) {
        key.word = (key.word ^ load64(at)) * FACTOR;
        key.word ^= key.word >> 29;
    }
    return key;
}

/** Sizes vary from value to value: up to 8 bytes without a branch on them. */
static inline struct key key_of(const struct arus_view *value)
{
    const uint32_t size = value->size;

    if (size <= 8) {
        const uintptr_t prefix = (uintptr_t)value->prefix;
        const uintptr_t tail = (uintptr_t)value->data + size - 4;
        const uintptr_t is_long = (uintptr_t)0 - (size > 4);

        return (struct key){load32(value->prefix),
                            load32((const char *)(prefix ^ (is_long & (prefix ^ tail)))), size};
    }
    return size <= SHORT_SIZE
               ? (struct key){load64(value->data), load64(value->data + size - 8), size}
               : hash_of(*value);
}

static enum arus_status grow(struct arus_parquet_dictionary *dictionary, struct arus_error *err)
{
    const uint32_t old_count = dictionary->slot_count;
    const uint32_t slot_count = old_count == 0 ? SLOT_COUNT_LEAST : old_count * 4;
    struct arus_parquet_slot *slots = arus_alloc(slot_count, sizeof *slots);

    if (slots == NULL) {
        return arus_fail_memory(err);
    }
    for (uint32_t i = 0; i < old_count; i++) {
        const struct arus_parquet_slot slot = dictionary->slots[i];
        uint32_t at;

        if (slot.number == 0) {
            continue;
        }
        at = place_of(slot.key, slot_count);
        while (slots[at].number != 0) {
            at = (at + 1) & (slot_count - 1);
        }
        slots[at] = slot;
    }
    arus_free(dictionary->slots);
    dictionary->slots = slots;
    dictionary->slot_count = slot_count;
    return ARUS_OK;
}

struct arus_text arus_parquet_dictionary_value(const struct arus_parquet_dictionary *dictionary,
                                               uint32_t i)
{
    const struct arus_parquet_bytes *values = (const void *)dictionary->values.data;

    return (struct arus_text){dictionary->plain.data + values[i].begin, values[i].size};
}

static bool is_value(const struct arus_parquet_dictionary *dictionary, uint32_t i,
                     struct arus_view value)
{
    const struct arus_text found = arus_parquet_dictionary_value(dictionary, i);

    return memcmp(found.data, value.data, value.size) == 0;
}

static enum arus_status add_bytes(struct arus_parquet_dictionary *dictionary, const void *data,
                                  uint32_t size, struct arus_error *err)
{
    struct arus_parquet_bytes place = {.size = size};

    if (dictionary->is_sized) {
        ARUS_TRY(arus_buffer_append(&dictionary->plain, &size, sizeof size, err));
    }
    place.begin = (uint32_t)dictionary->plain.size;
    ARUS_TRY(arus_buffer_append(&dictionary->plain, data, size, err));
    ARUS_TRY(arus_buffer_append(&dictionary->values, &place, sizeof place, err));
    dictionary->count++;
    return ARUS_OK;
}

#define NAME                       arus_parquet_dictionary_add32
#define TYPE                       uint32_t
#define KEY(value)                 ((struct key){*(value), 0, 4})
#define SAME(dictionary, i, value) true
#define DATA(value)                (value)
#include "format/parquet_dictionary.inc.h"

#define NAME                       arus_parquet_dictionary_add64
#define TYPE                       uint64_t
#define KEY(value)                 ((struct key){*(value), 0, 8})
#define SAME(dictionary, i, value) true
#define DATA(value)                (value)
#include "format/parquet_dictionary.inc.h"

#define NAME       arus_parquet_dictionary_add_views
#define TYPE       struct arus_view
#define KEY(value) key_of(value)
#define SAME(dictionary, i, value)                                                                 \
    ((value)->size <= SHORT_SIZE || is_value(dictionary, i, *(value)))
#define DATA(value) (value)->data
#include "format/parquet_dictionary.inc.h"

uint64_t arus_parquet_dictionary_held_size(const struct arus_parquet_dictionary *dictionary)
{
    return dictionary->plain.capacity + dictionary->values.capacity +
           (uint64_t)dictionary->slot_count * sizeof *dictionary->slots;
}

void arus_parquet_dictionary_reset(struct arus_parquet_dictionary *dictionary)
{
    if (dictionary->count != 0) {
        memset(dictionary->slots, 0, dictionary->slot_count * sizeof *dictionary->slots);
    }
    dictionary->count = 0;
    arus_buffer_reset(&dictionary->plain);
    arus_buffer_reset(&dictionary->values);
}

void arus_parquet_dictionary_release(struct arus_parquet_dictionary *dictionary)
{
    arus_free(dictionary->slots);
    arus_buffer_release(&dictionary->plain);
    arus_buffer_release(&dictionary->values);
    *dictionary = (struct arus_parquet_dictionary){0};
}
