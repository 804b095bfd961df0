/** Taking up logs, staging entries, writing them. */
#include "base/alloc.h"
#include "base/failpoint.h"
#include "base/hash.h"
#include "journal/log_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the journal's values ---- */

void arus_log_sum_add(struct arus_log_sum *sum, struct arus_text lines)
{
    struct arus_text rest = lines;
    struct arus_text line;

    while (arus_log_take_line(&rest, &line)) {
        sum->hash = arus_hash_mix(sum->hash, arus_hash_bytes(line.data, line.size, 0));
        sum->line_count++;
    }
}

bool arus_log_open_value(struct arus_text value, struct arus_log_sum *sum, struct arus_text *lines,
                         struct arus_text *detail)
{
    uint64_t lines_size;

    if (value.size < ARUS_LOG_HEAD_SIZE) {
        return false;
    }
    memcpy(&sum->line_count, value.data, 8);
    memcpy(&sum->hash, value.data + 8, 8);
    memcpy(&lines_size, value.data + 16, 8);
    if (lines_size > value.size - ARUS_LOG_HEAD_SIZE) {
        return false;
    }
    *lines = (struct arus_text){value.data + ARUS_LOG_HEAD_SIZE, (size_t)lines_size};
    *detail = (struct arus_text){lines->data + lines_size,
                                 value.size - ARUS_LOG_HEAD_SIZE - (size_t)lines_size};
    return true;
}

