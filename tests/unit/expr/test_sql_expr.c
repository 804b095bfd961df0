#include "column/value.h"
#include "sql/parser.h"
#include "types/decimal.h"
#include "types/interval.h"
#include "unit/expr/sql_expr.h"

static enum arus_status make_value(const struct sql_scope *scope, const struct arus_type *type,
                                   const void *value, struct arus_place place,
                                   const struct arus_expr **out, struct arus_error *err)
{
    struct arus_vector vector;

    ARUS_TRY(arus_value_make(type, value, 1, scope->arena, &vector, err));
    return arus_literal_make(&vector, place, scope->arena, out, err);
}

static enum arus_status make_text(const struct sql_scope *scope, struct arus_text text,
                                  const struct arus_type *type, struct arus_place place,
                                  const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_view view = arus_view_of(text.data == NULL ? "" : text.data, text.size);

    return make_value(scope, type, &view, place, out, err);
}

/* DATE '..': the text is cast now. */
static enum arus_status make_typed(const struct sql_scope *scope, struct arus_text text,
                                   const struct arus_type *type, struct arus_place place,
                                   const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr *expr;
    struct arus_vector value;

    ARUS_TRY(make_text(scope, text, &ARUS_STRING, place, &expr, err));
    ARUS_TRY(arus_cast_make(expr, type, ARUS_CAST_ANSI, place, scope->arena, &expr, err));
    if (arus_expr_eval_constant(expr, &scope->env, scope->arena, &value, err) != ARUS_OK) {
        err->condition = "INVALID_TYPED_LITERAL";
        return err->status;
    }
    return arus_literal_make(&value, place, scope->arena, out, err);
}

static enum arus_status make_decimal(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                                     const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_type *type;
    struct arus_decimal_type exact;
    arus_int128 value = 0;
    int64_t narrow;

    (void)arus_decimal_parse_literal(ast->literal.text, &exact, &value);
    ARUS_TRY(arus_type_decimal(exact.precision, exact.scale, scope->arena, &type, err));
    narrow = (int64_t)value;
    return make_value(scope, type, arus_type_is_wide(type) ? (const void *)&value : &narrow,
                      ast->place, out, err);
}

static enum arus_status make_literal(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                                     const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_ast_literal *literal = &ast->literal;
    const int64_t integer = literal->integer;
    const float single = (float)literal->number;
    struct arus_vector null;

    switch (literal->kind) {
    case ARUS_AST_NULL:
        ARUS_TRY(arus_vector_init_null(&null, &ARUS_VOID, 1, scope->arena, err));
        return arus_literal_make(&null, ast->place, scope->arena, out, err);
    case ARUS_AST_BOOLEAN:
        return make_value(scope, &ARUS_BOOLEAN, &integer, ast->place, out, err);
    case ARUS_AST_TINYINT:
        return make_value(scope, &ARUS_TINYINT, &integer, ast->place, out, err);
    case ARUS_AST_SMALLINT:
        return make_value(scope, &ARUS_SMALLINT, &integer, ast->place, out, err);
    case ARUS_AST_INT:
        return make_value(scope, &ARUS_INT, &integer, ast->place, out, err);
    case ARUS_AST_BIGINT:
        return make_value(scope, &ARUS_BIGINT, &integer, ast->place, out, err);
    case ARUS_AST_DECIMAL:
        return make_decimal(scope, ast, out, err);
    case ARUS_AST_FLOAT:
        return make_value(scope, &ARUS_FLOAT, &single, ast->place, out, err);
    case ARUS_AST_DOUBLE:
        return make_value(scope, &ARUS_DOUBLE, &literal->number, ast->place, out, err);
    case ARUS_AST_STRING:
        return make_text(scope, literal->text, &ARUS_STRING, ast->place, out, err);
    case ARUS_AST_BINARY_VALUE:
        return make_text(scope, literal->text, &ARUS_BINARY, ast->place, out, err);
    case ARUS_AST_DATE:
        return make_typed(scope, literal->text, &ARUS_DATE, ast->place, out, err);
    case ARUS_AST_TIMESTAMP:
    case ARUS_AST_TIMESTAMP_LTZ:
        return make_typed(scope, literal->text, &ARUS_TIMESTAMP, ast->place, out, err);
    case ARUS_AST_TIMESTAMP_NTZ:
        return make_typed(scope, literal->text, &ARUS_TIMESTAMP_NTZ, ast->place, out, err);
    case ARUS_AST_TIME:
        break;
    }
    return arus_fail_at(err, ast->place, "UNSUPPORTED_TIME_TYPE", "no TIME here");
}

