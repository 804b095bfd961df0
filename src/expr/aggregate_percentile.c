/** percentile_approx, percentile, median, mode, listagg. */
#include "expr/agg_value.h"
#include "expr/coerce.h"
#include "expr/families.h"
#include "types/decimal.h"

#include <math.h>
#include <stdlib.h>

/* ---- states: growing bytes in the heap ---- */

struct bytes_state {
    struct arus_view bytes;
    uint64_t capacity;
    uint64_t count;
};

static uint32_t bytes_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct bytes_state);
}

static uint32_t bytes_views(const struct arus_expr *expr, uint32_t offsets[ARUS_AGG_VIEWS_MAX])
{
    (void)expr;
    offsets[0] = offsetof(struct bytes_state, bytes);
    return 1;
}

static enum arus_status bytes_append(struct bytes_state *state, const void *data, size_t size,
                                     struct arus_agg_heap *heap, struct arus_error *err)
{
    const size_t wanted = state->bytes.size + size;
    char *own;
    void *memory;

    if (wanted > state->capacity) {
        if (wanted > UINT32_MAX) {
            return arus_fail(err, ARUS_NO_MEMORY, "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
                             "an aggregate has collected more than 4 GiB");
        }
        state->capacity = wanted < 64 ? 64 : 2 * wanted;
        ARUS_TRY(arus_agg_heap_alloc(heap, state->capacity, &memory, err));
        if (state->bytes.size > 0) {
            memcpy(memory, state->bytes.data, state->bytes.size);
        }
        state->bytes.data = memory;
    }
    memcpy(&own, &state->bytes.data, sizeof own);
    if (size > 0) {
        memcpy(own + state->bytes.size, data, size);
    }
    state->bytes.size = (uint32_t)wanted;
    return ARUS_OK;
}

static enum arus_status bytes_merge(const struct arus_agg_call *call, const unsigned char *from,
                                    size_t from_stride, uint32_t count, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct bytes_state *more = (const void *)(from + i * from_stride);
        struct bytes_state *state = (void *)arus_agg_state(call, i);

        ARUS_TRY(bytes_append(state, more->bytes.data, more->bytes.size, call->heap, err));
        state->count += more->count;
    }
    return ARUS_OK;
}

/* ---- percentiles: all values as DOUBLE, sorted at the end ---- */

struct percentile {
    double *points; /* [count] 0..1, in the plan */
    uint32_t count;
    bool is_list;
    const struct arus_type *type; /* of one result */
};

/* -1: NaN is greatest */
static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    if (isnan(a) || isnan(b)) {
        return (isnan(a) != 0) - (isnan(b) != 0);
    }
    return (a > b) - (a < b);
}

static enum arus_status double_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const bool has_frequency = call->expr->arg_count > 1;

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct bytes_state *state = (void *)arus_agg_state(call, i);
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
            ARUS_TRY(bytes_append(state, &value, sizeof value, call->heap, err));
            state->count++;
        }
    }
    return ARUS_OK;
}

/* A value back in the type it came from. */
static void store_double(const struct arus_type *type, void *values, uint32_t i, double value)
{
    int64_t integer = value >= 9223372036854775808.0                   ? INT64_MAX
                      : value < -9223372036854775808.0 || isnan(value) ? INT64_MIN
                                                                       : (int64_t)value;
    arus_int128 decimal = 0;

    if (type->id == ARUS_TYPE_DOUBLE) {
        ((double *)values)[i] = value;
    } else if (type->id == ARUS_TYPE_FLOAT) {
        ((float *)values)[i] = (float)value;
    } else if (type->id == ARUS_TYPE_DECIMAL) {
        (void)arus_decimal_from_double(
            value, (struct arus_decimal_type){type->precision, type->scale}, &decimal);
        arus_decimal_set(type, values, i, decimal);
    } else {
        memcpy((char *)values + (size_t)i * arus_type_value_size(type), &integer,
               arus_type_value_size(type));
    }
}

/* The element of rank ceil(p * n): percentile_approx. */
static double nearest_rank(const double *sorted, uint64_t count, double point)
{
    const uint64_t rank = (uint64_t)ceil(point * (double)count);

    return sorted[rank == 0 ? 0 : rank - 1];
}

/* Between two elements: percentile, median. */
static double interpolated(const double *sorted, uint64_t count, double point)
{
    const double position = point * (double)(count - 1);
    const uint64_t low = (uint64_t)floor(position);
    const uint64_t high = (uint64_t)ceil(position);

    if (low == high || sorted[low] == sorted[high]) {
        return sorted[low];
    }
    return ((double)high - position) * sorted[low] + (position - (double)low) * sorted[high];
}

