/**
 * LMDB behind four tables. Writes are collected and carried out in one transaction, so a full map
 * can grow and the transaction begin again. No WRITEMAP: a full disk has to be an error, not a
 * SIGBUS.
 */
#include "journal/store.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "journal/store_internal.h"

#include <lmdb.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_VERSION 1
#define MAP_SIZE_FIRST (UINT64_C(16) << 30) /* addresses, not memory */
#define MAP_SIZE_LEAST (UINT64_C(64) << 20)
#define READERS_MAX    128
#define CHECK_SIZE     8
#define KEY_SIZE_MAX   500
#define FULL_DISK      (UINT64_C(64) << 10) /* free bytes: less is what LMDB could not use */

static const char *const TABLE_NAMES[ARUS_STORE_TABLE_COUNT] = {"meta", "batch", "log", "state"};
static const char FORMAT_KEY[] = "format";

struct arus_store {
    MDB_env *env;
    MDB_dbi tables[ARUS_STORE_TABLE_COUNT];
    pthread_rwlock_t map_lock; /* read: a snapshot is open; write: the map grows */
    uint64_t map_size;
    bool is_broken; /* a sync failed: what is on the disk is unknown */
    char folder[ARUS_PATH_MAX];
};

enum step_kind { STEP_PUT, STEP_PUT_COPY, STEP_DELETE, STEP_DELETE_RANGE };

struct store_step {
    enum step_kind kind;
    enum arus_store_table table;
    size_t key_at; /* in write->keys */
    size_t key_size;
    size_t value_at; /* PUT_COPY: in write->keys; DELETE_RANGE: the end key */
    const char *value;
    size_t value_size;
};

/* ---- opening ---- */

/* LMDB calls a write that the disk cut short EIO. */
static int cause_of(const struct arus_store *store, int code)
{
    return code == EIO && arus_folder_free_size(store->folder) < FULL_DISK ? ENOSPC : code;
}

static enum arus_status fail_lmdb(const struct arus_store *store, int code, struct arus_error *err)
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
    MDB_val key = {sizeof FORMAT_KEY - 1, (char *)(uintptr_t)FORMAT_KEY};
    MDB_val value = {sizeof version, &version};
    int code = mdb_get(txn, store->tables[ARUS_STORE_META], &key, &value);

    if (code == MDB_NOTFOUND && may_write) {
        code = mdb_put(txn, store->tables[ARUS_STORE_META], &key, &value, 0);
    }
    if (code != 0) {
        return fail_lmdb(store, code, err);
    }
    if (value.mv_size != sizeof version) {
        return fail_lmdb(store, MDB_CORRUPTED, err);
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
        return fail_lmdb(store, code, err);
    }
    code = open_tables(store, txn, writes ? MDB_CREATE : 0);
    status = code == 0 ? check_format(store, txn, writes, err) : fail_lmdb(store, code, err);
    if (status != ARUS_OK) {
        mdb_txn_abort(txn);
        return status;
    }
    code = mdb_txn_commit(txn);
    return code == 0 ? ARUS_OK : fail_lmdb(store, code, err);
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

enum arus_status arus_store_open_sized(const char *folder, enum arus_store_mode mode,
                                       uint64_t map_size, struct arus_store **out,
                                       struct arus_error *err)
{
    struct arus_store *store;
    enum arus_status status;
    int code;

    *out = NULL;
    if (mode == ARUS_STORE_READ && !arus_store_exists(folder)) {
        return ARUS_OK;
    }
    store = (struct arus_store *)arus_alloc(1, sizeof *store);
    if (store == NULL) {
        return arus_fail_memory(err);
    }
    store->map_size = map_size;
    (void)snprintf(store->folder, sizeof store->folder, "%s", folder);
    (void)pthread_rwlock_init(&store->map_lock, NULL);
    code = open_environment(store, mode);
    if (code == 0) {
        code = fill_end(store);
    }
    status = code == 0 ? open_contents(store, mode, err) : fail_lmdb(store, code, err);
    if (status != ARUS_OK) {
        arus_store_close(store);
        return status;
    }
    *out = store;
    return ARUS_OK;
}

enum arus_status arus_store_open(const char *folder, enum arus_store_mode mode,
                                 struct arus_store **out, struct arus_error *err)
{
    return arus_store_open_sized(folder, mode, MAP_SIZE_FIRST, out, err);
}

