/** One query, one expectation. */
#ifndef ARUS_TESTS_SQL_EXPECT_H
#define ARUS_TESTS_SQL_EXPECT_H

#include "support/sql_rows.h"

#include <criterion/criterion.h>

__attribute__((unused)) static void expect_rows(const char *sql, const char *wanted)
{
    struct arus_buffer rows = {0};
    struct arus_error err = {0};

    cr_expect_eq(sql_rows(sql, &rows, &err), ARUS_OK, "%s: %s", sql, err.message);
    cr_expect(arus_text_equal(arus_buffer_text(&rows), arus_text_of(wanted)), "%s = %.*s, not %s",
              sql, (int)rows.size, rows.data == NULL ? "" : rows.data, wanted);
    arus_buffer_release(&rows);
}

__attribute__((unused)) static void expect_failure(const char *sql, const char *condition)
{
    struct arus_buffer rows = {0};
    struct arus_error err = {0};

    cr_expect_neq(sql_rows(sql, &rows, &err), ARUS_OK, "%s works", sql);
    cr_expect_str_eq(err.condition, condition, "%s: %s", sql, err.condition);
    arus_buffer_release(&rows);
}

#endif
