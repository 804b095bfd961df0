/*
 * kafka_floor - what librdkafka alone needs to move records: CPU per record of a plain reader and of a plain writer.
 *
 *   kafka_floor HOST:PORT SOURCE TARGET PER_TRANSACTION
 *
 * Reads all records of SOURCE (read_committed, batch calls of 1000), keeps them, and writes the same keys and values to
 * TARGET, PER_TRANSACTION records in a transaction, lz4. Prints one JSON line: records, read_us, write_us (CPU of the
 * process per record). TARGET has as many partitions as SOURCE.
 */
#include <librdkafka/rdkafka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define BATCH 1000

struct record {
    size_t at; /* of the key in `bytes`; the value follows */
    uint32_t key_size;
    uint32_t value_size;
};

static char *bytes;
static size_t used, capacity;
static struct record *records;
static size_t count, records_max;
static int64_t failed;

static void die(const char *text)
{
    fprintf(stderr, "kafka_floor: %s\n", text);
    exit(1);
}

static void check(rd_kafka_error_t *error)
{
    if (error != NULL) {
        die(rd_kafka_error_string(error));
    }
}

static double cpu(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static rd_kafka_conf_t *settings(const char *servers, const char *const *more)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char text[256];

    if (rd_kafka_conf_set(conf, "bootstrap.servers", servers, text, sizeof text) != RD_KAFKA_CONF_OK) {
        die(text);
    }
    for (; more[0] != NULL; more += 2) {
        if (rd_kafka_conf_set(conf, more[0], more[1], text, sizeof text) != RD_KAFKA_CONF_OK) {
            die(text);
        }
    }
    return conf;
}

static rd_kafka_t *client(rd_kafka_type_t type, rd_kafka_conf_t *conf)
{
    char text[256];
    rd_kafka_t *rk = rd_kafka_new(type, conf, text, sizeof text);

    if (rk == NULL) {
        die(text);
    }
    return rk;
}

static int count_partitions(rd_kafka_t *rk, const char *name)
{
    const struct rd_kafka_metadata *metadata;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(rk, name, NULL);
    int partitions;

    if (rd_kafka_metadata(rk, 0, topic, &metadata, 30000) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        die("no metadata");
    }
    partitions = metadata->topics[0].partition_cnt;
    rd_kafka_metadata_destroy(metadata);
    rd_kafka_topic_destroy(topic);
    return partitions;
}

static void *grown(void *at, size_t size)
{
    at = realloc(at, size);
    if (at == NULL) {
        die("no memory");
    }
    return at;
}

static void keep(const rd_kafka_message_t *message)
{
    if (count == records_max) {
        records_max = records_max * 2 + 1024;
        records = grown(records, records_max * sizeof *records);
    }
    while (used + message->key_len + message->len > capacity) {
        capacity = capacity * 2 + (1 << 20);
        bytes = grown(bytes, capacity);
    }
    records[count++] = (struct record){used, (uint32_t)message->key_len, (uint32_t)message->len};
    if (message->key_len > 0) {
        memcpy(bytes + used, message->key, message->key_len);
    }
    used += message->key_len;
    if (message->len > 0) {
        memcpy(bytes + used, message->payload, message->len);
    }
    used += message->len;
}

/* All records there are; `is_kept` false: only read. CPU seconds. */
static double read_all(const char *servers, const char *topic, int is_kept)
{
    static const char *const MORE[] = {"group.id", "floor", "enable.auto.commit", "false", "enable.partition.eof", "true",
                                       "auto.offset.reset", "error", "isolation.level", "read_committed", NULL};
    rd_kafka_t *rk = client(RD_KAFKA_CONSUMER, settings(servers, MORE));
    const int partitions = count_partitions(rk, topic);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
    rd_kafka_queue_t *queue;
    double begin;

    rd_kafka_poll_set_consumer(rk);
    for (int i = 0; i < partitions; i++) {
        rd_kafka_topic_partition_list_add(list, topic, i)->offset = 0;
    }
    queue = rd_kafka_queue_get_consumer(rk);
    begin = cpu();
    rd_kafka_assign(rk, list);
    for (int ended = 0; ended < partitions;) {
        rd_kafka_message_t *messages[BATCH];
        const ssize_t got = rd_kafka_consume_batch_queue(queue, 20, messages, BATCH);

        for (ssize_t i = 0; i < got; i++) {
            if (messages[i]->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
                ended++;
            } else if (messages[i]->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
                die(rd_kafka_message_errstr(messages[i]));
            } else if (is_kept) {
                keep(messages[i]);
            } else {
                count++;
            }
            rd_kafka_message_destroy(messages[i]);
        }
    }
    begin = cpu() - begin;
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_queue_destroy(queue);
    rd_kafka_consumer_close(rk);
    rd_kafka_destroy(rk);
    return begin;
}

static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
    (void)rk, (void)opaque;
    failed += message->err != RD_KAFKA_RESP_ERR_NO_ERROR;
}

static double write_all(const char *servers, const char *topic, size_t per_transaction)
{
    static const char *const MORE[] = {"transactional.id", "floor", "compression.codec", "lz4", "linger.ms", "5",
                                       "queue.buffering.max.messages", "1000000", "queue.buffering.max.kbytes", "262144",
                                       "socket.nagle.disable", "true", "partitioner", "murmur2_random", NULL};
    rd_kafka_conf_t *conf = settings(servers, MORE);
    rd_kafka_t *rk;
    double begin;

    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    rk = client(RD_KAFKA_PRODUCER, conf);
    check(rd_kafka_init_transactions(rk, 30000));
    (void)count_partitions(rk, topic);
    begin = cpu();
    for (size_t i = 0; i < count; i++) {
        const struct record *record = &records[i];
        char *at = bytes + record->at;

        if (i % per_transaction == 0) {
            check(rd_kafka_begin_transaction(rk));
        }
        while (rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_KEY(at, record->key_size),
                                 RD_KAFKA_V_VALUE(at + record->key_size, record->value_size), RD_KAFKA_V_END) !=
               RD_KAFKA_RESP_ERR_NO_ERROR) {
            rd_kafka_poll(rk, 5);
        }
        if (i % per_transaction == per_transaction - 1 || i == count - 1) {
            check(rd_kafka_commit_transaction(rk, -1));
        } else if (i % 1024 == 0) {
            rd_kafka_poll(rk, 0);
        }
    }
    begin = cpu() - begin;
    if (failed > 0) {
        die("records were not delivered");
    }
    rd_kafka_destroy(rk);
    return begin;
}

int main(int argc, char **argv)
{
    double read_s;
    double write_s;
    size_t total;

    if (argc != 5) {
        die("usage: kafka_floor HOST:PORT SOURCE TARGET PER_TRANSACTION");
    }
    read_s = read_all(argv[1], argv[2], 0);
    total = count;
    count = 0;
    (void)read_all(argv[1], argv[2], 1);
    write_s = write_all(argv[1], argv[3], (size_t)strtoull(argv[4], NULL, 10));
    printf("{\"records\": %zu, \"read_us\": %.3f, \"write_us\": %.3f}\n", total, read_s / (double)total * 1e6,
           write_s / (double)total * 1e6);
    return 0;
}