void arus_store_close(struct arus_store *store)
{
    if (store == NULL) {
        return;
    }
    if (store->env != NULL) {
        mdb_env_close(store->env);
    }
    (void)pthread_rwlock_destroy(&store->map_lock);
    arus_free(store);
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
        return fail_lmdb(store, code, err);
    }
    ARUS_TRY(arus_file_sync_path(path.text, err));
    return arus_folder_sync(folder, err);
}

/* ---- reading ---- */

enum arus_status arus_store_read_begin(struct arus_store *store, struct arus_store_read *read,
                                       struct arus_error *err)
{
    MDB_txn *txn = NULL;
    int code;

    *read = (struct arus_store_read){0};
    (void)pthread_rwlock_rdlock(&store->map_lock);
    code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    if (code == MDB_MAP_RESIZED) { /* another process made it grow */
        code = mdb_env_set_mapsize(store->env, 0);
        if (code == 0) {
            code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
        }
    }
    if (code != 0) {
        (void)pthread_rwlock_unlock(&store->map_lock);
        return fail_lmdb(store, code, err);
    }
    read->store = store;
    read->txn = txn;
    return ARUS_OK;
}

void arus_store_read_end(struct arus_store_read *read)
{
    if (read->txn != NULL) {
        mdb_txn_abort((MDB_txn *)read->txn);
        (void)pthread_rwlock_unlock(&read->store->map_lock);
    }
    *read = (struct arus_store_read){0};
}

static uint64_t checksum(enum arus_store_table table, const char *key, size_t key_size,
                         const char *value, size_t value_size)
{
    return arus_hash_bytes(value, value_size, arus_hash_bytes(key, key_size, (uint64_t)table + 1));
}

/** Takes the checksum off a value and compares it. */
static enum arus_status open_value(const struct arus_store *store, enum arus_store_table table,
                                   const MDB_val *key, const MDB_val *value, struct arus_text *out,
                                   struct arus_error *err)
{
    const char *data = (const char *)value->mv_data;
    uint64_t stored;

    if (value->mv_size < CHECK_SIZE) {
        return fail_lmdb(store, MDB_CORRUPTED, err);
    }
    *out = (struct arus_text){data, value->mv_size - CHECK_SIZE};
    memcpy(&stored, data + out->size, CHECK_SIZE);
    if (stored != checksum(table, (const char *)key->mv_data, key->mv_size, data, out->size)) {
        return fail_lmdb(store, MDB_CORRUPTED, err);
    }
    return ARUS_OK;
}

/** LMDB takes keys as void *, but only reads them. */
static MDB_val val_of(struct arus_text text)
{
    return (MDB_val){text.size, (char *)(uintptr_t)text.data};
}

static bool is_format(enum arus_store_table table, const MDB_val *key)
{
    return table == ARUS_STORE_META && key->mv_size == sizeof FORMAT_KEY - 1 &&
           memcmp(key->mv_data, FORMAT_KEY, key->mv_size) == 0;
}

enum arus_status arus_store_get(struct arus_store_read *read, enum arus_store_table table,
                                struct arus_text key, struct arus_text *value, bool *is_found,
                                struct arus_error *err)
{
    MDB_val wanted = val_of(key);
    MDB_val found;
    const int code = mdb_get((MDB_txn *)read->txn, read->store->tables[table], &wanted, &found);

    *is_found = code == 0;
    *value = (struct arus_text){0};
    if (code == MDB_NOTFOUND) {
        return ARUS_OK;
    }
    if (code != 0) {
        return fail_lmdb(read->store, code, err);
    }
    return open_value(read->store, table, &wanted, &found, value, err);
}

enum arus_status arus_store_cursor_open(struct arus_store_read *read, enum arus_store_table table,
                                        struct arus_text from, struct arus_store_cursor *cursor,
                                        struct arus_error *err)
{
    MDB_cursor *handle;
    int code;

    *cursor = (struct arus_store_cursor){.read = read, .table = table, .start_size = from.size};
    ARUS_ASSERT(from.size <= sizeof cursor->start);
    if (from.size > 0) {
        memcpy(cursor->start, from.data, from.size);
    }
    code = mdb_cursor_open((MDB_txn *)read->txn, read->store->tables[table], &handle);
    if (code != 0) {
        return fail_lmdb(read->store, code, err);
    }
    cursor->handle = handle;
    return ARUS_OK;
}

enum arus_status arus_store_cursor_next(struct arus_store_cursor *cursor, struct arus_text *key,
                                        struct arus_text *value, bool *is_end,
                                        struct arus_error *err)
{
    MDB_cursor_op op = MDB_NEXT;
    MDB_val at = {cursor->start_size, cursor->start};
    MDB_val found;
    int code;

