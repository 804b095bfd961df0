#include "plan/join_bound.h"

#include "plan/tree.h"
#include "types/decimal.h"

#define MICROS_PER_SECOND 1000000

/* A sum of at most one column of each side and a constant, in microseconds. */
struct sum {
    const struct arus_bound_side *side;
    const struct arus_bound_side *other;
    int32_t side_count; /* +1 for each time the column is added, -1 subtracted */
    int32_t other_count;
    uint32_t side_column;
    uint32_t other_column;
    double constant;
    bool is_bad; /* something else is in it */
};

/* A second column of one side cannot be solved. */
static void add_column(struct sum *sum, uint32_t column, int32_t sign)
{
    const bool of_side = column >= sum->side->begin && column < sum->side->end;
    int32_t *count = of_side ? &sum->side_count : &sum->other_count;
    uint32_t *known = of_side ? &sum->side_column : &sum->other_column;

    if (*known != UINT32_MAX && *known != column) {
        sum->is_bad = true;
    }
    *known = column;
    *count += sign;
}

static double number_of(const struct arus_expr *literal)
{
    const struct arus_type *type = literal->type;
    const void *value = literal->value.values;

    if (type->id == ARUS_TYPE_DECIMAL) {
        return arus_decimal_to_double((struct arus_decimal){
            arus_type_is_wide(type) ? *(const arus_int128 *)value : *(const int64_t *)value,
            type->scale});
    }
    if (type->id == ARUS_TYPE_FLOAT || type->id == ARUS_TYPE_DOUBLE) {
        return type->id == ARUS_TYPE_FLOAT ? (double)*(const float *)value : *(const double *)value;
    }
    switch (arus_type_value_size(type)) {
    case 1:
        return *(const int8_t *)value;
    case 2:
        return *(const int16_t *)value;
    case 4:
        return *(const int32_t *)value;
    default:
        return (double)*(const int64_t *)value;
    }
}

/* Numbers are seconds. Months have no length; a timestamp makes Spark see no bound. */
static void add_literal(struct sum *sum, const struct arus_expr *literal, int32_t sign)
{
    if (!arus_vector_is_valid(&literal->value, 0)) {
        sum->is_bad = true;
    } else if (literal->type->id == ARUS_TYPE_INTERVAL_DT) {
        sum->constant += sign * (double)*(const int64_t *)literal->value.values;
    } else if (arus_type_is_numeric(literal->type)) {
        sum->constant += sign * number_of(literal) * MICROS_PER_SECOND;
    } else {
        sum->is_bad = true;
    }
}

static void add_term(struct sum *sum, const struct arus_expr *expr, int32_t sign);

static void add_call(struct sum *sum, const struct arus_expr *call, int32_t sign)
{
    const bool is_minus = arus_expr_is_call(call, "-");

    if ((!is_minus && !arus_expr_is_call(call, "+")) ||
        (call->type->id == ARUS_TYPE_INTERVAL_DT && call->arg_count == 2 &&
         call->args[0]->type->id == ARUS_TYPE_TIMESTAMP)) {
        sum->is_bad = true; /* a difference of timestamps is no sum of them */
        return;
    }
    if (call->arg_count == 1) {
        add_term(sum, call->args[0], is_minus ? -sign : sign);
        return;
    }
    add_term(sum, call->args[0], sign);
    add_term(sum, call->args[1], is_minus ? -sign : sign);
}

static void add_term(struct sum *sum, const struct arus_expr *expr, int32_t sign)
{
    switch (expr->kind) {
    case ARUS_EXPR_COLUMN:
        add_column(sum, expr->index, sign);
        return;
    case ARUS_EXPR_LITERAL:
        add_literal(sum, expr, sign);
        return;
    case ARUS_EXPR_CAST:
        if (arus_type_is_numeric(expr->type) || expr->type->id == ARUS_TYPE_TIMESTAMP) {
            add_term(sum, expr->args[0], sign);
            return;
        }
        break;
    case ARUS_EXPR_CALL:
        add_call(sum, expr, sign);
        return;
    case ARUS_EXPR_FIELD:
    case ARUS_EXPR_LAMBDA:
    case ARUS_EXPR_VARIABLE:
        break;
    }
    sum->is_bad = true;
}

static void add_time(const struct sum *sum, int64_t minus_ms, struct arus_join_bound *out)
{
    const int64_t offset = (int64_t)sum->constant;

    if (!out->has_time || offset - minus_ms * 1000 < out->offset_micros - out->minus_ms * 1000) {
        out->has_time = true;
        out->column = sum->side_column - sum->side->begin;
        out->offset_micros = offset;
        out->minus_ms = minus_ms;
    }
}

static void add_limit(const struct sum *sum, int64_t minus_ms, struct arus_join_bound *out)
{
    const int64_t limit = (int64_t)(sum->constant / 1000) - minus_ms;

    if (!out->has_limit || limit < out->limit_ms) {
        out->has_limit = true;
        out->limit_ms = limit;
    }
}

/* low < high (or <=): a bound when it says  watermark column + constant < column of the side */
static void solve(const struct arus_expr *low, const struct arus_expr *high, int64_t minus_ms,
                  const struct arus_bound_side *side, const struct arus_bound_side *other,
                  struct arus_join_bound *out)
{
    struct sum sum = {
        .side = side, .other = other, .side_column = UINT32_MAX, .other_column = UINT32_MAX};

    add_term(&sum, low, 1);
    add_term(&sum, high, -1);
    if (sum.is_bad || sum.side_count != -1) {
        return;
    }
    if (sum.other_column == UINT32_MAX) {
        add_limit(&sum, minus_ms, out);
    } else if (sum.other_count == 1 &&
               other->marks[sum.other_column - other->begin].origin != NULL) {
        add_time(&sum, minus_ms, out);
    }
}

static bool has_mark(const struct arus_bound_side *side)
{
    for (uint32_t i = 0; i < side->end - side->begin; i++) {
        if (side->marks[i].origin != NULL) {
            return true;
        }
    }
    return false;
}

static void solve_conjunct(const struct arus_expr *expr, const struct arus_bound_side *side,
                           const struct arus_bound_side *other, struct arus_join_bound *out)
{
    if (arus_expr_is_call(expr, "<")) {
        solve(expr->args[0], expr->args[1], 0, side, other, out);
    } else if (arus_expr_is_call(expr, "<=")) {
        solve(expr->args[0], expr->args[1], 1, side, other, out);
    } else if (arus_expr_is_call(expr, ">")) {
        solve(expr->args[1], expr->args[0], 0, side, other, out);
    } else if (arus_expr_is_call(expr, ">=")) {
        solve(expr->args[1], expr->args[0], 1, side, other, out);
    } else if (arus_expr_is_call(expr, "between")) {
        solve(expr->args[1], expr->args[0], 1, side, other, out);
        solve(expr->args[0], expr->args[2], 1, side, other, out);
    }
}

enum arus_status arus_join_bound(const struct arus_expr *condition,
                                 const struct arus_bound_side *side,
                                 const struct arus_bound_side *other, struct arus_arena *arena,
                                 struct arus_join_bound *out, struct arus_error *err)
{
    struct arus_exprs conjuncts = {0};

    *out = (struct arus_join_bound){0};
    if (condition == NULL || !has_mark(other)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_exprs_add_conjuncts(&conjuncts, arena, condition, err));
    for (size_t i = 0; i < conjuncts.count; i++) {
        solve_conjunct(conjuncts.items[i], side, other, out);
    }
    return ARUS_OK;
}
