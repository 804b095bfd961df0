/** One writer per folder: a lock file with the owner's process number, and a table of this
 * process's own. */
#ifndef ARUS_BASE_LOCK_H
#define ARUS_BASE_LOCK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/** Zeroed = not held. Fields belong to lock.c. */
struct arus_lock {
    int fd;
    bool is_held;
    uint64_t device; /* of the folder */
    uint64_t inode;
    char name[24]; /* of the lock file */
};

/** Who has it, or had it last. */
struct arus_lock_owner {
    bool is_held;
    int64_t pid;
    int64_t since_ms; /* wall clock */
};

/**
 * Takes the lock `folder`/`name` (a dot name that readers ignore); dies with the process. The same
 * folder under another path counts as the same.
 *
 * Errors: ARUS_MISMATCH CONCURRENT_STREAM_LOG_UPDATE "`folder` is in use by process 4711 since
 * 08:41:02", the folder as `shown` writes it.
 */
ARUS_MUST_USE enum arus_status arus_lock_take(struct arus_lock *lock, const char *folder,
                                              const char *name, const char *shown,
                                              struct arus_error *err);
/** Accepts one that is not held. The file stays. */
void arus_lock_drop(struct arus_lock *lock);
/** Looks without taking. No lock file: nobody. */
ARUS_MUST_USE enum arus_status arus_lock_look(const char *folder, const char *name,
                                              struct arus_lock_owner *out, struct arus_error *err);

#endif
