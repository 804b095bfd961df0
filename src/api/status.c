/** Reading what checkpoints and sinks say about themselves. */
#include "api/status.h"

#include "base/file.h"
#include "base/lock.h"
#include "journal/checkpoint.h"

static enum arus_status has_entry(const char *folder, const char *name, bool *out,
                                  struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path path;

    ARUS_TRY(arus_path_join(&path, folder, name, err));
    ARUS_TRY(arus_file_stat(path.text, &info, err));
    *out = info.kind != ARUS_FILE_NONE;
    return ARUS_OK;
}

static enum arus_status read_owner(const char *folder, struct arus_checkpoint_status *out,
                                   struct arus_error *err)
{
    struct arus_lock_owner owner;

    ARUS_TRY(arus_lock_look(folder, ARUS_CHECKPOINT_LOCK, &owner, err));
    out->is_running = owner.is_held;
    out->pid = owner.is_held ? owner.pid : 0;
    out->last_run_ms = owner.since_ms;
    return ARUS_OK;
}

static enum arus_status read_summary(const char *folder, struct arus_arena *arena,
                                     struct arus_checkpoint_status *out, struct arus_error *err)
{
    const int64_t newest =
        out->newest_prepared > out->newest_published ? out->newest_prepared : out->newest_published;
    struct arus_batch_record record;
    bool is_found = false;

    if (newest < 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_checkpoint_look_batch(folder, newest, arena, &record, &is_found, err));
    if (!is_found) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_summary_parse(record.extra, arena, &out->summary, err));
    if (out->summary.timestamp_ms == 0) {
        out->summary.timestamp_ms = record.plan.timestamp_ms;
    }
    return ARUS_OK;
}

enum arus_status arus_status_read(const char *folder, struct arus_arena *arena,
                                  struct arus_checkpoint_status *out, struct arus_error *err)
{
    struct arus_checkpoint_view view;
    bool is_sink = false;

    *out = (struct arus_checkpoint_status){
        .newest_published = -1, .newest_prepared = -1, .oldest_retained = -1};
    ARUS_TRY(has_entry(folder, "_spark_metadata", &is_sink, err));
    if (is_sink) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_NOT_A_CHECKPOINT", "a sink, no checkpoint");
    }
    ARUS_TRY(arus_checkpoint_look(folder, &view, err));
    if (!view.exists && view.newest_planned < 0) {
        return ARUS_OK;
    }
    out->exists = true;
    memcpy(out->id, view.id, sizeof out->id);
    out->newest_published = view.newest_published;
    out->newest_prepared = view.newest_prepared;
    out->oldest_retained = view.oldest_retained;
    out->is_stateful = view.is_stateful;
    ARUS_TRY(read_owner(folder, out, err));
    return read_summary(folder, arena, out, err);
}

/* ---- sinks ---- */

/* By the end of a data file's name. */
static const char *format_of_name(struct arus_text name)
{
    static const struct {
        const char *word;
        const char *format;
    } WORDS[] = {{".parquet", "parquet"}, {".json", "json"}, {".csv", "csv"}, {".txt", "text"}};

    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
        const size_t size = strlen(WORDS[i].word);

        for (size_t at = 0; at + size <= name.size; at++) {
            if (memcmp(name.data + at, WORDS[i].word, size) == 0 &&
                (at + size == name.size || name.data[at + size] == '.')) {
                return WORDS[i].format;
            }
        }
    }
    return NULL;
}

static enum arus_status take_line(void *self, struct arus_text line, struct arus_error *err)
{
    struct arus_sink_status *out = self;
    struct arus_arena scratch = {0};
    struct arus_log_line entry;
    enum arus_status status = arus_log_parse_sink(line, &scratch, &entry, err);

    if (status == ARUS_OK && out->format.size == 0) {
        const char *format = format_of_name(entry.uri);

        out->format = format == NULL ? out->format : arus_text_of(format);
    }
    arus_arena_release(&scratch);
    return status;
}

/* A folder that no stream wrote: its first data file tells, in it or in its partition folders. */
static enum arus_status look_inside(const char *folder, int depth, struct arus_sink_status *out,
                                    struct arus_error *err)
{
    struct arus_folder names;
    enum arus_status status;
    bool is_missing;

    ARUS_TRY(arus_folder_open(&names, folder, &is_missing, err));
    for (;;) {
        enum arus_file_kind kind;
        struct arus_path path;
        const char *name;

        status = arus_folder_next(&names, &name, &kind, err);
        if (status != ARUS_OK || name == NULL || out->format.size != 0) {
            break;
        }
        if (name[0] == '.' || name[0] == '_') {
            continue;
        }
        if (kind == ARUS_FILE_FOLDER && depth > 0) {
            status = arus_path_join(&path, folder, name, err);
            if (status == ARUS_OK) {
                status = look_inside(path.text, depth - 1, out, err);
            }
            if (status != ARUS_OK) {
                break;
            }
        } else if (format_of_name(arus_text_of(name)) != NULL) {
            out->format = arus_text_of(format_of_name(arus_text_of(name)));
        }
    }
    arus_folder_close(&names);
    return status;
}

static enum arus_status refuse_checkpoint(const char *folder, struct arus_arena *arena,
                                          struct arus_error *err)
{
    struct arus_checkpoint_status status;
    struct arus_error ignored;

    if (arus_status_read(folder, arena, &status, &ignored) == ARUS_OK &&
        status.summary.sink_location.size != 0) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_NOT_A_SINK", "a checkpoint; its sink is %.*s",
                         ARUS_TEXT_ARGS(status.summary.sink_location));
    }
    return arus_fail(err, ARUS_MISMATCH, "ARUS_NOT_A_SINK", "a checkpoint, no sink");
}

enum arus_status arus_sink_read(const char *folder, const char *shown, struct arus_arena *arena,
                                struct arus_sink_status *out, struct arus_error *err)
{
    bool has_log = false;
    bool has_offsets = false;
    struct arus_file_info info;
    int64_t newest = -1;
    bool is_missing;

    (void)shown;
    *out = (struct arus_sink_status){0};
    ARUS_TRY(arus_file_stat(folder, &info, err));
    if (info.kind == ARUS_FILE_REGULAR) {
        const char *format = format_of_name(arus_text_of(folder));

        out->format = format == NULL ? ARUS_TEXT("text") : arus_text_of(format);
        return ARUS_OK;
    }
    ARUS_TRY(has_entry(folder, "_spark_metadata", &has_log, err));
    ARUS_TRY(has_entry(folder, "offsets", &has_offsets, err));
    if (has_offsets && !has_log) {
        return refuse_checkpoint(folder, arena, err);
    }
    if (has_log) {
        ARUS_TRY(arus_log_read_sink(folder, -1, take_line, out, &newest, &is_missing, err));
    } else {
        ARUS_TRY(look_inside(folder, 8, out, err));
    }
    out->is_empty = out->format.size == 0;
    return ARUS_OK;
}
