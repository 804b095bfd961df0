/** The life of a librdkafka instance, and questions to the cluster. */
#include "kafka/client.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>

#define SCRAM_VERSION 0x020601FF /* 2.6.1 sends the nonce once: Kafka 4 compares it */
#define COMMON_MAX    10000      /* messages looked at in one go */
#define STEP_MS       5000       /* one request; repeated until the patience ends */

struct arus_kafka_health {
    void *owner;                  /* set before the first request */
    arus_kafka_stray_fn on_stray; /* NULL: nobody minds */
    bool is_consumer;
    pthread_mutex_t mutex;
    rd_kafka_resp_err_t code;     /* of the last report */
    rd_kafka_resp_err_t hopeless; /* 0: nothing that waiting does not cure */
    char reason[256];
};

static bool is_hopeless(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL ||
           code == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED;
}

/* "k1:9092/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused
 * (after 0ms in state CONNECT)" becomes "connection refused". */
static void shorten(const char *text, char *out, size_t out_size)
{
    const char *failed = strstr(text, "failed: ");
    const char *begin = failed == NULL ? text : failed + 8;
    const char *end = strstr(begin, " (after");
    const size_t size = end == NULL ? strlen(begin) : (size_t)(end - begin);

    (void)snprintf(out, out_size, "%.*s", (int)(size < 200 ? size : 200), begin);
    if (failed != NULL && out[0] != '\0' && islower((unsigned char)out[1])) {
        out[0] = (char)tolower((unsigned char)out[0]);
    }
}

static void on_error(rd_kafka_t *rk, int code, const char *reason, void *opaque)
{
    struct arus_kafka_health *health = opaque;

    (void)rk;
    if (health == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&health->mutex);
    if (code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
        health->code = (rd_kafka_resp_err_t)code;
        shorten(reason, health->reason, sizeof health->reason);
        if (is_hopeless(health->code)) {
            health->hopeless = health->code;
        }
    }
    (void)pthread_mutex_unlock(&health->mutex);
}

static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk; /* what matters comes through on_error */
    (void)level;
    (void)facility;
    (void)text;
}

enum arus_status arus_kafka_client_open(const struct arus_kafka_target *target,
                                        enum arus_kafka_role role, rd_kafka_conf_t *conf,
                                        struct arus_kafka_client *out, struct arus_error *err)
{
    char text[256] = "";

    *out =
        (struct arus_kafka_client){.target = target, .health = arus_alloc(1, sizeof *out->health)};
    if (out->health == NULL) {
        arus_rdkafka.conf_destroy(conf);
        return arus_fail_memory(err);
    }
    (void)pthread_mutex_init(&out->health->mutex, NULL);
    out->health->is_consumer = role == ARUS_KAFKA_CONSUMER;
    arus_rdkafka.conf_set_opaque(conf, out->health);
    arus_rdkafka.conf_set_error_cb(conf, on_error);
    arus_rdkafka.conf_set_log_cb(conf, on_log);
    out->rk = arus_rdkafka.new(role == ARUS_KAFKA_CONSUMER ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER,
                               conf, text, sizeof text);
    if (out->rk == NULL) {
        arus_rdkafka.conf_destroy(conf);
        arus_kafka_client_close(out);
        return arus_fail_at(err, target->servers->key_place, NULL, "Kafka settings: %s", text);
    }
    return ARUS_OK;
}

