/** The pipeline says what the bytes of the state mean: it is read again, and its operators are
 * opened without their sources. */
#include "api/state.h"

#include "api/session.h"
#include "api/status.h"
#include "base/file.h"
#include "exec/state_rows.h"
#include "journal/checkpoint.h"
#include "plan/state_digest.h"

#define LOAD_TRIES 5 /* batches go by while a query with few retained ones runs */

/** A query that is looked at. Zeroed = closed. */
struct look {
    const struct arus_state_wanted *wanted;
    struct arus_arena arena;
    struct arus_checkpoint_status status;
    struct arus_session *session;
    const struct arus_stream_query *query;
    struct arus_exec *exec;
    uint32_t operator_id;
    uint32_t side; /* of a join */
};

static void look_close(struct look *look)
{
    arus_exec_close(look->exec);
    arus_session_close(look->session);
    arus_arena_release(&look->arena);
}

/* ---- the pipeline ---- */

static enum arus_status fail_no_pipeline(const struct look *look, const char *path,
                                         struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_PIPELINE",
                          "the pipeline of %s, which says what its state means, is not there: %s",
                          look->wanted->shown, path));
    return arus_error_help(err, "name it: arus state FILE.sql, or OPTIONS (pipeline 'FILE.sql')");
}

static enum arus_status find_query(struct look *look, const char *path, struct arus_error *err)
{
    const struct arus_action *actions;
    size_t count;

    actions = arus_session_actions(look->session, &count);
    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == ARUS_ACTION_STREAM &&
            arus_text_equal_nocase(actions[i].stream->name, look->status.summary.query)) {
            look->query = actions[i].stream;
            return ARUS_OK;
        }
    }
    return arus_fail(err, ARUS_MISMATCH, "ARUS_NO_PIPELINE", "%s has no query `%.*s`", path,
                     ARUS_TEXT_ARGS(look->status.summary.query));
}

static enum arus_status read_pipeline(struct look *look, const char *path, struct arus_error *err)
{
    struct arus_session_config config = {0};
    struct arus_findings findings;
    struct arus_buffer text = {0};
    struct arus_path folder;
    bool is_missing = false;
    enum arus_status status;

    arus_path_parent(&folder, path);
    config.folder = folder.text;
    ARUS_TRY(arus_session_open(&config, &look->session, err));
    status = arus_file_read(path, &text, &is_missing, err);
    if (status == ARUS_OK && is_missing) {
        status = fail_no_pipeline(look, path, err);
    }
    if (status == ARUS_OK) {
        status = arus_session_read(look->session, arus_buffer_text(&text), &findings, err);
        if (status != ARUS_OK) {
            err->place = (struct arus_place){0}; /* of another text than the one at hand */
            status = arus_error_wrap(err, "%s", path);
        }
    }
    arus_buffer_release(&text);
    return status == ARUS_OK ? find_query(look, path, err) : status;
}

/* ---- which state ---- */

static enum arus_status check_batch(struct look *look, struct arus_error *err)
{
    const int64_t batch = look->wanted->batch_id;

    if (batch < 0 ||
        (batch >= look->status.oldest_retained && batch <= look->status.newest_published)) {
        return ARUS_OK;
    }
    return arus_fail(
        err, ARUS_BAD_CONFIG, "ARUS_NO_SUCH_BATCH", "state of batch %lld is not kept; choose %s",
        (long long)batch,
        arus_range_label(look->status.oldest_retained, look->status.newest_published).text);
}

static enum arus_status check_checkpoint(struct look *look, struct arus_error *err)
{
    const struct arus_checkpoint_status *status = &look->status;

    if (!status->exists || status->newest_published < 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NOT_A_CHECKPOINT",
                         status->exists ? "%s: no batch yet" : "%s is no checkpoint",
                         look->wanted->shown);
    }
    if (!status->is_stateful) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_OPERATOR", "%s keeps no state",
                         look->wanted->shown);
    }
    return check_batch(look, err);
}

static enum arus_status find_operator(struct look *look, struct arus_error *err)
{
    const struct arus_physical *physical = look->query->physical;
    const int64_t id = look->wanted->operator_id;
    bool is_join;

