/** The interactive prompt, and what it shares with `arus sql`. */
#ifndef ARUS_CLI_PROMPT_H
#define ARUS_CLI_PROMPT_H

#include "cli/opened.h"
#include "cli/result.h"

/** Reads statements from the terminal until Ctrl-D; no error ends it. */
ARUS_MUST_USE enum arus_status arus_prompt_run(struct arus_opened *opened,
                                               enum arus_result_form form);

/** Runs all queries of the text read last and prints their rows; errors are printed. */
ARUS_MUST_USE enum arus_status arus_show_actions(struct arus_opened *opened,
                                                 enum arus_result_form form);
/** Runs one query and prints its rows, then how many. */
ARUS_MUST_USE enum arus_status arus_show_query(struct arus_opened *opened,
                                               const struct arus_batch_query *query,
                                               enum arus_result_form form);

#endif
