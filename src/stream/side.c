#include "stream/side.h"

#include "base/failpoint.h"
#include "stream/query_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGING         ".staging"
#define NAME_FORMAT     "batch-%010" PRId64 "-%013" PRId64 "-%02u.parquet"
#define EXPIRY_CHECK_MS ((int64_t)60000) /* and not more often than a tenth of the retention */

/* A file of the batch being made. */
struct arus_side_file {
    struct arus_writer *writer; /* NULL: none */
    struct arus_file file;
    struct arus_path name;
    struct arus_path path;
};

static enum arus_status write_out(void *self, const void *data, size_t size, struct arus_error *err)
{
    return arus_file_append(self, data, size, err);
}

static enum arus_status open_file(struct arus_query_sides *sides, struct arus_query_side *table,
                                  uint32_t slot, struct arus_error *err)
{
    struct arus_side_file *file = &table->files[slot];

    ARUS_TRY(arus_folder_make(table->staging.text, NULL, err));
    ARUS_TRY(arus_path_format(&file->name, err, NAME_FORMAT, sides->writer.batch_id, sides->time_ms,
                              slot));
    ARUS_TRY(arus_path_join(&file->path, table->staging.text, file->name.text, err));
    ARUS_TRY(arus_file_create_over(&file->file, file->path.text, err));
    return sides->format->writer_open(&ARUS_SIDE_SCHEMA, sides->format_settings, sides->zone,
                                      (struct arus_output){write_out, &file->file}, &file->writer,
                                      err);
}

static enum arus_status write_rows(void *self, enum arus_side side, uint32_t slot,
                                   const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_query_sides *sides = self;
    struct arus_query_side *table = &sides->tables[side];

    if (table->files[slot].writer == NULL) {
        ARUS_TRY(open_file(sides, table, slot, err));
    }
    return sides->format->writer_write(table->files[slot].writer, batch, err);
}

static enum arus_status open_format(struct arus_query *query, struct arus_query_sides *sides,
                                    struct arus_error *err)
{
    const struct arus_settings none = {0};

    sides->format = arus_format_find(ARUS_TEXT("parquet"));
    ARUS_ASSERT(sides->format != NULL);
    ARUS_TRY(arus_arena_alloc(&query->arena, sides->format->write_settings_size,
                              &sides->format_settings, err));
    ARUS_TRY(
        arus_options_parse((const struct arus_option *const[]){sides->format->write_options, NULL},
                           &none, "parquet", &query->arena, sides->format_settings, err));
    return sides->format->check_write == NULL
               ? ARUS_OK
               : sides->format->check_write(sides->format_settings, &ARUS_SIDE_SCHEMA,
                                            &query->arena, err);
}

enum arus_status arus_query_sides_open(struct arus_query *query, struct arus_error *err)
{
    const struct arus_stream_query *plan = query->config.plan;
    struct arus_query_sides *sides = &query->sides;

    if (plan->properties.checkpoint_path == NULL) {
        return ARUS_OK; /* nobody could read them when the run is over */
    }
    sides->writer = (struct arus_side_writer){.write = write_rows, .self = sides};
    sides->writer.is_on[ARUS_SIDE_LATE] = plan->properties.late_table;
    sides->writer.is_on[ARUS_SIDE_REJECTS] = plan->properties.rejects_table;
    sides->zone = plan->sink_config->zone;
    sides->worker_count = arus_exec_thread_count(query->exec);
    sides->retention_ms = plan->properties.side_table_retention_ms;
    for (int i = 0; i < ARUS_SIDE_COUNT; i++) {
        struct arus_query_side *table = &sides->tables[i];

        table->is_new = true;
        ARUS_TRY(arus_path_join(&table->folder, plan->properties.checkpoint_path,
                                arus_side_name((enum arus_side)i), err));
        ARUS_TRY(arus_path_join(&table->staging, table->folder.text, STAGING, err));
        ARUS_TRY(ARUS_NEW(&query->arena, struct arus_side_file, sides->worker_count, &table->files,
                          err));
    }
    return open_format(query, sides, err);
}

/* ---- what lies there ---- */

/* Is it a file of ours, and of which batch and time? */
static bool read_name(const char *name, int64_t *batch_id, int64_t *time_ms)
{
    unsigned slot;
    int end = 0;

    return sscanf(name, "batch-%" SCNd64 "-%" SCNd64 "-%u.parquet%n", batch_id, time_ms, &slot,
                  &end) == 3 &&
           end > 0 && name[end] == '\0';
}

/* Which files of a folder are to go. */
struct sweep {
    int64_t batch_min;      /* of this batch or a later one; or */
    int64_t time_ms_before; /* older than that */
    uint64_t found;         /* files of ours */
};

