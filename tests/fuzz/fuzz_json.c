/** Any bytes through all three paths: same rows, no crash. */
#include "base/alloc.h"
#include "column/value.h"
#include "format/json_decoder_internal.h"

#include <stdint.h>
#include <stdlib.h>

enum path { PATH_EXACT, PATH_PORTABLE, PATH_BEST };

static void check(enum arus_status status)
{
    if (status != ARUS_OK) {
        abort();
    }
}

static void show(const struct arus_batch *batch, struct arus_buffer *out)
{
    struct arus_error err;

    for (uint32_t i = 0; i < batch->row_count; i++) {
        for (uint16_t k = 0; k < batch->schema->field_count; k++) {
            check(arus_value_text(&batch->columns[k], i, ARUS_ZONE_UTC, out, &err));
            check(arus_buffer_append_char(out, '|', &err));
        }
    }
}

static void decode(const struct arus_scan *scan, const void *settings, enum path path,
                   struct arus_text text, struct arus_buffer *out)
{
    struct arus_json_decoder *decoder;
    struct arus_batch batch;
    struct arus_error err;
    size_t at = 0;

    check(arus_json_decoder_open(scan, settings, &decoder, &err));
    decoder->is_fast &= path != PATH_EXACT;
    if (path == PATH_PORTABLE) {
        decoder->rows = json_rows_portable;
        decoder->any_row = json_any_row_portable;
    }
    while (at < text.size || json_has_pending(decoder)) {
        check(arus_json_decode(decoder, text, &at, 100, &batch, &err));
        show(&batch, out);
    }
    arus_json_decoder_close(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char DDL[] = "a INT, b STRING, c DOUBLE, t TIMESTAMP, d DATE, n DECIMAL(10,2), "
                              "v BINARY, r ARRAY<STRING>, s STRUCT<x: INT, y: STRING>, "
                              "m MAP<STRING, DOUBLE>, _corrupt_record STRING";
    static const uint16_t FIELDS[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ARUS_SCAN_CORRUPT};
    const struct arus_option *const tables[] = {JSON_READ_OPTIONS, NULL};
    const struct arus_settings none = {0};
    struct arus_arena arena = {0};
    struct arus_buffer shown[3] = {0};
    const struct arus_type *schema;
    struct arus_error err;
    void *settings;
    char *text = arus_alloc(size + 64, 1);

    if (size != 0) {
        memcpy(text, data, size);
    }
    check(arus_arena_alloc(&arena, sizeof(struct json_read_settings), &settings, &err));
    check(arus_options_parse(tables, &none, "json", &arena, settings, &err));
    check(arus_type_parse_ddl(ARUS_TEXT(DDL), &arena, &schema, &err));
    check(json_check_read(settings, schema, &arena, &err));
    for (enum path path = PATH_EXACT; path <= PATH_BEST; path++) {
        const struct arus_scan scan = {
            .schema = schema, .output = schema, .output_fields = FIELDS, .zone = ARUS_ZONE_UTC};

        decode(&scan, settings, path, (struct arus_text){text, size}, &shown[path]);
    }
    if (!arus_text_equal(arus_buffer_text(&shown[0]), arus_buffer_text(&shown[1])) ||
        !arus_text_equal(arus_buffer_text(&shown[0]), arus_buffer_text(&shown[2]))) {
        abort();
    }
    for (int i = 0; i < 3; i++) {
        arus_buffer_release(&shown[i]);
    }
    arus_free(text);
    arus_arena_release(&arena);
    return 0;
}
