/** listagg, string_agg: texts joined, in the order of arrival or of WITHIN GROUP (ORDER BY ..). */
#include "expr/aggregate_bytes.h"
#include "expr/coerce.h"
#include "expr/families.h"

/** What a call keeps. */
struct listing {
    struct arus_view separator;
    const struct arus_order *keys; /* [key_count] */
    uint32_t key_count;
};

/* ---- by arrival: the joined text is the state ---- */

static enum arus_status listagg_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const struct arus_view *separator = &((const struct listing *)call->expr->bound)->separator;

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct arus_bytes_state *state = (void *)arus_agg_state(call, i);
        struct arus_view view;

        if (!arus_agg_has(arg, i)) {
            continue;
        }
        view = arus_view_at(arg, i);
        if (state->count++ > 0) {
            ARUS_TRY(arus_bytes_append(state, separator->data, separator->size, call->heap, err));
        }
        ARUS_TRY(arus_bytes_append(state, view.data, view.size, call->heap, err));
    }
    return ARUS_OK;
}

static enum arus_status listagg_merge(const struct arus_agg_call *call, const unsigned char *from,
                                      size_t from_stride, uint32_t count, struct arus_error *err)
{
    const struct arus_view *separator = &((const struct listing *)call->expr->bound)->separator;

    for (uint32_t i = 0; i < count; i++) {
        const struct arus_bytes_state *more = (const void *)(from + i * from_stride);
        struct arus_bytes_state *state = (void *)arus_agg_state(call, i);

        if (more->count > 0 && state->count > 0) {
            ARUS_TRY(arus_bytes_append(state, separator->data, separator->size, call->heap, err));
        }
        ARUS_TRY(arus_bytes_append(state, more->bytes.data, more->bytes.size, call->heap, err));
        state->count += more->count;
    }
    return ARUS_OK;
}

static enum arus_status listagg_finish(const struct arus_expr *expr, const unsigned char *states,
                                       size_t stride, uint32_t count, struct arus_arena *step,
                                       struct arus_vector *out, struct arus_error *err)
{
    struct arus_strings strings = {.arena = step};

    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    for (uint32_t i = 0; i < count; i++) {
        const struct arus_bytes_state *state = (const void *)(states + i * stride);

        ARUS_TRY(arus_strings_add(&strings, state->bytes.data, state->bytes.size,
                                  (struct arus_view *)out->values + i, err));
        if (state->count == 0) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static const struct arus_aggregate LISTAGG = {.state_size = arus_bytes_size,
                                              .update = listagg_update,
                                              .merge = listagg_merge,
                                              .finish = listagg_finish,
                                              .views = arus_bytes_views};

/* ---- by keys: value and keys of each row, packed ---- */

static enum arus_status ordered_update(const struct arus_agg_call *call, struct arus_error *err)
{
    for (uint32_t i = 0; i < call->row_count; i++) {
        struct arus_bytes_state *state = (void *)arus_agg_state(call, i);

        if (!arus_agg_has(&call->args[0], i)) {
            continue;
        }
        for (uint32_t a = 0; a < call->expr->arg_count; a++) {
            ARUS_TRY(arus_bytes_pack(state, &call->args[a], i, call, err));
        }
        state->count++;
    }
    return ARUS_OK;
}

struct sorter {
    const struct listing *listing;
    struct arus_vector *columns; /* value, then keys */
    uint32_t *rows;
    uint32_t *scratch;
};

static enum arus_status unpack(const struct arus_expr *expr, const struct arus_bytes_state *state,
                               struct arus_arena *step, struct arus_vector *columns,
                               struct arus_error *err)
{
    const char *at = state->bytes.data;
    struct arus_agg_value *values;

    ARUS_TRY(ARUS_NEW(step, struct arus_agg_value, state->count * expr->arg_count, &values, err));
    for (uint64_t k = 0; k < state->count; k++) {
        for (uint32_t a = 0; a < expr->arg_count; a++) {
            values[a * state->count + k].packed.data = at;
            at = arus_pack_skip(expr->args[a]->type, at);
        }
    }
    for (uint32_t a = 0; a < expr->arg_count; a++) {
        ARUS_TRY(arus_agg_values_finish(expr->args[a]->type,
                                        (const void *)(values + a * state->count), sizeof *values,
                                        (uint32_t)state->count, step, &columns[a], err));
    }
    return ARUS_OK;
}

static int compare_rows(const struct sorter *sorter, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < sorter->listing->key_count; k++) {
        const struct arus_vector *key = &sorter->columns[k + 1];
        const bool has_a = arus_vector_is_valid(key, a);
        const bool has_b = arus_vector_is_valid(key, b);
        int order = arus_vector_compare(key, a, key, b);

        if (has_a != has_b) {
            return has_a == sorter->listing->keys[k].nulls_first ? 1 : -1;
        }
        if (order != 0) {
            order = order > 0 ? 1 : -1;
            return sorter->listing->keys[k].is_descending ? -order : order;
        }
    }
    return 0;
}

/* A merge sort: equal keys stay in the order of arrival. */
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
                    left >= middle || (right < end && compare_rows(sorter, sorter->rows[left],
                                                                   sorter->rows[right]) > 0);

                sorter->scratch[k] = sorter->rows[takes_right ? right++ : left++];
            }
        }
        memcpy(sorter->rows, sorter->scratch, count * sizeof *sorter->rows);
    }
}

