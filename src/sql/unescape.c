/** What stands between quotes. */
#include "sql/lexer.h"

#include <stdint.h>

struct reader {
    const char *data;
    size_t size;
    size_t at;
};

static size_t encode_utf8(uint32_t code, char *out)
{
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        out[0] = '?'; /* what Java writes for half a pair */
        return 1;
    }
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const struct reader *in, size_t at, size_t count, uint32_t *out)
{
    *out = 0;
    if (in->size - at < count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const int digit = hex_digit(in->data[at + i]);

        if (digit < 0) {
            return false;
        }
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* \uXXXX, two of them for a pair; \UXXXXXXXX. False: neither. */
static bool read_unicode(struct reader *in, uint32_t *code)
{
    uint32_t low;

    if (in->data[in->at] == 'U' && read_hex(in, in->at + 1, 8, code)) {
        in->at += 9;
        return true;
    }
    if (in->data[in->at] != 'u' || !read_hex(in, in->at + 1, 4, code)) {
        return false;
    }
    in->at += 5;
    if (*code >= 0xD800 && *code < 0xDC00 && in->size - in->at >= 6 && in->data[in->at] == '\\' &&
        in->data[in->at + 1] == 'u' && read_hex(in, in->at + 2, 4, &low) && low >= 0xDC00 &&
        low < 0xE000) {
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
        in->at += 6;
    }
    return true;
}

/* \101: three octal digits, the first 0 or 1. */
static bool read_octal(struct reader *in, uint32_t *code)
{
    const char *d = in->data + in->at;

    if (in->size - in->at < 3 || (d[0] != '0' && d[0] != '1') || d[1] < '0' || d[1] > '7' ||
        d[2] < '0' || d[2] > '7') {
        return false;
    }
    *code = (uint32_t)((d[0] - '0') * 64 + (d[1] - '0') * 8 + (d[2] - '0'));
    in->at += 3;
    return true;
}

static size_t unescape_letter(char letter, char *out)
{
    static const char FROM[] = "0bnrtZ";
    static const char TO[] = {'\0', '\b', '\n', '\r', '\t', 0x1A};
    const char *found = letter == '\0' ? NULL : strchr(FROM, letter);

    if (letter == '%' || letter == '_') { /* for LIKE */
        out[0] = '\\';
        out[1] = letter;
        return 2;
    }
    out[0] = found == NULL ? letter : TO[found - FROM];
    return 1;
}

/* Behind a backslash; the result is never longer than what it replaces. */
static size_t unescape_one(struct reader *in, char *out)
{
    uint32_t code;

    if (in->at >= in->size) {
        out[0] = '\\';
        return 1;
    }
    if (read_octal(in, &code) || read_unicode(in, &code)) {
        return encode_utf8(code, out);
    }
    return unescape_letter(in->data[in->at++], out);
}

enum arus_status arus_sql_unescape(struct arus_text token, struct arus_arena *arena,
                                   struct arus_text *out, struct arus_error *err)
{
    const bool is_raw = token.data[0] == 'r' || token.data[0] == 'R';
    const size_t skip = is_raw ? 2 : 1;
    const char quote = token.data[skip - 1];
    struct reader in = {token.data + skip, token.size - skip - 1, 0};
    size_t size = 0;
    void *memory;
    char *text;

    if (is_raw) {
        return arus_text_copy((struct arus_text){in.data, in.size}, arena, out, err);
    }
    ARUS_TRY(arus_arena_alloc(arena, in.size + 1, &memory, err));
    text = memory;
    while (in.at < in.size) {
        const char c = in.data[in.at++];

        if (c == '\\') {
            size += unescape_one(&in, text + size);
            continue;
        }
        in.at += c == quote; /* a doubled quote */
        text[size++] = c;
    }
    *out = (struct arus_text){text, size};
    return ARUS_OK;
}

enum arus_status arus_sql_unquote(struct arus_text token, struct arus_arena *arena,
                                  struct arus_text *out, struct arus_error *err)
{
    size_t size = 0;
    void *memory;
    char *text;

    ARUS_TRY(arus_arena_alloc(arena, token.size, &memory, err));
    text = memory;
    for (size_t i = 1; i + 1 < token.size; i++) {
        i += token.data[i] == '`'; /* the first of two */
        text[size++] = token.data[i];
    }
    *out = (struct arus_text){text, size};
    return ARUS_OK;
}
