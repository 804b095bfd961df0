#include "unit/sql/parse_text.h"

Test(parser_expr, precedence_is_spark_s)
{
    expect_expr("1 + 2 * 3", "(1 + (2 * 3))");
    expect_expr("'a' || 1 + 2", "(('a' || 1) + 2)");
    expect_expr("1 | 2 & 3", "(1 | (2 & 3))");
    expect_expr("1 ^ 2 | 4", "((1 ^ 2) | 4)");
    expect_expr("1 << 1 + 1", "(1 << (1 + 1))");
    expect_expr("1 = 1 = true", "((1 = 1) = true)");
    expect_expr("NOT a = b AND c OR d", "(((NOT (a = b)) AND c) OR d)");
    expect_expr("10 - 2 - 3", "((10 - 2) - 3)");
    expect_expr("-a[1]::int * 2", "((- CAST(a[1] AS int)) * 2)");
    expect_expr("7 div 2 % 3", "((7 div 2) % 3)");
}

Test(parser_expr, a_minus_before_a_number_is_part_of_it)
{
    expect_expr("-2147483648", "-2147483648");
    expect_expr("-1::string", "CAST(-1 AS string)");
    expect_expr("1 - -1", "(1 - -1)");
    expect_expr("- -'1'", "(- (- '1'))");
}

Test(parser_expr, numbers_have_the_type_of_their_size)
{
    expect_expr("2147483648", "2147483648L");
    expect_expr("9223372036854775808", "9223372036854775808BD");
    expect_expr("9223372036854775808L",
                "INVALID_NUMERIC_LITERAL_RANGE: the number 9223372036854775808 is out of the "
                "range of BIGINT");
    expect_expr("128Y", "INVALID_NUMERIC_LITERAL_RANGE: the number 128 is out of the range of "
                        "TINYINT");
    expect_expr("3.4028235E38F", "INVALID_NUMERIC_LITERAL_RANGE: the number 3.4028235E38 is out "
                                 "of the range of FLOAT");
    expect_expr("1e400", "INVALID_NUMERIC_LITERAL_RANGE: the number 1e400 is out of the range of "
                         "DOUBLE");
    expect_expr("1e40BD", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION: a DECIMAL has at most 38 "
                          "digits, this number needs 41");
}

static void expect_decimal(const char *sql, int precision, int scale)
{
    struct arus_arena arena = {0};
    const struct arus_ast_expr *expr;
    struct arus_error err;

    cr_assert(eq(int, arus_sql_parse_expr(arus_text_of(sql), &arena, &expr, &err), ARUS_OK));
    cr_expect(eq(int, expr->literal.kind, ARUS_AST_DECIMAL), "%s", sql);
    cr_expect(eq(int, expr->literal.precision, precision), "%s", sql);
    cr_expect(eq(int, expr->literal.scale, scale), "%s", sql);
    arus_arena_release(&arena);
}

Test(parser_expr, decimals_count_digits_as_spark_does)
{
    expect_decimal("1.5", 2, 1);
    expect_decimal("00.50", 2, 2);
    expect_decimal("1.", 1, 0);
    expect_decimal("0.0", 1, 1);
    expect_decimal("1.5E-2BD", 3, 3);
    expect_decimal("1e3BD", 4, 0);
    expect_decimal("9223372036854775808", 19, 0);
}

Test(parser_expr, one_predicate_a_value)
{
    expect_expr("1 BETWEEN 0 AND 2 = true", "(1 BETWEEN 0 AND (2 = true))");
    expect_expr("a NOT IN (1, 2) AND b", "((a NOT IN (1, 2)) AND b)");
    expect_expr("1 IN (1) = true", "PARSE_SYNTAX_ERROR: the end expected, found `=`");
    expect_expr("x IS NULL IS NULL", "PARSE_SYNTAX_ERROR: the end expected, found `IS`");
    expect_expr("true = NOT false", "PARSE_SYNTAX_ERROR: an expression expected, found `NOT`");
    expect_expr("1 IN ()", "INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE: the list of IN is empty");
    expect_expr("'a' LIKE 'b' ESCAPE 'ab'", "INVALID_ESC: ESCAPE takes one character");
    expect_expr("a LIKE ANY ('x', 'y')", "(a LIKE ANY ('x', 'y'))");
    expect_expr("a IS NOT DISTINCT FROM b", "(a <=> b)");
    expect_expr("a regexp 'x' OR b !< 2", "((a RLIKE 'x') OR (b >= 2))");
}

