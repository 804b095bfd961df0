/** The fence topic: compacted, one partition; the newest record of a query
 * names its last batch. */
#include "base/clock.h"
#include "kafka/producer.h"

#include <jansson.h>

#include <stdio.h>

#define LOOK_BACK   64    /* offsets before the marker that are read first */
#define DEADLINE_MS 60000 /* somebody else's open transaction may hold the marker back */

/* ---- the topic ---- */

struct found {
    rd_kafka_resp_err_t code;
    int partition_count;
};

static enum arus_status look(void *self, const rd_kafka_metadata_topic_t *topic,
                             struct arus_error *err)
{
    struct found *found = self;

    (void)err;
    found->code = topic->err;
    found->partition_count = topic->partition_cnt;
    return ARUS_OK;
}

/* The answer of an admin request, or NULL after the patience. */
static rd_kafka_resp_err_t create(const struct arus_kafka_client *client, const char *topic,
                                  char *text, size_t text_size)
{
    rd_kafka_queue_t *queue = arus_rdkafka.queue_new(client->rk);
    rd_kafka_NewTopic_t *wanted = arus_rdkafka.NewTopic_new(topic, 1, -1, text, text_size);
    rd_kafka_event_t *event = NULL;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR__TIMED_OUT;

    if (wanted != NULL) {
        (void)arus_rdkafka.NewTopic_set_config(wanted, "cleanup.policy", "compact");
        arus_rdkafka.CreateTopics(client->rk, &wanted, 1, NULL, queue);
        event = arus_rdkafka.queue_poll(queue, ARUS_KAFKA_PATIENCE_MS);
        arus_rdkafka.NewTopic_destroy(wanted);
    }
    if (event != NULL) {
        code = arus_rdkafka.event_error(event);
        (void)snprintf(text, text_size, "%s", arus_rdkafka.err2str(code));
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            size_t count = 0;
            const rd_kafka_topic_result_t **results = arus_rdkafka.CreateTopics_result_topics(
                arus_rdkafka.event_CreateTopics_result(event), &count);

            code =
                count == 1 ? arus_rdkafka.topic_result_error(results[0]) : RD_KAFKA_RESP_ERR__FAIL;
            (void)snprintf(text, text_size, "%s", arus_rdkafka.err2str(code));
        }
        arus_rdkafka.event_destroy(event);
    }
    arus_rdkafka.queue_destroy(queue);
    return code;
}

static enum arus_status make_topic(const struct arus_kafka_client *client, const char *topic,
                                   struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();
    struct found found = {.code = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART};
    char text[256] = "";
    const rd_kafka_resp_err_t code = create(client, topic, text, sizeof text);

    if (code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
        arus_ignore(arus_fail(err, code == RD_KAFKA_RESP_ERR__TIMED_OUT ? ARUS_RETRY : ARUS_FATAL,
                              code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED ||
                                      code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
                                  ? "ARUS_KAFKA_NOT_AUTHORIZED"
                                  : NULL,
                              "cannot make the fence topic `%s`: %s", topic, text));
        return arus_error_help(err, "make it yourself: one partition, cleanup.policy=compact; or "
                                    "name another: TBLPROPERTIES (fenceTopic '..')");
    }
    while (found.code != RD_KAFKA_RESP_ERR_NO_ERROR &&
           arus_clock_monotonic_us() - begin_us < (int64_t)ARUS_KAFKA_PATIENCE_MS * 1000) {
        ARUS_TRY(arus_kafka_client_topics(client, topic, look, &found, err));
        if (found.code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            arus_clock_sleep_us(20000);
        }
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_fence_prepare(const struct arus_kafka_client *client, const char *topic,
                                          bool may_create, struct arus_error *err)
{
    struct found found = {.code = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART};
    char what[300];

    ARUS_TRY(arus_kafka_client_topics(client, topic, look, &found, err));
    if (found.code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
        found.code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC) {
        if (may_create) {
            return make_topic(client, topic, err);
        }
        arus_ignore(arus_fail(
            err, ARUS_MISMATCH, "ARUS_KAFKA_FENCE_LOST",
            "the fence topic `%s` is gone: nothing says which batches the sink has", topic));
        return arus_error_help(err, "is it the right cluster? If the topic was deleted, start anew "
                                    "with a new checkpointLocation");
    }
    (void)snprintf(what, sizeof what, "fence topic `%s`", topic);
    if (found.code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return arus_kafka_fail(client, found.code, what, err);
    }
    if (found.partition_count != 1) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%s has %d partitions, it must have one", what,
                         found.partition_count);
    }
    return ARUS_OK;
}

/* ---- reading ---- */

static enum arus_status take_record(const rd_kafka_message_t *message, struct arus_kafka_fence *out,
                                    struct arus_error *err)
{
    json_t *root =
        json_loadb(message->payload == NULL ? "" : message->payload, message->len, 0, NULL);
    const json_t *batch = json_object_get(root, "batch");
    const char *attempt = json_string_value(json_object_get(root, "attempt"));
    const bool is_good = json_is_integer(batch) && attempt != NULL && strlen(attempt) == 36;

