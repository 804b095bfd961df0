/** Rows that count up with the clock (`rate`) or with the micro-batches (`rate-micro-batch`). */
#ifndef ARUS_CONNECTORS_RATE_RATE_H
#define ARUS_CONNECTORS_RATE_RATE_H

#include "connector/connector.h"

extern const struct arus_source_ops ARUS_RATE_SOURCE;
extern const struct arus_source_ops ARUS_RATE_BATCH_SOURCE;

void arus_rate_options(const struct arus_connector *connector, enum arus_connector_side side,
                       const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);
void arus_rate_batch_options(const struct arus_connector *connector, enum arus_connector_side side,
                             const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);

#endif
