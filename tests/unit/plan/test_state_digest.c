#include "plan/state_digest.h"

#include "plan_fixture.h"

TestSuite(state_digest, .init = plan_open, .fini = plan_close);

#define EVENTS                                                                                     \
    "CREATE OR REPLACE TEMPORARY VIEW nothing AS SELECT 1 AS a;\n"                                 \
    "CREATE TABLE IF NOT EXISTS l (k INT, v INT, d DOUBLE, ts TIMESTAMP) USING json OPTIONS "      \
    "(path 'l');\n"                                                                                \
    "CREATE TABLE IF NOT EXISTS r (k INT, w INT, tr TIMESTAMP) USING json OPTIONS (path 'r');\n"
#define L       "STREAM l WATERMARK ts DELAY OF INTERVAL 10 MINUTES AS l"
#define R       "STREAM r WATERMARK tr DELAY OF INTERVAL 20 MINUTES AS r"
#define WINDOWS "SELECT window.start, k, count(*) FROM " L " GROUP BY window(ts, '10 minutes'), k"

static uint32_t query_count;

static const struct arus_physical *physical_of(const char *select)
{
    char sql[2048];
    struct arus_text text;

    (void)snprintf(sql, sizeof(sql),
                   EVENTS "CREATE STREAMING TABLE q%u USING console TBLPROPERTIES (outputMode "
                          "'append') AS %s",
                   query_count++, select);
    cr_assert(
        eq(int, arus_text_copy(arus_text_of(sql), &fixture.arena, &text, &fixture.err), ARUS_OK));
    cr_assert(eq(int, plan_read(text.data), ARUS_OK), "%s", fixture.err.message);
    return fixture.action.stream->physical;
}

static char *digest_of(const char *select)
{
    struct arus_buffer buffer = {0};

    cr_assert(
        eq(int, arus_state_digest_write(physical_of(select), &buffer, &fixture.err), ARUS_OK));
    return plan_keep(&buffer);
}

/* `CONDITION label` of the second query on the checkpoint of the first; empty: it goes on. */
static char *change(const char *first, const char *second)
{
    char stored[2048];
    const struct arus_physical *physical = NULL;

    (void)snprintf(stored, sizeof(stored), "%s", digest_of(first));
    physical = physical_of(second);
    fixture.text[0] = '\0';
    if (arus_state_digest_check(physical, arus_text_of(stored), "ckpt/q", &fixture.err) !=
        ARUS_OK) {
        cr_expect(eq(int, (int)fixture.err.status, ARUS_MISMATCH));
        (void)snprintf(fixture.text, sizeof(fixture.text), "%s %s", fixture.err.condition,
                       fixture.err.label);
    }
    return fixture.text;
}

#define EXPECT_CHANGE(first, second, text) cr_expect(eq(str, change(first, second), (text)))
#define KEYS                               "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE "
#define VALUES                             "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE "
#define OPERATORS                          "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA "

Test(state_digest, says_what_the_state_means)
{
    cr_expect(eq(str, digest_of(WINDOWS),
                 "arus-state 1\n"
                 "0\toperator\tkind\taggregate\n"
                 "0\tkey\twindow size\t10 minutes\n"
                 "0\tkey\twindow slide\t10 minutes\n"
                 "0\tkey\twindow start\t0 seconds\n"
                 "0\tkey\twindow\twindow(ts, 10 minutes, 10 minutes, 0 "
                 "seconds)\n"
                 "0\tkey\tkey 2\tk INT\n"
                 "0\tvalue\taggregate 1\tcount(1) BIGINT\n"));
}

Test(state_digest, knows_a_query_without_state)
{
    cr_expect(eq(str, digest_of("SELECT k FROM STREAM l"), "arus-state 1\n"));
    EXPECT_CHANGE("SELECT k FROM STREAM l", WINDOWS,
                  "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY was none, is aggregate");
    EXPECT_CHANGE(WINDOWS, "SELECT k FROM STREAM l", OPERATORS "was aggregate, is none");
}

Test(state_digest, lets_a_query_be_written_another_way)
{
    EXPECT_CHANGE(WINDOWS, WINDOWS, "");
    EXPECT_CHANGE(WINDOWS,
                  "SELECT k AS key, window.end, count(*) + 1 AS n FROM (SELECT ts, k, 1 AS one "
                  "FROM STREAM l WATERMARK ts DELAY OF INTERVAL 1 HOUR AS l WHERE v > 1) GROUP BY "
                  "window(ts, '600 seconds'), k HAVING count(*) > 2",
                  "");
    EXPECT_CHANGE("SELECT window, sum(v) FROM " L " GROUP BY window(ts, '1 hour')",
                  "SELECT window, sum(x) FROM (SELECT v AS x, ts AS t FROM " L
                  ") GROUP BY window(t, '1 hour')",
                  "");
}

Test(state_digest, finds_another_window)
{
    EXPECT_CHANGE(WINDOWS,
                  "SELECT window.start, k, count(*) FROM " L " GROUP BY window(ts, '5 minutes'), k",
                  KEYS "window size was 10 minutes, is 5 minutes");
    cr_expect(eq(str, fixture.err.message, "the state in ckpt/q has another schema"));
    EXPECT_CHANGE(WINDOWS,
                  "SELECT window.start, k, count(*) FROM " L
                  " GROUP BY window(ts, '10 minutes', '5 minutes'), k",
                  KEYS "window slide was 10 minutes, is 5 minutes");
}

