/** Functions of arrays: order, parts, sets, joining. */
#include "expr/collection.h"
#include "expr/families.h"
#include "expr/lambda_sort.h"

/* ---- one array in, one array out: a choice of its elements ---- */

typedef enum arus_status (*pick_fn)(struct arus_list_picker *picker, uint32_t i,
                                    struct arus_error *err);

/* The sources are the elements of the first `source_count` arguments (arrays), then those
 * themselves. */
static enum arus_status run_picks(const struct arus_kernel_call *call, pick_fn fn,
                                  struct arus_vector *out, uint32_t *bad_row,
                                  struct arus_error *err)
{
    const uint32_t arg_count = call->expr->arg_count;
    const struct arus_vector **sources;
    struct arus_list_picker picker;
    uint32_t source_count = 0;

    ARUS_TRY(arus_picker_init(&picker, call, call->expr->type, out, err));
    ARUS_TRY(ARUS_NEW(call->step, const struct arus_vector *, arg_count, &sources, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        *bad_row = i;
        if (arus_bit_get(call->valid, i)) {
            ARUS_TRY(fn(&picker, i, err));
        }
        arus_picker_row(&picker, i);
    }
    for (; source_count < arg_count; source_count++) {
        const struct arus_vector *arg = &call->args[source_count];

        if (arg->type->id == ARUS_TYPE_ARRAY &&
            arus_type_equal(arg->type->fields[0].type, out->type->fields[0].type)) {
            sources[source_count] = &arg->children[0];
        } else if (arus_type_equal(arg->type, out->type->fields[0].type)) {
            sources[source_count] = arg;
        } else {
            break;
        }
    }
    return arus_picker_finish(&picker, sources, source_count, 0, out, err);
}

/* In a set -0.0 is 0.0. */
static void plain_zeros(struct arus_vector *items)
{
    for (uint32_t j = 0; items->type->id == ARUS_TYPE_DOUBLE && j < items->row_count; j++) {
        ((double *)items->values)[j] += 0.0;
    }
    for (uint32_t j = 0; items->type->id == ARUS_TYPE_FLOAT && j < items->row_count; j++) {
        ((float *)items->values)[j] += 0.0F;
    }
}

#define PICKS(name)                                                                                \
    static enum arus_status kernel_##name(const struct arus_kernel_call *call,                     \
                                          struct arus_vector *out, uint32_t *bad_row,              \
                                          struct arus_error *err)                                  \
    {                                                                                              \
        return run_picks(call, name, out, bad_row, err);                                           \
    }

#define SET_PICKS(name)                                                                            \
    static enum arus_status kernel_##name(const struct arus_kernel_call *call,                     \
                                          struct arus_vector *out, uint32_t *bad_row,              \
                                          struct arus_error *err)                                  \
    {                                                                                              \
        ARUS_TRY(run_picks(call, name, out, bad_row, err));                                        \
        plain_zeros(out->children);                                                                \
        return ARUS_OK;                                                                            \
    }

static struct arus_span span_of(const struct arus_list_picker *picker, uint32_t arg, uint32_t i)
{
    return arus_span_at(&picker->call->args[arg], i);
}

static enum arus_status slice(struct arus_list_picker *picker, uint32_t i, struct arus_error *err)
{
    const struct arus_span span = span_of(picker, 0, i);
    const int32_t start = arus_int_at(&picker->call->args[1], i);
    const int32_t length = arus_int_at(&picker->call->args[2], i);
    const int64_t first = start > 0 ? (int64_t)start - 1 : (int64_t)span.count + start;

    if (start == 0) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.START",
                         "the start 0 is invalid: elements count from 1");
    }
    if (length < 0) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.LENGTH",
                         "the length %d is negative", length);
    }
    for (int64_t j = first; first >= 0 && j < span.count && j - first < length; j++) {
        ARUS_TRY(arus_picker_add(picker, 0, span.begin + (uint32_t)j, err));
    }
    return ARUS_OK;
}
PICKS(slice)

static enum arus_status backwards(struct arus_list_picker *picker, uint32_t i,
                                  struct arus_error *err)
{
    const struct arus_span span = span_of(picker, 0, i);

