/** Held parts, for the journal itself. */
#ifndef ARUS_JOURNAL_HELD_INTERNAL_H
#define ARUS_JOURNAL_HELD_INTERNAL_H

#include "journal/log_internal.h"

/** Deletes what a log holds for batches in [from, to). */
ARUS_MUST_USE enum arus_status arus_held_cut(const char key[ARUS_LOG_KEY_SIZE], int64_t from,
                                             int64_t to, struct arus_store_write *write,
                                             struct arus_error *err);
/** The same for all sinks of the set, in the next transaction. */
ARUS_MUST_USE enum arus_status arus_held_cut_sinks(struct arus_log_set *set, int64_t from,
                                                   int64_t to, struct arus_error *err);
/** What is durable by its files need not be held: goes with the next transaction. */
ARUS_MUST_USE enum arus_status arus_held_forget(struct arus_log_set *set, struct arus_error *err);

/** Does the journal hold the sink's part at `path`? Then its file may be missing. */
ARUS_MUST_USE enum arus_status arus_held_has(struct arus_log *log, const char *path, bool *out,
                                             struct arus_error *err);

#endif
