/** A command of the user's that takes each micro-batch on standard input: foreachBatch for any
 * language. */
#ifndef ARUS_CONNECTORS_COMMAND_COMMAND_H
#define ARUS_CONNECTORS_COMMAND_COMMAND_H

#include "connector/connector.h"

extern const struct arus_sink_ops ARUS_COMMAND_SINK;

void arus_command_sink_options(const struct arus_connector *connector,
                               enum arus_connector_side side,
                               const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);

#endif
