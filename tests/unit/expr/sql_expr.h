/** From the syntax tree of one expression to a resolved one: what plan does, small, for tests of
 * this room. */
#ifndef ARUS_TESTS_SQL_EXPR_H
#define ARUS_TESTS_SQL_EXPR_H

#include "expr/function.h"
#include "sql/ast.h"

struct sql_scope {
    struct arus_arena *arena;
    const struct arus_type *schema; /* STRUCT; NULL: no columns */
    struct arus_eval_env env;
};

ARUS_MUST_USE enum arus_status sql_expr_make(const struct sql_scope *scope,
                                             const struct arus_ast_expr *ast,
                                             const struct arus_expr **out, struct arus_error *err);
/** Parses, resolves, folds nothing. */
ARUS_MUST_USE enum arus_status sql_expr_parse(const struct sql_scope *scope, const char *sql,
                                              const struct arus_expr **out, struct arus_error *err);
/** The value of a constant expression as text; "NULL" for null. */
ARUS_MUST_USE enum arus_status sql_expr_text(const struct sql_scope *scope, const char *sql,
                                             struct arus_buffer *out, struct arus_error *err);

#endif
