/** Command lines to commands, failures to exit codes. */
#include "cli/dispatch.h"

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/diagnostic.h"
#include "cli/help.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES_WANTED 65536

typedef int (*command_fn)(const struct arus_args *args);

static const struct {
    enum arus_command_id id;
    command_fn run;
} COMMANDS[] = {
    {ARUS_COMMAND_RUN, arus_command_run},         {ARUS_COMMAND_CHECK, arus_command_check},
    {ARUS_COMMAND_EXPLAIN, arus_command_explain}, {ARUS_COMMAND_SQL, arus_command_sql},
    {ARUS_COMMAND_CAT, arus_command_cat},         {ARUS_COMMAND_STATUS, arus_command_status},
    {ARUS_COMMAND_AUDIT, arus_command_audit},     {ARUS_COMMAND_BACKUP, arus_command_backup},
    {ARUS_COMMAND_REWIND, arus_command_rewind},   {ARUS_COMMAND_STATE, arus_command_state},
    {ARUS_COMMAND_OFFSETS, arus_command_offsets}, {ARUS_COMMAND_TOPICS, arus_command_topics},
    {ARUS_COMMAND_HELP, arus_command_help},       {ARUS_COMMAND_VERSION, arus_command_version},
};

static int run_command(const struct arus_args *args)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        if (COMMANDS[i].id == args->command->id) {
            return COMMANDS[i].run(args);
        }
    }
    (void)fprintf(stderr, "arus: error: %s is not in this build\n", args->command->name);
    return ARUS_EXIT_USAGE;
}

/* A partitioned sink keeps hundreds of files open a thread; the usual soft limit is 1024. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FILES_WANTED) {
        limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
        (void)setrlimit(RLIMIT_NOFILE, &limit); /* what cannot be raised stays */
    }
}

int arus_dispatch(int argc, char **argv)
{
    const struct arus_terminal_environment environment = arus_terminal_environment();
    struct arus_args args;
    struct arus_error err;
    struct arus_terminal terminal;

    if (arus_args_parse(argc, argv, &args, &err) != ARUS_OK) {
        terminal = arus_terminal_of(STDERR_FILENO, args.color, &environment);
        arus_diagnostic_print(&(struct arus_diagnostic_style){.has_color = terminal.has_color},
                              ARUS_SEVERITY_ERROR, &err);
        return ARUS_EXIT_USAGE;
    }
    if (args.wants_help) {
        return arus_command_explain_itself(args.command);
    }
    raise_file_limit();
    return run_command(&args);
}
