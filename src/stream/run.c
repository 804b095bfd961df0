/** Triggers: when the next micro-batch begins, and when there is none any more. */
#include "stream/query_internal.h"

#include <poll.h>

#define WAIT_MS_MAX 1000 /* a folder that cannot be watched is listed this often */
#define SOURCES_MAX 64

static int stop_level(const struct arus_query *query)
{
    return query->config.stop == NULL ? ARUS_STOP_NO : query->config.stop->level;
}

void arus_query_wait(struct arus_query *query, int64_t wait_ms, bool wants_input)
{
    struct pollfd fds[SOURCES_MAX + 1];
    nfds_t count = 0;
    bool must_poll = false;

    if (query->config.stop != NULL && query->config.stop->fd >= 0) {
        fds[count++] = (struct pollfd){.fd = query->config.stop->fd, .events = POLLIN};
    } else {
        must_poll = true;
    }
    for (uint32_t i = 0; wants_input && i < query->source_count && i < SOURCES_MAX; i++) {
        const struct arus_query_source *source = &query->sources[i];
        const int fd = source->source->ops->stream_wake_fd(source->stream);

        must_poll = must_poll || fd < 0;
        if (fd >= 0) {
            fds[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
        }
    }
    if (must_poll && wait_ms > 100) {
        wait_ms = 100;
    }
    (void)poll(fds, count, (int)wait_ms); /* woken too early: the next trigger finds nothing */
}

/* availableNow, once: batches until nothing is left of what was there. */
static enum arus_status run_available(struct arus_query *query, enum arus_query_end *end,
                                      struct arus_error *err)
{
    const bool once =
        query->config.plan->properties.trigger == ARUS_TRIGGER_ONCE && !query->config.available_now;
    bool did = true;

    *end = ARUS_END_DONE;
    while (did) {
        const bool was_pending = query->start.todo != ARUS_TODO_NEXT;

        ARUS_TRY(arus_query_trigger(query, once, &did, err));
        if (once && did && !was_pending) {
            return ARUS_OK;
        }
        if (did && stop_level(query) != ARUS_STOP_NO) {
            uint64_t left = 0;

            for (uint32_t i = 0; i < query->source_count; i++) {
                left += query->sources[i].planned.left_count;
            }
            *end = left == 0 ? ARUS_END_STOPPED : ARUS_END_INTERRUPTED;
            return ARUS_OK;
        }
    }
    return ARUS_OK;
}

int64_t arus_query_next_trigger_ms(int64_t start_ms, int64_t interval_ms)
{
    return (start_ms / interval_ms + 1) * interval_ms;
}

/* processingTime: for ever, at multiples of the interval, or as soon as something is new. */
static enum arus_status run_for_ever(struct arus_query *query, enum arus_query_end *end,
                                     struct arus_error *err)
{
    const int64_t interval_ms = query->config.plan->properties.trigger_ms;

    *end = ARUS_END_STOPPED;
    while (stop_level(query) == ARUS_STOP_NO) {
        const int64_t start_ms = arus_query_now_ms(query);
        bool did;

        ARUS_TRY(arus_query_trigger(query, false, &did, err));
        arus_query_outlasted(query);
        if (interval_ms > 0) { /* over already when the batch took longer: the next one at once */
            const int64_t until = arus_query_next_trigger_ms(start_ms, interval_ms);

            while (stop_level(query) == ARUS_STOP_NO && arus_query_now_ms(query) < until) {
                arus_query_wait(query, until - arus_query_now_ms(query), false);
            }
        } else if (!did && stop_level(query) == ARUS_STOP_NO) {
            arus_query_wait(query, WAIT_MS_MAX, true);
        }
    }
    return ARUS_OK;
}

/* Does the trigger ever come to an end by itself? */
static bool has_end(const struct arus_query *query)
{
    return query->config.available_now ||
           query->config.plan->properties.trigger != ARUS_TRIGGER_PROCESSING_TIME;
}

enum arus_status arus_query_run(struct arus_query *query, enum arus_query_end *end,
                                struct arus_error *err)
{
    enum arus_status status;

    if (has_end(query)) {
        status = run_available(query, end, err);
    } else {
        do {
            status = run_for_ever(query, end, err);
            if (status == ARUS_RETRY && stop_level(query) == ARUS_STOP_NO) {
                status = arus_query_outlast(query, err);
            }
        } while (status == ARUS_OK && stop_level(query) == ARUS_STOP_NO);
        if (status == ARUS_RETRY && stop_level(query) != ARUS_STOP_NO) {
            *end = ARUS_END_STOPPED; /* a stop while it waited; the batch's plan stays */
            return ARUS_OK;
        }
    }
    if (status == ARUS_RETRY && stop_level(query) == ARUS_STOP_NOW) {
        *end = ARUS_END_INTERRUPTED; /* the batch was given up on request; its plan stays */
        return ARUS_OK;
    }
    return status;
}
