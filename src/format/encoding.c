#include "format/encoding.h"

#include "types/utf8.h"

#include <string.h>

#define REPLACEMENT 0xFFFDU

static const char *const NAMES[] = {
#define X(name, spark_name) spark_name,
    ARUS_ENCODINGS(X)
#undef X
};

#define ENCODING_COUNT (sizeof NAMES / sizeof NAMES[0])

bool arus_encoding_find(struct arus_text name, enum arus_encoding *out)
{
    for (size_t i = 0; i < ENCODING_COUNT; i++) {
        if (arus_text_equal_nocase(name, arus_text_of(NAMES[i]))) {
            *out = (enum arus_encoding)i;
            return true;
        }
    }
    return false;
}

const char *arus_encoding_name(enum arus_encoding encoding)
{
    return encoding == ARUS_ENCODING_AUTO ? "auto" : NAMES[encoding];
}

bool arus_encoding_is_ascii_based(enum arus_encoding encoding)
{
    return encoding == ARUS_ENCODING_UTF_8 || encoding == ARUS_ENCODING_ISO_8859_1 ||
           encoding == ARUS_ENCODING_US_ASCII;
}

/* ---- detection ---- */

struct mark {
    const char *bytes;
    size_t size;
    enum arus_encoding encoding;
};

/* Longer ones first: FF FE 00 00 also starts with FF FE. */
static const struct mark MARKS[] = {
    {"\x00\x00\xFE\xFF", 4, ARUS_ENCODING_UTF_32BE},
    {"\xFF\xFE\x00\x00", 4, ARUS_ENCODING_UTF_32LE},
    {"\xEF\xBB\xBF", 3, ARUS_ENCODING_UTF_8},
    {"\xFE\xFF", 2, ARUS_ENCODING_UTF_16BE},
    {"\xFF\xFE", 2, ARUS_ENCODING_UTF_16LE},
};

static bool is_wide_32(enum arus_encoding encoding)
{
    return encoding == ARUS_ENCODING_UTF_32BE || encoding == ARUS_ENCODING_UTF_32LE;
}

static bool is_wide_16(enum arus_encoding encoding)
{
    return encoding == ARUS_ENCODING_UTF_16BE || encoding == ARUS_ENCODING_UTF_16LE;
}

static bool may_be(enum arus_encoding asked, enum arus_encoding mark)
{
    switch (asked) {
    case ARUS_ENCODING_AUTO:
        return true;
    case ARUS_ENCODING_UTF_16:
        return is_wide_16(mark);
    case ARUS_ENCODING_UTF_32:
        return is_wide_32(mark);
    case ARUS_ENCODING_UTF_8:
    case ARUS_ENCODING_ISO_8859_1:
    case ARUS_ENCODING_US_ASCII:
    case ARUS_ENCODING_UTF_16BE:
    case ARUS_ENCODING_UTF_16LE:
    case ARUS_ENCODING_UTF_32BE:
    case ARUS_ENCODING_UTF_32LE:
        break;
    }
    return asked == mark;
}

/* JSON starts with an ASCII character: where its zero bytes are tells the form. */
static enum arus_encoding guess(const unsigned char *b, size_t size)
{
    if (size >= 4 && b[0] == 0 && b[1] == 0 && b[2] == 0) {
        return ARUS_ENCODING_UTF_32BE;
    }
    if (size >= 4 && b[1] == 0 && b[2] == 0 && b[3] == 0) {
        return ARUS_ENCODING_UTF_32LE;
    }
    if (size >= 2 && b[0] == 0) {
        return ARUS_ENCODING_UTF_16BE;
    }
    return size >= 2 && b[1] == 0 ? ARUS_ENCODING_UTF_16LE : ARUS_ENCODING_UTF_8;
}

enum arus_encoding arus_encoding_detect(enum arus_encoding asked, const void *data, size_t size,
                                        size_t *mark_size)
{
    for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0]; i++) {
        if (size >= MARKS[i].size && memcmp(data, MARKS[i].bytes, MARKS[i].size) == 0 &&
            may_be(asked, MARKS[i].encoding)) {
            *mark_size = MARKS[i].size;
            return MARKS[i].encoding;
        }
    }
    *mark_size = 0;
    if (asked == ARUS_ENCODING_AUTO) {
        return guess(data, size);
    }
    if (asked == ARUS_ENCODING_UTF_16) {
        return ARUS_ENCODING_UTF_16BE;
    }
    return asked == ARUS_ENCODING_UTF_32 ? ARUS_ENCODING_UTF_32BE : asked;
}

/* ---- decoding ---- */

size_t arus_encoding_bound(enum arus_encoding encoding, size_t size)
{
    switch (encoding) {
    case ARUS_ENCODING_ISO_8859_1:
        return size * 2;
    case ARUS_ENCODING_UTF_8:
    case ARUS_ENCODING_US_ASCII:
        return size * 3;
    case ARUS_ENCODING_UTF_16:
    case ARUS_ENCODING_UTF_16BE:
    case ARUS_ENCODING_UTF_16LE:
        return size / 2 * 3 + 3;
    case ARUS_ENCODING_UTF_32:
    case ARUS_ENCODING_UTF_32BE:
    case ARUS_ENCODING_UTF_32LE:
        return size + 3;
    case ARUS_ENCODING_AUTO:
        break;
    }
    return size * 3 + 3;
}

static char *put(char *out, uint32_t code)
{
    return out + arus_utf8_write(code, out);
}

static size_t decode_utf8(const unsigned char *data, size_t size, bool is_last, char *out,
                          size_t *used)
{
    char *begin = out;
    size_t at = 0;

    while (at < size) {
        const struct arus_utf8_step step = arus_utf8_step((const char *)data + at, size - at);

        if (step.is_cut && !is_last) {
            break;
        }
        if (step.is_good) {
            memmove(out, data + at, step.size);
            out += step.size;
        } else {
            out = put(out, REPLACEMENT);
        }
        at += step.size;
    }
    *used = at;
    return (size_t)(out - begin);
}

