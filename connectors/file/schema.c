/** The columns of a file table: declared or found in the files, and the partition columns. */
#include "base/alloc.h"
#include "base/table.h"
#include "file/file_internal.h"
#include "types/utf8.h"

#include <stdlib.h>

#define CORRUPT_COLUMN ARUS_TEXT("_corrupt_record")

static const struct arus_field METADATA_FIELDS[] = {
    {.name = {"file_path", 9}, .type = &ARUS_STRING},
    {.name = {"file_name", 9}, .type = &ARUS_STRING},
    {.name = {"file_size", 9}, .type = &ARUS_BIGINT},
    {.name = {"file_block_start", 16}, .type = &ARUS_BIGINT},
    {.name = {"file_block_length", 17}, .type = &ARUS_BIGINT},
    {.name = {"file_modification_time", 22}, .type = &ARUS_TIMESTAMP},
};
static const struct arus_type METADATA = {
    .id = ARUS_TYPE_STRUCT, .field_count = 6, .fields = METADATA_FIELDS};

static bool names_column(const struct arus_text *names, size_t count, struct arus_text name)
{
    for (size_t i = 0; i < count; i++) {
        if (arus_text_equal_nocase(names[i], name)) {
            return true;
        }
    }
    return false;
}

enum arus_status arus_file_pick_columns(const struct arus_type *all, const struct arus_text *names,
                                        size_t count, bool wanted, struct arus_arena *arena,
                                        const struct arus_type **out, struct arus_error *err)
{
    struct arus_field *fields;
    uint16_t picked = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, (size_t)all->field_count + 1, &fields, err));
    for (uint16_t i = 0; i < all->field_count; i++) {
        if (names_column(names, count, all->fields[i].name) == wanted) {
            fields[picked] = all->fields[i];
            fields[picked++].is_nullable = true;
        }
    }
    return arus_type_struct(fields, picked, arena, out, err);
}

/* Names of the partition columns: declared, or found in the folders that are there now. */
static enum arus_status partition_names(struct arus_file_source *source,
                                        const struct arus_type *found, struct arus_arena *arena,
                                        const struct arus_text **out, size_t *count,
                                        struct arus_error *err)
{
    const struct arus_table *table = source->base.table;
    struct arus_text *names;

    *out = table->partitioned_by;
    *count = table->partitioned_by_count;
    if (*count != 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, (size_t)found->field_count + 1, &names, err));
    for (uint16_t i = 0; i < found->field_count; i++) {
        names[i] = found->fields[i].name;
    }
    *out = names;
    *count = found->field_count;
    return ARUS_OK;
}

/* ---- looking inside ---- */

static int compare_paths(const void *a, const void *b)
{
    const struct arus_input *x = a;
    const struct arus_input *y = b;

    return strcmp(x->path, y->path);
}

/* The files that hold something, by path. */
static enum arus_status list_inputs(const struct arus_file_list *files, struct arus_arena *arena,
                                    struct arus_inputs *out, struct arus_error *err)
{
    struct arus_input *items;

    *out = (struct arus_inputs){0};
    ARUS_TRY(ARUS_NEW(arena, struct arus_input, files->count + 1, &items, err));
    for (size_t i = 0; i < files->count; i++) {
        const struct arus_file_entry *file = &files->items[i];

        if (file->size != 0) {
            items[out->count++] = (struct arus_input){file->path.data, file->size, 0, file->size};
        }
    }
    qsort(items, out->count, sizeof *items, compare_paths);
    out->items = items;
    return ARUS_OK;
}

static enum arus_status infer_data(struct arus_file_source *source,
                                   const struct arus_inputs *inputs, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    static const struct arus_field ANY_FIELD = {.name = {"value", 5}, .type = &ARUS_STRING};
    static const struct arus_type ANY_COLUMNS = {
        .id = ARUS_TYPE_STRUCT, .field_count = 1, .fields = &ANY_FIELD};

    if (inputs->count == 0 && strcmp(source->format->name, "text") != 0) {
        arus_ignore(arus_fail_at(err, source->base.table->place, "UNABLE_TO_INFER_SCHEMA",
                                 "%.*s has no file to take the columns from",
                                 ARUS_TEXT_ARGS(source->base.location)));
        return arus_error_help(err, "name the columns: CREATE TABLE t (a STRING, ..) USING %s",
                               source->format->name);
    }
    if (source->format->check_read != NULL) { /* completes the options; the columns come after */
        ARUS_TRY(source->format->check_read(source->format_settings, &ANY_COLUMNS, arena, err));
    }
    return source->format->infer(source->format_settings, inputs, source->base.table->zone, arena,
                                 out, err);
}

