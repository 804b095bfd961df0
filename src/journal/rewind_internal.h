/** What rewind.c, rewind_finish.c and the opening of a checkpoint share. */
#ifndef ARUS_JOURNAL_REWIND_INTERNAL_H
#define ARUS_JOURNAL_REWIND_INTERNAL_H

#include "base/table.h"
#include "journal/checkpoint_state.h"
#include "journal/rewind.h"

#define ARUS_META_REWIND "rewind"

/** The intent, as it lies in the journal. */
struct arus_rewind_intent {
    int64_t to;
    int64_t newest;           /* no batch behind this one was ever prepared */
    struct arus_path sink;    /* empty: none */
    struct arus_buffer parts; /* absolute paths of the sink's files that go, each ends with NUL */
};

/** Absolute paths that the batches behind one brought. Zeroed = empty. */
struct arus_rewind_files {
    struct arus_text_table read;    /* by sources */
    struct arus_text_table written; /* by the sink */
};
/** Errors: ARUS_MISMATCH ARUS_REWIND_REFUSED: an earlier entry is gone; more than one sink. */
ARUS_MUST_USE enum arus_status arus_rewind_collect(struct arus_store *store, const char *folder,
                                                   const char *sink,
                                                   const struct arus_batch_plan *to,
                                                   struct arus_rewind_files *out,
                                                   struct arus_error *err);
void arus_rewind_files_release(struct arus_rewind_files *files);

/** Every entry of a log behind `after`, oldest first; `lines` as Spark writes them. */
typedef enum arus_status (*arus_rewind_entry_fn)(void *self, int64_t id, struct arus_text lines,
                                                 struct arus_text detail, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_rewind_each_entry(struct arus_store *store,
                                                      const char key[ARUS_LOG_KEY_SIZE],
                                                      int64_t after, arus_rewind_entry_fn fn,
                                                      void *self, struct arus_error *err);
/** The key of the journal's next log behind `key` (zeroed: the first); false: no more. */
ARUS_MUST_USE enum arus_status arus_rewind_next_log(struct arus_store *store,
                                                    char key[ARUS_LOG_KEY_SIZE], bool *is_found,
                                                    struct arus_error *err);
/** The last entry of a log that stays when the checkpoint goes back to `plan`. */
int64_t arus_rewind_last_kept(const char key[ARUS_LOG_KEY_SIZE],
                              const struct arus_batch_plan *plan);
/** The key of the sink log in a folder. */
void arus_rewind_sink_key(const char *folder, char out[ARUS_LOG_KEY_SIZE]);

/** Puts the intent into a write. */
ARUS_MUST_USE enum arus_status arus_rewind_put_intent(struct arus_store_write *write,
                                                      const struct arus_rewind_intent *intent,
                                                      struct arus_error *err);
/**
 * Does what is left of the intent in the journal, if there is one. The checkpoint is locked.
 * Errors: ARUS_MISMATCH: the sink is in use; somebody went on without the journal meanwhile.
 */
ARUS_MUST_USE enum arus_status arus_rewind_finish(const char *folder, const char *shown,
                                                  const char *journal, struct arus_store *store,
                                                  const struct arus_logger *logger,
                                                  struct arus_error *err);

#endif
