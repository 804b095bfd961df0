/** SQL text to syntax tree. */
#ifndef ARUS_SQL_PARSER_H
#define ARUS_SQL_PARSER_H

#include "sql/ast.h"

/** No more errors than this are reported for one text. */
#define ARUS_SQL_ERRORS_MAX 20

/** Errors in the order of the text. Zeroed = none. */
struct arus_errors {
    struct arus_error *items; /* in the arena of the parse */
    uint32_t count;
};

/**
 * Parses statements separated by `;`. After an error it goes on behind the next `;`, so `errors`
 * names all faulty statements (at most ARUS_SQL_ERRORS_MAX).
 *
 * Owns: the arena; `out` also points into `sql`, which must live as long. A text without any
 * statement is fine here. Errors: ARUS_BAD_CONFIG: `err` is the first of `errors`; `out` holds the
 * good statements. ARUS_NO_MEMORY.
 */
ARUS_MUST_USE enum arus_status arus_sql_parse(struct arus_text sql, struct arus_arena *arena,
                                              struct arus_script *out, struct arus_errors *errors,
                                              struct arus_error *err);

/** Parses one expression that fills the whole text: for column defaults, tests, and the command
 * line. */
ARUS_MUST_USE enum arus_status arus_sql_parse_expr(struct arus_text sql, struct arus_arena *arena,
                                                   const struct arus_ast_expr **out,
                                                   struct arus_error *err);

#endif