/* A streaming source must be told its columns; one look inside a file makes the help. */
static enum arus_status refuse_without_columns(struct arus_file_source *source,
                                               const struct arus_inputs *inputs,
                                               struct arus_arena *arena, struct arus_error *err)
{
    const struct arus_inputs first = {inputs->items, 1};
    const struct arus_type *inferred;
    struct arus_buffer ddl = {0};
    struct arus_error ignored;

    arus_ignore(arus_fail_at(err, source->base.table->place, "_LEGACY_ERROR_TEMP_2048",
                             "a streaming %s source needs its columns", source->format->name));
    if (inputs->count != 0 && infer_data(source, &first, arena, &inferred, &ignored) == ARUS_OK &&
        arus_schema_ddl(inferred, &ddl, &ignored) == ARUS_OK) {
        (void)arus_error_help(err, "from %.*s/%s: (%.*s)", ARUS_TEXT_ARGS(source->base.location),
                              strrchr(first.items[0].path, '/') + 1,
                              ARUS_TEXT_ARGS(arus_buffer_text(&ddl)));
    }
    arus_buffer_release(&ddl);
    return err->status;
}

/* ---- the whole ---- */

/* All columns: data, then partition columns. */
static enum arus_status join_schema(struct arus_file_source *source, struct arus_arena *arena,
                                    struct arus_error *err)
{
    const struct arus_type *data = source->data;
    const struct arus_type *partitions = source->partitions.schema;
    const uint16_t count = (uint16_t)(data->field_count + partitions->field_count);
    struct arus_field *fields;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, (size_t)count + 1, &fields, err));
    for (uint16_t i = 0; i < count; i++) {
        fields[i] =
            i < data->field_count ? data->fields[i] : partitions->fields[i - data->field_count];
    }
    source->base.metadata = &METADATA;
    return arus_type_struct(fields, count, arena, &source->base.schema, err);
}

/* The partition columns of the folders; a declared type beats the inferred one. */
static enum arus_status typed_by(const struct arus_type *found, const struct arus_type *declared,
                                 struct arus_arena *arena, const struct arus_type **out,
                                 struct arus_error *err)
{
    struct arus_field *fields;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, (size_t)found->field_count + 1, &fields, err));
    for (uint16_t i = 0; i < found->field_count; i++) {
        const int32_t own = arus_type_find_nocase(declared, found->fields[i].name);

        fields[i] = own >= 0 ? declared->fields[own] : found->fields[i];
        fields[i].is_nullable = true;
    }
    return arus_type_struct(fields, found->field_count, arena, out, err);
}

static enum arus_status bind_schema(struct arus_file_source *source, bool is_stream,
                                    const struct arus_file_list *files, struct arus_arena *arena,
                                    struct arus_error *err)
{
    const struct arus_table *table = source->base.table;
    const bool is_text = strcmp(source->format->name, "text") == 0;
    const struct arus_type *all = table->declared;
    const struct arus_type *found;
    const struct arus_text *names;
    struct arus_inputs inputs;
    size_t count;

