/** The csv writer: cells are quoted and escaped as univocity does it for Spark. */
#include "base/alloc.h"
#include "format/csv_internal.h"
#include "format/csv_values.h"
#include "format/text_sink.h"
#include "types/decimal.h"
#include "types/interval.h"
#include "types/number_text.h"

struct csv_writer {
    const struct arus_type *schema;
    const struct csv_write_settings *settings;
    const struct arus_zone *zone;
    struct arus_text_sink sink;
    struct arus_buffer cell;
    struct arus_text escape_escape; /* size 0: none */
    bool triggers[256]; /* bytes that ask for quotes: line ends, and the quote when it is escaped */
    bool specials[256]; /* bytes at which a cell must be looked at closely */
    bool has_begun;
    uint64_t row_count;
};

/* ---- a value's text ---- */

static enum arus_status write_number(struct csv_writer *self, size_t (*write)(int64_t, char *),
                                     int64_t value, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(&self->cell, ARUS_TIMESTAMP_TEXT_MAX, err));
    self->cell.size += write(value, self->cell.data + self->cell.size);
    return ARUS_OK;
}

static enum arus_status write_binary(struct csv_writer *self, struct arus_view view,
                                     struct arus_error *err)
{
    static const char HEX[] = "0123456789ABCDEF";
    struct arus_buffer *cell = &self->cell;

    ARUS_TRY(arus_buffer_reserve(cell, (size_t)view.size * 3 + 2, err));
    cell->data[cell->size++] = '[';
    for (uint32_t i = 0; i < view.size; i++) {
        const unsigned char byte = (unsigned char)view.data[i];

        if (i > 0) {
            cell->data[cell->size++] = ' ';
        }
        cell->data[cell->size++] = HEX[byte >> 4];
        cell->data[cell->size++] = HEX[byte & 15];
    }
    cell->data[cell->size++] = ']';
    return ARUS_OK;
}

static enum arus_status write_date(struct csv_writer *self, int32_t days, struct arus_error *err)
{
    if (self->settings->date_pattern != NULL) {
        return arus_datetime_pattern_format(self->settings->date_pattern,
                                            days * ARUS_MICROS_PER_DAY, ARUS_ZONE_UTC, &self->cell,
                                            err);
    }
    ARUS_TRY(arus_buffer_reserve(&self->cell, ARUS_DATE_TEXT_MAX, err));
    self->cell.size += arus_date_write(days, self->cell.data + self->cell.size);
    return ARUS_OK;
}

static enum arus_status write_timestamp(struct csv_writer *self, int64_t micros,
                                        struct arus_error *err)
{
    const int32_t offset = arus_zone_offset(self->zone, micros);
    struct arus_buffer *cell = &self->cell;

    if (self->settings->timestamp_pattern != NULL) {
        return arus_datetime_pattern_format(self->settings->timestamp_pattern, micros, self->zone,
                                            cell, err);
    }
    ARUS_TRY(arus_buffer_reserve(cell, (size_t)ARUS_TIMESTAMP_TEXT_MAX * 2, err));
    cell->size += arus_wall_write_iso(arus_wall_shift(micros, offset * ARUS_MICROS_PER_SECOND),
                                      cell->data + cell->size);
    cell->size += arus_offset_write_iso(offset, cell->data + cell->size);
    return ARUS_OK;
}

static enum arus_status write_ntz(struct csv_writer *self, int64_t micros, struct arus_error *err)
{
    if (self->settings->ntz_pattern != NULL) {
        return arus_datetime_pattern_format(self->settings->ntz_pattern, micros, ARUS_ZONE_UTC,
                                            &self->cell, err);
    }
    return write_number(self, arus_timestamp_write_iso, micros, err);
}

static enum arus_status write_decimal(struct csv_writer *self, const struct arus_type *type,
                                      const void *value, struct arus_error *err)
{
    struct arus_decimal decimal = {0, type->scale};

    if (arus_type_is_wide(type)) {
        memcpy(&decimal.value, value, sizeof decimal.value);
    } else {
        decimal.value = *(const int64_t *)value;
    }
    ARUS_TRY(arus_buffer_reserve(&self->cell, (size_t)ARUS_DECIMAL_TEXT_MAX + 8, err));
    self->cell.size += arus_decimal_write_scientific(decimal, self->cell.data + self->cell.size);
    return ARUS_OK;
}

