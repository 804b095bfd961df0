/** The file source of a running query: which files are new, how many a micro-batch takes, what
 * offsets mean. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "file/seen.h"
#include "file/watch.h"
#include "journal/log.h"
#include "journal/path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define NO_OFFSET   ((int64_t)-1)
#define LARGE_SIZE  ((uint64_t)256 << 10) /* bytes of a folder that is worth a thread of its own */
#define PASSED_OVER 4096 /* taken files at the head of the list before it is shortened */

struct arus_source_stream {
    const struct arus_file_source *source;
    const struct arus_logger *logger;
    struct arus_log *log;
    struct arus_seen seen; /* files in the log */
    struct arus_seen waiting_names;
    int64_t newest_ms;           /* newest modification time seen */
    int64_t too_old_ms;          /* files older than this are ignored; INT64_MIN: none */
    struct arus_listing listing; /* the source's, asking this stream */
    struct arus_folder ahead;    /* its root, read while the log is */
    struct arus_watch watch;
    struct arus_file_list waiting; /* found, not yet taken; sorted */
    size_t waiting_head;           /* of them, taken */
    struct arus_file_list found;   /* of one look */
    int64_t cleaned_id;            /* log entry that was cleaned up last */
    int64_t fresh_from;            /* log entries from here on were planned by this process */
    bool has_lost;                 /* a waiting file vanished; it may come back unnoticed */
    bool has_snapshot;             /* availableNow: nothing more is looked for */
    struct arus_buffer lines;
    struct arus_buffer detail;
    struct arus_buffer last; /* path of the newest file in the log, at opening */
    struct arus_arena scratch;
};

static size_t waiting_count(const struct arus_source_stream *stream)
{
    return stream->waiting.count - stream->waiting_head;
}

static enum arus_file_order order_of(const struct arus_source_stream *stream)
{
    return stream->source->settings.latest_first ? ARUS_NEWEST_FIRST : ARUS_OLDEST_FIRST;
}

static bool wants(void *self, struct arus_text folder, struct arus_text name)
{
    struct arus_source_stream *stream = self;

    return !arus_seen_has(&stream->seen, folder, name) &&
           !arus_seen_has(&stream->waiting_names, folder, name);
}

static void hint(void *self, struct arus_text folder, struct arus_text name)
{
    struct arus_source_stream *stream = self;

    arus_seen_hint(&stream->seen, folder, name);
}

static void note_mtime(struct arus_source_stream *stream, int64_t mtime_ms)
{
    stream->newest_ms = mtime_ms > stream->newest_ms ? mtime_ms : stream->newest_ms;
}

/* ---- opening ---- */

/* The usual form of a line, without escapes: `{"path":"file:///x","timestamp":1,"batchId":2}`. */
static bool scan_line(struct arus_text line, struct arus_text *path, int64_t *mtime_ms)
{
    static const char BEGIN[] = "{\"path\":\"file:///";
    static const char MIDDLE[] = "\",\"timestamp\":";
    const size_t begin = sizeof BEGIN - 1;
    const char *quote;
    const char *at;
    const char *end = line.data + line.size;
    int64_t value = 0;

    if (line.size < begin || memcmp(line.data, BEGIN, begin) != 0) {
        return false;
    }
    path->data = line.data + begin - 1;
    quote = memchr(path->data, '"', (size_t)(end - path->data));
    if (quote == NULL || (size_t)(end - quote) < sizeof MIDDLE ||
        memcmp(quote, MIDDLE, sizeof MIDDLE - 1) != 0) {
        return false;
    }
    path->size = (size_t)(quote - path->data);
    for (at = quote + sizeof MIDDLE - 1; at < end && *at >= '0' && *at <= '9'; at++) {
        value = value * 10 + (*at - '0');
    }
    *mtime_ms = value;
    return at < end && *at == ',' && at - quote < 32 &&
           memchr(path->data, '%', path->size) == NULL &&
           memchr(path->data, '\\', path->size) == NULL;
}

