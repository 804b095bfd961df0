/** The file source: binding a table, cutting files into splits, reading them. */
#include "base/alloc.h"
#include "base/hash.h"
#include "column/value.h"
#include "file/file_internal.h"
#include "journal/path.h"

#include <stdio.h>

#define SPLIT_SIZE_MIN    ((uint64_t)4 * 1024 * 1024)
#define SPLITS_PER_WORKER 4

/* ---- binding ---- */

static const struct arus_setting *path_setting(const struct arus_table *table)
{
    return arus_settings_find(&table->options, "path");
}

static enum arus_status bind_path(struct arus_file_source *source, struct arus_arena *arena,
                                  struct arus_error *err)
{
    const struct arus_table *table = source->base.table;
    const struct arus_setting *setting = path_setting(table);
    struct arus_path absolute;
    struct arus_text root;
    struct arus_text uri = {0};

    if (setting == NULL || source->settings.path.size == 0) {
        return arus_fail_at(err, table->place, "_LEGACY_ERROR_TEMP_1132", "`%.*s` has no path",
                            ARUS_TEXT_ARGS(table->name));
    }
    ARUS_TRY(arus_path_absolute(table->folder, source->settings.path, &absolute, err));
    ARUS_TRY(arus_text_copy(arus_text_of(absolute.text), arena, &root, err));
    source->listing.root = root.data;
    source->listing.is_glob = arus_glob_is(root);
    source->listing.is_recursive = source->settings.is_recursive;
    source->listing.name_glob = source->settings.name_glob;
    source->listing.may_be_missing = table->may_be_missing;
    source->base.path = source->listing.is_glob ? NULL : root.data;
    source->base.location = source->settings.path;
    ARUS_TRY(arus_text_format(arena, &uri, err, "FileStreamSource[file:%s]", root.data));
    source->base.description = uri;
    return ARUS_OK;
}

static enum arus_status check_path(const struct arus_file_source *source, struct arus_error *err)
{
    const struct arus_setting *setting = path_setting(source->base.table);
    const struct arus_text shown = source->settings.path;
    const bool has_slash = shown.size != 0 && shown.data[shown.size - 1] == '/';
    struct arus_file_info info;

    if (source->listing.is_glob || source->listing.may_be_missing) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_file_stat(source->listing.root, &info, err));
    if (info.kind != ARUS_FILE_NONE) {
        return ARUS_OK;
    }
    return arus_fail_at(
        err, setting->value_place.size != 0 ? setting->value_place : source->base.table->place,
        "PATH_NOT_FOUND", "source folder %.*s%s does not exist", ARUS_TEXT_ARGS(shown),
        has_slash ? "" : "/");
}

static enum arus_status check_stream_options(const struct arus_file_source *source,
                                             struct arus_error *err)
{
    static const char *const REFUSED[] = {"modifiedBefore", "modifiedAfter"};
    const struct arus_settings *options = &source->base.table->options;

    for (size_t i = 0; i < 2; i++) {
        const struct arus_setting *setting = arus_settings_find(options, REFUSED[i]);

        if (setting != NULL) {
            return arus_fail_at(err, setting->key_place, NULL, "a stream takes no `%s`",
                                REFUSED[i]);
        }
    }
    if (source->settings.max_files != 0 && source->settings.max_bytes != 0) {
        return arus_fail_at(err, arus_settings_find(options, "maxBytesPerTrigger")->key_place, NULL,
                            "maxFilesPerTrigger and maxBytesPerTrigger exclude each other");
    }
    return arus_file_check_archive(source, err);
}

static enum arus_status file_bind(const struct arus_table *table, bool is_stream,
                                  struct arus_arena *arena, struct arus_source **out,
                                  struct arus_error *err)
{
    struct arus_file_source *source;

    ARUS_TRY(ARUS_NEW(arena, struct arus_file_source, 1, &source, err));
    source->base.ops = &ARUS_FILE_SOURCE;
    source->base.table = table;
    source->format = table->connector->data;
    ARUS_TRY(arus_file_read_options(source->format, &table->options, arena, &source->settings,
                                    &source->format_settings, err));
    ARUS_TRY(bind_path(source, arena, err));
    if (is_stream) {
        ARUS_TRY(check_stream_options(source, err));
    }
    ARUS_TRY(check_path(source, err));
    ARUS_TRY(arus_file_bind_schema(source, is_stream, arena, err));
    if (source->format->check_read != NULL) {
        ARUS_TRY(source->format->check_read(source->format_settings, source->data, arena, err));
    }
    *out = &source->base;
    return ARUS_OK;
}

