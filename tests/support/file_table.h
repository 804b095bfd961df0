/** Binding and driving the file connectors without SQL. */
#ifndef ARUS_TESTS_SUPPORT_FILE_TABLE_H
#define ARUS_TESTS_SUPPORT_FILE_TABLE_H

#include "column/value.h"
#include "connector/connector.h"
#include "journal/checkpoint.h"
#include "support/folder.h"

#include <sys/time.h>

#define OPTIONS_MAX 8

static struct arus_error err;
static struct arus_arena plan_arena;
static char notices[8192];

static void take_notice(void *self, enum arus_log_level level, const char *text)
{
    (void)self;
    (void)level;
    (void)strncat(notices, text, sizeof notices - strlen(notices) - 2);
    (void)strncat(notices, "\n", sizeof notices - strlen(notices) - 1);
}

static const struct arus_logger NOTICE_LOGGER = {take_notice, NULL, ARUS_LOG_DEBUG};

/** `k=v;k=v` becomes settings; places are 1-based positions, so that errors have one. */
static struct arus_settings settings_of(const char *text)
{
    struct arus_setting *items;
    struct arus_settings out = {0};
    const char *at = text;

    MUST(ARUS_NEW(&plan_arena, struct arus_setting, OPTIONS_MAX, &items, &err));
    while (*at != '\0') {
        const char *equals = strchr(at, '=');
        const char *end = strchr(at, ';');

        end = end == NULL ? at + strlen(at) : end;
        MUST(arus_text_copy((struct arus_text){at, (size_t)(equals - at)}, &plan_arena,
                            &items[out.count].key, &err));
        MUST(arus_text_copy((struct arus_text){equals + 1, (size_t)(end - equals - 1)}, &plan_arena,
                            &items[out.count].value, &err));
        items[out.count].key_place = (struct arus_place){(uint32_t)(at - text) + 1, 1};
        items[out.count++].value_place = (struct arus_place){(uint32_t)(equals - text) + 2, 1};
        at = *end == '\0' ? end : end + 1;
    }
    out.items = items;
    return out;
}

static const struct arus_type *columns_of(const char *ddl)
{
    const struct arus_type *type = NULL;

    if (ddl != NULL) {
        MUST(arus_type_parse_ddl(arus_text_of(ddl), &plan_arena, &type, &err));
    }
    return type;
}

static inline enum arus_status bind_source(const char *format, const char *ddl, const char *options,
                                           bool is_stream, struct arus_source **out)
{
    struct arus_table *table;
    struct arus_text folder;

    MUST(ARUS_NEW(&plan_arena, struct arus_table, 1, &table, &err));
    MUST(arus_text_copy(arus_text_of(test_folder), &plan_arena, &folder, &err));
    *table = (struct arus_table){.name = ARUS_TEXT("t"),
                                 .connector = arus_connector_find(arus_text_of(format)),
                                 .declared = columns_of(ddl),
                                 .options = settings_of(options),
                                 .place = {1, 1},
                                 .folder = folder.data,
                                 .zone = ARUS_ZONE_UTC};
    cr_assert(table->connector != NULL);
    return table->connector->source->bind(table, is_stream, &plan_arena, out, &err);
}

static inline enum arus_status bind_sink(const char *format, const char *ddl, const char *options,
                                         const char *partition, struct arus_sink **out)
{
    struct arus_sink_config *config;
    struct arus_text *names;
    struct arus_text folder;

    MUST(ARUS_NEW(&plan_arena, struct arus_sink_config, 1, &config, &err));
    MUST(ARUS_NEW(&plan_arena, struct arus_text, 1, &names, &err));
    MUST(arus_text_copy(arus_text_of(test_folder), &plan_arena, &folder, &err));
    names[0] = partition == NULL ? (struct arus_text){0} : arus_text_of(partition);
    *config = (struct arus_sink_config){.name = ARUS_TEXT("q"),
                                        .connector = arus_connector_find(arus_text_of(format)),
                                        .options = settings_of(options),
                                        .partitioned_by = names,
                                        .partitioned_by_count = partition != NULL,
                                        .place = {1, 1},
                                        .partition_place = {2, 1},
                                        .path_place = {3, 1},
                                        .schema = columns_of(ddl),
                                        .mode = ARUS_APPEND,
                                        .folder = folder.data,
                                        .zone = ARUS_ZONE_UTC};
    return config->connector->sink->bind(config, &plan_arena, out, &err);
}

