/** `arus status`: where a query stands, from its checkpoint. */
#include "api/status.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/place.h"
#include "cli/status_json.h"
#include "connector/location.h"

#include <stdio.h>

#define WATCH_GAP_US 1000000

/* ---- text ---- */

static enum arus_status put_state(const struct arus_checkpoint_status *status,
                                  struct arus_buffer *out, struct arus_error *err)
{
    char ago[ARUS_HUMAN_SIZE];
    const int64_t batch_ms = status->summary.timestamp_ms;
    const int64_t run_ms = status->last_run_ms > batch_ms ? status->last_run_ms : batch_ms;
    const int64_t now_ms = arus_clock_wall_ms();

    if (status->is_running) {
        ARUS_TRY(arus_buffer_printf(out, err, "running, process %lld, last batch %s ago",
                                    (long long)status->pid,
                                    arus_human_duration(now_ms - batch_ms, ago)));
    } else {
        ARUS_TRY(arus_buffer_printf(out, err, "idle, last run %s ago",
                                    arus_human_duration(now_ms - run_ms, ago)));
    }
    return arus_buffer_printf(out, err, "   id %.8s-..", status->id);
}

static enum arus_status put_batches(const struct arus_checkpoint_status *status,
                                    struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_query_summary *summary = &status->summary;
    char batches[64];
    char rows[ARUS_HUMAN_SIZE * 2];

    if (status->newest_published < 0) {
        (void)snprintf(batches, sizeof batches, "none published");
    } else {
        (void)snprintf(batches, sizeof batches,
                       status->newest_published == 0 ? "%lld published" : "0-%lld published",
                       (long long)status->newest_published);
    }
    ARUS_TRY(arus_buffer_printf(out, err, "batches     %-26s", batches));
    if (summary->sink_format.size != 0) {
        ARUS_TRY(arus_buffer_printf(out, err, " sink %.*s: %s",
                                    ARUS_TEXT_ARGS(summary->sink_location.size != 0
                                                       ? summary->sink_location
                                                       : summary->sink_format),
                                    arus_human_noun(summary->rows.out, "row", rows)));
    }
    return arus_buffer_append_char(out, '\n', err);
}

/* What was read: files, or records by partition. */
static enum arus_status put_extent(const struct arus_query_summary *summary, size_t index,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_summary_source *source = &summary->sources[index];
    char read[ARUS_HUMAN_SIZE * 2];
    char waiting[ARUS_HUMAN_SIZE];
    uint64_t behind = 0;
    size_t partitions = 0;

    arus_status_partitions(summary, index, &partitions, &behind);
    if (partitions != 0) {
        return arus_buffer_printf(out, err, "%s, %s behind\n",
                                  arus_human_noun(partitions, "partition", read),
                                  arus_human_count(behind, waiting));
    }
    return arus_buffer_printf(out, err, "%s read, %s waiting\n",
                              arus_human_noun(source->known_count, "file", read),
                              arus_human_count(source->left_count, waiting));
}

/* Blanks up to `width` bytes behind `begin`, and one more. */
static enum arus_status pad(struct arus_buffer *out, size_t begin, size_t width,
                            struct arus_error *err)
{
    const size_t size = out->size - begin;

    return arus_buffer_printf(out, err, "%*s", size < width ? (int)(width - size) + 1 : 1, "");
}

static enum arus_status put_sources(const struct arus_query_summary *summary,
                                    struct arus_buffer *out, struct arus_error *err)
{
    for (size_t i = 0; i < summary->source_count; i++) {
        const struct arus_summary_source *source = &summary->sources[i];
        size_t begin;

        ARUS_TRY(arus_buffer_printf(out, err, "source %zu    ", i));
        begin = out->size;
        ARUS_TRY(arus_buffer_printf(out, err, "%.*s ", ARUS_TEXT_ARGS(source->kind)));
        ARUS_TRY(arus_location_show(source->location, source->path.data, out, err));
        ARUS_TRY(pad(out, begin, 26, err));
        ARUS_TRY(put_extent(summary, i, out, err));
    }
    return ARUS_OK;
}

