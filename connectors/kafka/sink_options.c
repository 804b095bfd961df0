/** Options of the Kafka sink, and what its columns must be. */
#include "kafka/sink.h"

#include <stdlib.h>

#define AT(field) offsetof(struct arus_kafka_sink_settings, field)
#define ANY       INT64_MIN

static const char *const STRATEGIES[] = {"TopicNameStrategy", "RecordNameStrategy",
                                         "TopicRecordNameStrategy", NULL};
static const char *const GUARANTEES[] = {"exactlyOnce", "atLeastOnce", NULL};

const struct arus_option ARUS_KAFKA_SINK_OPTIONS[] = {
    {"kafka.bootstrap.servers", ARUS_OPTION_TEXT, AT(servers), NULL,
     "Brokers: host:port, comma separated. Other kafka.* options go to the "
     "client.",
     NULL, ANY, NULL},
    {"topic", ARUS_OPTION_TEXT, AT(topic), NULL,
     "Topic of all rows; without it a column `topic` names one per row.", NULL, ANY, NULL},
    {"deliveryGuarantee", ARUS_OPTION_CHOICE, AT(guarantee), "exactlyOnce",
     "exactlyOnce: one transaction per micro-batch; atLeastOnce: none.", GUARANTEES, ANY, NULL},
    {"fenceTopic", ARUS_OPTION_TEXT, AT(fence_topic), NULL,
     "Compacted topic of one partition that names the last batch; default "
     "arus.fence.QUERY-ID, "
     "made "
     "when missing.",
     NULL, ANY, NULL},
    {"format", ARUS_OPTION_CHOICE, AT(encode.format), "raw",
     "How columns become the value: json, text, avro; raw: the column `value`.", ARUS_KAFKA_FORMATS,
     ANY, NULL},
    {"value.format", ARUS_OPTION_CHOICE, AT(encode.value_format), "raw", "As format.",
     ARUS_KAFKA_FORMATS, ANY, NULL},
    {"key.format", ARUS_OPTION_CHOICE, AT(encode.key_format), "raw",
     "How the columns of key.columns become the key.", ARUS_KAFKA_FORMATS, ANY, NULL},
    {"key.columns", ARUS_OPTION_TEXT, AT(encode.key_columns), NULL,
     "Columns that make the key, comma separated; they stay in the value too.", NULL, ANY, NULL},
    {"subject.name.strategy", ARUS_OPTION_CHOICE, AT(encode.strategy), "TopicNameStrategy",
     "Subject of a schema in the registry.", STRATEGIES, ANY, NULL},
    {"schema.registry.url", ARUS_OPTION_TEXT, AT(encode.registry.url), NULL,
     "Schema registry: avro messages carry the id of their schema.", NULL, ANY, NULL},
    {"schema.registry.basic.auth.user.info", ARUS_OPTION_TEXT, AT(encode.registry.user_info), NULL,
     "user:password, better as ${env:NAME} or ${file:PATH}.", NULL, ANY, NULL},
    {"schema.registry.bearer.auth.token", ARUS_OPTION_TEXT, AT(encode.registry.token), NULL,
     "Bearer token, better as ${env:NAME} or ${file:PATH}.", NULL, ANY, NULL},
    {"schema.registry.ssl.ca.location", ARUS_OPTION_TEXT, AT(encode.registry.ca), NULL,
     "PEM file of the registry's authority.", NULL, ANY, NULL},
    {"schema.registry.ssl.certificate.location", ARUS_OPTION_TEXT, AT(encode.registry.certificate),
     NULL, "PEM file of our certificate.", NULL, ANY, NULL},
    {"schema.registry.ssl.key.location", ARUS_OPTION_TEXT, AT(encode.registry.key), NULL,
     "PEM file of its key.", NULL, ANY, NULL},
    {0},
};

/* What Spark's sink takes. */
static const struct {
    const char *name;
    const char *wanted;
} PARTS[ARUS_KAFKA_PART_COUNT] = {
    [ARUS_KAFKA_PART_KEY] = {"key", "STRING or BINARY"},
    [ARUS_KAFKA_PART_VALUE] = {"value", "STRING or BINARY"},
    [ARUS_KAFKA_PART_TOPIC] = {"topic", "STRING"},
    [ARUS_KAFKA_PART_HEADERS] = {"headers", "ARRAY<STRUCT<key: STRING, value: BINARY>>"},
    [ARUS_KAFKA_PART_PARTITION] = {"partition", "INT"},
};

static bool is_headers(const struct arus_type *type)
{
    const struct arus_type *element = type->id == ARUS_TYPE_ARRAY ? type->fields[0].type : NULL;

    return element != NULL && element->id == ARUS_TYPE_STRUCT && element->field_count == 2 &&
           arus_text_equal(element->fields[0].name, ARUS_TEXT("key")) &&
           arus_text_equal(element->fields[1].name, ARUS_TEXT("value")) &&
           element->fields[0].type->id == ARUS_TYPE_STRING &&
           element->fields[1].type->id == ARUS_TYPE_BINARY;
}