static enum arus_status take_line(void *self, struct arus_text line, struct arus_error *err)
{
    struct arus_source_stream *stream = self;
    struct arus_log_line entry;
    struct arus_text folder;
    struct arus_text name;
    struct arus_text path;

    if (!scan_line(line, &path, &entry.mtime_ms)) {
        arus_arena_reset(&stream->scratch);
        ARUS_TRY(arus_log_parse_source(line, &stream->scratch, &entry, err));
        ARUS_TRY(arus_path_of_uri(entry.uri, &stream->scratch, &path, err));
    }
    arus_buffer_reset(&stream->last);
    ARUS_TRY(arus_buffer_append_text(&stream->last, path, err));
    note_mtime(stream, entry.mtime_ms);
    arus_seen_split(path, &folder, &name);
    return arus_seen_enqueue(&stream->seen, folder, name, err);
}

/* Files so much older than the newest are not expected any more: set after a batch, as Spark does.
 */
static void forget_old(struct arus_source_stream *stream)
{
    const struct arus_file_read_settings *settings = &stream->source->settings;
    const bool is_off =
        settings->latest_first && (settings->max_files != 0 || settings->max_bytes != 0);

    if (!is_off && stream->newest_ms != INT64_MIN) {
        stream->too_old_ms = stream->newest_ms - settings->max_age_ms;
    }
}

/* The folder of the files in an old log must be the one that is read now: the last one tells. */
static enum arus_status check_base(const struct arus_source_stream *stream, struct arus_error *err)
{
    const struct arus_text root = arus_text_of(stream->source->listing.root);
    const struct arus_text path = arus_buffer_text(&stream->last);

    if (path.size == 0 || stream->source->listing.is_glob || arus_text_equal(path, root) ||
        (arus_text_starts_with(path, root) && path.data[root.size] == '/')) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_SOURCE_MOVED",
                          "the checkpoint has read %.*s, which does not lie in %s",
                          ARUS_TEXT_ARGS(path), root.data));
    return arus_error_help(err, "put the old path back, or give the query a new "
                                "checkpointLocation and a new path");
}

static enum arus_status take_up(struct arus_source_stream *stream, struct arus_log_set *logs,
                                uint32_t index, struct arus_error *err)
{
    const bool by_name = stream->source->settings.file_name_only;

    ARUS_TRY(arus_seen_init(&stream->seen, by_name, err));
    ARUS_TRY(arus_seen_init(&stream->waiting_names, false, err));
    ARUS_TRY(arus_log_open_source(logs, index, &stream->log, err));
    ARUS_TRY(arus_seen_reserve(&stream->seen, arus_log_count(stream->log), err));
    ARUS_TRY(arus_log_each(stream->log, take_line, stream, err));
    ARUS_TRY(arus_seen_settle(&stream->seen, err));
    ARUS_TRY(check_base(stream, err));
    forget_old(stream);
    return ARUS_OK;
}

/* A large folder takes as long to read as the log of what was in it. A failure shows when it is
 * listed. */
static void read_ahead(struct arus_source_stream *stream)
{
    const char *root = stream->listing.root;
    struct arus_file_info info;
    struct arus_error ignored;
    bool is_missing;
    bool has_log;

    if (!stream->listing.is_glob && arus_file_stat(root, &info, &ignored) == ARUS_OK &&
        info.kind == ARUS_FILE_FOLDER && info.size >= LARGE_SIZE &&
        arus_listing_has_log(root, &has_log, &ignored) == ARUS_OK && !has_log) {
        arus_ignore(arus_folder_open_ahead(&stream->ahead, root, &is_missing, &ignored));
    }
}

enum arus_status arus_file_stream_open(const struct arus_source *base, struct arus_log_set *logs,
                                       uint32_t index, struct arus_source_stream **out,
                                       struct arus_error *err)
{
    struct arus_source_stream *stream = arus_alloc(1, sizeof *stream);
    enum arus_status status;

