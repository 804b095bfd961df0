/** Avro messages: with a schema registry (a zero byte, the schema's id, the
 * value), or bare. */
#include "base/alloc.h"
#include "format/avro_read.h"
#include "kafka/decode_internal.h"
#include "kafka/registry.h"

#define FRAME_SIZE 5

struct avro_settings {
    struct arus_text schema;
    struct arus_text mode;
    struct arus_registry_config registry;
    const struct arus_avro *writer; /* of bare messages */
};

#define AT(field) offsetof(struct avro_settings, field)
#define ANY       INT64_MIN

static const struct arus_option OPTIONS[] = {
    {"avroSchema", ARUS_OPTION_TEXT, AT(schema), NULL,
     "Schema of bare messages; else the one that the columns give.", NULL, ANY, NULL},
    {"mode", ARUS_OPTION_TEXT, AT(mode), "PERMISSIVE",
     "Bad messages: PERMISSIVE gives nulls, DROPMALFORMED drops them, FAILFAST "
     "stops.",
     NULL, ANY, NULL},
    {"schema.registry.url", ARUS_OPTION_TEXT, AT(registry.url), NULL,
     "Schema registry: messages carry the id of their schema.", NULL, ANY, NULL},
    {"schema.registry.basic.auth.user.info", ARUS_OPTION_TEXT, AT(registry.user_info), NULL,
     "user:password, better as ${env:NAME} or ${file:PATH}.", NULL, ANY, NULL},
    {"schema.registry.bearer.auth.token", ARUS_OPTION_TEXT, AT(registry.token), NULL,
     "Bearer token, better as ${env:NAME} or ${file:PATH}.", NULL, ANY, NULL},
    {"schema.registry.ssl.ca.location", ARUS_OPTION_TEXT, AT(registry.ca), NULL,
     "PEM file of the registry's authority.", NULL, ANY, NULL},
    {"schema.registry.ssl.certificate.location", ARUS_OPTION_TEXT, AT(registry.certificate), NULL,
     "PEM file of our certificate.", NULL, ANY, NULL},
    {"schema.registry.ssl.key.location", ARUS_OPTION_TEXT, AT(registry.key), NULL,
     "PEM file of its key.", NULL, ANY, NULL},
    {0},
};

static enum arus_status avro_check(struct arus_kafka_side *side, struct arus_place place,
                                   struct arus_arena *arena, struct arus_error *err)
{
    struct avro_settings *settings = side->settings;

    settings->registry.place = place;
    settings->registry.folder = side->folder;
    if (settings->registry.url.size > 0) {
        return ARUS_OK;
    }
    if (settings->schema.size > 0) {
        if (arus_avro_parse(settings->schema, arena, &settings->writer, err) != ARUS_OK) {
            return arus_error_at(err, place);
        }
        return ARUS_OK;
    }
    return arus_avro_of(side->columns, false, arena, &settings->writer, err);
}

const struct arus_registry_config *arus_kafka_side_registry(const struct arus_kafka_side *side)
{
    const struct avro_settings *settings = side->settings;

    return side->codec == &ARUS_KAFKA_AVRO_CODEC && settings->registry.url.size > 0
               ? &settings->registry
               : NULL;
}

/* ---- decoding ---- */

/* The plan of one writer's schema. */
struct planned {
    uint32_t id;
    const struct arus_avro_plan *plan;
};

struct avro_state {
    struct arus_builder builder;
    const struct arus_avro_plan *bare; /* of messages without an id */
    struct planned *items;             /* owned */
    size_t count;
    size_t capacity;
    const struct planned *last; /* the one used last, mostly the one used next */
    struct arus_arena batch;
};

static void avro_close(struct arus_kafka_decoder *decoder)
{
    struct avro_state *state = decoder->state;

    if (state == NULL) {
        return;
    }
    if (state->builder.type != NULL) {
        arus_builder_release(&state->builder);
    }
    arus_arena_release(&state->batch);
    arus_free(state->items);
    arus_free(state);
}

static enum arus_status fill_state(struct arus_kafka_decoder *decoder, struct arus_error *err)
{
    const struct avro_settings *settings = decoder->side->settings;
    struct avro_state *state = decoder->state;

    ARUS_TRY(arus_builder_init(&state->builder, decoder->type, err));
    return settings->writer == NULL ? ARUS_OK
                                    : arus_avro_plan_make(settings->writer, decoder->type,
                                                          &decoder->plan, &state->bare, err);
}

static enum arus_status avro_open(struct arus_kafka_decoder *decoder, struct arus_error *err)
{
    struct avro_state *state = arus_alloc(1, sizeof *state);

    if (state == NULL) {
        return arus_fail_memory(err);
    }
    decoder->state = state;
    if (fill_state(decoder, err) != ARUS_OK) {
        avro_close(decoder);
        return err->status;
    }
    return ARUS_OK;
}

