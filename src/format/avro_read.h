/** Avro values read: the writer's schema meets the reader's columns, or the reader's schema. */
#ifndef ARUS_FORMAT_AVRO_READ_H
#define ARUS_FORMAT_AVRO_READ_H

#include "column/builder.h"
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
 * By the rules of Avro's own library, as Spark uses it: fields meet by name, or by an alias of the
 * reader's field; what the writer lacks is the reader's default; an enum's symbols meet by name, an
 * unknown one is the reader's default symbol; a union of the reader takes the first branch of the
 * writer's kind, else the first that it may be promoted to. The values are of reader->type.
 * `writer`, `reader` outlive the plan.
 *
 * Errors: ARUS_BAD_CONFIG, MALFORMED_AVRO_MESSAGE: no value at all could be read. Where only some
 * could not (in branches, items), reading fails.
 */
ARUS_MUST_USE enum arus_status arus_avro_plan_resolve(const struct arus_avro *writer,
                                                      const struct arus_avro *reader,
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
/** As arus_avro_plan_read, but `bytes` may go on: they are moved behind the value. */
ARUS_MUST_USE enum arus_status arus_avro_plan_take(const struct arus_avro_plan *plan,
                                                   struct arus_text *bytes,
                                                   struct arus_builder *builder,
                                                   struct arus_error *err);

#endif
