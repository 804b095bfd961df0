/** Watching a folder so that 100,000 old files cost nothing. */
#include "file/watch.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#define RELIST_US   ((int64_t)60 * 1000000)   /* a network file system may hide events */
#define TICK_NS     ((int64_t)2 * 1000000000) /* times of a folder are no finer than this, at worst */
#define EVENTS_SIZE 16384
#define WATCHED                                                                                    \
    (IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

void arus_watch_open(struct arus_watch *watch, const struct arus_listing *listing)
{
    *watch = (struct arus_watch){.listing = listing, .fd = -1};
    if (listing->is_glob || listing->is_recursive) {
        return;
    }
    watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch->fd >= 0 && inotify_add_watch(watch->fd, listing->root, WATCHED) < 0) {
        (void)close(watch->fd); /* a file, or no watches left: the folder's time tells */
        watch->fd = -1;
    }
}

void arus_watch_close(struct arus_watch *watch)
{
    if (watch->fd >= 0) {
        (void)close(watch->fd);
    }
    watch->fd = -1;
}

static enum arus_status add_named(struct arus_watch *watch, const char *name,
                                  struct arus_file_list *out, struct arus_error *err)
{
    const struct arus_listing *listing = watch->listing;
    struct arus_file_info info;
    struct arus_path path;
    struct arus_text text;

    if (!arus_listing_takes(listing, arus_text_of(name))) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_path_join(&path, listing->root, name, err));
    text = arus_text_of(path.text);
    if (listing->wants != NULL && !listing->wants(listing->self, text)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_file_stat(path.text, &info, err));
    if (info.kind != ARUS_FILE_REGULAR) {
        return ARUS_OK;
    }
    return arus_file_list_add(
        out, &(struct arus_file_entry){text, info.size, info.mtime_ns, info.inode}, err);
}

/* Files named by events; `*must_list` when events do not tell all. A folder that appears may hold
 * partitions. */
static enum arus_status take_events(struct arus_watch *watch, struct arus_file_list *out,
                                    bool *must_list, size_t *event_count, struct arus_error *err)
{
    _Alignas(struct inotify_event) char events[EVENTS_SIZE];

    *event_count = 0;
    while (watch->fd >= 0) {
        const ssize_t size = read(watch->fd, events, sizeof events);

        if (size <= 0) {
            *must_list = *must_list || (size < 0 && errno != EAGAIN && errno != EINTR);
            return ARUS_OK;
        }
        for (ssize_t at = 0; at < size;) {
            const struct inotify_event *event = (const void *)(events + at);

            at += (ssize_t)(sizeof *event + event->len);
            *event_count += 1;
            if ((event->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0 ||
                ((event->mask & IN_ISDIR) != 0 && strchr(event->name, '=') != NULL)) {
                *must_list = true;
            } else if (event->len != 0 && (event->mask & IN_ISDIR) == 0) {
                ARUS_TRY(add_named(watch, event->name, out, err));
            }
        }
    }
    return ARUS_OK;
}

static enum arus_status list_all(struct arus_watch *watch, const struct arus_file_info *folder,
                                 struct arus_file_list *out, struct arus_error *err)
{
    const size_t root_size = strlen(watch->listing->root);

    arus_file_list_reset(out);
    ARUS_TRY(arus_listing_run(watch->listing, out, err));
    watch->was_listed = true;
    watch->listed_at_us = arus_clock_monotonic_us();
    watch->listed_folder_ns = folder->mtime_ns;
    watch->is_flat = true;
    for (size_t i = 0; i < out->count && watch->is_flat; i++) {
        watch->is_flat = memchr(out->items[i].path.data + root_size + 1, '/',
                                out->items[i].path.size - root_size - 1) == NULL;
    }
    return ARUS_OK;
}

enum arus_status arus_watch_look(struct arus_watch *watch, struct arus_file_list *out,
                                 struct arus_error *err)
{
    struct arus_file_info folder;
    bool must_list = !watch->was_listed || watch->listing->is_glob ||
                     watch->listing->is_recursive || !watch->is_flat;
    bool has_log = false;
    size_t event_count = 0;

    ARUS_TRY(arus_file_stat(watch->listing->root, &folder,
                            err)); /* before looking: later changes show next time */
    if (!watch->listing->is_glob && folder.kind == ARUS_FILE_FOLDER) {
        ARUS_TRY(arus_listing_has_log(watch->listing->root, &has_log, err));
    }
    must_list = must_list || has_log || folder.kind != ARUS_FILE_FOLDER;
    ARUS_TRY(take_events(watch, out, &must_list, &event_count, err));
    if (!must_list && folder.mtime_ns != watch->listed_folder_ns && event_count == 0) {
        must_list = true; /* changed, and nobody said how */
    }
    if (!must_list && watch->fd < 0 && arus_clock_wall_us() * 1000 - folder.mtime_ns < TICK_NS) {
        must_list = true; /* a change within the same tick would not show */
    }
    if (!must_list && arus_clock_monotonic_us() - watch->listed_at_us > RELIST_US) {
        must_list = true;
    }
    if (must_list) {
        return list_all(watch, &folder, out, err);
    }
    watch->listed_folder_ns = folder.mtime_ns;
    return ARUS_OK;
}
