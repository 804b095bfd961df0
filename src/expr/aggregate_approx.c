/** approx_count_distinct: HyperLogLog++ over xxhash64, bit for bit as Spark's. */
#include "expr/agg_value.h"
#include "expr/coerce.h"
#include "expr/families.h"
#include "expr/hash_spark.h"
#include "expr/hll_bias.h"

#include <math.h>

/* The state: registers of 6 bits, ten to a word. expr->bound: the precision. */
#define REGISTER_BITS  6u
#define WORD_REGISTERS 10u

static uint32_t precision_of(const struct arus_expr *expr)
{
    return *(const uint32_t *)expr->bound;
}

static uint32_t hll_size(const struct arus_expr *expr)
{
    return (((1u << precision_of(expr)) + WORD_REGISTERS - 1) / WORD_REGISTERS) * 8;
}

static uint32_t register_get(const uint64_t *words, uint32_t index)
{
    return (uint32_t)(words[index / WORD_REGISTERS] >> (REGISTER_BITS * (index % WORD_REGISTERS))) &
           63;
}

static void register_raise(uint64_t *words, uint32_t index, uint32_t value)
{
    const uint32_t shift = REGISTER_BITS * (index % WORD_REGISTERS);
    uint64_t *word = &words[index / WORD_REGISTERS];

    if (value > ((*word >> shift) & 63)) {
        *word = (*word & ~((uint64_t)63 << shift)) | (uint64_t)value << shift;
    }
}

static enum arus_status hll_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const uint32_t p = precision_of(call->expr);
    const struct arus_vector *arg = &call->args[0];
    uint64_t *hashes;

    ARUS_TRY(ARUS_NEW(call->step, uint64_t, call->row_count, &hashes, err));
    arus_xxhash64_column(arg, call->row_count, 42, hashes);
    for (uint32_t i = 0; i < call->row_count; i++) {
        const uint64_t hash = hashes[i];

        if (arus_agg_has(arg, i)) {
            register_raise((void *)arus_agg_state(call, i), (uint32_t)(hash >> (64 - p)),
                           (uint32_t)__builtin_clzll(hash << p | (uint64_t)1 << (p - 1)) + 1);
        }
    }
    return ARUS_OK;
}

static enum arus_status hll_merge(const struct arus_agg_call *call, const unsigned char *from,
                                  size_t from_stride, uint32_t count, struct arus_error *err)
{
    const uint32_t m = 1u << precision_of(call->expr);

    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *more = (const void *)(from + i * from_stride);
        uint64_t *words = (void *)arus_agg_state(call, i);

        for (uint32_t k = 0; k < m; k++) {
            register_raise(words, k, register_get(more, k));
        }
    }
    return ARUS_OK;
}

/* The mean bias of the six measured estimates nearest to this one. */
static double bias_of(const struct arus_hll_bias *bias, double estimate)
{
    uint32_t nearest = 0;
    uint32_t low;
    uint32_t high;
    double sum = 0;

    while (nearest < bias->count && bias->estimates[nearest] < estimate) {
        nearest++;
    }
    low = nearest > 5 ? nearest - 5 : 0;
    high = low + 6 < bias->count ? low + 6 : bias->count;
    while (high < bias->count &&
           fabs(estimate - bias->estimates[high]) < fabs(estimate - bias->estimates[low])) {
        low++;
        high++;
    }
    for (uint32_t k = low; k < high; k++) {
        sum += bias->biases[k];
    }
    return sum / (high - low);
}

static double alpha(uint32_t p, double m)
{
    const double factor = p == 4   ? 0.673
                          : p == 5 ? 0.697
                          : p == 6 ? 0.709
                                   : 0.7213 / (1.0 + 1.079 / m);

    return factor * m * m;
}

static int64_t hll_estimate(const uint64_t *words, uint32_t p)
{
    const struct arus_hll_bias *bias = &ARUS_HLL_BIASES[p - ARUS_HLL_PRECISION_MIN];
    const uint32_t count = 1u << p;
    const double m = count;
    double inverse = 0;
    double zeros = 0;
    double estimate;

    for (uint32_t k = 0; k < count; k++) {
        const uint32_t value = register_get(words, k);

        inverse += ldexp(1.0, -(int)value);
        zeros += value == 0;
    }
    estimate = alpha(p, m) / inverse;
    if (estimate < 5.0 * m) {
        estimate -= bias_of(bias, estimate);
    }
    if (zeros > 0) {
        const double linear = m * log(m / zeros);

        if (linear <= bias->threshold || estimate <= 2.5 * m) {
            estimate = linear;
        }
    }
    return (int64_t)floor(estimate + 0.5);
}

static enum arus_status hll_finish(const struct arus_expr *expr, const unsigned char *states,
                                   size_t stride, uint32_t count, struct arus_arena *step,
                                   struct arus_vector *out, struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, &ARUS_BIGINT, count, step, err));
    for (uint32_t i = 0; i < count; i++) {
        ((int64_t *)out->values)[i] =
            hll_estimate((const void *)(states + i * stride), precision_of(expr));
    }
    return ARUS_OK;
}

static const struct arus_aggregate HLL = {
    .state_size = hll_size, .update = hll_update, .merge = hll_merge, .finish = hll_finish};

static enum arus_status bind_hll(struct arus_bind *bind, struct arus_error *err)
{
    double deviation = 0.05;
    uint32_t *precision;

    if (bind->arg_count == 2) {
        struct arus_vector value;
        bool is_found;

        ARUS_TRY(arus_arg_take(bind, 1, "d", err));
        ARUS_TRY(arus_arg_constant(bind, 1, &value, &is_found, err));
        if (!is_found || !arus_vector_is_valid(&value, 0)) {
            return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                                "the deviation must be a constant");
        }
        deviation = *(const double *)value.values;
        bind->arg_count = 1;
    }
    ARUS_TRY(ARUS_NEW(bind->arena, uint32_t, 1, &precision, err));
    *precision = (uint32_t)ceil(2.0 * log(1.106 / deviation) / log(2.0));
    if (!(deviation > 0) || deviation > 0.39 || *precision < ARUS_HLL_PRECISION_MIN ||
        *precision > ARUS_HLL_PRECISION_MAX) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                            "the deviation must lie between 0.0022 and 0.39");
    }
    bind->bound = precision;
    bind->type = &ARUS_BIGINT;
    bind->is_nullable = false;
    return ARUS_OK;
}

const struct arus_function ARUS_APPROX_AGGREGATES[] = {
    {.name = "approx_count_distinct",
     .kind = ARUS_AGGREGATE,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_hll,
     .aggregate = &HLL,
     .signature = "approx_count_distinct(x[, deviation]) -> BIGINT",
     .help = "different values, about: 5 % off by default",
     .example = "approx_count_distinct(x) FROM VALUES (1), (2), (2) AS t(x)",
     .result = "2"},
    {0},
};
