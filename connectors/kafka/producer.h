/**
 * Transactions of one query: every batch is one, and carries a fence record, so
 * that the log itself says whether a batch is in. Nothing is ever decided by a
 * return code. docs/exactly-once.md.
 */
#ifndef ARUS_CONNECTORS_KAFKA_PRODUCER_H
#define ARUS_CONNECTORS_KAFKA_PRODUCER_H

#include "kafka/client.h"
#include "kafka/stage.h"

/** A stop that the user asked for. */
struct arus_kafka_stop {
    const volatile int *level; /* NULL: none can come; 0: not yet */
    int at_once;               /* from this level on nothing is waited for */
    int64_t seen_us;           /* 0: not yet */
};

/** What a producer is made for. Borrowed, outlives it. */
struct arus_kafka_producer_config {
    const struct arus_kafka_target *target;
    const char *query_id;    /* 36 characters */
    const char *fence_topic; /* NULL: at least once, without transactions */
    struct arus_kafka_stop *stop;
};

/** A stop was asked for, and what is under way had some seconds to end. Whatever is left undecided
 * then, the next start decides by the fence. */
bool arus_kafka_stop_is_due(struct arus_kafka_stop *stop);

/** The newest fence record of the query. */
struct arus_kafka_fence {
    int64_t batch_id; /* -1: none */
    char attempt[37];
};

/** Zeroed = closed. */
struct arus_kafka_producer {
    struct arus_kafka_client client;
    const struct arus_kafka_producer_config *config;
    struct arus_kafka_fence fence; /* by the log when it was opened, then by what was committed */
    bool sends_single;             /* one record per record batch: some batch was too large */
    /* of the running transaction */
    int end_sent;       /* EndTxn requests */
    int bad_count;      /* error replies that may leave a late request behind */
    const void *failed; /* first record that was not delivered */
    rd_kafka_resp_err_t failure;
    int64_t marker_offset;
};

/**
 * Fences off every older instance, waits until what they left is decided, and
 * reads the fence. `may_create`: make the fence topic when it is missing.
 * Errors: ARUS_RETRY ARUS_KAFKA_UNREACHABLE, ARUS_MISMATCH: the fence topic is
 * lost.
 */
ARUS_MUST_USE enum arus_status
arus_kafka_producer_open(const struct arus_kafka_producer_config *config, bool may_create,
                         bool sends_single, struct arus_kafka_producer *out,
                         struct arus_error *err);
/** Accepts a closed one. */
void arus_kafka_producer_close(struct arus_kafka_producer *producer);

/** How a transaction went. */
enum arus_kafka_outcome {
    ARUS_KAFKA_COMMITTED,
    ARUS_KAFKA_UNDECIDED, /* ask the fence with a new producer, then perhaps send
                             again */
    ARUS_KAFKA_TOO_LARGE, /* a record batch was refused: send again one by one */
    ARUS_KAFKA_REFUSED,   /* `err` says what cannot be sent */
    ARUS_KAFKA_OUSTED     /* another producer has our id */
};
/**
 * Sends the stages in one transaction with the fence record of the batch. After
 * anything but a clean COMMITTED the producer must be closed (is_tainted).
 */
enum arus_kafka_outcome arus_kafka_producer_send(struct arus_kafka_producer *producer,
                                                 const struct arus_kafka_stage *const *stages,
                                                 size_t count, int64_t batch_id,
                                                 const char *attempt, struct arus_error *err);
/** Could a request of the last transaction still arrive late? Then it must not
 * meet the next one.
 */
bool arus_kafka_producer_is_tainted(const struct arus_kafka_producer *producer);

/* fence.c */

/** Makes the fence topic, or checks the one that is there. */
ARUS_MUST_USE enum arus_status arus_kafka_fence_prepare(const struct arus_kafka_client *client,
                                                        const char *topic, bool may_create,
                                                        struct arus_error *err);
/** Reads the fence topic up to the marker at `marker`. */
ARUS_MUST_USE enum arus_status
arus_kafka_fence_read(const struct arus_kafka_producer_config *config, int64_t marker,
                      struct arus_kafka_fence *out, struct arus_error *err);

#endif
