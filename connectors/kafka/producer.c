/** Producers, their transactions, and what may be left of one. */
#include "kafka/producer.h"

#include "base/clock.h"
#include "base/failpoint.h"

#include <stdio.h>

#ifdef __clang__ /* librdkafka's RD_KAFKA_V_ macros */
#pragma clang diagnostic ignored "-Wgnu-statement-expression"
#endif

#define API_PRODUCE   0
#define API_TXN_FIRST 22 /* InitProducerId .. TxnOffsetCommit */
#define API_TXN_LAST  28
#define API_END_TXN   26
#define STEP_MS       1000   /* one wait; a stop is looked for in between */
#define STOP_MS       3000   /* a batch that is being sent may end so long after a stop */
#define COMMIT_MS     120000 /* then another producer asks what became of it */
#define SEND_MAX      1000   /* records handed over in one call */

/* ---- callbacks ---- */

static rd_kafka_resp_err_t on_sent(rd_kafka_t *rk, int fd, const char *name, int32_t broker,
                                   int16_t api, int16_t version, int32_t id, size_t size,
                                   void *opaque)
{
    struct arus_kafka_producer *producer = opaque;

    (void)rk, (void)fd, (void)name, (void)broker, (void)version, (void)id, (void)size;
    if (api == API_END_TXN) {
        __atomic_add_fetch(&producer->end_sent, 1, __ATOMIC_SEQ_CST);
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t on_reply(rd_kafka_t *rk, int fd, const char *name, int32_t broker,
                                    int16_t api, int16_t version, int32_t id, size_t size,
                                    int64_t rtt, rd_kafka_resp_err_t code, void *opaque)
{
    struct arus_kafka_producer *producer = opaque;

    (void)rk, (void)fd, (void)name, (void)broker, (void)version, (void)id, (void)size, (void)rtt;
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR &&
        (api == API_PRODUCE || (api >= API_TXN_FIRST && api <= API_TXN_LAST))) {
        __atomic_add_fetch(&producer->bad_count, 1, __ATOMIC_SEQ_CST);
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t on_new(rd_kafka_t *rk, const rd_kafka_conf_t *conf, void *opaque,
                                  char *text, size_t text_size)
{
    (void)conf, (void)text, (void)text_size;
    (void)arus_rdkafka.interceptor_add_on_request_sent(rk, "arus", on_sent, opaque);
    return arus_rdkafka.interceptor_add_on_response_received(rk, "arus", on_reply, opaque);
}

static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
    struct arus_kafka_producer *producer = arus_kafka_owner_of(opaque);

    (void)rk;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (producer->failure == RD_KAFKA_RESP_ERR_NO_ERROR) {
            producer->failure = message->err;
            producer->failed = message->_private;
        }
    } else if (message->_private == &producer->marker_offset) {
        producer->marker_offset = message->offset;
    }
}

bool arus_kafka_producer_is_tainted(const struct arus_kafka_producer *producer)
{
    return producer->config->fence_topic != NULL &&
           (__atomic_load_n(&producer->end_sent, __ATOMIC_SEQ_CST) != 1 ||
            __atomic_load_n(&producer->bad_count, __ATOMIC_SEQ_CST) != 0);
}

bool arus_kafka_stop_is_due(struct arus_kafka_stop *stop)
{
    const int64_t now_us = arus_clock_monotonic_us();

    if (stop->level == NULL || *stop->level == 0) {
        return false;
    }
    if (stop->seen_us == 0) {
        stop->seen_us = now_us;
    }
    return *stop->level >= stop->at_once || now_us - stop->seen_us > (int64_t)STOP_MS * 1000;
}

/* ---- opening ---- */

static enum arus_status make_conf(const struct arus_kafka_producer_config *config,
                                  bool sends_single, rd_kafka_conf_t **out, struct arus_error *err)
{
    static const struct arus_kafka_setting DEFAULTS[] = {
        {"client.id", "arus"},
        {"linger.ms", "5"},
        {"compression.codec", "lz4"},
        {"queue.buffering.max.messages", "20000"}, /* what is sent soon is still in the cache */
        {"queue.buffering.max.kbytes", "65536"},
        {"retry.backoff.ms", "20"},
        {"reconnect.backoff.max.ms", "1000"},
        {"socket.nagle.disable", "true"},
        {"partitioner", "murmur2_random"}, /* Java's, for records with a key */
        {"enable.idempotence", "true"},
        {"log_level", "2"},
        {NULL, NULL},
    };
    char id[64];
    const struct arus_kafka_setting fixed[] = {
        {"allow.auto.create.topics", "false"},
        {sends_single ? "batch.num.messages" : NULL, "1"},
        {NULL, NULL},
    };
    const struct arus_kafka_setting transactional[] = {
        {"allow.auto.create.topics", "false"},
        {"transactional.id", id},
        {sends_single ? "batch.num.messages" : NULL, "1"},
        {NULL, NULL},
    };

    (void)snprintf(id, sizeof id, "arus-%s", config->query_id);
    return arus_kafka_conf_make(config->target, ARUS_KAFKA_PRODUCER, DEFAULTS,
                                config->fence_topic == NULL ? fixed : transactional, out, err);
}

/* 120 s, or what the user said. */
static enum arus_status set_timeout(const struct arus_kafka_producer_config *config,
                                    rd_kafka_conf_t *conf, struct arus_error *err)
{
    char text[256];

    if (config->fence_topic == NULL ||
        arus_settings_find(config->target->options, "kafka.transaction.timeout.ms") != NULL ||
        arus_rdkafka.conf_set(conf, "transaction.timeout.ms", "120000", text, sizeof text) ==
            RD_KAFKA_CONF_OK) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%s", text);
}

/* A transactional call that failed for good. */
static enum arus_status fail_call(const struct arus_kafka_producer *producer, const char *what,
                                  rd_kafka_error_t *error, struct arus_error *err)
{
    const rd_kafka_resp_err_t code = arus_rdkafka.error_code(error);
    char text[256];

    (void)snprintf(text, sizeof text, "%s: %s", what, arus_rdkafka.error_string(error));
    arus_rdkafka.error_destroy(error);
    ARUS_TRY(arus_kafka_client_check(&producer->client, err));
    if (code == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED ||
        code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED) {
        arus_ignore(arus_fail(err, ARUS_FATAL, "ARUS_KAFKA_NOT_AUTHORIZED", "%s", text));
        return arus_error_help(err, "needed: Write on the transactional id arus-%s",
                               producer->config->query_id);
    }
    return arus_fail(
        err, code == RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT ? ARUS_BAD_CONFIG : ARUS_RETRY,
        NULL, "%s", text);
}

static enum arus_status init_transactions(struct arus_kafka_producer *producer,
                                          struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();

    for (;;) {
        rd_kafka_error_t *error = arus_rdkafka.init_transactions(producer->client.rk, STEP_MS);
        const int64_t waited_ms = (arus_clock_monotonic_us() - begin_us) / 1000;

        if (error == NULL) {
            return ARUS_OK;
        }
        if (!arus_rdkafka.error_is_retriable(error)) {
            return fail_call(producer, "init transactions", error, err);
        }
        arus_rdkafka.error_destroy(error);
        ARUS_TRY(arus_kafka_client_check(&producer->client, err));
        if (waited_ms >= ARUS_KAFKA_PATIENCE_MS || arus_kafka_stop_is_due(producer->config->stop)) {
            return arus_kafka_fail_unreachable(&producer->client, waited_ms, err);
        }
    }
}

static void begin_account(struct arus_kafka_producer *producer)
{
    __atomic_store_n(&producer->end_sent, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&producer->bad_count, 0, __ATOMIC_SEQ_CST);
    producer->failed = NULL;
    producer->failure = RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* 0: queued. */
static rd_kafka_resp_err_t put_fence(struct arus_kafka_producer *producer, const char *key,
                                     const char *value, void *opaque)
{
    rd_kafka_resp_err_t code;

    do {
        code = arus_rdkafka.producev(
            producer->client.rk, RD_KAFKA_V_TOPIC(producer->config->fence_topic),
            RD_KAFKA_V_PARTITION(0), RD_KAFKA_V_KEY((void *)(uintptr_t)key, strlen(key)),
            RD_KAFKA_V_VALUE((void *)(uintptr_t)value, strlen(value)),
            RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_OPAQUE(opaque), RD_KAFKA_V_END);
        if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            (void)arus_rdkafka.poll(producer->client.rk, 10);
        }
    } while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL);
    return code;
}

