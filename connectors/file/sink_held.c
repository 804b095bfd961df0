/** Parts that the journal holds: written when their batch is published, and again after a power
 * cut. */
#include "base/file_spare.h"
#include "base/log.h"
#include "file/sink_internal.h"
#include "journal/held.h"

#include <stdio.h>
#include <string.h>

/* Name below the sink, and bytes. */
struct held_part {
    struct arus_text name;
    struct arus_text bytes;
};

static size_t part_count(const struct arus_buffer *items)
{
    return items->size / sizeof(struct held_part);
}

static struct held_part part_at(const struct arus_buffer *items, size_t index)
{
    struct held_part part;

    memcpy(&part, items->data + index * sizeof part, sizeof part);
    return part;
}

static enum arus_status take(void *self, int64_t batch_id, struct arus_text name,
                             struct arus_text bytes, struct arus_error *err)
{
    struct arus_sink_held *held = self;
    struct held_part part;

    (void)batch_id;
    ARUS_TRY(arus_text_copy(name, &held->arena, &part.name, err));
    ARUS_TRY(arus_text_copy(bytes, &held->arena, &part.bytes, err));
    return arus_buffer_append(&held->items, &part, sizeof part, err);
}

enum arus_status arus_sink_held_load(struct arus_sink_held *held, struct arus_sink_stream *stream,
                                     int64_t batch_id, struct arus_error *err)
{
    return arus_held_each(stream->log, batch_id, batch_id, take, held, err);
}

size_t arus_sink_held_count(const struct arus_sink_held *held)
{
    return part_count(&held->items);
}

void arus_sink_held_release(struct arus_sink_held *held)
{
    arus_buffer_release(&held->items);
    arus_arena_release(&held->arena);
}

/* ---- files ---- */

static enum arus_status has_bytes(const char *path, struct arus_text bytes, bool *out,
                                  struct arus_error *err)
{
    struct arus_buffer found = {0};
    struct arus_file_info info;
    bool is_missing = true;
    enum arus_status status;

    *out = false;
    ARUS_TRY(arus_file_stat(path, &info, err));
    if (info.kind != ARUS_FILE_REGULAR || info.size != bytes.size) {
        return ARUS_OK;
    }
    status = arus_file_read(path, &found, &is_missing, err);
    *out = status == ARUS_OK && !is_missing && arus_text_equal(arus_buffer_text(&found), bytes);
    arus_buffer_release(&found);
    return status;
}

/* Under another name first: nobody sees half a part. */
static enum arus_status write_part(const struct arus_sink_stream *stream, const char *path,
                                   const char *staged, struct arus_text bytes,
                                   struct arus_error *err)
{
    struct arus_path part;
    struct arus_file file;
    enum arus_status status;

    ARUS_TRY(arus_folder_make(stream->staging.text, NULL, err));
    ARUS_TRY(arus_spares_open(arus_held_spares(stream->log), staged, &part, &file, err));
    status = arus_file_append(&file, bytes.data, bytes.size, err);
    if (status != ARUS_OK) {
        arus_file_abandon(&file);
        return status;
    }
    ARUS_TRY(arus_file_close(&file, err));
    ARUS_TRY(arus_sink_remove_crc(path, err));
    return arus_file_rename(part.text, path, err);
}

/* Written even where it seems to be there: after a failed sync the system shows bytes that the disk
 * does not have. */
static enum arus_status place(const struct arus_sink_stream *stream, const char *path,
                              struct arus_text bytes, struct arus_error *err)
{
    struct arus_path staged;

    ARUS_TRY(arus_path_join(&staged, stream->staging.text, strrchr(path, '/') + 1, err));
    if (!stream->has_published) { /* a cut may have kept what a process before was writing */
        ARUS_TRY(arus_file_remove(staged.text, err));
    }
    ARUS_TRY(write_part(stream, path, staged.text, bytes, err));
    return arus_held_written(stream->log, path, bytes.size, err);
}

enum arus_status arus_sink_held_place(struct arus_sink_held *held, struct arus_sink_stream *stream,
                                      const char *path, bool *is_held, struct arus_error *err)
{
    const size_t base = strlen(stream->sink->base.path) + 1;
    struct held_part part;

    *is_held = false;
    if (held->next == part_count(&held->items)) {
        return ARUS_OK;
    }
    part = part_at(&held->items, held->next);
    if (!arus_text_equal(arus_text_of(path + base), part.name)) {
        return ARUS_OK;
    }
    held->next++;
    *is_held = true;
    return place(stream, path, part.bytes, err);
}

/* ---- after a power cut ---- */

struct restoring {
    struct arus_sink_stream *stream;
    int64_t batch_id; /* the one that was looked up last */
    bool is_listed;   /* by the sink's log, as ours */
    size_t count;     /* parts that were lost */
};

/* Somebody else's entry may have the number of a batch that we prepared. */
static enum arus_status look_up(struct restoring *restoring, int64_t batch_id,
                                struct arus_error *err)
{
    struct arus_log *log = restoring->stream->log;
    struct arus_arena arena = {0};
    enum arus_log_found found = ARUS_LOG_FOUND_OTHER;
    struct arus_text lines;
    struct arus_text detail;
    bool is_found;
    enum arus_status status =
        arus_log_entry(log, batch_id, &arena, &lines, &detail, &is_found, err);

    if (status == ARUS_OK && is_found) {
        status = arus_log_compare(log, batch_id, lines, &found, err);
    }
    restoring->batch_id = batch_id;
    restoring->is_listed = found != ARUS_LOG_FOUND_OTHER;
    arus_arena_release(&arena);
    return status;
}

static enum arus_status restore_part(void *self, int64_t batch_id, struct arus_text name,
                                     struct arus_text bytes, struct arus_error *err)
{
    struct restoring *restoring = self;
    struct arus_sink_stream *stream = restoring->stream;
    struct arus_buffer made = {0};
    struct arus_path folder;
    struct arus_path path;
    enum arus_status status;
    bool is_there;

    if (batch_id != restoring->batch_id) {
        ARUS_TRY(look_up(restoring, batch_id, err));
    }
    if (!restoring->is_listed) {
        return ARUS_OK;
    }
    ARUS_TRY(
        arus_path_format(&path, err, "%s/%.*s", stream->sink->base.path, ARUS_TEXT_ARGS(name)));
    arus_path_parent(&folder, path.text);
    status = arus_folder_make(folder.text, &made, err);
    if (status == ARUS_OK) {
        status = arus_sink_note_parents(stream, folder.text, &made, err);
    }
    for (size_t i = 0; status == ARUS_OK && i < made.size; i += strlen(made.data + i) + 1) {
        status = arus_held_made(stream->log, made.data + i, err);
    }
    arus_buffer_release(&made);
    ARUS_TRY(status);
    ARUS_TRY(has_bytes(path.text, bytes, &is_there, err));
    restoring->count += !is_there;
    return place(stream, path.text, bytes, err);
}

enum arus_status arus_sink_held_restore(struct arus_sink_stream *stream, struct arus_error *err)
{
    struct restoring restoring = {.stream = stream, .batch_id = -1};

    ARUS_TRY(arus_held_each(stream->log, 0, arus_log_newest(stream->log), restore_part, &restoring,
                            err));
    if (restoring.count != 0) {
        arus_logger_print(arus_log_set_logger(stream->logs), ARUS_LOG_NOTICE,
                          "%.*s: %zu file%s lost in a power cut, written anew",
                          ARUS_TEXT_ARGS(stream->sink->base.location), restoring.count,
                          restoring.count == 1 ? "" : "s");
    }
    return ARUS_OK;
}
