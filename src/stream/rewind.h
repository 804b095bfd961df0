/** `arus rewind`: a query goes back to an earlier batch, its sink's files too. */
#ifndef ARUS_STREAM_REWIND_H
#define ARUS_STREAM_REWIND_H

#include "base/arena.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>

enum arus_rewind_mode { ARUS_REWIND_LOOK, ARUS_REWIND_DO };

/** What is, or would be, taken back. */
struct arus_rewind_report {
    int64_t batch_count;
    uint64_t file_count; /* that sources read again */
    uint64_t row_count;  /* of the sink */
    bool has_rows;       /* row_count is known: arus made those batches */
};

/**
 * `folder`: a checkpoint, absolute, that exists.
 *
 * Errors: ARUS_BAD_CONFIG ARUS_NO_SUCH_BATCH: what can be chosen; ARUS_MISMATCH: in use;
 * ARUS_REWIND_REFUSED: a sink that cannot take rows back, input that is gone.
 */
ARUS_MUST_USE enum arus_status arus_query_rewind(const char *folder, const char *shown, int64_t to,
                                                 enum arus_rewind_mode mode,
                                                 const struct arus_logger *logger,
                                                 struct arus_rewind_report *out,
                                                 struct arus_error *err);

#endif
