/** Texts in texts: searching and replacing. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "expr/string_bytes.h"
#include "types/utf8.h"

/* ---- searching ---- */

/* Position from 1 in code points; 0: none. `from` counts from 0. */
static int32_t position_of(struct arus_text text, struct arus_text needle, int64_t from)
{
    size_t found;

    if (needle.size == 0) {
        return 1;
    }
    found = arus_text_find(text, needle, arus_utf8_offset(text, (size_t)from));
    return found == ARUS_NOT_FOUND
               ? 0
               : (int32_t)arus_utf8_length((struct arus_text){text.data, found}) + 1;
}

static enum arus_status instr(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_int(row, i,
                 position_of(arus_row_arg_text(row, 0, i), arus_row_arg_text(row, 1, i), 0));
    return ARUS_OK;
}
ARUS_ROWWISE(instr)

/* The n-th match that begins at or behind byte `from`; matches may overlap. */
static size_t match_behind(struct arus_text text, struct arus_text needle, size_t from, int32_t n)
{
    size_t found = arus_text_find(text, needle, from);

    for (; n > 1 && found != ARUS_NOT_FOUND; n--) {
        found = arus_text_find(text, needle, found + 1);
    }
    return found;
}

/* The n-th match from the end that begins at or before byte `from`. */
static size_t match_before(struct arus_text text, struct arus_text needle, size_t from, int32_t n)
{
    for (size_t at = from + 1; at-- > 0;) {
        if (at + needle.size <= text.size &&
            memcmp(text.data + at, needle.data, needle.size) == 0 && --n == 0) {
            return at;
        }
    }
    return ARUS_NOT_FOUND;
}

/* instr(s, t, from[, occurrence]): a negative `from` counts and searches from the end */
static enum arus_status instr_from(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const struct arus_text needle = arus_row_arg_text(row, 1, i);
    const int64_t from = arus_row_arg_int(row, 2, i);
    const int32_t n = arus_row_arg_int(row, 3, i);
    const int64_t begin = from < 0 ? (int64_t)arus_utf8_length(text) + from : from - 1;
    size_t found = ARUS_NOT_FOUND;

    if (n < 1) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.OCCURRENCE",
                         "the occurrence in `instr` must be 1 or more, not %d", n);
    }
    if (needle.size == 0) {
        found = 0;
    } else if (from != 0 && begin >= 0) {
        const size_t at = arus_utf8_offset(text, (size_t)begin);

        found = from > 0 ? match_behind(text, needle, at, n) : match_before(text, needle, at, n);
    }
    arus_row_int(row, i,
                 found == ARUS_NOT_FOUND
                     ? 0
                     : (int32_t)arus_utf8_length((struct arus_text){text.data, found}) + 1);
    return ARUS_OK;
}
ARUS_ROWWISE(instr_from)

static enum arus_status bind_instr(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_INT;
    if (bind->arg_count == 2) {
        bind->can_fail = false;
        bind->kernel = kernel_instr;
    } else {
        ARUS_TRY(arus_arg_default(bind, 3, 1, err));
        bind->kernel = kernel_instr_from;
    }
    return arus_args_take(bind, "ssii", err);
}

static enum arus_status locate(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int32_t from = arus_row_arg_int(row, 2, i);

    (void)err;
    arus_row_int(row, i,
                 from < 1 ? 0
                          : position_of(arus_row_arg_text(row, 1, i), arus_row_arg_text(row, 0, i),
                                        (int64_t)from - 1));
    return ARUS_OK;
}
ARUS_ROWWISE(locate)

static enum arus_status bind_locate(struct arus_bind *bind, struct arus_error *err)
{
    const int32_t first = 1;

    if (bind->arg_count == 2) {
        const struct arus_expr *from;

        ARUS_TRY(arus_literal_of(&ARUS_INT, &first, bind->arena, &from, err));
        ARUS_TRY(arus_arg_append(bind, from, err));
    }
    ARUS_TRY(arus_args_take(bind, "ssi", err));
    bind->type = &ARUS_INT;
    return ARUS_OK;
}