static enum arus_status put_rows(const struct arus_row_sums *rows, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const struct {
        const char *name;
        uint64_t count;
    } parts[] = {{"taken", rows->taken},
                 {"late", rows->late},
                 {"rejected", rows->rejected},
                 {"filtered", rows->filtered},
                 {"duplicate", rows->duplicate}};
    char text[ARUS_HUMAN_SIZE];

    ARUS_TRY(arus_buffer_printf(out, err, "rows        %s in", arus_human_count(rows->in, text)));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, " %c %s %s", i == 0 ? '=' : '+',
                                    arus_human_count(parts[i].count, text), parts[i].name));
    }
    return arus_buffer_append_char(out, '\n', err);
}

/* ` next window closes at 09:40:00`: without the day where it is the watermark's. */
static enum arus_status put_next_close(const struct arus_query_summary *summary,
                                       struct arus_buffer *out, struct arus_error *err)
{
    enum { DAY_SIZE = sizeof "2026-03-02 " - 1 };
    char now[ARUS_HUMAN_SIZE];
    char next[ARUS_HUMAN_SIZE];
    bool is_same_day;

    if (summary->next_close_ms == INT64_MIN) {
        return ARUS_OK;
    }
    (void)arus_human_time(summary->watermark_ms, now);
    (void)arus_human_time(summary->next_close_ms, next);
    is_same_day = strlen(next) > DAY_SIZE && strncmp(now, next, DAY_SIZE) == 0;
    return arus_buffer_printf(out, err, "; next window closes at %s",
                              is_same_day ? next + DAY_SIZE : next);
}

/* Each event time that makes the watermark, the one that holds it first. */
static enum arus_status put_event_times(const struct arus_query_summary *summary,
                                        struct arus_buffer *out, struct arus_error *err)
{
    const size_t holder = arus_summary_holder(summary);

    for (size_t i = 0; i < summary->watermark_count; i++) {
        const size_t at = i == 0 ? holder : i - (i <= holder ? 1 : 0);
        const struct arus_summary_place *place = &summary->watermark_places[at];
        char time[ARUS_HUMAN_SIZE];

        ARUS_TRY(arus_buffer_printf(out, err, "%s", i == 0 ? "from " : ", "));
        if (place->source.size != 0) {
            ARUS_TRY(arus_buffer_printf(out, err, "%.*s.", ARUS_TEXT_ARGS(place->source)));
        }
        ARUS_TRY(arus_buffer_append_text(out, place->column, err));
        if (summary->watermark_count > 1) {
            ARUS_TRY(arus_buffer_printf(out, err, " (%s)",
                                        summary->watermarks[at] == INT64_MIN
                                            ? "no row yet"
                                            : arus_human_time(summary->watermarks[at], time)));
        }
    }
    return ARUS_OK;
}

/* The watermark of the next batch, who holds it, and what it lets go next. */
static enum arus_status put_watermark(const struct arus_query_summary *summary,
                                      struct arus_buffer *out, struct arus_error *err)
{
    char time[ARUS_HUMAN_SIZE];

    if (summary->watermark_count == 0) {
        return ARUS_OK;
    }
    (void)arus_human_time(summary->watermark_ms, time);
    if (summary->watermark_places == NULL) {
        return arus_buffer_printf(out, err, "watermark   %s\n", time);
    }
    ARUS_TRY(arus_buffer_printf(out, err, "watermark   %-26s ", time));
    ARUS_TRY(put_event_times(summary, out, err));
    ARUS_TRY(put_next_close(summary, out, err));
    return arus_buffer_append_char(out, '\n', err);
}

/* A line an operator. */
static enum arus_status put_states(const struct arus_query_summary *summary,
                                   struct arus_buffer *out, struct arus_error *err)
{
    char rows[ARUS_HUMAN_SIZE * 2];
    char bytes[ARUS_HUMAN_SIZE];

    for (size_t i = 0; i < summary->state_count; i++) {
        const struct arus_summary_state *state = &summary->states[i];
        const struct arus_text title = state->title.size != 0 ? state->title : state->name;

        ARUS_TRY(arus_buffer_printf(
            out, err, "state %-5zu %-26.*s %s, %s\n", i, ARUS_TEXT_ARGS(title),
            arus_human_noun(state->rows, "row", rows), arus_human_bytes(state->bytes, bytes)));
    }
    return ARUS_OK;
}

