/** The Kafka sink: what its files share. */
#ifndef ARUS_CONNECTORS_KAFKA_SINK_H
#define ARUS_CONNECTORS_KAFKA_SINK_H

#include "kafka/client.h"
#include "kafka/kafka.h"
#include "kafka/producer.h"
#include "kafka/stage.h"

enum arus_kafka_guarantee { ARUS_KAFKA_EXACTLY_ONCE, ARUS_KAFKA_AT_LEAST_ONCE };

struct arus_kafka_sink_settings {
    struct arus_text servers;
    struct arus_text topic;
    int guarantee; /* enum arus_kafka_guarantee */
    struct arus_text fence_topic;
};

/** Columns that mean something to Kafka. */
enum arus_kafka_part {
    ARUS_KAFKA_PART_KEY,
    ARUS_KAFKA_PART_VALUE,
    ARUS_KAFKA_PART_TOPIC,
    ARUS_KAFKA_PART_HEADERS,
    ARUS_KAFKA_PART_PARTITION,
    ARUS_KAFKA_PART_COUNT
};

struct arus_kafka_sink {
    struct arus_sink base;
    struct arus_kafka_target target;
    struct arus_kafka_sink_settings settings;
    int32_t columns[ARUS_KAFKA_PART_COUNT]; /* position in the schema; -1: none */
    int64_t record_size_max;                /* message.max.bytes */
};

/** Turns rows into staged records. */
ARUS_MUST_USE enum arus_status arus_kafka_stage_rows(const struct arus_kafka_sink *sink,
                                                     const struct arus_batch *batch,
                                                     struct arus_arena *arena,
                                                     struct arus_kafka_stage *stage,
                                                     struct arus_error *err);
/** Reads the options of a sink and checks the columns. */
ARUS_MUST_USE enum arus_status arus_kafka_sink_options(const struct arus_sink_config *config,
                                                       struct arus_arena *arena,
                                                       struct arus_kafka_sink *out,
                                                       struct arus_error *err);
extern const struct arus_option ARUS_KAFKA_SINK_OPTIONS[];
/** Settings without `kafka.*`, which go to the client (but kafka.bootstrap.servers). */
ARUS_MUST_USE enum arus_status arus_kafka_own_settings(const struct arus_settings *all,
                                                       struct arus_arena *arena,
                                                       struct arus_settings *out,
                                                       struct arus_error *err);

#endif