/* A transaction that holds the marker only: behind it, everything older is
 * decided. False: once more, with another producer. */
static bool send_marker(struct arus_kafka_producer *producer)
{
    rd_kafka_error_t *error = NULL;
    char key[64];

    producer->marker_offset = -1;
    begin_account(producer);
    error = arus_rdkafka.begin_transaction(producer->client.rk);
    if (error == NULL) {
        (void)snprintf(key, sizeof key, "%s#open", producer->config->query_id);
        if (put_fence(producer, key, "{\"v\":1}", &producer->marker_offset) !=
            RD_KAFKA_RESP_ERR_NO_ERROR) {
            return false;
        }
        error = arus_rdkafka.commit_transaction(producer->client.rk, ARUS_KAFKA_PATIENCE_MS);
    }
    if (error != NULL) {
        arus_rdkafka.error_destroy(error);
        return false;
    }
    return producer->marker_offset >= 0 && !arus_kafka_producer_is_tainted(producer);
}

static enum arus_status open_client(struct arus_kafka_producer *producer, bool sends_single,
                                    struct arus_error *err)
{
    rd_kafka_conf_t *conf;

    ARUS_TRY(make_conf(producer->config, sends_single, &conf, err));
    if (set_timeout(producer->config, conf, err) != ARUS_OK) {
        arus_rdkafka.conf_destroy(conf);
        return err->status;
    }
    arus_rdkafka.conf_set_dr_msg_cb(conf, on_delivery);
    if (producer->config->fence_topic != NULL) {
        (void)arus_rdkafka.conf_interceptor_add_on_new(conf, "arus", on_new, producer);
    }
    ARUS_TRY(arus_kafka_client_open(producer->config->target, ARUS_KAFKA_PRODUCER, conf,
                                    &producer->client, err));
    arus_kafka_client_own(&producer->client, producer);
    return ARUS_OK;
}

