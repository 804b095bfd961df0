/** One micro-batch after the other: plan, prepare, finish. */
#include "base/failpoint.h"
#include "base/hash.h"
#include "journal/checkpoint_state.h"
#include "journal/held_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- where to begin ---- */

/** A planned source entry must exist: a power loss may have taken it and left the plan. */
static bool has_source_entries(const struct arus_checkpoint *checkpoint,
                               const struct arus_batch_plan *plan)
{
    const struct arus_log_set *set = &checkpoint->set;

    for (size_t i = 0; i < set->log_count; i++) {
        const struct arus_log *log = set->logs[i];
        const uint64_t index = arus_store_key_read(log->key + 1);
        struct arus_text offset;

        if (log->kind != ARUS_LOG_SOURCE || index >= plan->offset_count) {
            continue;
        }
        offset = plan->offsets[index];
        if (offset.size > 0 && arus_offset_log_id(offset) > log->newest) {
            return false;
        }
    }
    return true;
}

static enum arus_status check_pending(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    const int64_t id = checkpoint->pending.batch_id;
    struct arus_path path;
    struct arus_path shown;

    /* `pending` of a foreign checkpoint is its newest plan, given out or not */
    if ((!checkpoint->has_pending && !checkpoint->set.is_foreign) ||
        has_source_entries(checkpoint, &checkpoint->pending)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_checkpoint_path(checkpoint, "offsets", id, &path, err));
    ARUS_TRY(arus_checkpoint_shown(checkpoint, "offsets", id, &shown, err));
    if (checkpoint->set.is_foreign) {
        arus_ignore(arus_log_fail(err, shown.text, 0, "ARUS_CONTRADICTION",
                                  "names source log entries that do not exist"));
        return arus_error_help(err, "put back the missing files of %s/sources",
                               checkpoint->shown.text);
    }
    ARUS_TRY(arus_file_remove(path.text, err));
    arus_logger_print(checkpoint->set.config.logger, ARUS_LOG_NOTICE,
                      "%s: its source log entries were lost and never used, removed", shown.text);
    checkpoint->has_pending = false;
    checkpoint->set.planned = checkpoint->set.prepared;
    return ARUS_OK;
}

/** What the stream kept beside the plan. */
static enum arus_status plan_extra(const struct arus_checkpoint *checkpoint, int64_t batch_id,
                                   struct arus_arena *arena, struct arus_text *out,
                                   struct arus_error *err)
{
    const struct arus_buffer *details = &checkpoint->set.plan_details;
    uint64_t size;

    *out = (struct arus_text){0};
    if (details->size < ARUS_PLAN_HEAD_SIZE ||
        (int64_t)arus_store_key_read(details->data) != batch_id) {
        return ARUS_OK;
    }
    size = arus_store_key_read(details->data + 8);
    if (size > details->size - ARUS_PLAN_HEAD_SIZE) {
        return ARUS_OK;
    }
    return arus_text_copy((struct arus_text){details->data + ARUS_PLAN_HEAD_SIZE, (size_t)size},
                          arena, out, err);
}

/** Foreign batches become records, so that the next start knows them. */
static enum arus_status import_batch(struct arus_checkpoint *checkpoint, int64_t id,
                                     struct arus_arena *arena, struct arus_error *err)
{
    struct arus_stored_batch batch = {0};
    struct arus_buffer bytes = {0};
    struct arus_buffer content = {0};
    struct arus_path path;
    bool is_missing = true;
    bool has_no_commit;
    char key[8];
    enum arus_status status;

    ARUS_TRY(arus_checkpoint_path(checkpoint, "offsets", id, &path, err));
    ARUS_TRY(arus_checkpoint_read_plan(checkpoint, id, arena, &batch.record.plan, NULL, &is_missing,
                                       err));
    if (is_missing) {
        return ARUS_OK; /* purged */
    }
    ARUS_TRY(arus_checkpoint_read_commit(checkpoint, id, &batch.record.next_watermark_ms,
                                         &has_no_commit, err));
    status = arus_file_read(path.text, &content, &is_missing, err);
    batch.offsets_text = arus_buffer_text(&content);
    if (status == ARUS_OK) {
        status = arus_record_encode(&batch, &bytes, err);
    }
    if (status == ARUS_OK) {
        arus_store_key_u64(key, (uint64_t)id);
        status =
            arus_store_put_copy(&checkpoint->write, ARUS_STORE_BATCH,
                                (struct arus_text){key, sizeof key}, arus_buffer_text(&bytes), err);
        checkpoint->next_watermark_ms = batch.record.next_watermark_ms;
    }
    arus_buffer_release(&content);
    arus_buffer_release(&bytes);
    return status;
}

