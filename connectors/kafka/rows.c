/** Rows of a result as records: Spark's columns key, value, topic, headers,
 * partition. */
#include "kafka/sink.h"

/* The columns of a batch that become a record. NULL: the query has none of that
 * name. */
struct row_reader {
    const struct arus_kafka_sink *sink;
    const struct arus_vector *parts[ARUS_KAFKA_PART_COUNT];
    struct arus_arena *arena;
    char *topic; /* of the row, NUL-terminated */
    struct arus_text topic_view;
};

static struct arus_kafka_bytes bytes_at(const struct arus_vector *vector, uint32_t i)
{
    struct arus_view view;

    if (vector == NULL || !arus_vector_is_valid(vector, i)) {
        return (struct arus_kafka_bytes){0};
    }
    view = ((const struct arus_view *)arus_vector_data(vector)->values)[arus_vector_at(vector, i)];
    return (struct arus_kafka_bytes){view.size == 0 ? "" : view.data, view.size};
}

static enum arus_status read_topic(struct row_reader *reader, uint32_t i, struct arus_error *err)
{
    const struct arus_kafka_bytes name = bytes_at(reader->parts[ARUS_KAFKA_PART_TOPIC], i);
    struct arus_text copy;

    if (reader->sink->settings.topic.size > 0) {
        return ARUS_OK; /* the option wins; set once */
    }
    if (name.data == NULL) {
        return arus_fail(err, ARUS_BAD_DATA, "KAFKA_NULL_TOPIC_IN_DATA",
                         "a row has no topic: its column is null and the sink names none");
    }
    if (reader->topic != NULL &&
        arus_text_equal(reader->topic_view, (struct arus_text){name.data, name.size})) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_text_copy((struct arus_text){name.data, name.size}, reader->arena, &copy, err));
    reader->topic = (char *)(uintptr_t)copy.data;
    reader->topic_view = copy;
    return ARUS_OK;
}

static enum arus_status read_partition(const struct row_reader *reader, uint32_t i, int32_t *out,
                                       struct arus_error *err)
{
    const struct arus_vector *vector = reader->parts[ARUS_KAFKA_PART_PARTITION];

    *out = -1;
    if (vector == NULL || !arus_vector_is_valid(vector, i)) {
        return ARUS_OK;
    }
    *out = ((const int32_t *)arus_vector_data(vector)->values)[arus_vector_at(vector, i)];
    if (*out < 0) {
        return arus_fail(err, ARUS_BAD_DATA, NULL, "a row names partition %d", *out);
    }
    return ARUS_OK;
}

static enum arus_status read_headers(const struct row_reader *reader, uint32_t i,
                                     struct arus_kafka_record *record, struct arus_error *err)
{
    const struct arus_vector *vector = reader->parts[ARUS_KAFKA_PART_HEADERS];
    const struct arus_vector *data;
    const struct arus_vector *element;
    struct arus_kafka_header *headers;
    struct arus_span span;

    if (vector == NULL || !arus_vector_is_valid(vector, i)) {
        return ARUS_OK;
    }
    data = arus_vector_data(vector);
    span = ((const struct arus_span *)data->values)[arus_vector_at(vector, i)];
    element = &data->children[0];
    ARUS_TRY(
        ARUS_NEW(reader->arena, struct arus_kafka_header, (size_t)span.count + 1, &headers, err));
    for (uint32_t h = 0; h < span.count; h++) {
        const uint32_t at = element->form == ARUS_VECTOR_CONSTANT ? 0 : span.begin + h;
        const struct arus_kafka_bytes name = bytes_at(&element->children[0], at);

        if (!arus_vector_is_valid(element, at) || name.data == NULL) {
            return arus_fail(err, ARUS_BAD_DATA, NULL, "a header of a row has no key");
        }
        headers[h].name = (struct arus_text){name.data, name.size};
        headers[h].value = bytes_at(&element->children[1], at);
    }
    record->headers = headers;
    record->header_count = span.count;
    return ARUS_OK;
}

