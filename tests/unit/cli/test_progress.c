#include "cli/progress.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define UNKNOWN_VIEW                                                                               \
    .rows = ARUS_UNKNOWN, .rows_per_second = -1, .files_left = ARUS_UNKNOWN,                       \
    .lag_records = ARUS_UNKNOWN, .lag_ms = ARUS_UNKNOWN, .late = ARUS_UNKNOWN,                     \
    .state_bytes = ARUS_UNKNOWN, .eta_ms = ARUS_UNKNOWN

static const struct arus_progress_view WINDOWS = {.query = "windows",
                                                  .batch = 1042,
                                                  .rows = 12431800,
                                                  .rows_per_second = 1210000,
                                                  .files_left = 3,
                                                  .lag_records = ARUS_UNKNOWN,
                                                  .lag_ms = ARUS_UNKNOWN,
                                                  .watermark = "09:29:58",
                                                  .late = 36,
                                                  .state_bytes = 41 << 20,
                                                  .eta_ms = 12000};

static void expect_text(struct arus_buffer *out, const char *expected)
{
    struct arus_error err;

    cr_assert(eq(int, arus_buffer_append_char(out, '\0', &err), ARUS_OK));
    cr_expect_str_eq(out->data, expected);
    arus_buffer_release(out);
}

static void expect_line(const struct arus_progress_view *view, int width, const char *expected)
{
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_progress_line(view, 7, width, &out, &err), ARUS_OK));
    expect_text(&out, expected);
}

Test(progress, lines_say_what_is_known)
{
    const struct arus_progress_view totals = {.query = "totals",
                                              .batch = 88310,
                                              .rows = 310000000,
                                              .rows_per_second = 84000,
                                              .files_left = ARUS_UNKNOWN,
                                              .lag_records = 48120,
                                              .lag_ms = 900,
                                              .watermark = "14:02:11",
                                              .late = 0,
                                              .state_bytes = 210 << 20,
                                              .eta_ms = ARUS_UNKNOWN};
    const struct arus_progress_view events = {.query = "events",
                                              .batch = 7,
                                              UNKNOWN_VIEW,
                                              .waiting = "broker k1:9092",
                                              .waiting_ms = 12000};

    expect_line(&WINDOWS, 0,
                "windows  batch 1,042  12.4 M rows  1.21 M/s  3 files left  wm 09:29:58  late 36  "
                "state 41 MiB  ETA 12 s");
    expect_line(&totals, 0,
                "totals   batch 88,310  310 M rows  84 k/s  lag 48,120 (0.9 s)  wm 14:02:11  "
                "state 210 MiB");
    expect_line(&events, 0, "events   batch 7  waiting for broker k1:9092 (12 s)");
}

Test(progress, narrow_screens_lose_the_less_important)
{
    expect_line(&WINDOWS, 100,
                "windows  batch 1,042  12.4 M rows  1.21 M/s  3 files left  wm 09:29:58  late 36  "
                "state 41 MiB");
    expect_line(&WINDOWS, 70, "windows  batch 1,042  1.21 M/s  3 files left  wm 09:29:58");
    expect_line(&WINDOWS, 50, "windows  batch 1,042  1.21 M/s  3 files left");
}

Test(progress, fields_are_bare)
{
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_progress_fields(&WINDOWS, &out, &err), ARUS_OK));
    expect_text(&out, "query=windows batch=1042 rows=12431800 rows_per_second=1210000 "
                      "files_left=3 watermark=09:29:58 late=36 state_bytes=42991616");
}

static void expect_summary(const struct arus_summary *summary, const char *expected)
{
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_summary_line(summary, &out, &err), ARUS_OK));
    expect_text(&out, expected);
}

