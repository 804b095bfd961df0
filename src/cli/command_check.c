/** `arus check` and `arus explain`: pipelines without their data. */
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/opened.h"
#include "connector/location.h"

#include <stdio.h>

/* ---- one query in a line ---- */

static enum arus_status put_sources(const struct arus_stream_query *query, struct arus_buffer *out,
                                    struct arus_error *err)
{
    for (uint32_t i = 0; i < query->physical->stream_count; i++) {
        const struct arus_source *source = query->sources[i];

        ARUS_TRY(arus_buffer_printf(out, err, "%s%s", i == 0 ? "" : ", ",
                                    source->table->connector->name));
        if (source->location.size != 0) {
            ARUS_TRY(arus_buffer_append_char(out, ' ', err));
            ARUS_TRY(arus_location_show(source->location, source->path, out, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status put_sink(const struct arus_stream_query *query, struct arus_buffer *out,
                                 struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, " -> %s", query->sink_config->connector->name));
    return query->sink->location.size == 0
               ? ARUS_OK
               : arus_buffer_printf(out, err, " %.*s", ARUS_TEXT_ARGS(query->sink->location));
}

static const char *mode_name(enum arus_output_mode mode)
{
    static const char *const NAMES[] = {"append", "update", "complete"};

    return NAMES[mode];
}

static enum arus_status put_trigger(const struct arus_stream_properties *properties,
                                    struct arus_buffer *out, struct arus_error *err)
{
    char time[ARUS_HUMAN_SIZE];

    switch (properties->trigger) {
    case ARUS_TRIGGER_AVAILABLE_NOW:
        return arus_buffer_printf(out, err, "availableNow");
    case ARUS_TRIGGER_ONCE:
        return arus_buffer_printf(out, err, "once");
    case ARUS_TRIGGER_PROCESSING_TIME:
        break;
    }
    return properties->trigger_ms == 0
               ? arus_buffer_printf(out, err, "as it comes")
               : arus_buffer_printf(out, err, "every %s",
                                    arus_human_duration(properties->trigger_ms, time));
}

/* Does a gather keep rows of the stream from batch to batch? */
/* "no state", or what the stateful operators keep: "state: groups, keys" */
static enum arus_status put_state(const struct arus_physical *physical, struct arus_buffer *out,
                                  struct arus_error *err)
{
    static const char *const KEPT[] = {
        [ARUS_STATE_AGGREGATE] = "groups",    [ARUS_STATE_SESSION] = "sessions",
        [ARUS_STATE_DEDUP] = "keys",          [ARUS_STATE_DEDUP_WITHIN] = "keys",
        [ARUS_STATE_JOIN] = "rows of a join", [ARUS_STATE_LIMIT] = "a count",
    };

    if (physical->operator_count == 0) {
        return arus_buffer_printf(out, err, "no state");
    }
    for (uint32_t i = 0; i < physical->operator_count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "%s%s", i == 0 ? "state: " : ", ",
                                    KEPT[physical->operators[i]->kind]));
    }
    return ARUS_OK;
}

static enum arus_status put_query(const struct arus_stream_query *query, int name_width,
                                  struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "  %-*.*s   ", name_width, ARUS_TEXT_ARGS(query->name)));
    ARUS_TRY(put_sources(query, out, err));
    ARUS_TRY(put_sink(query, out, err));
    ARUS_TRY(arus_buffer_printf(out, err, "   %s, ", mode_name(query->properties.mode)));
    ARUS_TRY(put_trigger(&query->properties, out, err));
    ARUS_TRY(arus_buffer_printf(out, err, ", "));
    ARUS_TRY(put_state(query->physical, out, err));
    return arus_buffer_append_char(out, '\n', err);
}

static enum arus_status put_queries(const struct arus_opened *opened, struct arus_buffer *out,
                                    struct arus_error *err)
{
    size_t count;
    const struct arus_action *actions = arus_session_actions(opened->session, &count);
    size_t width = 0;

    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == ARUS_ACTION_STREAM && actions[i].stream->name.size > width) {
            width = actions[i].stream->name.size;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == ARUS_ACTION_STREAM) {
            ARUS_TRY(put_query(actions[i].stream, (int)width, out, err));
        }
    }
    return ARUS_OK;
}

