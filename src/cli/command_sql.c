/** `arus sql`: queries over files and results. */
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/opened.h"
#include "cli/prompt.h"
#include "cli/result.h"

#include <stdio.h>
#include <unistd.h>

/* ---- showing ---- */

/* "no rows (device STRING), 2 ms", "3 rows, 4 ms" */
static void say_count(const struct arus_opened *opened, const struct arus_type *schema,
                      uint64_t count, int64_t micros)
{
    char time[ARUS_HUMAN_SIZE];
    char rows[ARUS_HUMAN_SIZE * 2];
    char after[ARUS_HUMAN_SIZE * 2] = "";
    struct arus_buffer ddl = {0};
    struct arus_error ignored;

    if (opened->is_quiet) {
        return;
    }
    if (!opened->hides_time) {
        (void)snprintf(after, sizeof after, ", %s",
                       arus_human_duration((micros + 999) / 1000, time));
    }
    if (count != 0) {
        (void)fprintf(stderr, "%s%s\n", arus_human_noun(count, "row", rows), after);
    } else if (arus_schema_ddl(schema, &ddl, &ignored) == ARUS_OK) {
        (void)fprintf(stderr, "no rows (%.*s)%s\n", ARUS_TEXT_ARGS(arus_buffer_text(&ddl)), after);
    }
    arus_buffer_release(&ddl);
}

enum arus_status arus_show_query(struct arus_opened *opened, const struct arus_batch_query *query,
                                 enum arus_result_form form)
{
    const int64_t begin = arus_clock_monotonic_us();
    struct arus_result *result;
    struct arus_error err;
    enum arus_status status =
        arus_result_open(form, query->physical->schema, arus_session_zone(opened->session),
                         &opened->output, UINT64_MAX, &result, &err);

    if (status == ARUS_OK) {
        status = arus_session_run_batch(opened->session, query, arus_result_write, result, &err);
    }
    if (status == ARUS_OK) {
        status = arus_result_finish(result, &err);
    }
    if (arus_result_is_left(result)) {
        status = ARUS_OK;
    } else if (status == ARUS_RETRY && opened->stop != 0) {
        (void)fputs("cancelled\n", stderr);
    } else if (status != ARUS_OK) {
        arus_opened_fail(opened, NULL, &err);
    } else if (form == ARUS_RESULT_TABLE || form == ARUS_RESULT_RECORDS) {
        say_count(opened, query->physical->schema, arus_result_count(result),
                  arus_clock_monotonic_us() - begin);
    }
    arus_result_close(result);
    return status;
}

/* The last query counts where rows go to a program. */
static bool is_skipped(const struct arus_action *actions, size_t count, size_t index,
                       enum arus_result_form form)
{
    for (size_t i = index + 1; i < count && form == ARUS_RESULT_ROWS; i++) {
        if (actions[i].kind == ARUS_ACTION_QUERY) {
            return true;
        }
    }
    return false;
}

enum arus_status arus_show_actions(struct arus_opened *opened, enum arus_result_form form)
{
    size_t count;
    const struct arus_action *actions = arus_session_actions(opened->session, &count);

    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == ARUS_ACTION_QUERY && !is_skipped(actions, count, i, form)) {
            ARUS_TRY(arus_show_query(opened, actions[i].query, form));
        } else if (actions[i].kind == ARUS_ACTION_EXPLAIN) {
            (void)printf("%.*s", ARUS_TEXT_ARGS(actions[i].text));
        }
    }
    return ARUS_OK;
}

/* ---- input ---- */

static bool is_blank(struct arus_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (strchr(" \t\r\n;", text.data[i]) == NULL || text.data[i] == '\0') {
            return false;
        }
    }
    return true;
}

/* A text without any statement, or without a query where one has to be answered. */
static enum arus_status check_not_empty(struct arus_opened *opened, enum arus_result_form form)
{
    struct arus_error err;
    size_t count;
    enum arus_status status;

    (void)arus_session_actions(opened->session, &count);
    if (!is_blank(arus_buffer_text(&opened->input.text)) &&
        (count != 0 || form != ARUS_RESULT_ROWS)) {
        return ARUS_OK;
    }
    status = arus_fail(&err, ARUS_BAD_CONFIG, "PARSE_EMPTY_STATEMENT", "no query");
    arus_opened_fail(opened, arus_sql_input_name(&opened->input), &err);
    return status;
}

static enum arus_status load(struct arus_opened *opened, const struct arus_args *args)
{
    const char *operand = args->operand_count == 0 ? "-" : args->operands[0];
    struct arus_error err;
    enum arus_status status;

    if (strcmp(operand, "-") == 0) {
        status = arus_sql_input_stdin(&opened->input, &err);
    } else if (arus_sql_input_is_file(operand)) {
        status = arus_sql_input_file(operand, &opened->input, &err);
    } else {
        status = arus_sql_input_text(operand, &opened->input, &err);
    }
    if (status != ARUS_OK) {
        arus_opened_fail(opened, arus_sql_input_name(&opened->input), &err);
    }
    return status;
}

/* -p FILE: its tables; its queries do not run. */
static enum arus_status read_pipeline(struct arus_opened *opened, const struct arus_args *args)
{
    const struct arus_flag_use *pipeline = arus_args_find(args, ARUS_FLAG_PIPELINE);
    struct arus_error err;
    enum arus_status status;

    if (pipeline == NULL) {
        return ARUS_OK;
    }
    status = arus_sql_input_file(pipeline->value, &opened->input, &err);
    if (status != ARUS_OK) {
        arus_opened_fail(opened, arus_sql_input_name(&opened->input), &err);
        return status;
    }
    ARUS_TRY(arus_opened_session(opened, args, NULL));
    ARUS_TRY(arus_opened_read(opened));
    arus_sql_input_release(&opened->input);
    return ARUS_OK;
}

static enum arus_status answer(struct arus_opened *opened, const struct arus_args *args)
{
    const enum arus_result_form form = arus_result_form(args);
    const bool is_interactive = args->operand_count == 0 && isatty(STDIN_FILENO) == 1;

    ARUS_TRY(read_pipeline(opened, args));
    if (is_interactive) {
        if (opened->session == NULL) {
            ARUS_TRY(arus_opened_session(opened, args, NULL));
        }
        return arus_prompt_run(opened, form);
    }
    ARUS_TRY(load(opened, args));
    if (opened->session == NULL) {
        ARUS_TRY(arus_opened_session(opened, args, NULL));
    }
    ARUS_TRY(arus_opened_read(opened));
    ARUS_TRY(check_not_empty(opened, form));
    return arus_show_actions(opened, form);
}

int arus_command_sql(const struct arus_args *args)
{
    struct arus_opened opened;
    int code;

    arus_opened_begin(&opened, args);
    code = arus_exit_of(answer(&opened, args));
    arus_opened_release(&opened);
    return code;
}
