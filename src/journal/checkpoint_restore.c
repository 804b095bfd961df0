/**
 * offsets/ and commits/ against the journal. What the journal holds and the folder lacks is written
 * again; what the folder holds beyond the journal is a plan that was not prepared, or somebody
 * else's progress.
 */
#include "journal/checkpoint_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COMMIT_BEGIN "v1\n{\"nextBatchWatermarkMs\":"

/* ---- files ---- */

enum arus_status arus_checkpoint_path(const struct arus_checkpoint *checkpoint, const char *kind,
                                      int64_t id, struct arus_path *out, struct arus_error *err)
{
    return arus_path_format(out, err, "%s/%s/%" PRId64, checkpoint->folder.text, kind, id);
}

enum arus_status arus_checkpoint_shown(const struct arus_checkpoint *checkpoint, const char *kind,
                                       int64_t id, struct arus_path *out, struct arus_error *err)
{
    return arus_path_format(out, err, "%s/%s/%" PRId64, checkpoint->shown.text, kind, id);
}

static enum arus_status read_text(const struct arus_checkpoint *checkpoint, const char *kind,
                                  int64_t id, struct arus_buffer *out, bool *is_missing,
                                  struct arus_error *err)
{
    struct arus_path path;

    arus_buffer_reset(out);
    ARUS_TRY(arus_checkpoint_path(checkpoint, kind, id, &path, err));
    return arus_file_read(path.text, out, is_missing, err);
}

enum arus_status arus_checkpoint_read_plan(struct arus_checkpoint *checkpoint, int64_t id,
                                           struct arus_arena *arena, struct arus_batch_plan *out,
                                           struct arus_text *conf, bool *is_missing,
                                           struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path shown;
    enum arus_status status;

    *out = (struct arus_batch_plan){.batch_id = id};
    ARUS_TRY(arus_checkpoint_shown(checkpoint, "offsets", id, &shown, err));
    status = read_text(checkpoint, "offsets", id, &content, is_missing, err);
    if (status == ARUS_OK && !*is_missing) {
        status = arus_offsets_parse(arus_buffer_text(&content), shown.text, arena, out, conf, err);
        out->batch_id = id;
    }
    arus_buffer_release(&content);
    return status;
}

enum arus_status arus_checkpoint_read_commit(struct arus_checkpoint *checkpoint, int64_t id,
                                             int64_t *next_watermark_ms, bool *is_missing,
                                             struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path shown;
    enum arus_status status;

    *next_watermark_ms = 0;
    ARUS_TRY(arus_checkpoint_shown(checkpoint, "commits", id, &shown, err));
    status = read_text(checkpoint, "commits", id, &content, is_missing, err);
    if (status == ARUS_OK && !*is_missing) {
        status = arus_commit_parse(arus_buffer_text(&content), shown.text, next_watermark_ms, err);
    }
    arus_buffer_release(&content);
    return status;
}

bool arus_checkpoint_is_torn(struct arus_text found, struct arus_text wanted)
{
    size_t zeros = 0;

    while (zeros < found.size && found.data[zeros] == '\0') {
        zeros++;
    }
    return zeros == found.size ||
           (found.size < wanted.size && arus_text_starts_with(wanted, found));
}

enum arus_status arus_checkpoint_rewrite(struct arus_checkpoint *checkpoint, const char *kind,
                                         int64_t id, struct arus_text content, const char *why,
                                         struct arus_error *err)
{
    struct arus_path path;
    struct arus_path shown;
    struct arus_path folder;

    ARUS_TRY(arus_checkpoint_path(checkpoint, kind, id, &path, err));
    ARUS_TRY(arus_checkpoint_shown(checkpoint, kind, id, &shown, err));
    arus_path_parent(&folder, path.text);
    ARUS_TRY(arus_folder_make(folder.text, NULL, err));
    ARUS_TRY(arus_log_remove_crc(path.text, err));
    ARUS_TRY(arus_file_replace(path.text, content, err));
    if (why != NULL) {
        arus_logger_print(checkpoint->set.config.logger, ARUS_LOG_NOTICE,
                          "%s: %s, written again from the journal", shown.text, why);
    }
    return arus_mirrors_add(&checkpoint->set.mirrors, path.text, err);
}

