#include "support/sql_expect.h"

#define ONE " FROM VALUES (1) u(b) WHERE b = a"
#define TWO " FROM VALUES (1), (2) t(a) ORDER BY a"

Test(subquery, a_value_without_rows_is_what_its_aggregates_give_then)
{
    expect_rows("SELECT (SELECT count(*) + 1" ONE ")" TWO, "2; 1");
    expect_rows("SELECT (SELECT coalesce(sum(b), 0)" ONE ")" TWO, "1; 0");
    expect_rows("SELECT (SELECT collect_list(b)" ONE ")" TWO, "[1]; []");
    expect_rows("SELECT (SELECT sum(b)" ONE ")" TWO, "1; NULL");
    expect_rows("SELECT (SELECT count(*)" ONE " GROUP BY b)" TWO, "1; NULL");
}

Test(subquery, a_null_value_is_no_missing_row)
{
    expect_rows("SELECT (SELECT CASE WHEN count(*) > 0 THEN NULL ELSE 5 END" ONE ")" TWO,
                "NULL; 5");
}

Test(subquery, having_may_take_the_row_away)
{
    expect_rows("SELECT (SELECT count(*)" ONE " HAVING count(*) > 0)" TWO, "1; NULL");
    expect_rows("SELECT (SELECT count(*)" ONE " HAVING count(*) = 0)" TWO, "NULL; 0");
}

Test(grouping, keys_have_no_negative_zero_inside_either)
{
    expect_rows("SELECT a, count(*) FROM VALUES (array(-0D)), (array(0D)) t(a) GROUP BY a",
                "[0.0], 2");
    expect_rows("SELECT DISTINCT a FROM VALUES (named_struct('x', -0F)) t(a)", "{0.0}");
}

Test(windows, of_wall_clock_times_are_wall_clock_times)
{
    expect_rows("SET spark.sql.session.timeZone = Asia/Kolkata; "
                "SELECT window(TIMESTAMP_NTZ'2024-03-31 02:30:00', '1 hour')",
                "{2024-03-31 02:00:00, 2024-03-31 03:00:00}");
    expect_rows("SELECT session_window(t, '1 hour'), count(*) FROM VALUES "
                "(TIMESTAMP_NTZ'2024-03-31 02:30:00'), (TIMESTAMP_NTZ'2024-03-31 02:45:00') v(t) "
                "GROUP BY session_window(t, '1 hour')",
                "{2024-03-31 02:30:00, 2024-03-31 03:45:00}, 2");
}

Test(coercion, without_ansi_a_float_takes_integers)
{
    expect_rows("SET spark.sql.ansi.enabled = false; "
                "SELECT typeof(coalesce(1S, 1F)), typeof(1L + 1F), 16777217 = 16777216F",
                "float, float, true");
    expect_rows("SELECT typeof(coalesce(1S, 1F)), typeof(1L + 1F), 16777217 = 16777216F",
                "double, double, false");
}

Test(generators, stack_has_one_type_a_column)
{
    expect_rows("SELECT stack(2, 1, 'a', NULL, 'b')", "1, a; NULL, b");
    expect_failure("SELECT stack(2, 1, 'a', 2L, 'b')", "DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES");
}

Test(generators, left_join_lateral_takes_no_map_of_the_other_side)
{
    expect_failure("SELECT * FROM VALUES (map('a', 1)) t(m) LEFT JOIN LATERAL explode(m) ON true",
                   "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_REFERENCE_DATA_"
                   "TYPE");
    expect_rows("SELECT k, v FROM VALUES (map('a', 1)) t(m), LATERAL explode(m) AS e(k, v)",
                "a, 1");
    expect_rows("SELECT k, v FROM VALUES (map('a', 1)) t(m) LATERAL VIEW explode(m) e AS k, v",
                "a, 1");
}

Test(intervals, without_ansi_a_bad_one_is_an_error_too)
{
    expect_failure("SET spark.sql.ansi.enabled = false; SELECT CAST('x' AS INTERVAL YEAR TO MONTH)",
                   "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING");
    expect_failure("SET spark.sql.ansi.enabled = false; "
                   "SELECT CAST(a AS INTERVAL YEAR) FROM VALUES (-2147483648) t(a)",
                   "CAST_OVERFLOW");
    expect_rows("SET spark.sql.ansi.enabled = false; "
                "SELECT TRY_CAST('x' AS INTERVAL YEAR TO MONTH), CAST(2 AS INTERVAL YEAR)",
                "NULL, INTERVAL '2' YEAR");
}
