/** librdkafka, loaded at the first use of a topic: `arus_rdkafka.poll(rk, 0)` calls
 * rd_kafka_poll(rk, 0). */
#ifndef ARUS_CONNECTORS_KAFKA_RDKAFKA_H
#define ARUS_CONNECTORS_KAFKA_RDKAFKA_H

#include "base/error.h"

#include <librdkafka/rdkafka.h>

/** Every function that arus calls, without its rd_kafka_. */
#define ARUS_RDKAFKA_FUNCTIONS(X)                                                                  \
    X(abort_transaction)                                                                           \
    X(assign)                                                                                      \
    X(begin_transaction)                                                                           \
    X(commit_transaction)                                                                          \
    X(conf_destroy)                                                                                \
    X(conf_get)                                                                                    \
    X(conf_interceptor_add_on_new)                                                                 \
    X(conf_new)                                                                                    \
    X(conf_set)                                                                                    \
    X(conf_set_dr_msg_cb)                                                                          \
    X(conf_set_error_cb)                                                                           \
    X(conf_set_log_cb)                                                                             \
    X(conf_set_opaque)                                                                             \
    X(consume_batch_queue)                                                                         \
    X(consume_queue)                                                                               \
    X(consumer_poll)                                                                               \
    X(CreateTopics)                                                                                \
    X(CreateTopics_result_topics)                                                                  \
    X(destroy_flags)                                                                               \
    X(err2str)                                                                                     \
    X(error_code)                                                                                  \
    X(error_destroy)                                                                               \
    X(error_is_retriable)                                                                          \
    X(error_string)                                                                                \
    X(error_txn_requires_abort)                                                                    \
    X(event_CreateTopics_result)                                                                   \
    X(event_destroy)                                                                               \
    X(event_error)                                                                                 \
    X(fatal_error)                                                                                 \
    X(flush)                                                                                       \
    X(header_add)                                                                                  \
    X(header_cnt)                                                                                  \
    X(header_get_all)                                                                              \
    X(headers_destroy)                                                                             \
    X(headers_new)                                                                                 \
    X(incremental_assign)                                                                          \
    X(incremental_unassign)                                                                        \
    X(init_transactions)                                                                           \
    X(interceptor_add_on_request_sent)                                                             \
    X(interceptor_add_on_response_received)                                                        \
    X(message_destroy)                                                                             \
    X(message_errstr)                                                                              \
    X(message_headers)                                                                             \
    X(message_timestamp)                                                                           \
    X(metadata)                                                                                    \
    X(metadata_destroy)                                                                            \
    X(new)                                                                                         \
    X(NewTopic_destroy)                                                                            \
    X(NewTopic_new)                                                                                \
    X(NewTopic_set_config)                                                                         \
    X(offsets_for_times)                                                                           \
    X(outq_len)                                                                                    \
    X(poll)                                                                                        \
    X(poll_set_consumer)                                                                           \
    X(produce_batch)                                                                               \
    X(producev)                                                                                    \
    X(purge)                                                                                       \
    X(queue_destroy)                                                                               \
    X(queue_forward)                                                                               \
    X(queue_get_partition)                                                                         \
    X(queue_io_event_enable)                                                                       \
    X(queue_new)                                                                                   \
    X(queue_poll)                                                                                  \
    X(topic_destroy)                                                                               \
    X(topic_name)                                                                                  \
    X(topic_new)                                                                                   \
    X(topic_partition_list_add)                                                                    \
    X(topic_partition_list_destroy)                                                                \
    X(topic_partition_list_new)                                                                    \
    X(topic_result_error)                                                                          \
    X(version)                                                                                     \
    X(version_str)

struct arus_rdkafka {
#define X(name) __typeof__(rd_kafka_##name) *name;
    ARUS_RDKAFKA_FUNCTIONS(X)
#undef X
};

/** Filled by load; nothing of it may be called before. */
extern struct arus_rdkafka arus_rdkafka;

/** Once; any thread. Errors: ARUS_LIBRARY_MISSING. */
ARUS_MUST_USE enum arus_status arus_rdkafka_load(struct arus_error *err);

#endif