Test(state_digest, finds_other_keys)
{
    EXPECT_CHANGE(WINDOWS,
                  "SELECT window.start, count(*) FROM " L " GROUP BY window(ts, '10 minutes')",
                  KEYS "key 2 was k INT, is gone");
    EXPECT_CHANGE(
        WINDOWS, "SELECT window.start, v, count(*) FROM " L " GROUP BY window(ts, '10 minutes'), v",
        KEYS "key 2 was k INT, is v INT");
    EXPECT_CHANGE(WINDOWS,
                  "SELECT window.start, k, v, count(*) FROM " L
                  " GROUP BY window(ts, '10 minutes'), k, v",
                  KEYS "key 3 is new: v INT");
}

Test(state_digest, finds_another_aggregate_of_the_same_type)
{
    EXPECT_CHANGE(WINDOWS,
                  "SELECT window.start, k, sum(v) FROM " L " GROUP BY window(ts, '10 minutes'), k",
                  VALUES "aggregate 1 was count(1) BIGINT, is sum(v) BIGINT");
    EXPECT_CHANGE("SELECT window, sum(v) FROM " L " GROUP BY window(ts, '1 hour')",
                  "SELECT window, sum(v) FROM (SELECT v * 2 AS v, ts FROM " L
                  ") GROUP BY window(ts, '1 hour')",
                  VALUES "aggregate 1 was sum(v) BIGINT, is sum((v * 2)) BIGINT");
}

Test(state_digest, finds_other_operators)
{
    EXPECT_CHANGE(WINDOWS, "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), 'k')",
                  OPERATORS "was aggregate, is drop_duplicates");
    EXPECT_CHANGE("SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), 'k')",
                  "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), 'k') LIMIT 5",
                  OPERATORS "was drop_duplicates, is limit, drop_duplicates");
}

Test(state_digest, finds_other_duplicates)
{
    EXPECT_CHANGE("SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), 'k')",
                  "SELECT k, v FROM drop_duplicates(TABLE(SELECT k, v FROM STREAM l), 'k')", "");
    EXPECT_CHANGE("SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), 'k')",
                  "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM l), 'k', 'v')",
                  KEYS "key 2 is new: v INT");
}

Test(state_digest, finds_another_join)
{
    EXPECT_CHANGE("SELECT v, w FROM STREAM l JOIN STREAM r ON l.k = r.k",
                  "SELECT v, w FROM STREAM l JOIN STREAM r ON l.v = r.k",
                  KEYS "key 1 was k = 1.k INT, is v = 1.k INT");
    EXPECT_CHANGE("SELECT v FROM " L " LEFT JOIN " R " ON ts = tr",
                  "SELECT v FROM " L " JOIN " R " ON ts = tr", VALUES "join was left, is inner");
    EXPECT_CHANGE("SELECT v, w FROM STREAM l JOIN STREAM r ON l.k = r.k",
                  "SELECT v, d, w FROM STREAM l JOIN STREAM r ON l.k = r.k",
                  VALUES "left column 3 is new: d DOUBLE");
}

Test(state_digest, finds_another_session_gap)
{
    EXPECT_CHANGE("SELECT k, count(*) FROM " L " GROUP BY k, session_window(ts, '5 minutes')",
                  "SELECT k, count(*) FROM " L " GROUP BY k, session_window(ts, '6 minutes')",
                  KEYS "session gap was 5 minutes, is 6 minutes");
}

#define GAP_OF_ROW(then)                                                                           \
    "SELECT k, count(*) FROM " L " GROUP BY k, session_window(ts, CASE WHEN v = 1 THEN '" then     \
    "' ELSE '1 minute' END)"

Test(state_digest, finds_another_session_gap_of_each_row)
{
    EXPECT_CHANGE(GAP_OF_ROW("2 minutes"), GAP_OF_ROW("2 minutes"), "");
    EXPECT_CHANGE(GAP_OF_ROW("2 minutes"), GAP_OF_ROW("3 minutes"),
                  KEYS
                  "session was session_window(ts, CASE WHEN (v = 1) THEN 2 minutes ELSE 1 minute "
                  "END), is session_window(ts, CASE WHEN (v = 1) THEN 3 minutes ELSE 1 minute "
                  "END)");
}

Test(state_digest, does_not_read_what_it_does_not_know)
{
    const struct arus_physical *physical = physical_of(WINDOWS);

    cr_expect(eq(int,
                 arus_state_digest_check(physical, ARUS_TEXT("arus-state 2\n"), "c", &fixture.err),
                 ARUS_MISMATCH));
    cr_expect(eq(
        int,
        arus_state_digest_check(physical, ARUS_TEXT("arus-state 1\n0\tkey\n"), "c", &fixture.err),
        ARUS_MISMATCH));
    cr_expect(eq(int, arus_state_digest_check(physical, ARUS_TEXT(""), "c", &fixture.err),
                 ARUS_MISMATCH));
}
