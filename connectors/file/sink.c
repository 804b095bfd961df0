/** The file sink: parts are staged, made durable, renamed into place, and listed in
 * `_spark_metadata`. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/hash.h"
#include "base/uuid.h"
#include "file/sink_internal.h"
#include "journal/held.h"
#include "journal/path.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- binding ---- */

static enum arus_status bind_path(struct arus_file_sink *sink, struct arus_arena *arena,
                                  struct arus_error *err)
{
    const struct arus_sink_config *config = sink->base.config;
    struct arus_path absolute;
    struct arus_text path;

    if (sink->settings.path.size == 0) {
        arus_ignore(arus_fail_at(err, config->place, "_LEGACY_ERROR_TEMP_1132",
                                 "`%.*s` has no path", ARUS_TEXT_ARGS(config->name)));
        return arus_error_help(err, "add path 'out/%.*s' to TBLPROPERTIES",
                               ARUS_TEXT_ARGS(config->name));
    }
    ARUS_TRY(arus_path_absolute(config->folder, sink->settings.path, &absolute, err));
    ARUS_TRY(arus_text_copy(arus_text_of(absolute.text), arena, &path, err));
    sink->base.path = path.data;
    sink->base.location = sink->settings.path;
    return arus_text_format(arena, &sink->base.description, err, "FileSink[file:%s]", path.data);
}

static enum arus_status find_partition_column(const struct arus_sink_config *config, size_t index,
                                              uint16_t *out, struct arus_error *err)
{
    const struct arus_text name = config->partitioned_by[index];
    const int32_t at = arus_type_find_nocase(config->schema, name);

    if (at < 0) {
        return arus_fail_at(err, config->partition_place, "_LEGACY_ERROR_TEMP_1196",
                            "partition column `%.*s` is not in the query", ARUS_TEXT_ARGS(name));
    }
    if (arus_type_is_nested(config->schema->fields[at].type)) {
        return arus_fail_at(err, config->partition_place, "INVALID_PARTITION_COLUMN_DATA_TYPE",
                            "`%.*s` cannot partition: it is an ARRAY, MAP or STRUCT",
                            ARUS_TEXT_ARGS(name));
    }
    *out = (uint16_t)at;
    return ARUS_OK;
}

static enum arus_status bind_columns(struct arus_file_sink *sink, struct arus_arena *arena,
                                     struct arus_error *err)
{
    const struct arus_sink_config *config = sink->base.config;
    const uint16_t width = config->schema->field_count;
    struct arus_field *fields;
    uint16_t *data_columns;
    uint16_t *partition_columns;
    uint16_t count = 0;
    bool *is_partition;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, (size_t)width + 1, &fields, err));
    ARUS_TRY(ARUS_NEW(arena, uint16_t, (size_t)width + 1, &data_columns, err));
    ARUS_TRY(ARUS_NEW(arena, uint16_t, config->partitioned_by_count + 1, &partition_columns, err));
    ARUS_TRY(ARUS_NEW(arena, bool, (size_t)width + 1, &is_partition, err));
    for (size_t i = 0; i < config->partitioned_by_count; i++) {
        ARUS_TRY(find_partition_column(config, i, &partition_columns[i], err));
        is_partition[partition_columns[i]] = true;
    }
    for (uint16_t i = 0; i < width; i++) {
        if (!is_partition[i]) {
            fields[count] = config->schema->fields[i];
            data_columns[count++] = i;
        }
    }
    if (count == 0) {
        return arus_fail_at(err, config->partition_place, "ALL_PARTITION_COLUMNS_NOT_ALLOWED",
                            "every column is a partition column: nothing is left for the files");
    }
    sink->data_columns = data_columns;
    sink->partition_columns = partition_columns;
    sink->partition_count = (uint16_t)config->partitioned_by_count;
    return arus_type_struct(fields, count, arena, &sink->data, err);
}