    source->partitions.root = arus_text_of(source->listing.root);
    source->partitions.zone = table->zone;
    if (source->listing.is_recursive) {
        ARUS_TRY(arus_type_struct(NULL, 0, arena, &found, err));
    } else {
        ARUS_TRY(arus_partition_infer(source->partitions.root, files, arena, &found, err));
    }
    ARUS_TRY(partition_names(source, found, arena, &names, &count, err));
    ARUS_TRY(list_inputs(files, arena, &inputs, err));
    if (all == NULL && is_stream && !is_text) {
        return refuse_without_columns(source, &inputs, arena, err);
    }
    if (all == NULL) {
        ARUS_TRY(infer_data(source, &inputs, arena, &all, err));
        ARUS_TRY(arus_file_pick_columns(all, names, count, false, arena, &source->data, err));
        source->partitions.schema = found;
        return join_schema(source, arena, err);
    }
    ARUS_TRY(arus_file_pick_columns(all, names, count, false, arena, &source->data, err));
    if (table->partitioned_by_count != 0 || found->field_count == 0) {
        ARUS_TRY(arus_file_pick_columns(all, names, count, true, arena, &source->partitions.schema,
                                        err));
    } else {
        ARUS_TRY(typed_by(found, all, arena, &source->partitions.schema, err));
    }
    return join_schema(source, arena, err);
}

/* Spark looks for names without case: two alike cannot be, at any depth. */
static enum arus_status check_names(const struct arus_type *type, struct arus_text_table *seen,
                                    struct arus_buffer *folded, struct arus_error *err)
{
    arus_text_table_reset(seen);
    for (uint16_t i = 0; type->id == ARUS_TYPE_STRUCT && i < type->field_count; i++) {
        const struct arus_text name = type->fields[i].name;
        uint32_t number;
        bool is_new;

        arus_buffer_reset(folded);
        ARUS_TRY(arus_utf8_lower(name, folded, err));
        ARUS_TRY(arus_text_table_add(seen, arus_buffer_text(folded), &number, &is_new, err));
        if (!is_new) {
            return arus_fail(err, ARUS_BAD_CONFIG, "COLUMN_ALREADY_EXISTS",
                             "there are two columns `%.*s`", ARUS_TEXT_ARGS(name));
        }
    }
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(check_names(type->fields[i].type, seen, folded, err));
    }
    return ARUS_OK;
}

static enum arus_status check_data(const struct arus_file_source *source, struct arus_error *err)
{
    struct arus_text_table seen = {0};
    struct arus_buffer folded = {0};
    enum arus_status status = check_names(source->data, &seen, &folded, err);

    if (status == ARUS_BAD_CONFIG) {
        status = arus_error_at(err, source->base.table->place);
    }
    arus_text_table_release(&seen);
    arus_buffer_release(&folded);
    return status;
}

static enum arus_status bind_listed(struct arus_file_source *source, bool is_stream,
                                    struct arus_arena *arena, struct arus_error *err)
{
    const struct arus_table *table = source->base.table;
    const bool may_skip = table->declared != NULL && table->partitioned_by_count != 0;
    struct arus_file_list files = {0};
    enum arus_status status = ARUS_OK;

    if (!may_skip) {
        status = table->declared != NULL ? arus_listing_samples(&source->listing, &files, err)
                                         : arus_listing_run(&source->listing, &files, err);
    }
    if (status == ARUS_OK) {
        arus_file_list_sort(&files, ARUS_OLDEST_FIRST);
        status = bind_schema(source, is_stream, &files, arena, err);
    }
    arus_file_list_release(&files);
    return status;
}

static enum arus_status find_corrupt_column(struct arus_file_source *source, struct arus_error *err)
{
    const struct arus_setting *named =
        arus_settings_find(&source->base.table->options, "columnNameOfCorruptRecord");
    const struct arus_text name = named == NULL ? CORRUPT_COLUMN : named->value;
    const int32_t at = arus_type_find_nocase(source->data, name);

    if (strcmp(source->format->name, "json") != 0 && strcmp(source->format->name, "csv") != 0) {
        return ARUS_OK;
    }
    if (at >= 0 && source->data->fields[at].type->id != ARUS_TYPE_STRING) {
        return arus_fail_at(err, source->base.table->place, "INVALID_CORRUPT_RECORD_TYPE",
                            "the column for corrupt records must be a STRING");
    }
    if (at >= 0) {
        source->corrupt_column = source->data->fields[at].name;
    }
    return ARUS_OK;
}

enum arus_status arus_file_bind_schema(struct arus_file_source *source, bool is_stream,
                                       struct arus_arena *arena, struct arus_error *err)
{
    ARUS_TRY(bind_listed(source, is_stream, arena, err));
    ARUS_TRY(check_data(source, err));
    return find_corrupt_column(source, err);
}
