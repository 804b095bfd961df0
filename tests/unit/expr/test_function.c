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

/* No alias is another row's name or alias. */
static void expect_own_aliases(const struct arus_function *row)
{
    char names[256];
    char *rest = names;

    snprintf(names, sizeof names, "%s", row->aliases == NULL ? "" : row->aliases);
    for (const char *name = strtok_r(names, " ", &rest); name != NULL;
         name = strtok_r(NULL, " ", &rest)) {
        cr_expect(arus_function_find(arus_text_of(name)) == row, "%s, alias of %s, is hidden", name,
                  row->name);
    }
}

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
            expect_own_aliases(row);
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
    expect_name("power(2, 3)", "POWER(2, 3)");
    expect_name("regexp('a', 'b')", "REGEXP(a, b)");
    expect_name("array_insert(array(1), -1, 2)", "array_insert(array(1), -1, 2)");
    expect_name("dateadd(DATE'2020-01-01', 1)", "date_add(DATE '2020-01-01', 1)");
    expect_name("dateadd(DAY, 1, DATE'2020-01-01')", "timestampadd(DAY, 1, DATE '2020-01-01')");
    expect_name("datepart('YEAR', DATE'2020-01-01')", "datepart(YEAR FROM DATE '2020-01-01')");
    expect_name("position('a' IN 'b')", "locate(a, b, 1)");
    expect_name("'a' LIKE 'b' ESCAPE '/'", "a LIKE b ESCAPE '/'");
    expect_name("mask('a')", "mask(a, X, x, n, NULL)");
    expect_name("sign(INTERVAL '1' DAY)", "sign(INTERVAL '1' DAY)");
    expect_name("try_add(DATE'2020-01-01', 1)", "try_add(DATE '2020-01-01', 1)");
    expect_name("to_varchar(X'61', 'hex')", "to_varchar(X'61')");
    expect_name("random(5)", "rand(5)");
}

static void expect_value(const char *sql, const char *wanted)
{
    struct arus_buffer text = {0};
    struct arus_error err = {0};

    cr_assert(sql_expr_text(&scope, sql, &text, &err) == ARUS_OK, "%s: %s", sql, err.message);
    cr_expect(arus_text_equal(arus_buffer_text(&text), arus_text_of(wanted)), "%s: %.*s, not %s",
              sql, (int)text.size, text.data, wanted);
    arus_buffer_release(&text);
}

Test(function, try_functions_give_null_for_what_the_plain_ones_refuse)
{
    expect_value("try_divide(INTERVAL '1' DAY, 0)", "NULL");
    expect_value("try_multiply(INTERVAL '100000000' YEAR, 1000)", "NULL");
    expect_value("try_add(DATE'2020-01-01', INTERVAL '1' MONTH)", "2020-02-01");
    expect_value("try_to_binary('a!', 'base64')", "NULL");
    expect_value("try_to_binary('a', 'nosuch')", "NULL");
    expect_value("try_to_binary('ff')", "\xff");
    expect_failure("to_binary('a', 'nosuch')", "DATATYPE_MISMATCH.INVALID_ARG_VALUE");
}

Test(function, instr_finds_the_nth_match_from_either_end)
{
    expect_value("instr('abcabc', 'b', -3)", "2");
    expect_value("instr('abcabc', 'b', -1, 2)", "2");
    expect_value("instr('abcabc', 'b', -1, 3)", "0");
    expect_value("instr('aaa', 'aa', 1, 2)", "2");
    expect_value("instr('aaa', 'aa', -1, 2)", "1");
    expect_value("instr('\u00e4\u00f6\u00e4\u00f6', '\u00f6', -1)", "4");
    expect_value("instr('abc', '', 10)", "1");
    expect_value("instr('abc', 'c', -10)", "0");
    expect_value("instr('abc', 'c', 0)", "0");
    expect_failure("instr('abc', 'c', 1, 0)", "INVALID_PARAMETER_VALUE.OCCURRENCE");
}

Test(function, csv_lines_are_those_of_the_csv_sink)
{
    expect_value("to_csv(struct(1, 'a,b', NULL, DATE'2020-01-01'))", "1,\"a,b\",,2020-01-01");
    expect_value("to_csv(struct('a\"b', ' x '))", "\"a\\\"b\",x");
    expect_value("to_csv(struct(array(1, NULL, 3), map('k', NULL), struct(1, 'a')))",
                 "\"[1,, 3]\",{k ->},\"{1, a}\"");
    expect_value("to_csv(struct(1, 'a'), map('sep', ';'))", "1;a");
    expect_value("to_csv(struct(CAST(NULL AS INT)))", "NULL"); /* a line of nothing */
    expect_failure("to_csv(1)", "DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE");
    expect_failure("to_csv(struct(1), map('sep', 1))", "INVALID_OPTIONS.NON_STRING_TYPE");
}

Test(function, seeds_give_sparks_random_numbers)
{
    expect_value("rand(42)", "0.619189370225301");
    expect_value("rand(NULL)", "0.7604953758285915");
    expect_value("uniform(10.5, 20, 0)", "17.7");
    expect_value("randstr(10, 1)", "fYxVfArnv7");
    expect_value("shuffle(array(1, 20, NULL, 3, 5, 6, 7, 8), 42)", "[6, 8, 20, 1, 3, 7, 5, null]");
    expect_value("uuid(0)", "269567e9-5d09-4af5-b20f-16851fc4a81a");
    expect_failure("randstr(-1)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE");
    expect_failure("rand('a')", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE");
}

Test(function, digests_codes_and_similarities)
{
    expect_value("hex(hmac('key', 'data'))",
                 "5031FE3D989C6D1537A013FA6E739DA23463FDAEC3B70137D828E36ACE221BD0");
    expect_failure("hmac('key', 'data', 'xx')", "INVALID_PARAMETER_VALUE.HMAC_ALGORITHM");
    expect_value("to_base32('abcd')", "MFRGGZA=");
    expect_value("hex(from_base32('A'))", "00");
    expect_value("jaro_winkler_similarity('DIXON', 'DICKSONX')", "0.8133333333333332");
    expect_value("jaro_winkler_similarity('', '')", "1.0");
}

Test(function, the_type_time_is_refused_by_its_name)
{
    expect_failure("make_time(1, 2, 3)", "UNSUPPORTED_TIME_TYPE");
    expect_failure("CAST('12:00' AS TIME)", "UNSUPPORTED_TIME_TYPE");
}
