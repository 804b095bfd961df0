/** count, count_if, bool_and, bool_or, bit_and, bit_or, bit_xor. */
#include "expr/agg_value.h"
#include "expr/coerce.h"
#include "expr/families.h"

/* ---- count: rows where no argument is null ---- */

static uint32_t size_8(const struct arus_expr *expr)
{
    (void)expr;
    return 8;
}

static uint64_t count_valid(const struct arus_vector *arg, uint32_t row_count)
{
    uint64_t count = 0;

    if (arg->type->id == ARUS_TYPE_VOID) {
        return 0;
    }
    if (arg->form == ARUS_VECTOR_CONSTANT) {
        return arus_bit_get(arg->validity, 0) ? row_count : 0;
    }
    if (arg->validity == NULL) {
        return row_count;
    }
    for (uint32_t w = 0; w < row_count / 64; w++) {
        count += (uint64_t)__builtin_popcountll(arg->validity[w]);
    }
    if (row_count % 64 != 0) {
        count += (uint64_t)__builtin_popcountll(arg->validity[row_count / 64] &
                                                (UINT64_MAX >> (64 - row_count % 64)));
    }
    return count;
}

static bool is_counted(const struct arus_agg_call *call, uint32_t i)
{
    for (uint32_t a = 0; a < call->expr->arg_count; a++) {
        if (!arus_agg_has(&call->args[a], i)) {
            return false;
        }
    }
    return true;
}

static bool never_null(const struct arus_agg_call *call)
{
    for (uint32_t a = 0; a < call->expr->arg_count; a++) {
        if (call->args[a].validity != NULL || call->args[a].type->id == ARUS_TYPE_VOID) {
            return false;
        }
    }
    return true;
}

static enum arus_status count_update(const struct arus_agg_call *call, struct arus_error *err)
{
    (void)err;
    if (call->groups == NULL && call->expr->arg_count <= 1) {
        *(uint64_t *)(void *)call->states += call->expr->arg_count == 0
                                                 ? call->row_count
                                                 : count_valid(&call->args[0], call->row_count);
        return ARUS_OK;
    }
    if (never_null(call)) {
        for (uint32_t i = 0; i < call->row_count; i++) {
            *(uint64_t *)(void *)arus_agg_state(call, i) += 1;
        }
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        *(uint64_t *)(void *)arus_agg_state(call, i) += is_counted(call, i);
    }
    return ARUS_OK;
}

/* Flat truth values of one group. */
ARUS_KERNEL static uint64_t count_true(const struct arus_vector *arg, uint32_t row_count)
{
    const uint8_t *values = arg->values;
    uint64_t count = 0;

    if (arg->validity == NULL) {
        for (uint32_t i = 0; i < row_count; i++) {
            count += values[i] != 0;
        }
        return count;
    }
    for (uint32_t i = 0; i < row_count; i++) {
        count += values[i] != 0 && arus_bit_get(arg->validity, i);
    }
    return count;
}

static enum arus_status count_if_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];

    (void)err;
    if (call->groups == NULL && arg->form == ARUS_VECTOR_FLAT && arg->type->id != ARUS_TYPE_VOID) {
        *(uint64_t *)(void *)call->states += count_true(arg, call->row_count);
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        *(uint64_t *)(void *)arus_agg_state(call, i) +=
            arus_agg_has(arg, i) && arus_boolean_at(arg, i);
    }
    return ARUS_OK;
}

static enum arus_status count_merge(const struct arus_agg_call *call, const unsigned char *from,
                                    size_t from_stride, uint32_t count, struct arus_error *err)
{
    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        *(uint64_t *)(void *)arus_agg_state(call, i) +=
            *(const uint64_t *)(const void *)(from + i * from_stride);
    }
    return ARUS_OK;
}

static enum arus_status count_finish(const struct arus_expr *expr, const unsigned char *states,
                                     size_t stride, uint32_t count, struct arus_arena *step,
                                     struct arus_vector *out, struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    for (uint32_t i = 0; i < count; i++) {
        ((int64_t *)out->values)[i] = *(const int64_t *)(const void *)(states + i * stride);
    }
    return ARUS_OK;
}

static const struct arus_aggregate COUNT = {
    .state_size = size_8, .update = count_update, .merge = count_merge, .finish = count_finish};
static const struct arus_aggregate COUNT_IF = {
    .state_size = size_8, .update = count_if_update, .merge = count_merge, .finish = count_finish};

static enum arus_status bind_count(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->arg_count == 0) {
        return arus_fail_at(err, bind->place, "WRONG_NUM_ARGS.WITH_SUGGESTION",
                            "`count` takes 1 or more arguments; all rows: count(*)");
    }
    bind->type = &ARUS_BIGINT;
    bind->is_nullable = false;
    return ARUS_OK;
}

static enum arus_status bind_count_if(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "o", err));
    return bind_count(bind, err);
}

/* ---- folding values of one size with AND, OR, XOR ---- */

/* No rows yet: has_value 0. */
struct bits_state {
    int64_t value;
    uint64_t has_value;
};

