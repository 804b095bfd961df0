/** Opening: whose checkpoint it is, and what it is. Nothing is changed before that is clear. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "journal/checkpoint_state.h"
#include "journal/rewind_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define RETAINED_DEFAULT 100
#define INTERVAL_DEFAULT 10
#define DELAY_DEFAULT_MS (10 * 60 * 1000)

/** What lies in the folder. */
struct layout {
    bool has_metadata;
    bool has_logs; /* offsets/ or commits/ hold something */
    bool has_offsets;
    bool has_state;       /* state/ holds something */
    bool has_state_store; /* and it is ours */
    bool has_plain_store; /* .arus/ */
};

/* ---- looking ---- */

static enum arus_status has_entries(const char *path, bool *out, struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_file_kind kind;
    const char *name = NULL;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_folder_open(&folder, path, &is_missing, err));
    do { /* dot files are nobody's; a lock file alone is a store that a kill left unmade */
        status = arus_folder_next(&folder, &name, &kind, err);
    } while (status == ARUS_OK && name != NULL &&
             (name[0] == '.' || strcmp(name, "lock.mdb") == 0));
    *out = status == ARUS_OK && name != NULL;
    arus_folder_close(&folder);
    return status;
}

static enum arus_status look(const struct arus_checkpoint *checkpoint, struct layout *out,
                             struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path path;
    bool has_commits;

    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, "metadata", err));
    ARUS_TRY(arus_file_stat(path.text, &info, err));
    out->has_metadata = info.kind == ARUS_FILE_REGULAR;
    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, "offsets", err));
    ARUS_TRY(has_entries(path.text, &out->has_offsets, err));
    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, "commits", err));
    ARUS_TRY(has_entries(path.text, &has_commits, err));
    out->has_logs = out->has_offsets || has_commits;
    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, "state", err));
    ARUS_TRY(has_entries(path.text, &out->has_state, err));
    out->has_state_store = arus_store_exists(path.text);
    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, ".arus", err));
    out->has_plain_store = arus_store_exists(path.text);
    return ARUS_OK;
}

/* ---- refusing ---- */

static enum arus_status fail_no_state(const struct arus_checkpoint *checkpoint,
                                      struct arus_error *err)
{
    enum arus_status status =
        arus_fail(err, ARUS_MISMATCH, "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY",
                  "checkpoint %s has no state, but the query needs it", checkpoint->shown.text);

    (void)arus_error_label(err, "has no state");
    (void)arus_error_help(err, "give each query its own checkpointLocation");
    return status;
}

static enum arus_status fail_with_state(const struct arus_checkpoint *checkpoint,
                                        struct arus_error *err)
{
    enum arus_status status = arus_fail(
        err, ARUS_MISMATCH, "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA",
        "checkpoint %s belongs to a query with state, this one has none", checkpoint->shown.text);

    (void)arus_error_label(err, "has state");
    (void)arus_error_help(err, "give each query its own checkpointLocation");
    return status;
}

static enum arus_status fail_spark_state(const struct arus_checkpoint *checkpoint,
                                         struct arus_error *err)
{
    enum arus_status status =
        arus_fail(err, ARUS_MISMATCH, "ARUS_FOREIGN_STATE",
                  "checkpoint %s holds the state of a Spark query", checkpoint->shown.text);

    (void)arus_error_note(err, "only queries without state can change between Spark and arus");
    (void)arus_error_help(err, "rebuild from all input: a new checkpointLocation and a new path");
    return status;
}

static enum arus_status fail_other_query(const struct arus_checkpoint *checkpoint,
                                         const char *journal_id, struct arus_error *err)
{
    enum arus_status status = arus_fail(err, ARUS_MISMATCH, "ARUS_CONTRADICTION",
                                        "%s/metadata names query %s, the journal query %s",
                                        checkpoint->shown.text, checkpoint->id, journal_id);

    (void)arus_error_help(err, "put the metadata file back that belongs to this checkpoint");
    return status;
}

