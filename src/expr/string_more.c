/** Texts: characters by code, character sets, distances, masks, URLs. */
#include "expr/collection.h"
#include "expr/families.h"
#include "expr/string_bytes.h"
#include "types/utf8.h"

static enum arus_status ascii(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    size_t at = 0;

    (void)err;
    arus_row_int(row, i, text.size == 0 ? 0 : (int32_t)arus_utf8_next(text, &at));
    return ARUS_OK;
}
ARUS_ROWWISE(ascii)

/* n modulo 256 is a character of Latin-1; negative: none */
static enum arus_status chr(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int64_t n = arus_row_arg_bigint(row, 0, i);
    char bytes[4];

    return arus_row_bytes(row, i, bytes, n < 0 ? 0 : arus_utf8_write((uint32_t)(n & 255), bytes),
                          err);
}
ARUS_ROWWISE(chr)

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

/* ---- distances ---- */

/* Code points of a text on the step arena. */
static enum arus_status code_points(const struct arus_rowwise *row, struct arus_text text,
                                    uint32_t **out, uint32_t *count, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(row->call->step, uint32_t, text.size + 1, out, err));
    *count = 0;
    for (size_t at = 0; at < text.size;) {
        (*out)[(*count)++] = arus_utf8_next(text, &at);
    }
    return ARUS_OK;
}

static enum arus_status levenshtein(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const bool has_limit = row->call->expr->arg_count == 3;
    uint32_t *a;
    uint32_t *b;
    uint32_t *costs;
    uint32_t size_a;
    uint32_t size_b;

    ARUS_TRY(code_points(row, arus_row_arg_text(row, 0, i), &a, &size_a, err));
    ARUS_TRY(code_points(row, arus_row_arg_text(row, 1, i), &b, &size_b, err));
    ARUS_TRY(ARUS_NEW(row->call->step, uint32_t, size_b + 1, &costs, err));
    for (uint32_t k = 0; k <= size_b; k++) {
        costs[k] = k;
    }
    for (uint32_t j = 1; j <= size_a; j++) {
        uint32_t diagonal = costs[0];

        costs[0] = j;
        for (uint32_t k = 1; k <= size_b; k++) {
            const uint32_t change = diagonal + (a[j - 1] != b[k - 1]);
            const uint32_t shorter = costs[k] < costs[k - 1] ? costs[k] : costs[k - 1];

            diagonal = costs[k];
            costs[k] = change < shorter + 1 ? change : shorter + 1;
        }
    }
    arus_row_int(row, i, (int32_t)costs[size_b]);
    if (has_limit && (int64_t)costs[size_b] > arus_row_arg_int(row, 2, i)) {
        arus_row_int(row, i, -1);
    }
    return ARUS_OK;
}
ARUS_ROWWISE(levenshtein)

static enum arus_status soundex(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    static const char CODES[] = "01230127022455012623017202"; /* 7: H and W are skipped */
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    char code[4] = {'0', '0', '0', '0'};
    size_t count = 1;
    char last;

    arus_row_view(row, i, view);
    if (view.size == 0) {
        return ARUS_OK;
    }
    code[0] = (char)(view.data[0] >= 'a' && view.data[0] <= 'z' ? view.data[0] - 32 : view.data[0]);
    if (code[0] < 'A' || code[0] > 'Z') {
        return ARUS_OK;
    }
    last = CODES[code[0] - 'A'];
    for (uint32_t at = 1; at < view.size && count < 4; at++) {
        const char c = (char)(view.data[at] >= 'a' && view.data[at] <= 'z' ? view.data[at] - 32
                                                                           : view.data[at]);
        char digit;

        if (c < 'A' || c > 'Z') {
            last = '0';
            continue;
        }
        digit = CODES[c - 'A'];
        if (digit == '7') {
            continue;
        }
        if (digit != '0' && digit != last) {
            code[count++] = digit;
        }
        last = digit;
    }
    return arus_row_bytes(row, i, code, 4, err);
}
ARUS_ROWWISE(soundex)

static enum arus_status find_in_set(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text wanted = arus_row_arg_text(row, 0, i);
    const struct arus_text list = arus_row_arg_text(row, 1, i);
    size_t begin = 0;

    (void)err;
    if (wanted.size > 0 && memchr(wanted.data, ',', wanted.size) != NULL) {
        return ARUS_OK;
    }
    for (int32_t n = 1; begin <= list.size; n++) {
        size_t end = arus_text_find(list, ARUS_TEXT(","), begin);

        end = end == ARUS_NOT_FOUND ? list.size : end;
        if (arus_text_equal((struct arus_text){list.data + begin, end - begin}, wanted)) {
            arus_row_int(row, i, n);
            return ARUS_OK;
        }
        begin = end + 1;
    }
    return ARUS_OK;
}
ARUS_ROWWISE(find_in_set)