static inline struct arus_checkpoint *open_checkpoint(uint32_t source_count)
{
    static char folder[300];
    struct arus_checkpoint_config config = {.folder = folder,
                                            .shown = "ckpt",
                                            .query = "q",
                                            .source_count = source_count,
                                            .logger = &NOTICE_LOGGER};
    struct arus_checkpoint *checkpoint;

    (void)snprintf(folder, sizeof folder, "%s/ckpt", test_folder);
    MUST(arus_checkpoint_open(&config, &checkpoint, &err));
    return checkpoint;
}

/** Sets a file's modification time, in milliseconds. */
static inline void set_time(const char *path, int64_t ms)
{
    const struct timeval times[2] = {{ms / 1000, (ms % 1000) * 1000},
                                     {ms / 1000, (ms % 1000) * 1000}};

    cr_assert(utimes(path, times) == 0, "%s", path);
}

static inline void put_at(const char *name, const char *content, int64_t ms)
{
    put_file(at(name), content);
    set_time(at(name), ms);
}

/** All rows of some splits as text: `a|b` a line. */
static inline const char *read_splits(struct arus_source_scan *scan,
                                      const struct arus_source *source,
                                      const struct arus_splits *splits)
{
    static struct arus_buffer text;
    struct arus_scan_worker *worker;
    struct arus_batch batch;

    arus_buffer_reset(&text);
    MUST(source->ops->worker_open(scan, &worker, &err));
    for (size_t i = 0; i < splits->count; i++) {
        MUST(source->ops->worker_start(worker, splits->items[i], &err));
        for (;;) {
            MUST(source->ops->worker_next(worker, &batch, &err));
            if (batch.row_count == 0) {
                break;
            }
            for (uint32_t row = 0; row < batch.row_count; row++) {
                for (uint16_t c = 0; c < batch.schema->field_count; c++) {
                    if (c > 0) {
                        MUST(arus_buffer_append_char(&text, '|', &err));
                    }
                    MUST(arus_value_text(&batch.columns[c], row, ARUS_ZONE_UTC, &text, &err));
                }
                MUST(arus_buffer_append_char(&text, '\n', &err));
            }
        }
    }
    source->ops->worker_close(worker);
    MUST(arus_buffer_append_char(&text, '\0', &err));
    return text.data;
}

/** A scan of all columns, `_metadata` too when asked for. */
static inline struct arus_source_scan *scan_all(const struct arus_source *source,
                                                bool with_metadata)
{
    const uint16_t count = (uint16_t)(source->schema->field_count + with_metadata);
    struct arus_source_scan *scan;
    struct arus_field *fields;
    uint16_t *positions;
    struct arus_scan *request;

    MUST(ARUS_NEW(&plan_arena, struct arus_scan, 1, &request, &err));
    MUST(ARUS_NEW(&plan_arena, struct arus_field, (size_t)count + 1, &fields, &err));
    MUST(ARUS_NEW(&plan_arena, uint16_t, (size_t)count + 1, &positions, &err));
    for (uint16_t i = 0; i < count; i++) {
        positions[i] = i;
        fields[i] =
            i < source->schema->field_count
                ? source->schema->fields[i]
                : (struct arus_field){.name = ARUS_TEXT("_metadata"), .type = source->metadata};
    }
    *request = (struct arus_scan){.schema = source->schema,
                                  .output_fields = positions,
                                  .zone = ARUS_ZONE_UTC,
                                  .is_ansi = true};
    MUST(arus_type_struct(fields, count, &plan_arena, &request->output, &err));
    MUST(source->ops->scan_open(source, request, &plan_arena, &scan, &err));
    return scan;
}

/** What a batch query would read. */
static inline const char *read_table(const char *format, const char *ddl, const char *options)
{
    struct arus_source *source;
    struct arus_splits splits;
    struct arus_source_scan *scan;

    MUST(bind_source(format, ddl, options, false, &source));
    scan = scan_all(source, false);
    MUST(source->ops->list(scan, 2, &plan_arena, &splits, &err));
    return read_splits(scan, source, &splits);
}

#endif
