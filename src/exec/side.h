/** Rows that a run sets aside for the side tables of its query: connector/side.h. */
#ifndef ARUS_EXEC_SIDE_H
#define ARUS_EXEC_SIDE_H

#include "exec/exec_internal.h"

struct arus_json_encoder;

/** What one worker has set aside and not handed on yet; one for each side. */
struct arus_side_rows {
    struct arus_builder columns[ARUS_SIDE_COLUMN_COUNT];
    struct arus_arena heap; /* behind the views */
    bool is_open;
};

/** Is somebody there who takes these rows? */
static inline bool arus_side_is_on(const struct arus_exec *exec, enum arus_side side)
{
    return exec->run != NULL && exec->run->side != NULL && exec->run->side->is_on[side];
}

/** A lane's scan was opened: bad records are set aside, and places of rows known. */
void arus_side_watch(struct arus_lane *lane);
/** `times` are event times of the rows of a WATERMARK step, which is at hand. */
ARUS_MUST_USE enum arus_status arus_side_note_times(struct arus_lane *lane, const int64_t *times,
                                                    uint32_t row_count, struct arus_error *err);
/**
 * Sets rows[0..count) of the batch that the stage's source gave aside as late, rising. `times`:
 * event times of the same rows, used where no WATERMARK step was passed; NULL: unknown.
 * `is_kept`: in part they were not late.
 */
ARUS_MUST_USE enum arus_status arus_side_late(struct arus_lane *lane, const uint32_t *rows,
                                              uint32_t count, const int64_t *times, bool is_kept,
                                              struct arus_error *err);
/** Makes ready for a run: what stages need to write rows as text. */
ARUS_MUST_USE enum arus_status arus_side_begin(struct arus_exec *exec, struct arus_error *err);
/** Hands on all that is left. */
ARUS_MUST_USE enum arus_status arus_side_end(struct arus_exec *exec, struct arus_error *err);
void arus_side_close(struct arus_exec *exec);

#endif
