/** Higher-order functions of arrays whose elements do not depend on each other. The body of a
 * lambda runs over the elements of all rows at once. */
#include "expr/lambda.h"

#include "expr/families.h"

/* ---- elements ---- */

enum arus_status arus_elements_init(struct arus_elements *elements,
                                    const struct arus_kernel_call *call,
                                    const struct arus_vector *list, struct arus_error *err)
{
    uint32_t count = 0;
    uint32_t next = 0;

    for (uint32_t i = 0; i < call->row_count; i++) {
        count += arus_bit_get(call->valid, i) ? arus_span_at(list, i).count : 0;
    }
    *elements = (struct arus_elements){.count = count};
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, count, &elements->rows, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, count, &elements->at, err));
    ARUS_TRY(ARUS_NEW(call->step, int32_t, count, &elements->positions, err));
    ARUS_TRY(ARUS_NEW(call->step, struct arus_span, call->row_count, &elements->spans, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const struct arus_span span =
            arus_bit_get(call->valid, i) ? arus_span_at(list, i) : (struct arus_span){0};

        elements->spans[i] = (struct arus_span){next, span.count};
        for (uint32_t j = 0; j < span.count; j++, next++) {
            elements->rows[next] = i;
            elements->at[next] = span.begin + j;
            elements->positions[next] = (int32_t)j;
        }
    }
    return ARUS_OK;
}

static bool is_all_in_order(const struct arus_elements *elements, const struct arus_vector *child)
{
    if (child->row_count != elements->count) {
        return false;
    }
    for (uint32_t e = 0; e < elements->count; e++) {
        if (elements->at[e] != e) {
            return false;
        }
    }
    return true;
}

enum arus_status arus_elements_take(const struct arus_elements *elements,
                                    const struct arus_kernel_call *call,
                                    const struct arus_vector *child, struct arus_vector *out,
                                    struct arus_error *err)
{
    if (is_all_in_order(elements, child)) {
        *out = *child;
        return ARUS_OK;
    }
    return arus_vector_slice(child, elements->at, elements->count, call->step, out, err);
}

void arus_vector_of_ints(struct arus_vector *vector, const struct arus_type *type, int32_t *values,
                         uint32_t count)
{
    *vector = (struct arus_vector){.type = type, .row_count = count, .values = values};
}

/* ---- rules ---- */

enum arus_status arus_lambda_takes(const struct arus_bind *bind, uint32_t i, enum arus_type_id id,
                                   struct arus_error *err)
{
    if (bind->args[i]->type->id != id) {
        return arus_fail_input(bind, i, id == ARUS_TYPE_ARRAY ? "an ARRAY" : "a MAP", err);
    }
    return ARUS_OK;
}

enum arus_status arus_lambda_cast_null(struct arus_bind *bind, uint32_t i,
                                       const struct arus_type *type, struct arus_error *err)
{
    const struct arus_expr *lambda = bind->args[i];
    struct arus_expr *copy;

    if (lambda->type->id != ARUS_TYPE_VOID || type->id == ARUS_TYPE_VOID) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_expr, 1, &copy, err));
    *copy = *lambda;
    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, copy->arg_count, &copy->args, err));
    memcpy((void *)copy->args, (const void *)lambda->args, copy->arg_count * sizeof *copy->args);
    ARUS_TRY(
        arus_cast_implicit(lambda->args[0], type, bind->is_ansi, bind->arena, &copy->args[0], err));
    copy->type = type;
    bind->args[i] = copy;
    return ARUS_OK;
}

enum arus_status arus_lambda_is_condition(struct arus_bind *bind, uint32_t i,
                                          struct arus_error *err)
{
    ARUS_TRY(arus_lambda_cast_null(bind, i, &ARUS_BOOLEAN, err));
    if (bind->args[i]->type->id != ARUS_TYPE_BOOLEAN) {
        return arus_fail_input(bind, i, "a lambda that gives BOOLEAN", err);
    }
    return ARUS_OK;
}

enum arus_status arus_lambda_of_array(struct arus_bind *bind, uint32_t i,
                                      struct arus_lambda_shape *out, struct arus_error *err)
{
    const bool has_position = strcmp(bind->function->name, "transform") == 0 ||
                              strcmp(bind->function->name, "filter") == 0;
    const struct arus_type *type = bind->args[0]->type;

