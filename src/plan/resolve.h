/** Resolution: unresolved relations become plans. */
#ifndef ARUS_PLAN_RESOLVE_H
#define ARUS_PLAN_RESOLVE_H

#include "plan/catalog.h"
#include "plan/logical.h"

/**
 * Resolves a query. Column names of the result stand in its schema. `stream_count` counts the
 * streaming scans, which are numbered in the order of the text.
 *
 * Errors: ARUS_BAD_CONFIG with Spark's condition, at its place.
 */
ARUS_MUST_USE enum arus_status arus_resolve_query(struct arus_catalog *catalog,
                                                  const struct arus_urel *query,
                                                  struct arus_plan **out, uint32_t *stream_count,
                                                  struct arus_error *err);
/** Condition of an error about a relation whose own error was reported for the same text. */
#define ARUS_BROKEN_HERE "ARUS_BROKEN_HERE"

/** What constants are evaluated with. */
struct arus_eval_env arus_catalog_env(const struct arus_catalog *catalog);

#endif