static enum arus_status file_bind(const struct arus_sink_config *config, struct arus_arena *arena,
                                  struct arus_sink **out, struct arus_error *err)
{
    struct arus_file_sink *sink;

    if (config->mode != ARUS_APPEND) {
        arus_ignore(arus_fail_at(err, config->place, "STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE",
                                 "a %s sink takes append mode only", config->connector->name));
        return arus_error_help(err, "outputMode 'append', or USING console to look at it");
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_file_sink, 1, &sink, err));
    sink->base.ops = &ARUS_FILE_SINK;
    sink->base.config = config;
    sink->format = config->connector->data;
    ARUS_TRY(arus_file_write_options(sink->format, &config->options, arena, &sink->settings,
                                     &sink->format_settings, err));
    ARUS_TRY(bind_path(sink, arena, err));
    ARUS_TRY(bind_columns(sink, arena, err));
    if (sink->format->check_write != NULL &&
        sink->format->check_write(sink->format_settings, sink->data, arena, err) != ARUS_OK) {
        return arus_error_at(err, config->place);
    }
    *out = &sink->base;
    return ARUS_OK;
}

/* ---- opening ---- */

static enum arus_status refuse_old_log(const struct arus_sink_stream *stream,
                                       struct arus_error *err)
{
    const struct arus_text shown = stream->sink->base.location;
    const int64_t newest = arus_log_newest(stream->log);
    const struct arus_range_label range = arus_range_label(0, newest);

    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_SINK_HAS_LOG",
                          "%s is new, but %.*s/_spark_metadata already has batch%s %s",
                          arus_log_set_shown(stream->logs), ARUS_TEXT_ARGS(shown),
                          newest == 0 ? "" : "es", range.text));
    (void)arus_error_note(err, "going on would lose rows: batch id%s %s count%s as written",
                          newest == 0 ? "" : "s", range.text, newest == 0 ? "s" : "");
    return arus_error_help(err,
                           "put the old checkpoint back; or start anew: move %.*s away; or "
                           "write to another path and read both",
                           ARUS_TEXT_ARGS(shown));
}

/* The lock lies beside the log, under a name that no reader looks at: `.staging` comes and goes. */
static enum arus_status lock_sink(struct arus_sink_stream *stream, bool *is_made,
                                  struct arus_error *err)
{
    const struct arus_file_sink *sink = stream->sink;
    struct arus_buffer *made = arus_log_set_made(stream->logs);
    const size_t made_size = made->size;
    struct arus_path log;

    ARUS_TRY(arus_path_join(&log, sink->base.path, "_spark_metadata", err));
    ARUS_TRY(arus_folder_make(log.text, made, err));
    *is_made = made->size != made_size;
    return arus_lock_take(&stream->lock, log.text, ".arus.lock", sink->base.location.data, err);
}

static enum arus_status take_over(struct arus_sink_stream *stream, bool is_new_checkpoint,
                                  struct arus_error *err)
{
    const struct arus_file_sink *sink = stream->sink;
    bool is_made;

    ARUS_TRY(arus_path_join(&stream->staging, sink->base.path, ARUS_STAGING, err));
    ARUS_TRY(lock_sink(stream, &is_made, err));
    ARUS_TRY(arus_log_open_sink(stream->logs, sink->base.path,
                                sink->settings.retention_ms == 0 ? -1 : sink->settings.retention_ms,
                                &stream->log, err));
    if (is_new_checkpoint && arus_log_newest(stream->log) >= 0) {
        return refuse_old_log(stream, err);
    }
    if (arus_log_newest(stream->log) >= 0) {
        ARUS_TRY(arus_sink_check_folder(sink, stream->log, err));
        return arus_sink_held_restore(stream, err);
    }
    return is_made ? ARUS_OK /* else perhaps by a run that died before its first batch */
                   : arus_folder_note_above(arus_log_set_made(stream->logs), sink->base.path, err);
}

