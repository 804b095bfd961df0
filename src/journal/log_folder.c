/** The files of a log folder: names, numbers, which of them a reader needs. */
#include "journal/log_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Java's parseLong over the whole text. */
static bool parse_id(const char *name, size_t size, int64_t *out, bool *is_plain)
{
    size_t at = size > 0 && (name[0] == '-' || name[0] == '+') ? 1 : 0;
    uint64_t number = 0;

    if (at == size || size - at > 18) {
        return false;
    }
    *is_plain = at == 0 && (size == 1 || name[0] != '0');
    for (; at < size; at++) {
        if (name[at] < '0' || name[at] > '9') {
            return false;
        }
        number = number * 10 + (uint64_t)(name[at] - '0');
    }
    *out = name[0] == '-' ? -(int64_t)number : (int64_t)number;
    return true;
}

static bool is_temporary(const char *name)
{
    const size_t size = strlen(name);

    return name[0] == '.' && size > 9 && strcmp(name + size - 9, ".arus.tmp") == 0;
}

static int compare_files(const void *a, const void *b)
{
    const struct arus_log_file *left = (const struct arus_log_file *)a;
    const struct arus_log_file *right = (const struct arus_log_file *)b;

    if (left->id != right->id) {
        return left->id < right->id ? -1 : 1;
    }
    return (int)left->is_compact - (int)right->is_compact;
}

static enum arus_status list_name(struct arus_folder *folder, const char *name,
                                  enum arus_file_kind kind, bool removes_temporary,
                                  struct arus_log_listing *out, struct arus_error *err)
{
    static const char SUFFIX[] = ".compact";
    const size_t size = strlen(name);
    const size_t tail = sizeof SUFFIX - 1;
    struct arus_log_file file = {0};
    bool is_plain;

    if (removes_temporary && is_temporary(name)) {
        struct arus_path path;

        ARUS_TRY(arus_path_join(&path, folder->path, name, err));
        return arus_file_remove(path.text, err);
    }
    file.is_compact = size > tail && strcmp(name + size - tail, SUFFIX) == 0;
    if (!parse_id(name, file.is_compact ? size - tail : size, &file.id, &is_plain)) {
        return ARUS_OK;
    }
    if (kind == ARUS_FILE_NONE) {
        struct arus_file_info info;

        ARUS_TRY(arus_folder_stat(folder, name, &info, err));
        kind = info.kind;
    }
    if (kind != ARUS_FILE_REGULAR) {
        return ARUS_OK;
    }
    if (!is_plain && out->odd.size == 0) {
        return arus_buffer_append(&out->odd, name, size + 1, err);
    }
    return is_plain ? arus_buffer_append(&out->items, &file, sizeof file, err) : ARUS_OK;
}

enum arus_status arus_log_list(const char *path, bool removes_temporary,
                               struct arus_log_listing *out, bool *is_missing,
                               struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_file_kind kind = ARUS_FILE_NONE;
    const char *name = NULL;
    enum arus_status status;

    *out = (struct arus_log_listing){0};
    ARUS_TRY(arus_folder_open(&folder, path, is_missing, err));
    do {
        status = arus_folder_next(&folder, &name, &kind, err);
        if (status == ARUS_OK && name != NULL) {
            status = list_name(&folder, name, kind, removes_temporary, out, err);
        }
    } while (status == ARUS_OK && name != NULL);
    arus_folder_close(&folder);
    if (status != ARUS_OK) {
        arus_log_listing_release(out);
        return status;
    }
    if (out->items.size > 0) {
        qsort(out->items.data, arus_log_listing_count(out), sizeof(struct arus_log_file),
              compare_files);
    }
    return ARUS_OK;
}

void arus_log_listing_release(struct arus_log_listing *listing)
{
    arus_buffer_release(&listing->items);
    arus_buffer_release(&listing->odd);
}

uint32_t arus_log_interval(const struct arus_log_listing *listing, uint32_t fallback)
{
    int64_t newest = -1;
    int64_t second = -1;

    for (size_t i = 0; i < arus_log_listing_count(listing); i++) {
        const struct arus_log_file file = arus_log_listing_at(listing, i);

        if (file.is_compact) {
            second = newest;
            newest = file.id;
        }
    }
    if (newest < 0) {
        return fallback;
    }
    if (second >= 0) {
        return (uint32_t)(newest - second);
    }
    if (newest + 1 <= (int64_t)fallback) {
        return (uint32_t)(newest + 1);
    }
    for (int64_t divisor = fallback; divisor <= (newest + 1) / 2; divisor++) {
        if ((newest + 1) % divisor == 0) {
            return (uint32_t)divisor;
        }
    }
    return (uint32_t)(newest + 1);
}

enum arus_status arus_log_path(struct arus_path *out, const char *folder, int64_t id,
                               bool is_compact, struct arus_error *err)
{
    char name[40];

    (void)snprintf(name, sizeof name, "%" PRId64 "%s", id, is_compact ? ".compact" : "");
    return arus_path_join(out, folder, name, err);
}

enum arus_status arus_log_remove_crc(const char *path, struct arus_error *err)
{
    const char *name = strrchr(path, '/') + 1;
    struct arus_path crc;

    ARUS_TRY(arus_path_format(&crc, err, "%.*s.%s.crc", (int)(name - path), path, name));
    return arus_file_remove(crc.text, err);
}

