/** percentile, median, percentile_cont, percentile_disc: all values as DOUBLE, selected from at
 * the end.
 */
#include "expr/families.h"
#include "expr/percentile.h"
#include "expr/rank.h"

#include <math.h>

/* Row i, so often. */
static enum arus_status add_row(const struct arus_agg_call *call, uint32_t i, int64_t times,
                                struct arus_error *err)
{
    struct arus_bytes_state *state = (void *)arus_agg_state(call, i);
    const double value = arus_double_at(&call->args[0], i);

    if (times < 0) {
        return arus_fail(err, ARUS_BAD_DATA, "_LEGACY_ERROR_TEMP_2164",
                         "a frequency must not be negative");
    }
    for (; times > 0; times--) {
        ARUS_TRY(arus_bytes_append(state, &value, sizeof value, call->heap, err));
        state->count++;
    }
    return ARUS_OK;
}

/* All rows belong to one state. */
static enum arus_status add_column(const struct arus_agg_call *call, struct arus_error *err)
{
    struct arus_bytes_state *state = (void *)call->states;
    const struct arus_vector *arg = &call->args[0];
    const double *values = arg->values;
    uint32_t count = 0;
    void *room;
    double *to;

    ARUS_TRY(arus_bytes_extend(state, call->row_count * sizeof *values, call->heap, &room, err));
    to = room;
    for (uint32_t i = 0; i < call->row_count; i++) {
        to[count] = values[i];
        count += arus_bit_get(arg->validity, i);
    }
    state->count += count;
    state->bytes.size -= (uint32_t)((call->row_count - count) * sizeof *values);
    return ARUS_OK;
}

static enum arus_status double_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const bool has_frequency = call->expr->arg_count > 1;

    if (!has_frequency && call->groups == NULL && arg->form == ARUS_VECTOR_FLAT &&
        arg->type->id == ARUS_TYPE_DOUBLE) {
        return add_column(call, err);
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (!arus_agg_has(arg, i) || (has_frequency && !arus_agg_has(&call->args[1], i))) {
            continue;
        }
        ARUS_TRY(add_row(call, i, has_frequency ? arus_bigint_at(&call->args[1], i) : 1, err));
    }
    return ARUS_OK;
}

static struct arus_ranks ranks_of(const struct arus_bytes_state *state, struct arus_arena *step)
{
    struct arus_ranks ranks = {.count = state->count, .arena = step};

    memcpy(&ranks.values, &state->bytes.data, sizeof ranks.values);
    return ranks;
}

static enum arus_status at_rank(const struct arus_percentile *percentile, struct arus_ranks *ranks,
                                uint64_t rank, double *out, struct arus_error *err)
{
    return arus_ranks_at(ranks, percentile->is_reversed ? ranks->count - 1 - rank : rank, out, err);
}

/* Between two elements: percentile, median, percentile_cont. */
static enum arus_status between(const struct arus_percentile *percentile, const void *state,
                                struct arus_arena *step, double *results, struct arus_error *err)
{
    struct arus_ranks ranks = ranks_of(state, step);

    for (uint32_t k = 0; k < percentile->count; k++) {
        const double position = percentile->points[k] * (double)(ranks.count - 1);
        const double low = floor(position);
        double a;
        double b;

        ARUS_TRY(at_rank(percentile, &ranks, (uint64_t)low, &a, err));
        ARUS_TRY(at_rank(percentile, &ranks, (uint64_t)ceil(position), &b, err));
        results[k] = position == low || a == b ? a : a + (b - a) * (position - low);
    }
    return ARUS_OK;
}

/* The element of rank ceil(p * n). */
static enum arus_status nearest(const struct arus_percentile *percentile, const void *state,
                                struct arus_arena *step, double *results, struct arus_error *err)
{
    struct arus_ranks ranks = ranks_of(state, step);

    for (uint32_t k = 0; k < percentile->count; k++) {
        const uint64_t rank = (uint64_t)ceil(percentile->points[k] * (double)ranks.count);

        ARUS_TRY(at_rank(percentile, &ranks, rank == 0 ? 0 : rank - 1, &results[k], err));
    }
    return ARUS_OK;
}

static enum arus_status percentile_finish(const struct arus_expr *expr, const unsigned char *states,
                                          size_t stride, uint32_t count, struct arus_arena *step,
                                          struct arus_vector *out, struct arus_error *err)
{
    const bool is_nearest = strcmp(expr->function->name, "percentile_disc") == 0;

    return arus_percentile_finish(expr, states, stride, count, is_nearest ? nearest : between, step,
                                  out, err);
}

static const struct arus_aggregate PERCENTILE = {.state_size = arus_bytes_size,
                                                 .update = double_update,
                                                 .merge = arus_bytes_merge,
                                                 .finish = percentile_finish,
                                                 .views = arus_bytes_views};

