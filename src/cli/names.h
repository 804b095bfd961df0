/** Tables of a session and their columns, for completion. */
#ifndef ARUS_CLI_NAMES_H
#define ARUS_CLI_NAMES_H

#include "api/session.h"
#include "cli/complete.h"

/** Columns are asked for once a table and kept. */
struct arus_prompt_names;

ARUS_MUST_USE enum arus_status arus_names_open(struct arus_session *session,
                                               struct arus_prompt_names **out,
                                               struct arus_error *err);
const struct arus_complete_source *arus_names_source(const struct arus_prompt_names *names);
void arus_names_close(struct arus_prompt_names *names); /* accepts NULL */

#endif