enum arus_status arus_log_load(const char *path, const char *shown, struct arus_buffer *content,
                               struct arus_text *rest, bool *is_missing, struct arus_error *err)
{
    int version;

    arus_buffer_reset(content);
    ARUS_TRY(arus_file_read(path, content, is_missing, err));
    if (*is_missing) {
        return ARUS_OK;
    }
    *rest = arus_buffer_text(content);
    return arus_log_take_version(rest, shown, 1, &version, err);
}

/* ---- a sink's log, read from outside ---- */

static enum arus_status read_lines(struct arus_text rest, const char *shown, arus_log_line_fn fn,
                                   void *self, struct arus_error *err)
{
    struct arus_text line;
    uint64_t number = 1;

    while (arus_log_take_line(&rest, &line)) {
        enum arus_status status = fn(self, line, err);

        number++;
        if (status != ARUS_OK) {
            if (err->file.path[0] == '\0') {
                (void)snprintf(err->file.path, sizeof err->file.path, "%s", shown);
                err->file.line = number;
                err->file.column = 1;
            }
            return status;
        }
    }
    return ARUS_OK;
}

static enum arus_status read_entry(const char *folder, int64_t id, uint32_t interval,
                                   struct arus_buffer *content, arus_log_line_fn fn, void *self,
                                   bool *is_missing, struct arus_error *err)
{
    struct arus_path path;
    struct arus_text rest;

    ARUS_TRY(arus_log_path(&path, folder, id, arus_log_is_compaction(id, interval), err));
    ARUS_TRY(arus_log_load(path.text, path.text, content, &rest, is_missing, err));
    return *is_missing ? ARUS_OK : read_lines(rest, path.text, fn, self, err);
}

/** Collects lines until all entries of one listing could be read. */
struct collected {
    struct arus_buffer lines;
};

static enum arus_status collect(void *self, struct arus_text line, struct arus_error *err)
{
    struct collected *collected = (struct collected *)self;

    ARUS_TRY(arus_buffer_append_text(&collected->lines, line, err));
    return arus_buffer_append_char(&collected->lines, '\n', err);
}

static enum arus_status fail_hole(const char *folder, int64_t id, uint32_t interval,
                                  struct arus_error *err)
{
    struct arus_path path;
    enum arus_status status;

    ARUS_TRY(arus_log_path(&path, folder, id, arus_log_is_compaction(id, interval), err));
    status = arus_fail(
        err, ARUS_MISMATCH, "BATCH_METADATA_NOT_FOUND", "%s is missing",
        strrchr(folder, '/') == NULL ? path.text : path.text + (strrchr(folder, '/') + 1 - folder));
    (void)snprintf(err->file.path, sizeof err->file.path, "%s", folder);
    return status;
}

/** What one look at the folder says. */
struct log_range {
    int64_t first; /* entries to read */
    int64_t newest;
    uint32_t interval;
};

static enum arus_status find_range(const char *folder, int64_t after, struct log_range *out,
                                   bool *is_missing, struct arus_error *err)
{
    struct arus_log_listing listing;
    size_t count;

    ARUS_TRY(arus_log_list(folder, false, &listing, is_missing, err));
    count = arus_log_listing_count(&listing);
    out->newest = count == 0 ? -1 : arus_log_listing_at(&listing, count - 1).id;
    out->interval = arus_log_interval(&listing, 10);
    out->first = arus_log_first_needed(out->newest, out->interval);
    arus_log_listing_release(&listing);
    if (after >= out->first && after <= out->newest) {
        out->first = after + 1; /* no compact among them */
    }
    return ARUS_OK;
}

static enum arus_status collect_range(const char *folder, const struct log_range *range,
                                      struct collected *collected, int64_t *hole,
                                      struct arus_error *err)
{
    struct arus_buffer content = {0};
    enum arus_status status = ARUS_OK;

    *hole = -1;
    for (int64_t id = range->first; id <= range->newest && status == ARUS_OK && *hole < 0; id++) {
        bool is_hole;

        status =
            read_entry(folder, id, range->interval, &content, collect, collected, &is_hole, err);
        *hole = status == ARUS_OK && is_hole ? id : -1;
    }
    arus_buffer_release(&content);
    return status;
}

enum arus_status arus_log_read_sink(const char *folder, int64_t after, arus_log_line_fn fn,
                                    void *self, int64_t *newest, bool *is_missing,
                                    struct arus_error *err)
{
    struct collected collected = {0};
    struct log_range range = {.newest = -1};
    struct arus_path path;
    enum arus_status status;
    int64_t seen = -2;
    int64_t hole = -1;

    ARUS_TRY(arus_path_join(&path, folder, "_spark_metadata", err));
    do { /* a newer compact may replace what was listed */
        seen = hole < 0 ? -2 : range.newest;
        arus_buffer_reset(&collected.lines);
        status = find_range(path.text, after, &range, is_missing, err);
        if (status == ARUS_OK) {
            status = collect_range(path.text, &range, &collected, &hole, err);
        }
        if (status == ARUS_OK && hole >= 0 && range.newest == seen) {
            status = fail_hole(path.text, hole, range.interval, err);
        }
    } while (status == ARUS_OK && hole >= 0);
    *newest = range.newest;
    if (status == ARUS_OK) {
        status = read_lines(arus_buffer_text(&collected.lines), path.text, fn, self, err);
    }
    arus_buffer_release(&collected.lines);
    return status;
}
