/** Character classes: Java's unions and intersections become alternatives and look-aheads. */
#include "types/regex_internal.h"
#include "types/utf8.h"

/* One operand of &&: characters of a plain class, and items beside it that need an alternative. */
struct operand {
    struct arus_buffer plain; /* between [ and ] */
    struct arus_buffer items; /* joined by | */
};

static void release(struct operand *operand)
{
    arus_buffer_release(&operand->plain);
    arus_buffer_release(&operand->items);
}

static enum arus_status put(struct arus_buffer *out, const char *text, struct arus_error *err)
{
    return arus_buffer_append(out, text, strlen(text), err);
}

static enum arus_status begin_item(struct operand *operand, struct arus_error *err)
{
    return operand->items.size == 0 ? ARUS_OK : put(&operand->items, "|", err);
}

/* A set of characters; a negated one stands beside. */
static enum arus_status add_set(struct operand *operand, struct arus_regex_set set,
                                struct arus_error *err)
{
    if (!set.is_negated) {
        return put(&operand->plain, set.body, err);
    }
    ARUS_TRY(begin_item(operand, err));
    ARUS_TRY(put(&operand->items, "[^", err));
    ARUS_TRY(put(&operand->items, set.body, err));
    return put(&operand->items, "]", err);
}

/* Behind a backslash inside a class, not a single character. */
static enum arus_status add_set_escape(struct arus_regex_reader *reader, struct operand *operand)
{
    const char c = arus_regex_peek(reader, 0);
    char name[ARUS_REGEX_NAME_MAX];
    struct arus_regex_set set = {.is_negated = c == 'P'};
    char escape[] = "\\?";

    reader->at++;
    if (c == 'p' || c == 'P') {
        ARUS_TRY(arus_regex_property(reader, name, &set));
        return add_set(operand, set, reader->err);
    }
    if (c != '\0' && strchr("dDwWsShHvV", c) != NULL) {
        escape[1] = c;
        return put(&operand->plain, escape, reader->err);
    }
    return arus_regex_fail(reader, "this escape cannot stand in a class");
}

static enum arus_status literal(struct arus_regex_reader *reader, struct operand *operand,
                                uint32_t code_point)
{
    struct arus_buffer *out = reader->out;
    enum arus_status status;

    reader->out = &operand->plain;
    status = arus_regex_literal(reader, code_point);
    reader->out = out;
    return status;
}

/* Behind `\Q` in a class: everything up to `\E` stands for itself. */
static enum arus_status add_quoted(struct arus_regex_reader *reader, struct operand *operand)
{
    while (!arus_regex_is_end(reader)) {
        if (arus_regex_peek(reader, 0) == '\\' && arus_regex_peek(reader, 1) == 'E') {
            reader->at += 2;
            return ARUS_OK;
        }
        ARUS_TRY(literal(reader, operand, arus_utf8_next(reader->text, &reader->at)));
    }
    return ARUS_OK;
}

/* One character or escape; *is_one tells whether it may begin a range. */
static enum arus_status take_one(struct arus_regex_reader *reader, bool *is_one, uint32_t *out)
{
    *is_one = true;
    if (arus_regex_peek(reader, 0) != '\\') {
        *out = arus_utf8_next(reader->text, &reader->at);
        return ARUS_OK;
    }
    reader->at++;
    return arus_regex_escape(reader, is_one, out);
}

static enum arus_status add_character(struct arus_regex_reader *reader, struct operand *operand)
{
    uint32_t first;
    uint32_t last;
    bool is_one;

    ARUS_TRY(take_one(reader, &is_one, &first));
    if (!is_one) {
        if (arus_regex_peek(reader, 0) == 'Q') {
            reader->at++;
            return add_quoted(reader, operand);
        }
        return add_set_escape(reader, operand);
    }
    ARUS_TRY(literal(reader, operand, first));
    if (arus_regex_peek(reader, 0) != '-' || arus_regex_peek(reader, 1) == ']' ||
        arus_regex_peek(reader, 1) == '[' || reader->at + 1 >= reader->text.size) {
        return ARUS_OK;
    }
    reader->at++;
    ARUS_TRY(take_one(reader, &is_one, &last));
    if (!is_one || last < first) {
        return arus_regex_fail(reader, "this is no range");
    }
    ARUS_TRY(put(&operand->plain, "-", reader->err));
    return literal(reader, operand, last);
}

static enum arus_status add_nested(struct arus_regex_reader *reader, struct operand *operand)
{
    struct arus_buffer *out = reader->out;
    enum arus_status status;

