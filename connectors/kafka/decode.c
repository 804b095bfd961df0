/** Decoders of keys and values, by format. */
#include "base/alloc.h"
#include "format/csv.h"
#include "format/csv_values.h"
#include "format/json.h"
#include "kafka/decode_internal.h"

const char *const ARUS_KAFKA_FORMATS[ARUS_KAFKA_FORMAT_COUNT + 1] = {"raw",  "json", "csv",
                                                                     "text", "avro", NULL};

/* ---- json ---- */

static enum arus_status json_open(struct arus_kafka_decoder *decoder, struct arus_error *err)
{
    struct arus_json_values *values;

    ARUS_TRY(
        arus_json_values_open(decoder->type, decoder->side->settings, decoder->zone, &values, err));
    decoder->state = values;
    return ARUS_OK;
}

static enum arus_status json_decode(struct arus_kafka_decoder *decoder,
                                    const struct arus_vector *bytes, struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    return arus_json_values_decode(decoder->state, bytes, out, bad_row, err);
}

static void json_close(struct arus_kafka_decoder *decoder)
{
    arus_json_values_close(decoder->state);
}

/* ---- csv ---- */

static enum arus_status csv_open(struct arus_kafka_decoder *decoder, struct arus_error *err)
{
    struct arus_csv_values *values;

    ARUS_TRY(arus_csv_values_open(decoder->side->columns, decoder->type, decoder->side->settings,
                                  decoder->zone, &values, err));
    decoder->state = values;
    return ARUS_OK;
}

static enum arus_status csv_decode(struct arus_kafka_decoder *decoder,
                                   const struct arus_vector *bytes, struct arus_vector *out,
                                   uint32_t *bad_row, struct arus_error *err)
{
    return arus_csv_values_decode(decoder->state, bytes, out, bad_row, err);
}

static void csv_close(struct arus_kafka_decoder *decoder)
{
    arus_csv_values_close(decoder->state);
}

static enum arus_status csv_check(struct arus_kafka_side *side, struct arus_place place,
                                  struct arus_arena *arena, struct arus_error *err)
{
    for (uint16_t i = 0; i < side->columns->field_count; i++) {
        const struct arus_field *field = &side->columns->fields[i];

        if (arus_type_is_nested(field->type) || field->type->id == ARUS_TYPE_BINARY) {
            return arus_fail_at(err, place, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                                "csv has no values for the column `%.*s`",
                                ARUS_TEXT_ARGS(field->name));
        }
    }
    return ARUS_FORMAT_CSV.check_read(side->settings, side->columns, arena, err);
}

static enum arus_status json_check(struct arus_kafka_side *side, struct arus_place place,
                                   struct arus_arena *arena, struct arus_error *err)
{
    (void)place;
    return ARUS_FORMAT_JSON.check_read(side->settings, side->columns, arena, err);
}

/* ---- text: the bytes as they are ---- */

static enum arus_status text_open(struct arus_kafka_decoder *decoder, struct arus_error *err)
{
    struct arus_vector *child;

    ARUS_TRY(ARUS_NEW(&decoder->plan, struct arus_vector, 1, &child, err));
    decoder->state = child;
    return ARUS_OK;
}

static enum arus_status text_decode(struct arus_kafka_decoder *decoder,
                                    const struct arus_vector *bytes, struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    struct arus_vector *child = decoder->state;

    (void)bad_row, (void)err;
    *child = *bytes;
    child->type = decoder->type->field_count > 0 ? decoder->type->fields[0].type : bytes->type;
    *out = (struct arus_vector){
        .type = decoder->type, .row_count = bytes->row_count, .children = child};
    return ARUS_OK;
}

static void nothing_to_close(struct arus_kafka_decoder *decoder)
{
    (void)decoder;
}

static enum arus_status text_check(struct arus_kafka_side *side, struct arus_place place,
                                   struct arus_arena *arena, struct arus_error *err)
{
    (void)arena;
    if (side->columns->field_count != 1 || !arus_type_is_view(side->columns->fields[0].type)) {
        return arus_fail_at(err, place, NULL, "the format text gives one STRING or BINARY column");
    }
    return ARUS_OK;
}

