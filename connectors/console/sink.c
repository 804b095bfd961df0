/** The console sink. Its staged form is the text itself, kept in the manifest: a batch that is
 * handed out again prints the same bytes. */
#include "base/alloc.h"
#include "console/console.h"
#include "console/show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define RULE "-------------------------------------------\n"

struct console_settings {
    int64_t row_max;
    bool is_cut;
};

static const struct arus_option OPTIONS[] = {
    {"numRows", ARUS_OPTION_INT64, offsetof(struct console_settings, row_max), "20",
     "Rows shown of each batch.", NULL, INT64_MIN, NULL},
    {"truncate", ARUS_OPTION_BOOL, offsetof(struct console_settings, is_cut), "true",
     "Cut cells to 20 characters and align them to the right.", NULL, INT64_MIN, NULL},
    {0},
};

struct console_sink {
    struct arus_sink base;
    struct console_settings settings;
};

void arus_console_options(const struct arus_connector *connector, enum arus_connector_side side,
                          const struct arus_option *tables[ARUS_OPTION_TABLES_MAX])
{
    (void)connector;
    (void)side;
    tables[0] = OPTIONS;
    tables[1] = NULL;
}

static enum arus_status console_bind(const struct arus_sink_config *config,
                                     struct arus_arena *arena, struct arus_sink **out,
                                     struct arus_error *err)
{
    const struct arus_option *const tables[] = {OPTIONS, NULL};
    struct console_sink *sink;

    if (config->partitioned_by_count != 0) {
        return arus_fail_at(err, config->partition_place, "ARUS_NOT_SUPPORTED",
                            "what is printed has no partitions");
    }
    ARUS_TRY(ARUS_NEW(arena, struct console_sink, 1, &sink, err));
    ARUS_TRY(arus_options_parse(tables, &config->options, "a console sink", arena, &sink->settings,
                                err));
    sink->base = (struct arus_sink){
        .ops = &ARUS_CONSOLE_SINK,
        .config = config,
        .description = ARUS_TEXT("org.apache.spark.sql.execution.streaming.ConsoleTable$"),
        .location = ARUS_TEXT("standard output"),
        .is_ordered = true,
        .counts_rows = true};
    *out = &sink->base;
    return ARUS_OK;
}

struct arus_sink_stream {
    const struct console_sink *sink;
    struct arus_show show;
    uint64_t row_count;
};

static enum arus_status console_stream_open(const struct arus_sink *base, struct arus_log_set *logs,
                                            const char *query_id, bool is_new_checkpoint,
                                            struct arus_sink_stream **out, struct arus_error *err)
{
    const struct console_sink *sink = (const struct console_sink *)base;
    struct arus_sink_stream *stream = arus_alloc(1, sizeof *stream);

    (void)logs;
    (void)query_id;
    (void)is_new_checkpoint;
    *out = stream;
    if (stream == NULL) {
        return arus_fail_memory(err);
    }
    stream->sink = sink;
    stream->show = (struct arus_show){
        .schema = base->config->schema,
        .zone = base->config->zone,
        .row_max = sink->settings.row_max < 0 ? 0 : (uint64_t)sink->settings.row_max,
        .is_cut = sink->settings.is_cut};
    return ARUS_OK;
}

static enum arus_status console_stage_begin(struct arus_sink_stream *stream, int64_t batch_id,
                                            struct arus_error *err)
{
    (void)batch_id;
    (void)err;
    arus_show_reset(&stream->show);
    stream->row_count = 0;
    return ARUS_OK;
}

static enum arus_status console_write(struct arus_sink_stream *stream,
                                      const struct arus_batch *batch, struct arus_error *err)
{
    stream->row_count += batch->row_count;
    return arus_show_add(&stream->show, batch, err);
}

static enum arus_status console_stage_finish(struct arus_sink_stream *stream, int64_t batch_id,
                                             struct arus_buffer *manifest,
                                             struct arus_sink_stats *stats, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(manifest, err, RULE "Batch: %" PRId64 "\n" RULE, batch_id));
    ARUS_TRY(arus_show_print(&stream->show, manifest, err));
    *stats = (struct arus_sink_stats){.row_count = stream->row_count, .byte_count = manifest->size};
    return ARUS_OK;
}

static enum arus_status console_publish(struct arus_sink_stream *stream, int64_t batch_id,
                                        struct arus_text manifest, struct arus_error *err)
{
    const struct arus_printer *printer = stream->sink->base.config->printer;

    (void)batch_id;
    if (printer != NULL) {
        return printer->print(printer->self, manifest, err);
    }
    if (fwrite(manifest.data, 1, manifest.size, stdout) != manifest.size || fflush(stdout) != 0) {
        return arus_fail_errno(err, ARUS_FATAL, errno, "standard output");
    }
    return ARUS_OK;
}

static enum arus_status console_is_published(struct arus_sink_stream *stream, int64_t batch_id,
                                             struct arus_text manifest, bool *out,
                                             struct arus_error *err)
{
    (void)stream;
    (void)batch_id;
    (void)manifest;
    (void)err;
    *out = false;
    return ARUS_OK;
}

static void console_stream_close(struct arus_sink_stream *stream)
{
    if (stream != NULL) {
        arus_show_release(&stream->show);
        arus_free(stream);
    }
}

const struct arus_sink_ops ARUS_CONSOLE_SINK = {
    .bind = console_bind,
    .stream_open = console_stream_open,
    .stage_begin = console_stage_begin,
    .write = console_write,
    .stage_finish = console_stage_finish,
    .publish = console_publish,
    .is_published = console_is_published,
    .stream_close = console_stream_close,
};