/** Texts that become the truth have to be durable first. */
static enum arus_status sync_texts(struct arus_checkpoint *checkpoint, int64_t from,
                                   struct arus_error *err)
{
    static const char *const KINDS[] = {"offsets", "commits"};

    for (int64_t id = from; id <= checkpoint->set.planned; id++) {
        for (size_t k = 0; k < 2; k++) {
            struct arus_path path;

            ARUS_TRY(arus_checkpoint_path(checkpoint, KINDS[k], id, &path, err));
            ARUS_TRY(arus_mirrors_add(&checkpoint->set.mirrors, path.text, err));
        }
    }
    for (size_t i = 0; i < checkpoint->set.log_count; i++) {
        const struct arus_log *log = checkpoint->set.logs[i];

        for (size_t k = 0; k < arus_log_staged_count(log); k++) {
            const int64_t id = arus_log_staged_at(log, k)->id;
            struct arus_path path;

            ARUS_TRY(arus_log_path(&path, log->folder.text, id,
                                   arus_log_is_compaction(id, log->interval), err));
            ARUS_TRY(arus_mirrors_add(&checkpoint->set.mirrors, path.text, err));
        }
    }
    return arus_mirrors_sync(&checkpoint->set.mirrors, err);
}

static enum arus_status import_all(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    const int64_t kept_from = set->published - set->config.batches_retained;
    const int64_t from = set->foreign_from > kept_from ? set->foreign_from : kept_from;
    struct arus_arena arena = {0};
    enum arus_status status = sync_texts(checkpoint, from, err);

    for (int64_t id = from < 0 ? 0 : from; id <= set->published && status == ARUS_OK; id++) {
        status = import_batch(checkpoint, id, &arena, err);
        arus_arena_reset(&arena);
    }
    arus_arena_release(&arena);
    ARUS_TRY(status);
    ARUS_TRY(arus_log_set_journal(set, &checkpoint->write, err));
    ARUS_TRY(arus_held_cut_sinks(set, set->foreign_from, INT64_MAX, err));
    ARUS_TRY(arus_meta_put_number(&checkpoint->write, ARUS_META_PUBLISHED, set->published, err));
    if (set->repeat_batch >= 0) {
        ARUS_TRY(
            arus_meta_put_number(&checkpoint->write, ARUS_META_REPEAT, set->repeat_batch, err));
    }
    ARUS_TRY(arus_store_commit(set->store, &checkpoint->write, err));
    arus_log_set_journaled(set);
    checkpoint->journal_published = set->published;
    arus_logger_print(set->config.logger, ARUS_LOG_NOTICE,
                      "%s: taken over what was done without the journal, up to batch %" PRId64,
                      checkpoint->shown.text, set->published);
    return ARUS_OK;
}

/**
 * A sink log that already has the batch to run, written by somebody else: the batch is out. Batch
 * ids and sink log ids are the same numbers.
 */
static enum arus_status find_foreign_sink(struct arus_checkpoint *checkpoint,
                                          struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    bool is_out = false;
    struct arus_buffer text = {0};
    enum arus_status status;

    for (size_t i = 0; set->is_foreign && checkpoint->has_pending && i < set->log_count; i++) {
        is_out = is_out || (set->logs[i]->kind == ARUS_LOG_SINK &&
                            set->logs[i]->newest >= checkpoint->pending.batch_id);
    }
    if (!is_out) {
        return ARUS_OK;
    }
    set->published = checkpoint->pending.batch_id;
    set->prepared = set->published;
    checkpoint->has_pending = false;
    status = arus_commit_format(&text, checkpoint->pending.watermark_ms, err);
    if (status == ARUS_OK) {
        status = arus_checkpoint_rewrite(checkpoint, "commits", set->published,
                                         arus_buffer_text(&text), NULL, err);
    }
    arus_buffer_release(&text);
    return status;
}

/** Our newest batch is prepared, but the sink lists other files under its number: somebody else ran
 * it. */
