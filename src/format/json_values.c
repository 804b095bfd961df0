/** from_json: one value per text. */
#include "base/alloc.h"
#include "format/encoding.h"
#include "format/json_decoder_internal.h"
#include "types/utf8.h"

struct arus_json_values {
    const struct arus_type *type;
    struct json_read_settings settings; /* as given, but without source texts */
    struct arus_arena plan;
    struct arus_scan scan;             /* STRUCT: its fields are columns of a decoder */
    struct arus_json_decoder *decoder; /* STRUCT, else NULL */
    struct json_converter converter;   /* ARRAY and MAP */
    struct json_node node;
    struct arus_builder builder;
    struct arus_arena batch;
};

static enum arus_status open_struct(struct arus_json_values *values, const struct arus_zone *zone,
                                    struct arus_error *err)
{
    const struct arus_type *type = values->type;
    uint16_t *fields;

    ARUS_TRY(ARUS_NEW(&values->plan, uint16_t, type->field_count + 1u, &fields, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        const bool is_corrupt =
            arus_text_equal(type->fields[i].name, values->settings.corrupt_name);

        fields[i] = is_corrupt ? ARUS_SCAN_CORRUPT : i;
    }
    values->scan =
        (struct arus_scan){.schema = type, .output = type, .output_fields = fields, .zone = zone};
    ARUS_TRY(arus_json_decoder_open(&values->scan, &values->settings, &values->decoder, err));
    values->decoder->refuses_arrays = true;
    return ARUS_OK;
}

static enum arus_status open_list(struct arus_json_values *values, const struct arus_zone *zone,
                                  struct arus_error *err)
{
    json_converter_init(&values->converter, &values->settings, zone);
    ARUS_TRY(json_node_init(&values->node, values->type, &values->plan, err));
    return arus_builder_init(&values->builder, values->type, err);
}

enum arus_status arus_json_values_open(const struct arus_type *type, const void *settings,
                                       const struct arus_zone *zone, struct arus_json_values **out,
                                       struct arus_error *err)
{
    const struct json_read_settings *given = settings;
    struct arus_json_values *values;
    enum arus_status status;

    *out = NULL;
    if (given->mode == ARUS_DROPMALFORMED) {
        return arus_fail(err, ARUS_BAD_CONFIG, "PARSE_MODE_UNSUPPORTED",
                         "from_json knows the modes PERMISSIVE and FAILFAST");
    }
    values = arus_alloc(1, sizeof *values);
    if (values == NULL) {
        return arus_fail_memory(err);
    }
    values->type = type;
    values->settings = *given;
    values->settings.rules.reads_bytes = false; /* Spark hands the parser decoded characters */
    values->settings.encoding = ARUS_ENCODING_UTF_8;
    values->settings.line_separator = (struct arus_text){0};
    status = type->id == ARUS_TYPE_STRUCT ? open_struct(values, zone, err)
                                          : open_list(values, zone, err);
    if (status != ARUS_OK) {
        arus_json_values_close(values);
        return status;
    }
    *out = values;
    return ARUS_OK;
}

void arus_json_values_close(struct arus_json_values *values)
{
    if (values == NULL) {
        return;
    }
    arus_json_decoder_close(values->decoder);
    json_converter_release(&values->converter);
    if (values->builder.type != NULL) {
        arus_builder_release(&values->builder);
    }
    arus_arena_release(&values->plan);
    arus_arena_release(&values->batch);
    arus_free(values);
}

/* Text i, repaired to UTF-8. False: a null or blank. */
static enum arus_status text_of(struct arus_json_values *values, const struct arus_vector *texts,
                                uint32_t i, struct arus_text *out, struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(texts);
    struct arus_view view;
    size_t used;
    void *memory;

    *out = (struct arus_text){0};
    if (!arus_vector_is_valid(texts, i)) {
        return ARUS_OK;
    }
    view = ((const struct arus_view *)data->values)[arus_vector_at(texts, i)];
    for (uint32_t k = 0; k < view.size; k++) {
        if ((unsigned char)view.data[k] > ' ') {
            *out = arus_view_text(view);
            break;
        }
    }
    if (out->size == 0 || arus_utf8_is_valid(*out)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_alloc(&values->batch, arus_encoding_bound(ARUS_ENCODING_UTF_8, out->size),
                              &memory, err));
    out->size =
        arus_encoding_decode(ARUS_ENCODING_UTF_8, out->data, out->size, true, memory, &used);
    out->data = memory;
    return ARUS_OK;
}

/* ---- structs ---- */

static enum arus_status decode_structs(struct arus_json_values *values,
                                       const struct arus_vector *texts, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    struct arus_batch batch;

    ARUS_TRY(json_decoder_need_rows(values->decoder, texts->row_count, err));
    json_begin_batch(values->decoder);
    *out = (struct arus_vector){.type = values->type, .row_count = texts->row_count};
    for (uint32_t i = 0; i < texts->row_count; i++) {
        struct arus_text text;

        *bad_row = i;
        ARUS_TRY(text_of(values, texts, i, &text, err));
        if (text.size != 0) {
            ARUS_TRY(json_decode_document(values->decoder, text, err));
            continue;
        }
        ARUS_TRY(json_add_row(values->decoder, NULL, (struct arus_text){0}, err));
        ARUS_TRY(arus_vector_need_validity(out, &values->batch, err));
        arus_bit_clear(out->validity, i);
    }
    ARUS_TRY(json_finish_batch(values->decoder, &batch, err));
    out->children = batch.columns;
    return ARUS_OK;
}

/* ---- arrays and maps ---- */

/* An object where an array of structs is wanted counts as its one element. */
static enum json_outcome convert_single(struct arus_json_values *values, struct json_cell *out)
{
    struct json_cell *element;
    struct arus_error err;
    enum json_outcome outcome;

