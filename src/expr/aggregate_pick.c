/** first, last, any_value, max_by, min_by: the value of one row. */
#include "expr/agg_value.h"
#include "expr/coerce.h"
#include "expr/families.h"

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

static int sign_of(const struct arus_expr *expr)
{
    return expr->function->name[1] == 'i' ? -1 : 1;
}

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

        if (!arus_agg_has(key, i)) {
            continue;
        }
        if (arus_agg_value_is_set(&state->key) &&
            arus_agg_value_compare(&state->key, key, i) * sign_of(call->expr) > 0) {
            continue; /* of equal keys the later one stays */
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
            is_taken = arus_agg_value_is_better(call->expr->args[1]->type, &state->key, &more->key,
                                                sign_of(call->expr));
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
    return arus_agg_need_order(bind, bind->args[1]->type, err);
}

#define AGGREGATE(name_, aliases_, min_, max_, bind_, aggregate_, signature_, help_, example_,     \
                  result_)                                                                         \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .kind = ARUS_AGGREGATE, .arg_min = min_,               \
        .arg_max = max_, .bind = bind_, .aggregate = aggregate_, .signature = signature_,          \
        .help = help_, .example = example_, .result = result_                                      \
    }

const struct arus_function ARUS_PICK_AGGREGATES[] = {
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