static enum arus_status journal_entry(struct arus_log *log, const struct arus_log_staged *staged,
                                      struct arus_store_write *write, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE + 8];
    struct arus_buffer value = {0};
    const uint64_t lines_size = staged->lines.size;
    enum arus_status status;

    arus_log_sum_add(&log->sum, staged->lines);
    memcpy(key, log->key, ARUS_LOG_KEY_SIZE);
    arus_store_key_u64(key + ARUS_LOG_KEY_SIZE, (uint64_t)staged->id);
    status = arus_buffer_append(&value, &log->sum.line_count, 8, err);
    if (status == ARUS_OK) {
        status = arus_buffer_append(&value, &log->sum.hash, 8, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append(&value, &lines_size, 8, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_text(&value, staged->lines, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_text(&value, staged->detail, err);
    }
    if (status == ARUS_OK) {
        status = arus_store_put_copy(write, ARUS_STORE_LOG, (struct arus_text){key, sizeof key},
                                     arus_buffer_text(&value), err);
    }
    arus_buffer_release(&value);
    return status;
}

enum arus_status arus_log_set_journal(struct arus_log_set *set, struct arus_store_write *write,
                                      struct arus_error *err)
{
    for (size_t i = 0; i < set->log_count; i++) {
        struct arus_log *log = set->logs[i];

        for (size_t k = 0; k < arus_log_staged_count(log); k++) {
            ARUS_TRY(journal_entry(log, arus_log_staged_at(log, k), write, err));
        }
    }
    return ARUS_OK;
}

static void free_staged(struct arus_log *log, size_t keep_count)
{
    for (size_t i = keep_count; i < arus_log_staged_count(log); i++) {
        arus_free(arus_log_staged_at(log, i)->memory);
    }
    log->staged.size = keep_count * sizeof(struct arus_log_staged);
}

void arus_log_drop_staged(struct arus_log *log)
{
    free_staged(log, 0);
}

void arus_log_set_journaled(struct arus_log_set *set)
{
    for (size_t i = 0; i < set->log_count; i++) {
        struct arus_log *log = set->logs[i];
        const size_t count = arus_log_staged_count(log);

        if (count > 0) {
            log->journaled = arus_log_staged_at(log, count - 1)->id;
        }
        free_staged(log, 0);
    }
}

void arus_log_set_abandon(struct arus_log_set *set)
{
    for (size_t i = 0; i < set->log_count; i++) {
        struct arus_log *log = set->logs[i];
        size_t kept = 0;

        while (kept < arus_log_staged_count(log) && arus_log_staged_at(log, kept)->is_written) {
            kept++;
        }
        free_staged(log, kept);
    }
}

/* ---- making and releasing ---- */

enum arus_status arus_log_make(struct arus_log_set *set, enum arus_log_kind kind,
                               struct arus_log **out, struct arus_error *err)
{
    struct arus_log **logs =
        (struct arus_log **)arus_realloc(set->logs, (set->log_count + 1) * sizeof *logs);
    struct arus_log *log;

    *out = NULL;
    if (logs == NULL) {
        return arus_fail_memory(err);
    }
    set->logs = logs;
    log = (struct arus_log *)arus_alloc(1, sizeof *log);
    if (log == NULL) {
        return arus_fail_memory(err);
    }
    log->set = set;
    log->kind = kind;
    log->spares = &set->spares;
    log->newest = -1;
    log->journaled = -1;
    log->retention_ms = -1;
    log->synced_compact = -1;
    log->grower.target = -1;
    set->logs[set->log_count++] = log;
    *out = log;
    return ARUS_OK;
}

void arus_log_drop_loaded(struct arus_log *log)
{
    log->is_loaded = false;
    log->loaded_begin = 0;
    arus_buffer_release(&log->loaded);
    arus_buffer_release(&log->loaded_more);
}

static void release_log(struct arus_log *log)
{
    arus_log_grower_release(log);
    arus_background_close(log->expirer);
    free_staged(log, 0);
    arus_buffer_release(&log->staged);
    arus_log_drop_loaded(log);
    arus_buffer_release(&log->expiring);
    arus_log_listing_release(&log->files);
    arus_text_table_release(&log->held_names);
    arus_spares_close(&log->own_spares);
    arus_free(log);
}

void arus_log_set_release(struct arus_log_set *set)
{
    for (size_t i = 0; i < set->log_count; i++) {
        release_log(set->logs[i]);
    }
    arus_free(set->logs);
    arus_mirrors_release(&set->mirrors);
    arus_buffer_release(&set->made);
    arus_spares_close(&set->spares);
    arus_buffer_release(&set->plan_details);
    set->logs = NULL;
    set->log_count = 0;
}

struct arus_buffer *arus_log_set_made(struct arus_log_set *set)
{
    return &set->made;
}

/** The log with this key when it is open already. */
static struct arus_log *find_log(const struct arus_log_set *set, const char *key)
{
    for (size_t i = 0; i < set->log_count; i++) {
        if (memcmp(set->logs[i]->key, key, ARUS_LOG_KEY_SIZE) == 0) {
            return set->logs[i];
        }
    }
    return NULL;
}

static enum arus_status open_log(struct arus_log_set *set, struct arus_log *log,
                                 struct arus_log **out, struct arus_error *err)
{
    const enum arus_status status = arus_log_restore(log, err);

    if (status != ARUS_OK) {
        set->log_count--; /* the newest */
        release_log(log);
        return status;
    }
    *out = log;
    return ARUS_OK;
}

enum arus_status arus_log_open_source(struct arus_log_set *set, uint32_t index,
                                      struct arus_log **out, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE] = {'s'};
    struct arus_log *log;

    *out = NULL;
    arus_store_key_u64(key + 1, index);
    log = find_log(set, key);
    if (log != NULL) {
        *out = log;
        return ARUS_OK;
    }
    ARUS_TRY(arus_log_make(set, ARUS_LOG_SOURCE, &log, err));
    memcpy(log->key, key, sizeof key);
    log->interval = set->config.source_log_interval;
    ARUS_TRY(arus_path_format(&log->folder, err, "%s/sources/%u", set->config.folder, index));
    ARUS_TRY(arus_path_format(&log->shown, err, "%s/sources/%u", set->config.shown, index));
    return open_log(set, log, out, err);
}

enum arus_status arus_log_open_sink(struct arus_log_set *set, const char *folder,
                                    int64_t retention_ms, struct arus_log **out,
                                    struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE] = {'k'};
    struct arus_log *log;

    *out = NULL;
    arus_store_key_u64(key + 1, arus_hash_bytes(folder, strlen(folder), 0));
    log = find_log(set, key);
    if (log != NULL) {
        *out = log;
        return ARUS_OK;
    }
    ARUS_TRY(arus_log_make(set, ARUS_LOG_SINK, &log, err));
    memcpy(log->key, key, sizeof key);
    log->interval = set->config.sink_log_interval;
    log->retention_ms = retention_ms;
    ARUS_TRY(arus_path_join(&log->folder, folder, "_spark_metadata", err));
    ARUS_TRY(arus_spares_init(&log->own_spares, log->folder.text, err));
    log->spares = &log->own_spares;
    log->shown = log->folder;
    return open_log(set, log, out, err);
}

