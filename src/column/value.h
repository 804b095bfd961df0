/** One value of any type: a constant vector of one row. For literals, partition values, tests and
 * edges. */
#ifndef ARUS_COLUMN_VALUE_H
#define ARUS_COLUMN_VALUE_H

#include "column/vector.h"
#include "types/zone.h"

/** A CONSTANT vector of one value; `value` points at the type's c_type and is copied (views
 * deeply). */
ARUS_MUST_USE enum arus_status arus_value_make(const struct arus_type *type, const void *value,
                                               uint32_t row_count, struct arus_arena *arena,
                                               struct arus_vector *out, struct arus_error *err);
/**
 * The text of row i as consoles and tables show it: CAST(x AS STRING), but nulls are `NULL`, also
 * nested
 * (`[1, NULL]`, `{a -> 1}`, `{1, x}`), and BINARY is `[31 32 0A]`.
 */
ARUS_MUST_USE enum arus_status arus_value_text(const struct arus_vector *vector, uint32_t i,
                                               const struct arus_zone *zone,
                                               struct arus_buffer *out, struct arus_error *err);
/** The text of row i as CAST(x AS STRING) gives it: nested nulls are `null`, BINARY is its bytes. A
 * null at the top appends `null`: the caller looks at validity first. */
ARUS_MUST_USE enum arus_status arus_value_cast_text(const struct arus_vector *vector, uint32_t i,
                                                    const struct arus_zone *zone,
                                                    struct arus_buffer *out,
                                                    struct arus_error *err);

#endif
