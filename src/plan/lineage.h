/** Where columns come from: their texts in terms of the sources, whatever the names in between. */
#ifndef ARUS_PLAN_LINEAGE_H
#define ARUS_PLAN_LINEAGE_H

#include "plan/logical.h"

/** The window that column `column` of `plan` holds, found through projections and filters; NULL:
 * it is none. */
const struct arus_time_window *arus_lineage_window(const struct arus_plan *plan, uint32_t column);
/**
 * The text of an expression over the columns of `plan`, with each column replaced by what it was
 * made from, down to the fields of the sources. A field of the second, third .. stream of the query
 * has its number in front: `1.k`. Lives in the arena.
 */
ARUS_MUST_USE enum arus_status arus_lineage_text(const struct arus_plan *plan,
                                                 const struct arus_expr *expr,
                                                 struct arus_arena *arena, struct arus_text *out,
                                                 struct arus_error *err);
/** The same for a column. */
ARUS_MUST_USE enum arus_status arus_lineage_column(const struct arus_plan *plan, uint32_t column,
                                                   struct arus_arena *arena, struct arus_text *out,
                                                   struct arus_error *err);
/** A length of time as one writes it: `10 minutes`, `1 hour`, `90 seconds`. */
ARUS_MUST_USE enum arus_status arus_duration_text(int64_t micros, struct arus_arena *arena,
                                                  struct arus_text *out, struct arus_error *err);

#endif