int64_t arus_log_newest(const struct arus_log *log)
{
    return log->newest;
}

uint64_t arus_log_count(const struct arus_log *log)
{
    return log->sum.line_count;
}

int64_t arus_log_set_repeat(const struct arus_log_set *set)
{
    return set->repeat_batch;
}

const char *arus_log_set_folder(const struct arus_log_set *set)
{
    return set->config.folder;
}

const char *arus_log_set_shown(const struct arus_log_set *set)
{
    return set->config.shown;
}

const struct arus_logger *arus_log_set_logger(const struct arus_log_set *set)
{
    return set->config.logger;
}

/* ---- reading ---- */

static enum arus_status each_line(struct arus_text rest, arus_log_line_fn fn, void *self,
                                  struct arus_error *err)
{
    struct arus_text line;

    while (arus_log_take_line(&rest, &line)) {
        ARUS_TRY(fn(self, line, err));
    }
    return ARUS_OK;
}

/** Files from the last compact on. */
static enum arus_status each_in_files(struct arus_log *log, arus_log_line_fn fn, void *self,
                                      struct arus_error *err)
{
    struct arus_buffer content = {0};
    enum arus_status status = ARUS_OK;

    for (int64_t id = arus_log_first_needed(log->newest, log->interval);
         id <= log->newest && status == ARUS_OK; id++) {
        struct arus_path path;
        struct arus_text rest = {0};
        bool is_missing = true;

        status = arus_log_path(&path, log->folder.text, id,
                               arus_log_is_compaction(id, log->interval), err);
        if (status == ARUS_OK) {
            status = arus_log_load(path.text, path.text, &content, &rest, &is_missing, err);
        }
        if (status == ARUS_OK && is_missing) {
            status = arus_log_fail(err, path.text, 0, "BATCH_METADATA_NOT_FOUND", "is missing");
        }
        if (status == ARUS_OK) {
            status = each_line(rest, fn, self, err);
        }
    }
    arus_buffer_release(&content);
    return status;
}

