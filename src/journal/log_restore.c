/**
 * Opening a log: what the folder holds against what the journal holds. Entries of the journal that
 * are missing, empty or cut are written anew; torn ones it does not know are removed; anything else
 * that differs is a contradiction.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "journal/held_internal.h"
#include "journal/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void notice(const struct arus_log *log, const char *what, const char *path)
{
    arus_logger_print(log->set->config.logger, ARUS_LOG_NOTICE, "%s: %s", path, what);
}

/* ---- the journal's side ---- */

static void log_key(const struct arus_log *log, int64_t id, char out[ARUS_LOG_KEY_SIZE + 8])
{
    memcpy(out, log->key, ARUS_LOG_KEY_SIZE);
    arus_store_key_u64(out + ARUS_LOG_KEY_SIZE, (uint64_t)id);
}

static enum arus_status find_journaled(struct arus_log *log, struct arus_error *err)
{
    char below[ARUS_LOG_KEY_SIZE + 8];
    struct arus_store_read read;
    struct arus_text key;
    struct arus_text value;
    struct arus_text lines;
    struct arus_text detail;
    enum arus_status status;
    bool is_found;

    log->journaled = -1;
    log->sum = (struct arus_log_sum){0};
    log_key(log, log->kind == ARUS_LOG_SINK ? log->set->foreign_from : INT64_MAX, below);
    ARUS_TRY(arus_store_read_begin(log->set->store, &read, err));
    status = arus_store_last(&read, ARUS_STORE_LOG, (struct arus_text){log->key, ARUS_LOG_KEY_SIZE},
                             (struct arus_text){below, sizeof below}, &key, &value, &is_found, err);
    if (status == ARUS_OK && is_found) {
        log->journaled = (int64_t)arus_store_key_read(key.data + ARUS_LOG_KEY_SIZE);
        if (!arus_log_open_value(value, &log->sum, &lines, &detail)) {
            status = arus_fail(err, ARUS_MISMATCH, "ARUS_JOURNAL_DAMAGED",
                               "the journal's record of %s is damaged", log->shown.text);
        }
    }
    arus_store_read_end(&read);
    return status;
}

/** Lines of entries [from, to] as the journal has them; `*sum` afterwards; false in `*is_whole` for
 * gaps. */
static enum arus_status journal_lines(struct arus_log *log, int64_t from, int64_t to,
                                      struct arus_buffer *out, struct arus_log_sum *sum,
                                      bool *is_whole, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE + 8];
    struct arus_store_read read;
    enum arus_status status;

    *is_whole = true;
    ARUS_TRY(arus_store_read_begin(log->set->store, &read, err));
    status = ARUS_OK;
    for (int64_t id = from; id <= to && status == ARUS_OK && *is_whole; id++) {
        struct arus_text value;
        struct arus_text lines;
        struct arus_text detail;
        bool is_found;

        log_key(log, id, key);
        status = arus_store_get(&read, ARUS_STORE_LOG, (struct arus_text){key, sizeof key}, &value,
                                &is_found, err);
        *is_whole =
            status == ARUS_OK && is_found && arus_log_open_value(value, sum, &lines, &detail);
        if (*is_whole) {
            status = arus_buffer_append_text(out, lines, err);
        }
    }
    arus_store_read_end(&read);
    return status;
}

/* ---- comparing texts ---- */

static enum arus_status parse_line(const struct arus_log *log, struct arus_text line,
                                   struct arus_arena *arena, struct arus_log_line *out,
                                   struct arus_error *err)
{
    return log->kind == ARUS_LOG_SOURCE ? arus_log_parse_source(line, arena, out, err)
                                        : arus_log_parse_sink(line, arena, out, err);
}

static enum arus_status check_lines(const struct arus_log *log, struct arus_text lines,
                                    const char *shown, struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_text rest = lines;
    struct arus_text line;
    enum arus_status status = ARUS_OK;
    uint64_t number = 1;

    while (status == ARUS_OK && arus_log_take_line(&rest, &line)) {
        struct arus_log_line parsed;

        number++;
        status = parse_line(log, line, &arena, &parsed, err);
    }
    arus_arena_release(&arena);
    if (status != ARUS_OK) {
        (void)snprintf(err->file.path, sizeof err->file.path, "%s", shown);
        err->file.line = number;
        err->file.column = 1;
    }
    return status;
}

