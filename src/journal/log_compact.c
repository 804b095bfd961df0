/**
 * The next compact grows in a temporary file beside the log: the old compact is copied behind the
 * scenes, each entry appends its lines, and the batch that is due only appends its own and renames.
 * Old files go when a newer compact is durable.
 */
#include "base/clock.h"
#include "base/failpoint.h"
#include "journal/log_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LOOK_AHEAD          2 /* a short-lived process begins this many entries before */
#define INLINE_SIZE_MAX     (UINT64_C(64) << 10)
#define SUPERSEDED_SIZE_MAX (UINT64_C(64) << 20)

/* ---- retention ---- */

/** Appends lines as `\nLINE`; with a retention the too old ones stay out. */
static enum arus_status append_lines(const struct arus_log *log, struct arus_file *file,
                                     struct arus_text lines, struct arus_error *err)
{
    const int64_t oldest_ms =
        log->retention_ms < 0 ? INT64_MIN : arus_clock_wall_ms() - log->retention_ms;
    struct arus_arena arena = {0};
    enum arus_status status = ARUS_OK;
    struct arus_text rest = lines;
    struct arus_text line;

    while (status == ARUS_OK && arus_log_take_line(&rest, &line)) {
        struct arus_log_line parsed = {0};

        if (log->retention_ms >= 0) {
            status = arus_log_parse_sink(line, &arena, &parsed, err);
            if (status != ARUS_OK || parsed.mtime_ms < oldest_ms) {
                continue;
            }
        }
        status = arus_file_append(file, "\n", 1, err);
        if (status == ARUS_OK) {
            status = arus_file_append(file, line.data, line.size, err);
        }
    }
    arus_arena_release(&arena);
    return status;
}

/** Appends what a file of the log holds. */
static enum arus_status append_entry(const struct arus_log *log, struct arus_file *file, int64_t id,
                                     struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_text rest = {0};
    struct arus_path path;
    bool is_missing = true;
    enum arus_status status;

    ARUS_TRY(
        arus_log_path(&path, log->folder.text, id, arus_log_is_compaction(id, log->interval), err));
    status = arus_log_load(path.text, path.text, &content, &rest, &is_missing, err);
    if (status == ARUS_OK && is_missing) {
        status = arus_log_fail(err, path.text, 0, "BATCH_METADATA_NOT_FOUND", "is missing");
    }
    if (status == ARUS_OK) {
        status = append_lines(log, file, rest, err);
    }
    arus_buffer_release(&content);
    return status;
}

/** The base compact as it stands, or filtered by the retention. */
static enum arus_status append_base(const struct arus_log *log, struct arus_file *file,
                                    int64_t base, struct arus_error *err)
{
    struct arus_file from;
    struct arus_path path;
    char last = '\n';
    size_t got;
    enum arus_status status;

    if (log->retention_ms >= 0) {
        ARUS_TRY(arus_file_append(file, "v1", 2, err));
        return append_entry(log, file, base, err);
    }
    ARUS_TRY(arus_log_path(&path, log->folder.text, base, true, err));
    ARUS_TRY(arus_file_open(&from, path.text, err));
    status = arus_file_read_at(&from, from.size == 0 ? 0 : from.size - 1, &last, 1, &got, err);
    if (status == ARUS_OK) { /* Spark's end without a newline; a user's editor may have added one */
        status =
            arus_file_append_file(file, &from, from.size - (last == '\n' && from.size > 0), err);
    }
    arus_file_abandon(&from);
    return status;
}

/* ---- growing ---- */

/** The base, then the entries that were there when the growing began. */
static enum arus_status copy_old(void *self, struct arus_error *err)
{
    struct arus_log *log = (struct arus_log *)self;
    struct arus_log_grower *grower = &log->grower;

    if (grower->base < 0) {
        ARUS_TRY(arus_file_append(&grower->file, "v1", 2, err));
    } else {
        ARUS_TRY(append_base(log, &grower->file, grower->base, err));
    }
    for (int64_t id = grower->base + 1; id <= grower->copied_to; id++) {
        ARUS_TRY(append_entry(log, &grower->file, id, err));
    }
    return ARUS_OK;
}

/** Bytes of the files that copy_old reads: few need no thread. */
static enum arus_status old_size(const struct arus_log *log, uint64_t *out, struct arus_error *err)
{
    const struct arus_log_grower *grower = &log->grower;

    *out = 0;
    for (int64_t id = grower->base < 0 ? 0 : grower->base; id <= grower->copied_to; id++) {
        struct arus_file_info info;
        struct arus_path path;

        ARUS_TRY(arus_log_path(&path, log->folder.text, id, id == grower->base, err));
        ARUS_TRY(arus_file_stat(path.text, &info, err));
        *out += info.size;
    }
    return ARUS_OK;
}

