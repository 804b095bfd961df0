/** Watching a folder so that 100,000 old files cost nothing. */
#include "file/watch.h"

#include "base/clock.h"
#include "file/seen.h"

#include <errno.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define RELIST_US   ((int64_t)60 * 1000000)   /* a network file system may hide events */
#define TICK_NS     ((int64_t)2 * 1000000000) /* times of a folder are no finer than this, at worst */
#define YOUNG_US    ((int64_t)2 * 1000000)    /* a created file that rests so long is complete */
#define EVENTS_SIZE 16384
#define WATCHED                                                                                    \
    (IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

static void watch_log(struct arus_watch *watch)
{
    struct arus_error ignored;
    struct arus_path path;

    if (watch->fd >= 0 && watch->log_watch < 0 &&
        arus_path_join(&path, watch->listing->root, "_spark_metadata", &ignored) == ARUS_OK) {
        watch->log_watch = inotify_add_watch(watch->fd, path.text, IN_MOVED_TO | IN_ONLYDIR);
    }
}

static void stop_watching(struct arus_watch *watch)
{
    if (watch->fd >= 0) {
        (void)close(watch->fd);
    }
    watch->fd = -1;
    watch->log_watch = -1;
}

/* Before the first listing, so that nothing falls between. For a large folder this costs
 * milliseconds. */
static void watch_root(struct arus_watch *watch)
{
    const struct arus_listing *listing = watch->listing;

    if (watch->fd >= 0 || watch->is_once || listing->is_glob || listing->is_recursive) {
        return;
    }
    watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch->fd >= 0 && inotify_add_watch(watch->fd, listing->root, WATCHED) < 0) {
        stop_watching(watch); /* a file, or no watches left: the folder's time tells */
    }
    watch_log(watch);
}

void arus_watch_open(struct arus_watch *watch, const struct arus_listing *listing)
{
    *watch = (struct arus_watch){
        .listing = listing, .fd = -1, .log_watch = -1, .log_newest = -1, .log_folder_ns = -1};
}

void arus_watch_close(struct arus_watch *watch)
{
    stop_watching(watch);
    arus_file_list_release(&watch->young);
}

/* ---- files named by events ---- */

static bool wants_name(const struct arus_watch *watch, struct arus_text name)
{
    const struct arus_listing *listing = watch->listing;

    return arus_listing_takes(listing, name) &&
           (listing->wants == NULL ||
            listing->wants(listing->self, arus_text_of(listing->root), name));
}

static enum arus_status entry_of(const struct arus_watch *watch, const char *name,
                                 struct arus_path *path, struct arus_file_entry *out,
                                 struct arus_file_info *info, struct arus_error *err)
{
    ARUS_TRY(arus_path_join(path, watch->listing->root, name, err));
    ARUS_TRY(arus_file_stat(path->text, info, err));
    *out =
        (struct arus_file_entry){arus_text_of(path->text), info->size, info->mtime_ns, info->inode};
    return ARUS_OK;
}

/* A name that appeared without a rename: a link is complete, anything else is still being written
 * until it is closed. */
static bool is_link(const char *path, const struct arus_file_info *info)
{
    struct stat own;

    return info->link_count > 1 || (lstat(path, &own) == 0 && S_ISLNK(own.st_mode));
}

static enum arus_status add_young(struct arus_watch *watch, const struct arus_file_entry *entry,
                                  struct arus_error *err)
{
    watch->young_since_us = arus_clock_monotonic_us();
    for (size_t i = 0; i < watch->young.count; i++) {
        if (arus_text_equal(watch->young.items[i].path, entry->path)) {
            return ARUS_OK;
        }
    }
    return arus_file_list_add(&watch->young, entry, err);
}

static void forget_young(struct arus_watch *watch, struct arus_text path)
{
    for (size_t i = 0; i < watch->young.count; i++) {
        if (arus_text_equal(watch->young.items[i].path, path)) {
            watch->young.items[i] = watch->young.items[--watch->young.count];
            break;
        }
    }
    if (watch->young.count == 0) {
        arus_file_list_reset(&watch->young);
    }
}

static enum arus_status take_name(struct arus_watch *watch, const struct inotify_event *event,
                                  struct arus_file_list *out, struct arus_error *err)
{
    struct arus_file_entry entry;
    struct arus_file_info info;
    struct arus_path path;

