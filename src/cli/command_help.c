/** `arus help` and `arus version`. */
#include "api/reference.h"
#include "base/failpoint.h"
#include "cli/commands.h"
#include "cli/diagnostic.h"
#include "cli/help.h"
#include "cli/human.h"
#include "cli/version.h"
#include "connector/connector.h"
#include "format/cpu.h"

#include <jansson.h>
#include <lmdb.h>

#include <stdio.h>
#include <strings.h>

int arus_exit_of(enum arus_status status)
{
    switch (status) {
    case ARUS_OK:
        return ARUS_EXIT_DONE;
    case ARUS_BAD_CONFIG:
        return ARUS_EXIT_USAGE;
    case ARUS_MISMATCH:
        return ARUS_EXIT_MISMATCH;
    case ARUS_RETRY:
    case ARUS_BAD_DATA:
    case ARUS_NO_MEMORY:
    case ARUS_FATAL:
        break;
    }
    return ARUS_EXIT_FAILED;
}

/* Prints what was made, or says why not. */
static int finish(enum arus_status status, struct arus_buffer *out, const struct arus_error *err)
{
    if (status == ARUS_OK) {
        (void)fprintf(stdout, "%.*s", ARUS_TEXT_ARGS(arus_buffer_text(out)));
    } else {
        arus_diagnostic_print(&(struct arus_diagnostic_style){0}, ARUS_SEVERITY_ERROR, err);
    }
    arus_buffer_release(out);
    return arus_exit_of(status);
}

int arus_command_explain_itself(const struct arus_command *command)
{
    struct arus_buffer out = {0};
    struct arus_error err;
    const bool is_overview = command->id == ARUS_COMMAND_HELP;

    return finish(is_overview ? arus_help_overview(&out, &err)
                              : arus_help_command(command, &out, &err),
                  &out, &err);
}

/* ---- functions and formats ---- */

static enum arus_status explain_function(const struct arus_function_page *page,
                                         struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "%s    %s\n",
                                page->signature == NULL ? page->name : page->signature,
                                page->help == NULL ? "" : page->help));
    return page->example == NULL ? ARUS_OK
                                 : arus_buffer_printf(out, err, "  %s  ->  %s\n", page->example,
                                                      page->result == NULL ? "NULL" : page->result);
}

static enum arus_status put_option(const struct arus_option *option, struct arus_buffer *out,
                                   struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "  %-32s %s", option->name,
                                option->help == NULL ? "" : option->help));
    if (option->default_text != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, " ("));
        ARUS_TRY(arus_human_escape(arus_text_of(option->default_text), out, err));
        ARUS_TRY(arus_buffer_append_char(out, ')', err));
    }
    return arus_buffer_append_char(out, '\n', err);
}

static enum arus_status put_options(const struct arus_connector *connector,
                                    enum arus_connector_side side, struct arus_buffer *out,
                                    struct arus_error *err)
{
    const struct arus_option *tables[ARUS_OPTION_TABLES_MAX] = {NULL};

    connector->options(connector, side, tables);
    for (size_t i = 0; i < ARUS_OPTION_TABLES_MAX && tables[i] != NULL; i++) {
        for (const struct arus_option *option = tables[i]; option->name != NULL; option++) {
            if (option->kind != ARUS_OPTION_IGNORED) {
                ARUS_TRY(put_option(option, out, err));
            }
        }
    }
    return ARUS_OK;
}

static enum arus_status explain_connector(const struct arus_connector *connector,
                                          struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "%s    %s\n", connector->name, connector->summary));
    if (connector->source != NULL && connector->options != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, "\nread: CREATE TABLE t (..) USING %s OPTIONS (..)\n",
                                    connector->name));
        ARUS_TRY(put_options(connector, ARUS_SOURCE_SIDE, out, err));
    }
    if (connector->sink != NULL && connector->options != NULL) {
        ARUS_TRY(arus_buffer_printf(
            out, err, "\nwrite: CREATE STREAMING TABLE t USING %s TBLPROPERTIES (..)\n",
            connector->name));
        ARUS_TRY(put_options(connector, ARUS_SINK_SIDE, out, err));
    }
    return ARUS_OK;
}

