/** The commands as a table: parsing, help, man pages and completions come from it. */
#ifndef ARUS_CLI_COMMAND_H
#define ARUS_CLI_COMMAND_H

#include "base/error.h"
#include "base/text.h"
#include "cli/terminal.h"

#include <stdbool.h>

#define ARUS_FLAGS_MAX 64 /* on one command line */

enum arus_flag_id {
    ARUS_FLAG_NONE, /* ends a table */
    ARUS_FLAG_HELP,
    ARUS_FLAG_QUIET,
    ARUS_FLAG_VERBOSE,
    ARUS_FLAG_COLOR,
    ARUS_FLAG_VERSION,
    ARUS_FLAG_JSON,
    ARUS_FLAG_CSV,
    ARUS_FLAG_ROWS,
    ARUS_FLAG_SET,
    ARUS_FLAG_AVAILABLE_NOW,
    ARUS_FLAG_PROGRESS,
    ARUS_FLAG_LOG,
    ARUS_FLAG_METRICS,
    ARUS_FLAG_THREADS,
    ARUS_FLAG_PIPELINE,
    ARUS_FLAG_COUNT,
    ARUS_FLAG_SCHEMA,
    ARUS_FLAG_WATCH,
    ARUS_FLAG_GENERATE,
    ARUS_FLAG_FAILPOINTS,
    ARUS_FLAG_BROKERS,
    ARUS_FLAG_FROM,
    ARUS_FLAG_FOLLOW,
    ARUS_FLAG_OPERATOR,
    ARUS_FLAG_KEY,
    ARUS_FLAG_TO_BATCH,
    ARUS_FLAG_DRY_RUN,
    ARUS_FLAG_LATE,
    ARUS_FLAG_REJECTS
};

enum arus_flag_value {
    ARUS_FLAG_SWITCH, /* none */
    ARUS_FLAG_TEXT,
    ARUS_FLAG_NUMBER, /* a whole number from 0 */
    ARUS_FLAG_FILE    /* a path, for completion */
};

struct arus_flag {
    enum arus_flag_id id;
    const char *name; /* "threads" for --threads; NULL: short only */
    char letter;      /* 'n' for -n; 0: none */
    enum arus_flag_value value;
    const char *argument; /* "N" in the help; NULL: none */
    const char *help;     /* one line, lower case */
    bool may_repeat;
    bool is_hidden;
};

struct arus_example {
    const char *text; /* what to type, without the prompt */
    const char *note; /* why, or NULL */
};

enum arus_command_id {
    ARUS_COMMAND_RUN,
    ARUS_COMMAND_CHECK,
    ARUS_COMMAND_EXPLAIN,
    ARUS_COMMAND_SQL,
    ARUS_COMMAND_CAT,
    ARUS_COMMAND_STATUS,
    ARUS_COMMAND_STATE,
    ARUS_COMMAND_REWIND,
    ARUS_COMMAND_BACKUP,
    ARUS_COMMAND_AUDIT,
    ARUS_COMMAND_OFFSETS,
    ARUS_COMMAND_TOPICS,
    ARUS_COMMAND_HELP,
    ARUS_COMMAND_VERSION,
    ARUS_COMMAND_COUNT
};

struct arus_command {
    enum arus_command_id id;
    const char *name;
    const char *operands; /* "FILE.sql[:QUERY]"; "" for none */
    const char *summary;  /* one line for the list: "runs every query of a pipeline" */
    const char *about;    /* one or two more lines, or NULL */
    const struct arus_example *examples; /* ends with a zeroed row */
    const struct arus_flag *flags;       /* own flags, ends with a zeroed row */
    const char *exits;                   /* "0 done, 2 wrong" */
    int operand_min;
    int operand_max;
    bool takes_files; /* operands are paths, for completion */
};

/** The commands in the order of the help. */
const struct arus_command *arus_commands(size_t *count);
/** -h -q -v --color, known to all. Ends with a zeroed row. */
const struct arus_flag *arus_common_flags(void);
/** NULL: no command of this name. */
const struct arus_command *arus_command_find(const char *name);

struct arus_flag_use {
    const struct arus_flag *flag;
    const char *value; /* NULL for a switch */
};

/** A command line that makes sense. Texts are those of argv. */
struct arus_args {
    const struct arus_command *command;
    struct arus_flag_use uses[ARUS_FLAGS_MAX];
    int use_count;
    char *const *operands;
    int operand_count;
    /* the common flags */
    bool wants_help;
    bool is_quiet;
    int verbosity; /* -v 1, -vv 2 */
    enum arus_color color;
};

/**
 * Reads a command line. No command at all: help. `argv` is reordered, operands last.
 *
 * Errors: ARUS_BAD_CONFIG for an unknown command or flag (with the nearest name), a missing or bad
 * value, too few or too many operands; out->command and out->color are set as far as they were
 * read.
 */
ARUS_MUST_USE enum arus_status arus_args_parse(int argc, char **argv, struct arus_args *out,
                                               struct arus_error *err);
/** The last use of a flag, or NULL. */
const struct arus_flag_use *arus_args_find(const struct arus_args *args, enum arus_flag_id id);
bool arus_args_has(const struct arus_args *args, enum arus_flag_id id);
/** Value of a NUMBER flag, or `otherwise`. */
uint64_t arus_args_number(const struct arus_args *args, enum arus_flag_id id, uint64_t otherwise);

#endif
