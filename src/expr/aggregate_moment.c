/** Variance and its kin, by Spark's one-pass update formulas, so that partial states merge as
 * Spark's do. */
#include "expr/agg_value.h"
#include "expr/coerce.h"
#include "expr/families.h"

#include <math.h>

/* ---- one variable ---- */

struct moments {
    double n;
    double mean;
    double m2;
    double m3;
    double m4;
};

static uint32_t moments_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct moments);
}

static void moments_add(struct moments *m, double x)
{
    const double n = m->n + 1.0;
    const double delta = x - m->mean;
    const double delta_n = delta / n;
    const double m2 = m->m2 + delta * (delta - delta_n);
    const double delta2 = delta * delta;
    const double delta_n2 = delta_n * delta_n;
    const double m3 = m->m3 - 3.0 * delta_n * m2 + delta * (delta2 - delta_n2);

    m->m4 = m->m4 - 4.0 * delta_n * m3 - 6.0 * delta_n2 * m2 +
            delta * (delta * delta2 - delta_n * delta_n2);
    m->m3 = m3;
    m->m2 = m2;
    m->mean += delta_n;
    m->n = n;
}

static void moments_merge_one(struct moments *a, const struct moments *b)
{
    const double n1 = a->n;
    const double n2 = b->n;
    const double n = n1 + n2;
    const double delta = b->mean - a->mean;
    const double delta_n = n == 0 ? 0 : delta / n;
    const double m2 = a->m2 + b->m2 + delta * delta_n * n1 * n2;
    const double m3 = a->m3 + b->m3 + delta_n * delta_n * delta * n1 * n2 * (n1 - n2) +
                      3.0 * delta_n * (n1 * b->m2 - n2 * a->m2);

    a->m4 = a->m4 + b->m4 +
            delta_n * delta_n * delta_n * delta * n1 * n2 * (n1 * n1 - n1 * n2 + n2 * n2) +
            6.0 * delta_n * delta_n * (n1 * n1 * b->m2 + n2 * n2 * a->m2) +
            4.0 * delta_n * (n1 * b->m3 - n2 * a->m3);
    a->mean += delta_n * n2;
    a->m2 = m2;
    a->m3 = m3;
    a->n = n;
}

static enum arus_status moments_update(const struct arus_agg_call *call, struct arus_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_agg_has(&call->args[0], i)) {
            moments_add((void *)arus_agg_state(call, i), arus_double_at(&call->args[0], i));
        }
    }
    return ARUS_OK;
}

static enum arus_status moments_merge(const struct arus_agg_call *call, const unsigned char *from,
                                      size_t from_stride, uint32_t count, struct arus_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        moments_merge_one((void *)arus_agg_state(call, i), (const void *)(from + i * from_stride));
    }
    return ARUS_OK;
}

/* What a name stands for. */
enum moment {
    STDDEV_SAMP,
    STDDEV_POP,
    VAR_SAMP,
    VAR_POP,
    SKEWNESS,
    KURTOSIS,
    CORR,
    COVAR_POP,
    COVAR_SAMP,
    REGR_AVGX,
    REGR_AVGY,
    REGR_COUNT,
    REGR_INTERCEPT,
    REGR_R2,
    REGR_SLOPE,
    REGR_SXX,
    REGR_SXY,
    REGR_SYY
};

/* Indices into this are what `bound` points at. */
static const enum moment MOMENTS[] = {
    STDDEV_SAMP,    STDDEV_POP, VAR_SAMP,   VAR_POP,   SKEWNESS,  KURTOSIS,
    CORR,           COVAR_POP,  COVAR_SAMP, REGR_AVGX, REGR_AVGY, REGR_COUNT,
    REGR_INTERCEPT, REGR_R2,    REGR_SLOPE, REGR_SXX,  REGR_SXY,  REGR_SYY,
};

/* False: NULL. */
static bool moment_value(enum moment moment, const struct moments *m, double *out)
{
    if (m->n == 0 || ((moment == STDDEV_SAMP || moment == VAR_SAMP) && m->n == 1)) {
        return false;
    }
    if (moment == STDDEV_SAMP) {
        *out = sqrt(m->m2 / (m->n - 1.0));
    } else if (moment == STDDEV_POP) {
        *out = sqrt(m->m2 / m->n);
    } else if (moment == VAR_SAMP) {
        *out = m->m2 / (m->n - 1.0);
    } else if (moment == VAR_POP) {
        *out = m->m2 / m->n;
    } else if (m->m2 == 0) {
        return false;
    } else if (moment == SKEWNESS) {
        *out = sqrt(m->n) * m->m3 / sqrt(m->m2 * m->m2 * m->m2);
    } else {
        *out = m->n * m->m4 / (m->m2 * m->m2) - 3.0;
    }
    return true;
}

