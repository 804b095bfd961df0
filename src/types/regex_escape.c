/** Escapes and properties of Java's regular expressions. */
#include "types/regex_internal.h"
#include "types/utf8.h"

enum arus_status arus_regex_fail(struct arus_regex_reader *reader, const char *what)
{
    return arus_fail(reader->err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.PATTERN",
                     "bad regular expression '%.*s' at byte %zu: %s", ARUS_TEXT_ARGS(reader->text),
                     reader->at, what);
}

enum arus_status arus_regex_literal(struct arus_regex_reader *reader, uint32_t code_point)
{
    char bytes[4];
    const bool is_word = (code_point >= '0' && code_point <= '9') ||
                         ((code_point | 0x20) >= 'a' && (code_point | 0x20) <= 'z');

    if (code_point < 0x20 || code_point == 0x7F) {
        return arus_buffer_printf(reader->out, reader->err, "\\x{%x}", code_point);
    }
    if (code_point < 0x80 && !is_word) {
        ARUS_TRY(arus_buffer_append_char(reader->out, '\\', reader->err));
    }
    return arus_buffer_append(reader->out, bytes, arus_utf8_write(code_point, bytes), reader->err);
}

static int32_t hex_digit(char c)
{
    const char small = (char)(c | 0x20);

    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/* Exactly `count` hexadecimal digits. */
static bool take_hex(struct arus_regex_reader *reader, uint32_t count, uint32_t *out)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < count; i++) {
        const int32_t digit = hex_digit(arus_regex_peek(reader, i));

        if (digit < 0) {
            return false;
        }
        value = value * 16 + (uint32_t)digit;
    }
    reader->at += count;
    *out = value;
    return true;
}

/* Behind `\u`; two halves make one character. */
static enum arus_status take_unicode(struct arus_regex_reader *reader, uint32_t *out)
{
    uint32_t low;
    size_t mark;

    if (!take_hex(reader, 4, out)) {
        return arus_regex_fail(reader, "four hexadecimal digits must follow \\u");
    }
    if (*out < 0xD800 || *out > 0xDFFF) {
        return ARUS_OK;
    }
    mark = reader->at;
    if (*out < 0xDC00 && arus_regex_peek(reader, 0) == '\\' && arus_regex_peek(reader, 1) == 'u') {
        reader->at += 2;
        if (take_hex(reader, 4, &low) && low >= 0xDC00 && low <= 0xDFFF) {
            *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
            return ARUS_OK;
        }
    }
    reader->at = mark;
    return arus_regex_fail(reader, "half of a surrogate pair");
}

/* Behind `\x`. */
static enum arus_status take_byte(struct arus_regex_reader *reader, uint32_t *out)
{
    uint32_t value = 0;

    if (arus_regex_peek(reader, 0) != '{') {
        return take_hex(reader, 2, out)
                   ? ARUS_OK
                   : arus_regex_fail(reader, "two hexadecimal digits must follow \\x");
    }
    reader->at++;
    while (hex_digit(arus_regex_peek(reader, 0)) >= 0 && value <= 0x10FFFF) {
        value = value * 16 + (uint32_t)hex_digit(arus_regex_peek(reader, 0));
        reader->at++;
    }
    if (arus_regex_peek(reader, 0) != '}' || value > 0x10FFFF) {
        return arus_regex_fail(reader, "bad \\x{..}");
    }
    reader->at++;
    *out = value;
    return ARUS_OK;
}

/* Behind `\0`: one to three octal digits, at most 377. */
static enum arus_status take_octal(struct arus_regex_reader *reader, uint32_t *out)
{
    uint32_t value = 0;
    uint32_t count = 0;

    while (count < 3 && arus_regex_peek(reader, 0) >= '0' && arus_regex_peek(reader, 0) <= '7' &&
           value * 8 + (uint32_t)(arus_regex_peek(reader, 0) - '0') <= 255) {
        value = value * 8 + (uint32_t)(arus_regex_peek(reader, 0) - '0');
        reader->at++;
        count++;
    }
    *out = value;
    return count == 0 ? arus_regex_fail(reader, "octal digits must follow \\0") : ARUS_OK;
}