    for (uint32_t j = span.count; j > 0; j--) {
        ARUS_TRY(arus_picker_add(picker, 0, span.begin + j - 1, err));
    }
    return ARUS_OK;
}
PICKS(backwards)

static enum arus_status compact(struct arus_list_picker *picker, uint32_t i, struct arus_error *err)
{
    const struct arus_span span = span_of(picker, 0, i);

    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (arus_vector_is_valid(&picker->call->args[0].children[0], j)) {
            ARUS_TRY(arus_picker_add(picker, 0, j, err));
        }
    }
    return ARUS_OK;
}
PICKS(compact)

static enum arus_status without(struct arus_list_picker *picker, uint32_t i, struct arus_error *err)
{
    const struct arus_span span = span_of(picker, 0, i);
    const struct arus_vector *items = &picker->call->args[0].children[0];

    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (!arus_vector_is_valid(items, j) ||
            arus_vector_compare(items, j, &picker->call->args[1], i) != 0) {
            ARUS_TRY(arus_picker_add(picker, 0, j, err));
        }
    }
    return ARUS_OK;
}
PICKS(without)

/* ---- sorting: a merge sort of element rows ---- */

struct sorter {
    const struct arus_vector *items;
    uint32_t *rows;
    uint32_t *scratch;
    bool is_descending;
    bool nulls_last;
};

static bool goes_after(const struct sorter *sorter, uint32_t a, uint32_t b)
{
    const bool has_a = arus_vector_is_valid(sorter->items, a);
    const bool has_b = arus_vector_is_valid(sorter->items, b);

    if (!has_a || !has_b) {
        return has_a == has_b ? false : sorter->nulls_last ? has_b : has_a;
    }
    {
        const int order = arus_vector_compare(sorter->items, a, sorter->items, b);

        return sorter->is_descending ? order < 0 : order > 0;
    }
}

static void sort_rows(struct sorter *sorter, uint32_t count)
{
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t begin = 0; begin < count; begin += 2 * width) {
            const uint32_t middle = begin + width < count ? begin + width : count;
            const uint32_t end = begin + 2 * width < count ? begin + 2 * width : count;
            uint32_t left = begin;
            uint32_t right = middle;

            for (uint32_t k = begin; k < end; k++) {
                const bool takes_right =
                    left >= middle ||
                    (right < end && goes_after(sorter, sorter->rows[left], sorter->rows[right]));

                sorter->scratch[k] = sorter->rows[takes_right ? right++ : left++];
            }
        }
        memcpy(sorter->rows, sorter->scratch, count * sizeof *sorter->rows);
    }
}

static enum arus_status sorted(struct arus_list_picker *picker, uint32_t i, struct arus_error *err)
{
    const struct arus_kernel_call *call = picker->call;
    const struct arus_span span = span_of(picker, 0, i);
    const bool is_sort_array = call->expr->function->name[0] == 's';
    const bool is_descending =
        is_sort_array && call->expr->arg_count == 2 && !arus_boolean_at(&call->args[1], i);
    struct sorter sorter = {
        .items = &call->args[0].children[0],
        .is_descending = is_descending,
        .nulls_last = !is_sort_array || is_descending,
    };

    ARUS_TRY(ARUS_NEW(call->step, uint32_t, span.count, &sorter.rows, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, span.count, &sorter.scratch, err));
    for (uint32_t j = 0; j < span.count; j++) {
        sorter.rows[j] = span.begin + j;
    }
    sort_rows(&sorter, span.count);
    for (uint32_t j = 0; j < span.count; j++) {
        ARUS_TRY(arus_picker_add(picker, 0, sorter.rows[j], err));
    }
    return ARUS_OK;
}
PICKS(sorted)

/* ---- sets of elements: NULL is one value ---- */

/* An element of one of the arguments. */
struct element {
    const struct arus_vector *items;
    uint32_t row;
};

static bool is_same(struct element a, struct element b)
{
    return arus_vector_compare(a.items, a.row, b.items, b.row) == 0;
}

