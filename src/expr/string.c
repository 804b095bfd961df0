/** Texts: length, case, parts, trimming. Positions count code points from 1. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "expr/string_bytes.h"
#include "types/utf8.h"

/* ---- length ---- */

static enum arus_status length(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);

    (void)err;
    arus_row_int(row, i,
                 (int32_t)(row->call->args[0].type->id == ARUS_TYPE_BINARY
                               ? text.size
                               : arus_utf8_length(text)));
    return ARUS_OK;
}
ARUS_ROWWISE(length)

static enum arus_status kernel_octet_length(const struct arus_kernel_call *call,
                                            struct arus_vector *out, uint32_t *bad_row,
                                            struct arus_error *err)
{
    const uint32_t unit = call->expr->function->name[0] == 'b' ? 8 : 1;
    const struct arus_view *values = call->args[0].values;
    const size_t step = ARUS_STEP(&call->args[0]);

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        ((int32_t *)out->values)[i] = (int32_t)(values[i * step].size * unit);
    }
    return ARUS_OK;
}

/* ---- case ---- */

enum letter_case { CASE_UPPER, CASE_LOWER };

/* Flips the case of ASCII letters; false: there are other bytes. */
static bool change_ascii(struct arus_text text, enum letter_case to, char *out)
{
    const unsigned char first = to == CASE_UPPER ? 'a' : 'A';
    unsigned char seen = 0;

    for (size_t i = 0; i < text.size; i++) {
        const unsigned char c = (unsigned char)text.data[i];

        seen |= c;
        out[i] = (char)(c ^ ((unsigned char)(c - first) < 26 ? 0x20 : 0));
    }
    return seen < 0x80;
}

