/** Text files that were written but not synced: the journal holds their bytes, so they may wait. */
#ifndef ARUS_JOURNAL_MIRROR_H
#define ARUS_JOURNAL_MIRROR_H

#include "base/error.h"
#include "base/text.h"
#include "base/thread.h"

#include <stdint.h>

/** Zeroed = empty. Fields belong to mirror.c. */
struct arus_mirrors {
    struct arus_buffer waiting; /* paths, each ending in NUL */
    struct arus_buffer running; /* what the background job syncs now */
    uint32_t waiting_count;
    int64_t last_us; /* when the last job began */
    struct arus_background *background;
};

/** A file was written. Any file may be removed before it is synced. */
ARUS_MUST_USE enum arus_status arus_mirrors_add(struct arus_mirrors *mirrors, const char *path,
                                                struct arus_error *err);
/** Starts a job when many wait and the last one is a while ago. Passes on what a job before met. */
ARUS_MUST_USE enum arus_status arus_mirrors_poll(struct arus_mirrors *mirrors,
                                                 struct arus_error *err);
/** Syncs all that waits, files and their folders. */
ARUS_MUST_USE enum arus_status arus_mirrors_sync(struct arus_mirrors *mirrors,
                                                 struct arus_error *err);
void arus_mirrors_release(struct arus_mirrors *mirrors);

#endif