    *out = NULL;
    if (stream == NULL) {
        return arus_fail_memory(err);
    }
    stream->source = (const struct arus_file_source *)base;
    stream->logger = arus_log_set_logger(logs);
    stream->newest_ms = INT64_MIN;
    stream->too_old_ms = INT64_MIN;
    stream->listing = stream->source->listing;
    stream->listing.wants = wants;
    stream->listing.hint = hint;
    stream->listing.self = stream;
    stream->listing.ahead = &stream->ahead;
    arus_watch_open(&stream->watch, &stream->listing);
    read_ahead(stream);
    status = take_up(stream, logs, index, err);
    if (status != ARUS_OK) {
        arus_file_stream_close(stream);
        return status;
    }
    stream->fresh_from = arus_log_newest(stream->log) + 1;
    stream->cleaned_id = NO_OFFSET;
    *out = stream;
    return ARUS_OK;
}

void arus_file_stream_close(struct arus_source_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    arus_watch_close(&stream->watch);
    arus_folder_close(&stream->ahead);
    arus_seen_release(&stream->seen);
    arus_seen_release(&stream->waiting_names);
    arus_file_list_release(&stream->waiting);
    arus_file_list_release(&stream->found);
    arus_buffer_release(&stream->lines);
    arus_buffer_release(&stream->detail);
    arus_buffer_release(&stream->last);
    arus_arena_release(&stream->scratch);
    arus_free(stream);
}

int arus_file_stream_wake_fd(struct arus_source_stream *stream)
{
    return stream->watch.fd;
}

/* ---- planning ---- */

static int64_t mtime_ms(const struct arus_file_entry *file)
{
    return file->mtime_ns / 1000000 - (file->mtime_ns % 1000000 < 0);
}

/* The files that wait, with what has come since the last look. */
static enum arus_status look_for_files(struct arus_source_stream *stream,
                                       const struct arus_plan_limits *limits,
                                       struct arus_error *err)
{
    struct arus_file_list *found = &stream->found;
    size_t kept = 0;

    if (stream->has_snapshot) {
        return ARUS_OK;
    }
    stream->has_snapshot = limits->is_available_now;
    arus_file_list_reset(found);
    stream->watch.is_once = limits->is_available_now || limits->is_unlimited;
    ARUS_TRY(arus_watch_look(&stream->watch, found, err));
    for (size_t i = 0; i < found->count; i++) {
        struct arus_text folder;
        struct arus_text name;
        bool is_new;

        if (mtime_ms(&found->items[i]) < stream->too_old_ms) {
            continue;
        }
        arus_seen_split(found->items[i].path, &folder, &name);
        ARUS_TRY(arus_seen_add(&stream->waiting_names, folder, name, &is_new, err));
        if (is_new) { /* else it is named twice, by events and a listing */
            found->items[kept++] = found->items[i];
        }
    }
    found->count = kept;
    arus_file_list_sort(found, order_of(stream));
    return arus_file_list_merge(&stream->waiting, stream->waiting_head, found, order_of(stream),
                                err);
}

/* How many of the waiting files the limits allow. */
static size_t allowed_count(const struct arus_source_stream *stream,
                            const struct arus_plan_limits *limits)
{
    const struct arus_file_read_settings *settings = &stream->source->settings;
    const struct arus_file_entry *files = stream->waiting.items + stream->waiting_head;
    const size_t count = waiting_count(stream);
    uint64_t total = 0;

    if (limits->is_unlimited) {
        return count;
    }
    if (settings->max_files != 0) {
        return (uint64_t)settings->max_files < count ? (size_t)settings->max_files : count;
    }
    for (size_t i = 0; settings->max_bytes != 0 && i < count; i++) {
        total += files[i].size;
        if (i != 0 && total > (uint64_t)settings->max_bytes) {
            return i;
        }
    }
    return count;
}

/* A file may have grown or gone since it was listed: the plan says what is there now. Files of a
 * sink's log are as the log says. */