static void file_stream_close(struct arus_sink_stream *stream)
{
    struct arus_error ignored;

    if (stream == NULL) {
        return;
    }
    if (stream->lock.is_held) { /* an empty one would only be in the way; a full one is needed */
        arus_ignore(arus_folder_remove(stream->staging.text, &ignored));
    }
    arus_lock_drop(&stream->lock);
    (void)pthread_mutex_destroy(&stream->mutex);
    arus_free(stream->parts);
    arus_arena_release(&stream->arena);
    arus_free(stream);
}

static enum arus_status file_stream_open(const struct arus_sink *base, struct arus_log_set *logs,
                                         const char *query_id, bool is_new_checkpoint,
                                         struct arus_sink_stream **out, struct arus_error *err)
{
    struct arus_sink_stream *stream = arus_alloc(1, sizeof *stream);
    enum arus_status status;

    *out = NULL;
    if (stream == NULL) {
        return arus_fail_memory(err);
    }
    stream->sink = (const struct arus_file_sink *)base;
    stream->logs = logs;
    (void)pthread_mutex_init(&stream->mutex, NULL);
    (void)snprintf(stream->query_id, sizeof stream->query_id, "%s", query_id);
    status = take_over(stream, is_new_checkpoint, err);
    if (status != ARUS_OK) {
        file_stream_close(stream);
        return status;
    }
    *out = stream;
    return ARUS_OK;
}

/* ---- part names ---- */

/* The first 20 hex digits tell query and batch, the last 12 worker and partition. */
static void part_uuid(const struct arus_sink_stream *stream, int64_t batch_id, uint32_t slot,
                      uint64_t partition, char out[37])
{
    unsigned char bytes[16];
    uint64_t batch[2];
    uint64_t place;

    batch[0] = arus_hash_bytes(stream->query_id, 36, (uint64_t)batch_id);
    batch[1] = arus_hash_bytes(stream->query_id, 36, ~(uint64_t)batch_id);
    place = arus_hash_mix(partition, slot);
    memcpy(bytes, &batch[0], 8);
    memcpy(bytes + 8, &batch[1], 2);
    memcpy(bytes + 10, &place, 6);
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    arus_uuid_format(bytes, out);
}

enum arus_status arus_sink_part_name(const struct arus_sink_stream *stream, uint32_t slot,
                                     uint64_t partition, uint32_t counter, struct arus_path *out,
                                     struct arus_error *err)
{
    const struct arus_file_sink *sink = stream->sink;
    char uuid[37];

    part_uuid(stream, stream->batch_id, slot, partition, uuid);
    return arus_path_format(out, err, "part-%05u-%s%cc%03u%s", slot, uuid,
                            sink->partition_count != 0 ? '.' : '-', counter,
                            sink->format->extension(sink->format_settings));
}

/* Is this the name of a part of this query and that batch? */
static bool is_own_part(const struct arus_sink_stream *stream, int64_t batch_id, const char *name)
{
    char uuid[37];

    part_uuid(stream, batch_id, 0, 0, uuid);
    return strncmp(name, "part-", 5) == 0 && strlen(name) > 11 + 36 && name[10] == '-' &&
           strncmp(name + 11, uuid, 24) == 0; /* digits 0..19 with four dashes */
}

/* ---- staging ---- */

static enum arus_status empty_staging(struct arus_sink_stream *stream, struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_status status;
    bool is_missing;

    ARUS_TRY(arus_folder_open(&folder, stream->staging.text, &is_missing, err));
    if (is_missing) {
        return arus_folder_make(stream->staging.text, NULL, err);
    }
    for (;;) {
        enum arus_file_kind kind;
        struct arus_path path;
        const char *name;

        status = arus_folder_next(&folder, &name, &kind, err);
        if (status != ARUS_OK || name == NULL) {
            break;
        }
        status = arus_path_join(&path, stream->staging.text, name, err);
        if (status == ARUS_OK) {
            status = arus_file_remove(path.text, err);
        }
        if (status != ARUS_OK) {
            break;
        }
    }
    arus_folder_close(&folder);
    return status;
}

