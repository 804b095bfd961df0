/** Which casts exist, how they are made, and what a failed value says. */
#include "expr/cast.h"

#include "column/value.h"

static bool is_interval(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_INTERVAL_YM || type->id == ARUS_TYPE_INTERVAL_DT;
}

static bool is_datetime(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_DATE || type->id == ARUS_TYPE_TIMESTAMP ||
           type->id == ARUS_TYPE_TIMESTAMP_NTZ;
}

static bool can_cast(const struct arus_type *from, const struct arus_type *to,
                     enum arus_cast_mode mode);

/* May such a cast give NULL when nothing may fail? A map key must not. */
static bool may_give_null(const struct arus_type *from, const struct arus_type *to)
{
    if (arus_type_equal(from, to) || to->id == ARUS_TYPE_STRING || to->id == ARUS_TYPE_BINARY) {
        return false;
    }
    return from->id == ARUS_TYPE_STRING || from->id == ARUS_TYPE_DATE ||
           arus_type_is_fractional(from) || to->id == ARUS_TYPE_DATE || to->id == ARUS_TYPE_DECIMAL;
}

static bool can_cast_nested(const struct arus_type *from, const struct arus_type *to,
                            enum arus_cast_mode mode)
{
    if (from->id != to->id || from->field_count != to->field_count) {
        return false;
    }
    for (uint16_t i = 0; i < from->field_count; i++) {
        if (!can_cast(from->fields[i].type, to->fields[i].type, mode) ||
            (from->id == ARUS_TYPE_MAP && i == 0 && mode != ARUS_CAST_ANSI &&
             may_give_null(from->fields[i].type, to->fields[i].type))) {
            return false;
        }
    }
    return true;
}

/* Casts that exist only while ANSI is off. */
static bool can_cast_legacy(const struct arus_type *from, const struct arus_type *to)
{
    if (to->id == ARUS_TYPE_BINARY) {
        return arus_type_is_integer(from);
    }
    if (to->id == ARUS_TYPE_BOOLEAN) {
        return from->id == ARUS_TYPE_DATE || from->id == ARUS_TYPE_TIMESTAMP;
    }
    if (to->id == ARUS_TYPE_TIMESTAMP) {
        return from->id == ARUS_TYPE_BOOLEAN;
    }
    return from->id == ARUS_TYPE_DATE && arus_type_is_numeric(to);
}

static bool can_cast_flat(const struct arus_type *from, const struct arus_type *to)
{
    if (to->id == ARUS_TYPE_STRING || (from->id == ARUS_TYPE_STRING && to->id != ARUS_TYPE_VOID)) {
        return true;
    }
    if (arus_type_is_numeric(to)) {
        return arus_type_is_numeric(from) || from->id == ARUS_TYPE_BOOLEAN ||
               from->id == ARUS_TYPE_TIMESTAMP ||
               (is_interval(from) && !arus_type_is_fractional(to));
    }
    if (to->id == ARUS_TYPE_BOOLEAN) {
        return arus_type_is_numeric(from);
    }
    if (to->id == ARUS_TYPE_TIMESTAMP) {
        return is_datetime(from) || arus_type_is_numeric(from);
    }
    if (is_datetime(to)) {
        return is_datetime(from);
    }
    if (is_interval(to)) {
        return from->id == to->id || arus_type_is_integer(from) || from->id == ARUS_TYPE_DECIMAL;
    }
    return false;
}

static bool can_cast(const struct arus_type *from, const struct arus_type *to,
                     enum arus_cast_mode mode)
{
    if (from->id == ARUS_TYPE_VOID || arus_type_equal(from, to)) {
        return true;
    }
    if (to->id == ARUS_TYPE_STRING) {
        return true;
    }
    if (arus_type_is_nested(from) || arus_type_is_nested(to)) {
        return can_cast_nested(from, to, mode);
    }
    return can_cast_flat(from, to) || (mode == ARUS_CAST_LEGACY && can_cast_legacy(from, to));
}