static bool fits(enum arus_kafka_part part, const struct arus_type *type)
{
    switch (part) {
    case ARUS_KAFKA_PART_KEY:
    case ARUS_KAFKA_PART_VALUE:
        return arus_type_is_view(type);
    case ARUS_KAFKA_PART_TOPIC:
        return type->id == ARUS_TYPE_STRING;
    case ARUS_KAFKA_PART_HEADERS:
        return is_headers(type);
    case ARUS_KAFKA_PART_PARTITION:
        return type->id == ARUS_TYPE_INT;
    case ARUS_KAFKA_PART_COUNT:
        break;
    }
    return false;
}

static enum arus_status bind_columns(const struct arus_sink_config *config,
                                     struct arus_kafka_sink *out, struct arus_error *err)
{
    for (int part = 0; part < ARUS_KAFKA_PART_COUNT; part++) {
        const int32_t at = arus_type_find(config->schema, arus_text_of(PARTS[part].name));

        out->columns[part] = at;
        if ((part == ARUS_KAFKA_PART_VALUE && out->sides[0].format != ARUS_KAFKA_RAW) ||
            (part == ARUS_KAFKA_PART_KEY && out->sides[1].format != ARUS_KAFKA_RAW)) {
            out->columns[part] = -1; /* a column like any other */
            continue;
        }
        if (at >= 0 && !fits((enum arus_kafka_part)part, config->schema->fields[at].type)) {
            return arus_fail_at(err, config->place, "_LEGACY_ERROR_TEMP_3080",
                                "the column `%s` of a Kafka sink must be %s", PARTS[part].name,
                                PARTS[part].wanted);
        }
    }
    if (out->columns[ARUS_KAFKA_PART_VALUE] < 0 && out->sides[0].format == ARUS_KAFKA_RAW) {
        arus_ignore(arus_fail_at(err, config->place, "_LEGACY_ERROR_TEMP_3080",
                                 "a Kafka sink needs a column `value`"));
        return arus_error_help(err, "to_json(struct(*)) AS value");
    }
    if (out->settings.topic.size == 0 && out->columns[ARUS_KAFKA_PART_TOPIC] < 0) {
        arus_ignore(arus_fail_at(err, config->place, "_LEGACY_ERROR_TEMP_3080",
                                 "a Kafka sink needs a topic"));
        return arus_error_help(err, "TBLPROPERTIES (topic 'orders'), or a column `topic`");
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_own_settings(const struct arus_settings *all, struct arus_arena *arena,
                                         struct arus_settings *out, struct arus_error *err)
{
    struct arus_setting *items;

    *out = (struct arus_settings){0};
    ARUS_TRY(ARUS_NEW(arena, struct arus_setting, all->count + 1, &items, err));
    for (size_t i = 0; i < all->count; i++) {
        const struct arus_text key = all->items[i].key;
        const bool is_kafka =
            key.size > 6 &&
            arus_text_equal_nocase((struct arus_text){key.data, 6}, ARUS_TEXT("kafka."));

        if (!is_kafka || arus_text_equal_nocase(key, ARUS_TEXT("kafka.bootstrap.servers"))) {
            items[out->count++] = all->items[i];
        }
    }
    out->items = items;
    return ARUS_OK;
}

/* What librdkafka makes of the user's settings. */
static enum arus_status find_size_max(struct arus_kafka_sink *out, struct arus_error *err)
{
    static const struct arus_kafka_setting NONE[] = {{NULL, NULL}};
    char text[32] = "";
    size_t size = sizeof text;
    rd_kafka_conf_t *conf;

    ARUS_TRY(arus_kafka_conf_make(&out->target, ARUS_KAFKA_PRODUCER, NONE, NONE, &conf, err));
    (void)arus_rdkafka.conf_get(conf, "message.max.bytes", text, &size);
    out->record_size_max = strtoll(text, NULL, 10);
    arus_rdkafka.conf_destroy(conf);
    return ARUS_OK;
}

enum arus_status arus_kafka_sink_options(const struct arus_sink_config *config,
                                         struct arus_arena *arena, struct arus_kafka_sink *out,
                                         struct arus_error *err)
{
    const struct arus_option *const tables[] = {ARUS_KAFKA_SINK_OPTIONS, NULL};
    struct arus_settings sink_own;
    struct arus_settings own;

    ARUS_TRY(arus_kafka_own_settings(&config->options, arena, &own, err));
    ARUS_TRY(arus_kafka_sink_own(&own, arena, &sink_own, err));
    ARUS_TRY(arus_options_parse(tables, &sink_own, "a kafka sink", arena, &out->settings, err));
    ARUS_TRY(arus_kafka_target_bind(&config->options, config->place, config->folder,
                                    ARUS_KAFKA_PRODUCER, &out->target, err));
    ARUS_TRY(arus_kafka_bind_encodings(config, arena, out, err));
    ARUS_TRY(bind_columns(config, out, err));
    return find_size_max(out, err);
}
