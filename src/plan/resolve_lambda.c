/* Lambdas: their variables become names inside their bodies, and hide columns there. */
#include "plan/resolve_internal.h"

/* A variable is known by its level: how many variables of lambdas further out there are. Lambdas
 * of one text are equal by this, wherever they stand. */

enum arus_status arus_lambda_find(const struct arus_expr_context *context,
                                  const struct arus_uname *name, const struct arus_expr **out,
                                  struct arus_error *err)
{
    *out = NULL;
    for (const struct arus_lambda_scope *scope = context->lambdas; scope != NULL;
         scope = scope->outer) {
        for (uint32_t i = 0; i < scope->count; i++) {
            if (arus_resolver_same(context->resolver, scope->names[i], name->parts[0])) {
                struct arus_expr *made = NULL;

                ARUS_TRY(ARUS_NEW(context->resolver->arena, struct arus_expr, 1, &made, err));
                *made = *scope->variables[i];
                made->place = name->place;
                *out = made;
                return ARUS_OK;
            }
        }
    }
    return ARUS_OK;
}

static enum arus_status check_names(const struct arus_expr_context *context,
                                    const struct arus_uexpr *from,
                                    const struct arus_lambda_shape *shape, struct arus_error *err)
{
    if (from->name_count < shape->count_min || from->name_count > shape->count_max) {
        return arus_fail_at(err, from->place, "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
                            "the lambda names %u value%s, but it is given %u", from->name_count,
                            from->name_count == 1 ? "" : "s",
                            from->name_count < shape->count_min ? shape->count_min
                                                                : shape->count_max);
    }
    for (uint32_t i = 0; i < from->name_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (arus_resolver_same(context->resolver, from->names[i], from->names[j])) {
                return arus_fail_at(
                    err, from->place, "INVALID_LAMBDA_FUNCTION_CALL.DUPLICATE_ARG_NAMES",
                    "the lambda names `%.*s` twice", ARUS_TEXT_ARGS(from->names[i]));
            }
        }
    }
    return ARUS_OK;
}

static enum arus_status make_variables(const struct arus_expr_context *context,
                                       const struct arus_uexpr *from,
                                       const struct arus_lambda_shape *shape, uint32_t level,
                                       uint32_t count, struct arus_expr *lambda,
                                       struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(context->resolver->arena, const struct arus_expr *, count + 1, &lambda->args,
                      err));
    for (uint32_t i = 0; i < count; i++) {
        struct arus_expr *made = NULL;

        ARUS_TRY(ARUS_NEW(context->resolver->arena, struct arus_expr, 1, &made, err));
        made->kind = ARUS_EXPR_VARIABLE;
        made->index = level + i;
        made->type = shape->variables[i].type;
        made->is_nullable = shape->variables[i].is_nullable;
        made->place = from->place;
        made->name = from->kind == ARUS_UEXPR_LAMBDA ? from->names[i] : (struct arus_text){0};
        lambda->args[i + 1] = made;
    }
    return ARUS_OK;
}

enum arus_status arus_resolve_lambda(struct arus_expr_context *context,
                                     const struct arus_uexpr *from,
                                     const struct arus_lambda_shape *shape,
                                     const struct arus_expr **out, struct arus_error *err)
{
    const bool is_lambda = from->kind == ARUS_UEXPR_LAMBDA; /* else it is the same for all */
    const struct arus_lambda_scope *outer = context->lambdas;
    const uint32_t level = outer == NULL ? 0 : outer->level + outer->count;
    const uint32_t count = is_lambda ? from->name_count : shape->count_min;
    struct arus_lambda_scope scope = {.outer = outer, .level = level};
    struct arus_expr *made = NULL;
    enum arus_status status;

    if (is_lambda) {
        ARUS_TRY(check_names(context, from, shape, err));
        scope.names = from->names;
        scope.count = count;
    }
    ARUS_TRY(ARUS_NEW(context->resolver->arena, struct arus_expr, 1, &made, err));
    ARUS_TRY(make_variables(context, from, shape, level, count, made, err));
    scope.variables = made->args + 1;
    context->lambdas = &scope;
    status =
        arus_resolve_expr(context, is_lambda ? from->args.items[0] : from, &made->args[0], err);
    context->lambdas = outer;
    ARUS_TRY(status);
    made->kind = ARUS_EXPR_LAMBDA;
    made->index = level;
    made->type = made->args[0]->type;
    made->is_nullable = made->args[0]->is_nullable;
    made->place = from->place;
    made->arg_count = count + 1;
    *out = made;
    return ARUS_OK;
}