    if (ARUS_NEW(&values->converter.cells, struct json_cell, 1, &element, &err) != ARUS_OK) {
        values->converter.parser.is_out_of_memory = true;
        return JSON_FAILED;
    }
    outcome = json_convert(&values->converter, &values->node.children[0], element);
    out->is_valid = true;
    out->as.list.items = element;
    out->as.list.count = 1;
    return outcome;
}

static enum json_outcome convert_root(struct arus_json_values *values, struct arus_text text,
                                      struct json_cell *out)
{
    struct json_converter *converter = &values->converter;
    enum json_token token;
    enum json_outcome outcome;

    arus_arena_reset(&converter->cells);
    converter->first = (struct json_problem){0};
    *out = (struct json_cell){0};
    json_start(&converter->parser, text);
    token = json_next(&converter->parser);
    if (token == JSON_ERROR) {
        json_note_problem(converter, converter->parser.problem, NULL);
        return JSON_FAILED;
    }
    if (token == JSON_OBJECT && values->type->id == ARUS_TYPE_ARRAY &&
        values->node.children[0].type->id == ARUS_TYPE_STRUCT) {
        return convert_single(values, out);
    }
    outcome = json_convert(converter, &values->node, out);
    if (outcome == JSON_DONE && token == JSON_NULL) {
        json_note_problem(converter, "a null is no record", values->type);
        return JSON_FAILED;
    }
    return outcome;
}

static enum arus_status decode_list(struct arus_json_values *values, struct arus_text text,
                                    struct arus_error *err)
{
    static const struct json_cell NOTHING = {0};
    struct json_cell cell;
    const enum json_outcome outcome = convert_root(values, text, &cell);

    if (values->converter.parser.is_out_of_memory) {
        values->converter.parser.is_out_of_memory = false;
        return arus_fail_memory(err);
    }
    if (outcome != JSON_DONE && values->settings.mode == ARUS_FAILFAST) {
        return json_fail_record(&values->converter, text, err);
    }
    return json_append(&values->builder, outcome == JSON_FAILED ? &NOTHING : &cell, err);
}

static enum arus_status decode_lists(struct arus_json_values *values,
                                     const struct arus_vector *texts, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    arus_builder_reset(&values->builder);
    arus_arena_reset(&values->converter.texts);
    for (uint32_t i = 0; i < texts->row_count; i++) {
        struct arus_text text;

        *bad_row = i;
        ARUS_TRY(text_of(values, texts, i, &text, err));
        ARUS_TRY(text.size == 0 ? arus_builder_null(&values->builder, err)
                                : decode_list(values, text, err));
    }
    return arus_builder_finish(&values->builder, &values->batch, out, err);
}

enum arus_status arus_json_values_decode(struct arus_json_values *values,
                                         const struct arus_vector *texts, struct arus_vector *out,
                                         uint32_t *bad_row, struct arus_error *err)
{
    arus_arena_reset(&values->batch);
    return values->decoder != NULL ? decode_structs(values, texts, out, bad_row, err)
                                   : decode_lists(values, texts, out, bad_row, err);
}
