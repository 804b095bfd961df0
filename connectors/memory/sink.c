/** In-memory sinks: rows by batch id, for the embedding program. */
#include "base/alloc.h"
#include "memory/memory_internal.h"

#include <inttypes.h>

static enum arus_status memory_bind(const struct arus_sink_config *config, struct arus_arena *arena,
                                    struct arus_sink **out, struct arus_error *err)
{
    struct arus_sink *sink;

    ARUS_TRY(arus_memory_no_options(&config->options, "a memory sink", arena, err));
    if (config->partitioned_by_count != 0) {
        return arus_fail_at(err, config->partition_place, "ARUS_NOT_SUPPORTED",
                            "rows in memory have no partitions");
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_sink, 1, &sink, err));
    *sink = (struct arus_sink){.ops = &ARUS_MEMORY_SINK,
                               .config = config,
                               .description = ARUS_TEXT("MemorySink"),
                               .location = config->name,
                               .is_ordered = true,
                               .counts_rows = true};
    *out = sink;
    return ARUS_OK;
}

struct arus_sink_stream {
    const struct arus_sink_config *config;
    struct arus_chunk_rows *staged; /* of `batch_id`; NULL: none */
    int64_t batch_id;
};

static enum arus_status memory_stream_open(const struct arus_sink *sink, struct arus_log_set *logs,
                                           const char *query_id, bool is_new_checkpoint,
                                           struct arus_sink_stream **out, struct arus_error *err)
{
    const struct arus_sink_config *config = sink->config;

    (void)logs;
    (void)query_id;
    *out = NULL;
    ARUS_TRY(arus_memory_need(config->memory, config->name, err));
    *out = arus_alloc(1, sizeof **out);
    if (*out == NULL) {
        return arus_fail_memory(err);
    }
    (*out)->config = config;
    if (is_new_checkpoint) { /* another query begins, as in Spark: with an empty table */
        arus_memory_clear(config->memory, config->name);
    }
    return ARUS_OK;
}

static enum arus_status memory_stage_begin(struct arus_sink_stream *stream, int64_t batch_id,
                                           struct arus_error *err)
{
    arus_chunk_rows_drop(stream->staged);
    stream->batch_id = batch_id;
    return arus_chunk_rows_make(stream->config->schema, &stream->staged, err);
}

static enum arus_status memory_write(struct arus_sink_stream *stream,
                                     const struct arus_batch *batch, struct arus_error *err)
{
    return arus_chunk_rows_append(stream->staged, batch, err);
}

static enum arus_status memory_stage_finish(struct arus_sink_stream *stream, int64_t batch_id,
                                            struct arus_buffer *manifest,
                                            struct arus_sink_stats *stats, struct arus_error *err)
{
    (void)batch_id;
    *stats = (struct arus_sink_stats){.row_count = stream->staged->rows.row_count};
    return arus_buffer_printf(manifest, err, "%" PRIu64 " rows", stats->row_count);
}

static enum arus_status memory_publish(struct arus_sink_stream *stream, int64_t batch_id,
                                       struct arus_text manifest, struct arus_error *err)
{
    const struct arus_sink_config *config = stream->config;
    struct arus_chunk_rows *staged = stream->staged;

    (void)manifest;
    if (arus_memory_has(config->memory, config->name, batch_id)) {
        return ARUS_OK;
    }
    if (staged == NULL || stream->batch_id != batch_id) { /* it died with its run */
        return arus_fail(err, ARUS_RETRY, "ARUS_STAGED_PART_LOST",
                         "the rows of batch %" PRId64 " are not in memory any more", batch_id);
    }
    stream->staged = NULL;
    return arus_memory_put(config->memory, config->name, batch_id, config->mode == ARUS_COMPLETE,
                           staged, err);
}

static enum arus_status memory_is_published(struct arus_sink_stream *stream, int64_t batch_id,
                                            struct arus_text manifest, bool *out,
                                            struct arus_error *err)
{
    (void)manifest;
    (void)err;
    *out = arus_memory_has(stream->config->memory, stream->config->name, batch_id);
    return ARUS_OK;
}

static void memory_stream_close(struct arus_sink_stream *stream)
{
    if (stream != NULL) {
        arus_chunk_rows_drop(stream->staged);
        arus_free(stream);
    }
}

const struct arus_sink_ops ARUS_MEMORY_SINK = {
    .bind = memory_bind,
    .stream_open = memory_stream_open,
    .stage_begin = memory_stage_begin,
    .write = memory_write,
    .stage_finish = memory_stage_finish,
    .publish = memory_publish,
    .is_published = memory_is_published,
    .stream_close = memory_stream_close,
};
