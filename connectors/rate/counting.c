#include "rate/counting.h"

#include "base/alloc.h"

#include <math.h>

static const struct arus_field FIELDS[] = {
    {.name = {"timestamp", 9}, .type = &ARUS_TIMESTAMP, .is_nullable = true},
    {.name = {"value", 5}, .type = &ARUS_BIGINT, .is_nullable = true}};
static const struct arus_type SCHEMA = {.id = ARUS_TYPE_STRUCT, .field_count = 2, .fields = FIELDS};

enum arus_status arus_counting_bind(struct arus_source *source, const struct arus_table *table,
                                    const char *description, struct arus_error *err)
{
    source->table = table;
    source->schema = &SCHEMA;
    source->location = arus_text_of(table->connector->name);
    source->description = arus_text_of(description);
    if (table->declared == NULL || arus_type_equal(table->declared, &SCHEMA)) {
        return ARUS_OK;
    }
    return arus_fail_at(err, table->place, NULL,
                        "%s has the columns timestamp TIMESTAMP, value BIGINT: leave them out",
                        table->connector->name);
}

struct counting_split {
    struct arus_split base;
    struct arus_counting rows;
    int64_t first;
    int64_t stride;
};

enum arus_status arus_counting_splits(const struct arus_counting *rows, int64_t partitions,
                                      uint32_t worker_count, struct arus_arena *arena,
                                      struct arus_splits *out, struct arus_error *err)
{
    const int64_t count = rows->end - rows->begin;
    int64_t parts = partitions == 0 ? worker_count : partitions;
    struct counting_split *splits;

    *out = (struct arus_splits){0};
    parts = parts < count ? parts : count;
    ARUS_TRY(ARUS_NEW(arena, struct counting_split, (size_t)parts + 1, &splits, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_split *, (size_t)parts + 1, &out->items, err));
    for (int64_t p = 0; p < parts; p++) {
        splits[p] = (struct counting_split){
            {(uint64_t)(count / parts), (uint32_t)p}, *rows, rows->begin + p, parts};
        out->items[out->count++] = &splits[p].base;
    }
    return ARUS_OK;
}

struct arus_source_scan {
    const struct arus_scan *request;
};

struct arus_scan_worker {
    const struct arus_source_scan *scan;
    const struct counting_split *split;
    int64_t next;
    struct arus_scan_stats stats;
    struct arus_arena arena; /* of the batch handed out */
};

enum arus_status arus_counting_scan_open(const struct arus_source *source,
                                         const struct arus_scan *request, struct arus_arena *arena,
                                         struct arus_source_scan **out, struct arus_error *err)
{
    (void)source;
    ARUS_TRY(ARUS_NEW(arena, struct arus_source_scan, 1, out, err));
    (*out)->request = request;
    return ARUS_OK;
}

enum arus_status arus_counting_worker_open(struct arus_source_scan *scan,
                                           struct arus_scan_worker **out, struct arus_error *err)
{
    *out = arus_alloc(1, sizeof **out);
    if (*out == NULL) {
        return arus_fail_memory(err);
    }
    (*out)->scan = scan;
    return ARUS_OK;
}

enum arus_status arus_counting_worker_start(struct arus_scan_worker *worker,
                                            const struct arus_split *split, struct arus_error *err)
{
    (void)err;
    worker->split = (const struct counting_split *)split;
    worker->next = worker->split->first;
    return ARUS_OK;
}

static void fill(const struct counting_split *split, int64_t first, uint32_t count, bool is_time,
                 int64_t *out)
{
    const struct arus_counting *rows = &split->rows;

    for (uint32_t i = 0; i < count; i++) {
        const int64_t value = first + (int64_t)i * split->stride;

        /* Java's round: half up */
        out[i] = is_time
                     ? (rows->start_ms +
                        (int64_t)floor((double)(value - rows->begin) * rows->ms_per_value + 0.5)) *
                           1000
                     : value;
    }
}

enum arus_status arus_counting_worker_next(struct arus_scan_worker *worker, struct arus_batch *out,
                                           struct arus_error *err)
{
    const struct counting_split *split = worker->split;
    const struct arus_scan *request = worker->scan->request;
    const int64_t left = worker->next >= split->rows.end
                             ? 0
                             : (split->rows.end - worker->next + split->stride - 1) / split->stride;
    const uint32_t count = left < ARUS_BATCH_ROWS ? (uint32_t)left : ARUS_BATCH_ROWS;

    arus_arena_reset(&worker->arena);
    *out = (struct arus_batch){.schema = request->output, .row_count = count};
    ARUS_TRY(ARUS_NEW(&worker->arena, struct arus_vector, (size_t)request->output->field_count + 1,
                      &out->columns, err));
    for (uint16_t i = 0; i < request->output->field_count; i++) {
        ARUS_TRY(arus_vector_init(&out->columns[i], request->output->fields[i].type, count,
                                  &worker->arena, err));
        fill(split, worker->next, count, request->output_fields[i] == 0, out->columns[i].values);
    }
    worker->next += (int64_t)count * split->stride;
    worker->stats.row_count += count;
    return ARUS_OK;
}

void arus_counting_worker_stats(const struct arus_scan_worker *worker, struct arus_scan_stats *out)
{
    *out = worker->stats;
}

void arus_counting_worker_close(struct arus_scan_worker *worker)
{
    if (worker != NULL) {
        arus_arena_release(&worker->arena);
        arus_free(worker);
    }
}

/* Nothing is kept, nothing is cleaned up. */
enum arus_status arus_counting_committed(struct arus_source_stream *stream, struct arus_text end,
                                         struct arus_error *err)
{
    (void)stream;
    (void)end;
    (void)err;
    return ARUS_OK;
}

int arus_counting_wake_fd(struct arus_source_stream *stream)
{
    (void)stream;
    return -1;
}
