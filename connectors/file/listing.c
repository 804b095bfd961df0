/** Which files of a folder count: Spark's rules of hidden names, depth and sink logs. */
#include "base/alloc.h"
#include "file/file_internal.h"
#include "journal/log.h"
#include "journal/path.h"

#include <stdlib.h>

enum arus_status arus_file_list_add(struct arus_file_list *list,
                                    const struct arus_file_entry *entry, struct arus_error *err)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        void *items = arus_realloc(list->items, capacity * sizeof *list->items);

        if (items == NULL) {
            return arus_fail_memory(err);
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count] = *entry;
    ARUS_TRY(arus_text_copy(entry->path, &list->arena, &list->items[list->count].path, err));
    list->count++;
    return ARUS_OK;
}

void arus_file_list_reset(struct arus_file_list *list)
{
    list->count = 0;
    arus_arena_reset(&list->arena);
}

void arus_file_list_release(struct arus_file_list *list)
{
    arus_free(list->items);
    arus_arena_release(&list->arena);
    *list = (struct arus_file_list){0};
}

static int64_t floor_ms(int64_t ns)
{
    return ns / 1000000 - (ns % 1000000 < 0);
}

static int compare_entries(const void *a, const void *b)
{
    const struct arus_file_entry *x = a;
    const struct arus_file_entry *y = b;
    const int64_t x_ms = floor_ms(x->mtime_ns);
    const int64_t y_ms = floor_ms(y->mtime_ns);

    return x_ms != y_ms ? (x_ms > y_ms) - (x_ms < y_ms) : arus_text_compare(x->path, y->path);
}

void arus_file_list_sort(struct arus_file_list *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof *list->items, compare_entries);
    }
}

bool arus_listing_hides(struct arus_text name)
{
    if (name.size == 0 || name.data[0] == '.') {
        return true;
    }
    if (name.data[0] == '_' && memchr(name.data, '=', name.size) == NULL) {
        return true;
    }
    return arus_text_ends_with(name, ARUS_TEXT("._COPYING_"));
}

bool arus_listing_takes(const struct arus_listing *listing, struct arus_text name)
{
    return !arus_listing_hides(name) &&
           (listing->name_glob.size == 0 || arus_glob_match(listing->name_glob, name));
}

/* One walk through the folders of a root. */
struct walk {
    const struct arus_listing *listing;
    struct arus_file_list *out;
    bool has_files;      /* files directly in the root */
    bool has_partitions; /* `k=v` folders in the root */
};

static enum arus_status add_file(struct walk *walk, struct arus_folder *folder, const char *name,
                                 struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path path;
    struct arus_text text;

    ARUS_TRY(arus_path_join(&path, folder->path, name, err));
    text = arus_text_of(path.text);
    if (walk->listing->wants != NULL && !walk->listing->wants(walk->listing->self, text)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_folder_stat(folder, name, &info, err));
    if (info.kind != ARUS_FILE_REGULAR) {
        return ARUS_OK; /* gone meanwhile, or no file */
    }
    return arus_file_list_add(
        walk->out, &(struct arus_file_entry){text, info.size, info.mtime_ns, info.inode}, err);
}

static bool is_partition_name(const char *name)
{
    const char *equals = strchr(name, '=');

    return equals != NULL && equals != name;
}

static enum arus_status walk_folder(struct walk *walk, const char *path, size_t depth,
                                    struct arus_error *err);

static enum arus_status walk_name(struct walk *walk, struct arus_folder *folder, const char *name,
                                  enum arus_file_kind kind, size_t depth, struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path path;

    if (kind == ARUS_FILE_NONE || kind == ARUS_FILE_OTHER) { /* unknown, or a link */
        ARUS_TRY(arus_folder_stat(folder, name, &info, err));
        kind = info.kind;
    }
    if (kind == ARUS_FILE_REGULAR) {
        walk->has_files = walk->has_files || depth == 0;
        return arus_listing_takes(walk->listing, arus_text_of(name))
                   ? add_file(walk, folder, name, err)
                   : ARUS_OK;
    }
    if (kind != ARUS_FILE_FOLDER) {
        return ARUS_OK;
    }
    if (!walk->listing->is_recursive && !is_partition_name(name)) {
        return ARUS_OK;
    }
    walk->has_partitions = walk->has_partitions || depth == 0;
    ARUS_TRY(arus_path_join(&path, folder->path, name, err));
    return walk_folder(walk, path.text, depth + 1, err);
}

