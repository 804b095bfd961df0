/** Spark's texts of expressions: the names of columns without an alias. */
#include "column/value.h"
#include "expr/function.h"

static enum arus_status append(struct arus_buffer *out, const char *text, struct arus_error *err)
{
    return arus_buffer_append(out, text, strlen(text), err);
}

static enum arus_status quoted(const char *before, const struct arus_vector *value,
                               struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(append(out, before, err));
    ARUS_TRY(arus_value_text(value, 0, ARUS_ZONE_UTC, out, err));
    return append(out, "'", err);
}

static enum arus_status binary_text(const struct arus_vector *value, struct arus_buffer *out,
                                    struct arus_error *err)
{
    const struct arus_view view = *(const struct arus_view *)value->values;

    ARUS_TRY(append(out, "X'", err));
    for (uint32_t i = 0; i < view.size; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "%02X", (unsigned char)view.data[i]));
    }
    return append(out, "'", err);
}

static enum arus_status literal_text(const struct arus_expr *expr, struct arus_buffer *out,
                                     struct arus_error *err)
{
    if (!arus_vector_is_valid(&expr->value, 0)) {
        return append(out, "NULL", err);
    }
    if (expr->type->id == ARUS_TYPE_DATE) {
        return quoted("DATE '", &expr->value, out, err);
    }
    if (expr->type->id == ARUS_TYPE_TIMESTAMP) {
        return quoted("TIMESTAMP '", &expr->value, out, err);
    }
    if (expr->type->id == ARUS_TYPE_TIMESTAMP_NTZ) {
        return quoted("TIMESTAMP_NTZ '", &expr->value, out, err);
    }
    if (expr->type->id == ARUS_TYPE_BINARY) {
        return binary_text(&expr->value, out, err);
    }
    return arus_value_text(&expr->value, 0, ARUS_ZONE_UTC, out, err);
}

static enum arus_status args_text(const struct arus_expr *expr, uint32_t first,
                                  struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t i = first; i < expr->arg_count; i++) {
        if (i > first) {
            ARUS_TRY(append(out, ", ", err));
        }
        ARUS_TRY(arus_expr_text(expr->args[i], out, err));
    }
    return ARUS_OK;
}

static enum arus_status case_text(const struct arus_expr *expr, struct arus_buffer *out,
                                  struct arus_error *err)
{
    uint32_t i = 0;

    ARUS_TRY(append(out, "CASE", err));
    for (; i + 1 < expr->arg_count; i += 2) {
        ARUS_TRY(append(out, " WHEN ", err));
        ARUS_TRY(arus_expr_text(expr->args[i], out, err));
        ARUS_TRY(append(out, " THEN ", err));
        ARUS_TRY(arus_expr_text(expr->args[i + 1], out, err));
    }
    if (i < expr->arg_count) {
        ARUS_TRY(append(out, " ELSE ", err));
        ARUS_TRY(arus_expr_text(expr->args[i], out, err));
    }
    return append(out, " END", err);
}

/* `1` or `1=default;`: leaves `at` on its last character */
static enum arus_status placeholder_text(const struct arus_expr *expr, const char **at,
                                         struct arus_buffer *out, struct arus_error *err)
{
    const uint32_t index = (uint32_t)(**at - '1');
    const char *missing = (*at)[1] == '=' ? *at + 2 : NULL;

    if (missing != NULL) {
        *at = strchr(missing, ';');
    }
    if (index < expr->arg_count) {
        return arus_expr_text(expr->args[index], out, err);
    }
    return missing == NULL ? ARUS_OK
                           : arus_buffer_append(out, missing, (size_t)(*at - missing), err);
}

/* `$1`: an argument, `$2=true;`: the second, `true` without one, `$*`: all, `$+`: all but the
 * first, `$D`: DISTINCT if it is, `$C`: CASE; other characters stand for themselves. */
