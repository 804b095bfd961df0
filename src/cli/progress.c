/** Parts of lines, joined by two blanks; the less important ones give way. */
#include "cli/progress.h"

#include "cli/human.h"
#include "cli/rows.h"
#include "types/datetime.h"
#include "types/utf8.h"

#include <stdio.h>

#define FIRST_DRAW_MS 300
#define DRAW_GAP_MS   100
#define PART_SIZE     96

enum part { PART_BATCH, PART_ROWS, PART_RATE, PART_LEFT, PART_WM, PART_LATE, PART_STATE, PART_ETA };
#define PART_COUNT 8

struct parts {
    char texts[PART_COUNT][PART_SIZE]; /* empty: not shown */
};

static bool is_known(int64_t value)
{
    return value != ARUS_UNKNOWN;
}

static void fill_left(const struct arus_progress_view *view, char text[PART_SIZE])
{
    char a[ARUS_HUMAN_SIZE * 2];
    char b[ARUS_HUMAN_SIZE];

    if (is_known(view->files_left) && view->files_left > 0) {
        (void)snprintf(text, PART_SIZE, "%s left",
                       arus_human_noun((uint64_t)view->files_left, "file", a));
    } else if (is_known(view->lag_records)) {
        (void)snprintf(text, PART_SIZE, "lag %s", arus_human_count((uint64_t)view->lag_records, a));
        if (is_known(view->lag_ms)) {
            (void)snprintf(text + strlen(text), PART_SIZE - strlen(text), " (%s)",
                           arus_human_duration(view->lag_ms, b));
        }
    }
}

static void fill(const struct arus_progress_view *view, struct parts *parts)
{
    char text[ARUS_HUMAN_SIZE];

    (void)snprintf(parts->texts[PART_BATCH], PART_SIZE, "batch %s",
                   arus_human_count((uint64_t)view->batch, text));
    if (view->waiting != NULL) {
        (void)snprintf(parts->texts[PART_RATE], PART_SIZE, "waiting for %.60s (%s)", view->waiting,
                       arus_human_duration(view->waiting_ms, text));
        return;
    }
    if (is_known(view->rows)) {
        (void)snprintf(parts->texts[PART_ROWS], PART_SIZE, "%s rows",
                       arus_human_short((double)view->rows, text));
    }
    if (view->rows_per_second >= 0) {
        (void)snprintf(parts->texts[PART_RATE], PART_SIZE, "%s/s",
                       arus_human_short(view->rows_per_second, text));
    }
    fill_left(view, parts->texts[PART_LEFT]);
    if (view->watermark != NULL) {
        (void)snprintf(parts->texts[PART_WM], PART_SIZE, "wm %.60s", view->watermark);
    }
    if (is_known(view->late) && view->late > 0) {
        (void)snprintf(parts->texts[PART_LATE], PART_SIZE, "late %s",
                       arus_human_count((uint64_t)view->late, text));
    }
    if (is_known(view->state_bytes)) {
        (void)snprintf(parts->texts[PART_STATE], PART_SIZE, "state %s",
                       arus_human_bytes((uint64_t)view->state_bytes, text));
    }
    if (is_known(view->eta_ms)) {
        (void)snprintf(parts->texts[PART_ETA], PART_SIZE, "ETA %s",
                       arus_human_duration(view->eta_ms, text));
    }
}

static size_t width_of(const struct parts *parts, size_t name_width)
{
    size_t width = name_width;

    for (int i = 0; i < PART_COUNT; i++) {
        const size_t part = arus_utf8_width(arus_text_of(parts->texts[i]));

        width += part == 0 ? 0 : part + 2;
    }
    return width;
}

enum arus_status arus_progress_line(const struct arus_progress_view *view, int name_width,
                                    int width, struct arus_buffer *out, struct arus_error *err)
{
    static const enum part FIRST_TO_GO[] = {PART_ETA, PART_LATE, PART_ROWS, PART_STATE,
                                            PART_WM,  PART_LEFT, PART_RATE};
    struct parts parts = {0};

    fill(view, &parts);
    for (size_t i = 0; i < sizeof FIRST_TO_GO / sizeof FIRST_TO_GO[0]; i++) {
        if (width == 0 || width_of(&parts, (size_t)name_width) <= (size_t)width) {
            break;
        }
        parts.texts[FIRST_TO_GO[i]][0] = '\0';
    }
    ARUS_TRY(arus_buffer_printf(out, err, "%-*s", name_width, view->query));
    for (int i = 0; i < PART_COUNT; i++) {
        if (parts.texts[i][0] != '\0') {
            ARUS_TRY(arus_buffer_printf(out, err, "  %s", parts.texts[i]));
        }
    }
    return ARUS_OK;
}