/* ---- compiling a request ---- */

/* The schema the format works with: data columns without the corrupt-record column. */
static enum arus_status plain_data(const struct arus_file_source *source, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    if (source->corrupt_column.size == 0) {
        *out = source->data;
        return ARUS_OK;
    }
    return arus_file_pick_columns(source->data, &source->corrupt_column, 1, false, arena, out, err);
}

/* One output column: where its values come from. */
static void place_column(struct arus_source_scan *scan, uint16_t at, int32_t *from_format,
                         int32_t *from_partition, struct arus_field *fields, uint16_t *inner_fields,
                         uint16_t *inner_count)
{
    const struct arus_file_source *source = scan->source;
    const struct arus_field *field = &scan->request->output->fields[at];
    const uint16_t in_schema = scan->request->output_fields[at];

    from_format[at] = -1;
    from_partition[at] = -1;
    if (in_schema == source->base.schema->field_count) {
        scan->metadata_column = at;
        return;
    }
    if (in_schema >= source->data->field_count) {
        from_partition[at] = in_schema - source->data->field_count;
        return;
    }
    fields[*inner_count] = *field;
    if (source->corrupt_column.size != 0 &&
        arus_text_equal(source->data->fields[in_schema].name, source->corrupt_column)) {
        inner_fields[*inner_count] = ARUS_SCAN_CORRUPT;
    } else {
        inner_fields[*inner_count] =
            (uint16_t)arus_type_find(scan->inner.schema, source->data->fields[in_schema].name);
    }
    from_format[at] = (*inner_count)++;
}

static enum arus_status inner_predicates(struct arus_source_scan *scan, struct arus_arena *arena,
                                         struct arus_error *err)
{
    const struct arus_scan *request = scan->request;
    struct arus_predicate *predicates;
    size_t count = 0;

    ARUS_TRY(
        ARUS_NEW(arena, struct arus_predicate, request->predicate_count + 1, &predicates, err));
    for (size_t i = 0; i < request->predicate_count; i++) {
        const uint16_t field = request->predicates[i].field;

        if (field < scan->source->data->field_count) {
            const int32_t at =
                arus_type_find(scan->inner.schema, scan->source->data->fields[field].name);

            if (at >= 0) {
                predicates[count] = request->predicates[i];
                predicates[count++].field = (uint16_t)at;
            }
        }
    }
    scan->inner.predicates = predicates;
    scan->inner.predicate_count = count;
    return ARUS_OK;
}

static enum arus_status file_scan_open(const struct arus_source *base,
                                       const struct arus_scan *request, struct arus_arena *arena,
                                       struct arus_source_scan **out, struct arus_error *err)
{
    const struct arus_file_source *source = (const struct arus_file_source *)base;
    const uint16_t width = request->output->field_count;
    struct arus_source_scan *scan;
    struct arus_field *fields;
    uint16_t *inner_fields;
    int32_t *from_format;
    int32_t *from_partition;
    uint16_t inner_count = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_source_scan, 1, &scan, err));
    *scan = (struct arus_source_scan){.source = source, .request = request, .metadata_column = -1};
    scan->inner = *request;
    ARUS_TRY(plain_data(source, arena, &scan->inner.schema, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, (size_t)width + 1, &fields, err));
    ARUS_TRY(ARUS_NEW(arena, uint16_t, (size_t)width + 1, &inner_fields, err));
    ARUS_TRY(ARUS_NEW(arena, int32_t, (size_t)width + 1, &from_format, err));
    ARUS_TRY(ARUS_NEW(arena, int32_t, (size_t)width + 1, &from_partition, err));
    for (uint16_t i = 0; i < width; i++) {
        place_column(scan, i, from_format, from_partition, fields, inner_fields, &inner_count);
    }
    if (inner_count == 1 && inner_fields[0] == ARUS_SCAN_CORRUPT &&
        scan->inner.schema->field_count != 0) {
        return arus_fail_at(err, source->base.table->place,
                            "UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN",
                            "a query must use another column beside `%.*s`",
                            ARUS_TEXT_ARGS(source->corrupt_column));
    }
    scan->from_format = from_format;
    scan->from_partition = from_partition;
    scan->inner.output_fields = inner_fields;
    ARUS_TRY(arus_type_struct(fields, inner_count, arena, &scan->inner.output, err));
    ARUS_TRY(inner_predicates(scan, arena, err));
    *out = scan;
    return ARUS_OK;
}

