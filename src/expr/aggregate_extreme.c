/** min, max, first, last, any_value, max_by, min_by. */
#include "expr/agg_value.h"
#include "expr/coerce.h"
#include "expr/families.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

typedef arus_int128 loose_int128 __attribute__((aligned(8)));

/* ---- min and max of numbers, dates and times ---- */

struct number_state {
    int64_t value;
    uint64_t has_value;
};
struct fraction_state {
    double value;
    uint64_t has_value;
};
struct wide_state {
    loose_int128 value;
    uint64_t has_value;
};

/* NaN is greatest. */
static inline bool fraction_less(double a, double b)
{
    return a < b || (a == a && b != b);
}

#define BETTER_NUMBER(sign, state, value)                                                          \
    ((state)->has_value == 0 || (sign < 0 ? (value) < (state)->value : (value) > (state)->value))
#define BETTER_FRACTION(sign, state, new_)                                                         \
    ((state)->has_value == 0 ||                                                                    \
     (sign < 0 ? fraction_less(new_, (state)->value) : fraction_less((state)->value, new_)))

#define KEEP(name, state_type, c_type, better)                                                     \
    static inline bool name(state_type *state, c_type value, int sign)                             \
    {                                                                                              \
        if (better(sign, state, value)) {                                                          \
            state->value = value;                                                                  \
            state->has_value = 1;                                                                  \
        }                                                                                          \
        return false;                                                                              \
    }
KEEP(keep_number, struct number_state, int64_t, BETTER_NUMBER)
KEEP(keep_fraction, struct fraction_state, double, BETTER_FRACTION)
KEEP(keep_wide, struct wide_state, arus_int128, BETTER_NUMBER)
#undef KEEP

#define NAME               min_u8
#define TYPE               uint8_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, -1)
#include "expr/agg_fold.inc.h"
#define NAME               min_8
#define TYPE               int8_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, -1)
#include "expr/agg_fold.inc.h"
#define NAME               min_16
#define TYPE               int16_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, -1)
#include "expr/agg_fold.inc.h"
#define NAME               min_32
#define TYPE               int32_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, -1)
#include "expr/agg_fold.inc.h"
#define NAME               min_64
#define TYPE               int64_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, -1)
#include "expr/agg_fold.inc.h"
#define NAME               min_float
#define TYPE               float
#define STATE              struct fraction_state
#define FOLD(state, value) keep_fraction(state, (double)(value), -1)
#include "expr/agg_fold.inc.h"
#define NAME               min_double
#define TYPE               double
#define STATE              struct fraction_state
#define FOLD(state, value) keep_fraction(state, (double)(value), -1)
#include "expr/agg_fold.inc.h"
#define NAME               min_128
#define TYPE               arus_int128
#define STATE              struct wide_state
#define FOLD(state, value) keep_wide(state, value, -1)
#include "expr/agg_fold.inc.h"
#define NAME               max_u8
#define TYPE               uint8_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, 1)
#include "expr/agg_fold.inc.h"
#define NAME               max_8
#define TYPE               int8_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, 1)
#include "expr/agg_fold.inc.h"
#define NAME               max_16
#define TYPE               int16_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, 1)
#include "expr/agg_fold.inc.h"
#define NAME               max_32
#define TYPE               int32_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, 1)
#include "expr/agg_fold.inc.h"
#define NAME               max_64
#define TYPE               int64_t
#define STATE              struct number_state
#define FOLD(state, value) keep_number(state, value, 1)
#include "expr/agg_fold.inc.h"
#define NAME               max_float
#define TYPE               float
#define STATE              struct fraction_state
#define FOLD(state, value) keep_fraction(state, (double)(value), 1)
#include "expr/agg_fold.inc.h"
#define NAME               max_double
#define TYPE               double
#define STATE              struct fraction_state
#define FOLD(state, value) keep_fraction(state, (double)(value), 1)
#include "expr/agg_fold.inc.h"
#define NAME               max_128
#define TYPE               arus_int128
#define STATE              struct wide_state
#define FOLD(state, value) keep_wide(state, value, 1)
#include "expr/agg_fold.inc.h"