static enum arus_status write_units(struct csv_writer *self, const struct arus_interval *value,
                                    struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(&self->cell, ARUS_INTERVAL_TEXT_MAX, err));
    self->cell.size += arus_interval_write_units(*value, self->cell.data + self->cell.size);
    return ARUS_OK;
}

static enum arus_status write_interval(struct csv_writer *self, const struct arus_type *type,
                                       int64_t value, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(&self->cell, ARUS_INTERVAL_TEXT_MAX, err));
    self->cell.size += arus_interval_write(value, type, self->cell.data + self->cell.size);
    return ARUS_OK;
}

static enum arus_status write_double(struct csv_writer *self, double value, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(&self->cell, ARUS_DOUBLE_TEXT_MAX, err));
    self->cell.size += arus_double_write(value, self->cell.data + self->cell.size);
    return ARUS_OK;
}

static enum arus_status write_float(struct csv_writer *self, float value, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(&self->cell, ARUS_FLOAT_TEXT_MAX, err));
    self->cell.size += arus_float_write(value, self->cell.data + self->cell.size);
    return ARUS_OK;
}

static enum arus_status write_text(struct csv_writer *self, const struct arus_vector *vector,
                                   uint32_t at, struct arus_error *err);

/* An element behind its blank; nothing for one without a value. */
static enum arus_status write_element(struct csv_writer *self, const char *before,
                                      const struct arus_vector *vector, uint32_t i,
                                      struct arus_error *err)
{
    if (!arus_vector_is_valid(vector, i)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_append(&self->cell, before, strlen(before), err));
    return write_text(self, arus_vector_data(vector), arus_vector_at(vector, i), err);
}

/* `[1,, 3]`, `{k -> 1, l ->}`, `{1, a}` */
static enum arus_status write_nested(struct csv_writer *self, const struct arus_vector *vector,
                                     uint32_t at, struct arus_error *err)
{
    const enum arus_type_id id = vector->type->id;
    struct arus_span span = {0, vector->type->field_count};

    if (id != ARUS_TYPE_STRUCT) {
        span = ((const struct arus_span *)vector->values)[at];
    }
    ARUS_TRY(arus_buffer_append_char(&self->cell, id == ARUS_TYPE_ARRAY ? '[' : '{', err));
    for (uint32_t k = 0; k < span.count; k++) {
        const char *before = k > 0 ? " " : "";

        if (k > 0) {
            ARUS_TRY(arus_buffer_append_char(&self->cell, ',', err));
        }
        if (id == ARUS_TYPE_STRUCT) {
            ARUS_TRY(write_element(self, before, &vector->children[k], at, err));
            continue;
        }
        ARUS_TRY(write_element(self, before, &vector->children[0], span.begin + k, err));
        if (id == ARUS_TYPE_MAP) {
            ARUS_TRY(arus_buffer_append(&self->cell, " ->", 3, err));
            ARUS_TRY(write_element(self, " ", &vector->children[1], span.begin + k, err));
        }
    }
    return arus_buffer_append_char(&self->cell, id == ARUS_TYPE_ARRAY ? ']' : '}', err);
}

