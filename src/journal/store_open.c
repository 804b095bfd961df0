/**
 * Opening and closing the journal's LMDB environment. Within a process a folder is open at most
 * once, however many hold it: LMDB keeps its readers in order by POSIX locks, which a second
 * opening would take anew and any closing would drop, for the whole process.
 */
#include "base/alloc.h"
#include "base/file.h"
#include "journal/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FORMAT_VERSION 1
#define MAP_SIZE_FIRST (UINT64_C(16) << 30) /* addresses, not memory */
#define MAP_SIZE_LEAST (UINT64_C(1) << 20)
#define READERS_MAX    128
#define FULL_DISK      (UINT64_C(64) << 10) /* free bytes: less is what LMDB could not use */
#define READER_WAIT    60 /* seconds: how long readers may keep a writer waiting */

static const char *const TABLE_NAMES[ARUS_STORE_TABLE_COUNT] = {"meta", "batch", "log", "state",
                                                                "held"};

/* All stores of this process, and the lock of the list and of their `holder_count`. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_closed = PTHREAD_COND_INITIALIZER;
static struct arus_store *open_stores;

/* LMDB calls a write that the disk cut short EIO. */
static int cause_of(const struct arus_store *store, int code)
{
    return code == EIO && arus_folder_free_size(store->folder) < FULL_DISK ? ENOSPC : code;
}

enum arus_status arus_store_fail(const struct arus_store *store, int code, struct arus_error *err)
{
    struct arus_path path;
    enum arus_status status;

    code = cause_of(store, code);
    ARUS_TRY(arus_path_join(&path, store->folder, "data.mdb", err));
    if (code == MDB_CORRUPTED || code == MDB_PAGE_NOTFOUND || code == MDB_INVALID ||
        code == MDB_VERSION_MISMATCH || code == MDB_BAD_TXN || code == MDB_NOTFOUND) {
        status = arus_fail(err, ARUS_MISMATCH, "ARUS_JOURNAL_DAMAGED",
                           "%s: the journal is damaged (%s)", path.text, mdb_strerror(code));
        (void)arus_error_help(err, "put a backup of the checkpoint back");
    } else if (code == MDB_READERS_FULL) {
        status = arus_fail(err, ARUS_FATAL, NULL, "%s: more than %d readers at once", path.text,
                           READERS_MAX);
    } else if (code > 0) {
        status = arus_fail_errno(err, ARUS_FATAL, code, "%s", path.text);
        err->condition = code == ENOSPC || code == EDQUOT ? "TASK_WRITE_FAILED" : NULL;
    } else {
        status = arus_fail(err, ARUS_FATAL, NULL, "%s: %s", path.text, mdb_strerror(code));
    }
    (void)snprintf(err->file.path, sizeof err->file.path, "%s", path.text);
    return status;
}

static int open_tables(struct arus_store *store, MDB_txn *txn, unsigned flags)
{
    for (int i = 0; i < ARUS_STORE_TABLE_COUNT; i++) {
        const int code = mdb_dbi_open(txn, TABLE_NAMES[i], flags, &store->tables[i]);

        if (code != 0) {
            return code;
        }
    }
    return 0;
}

static enum arus_status check_format(struct arus_store *store, MDB_txn *txn, bool may_write,
                                     struct arus_error *err)
{
    uint32_t version = FORMAT_VERSION;
    MDB_val key = {sizeof ARUS_STORE_FORMAT - 1, (char *)(uintptr_t)ARUS_STORE_FORMAT};
    MDB_val value = {sizeof version, &version};
    int code = mdb_get(txn, store->tables[ARUS_STORE_META], &key, &value);

    if (code == MDB_NOTFOUND && may_write) {
        code = mdb_put(txn, store->tables[ARUS_STORE_META], &key, &value, 0);
    }
    if (code != 0) {
        return arus_store_fail(store, code, err);
    }
    if (value.mv_size != sizeof version) {
        return arus_store_fail(store, MDB_CORRUPTED, err);
    }
    memcpy(&version, value.mv_data, sizeof version);
    if (version > FORMAT_VERSION) {
        const enum arus_status status =
            arus_fail(err, ARUS_MISMATCH, "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
                      "%s: journal format %u is newer than this arus reads (%d)", store->folder,
                      version, FORMAT_VERSION);

        (void)arus_error_help(err, "use the arus that wrote it");
        return status;
    }
    return ARUS_OK;
}

