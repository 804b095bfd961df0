/** Options of the Kafka source. */
#include "kafka/sink.h"
#include "kafka/source.h"

#include <stdlib.h>

#define AT(field) offsetof(struct arus_kafka_source_settings, field)
#define ANY       INT64_MIN

static const char *const STRATEGIES[] = {"error", "latest", NULL};

const struct arus_option ARUS_KAFKA_SOURCE_OPTIONS[] = {
    {"kafka.bootstrap.servers", ARUS_OPTION_TEXT, AT(servers), NULL,
     "Brokers: host:port, comma separated. Other kafka.* options go to the "
     "client.",
     NULL, ANY, NULL},
    {"subscribe", ARUS_OPTION_TEXT, AT(subscribe), NULL, "Topics, comma separated.", NULL, ANY,
     NULL},
    {"subscribePattern", ARUS_OPTION_TEXT, AT(pattern), NULL,
     "Regular expression that topic names contain.", NULL, ANY, NULL},
    {"assign", ARUS_OPTION_TEXT, AT(assign), NULL, "Partitions: {\"topic\":[0,1]}.", NULL, ANY,
     NULL},
    {"startingOffsets", ARUS_OPTION_TEXT, AT(starting), NULL,
     "earliest, latest, or {\"topic\":{\"0\":23,\"1\":-2}} (-1 latest, -2 "
     "earliest).",
     NULL, ANY, NULL},
    {"startingTimestamp", ARUS_OPTION_TEXT, AT(starting_timestamp), NULL,
     "Milliseconds: the first records that young.", NULL, ANY, NULL},
    {"startingOffsetsByTimestamp", ARUS_OPTION_TEXT, AT(starting_by_timestamp), NULL,
     "Milliseconds per partition: {\"topic\":{\"0\":1700000000000}}.", NULL, ANY, NULL},
    {"startingOffsetsByTimestampStrategy", ARUS_OPTION_CHOICE, AT(timestamp_strategy), "error",
     "When no record is that young: error, or latest.", STRATEGIES, ANY, NULL},
    {"endingOffsets", ARUS_OPTION_TEXT, AT(ending), NULL, "As startingOffsets; batch only.", NULL,
     ANY, NULL},
    {"endingTimestamp", ARUS_OPTION_TEXT, AT(ending_timestamp), NULL,
     "As startingTimestamp; batch only.", NULL, ANY, NULL},
    {"endingOffsetsByTimestamp", ARUS_OPTION_TEXT, AT(ending_by_timestamp), NULL,
     "As startingOffsetsByTimestamp; batch only.", NULL, ANY, NULL},
    {"failOnDataLoss", ARUS_OPTION_BOOL, AT(fails_on_loss), "true",
     "Stop when records that should be read are gone.", NULL, ANY, NULL},
    {"maxOffsetsPerTrigger", ARUS_OPTION_INT64, AT(offsets_max), NULL,
     "Most offsets of a micro-batch, over all partitions.", NULL, 1, NULL},
    {"minOffsetsPerTrigger", ARUS_OPTION_INT64, AT(offsets_min), NULL,
     "Wait for that many, at most maxTriggerDelay.", NULL, 1, NULL},
    {"maxTriggerDelay", ARUS_OPTION_DURATION, AT(delay_max_ms), "15m",
     "Longest wait for minOffsetsPerTrigger.", NULL, ANY, NULL},
    {"minPartitions", ARUS_OPTION_INT64, AT(split.partitions_min), NULL,
     "Cut partitions into at least that many pieces, read side by side.", NULL, 1, NULL},
    {"maxRecordsPerPartition", ARUS_OPTION_INT64, AT(split.records_max), NULL,
     "Most offsets of a piece.", NULL, 1, NULL},
    {"includeHeaders", ARUS_OPTION_BOOL, AT(has_headers), "false", "Adds the column headers.", NULL,
     ANY, NULL},
    {"kafkaConsumer.pollTimeoutMs", ARUS_OPTION_INT64, AT(poll_timeout_ms), "120000",
     "Longest wait for records that are planned.", NULL, 1, NULL},
    {"format", ARUS_OPTION_CHOICE, AT(format), "raw",
     "How values become the declared columns; options of the format may "
     "follow.",
     ARUS_KAFKA_FORMATS, ANY, NULL},
    {"value.format", ARUS_OPTION_CHOICE, AT(value_format), "raw", "As format.", ARUS_KAFKA_FORMATS,
     ANY, NULL},
    {"key.format", ARUS_OPTION_CHOICE, AT(key_format), "raw",
     "How keys become the columns of key.columns.", ARUS_KAFKA_FORMATS, ANY, NULL},
    {"key.columns", ARUS_OPTION_TEXT, AT(key_columns), NULL,
     "Declared columns that come from the key, comma separated.", NULL, ANY, NULL},
    {"fetchOffset.numRetries", ARUS_OPTION_IGNORED, 0, NULL, "Questions are repeated for 30 s.",
     NULL, ANY, NULL},
    {"fetchOffset.retryIntervalMs", ARUS_OPTION_IGNORED, 0, NULL,
     "Questions are repeated for 30 s.", NULL, ANY, NULL},
    {"groupIdPrefix", ARUS_OPTION_IGNORED, 0, NULL, "No consumer group is used.", NULL, ANY, NULL},
    {0},
};

