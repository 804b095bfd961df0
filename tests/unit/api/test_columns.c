/** Functions with a way of their own for whole columns: the same answers row by row. */
#include "support/sql_expect.h"

#include <stdio.h>

Test(columns, in_finds_numbers_of_every_width)
{
    static const char *const TYPES[] = {"TINYINT", "SMALLINT",     "INT",
                                        "BIGINT",  "DECIMAL(9,2)", "DECIMAL(30,2)"};

    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        char sql[400];

        snprintf(sql, sizeof sql,
                 "SELECT array_join(collect_list(coalesce(string(CAST(v AS %s) IN (3, 5)), '-')), "
                 "' ') FROM VALUES (1), (3), (NULL), (5) AS t(v)",
                 TYPES[i]);
        expect_rows(sql, "false true - true");
    }
}

Test(columns, in_with_a_null_among_the_values_is_true_or_null)
{
    expect_rows("SELECT collect_list(coalesce(string(v IN (1, NULL, 3)), '-')) "
                "FROM VALUES (1), (2), (NULL) AS t(v)",
                "[true, -, -]");
    expect_rows("SELECT sum(int(id IN (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, "
                "33, 35, 1000))) FROM range(100)",
                "18");
    expect_rows("SELECT count_if(string(id) IN ('1', '22', '99', '100', 'a long text of words', "
                "'12345678')) FROM range(100)",
                "3");
}

Test(columns, greatest_and_least_keep_the_first_of_equals)
{
    expect_rows("SELECT greatest(v, 3, w), least(v, 3, w) FROM VALUES (1, 9) AS t(v, w)", "9, 1");
    expect_rows("SELECT greatest(v, 2), least(v, NULL) FROM VALUES (CAST(NULL AS INT)) AS t(v)",
                "2, NULL");
    expect_rows("SELECT greatest(v, w), least(v, w) FROM VALUES (double('NaN'), 1D) AS t(v, w)",
                "NaN, 1.0");
    expect_rows("SELECT greatest(v, 0D), least(v, 0D), greatest(0D, v) FROM VALUES (-0D) AS t(v)",
                "-0.0, -0.0, 0.0");
}

Test(columns, extremes_of_lists)
{
    expect_rows("SELECT array_max(a), array_min(a) FROM VALUES (array(4, 9, 2)) AS t(a)", "9, 2");
    expect_rows("SELECT collect_list(coalesce(array_max(a), -1)) FROM VALUES (array(1, 5)), "
                "(array()), (NULL), (array(7)) AS t(a)",
                "[5, -1, -1, 7]");
    expect_rows("SELECT array_max(a), array_min(a) FROM VALUES (array(double('NaN'), 1D)) AS t(a)",
                "NaN, 1.0");
}

Test(columns, json_paths_share_plain_texts_and_undo_escapes)
{
    expect_rows("SELECT collect_list(get_json_object(j, '$.a')) FROM VALUES ('{\"a\":\"x\"}'), "
                "('{\"b\":1}'), ('{\"a\":\"\\\\u0041\\\\n\"}'), ('{\"a\":\"\"}'), "
                "('{\"a\":\"cut\"') AS t(j)",
                "[x, A\n, ]");
    expect_rows("SELECT collect_list(get_json_object(j, p)) FROM VALUES ('{\"a\":[\"x\",\"y\"]}', "
                "'$.a[*]'), ('[\"x\",[\"y\"]]', '$[*][*]'), ('{\"a\":1}', 'a'), ('[\"z\"]', "
                "'$[0]') AS t(j, p)",
                "[[\"x\",\"y\"], [\"y\"], z]");
}

Test(columns, json_that_is_closed_by_the_wrong_bracket_is_bad)
{
    expect_rows("SELECT get_json_object('[1}', '$'), get_json_object('[1}', '$[0]'), "
                "get_json_object('{\"a\":1]', '$.a'), json_array_length('[1}'), "
                "json_object_keys('{\"a\":1]'), get_json_object('{\"a\":[1},\"b\":2}', '$.b')",
                "NULL, NULL, NULL, NULL, NULL, NULL");
}

Test(columns, json_tuple_takes_the_last_value_that_is_not_null)
{
    expect_rows("SELECT json_tuple(s, 'a', 'b', 'it\\'s', '', 'a.b') FROM VALUES "
                "('{\"a\":2,\"a\":3,\"b\":1}') AS t(s)",
                "3, 1, NULL, NULL, NULL");
    expect_rows(
        "SELECT collect_list(a), collect_list(b) FROM VALUES ('{\"a\":2,\"a\":null}'), "
        "('{\"a\":null,\"a\":\"x\",\"a\":null,\"b\":\"\\\\u0041\",\"b\":\"long enough to be "
        "shared\"}'), "
        "('{\"a\":\"shared\",\"a\":[1, \"y\"]}'), ('{\"a\":1,\"a\":'), ('[{\"a\":1}]') AS t(s), "
        "LATERAL json_tuple(s, 'a', 'b') AS l(a, b)",
        "[2, x, [1,\"y\"]], [long enough to be shared]");
    expect_rows("SELECT json_tuple('{\"it\\'s\":1,\"\":2,\"*\":3,\"a.b\":4,\"a\":{\"b\":5}}', "
                "'it\\'s', '', "
                "'*', 'a.b', 'a')",
                "1, 2, 3, 4, {\"b\":5}");
}

Test(columns, doubles_are_rounded_by_their_shortest_digits)
{
    expect_rows("SELECT round(v, 2), round(w, 1), bround(v, 2), round(x, 1), round(y, 2) "
                "FROM VALUES (2.675D, 0.25D, -0.04D, 1.005D) AS t(v, w, x, y)",
                "2.68, 0.3, 2.68, 0.0, 1.01");
    expect_rows("SELECT round(v, 3), round(v, 15), round(w, 0), round(w, 2) "
                "FROM VALUES (1.1D, 1e15D) AS t(v, w)",
                "1.1, 1.1, 1.0E15, 1.0E15");
    expect_rows("SELECT CAST(v AS DECIMAL(10,2)), CAST(w AS DECIMAL(4,1)), CAST(-v AS "
                "DECIMAL(38,20)) FROM VALUES (2.675D, 999.94D) AS t(v, w)",
                "2.68, 999.9, -2.67500000000000000000");
    expect_failure("SELECT CAST(v AS DECIMAL(4,2)) FROM VALUES (100.5D) AS t(v)",
                   "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION");
    expect_rows("SELECT floor(v), ceil(v), floor(w) FROM VALUES (-0.5D, 9e18D) AS t(v, w)",
                "-1, 0, 9000000000000000000");
}

Test(columns, texts_are_translated_by_their_first_match)
{
    expect_rows("SELECT collect_list(translate(v, 'abca', '12')) FROM VALUES ('aXbc'), (''), "
                "('ça c'), (NULL), ('cc') AS t(v)",
                "[1X2, , ç1 , ]");
    expect_rows("SELECT collect_list(v LIKE '%a%e_i%') FROM VALUES ('xaeei'), ('axeéi.'), ('aei'), "
                "('eeia'), ('aee_ie-i') AS t(v)",
                "[true, true, false, false, true]");
    expect_rows("SELECT collect_list(CASE WHEN v < 2 THEN 'a' WHEN v < 9 THEN 'b' ELSE 'c' END) "
                "FROM VALUES (1), (5), (NULL), (9) AS t(v)",
                "[a, b, c, c]");
}
