/** A copy of a checkpoint while a query runs on it: as it was after one prepared batch. */
#ifndef ARUS_JOURNAL_BACKUP_H
#define ARUS_JOURNAL_BACKUP_H

#include "journal/checkpoint.h"

struct arus_backup_report {
    int64_t batch_id; /* the newest in the copy */
    uint64_t size;    /* bytes of its files */
};

/**
 * Copies the checkpoint `folder` to `target` (both absolute), which must be missing or empty: the
 * journal by one snapshot, then the texts of batches that it has. What a running query removes or
 * writes meanwhile does not matter: the copy's journal knows what belongs to it. Durable, and there
 * as a whole or not at all. The sink is not copied.
 *
 * Errors: ARUS_BAD_CONFIG ARUS_TARGET_NOT_EMPTY; ARUS_MISMATCH: no journal.
 */
ARUS_MUST_USE enum arus_status arus_checkpoint_backup(const char *folder, const char *shown,
                                                      const char *target,
                                                      struct arus_backup_report *out,
                                                      struct arus_error *err);

#endif