static enum arus_status pattern_text(const struct arus_expr *expr, const char *pattern,
                                     struct arus_buffer *out, struct arus_error *err)
{
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at != '$') {
            ARUS_TRY(arus_buffer_append_char(out, *at, err));
            continue;
        }
        at++;
        if (*at == '*') {
            ARUS_TRY(args_text(expr, 0, out, err));
        } else if (*at == '+') {
            ARUS_TRY(args_text(expr, 1, out, err));
        } else if (*at == 'D') {
            ARUS_TRY(append(out, expr->is_distinct ? "DISTINCT " : "", err));
        } else if (*at == 'C') {
            ARUS_TRY(case_text(expr, out, err));
        } else {
            ARUS_TRY(placeholder_text(expr, &at, out, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status call_text(const struct arus_expr *expr, struct arus_buffer *out,
                                  struct arus_error *err)
{
    const struct arus_function *function = expr->function;
    const bool is_alias = !arus_text_equal(expr->name, arus_text_of(function->name));
    const char *pattern =
        is_alias && function->alias_text != NULL ? function->alias_text : function->text;

    if (pattern != NULL && pattern[0] == '@') { /* only under its first name: `a % b`, mod(a, b) */
        pattern = is_alias ? NULL : pattern + 1;
    }
    if (pattern != NULL && pattern[0] == '(' && expr->arg_count == 1 && strchr("+-", pattern[4])) {
        pattern = pattern[4] == '+' ? "(+ $1)" : "(- $1)";
    }
    if (pattern != NULL && pattern[0] != '\0') {
        return pattern_text(expr, pattern, out, err);
    }
    ARUS_TRY(arus_buffer_append_text(out, expr->name, err));
    ARUS_TRY(append(out, expr->is_distinct ? "(DISTINCT " : "(", err));
    ARUS_TRY(args_text(expr, 0, out, err));
    return append(out, ")", err);
}

static enum arus_status cast_text(const struct arus_expr *expr, struct arus_buffer *out,
                                  struct arus_error *err)
{
    if (expr->is_implicit) {
        return arus_expr_text(expr->args[0], out, err);
    }
    ARUS_TRY(append(out, expr->cast_mode == ARUS_CAST_TRY ? "TRY_CAST(" : "CAST(", err));
    ARUS_TRY(arus_expr_text(expr->args[0], out, err));
    ARUS_TRY(append(out, " AS ", err));
    ARUS_TRY(arus_type_sql(expr->type, out, err));
    return append(out, ")", err);
}

enum arus_status arus_expr_text(const struct arus_expr *expr, struct arus_buffer *out,
                                struct arus_error *err)
{
    if (expr->text.size > 0) {
        return arus_buffer_append_text(out, expr->text, err);
    }
    switch (expr->kind) {
    case ARUS_EXPR_LITERAL:
        return literal_text(expr, out, err);
    case ARUS_EXPR_COLUMN:
        return arus_buffer_append_text(out, expr->name, err);
    case ARUS_EXPR_FIELD:
        ARUS_TRY(arus_expr_text(expr->args[0], out, err));
        ARUS_TRY(append(out, ".", err));
        return arus_buffer_append_text(out, expr->name, err);
    case ARUS_EXPR_CAST:
        return cast_text(expr, out, err);
    case ARUS_EXPR_LAMBDA:
        ARUS_TRY(append(out, "lambdafunction(", err));
        ARUS_TRY(args_text(expr, 0, out, err));
        return append(out, ")", err);
    case ARUS_EXPR_VARIABLE:
        return append(out, "namedlambdavariable()", err);
    case ARUS_EXPR_CALL:
        break;
    }
    ARUS_TRY(call_text(expr, out, err));
    if (expr->filter != NULL) {
        ARUS_TRY(append(out, " FILTER (WHERE ", err));
        ARUS_TRY(arus_expr_text(expr->filter, out, err));
        return append(out, ")", err);
    }
    return ARUS_OK;
}
