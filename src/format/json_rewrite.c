/** Writing strings, and values from tokens. */
#include "format/json_rewrite_internal.h"
#include "types/number_text.h"

#define ESCAPE_SIZE_MAX 12 /* two \u escapes */

static const char HEX[] = "0123456789ABCDEF";

static char *put_hex(char *out, uint32_t unit)
{
    *out++ = '\\';
    *out++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) {
        *out++ = HEX[unit >> shift & 15];
    }
    return out;
}

static char *put_escaped(char *out, unsigned char c)
{
    static const char SHORT[32] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    const char mark = c == '"' || c == '\\' ? (char)c : c < 32 ? SHORT[c] : '\0';

    if (mark == '\0') {
        return put_hex(out, c);
    }
    *out++ = '\\';
    *out++ = mark;
    return out;
}

/* A character beyond ASCII as escapes; a byte that begins none is U+FFFD. */
static char *put_code_point(char *out, const char *at, const char *end, size_t *used)
{
    const unsigned char first = (unsigned char)*at;
    const size_t size = first < 0xC2   ? 1
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 1;
    uint32_t c = first & (0x7Fu >> size);

    *used = 1;
    if (size == 1 || (size_t)(end - at) < size) {
        return put_hex(out, 0xFFFD);
    }
    for (size_t i = 1; i < size; i++) {
        c = c << 6 | ((unsigned char)at[i] & 0x3F);
    }
    *used = size;
    if (c < 0x10000) {
        return put_hex(out, c);
    }
    c -= 0x10000;
    return put_hex(put_hex(out, 0xD800 | c >> 10), 0xDC00 | (c & 0x3FF));
}

enum arus_status json_write_string(struct arus_text text, bool is_ascii, struct arus_buffer *out,
                                   struct arus_error *err)
{
    const char *at = text.data;
    const char *end = text.size == 0 ? at : at + text.size;
    char *to;

    ARUS_TRY(arus_buffer_reserve(out, text.size * 6 + ESCAPE_SIZE_MAX + 2, err));
    to = out->data + out->size;
    *to++ = '"';
    while (at < end) {
        const unsigned char c = (unsigned char)*at;
        size_t used = 1;

        if (c < ' ' || c == '"' || c == '\\') {
            to = put_escaped(to, c);
        } else if (c >= 0x80 && is_ascii) {
            to = put_code_point(to, at, end, &used);
        } else {
            *to++ = (char)c;
        }
        at += used;
    }
    *to++ = '"';
    out->size = (size_t)(to - out->data);
    return ARUS_OK;
}

static enum arus_status write_number(const struct json_parser *parser, struct arus_buffer *out,
                                     struct arus_error *err)
{
    const struct arus_text text = json_number_text(parser);
    char written[ARUS_DOUBLE_TEXT_MAX];
    double value;

    if (parser->token == JSON_INTEGER) {
        size_t begin = text.data[0] == '-';
        const bool is_negative = begin == 1;

        while (begin + 1 < text.size && text.data[begin] == '0') {
            begin++;
        }
        if (is_negative && text.data[begin] != '0') {
            ARUS_TRY(arus_buffer_append_char(out, '-', err));
        }
        return arus_buffer_append(out, text.data + begin, text.size - begin, err);
    }
    if (!arus_double_parse(text, &value)) { /* NaN and spelled infinities */
        return json_write_string(text, false, out, err);
    }
    if (value - value != 0) {
        return json_write_string(value > 0 ? ARUS_TEXT("Infinity") : ARUS_TEXT("-Infinity"), false,
                                 out, err);
    }
    return arus_buffer_append(out, written, arus_double_write(value, written), err);
}

/* One token; false in `*is_read`: the tokenizer failed. */
static enum arus_status write_token(struct json_parser *parser, struct arus_buffer *out,
                                    bool *is_read, struct arus_error *err)
{
    static const char *const WORDS[] = {
        [JSON_OBJECT] = "{",  [JSON_OBJECT_END] = "}", [JSON_ARRAY] = "[",   [JSON_ARRAY_END] = "]",
        [JSON_TRUE] = "true", [JSON_FALSE] = "false",  [JSON_NULL] = "null",
    };

    *is_read = true;
    if (parser->token == JSON_NAME) {
        ARUS_TRY(json_write_string(*json_name(parser), false, out, err));
        return arus_buffer_append_char(out, ':', err);
    }
    if (parser->token == JSON_STRING) {
        *is_read = json_finish_string(parser);
        return *is_read ? json_write_string(parser->text, false, out, err) : ARUS_OK;
    }
    if (parser->token == JSON_INTEGER || parser->token == JSON_FLOAT) {
        return write_number(parser, out, err);
    }
    return arus_buffer_append_text(out, arus_text_of(WORDS[parser->token]), err);
}

