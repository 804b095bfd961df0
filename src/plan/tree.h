/** Work on resolved expressions and plan nodes: making, walking, rewriting. All results live in the
 * arena. */
#ifndef ARUS_PLAN_TREE_H
#define ARUS_PLAN_TREE_H

#include "plan/logical.h"

/* ---- expressions ---- */

/** A column of the input. */
ARUS_MUST_USE enum arus_status arus_column_make(const struct arus_type *schema, uint32_t index,
                                                struct arus_place place, struct arus_arena *arena,
                                                const struct arus_expr **out,
                                                struct arus_error *err);
/** The same, spelled as the reference spells it. */
ARUS_MUST_USE enum arus_status arus_column_named(const struct arus_type *schema, uint32_t index,
                                                 struct arus_text name, struct arus_place place,
                                                 struct arus_arena *arena,
                                                 const struct arus_expr **out,
                                                 struct arus_error *err);
/** A call of a registry function that cannot go wrong by its names. */
struct arus_maker {
    struct arus_arena *arena;
    const struct arus_zone *zone;
    bool is_ansi;
    struct arus_place place;
};
ARUS_MUST_USE enum arus_status arus_maker_call(const struct arus_maker *maker, const char *name,
                                               const struct arus_expr *const *args, uint32_t count,
                                               const struct arus_expr **out,
                                               struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_maker_bigint(const struct arus_maker *maker, int64_t value,
                                                 const struct arus_expr **out,
                                                 struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_maker_text(const struct arus_maker *maker,
                                               struct arus_text value, const struct arus_expr **out,
                                               struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_maker_boolean(const struct arus_maker *maker, bool value,
                                                  const struct arus_expr **out,
                                                  struct arus_error *err);

/** Is it a call of this function (by registry name)? */
bool arus_expr_is_call(const struct arus_expr *expr, const char *name);
/** The value of a non-null BOOLEAN literal: 0, 1; else -1. */
int arus_expr_truth(const struct arus_expr *expr);

/** Sets *out to what replaces `expr`, or to NULL: look into its arguments. */
typedef enum arus_status (*arus_rewrite_fn)(void *self, const struct arus_expr *expr,
                                            const struct arus_expr **out, struct arus_error *err);
/** Top-down; unchanged subtrees are shared. */
ARUS_MUST_USE enum arus_status arus_expr_rewrite(const struct arus_expr *expr, arus_rewrite_fn fn,
                                                 void *self, struct arus_arena *arena,
                                                 const struct arus_expr **out,
                                                 struct arus_error *err);
typedef bool (*arus_expr_test)(const struct arus_expr *expr, void *self);
/** Is the test true for some node? */
bool arus_expr_any(const struct arus_expr *expr, arus_expr_test test, void *self);
bool arus_expr_has_aggregate(const struct arus_expr *expr);
/** Uses only columns in [begin, end)? True for constants. */
bool arus_expr_within(const struct arus_expr *expr, uint32_t begin, uint32_t end);
/** used[i] = true for each column. */
void arus_expr_mark_columns(const struct arus_expr *expr, bool *used);
/** Column i becomes column map[i] of `schema`. */
ARUS_MUST_USE enum arus_status arus_expr_remap(const struct arus_expr *expr, const uint32_t *map,
                                               struct arus_arena *arena,
                                               const struct arus_expr **out,
                                               struct arus_error *err);
/** Every column index moves by `delta`. */
ARUS_MUST_USE enum arus_status arus_expr_shift(const struct arus_expr *expr, int32_t delta,
                                               struct arus_arena *arena,
                                               const struct arus_expr **out,
                                               struct arus_error *err);
/** Column i becomes exprs[i]. */
ARUS_MUST_USE enum arus_status arus_expr_substitute(const struct arus_expr *expr,
                                                    const struct arus_expr *const *exprs,
                                                    struct arus_arena *arena,
                                                    const struct arus_expr **out,
                                                    struct arus_error *err);

/** A list of conditions that hold together. */
struct arus_exprs {
    const struct arus_expr **items;
    size_t count;
    size_t capacity;
};
ARUS_MUST_USE enum arus_status arus_exprs_add(struct arus_exprs *list, struct arus_arena *arena,
                                              const struct arus_expr *expr, struct arus_error *err);
/** Adds the operands of AND, left to right. */
ARUS_MUST_USE enum arus_status arus_exprs_add_conjuncts(struct arus_exprs *list,
                                                        struct arus_arena *arena,
                                                        const struct arus_expr *expr,
                                                        struct arus_error *err);
/** The list as one condition; NULL when empty. */
ARUS_MUST_USE enum arus_status arus_exprs_conjoin(const struct arus_exprs *list,
                                                  const struct arus_maker *maker,
                                                  const struct arus_expr **out,
                                                  struct arus_error *err);

/* ---- plan nodes ---- */

ARUS_MUST_USE enum arus_status arus_plan_make(enum arus_plan_kind kind, struct arus_place place,
                                              struct arus_plan *left, struct arus_plan *right,
                                              struct arus_arena *arena, struct arus_plan **out,
                                              struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_plan_filter(struct arus_plan *child,
                                                const struct arus_expr *condition,
                                                struct arus_arena *arena, struct arus_plan **out,
                                                struct arus_error *err);
/** Name of a column that has no alias: its own, or the expression's text. */
ARUS_MUST_USE enum arus_status arus_expr_name(const struct arus_expr *expr,
                                              struct arus_arena *arena, struct arus_text *out,
                                              struct arus_error *err);
/** The schema of expressions with names; names[i] empty: the expression's text. */
ARUS_MUST_USE enum arus_status arus_plan_fields(const struct arus_expr *const *exprs,
                                                const struct arus_text *names, uint32_t count,
                                                struct arus_arena *arena,
                                                const struct arus_type **out,
                                                struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_plan_project(struct arus_plan *child,
                                                 const struct arus_expr **exprs,
                                                 const struct arus_text *names, uint32_t count,
                                                 struct arus_arena *arena, struct arus_plan **out,
                                                 struct arus_error *err);
/** All columns of the child, then `extra` ones. */
ARUS_MUST_USE enum arus_status arus_plan_append(struct arus_plan *child,
                                                const struct arus_expr *const *extra,
                                                const struct arus_text *names, uint32_t count,
                                                struct arus_arena *arena, struct arus_plan **out,
                                                struct arus_error *err);
/** The columns of the child in [0, count): hidden ones leave. */
ARUS_MUST_USE enum arus_status arus_plan_keep(struct arus_plan *child, uint32_t count,
                                              struct arus_arena *arena, struct arus_plan **out,
                                              struct arus_error *err);
/** The columns of left, then of right; the side an outer join fills with nulls becomes nullable. */
ARUS_MUST_USE enum arus_status
arus_plan_join_schema(const struct arus_plan *left, const struct arus_plan *right,
                      enum arus_join_kind kind, struct arus_arena *arena,
                      const struct arus_type **out, struct arus_error *err);

#endif
