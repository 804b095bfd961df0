/** In-memory tables as streams (each add is one offset) and as tables (all rows at once). */
#include "base/alloc.h"
#include "memory/memory_internal.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct arus_option NO_OPTIONS[] = {{0}};

void arus_memory_options(const struct arus_connector *connector, enum arus_connector_side side,
                         const struct arus_option *tables[ARUS_OPTION_TABLES_MAX])
{
    (void)connector;
    (void)side;
    tables[0] = NO_OPTIONS;
    tables[1] = NULL;
}

enum arus_status arus_memory_no_options(const struct arus_settings *settings, const char *noun,
                                        struct arus_arena *arena, struct arus_error *err)
{
    const struct arus_option *const tables[] = {NO_OPTIONS, NULL};
    char nothing;

    return arus_options_parse(tables, settings, noun, arena, &nothing, err);
}

enum arus_status arus_memory_need(const struct arus_memory *memory, struct arus_text name,
                                  struct arus_error *err)
{
    if (memory != NULL) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_PROGRAM",
                          "`%.*s` is in memory: only a program that embeds arus has such tables",
                          ARUS_TEXT_ARGS(name)));
    return arus_error_help(err, "read files (USING json), show rows (USING console)");
}

/* ---- binding ---- */

static enum arus_status memory_bind(const struct arus_table *table, bool is_stream,
                                    struct arus_arena *arena, struct arus_source **out,
                                    struct arus_error *err)
{
    struct arus_source *source;

    (void)is_stream;
    ARUS_TRY(arus_memory_no_options(&table->options, "a memory source", arena, err));
    if (table->declared == NULL) {
        arus_ignore(arus_fail_at(err, table->place, "_LEGACY_ERROR_TEMP_2048",
                                 "an in-memory table needs its columns"));
        return arus_error_help(err, "CREATE TABLE %.*s (id BIGINT, ..) USING memory",
                               ARUS_TEXT_ARGS(table->name));
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_source, 1, &source, err));
    *source = (struct arus_source){.ops = &ARUS_MEMORY_SOURCE,
                                   .table = table,
                                   .schema = table->declared,
                                   .location = table->name};
    *out = source;
    return arus_text_format(arena, &source->description, err, "MemoryStream[%.*s]",
                            ARUS_TEXT_ARGS(table->name));
}

/* ---- reading ---- */

/* Some batches of one chunk. */
struct memory_split {
    struct arus_split base;
    const struct arus_chunk_rows *chunk;
    size_t begin;
    size_t end;
};

static enum arus_status take_table(struct arus_source_scan *scan, struct arus_error *err)
{
    const struct arus_table *table = scan->source->table;

    scan->version = arus_memory_version(table->memory, table->name);
    return arus_memory_take(table->memory, table->name, 0, SIZE_MAX, &scan->arena, &scan->chunks,
                            err);
}

static enum arus_status memory_scan_open(const struct arus_source *source,
                                         const struct arus_scan *request, struct arus_arena *arena,
                                         struct arus_source_scan **out, struct arus_error *err)
{
    ARUS_TRY(arus_memory_need(source->table->memory, source->table->name, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_source_scan, 1, out, err));
    **out = (struct arus_source_scan){.source = source, .request = request, .take = take_table};
    return ARUS_OK;
}

void arus_memory_scan_close(struct arus_source_scan *scan)
{
    arus_chunks_drop(&scan->chunks);
    arus_arena_release(&scan->arena);
}

static enum arus_status split_chunks(const struct arus_chunks *chunks, struct arus_arena *arena,
                                     struct arus_splits *out, struct arus_error *err)
{
    struct memory_split *splits;
    size_t count = 0;

    for (size_t i = 0; i < chunks->count; i++) {
        count += chunks->items[i]->rows.batch_count;
    }
    ARUS_TRY(ARUS_NEW(arena, struct memory_split, count + 1, &splits, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_split *, count + 1, &out->items, err));
    for (size_t i = 0; i < chunks->count; i++) {
        const struct arus_row_store *rows = &chunks->items[i]->rows;

        for (size_t k = 0; k < rows->batch_count; k++) {
            struct memory_split *split = &splits[out->count];

            *split = (struct memory_split){
                {rows->batches[k].row_count, (uint32_t)out->count}, chunks->items[i], k, k + 1};
            out->items[out->count++] = &split->base;
        }
    }
    return ARUS_OK;
}

