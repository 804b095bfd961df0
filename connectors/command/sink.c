/** The exec sink: a batch is spooled to a file, made durable, and handed to the command as its
 * standard input; exit code 0 takes it. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/failpoint.h"
#include "base/file.h"
#include "base/log.h"
#include "command/child.h"
#include "command/command.h"
#include "format/arrow_stream.h"
#include "journal/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define SPOOL        ".arus.spool"
#define LOCK_NAME    "lock"
#define LOCK_WAIT_MS 60000
#define LOCK_STEP_US 20000

struct exec_settings {
    struct arus_text command;
    int format; /* in FORMATS */
};

enum { JSON, ARROW };
static const char *const FORMATS[] = {"json", "arrow", NULL};

static const struct arus_option OPTIONS[] = {
    {"command", ARUS_OPTION_TEXT, offsetof(struct exec_settings, command), NULL,
     "What /bin/sh runs for each batch; exit code 0 takes it.", NULL, INT64_MIN, NULL},
    {"format", ARUS_OPTION_CHOICE, offsetof(struct exec_settings, format), "json",
     "Rows on standard input: json, an object a line, or arrow, an Arrow IPC stream.", FORMATS,
     INT64_MIN, NULL},
    {0},
};

void arus_command_sink_options(const struct arus_connector *connector,
                               enum arus_connector_side side,
                               const struct arus_option *tables[ARUS_OPTION_TABLES_MAX])
{
    (void)connector;
    (void)side;
    tables[0] = OPTIONS;
    tables[1] = NULL;
}

/* ---- binding ---- */

struct exec_sink {
    struct arus_sink base;
    struct exec_settings settings;
    const char *command; /* NUL-terminated */
    const struct arus_format *format;
    void *format_settings;
};

/* Nulls are written: a program that reads rows finds every column in each. */
static enum arus_status bind_format(struct exec_sink *sink, struct arus_arena *arena,
                                    struct arus_error *err)
{
    const struct arus_format *format = arus_format_find(ARUS_TEXT("json"));
    const struct arus_option *const tables[] = {format->write_options, NULL};
    const struct arus_setting keeps_nulls = {.key = ARUS_TEXT("ignoreNullFields"),
                                             .value = ARUS_TEXT("false")};
    const struct arus_settings settings = {&keeps_nulls, 1};

    sink->format = format;
    ARUS_TRY(arus_arena_alloc(arena, format->write_settings_size, &sink->format_settings, err));
    ARUS_TRY(
        arus_options_parse(tables, &settings, "an exec sink", arena, sink->format_settings, err));
    return format->check_write == NULL
               ? ARUS_OK
               : format->check_write(sink->format_settings, sink->base.config->schema, arena, err);
}

static enum arus_status exec_bind(const struct arus_sink_config *config, struct arus_arena *arena,
                                  struct arus_sink **out, struct arus_error *err)
{
    const struct arus_option *const tables[] = {OPTIONS, NULL};
    struct arus_text command;
    struct exec_sink *sink;

    if (config->partitioned_by_count != 0) {
        return arus_fail_at(err, config->partition_place, "ARUS_NOT_SUPPORTED",
                            "a command has no partitions");
    }
    ARUS_TRY(ARUS_NEW(arena, struct exec_sink, 1, &sink, err));
    ARUS_TRY(
        arus_options_parse(tables, &config->options, "an exec sink", arena, &sink->settings, err));
    if (sink->settings.command.size == 0) {
        arus_ignore(arus_fail_at(err, config->place, "ARUS_NO_COMMAND", "`%.*s` has no command",
                                 ARUS_TEXT_ARGS(config->name)));
        return arus_error_help(err, "TBLPROPERTIES (command 'python3 load.py', ..)");
    }
    ARUS_TRY(arus_text_copy(sink->settings.command, arena, &command, err));
    sink->command = command.data;
    sink->base = (struct arus_sink){.ops = &ARUS_COMMAND_SINK,
                                    .config = config,
                                    .description = ARUS_TEXT("ForeachBatchSink"),
                                    .location = command,
                                    .is_ordered = true};
    *out = &sink->base;
    return bind_format(sink, arena, err);
}

/* ---- the spool ---- */

