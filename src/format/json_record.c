/** One record by the exact path: rows, partial rows and bad records by mode. */
#include "format/encoding.h"
#include "format/json_decoder_internal.h"

/* A record in UTF-16 or UTF-32 without the option `encoding`: Jackson looks at its first bytes. */
static enum arus_status to_utf8(struct arus_json_decoder *decoder, struct arus_text *record,
                                struct arus_error *err)
{
    size_t mark_size = 0;
    size_t used;
    enum arus_encoding encoding;
    void *memory;

    if (record->size < 2 || decoder->settings->encoding != ARUS_ENCODING_AUTO ||
        (record->data[0] != '\0' && record->data[1] != '\0' &&
         (unsigned char)record->data[0] < 0xFE)) {
        return ARUS_OK;
    }
    encoding = arus_encoding_detect(ARUS_ENCODING_AUTO, record->data, record->size, &mark_size);
    if (encoding == ARUS_ENCODING_UTF_8) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_alloc(&decoder->converter.texts,
                              arus_encoding_bound(encoding, record->size), &memory, err));
    record->size = arus_encoding_decode(encoding, record->data + mark_size,
                                        record->size - mark_size, true, memory, &used);
    record->data = memory;
    return ARUS_OK;
}

enum record_kind { RECORD_BLANK, RECORD_ROW, RECORD_ROWS };

/* The whole record into `fields` or `rows`. */
static enum json_outcome convert_record(struct arus_json_decoder *decoder, enum record_kind *kind,
                                        struct json_cell *rows)
{
    struct json_converter *converter = &decoder->converter;
    const enum json_token token = json_next(&converter->parser);

    *kind = RECORD_ROW;
    if (token == JSON_NONE) {
        *kind = RECORD_BLANK;
        return JSON_DONE;
    }
    if (token == JSON_OBJECT) {
        memset(decoder->fields, 0, decoder->root.child_count * sizeof *decoder->fields);
        return json_convert_fields(converter, &decoder->root, decoder->fields);
    }
    if (token == JSON_ARRAY && !decoder->refuses_arrays) {
        *kind = RECORD_ROWS;
        return json_convert_elements(converter, &decoder->root, true, rows);
    }
    json_note_problem(
        converter, token == JSON_ERROR ? converter->parser.problem : "a record must be an object",
        NULL);
    return JSON_FAILED;
}

/* Room for one more row; memory may move. */
static enum arus_status need_row(struct arus_json_decoder *decoder, struct arus_error *err)
{
    if (decoder->row_count < decoder->row_capacity) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_NO_MEMORY, NULL, "a batch has more than %u rows",
                     decoder->row_capacity);
}

enum arus_status json_add_row(struct arus_json_decoder *decoder, const struct json_cell *fields,
                              struct arus_text corrupt, struct arus_error *err)
{
    static const struct json_cell NOTHING = {0};
    const uint32_t row = decoder->row_count;

    ARUS_TRY(need_row(decoder, err));
    for (uint32_t i = 0; i < decoder->root.child_count; i++) {
        const struct json_target *target = &decoder->targets[i];
        const struct json_cell *cell = fields == NULL ? &NOTHING : &fields[i];

        if (target->is_nested) {
            ARUS_TRY(json_append(target->builder, cell, err));
        } else {
            json_store(target->builder, row, cell);
        }
    }
    if (decoder->corrupt_column >= 0) {
        struct json_cell cell = {.is_valid = corrupt.data != NULL};

        if (cell.is_valid) {
            cell.as.view = arus_view_of(corrupt.data, corrupt.size);
        }
        json_store(&decoder->columns[decoder->corrupt_column], row, &cell);
    }
    decoder->row_count++;
    return json_trace_add(&decoder->trace, row, false, decoder->record, err);
}

enum arus_status json_take_pending(struct arus_json_decoder *decoder, uint32_t row_max,
                                   struct arus_error *err)
{
    struct json_pending *pending = &decoder->pending;
    const ptrdiff_t shift = decoder->trace.shift;

    if (pending->next == pending->count) {
        return ARUS_OK;
    }
    decoder->record = pending->record;
    decoder->trace.shift = pending->shift;
    while (pending->next < pending->count && decoder->row_count < row_max) {
        ARUS_TRY(json_add_row(decoder, pending->rows[pending->next].as.list.items, pending->corrupt,
                              err));
        pending->next++;
    }
    decoder->trace.shift = shift;
    return ARUS_OK;
}

enum arus_status json_fail_record(const struct json_converter *converter, struct arus_text record,
                                  struct arus_error *err)
{
    const struct json_problem *problem = &converter->first;
    uint64_t column = 1;
    struct arus_buffer name = {0};
    struct arus_error ignored;
    enum arus_status status;

