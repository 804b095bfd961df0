/** Arrays of arrays and arrays side by side: flatten, arrays_zip, array_join. */
#include "expr/collection.h"
#include "expr/families.h"
#include "expr/rowwise.h"

/* ---- flatten ---- */

static enum arus_status kernel_flatten(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_vector *lists = &call->args[0].children[0];
    const struct arus_vector *sources[1] = {&lists->children[0]};
    struct arus_list_picker picker;
    bool is_null = false;

    (void)bad_row;
    ARUS_TRY(arus_picker_init(&picker, call, call->expr->type, out, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const struct arus_span span = arus_span_at(&call->args[0], i);

        is_null = false;
        for (uint32_t j = span.begin; arus_bit_get(call->valid, i) && j < span.begin + span.count;
             j++) {
            is_null |= !arus_vector_is_valid(lists, j);
            if (!is_null) {
                ARUS_TRY(arus_picker_add_span(&picker, 0, arus_span_at(lists, j), err));
            }
        }
        if (is_null) {
            ARUS_TRY(arus_vector_need_validity(out, call->step, err));
            arus_bit_clear(out->validity, i);
        }
        arus_picker_row(&picker, i);
    }
    return arus_picker_finish(&picker, sources, 1, 0, out, err);
}

static enum arus_status bind_flatten(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    if (type->id == ARUS_TYPE_VOID) {
        return arus_literal_null(type, bind->arena, &bind->replacement, err);
    }
    if (type->id != ARUS_TYPE_ARRAY || type->fields[0].type->id != ARUS_TYPE_ARRAY) {
        return arus_fail_input(bind, 0, "an ARRAY of ARRAYs", err);
    }
    bind->type = type->fields[0].type;
    bind->is_nullable = true;
    return ARUS_OK;
}

static enum arus_status join(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_vector *items = &row->call->args[0].children[0];
    const struct arus_span span = arus_span_at(&row->call->args[0], i);
    const struct arus_text by = arus_row_arg_text(row, 1, i);
    const bool has_null_text = row->call->expr->arg_count == 3;
    bool is_first = true;

    arus_buffer_reset(&row->buffer);
    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        const bool is_valid = arus_vector_is_valid(items, j);

        if (!is_valid && !has_null_text) {
            continue;
        }
        if (!is_first) {
            ARUS_TRY(arus_buffer_append_text(&row->buffer, by, err));
        }
        is_first = false;
        ARUS_TRY(arus_buffer_append_text(
            &row->buffer, is_valid ? arus_text_at(items, j) : arus_row_arg_text(row, 2, i), err));
    }
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(join)

static enum arus_status bind_join(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    if (type->id == ARUS_TYPE_ARRAY && arus_type_is_nested(type->fields[0].type)) {
        return arus_fail_input(bind, 0, "ARRAY<STRING>", err);
    }
    bind->type = &ARUS_STRING;
    return arus_args_take(bind, "a=s=s", err);
}

/* ---- arrays_zip ---- */

static enum arus_status kernel_zip(const struct arus_kernel_call *call, struct arus_vector *out,
                                   uint32_t *bad_row, struct arus_error *err)
{
    const uint32_t arg_count = call->expr->arg_count;
    const struct arus_type *element = call->expr->type->fields[0].type;
    struct arus_list_picker picker;
    struct arus_vector *items;

    (void)bad_row;
    ARUS_TRY(arus_picker_init(&picker, call, call->expr->type, out, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        uint32_t longest = 0;

        for (uint32_t a = 0; arus_bit_get(call->valid, i) && a < arg_count; a++) {
            const uint32_t count = arus_span_at(&call->args[a], i).count;

            longest = count > longest ? count : longest;
        }
        for (uint32_t j = 0; j < longest; j++) { /* which: the row, at: the position in it */
            ARUS_TRY(arus_picker_add(&picker, i, j, err));
        }
        arus_picker_row(&picker, i);
    }
    items = out->children;
    *items = (struct arus_vector){.type = element, .row_count = picker.count};
    ARUS_TRY(ARUS_NEW(call->step, struct arus_vector, arg_count, &items->children, err));
    for (uint32_t a = 0; a < arg_count; a++) {
        const struct arus_vector *sources[1] = {&call->args[a].children[0]};
        struct arus_picks picks = {
            .sources = sources, .source_count = 1, .row_count = picker.count};
        uint32_t *which;
        uint32_t *at;

        ARUS_TRY(ARUS_NEW(call->step, uint32_t, picker.count, &which, err));
        ARUS_TRY(ARUS_NEW(call->step, uint32_t, picker.count, &at, err));
        for (uint32_t k = 0; k < picker.count; k++) {
            const struct arus_span span = arus_span_at(&call->args[a], picker.which[k]);

            which[k] = picker.at[k] < span.count ? 0 : ARUS_NULL_ROW;
            at[k] = span.begin + picker.at[k];
        }
        picks.which = which;
        picks.at = at;
        ARUS_TRY(arus_vector_pick(&picks, element->fields[a].type, call->step, &items->children[a],
                                  err));
    }
    return ARUS_OK;
}

static enum arus_status bind_zip(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *element;
    struct arus_field *fields;

    ARUS_TRY(arus_args_take(bind, "=A", err));
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_field, bind->arg_count, &fields, err));
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        const struct arus_expr *arg = bind->args[i];

        fields[i].type = arg->type->fields[0].type;
        fields[i].is_nullable = true;
        if (arg->kind == ARUS_EXPR_COLUMN || arg->kind == ARUS_EXPR_FIELD ||
            arg->kind == ARUS_EXPR_VARIABLE) {
            fields[i].name = arg->name;
        } else {
            ARUS_TRY(arus_text_format(bind->arena, &fields[i].name, err, "%u", i));
        }
    }
    ARUS_TRY(arus_type_struct(fields, (uint16_t)bind->arg_count, bind->arena, &element, err));
    return arus_type_array(element, false, bind->arena, &bind->type, err);
}

const struct arus_function ARUS_ARRAY_JOINS[] = {
    ARUS_ARRAY("flatten", NULL, ARUS_STRICT, 1, 1, NULL, bind_flatten, kernel_flatten,
               "flatten(array of arrays)", "all elements in one array",
               "flatten(array(array(1), array(2, 3)))", "[1, 2, 3]"),
    ARUS_ARRAY("array_join", NULL, ARUS_STRICT, 2, 3, NULL, bind_join, kernel_join,
               "array_join(array, separator[, nulls])",
               "a text; without a text for NULL they are skipped",
               "array_join(array('a', NULL, 'b'), '-')", "a-b"),
    ARUS_ARRAY("arrays_zip", NULL, ARUS_STRICT, 0, 255, NULL, bind_zip, kernel_zip,
               "arrays_zip(a, b, ..)", "the n-th elements side by side",
               "arrays_zip(array(1, 2), array('a'))", "[{1, a}, {2, null}]"),
    {0},
};
