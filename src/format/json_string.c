/** Strings and names: escapes, UTF-8 as Jackson takes it, Base64. */
#include "format/json_token_internal.h"

#define NAME_SIZE_MAX 50000
#define HIGH_BEGIN    0xD800u
#define LOW_BEGIN     0xDC00u
#define LOW_END       0xE000u

/* Receives UTF-16 units, writes UTF-8; a surrogate without its other half becomes `?`. */
struct spelling {
    char *out;
    size_t size;
    uint32_t high; /* waiting for its low half; 0: none */
    uint32_t unit_count;
};

static void put_code_point(struct spelling *spelling, uint32_t c)
{
    char *out = spelling->out + spelling->size;

    if (c < 0x80) {
        out[0] = (char)c;
        spelling->size += 1;
    } else if (c < 0x800) {
        out[0] = (char)(0xC0 | (c >> 6));
        out[1] = (char)(0x80 | (c & 0x3F));
        spelling->size += 2;
    } else if (c < 0x10000) {
        out[0] = (char)(0xE0 | (c >> 12));
        out[1] = (char)(0x80 | ((c >> 6) & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        spelling->size += 3;
    } else {
        out[0] = (char)(0xF0 | (c >> 18));
        out[1] = (char)(0x80 | ((c >> 12) & 0x3F));
        out[2] = (char)(0x80 | ((c >> 6) & 0x3F));
        out[3] = (char)(0x80 | (c & 0x3F));
        spelling->size += 4;
    }
}

static void finish_spelling(struct spelling *spelling)
{
    if (spelling->high != 0) {
        spelling->out[spelling->size++] = '?';
        spelling->high = 0;
    }
}

static void put_unit(struct spelling *spelling, uint32_t unit)
{
    const uint32_t high = spelling->high;

    spelling->unit_count++;
    if (high != 0 && unit >= LOW_BEGIN && unit < LOW_END) {
        put_code_point(spelling, 0x10000 + ((high - HIGH_BEGIN) << 10) + (unit - LOW_BEGIN));
        spelling->high = 0;
        return;
    }
    finish_spelling(spelling);
    if (unit >= HIGH_BEGIN && unit < LOW_BEGIN) {
        spelling->high = unit;
    } else if (unit >= LOW_BEGIN && unit < LOW_END) {
        spelling->out[spelling->size++] = '?';
    } else {
        put_code_point(spelling, unit);
    }
}

static int hex_value(int c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool fail_end(struct json_parser *parser)
{
    return json_fail(parser, "a string does not end");
}

static bool decode_hex(struct json_parser *parser, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit;

        if (parser->at == parser->end) {
            return fail_end(parser);
        }
        digit = hex_value((unsigned char)*parser->at++);
        if (digit < 0) {
            return json_fail(parser, "four hexadecimal digits must follow `\\u`");
        }
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

static bool decode_multibyte(struct json_parser *parser, uint32_t first, bool is_skipped,
                             uint32_t *code_point);

/* A character behind a backslash that means nothing. */
static bool unknown_escape(struct json_parser *parser, uint32_t c, uint32_t *unit)
{
    if (c >= 0x80 && !decode_multibyte(parser, c, false, &c)) {
        return false;
    }
    *unit = c & 0xFFFF;
    if (parser->rules->allows_any_escape || (c == '\'' && parser->rules->allows_single_quotes)) {
        return true;
    }
    return json_fail(parser, "an unknown escape stands in a string");
}

/* Behind the backslash. */
static bool decode_escape(struct json_parser *parser, uint32_t *unit)
{
    uint32_t c;

    if (parser->at == parser->end) {
        return fail_end(parser);
    }
    c = (unsigned char)*parser->at++;
    switch (c) {
    case 'b':
        *unit = '\b';
        return true;
    case 't':
        *unit = '\t';
        return true;
    case 'n':
        *unit = '\n';
        return true;
    case 'f':
        *unit = '\f';
        return true;
    case 'r':
        *unit = '\r';
        return true;
    case '"':
    case '/':
    case '\\':
        *unit = c;
        return true;
    case 'u':
        return decode_hex(parser, unit);
    default:
        return unknown_escape(parser, c, unit);
    }
}

/* The rest of a multi-byte character. Overlong forms pass, as in Jackson; surrogates only when
 * skipped. */
static bool decode_multibyte(struct json_parser *parser, uint32_t first, bool is_skipped,
                             uint32_t *code_point)
{
    const int rest = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF8 ? 3 : 0;
    uint32_t c = first & (0x3Fu >> rest);

    if (rest == 0) {
        return json_fail(parser, "a byte is no UTF-8");
    }
    for (int i = 0; i < rest; i++) {
        uint32_t next;

        if (parser->at == parser->end) {
            return fail_end(parser);
        }
        next = (unsigned char)*parser->at++;
        if ((next & 0xC0) != 0x80) {
            return json_fail(parser, "a byte is no UTF-8");
        }
        c = c << 6 | (next & 0x3F);
    }
    if (!is_skipped && rest == 2 && c >= HIGH_BEGIN && c < LOW_END) {
        return json_fail(parser, "a surrogate is no UTF-8");
    }
    *code_point = c;
    return true;
}

/* Four-byte characters as Jackson splits them, also beyond Unicode. */
static void put_decoded(struct spelling *spelling, uint32_t first, uint32_t c)
{
    if (first < 0xF0) {
        put_unit(spelling, c);
        return;
    }
    c -= 0x10000;
    put_unit(spelling, (HIGH_BEGIN | (uint32_t)((int32_t)c >> 10)) & 0xFFFF);
    put_unit(spelling, LOW_BEGIN | (c & 0x3FF));
}

/* One character that is no plain ASCII; `c` has been read. `spelling` NULL: skipped. */
static bool read_special(struct json_parser *parser, uint32_t c, struct spelling *spelling)
{
    uint32_t value = c;

    if (c == '\\') {
        if (!decode_escape(parser, &value)) {
            return false;
        }
        c = 0;
    } else if (c < ' ') {
        if (!parser->rules->allows_control_chars) {
            return json_fail(parser, "a control character stands in a string");
        }
    } else if (!decode_multibyte(parser, c, spelling == NULL, &value)) {
        return false;
    }
    if (spelling != NULL) {
        put_decoded(spelling, c, value);
    }
    return true;
}

static inline bool is_special(unsigned char c)
{
    return c < ' ' || c >= 0x80 || c == '\\';
}

static bool need_room(struct json_parser *parser, struct spelling *spelling)
{
    struct arus_error err;
    void *memory;

    /* A character never needs more bytes than it had; +4 for what stands across the end. */
    if (arus_arena_alloc(parser->arena, (size_t)(parser->end - parser->at) + 4, &memory, &err) !=
        ARUS_OK) {
        parser->is_out_of_memory = true;
        return json_fail(parser, "out of memory");
    }
    spelling->out = memory;
    return true;
}

/* Where the raw string ends at the latest: bounds the memory for its decoded form. */
static const char *raw_end(const char *at, const char *end, char quote)
{
    while (at < end && *at != quote) {
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    }
    return at;
}

/* The general way: decodes all up to `quote`. `plain_begin`: the ASCII bytes before. */
static bool decode_string(struct json_parser *parser, const char *begin, char quote)
{
    const char *whole_end = parser->end;
    struct spelling spelling = {0};
    bool is_read;

    parser->end = raw_end(parser->at, whole_end, quote);
    parser->at = begin;
    is_read = need_room(parser, &spelling);
    parser->end = whole_end;
    while (is_read) {
        uint32_t c;

        if (parser->at == parser->end) {
            return fail_end(parser);
        }
        c = (unsigned char)*parser->at++;
        if (c == (unsigned char)quote) {
            break;
        }
        if (is_special((unsigned char)c)) {
            is_read = read_special(parser, c, &spelling);
        } else {
            put_unit(&spelling, c);
        }
    }
    finish_spelling(&spelling);
    parser->text = (struct arus_text){spelling.out, spelling.size};
    parser->unit_count = spelling.unit_count;
    return is_read;
}

static bool read_string(struct json_parser *parser, char quote)
{
    const char *begin = parser->at;

    while (parser->at < parser->end && *parser->at != quote &&
           !is_special((unsigned char)*parser->at)) {
        parser->at++;
    }
    if (parser->at == parser->end) {
        return fail_end(parser);
    }
    if (*parser->at != quote) {
        return decode_string(parser, begin, quote);
    }
    parser->text = (struct arus_text){begin, (size_t)(parser->at - begin)};
    parser->unit_count = (uint32_t)parser->text.size;
    parser->at++;
    return true;
}

bool json_finish_string(struct json_parser *parser)
{
    if (!parser->is_unfinished) {
        return true;
    }
    parser->is_unfinished = false;
    parser->text = (struct arus_text){0};
    if (!read_string(parser, '"')) {
        return false;
    }
    if (parser->unit_count > parser->rules->string_size_max) {
        return json_fail(parser, "a string is longer than maxStringLen");
    }
    return true;
}

bool json_read_single_quoted(struct json_parser *parser)
{
    return read_string(parser, '\'');
}

bool json_skip_string(struct json_parser *parser)
{
    parser->is_unfinished = false;
    while (parser->at < parser->end) {
        const uint32_t c = (unsigned char)*parser->at++;

        if (c == '"') {
            return true;
        }
        if (is_special((unsigned char)c) && !read_special(parser, c, NULL)) {
            return false;
        }
    }
    return fail_end(parser);
}

static bool set_name(struct json_parser *parser, struct arus_text name)
{
    struct json_context *context = &parser->contexts[parser->depth];

    if (name.size > NAME_SIZE_MAX) {
        return json_fail(parser, "a name is longer than 50000 characters");
    }
    context->name = name;
    context->has_name = true;
    return true;
}

/* Jackson's table of bytes that may stand in a name without quotes. */
static bool is_bare_name_byte(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '@' || c == '#' || c == '*' || c == '-' || c == '+';
}

static bool read_bare_name(struct json_parser *parser, int c)
{
    const char *begin = parser->at - 1;

    if (!parser->rules->allows_unquoted_names || !is_bare_name_byte((unsigned char)c)) {
        return json_fail(parser, c == '}' || c == ',' ? "a name must follow the comma"
                                                      : "a name must begin with a quote");
    }
    while (parser->at < parser->end && is_bare_name_byte((unsigned char)*parser->at)) {
        parser->at++;
    }
    return set_name(parser, (struct arus_text){begin, (size_t)(parser->at - begin)});
}

bool json_read_name(struct json_parser *parser, int c)
{
    if (c != '"' && !(c == '\'' && parser->rules->allows_single_quotes)) {
        return read_bare_name(parser, c);
    }
    return read_string(parser, (char)c) && set_name(parser, parser->text);
}

size_t json_unescape(struct arus_text raw, char *out)
{
    static const struct json_rules RULES = {.string_size_max = UINT32_MAX};
    struct json_parser parser = {
        .rules = &RULES, .begin = raw.data, .at = raw.data, .end = raw.data + raw.size};
    struct spelling spelling = {.out = out};

    while (parser.at < parser.end) {
        const uint32_t c = (unsigned char)*parser.at++;

        if (!is_special((unsigned char)c)) {
            put_unit(&spelling, c);
        } else if (!read_special(&parser, c, &spelling)) {
            break;
        }
    }
    finish_spelling(&spelling);
    return spelling.size;
}

/* ---- Base64 ---- */

#define BASE64_BAD     (-1)
#define BASE64_PADDING (-2)
#define BASE64_SPACE   (-3)
#define BASE64_END     (-4) /* the closing quote */

static int base64_value(uint32_t c)
{
    if (c >= 'A' && c <= 'Z') {
        return (int)c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return (int)c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return (int)c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? BASE64_PADDING : BASE64_BAD;
}

/* The next character of group position `index`; blanks count only before a group. */
static int base64_next(struct json_parser *parser, int index)
{
    uint32_t c;
    int value;

    do {
        if (parser->at == parser->end) {
            (void)fail_end(parser);
            return BASE64_BAD;
        }
        c = (unsigned char)*parser->at++;
    } while (index == 0 && c <= ' ');
    if (c == '"') {
        return BASE64_END;
    }
    if (c == '\\') {
        if (!decode_escape(parser, &c)) {
            return BASE64_BAD;
        }
        if (c <= ' ' && index == 0) {
            return BASE64_SPACE;
        }
    }
    value = base64_value(c);
    if (value == BASE64_BAD || (value == BASE64_PADDING && index < 2)) {
        (void)json_fail(parser, "a character is no Base64");
        return BASE64_BAD;
    }
    return value;
}

/* The closing quote inside a group: Jackson wants the padding and steps back. */
static bool base64_cut_off(struct json_parser *parser, int index)
{
    if (index >= 2) {
        parser->at--;
    }
    return json_fail(parser, "Base64 without its padding");
}

/* One group of four. False: error. `*is_end`: the closing quote stood in its place. */
static bool base64_group(struct json_parser *parser, struct spelling *bytes, bool *is_end)
{
    uint32_t bits = 0;
    int count = 0;

    while (count < 4) {
        const int value = base64_next(parser, count);

        if (value == BASE64_SPACE) {
            continue;
        }
        if (value == BASE64_END) {
            *is_end = count == 0;
            return *is_end || base64_cut_off(parser, count);
        }
        if (value == BASE64_PADDING) {
            break;
        }
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)value;
        count++;
    }
    if (count == 2 && base64_next(parser, 3) != BASE64_PADDING) {
        return json_fail(parser, "Base64 without its padding");
    }
    bits <<= 6 * (4 - count);
    for (int i = 0; i < count - 1; i++) {
        bytes->out[bytes->size++] = (char)(bits >> (16 - 8 * i));
    }
    return true;
}

/* A string that has been read at once (single quotes) is Base64 as a text of its own. */
static bool base64_of_text(struct json_parser *parser, struct arus_text *out)
{
    const char *at = parser->at;
    const char *end = parser->end;
    struct arus_error err;
    struct arus_buffer quoted = {0};
    bool is_read = arus_buffer_append_text(&quoted, parser->text, &err) == ARUS_OK &&
                   arus_buffer_append_char(&quoted, '"', &err) == ARUS_OK;

    parser->is_out_of_memory |= !is_read;
    if (is_read) {
        parser->at = quoted.data;
        parser->end = quoted.data + quoted.size;
        parser->is_unfinished = true;
        is_read = json_finish_base64(parser, out);
    }
    parser->at = at;
    parser->end = end;
    parser->is_unfinished = false;
    arus_buffer_release(&quoted);
    return is_read || json_fail(parser, "a character is no Base64");
}

bool json_finish_base64(struct json_parser *parser, struct arus_text *out)
{
    const char *whole_end = parser->end;
    struct spelling bytes = {0};
    bool is_end = false;
    bool is_read;

    if (!parser->is_unfinished) {
        return base64_of_text(parser, out);
    }
    parser->end = raw_end(parser->at, whole_end, '"');
    is_read = need_room(parser, &bytes);
    parser->end = whole_end;
    while (is_read && !is_end) {
        is_read = base64_group(parser, &bytes, &is_end);
    }
    /* After an error the string stays unfinished: the next token skips on from here. */
    parser->is_unfinished = !is_read;
    *out = (struct arus_text){bytes.out, bytes.size};
    return is_read;
}