static bool is_same_line(const struct arus_log *log, struct arus_text a, struct arus_text b,
                         struct arus_arena *arena)
{
    struct arus_log_line left;
    struct arus_log_line right;
    struct arus_error err;

    return parse_line(log, a, arena, &left, &err) == ARUS_OK &&
           parse_line(log, b, arena, &right, &err) == ARUS_OK &&
           arus_text_equal(left.uri, right.uri) && left.size == right.size &&
           left.mtime_ms == right.mtime_ms && left.log_id == right.log_id;
}

/** Written otherwise (spaces, key order, unknown keys, CR LF), but saying the same. */
static bool is_same_meaning(const struct arus_log *log, struct arus_text found,
                            struct arus_text wanted)
{
    struct arus_arena arena = {0};
    struct arus_text a;
    struct arus_text b;
    bool is_same = true;

    for (;;) {
        const bool has_a = arus_log_take_line(&found, &a);
        const bool has_b = arus_log_take_line(&wanted, &b);

        is_same =
            has_a == has_b && (!has_a || arus_text_equal(a, b) || is_same_line(log, a, b, &arena));
        if (!is_same || !has_a) {
            break;
        }
    }
    arus_arena_release(&arena);
    return is_same;
}

static bool is_torn(struct arus_text found, struct arus_text wanted)
{
    size_t zeros = 0;

    while (zeros < found.size && found.data[zeros] == '\0') {
        zeros++;
    }
    return zeros == found.size ||
           (found.size < wanted.size && arus_text_starts_with(wanted, found));
}

/* ---- one file ---- */

struct entry_file {
    int64_t id;
    bool is_compact;
    struct arus_path path;
    struct arus_path shown;
    struct arus_buffer content;
    bool is_missing;
};

static enum arus_status open_entry(const struct arus_log *log, int64_t id, struct entry_file *out,
                                   struct arus_error *err)
{
    out->id = id;
    out->is_compact = arus_log_is_compaction(id, log->interval);
    arus_buffer_reset(&out->content);
    ARUS_TRY(arus_log_path(&out->path, log->folder.text, id, out->is_compact, err));
    ARUS_TRY(arus_log_path(&out->shown, log->shown.text, id, out->is_compact, err));
    return arus_file_read(out->path.text, &out->content, &out->is_missing, err);
}

static enum arus_status fail_missing(const struct arus_log *log, const struct entry_file *file,
                                     struct arus_error *err)
{
    const enum arus_status status = arus_fail(err, ARUS_MISMATCH, "BATCH_METADATA_NOT_FOUND",
                                              "%s is missing", file->shown.text);

    if (log->kind == ARUS_LOG_SINK) {
        (void)arus_error_note(
            err, "the checkpoint says that batches up to %" PRId64 " were written there",
            log->set->published);
        (void)arus_error_help(err, "put the folder back, or start anew: a new checkpointLocation "
                                   "and a new path");
    } else {
        (void)arus_error_help(err, "put the file back from a backup of the checkpoint");
    }
    return status;
}

/** Before a sink's entry is written anew: do the files that it lists exist? */
static enum arus_status check_parts(struct arus_log *log, const struct entry_file *file,
                                    struct arus_text lines, struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_text rest = lines;
    struct arus_text line;
    enum arus_status status = ARUS_OK;

    while (status == ARUS_OK && arus_log_take_line(&rest, &line)) {
        struct arus_log_line parsed;
        struct arus_file_info info;
        struct arus_text path;
        bool is_held = true;

        status = arus_log_parse_sink(line, &arena, &parsed, err);
        if (status == ARUS_OK) {
            status = arus_path_of_uri(parsed.uri, &arena, &path, err);
        }
        if (status == ARUS_OK) {
            status = arus_file_stat(path.data, &info, err);
        }
        if (status == ARUS_OK && (info.kind != ARUS_FILE_REGULAR || info.size != parsed.size)) {
            status = arus_held_has(log, path.data, &is_held, err);
        }
        if (status == ARUS_OK && !is_held) {
            status = fail_missing(log, file, err);
        }
    }
    arus_arena_release(&arena);
    return status;
}

