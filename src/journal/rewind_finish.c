/** Carrying out a decided rewind: each step may be done again from the beginning. */
#include "base/failpoint.h"
#include "journal/held_internal.h"
#include "journal/plan_file.h"
#include "journal/rewind_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_SIZE 24

/* ---- the intent ---- */

/* to, newest, size of the sink's path: 8 bytes each; the path; the parts */
enum arus_status arus_rewind_put_intent(struct arus_store_write *write,
                                        const struct arus_rewind_intent *intent,
                                        struct arus_error *err)
{
    const struct arus_text sink = arus_text_of(intent->sink.text);
    struct arus_buffer bytes = {0};
    char head[HEAD_SIZE];
    enum arus_status status;

    arus_store_key_u64(head, (uint64_t)intent->to);
    arus_store_key_u64(head + 8, (uint64_t)intent->newest);
    arus_store_key_u64(head + 16, sink.size);
    status = arus_buffer_append(&bytes, head, sizeof head, err);
    if (status == ARUS_OK) {
        status = arus_buffer_append_text(&bytes, sink, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_text(&bytes, arus_buffer_text(&intent->parts), err);
    }
    if (status == ARUS_OK) {
        status = arus_store_put_copy(write, ARUS_STORE_META, ARUS_TEXT(ARUS_META_REWIND),
                                     arus_buffer_text(&bytes), err);
    }
    arus_buffer_release(&bytes);
    return status;
}

static enum arus_status take_intent(struct arus_text text, struct arus_rewind_intent *out,
                                    struct arus_error *err)
{
    const uint64_t size = text.size < HEAD_SIZE ? UINT64_MAX : arus_store_key_read(text.data + 16);

    if (size > text.size - HEAD_SIZE || size >= sizeof out->sink.text) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_JOURNAL_DAMAGED",
                         "the journal's note of a rewind is damaged");
    }
    out->to = (int64_t)arus_store_key_read(text.data);
    out->newest = (int64_t)arus_store_key_read(text.data + 8);
    memcpy(out->sink.text, text.data + HEAD_SIZE, size);
    return arus_buffer_append(&out->parts, text.data + HEAD_SIZE + size,
                              text.size - HEAD_SIZE - size, err);
}

static enum arus_status get_intent(struct arus_store *store, struct arus_rewind_intent *out,
                                   bool *is_found, struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_text text;
    enum arus_status status = arus_meta_text(store, ARUS_META_REWIND, &arena, &text, is_found, err);

    if (status == ARUS_OK && *is_found) {
        status = take_intent(text, out, err);
    }
    arus_arena_release(&arena);
    return status;
}

/* ---- files ---- */

struct finishing {
    const char *folder;
    const char *shown;
    const char *journal;
    struct arus_store *store;
    struct arus_rewind_intent intent;
    struct arus_stored_batch batch; /* the one that becomes the newest */
    struct arus_arena arena;        /* of batch */
    struct arus_buffer folders;     /* of removed files, to be synced; each ends with NUL */
    int64_t removed_count;
};

static enum arus_status remove_file(struct finishing *finishing, const char *path,
                                    struct arus_error *err)
{
    ARUS_TRY(arus_file_remove(path, err));
    ARUS_TRY(arus_log_remove_crc(path, err));
    arus_failpoint_reach(ARUS_FAILPOINT_DURING_REWIND, finishing->removed_count++);
    return ARUS_OK;
}

static enum arus_status fail_ahead(const struct finishing *finishing, const char *path,
                                   struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "CONCURRENT_STREAM_LOG_UPDATE",
                          "%s was written while going back to batch %" PRId64 " was not finished",
                          path, finishing->intent.to));
    return arus_error_help(err,
                           "another program went on with %s; remove what it added, or put a "
                           "backup back",
                           finishing->shown);
}

/* Files of a numbered log behind `kept`, newest first: what is left is a whole log at any time. */
static enum arus_status cut_log(struct finishing *finishing, const char *folder, int64_t kept,
                                int64_t newest, struct arus_error *err)
{
    struct arus_log_listing listing;
    bool is_missing;
    enum arus_status status = arus_log_list(folder, true, &listing, &is_missing, err);

    for (size_t i = status == ARUS_OK ? arus_log_listing_count(&listing) : 0;
         i > 0 && status == ARUS_OK; i--) {
        const struct arus_log_file file = arus_log_listing_at(&listing, i - 1);
        struct arus_path path;

        if (file.id <= kept) {
            break;
        }
        status = arus_log_path(&path, folder, file.id, file.is_compact, err);
        if (status == ARUS_OK && file.id > newest) {
            status = fail_ahead(finishing, path.text, err);
        }
        if (status == ARUS_OK) {
            status = remove_file(finishing, path.text, err);
        }
    }
    arus_log_listing_release(&listing);
    ARUS_TRY(status);
    return is_missing ? ARUS_OK : arus_folder_sync(folder, err);
}