/* ---- splits ---- */

static enum arus_status add_split(struct arus_splits *out, const struct arus_file_entry *file,
                                  uint64_t begin, uint64_t end, struct arus_arena *arena,
                                  struct arus_error *err)
{
    struct arus_file_split *split;

    ARUS_TRY(ARUS_NEW(arena, struct arus_file_split, 1, &split, err));
    split->base = (struct arus_split){end - begin, (uint32_t)out->count};
    split->file = *file;
    split->begin = begin;
    split->end = end;
    ARUS_TRY(arus_text_copy(file->path, arena, &split->file.path, err));
    out->items[out->count++] = &split->base;
    return ARUS_OK;
}

enum arus_status arus_file_splits(const struct arus_file_source *source,
                                  const struct arus_file_entry *files, size_t count,
                                  uint32_t worker_count, struct arus_arena *arena,
                                  struct arus_splits *out, struct arus_error *err)
{
    uint64_t total = 0;
    uint64_t size;
    size_t capacity = count;

    for (size_t i = 0; i < count; i++) {
        total += files[i].size;
    }
    size = total / ((uint64_t)worker_count * SPLITS_PER_WORKER) + 1;
    size = size < SPLIT_SIZE_MIN ? SPLIT_SIZE_MIN : size;
    for (size_t i = 0; i < count; i++) {
        capacity += files[i].size / size + 1;
    }
    *out = (struct arus_splits){0};
    ARUS_TRY(ARUS_NEW(arena, struct arus_split *, capacity + 1, &out->items, err));
    for (size_t i = 0; i < count; i++) {
        const bool can_split =
            source->format->is_splittable(source->format_settings, files[i].path.data);
        uint64_t begin = 0;

        if (files[i].size == 0) {
            continue;
        }
        while (can_split && files[i].size - begin > size + size / 2) {
            ARUS_TRY(add_split(out, &files[i], begin, begin + size, arena, err));
            begin += size;
        }
        ARUS_TRY(add_split(out, &files[i], begin, files[i].size, arena, err));
    }
    return ARUS_OK;
}

bool arus_file_splits_equal(const struct arus_splits *a, const struct arus_splits *b)
{
    if (a->count != b->count || a->file_count != b->file_count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct arus_file_split *left = (const struct arus_file_split *)a->items[i];
        const struct arus_file_split *right = (const struct arus_file_split *)b->items[i];

        if (left->begin != right->begin || left->end != right->end ||
            left->file.size != right->file.size || left->file.mtime_ns != right->file.mtime_ns ||
            left->file.inode != right->file.inode ||
            !arus_text_equal(left->file.path, right->file.path)) {
            return false;
        }
    }
    return true;
}

/* The files of a table that is read as a whole: those that were there at the first look. What has
 * become of each is asked every time. */
static enum arus_status look_at_files(struct arus_source_scan *scan, struct arus_error *err)
{
    if (!scan->is_listed) {
        arus_file_list_reset(&scan->files);
        ARUS_TRY(arus_listing_run(&scan->source->listing, &scan->files, err));
        arus_file_list_sort(&scan->files, ARUS_OLDEST_FIRST);
        scan->is_listed = true;
        return ARUS_OK;
    }
    for (size_t i = 0; i < scan->files.count; i++) {
        struct arus_file_entry *file = &scan->files.items[i];
        struct arus_file_info info;

        ARUS_TRY(arus_file_stat(file->path.data, &info, err));
        if (info.kind == ARUS_FILE_REGULAR) { /* else its reader tells that it is gone */
            file->size = info.size;
            file->mtime_ns = info.mtime_ns;
            file->inode = info.inode;
        }
    }
    return ARUS_OK;
}

