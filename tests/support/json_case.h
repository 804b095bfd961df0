/** Runs the JSON decoder on a text and shows its rows, one a line, columns with `|` between. */
#ifndef ARUS_TESTS_SUPPORT_JSON_CASE_H
#define ARUS_TESTS_SUPPORT_JSON_CASE_H

#include "base/alloc.h"
#include "column/value.h"
#include "format/json.h"
#include "format/json_decoder_internal.h"

#include <criterion/criterion.h>

#include <string.h>

/** Which path must decode. */
enum json_path { JSON_ANY_PATH, JSON_EXACT_PATH, JSON_PORTABLE_PATH };

struct json_case {
    struct arus_arena arena;
    struct arus_scan scan;
    void *settings;
    struct arus_buffer shown;
    struct arus_error err;
};

/** Options are given as "name=value" texts, NULL-terminated, at most 8. */
static inline void *json_case_settings(struct arus_arena *arena, const struct arus_option *options,
                                       size_t size, const char *const *given,
                                       struct arus_error *err)
{
    const struct arus_option *const tables[] = {options, NULL};
    struct arus_setting items[8] = {0};
    struct arus_settings settings = {.items = items};
    void *memory = NULL;

    for (; given != NULL && given[settings.count] != NULL; settings.count++) {
        const char *text = given[settings.count];
        const char *equals = strchr(text, '=');

        items[settings.count].key = (struct arus_text){text, (size_t)(equals - text)};
        items[settings.count].value = arus_text_of(equals + 1);
    }
    cr_assert_eq(arus_arena_alloc(arena, size, &memory, err), ARUS_OK);
    cr_assert_eq(arus_options_parse(tables, &settings, "a json source", arena, memory, err),
                 ARUS_OK, "%s", err->message);
    return memory;
}

static inline void json_case_open(struct json_case *c, const char *ddl, const char *const *given)
{
    const struct arus_type *schema = NULL;
    uint16_t *fields = NULL;

    *c = (struct json_case){0};
    c->settings = json_case_settings(&c->arena, ARUS_FORMAT_JSON.read_options,
                                     ARUS_FORMAT_JSON.read_settings_size, given, &c->err);
    cr_assert_eq(arus_type_parse_ddl(arus_text_of(ddl), &c->arena, &schema, &c->err), ARUS_OK, "%s",
                 c->err.message);
    cr_assert_eq(ARUS_NEW(&c->arena, uint16_t, schema->field_count + 1u, &fields, &c->err),
                 ARUS_OK);
    for (uint16_t i = 0; i < schema->field_count; i++) {
        const bool is_corrupt =
            arus_text_equal(schema->fields[i].name, ARUS_TEXT("_corrupt_record"));

        fields[i] = is_corrupt ? ARUS_SCAN_CORRUPT : i;
    }
    cr_assert_eq(ARUS_FORMAT_JSON.check_read(c->settings, schema, &c->arena, &c->err), ARUS_OK,
                 "%s", c->err.message);
    c->scan = (struct arus_scan){
        .schema = schema, .output = schema, .output_fields = fields, .zone = ARUS_ZONE_UTC};
}

static inline void json_case_close(struct json_case *c)
{
    arus_buffer_release(&c->shown);
    arus_arena_release(&c->arena);
}

static inline void json_case_show(struct json_case *c, const struct arus_batch *batch)
{
    for (uint32_t i = 0; i < batch->row_count; i++) {
        for (uint16_t k = 0; k < batch->schema->field_count; k++) {
            if (k != 0) {
                cr_assert_eq(arus_buffer_append_char(&c->shown, '|', &c->err), ARUS_OK);
            }
            cr_assert_eq(arus_value_text(&batch->columns[k], i, ARUS_ZONE_UTC, &c->shown, &c->err),
                         ARUS_OK);
        }
        cr_assert_eq(arus_buffer_append_char(&c->shown, '\n', &c->err), ARUS_OK);
    }
}

/** Decodes `text` as lines; the rows are shown in c->shown. Returns the status of the first
 * failure. */
static inline enum arus_status json_case_decode(struct json_case *c, enum json_path path,
                                                struct arus_text text, uint32_t row_max)
{
    struct arus_json_decoder *decoder = NULL;
    char *memory = arus_alloc(text.size + 64, 1);
    enum arus_status status;
    size_t at = 0;

    arus_buffer_reset(&c->shown);
    memcpy(memory, text.data, text.size);
    status = arus_json_decoder_open(&c->scan, c->settings, &decoder, &c->err);
    cr_assert_eq(status, ARUS_OK, "%s", c->err.message);
    decoder->is_fast &= path != JSON_EXACT_PATH;
    if (path == JSON_PORTABLE_PATH) {
        decoder->rows = json_rows_portable;
        decoder->any_row = json_any_row_portable;
    }
    while (status == ARUS_OK && (at < text.size || json_has_pending(decoder))) {
        struct arus_batch batch;

        status = arus_json_decode(decoder, (struct arus_text){memory, text.size}, &at, row_max,
                                  &batch, &c->err);
        if (status == ARUS_OK) {
            json_case_show(c, &batch);
        }
    }
    arus_json_decoder_close(decoder);
    arus_free(memory);
    return status;
}

/** The shown rows as a C string. */
static inline const char *json_case_text(struct json_case *c)
{
    cr_assert_eq(arus_buffer_append_char(&c->shown, '\0', &c->err), ARUS_OK);
    c->shown.size--;
    return c->shown.data;
}

#endif
