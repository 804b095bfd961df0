/**
 * The journal of a query: an LMDB environment with one durable transaction per micro-batch. Sole
 * owner of lmdb.h. Every value carries a checksum. Used by journal/checkpoint.h (batches, logs) and
 * by the state room.
 */
#ifndef ARUS_JOURNAL_STORE_H
#define ARUS_JOURNAL_STORE_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** Key spaces. Keys are at most 500 bytes and sort as unsigned bytes; numbers in them are
 * big-endian. */
enum arus_store_table {
    ARUS_STORE_META,  /* format, query, progress, notes */
    ARUS_STORE_BATCH, /* prepared batches by id */
    ARUS_STORE_LOG,   /* entries of source and sink logs by log and id */
    ARUS_STORE_STATE, /* the state room's own */
    ARUS_STORE_HELD,  /* small parts of sinks by log, batch and index: journal/held.h */
    ARUS_STORE_TABLE_COUNT
};

enum arus_store_mode { ARUS_STORE_READ, ARUS_STORE_WRITE };

struct arus_store;

/**
 * Opens the environment in `folder`; WRITE makes it. READ: nothing there gives `*out` NULL. A
 * folder that this process has open is shared; a writer waits a while for the readers.
 *
 * Errors: ARUS_MISMATCH INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION: made by a newer arus;
 * ARUS_MISMATCH: no journal or a broken one; CONCURRENT_STREAM_LOG_UPDATE: this process has it
 * open; ARUS_FATAL.
 */
ARUS_MUST_USE enum arus_status arus_store_open(const char *folder, enum arus_store_mode mode,
                                               struct arus_store **out, struct arus_error *err);
void arus_store_close(struct arus_store *store); /* accepts NULL */
/** Is there an environment in the folder? */
bool arus_store_exists(const char *folder);

/* ---- reading; any thread ---- */

/** A snapshot. Must end before long: it keeps old pages alive and a growing map waiting. */
struct arus_store_read {
    struct arus_store *store;
    void *txn;
};

ARUS_MUST_USE enum arus_status arus_store_read_begin(struct arus_store *store,
                                                     struct arus_store_read *read,
                                                     struct arus_error *err);
void arus_store_read_end(struct arus_store_read *read); /* accepts an ended one */
/** Exactly this key; the value lives until the read ends. Errors: ARUS_MISMATCH when a checksum is
 * wrong. */
ARUS_MUST_USE enum arus_status arus_store_get(struct arus_store_read *read,
                                              enum arus_store_table table, struct arus_text key,
                                              struct arus_text *value, bool *is_found,
                                              struct arus_error *err);

/** Walks keys in order. */
struct arus_store_cursor {
    struct arus_store_read *read;
    void *handle;
    enum arus_store_table table;
    bool is_started;
    char start[512];
    size_t start_size;
};

/** Begins at the first key >= `from`. */
ARUS_MUST_USE enum arus_status arus_store_cursor_open(struct arus_store_read *read,
                                                      enum arus_store_table table,
                                                      struct arus_text from,
                                                      struct arus_store_cursor *cursor,
                                                      struct arus_error *err);
/** The next pair; `*is_end` behind the last. Key and value live until the read ends. */
ARUS_MUST_USE enum arus_status arus_store_cursor_next(struct arus_store_cursor *cursor,
                                                      struct arus_text *key,
                                                      struct arus_text *value, bool *is_end,
                                                      struct arus_error *err);
void arus_store_cursor_close(struct arus_store_cursor *cursor);
/** The last key that is < `below` and starts with `prefix`. */
ARUS_MUST_USE enum arus_status arus_store_last(struct arus_store_read *read,
                                               enum arus_store_table table, struct arus_text prefix,
                                               struct arus_text below, struct arus_text *key,
                                               struct arus_text *value, bool *is_found,
                                               struct arus_error *err);

/* ---- writing; one thread at a time ---- */

/**
 * What a transaction will do: collected first, carried out by commit, which can therefore grow the
 * map and begin again. Zeroed = empty and releasable.
 */
struct arus_store_write {
    struct arus_buffer keys;  /* copied keys and small values */
    struct arus_buffer steps; /* struct store_step */
    uint64_t value_size;      /* bytes of all values */
};

/** Keys are copied, `value` is borrowed until commit or reset. */
ARUS_MUST_USE enum arus_status arus_store_put(struct arus_store_write *write,
                                              enum arus_store_table table, struct arus_text key,
                                              struct arus_text value, struct arus_error *err);
/** The value is copied too. */
ARUS_MUST_USE enum arus_status arus_store_put_copy(struct arus_store_write *write,
                                                   enum arus_store_table table,
                                                   struct arus_text key, struct arus_text value,
                                                   struct arus_error *err);
/** All keys in [from, to). */
ARUS_MUST_USE enum arus_status arus_store_delete_range(struct arus_store_write *write,
                                                       enum arus_store_table table,
                                                       struct arus_text from, struct arus_text to,
                                                       struct arus_error *err);
/** One key; nothing there is fine. */
ARUS_MUST_USE enum arus_status arus_store_delete(struct arus_store_write *write,
                                                 enum arus_store_table table, struct arus_text key,
                                                 struct arus_error *err);
void arus_store_write_reset(struct arus_store_write *write);
void arus_store_write_release(struct arus_store_write *write);
/**
 * All steps in one transaction, in order; durable when it returns. The write is empty afterwards,
 * on failure too.
 *
 * Errors: ARUS_FATAL: disk full, I/O error; nothing was changed, or (after a failed sync) it is
 * open whether.
 */
ARUS_MUST_USE enum arus_status
arus_store_commit(struct arus_store *store, struct arus_store_write *write, struct arus_error *err);
/** A snapshot of the environment as data.mdb in `folder`, without free pages where LMDB can leave
 * them out; durable. Any mode. */
ARUS_MUST_USE enum arus_status arus_store_copy(struct arus_store *store, const char *folder,
                                               struct arus_error *err);
/** Bytes of the environment on disk. */
uint64_t arus_store_size(const struct arus_store *store);

/* ---- keys ---- */

/** Appends a number so that byte order is number order (big-endian). */
static inline void arus_store_key_u64(char *out, uint64_t value)
{
    for (int i = 7; i >= 0; i--) {
        out[i] = (char)(value & 0xff);
        value >>= 8;
    }
}
static inline uint64_t arus_store_key_read(const char *data)
{
    uint64_t value = 0;

    for (int i = 0; i < 8; i++) {
        value = (value << 8) | (uint8_t)data[i];
    }
    return value;
}

#endif