/* Removes parts that were renamed by a form of a batch that was given up, and that no log names. */
static enum arus_status remove_unlisted(struct arus_sink_stream *stream, int64_t batch_id,
                                        const char *path, struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_status status;
    bool is_missing;

    ARUS_TRY(arus_folder_open(&folder, path, &is_missing, err));
    for (;;) {
        enum arus_file_kind kind;
        struct arus_path child;
        const char *name;

        status = arus_folder_next(&folder, &name, &kind, err);
        if (status != ARUS_OK || name == NULL) {
            break;
        }
        status = arus_path_join(&child, path, name, err);
        if (status == ARUS_OK && kind == ARUS_FILE_FOLDER && strchr(name, '=') != NULL) {
            status = remove_unlisted(stream, batch_id, child.text, err);
        } else if (status == ARUS_OK && is_own_part(stream, batch_id, name)) {
            status = arus_file_remove(child.text, err);
        }
        if (status != ARUS_OK) {
            break;
        }
    }
    arus_folder_close(&folder);
    return status;
}

static enum arus_status file_stage_begin(struct arus_sink_stream *stream, int64_t batch_id,
                                         struct arus_error *err)
{
    stream->batch_id = batch_id;
    stream->part_count = 0;
    stream->held_room = arus_held_room(stream->logs);
    arus_arena_reset(&stream->arena);
    if (batch_id <= arus_log_newest(stream->log)) {
        arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_SINK_AHEAD",
                              "%.*s/_spark_metadata already has batch %" PRId64
                              ", which the checkpoint has not made",
                              ARUS_TEXT_ARGS(stream->sink->base.location), batch_id));
        return arus_error_help(
            err, "put back the checkpoint that wrote this sink, or write to another path");
    }
    ARUS_TRY(empty_staging(stream, err));
    if (arus_log_set_repeat(stream->logs) >= 0) {
        ARUS_TRY(remove_unlisted(stream, arus_log_set_repeat(stream->logs), stream->sink->base.path,
                                 err));
    }
    return ARUS_OK;
}

bool arus_sink_may_hold(struct arus_sink_stream *stream, uint64_t size)
{
    bool is_held;

    (void)pthread_mutex_lock(&stream->mutex);
    is_held = size <= stream->held_room;
    stream->held_room -= is_held ? size : 0;
    (void)pthread_mutex_unlock(&stream->mutex);
    return is_held;
}

enum arus_status arus_sink_add_part(struct arus_sink_stream *stream,
                                    const struct arus_staged_part *part, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    (void)pthread_mutex_lock(&stream->mutex);
    if (stream->part_count == stream->part_capacity) {
        const size_t capacity = stream->part_capacity == 0 ? 16 : stream->part_capacity * 2;
        void *parts = arus_realloc(stream->parts, capacity * sizeof *stream->parts);

        if (parts == NULL) {
            status = arus_fail_memory(err);
            goto out;
        }
        stream->parts = parts;
        stream->part_capacity = capacity;
    }
    stream->parts[stream->part_count] = *part;
    status =
        arus_text_copy(part->name, &stream->arena, &stream->parts[stream->part_count].name, err);
    if (status == ARUS_OK) {
        status = arus_text_copy(part->folder, &stream->arena,
                                &stream->parts[stream->part_count].folder, err);
    }
    if (status == ARUS_OK && part->bytes.data != NULL) {
        status = arus_text_copy(part->bytes, &stream->arena,
                                &stream->parts[stream->part_count].bytes, err);
    }
    stream->part_count += status == ARUS_OK;
out:
    (void)pthread_mutex_unlock(&stream->mutex);
    return status;
}

