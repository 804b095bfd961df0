/** What stateful operators keep, as rows: for people who look at the state of a query. */
#ifndef ARUS_EXEC_STATE_ROWS_H
#define ARUS_EXEC_STATE_ROWS_H

#include "exec/exec.h"

/** Columns of state rows, in this order; names as Spark's state data source, ours last. */
enum arus_state_column {
    ARUS_STATE_ROW_KEY,       /* STRUCT: what entries are found by; no field: there is one entry */
    ARUS_STATE_ROW_VALUE,     /* STRUCT: results so far, or the stored row */
    ARUS_STATE_ROW_PARTITION, /* INT: partition_id */
    ARUS_STATE_ROW_LEAVES,    /* TIMESTAMP: leaves_at, the watermark that lets it go; null: never */
    ARUS_STATE_ROW_COLUMN_COUNT
};

/**
 * Makes ready for looking at state only: sources are not opened, nothing can run.
 * arus_exec_load_state loads what is then looked at.
 */
ARUS_MUST_USE enum arus_status arus_exec_open_state(const struct arus_physical *physical,
                                                    const struct arus_eval_env *env,
                                                    uint32_t thread_count, struct arus_exec **out,
                                                    struct arus_error *err);
/** The STRUCT of the rows of operator `id`; `side`: of a JOIN 0 left, 1 right, else 0. In the
 * arena. */
ARUS_MUST_USE enum arus_status arus_exec_state_type(const struct arus_exec *exec, uint32_t id,
                                                    uint32_t side, struct arus_arena *arena,
                                                    const struct arus_type **out,
                                                    struct arus_error *err);
/** Hands over all rows, at most ARUS_BATCH_ROWS at a time; a batch lives for the call. */
ARUS_MUST_USE enum arus_status arus_exec_state_each(
    struct arus_exec *exec, uint32_t id, uint32_t side, const struct arus_type *type,
    enum arus_status (*write)(void *self, const struct arus_batch *batch, struct arus_error *err),
    void *self, struct arus_error *err);

#endif
