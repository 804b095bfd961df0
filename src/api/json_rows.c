#include "api/json_rows.h"

#include "format/json.h"

#define PADDING 64 /* bytes behind the text that the decoder may look at */

struct reading {
    struct arus_arena arena;
    struct arus_scan scan;
    void *settings;
    struct arus_buffer text;
    struct arus_json_decoder *decoder;
};

static enum arus_status parse_settings(struct reading *reading, const struct arus_type *schema,
                                       struct arus_error *err)
{
    const struct arus_option *const tables[] = {ARUS_FORMAT_JSON.read_options, NULL};
    const struct arus_setting fail_fast = {.key = ARUS_TEXT("mode"),
                                           .value = ARUS_TEXT("FAILFAST")};
    const struct arus_settings settings = {&fail_fast, 1};

    ARUS_TRY(arus_arena_alloc(&reading->arena, ARUS_FORMAT_JSON.read_settings_size,
                              &reading->settings, err));
    ARUS_TRY(
        arus_options_parse(tables, &settings, "rows", &reading->arena, reading->settings, err));
    return ARUS_FORMAT_JSON.check_read(reading->settings, schema, &reading->arena, err);
}

static enum arus_status open_reading(struct reading *reading, const struct arus_type *schema,
                                     const struct arus_zone *zone, struct arus_text lines,
                                     struct arus_error *err)
{
    uint16_t *fields;

    ARUS_TRY(parse_settings(reading, schema, err));
    ARUS_TRY(ARUS_NEW(&reading->arena, uint16_t, (size_t)schema->field_count + 1, &fields, err));
    for (uint16_t i = 0; i < schema->field_count; i++) {
        fields[i] = i;
    }
    reading->scan = (struct arus_scan){
        .schema = schema, .output = schema, .output_fields = fields, .zone = zone, .is_ansi = true};
    ARUS_TRY(arus_buffer_reserve(&reading->text, lines.size + PADDING, err));
    memset(reading->text.data + lines.size, 0, PADDING);
    ARUS_TRY(arus_buffer_append_text(&reading->text, lines, err));
    return arus_json_decoder_open(&reading->scan, reading->settings, &reading->decoder, err);
}

static enum arus_status read_all(struct reading *reading, struct arus_chunk_rows *chunk,
                                 struct arus_error *err)
{
    const struct arus_text text = arus_buffer_text(&reading->text);
    size_t at = 0;

    while (at < text.size) {
        struct arus_batch batch;

        ARUS_TRY(arus_json_decode(reading->decoder, text, &at, ARUS_BATCH_ROWS, &batch, err));
        ARUS_TRY(arus_chunk_rows_append(chunk, &batch, err));
    }
    return ARUS_OK;
}

enum arus_status arus_json_rows_read(const struct arus_type *schema, const struct arus_zone *zone,
                                     struct arus_text lines, struct arus_chunk_rows **out,
                                     struct arus_error *err)
{
    struct reading reading = {0};
    enum arus_status status = arus_chunk_rows_make(schema, out, err);

    if (status == ARUS_OK) {
        status = open_reading(&reading, schema, zone, lines, err);
    }
    if (status == ARUS_OK) {
        status = read_all(&reading, *out, err);
    }
    if (status != ARUS_OK) {
        arus_chunk_rows_drop(*out);
        *out = NULL;
    }
    arus_json_decoder_close(reading.decoder);
    arus_buffer_release(&reading.text);
    arus_arena_release(&reading.arena);
    return status;
}