struct arus_sink_stream {
    const struct exec_sink *sink;
    const struct arus_logger *logger;
    struct arus_path folder; /* of the spool */
    char query_id[37];
    int lock_fd; /* -1: not taken */
    const volatile int *stop;
    int stop_at;
    struct arus_writer *writer;      /* of json */
    struct arus_arrow_stream *arrow; /* of arrow */
    struct arus_file file;           /* the batch being staged */
    struct arus_path path;           /* of `file` */
    uint64_t row_count;
    int64_t batch_id;
};

static enum arus_status spool_path(const struct arus_sink_stream *stream, int64_t batch_id,
                                   struct arus_path *out, struct arus_error *err)
{
    char name[24];

    (void)snprintf(name, sizeof name, "%" PRId64, batch_id);
    return arus_path_join(out, stream->folder.text, name, err);
}

static bool is_stopped(const struct arus_sink_stream *stream)
{
    return stream->stop != NULL && *stream->stop >= stream->stop_at;
}

/* A command of an earlier run, or what it started, may still be at work: it holds the lock. */
static enum arus_status wait_for_lock(const struct arus_sink_stream *stream, int fd,
                                      struct arus_error *err)
{
    const int64_t until_us = arus_clock_monotonic_us() + (int64_t)LOCK_WAIT_MS * 1000;
    bool has_said = false;

    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return arus_fail_errno(err, ARUS_FATAL, errno, "%s/" LOCK_NAME, stream->folder.text);
        }
        if (!has_said) {
            arus_logger_print(stream->logger, ARUS_LOG_NOTICE,
                              "waiting for a command of an earlier run to end");
            has_said = true;
        }
        if (is_stopped(stream)) {
            return arus_fail(err, ARUS_RETRY, NULL, "stopped");
        }
        if (arus_clock_monotonic_us() > until_us) {
            arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_COMMAND_RUNS",
                                  "a command of an earlier run is still at work after %d s",
                                  LOCK_WAIT_MS / 1000));
            return arus_error_help(err, "see who: fuser %s/" LOCK_NAME, stream->folder.text);
        }
        arus_clock_sleep_us(LOCK_STEP_US);
    }
    return ARUS_OK;
}

static enum arus_status take_lock(struct arus_sink_stream *stream, struct arus_error *err)
{
    struct arus_path path;
    int fd;

    if (stream->lock_fd >= 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_folder_make(stream->folder.text, NULL, err));
    ARUS_TRY(arus_path_join(&path, stream->folder.text, LOCK_NAME, err));
    fd = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        return arus_fail_errno(err, ARUS_FATAL, errno, "%s", path.text);
    }
    if (wait_for_lock(stream, fd, err) != ARUS_OK) {
        (void)close(fd);
        return err->status;
    }
    stream->lock_fd = fd;
    return ARUS_OK;
}

/* Batches before are taken: their spool goes. What is not a number is not ours to remove. */
static enum arus_status clean_spool(struct arus_sink_stream *stream, struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_status status;
    bool is_missing;

    ARUS_TRY(arus_folder_open(&folder, stream->folder.text, &is_missing, err));
    for (;;) {
        enum arus_file_kind kind;
        struct arus_path path;
        const char *name;

        status = arus_folder_next(&folder, &name, &kind, err);
        if (status != ARUS_OK || name == NULL) {
            break;
        }
        if (name[strspn(name, "0123456789")] == '\0') {
            status = arus_path_join(&path, stream->folder.text, name, err);
            if (status == ARUS_OK) {
                status = arus_file_remove(path.text, err);
            }
        }
        if (status != ARUS_OK) {
            break;
        }
    }
    arus_folder_close(&folder);
    return status;
}

/* ---- the rows of a batch, in either form ---- */

static enum arus_status write_out(void *self, const void *data, size_t size, struct arus_error *err)
{
    return arus_file_append(self, data, size, err);
}

static void drop_staged(struct arus_sink_stream *stream)
{
    if (stream->writer != NULL) {
        stream->sink->format->writer_close(stream->writer);
        stream->writer = NULL;
    }
    arus_arrow_stream_close(stream->arrow);
    stream->arrow = NULL;
    arus_file_abandon(&stream->file);
}

static enum arus_status open_writer(struct arus_sink_stream *stream, struct arus_error *err)
{
    const struct exec_sink *sink = stream->sink;
    const struct arus_output output = {write_out, &stream->file};

