/** The engine behind one door: a text of statements read, its queries run. For the program; arus.h
 * wraps it for others. */
#ifndef ARUS_API_SESSION_H
#define ARUS_API_SESSION_H

#include "plan/analyse.h"
#include "stream/query.h"

struct arus_session;

struct arus_session_config {
    const char *folder; /* relative paths start here; NULL: the current folder */
    const struct arus_setting
        *overrides; /* --set: beat SET; path, checkpoint and mode come from the text only */
    size_t override_count;
    uint32_t thread_count;              /* 0: one per core */
    const struct arus_logger *logger;   /* may be NULL */
    struct arus_memory *memory;         /* in-memory tables; NULL: none */
    const struct arus_printer *printer; /* of console sinks; NULL: standard output */
    const volatile int *stop;           /* not 0: a batch query ends with ARUS_RETRY; may be NULL */
};

/** What reading a text found, in the order of the text. Lives as long as the session. */
struct arus_findings {
    const struct arus_error *errors;
    size_t error_count;
    const struct arus_error *warnings;
    size_t warning_count;
};

ARUS_MUST_USE enum arus_status arus_session_open(const struct arus_session_config *config,
                                                 struct arus_session **out, struct arus_error *err);
void arus_session_close(struct arus_session *session); /* accepts NULL */
/** For texts that are read from now on. */
void arus_session_use_memory(struct arus_session *session, struct arus_memory *memory);

/**
 * Reads a text: parses, resolves, checks the streaming rules and folders; touches no data. May be
 * called again: later texts see the tables of earlier ones (the interactive prompt, `-p FILE`).
 * `text` is copied.
 *
 * Errors: ARUS_BAD_CONFIG: `findings` has all of them, `err` the first; the good statements took
 * effect.
 */
ARUS_MUST_USE enum arus_status arus_session_read(struct arus_session *session,
                                                 struct arus_text text,
                                                 struct arus_findings *findings,
                                                 struct arus_error *err);
/** What the last text asks to be done, in its order. */
const struct arus_action *arus_session_actions(const struct arus_session *session, size_t *count);
/** The text read last, NUL-terminated: places of its errors point into it. */
const char *arus_session_text(const struct arus_session *session);
/** Where timestamps are shown: the session's zone now. */
const struct arus_zone *arus_session_zone(const struct arus_session *session);
/** Tables and streaming tables by name, for completion and the prompt's greeting. */
const struct arus_catalog *arus_session_catalog(const struct arus_session *session);

/** Runs a batch query; rows come on this thread, in order. Errors: ARUS_BAD_DATA, … with places in
 * the text. */
ARUS_MUST_USE enum arus_status arus_session_run_batch(
    struct arus_session *session, const struct arus_batch_query *query,
    enum arus_status (*write)(void *self, const struct arus_batch *batch, struct arus_error *err),
    void *self, struct arus_error *err);

/** Appends the plan of an action as text: one tree, or with `is_all` every form of the plan. */
ARUS_MUST_USE enum arus_status arus_session_explain(const struct arus_action *action, bool is_all,
                                                    struct arus_buffer *out,
                                                    struct arus_error *err);

#endif
