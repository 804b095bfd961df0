/** Running the streaming queries of an engine. */
#include "api/engine_internal.h"
#include "base/alloc.h"
#include "base/thread.h"

#include <errno.h>
#include <unistd.h>

/* One query of the run. */
struct running {
    const struct engine_stream *stream;
    struct arus_query *query;
    struct run *run;
    enum arus_query_end end;
    struct arus_error err; /* err.status: ARUS_OK while nothing failed */
};

struct run {
    struct arus_engine *engine;
    struct arus_run_options options;
    struct arus_query_clock clock; /* of options.now_ms */
    struct running *items;         /* [count] */
    uint32_t count;
};

/* ---- stopping ---- */

static void raise_stop(struct arus_engine *engine, enum arus_stop_level level)
{
    const char byte = 0;
    const int saved = errno;

    if (engine->stop.level < (int)level) {
        engine->stop.level = (int)level;
    }
    if (write(engine->stop_write_fd, &byte, 1) < 0) {
        errno = saved; /* a full pipe is readable all the same */
    }
    errno = saved;
}

void arus_engine_stop(struct arus_engine *engine, bool now)
{
    raise_stop(engine, now ? ARUS_STOP_NOW : ARUS_STOP_AFTER_BATCH);
}

static void forget_stop(struct arus_engine *engine)
{
    char bytes[64];

    while (read(engine->stop.fd, bytes, sizeof bytes) > 0) {
    }
    engine->stop.level = ARUS_STOP_NO;
}

/* ---- choosing ---- */

static enum arus_status fail_choice(const struct arus_engine *engine, const char *query,
                                    struct arus_error *err)
{
    struct arus_buffer names = {0};
    struct arus_error ignored;

    if (query == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "no streaming table was loaded");
    }
    for (size_t i = 0; i < engine->stream_count; i++) {
        arus_ignore(arus_buffer_printf(&names, &ignored, "%s%s", i == 0 ? "there is " : ", ",
                                       engine->streams[i].name));
    }
    arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, NULL, "no streaming table `%s`", query));
    if (names.size != 0) {
        (void)arus_error_help(err, "%.*s", ARUS_TEXT_ARGS(arus_buffer_text(&names)));
    }
    arus_buffer_release(&names);
    return err->status;
}

static enum arus_status choose(struct run *run, struct arus_error *err)
{
    struct arus_engine *engine = run->engine;
    const char *wanted = run->options.query;

    run->items = arus_alloc(engine->stream_count + 1, sizeof *run->items);
    if (run->items == NULL) {
        return arus_fail_memory(err);
    }
    for (size_t i = 0; i < engine->stream_count; i++) {
        const struct engine_stream *stream = &engine->streams[i];

        if (wanted == NULL ||
            arus_text_equal_nocase(arus_text_of(wanted), arus_text_of(stream->name))) {
            run->items[run->count++] = (struct running){.stream = stream, .run = run};
        }
    }
    return run->count == 0 ? fail_choice(engine, wanted, err) : ARUS_OK;
}

/* ---- running ---- */

static void tell_progress(void *self, const struct arus_progress *progress)
{
    const struct running *running = self;
    const struct run *run = running->run;
    struct arus_buffer *text = &run->engine->progress;
    struct arus_error ignored;

    (void)pthread_mutex_lock(&run->engine->mutex);
    arus_buffer_reset(text);
    if (arus_progress_json(progress, text, &ignored) == ARUS_OK &&
        arus_buffer_append_char(text, '\0', &ignored) == ARUS_OK) {
        run->options.on_progress(run->options.self, running->stream->name, text->data);
    }
    (void)pthread_mutex_unlock(&run->engine->mutex);
}

static enum arus_status open_queries(struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        struct running *running = &run->items[i];
        const struct arus_query_config config = {
            .plan = running->stream->plan,
            .pipeline = running->stream->pipeline,
            .thread_count = run->engine->thread_count,
            .available_now = run->options.available_now,
            .clock = run->options.now_ms == NULL ? NULL : &run->clock,
            .stop = &run->engine->stop,
            .on_progress = run->options.on_progress == NULL ? NULL : tell_progress,
            .self = running};
        struct arus_error err;

        if (arus_query_open(&config, &running->query, &err) != ARUS_OK) {
            running->err = err;
            return err.status;
        }
    }
    return ARUS_OK;
}

static enum arus_status run_one(void *self, uint32_t task, uint32_t worker, struct arus_error *err)
{
    struct run *run = self;
    struct running *running = &run->items[task];
    struct arus_error failure;

    (void)worker;
    (void)err;
    if (arus_query_run(running->query, &running->end, &failure) != ARUS_OK) {
        running->err = failure;
        raise_stop(run->engine, ARUS_STOP_AFTER_BATCH); /* the others must not go on alone */
    }
    return ARUS_OK;
}

static enum arus_status run_queries(struct run *run, struct arus_error *err)
{
    struct arus_pool *pool;
    enum arus_status status;

    ARUS_TRY(arus_pool_open(run->count, &pool, err));
    status = arus_pool_run(pool, run_one, run, run->count, err);
    arus_pool_close(pool);
    return status;
}

static void close_queries(struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        struct running *running = &run->items[i];
        struct arus_error err;

        if (arus_query_close(running->query, &err) != ARUS_OK && running->err.status == ARUS_OK) {
            running->err = err;
        }
    }
}

static enum arus_outcome outcome_of(const struct run *run, struct arus_problem *problem)
{
    enum arus_outcome outcome = ARUS_OUTCOME_DONE;

    for (uint32_t i = 0; i < run->count; i++) {
        const struct running *running = &run->items[i];

        if (running->err.status != ARUS_OK) {
            const struct engine_origin origin = {running->stream->plan->physical->sql,
                                                 running->stream->file, running->stream->name};

            return arus_problem_fill(&running->err, origin, problem);
        }
        if (running->end == ARUS_END_INTERRUPTED) {
            outcome = ARUS_OUTCOME_INTERRUPTED;
        }
    }
    return outcome;
}

static enum arus_outcome run_chosen(struct run *run, struct arus_problem *problem)
{
    struct arus_error err = {.status = ARUS_OK};

    if (open_queries(run) == ARUS_OK) {
        arus_ignore(run_queries(run, &err));
    }
    close_queries(run);
    return err.status == ARUS_OK ? outcome_of(run, problem)
                                 : arus_problem_fill(&err, (struct engine_origin){0}, problem);
}

enum arus_outcome arus_engine_run(struct arus_engine *engine,
                                  const struct arus_run_options *options,
                                  struct arus_problem *problem)
{
    struct run run = {.engine = engine};
    enum arus_outcome outcome;
    struct arus_error err;

    if (options != NULL) {
        run.options = *options;
        run.clock = (struct arus_query_clock){options->now_ms, options->self};
    }
    if (choose(&run, &err) != ARUS_OK) {
        outcome = arus_problem_fill(&err, (struct engine_origin){0}, problem);
    } else if (engine->stop.level != ARUS_STOP_NO) {
        outcome = ARUS_OUTCOME_INTERRUPTED;
    } else {
        outcome = run_chosen(&run, problem);
    }
    forget_stop(engine);
    arus_free(run.items);
    return outcome;
}
