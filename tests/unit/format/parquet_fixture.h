/** Writes batches to memory and files, and reads them again. */
#ifndef ARUS_TESTS_UNIT_FORMAT_PARQUET_FIXTURE_H
#define ARUS_TESTS_UNIT_FORMAT_PARQUET_FIXTURE_H

#include "column/builder.h"
#include "column/value.h"
#include "format/parquet.h"
#include "support/file.h"
#include "support/folder.h"

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

static inline enum arus_status fixture_write(struct fixture *fixture,
                                             const struct arus_batch *batches, size_t count,
                                             struct arus_error *err)
{
    const struct arus_output output = {fixture_put, &fixture->bytes};
    struct arus_writer *writer;
    enum arus_status status;

    arus_buffer_reset(&fixture->bytes);
    ARUS_TRY(ARUS_FORMAT_PARQUET.writer_open(fixture->schema, fixture->write_settings,
                                             ARUS_ZONE_UTC, output, &writer, err));
    status = ARUS_OK;
    for (size_t i = 0; i < count && status == ARUS_OK; i++) {
        status = ARUS_FORMAT_PARQUET.writer_write(writer, &batches[i], err);
    }
    if (status == ARUS_OK) {
        status = ARUS_FORMAT_PARQUET.writer_finish(writer, &fixture->written, err);
    }
    ARUS_FORMAT_PARQUET.writer_close(writer);
    return status;
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

/** Appends the text of all rows, a line a row, fields divided by ';'. */
static inline enum arus_status fixture_read(struct fixture *fixture, const struct arus_scan *scan,
                                            const struct arus_input *input,
                                            struct arus_buffer *out, struct arus_error *err)
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
        for (uint32_t i = 0; i < batch.row_count && status == ARUS_OK; i++) {
            for (uint16_t j = 0; j < batch.schema->field_count && status == ARUS_OK; j++) {
                status = j == 0 ? ARUS_OK : arus_buffer_append_char(out, ';', err);
                if (status == ARUS_OK) {
                    status = arus_value_text(&batch.columns[j], i, ARUS_ZONE_UTC, out, err);
                }
            }
            if (status == ARUS_OK) {
                status = arus_buffer_append_char(out, '\n', err);
            }
        }
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
    scan = (struct arus_scan){.schema = schema, .output = schema, .zone = ARUS_ZONE_UTC};
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
