/** Messages as columns: Spark's key, value, topic, partition, offset,
 * timestamp, headers. */
#ifndef ARUS_CONNECTORS_KAFKA_MESSAGE_H
#define ARUS_CONNECTORS_KAFKA_MESSAGE_H

#include "column/vector.h"
#include "kafka/source.h"

/** Messages of one partition, in order. Borrowed. */
struct arus_kafka_messages {
    rd_kafka_message_t *const *items;
    uint32_t count;
    struct arus_text topic;
    int32_t partition;
};

/** One column, copied out of the messages into the arena. `type` may have fewer
 * fields than the column's own (headers). */
ARUS_MUST_USE enum arus_status
arus_kafka_message_column(const struct arus_kafka_messages *messages, enum arus_kafka_column column,
                          const struct arus_type *type, struct arus_arena *arena,
                          struct arus_vector *out, struct arus_error *err);
/** `_metadata`: a STRUCT of such columns, by name. */
ARUS_MUST_USE enum arus_status
arus_kafka_message_metadata(const struct arus_kafka_messages *messages,
                            const struct arus_type *type, struct arus_arena *arena,
                            struct arus_vector *out, struct arus_error *err);

#endif