static void stop_growing(struct arus_log *log)
{
    struct arus_log_grower *grower = &log->grower;
    struct arus_error ignored;

    if (grower->background != NULL) {
        arus_status_ignore(
            arus_background_wait(grower->background, &ignored)); /* it is given up anyway */
    }
    if (grower->target >= 0) {
        arus_file_abandon(&grower->file);
        arus_status_ignore(
            arus_file_remove(grower->path.text, &ignored)); /* only a leftover dot file */
    }
    arus_buffer_reset(&grower->pending);
    grower->target = -1;
    grower->is_copying = false;
}

/** Opens the temporary file and begins the copy of what is there. */
static enum arus_status start_growing(struct arus_log *log, struct arus_error *err)
{
    struct arus_log_grower *grower = &log->grower;
    const int64_t next = log->newest + 1;
    uint64_t size;

    grower->base = next / log->interval * log->interval - 1;
    grower->copied_to = log->newest;
    ARUS_TRY(arus_path_format(&grower->path, err, "%s/.%" PRId64 ".compact.arus.tmp",
                              log->folder.text, grower->base + (int64_t)log->interval));
    ARUS_TRY(arus_file_create_over(&grower->file, grower->path.text, err));
    grower->target = grower->base + (int64_t)log->interval;
    ARUS_TRY(old_size(log, &size, err));
    if (size < INLINE_SIZE_MAX) {
        return copy_old(log, err);
    }
    if (grower->background == NULL) {
        ARUS_TRY(arus_background_open(&grower->background, err));
    }
    grower->is_copying = true;
    return arus_background_start(grower->background, copy_old, log, err);
}

/** Moves waiting lines into the file when the copy is done (or `waits`). */
static enum arus_status drain(struct arus_log *log, bool waits, struct arus_error *err)
{
    struct arus_log_grower *grower = &log->grower;

    if (grower->is_copying && !waits && !arus_background_is_done(grower->background)) {
        return ARUS_OK;
    }
    if (grower->is_copying) {
        ARUS_TRY(arus_background_wait(grower->background, err));
        grower->is_copying = false;
    }
    ARUS_TRY(append_lines(log, &grower->file, arus_buffer_text(&grower->pending), err));
    arus_buffer_reset(&grower->pending);
    return ARUS_OK;
}

enum arus_status arus_log_grow(struct arus_log *log, int64_t id, struct arus_text lines,
                               struct arus_error *err)
{
    struct arus_log_grower *grower = &log->grower;
    enum arus_status status;

    if (grower->target < 0) {
        const int64_t next = log->newest + 1;
        const int64_t target = next / log->interval * log->interval + log->interval - 1;

        if (log->add_count < 2 && target - log->newest > LOOK_AHEAD) {
            return ARUS_OK;
        }
        status = start_growing(log, err); /* takes this entry's lines from its file */
    } else if (id == grower->target) {
        return ARUS_OK;
    } else {
        status = arus_buffer_append_text(&grower->pending, lines, err);
        if (status == ARUS_OK) {
            status = drain(log, false, err);
        }
    }
    if (status != ARUS_OK) {
        stop_growing(log);
    }
    return status;
}

static enum arus_status finish_growing(struct arus_log *log, struct arus_text lines,
                                       struct arus_error *err)
{
    struct arus_log_grower *grower = &log->grower;

    ARUS_TRY(drain(log, true, err));
    ARUS_TRY(append_lines(log, &grower->file, lines, err));
    return arus_file_close(&grower->file, err);
}

enum arus_status arus_log_compact(struct arus_log *log, int64_t id, struct arus_text lines,
                                  bool *exists, struct arus_error *err)
{
    struct arus_log_grower *grower = &log->grower;
    struct arus_path path;
    enum arus_status status = ARUS_OK;

    *exists = false;
    ARUS_TRY(arus_log_path(&path, log->folder.text, id, true, err));
    if (id <= log->newest) {
        *exists = true;
        return ARUS_OK;
    }
    ARUS_TRY(arus_log_remove_crc(path.text, err));
    if (grower->target != id) {
        stop_growing(log);
        status = start_growing(log, err);
    }
    if (status == ARUS_OK) {
        status = finish_growing(log, lines, err);
    }
    if (status == ARUS_OK) {
        arus_failpoint_reach(log->kind == ARUS_LOG_SINK ? ARUS_FAILPOINT_DURING_SINK_COMPACTION
                                                        : ARUS_FAILPOINT_DURING_SOURCE_COMPACTION,
                             log->kind == ARUS_LOG_SINK ? id : log->set->batch_id);
        status = arus_file_rename_new(grower->path.text, path.text, exists, err);
    }
    if (status != ARUS_OK || *exists) {
        stop_growing(log);
    }
    grower->target = -1;
    return status;
}

void arus_log_grower_release(struct arus_log *log)
{
    stop_growing(log);
    arus_background_close(log->grower.background);
    arus_buffer_release(&log->grower.pending);
}

/* ---- expiry ---- */

/** Syncs the compact that replaces, then removes what it replaces. */
static enum arus_status expire_job(void *self, struct arus_error *err)
{
    struct arus_log *log = (struct arus_log *)self;
    const struct arus_buffer *names = &log->expiring;
    const char *compact = names->data;

