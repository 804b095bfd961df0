/** Columns out of messages. */
#include "kafka/message.h"

#include "column/value.h"

struct bytes {
    const void *data; /* NULL: no value */
    size_t size;
};

static struct bytes side_of(const rd_kafka_message_t *message, bool is_key)
{
    return is_key ? (struct bytes){message->key, message->key_len}
                  : (struct bytes){message->payload, message->len};
}

/* Key or value: all bytes go into one block, so that the messages can be given
 * back. */
static enum arus_status fill_bytes(const struct arus_kafka_messages *messages, bool is_key,
                                   struct arus_arena *arena, struct arus_vector *out,
                                   struct arus_error *err)
{
    struct arus_view *views;
    size_t total = 0;
    void *block;
    char *at;

    ARUS_TRY(arus_vector_init(out, &ARUS_BINARY, messages->count, arena, err));
    for (uint32_t i = 0; i < messages->count; i++) {
        const struct bytes bytes = side_of(messages->items[i], is_key);

        total += bytes.data == NULL ? 0 : bytes.size;
    }
    ARUS_TRY(arus_arena_buffer(arena, total + 1, &block, err));
    at = block;
    views = out->values;
    for (uint32_t i = 0; i < messages->count; i++) {
        const struct bytes bytes = side_of(messages->items[i], is_key);

        if (bytes.data == NULL) {
            ARUS_TRY(arus_vector_need_validity(out, arena, err));
            arus_bit_clear(out->validity, i);
            views[i] = (struct arus_view){.data = at};
            continue;
        }
        memcpy(at, bytes.data, bytes.size);
        views[i] = arus_view_of(at, bytes.size);
        at += bytes.size;
    }
    return ARUS_OK;
}

static enum arus_status fill_numbers(const struct arus_kafka_messages *messages,
                                     enum arus_kafka_column column, const struct arus_type *type,
                                     struct arus_arena *arena, struct arus_vector *out,
                                     struct arus_error *err)
{
    int64_t *longs;
    int32_t *ints;

    ARUS_TRY(arus_vector_init(out, type, messages->count, arena, err));
    longs = out->values;
    ints = out->values;
    for (uint32_t i = 0; i < messages->count; i++) {
        const rd_kafka_message_t *message = messages->items[i];
        rd_kafka_timestamp_type_t kind;

        if (column == ARUS_KAFKA_OFFSET) {
            longs[i] = message->offset;
        } else if (column == ARUS_KAFKA_TIMESTAMP) { /* microseconds; Java wraps likewise */
            longs[i] = (int64_t)((uint64_t)arus_rdkafka.message_timestamp(message, &kind) * 1000);
        } else {
            (void)arus_rdkafka.message_timestamp(message, &kind);
            ints[i] = kind == RD_KAFKA_TIMESTAMP_CREATE_TIME       ? 0
                      : kind == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME ? 1
                                                                   : -1;
        }
    }
    return ARUS_OK;
}

/* ---- headers ---- */

static uint32_t header_count(const rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers;

    return arus_rdkafka.message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR
               ? (uint32_t)arus_rdkafka.header_cnt(headers)
               : 0;
}

/* One header into row `row` of the STRUCT's children. */
static enum arus_status put_header(const rd_kafka_headers_t *headers, size_t index,
                                   struct arus_vector *element, uint32_t row,
                                   struct arus_arena *arena, struct arus_error *err)
{
    const char *name = "";
    struct arus_text value = {0};
    const void *data = NULL;