static enum arus_status look(struct arus_source_scan *scan, struct arus_error *err)
{
    if (!scan->is_listed) {
        ARUS_TRY(scan->take(scan, err));
        scan->is_listed = true;
    }
    return ARUS_OK;
}

enum arus_status arus_memory_list(struct arus_source_scan *scan, uint32_t worker_count,
                                  struct arus_arena *arena, struct arus_splits *out,
                                  struct arus_error *err)
{
    (void)worker_count;
    *out = (struct arus_splits){0};
    ARUS_TRY(look(scan, err));
    return split_chunks(&scan->chunks, arena, out, err);
}

enum arus_status arus_memory_fingerprint(struct arus_source_scan *scan, uint64_t *out,
                                         struct arus_error *err)
{
    ARUS_TRY(look(scan, err));
    *out = scan->version;
    return ARUS_OK;
}

struct arus_scan_worker {
    const struct arus_source_scan *scan;
    const struct memory_split *split;
    size_t at;
    struct arus_scan_stats stats;
    struct arus_arena arena; /* of the batch handed out */
};

enum arus_status arus_memory_worker_open(struct arus_source_scan *scan,
                                         struct arus_scan_worker **out, struct arus_error *err)
{
    *out = arus_alloc(1, sizeof **out);
    if (*out == NULL) {
        return arus_fail_memory(err);
    }
    (*out)->scan = scan;
    return ARUS_OK;
}

enum arus_status arus_memory_worker_start(struct arus_scan_worker *worker,
                                          const struct arus_split *split, struct arus_error *err)
{
    (void)err;
    worker->split = (const struct memory_split *)split;
    worker->at = worker->split->begin;
    return ARUS_OK;
}

static enum arus_status give(struct arus_scan_worker *worker, const struct arus_batch *stored,
                             struct arus_batch *out, struct arus_error *err)
{
    const struct arus_scan *request = worker->scan->request;
    const struct arus_type *output = request->output;

