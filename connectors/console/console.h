/** Each micro-batch as a table of text, byte for byte as Spark's console sink prints it. */
#ifndef ARUS_CONNECTORS_CONSOLE_CONSOLE_H
#define ARUS_CONNECTORS_CONSOLE_CONSOLE_H

#include "connector/connector.h"

extern const struct arus_sink_ops ARUS_CONSOLE_SINK;

void arus_console_options(const struct arus_connector *connector, enum arus_connector_side side,
                          const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);

#endif