static double point_of(const struct arus_expr *expr, const double *sorted, uint64_t count,
                       double point)
{
    const char *name = expr->function->name;

    if (strcmp(name, "percentile_approx") == 0) {
        return nearest_rank(sorted, count, point);
    }
    if (strcmp(name, "percentile_disc") == 0) {
        return nearest_rank(sorted, count, point);
    }
    return interpolated(sorted, count, point);
}

static enum arus_status sorted_of(const struct bytes_state *state, struct arus_arena *step,
                                  double **out, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(step, double, state->count, out, err));
    if (state->count > 0) {
        memcpy(*out, state->bytes.data, state->count * sizeof **out);
        qsort(*out, state->count, sizeof **out, compare_doubles);
    }
    return ARUS_OK;
}

static enum arus_status percentile_finish(const struct arus_expr *expr, const unsigned char *states,
                                          size_t stride, uint32_t count, struct arus_arena *step,
                                          struct arus_vector *out, struct arus_error *err)
{
    const struct percentile *percentile = expr->bound;
    struct arus_vector *values = out;

    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    if (percentile->is_list) {
        values = out->children;
        ARUS_TRY(arus_vector_init(values, percentile->type, count * percentile->count, step, err));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct bytes_state *state = (const void *)(states + i * stride);
        double *sorted;

        ARUS_TRY(sorted_of(state, step, &sorted, err));
        if (state->count == 0) {
            arus_bit_clear(out->validity, i);
        }
        for (uint32_t k = 0; k < percentile->count; k++) {
            store_double(percentile->type, values->values, i * percentile->count + k,
                         state->count == 0
                             ? 0
                             : point_of(expr, sorted, state->count, percentile->points[k]));
        }
        if (percentile->is_list) {
            ((struct arus_span *)out->values)[i] =
                (struct arus_span){i * percentile->count, percentile->count};
        }
    }
    return ARUS_OK;
}

static const struct arus_aggregate PERCENTILE = {.state_size = bytes_size,
                                                 .update = double_update,
                                                 .merge = bytes_merge,
                                                 .finish = percentile_finish,
                                                 .views = bytes_views};

static enum arus_status fail_point(const struct arus_bind *bind, struct arus_error *err)
{
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                        "a percentage must lie between 0.0 and 1.0");
}

/* Argument 1: a constant DOUBLE or an array of them. */
static enum arus_status take_points(struct arus_bind *bind, struct percentile *percentile,
                                    struct arus_error *err)
{
    struct arus_vector value;
    const struct arus_vector *items = &value;
    const struct arus_type *list;
    bool is_found;

    percentile->is_list = bind->args[1]->type->id == ARUS_TYPE_ARRAY;
    if (percentile->is_list) {
        ARUS_TRY(arus_type_array(&ARUS_DOUBLE, true, bind->arena, &list, err));
        if (!arus_type_converts(bind->args[1]->type, list)) {
            return arus_fail_input(bind, 1, "DOUBLE or ARRAY<DOUBLE>", err);
        }
        ARUS_TRY(arus_arg_cast(bind, 1, list, err));
    } else {
        ARUS_TRY(arus_arg_take(bind, 1, "d", err));
    }
    ARUS_TRY(arus_arg_constant(bind, 1, &value, &is_found, err));
    if (!is_found) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "the percentage must be a constant");
    }
    if (!arus_vector_is_valid(&value, 0)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.UNEXPECTED_NULL",
                            "the percentage must not be NULL");
    }
    percentile->count = 1;
    if (percentile->is_list) {
        percentile->count = ((const struct arus_span *)value.values)->count;
        items = &value.children[0];
    }
    ARUS_TRY(ARUS_NEW(bind->arena, double, percentile->count, &percentile->points, err));
    for (uint32_t k = 0; k < percentile->count; k++) {
        percentile->points[k] = arus_double_at(items, k);
        if (!(percentile->points[k] >= 0 && percentile->points[k] <= 1)) {
            return fail_point(bind, err);
        }
    }
    return ARUS_OK;
}

static enum arus_status result_type(struct arus_bind *bind, const struct percentile *percentile,
                                    struct arus_error *err)
{
    bind->type = percentile->type;
    bind->is_nullable = true;
    return percentile->is_list
               ? arus_type_array(percentile->type, false, bind->arena, &bind->type, err)
               : ARUS_OK;
}

/* The value as DOUBLE: dates and intervals by their number. */
static enum arus_status value_as_double(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;

    if (id == ARUS_TYPE_INTERVAL_YM || id == ARUS_TYPE_INTERVAL_DT) {
        ARUS_TRY(arus_call_of(bind, "interval_number", &bind->args[0], 1, &bind->args[0], err));
    } else if (id == ARUS_TYPE_DATE) {
        ARUS_TRY(arus_call_of(bind, "unix_date", &bind->args[0], 1, &bind->args[0], err));
    } else if (id == ARUS_TYPE_TIMESTAMP || id == ARUS_TYPE_TIMESTAMP_NTZ) {
        ARUS_TRY(arus_call_of(bind, "micros_number", &bind->args[0], 1, &bind->args[0], err));
    }
    return arus_arg_cast(bind, 0, &ARUS_DOUBLE, err);
}

