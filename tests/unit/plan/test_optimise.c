#include <string.h>

#include "plan_fixture.h"

TestSuite(optimise, .init = plan_open, .fini = plan_close);

Test(optimise, reads_only_what_is_used_down_to_struct_fields)
{
    EXPECT_EXPLAIN(
        TABLES "SELECT s.y.z AS z FROM t WHERE a > 1",
        "query\n"
        "  project  s.y.z AS z\n"
        "  +- filter  a > 1\n"
        "     +- scan  json t   reads a, s.y.z, skips 2 fields; the reader checks a > 1\n");
}

Test(optimise, counts_rows_without_reading_a_field)
{
    EXPECT_EXPLAIN(TABLES "SELECT count(*) FROM u",
                   "query\n"
                   "  aggregate  count(*)\n"
                   "  +- scan  json u   reads no field, counts rows, skips 2 fields\n");
}

Test(optimise, sinks_filters_through_projections)
{
    EXPECT_EXPLAIN(TABLES "SELECT p FROM (SELECT a AS p, c FROM u) WHERE c = 'x'",
                   "query\n"
                   "  project  a AS p\n"
                   "  +- filter  c = 'x'\n"
                   "     +- scan  json u   reads a, c; the reader checks c = x\n");
}

Test(optimise, lets_no_row_skip_an_error_before_it)
{
    EXPECT_EXPLAIN(TABLES "SELECT a FROM u WHERE CAST(c AS INT) > 1 AND a = 2",
                   "query\n"
                   "  project  a\n"
                   "  +- filter  CAST(c AS INT) > 1 AND a = 2\n"
                   "     +- scan  json u   reads a, c\n");
}

Test(optimise, keeps_failing_filters_above_a_join)
{
    EXPECT_EXPLAIN(TABLES "SELECT b FROM t JOIN u ON t.a = u.a WHERE CAST(c AS INT) > 1",
                   "query\n"
                   "  project  b\n"
                   "  +- filter  CAST(c AS INT) > 1\n"
                   "     +- join  inner on a = a\n"
                   "        +- scan  json t   reads a, b, skips 2 fields\n"
                   "        +- scan  json u   reads a, c\n");
}

Test(optimise, keeps_filters_above_an_outer_join_on_the_filled_side)
{
    EXPECT_EXPLAIN(
        TABLES "SELECT b FROM t LEFT JOIN u ON t.a = u.a WHERE c IS NULL AND b = 'x'",
        "query\n"
        "  project  b\n"
        "  +- filter  c IS NULL\n"
        "     +- join  left outer on a = a\n"
        "        +- filter  b = 'x'\n"
        "           +- scan  json t   reads a, b, skips 2 fields; the reader checks b = x\n"
        "        +- scan  json u      reads a, c\n");
}

Test(optimise, sinks_filters_on_keys_below_an_aggregate)
{
    EXPECT_EXPLAIN(TABLES "SELECT c FROM u GROUP BY c HAVING c > 'a'",
                   "query\n"
                   "  aggregate  by c\n"
                   "  +- filter  c > 'a'\n"
                   "     +- scan  json u   reads c, skips 1 field; the reader checks c > a\n");
}

Test(optimise, keeps_the_watermark_below_filters_on_its_column)
{
    EXPECT_EXPLAIN(
        TABLES "CREATE STREAMING TABLE x USING console AS SELECT a FROM STREAM t WATERMARK ts "
               "DELAY OF INTERVAL 1 MINUTE AS e WHERE a = 1 AND ts > TIMESTAMP '2026-01-01'",
        "x: console, append, batch after batch, no checkpoint\n"
        "  project  a\n"
        "  +- filter  ts > TIMESTAMP '2026-01-01'\n"
        "     +- watermark  ts - 1 minute\n"
        "        +- filter  a = 1\n"
        "           +- scan  json t   reads a, ts, skips 2 fields; the reader checks a = 1\n");
}

Test(optimise, brings_a_limit_to_its_sort)
{
    EXPECT_EXPLAIN(TABLES "SELECT c FROM u ORDER BY a LIMIT 3",
                   "query\n"
                   "  project  c\n"
                   "  +- limit  3\n"
                   "     +- sort  a\n"
                   "        +- project  c, a\n"
                   "           +- scan  json u   reads a, c\n");
}

Test(optimise, computes_a_dear_column_once)
{
    EXPECT_EXPLAIN(TABLES "SELECT p, p AS q FROM (SELECT upper(c) AS p FROM u)",
                   "query\n"
                   "  project  p, p AS q\n"
                   "  +- project  upper(c) AS p\n"
                   "     +- scan  json u   reads c, skips 1 field\n");
}