static enum arus_status find_foreign_batch(struct arus_checkpoint *checkpoint,
                                           const struct arus_batch_record *record,
                                           struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;

    for (size_t i = 0; i < set->log_count; i++) {
        struct arus_log *log = set->logs[i];
        struct arus_text lines;
        struct arus_text detail;
        enum arus_log_found found;
        bool is_found;

        if (log->kind != ARUS_LOG_SINK) {
            continue;
        }
        ARUS_TRY(arus_log_entry(log, record->plan.batch_id, &checkpoint->arena, &lines, &detail,
                                &is_found, err));
        if (!is_found) {
            continue;
        }
        ARUS_TRY(arus_log_compare(log, record->plan.batch_id, lines, &found, err));
        if (found != ARUS_LOG_FOUND_OTHER) {
            continue;
        }
        if (set->config.is_stateful) {
            return arus_fail(err, ARUS_MISMATCH, "CONCURRENT_STREAM_LOG_UPDATE",
                             "%s/%" PRId64 " was written by somebody else", log->shown.text,
                             record->plan.batch_id);
        }
        set->is_foreign = true;
        set->foreign_from = record->plan.batch_id;
        set->published = record->plan.batch_id - 1;
        set->prepared = set->published;
        checkpoint->pending = record->plan;
        checkpoint->has_pending = true;
        ARUS_TRY(arus_log_reopen(log, err));
        return find_foreign_sink(checkpoint, err);
    }
    return ARUS_OK;
}

static enum arus_status load_record(struct arus_checkpoint *checkpoint, int64_t id,
                                    struct arus_arena *arena, struct arus_batch_record *out,
                                    bool *is_found, struct arus_error *err)
{
    struct arus_stored_batch batch;

    *is_found = false;
    if (id < 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_record_get(checkpoint->set.store, id, arena, &batch, is_found, err));
    *out = batch.record;
    return ARUS_OK;
}

static enum arus_status copy_plan(const struct arus_batch_plan *from, struct arus_arena *arena,
                                  struct arus_batch_plan *out, struct arus_error *err)
{
    struct arus_text *offsets = NULL;

    *out = *from;
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, from->offset_count, &offsets, err));
    for (size_t i = 0; i < from->offset_count; i++) {
        if (from->offsets[i].size > 0) {
            ARUS_TRY(arus_text_copy(from->offsets[i], arena, &offsets[i], err));
        }
    }
    out->offsets = offsets;
    return arus_text_copy(from->extra, arena, &out->extra, err);
}

static enum arus_status fill_start(struct arus_checkpoint *checkpoint, struct arus_arena *arena,
                                   struct arus_checkpoint_start *out, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;

    out->is_new = set->planned < 0;
    ARUS_TRY(load_record(checkpoint, set->published, arena, &out->last, &out->has_last, err));
    if (checkpoint->has_pending) {
        out->todo = ARUS_TODO_RUN;
        out->batch_id = checkpoint->pending.batch_id;
        ARUS_TRY(copy_plan(&checkpoint->pending, arena, &out->record.plan, err));
        return plan_extra(checkpoint, out->batch_id, arena, &out->record.plan.extra, err);
    }
    out->todo = ARUS_TODO_NEXT;
    out->batch_id = set->prepared + 1;
    return ARUS_OK;
}

enum arus_status arus_checkpoint_begin(struct arus_checkpoint *checkpoint, struct arus_arena *arena,
                                       struct arus_checkpoint_start *out, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    bool is_found = false;

    *out = (struct arus_checkpoint_start){0};
    ARUS_TRY(check_pending(checkpoint, err));
    if (!set->is_foreign && set->prepared > set->published) {
        ARUS_TRY(load_record(checkpoint, set->prepared, arena, &out->record, &is_found, err));
        ARUS_ASSERT(is_found);
        ARUS_TRY(find_foreign_batch(checkpoint, &out->record, err));
        if (!set->is_foreign) {
            ARUS_TRY(
                load_record(checkpoint, set->published, arena, &out->last, &out->has_last, err));
            out->todo = ARUS_TODO_PUBLISH;
            out->batch_id = set->prepared;
            return ARUS_OK;
        }
        set->repeat_batch = set->foreign_from;
        out->record = (struct arus_batch_record){0};
    }
    ARUS_TRY(find_foreign_sink(checkpoint, err));
    if (set->is_foreign && set->published >= 0) {
        ARUS_TRY(import_all(checkpoint, err));
    }
    return fill_start(checkpoint, arena, out, err);
}

