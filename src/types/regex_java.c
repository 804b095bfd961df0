/** The pre-pass: everything in which Java and PCRE2 differ is rewritten, the rest is copied. */
#include "types/regex_internal.h"
#include "types/utf8.h"

/* Java's line terminators; PCRE2's own notion has two more. */
#define NOT_LINE_END "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]"
#define BEFORE_END   "(?=(?:\\r\\n|(?<!\\r)\\n|[\\r\\x{85}\\x{2028}\\x{2029}])?\\z)"
#define WORD         "[\\p{L}\\p{Nd}_]"
/* Until Java 19 a word boundary knows all letters, though \w does not. */
#define BOUNDARY     "(?:(?<=" WORD ")(?!" WORD ")|(?<!" WORD ")(?=" WORD "))"
#define NOT_BOUNDARY "(?:(?<=" WORD ")(?=" WORD ")|(?<!" WORD ")(?!" WORD "))"

static enum arus_status put(struct arus_regex_reader *reader, const char *text)
{
    return arus_buffer_append(reader->out, text, strlen(text), reader->err);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- escapes ---- */

/* Java takes as many digits as there are groups. */
static enum arus_status put_back_reference(struct arus_regex_reader *reader)
{
    uint32_t number = (uint32_t)(arus_regex_peek(reader, 0) - '0');

    reader->at++;
    while (is_digit(arus_regex_peek(reader, 0))) {
        const uint32_t longer = number * 10 + (uint32_t)(arus_regex_peek(reader, 0) - '0');

        if (longer > reader->group_count) {
            break;
        }
        number = longer;
        reader->at++;
    }
    return number > reader->group_count
               ? put(reader, "(?!)")
               : arus_buffer_printf(reader->out, reader->err, "\\g{%u}", number);
}

static enum arus_status put_quoted(struct arus_regex_reader *reader)
{
    while (!arus_regex_is_end(reader)) {
        if (arus_regex_peek(reader, 0) == '\\' && arus_regex_peek(reader, 1) == 'E') {
            reader->at += 2;
            return ARUS_OK;
        }
        ARUS_TRY(arus_regex_literal(reader, arus_utf8_next(reader->text, &reader->at)));
    }
    return ARUS_OK;
}

/* `\k<name>` */
static enum arus_status put_named_reference(struct arus_regex_reader *reader)
{
    const size_t begin = reader->at;

    if (arus_regex_peek(reader, 0) != '<') {
        return arus_regex_fail(reader, "a name in < > must follow \\k");
    }
    while (!arus_regex_is_end(reader) && arus_regex_peek(reader, 0) != '>') {
        reader->at++;
    }
    if (arus_regex_is_end(reader)) {
        return arus_regex_fail(reader, "the name is not closed");
    }
    reader->at++;
    ARUS_TRY(put(reader, "\\k"));
    return arus_buffer_append(reader->out, reader->text.data + begin, reader->at - begin,
                              reader->err);
}

static enum arus_status put_property(struct arus_regex_reader *reader, bool is_negated)
{
    char name[ARUS_REGEX_NAME_MAX];
    struct arus_regex_set set = {0};

    ARUS_TRY(arus_regex_property(reader, name, &set));
    ARUS_TRY(put(reader, is_negated ? "[^" : "["));
    ARUS_TRY(put(reader, set.body));
    return put(reader, "]");
}

static enum arus_status put_letter_escape(struct arus_regex_reader *reader)
{
    const char c = arus_regex_peek(reader, 0);
    char escape[] = "\\?";

    reader->at++;
    switch (c) {
    case 'b':
        return arus_regex_peek(reader, 0) == '{' ? arus_regex_fail(reader, "\\b{..} is unsupported")
                                                 : put(reader, BOUNDARY);
    case 'B':
        return put(reader, NOT_BOUNDARY);
    case 'Z':
        return put(reader, BEFORE_END);
    case 'Q':
        return put_quoted(reader);
    case 'E':
        return ARUS_OK;
    case 'k':
        return put_named_reference(reader);
    case 'p':
    case 'P':
        return put_property(reader, c == 'P');
    default:
        if (strchr("dDwWsShHvVRXAGz", c) == NULL) {
            return arus_regex_fail(reader, "unknown escape");
        }
        escape[1] = c;
        return put(reader, escape);
    }
}

static enum arus_status put_escape(struct arus_regex_reader *reader)
{
    uint32_t code_point;
    bool is_one;

