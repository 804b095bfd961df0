/** How much a micro-batch takes, and how it is cut for workers: Spark's
 * arithmetic. */
#ifndef ARUS_CONNECTORS_KAFKA_RANGE_H
#define ARUS_CONNECTORS_KAFKA_RANGE_H

#include "kafka/positions.h"

/** Offsets [from, to) of one partition; `part` counts the pieces of a
 * partition. */
struct arus_kafka_range {
    struct arus_text topic;
    int32_t partition;
    int64_t from;
    int64_t to;
    uint32_t part;
};

/**
 * Spark's share of maxOffsetsPerTrigger: limit * size / total, rounded down, up
 * below 1. `from` has every partition of `until`; the ends in `until` are
 * lowered.
 */
void arus_kafka_limit(const struct arus_kafka_positions *from, int64_t limit,
                      struct arus_kafka_positions *until);

/** Zero: no such option. */
struct arus_kafka_split_rule {
    int64_t partitions_min; /* minPartitions */
    int64_t records_max;    /* maxRecordsPerPartition */
};
/** Cuts ranges by Spark's rule; empty ones are left out. `out` lives in the
 * arena. */
ARUS_MUST_USE enum arus_status
arus_kafka_ranges_split(const struct arus_kafka_range *ranges, size_t count,
                        const struct arus_kafka_split_rule *rule, struct arus_arena *arena,
                        struct arus_kafka_range **out, size_t *out_count, struct arus_error *err);

/**
 * Spark's source metrics, JSON: how far `end` is behind `latest`; empty without partitions. What
 * `end` does not have counts from 0. `left_count`: offsets in all.
 */
ARUS_MUST_USE enum arus_status arus_kafka_lag(const struct arus_kafka_positions *end,
                                              const struct arus_kafka_positions *latest,
                                              struct arus_arena *arena, uint64_t *left_count,
                                              struct arus_text *metrics, struct arus_error *err);

#endif