static enum arus_status look_again(const struct arus_source_stream *stream,
                                   struct arus_file_entry *file, bool *is_gone,
                                   struct arus_error *err)
{
    struct arus_file_info info;

    *is_gone = false;
    if (stream->watch.way == ARUS_LISTING_LOG) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_file_stat(file->path.data, &info, err));
    *is_gone = info.kind != ARUS_FILE_REGULAR;
    file->size = info.size;
    file->mtime_ns = info.mtime_ns;
    file->inode = info.inode;
    return ARUS_OK;
}

static enum arus_status take_file(struct arus_source_stream *stream, struct arus_file_entry *file,
                                  int64_t log_id, size_t *taken, struct arus_error *err)
{
    struct arus_text folder;
    struct arus_text name;
    bool is_gone;
    bool is_new;

    ARUS_TRY(look_again(stream, file, &is_gone, err));
    if (is_gone) {
        stream->has_lost = true;
        return ARUS_OK;
    }
    note_mtime(stream, mtime_ms(file));
    arus_seen_split(file->path, &folder, &name);
    ARUS_TRY(arus_seen_add(&stream->seen, folder, name, &is_new, err));
    if (!is_new) {
        arus_logger_print(stream->logger, ARUS_LOG_WARN,
                          "%s: passed over, fileNameOnly: a file of this name was read",
                          file->path.data);
        return ARUS_OK;
    }
    *taken += 1;
    ARUS_TRY(arus_log_append_source(&stream->lines, file->path, mtime_ms(file), log_id, err));
    return arus_buffer_printf(&stream->detail, err, "%" PRIu64 " %" PRId64 " %" PRIu64 "\n",
                              file->size, file->mtime_ns, file->inode);
}

/* Takes files out of the waiting list into a log entry. */
static enum arus_status take_files(struct arus_source_stream *stream, size_t wanted, int64_t log_id,
                                   size_t *taken, struct arus_error *err)
{
    *taken = 0;
    arus_buffer_reset(&stream->lines);
    arus_buffer_reset(&stream->detail);
    while (waiting_count(stream) > 0 && *taken < wanted) {
        ARUS_TRY(
            take_file(stream, &stream->waiting.items[stream->waiting_head], log_id, taken, err));
        stream->waiting_head++;
    }
    if (waiting_count(stream) == 0 ||
        (stream->waiting_head >= PASSED_OVER && stream->waiting_head > waiting_count(stream))) {
        ARUS_TRY(arus_file_list_drop(&stream->waiting, stream->waiting_head, err));
        stream->waiting_head = 0;
    }
    if (waiting_count(stream) == 0) { /* all of them are in `seen` now, or gone */
        arus_seen_reset(&stream->waiting_names);
        stream->watch.was_listed = stream->watch.was_listed && !stream->has_lost;
        stream->has_lost = false;
    }
    return ARUS_OK;
}

/* `{"logOffset":N}`; also a bare number, spaces and other keys. */
int64_t arus_file_offset_of(struct arus_text offset)
{
    const char *at = offset.data;
    const char *end = offset.data + offset.size;
    static const char KEY[] = "\"logOffset\"";
    int64_t value = 0;
    bool has_digit = false;

    for (const char *k = offset.data; k + sizeof KEY - 1 <= end; k++) {
        if (memcmp(k, KEY, sizeof KEY - 1) == 0) {
            at = k + sizeof KEY - 1;
        }
    }
    while (at < end && (*at < '0' || *at > '9')) {
        at++;
    }
    for (; at < end && *at >= '0' && *at <= '9' && value < INT64_MAX / 20; at++) {
        value = value * 10 + (*at - '0');
        has_digit = true;
    }
    return has_digit ? value : NO_OFFSET;
}

/* The files of a sink are listed by its log: who removed one would break every reader of it. */
static enum arus_status check_cleaning(const struct arus_source_stream *stream,
                                       struct arus_error *err)
{
    const struct arus_table *table = stream->source->base.table;
    const struct arus_setting *setting;