static enum arus_status bind_approx(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;
    struct percentile *percentile;

    ARUS_TRY(ARUS_NEW(bind->arena, struct percentile, 1, &percentile, err));
    if (id < ARUS_TYPE_DATE || id > ARUS_TYPE_INTERVAL_DT) {
        ARUS_TRY(arus_arg_take(bind, 0, "N", err));
    }
    percentile->type = bind->args[0]->type;
    ARUS_TRY(take_points(bind, percentile, err));
    if (bind->arg_count == 3) {
        struct arus_vector accuracy;
        bool is_found;

        ARUS_TRY(arus_arg_take(bind, 2, "l", err));
        ARUS_TRY(arus_arg_constant(bind, 2, &accuracy, &is_found, err));
        if (!is_found || !arus_vector_is_valid(&accuracy, 0) ||
            *(const int64_t *)accuracy.values <= 0 ||
            *(const int64_t *)accuracy.values > INT32_MAX) {
            return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                                "the accuracy must be a constant above 0");
        }
    }
    ARUS_TRY(value_as_double(bind, err));
    bind->bound = percentile;
    bind->arg_count = 1;
    return result_type(bind, percentile, err);
}

static enum arus_status bind_percentile(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;
    struct percentile *percentile;

    ARUS_TRY(ARUS_NEW(bind->arena, struct percentile, 1, &percentile, err));
    percentile->type = &ARUS_DOUBLE;
    if (id == ARUS_TYPE_INTERVAL_YM || id == ARUS_TYPE_INTERVAL_DT) {
        percentile->type = id == ARUS_TYPE_INTERVAL_YM ? &ARUS_INTERVAL_YM : &ARUS_INTERVAL_DT;
    } else {
        ARUS_TRY(arus_arg_take(bind, 0, "N", err));
    }
    if (strcmp(bind->function->name, "median") == 0) {
        ARUS_TRY(ARUS_NEW(bind->arena, double, 1, &percentile->points, err));
        percentile->points[0] = 0.5;
        percentile->count = 1;
    } else {
        ARUS_TRY(take_points(bind, percentile, err));
    }
    if (bind->arg_count == 3) { /* value, frequency */
        ARUS_TRY(arus_arg_take(bind, 2, "L", err));
        bind->args[1] = bind->args[2];
        bind->arg_count = 2;
    } else {
        bind->arg_count = 1;
    }
    ARUS_TRY(value_as_double(bind, err));
    bind->bound = percentile;
    return result_type(bind, percentile, err);
}

/* ---- mode: the most frequent packed value ---- */

static enum arus_status packed_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct bytes_state *state = (void *)arus_agg_state(call, i);
        size_t size;
        void *memory;

        if (!arus_agg_has(arg, i)) {
            continue;
        }
        size = arus_pack_size(arg, i);
        ARUS_TRY(arus_arena_alloc(call->step, size, &memory, err));
        (void)arus_pack_write(arg, i, memory);
        ARUS_TRY(bytes_append(state, memory, size, call->heap, err));
        state->count++;
    }
    return ARUS_OK;
}

struct packed {
    const char *bytes;
    size_t size;
};

static int compare_packed(const void *left, const void *right)
{
    const struct packed *a = left;
    const struct packed *b = right;
    const size_t size = a->size < b->size ? a->size : b->size;
    const int order = memcmp(a->bytes, b->bytes, size);

    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* The bytes of the most frequent value; NULL: none. */
static enum arus_status most_frequent(const struct arus_type *type, const struct bytes_state *state,
                                      struct arus_arena *step, const char **out,
                                      struct arus_error *err)
{
    const char *at = state->bytes.data;
    struct packed *items;
    uint64_t best = 0;

    *out = NULL;
    ARUS_TRY(ARUS_NEW(step, struct packed, state->count, &items, err));
    for (uint64_t k = 0; k < state->count; k++) {
        const char *end = arus_pack_skip(type, at);

        items[k] = (struct packed){at, (size_t)(end - at)};
        at = end;
    }
    qsort(items, state->count, sizeof *items, compare_packed);
    for (uint64_t k = 0, run = 0; k < state->count; k++) {
        run = k > 0 && compare_packed(&items[k], &items[k - 1]) == 0 ? run + 1 : 1;
        if (run > best) {
            best = run;
            *out = items[k].bytes;
        }
    }
    return ARUS_OK;
}

static enum arus_status mode_finish(const struct arus_expr *expr, const unsigned char *states,
                                    size_t stride, uint32_t count, struct arus_arena *step,
                                    struct arus_vector *out, struct arus_error *err)
{
    struct arus_agg_value *values;

    ARUS_TRY(ARUS_NEW(step, struct arus_agg_value, count, &values, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(most_frequent(expr->type, (const void *)(states + i * stride), step,
                               &values[i].packed.data, err));
    }
    return arus_agg_values_finish(expr->type, (const void *)values, sizeof *values, count, step,
                                  out, err);
}

static const struct arus_aggregate MODE = {.state_size = bytes_size,
                                           .update = packed_update,
                                           .merge = bytes_merge,
                                           .finish = mode_finish,
                                           .views = bytes_views};

static enum arus_status bind_mode(struct arus_bind *bind, struct arus_error *err)
{
    (void)err;
    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    bind->arg_count = 1;
    return ARUS_OK;
}

/* ---- listagg ---- */

static enum arus_status listagg_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const struct arus_view *separator = call->expr->bound;

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct bytes_state *state = (void *)arus_agg_state(call, i);
        struct arus_view view;

        if (!arus_agg_has(arg, i)) {
            continue;
        }
        view = arus_view_at(arg, i);
        if (state->count++ > 0) {
            ARUS_TRY(bytes_append(state, separator->data, separator->size, call->heap, err));
        }
        ARUS_TRY(bytes_append(state, view.data, view.size, call->heap, err));
    }
    return ARUS_OK;
}