arus_kernel_fn arus_cast_kernel(const struct arus_type *from, const struct arus_type *to)
{
    if (to->id == ARUS_TYPE_STRING) {
        return arus_cast_to_text(from);
    }
    if (arus_type_is_nested(from)) {
        return arus_kernel_cast_nested;
    }
    if (from->id == ARUS_TYPE_STRING) {
        return arus_cast_from_text(to);
    }
    if (from->id == ARUS_TYPE_DECIMAL) {
        return arus_cast_from_decimal(to);
    }
    if (arus_type_is_numeric(from) || from->id == ARUS_TYPE_BOOLEAN) {
        return arus_cast_from_number(from, to);
    }
    if (is_interval(from)) {
        return arus_cast_from_interval(from, to);
    }
    return arus_cast_from_time(from, to);
}

/* ---- making ---- */

static enum arus_status fail_cast(const struct arus_expr *arg, const struct arus_type *to,
                                  enum arus_cast_mode mode, struct arus_place place,
                                  struct arus_error *err)
{
    const struct arus_type *from = arg->type;
    const char *condition = "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION";
    const char *help = NULL;

    if (mode != ARUS_CAST_LEGACY && arus_type_is_numeric(from) && to->id == ARUS_TYPE_DATE) {
        condition = "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION";
        help = "days since 1970-01-01: date_from_unix_date(..)";
    } else if (mode != ARUS_CAST_LEGACY && from->id == ARUS_TYPE_DATE && arus_type_is_numeric(to)) {
        condition = "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION";
        help = "days since 1970-01-01: unix_date(..)";
    } else if (mode == ARUS_CAST_ANSI && can_cast(from, to, ARUS_CAST_LEGACY)) {
        condition = "DATATYPE_MISMATCH.CAST_WITH_CONF_SUGGESTION";
        help = "Spark allows it with SET spark.sql.ansi.enabled = false";
    }
    enum arus_status status = arus_fail_at(err, place, condition, "cannot cast %s to %s",
                                           arus_type_name(from).text, arus_type_name(to).text);
    return help == NULL ? status : arus_error_help(err, "%s", help);
}

/* Integers of rising width, DATE to TIMESTAMP, anything to STRING: never a bad value. */
static bool cast_can_fail(const struct arus_type *from, const struct arus_type *to,
                          enum arus_cast_mode mode)
{
    if (mode == ARUS_CAST_LEGACY && from->id != ARUS_TYPE_VOID && !is_interval(from) &&
        is_interval(to)) {
        return true; /* a bad interval is an error in any case */
    }
    if (mode != ARUS_CAST_ANSI || to->id == ARUS_TYPE_STRING || to->id == ARUS_TYPE_BINARY ||
        from->id == ARUS_TYPE_VOID) {
        return false;
    }
    if (arus_type_is_fractional(to) || to->id == ARUS_TYPE_BOOLEAN) {
        return from->id == ARUS_TYPE_STRING || arus_type_is_nested(from);
    }
    if (arus_type_is_integer(from) && arus_type_is_integer(to)) {
        return to->id < from->id;
    }
    return !(from->id == ARUS_TYPE_BOOLEAN && arus_type_is_integer(to));
}

static enum arus_status make(const struct arus_expr *arg, const struct arus_type *type,
                             enum arus_cast_mode mode, struct arus_place place,
                             struct arus_arena *arena, struct arus_expr **out,
                             struct arus_error *err)
{
    struct arus_expr *expr;

    if (!can_cast(arg->type, type, mode)) {
        return fail_cast(arg, type, mode, place, err);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_expr, 1, &expr, err));
    ARUS_TRY(ARUS_NEW(arena, const struct arus_expr *, 1, &expr->args, err));
    expr->kind = ARUS_EXPR_CAST;
    expr->cast_mode = mode;
    expr->type = type;
    expr->can_fail = cast_can_fail(arg->type, type, mode);
    expr->is_nullable = arg->is_nullable || mode != ARUS_CAST_ANSI ||
                        type->id == ARUS_TYPE_INTERVAL ||
                        (arus_type_is_fractional(arg->type) && type->id == ARUS_TYPE_DECIMAL);
    expr->place = place;
    expr->kernel = arus_cast_kernel(arg->type, type);
    expr->args[0] = arg;
    expr->arg_count = 1;
    *out = expr;
    return ARUS_OK;
}

enum arus_status arus_cast_make(const struct arus_expr *arg, const struct arus_type *type,
                                enum arus_cast_mode mode, struct arus_place place,
                                struct arus_arena *arena, const struct arus_expr **out,
                                struct arus_error *err)
{
    struct arus_expr *expr;

