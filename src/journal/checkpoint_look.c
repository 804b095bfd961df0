/** A checkpoint seen from outside, perhaps while a query runs on it: nothing is locked, made or
 * changed. */
#include "journal/rewind_internal.h"

#include <stdio.h>
#include <string.h>

static enum arus_status newest_in(const char *folder, const char *kind, int64_t *newest,
                                  int64_t *oldest, struct arus_error *err)
{
    struct arus_log_listing listing;
    struct arus_path path;
    bool is_missing;
    size_t count;

    ARUS_TRY(arus_path_join(&path, folder, kind, err));
    ARUS_TRY(arus_log_list(path.text, false, &listing, &is_missing, err));
    count = arus_log_listing_count(&listing);
    *newest = count == 0 ? -1 : arus_log_listing_at(&listing, count - 1).id;
    *oldest = count == 0 ? -1 : arus_log_listing_at(&listing, 0).id;
    arus_log_listing_release(&listing);
    return ARUS_OK;
}

/** Opens the journal that is there; `*out` NULL: none. */
static enum arus_status open_any(const char *folder, bool *is_stateful, struct arus_store **out,
                                 struct arus_error *err)
{
    struct arus_path path;

    ARUS_TRY(arus_path_join(&path, folder, "state", err));
    *is_stateful = true;
    ARUS_TRY(arus_store_open(path.text, ARUS_STORE_READ, out, err));
    if (*out == NULL) {
        *is_stateful = false;
        ARUS_TRY(arus_path_join(&path, folder, ".arus", err));
        return arus_store_open(path.text, ARUS_STORE_READ, out, err);
    }
    return ARUS_OK;
}

static enum arus_status look_metadata(const char *folder, struct arus_checkpoint_view *out,
                                      struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path path;
    bool is_missing = true;
    enum arus_status status;

    ARUS_TRY(arus_path_join(&path, folder, "metadata", err));
    status = arus_file_read(path.text, &content, &is_missing, err);
    if (status == ARUS_OK && !is_missing) {
        out->exists = true;
        status = arus_metadata_parse(arus_buffer_text(&content), path.text, out->id, err);
    }
    arus_buffer_release(&content);
    return status;
}

enum arus_status arus_checkpoint_look(const char *folder, struct arus_checkpoint_view *out,
                                      struct arus_error *err)
{
    int64_t newest_commit;
    int64_t oldest_commit;
    int64_t oldest_offsets;
    struct arus_store *store;
    enum arus_status status = ARUS_OK;

    *out = (struct arus_checkpoint_view){
        .newest_prepared = -1, .newest_published = -1, .oldest_retained = -1, .newest_planned = -1};
    ARUS_TRY(look_metadata(folder, out, err));
    ARUS_TRY(newest_in(folder, "commits", &newest_commit, &oldest_commit, err));
    ARUS_TRY(newest_in(folder, "offsets", &out->newest_planned, &oldest_offsets, err));
    out->newest_published = newest_commit;
    out->oldest_retained = oldest_offsets;
    ARUS_TRY(open_any(folder, &out->is_stateful, &store, err));
    if (store == NULL) {
        return ARUS_OK;
    }
    out->exists = true;
    status = arus_record_range(store, &out->oldest_retained, &out->newest_prepared, err);
    if (status == ARUS_OK) {
        int64_t noted;

        status = arus_meta_number(store, ARUS_META_PUBLISHED, -1, &noted, err);
        if (status == ARUS_OK && noted > out->newest_published) {
            out->newest_published = noted;
        }
    }
    arus_store_close(store);
    return status;
}