    (void)i;
    ARUS_TRY(arus_lambda_takes(bind, 0, ARUS_TYPE_ARRAY, err));
    out->count_min = 1;
    out->count_max = has_position ? 2 : 1;
    out->variables[0].type = type->fields[0].type;
    out->variables[0].is_nullable = type->fields[0].is_nullable;
    out->variables[1].type = &ARUS_INT;
    out->variables[1].is_nullable = false;
    return ARUS_OK;
}

enum arus_status arus_lambda_of_map(struct arus_bind *bind, uint32_t i,
                                    struct arus_lambda_shape *out, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    (void)i;
    ARUS_TRY(arus_lambda_takes(bind, 0, ARUS_TYPE_MAP, err));
    out->count_min = 2;
    out->count_max = 2;
    out->variables[0].type = type->fields[0].type;
    out->variables[0].is_nullable = false;
    out->variables[1].type = type->fields[1].type;
    out->variables[1].is_nullable = type->fields[1].is_nullable;
    return ARUS_OK;
}

/* ---- transform and filter ---- */

static enum arus_status run_elements(const struct arus_kernel_call *call,
                                     const struct arus_elements *elements, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    struct arus_vector variables[2];

    ARUS_TRY(arus_elements_take(elements, call, &call->args[0].children[0], &variables[0], err));
    arus_vector_of_ints(&variables[1], &ARUS_INT, elements->positions, elements->count);
    return arus_lambda_run(call, 1, variables, elements->rows, elements->count, out, bad_row, err);
}

static enum arus_status kernel_transform(const struct arus_kernel_call *call,
                                         struct arus_vector *out, uint32_t *bad_row,
                                         struct arus_error *err)
{
    struct arus_elements elements;
    struct arus_vector results;

    ARUS_TRY(arus_elements_init(&elements, call, &call->args[0], err));
    ARUS_TRY(run_elements(call, &elements, &results, bad_row, err));
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    out->values = elements.spans;
    return arus_vector_flatten(&results, call->step, &out->children[0], err);
}

static enum arus_status bind_transform(struct arus_bind *bind, struct arus_error *err)
{
    return arus_type_array(bind->args[1]->type, bind->args[1]->is_nullable, bind->arena,
                           &bind->type, err);
}

