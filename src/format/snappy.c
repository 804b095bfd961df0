#include "format/snappy.h"

#include "base/attr.h"

#include <stdint.h>
#include <string.h>

/* Far from both ends whole words are copied: an element is at most 64 bytes long, its head 5, and
 * up to 64 bytes more than its length are read and written. */
#define MARGIN 160

enum kind { LITERAL, COPY_1, COPY_2, COPY_4 }; /* the low bits of a tag: bytes of its offset */

/* What a tag byte says: the length in the low byte (0: a rare element, no quick way), bits 8 to 10
 * of the offset. */
#define IS_RARE(t) (((t)&3) == COPY_4 || (((t)&3) == LITERAL && (t) >> 2 >= 60))
#define LENGTH(t)  (IS_RARE(t) ? 0 : ((t)&3) == COPY_1 ? (((t) >> 2) & 7) + 4 : ((t) >> 2) + 1)
#define TAG(t)     (uint16_t)(LENGTH(t) | (((t)&3) == COPY_1 ? ((t) >> 5) << 8 : 0))
#define TAGS4(t)   TAG(t), TAG((t) + 1), TAG((t) + 2), TAG((t) + 3)
#define TAGS16(t)  TAGS4(t), TAGS4((t) + 4), TAGS4((t) + 8), TAGS4((t) + 12)
#define TAGS64(t)  TAGS16(t), TAGS16((t) + 16), TAGS16((t) + 32), TAGS16((t) + 48)

static const uint16_t TAGS[256] = {TAGS64(0), TAGS64(64), TAGS64(128), TAGS64(192)};
static const uint32_t OFFSET_MASK[4] = {0, 0xFF, 0xFFFF, 0};

/* Where the output is. */
struct output {
    uint8_t *begin;
    uint8_t *at;
    uint8_t *end;
};

ARUS_INLINE uint32_t load32(const uint8_t *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

ARUS_INLINE void copy8(uint8_t *to, const uint8_t *from)
{
    uint64_t word;

    memcpy(&word, from, sizeof word);
    memcpy(to, &word, sizeof word);
}

ARUS_INLINE void copy16(uint8_t *to, const uint8_t *from)
{
    struct {
        uint64_t words[2];
    } block;

    memcpy(&block, from, sizeof block);
    memcpy(to, &block, sizeof block);
}

/* Little-endian, up to 4 bytes. */
static size_t load_bytes(const uint8_t *at, unsigned count)
{
    size_t value = 0;

    for (unsigned i = 0; i < count; i++) {
        value |= (size_t)at[i] << (8 * i);
    }
    return value;
}

static bool read_size(const uint8_t **at, const uint8_t *end, size_t *size)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 35 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;

        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *size = (size_t)value;
            return value <= UINT32_MAX;
        }
    }
    return false;
}

bool arus_snappy_size(struct arus_text block, size_t *size)
{
    const uint8_t *at = (const uint8_t *)block.data;

    return read_size(&at, at + block.size, size);
}

/* ---- any element, to the byte ---- */

static bool is_copyable(const struct output *out, size_t offset, size_t length)
{
    return offset - 1 < (size_t)(out->at - out->begin) && length <= (size_t)(out->end - out->at);
}

static bool take_literal(const uint8_t **at, const uint8_t *end, struct output *out)
{
    const unsigned code = *(*at)++ >> 2;
    const unsigned more = code < 60 ? 0 : code - 59; /* bytes of the length */
    size_t length;

    if ((size_t)(end - *at) < more) {
        return false;
    }
    length = (more == 0 ? code : load_bytes(*at, more)) + 1;
    *at += more;
    if (length > (size_t)(end - *at) || length > (size_t)(out->end - out->at)) {
        return false;
    }
    memcpy(out->at, *at, length);
    *at += length;
    out->at += length;
    return true;
}

static bool take_copy(const uint8_t **at, const uint8_t *end, struct output *out)
{
    const unsigned tag = *(*at)++;
    const unsigned more = (tag & 3) == COPY_4 ? 4 : tag & 3; /* bytes of the offset */
    const size_t length = (tag & 3) == COPY_1 ? TAGS[tag] & 0xFF : (tag >> 2) + 1;
    size_t offset;

    if ((size_t)(end - *at) < more) {
        return false;
    }
    offset = load_bytes(*at, more) + (TAGS[tag] & 0x700U);
    *at += more;
    if (!is_copyable(out, offset, length)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) { /* what it writes may be what it reads */
        out->at[i] = *(out->at + i - offset);
    }
    out->at += length;
    return true;
}

