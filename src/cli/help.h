/** Texts made from the table of commands. All append to `out`. */
#ifndef ARUS_CLI_HELP_H
#define ARUS_CLI_HELP_H

#include "cli/command.h"

/** The list of commands: what `arus` alone prints. */
ARUS_MUST_USE enum arus_status arus_help_overview(struct arus_buffer *out, struct arus_error *err);
/** What `arus CMD -h` prints: at most 24 lines. */
ARUS_MUST_USE enum arus_status arus_help_command(const struct arus_command *command,
                                                 struct arus_buffer *out, struct arus_error *err);
/** The page of an error condition; false in *found: none of this name. */
ARUS_MUST_USE enum arus_status arus_help_condition(const char *name, struct arus_buffer *out,
                                                   bool *found, struct arus_error *err);

/** arus(1), and arus-CMD(1) of one command. */
ARUS_MUST_USE enum arus_status arus_manual_overview(struct arus_buffer *out,
                                                    struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_manual_command(const struct arus_command *command,
                                                   struct arus_buffer *out, struct arus_error *err);

ARUS_MUST_USE enum arus_status arus_completion_bash(struct arus_buffer *out,
                                                    struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_completion_zsh(struct arus_buffer *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_completion_fish(struct arus_buffer *out,
                                                    struct arus_error *err);

/** Pages of docs/reference, in Markdown. */
ARUS_MUST_USE enum arus_status arus_page_commands(struct arus_buffer *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_page_options(struct arus_buffer *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_page_functions(struct arus_buffer *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_page_errors(struct arus_buffer *out, struct arus_error *err);

/** Writes reference/commands.md .., man1/arus.1 .., completions/arus.bash, _arus, arus.fish into
 * `folder`, making it if need be. */
ARUS_MUST_USE enum arus_status arus_help_generate(const char *folder, struct arus_error *err);

#endif