/* An unpartitioned batch without rows still writes one file, as Spark's task 0 does. */
static enum arus_status write_empty_part(struct arus_sink_stream *stream, struct arus_error *err)
{
    struct arus_sink_worker *worker;
    struct arus_error later;
    enum arus_status status;

    ARUS_TRY(arus_file_worker_open(stream, 0, &worker, err));
    status = arus_file_worker_touch(worker, err);
    if (status != ARUS_OK) {
        arus_ignore(arus_file_worker_close(worker, true, &later));
        return status;
    }
    return arus_file_worker_close(worker, false, err);
}

/* By worker, partition and counter: the same list however the threads ran. */
static void sort_parts(struct arus_sink_stream *stream)
{
    for (size_t i = 1; i < stream->part_count; i++) {
        const struct arus_staged_part part = stream->parts[i];
        size_t k = i;

        for (; k > 0; k--) {
            const int folders = arus_text_compare(stream->parts[k - 1].folder, part.folder);

            if (folders < 0 ||
                (folders == 0 && arus_text_compare(stream->parts[k - 1].name, part.name) <= 0)) {
                break;
            }
            stream->parts[k] = stream->parts[k - 1];
        }
        stream->parts[k] = part;
    }
}

/* `ROWS HASH`, a line a part: kept in the journal beside the log's lines, for `arus audit`. */
static enum arus_status note_parts(const struct arus_sink_stream *stream, struct arus_buffer *out,
                                   struct arus_error *err)
{
    for (size_t i = 0; i < stream->part_count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "%" PRIu64 " %016" PRIx64 "\n",
                                    stream->parts[i].row_count, stream->parts[i].hash));
    }
    return ARUS_OK;
}

/* Size and time of a staged file; a held part has no file yet. */
static enum arus_status look_at_part(const struct arus_sink_stream *stream,
                                     const struct arus_staged_part *part, uint64_t *size,
                                     int64_t *mtime_ms, struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path staged;

    if (part->bytes.data != NULL) {
        *size = part->bytes.size;
        *mtime_ms = arus_clock_wall_ms();
        return ARUS_OK;
    }
    ARUS_TRY(arus_path_join(&staged, stream->staging.text, part->name.data, err));
    ARUS_TRY(arus_file_stat(staged.text, &info, err));
    *size = info.size;
    *mtime_ms = arus_file_mtime_ms(&info);
    return ARUS_OK;
}

static enum arus_status list_part(struct arus_sink_stream *stream,
                                  const struct arus_staged_part *part, struct arus_buffer *manifest,
                                  struct arus_sink_stats *stats, struct arus_error *err)
{
    struct arus_text final_path;
    int64_t mtime_ms;
    uint64_t size;

    ARUS_TRY(look_at_part(stream, part, &size, &mtime_ms, err));
    ARUS_TRY(arus_text_format(&stream->arena, &final_path, err, "%s/%.*s%.*s",
                              stream->sink->base.path, ARUS_TEXT_ARGS(part->folder),
                              ARUS_TEXT_ARGS(part->name)));
    stats->row_count += part->row_count;
    stats->byte_count += size;
    stats->file_count++;
    return arus_log_append_sink(manifest, final_path, size, mtime_ms, err);
}

/* Small parts go into the journal, the names of all others must be durable. */
static enum arus_status secure_parts(struct arus_sink_stream *stream, int64_t batch_id,
                                     struct arus_error *err)
{
    size_t held_count = 0;

    for (size_t i = 0; i < stream->part_count; i++) {
        const struct arus_staged_part *part = &stream->parts[i];
        struct arus_text name;

        if (part->bytes.data != NULL) {
            ARUS_TRY(arus_text_format(&stream->arena, &name, err, "%.*s%.*s",
                                      ARUS_TEXT_ARGS(part->folder), ARUS_TEXT_ARGS(part->name)));
            ARUS_TRY(arus_held_add(stream->log, batch_id, (uint32_t)i, name, part->bytes, err));
            held_count++;
        }
    }
    return held_count == stream->part_count ? ARUS_OK : arus_folder_sync(stream->staging.text, err);
}

