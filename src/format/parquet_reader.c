/** Reads a file row group by row group, a batch at a time, column by column. */
#include "base/alloc.h"
#include "format/parquet_assemble.h"
#include "format/parquet_internal.h"
#include "format/parquet_merge.h"
#include "format/parquet_prune.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define MAGIC            "PAR1"
#define ENCRYPTED_MAGIC  "PARE"
#define TAIL_SIZE        ((size_t)8) /* length of the footer and the magic bytes */
#define FIRST_READ_SIZE  ((uint64_t)16 * 1024)
#define FOOTER_SIZE_MAX  ((size_t)1 << 30)
#define BATCH_BYTES      8388608.0
#define BATCH_ROWS_LEAST 16

/** A file with its footer read. Zeroed = empty and releasable. */
struct open_file {
    struct arus_parquet_file file;
    struct arus_buffer footer;
    struct arus_arena arena;
    struct arus_parquet_meta meta;
    struct arus_parquet_node root;
    uint64_t byte_count; /* read so far */
    bool is_open;
};

struct reader {
    const struct arus_scan *scan;
    struct open_file open;
    uint64_t begin; /* of the split */
    uint64_t end;
    struct arus_parquet_columns columns;
    struct arus_parquet_want want;
    const struct arus_type *wanted; /* output without the corrupt-record column */
    const uint16_t *wanted_fields;  /* [output->field_count] position in `wanted`, or none */
    struct arus_arena plan;         /* `wanted` */
    struct arus_arena step;
    struct arus_block_state codecs;
    uint32_t next_group;
    int64_t group_rows_left;
    uint32_t batch_rows;
    struct arus_scan_stats stats;
};

/* ---- the footer ---- */

static void close_file(struct open_file *opened)
{
    if (opened->is_open) {
        (void)close(opened->file.fd); /* only read */
    }
    opened->is_open = false;
    opened->byte_count = 0;
    arus_buffer_reset(&opened->footer);
    arus_arena_reset(&opened->arena);
}

static enum arus_status no_parquet(const char *what, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER", "%s", what);
}

/** Puts the last `size` bytes of the file into the footer buffer. */
static enum arus_status read_tail(struct open_file *opened, size_t size, struct arus_error *err)
{
    struct arus_buffer *buffer = &opened->footer;
    uint64_t offset = opened->file.size - size;

    arus_buffer_reset(buffer);
    ARUS_TRY(arus_buffer_reserve(buffer, size, err));
    while (buffer->size < size) {
        const ssize_t n =
            pread(opened->file.fd, buffer->data + buffer->size, size - buffer->size, (off_t)offset);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return arus_fail_errno(err, ARUS_RETRY, errno, "%s", opened->file.path);
        }
        if (n == 0) {
            return no_parquet("the file has become shorter", err);
        }
        buffer->size += (size_t)n;
        offset += (uint64_t)n;
    }
    opened->byte_count += size;
    return ARUS_OK;
}

static uint32_t load_size(const char *at)
{
    const uint8_t *byte = (const uint8_t *)at;

    return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
           (uint32_t)byte[3] << 24;
}

/** The Thrift bytes of the footer. */
static enum arus_status read_footer(struct open_file *opened, struct arus_text *out,
                                    struct arus_error *err)
{
    const uint64_t size = opened->file.size;
    const char *tail;
    uint64_t footer_size;

    if (size < TAIL_SIZE + sizeof MAGIC - 1) {
        return no_parquet("is not a Parquet file: it is too short", err);
    }
    ARUS_TRY(read_tail(opened, (size_t)(size < FIRST_READ_SIZE ? size : FIRST_READ_SIZE), err));
    tail = opened->footer.data + opened->footer.size - TAIL_SIZE;
    if (memcmp(tail + 4, ENCRYPTED_MAGIC, 4) == 0) {
        return no_parquet("the file is encrypted", err);
    }
    if (memcmp(tail + 4, MAGIC, 4) != 0) {
        return no_parquet("is not a Parquet file: no PAR1 at its end", err);
    }
    footer_size = load_size(tail);
    if (footer_size > size - TAIL_SIZE || footer_size > FOOTER_SIZE_MAX - TAIL_SIZE) {
        return no_parquet("the footer is longer than the file", err);
    }
    if (footer_size + TAIL_SIZE > opened->footer.size) {
        ARUS_TRY(read_tail(opened, (size_t)footer_size + TAIL_SIZE, err));
    }
    *out = (struct arus_text){opened->footer.data + opened->footer.size - TAIL_SIZE - footer_size,
                              (size_t)footer_size};
    return ARUS_OK;
}

