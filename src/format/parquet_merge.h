/** mergeSchema: one schema of many. */
#ifndef ARUS_FORMAT_PARQUET_MERGE_H
#define ARUS_FORMAT_PARQUET_MERGE_H

#include "types/type.h"

/**
 * Spark's StructType.merge: the fields of `a`, then what only `b` has; names without case. Types
 * must be equal, but for the members of nested ones and the precision of decimals. The result
 * shares parts of both and lives in the arena. Errors: CANNOT_MERGE_SCHEMAS.
 */
ARUS_MUST_USE enum arus_status
arus_parquet_merge(const struct arus_type *a, const struct arus_type *b, struct arus_arena *arena,
                   const struct arus_type **out, struct arus_error *err);

#endif