/* One instance that has written its marker; tried again while brokers come and
 * go. */
static enum arus_status open_fenced(struct arus_kafka_producer *producer, bool may_create,
                                    bool sends_single, struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();

    for (;;) {
        const int64_t waited_ms = (arus_clock_monotonic_us() - begin_us) / 1000;

        ARUS_TRY(open_client(producer, sends_single, err));
        ARUS_TRY(arus_kafka_fence_prepare(&producer->client, producer->config->fence_topic,
                                          may_create, err));
        ARUS_TRY(init_transactions(producer, err));
        if (send_marker(producer)) {
            return ARUS_OK;
        }
        ARUS_TRY(arus_kafka_client_check(&producer->client, err));
        if (waited_ms >= 4 * ARUS_KAFKA_PATIENCE_MS) {
            if (producer->failure != RD_KAFKA_RESP_ERR_NO_ERROR) {
                return arus_kafka_fail(&producer->client, producer->failure, "fence topic", err);
            }
            return arus_kafka_fail_unreachable(&producer->client, waited_ms, err);
        }
        arus_kafka_producer_close(producer);
    }
}

enum arus_status arus_kafka_producer_open(const struct arus_kafka_producer_config *config,
                                          bool may_create, bool sends_single,
                                          struct arus_kafka_producer *out, struct arus_error *err)
{
    enum arus_status status;

    *out = (struct arus_kafka_producer){
        .config = config, .sends_single = sends_single, .fence = {.batch_id = -1}};
    if (config->fence_topic == NULL) {
        return open_client(out, sends_single, err);
    }
    status = open_fenced(out, may_create, sends_single, err);
    if (status == ARUS_OK) {
        status = arus_kafka_fence_read(config, out->marker_offset, &out->fence, err);
    }
    if (status != ARUS_OK) {
        arus_kafka_producer_close(out);
    }
    return status;
}