static enum arus_status kernel_filter(const struct arus_kernel_call *call, struct arus_vector *out,
                                      uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_vector *sources[1] = {&call->args[0].children[0]};
    struct arus_elements elements;
    struct arus_list_picker picker;
    struct arus_vector kept;

    ARUS_TRY(arus_elements_init(&elements, call, &call->args[0], err));
    ARUS_TRY(run_elements(call, &elements, &kept, bad_row, err));
    ARUS_TRY(arus_picker_init(&picker, call, call->expr->type, out, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const struct arus_span span = elements.spans[i];

        for (uint32_t e = span.begin; e < span.begin + span.count; e++) {
            if (arus_truth_at(&kept, e) == 1) {
                ARUS_TRY(arus_picker_add(&picker, 0, elements.at[e], err));
            }
        }
        arus_picker_row(&picker, i);
    }
    return arus_picker_finish(&picker, sources, 1, 0, out, err);
}

static enum arus_status bind_filter(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = bind->args[0]->type;
    return arus_lambda_is_condition(bind, 1, err);
}

/* ---- exists and forall ---- */

struct search {
    const struct arus_kernel_call *call;
    struct arus_vector *out;
    uint8_t wanted; /* the first element with it decides a row */
    uint32_t *rows; /* [count] rows that are open */
    uint32_t count;
};

/* What is found for elements of some rows, which then are decided or stay open. */
static enum arus_status note(struct search *search, uint32_t row, uint8_t truth,
                             struct arus_error *err)
{
    uint8_t *values = search->out->values;

    if (truth == search->wanted) {
        values[row] = search->wanted;
        if (search->out->validity != NULL) {
            arus_bit_set(search->out->validity, row);
        }
    } else if (truth == 2 && values[row] != search->wanted) {
        ARUS_TRY(arus_vector_need_validity(search->out, search->call->step, err));
        arus_bit_clear(search->out->validity, row);
    }
    return ARUS_OK;
}

/* All elements at once, where the body cannot fail. */
static enum arus_status search_all(struct search *search, uint32_t *bad_row, struct arus_error *err)
{
    struct arus_elements elements;
    struct arus_vector results;

    ARUS_TRY(arus_elements_init(&elements, search->call, &search->call->args[0], err));
    ARUS_TRY(run_elements(search->call, &elements, &results, bad_row, err));
    for (uint32_t e = 0; e < elements.count; e++) {
        ARUS_TRY(note(search, elements.rows[e], arus_truth_at(&results, e), err));
    }
    return ARUS_OK;
}

/* Keeps the rows that have an element `position` and are not decided. */
static void keep_open(struct search *search, uint32_t position)
{
    const uint8_t *values = search->out->values;
    uint32_t kept = 0;

    for (uint32_t k = 0; k < search->count; k++) {
        const uint32_t row = search->rows[k];

        if (values[row] != search->wanted &&
            arus_span_at(&search->call->args[0], row).count > position) {
            search->rows[kept++] = row;
        }
    }
    search->count = kept;
}

/* The first elements of all rows, then the second of those that are open, and so on: an element
 * behind the one that decides must not fail. */
static enum arus_status search_in_turn(struct search *search, uint32_t *bad_row,
                                       struct arus_error *err)
{
    const struct arus_kernel_call *call = search->call;
    uint32_t *at;

    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &at, err));
    for (uint32_t position = 0;; position++) {
        struct arus_vector element;
        struct arus_vector results;

        keep_open(search, position);
        if (search->count == 0) {
            return ARUS_OK;
        }
        for (uint32_t k = 0; k < search->count; k++) {
            at[k] = arus_span_at(&call->args[0], search->rows[k]).begin + position;
        }
        ARUS_TRY(arus_vector_slice(&call->args[0].children[0], at, search->count, call->step,
                                   &element, err));
        ARUS_TRY(arus_lambda_run(call, 1, &element, search->rows, search->count, &results, bad_row,
                                 err));
        for (uint32_t k = 0; k < search->count; k++) {
            ARUS_TRY(note(search, search->rows[k], arus_truth_at(&results, k), err));
        }
    }
}

static enum arus_status kernel_search(const struct arus_kernel_call *call, struct arus_vector *out,
                                      uint32_t *bad_row, struct arus_error *err)
{
    struct search search = {
        .call = call, .out = out, .wanted = call->expr->function->name[0] == 'e'};

    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, call->row_count, call->step, err));
    memset(out->values, !search.wanted, call->row_count);
    if (!arus_expr_can_fail(call->expr->args[1])) {
        return search_all(&search, bad_row, err);
    }
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &search.rows, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i)) {
            search.rows[search.count++] = i;
        }
    }
    return search_in_turn(&search, bad_row, err);
}

static enum arus_status bind_search(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_BOOLEAN;
    bind->is_nullable = true;
    return arus_lambda_is_condition(bind, 1, err);
}

/* ---- zip_with ---- */

/* The child of one array at position j of each row, null where it has no such element. */
static enum arus_status zip_side(const struct arus_kernel_call *call, uint32_t arg,
                                 const struct arus_elements *pairs, struct arus_vector *out,
                                 struct arus_error *err)
{
    const struct arus_vector *array = &call->args[arg];
    const struct arus_vector *sources[1] = {&array->children[0]};
    struct arus_picks picks = {.sources = sources, .source_count = 1, .row_count = pairs->count};
    uint32_t *which;
    uint32_t *at;

    ARUS_TRY(ARUS_NEW(call->step, uint32_t, pairs->count, &which, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, pairs->count, &at, err));
    for (uint32_t e = 0; e < pairs->count; e++) {
        const struct arus_span span = arus_span_at(array, pairs->rows[e]);
        const uint32_t j = (uint32_t)pairs->positions[e];

        which[e] = j < span.count ? 0 : ARUS_NULL_ROW;
        at[e] = j < span.count ? span.begin + j : 0;
    }
    picks.which = which;
    picks.at = at;
    return arus_vector_pick(&picks, sources[0]->type, call->step, out, err);
}