/* Row `at` of a flat or constant vector, into self->cell. */
static enum arus_status write_text(struct csv_writer *self, const struct arus_vector *vector,
                                   uint32_t at, struct arus_error *err)
{
    const char *value =
        (const char *)vector->values + (size_t)at * arus_type_value_size(vector->type);

    switch (vector->type->id) {
    case ARUS_TYPE_BOOLEAN:
        return arus_buffer_append_text(
            &self->cell, *(const uint8_t *)value != 0 ? ARUS_TEXT("true") : ARUS_TEXT("false"),
            err);
    case ARUS_TYPE_TINYINT:
        return write_number(self, arus_int64_write, *(const int8_t *)value, err);
    case ARUS_TYPE_SMALLINT:
        return write_number(self, arus_int64_write, *(const int16_t *)(const void *)value, err);
    case ARUS_TYPE_INT:
        return write_number(self, arus_int64_write, *(const int32_t *)(const void *)value, err);
    case ARUS_TYPE_BIGINT:
        return write_number(self, arus_int64_write, *(const int64_t *)(const void *)value, err);
    case ARUS_TYPE_FLOAT:
        return write_float(self, *(const float *)(const void *)value, err);
    case ARUS_TYPE_DOUBLE:
        return write_double(self, *(const double *)(const void *)value, err);
    case ARUS_TYPE_DECIMAL:
        return write_decimal(self, vector->type, value, err);
    case ARUS_TYPE_STRING:
        return arus_buffer_append_text(
            &self->cell, arus_view_text(*(const struct arus_view *)(const void *)value), err);
    case ARUS_TYPE_BINARY:
        return write_binary(self, *(const struct arus_view *)(const void *)value, err);
    case ARUS_TYPE_DATE:
        return write_date(self, *(const int32_t *)(const void *)value, err);
    case ARUS_TYPE_TIMESTAMP:
        return write_timestamp(self, *(const int64_t *)(const void *)value, err);
    case ARUS_TYPE_TIMESTAMP_NTZ:
        return write_ntz(self, *(const int64_t *)(const void *)value, err);
    case ARUS_TYPE_INTERVAL_YM:
        return write_interval(self, vector->type, *(const int32_t *)(const void *)value, err);
    case ARUS_TYPE_INTERVAL:
        return write_units(self, (const struct arus_interval *)(const void *)value, err);
    case ARUS_TYPE_INTERVAL_DT:
        return write_interval(self, vector->type, *(const int64_t *)(const void *)value, err);
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT: /* to_csv; files hold none */
        return write_nested(self, vector, at, err);
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_COUNT:
        break;
    }
    return ARUS_OK;
}

/* ---- a cell ---- */

static bool is_white(char c)
{
    return (unsigned char)c <= ' ';
}

/* Does a special character (of one or more bytes, or none) stand at `at`? */
static bool stands_at(struct arus_text text, size_t at, struct arus_text special)
{
    return special.size > 0 && text.size - at >= special.size &&
           memcmp(text.data + at, special.data, special.size) == 0;
}

/* From the special character at `at` on: is there anything that asks for quotes? */
static bool needs_quotes(const struct csv_writer *self, struct arus_text text, size_t at)
{
    for (; at < text.size; at++) {
        if (self->triggers[(unsigned char)text.data[at]] ||
            (self->settings->escapes_quotes && stands_at(text, at, self->settings->quote)) ||
            stands_at(text, at, self->settings->sep)) {
            return true;
        }
    }
    return false;
}

static void trim_end(struct csv_writer *self, size_t begin)
{
    struct arus_buffer *out = &self->sink.text;

    while (self->settings->trims_end && out->size > begin && is_white(out->data[out->size - 1])) {
        out->size--;
    }
}

static enum arus_status append_escaped(struct csv_writer *self, struct arus_text text,
                                       struct arus_error *err)
{
    struct arus_buffer *out = &self->sink.text;

    for (size_t i = 0; i < text.size; i++) {
        if (stands_at(text, i, self->settings->quote)) {
            ARUS_TRY(arus_buffer_append_text(out, self->settings->escape, err));
        } else if (stands_at(text, i, self->settings->escape)) {
            ARUS_TRY(arus_buffer_append_text(out, self->escape_escape, err));
        } else if (text.data[i] == '\n') {
            ARUS_TRY(arus_buffer_append_text(out, self->settings->line_sep, err));
            continue;
        }
        ARUS_TRY(arus_buffer_append_char(out, text.data[i], err));
    }
    return ARUS_OK;
}

static enum arus_status append_quoted(struct csv_writer *self, struct arus_text text,
                                      struct arus_error *err)
{
    struct arus_buffer *out = &self->sink.text;
    size_t begin;

    ARUS_TRY(arus_buffer_append_text(out, self->settings->quote, err));
    begin = out->size;
    ARUS_TRY(append_escaped(self, text, err));
    trim_end(self, begin);
    return arus_buffer_append_text(out, self->settings->quote, err);
}

static enum arus_status append_plain(struct csv_writer *self, struct arus_text text,
                                     struct arus_error *err)
{
    const size_t begin = self->sink.text.size;

    ARUS_TRY(arus_buffer_append_text(&self->sink.text, text, err));
    trim_end(self, begin);
    return ARUS_OK;
}

