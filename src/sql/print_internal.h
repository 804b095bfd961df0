/** A writer that remembers its first failure, so that the printers need not check each line. */
#ifndef ARUS_SQL_PRINT_INTERNAL_H
#define ARUS_SQL_PRINT_INTERNAL_H

#include "sql/ast.h"

struct arus_ast_printer {
    struct arus_buffer *out;
    struct arus_error *err;
    enum arus_status status;
    int indent;
};

void arus_ast_put(struct arus_ast_printer *pr, const char *format, ...) ARUS_PRINTF(2, 3);
/** A dotted name, quoted where it was. */
void arus_ast_put_names(struct arus_ast_printer *pr, struct arus_ast_names names,
                        const char *separator);
/** On one line, fully parenthesised; queries inside as (query). */
void arus_ast_put_expr(struct arus_ast_printer *pr, const struct arus_ast_expr *expr);
void arus_ast_put_order(struct arus_ast_printer *pr, const struct arus_ast_order *order);
/** A query nested in an expression: indented lines behind the current one. */
void arus_ast_put_query(struct arus_ast_printer *pr, const struct arus_ast_query *query);

#endif
