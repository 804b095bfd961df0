/** Rows as JSON lines, for in-memory tables. */
#ifndef ARUS_API_JSON_ROWS_H
#define ARUS_API_JSON_ROWS_H

#include "connector/memory.h"
#include "types/zone.h"

/**
 * Reads JSON objects, one a line, as rows of `schema`, as a json source in FAILFAST mode does.
 * Errors: ARUS_BAD_DATA MALFORMED_RECORD_IN_PARSING.*: nothing was made.
 */
ARUS_MUST_USE enum arus_status
arus_json_rows_read(const struct arus_type *schema, const struct arus_zone *zone,
                    struct arus_text lines, struct arus_chunk_rows **out, struct arus_error *err);

#endif
