/** min, max. */
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

static enum arus_status offer(const struct arus_agg_call *call, uint32_t i, unsigned char *state,
                              struct arus_error *err)
{
    struct arus_agg_value *value = (void *)state;
    const struct arus_vector *arg = &call->args[0];

    if (arus_agg_value_is_set(value) &&
        arus_agg_value_compare(value, arg, i) * sign_of(call->expr) >= 0) {
        return ARUS_OK;
    }
    return arus_agg_value_set(value, arg, i, call->heap, err);
}

/* The first bytes of a text as a number: what is greater, is greater. */
static uint32_t head_of(const struct arus_view *view)
{
    uint32_t head;

    memcpy(&head, view->prefix, sizeof head);
    return __builtin_bswap32(head);
}

/* All rows belong to one state: the extreme of a flat column of texts is the only one to offer. */
static enum arus_status offer_views(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const struct arus_view *views = arg->values;
    const int sign = sign_of(call->expr);
    const uint32_t flip = sign < 0 ? UINT32_MAX : 0;
    uint32_t best = UINT32_MAX;
    uint32_t best_head = 0;

    for (uint32_t i = 0; i < call->row_count; i++) {
        const uint32_t head = head_of(&views[i]) ^ flip;

        if (head < best_head || !arus_bit_get(arg->validity, i)) {
            continue;
        }
        if (best == UINT32_MAX || head > best_head ||
            arus_vector_compare(arg, i, arg, best) * sign > 0) {
            best = i;
            best_head = head;
        }
    }
    return best == UINT32_MAX ? ARUS_OK : offer(call, best, call->states, err);
}

/* The best row of each group among the rows of a call: a table of their states, half empty. */
struct best_row {
    unsigned char *state; /* NULL: free */
    uint32_t row;
};

static struct best_row *best_of(struct best_row *table, uint32_t mask, unsigned char *state)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)state * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(mixed >> 32) & mask;

    while (table[at].state != NULL && table[at].state != state) {
        at = (at + 1) & mask;
    }
    return &table[at];
}

/* Structs and lists cost as much to pack and unpack as a hundred comparisons: only the best row of
 * the call is offered to the state of its group. */
static enum arus_status offer_best(const struct arus_agg_call *call, const struct arus_vector *arg,
                                   struct arus_error *err)
{
    const int sign = sign_of(call->expr);
    struct best_row *table;
    uint32_t size = 2;

    while (size < 2 * call->row_count) {
        size *= 2;
    }
    ARUS_TRY(ARUS_NEW(call->step, struct best_row, size, &table, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        unsigned char *state = arus_agg_state(call, i);
        struct best_row *best;

        if (!arus_agg_has(arg, i)) {
            continue;
        }
        best = best_of(table, size - 1, state);
        if (best->state == NULL || arus_vector_compare(arg, best->row, arg, i) * sign < 0) {
            *best = (struct best_row){state, i};
        }
    }
    for (uint32_t i = 0; i < size; i++) {
        if (table[i].state != NULL) {
            ARUS_TRY(offer(call, table[i].row, table[i].state, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status update_packed(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];

    if (call->groups == NULL && arg->form == ARUS_VECTOR_FLAT && arus_type_is_view(arg->type)) {
        return offer_views(call, err);
    }
    if (arus_type_is_nested(arg->type)) {
        return offer_best(call, arg, err);
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_agg_has(arg, i)) {
            ARUS_TRY(offer(call, i, arus_agg_state(call, i), err));
        }
    }
    return ARUS_OK;
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
        return update_packed(call, err);
    }
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
            is_taken = arus_agg_value_is_better(call->expr->type, state, more, sign);
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

static enum arus_status bind_extreme(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    return arus_agg_need_order(bind, bind->type, err);
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
    {0},
};
