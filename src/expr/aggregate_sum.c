/** sum, try_sum, avg, try_avg. */
#include "expr/agg_value.h"
#include "expr/coerce.h"
#include "expr/families.h"
#include "types/decimal.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* 16-byte integers in states are aligned to 8 only. */
typedef arus_int128 loose_int128 __attribute__((aligned(8)));

/* All states: how many values, and whether the sum left its range. */
struct integer_state {
    int64_t sum;
    uint64_t count;
    uint64_t is_over;
};
struct double_state {
    double sum;
    uint64_t count;
};
struct decimal_state {
    loose_int128 sum;
    uint64_t count;
    uint64_t is_over;
};

static inline bool add_integer(struct integer_state *state, int64_t value)
{
    const bool is_over = __builtin_add_overflow(state->sum, value, &state->sum);

    state->count++;
    state->is_over |= is_over;
    return is_over;
}

static inline bool add_double(struct double_state *state, double value)
{
    state->sum += value;
    state->count++;
    return false;
}

static inline bool add_decimal(struct decimal_state *state, arus_int128 value)
{
    arus_int128 sum;
    const bool is_over = __builtin_add_overflow((arus_int128)state->sum, value, &sum);

    state->sum = sum;
    state->count++;
    state->is_over |= is_over;
    return is_over;
}

#define NAME               8
#define TYPE               int8_t
#define STATE              struct integer_state
#define FOLD(state, value) add_integer(state, value)
#include "expr/agg_fold.inc.h"
#define NAME               16
#define TYPE               int16_t
#define STATE              struct integer_state
#define FOLD(state, value) add_integer(state, value)
#include "expr/agg_fold.inc.h"
#define NAME               32
#define TYPE               int32_t
#define STATE              struct integer_state
#define FOLD(state, value) add_integer(state, value)
#include "expr/agg_fold.inc.h"
#define NAME               64
#define TYPE               int64_t
#define STATE              struct integer_state
#define FOLD(state, value) add_integer(state, value)
#include "expr/agg_fold.inc.h"
#define NAME               float
#define TYPE               float
#define STATE              struct double_state
#define FOLD(state, value) add_double(state, (double)(value))
#include "expr/agg_fold.inc.h"
#define NAME               double
#define TYPE               double
#define STATE              struct double_state
#define FOLD(state, value) add_double(state, value)
#include "expr/agg_fold.inc.h"
#define NAME               narrow
#define TYPE               int64_t
#define STATE              struct decimal_state
#define FOLD(state, value) add_decimal(state, value)
#include "expr/agg_fold.inc.h"
#define NAME               wide
#define TYPE               arus_int128
#define STATE              struct decimal_state
#define FOLD(state, value) add_decimal(state, value)
#include "expr/agg_fold.inc.h"

/* What the sum is kept in. */
enum sum_kind { SUM_INTEGER, SUM_DOUBLE, SUM_DECIMAL };

static enum sum_kind kind_of(const struct arus_expr *expr)
{
    const struct arus_type *type = expr->args[0]->type;

    if (type->id == ARUS_TYPE_DECIMAL) {
        return SUM_DECIMAL;
    }
    return arus_type_is_fractional(type) ? SUM_DOUBLE : SUM_INTEGER;
}

static uint32_t sum_size(const struct arus_expr *expr)
{
    switch (kind_of(expr)) {
    case SUM_INTEGER:
        return sizeof(struct integer_state);
    case SUM_DOUBLE:
        return sizeof(struct double_state);
    case SUM_DECIMAL:
        break;
    }
    return sizeof(struct decimal_state);
}

static bool is_try(const struct arus_expr *expr)
{
    return expr->function->name[0] == 't';
}

static enum arus_status fail_sum(const struct arus_expr *expr, struct arus_error *err)
{
    const bool is_interval =
        expr->type->id == ARUS_TYPE_INTERVAL_YM || expr->type->id == ARUS_TYPE_INTERVAL_DT;
    enum arus_status status = arus_fail(err, ARUS_BAD_DATA,
                                        is_interval ? "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION"
                                                    : "ARITHMETIC_OVERFLOW",
                                        "the sum overflows %s", arus_type_name(expr->type).text);

    if (status != ARUS_OK) {
        status = arus_error_help(err, "NULL instead: try_%s(..)", expr->function->name);
        status = arus_error_at(err, expr->place);
    }
    return status;
}

/* Integers that overflow: an error, a null (try_), or a wrapped sum (ANSI off). */
static bool overflow_fails(const struct arus_agg_call *call)
{
    return kind_of(call->expr) == SUM_INTEGER && !is_try(call->expr) && call->env->is_ansi;
}

static bool fold(const struct arus_agg_call *call)
{
    const struct arus_type *type = call->args[0].type;

    if (type->id == ARUS_TYPE_DECIMAL) {
        return arus_type_is_wide(type) ? fold_wide(call) : fold_narrow(call);
    }
    if (type->id == ARUS_TYPE_FLOAT) {
        return fold_float(call);
    }
    if (type->id == ARUS_TYPE_DOUBLE) {
        return fold_double(call);
    }
    switch (arus_type_value_size(type)) {
    case 1:
        return fold_8(call);
    case 2:
        return fold_16(call);
    case 4:
        return fold_32(call);
    default:
        return fold_64(call);
    }
}

