/** Batch queries as Arrow streams: a job runs ahead of the reader, a few batches at most. */
#include "api/engine_internal.h"
#include "base/alloc.h"
#include "base/thread.h"
#include "column/arrow.h"

#include <errno.h>
#include <stdio.h>

#define AHEAD_MAX ((uint32_t)4) /* batches that wait for the reader */

struct rows {
    struct arus_engine *engine;
    const struct arus_batch_query *query;
    struct arus_background *background;
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* queue, is_ended, is_left */
    struct ArrowArray queue[AHEAD_MAX];
    uint32_t first;
    uint32_t count;
    bool is_begun;
    bool is_ended; /* the job adds no more */
    bool is_left;  /* the reader wants no more */
    bool has_failed;
    struct arus_error err;
    char error_text[700];
};

/* ---- the job ---- */

static enum arus_status enqueue(struct rows *rows, struct ArrowArray *array, struct arus_error *err)
{
    bool is_left;

    (void)pthread_mutex_lock(&rows->mutex);
    while (rows->count == AHEAD_MAX && !rows->is_left) {
        (void)pthread_cond_wait(&rows->changed, &rows->mutex);
    }
    is_left = rows->is_left;
    if (!is_left) {
        rows->queue[(rows->first + rows->count) % AHEAD_MAX] = *array;
        rows->count++;
        (void)pthread_cond_broadcast(&rows->changed);
    }
    (void)pthread_mutex_unlock(&rows->mutex);
    if (is_left) {
        array->release(array);
        return arus_fail(err, ARUS_RETRY, NULL, "stopped");
    }
    return ARUS_OK;
}

static enum arus_status write_batch(void *self, const struct arus_batch *batch,
                                    struct arus_error *err)
{
    struct ArrowArray array;

    ARUS_TRY(arus_arrow_batch(batch, &array, err));
    return enqueue(self, &array, err);
}

static enum arus_status run_job(void *self, struct arus_error *err)
{
    struct rows *rows = self;
    const enum arus_status status =
        arus_session_run_batch(rows->engine->session, rows->query, write_batch, rows, err);

    (void)pthread_mutex_lock(&rows->mutex);
    rows->is_ended = true;
    if (status != ARUS_OK) {
        rows->has_failed = true;
        rows->err = *err;
    }
    (void)pthread_cond_broadcast(&rows->changed);
    (void)pthread_mutex_unlock(&rows->mutex);
    return ARUS_OK;
}

/* ---- the reader ---- */

static int fail_reader(struct rows *rows, const struct arus_error *err)
{
    const bool has_condition = err->condition != NULL;

    (void)snprintf(rows->error_text, sizeof rows->error_text, "%s%s%s%s", err->message,
                   has_condition ? " [" : "", has_condition ? err->condition : "",
                   has_condition ? "]" : "");
    return err->status == ARUS_NO_MEMORY ? ENOMEM : EIO;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct rows *rows = stream->private_data;
    struct arus_error err;

    return arus_arrow_schema(rows->query->physical->schema, out, &err) == ARUS_OK
               ? 0
               : fail_reader(rows, &err);
}

/* Batches that came before a failure are given first. */
static int take(struct rows *rows, struct ArrowArray *out)
{
    int code = 0;

    (void)pthread_mutex_lock(&rows->mutex);
    while (rows->count == 0 && !rows->is_ended) {
        (void)pthread_cond_wait(&rows->changed, &rows->mutex);
    }
    if (rows->count != 0) {
        *out = rows->queue[rows->first];
        rows->first = (rows->first + 1) % AHEAD_MAX;
        rows->count--;
        (void)pthread_cond_broadcast(&rows->changed);
    } else if (rows->has_failed) {
        code = fail_reader(rows, &rows->err);
    }
    (void)pthread_mutex_unlock(&rows->mutex);
    return code;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct rows *rows = stream->private_data;
    struct arus_error err;

    *out = (struct ArrowArray){0}; /* release NULL: the end */
    if (!rows->is_begun) {
        if (arus_background_start(rows->background, run_job, rows, &err) != ARUS_OK) {
            return fail_reader(rows, &err);
        }
        rows->is_begun = true;
    }
    return take(rows, out);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const struct rows *rows = stream->private_data;

    return rows->error_text[0] == '\0' ? NULL : rows->error_text;
}

static void release_rows(struct rows *rows)
{
    (void)pthread_mutex_lock(&rows->mutex);
    rows->is_left = true;
    (void)pthread_cond_broadcast(&rows->changed);
    (void)pthread_mutex_unlock(&rows->mutex);
    arus_background_close(rows->background);
    for (; rows->count != 0; rows->count--) {
        struct ArrowArray *array = &rows->queue[(rows->first + rows->count - 1) % AHEAD_MAX];

        array->release(array);
    }
    (void)pthread_cond_destroy(&rows->changed);
    (void)pthread_mutex_destroy(&rows->mutex);
    arus_free(rows);
}

static void release_stream(struct ArrowArrayStream *stream)
{
    release_rows(stream->private_data);
    stream->private_data = NULL;
    stream->release = NULL;
}

/* ---- the call ---- */

static const struct arus_batch_query *last_query(const struct arus_session *session)
{
    size_t count;
    const struct arus_action *actions = arus_session_actions(session, &count);

    while (count > 0) {
        if (actions[--count].kind == ARUS_ACTION_QUERY) {
            return actions[count].query;
        }
    }
    return NULL;
}

static enum arus_status open_rows(struct arus_engine *engine, struct ArrowArrayStream *out,
                                  struct arus_error *err)
{
    const struct arus_batch_query *query = last_query(engine->session);
    struct rows *rows;

    if (query == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, "PARSE_EMPTY_STATEMENT", "no query");
    }
    rows = arus_alloc(1, sizeof *rows);
    if (rows == NULL) {
        return arus_fail_memory(err);
    }
    rows->engine = engine;
    rows->query = query;
    (void)pthread_mutex_init(&rows->mutex, NULL);
    (void)pthread_cond_init(&rows->changed, NULL);
    if (arus_background_open(&rows->background, err) != ARUS_OK) {
        release_rows(rows);
        return err->status;
    }
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, rows};
    return ARUS_OK;
}

enum arus_outcome arus_engine_query(struct arus_engine *engine, const char *text,
                                    struct ArrowArrayStream *out, struct arus_problem *problem)
{
    const enum arus_outcome outcome =
        arus_engine_read(engine, arus_text_of(text), "", NULL, problem);
    struct arus_error err;

    *out = (struct ArrowArrayStream){0};
    if (outcome != ARUS_OUTCOME_DONE) {
        return outcome;
    }
    if (open_rows(engine, out, &err) != ARUS_OK) {
        return arus_problem_fill(&err, (struct engine_origin){0}, problem);
    }
    return ARUS_OUTCOME_DONE;
}