static bool needs_comma(const struct arus_buffer *out, enum json_token token)
{
    const char last = out->size == 0 ? '{' : out->data[out->size - 1];

    return token != JSON_OBJECT_END && token != JSON_ARRAY_END && last != '{' && last != '[' &&
           last != ':';
}

static enum arus_status write_value(struct json_parser *parser, struct arus_buffer *out,
                                    bool *is_read, struct arus_error *err)
{
    uint32_t open = 0;

    *is_read = true;
    for (;;) {
        if (open != 0 && needs_comma(out, parser->token)) {
            ARUS_TRY(arus_buffer_append_char(out, ',', err));
        }
        ARUS_TRY(write_token(parser, out, is_read, err));
        open += parser->token == JSON_OBJECT || parser->token == JSON_ARRAY;
        open -= parser->token == JSON_OBJECT_END || parser->token == JSON_ARRAY_END;
        if (!*is_read || open == 0 || open > parser->rules->depth_max) {
            return ARUS_OK;
        }
        *is_read = json_next(parser) != JSON_ERROR && parser->token != JSON_NONE;
        if (!*is_read) {
            return ARUS_OK;
        }
    }
}

bool json_rewrite(struct json_parser *parser, struct arus_text *out)
{
    struct arus_buffer buffer = {0};
    struct arus_error err;
    bool is_read = false;
    enum arus_status status = write_value(parser, &buffer, &is_read, &err);

    if (status == ARUS_OK && is_read) {
        status = arus_text_copy(arus_buffer_text(&buffer), parser->arena, out, &err);
    }
    arus_buffer_release(&buffer);
    if (status != ARUS_OK) {
        parser->is_out_of_memory = true;
        return json_fail(parser, "out of memory");
    }
    return is_read;
}

/* A line end and two blanks for each open object. */
static enum arus_status start_line(size_t depth, struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    for (size_t i = 0; i < depth; i++) {
        ARUS_TRY(arus_buffer_append(out, "  ", 2, err));
    }
    return ARUS_OK;
}

/* Open brackets: a byte each in `open`; the number of objects among them. */
struct layout {
    struct arus_buffer open;
    size_t object_count;
};

/* A punctuation mark outside strings. */
static enum arus_status lay_out_mark(struct layout *layout, char c, bool is_empty,
                                     struct arus_buffer *out, struct arus_error *err)
{
    const bool is_object =
        layout->open.size != 0 && layout->open.data[layout->open.size - 1] == '{';

    if (c == ':') {
        return arus_buffer_append(out, " : ", 3, err);
    }
    if (c == ',') {
        ARUS_TRY(arus_buffer_append_char(out, c, err));
        return is_object ? start_line(layout->object_count, out, err)
                         : arus_buffer_append_char(out, ' ', err);
    }
    if (c == '{' || c == '[') {
        layout->object_count += c == '{';
        ARUS_TRY(arus_buffer_append_char(&layout->open, c, err));
        ARUS_TRY(arus_buffer_append_char(out, c, err));
        return c == '{' && !is_empty ? start_line(layout->object_count, out, err)
                                     : arus_buffer_append_char(out, ' ', err);
    }
    layout->open.size--;
    layout->object_count -= c == '}';
    if (!is_empty) {
        ARUS_TRY(c == '}' ? start_line(layout->object_count, out, err)
                          : arus_buffer_append_char(out, ' ', err));
    }
    return arus_buffer_append_char(out, c, err);
}

static enum arus_status write_pretty(struct layout *layout, struct arus_text compact,
                                     struct arus_buffer *out, struct arus_error *err)
{
    bool is_string = false;

    for (size_t i = 0; i < compact.size; i++) {
        const char c = compact.data[i];
        const bool closes_empty = i != 0 && (c == '}' || c == ']') &&
                                  (compact.data[i - 1] == '{' || compact.data[i - 1] == '[');
        const bool opens_empty = i + 1 < compact.size && (c == '{' || c == '[') &&
                                 (compact.data[i + 1] == '}' || compact.data[i + 1] == ']');

        if (!is_string && strchr("{}[],:", c) != NULL && c != '\0') {
            ARUS_TRY(lay_out_mark(layout, c, closes_empty || opens_empty, out, err));
            continue;
        }
        is_string ^= c == '"';
        ARUS_TRY(arus_buffer_append_char(out, c, err));
        if (is_string && c == '\\') {
            ARUS_TRY(arus_buffer_append_char(out, compact.data[++i], err));
        }
    }
    return ARUS_OK;
}

enum arus_status json_write_pretty(struct arus_text compact, struct arus_buffer *out,
                                   struct arus_error *err)
{
    struct layout layout = {0};
    const enum arus_status status = write_pretty(&layout, compact, out, err);

    arus_buffer_release(&layout.open);
    return status;
}