    if (sink->settings.format == ARROW) {
        return arus_arrow_stream_open(sink->base.config->schema, output, &stream->arrow, err);
    }
    return sink->format->writer_open(sink->base.config->schema, sink->format_settings,
                                     sink->base.config->zone, output, &stream->writer, err);
}

static enum arus_status write_rows(struct arus_sink_stream *stream, const struct arus_batch *batch,
                                   struct arus_error *err)
{
    return stream->arrow != NULL ? arus_arrow_stream_write(stream->arrow, batch, err)
                                 : stream->sink->format->writer_write(stream->writer, batch, err);
}

static enum arus_status finish_writer(struct arus_sink_stream *stream, struct arus_error *err)
{
    struct arus_write_stats ignored = {0};

    return stream->arrow != NULL
               ? arus_arrow_stream_finish(stream->arrow, err)
               : stream->sink->format->writer_finish(stream->writer, &ignored, err);
}

/* ---- the contract ---- */

static void exec_stream_close(struct arus_sink_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    drop_staged(stream);
    if (stream->lock_fd >= 0) {
        (void)close(stream->lock_fd);
    }
    arus_free(stream);
}

static enum arus_status open_spool(struct arus_sink_stream *stream, struct arus_log_set *logs,
                                   struct arus_error *err)
{
    struct arus_file_info info;

    ARUS_TRY(arus_path_join(&stream->folder, arus_log_set_folder(logs), SPOOL, err));
    ARUS_TRY(arus_file_stat(stream->folder.text, &info, err));
    return info.kind == ARUS_FILE_FOLDER ? take_lock(stream, err) : ARUS_OK;
}

static enum arus_status exec_stream_open(const struct arus_sink *base, struct arus_log_set *logs,
                                         const char *query_id, bool is_new_checkpoint,
                                         struct arus_sink_stream **out, struct arus_error *err)
{
    struct arus_sink_stream *stream = arus_alloc(1, sizeof *stream);

    (void)is_new_checkpoint;
    *out = NULL;
    if (stream == NULL) {
        return arus_fail_memory(err);
    }
    stream->sink = (const struct exec_sink *)base;
    stream->logger = arus_log_set_logger(logs);
    stream->lock_fd = -1;
    (void)snprintf(stream->query_id, sizeof stream->query_id, "%s", query_id);
    if (open_spool(stream, logs, err) != ARUS_OK) {
        exec_stream_close(stream);
        return err->status;
    }
    *out = stream;
    return ARUS_OK;
}

static void exec_watch_stop(struct arus_sink_stream *stream, const volatile int *stop, int stop_at)
{
    stream->stop = stop;
    stream->stop_at = stop_at;
}

static enum arus_status exec_stage_begin(struct arus_sink_stream *stream, int64_t batch_id,
                                         struct arus_error *err)
{
    drop_staged(stream);
    ARUS_TRY(take_lock(stream, err));
    ARUS_TRY(clean_spool(stream, err));
    ARUS_TRY(spool_path(stream, batch_id, &stream->path, err));
    ARUS_TRY(arus_file_create_over(&stream->file, stream->path.text, err));
    stream->batch_id = batch_id;
    stream->row_count = 0;
    return open_writer(stream, err);
}

static enum arus_status exec_write(struct arus_sink_stream *stream, const struct arus_batch *batch,
                                   struct arus_error *err)
{
    stream->row_count += batch->row_count;
    return write_rows(stream, batch, err);
}

static enum arus_status exec_stage_finish(struct arus_sink_stream *stream, int64_t batch_id,
                                          struct arus_buffer *manifest,
                                          struct arus_sink_stats *stats, struct arus_error *err)
{
    struct arus_path checkpoint;

    arus_failpoint_reach(ARUS_FAILPOINT_DURING_RUN, batch_id);
    ARUS_TRY(finish_writer(stream, err));
    ARUS_TRY(arus_file_sync(&stream->file, err));
    *stats = (struct arus_sink_stats){stream->row_count, 0, stream->file.size};
    ARUS_TRY(arus_file_close(&stream->file, err));
    drop_staged(stream);
    arus_path_parent(&checkpoint, stream->folder.text);
    ARUS_TRY(arus_folder_sync(stream->folder.text, err));
    ARUS_TRY(arus_folder_sync(checkpoint.text, err));
    return arus_buffer_printf(manifest, err, "%" PRIu64, stats->byte_count);
}

