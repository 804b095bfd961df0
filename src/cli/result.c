/** Batches to text. */
#include "cli/result.h"

#include "base/alloc.h"
#include "cli/human.h"
#include "cli/pager.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "column/value.h"
#include "format/format.h"
#include "types/utf8.h"

#include <stdio.h>

struct arus_result {
    enum arus_result_form form;
    const struct arus_type *schema;
    const struct arus_zone *zone;
    uint64_t row_max;
    uint64_t shown;
    uint64_t count;
    struct arus_arena arena;  /* of the result */
    struct arus_arena step;   /* of a batch */
    struct arus_buffer cells; /* texts of a row, one behind the other */
    struct arus_buffer out;
    struct arus_table table;
    struct arus_text *names;    /* [schema->field_count] */
    struct arus_cell *row;      /* [schema->field_count] */
    size_t *ends;               /* [schema->field_count] in `cells` */
    struct arus_text *texts;    /* [schema->field_count] */
    struct arus_writer *writer; /* JSON */
    struct arus_pager pager;
    size_t name_width; /* RECORDS */
    uint64_t record;
};

enum arus_result_form arus_result_form(const struct arus_args *args)
{
    if (arus_args_has(args, ARUS_FLAG_ROWS)) {
        return ARUS_RESULT_ROWS;
    }
    if (arus_args_has(args, ARUS_FLAG_JSON)) {
        return ARUS_RESULT_JSON;
    }
    return arus_args_has(args, ARUS_FLAG_CSV) ? ARUS_RESULT_CSV : ARUS_RESULT_TABLE;
}

/* ---- standard output ---- */

static enum arus_status to_stdout(void *self, const void *data, size_t size, struct arus_error *err)
{
    struct arus_result *result = self;

    return arus_pager_write(&result->pager, data, size, err);
}

static enum arus_status drain(struct arus_result *result, struct arus_error *err)
{
    ARUS_TRY(to_stdout(result, result->out.data, result->out.size, err));
    arus_buffer_reset(&result->out);
    return ARUS_OK;
}

/* ---- opening ---- */

static enum arus_status open_json(struct arus_result *result, struct arus_error *err)
{
    const struct arus_format *format = arus_format_find(ARUS_TEXT("json"));
    const struct arus_option *const tables[] = {format->write_options, NULL};
    const struct arus_setting keeps_nulls = {.key = ARUS_TEXT("ignoreNullFields"),
                                             .value = ARUS_TEXT("false")};
    const struct arus_settings settings = {&keeps_nulls, 1};
    void *parsed;

    ARUS_TRY(arus_arena_alloc(&result->arena, format->write_settings_size, &parsed, err));
    ARUS_TRY(arus_options_parse(tables, &settings, "a json sink", &result->arena, parsed, err));
    if (format->check_write != NULL) {
        ARUS_TRY(format->check_write(parsed, result->schema, &result->arena, err));
    }
    return format->writer_open(result->schema, parsed, ARUS_ZONE_UTC,
                               (struct arus_output){to_stdout, result}, &result->writer, err);
}

static enum arus_status open_table(struct arus_result *result, int screen_width,
                                   struct arus_error *err)
{
    const uint16_t count = result->schema->field_count;
    struct arus_table_column *columns;

    ARUS_TRY(ARUS_NEW(&result->arena, struct arus_table_column, count, &columns, err));
    for (uint16_t i = 0; i < count; i++) {
        columns[i] = (struct arus_table_column){
            result->schema->fields[i].name, arus_type_is_numeric(result->schema->fields[i].type)};
    }
    return arus_table_init(&result->table, columns, count, screen_width, err);
}

static enum arus_status put_schema(struct arus_result *result, struct arus_error *err)
{
    struct arus_buffer ddl = {0};
    enum arus_status status = arus_schema_ddl(result->schema, &ddl, err);

    if (status == ARUS_OK) {
        status = arus_rows_schema(arus_buffer_text(&ddl), &result->out, err);
    }
    arus_buffer_release(&ddl);
    return status;
}

static void measure_names(struct arus_result *result)
{
    for (uint16_t i = 0; i < result->schema->field_count; i++) {
        const size_t width = arus_utf8_width(result->names[i]);

        result->name_width = width > result->name_width ? width : result->name_width;
    }
}

