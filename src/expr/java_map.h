/** The order in which Spark's hash maps give their keys: it decides among equals. */
#ifndef ARUS_EXPR_JAVA_MAP_H
#define ARUS_EXPR_JAVA_MAP_H

#include "column/vector.h"

/** The value with most `times` that comes first in a map of all values (different, none null, in
 * the order of arrival). */
ARUS_MUST_USE enum arus_status arus_java_map_most(const struct arus_vector *values,
                                                  const uint64_t *times, struct arus_arena *step,
                                                  uint32_t *out, struct arus_error *err);

#endif