enum arus_status arus_log_each(struct arus_log *log, arus_log_line_fn fn, void *self,
                               struct arus_error *err)
{
    if (log->is_loaded) {
        const struct arus_text lines = {log->loaded.data + log->loaded_begin,
                                        log->loaded.size - log->loaded_begin};
        enum arus_status status = each_line(lines, fn, self, err);

        if (status == ARUS_OK) {
            status = each_line(arus_buffer_text(&log->loaded_more), fn, self, err);
        }
        arus_log_drop_loaded(log);
        ARUS_TRY(status);
    } else {
        ARUS_TRY(each_in_files(log, fn, self, err));
    }
    for (size_t i = 0; i < arus_log_staged_count(log); i++) {
        const struct arus_log_staged *staged = arus_log_staged_at(log, i);

        if (!staged->is_written) { /* else it was among the files */
            ARUS_TRY(each_line(staged->lines, fn, self, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status journaled_entry(struct arus_log *log, int64_t id, struct arus_arena *arena,
                                        struct arus_text *lines, struct arus_text *detail,
                                        bool *is_found, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE + 8];
    struct arus_store_read read;
    struct arus_log_sum sum;
    struct arus_text value;
    enum arus_status status;

    memcpy(key, log->key, ARUS_LOG_KEY_SIZE);
    arus_store_key_u64(key + ARUS_LOG_KEY_SIZE, (uint64_t)id);
    ARUS_TRY(arus_store_read_begin(log->set->store, &read, err));
    status = arus_store_get(&read, ARUS_STORE_LOG, (struct arus_text){key, sizeof key}, &value,
                            is_found, err);
    if (status == ARUS_OK && *is_found) {
        *is_found = arus_log_open_value(value, &sum, lines, detail);
        status = arus_text_copy(*lines, arena, lines, err);
        if (status == ARUS_OK) {
            status = arus_text_copy(*detail, arena, detail, err);
        }
    }
    arus_store_read_end(&read);
    return status;
}

/** For logs that Spark wrote: the lines of a source's compact say which entry brought them. */
struct picked {
    struct arus_buffer lines;
    int64_t id;
    struct arus_arena *arena;
};

static enum arus_status pick(void *self, struct arus_text line, struct arus_error *err)
{
    struct picked *picked = (struct picked *)self;
    struct arus_log_line parsed;

    ARUS_TRY(arus_log_parse_source(line, picked->arena, &parsed, err));
    if (parsed.log_id != picked->id) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_append_text(&picked->lines, line, err));
    return arus_buffer_append_char(&picked->lines, '\n', err);
}

enum arus_status arus_log_entry(struct arus_log *log, int64_t id, struct arus_arena *arena,
                                struct arus_text *lines, struct arus_text *detail, bool *is_found,
                                struct arus_error *err)
{
    struct picked picked = {.id = id, .arena = arena};
    enum arus_status status;

    *lines = (struct arus_text){0};
    *detail = (struct arus_text){0};
    for (size_t i = 0; i < arus_log_staged_count(log); i++) {
        const struct arus_log_staged *staged = arus_log_staged_at(log, i);

        if (staged->id == id) {
            *is_found = true;
            ARUS_TRY(arus_text_copy(staged->lines, arena, lines, err));
            return arus_text_copy(staged->detail, arena, detail, err);
        }
    }
    ARUS_TRY(journaled_entry(log, id, arena, lines, detail, is_found, err));
    if (*is_found || log->kind != ARUS_LOG_SOURCE || id > log->newest) {
        return ARUS_OK;
    }
    status = each_in_files(log, pick, &picked, err);
    if (status == ARUS_OK) {
        *is_found = picked.lines.size > 0;
        status = arus_text_copy(arus_buffer_text(&picked.lines), arena, lines, err);
    }
    arus_buffer_release(&picked.lines);
    return status;
}

/* ---- staging ---- */

enum arus_status arus_log_stage_copy(struct arus_log *log, int64_t id, struct arus_text lines,
                                     struct arus_text detail, bool is_written,
                                     struct arus_error *err)
{
    struct arus_log_staged staged = {.id = id, .is_written = is_written};

    staged.memory = (char *)arus_alloc(1, lines.size + detail.size + 1);
    if (staged.memory == NULL) {
        return arus_fail_memory(err);
    }
    if (lines.size > 0) {
        memcpy(staged.memory, lines.data, lines.size);
    }
    if (detail.size > 0) {
        memcpy(staged.memory + lines.size, detail.data, detail.size);
    }
    staged.lines = (struct arus_text){staged.memory, lines.size};
    staged.detail = (struct arus_text){staged.memory + lines.size, detail.size};
    if (arus_buffer_append(&log->staged, &staged, sizeof staged, err) != ARUS_OK) {
        arus_free(staged.memory);
        return err->status;
    }
    return ARUS_OK;
}

enum arus_status arus_log_stage(struct arus_log *log, int64_t id, struct arus_text lines,
                                struct arus_text detail, struct arus_error *err)
{
    const size_t count = arus_log_staged_count(log);

    if (count > 0 && arus_log_staged_at(log, count - 1)->id == id) {
        ARUS_ASSERT(!arus_log_staged_at(log, count - 1)->is_written);
        free_staged(log, count - 1);
    }
    return arus_log_stage_copy(log, id, lines, detail, false, err);
}

enum arus_status arus_log_set_write_sources(struct arus_log_set *set, struct arus_error *err)
{
    for (size_t i = 0; i < set->log_count; i++) {
        struct arus_log *log = set->logs[i];

        for (size_t k = 0; log->kind == ARUS_LOG_SOURCE && k < arus_log_staged_count(log); k++) {
            struct arus_log_staged *staged = arus_log_staged_at(log, k);

            if (!staged->is_written) {
                ARUS_TRY(arus_log_add(log, staged->id, staged->lines, err));
                staged->is_written = true;
            }
        }
    }
    return ARUS_OK;
}

/** Per entry: key, id, size of the detail, the detail. */
enum arus_status arus_log_set_append_details(struct arus_log_set *set, struct arus_buffer *out,
                                             struct arus_error *err)
{
    for (size_t i = 0; i < set->log_count; i++) {
        struct arus_log *log = set->logs[i];

        for (size_t k = 0; k < arus_log_staged_count(log); k++) {
            const struct arus_log_staged *staged = arus_log_staged_at(log, k);
            char head[ARUS_LOG_KEY_SIZE + 16];

            memcpy(head, log->key, ARUS_LOG_KEY_SIZE);
            arus_store_key_u64(head + ARUS_LOG_KEY_SIZE, (uint64_t)staged->id);
            arus_store_key_u64(head + ARUS_LOG_KEY_SIZE + 8, staged->detail.size);
            ARUS_TRY(arus_buffer_append(out, head, sizeof head, err));
            ARUS_TRY(arus_buffer_append_text(out, staged->detail, err));
        }
    }
    return ARUS_OK;
}

/* ---- writing ---- */

enum arus_status arus_log_content(struct arus_text lines, struct arus_buffer *out,
                                  struct arus_error *err)
{
    struct arus_text rest = lines;
    struct arus_text line;

    ARUS_TRY(arus_buffer_append(out, "v1", 2, err));
    while (arus_log_take_line(&rest, &line)) {
        ARUS_TRY(arus_buffer_append_char(out, '\n', err));
        ARUS_TRY(arus_buffer_append_text(out, line, err));
    }
    return ARUS_OK;
}

static bool is_blank(struct arus_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '\0') {
            return false;
        }
    }
    return true;
}

static enum arus_log_found compare_content(struct arus_text found, struct arus_text wanted)
{
    if (arus_text_equal(found, wanted)) {
        return ARUS_LOG_FOUND_SAME;
    }
    if (found.size == wanted.size + 1 && found.data[wanted.size] == '\n' &&
        memcmp(found.data, wanted.data, wanted.size) == 0) {
        return ARUS_LOG_FOUND_SAME; /* one newline at the end means nothing */
    }
    /* A power loss leaves fewer bytes, or zeros where bytes should be. */
    return is_blank(found) || arus_text_starts_with(wanted, found) ? ARUS_LOG_FOUND_TORN
                                                                   : ARUS_LOG_FOUND_OTHER;
}

enum arus_status arus_log_compare(struct arus_log *log, int64_t id, struct arus_text lines,
                                  enum arus_log_found *out, struct arus_error *err)
{
    const bool is_compact = arus_log_is_compaction(id, log->interval);
    struct arus_buffer wanted = {0};
    struct arus_buffer found = {0};
    struct arus_path path;
    bool is_missing = true;
    enum arus_status status;