static enum arus_status file_stage_finish(struct arus_sink_stream *stream, int64_t batch_id,
                                          struct arus_buffer *manifest,
                                          struct arus_sink_stats *stats, struct arus_error *err)
{
    struct arus_buffer notes = {0};
    enum arus_status status;

    *stats = (struct arus_sink_stats){0};
    if (stream->part_count == 0 && stream->sink->partition_count == 0) {
        ARUS_TRY(write_empty_part(stream, err));
    }
    sort_parts(stream);
    for (size_t i = 0; i < stream->part_count; i++) {
        ARUS_TRY(list_part(stream, &stream->parts[i], manifest, stats, err));
    }
    ARUS_TRY(secure_parts(stream, batch_id, err));
    status = note_parts(stream, &notes, err);
    if (status == ARUS_OK) {
        status = arus_log_stage(stream->log, batch_id, arus_buffer_text(manifest),
                                arus_buffer_text(&notes), err);
    }
    arus_buffer_release(&notes);
    return status;
}

/* ---- publishing ---- */

/* The folders that are being filled: synced when all parts are placed. */
struct touched {
    struct arus_buffer folders; /* as of arus_folder_note */
    struct arus_path last;
    bool has_last;
};

static bool is_last(const struct touched *touched, const char *folder)
{
    return touched->has_last && strcmp(touched->last.text, folder) == 0;
}

static enum arus_status touch_folder(struct touched *touched, const char *path,
                                     struct arus_error *err)
{
    struct arus_path parent;

    arus_path_parent(&parent, path);
    if (is_last(touched, parent.text)) {
        return ARUS_OK;
    }
    touched->last = parent;
    touched->has_last = true;
    return arus_folder_note(&touched->folders, parent.text, err);
}

enum arus_status arus_sink_remove_crc(const char *path, struct arus_error *err)
{
    const char *slash = strrchr(path, '/');
    struct arus_path crc;

    ARUS_TRY(arus_path_format(&crc, err, "%.*s/.%s.crc", (int)(slash - path), path, slash + 1));
    return arus_file_remove(crc.text, err);
}

struct publishing {
    struct arus_sink_stream *stream;
    struct touched touched;
    struct arus_buffer made; /* parents of new folders, NUL-terminated */
    struct arus_arena scratch;
    int64_t batch_id;
    struct arus_text manifest;
    struct arus_sink_held held;
    size_t part_count; /* held ones too */
};

/* The sink's log decides: a batch that is listed cannot be made again, one that is not can. */
static enum arus_status refuse_lost(const struct publishing *publishing, const char *path,
                                    uint64_t size, struct arus_error *err)
{
    enum arus_log_found found;
    enum arus_status status;

    ARUS_TRY(arus_log_compare(publishing->stream->log, publishing->batch_id, publishing->manifest,
                              &found, err));
    status = arus_fail(err, found == ARUS_LOG_FOUND_NONE ? ARUS_RETRY : ARUS_MISMATCH,
                       "ARUS_STAGED_PART_LOST",
                       "%s (%" PRIu64 " bytes) was written for batch %" PRId64 " and is gone", path,
                       size, publishing->batch_id);
    (void)arus_error_help(err, "somebody removed it; put it back, or rebuild: a new "
                               "checkpointLocation and a new path");
    return status;
}

static enum arus_status place_part(struct publishing *publishing, const char *path, uint64_t size,
                                   struct arus_error *err)
{
    struct touched *touched = &publishing->touched;
    struct arus_file_info info;
    struct arus_path staged;
    bool is_held;

