#include "plan_fixture.h"

TestSuite(resolve_join, .init = plan_open, .fini = plan_close);

Test(resolve_join, takes_equal_sides_as_keys_and_keeps_the_rest)
{
    EXPECT_EXPLAIN(TABLES "SELECT t.b, u.c FROM t LEFT JOIN u ON t.a = u.a AND t.b < u.c",
                   "query\n"
                   "  project  b, c\n"
                   "  +- join  left outer on a = a, where t.b < u.c\n"
                   "     +- scan  json t   reads a, b, skips 2 fields\n"
                   "     +- scan  json u   reads a, c\n");
}

Test(resolve_join, turns_a_comma_and_where_into_a_key)
{
    EXPECT_EXPLAIN(
        TABLES "SELECT u.c FROM t, u WHERE t.a = u.a AND t.b = 'x'",
        "query\n"
        "  project  c\n"
        "  +- join  inner on a = a\n"
        "     +- project  a\n"
        "        +- filter  t.b = 'x'\n"
        "           +- scan  json t   reads a, b, skips 2 fields; the reader checks b = x\n"
        "     +- scan  json u         reads a, c\n");
}

Test(resolve_join, shows_a_using_column_once_and_first)
{
    EXPECT_PLAN(TABLES "SELECT * FROM t JOIN u USING (a)",
                "a INT, b STRING, s STRUCT<x: INT, y: STRUCT<z: INT, w: INT>>, ts TIMESTAMP, "
                "c STRING");
    EXPECT_PLAN("SELECT a, t.a AS l, u.a AS r FROM t FULL JOIN u USING (a)", "a INT, l INT, r INT");
    EXPECT_PLAN("SELECT * FROM t JOIN u USING (c)", "UNRESOLVED_USING_COLUMN_FOR_JOIN at c");
    EXPECT_PLAN("SELECT count(*) AS n FROM t NATURAL JOIN u", "n BIGINT");
}

Test(resolve_join, refuses_ambiguous_names_and_other_conditions_than_boolean)
{
    EXPECT_PLAN(TABLES "SELECT a FROM t JOIN u ON t.a = u.a", "AMBIGUOUS_REFERENCE at a");
    EXPECT_PLAN("SELECT b FROM t JOIN u ON 1", "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE at 1");
}

Test(resolve_join, gives_semi_joins_the_left_columns_only)
{
    EXPECT_PLAN(TABLES "SELECT * FROM u LEFT ANTI JOIN t ON t.a = u.a", "a INT, c STRING");
    EXPECT_PLAN("SELECT t.b FROM u LEFT SEMI JOIN t ON t.a = u.a",
                "UNRESOLVED_COLUMN.WITH_SUGGESTION at t.b");
}

Test(resolve_join, makes_joins_of_subqueries_in_where)
{
    EXPECT_EXPLAIN(TABLES "SELECT c FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.a = u.a)",
                   "query\n"
                   "  project  c\n"
                   "  +- join  left anti on a = a\n"
                   "     +- scan  json u   reads a, c\n"
                   "     +- scan  json t   reads a, skips 3 fields\n");
    EXPECT_EXPLAIN("SELECT c FROM u WHERE a NOT IN (SELECT a FROM t)",
                   "query\n"
                   "  project  c\n"
                   "  +- join  not in on a = a\n"
                   "     +- scan  json u   reads a, c\n"
                   "     +- scan  json t   reads a, skips 3 fields\n");
}

Test(resolve_join, gives_correlated_counts_a_zero)
{
    EXPECT_PLAN(TABLES "SELECT c, (SELECT count(*) FROM t WHERE t.a = u.a) AS n FROM u",
                "c STRING, n BIGINT");
}