    out->row_count = stored->row_count;
    ARUS_TRY(ARUS_NEW(&worker->arena, struct arus_vector, (size_t)output->field_count + 1,
                      &out->columns, err));
    for (uint16_t i = 0; i < output->field_count; i++) {
        const struct arus_field *field = &request->schema->fields[request->output_fields[i]];
        const int32_t at = arus_type_find_nocase(worker->split->chunk->schema, field->name);

        if (at < 0) { /* the table has got a column since */
            ARUS_TRY(arus_vector_init_null(&out->columns[i], output->fields[i].type,
                                           stored->row_count, &worker->arena, err));
        } else if (arus_memory_project(&stored->columns[at], output->fields[i].type, &worker->arena,
                                       &out->columns[i], err) != ARUS_OK) {
            return arus_error_wrap(err, "column `%.*s`", ARUS_TEXT_ARGS(field->name));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_memory_worker_next(struct arus_scan_worker *worker, struct arus_batch *out,
                                         struct arus_error *err)
{
    const struct arus_row_store *rows = &worker->split->chunk->rows;

    arus_arena_reset(&worker->arena);
    *out = (struct arus_batch){.schema = worker->scan->request->output};
    while (worker->at < worker->split->end && rows->batches[worker->at].row_count == 0) {
        worker->at++;
    }
    if (worker->at >= worker->split->end) {
        return ARUS_OK;
    }
    ARUS_TRY(give(worker, &rows->batches[worker->at++], out, err));
    worker->stats.row_count += out->row_count;
    return ARUS_OK;
}

void arus_memory_worker_stats(const struct arus_scan_worker *worker, struct arus_scan_stats *out)
{
    *out = worker->stats;
}

void arus_memory_worker_close(struct arus_scan_worker *worker)
{
    if (worker != NULL) {
        arus_arena_release(&worker->arena);
        arus_free(worker);
    }
}

/* ---- streaming ---- */

struct arus_source_stream {
    const struct arus_table *table;
    struct arus_chunks chunks; /* of the batch being read */
    struct arus_arena arena;   /* of the list */
};

static enum arus_status memory_stream_open(const struct arus_source *source,
                                           struct arus_log_set *logs, uint32_t index,
                                           struct arus_source_stream **out, struct arus_error *err)
{
    (void)logs;
    (void)index;
    *out = NULL;
    ARUS_TRY(arus_memory_need(source->table->memory, source->table->name, err));
    *out = arus_alloc(1, sizeof **out);
    if (*out == NULL) {
        return arus_fail_memory(err);
    }
    (*out)->table = source->table;
    return ARUS_OK;
}

/* `0` is the first add; none yet is -1. */
static int64_t offset_of(struct arus_text text)
{
    char digits[24] = "-1";

    if (text.size > 0 && text.size < sizeof digits) {
        memcpy(digits, text.data, text.size);
        digits[text.size] = '\0';
    }
    return strtoll(digits, NULL, 10);
}

static enum arus_status check_offset(const struct arus_source_stream *stream, int64_t offset,
                                     size_t count, struct arus_error *err)
{
    if (offset < (int64_t)count) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_MISMATCH, "ARUS_ROWS_LOST",
                     "the checkpoint has read `%.*s` up to offset %" PRId64
                     ", but the program has only %zu",
                     ARUS_TEXT_ARGS(stream->table->name), offset, count);
}

static enum arus_status memory_stream_plan(struct arus_source_stream *stream,
                                           struct arus_text start,
                                           const struct arus_plan_limits *limits,
                                           struct arus_arena *arena, struct arus_planned *out,
                                           struct arus_error *err)
{
    const size_t count = arus_memory_count(stream->table->memory, stream->table->name);
    const int64_t begin = offset_of(start);

    (void)limits;
    *out = (struct arus_planned){.end = start, .known_count = count};
    ARUS_TRY(check_offset(stream, begin, count, err));
    out->has_new = begin + 1 < (int64_t)count;
    return out->has_new ? arus_text_format(arena, &out->end, err, "%zu", count - 1) : ARUS_OK;
}

static enum arus_status memory_stream_splits(struct arus_source_stream *stream,
                                             struct arus_text start, struct arus_text end,
                                             struct arus_source_scan *scan, uint32_t worker_count,
                                             struct arus_arena *arena, struct arus_splits *out,
                                             struct arus_error *err)
{
    const struct arus_table *table = stream->table;
    const int64_t last = offset_of(end);

    (void)scan;
    (void)worker_count;
    *out = (struct arus_splits){0};
    arus_chunks_drop(&stream->chunks);
    arus_arena_reset(&stream->arena);
    ARUS_TRY(check_offset(stream, last, arus_memory_count(table->memory, table->name), err));
    ARUS_TRY(arus_memory_take(table->memory, table->name, (size_t)(offset_of(start) + 1),
                              (size_t)(last + 1), &stream->arena, &stream->chunks, err));
    return split_chunks(&stream->chunks, arena, out, err);
}

/* The rows are the program's: they stay. */
static enum arus_status memory_stream_committed(struct arus_source_stream *stream,
                                                struct arus_text end, struct arus_error *err)
{
    (void)stream;
    (void)end;
    (void)err;
    return ARUS_OK;
}

static int memory_stream_wake_fd(struct arus_source_stream *stream)
{
    (void)stream;
    return -1;
}

static void memory_stream_close(struct arus_source_stream *stream)
{
    if (stream != NULL) {
        arus_chunks_drop(&stream->chunks);
        arus_arena_release(&stream->arena);
        arus_free(stream);
    }
}

const struct arus_source_ops ARUS_MEMORY_SOURCE = {
    .bind = memory_bind,
    .scan_open = memory_scan_open,
    .scan_close = arus_memory_scan_close,
    .worker_open = arus_memory_worker_open,
    .worker_start = arus_memory_worker_start,
    .worker_next = arus_memory_worker_next,
    .worker_stats = arus_memory_worker_stats,
    .worker_close = arus_memory_worker_close,
    .list = arus_memory_list,
    .fingerprint = arus_memory_fingerprint,
    .stream_open = memory_stream_open,
    .stream_plan = memory_stream_plan,
    .stream_splits = memory_stream_splits,
    .stream_committed = memory_stream_committed,
    .stream_wake_fd = memory_stream_wake_fd,
    .stream_close = memory_stream_close,
};
