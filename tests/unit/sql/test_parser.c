#include "support/failing.h"
#include "unit/sql/parse_text.h"

Test(parser, tables_take_their_clauses_in_any_order)
{
    expect_text("CREATE TABLE t (a INT NOT NULL COMMENT 'x', b ARRAY<STRUCT<c: INT>>) USING csv "
                "COMMENT 'y' OPTIONS (header 'true', kafka.bootstrap.servers = 'k', n -1.5)",
                "create table t\n"
                "  column a INT not null comment 'x'\n"
                "  column b ARRAY<STRUCT<c: INT>>\n"
                "  using csv\n"
                "  option header = 'true'\n"
                "  option kafka.bootstrap.servers = 'k'\n"
                "  option n = '-1.5'\n"
                "  comment 'y'\n");
    expect_text("CREATE TABLE t USING csv COMMENT 'a' COMMENT 'b'",
                "37+7 DUPLICATE_CLAUSES: COMMENT stands twice");
    expect_text("CREATE TABLE t USING csv OPTIONS (a 1, A 2)",
                "39+1 DUPLICATE_KEY: the key `A` stands twice");
    expect_text("CREATE TABLE t USING csv OPTIONS (mode update)",
                "39+6 PARSE_SYNTAX_ERROR: the value `update` needs quotes");
    expect_text("CREATE TABLE t () USING csv",
                "16+1 PARSE_SYNTAX_ERROR: a column expected, found `)`");
    expect_text("CREATE TABLE t (a INT) USNG csv",
                "23+4 PARSE_SYNTAX_ERROR: `USING` expected, found `USNG`; did you mean `USING`?");
    expect_text("CREATE TABLE t (a: INT) USING csv",
                "17+1 PARSE_SYNTAX_ERROR: a type expected, found `:`");
    expect_text("CREATE TABLE t (a INT, PRIMARY KEY (a)) USING csv",
                "23+7 ARUS_NOT_SUPPORTED: PRIMARY KEY is not in arus");
}

Test(parser, streaming_tables_have_properties_only)
{
    expect_text("CREATE STREAMING TABLE IF NOT EXISTS o USING parquet PARTITIONED BY (d) "
                "TBLPROPERTIES (path 'out') AS SELECT 1",
                "create streaming table o if not exists\n"
                "  using parquet\n"
                "  property path = 'out'\n"
                "  partitioned by d\n"
                "  select\n"
                "    1\n");
    expect_text("CREATE STREAMING TABLE o USING parquet OPTIONS (path 'out') AS SELECT 1",
                "39+7 _LEGACY_ERROR_TEMP_0035: OPTIONS cannot stand here");
    expect_text("CREATE OR REPLACE STREAMING TABLE o AS SELECT 1",
                "10+7 ARUS_NOT_SUPPORTED: OR REPLACE of anything but a view is not in arus");
    expect_text("CREATE STREAMING TABLE o USING parquet; CREATE FLOW f AS INSERT INTO o BY NAME "
                "SELECT 1",
                "create streaming table o\n  using parquet\n"
                "insert into o by name\n  flow f\n  select\n    1\n");
}

Test(parser, views_are_queries_or_sources)
{
    expect_text("CREATE OR REPLACE TEMPORARY VIEW v (a COMMENT 'x', b) AS SELECT 1, 2",
                "create or replace temporary view v\n"
                "  column a  comment 'x'\n"
                "  column b \n"
                "  select\n    1\n    2\n");
    expect_text("CREATE TEMP VIEW v (a INT) USING csv OPTIONS (path 'x')",
                "create temporary view v\n  column a INT\n  using csv\n  option path = 'x'\n");
    expect_text("CREATE TEMPORARY VIEW v TBLPROPERTIES (a 1) AS SELECT 1",
                "24+19 _LEGACY_ERROR_TEMP_0035: a temporary view takes no TBLPROPERTIES");
    expect_text("CREATE TEMPORARY TABLE t USING csv",
                "17+5 PARSE_SYNTAX_ERROR: `VIEW` expected, found `TABLE`");
}

Test(parser, set_takes_its_value_as_it_stands)
{
    expect_text("SET a.b.c = x y 'z' ; SET a; SET; SET -v; RESET a; SET TIME ZONE 'UTC'; "
                "SET TIME ZONE LOCAL; SET TIME ZONE INTERVAL '05:30' HOUR TO MINUTE",
                "set a.b.c = x y 'z'\nset a\nset \nset \nreset a\nset time zone UTC\n"
                "set time zone local\nset time zone INTERVAL '05:30' HOUR TO MINUTE\n");
    expect_text("SET TIME ZONE UTC", "14+3 PARSE_SYNTAX_ERROR: a zone in quotes, LOCAL or an "
                                     "INTERVAL expected, found `UTC`");
}

Test(parser, the_other_statements_are_known)
{
    expect_text("EXPLAIN EXTENDED SELECT 1; DESCRIBE t; DESC FUNCTION upper; DESCRIBE SELECT 1; "
                "SHOW TABLES LIKE 'p*'; SHOW FUNCTIONS; SHOW COLUMNS FROM t; SHOW CREATE TABLE t",
                "explain extended query\n  select\n    1\n"
                "describe table t\ndescribe function upper\ndescribe query \n  select\n    1\n"
                "show tables \n  pattern 'p*'\nshow functions \nshow columns t\n"
                "show create table t\n");
    expect_text("DROP TABLE t", "0+4 ARUS_NOT_SUPPORTED: DROP is not in arus");
    expect_text("INSERT OVERWRITE t SELECT 1",
                "7+9 ARUS_NOT_SUPPORTED: INSERT OVERWRITE is not in arus");
    expect_text("SELEC 1", "0+5 PARSE_SYNTAX_ERROR: `SELEC` starts no statement; did you mean "
                           "`SELECT`?");
}

Test(parser, goes_on_behind_the_next_semicolon)
{
    expect_text("SELECT (; SELECT 1; SELEC 2; SELECT 'a;b' c d;",
                "8+1 PARSE_SYNTAX_ERROR: an expression expected at the end\n"
                "20+5 PARSE_SYNTAX_ERROR: `SELEC` starts no statement; did you mean `SELECT`?\n"
                "44+1 PARSE_SYNTAX_ERROR: `;` expected, found `d`");
}

Test(parser, reports_twenty_errors_at_most)
{
    char sql[300] = "";
    char *text;
    size_t lines = 1;

    for (int i = 0; i < 30; i++) {
        memcpy(sql + strlen(sql), "x;", 3);
    }
    text = parse_text(sql);
    for (const char *c = text; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    cr_expect(eq(sz, lines, ARUS_SQL_ERRORS_MAX));
    free(text);
}

Test(parser, accepts_a_text_without_statements)
{
    expect_text(" ; -- nothing\n ;", "");
}

static enum arus_status parse_a_pipeline(struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_errors errors;
    struct arus_script script;
    const enum arus_status status = arus_sql_parse(
        ARUS_TEXT("CREATE TABLE t (a INT) USING csv; SELECT a + 1 FROM STREAM t WHERE a > 1"),
        &arena, &script, &errors, err);

    arus_arena_release(&arena);
    return status;
}

Test(parser, survives_each_failing_allocation)
{
    assert_each_failure(parse_a_pipeline);
}