Test(optimise, reads_nothing_when_no_row_can_pass)
{
    EXPECT_EXPLAIN(TABLES "SELECT a FROM u WHERE 1 = 2", "query\n"
                                                         "  values  0 rows\n");
}

Test(optimise, a_condition_on_columns_around_the_time_sinks_below_the_watermark)
{
    EXPECT_EXPLAIN(TABLES
                   "CREATE STREAMING TABLE x USING console AS SELECT a FROM (SELECT a, ts, b "
                   "FROM STREAM t) WATERMARK ts DELAY OF INTERVAL 1 MINUTE AS e WHERE a = 1 OR "
                   "b = 'x'",
                   "x: console, append, batch after batch, no checkpoint\n"
                   "  project  a\n"
                   "  +- watermark  ts - 1 minute\n"
                   "     +- project  a, ts\n"
                   "        +- filter  a = 1 OR b = 'x'\n"
                   "           +- scan  json t   reads a, b, ts, skips 1 field\n");
}

/* ---- what conditions imply ---- */

#define WATERMARKED                                                                                \
    TABLES "CREATE STREAMING TABLE x USING console AS SELECT e.b FROM STREAM t WATERMARK ts "      \
           "DELAY OF INTERVAL 1 MINUTE AS e "

/* The lines `filter ..` of the plan, each on its own. */
static char *filters_of(const char *sql)
{
    static char found[1024];
    size_t size = 0;

    plan_close(); /* a session of its own: the tables are new again */
    plan_open();
    found[0] = '\0';
    for (const char *at = strstr(plan_explain(sql), "filter  "); at != NULL;
         at = strstr(at + 1, "filter  ")) {
        size += (size_t)snprintf(found + size, sizeof(found) - size, "%.*s\n",
                                 (int)strcspn(at + 8, "\n"), at + 8);
    }
    return found;
}

#define EXPECT_FILTERS(sql, text) cr_expect(eq(str, filters_of(sql), (text)))

Test(optimise, keys_of_a_stream_are_not_null_below_the_watermark)
{
    EXPECT_EXPLAIN(
        WATERMARKED "JOIN STREAM u ON e.a = u.a",
        "x: console, append, batch after batch, no checkpoint\n"
        "  project  b\n"
        "  +- join  inner on a = a       state 0: rows of both sides; left for ever, right for "
        "ever\n"
        "     +- project  a, b\n"
        "        +- watermark  ts - 1 minute\n"
        "           +- filter  (a IS NOT NULL)\n"
        "              +- scan  json t   reads a, b, ts, skips 1 field; the reader checks a IS NOT "
        "NULL\n"
        "     +- filter  (a IS NOT NULL)\n"
        "        +- scan  json u         reads a, skips 1 field; the reader checks a IS NOT "
        "NULL\n");
}

Test(optimise, only_sides_that_lose_rows_lose_nulls)
{
    EXPECT_FILTERS(WATERMARKED "LEFT JOIN u ON e.a = u.a", "");
    EXPECT_FILTERS(WATERMARKED "LEFT ANTI JOIN u ON e.a = u.a", "");
    EXPECT_FILTERS(WATERMARKED "LEFT SEMI JOIN u ON e.a = u.a", "(a IS NOT NULL)\n");
    EXPECT_FILTERS(WATERMARKED "WHERE e.a IN (SELECT a FROM u)", "(a IS NOT NULL)\n");
    EXPECT_FILTERS(TABLES "CREATE STREAMING TABLE x USING console AS SELECT e.b FROM u RIGHT JOIN "
                          "STREAM t AS e ON e.a = u.a",
                   "");
}

Test(optimise, what_holds_for_a_key_holds_for_the_other)
{
    EXPECT_FILTERS(WATERMARKED "JOIN STREAM u ON e.a = u.a AND u.a < 5", "(a < 5)\nu.a < 5\n");
    EXPECT_FILTERS(WATERMARKED "JOIN (SELECT * FROM STREAM u WHERE a < 5) AS f ON e.a = f.a",
                   "(a < 5)\na < 5\n");
    EXPECT_FILTERS(WATERMARKED
                   "LEFT SEMI JOIN (SELECT c, a AS k FROM u WHERE a < 5) AS f ON e.a = f.k",
                   "(a < 5)\na < 5\n");
    EXPECT_FILTERS(WATERMARKED "LEFT JOIN (SELECT * FROM u WHERE a < 5) AS f ON e.a = f.a",
                   "a < 5\n");
    EXPECT_FILTERS(WATERMARKED "JOIN (SELECT * FROM u WHERE a < 5) AS f ON e.a <=> f.a", "a < 5\n");
}