/* ---- mask(s[, upper, lower, digit, other]); NULL keeps the character ---- */

static enum arus_status append_masked(struct arus_rowwise *row, uint32_t i, uint32_t arg,
                                      const char *preset, struct arus_text character,
                                      struct arus_error *err)
{
    const struct arus_vector *args = row->call->args;

    if (arg >= row->call->expr->arg_count) {
        return arus_buffer_append_text(&row->buffer,
                                       preset == NULL ? character : arus_text_of(preset), err);
    }
    return arus_buffer_append_text(
        &row->buffer,
        arus_vector_is_valid(&args[arg], i) ? arus_row_arg_text(row, arg, i) : character, err);
}

static enum arus_status mask(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    struct arus_text text;
    struct arus_buffer lower = {0};
    struct arus_buffer upper = {0};
    enum arus_status status = ARUS_OK;

    if (!arus_vector_is_valid(&row->call->args[0], i)) {
        return arus_row_null(row, i, err);
    }
    text = arus_row_arg_text(row, 0, i);
    arus_buffer_reset(&row->buffer);
    for (size_t at = 0; at < text.size && status == ARUS_OK;) {
        const size_t begin = at;
        const uint32_t c = arus_utf8_next(text, &at);
        const struct arus_text character = {text.data + begin, at - begin};

        arus_buffer_reset(&lower);
        arus_buffer_reset(&upper);
        status = arus_utf8_lower(character, &lower, err);
        if (status == ARUS_OK) {
            status = arus_utf8_upper(character, &upper, err);
        }
        if (status != ARUS_OK) {
            break;
        }
        if (c >= '0' && c <= '9') {
            status = append_masked(row, i, 3, "n", character, err);
        } else if (!arus_text_equal(arus_buffer_text(&lower), character)) {
            status = append_masked(row, i, 1, "X", character, err);
        } else if (!arus_text_equal(arus_buffer_text(&upper), character)) {
            status = append_masked(row, i, 2, "x", character, err);
        } else {
            status = append_masked(row, i, 4, NULL, character, err);
        }
    }
    arus_buffer_release(&lower);
    arus_buffer_release(&upper);
    return status == ARUS_OK ? arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err)
                             : status;
}
ARUS_ROWWISE(mask)

static enum arus_status bind_mask(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_STRING;
    return arus_args_take(bind, "s", err);
}

/* ---- URLs ---- */

