/** What the state of a query means: written into its checkpoint, compared at each start. */
#ifndef ARUS_PLAN_STATE_DIGEST_H
#define ARUS_PLAN_STATE_DIGEST_H

#include "plan/physical.h"

/**
 * Appends the digest: a line a fact, `operator TAB class TAB what TAB value`, first `arus-state 1`.
 *
 *     0  operator  kind         aggregate
 *     0  key       window size  10 minutes
 *     0  key       key 2        device STRING
 *     0  value     aggregate 1  count(1) BIGINT
 *     0  note      delay        10 minutes          not compared
 *
 * Values name the fields of the sources, so that a query may be written another way as long as its
 * state means the same. A query without state: the first line only.
 */
ARUS_MUST_USE enum arus_status arus_state_digest_write(const struct arus_physical *physical,
                                                       struct arus_buffer *out,
                                                       struct arus_error *err);
/**
 * Compares the digest in a checkpoint with the query. `checkpoint`: its name for messages.
 *
 * Errors: ARUS_MISMATCH at the clause that differs, with what was and what is:
 * STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY (the old query had no state),
 * STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA, STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE,
 * STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE as Spark; the last two also where Spark goes on with a
 * wrong meaning (other window size, other aggregate of the same type). A text that is no digest:
 * ARUS_MISMATCH.
 */
ARUS_MUST_USE enum arus_status arus_state_digest_check(const struct arus_physical *physical,
                                                       struct arus_text stored,
                                                       const char *checkpoint,
                                                       struct arus_error *err);

#endif