static enum arus_status open_input(struct open_file *opened, const struct arus_input *input,
                                   struct arus_error *err)
{
    struct arus_text footer = {0};

    opened->file = (struct arus_parquet_file){.size = input->size, .path = input->path};
    opened->file.fd = open(input->path, O_RDONLY | O_CLOEXEC);
    if (opened->file.fd < 0) {
        const int error = errno;

        const enum arus_status status = arus_fail_errno(
            err, error == ENOENT ? ARUS_BAD_DATA : ARUS_RETRY, error, "%s", input->path);

        err->condition = error == ENOENT ? "FAILED_READ_FILE.FILE_NOT_EXIST" : NULL;
        return status;
    }
    opened->is_open = true;
    ARUS_TRY(read_footer(opened, &footer, err));
    opened->arena.size_max = FOOTER_SIZE_MAX;
    if (arus_parquet_meta_read(footer, &opened->arena, &opened->meta, err) != ARUS_OK ||
        arus_parquet_tree_build(&opened->meta, &opened->arena, &opened->root, err) != ARUS_OK) {
        err->condition = "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER";
        return err->status;
    }
    return opened->meta.is_encrypted ? no_parquet("the file is encrypted", err) : ARUS_OK;
}

/** Adds the file to a failure. */
static enum arus_status at_file(enum arus_status status, const char *path, struct arus_error *err)
{
    if (status != ARUS_OK && err->file.path[0] == '\0') {
        (void)snprintf(err->file.path, sizeof err->file.path, "%s", path);
        err->file.line = 0;
        err->file.column = 0;
    }
    return status;
}

static enum arus_status infer_type(struct open_file *opened, const struct arus_input *input,
                                   struct arus_arena *arena, const struct arus_type **out,
                                   struct arus_error *err)
{
    const struct arus_type *type;

    ARUS_TRY(open_input(opened, input, err));
    ARUS_TRY(arus_parquet_spark_type(&opened->meta, &opened->root, &opened->arena, &type, err));
    return arus_type_copy(type, arena, out, err);
}

static enum arus_status infer_file(const struct arus_input *input, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    struct open_file opened = {0};
    enum arus_status status;

    if (input->size == 0) {
        return at_file(arus_fail(err, ARUS_BAD_CONFIG, "UNABLE_TO_INFER_SCHEMA",
                                 "unable to infer the schema of an empty file"),
                       input->path, err);
    }
    status = infer_type(&opened, input, arena, out, err);
    close_file(&opened);
    arus_buffer_release(&opened.footer);
    arus_arena_release(&opened.arena);
    return at_file(status, input->path, err);
}

enum arus_status arus_parquet_infer(const void *settings, const struct arus_inputs *inputs,
                                    const struct arus_zone *zone, struct arus_arena *arena,
                                    const struct arus_type **out, struct arus_error *err)
{
    const struct arus_parquet_read_settings *read = settings;

    (void)zone;
    ARUS_TRY(infer_file(&inputs->items[0], arena, out, err));
    for (size_t i = 1; read->is_merged && i < inputs->count; i++) {
        const struct arus_type *own;

        ARUS_TRY(infer_file(&inputs->items[i], arena, &own, err));
        ARUS_TRY(
            at_file(arus_parquet_merge(*out, own, arena, out, err), inputs->items[i].path, err));
    }
    return ARUS_OK;
}

/* ---- the plan ---- */

/** The output without the corrupt-record column, which Parquet never fills. */
static enum arus_status plan_output(struct reader *reader, struct arus_error *err)
{
    const struct arus_type *output = reader->scan->output;
    struct arus_field *fields;
    uint16_t *positions;
    uint16_t count = 0;

    ARUS_TRY(ARUS_NEW(&reader->plan, struct arus_field, output->field_count, &fields, err));
    ARUS_TRY(ARUS_NEW(&reader->plan, uint16_t, output->field_count, &positions, err));
    for (uint16_t i = 0; i < output->field_count; i++) {
        positions[i] = ARUS_SCAN_CORRUPT;
        if (reader->scan->output_fields == NULL ||
            reader->scan->output_fields[i] != ARUS_SCAN_CORRUPT) {
            positions[i] = count;
            fields[count++] = output->fields[i];
        }
    }
    reader->wanted_fields = positions;
    return arus_type_struct(fields, count, &reader->plan, &reader->wanted, err);
}