static enum arus_status walk_folder(struct walk *walk, const char *path, size_t depth,
                                    struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_status status;
    bool is_missing;

    ARUS_TRY(arus_folder_open(&folder, path, &is_missing, err));
    for (;;) {
        enum arus_file_kind kind;
        const char *name;

        status = arus_folder_next(&folder, &name, &kind, err);
        if (status != ARUS_OK || name == NULL) {
            break;
        }
        if (arus_listing_hides(arus_text_of(name))) {
            continue;
        }
        status = walk_name(walk, &folder, name, kind, depth, err);
        if (status != ARUS_OK) {
            break;
        }
    }
    arus_folder_close(&folder);
    return status;
}

enum arus_status arus_listing_has_log(const char *root, bool *out, struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path path;

    ARUS_TRY(arus_path_join(&path, root, "_spark_metadata", err));
    ARUS_TRY(arus_file_stat(path.text, &info, err));
    *out = info.kind == ARUS_FILE_FOLDER;
    return ARUS_OK;
}

static enum arus_status add_logged(void *self, struct arus_text line, struct arus_error *err)
{
    struct walk *walk = self;
    struct arus_arena scratch = {0};
    struct arus_log_line logged;
    struct arus_text path = {0};
    enum arus_status status = arus_log_parse_sink(line, &scratch, &logged, err);

    if (status == ARUS_OK) {
        status = arus_path_of_uri(logged.uri, &scratch, &path, err);
    }
    if (status == ARUS_OK && logged.size != 0 &&
        (walk->listing->wants == NULL || walk->listing->wants(walk->listing->self, path))) {
        status = arus_file_list_add(
            walk->out, &(struct arus_file_entry){path, logged.size, logged.mtime_ms * 1000000, 0},
            err);
    }
    arus_arena_release(&scratch);
    return status;
}

static enum arus_status list_root(struct walk *walk, const char *root, bool through_log,
                                  struct arus_error *err)
{
    struct arus_file_info info;
    bool has_log = false;
    bool is_missing;
    int64_t newest;

    ARUS_TRY(arus_file_stat(root, &info, err));
    if (info.kind == ARUS_FILE_NONE) {
        return arus_fail(err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "%s does not exist", root);
    }
    if (info.kind == ARUS_FILE_REGULAR) {
        const struct arus_text path = arus_text_of(root);

        if (walk->listing->wants != NULL && !walk->listing->wants(walk->listing->self, path)) {
            return ARUS_OK;
        }
        return arus_file_list_add(
            walk->out, &(struct arus_file_entry){path, info.size, info.mtime_ns, info.inode}, err);
    }
    if (through_log) {
        ARUS_TRY(arus_listing_has_log(root, &has_log, err));
    }
    if (has_log) {
        return arus_log_read_sink(root, add_logged, walk, &newest, &is_missing, err);
    }
    return walk_folder(walk, root, 0, err);
}

enum arus_status arus_listing_run(const struct arus_listing *listing, struct arus_file_list *out,
                                  struct arus_error *err)
{
    struct walk walk = {.listing = listing, .out = out};
    struct arus_arena scratch = {0};
    struct arus_text *roots;
    size_t count;
    enum arus_status status;

    if (!listing->is_glob) {
        ARUS_TRY(list_root(&walk, listing->root, true, err));
        if (walk.has_files && walk.has_partitions && !listing->is_recursive) {
            return arus_fail(err, ARUS_BAD_DATA, "CONFLICTING_PARTITION_COLUMN_NAMES",
                             "%s has files beside partition folders", listing->root);
        }
        return ARUS_OK;
    }
    status = arus_glob_expand(arus_text_of(listing->root), &scratch, &roots, &count, err);
    for (size_t i = 0; status == ARUS_OK && i < count; i++) {
        status = list_root(&walk, roots[i].data, false, err);
    }
    arus_arena_release(&scratch);
    return status;
}
