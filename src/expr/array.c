/** Functions of arrays: order, parts, sets, joining. */
#include "expr/collection.h"
#include "expr/extreme.h"
#include "expr/families.h"
#include "expr/lambda_sort.h"

static enum arus_status slice(struct arus_list_picker *picker, uint32_t i, struct arus_error *err)
{
    const struct arus_span span = arus_picker_span(picker, 0, i);
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
ARUS_PICKS(slice)

static enum arus_status backwards(struct arus_list_picker *picker, uint32_t i,
                                  struct arus_error *err)
{
    const struct arus_span span = arus_picker_span(picker, 0, i);

    for (uint32_t j = span.count; j > 0; j--) {
        ARUS_TRY(arus_picker_add(picker, 0, span.begin + j - 1, err));
    }
    return ARUS_OK;
}
ARUS_PICKS(backwards)

static enum arus_status compact(struct arus_list_picker *picker, uint32_t i, struct arus_error *err)
{
    const struct arus_span span = arus_picker_span(picker, 0, i);

    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (arus_vector_is_valid(&picker->call->args[0].children[0], j)) {
            ARUS_TRY(arus_picker_add(picker, 0, j, err));
        }
    }
    return ARUS_OK;
}
ARUS_PICKS(compact)

static enum arus_status without(struct arus_list_picker *picker, uint32_t i, struct arus_error *err)
{
    const struct arus_span span = arus_picker_span(picker, 0, i);
    const struct arus_vector *items = &picker->call->args[0].children[0];

    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (!arus_vector_is_valid(items, j) ||
            arus_vector_compare(items, j, &picker->call->args[1], i) != 0) {
            ARUS_TRY(arus_picker_add(picker, 0, j, err));
        }
    }
    return ARUS_OK;
}
ARUS_PICKS(without)

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
    const struct arus_span span = arus_picker_span(picker, 0, i);
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
ARUS_PICKS(sorted)

/* ---- adding elements ---- */

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
        return arus_picker_add_span(picker, 0, arus_picker_span(picker, 0, i), err);
    }
    ARUS_TRY(arus_picker_add_span(picker, 0, arus_picker_span(picker, 0, i), err));
    return arus_picker_add(picker, 1, i, err);
}

static enum arus_status kernel_appended(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    ARUS_TRY(arus_picks_run(call, appended, out, bad_row, err));
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
    span = arus_picker_span(picker, 0, i);
    position = arus_int_at(&call->args[2], i);
    if (position == 0) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_INDEX_OF_ZERO",
                         "the index 0 is invalid: positions count from 1");
    }
    if (position < 0 && -position > (int64_t)span.count + 1) { /* before the start */
        ARUS_TRY(arus_picker_add(picker, 1, i, err));
        ARUS_TRY(add_nulls(picker, -position - span.count - 1, err));
        return arus_picker_add_span(picker, 0, span, err);
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
    ARUS_TRY(arus_picks_run(call, inserted, out, bad_row, err));
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
    ARUS_TRY(arus_picks_run(&one, repeated, out, bad_row, err));
    return set_null(out, &call->args[1], call->step, err);
}

/* ---- one element out ---- */

/* Elements without nulls; a list without elements gives NULL. */
static enum arus_status extremes_of_words(const struct arus_kernel_call *call, bool wants_greatest,
                                          struct arus_vector *out, struct arus_error *err)
{
    const struct arus_span *spans = call->args[0].values;
    bool has_empty = false;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        has_empty |= spans[i].count == 0;
    }
    memset(out->values, 0, (size_t)call->row_count * arus_type_value_size(out->type));
    if (has_empty) {
        ARUS_TRY(arus_vector_need_validity(out, call->step, err));
        for (uint32_t i = 0; i < call->row_count; i++) {
            if (spans[i].count == 0) {
                arus_bit_clear(out->validity, i);
            }
        }
    }
    arus_extreme_of_spans(&call->args[0].children[0], spans, call->valid, wants_greatest,
                          call->row_count, out->values);
    return ARUS_OK;
}

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
    if (arus_extreme_knows(items->type) && items->validity == NULL &&
        items->form == ARUS_VECTOR_FLAT && call->args[0].form == ARUS_VECTOR_FLAT) {
        return extremes_of_words(call, wanted > 0, out, err);
    }
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

/* ---- rules ---- */

enum arus_status arus_bind_array(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "=A", err));
    bind->type = bind->args[0]->type;
    for (uint32_t i = 1; i < bind->arg_count; i++) {
        ARUS_TRY(arus_arg_take(bind, i, bind->function->takes, err));
    }
    return ARUS_OK;
}

