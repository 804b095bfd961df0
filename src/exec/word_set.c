/** Linear probing; a slot is found by the upper bits of a product. */
#include "exec/word_set.h"

#include "base/alloc.h"
#include "base/prefetch.h"

#define BITS_FIRST 10u
#define BITS_MAX   34u
#define AHEAD      ((uint32_t)24) /* words whose slots are fetched before they are asked for */
#define FETCH_MIN  ((uint32_t)15) /* bits; smaller sets lie in the cache */
#define FACTOR     0x9E3779B97F4A7C15U

void arus_word_set_release(struct arus_word_set *set)
{
    arus_free(set->slots);
    *set = (struct arus_word_set){0};
}

static uint64_t home_of(uint64_t word, uint32_t bits)
{
    return ((word ^ word >> 32) * FACTOR) >> (64 - bits);
}

/* The slot of a word that is not 0, or the free one where it belongs. */
static uint64_t slot_of(const uint64_t *slots, uint32_t bits, uint64_t word)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    uint64_t at = home_of(word, bits);

    while (slots[at] != 0 && slots[at] != word) {
        at = (at + 1) & mask;
    }
    return at;
}

static enum arus_status grow(struct arus_word_set *set, struct arus_error *err)
{
    const uint32_t bits = set->slots == NULL ? BITS_FIRST : set->slot_bits + 1;
    const uint64_t old_count = set->slots == NULL ? 0 : (uint64_t)1 << set->slot_bits;
    uint64_t *slots = bits > BITS_MAX ? NULL : arus_alloc((size_t)1 << bits, sizeof *slots);

    if (slots == NULL) {
        return arus_fail_memory(err);
    }
    for (uint64_t i = 0; i < old_count; i++) {
        if (set->slots[i] != 0) {
            slots[slot_of(slots, bits, set->slots[i])] = set->slots[i];
        }
    }
    arus_free(set->slots);
    set->slots = slots;
    set->slot_bits = bits;
    return ARUS_OK;
}

static void fetch_ahead(const struct arus_word_set *set, const uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < AHEAD && i < count; i++) {
        arus_prefetch(&set->slots[home_of(words[i], set->slot_bits)]);
    }
}

enum arus_status arus_word_set_add(struct arus_word_set *set, const uint64_t *words, uint32_t count,
                                   uint32_t *fresh, uint32_t *fresh_count, struct arus_error *err)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (set->count >= (set->slots == NULL ? 0 : (uint64_t)1 << (set->slot_bits - 1))) {
            ARUS_TRY(grow(set, err));
        }
        if (i % AHEAD == 0 && set->slot_bits >= FETCH_MIN) {
            fetch_ahead(set, words + i, count - i);
        }
        if (words[i] == 0) {
            fresh[found] = i;
            found += !set->has_zero;
            set->has_zero = true;
        } else {
            uint64_t *slot = &set->slots[slot_of(set->slots, set->slot_bits, words[i])];

            fresh[found] = i;
            found += *slot == 0;
            set->count += *slot == 0;
            *slot = words[i];
        }
    }
    *fresh_count = found;
    return ARUS_OK;
}
