/** `arus run`: the queries of a pipeline, each on a thread of its own. */
#include "base/thread.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/prompt.h"
#include "cli/run.h"
#include "cli/serve.h"
#include "cli/signals.h"
#include "cli/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- choosing queries ---- */

static bool is_wanted(const struct arus_opened *opened, const struct arus_action *action)
{
    return action->kind == ARUS_ACTION_STREAM &&
           (opened->input.query[0] == '\0' ||
            arus_text_equal_nocase(action->stream->name, arus_text_of(opened->input.query)));
}

static enum arus_status fail_query(struct arus_opened *opened)
{
    struct arus_error err;
    size_t count;
    const struct arus_action *actions = arus_session_actions(opened->session, &count);
    const enum arus_status status =
        arus_fail(&err, ARUS_BAD_CONFIG, NULL, "no streaming table `%s`", opened->input.query);
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == ARUS_ACTION_STREAM && size < sizeof err.help) {
            size += (size_t)snprintf(err.help + size, sizeof err.help - size, "%s%.*s",
                                     size == 0 ? "there is " : ", ",
                                     ARUS_TEXT_ARGS(actions[i].stream->name));
        }
    }
    arus_opened_fail(opened, arus_sql_input_name(&opened->input), &err);
    return status;
}

static enum arus_status choose(struct arus_run *run)
{
    size_t count;
    const struct arus_action *actions = arus_session_actions(run->opened.session, &count);

    for (size_t i = 0; i < count && run->query_count < ARUS_RUN_QUERIES_MAX; i++) {
        if (is_wanted(&run->opened, &actions[i])) {
            struct arus_running *running = &run->queries[run->query_count++];

            running->plan = actions[i].stream;
            running->run = run;
            arus_running_begin(running);
        }
    }
    if (run->query_count == 0 && run->opened.input.query[0] != '\0') {
        return fail_query(&run->opened);
    }
    return count == 0 ? arus_fail_nothing_to_run(&run->opened) : ARUS_OK;
}

/* ---- running ---- */

/* An error with a line of a data file in front says in its note which query met it. */
static void note_subject(struct arus_error *err, const char *subject)
{
    char note[sizeof err->note];

    (void)snprintf(note, sizeof note, "%s", err->note);
    (void)arus_error_note(err, "%s%s%s", subject, note[0] == '\0' ? "" : "; ", note);
}

static void fail_running(struct arus_running *running)
{
    char subject[320];

    if (running->query == NULL || running->err.status == ARUS_MISMATCH) {
        (void)snprintf(subject, sizeof subject, "query %.*s", ARUS_TEXT_ARGS(running->plan->name));
    } else {
        (void)snprintf(subject, sizeof subject, "query %.*s, batch %lld",
                       ARUS_TEXT_ARGS(running->plan->name),
                       (long long)arus_query_batch_id(running->query));
    }
    if (running->err.file.line != 0 && running->err.place.size == 0) {
        note_subject(&running->err, subject);
    }
    arus_run_print_error(running->run, subject, &running->err);
}

static enum arus_status open_queries(struct arus_run *run, const struct arus_args *args)
{
    const char *name = strrchr(run->opened.input.path.text, '/');
    struct arus_path pipeline;
    struct arus_error err;

    name = name == NULL ? run->opened.input.path.text : name + 1;
    if (arus_path_join(&pipeline, run->opened.input.folder.text, name, &err) != ARUS_OK) {
        arus_run_print_error(run, NULL, &err);
        return err.status;
    }
    for (uint32_t i = 0; i < run->query_count; i++) {
        struct arus_running *running = &run->queries[i];
        const struct arus_query_config config = {
            .plan = running->plan,
            .pipeline = pipeline.text,
            .thread_count = (uint32_t)arus_args_number(args, ARUS_FLAG_THREADS, 0),
            .available_now = arus_args_has(args, ARUS_FLAG_AVAILABLE_NOW),
            .stop = run->stop,
            .logger = &run->logger,
            .on_progress = arus_running_progress,
            .self = running};

        running->status = arus_query_open(&config, &running->query, &running->err);
        if (running->status != ARUS_OK) {
            fail_running(running);
            return running->status;
        }
        running->known_before = arus_query_look(running->query).files_done;
    }
    return ARUS_OK;
}

static enum arus_status run_one(void *self, uint32_t task, uint32_t worker, struct arus_error *err)
{
    struct arus_run *run = self;
    struct arus_running *running = &run->queries[task];

    (void)worker;
    (void)err;
    running->status = arus_query_run(running->query, &running->end, &running->err);
    if (running->status != ARUS_OK) {
        fail_running(running);
        arus_signals_stop_after_batch(); /* the others must not go on alone */
    }
    arus_running_end(running);
    return ARUS_OK;
}

static enum arus_status run_queries(struct arus_run *run)
{
    struct arus_pool *pool;
    struct arus_error err;
    enum arus_status status = arus_pool_open(run->query_count, &pool, &err);