/* The kind of the join in the plan. */
static char *join_of(const char *sql)
{
    static char found[64];
    const char *at;

    plan_close();
    plan_open();
    at = strstr(plan_explain(sql), "join  ");
    (void)snprintf(found, sizeof(found), "%.*s", at == NULL ? 0 : (int)strcspn(at + 6, "("),
                   at == NULL ? "" : at + 6);
    found[strcspn(found, "\n")] = '\0';
    *strstr(found, " on ") = '\0';
    return found;
}

#define STREAMS(kind, where)                                                                       \
    WATERMARKED kind " JOIN (SELECT ts AS t, a, b FROM STREAM t) WATERMARK t DELAY OF INTERVAL 1 " \
                     "MINUTE AS f ON e.a = f.a AND e.ts = f.t WHERE " where

Test(optimise, an_outer_join_whose_nulls_are_dropped_is_none)
{
    cr_expect(eq(str, join_of(STREAMS("LEFT", "f.a > 1")), "inner"));
    cr_expect(eq(str, join_of(STREAMS("LEFT", "coalesce(f.a, 0) = 1")), "inner"));
    cr_expect(eq(str, join_of(STREAMS("LEFT", "coalesce(f.a, 0) = 0")), "left outer"));
    cr_expect(eq(str, join_of(STREAMS("LEFT", "f.a IS NULL")), "left outer"));
    cr_expect(eq(str, join_of(STREAMS("LEFT", "e.a > 1")), "left outer"));
    cr_expect(eq(str, join_of(STREAMS("LEFT", "e.b > f.b")), "inner"));
    cr_expect(eq(str, join_of(STREAMS("FULL", "e.a > 1")), "left outer"));
    cr_expect(eq(str, join_of(STREAMS("FULL", "f.a > 1")), "right outer"));
    cr_expect(eq(str, join_of(STREAMS("FULL", "f.b > e.b")), "inner"));
}

Test(optimise, tables_keep_their_nulls)
{
    EXPECT_FILTERS(TABLES "SELECT t.b FROM t JOIN u ON t.a = u.a", "");
}

Test(optimise, nulls_stay_where_a_key_can_be_null_safe)
{
    EXPECT_FILTERS(WATERMARKED "JOIN u ON e.a <=> u.a", "");
    EXPECT_FILTERS(WATERMARKED "JOIN u ON coalesce(e.a, 0) = u.a", "");
    EXPECT_FILTERS(WATERMARKED "JOIN u ON (e.a IS NOT NULL) = (u.a > 1)", "");
    EXPECT_FILTERS(WATERMARKED "JOIN u ON e.a + 1 = u.a", "(a IS NOT NULL)\n");
    EXPECT_FILTERS(WATERMARKED "JOIN u ON e.s.x = u.a", "(s.x IS NOT NULL)\n");
    EXPECT_FILTERS(WATERMARKED "JOIN u ON e.b = u.c AND e.a < u.a",
                   "(b IS NOT NULL) AND (a IS NOT NULL)\n");
}

Test(optimise, says_once_that_a_column_is_not_null)
{
    EXPECT_FILTERS(WATERMARKED "JOIN u ON e.a = u.a WHERE e.a > 5", "e.a > 5\n");
    EXPECT_FILTERS(WATERMARKED "JOIN u ON e.a = u.a WHERE e.a IS NOT NULL", "e.a IS NOT NULL\n");
}

Test(optimise, a_condition_on_the_time_drops_nulls_below_the_watermark)
{
    EXPECT_FILTERS(WATERMARKED "WHERE ts > make_date(a, 1, 1)",
                   "ts > make_date(a, 1, 1)\n(a IS NOT NULL)\n");
    EXPECT_FILTERS(WATERMARKED "WHERE ts > now() OR a = 1", "ts > now() OR a = 1\n");
}

/* ---- NOT ---- */

Test(optimise, not_goes_inwards)
{
    EXPECT_FILTERS(TABLES "SELECT b FROM t WHERE NOT (a <= 1)", "(a > 1)\n");
    EXPECT_FILTERS(TABLES "SELECT b FROM t WHERE NOT (a > 1 OR a < 0)", "(a <= 1) AND (a >= 0)\n");
    EXPECT_FILTERS(TABLES "SELECT b FROM t WHERE NOT (a > 1 AND NOT (a < 0))",
                   "((a <= 1) OR (a < 0))\n");
    EXPECT_FILTERS(TABLES "SELECT b FROM t WHERE NOT (a IS NULL)", "(a IS NOT NULL)\n");
    EXPECT_FILTERS(TABLES "SELECT b FROM t WHERE (a < 1) = false", "(a >= 1)\n");
    EXPECT_FILTERS(TABLES "SELECT b FROM t WHERE NOT (a = 1)", "NOT (a = 1)\n");
}
