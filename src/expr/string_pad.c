/** Texts filled, repeated, turned round. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "expr/string_bytes.h"
#include "types/utf8.h"

/* ---- padding and repeating ---- */

/* Appends `count` code points of `pad`, again and again from its start. */
static enum arus_status append_pad(struct arus_buffer *out, struct arus_text pad, size_t count,
                                   struct arus_error *err)
{
    size_t at = 0;

    for (; count > 0; count--) {
        const size_t begin = at;

        at += arus_utf8_size((unsigned char)pad.data[at]);
        at = at > pad.size ? pad.size : at;
        ARUS_TRY(arus_buffer_append(out, pad.data + begin, at - begin, err));
        at = at >= pad.size ? 0 : at;
    }
    return ARUS_OK;
}

static enum arus_status pad(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const bool is_left = row->call->expr->function->name[0] == 'l';
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    const int32_t wanted = arus_row_arg_int(row, 1, i);
    const struct arus_text by = arus_row_arg_text(row, 2, i);
    const size_t have = arus_utf8_length(arus_view_text(view));

    if (wanted <= 0) {
        arus_row_view(row, i, arus_view_empty());
        return ARUS_OK;
    }
    if ((size_t)wanted <= have || by.size == 0) {
        arus_row_view(row, i, arus_view_code_points(view, 0, wanted));
        return ARUS_OK;
    }
    arus_buffer_reset(&row->buffer);
    if (!is_left) {
        ARUS_TRY(arus_buffer_append(&row->buffer, view.data, view.size, err));
    }
    ARUS_TRY(append_pad(&row->buffer, by, (size_t)wanted - have, err));
    if (is_left) {
        ARUS_TRY(arus_buffer_append(&row->buffer, view.data, view.size, err));
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(pad)

static enum arus_status pad_bytes(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const bool is_left = row->call->expr->function->name[0] == 'l';
    const struct arus_text bytes = arus_row_arg_text(row, 0, i);
    const struct arus_text by = arus_row_arg_text(row, 2, i);
    const int32_t length = arus_row_arg_int(row, 1, i);
    const size_t wanted = length < 0 ? 0 : (size_t)length;
    const size_t kept = wanted < bytes.size ? wanted : bytes.size;
    const size_t missing = by.size == 0 ? 0 : wanted - kept;

    arus_buffer_reset(&row->buffer);
    if (!is_left) {
        ARUS_TRY(arus_buffer_append(&row->buffer, bytes.data, kept, err));
    }
    for (size_t at = 0; at < missing; at++) {
        ARUS_TRY(arus_buffer_append_char(&row->buffer, by.data[at % by.size], err));
    }
    if (is_left) {
        ARUS_TRY(arus_buffer_append(&row->buffer, bytes.data, kept, err));
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(pad_bytes)

static enum arus_status bind_pad(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_binary = bind->args[0]->type->id == ARUS_TYPE_BINARY &&
                           (bind->arg_count == 2 || bind->args[2]->type->id == ARUS_TYPE_BINARY);
    const struct arus_view blank = arus_view_of(is_binary ? "\0" : " ", 1);

    if (bind->arg_count == 2) {
        const struct arus_expr *by;

        ARUS_TRY(arus_literal_of(is_binary ? &ARUS_BINARY : &ARUS_STRING, &blank, bind->arena, &by,
                                 err));
        ARUS_TRY(arus_arg_append(bind, by, err));
    }
    if (is_binary) { /* bytes, padded with zeros */
        ARUS_TRY(arus_arg_take(bind, 1, "i", err));
        bind->kernel = kernel_pad_bytes;
        bind->type = &ARUS_BINARY;
        return ARUS_OK;
    }
    ARUS_TRY(arus_args_take(bind, "sis", err));
    bind->type = &ARUS_STRING;
    return ARUS_OK;
}

static enum arus_status repeated(struct arus_rowwise *row, uint32_t i, struct arus_text text,
                                 int32_t count, struct arus_error *err)
{
    const size_t size = count <= 0 ? 0 : text.size * (size_t)count;

    if (size > INT32_MAX) {
        return arus_fail(err, ARUS_BAD_DATA, NULL, "a repeated text would be larger than 2 GiB");
    }
    ARUS_TRY(arus_strings_need(&row->strings, size, err));
    for (size_t at = 0; at < size; at += text.size) {
        memcpy(row->strings.at + at, text.data, text.size);
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}

static enum arus_status repeat(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    return repeated(row, i, arus_row_arg_text(row, 0, i), arus_row_arg_int(row, 1, i), err);
}
ARUS_ROWWISE(repeat)

static enum arus_status space(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    return repeated(row, i, ARUS_TEXT(" "), arus_row_arg_int(row, 0, i), err);
}
ARUS_ROWWISE(space)

static enum arus_status reverse(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    size_t at = 0;

    ARUS_TRY(arus_strings_need(&row->strings, text.size, err));
    while (at < text.size) {
        size_t size = row->out->type->id == ARUS_TYPE_BINARY
                          ? 1
                          : arus_utf8_size((unsigned char)text.data[at]);

        size = size > text.size - at ? text.size - at : size;
        memcpy(row->strings.at + text.size - at - size, text.data + at, size);
        at += size;
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, text.size));
    return ARUS_OK;
}
ARUS_ROWWISE(reverse)

static enum arus_status bind_reverse(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->args[0]->type->id == ARUS_TYPE_ARRAY) {
        return arus_bind_as(bind, "array_reverse", err);
    }
    ARUS_TRY(arus_arg_take(bind, 0, "S", err));
    bind->type = bind->args[0]->type;
    return ARUS_OK;
}

const struct arus_function ARUS_STRING_PADS[] = {
    {.name = "lpad",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_pad,
     .kernel = kernel_pad,
     .signature = "lpad(s, n[, pad])",
     .help = "exactly n characters, filled on the left",
     .example = "lpad('7', 3, '0')",
     .result = "007"},
    {.name = "rpad",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_pad,
     .kernel = kernel_pad,
     .signature = "rpad(s, n[, pad])",
     .help = "exactly n characters, filled on the right",
     .example = "rpad('ab', 4, '-')",
     .result = "ab--"},
    ARUS_FUNCTION("repeat", NULL, ARUS_CAN_FAIL, 2, 2, "si", "s", kernel_repeat,
                  "repeat(s, n) -> STRING", "s n times", "repeat('ab', 2)", "abab"),
    ARUS_FUNCTION("space", NULL, ARUS_CAN_FAIL, 1, 1, "i", "s", kernel_space, "space(n) -> STRING",
                  "n blanks", "length(space(3))", "3"),
    {.name = "reverse",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_reverse,
     .kernel = kernel_reverse,
     .signature = "reverse(s or array)",
     .help = "back to front",
     .example = "reverse('abc')",
     .result = "cba"},
    {0},
};
