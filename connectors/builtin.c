/** All connectors: the one file that knows every name. */
#include "command/command.h"
#include "connector/connector.h"
#include "console/console.h"
#include "file/file.h"
#include "format/csv.h"
#include "format/json.h"
#include "format/parquet.h"
#include "format/text.h"
#include "kafka/kafka.h"
#include "memory/memory.h"
#include "rate/rate.h"

#include <stddef.h>

#define FILE_CONNECTOR(format_name, format_row, text)                                              \
    {                                                                                              \
        .name = (format_name), .summary = (text), .source = &ARUS_FILE_SOURCE,                     \
        .sink = &ARUS_FILE_SINK, .options = arus_file_options, .data = &(format_row),              \
    }

const struct arus_connector ARUS_CONNECTORS[] = {
    FILE_CONNECTOR("csv", ARUS_FORMAT_CSV, "CSV files"),
    FILE_CONNECTOR("json", ARUS_FORMAT_JSON, "JSON lines in files"),
    FILE_CONNECTOR("parquet", ARUS_FORMAT_PARQUET, "Parquet files"),
    FILE_CONNECTOR("text", ARUS_FORMAT_TEXT, "Lines of text in files"),
    {.name = "console",
     .summary = "Tables on standard output",
     .sink = &ARUS_CONSOLE_SINK,
     .options = arus_console_options,
     .is_fleeting = true},
    {.name = "exec",
     .summary = "A command that takes each batch",
     .sink = &ARUS_COMMAND_SINK,
     .options = arus_command_sink_options},
    {.name = "memory",
     .summary = "Rows of the program that embeds arus",
     .source = &ARUS_MEMORY_SOURCE,
     .sink = &ARUS_MEMORY_SINK,
     .options = arus_memory_options,
     .is_fleeting = true,
     .is_by_name = true},
    {.name = "statestore",
     .summary = "What a streaming query keeps between its batches",
     .source = &ARUS_STATE_SOURCE,
     .options = arus_state_options},
    {.name = "kafka",
     .summary = "Kafka topics",
     .source = &ARUS_KAFKA_SOURCE,
     .sink = &ARUS_KAFKA_SINK,
     .options = arus_kafka_options,
     .browse = arus_kafka_browse,
     .library = arus_kafka_library},
    {.name = "rate",
     .summary = "Rows that count up with the clock",
     .source = &ARUS_RATE_SOURCE,
     .options = arus_rate_options},
    {.name = "rate-micro-batch",
     .summary = "The same number of rows in each micro-batch",
     .source = &ARUS_RATE_BATCH_SOURCE,
     .options = arus_rate_batch_options},
    {0},
};
