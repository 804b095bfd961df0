/** The Kafka sink: what its files share. */
#ifndef ARUS_CONNECTORS_KAFKA_SINK_H
#define ARUS_CONNECTORS_KAFKA_SINK_H

#include "kafka/client.h"
#include "kafka/encode.h"
#include "kafka/kafka.h"
#include "kafka/producer.h"
#include "kafka/stage.h"

enum arus_kafka_guarantee { ARUS_KAFKA_EXACTLY_ONCE, ARUS_KAFKA_AT_LEAST_ONCE };

struct arus_kafka_sink_settings {
    struct arus_text servers;
    struct arus_text topic;
    int guarantee; /* enum arus_kafka_guarantee */
    struct arus_text fence_topic;
    struct arus_kafka_encode_settings encode;
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
    struct arus_kafka_encoding sides[2];    /* value, key; format RAW: the column of that name */
};

/** A worker's means of encoding; zeroed = empty. */
struct arus_kafka_row_encoders {
    struct arus_kafka_encoder sides[2]; /* value, key */
    struct arus_buffer buffers[2];
};

/** Turns rows into staged records. */
ARUS_MUST_USE enum arus_status
arus_kafka_stage_rows(const struct arus_kafka_sink *sink, const struct arus_batch *batch,
                      struct arus_kafka_row_encoders *encoders, struct arus_arena *arena,
                      struct arus_kafka_stage *stage, struct arus_error *err);
/** Splits the columns into key and value where formats are given. */
ARUS_MUST_USE enum arus_status arus_kafka_bind_encodings(const struct arus_sink_config *config,
                                                         struct arus_arena *arena,
                                                         struct arus_kafka_sink *out,
                                                         struct arus_error *err);
/** Reads the options of a sink and checks the columns. */
ARUS_MUST_USE enum arus_status arus_kafka_sink_options(const struct arus_sink_config *config,
                                                       struct arus_arena *arena,
                                                       struct arus_kafka_sink *out,
                                                       struct arus_error *err);
extern const struct arus_option ARUS_KAFKA_SINK_OPTIONS[];
/** Leaves out the options of formats, which arus_kafka_bind_encodings reads. */
ARUS_MUST_USE enum arus_status arus_kafka_sink_own(const struct arus_settings *all,
                                                   struct arus_arena *arena,
                                                   struct arus_settings *out,
                                                   struct arus_error *err);
/** Settings without `kafka.*`, which go to the client (but
 * kafka.bootstrap.servers). */
ARUS_MUST_USE enum arus_status arus_kafka_own_settings(const struct arus_settings *all,
                                                       struct arus_arena *arena,
                                                       struct arus_settings *out,
                                                       struct arus_error *err);

#endif
