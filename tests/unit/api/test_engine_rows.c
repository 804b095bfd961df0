#include "api/arus.h"
#include "support/folder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

/* A pipeline over rows of this program, its checkpoint in a folder of its own. */

#define PIPELINE                                                                                   \
    "SET spark.sql.session.timeZone = UTC;"                                                        \
    "CREATE TABLE s (k STRING, v INT) USING memory;"                                               \
    "CREATE TABLE names (k STRING, name STRING) USING memory;"                                     \
    "CREATE STREAMING TABLE out USING memory TBLPROPERTIES (checkpointLocation 'ckpt') AS "        \
    "SELECT s.k, v, name, unix_millis(current_timestamp()) AS at FROM STREAM s LEFT JOIN names "   \
    "ON s.k = names.k;"

static struct arus_memory *memory;
static struct arus_engine *engine;
static struct arus_problem problem;

static int64_t fixed_time(void *self)
{
    return *(const int64_t *)self;
}

static void start(void)
{
    cr_assert(eq(int, arus_engine_open(test_folder, 2, &engine, &problem), ARUS_OUTCOME_DONE));
    arus_engine_use_memory(engine, memory);
    cr_assert(eq(int, arus_engine_load_text(engine, PIPELINE, &problem), ARUS_OUTCOME_DONE), "%s",
              problem.message);
}

static void setup(void)
{
    folder_make();
    cr_assert(eq(int, arus_memory_open(&memory, &problem), ARUS_OUTCOME_DONE));
    start();
}

static void teardown(void)
{
    arus_engine_close(engine);
    arus_memory_close(memory);
    folder_remove();
}

TestSuite(engine_rows, .init = setup, .fini = teardown);

static void add(const char *lines)
{
    cr_assert(eq(int, arus_engine_add_rows(engine, "s", lines, &problem), ARUS_OUTCOME_DONE), "%s",
              problem.message);
}

static void run(int64_t now_ms)
{
    const struct arus_run_options options = {
        .available_now = true, .now_ms = fixed_time, .self = &now_ms};

    cr_assert(eq(int, arus_engine_run(engine, &options, &problem), ARUS_OUTCOME_DONE), "%s",
              problem.message);
}

/* The one number that a query gives. */
static int64_t number(const char *query)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int64_t value;

    cr_assert(eq(int, arus_engine_query(engine, query, &stream, &problem), ARUS_OUTCOME_DONE), "%s",
              problem.message);
    cr_assert(eq(int, stream.get_next(&stream, &batch), 0));
    value = ((const int64_t *)batch.children[0]->buffers[1])[0];
    batch.release(&batch);
    stream.release(&stream);
    return value;
}

Test(engine_rows, go_through_a_query_once)
{
    add("{\"k\": \"a\", \"v\": 1}\n{\"k\": \"b\", \"v\": 2}\n");
    run(5000);
    add("{\"k\": \"a\", \"v\": 3}");
    run(6000);
    run(7000);
    cr_expect(eq(i64, number("SELECT sum(v) FROM out"), 6));
    cr_expect(eq(i64, number("SELECT count(*) FROM out"), 3));
    cr_expect(eq(i64, number("SELECT max(at) FROM out"), 6000)); /* the batch's time */
}

Test(engine_rows, outlive_the_engine)
{
    add("{\"k\": \"a\", \"v\": 1}");
    run(0);
    arus_engine_close(engine);
    start();
    add("{\"k\": \"a\", \"v\": 10}");
    run(0);
    cr_expect(eq(i64, number("SELECT sum(v) FROM out"), 11));
    cr_expect(eq(i64, number("SELECT count(*) FROM s"), 2));
}

Test(engine_rows, of_a_table_are_replaced_as_a_whole)
{
    cr_assert(eq(
        int, arus_engine_set_rows(engine, "names", "{\"k\": \"a\", \"name\": \"Ann\"}", &problem),
        ARUS_OUTCOME_DONE));
    add("{\"k\": \"a\", \"v\": 1}");
    run(0);
    cr_assert(eq(
        int, arus_engine_set_rows(engine, "names", "{\"k\": \"a\", \"name\": \"Ada\"}", &problem),
        ARUS_OUTCOME_DONE));
    add("{\"k\": \"a\", \"v\": 2}");
    run(0);
    cr_expect(eq(i64, number("SELECT count(*) FROM out WHERE name = 'Ann' AND v = 1"), 1));
    cr_expect(eq(i64, number("SELECT count(*) FROM out WHERE name = 'Ada' AND v = 2"), 1));
}

Test(engine_rows, that_are_no_good_are_refused)
{
    cr_expect(eq(int, arus_engine_add_rows(engine, "s", "{\"v\": \"x\"}", &problem),
                 ARUS_OUTCOME_FAILED));
    cr_expect(eq(int, arus_engine_add_rows(engine, "nosuch", "{}", &problem), ARUS_OUTCOME_WRONG));
    cr_expect(eq(str, problem.condition, "TABLE_OR_VIEW_NOT_FOUND"));
    cr_expect(eq(int, arus_engine_add_rows(engine, "out", "{}", &problem), ARUS_OUTCOME_WRONG));
    cr_expect(eq(i64, number("SELECT count(*) FROM s"), 0));
}
