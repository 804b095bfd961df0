#include "support/sql_expect.h"

#include <stdio.h>

/* Elements of a type, looked for row by row and as a constant, at lengths around a chunk. */
static void expect_found(const char *type)
{
    char sql[512];

    (void)snprintf(sql, sizeof sql,
                   "SELECT array_contains(transform(sequence(0, 40 - id), x -> CAST(x AS %s)), "
                   "CAST(id * 2 AS %s)), "
                   "array_contains(transform(sequence(0, id), x -> CAST(x AS %s)), CAST(17 AS %s)) "
                   "FROM (SELECT CAST(id AS INT) AS id FROM range(13, 18))",
                   type, type, type, type);
    expect_rows(sql, "true, false; false, false; false, false; false, false; false, true");
}

Test(collection, array_contains_finds_elements_of_each_width)
{
    expect_found("TINYINT");
    expect_found("SMALLINT");
    expect_found("INT");
    expect_found("BIGINT");
    expect_found("DOUBLE");
    expect_found("DECIMAL(10,2)");
    expect_found("STRING");
}

Test(collection, array_contains_of_a_column_with_nulls)
{
    expect_rows("SELECT array_contains(a, 2), array_contains(a, x), array_contains(a, NULL + 1) "
                "FROM VALUES (array(1, 2), 1), (array(), 1), (NULL, 1), (array(2, 3), NULL) "
                "AS t(a, x)",
                "true, true, NULL; false, false, NULL; NULL, NULL, NULL; true, NULL, NULL");
    expect_rows(
        "SELECT array_contains(a, 2) FROM VALUES (array(1, NULL)), (array(2, NULL)) AS t(a)",
        "NULL; true");
    expect_rows("SELECT array_contains(a, DATE'2026-01-02'), array_contains(b, b[0]) FROM VALUES "
                "(array(DATE'2026-01-02'), array(TIMESTAMP'2026-01-01 00:00:00')) AS t(a, b)",
                "true, true");
}

Test(collection, split_at_one_character_gives_what_its_regular_expression_gives)
{
    expect_rows(
        "SELECT split(s, p, l), split(s, '(?:' || p || ')', l) = split(s, p, l) FROM VALUES "
        "('a b  c ', ' ', -1), ('', ',', -1), (',', ',', 0), ('a|b|c', '[|]', 2), "
        "('a|b|', '\\\\|', 2), ('a.b', '\\\\.', 1), ('xdx', 'd', 5), ('a1b', '\\\\d', -1) "
        "AS t(s, p, l)",
        "[a, b, , c, ], true; [], true; [, ], true; [a, b|c], true; [a, b|], true; "
        "[a.b], true; [x, x], true; [a, b], true");
}