static enum arus_status write_anew(struct arus_log *log, struct entry_file *file,
                                   struct arus_text content, struct arus_error *err)
{
    if (log->kind == ARUS_LOG_SINK) {
        const struct arus_text lines = {content.data + 2, content.size - 2};
        struct arus_text rest = lines;
        struct arus_text line;

        (void)arus_log_take_line(&rest, &line); /* what is left of the version's line */
        ARUS_TRY(check_parts(log, file, rest, err));
    }
    ARUS_TRY(arus_folder_make(log->folder.text, &log->set->made, err));
    ARUS_TRY(arus_log_remove_crc(file->path.text, err));
    ARUS_TRY(arus_file_replace(file->path.text, content, err));
    notice(log,
           file->is_missing ? "was missing, written again from the journal"
                            : "was cut off, written again from the journal",
           file->shown.text);
    arus_buffer_reset(&file->content);
    ARUS_TRY(arus_buffer_append_text(&file->content, content, err));
    file->is_missing = false;
    return arus_mirrors_add(&log->set->mirrors, file->path.text, err);
}

static enum arus_status fail_differs(struct arus_log *log, const struct entry_file *file,
                                     struct arus_error *err)
{
    struct arus_text rest = arus_buffer_text(&file->content);
    enum arus_status status;
    int version;

    ARUS_TRY(arus_log_take_version(&rest, file->shown.text, 1, &version, err));
    ARUS_TRY(check_lines(log, rest, file->shown.text, err));
    status = arus_log_fail(err, file->shown.text, 0, "ARUS_CONTRADICTION",
                           "says something else than the journal");
    (void)arus_error_help(err,
                          "nothing was changed. rm that file and run again: the journal knows "
                          "entry %" PRId64 " and rebuilds it",
                          file->id);
    return status;
}

/** The text an entry should have; a compact holds everything before it too. */
static enum arus_status wanted_content(struct arus_log *log, const struct entry_file *file,
                                       struct arus_buffer *out, bool *is_known,
                                       struct arus_error *err)
{
    struct arus_buffer lines = {0};
    struct arus_log_sum sum = {0};
    enum arus_status status =
        journal_lines(log, file->is_compact ? 0 : file->id, file->id, &lines, &sum, is_known, err);

    arus_buffer_reset(out);
    if (status == ARUS_OK && *is_known) {
        status = arus_log_content(arus_buffer_text(&lines), out, err);
    }
    arus_buffer_release(&lines);
    return status;
}

enum arus_status arus_log_is_torn(struct arus_log *log, int64_t id, struct arus_text found,
                                  bool *out, struct arus_error *err)
{
    const struct entry_file file = {.id = id,
                                    .is_compact = arus_log_is_compaction(id, log->interval)};
    struct arus_buffer wanted = {0};
    bool is_known = false;
    enum arus_status status = wanted_content(log, &file, &wanted, &is_known, err);

    *out = status == ARUS_OK && is_known && is_torn(found, arus_buffer_text(&wanted));
    arus_buffer_release(&wanted);
    return status;
}

/** The sum after entry `id`; nothing before the first entry. */
static enum arus_status journal_sum(struct arus_log *log, int64_t id, struct arus_log_sum *sum,
                                    bool *is_known, struct arus_error *err)
{
    char key[ARUS_LOG_KEY_SIZE + 8];
    struct arus_store_read read;
    struct arus_text value;
    struct arus_text lines;
    struct arus_text detail;
    enum arus_status status;

    *sum = (struct arus_log_sum){0};
    *is_known = id < 0;
    if (id < 0) {
        return ARUS_OK;
    }
    log_key(log, id, key);
    ARUS_TRY(arus_store_read_begin(log->set->store, &read, err));
    status = arus_store_get(&read, ARUS_STORE_LOG, (struct arus_text){key, sizeof key}, &value,
                            is_known, err);
    *is_known = status == ARUS_OK && *is_known && arus_log_open_value(value, sum, &lines, &detail);
    arus_store_read_end(&read);
    return status;
}

