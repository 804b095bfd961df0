/**
 * What is new in a folder: inotify where it works, the folder's own time where not, and a full
 * listing now and then.
 */
#ifndef ARUS_CONNECTORS_FILE_WATCH_H
#define ARUS_CONNECTORS_FILE_WATCH_H

#include "file/file_internal.h"

/** Watches the one folder of a plain listing; patterns, partition folders and recursion are listed
 * each time. */
struct arus_watch {
    const struct arus_listing *listing;
    enum arus_listing_way way; /* settled by what is found first, as in Spark */
    int fd;                    /* inotify; -1: none */
    int log_watch;             /* of `_spark_metadata`; -1: none */
    int64_t folder_ns;         /* the folder's mtime when it was looked at last */
    int64_t listed_at_us;      /* monotonic time of the last full listing */
    int64_t log_newest;        /* newest entry of the sink's log that was read */
    int64_t log_folder_ns;     /* mtime of `_spark_metadata` when it was read last */
    int64_t log_read_ns;       /* wall clock then */
    bool is_once;              /* one look only: nobody will ask for events */
    bool is_flat;              /* the last listing looked into no folder below the root */
    bool was_listed;
    bool is_lost; /* the watched folder was moved or removed */
    struct arus_file_list
        young;              /* created and not closed yet: `mtime_ns` and `size` as last seen */
    int64_t young_since_us; /* when one of them was seen to change last */
};

void arus_watch_open(struct arus_watch *watch, const struct arus_listing *listing);
void arus_watch_close(struct arus_watch *watch);
/**
 * Adds files that may be new to `out` (the listing's `wants` has the last word). Never misses one
 * that was complete before the call; leaves out those that are seen to be written just now.
 */
ARUS_MUST_USE enum arus_status arus_watch_look(struct arus_watch *watch, struct arus_file_list *out,
                                               struct arus_error *err);

#endif
