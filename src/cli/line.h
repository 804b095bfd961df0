/** Lines from a person at a terminal: editing, history, completion (libedit). Elsewhere plain lines
 * from standard input. */
#ifndef ARUS_CLI_LINE_H
#define ARUS_CLI_LINE_H

#include "cli/complete.h"

enum arus_line_end {
    ARUS_LINE_GIVEN,
    ARUS_LINE_CANCELLED, /* Ctrl-C: nothing of it counts */
    ARUS_LINE_ENDED      /* Ctrl-D, the end of the input */
};

/** Opaque. Its keys: emacs's, or what ~/.editrc says. */
struct arus_line_reader;

/**
 * `is_edited` false: no editing, no history, no completion, but the prompt all the same.
 *
 * Reads the history of earlier sessions; a history that cannot be read is empty. `source` outlives
 * the reader.
 */
ARUS_MUST_USE enum arus_status arus_line_open(bool is_edited,
                                              const struct arus_complete_source *source,
                                              struct arus_line_reader **out,
                                              struct arus_error *err);
/**
 * Reads one line, without its newline; `*out` lives until the next call. `before`: the lines of the
 * statement that were typed already, for completion.
 */
ARUS_MUST_USE enum arus_status arus_line_read(struct arus_line_reader *reader, const char *prompt,
                                              struct arus_text before, struct arus_text *out,
                                              enum arus_line_end *end, struct arus_error *err);
/** A whole statement for the history, written to its file at once. */
void arus_line_remember(struct arus_line_reader *reader, struct arus_text statement);
void arus_line_close(struct arus_line_reader *reader); /* accepts NULL */

#endif
