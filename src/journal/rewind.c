/** Whether a checkpoint can go back, and the decision that it does. */
#include "journal/rewind.h"

#include "base/alloc.h"
#include "base/failpoint.h"
#include "base/hash.h"
#include "journal/rewind_internal.h"

#include <inttypes.h>
#include <string.h>

struct arus_rewind {
    struct arus_path folder;
    struct arus_path shown;
    struct arus_path journal;
    struct arus_lock lock;
    struct arus_store *store;
    const struct arus_logger *logger;
};

/* ---- logs in the journal ---- */

void arus_rewind_sink_key(const char *folder, char out[ARUS_LOG_KEY_SIZE])
{
    out[0] = 'k';
    arus_store_key_u64(out + 1, arus_hash_bytes(folder, strlen(folder), 0));
}

enum arus_status arus_rewind_next_log(struct arus_store *store, char key[ARUS_LOG_KEY_SIZE],
                                      bool *is_found, struct arus_error *err)
{
    char from[ARUS_LOG_KEY_SIZE + 8];
    struct arus_store_cursor cursor = {0};
    struct arus_store_read read;
    struct arus_text name;
    struct arus_text value;
    enum arus_status status;
    bool is_end = true;

    memcpy(from, key, ARUS_LOG_KEY_SIZE);
    memset(from + ARUS_LOG_KEY_SIZE, 0xff, 8); /* behind all of its entries */
    ARUS_TRY(arus_store_read_begin(store, &read, err));
    status = arus_store_cursor_open(&read, ARUS_STORE_LOG, (struct arus_text){from, sizeof from},
                                    &cursor, err);
    if (status == ARUS_OK) {
        status = arus_store_cursor_next(&cursor, &name, &value, &is_end, err);
    }
    *is_found = status == ARUS_OK && !is_end && name.size == ARUS_LOG_KEY_SIZE + 8;
    if (*is_found) {
        memcpy(key, name.data, ARUS_LOG_KEY_SIZE);
    }
    arus_store_cursor_close(&cursor);
    arus_store_read_end(&read);
    return status;
}

enum arus_status arus_rewind_each_entry(struct arus_store *store, const char key[ARUS_LOG_KEY_SIZE],
                                        int64_t after, arus_rewind_entry_fn fn, void *self,
                                        struct arus_error *err)
{
    char from[ARUS_LOG_KEY_SIZE + 8];
    struct arus_store_cursor cursor = {0};
    struct arus_store_read read;
    enum arus_status status;

    memcpy(from, key, ARUS_LOG_KEY_SIZE);
    arus_store_key_u64(from + ARUS_LOG_KEY_SIZE, (uint64_t)(after + 1));
    ARUS_TRY(arus_store_read_begin(store, &read, err));
    status = arus_store_cursor_open(&read, ARUS_STORE_LOG, (struct arus_text){from, sizeof from},
                                    &cursor, err);
    while (status == ARUS_OK) {
        struct arus_log_sum sum;
        struct arus_text name;
        struct arus_text value;
        struct arus_text lines;
        struct arus_text detail;
        bool is_end;

        status = arus_store_cursor_next(&cursor, &name, &value, &is_end, err);
        if (status != ARUS_OK || is_end || memcmp(name.data, key, ARUS_LOG_KEY_SIZE) != 0) {
            break;
        }
        if (arus_log_open_value(value, &sum, &lines, &detail)) {
            status = fn(self, (int64_t)arus_store_key_read(name.data + ARUS_LOG_KEY_SIZE), lines,
                        detail, err);
        }
    }
    arus_store_cursor_close(&cursor);
    arus_store_read_end(&read);
    return status;
}

int64_t arus_rewind_last_kept(const char key[ARUS_LOG_KEY_SIZE], const struct arus_batch_plan *plan)
{
    const uint64_t index = arus_store_key_read(key + 1);

    if (key[0] != 's') {
        return plan->batch_id; /* a sink's entries count batches */
    }
    return index < plan->offset_count ? arus_offset_log_id(plan->offsets[index]) : -1;
}

/* ---- opening ---- */

static enum arus_status fail_no_journal(const struct arus_rewind *rewind, struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_REWIND_REFUSED",
                          "%s has no journal: arus has made no batch on it", rewind->shown.text));
    return arus_error_help(err, "run the query once with arus: then what Spark made can be taken "
                                "back too");
}

static enum arus_status open_store(struct arus_rewind *rewind, struct arus_error *err)
{
    static const char *const NAMES[] = {"state", ".arus"};

    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        ARUS_TRY(arus_path_join(&rewind->journal, rewind->folder.text, NAMES[i], err));
        if (arus_store_exists(rewind->journal.text)) {
            return arus_store_open(rewind->journal.text, ARUS_STORE_WRITE, &rewind->store, err);
        }
    }
    return fail_no_journal(rewind, err);
}