static void file_scan_close(struct arus_source_scan *scan)
{
    arus_file_list_release(&scan->files);
}

static enum arus_status file_list(struct arus_source_scan *scan, uint32_t worker_count,
                                  struct arus_arena *arena, struct arus_splits *out,
                                  struct arus_error *err)
{
    ARUS_TRY(look_at_files(scan, err));
    return arus_file_splits(scan->source, scan->files.items, scan->files.count, worker_count, arena,
                            out, err);
}

static enum arus_status file_fingerprint(struct arus_source_scan *scan, uint64_t *out,
                                         struct arus_error *err)
{
    ARUS_TRY(look_at_files(scan, err));
    *out = scan->files.count;
    for (size_t i = 0; i < scan->files.count; i++) {
        const struct arus_file_entry *file = &scan->files.items[i];

        *out = arus_hash_mix(*out, arus_hash_bytes(file->path.data, file->path.size, 0));
        *out = arus_hash_mix(*out, file->size);
        *out = arus_hash_mix(*out, (uint64_t)file->mtime_ns);
        *out = arus_hash_mix(*out, file->inode);
    }
    return ARUS_OK;
}

/* ---- reading ---- */

struct arus_scan_worker {
    const struct arus_source_scan *scan;
    struct arus_reader *reader;
    const struct arus_file_split *split;
    struct arus_arena arena; /* of the split: constants */
    struct arus_vector
        *constants; /* [output->field_count] partition values and metadata of the split */
    struct arus_vector *columns; /* [output->field_count] of the batch handed out */
    uint64_t row_count;          /* of the split, with those of the newest batch */
    uint32_t batch_rows;
    bool has_ended;
    const struct arus_bad_records *bad; /* whoever watches; or NULL */
    struct arus_bad_records named;      /* what the reader tells: it does not know the file */
};

static enum arus_status file_worker_open(struct arus_source_scan *scan,
                                         struct arus_scan_worker **out, struct arus_error *err)
{
    const uint16_t width = scan->request->output->field_count;
    struct arus_scan_worker *worker = arus_alloc(1, sizeof *worker);
    enum arus_status status;

    *out = NULL;
    if (worker == NULL) {
        return arus_fail_memory(err);
    }
    worker->scan = scan;
    worker->has_ended = true;
    worker->columns = arus_alloc((size_t)width + 1, sizeof *worker->columns);
    worker->constants = arus_alloc((size_t)width + 1, sizeof *worker->constants);
    if (worker->columns == NULL || worker->constants == NULL) {
        ARUS_FILE_SOURCE.worker_close(worker);
        return arus_fail_memory(err);
    }
    status = scan->source->format->reader_open(&scan->inner, scan->source->format_settings,
                                               &worker->reader, err);
    if (status != ARUS_OK) {
        ARUS_FILE_SOURCE.worker_close(worker);
        return status;
    }
    *out = worker;
    return ARUS_OK;
}

static void file_worker_close(struct arus_scan_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    if (worker->reader != NULL) {
        worker->scan->source->format->reader_close(worker->reader);
    }
    arus_arena_release(&worker->arena);
    arus_free(worker->columns);
    arus_free(worker->constants);
    arus_free(worker);
}

static enum arus_status text_child(struct arus_text text, struct arus_arena *arena,
                                   struct arus_vector *out, struct arus_error *err)
{
    const struct arus_view view = arus_view_of(text.data, text.size);

    return arus_value_make(&ARUS_STRING, &view, 1, arena, out, err);
}

static enum arus_status metadata_child(const struct arus_file_split *split, uint16_t field,
                                       struct arus_arena *arena, struct arus_vector *out,
                                       struct arus_error *err)
{
    const char *slash = strrchr(split->file.path.data, '/');
    struct arus_buffer uri = {0};
    int64_t value = 0;
    enum arus_status status;