static const struct arus_kafka_codec JSON_CODEC = {.has_corrupt = true,
                                                   .check = json_check,
                                                   .open = json_open,
                                                   .decode = json_decode,
                                                   .close = json_close};
static const struct arus_kafka_codec CSV_CODEC = {.has_corrupt = true,
                                                  .check = csv_check,
                                                  .open = csv_open,
                                                  .decode = csv_decode,
                                                  .close = csv_close};
static const struct arus_kafka_codec TEXT_CODEC = {
    .check = text_check, .open = text_open, .decode = text_decode, .close = nothing_to_close};

static const struct arus_kafka_codec *const CODECS[ARUS_KAFKA_FORMAT_COUNT] = {
    [ARUS_KAFKA_JSON] = &JSON_CODEC,
    [ARUS_KAFKA_CSV] = &CSV_CODEC,
    [ARUS_KAFKA_TEXT] = &TEXT_CODEC,
    [ARUS_KAFKA_AVRO] = &ARUS_KAFKA_AVRO_CODEC,
};

/* The formats of files have their options in tables that are not constants of
 * this file. */
static const struct arus_format *file_format(enum arus_kafka_format format)
{
    return format == ARUS_KAFKA_JSON  ? &ARUS_FORMAT_JSON
           : format == ARUS_KAFKA_CSV ? &ARUS_FORMAT_CSV
                                      : NULL;
}

const struct arus_option *arus_kafka_codec_options(enum arus_kafka_format format)
{
    const struct arus_format *file = file_format(format);

    if (file != NULL) {
        return file->read_options;
    }
    return CODECS[format] == NULL ? NULL : CODECS[format]->options;
}

/* ---- binding ---- */

static enum arus_read_mode find_mode(const struct arus_settings *settings)
{
    const struct arus_setting *mode = arus_settings_find(settings, "mode");

    if (mode == NULL) {
        return ARUS_PERMISSIVE;
    }
    return arus_text_equal_nocase(mode->value, ARUS_TEXT("DROPMALFORMED")) ? ARUS_DROPMALFORMED
           : arus_text_equal_nocase(mode->value, ARUS_TEXT("FAILFAST"))    ? ARUS_FAILFAST
                                                                           : ARUS_PERMISSIVE;
}

/* Rows are dropped here, where key and value meet: the format itself only marks
 * them. */
static enum arus_status without_drop(const struct arus_settings *settings, enum arus_read_mode mode,
                                     struct arus_arena *arena, struct arus_settings *out,
                                     struct arus_error *err)
{
    struct arus_setting *items;

    ARUS_TRY(ARUS_NEW(arena, struct arus_setting, settings->count + 1, &items, err));
    out->items = items;
    out->count = 0;
    for (size_t i = 0; i < settings->count; i++) {
        if (mode != ARUS_DROPMALFORMED ||
            !arus_text_equal_nocase(settings->items[i].key, ARUS_TEXT("mode"))) {
            items[out->count++] = settings->items[i];
        }
    }
    return ARUS_OK;
}

static enum arus_status take_out(const struct arus_type *columns, struct arus_text name,
                                 struct arus_arena *arena, const struct arus_type **out,
                                 struct arus_error *err)
{
    struct arus_field *fields;
    uint16_t count = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, columns->field_count + 1u, &fields, err));
    for (uint16_t i = 0; i < columns->field_count; i++) {
        if (!arus_text_equal(columns->fields[i].name, name)) {
            fields[count++] = columns->fields[i];
        }
    }
    return arus_type_struct(fields, count, arena, out, err);
}

static enum arus_status bind_options(struct arus_kafka_side *side, enum arus_kafka_format format,
                                     const struct arus_settings *settings, struct arus_arena *arena,
                                     struct arus_error *err)
{
    const struct arus_option *const tables[] = {arus_kafka_codec_options(format), NULL};
    const struct arus_format *file = file_format(format);
    struct arus_settings rest;

    if (tables[0] == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_alloc(arena,
                              file != NULL ? file->read_settings_size : side->codec->settings_size,
                              &side->settings, err));
    ARUS_TRY(without_drop(settings, side->mode, arena, &rest, err));
    return arus_options_parse(tables, &rest, ARUS_KAFKA_FORMATS[format], arena, side->settings,
                              err);
}

