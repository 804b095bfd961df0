#include "unit/sql/parse_text.h"

Test(parser_query, clauses_become_parts_of_select)
{
    expect_text("SELECT DISTINCT a, b AS c, t.* EXCEPT (x) FROM t WHERE a > 1 GROUP BY a "
                "HAVING count(*) > 1 ORDER BY a DESC NULLS LAST LIMIT 5 OFFSET 2",
                "query\n"
                "  select distinct\n"
                "    a\n"
                "    b AS c\n"
                "    t.* EXCEPT (x)\n"
                "  from\n"
                "    table t\n"
                "  where (a > 1)\n"
                "  group by a\n"
                "  having (count(*) > 1)\n"
                "  ORDER BY a DESC NULLS LAST\n"
                "  limit 5\n"
                "  offset 2\n");
}

Test(parser_query, intersect_binds_tighter_than_union)
{
    expect_text("TABLE a UNION ALL TABLE b INTERSECT TABLE c", "query\n"
                                                               "  union all\n"
                                                               "    all of\n"
                                                               "      table a\n"
                                                               "    intersect\n"
                                                               "      all of\n"
                                                               "        table b\n"
                                                               "      all of\n"
                                                               "        table c\n");
}

Test(parser_query, streams_have_options_watermark_and_alias_in_this_order)
{
    expect_text("SELECT * FROM STREAM t WITH (a = 1) WATERMARK to_timestamp(s) AS ts DELAY OF "
                "INTERVAL 10 MINUTES AS e",
                "query\n"
                "  select\n"
                "    *\n"
                "  from\n"
                "    stream table t AS e\n"
                "      with a = '1'\n"
                "      watermark to_timestamp(s) AS ts DELAY OF INTERVAL '10' MINUTE\n");
    expect_text("SELECT * FROM STREAM t AS e WATERMARK ts DELAY OF INTERVAL 1 DAY",
                "28+9 PARSE_SYNTAX_ERROR: WATERMARK cannot stand here");
    expect_text("SELECT * FROM STREAM t WATERMARK ts DELAY OF '10 minutes'",
                "45+12 PARSE_SYNTAX_ERROR: `INTERVAL` expected, found `'10 minutes'`");
    expect_text("SELECT * FROM STREAM t WATERMARK ts DELAY OF INTERVAL '10 minutes'",
                "45+21 PARSE_SYNTAX_ERROR: the unit stands in the string");
}

Test(parser_query, stream_and_watermark_are_also_names)
{
    expect_text("SELECT stream FROM stream AS watermark",
                "query\n  select\n    stream\n  from\n    table stream AS watermark\n");
    expect_text("SELECT * FROM STREAM(stream) watermark JOIN watermark ON true",
                "query\n  select\n    *\n  from\n    inner join on true\n"
                "      stream table stream AS watermark\n      table watermark\n");
}

Test(parser_query, table_functions_take_queries)
{
    expect_text("SELECT * FROM drop_duplicates(TABLE(SELECT * FROM STREAM t), 'k')",
                "query\n  select\n    *\n  from\n    function drop_duplicates(TABLE(\n"
                "      select\n        *\n      from\n        stream table t), 'k')\n");
    expect_text("SELECT * FROM f(TABLE t)",
                "16+5 PARSE_SYNTAX_ERROR: an expression expected, found `TABLE`");
}

Test(parser_query, parentheses_hold_queries_relations_or_expressions)
{
    expect_text("((SELECT 1))", "query\n  query\n    query\n      select\n        1\n");
    expect_text("SELECT ((SELECT 1) + 1), (SELECT 2)",
                "query\n  select\n    ((\n      select\n        1) + 1)\n    (\n      select\n"
                "        2)\n");
    expect_text("SELECT 1 FROM ((a JOIN b) CROSS JOIN c) x",
                "query\n  select\n    1\n  from\n    nested AS x\n      cross join\n"
                "        nested\n          inner join\n            table a\n"
                "            table b\n        table c\n");
}