enum arus_status arus_bind_ordered_array(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_strict = strcmp(bind->function->name, "array_sort") == 0;

    if (is_strict && bind->arg_count == 2) {
        return arus_bind_sort_by(bind, err);
    }
    if (is_strict && bind->args[0]->type->id == ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "an ARRAY", err);
    }
    ARUS_TRY(arus_bind_array(bind, err));
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
    ARUS_TRY(arus_bind_ordered_array(bind, err));
    bind->type = bind->type->fields[0].type;
    bind->is_nullable = true;
    return ARUS_OK;
}

/* A text and something else at the same place: no common type here. */
bool arus_types_mix_texts(const struct arus_type *a, const struct arus_type *b)
{
    if (a->id == ARUS_TYPE_VOID || b->id == ARUS_TYPE_VOID) {
        return false;
    }
    for (uint16_t f = 0; a->id == b->id && f < a->field_count && f < b->field_count; f++) {
        if (arus_types_mix_texts(a->fields[f].type, b->fields[f].type)) {
            return true;
        }
    }
    return (a->id == ARUS_TYPE_STRING) != (b->id == ARUS_TYPE_STRING);
}

/* array and an element; `i` is the element's argument */
static enum arus_status common_element(struct arus_bind *bind, uint32_t i, struct arus_error *err)
{
    const struct arus_type *array = bind->args[0]->type;
    const struct arus_type *common =
        array->id != ARUS_TYPE_ARRAY ? NULL
                                     : arus_type_common(array->fields[0].type, bind->args[i]->type,
                                                        bind->is_ansi, bind->arena);
    if (common == NULL || arus_types_mix_texts(array->fields[0].type, bind->args[i]->type)) {
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
    ARUS_TRY(arus_arg_take(bind, 2, "=I", err)); /* no text, no fraction */
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

const struct arus_function ARUS_ARRAYS[] = {
    ARUS_ARRAY("slice", NULL, ARUS_STRICT | ARUS_CAN_FAIL, 3, 3, "i", arus_bind_array, kernel_slice,
               "slice(array, start, length)",
               "part of an array; start from 1, negative from the end",
               "slice(array(1, 2, 3), 2, 2)", "[2, 3]"),
    ARUS_ARRAY("array_reverse", NULL, ARUS_STRICT, 1, 1, NULL, arus_bind_array, kernel_backwards,
               "reverse(array)", "back to front", "reverse(array(1, 2))", "[2, 1]"),
    ARUS_ARRAY("array_compact", NULL, ARUS_STRICT, 1, 1, NULL, arus_bind_array, kernel_compact,
               "array_compact(array)", "without NULLs", "array_compact(array(1, NULL))", "[1]"),
    ARUS_ARRAY("array_remove", NULL, ARUS_STRICT, 2, 2, NULL, bind_with_element, kernel_without,
               "array_remove(array, x)", "without the elements equal to x",
               "array_remove(array(1, 2, 1), 1)", "[2]"),
    {.name = "sort_array",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .takes = "o",
     .bind = arus_bind_ordered_array,
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
     .bind = arus_bind_ordered_array,
     .kernel = kernel_sorted,
     .lambda = arus_lambda_of_order,
     .lambda_args = 1 << 1,
     .signature = "array_sort(array[, (a, b) -> order])",
     .help = "in order, NULL last; or as the lambda says: below, equal to or above 0",
     .example = "array_sort(array(1, 3, 2), (a, b) -> b - a)",
     .result = "[3, 2, 1]"},
    ARUS_ARRAY("array_append", NULL, 0, 2, 2, NULL, bind_with_element, kernel_appended,
               "array_append(array, x)", "x at the end", "array_append(array(1), 2)", "[1, 2]"),
    ARUS_ARRAY("array_prepend", NULL, 0, 2, 2, NULL, bind_with_element, kernel_appended,
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
    ARUS_ARRAY("array_repeat", NULL, 0, 2, 2, NULL, bind_repeat, kernel_repeated,
               "array_repeat(x, n)", "x n times", "array_repeat('a', 2)", "[a, a]"),
    ARUS_ARRAY("array_max", NULL, ARUS_STRICT, 1, 1, NULL, bind_element_of, kernel_extreme,
               "array_max(array)", "its largest element", "array_max(array(1, NULL, 3))", "3"),
    ARUS_ARRAY("array_min", NULL, ARUS_STRICT, 1, 1, NULL, bind_element_of, kernel_extreme,
               "array_min(array)", "its smallest element", "array_min(array(1, NULL, 3))", "1"),
    {0},
};
