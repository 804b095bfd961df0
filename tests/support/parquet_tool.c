/**
 * Reads and writes Parquet through the public contract of formats, for checks against other
 * programs.
 *
 *   parquet_tool infer FILE
 *   parquet_tool dump FILE [SCHEMA [BEGIN END]]   rows as JSON lines, exact: decimals unscaled,
 * times in micros parquet_tool copy FROM TO [KEY=VALUE ..]      by the schema of FROM parquet_tool
 * time FROM [TO]                   reads (and writes) a few times, prints ns a row
 *
 * A failure prints its condition and message; exit 1.
 */
#include "base/arena.h"
#include "base/error.h"
#include "format/parquet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static enum arus_status print_value(const struct arus_vector *vector, uint32_t i);

/* ---- printing ---- */

static void print_text(struct arus_view text)
{
    (void)putchar('"');
    for (uint32_t i = 0; i < text.size; i++) {
        const unsigned char c = (unsigned char)text.data[i];

        if (c == '"' || c == '\\') {
            (void)printf("\\%c", c);
        } else if (c < 0x20) {
            (void)printf("\\u%04x", c);
        } else {
            (void)putchar(c);
        }
    }
    (void)putchar('"');
}

static void print_hex(struct arus_view bytes)
{
    (void)putchar('"');
    for (uint32_t i = 0; i < bytes.size; i++) {
        (void)printf("%02x", (unsigned char)bytes.data[i]);
    }
    (void)putchar('"');
}

static void print_wide(arus_int128 value)
{
    const bool is_negative = value < 0;
    char digits[48];
    size_t at = sizeof digits;

    digits[--at] = '\0';
    do {
        const int digit = (int)(value % 10);

        digits[--at] = (char)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
    } while (value != 0);
    (void)printf("\"%s%s\"", is_negative ? "-" : "", digits + at);
}

static void print_real(double value)
{
    if (isnan(value)) {
        (void)printf("\"NaN\"");
    } else if (isinf(value)) {
        (void)fputs(value > 0 ? "\"Infinity\"" : "\"-Infinity\"", stdout);
    } else {
        (void)printf(value == 0 ? "%.1f" : "%.17g", value);
    }
}

static void print_span(const struct arus_vector *data, uint32_t row, bool is_map)
{
    const struct arus_span span = ((const struct arus_span *)data->values)[row];

    (void)putchar('[');
    for (uint32_t i = 0; i < span.count; i++) {
        (void)fputs(i == 0 ? "" : ",", stdout);
        (void)fputs(is_map ? "[" : "", stdout);
        print_value(&data->children[0], span.begin + i);
        if (is_map) {
            (void)putchar(',');
            print_value(&data->children[1], span.begin + i);
            (void)putchar(']');
        }
    }
    (void)putchar(']');
}

static void print_fields(const struct arus_type *type, const struct arus_vector *columns,
                         uint32_t row)
{
    (void)putchar('{');
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct arus_text name = type->fields[i].name;

        (void)fputs(i == 0 ? "" : ",", stdout);
        print_text(arus_view_of(name.data, name.size));
        (void)putchar(':');
        print_value(&columns[i], row);
    }
    (void)putchar('}');
}

static void print_fixed(const struct arus_type *type, const void *values, uint32_t row)
{
    const uint32_t size = arus_type_value_size(type);
    int64_t value = 0;

    if (size == 1) {
        value = ((const int8_t *)values)[row];
    } else if (size == 2) {
        value = ((const int16_t *)values)[row];
    } else if (size == 4) {
        value = ((const int32_t *)values)[row];
    } else {
        value = ((const int64_t *)values)[row];
    }
    if (type->id == ARUS_TYPE_DECIMAL) {
        (void)printf("\"%" PRId64 "\"", value);
    } else {
        (void)printf("%" PRId64, value);
    }
}

static enum arus_status print_value(const struct arus_vector *vector, uint32_t i)
{
    const struct arus_vector *data = arus_vector_data(vector);
    const struct arus_type *type = data->type;
    uint32_t row;

    if (!arus_vector_is_valid(vector, i)) {
        (void)printf("null");
        return ARUS_OK;
    }
    row = arus_vector_at(vector, i);
    if (type->id == ARUS_TYPE_BOOLEAN) {
        (void)fputs(((const uint8_t *)data->values)[row] != 0 ? "true" : "false", stdout);
    } else if (type->id == ARUS_TYPE_FLOAT) {
        print_real((double)((const float *)data->values)[row]);
    } else if (type->id == ARUS_TYPE_DOUBLE) {
        print_real(((const double *)data->values)[row]);
    } else if (arus_type_is_wide(type)) {
        print_wide(((const arus_int128 *)data->values)[row]);
    } else if (type->id == ARUS_TYPE_STRING) {
        print_text(((const struct arus_view *)data->values)[row]);
    } else if (type->id == ARUS_TYPE_BINARY) {
        print_hex(((const struct arus_view *)data->values)[row]);
    } else if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        print_span(data, row, type->id == ARUS_TYPE_MAP);
    } else if (type->id == ARUS_TYPE_STRUCT) {
        print_fields(type, data->children, row);
    } else {
        print_fixed(type, data->values, row);
    }
    return ARUS_OK;
}

