/** `arus status`: where a query stands, from its checkpoint. */
#include "api/status.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/opened.h"
#include "cli/rows.h"

#include <stdio.h>
#include <unistd.h>

#define PLACES_MAX   64
#define WATCH_GAP_US 1000000

/* ---- which checkpoints ---- */

struct places {
    struct arus_checkpoint_place *items; /* [PLACES_MAX] */
    size_t count;
};

/* Those of all queries of a file, or of the one that FILE.sql:QUERY names. */
static enum arus_status find_in_pipeline(struct arus_opened *opened, const struct arus_args *args,
                                         struct places *out, struct arus_error *err)
{
    const struct arus_action *actions;
    size_t count;

    ARUS_TRY(arus_sql_input_file(args->operands[0], &opened->input, err));
    ARUS_TRY(arus_opened_session(opened, args, NULL));
    ARUS_TRY(arus_opened_read(opened));
    actions = arus_session_actions(opened->session, &count);
    for (size_t i = 0; i < count && out->count < PLACES_MAX; i++) {
        const struct arus_stream_query *query = actions[i].stream;

        if (actions[i].kind == ARUS_ACTION_STREAM && query->properties.checkpoint_path != NULL &&
            (opened->input.query[0] == '\0' ||
             arus_text_equal_nocase(query->name, arus_text_of(opened->input.query)))) {
            struct arus_checkpoint_place *place = &out->items[out->count++];

            (void)snprintf(place->folder.text, sizeof place->folder.text, "%s",
                           query->properties.checkpoint_path);
            (void)snprintf(place->name, sizeof place->name, "%.*s", ARUS_TEXT_ARGS(query->name));
        }
    }
    return out->count != 0 ? ARUS_OK
                           : arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NOT_A_CHECKPOINT",
                                       "no query of this name has a checkpoint");
}

static enum arus_status find_folder(const char *operand, struct places *out, struct arus_error *err)
{
    struct arus_checkpoint_place *place = &out->items[out->count++];
    struct arus_file_info info;
    struct arus_path here;

    if (getcwd(here.text, sizeof here.text) == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the current folder cannot be read");
    }
    ARUS_TRY(arus_path_absolute(here.text, arus_text_of(operand), &place->folder, err));
    ARUS_TRY(arus_file_stat(place->folder.text, &info, err));
    (void)snprintf(place->name, sizeof place->name, "%s", operand);
    return info.kind == ARUS_FILE_FOLDER
               ? ARUS_OK
               : arus_fail(err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "no such folder");
}

enum arus_status arus_checkpoint_find(struct arus_opened *opened, const struct arus_args *args,
                                      struct arus_checkpoint_place *out, struct arus_error *err)
{
    struct places places = {.items = arus_alloc(PLACES_MAX, sizeof *places.items)};
    enum arus_status status = ARUS_OK;

    if (places.items == NULL) {
        return arus_fail_memory(err);
    }
    status = arus_sql_input_is_file(args->operands[0])
                 ? find_in_pipeline(opened, args, &places, err)
                 : find_folder(args->operands[0], &places, err);
    if (status == ARUS_OK) {
        *out = places.items[0];
    }
    arus_free(places.items);
    return status;
}

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

/* A folder shows as `in/`. */
static bool is_bare_folder(const struct arus_summary_source *source)
{
    struct arus_file_info info;
    struct arus_error ignored;

    return source->path.size != 0 && !arus_text_ends_with(source->location, ARUS_TEXT("/")) &&
           arus_file_stat(source->path.data, &info, &ignored) == ARUS_OK &&
           info.kind == ARUS_FILE_FOLDER;
}

