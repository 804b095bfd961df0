/** Reads csv (or text) bytes with options and gives back all rows as text: cells between '|', rows
 * between '\n', NULL for null. */
#ifndef ARUS_TESTS_FORMAT_CSV_FIXTURE_H
#define ARUS_TESTS_FORMAT_CSV_FIXTURE_H

#include "column/value.h"
#include "format/format.h"
#include "support/file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

#define OPTION_MAX 12

/** A table to be read. */
struct fixture {
    const struct arus_format *format;
    const char *ddl;            /* with _corrupt_record, if it is wanted */
    const char *const *options; /* name, value, ..., NULL */
    const char *columns;        /* "0,2," which ones; NULL: all */
    const char *zone;           /* NULL: UTC */
    uint64_t cut;               /* read as two splits */
};

/** What a fixture becomes. */
struct opened {
    struct arus_arena arena;
    void *settings; /* in the arena */
    struct arus_scan scan;
    struct arus_reader *reader;
};

static inline enum arus_status opened_settings(const struct fixture *fixture, struct opened *opened,
                                               struct arus_error *err)
{
    struct arus_setting settings[OPTION_MAX];
    struct arus_settings all = {settings, 0};
    const struct arus_option *tables[] = {fixture->format->read_options, NULL};
    unsigned char *memory;

    for (size_t i = 0; fixture->options[i] != NULL; i += 2) {
        settings[all.count++] =
            (struct arus_setting){.key = arus_text_of(fixture->options[i]),
                                  .value = arus_text_of(fixture->options[i + 1])};
    }
    ARUS_TRY(
        ARUS_NEW(&opened->arena, unsigned char, fixture->format->read_settings_size, &memory, err));
    opened->settings = memory;
    return arus_options_parse(tables, &all, "a source", &opened->arena, opened->settings, err);
}

/* Splits the declared columns into the schema and what is wanted of it. */
static inline enum arus_status opened_scan(const struct fixture *fixture,
                                           const struct arus_type *declared, struct opened *opened,
                                           struct arus_error *err)
{
    struct arus_field *fields;
    struct arus_field *output;
    uint16_t *positions;
    uint16_t count = 0;
    uint16_t output_count = 0;

    ARUS_TRY(ARUS_NEW(&opened->arena, struct arus_field, declared->field_count, &fields, err));
    ARUS_TRY(ARUS_NEW(&opened->arena, struct arus_field, declared->field_count, &output, err));
    ARUS_TRY(ARUS_NEW(&opened->arena, uint16_t, declared->field_count, &positions, err));
    for (uint16_t i = 0; i < declared->field_count; i++) {
        const bool is_corrupt =
            arus_text_equal(declared->fields[i].name, ARUS_TEXT("_corrupt_record"));
        char wanted[16];

        (void)snprintf(wanted, sizeof wanted, "%u,", (unsigned)i);
        if (fixture->columns == NULL || strstr(fixture->columns, wanted) != NULL) {
            positions[output_count] = is_corrupt ? ARUS_SCAN_CORRUPT : count;
            output[output_count++] = declared->fields[i];
        }
        if (!is_corrupt) {
            fields[count++] = declared->fields[i];
        }
    }
    opened->scan.output_fields = positions;
    ARUS_TRY(arus_type_struct(fields, count, &opened->arena, &opened->scan.schema, err));
    return arus_type_struct(output, output_count, &opened->arena, &opened->scan.output, err);
}

static inline enum arus_status opened_init(const struct fixture *fixture, struct opened *opened,
                                           struct arus_error *err)
{
    const struct arus_type *declared;

    *opened = (struct opened){0};
    ARUS_TRY(opened_settings(fixture, opened, err));
    ARUS_TRY(arus_type_parse_ddl(arus_text_of(fixture->ddl), &opened->arena, &declared, err));
    ARUS_TRY(fixture->format->check_read(opened->settings, declared, &opened->arena, err));
    ARUS_TRY(opened_scan(fixture, declared, opened, err));
    ARUS_TRY(arus_zone_open(arus_text_of(fixture->zone == NULL ? "UTC" : fixture->zone),
                            &opened->arena, &opened->scan.zone, err));
    return fixture->format->reader_open(&opened->scan, opened->settings, &opened->reader, err);
}

static inline void opened_release(const struct fixture *fixture, struct opened *opened)
{
    fixture->format->reader_close(opened->reader);
    arus_arena_release(&opened->arena);
}

static inline enum arus_status append_batch(const struct arus_batch *batch,
                                            const struct arus_zone *zone, struct arus_buffer *out,
                                            struct arus_error *err)
{
    for (uint32_t row = 0; row < batch->row_count; row++) {
        for (uint16_t i = 0; i < batch->schema->field_count; i++) {
            if (i > 0) {
                ARUS_TRY(arus_buffer_append_char(out, '|', err));
            }
            ARUS_TRY(arus_value_text(&batch->columns[i], row, zone, out, err));
        }
        ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    }
    return ARUS_OK;
}

static inline enum arus_status read_input(const struct fixture *fixture, struct opened *opened,
                                          const struct arus_input *input, struct arus_buffer *out,
                                          struct arus_error *err)
{
    struct arus_batch batch;

    ARUS_TRY(fixture->format->reader_start(opened->reader, input, err));
    do {
        ARUS_TRY(fixture->format->reader_next(opened->reader, &batch, err));
        ARUS_TRY(append_batch(&batch, opened->scan.zone, out, err));
    } while (batch.row_count > 0);
    return ARUS_OK;
}

/** All rows of `content` into `out`. */
static inline enum arus_status read_rows(const struct fixture *fixture, struct arus_text content,
                                         struct arus_buffer *out, struct arus_error *err)
{
    char path[64];
    struct opened opened;
    enum arus_status status = opened_init(fixture, &opened, err);

    if (status == ARUS_OK) {
        const uint64_t size = content.size;

        file_make(path, sizeof path, ".txt", content);
        status = read_input(
            fixture, &opened,
            &(struct arus_input){path, size, 0, fixture->cut > 0 ? fixture->cut : size}, out, err);
        if (status == ARUS_OK && fixture->cut > 0) {
            status = read_input(fixture, &opened,
                                &(struct arus_input){path, size, fixture->cut, size}, out, err);
        }
        file_remove(path);
    }
    opened_release(fixture, &opened);
    return status;
}

static inline void expect_rows(const struct fixture *fixture, struct arus_text content,
                               const char *expected)
{
    struct arus_buffer out = {0};
    struct arus_error err = {0};

    cr_assert(eq(int, read_rows(fixture, content, &out, &err), ARUS_OK), "%s", err.message);
    cr_expect(arus_text_equal(arus_buffer_text(&out), arus_text_of(expected)), "got\n%.*s",
              ARUS_TEXT_ARGS(arus_buffer_text(&out)));
    arus_buffer_release(&out);
}

static inline struct arus_error expect_failure(const struct fixture *fixture,
                                               struct arus_text content, const char *condition)
{
    struct arus_buffer out = {0};
    struct arus_error err = {0};

    cr_assert(ne(int, read_rows(fixture, content, &out, &err), ARUS_OK));
    cr_expect(err.condition != NULL && strcmp(err.condition, condition) == 0, "%s: %s",
              err.condition == NULL ? "none" : err.condition, err.message);
    arus_buffer_release(&out);
    return err;
}

#endif
