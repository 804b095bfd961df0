#include "expr/function.h"
#include "unit/expr/sql_expr.h"

#include <criterion/criterion.h>

#include <stdio.h>

static struct arus_arena arena;
static struct sql_scope scope;

static void start(void)
{
    arus_arena_init(&arena, 0);
    scope = (struct sql_scope){
        .arena = &arena,
        .env = {.zone = ARUS_ZONE_UTC, .is_ansi = true, .now_micros = 1700000000000000}};
}

static void stop(void)
{
    arus_arena_release(&arena);
}

TestSuite(function, .init = start, .fini = stop);

Test(function, every_row_is_complete)
{
    for (size_t f = 0; ARUS_FUNCTION_FAMILIES[f] != NULL; f++) {
        for (const struct arus_function *row = ARUS_FUNCTION_FAMILIES[f]; row->name != NULL;
             row++) {
            cr_expect(row->bind != NULL || (row->takes != NULL && row->gives != NULL),
                      "%s has no rule", row->name);
            cr_expect(row->arg_min <= row->arg_max, "%s takes no number of arguments", row->name);
            cr_expect((row->kind == ARUS_AGGREGATE) == (row->aggregate != NULL),
                      "%s is half an aggregate", row->name);
            cr_expect(arus_function_find(arus_text_of(row->name)) == row, "%s is hidden",
                      row->name);
        }
    }
}

Test(function, names_are_found_without_case_and_by_alias)
{
    cr_expect_not_null(arus_function_find(ARUS_TEXT("UPPER")));
    cr_expect_eq(arus_function_find(ARUS_TEXT("ucase")), arus_function_find(ARUS_TEXT("upper")));
    cr_expect_null(arus_function_find(ARUS_TEXT("strftime")));
}

static void expect_suggestion(const char *name, const char *wanted)
{
    const struct arus_text near = arus_function_suggest(arus_text_of(name));

    cr_expect(arus_text_equal(near, arus_text_of(wanted)), "%s: %.*s, not %s", name, (int)near.size,
              near.data == NULL ? "" : near.data, wanted);
}

Test(function, foreign_and_misspelt_names_lead_to_sparks)
{
    expect_suggestion("strftime", "date_format");
    expect_suggestion("arg_max", "max_by");
    expect_suggestion("uper", "upper");
    expect_suggestion("zzzzzzzzzzz", "");
}

static void expect_failure(const char *sql, const char *condition)
{
    struct arus_buffer text = {0};
    struct arus_error err = {0};

    cr_expect(sql_expr_text(&scope, sql, &text, &err) != ARUS_OK, "%s works", sql);
    cr_expect(err.condition != NULL && strcmp(err.condition, condition) == 0, "%s: %s, not %s", sql,
              err.condition == NULL ? "(none)" : err.condition, condition);
    arus_buffer_release(&text);
}

