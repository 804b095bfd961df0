/** Partitions and offsets of a source, as the cluster has them now. */
#include "base/alloc.h"
#include "base/condition.h"
#include "kafka/source.h"
#include "types/regex.h"

#include <stdarg.h>
#include <stdio.h>

enum arus_status arus_kafka_source_connect(const struct arus_kafka_source *source,
                                           struct arus_kafka_client *out, struct arus_error *err)
{
    static const struct arus_kafka_setting DEFAULTS[] = {
        {"client.id", "arus"},
        {"group.id", "arus"}, /* assign() wants one; no group is joined */
        {"isolation.level", "read_committed"},
        {"fetch.wait.max.ms", "50"},
        {"queued.min.messages", "100000"},
        {"queued.max.messages.kbytes", "16384"}, /* of each partition */
        {"fetch.message.max.bytes", "1048576"},
        {"reconnect.backoff.max.ms", "1000"},
        {"socket.nagle.disable", "true"},
        {"log_level", "2"},
        {NULL, NULL},
    };
    static const struct arus_kafka_setting FIXED[] = {
        {"enable.auto.commit", "false"},
        {"enable.auto.offset.store", "false"},
        {"auto.offset.reset", "error"},
        {"enable.partition.eof", "true"},
        {"max.poll.interval.ms", "86400000"},
        {"allow.auto.create.topics", "false"},
        {NULL, NULL},
    };
    rd_kafka_conf_t *conf;

    ARUS_TRY(
        arus_kafka_conf_make(&source->target, ARUS_KAFKA_CONSUMER, DEFAULTS, FIXED, &conf, err));
    ARUS_TRY(arus_kafka_client_open(&source->target, ARUS_KAFKA_CONSUMER, conf, out, err));
    (void)arus_rdkafka.poll_set_consumer(out->rk);
    return ARUS_OK;
}

/* ---- partitions ---- */

struct discovery {
    struct arus_arena *arena;
    struct arus_kafka_positions *out;
    size_t capacity;
    struct arus_regex *pattern; /* NULL: every topic of the answer */
    rd_kafka_resp_err_t code;   /* of the topic asked for */
};

static enum arus_status make_room(struct discovery *found, size_t extra, struct arus_error *err)
{
    struct arus_kafka_position *items;
    const size_t count = found->out->count;

    if (count + extra <= found->capacity) {
        return ARUS_OK;
    }
    found->capacity = (count + extra) * 2 + 16;
    ARUS_TRY(ARUS_NEW(found->arena, struct arus_kafka_position, found->capacity, &items, err));
    if (count > 0) {
        memcpy(items, found->out->items, count * sizeof *items);
    }
    found->out->items = items;
    return ARUS_OK;
}

static bool is_internal(const char *topic)
{
    return strncmp(topic, "__", 2) == 0;
}

static enum arus_status take_topic(void *self, const rd_kafka_metadata_topic_t *topic,
                                   struct arus_error *err)
{
    struct discovery *found = self;
    struct arus_text name;

    found->code = topic->err;
    if (topic->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return ARUS_OK;
    }
    if (found->pattern != NULL) {
        bool matches = false;

        if (is_internal(topic->topic)) {
            return ARUS_OK;
        }
        ARUS_TRY(arus_regex_find(found->pattern, arus_text_of(topic->topic), 0, &matches, err));
        if (!matches) {
            return ARUS_OK;
        }
    }
    ARUS_TRY(make_room(found, (size_t)topic->partition_cnt, err));
    ARUS_TRY(arus_text_copy(arus_text_of(topic->topic), found->arena, &name, err));
    for (int i = 0; i < topic->partition_cnt; i++) {
        found->out->items[found->out->count++] =
            (struct arus_kafka_position){.topic = name, .partition = topic->partitions[i].id};
    }
    return ARUS_OK;
}

static enum arus_status discover_subscribed(const struct arus_kafka_source *source,
                                            const struct arus_kafka_client *client, bool may_miss,
                                            struct discovery *found, struct arus_error *err)
{
    for (size_t i = 0; i < source->topic_count; i++) {
        const char *topic = source->topics[i].data;
        char what[300];

        found->code = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
        ARUS_TRY(arus_kafka_client_topics(client, topic, take_topic, found, err));
        if (found->code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            continue;
        }
        if (found->code != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART &&
            found->code != RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC) {
            (void)snprintf(what, sizeof what, "topic `%s`", topic);
            return arus_kafka_fail(client, found->code, what, err);
        }
        if (!may_miss) {
            return arus_kafka_fail_topic(client, topic, source->subject->value_place, err);
        }
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_discover(const struct arus_kafka_source *source,
                                     const struct arus_kafka_client *client, bool may_miss,
                                     struct arus_arena *arena, struct arus_kafka_positions *out,
                                     struct arus_error *err)
{
    struct discovery found = {.arena = arena, .out = out};
    enum arus_status status = ARUS_OK;

    *out = (struct arus_kafka_positions){0};
    switch (source->strategy) {
    case ARUS_KAFKA_ASSIGN:
        status = arus_kafka_positions_copy(&source->assigned, arena, out, err);
        break;
    case ARUS_KAFKA_SUBSCRIBE:
        status = discover_subscribed(source, client, may_miss, &found, err);
        break;
    case ARUS_KAFKA_PATTERN:
        if (arus_regex_open(source->settings.pattern, &found.pattern, err) != ARUS_OK) {
            return arus_error_at(err, source->subject->value_place);
        }
        status = arus_kafka_client_topics(client, NULL, take_topic, &found, err);
        arus_regex_close(found.pattern);
        break;
    }
    arus_kafka_positions_sort(out);
    return status;
}

/* ---- offsets ---- */

enum arus_status arus_kafka_ask_all(const struct arus_kafka_client *client, int64_t which,
                                    struct arus_arena *arena,
                                    const struct arus_kafka_positions *partitions,
                                    struct arus_kafka_positions *out, struct arus_error *err)
{
    ARUS_TRY(arus_kafka_positions_copy(partitions, arena, out, err));
    for (size_t i = 0; i < out->count; i++) {
        out->items[i].offset = which;
    }
    return arus_kafka_client_offsets(client, out, NULL, err);
}

/* The user's offsets must name exactly the partitions there are. */
static enum arus_status check_match(const struct arus_kafka_bound *bound,
                                    const struct arus_kafka_positions *partitions,
                                    struct arus_error *err)
{
    struct arus_arena scratch = {0};
    struct arus_text there = {0};
    struct arus_error ignored;
    const char *condition = bound->kind == ARUS_KAFKA_AT_OFFSETS
                                ? "KAFKA_START_OFFSET_DOES_NOT_MATCH_ASSIGNED"
                                : "KAFKA_TIMESTAMP_OFFSET_DOES_NOT_MATCH_ASSIGNED";

    if (arus_kafka_positions_match(&bound->positions, partitions)) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail_at(err, bound->setting->value_place, condition,
                             "%.*s does not name exactly the partitions there are",
                             ARUS_TEXT_ARGS(bound->setting->key)));
    if (arus_kafka_positions_format(partitions, &scratch, &there, &ignored) == ARUS_OK) {
        (void)arus_error_help(err, "there are: %.*s", ARUS_TEXT_ARGS(there));
    }
    arus_arena_release(&scratch);
    return err->status;
}

/* -1 after a question for timestamps: no record is that young. */
static enum arus_status fill_young(const struct arus_kafka_source *source,
                                   const struct arus_kafka_client *client,
                                   const struct arus_kafka_bound *bound, struct arus_arena *arena,
                                   struct arus_kafka_positions *partitions, struct arus_error *err)
{
    struct arus_kafka_positions latest = {0};