enum bits_op { BITS_AND, BITS_OR, BITS_XOR };

static uint32_t bits_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct bits_state);
}

static int64_t bits_value(const struct arus_vector *arg, uint32_t i)
{
    const size_t at = i * ARUS_STEP(arg);

    switch (arus_type_value_size(arg->type)) {
    case 1:
        return ((const int8_t *)arg->values)[at];
    case 2:
        return ((const int16_t *)arg->values)[at];
    case 4:
        return ((const int32_t *)arg->values)[at];
    default:
        return ((const int64_t *)arg->values)[at];
    }
}

static void bits_add(struct bits_state *state, int64_t value, enum bits_op op)
{
    if (state->has_value == 0) {
        state->value = value;
    } else if (op == BITS_AND) {
        state->value &= value;
    } else if (op == BITS_OR) {
        state->value |= value;
    } else {
        state->value ^= value;
    }
    state->has_value = 1;
}

static enum bits_op op_of(const struct arus_expr *expr)
{
    const char *name = strchr(expr->function->name, '_') + 1;

    return name[0] == 'a' ? BITS_AND : name[0] == 'o' ? BITS_OR : BITS_XOR;
}

static enum arus_status bits_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const enum bits_op op = op_of(call->expr);

    (void)err;
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_agg_has(&call->args[0], i)) {
            bits_add((void *)arus_agg_state(call, i), bits_value(&call->args[0], i), op);
        }
    }
    return ARUS_OK;
}

static enum arus_status bits_merge(const struct arus_agg_call *call, const unsigned char *from,
                                   size_t from_stride, uint32_t count, struct arus_error *err)
{
    const enum bits_op op = op_of(call->expr);

    (void)err;
    for (uint32_t i = 0; i < count; i++) {
        const struct bits_state *state = (const void *)(from + i * from_stride);

        if (state->has_value != 0) {
            bits_add((void *)arus_agg_state(call, i), state->value, op);
        }
    }
    return ARUS_OK;
}

static enum arus_status bits_finish(const struct arus_expr *expr, const unsigned char *states,
                                    size_t stride, uint32_t count, struct arus_arena *step,
                                    struct arus_vector *out, struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(expr->type);

    ARUS_TRY(arus_vector_init(out, expr->type, count, step, err));
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    for (uint32_t i = 0; i < count; i++) {
        const struct bits_state *state = (const void *)(states + i * stride);

        memcpy((char *)out->values + (size_t)i * size, &state->value, size);
        if (state->has_value == 0) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static const struct arus_aggregate BITS = {
    .state_size = bits_size, .update = bits_update, .merge = bits_merge, .finish = bits_finish};

static enum arus_status bind_bool(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "o", err));
    bind->type = &ARUS_BOOLEAN;
    bind->is_nullable = true;
    return ARUS_OK;
}

static enum arus_status bind_bits(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "=I", err));
    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    return ARUS_OK;
}

#define AGGREGATE(name_, aliases_, min_, max_, bind_, aggregate_, signature_, help_, example_,     \
                  result_)                                                                         \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .kind = ARUS_AGGREGATE, .arg_min = min_,               \
        .arg_max = max_, .bind = bind_, .aggregate = aggregate_, .signature = signature_,          \
        .help = help_, .example = example_, .result = result_                                      \
    }

const struct arus_function ARUS_COUNT_AGGREGATES[] = {
    AGGREGATE("count", NULL, 0, 255, bind_count, &COUNT, "count(*), count(x, ..) -> BIGINT",
              "rows; with arguments: rows where none is NULL",
              "count(*), count(x) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "4, 3"),
    AGGREGATE("count_if", NULL, 1, 1, bind_count_if, &COUNT_IF, "count_if(condition) -> BIGINT",
              "rows where the condition is true",
              "count_if(x > 1) FROM VALUES (1), (2), (4), (NULL) AS t(x)", "2"),
    AGGREGATE("bool_and", "every", 1, 1, bind_bool, &BITS, "bool_and(x) -> BOOLEAN",
              "is x always true?", "bool_and(x) FROM VALUES (true), (false), (NULL) AS t(x)",
              "false"),
    AGGREGATE("bool_or", "any some", 1, 1, bind_bool, &BITS, "bool_or(x) -> BOOLEAN",
              "is x ever true?", "bool_or(x) FROM VALUES (true), (false), (NULL) AS t(x)", "true"),
    AGGREGATE("bit_and", NULL, 1, 1, bind_bits, &BITS, "bit_and(x)", "bitwise and of all values",
              "bit_and(x) FROM VALUES (6), (3) AS t(x)", "2"),
    AGGREGATE("bit_or", NULL, 1, 1, bind_bits, &BITS, "bit_or(x)", "bitwise or of all values",
              "bit_or(x) FROM VALUES (6), (3) AS t(x)", "7"),
    AGGREGATE("bit_xor", NULL, 1, 1, bind_bits, &BITS, "bit_xor(x)",
              "bitwise exclusive or of all values", "bit_xor(x) FROM VALUES (6), (3) AS t(x)", "5"),
    {0},
};
