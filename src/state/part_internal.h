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

/** Takes an entry out without a word in the delta. */
void arus_state_part_drop_entry(struct arus_state_part *part, uint32_t entry);

#endif