/* Numbers and intervals. Spark looks at times first, and has none. */
static enum arus_status take_value(struct arus_bind *bind, struct arus_percentile *percentile,
                                   struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;

    percentile->type = &ARUS_DOUBLE;
    if (id == ARUS_TYPE_DATE || id == ARUS_TYPE_TIMESTAMP || id == ARUS_TYPE_TIMESTAMP_NTZ) {
        return arus_fail_at(err, bind->place, "UNSUPPORTED_TIME_TYPE",
                            "`%.*s` takes numbers and intervals, not %s",
                            ARUS_TEXT_ARGS(bind->name), arus_type_name(bind->args[0]->type).text);
    }
    if (id == ARUS_TYPE_INTERVAL_YM || id == ARUS_TYPE_INTERVAL_DT) {
        percentile->type = id == ARUS_TYPE_INTERVAL_YM ? &ARUS_INTERVAL_YM : &ARUS_INTERVAL_DT;
        return ARUS_OK;
    }
    return arus_arg_take(bind, 0, "N", err);
}

static enum arus_status bind_percentile(struct arus_bind *bind, struct arus_error *err)
{
    const bool has_frequency = bind->arg_count == 3;
    struct arus_percentile *percentile;

    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_percentile, 1, &percentile, err));
    ARUS_TRY(take_value(bind, percentile, err));
    if (strcmp(bind->function->name, "median") == 0) {
        ARUS_TRY(ARUS_NEW(bind->arena, double, 1, &percentile->points, err));
        percentile->points[0] = 0.5;
        percentile->count = 1;
    } else {
        ARUS_TRY(arus_percentile_points(bind, 1, percentile, err));
        ARUS_TRY(arus_arg_default(bind, 2, 1, err));
    }
    ARUS_TRY(arus_args_text(bind, err));
    if (has_frequency) { /* stays as argument 1 */
        ARUS_TRY(arus_arg_take(bind, 2, "L", err));
        bind->args[1] = bind->args[2];
        bind->arg_count = 2;
    } else {
        bind->arg_count = 1;
    }
    ARUS_TRY(arus_percentile_value(bind, err));
    return arus_percentile_type(bind, percentile, err);
}

/* percentile_cont(p) WITHIN GROUP (ORDER BY x [DESC]) */
static enum arus_status bind_within(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_percentile *percentile;

    ARUS_TRY(arus_orders_take(bind, 1, 1, err));
    ARUS_TRY(arus_orders_text(bind, false, err));
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_percentile, 1, &percentile, err));
    ARUS_TRY(arus_percentile_points(bind, 0, percentile, err));
    bind->args[0] = bind->orders[0].expr;
    percentile->is_reversed = bind->orders[0].is_descending;
    ARUS_TRY(take_value(bind, percentile, err));
    ARUS_TRY(arus_percentile_value(bind, err));
    return arus_percentile_type(bind, percentile, err);
}

#define PERCENTILE_ROW(name_, min_, max_, bind_, order_max_, signature_, help_, example_, result_) \
    {                                                                                              \
        .name = name_, .kind = ARUS_AGGREGATE, .arg_min = min_, .arg_max = max_, .bind = bind_,    \
        .order_max = order_max_, .aggregate = &PERCENTILE, .signature = signature_, .help = help_, \
        .example = example_, .result = result_                                                     \
    }

const struct arus_function ARUS_PERCENTILE_AGGREGATES[] = {
    PERCENTILE_ROW("percentile", 2, 3, bind_percentile, 0,
                   "percentile(x, p[, frequency]) -> DOUBLE",
                   "exact, between two values if need be",
                   "percentile(x, 0.25) FROM VALUES (0), (10) AS t(x)", "2.5"),
    PERCENTILE_ROW("median", 1, 1, bind_percentile, 0, "median(x) -> DOUBLE", "percentile(x, 0.5)",
                   "median(x) FROM VALUES (0), (10) AS t(x)", "5.0"),
    PERCENTILE_ROW("percentile_cont", 1, 1, bind_within, 255,
                   "percentile_cont(p) WITHIN GROUP (ORDER BY x [DESC]) -> DOUBLE",
                   "exact, between two values if need be",
                   "percentile_cont(0.25) WITHIN GROUP (ORDER BY x) FROM VALUES (0), (10) AS t(x)",
                   "2.5"),
    PERCENTILE_ROW("percentile_disc", 1, 1, bind_within, 255,
                   "percentile_disc(p) WITHIN GROUP (ORDER BY x [DESC]) -> DOUBLE",
                   "the first value that the share p of all does not exceed",
                   "percentile_disc(0.25) WITHIN GROUP (ORDER BY x) FROM VALUES (0), (10) AS t(x)",
                   "0.0"),
    {0},
};
