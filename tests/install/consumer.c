/* A program of somebody else: runs a pipeline in the folder argv[1] and reads its table back. */
#include <arus.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void check_done(enum arus_outcome outcome, const struct arus_problem *problem)
{
    if (outcome != ARUS_OUTCOME_DONE) {
        (void)fprintf(stderr, "outcome %d: %s:%llu:%llu: %s [%s]\n", (int)outcome, problem->file,
                      (unsigned long long)problem->line, (unsigned long long)problem->column,
                      problem->message, problem->condition);
        exit(1);
    }
}

struct seen {
    struct arus_engine *engine;
    int calls;
    int is_stopped;
};

static void on_progress(void *self, const char *query, const char *progress)
{
    struct seen *seen = self;

    CHECK(strcmp(query, "kept") == 0);
    CHECK(progress[0] == '{' && strstr(progress, "\"batchId\"") != NULL);
    seen->calls++;
    if (seen->is_stopped) {
        arus_engine_stop(seen->engine, false);
    }
}

/* Sum of the first column, BIGINT; -1 after a failure. */
static int64_t sum(struct ArrowArrayStream *stream, int64_t *rows)
{
    struct ArrowArray array;
    int64_t total = 0;
    int code;

    *rows = 0;
    while ((code = stream->get_next(stream, &array)) == 0 && array.release != NULL) {
        const int64_t *values = array.children[0]->buffers[1];

        for (int64_t i = 0; i < array.length; i++) {
            total += values[array.children[0]->offset + i];
        }
        *rows += array.length;
        array.release(&array);
    }
    return code == 0 ? total : -1;
}

static void problems_name_the_place(struct arus_engine *engine)
{
    struct arus_problem problem;
    size_t count;

    CHECK(arus_engine_load_text(engine, "SELECT 1;\nSELECT idd FROM landing;\nSELECT nope(1);",
                                &problem) == ARUS_OUTCOME_WRONG);
    CHECK(problem.outcome == ARUS_OUTCOME_WRONG && problem.line == 2 && problem.column == 8);
    CHECK(strcmp(problem.condition, "UNRESOLVED_COLUMN.WITH_SUGGESTION") == 0);
    CHECK(strcmp(problem.sqlstate, "42703") == 0 && problem.message[0] != '\0');
    CHECK(arus_engine_problems(engine, &count)[1].line == 3 && count == 2);
    CHECK(arus_engine_load_file(engine, "missing.sql", &problem) == ARUS_OUTCOME_WRONG);
    CHECK(strcmp(problem.condition, "PATH_NOT_FOUND") == 0);
    CHECK(strcmp(problem.file, "missing.sql") == 0);
}

static void pipeline_runs_and_stops(struct arus_engine *engine)
{
    struct seen seen = {.engine = engine};
    struct arus_run_options options = {
        .available_now = true, .on_progress = on_progress, .self = &seen};
    struct arus_problem problem;

    check_done(arus_engine_load_file(engine, "pipeline.sql", &problem), &problem);
    CHECK(arus_engine_stream_count(engine) == 1);
    CHECK(strcmp(arus_engine_stream_name(engine, 0), "kept") == 0);
    CHECK(arus_engine_stream_name(engine, 1) == NULL);
    check_done(arus_engine_run(engine, &options, &problem), &problem);
    CHECK(seen.calls >= 1);
    options = (struct arus_run_options){.query = "KEPT", .on_progress = on_progress, .self = &seen};
    seen.is_stopped = 1; /* by its own trigger it would run for ever */
    check_done(arus_engine_run(engine, &options, &problem), &problem);
    arus_engine_stop(engine, true);
    CHECK(arus_engine_run(engine, NULL, NULL) == ARUS_OUTCOME_INTERRUPTED);
    options.query = "other";
    CHECK(arus_engine_run(engine, &options, &problem) == ARUS_OUTCOME_WRONG);
    CHECK(strstr(problem.help, "kept") != NULL);
}

static void queries_give_rows(struct arus_engine *engine)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct arus_problem problem;
    int64_t rows;

    check_done(arus_engine_query(engine,
                                 "SELECT CAST(id AS BIGINT) AS id, name FROM parquet.`out/kept`",
                                 &stream, &problem),
               &problem);
    CHECK(stream.get_schema(&stream, &schema) == 0);
    CHECK(strcmp(schema.format, "+s") == 0 && schema.n_children == 2);
    CHECK(strcmp(schema.children[0]->format, "l") == 0);
    CHECK(strcmp(schema.children[1]->name, "name") == 0);
    schema.release(&schema);
    CHECK(sum(&stream, &rows) == 3 && rows == 2);
    stream.release(&stream);
    CHECK(stream.release == NULL);

    /* more than fits into the queue, read to its end and left early */
    check_done(arus_engine_query(engine, "SELECT id FROM range(300000)", &stream, &problem),
               &problem);
    CHECK(sum(&stream, &rows) == (int64_t)300000 * 299999 / 2 && rows == 300000);
    stream.release(&stream);
    check_done(arus_engine_query(engine, "SELECT id FROM range(3000000)", &stream, &problem),
               &problem);
    {
        struct ArrowArray array;

        CHECK(stream.get_next(&stream, &array) == 0 && array.length > 0);
        array.release(&array);
    }
    stream.release(&stream);

    /* errors of the rows come through the stream */
    check_done(
        arus_engine_query(engine, "SELECT 1 DIV (id - 20000) FROM range(30000)", &stream, &problem),
        &problem);
    CHECK(sum(&stream, &rows) == -1);
    CHECK(strstr(stream.get_last_error(&stream), "[DIVIDE_BY_ZERO]") != NULL);
    stream.release(&stream);
    CHECK(arus_engine_query(engine, "SET x = 1", &stream, &problem) == ARUS_OUTCOME_WRONG ||
          stream.release != NULL);
    if (stream.release != NULL) {
        stream.release(&stream);
    }
}

int main(int argc, char **argv)
{
    struct arus_engine *engine;
    struct arus_problem problem;

    CHECK(argc == 2);
    CHECK(arus_version()[0] != '\0');
    check_done(arus_engine_open(argv[1], 2, &engine, &problem), &problem);
    pipeline_runs_and_stops(engine);
    queries_give_rows(engine);
    problems_name_the_place(engine);
    arus_engine_close(engine);
    arus_engine_close(NULL);
    return 0;
}
