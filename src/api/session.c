/** Reading texts and running what they ask for. */
#include "api/session.h"

#include "api/state.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "exec/exec.h"
#include "plan/explain.h"
#include "sql/parser.h"

#include <unistd.h>

#define FINDINGS_MAX ((size_t)64)

struct arus_session {
    struct arus_session_config config;
    struct arus_arena arena;
    struct arus_catalog catalog;
    struct arus_warnings warnings;
    struct arus_error *errors; /* [FINDINGS_MAX], of the last text */
    size_t error_count;
    struct arus_action *actions;
    size_t action_count;
};

static enum arus_status apply_overrides(struct arus_session *session, struct arus_error *err)
{
    for (size_t i = 0; i < session->config.override_count; i++) {
        const struct arus_setting *set = &session->config.overrides[i];

        ARUS_TRY(arus_catalog_set(&session->catalog, set->key, set->value, (struct arus_place){0},
                                  NULL, err));
    }
    return ARUS_OK;
}

static enum arus_status open_catalog(struct arus_session *session, struct arus_error *err)
{
    const char *folder = session->config.folder;
    struct arus_text absolute;
    char here[4096];

    if (getcwd(here, sizeof here) == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the current folder cannot be read");
    }
    if (folder == NULL || folder[0] == 0) {
        folder = here;
    }
    if (folder[0] == '/') {
        ARUS_TRY(arus_text_format(&session->arena, &absolute, err, "%s", folder));
    } else {
        ARUS_TRY(arus_text_format(&session->arena, &absolute, err, "%s/%s", here, folder));
    }
    ARUS_TRY(arus_catalog_init(&session->catalog, &session->arena, absolute.data, err));
    ARUS_TRY(ARUS_NEW(&session->arena, struct arus_error, FINDINGS_MAX, &session->errors, err));
    session->catalog.memory = session->config.memory;
    session->catalog.states = &ARUS_STATE_READER;
    session->catalog.printer = session->config.printer;
    return apply_overrides(session, err);
}

enum arus_status arus_session_open(const struct arus_session_config *config,
                                   struct arus_session **out, struct arus_error *err)
{
    struct arus_session *session = arus_alloc(1, sizeof *session);
    enum arus_status status;

    *out = NULL;
    if (session == NULL) {
        return arus_fail_memory(err);
    }
    session->config = *config;
    status = open_catalog(session, err);
    if (status != ARUS_OK) {
        arus_session_close(session);
        return status;
    }
    *out = session;
    return ARUS_OK;
}

void arus_session_use_memory(struct arus_session *session, struct arus_memory *memory)
{
    session->catalog.memory = memory;
}

void arus_session_close(struct arus_session *session)
{
    if (session != NULL) {
        arus_arena_release(&session->arena);
        arus_free(session);
    }
}

static void note_error(struct arus_session *session, const struct arus_error *error)
{
    if (session->error_count < FINDINGS_MAX) {
        session->errors[session->error_count++] = *error;
    }
}

/* Syntax errors come first from the parser: back into the order of the text. */
static void sort_errors(struct arus_session *session)
{
    for (size_t i = 1; i < session->error_count; i++) {
        for (size_t k = i;
             k > 0 && session->errors[k - 1].place.begin > session->errors[k].place.begin; k--) {
            const struct arus_error swap = session->errors[k];

            session->errors[k] = session->errors[k - 1];
            session->errors[k - 1] = swap;
        }
    }
}

static enum arus_status analyse(struct arus_session *session, const struct arus_script *script,
                                struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(&session->arena, struct arus_action, script->statement_count + 1,
                      &session->actions, err));
    for (uint32_t i = 0; i < script->statement_count; i++) {
        struct arus_action *action = &session->actions[session->action_count];
        enum arus_status status = arus_plan_statement(&session->catalog, script->statements[i],
                                                      &session->warnings, action, err);

        if (status == ARUS_OK && action->kind == ARUS_ACTION_STREAM) {
            status = arus_query_check_folders(action->stream, err);
        }
        if (status == ARUS_OK) {
            ARUS_TRY(apply_overrides(session, err));
            session->action_count += action->kind != ARUS_ACTION_NOTHING;
        } else if (status == ARUS_NO_MEMORY) {
            return status;
        } else {
            note_error(session, err);
        }
    }
    return ARUS_OK;
}

enum arus_status arus_session_read(struct arus_session *session, struct arus_text text,
                                   struct arus_findings *findings, struct arus_error *err)
{
    const size_t warning_count = session->warnings.count;
    struct arus_errors syntax = {0};
    struct arus_script script = {0};
    struct arus_text copy;
    enum arus_status status;

    session->error_count = 0;
    session->action_count = 0;
    ARUS_TRY(arus_text_copy(text, &session->arena, &copy, err));
    session->catalog.sql = copy.data;
    session->catalog.now_micros = arus_clock_wall_us();
    status = arus_sql_parse(copy, &session->arena, &script, &syntax, err);
    if (status != ARUS_OK && status != ARUS_BAD_CONFIG) {
        return status;
    }
    for (uint32_t i = 0; i < syntax.count; i++) {
        note_error(session, &syntax.items[i]);
    }
    ARUS_TRY(analyse(session, &script, err));
    sort_errors(session);
    *findings = (struct arus_findings){session->errors, session->error_count,
                                       session->warnings.items + warning_count,
                                       session->warnings.count - warning_count};
    if (session->error_count != 0) {
        *err = session->errors[0];
        return err->status;
    }
    return ARUS_OK;
}

const struct arus_action *arus_session_actions(const struct arus_session *session, size_t *count)
{
    *count = session->action_count;
    return session->actions;
}

const char *arus_session_text(const struct arus_session *session)
{
    return session->catalog.sql;
}

const struct arus_zone *arus_session_zone(const struct arus_session *session)
{
    return session->catalog.zone;
}

const struct arus_catalog *arus_session_catalog(const struct arus_session *session)
{
    return &session->catalog;
}

struct batch_rows {
    enum arus_status (*write)(void *self, const struct arus_batch *batch, struct arus_error *err);
    void *self;
};

static enum arus_status hand_on(void *self, uint32_t slot, const struct arus_batch *batch,
                                struct arus_error *err)
{
    const struct batch_rows *rows = self;

    (void)slot;
    return rows->write(rows->self, batch, err);
}

enum arus_status arus_session_run_batch(
    struct arus_session *session, const struct arus_batch_query *query,
    enum arus_status (*write)(void *self, const struct arus_batch *batch, struct arus_error *err),
    void *self, struct arus_error *err)
{
    struct batch_rows rows = {write, self};
    const struct arus_consumer consumer = {.write = hand_on, .self = &rows, .is_ordered = true};
    const struct arus_exec_run run = {
        .now_micros = query->env.now_micros, .stop = session->config.stop, .stop_at = 1};
    struct arus_exec_stats stats;
    struct arus_exec *exec;
    enum arus_status status;

    ARUS_TRY(
        arus_exec_open(query->physical, &query->env, session->config.thread_count, &exec, err));
    status = arus_exec_run(exec, &run, &consumer, &stats, err);
    arus_exec_close(exec);
    return status;
}

enum arus_status arus_session_explain(const struct arus_action *action, bool is_all,
                                      struct arus_buffer *out, struct arus_error *err)
{
    return arus_explain_action(action, is_all ? ARUS_EXPLAIN_ALL : ARUS_EXPLAIN_SHORT, out, err);
}
