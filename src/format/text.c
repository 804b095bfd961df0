/** Reader and writer of plain lines. */
#include "format/text.h"

#include "base/alloc.h"
#include "format/chunk.h"
#include "format/text_sink.h"

#include <stddef.h>

struct text_read_settings {
    struct arus_text line_sep;
    struct arus_text encoding_name;
    bool is_whole;
    enum arus_encoding encoding; /* completed by check */
};

struct text_write_settings {
    struct arus_text line_sep;
    struct arus_text encoding_name;
    int compression_choice;
    enum arus_compression compression; /* completed by check */
    enum arus_encoding encoding;
};

static const struct arus_option READ_OPTIONS[] = {
    {"lineSep", ARUS_OPTION_TEXT, offsetof(struct text_read_settings, line_sep), NULL,
     "What ends a line; default: \\n, \\r\\n and \\r.", NULL, INT64_MIN, NULL},
    {"wholetext", ARUS_OPTION_BOOL, offsetof(struct text_read_settings, is_whole), "false",
     "Each file is one row.", NULL, INT64_MIN, NULL},
    {"encoding", ARUS_OPTION_TEXT, offsetof(struct text_read_settings, encoding_name), "UTF-8",
     "UTF-8 (bytes are passed on as they are), ISO-8859-1, US-ASCII, UTF-16, ...", NULL, INT64_MIN,
     "charset"},
    {"compression", ARUS_OPTION_IGNORED, 0, NULL, "The suffix of a file decides when reading.",
     NULL, INT64_MIN, "codec"},
    {0},
};

static const struct arus_option WRITE_OPTIONS[] = {
    {"lineSep", ARUS_OPTION_TEXT, offsetof(struct text_write_settings, line_sep), "\n",
     "Ends a line.", NULL, INT64_MIN, NULL},
    {"encoding", ARUS_OPTION_TEXT, offsetof(struct text_write_settings, encoding_name), "UTF-8",
     "UTF-8, ISO-8859-1, US-ASCII, UTF-16, ...", NULL, INT64_MIN, "charset"},
    {"compression", ARUS_OPTION_CHOICE, offsetof(struct text_write_settings, compression_choice),
     "none", "none, bzip2, deflate, gzip, lz4, snappy or zstd.", ARUS_COMPRESSION_CHOICES,
     INT64_MIN, "codec"},
    {0},
};

/* ---- checks ---- */

static enum arus_status read_encoding(struct arus_text name, enum arus_encoding *out,
                                      struct arus_error *err)
{
    if (arus_encoding_find(name, out)) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "INVALID_PARAMETER_VALUE.CHARSET",
                     "unknown encoding `%.*s`", ARUS_TEXT_ARGS(name));
}

static enum arus_status check_schema(const struct arus_type *schema, struct arus_error *err)
{
    if (schema == NULL) {
        return ARUS_OK;
    }
    if (schema->field_count != 1) {
        return arus_fail(err, ARUS_BAD_CONFIG, "_LEGACY_ERROR_TEMP_1290",
                         "the text format holds exactly one column, not %u",
                         (unsigned)schema->field_count);
    }
    if (schema->fields[0].type->id != ARUS_TYPE_STRING) {
        return arus_fail(err, ARUS_BAD_CONFIG, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                         "the text format holds a STRING column; `%.*s` is of another type",
                         ARUS_TEXT_ARGS(schema->fields[0].name));
    }
    return ARUS_OK;
}

static enum arus_status text_check_read(void *settings, const struct arus_type *schema,
                                        struct arus_arena *arena, struct arus_error *err)
{
    struct text_read_settings *self = settings;

    (void)arena;
    ARUS_TRY(check_schema(schema, err));
    return read_encoding(self->encoding_name, &self->encoding, err);
}

static enum arus_status text_check_write(void *settings, const struct arus_type *schema,
                                         struct arus_arena *arena, struct arus_error *err)
{
    struct text_write_settings *self = settings;

    (void)arena;
    ARUS_TRY(check_schema(schema, err));
    self->compression = arus_compression_of_choice(self->compression_choice);
    return read_encoding(self->encoding_name, &self->encoding, err);
}

static struct arus_chunk_options chunk_options(const struct text_read_settings *settings)
{
    return (struct arus_chunk_options){
        .mode = settings->is_whole ? ARUS_CHUNK_DOCUMENT : ARUS_CHUNK_LINES,
        .lines = {.separator = settings->line_sep},
        .encoding = settings->encoding,
        .keeps_mark = settings->is_whole,
    };
}

static bool text_is_splittable(const void *settings, const char *path)
{
    const struct arus_chunk_options options = chunk_options(settings);

    return arus_chunk_is_splittable(&options, path);
}