/** A file of the right lines? Found out without building the text it should have. */
static enum arus_status has_known_lines(struct arus_log *log, const struct entry_file *file,
                                        bool *out, struct arus_error *err)
{
    struct arus_text rest = arus_buffer_text(&file->content);
    struct arus_log_sum wanted;
    struct arus_log_sum found;
    struct arus_error ignored;
    bool is_known;
    bool has_begin;
    int version;

    *out = false;
    if (arus_log_take_version(&rest, file->shown.text, 1, &version, &ignored) != ARUS_OK) {
        return ARUS_OK;
    }
    ARUS_TRY(journal_sum(log, file->id, &wanted, &is_known, err));
    ARUS_TRY(journal_sum(log, file->is_compact ? -1 : file->id - 1, &found, &has_begin, err));
    if (is_known && has_begin) {
        arus_log_sum_add(&found, rest);
        *out = wanted.hash == found.hash && wanted.line_count == found.line_count;
    }
    return ARUS_OK;
}

/** An entry that the journal holds. */
static enum arus_status restore_entry(struct arus_log *log, struct entry_file *file,
                                      struct arus_error *err)
{
    struct arus_buffer wanted = {0};
    bool is_known = false;
    enum arus_status status = ARUS_OK;

    if (!file->is_missing) {
        ARUS_TRY(has_known_lines(log, file, &is_known, err));
        if (is_known || (file->is_compact && log->retention_ms >= 0)) { /* leaves lines out */
            return ARUS_OK;
        }
    }
    status = wanted_content(log, file, &wanted, &is_known, err);
    if (status == ARUS_OK && !is_known) { /* older than the journal */
        status = file->is_missing ? fail_missing(log, file, err) : ARUS_OK;
    } else if (status == ARUS_OK) {
        const struct arus_text found = arus_buffer_text(&file->content);

        if (file->is_missing || is_torn(found, arus_buffer_text(&wanted))) {
            status = write_anew(log, file, arus_buffer_text(&wanted), err);
        } else if (!is_same_meaning(log, found, arus_buffer_text(&wanted))) {
            status = fail_differs(log, file, err);
        }
    }
    arus_buffer_release(&wanted);
    return status;
}

/* ---- entries the journal does not know ---- */

/** A cut-off text of our own making: what is there so far is good, the end is missing. */
static bool is_cut_off(const struct arus_log *log, struct arus_text content)
{
    static const struct arus_text SOURCE_START = {"v1\n{\"path\":\"file:///", 20};
    struct arus_text rest = content;
    struct arus_arena arena = {0};
    struct arus_error err;
    struct arus_text line;
    bool is_good = true;
    int version;

    if (is_torn(content, SOURCE_START)) {
        return true;
    }
    if (arus_log_take_version(&rest, "", 1, &version, &err) != ARUS_OK) {
        return false;
    }
    while (is_good && arus_log_take_line(&rest, &line)) {
        struct arus_log_line parsed;

        is_good = parse_line(log, line, &arena, &parsed, &err) == ARUS_OK;
    }
    arus_arena_release(&arena);
    return !is_good && rest.size == 0; /* only the last line is bad */
}

/** The detail that the plan file holds for an entry. */
static struct arus_text planned_detail(const struct arus_log *log, int64_t id)
{
    const struct arus_buffer *plan = &log->set->plan_details;
    size_t at = plan->size < ARUS_PLAN_HEAD_SIZE
                    ? plan->size
                    : ARUS_PLAN_HEAD_SIZE + (size_t)arus_store_key_read(plan->data + 8);

    while (at + ARUS_LOG_KEY_SIZE + 16 <= plan->size) {
        const char *head = plan->data + at;
        const uint64_t size = arus_store_key_read(head + ARUS_LOG_KEY_SIZE + 8);

        at += ARUS_LOG_KEY_SIZE + 16;
        if (size > plan->size - at) {
            break;
        }
        if (memcmp(head, log->key, ARUS_LOG_KEY_SIZE) == 0 &&
            (int64_t)arus_store_key_read(head + ARUS_LOG_KEY_SIZE) == id) {
            return (struct arus_text){plan->data + at, (size_t)size};
        }
        at += (size_t)size;
    }
    return (struct arus_text){0};
}

