/** Prepared batches as bytes. */
#ifndef ARUS_JOURNAL_RECORD_H
#define ARUS_JOURNAL_RECORD_H

#include "journal/checkpoint.h"

/** A batch in the journal: the record, and offsets/N byte for byte. */
struct arus_stored_batch {
    struct arus_batch_record record;
    struct arus_text offsets_text;
};

ARUS_MUST_USE enum arus_status arus_record_encode(const struct arus_stored_batch *batch,
                                                  struct arus_buffer *out, struct arus_error *err);
/** Texts are copied into the arena. Errors: ARUS_MISMATCH ARUS_JOURNAL_DAMAGED, a newer format. */
ARUS_MUST_USE enum arus_status arus_record_decode(struct arus_text bytes, struct arus_arena *arena,
                                                  struct arus_stored_batch *out,
                                                  struct arus_error *err);
/** Reads one from the store. */
ARUS_MUST_USE enum arus_status arus_record_get(struct arus_store *store, int64_t batch_id,
                                               struct arus_arena *arena,
                                               struct arus_stored_batch *out, bool *is_found,
                                               struct arus_error *err);
/** Oldest and newest batch ids of the store; -1, -1: none. */
ARUS_MUST_USE enum arus_status arus_record_range(struct arus_store *store, int64_t *oldest,
                                                 int64_t *newest, struct arus_error *err);
/** A number among the META values; `fallback` when it is not there. */
ARUS_MUST_USE enum arus_status arus_meta_number(struct arus_store *store, const char *name,
                                                int64_t fallback, int64_t *out,
                                                struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_meta_text(struct arus_store *store, const char *name,
                                              struct arus_arena *arena, struct arus_text *out,
                                              bool *is_found, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_meta_put_number(struct arus_store_write *write,
                                                    const char *name, int64_t value,
                                                    struct arus_error *err);

#endif
