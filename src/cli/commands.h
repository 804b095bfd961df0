/** The commands, one file each. All return the exit code and print their own errors. */
#ifndef ARUS_CLI_COMMANDS_H
#define ARUS_CLI_COMMANDS_H

#include "cli/command.h"
#include "cli/opened.h"

enum arus_exit {
    ARUS_EXIT_DONE = 0,
    ARUS_EXIT_FAILED = 1,
    ARUS_EXIT_USAGE = 2,
    ARUS_EXIT_MISMATCH = 3,
    ARUS_EXIT_STOPPED = 4
};

/** The exit code of a failure. */
int arus_exit_of(enum arus_status status);

int arus_command_explain(const struct arus_args *args);
int arus_command_check(const struct arus_args *args);
int arus_command_cat(const struct arus_args *args);
int arus_command_run(const struct arus_args *args);
int arus_command_status(const struct arus_args *args);
int arus_command_state(const struct arus_args *args);
int arus_command_rewind(const struct arus_args *args);
int arus_command_backup(const struct arus_args *args);
int arus_command_audit(const struct arus_args *args);
int arus_command_offsets(const struct arus_args *args);
int arus_command_topics(const struct arus_args *args);
int arus_command_sql(const struct arus_args *args);
int arus_command_help(const struct arus_args *args);
int arus_command_version(const struct arus_args *args);
/** Prints the rows of one batch in the form that the flags ask for. */
ARUS_MUST_USE enum arus_status arus_show_batch(struct arus_opened *opened,
                                               const struct arus_args *args,
                                               const struct arus_batch *batch,
                                               struct arus_error *err);
/** -b, or ARUS_KAFKA_BROKERS. Errors: neither is given. */
ARUS_MUST_USE enum arus_status arus_find_brokers(const struct arus_args *args, const char **out,
                                                 struct arus_error *err);
/** Prints ARUS_NOTHING_TO_RUN about the text read last. */
ARUS_MUST_USE enum arus_status arus_fail_nothing_to_run(struct arus_opened *opened);
/** `arus CMD -h` */
int arus_command_explain_itself(const struct arus_command *command);

#endif