/** The lines that an unknown entry brought itself: of a compact, those that say so. */
static enum arus_status own_lines(const struct arus_log *log, const struct entry_file *file,
                                  struct arus_text rest, struct arus_buffer *out,
                                  struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_text line;
    enum arus_status status = ARUS_OK;

    while (status == ARUS_OK && arus_log_take_line(&rest, &line)) {
        struct arus_log_line parsed = {.log_id = file->id};

        if (file->is_compact && log->kind == ARUS_LOG_SOURCE) {
            status = arus_log_parse_source(line, &arena, &parsed, err);
        }
        if (status == ARUS_OK && parsed.log_id == file->id) {
            status = arus_buffer_append_text(out, line, err);
        }
        if (status == ARUS_OK && parsed.log_id == file->id) {
            status = arus_buffer_append_char(out, '\n', err);
        }
    }
    arus_arena_release(&arena);
    return status;
}

/**
 * A complete entry beyond the journal: written before a crash, or by Spark. It goes into the
 * journal with the next transaction. A sink's compact by Spark carries lines that the journal has:
 * those are left out.
 */
static enum arus_status take_over(struct arus_log *log, const struct entry_file *file,
                                  struct arus_text rest, struct arus_error *err)
{
    struct arus_buffer lines = {0};
    struct arus_text own = rest;
    enum arus_status status = ARUS_OK;

    if (file->is_compact && log->kind == ARUS_LOG_SINK) {
        struct arus_log_sum sum = log->sum;
        struct arus_text line;

        for (size_t i = 0; i < arus_log_staged_count(log); i++) {
            arus_log_sum_add(&sum, arus_log_staged_at(log, i)->lines);
        }
        for (uint64_t i = 0; i < sum.line_count && arus_log_take_line(&own, &line); i++) {
        }
    }
    status = own_lines(log, file, own, &lines, err);
    if (status == ARUS_OK) {
        status = arus_log_stage_copy(log, file->id, arus_buffer_text(&lines),
                                     planned_detail(log, file->id), true, err);
    }
    arus_buffer_release(&lines);
    return status;
}

/** Torn files behind the journal's newest are leftovers of a plan that was never used. */
static enum arus_status remove_torn(struct arus_log *log, int64_t *newest, struct arus_error *err)
{
    struct entry_file file = {0};
    enum arus_status status = ARUS_OK;

    while (*newest > log->journaled && *newest >= 0 && status == ARUS_OK) {
        status = open_entry(log, *newest, &file, err);
        if (status != ARUS_OK || file.is_missing ||
            !is_cut_off(log, arus_buffer_text(&file.content))) {
            break;
        }
        status = arus_file_remove(file.path.text, err);
        notice(log, "was cut off and never used, removed", file.shown.text);
        log->files.items.size -= sizeof(struct arus_log_file);
        (*newest)--;
    }
    arus_buffer_release(&file.content);
    return status;
}

/* ---- the whole log ---- */

static enum arus_status load_entry(struct arus_log *log, struct entry_file *file,
                                   struct arus_error *err)
{
    struct arus_text rest = arus_buffer_text(&file->content);
    int version;

    ARUS_TRY(arus_log_take_version(&rest, file->shown.text, 1, &version, err));
    if (file->id > log->journaled) {
        ARUS_TRY(check_lines(log, rest, file->shown.text, err));
        ARUS_TRY(take_over(log, file, rest, err));
    }
    if (log->loaded.size == 0) { /* a large one is moved, not copied */
        log->loaded_begin = (size_t)(rest.data - file->content.data);
        log->loaded = file->content;
        file->content = (struct arus_buffer){0};
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_append_text(&log->loaded_more, rest, err));
    if (rest.size > 0 && rest.data[rest.size - 1] != '\n') {
        return arus_buffer_append_char(&log->loaded_more, '\n', err);
    }
    return ARUS_OK;
}

static enum arus_status restore_all(struct arus_log *log, int64_t newest, struct arus_error *err)
{
    struct entry_file file = {0};
    enum arus_status status = ARUS_OK;