    for (size_t i = 0; i < partitions->count; i++) {
        if (partitions->items[i].offset >= 0) {
            continue;
        }
        if (bound == &source->start && source->settings.timestamp_strategy == 0) {
            arus_ignore(arus_fail_at(
                err, bound->setting->value_place, NULL, "%s[%d] has no record that young",
                partitions->items[i].topic.data, partitions->items[i].partition));
            return arus_error_help(err, "start such partitions at their end: "
                                        "startingOffsetsByTimestampStrategy 'latest'");
        }
        if (latest.items == NULL) {
            ARUS_TRY(
                arus_kafka_ask_all(client, ARUS_KAFKA_LATEST, arena, partitions, &latest, err));
        }
        partitions->items[i].offset = latest.items[i].offset;
    }
    return ARUS_OK;
}

/* -1 and -2 among the user's offsets. */
static enum arus_status fill_words(const struct arus_kafka_client *client, struct arus_arena *arena,
                                   struct arus_kafka_positions *partitions, struct arus_error *err)
{
    struct arus_kafka_positions asked;

    ARUS_TRY(arus_kafka_positions_copy(partitions, arena, &asked, err));
    for (size_t i = 0; i < asked.count; i++) {
        asked.items[i].offset =
            asked.items[i].offset < 0 ? asked.items[i].offset : ARUS_KAFKA_LATEST;
    }
    ARUS_TRY(arus_kafka_client_offsets(client, &asked, NULL, err));
    for (size_t i = 0; i < asked.count; i++) {
        if (partitions->items[i].offset < 0) {
            partitions->items[i].offset = asked.items[i].offset;
        }
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_resolve_bound(const struct arus_kafka_source *source,
                                          const struct arus_kafka_client *client,
                                          const struct arus_kafka_bound *bound,
                                          struct arus_arena *arena,
                                          struct arus_kafka_positions *partitions,
                                          struct arus_error *err)
{
    if (bound->kind == ARUS_KAFKA_AT_OFFSETS || bound->kind == ARUS_KAFKA_AT_TIMESTAMPS) {
        ARUS_TRY(check_match(bound, partitions, err));
    }
    for (size_t i = 0; i < partitions->count; i++) {
        int64_t *offset = &partitions->items[i].offset;

        switch (bound->kind) {
        case ARUS_KAFKA_AT_EARLIEST:
            *offset = ARUS_KAFKA_EARLIEST;
            break;
        case ARUS_KAFKA_AT_LATEST:
            *offset = ARUS_KAFKA_LATEST;
            break;
        case ARUS_KAFKA_AT_TIMESTAMP:
            *offset = bound->timestamp_ms;
            break;
        case ARUS_KAFKA_AT_OFFSETS:
        case ARUS_KAFKA_AT_TIMESTAMPS:
            *offset = bound->positions.items[i].offset;
            break;
        }
    }
    if (bound->kind == ARUS_KAFKA_AT_OFFSETS) {
        return fill_words(client, arena, partitions, err);
    }
    ARUS_TRY(arus_kafka_client_offsets(client, partitions, NULL, err));
    if (bound->kind == ARUS_KAFKA_AT_TIMESTAMP || bound->kind == ARUS_KAFKA_AT_TIMESTAMPS) {
        return fill_young(source, client, bound, arena, partitions, err);
    }
    return ARUS_OK;
}

/* ---- data loss ---- */

enum arus_status arus_kafka_fail_loss(const struct arus_kafka_source *source, const char *condition,
                                      struct arus_error *err, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    arus_ignore(arus_fail(err, ARUS_FATAL, condition, "%s", text));
    return arus_error_help(err,
                           "accept the loss: OPTIONS (failOnDataLoss false) of `%.*s`; avoid it: "
                           "longer retention",
                           ARUS_TEXT_ARGS(source->base.table->name));
}
