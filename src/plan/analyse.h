/** From statements to things to do: names, types and streaming rules are checked, plans are made.
 */
#ifndef ARUS_PLAN_ANALYSE_H
#define ARUS_PLAN_ANALYSE_H

#include "plan/catalog.h"
#include "plan/physical.h"
#include "plan/properties.h"

struct arus_ast_statement;

/** A query that is run to its end. */
struct arus_batch_query {
    const struct arus_plan *resolved; /* before the optimiser */
    const struct arus_plan *plan;     /* optimised */
    const struct arus_physical *physical;
    struct arus_eval_env env;
};

/** CREATE STREAMING TABLE: one query with its own checkpoint. */
struct arus_stream_query {
    struct arus_text name;
    struct arus_place place;
    const struct arus_plan *resolved; /* before the optimiser */
    const struct arus_plan *plan;     /* optimised */
    const struct arus_physical *physical;
    const struct arus_sink_config *sink_config;
    const struct arus_sink *sink;
    const struct arus_source **sources; /* [physical->stream_count] by stream_index */
    struct arus_stream_properties properties;
    struct arus_session_settings settings;
    const struct arus_setting_entry
        *conf; /* all SET entries when the statement was read, newest of each key */
    size_t conf_count;
    struct arus_eval_env env; /* now_micros: set by each micro-batch */
};

enum arus_action_kind {
    ARUS_ACTION_NOTHING, /* the catalog has changed: table, view, setting */
    ARUS_ACTION_QUERY,   /* rows to show: SELECT, SHOW, DESCRIBE, SET key */
    ARUS_ACTION_EXPLAIN, /* text to show */
    ARUS_ACTION_STREAM   /* a streaming table */
};

struct arus_action {
    enum arus_action_kind kind;
    struct arus_place place;
    const struct arus_batch_query *query;
    const struct arus_stream_query *stream;
    struct arus_text text;
};

/** Warnings of one session, in order; each with its place, like errors. */
struct arus_warnings {
    struct arus_error *items; /* [count], in the catalog's arena */
    size_t count;
    size_t capacity;
};

/**
 * Reads one statement against the catalog and changes it. Call in the order of the text; a failed
 * statement leaves the catalog as it was, except that a table or view with an error is known as
 * broken (no second error about it). Errors: ARUS_BAD_CONFIG with Spark's condition and the place.
 */
ARUS_MUST_USE enum arus_status arus_plan_statement(struct arus_catalog *catalog,
                                                   const struct arus_ast_statement *statement,
                                                   struct arus_warnings *warnings,
                                                   struct arus_action *out, struct arus_error *err);

/** A query built by any front end. */
ARUS_MUST_USE enum arus_status arus_plan_query(struct arus_catalog *catalog,
                                               const struct arus_urel *query,
                                               const struct arus_batch_query **out,
                                               struct arus_error *err);

#endif