static enum arus_status open_parts(struct arus_rewind *rewind, const char *folder,
                                   const char *shown, struct arus_error *err)
{
    ARUS_TRY(arus_path_format(&rewind->folder, err, "%s", folder));
    ARUS_TRY(arus_path_format(&rewind->shown, err, "%s", shown));
    ARUS_TRY(arus_lock_take(&rewind->lock, folder, ARUS_CHECKPOINT_LOCK, shown, err));
    ARUS_TRY(open_store(rewind, err));
    return arus_rewind_finish(folder, shown, rewind->journal.text, rewind->store, rewind->logger,
                              err);
}

enum arus_status arus_rewind_open(const char *folder, const char *shown,
                                  const struct arus_logger *logger, struct arus_rewind **out,
                                  struct arus_error *err)
{
    struct arus_rewind *rewind = arus_alloc(1, sizeof *rewind);
    enum arus_status status;

    *out = NULL;
    if (rewind == NULL) {
        return arus_fail_memory(err);
    }
    rewind->logger = logger;
    status = open_parts(rewind, folder, shown, err);
    if (status != ARUS_OK) {
        arus_rewind_close(rewind);
        return status;
    }
    *out = rewind;
    return ARUS_OK;
}

struct arus_store *arus_rewind_store(struct arus_rewind *rewind)
{
    return rewind->store;
}

void arus_rewind_close(struct arus_rewind *rewind)
{
    if (rewind != NULL) {
        arus_store_close(rewind->store);
        arus_lock_drop(&rewind->lock);
        arus_free(rewind);
    }
}

/* ---- checking ---- */

/* The newest batch of the journal may be chosen when the sink is ahead of it. */
static enum arus_status check_range(const struct arus_rewind *rewind, int64_t to,
                                    const struct arus_rewind_extent *extent, struct arus_error *err)
{
    const int64_t last = extent->newest > extent->known ? extent->known : extent->known - 1;
    int64_t oldest;
    int64_t newest;

    ARUS_TRY(arus_record_range(rewind->store, &oldest, &newest, err));
    if (newest < 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_SUCH_BATCH", "no batch yet");
    }
    if (oldest > last) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_SUCH_BATCH",
                         "the newest batch is %" PRId64 ", and no older one is kept", newest);
    }
    if (to < oldest && to >= 0) {
        arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_SUCH_BATCH",
                              "batch %" PRId64 " is not kept any more; choose %s", to,
                              arus_range_label(oldest, last).text));
        return arus_error_help(err, "keep more of them from now on: TBLPROPERTIES "
                                    "(minBatchesToRetain '1000')");
    }
    if (to < oldest || to > last) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_SUCH_BATCH",
                         "the newest batch is %" PRId64 "; choose %s", newest,
                         arus_range_label(oldest, last).text);
    }
    return ARUS_OK;
}

static enum arus_status fail_foreign(const struct arus_rewind *rewind, int64_t newest,
                                     struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_REWIND_REFUSED",
                          "%s has batches behind %" PRId64 " that the journal does not know",
                          rewind->shown.text, newest));
    return arus_error_help(err,
                           "run the query once with arus, which takes them over; then go back");
}

static enum arus_status newest_in(const char *folder, int64_t *newest, struct arus_error *err)
{
    struct arus_log_listing listing;
    bool is_missing;
    size_t count;

    ARUS_TRY(arus_log_list(folder, false, &listing, &is_missing, err));
    count = arus_log_listing_count(&listing);
    *newest = count == 0 ? -1 : arus_log_listing_at(&listing, count - 1).id;
    arus_log_listing_release(&listing);
    return ARUS_OK;
}

/* The newest batch of the sink, if the journal has no later one: a backup may have been put in
 * place of its checkpoint. */
static enum arus_status find_newest(const struct arus_rewind *rewind, const char *sink,
                                    struct arus_rewind_extent *out, struct arus_error *err)
{
    struct arus_path path;
    int64_t oldest;
    int64_t found = -1;

    ARUS_TRY(arus_record_range(rewind->store, &oldest, &out->known, err));
    if (sink != NULL) {
        ARUS_TRY(arus_path_join(&path, sink, "_spark_metadata", err));
        ARUS_TRY(newest_in(path.text, &found, err));
    }
    out->newest = found > out->known ? found : out->known;
    return ARUS_OK;
}

/* Has somebody gone on without the journal? One plan that was not prepared is ours. */
static enum arus_status check_texts(const struct arus_rewind *rewind, int64_t newest,
                                    struct arus_error *err)
{
    struct arus_path path;
    int64_t found;

    ARUS_TRY(arus_path_join(&path, rewind->folder.text, "commits", err));
    ARUS_TRY(newest_in(path.text, &found, err));
    if (found > newest) {
        return fail_foreign(rewind, newest, err);
    }
    ARUS_TRY(arus_path_join(&path, rewind->folder.text, "offsets", err));
    ARUS_TRY(newest_in(path.text, &found, err));
    return found > newest + 1 ? fail_foreign(rewind, newest, err) : ARUS_OK;
}