static enum arus_status kernel_zip_with(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    struct arus_vector longest = {.type = &ARUS_INT, .row_count = call->row_count};
    struct arus_span *spans;
    struct arus_elements pairs;
    struct arus_vector variables[2];
    struct arus_vector results;

    ARUS_TRY(ARUS_NEW(call->step, struct arus_span, call->row_count, &spans, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const uint32_t a = arus_span_at(&call->args[0], i).count;
        const uint32_t b = arus_span_at(&call->args[1], i).count;

        spans[i].count = a > b ? a : b;
    }
    longest.values = spans;
    ARUS_TRY(arus_elements_init(&pairs, call, &longest, err));
    ARUS_TRY(zip_side(call, 0, &pairs, &variables[0], err));
    ARUS_TRY(zip_side(call, 1, &pairs, &variables[1], err));
    ARUS_TRY(arus_lambda_run(call, 2, variables, pairs.rows, pairs.count, &results, bad_row, err));
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    out->values = pairs.spans;
    return arus_vector_flatten(&results, call->step, &out->children[0], err);
}

static enum arus_status lambda_of_pair(struct arus_bind *bind, uint32_t i,
                                       struct arus_lambda_shape *out, struct arus_error *err)
{
    (void)i;
    out->count_min = 2;
    out->count_max = 2;
    for (uint32_t a = 0; a < 2; a++) {
        ARUS_TRY(arus_lambda_takes(bind, a, ARUS_TYPE_ARRAY, err));
        out->variables[a].type = bind->args[a]->type->fields[0].type;
        out->variables[a].is_nullable = true;
    }
    return ARUS_OK;
}

static enum arus_status bind_zip_with(struct arus_bind *bind, struct arus_error *err)
{
    bind->is_nullable = bind->args[0]->is_nullable || bind->args[1]->is_nullable;
    return arus_type_array(bind->args[2]->type, bind->args[2]->is_nullable, bind->arena,
                           &bind->type, err);
}

const struct arus_function ARUS_LAMBDAS[] = {
    {.name = "transform",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_transform,
     .kernel = kernel_transform,
     .lambda = arus_lambda_of_array,
     .lambda_args = 1 << 1,
     .signature = "transform(array, x -> value) or transform(array, (x, position) -> value)",
     .help = "each element as the lambda turns it",
     .example = "transform(array(1, 2, 3), x -> x * 10)",
     .result = "[10, 20, 30]"},
    {.name = "filter",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_filter,
     .kernel = kernel_filter,
     .lambda = arus_lambda_of_array,
     .lambda_args = 1 << 1,
     .signature = "filter(array, x -> condition) or filter(array, (x, position) -> condition)",
     .help = "the elements for which the lambda is true",
     .example = "filter(array(1, 2, 3), x -> x > 1)",
     .result = "[2, 3]"},
    {.name = "exists",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_search,
     .kernel = kernel_search,
     .lambda = arus_lambda_of_array,
     .lambda_args = 1 << 1,
     .signature = "exists(array, x -> condition) -> BOOLEAN",
     .help = "true for one element? NULL if none but one is unknown",
     .example = "exists(array(1, 2, 3), x -> x > 2)",
     .result = "true"},
    {.name = "forall",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_search,
     .kernel = kernel_search,
     .lambda = arus_lambda_of_array,
     .lambda_args = 1 << 1,
     .signature = "forall(array, x -> condition) -> BOOLEAN",
     .help = "true for all elements? NULL if so but for unknown ones",
     .example = "forall(array(1, 2, 3), x -> x > 2)",
     .result = "false"},
    {.name = "zip_with",
     .flags = ARUS_STRICT,
     .arg_min = 3,
     .arg_max = 3,
     .bind = bind_zip_with,
     .kernel = kernel_zip_with,
     .lambda = lambda_of_pair,
     .lambda_args = 1 << 2,
     .signature = "zip_with(a, b, (x, y) -> value)",
     .help = "two arrays element by element; the shorter one is filled with NULL",
     .example = "zip_with(array(1, 2), array(3, 4), (x, y) -> x * y)",
     .result = "[3, 8]"},
    {0},
};
