/** A librdkafka instance: settings, what it reported, topics and offsets of the
 * cluster. */
#ifndef ARUS_CONNECTORS_KAFKA_CLIENT_H
#define ARUS_CONNECTORS_KAFKA_CLIENT_H

#include "base/option.h"
#include "kafka/positions.h"
#include "kafka/rdkafka.h"

#include <stdbool.h>

/** Longest wait for a cluster that does not answer. */
#define ARUS_KAFKA_PATIENCE_MS 30000

/** Which cluster, by the options of a table. Lives as long as the table. */
struct arus_kafka_target {
    const struct arus_settings *options; /* `kafka.*` of them go to librdkafka */
    const struct arus_setting *servers;  /* kafka.bootstrap.servers */
    const char *folder;                  /* where relative paths of certificates start */
};

/** What a client is for: some settings are spoken for. */
enum arus_kafka_role { ARUS_KAFKA_CONSUMER, ARUS_KAFKA_PRODUCER };

/** What a client's threads reported last. */
struct arus_kafka_health;

struct arus_kafka_client {
    rd_kafka_t *rk; /* NULL: closed */
    struct arus_kafka_health *health;
    const struct arus_kafka_target *target;
};

/** Name and value of a librdkafka setting. */
struct arus_kafka_setting {
    const char *name;
    const char *value;
};

/**
 * Finds the target of a table. Errors: ARUS_BAD_CONFIG: no
 * kafka.bootstrap.servers; a setting that the engine decides itself; one that
 * librdkafka does not know, at its place.
 */
ARUS_MUST_USE enum arus_status arus_kafka_target_bind(const struct arus_settings *options,
                                                      struct arus_place place, const char *folder,
                                                      enum arus_kafka_role role,
                                                      struct arus_kafka_target *out,
                                                      struct arus_error *err);
/**
 * A configuration: `defaults` (ends with a NULL name), then the user's
 * settings, then `fixed`. Secrets are put in here and nowhere else.
 */
ARUS_MUST_USE enum arus_status arus_kafka_conf_make(const struct arus_kafka_target *target,
                                                    enum arus_kafka_role role,
                                                    const struct arus_kafka_setting *defaults,
                                                    const struct arus_kafka_setting *fixed,
                                                    rd_kafka_conf_t **out, struct arus_error *err);
/** Starts a client. Takes the configuration in any case. Contacts nobody. */
ARUS_MUST_USE enum arus_status arus_kafka_client_open(const struct arus_kafka_target *target,
                                                      enum arus_kafka_role role,
                                                      rd_kafka_conf_t *conf,
                                                      struct arus_kafka_client *out,
                                                      struct arus_error *err);
/** Accepts a closed one. Waits for nothing that was not sent. */
void arus_kafka_client_close(struct arus_kafka_client *client);
/** What the opaque pointer of librdkafka's callbacks leads to: given here,
 * found by owner_of. */
void arus_kafka_client_own(const struct arus_kafka_client *client, void *owner);
void *arus_kafka_owner_of(void *opaque);
/**
 * Called by poll for each message in a consumer's common queue, which is dropped then: `self` is
 * what was given to own. librdkafka puts them there when a partition's own queue was taken before
 * it knew the topic. Set before the first request.
 */
typedef void (*arus_kafka_stray_fn)(void *self, const char *topic, int32_t partition);
void arus_kafka_client_on_stray(const struct arus_kafka_client *client, arus_kafka_stray_fn fn);
/** Serves callbacks. Any thread. */
void arus_kafka_client_poll(const struct arus_kafka_client *client);
/** Reported since opening something that waiting does not cure (password,
 * certificate)? Fails then.
 */
ARUS_MUST_USE enum arus_status arus_kafka_client_check(const struct arus_kafka_client *client,
                                                       struct arus_error *err);
/** Fails with ARUS_KAFKA_UNREACHABLE and the reason the client reported. */
enum arus_status arus_kafka_fail_unreachable(const struct arus_kafka_client *client,
                                             int64_t waited_ms, struct arus_error *err);
/** Translates a code of librdkafka; `what` = the thing that failed ("topic
 * `out`"). */
enum arus_status arus_kafka_fail(const struct arus_kafka_client *client, rd_kafka_resp_err_t code,
                                 const char *what, struct arus_error *err);

/* ---- the cluster ---- */

/** Called for each topic of a metadata answer. */
typedef enum arus_status (*arus_kafka_topic_fn)(void *self, const rd_kafka_metadata_topic_t *topic,
                                                struct arus_error *err);
/** Asks for one topic (NULL: all of them) and waits as long as the cluster may
 * need. */
ARUS_MUST_USE enum arus_status arus_kafka_client_topics(const struct arus_kafka_client *client,
                                                        const char *topic, arus_kafka_topic_fn fn,
                                                        void *self, struct arus_error *err);
/** "k1:9092 has no topic `order`", with the nearest name, at `place`. */
enum arus_status arus_kafka_fail_topic(const struct arus_kafka_client *client, const char *topic,
                                       struct arus_place place, struct arus_error *err);
/**
 * Replaces each offset, a timestamp in milliseconds or ARUS_KAFKA_LATEST or
 * _EARLIEST, by the first offset at or after it (-1: no record is that young).
 * `is_gone` [count] (may be NULL): the partition is not there any more; its
 * offset is -1.
 */
ARUS_MUST_USE enum arus_status arus_kafka_client_offsets(const struct arus_kafka_client *client,
                                                         struct arus_kafka_positions *positions,
                                                         bool *is_gone, struct arus_error *err);

#endif