static void fold_numbers(const struct arus_agg_call *call, bool is_min)
{
    const struct arus_type *type = call->args[0].type;

    switch (arus_type_value_size(type)) {
    case 1:
        if (type->id == ARUS_TYPE_BOOLEAN) {
            (void)(is_min ? fold_min_u8(call) : fold_max_u8(call));
        } else {
            (void)(is_min ? fold_min_8(call) : fold_max_8(call));
        }
        break;
    case 2:
        (void)(is_min ? fold_min_16(call) : fold_max_16(call));
        break;
    case 4:
        (void)(is_min ? fold_min_32(call) : fold_max_32(call));
        break;
    default:
        (void)(is_min ? fold_min_64(call) : fold_max_64(call));
        break;
    }
}

/* How a type is kept. */
enum keep_kind { KEEP_NUMBER, KEEP_FRACTION, KEEP_WIDE, KEEP_PACKED };

static enum keep_kind kind_of(const struct arus_type *type)
{
    if (arus_type_is_fractional(type)) {
        return KEEP_FRACTION;
    }
    if (arus_type_is_view(type) || arus_type_is_nested(type) || type->id == ARUS_TYPE_VOID) {
        return KEEP_PACKED;
    }
    return arus_type_is_wide(type) ? KEEP_WIDE : KEEP_NUMBER;
}

static uint32_t extreme_size(const struct arus_expr *expr)
{
    const enum keep_kind kind = kind_of(expr->type);

    return kind == KEEP_PACKED ? sizeof(struct arus_agg_value)
           : kind == KEEP_WIDE ? sizeof(struct wide_state)
                               : sizeof(struct number_state);
}

static uint32_t extreme_views(const struct arus_expr *expr, uint32_t offsets[ARUS_AGG_VIEWS_MAX])
{
    offsets[0] = 0;
    return kind_of(expr->type) == KEEP_PACKED;
}

static int sign_of(const struct arus_expr *expr)
{
    return expr->function->name[1] == 'i' ? -1 : 1;
}

static enum arus_status offer(const struct arus_agg_call *call, const struct arus_vector *arg,
                              uint32_t i, unsigned char *state, struct arus_error *err)
{
    struct arus_agg_value *value = (void *)state;
    int order = 0;

    if (arus_agg_value_is_set(value)) {
        ARUS_TRY(arus_agg_value_compare(arg->type, value, arg, i, call->step, &order, err));
        if (order * sign_of(call->expr) >= 0) {
            return ARUS_OK;
        }
    }
    return arus_agg_value_set(value, arg, i, call->heap, err);
}

static enum arus_status extreme_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const bool is_min = sign_of(call->expr) < 0;

    switch (kind_of(arg->type)) {
    case KEEP_WIDE:
        (void)(is_min ? fold_min_128(call) : fold_max_128(call));
        return ARUS_OK;
    case KEEP_FRACTION:
        if (arg->type->id == ARUS_TYPE_FLOAT) {
            (void)(is_min ? fold_min_float(call) : fold_max_float(call));
        } else {
            (void)(is_min ? fold_min_double(call) : fold_max_double(call));
        }
        return ARUS_OK;
    case KEEP_NUMBER:
        fold_numbers(call, is_min);
        return ARUS_OK;
    case KEEP_PACKED:
        break;
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_agg_has(arg, i)) {
            ARUS_TRY(offer(call, arg, i, arus_agg_state(call, i), err));
        }
    }
    return ARUS_OK;
}

/* A packed value against another. */
static enum arus_status is_better(const struct arus_agg_call *call, const struct arus_type *type,
                                  const struct arus_agg_value *held,
                                  const struct arus_agg_value *offered, int sign, bool *out,
                                  struct arus_error *err)
{
    struct arus_vector vector;
    int order;

    if (!arus_agg_value_is_set(held)) {
        *out = true;
        return ARUS_OK;
    }
    ARUS_TRY(arus_agg_values_finish(type, (const void *)offered, sizeof *offered, 1, call->step,
                                    &vector, err));
    ARUS_TRY(arus_agg_value_compare(type, held, &vector, 0, call->step, &order, err));
    *out = order * sign <= 0;
    return ARUS_OK;
}