static enum arus_status sweep_folder(const char *path, struct sweep *sweep, struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_status status;
    bool is_missing;

    ARUS_TRY(arus_folder_open(&folder, path, &is_missing, err));
    for (;;) {
        enum arus_file_kind kind;
        struct arus_path child;
        const char *name;
        int64_t batch_id;
        int64_t time_ms;

        status = arus_folder_next(&folder, &name, &kind, err);
        if (status != ARUS_OK || name == NULL) {
            break;
        }
        if (!read_name(name, &batch_id, &time_ms)) {
            continue;
        }
        sweep->found++;
        if (batch_id >= sweep->batch_min || time_ms < sweep->time_ms_before) {
            status = arus_path_join(&child, path, name, err);
            if (status == ARUS_OK) {
                status = arus_file_remove(child.text, err);
            }
        }
        if (status != ARUS_OK) {
            break;
        }
    }
    arus_folder_close(&folder);
    return status;
}

enum arus_status arus_sides_forget(const char *checkpoint, int64_t batch_id, struct arus_error *err)
{
    struct sweep sweep = {.batch_min = batch_id + 1, .time_ms_before = INT64_MIN};

    for (int side = 0; side < ARUS_SIDE_COUNT; side++) {
        struct arus_path folder;

        ARUS_TRY(arus_path_join(&folder, checkpoint, arus_side_name((enum arus_side)side), err));
        ARUS_TRY(sweep_folder(folder.text, &sweep, err));
    }
    return ARUS_OK;
}

/* A checkpoint that begins anew counts its batches from 0 again: rows of the old ones step aside.
 */
static enum arus_status move_aside(const struct arus_query *query, enum arus_side side,
                                   struct arus_error *err)
{
    const struct arus_query_side *table = &query->sides.tables[side];
    struct sweep look = {.batch_min = INT64_MAX, .time_ms_before = INT64_MIN};
    struct arus_path to;

    ARUS_TRY(sweep_folder(table->folder.text, &look, err));
    if (look.found == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_path_format(&to, err, "%s/.%s.old-%" PRId64,
                              query->config.plan->properties.checkpoint_path, arus_side_name(side),
                              query->sides.time_ms));
    return arus_file_rename(table->folder.text, to.text, err);
}

/* What an earlier run left of batches that are to be made now. */
static enum arus_status clean(struct arus_query *query, int64_t batch_id, struct arus_error *err)
{
    struct sweep staged = {.batch_min = INT64_MIN, .time_ms_before = INT64_MIN};
    struct sweep placed = {.batch_min = batch_id, .time_ms_before = INT64_MIN};

    if (query->sides.is_clean) {
        return ARUS_OK;
    }
    for (int i = 0; i < ARUS_SIDE_COUNT; i++) {
        const struct arus_query_side *table = &query->sides.tables[i];

        if (batch_id == 0) {
            ARUS_TRY(move_aside(query, (enum arus_side)i, err));
        }
        ARUS_TRY(sweep_folder(table->staging.text, &staged, err));
        ARUS_TRY(sweep_folder(table->folder.text, &placed, err));
    }
    query->sides.is_clean = true;
    return ARUS_OK;
}

/* ---- a batch ---- */

enum arus_status arus_query_sides_begin(struct arus_query *query, int64_t batch_id, int64_t time_ms,
                                        const struct arus_side_writer **out, struct arus_error *err)
{
    struct arus_query_sides *sides = &query->sides;

    *out = NULL;
    if (sides->format == NULL) {
        return ARUS_OK;
    }
    sides->writer.batch_id = batch_id;
    sides->time_ms = time_ms;
    ARUS_TRY(clean(query, batch_id, err));
    for (int i = 0; i < ARUS_SIDE_COUNT; i++) {
        arus_buffer_reset(&sides->tables[i].manifest);
        if (sides->writer.is_on[i]) {
            *out = &sides->writer;
        }
    }
    return ARUS_OK;
}

static enum arus_status finish_file(const struct arus_query_sides *sides,
                                    struct arus_query_side *table, struct arus_side_file *file,
                                    struct arus_error *err)
{
    struct arus_write_stats stats;
    enum arus_status status = sides->format->writer_finish(file->writer, &stats, err);

    sides->format->writer_close(file->writer);
    file->writer = NULL;
    if (status == ARUS_OK) {
        status = arus_file_sync(&file->file, err);
    }
    if (status != ARUS_OK) {
        arus_file_abandon(&file->file);
        return status;
    }
    ARUS_TRY(arus_buffer_printf(&table->manifest, err, "%s %" PRIu64 "\n", file->name.text,
                                file->file.size));
    return arus_file_close(&file->file, err);
}

/* A folder that was just made must not be lost with what it holds. */
static enum arus_status sync_folders(const struct arus_query *query, struct arus_query_side *table,
                                     struct arus_error *err)
{
    ARUS_TRY(arus_folder_sync(table->staging.text, err));
    if (table->is_new) {
        ARUS_TRY(arus_folder_sync(table->folder.text, err));
        ARUS_TRY(arus_folder_sync(query->config.plan->properties.checkpoint_path, err));
        table->is_new = false;
    }
    return ARUS_OK;
}

