/** A query without an end into an in-memory sink, which is emptied behind each micro-batch. */
#include "cli/follow.h"

#include "cli/result.h"
#include "cli/signals.h"
#include "connector/memory.h"

#include <stdio.h>

#define NAME "followed"

/* What the query itself has to say about a broker that is away. */
static void write_log(void *self, enum arus_log_level level, const char *text)
{
    (void)self;
    (void)fprintf(stderr, "arus: %s: %s\n", arus_log_level_name(level), text);
}

struct follow {
    const struct arus_type *schema;
    struct arus_memory *memory;
    uint64_t left;           /* rows to print */
    enum arus_status status; /* of printing */
    struct arus_error err;
};

/* JSON lines, out at once: nothing waits in a buffer for the next micro-batch. */
static enum arus_status print_chunk(struct follow *follow, const struct arus_row_store *rows,
                                    struct arus_error *err)
{
    const struct arus_terminal screen = {0};
    struct arus_result *result;
    enum arus_status status = arus_result_open(ARUS_RESULT_JSON, follow->schema, ARUS_ZONE_UTC,
                                               &screen, follow->left, &result, err);

    for (size_t i = 0; status == ARUS_OK && i < rows->batch_count; i++) {
        status = arus_result_write(result, &rows->batches[i], err);
    }
    if (status == ARUS_OK) {
        status = arus_result_finish(result, err);
        follow->left -= arus_result_shown(result);
    }
    arus_result_close(result);
    (void)fflush(stdout);
    return status;
}

static enum arus_status print_new(struct follow *follow, struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_chunks chunks = {0};
    enum arus_status status =
        arus_memory_take(follow->memory, ARUS_TEXT(NAME), 0, SIZE_MAX, &arena, &chunks, err);

    for (size_t i = 0; status == ARUS_OK && i < chunks.count; i++) {
        status = print_chunk(follow, &chunks.items[i]->rows, err);
    }
    arus_chunks_drop(&chunks);
    arus_arena_release(&arena);
    arus_memory_clear(follow->memory, ARUS_TEXT(NAME));
    return status;
}

static void on_progress(void *self, const struct arus_progress *progress)
{
    struct follow *follow = self;

    if (!progress->is_idle && follow->status == ARUS_OK) {
        follow->status = print_new(follow, &follow->err);
    }
    if (follow->status != ARUS_OK || follow->left == 0 || ferror(stdout)) {
        arus_signals_stop_after_batch();
    }
}

static enum arus_status run(struct follow *follow, const struct arus_stream_query *plan,
                            struct arus_error *err)
{
    const struct arus_logger logger = {write_log, NULL, ARUS_LOG_WARN};
    const struct arus_query_config config = {.plan = plan,
                                             .stop = arus_signals_stop(),
                                             .logger = &logger,
                                             .on_progress = on_progress,
                                             .self = follow};
    struct arus_query *query;
    struct arus_error later;
    enum arus_query_end end;
    enum arus_status status = arus_query_open(&config, &query, err);

    if (status != ARUS_OK) {
        return status;
    }
    status = arus_query_run(query, &end, err);
    if (arus_query_close(query, &later) != ARUS_OK && status == ARUS_OK) {
        *err = later;
        status = later.status;
    }
    if (status == ARUS_OK && follow->status != ARUS_OK && !ferror(stdout)) {
        *err = follow->err; /* else nobody reads any more: a good end */
        status = follow->status;
    }
    return status;
}

static const struct arus_stream_query *find_plan(struct arus_session *session)
{
    size_t count;
    const struct arus_action *actions = arus_session_actions(session, &count);

    ARUS_ASSERT(count == 1 && actions[0].kind == ARUS_ACTION_STREAM);
    return actions[0].stream;
}

static enum arus_status follow_with(struct follow *follow, struct arus_opened *opened,
                                    struct arus_error *err)
{
    const struct arus_stream_query *plan = find_plan(opened->session);
    enum arus_status status;

    follow->schema = plan->physical->schema;
    ARUS_TRY(arus_signals_take(err));
    status = run(follow, plan, err);
    arus_signals_release();
    return status;
}

enum arus_status arus_follow(struct arus_opened *opened, const struct arus_args *args,
                             const char *select, struct arus_error *err)
{
    struct follow follow = {.status = ARUS_OK,
                            .left = arus_args_number(args, ARUS_FLAG_COUNT, UINT64_MAX)};
    char text[1024];
    enum arus_status status;

    (void)snprintf(text, sizeof text, "CREATE STREAMING TABLE " NAME " USING memory AS %s;",
                   select);
    arus_sql_input_release(&opened->input);
    ARUS_TRY(arus_sql_input_text(text, &opened->input, err));
    ARUS_TRY(arus_memory_make(&follow.memory, err));
    arus_session_use_memory(opened->session, follow.memory);
    status = arus_session_read(opened->session, arus_buffer_text(&opened->input.text),
                               &opened->findings, err);
    if (status == ARUS_OK) {
        status = follow_with(&follow, opened, err);
    }
    arus_session_use_memory(opened->session, NULL);
    arus_memory_free(follow.memory);
    return status;
}
