#include "plan_fixture.h"

/* ---- the connectors of all tests in this folder: schemas as declared, nothing is read ---- */

static enum arus_status bind_source(const struct arus_table *table, bool is_stream,
                                    struct arus_arena *arena, struct arus_source **out,
                                    struct arus_error *err)
{
    const struct arus_setting *path = arus_settings_find(&table->options, "path");

    (void)is_stream;
    ARUS_TRY(ARUS_NEW(arena, struct arus_source, 1, out, err));
    (*out)->table = table;
    (*out)->schema = table->declared;
    (*out)->location = path == NULL ? table->name : path->value;
    return ARUS_OK;
}

static enum arus_status open_stream(const struct arus_source *source, struct arus_log_set *logs,
                                    uint32_t index, struct arus_source_stream **out,
                                    struct arus_error *err)
{
    (void)source;
    (void)logs;
    (void)index;
    (void)out;
    return arus_fail(err, ARUS_FATAL, NULL, "nothing is read here");
}

static enum arus_status bind_sink(const struct arus_sink_config *config, struct arus_arena *arena,
                                  struct arus_sink **out, struct arus_error *err)
{
    const struct arus_setting *path = arus_settings_find(&config->options, "path");

    ARUS_TRY(ARUS_NEW(arena, struct arus_sink, 1, out, err));
    (*out)->config = config;
    if (path != NULL) {
        (*out)->location = path->value;
        (*out)->path = "/base/o";
    }
    return ARUS_OK;
}

static enum arus_status list_nothing(struct arus_source_scan *scan, uint32_t worker_count,
                                     struct arus_arena *arena, struct arus_splits *out,
                                     struct arus_error *err)
{
    (void)scan;
    (void)worker_count;
    (void)arena;
    (void)out;
    return arus_fail(err, ARUS_FATAL, NULL, "nothing is read here");
}

static const struct arus_source_ops SOURCE = {
    .bind = bind_source, .list = list_nothing, .stream_open = open_stream};
static const struct arus_source_ops TABLE_ONLY = {.bind = bind_source, .list = list_nothing};
static const struct arus_source_ops STREAM_ONLY = {.bind = bind_source, .stream_open = open_stream};
static const struct arus_sink_ops SINK = {.bind = bind_sink};

const struct arus_connector ARUS_CONNECTORS[] = {
    {.name = "json", .source = &SOURCE, .sink = &SINK},
    {.name = "parquet", .source = &SOURCE, .sink = &SINK},
    {.name = "lookup", .source = &TABLE_ONLY},
    {.name = "endless", .source = &STREAM_ONLY},
    {.name = "console", .sink = &SINK, .is_fleeting = true},
    {0},
};

TestSuite(resolve_select, .init = plan_open, .fini = plan_close);

Test(resolve_select, finds_columns_without_case_and_keeps_the_reference)
{
    EXPECT_PLAN(TABLES "SELECT A, T.b FROM t", "A INT, b STRING");
}

Test(resolve_select, finds_struct_fields_at_any_depth)
{
    EXPECT_PLAN(TABLES "SELECT s.x, t.s.y.z FROM t", "x INT, z INT");
}

Test(resolve_select, spreads_stars_with_except)
{
    EXPECT_PLAN(TABLES "SELECT * EXCEPT (s, ts), t.a FROM t", "a INT, b STRING, a INT");
    EXPECT_PLAN("SELECT s.* FROM t", "x INT, y STRUCT<z: INT, w: INT>");
    EXPECT_PLAN("SELECT * EXCEPT (s.y.w, b, t.ts) FROM t",
                "a INT, s STRUCT<x: INT, y: STRUCT<z: INT>>");
    EXPECT_PLAN("SELECT * EXCEPT (nosuch) FROM t", "UNRESOLVED_COLUMN.WITH_SUGGESTION at nosuch");
}

Test(resolve_select, names_the_nearest_column_and_all_of_them)
{
    EXPECT_PLAN(TABLES "SELECT cc FROM u", "UNRESOLVED_COLUMN.WITH_SUGGESTION at cc");
    cr_expect(eq(str, fixture.err.message, "there is no column `cc`"));
    cr_expect(eq(str, fixture.err.label, "did you mean `c`?"));
    cr_expect(eq(str, fixture.err.help, "u has a, c"));
}

Test(resolve_select, names_the_nearest_table)
{
    EXPECT_PLAN("CREATE TABLE landing (a INT) USING json; SELECT * FROM lending",
                "TABLE_OR_VIEW_NOT_FOUND at lending");
    cr_expect(eq(str, fixture.err.label, "did you mean `landing`?"));
}

Test(resolve_select, refuses_ambiguous_names_but_not_the_same_column_twice)
{
    EXPECT_PLAN("SELECT a FROM (SELECT 1 AS a, 2 AS a)", "AMBIGUOUS_REFERENCE at a");
    EXPECT_PLAN(TABLES "SELECT a FROM (SELECT *, * FROM u)", "a INT");
}

Test(resolve_select, lets_items_use_aliases_before_them)
{
    EXPECT_PLAN(TABLES "SELECT a + 1 AS p, p * 2 AS q FROM t", "p INT, q INT");
    EXPECT_PLAN("SELECT a AS c, c FROM u", "c INT, c STRING"); /* a column wins */
    EXPECT_PLAN("SELECT a + 1 AS p FROM t WHERE p > 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION at p");
}

