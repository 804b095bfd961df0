/** What the files of this folder share. */
#ifndef ARUS_STATE_PART_INTERNAL_H
#define ARUS_STATE_PART_INTERNAL_H

#include "state/part.h"

/** Seven bits a byte, least first; at most 10 bytes. */
static inline char *arus_varint_write(uint64_t value, char *out)
{
    while (value >= 0x80) {
        *out++ = (char)(value | 0x80);
        value >>= 7;
    }
    *out++ = (char)value;
    return out;
}

/** Returns the end. */
static inline const char *arus_varint_read(const char *at, uint64_t *value)
{
    uint64_t result = (unsigned char)*at & 0x7f;

    for (unsigned shift = 7; (*at++ & 0x80) != 0; shift += 7) {
        result |= (uint64_t)((unsigned char)*at & 0x7f) << shift;
    }
    *value = result;
    return at;
}

/** Most keys are short: then two moves that overlap, no call. */
static inline void arus_bytes_copy(char *to, const char *from, size_t size)
{
    if (size > 32) {
        memcpy(to, from, size);
    } else if (size >= 16) {
        char last[16];

        memcpy(last, from + size - 16, 16);
        memcpy(to, from, 16);
        memcpy(to + size - 16, last, 16);
    } else if (size >= 8) {
        char last[8];

        memcpy(last, from + size - 8, 8);
        memcpy(to, from, 8);
        memcpy(to + size - 8, last, 8);
    } else {
        for (size_t i = 0; i < size; i++) {
            to[i] = from[i];
        }
    }
}

/** Its size and the bytes; returns the end. */
static inline char *arus_bytes_write(const char *data, size_t size, char *at)
{
    at = arus_varint_write(size, at);
    arus_bytes_copy(at, data, size);
    return at + size;
}

/** Takes an entry out without a word in the delta. */
void arus_state_part_drop_entry(struct arus_state_part *part, uint32_t entry);

/* ---- slots: low half of the hash, entry + 1 ---- */

static inline uint32_t arus_slot_entry(uint64_t slot)
{
    return (uint32_t)slot - 1;
}

static inline void arus_slot_fetch(const struct arus_state_part *part, uint64_t hash)
{
    arus_prefetch(&part->slots[(uint32_t)hash & part->slot_mask]);
}

uint64_t arus_state_part_hash_of(const struct arus_state_part *part, uint32_t entry);
/** Takes the entry out of its chain and, if it was the last, its key out of the slots. */
void arus_state_part_unlink(struct arus_state_part *part, uint32_t entry, uint64_t hash);
/** An unlinked entry is no more. */
void arus_state_part_kill(struct arus_state_part *part, uint32_t entry);
/** Its last entry has left. */
void arus_state_part_free_block(struct arus_state_part *part, uint32_t index);

#endif