Test(function, wrong_calls_carry_sparks_condition)
{
    expect_failure("nosuch(1)", "UNRESOLVED_ROUTINE");
    expect_failure("upper()", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION");
    expect_failure("upper('a', 'b')", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION");
    expect_failure("sqrt(true)", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
    expect_failure("1 + true", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES");
    expect_failure("'a' + 'b'", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE");
    expect_failure("coalesce(1, array(1))", "DATATYPE_MISMATCH.DATA_DIFF_TYPES");
    expect_failure("CAST(1 AS DATE)", "DATATYPE_MISMATCH.CAST_WITH_FUNC_SUGGESTION");
    expect_failure("struct(1 AS a).b", "FIELD_NOT_FOUND");
}

Test(function, values_that_fail_say_so)
{
    expect_failure("1 / 0", "DIVIDE_BY_ZERO");
    expect_failure("5 % 0", "REMAINDER_BY_ZERO");
    expect_failure("2147483647 + 1", "ARITHMETIC_OVERFLOW");
    expect_failure("127Y + 1Y", "BINARY_ARITHMETIC_OVERFLOW");
    expect_failure("CAST('x' AS INT)", "CAST_INVALID_INPUT");
    expect_failure("CAST(300 AS TINYINT)", "CAST_OVERFLOW");
    expect_failure("CAST(1000 AS DECIMAL(3, 1))", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION");
    expect_failure("array(1)[5]", "INVALID_ARRAY_INDEX");
    expect_failure("map('a', 1, 'a', 2)", "DUPLICATED_MAP_KEY");
}

Test(function, cast_errors_tell_value_and_way_out)
{
    struct arus_buffer text = {0};
    struct arus_error err = {0};

    cr_assert(sql_expr_text(&scope, "CAST(lower('DEV-03') AS INT)", &text, &err) == ARUS_BAD_DATA);
    cr_expect_str_eq(err.message, "cannot cast 'dev-03' to INT");
    cr_expect_str_eq(err.help, "NULL instead: TRY_CAST(lower(DEV-03) AS INT)");
    cr_expect_eq(err.place.begin, 0);
    cr_expect_eq(err.place.size, 28);
    arus_buffer_release(&text);
}

static void expect_name(const char *sql, const char *wanted)
{
    const struct arus_expr *expr;
    struct arus_buffer text = {0};
    struct arus_error err = {0};

    cr_assert(sql_expr_parse(&scope, sql, &expr, &err) == ARUS_OK, "%s: %s", sql, err.message);
    cr_assert(arus_expr_text(expr, &text, &err) == ARUS_OK);
    cr_expect(arus_text_equal(arus_buffer_text(&text), arus_text_of(wanted)), "%.*s, not %s",
              (int)text.size, text.data, wanted);
    arus_buffer_release(&text);
}

Test(function, texts_are_sparks_column_names)
{
    expect_name("1 + 1.5", "(1 + 1.5)");
    expect_name("1 != 2", "(NOT (1 = 2))");
    expect_name("-(1)", "(- 1)");
    expect_name("if(true, 1, 2)", "(IF(true, 1, 2))");
    expect_name("ifnull(1, 2)", "ifnull(1, 2)");
    expect_name("1 BETWEEN 0 AND 2", "between(1, 0, 2)");
    expect_name("ceil(1.5)", "CEIL(1.5)");
    expect_name("floor(1.55, 1)", "floor(1.55, 1)");
    expect_name("ceiling(1.5)", "ceiling(1.5)");
    expect_name("mod(7, 2)", "mod(7, 2)");
    expect_name("substr('abc', 1)", "substr(abc, 1, 2147483647)");
    expect_name("struct(1 AS a).a", "struct(1 AS a).a");
    expect_name("array(1, 2)[0]", "array(1, 2)[0]");
    expect_name("date'2020-01-01' + 1", "date_add(DATE '2020-01-01', 1)");
    expect_name("1::string", "CAST(1 AS STRING)");
    expect_name("atan2(hypot(1, 2), log(2, sin(0)))", "ATAN2(HYPOT(1, 2), LOG(2, SIN(0)))");
    expect_name("regexp_like('a', 'b')", "REGEXP_LIKE(a, b)");
    expect_name("regexp_instr('a', 'b')", "regexp_instr(a, b, 0)");
    expect_name("sort_array(array(1))", "sort_array(array(1), true)");
    expect_name("sort_array(array(1), false)", "sort_array(array(1), false)");
    expect_name("overlay('a' PLACING 'b' FROM 1)", "overlay(a, b, 1, -1)");
    expect_name("make_dt_interval(1)", "make_dt_interval(1, 0, 0, 0.000000)");
    expect_name("format_number(1.25, 1)", "format_number(1.25, 1)");
    expect_name("timestampadd(DAY, 1, DATE'2020-01-01')",
                "timestampadd(DAY, 1, DATE '2020-01-01')");
    expect_name("isnotnull(isnull(1))", "((1 IS NULL) IS NOT NULL)");
    expect_name("CASE WHEN true THEN 1 ELSE 2 END", "CASE WHEN true THEN 1 ELSE 2 END");
}
