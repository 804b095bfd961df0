/** `arus offsets`: how far a query has read each source. */
#include "api/status.h"
#include "cli/commands.h"
#include "cli/place.h"
#include "column/builder.h"

#include <jansson.h>

#include <stdlib.h>

enum { SOURCE, PARTITION, OFFSET, LATEST, LAG, COLUMN_COUNT };

static const struct arus_field FIELDS[COLUMN_COUNT] = {
    [SOURCE] = {.name = {"source", 6}, .type = &ARUS_STRING, .is_nullable = true},
    [PARTITION] = {.name = {"partition", 9}, .type = &ARUS_INT, .is_nullable = true},
    [OFFSET] = {.name = {"offset", 6}, .type = &ARUS_BIGINT, .is_nullable = true},
    [LATEST] = {.name = {"latest", 6}, .type = &ARUS_BIGINT, .is_nullable = true},
    [LAG] = {.name = {"lag", 3}, .type = &ARUS_BIGINT, .is_nullable = true},
};
static const struct arus_type SCHEMA = {
    .id = ARUS_TYPE_STRUCT, .field_count = COLUMN_COUNT, .fields = FIELDS};

static enum arus_status put_number(struct arus_builder *builder, const json_t *value,
                                   struct arus_error *err)
{
    const int64_t number = json_integer_value(value);

    return json_is_integer(value) ? arus_builder_value(builder, &number, err)
                                  : arus_builder_null(builder, err);
}

static enum arus_status put_row(struct arus_builder *rows, const char *name, const char *partition,
                                const json_t *end, const json_t *latest, struct arus_error *err)
{
    const struct arus_view view = arus_view_of(name, strlen(name));
    const int32_t number = partition == NULL ? 0 : (int32_t)strtol(partition, NULL, 10);
    const int64_t lag = json_integer_value(latest) - json_integer_value(end);

    ARUS_TRY(arus_builder_value(&rows->children[SOURCE], &view, err));
    ARUS_TRY(partition == NULL ? arus_builder_null(&rows->children[PARTITION], err)
                               : arus_builder_value(&rows->children[PARTITION], &number, err));
    ARUS_TRY(put_number(&rows->children[OFFSET], end, err));
    ARUS_TRY(put_number(&rows->children[LATEST], latest, err));
    ARUS_TRY(json_is_integer(latest) && json_is_integer(end)
                 ? arus_builder_value(&rows->children[LAG], &lag, err)
                 : arus_builder_null(&rows->children[LAG], err));
    return arus_builder_struct(rows, err);
}

/* {"topic":{"0":23}} or {"logOffset":4} */
static enum arus_status put_source(struct arus_builder *rows, const json_t *source,
                                   struct arus_error *err)
{
    json_t *end = json_object_get(source, "endOffset");
    const json_t *latest = json_object_get(source, "latestOffset");
    const char *topic;
    const char *partition;
    json_t *inner;
    json_t *offset;

    json_object_foreach(end, topic, inner)
    {
        if (!json_is_object(inner)) {
            const char *name = json_string_value(json_object_get(source, "description"));

            ARUS_TRY(put_row(rows, name == NULL ? "" : name, NULL, inner, NULL, err));
            continue;
        }
        json_object_foreach(inner, partition, offset)
        {
            ARUS_TRY(put_row(rows, topic, partition, offset,
                             json_object_get(json_object_get(latest, topic), partition), err));
        }
    }
    return ARUS_OK;
}

static enum arus_status put_sources(struct arus_builder *rows, const json_t *progress,
                                    struct arus_error *err)
{
    const json_t *sources = json_object_get(progress, "sources");
    const json_t *source;
    size_t index;

    json_array_foreach(sources, index, source)
    {
        ARUS_TRY(put_source(rows, source, err));
    }
    return ARUS_OK;
}

/* The newest batch's offsets, as its progress tells them. `*progress` keeps the texts. */
static enum arus_status read_offsets(const struct arus_checkpoint_place *place,
                                     struct arus_arena *arena, struct arus_builder *rows,
                                     json_t **progress, struct arus_error *err)
{
    struct arus_checkpoint_status status;

    ARUS_TRY(arus_status_read(place->folder.text, arena, &status, err));
    if (status.summary.progress.size == 0) {
        return ARUS_OK;
    }
    *progress = json_loadb(status.summary.progress.data, status.summary.progress.size, 0, NULL);
    return put_sources(rows, *progress, err);
}

static enum arus_status show(struct arus_opened *opened, const struct arus_args *args,
                             struct arus_builder *rows, struct arus_arena *arena,
                             struct arus_error *err)
{
    struct arus_vector all;
    struct arus_batch batch;

    ARUS_TRY(arus_builder_finish(rows, arena, &all, err));
    batch =
        (struct arus_batch){.schema = &SCHEMA, .row_count = all.row_count, .columns = all.children};
    if (opened->session == NULL) {
        ARUS_TRY(arus_opened_session(opened, args, NULL));
    }
    return arus_show_batch(opened, args, &batch, err);
}

int arus_command_offsets(const struct arus_args *args)
{
    struct arus_checkpoint_place place;
    struct arus_builder rows = {0};
    struct arus_arena arena = {0};
    struct arus_error err = {0};
    struct arus_opened opened;
    json_t *progress = NULL;
    enum arus_status status;

    arus_opened_begin(&opened, args);
    status = arus_checkpoint_find(&opened, args, &place, &err);
    if (status == ARUS_OK) {
        status = arus_builder_init(&rows, &SCHEMA, &err);
    }
    if (status == ARUS_OK) {
        status = read_offsets(&place, &arena, &rows, &progress, &err);
    }
    if (status == ARUS_OK) {
        status = show(&opened, args, &rows, &arena, &err);
    }
    if (status != ARUS_OK && err.message[0] != '\0') {
        arus_opened_fail(&opened, args->operands[0], &err);
    }
    arus_builder_release(&rows);
    arus_arena_release(&arena);
    json_decref(progress);
    arus_opened_release(&opened);
    return arus_exit_of(status == ARUS_MISMATCH ? ARUS_BAD_CONFIG : status);
}