enum arus_status arus_parquet_reader_open(const struct arus_scan *scan, const void *settings,
                                          struct arus_reader **out, struct arus_error *err)
{
    struct reader *reader = arus_alloc(1, sizeof *reader);

    (void)settings;
    *out = NULL;
    if (reader == NULL) {
        return arus_fail_memory(err);
    }
    reader->scan = scan;
    if (plan_output(reader, err) != ARUS_OK) {
        arus_parquet_reader_close((struct arus_reader *)reader);
        return err->status;
    }
    *out = (struct arus_reader *)reader;
    return ARUS_OK;
}

static void end_input(struct reader *reader)
{
    for (uint32_t i = 0; i < reader->columns.count; i++) {
        reader->stats.byte_count += reader->columns.items[i]->byte_count;
    }
    reader->stats.byte_count += reader->open.byte_count;
    arus_parquet_columns_reset(&reader->columns);
    close_file(&reader->open);
    reader->open.meta = (struct arus_parquet_meta){0};
    reader->next_group = 0;
    reader->group_rows_left = 0;
}

static enum arus_status start(struct reader *reader, const struct arus_input *input,
                              struct arus_error *err)
{
    ARUS_TRY(open_input(&reader->open, input, err));
    return arus_parquet_want_build(&reader->open.root, reader->wanted, &reader->open.arena,
                                   &reader->columns, &reader->want, err);
}

enum arus_status arus_parquet_reader_start(struct arus_reader *self, const struct arus_input *input,
                                           struct arus_error *err)
{
    struct reader *reader = (struct reader *)self;
    enum arus_status status;

    end_input(reader);
    reader->begin = input->begin;
    reader->end = input->end;
    if (input->size == 0) {
        return ARUS_OK;
    }
    status = start(reader, input, err);
    if (status == ARUS_OK) {
        return ARUS_OK;
    }
    end_input(reader);
    if (status == ARUS_BAD_DATA && err->condition != NULL &&
        strcmp(err->condition, "FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER") == 0) {
        err->condition = "FAILED_READ_FILE.NO_HINT"; /* so Spark calls it once rows are read */
    }
    return at_file(status, input->path, err);
}

/* ---- row groups ---- */

/** A group belongs to the split in which its middle lies, as in parquet-mr. */
static bool is_in_split(const struct reader *reader, const struct arus_parquet_row_group *group)
{
    const struct arus_parquet_chunk *first = group->chunks;
    int64_t begin = group->file_offset;
    int64_t size = group->compressed_size;
    uint64_t middle;

    if (reader->open.meta.leaf_count != 0) {
        begin = first->data_offset;
        if (first->dictionary_offset > 0 && first->dictionary_offset < begin) {
            begin = first->dictionary_offset;
        }
    }
    if (size <= 0) {
        size = 0;
        for (uint32_t i = 0; i < reader->open.meta.leaf_count && size >= 0; i++) {
            if (__builtin_add_overflow(size, group->chunks[i].compressed_size, &size)) {
                size = 0;
            }
        }
    }
    middle = (uint64_t)begin + (uint64_t)size / 2;
    return middle >= reader->begin &&
           (middle < reader->end || reader->end >= reader->open.file.size);
}

/** As many rows as fit the byte budget of a batch. */
static uint32_t plan_batch_rows(const struct reader *reader,
                                const struct arus_parquet_row_group *group)
{
    double bytes = 1;
    double rows;

    for (uint32_t i = 0; i < reader->columns.count; i++) {
        const int64_t size = group->chunks[reader->columns.items[i]->node->leaf].plain_size;

        bytes += size > 0 ? (double)size : 0;
    }
    rows = BATCH_BYTES * (double)group->row_count / bytes;
    if (rows < BATCH_ROWS_LEAST) {
        return BATCH_ROWS_LEAST;
    }
    return rows > ARUS_BATCH_ROWS ? ARUS_BATCH_ROWS : (uint32_t)rows;
}