enum arus_status arus_checkpoint_next(struct arus_checkpoint *checkpoint, struct arus_arena *arena,
                                      struct arus_checkpoint_start *out, struct arus_error *err)
{
    *out = (struct arus_checkpoint_start){0};
    if (checkpoint->has_behind && !checkpoint->has_pending) {
        checkpoint->pending = checkpoint->behind;
        checkpoint->has_pending = true;
        checkpoint->has_behind = false;
    }
    return fill_start(checkpoint, arena, out, err);
}

/* ---- plan ---- */

/** batch id, size of extra, extra, details of staged entries. */
static enum arus_status keep_details(struct arus_checkpoint *checkpoint,
                                     const struct arus_batch_plan *plan, struct arus_error *err)
{
    struct arus_buffer *bytes = &checkpoint->set.plan_details;
    char head[ARUS_PLAN_HEAD_SIZE];

    arus_buffer_reset(bytes);
    arus_store_key_u64(head, (uint64_t)plan->batch_id);
    arus_store_key_u64(head + 8, plan->extra.size);
    ARUS_TRY(arus_buffer_append(bytes, head, sizeof head, err));
    ARUS_TRY(arus_buffer_append_text(bytes, plan->extra, err));
    ARUS_TRY(arus_log_set_append_details(&checkpoint->set, bytes, err));
    return arus_plan_file_add(&checkpoint->plan_file, checkpoint->journal.text,
                              arus_buffer_text(bytes), err);
}

static enum arus_status fail_concurrent(const struct arus_checkpoint *checkpoint, const char *kind,
                                        int64_t id, struct arus_error *err)
{
    const enum arus_status status = arus_fail(err, ARUS_MISMATCH, "CONCURRENT_STREAM_LOG_UPDATE",
                                              "%s/%s/%" PRId64 " was written by somebody else",
                                              checkpoint->shown.text, kind, id);

    (void)arus_error_help(err, "another query uses this checkpoint: give each its own");
    return status;
}

/** Once per process: a user may have removed an empty one. */
static enum arus_status make_folders(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    struct arus_path path;

    if (checkpoint->has_folders) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, "offsets", err));
    ARUS_TRY(arus_folder_make(path.text, &checkpoint->set.made, err));
    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, "commits", err));
    ARUS_TRY(arus_folder_make(path.text, &checkpoint->set.made, err));
    checkpoint->has_folders = true;
    return ARUS_OK;
}

/** Writes offsets/N or commits/N. */
static enum arus_status write_text(struct arus_checkpoint *checkpoint, const char *kind, int64_t id,
                                   struct arus_text content, bool *exists, struct arus_error *err)
{
    struct arus_path path;

    ARUS_TRY(make_folders(checkpoint, err));
    ARUS_TRY(arus_checkpoint_path(checkpoint, kind, id, &path, err));
    ARUS_TRY(arus_log_remove_crc(path.text, err));
    ARUS_TRY(arus_spares_create_new(&checkpoint->set.spares, path.text, content, exists, err));
    return *exists ? ARUS_OK : arus_mirrors_add(&checkpoint->set.mirrors, path.text, err);
}

static enum arus_status write_offsets(struct arus_checkpoint *checkpoint,
                                      const struct arus_batch_plan *plan, struct arus_error *err)
{
    struct arus_buffer text = {0};
    bool exists = false;
    enum arus_status status = arus_offsets_format(&text, plan, checkpoint->conf, err);

    if (status == ARUS_OK) {
        status = write_text(checkpoint, "offsets", plan->batch_id, arus_buffer_text(&text), &exists,
                            err);
    }
    if (status == ARUS_OK && exists) {
        status = fail_concurrent(checkpoint, "offsets", plan->batch_id, err);
    }
    arus_buffer_release(&text);
    return status;
}