static enum arus_status change_case(struct arus_rowwise *row, uint32_t i, enum letter_case to,
                                    struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);

    ARUS_TRY(arus_strings_need(&row->strings, text.size, err));
    if (change_ascii(text, to, row->strings.at)) {
        arus_row_view(row, i, arus_strings_take(&row->strings, text.size));
        return ARUS_OK;
    }
    arus_buffer_reset(&row->buffer);
    ARUS_TRY(to == CASE_UPPER ? arus_utf8_upper(text, &row->buffer, err)
                              : arus_utf8_lower(text, &row->buffer, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}

static enum arus_status upper(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    return change_case(row, i, CASE_UPPER, err);
}
ARUS_ROWWISE(upper)

static enum arus_status lower(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    return change_case(row, i, CASE_LOWER, err);
}
ARUS_ROWWISE(lower)

static enum arus_status initcap(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    arus_buffer_reset(&row->buffer);
    ARUS_TRY(arus_utf8_initcap(arus_row_arg_text(row, 0, i), &row->buffer, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(initcap)

/* ---- parts ---- */

static struct arus_view byte_part(struct arus_view view, int32_t position, int32_t length)
{
    const int64_t size = view.size;
    int64_t begin = position > 0 ? (int64_t)position - 1 : position < 0 ? size + position : 0;
    const int64_t end = size - begin < length ? size : begin + length;

    begin = begin < 0 ? 0 : begin;
    return begin >= end ? arus_view_empty()
                        : arus_view_part(view, (size_t)begin, (size_t)(end - begin));
}

static struct arus_view part(const struct arus_rowwise *row, struct arus_view view,
                             int32_t position, int32_t length)
{
    int64_t begin = position > 0 ? (int64_t)position - 1 : 0;

    if (row->call->expr->type->id == ARUS_TYPE_BINARY) {
        return byte_part(view, position, length);
    }
    if (position < 0) {
        begin = (int64_t)arus_utf8_length(arus_view_text(view)) + position;
    }
    return arus_view_code_points(view, begin, begin + length);
}

static enum arus_status substring(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_view(row, i,
                  part(row, arus_row_arg_view(row, 0, i), arus_row_arg_int(row, 1, i),
                       arus_row_arg_int(row, 2, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(substring)

static enum arus_status bind_substring(struct arus_bind *bind, struct arus_error *err)
{
    const int32_t all = INT32_MAX;

    if (bind->arg_count == 2) {
        const struct arus_expr *length_arg;

        ARUS_TRY(arus_literal_of(&ARUS_INT, &all, bind->arena, &length_arg, err));
        ARUS_TRY(arus_arg_append(bind, length_arg, err));
    }
    ARUS_TRY(arus_args_take(bind, "Sii", err));
    bind->type = bind->args[0]->type;
    return ARUS_OK;
}

static enum arus_status left(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_view(row, i, part(row, arus_row_arg_view(row, 0, i), 1, arus_row_arg_int(row, 1, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(left)

static enum arus_status right(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int32_t count = arus_row_arg_int(row, 1, i);

    (void)err;
    arus_row_view(row, i,
                  count <= 0 ? arus_view_empty()
                             : part(row, arus_row_arg_view(row, 0, i), -count, INT32_MAX));
    return ARUS_OK;
}
ARUS_ROWWISE(right)

static enum arus_status split_part(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    const struct arus_text text = arus_view_text(view);
    const struct arus_text by = arus_row_arg_text(row, 1, i);
    int64_t wanted = arus_row_arg_int(row, 2, i);
    int64_t count = 1;
    size_t begin = 0;

    if (wanted == 0) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_INDEX_OF_ZERO",
                         "the index 0 is invalid: parts count from 1");
    }
    for (size_t at = 0; by.size > 0 && (at = arus_text_find(text, by, at)) != ARUS_NOT_FOUND;
         at += by.size) {
        count++;
    }
    wanted = wanted < 0 ? count + wanted + 1 : wanted;
    if (wanted < 1 || wanted > count) {
        arus_row_view(row, i, arus_view_empty());
        return ARUS_OK;
    }
    for (int64_t n = 1; n < wanted; n++) {
        begin = arus_text_find(text, by, begin) + by.size;
    }
    {
        size_t end = by.size == 0 ? text.size : arus_text_find(text, by, begin);

        end = end == ARUS_NOT_FOUND ? text.size : end;
        arus_row_view(row, i, arus_view_part(view, begin, end - begin));
    }
    return ARUS_OK;
}
ARUS_ROWWISE(split_part)

static enum arus_status substring_index(struct arus_rowwise *row, uint32_t i,
                                        struct arus_error *err)
{
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    const struct arus_text text = arus_view_text(view);
    const struct arus_text by = arus_row_arg_text(row, 1, i);
    int64_t count = arus_row_arg_int(row, 2, i);
    size_t at = count > 0 ? 0 : text.size;

    (void)err;
    if (by.size == 0 || count == 0) {
        arus_row_view(row, i, arus_view_empty());
        return ARUS_OK;
    }
    for (; count > 0; count--) {
        const size_t found = arus_text_find(text, by, at);

        if (found == ARUS_NOT_FOUND || count == 1) {
            arus_row_view(row, i,
                          arus_view_part(view, 0, found == ARUS_NOT_FOUND ? text.size : found));
            return ARUS_OK;
        }
        at = found + 1;
    }
    for (; count < 0; count++) {
        const size_t found = arus_text_find_last(text, by, at);

        if (found == ARUS_NOT_FOUND) {
            arus_row_view(row, i, view);
            return ARUS_OK;
        }
        at = found + by.size - 1;
        if (count == -1) {
            at = found + by.size;
        }
    }
    arus_row_view(row, i, arus_view_part(view, at, text.size - at));
    return ARUS_OK;
}
ARUS_ROWWISE(substring_index)

static enum arus_status overlay(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    const struct arus_text by = arus_row_arg_text(row, 1, i);
    const int32_t position = arus_row_arg_int(row, 2, i);
    const bool is_binary = row->call->expr->type->id == ARUS_TYPE_BINARY;
    int32_t length = row->call->expr->arg_count == 4 ? arus_row_arg_int(row, 3, i) : -1;
    struct arus_view head;
    struct arus_view tail;

    if (length < 0) {
        length = (int32_t)(is_binary ? by.size : arus_utf8_length(by));
    }
    head = part(row, view, 1, position - 1);
    tail = part(row, view, position + length, INT32_MAX);
    arus_buffer_reset(&row->buffer);
    ARUS_TRY(arus_buffer_append(&row->buffer, head.data, head.size, err));
    ARUS_TRY(arus_buffer_append_text(&row->buffer, by, err));
    ARUS_TRY(arus_buffer_append(&row->buffer, tail.data, tail.size, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(overlay)

static enum arus_status bind_overlay(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id text = bind->args[0]->type->id;
    const enum arus_type_id by = bind->args[1]->type->id;
    const bool is_binary = text == ARUS_TYPE_BINARY && by == ARUS_TYPE_BINARY;

    if (!is_binary && ((text == ARUS_TYPE_BINARY && by == ARUS_TYPE_STRING) ||
                       (text == ARUS_TYPE_STRING && by == ARUS_TYPE_BINARY))) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                            "`%.*s` takes two texts or two BINARY", ARUS_TEXT_ARGS(bind->name));
    }
    ARUS_TRY(arus_args_take(bind, is_binary ? "xxii" : "ssii", err));
    bind->type = bind->args[0]->type;
    return ARUS_OK;
}

/* ---- trimming: a set of characters, blanks by default ---- */

enum trim_side { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

static bool set_has(struct arus_text set, const char *character, size_t size)
{
    for (size_t at = 0; at < set.size;) {
        const size_t next = arus_utf8_size((unsigned char)set.data[at]);

        if (next == size && at + size <= set.size && memcmp(set.data + at, character, size) == 0) {
            return true;
        }
        at += next;
    }
    return false;
}

static struct arus_view trimmed(struct arus_view view, struct arus_text set, int sides)
{
    size_t begin = 0;
    size_t end = view.size;

    while ((sides & TRIM_LEFT) != 0 && begin < end) {
        const size_t size = arus_utf8_size((unsigned char)view.data[begin]);

        if (size > end - begin || !set_has(set, view.data + begin, size)) {
            break;
        }
        begin += size;
    }
    while ((sides & TRIM_RIGHT) != 0 && end > begin) {
        size_t size = 1;

        while (size < 4 && end - size > begin &&
               ((unsigned char)view.data[end - size] & 0xC0) == 0x80) {
            size++;
        }
        if (!set_has(set, view.data + end - size, size)) {
            break;
        }
        end -= size;
    }
    return arus_view_part(view, begin, end - begin);
}

/* btrim(s[, set]); trim, ltrim, rtrim([set, ]s) */
static enum arus_status trim(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const char *name = row->call->expr->function->name;
    const bool set_first = name[0] != 'b';
    const int sides = name[0] == 'l'   ? TRIM_LEFT
                      : name[0] == 'r' ? TRIM_RIGHT
                                       : TRIM_LEFT | TRIM_RIGHT;
    const bool has_set = row->call->expr->arg_count == 2;
    const uint32_t value = has_set && set_first ? 1 : 0;

    (void)err;
    arus_row_view(row, i,
                  trimmed(arus_row_arg_view(row, value, i),
                          has_set ? arus_row_arg_text(row, 1 - value, i) : ARUS_TEXT(" "), sides));
    return ARUS_OK;
}
ARUS_ROWWISE(trim)

/* TRIM(BOTH c FROM s) is its text with two arguments. */
static enum arus_status bind_trim(struct arus_bind *bind, struct arus_error *err)
{
    static const char *const SIDES[] = {"BOTH", "LEADING", "TRAILING"};
    const char *name = bind->function->name;
    struct arus_buffer text = {0};
    enum arus_status status;

    ARUS_TRY(arus_args_take(bind, "s", err));
    bind->type = &ARUS_STRING;
    if (bind->arg_count == 1 || name[0] == 'b') {
        return ARUS_OK;
    }
    status = arus_buffer_printf(&text, err, "TRIM(%s ",
                                SIDES[name[0] == 'l'   ? 1
                                      : name[0] == 'r' ? 2
                                                       : 0]);
    if (status == ARUS_OK) {
        status = arus_expr_text(bind->args[0], &text, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_text(&text, ARUS_TEXT(" FROM "), err);
    }
    if (status == ARUS_OK) {
        status = arus_expr_text(bind->args[1], &text, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&text, ')', err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), bind->arena, &bind->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

const struct arus_function ARUS_STRINGS[] = {
    ARUS_FUNCTION("length", "len char_length character_length", 0, 1, 1, "S", "i", kernel_length,
                  "length(s) -> INT", "characters of a STRING, bytes of a BINARY", "length('abc ')",
                  "4"),
    ARUS_FUNCTION("octet_length", NULL, 0, 1, 1, "S", "i", kernel_octet_length,
                  "octet_length(s) -> INT", "bytes", "octet_length('é')", "2"),
    ARUS_FUNCTION("bit_length", NULL, 0, 1, 1, "S", "i", kernel_octet_length,
                  "bit_length(s) -> INT", "bits", "bit_length('abc')", "24"),
    ARUS_FUNCTION("upper", "ucase", 0, 1, 1, "s", "s", kernel_upper, "upper(s) -> STRING",
                  "capital letters", "upper('straße')", "STRASSE"),
    ARUS_FUNCTION("lower", "lcase", 0, 1, 1, "s", "s", kernel_lower, "lower(s) -> STRING",
                  "small letters", "lower('ABC')", "abc"),
    ARUS_FUNCTION("initcap", NULL, 0, 1, 1, "s", "s", kernel_initcap, "initcap(s) -> STRING",
                  "each word, split at blanks, with a capital", "initcap('sPark sql')",
                  "Spark Sql"),
    {.name = "substring",
     .aliases = "substr",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_substring,
     .kernel = kernel_substring,
     .signature = "substring(s, position[, length])",
     .help = "position from 1, negative from the end",
     .example = "substring('Spark SQL', 5, 1)",
     .result = "k"},
    ARUS_FUNCTION("left", NULL, 0, 2, 2, "Si", "1", kernel_left, "left(s, n)",
                  "the first n characters", "left('Spark', 3)", "Spa"),
    ARUS_FUNCTION("right", NULL, 0, 2, 2, "Si", "1", kernel_right, "right(s, n)",
                  "the last n characters", "right('Spark', 3)", "ark"),
    ARUS_FUNCTION("split_part", NULL, ARUS_CAN_FAIL, 3, 3, "ssi", "s", kernel_split_part,
                  "split_part(s, delimiter, n)", "n-th part, negative from the end; '' beyond",
                  "split_part('a.b.c', '.', -1)", "c"),
    ARUS_FUNCTION("substring_index", NULL, 0, 3, 3, "ssi", "s", kernel_substring_index,
                  "substring_index(s, delimiter, n)",
                  "all before the n-th delimiter; n < 0: behind it, from the end",
                  "substring_index('a.b.c', '.', 2)", "a.b"),
    {.name = "trim",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_trim,
     .kernel = kernel_trim,
     .signature = "trim(s), trim(BOTH set FROM s)",
     .help = "without blanks, or characters of a set, at both ends",
     .example = "trim('  a ')",
     .result = "a"},
    {.name = "ltrim",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_trim,
     .kernel = kernel_trim,
     .signature = "ltrim(s), trim(LEADING set FROM s)",
     .help = "without blanks at the start",
     .example = "ltrim('xyx', 'xyz')",
     .result = "z"},
    {.name = "rtrim",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_trim,
     .kernel = kernel_trim,
     .signature = "rtrim(s), trim(TRAILING set FROM s)",
     .help = "without blanks at the end",
     .example = "rtrim(' a ')",
     .result = " a"},
    {.name = "btrim",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_trim,
     .kernel = kernel_trim,
     .signature = "btrim(s[, set])",
     .help = "without blanks, or characters of a set, at both ends",
     .example = "btrim('xyaxy', 'xy')",
     .result = "a"},
    {.name = "overlay",
     .flags = ARUS_STRICT,
     .arg_min = 3,
     .arg_max = 4,
     .bind = bind_overlay,
     .text = "overlay($1, $2, $3, $4=-1;)",
     .kernel = kernel_overlay,
     .signature = "overlay(s, by, position[, length])",
     .help = "puts `by` over a part of s",
     .example = "overlay('Spark SQL', '_', 6)",
     .result = "Spark_SQL"},
    {0},
};
