#include "plan_fixture.h"

TestSuite(streaming, .init = plan_open, .fini = plan_close);

#define REFUSED     "_LEGACY_ERROR_TEMP_3102 at "
#define BAD_MODE    "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION at "
#define WATERMARKED "STREAM t WATERMARK ts DELAY OF INTERVAL 10 MINUTES AS e"

Test(streaming, takes_stateless_queries)
{
    EXPECT_PLAN(STREAM("append") "SELECT a, b FROM " WATERMARKED " WHERE a > 1", "a INT, b STRING");
}

Test(streaming, wants_a_stream)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM t", REFUSED "out");
    EXPECT_PLAN("SELECT a FROM STREAM u", REFUSED "STREAM");
    cr_expect(eq(str, fixture.err.message, "a stream has no last row, so it cannot be printed"));
}

Test(streaming, wants_a_watermark_to_append_groups)
{
    EXPECT_PLAN(STREAM("append") "SELECT b, count(*) FROM STREAM t GROUP BY b",
                BAD_MODE "GROUP BY");
    cr_expect(eq(str, fixture.err.help,
                 "FROM STREAM t WATERMARK ts DELAY OF INTERVAL 10 MINUTES, or outputMode 'update' "
                 "(not for files)"));
}

#define GROUPS_ONCE(key)                                                                           \
    STREAM("update")                                                                               \
    "SELECT " key " FROM drop_duplicates(TABLE(SELECT window, b, count(*) AS n FROM " WATERMARKED  \
    " GROUP BY window(ts, '5 minutes'), b), '" key "')"

Test(streaming, takes_keys_of_groups_that_come_again)
{
    EXPECT_PLAN(GROUPS_ONCE("b"), "b STRING");
}

Test(streaming, takes_no_times_of_groups_that_come_again)
{
    EXPECT_PLAN(GROUPS_ONCE("window"), REFUSED "drop_duplicates");
}

Test(streaming, follows_the_watermark_into_the_group)
{
    EXPECT_PLAN(STREAM("append") "SELECT time, count(*) FROM (SELECT ts AS time FROM " WATERMARKED
                                 ") GROUP BY time",
                "time TIMESTAMP, `count(1)` BIGINT");
}

Test(streaming, loses_the_watermark_in_an_expression)
{
    EXPECT_PLAN(STREAM("append") "SELECT b, count(*) FROM " WATERMARKED " GROUP BY b, hour(ts)",
                BAD_MODE "GROUP BY");
}

Test(streaming, wants_groups_in_complete_mode)
{
    EXPECT_PLAN(STREAM("complete") "SELECT a FROM STREAM t", BAD_MODE "out");
}

Test(streaming, sorts_groups_in_complete_mode_only)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM STREAM t ORDER BY a", REFUSED "ORDER BY a");
    EXPECT_PLAN("CREATE STREAMING TABLE o2 USING console TBLPROPERTIES (outputMode 'complete') AS "
                "SELECT a, count(*) AS n FROM STREAM t GROUP BY a ORDER BY n",
                "a INT, n BIGINT");
}

Test(streaming, refuses_limits_in_update_mode_and_offsets_anywhere)
{
    EXPECT_PLAN(STREAM("update") "SELECT a FROM STREAM t LIMIT 5", REFUSED "LIMIT");
    EXPECT_PLAN("CREATE STREAMING TABLE o2 USING console AS SELECT a FROM STREAM t OFFSET 1",
                REFUSED "OFFSET");
}

Test(streaming, joins_static_tables_on_the_side_that_can_wait)
{
    EXPECT_PLAN(STREAM("append") "SELECT b, c FROM STREAM t LEFT JOIN u ON t.a = u.a",
                "b STRING, c STRING");
    EXPECT_PLAN("CREATE STREAMING TABLE o2 USING console AS SELECT b, c FROM u LEFT JOIN STREAM t "
                "ON t.a = u.a",
                REFUSED "LEFT JOIN");
    EXPECT_PLAN("CREATE STREAMING TABLE o2 USING console AS SELECT b, c FROM STREAM t FULL OUTER "
                "JOIN u ON t.a = u.a",
                REFUSED "FULL OUTER JOIN");
}

