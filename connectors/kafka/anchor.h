/** The newest record read of each partition, kept in the checkpoint: shows that
 * a topic was made anew although its offsets fit. */
#ifndef ARUS_CONNECTORS_KAFKA_ANCHOR_H
#define ARUS_CONNECTORS_KAFKA_ANCHOR_H

#include "journal/log.h"
#include "kafka/fetch.h"

/** Zeroed = empty. */
struct arus_kafka_anchors {
    struct arus_arena arena; /* topics */
    struct arus_kafka_anchored *items;
    size_t count;
    size_t capacity;
};

/** Takes up what the journal holds of source `index`. */
ARUS_MUST_USE enum arus_status arus_kafka_anchors_load(struct arus_kafka_anchors *anchors,
                                                       struct arus_log_set *logs, uint32_t index,
                                                       struct arus_error *err);
/** Gives all to the journal; durable with the batch. */
ARUS_MUST_USE enum arus_status arus_kafka_anchors_save(const struct arus_kafka_anchors *anchors,
                                                       struct arus_log_set *logs, uint32_t index,
                                                       struct arus_error *err);
/** Offset -1: none. */
struct arus_kafka_anchor arus_kafka_anchors_find(const struct arus_kafka_anchors *anchors,
                                                 struct arus_text topic, int32_t partition);
/** The batch read up to `end`: a record farther behind, or an older batch's, is
 * replaced. */
ARUS_MUST_USE enum arus_status arus_kafka_anchors_put(struct arus_kafka_anchors *anchors,
                                                      struct arus_text topic, int32_t partition,
                                                      struct arus_kafka_anchor anchor, int64_t end,
                                                      bool *has_changed, struct arus_error *err);
void arus_kafka_anchors_release(struct arus_kafka_anchors *anchors);

#endif
