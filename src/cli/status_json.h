/** `arus status --json`: one object a query. */
#ifndef ARUS_CLI_STATUS_JSON_H
#define ARUS_CLI_STATUS_JSON_H

#include "api/status.h"
#include "cli/place.h"

/** Partitions of a source that reads topics, and how many records they are behind; 0: it reads
 * none.
 */
void arus_status_partitions(const struct arus_query_summary *summary, size_t source, size_t *count,
                            uint64_t *behind);
/** Appends the object and a newline. */
ARUS_MUST_USE enum arus_status arus_status_json(const struct arus_checkpoint_place *place,
                                                const struct arus_checkpoint_status *status,
                                                struct arus_buffer *out, struct arus_error *err);

#endif