    reader->at++;
    ARUS_TRY(arus_regex_escape(reader, &is_one, &code_point));
    if (is_one) {
        return arus_regex_literal(reader, code_point);
    }
    return is_digit(arus_regex_peek(reader, 0)) ? put_back_reference(reader)
                                                : put_letter_escape(reader);
}

/* ---- groups and flags ---- */

static enum arus_status open_group(struct arus_regex_reader *reader, const char *text, size_t size)
{
    if (reader->depth == ARUS_REGEX_DEPTH_MAX) {
        return arus_regex_fail(reader, "nested too deeply");
    }
    reader->stack[reader->depth++] = reader->flags;
    reader->at += size;
    return put(reader, text);
}

static bool set_flag(struct arus_regex_reader *reader, char letter, bool is_on)
{
    static const char LETTERS[] = "smxdiu";
    const char *found = strchr(LETTERS, letter);
    uint32_t flag;

    if (letter == 'U' && is_on) { /* it counts for the whole pattern, and brings u */
        reader->is_unicode = true;
        reader->flags |= ARUS_REGEX_UNICODE_CASE;
    }
    if (found == NULL) {
        return letter == 'U';
    }
    flag = (uint32_t)1 << (found - LETTERS);
    reader->flags = is_on ? reader->flags | flag : reader->flags & ~flag;
    return true;
}

static enum arus_status put_flag(struct arus_regex_reader *reader, bool *is_on)
{
    const char c = arus_regex_peek(reader, 0);

    if (c == '-' && *is_on) {
        *is_on = false;
        return put(reader, "-");
    }
    if (c == '\0' || !set_flag(reader, c, *is_on)) {
        return arus_regex_fail(reader, "unknown flag or kind of group");
    }
    return c == 'i' || c == 'm' ? arus_buffer_append_char(reader->out, c, reader->err) : ARUS_OK;
}

/* Behind `(?`: letters up to `)` or `:`. Only i, m and s mean the same to PCRE2; s is kept for
 * (?s:.) alone. */
static enum arus_status put_flags(struct arus_regex_reader *reader)
{
    const uint32_t outside = reader->flags;
    bool is_on = true;

    reader->at += 2;
    ARUS_TRY(put(reader, "(?"));
    for (; arus_regex_peek(reader, 0) != ')' && arus_regex_peek(reader, 0) != ':'; reader->at++) {
        ARUS_TRY(put_flag(reader, &is_on));
    }
    if (arus_regex_peek(reader, 0) == ':') {
        if (reader->depth == ARUS_REGEX_DEPTH_MAX) {
            return arus_regex_fail(reader, "nested too deeply");
        }
        reader->stack[reader->depth++] = outside;
    }
    return arus_buffer_append_char(reader->out, reader->text.data[reader->at++], reader->err);
}

static enum arus_status put_named_group(struct arus_regex_reader *reader)
{
    const size_t begin = reader->at;
    size_t end = begin + 3;

    while (end < reader->text.size && reader->text.data[end] != '>') {
        const char c = reader->text.data[end];

        if (!((c | 0x20) >= 'a' && (c | 0x20) <= 'z') && (end == begin + 3 || !is_digit(c))) {
            return arus_regex_fail(reader, "bad group name");
        }
        end++;
    }
    if (end == begin + 3 || end >= reader->text.size) {
        return arus_regex_fail(reader, "bad group name");
    }
    reader->group_count++;
    ARUS_TRY(open_group(reader, "", end + 1 - begin));
    return arus_buffer_append(reader->out, reader->text.data + begin, reader->at - begin,
                              reader->err);
}

static enum arus_status put_group(struct arus_regex_reader *reader)
{
    const char kind = arus_regex_peek(reader, 2);
    const char next = arus_regex_peek(reader, 3);

