/** Running ahead: what exec.c and ahead.c know of each other. */
#ifndef ARUS_EXEC_AHEAD_H
#define ARUS_EXEC_AHEAD_H

#include "exec/exec_internal.h"

/* exec.c */

/** Static sides are looked at, gathers and counts made empty. */
ARUS_MUST_USE enum arus_status
arus_exec_begin(struct arus_exec *exec, const struct arus_exec_run *run, struct arus_error *err);
/** Finds out whether static stages have to run again: exec->is_static_ready. */
ARUS_MUST_USE enum arus_status arus_exec_look_at_static(struct arus_exec *exec,
                                                        struct arus_error *err);
/** Is what the gather holds still right, since it is static and unchanged? */
bool arus_exec_is_kept(const struct arus_exec *exec, uint32_t gather_index);

/* ahead.c */

/** Waits for what was begun ahead; if it is this run, says how many stages are done. Else 0: the
 * run begins anew. */
ARUS_MUST_USE enum arus_status arus_exec_take_ahead(struct arus_exec *exec,
                                                    const struct arus_exec_run *run,
                                                    uint32_t *stages_done, struct arus_error *err);
void arus_exec_close_ahead(struct arus_exec *exec);

#endif