    if (!wants_name(watch, arus_text_of(event->name))) {
        return ARUS_OK;
    }
    ARUS_TRY(entry_of(watch, event->name, &path, &entry, &info, err));
    if (info.kind != ARUS_FILE_REGULAR) {
        return ARUS_OK;
    }
    if ((event->mask & IN_CREATE) != 0 && !is_link(path.text, &info)) {
        return add_young(watch, &entry, err);
    }
    forget_young(watch, entry.path);
    return arus_file_list_add(out, &entry, err);
}

/* Created files that nobody closes (linked from a nameless file, or a writer that hangs): once they
 * rest. */
static enum arus_status take_rested(struct arus_watch *watch, struct arus_file_list *out,
                                    struct arus_error *err)
{
    const int64_t now_us = arus_clock_monotonic_us();
    bool has_changed = false;

    if (watch->young.count == 0 || now_us - watch->young_since_us < YOUNG_US) {
        return ARUS_OK;
    }
    for (size_t i = 0; i < watch->young.count; i++) {
        struct arus_file_entry *entry = &watch->young.items[i];
        struct arus_file_info info;

        ARUS_TRY(arus_file_stat(entry->path.data, &info, err));
        has_changed = has_changed || info.size != entry->size || info.mtime_ns != entry->mtime_ns;
        entry->size = info.size;
        entry->mtime_ns = info.mtime_ns;
        entry->inode = info.inode;
    }
    watch->young_since_us = now_us;
    for (size_t i = 0; i < watch->young.count && !has_changed; i++) {
        if (watch->young.items[i].inode != 0) {
            ARUS_TRY(arus_file_list_add(out, &watch->young.items[i], err));
        }
    }
    if (!has_changed) {
        arus_file_list_reset(&watch->young);
    }
    return ARUS_OK;
}

/* What a listing found of files that are being written waits. */
static void leave_out_young(const struct arus_watch *watch, struct arus_file_list *out)
{
    size_t kept = 0;

    for (size_t i = 0; watch->young.count > 0 && i < out->count; i++) {
        bool is_young = false;

        for (size_t k = 0; k < watch->young.count && !is_young; k++) {
            is_young = arus_text_equal(out->items[i].path, watch->young.items[k].path);
        }
        if (!is_young) {
            out->items[kept++] = out->items[i];
        }
    }
    out->count = watch->young.count > 0 ? kept : out->count;
}

/* Files named by events; `*must_list` when events do not tell all. A folder that appears may hold
 * partitions. */
static enum arus_status take_events(struct arus_watch *watch, struct arus_file_list *out,
                                    bool *must_list, size_t *event_count, struct arus_error *err)
{
    _Alignas(struct inotify_event) char events[EVENTS_SIZE];

    while (watch->fd >= 0 && !watch->is_lost) {
        const ssize_t size = read(watch->fd, events, sizeof events);

        if (size <= 0) {
            *must_list = *must_list || (size < 0 && errno != EAGAIN && errno != EINTR);
            return ARUS_OK;
        }
        for (ssize_t at = 0; at < size;) {
            const struct inotify_event *event = (const void *)(events + at);

            at += (ssize_t)(sizeof *event + event->len);
            if (event->wd == watch->log_watch) {
                continue; /* only there to wake */
            }
            *event_count += 1;
            watch->is_lost =
                watch->is_lost || (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0;
            if (watch->is_lost || (event->mask & IN_Q_OVERFLOW) != 0 ||
                ((event->mask & IN_ISDIR) != 0 && strchr(event->name, '=') != NULL)) {
                *must_list = true;
            } else if (event->len != 0 && (event->mask & IN_ISDIR) == 0) {
                ARUS_TRY(take_name(watch, event, out, err));
            }
        }
    }
    return ARUS_OK;
}

/* ---- listing ---- */

static enum arus_status list_all(struct arus_watch *watch, struct arus_file_list *out,
                                 bool *has_any, struct arus_error *err)
{
    const struct arus_listing *listing = watch->listing;

    arus_file_list_reset(out);
    if (!watch->is_once && listing->ahead != NULL) { /* it was read before events were watched */
        arus_folder_close(listing->ahead);
    }
    watch->listed_at_us = arus_clock_monotonic_us();
    ARUS_TRY(arus_listing_follow(listing, watch->way, &watch->log_newest, out, has_any, err));
    leave_out_young(watch, out);
    watch->was_listed = true;
    watch->is_flat = !out->has_folders;
    return ARUS_OK;
}

/* Read through the sink's log: only when the folder of the log has changed. */
static enum arus_status look_in_log(struct arus_watch *watch, struct arus_file_list *out,
                                    struct arus_error *err)
{
    const int64_t now_ns = arus_clock_wall_us() * 1000;
    struct arus_file_info info;
    struct arus_path path;
    bool has_any;

    ARUS_TRY(arus_path_join(&path, watch->listing->root, "_spark_metadata", err));
    ARUS_TRY(arus_file_stat(path.text, &info, err));
    if (info.mtime_ns == watch->log_folder_ns && watch->log_read_ns - info.mtime_ns > TICK_NS) {
        return ARUS_OK;
    }
    watch_log(watch);
    watch->log_folder_ns = info.mtime_ns;
    watch->log_read_ns = now_ns;
    return list_all(watch, out, &has_any, err);
}

/* A log that is there when files are first found counts for good, and so does its absence. */
static enum arus_status settle_way(struct arus_watch *watch, bool has_any, struct arus_error *err)
{
    bool has_log = false;

    if (watch->way != ARUS_LISTING_OPEN || watch->listing->is_glob) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_listing_has_log(watch->listing->root, &has_log, err));
    if (has_log) {
        watch->way = ARUS_LISTING_LOG;
    } else if (has_any) {
        watch->way = ARUS_LISTING_RAW;
    }
    return ARUS_OK;
}

