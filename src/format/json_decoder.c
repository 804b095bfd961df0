/** Batches of rows from lines and records. */
#include "base/alloc.h"
#include "format/json_decoder_internal.h"
#include "format/lines.h"

#define PADDING        ARUS_CHUNK_PADDING
#define DEPTH_DEFAULT  1000
#define NUMBER_DEFAULT 1000
#define STRING_DEFAULT 20000000
#define STRAYS_MAX     64  /* lines without any order in a row before programs are left out */
#define STRAYS_PROBE   256 /* and how often they are tried then */

/* ---- opening ---- */

/* The record's fields are the output's without the corrupt-record column. */
static enum arus_status make_root(struct arus_json_decoder *decoder, struct arus_error *err)
{
    const struct arus_type *output = decoder->scan->output;
    struct arus_field *fields;
    uint16_t count = 0;
    const struct arus_type *type;

    ARUS_TRY(ARUS_NEW(&decoder->plan, struct arus_field, output->field_count + 1u, &fields, err));
    decoder->corrupt_column = -1;
    for (uint16_t i = 0; i < output->field_count; i++) {
        if (decoder->scan->output_fields[i] == ARUS_SCAN_CORRUPT) {
            decoder->corrupt_column = i;
        } else {
            fields[count++] = output->fields[i];
        }
    }
    ARUS_TRY(arus_type_struct(fields, count, &decoder->plan, &type, err));
    return json_node_init(&decoder->root, type, &decoder->plan, err);
}

/* The targets follow their builders, whose memory may have moved. */
static void aim_targets(struct arus_json_decoder *decoder)
{
    uint16_t child = 0;

    for (uint16_t i = 0; i < decoder->scan->output->field_count; i++) {
        struct arus_builder *builder = &decoder->columns[i];

        if (decoder->corrupt_column != i) {
            decoder->targets[child] = (struct json_target){
                .builder = builder,
                .node = &decoder->root.children[child],
                .is_nested = arus_type_is_nested(builder->type),
                .values = builder->values,
                .validity = builder->validity,
            };
            child++;
        }
    }
}

enum arus_status json_decoder_need_rows(struct arus_json_decoder *decoder, uint32_t row_count,
                                        struct arus_error *err)
{
    if (row_count <= decoder->row_capacity) {
        return ARUS_OK;
    }
    for (uint16_t i = 0; i < decoder->scan->output->field_count; i++) {
        arus_builder_reset(&decoder->columns[i]);
        ARUS_TRY(arus_builder_reserve(&decoder->columns[i], row_count, err));
    }
    decoder->row_capacity = row_count;
    aim_targets(decoder);
    return ARUS_OK;
}

static enum arus_status make_columns(struct arus_json_decoder *decoder, struct arus_error *err)
{
    const struct arus_type *output = decoder->scan->output;
    const uint16_t count = output->field_count;

    ARUS_TRY(ARUS_NEW(&decoder->plan, struct json_target, count + 1u, &decoder->targets, err));
    ARUS_TRY(ARUS_NEW(&decoder->plan, struct json_cell, count + 1u, &decoder->fields, err));
    ARUS_TRY(ARUS_NEW(&decoder->plan, struct arus_vector, count + 1u, &decoder->vectors, err));
    decoder->columns = arus_alloc(count + 1u, sizeof *decoder->columns);
    if (decoder->columns == NULL) {
        return arus_fail_memory(err);
    }
    for (uint16_t i = 0; i < count; i++) {
        ARUS_TRY(arus_builder_init(&decoder->columns[i], output->fields[i].type, err));
    }
    return json_decoder_need_rows(decoder, ARUS_BATCH_ROWS, err);
}

static enum arus_status decoder_fill(struct arus_json_decoder *decoder, struct arus_error *err)
{
    const struct json_read_settings *settings = decoder->settings;
    const struct json_rules *rules = &settings->rules;
    uint64_t *seen;

    json_converter_init(&decoder->converter, settings, decoder->scan->zone);
    ARUS_TRY(make_root(decoder, err));
    ARUS_TRY(make_columns(decoder, err));
    decoder->cpu = arus_cpu_detect();
    decoder->rows = decoder->cpu == ARUS_CPU_AVX2 ? json_rows_avx2 : json_rows_portable;
    decoder->any_row = decoder->cpu == ARUS_CPU_AVX2 ? json_any_row_avx2 : json_any_row_portable;
    ARUS_TRY(ARUS_NEW(&decoder->plan, uint64_t, decoder->root.child_count / 64u + 1, &seen, err));
    decoder->is_fast = rules->depth_max >= DEPTH_DEFAULT &&
                       rules->number_size_max >= NUMBER_DEFAULT &&
                       rules->string_size_max >= STRING_DEFAULT;
    decoder->surprise_limit = 1;
    decoder->fast = (struct json_fast){
        .converter = &decoder->converter,
        .targets = decoder->targets,
        .root = &decoder->root,
        .seen = seen,
        .target_count = decoder->root.child_count,
        .is_utc = decoder->converter.times.zone == ARUS_ZONE_UTC,
        .has_default_times = settings->date_pattern == NULL &&
                             settings->timestamp_pattern == NULL && settings->ntz_pattern == NULL,
    };
    return ARUS_OK;
}

