/** `arus help` and `arus version`. */
#include "cli/commands.h"
#include "cli/diagnostic.h"
#include "cli/help.h"
#include "cli/version.h"
#include "format/cpu.h"

#include <jansson.h>
#include <lmdb.h>

#include <stdio.h>

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

static enum arus_status explain(const char *name, struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_command *command = arus_command_find(name);
    bool found;

    if (command != NULL) {
        return arus_help_command(command, out, err);
    }
    ARUS_TRY(arus_help_condition(name, out, &found, err));
    return found ? ARUS_OK
                 : arus_fail(err, ARUS_BAD_CONFIG, NULL, "nothing is known of `%s`", name);
}

int arus_command_help(const struct arus_args *args)
{
    const struct arus_flag_use *generate = arus_args_find(args, ARUS_FLAG_GENERATE);
    struct arus_buffer out = {0};
    struct arus_error err;

    if (generate != NULL) {
        return finish(arus_help_generate(generate->value, &err), &out, &err);
    }
    return finish(args->operand_count == 0 ? arus_help_overview(&out, &err)
                                           : explain(args->operands[0], &out, &err),
                  &out, &err);
}

int arus_command_version(const struct arus_args *args)
{
    (void)args;
    (void)printf("arus %s\nSpark SQL 4.3\n%s, jansson %s\nCPU: %s\n", ARUS_VERSION,
                 mdb_version(NULL, NULL, NULL), jansson_version_str(),
                 arus_cpu_detect() == ARUS_CPU_AVX2 ? "AVX2" : "portable");
    return ARUS_EXIT_DONE;
}
