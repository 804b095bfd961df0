/** concat, ||, concat_ws, elt. */
#include "expr/collection.h"
#include "expr/families.h"

static enum arus_status concat(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const uint32_t arg_count = row->call->expr->arg_count;
    size_t size = 0;
    char *at;

    for (uint32_t a = 0; a < arg_count; a++) {
        size += arus_row_arg_view(row, a, i).size;
    }
    ARUS_TRY(arus_strings_need(&row->strings, size, err));
    at = row->strings.at;
    for (uint32_t a = 0; a < arg_count; a++) {
        const struct arus_view view = arus_row_arg_view(row, a, i);

        if (view.size > 0) {
            memcpy(at, view.data, view.size);
        }
        at += view.size;
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}
ARUS_ROWWISE(concat)

/* The elements of all arrays of a row, one behind the other. */
static enum arus_status kernel_concat_arrays(const struct arus_kernel_call *call,
                                             struct arus_vector *out, uint32_t *bad_row,
                                             struct arus_error *err)
{
    (void)bad_row;
    return arus_lists_join(call, out, err);
}

static enum arus_status bind_concat(struct arus_bind *bind, struct arus_error *err)
{
    bool is_binary = bind->arg_count > 0;
    bool has_array = false;

    for (uint32_t i = 0; i < bind->arg_count; i++) {
        is_binary &= bind->args[i]->type->id == ARUS_TYPE_BINARY;
        has_array |= bind->args[i]->type->id == ARUS_TYPE_ARRAY;
    }
    if (has_array) {
        const struct arus_type *type;

        for (uint32_t i = 0; i < bind->arg_count; i++) {
            if (bind->args[i]->type->id == ARUS_TYPE_MAP ||
                bind->args[i]->type->id == ARUS_TYPE_STRUCT) {
                return arus_fail_input(bind, i, "a STRING, BINARY or ARRAY", err);
            }
            if (bind->args[i]->type->id != ARUS_TYPE_ARRAY) {
                return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                                    "`%.*s` cannot join an ARRAY and %s",
                                    ARUS_TEXT_ARGS(bind->name),
                                    arus_type_name(bind->args[i]->type).text);
            }
        }
        ARUS_TRY(arus_args_common(bind, 0, 1, &type, err));
        bind->type = type;
        bind->kernel = kernel_concat_arrays;
        return ARUS_OK;
    }
    ARUS_TRY(arus_args_take(bind, is_binary ? "x" : "s", err));
    bind->type = is_binary ? &ARUS_BINARY : &ARUS_STRING;
    return ARUS_OK;
}

/* ---- concat_ws: skips NULLs and flattens arrays ---- */

static enum arus_status append_part(struct arus_rowwise *row, struct arus_text separator,
                                    struct arus_view part, bool *has_part, struct arus_error *err)
{
    if (*has_part) {
        ARUS_TRY(arus_buffer_append_text(&row->buffer, separator, err));
    }
    *has_part = true;
    return arus_buffer_append(&row->buffer, part.data, part.size, err);
}

static enum arus_status concat_ws(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_vector *args = row->call->args;
    struct arus_text separator;
    bool has_part = false;

    if (!arus_vector_is_valid(&args[0], i)) {
        return arus_row_null(row, i, err);
    }
    separator = arus_row_arg_text(row, 0, i);
    arus_buffer_reset(&row->buffer);
    for (uint32_t a = 1; a < row->call->expr->arg_count; a++) {
        if (!arus_vector_is_valid(&args[a], i)) {
            continue;
        }
        if (args[a].type->id == ARUS_TYPE_ARRAY) {
            const struct arus_span span = arus_span_at(&args[a], i);
            const struct arus_vector *items = &args[a].children[0];

            for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
                if (arus_vector_is_valid(items, j)) {
                    ARUS_TRY(append_part(row, separator, arus_view_at(items, j), &has_part, err));
                }
            }
        } else {
            ARUS_TRY(append_part(row, separator, arus_view_at(&args[a], i), &has_part, err));
        }
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(concat_ws)

static enum arus_status bind_concat_ws(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_STRING;
    bind->is_nullable = bind->args[0]->is_nullable;
    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    for (uint32_t i = 1; i < bind->arg_count; i++) {
        ARUS_TRY(
            arus_arg_take(bind, i, bind->args[i]->type->id == ARUS_TYPE_ARRAY ? "a" : "s", err));
    }
    return ARUS_OK;
}

/* elt(n, a, b, ..): the n-th argument */
static enum arus_status elt(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_vector *args = row->call->args;
    int32_t n;

    if (!arus_vector_is_valid(&args[0], i)) {
        return arus_row_null(row, i, err);
    }
    n = arus_row_arg_int(row, 0, i);
    if (n < 1 || (uint32_t)n >= row->call->expr->arg_count) {
        if (!row->call->env->is_ansi) {
            return arus_row_null(row, i, err);
        }
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_ARRAY_INDEX",
                         "the index %d is outside of %u values", n, row->call->expr->arg_count - 1);
    }
    if (!arus_vector_is_valid(&args[n], i)) {
        return arus_row_null(row, i, err);
    }
    arus_row_view(row, i, arus_row_arg_view(row, (uint32_t)n, i));
    return ARUS_OK;
}
ARUS_ROWWISE(elt)

static enum arus_status bind_elt(struct arus_bind *bind, struct arus_error *err)
{
    bool is_binary = true;

    for (uint32_t i = 1; i < bind->arg_count; i++) {
        is_binary &= bind->args[i]->type->id == ARUS_TYPE_BINARY;
    }
    ARUS_TRY(arus_args_take(bind, is_binary ? "ix" : "is", err));
    bind->type = is_binary ? &ARUS_BINARY : &ARUS_STRING;
    bind->is_nullable = true;
    return ARUS_OK;
}

const struct arus_function ARUS_CONCATS[] = {
    {.name = "concat",
     .aliases = "||",
     .flags = ARUS_STRICT | ARUS_ALL_ARGS,
     .arg_min = 0,
     .arg_max = 255,
     .bind = bind_concat,
     .kernel = kernel_concat,
     .text = "concat($*)",
     .signature = "concat(a, b, ..), a || b",
     .help = "texts, binaries or arrays one behind the other",
     .example = "concat('a', 1, true)",
     .result = "a1true"},
    {.name = "concat_ws",
     .arg_min = 1,
     .arg_max = 255,
     .bind = bind_concat_ws,
     .kernel = kernel_concat_ws,
     .signature = "concat_ws(separator, a, ..) -> STRING",
     .help = "joins texts and arrays of texts; skips NULL",
     .example = "concat_ws('-', 'a', NULL, array('b', 'c'))",
     .result = "a-b-c"},
    {.name = "elt",
     .flags = ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 255,
     .bind = bind_elt,
     .kernel = kernel_elt,
     .signature = "elt(n, a, b, ..)",
     .help = "the n-th of the values",
     .example = "elt(2, 'a', 'b')",
     .result = "b"},
    {0},
};
