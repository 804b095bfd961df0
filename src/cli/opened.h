/** A session with a text read into it, and what was wrong with the text already printed. */
#ifndef ARUS_CLI_OPENED_H
#define ARUS_CLI_OPENED_H

#include "api/session.h"
#include "cli/command.h"
#include "cli/diagnostic.h"
#include "cli/input.h"

#define ARUS_SETS_MAX 64

/** Zeroed = empty and releasable. */
struct arus_opened {
    struct arus_session *session;
    struct arus_sql_input input;             /* the text read last */
    struct arus_setting sets[ARUS_SETS_MAX]; /* --set, as views into argv */
    struct arus_diagnostic_style style;      /* for errors of the text read last */
    struct arus_terminal errors;             /* standard error */
    struct arus_terminal output;             /* standard output */
    struct arus_findings findings;
    bool is_quiet;
    bool hides_time;             /* \timing of the prompt */
    volatile int stop;           /* not 0: the query that runs is to end */
    struct arus_printer printer; /* of console sinks; zeroed: standard output */
};

/** Fills the terminals and the style; no session yet. */
void arus_opened_begin(struct arus_opened *opened, const struct arus_args *args);
/** Opens a session in the folder of the input. Errors are printed. */
ARUS_MUST_USE enum arus_status arus_opened_session(struct arus_opened *opened,
                                                   const struct arus_args *args,
                                                   const struct arus_logger *logger);
/** Reads opened->input; prints errors and warnings. */
ARUS_MUST_USE enum arus_status arus_opened_read(struct arus_opened *opened);
/** Prints one error about the text, or about `subject` when it has no place. */
void arus_opened_fail(struct arus_opened *opened, const char *subject,
                      const struct arus_error *err);
void arus_opened_release(struct arus_opened *opened);

#endif