static enum arus_interval_field field_of(enum arus_ast_unit unit)
{
    switch (unit) {
    case ARUS_AST_YEAR:
        return ARUS_INTERVAL_YEAR;
    case ARUS_AST_MONTH:
        return ARUS_INTERVAL_MONTH;
    case ARUS_AST_WEEK:
    case ARUS_AST_DAY:
        return ARUS_INTERVAL_DAY;
    case ARUS_AST_HOUR:
        return ARUS_INTERVAL_HOUR;
    case ARUS_AST_MINUTE:
        return ARUS_INTERVAL_MINUTE;
    case ARUS_AST_SECOND:
    case ARUS_AST_MILLISECOND:
    case ARUS_AST_MICROSECOND:
        break;
    }
    return ARUS_INTERVAL_SECOND;
}

static enum arus_status interval_value(const struct sql_scope *scope, const struct arus_type *type,
                                       int64_t value, struct arus_place place,
                                       const struct arus_expr **out, struct arus_error *err)
{
    const int32_t months = (int32_t)value;

    return make_value(scope, type,
                      type->id == ARUS_TYPE_INTERVAL_YM ? (const void *)&months : &value, place,
                      out, err);
}

static enum arus_status make_interval(const struct sql_scope *scope,
                                      const struct arus_ast_expr *ast, const struct arus_expr **out,
                                      struct arus_error *err)
{
    static const char *const UNITS[] = {"year",   "month",  "week",        "day",        "hour",
                                        "minute", "second", "millisecond", "microsecond"};
    const struct arus_ast_interval *interval = &ast->interval;
    enum arus_interval_field first = ARUS_INTERVAL_SECOND;
    enum arus_interval_field last = ARUS_INTERVAL_YEAR;
    struct arus_interval parsed = {0};
    struct arus_buffer text = {0};
    const struct arus_type *type;
    int64_t value;
    enum arus_status status = ARUS_OK;

    if (interval->form == ARUS_AST_INTERVAL_RANGE) {
        ARUS_TRY(arus_type_interval(field_of(interval->parts[0].unit), field_of(interval->to),
                                    scope->arena, &type, err));
        ARUS_TRY(arus_interval_parse_literal(interval->parts[0].value, type, &value, err));
        value = interval->parts[0].is_negative ? -value : value;
        return interval_value(scope, type, value, ast->place, out, err);
    }
    for (uint32_t i = 0; i < interval->part_count && status == ARUS_OK; i++) {
        const struct arus_ast_interval_part *part = &interval->parts[i];
        const enum arus_interval_field field = field_of(part->unit);

        first = field < first ? field : first;
        last = field > last ? field : last;
        status = arus_buffer_printf(
            &text, err, "%s%.*s %s ", part->is_negative ? "-" : "", ARUS_TEXT_ARGS(part->value),
            interval->form == ARUS_AST_INTERVAL_TEXT ? "" : UNITS[part->unit]);
    }
    if (status == ARUS_OK && !arus_interval_parse_units(arus_buffer_text(&text), &parsed)) {
        status = arus_fail_at(err, ast->place, "INVALID_INTERVAL_FORMAT", "bad interval");
    }
    arus_buffer_release(&text);
    ARUS_TRY(status);
    if (interval->form == ARUS_AST_INTERVAL_TEXT) {
        first = parsed.months != 0 ? ARUS_INTERVAL_YEAR : ARUS_INTERVAL_DAY;
        last = parsed.months != 0 ? ARUS_INTERVAL_MONTH : ARUS_INTERVAL_SECOND;
    }
    ARUS_TRY(arus_type_interval(first, last, scope->arena, &type, err));
    value = type->id == ARUS_TYPE_INTERVAL_YM ? parsed.months
                                              : parsed.days * INT64_C(86400000000) + parsed.micros;
    return interval_value(scope, type, value, ast->place, out, err);
}