static enum arus_status add_help(const struct arus_checkpoint *checkpoint, const char *kind,
                                 int64_t id, struct arus_error *err)
{
    struct arus_path shown;
    const enum arus_status status = err->status;
    struct arus_error ignored;

    if (arus_checkpoint_shown(checkpoint, kind, id, &shown, &ignored) != ARUS_OK) {
        return status;
    }
    if (err->condition == NULL || strstr(err->condition, "MAX_SUPPORTED") == NULL) {
        (void)arus_error_help(err,
                              "nothing was changed. rm that file and run again: the journal "
                              "knows batch %" PRId64 " and rebuilds it",
                              id);
    }
    if (err->file.path[0] == '\0') {
        (void)snprintf(err->file.path, sizeof err->file.path, "%s", shown.text);
    }
    return status;
}

/* ---- one batch of the journal ---- */

static enum arus_status restore_offsets(struct arus_checkpoint *checkpoint,
                                        const struct arus_stored_batch *batch,
                                        struct arus_buffer *content, struct arus_arena *arena,
                                        struct arus_error *err)
{
    const int64_t id = batch->record.plan.batch_id;
    struct arus_batch_plan found;
    struct arus_path shown;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(read_text(checkpoint, "offsets", id, content, &is_missing, err));
    if (!is_missing && arus_text_equal(arus_buffer_text(content), batch->offsets_text)) {
        return ARUS_OK;
    }
    if (is_missing || arus_checkpoint_is_torn(arus_buffer_text(content), batch->offsets_text)) {
        return arus_checkpoint_rewrite(
            checkpoint, "offsets", id, batch->offsets_text,
            is_missing ? "was missing (to go back: arus rewind)" : "was cut off", err);
    }
    ARUS_TRY(arus_checkpoint_shown(checkpoint, "offsets", id, &shown, err));
    status = arus_offsets_parse(arus_buffer_text(content), shown.text, arena, &found, NULL, err);
    if (status == ARUS_OK && !arus_batch_plan_is_equal(&found, &batch->record.plan)) {
        status = arus_log_fail(err, shown.text, 0, "ARUS_CONTRADICTION",
                               "says something else than the journal");
    }
    return status == ARUS_OK ? ARUS_OK : add_help(checkpoint, "offsets", id, err);
}

static enum arus_status restore_commit(struct arus_checkpoint *checkpoint, int64_t id,
                                       int64_t next_watermark_ms, struct arus_buffer *content,
                                       struct arus_error *err)
{
    struct arus_buffer wanted = {0};
    struct arus_path shown;
    bool is_missing = true;
    int64_t found;
    enum arus_status status = arus_commit_format(&wanted, next_watermark_ms, err);

    if (status == ARUS_OK) {
        status = read_text(checkpoint, "commits", id, content, &is_missing, err);
    }
    if (status == ARUS_OK && (is_missing || arus_checkpoint_is_torn(arus_buffer_text(content),
                                                                    arus_buffer_text(&wanted)))) {
        status = arus_checkpoint_rewrite(checkpoint, "commits", id, arus_buffer_text(&wanted),
                                         is_missing ? "was missing" : "was cut off", err);
    } else if (status == ARUS_OK) {
        status = arus_checkpoint_shown(checkpoint, "commits", id, &shown, err);
        if (status == ARUS_OK) {
            status = arus_commit_parse(arus_buffer_text(content), shown.text, &found, err);
        }
        if (status != ARUS_OK) {
            status = add_help(checkpoint, "commits", id, err);
        }
    }
    arus_buffer_release(&wanted);
    return status;
}

