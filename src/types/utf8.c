/** UTF-8: counting, walking, checking. */
#include "types/utf8.h"

#define HIGH_BITS 0x8080808080808080U

static uint64_t load(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

ARUS_KERNEL static bool is_ascii(const char *data, size_t size)
{
    uint64_t all = 0;
    size_t i = 0;

    for (; i + 8 <= size; i += 8) {
        all |= load(data + i);
    }
    for (; i < size; i++) {
        all |= (unsigned char)data[i];
    }
    return (all & HIGH_BITS) == 0;
}

bool arus_text_is_ascii(struct arus_text text)
{
    return is_ascii(text.data, text.size);
}

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* Bytes of the well-formed sequence at `at`; 0: none. */
static size_t sequence_size(const char *at, size_t left)
{
    const unsigned char first = (unsigned char)at[0];
    const unsigned char second = left > 1 ? (unsigned char)at[1] : 0;

    if (first < 0x80) {
        return 1;
    }
    if (first < 0xC2 || first > 0xF4 || left < arus_utf8_size(first) || !is_tail(at[1])) {
        return 0;
    }
    if (first < 0xE0) {
        return 2;
    }
    if (!is_tail(at[2]) || (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) {
        return 0;
    }
    if (first < 0xF0) {
        return 3;
    }
    return !is_tail(at[3]) || (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)
               ? 0
               : 4;
}

bool arus_utf8_is_valid(struct arus_text text)
{
    size_t i = 0;

    if (arus_text_is_ascii(text)) {
        return true;
    }
    while (i < text.size) {
        size_t size;

        if (i + 8 <= text.size && (load(text.data + i) & HIGH_BITS) == 0) {
            i += 8;
            continue;
        }
        size = sequence_size(text.data + i, text.size - i);
        if (size == 0) {
            return false;
        }
        i += size;
    }
    return true;
}

#define ONES 0x0101010101010101U

/* Bytes 10xxxxxx, eight at a time: bit 7 set, bit 6 not. */
static size_t count_tails(const char *data, size_t size)
{
    size_t count = 0;
    size_t i = 0;

    for (; i + 8 <= size; i += 8) {
        const uint64_t word = load(data + i);

        count += ((word >> 7 & ~word >> 6 & ONES) * ONES) >> 56;
    }
    for (; i < size; i++) {
        count += (signed char)data[i] < -64;
    }
    return count;
}

size_t arus_utf8_length(struct arus_text text)
{
    return text.size - count_tails(text.data, text.size);
}

size_t arus_utf8_offset(struct arus_text text, size_t index)
{
    size_t at = 0;

    if (index >= text.size) {
        return text.size;
    }
    for (; index > 0 && at < text.size; index--) {
        at += arus_utf8_size((unsigned char)text.data[at]);
    }
    return at < text.size ? at : text.size;
}

/* How many of the bytes behind a first byte from 0xC2 to 0xF4 can belong to it. */
static uint8_t count_fitting(const unsigned char *b, size_t size, uint8_t wanted)
{
    uint8_t count = 1;

    if (size > 1 && ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xF0 && b[1] < 0x90) ||
                     (b[0] == 0xF4 && b[1] > 0x8F))) {
        return 1;
    }
    while (count < wanted && count < size && (b[count] & 0xC0) == 0x80) {
        count++;
    }
    return count;
}

struct arus_utf8_step arus_utf8_step(const char *bytes, size_t size)
{
    const unsigned char *b = (const unsigned char *)bytes;
    const uint8_t wanted = (uint8_t)arus_utf8_size(b[0]);
    uint8_t fitting;

    if (b[0] < 0x80) {
        return (struct arus_utf8_step){1, true, false};
    }
    if (b[0] < 0xC2 || b[0] > 0xF4) {
        return (struct arus_utf8_step){1, false, false};
    }
    fitting = count_fitting(b, size, wanted);
    return (struct arus_utf8_step){
        .size = fitting,
        /* a surrogate is one bad sequence of three bytes */
        .is_good = fitting == wanted && (b[0] != 0xED || b[1] < 0xA0),
        .is_cut = fitting < wanted && fitting == size,
    };
}

uint32_t arus_utf8_next(struct arus_text text, size_t *at)
{
    const unsigned char *byte = (const unsigned char *)text.data + *at;
    const struct arus_utf8_step step = arus_utf8_step(text.data + *at, text.size - *at);

    *at += step.size;
    switch (step.is_good ? step.size : 0) {
    case 1:
        return byte[0];
    case 2:
        return (uint32_t)(byte[0] & 0x1F) << 6 | (byte[1] & 0x3F);
    case 3:
        return (uint32_t)(byte[0] & 0x0F) << 12 | (uint32_t)(byte[1] & 0x3F) << 6 |
               (byte[2] & 0x3F);
    case 4:
        return (uint32_t)(byte[0] & 0x07) << 18 | (uint32_t)(byte[1] & 0x3F) << 12 |
               (uint32_t)(byte[2] & 0x3F) << 6 | (byte[3] & 0x3F);
    default:
        return 0xFFFD;
    }
}

size_t arus_utf8_write(uint32_t code_point, char *out)
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xC0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3F));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xE0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code_point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code_point & 0x3F));
    return 4;
}

/* The characters that Spark's console counts twice. */
static bool is_wide(uint32_t c)
{
    static const struct {
        uint32_t first;
        uint32_t last;
    } RANGES[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
                  {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}};

    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++) {
        if (c >= RANGES[i].first && c <= RANGES[i].last) {
            return true;
        }
    }
    return false;
}

size_t arus_utf8_width(struct arus_text text)
{
    size_t width = 0;
    size_t at = 0;

    if (arus_text_is_ascii(text)) {
        return text.size;
    }
    while (at < text.size) {
        const uint32_t c = arus_utf8_next(text, &at);

        width += c >= 0x10000 || is_wide(c) ? 2 : 1;
    }
    return width;
}

size_t arus_utf8_units(struct arus_text text)
{
    size_t units = 0;
    size_t at = 0;

    if (arus_text_is_ascii(text)) {
        return text.size;
    }
    while (at < text.size) {
        units += arus_utf8_next(text, &at) >= 0x10000 ? 2 : 1;
    }
    return units;
}
