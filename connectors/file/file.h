/** Files in folders: one connector per format (json, csv, text, parquet) over one source and one
 * sink. */
#ifndef ARUS_CONNECTORS_FILE_FILE_H
#define ARUS_CONNECTORS_FILE_FILE_H

#include "connector/connector.h"
#include "format/format.h"

/** `data` of the connector row: the struct arus_format. */
extern const struct arus_source_ops ARUS_FILE_SOURCE;
extern const struct arus_sink_ops ARUS_FILE_SINK;

/** The options of files and of the connector's format. */
void arus_file_options(const struct arus_connector *connector, enum arus_connector_side side,
                       const struct arus_option *tables[ARUS_OPTION_TABLES_MAX]);

#endif