    if (arus_regex_peek(reader, 1) != '?') {
        if (arus_regex_peek(reader, 1) == '*') {
            return arus_regex_fail(reader, "nothing to repeat");
        }
        reader->group_count++;
        return open_group(reader, "(", 1);
    }
    switch (kind) {
    case ':':
        return open_group(reader, "(?:", 3);
    case '=':
        return open_group(reader, "(?=", 3);
    case '!':
        return open_group(reader, "(?!", 3);
    case '>':
        return open_group(reader, "(?>", 3);
    case '<':
        if (next == '=' || next == '!') {
            return arus_regex_behind(reader, next == '=' ? "(?<=" : "(?<!");
        }
        return put_named_group(reader);
    default:
        return put_flags(reader);
    }
}

static enum arus_status close_group(struct arus_regex_reader *reader)
{
    if (reader->depth == 0) {
        return arus_regex_fail(reader, "`)` without `(`");
    }
    reader->flags = reader->stack[--reader->depth];
    reader->at++;
    return put(reader, ")");
}

/* ---- everything else ---- */

/* Without (?u), (?i) is for ASCII letters only. */
static enum arus_status put_literal(struct arus_regex_reader *reader, uint32_t code_point)
{
    const uint32_t case_flags = reader->flags & (ARUS_REGEX_CASELESS | ARUS_REGEX_UNICODE_CASE);

    if (code_point < 0x80 || case_flags != ARUS_REGEX_CASELESS) {
        return arus_regex_literal(reader, code_point);
    }
    ARUS_TRY(put(reader, "(?-i:"));
    ARUS_TRY(arus_regex_literal(reader, code_point));
    return put(reader, ")");
}

/* `{n}`, `{n,}`, `{n,m}`; any other brace is an error in Java. */
static enum arus_status put_repetition(struct arus_regex_reader *reader)
{
    const size_t begin = reader->at++;
    const char *what = "bad repetition {..}";

    if (!is_digit(arus_regex_peek(reader, 0))) {
        return arus_regex_fail(reader, what);
    }
    while (is_digit(arus_regex_peek(reader, 0))) {
        reader->at++;
    }
    if (arus_regex_peek(reader, 0) == ',') {
        do {
            reader->at++;
        } while (is_digit(arus_regex_peek(reader, 0)));
    }
    if (arus_regex_peek(reader, 0) != '}') {
        return arus_regex_fail(reader, what);
    }
    reader->at++;
    return arus_buffer_append(reader->out, reader->text.data + begin, reader->at - begin,
                              reader->err);
}

/* In (?x): blanks and comments vanish. */
static bool skip_comment(struct arus_regex_reader *reader)
{
    const char c = arus_regex_peek(reader, 0);

    if ((reader->flags & ARUS_REGEX_COMMENTS) == 0) {
        return false;
    }
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
        reader->at++;
        return true;
    }
    if (c != '#') {
        return false;
    }
    while (!arus_regex_is_end(reader) && arus_regex_peek(reader, 0) != '\n') {
        reader->at++;
    }
    return true;
}

enum arus_status arus_regex_item(struct arus_regex_reader *reader)
{
    const char c = arus_regex_peek(reader, 0);
    const bool is_unix = (reader->flags & ARUS_REGEX_UNIX_LINES) != 0;
    const bool is_multiline = (reader->flags & ARUS_REGEX_MULTILINE) != 0;

    if (skip_comment(reader)) {
        return ARUS_OK;
    }
    switch (c) {
    case '\\':
        return put_escape(reader);
    case '[':
        return arus_regex_class(reader);
    case '(':
        return put_group(reader);
    case ')':
        return close_group(reader);
    case '{':
        return put_repetition(reader);
    case '.':
        reader->at++;
        return put(reader, (reader->flags & ARUS_REGEX_DOTALL) != 0 ? "(?s:.)"
                           : is_unix                                ? "[^\\n]"
                                                                    : NOT_LINE_END);
    case '$':
        reader->at++;
        return put(reader, is_multiline ? "$" : is_unix ? "(?=\\n?\\z)" : BEFORE_END);
    case '^':
    case '*':
    case '+':
    case '?':
    case '|':
        reader->at++;
        return arus_buffer_append_char(reader->out, c, reader->err);
    default:
        return put_literal(reader, arus_utf8_next(reader->text, &reader->at));
    }
}

enum arus_status arus_regex_translate(struct arus_text pattern, struct arus_buffer *out,
                                      bool *is_unicode, struct arus_error *err)
{
    struct arus_regex_reader reader = {.text = pattern, .out = out, .err = err};

    while (!arus_regex_is_end(&reader)) {
        ARUS_TRY(arus_regex_item(&reader));
    }
    *is_unicode = reader.is_unicode;
    return reader.depth == 0 ? ARUS_OK : arus_regex_fail(&reader, "a group is not closed");
}