/* ---- which topics ---- */

static int compare_texts(const void *left, const void *right)
{
    return arus_text_compare(*(const struct arus_text *)left, *(const struct arus_text *)right);
}

/* `a, b`: trimmed, sorted, each once. */
static enum arus_status split_topics(struct arus_kafka_source *source, struct arus_arena *arena,
                                     struct arus_error *err)
{
    struct arus_text rest = source->settings.subscribe;
    struct arus_text *topics;
    size_t count = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_text, rest.size + 1, &topics, err));
    while (rest.size > 0) {
        const char *comma = memchr(rest.data, ',', rest.size);
        struct arus_text name = {rest.data,
                                 comma == NULL ? rest.size : (size_t)(comma - rest.data)};

        rest.data += name.size + (comma != NULL);
        rest.size -= name.size + (comma != NULL);
        for (; name.size > 0 && name.data[0] == ' '; name.data++, name.size--) {
        }
        for (; name.size > 0 && name.data[name.size - 1] == ' '; name.size--) {
        }
        if (name.size > 0) {
            ARUS_TRY(arus_text_copy(name, arena, &topics[count++], err));
        }
    }
    qsort(topics, count, sizeof *topics, compare_texts);
    for (size_t i = 0; i < count; i++) {
        if (source->topic_count == 0 ||
            !arus_text_equal(topics[source->topic_count - 1], topics[i])) {
            topics[source->topic_count++] = topics[i];
        }
    }
    source->topics = topics;
    if (source->topic_count == 0) {
        return arus_fail_at(err, source->subject->value_place, NULL, "`subscribe` names no topic");
    }
    return ARUS_OK;
}

static enum arus_status find_strategy(struct arus_kafka_source *source, struct arus_error *err)
{
    static const char *const NAMES[] = {"assign", "subscribe", "subscribePattern"};
    const struct arus_table *table = source->base.table;
    size_t count = 0;

    for (int i = 0; i < 3; i++) {
        const struct arus_setting *setting = arus_settings_find(&table->options, NAMES[i]);

        if (setting != NULL) {
            source->subject = setting;
            source->strategy = (enum arus_kafka_strategy)i;
            count++;
        }
    }
    if (count == 0) {
        return arus_fail_at(err, table->place, NULL,
                            "`%.*s` needs one of subscribe, subscribePattern, assign",
                            ARUS_TEXT_ARGS(table->name));
    }
    if (count > 1) {
        return arus_fail_at(err, source->subject->key_place, NULL,
                            "subscribe, subscribePattern and assign exclude each other");
    }
    return ARUS_OK;
}