/* ---- files ---- */

static enum arus_status open_file(struct arus_opened *opened, const struct arus_args *args,
                                  const char *operand)
{
    struct arus_error err;
    enum arus_status status;

    arus_opened_begin(opened, args);
    status = arus_sql_input_file(operand, &opened->input, &err);
    if (status != ARUS_OK) {
        arus_opened_fail(opened, arus_sql_input_name(&opened->input), &err);
        return status;
    }
    ARUS_TRY(arus_opened_session(opened, args, NULL));
    return arus_opened_read(opened);
}

enum arus_status arus_fail_nothing_to_run(struct arus_opened *opened)
{
    struct arus_error err;
    const enum arus_status status = arus_fail(&err, ARUS_BAD_CONFIG, "ARUS_NOTHING_TO_RUN",
                                              "nothing to run: no streaming table, no query");

    arus_opened_fail(opened, arus_sql_input_name(&opened->input), &err);
    return status;
}

static size_t action_count(const struct arus_opened *opened)
{
    size_t count;

    (void)arus_session_actions(opened->session, &count);
    return count;
}

/* "bad.sql: 2 errors, 1 warning", "004-events.sql: ok" */
static void say_findings(const struct arus_opened *opened)
{
    const struct arus_findings *findings = &opened->findings;
    char errors[ARUS_HUMAN_SIZE * 2];
    char warnings[ARUS_HUMAN_SIZE * 2];

    if (opened->is_quiet) {
        return;
    }
    (void)printf("%s: %s", arus_sql_input_name(&opened->input),
                 findings->error_count == 0
                     ? "ok"
                     : arus_human_noun(findings->error_count, "error", errors));
    if (findings->warning_count != 0) {
        (void)printf(", %s", arus_human_noun(findings->warning_count, "warning", warnings));
    }
    (void)putchar('\n');
}

static enum arus_status check_file(struct arus_opened *opened, const struct arus_args *args,
                                   const char *operand)
{
    struct arus_buffer out = {0};
    struct arus_error err;
    enum arus_status status = open_file(opened, args, operand);

    if (status != ARUS_OK) {
        if (opened->findings.error_count != 0) {
            say_findings(opened);
        }
        return status;
    }
    if (action_count(opened) == 0) {
        return arus_fail_nothing_to_run(opened);
    }
    say_findings(opened);
    status = put_queries(opened, &out, &err);
    if (status != ARUS_OK) {
        arus_opened_fail(opened, NULL, &err);
    } else if (!opened->is_quiet) {
        (void)printf("%.*s", ARUS_TEXT_ARGS(arus_buffer_text(&out)));
    }
    arus_buffer_release(&out);
    return status;
}

int arus_command_check(const struct arus_args *args)
{
    int code = ARUS_EXIT_DONE;

    for (int i = 0; i < args->operand_count; i++) {
        struct arus_opened opened;
        const int one = arus_exit_of(check_file(&opened, args, args->operands[i]));

        code = one > code ? one : code;
        arus_opened_release(&opened);
    }
    return code;
}

static enum arus_status explain_file(struct arus_opened *opened, const struct arus_args *args)
{
    struct arus_buffer out = {0};
    struct arus_error err;
    enum arus_status status = open_file(opened, args, args->operands[0]);
    const struct arus_action *actions;
    size_t count;

    if (status != ARUS_OK) {
        return status;
    }
    actions = arus_session_actions(opened->session, &count);
    for (size_t i = 0; i < count && status == ARUS_OK; i++) {
        status = actions[i].kind == ARUS_ACTION_EXPLAIN
                     ? arus_buffer_append_text(&out, actions[i].text, &err)
                     : arus_session_explain(&actions[i], args->verbosity > 1, &out, &err);
    }
    if (status != ARUS_OK) {
        arus_opened_fail(opened, NULL, &err);
    } else if (count == 0) {
        status = arus_fail_nothing_to_run(opened);
    } else {
        (void)printf("%.*s", ARUS_TEXT_ARGS(arus_buffer_text(&out)));
    }
    arus_buffer_release(&out);
    return status;
}

int arus_command_explain(const struct arus_args *args)
{
    struct arus_opened opened;
    const int code = arus_exit_of(explain_file(&opened, args));

    arus_opened_release(&opened);
    return code;
}