static enum arus_status text_infer(const void *settings, const struct arus_inputs *inputs,
                                   const struct arus_zone *zone, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    struct arus_field *field;

    (void)settings;
    (void)inputs;
    (void)zone;
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, 1, &field, err));
    *field = (struct arus_field){ARUS_TEXT("value"), &ARUS_STRING, true, {0}};
    return arus_type_struct(field, 1, arena, out, err);
}

/* ---- reading ---- */

struct text_reader {
    const struct arus_scan *scan;
    const struct text_read_settings *settings;
    struct arus_chunk *chunk;
    struct arus_stretch stretch;
    size_t at;
    bool has_ended;
    enum arus_cpu cpu;
    struct arus_line *lines;  /* owned, ARUS_BATCH_ROWS */
    struct arus_view *values; /* owned, ARUS_BATCH_ROWS; NULL when the column is not wanted */
    struct arus_vector column;
    uint64_t row_count;
};

static void text_reader_close(struct arus_reader *reader)
{
    struct text_reader *self = (struct text_reader *)(void *)reader;

    if (self == NULL) {
        return;
    }
    arus_chunk_close(self->chunk);
    arus_free(self->lines);
    arus_free(self->values);
    arus_free(self);
}

static enum arus_status open_parts(struct text_reader *self, struct arus_error *err)
{
    const struct arus_chunk_options options = chunk_options(self->settings);

    self->lines = arus_alloc_buffer(ARUS_BATCH_ROWS * sizeof *self->lines);
    self->values = arus_alloc_buffer(ARUS_BATCH_ROWS * sizeof *self->values);
    if (self->lines == NULL || self->values == NULL) {
        return arus_fail_memory(err);
    }
    return arus_chunk_open(&options, &self->chunk, err);
}

static enum arus_status text_reader_open(const struct arus_scan *scan, const void *settings,
                                         struct arus_reader **out, struct arus_error *err)
{
    struct text_reader *self = arus_alloc(1, sizeof *self);
    enum arus_status status;

    *out = NULL;
    if (self == NULL) {
        return arus_fail_memory(err);
    }
    self->scan = scan;
    self->settings = settings;
    self->has_ended = true;
    self->cpu = arus_cpu_detect();
    status = open_parts(self, err);
    if (status != ARUS_OK) {
        text_reader_close((struct arus_reader *)self);
        return status;
    }
    *out = (struct arus_reader *)self;
    return ARUS_OK;
}

static enum arus_status text_reader_start(struct arus_reader *reader,
                                          const struct arus_input *input, struct arus_error *err)
{
    struct text_reader *self = (struct text_reader *)(void *)reader;

    self->stretch = (struct arus_stretch){0};
    self->at = 0;
    self->has_ended = true;
    ARUS_TRY(arus_chunk_start(self->chunk, input, err));
    self->has_ended = false;
    return ARUS_OK;
}

/* The next lines of the stretch; a whole file is one. */
static uint32_t take_lines(struct text_reader *self)
{
    const struct arus_line_rule rule = {.separator = self->settings->line_sep};
    const struct arus_text text = {self->stretch.data, self->stretch.size};

    if (self->settings->is_whole) {
        self->lines[0] = (struct arus_line){0, (uint32_t)text.size};
        self->at = text.size;
        return 1;
    }
    return (uint32_t)arus_lines_find(self->cpu, &rule, text, &self->at, self->lines,
                                     ARUS_BATCH_ROWS);
}

static enum arus_status text_reader_next(struct arus_reader *reader, struct arus_batch *out,
                                         struct arus_error *err)
{
    struct text_reader *self = (struct text_reader *)(void *)reader;
    uint32_t count;

    *out = (struct arus_batch){.schema = self->scan->output, .columns = &self->column};
    if (!self->has_ended && self->at == self->stretch.size) {
        ARUS_TRY(arus_chunk_next(self->chunk, &self->stretch, err));
        self->at = 0;
        self->has_ended = self->stretch.size == 0;
    }
    if (self->has_ended) {
        return ARUS_OK;
    }
    count = take_lines(self);
    for (uint32_t i = 0; i < count && self->scan->output->field_count > 0; i++) {
        self->values[i] = arus_view_of(self->stretch.data + self->lines[i].begin,
                                       self->lines[i].end - self->lines[i].begin);
    }
    self->column = (struct arus_vector){
        .type = &ARUS_STRING, .form = ARUS_VECTOR_FLAT, .row_count = count, .values = self->values};
    out->row_count = count;
    self->row_count += count;
    return ARUS_OK;
}

static void text_reader_watch(struct arus_reader *reader, const struct arus_bad_records *bad)
{
    struct text_reader *self = (struct text_reader *)(void *)reader;

    (void)bad; /* any text is good */
    arus_chunk_count_lines(self->chunk);
}