/* nullValue and emptyValue: written as they are when they come with quotes of their own. */
static enum arus_status append_stand_in(struct csv_writer *self, struct arus_text text,
                                        struct arus_error *err)
{
    const struct arus_text quote = self->settings->quote;
    const bool has_quotes = quote.size > 0 && text.size >= 2 &&
                            arus_text_starts_with(text, quote) && arus_text_ends_with(text, quote);

    if (has_quotes) {
        return arus_buffer_append_text(&self->sink.text, text, err);
    }
    if (self->settings->quotes_all) {
        return append_quoted(self, text, err);
    }
    return append_plain(self, text, err);
}

static enum arus_status append_cell(struct csv_writer *self, uint32_t column, struct arus_text text,
                                    struct arus_error *err)
{
    const struct csv_write_settings *settings = self->settings;
    const struct arus_text comment =
        settings->comment.size > 0 ? settings->comment : ARUS_TEXT("#");
    size_t at = 0;
    bool is_quoted = settings->quotes_all || (column == 0 && stands_at(text, 0, comment));

    while (settings->trims_begin && text.size > 0 && is_white(text.data[0])) {
        text.data++;
        text.size--;
    }
    if (text.size == 0) {
        return append_stand_in(self, settings->empty_value, err);
    }
    if (is_quoted || stands_at(text, 0, settings->quote)) {
        return append_quoted(self, text, err);
    }
    while (at < text.size && !self->specials[(unsigned char)text.data[at]]) {
        at++;
    }
    return needs_quotes(self, text, at) ? append_quoted(self, text, err)
                                        : append_plain(self, text, err);
}

static enum arus_status append_row_end(struct csv_writer *self, size_t row_begin,
                                       struct arus_error *err)
{
    if (self->sink.text.size == row_begin) { /* a row of nothing gives no line */
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_append_text(&self->sink.text, self->settings->line_sep, err));
    return arus_text_sink_flush(&self->sink, err);
}

static enum arus_status begin_file(struct csv_writer *self, struct arus_error *err)
{
    if (self->has_begun) {
        return ARUS_OK;
    }
    self->has_begun = true;
    for (uint16_t i = 0; self->settings->header && i < self->schema->field_count; i++) {
        if (i > 0) {
            ARUS_TRY(arus_buffer_append_text(&self->sink.text, self->settings->sep, err));
        }
        ARUS_TRY(append_cell(self, i, self->schema->fields[i].name, err));
    }
    return append_row_end(self, 0, err);
}

/* The cells of a row, without the end of the line. */
static enum arus_status write_cells(struct csv_writer *self, const struct arus_vector *columns,
                                    uint32_t row, struct arus_error *err)
{
    for (uint16_t i = 0; i < self->schema->field_count; i++) {
        const struct arus_vector *column = &columns[i];

        if (i > 0) {
            ARUS_TRY(arus_buffer_append_text(&self->sink.text, self->settings->sep, err));
        }
        if (!arus_vector_is_valid(column, row)) {
            ARUS_TRY(append_stand_in(self, self->settings->null_value, err));
            continue;
        }
        arus_buffer_reset(&self->cell);
        ARUS_TRY(write_text(self, arus_vector_data(column), arus_vector_at(column, row), err));
        ARUS_TRY(append_cell(self, i, arus_buffer_text(&self->cell), err));
    }
    return ARUS_OK;
}

/* ---- life ---- */

static void mark_byte(bool *table, struct arus_text special)
{
    if (special.size > 0) {
        table[(unsigned char)special.data[0]] = true;
    }
}

static void set_tables(struct csv_writer *self)
{
    const struct csv_write_settings *settings = self->settings;

    self->triggers['\n'] = true;
    self->triggers['\r'] = true;
    for (size_t i = 0; i < settings->line_sep.size; i++) {
        self->triggers[(unsigned char)settings->line_sep.data[i]] = true;
    }
    memcpy(self->specials, self->triggers, sizeof self->specials);
    mark_byte(self->specials, settings->sep);
    mark_byte(self->specials, settings->quote);
    mark_byte(self->specials, settings->escape);
    self->escape_escape = settings->escape_escape.data != NULL ? settings->escape_escape
                          : arus_text_equal(settings->quote, settings->escape)
                              ? (struct arus_text){0}
                              : settings->escape;
}

