/** Statements in, text out: a session over connectors that only know their declared columns. */
#ifndef ARUS_TESTS_PLAN_FIXTURE_H
#define ARUS_TESTS_PLAN_FIXTURE_H

#include "plan/analyse.h"
#include "plan/explain.h"
#include "sql/parser.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>

/** One session; the texts live until the next call. */
struct plan_fixture {
    struct arus_arena arena;
    struct arus_catalog catalog;
    struct arus_warnings warnings;
    struct arus_action action; /* of the last statement */
    struct arus_error err;
    char text[4096];
};

static struct plan_fixture fixture;

__attribute__((unused)) static void plan_open(void)
{
    arus_arena_init(&fixture.arena, 0);
    fixture.warnings = (struct arus_warnings){0}; /* they lie in the arena */
    cr_assert(eq(int, arus_catalog_init(&fixture.catalog, &fixture.arena, "/base", &fixture.err),
                 ARUS_OK));
}

__attribute__((unused)) static void plan_close(void)
{
    arus_arena_release(&fixture.arena);
}

/* Reads all statements; stops at the first failing one. */
__attribute__((unused)) static enum arus_status plan_read(const char *sql)
{
    struct arus_script script;
    struct arus_errors errors = {0};

    fixture.catalog.sql = sql;
    cr_assert(eq(int,
                 arus_sql_parse(arus_text_of(sql), &fixture.arena, &script, &errors, &fixture.err),
                 ARUS_OK),
              "%s", fixture.err.message);
    for (uint32_t i = 0; i < script.statement_count; i++) {
        const enum arus_status status =
            arus_plan_statement(&fixture.catalog, script.statements[i], &fixture.warnings,
                                &fixture.action, &fixture.err);

        if (status != ARUS_OK) {
            return status;
        }
    }
    return ARUS_OK;
}

static char *plan_keep(struct arus_buffer *buffer)
{
    (void)snprintf(fixture.text, sizeof(fixture.text), "%.*s",
                   ARUS_TEXT_ARGS(arus_buffer_text(buffer)));
    arus_buffer_release(buffer);
    return fixture.text;
}

/** The columns of the last statement's query, or its error: `CONDITION at TEXT`. */
__attribute__((unused)) static char *plan_of(const char *sql)
{
    struct arus_buffer buffer = {0};
    const struct arus_plan *plan = NULL;

    if (plan_read(sql) != ARUS_OK) {
        const char *condition = fixture.err.condition == NULL ? "-" : fixture.err.condition;

        (void)snprintf(fixture.text, sizeof(fixture.text), "%s at %.*s", condition,
                       (int)fixture.err.place.size, sql + fixture.err.place.begin);
        return fixture.text;
    }
    plan = fixture.action.query != NULL ? fixture.action.query->plan : fixture.action.stream->plan;
    cr_assert(eq(int, arus_schema_ddl(plan->schema, &buffer, &fixture.err), ARUS_OK));
    return plan_keep(&buffer);
}

/** EXPLAIN of the last statement, or its error. */
__attribute__((unused)) static char *plan_explain(const char *sql)
{
    struct arus_buffer buffer = {0};

    if (plan_read(sql) != ARUS_OK) {
        (void)snprintf(fixture.text, sizeof(fixture.text), "%s", fixture.err.message);
        return fixture.text;
    }
    cr_assert(eq(int,
                 arus_explain_action(&fixture.action, ARUS_EXPLAIN_SHORT, &buffer, &fixture.err),
                 ARUS_OK));
    return plan_keep(&buffer);
}

#define EXPECT_PLAN(sql, text)    cr_expect(eq(str, plan_of(sql), (text)))
#define EXPECT_EXPLAIN(sql, text) cr_expect(eq(str, plan_explain(sql), (text)))

#define TABLES                                                                                     \
    "CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT, y: STRUCT<z: INT, w: INT>>, ts TIMESTAMP) " \
    "USING json OPTIONS (path 't');\n"                                                             \
    "CREATE TABLE u (a INT, c STRING) USING json OPTIONS (path 'u');\n"
#define STREAM(mode)                                                                               \
    TABLES "CREATE STREAMING TABLE out USING parquet TBLPROPERTIES (path 'o', checkpointLocation " \
           "'k', outputMode '" mode "') AS "

#endif