Test(streaming, does_not_mix_streams_and_tables_in_a_union)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM STREAM t UNION ALL SELECT a FROM u",
                REFUSED "UNION ALL");
    EXPECT_PLAN(
        "CREATE STREAMING TABLE o2 USING console AS SELECT a FROM STREAM t UNION ALL SELECT "
        "a FROM STREAM u",
        "a INT");
}

Test(streaming, refuses_subqueries_over_streams)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM STREAM t WHERE a IN (SELECT a FROM STREAM u)",
                "INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY at a IN (SELECT a FROM STREAM u)");
}

Test(streaming, checks_the_event_time)
{
    EXPECT_PLAN(
        STREAM("append") "SELECT a FROM STREAM t WATERMARK b DELAY OF INTERVAL 1 MINUTE AS e",
        "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE at b");
}

Test(streaming, checks_the_delay)
{
    EXPECT_PLAN(
        STREAM("append") "SELECT a FROM STREAM t WATERMARK ts DELAY OF INTERVAL -1 DAY AS e",
        "- at INTERVAL -1 DAY");
    cr_expect(eq(str, fixture.err.message, "a watermark cannot run ahead: the delay is negative"));
    EXPECT_PLAN("CREATE STREAMING TABLE o2 USING console AS SELECT a FROM STREAM t WATERMARK ts "
                "DELAY OF INTERVAL -1 DAY 25 HOURS AS e",
                "a INT");
}

Test(streaming, wants_a_name_for_a_computed_event_time)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM STREAM t WATERMARK date_trunc('hour', ts) DELAY OF "
                                 "INTERVAL 1 DAY AS e",
                "REQUIRES_EXPLICIT_NAME_IN_WATERMARK_CLAUSE at date_trunc('hour', ts)");
}

Test(streaming, takes_one_watermark_only)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM (SELECT * FROM " WATERMARKED
                                 ") WATERMARK ts DELAY OF INTERVAL 1 DAY AS e2",
                "_LEGACY_ERROR_TEMP_3076 at WATERMARK ts DELAY OF INTERVAL 1 DAY");
}

Test(streaming, fails_in_the_first_batch_without_a_watermark_for_unchecked_groups)
{
    EXPECT_PLAN("SET spark.sql.streaming.unsupportedOperationCheck = false; " STREAM(
                    "append") "SELECT b, count(*) AS n FROM STREAM t GROUP BY b",
                "b STRING, n BIGINT");
    cr_assert(fixture.action.stream->physical->refusal != NULL);
    EXPECT_PLAN("RESET; CREATE STREAMING TABLE o2 USING console AS SELECT a FROM STREAM t EXCEPT "
                "SELECT a FROM u",
                "a INT");
    cr_assert(fixture.action.stream->physical->refusal != NULL);
    cr_expect(strcmp(fixture.action.stream->physical->refusal->condition,
                     "UNSUPPORTED_STREAMING_OPERATOR_WITHOUT_WATERMARK") == 0);
}

Test(streaming, computes_window_time_before_the_groups)
{
    EXPECT_PLAN(STREAM("append") "SELECT window_time(window), count(*) FROM " WATERMARKED
                                 " GROUP BY window(ts, '5 minutes')",
                "MISSING_AGGREGATION at window_time(window)");
}

Test(streaming, wants_an_equality_between_streams)
{
    EXPECT_PLAN(STREAM("append") "SELECT t.a FROM STREAM t CROSS JOIN STREAM u",
                "_LEGACY_ERROR_TEMP_1181 at CROSS JOIN");
}