/* All input of the batches that go must be there to be read again. */
static enum arus_status check_read(const struct arus_text_table *read, struct arus_error *err)
{
    for (uint32_t i = 0; i < read->count; i++) {
        const struct arus_text path = arus_text_table_key(read, i);
        struct arus_file_info info;
        struct arus_path copy;

        ARUS_TRY(arus_path_format(&copy, err, "%.*s", ARUS_TEXT_ARGS(path)));
        ARUS_TRY(arus_file_stat(copy.text, &info, err));
        if (info.kind == ARUS_FILE_NONE) {
            arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_REWIND_REFUSED",
                                  "%s was read by a batch that would be taken back, and is gone: "
                                  "its rows would be lost",
                                  copy.text));
            return arus_error_help(err, "put it back (cleanSource archives or deletes what was "
                                        "read), or choose a later batch");
        }
    }
    return ARUS_OK;
}

static enum arus_status check_written(const struct arus_text_table *written, const char *sink,
                                      struct arus_error *err)
{
    const size_t size = sink == NULL ? 0 : strlen(sink);

    for (uint32_t i = 0; i < written->count; i++) {
        const struct arus_text path = arus_text_table_key(written, i);

        if (path.size <= size || memcmp(path.data, sink, size) != 0 || path.data[size] != '/') {
            return arus_fail(err, ARUS_MISMATCH, "ARUS_REWIND_REFUSED",
                             "%.*s is listed by the sink, but does not lie in %s",
                             ARUS_TEXT_ARGS(path), sink);
        }
    }
    return ARUS_OK;
}

static enum arus_status collect(struct arus_rewind *rewind, int64_t to, const char *sink,
                                struct arus_rewind_files *out, struct arus_error *err)
{
    struct arus_stored_batch batch;
    struct arus_arena arena = {0};
    bool is_found;
    enum arus_status status = arus_record_get(rewind->store, to, &arena, &batch, &is_found, err);

    if (status == ARUS_OK && !is_found) {
        status = arus_fail(err, ARUS_MISMATCH, "ARUS_JOURNAL_DAMAGED",
                           "batch %" PRId64 " is missing in the journal", to);
    }
    if (status == ARUS_OK) {
        status = arus_rewind_collect(rewind->store, rewind->folder.text, sink, &batch.record.plan,
                                     out, err);
    }
    arus_arena_release(&arena);
    return status;
}

enum arus_status arus_rewind_check(struct arus_rewind *rewind, int64_t to, const char *sink,
                                   struct arus_rewind_extent *out, struct arus_error *err)
{
    struct arus_rewind_files files = {0};
    enum arus_status status;

    *out = (struct arus_rewind_extent){0};
    ARUS_TRY(find_newest(rewind, sink, out, err));
    ARUS_TRY(check_range(rewind, to, out, err));
    ARUS_TRY(check_texts(rewind, out->known, err));
    status = collect(rewind, to, sink, &files, err);
    if (status == ARUS_OK) {
        status = check_read(&files.read, err);
    }
    if (status == ARUS_OK) {
        status = check_written(&files.written, sink, err);
    }
    out->file_count = files.read.count;
    out->part_count = files.written.count;
    arus_rewind_files_release(&files);
    return status;
}

/* ---- doing ---- */

static enum arus_status put_parts(struct arus_rewind_intent *intent,
                                  const struct arus_text_table *written, struct arus_error *err)
{
    for (uint32_t i = 0; i < written->count; i++) {
        ARUS_TRY(arus_buffer_append_text(&intent->parts, arus_text_table_key(written, i), err));
        ARUS_TRY(arus_buffer_append_char(&intent->parts, '\0', err));
    }
    return ARUS_OK;
}

static enum arus_status make_intent(struct arus_rewind *rewind, const char *sink,
                                    struct arus_rewind_intent *intent, struct arus_error *err)
{
    struct arus_rewind_files files = {0};
    struct arus_rewind_extent extent;
    enum arus_status status;

    ARUS_TRY(find_newest(rewind, sink, &extent, err));
    intent->newest = extent.newest;
    if (sink != NULL) {
        ARUS_TRY(arus_path_format(&intent->sink, err, "%s", sink));
    }
    status = collect(rewind, intent->to, sink, &files, err);
    if (status == ARUS_OK) {
        status = put_parts(intent, &files.written, err);
    }
    arus_rewind_files_release(&files);
    return status;
}

static enum arus_status decide(struct arus_rewind *rewind, const struct arus_rewind_intent *intent,
                               struct arus_store_write *write, struct arus_error *err)
{
    ARUS_TRY(arus_rewind_put_intent(write, intent, err));
    ARUS_TRY(arus_store_commit(rewind->store, write, err));
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_REWIND_INTENT, intent->to);
    return arus_rewind_finish(rewind->folder.text, rewind->shown.text, rewind->journal.text,
                              rewind->store, NULL, err);
}

enum arus_status arus_rewind_do(struct arus_rewind *rewind, int64_t to, const char *sink,
                                struct arus_store_write *write, struct arus_error *err)
{
    struct arus_rewind_intent intent = {.to = to};
    enum arus_status status = make_intent(rewind, sink, &intent, err);

    if (status == ARUS_OK) {
        status = decide(rewind, &intent, write, err);
    }
    arus_buffer_release(&intent.parts);
    return status;
}
