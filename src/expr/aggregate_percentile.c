/** percentile, median, percentile_cont, percentile_disc: all values as DOUBLE, selected from at
 * the end.
 */
#include "expr/families.h"
#include "expr/percentile.h"
#include "expr/rank.h"

#include <math.h>

static enum arus_status double_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const bool has_frequency = call->expr->arg_count > 1;

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct arus_bytes_state *state = (void *)arus_agg_state(call, i);
        const double value = arus_agg_has(arg, i) ? arus_double_at(arg, i) : 0;
        int64_t times = 1;

        if (!arus_agg_has(arg, i) || (has_frequency && !arus_agg_has(&call->args[1], i))) {
            continue;
        }
        if (has_frequency) {
            times = arus_bigint_at(&call->args[1], i);
        }
        if (times < 0) {
            return arus_fail(err, ARUS_BAD_DATA, "_LEGACY_ERROR_TEMP_2164",
                             "a frequency must not be negative");
        }
        for (; times > 0; times--) {
            ARUS_TRY(arus_bytes_append(state, &value, sizeof value, call->heap, err));
            state->count++;
        }
    }
    return ARUS_OK;
}

/* The values of a state, to be put into any order, and whose order counts. */
struct ranked {
    double *values;
    uint64_t count;
    bool is_reversed;
};

static enum arus_status ranked_of(const struct arus_percentile *percentile,
                                  const struct arus_bytes_state *state, struct arus_arena *step,
                                  struct ranked *out, struct arus_error *err)
{
    *out = (struct ranked){.count = state->count, .is_reversed = percentile->is_reversed};
    ARUS_TRY(ARUS_NEW(step, double, state->count, &out->values, err));
    memcpy(out->values, state->bytes.data, state->count * sizeof *out->values);
    return ARUS_OK;
}

static double at_rank(const struct ranked *ranked, uint64_t rank)
{
    return arus_rank_select(ranked->values, ranked->count,
                            ranked->is_reversed ? ranked->count - 1 - rank : rank);
}

/* Between two elements: percentile, median, percentile_cont. */
static double interpolated(const struct ranked *ranked, double point)
{
    const double position = point * (double)(ranked->count - 1);
    const uint64_t low = (uint64_t)floor(position);
    const uint64_t high = (uint64_t)ceil(position);
    const double a = at_rank(ranked, low);
    const double b = low == high ? a : at_rank(ranked, high);

    if (low == high || a == b) {
        return a;
    }
    return a + (b - a) * (position - (double)low);
}

static enum arus_status between(const struct arus_percentile *percentile, const void *state,
                                struct arus_arena *step, double *results, struct arus_error *err)
{
    struct ranked ranked;

    ARUS_TRY(ranked_of(percentile, state, step, &ranked, err));
    for (uint32_t k = 0; k < percentile->count; k++) {
        results[k] = interpolated(&ranked, percentile->points[k]);
    }
    return ARUS_OK;
}

/* The element of rank ceil(p * n). */
static enum arus_status nearest(const struct arus_percentile *percentile, const void *state,
                                struct arus_arena *step, double *results, struct arus_error *err)
{
    struct ranked ranked;

    ARUS_TRY(ranked_of(percentile, state, step, &ranked, err));
    for (uint32_t k = 0; k < percentile->count; k++) {
        const uint64_t rank = (uint64_t)ceil(percentile->points[k] * (double)ranked.count);

        results[k] = at_rank(&ranked, rank == 0 ? 0 : rank - 1);
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