    *out = ARUS_LOG_FOUND_NONE;
    ARUS_TRY(arus_log_path(&path, log->folder.text, id, is_compact, err));
    status = arus_file_read(path.text, &found, &is_missing, err);
    if (status == ARUS_OK && !is_missing) {
        status = arus_log_content(lines, &wanted, err);
    }
    if (status == ARUS_OK && !is_missing) {
        const struct arus_text own = {wanted.data + 3, wanted.size > 3 ? wanted.size - 3 : 0};

        *out = compare_content(arus_buffer_text(&found), arus_buffer_text(&wanted));
        if (is_compact && *out == ARUS_LOG_FOUND_OTHER) { /* ends with what the entry brought? */
            const struct arus_text text = arus_buffer_text(&found);
            bool is_torn = false;

            status = arus_log_is_torn(log, id, text, &is_torn, err);
            *out = is_torn                                            ? ARUS_LOG_FOUND_TORN
                   : found.size > 0 && arus_text_ends_with(text, own) ? ARUS_LOG_FOUND_SAME
                                                                      : ARUS_LOG_FOUND_OTHER;
        }
    }
    arus_buffer_release(&wanted);
    arus_buffer_release(&found);
    return status;
}

static enum arus_status fail_conflict(const struct arus_log *log, int64_t id,
                                      struct arus_error *err)
{
    struct arus_path path;
    enum arus_status status;