static bool is_among(const struct arus_list_picker *picker, uint32_t arg, uint32_t i,
                     struct element wanted)
{
    const struct arus_span span = span_of(picker, arg, i);
    const struct arus_vector *items = &picker->call->args[arg].children[0];

    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (is_same((struct element){items, j}, wanted)) {
            return true;
        }
    }
    return false;
}

/* Was it picked for this row already? */
static bool is_picked(const struct arus_list_picker *picker, uint32_t begin, struct element wanted)
{
    for (uint32_t k = begin; k < picker->count; k++) {
        const struct arus_vector *items = &picker->call->args[picker->which[k]].children[0];

        if (is_same((struct element){items, picker->at[k]}, wanted)) {
            return true;
        }
    }
    return false;
}

enum set_rule { SET_ALL, SET_IN_SECOND, SET_NOT_IN_SECOND };

static enum arus_status add_distinct(struct arus_list_picker *picker, uint32_t arg, uint32_t i,
                                     uint32_t begin, enum set_rule rule, struct arus_error *err)
{
    const struct arus_span span = span_of(picker, arg, i);

    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        const struct element element = {&picker->call->args[arg].children[0], j};

        if (!is_picked(picker, begin, element) &&
            (rule == SET_ALL || is_among(picker, 1, i, element) == (rule == SET_IN_SECOND))) {
            ARUS_TRY(arus_picker_add(picker, arg, j, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status distinct(struct arus_list_picker *picker, uint32_t i,
                                 struct arus_error *err)
{
    return add_distinct(picker, 0, i, picker->count, SET_ALL, err);
}
SET_PICKS(distinct)

static enum arus_status set_union(struct arus_list_picker *picker, uint32_t i,
                                  struct arus_error *err)
{
    const uint32_t begin = picker->count;

    ARUS_TRY(add_distinct(picker, 0, i, begin, SET_ALL, err));
    return add_distinct(picker, 1, i, begin, SET_ALL, err);
}
SET_PICKS(set_union)

static enum arus_status set_intersect(struct arus_list_picker *picker, uint32_t i,
                                      struct arus_error *err)
{
    return add_distinct(picker, 0, i, picker->count, SET_IN_SECOND, err);
}
SET_PICKS(set_intersect)

static enum arus_status set_except(struct arus_list_picker *picker, uint32_t i,
                                   struct arus_error *err)
{
    return add_distinct(picker, 0, i, picker->count, SET_NOT_IN_SECOND, err);
}
SET_PICKS(set_except)

static enum arus_status overlap(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_span a = arus_span_at(&row->call->args[0], i);
    const struct arus_span b = arus_span_at(&row->call->args[1], i);
    const struct arus_vector *items_a = &row->call->args[0].children[0];
    const struct arus_vector *items_b = &row->call->args[1].children[0];
    bool has_null = false;

    for (uint32_t j = a.begin; j < a.begin + a.count; j++) {
        has_null |= !arus_vector_is_valid(items_a, j);
        for (uint32_t k = b.begin; k < b.begin + b.count; k++) {
            if (!arus_vector_is_valid(items_b, k)) {
                has_null = true;
            } else if (arus_vector_is_valid(items_a, j) &&
                       arus_vector_compare(items_a, j, items_b, k) == 0) {
                arus_row_boolean(row, i, true);
                return ARUS_OK;
            }
        }
    }
    return has_null && a.count > 0 && b.count > 0 ? arus_row_null(row, i, err) : ARUS_OK;
}
ARUS_ROWWISE(overlap)

/* ---- adding elements ---- */

static enum arus_status add_span(struct arus_list_picker *picker, uint32_t arg,
                                 struct arus_span span, struct arus_error *err)
{
    for (uint32_t j = 0; j < span.count; j++) {
        ARUS_TRY(arus_picker_add(picker, arg, span.begin + j, err));
    }
    return ARUS_OK;
}

static enum arus_status set_null(struct arus_vector *out, const struct arus_vector *array,
                                 struct arus_arena *step, struct arus_error *err)
{
    for (uint32_t i = 0; i < out->row_count; i++) {
        if (!arus_vector_is_valid(array, i)) {
            ARUS_TRY(arus_vector_need_validity(out, step, err));
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static enum arus_status appended(struct arus_list_picker *picker, uint32_t i,
                                 struct arus_error *err)
{
    const bool is_first = picker->call->expr->function->name[6] == 'p'; /* array_prepend */

    if (!arus_vector_is_valid(&picker->call->args[0], i)) {
        return ARUS_OK;
    }
    if (is_first) {
        ARUS_TRY(arus_picker_add(picker, 1, i, err));
        return add_span(picker, 0, span_of(picker, 0, i), err);
    }
    ARUS_TRY(add_span(picker, 0, span_of(picker, 0, i), err));
    return arus_picker_add(picker, 1, i, err);
}

static enum arus_status kernel_appended(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    ARUS_TRY(run_picks(call, appended, out, bad_row, err));
    return set_null(out, &call->args[0], call->step, err);
}

static enum arus_status add_nulls(struct arus_list_picker *picker, int64_t count,
                                  struct arus_error *err)
{
    for (; count > 0; count--) {
        ARUS_TRY(arus_picker_add(picker, ARUS_NULL_ROW, 0, err));
    }
    return ARUS_OK;
}

/* args: array, item, position (moved behind by the rule) */
static enum arus_status inserted(struct arus_list_picker *picker, uint32_t i,
                                 struct arus_error *err)
{
    const struct arus_kernel_call *call = picker->call;
    struct arus_span span;
    int64_t position;

    if (!arus_vector_is_valid(&call->args[0], i) || !arus_vector_is_valid(&call->args[2], i)) {
        return ARUS_OK;
    }
    span = span_of(picker, 0, i);
    position = arus_int_at(&call->args[2], i);
    if (position == 0) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_INDEX_OF_ZERO",
                         "the index 0 is invalid: positions count from 1");
    }
    if (position < 0 && -position > (int64_t)span.count + 1) { /* before the start */
        ARUS_TRY(arus_picker_add(picker, 1, i, err));
        ARUS_TRY(add_nulls(picker, -position - span.count - 1, err));
        return add_span(picker, 0, span, err);
    }
    position = position < 0 ? span.count + position + 1 : position - 1;
    for (int64_t j = 0; j < position && j < span.count; j++) {
        ARUS_TRY(arus_picker_add(picker, 0, span.begin + (uint32_t)j, err));
    }
    ARUS_TRY(add_nulls(picker, position - span.count, err));
    ARUS_TRY(arus_picker_add(picker, 1, i, err));
    for (int64_t j = position; j < span.count; j++) {
        ARUS_TRY(arus_picker_add(picker, 0, span.begin + (uint32_t)j, err));
    }
    return ARUS_OK;
}

static enum arus_status kernel_inserted(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    ARUS_TRY(run_picks(call, inserted, out, bad_row, err));
    ARUS_TRY(set_null(out, &call->args[0], call->step, err));
    return set_null(out, &call->args[2], call->step, err);
}

static enum arus_status repeated(struct arus_list_picker *picker, uint32_t i,
                                 struct arus_error *err)
{
    const struct arus_vector *count = &picker->call->args[1];

    for (int32_t k = 0; arus_vector_is_valid(count, i) && k < arus_int_at(count, i); k++) {
        ARUS_TRY(arus_picker_add(picker, 0, i, err));
    }
    return ARUS_OK;
}

static enum arus_status kernel_repeated(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    struct arus_kernel_call one = *call;
    struct arus_expr expr = *call->expr;

    expr.arg_count = 1; /* the count is no source */
    one.expr = &expr;
    one.args = call->args;
    ARUS_TRY(run_picks(&one, repeated, out, bad_row, err));
    return set_null(out, &call->args[1], call->step, err);
}

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
                ARUS_TRY(add_span(&picker, 0, arus_span_at(lists, j), err));
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

/* ---- one element out ---- */

static enum arus_status kernel_extreme(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const int wanted = strcmp(call->expr->function->name, "array_max") == 0 ? 1 : -1;
    const struct arus_vector *items = &call->args[0].children[0];
    const struct arus_vector *sources[1] = {items};
    struct arus_picks picks = {.sources = sources, .source_count = 1, .row_count = call->row_count};
    uint32_t *which;
    uint32_t *at;

    (void)bad_row;
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &which, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &at, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const struct arus_span span = arus_span_at(&call->args[0], i);

        which[i] = ARUS_NULL_ROW;
        for (uint32_t j = span.begin; arus_bit_get(call->valid, i) && j < span.begin + span.count;
             j++) {
            if (arus_vector_is_valid(items, j) &&
                (which[i] == ARUS_NULL_ROW ||
                 arus_vector_compare(items, j, items, at[i]) * wanted > 0)) {
                which[i] = 0;
                at[i] = j;
            }
        }
    }
    picks.which = which;
    picks.at = at;
    return arus_vector_pick(&picks, call->expr->type, call->step, out, err);
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
    return arus_args_take(bind, "ass", err);
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

/* ---- rules ---- */

static enum arus_status bind_same(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "=A", err));
    bind->type = bind->args[0]->type;
    for (uint32_t i = 1; i < bind->arg_count; i++) {
        ARUS_TRY(arus_arg_take(bind, i, bind->function->takes, err));
    }
    return ARUS_OK;
}

static enum arus_status bind_sorted(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_strict = strcmp(bind->function->name, "array_sort") == 0;

    if (is_strict && bind->arg_count == 2) {
        return arus_bind_sort_by(bind, err);
    }
    if (is_strict && bind->args[0]->type->id == ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "an ARRAY", err);
    }
    ARUS_TRY(bind_same(bind, err));
    if (!arus_type_is_orderable(bind->type)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                            "`%.*s` cannot order %s", ARUS_TEXT_ARGS(bind->name),
                            arus_type_name(bind->type).text);
    }
    return ARUS_OK;
}

static enum arus_status bind_element_of(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->args[0]->type->id == ARUS_TYPE_VOID) {
        return arus_literal_null(&ARUS_VOID, bind->arena, &bind->replacement, err);
    }
    ARUS_TRY(bind_sorted(bind, err));
    bind->type = bind->type->fields[0].type;
    bind->is_nullable = true;
    return ARUS_OK;
}