    if (!cursor->is_started) {
        op = cursor->start_size == 0 ? MDB_FIRST : MDB_SET_RANGE;
        cursor->is_started = true;
    }
    code = mdb_cursor_get((MDB_cursor *)cursor->handle, &at, &found, op);
    if (code == 0 && is_format(cursor->table, &at)) {
        code = mdb_cursor_get((MDB_cursor *)cursor->handle, &at, &found, MDB_NEXT);
    }
    *is_end = code == MDB_NOTFOUND;
    if (*is_end) {
        return ARUS_OK;
    }
    if (code != 0) {
        return fail_lmdb(cursor->read->store, code, err);
    }
    *key = (struct arus_text){(const char *)at.mv_data, at.mv_size};
    return open_value(cursor->read->store, cursor->table, &at, &found, value, err);
}

void arus_store_cursor_close(struct arus_store_cursor *cursor)
{
    if (cursor->handle != NULL) {
        mdb_cursor_close((MDB_cursor *)cursor->handle);
    }
    *cursor = (struct arus_store_cursor){0};
}

enum arus_status arus_store_last(struct arus_store_read *read, enum arus_store_table table,
                                 struct arus_text prefix, struct arus_text below,
                                 struct arus_text *key, struct arus_text *value, bool *is_found,
                                 struct arus_error *err)
{
    MDB_cursor *cursor;
    MDB_val at = val_of(below);
    MDB_val found;
    int code = mdb_cursor_open((MDB_txn *)read->txn, read->store->tables[table], &cursor);
    enum arus_status status = ARUS_OK;

    *is_found = false;
    if (code != 0) {
        return fail_lmdb(read->store, code, err);
    }
    code = mdb_cursor_get(cursor, &at, &found, MDB_SET_RANGE);
    code = mdb_cursor_get(cursor, &at, &found, code == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
    if (code != 0 && code != MDB_NOTFOUND) {
        status = fail_lmdb(read->store, code, err);
    } else if (code == 0) {
        *key = (struct arus_text){(const char *)at.mv_data, at.mv_size};
        *is_found = arus_text_starts_with(*key, prefix);
        if (*is_found) {
            status = open_value(read->store, table, &at, &found, value, err);
        }
    }
    mdb_cursor_close(cursor);
    return status;
}

/* ---- collecting ---- */

static enum arus_status add_step(struct arus_store_write *write, enum step_kind kind,
                                 enum arus_store_table table, struct arus_text key,
                                 struct arus_text value, struct arus_error *err)
{
    struct store_step step = {.kind = kind,
                              .table = table,
                              .key_at = write->keys.size,
                              .key_size = key.size,
                              .value = value.data,
                              .value_size = value.size};