Test(parser_expr, calls_keep_their_form)
{
    expect_expr("count(*)", "count(*)");
    expect_expr("count(DISTINCT a, b) FILTER (WHERE c)", "count(DISTINCT a, b) FILTER (WHERE c)");
    expect_expr("first(a IGNORE NULLS)", "first(a) IGNORE NULLS");
    expect_expr("f(a => 1)", "f(a => 1)");
    expect_expr("struct(1 AS a)", "struct(1 AS a)");
    expect_expr("transform(xs, x -> x + 1)", "transform(xs, (x -> (x + 1)))");
    expect_expr("aggregate(xs, 0, (a, x) -> a + x)", "aggregate(xs, 0, (a, x -> (a + x)))");
    expect_expr("EXTRACT(DAY FROM ts)", "EXTRACT('DAY', ts)");
    expect_expr("TRIM(LEADING 'x' FROM s)", "ltrim('x', s)");
    expect_expr("substring(s FROM 2 FOR 3)", "substring(s, 2, 3)");
    expect_expr("position('a' IN s)", "locate('a', s)");
    expect_expr("dateadd(DAY, 1, d)", "dateadd('DAY', 1, d)");
    expect_expr("percentile_cont(0.5) WITHIN GROUP (ORDER BY x DESC)",
                "percentile_cont(0.5BD) WITHIN GROUP (ORDER BY x DESC)");
    expect_expr("current_date", "current_date");
    expect_expr("like('a', 'b')", "like('a', 'b')");
    expect_expr("CAST(1)", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION: a cast needs its type");
}

Test(parser_expr, typed_literals_and_intervals)
{
    expect_expr("DATE '2020-01-01'", "DATE '2020-01-01'");
    expect_expr("X'1FA'", "X'01FA'");
    expect_expr("X'G'", "INVALID_TYPED_LITERAL: a binary value has hexadecimal digits only");
    expect_expr("N'abc'", "UNSUPPORTED_TYPED_LITERAL: there are no `N '..'` literals");
    expect_expr("INTERVAL 1 HOUR 30 MINUTES", "INTERVAL '1' HOUR '30' MINUTE");
    expect_expr("INTERVAL -1 DAY", "INTERVAL -'1' DAY");
    expect_expr("INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH");
    expect_expr("INTERVAL '10 minutes'", "INTERVAL '10 minutes'");
    expect_expr("INTERVAL 1 QUARTER",
                "PARSE_SYNTAX_ERROR: a unit (DAY, HOUR, MINUTE, ..) expected, found `QUARTER`");
    expect_expr("interval", "interval");
    expect_expr("'a' 'b' \"c\"", "'abc'");
}

Test(parser_expr, names_may_be_any_word)
{
    expect_expr("window.end", "window.end");
    expect_expr("array(order, offset, user)", "array(order, offset, user)");
    expect_expr("f(x).a.b[0]", "f(x).a.b[0]");
    expect_expr("`a b`.c", "`a b`.c");
}

Test(parser_expr, other_dialects_are_refused_by_name)
{
    expect_expr("a:b", "ARUS_NOT_SUPPORTED: a path into VARIANT (column:path) is not in arus");
    expect_expr("a COLLATE b", "ARUS_NOT_SUPPORTED: COLLATE is not in arus");
    expect_expr("[1]", "PARSE_SYNTAX_ERROR: an expression expected, found `[`");
}

static char *repeat(const char *part, size_t count)
{
    const size_t size = strlen(part);
    char *text = calloc(count * size + 16, 1);

    memcpy(text, "SELECT ", 7);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + 7 + i * size, part, size);
    }
    return text;
}

static void expect_too_complex(const char *part)
{
    char *sql = repeat(part, 100000);
    char *text = parse_text(sql);

    cr_expect(strstr(text, "FAILED_TO_PARSE_TOO_COMPLEX") != NULL, "%s", part);
    free(text);
    free(sql);
}

Test(parser_expr, depth_has_a_limit)
{
    expect_too_complex("(");
    expect_too_complex("NOT ");
    expect_too_complex("- ");
    expect_too_complex("CASE WHEN ");
    expect_too_complex("f(");
    expect_too_complex("1 + ");
}

Test(parser_expr, long_chains_of_and_are_one_node)
{
    struct arus_arena arena = {0};
    char *sql = repeat("a AND ", 20000);
    const struct arus_ast_expr *expr;
    struct arus_error err;

    strcat(sql, "a");
    cr_assert(eq(int, arus_sql_parse_expr(arus_text_of(sql + 7), &arena, &expr, &err), ARUS_OK));
    cr_expect(eq(int, expr->kind, ARUS_AST_AND));
    cr_expect(eq(u32, expr->arg_count, 20001));
    cr_expect(eq(u32, expr->height, 2));
    arus_arena_release(&arena);
    free(sql);
}