static enum arus_status fail_arrays(const struct arus_bind *bind, struct arus_error *err)
{
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES",
                        "`%.*s` takes two arrays of one type, not %s and %s",
                        ARUS_TEXT_ARGS(bind->name), arus_type_name(bind->args[0]->type).text,
                        arus_type_name(bind->args[1]->type).text);
}

/* A text and something else at the same place: no common type here. */
static bool mixes_texts(const struct arus_type *a, const struct arus_type *b)
{
    if (a->id == ARUS_TYPE_VOID || b->id == ARUS_TYPE_VOID) {
        return false;
    }
    for (uint16_t f = 0; a->id == b->id && f < a->field_count && f < b->field_count; f++) {
        if (mixes_texts(a->fields[f].type, b->fields[f].type)) {
            return true;
        }
    }
    return (a->id == ARUS_TYPE_STRING) != (b->id == ARUS_TYPE_STRING);
}

static enum arus_status bind_two_arrays(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *a = bind->args[0]->type;
    const struct arus_type *b = bind->args[1]->type;
    const struct arus_type *common = NULL;

    if (a->id == ARUS_TYPE_ARRAY && b->id == ARUS_TYPE_ARRAY && !mixes_texts(a, b)) {
        common = arus_type_common(a, b, bind->is_ansi, bind->arena);
    }
    if (common == NULL) {
        return fail_arrays(bind, err);
    }
    bind->type = bind->function->name[5] == 's' ? &ARUS_BOOLEAN : common;
    ARUS_TRY(arus_arg_cast(bind, 0, common, err));
    return arus_arg_cast(bind, 1, common, err);
}

