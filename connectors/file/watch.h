/** What is new in a folder: inotify where it works, the folder's own time where not, and a full
 * listing now and then. */
#ifndef ARUS_CONNECTORS_FILE_WATCH_H
#define ARUS_CONNECTORS_FILE_WATCH_H

#include "file/file_internal.h"

/** Watches the one folder of a plain listing; patterns, partition folders and recursion are listed
 * each time. */
struct arus_watch {
    const struct arus_listing *listing;
    int fd;                   /* inotify; -1: none */
    int64_t listed_folder_ns; /* the folder's mtime before the last full listing or look */
    int64_t listed_at_us;     /* monotonic time of the last full listing */
    bool is_flat;             /* the last listing found files in the root only */
    bool was_listed;
};

void arus_watch_open(struct arus_watch *watch, const struct arus_listing *listing);
void arus_watch_close(struct arus_watch *watch);
/** Adds files that may be new to `out` (the listing's `wants` has the last word). Never misses one
 * that was complete before the call. */
ARUS_MUST_USE enum arus_status arus_watch_look(struct arus_watch *watch, struct arus_file_list *out,
                                               struct arus_error *err);

#endif
