/** The thread beside the queries of `arus run`: live lines, log lines, signals that ask for a word.
 */
#ifndef ARUS_CLI_WATCH_H
#define ARUS_CLI_WATCH_H

#include "cli/run.h"

/** Starts the thread; the queries are open. Without one the run goes on, only silently. */
void arus_watch_begin(struct arus_run *run);
/** Ends it and takes the live lines off the screen; the queries are still open. */
void arus_watch_end(struct arus_run *run);

#endif