static enum arus_status starts(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_boolean(
        row, i, arus_text_starts_with(arus_row_arg_text(row, 0, i), arus_row_arg_text(row, 1, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(starts)

static enum arus_status ends(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_boolean(
        row, i, arus_text_ends_with(arus_row_arg_text(row, 0, i), arus_row_arg_text(row, 1, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(ends)

static enum arus_status contains(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_boolean(row, i,
                     arus_text_find(arus_row_arg_text(row, 0, i), arus_row_arg_text(row, 1, i),
                                    0) != ARUS_NOT_FOUND);
    return ARUS_OK;
}
ARUS_ROWWISE(contains)

/* Both BINARY, or both STRING. */
static enum arus_status bind_search(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_binary =
        bind->args[0]->type->id == ARUS_TYPE_BINARY && bind->args[1]->type->id == ARUS_TYPE_BINARY;

    ARUS_TRY(arus_args_take(bind, is_binary ? "x" : "s", err));
    bind->type = &ARUS_BOOLEAN;
    return ARUS_OK;
}

static enum arus_status replace(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    const struct arus_text text = arus_view_text(view);
    const struct arus_text search = arus_row_arg_text(row, 1, i);
    const struct arus_text by =
        row->call->expr->arg_count == 3 ? arus_row_arg_text(row, 2, i) : (struct arus_text){0};
    size_t at = search.size == 0 ? ARUS_NOT_FOUND : arus_text_find(text, search, 0);
    size_t begin = 0;

    if (at == ARUS_NOT_FOUND) {
        arus_row_view(row, i, view);
        return ARUS_OK;
    }
    arus_buffer_reset(&row->buffer);
    for (; at != ARUS_NOT_FOUND; at = arus_text_find(text, search, begin)) {
        ARUS_TRY(arus_buffer_append(&row->buffer, text.data + begin, at - begin, err));
        ARUS_TRY(arus_buffer_append_text(&row->buffer, by, err));
        begin = at + search.size;
    }
    ARUS_TRY(arus_buffer_append(&row->buffer, text.data + begin, text.size - begin, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(replace)

/* The n-th code point, or SIZE_MAX in *at when there are not so many. */
static size_t nth(struct arus_text text, size_t n, size_t *size)
{
    const size_t at = arus_utf8_offset(text, n);

    *size = at < text.size ? arus_utf8_size((unsigned char)text.data[at]) : 0;
    return at < text.size ? at : ARUS_NOT_FOUND;
}

/* Which code point of `set` is this one? ARUS_NOT_FOUND: none. */
static size_t index_in(struct arus_text set, const char *character, size_t size)
{
    size_t index = 0;

    for (size_t at = 0; at < set.size; index++) {
        const size_t next = arus_utf8_size((unsigned char)set.data[at]);

        if (next == size && at + size <= set.size && memcmp(set.data + at, character, size) == 0) {
            return index;
        }
        at += next;
    }
    return ARUS_NOT_FOUND;
}

static enum arus_status translate(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const struct arus_text from = arus_row_arg_text(row, 1, i);
    const struct arus_text to = arus_row_arg_text(row, 2, i);

    arus_buffer_reset(&row->buffer);
    for (size_t at = 0; at < text.size;) {
        size_t size = arus_utf8_size((unsigned char)text.data[at]);
        size_t index;
        size_t to_size;
        size_t to_at;

        size = size > text.size - at ? text.size - at : size;
        index = index_in(from, text.data + at, size);
        to_at = index == ARUS_NOT_FOUND ? ARUS_NOT_FOUND : nth(to, index, &to_size);
        if (index == ARUS_NOT_FOUND) {
            ARUS_TRY(arus_buffer_append(&row->buffer, text.data + at, size, err));
        } else if (to_at != ARUS_NOT_FOUND) {
            ARUS_TRY(arus_buffer_append(&row->buffer, to.data + to_at, to_size, err));
        }
        at += size;
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}

#define DROPPED 0x80 /* no ASCII character */

/* The same for texts in ASCII: what becomes of each character. */
static void fill_ascii_map(struct arus_text from, struct arus_text to, uint8_t map[128])
{
    for (uint32_t c = 0; c < 128; c++) {
        map[c] = (uint8_t)c;
    }
    for (size_t i = from.size; i-- > 0;) { /* of equal characters the first one counts */
        map[(uint8_t)from.data[i]] = i < to.size ? (uint8_t)to.data[i] : DROPPED;
    }
}

static enum arus_status translate_ascii(struct arus_rowwise *row, uint32_t i,
                                        const uint8_t map[128], struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    char *out;
    size_t size = 0;

    ARUS_TRY(arus_strings_need(&row->strings, text.size, err));
    out = row->strings.at;
    for (size_t at = 0; at < text.size; at++) {
        const uint8_t c = map[(uint8_t)text.data[at]];

        out[size] = (char)c;
        size += c != DROPPED;
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}

static enum arus_status kernel_translate(const struct arus_kernel_call *call,
                                         struct arus_vector *out, uint32_t *bad_row,
                                         struct arus_error *err)
{
    const struct arus_vector *args = call->args;
    struct arus_rowwise row;
    enum arus_status status;
    uint8_t map[128];

    if (args[1].form != ARUS_VECTOR_CONSTANT || args[2].form != ARUS_VECTOR_CONSTANT ||
        !arus_text_is_ascii(arus_text_at(&args[1], 0)) ||
        !arus_text_is_ascii(arus_text_at(&args[2], 0))) {
        return arus_rowwise_run(call, translate, out, bad_row, err);
    }
    fill_ascii_map(arus_text_at(&args[1], 0), arus_text_at(&args[2], 0), map);
    status = arus_rowwise_open(&row, call, out, err);
    for (uint32_t i = 0; status == ARUS_OK && i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i)) {
            status = arus_text_is_ascii(arus_row_arg_text(&row, 0, i))
                         ? translate_ascii(&row, i, map, err)
                         : translate(&row, i, err);
        }
    }
    arus_buffer_release(&row.buffer);
    return status;
}

const struct arus_function ARUS_STRING_SEARCHES[] = {
    {.name = "instr",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 4,
     .bind = bind_instr,
     .signature = "instr(s, t[, from[, occurrence]]) -> INT",
     .help = "position of t in s, 0: none; from the end for a negative from",
     .example = "instr('abcabc', 'b', -1)",
     .result = "5"},
    {.name = "locate",
     .aliases = "position",
     .flags = ARUS_STRICT | ARUS_LAST_FIRST,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_locate,
     .kernel = kernel_locate,
     .signature = "locate(t, s[, from]) -> INT",
     .help = "position of t in s, 0: none",
     .example = "locate('b', 'abcb', 3)",
     .result = "4"},
    {.name = "startswith",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_search,
     .kernel = kernel_starts,
     .signature = "startswith(s, t) -> BOOLEAN",
     .help = "does s begin with t?",
     .example = "startswith('abc', 'ab')",
     .result = "true"},
    {.name = "endswith",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_search,
     .kernel = kernel_ends,
     .signature = "endswith(s, t) -> BOOLEAN",
     .help = "does s end with t?",
     .example = "endswith('abc', 'bc')",
     .result = "true"},
    {.name = "contains",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_search,
     .kernel = kernel_contains,
     .signature = "contains(s, t) -> BOOLEAN",
     .help = "is t a part of s?",
     .example = "contains('abc', 'b')",
     .result = "true"},
    {.name = "replace",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 3,
     .takes = "s",
     .gives = "s",
     .kernel = kernel_replace,
     .text = "replace($1, $2, $3=;)",
     .signature = "replace(s, search[, by]) -> STRING",
     .help = "every `search` becomes `by`",
     .example = "replace('ABCabc', 'abc', 'DEF')",
     .result = "ABCDEF"},
    ARUS_FUNCTION("translate", NULL, 0, 3, 3, "s", "s", kernel_translate,
                  "translate(s, from, to) -> STRING",
                  "each character of `from` becomes that of `to`, or goes",
                  "translate('AaBbCc', 'abc', '123')", "A1B2C3"),
    {0},
};