/* ---- calls ---- */

static enum arus_status call(const struct sql_scope *scope, const char *name,
                             const struct arus_expr **args, uint32_t count, struct arus_place place,
                             const struct arus_expr **out, struct arus_error *err)
{
    struct arus_bind bind = {
        .name = arus_text_of(name),
        .place = place,
        .args = args,
        .arg_count = count,
        .is_ansi = scope->env.is_ansi,
        .zone = scope->env.zone,
        .arena = scope->arena,
    };

    return arus_call_make(&bind, out, err);
}

static enum arus_status make_args(const struct sql_scope *scope,
                                  const struct arus_ast_expr *const *asts, uint32_t count,
                                  uint32_t extra, const struct arus_expr ***out,
                                  struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(scope->arena, const struct arus_expr *, count + extra, out, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(sql_expr_make(scope, asts[i], &(*out)[i], err));
    }
    return ARUS_OK;
}

static enum arus_status negate(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                               const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr **args;

    if (!ast->is_not) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(scope->arena, const struct arus_expr *, 1, &args, err));
    args[0] = *out;
    return call(scope, "not", args, 1, ast->place, out, err);
}

static enum arus_status named(const struct sql_scope *scope, const char *name,
                              const struct arus_ast_expr *ast, const struct arus_expr **out,
                              struct arus_error *err)
{
    const struct arus_expr **args;

    ARUS_TRY(make_args(scope, ast->args, ast->arg_count, 0, &args, err));
    ARUS_TRY(call(scope, name, args, ast->arg_count, ast->place, out, err));
    return negate(scope, ast, out, err);
}

static const char *const OPERATORS[] = {
    [ARUS_AST_NOT] = "not",
    [ARUS_AST_NEGATE] = "-",
    [ARUS_AST_PLUS_SIGN] = "+",
    [ARUS_AST_BIT_NOT] = "~",
    [ARUS_AST_MULTIPLY] = "*",
    [ARUS_AST_DIVIDE] = "/",
    [ARUS_AST_MODULO] = "%",
    [ARUS_AST_DIV] = "div",
    [ARUS_AST_ADD] = "+",
    [ARUS_AST_SUBTRACT] = "-",
    [ARUS_AST_CONCAT] = "||",
    [ARUS_AST_SHIFT_LEFT] = "<<",
    [ARUS_AST_SHIFT_RIGHT] = ">>",
    [ARUS_AST_SHIFT_RIGHT_UNSIGNED] = ">>>",
    [ARUS_AST_BIT_AND] = "&",
    [ARUS_AST_BIT_XOR] = "^",
    [ARUS_AST_BIT_OR] = "|",
    [ARUS_AST_EQUAL] = "=",
    [ARUS_AST_EQUAL_NULL] = "<=>",
    [ARUS_AST_NOT_EQUAL] = "!=",
    [ARUS_AST_LESS] = "<",
    [ARUS_AST_LESS_EQUAL] = "<=",
    [ARUS_AST_GREATER] = ">",
    [ARUS_AST_GREATER_EQUAL] = ">=",
    [ARUS_AST_DISTINCT_FROM] = "is distinct from",
    [ARUS_AST_NOT_DISTINCT_FROM] = "<=>",
};

