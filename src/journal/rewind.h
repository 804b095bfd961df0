/**
 * Going back to an earlier batch: journal, text logs and the file sink together. Nothing runs on
 * the checkpoint meanwhile.
 *
 *     intent     one transaction: "back to N"; what later batches changed in the state is gone
 *     sink       _spark_metadata/ of later batches, newest first, then the files they name
 *     texts      commits/, offsets/, sources/ of later batches, newest first; folders are synced
 *     end        one transaction: later batches and log entries leave the journal, the intent too
 *
 * Once the intent is durable it will be done: after a crash the next opening of the checkpoint goes
 * on. A reader of the sink sees whole batches at any time.
 */
#ifndef ARUS_JOURNAL_REWIND_H
#define ARUS_JOURNAL_REWIND_H

#include "base/log.h"
#include "journal/checkpoint.h"

/** An open checkpoint: locked, with its journal. */
struct arus_rewind;

/** What going back takes with it. */
struct arus_rewind_extent {
    int64_t newest;      /* batch of journal or sink; it goes, as all behind the one wanted */
    int64_t known;       /* newest batch of the journal: less than `newest` after a backup */
    uint64_t file_count; /* files that sources will read again */
    uint64_t part_count; /* files of the sink that are removed */
};

/**
 * Locks the checkpoint, finishes a rewind that a crash interrupted.
 * Errors: ARUS_MISMATCH: in use; no journal: ARUS_REWIND_REFUSED.
 */
ARUS_MUST_USE enum arus_status arus_rewind_open(const char *folder, const char *shown,
                                                const struct arus_logger *logger,
                                                struct arus_rewind **out, struct arus_error *err);
struct arus_store *arus_rewind_store(struct arus_rewind *rewind);
/**
 * Can it go back to batch `to`? `sink`: absolute folder of the file sink; NULL: the sink keeps no
 * files.
 *
 * Errors: ARUS_BAD_CONFIG ARUS_NO_SUCH_BATCH with what can be chosen; ARUS_MISMATCH
 * ARUS_REWIND_REFUSED: a source file of a later batch is gone, Spark went on without the journal.
 */
ARUS_MUST_USE enum arus_status arus_rewind_check(struct arus_rewind *rewind, int64_t to,
                                                 const char *sink, struct arus_rewind_extent *out,
                                                 struct arus_error *err);
/** Does it, after a check. `write` goes into the transaction of the intent. */
ARUS_MUST_USE enum arus_status arus_rewind_do(struct arus_rewind *rewind, int64_t to,
                                              const char *sink, struct arus_store_write *write,
                                              struct arus_error *err);
/** Unlocks. Accepts NULL. */
void arus_rewind_close(struct arus_rewind *rewind);

#endif