static enum arus_status extreme_merge(const struct arus_agg_call *call, const unsigned char *from,
                                      size_t from_stride, uint32_t count, struct arus_error *err)
{
    const int sign = sign_of(call->expr);
    const enum keep_kind kind = kind_of(call->expr->type);

    for (uint32_t i = 0; i < count; i++) {
        const void *more = from + i * from_stride;
        void *state = arus_agg_state(call, i);
        bool is_taken = false;

        if (kind == KEEP_NUMBER && ((const struct number_state *)more)->has_value != 0) {
            (void)keep_number(state, ((const struct number_state *)more)->value, sign);
        } else if (kind == KEEP_FRACTION && ((const struct fraction_state *)more)->has_value != 0) {
            (void)keep_fraction(state, ((const struct fraction_state *)more)->value, sign);
        } else if (kind == KEEP_WIDE && ((const struct wide_state *)more)->has_value != 0) {
            (void)keep_wide(state, ((const struct wide_state *)more)->value, sign);
        } else if (kind == KEEP_PACKED && arus_agg_value_is_set(more)) {
            ARUS_TRY(is_better(call, call->expr->type, state, more, sign, &is_taken, err));
        }
        if (is_taken) {
            ARUS_TRY(arus_agg_value_copy(state, more, call->heap, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status numbers_finish(const struct arus_expr *expr, const unsigned char *states,
                                       size_t stride, uint32_t count, struct arus_arena *step,
                                       struct arus_vector *out, struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(expr->type);
    const uint32_t flag_at = kind_of(expr->type) == KEEP_WIDE ? 16 : 8;

    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *state = states + i * stride;

        if (expr->type->id == ARUS_TYPE_FLOAT) {
            ((float *)out->values)[i] = (float)*(const double *)(const void *)state;
        } else {
            memcpy((char *)out->values + (size_t)i * size, state, size);
        }
        if (*(const uint64_t *)(const void *)(state + flag_at) == 0) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static enum arus_status extreme_finish(const struct arus_expr *expr, const unsigned char *states,
                                       size_t stride, uint32_t count, struct arus_arena *step,
                                       struct arus_vector *out, struct arus_error *err)
{
    if (kind_of(expr->type) != KEEP_PACKED) {
        return numbers_finish(expr, states, stride, count, step, out, err);
    }
    return arus_agg_values_finish(expr->type, states, stride, count, step, out, err);
}

static const struct arus_aggregate EXTREME = {.state_size = extreme_size,
                                              .update = extreme_update,
                                              .merge = extreme_merge,
                                              .finish = extreme_finish,
                                              .views = extreme_views};

static enum arus_status fail_order(const struct arus_bind *bind, const struct arus_type *type,
                                   struct arus_error *err)
{
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                        "`%.*s` cannot order %s", ARUS_TEXT_ARGS(bind->name),
                        arus_type_name(type).text);
}

static enum arus_status bind_extreme(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    return arus_type_is_orderable(bind->type) ? ARUS_OK : fail_order(bind, bind->type, err);
}

/* ---- first and last ---- */

static uint32_t value_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct arus_agg_value);
}

static uint32_t value_views(const struct arus_expr *expr, uint32_t offsets[ARUS_AGG_VIEWS_MAX])
{
    (void)expr;
    offsets[0] = 0;
    return 1;
}

static bool is_last(const struct arus_expr *expr)
{
    return expr->function->name[0] == 'l';
}

/* bound != NULL: IGNORE NULLS */
static enum arus_status first_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct arus_agg_value *value = (void *)arus_agg_state(call, i);

        if ((arus_agg_value_is_set(value) && !is_last(call->expr)) ||
            (call->expr->bound != NULL && !arus_agg_has(arg, i))) {
            continue;
        }
        ARUS_TRY(arus_agg_value_set(value, arg, i, call->heap, err));
    }
    return ARUS_OK;
}

static enum arus_status first_merge(const struct arus_agg_call *call, const unsigned char *from,
                                    size_t from_stride, uint32_t count, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct arus_agg_value *more = (const void *)(from + i * from_stride);
        struct arus_agg_value *value = (void *)arus_agg_state(call, i);

        if (arus_agg_value_is_set(more) && (!arus_agg_value_is_set(value) || is_last(call->expr))) {
            ARUS_TRY(arus_agg_value_copy(value, more, call->heap, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status first_finish(const struct arus_expr *expr, const unsigned char *states,
                                     size_t stride, uint32_t count, struct arus_arena *step,
                                     struct arus_vector *out, struct arus_error *err)
{
    return arus_agg_values_finish(expr->type, states, stride, count, step, out, err);
}

static const struct arus_aggregate FIRST = {.state_size = value_size,
                                            .update = first_update,
                                            .merge = first_merge,
                                            .finish = first_finish,
                                            .views = value_views};

static enum arus_status bind_first(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_vector flag;
    bool is_found = false;

    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    if (bind->arg_count == 2) {
        ARUS_TRY(arus_arg_take(bind, 1, "o", err));
        ARUS_TRY(arus_arg_constant(bind, 1, &flag, &is_found, err));
        if (!is_found || !arus_vector_is_valid(&flag, 0)) {
            return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                                "ignoreNulls must be a constant");
        }
        bind->bound = *(const uint8_t *)flag.values != 0 ? bind->function : NULL;
        bind->arg_count = 1;
    }
    return ARUS_OK;
}

/* ---- max_by and min_by ---- */

struct by_state {
    struct arus_agg_value value;
    struct arus_agg_value key;
};

static uint32_t by_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct by_state);
}

static uint32_t by_views(const struct arus_expr *expr, uint32_t offsets[ARUS_AGG_VIEWS_MAX])
{
    (void)expr;
    offsets[0] = offsetof(struct by_state, value);
    offsets[1] = offsetof(struct by_state, key);
    return 2;
}

static enum arus_status by_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *key = &call->args[1];

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct by_state *state = (void *)arus_agg_state(call, i);
        int order = 0;

        if (!arus_agg_has(key, i)) {
            continue;
        }
        if (arus_agg_value_is_set(&state->key)) {
            ARUS_TRY(
                arus_agg_value_compare(key->type, &state->key, key, i, call->step, &order, err));
            if (order * sign_of(call->expr) > 0) { /* of equal keys the later one stays */
                continue;
            }
        }
        ARUS_TRY(arus_agg_value_set(&state->key, key, i, call->heap, err));
        ARUS_TRY(arus_agg_value_set(&state->value, &call->args[0], i, call->heap, err));
    }
    return ARUS_OK;
}