/** May this query use what lies here? Spark's order of questions. */
static enum arus_status check_layout(const struct arus_checkpoint *checkpoint,
                                     const struct layout *layout, struct arus_error *err)
{
    const bool has_store = layout->has_state_store || layout->has_plain_store;

    if (!layout->has_metadata && layout->has_logs && !has_store) {
        const enum arus_status status =
            arus_fail(err, ARUS_MISMATCH, "STREAMING_CHECKPOINT_MISSING_METADATA_FILE",
                      "checkpoint %s has logs, but no metadata file", checkpoint->shown.text);

        (void)arus_error_help(err, "put the metadata file back, or use an empty folder");
        return status;
    }
    if (!layout->has_logs && layout->has_state && !layout->has_state_store) {
        const enum arus_status status =
            arus_fail(err, ARUS_MISMATCH, "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY",
                      "%s/state is not empty, but the checkpoint is new", checkpoint->shown.text);

        (void)arus_error_help(err, "remove it, or use an empty folder");
        return status;
    }
    if (!layout->has_logs) {
        return ARUS_OK;
    }
    if (checkpoint->set.config.is_stateful && !layout->has_state_store) {
        return layout->has_state ? fail_spark_state(checkpoint, err)
                                 : fail_no_state(checkpoint, err);
    }
    if (!checkpoint->set.config.is_stateful && layout->has_state) {
        return fail_with_state(checkpoint, err);
    }
    return ARUS_OK;
}

/* ---- an emptied checkpoint, a journal of the other kind ---- */

/** The journal stays for whoever needs it, under a name that nobody looks at. */
static enum arus_status move_aside(const struct arus_checkpoint *checkpoint, const char *name,
                                   struct arus_error *err)
{
    struct arus_path from;
    struct arus_path to;

    ARUS_TRY(arus_path_join(&from, checkpoint->folder.text, name, err));
    ARUS_TRY(arus_path_format(&to, err, "%s/.%s.old-%" PRId64, checkpoint->folder.text,
                              name[0] == '.' ? name + 1 : name, arus_clock_wall_ms()));
    ARUS_TRY(arus_file_rename(from.text, to.text, err));
    arus_logger_print(checkpoint->set.config.logger, ARUS_LOG_NOTICE,
                      "%s was emptied: a fresh start; the old journal is %s",
                      checkpoint->shown.text, to.text);
    return ARUS_OK;
}

static enum arus_status clear_old(const struct arus_checkpoint *checkpoint, struct layout *layout,
                                  struct arus_error *err)
{
    if (layout->has_metadata || layout->has_logs) {
        return ARUS_OK;
    }
    if (layout->has_plain_store) {
        ARUS_TRY(move_aside(checkpoint, ".arus", err));
        layout->has_plain_store = false;
    }
    if (layout->has_state_store) {
        ARUS_TRY(move_aside(checkpoint, "state", err));
        layout->has_state_store = false;
    }
    return ARUS_OK;
}

/* ---- metadata and the query's id ---- */

static enum arus_status make_id(char id[37], struct arus_error *err)
{
    static const char HEX[] = "0123456789abcdef";
    uint8_t bytes[16];
    size_t at = 0;

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return arus_fail(err, ARUS_FATAL, NULL, "the system gives no random numbers");
    }
    bytes[6] = (uint8_t)((bytes[6] & 0x0F) | 0x40);
    bytes[8] = (uint8_t)((bytes[8] & 0x3F) | 0x80);
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            id[at++] = '-';
        }
        id[at++] = HEX[bytes[i] >> 4];
        id[at++] = HEX[bytes[i] & 15];
    }
    id[at] = '\0';
    return ARUS_OK;
}

