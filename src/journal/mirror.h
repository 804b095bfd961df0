/** Text files that were written but not synced: the journal holds their bytes, so they may wait. */
#ifndef ARUS_JOURNAL_MIRROR_H
#define ARUS_JOURNAL_MIRROR_H

#include "base/error.h"
#include "base/text.h"
#include "base/thread.h"

#include <stdint.h>

/** Files and folders, each path ending in NUL. */
struct arus_mirror_paths {
    struct arus_buffer files;
    struct arus_buffer folders; /* that got new folders; those of the files go without saying */
};

/** Zeroed = empty. Fields belong to mirror.c. */
struct arus_mirrors {
    struct arus_mirror_paths waiting;
    struct arus_mirror_paths running; /* what the background job syncs now */
    uint32_t waiting_count;
    uint64_t waiting_weight; /* bytes that somebody keeps until they are synced */
    uint64_t running_weight;
    int64_t running_batch; /* the newest batch all of whose files are in `running` */
    int64_t durable_below; /* all files of the batches below this one are synced */
    int64_t last_us;       /* when the last job began */
    struct arus_background *background;
};

/** A file was written. Any file may be removed before it is synced. */
ARUS_MUST_USE enum arus_status arus_mirrors_add(struct arus_mirrors *mirrors, const char *path,
                                                struct arus_error *err);
/** A folder got a new folder. */
ARUS_MUST_USE enum arus_status arus_mirrors_add_folder(struct arus_mirrors *mirrors,
                                                       const char *path, struct arus_error *err);
/**
 * All files of the batches up to `batch_id` were added. Starts a job when many wait and the last
 * one is a while ago, or when what waits weighs a lot. Passes on what a job before met.
 */
ARUS_MUST_USE enum arus_status arus_mirrors_poll(struct arus_mirrors *mirrors, int64_t batch_id,
                                                 struct arus_error *err);
/** Syncs all that waits, files and their folders. */
ARUS_MUST_USE enum arus_status arus_mirrors_sync(struct arus_mirrors *mirrors,
                                                 struct arus_error *err);
void arus_mirrors_release(struct arus_mirrors *mirrors);

#endif
