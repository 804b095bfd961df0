/** The pages of a run. Each is made under the run's lock, from numbers that are there already. */
#include "cli/serve.h"

#include "base/clock.h"
#include "cli/http.h"

#include <string.h>

#define STALE_MS 30000 /* the watcher looks every second */

static const char PLAIN[] = "text/plain; charset=utf-8";
static const char JSON[] = "application/json";

static enum arus_status page_metrics(struct arus_run *run, struct arus_http_answer *answer,
                                     struct arus_error *err)
{
    struct arus_metrics_view views[ARUS_RUN_QUERIES_MAX];

    for (uint32_t i = 0; i < run->query_count; i++) {
        const struct arus_running *running = &run->queries[i];
        const bool has_failed = running->is_done && running->status != ARUS_OK;
        const char *condition = running->err.condition == NULL ? "none" : running->err.condition;

        views[i] =
            (struct arus_metrics_view){.query = running->name,
                                       .metrics = &running->metrics,
                                       .is_running = !running->is_done,
                                       .reconnects = arus_query_look(running->query).reopened_count,
                                       .failure = has_failed ? condition : NULL};
    }
    answer->type = "text/plain; version=0.0.4; charset=utf-8";
    return arus_metrics_write(views, run->query_count, &answer->body, err);
}

/* {"windows":{..Spark's progress..},"totals":null} */
static enum arus_status page_progress(struct arus_run *run, struct arus_http_answer *answer,
                                      struct arus_error *err)
{
    answer->type = JSON;
    for (uint32_t i = 0; i < run->query_count; i++) {
        const struct arus_text text = arus_buffer_text(&run->queries[i].metrics.progress);

        ARUS_TRY(arus_buffer_printf(&answer->body, err, "%s\"%s\":", i == 0 ? "{" : ",",
                                    run->queries[i].name));
        ARUS_TRY(
            arus_buffer_append_text(&answer->body, text.size == 0 ? ARUS_TEXT("null") : text, err));
    }
    return arus_buffer_append_text(&answer->body, ARUS_TEXT("}\n"), err);
}

/* The loop turns, and no query has failed. */
static enum arus_status page_health(struct arus_run *run, struct arus_http_answer *answer,
                                    struct arus_error *err)
{
    for (uint32_t i = 0; i < run->query_count; i++) {
        if (run->queries[i].is_done && run->queries[i].status != ARUS_OK) {
            answer->status = 503;
            ARUS_TRY(arus_buffer_printf(&answer->body, err, "query %s failed: %s\n",
                                        run->queries[i].name, run->queries[i].err.message));
        }
    }
    if (run->told_ms != 0 && arus_clock_wall_ms() - run->told_ms > STALE_MS) {
        answer->status = 503;
        ARUS_TRY(arus_buffer_printf(&answer->body, err, "nothing has moved for 30 s\n"));
    }
    return answer->status == 200 ? arus_buffer_append_text(&answer->body, ARUS_TEXT("ok\n"), err)
                                 : ARUS_OK;
}

/* Every query has published a batch, or found nothing new. */
static enum arus_status page_ready(struct arus_run *run, struct arus_http_answer *answer,
                                   struct arus_error *err)
{
    for (uint32_t i = 0; i < run->query_count; i++) {
        if (!run->queries[i].metrics.is_ready) {
            answer->status = 503;
            ARUS_TRY(arus_buffer_printf(&answer->body, err, "query %s has no batch yet\n",
                                        run->queries[i].name));
        }
    }
    return answer->status == 200 ? arus_buffer_append_text(&answer->body, ARUS_TEXT("ready\n"), err)
                                 : ARUS_OK;
}

static enum arus_status page_list(struct arus_run *run, struct arus_http_answer *answer,
                                  struct arus_error *err)
{
    (void)run;
    return arus_buffer_append_text(&answer->body,
                                   ARUS_TEXT("/metrics   for Prometheus\n/progress  the newest "
                                             "progress record of each query\n/healthz   200 while "
                                             "the queries run\n/readyz    200 once each query "
                                             "published a batch or found nothing new\n"),
                                   err);
}

static const struct {
    const char *path;
    enum arus_status (*make)(struct arus_run *run, struct arus_http_answer *answer,
                             struct arus_error *err);
} PAGES[] = {{"/metrics", page_metrics},
             {"/progress", page_progress},
             {"/healthz", page_health},
             {"/readyz", page_ready},
             {"/", page_list}};

static void serve_page(void *self, const char *path, struct arus_http_answer *answer)
{
    struct arus_run *run = self;
    struct arus_error err;

    answer->type = PLAIN;
    for (size_t i = 0; i < sizeof PAGES / sizeof PAGES[0]; i++) {
        if (strcmp(PAGES[i].path, path) != 0) {
            continue;
        }
        answer->status = 200;
        (void)pthread_mutex_lock(&run->mutex);
        if (PAGES[i].make(run, answer, &err) != ARUS_OK) {
            answer->status = 500; /* no memory */
        }
        (void)pthread_mutex_unlock(&run->mutex);
        return;
    }
}

enum arus_status arus_serve_begin(struct arus_run *run, const struct arus_args *args,
                                  struct arus_error *err)
{
    const struct arus_flag_use *metrics = arus_args_find(args, ARUS_FLAG_METRICS);

    if (metrics == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_http_open(metrics->value, serve_page, run, &run->http, err));
    if (!run->opened.is_quiet) {
        (void)fprintf(stderr, "arus: metrics at http://%s/metrics\n", arus_http_address(run->http));
    }
    return ARUS_OK;
}

void arus_serve_end(struct arus_run *run)
{
    arus_http_close(run->http);
    run->http = NULL;
}