enum arus_status arus_json_decoder_open(const struct arus_scan *scan, const void *settings,
                                        struct arus_json_decoder **out, struct arus_error *err)
{
    struct arus_json_decoder *decoder = arus_alloc(1, sizeof *decoder);
    enum arus_status status;

    *out = NULL;
    if (decoder == NULL) {
        return arus_fail_memory(err);
    }
    decoder->scan = scan;
    decoder->settings = settings;
    status = decoder_fill(decoder, err);
    if (status != ARUS_OK) {
        arus_json_decoder_close(decoder);
        return status;
    }
    *out = decoder;
    return ARUS_OK;
}

void arus_json_decoder_close(struct arus_json_decoder *decoder)
{
    if (decoder == NULL) {
        return;
    }
    for (uint32_t i = 0; i < JSON_PROGRAM_COUNT_MAX; i++) {
        json_program_release(&decoder->programs[i]);
    }
    for (uint16_t i = 0; decoder->columns != NULL && i < decoder->scan->output->field_count; i++) {
        if (decoder->columns[i].type != NULL) {
            arus_builder_release(&decoder->columns[i]);
        }
    }
    arus_free(decoder->columns);
    json_trace_release(&decoder->trace);
    json_converter_release(&decoder->converter);
    arus_arena_release(&decoder->plan);
    arus_arena_release(&decoder->batch);
    arus_free(decoder);
}

const char *arus_json_bad_at(const struct arus_json_decoder *decoder)
{
    return decoder->bad_at;
}

void arus_json_decoder_stats(const struct arus_json_decoder *decoder, struct arus_scan_stats *out)
{
    *out = decoder->stats;
}

/* ---- batches ---- */

void json_begin_batch(struct arus_json_decoder *decoder)
{
    const size_t words = arus_validity_words(decoder->row_capacity);

    decoder->row_count = 0;
    decoder->bad_at = NULL;
    json_trace_reset(&decoder->trace);
    if (!json_has_pending(decoder)) { /* waiting rows point into both */
        arus_arena_reset(&decoder->batch);
        arus_arena_reset(&decoder->converter.texts);
    }
    for (uint16_t i = 0; i < decoder->scan->output->field_count; i++) {
        struct arus_builder *builder = &decoder->columns[i];

        arus_builder_reset(builder);
        if (!arus_type_is_nested(builder->type)) {
            memset(builder->validity, 0xFF, words * sizeof(uint64_t));
        }
    }
}

static uint32_t count_nulls(const struct arus_builder *builder, uint32_t row_count)
{
    uint32_t valid = 0;

    for (uint32_t i = 0; i < row_count / 64; i++) {
        valid += (uint32_t)__builtin_popcountll(builder->validity[i]);
    }
    if (row_count % 64 != 0) {
        valid += (uint32_t)__builtin_popcountll(builder->validity[row_count / 64] &
                                                (((uint64_t)1 << row_count % 64) - 1));
    }
    return row_count - valid;
}

enum arus_status json_finish_batch(struct arus_json_decoder *decoder, struct arus_batch *out,
                                   struct arus_error *err)
{
    const struct arus_type *output = decoder->scan->output;

    for (uint16_t i = 0; i < output->field_count; i++) {
        struct arus_builder *builder = &decoder->columns[i];

        if (!arus_type_is_nested(builder->type)) {
            builder->row_count = decoder->row_count;
            builder->null_count = count_nulls(builder, decoder->row_count);
        }
        ARUS_TRY(arus_builder_finish(builder, &decoder->batch, &decoder->vectors[i], err));
    }
    decoder->stats.row_count += decoder->row_count;
    *out = (struct arus_batch){
        .schema = output, .row_count = decoder->row_count, .columns = decoder->vectors};
    return ARUS_OK;
}

/* The corrupt-record column is null for rows of the fast path. */
static void mark_good(struct arus_json_decoder *decoder, uint32_t begin, uint32_t end)
{
    static const struct json_cell NOTHING = {0};

    for (uint32_t row = begin; decoder->corrupt_column >= 0 && row < end; row++) {
        json_store(&decoder->columns[decoder->corrupt_column], row, &NOTHING);
    }
}