static enum arus_status keep_plan(struct avro_state *state, uint32_t id,
                                  const struct arus_avro_plan *plan, struct arus_error *err)
{
    if (state->count == state->capacity) {
        const size_t capacity = state->capacity * 2 + 8;
        struct planned *items = arus_realloc(state->items, capacity * sizeof *items);

        if (items == NULL) {
            return arus_fail_memory(err);
        }
        state->items = items;
        state->capacity = capacity;
    }
    state->items[state->count] = (struct planned){id, plan};
    state->last = &state->items[state->count++];
    return ARUS_OK;
}

static enum arus_status find_plan(struct arus_kafka_decoder *decoder, uint32_t id,
                                  const struct arus_avro_plan **out, struct arus_error *err)
{
    struct avro_state *state = decoder->state;
    const struct arus_avro *writer;
    struct arus_text schema;

    for (size_t i = 0; (state->last == NULL || state->last->id != id) && i < state->count; i++) {
        if (state->items[i].id == id) {
            state->last = &state->items[i];
        }
    }
    if (state->last == NULL || state->last->id != id) {
        ARUS_TRY(arus_registry_schema(decoder->registry, id, &schema, err));
        if (arus_avro_parse(schema, &decoder->plan, &writer, err) != ARUS_OK ||
            arus_avro_plan_make(writer, decoder->type, &decoder->plan, out, err) != ARUS_OK) {
            err->status = ARUS_BAD_DATA; /* of this message, not of the pipeline */
            return arus_error_wrap(err, "schema %u", id);
        }
        ARUS_TRY(keep_plan(state, id, *out, err));
    }
    *out = state->last->plan;
    return ARUS_OK;
}

/* Takes the frame off a message of a registry. */
static enum arus_status open_frame(struct arus_kafka_decoder *decoder, struct arus_text *bytes,
                                   const struct arus_avro_plan **plan, struct arus_error *err)
{
    const unsigned char *data = (const unsigned char *)bytes->data;

    if (decoder->registry == NULL) {
        *plan = ((const struct avro_state *)decoder->state)->bare;
        return ARUS_OK;
    }
    if (bytes->size < FRAME_SIZE || data[0] != 0) {
        return arus_fail(err, ARUS_BAD_DATA, "MALFORMED_AVRO_MESSAGE",
                         "no message of a schema registry: it begins with a zero "
                         "byte and 4 bytes "
                         "of the schema's id");
    }
    ARUS_TRY(find_plan(decoder,
                       (uint32_t)data[1] << 24 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 8 |
                           data[4],
                       plan, err));
    bytes->data += FRAME_SIZE;
    bytes->size -= FRAME_SIZE;
    return ARUS_OK;
}

static enum arus_status read_row(struct arus_kafka_decoder *decoder, struct arus_text bytes,
                                 struct arus_error *err)
{
    struct avro_state *state = decoder->state;
    const struct arus_avro_plan *plan;

    ARUS_TRY(open_frame(decoder, &bytes, &plan, err));
    return arus_avro_plan_read(plan, bytes, &state->builder, err);
}

/* A bad message becomes nulls, unless mode is FAILFAST. Where bad ones are
 * dropped, the hidden column says so. */
static enum arus_status put_bad(struct arus_kafka_decoder *decoder, uint32_t row,
                                struct arus_text bytes, struct arus_error *err)
{
    struct avro_state *state = decoder->state;

    if (decoder->side->mode == ARUS_FAILFAST) {
        return err->status;
    }
    arus_builder_truncate(&state->builder, row);
    if (decoder->corrupt < 0) {
        return arus_builder_null(&state->builder, err);
    }
    for (uint16_t i = 0; i < decoder->type->field_count; i++) {
        const struct arus_view view = arus_view_of(bytes.data, bytes.size);

        ARUS_TRY(i == decoder->corrupt ? arus_builder_value(&state->builder.children[i], &view, err)
                                       : arus_builder_null(&state->builder.children[i], err));
    }
    return arus_builder_struct(&state->builder, err);
}

static enum arus_status avro_decode(struct arus_kafka_decoder *decoder,
                                    const struct arus_vector *bytes, struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    struct avro_state *state = decoder->state;
    const struct arus_view *views = bytes->values;

    arus_builder_reset(&state->builder);
    arus_arena_reset(&state->batch);
    for (uint32_t i = 0; i < bytes->row_count; i++) {
        enum arus_status status;

        *bad_row = i;
        if (!arus_bit_get(bytes->validity, i)) {
            ARUS_TRY(arus_builder_null(&state->builder, err));
            continue;
        }
        status = read_row(decoder, arus_view_text(views[i]), err);
        if (status == ARUS_BAD_DATA) {
            status = put_bad(decoder, i, arus_view_text(views[i]), err);
        }
        ARUS_TRY(status);
    }
    return arus_builder_finish(&state->builder, &state->batch, out, err);
}

const struct arus_kafka_codec ARUS_KAFKA_AVRO_CODEC = {.options = OPTIONS,
                                                       .settings_size =
                                                           sizeof(struct avro_settings),
                                                       .has_corrupt = true,
                                                       .check = avro_check,
                                                       .open = avro_open,
                                                       .decode = avro_decode,
                                                       .close = avro_close};