/* TBLPROPERTIES of every streaming table: all, or one. False: no such name. */
static enum arus_status explain_property(const char *name, struct arus_buffer *out, bool *found,
                                         struct arus_error *err)
{
    const bool is_all = strcasecmp(name, "tblproperties") == 0;

    *found = is_all;
    for (const struct arus_option *option = arus_reference_properties(); option->name != NULL;
         option++) {
        if (is_all || strcasecmp(name, option->name) == 0) {
            *found = true;
            ARUS_TRY(put_option(option, out, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status fail_unknown(const char *name, struct arus_error *err)
{
    const struct arus_text near = arus_reference_suggest(arus_text_of(name));

    return near.size == 0 ? arus_fail(err, ARUS_BAD_CONFIG, NULL, "nothing is known of %s", name)
                          : arus_fail(err, ARUS_BAD_CONFIG, "UNRESOLVED_ROUTINE",
                                      "Spark SQL has no %s; see %.*s", name, ARUS_TEXT_ARGS(near));
}

static enum arus_status explain(const char *name, struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_command *command = arus_command_find(name);
    const struct arus_connector *connector = arus_connector_find(arus_text_of(name));
    struct arus_function_page page;
    bool found;

    if (command != NULL) {
        return arus_help_command(command, out, err);
    }
    if (connector != NULL) {
        return explain_connector(connector, out, err);
    }
    if (arus_reference_function(arus_text_of(name), &page)) {
        return explain_function(&page, out, err);
    }
    ARUS_TRY(explain_property(name, out, &found, err));
    if (found) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_help_condition(name, out, &found, err));
    return found ? ARUS_OK : fail_unknown(name, err);
}

/* For the crash tests: every place where ARUS_FAILPOINT=NAME[:BATCH] kills the process,
 * ARUS_PAUSEPOINT stops it. */
static int list_failpoints(void)
{
    for (int point = 0; point < ARUS_FAILPOINT_COUNT; point++) {
        (void)printf("%-40s %s\n", arus_failpoint_name((enum arus_failpoint)point),
                     arus_failpoint_meaning((enum arus_failpoint)point));
    }
    return ARUS_EXIT_DONE;
}

int arus_command_help(const struct arus_args *args)
{
    const struct arus_flag_use *generate = arus_args_find(args, ARUS_FLAG_GENERATE);
    struct arus_buffer out = {0};
    struct arus_error err;

    if (generate != NULL) {
        return finish(arus_help_generate(generate->value, &err), &out, &err);
    }
    if (arus_args_has(args, ARUS_FLAG_FAILPOINTS)) {
        return list_failpoints();
    }
    return finish(args->operand_count == 0 ? arus_help_overview(&out, &err)
                                           : explain(args->operands[0], &out, &err),
                  &out, &err);
}

int arus_command_version(const struct arus_args *args)
{
    char library[64];
    struct arus_error err;

    (void)printf("arus %s\nSpark SQL 4.3\n%s, jansson %s\nCPU: %s\n", ARUS_VERSION,
                 mdb_version(NULL, NULL, NULL), jansson_version_str(),
                 arus_cpu_detect() == ARUS_CPU_AVX2 ? "AVX2" : "portable");
    if (args->verbosity == 0) {
        return ARUS_EXIT_DONE;
    }
    for (const struct arus_connector *item = ARUS_CONNECTORS; item->name != NULL; item++) {
        if (item->library != NULL) {
            (void)printf("%s: %s\n", item->name,
                         item->library(library, &err) == ARUS_OK ? library : err.message);
        }
    }
    return ARUS_EXIT_DONE;
}
