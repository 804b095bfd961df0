#include "plan/state_note.h"

#include "plan_fixture.h"

TestSuite(state_note, .init = plan_open, .fini = plan_close);

#define EVENTS                                                                                     \
    "CREATE TABLE l (k INT, v INT, ts TIMESTAMP) USING json OPTIONS (path 'l');\n"                 \
    "CREATE TABLE r (k INT, w INT, tr TIMESTAMP) USING json OPTIONS (path 'r');\n"
#define QUERY(mode)                                                                                \
    EVENTS "CREATE STREAMING TABLE out USING console TBLPROPERTIES ("                              \
           "outputMode '" mode "') AS "
#define L "STREAM l WATERMARK ts DELAY OF INTERVAL 10 MINUTES AS l"
#define R "STREAM r WATERMARK tr DELAY OF INTERVAL 20 MINUTES AS r"

/* The note of operator 0. */
static char *note_of(const char *sql)
{
    struct arus_buffer buffer = {0};

    cr_assert(eq(int, plan_read(sql), ARUS_OK), "%s", fixture.err.message);
    cr_assert(eq(
        int, arus_state_note(fixture.action.stream->physical->operators[0], &buffer, &fixture.err),
        ARUS_OK));
    return plan_keep(&buffer);
}

/* The warnings of a query: `message at TEXT`. */
static char *warnings_of(const char *sql)
{
    size_t at = 0;

    fixture.text[0] = '\0';
    fixture.warnings.count = 0;
    cr_assert(eq(int, plan_read(sql), ARUS_OK), "%s", fixture.err.message);
    for (size_t i = 0; i < fixture.warnings.count; i++) {
        const struct arus_error *warning = &fixture.warnings.items[i];

        cr_expect(strcmp(warning->condition, "ARUS_UNBOUNDED_STATE") == 0);
        at += (size_t)snprintf(fixture.text + at, sizeof(fixture.text) - at, "%s at %.*s\n",
                               warning->message, (int)warning->place.size,
                               sql + warning->place.begin);
    }
    return fixture.text;
}

#define EXPECT_NOTE(sql, text)     cr_expect(eq(str, note_of(sql), (text)))
#define EXPECT_WARNINGS(sql, text) cr_expect(eq(str, warnings_of(sql), (text)))

Test(state_note, says_when_groups_leave)
{
    EXPECT_NOTE(QUERY("append") "SELECT window, count(*) FROM " L
                                " GROUP BY window(ts, '5 minutes')",
                "state 0: a row a window, until watermark >= end");
}

Test(state_note, says_when_groups_by_time_leave)
{
    EXPECT_NOTE(QUERY("append") "SELECT k, ts, count(*) FROM " L " GROUP BY k, ts",
                "state 0: a row a group, until watermark >= ts");
}

Test(state_note, says_when_sessions_leave)
{
    EXPECT_NOTE(QUERY("append") "SELECT k, count(*) FROM " L
                                " GROUP BY k, session_window(ts, '5 minutes')",
                "state 0: a row a session, until watermark >= end");
}

Test(state_note, says_what_stays_for_ever)
{
    EXPECT_NOTE(QUERY("complete") "SELECT k, count(*) FROM STREAM l GROUP BY k",
                "state 0: a row a group, for ever");
}

Test(state_note, says_when_keys_leave)
{
    EXPECT_NOTE(QUERY("append") "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM " L
                                "), 'k', 'ts')",
                "state 0: a row a key, until watermark >= ts");
}

Test(state_note, says_when_keys_leave_after_the_delay)
{
    EXPECT_NOTE(QUERY("append") "SELECT * FROM drop_duplicates_within_watermark(TABLE(SELECT * "
                                "FROM " L "), 'k')",
                "state 0: a row a key, until watermark >= ts + 10 minutes");
}

Test(state_note, says_when_rows_of_a_join_leave)
{
    EXPECT_NOTE(QUERY("append") "SELECT v, w FROM " L " JOIN " R
                                " ON l.k = r.k AND ts >= tr AND ts < tr + INTERVAL 1 HOUR",
                "state 0: rows of both sides; left until watermark > ts, right until watermark >= "
                "tr + 1 hour");
}

Test(state_note, says_that_a_limit_counts)
{
    EXPECT_NOTE(QUERY("append") "SELECT * FROM STREAM l LIMIT 3",
                "state 0: counts the rows of all batches");
}

Test(state_note, warns_of_keys_kept_for_ever)
{
    EXPECT_WARNINGS(QUERY("append") "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), "
                                    "'k')",
                    "state grows for ever: every k is kept at drop_duplicates\n");
}

Test(state_note, warns_of_two_keys)
{
    EXPECT_WARNINGS(QUERY("append") "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), "
                                    "'k', 'v')",
                    "state grows for ever: every (k, v) is kept at drop_duplicates\n");
}

Test(state_note, warns_of_the_side_of_a_join_that_grows)
{
    EXPECT_WARNINGS(QUERY("append") "SELECT v, w FROM " L " JOIN " R " ON l.k = r.k AND ts > tr",
                    "state grows for ever: every row of the right side is kept at JOIN\n");
}

Test(state_note, warns_of_a_number_that_holds_a_side_back)
{
    EXPECT_WARNINGS(QUERY("append") "SELECT v, w, ts FROM " L " LEFT JOIN " R
                                    " ON l.k = r.k AND ts >= tr AND ts < tr + INTERVAL 1 HOUR AND "
                                    "v > 3",
                    "state grows for ever, rows without a match never come out: a comparison with "
                    "a number in ON holds the watermark of the left side back, as in Spark at LEFT "
                    "JOIN\n");
}

Test(state_note, warns_of_windows_that_never_close)
{
    EXPECT_WARNINGS(QUERY("update") "SELECT window, count(*) FROM STREAM l GROUP BY window(ts, '5 "
                                    "minutes')",
                    "state grows for ever: every group is kept at GROUP BY\n");
}

Test(state_note, is_content_with_totals)
{
    EXPECT_WARNINGS(QUERY("complete") "SELECT k, count(*) FROM STREAM l GROUP BY k", "");
}

Test(state_note, stands_in_the_plan)
{
    EXPECT_EXPLAIN(
        QUERY("append") "SELECT window.start AS start, count(*) AS n FROM " L
                        " GROUP BY window(ts, '10 minutes')",
        "out: console, append, batch after batch, no checkpoint\n"
        "  project  window.start AS start, count(*) AS n\n"
        "  +- aggregate  count(*) by window(ts, '10 minutes')   state 0: a row a window, until "
        "watermark >= end\n"
        "     +- watermark  ts - 10 minutes                     late rows leave here\n"
        "        +- scan  json l                                reads ts, skips 2 fields\n");
}