static enum arus_status sum_update(const struct arus_agg_call *call, struct arus_error *err)
{
    return fold(call) && overflow_fails(call) ? fail_sum(call->expr, err) : ARUS_OK;
}

static bool merge_one(enum sum_kind kind, unsigned char *into, const unsigned char *from)
{
    if (kind == SUM_DOUBLE) {
        const struct double_state *more = (const void *)from;
        struct double_state *state = (void *)into;

        state->sum += more->sum;
        state->count += more->count;
        return false;
    }
    if (kind == SUM_INTEGER) {
        const struct integer_state *more = (const void *)from;
        struct integer_state *state = (void *)into;
        const bool is_over = __builtin_add_overflow(state->sum, more->sum, &state->sum);

        state->count += more->count;
        state->is_over |= more->is_over | is_over;
        return is_over;
    }
    {
        const struct decimal_state *more = (const void *)from;
        struct decimal_state *state = (void *)into;
        const uint64_t count = state->count + more->count;

        state->is_over |= more->is_over | add_decimal(state, more->sum);
        state->count = count;
    }
    return false;
}

static enum arus_status sum_merge(const struct arus_agg_call *call, const unsigned char *from,
                                  size_t from_stride, uint32_t count, struct arus_error *err)
{
    const enum sum_kind kind = kind_of(call->expr);
    bool bad = false;

    for (uint32_t i = 0; i < count; i++) {
        bad |= merge_one(kind, arus_agg_state(call, i), from + i * from_stride);
    }
    return bad && overflow_fails(call) ? fail_sum(call->expr, err) : ARUS_OK;
}

/* A wrapped BIGINT is what ANSI off wants; months are kept in 64 bits and must fit in 32. */
static bool has_left_range(const struct arus_expr *expr, const struct integer_state *state)
{
    return (state->is_over && is_try(expr)) || (expr->type->id == ARUS_TYPE_INTERVAL_YM &&
                                                (state->sum > INT32_MAX || state->sum < INT32_MIN));
}

/* False: no value. */
static bool sum_value(const struct arus_expr *expr, const unsigned char *state, uint32_t i,
                      struct arus_vector *out, bool *is_over)
{
    const uint32_t size = arus_type_value_size(expr->type);

    *is_over = false;
    if (kind_of(expr) == SUM_DOUBLE) {
        const struct double_state *sum = (const void *)state;

        ((double *)out->values)[i] = sum->sum;
        return sum->count > 0;
    }
    if (kind_of(expr) == SUM_INTEGER) {
        const struct integer_state *sum = (const void *)state;

        memcpy((char *)out->values + (size_t)i * size, &sum->sum, size);
        *is_over = has_left_range(expr, sum);
        return sum->count > 0;
    }
    {
        const struct decimal_state *sum = (const void *)state;

        *is_over = sum->is_over || !arus_decimal_fits(sum->sum, expr->type->precision);
        arus_decimal_set(expr->type, out->values, i, *is_over ? 0 : (arus_int128)sum->sum);
        return sum->count > 0;
    }
}