static enum arus_status listagg_merge(const struct arus_agg_call *call, const unsigned char *from,
                                      size_t from_stride, uint32_t count, struct arus_error *err)
{
    const struct arus_view *separator = call->expr->bound;

    for (uint32_t i = 0; i < count; i++) {
        const struct bytes_state *more = (const void *)(from + i * from_stride);
        struct bytes_state *state = (void *)arus_agg_state(call, i);

        if (more->count > 0 && state->count > 0) {
            ARUS_TRY(bytes_append(state, separator->data, separator->size, call->heap, err));
        }
        ARUS_TRY(bytes_append(state, more->bytes.data, more->bytes.size, call->heap, err));
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
        const struct bytes_state *state = (const void *)(states + i * stride);

        ARUS_TRY(arus_strings_add(&strings, state->bytes.data, state->bytes.size,
                                  (struct arus_view *)out->values + i, err));
        if (state->count == 0) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static const struct arus_aggregate LISTAGG = {.state_size = bytes_size,
                                              .update = listagg_update,
                                              .merge = listagg_merge,
                                              .finish = listagg_finish,
                                              .views = bytes_views};

static enum arus_status bind_listagg(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_text separator = ARUS_TEXT("");
    struct arus_view *view;

    ARUS_TRY(arus_arg_take(bind, 0, "S", err));
    if (bind->arg_count == 2) {
        ARUS_TRY(arus_arg_text(bind, 1, &separator, err));
        if (separator.data == NULL) {
            separator = ARUS_TEXT("");
        }
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_view, 1, &view, err));
    *view = arus_view_of(separator.data, separator.size);
    bind->bound = view;
    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    bind->arg_count = 1;
    return ARUS_OK;
}

#define AGGREGATE(name_, aliases_, min_, max_, bind_, aggregate_, signature_, help_, example_,     \
                  result_)                                                                         \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .kind = ARUS_AGGREGATE, .arg_min = min_,               \
        .arg_max = max_, .bind = bind_, .aggregate = aggregate_, .signature = signature_,          \
        .help = help_, .example = example_, .result = result_                                      \
    }

const struct arus_function ARUS_PERCENTILE_AGGREGATES[] = {
    AGGREGATE("percentile_approx", "approx_percentile", 2, 3, bind_approx, &PERCENTILE,
              "percentile_approx(x, p[, accuracy])",
              "the value below which the share p of all lies",
              "percentile_approx(x, 0.5) FROM VALUES (1), (2), (10) AS t(x)", "2"),
    AGGREGATE("percentile", NULL, 2, 3, bind_percentile, &PERCENTILE,
              "percentile(x, p[, frequency]) -> DOUBLE", "exact, between two values if need be",
              "percentile(x, 0.25) FROM VALUES (0), (10) AS t(x)", "2.5"),
    AGGREGATE("median", NULL, 1, 1, bind_percentile, &PERCENTILE, "median(x) -> DOUBLE",
              "percentile(x, 0.5)", "median(x) FROM VALUES (0), (10) AS t(x)", "5.0"),
    AGGREGATE("mode", NULL, 1, 2, bind_mode, &MODE, "mode(x)", "the most frequent value",
              "mode(x) FROM VALUES (1), (2), (2) AS t(x)", "2"),
    AGGREGATE("listagg", "string_agg", 1, 2, bind_listagg, &LISTAGG, "listagg(s[, separator])",
              "all texts joined", "listagg(x, ', ') FROM VALUES ('a'), ('b') AS t(x)", "a, b"),
    {0},
};
