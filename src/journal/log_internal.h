/** What the log_*.c and checkpoint*.c share. */
#ifndef ARUS_JOURNAL_LOG_INTERNAL_H
#define ARUS_JOURNAL_LOG_INTERNAL_H

#include "base/file.h"
#include "base/file_spare.h"
#include "base/table.h"
#include "journal/checkpoint.h"
#include "journal/checkpoint_internal.h"
#include "journal/mirror.h"

#define ARUS_LOG_KEY_SIZE   9  /* kind, then number or hash of the folder */
#define ARUS_LOG_HEAD_SIZE  24 /* of a value in ARUS_STORE_LOG */
#define ARUS_PLAN_HEAD_SIZE 16 /* of the details of a plan */

enum arus_log_kind { ARUS_LOG_SOURCE, ARUS_LOG_SINK };

/** A file of a log folder. */
struct arus_log_file {
    int64_t id;
    bool is_compact;
};

/** The numbered files of a folder, rising. Zeroed = empty. */
struct arus_log_listing {
    struct arus_buffer items; /* struct arus_log_file */
    struct arus_buffer
        odd; /* first name that counts as a number but is written otherwise (`007`) */
};

static inline size_t arus_log_listing_count(const struct arus_log_listing *listing)
{
    return listing->items.size / sizeof(struct arus_log_file);
}
static inline struct arus_log_file arus_log_listing_at(const struct arus_log_listing *listing,
                                                       size_t index)
{
    struct arus_log_file file;

    memcpy(&file, listing->items.data + index * sizeof file, sizeof file);
    return file;
}

/** An entry that is not in the journal yet. */
struct arus_log_staged {
    int64_t id;
    struct arus_text lines;  /* in `memory` */
    struct arus_text detail; /* in `memory` */
    char *memory;
    bool is_written; /* the file is there */
};

/** Running sums over all lines of a log: tells whether a compact is what we think it is. */
struct arus_log_sum {
    uint64_t line_count;
    uint64_t hash;
};

/** The next compact, while it grows. */
struct arus_log_grower {
    int64_t target;    /* id; -1: none grows */
    int64_t base;      /* the compact it begins with; -1: none */
    int64_t copied_to; /* the newest entry when it began */
    struct arus_file file;
    struct arus_path path;      /* of the temporary file */
    struct arus_buffer pending; /* lines that wait for the copy of the base */
    struct arus_background *background;
    bool is_copying;
};

struct arus_log {
    struct arus_log_set *set;
    enum arus_log_kind kind;
    char key[ARUS_LOG_KEY_SIZE];
    struct arus_path folder;
    struct arus_path shown;
    uint32_t interval;
    int64_t retention_ms;           /* < 0: none */
    int64_t newest;                 /* on disk */
    int64_t journaled;              /* newest in the journal */
    int64_t add_count;              /* in this process */
    struct arus_log_sum sum;        /* all entries, staged ones too */
    struct arus_buffer staged;      /* struct arus_log_staged */
    struct arus_buffer loaded;      /* lines found at opening, for the first arus_log_each */
    size_t loaded_begin;            /* where its lines begin */
    struct arus_buffer loaded_more; /* lines of the files behind: the first may be large, and
                                     * stays where it is */
    bool is_loaded;
    struct arus_log_listing files; /* what the folder holds, for expiry */
    size_t expired_count;          /* of them, gone */
    int64_t synced_compact;        /* newest compact known durable */
    struct arus_buffer expiring;   /* names the job removes */
    int64_t expiring_batch;
    struct arus_background *expirer;
    struct arus_log_grower grower;
    struct arus_spares *spares;    /* for its files: the set's, or `own_spares` of a sink's log */
    struct arus_spares own_spares; /* a sink may lie on another file system */
    struct arus_text_table held_names; /* of a sink: what arus_held_has found at opening */
    bool has_held_names;
};

struct arus_log_set {
    struct arus_checkpoint_config config;
    struct arus_store *store;
    struct arus_store_write *write; /* what the next transaction will do */
    struct arus_log **logs;
    size_t log_count;
    struct arus_mirrors mirrors;
    struct arus_buffer made;   /* folders to sync before a batch relies on them */
    struct arus_spares spares; /* for the texts of the checkpoint */
    bool has_held;             /* the journal holds parts: journal/held.h */
    int64_t forgotten_below;   /* held parts of the batches below this one are gone */
    int64_t prepared;          /* newest prepared batch; -1: none */
    int64_t published;         /* newest batch that counts as given out; -1: none */
    int64_t planned;           /* newest batch with a plan; -1: none */
    int64_t batch_id;          /* being made */
    int64_t repeat_batch;      /* was given up; -1: none */
    bool has_journal;          /* there was one when we came */
    bool is_foreign;           /* somebody went on without the journal */
    int64_t foreign_from;      /* first batch whose sink log counts as it is; INT64_MAX: none */
    struct arus_buffer plan_details; /* of a plan that was not prepared: batch id, size of the
                                      * stream's own bytes, those, details of log entries */
};

/* log_folder.c */
ARUS_MUST_USE enum arus_status arus_log_list(const char *folder, bool removes_temporary,
                                             struct arus_log_listing *out, bool *is_missing,
                                             struct arus_error *err);