/* array and an element; `i` is the element's argument */
static enum arus_status common_element(struct arus_bind *bind, uint32_t i, struct arus_error *err)
{
    const struct arus_type *array = bind->args[0]->type;
    const struct arus_type *common =
        array->id != ARUS_TYPE_ARRAY ? NULL
                                     : arus_type_common(array->fields[0].type, bind->args[i]->type,
                                                        bind->is_ansi, bind->arena);
    if (common == NULL || mixes_texts(array->fields[0].type, bind->args[i]->type)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
                            "`%.*s` takes an array and one of its elements, not %s and %s",
                            ARUS_TEXT_ARGS(bind->name), arus_type_name(array).text,
                            arus_type_name(bind->args[i]->type).text);
    }
    ARUS_TRY(arus_type_array(common, true, bind->arena, &bind->type, err));
    ARUS_TRY(arus_arg_cast(bind, 0, bind->type, err));
    return arus_arg_cast(bind, i, common, err);
}

static enum arus_status bind_with_element(struct arus_bind *bind, struct arus_error *err)
{
    const char *name = bind->function->name;

    if (bind->args[0]->type->id != ARUS_TYPE_ARRAY && name[6] != 'r') { /* not array_remove */
        return arus_fail_input(bind, 0, "an ARRAY", err);
    }
    return common_element(bind, 1, err);
}

