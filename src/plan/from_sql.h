/** The one bridge from the syntax tree to the unresolved plan. */
#ifndef ARUS_PLAN_FROM_SQL_H
#define ARUS_PLAN_FROM_SQL_H

#include "plan/unresolved.h"
#include "sql/ast.h"

/** Everything lives in the arena; places and some texts are the tree's. */
ARUS_MUST_USE enum arus_status arus_from_sql_query(const struct arus_ast_query *query,
                                                   struct arus_arena *arena,
                                                   const struct arus_urel **out,
                                                   struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_from_sql_relation(const struct arus_ast_relation *relation,
                                                      struct arus_arena *arena,
                                                      const struct arus_urel **out,
                                                      struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_from_sql_expr(const struct arus_ast_expr *expr,
                                                  struct arus_arena *arena,
                                                  const struct arus_uexpr **out,
                                                  struct arus_error *err);
/** The keys of an ORDER BY; `ORDER BY ALL` has none. */
ARUS_MUST_USE enum arus_status arus_from_sql_order(const struct arus_ast_order *order,
                                                   struct arus_arena *arena,
                                                   const struct arus_usort **out,
                                                   struct arus_error *err);
/** Several expressions. */
ARUS_MUST_USE enum arus_status arus_from_sql_exprs(const struct arus_ast_expr *const *exprs,
                                                   uint32_t count, struct arus_arena *arena,
                                                   struct arus_uexprs *out, struct arus_error *err);
/** GROUP BY: sets `made`'s groups, and its sets for GROUPING SETS, ROLLUP, CUBE. */
ARUS_MUST_USE enum arus_status arus_from_sql_group(const struct arus_ast_group *from,
                                                   struct arus_arena *arena, struct arus_urel *made,
                                                   struct arus_error *err);
/** A select item: the expression, in an ALIAS where one is written. */
ARUS_MUST_USE enum arus_status arus_from_sql_item(const struct arus_ast_item *item,
                                                  struct arus_arena *arena,
                                                  const struct arus_uexpr **out,
                                                  struct arus_error *err);
/** Names without their places. */
ARUS_MUST_USE enum arus_status arus_from_sql_names(const struct arus_ast_names *names,
                                                   struct arus_arena *arena,
                                                   const struct arus_text **out,
                                                   struct arus_error *err);
/** The type of a cast, errors at its place. */
ARUS_MUST_USE enum arus_status arus_from_sql_type(const struct arus_ast_type *type,
                                                  struct arus_arena *arena,
                                                  const struct arus_type **out,
                                                  struct arus_error *err);
/** The type of a column: VARCHAR and CHAR are refused. */
ARUS_MUST_USE enum arus_status arus_from_sql_column(const struct arus_ast_type *type,
                                                    struct arus_arena *arena,
                                                    const struct arus_type **out,
                                                    struct arus_error *err);
/**
 * The value of an interval literal: INTERVAL_YM (months) or INTERVAL_DT (microseconds) with its
 * fields. Errors: INVALID_INTERVAL_FORMAT.*, mixed families.
 */
ARUS_MUST_USE enum arus_status
arus_from_sql_interval(const struct arus_ast_interval *interval, struct arus_place place,
                       struct arus_arena *arena, struct arus_vector *out, struct arus_error *err);
/**
 * '10 minutes', 'interval 1 day 3 hours' as months and microseconds.
 * Errors: INVALID_INTERVAL_FORMAT.*, mixed families.
 */
ARUS_MUST_USE enum arus_status arus_interval_read(struct arus_text text, struct arus_place place,
                                                  int64_t *months, int64_t *micros,
                                                  struct arus_error *err);
/** Refuses what Spark knows and arus does not: "NOUN is not in arus". */
ARUS_MUST_USE enum arus_status arus_refuse(struct arus_error *err, struct arus_place place,
                                           const char *noun);

#endif