static enum arus_status moments_finish(const struct arus_expr *expr, const unsigned char *states,
                                       size_t stride, uint32_t count, struct arus_arena *step,
                                       struct arus_vector *out, struct arus_error *err)
{
    const enum moment *moment = expr->bound;

    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    for (uint32_t i = 0; i < count; i++) {
        double value = 0;

        if (!moment_value(*moment, (const void *)(states + i * stride), &value)) {
            arus_bit_clear(out->validity, i);
        }
        ((double *)out->values)[i] = value;
    }
    return ARUS_OK;
}

static const struct arus_aggregate ONE_VARIABLE = {.state_size = moments_size,
                                                   .update = moments_update,
                                                   .merge = moments_merge,
                                                   .finish = moments_finish};

/* ---- two variables: corr(x, y), covar, regr(y, x) ---- */

struct pair_moments {
    double n;
    double mean_x;
    double mean_y;
    double ck; /* co-moment */
    double m2_x;
    double m2_y;
};

static uint32_t pair_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct pair_moments);
}

static void pair_add(struct pair_moments *m, double x, double y)
{
    const double n = m->n + 1.0;
    const double dx = x - m->mean_x;
    const double dy = y - m->mean_y;
    const double dx_n = dx / n;
    const double dy_n = dy / n;
    const double mean_x = m->mean_x + dx_n;
    const double mean_y = m->mean_y + dy_n;

    m->ck += dx * (y - mean_y);
    m->m2_x += dx * (x - mean_x);
    m->m2_y += dy * (y - mean_y);
    m->mean_x = mean_x;
    m->mean_y = mean_y;
    m->n = n;
}

static void pair_merge_one(struct pair_moments *a, const struct pair_moments *b)
{
    const double n = a->n + b->n;
    const double dx = b->mean_x - a->mean_x;
    const double dy = b->mean_y - a->mean_y;
    const double dx_n = n == 0 ? 0 : dx / n;
    const double dy_n = n == 0 ? 0 : dy / n;

    a->ck += b->ck + dx * dy_n * a->n * b->n;
    a->m2_x += b->m2_x + dx * dx_n * a->n * b->n;
    a->m2_y += b->m2_y + dy * dy_n * a->n * b->n;
    a->mean_x += dx_n * b->n;
    a->mean_y += dy_n * b->n;
    a->n = n;
}

static bool is_regression(const struct arus_agg_call *call)
{
    return *(const enum moment *)call->expr->bound >= REGR_AVGX;
}

static enum arus_status pair_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *x = &call->args[is_regression(call) ? 1 : 0];
    const struct arus_vector *y = &call->args[is_regression(call) ? 0 : 1];

    (void)err;
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_agg_has(x, i) && arus_agg_has(y, i)) {
            pair_add((void *)arus_agg_state(call, i), arus_double_at(x, i), arus_double_at(y, i));
        }
    }
    return ARUS_OK;
}

static enum arus_status pair_merge(const struct arus_agg_call *call, const unsigned char *from,
                                   size_t from_stride, uint32_t count, struct arus_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        pair_merge_one((void *)arus_agg_state(call, i), (const void *)(from + i * from_stride));
    }
    return ARUS_OK;
}

static bool regression_value(enum moment moment, const struct pair_moments *m, double *out)
{
    if (moment == REGR_AVGX) {
        *out = m->mean_x;
    } else if (moment == REGR_AVGY) {
        *out = m->mean_y;
    } else if (moment == REGR_SXX) {
        *out = m->m2_x;
    } else if (moment == REGR_SYY) {
        *out = m->m2_y;
    } else if (moment == REGR_SXY) {
        *out = m->ck;
    } else if (m->m2_x == 0) {
        return false;
    } else if (moment == REGR_SLOPE) {
        *out = m->ck / m->m2_x;
    } else if (moment == REGR_INTERCEPT) {
        *out = m->mean_y - m->ck / m->m2_x * m->mean_x;
    } else {
        *out = m->m2_y == 0 ? 1.0 : m->ck * m->ck / m->m2_x / m->m2_y;
    }
    return true;
}

static bool pair_value(enum moment moment, const struct pair_moments *m, double *out)
{
    if (m->n == 0) {
        return false;
    }
    if (moment == COVAR_POP) {
        *out = m->ck / m->n;
        return true;
    }
    if (moment == COVAR_SAMP) {
        *out = m->ck / (m->n - 1.0);
        return m->n > 1;
    }
    if (moment == CORR) {
        const double divisor = sqrt(m->m2_x * m->m2_y);

        *out = m->ck / divisor;
        return m->n > 1 && divisor != 0;
    }
    return regression_value(moment, m, out);
}

