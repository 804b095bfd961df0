/** Which files a source has read: a set of 128-bit hashes of folder and name, 16 bytes a file. */
#ifndef ARUS_CONNECTORS_FILE_SEEN_H
#define ARUS_CONNECTORS_FILE_SEEN_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define ARUS_SEEN_QUEUE 32

/** Two independent hashes with random seeds: nobody can choose names that collide. */
struct arus_seen_key {
    uint64_t high;
    uint64_t low;
};

/** Fields belong to seen.c. */
struct arus_seen {
    struct arus_seen_key *slots; /* [capacity]; zeroed: empty */
    size_t count;
    size_t capacity; /* a power of two, at least twice the count */
    struct arus_seen_key seed;
    struct arus_buffer folder; /* the one asked for last, and its hash */
    struct arus_seen_key folder_key;
    struct arus_seen_key queue[ARUS_SEEN_QUEUE]; /* added, slots still on their way to the cache */
    uint32_t queue_count;
    bool ignores_folders; /* fileNameOnly */
};

ARUS_MUST_USE enum arus_status arus_seen_init(struct arus_seen *seen, bool ignores_folders,
                                              struct arus_error *err);
void arus_seen_release(struct arus_seen *seen);
/** Room for `count` files in all. */
ARUS_MUST_USE enum arus_status arus_seen_reserve(struct arus_seen *seen, uint64_t count,
                                                 struct arus_error *err);
/** Forgets all, keeps the memory unless it is large. */
void arus_seen_reset(struct arus_seen *seen);
/** Says that `has` will be asked about this file soon: its slot is fetched meanwhile. */
void arus_seen_hint(struct arus_seen *seen, struct arus_text folder, struct arus_text name);
/** `folder` without a slash at its end. Out of memory while noting the folder: looks like a new
 * file. */
bool arus_seen_has(struct arus_seen *seen, struct arus_text folder, struct arus_text name);
ARUS_MUST_USE enum arus_status arus_seen_add(struct arus_seen *seen, struct arus_text folder,
                                             struct arus_text name, bool *is_new,
                                             struct arus_error *err);
/** Adds one of many; nothing else may be asked before arus_seen_settle. */
ARUS_MUST_USE enum arus_status arus_seen_enqueue(struct arus_seen *seen, struct arus_text folder,
                                                 struct arus_text name, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_seen_settle(struct arus_seen *seen, struct arus_error *err);

/** An absolute path in two; "/x" has the folder "". */
static inline void arus_seen_split(struct arus_text path, struct arus_text *folder,
                                   struct arus_text *name)
{
    size_t slash = path.size;

    while (slash > 0 && path.data[slash - 1] != '/') {
        slash--;
    }
    *folder = (struct arus_text){path.data, slash == 0 ? 0 : slash - 1};
    *name = (struct arus_text){path.data + slash, path.size - slash};
}

#endif
