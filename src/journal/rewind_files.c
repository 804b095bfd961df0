/**
 * What the batches behind one have read and written. The journal knows what arus made; of what
 * Spark made it may know only a compact, in which entries are not told apart: the texts are read
 * too, and what an earlier entry lists is not theirs.
 */
#include "journal/path.h"
#include "journal/rewind_internal.h"

#include <inttypes.h>

void arus_rewind_files_release(struct arus_rewind_files *files)
{
    arus_text_table_release(&files->read);
    arus_text_table_release(&files->written);
}

/* Lines of one log, each to one of two tables. */
struct sorting {
    bool is_sink;
    int64_t kept;                    /* the last entry that stays */
    struct arus_text_table *earlier; /* paths of entries that stay; NULL: not wanted */
    struct arus_text_table *later;   /* paths of the others, but for those */
    int64_t id;                      /* of the entry whose lines come */
    struct arus_arena arena;
};

static enum arus_status sort_line(void *self, struct arus_text line, struct arus_error *err)
{
    struct sorting *sorting = self;
    struct arus_log_line entry;
    struct arus_text path;
    uint32_t number;
    bool is_later;
    bool is_new;

    arus_arena_reset(&sorting->arena);
    ARUS_TRY(sorting->is_sink ? arus_log_parse_sink(line, &sorting->arena, &entry, err)
                              : arus_log_parse_source(line, &sorting->arena, &entry, err));
    ARUS_TRY(arus_path_of_uri(entry.uri, &sorting->arena, &path, err));
    is_later = (sorting->is_sink ? sorting->id : entry.log_id) > sorting->kept;
    if (is_later) {
        return sorting->earlier != NULL && arus_text_table_find(sorting->earlier, path) >= 0
                   ? ARUS_OK
                   : arus_text_table_add(sorting->later, path, &number, &is_new, err);
    }
    return sorting->earlier == NULL
               ? ARUS_OK
               : arus_text_table_add(sorting->earlier, path, &number, &is_new, err);
}

static enum arus_status sort_entry(void *self, int64_t id, struct arus_text lines,
                                   struct arus_text detail, struct arus_error *err)
{
    struct sorting *sorting = self;
    struct arus_text line;

    (void)detail;
    sorting->id = id;
    while (arus_log_take_line(&lines, &line)) {
        ARUS_TRY(sort_line(self, line, err));
    }
    return ARUS_OK;
}

/* A torn text is as long as it is good: the journal has what is missing. */
static enum arus_status sort_file(struct sorting *sorting, const char *path, int64_t id,
                                  struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_text rest;
    struct arus_text line;
    struct arus_error torn;
    bool is_missing = true;
    enum arus_status status = ARUS_OK;

    sorting->id = id;
    if (arus_log_load(path, path, &content, &rest, &is_missing, &torn) == ARUS_OK && !is_missing) {
        while (status == ARUS_OK && arus_log_take_line(&rest, &line)) {
            status = sort_line(sorting, line, &torn);
        }
    }
    arus_buffer_release(&content);
    if (status == ARUS_NO_MEMORY) {
        *err = torn;
        return status;
    }
    return ARUS_OK;
}

static enum arus_status fail_hole(const char *folder, int64_t id, struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_REWIND_REFUSED",
                          "entry %" PRId64 " of %s is gone, which the earlier batch needs", id,
                          folder));
    return arus_error_help(err, "choose a later batch");
}

static enum arus_status has_entry(struct arus_store *store, const char key[ARUS_LOG_KEY_SIZE],
                                  int64_t id, bool *out, struct arus_error *err)
{
    char name[ARUS_LOG_KEY_SIZE + 8];
    struct arus_store_read read;
    struct arus_text value;
    enum arus_status status;

    memcpy(name, key, ARUS_LOG_KEY_SIZE);
    arus_store_key_u64(name + ARUS_LOG_KEY_SIZE, (uint64_t)id);
    ARUS_TRY(arus_store_read_begin(store, &read, err));
    status = arus_store_get(&read, ARUS_STORE_LOG, (struct arus_text){name, sizeof name}, &value,
                            out, err);
    arus_store_read_end(&read);
    return status;
}