    if (id >= (int64_t)physical->operator_count) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_OPERATOR",
                         "%s has operators 0-%u only, no %lld", look->wanted->shown,
                         physical->operator_count - 1, (long long)id);
    }
    look->operator_id = (uint32_t)id;
    is_join = physical->operators[id]->kind == ARUS_STATE_JOIN;
    if (is_join && look->wanted->side == ARUS_STATE_SIDE_NONE) {
        arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, "STDS_INVALID_OPTION_VALUE.WITH_MESSAGE",
                              "operator %lld is a join: it keeps two tables", (long long)id));
        return arus_error_help(err, "say which: joinSide 'left', or 'right'");
    }
    if (!is_join && look->wanted->side != ARUS_STATE_SIDE_NONE) {
        return arus_fail(err, ARUS_BAD_CONFIG, "STDS_INVALID_OPTION_VALUE.WITH_MESSAGE",
                         "operator %lld is no join: it has no sides", (long long)id);
    }
    look->side = look->wanted->side == ARUS_STATE_SIDE_RIGHT;
    return ARUS_OK;
}

static enum arus_status look_open(struct look *look, struct arus_error *err)
{
    const char *pipeline = look->wanted->pipeline;

    ARUS_TRY(arus_status_read(look->wanted->folder, &look->arena, &look->status, err));
    ARUS_TRY(check_checkpoint(look, err));
    if (pipeline == NULL) {
        pipeline = look->status.summary.pipeline.data;
    }
    if (pipeline == NULL || pipeline[0] == '\0') {
        return fail_no_pipeline(look, "it was no file", err);
    }
    ARUS_TRY(read_pipeline(look, pipeline, err));
    if (look->query->physical->operator_count == 0) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_NO_OPERATOR",
                         "the query of %s has state, that of %s has none", look->wanted->shown,
                         pipeline);
    }
    ARUS_TRY(find_operator(look, err));
    return arus_exec_open_state(look->query->physical, &look->query->env, 0, &look->exec, err);
}

/* ---- columns ---- */

/* The projection right above the operator, but for filters; NULL: none. */
static const struct arus_plan *find_project(const struct arus_plan *plan,
                                            const struct arus_plan *wanted)
{
    const struct arus_plan *below = plan;

    if (plan->kind == ARUS_PLAN_PROJECT) {
        do {
            below = below->children[0];
        } while (below->kind == ARUS_PLAN_FILTER);
        if (below == wanted) {
            return plan;
        }
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        const struct arus_plan *found = find_project(plan->children[i], wanted);

        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* Results of aggregates under the names that the query gives them. */
static enum arus_status name_values(const struct look *look, uint32_t key_count,
                                    const struct arus_type *type, struct arus_arena *arena,
                                    const struct arus_type **out, struct arus_error *err)
{
    const struct arus_state_operator *item = look->query->physical->operators[look->operator_id];
    const struct arus_plan *project = find_project(look->query->plan, item->plan);
    struct arus_field *fields;

    *out = type;
    if (project == NULL || item->plan->kind != ARUS_PLAN_AGGREGATE) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, (size_t)type->field_count + 1, &fields, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        for (uint16_t k = 0; k < project->schema->field_count; k++) {
            const struct arus_expr *expr = project->project.exprs[k];

            if (expr->kind == ARUS_EXPR_COLUMN && expr->index == key_count + i) {
                fields[i].name = project->schema->fields[k].name;
                break;
            }
        }
    }
    return arus_type_struct(fields, type->field_count, arena, out, err);
}

static enum arus_status columns_of(const struct look *look, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    const struct arus_type *type;
    struct arus_field *fields;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, ARUS_STATE_ROW_COLUMN_COUNT, &fields, err));
    ARUS_TRY(arus_exec_state_type(look->exec, look->operator_id, look->side, arena, &type, err));
    memcpy(fields, type->fields, ARUS_STATE_ROW_COLUMN_COUNT * sizeof *fields);
    ARUS_TRY(name_values(look, type->fields[ARUS_STATE_ROW_KEY].type->field_count,
                         type->fields[ARUS_STATE_ROW_VALUE].type, arena,
                         &fields[ARUS_STATE_ROW_VALUE].type, err));
    return arus_type_struct(fields, ARUS_STATE_ROW_COLUMN_COUNT, arena, out, err);
}

/* ---- rows ---- */

