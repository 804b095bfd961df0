/**
 * Held parts: small files of a sink whose bytes go into the journal's transaction with the batch.
 * Such a batch waits for the journal's flush alone, not for one of each file and folder; the files
 * are written when it is published and synced later, together with the mirrors. Until then their
 * bytes stay in the journal, and opening the sink writes again what a power cut took. See
 * docs/decisions/0009-held-parts.md.
 */
#ifndef ARUS_JOURNAL_HELD_H
#define ARUS_JOURNAL_HELD_H

#include "base/file_spare.h"
#include "base/text.h"
#include "journal/log.h"

/** The largest part that is held, in bytes. */
#define ARUS_HELD_PART_MAX ((size_t)32 << 10)

/** Bytes that the batch being made may still hold; any thread. */
uint64_t arus_held_room(const struct arus_log_set *set);
/**
 * Puts a part of batch `batch_id` into the next transaction. `name`: its path below the sink's
 * folder; `index`: rising within the batch. Both texts are copied.
 */
ARUS_MUST_USE enum arus_status arus_held_add(struct arus_log *log, int64_t batch_id, uint32_t index,
                                             struct arus_text name, struct arus_text bytes,
                                             struct arus_error *err);

/** A held part. Its texts live until the callback returns. */
typedef enum arus_status (*arus_held_fn)(void *self, int64_t batch_id, struct arus_text name,
                                         struct arus_text bytes, struct arus_error *err);
/** Those of the sink's batches `from` to `to`, in order of batch and index. */
ARUS_MUST_USE enum arus_status arus_held_each(struct arus_log *log, int64_t from, int64_t to,
                                              arus_held_fn fn, void *self, struct arus_error *err);

/** The file of a held part is there under its name: to be synced with the mirrors. */
ARUS_MUST_USE enum arus_status arus_held_written(struct arus_log *log, const char *path,
                                                 uint64_t size, struct arus_error *err);
/** A folder got a new folder: to be synced with the mirrors. */
ARUS_MUST_USE enum arus_status arus_held_made(struct arus_log *log, const char *path,
                                              struct arus_error *err);

/** Files made ahead in the sink's file system. */
struct arus_spares *arus_held_spares(struct arus_log *log);

#endif
