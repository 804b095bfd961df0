/**
 * Reads ranges of partitions through one consumer that stays assigned between
 * micro-batches, so that the next records are already there. A range ends by
 * offsets, never by a count or a timeout.
 */
#ifndef ARUS_CONNECTORS_KAFKA_FETCH_H
#define ARUS_CONNECTORS_KAFKA_FETCH_H

#include "base/log.h"
#include "kafka/client.h"
#include "kafka/range.h"

struct arus_kafka_source;

/** The last record that was read: if another one stands at its offset, the
 * topic is a new one. */
struct arus_kafka_anchor {
    int64_t offset; /* -1: none */
    int64_t timestamp_ms;
    uint64_t hash; /* of key and value */
};

/** A consumer with its partitions. begin: any thread; a lane: one thread at a
 * time. */
struct arus_kafka_fetcher;
/** One partition of it. */
struct arus_kafka_lane;

/** Takes the client over in any case. `source` and `logger` (may be NULL)
 * outlive it. */
ARUS_MUST_USE enum arus_status arus_kafka_fetcher_open(const struct arus_kafka_source *source,
                                                       struct arus_kafka_client *client,
                                                       const struct arus_logger *logger,
                                                       struct arus_kafka_fetcher **out,
                                                       struct arus_error *err);
/** No message may be held any more. Accepts NULL. */
void arus_kafka_fetcher_close(struct arus_kafka_fetcher *fetcher);
const struct arus_kafka_client *arus_kafka_fetcher_client(const struct arus_kafka_fetcher *fetcher);
/** Becomes readable when records (or something like it) have come. */
int arus_kafka_fetcher_wake_fd(const struct arus_kafka_fetcher *fetcher);
/** Empties the descriptor: before looking for what is new. */
void arus_kafka_fetcher_wake_reset(struct arus_kafka_fetcher *fetcher);
/** Nothing is to be read now: waits for records behind these positions. */
ARUS_MUST_USE enum arus_status
arus_kafka_fetcher_listen(struct arus_kafka_fetcher *fetcher,
                          const struct arus_kafka_positions *positions, struct arus_error *err);

/** Goes to the beginning of a range; `anchor` (may be NULL) is checked when it
 * lies before it. */
ARUS_MUST_USE enum arus_status arus_kafka_fetcher_begin(struct arus_kafka_fetcher *fetcher,
                                                        const struct arus_kafka_range *range,
                                                        const struct arus_kafka_anchor *anchor,
                                                        struct arus_kafka_lane **out,
                                                        struct arus_error *err);
/**
 * The next messages of the range, 1..max; `*count` 0: it has ended. The caller
 * destroys them, soon. Errors: KAFKA_DATA_LOSS.* unless failOnDataLoss is off;
 * ARUS_RETRY: nothing comes.
 */
ARUS_MUST_USE enum arus_status arus_kafka_lane_next(struct arus_kafka_lane *lane,
                                                    rd_kafka_message_t **out, size_t max,
                                                    size_t *count, struct arus_error *err);
/** The newest record read in a partition; offset -1: none yet. */
struct arus_kafka_anchor arus_kafka_fetcher_anchor(struct arus_kafka_fetcher *fetcher,
                                                   struct arus_text topic, int32_t partition);

#endif