    if (problem->type != NULL && arus_type_sql(problem->type, &name, &ignored) == ARUS_OK) {
        status =
            arus_fail(err, ARUS_BAD_DATA, "CANNOT_PARSE_JSON_FIELD",
                      "bad JSON: the value is no %.*s", ARUS_TEXT_ARGS(arus_buffer_text(&name)));
    } else {
        status =
            arus_fail(err, ARUS_BAD_DATA, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                      "bad JSON: %s", problem->text == NULL ? "malformed record" : problem->text);
    }
    arus_buffer_release(&name);
    if (problem->at >= record.data && problem->at <= record.data + record.size) {
        for (const char *at = record.data; at < problem->at; at++) {
            column += ((unsigned char)*at & 0xC0) != 0x80;
        }
        err->file.column = column > 1 && problem->type == NULL ? column - 1 : column;
    }
    (void)arus_error_note(err, "mode FAILFAST stops at the first bad record "
                               "[FAILED_READ_FILE.NO_HINT]");
    (void)arus_error_help(err, "fix the record, or mode 'PERMISSIVE' or 'DROPMALFORMED'");
    return status;
}

static enum arus_status take_bad(struct arus_json_decoder *decoder, struct arus_text record,
                                 bool is_partial, struct arus_error *err)
{
    switch (decoder->settings->mode) {
    case ARUS_PERMISSIVE:
        ARUS_TRY(json_trace_bad(&decoder->trace, record, false, err));
        return json_add_row(decoder, is_partial ? decoder->fields : NULL, record, err);
    case ARUS_DROPMALFORMED:
        decoder->stats.rejected_count++;
        return json_trace_bad(&decoder->trace, record, true, err);
    case ARUS_FAILFAST:
        decoder->bad_at = record.data;
        return json_fail_record(&decoder->converter, record, err);
    }
    return ARUS_OK;
}

/* Rows of an array wait in `pending`; the decoder gives them out batch by batch. */
static enum arus_status take_rows(struct arus_json_decoder *decoder, struct arus_text record,
                                  enum json_outcome outcome, const struct json_cell *rows,
                                  struct arus_error *err)
{
    const uint32_t count = outcome == JSON_FAILED ? 0 : rows->as.list.count;

    if (outcome != JSON_DONE && (decoder->settings->mode != ARUS_PERMISSIVE || count == 0)) {
        return take_bad(decoder, record, false, err);
    }
    decoder->pending = (struct json_pending){.rows = rows->as.list.items,
                                             .count = count,
                                             .record = record,
                                             .shift = decoder->trace.shift};
    if (outcome == JSON_PARTIAL) {
        decoder->pending.corrupt = record;
        ARUS_TRY(json_trace_bad(&decoder->trace, record, false, err));
    }
    return json_take_pending(decoder, decoder->row_capacity, err);
}

void json_note_surprise(struct arus_json_decoder *decoder, struct arus_text record)
{
    struct json_program learned;
    struct json_program *slot;

    if (!decoder->is_fast || ++decoder->surprise_count < decoder->surprise_limit) {
        return;
    }
    decoder->surprise_count = 0;
    decoder->surprise_limit = decoder->surprise_limit < 1024 ? decoder->surprise_limit * 2 : 1024;
    if (!json_program_learn(&learned, &decoder->fast, &decoder->root, record)) {
        return;
    }
    slot = &decoder->programs[decoder->program_next];
    json_program_release(slot);
    *slot = learned;
    decoder->fast.program = slot;
    decoder->program_next = (decoder->program_next + 1) % JSON_PROGRAM_COUNT_MAX;
    if (decoder->program_count < JSON_PROGRAM_COUNT_MAX) {
        decoder->program_count++;
    }
}

enum arus_status json_decode_record(struct arus_json_decoder *decoder, struct arus_text record,
                                    struct arus_error *err)
{
    struct json_converter *converter = &decoder->converter;
    struct arus_text text = record;
    struct json_cell rows = {0};
    enum record_kind kind;
    enum json_outcome outcome;

    decoder->record = record;
    arus_arena_reset(&converter->cells);
    converter->first = (struct json_problem){0};
    ARUS_TRY(to_utf8(decoder, &text, err));
    json_start(&converter->parser, text);
    outcome = convert_record(decoder, &kind, &rows);
    if (converter->parser.is_out_of_memory) {
        converter->parser.is_out_of_memory = false;
        return arus_fail_memory(err);
    }
    if (kind == RECORD_BLANK) {
        return ARUS_OK;
    }
    if (kind == RECORD_ROWS) {
        return take_rows(decoder, record, outcome, &rows, err);
    }
    if (outcome != JSON_DONE) {
        return take_bad(decoder, record, outcome == JSON_PARTIAL, err);
    }
    json_note_surprise(decoder, record);
    return json_add_row(decoder, decoder->fields, (struct arus_text){0}, err);
}