    if (stream->source->settings.clean_source == ARUS_CLEAN_OFF ||
        stream->watch.way != ARUS_LISTING_LOG) {
        return ARUS_OK;
    }
    setting = arus_settings_find(&table->options, "cleanSource");
    arus_ignore(arus_fail_at(err, setting == NULL ? table->place : setting->key_place,
                             "ARUS_CLEAN_SINK",
                             "cleanSource cannot clean %.*s: it is the sink of a query",
                             ARUS_TEXT_ARGS(stream->source->base.location)));
    return arus_error_help(err, "leave cleanSource out");
}

enum arus_status arus_file_stream_plan(struct arus_source_stream *stream, struct arus_text start,
                                       const struct arus_plan_limits *limits,
                                       struct arus_arena *arena, struct arus_planned *out,
                                       struct arus_error *err)
{
    const int64_t known = arus_log_newest(stream->log);
    const int64_t begin = arus_file_offset_of(start);
    int64_t end = known;
    size_t taken = 0;

    *out = (struct arus_planned){0};
    ARUS_TRY(look_for_files(stream, limits, err));
    ARUS_TRY(check_cleaning(stream, err));
    if (known <=
        begin) { /* else a crash came between sources/I/K and offsets/N: that was the batch */
        ARUS_TRY(take_files(stream, allowed_count(stream, limits), known + 1, &taken, err));
    }
    if (taken != 0) {
        end = known + 1;
        ARUS_TRY(arus_log_stage(stream->log, end, arus_buffer_text(&stream->lines),
                                arus_buffer_text(&stream->detail), err));
        forget_old(stream);
    }
    out->left_count = waiting_count(stream);
    out->known_count = stream->seen.count;
    out->has_new = end > begin;
    return out->has_new
               ? arus_text_format(arena, &out->end, err, "{\"logOffset\":%" PRId64 "}", end)
               : ARUS_OK;
}

/* ---- splits of a planned range ---- */

static bool read_number(const char **at, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(*at, &end, 10);
    if (end == *at || errno != 0) {
        return false;
    }
    *at = end;
    return true;
}

/* What the plan knew of a file: "size mtime inode"; false where Spark planned it. */
static bool next_detail(struct arus_text *detail, struct arus_file_entry *out)
{
    const char *end = detail->size == 0 ? NULL : memchr(detail->data, '\n', detail->size);
    char line[80];
    const char *at = line;
    uint64_t mtime;
    size_t size;

    if (end == NULL || (size_t)(end - detail->data) >= sizeof line) {
        return false;
    }
    size = (size_t)(end - detail->data);
    memcpy(line, detail->data, size);
    line[size] = 0;
    detail->data += size + 1;
    detail->size -= size + 1;
    if (!read_number(&at, &out->size) || !read_number(&at, &mtime) ||
        !read_number(&at, &out->inode)) {
        return false;
    }
    out->mtime_ns = (int64_t)mtime; /* written as a signed number, read back bit by bit */
    return true;
}

/* A file as the user would write it: below the source's folder as it stands in the table. */
static void show_path(const struct arus_source_stream *stream, struct arus_text path,
                      struct arus_text *folder, struct arus_text *rest)
{
    const struct arus_text root = arus_text_of(stream->source->listing.root);

    *folder = (struct arus_text){0};
    *rest = path;
    if (!arus_text_starts_with(path, root) || path.size == root.size) {
        return;
    }
    *folder = stream->source->base.location;
    while (folder->size > 1 && folder->data[folder->size - 1] == '/') {
        folder->size--;
    }
    *rest = (struct arus_text){path.data + root.size, path.size - root.size};
}

static enum arus_status refuse_gone(const struct arus_source_stream *stream, struct arus_text path,
                                    struct arus_error *err)
{
    struct arus_text folder;
    struct arus_text rest;