static enum arus_status put_sources(const struct arus_query_summary *summary,
                                    struct arus_buffer *out, struct arus_error *err)
{
    for (size_t i = 0; i < summary->source_count; i++) {
        const struct arus_summary_source *source = &summary->sources[i];
        char place[256];
        char files[ARUS_HUMAN_SIZE * 2];
        char waiting[ARUS_HUMAN_SIZE];

        (void)snprintf(place, sizeof place, "%.*s %.*s%s", ARUS_TEXT_ARGS(source->kind),
                       ARUS_TEXT_ARGS(source->location), is_bare_folder(source) ? "/" : "");
        ARUS_TRY(arus_buffer_printf(out, err, "source %zu    %-26s %s read, %s waiting\n", i, place,
                                    arus_human_noun(source->known_count, "file", files),
                                    arus_human_count(source->left_count, waiting)));
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

/* The watermark of the next batch, and a line an operator. */
static enum arus_status put_states(const struct arus_query_summary *summary,
                                   struct arus_buffer *out, struct arus_error *err)
{
    char time[ARUS_HUMAN_SIZE];
    char rows[ARUS_HUMAN_SIZE * 2];
    char bytes[ARUS_HUMAN_SIZE];

    if (summary->watermark_count != 0) {
        ARUS_TRY(arus_buffer_printf(out, err, "watermark   %s\n",
                                    arus_human_time(summary->watermark_ms, time)));
    }
    for (size_t i = 0; i < summary->state_count; i++) {
        const struct arus_summary_state *state = &summary->states[i];

        ARUS_TRY(arus_buffer_printf(
            out, err, "state %-5zu %.*s   %s, %s\n", i, ARUS_TEXT_ARGS(state->name),
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
    ARUS_TRY(put_states(summary, out, err));
    return put_rows(&summary->rows, out, err);
}

/* ---- JSON ---- */

static enum arus_status put_string(const char *key, struct arus_text value, struct arus_buffer *out,
                                   struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "\"%s\":", key));
    return value.size == 0 ? arus_buffer_printf(out, err, "null")
                           : arus_json_string(value, out, err);
}

static enum arus_status put_json_sources(const struct arus_query_summary *summary,
                                         struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, ",\"sources\":["));
    for (size_t i = 0; i < summary->source_count; i++) {
        const struct arus_summary_source *source = &summary->sources[i];

        ARUS_TRY(arus_buffer_printf(out, err, "%s{", i == 0 ? "" : ","));
        ARUS_TRY(put_string("kind", source->kind, out, err));
        ARUS_TRY(arus_buffer_append_char(out, ',', err));
        ARUS_TRY(put_string("path", source->path, out, err));
        ARUS_TRY(arus_buffer_printf(out, err, ",\"filesRead\":%llu,\"filesWaiting\":%llu}",
                                    (unsigned long long)source->known_count,
                                    (unsigned long long)source->left_count));
    }
    return arus_buffer_append_char(out, ']', err);
}

static enum arus_status put_json_rows(const struct arus_row_sums *rows, struct arus_buffer *out,
                                      struct arus_error *err)
{
    return arus_buffer_printf(
        out, err,
        ",\"rows\":{\"in\":%llu,\"taken\":%llu,\"late\":%llu,\"rejected\":%llu,\"filtered\":%llu,"
        "\"duplicate\":%llu,\"out\":%llu}",
        (unsigned long long)rows->in, (unsigned long long)rows->taken,
        (unsigned long long)rows->late, (unsigned long long)rows->rejected,
        (unsigned long long)rows->filtered, (unsigned long long)rows->duplicate,
        (unsigned long long)rows->out);
}

static enum arus_status put_json_sink(const struct arus_query_summary *summary,
                                      struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, ",\"sink\":{"));
    ARUS_TRY(put_string("format", summary->sink_format, out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("path", summary->sink_path, out, err));
    return arus_buffer_printf(out, err, ",\"rows\":%llu}", (unsigned long long)summary->rows.out);
}

static enum arus_status put_json(const struct arus_checkpoint_place *place,
                                 const struct arus_checkpoint_status *status,
                                 struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_query_summary *summary = &status->summary;

    ARUS_TRY(arus_buffer_append_char(out, '{', err));
    ARUS_TRY(put_string(
        "query", summary->query.size != 0 ? summary->query : arus_text_of(place->name), out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("id", arus_text_of(status->id), out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("pipeline", summary->pipeline, out, err));
    if (status->is_running) {
        ARUS_TRY(
            arus_buffer_printf(out, err, ",\"running\":true,\"pid\":%lld", (long long)status->pid));
    } else {
        ARUS_TRY(arus_buffer_append_text(out, ARUS_TEXT(",\"running\":false,\"pid\":null"), err));
    }
    ARUS_TRY(arus_buffer_printf(out, err, ",\"lastBatch\":%lld,\"published\":%lld",
                                (long long)status->newest_prepared,
                                (long long)status->newest_published));
    ARUS_TRY(arus_buffer_printf(out, err, ",\"retained\":[%lld,%lld]",
                                (long long)status->oldest_retained,
                                (long long)status->newest_published));
    ARUS_TRY(put_json_sink(summary, out, err));
    ARUS_TRY(put_json_sources(summary, out, err));
    ARUS_TRY(put_json_rows(&summary->rows, out, err));
    ARUS_TRY(arus_buffer_printf(
        out, err, ",\"lastProgress\":%.*s}\n",
        ARUS_TEXT_ARGS(summary->progress.size != 0 ? summary->progress : ARUS_TEXT("null"))));
    return ARUS_OK;
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
        result = arus_args_has(args, ARUS_FLAG_JSON) ? put_json(place, &status, &out, err)
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

static enum arus_status show_all(const struct arus_args *args, const struct places *places,
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
                              const struct places *places, struct arus_error *err)
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
                            struct places *places)
{
    struct arus_error err = {0};
    enum arus_status status = arus_sql_input_is_file(args->operands[0])
                                  ? find_in_pipeline(opened, args, places, &err)
                                  : find_folder(args->operands[0], places, &err);

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
    struct places places = {.items = arus_alloc(PLACES_MAX, sizeof *places.items)};
    struct arus_opened opened;
    int code = ARUS_EXIT_FAILED;

    arus_opened_begin(&opened, args);
    if (places.items == NULL) {
        (void)fprintf(stderr, "arus: error: out of memory\n");
    } else {
        code = arus_exit_of(run(&opened, args, &places));
    }
    arus_opened_release(&opened);
    arus_free(places.items);
    return code;
}