enum arus_status arus_kafka_side_bind(struct arus_kafka_side *side, enum arus_kafka_format format,
                                      const struct arus_settings *settings,
                                      const struct arus_type *columns, struct arus_place place,
                                      struct arus_arena *arena, struct arus_error *err)
{
    const struct arus_setting *named = arus_settings_find(settings, "columnNameOfCorruptRecord");

    side->codec = CODECS[format];
    side->columns = columns;
    side->mode = find_mode(settings);
    if (side->codec->has_corrupt) {
        side->corrupt = named == NULL ? ARUS_TEXT("_corrupt_record") : named->value;
        ARUS_TRY(take_out(columns, side->corrupt, arena, &side->columns, err));
    }
    ARUS_TRY(bind_options(side, format, settings, arena, err));
    return side->codec->check == NULL ? ARUS_OK : side->codec->check(side, place, arena, err);
}

void arus_kafka_decoder_use(struct arus_kafka_decoder *decoder, struct arus_registry *registry)
{
    decoder->registry = registry;
}

/* ---- decoding ---- */

/* Where bad rows must be known, the corrupt record is asked for even if nobody wants to see it. */
static enum arus_status add_corrupt(struct arus_kafka_decoder *decoder, struct arus_error *err)
{
    const struct arus_type *wanted = decoder->wanted;
    struct arus_field *fields;

    decoder->type = wanted;
    decoder->corrupt = arus_type_find(wanted, decoder->side->corrupt);
    if ((decoder->side->mode != ARUS_DROPMALFORMED && !decoder->marks_bad) ||
        decoder->corrupt >= 0 || !decoder->side->codec->has_corrupt) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&decoder->plan, struct arus_field, wanted->field_count + 1u, &fields, err));
    for (uint16_t i = 0; i < wanted->field_count; i++) {
        fields[i] = wanted->fields[i];
    }
    decoder->corrupt = wanted->field_count;
    fields[wanted->field_count] = (struct arus_field){
        .name = decoder->side->corrupt, .type = &ARUS_STRING, .is_nullable = true};
    return arus_type_struct(fields, (uint16_t)(wanted->field_count + 1), &decoder->plan,
                            &decoder->type, err);
}

enum arus_status arus_kafka_decoder_open(const struct arus_kafka_side *side,
                                         const struct arus_type *wanted, bool marks_bad,
                                         const struct arus_zone *zone,
                                         struct arus_kafka_decoder **out, struct arus_error *err)
{
    struct arus_kafka_decoder *decoder = arus_alloc(1, sizeof *decoder);
    enum arus_status status;

    *out = NULL;
    if (decoder == NULL) {
        return arus_fail_memory(err);
    }
    decoder->side = side;
    decoder->wanted = wanted;
    decoder->marks_bad = marks_bad;
    decoder->zone = zone;
    status = add_corrupt(decoder, err);
    if (status == ARUS_OK) {
        status = side->codec->open(decoder, err);
    }
    if (status != ARUS_OK) {
        arus_arena_release(&decoder->plan);
        arus_free(decoder);
        return status;
    }
    *out = decoder;
    return ARUS_OK;
}

void arus_kafka_decoder_close(struct arus_kafka_decoder *decoder)
{
    if (decoder == NULL) {
        return;
    }
    decoder->side->codec->close(decoder);
    arus_arena_release(&decoder->plan);
    arus_free(decoder);
}

enum arus_status arus_kafka_decode(struct arus_kafka_decoder *decoder,
                                   const struct arus_vector *bytes, struct arus_vector **columns,
                                   uint64_t *dropped, uint64_t *bad, uint32_t *bad_row,
                                   struct arus_error *err)
{
    const bool drops = decoder->side->mode == ARUS_DROPMALFORMED;

    ARUS_TRY(decoder->side->codec->decode(decoder, bytes, &decoder->rows, bad_row, err));
    *columns = decoder->rows.children;
    if ((!drops && !decoder->marks_bad) || decoder->corrupt < 0) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < bytes->row_count; i++) {
        if (arus_vector_is_valid(&decoder->rows.children[decoder->corrupt], i)) {
            arus_bit_set(bad, i);
            if (drops) {
                arus_bit_set(dropped, i);
            }
        }
    }
    return ARUS_OK;
}