Test(streaming, wants_a_key_beside_a_session)
{
    EXPECT_PLAN(STREAM("append") "SELECT count(*) FROM " WATERMARKED
                                 " GROUP BY session_window(ts, '5 minutes')",
                "_LEGACY_ERROR_TEMP_3068 at GROUP BY");
}

Test(streaming, drops_duplicates_within_a_watermark_on_streams_only)
{
    EXPECT_PLAN(TABLES
                "SELECT * FROM drop_duplicates_within_watermark(TABLE(SELECT * FROM t), 'a')",
                "_LEGACY_ERROR_TEMP_3102 at drop_duplicates_within_watermark");
}

Test(streaming, joins_two_streams_in_update_mode_when_rows_come_once)
{
    EXPECT_PLAN(STREAM("update") "SELECT t.a FROM STREAM t JOIN STREAM u ON t.a = u.a", "a INT");
    EXPECT_PLAN("CREATE STREAMING TABLE o2 USING console TBLPROPERTIES (outputMode 'update') AS "
                "SELECT e.a FROM " WATERMARKED " LEFT JOIN STREAM u ON e.a = u.a AND ts = "
                "to_timestamp(u.c)",
                REFUSED "LEFT JOIN");
}

Test(streaming, reads_side_tables_by_name)
{
    EXPECT_PLAN(
        "SET arus.lateTable = true; " STREAM("append") "SELECT a FROM STREAM t; "
                                                       "SELECT batch, line, value FROM `out$late`",
        "batch BIGINT, line BIGINT, value BINARY");
    EXPECT_PLAN("SELECT batch FROM `out$rejects`", "ARUS_NO_SIDE_TABLE at `out$rejects`");
    cr_expect(eq(str, fixture.err.message, "there is no `out$rejects`: rejectsTable is off"));
    EXPECT_PLAN("CREATE STREAMING TABLE o2 USING console AS SELECT a FROM STREAM t; "
                "SELECT * FROM `o2$late`",
                "ARUS_NO_SIDE_TABLE at `o2$late`");
    EXPECT_PLAN("CREATE STREAMING TABLE o3 USING console AS SELECT batch FROM STREAM `out$late`",
                "_LEGACY_ERROR_TEMP_2049 at `out$late`");
    EXPECT_PLAN("SELECT * FROM `t$late`", "TABLE_OR_VIEW_NOT_FOUND at `t$late`");
}

Test(streaming, takes_properties_from_the_session)
{
    const struct arus_stream_properties *properties = NULL;

    cr_assert(eq(int,
                 plan_read("SET arus.lateTable = true; SET arus.sideTableRetention = 2d; "
                           "SET arus.trigger = availableNow; " TABLES
                           "CREATE STREAMING TABLE x USING console TBLPROPERTIES (trigger 'once') "
                           "AS SELECT a FROM STREAM t"),
                 ARUS_OK),
              "%s", fixture.err.message);
    properties = &fixture.action.stream->properties;
    cr_expect(properties->late_table);
    cr_expect(not(properties->rejects_table));
    cr_expect(eq(i64, properties->side_table_retention_ms, INT64_C(172800000)));
    cr_expect(eq(int, (int)properties->trigger, ARUS_TRIGGER_ONCE));
}

Test(streaming, checks_properties_of_the_session)
{
    EXPECT_PLAN("SET arus.lateTabel = true", "ARUS_UNKNOWN_OPTION at true");
    EXPECT_PLAN("SET arus.outputMode = update", "ARUS_UNKNOWN_OPTION at update");
    EXPECT_PLAN("SET arus.trigger = soon", "ARUS_BAD_TRIGGER at soon");
}