enum arus_status arus_checkpoint_write_metadata(struct arus_checkpoint *checkpoint,
                                                struct arus_error *err)
{
    struct arus_path path;
    char text[64];
    const int size = snprintf(text, sizeof text, "{\"id\":\"%s\"}", checkpoint->id);

    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, "metadata", err));
    ARUS_TRY(arus_log_remove_crc(path.text, err));
    ARUS_TRY(arus_file_replace_whole(path.text, (struct arus_text){text, (size_t)size}, err));
    return arus_folder_note(&checkpoint->set.made, checkpoint->folder.text, err);
}

/** What `metadata` says; `*is_torn`: nothing that can be read, and the journal knows better. */
static enum arus_status read_metadata(struct arus_checkpoint *checkpoint, bool has_journal,
                                      bool *is_torn, struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path path;
    struct arus_path shown;
    bool is_missing = false;
    enum arus_status status;

    ARUS_TRY(arus_path_join(&path, checkpoint->folder.text, "metadata", err));
    ARUS_TRY(arus_path_join(&shown, checkpoint->shown.text, "metadata", err));
    status = arus_file_read(path.text, &content, &is_missing, err);
    *is_torn = is_missing;
    if (status == ARUS_OK && !is_missing) {
        *is_torn = has_journal &&
                   arus_checkpoint_is_torn(arus_buffer_text(&content), ARUS_TEXT("{\"id\":\""));
        if (!*is_torn) {
            status =
                arus_metadata_parse(arus_buffer_text(&content), shown.text, checkpoint->id, err);
        }
    }
    arus_buffer_release(&content);
    return status;
}

static enum arus_status settle_id(struct arus_checkpoint *checkpoint, const struct layout *layout,
                                  struct arus_error *err)
{
    struct arus_text journal_id = {0};
    bool has_journal_id;
    bool is_torn = true;

    ARUS_TRY(arus_meta_text(checkpoint->set.store, ARUS_META_ID, &checkpoint->arena, &journal_id,
                            &has_journal_id, err));
    checkpoint->has_owner = has_journal_id;
    if (layout->has_metadata) {
        ARUS_TRY(read_metadata(checkpoint, has_journal_id, &is_torn, err));
    }
    if (!is_torn) {
        return !has_journal_id || strcmp(journal_id.data, checkpoint->id) == 0
                   ? ARUS_OK
                   : fail_other_query(checkpoint, journal_id.data, err);
    }
    checkpoint->is_id_new = true;
    if (has_journal_id && journal_id.size == 36) {
        memcpy(checkpoint->id, journal_id.data, 37);
        arus_logger_print(checkpoint->set.config.logger, ARUS_LOG_NOTICE,
                          "%s/metadata: was missing or cut off, written again from the journal",
                          checkpoint->shown.text);
        return ARUS_OK;
    }
    return make_id(checkpoint->id, err);
}

/* ---- putting it together ---- */

static enum arus_status copy_conf(struct arus_checkpoint *checkpoint,
                                  const struct arus_text *values, struct arus_error *err)
{
    for (int i = 0; values != NULL && i < ARUS_CONF_COUNT; i++) {
        ARUS_TRY(arus_text_copy(values[i], &checkpoint->arena, &checkpoint->conf[i], err));
    }
    return ARUS_OK;
}

static enum arus_status copy_config(struct arus_checkpoint *checkpoint,
                                    const struct arus_checkpoint_config *from,
                                    struct arus_error *err)
{
    struct arus_checkpoint_config *config = &checkpoint->set.config;

