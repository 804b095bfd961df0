/** Writes batches to memory and files, and reads them again. */
#ifndef ARUS_TESTS_UNIT_FORMAT_PARQUET_FIXTURE_H
#define ARUS_TESTS_UNIT_FORMAT_PARQUET_FIXTURE_H

#include "column/value.h"
#include "format/json.h"
#include "format/parquet.h"
#include "support/file.h"
#include "support/folder.h"

/** For eq(str, ..), which wants no const. */
static inline char *plain(const char *text)
{
    return (char *)(uintptr_t)text;
}

/** Everything a test makes; released at its end. */
struct fixture {
    struct arus_arena arena;
    const struct arus_type *schema;
    struct arus_buffer bytes; /* of the file */
    struct arus_write_stats written;
    char path[256];
    uint8_t write_settings[128];
    uint8_t read_settings[16];
};

static inline enum arus_status fixture_put(void *self, const void *data, size_t size,
                                           struct arus_error *err)
{
    return arus_buffer_append(self, data, size, err);
}

/** `options`: KEY, VALUE, KEY, VALUE, NULL. */
static inline enum arus_status fixture_options(struct fixture *fixture, const char *const *options,
                                               struct arus_error *err)
{
    const struct arus_option *tables[] = {ARUS_FORMAT_PARQUET.write_options, NULL};
    struct arus_setting items[8] = {0};
    struct arus_settings settings = {items, 0};

    for (; options != NULL && options[settings.count * 2] != NULL; settings.count++) {
        items[settings.count].key = arus_text_of(options[settings.count * 2]);
        items[settings.count].value = arus_text_of(options[settings.count * 2 + 1]);
    }
    memset(fixture->write_settings, 0, sizeof fixture->write_settings);
    return arus_options_parse(tables, &settings, "a parquet sink", &fixture->arena,
                              fixture->write_settings, err);
}

static inline void fixture_open(struct fixture *fixture, const char *ddl,
                                const char *const *options)
{
    struct arus_error err;

    *fixture = (struct fixture){0};
    MUST(arus_type_parse_ddl(arus_text_of(ddl), &fixture->arena, &fixture->schema, &err));
    MUST(fixture_options(fixture, options, &err));
}

/** All fields of a schema, in order. */
static inline struct arus_scan fixture_scan(const struct arus_type *schema)
{
    static uint16_t fields[64];

    for (uint16_t i = 0; i < 64; i++) {
        fields[i] = i;
    }
    return (struct arus_scan){
        .schema = schema, .output = schema, .output_fields = fields, .zone = ARUS_ZONE_UTC};
}

/** Gives the batches of a JSON file to the writer. */
static inline enum arus_status fixture_pass(struct arus_reader *reader,
                                            const struct arus_input *input,
                                            struct arus_writer *writer, struct arus_error *err)
{
    struct arus_batch batch;

    ARUS_TRY(ARUS_FORMAT_JSON.reader_start(reader, input, err));
    for (;;) {
        ARUS_TRY(ARUS_FORMAT_JSON.reader_next(reader, &batch, err));
        if (batch.row_count == 0) {
            return ARUS_OK;
        }
        ARUS_TRY(ARUS_FORMAT_PARQUET.writer_write(writer, &batch, err));
    }
}

/** Writes JSON lines as Parquet into `bytes`. */
static inline enum arus_status fixture_write(struct fixture *fixture, struct arus_text lines,
                                             struct arus_error *err)
{
    const struct arus_option *tables[] = {ARUS_FORMAT_JSON.read_options, NULL};
    const struct arus_settings none = {0};
    const struct arus_output output = {fixture_put, &fixture->bytes};
    const struct arus_scan scan = fixture_scan(fixture->schema);
    struct arus_reader *reader;
    struct arus_writer *writer;
    struct arus_input input = {.size = lines.size, .end = lines.size};
    enum arus_status status;
    void *settings;
    char path[256];

    arus_buffer_reset(&fixture->bytes);
    ARUS_TRY(
        arus_arena_alloc(&fixture->arena, ARUS_FORMAT_JSON.read_settings_size, &settings, err));
    ARUS_TRY(arus_options_parse(tables, &none, "json", &fixture->arena, settings, err));
    if (ARUS_FORMAT_JSON.check_read != NULL) {
        ARUS_TRY(ARUS_FORMAT_JSON.check_read(settings, fixture->schema, &fixture->arena, err));
    }
    ARUS_TRY(ARUS_FORMAT_JSON.reader_open(&scan, settings, &reader, err));
    file_make(path, sizeof path, ".json", lines);
    input.path = path;
    status = ARUS_FORMAT_PARQUET.writer_open(fixture->schema, fixture->write_settings,
                                             ARUS_ZONE_UTC, output, &writer, err);
    if (status == ARUS_OK) {
        status = fixture_pass(reader, &input, writer, err);
    }
    if (status == ARUS_OK) {
        status = ARUS_FORMAT_PARQUET.writer_finish(writer, &fixture->written, err);
    }
    ARUS_FORMAT_PARQUET.writer_close(writer);
    ARUS_FORMAT_JSON.reader_close(reader);
    file_remove(path);
    return status;
}