    if (is_good) {
        out->batch_id = json_integer_value(batch);
        (void)snprintf(out->attempt, sizeof out->attempt, "%s", attempt);
    }
    json_decref(root);
    if (!is_good) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_KAFKA_FENCE_LOST",
                         "the fence record at offset %lld cannot be read: a newer "
                         "arus wrote it?",
                         (long long)message->offset);
    }
    return ARUS_OK;
}

/* Reads [begin, marker]; the query's last record counts. Never takes silence
 * for the end. */
static enum arus_status read_span(const struct arus_kafka_client *reader,
                                  const struct arus_kafka_producer_config *config, int64_t marker,
                                  struct arus_kafka_fence *out, struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();
    const size_t key_size = strlen(config->query_id);

    for (;;) {
        rd_kafka_message_t *message = arus_rdkafka.consumer_poll(reader->rk, 100);
        enum arus_status status = ARUS_OK;
        bool is_marker = false;

        if (arus_clock_monotonic_us() - begin_us > (int64_t)DEADLINE_MS * 1000) {
            status = arus_fail(err, ARUS_RETRY, NULL,
                               "the fence topic `%s` cannot be read up to offset %lld: does a "
                               "transaction of another program stay open there?",
                               config->fence_topic, (long long)marker);
        } else if (message != NULL && message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
            status = arus_fail(err, ARUS_RETRY, NULL,
                               "the fence topic `%s` changed while it was "
                               "read",
                               config->fence_topic);
        } else if (message != NULL &&
                   message->err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
            status = arus_kafka_fail(reader, message->err, "fence topic", err);
        } else if (message != NULL && message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            is_marker = message->offset >= marker;
            if (!is_marker && message->key_len == key_size &&
                memcmp(message->key, config->query_id, key_size) == 0) {
                status = take_record(message, out, err);
            }
        }
        if (message != NULL) {
            arus_rdkafka.message_destroy(message);
        }
        if (status != ARUS_OK || is_marker) {
            return status;
        }
    }
}

static enum arus_status open_reader(const struct arus_kafka_producer_config *config,
                                    struct arus_kafka_client *out, struct arus_error *err)
{
    static const struct arus_kafka_setting DEFAULTS[] = {{"client.id", "arus"}, {NULL, NULL}};
    static const struct arus_kafka_setting FIXED[] = {
        {"group.id", "arus"},
        {"enable.auto.commit", "false"},
        {"enable.auto.offset.store", "false"},
        {"isolation.level", "read_committed"},
        {"auto.offset.reset", "error"},
        {"fetch.wait.max.ms", "20"},
        {"log_level", "2"},
        {NULL, NULL},
    };
    rd_kafka_conf_t *conf;

    ARUS_TRY(
        arus_kafka_conf_make(config->target, ARUS_KAFKA_CONSUMER, DEFAULTS, FIXED, &conf, err));
    ARUS_TRY(arus_kafka_client_open(config->target, ARUS_KAFKA_CONSUMER, conf, out, err));
    (void)arus_rdkafka.poll_set_consumer(out->rk);
    return ARUS_OK;
}

static enum arus_status read_back(const struct arus_kafka_client *reader,
                                  const struct arus_kafka_producer_config *config, int64_t marker,
                                  struct arus_kafka_fence *out, struct arus_error *err)
{
    struct arus_kafka_position item = {arus_text_of(config->fence_topic), 0, ARUS_KAFKA_EARLIEST};
    struct arus_kafka_positions one = {&item, 1};
    int64_t width = LOOK_BACK;
    int64_t begin;

    ARUS_TRY(arus_kafka_client_offsets(reader, &one, NULL, err));
    do {
        rd_kafka_topic_partition_list_t *list = arus_rdkafka.topic_partition_list_new(1);

        begin = marker - width > item.offset ? marker - width : item.offset;
        arus_rdkafka.topic_partition_list_add(list, config->fence_topic, 0)->offset = begin;
        (void)arus_rdkafka.assign(reader->rk, list);
        arus_rdkafka.topic_partition_list_destroy(list);
        ARUS_TRY(read_span(reader, config, marker, out, err));
        width *= 8;
    } while (out->batch_id < 0 && begin > item.offset);
    return ARUS_OK;
}

enum arus_status arus_kafka_fence_read(const struct arus_kafka_producer_config *config,
                                       int64_t marker, struct arus_kafka_fence *out,
                                       struct arus_error *err)
{
    struct arus_kafka_client reader;
    enum arus_status status;

    *out = (struct arus_kafka_fence){.batch_id = -1};
    ARUS_TRY(open_reader(config, &reader, err));
    status = read_back(&reader, config, marker, out, err);
    arus_kafka_client_close(&reader);
    return status;
}