void arus_kafka_client_close(struct arus_kafka_client *client)
{
    if (client->rk != NULL) {
        arus_rdkafka.destroy_flags(client->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
        client->rk = NULL;
    }
    if (client->health != NULL) {
        (void)pthread_mutex_destroy(&client->health->mutex);
        arus_free(client->health);
        client->health = NULL;
    }
}

void arus_kafka_client_own(const struct arus_kafka_client *client, void *owner)
{
    client->health->owner = owner;
}

void *arus_kafka_owner_of(void *opaque)
{
    return ((struct arus_kafka_health *)opaque)->owner;
}

void arus_kafka_client_on_stray(const struct arus_kafka_client *client, arus_kafka_stray_fn fn)
{
    client->health->on_stray = fn;
}

static void take_common(const struct arus_kafka_client *client, const rd_kafka_message_t *message)
{
    struct arus_kafka_health *health = client->health;

    if (message->rkt == NULL) {
        on_error(client->rk, message->err, arus_rdkafka.message_errstr(message), health);
    } else if (health->on_stray != NULL) {
        health->on_stray(health->owner, arus_rdkafka.topic_name(message->rkt), message->partition);
    }
}

/* rd_kafka_poll ends the process when a record lies in a consumer's common queue. */
void arus_kafka_client_poll(const struct arus_kafka_client *client)
{
    rd_kafka_message_t *message;

    if (!client->health->is_consumer) {
        (void)arus_rdkafka.poll(client->rk, 0);
        return;
    }
    for (int i = 0; i < COMMON_MAX; i++) {
        message = arus_rdkafka.consumer_poll(client->rk, 0);
        if (message == NULL) {
            return;
        }
        take_common(client, message);
        arus_rdkafka.message_destroy(message);
    }
}

static void report(const struct arus_kafka_client *client, char *reason, size_t size,
                   rd_kafka_resp_err_t *hopeless)
{
    (void)pthread_mutex_lock(&client->health->mutex);
    (void)snprintf(reason, size, "%s", client->health->reason);
    *hopeless = client->health->hopeless;
    (void)pthread_mutex_unlock(&client->health->mutex);
}

enum arus_status arus_kafka_client_check(const struct arus_kafka_client *client,
                                         struct arus_error *err)
{
    const struct arus_setting *servers = client->target->servers;
    rd_kafka_resp_err_t hopeless;
    char reason[256];

    arus_kafka_client_poll(client);
    report(client, reason, sizeof reason, &hopeless);
    if (hopeless == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail_at(err, servers->value_place, "ARUS_KAFKA_NOT_AUTHORIZED",
                             "%.*s does not let us in: %s", ARUS_TEXT_ARGS(servers->value),
                             reason));
    if (strstr(reason, "SCRAM") != NULL && arus_rdkafka.version() < SCRAM_VERSION) {
        return arus_error_help(err,
                               "librdkafka %s cannot log in by SCRAM at Kafka 4, which compares "
                               "the nonce: put librdkafka 2.6.1 or newer in LD_LIBRARY_PATH",
                               arus_rdkafka.version_str());
    }
    return err->status;
}

enum arus_status arus_kafka_fail_unreachable(const struct arus_kafka_client *client,
                                             int64_t waited_ms, struct arus_error *err)
{
    const struct arus_setting *servers = client->target->servers;
    rd_kafka_resp_err_t hopeless;
    char reason[256];

    ARUS_TRY(arus_kafka_client_check(client, err));
    report(client, reason, sizeof reason, &hopeless);
    arus_ignore(arus_fail(err, ARUS_RETRY, "ARUS_KAFKA_UNREACHABLE",
                          "no Kafka broker at %.*s (%s, tried %lld s)",
                          ARUS_TEXT_ARGS(servers->value), reason[0] == '\0' ? "no answer" : reason,
                          (long long)(waited_ms / 1000)));
    (void)arus_error_at(err, servers->value_place);
    return arus_error_help(err, "is it running? arus topics -b %.*s",
                           ARUS_TEXT_ARGS(servers->value));
}

static bool is_unauthorized(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
           code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED ||
           code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED ||
           code == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
}

enum arus_status arus_kafka_fail(const struct arus_kafka_client *client, rd_kafka_resp_err_t code,
                                 const char *what, struct arus_error *err)
{
    ARUS_TRY(arus_kafka_client_check(client, err));
    if (is_unauthorized(code)) {
        return arus_fail(err, ARUS_FATAL, "ARUS_KAFKA_NOT_AUTHORIZED", "%s: %s", what,
                         arus_rdkafka.err2str(code));
    }
    return arus_fail(err, ARUS_RETRY, NULL, "%s: %s", what, arus_rdkafka.err2str(code));
}

/* ---- topics ---- */

/* Does it make sense to ask again? */
static bool is_passing(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TRANSPORT ||
           code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code == RD_KAFKA_RESP_ERR__RESOLVE ||
           code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
           code == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
           code == RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT ||
           code == RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE ||
           code == RD_KAFKA_RESP_ERR__WAIT_COORD || code == RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE;
}

/* Has every partition a leader, so that offsets can be asked for? */
static bool is_complete(const struct rd_kafka_metadata *metadata, const char *topic)
{
    for (int t = 0; topic != NULL && t < metadata->topic_cnt; t++) {
        const rd_kafka_metadata_topic_t *one = &metadata->topics[t];

        if (is_passing(one->err)) {
            return false;
        }
        for (int p = 0; p < one->partition_cnt; p++) {
            if (one->partitions[p].leader < 0) {
                return false;
            }
        }
    }
    return true;
}

static enum arus_status ask_metadata(const struct arus_kafka_client *client, rd_kafka_topic_t *rkt,
                                     const char *topic, const struct rd_kafka_metadata **out,
                                     struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();

    for (;;) {
        const rd_kafka_resp_err_t code =
            arus_rdkafka.metadata(client->rk, rkt == NULL, rkt, out, STEP_MS);
        const int64_t waited_ms = (arus_clock_monotonic_us() - begin_us) / 1000;

        if (code == RD_KAFKA_RESP_ERR_NO_ERROR &&
            (is_complete(*out, topic) || waited_ms >= ARUS_KAFKA_PATIENCE_MS)) {
            return ARUS_OK;
        }
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            arus_rdkafka.metadata_destroy(*out);
        } else if (!is_passing(code)) {
            return arus_kafka_fail(client, code, "metadata", err);
        } else if (waited_ms >= ARUS_KAFKA_PATIENCE_MS) {
            return arus_kafka_fail_unreachable(client, waited_ms, err);
        }
        ARUS_TRY(arus_kafka_client_check(client, err));
        arus_clock_sleep_us(20000);
    }
}