    *config = *from;
    ARUS_TRY(arus_path_format(&checkpoint->folder, err, "%s", from->folder));
    ARUS_TRY(arus_path_format(&checkpoint->shown, err, "%s",
                              from->shown == NULL ? from->folder : from->shown));
    ARUS_TRY(
        arus_path_format(&checkpoint->query, err, "%s", from->query == NULL ? "" : from->query));
    ARUS_TRY(arus_path_join(&checkpoint->journal, from->folder,
                            from->is_stateful ? "state" : ".arus", err));
    config->folder = checkpoint->folder.text;
    config->shown = checkpoint->shown.text;
    config->query = checkpoint->query.text;
    config->conf_values = NULL;
    if (config->batches_retained <= 0) {
        config->batches_retained = RETAINED_DEFAULT;
    }
    if (config->source_log_interval == 0) {
        config->source_log_interval = INTERVAL_DEFAULT;
    }
    if (config->sink_log_interval == 0) {
        config->sink_log_interval = INTERVAL_DEFAULT;
    }
    if (config->source_log_delay_ms == 0) {
        config->source_log_delay_ms = DELAY_DEFAULT_MS;
    }
    if (config->sink_log_delay_ms == 0) {
        config->sink_log_delay_ms = DELAY_DEFAULT_MS;
    }
    return copy_conf(checkpoint, from->conf_values, err);
}

static enum arus_status open_store(struct arus_checkpoint *checkpoint, struct layout *layout,
                                   struct arus_error *err)
{
    const bool is_stateful = checkpoint->set.config.is_stateful;

    checkpoint->set.has_journal = is_stateful ? layout->has_state_store : layout->has_plain_store;
    if (is_stateful ? layout->has_plain_store : layout->has_state_store) {
        /* check_layout let it pass: no batch was ever planned under the other kind of query */
        ARUS_TRY(move_aside(checkpoint, is_stateful ? ".arus" : "state", err));
    }
    ARUS_TRY(arus_folder_make(checkpoint->journal.text, &checkpoint->set.made, err));
    if (!checkpoint->set.has_journal) {
        ARUS_TRY(arus_folder_probe(checkpoint->journal.text, err));
    }
    return arus_store_open(checkpoint->journal.text, ARUS_STORE_WRITE, &checkpoint->set.store, err);
}

/** What nothing durable speaks of yet: a run that died before its first batch may have made it. */
static enum arus_status note_folders(struct arus_checkpoint *checkpoint, bool is_folder_made,
                                     struct arus_error *err)
{
    struct arus_log_set *set = &checkpoint->set;

    if (set->has_journal && set->prepared >= 0) {
        return ARUS_OK;
    }
    if (!is_folder_made) {
        return arus_folder_note_above(&set->made, checkpoint->journal.text, err);
    }
    ARUS_TRY(arus_folder_note(&set->made, checkpoint->journal.text, err));
    return arus_folder_note(&set->made, checkpoint->folder.text, err);
}

static enum arus_status open_locked(struct arus_checkpoint *checkpoint, struct arus_error *err)
{
    const bool is_folder_made = checkpoint->set.made.size != 0;
    struct layout layout = {0};

    ARUS_TRY(look(checkpoint, &layout, err));
    ARUS_TRY(check_layout(checkpoint, &layout, err));
    checkpoint->is_made = !layout.has_metadata && !layout.has_logs && !layout.has_state_store &&
                          !layout.has_plain_store;
    ARUS_TRY(clear_old(checkpoint, &layout, err));
    ARUS_TRY(open_store(checkpoint, &layout, err));
    ARUS_TRY(arus_rewind_finish(checkpoint->folder.text, checkpoint->shown.text,
                                checkpoint->journal.text, checkpoint->set.store,
                                checkpoint->set.config.logger, err));
    ARUS_TRY(arus_spares_init(&checkpoint->set.spares, checkpoint->journal.text, err));
    ARUS_TRY(settle_id(checkpoint, &layout, err));
    ARUS_TRY(arus_plan_file_load(checkpoint->journal.text, &checkpoint->set.plan_details, err));
    ARUS_TRY(arus_checkpoint_restore(checkpoint, err));
    if (checkpoint->is_id_new) {
        ARUS_TRY(arus_checkpoint_write_metadata(checkpoint, err));
    }
    return note_folders(checkpoint, is_folder_made, err);
}