    for (int64_t id = arus_log_first_needed(newest, log->interval);
         id <= newest && status == ARUS_OK; id++) {
        status = open_entry(log, id, &file, err);
        if (status == ARUS_OK && id <= log->journaled) {
            status = restore_entry(log, &file, err);
        } else if (status == ARUS_OK && file.is_missing) {
            status = fail_missing(log, &file, err);
        }
        if (status == ARUS_OK) {
            status = load_entry(log, &file, err);
        }
    }
    arus_buffer_release(&file.content);
    return status;
}

/** Up to where the log must reach: a source's to the journal, a sink's to what was published. */
static int64_t wanted_newest(const struct arus_log *log, int64_t found)
{
    const int64_t known = log->kind == ARUS_LOG_SOURCE ? log->journaled : log->set->published;

    return known > found ? known : found;
}

static enum arus_status fail_ahead(const struct arus_log *log, int64_t newest,
                                   struct arus_error *err)
{
    const enum arus_status status =
        arus_fail(err, ARUS_MISMATCH, "ARUS_SINK_AHEAD",
                  "%s has batches up to %" PRId64 ", the checkpoint only up to %" PRId64,
                  log->shown.text, newest, log->set->planned);

    (void)arus_error_note(err, "going on would lose rows: these batch ids count as written");
    if (log->set->published < 0) {
        return arus_error_help(
            err, "put the checkpoint back that belongs to it, or write to another path");
    }
    (void)arus_error_help(
        err,
        "put the checkpoint back that belongs to it; or, if this one is a backup, "
        "take the later batches back, which are made again: arus rewind %s "
        "--to-batch %" PRId64,
        arus_log_set_shown(log->set), log->set->published);
    return status;
}

static enum arus_status list_log(struct arus_log *log, int64_t *newest, struct arus_error *err)
{
    bool is_missing;
    size_t count;

    ARUS_TRY(arus_log_list(log->folder.text, true, &log->files, &is_missing, err));
    if (log->files.odd.size > 0) {
        return arus_fail(err, ARUS_MISMATCH, "MALFORMED_LOG_FILE",
                         "%s/%s counts as a number but is not written like one", log->shown.text,
                         log->files.odd.data);
    }
    count = arus_log_listing_count(&log->files);
    *newest = count == 0 ? -1 : arus_log_listing_at(&log->files, count - 1).id;
    log->interval = arus_log_interval(&log->files, log->interval);
    return ARUS_OK;
}

/**
 * Up to where the text of a sink's log is settled here. What this checkpoint prepared beyond it is
 * published again, which finds out by itself what is there.
 */
static int64_t settled_newest(const struct arus_log *log, int64_t found)
{
    const struct arus_log_set *set = log->set;
    int64_t newest = wanted_newest(log, found);

    if (log->kind == ARUS_LOG_SINK && newest > set->published && newest <= set->prepared) {
        newest = set->published;
    }
    return newest;
}

enum arus_status arus_log_restore(struct arus_log *log, struct arus_error *err)
{
    int64_t newest;

    ARUS_TRY(find_journaled(log, err));
    ARUS_TRY(list_log(log, &newest, err));
    if (log->kind == ARUS_LOG_SOURCE && log->set->has_journal && !log->set->is_foreign) {
        ARUS_TRY(remove_torn(log, &newest, err));
    }
    if (log->kind == ARUS_LOG_SINK && newest > log->set->planned && log->set->planned >= 0) {
        return fail_ahead(log, newest, err);
    }
    log->newest = settled_newest(log, newest);
    log->is_loaded = true;
    ARUS_TRY(restore_all(log, log->newest, err));
    return arus_folder_make(log->folder.text, &log->set->made, err);
}

enum arus_status arus_log_reopen(struct arus_log *log, struct arus_error *err)
{
    arus_log_listing_release(&log->files);
    log->files = (struct arus_log_listing){0};
    log->expired_count = 0;
    arus_log_drop_loaded(log);
    arus_log_drop_staged(log);
    log->interval = log->kind == ARUS_LOG_SOURCE ? log->set->config.source_log_interval
                                                 : log->set->config.sink_log_interval;
    return arus_log_restore(log, err);
}

enum arus_status arus_log_reload_sum(struct arus_log *log, struct arus_error *err)
{
    return find_journaled(log, err);
}