static uint32_t unit_16(const unsigned char *b, bool is_big)
{
    return is_big ? (uint32_t)b[0] << 8 | b[1] : (uint32_t)b[1] << 8 | b[0];
}

static uint32_t unit_32(const unsigned char *b, bool is_big)
{
    return is_big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                  : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

/* Java: a high surrogate without a low one takes the next unit with it. */
static size_t decode_utf16(const unsigned char *data, size_t size, bool is_big, bool is_last,
                           char **out)
{
    size_t at = 0;

    while (at + 2 <= size) {
        uint32_t code = unit_16(data + at, is_big);
        const bool is_high = code >= 0xD800 && code < 0xDC00;

        if (is_high && at + 4 > size) {
            break;
        }
        if (is_high) {
            const uint32_t low = unit_16(data + at + 2, is_big);

            code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00
                                                 : REPLACEMENT;
        } else if ((code >= 0xDC00 && code < 0xE000) || code == 0xFFFE) {
            code = REPLACEMENT;
        }
        *out = put(*out, code);
        at += is_high ? 4 : 2;
    }
    if (is_last && at < size) {
        *out = put(*out, REPLACEMENT);
        at = size;
    }
    return at;
}

static size_t decode_utf32(const unsigned char *data, size_t size, bool is_big, bool is_last,
                           char **out)
{
    size_t at = 0;

    for (; at + 4 <= size; at += 4) {
        const uint32_t code = unit_32(data + at, is_big);

        if (code >= 0xD800 && code < 0xE000) {
            *(*out)++ = '?';
        } else {
            *out = put(*out, code > 0x10FFFF ? REPLACEMENT : code);
        }
    }
    if (is_last && at < size) {
        *out = put(*out, REPLACEMENT);
        at = size;
    }
    return at;
}

static char *decode_bytes(const unsigned char *data, size_t size, bool is_ascii, char *out)
{
    for (size_t i = 0; i < size; i++) {
        out = put(out, data[i] < 0x80 || !is_ascii ? data[i] : REPLACEMENT);
    }
    return out;
}

size_t arus_encoding_decode(enum arus_encoding encoding, const char *data, size_t size,
                            bool is_last, char *out, size_t *used)
{
    const unsigned char *bytes = (const unsigned char *)data;
    char *end = out;

    *used = size;
    switch (encoding) {
    case ARUS_ENCODING_AUTO:
    case ARUS_ENCODING_UTF_8:
        return decode_utf8(bytes, size, is_last, out, used);
    case ARUS_ENCODING_ISO_8859_1:
    case ARUS_ENCODING_US_ASCII:
        end = decode_bytes(bytes, size, encoding == ARUS_ENCODING_US_ASCII, out);
        break;
    case ARUS_ENCODING_UTF_16:
    case ARUS_ENCODING_UTF_16BE:
    case ARUS_ENCODING_UTF_16LE:
        *used = decode_utf16(bytes, size, encoding != ARUS_ENCODING_UTF_16LE, is_last, &end);
        break;
    case ARUS_ENCODING_UTF_32:
    case ARUS_ENCODING_UTF_32BE:
    case ARUS_ENCODING_UTF_32LE:
        *used = decode_utf32(bytes, size, encoding != ARUS_ENCODING_UTF_32LE, is_last, &end);
        break;
    }
    return (size_t)(end - out);
}

/* ---- encoding ---- */

static char *put_16(char *out, uint32_t unit, bool is_big)
{
    out[is_big ? 0 : 1] = (char)(unit >> 8);
    out[is_big ? 1 : 0] = (char)unit;
    return out + 2;
}

static char *put_encoded(char *out, uint32_t code, enum arus_encoding encoding)
{
    const bool is_big = encoding != ARUS_ENCODING_UTF_16LE && encoding != ARUS_ENCODING_UTF_32LE;

    switch (encoding) {
    case ARUS_ENCODING_AUTO:
    case ARUS_ENCODING_UTF_8:
        return put(out, code);
    case ARUS_ENCODING_ISO_8859_1:
    case ARUS_ENCODING_US_ASCII:
        *out = code < (encoding == ARUS_ENCODING_US_ASCII ? 0x80U : 0x100U) ? (char)code : '?';
        return out + 1;
    case ARUS_ENCODING_UTF_16:
    case ARUS_ENCODING_UTF_16BE:
    case ARUS_ENCODING_UTF_16LE:
        if (code >= 0x10000) {
            out = put_16(out, 0xD800 + ((code - 0x10000) >> 10), is_big);
            code = 0xDC00 + ((code - 0x10000) & 0x3FF);
        }
        return put_16(out, code, is_big);
    case ARUS_ENCODING_UTF_32:
    case ARUS_ENCODING_UTF_32BE:
    case ARUS_ENCODING_UTF_32LE:
        out = put_16(out, is_big ? code >> 16 : code & 0xFFFF, is_big);
        return put_16(out, is_big ? code & 0xFFFF : code >> 16, is_big);
    }
    return out;
}

enum arus_status arus_encoding_encode(enum arus_encoding encoding, struct arus_text text,
                                      struct arus_buffer *out, struct arus_error *err)
{
    size_t at = 0;
    char *end;

    ARUS_TRY(arus_buffer_reserve(out, text.size * 4, err));
    end = out->data + out->size;
    while (at < text.size) {
        end = put_encoded(end, arus_utf8_next(text, &at), encoding);
    }
    out->size = (size_t)(end - out->data);
    return ARUS_OK;
}
