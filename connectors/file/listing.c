/** Which files of a folder count: Spark's rules of hidden names, depth and sink logs. */
#include "base/alloc.h"
#include "file/file_internal.h"
#include "file/seen.h"
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
    list->has_folders = false;
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

static int compare_oldest(const void *a, const void *b)
{
    const struct arus_file_entry *x = a;
    const struct arus_file_entry *y = b;
    const int64_t x_ms = floor_ms(x->mtime_ns);
    const int64_t y_ms = floor_ms(y->mtime_ns);

    return x_ms != y_ms ? (x_ms > y_ms) - (x_ms < y_ms) : arus_text_compare(x->path, y->path);
}

static int compare_newest(const void *a, const void *b)
{
    const struct arus_file_entry *x = a;
    const struct arus_file_entry *y = b;
    const int64_t x_ms = floor_ms(x->mtime_ns);
    const int64_t y_ms = floor_ms(y->mtime_ns);

    return x_ms != y_ms ? (y_ms > x_ms) - (y_ms < x_ms) : arus_text_compare(x->path, y->path);
}

void arus_file_list_sort(struct arus_file_list *list, enum arus_file_order order)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof *list->items,
              order == ARUS_OLDEST_FIRST ? compare_oldest : compare_newest);
    }
}

enum arus_status arus_file_list_merge(struct arus_file_list *list, size_t head,
                                      const struct arus_file_list *from, enum arus_file_order order,
                                      struct arus_error *err)
{
    int (*compare)(const void *, const void *) =
        order == ARUS_OLDEST_FIRST ? compare_oldest : compare_newest;
    size_t old = list->count;
    size_t left = from->count;

    for (size_t i = 0; i < from->count; i++) { /* room and copies of the paths, in any order */
        ARUS_TRY(arus_file_list_add(list, &from->items[i], err));
    }
    if (left == 0 || old == head || compare(&list->items[old - 1], &list->items[old]) <= 0) {
        return ARUS_OK; /* newer files usually come last */
    }
    qsort(list->items + head, list->count - head, sizeof *list->items, compare);
    return ARUS_OK;
}

enum arus_status arus_file_list_drop(struct arus_file_list *list, size_t head,
                                     struct arus_error *err)
{
    struct arus_file_list kept = {0};

    if (head == list->count) {
        arus_file_list_reset(list);
        return ARUS_OK;
    }
    for (size_t i = head; i < list->count; i++) {
        if (arus_file_list_add(&kept, &list->items[i], err) != ARUS_OK) {
            arus_file_list_release(&kept);
            return err->status;
        }
    }
    arus_file_list_release(list);
    *list = kept;
    return ARUS_OK;
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

#define AHEAD     32
#define NAME_SIZE 256

/* Names of one folder, read ahead of being asked about. */
struct window {
    char names[AHEAD][NAME_SIZE];
    enum arus_file_kind kinds[AHEAD];
    uint32_t count;
};

/* One walk through the folders of a root. */
struct walk {
    const struct arus_listing *listing;
    struct arus_file_list *out;
    struct arus_file_list folders; /* of the root, the root first; their files come one by one */
    struct window window;
    struct arus_arena scratch;
    bool has_files;      /* files directly in the root */
    bool has_partitions; /* `k=v` folders in the root */
};

static bool wants(const struct walk *walk, struct arus_text folder, struct arus_text name)
{
    return walk->listing->wants == NULL || walk->listing->wants(walk->listing->self, folder, name);
}

static enum arus_status add_file(struct walk *walk, struct arus_folder *folder, const char *name,
                                 struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path path;

    if (!wants(walk, arus_text_of(folder->path), arus_text_of(name))) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_folder_stat(folder, name, &info, err));
    if (info.kind != ARUS_FILE_REGULAR) {
        return ARUS_OK; /* gone meanwhile, or no file */
    }
    ARUS_TRY(arus_path_join(&path, folder->path, name, err));
    return arus_file_list_add(
        walk->out,
        &(struct arus_file_entry){arus_text_of(path.text), info.size, info.mtime_ns, info.inode},
        err);
}

static bool is_partition_name(const char *name)
{
    const char *equals = strchr(name, '=');

    return equals != NULL && equals != name;
}

static enum arus_status add_folder(struct walk *walk, const char *path, struct arus_error *err)
{
    return arus_file_list_add(&walk->folders, &(struct arus_file_entry){.path = arus_text_of(path)},
                              err);
}

