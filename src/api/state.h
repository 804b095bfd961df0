/** Looking at the state of a query, from its checkpoint and its pipeline; also while it runs:
 * nothing is locked or changed, and the journal's snapshot is held only while it is loaded. */
#ifndef ARUS_API_STATE_H
#define ARUS_API_STATE_H

#include "connector/state_reader.h"

/** What sessions offer to USING statestore. */
extern const struct arus_state_reader ARUS_STATE_READER;

#endif
