#include "plan_fixture.h"

TestSuite(resolve_window, .init = plan_open, .fini = plan_close);

Test(resolve_window, names_its_column_window)
{
    EXPECT_PLAN(TABLES "SELECT window, window.end, count(*) AS n FROM t GROUP BY window(ts, '5 "
                       "minutes')",
                "window STRUCT<start: TIMESTAMP, end: TIMESTAMP>, end TIMESTAMP, n BIGINT");
}

Test(resolve_window, explains_as_it_was_written)
{
    EXPECT_EXPLAIN(TABLES "SELECT window.start AS s, count(*) AS n FROM t GROUP BY window(ts, '10 "
                          "minutes')",
                   "query\n"
                   "  project  window.start AS s, count(*) AS n\n"
                   "  +- aggregate  count(*) by window(ts, '10 minutes')\n"
                   "     +- scan  json t   reads ts, skips 3 fields; the reader checks ts IS NOT "
                   "NULL\n");
}

Test(resolve_window, takes_one_window_only)
{
    EXPECT_PLAN(TABLES "SELECT count(*) FROM t GROUP BY window(ts, '1 minute'), window(ts, '2 "
                       "minutes')",
                "_LEGACY_ERROR_TEMP_1039 at window(ts, '2 minutes')");
    EXPECT_PLAN("SELECT window(ts, '1 minute') AS w, count(*) AS n FROM t GROUP BY window(ts, '1 "
                "minute')",
                "w STRUCT<start: TIMESTAMP, end: TIMESTAMP>, n BIGINT");
}

Test(resolve_window, checks_its_lengths)
{
    EXPECT_PLAN(TABLES "SELECT count(*) FROM t GROUP BY window(ts, '0 minutes')",
                "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE at window(ts, '0 minutes')");
    EXPECT_PLAN("SELECT count(*) FROM t GROUP BY window(ts, '1 minute', '2 minutes')",
                "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION at window(ts, '1 minute', '2 "
                "minutes')");
    EXPECT_PLAN("SELECT count(*) FROM t GROUP BY window(ts, '1 year')",
                "_LEGACY_ERROR_TEMP_3231 at '1 year'");
    EXPECT_PLAN("SELECT count(*) FROM t GROUP BY window(ts, INTERVAL 10 MINUTES)",
                "_LEGACY_ERROR_TEMP_1207 at INTERVAL 10 MINUTES");
    EXPECT_PLAN("SELECT count(*) FROM t GROUP BY window(a, '1 minute')",
                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE at a");
}

Test(resolve_window, marks_the_session_among_the_keys)
{
    const struct arus_gather *gather = NULL;

    cr_assert(eq(int,
                 plan_read(TABLES "SELECT b, session_window.end, count(*) AS n FROM t GROUP BY b, "
                                  "session_window(ts, '5 minutes')"),
                 ARUS_OK));
    gather = &fixture.action.query->physical->gathers[0];
    cr_assert(gather->aggregate.has_session);
    cr_expect(eq(int, (int)gather->aggregate.session_key, 1));
}

Test(resolve_window, reads_lengths_as_sql_writes_intervals)
{
    EXPECT_PLAN(TABLES "SELECT window.start FROM t GROUP BY window(ts, \"interval '10' minute\")",
                "start TIMESTAMP");
    EXPECT_PLAN("SELECT window.start FROM t GROUP BY window(ts, \"interval '10' foo\")",
                "CANNOT_PARSE_INTERVAL at \"interval '10' foo\"");
}
