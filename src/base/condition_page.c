/** The pages behind `arus help CONDITION`. */
#include "base/condition_internal.h"

const struct arus_condition_page ARUS_CONDITION_PAGES[] = {
    {"AMBIGUOUS_REFERENCE",
     "A column name fits more than one table of the query.\n"
     "Say which one: t.id instead of id, where t is the table's name or alias.\n"},
    {"ARITHMETIC_OVERFLOW",
     "A sum, product or cast left the range of its type. Spark SQL (ANSI) stops\n"
     "instead of giving a wrong number.\n"
     "Use a wider type: CAST(x AS BIGINT) * y, or get NULL: try_add, try_subtract,\n"
     "try_multiply, try_sum.\n"},
    {"ARUS_AUDIT_DIFFERS",
     "Files of the sink are missing, or differ from what their batches wrote.\n"
     "Put them back from a backup, or write anew: a new path and a new\n"
     "checkpointLocation.\n"},
    {"ARUS_KAFKA_FENCED",
     "Another producer took over this query's transactional id, or one transaction\n"
     "lasted longer than the broker allows.\n"
     "Two runs of the same query, also of a copied checkpoint, exclude each other.\n"
     "Stop one of them and run the other again: nothing is written twice.\n"},
    {"ARUS_KAFKA_FENCE_AHEAD",
     "The fence topic names a batch that this checkpoint does not know, or another\n"
     "one under the same number: the checkpoint is an older copy, or a copy of it\n"
     "was run elsewhere. Going on would send rows twice. Put the newest checkpoint\n"
     "back, or start anew with a new checkpointLocation.\n"},
    {"ARUS_KAFKA_FENCE_LOST",
     "The fence topic holds one small record per query: the last batch that is in the\n"
     "sink. It is gone or behind the checkpoint, so nothing says what the sink has.\n"
     "Is it the right cluster? Otherwise start anew with a new checkpointLocation.\n"},
    {"ARUS_KAFKA_NOT_AUTHORIZED",
     "The Kafka user may not do what the query needs: Read on its source topics;\n"
     "Write on the sink topic and on transactional ids arus-*; Read and Write on the\n"
     "fence topic. Ask the administrator of the cluster for these rights.\n"},
    {"ARUS_KAFKA_UNKNOWN_TOPIC",
     "The broker has no topic of this name. arus topics -b BROKER lists all.\n"
     "arus creates no topics: partitions and retention are the owner's decision.\n"},
    {"ARUS_KAFKA_UNREACHABLE",
     "No broker of kafka.bootstrap.servers answers.\n"
     "Check host, port and firewall: arus topics -b HOST:PORT. A query waits for\n"
     "30 seconds (a batch that is being sent: 3 minutes). Then a run that has an end\n"
     "(availableNow, once) fails: run it again. One without an end says so once and\n"
     "goes on by itself when a broker answers.\n"},
    {"ARUS_LIBRARY_MISSING",
     "arus loads what only some pipelines need when it is needed: librdkafka for\n"
     "topics, libcurl for a schema registry, libmicrohttpd for --metrics. The library\n"
     "is not installed, or too old. Install the package that the message names; a\n"
     "library outside the system's folders is found through LD_LIBRARY_PATH.\n"},
    {"ARUS_NESTED_FOLDERS",
     "Source, sink and checkpoint must not lie inside each other: the query would\n"
     "read its own output. Put them side by side: in, out, ckpt.\n"},
    {"ARUS_NOTHING_TO_RUN",
     "The file has no CREATE STREAMING TABLE .. AS and no query, so there is nothing\n"
     "to do. Tables and views alone only describe data.\n"},
    {"ARUS_NOT_SUPPORTED",
     "Spark knows this statement or clause, arus does not. Nothing is skipped in\n"
     "silence: take it out, or run the pipeline on Spark, which reads the same text.\n"},
    {"ARUS_NO_OPERATOR",
     "A query with windows, duplicates, joins of streams or LIMIT has operators that\n"
     "keep state, counted from the sink: 0, 1, .. Others keep none.\n"
     "arus status CKPT lists them.\n"},
    {"ARUS_NO_PIPELINE",
     "The bytes of a query's state have a meaning only together with its .sql file.\n"
     "It is not where it was when the query ran last. Name it: arus state FILE.sql, or\n"
     "OPTIONS (pipeline 'FILE.sql') of USING statestore.\n"},
    {"ARUS_NO_SIDE_TABLE",
     "T$late and T$rejects hold rows that the streaming table T set aside. Switch them\n"
     "on: TBLPROPERTIES (lateTable 'true', rejectsTable 'true'). They are kept in the\n"
     "checkpoint, so the query needs a checkpointLocation.\n"},
    {"ARUS_NO_SINK", "A streaming table needs a place to write to:\n"
                     "  USING parquet TBLPROPERTIES (path 'out/x', checkpointLocation 'ckpt/x')\n"},
    {"ARUS_NO_SUCH_BATCH",
     "Batches are kept so that a query can go back, as many as minBatchesToRetain says\n"
     "(100). The message names those that are there: arus status CKPT --json, retained.\n"},
    {"ARUS_REWIND_REFUSED",
     "Going back must lose nothing: all input of the batches that are taken back has to\n"
     "be there to be read again, and the sink must be able to forget what it got. Files\n"
     "can; Kafka topics and commands cannot. To compute such a sink anew: a new\n"
     "checkpointLocation and a new target.\n"},
    {"ARUS_SCHEMA_REGISTRY_UNREACHABLE",
     "A message names a schema by its id, the checkpoint does not hold that schema,\n"
     "and the schema registry does not answer. Schemas that were met once are kept in\n"
     "the checkpoint, so only new ones need the registry. Run again when it answers:\n"
     "the batch starts over, nothing of it is visible.\n"},
    {"ARUS_SINK_DIFFERS",
     "The sink's files have another format, other partition columns, or a column of\n"
     "another type than the query now writes. Readers could not read the folder.\n"
     "Put the query back, or give it a new checkpointLocation and a new path.\n"},
    {"ARUS_SINK_HAS_LOG",
     "The checkpoint is new, but the sink's log already has batches. A batch id that\n"
     "stands in the log counts as written, so new rows would be lost.\n"
     "Put the old checkpoint back; or start anew with an empty sink; or write to\n"
     "another path.\n"},
    {"ARUS_STATE_MEMORY_LIMIT",
     "The state of the query outgrew state.memoryLimit.\n"
     "Bound it: a WATERMARK with drop_duplicates_within_watermark, windows or time\n"
     "bounds in joins; or raise TBLPROPERTIES (state.memoryLimit '2g').\n"},
    {"ARUS_UNBOUNDED_STATE",
     "Nothing ever leaves the state of this query: it grows with the input, for ever.\n"
     "That is fine for a few keys. Otherwise give it a WATERMARK, and use\n"
     "drop_duplicates_within_watermark, a window, or a time bound in the join.\n"},
    {"ARUS_UNKNOWN_OPTION",
     "The source or sink has no option of this name. arus help FORMAT lists them all.\n"
     "Names compare without case.\n"},
    {"BATCH_METADATA_NOT_FOUND",
     "A file of the sink's log (_spark_metadata) is missing, so nobody can tell which\n"
     "data files count. Put it back from a backup.\n"},
    {"CAST_INVALID_INPUT",
     "A text is not of the type it was cast to.\n"
     "Get NULL instead: TRY_CAST(x AS INT), try_to_timestamp(s). Numbers take digits\n"
     "and a sign only; timestamps look like 2026-03-02 09:41:07.\n"},
    {"CAST_OVERFLOW", "A number is too large or too small for the type it was cast to.\n"
                      "Choose a wider type, or get NULL: TRY_CAST.\n"},
    {"CONCURRENT_STREAM_LOG_UPDATE",
     "Another process runs a query on this checkpoint. Only one may.\n"
     "See what it does: arus status CKPT. Stop it, or give this query a checkpoint of\n"
     "its own.\n"},
    {"DATATYPE_MISMATCH",
     "An operator or function does not take values of these types. Spark SQL (ANSI)\n"
     "does not guess: cast one side, CAST(x AS DOUBLE), or write an INTERVAL with its\n"
     "unit.\n"},
    {"DIVIDE_BY_ZERO",
     "A division by zero. Get NULL instead: try_divide(a, b), or a / nullif(b, 0).\n"},
    {"DUPLICATED_MAP_KEY", "A map has the same key twice. Group or filter before it is built.\n"},
    {"EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE",
     "WATERMARK needs a column of type TIMESTAMP (or a window).\n"
     "Make one: WATERMARK to_timestamp(s) AS ts DELAY OF INTERVAL 10 MINUTES\n"},
    {"FAILED_READ_FILE",
     "A data file could not be read, or a record in it is broken.\n"
     "The last line names the file and the place. mode 'PERMISSIVE' turns broken\n"
     "records into NULLs; ignoreMissingFiles true goes on without files that\n"
     "vanished.\n"},
    {"INVALID_ARRAY_INDEX",
     "The array is shorter than this index (the first element is 0).\n"
     "Get NULL instead: get(a, i), or try_element_at(a, i), which counts from 1.\n"},
    {"INVALID_IDENTIFIER",
     "Names without quotes consist of A-Z, a-z, 0-9 and _. Put others in backticks:\n"
     "`a b`, `a-b`. In a shell, put the SQL in single quotes then.\n"},
    {"INVALID_LOG_VERSION",
     "The checkpoint or the sink's log was written in a newer format. Use the program\n"
     "that wrote it.\n"},
    {"INVALID_TYPED_LITERAL",
     "The text in DATE '..', TIMESTAMP '..' or X'..' is not of that type.\n"
     "  DATE '2026-03-02'   TIMESTAMP '2026-03-02 09:41:07'   X'1F'\n"},
    {"KAFKA_DATA_LOSS",
     "Records that the query had not read yet are gone, most likely by retention.\n"
     "Accept it: OPTIONS (failOnDataLoss false). Avoid it: a longer retention.\n"},
    {"MALFORMED_LOG_FILE",
     "A file of the checkpoint is not what its writer wrote: cut, empty or edited.\n"
     "Nothing was changed. The help line says what can be rebuilt from the journal.\n"},
    {"MALFORMED_RECORD_IN_PARSING",
     "A record does not fit the columns, and mode is FAILFAST.\n"
     "Fix the record, or use mode 'PERMISSIVE': bad fields become NULL, and a column\n"
     "`_corrupt_record STRING` keeps the text of the record.\n"},
    {"MISSING_AGGREGATION",
     "A column of the SELECT list is neither in GROUP BY nor inside an aggregate.\n"
     "Group by it, or choose a value: any_value(x), min(x), max_by(x, ts).\n"},
    {"NUMERIC_VALUE_OUT_OF_RANGE", "A number needs more digits than its DECIMAL has.\n"
                                   "Choose a larger one, DECIMAL(38, s), or get NULL: TRY_CAST.\n"},
    {"PARSE_SYNTAX_ERROR",
     "The text is no Spark SQL; the caret shows where it stops making sense.\n"
     "Often a comma is missing or one too many, a string has no quotes, or clauses\n"
     "stand in another order: SELECT FROM WHERE GROUP BY HAVING ORDER BY LIMIT.\n"
     "In a shell, put SQL in single quotes.\n"},
    {"PATH_NOT_FOUND",
     "The file or folder does not exist. Relative paths start at the folder of the\n"
     ".sql file, not where arus was called.\n"},
    {"STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE",
     "The query was changed so that its stored state no longer fits: other aggregates,\n"
     "keys or types. Undo the change, or rebuild: a new checkpointLocation and a new\n"
     "path.\n"},
    {"STREAMING_OUTPUT_MODE",
     "The output mode does not fit the query or the sink.\n"
     "append: rows that never change; an aggregation needs a WATERMARK for it.\n"
     "update: changed rows. complete: all rows of an aggregation, each time.\n"
     "File sinks take append only.\n"},
    {"STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY",
     "The checkpoint has no state for an operator of this query: it belongs to another\n"
     "query, or the query was changed. Give each query its own checkpointLocation.\n"},
    {"TABLE_OR_VIEW_NOT_FOUND",
     "No table or view of this name was created before this statement.\n"
     "Files are read by their format: SELECT * FROM parquet.`out/events`\n"},
    {"TASK_WRITE_FAILED",
     "The sink could not be written. Batches that were published stay; of this one\n"
     "nothing is visible. Fix the cause and run again.\n"},
    {"UNRESOLVED_COLUMN",
     "No column of this name is in scope. The label names the nearest one, the help\n"
     "line all. Aliases of the SELECT list are not visible in WHERE.\n"},
    {"UNRESOLVED_ROUTINE",
     "Spark SQL has no function of this name. arus help NAME explains a function and\n"
     "names the Spark spelling of those of other systems.\n"},
    {"UNRESOLVED_USING_COLUMN_FOR_JOIN",
     "USING takes columns that both sides have. Use ON for columns of different names.\n"},
    {"_LEGACY_ERROR_TEMP_3102",
     "A stream never ends, so this operation cannot be done on it: sorting, OFFSET,\n"
     "exact DISTINCT aggregates, joins without time bound and the like.\n"
     "Aggregate in windows first, or read what is there now, without STREAM.\n"},
};

const size_t ARUS_CONDITION_PAGE_COUNT =
    sizeof ARUS_CONDITION_PAGES / sizeof ARUS_CONDITION_PAGES[0];
