#include "format/json_scan.h"

#include "types/number_text.h"
#include "types/utf8.h"

#define DEPTH_MAX 1000

/* ---- strings ---- */

static bool hex4(const char *at, const char *end, uint32_t *out)
{
    *out = 0;
    if (end - at < 4) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        const char c = at[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;

        if (digit < 0) {
            return false;
        }
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* `\uD83D\uDE00`: a pair is one code point. *at is behind the `\u`. */
static bool unicode_escape(struct arus_json_scan *scan, uint32_t *out)
{
    uint32_t low;

    if (!hex4(scan->at, scan->end, out)) {
        return false;
    }
    scan->at += 4;
    if (*out >= 0xD800 && *out < 0xDC00 && scan->end - scan->at >= 6 && scan->at[0] == '\\' &&
        scan->at[1] == 'u' && hex4(scan->at + 2, scan->end, &low) && low >= 0xDC00 &&
        low < 0xE000) {
        *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
        scan->at += 6;
    } else if (*out >= 0xD800 && *out < 0xE000) {
        *out = '?'; /* half a pair */
    }
    return true;
}

static enum arus_status append_escape(struct arus_json_scan *scan, struct arus_buffer *out,
                                      bool *is_fine, struct arus_error *err)
{
    static const char NAMES[] = "\"\\/bfnrt";
    static const char VALUES[] = "\"\\/\b\f\n\r\t";
    const char *name;
    uint32_t code_point;
    char bytes[4];

    *is_fine = scan->at < scan->end;
    if (!*is_fine) {
        return ARUS_OK;
    }
    if (*scan->at == 'u') {
        scan->at++;
        *is_fine = unicode_escape(scan, &code_point);
        return *is_fine ? arus_buffer_append(out, bytes, arus_utf8_write(code_point, bytes), err)
                        : ARUS_OK;
    }
    name = *scan->at == '\0' ? NULL : strchr(NAMES, *scan->at);
    if (name == NULL && *scan->at != '\'') {
        *is_fine = false;
        return ARUS_OK;
    }
    scan->at++;
    return arus_buffer_append_char(out, name == NULL ? '\'' : VALUES[name - NAMES], err);
}

/* One bit of each byte that is `c`; lower bytes than a found one are exact. */
static uint64_t bytes_like(uint64_t word, char c)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t other = word ^ (ones * (uint8_t)c);

    return (other - ones) & ~other & (ones << 7);
}

/* The first quote or backslash from `at` on, or `end`. */
static inline const char *find_stop(const char *at, const char *end, char quote)
{
    while (end - at >= 8) {
        uint64_t word;
        uint64_t stops;

        memcpy(&word, at, sizeof word);
        stops = bytes_like(word, quote) | bytes_like(word, '\\');
        if (stops != 0) {
            return at + __builtin_ctzll(stops) / 8;
        }
        at += 8;
    }
    while (at < end && *at != quote && *at != '\\') {
        at++;
    }
    return at;
}

bool arus_json_scan_plain_string(struct arus_json_scan *scan, struct arus_text *out)
{
    arus_json_scan_blanks(scan);
    if (scan->at < scan->end && (*scan->at == '"' || *scan->at == '\'')) {
        const char *begin = scan->at + 1;
        const char *stop = find_stop(begin, scan->end, *scan->at);

        if (stop < scan->end && *stop == *scan->at) {
            *out = (struct arus_text){begin, (size_t)(stop - begin)};
            scan->at = stop + 1;
            return true;
        }
    }
    return false;
}

enum arus_status arus_json_scan_name(struct arus_json_scan *scan, struct arus_buffer *buffer,
                                     struct arus_text *out, bool *is_fine, struct arus_error *err)
{
    enum arus_status status;

    if (arus_json_scan_plain_string(scan, out)) { /* nothing to undo */
        *is_fine = true;
        return ARUS_OK;
    }
    arus_buffer_reset(buffer);
    status = arus_json_scan_string(scan, buffer, is_fine, err);
    *out = arus_buffer_text(buffer);
    return status;
}

enum arus_status arus_json_scan_string(struct arus_json_scan *scan, struct arus_buffer *out,
                                       bool *is_fine, struct arus_error *err)
{
    char quote;

    arus_json_scan_blanks(scan);
    *is_fine = scan->at < scan->end && (*scan->at == '"' || *scan->at == '\'');
    if (!*is_fine) {
        return ARUS_OK;
    }
    quote = *scan->at++;
    while (*is_fine) {
        const char *begin = scan->at;

        scan->at = find_stop(begin, scan->end, quote);
        ARUS_TRY(arus_buffer_append(out, begin, (size_t)(scan->at - begin), err));
        *is_fine = scan->at < scan->end;
        if (!*is_fine) {
            return ARUS_OK;
        }
        if (*scan->at++ == quote) {
            return ARUS_OK;
        }
        ARUS_TRY(append_escape(scan, out, is_fine, err));
    }
    return ARUS_OK;
}

static inline bool skip_string(struct arus_json_scan *scan)
{
    const char quote = *scan->at++;

    for (;; scan->at++) {
        scan->at = find_stop(scan->at, scan->end, quote);
        if (scan->at == scan->end) {
            return false;
        }
        if (*scan->at == quote) {
            scan->at++;
            return true;
        }
        scan->at++;
        if (scan->at == scan->end || *scan->at == '\0' ||
            strchr("\"\\/bfnrtu'", *scan->at) == NULL) {
            return false;
        }
    }
}

/* ---- numbers and words ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What may stand behind a number or a word. */
static bool is_end(char c)
{
    switch (c) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ',':
    case ']':
    case '}':
    case '\0':
        return true;
    default:
        return false;
    }
}