enum arus_status arus_checkpoint_plan(struct arus_checkpoint *checkpoint,
                                      const struct arus_batch_plan *plan, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;

    set->batch_id = plan->batch_id;
    ARUS_TRY(make_folders(checkpoint, err));
    ARUS_TRY(arus_folder_sync_made(&set->made, err)); /* what else is written relies on them */
    if (checkpoint->has_pending) {
        ARUS_ASSERT(plan->batch_id == checkpoint->pending.batch_id);
        return ARUS_OK; /* it is on the disk as it is */
    }
    ARUS_ASSERT(plan->batch_id == set->prepared + 1);
    ARUS_ASSERT(plan->offset_count == set->config.source_count);
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_PLAN, plan->batch_id);
    ARUS_TRY(keep_details(checkpoint, plan, err));
    ARUS_TRY(arus_log_set_write_sources(set, err));
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_SOURCES, plan->batch_id);
    ARUS_TRY(write_offsets(checkpoint, plan, err));
    arus_arena_reset(&checkpoint->batch_arena);
    ARUS_TRY(copy_plan(plan, &checkpoint->batch_arena, &checkpoint->pending, err));
    checkpoint->has_pending = true;
    set->planned = plan->batch_id;
    if (plan->batch_id < checkpoint->oldest_text) {
        checkpoint->oldest_text = plan->batch_id;
    }
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_OFFSETS, plan->batch_id);
    return ARUS_OK;
}

/* ---- prepare ---- */

static enum arus_status put_record(struct arus_checkpoint *checkpoint,
                                   const struct arus_batch_record *record, struct arus_error *err)
{
    struct arus_stored_batch batch = {.record = *record};
    struct arus_buffer text = {0};
    struct arus_buffer bytes = {0};
    struct arus_path path;
    bool is_missing = false;
    char key[8];
    enum arus_status status;

    arus_store_key_u64(key, (uint64_t)record->plan.batch_id);
    status = arus_offsets_format(&text, &record->plan, checkpoint->conf, err);
    if (status == ARUS_OK && checkpoint->set.is_foreign) { /* Spark's plan: its text as it is */
        arus_buffer_reset(&text);
        status = arus_checkpoint_path(checkpoint, "offsets", record->plan.batch_id, &path, err);
        if (status == ARUS_OK) {
            status = arus_file_read(path.text, &text, &is_missing, err);
        }
    }
    batch.offsets_text = arus_buffer_text(&text);
    if (status == ARUS_OK) {
        status = arus_record_encode(&batch, &bytes, err);
    }
    if (status == ARUS_OK) {
        status =
            arus_store_put_copy(&checkpoint->write, ARUS_STORE_BATCH,
                                (struct arus_text){key, sizeof key}, arus_buffer_text(&bytes), err);
    }
    arus_buffer_release(&text);
    arus_buffer_release(&bytes);
    return status;
}

/** Whose journal it is: in its first transaction. */
static enum arus_status put_owner(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    if (checkpoint->has_owner) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_store_put_copy(&checkpoint->write, ARUS_STORE_META, ARUS_TEXT(ARUS_META_ID),
                                 (struct arus_text){checkpoint->id, 36}, err));
    return arus_store_put_copy(&checkpoint->write, ARUS_STORE_META, ARUS_TEXT(ARUS_META_QUERY),
                               arus_text_of(checkpoint->query.text), err);
}

static enum arus_status forget_records(struct arus_checkpoint *checkpoint, int64_t batch_id,
                                       struct arus_error *err)
{
    const int64_t kept_from = batch_id - checkpoint->set.config.batches_retained;
    char from[8];
    char to[8];

    if (kept_from <= 0) {
        return ARUS_OK;
    }
    arus_store_key_u64(from, 0);
    arus_store_key_u64(to, (uint64_t)kept_from);
    return arus_store_delete_range(&checkpoint->write, ARUS_STORE_BATCH,
                                   (struct arus_text){from, sizeof from},
                                   (struct arus_text){to, sizeof to}, err);
}

