/** What a streaming query may and may not do: Spark's checks, in Spark's order. */
#ifndef ARUS_PLAN_STREAMING_H
#define ARUS_PLAN_STREAMING_H

#include "plan/catalog.h"
#include "plan/logical.h"

/**
 * Checks a resolved query (before the optimiser) against an output mode.
 * Errors: ARUS_BAD_CONFIG: _LEGACY_ERROR_TEMP_3102, STREAMING_OUTPUT_MODE.*, … at the clause.
 */
ARUS_MUST_USE enum arus_status arus_streaming_check(const struct arus_plan *plan,
                                                    enum arus_output_mode mode,
                                                    struct arus_place name_place,
                                                    const struct arus_session_settings *settings,
                                                    struct arus_error *err);
/** The first clause that needs state between micro-batches, or NULL. */
const struct arus_plan *arus_streaming_stateful(const struct arus_plan *plan);
/** Its name: `GROUP BY`, `drop_duplicates`, ... */
const char *arus_streaming_clause(const struct arus_plan *plan);
/** Does the node keep state, limits aside? */
bool arus_streaming_is_stateful(const struct arus_plan *plan);

#endif