/** Is commits/N there, whole? Garbage fails. */
static enum arus_status has_commit(struct arus_checkpoint *checkpoint, int64_t id, bool *out,
                                   struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path shown;
    int64_t ignored;
    bool is_missing = true;
    enum arus_status status = read_text(checkpoint, "commits", id, &content, &is_missing, err);

    *out = false;
    if (status == ARUS_OK && !is_missing) {
        status = arus_checkpoint_shown(checkpoint, "commits", id, &shown, err);
    }
    if (status == ARUS_OK && !is_missing) {
        const bool is_whole =
            arus_commit_parse(arus_buffer_text(&content), shown.text, &ignored, err) == ARUS_OK;

        *out = is_whole;
        if (!is_whole &&
            !arus_checkpoint_is_torn(arus_buffer_text(&content), ARUS_TEXT(COMMIT_BEGIN)) &&
            !arus_text_starts_with(arus_buffer_text(&content), ARUS_TEXT(COMMIT_BEGIN))) {
            status = add_help(checkpoint, "commits", id, err);
        }
    }
    arus_buffer_release(&content);
    return status;
}

static enum arus_status restore_batch(struct arus_checkpoint *checkpoint, int64_t id,
                                      struct arus_buffer *content, struct arus_arena *arena,
                                      struct arus_error *err)
{
    struct arus_stored_batch batch;
    bool is_found;

    ARUS_TRY(arus_record_get(checkpoint->set.store, id, arena, &batch, &is_found, err));
    if (!is_found) {
        return ARUS_OK; /* a purged one, or from before a takeover */
    }
    ARUS_TRY(restore_offsets(checkpoint, &batch, content, arena, err));
    if (id <= checkpoint->set.published) {
        ARUS_TRY(restore_commit(checkpoint, id, batch.record.next_watermark_ms, content, err));
    }
    if (id == checkpoint->set.prepared) {
        checkpoint->next_watermark_ms = batch.record.next_watermark_ms;
    }
    return ARUS_OK;
}

static enum arus_status restore_batches(struct arus_checkpoint *checkpoint, int64_t oldest,
                                        struct arus_error *err)
{
    const int64_t kept_from = checkpoint->set.prepared - checkpoint->set.config.batches_retained;
    struct arus_buffer content = {0};
    struct arus_arena arena = {0};
    enum arus_status status = ARUS_OK;

    for (int64_t id = oldest > kept_from ? oldest : kept_from;
         id >= 0 && id <= checkpoint->set.prepared && status == ARUS_OK; id++) {
        status = restore_batch(checkpoint, id, &content, &arena, err);
        arus_arena_reset(&arena);
    }
    arus_arena_release(&arena);
    arus_buffer_release(&content);
    return status;
}

/* ---- beyond the journal ---- */

static enum arus_status newest_of(const struct arus_checkpoint *checkpoint, const char *kind,
                                  int64_t *oldest, int64_t *newest, struct arus_error *err)
{
    struct arus_log_listing listing;
    struct arus_path path;
    bool is_missing;
    enum arus_status status = ARUS_OK;
    size_t count;

    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, kind, err));
    ARUS_TRY(arus_log_list(path.text, true, &listing, &is_missing, err));
    count = arus_log_listing_count(&listing);
    *newest = count == 0 ? -1 : arus_log_listing_at(&listing, count - 1).id;
    *oldest = count == 0 ? INT64_MAX : arus_log_listing_at(&listing, 0).id;
    if (listing.odd.size > 0) {
        status = arus_fail(err, ARUS_MISMATCH, "MALFORMED_LOG_FILE",
                           "%s/%s/%s counts as a number but is not written like one",
                           checkpoint->shown.text, kind, listing.odd.data);
        (void)arus_error_help(err, "remove it");
    }
    arus_log_listing_release(&listing);
    return status;
}

static enum arus_status fail_gap(const struct arus_checkpoint *checkpoint, const char *kind,
                                 int64_t missing, int64_t newest, struct arus_error *err)
{
    const enum arus_status status =
        arus_fail(err, ARUS_MISMATCH, "ARUS_CHECKPOINT_GAP",
                  "%s/%s/%" PRId64 " is missing, but the newest there is %" PRId64,
                  checkpoint->shown.text, kind, missing, newest);

    (void)arus_error_help(err,
                          "put it back, or remove %s/%s/%" PRId64 " if it does not belong there",
                          checkpoint->shown.text, kind, newest);
    return status;
}

static enum arus_status check_source_count(const struct arus_checkpoint *checkpoint,
                                           const struct arus_batch_plan *plan,
                                           struct arus_error *err)
{
    const uint32_t wanted = checkpoint->set.config.source_count;
    enum arus_status status;

