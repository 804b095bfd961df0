/** Topics of a cluster as rows. */
#include "kafka/source.h"

static const struct arus_field FIELDS[] = {
    {.name = {"topic", 5}, .type = &ARUS_STRING},
    {.name = {"partitions", 10}, .type = &ARUS_INT},
    {.name = {"offsets", 7},
     .type = &ARUS_BIGINT}, /* between begin and end: records, and markers */
};
static const struct arus_type SCHEMA = {.id = ARUS_TYPE_STRUCT, .field_count = 3, .fields = FIELDS};

static size_t count_topics(const struct arus_kafka_positions *partitions)
{
    size_t count = 0;

    for (size_t i = 0; i < partitions->count; i++) {
        count +=
            i == 0 || !arus_text_equal(partitions->items[i].topic, partitions->items[i - 1].topic);
    }
    return count;
}

static enum arus_status fill(const struct arus_kafka_positions *begin,
                             const struct arus_kafka_positions *end, struct arus_arena *arena,
                             struct arus_batch *out, struct arus_error *err)
{
    const size_t all = count_topics(begin);
    const uint32_t count = all < ARUS_BATCH_ROWS ? (uint32_t)all : ARUS_BATCH_ROWS;
    uint32_t row = 0;

    *out = (struct arus_batch){.schema = &SCHEMA, .row_count = count};
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, 3, &out->columns, err));
    for (int i = 0; i < 3; i++) {
        ARUS_TRY(arus_vector_init(&out->columns[i], FIELDS[i].type, count, arena, err));
    }
    for (size_t i = 0; i < begin->count && row < count; row++) {
        const struct arus_text topic = begin->items[i].topic;
        int32_t partitions = 0;
        int64_t offsets = 0;

        for (; i < begin->count && arus_text_equal(begin->items[i].topic, topic); i++) {
            partitions++;
            offsets += end->items[i].offset - begin->items[i].offset;
        }
        ((struct arus_view *)out->columns[0].values)[row] = arus_view_of(topic.data, topic.size);
        ((int32_t *)out->columns[1].values)[row] = partitions;
        ((int64_t *)out->columns[2].values)[row] = offsets;
    }
    return ARUS_OK;
}

static enum arus_status ask(const struct arus_kafka_source *source,
                            const struct arus_kafka_client *client, struct arus_arena *arena,
                            struct arus_batch *out, struct arus_error *err)
{
    struct arus_kafka_positions partitions;
    struct arus_kafka_positions begin;
    struct arus_kafka_positions end;

    ARUS_TRY(arus_kafka_discover(source, client, false, arena, &partitions, err));
    ARUS_TRY(arus_kafka_ask_all(client, ARUS_KAFKA_EARLIEST, arena, &partitions, &begin, err));
    ARUS_TRY(arus_kafka_ask_all(client, ARUS_KAFKA_LATEST, arena, &partitions, &end, err));
    return fill(&begin, &end, arena, out, err);
}

enum arus_status arus_kafka_browse(const struct arus_settings *options, const char *folder,
                                   struct arus_arena *arena, struct arus_batch *out,
                                   struct arus_error *err)
{
    const struct arus_setting *pattern = arus_settings_find(options, "subscribePattern");
    struct arus_kafka_source source = {.strategy = ARUS_KAFKA_PATTERN};
    struct arus_kafka_client client;
    enum arus_status status;

    source.subject = pattern == NULL ? options->items : pattern;
    source.settings.pattern = pattern == NULL ? ARUS_TEXT(".") : pattern->value;
    ARUS_TRY(arus_kafka_target_bind(options, (struct arus_place){0}, folder, ARUS_KAFKA_CONSUMER,
                                    &source.target, err));
    ARUS_TRY(arus_kafka_source_connect(&source, &client, err));
    status = ask(&source, &client, arena, out, err);
    arus_kafka_client_close(&client);
    return status;
}
