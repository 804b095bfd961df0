/** Arrays as sets: NULL is one value, -0.0 is 0.0. */
#include "expr/collection.h"
#include "expr/families.h"
#include "expr/rowwise.h"

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

#define SET_PICKS(name)                                                                            \
    static enum arus_status kernel_##name(const struct arus_kernel_call *call,                     \
                                          struct arus_vector *out, uint32_t *bad_row,              \
                                          struct arus_error *err)                                  \
    {                                                                                              \
        ARUS_TRY(arus_picks_run(call, name, out, bad_row, err));                                   \
        plain_zeros(out->children);                                                                \
        return ARUS_OK;                                                                            \
    }

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
    const struct arus_span span = arus_picker_span(picker, arg, i);
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
    const struct arus_span span = arus_picker_span(picker, arg, i);

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

static enum arus_status fail_arrays(const struct arus_bind *bind, struct arus_error *err)
{
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES",
                        "`%.*s` takes two arrays of one type, not %s and %s",
                        ARUS_TEXT_ARGS(bind->name), arus_type_name(bind->args[0]->type).text,
                        arus_type_name(bind->args[1]->type).text);
}

static enum arus_status bind_two_arrays(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *a = bind->args[0]->type;
    const struct arus_type *b = bind->args[1]->type;
    const struct arus_type *common = NULL;

    if (a->id == ARUS_TYPE_ARRAY && b->id == ARUS_TYPE_ARRAY && !arus_types_mix_texts(a, b)) {
        common = arus_type_common(a, b, bind->is_ansi, bind->arena);
    }
    if (common == NULL) {
        return fail_arrays(bind, err);
    }
    bind->type = bind->function->name[5] == 's' ? &ARUS_BOOLEAN : common;
    ARUS_TRY(arus_arg_cast(bind, 0, common, err));
    return arus_arg_cast(bind, 1, common, err);
}

const struct arus_function ARUS_ARRAY_SETS[] = {
    ARUS_ARRAY("array_distinct", NULL, ARUS_STRICT, 1, 1, NULL, arus_bind_array, kernel_distinct,
               "array_distinct(array)", "each element once", "array_distinct(array(1, 1, 2))",
               "[1, 2]"),
    ARUS_ARRAY("array_union", NULL, ARUS_STRICT, 2, 2, NULL, bind_two_arrays, kernel_set_union,
               "array_union(a, b)", "elements of either, once",
               "array_union(array(1, 2), array(2, 3))", "[1, 2, 3]"),
    ARUS_ARRAY("array_intersect", NULL, ARUS_STRICT, 2, 2, NULL, bind_two_arrays,
               kernel_set_intersect, "array_intersect(a, b)", "elements of both, once",
               "array_intersect(array(1, 2), array(2, 3))", "[2]"),
    ARUS_ARRAY("array_except", NULL, ARUS_STRICT, 2, 2, NULL, bind_two_arrays, kernel_set_except,
               "array_except(a, b)", "elements of a that are not in b, once",
               "array_except(array(1, 2), array(2, 3))", "[1]"),
    ARUS_ARRAY("arrays_overlap", NULL, ARUS_STRICT, 2, 2, NULL, bind_two_arrays, kernel_overlap,
               "arrays_overlap(a, b) -> BOOLEAN", "have they an element in common?",
               "arrays_overlap(array(1, 2), array(2))", "true"),
    {0},
};