Test(progress, one_batch_stands_in_columns)
{
    struct arus_summary summary = {.query = "events",
                                   .rows_in = 400,
                                   .rows_out = 400,
                                   .late = ARUS_UNKNOWN,
                                   .files = 1,
                                   .duplicates = ARUS_UNKNOWN,
                                   .keys = ARUS_UNKNOWN,
                                   .duration_ms = 18};

    expect_summary(&summary, "events  batch 0      400 rows in     400 out   1 file    18 ms\n");
    summary.batch_first = summary.batch_last = 2;
    summary.rows_in = summary.rows_out = 800;
    summary.files = 2;
    summary.duration_ms = 12;
    expect_summary(&summary, "events  batch 2      800 rows in     800 out   2 files   12 ms\n");
    summary = (struct arus_summary){.query = "dedup",
                                    .rows_in = 2000,
                                    .rows_out = 1600,
                                    .late = ARUS_UNKNOWN,
                                    .files = 5,
                                    .duplicates = 400,
                                    .keys = 1600,
                                    .duration_ms = 24};
    expect_summary(&summary, "dedup  batch 0    2,000 rows in   1,600 out   5 files   400 "
                             "duplicates   1,600 keys   24 ms\n");
    summary.rows_in = summary.rows_out = 1500000;
    expect_summary(&summary, "dedup  batch 0 1,500,000 rows in 1,500,000 out   5 files   400 "
                             "duplicates   1,600 keys   24 ms\n");
}

Test(progress, several_batches_are_one_line)
{
    const struct arus_summary summary = {.query = "windows",
                                         .batch_last = 5,
                                         .rows_in = 2000,
                                         .rows_out = 3,
                                         .late = 36,
                                         .files = 5,
                                         .duplicates = ARUS_UNKNOWN,
                                         .keys = ARUS_UNKNOWN,
                                         .duration_ms = 31};

    expect_summary(&summary,
                   "windows  batches 0-5   2,000 rows in   3 out   36 late   5 files   31 ms\n");
}

Test(progress, verbose_runs_say_each_batch)
{
    struct arus_summary summary = {.query = "windows",
                                   .batch_last = 4,
                                   .rows_in = 400,
                                   .rows_out = 1,
                                   .late = 36,
                                   .state = 3,
                                   .has_watermark = true,
                                   .watermark = "2026-03-02 09:29:58.5"};
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_summary_batch(&summary, &out, &err), ARUS_OK));
    summary.batch_last = 0;
    summary.rows_in = summary.late = 0;
    summary.watermark = NULL;
    cr_assert(eq(int, arus_summary_batch(&summary, &out, &err), ARUS_OK));
    expect_text(&out, "windows  batch 4   400 in   1 out   late 36   state 3   wm 2026-03-02 "
                      "09:29:58.5\n"
                      "windows  batch 0     0 in   1 out   late  0   state 3   wm none\n");
}

Test(progress, live_lines_replace_each_other)
{
    const struct arus_text lines[] = {ARUS_TEXT("a"), ARUS_TEXT("b")};
    struct arus_live live = {.started_ms = 1000};
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_expect_not(arus_live_is_due(&live, 1299));
    cr_expect(arus_live_is_due(&live, 1300));
    cr_assert(eq(int, arus_live_draw(&live, lines, 2, 1300, &out, &err), ARUS_OK));
    cr_expect_not(arus_live_is_due(&live, 1399));
    cr_expect(arus_live_is_due(&live, 1400));
    cr_assert(eq(int, arus_live_draw(&live, lines, 1, 1400, &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_live_erase(&live, &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_live_erase(&live, &out, &err), ARUS_OK));
    expect_text(&out, "a\nb\033[1A\r\033[Ja\r\033[J");
}

Test(progress, log_lines_have_three_forms)
{
    const struct arus_text text = ARUS_TEXT("query=w batch=1");
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(
        eq(int, arus_log_line(ARUS_LOG_FORM_PLAIN, 1796028067123, 6, text, &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_log_line(ARUS_LOG_FORM_SYSTEMD, 0, 4, text, &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_log_line(ARUS_LOG_FORM_JSON, 0, 3, text, &out, &err), ARUS_OK));
    expect_text(&out, "2026-11-30T08:41:07Z info query=w batch=1\n"
                      "<4>query=w batch=1\n"
                      "{\"time\":\"1970-01-01T00:00:00Z\",\"level\":\"error\",\"message\":"
                      "\"query=w batch=1\"}\n");
}