    show_path(stream, path, &folder, &rest);
    arus_ignore(arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.FILE_NOT_EXIST",
                          "%.*s%.*s belongs to this batch and is gone", ARUS_TEXT_ARGS(folder),
                          ARUS_TEXT_ARGS(rest)));
    return arus_error_help(err, "put the same file back and run again, or lose its rows: OPTIONS "
                                "(ignoreMissingFiles true)");
}

static enum arus_status refuse_changed(const struct arus_source_stream *stream,
                                       struct arus_text path, struct arus_error *err)
{
    struct arus_text folder;
    struct arus_text rest;

    show_path(stream, path, &folder, &rest);
    arus_ignore(arus_fail(err, ARUS_BAD_DATA, "ARUS_FILE_CHANGED",
                          "%.*s%.*s belongs to this batch and is not the file that was planned",
                          ARUS_TEXT_ARGS(folder), ARUS_TEXT_ARGS(rest)));
    return arus_error_help(err, "put the planned file back (same size and time) and run again");
}

/* The file as it is now, checked against the plan. A copy that somebody put back has another inode,
 * and as a rule a time without the last digits: size and milliseconds decide. */
static enum arus_status add_planned(struct arus_source_stream *stream, struct arus_text path,
                                    int64_t planned_ms, const struct arus_file_entry *planned,
                                    struct arus_file_list *out, struct arus_error *err)
{
    struct arus_file_entry now = {.path = path};
    struct arus_file_info info;

    ARUS_TRY(arus_file_stat(path.data, &info, err));
    if (info.kind == ARUS_FILE_NONE) {
        return stream->source->settings.ignore_missing ? ARUS_OK : refuse_gone(stream, path, err);
    }
    now.size = info.size;
    now.mtime_ns = info.mtime_ns;
    now.inode = info.inode;
    if (planned != NULL && planned->inode == 0) { /* from a sink's log, which knows the size only */
        planned_ms = mtime_ms(&now);
    }
    if (mtime_ms(&now) != planned_ms || (planned != NULL && planned->size > now.size)) {
        return refuse_changed(stream, path, err);
    }
    now.size = planned != NULL ? planned->size : now.size;
    return arus_file_list_add(out, &now, err);
}

/* A file of a batch that this process has just planned and not read yet: it counts as it is now, as
 * in Spark. The writer may have closed it, or set its time, between listing and reading. */
static enum arus_status add_fresh(struct arus_source_stream *stream, struct arus_text path,
                                  struct arus_file_list *out, struct arus_error *err)
{
    struct arus_file_info info;

    ARUS_TRY(arus_file_stat(path.data, &info, err));
    if (info.kind == ARUS_FILE_NONE) {
        return stream->source->settings.ignore_missing ? ARUS_OK : refuse_gone(stream, path, err);
    }
    return arus_file_list_add(
        out, &(struct arus_file_entry){path, info.size, info.mtime_ns, info.inode}, err);
}

static enum arus_status add_entry(struct arus_source_stream *stream, int64_t id,
                                  struct arus_file_list *out, struct arus_error *err)
{
    struct arus_arena scratch = {0};
    struct arus_text lines = {0};
    struct arus_text detail = {0};
    bool is_found = false;
    enum arus_status status =
        arus_log_entry(stream->log, id, &scratch, &lines, &detail, &is_found, err);

    if (status == ARUS_OK && !is_found) {
        status = arus_fail(err, ARUS_MISMATCH, "BATCH_METADATA_NOT_FOUND",
                           "the source log has no entry %" PRId64, id);
    }
    while (status == ARUS_OK && lines.size != 0) {
        const char *end = memchr(lines.data, '\n', lines.size);
        const size_t size = end == NULL ? lines.size : (size_t)(end - lines.data);
        struct arus_file_entry planned = {0};
        struct arus_log_line line;
        struct arus_text path;

        if (size != 0) {
            const bool has_detail = next_detail(&detail, &planned);

            status =
                arus_log_parse_source((struct arus_text){lines.data, size}, &scratch, &line, err);
            if (status == ARUS_OK) {
                status = arus_path_of_uri(line.uri, &scratch, &path, err);
            }
            if (status == ARUS_OK) {
                status = id >= stream->fresh_from
                             ? add_fresh(stream, path, out, err)
                             : add_planned(stream, path, line.mtime_ms,
                                           has_detail ? &planned : NULL, out, err);
            }
        }
        lines.data += size + (end != NULL);
        lines.size -= size + (end != NULL);
    }
    arus_arena_release(&scratch);
    return status;
}

