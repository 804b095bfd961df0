#include "journal/backup.h"

#include "journal/rewind_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct backup {
    const char *from;
    const char *shown;
    struct arus_path to;     /* under its temporary name */
    struct arus_store *copy; /* the journal, copied */
    struct arus_arena arena; /* of `plan` */
    struct arus_batch_plan plan;
    int64_t newest;
    uint64_t size;
};

/* ---- one file, one folder ---- */

/* One that is gone is fine: the running query has let it go, or the journal has it. */
static enum arus_status copy_file(struct backup *backup, const char *below, const char *name,
                                  struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path from;
    struct arus_path to;
    bool is_missing = true;
    enum arus_status status;

    ARUS_TRY(arus_path_format(&from, err, "%s/%s/%s", backup->from, below, name));
    ARUS_TRY(arus_path_format(&to, err, "%s/%s/%s", backup->to.text, below, name));
    status = arus_file_read(from.text, &content, &is_missing, err);
    if (status == ARUS_OK && !is_missing) {
        status = arus_file_replace(to.text, arus_buffer_text(&content), err);
    }
    if (status == ARUS_OK && !is_missing) {
        status = arus_file_sync_path(to.text, err);
        backup->size += content.size;
    }
    arus_buffer_release(&content);
    return status;
}

/* The number in a name: `7`, `9.compact`, `batch-0000000004-..`; -1: none. */
static int64_t number_of(const char *name)
{
    const char *digits = strncmp(name, "batch-", 6) == 0 ? name + 6 : name;

    return digits[0] >= '0' && digits[0] <= '9' ? strtoll(digits, NULL, 10) : -1;
}

/* Files with a number of at most `last`. */
static enum arus_status copy_numbered(struct backup *backup, const char *below, int64_t last,
                                      struct arus_error *err)
{
    struct arus_folder folder;
    struct arus_path path;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_path_join(&path, backup->from, below, err));
    ARUS_TRY(arus_folder_open(&folder, path.text, &is_missing, err));
    if (is_missing) {
        return ARUS_OK;
    }
    status = arus_path_join(&path, backup->to.text, below, err);
    if (status == ARUS_OK) {
        status = arus_folder_make(path.text, NULL, err);
    }
    while (status == ARUS_OK) {
        enum arus_file_kind kind;
        const char *name;

        status = arus_folder_next(&folder, &name, &kind, err);
        if (status != ARUS_OK || name == NULL) {
            break;
        }
        if (number_of(name) >= 0 && number_of(name) <= last) {
            status = copy_file(backup, below, name, err);
        }
    }
    arus_folder_close(&folder);
    return status == ARUS_OK ? arus_folder_sync(path.text, err) : status;
}

/* ---- parts of a checkpoint ---- */

static enum arus_status copy_journal(struct backup *backup, struct arus_error *err)
{
    static const char *const NAMES[] = {"state", ".arus"};

    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        struct arus_store *store = NULL;
        struct arus_path from;
        struct arus_path to;
        enum arus_status status;

        ARUS_TRY(arus_path_join(&from, backup->from, NAMES[i], err));
        ARUS_TRY(arus_path_join(&to, backup->to.text, NAMES[i], err));
        ARUS_TRY(arus_store_open(from.text, ARUS_STORE_READ, &store, err));
        if (store == NULL) {
            continue;
        }
        status = arus_folder_make(to.text, NULL, err);
        if (status == ARUS_OK) {
            status = arus_store_copy(store, to.text, err);
        }
        arus_store_close(store);
        ARUS_TRY(status);
        ARUS_TRY(arus_store_open(to.text, ARUS_STORE_READ, &backup->copy, err));
        backup->size += arus_store_size(backup->copy);
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_MISMATCH, "ARUS_NOT_A_CHECKPOINT",
                     "%s has no journal: arus has made no batch on it", backup->shown);
}

static enum arus_status read_plan(struct backup *backup, struct arus_error *err)
{
    struct arus_stored_batch batch;
    int64_t oldest;
    bool is_found = false;

    ARUS_TRY(arus_record_range(backup->copy, &oldest, &backup->newest, err));
    if (backup->newest < 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_SUCH_BATCH", "no batch yet");
    }
    ARUS_TRY(arus_record_get(backup->copy, backup->newest, &backup->arena, &batch, &is_found, err));
    backup->plan = batch.record.plan;
    return ARUS_OK;
}

static enum arus_status has_log(struct backup *backup, const char wanted[ARUS_LOG_KEY_SIZE],
                                bool *out, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE] = {0};
    bool is_found = true;

    *out = false;
    while (is_found && !*out) {
        ARUS_TRY(arus_rewind_next_log(backup->copy, key, &is_found, err));
        *out = is_found && memcmp(key, wanted, sizeof key) == 0;
    }
    return ARUS_OK;
}

/* Logs of files up to where the batch read; other sources keep where they began. */
static enum arus_status copy_source(struct backup *backup, size_t index, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE] = {'s'};
    struct arus_path below;
    bool is_log;

    arus_store_key_u64(key + 1, index);
    ARUS_TRY(has_log(backup, key, &is_log, err));
    ARUS_TRY(arus_path_format(&below, err, "sources/%zu", index));
    return copy_numbered(backup, below.text,
                         is_log ? arus_rewind_last_kept(key, &backup->plan) : INT64_MAX, err);
}

static enum arus_status copy_sources(struct backup *backup, struct arus_error *err)
{
    struct arus_path path;

    ARUS_TRY(arus_path_join(&path, backup->to.text, "sources", err));
    ARUS_TRY(arus_folder_make(path.text, NULL, err));
    for (size_t i = 0; i < backup->plan.offset_count; i++) {
        ARUS_TRY(copy_source(backup, i, err));
    }
    return arus_folder_sync(path.text, err);
}