static enum arus_status make_like(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                                  const struct arus_expr **out, struct arus_error *err)
{
    static const char *const NAMES[] = {"like", "ilike", "rlike"};
    const char *name = NAMES[ast->like.op];
    const uint32_t patterns = ast->arg_count - 1;
    const struct arus_expr **all;

    ARUS_TRY(ARUS_NEW(scope->arena, const struct arus_expr *, patterns, &all, err));
    for (uint32_t i = 0; i < patterns; i++) {
        const struct arus_expr **args;
        uint32_t count = 2;

        ARUS_TRY(ARUS_NEW(scope->arena, const struct arus_expr *, 3, &args, err));
        ARUS_TRY(sql_expr_make(scope, ast->args[0], &args[0], err));
        ARUS_TRY(sql_expr_make(scope, ast->args[i + 1], &args[1], err));
        if (ast->like.escape.data != NULL) {
            ARUS_TRY(make_text(scope, ast->like.escape, &ARUS_STRING, ast->place, &args[2], err));
            count = 3;
        }
        ARUS_TRY(call(scope, name, args, count, ast->place, &all[i], err));
        if (ast->like.quantifier != ARUS_AST_ONE) {
            ARUS_TRY(negate(scope, ast, &all[i], err));
        }
    }
    if (patterns == 1) {
        *out = all[0];
        return ast->like.quantifier == ARUS_AST_ONE ? negate(scope, ast, out, err) : ARUS_OK;
    }
    return call(scope, ast->like.quantifier == ARUS_AST_ALL ? "and" : "or", all, patterns,
                ast->place, out, err);
}

static enum arus_status make_case(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                                  const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_ast_case *branches = &ast->case_;
    const struct arus_expr **args;
    uint32_t count = 0;

    ARUS_TRY(ARUS_NEW(scope->arena, const struct arus_expr *, 2 * branches->branch_count + 2, &args,
                      err));
    if (branches->operand != NULL) {
        ARUS_TRY(sql_expr_make(scope, branches->operand, &args[count++], err));
    }
    for (uint32_t i = 0; i < branches->branch_count; i++) {
        ARUS_TRY(sql_expr_make(scope, branches->whens[i], &args[count++], err));
        ARUS_TRY(sql_expr_make(scope, branches->thens[i], &args[count++], err));
    }
    if (branches->otherwise != NULL) {
        ARUS_TRY(sql_expr_make(scope, branches->otherwise, &args[count++], err));
    }
    return call(scope, branches->operand == NULL ? "case" : "case_operand", args, count, ast->place,
                out, err);
}

static enum arus_status make_cast(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                                  const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_type *type;
    const struct arus_expr *arg;

    ARUS_TRY(sql_expr_make(scope, ast->args[0], &arg, err));
    ARUS_TRY(arus_type_parse_ddl(ast->cast.type.text, scope->arena, &type, err));
    return arus_cast_make(arg, type,
                          ast->cast.form == ARUS_AST_TRY_CAST ? ARUS_CAST_TRY
                          : scope->env.is_ansi                ? ARUS_CAST_ANSI
                                                              : ARUS_CAST_LEGACY,
                          ast->place, scope->arena, out, err);
}