    (void)arus_rdkafka.header_get_all(headers, index, &name, &data, &value.size);
    value.data = data;
    for (uint16_t f = 0; f < element->type->field_count; f++) {
        struct arus_vector *child = &element->children[f];
        const bool is_key = arus_text_equal_nocase(element->type->fields[f].name, ARUS_TEXT("key"));
        struct arus_text copy = is_key ? arus_text_of(name) : value;

        if (copy.data == NULL) {
            ARUS_TRY(arus_vector_need_validity(child, arena, err));
            arus_bit_clear(child->validity, row);
            ((struct arus_view *)child->values)[row] = (struct arus_view){.data = ""};
            continue;
        }
        ARUS_TRY(arus_text_copy(copy, arena, &copy, err));
        ((struct arus_view *)child->values)[row] = arus_view_of(copy.data, copy.size);
    }
    return ARUS_OK;
}

/* Null for a message without headers, as Spark. */
static enum arus_status fill_headers(const struct arus_kafka_messages *messages,
                                     const struct arus_type *type, struct arus_arena *arena,
                                     struct arus_vector *out, struct arus_error *err)
{
    struct arus_span *spans;
    uint32_t total = 0;

    ARUS_TRY(arus_vector_init(out, type, messages->count, arena, err));
    spans = out->values;
    for (uint32_t i = 0; i < messages->count; i++) {
        spans[i] = (struct arus_span){total, header_count(messages->items[i])};
        total += spans[i].count;
    }
    ARUS_TRY(arus_vector_init(&out->children[0], type->fields[0].type, total, arena, err));
    for (uint32_t i = 0; i < messages->count; i++) {
        rd_kafka_headers_t *headers = NULL;

        if (spans[i].count == 0) {
            ARUS_TRY(arus_vector_need_validity(out, arena, err));
            arus_bit_clear(out->validity, i);
            continue;
        }
        (void)arus_rdkafka.message_headers(messages->items[i], &headers);
        for (uint32_t h = 0; h < spans[i].count; h++) {
            ARUS_TRY(put_header(headers, h, &out->children[0], spans[i].begin + h, arena, err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_message_column(const struct arus_kafka_messages *messages,
                                           enum arus_kafka_column column,
                                           const struct arus_type *type, struct arus_arena *arena,
                                           struct arus_vector *out, struct arus_error *err)
{
    switch (column) {
    case ARUS_KAFKA_KEY:
    case ARUS_KAFKA_VALUE:
        return fill_bytes(messages, column == ARUS_KAFKA_KEY, arena, out, err);
    case ARUS_KAFKA_TOPIC: {
        const struct arus_view view = arus_view_of(messages->topic.data, messages->topic.size);

        return arus_value_make(&ARUS_STRING, &view, messages->count, arena, out, err);
    }
    case ARUS_KAFKA_PARTITION:
        return arus_value_make(&ARUS_INT, &messages->partition, messages->count, arena, out, err);
    case ARUS_KAFKA_OFFSET:
    case ARUS_KAFKA_TIMESTAMP:
    case ARUS_KAFKA_TIMESTAMP_TYPE:
        return fill_numbers(messages, column, type, arena, out, err);
    case ARUS_KAFKA_HEADERS:
        return fill_headers(messages, type, arena, out, err);
    case ARUS_KAFKA_COLUMN_COUNT:
        break;
    }
    return arus_fail(err, ARUS_FATAL, NULL, "no such column of a message");
}

enum arus_status arus_kafka_message_metadata(const struct arus_kafka_messages *messages,
                                             const struct arus_type *type, struct arus_arena *arena,
                                             struct arus_vector *out, struct arus_error *err)
{
    *out = (struct arus_vector){.type = type, .row_count = messages->count};
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, type->field_count + 1u, &out->children, err));
    for (uint16_t f = 0; f < type->field_count; f++) {
        for (int column = 0; column < ARUS_KAFKA_COLUMN_COUNT; column++) {
            if (arus_text_equal_nocase(ARUS_KAFKA_FIELDS[column].name, type->fields[f].name)) {
                ARUS_TRY(arus_kafka_message_column(messages, (enum arus_kafka_column)column,
                                                   type->fields[f].type, arena, &out->children[f],
                                                   err));
            }
        }
    }
    return ARUS_OK;
}