static enum arus_status write_text(struct backup *backup, const char *kind, int64_t id,
                                   struct arus_text content, struct arus_error *err)
{
    struct arus_path path;

    ARUS_TRY(arus_path_format(&path, err, "%s/%s/%" PRId64, backup->to.text, kind, id));
    ARUS_TRY(arus_file_replace(path.text, content, err));
    backup->size += content.size;
    return arus_file_sync_path(path.text, err);
}

static enum arus_status write_batch(struct backup *backup, int64_t id, struct arus_error *err)
{
    struct arus_stored_batch batch;
    struct arus_buffer commit = {0};
    struct arus_arena arena = {0};
    bool is_found = false;
    enum arus_status status = arus_record_get(backup->copy, id, &arena, &batch, &is_found, err);

    if (status == ARUS_OK && is_found) {
        status = write_text(backup, "offsets", id, batch.offsets_text, err);
    }
    if (status == ARUS_OK && is_found && id < backup->newest) {
        status = arus_commit_format(&commit, batch.record.next_watermark_ms, err);
        if (status == ARUS_OK) {
            status = write_text(backup, "commits", id, arus_buffer_text(&commit), err);
        }
    }
    arus_buffer_release(&commit);
    arus_arena_release(&arena);
    return status;
}

/* From the copied journal: the running query may have purged the files meanwhile. Only whether the
 * newest batch was given out is not yet in there. */
static enum arus_status write_batches(struct backup *backup, struct arus_error *err)
{
    static const char *const KINDS[] = {"offsets", "commits"};
    struct arus_path path;
    int64_t oldest;
    int64_t newest;
    char name[24];

    ARUS_TRY(arus_record_range(backup->copy, &oldest, &newest, err));
    for (size_t k = 0; k < 2; k++) {
        ARUS_TRY(arus_path_join(&path, backup->to.text, KINDS[k], err));
        ARUS_TRY(arus_folder_make(path.text, NULL, err));
    }
    for (int64_t id = oldest; id <= newest; id++) {
        ARUS_TRY(write_batch(backup, id, err));
    }
    (void)snprintf(name, sizeof name, "%" PRId64, newest);
    ARUS_TRY(copy_file(backup, "commits", name, err));
    for (size_t k = 0; k < 2; k++) {
        ARUS_TRY(arus_path_join(&path, backup->to.text, KINDS[k], err));
        ARUS_TRY(arus_folder_sync(path.text, err));
    }
    return ARUS_OK;
}

static enum arus_status copy_all(struct backup *backup, struct arus_error *err)
{
    /* Of a prepared batch: a file that leaves .staging meanwhile is found under its final name. */
    static const char *const BY_BATCH[] = {"late/.staging", "late", "rejects/.staging", "rejects",
                                           ".arus.spool"};

    ARUS_TRY(arus_folder_make(backup->to.text, NULL, err));
    ARUS_TRY(copy_journal(backup, err));
    ARUS_TRY(read_plan(backup, err));
    ARUS_TRY(write_batches(backup, err));
    for (size_t i = 0; i < sizeof BY_BATCH / sizeof BY_BATCH[0]; i++) {
        ARUS_TRY(copy_numbered(backup, BY_BATCH[i], backup->newest, err));
    }
    ARUS_TRY(copy_sources(backup, err));
    ARUS_TRY(copy_file(backup, ".", "metadata", err));
    return arus_folder_sync(backup->to.text, err);
}

/* ---- the target ---- */

static enum arus_status check_target(const char *target, struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_file_kind kind;
    const char *name = NULL;
    struct arus_file_info info;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_file_stat(target, &info, err));
    if (info.kind == ARUS_FILE_NONE) {
        return ARUS_OK;
    }
    if (info.kind == ARUS_FILE_FOLDER) {
        ARUS_TRY(arus_folder_open(&folder, target, &is_missing, err));
        status = arus_folder_next(&folder, &name, &kind, err);
        arus_folder_close(&folder);
        if (status != ARUS_OK || name == NULL) {
            return status;
        }
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_TARGET_NOT_EMPTY",
                     info.kind == ARUS_FILE_FOLDER ? "not empty, nothing written"
                                                   : "a file, nothing written");
}

/* All of it gets its name at once. */
static enum arus_status put_in_place(const struct backup *backup, const char *target,
                                     struct arus_error *err)
{
    struct arus_path parent;

    ARUS_TRY(arus_folder_remove(target, err)); /* an empty one */
    ARUS_TRY(arus_file_rename(backup->to.text, target, err));
    arus_path_parent(&parent, target);
    return arus_folder_sync(parent.text, err);
}

enum arus_status arus_checkpoint_backup(const char *folder, const char *shown, const char *target,
                                        struct arus_backup_report *out, struct arus_error *err)
{
    struct backup backup = {.from = folder, .shown = shown};
    struct arus_error ignored;
    enum arus_status status;

    ARUS_TRY(check_target(target, err));
    ARUS_TRY(arus_path_format(&backup.to, err, "%s.arus.tmp", target));
    ARUS_TRY(arus_folder_remove_all(backup.to.text, err)); /* of one that a crash interrupted */
    status = copy_all(&backup, err);
    arus_store_close(backup.copy);
    arus_arena_release(&backup.arena);
    if (status == ARUS_OK) {
        status = put_in_place(&backup, target, err);
    }
    if (status != ARUS_OK) {
        arus_ignore(arus_folder_remove_all(backup.to.text, &ignored));
        return status;
    }
    *out = (struct arus_backup_report){backup.newest, backup.size};
    return ARUS_OK;
}