const char *csv_extension(const void *settings)
{
    static const char *const NAMES[] = {
#define X(name, spark_name, suffix) ".csv" suffix,
        ARUS_COMPRESSIONS(X)
#undef X
    };

    return NAMES[((const struct csv_write_settings *)settings)->compression];
}

static enum arus_status make(const struct arus_type *schema, const void *settings,
                             const struct arus_zone *zone, struct csv_writer **out,
                             struct arus_error *err)
{
    struct csv_writer *self = arus_alloc(1, sizeof *self);

    *out = self;
    if (self == NULL) {
        return arus_fail_memory(err);
    }
    self->schema = schema;
    self->settings = settings;
    self->zone = self->settings->zone != NULL ? self->settings->zone : zone;
    self->zone = self->zone != NULL ? self->zone : ARUS_ZONE_UTC;
    set_tables(self);
    return ARUS_OK;
}

enum arus_status csv_writer_open(const struct arus_type *schema, const void *settings,
                                 const struct arus_zone *zone, struct arus_output output,
                                 struct arus_writer **out, struct arus_error *err)
{
    struct csv_writer *self;
    enum arus_status status;

    *out = NULL;
    ARUS_TRY(make(schema, settings, zone, &self, err));
    status = arus_text_sink_init(&self->sink, output, self->settings->compression,
                                 self->settings->encoding, err);
    if (status != ARUS_OK) {
        csv_writer_close((struct arus_writer *)self);
        return status;
    }
    *out = (struct arus_writer *)self;
    return ARUS_OK;
}

enum arus_status csv_writer_write(struct arus_writer *writer, const struct arus_batch *batch,
                                  struct arus_error *err)
{
    struct csv_writer *self = (struct csv_writer *)(void *)writer;

    ARUS_TRY(begin_file(self, err));
    for (uint32_t i = 0; i < batch->row_count; i++) {
        const size_t row_begin = self->sink.text.size;

        ARUS_TRY(write_cells(self, batch->columns, i, err));
        ARUS_TRY(append_row_end(self, row_begin, err));
    }
    self->row_count += batch->row_count;
    return ARUS_OK;
}

enum arus_status csv_writer_finish(struct arus_writer *writer, struct arus_write_stats *out,
                                   struct arus_error *err)
{
    struct csv_writer *self = (struct csv_writer *)(void *)writer;

    ARUS_TRY(begin_file(self, err));
    ARUS_TRY(arus_text_sink_finish(&self->sink, err));
    *out = (struct arus_write_stats){.row_count = self->row_count,
                                     .byte_count = self->sink.byte_count};
    return ARUS_OK;
}

uint64_t csv_writer_held_size(const struct arus_writer *writer)
{
    const struct csv_writer *self = (const struct csv_writer *)(const void *)writer;

    return arus_text_sink_held_size(&self->sink) + self->cell.capacity;
}

void csv_writer_close(struct arus_writer *writer)
{
    struct csv_writer *self = (struct csv_writer *)(void *)writer;

    if (self == NULL) {
        return;
    }
    arus_text_sink_release(&self->sink);
    arus_buffer_release(&self->cell);
    arus_free(self);
}

/* ---- single lines: to_csv ---- */

enum arus_status arus_csv_line_open(const struct arus_type *schema, const void *settings,
                                    const struct arus_zone *zone, struct arus_csv_line **out,
                                    struct arus_error *err)
{
    struct csv_writer *self;

    *out = NULL;
    ARUS_TRY(make(schema, settings, zone, &self, err));
    *out = (struct arus_csv_line *)self;
    return ARUS_OK;
}

void arus_csv_line_close(struct arus_csv_line *line)
{
    csv_writer_close((struct arus_writer *)line);
}

enum arus_status arus_csv_line_write(struct arus_csv_line *line, const struct arus_vector *rows,
                                     uint32_t i, struct arus_text *out, struct arus_error *err)
{
    struct csv_writer *self = (struct csv_writer *)(void *)line;
    const struct arus_vector *data = arus_vector_data(rows);

    arus_buffer_reset(&self->sink.text);
    ARUS_TRY(write_cells(self, data->children, arus_vector_at(rows, i), err));
    *out = arus_buffer_text(&self->sink.text);
    return ARUS_OK;
}
