/** Inside of the journal's store: what opening it and using it share; for tests, a small map that
 * has to grow. */
#ifndef ARUS_JOURNAL_STORE_INTERNAL_H
#define ARUS_JOURNAL_STORE_INTERNAL_H

#include "base/file.h"
#include "journal/store.h"

#include <lmdb.h>

#include <pthread.h>

/** The key in ARUS_STORE_META that is the store's own; readers never see it. */
#define ARUS_STORE_FORMAT "format"

struct arus_store {
    MDB_env *env;
    MDB_dbi tables[ARUS_STORE_TABLE_COUNT];
    enum arus_store_mode mode;
    pthread_rwlock_t map_lock; /* read: a snapshot is open; write: the map grows */
    uint64_t map_size;
    bool is_broken; /* a sync failed: what is on the disk is unknown */
    char folder[ARUS_PATH_MAX];
    /* store_open.c's, under its lock: */
    uint64_t device; /* of the folder */
    uint64_t inode;
    size_t holder_count;
    struct arus_store *next;
};

/** As arus_store_open, beginning with a map of `map_size` bytes. */
ARUS_MUST_USE enum arus_status arus_store_open_sized(const char *folder, enum arus_store_mode mode,
                                                     uint64_t map_size, struct arus_store **out,
                                                     struct arus_error *err);
/** The error of an LMDB code. */
ARUS_MUST_USE enum arus_status arus_store_fail(const struct arus_store *store, int code,
                                               struct arus_error *err);

#endif