static enum arus_status make_call(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                                  const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_ast_call *written = &ast->call;
    struct arus_text *names;
    struct arus_bind bind = {
        .name = written->name.items[0].text,
        .place = ast->place,
        .arg_count = written->arg_count,
        .is_distinct = written->is_distinct,
        .is_ansi = scope->env.is_ansi,
        .zone = scope->env.zone,
        .arena = scope->arena,
    };
    bool has_names = false;

    ARUS_TRY(
        ARUS_NEW(scope->arena, const struct arus_expr *, written->arg_count + 1, &bind.args, err));
    ARUS_TRY(ARUS_NEW(scope->arena, struct arus_text, written->arg_count + 1, &names, err));
    for (uint32_t i = 0; i < written->arg_count; i++) {
        const struct arus_ast_arg *arg = &written->args[i];

        if (arg->expr->kind == ARUS_AST_STAR) {
            const int32_t one = 1;

            ARUS_TRY(make_value(scope, &ARUS_INT, &one, ast->place, &bind.args[i], err));
        } else {
            ARUS_TRY(sql_expr_make(scope, arg->expr, &bind.args[i], err));
        }
        names[i] = arg->name.text;
        has_names |= arg->name.text.size > 0;
    }
    if (written->form == ARUS_AST_CALL_TRIM && bind.arg_count == 2) {
        const struct arus_expr *first = bind.args[0];

        bind.args[0] = bind.args[1];
        bind.args[1] = first;
    }
    if (written->nulls == ARUS_AST_IGNORE_NULLS) {
        const uint8_t yes = 1;

        ARUS_TRY(
            make_value(scope, &ARUS_BOOLEAN, &yes, ast->place, &bind.args[bind.arg_count++], err));
    }
    bind.arg_names = has_names ? names : NULL;
    return arus_call_make(&bind, out, err);
}

static enum arus_status make_column(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                                    const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_ast_names *names = &ast->names;
    struct arus_expr *expr;
    int32_t found = -1;
    uint32_t next = 1;

    if (scope->schema != NULL) {
        found = arus_type_find_nocase(scope->schema, names->items[0].text);
        if (found < 0 && names->count > 1) {
            found = arus_type_find_nocase(scope->schema, names->items[1].text);
            next = 2;
        }
    }
    if (found < 0) {
        return arus_fail_at(err, ast->place, "UNRESOLVED_COLUMN", "no column %.*s",
                            ARUS_TEXT_ARGS(names->items[0].text));
    }
    ARUS_TRY(ARUS_NEW(scope->arena, struct arus_expr, 1, &expr, err));
    expr->kind = ARUS_EXPR_COLUMN;
    expr->index = (uint32_t)found;
    expr->name = names->items[next - 1].text;
    expr->type = scope->schema->fields[found].type;
    expr->is_nullable = true;
    expr->place = ast->place;
    *out = expr;
    for (; next < names->count; next++) {
        ARUS_TRY(
            arus_field_make(*out, names->items[next].text, ast->place, scope->arena, out, err));
    }
    return ARUS_OK;
}

enum arus_status sql_expr_make(const struct sql_scope *scope, const struct arus_ast_expr *ast,
                               const struct arus_expr **out, struct arus_error *err)
{
    static const char *const TESTS[] = {"is null", "is true", "is false", "is null"};
    const struct arus_expr **args;

    switch (ast->kind) {
    case ARUS_AST_LITERAL:
        return make_literal(scope, ast, out, err);
    case ARUS_AST_INTERVAL:
        return make_interval(scope, ast, out, err);
    case ARUS_AST_COLUMN:
        return make_column(scope, ast, out, err);
    case ARUS_AST_UNARY:
    case ARUS_AST_BINARY:
        return named(scope, OPERATORS[ast->op], ast, out, err);
    case ARUS_AST_AND:
        return named(scope, "and", ast, out, err);
    case ARUS_AST_OR:
        return named(scope, "or", ast, out, err);
    case ARUS_AST_IS:
        if (ast->is_not && (ast->test == ARUS_AST_IS_NULL || ast->test == ARUS_AST_IS_UNKNOWN)) {
            ARUS_TRY(make_args(scope, ast->args, 1, 0, &args, err));
            return call(scope, "is not null", args, 1, ast->place, out, err);
        }
        return named(scope, TESTS[ast->test], ast, out, err);
    case ARUS_AST_BETWEEN:
        return named(scope, "between", ast, out, err);
    case ARUS_AST_IN:
        return named(scope, "in", ast, out, err);
    case ARUS_AST_LIKE:
        return make_like(scope, ast, out, err);
    case ARUS_AST_CASE:
        return make_case(scope, ast, out, err);
    case ARUS_AST_CAST:
        return make_cast(scope, ast, out, err);
    case ARUS_AST_CALL:
        return make_call(scope, ast, out, err);
    case ARUS_AST_INDEX:
        return named(scope, "[]", ast, out, err);
    case ARUS_AST_FIELD:
        ARUS_TRY(make_args(scope, ast->args, 1, 0, &args, err));
        return arus_field_make(args[0], ast->names.items[0].text, ast->place, scope->arena, out,
                               err);
    case ARUS_AST_ROW:
        return named(scope, "struct", ast, out, err);
    case ARUS_AST_STAR:
    case ARUS_AST_IN_QUERY:
    case ARUS_AST_EXISTS:
    case ARUS_AST_SCALAR_QUERY:
    case ARUS_AST_LAMBDA:
    case ARUS_AST_TABLE_ARG:
        break;
    }
    return arus_fail_at(err, ast->place, "TEST_UNSUPPORTED", "not in this test");
}

