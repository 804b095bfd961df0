/** Open addressing with linear probing. Short values stand in their slot, so most probes touch one
 * line. */
#include "base/alloc.h"
#include "format/parquet_encode.h"

#include <string.h>

#define SLOT_COUNT_LEAST ((uint32_t)256)
#define FACTOR           UINT64_C(0x9E3779B97F4A7C15)
#define SHORT_SIZE       8

/** `word` is the value itself up to 8 bytes (given `size`), else a hash of it. */
struct arus_parquet_slot {
    uint64_t word;
    uint32_t size;
    uint32_t number; /* index + 1; 0: empty */
};

static uint32_t place_of(uint64_t word, uint32_t size, uint32_t slot_count)
{
    const uint64_t hash = (word ^ size) * FACTOR;

    return (uint32_t)(hash ^ hash >> 32) * 0x85EBCA6BU >> (32 - __builtin_ctz(slot_count));
}

static uint64_t load64(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

static uint32_t load32(const char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t word_of(struct arus_view value)
{
    const char *end = value.data + value.size;
    uint64_t hash = value.size;

    if (value.size <= 4) {
        return load32(value.prefix);
    }
    if (value.size <= SHORT_SIZE) {
        return load32(value.prefix) | (uint64_t)load32(end - 4) << 32;
    }
    for (const char *at = value.data; at + 8 < end; at += 8) {
        hash = (hash ^ load64(at)) * FACTOR;
        hash ^= hash >> 29;
    }
    hash = (hash ^ load64(end - 8)) * FACTOR;
    return hash ^ hash >> 32;
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
        at = place_of(slot.word, slot.size, slot_count);
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

/** Room in the table for one more value, in half of its slots. */
static enum arus_status make_room(struct arus_parquet_dictionary *dictionary,
                                  struct arus_error *err)
{
    return dictionary->count * 2 < dictionary->slot_count ? ARUS_OK : grow(dictionary, err);
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
#define SIZE(value)                4
#define WORD(value)                (value)
#define SAME(dictionary, i, value) true
#define DATA(value)                (&(value))
#include "format/parquet_dictionary.inc.h"

#define NAME                       arus_parquet_dictionary_add64
#define TYPE                       uint64_t
#define SIZE(value)                8
#define WORD(value)                (value)
#define SAME(dictionary, i, value) true
#define DATA(value)                (&(value))
#include "format/parquet_dictionary.inc.h"

#define NAME                       arus_parquet_dictionary_add_views
#define TYPE                       struct arus_view
#define SIZE(value)                (value).size
#define WORD(value)                word_of(value)
#define SAME(dictionary, i, value) ((value).size <= SHORT_SIZE || is_value(dictionary, i, value))
#define DATA(value)                (value).data
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