static enum arus_status bind_topics(struct arus_kafka_source *source, struct arus_arena *arena,
                                    struct arus_error *err)
{
    ARUS_TRY(find_strategy(source, err));
    switch (source->strategy) {
    case ARUS_KAFKA_ASSIGN:
        if (arus_kafka_assignment_parse(source->settings.assign, arena, &source->assigned, err) !=
            ARUS_OK) {
            return arus_error_at(err, source->subject->value_place);
        }
        if (source->assigned.count == 0) {
            return arus_fail_at(err, source->subject->value_place, NULL,
                                "`assign` names no partition");
        }
        return ARUS_OK;
    case ARUS_KAFKA_SUBSCRIBE:
        return split_topics(source, arena, err);
    case ARUS_KAFKA_PATTERN:
        if (source->settings.pattern.size == 0) {
            return arus_fail_at(err, source->subject->value_place, NULL,
                                "`subscribePattern` is empty");
        }
        return ARUS_OK;
    }
    return ARUS_OK;
}

/* ---- bounds ---- */

static enum arus_status parse_timestamp(const struct arus_setting *setting, int64_t *out,
                                        struct arus_error *err)
{
    const struct arus_text text = setting->value;

    *out = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || __builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, text.data[i] - '0', out)) {
            return arus_fail_at(err, setting->value_place, NULL,
                                "`%.*s` is no timestamp in milliseconds", ARUS_TEXT_ARGS(text));
        }
    }
    return ARUS_OK;
}

static enum arus_status parse_offsets(const struct arus_setting *setting, struct arus_arena *arena,
                                      struct arus_kafka_bound *out, struct arus_error *err)
{
    if (arus_text_equal_nocase(setting->value, ARUS_TEXT("earliest"))) {
        out->kind = ARUS_KAFKA_AT_EARLIEST;
        return ARUS_OK;
    }
    if (arus_text_equal_nocase(setting->value, ARUS_TEXT("latest"))) {
        out->kind = ARUS_KAFKA_AT_LATEST;
        return ARUS_OK;
    }
    out->kind = ARUS_KAFKA_AT_OFFSETS;
    if (arus_kafka_positions_parse(setting->value, arena, &out->positions, err) != ARUS_OK) {
        return arus_error_at(err, setting->value_place);
    }
    for (size_t i = 0; i < out->positions.count; i++) {
        if (out->positions.items[i].offset < ARUS_KAFKA_EARLIEST) {
            return arus_fail_at(err, setting->value_place, NULL, "%lld is no offset",
                                (long long)out->positions.items[i].offset);
        }
    }
    return ARUS_OK;
}

/* One side of the range; `names`: timestamp, timestamps, offsets, as they beat
 * each other. */
static enum arus_status parse_bound(const struct arus_settings *options, const char *const names[3],
                                    struct arus_arena *arena, struct arus_kafka_bound *out,
                                    struct arus_error *err)
{
    for (int i = 0; i < 3; i++) {
        out->setting = arus_settings_find(options, names[i]);
        if (out->setting == NULL) {
            continue;
        }
        if (i == 0) {
            out->kind = ARUS_KAFKA_AT_TIMESTAMP;
            return parse_timestamp(out->setting, &out->timestamp_ms, err);
        }
        if (i == 2) {
            return parse_offsets(out->setting, arena, out, err);
        }
        out->kind = ARUS_KAFKA_AT_TIMESTAMPS;
        if (arus_kafka_positions_parse(out->setting->value, arena, &out->positions, err) !=
            ARUS_OK) {
            return arus_error_at(err, out->setting->value_place);
        }
        return ARUS_OK;
    }
    return ARUS_OK;
}