static enum arus_status begin(struct arus_result *result, int screen_width, struct arus_error *err)
{
    const uint16_t count = result->schema->field_count;

    ARUS_TRY(ARUS_NEW(&result->arena, struct arus_text, count, &result->names, err));
    ARUS_TRY(ARUS_NEW(&result->arena, struct arus_cell, count, &result->row, err));
    ARUS_TRY(ARUS_NEW(&result->arena, struct arus_text, count, &result->texts, err));
    ARUS_TRY(ARUS_NEW(&result->arena, size_t, count, &result->ends, err));
    for (uint16_t i = 0; i < count; i++) {
        result->names[i] = result->schema->fields[i].name;
    }
    switch (result->form) {
    case ARUS_RESULT_TABLE:
        return open_table(result, screen_width, err);
    case ARUS_RESULT_RECORDS:
        measure_names(result);
        return ARUS_OK;
    case ARUS_RESULT_JSON:
        return open_json(result, err);
    case ARUS_RESULT_CSV:
        return arus_rows_csv_header(result->names, count, &result->out, err);
    case ARUS_RESULT_ROWS:
        return put_schema(result, err);
    }
    return ARUS_OK;
}

enum arus_status arus_result_open(enum arus_result_form form, const struct arus_type *schema,
                                  const struct arus_zone *zone, const struct arus_terminal *screen,
                                  uint64_t row_max, struct arus_result **out,
                                  struct arus_error *err)
{
    struct arus_result *result = arus_alloc(1, sizeof *result);
    enum arus_status status;

    *out = NULL;
    if (result == NULL) {
        return arus_fail_memory(err);
    }
    result->form = form;
    result->schema = schema;
    result->zone = zone;
    result->row_max = row_max;
    arus_pager_init(&result->pager, screen);
    status = begin(result, screen->width, err);
    if (status != ARUS_OK) {
        arus_result_close(result);
        return status;
    }
    *out = result;
    return ARUS_OK;
}

/* ---- rows ---- */

static enum arus_status put_hex(struct arus_text bytes, struct arus_buffer *out,
                                struct arus_error *err)
{
    for (size_t i = 0; i < bytes.size; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "%02X", (unsigned)(unsigned char)bytes.data[i]));
    }
    return ARUS_OK;
}

static enum arus_status put_value(const struct arus_result *result,
                                  const struct arus_vector *column, uint32_t row,
                                  struct arus_buffer *out, struct arus_error *err)
{
    if (result->form == ARUS_RESULT_TABLE || result->form == ARUS_RESULT_RECORDS) {
        return arus_value_text(column, row, result->zone, out, err);
    }
    if (column->type->id == ARUS_TYPE_BINARY) {
        const struct arus_vector *data = arus_vector_data(column);
        const struct arus_view *views = data->values;

        return put_hex(arus_view_text(views[arus_vector_at(column, row)]), out, err);
    }
    return arus_value_cast_text(column, row, result->zone, out, err);
}

/* Texts of one row into result->row. */
static enum arus_status read_row(struct arus_result *result, const struct arus_batch *batch,
                                 uint32_t row, struct arus_error *err)
{
    const uint16_t count = result->schema->field_count;
    size_t begin_of_cell = 0;

    arus_buffer_reset(&result->cells);
    ARUS_TRY(arus_buffer_reserve(&result->cells, 1, err));
    for (uint16_t i = 0; i < count; i++) {
        if (arus_vector_is_valid(&batch->columns[i], row)) {
            ARUS_TRY(put_value(result, &batch->columns[i], row, &result->cells, err));
        }
        result->ends[i] = result->cells.size;
    }
    for (uint16_t i = 0; i < count; i++) {
        const bool is_null = !arus_vector_is_valid(&batch->columns[i], row);
        const struct arus_text text = {result->cells.data + begin_of_cell,
                                       result->ends[i] - begin_of_cell};

        result->row[i] = (struct arus_cell){is_null ? ARUS_CELL_NULL : ARUS_CELL_TEXT, text};
        result->texts[i] = is_null ? (struct arus_text){0} : text;
        begin_of_cell = result->ends[i];
    }
    return ARUS_OK;
}

/* As Spark's show(vertical = true), with the value as wide as it is. */
static enum arus_status put_record(struct arus_result *result, struct arus_error *err)
{
    struct arus_buffer *out = &result->out;

