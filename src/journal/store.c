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

#include <errno.h>
#include <string.h>

#define CHECK_SIZE   8
#define KEY_SIZE_MAX 500

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

/* ---- reading ---- */

enum arus_status arus_store_read_begin(struct arus_store *store, struct arus_store_read *read,
                                       struct arus_error *err)
{
    MDB_txn *txn = NULL;
    int code;

    *read = (struct arus_store_read){0};
    (void)pthread_rwlock_rdlock(&store->map_lock);
    code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    while (code == MDB_MAP_RESIZED) { /* another process made it grow */
        (void)pthread_rwlock_unlock(&store->map_lock);
        (void)pthread_rwlock_wrlock(&store->map_lock);
        code = mdb_env_set_mapsize(store->env, 0);
        (void)pthread_rwlock_unlock(&store->map_lock);
        (void)pthread_rwlock_rdlock(&store->map_lock);
        code = code == 0 ? mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn) : code;
    }
    if (code != 0) {
        (void)pthread_rwlock_unlock(&store->map_lock);
        return arus_store_fail(store, code, err);
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
        return arus_store_fail(store, MDB_CORRUPTED, err);
    }
    *out = (struct arus_text){data, value->mv_size - CHECK_SIZE};
    memcpy(&stored, data + out->size, CHECK_SIZE);
    if (stored != checksum(table, (const char *)key->mv_data, key->mv_size, data, out->size)) {
        return arus_store_fail(store, MDB_CORRUPTED, err);
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
    return table == ARUS_STORE_META && key->mv_size == sizeof ARUS_STORE_FORMAT - 1 &&
           memcmp(key->mv_data, ARUS_STORE_FORMAT, key->mv_size) == 0;
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
        return arus_store_fail(read->store, code, err);
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
        return arus_store_fail(read->store, code, err);
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
        return arus_store_fail(cursor->read->store, code, err);
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
        return arus_store_fail(read->store, code, err);
    }
    code = mdb_cursor_get(cursor, &at, &found, MDB_SET_RANGE);
    code = mdb_cursor_get(cursor, &at, &found, code == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
    if (code != 0 && code != MDB_NOTFOUND) {
        status = arus_store_fail(read->store, code, err);
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
        return arus_store_fail(store, code, err);
    }
    return ARUS_OK;
}