static void release(struct arus_checkpoint *checkpoint)
{
    arus_log_set_release(&checkpoint->set);
    arus_store_close(checkpoint->set.store);
    arus_store_write_release(&checkpoint->write);
    arus_plan_file_close(&checkpoint->plan_file);
    arus_lock_drop(&checkpoint->lock);
    arus_arena_release(&checkpoint->arena);
    arus_arena_release(&checkpoint->batch_arena);
    arus_free(checkpoint);
}

enum arus_status arus_checkpoint_open(const struct arus_checkpoint_config *config,
                                      struct arus_checkpoint **out, struct arus_error *err)
{
    struct arus_checkpoint *checkpoint =
        (struct arus_checkpoint *)arus_alloc(1, sizeof *checkpoint);
    enum arus_status status;

    *out = NULL;
    if (checkpoint == NULL) {
        return arus_fail_memory(err);
    }
    checkpoint->set.repeat_batch = -1;
    checkpoint->set.foreign_from = INT64_MAX;
    checkpoint->set.write = &checkpoint->write;
    status = copy_config(checkpoint, config, err);
    if (status == ARUS_OK) {
        status = arus_folder_make(checkpoint->folder.text, &checkpoint->set.made, err);
    }
    if (status == ARUS_OK) {
        status = arus_lock_take(&checkpoint->lock, checkpoint->folder.text, ARUS_CHECKPOINT_LOCK,
                                checkpoint->shown.text, err);
    }
    if (status == ARUS_OK) {
        status = open_locked(checkpoint, err);
    }
    if (status != ARUS_OK) {
        release(checkpoint);
        return status;
    }
    *out = checkpoint;
    return ARUS_OK;
}

const char *arus_checkpoint_id(const struct arus_checkpoint *checkpoint)
{
    return checkpoint->id;
}

struct arus_log_set *arus_checkpoint_logs(struct arus_checkpoint *checkpoint)
{
    return &checkpoint->set;
}

struct arus_store *arus_checkpoint_store(struct arus_checkpoint *checkpoint)
{
    return checkpoint->set.store;
}

struct arus_store_write *arus_checkpoint_write(struct arus_checkpoint *checkpoint)
{
    return &checkpoint->write;
}

void arus_checkpoint_release(struct arus_checkpoint *checkpoint)
{
    release(checkpoint);
}

/** Best effort: what cannot be removed does no harm. Folders that are not empty stay. */
static void remove_made(const struct arus_checkpoint *checkpoint)
{
    static const char *const FILES[] = {"metadata", ARUS_CHECKPOINT_LOCK};
    struct arus_error ignored;
    struct arus_path path;

    arus_ignore(arus_folder_remove_all(checkpoint->journal.text, &ignored));
    for (uint32_t i = 0; i < checkpoint->set.config.source_count; i++) {
        if (arus_path_format(&path, &ignored, "%s/sources/%u", checkpoint->folder.text, i) ==
            ARUS_OK) {
            arus_ignore(arus_folder_remove(path.text, &ignored));
        }
    }
    if (arus_path_join(&path, checkpoint->folder.text, "sources", &ignored) == ARUS_OK) {
        arus_ignore(arus_folder_remove(path.text, &ignored));
    }
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        if (arus_path_join(&path, checkpoint->folder.text, FILES[i], &ignored) == ARUS_OK) {
            arus_ignore(arus_file_remove(path.text, &ignored));
        }
    }
    arus_ignore(arus_folder_remove(checkpoint->folder.text, &ignored));
}

void arus_checkpoint_undo(struct arus_checkpoint *checkpoint)
{
    struct arus_error ignored;

    if (!checkpoint->is_made) {
        arus_ignore(arus_checkpoint_close(checkpoint, &ignored));
        return;
    }
    arus_store_close(checkpoint->set.store);
    checkpoint->set.store = NULL;
    remove_made(checkpoint);
    release(checkpoint);
}