static enum arus_status check_digest(const struct look *look, struct arus_store *store,
                                     struct arus_arena *arena, struct arus_error *err)
{
    struct arus_text stored;
    bool is_found;
    enum arus_status status;

    ARUS_TRY(arus_checkpoint_look_note(store, ARUS_STATE_NOTE, arena, &stored, &is_found, err));
    if (!is_found) {
        return ARUS_OK;
    }
    status = arus_state_digest_check(look->query->physical, stored, look->wanted->shown, err);
    err->place = (struct arus_place){0};
    return status;
}

/* `*is_gone`: the query went on meanwhile, and the batch is not kept any more. */
static enum arus_status load(struct look *look, struct arus_store *store, bool *is_gone,
                             struct arus_error *err)
{
    const int64_t batch =
        look->wanted->batch_id >= 0 ? look->wanted->batch_id : look->status.newest_published;
    bool is_kept = false;

    ARUS_TRY(arus_exec_load_state(look->exec, store, batch, err));
    ARUS_TRY(arus_checkpoint_look_kept(store, batch, &is_kept, err));
    *is_gone = !is_kept;
    return ARUS_OK;
}

static enum arus_status load_newest(struct look *look, struct arus_error *err)
{
    struct arus_store *store = NULL;
    bool is_gone = true;
    enum arus_status status = arus_checkpoint_look_store(look->wanted->folder, &store, err);

    if (status == ARUS_OK && store == NULL) {
        status = arus_fail(err, ARUS_MISMATCH, "ARUS_NOT_A_CHECKPOINT", "%s has no journal",
                           look->wanted->shown);
    }
    if (status == ARUS_OK) {
        status = check_digest(look, store, &look->arena, err);
    }
    for (int i = 0; i < LOAD_TRIES && status == ARUS_OK && is_gone; i++) {
        status = load(look, store, &is_gone, err);
        if (status == ARUS_OK && is_gone) {
            status = arus_status_read(look->wanted->folder, &look->arena, &look->status, err);
        }
        if (status == ARUS_OK && is_gone) {
            status = check_batch(look, err);
        }
    }
    arus_store_close(store);
    if (status == ARUS_OK && is_gone) {
        return arus_fail(err, ARUS_RETRY, "ARUS_NO_SUCH_BATCH",
                         "%s goes on faster than its state can be read", look->wanted->shown);
    }
    return status;
}

static enum arus_status keep(void *self, const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_chunk_rows *chunk = self;
    struct arus_batch named = *batch; /* names are not the exec's */

    named.schema = chunk->schema;
    return arus_chunk_rows_append(chunk, &named, err);
}

static enum arus_status read_rows(struct look *look, struct arus_chunk_rows **out,
                                  struct arus_error *err)
{
    const struct arus_type *plain;
    const struct arus_type *named;
    enum arus_status status;

    ARUS_TRY(look_open(look, err));
    ARUS_TRY(columns_of(look, &look->arena, &named, err));
    ARUS_TRY(
        arus_exec_state_type(look->exec, look->operator_id, look->side, &look->arena, &plain, err));
    ARUS_TRY(load_newest(look, err));
    ARUS_TRY(arus_chunk_rows_make(named, out, err));
    status =
        arus_exec_state_each(look->exec, look->operator_id, look->side, plain, keep, *out, err);
    if (status != ARUS_OK) {
        arus_chunk_rows_drop(*out);
        *out = NULL;
    }
    return status;
}

/* ---- for sessions ---- */

static enum arus_status describe(const struct arus_state_wanted *wanted, struct arus_arena *arena,
                                 const struct arus_type **out, struct arus_error *err)
{
    struct look look = {.wanted = wanted};
    const struct arus_type *type = NULL;
    enum arus_status status = look_open(&look, err);

    if (status == ARUS_OK) {
        status = columns_of(&look, &look.arena, &type, err);
    }
    if (status == ARUS_OK) {
        status = arus_type_copy(type, arena, out, err);
    }
    look_close(&look);
    return status;
}

static enum arus_status read(const struct arus_state_wanted *wanted, struct arus_chunk_rows **out,
                             struct arus_error *err)
{
    struct look look = {.wanted = wanted};
    enum arus_status status;

    *out = NULL;
    status = read_rows(&look, out, err);
    look_close(&look);
    return status;
}

const struct arus_state_reader ARUS_STATE_READER = {describe, read};
