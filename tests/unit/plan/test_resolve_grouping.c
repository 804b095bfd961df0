#include "plan_fixture.h"

TestSuite(resolve_grouping, .init = plan_open, .fini = plan_close);

Test(resolve_grouping, repeats_rows_for_grouping_sets)
{
    EXPECT_PLAN(TABLES "SELECT b, a, grouping(b) AS g, grouping_id() AS i, count(*) AS n FROM t "
                       "GROUP BY ROLLUP (b, a)",
                "b STRING, a INT, g TINYINT, i BIGINT, n BIGINT");
    EXPECT_PLAN("SELECT grouping(b) FROM t GROUP BY b",
                "UNSUPPORTED_GROUPING_EXPRESSION at grouping(b)");
}

Test(resolve_grouping, takes_all_keys_in_order_or_none)
{
    EXPECT_PLAN(TABLES "SELECT grouping_id(a, b) FROM t GROUP BY CUBE (b, a)",
                "GROUPING_ID_COLUMN_MISMATCH at grouping_id(a, b)");
}

Test(resolve_grouping, sets_behind_keys_hold_no_rollup)
{
    EXPECT_PLAN(TABLES "SELECT a, b FROM t GROUP BY a, b GROUPING SETS (ROLLUP (a, b))",
                "UNRESOLVED_ROUTINE at ROLLUP (a, b)");
}

Test(resolve_grouping, multiplies_the_sets_of_a_list)
{
    EXPECT_PLAN(TABLES
                "SELECT a, b, c, grouping_id() AS i, sum(v) AS s FROM (VALUES (1, 1, 1, 1)) AS "
                "x(a, b, c, v) GROUP BY a, ROLLUP (b, c)",
                "a INT, b INT, c INT, i BIGINT, s BIGINT");
}