    if (plan->offset_count == wanted) {
        return ARUS_OK;
    }
    status = arus_fail(err, ARUS_MISMATCH, "ARUS_SOURCES_DIFFER",
                       "checkpoint %s has offsets of %zu source%s, the query reads %u",
                       checkpoint->shown.text, plan->offset_count,
                       plan->offset_count == 1 ? "" : "s", wanted);
    (void)arus_error_help(err, "give the changed query its own checkpointLocation and path");
    return status;
}

/** A text of our own that a power loss cut: parses up to a point and then ends. */
static bool is_cut_plan(struct arus_text content, uint32_t source_count,
                        const struct arus_batch_plan *parsed, bool was_parsed)
{
    static const char BEGIN[] = "v1\n{\"batchWatermarkMs\":";
    const struct arus_text begin = {BEGIN, sizeof BEGIN - 1};

    if (arus_checkpoint_is_torn(content, begin)) {
        return true;
    }
    return arus_text_starts_with(content, begin) &&
           (!was_parsed || parsed->offset_count < source_count);
}

/** offsets/N that no record knows: a plan to run, or what a crash left of one. */
static enum arus_status take_plan(struct arus_checkpoint *checkpoint, int64_t id,
                                  struct arus_error *err)
{
    struct arus_batch_plan plan = {0};
    struct arus_buffer content = {0};
    struct arus_path path;
    struct arus_path shown;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_checkpoint_path(checkpoint, "offsets", id, &path, err));
    ARUS_TRY(arus_checkpoint_shown(checkpoint, "offsets", id, &shown, err));
    ARUS_TRY(read_text(checkpoint, "offsets", id, &content, &is_missing, err));
    status = arus_offsets_parse(arus_buffer_text(&content), shown.text, &checkpoint->arena, &plan,
                                checkpoint->conf, err);
    plan.batch_id = id;
    if (checkpoint->set.has_journal &&
        is_cut_plan(arus_buffer_text(&content), checkpoint->set.config.source_count, &plan,
                    status == ARUS_OK)) {
        status = arus_file_remove(path.text, err);
        arus_logger_print(checkpoint->set.config.logger, ARUS_LOG_NOTICE,
                          "%s: was cut off and never used, removed", shown.text);
        checkpoint->newest_offsets = id - 1;
    } else if (status == ARUS_OK) {
        checkpoint->pending = plan;
        checkpoint->has_pending = true;
        checkpoint->set.planned = id;
    }
    arus_buffer_release(&content);
    return status;
}

/** Spark went on from here, or began: its texts are taken as they are. */
static enum arus_status take_foreign(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    const int64_t newest = checkpoint->newest_offsets;
    struct arus_batch_plan before;
    bool is_missing;

    if (set->config.is_stateful) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_FOREIGN_STATE",
                         "checkpoint %s was continued without its journal, which holds the state",
                         checkpoint->shown.text);
    }
    set->is_foreign = true;
    set->foreign_from = set->published + 1;
    if (set->prepared > set->published) {
        set->repeat_batch = set->prepared; /* ours, which nobody will publish now */
    }
    ARUS_TRY(arus_checkpoint_read_plan(checkpoint, newest, &checkpoint->arena, &checkpoint->pending,
                                       checkpoint->conf, &is_missing, err));
    ARUS_TRY(check_source_count(checkpoint, &checkpoint->pending, err));
    if (newest > 0) {
        ARUS_TRY(arus_checkpoint_read_plan(checkpoint, newest - 1, &checkpoint->arena, &before,
                                           NULL, &is_missing, err));
        if (is_missing) {
            return fail_gap(checkpoint, "offsets", newest - 1, newest, err);
        }
        for (size_t i = 0; i < before.offset_count && i < checkpoint->pending.offset_count; i++) {
            if (before.offsets[i].size > 0 && checkpoint->pending.offsets[i].size == 0) {
                return arus_fail(err, ARUS_MISMATCH, "ARUS_CONTRADICTION",
                                 "%s/offsets/%" PRId64 " forgets the offset of source %zu",
                                 checkpoint->shown.text, newest, i);
            }
        }
    }
    set->planned = newest;
    set->published = checkpoint->newest_commit >= newest ? newest : newest - 1;
    set->prepared = set->published;
    checkpoint->has_pending = set->published < newest;
    if (!checkpoint->has_pending) {
        int64_t ignored;

        ARUS_TRY(arus_checkpoint_read_commit(checkpoint, newest, &ignored, &is_missing, err));
    }
    return ARUS_OK;
}