enum arus_status arus_kafka_client_topics(const struct arus_kafka_client *client, const char *topic,
                                          arus_kafka_topic_fn fn, void *self,
                                          struct arus_error *err)
{
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_topic_t *rkt = NULL;
    enum arus_status status;

    if (topic != NULL) {
        rkt = arus_rdkafka.topic_new(client->rk, topic, NULL);
        if (rkt == NULL) {
            return arus_fail(err, ARUS_BAD_CONFIG, NULL, "`%s` is no name of a topic", topic);
        }
    }
    status = ask_metadata(client, rkt, topic, &metadata, err);
    for (int i = 0; status == ARUS_OK && i < metadata->topic_cnt; i++) {
        status = fn(self, &metadata->topics[i], err);
    }
    if (metadata != NULL) {
        arus_rdkafka.metadata_destroy(metadata);
    }
    if (rkt != NULL) {
        arus_rdkafka.topic_destroy(rkt);
    }
    return status;
}

struct nearest {
    struct arus_text wanted;
    char name[256];
    size_t distance;
};

static enum arus_status look_at_name(void *self, const rd_kafka_metadata_topic_t *topic,
                                     struct arus_error *err)
{
    struct nearest *nearest = self;
    const struct arus_text name = arus_text_of(topic->topic);
    const size_t distance = arus_text_distance(name, nearest->wanted);

    (void)err;
    if (distance < nearest->distance && distance * 3 <= nearest->wanted.size + 2 &&
        name.size < sizeof nearest->name) {
        nearest->distance = distance;
        (void)snprintf(nearest->name, sizeof nearest->name, "%s", topic->topic);
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_fail_topic(const struct arus_kafka_client *client, const char *topic,
                                       struct arus_place place, struct arus_error *err)
{
    const struct arus_text servers = client->target->servers->value;
    struct nearest nearest = {.wanted = arus_text_of(topic), .distance = SIZE_MAX};
    struct arus_error ignored;

    arus_ignore(arus_kafka_client_topics(client, NULL, look_at_name, &nearest, &ignored));
    arus_ignore(arus_fail_at(err, place, "ARUS_KAFKA_UNKNOWN_TOPIC", "%.*s has no topic `%s`",
                             ARUS_TEXT_ARGS(servers), topic));
    if (nearest.name[0] == '\0') {
        return arus_error_help(err, "all topics: arus topics -b %.*s", ARUS_TEXT_ARGS(servers));
    }
    return arus_error_help(err, "did you mean `%s`? all of them: arus topics -b %.*s", nearest.name,
                           ARUS_TEXT_ARGS(servers));
}

/* ---- offsets ---- */

static rd_kafka_topic_partition_list_t *list_of(const struct arus_kafka_positions *positions)
{
    rd_kafka_topic_partition_list_t *list =
        arus_rdkafka.topic_partition_list_new((int)positions->count);

    for (size_t i = 0; i < positions->count; i++) {
        arus_rdkafka
            .topic_partition_list_add(list, positions->items[i].topic.data,
                                      positions->items[i].partition)
            ->offset = positions->items[i].offset;
    }
    return list;
}

static bool is_unknown(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION ||
           code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
           code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
}

/* `*code`: the first partition's failure that is worth another try, or that
 * ends it all. */
static rd_kafka_resp_err_t ask_once(const struct arus_kafka_client *client,
                                    struct arus_kafka_positions *positions, bool *is_gone)
{
    rd_kafka_topic_partition_list_t *list = list_of(positions);
    rd_kafka_resp_err_t code = arus_rdkafka.offsets_for_times(client->rk, list, STEP_MS);

    if (is_unknown(code)) { /* of single partitions: told below */
        code = RD_KAFKA_RESP_ERR_NO_ERROR;
    }
    for (int i = 0; i < list->cnt && code == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
        if (!is_unknown(list->elems[i].err) || is_gone == NULL) {
            code = list->elems[i].err;
        }
    }
    for (int i = 0; i < list->cnt && code == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
        if (is_gone != NULL) {
            is_gone[i] = is_unknown(list->elems[i].err);
        }
        positions->items[i].offset =
            list->elems[i].err == RD_KAFKA_RESP_ERR_NO_ERROR ? list->elems[i].offset : -1;
    }
    arus_rdkafka.topic_partition_list_destroy(list);
    return code;
}

enum arus_status arus_kafka_client_offsets(const struct arus_kafka_client *client,
                                           struct arus_kafka_positions *positions, bool *is_gone,
                                           struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();

    while (positions->count > 0) {
        const rd_kafka_resp_err_t code = ask_once(client, positions, is_gone);
        const int64_t waited_ms = (arus_clock_monotonic_us() - begin_us) / 1000;

        if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            return ARUS_OK;
        }
        if (!is_passing(code)) {
            return arus_kafka_fail(client, code, "offsets", err);
        }
        if (waited_ms >= ARUS_KAFKA_PATIENCE_MS) {
            return arus_kafka_fail_unreachable(client, waited_ms, err);
        }
        ARUS_TRY(arus_kafka_client_check(client, err));
        arus_clock_sleep_us(20000);
    }
    return ARUS_OK;
}