/* -?(0|[1-9]d*)(.d+)?([eE][+-]?d+)?; *is_fraction: it has a point or an exponent. */
static inline bool skip_number(struct arus_json_scan *scan, bool *is_fraction)
{
    const char *at = scan->at;
    const char *end = scan->end;

    *is_fraction = false;
    at += at < end && *at == '-';
    if (at == end || !is_digit(*at)) {
        return false;
    }
    if (*at == '0' && at + 1 < end && is_digit(at[1])) {
        return false;
    }
    while (at < end && is_digit(*at)) {
        at++;
    }
    if (at < end && *at == '.') {
        *is_fraction = true;
        at++;
        if (at == end || !is_digit(*at)) {
            return false;
        }
        while (at < end && is_digit(*at)) {
            at++;
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        *is_fraction = true;
        at++;
        at += at < end && (*at == '+' || *at == '-');
        if (at == end || !is_digit(*at)) {
            return false;
        }
        while (at < end && is_digit(*at)) {
            at++;
        }
    }
    scan->at = at;
    return at == end || is_end(*at);
}

static bool skip_word(struct arus_json_scan *scan)
{
    static const char *const WORDS[] = {"true", "false", "null"};
    const size_t left = (size_t)(scan->end - scan->at);

    for (size_t i = 0; i < 3; i++) {
        const size_t size = strlen(WORDS[i]);

        if (left >= size && memcmp(scan->at, WORDS[i], size) == 0) {
            scan->at += size;
            return scan->at == scan->end || is_end(*scan->at);
        }
    }
    return false;
}

/* ---- whole values ---- */

static bool skip_value(struct arus_json_scan *scan, int depth)
{
    const enum arus_json_kind kind = arus_json_scan_peek(scan);
    bool is_fine = depth < DEPTH_MAX;
    bool is_fraction;

    switch (kind) {
    case ARUS_JSON_BAD:
        return false;
    case ARUS_JSON_STRING:
        return skip_string(scan);
    case ARUS_JSON_NUMBER:
        return skip_number(scan, &is_fraction);
    case ARUS_JSON_WORD:
        return skip_word(scan);
    case ARUS_JSON_OBJECT:
    case ARUS_JSON_ARRAY:
        break;
    }
    arus_json_scan_enter(scan);
    for (bool is_first = true; is_fine && arus_json_scan_more(scan, kind, is_first, &is_fine);
         is_first = false) {
        if (kind == ARUS_JSON_OBJECT && (arus_json_scan_peek(scan) != ARUS_JSON_STRING ||
                                         !skip_string(scan) || !arus_json_scan_colon(scan))) {
            return false;
        }
        is_fine = skip_value(scan, depth + 1);
    }
    return is_fine;
}

bool arus_json_scan_skip(struct arus_json_scan *scan)
{
    return skip_value(scan, 0);
}

/* ---- values that stand as Jackson writes them ---- */

/* ASCII without escapes and control characters, in double quotes. */
static inline bool pass_plain_string(struct arus_json_scan *scan)
{
    const char *begin = scan->at + 1;
    const char *stop;

    if (scan->at == scan->end || *scan->at != '"') {
        return false;
    }
    stop = find_stop(begin, scan->end, '"');
    if (stop == scan->end || *stop != '"') {
        return false;
    }
    for (const char *at = begin; at < stop; at++) {
        if ((signed char)*at < ' ') {
            return false;
        }
    }
    scan->at = stop + 1;
    return true;
}

static bool pass_plain(struct arus_json_scan *scan, int depth);

/* Members up to `close`; no blanks. */
static bool pass_members(struct arus_json_scan *scan, char close, int depth)
{
    scan->at++;
    if (scan->at < scan->end && *scan->at == close) {
        scan->at++;
        return true;
    }
    for (; scan->at < scan->end; scan->at++) {
        if (close == '}') {
            if (!pass_plain_string(scan) || scan->at == scan->end || *scan->at != ':') {
                return false;
            }
            scan->at++;
        }
        if (!pass_plain(scan, depth + 1) || scan->at == scan->end) {
            return false;
        }
        if (*scan->at == close) {
            scan->at++;
            return true;
        }
        if (*scan->at != ',') {
            return false;
        }
    }
    return false;
}

static bool pass_plain(struct arus_json_scan *scan, int depth)
{
    bool is_fraction;

    if (scan->at == scan->end || depth >= DEPTH_MAX) {
        return false;
    }
    switch (*scan->at) {
    case '"':
        return pass_plain_string(scan);
    case '[':
        return pass_members(scan, ']', depth);
    case '{':
        return pass_members(scan, '}', depth);
    case 't':
    case 'f':
    case 'n':
        return skip_word(scan);
    default:
        return skip_number(scan, &is_fraction) && !is_fraction;
    }
}

bool arus_json_scan_plain_value(struct arus_json_scan *scan, struct arus_text *out)
{
    struct arus_json_scan passed;

    arus_json_scan_blanks(scan);
    passed = *scan;
    if (!pass_plain(&passed, 0)) {
        return false;
    }
    *out = (struct arus_text){scan->at, (size_t)(passed.at - scan->at)};
    *scan = passed;
    return true;
}

/* As Jackson: quotes, backslashes, control characters; what lies beyond the BMP as two escapes. */
static enum arus_status append_quoted(struct arus_text text, struct arus_buffer *out,
                                      struct arus_error *err)
{
    static const char NAMES[] = "btn?fr"; /* 8..13 */

    ARUS_TRY(arus_buffer_append_char(out, '"', err));
    for (size_t at = 0; at < text.size;) {
        const unsigned char c = (unsigned char)text.data[at];
        const size_t begin = at;

        if (c == '"' || c == '\\') {
            ARUS_TRY(arus_buffer_append_char(out, '\\', err));
        }
        if (c >= 0xF0) {
            const uint32_t code = arus_utf8_next(text, &at);
            const uint32_t rest = code - 0x10000;

            ARUS_TRY(code < 0x10000
                         ? arus_buffer_append(out, "\xEF\xBF\xBD", 3, err)
                         : arus_buffer_printf(out, err, "\\u%04X\\u%04X", 0xD800 + (rest >> 10),
                                              0xDC00 + (rest & 0x3FF)));
            continue;
        }
        at++;
        if (c >= 8 && c <= 13 && c != 11) {
            ARUS_TRY(arus_buffer_append_char(out, '\\', err));
            ARUS_TRY(arus_buffer_append_char(out, NAMES[c - 8], err));
        } else if (c < 0x20) {
            ARUS_TRY(arus_buffer_printf(out, err, "\\u%04X", c));
        } else {
            ARUS_TRY(arus_buffer_append(out, text.data + begin, 1, err));
        }
    }
    return arus_buffer_append_char(out, '"', err);
}

static enum arus_status copy_string(struct arus_json_scan *scan, struct arus_buffer *out,
                                    bool *is_fine, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = arus_json_scan_string(scan, &text, is_fine, err);

    if (status == ARUS_OK && *is_fine) {
        status = append_quoted(arus_buffer_text(&text), out, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status copy_number(struct arus_json_scan *scan, struct arus_buffer *out,
                                    bool *is_fine, struct arus_error *err)
{
    const char *begin = scan->at;
    char digits[ARUS_DOUBLE_TEXT_MAX];
    bool is_fraction;
    double value;

    *is_fine = skip_number(scan, &is_fraction);
    if (!*is_fine) {
        return ARUS_OK;
    }
    if (is_fraction &&
        arus_double_parse((struct arus_text){begin, (size_t)(scan->at - begin)}, &value)) {
        return arus_buffer_append(out, digits, arus_double_write(value, digits), err);
    }
    return arus_buffer_append(out, begin, (size_t)(scan->at - begin), err);
}

static enum arus_status copy_value(struct arus_json_scan *scan, struct arus_buffer *out,
                                   bool *is_fine, int depth, struct arus_error *err)
{
    const enum arus_json_kind kind = arus_json_scan_peek(scan);
    const char *begin = scan->at;

    *is_fine = kind != ARUS_JSON_BAD && depth < DEPTH_MAX;
    if (!*is_fine) {
        return ARUS_OK;
    }
    if (kind == ARUS_JSON_STRING) {
        return copy_string(scan, out, is_fine, err);
    }
    if (kind == ARUS_JSON_NUMBER) {
        return copy_number(scan, out, is_fine, err);
    }
    if (kind == ARUS_JSON_WORD) {
        *is_fine = skip_word(scan);
        return arus_buffer_append(out, begin, (size_t)(scan->at - begin), err);
    }
    ARUS_TRY(arus_buffer_append_char(out, *begin, err));
    arus_json_scan_enter(scan);
    for (bool is_first = true; arus_json_scan_more(scan, kind, is_first, is_fine);
         is_first = false) {
        if (!is_first) {
            ARUS_TRY(arus_buffer_append_char(out, ',', err));
        }
        if (kind == ARUS_JSON_OBJECT) {
            ARUS_TRY(copy_string(scan, out, is_fine, err));
            *is_fine = *is_fine && arus_json_scan_colon(scan);
            ARUS_TRY(arus_buffer_append_char(out, ':', err));
        }
        if (*is_fine) {
            ARUS_TRY(copy_value(scan, out, is_fine, depth + 1, err));
        }
        if (!*is_fine) {
            return ARUS_OK;
        }
    }
    return arus_buffer_append_char(out, kind == ARUS_JSON_OBJECT ? '}' : ']', err);
}

enum arus_status arus_json_scan_copy(struct arus_json_scan *scan, struct arus_buffer *out,
                                     bool *is_fine, struct arus_error *err)
{
    return copy_value(scan, out, is_fine, 0, err);
}