static bool take_element(const uint8_t **at, const uint8_t *end, struct output *out)
{
    return (**at & 3) == LITERAL ? take_literal(at, end, out) : take_copy(at, end, out);
}

/* ---- far from the ends ---- */

/* An offset below 8: the pattern is spread over the first 8 bytes, from where on the distance to
 * its next repetition is at least 8. */
static void copy_pattern(uint8_t *to, size_t offset, size_t length)
{
    static const uint8_t FORTH[8] = {0, 1, 2, 1, 0, 4, 4, 4};
    static const int8_t BACK[8] = {0, 0, 0, -1, -4, 1, 2, 3};
    const uint8_t *from = to - offset;
    const uint8_t *end = to + length;

    for (unsigned i = 0; i < 4; i++) {
        to[i] = from[i];
    }
    from += FORTH[offset];
    memcpy(to + 4, from, 4);
    from -= BACK[offset];
    for (to += 8; to < end; to += 8, from += 8) {
        copy8(to, from);
    }
}

ARUS_INLINE void copy_long(uint8_t *to, const uint8_t *from, size_t length, bool is_near)
{
    if (is_near) {
        for (size_t i = 16; i < length; i += 8) {
            copy8(to + i, from + i);
        }
        return;
    }
    for (unsigned i = 16; i < 64; i += 16) {
        copy16(to + i, from + i);
    }
}

/*
 * Without a branch on the kind of an element, which no processor can foresee: where the next tag
 * lies and where the bytes come from are selected. Stops near an end; false: an element is broken.
 */
static bool unpack_quickly(const uint8_t **in, const uint8_t *end, struct output *out)
{
    const uint8_t *limit = end - MARGIN;
    const uint8_t *to_limit = out->end - MARGIN;
    const uint8_t *at = *in;
    uint8_t *to = out->at;
    unsigned tag = *at;

    while (at < limit && to < to_limit) {
        const unsigned entry = TAGS[tag];
        const unsigned kind = tag & 3;
        const size_t length = entry & 0xFF;
        const size_t offset = (load32(at + 1) & OFFSET_MASK[kind]) + (entry & 0x700);
        const bool is_literal = kind == LITERAL;
        const uint8_t *from = at + 1;
        const unsigned tag_behind_literal = from[length];
        const unsigned tag_behind_copy = from[kind];

        if (ARUS_UNLIKELY(length == 0)) {
            out->at = to;
            if (!take_element(&at, end, out)) {
                return false;
            }
            to = out->at;
            tag = at < limit ? *at : 0;
            continue;
        }
        at = from + (is_literal ? length : kind);
        tag = is_literal ? tag_behind_literal : tag_behind_copy;
        if (!is_literal && ARUS_UNLIKELY(offset < 8 || offset > (size_t)(to - out->begin))) {
            if (offset - 1 >= (size_t)(to - out->begin)) {
                return false;
            }
            copy_pattern(to, offset, length);
        } else {
            from = is_literal ? from : to - offset;
            copy8(to, from);
            copy8(to + 8, from + 8);
            if (length > 16) {
                copy_long(to, from, length, !is_literal && offset < 16);
            }
        }
        to += length;
    }
    *in = at;
    out->at = to;
    return true;
}

bool arus_snappy_unpack(struct arus_text block, char *plain, size_t size)
{
    const uint8_t *at = (const uint8_t *)block.data;
    const uint8_t *end = at + block.size;
    struct output out = {(uint8_t *)plain, (uint8_t *)plain, (uint8_t *)plain + size};
    size_t real;

    if (!read_size(&at, end, &real) || real != size) {
        return false;
    }
    if (end - at > MARGIN && size > MARGIN && !unpack_quickly(&at, end, &out)) {
        return false;
    }
    while (at < end) {
        if (!take_element(&at, end, &out)) {
            return false;
        }
    }
    return out.at == out.end;
}