static enum arus_status cut_text(struct finishing *finishing, const char *kind, int64_t newest,
                                 struct arus_error *err)
{
    struct arus_path path;

    ARUS_TRY(arus_path_join(&path, finishing->folder, kind, err));
    return cut_log(finishing, path.text, finishing->intent.to, newest, err);
}

static enum arus_status cut_sources(struct finishing *finishing, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE] = {0};
    bool is_found = true;

    for (;;) {
        struct arus_path path;

        ARUS_TRY(arus_rewind_next_log(finishing->store, key, &is_found, err));
        if (!is_found) {
            return ARUS_OK;
        }
        if (key[0] != 's') {
            continue;
        }
        ARUS_TRY(arus_path_format(&path, err, "%s/sources/%" PRIu64, finishing->folder,
                                  arus_store_key_read(key + 1)));
        ARUS_TRY(cut_log(finishing, path.text,
                         arus_rewind_last_kept(key, &finishing->batch.record.plan), INT64_MAX,
                         err));
    }
}

/* ---- the sink ---- */

static enum arus_status note_folder(struct finishing *finishing, const char *path,
                                    struct arus_error *err)
{
    const struct arus_buffer *all = &finishing->folders;
    struct arus_path parent;
    size_t at = 0;

    arus_path_parent(&parent, path);
    while (at < all->size && strcmp(all->data + at, parent.text) != 0) {
        at += strlen(all->data + at) + 1;
    }
    return at < all->size
               ? ARUS_OK
               : arus_buffer_append(&finishing->folders, parent.text, strlen(parent.text) + 1, err);
}

static enum arus_status remove_parts(struct finishing *finishing, struct arus_error *err)
{
    const struct arus_buffer *parts = &finishing->intent.parts;

    for (size_t at = 0; at < parts->size; at += strlen(parts->data + at) + 1) {
        ARUS_TRY(note_folder(finishing, parts->data + at, err));
        ARUS_TRY(remove_file(finishing, parts->data + at, err));
    }
    return ARUS_OK;
}

static enum arus_status sync_folders(const struct finishing *finishing, struct arus_error *err)
{
    const struct arus_buffer *all = &finishing->folders;

    for (size_t at = 0; at < all->size; at += strlen(all->data + at) + 1) {
        struct arus_file_info info;

        ARUS_TRY(arus_file_stat(all->data + at, &info, err));
        if (info.kind == ARUS_FILE_FOLDER) {
            ARUS_TRY(arus_folder_sync(all->data + at, err));
        }
    }
    return ARUS_OK;
}

/* First the log, then what it named: a reader never misses a file. */
static enum arus_status cut_sink(struct finishing *finishing, struct arus_error *err)
{
    struct arus_path log;

    ARUS_TRY(arus_path_join(&log, finishing->intent.sink.text, "_spark_metadata", err));
    ARUS_TRY(cut_log(finishing, log.text, finishing->intent.to, finishing->intent.newest, err));
    ARUS_TRY(remove_parts(finishing, err));
    return sync_folders(finishing, err);
}

static enum arus_status cut_locked_sink(struct finishing *finishing, struct arus_error *err)
{
    const char *sink = finishing->intent.sink.text;
    struct arus_file_info info;
    struct arus_lock lock = {0};
    struct arus_path log;
    enum arus_status status;

    ARUS_TRY(arus_path_join(&log, sink, "_spark_metadata", err));
    ARUS_TRY(arus_file_stat(log.text, &info, err));
    if (info.kind != ARUS_FILE_FOLDER) {
        return ARUS_OK; /* the user moved the sink away */
    }
    ARUS_TRY(arus_lock_take(&lock, log.text, ".arus.lock", sink, err));
    status = cut_sink(finishing, err);
    arus_lock_drop(&lock);
    return status;
}

/* ---- side tables: CKPT/late/batch-0000000004-.. ---- */

static enum arus_status cut_side(struct finishing *finishing, const char *name,
                                 struct arus_error *err)
{
    struct arus_folder folder;
    struct arus_path path;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_path_join(&path, finishing->folder, name, err));
    ARUS_TRY(arus_folder_open(&folder, path.text, &is_missing, err));
    for (;;) {
        enum arus_file_kind kind;
        struct arus_path child;
        const char *entry;

        status = arus_folder_next(&folder, &entry, &kind, err);
        if (status != ARUS_OK || entry == NULL) {
            break;
        }
        if (strncmp(entry, "batch-", 6) == 0 &&
            strtoll(entry + 6, NULL, 10) > finishing->intent.to) {
            status = arus_path_join(&child, path.text, entry, err);
            status = status == ARUS_OK ? remove_file(finishing, child.text, err) : status;
        }
        if (status != ARUS_OK) {
            break;
        }
    }
    arus_folder_close(&folder);
    ARUS_TRY(status);
    return is_missing ? ARUS_OK : arus_folder_sync(path.text, err);
}