static enum arus_status url_encode(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);

    arus_buffer_reset(&row->buffer);
    for (size_t at = 0; at < text.size; at++) {
        const unsigned char c = (unsigned char)text.data[at];
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || (c != '\0' && strchr(".-*_", c) != NULL);

        if (is_plain) {
            ARUS_TRY(arus_buffer_append_char(&row->buffer, (char)c, err));
        } else if (c == ' ') {
            ARUS_TRY(arus_buffer_append_char(&row->buffer, '+', err));
        } else {
            ARUS_TRY(arus_buffer_printf(&row->buffer, err, "%%%02X", c));
        }
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(url_encode)

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static enum arus_status url_decode(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const bool is_try = row->call->expr->function->name[0] == 't';

    arus_buffer_reset(&row->buffer);
    for (size_t at = 0; at < text.size; at++) {
        const char c = text.data[at];

        if (c == '%') {
            const int high = at + 2 < text.size ? hex_digit(text.data[at + 1]) : -1;
            const int low = at + 2 < text.size ? hex_digit(text.data[at + 2]) : -1;

            if (high < 0 || low < 0) {
                return is_try ? arus_row_null(row, i, err)
                              : arus_fail(err, ARUS_BAD_DATA, "CANNOT_DECODE_URL",
                                          "cannot decode the URL '%.*s'", ARUS_TEXT_ARGS(text));
            }
            ARUS_TRY(arus_buffer_append_char(&row->buffer, (char)(high << 4 | low), err));
            at += 2;
        } else {
            ARUS_TRY(arus_buffer_append_char(&row->buffer, c == '+' ? ' ' : c, err));
        }
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(url_decode)

/* ---- parse_url(url, part[, key]) ---- */

struct url {
    struct arus_text protocol;
    struct arus_text authority;
    struct arus_text path;
    struct arus_text query; /* data NULL: none */
    struct arus_text ref;
};

static struct arus_text between(struct arus_text text, size_t begin, size_t end)
{
    return (struct arus_text){text.data + begin, end - begin};
}

static bool split_url(struct arus_text text, struct url *url)
{
    size_t at = arus_text_find(text, ARUS_TEXT(":"), 0);
    size_t end;

    *url = (struct url){0};
    if (text.size > 0 && memchr(text.data, ' ', text.size) != NULL) {
        return false;
    }
    if (at == ARUS_NOT_FOUND) {
        at = 0;
    } else {
        url->protocol = between(text, 0, at);
        at++;
    }
    if (arus_text_starts_with(between(text, at, text.size), ARUS_TEXT("//"))) {
        at += 2;
        end = at;
        while (end < text.size && strchr("/?#", text.data[end]) == NULL) {
            end++;
        }
        url->authority = between(text, at, end);
        at = end;
    }
    end = at;
    while (end < text.size && text.data[end] != '?' && text.data[end] != '#') {
        end++;
    }
    url->path = between(text, at, end);
    if (end < text.size && text.data[end] == '?') {
        at = end + 1;
        end = arus_text_find(text, ARUS_TEXT("#"), at);
        end = end == ARUS_NOT_FOUND ? text.size : end;
        url->query = between(text, at, end);
    }
    if (end < text.size) {
        url->ref = between(text, end + 1, text.size);
    }
    return true;
}

static struct arus_text host_of(struct arus_text authority)
{
    const size_t user = arus_text_find(authority, ARUS_TEXT("@"), 0);
    const size_t begin = user == ARUS_NOT_FOUND ? 0 : user + 1;
    const size_t port = arus_text_find(authority, ARUS_TEXT(":"), begin);

    return between(authority, begin, port == ARUS_NOT_FOUND ? authority.size : port);
}

static struct arus_text query_value(struct arus_text query, struct arus_text key)
{
    size_t begin = 0;

    while (query.data != NULL && begin <= query.size) {
        size_t end = arus_text_find(query, ARUS_TEXT("&"), begin);
        struct arus_text pair;

        end = end == ARUS_NOT_FOUND ? query.size : end;
        pair = between(query, begin, end);
        if (pair.size > key.size && pair.data[key.size] == '=' &&
            arus_text_starts_with(pair, key)) {
            return between(pair, key.size + 1, pair.size);
        }
        begin = end + 1;
    }
    return (struct arus_text){0};
}

static struct arus_text url_part(const struct arus_rowwise *row, uint32_t i, const struct url *url)
{
    const struct arus_text part = arus_row_arg_text(row, 1, i);
    const bool has_key = row->call->expr->arg_count == 3;
    struct arus_text out = {0};

    if (has_key && !arus_text_equal(part, ARUS_TEXT("QUERY"))) {
        return out;
    }
    if (arus_text_equal(part, ARUS_TEXT("HOST"))) {
        out = host_of(url->authority);
    } else if (arus_text_equal(part, ARUS_TEXT("PATH"))) {
        out = url->path;
        out.data = out.data == NULL ? "" : out.data;
        return out;
    } else if (arus_text_equal(part, ARUS_TEXT("QUERY"))) {
        out = has_key ? query_value(url->query, arus_row_arg_text(row, 2, i)) : url->query;
    } else if (arus_text_equal(part, ARUS_TEXT("REF"))) {
        out = url->ref;
    } else if (arus_text_equal(part, ARUS_TEXT("PROTOCOL"))) {
        out = url->protocol;
    } else if (arus_text_equal(part, ARUS_TEXT("FILE"))) {
        out = url->path;
        out.size += url->query.data == NULL ? 0 : url->query.size + 1;
        return out;
    } else if (arus_text_equal(part, ARUS_TEXT("AUTHORITY"))) {
        out = url->authority;
    } else if (arus_text_equal(part, ARUS_TEXT("USERINFO"))) {
        const size_t user = arus_text_find(url->authority, ARUS_TEXT("@"), 0);

        out = user == ARUS_NOT_FOUND ? out : between(url->authority, 0, user);
    }
    if (out.size == 0) {
        out.data = NULL;
    }
    return out;
}

static enum arus_status parse_url(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const bool is_try = row->call->expr->function->name[0] == 't' || !row->call->env->is_ansi;
    struct arus_text part;
    struct url url;

    if (!split_url(text, &url)) {
        return is_try ? arus_row_null(row, i, err)
                      : arus_fail(err, ARUS_BAD_DATA, "INVALID_URL", "'%.*s' is no URL",
                                  ARUS_TEXT_ARGS(text));
    }
    part = url_part(row, i, &url);
    return part.data == NULL ? arus_row_null(row, i, err)
                             : arus_row_bytes(row, i, part.data, part.size, err);
}
ARUS_ROWWISE(parse_url)

/* ---- to_binary(s[, 'hex' | 'utf-8' | 'base64']) ---- */

static enum arus_status bind_to_binary(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_text format = ARUS_TEXT("hex");

    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    if (bind->arg_count == 2) {
        ARUS_TRY(arus_arg_text(bind, 1, &format, err));
        if (format.data == NULL) {
            return arus_literal_null(&ARUS_BINARY, bind->arena, &bind->replacement, err);
        }
    }
    if (arus_text_equal_nocase(format, ARUS_TEXT("hex"))) {
        return arus_call_of(bind, "strict_unhex", bind->args, 1, &bind->replacement, err);
    }
    if (arus_text_equal_nocase(format, ARUS_TEXT("base64"))) {
        return arus_call_of(bind, "unbase64", bind->args, 1, &bind->replacement, err);
    }
    if (arus_text_equal_nocase(format, ARUS_TEXT("utf-8")) ||
        arus_text_equal_nocase(format, ARUS_TEXT("utf8"))) {
        return arus_cast_implicit(bind->args[0], &ARUS_BINARY, bind->is_ansi, bind->arena,
                                  &bind->replacement, err);
    }
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ARG_VALUE",
                        "the format is one of 'hex', 'utf-8', 'base64'");
}

/* What to_binary refuses is NULL, a format that there is not too. */
static enum arus_status bind_try_to_binary(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_error refused;

    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    if (arus_try_call_of(bind, "to_binary", bind->args, bind->arg_count, &bind->replacement,
                         &refused) == ARUS_OK) {
        return ARUS_OK;
    }
    if (refused.status == ARUS_BAD_CONFIG &&
        strcmp(refused.condition, "DATATYPE_MISMATCH.INVALID_ARG_VALUE") == 0) {
        return arus_literal_null(&ARUS_BINARY, bind->arena, &bind->replacement, err);
    }
    *err = refused;
    return refused.status;
}

static enum arus_status strict_unhex(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const size_t size = (text.size + 1) / 2;
    size_t at = 0;

    ARUS_TRY(arus_strings_need(&row->strings, size, err));
    for (size_t b = 0; b < size; b++) {
        const int high = b == 0 && text.size % 2 == 1 ? 0 : hex_digit(text.data[at++]);
        const int low = hex_digit(text.data[at++]);

        if (high < 0 || low < 0) {
            return arus_fail(err, ARUS_BAD_DATA, "CONVERSION_INVALID_INPUT",
                             "'%.*s' is no hexadecimal text", ARUS_TEXT_ARGS(text));
        }
        row->strings.at[b] = (char)(high << 4 | low);
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}
ARUS_ROWWISE(strict_unhex)

/* ---- raise_error, assert_true ---- */

static enum arus_status raise(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    return arus_vector_is_valid(&row->call->args[0], i)
               ? arus_fail(err, ARUS_BAD_DATA, "USER_RAISED_EXCEPTION", "%.*s",
                           ARUS_TEXT_ARGS(arus_row_arg_text(row, 0, i)))
               : arus_fail(err, ARUS_BAD_DATA, "USER_RAISED_EXCEPTION", "null");
}
ARUS_ROWWISE(raise)

/* if(condition, NULL, raise_error(message)) */
static enum arus_status bind_assert(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_view text = arus_view_of("the condition is not true!", 26);
    const struct arus_expr *message;
    const struct arus_expr *args[3] = {bind->args[0]};

    if (bind->arg_count == 2) {
        message = bind->args[1];
    } else {
        ARUS_TRY(arus_literal_of(&ARUS_STRING, &text, bind->arena, &message, err));
    }
    ARUS_TRY(arus_literal_null(&ARUS_VOID, bind->arena, &args[1], err));
    ARUS_TRY(arus_call_of(bind, "raise_error", &message, 1, &args[2], err));
    return arus_call_of(bind, "if", args, 3, &bind->replacement, err);
}

const struct arus_function ARUS_STRINGS_MORE[] = {
    ARUS_FUNCTION("ascii", NULL, 0, 1, 1, "s", "i", kernel_ascii, "ascii(s) -> INT",
                  "code point of the first character", "ascii('A')", "65"),
    ARUS_FUNCTION("chr", "char", 0, 1, 1, "l", "s", kernel_chr, "chr(n) -> STRING",
                  "the character of a code", "chr(65)", "A"),
    ARUS_FUNCTION("encode", NULL, ARUS_CAN_FAIL, 2, 2, "s", "x", kernel_encode,
                  "encode(s, charset) -> BINARY", "bytes in a character set",
                  "hex(encode('abc', 'utf-16be'))", "006100620063"),
    ARUS_FUNCTION("decode_charset", NULL, ARUS_CAN_FAIL, 2, 2, "xs", "s", kernel_decode, NULL, NULL,
                  NULL, NULL),
    ARUS_FUNCTION("is_valid_utf8", NULL, 0, 1, 1, "s", "o", kernel_is_utf8,
                  "is_valid_utf8(s) -> BOOLEAN", "well-formed?", "is_valid_utf8('a')", "true"),
    ARUS_FUNCTION("levenshtein", NULL, 0, 2, 3, "ssi", "i", kernel_levenshtein,
                  "levenshtein(a, b[, limit]) -> INT", "edits from a to b; -1 beyond the limit",
                  "levenshtein('kitten', 'sitting')", "3"),
    ARUS_FUNCTION("soundex", NULL, 0, 1, 1, "s", "s", kernel_soundex, "soundex(s) -> STRING",
                  "Soundex code", "soundex('Miller')", "M460"),
    ARUS_FUNCTION("find_in_set", NULL, 0, 2, 2, "s", "i", kernel_find_in_set,
                  "find_in_set(s, list) -> INT", "position in a comma-separated list, 0: none",
                  "find_in_set('b', 'a,b')", "2"),
    {.name = "mask",
     .text = "mask($1, $2=X;, $3=x;, $4=n;, $5=NULL;)",
     .arg_min = 1,
     .arg_max = 5,
     .bind = bind_mask,
     .kernel = kernel_mask,
     .signature = "mask(s[, upper, lower, digit, other]) -> STRING",
     .help = "characters replaced by their class",
     .example = "mask('Ab-1')",
     .result = "Xx-n"},
    ARUS_FUNCTION("url_encode", NULL, 0, 1, 1, "s", "s", kernel_url_encode,
                  "url_encode(s) -> STRING", "for a URL's query", "url_encode('a b&c')", "a+b%26c"),
    ARUS_FUNCTION("url_decode", NULL, ARUS_CAN_FAIL, 1, 1, "s", "s", kernel_url_decode,
                  "url_decode(s) -> STRING", "from a URL's query", "url_decode('a+b%26c')",
                  "a b&c"),
    ARUS_FUNCTION("try_url_decode", NULL, 0, 1, 1, "s", "s", kernel_url_decode,
                  "try_url_decode(s) -> STRING", "as url_decode; NULL for bad text",
                  "try_url_decode('%zz')", "NULL"),
    ARUS_FUNCTION("parse_url", NULL, ARUS_CAN_FAIL, 2, 3, "s", "s", kernel_parse_url,
                  "parse_url(url, part[, key]) -> STRING",
                  "HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY or USERINFO",
                  "parse_url('http://a.b/c?k=v', 'QUERY', 'k')", "v"),
    ARUS_FUNCTION("try_parse_url", NULL, 0, 2, 3, "s", "s", kernel_parse_url,
                  "try_parse_url(url, part[, key]) -> STRING", "as parse_url; NULL for bad text",
                  "try_parse_url('http://a.b/c', 'HOST')", "a.b"),
    {.name = "to_binary",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_binary,
     .signature = "to_binary(s[, format]) -> BINARY",
     .help = "bytes of hex, utf-8 or base64",
     .example = "hex(to_binary('41', 'hex'))",
     .result = "41"},
    {.name = "try_to_binary",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_try_to_binary,
     .signature = "try_to_binary(s[, format]) -> BINARY",
     .help = "as to_binary; NULL for bad text",
     .example = "try_to_binary('zz', 'hex')",
     .result = "NULL"},
    ARUS_FUNCTION("strict_unhex", NULL, ARUS_CAN_FAIL, 1, 1, "s", "x", kernel_strict_unhex, NULL,
                  NULL, NULL, NULL),
    {.name = "raise_error",
     .flags = ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 1,
     .kernel = kernel_raise,
     .takes = "s",
     .gives = "v",
     .signature = "raise_error(message)",
     .help = "fails with the message",
     .example = "if(true, 1, raise_error('no'))",
     .result = "1"},
    {.name = "assert_true",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_assert,
     .signature = "assert_true(condition[, message])",
     .help = "NULL, or fails when the condition is not true",
     .example = "assert_true(1 < 2)",
     .result = "NULL"},
    {0},
};
