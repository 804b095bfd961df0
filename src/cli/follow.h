/** Rows of a streaming query on standard output, as they come: `arus cat --follow`. */
#ifndef ARUS_CLI_FOLLOW_H
#define ARUS_CLI_FOLLOW_H

#include "cli/opened.h"

/**
 * Runs `select`, a query over a stream of the session's tables, and prints a JSON line for each row
 * until a signal, -n rows, or until nobody reads them any more.
 */
ARUS_MUST_USE enum arus_status arus_follow(struct arus_opened *opened, const struct arus_args *args,
                                           const char *select, struct arus_error *err);

#endif
