/** What can be said about an expression without rows: constants, equality, failure. */
#include "expr/function.h"

/* Lambdas inside bind `end` and later levels themselves. */
static bool has_variable(const struct arus_expr *expr, uint32_t begin, uint32_t end)
{
    if (expr->kind == ARUS_EXPR_VARIABLE) {
        return expr->index >= begin && expr->index < end;
    }
    if (expr->kind == ARUS_EXPR_LAMBDA && expr->index < end) {
        end = expr->index;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (has_variable(expr->args[i], begin, end)) {
            return true;
        }
    }
    return false;
}

bool arus_expr_has_variable(const struct arus_expr *expr, uint32_t level)
{
    return has_variable(expr, level, UINT32_MAX);
}

static bool uses_rows(const struct arus_expr *expr)
{
    if (expr->kind == ARUS_EXPR_COLUMN || expr->aggregate != NULL) {
        return true;
    }
    if (expr->kind == ARUS_EXPR_CALL &&
        (expr->function->kind != ARUS_SCALAR ||
         (expr->function->flags & (ARUS_NOT_CONSTANT | ARUS_VOLATILE)) != 0)) {
        return true;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (uses_rows(expr->args[i])) {
            return true;
        }
    }
    return false;
}

bool arus_expr_is_constant(const struct arus_expr *expr)
{
    return expr->kind != ARUS_EXPR_LAMBDA && !uses_rows(expr) && !arus_expr_has_variable(expr, 0);
}

bool arus_expr_can_fail(const struct arus_expr *expr)
{
    if (expr->can_fail) {
        return true;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (arus_expr_can_fail(expr->args[i])) {
            return true;
        }
    }
    return expr->filter != NULL && arus_expr_can_fail(expr->filter);
}

static bool is_same_literal(const struct arus_vector *a, const struct arus_vector *b)
{
    const bool is_valid = arus_vector_is_valid(a, 0);

    if (is_valid != arus_vector_is_valid(b, 0)) {
        return false;
    }
    if (!is_valid) {
        return true;
    }
    if (arus_type_is_fractional(a->type)) { /* 0.0 and -0.0 differ here */
        return memcmp(a->values, b->values, arus_type_value_size(a->type)) == 0;
    }
    if (arus_type_is_nested(a->type)) { /* may hold doubles or maps: only the same memory */
        return a->values == b->values && a->children == b->children;
    }
    return arus_vector_compare(a, 0, b, 0) == 0;
}

bool arus_expr_equal_constants(const struct arus_expr *a, const struct arus_expr *b)
{
    if (a->constant_count != b->constant_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->constant_count; i++) {
        if (!arus_expr_equal(a->constants[i], b->constants[i])) {
            return false;
        }
    }
    return true;
}

bool arus_expr_equal(const struct arus_expr *a, const struct arus_expr *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind != b->kind || a->arg_count != b->arg_count || a->index != b->index ||
        a->function != b->function || a->aggregate != b->aggregate || a->kernel != b->kernel ||
        a->is_distinct != b->is_distinct || a->cast_mode != b->cast_mode ||
        (a->filter == NULL) != (b->filter == NULL) || !arus_type_equal(a->type, b->type)) {
        return false;
    }
    if (a->aggregate != NULL && a->bound != b->bound) {
        return false; /* IGNORE NULLS, a precision: not among the arguments */
    }
    if (a->kind == ARUS_EXPR_LITERAL && !is_same_literal(&a->value, &b->value)) {
        return false;
    }
    if (!arus_expr_equal_constants(a, b) ||
        (a->filter != NULL && !arus_expr_equal(a->filter, b->filter))) {
        return false;
    }
    for (uint32_t i = 0; i < a->arg_count; i++) {
        if (!arus_expr_equal(a->args[i], b->args[i])) {
            return false;
        }
    }
    return true;
}

enum arus_status arus_expr_eval_constant(const struct arus_expr *expr,
                                         const struct arus_eval_env *env, struct arus_arena *arena,
                                         struct arus_vector *out, struct arus_error *err)
{
    const struct arus_type schema = {.id = ARUS_TYPE_STRUCT};
    const struct arus_batch input = {.schema = &schema, .row_count = 1};
    const struct arus_program *program;
    struct arus_program_state *state;
    struct arus_vector value;
    enum arus_status status;
    uint32_t bad_row;

    if (expr->kind == ARUS_EXPR_LITERAL) {
        *out = expr->value;
        out->row_count = 1;
        return ARUS_OK;
    }
    ARUS_TRY(arus_program_compile(&expr, 1, arena, &program, err));
    ARUS_TRY(arus_program_state_open(program, &state, err));
    status = arus_program_run(program, state, env, &input, arena, &value, &bad_row, err);
    if (status == ARUS_OK) {
        status = arus_vector_copy(&value, arena, out, err); /* may be memory of the state */
    }
    arus_program_state_close(state);
    if (status != ARUS_OK) {
        return status;
    }
    out->form = ARUS_VECTOR_CONSTANT;
    out->row_count = 1;
    return ARUS_OK;
}

enum arus_status arus_literal_make(const struct arus_vector *value, struct arus_place place,
                                   struct arus_arena *arena, const struct arus_expr **out,
                                   struct arus_error *err)
{
    struct arus_expr *expr;

    ARUS_TRY(ARUS_NEW(arena, struct arus_expr, 1, &expr, err));
    expr->kind = ARUS_EXPR_LITERAL;
    expr->type = value->type;
    expr->value = *value;
    expr->place = place;
    expr->is_nullable = !arus_vector_is_valid(value, 0);
    *out = expr;
    return ARUS_OK;
}

static enum arus_status fold_args(const struct arus_expr *expr, const struct arus_eval_env *env,
                                  struct arus_arena *arena, const struct arus_expr **out,
                                  struct arus_error *err)
{
    const struct arus_expr **args = NULL;
    struct arus_expr *copy;
    bool is_changed = false;

    ARUS_TRY(ARUS_NEW(arena, const struct arus_expr *, expr->arg_count, &args, err));
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(arus_expr_fold(expr->args[i], env, arena, &args[i], err));
        is_changed |= args[i] != expr->args[i];
    }
    *out = expr;
    if (!is_changed) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_expr, 1, &copy, err));
    *copy = *expr;
    copy->args = args;
    *out = copy;
    return ARUS_OK;
}

enum arus_status arus_expr_fold(const struct arus_expr *expr, const struct arus_eval_env *env,
                                struct arus_arena *arena, const struct arus_expr **out,
                                struct arus_error *err)
{
    *out = expr;
    if (expr->kind == ARUS_EXPR_LITERAL || expr->kind == ARUS_EXPR_COLUMN ||
        expr->kind == ARUS_EXPR_VARIABLE) {
        return ARUS_OK;
    }
    if (arus_expr_is_constant(expr)) {
        struct arus_vector value;
        const enum arus_status status = arus_expr_eval_constant(expr, env, arena, &value, err);

        if (status == ARUS_OK) {
            return arus_literal_make(&value, expr->place, arena, out, err);
        }
        if (status != ARUS_BAD_DATA) {
            return status;
        }
    }
    if (expr->arg_count == 0) {
        return ARUS_OK;
    }
    return fold_args(expr, env, arena, out, err);
}