    ARUS_ASSERT(key.size > 0 && key.size <= KEY_SIZE_MAX);
    ARUS_TRY(arus_buffer_append_text(&write->keys, key, err));
    step.value_at = write->keys.size;
    if (kind != STEP_PUT) {
        ARUS_TRY(arus_buffer_append_text(&write->keys, value, err));
    }
    write->value_size += value.size;
    return arus_buffer_append(&write->steps, &step, sizeof step, err);
}

enum arus_status arus_store_put(struct arus_store_write *write, enum arus_store_table table,
                                struct arus_text key, struct arus_text value,
                                struct arus_error *err)
{
    return add_step(write, STEP_PUT, table, key, value, err);
}

enum arus_status arus_store_put_copy(struct arus_store_write *write, enum arus_store_table table,
                                     struct arus_text key, struct arus_text value,
                                     struct arus_error *err)
{
    return add_step(write, STEP_PUT_COPY, table, key, value, err);
}

enum arus_status arus_store_delete_range(struct arus_store_write *write,
                                         enum arus_store_table table, struct arus_text from,
                                         struct arus_text to, struct arus_error *err)
{
    return add_step(write, STEP_DELETE_RANGE, table, from, to, err);
}

enum arus_status arus_store_delete(struct arus_store_write *write, enum arus_store_table table,
                                   struct arus_text key, struct arus_error *err)
{
    return add_step(write, STEP_DELETE, table, key, (struct arus_text){0}, err);
}

void arus_store_write_reset(struct arus_store_write *write)
{
    arus_buffer_reset(&write->keys);
    arus_buffer_reset(&write->steps);
    write->value_size = 0;
}

void arus_store_write_release(struct arus_store_write *write)
{
    arus_buffer_release(&write->keys);
    arus_buffer_release(&write->steps);
    *write = (struct arus_store_write){0};
}

/* ---- carrying out ---- */

static int put_value(MDB_txn *txn, MDB_dbi dbi, const struct store_step *step, MDB_val *key,
                     const char *value)
{
    MDB_val room = {step->value_size + CHECK_SIZE, NULL};
    const int code = mdb_put(txn, dbi, key, &room, MDB_RESERVE);
    uint64_t check;

    if (code != 0) {
        return code;
    }
    if (step->value_size > 0) {
        memcpy(room.mv_data, value, step->value_size);
    }
    check =
        checksum(step->table, (const char *)key->mv_data, key->mv_size, value, step->value_size);
    memcpy((char *)room.mv_data + step->value_size, &check, CHECK_SIZE);
    return 0;
}

static int delete_range(MDB_txn *txn, MDB_dbi dbi, MDB_val from, struct arus_text to)
{
    MDB_cursor *cursor;
    MDB_val key = from;
    MDB_val value;
    int code = mdb_cursor_open(txn, dbi, &cursor);

    if (code != 0) {
        return code;
    }
    code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
    while (code == 0 &&
           arus_text_compare((struct arus_text){(const char *)key.mv_data, key.mv_size}, to) < 0) {
        code = mdb_cursor_del(cursor, 0);
        if (code == 0) {
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
        }
    }
    mdb_cursor_close(cursor);
    return code == MDB_NOTFOUND ? 0 : code;
}

static int carry_out(const struct arus_store *store, MDB_txn *txn,
                     const struct arus_store_write *write)
{
    const size_t count = write->steps.size / sizeof(struct store_step);
    const char *at = write->steps.data;

    for (size_t i = 0; i < count; i++) {
        struct store_step step;
        MDB_val key;
        MDB_dbi dbi;
        int code = 0;

        memcpy(&step, at + i * sizeof step, sizeof step);
        dbi = store->tables[step.table];
        key = (MDB_val){step.key_size, write->keys.data + step.key_at};
        switch (step.kind) {
        case STEP_PUT:
            code = put_value(txn, dbi, &step, &key, step.value);
            break;
        case STEP_PUT_COPY:
            code = put_value(txn, dbi, &step, &key, write->keys.data + step.value_at);
            break;
        case STEP_DELETE:
            code = mdb_del(txn, dbi, &key, NULL);
            code = code == MDB_NOTFOUND ? 0 : code;
            break;
        case STEP_DELETE_RANGE:
            code =
                delete_range(txn, dbi, key,
                             (struct arus_text){write->keys.data + step.value_at, step.value_size});
            break;
        }
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

static int commit_once(struct arus_store *store, const struct arus_store_write *write)
{
    MDB_txn *txn;
    int code = mdb_txn_begin(store->env, NULL, 0, &txn);

    if (code != 0) {
        return code;
    }
    code = carry_out(store, txn, write);
    if (code != 0) {
        mdb_txn_abort(txn);
        return code;
    }
    if (arus_file_fault(ARUS_FILE_OP_COMMIT)) {
        code = errno;
        mdb_txn_abort(txn);
        return code;
    }
    return mdb_txn_commit(txn);
}

static int grow(struct arus_store *store, uint64_t extra)
{
    uint64_t size = store->map_size * 2;
    int code;

    while (size < store->map_size + extra * 2) {
        size *= 2;
    }
    (void)pthread_rwlock_wrlock(&store->map_lock);
    code = mdb_env_set_mapsize(store->env, size);
    (void)pthread_rwlock_unlock(&store->map_lock);
    if (code == 0) {
        store->map_size = size;
    }
    return code;
}

enum arus_status arus_store_commit(struct arus_store *store, struct arus_store_write *write,
                                   struct arus_error *err)
{
    int code;

    if (store->is_broken) {
        arus_store_write_reset(write);
        return arus_fail(err, ARUS_FATAL, NULL,
                         "%s: an earlier write failed, the journal must be opened anew",
                         store->folder);
    }
    code = commit_once(store, write);
    while (code == MDB_MAP_FULL) {
        code = grow(store, write->value_size);
        if (code == 0) {
            code = commit_once(store, write);
        }
    }
    arus_store_write_reset(write);
    if (code != 0) {
        store->is_broken = true;
        return fail_lmdb(store, code, err);
    }
    return ARUS_OK;
}