static enum arus_status bind_bounds(struct arus_kafka_source *source, bool is_stream,
                                    struct arus_arena *arena, struct arus_error *err)
{
    static const char *const STARTS[] = {"startingTimestamp", "startingOffsetsByTimestamp",
                                         "startingOffsets"};
    static const char *const ENDS[] = {"endingTimestamp", "endingOffsetsByTimestamp",
                                       "endingOffsets"};
    const struct arus_settings *options = &source->base.table->options;

    source->start.kind = is_stream ? ARUS_KAFKA_AT_LATEST : ARUS_KAFKA_AT_EARLIEST;
    source->end.kind = ARUS_KAFKA_AT_LATEST;
    ARUS_TRY(parse_bound(options, STARTS, arena, &source->start, err));
    ARUS_TRY(parse_bound(options, ENDS, arena, &source->end, err));
    if (is_stream && source->end.setting != NULL) {
        return arus_fail_at(err, source->end.setting->key_place, NULL,
                            "a stream has no end: `%.*s` is for batch queries",
                            ARUS_TEXT_ARGS(source->end.setting->key));
    }
    if (!is_stream && source->start.kind == ARUS_KAFKA_AT_LATEST) {
        return arus_fail_at(err, source->start.setting->value_place, NULL,
                            "a batch query cannot start at the latest offsets");
    }
    if (source->end.kind == ARUS_KAFKA_AT_EARLIEST) {
        return arus_fail_at(err, source->end.setting->value_place, NULL,
                            "a batch query cannot end at the earliest offsets");
    }
    return ARUS_OK;
}

static enum arus_status check_limits(const struct arus_kafka_source *source, struct arus_error *err)
{
    const struct arus_kafka_source_settings *settings = &source->settings;

    if (settings->offsets_max > 0 && settings->offsets_min > settings->offsets_max) {
        return arus_fail_at(
            err,
            arus_settings_find(&source->base.table->options, "minOffsetsPerTrigger")->key_place,
            NULL, "minOffsetsPerTrigger is larger than maxOffsetsPerTrigger");
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_source_options(const struct arus_table *table, bool is_stream,
                                           struct arus_arena *arena, struct arus_kafka_source *out,
                                           struct arus_error *err)
{
    const struct arus_option *const tables[] = {ARUS_KAFKA_SOURCE_OPTIONS, NULL};
    struct arus_settings own;
    struct arus_settings source_own;

    out->base.table = table;
    ARUS_TRY(arus_kafka_own_settings(&table->options, arena, &own, err));
    ARUS_TRY(arus_kafka_source_own(&own, arena, &source_own, err));
    ARUS_TRY(arus_options_parse(tables, &source_own, "a kafka source", arena, &out->settings, err));
    ARUS_TRY(arus_kafka_target_bind(&table->options, table->place, table->folder,
                                    ARUS_KAFKA_CONSUMER, &out->target, err));
    ARUS_TRY(bind_topics(out, arena, err));
    ARUS_TRY(bind_bounds(out, is_stream, arena, err));
    return check_limits(out, err);
}

void arus_kafka_options(const struct arus_connector *connector, enum arus_connector_side side,
                        const struct arus_option *tables[ARUS_OPTION_TABLES_MAX])
{
    (void)connector;
    tables[0] = side == ARUS_SOURCE_SIDE ? ARUS_KAFKA_SOURCE_OPTIONS : ARUS_KAFKA_SINK_OPTIONS;
}

bool arus_kafka_list_has(struct arus_text names, struct arus_text column)
{
    while (names.size > 0) {
        const char *comma = memchr(names.data, ',', names.size);
        struct arus_text name = {names.data,
                                 comma == NULL ? names.size : (size_t)(comma - names.data)};

        names.data += name.size + (comma != NULL);
        names.size -= name.size + (comma != NULL);
        for (; name.size > 0 && name.data[0] == ' '; name.data++, name.size--) {
        }
        for (; name.size > 0 && name.data[name.size - 1] == ' '; name.size--) {
        }
        if (arus_text_equal_nocase(name, column)) {
            return true;
        }
    }
    return false;
}
