/** Looking at checkpoints and sinks from outside, also while a query runs on them: nothing is
 * locked or changed. */
#ifndef ARUS_API_STATUS_H
#define ARUS_API_STATUS_H

#include "base/arena.h"
#include "base/error.h"
#include "journal/backup.h"
#include "stream/rewind.h"
#include "stream/summary.h"

#include <stdbool.h>
#include <stdint.h>

struct arus_checkpoint_status {
    bool exists; /* false: no batch yet */
    char id[37];
    bool is_running;
    int64_t pid;              /* of the running process */
    int64_t last_run_ms;      /* wall clock: when the newest run began; 0: unknown */
    int64_t newest_published; /* -1: none */
    int64_t newest_prepared;
    int64_t oldest_retained;
    bool is_stateful;
    struct arus_query_summary summary; /* of the newest batch; texts empty where Spark wrote it */
};

/**
 * `folder`: absolute. A folder that is not there, or empty, gives exists = false.
 * Errors: ARUS_MISMATCH ARUS_NOT_A_CHECKPOINT: a sink, or something else; damage.
 */
ARUS_MUST_USE enum arus_status arus_status_read(const char *folder, struct arus_arena *arena,
                                                struct arus_checkpoint_status *out,
                                                struct arus_error *err);

/** The form of a sink folder. */
struct arus_sink_status {
    bool is_empty;           /* no file yet: nothing to show */
    struct arus_text format; /* json, csv, text, parquet, by the names of its files */
};

/** Errors: ARUS_MISMATCH ARUS_NOT_A_SINK: a checkpoint (the message names its sink);
 * BATCH_METADATA_NOT_FOUND. */
ARUS_MUST_USE enum arus_status arus_sink_read(const char *folder, const char *shown,
                                              struct arus_arena *arena,
                                              struct arus_sink_status *out, struct arus_error *err);

#endif