static enum arus_status join_sorted(const struct sorter *sorter, uint32_t count,
                                    struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_view *separator = &sorter->listing->separator;

    for (uint32_t k = 0; k < count; k++) {
        const struct arus_view view = arus_view_at(&sorter->columns[0], sorter->rows[k]);

        if (k > 0) {
            ARUS_TRY(arus_buffer_append(out, separator->data, separator->size, err));
        }
        ARUS_TRY(arus_buffer_append(out, view.data, view.size, err));
    }
    return ARUS_OK;
}

static enum arus_status ordered_text(const struct arus_expr *expr,
                                     const struct arus_bytes_state *state, struct arus_arena *step,
                                     struct arus_buffer *out, struct arus_error *err)
{
    const uint32_t count = (uint32_t)state->count;
    struct sorter sorter = {.listing = expr->bound};

    ARUS_TRY(ARUS_NEW(step, struct arus_vector, expr->arg_count, &sorter.columns, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, count, &sorter.rows, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, count, &sorter.scratch, err));
    ARUS_TRY(unpack(expr, state, step, sorter.columns, err));
    for (uint32_t k = 0; k < count; k++) {
        sorter.rows[k] = k;
    }
    sort_rows(&sorter, count);
    return join_sorted(&sorter, count, out, err);
}

static enum arus_status ordered_finish(const struct arus_expr *expr, const unsigned char *states,
                                       size_t stride, uint32_t count, struct arus_arena *step,
                                       struct arus_vector *out, struct arus_error *err)
{
    struct arus_strings strings = {.arena = step};
    struct arus_buffer text = {0};
    enum arus_status status;

    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    status = arus_vector_need_validity(out, step, err);
    for (uint32_t i = 0; i < count && status == ARUS_OK; i++) {
        const struct arus_bytes_state *state = (const void *)(states + i * stride);

        text.size = 0;
        if (state->count == 0) {
            arus_bit_clear(out->validity, i);
        } else {
            status = ordered_text(expr, state, step, &text, err);
        }
        if (status == ARUS_OK) {
            status = arus_strings_add(&strings, text.data, text.size,
                                      (struct arus_view *)out->values + i, err);
        }
    }
    arus_buffer_release(&text);
    return status;
}

static const struct arus_aggregate ORDERED = {.state_size = arus_bytes_size,
                                              .update = ordered_update,
                                              .merge = arus_bytes_merge,
                                              .finish = ordered_finish,
                                              .views = arus_bytes_views};

/* ---- rules ---- */

static enum arus_status take_separator(struct arus_bind *bind, struct listing *listing,
                                       struct arus_error *err)
{
    struct arus_text separator = {0};
    const struct arus_expr *null;
    struct arus_vector value;
    bool is_found = true;

    if (bind->arg_count == 1) { /* for the text: listagg(x, NULL) */
        ARUS_TRY(arus_literal_null(&ARUS_VOID, bind->arena, &null, err));
        ARUS_TRY(arus_arg_append(bind, null, err));
    }
    if (bind->args[1]->type->id == ARUS_TYPE_BINARY ||
        bind->args[1]->type->id == ARUS_TYPE_STRING) {
        ARUS_TRY(arus_arg_constant(bind, 1, &value, &is_found, err));
    }
    if (!is_found) {
        return arus_fail_at(err, bind->args[1]->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "the separator must be a constant");
    }
    if (bind->args[1]->type->id != ARUS_TYPE_VOID) {
        ARUS_TRY(arus_arg_text(bind, 1, &separator, err));
    }
    listing->separator = arus_view_of(separator.data == NULL ? "" : separator.data, separator.size);
    return ARUS_OK;
}

/* The keys become arguments behind the value. */
static enum arus_status take_keys(struct arus_bind *bind, struct listing *listing,
                                  const struct arus_expr *value, struct arus_error *err)
{
    const struct arus_expr **args;

    if (bind->is_distinct &&
        (bind->order_count != 1 || !arus_expr_equal(bind->orders[0].expr, value))) {
        return arus_fail_at(err, bind->place,
                            "INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT",
                            "with DISTINCT the order must be that of the value itself");
    }
    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, bind->order_count + 1, &args, err));
    args[0] = bind->args[0];
    for (uint32_t k = 0; k < bind->order_count; k++) {
        args[k + 1] = bind->orders[k].expr;
    }
    listing->keys = bind->orders;
    listing->key_count = bind->order_count;
    bind->args = args;
    bind->arg_count = bind->order_count + 1;
    bind->aggregate = &ORDERED;
    return ARUS_OK;
}

static enum arus_status bind_listagg(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *value = bind->args[0];
    struct listing *listing;

    ARUS_TRY(ARUS_NEW(bind->arena, struct listing, 1, &listing, err));
    ARUS_TRY(arus_arg_take(bind, 0, "S", err));
    ARUS_TRY(take_separator(bind, listing, err));
    if (bind->order_count > 0) { /* Spark's own quirk: string_agg loses its name */
        bind->name = ARUS_TEXT("listagg");
    }
    ARUS_TRY(arus_orders_text(bind, true, err));
    bind->bound = listing;
    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    bind->arg_count = 1;
    return bind->order_count == 0 ? ARUS_OK : take_keys(bind, listing, value, err);
}

const struct arus_function ARUS_LISTAGGS[] = {
    {.name = "listagg",
     .aliases = "string_agg",
     .kind = ARUS_AGGREGATE,
     .arg_min = 1,
     .arg_max = 2,
     .order_max = 255,
     .bind = bind_listagg,
     .aggregate = &LISTAGG,
     .signature = "listagg(s[, separator]) [WITHIN GROUP (ORDER BY ..)]",
     .help = "all texts joined",
     .example = "listagg(x, ', ') WITHIN GROUP (ORDER BY x) FROM VALUES ('b'), ('a') AS t(x)",
     .result = "a, b"},
    {0},
};
