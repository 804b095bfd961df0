#include "plan_fixture.h"

TestSuite(physical_state, .init = plan_open, .fini = plan_close);

#define EVENTS                                                                                     \
    "CREATE TABLE l (k INT, v INT, ts TIMESTAMP) USING json OPTIONS (path 'l');\n"                 \
    "CREATE TABLE r (k INT, w INT, tr TIMESTAMP) USING json OPTIONS (path 'r');\n"
#define QUERY(mode)                                                                                \
    EVENTS "CREATE STREAMING TABLE out USING console TBLPROPERTIES (outputMode '" mode "') AS "
#define L "STREAM l WATERMARK ts DELAY OF INTERVAL 10 MINUTES AS l"
#define R "STREAM r WATERMARK tr DELAY OF INTERVAL 20 MINUTES AS r"

static const char *expiry_text(const struct arus_expiry *expiry, char *out, size_t size)
{
    static const char *const KINDS[] = {"never", "time", "delay"};

    (void)snprintf(out, size, "%s", KINDS[expiry->kind]);
    if (expiry->kind == ARUS_EXPIRY_TIME) {
        (void)snprintf(out, size, "%s %u%s %+lld us -%lld ms", expiry->is_key ? "key" : "value",
                       expiry->column, "", (long long)expiry->offset_micros,
                       (long long)expiry->minus_ms);
    } else if (expiry->kind == ARUS_EXPIRY_DELAY) {
        (void)snprintf(out, size, "column %u + %lld us", expiry->column,
                       (long long)expiry->delay_micros);
    }
    return out;
}

/* A line an operator: name, what is late, what leaves, what lies below. */
static char *states_of(const char *sql)
{
    const struct arus_physical *physical = NULL;
    size_t at = 0;

    if (plan_read(sql) != ARUS_OK) {
        (void)snprintf(fixture.text, sizeof(fixture.text), "%s: %s",
                       fixture.err.condition == NULL ? "-" : fixture.err.condition,
                       fixture.err.message);
        return fixture.text;
    }
    physical = fixture.action.stream->physical;
    fixture.text[0] = '\0';
    for (uint32_t i = 0; i < physical->operator_count; i++) {
        const struct arus_state_operator *item = physical->operators[i];
        const struct arus_gather *gather = &physical->gathers[item->gather];
        char text[128];

        cr_expect(gather->state == item);
        cr_expect(eq(u32, item->id, i));
        for (uint32_t side = 0; side < (item->kind == ARUS_STATE_JOIN ? 2u : 1u); side++) {
            at += (size_t)snprintf(fixture.text + at, sizeof(fixture.text) - at,
                                   "%s: late %d, leaves %s", side == 0 ? item->name : "  right",
                                   item->inputs[side].late_column,
                                   expiry_text(&item->inputs[side].expiry, text, sizeof(text)));
            at += (size_t)snprintf(fixture.text + at, sizeof(fixture.text) - at, "%s\n",
                                   side == 0 && item->sees_watermark ? ", sees a watermark" : "");
        }
        for (uint32_t j = 0; j < item->below_count; j++) {
            at += (size_t)snprintf(fixture.text + at, sizeof(fixture.text) - at, "  below: %u\n",
                                   item->below[j]);
        }
    }
    return fixture.text;
}

#define EXPECT_STATES(sql, text) cr_expect(eq(str, states_of(sql), (text)))

Test(physical_state, closes_a_group_by_its_window)
{
    EXPECT_STATES(QUERY("append") "SELECT window, k, count(*) FROM " L
                                  " GROUP BY k, window(ts, '5 minutes')",
                  "stateStoreSave: late 1, leaves key 1 +0 us -0 ms, sees a watermark\n");
}

Test(physical_state, keeps_all_groups_in_complete_mode)
{
    EXPECT_STATES(QUERY("complete") "SELECT window, count(*) FROM " L
                                    " GROUP BY window(ts, '5 minutes')",
                  "stateStoreSave: late -1, leaves never, sees a watermark\n");
}

Test(physical_state, finds_no_late_group_without_the_event_time_in_the_key)
{
    EXPECT_STATES(QUERY("update") "SELECT k, max(ts) FROM " L " GROUP BY k",
                  "stateStoreSave: late -1, leaves never, sees a watermark\n");
}