static enum arus_status bind_insert(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *position = bind->args[1];

    bind->args[1] = bind->args[2];
    bind->args[2] = position;
    ARUS_TRY(common_element(bind, 1, err));
    return arus_arg_take(bind, 2, "i", err);
}

static enum arus_status bind_repeat(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 1, "i", err));
    return arus_type_array(bind->args[0]->type, true, bind->arena, &bind->type, err);
}

/* The comparator that array_sort has without one, as Spark writes it. */
#define VARIABLE "namedlambdavariable()"
#define DEFAULT_ORDER                                                                              \
    "lambdafunction((IF(((" VARIABLE " IS NULL) AND (" VARIABLE " IS NULL)), 0, (IF((" VARIABLE    \
    " IS NULL), 1, (IF((" VARIABLE " IS NULL), -1, (IF((" VARIABLE " < " VARIABLE                  \
    "), -1, (IF((" VARIABLE " > " VARIABLE "), 1, 0)))))))))), " VARIABLE ", " VARIABLE ")"

#define ARRAY(name_, aliases_, flags_, min_, max_, takes_, bind_, kernel_, signature_, help_,      \
              example_, result_)                                                                   \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = flags_, .arg_min = min_, .arg_max = max_,     \
        .takes = takes_, .bind = bind_, .kernel = kernel_, .signature = signature_, .help = help_, \
        .example = example_, .result = result_                                                     \
    }

