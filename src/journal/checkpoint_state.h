/** The checkpoint's own struct, shared by checkpoint.c, checkpoint_open.c and checkpoint_begin.c.
 */
#ifndef ARUS_JOURNAL_CHECKPOINT_STATE_H
#define ARUS_JOURNAL_CHECKPOINT_STATE_H

#include "base/lock.h"
#include "journal/log_internal.h"
#include "journal/plan_file.h"
#include "journal/record.h"

#define ARUS_META_ID        "query-id"
#define ARUS_META_QUERY     "query-name"
#define ARUS_META_PUBLISHED "published"
#define ARUS_META_REPEAT    "repeat"
#define ARUS_META_NOTE      "note:"

struct arus_checkpoint {
    struct arus_log_set set; /* first: config, store, logs, where we are */
    struct arus_path folder;
    struct arus_path shown;
    struct arus_path query;
    struct arus_path journal; /* `.arus/` or `state/` */
    struct arus_plan_file plan_file;
    struct arus_lock lock;
    struct arus_store_write write;
    struct arus_arena arena;       /* conf, what was found at opening */
    struct arus_arena batch_arena; /* `pending`, once it is made in this process */
    bool has_folders;              /* offsets/ and commits/ are there */
    bool is_made;                  /* nothing of a checkpoint was there when we came */
    struct arus_text conf[ARUS_CONF_COUNT];
    char id[37];
    bool is_id_new;                 /* `metadata` is to be written */
    bool has_owner;                 /* the journal knows the id */
    int64_t journal_published;      /* what the journal says */
    int64_t oldest_text;            /* lowest id left in offsets/ or commits/ */
    int64_t newest_offsets;         /* in the folder; -1: none */
    int64_t newest_commit;          /* in the folder; -1: none */
    struct arus_batch_plan pending; /* offsets/N that no record knows */
    bool has_pending;
    struct arus_batch_plan behind; /* the plan after a prepared batch that was dropped */
    bool has_behind;
    int64_t next_watermark_ms; /* of the newest prepared batch: commits/N */
};

/** `offsets/N`, `commits/N`: as a path, and as the user knows it. */
ARUS_MUST_USE enum arus_status arus_checkpoint_path(const struct arus_checkpoint *checkpoint,
                                                    const char *kind, int64_t id,
                                                    struct arus_path *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_checkpoint_shown(const struct arus_checkpoint *checkpoint,
                                                     const char *kind, int64_t id,
                                                     struct arus_path *out, struct arus_error *err);
/** Reads offsets/N; `*is_missing`. */
ARUS_MUST_USE enum arus_status arus_checkpoint_read_plan(struct arus_checkpoint *checkpoint,
                                                         int64_t id, struct arus_arena *arena,
                                                         struct arus_batch_plan *out,
                                                         struct arus_text *conf, bool *is_missing,
                                                         struct arus_error *err);
/** Reads commits/N. */
ARUS_MUST_USE enum arus_status arus_checkpoint_read_commit(struct arus_checkpoint *checkpoint,
                                                           int64_t id, int64_t *next_watermark_ms,
                                                           bool *is_missing,
                                                           struct arus_error *err);
/** Writes a text file anew, with a notice, and lets it be synced later. */
ARUS_MUST_USE enum arus_status arus_checkpoint_rewrite(struct arus_checkpoint *checkpoint,
                                                       const char *kind, int64_t id,
                                                       struct arus_text content, const char *why,
                                                       struct arus_error *err);
/** Empty, zeros, or a beginning of `wanted` (which may be empty: any text of ours). */
bool arus_checkpoint_is_torn(struct arus_text found, struct arus_text wanted);
/** `metadata` of a new query. */
ARUS_MUST_USE enum arus_status arus_checkpoint_write_metadata(struct arus_checkpoint *checkpoint,
                                                              struct arus_error *err);
/** checkpoint_restore.c: mirrors of the journal's batches against offsets/ and commits/. */
ARUS_MUST_USE enum arus_status arus_checkpoint_restore(struct arus_checkpoint *checkpoint,
                                                       struct arus_error *err);

/** Frees everything, unlocks; nothing is synced. */
void arus_checkpoint_release(struct arus_checkpoint *checkpoint);

#endif