    ARUS_TRY(arus_buffer_printf(out, err, "-RECORD %llu", (unsigned long long)result->record++));
    for (size_t i = 0; i < result->name_width; i++) {
        ARUS_TRY(arus_buffer_append_char(out, '-', err));
    }
    ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    for (uint16_t i = 0; i < result->schema->field_count; i++) {
        const struct arus_text name = result->names[i];
        const struct arus_text value =
            result->texts[i].data == NULL ? ARUS_TEXT("NULL") : result->texts[i];
        const int pad = (int)(result->name_width - arus_utf8_width(name));

        ARUS_TRY(arus_buffer_append_char(out, ' ', err));
        ARUS_TRY(arus_human_escape(name, out, err));
        ARUS_TRY(arus_buffer_printf(out, err, "%*s | ", pad, ""));
        ARUS_TRY(arus_human_escape(value, out, err));
        ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    }
    return ARUS_OK;
}

static enum arus_status put_row(struct arus_result *result, struct arus_error *err)
{
    const uint16_t count = result->schema->field_count;

    switch (result->form) {
    case ARUS_RESULT_TABLE:
        return arus_table_add(&result->table, result->texts, &result->out, err);
    case ARUS_RESULT_RECORDS:
        return put_record(result, err);
    case ARUS_RESULT_CSV:
        return arus_rows_csv(result->row, count, &result->out, err);
    case ARUS_RESULT_ROWS:
        return arus_rows_texts(result->row, count, &result->out, err);
    case ARUS_RESULT_JSON:
        break;
    }
    return ARUS_OK;
}

static enum arus_status write_json(struct arus_result *result, const struct arus_batch *batch,
                                   uint32_t row_count, struct arus_error *err)
{
    const struct arus_format *format = arus_format_find(ARUS_TEXT("json"));
    struct arus_batch part = *batch;
    uint32_t *indices;

    if (row_count < batch->row_count) {
        ARUS_TRY(ARUS_NEW(&result->step, uint32_t, row_count + 1, &indices, err));
        for (uint32_t i = 0; i < row_count; i++) {
            indices[i] = i;
        }
        ARUS_TRY(arus_batch_slice(batch, indices, row_count, &result->step, &part, err));
    }
    return row_count == 0 ? ARUS_OK : format->writer_write(result->writer, &part, err);
}

enum arus_status arus_result_write(void *self, const struct arus_batch *batch,
                                   struct arus_error *err)
{
    struct arus_result *result = self;
    const uint64_t room = result->row_max - result->shown;
    const uint32_t row_count = batch->row_count > room ? (uint32_t)room : batch->row_count;

    result->count += batch->row_count;
    result->shown += row_count;
    arus_arena_reset(&result->step);
    if (result->form == ARUS_RESULT_JSON) {
        return write_json(result, batch, row_count, err);
    }
    for (uint32_t i = 0; i < row_count; i++) {
        ARUS_TRY(read_row(result, batch, i, err));
        ARUS_TRY(put_row(result, err));
    }
    return drain(result, err);
}

enum arus_status arus_result_finish(struct arus_result *result, struct arus_error *err)
{
    if (result->form == ARUS_RESULT_JSON) {
        struct arus_write_stats stats;

        ARUS_TRY(arus_format_find(ARUS_TEXT("json"))->writer_finish(result->writer, &stats, err));
    }
    if (result->form == ARUS_RESULT_TABLE && result->count != 0) {
        ARUS_TRY(arus_table_finish(&result->table, &result->out, err));
    }
    ARUS_TRY(drain(result, err));
    return arus_pager_finish(&result->pager, err);
}

bool arus_result_is_left(const struct arus_result *result)
{
    return result != NULL && result->pager.is_left;
}

uint64_t arus_result_shown(const struct arus_result *result)
{
    return result->shown;
}

uint64_t arus_result_count(const struct arus_result *result)
{
    return result->count;
}

void arus_result_close(struct arus_result *result)
{
    if (result == NULL) {
        return;
    }
    arus_format_find(ARUS_TEXT("json"))->writer_close(result->writer);
    arus_pager_release(&result->pager);
    arus_table_release(&result->table);
    arus_buffer_release(&result->cells);
    arus_buffer_release(&result->out);
    arus_arena_release(&result->step);
    arus_arena_release(&result->arena);
    arus_free(result);
}