/* Rows that no record was noted for: a line each, from `at` on. */
static void note_lines(struct arus_json_decoder *decoder, uint32_t begin, const char *at,
                       const char *end)
{
    struct arus_error ignored;

    if (begin != decoder->row_count &&
        json_trace_add(&decoder->trace, begin, !decoder->fast.is_record,
                       (struct arus_text){at, (size_t)(end - at)}, &ignored) != ARUS_OK) {
        decoder->fast.status = ARUS_NO_MEMORY;
    }
}

/* The program in use, then the others; returns where the first line that surprises begins. */
static const char *decode_fast(struct arus_json_decoder *decoder, const char *at, const char *end,
                               uint32_t row_max)
{
    struct json_fast *fast = &decoder->fast;
    const uint32_t begin = decoder->row_count;
    const char *first = at;
    uint32_t failed_count = 0;

    while (decoder->program_count != 0 && failed_count < decoder->program_count &&
           fast->status == ARUS_OK && at < end && decoder->row_count < row_max) {
        const char *next = decoder->rows(fast, at, &decoder->row_count, row_max);

        failed_count = next == at ? failed_count + 1 : 1;
        at = next;
        if (at < end && decoder->row_count < row_max && failed_count < decoder->program_count) {
            const uint32_t used = (uint32_t)(fast->program - decoder->programs);

            fast->program = &decoder->programs[(used + 1) % decoder->program_count];
        }
    }
    mark_good(decoder, begin, decoder->row_count);
    note_lines(decoder, begin, first, at);
    return at;
}

/* A line or document whose names come in another order. False: it surprises still. */
static bool decode_any_order(struct arus_json_decoder *decoder, const char **at)
{
    const char *begin = *at;

    if (!decoder->any_row(&decoder->fast, at, decoder->row_count)) {
        return false;
    }
    mark_good(decoder, decoder->row_count, decoder->row_count + 1);
    decoder->row_count++;
    note_lines(decoder, decoder->row_count - 1, begin, *at);
    decoder->stray_count++;
    json_note_surprise(decoder, (struct arus_text){begin, (size_t)(*at - begin)});
    return true;
}

/* One line by the exact path; moves `*at` behind its end. */
static enum arus_status decode_line(struct arus_json_decoder *decoder, struct arus_text text,
                                    size_t *at, struct arus_error *err)
{
    const struct arus_line_rule rule = {.separator = decoder->settings->line_separator};
    struct arus_line line;

    if (arus_lines_find(decoder->cpu, &rule, text, at, &line, 1) == 0) {
        *at = text.size;
        return ARUS_OK;
    }
    return json_decode_record(
        decoder, (struct arus_text){text.data + line.begin, line.end - line.begin}, err);
}

/* Lines by the fast path, as far as it comes: the batch is full, the text ends, or a line
 * surprises. */
static enum arus_status decode_fast_lines(struct arus_json_decoder *decoder, struct arus_text text,
                                          size_t *at, uint32_t row_max, struct arus_error *err)
{
    const char *end = text.data + text.size;
    const char *next = text.data + *at;

    decoder->fast.end = end;
    do {
        if (decoder->stray_count < STRAYS_MAX || decoder->stray_count % STRAYS_PROBE == 0) {
            const char *begin = next;

            next = decode_fast(decoder, next, end, row_max);
            decoder->stray_count = next == begin ? decoder->stray_count : 0;
        }
    } while (next < end && decoder->row_count < row_max && decoder->fast.status == ARUS_OK &&
             decode_any_order(decoder, &next));
    *at = next < end ? (size_t)(next - text.data) : text.size; /* beyond: a \r at the very end */
    if (decoder->fast.status != ARUS_OK) {
        decoder->fast.status = ARUS_OK;
        return arus_fail_memory(err);
    }
    return ARUS_OK;
}

/* Lines that end with \n, \r\n or \r; the text ends with a line end. */
static enum arus_status decode_lines(struct arus_json_decoder *decoder, struct arus_text text,
                                     size_t *at, uint32_t row_max, struct arus_error *err)
{
    while (*at < text.size && decoder->row_count < row_max) {
        if (decoder->is_fast) {
            ARUS_TRY(decode_fast_lines(decoder, text, at, row_max, err));
            if (*at == text.size || decoder->row_count == row_max) {
                break;
            }
        }
        ARUS_TRY(decode_line(decoder, text, at, err));
    }
    return ARUS_OK;
}

/* A line without line end must not be searched beyond its end: it moves to memory with one behind
 * it. */
static enum arus_status decode_last_line(struct arus_json_decoder *decoder, struct arus_text line,
                                         uint32_t row_max, struct arus_error *err)
{
    enum arus_status status;
    size_t at = 0;
    void *memory;

    if (line.size == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_alloc(&decoder->batch, line.size + PADDING, &memory, err));
    memcpy(memory, line.data, line.size);
    ((char *)memory)[line.size] = '\n';
    decoder->trace.shift = line.data - (const char *)memory;
    status = decode_lines(decoder, (struct arus_text){memory, line.size + 1}, &at, row_max, err);
    decoder->trace.shift = 0;
    return status;
}