    ARUS_TRY(arus_sink_held_place(&publishing->held, publishing->stream, path, &is_held, err));
    if (is_held) {
        return ARUS_OK;
    }
    ARUS_TRY(
        arus_path_join(&staged, publishing->stream->staging.text, strrchr(path, '/') + 1, err));
    ARUS_TRY(arus_file_stat(staged.text, &info, err));
    if (info.kind == ARUS_FILE_REGULAR && info.size == size) {
        ARUS_TRY(touch_folder(touched, path, err));
        ARUS_TRY(arus_sink_remove_crc(path, err));
        return arus_file_rename(staged.text, path, err);
    }
    ARUS_TRY(arus_file_stat(path, &info, err));
    if (info.kind != ARUS_FILE_REGULAR || info.size != size) {
        return refuse_lost(publishing, path, size, err);
    }
    return touch_folder(touched, path, err);
}

enum arus_status arus_sink_note_parents(const struct arus_sink_stream *stream, const char *folder,
                                        struct arus_buffer *out, struct arus_error *err)
{
    const size_t base = strlen(stream->sink->base.path);
    struct arus_path at;
    struct arus_path parent;

    ARUS_TRY(arus_path_format(&at, err, "%s", folder));
    while (strlen(at.text) > base) {
        arus_path_parent(&parent, at.text);
        ARUS_TRY(arus_folder_note(out, parent.text, err));
        at = parent;
    }
    return ARUS_OK;
}

static enum arus_status make_folder_of(struct publishing *publishing, const char *path,
                                       const struct arus_log_line *entry, struct arus_error *err)
{
    struct touched *touched = &publishing->touched;
    struct arus_path folder;

    (void)entry;
    arus_path_parent(&folder, path);
    if (is_last(touched, folder.text)) {
        return ARUS_OK;
    }
    touched->last = folder;
    touched->has_last = true;
    ARUS_TRY(arus_folder_make(folder.text, &publishing->made, err));
    return publishing->stream->has_published
               ? ARUS_OK
               : arus_sink_note_parents(publishing->stream, folder.text, &publishing->made, err);
}

static enum arus_status place_entry(struct publishing *publishing, const char *path,
                                    const struct arus_log_line *entry, struct arus_error *err)
{
    ARUS_TRY(place_part(publishing, path, entry->size, err));
    arus_failpoint_reach(ARUS_FAILPOINT_DURING_PUBLISH, publishing->batch_id);
    return ARUS_OK;
}

typedef enum arus_status part_fn(struct publishing *publishing, const char *path,
                                 const struct arus_log_line *entry, struct arus_error *err);

static enum arus_status visit_line(struct publishing *publishing, struct arus_text line,
                                   part_fn *visit, struct arus_error *err)
{
    struct arus_log_line entry;
    struct arus_text path;

    arus_arena_reset(&publishing->scratch);
    ARUS_TRY(arus_log_parse_sink(line, &publishing->scratch, &entry, err));
    ARUS_TRY(arus_path_of_uri(entry.uri, &publishing->scratch, &path, err));
    return visit(publishing, path.data, &entry, err);
}

static enum arus_status visit_parts(struct publishing *publishing, part_fn *visit,
                                    struct arus_error *err)
{
    struct arus_text manifest = publishing->manifest;

    publishing->touched.has_last = false;
    while (manifest.size != 0) {
        const char *end = memchr(manifest.data, '\n', manifest.size);
        const size_t size = end == NULL ? manifest.size : (size_t)(end - manifest.data);

        if (size != 0) {
            ARUS_TRY(visit_line(publishing, (struct arus_text){manifest.data, size}, visit, err));
        }
        manifest.data += size + (end != NULL);
        manifest.size -= size + (end != NULL);
    }
    return ARUS_OK;
}

static enum arus_status count_part(struct publishing *publishing, const char *path,
                                   const struct arus_log_line *entry, struct arus_error *err)
{
    (void)path;
    (void)entry;
    (void)err;
    publishing->part_count++;
    return ARUS_OK;
}

/* New folders are durable before anything is renamed into them: a file must not be lost with its
 * folder. Folders of held parts alone may wait for the mirrors. */