/* ---- the journal ---- */

static enum arus_status cut_journal_log(const char key[ARUS_LOG_KEY_SIZE], int64_t kept,
                                        struct arus_store_write *write, struct arus_error *err)
{
    char from[ARUS_LOG_KEY_SIZE + 8];
    char to[ARUS_LOG_KEY_SIZE + 8];

    memcpy(from, key, ARUS_LOG_KEY_SIZE);
    memcpy(to, key, ARUS_LOG_KEY_SIZE);
    arus_store_key_u64(from + ARUS_LOG_KEY_SIZE, (uint64_t)(kept + 1));
    arus_store_key_u64(to + ARUS_LOG_KEY_SIZE, INT64_MAX);
    ARUS_TRY(arus_store_delete_range(write, ARUS_STORE_LOG, (struct arus_text){from, sizeof from},
                                     (struct arus_text){to, sizeof to}, err));
    return arus_held_cut(key, kept + 1, INT64_MAX, write, err);
}

static enum arus_status put_end(struct finishing *finishing, struct arus_store_write *write,
                                struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE] = {0};
    bool is_found = true;
    char from[8];
    char to[8];

    arus_store_key_u64(from, (uint64_t)(finishing->intent.to + 1));
    arus_store_key_u64(to, INT64_MAX);
    ARUS_TRY(arus_store_delete_range(write, ARUS_STORE_BATCH, (struct arus_text){from, sizeof from},
                                     (struct arus_text){to, sizeof to}, err));
    for (;;) {
        ARUS_TRY(arus_rewind_next_log(finishing->store, key, &is_found, err));
        if (!is_found) {
            break;
        }
        ARUS_TRY(cut_journal_log(key, arus_rewind_last_kept(key, &finishing->batch.record.plan),
                                 write, err));
    }
    ARUS_TRY(arus_meta_put_number(write, ARUS_META_PUBLISHED, finishing->intent.to, err));
    return arus_store_delete(write, ARUS_STORE_META, ARUS_TEXT(ARUS_META_REWIND), err);
}

static enum arus_status end(struct finishing *finishing, struct arus_error *err)
{
    struct arus_store_write write = {0};
    enum arus_status status;

    ARUS_TRY(arus_plan_file_remove(finishing->journal, err));
    arus_failpoint_reach(ARUS_FAILPOINT_BEFORE_REWIND_END, finishing->intent.to);
    status = put_end(finishing, &write, err);
    if (status == ARUS_OK) {
        status = arus_store_commit(finishing->store, &write, err);
    }
    arus_store_write_release(&write);
    return status;
}

/* ---- all of it ---- */

static enum arus_status carry_out(struct finishing *finishing, struct arus_error *err)
{
    const int64_t newest = finishing->intent.newest;
    bool is_found;

    ARUS_TRY(arus_record_get(finishing->store, finishing->intent.to, &finishing->arena,
                             &finishing->batch, &is_found, err));
    if (!is_found) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_JOURNAL_DAMAGED",
                         "%s: batch %" PRId64 ", to which it goes back, is missing in the journal",
                         finishing->shown, finishing->intent.to);
    }
    if (finishing->intent.sink.text[0] != '\0') {
        ARUS_TRY(cut_locked_sink(finishing, err));
    }
    ARUS_TRY(cut_side(finishing, "late", err));
    ARUS_TRY(cut_side(finishing, "rejects", err));
    ARUS_TRY(cut_text(finishing, "commits", newest, err));
    ARUS_TRY(cut_text(finishing, "offsets", newest + 1, err)); /* one may have been planned */
    ARUS_TRY(cut_sources(finishing, err));
    return end(finishing, err);
}

enum arus_status arus_rewind_finish(const char *folder, const char *shown, const char *journal,
                                    struct arus_store *store, const struct arus_logger *logger,
                                    struct arus_error *err)
{
    struct finishing finishing = {
        .folder = folder, .shown = shown, .journal = journal, .store = store};
    bool is_found;
    enum arus_status status;

    status = get_intent(store, &finishing.intent, &is_found, err);
    if (status != ARUS_OK || !is_found) {
        arus_buffer_release(&finishing.intent.parts);
        return status;
    }
    status = carry_out(&finishing, err);
    arus_buffer_release(&finishing.intent.parts);
    arus_buffer_release(&finishing.folders);
    arus_arena_release(&finishing.arena);
    if (status == ARUS_OK) {
        arus_logger_print(logger, ARUS_LOG_NOTICE,
                          "%s: going back to batch %" PRId64 ", which was interrupted, is finished",
                          shown, finishing.intent.to);
    }
    return status;
}