enum arus_status arus_file_stream_splits(struct arus_source_stream *stream, struct arus_text start,
                                         struct arus_text end, struct arus_source_scan *scan,
                                         uint32_t worker_count, struct arus_arena *arena,
                                         struct arus_splits *out, struct arus_error *err)
{
    struct arus_file_list files = {0};
    enum arus_status status = ARUS_OK;

    (void)scan;
    for (int64_t id = arus_file_offset_of(start) + 1;
         status == ARUS_OK && id <= arus_file_offset_of(end); id++) {
        status = add_entry(stream, id, &files, err);
    }
    if (status == ARUS_OK) {
        status = arus_file_splits(stream->source, files.items, files.count, worker_count, arena,
                                  out, err);
    }
    out->file_count = files.count;
    arus_file_list_release(&files);
    return status;
}

/* Only of a snapshot: elsewhere a new file may still come first. */
enum arus_status arus_file_stream_peek(struct arus_source_stream *stream,
                                       const struct arus_plan_limits *limits, uint32_t worker_count,
                                       struct arus_arena *arena, struct arus_splits *out,
                                       struct arus_error *err)
{
    const struct arus_file_entry *waiting = stream->waiting.items + stream->waiting_head;
    struct arus_file_list files = {0};
    enum arus_status status = ARUS_OK;
    size_t count;

    *out = (struct arus_splits){0};
    if (!stream->has_snapshot || waiting_count(stream) == 0) {
        return ARUS_OK;
    }
    count = allowed_count(stream, limits);
    for (size_t i = 0; status == ARUS_OK && i < count; i++) {
        status = add_fresh(stream, waiting[i].path, &files, err);
    }
    if (status == ARUS_OK) {
        status = arus_file_splits(stream->source, files.items, files.count, worker_count, arena,
                                  out, err);
        out->file_count = files.count;
    }
    arus_file_list_release(&files);
    return status;
}

/* ---- cleaning up ---- */

enum arus_status arus_file_stream_committed(struct arus_source_stream *stream, struct arus_text end,
                                            struct arus_error *err)
{
    const int64_t id = arus_file_offset_of(end);
    struct arus_arena scratch = {0};
    struct arus_text lines = {0};
    struct arus_text detail = {0};
    struct arus_error failure;
    bool is_found = false;
    enum arus_status status;

    if (stream->source->settings.clean_source == ARUS_CLEAN_OFF || id == stream->cleaned_id) {
        return ARUS_OK;
    }
    status = arus_log_entry(stream->log, id, &scratch, &lines, &detail, &is_found, err);
    while (status == ARUS_OK && lines.size != 0) {
        const char *newline = memchr(lines.data, '\n', lines.size);
        const size_t size = newline == NULL ? lines.size : (size_t)(newline - lines.data);
        struct arus_file_entry planned = {0};
        const bool has_detail = size != 0 && next_detail(&detail, &planned);

        /* As in Spark a file that cannot be cleaned up stays; the rows are safe either way. */
        if (size != 0 && arus_file_clean(stream->source, (struct arus_text){lines.data, size},
                                         has_detail ? &planned : NULL, &failure) != ARUS_OK) {
            arus_logger_print(stream->logger, ARUS_LOG_WARN, "cleanSource: %s", failure.message);
        }
        lines.data += size + (newline != NULL);
        lines.size -= size + (newline != NULL);
    }
    stream->cleaned_id = id;
    arus_arena_release(&scratch);
    return status;
}
