#include "plan_fixture.h"

TestSuite(catalog, .init = plan_open, .fini = plan_close);

Test(catalog, refuses_a_name_twice_unless_told)
{
    EXPECT_PLAN("CREATE TABLE t (a INT) USING json; CREATE TABLE T (a INT) USING json; SELECT 1",
                "TABLE_OR_VIEW_ALREADY_EXISTS at T");
    EXPECT_PLAN("CREATE TABLE IF NOT EXISTS t (b INT) USING json; SELECT * FROM t", "a INT");
    EXPECT_PLAN("CREATE TEMP VIEW v AS SELECT 1 AS x; CREATE OR REPLACE TEMP VIEW v AS SELECT 'a' "
                "AS y; SELECT * FROM v",
                "y STRING");
}

Test(catalog, resolves_views_when_they_are_made)
{
    EXPECT_PLAN("CREATE TEMP VIEW v AS SELECT nosuch FROM VALUES (1) AS t(a)",
                "UNRESOLVED_COLUMN.WITH_SUGGESTION at nosuch");
    EXPECT_PLAN("CREATE TEMP VIEW w (p, q) AS SELECT 1, 'x'; SELECT q, w.p FROM w",
                "q STRING, p INT");
}

Test(catalog, names_the_nearest_format)
{
    EXPECT_PLAN("CREATE TABLE t (a INT) USING jsn", "DATA_SOURCE_NOT_FOUND at jsn");
    cr_expect(eq(str, fixture.err.label, "did you mean `json`?"));
}

Test(catalog, says_which_formats_cannot_be_streamed)
{
    EXPECT_PLAN("CREATE TABLE t (a INT) USING lookup; CREATE STREAMING TABLE x USING console AS "
                "SELECT * FROM STREAM t",
                "_LEGACY_ERROR_TEMP_2049 at t");
}

Test(catalog, checks_known_settings)
{
    EXPECT_PLAN("SET spark.sql.session.timeZone = 'UTC'", "INVALID_CONF_VALUE.TIME_ZONE at 'UTC'");
    cr_expect(eq(str, fixture.err.help, "without quotes: SET spark.sql.session.timeZone = UTC"));
    EXPECT_PLAN("SET spark.sql.ansi.enabled = maybe", "INVALID_CONF_VALUE.TYPE_MISMATCH at maybe");
    EXPECT_PLAN("SET spark.sql.shuffle.partitions = 3; SET spark.sql.shuffle.partitions",
                "key STRING, value STRING");
    cr_expect(eq(int, (int)fixture.catalog.settings.shuffle_partitions, 3));
    cr_expect(eq(int, plan_read("RESET"), ARUS_OK));
    cr_expect(eq(int, (int)fixture.catalog.settings.shuffle_partitions, 200));
}

Test(catalog, warns_about_unknown_settings)
{
    cr_expect(eq(int, plan_read("SET spark.sql.shufle.partitions = 3"), ARUS_OK));
    cr_assert(eq(int, (int)fixture.warnings.count, 1));
    cr_expect(eq(str, fixture.warnings.items[0].message,
                 "the setting spark.sql.shufle.partitions is not known here; did you mean "
                 "spark.sql.shuffle.partitions?"));
}

Test(catalog, sets_the_time_zone_in_all_forms)
{
    cr_expect(eq(int, plan_read("SET TIME ZONE 'Europe/Paris'"), ARUS_OK));
    cr_expect(arus_text_equal(fixture.catalog.settings.time_zone, ARUS_TEXT("Europe/Paris")));
    cr_expect(eq(int, plan_read("SET TIME ZONE INTERVAL '05:30' HOUR TO MINUTE"), ARUS_OK));
    cr_expect(arus_text_equal(fixture.catalog.settings.time_zone, ARUS_TEXT("+05:30")));
}

Test(catalog, shows_what_there_is)
{
    EXPECT_PLAN(TABLES "SHOW TABLES LIKE 't*'",
                "namespace STRING, tableName STRING, isTemporary BOOLEAN");
    cr_expect(eq(int, (int)fixture.action.query->plan->values.rows.row_count, 1));
    EXPECT_PLAN("DESCRIBE t", "col_name STRING, data_type STRING, comment STRING");
    cr_expect(eq(int, (int)fixture.action.query->plan->values.rows.row_count, 4));
}

Test(catalog, explains_without_changing_anything)
{
    cr_expect(eq(int, plan_read("EXPLAIN CREATE TABLE t (a INT) USING json"), ARUS_OK));
    EXPECT_PLAN("SELECT * FROM t", "TABLE_OR_VIEW_NOT_FOUND at t");
}
