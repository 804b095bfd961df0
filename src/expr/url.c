/** URLs: encoded texts, parts. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "expr/string_bytes.h"
#include "types/utf8.h"

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

static enum arus_status url_decode(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const bool is_try = row->call->expr->function->name[0] == 't';

    arus_buffer_reset(&row->buffer);
    for (size_t at = 0; at < text.size; at++) {
        const char c = text.data[at];

        if (c == '%') {
            const int high = at + 2 < text.size ? arus_hex_digit(text.data[at + 1]) : -1;
            const int low = at + 2 < text.size ? arus_hex_digit(text.data[at + 2]) : -1;

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

    if (row->call->expr->arg_count == 3 &&
        !arus_text_equal(arus_row_arg_text(row, 1, i), ARUS_TEXT("QUERY"))) {
        return arus_row_null(row, i, err); /* only a query has keys */
    }
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

const struct arus_function ARUS_URLS[] = {
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
    {0},
};
