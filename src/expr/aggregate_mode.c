/** mode: the most frequent value. */
#include "expr/aggregate_bytes.h"
#include "expr/coerce.h"
#include "expr/families.h"
#include "expr/java_map.h"

#include <stdlib.h>

static enum arus_status mode_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct arus_bytes_state *state = (void *)arus_agg_state(call, i);

        if (arus_agg_has(arg, i)) {
            ARUS_TRY(arus_bytes_pack(state, arg, i, call, err));
            state->count++;
        }
    }
    return ARUS_OK;
}

struct packed {
    const char *bytes;
    size_t size;
    uint64_t place; /* of arrival */
    uint64_t times;
};

static int compare_bytes(const struct packed *a, const struct packed *b)
{
    const size_t size = a->size < b->size ? a->size : b->size;
    const int order = memcmp(a->bytes, b->bytes, size);

    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_packed(const void *left, const void *right)
{
    const struct packed *a = left;
    const struct packed *b = right;
    const int order = compare_bytes(a, b);

    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static int compare_places(const void *left, const void *right)
{
    const struct packed *a = left;
    const struct packed *b = right;

    return (a->place > b->place) - (a->place < b->place);
}

/* The different values with their numbers, as they came. */
static enum arus_status count_values(const struct arus_type *type,
                                     const struct arus_bytes_state *state, struct arus_arena *step,
                                     struct packed **out, uint64_t *out_count,
                                     struct arus_error *err)
{
    const char *at = state->bytes.data;
    struct packed *items;
    uint64_t count = 0;

    ARUS_TRY(ARUS_NEW(step, struct packed, state->count, &items, err));
    for (uint64_t k = 0; k < state->count; k++) {
        const char *end = arus_pack_skip(type, at);

        items[k] = (struct packed){at, (size_t)(end - at), k, 1};
        at = end;
    }
    qsort(items, state->count, sizeof *items, compare_packed);
    for (uint64_t k = 0; k < state->count; k++) {
        if (count > 0 && compare_bytes(&items[k], &items[count - 1]) == 0) {
            items[count - 1].times++;
        } else {
            items[count++] = items[k];
        }
    }
    qsort(items, count, sizeof *items, compare_places);
    *out = items;
    *out_count = count;
    return ARUS_OK;
}

/* The different values of a state as a vector. */
static enum arus_status unpack(const struct arus_type *type, const struct packed *items,
                               uint64_t count, struct arus_arena *step, struct arus_vector *out,
                               struct arus_error *err)
{
    struct arus_agg_value *values;

    ARUS_TRY(ARUS_NEW(step, struct arus_agg_value, count, &values, err));
    for (uint64_t k = 0; k < count; k++) {
        values[k].packed.data = items[k].bytes;
    }
    return arus_agg_values_finish(type, (const void *)values, sizeof *values, (uint32_t)count, step,
                                  out, err);
}

/* The smallest or the greatest of the most frequent values. */
static uint32_t extreme(const struct packed *items, uint64_t count,
                        const struct arus_vector *values, bool is_greatest)
{
    uint32_t best = 0;

    for (uint32_t k = 1; k < count; k++) {
        const int order = arus_vector_compare(values, k, values, best);

        if (items[k].times > items[best].times ||
            (items[k].times == items[best].times && (is_greatest ? order > 0 : order < 0))) {
            best = k;
        }
    }
    return best;
}

/* What `mode` takes when several values are equally frequent. */
enum tie { TIE_MAP, TIE_SMALLEST, TIE_GREATEST };

static enum arus_status most_frequent(const struct arus_expr *expr,
                                      const struct arus_bytes_state *state, struct arus_arena *step,
                                      const char **out, struct arus_error *err)
{
    const enum tie tie = *(const enum tie *)expr->bound;
    struct packed *items;
    struct arus_vector values;
    uint64_t *times;
    uint64_t count;
    uint32_t best;

    *out = NULL;
    if (state->count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(count_values(expr->type, state, step, &items, &count, err));
    ARUS_TRY(unpack(expr->type, items, count, step, &values, err));
    if (tie == TIE_MAP) {
        ARUS_TRY(ARUS_NEW(step, uint64_t, count, &times, err));
        for (uint64_t k = 0; k < count; k++) {
            times[k] = items[k].times;
        }
        ARUS_TRY(arus_java_map_most(&values, times, step, &best, err));
    } else {
        best = extreme(items, count, &values, tie == TIE_GREATEST);
    }
    *out = items[best].bytes;
    return ARUS_OK;
}

static enum arus_status mode_finish(const struct arus_expr *expr, const unsigned char *states,
                                    size_t stride, uint32_t count, struct arus_arena *step,
                                    struct arus_vector *out, struct arus_error *err)
{
    struct arus_agg_value *values;

    ARUS_TRY(ARUS_NEW(step, struct arus_agg_value, count, &values, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(most_frequent(expr, (const void *)(states + i * stride), step,
                               &values[i].packed.data, err));
    }
    return arus_agg_values_finish(expr->type, (const void *)values, sizeof *values, count, step,
                                  out, err);
}

static const struct arus_aggregate MODE = {.state_size = arus_bytes_size,
                                           .update = mode_update,
                                           .merge = arus_bytes_merge,
                                           .finish = mode_finish,
                                           .views = arus_bytes_views};

/* mode(x, true) is mode() WITHIN GROUP (ORDER BY x); Spark writes that with the orders swapped. */
static enum arus_status order_text(struct arus_bind *bind, const struct arus_expr *value,
                                   bool is_up, struct arus_error *err)
{
    struct arus_order order = {.expr = value, .is_descending = is_up};
    struct arus_bind only = *bind;

    only.arg_count = 0;
    only.orders = &order;
    only.order_count = 1;
    ARUS_TRY(arus_orders_text(&only, false, err));
    bind->text = only.text;
    return ARUS_OK;
}

static enum arus_status bind_flag(struct arus_bind *bind, bool *is_fixed, struct arus_error *err)
{
    struct arus_vector flag;
    bool is_found;

    ARUS_TRY(arus_arg_take(bind, 1, "o", err));
    ARUS_TRY(arus_arg_constant(bind, 1, &flag, &is_found, err));
    if (!is_found) {
        return arus_fail_at(err, bind->args[1]->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "`mode` takes a constant: is the result fixed among equals?");
    }
    *is_fixed = arus_vector_is_valid(&flag, 0) && arus_boolean_at(&flag, 0);
    return ARUS_OK;
}

static enum arus_status bind_mode(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr **args;
    enum tie *tie;
    bool is_fixed = false;

    ARUS_TRY(ARUS_NEW(bind->arena, enum tie, 1, &tie, err));
    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, 1, &args, err));
    if (bind->arg_count == 0) {
        ARUS_TRY(arus_orders_take(bind, 1, 1, err));
        args[0] = bind->orders[0].expr;
        *tie = bind->orders[0].is_descending ? TIE_GREATEST : TIE_SMALLEST;
    } else {
        ARUS_TRY(arus_orders_take(bind, 0, 0, err));
        args[0] = bind->args[0];
        if (bind->arg_count == 2) {
            ARUS_TRY(bind_flag(bind, &is_fixed, err));
        }
        *tie = is_fixed ? TIE_SMALLEST : TIE_MAP;
    }
    if (*tie != TIE_MAP && !arus_type_is_orderable(args[0]->type)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                            "`mode` cannot order %s", arus_type_name(args[0]->type).text);
    }
    if (*tie != TIE_MAP) {
        ARUS_TRY(order_text(bind, args[0], *tie == TIE_SMALLEST, err));
    }
    bind->bound = tie;
    bind->args = args;
    bind->arg_count = 1;
    bind->type = args[0]->type;
    bind->is_nullable = true;
    return ARUS_OK;
}

const struct arus_function ARUS_MODES[] = {
    {.name = "mode",
     .kind = ARUS_AGGREGATE,
     .arg_min = 0,
     .arg_max = 2,
     .order_max = 255,
     .bind = bind_mode,
     .aggregate = &MODE,
     .signature = "mode(x[, deterministic]) or mode() WITHIN GROUP (ORDER BY x [DESC])",
     .help = "the most frequent value",
     .example = "mode(x) FROM VALUES (1), (2), (2) AS t(x)",
     .result = "2"},
    {0},
};