Test(physical_state, closes_rollups_by_their_window)
{
    EXPECT_STATES(QUERY("append") "SELECT window, k, count(*) FROM " L
                                  " GROUP BY GROUPING SETS ((window(ts, '5 minutes'), k), "
                                  "(window(ts, '5 minutes')))",
                  "stateStoreSave: late 0, leaves key 0 +0 us -0 ms, sees a watermark\n");
}

Test(physical_state, numbers_operators_from_the_sink)
{
    EXPECT_STATES(
        QUERY("append") "SELECT window.start, sum(n) FROM (SELECT window AS w, count(*) AS n FROM "
                        "drop_duplicates(TABLE(SELECT * FROM " L
                        "), 'k', 'ts') GROUP BY window(ts, '5 minutes')) GROUP BY window(w, '10 "
                        "minutes')",
        "stateStoreSave: late 0, leaves key 0 +0 us -0 ms\n"
        "  below: 1\n"
        "stateStoreSave: late 0, leaves key 0 +0 us -0 ms\n"
        "  below: 2\n"
        "dedupe: late 1, leaves key 1 +0 us -0 ms, sees a watermark\n");
}

Test(physical_state, takes_no_watermark_from_an_operator_that_has_none)
{
    EXPECT_STATES(QUERY("append") "SELECT v, w, ts FROM " L " JOIN (SELECT * FROM "
                                  "drop_duplicates(TABLE(SELECT * FROM STREAM r), 'k')) q ON ts = "
                                  "tr",
                  "symmetricHashJoin: late 0, leaves key 0 +0 us -0 ms, sees a watermark\n"
                  "  right: late -1, leaves key 0 +0 us -0 ms\n"
                  "dedupe: late -1, leaves never\n");
}

Test(physical_state, keeps_dedup_keys_without_an_event_time_for_ever)
{
    EXPECT_STATES(QUERY("append") "SELECT * FROM drop_duplicates(TABLE(SELECT * FROM " L "), 'k')",
                  "dedupe: late 1, leaves never, sees a watermark\n");
}

Test(physical_state, forgets_a_key_after_the_delay)
{
    EXPECT_STATES(QUERY("append") "SELECT k FROM drop_duplicates_within_watermark(TABLE(SELECT * "
                                  "FROM " L "), 'k')",
                  "dedupeWithinWatermark: late 1, leaves column 1 + 600000000 us, sees a "
                  "watermark\n");
}

Test(physical_state, finds_no_row_late_by_a_time_that_nobody_uses)
{
    EXPECT_STATES(QUERY("append") "SELECT k FROM drop_duplicates(TABLE(SELECT * FROM " L "), 'k')",
                  "dedupe: late -1, leaves never, sees a watermark\n");
    EXPECT_STATES("CREATE STREAMING TABLE o2 USING console AS SELECT v, w FROM " L " JOIN " R
                  " ON l.k = r.k",
                  "symmetricHashJoin: late -1, leaves never, sees a watermark\n"
                  "  right: late -1, leaves never\n");
}

Test(physical_state, counts_a_limit_over_the_life_of_the_query)
{
    EXPECT_STATES(QUERY("append") "SELECT k FROM STREAM l LIMIT 5",
                  "globalLimit: late -1, leaves never\n");
    EXPECT_STATES("CREATE STREAMING TABLE o2 USING console TBLPROPERTIES (outputMode 'complete') "
                  "AS SELECT k, count(*) AS n FROM STREAM l GROUP BY k ORDER BY n LIMIT 2",
                  "stateStoreSave: late -1, leaves never\n");
}

Test(physical_state, evicts_both_sides_by_a_key_with_a_watermark)
{
    EXPECT_STATES(QUERY("append") "SELECT v, w FROM " L " JOIN STREAM r ON l.k = r.k AND ts = tr",
                  "symmetricHashJoin: late 1, leaves key 1 +0 us -0 ms, sees a watermark\n"
                  "  right: late -1, leaves key 1 +0 us -0 ms\n");
}

Test(physical_state, evicts_sides_by_the_time_range_of_the_condition)
{
    /* l.ts in [tr - 10 s, tr + 5 s]: a left row waits for tr >= ts - 5 s, a right one for
     * ts >= tr - 10 s */
    EXPECT_STATES(QUERY("append") "SELECT v, w FROM " L " JOIN " R
                                  " ON l.k = r.k AND ts BETWEEN tr - INTERVAL 10 SECONDS AND tr "
                                  "+ INTERVAL 5 SECONDS",
                  "symmetricHashJoin: late 1, leaves value 1 -10000000 us -1 ms, sees a "
                  "watermark\n"
                  "  right: late 1, leaves value 1 -5000000 us -1 ms\n");
    EXPECT_STATES("CREATE STREAMING TABLE o2 USING console AS SELECT v, w FROM " L " JOIN " R
                  " ON l.k = r.k AND ts < tr - INTERVAL 5 SECONDS",
                  "symmetricHashJoin: late 1, leaves never, sees a watermark\n"
                  "  right: late 1, leaves value 1 +5000000 us -0 ms\n");
}

