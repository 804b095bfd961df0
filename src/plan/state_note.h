/** Stateful operators in words: for EXPLAIN and warnings. */
#ifndef ARUS_PLAN_STATE_NOTE_H
#define ARUS_PLAN_STATE_NOTE_H

#include "plan/physical.h"

/** The operator of an optimised plan's node; NULL: it keeps nothing. */
const struct arus_state_operator *arus_state_find(const struct arus_physical *physical,
                                                  const struct arus_plan *plan);
/** Appends what is kept and until when: `state 0: a row a window, until watermark >= end`. */
ARUS_MUST_USE enum arus_status arus_state_note(const struct arus_state_operator *item,
                                               struct arus_buffer *out, struct arus_error *err);
/**
 * Fills `out` with ARUS_UNBOUNDED_STATE when the operator keeps something for ever that an event
 * time could bound: keys of duplicates, rows of joins, groups by time. False: it need not be said
 * (a group a device is kept for ever on purpose).
 */
bool arus_state_warning(const struct arus_state_operator *item, struct arus_error *out);

#endif