    ARUS_TRY(arus_file_sync_path(compact, err));
    ARUS_TRY(arus_folder_sync(log->folder.text, err));
    arus_failpoint_reach(ARUS_FAILPOINT_BEFORE_EXPIRY, log->expiring_batch);
    for (size_t i = strlen(compact) + 1; i < names->size; i += strlen(names->data + i) + 1) {
        ARUS_TRY(arus_file_remove(names->data + i, err));
        ARUS_TRY(arus_log_remove_crc(names->data + i, err));
    }
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_EXPIRY, log->expiring_batch);
    return ARUS_OK;
}

/** Has the file been there long enough for every reader that began with it? */
static enum arus_status is_old(const struct arus_log *log, const char *path, int64_t now_ms,
                               bool *out, struct arus_error *err)
{
    const int64_t delay_ms = log->kind == ARUS_LOG_SINK ? log->set->config.sink_log_delay_ms
                                                        : log->set->config.source_log_delay_ms;
    struct arus_file_info info;

    ARUS_TRY(arus_file_stat(path, &info, err));
    *out = now_ms - arus_file_mtime_ms(&info) > delay_ms || info.kind == ARUS_FILE_NONE;
    return ARUS_OK;
}

/** Fast batches would pile up old compacts for the ten minutes; readers list again when a file is
 * gone. */
static enum arus_status is_too_much(const struct arus_log *log, const char *compact, int64_t cut,
                                    bool *out, struct arus_error *err)
{
    const int64_t first = arus_log_listing_at(&log->files, log->expired_count).id;
    struct arus_file_info info;

    ARUS_TRY(arus_file_stat(compact, &info, err));
    *out = (uint64_t)((cut - first) / log->interval) * info.size > SUPERSEDED_SIZE_MAX;
    return ARUS_OK;
}

/** The id below which files may go; -1: none. Formats 2.4. */
static int64_t expiry_cut(const struct arus_log *log)
{
    const int64_t interval = log->interval;
    const int64_t kept_from = log->newest + 1 - log->set->config.batches_retained;

    return interval > kept_from ? -1 : kept_from - kept_from % interval - 1;
}

static enum arus_status collect_expired(struct arus_log *log, int64_t cut, struct arus_error *err)
{
    const size_t count = arus_log_listing_count(&log->files);
    const int64_t now_ms = arus_clock_wall_ms();
    struct arus_path path;
    bool is_pressing;

    ARUS_TRY(arus_log_path(&path, log->folder.text, cut, true, err));
    ARUS_TRY(is_too_much(log, path.text, cut, &is_pressing, err));
    ARUS_TRY(arus_buffer_append(&log->expiring, path.text, strlen(path.text) + 1, err));
    while (log->expired_count < count) {
        const struct arus_log_file file = arus_log_listing_at(&log->files, log->expired_count);
        bool goes;

        if (file.id >= cut) {
            break;
        }
        ARUS_TRY(arus_log_path(&path, log->folder.text, file.id, file.is_compact, err));
        ARUS_TRY(is_old(log, path.text, now_ms, &goes, err));
        if (!goes && !is_pressing) {
            break;
        }
        ARUS_TRY(arus_buffer_append(&log->expiring, path.text, strlen(path.text) + 1, err));
        log->expired_count++;
    }
    return ARUS_OK;
}

/** Forgets the entries before expired_count now and then. */
static void shorten(struct arus_log *log)
{
    const size_t gone = log->expired_count * sizeof(struct arus_log_file);

    if (log->expired_count >= 1024) {
        memmove(log->files.items.data, log->files.items.data + gone, log->files.items.size - gone);
        log->files.items.size -= gone;
        log->expired_count = 0;
    }
}

enum arus_status arus_log_expire(struct arus_log *log, struct arus_error *err)
{
    const bool keeps = log->kind == ARUS_LOG_SINK ? log->set->config.keeps_sink_log
                                                  : log->set->config.keeps_source_log;
    const int64_t cut = expiry_cut(log);
    const size_t before = log->expired_count;

    if (keeps || cut < 0 || log->expired_count >= arus_log_listing_count(&log->files) ||
        arus_log_listing_at(&log->files, log->expired_count).id >= cut) {
        return ARUS_OK;
    }
    if (log->expirer == NULL) {
        ARUS_TRY(arus_background_open(&log->expirer, err));
    }
    if (!arus_background_is_done(log->expirer)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_background_wait(log->expirer, err));
    arus_buffer_reset(&log->expiring);
    ARUS_TRY(collect_expired(log, cut, err));
    if (log->expired_count == before) {
        return ARUS_OK;
    }
    shorten(log);
    log->expiring_batch = log->set->batch_id;
    return arus_background_start(log->expirer, expire_job, log, err);
}

enum arus_status arus_log_expire_last(struct arus_log *log, struct arus_error *err)
{
    if (log->expirer != NULL) {
        ARUS_TRY(arus_background_wait(log->expirer, err));
    }
    ARUS_TRY(arus_log_expire(log, err));
    return log->expirer == NULL ? ARUS_OK : arus_background_wait(log->expirer, err);
}