/* ---- fields ---- */

static enum arus_status put_field(const char *name, int64_t value, struct arus_buffer *out,
                                  struct arus_error *err)
{
    return is_known(value) ? arus_buffer_printf(out, err, " %s=%lld", name, (long long)value)
                           : ARUS_OK;
}

enum arus_status arus_progress_fields(const struct arus_progress_view *view,
                                      struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "query=%s", view->query));
    ARUS_TRY(put_field("batch", view->batch, out, err));
    ARUS_TRY(put_field("rows", view->rows, out, err));
    if (view->rows_per_second >= 0) {
        ARUS_TRY(put_field("rows_per_second", (int64_t)view->rows_per_second, out, err));
    }
    ARUS_TRY(put_field("files_left", view->files_left, out, err));
    ARUS_TRY(put_field("lag_records", view->lag_records, out, err));
    ARUS_TRY(put_field("lag_ms", view->lag_ms, out, err));
    if (view->watermark != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, " watermark=%s", view->watermark));
    }
    ARUS_TRY(put_field("late", view->late, out, err));
    ARUS_TRY(put_field("state_bytes", view->state_bytes, out, err));
    return view->waiting == NULL
               ? ARUS_OK
               : arus_buffer_printf(out, err, " waiting_for=\"%s\"", view->waiting);
}

/* ---- summaries ---- */

static enum arus_status put_count(const char *noun, int64_t count, struct arus_buffer *out,
                                  struct arus_error *err)
{
    char number[ARUS_HUMAN_SIZE];

    return count <= 0 ? ARUS_OK /* unknown, or nothing to tell */
                      : arus_buffer_printf(out, err, "   %s %s",
                                           arus_human_count((uint64_t)count, number), noun);
}

static uint64_t positive(int64_t value)
{
    return value < 0 ? 0 : (uint64_t)value;
}

enum arus_status arus_summary_line(const struct arus_summary *summary, struct arus_buffer *out,
                                   struct arus_error *err)
{
    const bool is_one = summary->batch_first == summary->batch_last;
    char first[ARUS_HUMAN_SIZE];
    char last[ARUS_HUMAN_SIZE];
    char files[ARUS_HUMAN_SIZE * 2];

    ARUS_TRY(arus_buffer_printf(
        out, err, "%s  batch%s %s%s%s", summary->query, is_one ? "" : "es",
        arus_human_count(positive(summary->batch_first), first), is_one ? "" : "-",
        is_one ? "" : arus_human_count(positive(summary->batch_last), last)));
    ARUS_TRY(arus_buffer_printf(out, err,
                                is_one ? " %8s rows in %7s out" : "   %s rows in   %s out",
                                arus_human_count(positive(summary->rows_in), first),
                                arus_human_count(positive(summary->rows_out), last)));
    ARUS_TRY(put_count("late", summary->late, out, err));
    ARUS_TRY(put_count("rejected", summary->rejected, out, err));
    if (is_known(summary->files)) {
        ARUS_TRY(arus_buffer_printf(out, err, "   %-7s",
                                    arus_human_noun(positive(summary->files), "file", files)));
    }
    ARUS_TRY(put_count("duplicates", summary->duplicates, out, err));
    ARUS_TRY(put_count("keys", summary->keys, out, err));
    return arus_buffer_printf(out, err, "   %s\n",
                              arus_human_duration(summary->duration_ms, first));
}

enum arus_status arus_summary_batch(const struct arus_summary *summary, struct arus_buffer *out,
                                    struct arus_error *err)
{
    char number[ARUS_HUMAN_SIZE];
    char rows[ARUS_HUMAN_SIZE];