static enum arus_status check_size(const struct arus_kafka_sink *sink,
                                   const struct arus_kafka_record *record, struct arus_error *err)
{
    size_t size = record->key.size + record->value.size;

    for (uint32_t h = 0; h < record->header_count; h++) {
        size += record->headers[h].name.size + record->headers[h].value.size;
    }
    if ((int64_t)size <= sink->record_size_max) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail(err, ARUS_BAD_DATA, NULL,
                          "a record of %zu bytes for topic `%s` is larger than "
                          "kafka.message.max.bytes (%lld): its size is refused",
                          size, record->topic, (long long)sink->record_size_max));
    (void)arus_error_row(err, "value of %zu bytes: %.*s", record->value.size,
                         (int)(record->value.size < 120 ? record->value.size : 120),
                         record->value.data == NULL ? "" : record->value.data);
    return arus_error_help(err,
                           "TBLPROPERTIES (kafka.message.max.bytes '%zu'), and "
                           "max.message.bytes of the topic; nothing of the batch is visible",
                           size + 1024);
}

static enum arus_status begin_sides(const struct arus_kafka_sink *sink,
                                    const struct arus_batch *batch,
                                    struct arus_kafka_row_encoders *encoders,
                                    struct arus_arena *arena, struct arus_error *err)
{
    for (int side = 0; side < 2; side++) {
        if (sink->sides[side].format != ARUS_KAFKA_RAW) {
            encoders->sides[side].out = &encoders->buffers[side];
            ARUS_TRY(arus_kafka_encoder_begin(&encoders->sides[side], &sink->sides[side], batch,
                                              arena, err));
        }
    }
    return ARUS_OK;
}

/* The key or value of row i: a column as it is, or encoded columns. */
static enum arus_status read_side(const struct row_reader *reader,
                                  struct arus_kafka_row_encoders *encoders, bool is_key, uint32_t i,
                                  struct arus_kafka_bytes *out, struct arus_error *err)
{
    if (reader->sink->sides[is_key].format != ARUS_KAFKA_RAW) {
        return arus_kafka_encode_row(&encoders->sides[is_key], i, out, err);
    }
    *out = bytes_at(reader->parts[is_key ? ARUS_KAFKA_PART_KEY : ARUS_KAFKA_PART_VALUE], i);
    return ARUS_OK;
}

enum arus_status arus_kafka_stage_rows(const struct arus_kafka_sink *sink,
                                       const struct arus_batch *batch,
                                       struct arus_kafka_row_encoders *encoders,
                                       struct arus_arena *arena, struct arus_kafka_stage *stage,
                                       struct arus_error *err)
{
    struct row_reader reader = {.sink = sink, .arena = arena};

    for (int part = 0; part < ARUS_KAFKA_PART_COUNT; part++) {
        if (sink->columns[part] >= 0) {
            reader.parts[part] = &batch->columns[sink->columns[part]];
        }
    }
    if (sink->settings.topic.size > 0) {
        reader.topic = (char *)(uintptr_t)sink->settings.topic.data;
    }
    ARUS_TRY(begin_sides(sink, batch, encoders, arena, err));
    for (uint32_t i = 0; i < batch->row_count; i++) {
        struct arus_kafka_record record = {0};

        ARUS_TRY(read_side(&reader, encoders, false, i, &record.value, err));
        ARUS_TRY(read_side(&reader, encoders, true, i, &record.key, err));
        ARUS_TRY(read_topic(&reader, i, err));
        record.topic = reader.topic;
        ARUS_TRY(read_partition(&reader, i, &record.partition, err));
        ARUS_TRY(read_headers(&reader, i, &record, err));
        ARUS_TRY(check_size(sink, &record, err));
        ARUS_TRY(arus_kafka_stage_put(stage, &record, err));
    }
    return ARUS_OK;
}
