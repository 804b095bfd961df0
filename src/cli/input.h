/** What a command reads SQL from: a file, standard input, or the command line. */
#ifndef ARUS_CLI_INPUT_H
#define ARUS_CLI_INPUT_H

#include "base/file.h"
#include "base/text.h"

/** Zeroed = empty and releasable. */
struct arus_sql_input {
    struct arus_buffer text;
    struct arus_path path;   /* as the user wrote it, without :QUERY; empty: no file */
    struct arus_path folder; /* of the file, absolute; of no file: the current one */
    char query[256];         /* of FILE.sql:QUERY; empty: all */
};

/** Does the operand name a file rather than being SQL itself? `x.sql`, `x.sql:q`, or a file that is
 * there. */
bool arus_sql_input_is_file(const char *operand);
/**
 * Reads FILE.sql[:QUERY].
 * Errors: ARUS_BAD_CONFIG PATH_NOT_FOUND, with the nearest name in its folder.
 */
ARUS_MUST_USE enum arus_status arus_sql_input_file(const char *operand, struct arus_sql_input *out,
                                                   struct arus_error *err);
/** Reads standard input to its end. */
ARUS_MUST_USE enum arus_status arus_sql_input_stdin(struct arus_sql_input *out,
                                                    struct arus_error *err);
/** The operand is the SQL. */
ARUS_MUST_USE enum arus_status arus_sql_input_text(const char *text, struct arus_sql_input *out,
                                                   struct arus_error *err);
/** The file's name for messages; NULL: no file. */
const char *arus_sql_input_name(const struct arus_sql_input *input);
void arus_sql_input_release(struct arus_sql_input *input);

#endif
