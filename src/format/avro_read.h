/** Avro records read into columns of another shape: the writer's schema meets the reader's columns.
 */
#ifndef ARUS_FORMAT_AVRO_READ_H
#define ARUS_FORMAT_AVRO_READ_H

#include "format/avro.h"

/** How values of a writer's schema become values of a type. Immutable; lives in an arena. */
struct arus_avro_plan;

/**
 * By Avro's rules of schema resolution: fields meet by name, what the writer lacks is null, what
 * the reader lacks is skipped; int may become long, float or double, long float or double, float
 * double, string and bytes each other; unions with null are nullable. `writer` and `type` outlive
 * the plan.
 *
 * Errors: ARUS_BAD_CONFIG: `path` of the field and both types.
 */
ARUS_MUST_USE enum arus_status arus_avro_plan_make(const struct arus_avro *writer,
                                                   const struct arus_type *type,
                                                   struct arus_arena *arena,
                                                   const struct arus_avro_plan **out,
                                                   struct arus_error *err);
/**
 * Appends one value to a builder of the plan's type. Texts are views of `bytes`. Errors:
 * ARUS_BAD_DATA: malformed, or bytes are left; the builder may hold half a value then.
 */
ARUS_MUST_USE enum arus_status arus_avro_plan_read(const struct arus_avro_plan *plan,
                                                   struct arus_text bytes,
                                                   struct arus_builder *builder,
                                                   struct arus_error *err);

#endif