void arus_kafka_producer_close(struct arus_kafka_producer *producer)
{
    if (producer->client.rk != NULL) { /* nothing that was not sent may be sent now */
        (void)arus_rdkafka.purge(producer->client.rk,
                                 RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    }
    arus_kafka_client_close(&producer->client);
}

/* ---- sending ---- */

/* Records of one topic and partition on their way to librdkafka. Values are not
 * copied: the stages stay until the transaction is over. */
struct run {
    struct arus_kafka_producer *producer;
    rd_kafka_topic_t *topic;
    const char *name; /* of `topic` */
    int32_t partition;
    bool is_copied; /* the bytes go away: librdkafka keeps its own */
    rd_kafka_message_t items[SEND_MAX];
    int count;
};

static void fail_record(struct arus_kafka_producer *producer, rd_kafka_resp_err_t code,
                        const void *stored)
{
    if (producer->failure == RD_KAFKA_RESP_ERR_NO_ERROR) {
        producer->failure = code;
        producer->failed = stored;
    }
}

/* Hands the run over; what does not fit the queue waits for room. */
static void flush_run(struct run *run)
{
    struct arus_kafka_producer *producer = run->producer;
    int begin = 0;

    while (begin < run->count && producer->failure == RD_KAFKA_RESP_ERR_NO_ERROR) {
        int left = 0;

        (void)arus_rdkafka.produce_batch(run->topic, run->partition,
                                         run->is_copied ? RD_KAFKA_MSG_F_COPY : 0,
                                         &run->items[begin], run->count - begin);
        for (int i = begin; i < run->count; i++) {
            const rd_kafka_resp_err_t code = run->items[i].err;

            if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
                run->items[begin + left] = run->items[i];
                run->items[begin + left++].err = RD_KAFKA_RESP_ERR_NO_ERROR;
            } else if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
                fail_record(producer, code, run->items[i]._private);
            }
        }
        run->count = begin + left;
        (void)arus_rdkafka.poll(producer->client.rk, left > 0 ? 5 : 0);
    }
    run->count = 0;
}

static bool turn_to(struct run *run, const struct arus_kafka_record *record)
{
    if (run->count > 0 && (run->partition != record->partition || run->count == SEND_MAX ||
                           strcmp(run->name, record->topic) != 0)) {
        flush_run(run);
    }
    if (run->topic == NULL || strcmp(run->name, record->topic) != 0) {
        if (run->topic != NULL) {
            arus_rdkafka.topic_destroy(run->topic);
        }
        run->topic = arus_rdkafka.topic_new(run->producer->client.rk, record->topic, NULL);
        run->name = record->topic;
    }
    run->partition = record->partition;
    return run->topic != NULL;
}

static void add_to_run(struct run *run, const struct arus_kafka_record *record, const void *stored)
{
    if (!turn_to(run, record)) {
        fail_record(run->producer, RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, stored);
        return;
    }
    run->items[run->count++] =
        (rd_kafka_message_t){.payload = (void *)(uintptr_t)record->value.data,
                             .len = record->value.size,
                             .key = (void *)(uintptr_t)record->key.data,
                             .key_len = record->key.size,
                             ._private = run->is_copied ? NULL : (void *)(uintptr_t)stored};
}

/* A record with headers goes alone. */
static void send_with_headers(struct arus_kafka_producer *producer, bool is_copied,
                              const struct arus_kafka_record *record, const void *stored)
{
    rd_kafka_headers_t *headers = arus_rdkafka.headers_new(record->header_count);
    rd_kafka_resp_err_t code;

    for (uint32_t i = 0; i < record->header_count; i++) {
        struct arus_kafka_header header;

        arus_kafka_stage_header(stored, i, &header);
        (void)arus_rdkafka.header_add(headers, header.name.data, (ssize_t)header.name.size,
                                      header.value.data,
                                      header.value.data == NULL ? 0 : (ssize_t)header.value.size);
    }
    do {
        code = arus_rdkafka.producev(
            producer->client.rk, RD_KAFKA_V_TOPIC(record->topic),
            RD_KAFKA_V_PARTITION(record->partition),
            RD_KAFKA_V_KEY((void *)(uintptr_t)record->key.data, record->key.size),
            RD_KAFKA_V_VALUE((void *)(uintptr_t)record->value.data, record->value.size),
            RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_MSGFLAGS(is_copied ? RD_KAFKA_MSG_F_COPY : 0),
            RD_KAFKA_V_OPAQUE(is_copied ? NULL : (void *)(uintptr_t)stored), RD_KAFKA_V_END);
        if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            (void)arus_rdkafka.poll(producer->client.rk, 5);
        }
    } while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        arus_rdkafka.headers_destroy(headers);
        fail_record(producer, code, stored);
    }
}

static enum arus_status send_stage(struct run *run, const struct arus_kafka_stage *stage,
                                   struct arus_error *err)
{
    struct arus_kafka_cursor cursor = {.stage = stage};
    struct arus_kafka_record record;
    enum arus_status status = ARUS_OK;
    const void *stored = NULL;

    while (run->producer->failure == RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (arus_kafka_stage_is_turning(&cursor)) {
            flush_run(run); /* the next records may take the place of these */
        }
        status = arus_kafka_stage_next(&cursor, &record, &stored, err);
        if (status != ARUS_OK || stored == NULL) {
            break;
        }
        run->is_copied = arus_kafka_stage_is_spilled(&cursor);
        if (record.header_count == 0) {
            add_to_run(run, &record, stored);
        } else {
            flush_run(run); /* order */
            send_with_headers(run->producer, run->is_copied, &record, stored);
        }
    }
    flush_run(run);
    arus_kafka_cursor_end(&cursor);
    return status;
}