static enum arus_status sum_finish(const struct arus_expr *expr, const unsigned char *states,
                                   size_t stride, uint32_t count, struct arus_arena *step,
                                   struct arus_vector *out, struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    for (uint32_t i = 0; i < count; i++) {
        bool is_over;
        const bool has_value = sum_value(expr, states + i * stride, i, out, &is_over);

        if (is_over && has_value && !is_try(expr) && expr->bound != NULL) {
            return fail_sum(expr, err);
        }
        if (!has_value || is_over) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

/* ---- avg ---- */

static struct arus_decimal_type sum_type(const struct arus_type *type)
{
    return (struct arus_decimal_type){
        type->precision + 10 > 38 ? 38 : (uint8_t)(type->precision + 10), type->scale};
}

/* False: no value, or it does not fit. */
static bool decimal_average(const struct arus_expr *expr, const struct decimal_state *state,
                            uint32_t i, struct arus_vector *out, bool *is_over)
{
    const struct arus_decimal sum = {state->sum, expr->args[0]->type->scale};
    const struct arus_decimal by = {(arus_int128)state->count, 0};
    const struct arus_decimal_type type = {expr->type->precision, expr->type->scale};
    arus_int128 value = 0;

    *is_over = false;
    if (state->count == 0) {
        return false;
    }
    *is_over = state->is_over ||
               !arus_decimal_fits(state->sum, sum_type(expr->args[0]->type).precision) ||
               !arus_decimal_divide(sum, by, type, &value);
    arus_decimal_set(expr->type, out->values, i, *is_over ? 0 : value);
    return true;
}

static int64_t divide_half_up(int64_t sum, uint64_t count)
{
    const arus_int128 by = (arus_int128)count;
    const arus_int128 twice = 2 * (arus_int128)sum;

    return (int64_t)((twice >= 0 ? twice + by : twice - by) / (2 * by));
}

static bool interval_average(const struct arus_expr *expr, const struct integer_state *state,
                             uint32_t i, struct arus_vector *out, bool *is_over)
{
    int64_t value;

    *is_over = has_left_range(expr, state);

    if (state->count == 0) {
        return false;
    }
    value = divide_half_up(state->sum, state->count);
    memcpy((char *)out->values + (size_t)i * arus_type_value_size(expr->type), &value,
           arus_type_value_size(expr->type));
    return true;
}

static enum arus_status avg_finish(const struct arus_expr *expr, const unsigned char *states,
                                   size_t stride, uint32_t count, struct arus_arena *step,
                                   struct arus_vector *out, struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *state = states + i * stride;
        bool is_over = false;
        bool has_value;

        if (kind_of(expr) == SUM_DECIMAL) {
            has_value = decimal_average(expr, (const void *)state, i, out, &is_over);
        } else if (kind_of(expr) == SUM_INTEGER) {
            has_value = interval_average(expr, (const void *)state, i, out, &is_over);
        } else {
            const struct double_state *sum = (const void *)state;

            has_value = sum->count > 0;
            ((double *)out->values)[i] = has_value ? sum->sum / (double)sum->count : 0;
        }
        if (is_over && !is_try(expr) && expr->bound != NULL) {
            return fail_sum(expr, err);
        }
        if (!has_value || is_over) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static const struct arus_aggregate SUM = {
    .state_size = sum_size, .update = sum_update, .merge = sum_merge, .finish = sum_finish};
static const struct arus_aggregate AVG = {
    .state_size = sum_size, .update = sum_update, .merge = sum_merge, .finish = avg_finish};

/* bound != NULL: ANSI */
static const bool ANSI = true;

static enum arus_status take_summands(struct arus_bind *bind, bool *is_interval,
                                      struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    bind->is_nullable = true;
    bind->bound = bind->is_ansi ? &ANSI : NULL;
    *is_interval = type->id == ARUS_TYPE_INTERVAL_YM || type->id == ARUS_TYPE_INTERVAL_DT;
    if (type->id == ARUS_TYPE_TIMESTAMP) { /* by its seconds */
        return arus_arg_cast(bind, 0, &ARUS_DOUBLE, err);
    }
    return *is_interval ? ARUS_OK : arus_arg_take(bind, 0, "N", err);
}

static enum arus_status bind_sum(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type;
    bool is_interval;

    ARUS_TRY(take_summands(bind, &is_interval, err));
    type = bind->args[0]->type;
    if (is_interval) {
        bind->type = type;
    } else if (type->id == ARUS_TYPE_DECIMAL) {
        const struct arus_decimal_type wide = sum_type(type);

        return arus_type_decimal(wide.precision, wide.scale, bind->arena, &bind->type, err);
    } else {
        bind->type = arus_type_is_fractional(type) ? &ARUS_DOUBLE : &ARUS_BIGINT;
    }
    return ARUS_OK;
}

static enum arus_status bind_avg(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type;
    bool is_interval;

    ARUS_TRY(take_summands(bind, &is_interval, err));
    type = bind->args[0]->type;
    if (is_interval) {
        bind->type = type->id == ARUS_TYPE_INTERVAL_YM ? &ARUS_INTERVAL_YM : &ARUS_INTERVAL_DT;
        return ARUS_OK;
    }
    if (type->id == ARUS_TYPE_DECIMAL) {
        const uint8_t precision = type->precision + 4 > 38 ? 38 : (uint8_t)(type->precision + 4);
        const uint8_t scale = type->scale + 4 > 38 ? 38 : (uint8_t)(type->scale + 4);

        return arus_type_decimal(precision, scale, bind->arena, &bind->type, err);
    }
    bind->type = &ARUS_DOUBLE;
    return arus_arg_cast(bind, 0, &ARUS_DOUBLE, err);
}

#define AGGREGATE(name_, aliases_, bind_, aggregate_, signature_, help_, example_, result_)        \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .kind = ARUS_AGGREGATE, .arg_min = 1, .arg_max = 1,    \
        .bind = bind_, .aggregate = aggregate_, .signature = signature_, .help = help_,            \
        .example = example_, .result = result_                                                     \
    }

const struct arus_function ARUS_SUM_AGGREGATES[] = {
    AGGREGATE("sum", NULL, bind_sum, &SUM, "sum(x) -> BIGINT, DOUBLE or DECIMAL",
              "sum; NULL without values", "sum(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "7"),
    AGGREGATE("try_sum", NULL, bind_sum, &SUM, "try_sum(x)", "sum; NULL on overflow",
              "try_sum(x) FROM VALUES (9223372036854775807L), (1L) AS t(x)", "NULL"),
    AGGREGATE("avg", "mean", bind_avg, &AVG, "avg(x) -> DOUBLE or DECIMAL", "average",
              "avg(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "2.3333333333333335"),
    AGGREGATE("try_avg", NULL, bind_avg, &AVG, "try_avg(x)", "average; NULL on overflow",
              "try_avg(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "2.3333333333333335"),
    {0},
};
