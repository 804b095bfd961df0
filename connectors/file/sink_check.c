/** Does this sink go on in the folder as it is? Readers cannot read a folder with two formats, two
 * sets of partition columns, or two types of one column. */
#include "base/alloc.h"
#include "file/sink_internal.h"
#include "journal/path.h"

#include <inttypes.h>

#define LOOK_BACK 10 /* batches without files before one is found */

static enum arus_status refuse(const struct arus_file_sink *sink, struct arus_error *err)
{
    return arus_error_help(err,
                           "put the query back as it was, or give it a new checkpointLocation and "
                           "a new path; %.*s stays as it is",
                           ARUS_TEXT_ARGS(sink->base.location));
}

/* The format a part's name tells: `part-…-c000.snappy.parquet`; NULL: none of ours. */
static const struct arus_format *format_of(const char *name)
{
    const char *dot = strchr(name, '.');

    while (dot != NULL) {
        const char *next = strchr(dot + 1, '.');
        const size_t size = next == NULL ? strlen(dot + 1) : (size_t)(next - dot - 1);
        const struct arus_text word = {dot + 1, size};
        const struct arus_format *format =
            arus_format_find(arus_text_equal(word, ARUS_TEXT("txt")) ? ARUS_TEXT("text") : word);

        if (format != NULL) {
            return format;
        }
        dot = next;
    }
    return NULL;
}

static enum arus_status check_format(const struct arus_file_sink *sink, const char *name,
                                     struct arus_error *err)
{
    const struct arus_format *format = format_of(name);

    if (format == NULL || format == sink->format) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_SINK_DIFFERS",
                          "%.*s holds %s files, the query writes %s",
                          ARUS_TEXT_ARGS(sink->base.location), format->name, sink->format->name));
    return refuse(sink, err);
}

/* `below`: the part's path below the sink, `k=v/…/part-…`. */
static enum arus_status check_partitions(const struct arus_file_sink *sink, const char *below,
                                         struct arus_error *err)
{
    struct arus_buffer wanted = {0};
    enum arus_status status = ARUS_OK;
    bool is_same = true;

    for (uint16_t i = 0; status == ARUS_OK && is_same && i < sink->partition_count; i++) {
        const char *slash = strchr(below, '/');

        arus_buffer_reset(&wanted);
        status = arus_path_append_hive(
            &wanted, sink->base.config->schema->fields[sink->partition_columns[i]].name, err);
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(&wanted, '=', err);
        }
        is_same = status == ARUS_OK && slash != NULL &&
                  arus_text_starts_with(arus_text_of(below), arus_buffer_text(&wanted));
        below = slash == NULL ? below : slash + 1;
    }
    arus_buffer_release(&wanted);
    ARUS_TRY(status);
    if (is_same && strchr(below, '/') == NULL) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail_at(err, sink->base.config->partition_place, "ARUS_SINK_DIFFERS",
                             "%.*s has other partition folders than PARTITIONED BY says",
                             ARUS_TEXT_ARGS(sink->base.location)));
    err->status = ARUS_MISMATCH;
    return refuse(sink, err);
}

static enum arus_status refuse_type(const struct arus_file_sink *sink, const struct arus_field *now,
                                    const struct arus_type *before, struct arus_error *err)
{
    struct arus_buffer texts[2] = {{0}, {0}};
    enum arus_status status = arus_type_sql(before, &texts[0], err);

    if (status == ARUS_OK) {
        status = arus_type_sql(now->type, &texts[1], err);
    }
    if (status == ARUS_OK &&
        !arus_text_equal(arus_buffer_text(&texts[0]), arus_buffer_text(&texts[1]))) {
        arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_SINK_DIFFERS",
                              "%.*s holds column `%.*s` as %.*s, the query writes %.*s",
                              ARUS_TEXT_ARGS(sink->base.location), ARUS_TEXT_ARGS(now->name),
                              ARUS_TEXT_ARGS(arus_buffer_text(&texts[0])),
                              ARUS_TEXT_ARGS(arus_buffer_text(&texts[1]))));
        status = refuse(sink, err);
    }
    arus_buffer_release(&texts[0]);
    arus_buffer_release(&texts[1]);
    return status;
}

/* A part that cannot be read says nothing here: that is for its readers to report. */
static enum arus_status check_types(const struct arus_file_sink *sink, const char *path,
                                    struct arus_arena *arena, struct arus_error *err)
{
    const struct arus_settings none = {0};
    struct arus_file_read_settings own;
    const struct arus_type *found;
    struct arus_file_info info;
    struct arus_input input;
    struct arus_error unread;
    void *settings;

    if (!sink->format->holds_schema) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_file_stat(path, &info, err));
    if (info.kind != ARUS_FILE_REGULAR) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_file_read_options(sink->format, &none, arena, &own, &settings, err));
    input = (struct arus_input){path, info.size, 0, info.size};
    if (sink->format->infer(settings, &(struct arus_inputs){&input, 1}, sink->base.config->zone,
                            arena, &found, &unread) != ARUS_OK) {
        return ARUS_OK;
    }
    for (uint16_t i = 0; i < sink->data->field_count; i++) {
        const struct arus_field *field = &sink->data->fields[i];
        const int32_t at = arus_type_find_nocase(found, field->name);

        if (at >= 0) {
            ARUS_TRY(refuse_type(sink, field, found->fields[at].type, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status check_part(const struct arus_file_sink *sink, struct arus_text line,
                                   struct arus_arena *arena, struct arus_error *err)
{
    const size_t base = strlen(sink->base.path);
    struct arus_log_line entry;
    struct arus_text path;

    ARUS_TRY(arus_log_parse_sink(line, arena, &entry, err));
    ARUS_TRY(arus_path_of_uri(entry.uri, arena, &path, err));
    if (strncmp(path.data, sink->base.path, base) != 0 || path.data[base] != '/') {
        return ARUS_OK;
    }
    ARUS_TRY(check_format(sink, strrchr(path.data, '/') + 1, err));
    ARUS_TRY(check_partitions(sink, path.data + base + 1, err));
    return check_types(sink, path.data, arena, err);
}

enum arus_status arus_sink_check_folder(const struct arus_file_sink *sink, struct arus_log *log,
                                        struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_text lines = {0};
    struct arus_text detail;
    enum arus_status status = ARUS_OK;
    int64_t id = arus_log_newest(log);
    bool is_found;

    for (int i = 0; status == ARUS_OK && lines.size == 0 && id >= 0 && i < LOOK_BACK; i++, id--) {
        status = arus_log_entry(log, id, &arena, &lines, &detail, &is_found, err);
    }
    if (status == ARUS_OK && lines.size != 0) { /* one part: all of them were alike */
        const char *end = memchr(lines.data, '\n', lines.size);

        lines.size = end == NULL ? lines.size : (size_t)(end - lines.data);
        status = check_part(sink, lines, &arena, err);
    }
    arus_arena_release(&arena);
    return status;
}
