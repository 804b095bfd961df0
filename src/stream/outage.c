/** What a run without an end outlasts: a broker, a registry that is away for a while. */
#include "base/clock.h"
#include "stream/query_internal.h"

#include <string.h>

#define PAUSE_MS_MIN 1000 /* between attempts; doubles */
#define PAUSE_MS_MAX 30000

static bool is_stopped(const struct arus_query *query)
{
    return query->config.stop != NULL && query->config.stop->level != ARUS_STOP_NO;
}

static void pause_for(struct arus_query *query, int64_t wait_ms)
{
    const int64_t until_us = arus_clock_monotonic_us() + wait_ms * 1000;
    int64_t left_ms = wait_ms;

    while (!is_stopped(query) && left_ms > 0) {
        arus_query_wait(query, left_ms, false);
        left_ms = (until_us - arus_clock_monotonic_us()) / 1000;
    }
}

/* "tried 30 s" and "tried 31 s" are the same trouble. */
static bool is_known(const struct arus_outage *outage, const struct arus_error *err)
{
    const char *known = outage->said.condition;

    return outage->pause_ms != 0 && (known != NULL && err->condition != NULL
                                         ? strcmp(known, err->condition) == 0
                                         : strcmp(outage->said.message, err->message) == 0);
}

/* One line for each kind of trouble, not for each attempt. */
static void say(struct arus_query *query, const struct arus_error *err)
{
    const bool has_condition = err->condition != NULL;

    if (is_known(&query->outage, err)) {
        return;
    }
    arus_logger_print(query->config.logger, ARUS_LOG_WARN,
                      "query %.*s, batch %lld: %s%s%s%s; trying again until it passes",
                      ARUS_TEXT_ARGS(query->config.plan->name), (long long)query->next_batch_id,
                      err->message, has_condition ? " [" : "", has_condition ? err->condition : "",
                      has_condition ? "]" : "");
    if (query->outage.pause_ms == 0) {
        query->outage.begin_us = arus_clock_monotonic_us();
        query->outage.pause_ms = PAUSE_MS_MIN;
    }
    query->outage.said = *err;
}

enum arus_status arus_query_outlast(struct arus_query *query, struct arus_error *err)
{
    enum arus_status status;

    do {
        say(query, err);
        pause_for(query, query->outage.pause_ms);
        query->outage.pause_ms *= query->outage.pause_ms * 2 <= PAUSE_MS_MAX ? 2 : 1;
        if (is_stopped(query)) {
            return ARUS_OK;
        }
        status = arus_query_reopen(query, err);
    } while (status == ARUS_RETRY);
    return status;
}

void arus_query_outlasted(struct arus_query *query)
{
    if (query->outage.pause_ms != 0) {
        arus_logger_print(
            query->config.logger, ARUS_LOG_WARN, "query %.*s goes on after %lld s",
            ARUS_TEXT_ARGS(query->config.plan->name),
            (long long)((arus_clock_monotonic_us() - query->outage.begin_us) / 1000000));
        query->outage.pause_ms = 0;
    }
}
