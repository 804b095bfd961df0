/** Java's URI quoting and Hive's folder names, byte by byte. */
#include "journal/path.h"

#include <stdbool.h>
#include <stdint.h>

static const char HEX[] = "0123456789ABCDEF";

/** Length of a valid UTF-8 sequence at `data`, 0 for none; the code point in `*point`. */
static size_t utf8_at(const uint8_t *data, size_t size, uint32_t *point)
{
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t first = data[0];
    const size_t length = first < 0x80             ? 1
                          : (first & 0xE0) == 0xC0 ? 2
                          : (first & 0xF0) == 0xE0 ? 3
                          : (first & 0xF8) == 0xF0 ? 4
                                                   : 0;

    if (length == 0 || length > size) {
        return 0;
    }
    *point = length == 1 ? first : (uint32_t)(first & (0x7F >> length));
    for (size_t i = 1; i < length; i++) {
        if ((data[i] & 0xC0) != 0x80) {
            return 0;
        }
        *point = (*point << 6) | (data[i] & 0x3F);
    }
    return *point < LEAST[length] || *point > 0x10FFFF || (*point >= 0xD800 && *point < 0xE000)
               ? 0
               : length;
}

/** Character.isSpaceChar or isISOControl, beyond ASCII. */
static bool is_blank_or_control(uint32_t point)
{
    return (point >= 0x80 && point <= 0xA0) || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 ||
           point == 0x202F || point == 0x205F || point == 0x3000;
}

static bool is_quoted_ascii(uint8_t c)
{
    return c <= ' ' || c == 0x7F || (c < 0x80 && strchr("\"#%<>?[\\]^`{|}", c) != NULL);
}

static enum arus_status append_hex(struct arus_buffer *out, uint8_t c, struct arus_error *err)
{
    const char text[3] = {'%', HEX[c >> 4], HEX[c & 15]};

    return arus_buffer_append(out, text, sizeof text, err);
}

enum arus_status arus_path_append_uri(struct arus_buffer *out, struct arus_text path,
                                      struct arus_error *err)
{
    const uint8_t *data = (const uint8_t *)path.data;
    size_t at = 0;

    ARUS_TRY(arus_buffer_append(out, "file://", 7, err));
    while (at < path.size) {
        uint32_t point = 0;
        const size_t length = utf8_at(data + at, path.size - at, &point);
        const size_t step = length == 0 ? 1 : length;

        if (length == 0 || is_blank_or_control(point) ||
            (length == 1 && is_quoted_ascii(data[at]))) {
            for (size_t i = 0; i < step; i++) {
                ARUS_TRY(append_hex(out, data[at + i], err));
            }
        } else {
            ARUS_TRY(arus_buffer_append(out, data + at, step, err));
        }
        at += step;
    }
    return ARUS_OK;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        return (c | 0x20) - 'a' + 10;
    }
    return -1;
}

/** The byte of `%XX` at `at`, or -1. */
static int escaped_at(struct arus_text text, size_t at)
{
    int high;
    int low;

    if (text.data[at] != '%' || at + 2 >= text.size) {
        return -1;
    }
    high = hex_value(text.data[at + 1]);
    low = hex_value(text.data[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static enum arus_status fail_uri(struct arus_text uri, const char *why, struct arus_error *err)
{
    return arus_fail(err, ARUS_MISMATCH, "ARUS_BAD_LOG_PATH", "path `%.*s` %s", ARUS_TEXT_ARGS(uri),
                     why);
}

enum arus_status arus_path_of_uri(struct arus_text uri, struct arus_arena *arena,
                                  struct arus_text *out, struct arus_error *err)
{
    struct arus_text rest = uri;
    void *memory;
    char *data;
    size_t size = 0;

    if (arus_text_starts_with(uri, ARUS_TEXT("file:///"))) {
        rest = (struct arus_text){uri.data + 7, uri.size - 7};
    } else if (arus_text_starts_with(uri, ARUS_TEXT("file:/")) &&
               !arus_text_starts_with(uri, ARUS_TEXT("file://"))) {
        rest = (struct arus_text){uri.data + 5, uri.size - 5};
    } else {
        return fail_uri(uri, "is not of the form file:///..", err);
    }
    ARUS_TRY(arus_arena_alloc(arena, rest.size + 1, &memory, err));
    data = (char *)memory;
    for (size_t i = 0; i < rest.size; i++) {
        const int byte = escaped_at(rest, i);

        if (byte > 0) {
            data[size++] = (char)byte;
            i += 2;
        } else if (is_quoted_ascii((uint8_t)rest.data[i])) {
            return fail_uri(uri, "is not percent-encoded", err);
        } else {
            data[size++] = rest.data[i];
        }
    }
    *out = (struct arus_text){data, size};
    return ARUS_OK;
}

enum arus_status arus_path_append_hive(struct arus_buffer *out, struct arus_text text,
                                       struct arus_error *err)
{
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t c = (uint8_t)text.data[i];

        if (c < ' ' || c == 0x7F || (c < 0x80 && strchr("\"#%'*/:=?\\{[]^", c) != NULL)) {
            ARUS_TRY(append_hex(out, c, err));
        } else {
            ARUS_TRY(arus_buffer_append_char(out, (char)c, err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_path_of_hive(struct arus_text text, struct arus_arena *arena,
                                   struct arus_text *out, struct arus_error *err)
{
    void *memory;
    char *data;
    size_t size = 0;

    ARUS_TRY(
        arus_arena_alloc(arena, text.size + 1, &memory, err)); /* %XX gives two bytes at most */
    data = (char *)memory;
    for (size_t i = 0; i < text.size; i++) {
        const int point = escaped_at(text, i);

        if (point < 0) {
            data[size++] = text.data[i];
            continue;
        }
        if (point < 0x80) {
            data[size++] = (char)point;
        } else {
            data[size++] = (char)(0xC0 | (point >> 6));
            data[size++] = (char)(0x80 | (point & 0x3F));
        }
        i += 2;
    }
    *out = (struct arus_text){data, size};
    return ARUS_OK;
}