    switch (field) {
    case 0:
        status = arus_path_append_uri(&uri, split->file.path, err);
        if (status == ARUS_OK) {
            status = text_child(arus_buffer_text(&uri), arena, out, err);
        }
        arus_buffer_release(&uri);
        return status;
    case 1:
        status = arus_path_append_uri(&uri, arus_text_of(slash), err);
        if (status == ARUS_OK) { /* behind file:/// */
            status = text_child((struct arus_text){uri.data + 8, uri.size - 8}, arena, out, err);
        }
        arus_buffer_release(&uri);
        return status;
    case 2:
        value = (int64_t)split->file.size;
        break;
    case 3:
        value = (int64_t)split->begin;
        break;
    case 4:
        value = (int64_t)(split->end - split->begin);
        break;
    default:
        value = split->file.mtime_ns / 1000000 * 1000;
        return arus_value_make(&ARUS_TIMESTAMP, &value, 1, arena, out, err);
    }
    return arus_value_make(&ARUS_BIGINT, &value, 1, arena, out, err);
}

/* `_metadata` of the split, with the fields that the query wants. */
static enum arus_status metadata_value(struct arus_scan_worker *worker,
                                       const struct arus_type *type, struct arus_vector *out,
                                       struct arus_error *err)
{
    const struct arus_type *all = worker->scan->source->base.metadata;

    *out = (struct arus_vector){.type = type, .form = ARUS_VECTOR_CONSTANT, .row_count = 1};
    ARUS_TRY(ARUS_NEW(&worker->arena, struct arus_vector, (size_t)type->field_count + 1,
                      &out->children, err));
    for (uint16_t f = 0; f < type->field_count; f++) {
        const int32_t field = arus_type_find_nocase(all, type->fields[f].name);

        ARUS_TRY(
            metadata_child(worker->split, (uint16_t)field, &worker->arena, &out->children[f], err));
    }
    return ARUS_OK;
}

static enum arus_status prepare_constants(struct arus_scan_worker *worker, struct arus_error *err)
{
    const struct arus_source_scan *scan = worker->scan;
    const struct arus_partitions *partitions = &scan->source->partitions;
    struct arus_vector *values;

    arus_arena_reset(&worker->arena);
    ARUS_TRY(ARUS_NEW(&worker->arena, struct arus_vector,
                      (size_t)partitions->schema->field_count + 1, &values, err));
    ARUS_TRY(
        arus_partition_values(partitions, worker->split->file.path, &worker->arena, values, err));
    for (uint16_t i = 0; i < scan->request->output->field_count; i++) {
        if (scan->from_partition[i] >= 0) {
            worker->constants[i] = values[scan->from_partition[i]];
        } else if (scan->metadata_column == i) {
            ARUS_TRY(metadata_value(worker, scan->request->output->fields[i].type,
                                    &worker->constants[i], err));
        }
    }
    return ARUS_OK;
}

/* May a failure of this file be passed over? */
static bool is_forgiven(const struct arus_scan_worker *worker, const struct arus_error *err)
{
    const struct arus_file_read_settings *settings = &worker->scan->source->settings;
    const bool is_missing =
        err->condition != NULL && strcmp(err->condition, "FAILED_READ_FILE.FILE_NOT_EXIST") == 0;

    return is_missing ? settings->ignore_missing
                      : settings->ignore_corrupt && err->status == ARUS_BAD_DATA;
}

static enum arus_status file_worker_start(struct arus_scan_worker *worker,
                                          const struct arus_split *base, struct arus_error *err)
{
    const struct arus_format *format = worker->scan->source->format;
    struct arus_input input;
    enum arus_status status;

    worker->split = (const struct arus_file_split *)base;
    worker->row_count = 0;
    input = (struct arus_input){worker->split->file.path.data, worker->split->file.size,
                                worker->split->begin, worker->split->end};
    ARUS_TRY(prepare_constants(worker, err));
    status = format->reader_start(worker->reader, &input, err);
    worker->has_ended = status != ARUS_OK && is_forgiven(worker, err);
    return worker->has_ended ? ARUS_OK : status;
}

static void set_constant(struct arus_vector *out, const struct arus_vector *value,
                         uint32_t row_count)
{
    *out = *value;
    out->row_count = row_count;
    if (out->type->id == ARUS_TYPE_STRUCT) {
        for (uint16_t f = 0; f < out->type->field_count; f++) {
            out->children[f].row_count = row_count;
        }
    }
}