static enum arus_status make_folders(struct publishing *publishing, struct arus_error *err)
{
    struct arus_buffer *made = &publishing->made;

    ARUS_TRY(visit_parts(publishing, make_folder_of, err));
    ARUS_TRY(visit_parts(publishing, count_part, err));
    if (publishing->part_count > arus_sink_held_count(&publishing->held)) {
        return arus_folder_sync_made(made, err);
    }
    for (size_t i = 0; i < made->size; i += strlen(made->data + i) + 1) {
        ARUS_TRY(arus_held_made(publishing->stream->log, made->data + i, err));
    }
    return ARUS_OK;
}

static enum arus_status place_all(struct publishing *publishing, struct arus_error *err)
{
    ARUS_TRY(arus_sink_held_load(&publishing->held, publishing->stream, publishing->batch_id, err));
    if (publishing->stream->sink->partition_count != 0) {
        ARUS_TRY(make_folders(publishing, err));
    }
    ARUS_TRY(visit_parts(publishing, place_entry, err));
    ARUS_TRY(arus_folder_sync_made(&publishing->touched.folders, err));
    publishing->stream->has_published = true;
    return ARUS_OK;
}

static enum arus_status file_publish(struct arus_sink_stream *stream, int64_t batch_id,
                                     struct arus_text manifest, struct arus_error *err)
{
    struct publishing publishing = {.stream = stream, .batch_id = batch_id, .manifest = manifest};
    enum arus_status status = place_all(&publishing, err);

    arus_sink_held_release(&publishing.held);
    arus_buffer_release(&publishing.made);
    arus_buffer_release(&publishing.touched.folders);
    arus_arena_release(&publishing.scratch);
    ARUS_TRY(status);
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_DATA_FILES, batch_id);
    ARUS_TRY(arus_log_add(stream->log, batch_id, manifest, err));
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_SINK_LOG, batch_id);
    return ARUS_OK;
}

static enum arus_status part_is_there(struct arus_text line, bool *out, struct arus_error *err)
{
    struct arus_arena scratch = {0};
    struct arus_file_info info = {0};
    struct arus_log_line entry;
    struct arus_text path;
    enum arus_status status = arus_log_parse_sink(line, &scratch, &entry, err);

    if (status == ARUS_OK) {
        status = arus_path_of_uri(entry.uri, &scratch, &path, err);
    }
    if (status == ARUS_OK) {
        status = arus_file_stat(path.data, &info, err);
    }
    *out = status == ARUS_OK && info.kind == ARUS_FILE_REGULAR && info.size == entry.size;
    arus_arena_release(&scratch);
    return status;
}

static enum arus_status file_is_published(struct arus_sink_stream *stream, int64_t batch_id,
                                          struct arus_text manifest, bool *out,
                                          struct arus_error *err)
{
    enum arus_log_found found;

    *out = false;
    ARUS_TRY(arus_log_compare(stream->log, batch_id, manifest, &found, err));
    *out = found == ARUS_LOG_FOUND_SAME;
    while (*out && manifest.size != 0) {
        const char *end = memchr(manifest.data, '\n', manifest.size);
        const size_t size = end == NULL ? manifest.size : (size_t)(end - manifest.data);

        if (size != 0) {
            ARUS_TRY(part_is_there((struct arus_text){manifest.data, size}, out, err));
        }
        manifest.data += size + (end != NULL);
        manifest.size -= size + (end != NULL);
    }
    return ARUS_OK;
}

const struct arus_sink_ops ARUS_FILE_SINK = {
    .bind = file_bind,
    .stream_open = file_stream_open,
    .stage_begin = file_stage_begin,
    .worker_open = arus_file_worker_open,
    .worker_write = arus_file_worker_write,
    .worker_close = arus_file_worker_close,
    .stage_finish = file_stage_finish,
    .publish = file_publish,
    .is_published = file_is_published,
    .stream_close = file_stream_close,
};