static enum arus_status open_contents(struct arus_store *store, enum arus_store_mode mode,
                                      struct arus_error *err)
{
    const bool writes = mode == ARUS_STORE_WRITE;
    enum arus_status status;
    MDB_txn *txn;
    int dead;
    int code;

    (void)mdb_reader_check(store->env, &dead); /* slots of killed readers; a failure shows later */
    code = mdb_txn_begin(store->env, NULL, writes ? 0 : MDB_RDONLY, &txn);
    if (code != 0) {
        return arus_store_fail(store, code, err);
    }
    code = open_tables(store, txn, writes ? MDB_CREATE : 0);
    status = code == 0 ? check_format(store, txn, writes, err) : arus_store_fail(store, code, err);
    if (status != ARUS_OK) {
        mdb_txn_abort(txn);
        return status;
    }
    code = mdb_txn_commit(txn);
    return code == 0 ? ARUS_OK : arus_store_fail(store, code, err);
}

/** A process may have fewer addresses than we would like. */
static int open_environment(struct arus_store *store, enum arus_store_mode mode)
{
    const unsigned flags = MDB_NOTLS | (mode == ARUS_STORE_READ ? MDB_RDONLY : 0);
    int code;

    for (;;) {
        code = mdb_env_create(&store->env);
        if (code != 0) {
            store->env = NULL;
            return code;
        }
        code = mdb_env_set_maxdbs(store->env, ARUS_STORE_TABLE_COUNT);
        if (code == 0) {
            code = mdb_env_set_maxreaders(store->env, READERS_MAX);
        }
        if (code == 0) {
            code = mdb_env_set_mapsize(store->env, store->map_size);
        }
        if (code == 0) {
            code = mdb_env_open(store->env, store->folder, flags, 0666);
        }
        if (code == 0) {
            return 0;
        }
        mdb_env_close(store->env);
        store->env = NULL;
        if (code != ENOMEM || store->map_size <= MAP_SIZE_LEAST) {
            return code;
        }
        store->map_size /= 2;
    }
}

/* Bytes up to the last page that the newest transaction knows. */
static uint64_t end_of(MDB_env *env)
{
    MDB_envinfo info;
    MDB_stat stat;

    if (mdb_env_info(env, &info) != 0 || mdb_env_stat(env, &stat) != 0) {
        return 0;
    }
    return (uint64_t)(info.me_last_pgno + 1) * stat.ms_psize;
}

/*
 * A page behind the end of the file would be a SIGBUS: the file is torn, or its last pages were
 * never written because nothing is in them. Zeros there change no data, and LMDB and our checksums
 * know them for no page.
 */
static int fill_end(const struct arus_store *store)
{
    const uint64_t end = end_of(store->env);
    struct arus_file_info info;
    struct arus_error err;
    struct arus_path path;
    int code;
    int fd;

    if (arus_path_join(&path, store->folder, "data.mdb", &err) != ARUS_OK ||
        arus_file_stat(path.text, &info, &err) != ARUS_OK || (uint64_t)info.size >= end) {
        return 0;
    }
    fd = open(path.text, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return MDB_CORRUPTED;
    }
    code = posix_fallocate(fd, (off_t)end - 1, 1); /* of a file that grows meanwhile: nothing */
    (void)close(fd);
    return code;
}

bool arus_store_exists(const char *folder)
{
    struct arus_file_info info;
    struct arus_error err;
    struct arus_path path;

    return arus_path_join(&path, folder, "data.mdb", &err) == ARUS_OK &&
           arus_file_stat(path.text, &info, &err) == ARUS_OK && info.kind == ARUS_FILE_REGULAR;
}

static void free_store(struct arus_store *store)
{
    if (store->env != NULL) {
        mdb_env_close(store->env);
    }
    (void)pthread_rwlock_destroy(&store->map_lock);
    arus_free(store);
}

static enum arus_status open_new(const char *folder, const struct arus_file_info *place,
                                 enum arus_store_mode mode, uint64_t map_size,
                                 struct arus_store **out, struct arus_error *err)
{
    struct arus_store *store = (struct arus_store *)arus_alloc(1, sizeof *store);
    enum arus_status status;
    int code;