enum arus_status arus_query_sides_finish(struct arus_query *query, struct arus_error *err)
{
    struct arus_query_sides *sides = &query->sides;

    for (int i = 0; sides->format != NULL && i < ARUS_SIDE_COUNT; i++) {
        struct arus_query_side *table = &sides->tables[i];

        for (uint32_t slot = 0; slot < sides->worker_count; slot++) {
            if (table->files[slot].writer != NULL) {
                ARUS_TRY(finish_file(sides, table, &table->files[slot], err));
            }
        }
        if (table->manifest.size != 0) {
            ARUS_TRY(sync_folders(query, table, err));
        }
    }
    return ARUS_OK;
}

/* ---- publishing ---- */

static enum arus_status fail_lost(const char *path, struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_STAGED_PART_LOST",
                          "%s was written for this batch and is gone", path));
    return arus_error_help(err, "somebody removed it: put it back and run again");
}

static enum arus_status place_file(const struct arus_query_side *table, const char *name,
                                   uint64_t size, struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path staged;
    struct arus_path path;

    ARUS_TRY(arus_path_join(&staged, table->staging.text, name, err));
    ARUS_TRY(arus_path_join(&path, table->folder.text, name, err));
    ARUS_TRY(arus_file_stat(staged.text, &info, err));
    if (info.kind == ARUS_FILE_REGULAR && info.size == size) {
        return arus_file_rename(staged.text, path.text, err);
    }
    ARUS_TRY(arus_file_stat(path.text, &info, err));
    return info.kind == ARUS_FILE_REGULAR && info.size == size ? ARUS_OK
                                                               : fail_lost(path.text, err);
}

static enum arus_status place_all(const struct arus_query_side *table, struct arus_text manifest,
                                  int64_t batch_id, struct arus_error *err)
{
    while (manifest.size != 0) {
        const char *end = memchr(manifest.data, '\n', manifest.size);
        const char *blank = memchr(manifest.data, ' ', manifest.size);
        struct arus_path name;

        ARUS_ASSERT(end != NULL && blank != NULL && blank < end);
        ARUS_TRY(arus_path_format(&name, err, "%.*s", (int)(blank - manifest.data), manifest.data));
        ARUS_TRY(place_file(table, name.text, strtoull(blank + 1, NULL, 10), err));
        arus_failpoint_reach(ARUS_FAILPOINT_DURING_SIDE_TABLES, batch_id);
        manifest.size -= (size_t)(end + 1 - manifest.data);
        manifest.data = end + 1;
    }
    return arus_folder_sync(table->folder.text, err);
}

enum arus_status arus_query_sides_publish(struct arus_query *query,
                                          const struct arus_batch_record *record,
                                          struct arus_error *err)
{
    for (size_t i = 0; i < record->output_count; i++) {
        const struct arus_batch_output *output = &record->outputs[i];

        for (int side = 0; query->sides.format != NULL && side < ARUS_SIDE_COUNT; side++) {
            if (arus_text_equal(output->name, arus_text_of(arus_side_name((enum arus_side)side)))) {
                ARUS_TRY(place_all(&query->sides.tables[side], output->manifest,
                                   record->plan.batch_id, err));
            }
        }
    }
    return ARUS_OK;
}

void arus_query_sides_expire(struct arus_query *query)
{
    struct arus_query_sides *sides = &query->sides;
    const int64_t now_ms = arus_query_now_ms(query);
    const int64_t tenth_ms = sides->retention_ms / 10;
    struct sweep sweep = {.batch_min = INT64_MAX, .time_ms_before = now_ms - sides->retention_ms};

    if (sides->format == NULL || sides->retention_ms == 0 || now_ms < sides->next_expiry_ms) {
        return;
    }
    sides->next_expiry_ms = now_ms + (tenth_ms < EXPIRY_CHECK_MS ? EXPIRY_CHECK_MS : tenth_ms);
    for (int i = 0; i < ARUS_SIDE_COUNT; i++) {
        struct arus_error failure;

        if (sweep_folder(sides->tables[i].folder.text, &sweep, &failure) != ARUS_OK) {
            arus_logger_print(query->config.logger, ARUS_LOG_WARN, "sideTableRetention: %s",
                              failure.message);
        }
    }
}

void arus_query_sides_close(struct arus_query *query)
{
    struct arus_query_sides *sides = &query->sides;

    for (int i = 0; sides->format != NULL && i < ARUS_SIDE_COUNT; i++) {
        struct arus_query_side *table = &sides->tables[i];

        for (uint32_t slot = 0; table->files != NULL && slot < sides->worker_count; slot++) {
            if (table->files[slot].writer != NULL) {
                sides->format->writer_close(table->files[slot].writer);
            }
            arus_file_abandon(&table->files[slot].file);
        }
        arus_buffer_release(&table->manifest);
    }
    *sides = (struct arus_query_sides){0}; /* a query is opened again after an outage */
}