/* The size of the part of `text` that ends with a line end. */
static size_t whole_lines_size(struct arus_text text)
{
    size_t size = text.size;

    while (size != 0 && text.data[size - 1] != '\n' && text.data[size - 1] != '\r') {
        size--;
    }
    return size;
}

/* Fast path, then the exact one; bytes behind the document stop searches. */
static enum arus_status decode_copy(struct arus_json_decoder *decoder, struct arus_text copy,
                                    struct arus_error *err)
{
    enum arus_status status;

    if (decoder->is_fast) {
        const uint32_t row = decoder->row_count;
        size_t at = 0;

        decoder->fast.is_record = true;
        status = decode_fast_lines(decoder, copy, &at, row + 1, err);
        decoder->fast.is_record = false;
        if (status != ARUS_OK || decoder->row_count != row) {
            return status;
        }
    }
    return json_decode_record(decoder, copy, err);
}

enum arus_status json_decode_document(struct arus_json_decoder *decoder, struct arus_text record,
                                      struct arus_error *err)
{
    enum arus_status status;
    void *memory;

    ARUS_TRY(arus_arena_buffer(&decoder->batch, record.size + PADDING, &memory, err));
    if (record.size != 0) {
        memcpy(memory, record.data, record.size);
    }
    ((char *)memory)[record.size] = '\n'; /* stops the fast path's searches */
    decoder->trace.shift = record.data - (const char *)memory;
    status = decode_copy(decoder, (struct arus_text){memory, record.size}, err);
    decoder->trace.shift = 0;
    return status;
}

/* Records between separators of the user's choice. */
static enum arus_status decode_separated(struct arus_json_decoder *decoder, struct arus_text text,
                                         size_t *at, uint32_t row_max, struct arus_error *err)
{
    const struct arus_line_rule rule = {.separator = decoder->settings->line_separator};
    struct arus_line line;

    while (decoder->row_count < row_max &&
           arus_lines_find(decoder->cpu, &rule, text, at, &line, 1) != 0) {
        ARUS_TRY(json_decode_document(
            decoder, (struct arus_text){text.data + line.begin, line.end - line.begin}, err));
    }
    return ARUS_OK;
}

enum arus_status arus_json_decode(struct arus_json_decoder *decoder, struct arus_text text,
                                  size_t *at, uint32_t row_max, struct arus_batch *out,
                                  struct arus_error *err)
{
    const struct arus_text separator = decoder->settings->line_separator;
    const bool is_lines = separator.data == NULL;
    size_t whole_size;

    row_max = row_max < decoder->row_capacity ? row_max : decoder->row_capacity;
    json_begin_batch(decoder);
    ARUS_TRY(json_take_pending(decoder, row_max, err));
    if (!is_lines) {
        ARUS_TRY(decode_separated(decoder, text, at, row_max, err));
        return json_finish_batch(decoder, out, err);
    }
    whole_size = *at < text.size ? whole_lines_size(text) : text.size;
    if (*at < whole_size) {
        ARUS_TRY(
            decode_lines(decoder, (struct arus_text){text.data, whole_size}, at, row_max, err));
    }
    if (*at >= whole_size && *at < text.size && decoder->row_count < row_max) {
        ARUS_TRY(decode_last_line(decoder, (struct arus_text){text.data + *at, text.size - *at},
                                  row_max, err));
        *at = text.size;
    }
    return json_finish_batch(decoder, out, err);
}

enum arus_status arus_json_decode_records(struct arus_json_decoder *decoder,
                                          const struct arus_view *records, uint32_t count,
                                          uint32_t *at, uint32_t row_max, struct arus_batch *out,
                                          struct arus_error *err)
{
    row_max = row_max < decoder->row_capacity ? row_max : decoder->row_capacity;
    json_begin_batch(decoder);
    ARUS_TRY(json_take_pending(decoder, row_max, err));
    while (*at < count && decoder->row_count < row_max) {
        const struct arus_view *record = &records[(*at)++];

        ARUS_TRY(
            json_decode_document(decoder, (struct arus_text){record->data, record->size}, err));
    }
    return json_finish_batch(decoder, out, err);
}

enum arus_status json_decode_whole(struct arus_json_decoder *decoder, struct arus_text text,
                                   bool is_new, struct arus_batch *out, struct arus_error *err)
{
    json_begin_batch(decoder);
    ARUS_TRY(json_take_pending(decoder, decoder->row_capacity, err));
    if (is_new) {
        ARUS_TRY(json_decode_record(decoder, text, err));
    }
    return json_finish_batch(decoder, out, err);
}
