/** Which columns of a result make the key and the value, and how. */
#include "format/json.h"
#include "kafka/sink.h"

/* Is the key an option of a format, with or without `value.` or `key.` before
 * it? */
static bool is_format_option(struct arus_text key, struct arus_text *name)
{
    static const struct arus_text SIDES[] = {{"value.", 6}, {"key.", 4}};
    const struct arus_option *const tables[] = {ARUS_FORMAT_JSON.write_options, NULL};

    *name = key;
    for (int i = 0; i < 2; i++) {
        if (key.size > SIDES[i].size &&
            arus_text_equal_nocase((struct arus_text){key.data, SIDES[i].size}, SIDES[i])) {
            *name = (struct arus_text){key.data + SIDES[i].size, key.size - SIDES[i].size};
        }
    }
    return arus_options_find(tables, *name) != NULL;
}

static bool is_own(struct arus_text key)
{
    const struct arus_option *const own[] = {ARUS_KAFKA_SINK_OPTIONS, NULL};

    return arus_options_find(own, key) != NULL;
}

enum arus_status arus_kafka_sink_own(const struct arus_settings *all, struct arus_arena *arena,
                                     struct arus_settings *out, struct arus_error *err)
{
    struct arus_setting *items;
    struct arus_text name;

    ARUS_TRY(ARUS_NEW(arena, struct arus_setting, all->count + 1, &items, err));
    *out = (struct arus_settings){items, 0};
    for (size_t i = 0; i < all->count; i++) {
        if (is_own(all->items[i].key) || !is_format_option(all->items[i].key, &name)) {
            items[out->count++] = all->items[i];
        }
    }
    return ARUS_OK;
}

/* The json options that hold for one side. */
static enum arus_status side_options(const struct arus_settings *all, bool is_key,
                                     struct arus_arena *arena, struct arus_settings *out,
                                     struct arus_error *err)
{
    const struct arus_text other = is_key ? ARUS_TEXT("value.") : ARUS_TEXT("key.");
    struct arus_setting *items;
    struct arus_text name;

    ARUS_TRY(ARUS_NEW(arena, struct arus_setting, all->count + 1, &items, err));
    *out = (struct arus_settings){items, 0};
    for (size_t i = 0; i < all->count; i++) {
        const struct arus_text key = all->items[i].key;
        const bool is_others =
            key.size > other.size &&
            arus_text_equal_nocase((struct arus_text){key.data, other.size}, other);

        if (!is_own(key) && !is_others && is_format_option(key, &name)) {
            items[out->count] = all->items[i];
            items[out->count++].key = name;
        }
    }
    return ARUS_OK;
}

/* The value takes what means nothing else to Kafka. */
static bool is_taken(const struct arus_kafka_sink *sink, bool is_key, bool has_raw_key,
                     struct arus_text name)
{
    if (is_key) {
        return arus_kafka_list_has(sink->settings.encode.key_columns, name);
    }
    return !(sink->settings.topic.size == 0 && arus_text_equal(name, ARUS_TEXT("topic"))) &&
           !arus_text_equal(name, ARUS_TEXT("partition")) &&
           !arus_text_equal(name, ARUS_TEXT("headers")) &&
           !(has_raw_key && arus_text_equal(name, ARUS_TEXT("key")));
}

static enum arus_status name_subject(const struct arus_sink_config *config,
                                     const struct arus_kafka_sink *sink,
                                     struct arus_kafka_encoding *encoding, struct arus_error *err)
{
    const int strategy = sink->settings.encode.strategy;
    const char *topic = sink->settings.topic.size == 0 ? "" : sink->settings.topic.data;

    if (encoding->format != ARUS_KAFKA_AVRO || sink->settings.encode.registry.url.size == 0) {
        return ARUS_OK;
    }
    if (strategy != 1 && topic[0] == '\0') {
        return arus_fail_at(err, config->place, NULL,
                            "a schema's subject needs the topic: set `topic`, or "
                            "subject.name.strategy 'RecordNameStrategy'");
    }
    encoding->registry = sink->settings.encode.registry;
    encoding->registry.place = config->place;
    encoding->registry.folder = config->folder;
    (void)snprintf(encoding->subject, sizeof encoding->subject, "%s%s%s",
                   strategy == 1 ? "" : topic, strategy == 2 ? "-" : "",
                   strategy != 0      ? "topLevelRecord"
                   : encoding->is_key ? "-key"
                                      : "-value");
    return ARUS_OK;
}

static enum arus_status bind_side(const struct arus_sink_config *config, bool is_key, int format,
                                  struct arus_arena *arena, struct arus_kafka_sink *out,
                                  struct arus_error *err)
{
    struct arus_kafka_encoding *encoding = &out->sides[is_key];
    const bool has_raw_key = out->settings.encode.key_columns.size == 0;
    struct arus_settings options;
    bool *taken;

    encoding->is_key = is_key;
    ARUS_TRY(ARUS_NEW(arena, bool, config->schema->field_count + 1u, &taken, err));
    for (uint16_t i = 0; i < config->schema->field_count; i++) {
        taken[i] = is_taken(out, is_key, has_raw_key, config->schema->fields[i].name);
    }
    ARUS_TRY(side_options(&config->options, is_key, arena, &options, err));
    ARUS_TRY(arus_kafka_encoding_bind(encoding, (enum arus_kafka_format)format, config->schema,
                                      taken, &options, config->zone, config->place, arena, err));
    return name_subject(config, out, encoding, err);
}

enum arus_status arus_kafka_bind_encodings(const struct arus_sink_config *config,
                                           struct arus_arena *arena, struct arus_kafka_sink *out,
                                           struct arus_error *err)
{
    const struct arus_kafka_encode_settings *settings = &out->settings.encode;
    const int value =
        settings->value_format != ARUS_KAFKA_RAW ? settings->value_format : settings->format;
    const int key =
        settings->key_format != ARUS_KAFKA_RAW ? settings->key_format : settings->format;

    if (value != ARUS_KAFKA_RAW) {
        ARUS_TRY(bind_side(config, false, value, arena, out, err));
    }
    if (settings->key_columns.size > 0 && key == ARUS_KAFKA_RAW) {
        return arus_fail_at(err, config->place, NULL, "key.columns needs key.format");
    }
    return settings->key_columns.size > 0 ? bind_side(config, true, key, arena, out, err) : ARUS_OK;
}
