/** Offsets of many partitions, and their JSON as Spark writes it:
 * `{"topic":{"0":23,"1":7}}`. */
#ifndef ARUS_CONNECTORS_KAFKA_POSITIONS_H
#define ARUS_CONNECTORS_KAFKA_POSITIONS_H

#include "base/arena.h"
#include "base/text.h"

#include <stdint.h>

/** One partition; the offset is the next one to read, or whatever the list is
 * about. */
struct arus_kafka_position {
    struct arus_text topic; /* NUL-terminated, in the arena */
    int32_t partition;
    int64_t offset;
};

/** Sorted by topic, then partition; no partition twice. */
struct arus_kafka_positions {
    struct arus_kafka_position *items;
    size_t count;
};

#define ARUS_KAFKA_LATEST   ((int64_t)-1) /* as Spark's JSON and Kafka's protocol have it */
#define ARUS_KAFKA_EARLIEST ((int64_t)-2)

void arus_kafka_positions_sort(struct arus_kafka_positions *positions);
/** NULL: not in the list. */
const struct arus_kafka_position *
arus_kafka_positions_find(const struct arus_kafka_positions *positions, struct arus_text topic,
                          int32_t partition);
/** Are the same partitions in both? */
bool arus_kafka_positions_match(const struct arus_kafka_positions *a,
                                const struct arus_kafka_positions *b);
/** A copy; texts too. */
ARUS_MUST_USE enum arus_status arus_kafka_positions_copy(const struct arus_kafka_positions *from,
                                                         struct arus_arena *arena,
                                                         struct arus_kafka_positions *out,
                                                         struct arus_error *err);

/** Reads `{"topic":{"0":23}}`. Errors: ARUS_BAD_CONFIG, without a place. */
ARUS_MUST_USE enum arus_status arus_kafka_positions_parse(struct arus_text json,
                                                          struct arus_arena *arena,
                                                          struct arus_kafka_positions *out,
                                                          struct arus_error *err);
/** Reads `{"topic":[0,1]}`; all offsets 0. */
ARUS_MUST_USE enum arus_status arus_kafka_assignment_parse(struct arus_text json,
                                                           struct arus_arena *arena,
                                                           struct arus_kafka_positions *out,
                                                           struct arus_error *err);
/** Compact JSON, topics and partitions in the order of Spark's hash maps: byte
 * for byte. */
ARUS_MUST_USE enum arus_status
arus_kafka_positions_format(const struct arus_kafka_positions *positions, struct arus_arena *arena,
                            struct arus_text *out, struct arus_error *err);

#endif
