/** In-memory tables: rows that the embedding program adds, and a sink that keeps rows for it. */
#ifndef ARUS_CONNECTORS_MEMORY_MEMORY_H
#define ARUS_CONNECTORS_MEMORY_MEMORY_H

#include "connector/connector.h"

extern const struct arus_source_ops ARUS_MEMORY_SOURCE;
extern const struct arus_sink_ops ARUS_MEMORY_SINK;

/** The state of a query, from its checkpoint: state.c. */
extern const struct arus_source_ops ARUS_STATE_SOURCE;
void arus_state_options(const struct arus_connector *connector, enum arus_connector_side side,
                        const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);

/** There are none. */
void arus_memory_options(const struct arus_connector *connector, enum arus_connector_side side,
                         const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);

#endif