    ARUS_TRY(
        arus_log_path(&path, log->shown.text, id, arus_log_is_compaction(id, log->interval), err));
    status = arus_fail(err, ARUS_MISMATCH, "CONCURRENT_STREAM_LOG_UPDATE",
                       "%s was written by somebody else", path.text);
    (void)arus_error_help(err, "two queries share %s: give each its own", log->shown.text);
    return status;
}

static enum arus_status write_plain(struct arus_log *log, int64_t id, struct arus_text lines,
                                    bool *exists, struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path path;
    enum arus_status status;

    ARUS_TRY(arus_log_path(&path, log->folder.text, id, false, err));
    ARUS_TRY(arus_log_remove_crc(path.text, err));
    status = arus_log_content(lines, &content, err);
    if (status == ARUS_OK) {
        status =
            arus_spares_create_new(log->spares, path.text, arus_buffer_text(&content), exists, err);
    }
    arus_buffer_release(&content);
    return status;
}

static enum arus_status write_entry(struct arus_log *log, int64_t id, struct arus_text lines,
                                    bool is_compact, bool *exists, struct arus_error *err)
{
    return is_compact ? arus_log_compact(log, id, lines, exists, err)
                      : write_plain(log, id, lines, exists, err);
}

/** Something has the name: ours from before, torn, or somebody else's. */
static enum arus_status settle(struct arus_log *log, int64_t id, struct arus_text lines,
                               bool is_compact, struct arus_error *err)
{
    enum arus_log_found found;
    struct arus_path path;
    bool exists;

    ARUS_TRY(arus_log_compare(log, id, lines, &found, err));
    if (found == ARUS_LOG_FOUND_SAME) {
        return ARUS_OK;
    }
    if (found != ARUS_LOG_FOUND_TORN) {
        return fail_conflict(log, id, err);
    }
    ARUS_TRY(arus_log_path(&path, log->folder.text, id, is_compact, err));
    ARUS_TRY(arus_file_remove(path.text, err));
    ARUS_TRY(write_entry(log, id, lines, is_compact, &exists, err));
    return exists ? fail_conflict(log, id, err) : ARUS_OK;
}

static enum arus_status note_file(struct arus_log *log, int64_t id, bool is_compact,
                                  struct arus_error *err)
{
    const struct arus_log_file file = {id, is_compact};
    struct arus_path path;

    if (id <= log->newest) {
        return ARUS_OK;
    }
    log->newest = id;
    log->add_count++;
    ARUS_TRY(arus_buffer_append(&log->files.items, &file, sizeof file, err));
    ARUS_TRY(arus_log_path(&path, log->folder.text, id, is_compact, err));
    return arus_mirrors_add(&log->set->mirrors, path.text, err);
}

enum arus_status arus_log_add(struct arus_log *log, int64_t id, struct arus_text lines,
                              struct arus_error *err)
{
    const bool is_compact = arus_log_is_compaction(id, log->interval);
    bool exists = false;

    ARUS_ASSERT(id <= log->newest + 1);
    if (log->is_loaded) {
        arus_log_drop_loaded(log); /* whoever wanted the old lines has them */
    }
    ARUS_TRY(write_entry(log, id, lines, is_compact, &exists, err));
    if (exists) {
        ARUS_TRY(settle(log, id, lines, is_compact, err));
    }
    ARUS_TRY(note_file(log, id, is_compact, err));
    ARUS_TRY(arus_log_grow(log, id, lines, err));
    return arus_log_expire(log, err);
}
