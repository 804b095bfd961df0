/** Parses and gives the tree, or the first error, as one text. */
#ifndef ARUS_TESTS_SQL_PARSE_TEXT_H
#define ARUS_TESTS_SQL_PARSE_TEXT_H

#include "sql/parser.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>

/* "begin+size condition: message; label" of each error, or the dump of the tree; to be freed. */
static inline char *parse_text(const char *sql)
{
    struct arus_arena arena = {0};
    struct arus_errors errors;
    struct arus_script script;
    struct arus_buffer out = {0};
    struct arus_error err;
    const enum arus_status status =
        arus_sql_parse(arus_text_of(sql), &arena, &script, &errors, &err);
    char *text;

    for (uint32_t i = 0; i < errors.count; i++) {
        const struct arus_error *e = &errors.items[i];

        cr_assert(eq(int,
                     arus_buffer_printf(&out, &err, "%s%u+%u %s: %s%s%s", i == 0 ? "" : "\n",
                                        e->place.begin, e->place.size,
                                        e->condition == NULL ? "-" : e->condition, e->message,
                                        e->label[0] == '\0' ? "" : "; ", e->label),
                     ARUS_OK));
    }
    if (status == ARUS_OK) {
        cr_assert(eq(int, arus_ast_print(&script, &out, &err), ARUS_OK));
    }
    cr_assert(eq(int, arus_buffer_append_char(&out, '\0', &err), ARUS_OK));
    text = strdup(out.data);
    arus_buffer_release(&out);
    arus_arena_release(&arena);
    return text;
}

static inline void expect_text(const char *sql, const char *expected)
{
    char *text = parse_text(sql);

    cr_expect_str_eq(text, expected, "%s", sql);
    free(text);
}

/* The expression as the printer writes it, or "condition: message". */
static inline void expect_expr(const char *sql, const char *expected)
{
    struct arus_arena arena = {0};
    const struct arus_ast_expr *expr;
    struct arus_error err;
    char text[600];

    if (arus_sql_parse_expr(arus_text_of(sql), &arena, &expr, &err) != ARUS_OK) {
        (void)snprintf(text, sizeof text, "%s: %s", err.condition == NULL ? "-" : err.condition,
                       err.message);
        cr_expect_str_eq(text, expected, "%s", sql);
    } else {
        char select[600];
        char wanted[600];
        char *dump;

        (void)snprintf(select, sizeof select, "SELECT %s", sql);
        (void)snprintf(wanted, sizeof wanted, "query\n  select\n    %s\n", expected);
        dump = parse_text(select);
        cr_expect(eq(str, dump, wanted), "%s", sql);
        free(dump);
    }
    arus_arena_release(&arena);
}

#endif