    if (++reader->depth == ARUS_REGEX_DEPTH_MAX) {
        return arus_regex_fail(reader, "nested too deeply");
    }
    ARUS_TRY(begin_item(operand, reader->err));
    reader->out = &operand->items;
    status = arus_regex_class(reader);
    reader->out = out;
    reader->depth--;
    return status;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* What begins with c. */
static enum arus_status read_part(struct arus_regex_reader *reader, struct operand *operand, char c)
{
    if ((reader->flags & ARUS_REGEX_COMMENTS) != 0 && is_blank(c)) {
        reader->at++;
        return ARUS_OK;
    }
    return c == '[' ? add_nested(reader, operand) : add_character(reader, operand);
}

/* Up to `&&` or the closing bracket, neither taken. */
static enum arus_status read_operand(struct arus_regex_reader *reader, struct operand *operand,
                                     bool is_first)
{
    bool is_empty = is_first;

    for (; !arus_regex_is_end(reader); is_empty = false) {
        const char c = arus_regex_peek(reader, 0);

        if ((c == '&' && arus_regex_peek(reader, 1) == '&') || (c == ']' && !is_empty)) {
            return ARUS_OK;
        }
        ARUS_TRY(read_part(reader, operand, c));
    }
    return arus_regex_fail(reader, "the class is not closed");
}

static bool is_empty(const struct operand *operand)
{
    return operand->plain.size == 0 && operand->items.size == 0;
}

static enum arus_status put_operand(const struct operand *operand, bool is_negated,
                                    struct arus_buffer *out, struct arus_error *err)
{
    if (operand->items.size == 0) {
        ARUS_TRY(put(out, is_negated ? "[^" : "[", err));
        ARUS_TRY(arus_buffer_append_text(out, arus_buffer_text(&operand->plain), err));
        return put(out, "]", err);
    }
    ARUS_TRY(put(out, is_negated ? "(?:(?!" : "(?:", err));
    ARUS_TRY(arus_buffer_append_text(out, arus_buffer_text(&operand->items), err));
    if (operand->plain.size != 0) {
        ARUS_TRY(put(out, "|[", err));
        ARUS_TRY(arus_buffer_append_text(out, arus_buffer_text(&operand->plain), err));
        ARUS_TRY(put(out, "]", err));
    }
    return put(out, is_negated ? ")(?s:.))" : ")", err);
}

/* All but the last operand are look-aheads. */
static enum arus_status read_operands(struct arus_regex_reader *reader, struct arus_buffer *out,
                                      bool is_negated, uint32_t *count)
{
    struct operand operand = {0};
    enum arus_status status = read_operand(reader, &operand, true);
    bool has_more;

    *count = 1;
    while (status == ARUS_OK) {
        has_more = arus_regex_peek(reader, 0) == '&';
        if (!has_more && *count == 1) {
            status = put_operand(&operand, is_negated, out, reader->err);
        } else if (!is_empty(&operand)) {
            status = put(out, "(?=", reader->err);
            if (status == ARUS_OK) {
                status = put_operand(&operand, false, out, reader->err);
            }
            if (status == ARUS_OK) {
                status = put(out, ")", reader->err);
            }
        }
        if (!has_more || status != ARUS_OK) {
            break;
        }
        reader->at += 2;
        *count += 1;
        arus_buffer_reset(&operand.plain);
        arus_buffer_reset(&operand.items);
        status = read_operand(reader, &operand, false);
    }
    release(&operand);
    return status;
}

enum arus_status arus_regex_class(struct arus_regex_reader *reader)
{
    struct arus_buffer inner = {0};
    bool is_negated;
    uint32_t count;
    enum arus_status status;

    reader->at++;
    is_negated = arus_regex_peek(reader, 0) == '^';
    reader->at += is_negated;
    status = read_operands(reader, &inner, is_negated, &count);
    if (status == ARUS_OK) {
        reader->at++;
        if (count > 1) {
            status = put(reader->out, is_negated ? "(?:(?!" : "(?:", reader->err);
        }
        if (status == ARUS_OK) {
            status = arus_buffer_append_text(reader->out, arus_buffer_text(&inner), reader->err);
        }
        if (status == ARUS_OK && count > 1) {
            status = put(reader->out, is_negated ? "(?s:.))(?s:.))" : "(?s:.))", reader->err);
        }
    }
    arus_buffer_release(&inner);
    return status;
}