/** What of the journal's newest batches counts as given out. */
static enum arus_status settle_published(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    bool is_committed = false;

    ARUS_TRY(
        arus_meta_number(set->store, ARUS_META_PUBLISHED, -1, &checkpoint->journal_published, err));
    ARUS_TRY(arus_meta_number(set->store, ARUS_META_REPEAT, -1, &set->repeat_batch, err));
    if (set->prepared >= 0) {
        ARUS_TRY(has_commit(checkpoint, set->prepared, &is_committed, err));
    }
    set->published = is_committed || set->prepared < 0 ? set->prepared : set->prepared - 1;
    return ARUS_OK;
}

/** Between the journal's newest and the folder's newest nothing may be missing. */
static enum arus_status check_gaps(const struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    const int64_t newest = checkpoint->newest_offsets;

    if (checkpoint->newest_commit > newest) {
        return fail_gap(checkpoint, "offsets", checkpoint->newest_commit, checkpoint->newest_commit,
                        err);
    }
    for (int64_t id = checkpoint->set.prepared + 1; checkpoint->set.prepared >= 0 && id < newest;
         id++) {
        struct arus_file_info info;
        struct arus_path path;

        ARUS_TRY(arus_checkpoint_path(checkpoint, "offsets", id, &path, err));
        ARUS_TRY(arus_file_stat(path.text, &info, err));
        if (info.kind == ARUS_FILE_NONE) {
            return fail_gap(checkpoint, "offsets", id, newest, err);
        }
    }
    return ARUS_OK;
}

/** The conf of the newest plan holds for all later ones, as in Spark. */
static enum arus_status load_conf(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    struct arus_text found[ARUS_CONF_COUNT] = {{0}};
    struct arus_batch_plan plan;
    bool is_missing;

    if (checkpoint->newest_offsets < 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_checkpoint_read_plan(checkpoint, checkpoint->newest_offsets, &checkpoint->arena,
                                       &plan, found, &is_missing, err));
    for (int i = 0; i < ARUS_CONF_COUNT; i++) {
        if (found[i].size > 0) {
            checkpoint->conf[i] = found[i];
        }
    }
    return is_missing ? ARUS_OK : check_source_count(checkpoint, &plan, err);
}

enum arus_status arus_checkpoint_restore(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;
    int64_t oldest_offsets;
    int64_t oldest_commit;
    int64_t oldest;
    bool is_foreign;

    ARUS_TRY(newest_of(checkpoint, "offsets", &oldest_offsets, &checkpoint->newest_offsets, err));
    ARUS_TRY(newest_of(checkpoint, "commits", &oldest_commit, &checkpoint->newest_commit, err));
    checkpoint->oldest_text = oldest_offsets < oldest_commit ? oldest_offsets : oldest_commit;
    ARUS_TRY(arus_record_range(set->store, &oldest, &set->prepared, err));
    ARUS_TRY(settle_published(checkpoint, err));
    ARUS_TRY(restore_batches(checkpoint, oldest, err));
    if (set->prepared > checkpoint->newest_offsets) {
        checkpoint->newest_offsets = set->prepared; /* it is there again */
    }
    set->planned = set->prepared;
    ARUS_TRY(check_gaps(checkpoint, err));
    is_foreign = checkpoint->newest_offsets >= 0 &&
                 (!set->has_journal || checkpoint->newest_offsets > set->prepared + 1 ||
                  checkpoint->newest_commit > set->prepared);
    if (is_foreign) {
        return take_foreign(checkpoint, err);
    }
    if (checkpoint->newest_offsets > set->prepared) {
        ARUS_TRY(take_plan(checkpoint, checkpoint->newest_offsets, err));
    }
    return load_conf(checkpoint, err);
}