const struct arus_function ARUS_ARRAYS[] = {
    ARRAY("slice", NULL, ARUS_STRICT | ARUS_CAN_FAIL, 3, 3, "i", bind_same, kernel_slice,
          "slice(array, start, length)", "part of an array; start from 1, negative from the end",
          "slice(array(1, 2, 3), 2, 2)", "[2, 3]"),
    ARRAY("array_reverse", NULL, ARUS_STRICT, 1, 1, NULL, bind_same, kernel_backwards,
          "reverse(array)", "back to front", "reverse(array(1, 2))", "[2, 1]"),
    ARRAY("array_compact", NULL, ARUS_STRICT, 1, 1, NULL, bind_same, kernel_compact,
          "array_compact(array)", "without NULLs", "array_compact(array(1, NULL))", "[1]"),
    ARRAY("array_remove", NULL, ARUS_STRICT, 2, 2, NULL, bind_with_element, kernel_without,
          "array_remove(array, x)", "without the elements equal to x",
          "array_remove(array(1, 2, 1), 1)", "[2]"),
    {.name = "sort_array",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .takes = "o",
     .bind = bind_sorted,
     .kernel = kernel_sorted,
     .text = "sort_array($1, $2=true;)",
     .signature = "sort_array(array[, ascending])",
     .help = "in order, NULL first (last when descending)",
     .example = "sort_array(array(2, NULL, 1))",
     .result = "[null, 1, 2]"},
    {.name = "array_sort",
     .text = "array_sort($1, $2=" DEFAULT_ORDER ";)",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_sorted,
     .kernel = kernel_sorted,
     .lambda = arus_lambda_of_order,
     .lambda_args = 1 << 1,
     .signature = "array_sort(array[, (a, b) -> order])",
     .help = "in order, NULL last; or as the lambda says: below, equal to or above 0",
     .example = "array_sort(array(1, 3, 2), (a, b) -> b - a)",
     .result = "[3, 2, 1]"},
    ARRAY("array_distinct", NULL, ARUS_STRICT, 1, 1, NULL, bind_same, kernel_distinct,
          "array_distinct(array)", "each element once", "array_distinct(array(1, 1, 2))", "[1, 2]"),
    ARRAY("array_union", NULL, ARUS_STRICT, 2, 2, NULL, bind_two_arrays, kernel_set_union,
          "array_union(a, b)", "elements of either, once", "array_union(array(1, 2), array(2, 3))",
          "[1, 2, 3]"),
    ARRAY("array_intersect", NULL, ARUS_STRICT, 2, 2, NULL, bind_two_arrays, kernel_set_intersect,
          "array_intersect(a, b)", "elements of both, once",
          "array_intersect(array(1, 2), array(2, 3))", "[2]"),
    ARRAY("array_except", NULL, ARUS_STRICT, 2, 2, NULL, bind_two_arrays, kernel_set_except,
          "array_except(a, b)", "elements of a that are not in b, once",
          "array_except(array(1, 2), array(2, 3))", "[1]"),
    ARRAY("arrays_overlap", NULL, ARUS_STRICT, 2, 2, NULL, bind_two_arrays, kernel_overlap,
          "arrays_overlap(a, b) -> BOOLEAN", "have they an element in common?",
          "arrays_overlap(array(1, 2), array(2))", "true"),
    ARRAY("array_append", NULL, 0, 2, 2, NULL, bind_with_element, kernel_appended,
          "array_append(array, x)", "x at the end", "array_append(array(1), 2)", "[1, 2]"),
    ARRAY("array_prepend", NULL, 0, 2, 2, NULL, bind_with_element, kernel_appended,
          "array_prepend(array, x)", "x at the start", "array_prepend(array(1), 2)", "[2, 1]"),
    {.name = "array_insert",
     .flags = ARUS_CAN_FAIL,
     .arg_min = 3,
     .arg_max = 3,
     .bind = bind_insert,
     .kernel = kernel_inserted,
     .text = "array_insert($1, $3, $2)",
     .signature = "array_insert(array, position, x)",
     .help = "x at a position from 1, negative from the end",
     .example = "array_insert(array(1, 3), 2, 2)",
     .result = "[1, 2, 3]"},
    ARRAY("array_repeat", NULL, 0, 2, 2, NULL, bind_repeat, kernel_repeated, "array_repeat(x, n)",
          "x n times", "array_repeat('a', 2)", "[a, a]"),
    ARRAY("flatten", NULL, ARUS_STRICT, 1, 1, NULL, bind_flatten, kernel_flatten,
          "flatten(array of arrays)", "all elements in one array",
          "flatten(array(array(1), array(2, 3)))", "[1, 2, 3]"),
    ARRAY("array_max", NULL, ARUS_STRICT, 1, 1, NULL, bind_element_of, kernel_extreme,
          "array_max(array)", "its largest element", "array_max(array(1, NULL, 3))", "3"),
    ARRAY("array_min", NULL, ARUS_STRICT, 1, 1, NULL, bind_element_of, kernel_extreme,
          "array_min(array)", "its smallest element", "array_min(array(1, NULL, 3))", "1"),
    ARRAY("array_join", NULL, ARUS_STRICT, 2, 3, NULL, bind_join, kernel_join,
          "array_join(array, separator[, nulls])",
          "a text; without a text for NULL they are skipped",
          "array_join(array('a', NULL, 'b'), '-')", "a-b"),
    ARRAY("arrays_zip", NULL, ARUS_STRICT, 0, 255, NULL, bind_zip, kernel_zip,
          "arrays_zip(a, b, ..)", "the n-th elements side by side",
          "arrays_zip(array(1, 2), array('a'))", "[{1, a}, {2, null}]"),
    {0},
};