enum arus_status arus_checkpoint_prepare(struct arus_checkpoint *checkpoint,
                                         const struct arus_batch_record *record,
                                         struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    const int64_t batch_id = record->plan.batch_id;

    ARUS_ASSERT(checkpoint->has_pending && batch_id == checkpoint->pending.batch_id);
    ARUS_TRY(arus_folder_sync_made(&set->made, err)); /* made since the plan: none, as a rule */
    ARUS_TRY(put_owner(checkpoint, err));
    ARUS_TRY(put_record(checkpoint, record, err));
    ARUS_TRY(arus_log_set_journal(set, &checkpoint->write, err));
    ARUS_TRY(arus_meta_put_number(&checkpoint->write, ARUS_META_PUBLISHED, batch_id - 1, err));
    ARUS_TRY(
        arus_store_delete(&checkpoint->write, ARUS_STORE_META, ARUS_TEXT(ARUS_META_REPEAT), err));
    ARUS_TRY(forget_records(checkpoint, batch_id, err));
    ARUS_TRY(arus_held_forget(set, err));
    arus_failpoint_reach(ARUS_FAILPOINT_BEFORE_PREPARE, batch_id);
    ARUS_TRY(arus_store_commit(set->store, &checkpoint->write, err));
    set->forgotten_below = set->mirrors.durable_below;
    arus_log_set_journaled(set);
    set->prepared = batch_id;
    set->repeat_batch = -1;
    set->is_foreign = false;
    checkpoint->has_owner = true;
    checkpoint->journal_published = batch_id - 1;
    checkpoint->next_watermark_ms = record->next_watermark_ms;
    checkpoint->has_pending = false;
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_PREPARE, batch_id);
    return ARUS_OK;
}

/* ---- finish ---- */

/** commits/N is there already: cut off by a power loss, or somebody else's. */
static enum arus_status replace_commit(struct arus_checkpoint *checkpoint, int64_t batch_id,
                                       struct arus_text wanted, struct arus_error *err)
{
    struct arus_buffer found = {0};
    struct arus_path path;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_checkpoint_path(checkpoint, "commits", batch_id, &path, err));
    status = arus_file_read(path.text, &found, &is_missing, err);
    if (status == ARUS_OK) {
        status = arus_checkpoint_is_torn(arus_buffer_text(&found), wanted)
                     ? arus_checkpoint_rewrite(checkpoint, "commits", batch_id, wanted,
                                               "was cut off", err)
                     : fail_concurrent(checkpoint, "commits", batch_id, err);
    }
    arus_buffer_release(&found);
    return status;
}

static enum arus_status write_commit(struct arus_checkpoint *checkpoint, int64_t batch_id,
                                     struct arus_error *err)
{
    struct arus_buffer text = {0};
    bool exists = false;
    enum arus_status status = arus_commit_format(&text, checkpoint->next_watermark_ms, err);