    ARUS_TRY(arus_buffer_printf(out, err, "%s  batch %s   %3s in", summary->query,
                                arus_human_count(positive(summary->batch_last), number),
                                arus_human_count(positive(summary->rows_in), rows)));
    ARUS_TRY(arus_buffer_printf(out, err, "   %s out",
                                arus_human_count(positive(summary->rows_out), number)));
    if (is_known(summary->late)) {
        ARUS_TRY(arus_buffer_printf(out, err, "   late %2s",
                                    arus_human_count(positive(summary->late), number)));
    }
    if (is_known(summary->state)) {
        ARUS_TRY(arus_buffer_printf(out, err, "   state %s",
                                    arus_human_count(positive(summary->state), number)));
    }
    if (summary->has_watermark) {
        ARUS_TRY(arus_buffer_printf(out, err, "   wm %s",
                                    summary->watermark == NULL ? "none" : summary->watermark));
    }
    return arus_buffer_append_char(out, '\n', err);
}

/* ---- live lines ---- */

bool arus_live_is_due(const struct arus_live *live, int64_t now_ms)
{
    return now_ms - live->started_ms >= FIRST_DRAW_MS &&
           (live->drawn_ms == 0 || now_ms - live->drawn_ms >= DRAW_GAP_MS);
}

enum arus_status arus_live_erase(struct arus_live *live, struct arus_buffer *out,
                                 struct arus_error *err)
{
    if (live->line_count == 0) {
        return ARUS_OK;
    }
    if (live->line_count > 1) { /* the cursor stands on the last line */
        ARUS_TRY(arus_buffer_printf(out, err, "\033[%dA", live->line_count - 1));
    }
    live->line_count = 0;
    return arus_buffer_append(out, "\r\033[J", 4, err);
}

enum arus_status arus_live_draw(struct arus_live *live, const struct arus_text *lines,
                                int line_count, int64_t now_ms, struct arus_buffer *out,
                                struct arus_error *err)
{
    ARUS_TRY(arus_live_erase(live, out, err));
    for (int i = 0; i < line_count; i++) {
        ARUS_TRY(arus_buffer_append(out, "\n", i == 0 ? 0 : 1, err));
        ARUS_TRY(arus_buffer_append_text(out, lines[i], err));
    }
    live->line_count = line_count;
    live->drawn_ms = now_ms;
    return ARUS_OK;
}

/* ---- log lines ---- */

static enum arus_status put_time(int64_t now_ms, struct arus_buffer *out, struct arus_error *err)
{
    const int64_t seconds = now_ms / 1000;
    const int64_t of_day = seconds % 86400;
    const struct arus_civil date = arus_date_to_civil((int32_t)(seconds / 86400));

    return arus_buffer_printf(out, err, "%04d-%02u-%02uT%02d:%02d:%02dZ", date.year, date.month,
                              date.day, (int)(of_day / 3600), (int)(of_day / 60 % 60),
                              (int)(of_day % 60));
}

static const char *priority_name(int priority)
{
    static const char *const NAMES[] = {"error",   "error",  "error", "error",
                                        "warning", "notice", "info",  "debug"};

    return NAMES[priority < 0 || priority > 7 ? 6 : priority];
}

enum arus_status arus_log_line(enum arus_log_form form, int64_t now_ms, int priority,
                               struct arus_text text, struct arus_buffer *out,
                               struct arus_error *err)
{
    switch (form) {
    case ARUS_LOG_FORM_PLAIN:
        ARUS_TRY(put_time(now_ms, out, err));
        ARUS_TRY(arus_buffer_printf(out, err, " %s ", priority_name(priority)));
        break;
    case ARUS_LOG_FORM_SYSTEMD:
        ARUS_TRY(arus_buffer_printf(out, err, "<%d>", priority));
        break;
    case ARUS_LOG_FORM_JSON:
        ARUS_TRY(arus_buffer_append_text(out, ARUS_TEXT("{\"time\":\""), err));
        ARUS_TRY(put_time(now_ms, out, err));
        ARUS_TRY(arus_buffer_printf(out, err,
                                    "\",\"level\":\"%s\",\"message\":", priority_name(priority)));
        ARUS_TRY(arus_json_string(text, out, err));
        return arus_buffer_append(out, "}\n", 2, err);
    }
    ARUS_TRY(arus_human_escape(text, out, err));
    return arus_buffer_append_char(out, '\n', err);
}
