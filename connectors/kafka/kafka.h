/** Kafka topics: a replayable source, and a sink that is exactly once by
 * transactions. */
#ifndef ARUS_CONNECTORS_KAFKA_KAFKA_H
#define ARUS_CONNECTORS_KAFKA_KAFKA_H

#include "connector/connector.h"

extern const struct arus_source_ops ARUS_KAFKA_SOURCE;
extern const struct arus_sink_ops ARUS_KAFKA_SINK;

void arus_kafka_options(const struct arus_connector *connector, enum arus_connector_side side,
                        const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);
/** Is the column in a list of names like `id, region`? Without case. */
bool arus_kafka_list_has(struct arus_text names, struct arus_text column);
/** Topics (subscribePattern picks) with partitions and offsets in them. */
enum arus_status arus_kafka_browse(const struct arus_settings *options, const char *folder,
                                   struct arus_arena *arena, struct arus_batch *out,
                                   struct arus_error *err);
enum arus_status arus_kafka_library(char out[64], struct arus_error *err);

#endif