static enum arus_status start_group(struct reader *reader,
                                    const struct arus_parquet_row_group *group,
                                    struct arus_error *err)
{
    for (uint32_t i = 0; i < reader->columns.count; i++) {
        struct arus_parquet_column *column = reader->columns.items[i];

        ARUS_TRY(arus_parquet_column_start(column, &reader->open.file,
                                           &group->chunks[column->node->leaf], err));
    }
    reader->batch_rows = plan_batch_rows(reader, group);
    reader->group_rows_left = group->row_count;
    return ARUS_OK;
}

/** Goes to the next row group to read; group_rows_left stays 0 at the end. */
static enum arus_status next_group(struct reader *reader, struct arus_error *err)
{
    while (reader->group_rows_left == 0 && reader->next_group < reader->open.meta.row_group_count) {
        const struct arus_parquet_row_group *group =
            &reader->open.meta.row_groups[reader->next_group++];

        if (group->row_count > 0 && is_in_split(reader, group) &&
            arus_parquet_group_may_fit(group, &reader->open.root, reader->scan)) {
            ARUS_TRY(start_group(reader, group, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status read_batch(struct reader *reader, uint32_t row_count,
                                   struct arus_batch *out, struct arus_error *err)
{
    const struct arus_type *output = reader->scan->output;

    for (uint32_t i = 0; i < reader->columns.count; i++) {
        ARUS_TRY(
            arus_parquet_column_read(reader->columns.items[i], row_count, &reader->codecs, err));
    }
    ARUS_TRY(ARUS_NEW(&reader->step, struct arus_vector, output->field_count, &out->columns, err));
    for (uint16_t i = 0; i < output->field_count; i++) {
        const uint16_t field = reader->wanted_fields[i];

        if (field == ARUS_SCAN_CORRUPT) {
            ARUS_TRY(arus_vector_init_null(&out->columns[i], output->fields[i].type, row_count,
                                           &reader->step, err));
        } else {
            ARUS_TRY(arus_parquet_want_vector(&reader->want.children[field], &reader->columns,
                                              row_count, &reader->step, &out->columns[i], err));
        }
    }
    out->row_count = row_count;
    return ARUS_OK;
}

static enum arus_status next_batch(struct reader *reader, struct arus_batch *out,
                                   struct arus_error *err)
{
    uint32_t row_count = reader->batch_rows;

    ARUS_TRY(next_group(reader, err));
    if (reader->group_rows_left == 0) {
        return ARUS_OK;
    }
    row_count = reader->batch_rows;
    if (row_count > reader->group_rows_left) {
        row_count = (uint32_t)reader->group_rows_left;
    }
    ARUS_TRY(read_batch(reader, row_count, out, err));
    reader->group_rows_left -= row_count;
    reader->stats.row_count += row_count;
    return ARUS_OK;
}

enum arus_status arus_parquet_reader_next(struct arus_reader *self, struct arus_batch *out,
                                          struct arus_error *err)
{
    struct reader *reader = (struct reader *)self;
    enum arus_status status;

    *out = (struct arus_batch){.schema = reader->scan->output};
    arus_arena_reset(&reader->step);
    status = next_batch(reader, out, err);
    if (status == ARUS_OK) {
        return ARUS_OK;
    }
    out->row_count = 0;
    reader->group_rows_left = 0; /* what is left cannot be read */
    reader->next_group = reader->open.meta.row_group_count;
    if (status == ARUS_BAD_DATA && err->condition == NULL) {
        err->condition = "FAILED_READ_FILE.NO_HINT";
    }
    return at_file(status, reader->open.file.path, err);
}

void arus_parquet_reader_stats(const struct arus_reader *self, struct arus_scan_stats *out)
{
    const struct reader *reader = (const struct reader *)self;

    *out = reader->stats;
    out->byte_count += reader->open.byte_count;
    for (uint32_t i = 0; i < reader->columns.count; i++) {
        out->byte_count += reader->columns.items[i]->byte_count;
    }
}

void arus_parquet_reader_close(struct arus_reader *self)
{
    struct reader *reader = (struct reader *)self;

    if (reader == NULL) {
        return;
    }
    end_input(reader);
    arus_parquet_columns_release(&reader->columns);
    arus_buffer_release(&reader->open.footer);
    arus_arena_release(&reader->open.arena);
    arus_arena_release(&reader->plan);
    arus_arena_release(&reader->step);
    arus_block_state_release(&reader->codecs);
    arus_free(reader);
}