Test(physical_state, bounds_a_join_by_times_as_numbers)
{
    EXPECT_STATES(QUERY("append") "SELECT v, w FROM " L " JOIN " R
                                  " ON l.k = r.k AND CAST(ts AS BIGINT) > CAST(tr AS BIGINT) + 7",
                  "symmetricHashJoin: late 1, leaves value 1 +7000000 us -0 ms, sees a watermark\n"
                  "  right: late 1, leaves never\n");
}

Test(physical_state, is_held_back_by_a_number_on_a_preserved_side)
{
    const struct arus_expiry *expiry = NULL;

    EXPECT_STATES(QUERY("append") "SELECT v, w, ts, tr FROM " L " LEFT JOIN " R
                                  " ON l.k = r.k AND ts >= tr AND ts < tr + INTERVAL 1 HOUR AND v "
                                  "> 3 AND w > 4",
                  "symmetricHashJoin: late 1, leaves value 1 +0 us -1 ms, sees a watermark\n"
                  "  right: late 1, leaves value 1 -3600000000 us -0 ms\n");
    expiry = &fixture.action.stream->physical->operators[0]->inputs[0].expiry;
    cr_expect(expiry->is_limited);
    cr_expect(eq(i64, expiry->limit_ms, 3000));
    cr_expect(not(expiry->is_fixed));
    cr_expect(not(fixture.action.stream->physical->operators[0]->inputs[1].expiry.is_limited),
              "w > 4 went below the join");
}

Test(physical_state, sees_no_bound_in_months_and_differences)
{
    EXPECT_STATES(QUERY("append") "SELECT v, w FROM " L " JOIN " R
                                  " ON l.k = r.k AND ts > tr + INTERVAL 1 MONTH AND ts - tr < "
                                  "INTERVAL 1 HOUR",
                  "symmetricHashJoin: late 1, leaves never, sees a watermark\n"
                  "  right: late 1, leaves never\n");
}

Test(physical_state, refuses_two_event_times_at_one_operator)
{
    EXPECT_STATES(QUERY("append") "SELECT * FROM drop_duplicates(TABLE(SELECT l.k, ts, tr FROM " L
                                  " JOIN " R " ON l.k = r.k AND ts = tr))",
                  "MULTIPLE_EVENT_TIME_COLUMNS: two columns with a watermark meet here: which one "
                  "is the event time?");
}

Test(physical_state, takes_the_first_event_time_when_told_so)
{
    EXPECT_STATES("SET spark.sql.streaming.statefulOperator.allowMultiple = false; " QUERY(
                      "append") "SELECT * FROM drop_duplicates(TABLE(SELECT l.k, ts, tr FROM " L
                                " JOIN " R " ON l.k = r.k AND ts = tr))",
                  "dedupe: late 1, leaves key 1 +0 us -0 ms\n"
                  "  below: 1\n"
                  "symmetricHashJoin: late 1, leaves key 1 +0 us -0 ms, sees a watermark\n"
                  "  right: late 1, leaves key 1 +0 us -0 ms\n");
}

Test(physical_state, splits_the_condition_of_a_join)
{
    const struct arus_gather *gather = NULL;

    cr_assert(eq(int,
                 plan_read(QUERY("append") "SELECT v, w FROM " L " LEFT JOIN " R
                                           " ON ts = tr AND v > 3 AND w > 4 AND v < w"),
                 ARUS_OK),
              "%s", fixture.err.message);
    gather = &fixture.action.stream->physical
                  ->gathers[fixture.action.stream->physical->operators[0]->gather];
    cr_expect(gather->kind == ARUS_GATHER_JOIN);
    cr_expect(gather->join.sides[0].condition != NULL,
              "v > 3 decides on rows that come out anyway");
    cr_expect(gather->join.sides[1].condition == NULL, "w > 4 went to the reader");
    cr_expect(gather->join.condition != NULL);
}
