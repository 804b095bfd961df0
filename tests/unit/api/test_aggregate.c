#include "support/sql_expect.h"

#define NUMBERS " FROM VALUES (0), (10), (20), (30), (NULL) AS t(v)"

Test(aggregate, percentiles_within_group_go_up_or_down)
{
    expect_rows("SELECT percentile_cont(array(0.4, 0.5)) WITHIN GROUP (ORDER BY v DESC)" NUMBERS,
                "[18.0, 15.0]");
    expect_rows("SELECT percentile_disc(array(0.4, 0.5)) WITHIN GROUP (ORDER BY v)" NUMBERS,
                "[10.0, 10.0]");
    expect_rows("SELECT percentile_disc(array(0.4, 0.5)) WITHIN GROUP (ORDER BY v DESC)" NUMBERS,
                "[20.0, 20.0]");
}

Test(aggregate, nothing_correlates_with_a_constant)
{
    expect_rows("SELECT corr(a, b) FROM VALUES (3, 1), (-2, 1) AS t(a, b)", "NULL");
    expect_rows("SELECT corr(a, b) FROM VALUES (double('NaN'), 1), (2, 3) AS t(a, b)", "NaN");
}

Test(aggregate, a_key_beside_grouping_sets_is_in_each_of_them)
{
    expect_rows(
        "SELECT sum(s) FROM (SELECT a, b, grouping_id() * sum(v) AS s FROM VALUES (1, 1, 1), "
        "(1, 2, 10), (2, 1, 100) AS t(a, b, v) GROUP BY a, ROLLUP (b))",
        "111");
    expect_rows("SELECT array_sort(collect_list(id)) FROM (SELECT grouping_id() AS id FROM VALUES "
                "(1, 1, 1) AS t(a, b, c) GROUP BY GROUPING SETS ((c), (b)), CUBE (a))",
                "[2, 3, 4, 5]");
}

#define PAIRS " FROM VALUES (1, 2), (1, 3) AS t(a, b) GROUP BY "
#define SORTED(keys)                                                                               \
    "SELECT array_join(array_sort(collect_list(s)), ' ') FROM (SELECT concat(nvl(string(a), "      \
    "'-'), nvl(string(b), '-'), '=', count(*)) AS s" PAIRS keys ")"

Test(aggregate, keys_may_stand_in_front_of_grouping_sets)
{
    expect_rows(SORTED("a, b GROUPING SETS ((a), (b), ())"), "--=2 -2=1 -3=1 1-=2");
    expect_rows(SORTED("a GROUPING SETS (a, b)"), "-2=1 -3=1 1-=2");
    expect_rows("SELECT max(g) FROM (SELECT grouping_id() AS g" PAIRS
                "b, a GROUPING SETS ((a), (a, b)))",
                "2");
}

Test(aggregate, grouping_sets_may_hold_sets)
{
    expect_rows(SORTED("GROUPING SETS (ROLLUP (a, b), GROUPING SETS ((b)))"),
                "--=2 -2=1 -3=1 1-=2 12=1 13=1");
}

Test(aggregate, a_set_that_is_there_twice_gives_its_groups_twice)
{
    expect_rows(SORTED("a, ROLLUP (b), GROUPING SETS ((a), ())"), "1-=2 1-=2 12=1 12=1 13=1 13=1");
    expect_rows(SORTED("GROUPING SETS ((a, b), (b, a), ())"), "--=2 12=1 12=1 13=1 13=1");
}

Test(aggregate, an_average_of_intervals_keeps_to_the_range_of_their_sum)
{
    expect_rows(
        "SELECT avg(v), try_avg(v) FROM VALUES (INTERVAL 1 MONTH), (INTERVAL 3 MONTH) AS t(v)",
        "INTERVAL '0-2' YEAR TO MONTH, INTERVAL '0-2' YEAR TO MONTH");
    expect_rows("SELECT try_avg(v) FROM VALUES (INTERVAL '178956970-7' YEAR TO MONTH), "
                "(INTERVAL 1 MONTH) AS t(v)",
                "NULL");
    expect_rows("SELECT try_avg(v) FROM VALUES (INTERVAL 106751991 DAYS), "
                "(INTERVAL 106751991 DAYS) AS t(v)",
                "NULL");
    expect_failure("SELECT avg(v) FROM VALUES (INTERVAL '178956970-7' YEAR TO MONTH), "
                   "(INTERVAL 1 MONTH) AS t(v)",
                   "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION");
}

Test(aggregate, texts_are_joined_in_the_order_of_any_keys)
{
    expect_rows("SELECT listagg(v, '-') WITHIN GROUP (ORDER BY w DESC, v) "
                "FROM VALUES ('a', 3), ('c', 3), ('b', 2), (NULL, 9) AS t(v, w)",
                "a-c-b");
    expect_rows("SELECT listagg(DISTINCT v) WITHIN GROUP (ORDER BY v DESC) "
                "FROM VALUES ('a'), ('b'), ('a') AS t(v)",
                "ba");
}

Test(aggregate, within_group_stands_only_where_spark_takes_it)
{
    expect_failure("SELECT sum(v) WITHIN GROUP (ORDER BY v)" NUMBERS,
                   "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX");
    expect_failure("SELECT percentile_cont(0.5)" NUMBERS,
                   "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING");
    expect_failure("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v, v)" NUMBERS,
                   "INVALID_WITHIN_GROUP_EXPRESSION.WRONG_NUM_ORDERINGS");
    expect_failure("SELECT listagg(DISTINCT v) WITHIN GROUP (ORDER BY v + 1)" NUMBERS,
                   "INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT");
}

Test(aggregate, equally_frequent_values_come_in_the_order_of_sparks_map)
{
    expect_rows("SELECT mode(v) FROM VALUES (4), (3), (2), (1) AS t(v)", "4");
    expect_rows("SELECT mode(v) FROM VALUES ('a'), ('b'), ('c') AS t(v)", "b");
    expect_rows("SELECT mode(v, true), mode() WITHIN GROUP (ORDER BY v DESC)" NUMBERS, "0, 30");
}

Test(aggregate, an_approximate_percentile_misses_as_sparks_does)
{
    expect_rows("SELECT percentile_approx(id, array(0.1, 0.5, 0.9), 10) FROM range(1000)",
                "[0, 412, 999]");
    expect_rows("SELECT percentile_approx(v, 0.5, 100) FROM VALUES (-0.5D), (double('NaN')) t(v)",
                "NaN");
}

Test(aggregate, calls_that_differ_in_a_constant_are_two_calls)
{
    expect_rows("SELECT percentile(v, 0.25), percentile(v, 0.75), first(v, true), last(v), "
                "listagg(string(v), ','), listagg(string(v), '-')" NUMBERS,
                "7.5, 22.5, 0, NULL, 0,10,20,30, 0-10-20-30");
}