static enum arus_status send_stages(struct arus_kafka_producer *producer,
                                    const struct arus_kafka_stage *const *stages, size_t count,
                                    struct arus_error *err)
{
    enum arus_status status = ARUS_OK;
    static _Thread_local struct run run; /* too large for a frame */

    run = (struct run){.producer = producer};
    for (size_t i = 0; i < count && status == ARUS_OK; i++) {
        status = send_stage(&run, stages[i], err);
    }
    if (run.topic != NULL) {
        arus_rdkafka.topic_destroy(run.topic);
        run.topic = NULL;
    }
    return status;
}

/* ---- the end of a transaction ---- */

static bool is_permanent(rd_kafka_resp_err_t code)
{
    switch ((int)code) {
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
        return true;
    default:
        return false;
    }
}

static size_t shown(size_t size, size_t max)
{
    return size < max ? size : max;
}

/* Says which record was refused, and why. */
static void explain(const struct arus_kafka_producer *producer, struct arus_error *err)
{
    const rd_kafka_resp_err_t code = producer->failure;
    const bool is_size = code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
                         code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
    const bool is_right = code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    struct arus_kafka_record record = {.topic = producer->config->fence_topic};

    if (producer->failed != NULL && producer->failed != &producer->marker_offset) {
        arus_kafka_stage_record(producer->failed, &record);
    }
    arus_ignore(arus_fail(
        err, is_right ? ARUS_FATAL : ARUS_BAD_DATA, is_right ? "ARUS_KAFKA_NOT_AUTHORIZED" : NULL,
        "topic `%s` does not take a record%s: %s", record.topic == NULL ? "?" : record.topic,
        code == RD_KAFKA_RESP_ERR_INVALID_RECORD ? " (without a key?)" : "",
        arus_rdkafka.err2str(code)));
    if (producer->failed != NULL) {
        (void)arus_error_row(err, "key %.*s, value of %zu bytes: %.*s",
                             record.key.data == NULL ? 4 : (int)shown(record.key.size, 60),
                             record.key.data == NULL ? "NULL" : record.key.data, record.value.size,
                             (int)shown(record.value.size, 120),
                             record.value.data == NULL ? "" : record.value.data);
    }
    if (is_size) {
        (void)arus_error_help(
            err, "the size must fit max.message.bytes of the topic and "
                 "kafka.message.max.bytes of the sink; nothing of the batch is visible");
    } else if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) {
        (void)arus_error_help(err, "the partition column names a partition that is not there; "
                                   "nothing of the batch is visible");
    } else {
        (void)arus_error_help(err, "nothing of the batch is visible");
    }
}

static enum arus_kafka_outcome judge(struct arus_kafka_producer *producer, struct arus_error *err)
{
    const rd_kafka_resp_err_t code = producer->failure;

    if (code == RD_KAFKA_RESP_ERR__FENCED || code == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
        code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH ||
        arus_rdkafka.fatal_error(producer->client.rk, NULL, 0) == RD_KAFKA_RESP_ERR__FENCED) {
        return ARUS_KAFKA_OUSTED;
    }
    if ((code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
         code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE) &&
        !producer->sends_single) {
        return ARUS_KAFKA_TOO_LARGE; /* the limit is one of record batches, too */
    }
    if (is_permanent(code)) {
        explain(producer, err);
        return ARUS_KAFKA_REFUSED;
    }
    return ARUS_KAFKA_UNDECIDED;
}

static enum arus_kafka_outcome abort_transaction(struct arus_kafka_producer *producer,
                                                 struct arus_error *err)
{
    rd_kafka_error_t *error =
        arus_rdkafka.abort_transaction(producer->client.rk, ARUS_KAFKA_PATIENCE_MS);

    if (error != NULL) { /* the next producer aborts it */
        arus_rdkafka.error_destroy(error);
    }
    return judge(producer, err);
}

/* Waits for answers in steps: a stop ends that, and so does the time a transaction may take. */
static bool may_wait(const struct arus_kafka_producer *producer, int64_t begin_us, int64_t max_ms)
{
    return arus_clock_monotonic_us() - begin_us < max_ms * 1000 &&
           !arus_kafka_stop_is_due(producer->config->stop);
}

