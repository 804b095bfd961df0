/** Numbers of a running query for other threads: a live line, a signal, a metric. */
#include "base/clock.h"
#include "stream/query_internal.h"

struct files {
    uint64_t known;
    uint64_t left;
};

static struct files count_files(const struct arus_query *query)
{
    struct files files = {0};

    for (uint32_t i = 0; i < query->source_count; i++) {
        files.known += query->sources[i].planned.known_count;
        files.left += query->sources[i].planned.left_count;
    }
    return files;
}

void arus_query_live_plan(struct arus_query *query)
{
    const struct files files = count_files(query);

    atomic_store(&query->live.exec.task_done, 0);
    atomic_store(&query->live.exec.task_count, 0);
    atomic_store(&query->live.files_known, files.known);
    atomic_store(&query->live.files_left, files.left);
    atomic_store(&query->live.batch_id, query->next_batch_id);
    atomic_store(&query->live.idle_since_ms, 0);
}

void arus_query_live_done(struct arus_query *query, bool is_idle)
{
    const struct files files = count_files(query);

    atomic_store(&query->live.batch_id, query->next_batch_id);
    atomic_store(&query->live.files_known, files.known);
    atomic_store(&query->live.files_done, files.known);
    atomic_store(&query->live.files_left, files.left);
    if (is_idle && atomic_load(&query->live.idle_since_ms) == 0) {
        atomic_store(&query->live.idle_since_ms, arus_clock_wall_ms());
    }
}

struct arus_query_now arus_query_look(const struct arus_query *query)
{
    const struct arus_query_live *live = &query->live;
    const uint32_t task_count = atomic_load(&live->exec.task_count);
    const uint32_t task_done = atomic_load(&live->exec.task_done);

    return (struct arus_query_now){
        .batch_id = atomic_load(&live->batch_id),
        .rows = atomic_load(&live->exec.row_count),
        .files_known = atomic_load(&live->files_known),
        .files_done = atomic_load(&live->files_done),
        .files_left = atomic_load(&live->files_left),
        .batch_done = task_count == 0 ? 0 : (double)task_done / (double)task_count,
        .idle_since_ms = atomic_load(&live->idle_since_ms),
        .reopened_count = atomic_load(&live->reopened_count),
    };
}