    if (store == NULL) {
        return arus_fail_memory(err);
    }
    store->map_size = map_size;
    store->mode = mode;
    store->device = place->device;
    store->inode = place->inode;
    store->holder_count = 1;
    (void)snprintf(store->folder, sizeof store->folder, "%s", folder);
    (void)pthread_rwlock_init(&store->map_lock, NULL);
    code = open_environment(store, mode);
    if (code == 0) {
        code = fill_end(store);
    }
    status = code == 0 ? open_contents(store, mode, err) : arus_store_fail(store, code, err);
    if (status != ARUS_OK) {
        free_store(store);
        return status;
    }
    store->next = open_stores;
    open_stores = store;
    *out = store;
    return ARUS_OK;
}

static struct arus_store *find_open(const struct arus_file_info *place)
{
    struct arus_store *store = open_stores;

    while (store != NULL && (store->inode != place->inode || store->device != place->device)) {
        store = store->next;
    }
    return store;
}

/* Readers of this process opened the folder without the right to write: a writer comes after them.
 */
static struct arus_store *wait_for_readers(const struct arus_file_info *place)
{
    struct arus_store *store = find_open(place);
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += READER_WAIT;
    while (store != NULL && store->mode == ARUS_STORE_READ &&
           pthread_cond_timedwait(&one_closed, &list_lock, &until) == 0) {
        store = find_open(place);
    }
    return store;
}

static enum arus_status open_locked(const char *folder, enum arus_store_mode mode,
                                    uint64_t map_size, struct arus_store **out,
                                    struct arus_error *err)
{
    struct arus_file_info place;

    ARUS_TRY(arus_file_stat(folder, &place, err));
    *out = mode == ARUS_STORE_WRITE ? wait_for_readers(&place) : find_open(&place);
    if (*out == NULL) {
        return open_new(folder, &place, mode, map_size, out, err);
    }
    if (mode == ARUS_STORE_WRITE) { /* the locks of checkpoints let one writer through */
        *out = NULL;
        return arus_fail(err, ARUS_MISMATCH, "CONCURRENT_STREAM_LOG_UPDATE",
                         "%s is open in this process", folder);
    }
    (*out)->holder_count++;
    return ARUS_OK;
}

enum arus_status arus_store_open_sized(const char *folder, enum arus_store_mode mode,
                                       uint64_t map_size, struct arus_store **out,
                                       struct arus_error *err)
{
    enum arus_status status;

    *out = NULL;
    if (mode == ARUS_STORE_READ && !arus_store_exists(folder)) {
        return ARUS_OK;
    }
    (void)pthread_mutex_lock(&list_lock);
    status = open_locked(folder, mode, map_size, out, err);
    (void)pthread_mutex_unlock(&list_lock);
    return status;
}

enum arus_status arus_store_open(const char *folder, enum arus_store_mode mode,
                                 struct arus_store **out, struct arus_error *err)
{
    return arus_store_open_sized(folder, mode, MAP_SIZE_FIRST, out, err);
}

void arus_store_close(struct arus_store *store)
{
    struct arus_store **link = &open_stores;

    if (store == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&list_lock);
    if (--store->holder_count == 0) {
        while (*link != store) {
            link = &(*link)->next;
        }
        *link = store->next;
        free_store(store);
        (void)pthread_cond_broadcast(&one_closed);
    }
    (void)pthread_mutex_unlock(&list_lock);
}

uint64_t arus_store_size(const struct arus_store *store)
{
    return end_of(store->env);
}

enum arus_status arus_store_copy(struct arus_store *store, const char *folder,
                                 struct arus_error *err)
{
    struct arus_path path;
    int code;

    ARUS_TRY(arus_path_join(&path, folder, "data.mdb", err));
    (void)pthread_rwlock_rdlock(&store->map_lock);
    code = mdb_env_copy2(store->env, folder, MDB_CP_COMPACT);
    /* LMDB leaks a page now and then, and a compact copy refuses what it finds in no list. */
    if (code == MDB_INCOMPATIBLE && unlink(path.text) == 0) {
        code = mdb_env_copy2(store->env, folder, 0);
    }
    (void)pthread_rwlock_unlock(&store->map_lock);
    if (code != 0) {
        return arus_store_fail(store, code, err);
    }
    ARUS_TRY(arus_file_sync_path(path.text, err));
    return arus_folder_sync(folder, err);
}
