/** Entries that leave by their event time: whole blocks of them, and their keys in one way through
 * the slots. */
#include "base/alloc.h"
#include "state/part_internal.h"

#define SWEEP_PART 16u /* of the slots: more keys than that leave in one sweep */

/* Calls for the live entries of one block that have expired; sets what is then the smallest expiry.
 */
static uint32_t expired_of_block(struct arus_state_part *part, uint32_t index, int64_t bound,
                                 uint32_t *out)
{
    struct arus_state_block *block = &part->blocks[index];
    int64_t smallest = ARUS_STATE_NEVER;
    uint32_t count = 0;

    for (uint32_t i = 0; i < block->used_count; i++) {
        const uint32_t entry = index * ARUS_STATE_BLOCK + i;

        if (!arus_state_part_is_live(part, entry)) {
            continue;
        }
        if (part->expiry[entry] <= bound) {
            out[count++] = entry;
        }
        smallest = part->expiry[entry] < smallest ? part->expiry[entry] : smallest;
    }
    block->expiry_min = smallest;
    return count;
}

static bool may_have_expired(const struct arus_state_block *block, int64_t bound)
{
    return block->live_count != 0 && block->expiry_min <= bound;
}

enum arus_status arus_state_part_expired(struct arus_state_part *part, int64_t bound,
                                         struct arus_arena *arena, uint32_t **entries,
                                         uint32_t *count, struct arus_error *err)
{
    size_t most = 0;

    *count = 0;
    *entries = NULL;
    if (!part->layout->has_expiry) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < part->block_count; i++) {
        most += may_have_expired(&part->blocks[i], bound) ? ARUS_STATE_BLOCK : 0;
    }
    if (most == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, uint32_t, most, entries, err));
    for (uint32_t i = 0; i < part->block_count; i++) {
        if (may_have_expired(&part->blocks[i], bound)) {
            *count += expired_of_block(part, i, bound, *entries + *count);
        }
    }
    return ARUS_OK;
}

int64_t arus_state_part_first_expiry(const struct arus_state_part *part)
{
    int64_t first = ARUS_STATE_NEVER;

    for (uint32_t index = 0; part->layout->has_expiry && index < part->block_count; index++) {
        const struct arus_state_block *block = &part->blocks[index];

        if (block->live_count == 0 || block->expiry_min >= first) {
            continue; /* most blocks: times come in order */
        }
        for (uint32_t i = 0; i < block->used_count; i++) {
            const uint32_t entry = index * ARUS_STATE_BLOCK + i;

            if (arus_state_part_is_live(part, entry) && part->expiry[entry] < first) {
                first = part->expiry[entry];
            }
        }
    }
    return first;
}

/* Entries of one block: keys are hashed and their slots fetched before the first one leaves. */
static void drop_entries(struct arus_state_part *part, const uint32_t *entries, uint32_t count)
{
    uint64_t hashes[ARUS_STATE_BLOCK];

    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = arus_state_part_hash_of(part, entries[i]);
        arus_slot_fetch(part, hashes[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        arus_state_part_unlink(part, entries[i], hashes[i]);
        arus_state_part_kill(part, entries[i]);
    }
}

/* Without a look at the slots: a sweep comes behind it. */
static void kill_entries(struct arus_state_part *part, uint32_t index, const uint32_t *entries,
                         uint32_t count)
{
    if (count != 0 && count == part->blocks[index].live_count) {
        part->entry_count -= count;
        arus_state_part_free_block(part, index);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        arus_state_part_kill(part, entries[i]);
    }
}

/* Takes the keys of dead entries out of the slots, cluster by cluster; touches no key. */
static void sweep_slots(struct arus_state_part *part)
{
    const uint32_t mask = part->slot_mask;
    uint64_t *slots = part->slots;
    uint32_t free_slot = 0;

    while (slots[free_slot] != 0) {
        free_slot++;
    }
    for (uint32_t i = 1; i <= mask; i++) {
        const uint32_t at = (free_slot + i) & mask;
        const uint64_t slot = slots[at];
        uint32_t place = (uint32_t)(slot >> 32) & mask;

        if (slot == 0) {
            continue;
        }
        slots[at] = 0;
        if (!arus_state_part_is_live(part, arus_slot_entry(slot))) {
            part->slot_count--;
            continue;
        }
        while (slots[place] != 0) { /* at `at` at the latest */
            place = (place + 1) & mask;
        }
        slots[place] = slot;
    }
}

/* Is one way through all slots less work than a look for each key that leaves? */
static bool pays_sweep(const struct arus_state_part *part, int64_t bound)
{
    uint32_t leaving = 0;

    if (part->evicts_by_key || part->layout->is_multi || part->slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < part->block_count; i++) {
        leaving += may_have_expired(&part->blocks[i], bound) ? part->blocks[i].live_count : 0u;
    }
    return leaving > part->slot_mask / SWEEP_PART;
}

static enum arus_status remove_entries(struct arus_state_part *part, const uint32_t *entries,
                                       uint32_t count, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_state_part_remove(part, entries[i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_state_part_evict(struct arus_state_part *part, int64_t bound, uint32_t *count,
                                       struct arus_error *err)
{
    const bool is_sweeping = part->layout->has_expiry && pays_sweep(part, bound);
    uint32_t expired[ARUS_STATE_BLOCK];

    *count = 0;
    for (uint32_t i = 0; part->layout->has_expiry && i < part->block_count; i++) {
        if (!may_have_expired(&part->blocks[i], bound)) {
            continue;
        }
        const uint32_t found = expired_of_block(part, i, bound, expired);

        if (part->evicts_by_key) {
            ARUS_TRY(remove_entries(part, expired, found, err));
        } else if (is_sweeping) {
            kill_entries(part, i, expired, found);
        } else {
            drop_entries(part, expired, found);
        }
        *count += found;
        /* what is left expires later: its smallest expiry is found when it is looked for */
        part->blocks[i].expiry_min = part->blocks[i].live_count == 0 ? ARUS_STATE_NEVER : bound + 1;
    }
    if (is_sweeping && *count != 0) {
        sweep_slots(part);
    }
    if (*count != 0 && bound > part->evicted) {
        part->evicted = bound;
    }
    return ARUS_OK;
}