Test(streaming, warns_of_side_tables_that_nobody_could_read)
{
    fixture.warnings.count = 0;
    cr_assert(eq(int,
                 plan_read("SET arus.rejectsTable = true; " TABLES
                           "CREATE STREAMING TABLE x USING console TBLPROPERTIES (lateTable "
                           "'true') AS SELECT a FROM STREAM t"),
                 ARUS_OK));
    cr_assert(eq(sz, fixture.warnings.count, 2));
    cr_expect(eq(str, fixture.warnings.items[0].message,
                 "lateTable does nothing without checkpointLocation, where `x$late` is kept"));
    cr_expect(
        eq(str, fixture.warnings.items[1].message,
           "rejectsTable does nothing without checkpointLocation, where `x$rejects` is kept"));
}

Test(streaming, sorts_by_partition_as_it_sorts)
{
    EXPECT_PLAN(TABLES "SELECT a FROM t SORT BY a DESC; SELECT a FROM t CLUSTER BY a", "a INT");
    EXPECT_PLAN("CREATE STREAMING TABLE o USING console AS SELECT a FROM STREAM t SORT BY a",
                REFUSED "SORT BY a");
}

Test(streaming, refuses_set_operations_that_count_rows)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM STREAM t EXCEPT ALL SELECT a FROM u",
                REFUSED "EXCEPT ALL");
    cr_expect(eq(str, fixture.err.message, "EXCEPT ALL is not possible on a stream"));
}

Test(streaming, writes_no_table_as_a_stream)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM t", REFUSED "out");
}

Test(streaming, refuses_sessions_in_grouping_sets)
{
    EXPECT_PLAN(STREAM("append") "SELECT b, count(*) FROM " WATERMARKED
                                 " GROUP BY ROLLUP (b, session_window(ts, '5 minutes'))",
                "ARUS_NOT_SUPPORTED at ROLLUP");
}

Test(streaming, refuses_chains_that_emit_again)
{
    EXPECT_PLAN(STREAM("update") "SELECT n, count(*) FROM (SELECT a, count(*) AS n FROM STREAM t "
                                 "GROUP BY a) GROUP BY n",
                REFUSED "GROUP BY");
}

Test(streaming, reads_triggers)
{
    cr_expect(eq(int,
                 plan_read(TABLES "CREATE STREAMING TABLE x USING console TBLPROPERTIES (trigger "
                                  "'processingTime 5 seconds') AS SELECT a FROM STREAM t"),
                 ARUS_OK));
    cr_expect(eq(int, (int)fixture.action.stream->properties.trigger_ms, 5000));
    EXPECT_PLAN("CREATE STREAMING TABLE y USING console TBLPROPERTIES (trigger 'soon') AS SELECT a "
                "FROM STREAM t",
                "ARUS_BAD_TRIGGER at 'soon'");
}

Test(streaming, wants_a_sink_and_a_checkpoint)
{
    EXPECT_PLAN(TABLES "CREATE STREAMING TABLE x AS SELECT a FROM STREAM t", "ARUS_NO_SINK at x");
    EXPECT_PLAN("CREATE STREAMING TABLE x USING parquet TBLPROPERTIES (path 'o') AS SELECT a FROM "
                "STREAM t",
                "_LEGACY_ERROR_TEMP_1298 at x");
}

Test(streaming, keeps_the_settings_of_its_place)
{
    cr_assert(eq(int,
                 plan_read("SET spark.sql.shuffle.partitions = 7; " TABLES
                           "CREATE STREAMING TABLE x USING console AS SELECT a FROM STREAM t"),
                 ARUS_OK));
    cr_expect(eq(int, (int)fixture.action.stream->settings.shuffle_partitions, 7));
    cr_expect(eq(int, (int)fixture.action.stream->conf_count, 1));
}

Test(streaming, reads_its_sink_as_a_table_later)
{
    EXPECT_PLAN(STREAM("append") "SELECT a FROM STREAM t; SELECT * FROM out", "a INT");
}

Test(streaming, reads_what_has_no_end_as_a_stream_only)
{
    EXPECT_PLAN("CREATE TABLE ticks (a INT) USING endless; SELECT a FROM ticks",
                "_LEGACY_ERROR_TEMP_2049 at ticks");
}