static bool must_always_list(const struct arus_watch *watch)
{
    return !watch->was_listed || watch->listing->is_glob || watch->listing->is_recursive ||
           !watch->is_flat || arus_clock_monotonic_us() - watch->listed_at_us > RELIST_US;
}

/* Has the folder changed without an event? Events of changes made since they were read are read
 * now. */
static enum arus_status check_time(struct arus_watch *watch, struct arus_file_list *out,
                                   bool *must_list, size_t *event_count, struct arus_error *err)
{
    struct arus_file_info folder;

    ARUS_TRY(arus_file_stat(watch->listing->root, &folder, err));
    if (folder.mtime_ns != watch->folder_ns && *event_count == 0) {
        ARUS_TRY(take_events(watch, out, must_list, event_count, err));
        *must_list = *must_list || *event_count == 0;
    }
    if (watch->fd < 0 && arus_clock_wall_us() * 1000 - folder.mtime_ns < TICK_NS) {
        *must_list = true; /* a change within the same tick would not show */
    }
    *must_list = *must_list || folder.kind != ARUS_FILE_FOLDER;
    watch->folder_ns = folder.mtime_ns;
    return ARUS_OK;
}

/* A folder that goes away while the query runs holds nothing new; when it is back it is another
 * one, watched and listed anew. */
static enum arus_status check_root(struct arus_watch *watch, bool *is_there, struct arus_error *err)
{
    struct arus_file_info root;

    ARUS_TRY(arus_file_stat(watch->listing->root, &root, err));
    *is_there = root.kind != ARUS_FILE_NONE;
    if (!*is_there || watch->is_lost) {
        stop_watching(watch);
        watch->was_listed = false;
        watch->is_lost = !*is_there;
    }
    if (*is_there && !watch->was_listed) {
        watch_root(watch);
    }
    return ARUS_OK;
}

enum arus_status arus_watch_look(struct arus_watch *watch, struct arus_file_list *out,
                                 struct arus_error *err)
{
    bool must_list = false;
    bool is_there = true;
    size_t event_count = 0;
    bool has_any;

    ARUS_TRY(take_events(watch, out, &must_list, &event_count, err));
    if (!watch->listing->is_glob) {
        ARUS_TRY(check_root(watch, &is_there, err));
    }
    if (!is_there) {
        return ARUS_OK;
    }
    must_list = must_list || must_always_list(watch);
    if (watch->way == ARUS_LISTING_LOG) {
        arus_file_list_reset(out);
        return look_in_log(watch, out, err);
    }
    if (!watch->listing->is_glob) {
        ARUS_TRY(check_time(watch, out, &must_list, &event_count, err));
    }
    if (must_list || watch->way == ARUS_LISTING_OPEN) {
        ARUS_TRY(list_all(watch, out, &has_any, err));
        ARUS_TRY(settle_way(watch, has_any, err));
        if (watch->way == ARUS_LISTING_LOG) { /* what was found came from the log already */
            watch_log(watch);
        }
        return ARUS_OK;
    }
    return take_rested(watch, out, err);
}