/* What readers of the log need up to `kept` must be there, or in the journal. */
static enum arus_status check_holes(struct arus_store *store, const char key[ARUS_LOG_KEY_SIZE],
                                    const char *folder, const struct arus_log_listing *listing,
                                    int64_t kept, struct arus_error *err)
{
    const uint32_t interval = arus_log_interval(listing, 10);

    for (int64_t id = arus_log_first_needed(kept, interval); id <= kept; id++) {
        struct arus_file_info info;
        struct arus_path path;
        bool is_known;

        ARUS_TRY(arus_log_path(&path, folder, id, arus_log_is_compaction(id, interval), err));
        ARUS_TRY(arus_file_stat(path.text, &info, err));
        ARUS_TRY(has_entry(store, key, id, &is_known, err));
        if (info.kind == ARUS_FILE_NONE && !is_known) {
            return fail_hole(folder, id, err);
        }
    }
    return ARUS_OK;
}

/* Entries that stay come first: the later ones are compared with them. */
static enum arus_status sort_log(struct arus_store *store, const char key[ARUS_LOG_KEY_SIZE],
                                 const char *folder, struct sorting *sorting,
                                 struct arus_error *err)
{
    struct arus_log_listing listing;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_log_list(folder, false, &listing, &is_missing, err));
    status = check_holes(store, key, folder, &listing, sorting->kept, err);
    for (int pass = 0; pass < 2 && status == ARUS_OK; pass++) {
        const bool is_later = pass == 1;

        for (size_t i = 0; i < arus_log_listing_count(&listing) && status == ARUS_OK; i++) {
            const struct arus_log_file file = arus_log_listing_at(&listing, i);
            struct arus_path path;

            if ((file.id > sorting->kept) == is_later) {
                status = arus_log_path(&path, folder, file.id, file.is_compact, err);
                status = status == ARUS_OK ? sort_file(sorting, path.text, file.id, err) : status;
            }
        }
        if (status == ARUS_OK && !is_later) { /* rising: those that stay, then the others */
            status = arus_rewind_each_entry(store, key, -1, sort_entry, sorting, err);
        }
    }
    arus_log_listing_release(&listing);
    return status;
}

static enum arus_status collect_sink(struct arus_store *store, const char *sink, int64_t to,
                                     struct arus_rewind_files *out, struct arus_error *err)
{
    struct arus_text_table earlier = {0};
    struct sorting sorting = {
        .is_sink = true, .kept = to, .earlier = &earlier, .later = &out->written};
    char key[ARUS_LOG_KEY_SIZE];
    struct arus_path log;
    enum arus_status status = arus_path_join(&log, sink, "_spark_metadata", err);

    if (status == ARUS_OK) {
        arus_rewind_sink_key(sink, key);
        status = sort_log(store, key, log.text, &sorting, err);
    }
    arus_arena_release(&sorting.arena);
    arus_text_table_release(&earlier);
    return status;
}

static enum arus_status refuse_entry(void *self, int64_t id, struct arus_text lines,
                                     struct arus_text detail, struct arus_error *err)
{
    (void)self;
    (void)detail;
    (void)lines;
    return arus_fail(err, ARUS_MISMATCH, "ARUS_REWIND_REFUSED",
                     "batch %" PRId64 " was written to another sink than the newest one", id);
}

static enum arus_status collect_log(struct arus_store *store, const char key[ARUS_LOG_KEY_SIZE],
                                    const char *folder, const char *sink,
                                    const struct arus_batch_plan *to, struct arus_rewind_files *out,
                                    struct arus_error *err)
{
    struct sorting sorting = {.kept = arus_rewind_last_kept(key, to), .later = &out->read};
    char sink_key[ARUS_LOG_KEY_SIZE] = {0};
    struct arus_path path;
    enum arus_status status;

    if (sink != NULL) {
        arus_rewind_sink_key(sink, sink_key);
    }
    if (key[0] != 's') {
        return memcmp(key, sink_key, sizeof sink_key) == 0
                   ? ARUS_OK
                   : arus_rewind_each_entry(store, key, sorting.kept, refuse_entry, NULL, err);
    }
    ARUS_TRY(
        arus_path_format(&path, err, "%s/sources/%" PRIu64, folder, arus_store_key_read(key + 1)));
    status = sort_log(store, key, path.text, &sorting, err);
    arus_arena_release(&sorting.arena);
    return status;
}

enum arus_status arus_rewind_collect(struct arus_store *store, const char *folder, const char *sink,
                                     const struct arus_batch_plan *to,
                                     struct arus_rewind_files *out, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE] = {0};
    bool is_found = true;

    for (;;) {
        ARUS_TRY(arus_rewind_next_log(store, key, &is_found, err));
        if (!is_found) {
            break;
        }
        ARUS_TRY(collect_log(store, key, folder, sink, to, out, err));
    }
    return sink == NULL ? ARUS_OK : collect_sink(store, sink, to->batch_id, out, err);
}