enum arus_status arus_regex_escape(struct arus_regex_reader *reader, bool *is_one,
                                   uint32_t *code_point)
{
    static const char LETTERS[] = "tnrfae";
    static const uint32_t CODES[] = {'\t', '\n', '\r', '\f', 7, 27};
    const char c = arus_regex_peek(reader, 0);
    const char *found;

    *is_one = true;
    if (arus_regex_is_end(reader)) {
        return arus_regex_fail(reader, "a backslash at the end");
    }
    found = c == '\0' ? NULL : strchr(LETTERS, c);
    if (found != NULL) {
        reader->at++;
        *code_point = CODES[found - LETTERS];
        return ARUS_OK;
    }
    if (c == 'u' || c == 'x' || c == '0') {
        reader->at++;
        return c == 'u'   ? take_unicode(reader, code_point)
               : c == 'x' ? take_byte(reader, code_point)
                          : take_octal(reader, code_point);
    }
    if (c == 'c' && reader->at + 1 < reader->text.size) {
        *code_point = (uint32_t)(unsigned char)arus_regex_peek(reader, 1) ^ 64;
        reader->at += 2;
        return ARUS_OK;
    }
    if (((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '1' && c <= '9')) {
        *is_one = false;
        return ARUS_OK;
    }
    *code_point = arus_utf8_next(reader->text, &reader->at);
    return ARUS_OK;
}

/* ---- properties ---- */

static const struct {
    const char *name;
    const char *body;
} PROPERTIES[] = {
    {"Lower", "a-z"},
    {"Upper", "A-Z"},
    {"ASCII", "\\x00-\\x7F"},
    {"Alpha", "a-zA-Z"},
    {"Digit", "0-9"},
    {"Alnum", "a-zA-Z0-9"},
    {"Punct", "!-\\/:-@\\[-`{-~"},
    {"Graph", "!-~"},
    {"Print", "\\x20-~"},
    {"Blank", "\\x20\\t"},
    {"Cntrl", "\\x00-\\x1F\\x7F"},
    {"XDigit", "0-9a-fA-F"},
    {"Space", "\\t-\\r\\x20"},
    {"LC", "\\p{Lu}\\p{Ll}\\p{Lt}"},
    {"LD", "\\p{L}\\p{Nd}"},
    {"L1", "\\x00-\\x{FF}"},
    {"all", "\\x00-\\x{10FFFF}"},
    {"javaLowerCase", "\\p{Lowercase}"},
    {"javaUpperCase", "\\p{Uppercase}"},
    {"javaAlphabetic", "\\p{Alphabetic}"},
    {"javaIdeographic", "\\p{Ideographic}"},
    {"javaTitleCase", "\\p{Lt}"},
    {"javaDigit", "\\p{Nd}"},
    {"javaDefined", "\\P{Cn}"},
    {"javaLetter", "\\p{L}"},
    {"javaLetterOrDigit", "\\p{L}\\p{Nd}"},
    {"javaSpaceChar", "\\p{Z}"},
    {"javaISOControl", "\\x00-\\x1F\\x7F-\\x{9F}"},
    {"javaWhitespace", "\\t-\\r\\x1C-\\x20\\x{1680}\\x{2000}-\\x{2006}\\x{2008}-\\x{200A}\\x{2028}"
                       "\\x{2029}\\x{205F}\\x{3000}"},
    {"IsLetter", "\\p{L}"},
    {"IsDigit", "\\p{Nd}"},
    {"IsPunctuation", "\\p{P}"},
    {"IsControl", "\\p{Cc}"},
    {"IsTitlecase", "\\p{Lt}"},
    {"IsAssigned", "\\P{Cn}"},
    {"IsAlphabetic", "\\p{Alphabetic}"},
    {"IsLowercase", "\\p{Lowercase}"},
    {"IsUppercase", "\\p{Uppercase}"},
    {"IsWhite_Space", "\\p{White_Space}"},
    {"IsWhiteSpace", "\\p{White_Space}"},
    {"IsIdeographic", "\\p{Ideographic}"},
    {"IsHex_Digit", "\\p{Hex_Digit}"},
};

/* The name of a script or category behind `Is`, `script=` and the like. */
static struct arus_text strip_prefix(struct arus_text name, bool *is_known)
{
    static const char *const PREFIXES[] = {"Is", "script=", "sc=", "general_category=", "gc="};

    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        const struct arus_text prefix = arus_text_of(PREFIXES[i]);

        if (name.size > prefix.size &&
            arus_text_equal_nocase((struct arus_text){name.data, prefix.size}, prefix)) {
            *is_known = true;
            return (struct arus_text){name.data + prefix.size, name.size - prefix.size};
        }
    }
    *is_known = name.size <= 2; /* a general category */
    return name;
}

static bool is_name(struct arus_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        const char c = name.data[i];

        if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && c != '_' && (c < '0' || c > '9')) {
            return false;
        }
    }
    return name.size != 0;
}

static enum arus_status find_property(struct arus_regex_reader *reader, struct arus_text name,
                                      char built[ARUS_REGEX_NAME_MAX], const char **body)
{
    bool is_known;
    struct arus_text rest;

    for (size_t i = 0; i < sizeof PROPERTIES / sizeof *PROPERTIES; i++) {
        if (arus_text_equal(name, arus_text_of(PROPERTIES[i].name)) ||
            (arus_text_starts_with(name, ARUS_TEXT("Is")) &&
             arus_text_equal_nocase(name, arus_text_of(PROPERTIES[i].name)))) {
            *body = PROPERTIES[i].body;
            return ARUS_OK;
        }
    }
    rest = strip_prefix(name, &is_known);
    if (!is_known || !is_name(rest) || arus_text_equal_nocase(rest, ARUS_TEXT("Emoji")) ||
        rest.size + 5 > ARUS_REGEX_NAME_MAX) {
        return arus_regex_fail(reader, "this character property is not supported");
    }
    built[0] = '\\';
    built[1] = 'p';
    built[2] = '{';
    memcpy(built + 3, rest.data, rest.size);
    built[3 + rest.size] = '}';
    built[4 + rest.size] = '\0';
    *body = built;
    return ARUS_OK;
}

enum arus_status arus_regex_property(struct arus_regex_reader *reader,
                                     char name[ARUS_REGEX_NAME_MAX], struct arus_regex_set *out)
{
    struct arus_text text = {reader->text.data + reader->at, 1};

    if (arus_regex_is_end(reader)) {
        return arus_regex_fail(reader, "a property must follow \\p");
    }
    if (arus_regex_peek(reader, 0) != '{') {
        reader->at++;
        return find_property(reader, text, name, &out->body);
    }
    reader->at++;
    text.data++;
    text.size = 0;
    while (!arus_regex_is_end(reader) && arus_regex_peek(reader, 0) != '}') {
        reader->at++;
        text.size++;
    }
    if (arus_regex_is_end(reader)) {
        return arus_regex_fail(reader, "the property is not closed");
    }
    reader->at++;
    if (text.size > 1 && text.data[0] == '^') { /* not Java */
        return arus_regex_fail(reader, "bad property");
    }
    return find_property(reader, text, name, &out->body);
}