static enum arus_status pair_finish(const struct arus_expr *expr, const unsigned char *states,
                                    size_t stride, uint32_t count, struct arus_arena *step,
                                    struct arus_vector *out, struct arus_error *err)
{
    const enum moment *moment = expr->bound;

    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    for (uint32_t i = 0; i < count; i++) {
        const struct pair_moments *m = (const void *)(states + i * stride);
        double value = 0;

        if (*moment == REGR_COUNT) {
            ((int64_t *)out->values)[i] = (int64_t)m->n;
            continue;
        }
        if (!pair_value(*moment, m, &value)) {
            arus_bit_clear(out->validity, i);
        }
        ((double *)out->values)[i] = value;
    }
    return ARUS_OK;
}

static const struct arus_aggregate TWO_VARIABLES = {
    .state_size = pair_size, .update = pair_update, .merge = pair_merge, .finish = pair_finish};

/* ---- binding: the row's position in its table is its moment ---- */

static enum arus_status bind_moment(struct arus_bind *bind, struct arus_error *err)
{
    const enum moment moment = (enum moment)(bind->function - ARUS_MOMENT_AGGREGATES);

    ARUS_TRY(arus_args_take(bind, "d", err));
    bind->bound = &MOMENTS[moment];
    bind->type = moment == REGR_COUNT ? &ARUS_BIGINT : &ARUS_DOUBLE;
    bind->is_nullable = true;
    return ARUS_OK;
}

#define ONE(name_, aliases_, help_, example_, result_)                                             \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .kind = ARUS_AGGREGATE, .arg_min = 1, .arg_max = 1,    \
        .bind = bind_moment, .aggregate = &ONE_VARIABLE, .signature = name_ "(x) -> DOUBLE",       \
        .help = help_, .example = example_, .result = result_                                      \
    }
#define TWO(name_, args_, help_, example_, result_)                                                \
    {                                                                                              \
        .name = name_, .kind = ARUS_AGGREGATE, .arg_min = 2, .arg_max = 2, .bind = bind_moment,    \
        .aggregate = &TWO_VARIABLES, .signature = name_ args_ " -> DOUBLE", .help = help_,         \
        .example = example_, .result = result_                                                     \
    }

/* In the order of enum moment. */
const struct arus_function ARUS_MOMENT_AGGREGATES[] = {
    ONE("stddev", "stddev_samp std", "standard deviation of a sample; NULL for one row",
        "stddev(x) FROM VALUES (1), (3) AS t(x)", "1.4142135623730951"),
    ONE("stddev_pop", NULL, "standard deviation of the whole",
        "stddev_pop(x) FROM VALUES (1), (3) AS t(x)", "1.0"),
    ONE("variance", "var_samp", "variance of a sample; NULL for one row",
        "variance(x) FROM VALUES (1), (3) AS t(x)", "2.0"),
    ONE("var_pop", NULL, "variance of the whole", "var_pop(x) FROM VALUES (1), (3) AS t(x)", "1.0"),
    ONE("skewness", NULL, "skewness", "skewness(x) FROM VALUES (1), (2), (3) AS t(x)", "0.0"),
    ONE("kurtosis", NULL, "excess kurtosis", "kurtosis(x) FROM VALUES (1), (3) AS t(x)", "-2.0"),
    TWO("corr", "(x, y)", "Pearson's correlation",
        "corr(x, y) FROM VALUES (1, 2), (2, 4) AS t(x, y)", "1.0"),
    TWO("covar_pop", "(x, y)", "covariance of the whole",
        "covar_pop(x, y) FROM VALUES (1, 2), (3, 4) AS t(x, y)", "1.0"),
    TWO("covar_samp", "(x, y)", "covariance of a sample",
        "covar_samp(x, y) FROM VALUES (1, 2), (3, 4) AS t(x, y)", "2.0"),
    TWO("regr_avgx", "(y, x)", "average of x over pairs without NULL",
        "regr_avgx(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "3.0"),
    TWO("regr_avgy", "(y, x)", "average of y over pairs without NULL",
        "regr_avgy(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "2.0"),
    TWO("regr_count", "(y, x)", "pairs without NULL",
        "regr_count(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "2"),
    TWO("regr_intercept", "(y, x)", "intercept of the regression line",
        "regr_intercept(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "0.5"),
    TWO("regr_r2", "(y, x)", "coefficient of determination",
        "regr_r2(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "1.0"),
    TWO("regr_slope", "(y, x)", "slope of the regression line",
        "regr_slope(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "0.5"),
    TWO("regr_sxx", "(y, x)", "sum of squares of x",
        "regr_sxx(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "2.0"),
    TWO("regr_sxy", "(y, x)", "sum of products of x and y",
        "regr_sxy(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "1.0"),
    TWO("regr_syy", "(y, x)", "sum of squares of y",
        "regr_syy(y, x) FROM VALUES (1.5, 2), (2.5, 4) AS t(y, x)", "0.5"),
    {0},
};