static enum arus_status walk_name(struct walk *walk, struct arus_folder *folder, const char *name,
                                  enum arus_file_kind kind, bool is_root, struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path path;

    if (kind == ARUS_FILE_NONE || kind == ARUS_FILE_OTHER) { /* unknown, or a link */
        ARUS_TRY(arus_folder_stat(folder, name, &info, err));
        kind = info.kind;
    }
    if (kind == ARUS_FILE_REGULAR) {
        walk->has_files = walk->has_files || is_root;
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
    walk->has_partitions = walk->has_partitions || is_root;
    walk->out->has_folders = true;
    ARUS_TRY(arus_path_join(&path, folder->path, name, err));
    return add_folder(walk, path.text, err);
}

/* The next names of a folder into the window; none: its end. */
static enum arus_status read_ahead(struct walk *walk, struct arus_folder *folder,
                                   struct arus_error *err)
{
    const struct arus_listing *listing = walk->listing;
    struct window *window = &walk->window;

    window->count = 0;
    while (window->count < AHEAD) {
        enum arus_file_kind kind;
        struct arus_text text;
        const char *name;

        ARUS_TRY(arus_folder_next(folder, &name, &kind, err));
        if (name == NULL) {
            break;
        }
        text = arus_text_of(name);
        if (arus_listing_hides(text)) {
            continue;
        }
        if (text.size >= NAME_SIZE) {
            return arus_fail(err, ARUS_BAD_DATA, NULL, "%s/%s: name too long", folder->path, name);
        }
        if (listing->hint != NULL) {
            listing->hint(listing->self, arus_text_of(folder->path), text);
        }
        memcpy(window->names[window->count], name, text.size + 1);
        window->kinds[window->count++] = kind;
    }
    return ARUS_OK;
}

static enum arus_status open_folder(const struct arus_listing *listing, const char *path,
                                    bool is_root, struct arus_folder *out, struct arus_error *err)
{
    bool is_missing;

    if (is_root && listing->ahead != NULL && listing->ahead->handle != NULL) {
        *out = *listing->ahead;
        *listing->ahead = (struct arus_folder){0};
        return ARUS_OK;
    }
    return arus_folder_open(out, path, &is_missing, err);
}

static enum arus_status walk_folder(struct walk *walk, const char *path, bool is_root,
                                    struct arus_error *err)
{
    struct window *window = &walk->window;
    struct arus_folder folder;
    enum arus_status status;

    ARUS_TRY(open_folder(walk->listing, path, is_root, &folder, err));
    do {
        status = read_ahead(walk, &folder, err);
        for (uint32_t i = 0; status == ARUS_OK && i < window->count; i++) {
            status = walk_name(walk, &folder, window->names[i], window->kinds[i], is_root, err);
        }
    } while (status == ARUS_OK && window->count != 0);
    arus_folder_close(&folder);
    return status;
}

/* Folder by folder, not one inside the other: however deep, one is open. */
static enum arus_status walk_tree(struct walk *walk, const char *root, struct arus_error *err)
{
    arus_file_list_reset(&walk->folders);
    ARUS_TRY(add_folder(walk, root, err));
    for (size_t i = 0; i < walk->folders.count; i++) {
        ARUS_TRY(walk_folder(walk, walk->folders.items[i].path.data, i == 0, err));
    }
    return ARUS_OK;
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

/* Is there a `k=v` folder between the root and the file? */
static bool is_in_partition(const char *root, struct arus_text path)
{
    const size_t root_size = strlen(root);
    size_t begin = root_size + 1;

    if (path.size <= root_size) {
        return false;
    }
    for (size_t i = begin; i < path.size; i++) {
        if (path.data[i] == '/') {
            if (memchr(path.data + begin, '=', i - begin) != NULL) {
                return true;
            }
            begin = i + 1;
        }
    }
    return false;
}

static enum arus_status add_logged(void *self, struct arus_text line, struct arus_error *err)
{
    struct walk *walk = self;
    struct arus_log_line logged;
    struct arus_file_entry entry;
    struct arus_text folder;
    struct arus_text name;

    arus_arena_reset(&walk->scratch);
    ARUS_TRY(arus_log_parse_sink(line, &walk->scratch, &logged, err));
    entry = (struct arus_file_entry){{0}, logged.size, logged.mtime_ms * 1000000, 0};
    ARUS_TRY(arus_path_of_uri(logged.uri, &walk->scratch, &entry.path, err));
    arus_seen_split(entry.path, &folder, &name);
    walk->has_partitions = walk->has_partitions || is_in_partition(walk->listing->root, entry.path);
    if (logged.size == 0 || logged.is_folder || !arus_listing_takes(walk->listing, name) ||
        !wants(walk, folder, name)) {
        return ARUS_OK;
    }
    return arus_file_list_add(walk->out, &entry, err);
}

/* Without partition folders only files directly in the root count: Spark looks nowhere else. */
static void keep_direct(const struct walk *walk)
{
    const struct arus_text root = arus_text_of(walk->listing->root);
    struct arus_file_list *list = walk->out;
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct arus_text folder;
        struct arus_text name;

        arus_seen_split(list->items[i].path, &folder, &name);
        if (arus_text_equal(folder, root)) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

static enum arus_status list_log(struct walk *walk, const char *root, int64_t *log_newest,
                                 struct arus_error *err)
{
    bool is_missing;

    ARUS_TRY(arus_log_read_sink(root, *log_newest, add_logged, walk, log_newest, &is_missing, err));
    if (!walk->has_partitions) {
        keep_direct(walk);
    }
    return ARUS_OK;
}

static enum arus_status list_file(struct walk *walk, const char *path,
                                  const struct arus_file_info *info, struct arus_error *err)
{
    const struct arus_file_entry entry = {arus_text_of(path), info->size, info->mtime_ns,
                                          info->inode};
    struct arus_text folder;
    struct arus_text name;

    arus_seen_split(entry.path, &folder, &name);
    return wants(walk, folder, name) ? arus_file_list_add(walk->out, &entry, err) : ARUS_OK;
}

static enum arus_status list_root(struct walk *walk, const char *root, enum arus_listing_way way,
                                  int64_t *log_newest, struct arus_error *err)
{
    struct arus_file_info info;
    bool has_log = way == ARUS_LISTING_LOG;

    ARUS_TRY(arus_file_stat(root, &info, err));
    if (info.kind == ARUS_FILE_NONE && walk->listing->may_be_missing) {
        return ARUS_OK;
    }
    if (info.kind == ARUS_FILE_NONE) {
        return arus_fail(err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "%s does not exist", root);
    }
    if (info.kind == ARUS_FILE_REGULAR) {
        return list_file(walk, root, &info, err);
    }
    if (way == ARUS_LISTING_OPEN) {
        ARUS_TRY(arus_listing_has_log(root, &has_log, err));
    }
    return has_log ? list_log(walk, root, log_newest, err) : walk_tree(walk, root, err);
}

static enum arus_status list_pattern(struct walk *walk, struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_text *roots;
    int64_t ignored = -1;
    size_t count = 0;
    enum arus_status status =
        arus_glob_expand(arus_text_of(walk->listing->root), &arena, &roots, &count, err);

    for (size_t i = 0; status == ARUS_OK && i < count; i++) {
        status = list_root(walk, roots[i].data, ARUS_LISTING_RAW, &ignored, err);
    }
    arus_arena_release(&arena);
    return status;
}

enum arus_status arus_listing_follow(const struct arus_listing *listing, enum arus_listing_way way,
                                     int64_t *log_newest, struct arus_file_list *out, bool *has_any,
                                     struct arus_error *err)
{
    struct walk walk = {.listing = listing, .out = out};
    enum arus_status status = listing->is_glob
                                  ? list_pattern(&walk, err)
                                  : list_root(&walk, listing->root, way, log_newest, err);

    arus_arena_release(&walk.scratch);
    arus_file_list_release(&walk.folders);
    *has_any = walk.has_files || walk.has_partitions;
    if (status == ARUS_OK && !listing->is_glob && walk.has_files && walk.has_partitions &&
        !listing->is_recursive) {
        return arus_fail(err, ARUS_BAD_DATA, "CONFLICTING_PARTITION_COLUMN_NAMES",
                         "%s has files beside partition folders", listing->root);
    }
    return status;
}

enum arus_status arus_listing_run(const struct arus_listing *listing, struct arus_file_list *out,
                                  struct arus_error *err)
{
    int64_t ignored = -1;
    bool has_any;

    return arus_listing_follow(listing, ARUS_LISTING_OPEN, &ignored, out, &has_any, err);
}

/* The folder of the file that was taken last. */
struct sampler {
    struct arus_path folder;
};

static bool wants_sample(void *self, struct arus_text folder, struct arus_text name)
{
    struct sampler *sampler = self;

    (void)name;
    if (folder.size >= sizeof sampler->folder.text ||
        (strlen(sampler->folder.text) == folder.size &&
         memcmp(sampler->folder.text, folder.data, folder.size) == 0)) {
        return false;
    }
    memcpy(sampler->folder.text, folder.data, folder.size);
    sampler->folder.text[folder.size] = '\0';
    return true;
}

enum arus_status arus_listing_samples(const struct arus_listing *listing,
                                      struct arus_file_list *out, struct arus_error *err)
{
    struct sampler sampler = {.folder = {""}};
    struct arus_listing sampling = *listing;
    struct arus_file_info info;
    bool has_log = false;

    if (!listing->is_glob) {
        ARUS_TRY(arus_file_stat(listing->root, &info, err));
        if (info.kind == ARUS_FILE_FOLDER) {
            ARUS_TRY(arus_listing_has_log(listing->root, &has_log, err));
        }
        if (info.kind == ARUS_FILE_FOLDER && info.link_count == 2 && !has_log) {
            return ARUS_OK; /* no folders in it: no partitions, however many files */
        }
    }
    sampling.wants = wants_sample;
    sampling.self = &sampler;
    return arus_listing_run(&sampling, out, err);
}