/** Writes rows in which all is null. */
static inline void fixture_write_nulls(struct fixture *fixture, uint32_t row_count)
{
    const struct arus_output output = {fixture_put, &fixture->bytes};
    struct arus_batch batch = {.schema = fixture->schema, .row_count = row_count};
    struct arus_writer *writer;
    struct arus_error err;

    arus_buffer_reset(&fixture->bytes);
    MUST(ARUS_NEW(&fixture->arena, struct arus_vector, fixture->schema->field_count, &batch.columns,
                  &err));
    for (uint16_t i = 0; i < fixture->schema->field_count; i++) {
        MUST(arus_vector_init_null(&batch.columns[i], fixture->schema->fields[i].type, row_count,
                                   &fixture->arena, &err));
    }
    MUST(ARUS_FORMAT_PARQUET.writer_open(fixture->schema, fixture->write_settings, ARUS_ZONE_UTC,
                                         output, &writer, &err));
    if (row_count != 0) {
        MUST(ARUS_FORMAT_PARQUET.writer_write(writer, &batch, &err));
    }
    MUST(ARUS_FORMAT_PARQUET.writer_finish(writer, &fixture->written, &err));
    ARUS_FORMAT_PARQUET.writer_close(writer);
}

/** Puts the bytes into a file, as they are now. */
static inline struct arus_input fixture_file(struct fixture *fixture)
{
    if (fixture->path[0] != '\0') {
        file_remove(fixture->path);
    }
    file_make(fixture->path, sizeof fixture->path, ".parquet", arus_buffer_text(&fixture->bytes));
    return (struct arus_input){
        .path = fixture->path, .size = fixture->bytes.size, .end = fixture->bytes.size};
}

static inline enum arus_status fixture_put_rows(const struct arus_batch *batch,
                                                struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t i = 0; i < batch->row_count; i++) {
        for (uint16_t j = 0; j < batch->schema->field_count; j++) {
            ARUS_TRY(arus_buffer_append(out, ";", j != 0, err));
            ARUS_TRY(arus_value_text(&batch->columns[j], i, ARUS_ZONE_UTC, out, err));
        }
        ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    }
    return ARUS_OK;
}

/** Appends the text of all rows, a line a row, fields divided by ';'. */
static inline enum arus_status fixture_read(struct fixture *fixture, const struct arus_scan *scan,
                                            const struct arus_input *input, struct arus_buffer *out,
                                            struct arus_error *err)
{
    struct arus_reader *reader;
    struct arus_batch batch;
    enum arus_status status;

    ARUS_TRY(ARUS_FORMAT_PARQUET.reader_open(scan, fixture->read_settings, &reader, err));
    status = ARUS_FORMAT_PARQUET.reader_start(reader, input, err);
    while (status == ARUS_OK) {
        status = ARUS_FORMAT_PARQUET.reader_next(reader, &batch, err);
        if (status != ARUS_OK || batch.row_count == 0) {
            break;
        }
        status = fixture_put_rows(&batch, out, err);
    }
    ARUS_FORMAT_PARQUET.reader_close(reader);
    return status;
}

/** All rows by a schema; NULL: the fixture's. The text lives until the fixture closes. */
static inline const char *fixture_text(struct fixture *fixture, const char *ddl)
{
    const struct arus_type *schema = fixture->schema;
    const struct arus_input input = fixture_file(fixture);
    struct arus_buffer out = {0};
    struct arus_scan scan;
    struct arus_text copy;
    struct arus_error err;

    if (ddl != NULL) {
        MUST(arus_type_parse_ddl(arus_text_of(ddl), &fixture->arena, &schema, &err));
    }
    scan = fixture_scan(schema);
    MUST(fixture_read(fixture, &scan, &input, &out, &err));
    MUST(arus_text_copy(arus_buffer_text(&out), &fixture->arena, &copy, &err));
    arus_buffer_release(&out);
    return copy.data;
}

static inline void fixture_close(struct fixture *fixture)
{
    if (fixture->path[0] != '\0') {
        file_remove(fixture->path);
    }
    arus_buffer_release(&fixture->bytes);
    arus_arena_release(&fixture->arena);
}

#endif