    ARUS_TRY(make(arg, type, mode, place, arena, &expr, err));
    if (arus_type_equal(arg->type, type)) { /* only its text matters */
        struct arus_buffer text = {0};
        enum arus_status status = arus_expr_text(expr, &text, err);

        *expr = *arg;
        expr->place = place;
        expr->type = type;
        if (status == ARUS_OK) {
            status = arus_text_copy(arus_buffer_text(&text), arena, &expr->text, err);
        }
        arus_buffer_release(&text);
        *out = expr->kind == ARUS_EXPR_COLUMN ? arg : expr;
        return status;
    }
    *out = expr;
    return ARUS_OK;
}

enum arus_status arus_cast_implicit(const struct arus_expr *arg, const struct arus_type *type,
                                    bool is_ansi, struct arus_arena *arena,
                                    const struct arus_expr **out, struct arus_error *err)
{
    struct arus_expr *expr;

    *out = arg;
    if (arg->type == type || arus_type_equal(arg->type, type)) {
        return ARUS_OK;
    }
    ARUS_TRY(make(arg, type, is_ansi ? ARUS_CAST_ANSI : ARUS_CAST_LEGACY, arg->place, arena, &expr,
                  err));
    expr->is_implicit = true;
    *out = expr;
    return ARUS_OK;
}

/* ---- running ---- */

static const char *const CONDITIONS[] = {
    [ARUS_CAST_BAD_INPUT] = "CAST_INVALID_INPUT",
    [ARUS_CAST_OVERFLOW] = "CAST_OVERFLOW",
    [ARUS_CAST_OUT_OF_RANGE] = "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
    [ARUS_CAST_TOO_LARGE] = "NUMERIC_OUT_OF_SUPPORTED_RANGE",
    [ARUS_CAST_DATETIME] = "DATETIME_OVERFLOW",
    [ARUS_CAST_INTERVAL] = "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
};

static enum arus_status fail_value(const struct arus_kernel_call *call, uint32_t i,
                                   const char *condition, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const char *quote = arg->type->id == ARUS_TYPE_STRING ? "'" : "";
    struct arus_type_name name = arus_type_name(call->expr->type);
    struct arus_buffer text = {0};
    enum arus_status status = arus_value_text(arg, i, call->env->zone, &text, err);

    if (status == ARUS_OK) {
        status = arus_fail(err, ARUS_BAD_DATA, condition, "cannot cast %s%.*s%s to %s", quote,
                           ARUS_TEXT_ARGS(arus_buffer_text(&text)), quote, name.text);
        arus_buffer_reset(&text);
        if (arus_expr_text(call->expr->args[0], &text, err) == ARUS_OK) {
            status = arus_error_help(err, "NULL instead: TRY_CAST(%.*s AS %s)",
                                     ARUS_TEXT_ARGS(arus_buffer_text(&text)), name.text);
        }
    }
    arus_buffer_release(&text);
    return status;
}

enum arus_status arus_cast_bad(const struct arus_kernel_call *call, uint32_t i,
                               enum arus_cast_result result, struct arus_vector *out,
                               uint32_t *bad_row, struct arus_error *err)
{
    const bool fails = call->expr->cast_mode == ARUS_CAST_ANSI ||
                       (call->expr->cast_mode == ARUS_CAST_LEGACY && call->expr->can_fail);

    if (fails && result != ARUS_CAST_NULL) {
        *bad_row = i;
        if (result == ARUS_CAST_FAILED) {
            return err->status;
        }
        return fail_value(call, i, CONDITIONS[result], err);
    }
    ARUS_TRY(arus_vector_need_validity(out, call->step, err));
    arus_bit_clear(out->validity, i);
    return ARUS_OK;
}

enum arus_status arus_cast_rows(const struct arus_kernel_call *call, arus_cast_row_fn fn,
                                struct arus_vector *out, uint32_t *bad_row, struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    memset(out->values, 0, (size_t)call->row_count * arus_type_value_size(out->type));
    for (uint32_t i = 0; i < call->row_count; i++) {
        enum arus_cast_result result;

        if (!arus_bit_get(call->valid, i)) {
            continue;
        }
        result = fn(call, i, out, err);
        if (result == ARUS_CAST_FAILED && err->status == ARUS_NO_MEMORY) {
            return err->status;
        }
        if (result != ARUS_CAST_FINE) {
            ARUS_TRY(arus_cast_bad(call, i, result, out, bad_row, err));
        }
    }
    return ARUS_OK;
}