    if (status == ARUS_OK) {
        status = write_text(checkpoint, "commits", batch_id, arus_buffer_text(&text), &exists, err);
    }
    if (status == ARUS_OK && exists) {
        status = replace_commit(checkpoint, batch_id, arus_buffer_text(&text), err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status purge(struct arus_checkpoint *checkpoint, int64_t batch_id,
                              struct arus_error *err)
{
    static const char *const KINDS[] = {"offsets", "commits"};
    const int64_t kept_from = batch_id - checkpoint->set.config.batches_retained;

    while (checkpoint->oldest_text < kept_from) {
        for (size_t k = 0; k < 2; k++) {
            struct arus_path path;

            ARUS_TRY(
                arus_checkpoint_path(checkpoint, KINDS[k], checkpoint->oldest_text, &path, err));
            ARUS_TRY(arus_file_remove(path.text, err));
            ARUS_TRY(arus_log_remove_crc(path.text, err));
        }
        checkpoint->oldest_text++;
    }
    return ARUS_OK;
}

enum arus_status arus_checkpoint_finish(struct arus_checkpoint *checkpoint, int64_t batch_id,
                                        struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;

    ARUS_ASSERT(batch_id == set->prepared);
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_SINK_LOG, batch_id);
    ARUS_TRY(write_commit(checkpoint, batch_id, err));
    set->published = batch_id;
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_COMMIT_LOG, batch_id);
    ARUS_TRY(purge(checkpoint, batch_id, err));
    return arus_mirrors_poll(&set->mirrors, batch_id, err);
}

/* ---- giving up ---- */

void arus_checkpoint_abandon(struct arus_checkpoint *checkpoint)
{
    arus_store_write_reset(&checkpoint->write);
    arus_log_set_abandon(&checkpoint->set);
}

enum arus_status arus_checkpoint_drop(struct arus_checkpoint *checkpoint, int64_t batch_id,
                                      struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    struct arus_stored_batch batch;
    bool is_found;
    char key[ARUS_LOG_KEY_SIZE + 8];

    ARUS_ASSERT(batch_id == set->prepared && batch_id > set->published);
    arus_arena_reset(&checkpoint->batch_arena);
    ARUS_TRY(
        arus_record_get(set->store, batch_id, &checkpoint->batch_arena, &batch, &is_found, err));
    ARUS_ASSERT(is_found);
    arus_store_key_u64(key, (uint64_t)batch_id);
    ARUS_TRY(
        arus_store_delete(&checkpoint->write, ARUS_STORE_BATCH, (struct arus_text){key, 8}, err));
    for (size_t i = 0; i < set->log_count; i++) {
        if (set->logs[i]->kind == ARUS_LOG_SINK) {
            memcpy(key, set->logs[i]->key, ARUS_LOG_KEY_SIZE);
            arus_store_key_u64(key + ARUS_LOG_KEY_SIZE, (uint64_t)batch_id);
            ARUS_TRY(arus_store_delete(&checkpoint->write, ARUS_STORE_LOG,
                                       (struct arus_text){key, sizeof key}, err));
        }
    }
    ARUS_TRY(arus_held_cut_sinks(set, batch_id, batch_id + 1, err));
    ARUS_TRY(arus_meta_put_number(&checkpoint->write, ARUS_META_REPEAT, batch_id, err));
    ARUS_TRY(arus_store_commit(set->store, &checkpoint->write, err));
    for (size_t i = 0; i < set->log_count; i++) {
        if (set->logs[i]->kind == ARUS_LOG_SINK) {
            ARUS_TRY(arus_log_reload_sum(set->logs[i], err));
        }
    }
    checkpoint->behind = checkpoint->pending;
    checkpoint->has_behind = checkpoint->has_pending;
    checkpoint->pending = batch.record.plan;
    checkpoint->has_pending = true;
    set->repeat_batch = batch_id;
    set->prepared = batch_id - 1;
    return ARUS_OK;
}

/** All files are synced: no part needs to be held, and the newest batch is out. */
static enum arus_status note_end(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;

    ARUS_TRY(arus_meta_put_number(&checkpoint->write, ARUS_META_PUBLISHED, set->published, err));
    if (set->has_held) {
        ARUS_TRY(arus_held_cut_sinks(set, 0, set->published + 1, err));
    }
    return arus_store_commit(set->store, &checkpoint->write, err);
}

enum arus_status arus_checkpoint_close(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    enum arus_status status;

    arus_failpoint_reach(ARUS_FAILPOINT_BEFORE_EXIT_SYNC, set->published);
    arus_store_write_reset(&checkpoint->write);
    status = arus_folder_sync_made(&set->made, err);
    if (status == ARUS_OK) {
        status = arus_mirrors_sync(&set->mirrors, err);
    }
    if (status == ARUS_OK && (set->published > checkpoint->journal_published || set->has_held)) {
        status = note_end(checkpoint, err);
    }
    for (size_t i = 0; i < set->log_count && status == ARUS_OK; i++) {
        status = arus_log_expire_last(set->logs[i], err);
    }
    arus_checkpoint_release(checkpoint);
    return status;
}

/* ---- notes ---- */

static enum arus_status note_key(const char *name, struct arus_path *out, struct arus_error *err)
{
    return arus_path_format(out, err, "%s%s", ARUS_META_NOTE, name);
}

enum arus_status arus_checkpoint_note(struct arus_checkpoint *checkpoint, const char *name,
                                      struct arus_arena *arena, struct arus_text *out,
                                      bool *is_found, struct arus_error *err)
{
    struct arus_path key;

    ARUS_TRY(note_key(name, &key, err));
    return arus_meta_text(checkpoint->set.store, key.text, arena, out, is_found, err);
}

enum arus_status arus_checkpoint_set_note(struct arus_checkpoint *checkpoint, const char *name,
                                          struct arus_text value, struct arus_error *err)
{
    struct arus_path key;

    ARUS_TRY(note_key(name, &key, err));
    return arus_store_put_copy(&checkpoint->write, ARUS_STORE_META, arus_text_of(key.text), value,
                               err);
}

/* The set is the checkpoint's first member. */
enum arus_status arus_log_note(struct arus_log_set *set, const char *name, struct arus_arena *arena,
                               struct arus_text *out, bool *is_found, struct arus_error *err)
{
    return arus_checkpoint_note((struct arus_checkpoint *)set, name, arena, out, is_found, err);
}

enum arus_status arus_log_set_note(struct arus_log_set *set, const char *name,
                                   struct arus_text value, struct arus_error *err)
{
    return arus_checkpoint_set_note((struct arus_checkpoint *)set, name, value, err);
}
