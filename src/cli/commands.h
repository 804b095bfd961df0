/** The commands, one file each. All return the exit code and print their own errors. */
#ifndef ARUS_CLI_COMMANDS_H
#define ARUS_CLI_COMMANDS_H

#include "cli/command.h"

enum arus_exit {
    ARUS_EXIT_DONE = 0,
    ARUS_EXIT_FAILED = 1,
    ARUS_EXIT_USAGE = 2,
    ARUS_EXIT_MISMATCH = 3,
    ARUS_EXIT_STOPPED = 4
};

/** The exit code of a failure. */
int arus_exit_of(enum arus_status status);

int arus_command_sql(const struct arus_args *args);
int arus_command_help(const struct arus_args *args);
int arus_command_version(const struct arus_args *args);
/** `arus CMD -h` */
int arus_command_explain_itself(const struct arus_command *command);

#endif