    if (status == ARUS_OK) {
        status = arus_pool_run(pool, run_one, run, run->query_count, &err);
        arus_pool_close(pool);
    }
    if (status != ARUS_OK) {
        arus_run_print_error(run, NULL, &err);
    }
    return status;
}

/* Closes all that were opened; a failure here counts where none came before. */
static void close_queries(struct arus_run *run)
{
    for (uint32_t i = 0; i < run->query_count; i++) {
        struct arus_running *running = &run->queries[i];
        struct arus_error err;
        const enum arus_status status = arus_query_close(running->query, &err);

        if (status != ARUS_OK && running->status == ARUS_OK) {
            running->status = status;
            running->err = err;
            fail_running(running);
        }
        running->query = NULL;
    }
}

/* ---- the end ---- */

static int exit_code(const struct arus_run *run)
{
    int code = ARUS_EXIT_DONE;

    for (uint32_t i = 0; i < run->query_count; i++) {
        if (run->queries[i].status != ARUS_OK) {
            return arus_exit_of(run->queries[i].status);
        }
        if (run->queries[i].end == ARUS_END_INTERRUPTED) {
            code = ARUS_EXIT_STOPPED;
        }
    }
    return code;
}

/* Rows were dropped that could have been kept. */
static bool say_side_tip(const struct arus_running *running)
{
    const struct arus_stream_properties *properties = &running->plan->properties;
    char count[ARUS_HUMAN_SIZE * 2];
    char dropped[ARUS_HUMAN_SIZE];

    if (properties->checkpoint_path == NULL) {
        return false;
    }
    if (running->late_rows != 0 && !properties->late_table) {
        (void)fprintf(stderr,
                      "tip: %s dropped (Spark's metric: %s, after partial aggregation); keep "
                      "them: --set arus.lateTable=true\n",
                      arus_human_noun(running->late_rows, "late row", count),
                      arus_human_count(running->dropped_groups, dropped));
        return true;
    }
    if (running->rejected_rows != 0 && !properties->rejects_table) {
        (void)fprintf(stderr, "tip: %s dropped; keep them: --set arus.rejectsTable=true\n",
                      arus_human_noun(running->rejected_rows, "bad record", count));
        return true;
    }
    return false;
}

/* Once a run, on a terminal. */
static void say_tip(const struct arus_run *run)
{
    const struct arus_running *first = &run->queries[0];

    if (run->opened.is_quiet || !run->opened.errors.is_terminal || first->status != ARUS_OK ||
        say_side_tip(first) || first->batch_first != 0 || first->plan->sink->path == NULL) {
        return;
    }
    (void)fprintf(stderr, "tip: see the rows: arus cat %.*s   the checkpoint: arus status %s\n",
                  ARUS_TEXT_ARGS(first->plan->sink->location),
                  arus_sql_input_name(&run->opened.input));
}

static enum arus_status serve(struct arus_run *run, const struct arus_args *args)
{
    struct arus_error err;

    if (arus_serve_begin(run, args, &err) != ARUS_OK) {
        arus_run_print_error(run, NULL, &err);
        return err.status;
    }
    return ARUS_OK;
}

static int run_streams(struct arus_run *run, const struct arus_args *args)
{
    enum arus_status status = open_queries(run, args);

    if (status == ARUS_OK) {
        status = serve(run, args);
    }
    if (status == ARUS_OK) {
        arus_watch_begin(run);
        status = run_queries(run);
        arus_watch_end(run);
        arus_serve_end(run);
        for (uint32_t i = 0; i < run->query_count; i++) {
            arus_running_say_end(&run->queries[i]);
        }
    }
    close_queries(run);
    if (status != ARUS_OK) {
        return arus_exit_of(status);
    }
    say_tip(run);
    return exit_code(run);
}

static enum arus_status prepare(struct arus_run *run, const struct arus_args *args)
{
    struct arus_error err;
    enum arus_status status = arus_sql_input_file(args->operands[0], &run->opened.input, &err);

    if (status == ARUS_OK) {
        status = arus_run_begin(run, args, &err);
    }
    if (status != ARUS_OK) {
        arus_opened_fail(&run->opened, arus_sql_input_name(&run->opened.input), &err);
        return status;
    }
    ARUS_TRY(arus_opened_session(&run->opened, args, &run->logger));
    ARUS_TRY(arus_opened_read(&run->opened));
    return choose(run);
}

int arus_command_run(const struct arus_args *args)
{
    struct arus_run *run = arus_run_new();
    enum arus_status status;
    int code;

    if (run == NULL) {
        (void)fprintf(stderr, "arus: error: out of memory\n");
        return ARUS_EXIT_FAILED;
    }
    arus_opened_begin(&run->opened, args);
    status = prepare(run, args);
    if (status == ARUS_OK && run->opened.input.query[0] == '\0') {
        status = arus_show_actions(&run->opened, ARUS_RESULT_TABLE);
    }
    code = status != ARUS_OK       ? arus_exit_of(status)
           : run->query_count == 0 ? ARUS_EXIT_DONE
                                   : run_streams(run, args);
    arus_run_close(run);
    return code;
}