/* ---- a run ---- */

struct run {
    struct arus_arena arena;
    struct arus_input input;
    const struct arus_type *schema;
    struct arus_scan scan;
    void *read_settings;
    void *write_settings;
    FILE *target;
};

static enum arus_status write_file(void *self, const void *data, size_t size,
                                   struct arus_error *err)
{
    struct run *run = self;

    return fwrite(data, 1, size, run->target) == size
               ? ARUS_OK
               : arus_fail(err, ARUS_FATAL, NULL, "no space");
}

static enum arus_status parse(struct run *run, char **words, int count, struct arus_error *err)
{
    const struct arus_format *format = &ARUS_FORMAT_PARQUET;
    const struct arus_option *read[] = {format->read_options, NULL};
    const struct arus_option *write[] = {format->write_options, NULL};
    struct arus_settings settings = {0};
    struct arus_setting *items;

    ARUS_TRY(ARUS_NEW(&run->arena, struct arus_setting, (size_t)count + 1, &items, err));
    ARUS_TRY(arus_arena_alloc(&run->arena, format->read_settings_size, &run->read_settings, err));
    ARUS_TRY(arus_arena_alloc(&run->arena, format->write_settings_size, &run->write_settings, err));
    ARUS_TRY(arus_options_parse(read, &settings, "a file", &run->arena, run->read_settings, err));
    for (int i = 0; i < count; i++) {
        char *mark = strchr(words[i], '=');

        if (mark == NULL) {
            return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%s: no KEY=VALUE", words[i]);
        }
        items[i].key = (struct arus_text){words[i], (size_t)(mark - words[i])};
        items[i].value = arus_text_of(mark + 1);
    }
    settings = (struct arus_settings){items, (size_t)count};
    return arus_options_parse(write, &settings, "a file", &run->arena, run->write_settings, err);
}

static enum arus_status set_input(struct run *run, const char *path, struct arus_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "%s", path);
    }
    run->input = (struct arus_input){.path = path, .size = (uint64_t)info.st_size};
    run->input.end = run->input.size;
    return ARUS_OK;
}

static enum arus_status set_schema(struct run *run, const char *ddl, struct arus_error *err)
{
    if (ddl == NULL) {
        ARUS_TRY(ARUS_FORMAT_PARQUET.infer(run->read_settings,
                                           &(struct arus_inputs){&run->input, 1}, ARUS_ZONE_UTC,
                                           &run->arena, &run->schema, err));
    } else {
        ARUS_TRY(arus_type_parse_ddl(arus_text_of(ddl), &run->arena, &run->schema, err));
    }
    run->scan = (struct arus_scan){
        .schema = run->schema, .output = run->schema, .zone = ARUS_ZONE_UTC, .is_ansi = true};
    return ARUS_OK;
}

static enum arus_status infer(struct run *run, struct arus_error *err)
{
    struct arus_buffer text = {0};

    ARUS_TRY(set_schema(run, NULL, err));
    ARUS_TRY(arus_type_simple(run->schema, &text, err));
    (void)printf("%.*s\n", (int)text.size, text.data);
    arus_buffer_release(&text);
    return ARUS_OK;
}

/** Gives every batch to `writer`, or prints it when there is none; counts rows only for `is_quiet`.
 */
static enum arus_status pass(struct run *run, struct arus_reader *reader,
                             struct arus_writer *writer, bool is_quiet, struct arus_error *err)
{
    const struct arus_format *format = &ARUS_FORMAT_PARQUET;
    struct arus_batch batch;

    ARUS_TRY(format->reader_start(reader, &run->input, err));
    for (;;) {
        ARUS_TRY(format->reader_next(reader, &batch, err));
        if (batch.row_count == 0) {
            return ARUS_OK;
        }
        if (writer != NULL) {
            ARUS_TRY(format->writer_write(writer, &batch, err));
        }
        for (uint32_t i = 0; writer == NULL && !is_quiet && i < batch.row_count; i++) {
            print_fields(batch.schema, batch.columns, i);
            (void)putchar('\n');
        }
    }
}

static enum arus_status dump(struct run *run, struct arus_error *err)
{
    struct arus_reader *reader;
    enum arus_status status;

    ARUS_TRY(ARUS_FORMAT_PARQUET.reader_open(&run->scan, run->read_settings, &reader, err));
    status = pass(run, reader, NULL, false, err);
    ARUS_FORMAT_PARQUET.reader_close(reader);
    return status;
}

static enum arus_status copy_rows(struct run *run, struct arus_reader *reader,
                                  struct arus_error *err)
{
    const struct arus_format *format = &ARUS_FORMAT_PARQUET;
    const struct arus_output output = {write_file, run};
    struct arus_writer *writer;
    struct arus_write_stats stats;
    enum arus_status status;