static enum arus_status text_reader_record(struct arus_reader *reader, uint32_t row,
                                           struct arus_record *out, struct arus_error *err)
{
    struct text_reader *self = (struct text_reader *)(void *)reader;
    const struct arus_line line = self->lines[row];

    *out = (struct arus_record){.text = {self->stretch.data + line.begin, line.end - line.begin}};
    return arus_chunk_line(self->chunk, out->text.data, &out->line, err);
}

static void text_reader_stats(const struct arus_reader *reader, struct arus_scan_stats *out)
{
    const struct text_reader *self = (const struct text_reader *)(const void *)reader;

    *out = (struct arus_scan_stats){.row_count = self->row_count,
                                    .byte_count = arus_chunk_byte_count(self->chunk)};
}

/* ---- writing ---- */

struct text_writer {
    const struct text_write_settings *settings;
    struct arus_text_sink sink;
    uint64_t row_count;
};

static const char *text_extension(const void *settings)
{
    static const char *const NAMES[] = {
#define X(name, spark_name, suffix) ".txt" suffix,
        ARUS_COMPRESSIONS(X)
#undef X
    };

    return NAMES[((const struct text_write_settings *)settings)->compression];
}

static void text_writer_close(struct arus_writer *writer)
{
    struct text_writer *self = (struct text_writer *)(void *)writer;

    if (self != NULL) {
        arus_text_sink_release(&self->sink);
        arus_free(self);
    }
}

static enum arus_status text_writer_open(const struct arus_type *schema, const void *settings,
                                         const struct arus_zone *zone, struct arus_output output,
                                         struct arus_writer **out, struct arus_error *err)
{
    struct text_writer *self = arus_alloc(1, sizeof *self);
    enum arus_status status;

    (void)schema;
    (void)zone;
    *out = NULL;
    if (self == NULL) {
        return arus_fail_memory(err);
    }
    self->settings = settings;
    status = arus_text_sink_init(&self->sink, output, self->settings->compression,
                                 self->settings->encoding, err);
    if (status != ARUS_OK) {
        text_writer_close((struct arus_writer *)self);
        return status;
    }
    *out = (struct arus_writer *)self;
    return ARUS_OK;
}

/* Null and empty alike are an empty line; line ends inside are written as they are. */
static enum arus_status text_writer_write(struct arus_writer *writer,
                                          const struct arus_batch *batch, struct arus_error *err)
{
    struct text_writer *self = (struct text_writer *)(void *)writer;
    const struct arus_vector *column = &batch->columns[0];
    const struct arus_view *values = arus_vector_data(column)->values;

    for (uint32_t i = 0; i < batch->row_count; i++) {
        if (arus_vector_is_valid(column, i)) {
            ARUS_TRY(arus_buffer_append_text(
                &self->sink.text, arus_view_text(values[arus_vector_at(column, i)]), err));
        }
        ARUS_TRY(arus_buffer_append_text(&self->sink.text, self->settings->line_sep, err));
        ARUS_TRY(arus_text_sink_flush(&self->sink, err));
    }
    self->row_count += batch->row_count;
    return ARUS_OK;
}

static enum arus_status text_writer_finish(struct arus_writer *writer, struct arus_write_stats *out,
                                           struct arus_error *err)
{
    struct text_writer *self = (struct text_writer *)(void *)writer;

    ARUS_TRY(arus_text_sink_finish(&self->sink, err));
    *out = (struct arus_write_stats){.row_count = self->row_count,
                                     .byte_count = self->sink.byte_count};
    return ARUS_OK;
}

static uint64_t text_writer_held_size(const struct arus_writer *writer)
{
    const struct text_writer *self = (const struct text_writer *)(const void *)writer;

    return arus_text_sink_held_size(&self->sink);
}

const struct arus_format ARUS_FORMAT_TEXT = {
    .name = "text",
    .summary = "Lines, each a row with one STRING column `value`.",
    .read_options = READ_OPTIONS,
    .read_settings_size = sizeof(struct text_read_settings),
    .write_options = WRITE_OPTIONS,
    .write_settings_size = sizeof(struct text_write_settings),
    .check_read = text_check_read,
    .check_write = text_check_write,
    .is_splittable = text_is_splittable,
    .infer = text_infer,
    .reader_open = text_reader_open,
    .reader_start = text_reader_start,
    .reader_next = text_reader_next,
    .reader_watch = text_reader_watch,
    .reader_record = text_reader_record,
    .reader_stats = text_reader_stats,
    .reader_close = text_reader_close,
    .extension = text_extension,
    .writer_open = text_writer_open,
    .writer_write = text_writer_write,
    .writer_finish = text_writer_finish,
    .writer_held_size = text_writer_held_size,
    .writer_close = text_writer_close,
};