static enum arus_status file_worker_next(struct arus_scan_worker *worker, struct arus_batch *out,
                                         struct arus_error *err)
{
    const struct arus_source_scan *scan = worker->scan;
    struct arus_batch inner = {0};
    enum arus_status status = ARUS_OK;

    *out = (struct arus_batch){.schema = scan->request->output};
    if (worker->has_ended) {
        return ARUS_OK;
    }
    status = scan->source->format->reader_next(worker->reader, &inner, err);
    if (status != ARUS_OK) {
        worker->has_ended = is_forgiven(worker, err);
        return worker->has_ended ? ARUS_OK : status;
    }
    worker->has_ended = inner.row_count == 0;
    worker->batch_rows = inner.row_count;
    worker->row_count += inner.row_count;
    for (uint16_t i = 0; i < scan->request->output->field_count; i++) {
        if (scan->from_format[i] >= 0) {
            worker->columns[i] = inner.row_count == 0 ? (struct arus_vector){0}
                                                      : inner.columns[scan->from_format[i]];
        } else {
            set_constant(&worker->columns[i], &worker->constants[i], inner.row_count);
        }
    }
    out->row_count = inner.row_count;
    out->columns = worker->columns;
    return ARUS_OK;
}

static void file_worker_place(struct arus_scan_worker *worker, uint32_t row, struct arus_error *err)
{
    const struct arus_file_source *source = worker->scan->source;
    const struct arus_file_split *split = worker->split;
    const struct arus_file_lookup lookup = {
        .format = source->format,
        .scan = &worker->scan->inner,
        .settings = source->format_settings,
        .input = {split->file.path.data, split->file.size, split->begin, split->end}};

    arus_file_place_row(&lookup, worker->row_count - worker->batch_rows + row, err);
}

static struct arus_text file_name(const struct arus_scan_worker *worker)
{
    return worker->split->file.path;
}

static enum arus_status name_bad(void *self, const struct arus_record *record, bool is_dropped,
                                 struct arus_error *err)
{
    const struct arus_scan_worker *worker = self;
    struct arus_record named = *record;

    named.file = file_name(worker);
    return worker->bad->take(worker->bad->self, &named, is_dropped, err);
}

static void file_worker_watch(struct arus_scan_worker *worker, const struct arus_bad_records *bad)
{
    const struct arus_format *format = worker->scan->source->format;

    worker->bad = bad;
    worker->named =
        (struct arus_bad_records){.take = bad->take == NULL ? NULL : name_bad, .self = worker};
    if (format->reader_watch != NULL) {
        format->reader_watch(worker->reader, &worker->named);
    }
}

static enum arus_status file_worker_record(struct arus_scan_worker *worker, uint32_t row,
                                           struct arus_record *out, struct arus_error *err)
{
    const struct arus_format *format = worker->scan->source->format;

    *out = (struct arus_record){0};
    if (format->reader_record != NULL) {
        ARUS_TRY(format->reader_record(worker->reader, row, out, err));
    }
    out->file = file_name(worker);
    return ARUS_OK;
}

static void file_worker_stats(const struct arus_scan_worker *worker, struct arus_scan_stats *out)
{
    worker->scan->source->format->reader_stats(worker->reader, out);
}

const struct arus_source_ops ARUS_FILE_SOURCE = {
    .bind = file_bind,
    .scan_open = file_scan_open,
    .worker_open = file_worker_open,
    .worker_start = file_worker_start,
    .worker_next = file_worker_next,
    .scan_close = file_scan_close,
    .worker_place = file_worker_place,
    .worker_watch = file_worker_watch,
    .worker_record = file_worker_record,
    .worker_stats = file_worker_stats,
    .worker_close = file_worker_close,
    .list = file_list,
    .fingerprint = file_fingerprint,
    .stream_open = arus_file_stream_open,
    .stream_plan = arus_file_stream_plan,
    .stream_splits = arus_file_stream_splits,
    .stream_peek = arus_file_stream_peek,
    .splits_equal = arus_file_splits_equal,
    .stream_committed = arus_file_stream_committed,
    .stream_wake_fd = arus_file_stream_wake_fd,
    .stream_close = arus_file_stream_close,
};
