/** Texts in other character sets: encode, decode. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "expr/string_bytes.h"
#include "types/utf8.h"

/* ---- character sets ---- */

enum charset {
    CHARSET_ASCII,
    CHARSET_LATIN1,
    CHARSET_UTF8,
    CHARSET_UTF16, /* with a byte order mark, big-endian */
    CHARSET_UTF16BE,
    CHARSET_UTF16LE,
    CHARSET_UTF32,
    CHARSET_NONE
};

static enum charset charset_of(struct arus_text name)
{
    static const char *const NAMES[] = {"US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16",
                                        "UTF-16BE", "UTF-16LE",   "UTF-32"};

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (arus_text_equal_nocase(arus_text_of(NAMES[i]), name)) {
            return (enum charset)i;
        }
    }
    return CHARSET_NONE;
}

static enum arus_status fail_charset(struct arus_text name, struct arus_error *err)
{
    enum arus_status status = arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.CHARSET",
                                        "there is no character set '%.*s'", ARUS_TEXT_ARGS(name));

    return status == ARUS_OK ? status
                             : arus_error_help(err, "one of US-ASCII, ISO-8859-1, UTF-8, UTF-16BE, "
                                                    "UTF-16LE, UTF-16, UTF-32");
}

static enum arus_status fail_coding(struct arus_text charset, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "MALFORMED_CHARACTER_CODING",
                     "a character is not in the character set %.*s", ARUS_TEXT_ARGS(charset));
}

static enum arus_status append_unit(struct arus_buffer *out, uint32_t unit, uint32_t size,
                                    bool is_little, struct arus_error *err)
{
    char bytes[4];

    for (uint32_t b = 0; b < size; b++) {
        bytes[b] = (char)(unit >> (8 * (is_little ? b : size - 1 - b)));
    }
    return arus_buffer_append(out, bytes, size, err);
}

static enum arus_status append_code_point(struct arus_buffer *out, uint32_t c, enum charset charset,
                                          struct arus_error *err)
{
    const bool is_little = charset == CHARSET_UTF16LE;

    if (charset == CHARSET_ASCII || charset == CHARSET_LATIN1) {
        return append_unit(out, c, 1, false, err);
    }
    if (charset == CHARSET_UTF32) {
        return append_unit(out, c, 4, false, err);
    }
    if (c >= 0x10000) {
        ARUS_TRY(append_unit(out, 0xD800 + ((c - 0x10000) >> 10), 2, is_little, err));
        return append_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FF), 2, is_little, err);
    }
    return append_unit(out, c, 2, is_little, err);
}

static enum arus_status encode(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    const struct arus_text text = arus_view_text(view);
    const struct arus_text name = arus_row_arg_text(row, 1, i);
    const enum charset charset = charset_of(name);

    if (charset == CHARSET_NONE) {
        return fail_charset(name, err);
    }
    if (charset == CHARSET_UTF8) {
        arus_row_view(row, i, view);
        return ARUS_OK;
    }
    arus_buffer_reset(&row->buffer);
    if (charset == CHARSET_UTF16 && text.size > 0) {
        ARUS_TRY(append_unit(&row->buffer, 0xFEFF, 2, false, err));
    }
    for (size_t at = 0; at < text.size;) {
        const uint32_t c = arus_utf8_next(text, &at);

        if ((charset == CHARSET_ASCII && c > 0x7F) || (charset == CHARSET_LATIN1 && c > 0xFF)) {
            return fail_coding(name, err);
        }
        ARUS_TRY(append_code_point(&row->buffer, c, charset, err));
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(encode)

static uint32_t load_unit(const char *at, uint32_t size, bool is_little)
{
    uint32_t unit = 0;

    for (uint32_t b = 0; b < size; b++) {
        unit |= (uint32_t)(unsigned char)at[b] << (8 * (is_little ? b : size - 1 - b));
    }
    return unit;
}

/* One code point of *at; UINT32_MAX: malformed. */
static uint32_t next_code_point(struct arus_text text, size_t *at, enum charset charset,
                                bool is_little)
{
    const uint32_t size = charset == CHARSET_UTF32 ? 4 : charset <= CHARSET_LATIN1 ? 1 : 2;
    uint32_t c;

    if (text.size - *at < size) {
        return UINT32_MAX;
    }
    c = load_unit(text.data + *at, size, is_little);
    *at += size;
    if (charset == CHARSET_ASCII && c > 0x7F) {
        return UINT32_MAX;
    }
    if (size == 2 && c >= 0xD800 && c < 0xE000) {
        uint32_t low;

        if (c >= 0xDC00 || text.size - *at < 2) {
            return UINT32_MAX;
        }
        low = load_unit(text.data + *at, 2, is_little);
        *at += 2;
        return low < 0xDC00 || low > 0xDFFF ? UINT32_MAX
                                            : 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    return c > 0x10FFFF ? UINT32_MAX : c;
}

static enum arus_status decode(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    const struct arus_text text = arus_view_text(view);
    const struct arus_text name = arus_row_arg_text(row, 1, i);
    const enum charset charset = charset_of(name);
    bool is_little = charset == CHARSET_UTF16LE;
    size_t at = 0;

    if (charset == CHARSET_NONE) {
        return fail_charset(name, err);
    }
    if (charset == CHARSET_UTF8) {
        arus_row_view(row, i, view);
        return arus_utf8_is_valid(text) ? ARUS_OK : fail_coding(name, err);
    }
    arus_buffer_reset(&row->buffer);
    if (charset == CHARSET_UTF16 && text.size >= 2) { /* a byte order mark */
        const uint32_t mark = load_unit(text.data, 2, false);

        is_little = mark == 0xFFFE;
        at = mark == 0xFEFF || mark == 0xFFFE ? 2 : 0;
    }
    while (at < text.size) {
        const uint32_t c = next_code_point(text, &at, charset, is_little);
        char bytes[4];

        if (c == UINT32_MAX) {
            return fail_coding(name, err);
        }
        ARUS_TRY(arus_buffer_append(&row->buffer, bytes, arus_utf8_write(c, bytes), err));
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(decode)

static enum arus_status is_utf8(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_boolean(row, i, arus_utf8_is_valid(arus_row_arg_text(row, 0, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(is_utf8)

const struct arus_function ARUS_CHARSETS[] = {
    ARUS_FUNCTION("encode", NULL, ARUS_CAN_FAIL, 2, 2, "s", "x", kernel_encode,
                  "encode(s, charset) -> BINARY", "bytes in a character set",
                  "hex(encode('abc', 'utf-16be'))", "006100620063"),
    ARUS_FUNCTION("decode_charset", NULL, ARUS_CAN_FAIL, 2, 2, "xs", "s", kernel_decode, NULL, NULL,
                  NULL, NULL),
    ARUS_FUNCTION("is_valid_utf8", NULL, 0, 1, 1, "s", "o", kernel_is_utf8,
                  "is_valid_utf8(s) -> BOOLEAN", "well-formed?", "is_valid_utf8('a')", "true"),
    {0},
};