static void flush(const struct arus_kafka_producer *producer)
{
    const int64_t begin_us = arus_clock_monotonic_us();

    while (arus_rdkafka.flush(producer->client.rk, STEP_MS) == RD_KAFKA_RESP_ERR__TIMED_OUT &&
           may_wait(producer, begin_us, ARUS_KAFKA_PATIENCE_MS)) {
    }
}

static enum arus_kafka_outcome commit_transaction(struct arus_kafka_producer *producer,
                                                  struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();

    for (;;) {
        rd_kafka_error_t *error = arus_rdkafka.commit_transaction(producer->client.rk, STEP_MS);
        rd_kafka_resp_err_t code;
        bool is_retriable;
        bool must_abort;

        if (error == NULL) {
            return ARUS_KAFKA_COMMITTED;
        }
        code = arus_rdkafka.error_code(error);
        is_retriable = arus_rdkafka.error_is_retriable(error) != 0;
        must_abort = arus_rdkafka.error_txn_requires_abort(error) != 0;
        arus_rdkafka.error_destroy(error);
        if (code == RD_KAFKA_RESP_ERR__FENCED) {
            return ARUS_KAFKA_OUSTED;
        }
        if (must_abort) {
            return abort_transaction(producer, err);
        }
        if (!is_retriable || !may_wait(producer, begin_us, COMMIT_MS)) {
            return judge(producer, err);
        }
    }
}

/* At least once: all records are acknowledged, or it is not done. */
static enum arus_kafka_outcome finish_plain(struct arus_kafka_producer *producer,
                                            struct arus_error *err)
{
    while (arus_rdkafka.flush(producer->client.rk, STEP_MS) == RD_KAFKA_RESP_ERR__TIMED_OUT) {
        if (producer->failure != RD_KAFKA_RESP_ERR_NO_ERROR ||
            arus_kafka_stop_is_due(producer->config->stop)) {
            break; /* records that cannot be delivered end by message.timeout.ms */
        }
    }
    if (producer->failure == RD_KAFKA_RESP_ERR_NO_ERROR &&
        arus_rdkafka.outq_len(producer->client.rk) == 0) {
        return ARUS_KAFKA_COMMITTED;
    }
    return judge(producer, err);
}

enum arus_kafka_outcome arus_kafka_producer_send(struct arus_kafka_producer *producer,
                                                 const struct arus_kafka_stage *const *stages,
                                                 size_t count, int64_t batch_id,
                                                 const char *attempt, struct arus_error *err)
{
    rd_kafka_error_t *error = NULL;
    enum arus_kafka_outcome outcome;
    char value[128];

    begin_account(producer);
    if (producer->config->fence_topic == NULL) {
        return send_stages(producer, stages, count, err) == ARUS_OK ? finish_plain(producer, err)
                                                                    : ARUS_KAFKA_REFUSED;
    }
    error = arus_rdkafka.begin_transaction(producer->client.rk);
    if (error != NULL) {
        outcome = arus_rdkafka.error_code(error) == RD_KAFKA_RESP_ERR__FENCED
                      ? ARUS_KAFKA_OUSTED
                      : ARUS_KAFKA_UNDECIDED;
        arus_rdkafka.error_destroy(error);
        return outcome;
    }
    if (send_stages(producer, stages, count, err) != ARUS_OK) {
        return ARUS_KAFKA_REFUSED; /* the next producer aborts it */
    }
    if (producer->failure == RD_KAFKA_RESP_ERR_NO_ERROR) {
        (void)snprintf(value, sizeof value, "{\"v\":1,\"batch\":%lld,\"attempt\":\"%s\"}",
                       (long long)batch_id, attempt);
        producer->failure = put_fence(producer, producer->config->query_id, value, NULL);
    }
    if (producer->failure != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return abort_transaction(producer, err); /* a commit would succeed without the record */
    }
    flush(producer);
    arus_failpoint_reach(ARUS_FAILPOINT_AFTER_FLUSH, batch_id);
    outcome = commit_transaction(producer, err);
    if (outcome == ARUS_KAFKA_COMMITTED) {
        arus_failpoint_reach(ARUS_FAILPOINT_AFTER_KAFKA_COMMIT, batch_id);
        producer->fence.batch_id = batch_id;
        (void)snprintf(producer->fence.attempt, sizeof producer->fence.attempt, "%s", attempt);
    }
    return outcome;
}