static enum arus_status by_merge(const struct arus_agg_call *call, const unsigned char *from,
                                 size_t from_stride, uint32_t count, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct by_state *more = (const void *)(from + i * from_stride);
        struct by_state *state = (void *)arus_agg_state(call, i);
        bool is_taken = false;

        if (arus_agg_value_is_set(&more->key)) {
            ARUS_TRY(is_better(call, call->expr->args[1]->type, &state->key, &more->key,
                               sign_of(call->expr), &is_taken, err));
        }
        if (is_taken) {
            ARUS_TRY(arus_agg_value_copy(&state->key, &more->key, call->heap, err));
            ARUS_TRY(arus_agg_value_copy(&state->value, &more->value, call->heap, err));
        }
    }
    return ARUS_OK;
}

static const struct arus_aggregate BY = {.state_size = by_size,
                                         .update = by_update,
                                         .merge = by_merge,
                                         .finish = first_finish,
                                         .views = by_views};

static enum arus_status bind_by(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    return arus_type_is_orderable(bind->args[1]->type) ? ARUS_OK
                                                       : fail_order(bind, bind->args[1]->type, err);
}

#define AGGREGATE(name_, aliases_, min_, max_, bind_, aggregate_, signature_, help_, example_,     \
                  result_)                                                                         \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .kind = ARUS_AGGREGATE, .arg_min = min_,               \
        .arg_max = max_, .bind = bind_, .aggregate = aggregate_, .signature = signature_,          \
        .help = help_, .example = example_, .result = result_                                      \
    }

const struct arus_function ARUS_EXTREME_AGGREGATES[] = {
    AGGREGATE("min", NULL, 1, 1, bind_extreme, &EXTREME, "min(x)", "smallest value",
              "min(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "1"),
    AGGREGATE("max", NULL, 1, 1, bind_extreme, &EXTREME, "max(x)", "largest value",
              "max(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "4"),
    AGGREGATE("first", "first_value", 1, 2, bind_first, &FIRST, "first(x[, ignoreNulls])",
              "first value that came", "first(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "1"),
    AGGREGATE("last", "last_value", 1, 2, bind_first, &FIRST, "last(x[, ignoreNulls])",
              "last value that came", "last(x, true) FROM VALUES (1), (2), (4), (NULL) AS t(x)",
              "4"),
    AGGREGATE("any_value", NULL, 1, 2, bind_first, &FIRST, "any_value(x[, ignoreNulls])",
              "some value", "any_value(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "1"),
    AGGREGATE("max_by", NULL, 2, 2, bind_by, &BY, "max_by(value, key)",
              "value of the row with the largest key",
              "max_by(a, b) FROM VALUES ('x', 1), ('y', 3) AS t(a, b)", "y"),
    AGGREGATE("min_by", NULL, 2, 2, bind_by, &BY, "min_by(value, key)",
              "value of the row with the smallest key",
              "min_by(a, b) FROM VALUES ('x', 1), ('y', 3) AS t(a, b)", "x"),
    {0},
};
