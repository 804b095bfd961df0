/** `arus run --metrics`: /metrics, /progress, /healthz, /readyz of a run. */
#ifndef ARUS_CLI_SERVE_H
#define ARUS_CLI_SERVE_H

#include "cli/run.h"

/** Serves while the queries are open; says where on stderr unless quiet. Without --metrics:
 * nothing. */
ARUS_MUST_USE enum arus_status arus_serve_begin(struct arus_run *run, const struct arus_args *args,
                                                struct arus_error *err);
/** Before the queries are closed. */
void arus_serve_end(struct arus_run *run);

#endif