Test(resolve_select, groups_by_columns_aliases_ordinals_and_all)
{
    EXPECT_PLAN(TABLES "SELECT b AS k, count(*) FROM t GROUP BY k", "k STRING, `count(1)` BIGINT");
    EXPECT_PLAN("SELECT b, count(*) AS n FROM t GROUP BY 1", "b STRING, n BIGINT");
    EXPECT_PLAN("SELECT b, count(*) AS n FROM t GROUP BY ALL", "b STRING, n BIGINT");
    EXPECT_PLAN("SELECT b FROM t GROUP BY 2", "GROUP_BY_POS_OUT_OF_RANGE at 2");
    EXPECT_PLAN("SELECT b, count(*) FROM t GROUP BY 2", "GROUP_BY_POS_AGGREGATE at 2");
}

Test(resolve_select, refuses_columns_that_are_neither_grouped_nor_aggregated)
{
    EXPECT_PLAN(TABLES "SELECT b, a FROM t GROUP BY b", "MISSING_AGGREGATION at a");
    EXPECT_PLAN("SELECT a, count(*) FROM t", "MISSING_GROUP_BY at a");
    EXPECT_PLAN("SELECT b FROM t WHERE sum(a) > 1 GROUP BY b", "INVALID_WHERE_CONDITION at sum(a)");
    EXPECT_PLAN("SELECT sum(max(a)) FROM t", "NESTED_AGGREGATE_FUNCTION at max(a)");
}

Test(resolve_select, computes_over_groups_and_aggregates)
{
    EXPECT_PLAN(TABLES "SELECT a % 2 + 1 AS m, sum(a) + count(*) AS x FROM t GROUP BY a % 2 "
                       "HAVING x > 1 AND max(a) > 0 ORDER BY min(a), m",
                "m INT, x BIGINT");
}

Test(resolve_select, sorts_by_hidden_columns_which_then_leave)
{
    EXPECT_PLAN(TABLES "SELECT b FROM t ORDER BY a DESC, 1", "b STRING");
    EXPECT_PLAN("SELECT b FROM t ORDER BY 2", "ORDER_BY_POS_OUT_OF_RANGE at 2");
    EXPECT_PLAN("SELECT DISTINCT b FROM t ORDER BY a", "UNRESOLVED_COLUMN.WITH_SUGGESTION at a");
    EXPECT_PLAN("SELECT DISTINCT a FROM t ORDER BY a + 1", "a INT");
}

Test(resolve_select, wants_booleans_in_where)
{
    EXPECT_PLAN(TABLES "SELECT a FROM t WHERE a", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN at a");
}

Test(resolve_select, checks_limits)
{
    EXPECT_PLAN(TABLES "SELECT a FROM t LIMIT -1",
                "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE at -1");
    EXPECT_PLAN("SELECT a FROM t LIMIT a", "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE at a");
    EXPECT_PLAN("SELECT a FROM t LIMIT 1 + 1 OFFSET 1", "a INT");
}

Test(resolve_select, reads_inline_values_of_a_common_type)
{
    EXPECT_PLAN("SELECT * FROM VALUES (1, 'x'), (2.5, NULL) AS v(n, s)",
                "n DECIMAL(11,1), s STRING");
    EXPECT_PLAN("SELECT * FROM VALUES (1, 2), (3)",
                "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH at 3");
    EXPECT_PLAN("SELECT * FROM VALUES (CAST('x' AS INT)) AS v(n)",
                "INVALID_INLINE_TABLE.FAILED_SQL_EXPRESSION_EVALUATION at CAST('x' AS INT)");
    EXPECT_PLAN("SELECT * FROM VALUES (1.5F), (1) AS v(n)", "n FLOAT");
}

Test(resolve_select, refuses_arguments_that_would_convert_elsewhere)
{
    EXPECT_PLAN("SELECT ceil(1.5, NULL)", "NON_FOLDABLE_ARGUMENT at NULL");
    EXPECT_PLAN("SELECT mask(1)", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE at 1");
    EXPECT_PLAN("SELECT mask('a', 'QQ')", "DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE at 'QQ'");
    EXPECT_PLAN("SELECT array_join(array(1), 2)", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE at 2");
    EXPECT_PLAN("SELECT array_insert(array(1), 1.5, 2)",
                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE at 1.5");
}

Test(resolve_select, knows_common_table_expressions_in_order)
{
    EXPECT_PLAN("WITH x AS (SELECT 1 AS a), y(z) AS (SELECT a + 1 FROM x) SELECT z FROM y",
                "z INT");
    EXPECT_PLAN("WITH x AS (SELECT * FROM y), y AS (SELECT 1) SELECT * FROM x",
                "TABLE_OR_VIEW_NOT_FOUND at y");
}

Test(resolve_select, widens_set_operations_by_position)
{
    EXPECT_PLAN("SELECT 1 AS a UNION ALL SELECT 2.5", "a DECIMAL(11,1)");
    EXPECT_PLAN("SELECT 1 AS a UNION ALL SELECT true", "INCOMPATIBLE_COLUMN_TYPE at UNION ALL");
    EXPECT_PLAN("SELECT 1 AS a UNION SELECT 1, 2", "NUM_COLUMNS_MISMATCH at UNION");
}

Test(resolve_select, reads_typed_literals)
{
    EXPECT_PLAN("SELECT DATE '2026-03-02' AS d, INTERVAL 10 MINUTES AS i",
                "d DATE, i INTERVAL MINUTE");
    EXPECT_PLAN("SELECT DATE '2026-13-02'", "INVALID_TYPED_LITERAL at DATE '2026-13-02'");
}