/** From the text files alone: a plan without outputs. */
static enum arus_status look_texts(const char *folder, int64_t batch_id, struct arus_arena *arena,
                                   struct arus_batch_record *out, bool *is_found,
                                   struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path path;
    bool is_missing = true;
    enum arus_status status;

    ARUS_TRY(arus_path_format(&path, err, "%s/offsets/%lld", folder, (long long)batch_id));
    status = arus_file_read(path.text, &content, &is_missing, err);
    *is_found = status == ARUS_OK && !is_missing;
    if (*is_found) {
        status =
            arus_offsets_parse(arus_buffer_text(&content), path.text, arena, &out->plan, NULL, err);
        out->plan.batch_id = batch_id;
    }
    arus_buffer_reset(&content);
    if (status == ARUS_OK && *is_found) {
        status = arus_path_format(&path, err, "%s/commits/%lld", folder, (long long)batch_id);
    }
    if (status == ARUS_OK && *is_found) {
        status = arus_file_read(path.text, &content, &is_missing, err);
    }
    if (status == ARUS_OK && *is_found && !is_missing) {
        status =
            arus_commit_parse(arus_buffer_text(&content), path.text, &out->next_watermark_ms, err);
    }
    arus_buffer_release(&content);
    return status;
}

enum arus_status arus_checkpoint_look_batch(const char *folder, int64_t batch_id,
                                            struct arus_arena *arena, struct arus_batch_record *out,
                                            bool *is_found, struct arus_error *err)
{
    struct arus_stored_batch batch = {0};
    struct arus_store *store;
    bool is_stateful;
    enum arus_status status;

    *out = (struct arus_batch_record){0};
    *is_found = false;
    ARUS_TRY(open_any(folder, &is_stateful, &store, err));
    if (store != NULL) {
        status = arus_record_get(store, batch_id, arena, &batch, is_found, err);
        *out = batch.record;
        arus_store_close(store);
        ARUS_TRY(status);
    }
    return *is_found ? ARUS_OK : look_texts(folder, batch_id, arena, out, is_found, err);
}

enum arus_status arus_checkpoint_look_store(const char *folder, struct arus_store **out,
                                            struct arus_error *err)
{
    bool is_stateful;

    return open_any(folder, &is_stateful, out, err);
}

enum arus_status arus_checkpoint_look_note(struct arus_store *store, const char *name,
                                           struct arus_arena *arena, struct arus_text *out,
                                           bool *is_found, struct arus_error *err)
{
    struct arus_path key;

    ARUS_TRY(arus_path_format(&key, err, "%s%s", ARUS_META_NOTE, name));
    return arus_meta_text(store, key.text, arena, out, is_found, err);
}

enum arus_status arus_checkpoint_look_kept(struct arus_store *store, int64_t batch_id, bool *out,
                                           struct arus_error *err)
{
    int64_t oldest;
    int64_t newest;

    ARUS_TRY(arus_record_range(store, &oldest, &newest, err));
    *out = newest >= 0 && batch_id >= oldest && batch_id <= newest;
    return ARUS_OK;
}

struct looking {
    enum arus_status (*fn)(void *self, struct arus_text line, struct arus_text detail,
                           struct arus_error *err);
    void *self;
};

static enum arus_status look_entry(void *self, int64_t id, struct arus_text lines,
                                   struct arus_text detail, struct arus_error *err)
{
    const struct looking *looking = self;
    struct arus_text line;
    struct arus_text note;

    (void)id;
    while (arus_log_take_line(&lines, &line)) {
        if (!arus_log_take_line(&detail, &note)) {
            note = (struct arus_text){0};
        }
        ARUS_TRY(looking->fn(looking->self, line, note, err));
    }
    return ARUS_OK;
}

enum arus_status arus_checkpoint_look_sink(struct arus_store *store, const char *sink,
                                           enum arus_status (*fn)(void *self, struct arus_text line,
                                                                  struct arus_text detail,
                                                                  struct arus_error *err),
                                           void *self, struct arus_error *err)
{
    struct looking looking = {fn, self};
    char key[ARUS_LOG_KEY_SIZE];

    arus_rewind_sink_key(sink, key);
    return arus_rewind_each_entry(store, key, -1, look_entry, &looking, err);
}