static enum arus_status put_text(const struct arus_checkpoint_place *place,
                                 const struct arus_checkpoint_status *status,
                                 struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_query_summary *summary = &status->summary;
    const struct arus_text name =
        summary->query.size != 0 ? summary->query : arus_text_of(place->name);

    if (!status->exists || (status->newest_published < 0 && status->newest_prepared < 0)) {
        return arus_buffer_printf(out, err, "%-11.*s no batch yet\n", ARUS_TEXT_ARGS(name));
    }
    ARUS_TRY(arus_buffer_printf(out, err, "%-11.*s ", ARUS_TEXT_ARGS(name)));
    ARUS_TRY(put_state(status, out, err));
    if (summary->pipeline.size != 0) {
        const struct arus_text pipeline = arus_human_path(summary->pipeline);

        ARUS_TRY(arus_buffer_printf(out, err, "   %.*s", ARUS_TEXT_ARGS(pipeline)));
    }
    ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    ARUS_TRY(put_batches(status, out, err));
    ARUS_TRY(put_sources(summary, out, err));
    ARUS_TRY(put_watermark(summary, out, err));
    ARUS_TRY(put_states(summary, out, err));
    return put_rows(&summary->rows, out, err);
}

/* ---- the command ---- */

static enum arus_status show(const struct arus_args *args,
                             const struct arus_checkpoint_place *place, struct arus_error *err)
{
    struct arus_checkpoint_status status;
    struct arus_arena arena = {0};
    struct arus_buffer out = {0};
    enum arus_status result = arus_status_read(place->folder.text, &arena, &status, err);

    if (result == ARUS_OK) {
        result = arus_args_has(args, ARUS_FLAG_JSON) ? arus_status_json(place, &status, &out, err)
                                                     : put_text(place, &status, &out, err);
    }
    if (result == ARUS_OK) {
        (void)printf("%.*s", ARUS_TEXT_ARGS(arus_buffer_text(&out)));
        (void)fflush(stdout);
    }
    arus_buffer_release(&out);
    arus_arena_release(&arena);
    return result;
}

static enum arus_status show_all(const struct arus_args *args, const struct arus_places *places,
                                 struct arus_error *err)
{
    for (size_t i = 0; i < places->count; i++) {
        if (i != 0 && !arus_args_has(args, ARUS_FLAG_JSON)) {
            (void)putchar('\n');
        }
        ARUS_TRY(show(args, &places->items[i], err));
    }
    return ARUS_OK;
}

/* --watch: until Ctrl-C. */
static enum arus_status watch(const struct arus_opened *opened, const struct arus_args *args,
                              const struct arus_places *places, struct arus_error *err)
{
    const bool is_screen = opened->output.is_terminal && !arus_args_has(args, ARUS_FLAG_JSON);

    for (;;) {
        (void)fputs(is_screen ? "\033[H\033[J" : "", stdout);
        ARUS_TRY(show_all(args, places, err));
        arus_clock_sleep_us(WATCH_GAP_US);
        if (!is_screen && !arus_args_has(args, ARUS_FLAG_JSON)) {
            (void)putchar('\n');
        }
    }
}

static enum arus_status run(struct arus_opened *opened, const struct arus_args *args,
                            struct arus_places *places)
{
    struct arus_error err = {0};
    enum arus_status status = arus_places_find(opened, args, places, &err);

    if (status == ARUS_OK) {
        status = arus_args_has(args, ARUS_FLAG_WATCH) ? watch(opened, args, places, &err)
                                                      : show_all(args, places, &err);
    }
    if (status != ARUS_OK && err.message[0] != '\0') {
        arus_opened_fail(opened, args->operands[0], &err);
    }
    return status == ARUS_MISMATCH ? ARUS_BAD_CONFIG : status;
}

int arus_command_status(const struct arus_args *args)
{
    struct arus_opened opened;
    struct arus_places places = {0};
    int code;

    arus_opened_begin(&opened, args);
    code = arus_exit_of(run(&opened, args, &places));
    arus_places_release(&places);
    arus_opened_release(&opened);
    return code;
}
