/** Hexadecimal digits are checked and packed eight at a time, in one register. */
#include "column/text_code.h"

#include <string.h>

#define HEX_MIN   16
#define HEX_MAX   254
#define UUID_SIZE 36

#define BYTES(x) (UINT64_C(0x0101010101010101) * (x))

static uint64_t load(const char *data)
{
    uint64_t word;

    memcpy(&word, data, sizeof word);
    return word;
}

/* '0'..'9' -> 0..9, letters -> 10..15; anything else gives anything. */
static uint64_t digit_values(uint64_t text)
{
    return (text & BYTES(0x0f)) + ((text >> 6) & BYTES(1)) * 9;
}

/* Eight digits as text; `letter` is what stands between '9' + 1 and 'a' or 'A'. */
static uint64_t digit_text(uint64_t values, uint64_t letter)
{
    return values + BYTES(0x30) + ((values + BYTES(6)) >> 4 & BYTES(1)) * letter;
}

#define LOWER ((uint64_t)39)
#define UPPER ((uint64_t)7)

static bool is_hex8(uint64_t text, uint64_t letter)
{
    const uint64_t values = digit_values(text);

    return (values & BYTES(0xf0)) == 0 && digit_text(values, letter) == text;
}

static uint32_t pack8(uint64_t text)
{
    uint64_t values = digit_values(text);

    values = (values << 4 | values >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    values = (values | values >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(values | values >> 16);
}

static uint64_t unpack8(uint32_t packed, uint64_t letter)
{
    uint64_t values = packed;

    values = (values | values << 16) & UINT64_C(0x0000ffff0000ffff);
    values = (values | values << 8) & UINT64_C(0x00ff00ff00ff00ff);
    values = (values >> 4 | values << 8) & BYTES(0x0f);
    return digit_text(values, letter);
}

/* The last digits, padded with zeros behind. */
static uint64_t load_tail(const char *data, uint32_t size)
{
    char tail[8] = {'0', '0', '0', '0', '0', '0', '0', '0'};

    memcpy(tail, data, size);
    return load(tail);
}

static bool is_hex(const char *data, uint32_t size, uint64_t letter)
{
    uint32_t i = 0;

    for (; i + 8 <= size; i += 8) {
        if (!is_hex8(load(data + i), letter)) {
            return false;
        }
    }
    return i == size || is_hex8(load_tail(data + i, size - i), letter);
}

static void pack(const char *data, uint32_t size, char *out)
{
    uint32_t i = 0;
    uint32_t four;

    for (; i + 8 <= size; i += 8) {
        four = pack8(load(data + i));
        memcpy(out + i / 2, &four, 4);
    }
    if (i < size) {
        four = pack8(load_tail(data + i, size - i));
        memcpy(out + i / 2, &four, (size - i) / 2);
    }
}

static void unpack(const char *packed, uint32_t size, uint64_t letter, char *out)
{
    uint32_t i = 0;
    uint32_t four = 0;
    uint64_t text;

    for (; i + 8 <= size; i += 8) {
        memcpy(&four, packed + i / 2, 4);
        text = unpack8(four, letter);
        memcpy(out + i, &text, 8);
    }
    if (i < size) {
        four = 0;
        memcpy(&four, packed + i / 2, (size - i) / 2);
        text = unpack8(four, letter);
        memcpy(out + i, &text, size - i);
    }
}

/* 8-4-4-4-12 without the dashes. */
static bool without_dashes(const char *text, char digits[32])
{
    if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') {
        return false;
    }
    memcpy(digits, text, 8);
    memcpy(digits + 8, text + 9, 4);
    memcpy(digits + 12, text + 14, 4);
    memcpy(digits + 16, text + 19, 4);
    memcpy(digits + 20, text + 24, 12);
    return true;
}

static void with_dashes(const char digits[32], char *text)
{
    memcpy(text, digits, 8);
    memcpy(text + 9, digits + 8, 4);
    memcpy(text + 14, digits + 12, 4);
    memcpy(text + 19, digits + 16, 4);
    memcpy(text + 24, digits + 20, 12);
    text[8] = '-';
    text[13] = '-';
    text[18] = '-';
    text[23] = '-';
}

uint8_t arus_text_code_form(struct arus_view text)
{
    char digits[32];

    if (text.size == UUID_SIZE && without_dashes(text.data, digits)) {
        if (is_hex(digits, sizeof digits, LOWER)) {
            return ARUS_TEXT_UUID_LOWER;
        }
        if (is_hex(digits, sizeof digits, UPPER)) {
            return ARUS_TEXT_UUID_UPPER;
        }
    }
    if (text.size >= HEX_MIN && text.size <= HEX_MAX && text.size % 2 == 0) {
        if (is_hex(text.data, text.size, LOWER)) {
            return ARUS_TEXT_HEX_LOWER;
        }
        if (is_hex(text.data, text.size, UPPER)) {
            return ARUS_TEXT_HEX_UPPER;
        }
    }
    return text.size < ARUS_TEXT_LONG ? (uint8_t)text.size : ARUS_TEXT_LONG;
}

size_t arus_text_code_size(uint8_t form, uint32_t text_size)
{
    switch (form) {
    case ARUS_TEXT_LONG:
        return 5 + (size_t)text_size;
    case ARUS_TEXT_HEX_LOWER:
    case ARUS_TEXT_HEX_UPPER:
        return 2 + (size_t)text_size / 2;
    case ARUS_TEXT_UUID_LOWER:
    case ARUS_TEXT_UUID_UPPER:
        return 17;
    default:
        return 1 + (size_t)form;
    }
}

char *arus_text_code_write(uint8_t form, struct arus_view text, char *out)
{
    char digits[32];

    *out++ = (char)form;
    switch (form) {
    case ARUS_TEXT_LONG:
        memcpy(out, &text.size, 4);
        memcpy(out + 4, text.data, text.size);
        return out + 4 + text.size;
    case ARUS_TEXT_HEX_LOWER:
    case ARUS_TEXT_HEX_UPPER:
        *out++ = (char)(text.size / 2);
        pack(text.data, text.size, out);
        return out + text.size / 2;
    case ARUS_TEXT_UUID_LOWER:
    case ARUS_TEXT_UUID_UPPER:
        (void)without_dashes(text.data, digits);
        pack(digits, sizeof digits, out);
        return out + 16;
    default:
        if (form != 0) {
            memcpy(out, text.data, form);
        }
        return out + form;
    }
}

uint32_t arus_text_code_length(const char *code, const char **end)
{
    const uint8_t form = (uint8_t)*code;
    uint32_t size;

    switch (form) {
    case ARUS_TEXT_LONG:
        memcpy(&size, code + 1, 4);
        *end = code + 5 + size;
        return size;
    case ARUS_TEXT_HEX_LOWER:
    case ARUS_TEXT_HEX_UPPER:
        size = (uint8_t)code[1];
        *end = code + 2 + size;
        return 2 * size;
    case ARUS_TEXT_UUID_LOWER:
    case ARUS_TEXT_UUID_UPPER:
        *end = code + 17;
        return UUID_SIZE;
    default:
        *end = code + 1 + form;
        return form;
    }
}

void arus_text_code_read(const char *code, char *out)
{
    const uint8_t form = (uint8_t)*code;
    char digits[32];
    uint32_t size;

    switch (form) {
    case ARUS_TEXT_LONG:
        memcpy(&size, code + 1, 4);
        memcpy(out, code + 5, size);
        return;
    case ARUS_TEXT_HEX_LOWER:
    case ARUS_TEXT_HEX_UPPER:
        unpack(code + 2, 2 * (uint32_t)(uint8_t)code[1],
               form == ARUS_TEXT_HEX_LOWER ? LOWER : UPPER, out);
        return;
    case ARUS_TEXT_UUID_LOWER:
    case ARUS_TEXT_UUID_UPPER:
        unpack(code + 1, sizeof digits, form == ARUS_TEXT_UUID_LOWER ? LOWER : UPPER, digits);
        with_dashes(digits, out);
        return;
    default:
        memcpy(out, code + 1, form);
        return;
    }
}
