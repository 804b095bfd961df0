/** The state of a query as a table: who can read it, offered to connectors by the session. */
#ifndef ARUS_CONNECTOR_STATE_READER_H
#define ARUS_CONNECTOR_STATE_READER_H

#include "connector/memory.h"

enum arus_state_side { ARUS_STATE_SIDE_NONE, ARUS_STATE_SIDE_LEFT, ARUS_STATE_SIDE_RIGHT };

/** Which state; the names of Spark's options of its state data source. */
struct arus_state_wanted {
    const char *folder; /* the checkpoint, absolute */
    const char *shown;  /* as written */
    const char
        *pipeline; /* absolute path of the .sql file; NULL: the one that the checkpoint names */
    int64_t operator_id;
    int64_t batch_id; /* -1: the newest that is published */
    enum arus_state_side side;
};

struct arus_state_reader {
    /** The columns, in the arena. Loads no state.
     * Errors: ARUS_MISMATCH, ARUS_BAD_CONFIG: no checkpoint, no state, no such operator or batch.
     */
    enum arus_status (*describe)(const struct arus_state_wanted *wanted, struct arus_arena *arena,
                                 const struct arus_type **out, struct arus_error *err);
    /** All rows, as they were after one batch; also while the query runs. The caller drops them. */
    enum arus_status (*read)(const struct arus_state_wanted *wanted, struct arus_chunk_rows **out,
                             struct arus_error *err);
};

#endif