enum arus_status sql_expr_parse(const struct sql_scope *scope, const char *sql,
                                const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_ast_expr *ast;

    ARUS_TRY(arus_sql_parse_expr(arus_text_of(sql), scope->arena, &ast, err));
    return sql_expr_make(scope, ast, out, err);
}

enum arus_status sql_expr_text(const struct sql_scope *scope, const char *sql,
                               struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_expr *expr;
    struct arus_vector value;

    ARUS_TRY(sql_expr_parse(scope, sql, &expr, err));
    ARUS_TRY(arus_expr_eval_constant(expr, &scope->env, scope->arena, &value, err));
    return arus_vector_is_valid(&value, 0)
               ? arus_value_cast_text(&value, 0, scope->env.zone, out, err)
               : arus_buffer_append_text(out, ARUS_TEXT("NULL"), err);
}

#ifndef SQL_EXPR_ONLY
#include <criterion/criterion.h>

Test(sql_expr, resolves_and_computes)
{
    struct arus_arena arena;
    struct sql_scope scope = {.arena = &arena, .env = {.zone = ARUS_ZONE_UTC, .is_ansi = true}};
    struct arus_buffer text = {0};
    struct arus_error err;

    arus_arena_init(&arena, 0);
    cr_assert_eq(sql_expr_text(&scope, "CASE WHEN 1 < 2 THEN 'a' || 7 END", &text, &err), ARUS_OK);
    cr_expect_eq(text.size, 2);
    cr_expect_eq(memcmp(text.data, "a7", 2), 0);
    arus_buffer_release(&text);
    arus_arena_release(&arena);
}

Test(sql_expr, a_long_list_is_compiled_at_once, .timeout = 600)
{
    struct arus_arena arena;
    struct sql_scope scope = {.arena = &arena, .env = {.zone = ARUS_ZONE_UTC, .is_ansi = true}};
    struct arus_buffer sql = {0};
    struct arus_buffer text = {0};
    struct arus_error err;

    arus_arena_init(&arena, 0);
    cr_assert_eq(arus_buffer_printf(&sql, &err, "39998 IN (-1"), ARUS_OK);
    for (int i = 0; i < 20000; i++) { /* every number twice: in one register */
        cr_assert_eq(arus_buffer_printf(&sql, &err, ", %d, %d", 2 * i, 2 * i), ARUS_OK);
    }
    cr_assert_eq(arus_buffer_append(&sql, ")", 2, &err), ARUS_OK);
    cr_assert_eq(sql_expr_text(&scope, sql.data, &text, &err), ARUS_OK, "%s", err.message);
    cr_expect(arus_text_equal(arus_buffer_text(&text), ARUS_TEXT("true")));
    arus_buffer_release(&sql);
    arus_buffer_release(&text);
    arus_arena_release(&arena);
}
#endif