void arus_log_listing_release(struct arus_log_listing *listing);
/** 2.4 of the formats: what the compacts that are there say. */
uint32_t arus_log_interval(const struct arus_log_listing *listing, uint32_t fallback);
static inline bool arus_log_is_compaction(int64_t id, uint32_t interval)
{
    return (id + 1) % interval == 0;
}
/** The first id a reader needs for `latest`. */
static inline int64_t arus_log_first_needed(int64_t latest, uint32_t interval)
{
    const int64_t first = (latest + 1) / interval * interval - 1;

    return first < 0 ? 0 : first;
}
/** The path of an entry's file. */
ARUS_MUST_USE enum arus_status arus_log_path(struct arus_path *out, const char *folder, int64_t id,
                                             bool is_compact, struct arus_error *err);
/** Removes `.NAME.crc` beside a file that is made, replaced or removed: Spark would trip over it.
 */
ARUS_MUST_USE enum arus_status arus_log_remove_crc(const char *path, struct arus_error *err);
/** Reads a log file and checks its version; `rest` = the lines. */
ARUS_MUST_USE enum arus_status arus_log_load(const char *path, const char *shown,
                                             struct arus_buffer *content, struct arus_text *rest,
                                             bool *is_missing, struct arus_error *err);

/* log.c */
ARUS_MUST_USE enum arus_status arus_log_make(struct arus_log_set *set, enum arus_log_kind kind,
                                             struct arus_log **out, struct arus_error *err);
void arus_log_set_release(struct arus_log_set *set);
/** Adds lines to the sum. */
void arus_log_sum_add(struct arus_log_sum *sum, struct arus_text lines);
/** The journal's value of an entry, taken apart. */
bool arus_log_open_value(struct arus_text value, struct arus_log_sum *sum, struct arus_text *lines,
                         struct arus_text *detail);
/** Puts all staged entries into the write. */
ARUS_MUST_USE enum arus_status arus_log_set_journal(struct arus_log_set *set,
                                                    struct arus_store_write *write,
                                                    struct arus_error *err);
/** The write was committed. */
void arus_log_set_journaled(struct arus_log_set *set);
/** Writes the staged entries of sources that have no file yet. */
ARUS_MUST_USE enum arus_status arus_log_set_write_sources(struct arus_log_set *set,
                                                          struct arus_error *err);
/** Appends the details of staged entries: the plan file. */
ARUS_MUST_USE enum arus_status arus_log_set_append_details(struct arus_log_set *set,
                                                           struct arus_buffer *out,
                                                           struct arus_error *err);
/** Forgets staged entries: the batch is given up. Sources' stay when their file is written. */
void arus_log_set_abandon(struct arus_log_set *set);
/** Forgets all staged entries of one log. */
void arus_log_drop_staged(struct arus_log *log);
/** The lines found at opening are not wanted any more. */
void arus_log_drop_loaded(struct arus_log *log);
/** `v1` and the lines, without the last newline. */
ARUS_MUST_USE enum arus_status arus_log_content(struct arus_text lines, struct arus_buffer *out,
                                                struct arus_error *err);
static inline size_t arus_log_staged_count(const struct arus_log *log)
{
    return log->staged.size / sizeof(struct arus_log_staged);
}
static inline struct arus_log_staged *arus_log_staged_at(const struct arus_log *log, size_t index)
{
    return &((struct arus_log_staged *)(void *)log->staged.data)[index];
}
ARUS_MUST_USE enum arus_status arus_log_stage_copy(struct arus_log *log, int64_t id,
                                                   struct arus_text lines, struct arus_text detail,
                                                   bool is_written, struct arus_error *err);

/* log_restore.c */
/** Makes text and journal agree; loads the lines. */
ARUS_MUST_USE enum arus_status arus_log_restore(struct arus_log *log, struct arus_error *err);

/** Is `found` what a power loss may have left of entry `id`? False where the journal does not know
 * the entry whole. */
ARUS_MUST_USE enum arus_status arus_log_is_torn(struct arus_log *log, int64_t id,
                                                struct arus_text found, bool *out,
                                                struct arus_error *err);
/** Once more from the beginning, after set->foreign_from has changed. */
ARUS_MUST_USE enum arus_status arus_log_reopen(struct arus_log *log, struct arus_error *err);
/** Entries were taken out of the journal. */
ARUS_MUST_USE enum arus_status arus_log_reload_sum(struct arus_log *log, struct arus_error *err);

/* log_compact.c */
/** An entry was written: grow, expire. */
ARUS_MUST_USE enum arus_status arus_log_grow(struct arus_log *log, int64_t id,
                                             struct arus_text lines, struct arus_error *err);
/** Writes the compact `id` that ends with `lines`. */
ARUS_MUST_USE enum arus_status arus_log_compact(struct arus_log *log, int64_t id,
                                                struct arus_text lines, bool *exists,
                                                struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_log_expire(struct arus_log *log, struct arus_error *err);
/** At the end of a run: waits for the removal under way, then removes what came due meanwhile. */
ARUS_MUST_USE enum arus_status arus_log_expire_last(struct arus_log *log, struct arus_error *err);
void arus_log_grower_release(struct arus_log *log);

#endif