Test(parser_query, pipes_follow_the_query)
{
    expect_text("FROM t |> WHERE a > 1 |> EXTEND a + 1 AS b |> AGGREGATE count(*) GROUP BY b",
                "query\n  all of\n    table t\n  |> where (a > 1)\n  |> extend \n"
                "    (a + 1) AS b\n  |> aggregate \n    count(*)\n  group by\n    b\n");
    expect_text("FROM t |> RENAME a AS b", "10+6 PARSE_SYNTAX_ERROR: an operator behind `|>` "
                                           "expected, found `RENAME`");
}

Test(parser_query, slips_are_named)
{
    expect_text("SELECT a, FROM t", "10+4 PARSE_SYNTAX_ERROR: an expression expected, found "
                                    "`FROM`");
    expect_text("SELECT a FORM t",
                "9+4 PARSE_SYNTAX_ERROR: `FORM` is no clause; did you mean `FROM`?");
    expect_text("SELECT a FROM t WHER a > 1",
                "16+4 PARSE_SYNTAX_ERROR: `WHER` is no clause; did you mean `WHERE`?");
    expect_text("SELECT a FROM t GROUP BY a WHERE b", "27+5 PARSE_SYNTAX_ERROR: `WHERE` cannot "
                                                      "stand here");
    expect_text("SELECT * FROM parquet.",
                "22+1 PARSE_SYNTAX_ERROR: `path` missing after parquet. (in a shell, put SQL in "
                "single quotes)");
    expect_text("SELECT 1 AS caf\xC3\xA9",
                "12+5 INVALID_IDENTIFIER: the name `caf\xC3\xA9` needs backticks: it has letters "
                "outside of ASCII");
    expect_text("SELECT 1 AS a-b", "12+3 INVALID_IDENTIFIER: a name with a hyphen needs backticks");
    expect_text("SELECT (1", "9+1 PARSE_SYNTAX_ERROR: `)` expected at the end");
    expect_text("SELECT 'a", "7+1 PARSE_SYNTAX_ERROR: this string has no end");
    expect_text("SELECT 1 /* x", "9+2 UNCLOSED_BRACKETED_COMMENT: this comment has no end");
    expect_text("WITH c AS (SELECT 1), C AS (SELECT 2) SELECT 1",
                "22+1 DUPLICATED_CTE_NAMES: WITH names `C` twice");
}

Test(parser_query, later_constructs_are_refused_by_name)
{
    expect_text("WITH RECURSIVE a AS (SELECT 1) SELECT 1",
                "5+9 ARUS_NOT_SUPPORTED: WITH RECURSIVE is not in arus");
    expect_text("SELECT a FROM t DISTRIBUTE BY a",
                "16+10 ARUS_NOT_SUPPORTED: DISTRIBUTE BY is not in arus");
    expect_text("SELECT a FROM t ORDER BY a SORT BY a",
                "27+4 UNSUPPORTED_FEATURE.COMBINATION_QUERY_RESULT_CLAUSES: ORDER BY, SORT BY, "
                "DISTRIBUTE BY and CLUSTER BY go one at a time");
    expect_text("SELECT a FROM t QUALIFY b", "16+7 ARUS_NOT_SUPPORTED: QUALIFY is not in arus");
    expect_text("SELECT a FROM t VERSION AS OF 1",
                "16+7 ARUS_NOT_SUPPORTED: time travel is not in arus");
}

Test(parser_query, hints_are_ignored_with_a_warning)
{
    struct arus_arena arena = {0};
    struct arus_errors errors;
    struct arus_script script;
    struct arus_error err;

    cr_assert(eq(int,
                 arus_sql_parse(ARUS_TEXT("SELECT /*+ BROADCAST(t) */ a FROM t"), &arena, &script,
                                &errors, &err),
                 ARUS_OK));
    cr_assert(eq(u32, script.warning_count, 1));
    cr_expect(eq(u32, script.warnings[0].place.begin, 7));
    arus_arena_release(&arena);
}