/* ---- handing a batch out ---- */

static void reach_during_publish(void *self)
{
    const struct arus_sink_stream *stream = self;

    arus_failpoint_reach(ARUS_FAILPOINT_DURING_PUBLISH, stream->batch_id);
}

static enum arus_status fail_command(const struct arus_child_end *end, struct arus_error *err)
{
    if (end->exit_code < 0) {
        arus_ignore(arus_fail(err, ARUS_FATAL, "ARUS_COMMAND_FAILED",
                              "the command was ended by signal %d (%s)", end->signal,
                              strsignal(end->signal)));
    } else {
        arus_ignore(arus_fail(err, ARUS_FATAL, "ARUS_COMMAND_FAILED",
                              "the command ended with exit code %d%s", end->exit_code,
                              end->exit_code == 127 ? " (not found?)" : ""));
    }
    return arus_error_help(err, "the batch is kept; mend the command and run again: it gets the "
                                "same bytes and the same ARUS_BATCH_ID");
}

static enum arus_status run_command(struct arus_sink_stream *stream, int64_t batch_id, int input_fd,
                                    struct arus_error *err)
{
    const struct exec_sink *sink = stream->sink;
    char batch[48];
    char query[64];
    const char *const variables[] = {batch, query, NULL};
    const struct arus_child command = {.text = sink->command,
                                       .folder = sink->base.config->folder,
                                       .input_fd = input_fd,
                                       .lock_fd = stream->lock_fd,
                                       .variables = variables,
                                       .stop = stream->stop,
                                       .stop_at = stream->stop_at,
                                       .on_start = reach_during_publish,
                                       .self = stream};
    struct arus_child_end end;

    stream->batch_id = batch_id;
    (void)snprintf(batch, sizeof batch, "ARUS_BATCH_ID=%" PRId64, batch_id);
    (void)snprintf(query, sizeof query, "ARUS_QUERY_ID=%s", stream->query_id);
    ARUS_TRY(arus_child_run(&command, &end, err));
    return end.exit_code == 0 ? ARUS_OK : fail_command(&end, err);
}

/* Is the spool there, whole? */
static enum arus_status check_spool(const struct arus_path *path, struct arus_text manifest,
                                    int64_t batch_id, struct arus_error *err)
{
    struct arus_file_info info;
    char size[24];

    ARUS_TRY(arus_file_stat(path->text, &info, err));
    (void)snprintf(size, sizeof size, "%" PRIu64, info.size);
    if (info.kind == ARUS_FILE_REGULAR && arus_text_equal(arus_text_of(size), manifest)) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_RETRY, "ARUS_STAGED_PART_LOST",
                     "the spool of batch %" PRId64 " is gone", batch_id);
}

static enum arus_status exec_publish(struct arus_sink_stream *stream, int64_t batch_id,
                                     struct arus_text manifest, struct arus_error *err)
{
    struct arus_path path;
    enum arus_status status;
    int fd;

    ARUS_TRY(spool_path(stream, batch_id, &path, err));
    ARUS_TRY(check_spool(&path, manifest, batch_id, err));
    ARUS_TRY(take_lock(stream, err));
    fd = open(path.text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return arus_fail_errno(err, ARUS_FATAL, errno, "%s", path.text);
    }
    status = run_command(stream, batch_id, fd, err);
    (void)close(fd);
    ARUS_TRY(status);
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_SINK_LOG, batch_id);
    return ARUS_OK;
}

static enum arus_status exec_is_published(struct arus_sink_stream *stream, int64_t batch_id,
                                          struct arus_text manifest, bool *out,
                                          struct arus_error *err)
{
    (void)stream;
    (void)batch_id;
    (void)manifest;
    (void)err;
    *out = false; /* only the command knows */
    return ARUS_OK;
}

const struct arus_sink_ops ARUS_COMMAND_SINK = {
    .bind = exec_bind,
    .stream_open = exec_stream_open,
    .stage_begin = exec_stage_begin,
    .write = exec_write,
    .stage_finish = exec_stage_finish,
    .publish = exec_publish,
    .is_published = exec_is_published,
    .watch_stop = exec_watch_stop,
    .stream_close = exec_stream_close,
};