    ARUS_TRY(
        format->writer_open(run->schema, run->write_settings, ARUS_ZONE_UTC, output, &writer, err));
    status = pass(run, reader, writer, false, err);
    if (status == ARUS_OK) {
        status = format->writer_finish(writer, &stats, err);
    }
    format->writer_close(writer);
    return status;
}

static enum arus_status copy(struct run *run, const char *to, struct arus_error *err)
{
    struct arus_reader *reader;
    enum arus_status status;

    ARUS_TRY(ARUS_FORMAT_PARQUET.reader_open(&run->scan, run->read_settings, &reader, err));
    run->target = fopen(to, "wb");
    status = run->target == NULL ? arus_fail(err, ARUS_FATAL, NULL, "%s: cannot be written", to)
                                 : copy_rows(run, reader, err);
    if (run->target != NULL && fclose(run->target) != 0 && status == ARUS_OK) {
        status = arus_fail(err, ARUS_FATAL, NULL, "%s: cannot be written", to);
    }
    ARUS_FORMAT_PARQUET.reader_close(reader);
    return status;
}

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/** One batch source for the writer alone: the first batch again and again. */
static enum arus_status time_write(struct run *run, struct arus_reader *reader, const char *to,
                                   struct arus_error *err)
{
    const struct arus_format *format = &ARUS_FORMAT_PARQUET;
    const struct arus_output output = {write_file, run};
    struct arus_write_stats stats;
    struct arus_writer *writer;
    struct arus_batch batch;
    double begin;

    run->target = fopen(to, "wb");
    ARUS_TRY(format->reader_start(reader, &run->input, err));
    ARUS_TRY(format->reader_next(reader, &batch, err));
    begin = seconds();
    ARUS_TRY(
        format->writer_open(run->schema, run->write_settings, ARUS_ZONE_UTC, output, &writer, err));
    for (int i = 0; i < 512 && batch.row_count != 0; i++) {
        ARUS_TRY(format->writer_write(writer, &batch, err));
    }
    ARUS_TRY(format->writer_finish(writer, &stats, err));
    (void)printf("write: %.1f ns a row, %.1f bytes a row, %.1f MiB held\n",
                 (seconds() - begin) * 1e9 / (double)stats.row_count,
                 (double)stats.byte_count / (double)stats.row_count,
                 (double)format->writer_held_size(writer) / 1048576);
    format->writer_close(writer);
    return fclose(run->target) == 0 ? ARUS_OK : arus_fail(err, ARUS_FATAL, NULL, "no space");
}

static enum arus_status time_all(struct run *run, const char *to, struct arus_error *err)
{
    const struct arus_format *format = &ARUS_FORMAT_PARQUET;
    struct arus_scan_stats before;
    struct arus_scan_stats after;
    struct arus_reader *reader;

    ARUS_TRY(format->reader_open(&run->scan, run->read_settings, &reader, err));
    for (int i = 0; i < 5; i++) {
        const double begin = seconds();

        format->reader_stats(reader, &before);
        ARUS_TRY(pass(run, reader, NULL, true, err));
        format->reader_stats(reader, &after);
        (void)printf("read: %.1f ns a row, %" PRIu64 " rows\n",
                     (seconds() - begin) * 1e9 / (double)(after.row_count - before.row_count),
                     after.row_count - before.row_count);
    }
    for (int i = 0; i < 3 && to != NULL; i++) {
        ARUS_TRY(time_write(run, reader, to, err));
    }
    format->reader_close(reader);
    return ARUS_OK;
}

static enum arus_status start(struct run *run, int argc, char **argv, struct arus_error *err)
{
    const char *verb = argc > 2 ? argv[1] : "";
    const bool is_copy = strcmp(verb, "copy") == 0 && argc > 3;
    const bool is_dump = strcmp(verb, "dump") == 0;

    if (argc < 3) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "usage: infer, dump, copy, time");
    }
    ARUS_TRY(parse(run, argv + 4, is_copy ? argc - 4 : 0, err));
    ARUS_TRY(set_input(run, argv[2], err));
    if (strcmp(verb, "infer") == 0) {
        return infer(run, err);
    }
    ARUS_TRY(set_schema(run, is_dump && argc > 3 && argv[3][0] != '\0' ? argv[3] : NULL, err));
    if (is_dump && argc > 5) {
        run->input.begin = strtoull(argv[4], NULL, 10);
        run->input.end = strtoull(argv[5], NULL, 10);
    }
    if (is_dump) {
        return dump(run, err);
    }
    return is_copy ? copy(run, argv[3], err) : time_all(run, argc > 3 ? argv[3] : NULL, err);
}

int main(int argc, char **argv)
{
    struct run run = {0};
    struct arus_error err;
    int code = 0;

    if (start(&run, argc, argv, &err) != ARUS_OK) {
        (void)fprintf(stderr, "[%s] %s: %s\n", err.condition == NULL ? "" : err.condition,
                      err.file.path, err.message);
        code = 1;
    }
    arus_arena_release(&run.arena);
    return code;
}
