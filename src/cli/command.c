/** The table of commands. Change here, and help, man pages and completions follow. */
#include "cli/command.h"

#include <string.h>

#define ROW(id_, name_, letter_, value_, argument_, help_)                                         \
    {                                                                                              \
        .id = (id_), .name = (name_), .letter = (letter_), .value = (value_),                      \
        .argument = (argument_), .help = (help_)                                                   \
    }

static const struct arus_flag COMMON[] = {
    ROW(ARUS_FLAG_HELP, "help", 'h', ARUS_FLAG_SWITCH, NULL, "this text"),
    ROW(ARUS_FLAG_QUIET, "quiet", 'q', ARUS_FLAG_SWITCH, NULL, "errors only"),
    {.id = ARUS_FLAG_VERBOSE,
     .name = "verbose",
     .letter = 'v',
     .help = "say more; -vv: also plans and timings",
     .may_repeat = true},
    ROW(ARUS_FLAG_COLOR, "color", 0, ARUS_FLAG_TEXT, "WHEN", "auto, always or never"),
    {.id = ARUS_FLAG_NONE},
};

#define SET_FLAG                                                                                   \
    {                                                                                              \
        .id = ARUS_FLAG_SET, .name = "set", .value = ARUS_FLAG_TEXT, .argument = "K=V",            \
        .help = "a setting that beats SET in the file", .may_repeat = true                         \
    }
#define JSON_FLAG ROW(ARUS_FLAG_JSON, "json", 0, ARUS_FLAG_SWITCH, NULL, "a JSON object a line")
#define END_FLAG                                                                                   \
    {                                                                                              \
        .id = ARUS_FLAG_NONE                                                                       \
    }

static const struct arus_flag RUN_FLAGS[] = {
    ROW(ARUS_FLAG_AVAILABLE_NOW, "available-now", 0, ARUS_FLAG_SWITCH, NULL,
        "end when caught up, whatever the trigger says"),
    SET_FLAG,
    ROW(ARUS_FLAG_PROGRESS, "progress", 0, ARUS_FLAG_FILE, "FILE",
        "a JSON line a batch; - is stdout"),
    ROW(ARUS_FLAG_LOG, "log", 0, ARUS_FLAG_TEXT, "LEVEL",
        "error, warning, notice, info, debug; add ,json"),
    ROW(ARUS_FLAG_METRICS, "metrics", 0, ARUS_FLAG_TEXT, "ADDR",
        "serve /metrics, /progress, /healthz, /readyz at PORT or HOST:PORT"),
    ROW(ARUS_FLAG_THREADS, "threads", 0, ARUS_FLAG_NUMBER, "N", "workers (one per core)"),
    END_FLAG,
};
static const struct arus_example RUN_EXAMPLES[] = {
    {"arus run late.sql", "until Ctrl-C, or until the trigger ends"},
    {"arus run --available-now late.sql", "what is there now, then end"},
    {"arus run late.sql:windows", "one query of the file"},
    {NULL, NULL},
};

static const struct arus_flag CHECK_FLAGS[] = {SET_FLAG, JSON_FLAG, END_FLAG};
static const struct arus_example CHECK_EXAMPLES[] = {
    {"arus check late.sql", NULL},
    {"arus check pipelines/*.sql", "all of them, before a release"},
    {NULL, NULL},
};

static const struct arus_flag EXPLAIN_FLAGS[] = {SET_FLAG, JSON_FLAG, END_FLAG};
static const struct arus_example EXPLAIN_EXAMPLES[] = {
    {"arus explain late.sql", NULL},
    {"arus explain -v late.sql", "where each setting comes from"},
    {NULL, NULL},
};

static const struct arus_flag SQL_FLAGS[] = {
    ROW(ARUS_FLAG_PIPELINE, NULL, 'p', ARUS_FLAG_FILE, "FILE", "its tables and results by name"),
    SET_FLAG,
    JSON_FLAG,
    ROW(ARUS_FLAG_CSV, "csv", 0, ARUS_FLAG_SWITCH, NULL, "comma-separated with a header"),
    ROW(ARUS_FLAG_ROWS, "rows", 0, ARUS_FLAG_SWITCH, NULL, "the schema, then a JSON array a row"),
    ROW(ARUS_FLAG_THREADS, "threads", 0, ARUS_FLAG_NUMBER, "N", "workers (one per core)"),
    END_FLAG,
};
static const struct arus_example SQL_EXAMPLES[] = {
    {"arus sql 'SELECT count(*) FROM parquet.`out/events`'", "in single quotes"},
    {"arus sql -p late.sql 'SELECT * FROM windows'", NULL},
    {"arus sql", "interactive"},
    {NULL, NULL},
};

static const struct arus_flag CAT_FLAGS[] = {
    ROW(ARUS_FLAG_COUNT, NULL, 'n', ARUS_FLAG_NUMBER, "N", "so many rows"),
    JSON_FLAG,
    ROW(ARUS_FLAG_CSV, "csv", 0, ARUS_FLAG_SWITCH, NULL, "comma-separated with a header"),
    ROW(ARUS_FLAG_SCHEMA, "schema", 0, ARUS_FLAG_SWITCH, NULL, "columns and types only"),
    ROW(ARUS_FLAG_LATE, "late", 0, ARUS_FLAG_SWITCH, NULL, "rows that came too late (lateTable)"),
    ROW(ARUS_FLAG_REJECTS, "rejects", 0, ARUS_FLAG_SWITCH, NULL, "bad records (rejectsTable)"),
    ROW(ARUS_FLAG_BROKERS, NULL, 'b', ARUS_FLAG_TEXT, "HOST:PORT", "Kafka; or ARUS_KAFKA_BROKERS"),
    ROW(ARUS_FLAG_FROM, "from", 0, ARUS_FLAG_TEXT, "MS", "Kafka: records of that time or later"),
    ROW(ARUS_FLAG_FOLLOW, "follow", 0, ARUS_FLAG_SWITCH, NULL,
        "Kafka: go on as records come, a JSON line each"),
    END_FLAG,
};
static const struct arus_example CAT_EXAMPLES[] = {
    {"arus cat out/events -n 10", "a sink, as its log says"},
    {"arus cat late.sql --schema", "columns of its sink"},
    {"arus cat --late ckpt/windows", "rows behind its watermark"},
    {"arus cat kafka:orders -b k1:9092 -n 10", "records of a topic"},
    {"arus cat kafka:orders -b k1:9092 --follow", "and those that come, until Ctrl-C"},
    {NULL, NULL},
};

static const struct arus_flag STATUS_FLAGS[] = {
    JSON_FLAG,
    ROW(ARUS_FLAG_WATCH, "watch", 0, ARUS_FLAG_SWITCH, NULL, "again and again, until Ctrl-C"),
    END_FLAG,
};
static const struct arus_example STATUS_EXAMPLES[] = {
    {"arus status late.sql", NULL},
    {"arus status ckpt/windows --json", NULL},
    {NULL, NULL},
};

static const struct arus_flag STATE_FLAGS[] = {
    ROW(ARUS_FLAG_OPERATOR, "operator", 0, ARUS_FLAG_NUMBER, "K",
        "which one; 0 is next to the sink"),
    {.id = ARUS_FLAG_KEY,
     .name = "key",
     .value = ARUS_FLAG_TEXT,
     .argument = "V",
     .help = "rows with this value in their key",
     .may_repeat = true},
    ROW(ARUS_FLAG_COUNT, NULL, 'n', ARUS_FLAG_NUMBER, "N", "so many rows"),
    JSON_FLAG,
    ROW(ARUS_FLAG_CSV, "csv", 0, ARUS_FLAG_SWITCH, NULL, "comma-separated with a header"),
    END_FLAG,
};
static const struct arus_example STATE_EXAMPLES[] = {
    {"arus state late.sql -n 10", "what leaves first"},
    {"arus state late.sql --key dev-03", NULL},
    {"arus sql 'SELECT count(*) FROM statestore.`ckpt/windows`'", "the same as a table"},
    {NULL, NULL},
};

static const struct arus_flag AUDIT_FLAGS[] = {JSON_FLAG, END_FLAG};
static const struct arus_example AUDIT_EXAMPLES[] = {
    {"arus audit late.sql", "files of its sinks, against their logs"},
    {NULL, NULL},
};

static const struct arus_flag BACKUP_FLAGS[] = {END_FLAG};
static const struct arus_example BACKUP_EXAMPLES[] = {
    {"arus backup late.sql /bak/windows", "also while the query runs"},
    {NULL, NULL},
};

static const struct arus_flag REWIND_FLAGS[] = {
    ROW(ARUS_FLAG_TO_BATCH, "to-batch", 0, ARUS_FLAG_NUMBER, "N", "the last one kept"),
    ROW(ARUS_FLAG_DRY_RUN, "dry-run", 0, ARUS_FLAG_SWITCH, NULL, "say what would be taken back"),
    END_FLAG,
};
static const struct arus_example REWIND_EXAMPLES[] = {
    {"arus rewind late.sql --to-batch 3 --dry-run", "what would go"},
    {"arus rewind late.sql --to-batch 3", "state, offsets and the sink's files, together"},
    {NULL, NULL},
};

static const struct arus_flag OFFSETS_FLAGS[] = {
    JSON_FLAG,
    ROW(ARUS_FLAG_CSV, "csv", 0, ARUS_FLAG_SWITCH, NULL, "comma-separated with a header"),
    END_FLAG,
};
static const struct arus_example OFFSETS_EXAMPLES[] = {
    {"arus offsets ckpt/windows", "offset, latest and lag by partition"},
    {NULL, NULL},
};

static const struct arus_flag TOPICS_FLAGS[] = {
    ROW(ARUS_FLAG_BROKERS, NULL, 'b', ARUS_FLAG_TEXT, "HOST:PORT", "or ARUS_KAFKA_BROKERS"),
    JSON_FLAG,
    ROW(ARUS_FLAG_CSV, "csv", 0, ARUS_FLAG_SWITCH, NULL, "comma-separated with a header"),
    END_FLAG,
};
static const struct arus_example TOPICS_EXAMPLES[] = {
    {"arus topics -b k1:9092", NULL},
    {"arus topics -b k1:9092 '^order'", "names that match"},
    {NULL, NULL},
};

static const struct arus_flag NO_FLAGS[] = {END_FLAG};

static const struct arus_flag HELP_FLAGS[] = {
    {.id = ARUS_FLAG_GENERATE,
     .name = "generate",
     .value = ARUS_FLAG_FILE,
     .argument = "DIR",
     .help = "write man pages, completions and reference pages",
     .is_hidden = true},
    {.id = ARUS_FLAG_FAILPOINTS,
     .name = "failpoints",
     .value = ARUS_FLAG_SWITCH,
     .help = "places where ARUS_FAILPOINT kills the process",
     .is_hidden = true},
    END_FLAG,
};
static const struct arus_example HELP_EXAMPLES[] = {
    {"arus help run", "a command"},
    {"arus help date_trunc", "a function"},
    {"arus help json", "the options of a format"},
    {"arus help CAST_INVALID_INPUT", "an error"},
    {NULL, NULL},
};
static const struct arus_example VERSION_EXAMPLES[] = {{NULL, NULL}};

static const char CHECKPOINT[] = "CKPT is a checkpoint folder, or FILE.sql[:QUERY].";

static const struct arus_command COMMANDS[] = {
    {ARUS_COMMAND_RUN, "run", "FILE.sql[:QUERY]", "runs every query of a pipeline",
     "Each query goes on where its checkpoint ends. Ctrl-C: after this batch; twice: now.",
     RUN_EXAMPLES, RUN_FLAGS,
     "0 done, 1 failed, 2 wrong, 3 checkpoint or sink does not fit, 4 stopped early", 1, 1, true},
    {ARUS_COMMAND_CHECK, "check", "FILE.sql ..", "finds all errors of a pipeline, touches no data",
     NULL, CHECK_EXAMPLES, CHECK_FLAGS, "0 good (also with warnings), 2 errors", 1, 1000, true},
    {ARUS_COMMAND_EXPLAIN, "explain", "FILE.sql",
     "shows plans: what is incremental, stateful, done by the reader", NULL, EXPLAIN_EXAMPLES,
     EXPLAIN_FLAGS, "0 good, 2 errors", 1, 1, true},
    {ARUS_COMMAND_SQL, "sql", "[TEXT|FILE.sql|-]", "answers a query over files and results",
     "- reads from stdin. Alone on a terminal: interactive.", SQL_EXAMPLES, SQL_FLAGS,
     "0 done, 1 failed, 2 wrong query", 0, 1, true},
    {ARUS_COMMAND_CAT, "cat", "PATH|CKPT|kafka:TOPIC", "shows rows of a sink, file or topic", NULL,
     CAT_EXAMPLES, CAT_FLAGS, "0 done, 1 failed, 2 nothing of this name", 1, 1, true},
    {ARUS_COMMAND_STATUS, "status", "CKPT", "shows where a query stands", CHECKPOINT,
     STATUS_EXAMPLES, STATUS_FLAGS, "0 done, 2 no checkpoint", 1, 1, true},
    {ARUS_COMMAND_STATE, "state", "CKPT", "shows what a query keeps between its batches",
     CHECKPOINT, STATE_EXAMPLES, STATE_FLAGS, "0 done, 2 no checkpoint, no such operator", 1, 1,
     true},
    {ARUS_COMMAND_AUDIT, "audit", "CKPT", "reads a sink again: is it what was written?", CHECKPOINT,
     AUDIT_EXAMPLES, AUDIT_FLAGS, "0 all agree, 1 failed, 2 no checkpoint, 3 files differ", 1, 1,
     true},
    {ARUS_COMMAND_BACKUP, "backup", "CKPT DIR", "copies a checkpoint, as it is after one batch",
     "CKPT is a checkpoint folder, or FILE.sql[:QUERY]. The sink is not copied.", BACKUP_EXAMPLES,
     BACKUP_FLAGS, "0 done, 1 failed, 2 no checkpoint, DIR is not empty", 2, 2, true},
    {ARUS_COMMAND_REWIND, "rewind", "CKPT", "takes batches back, with what they wrote",
     "CKPT is a checkpoint folder, or FILE.sql[:QUERY]. The next run makes those batches again.",
     REWIND_EXAMPLES, REWIND_FLAGS, "0 done, 1 failed, 2 no such batch, 3 refused", 1, 1, true},
    {ARUS_COMMAND_OFFSETS, "offsets", "CKPT", "shows how far each source was read", CHECKPOINT,
     OFFSETS_EXAMPLES, OFFSETS_FLAGS, "0 done, 2 no checkpoint", 1, 1, true},
    {ARUS_COMMAND_TOPICS, "topics", "[PATTERN]", "lists the topics of a Kafka cluster", NULL,
     TOPICS_EXAMPLES, TOPICS_FLAGS, "0 done, 1 no answer, 2 wrong", 0, 1, false},
    {ARUS_COMMAND_HELP, "help", "[COMMAND|FUNCTION|FORMAT|CONDITION]",
     "explains commands, functions, options and errors", NULL, HELP_EXAMPLES, HELP_FLAGS,
     "0 done, 2 nothing of this name", 0, 1, false},
    {ARUS_COMMAND_VERSION, "version", "", "shows the version and its libraries", NULL,
     VERSION_EXAMPLES, NO_FLAGS, "0", 0, 0, false},
};

const struct arus_command *arus_commands(size_t *count)
{
    *count = sizeof COMMANDS / sizeof COMMANDS[0];
    return COMMANDS;
}

const struct arus_flag *arus_common_flags(void)
{
    return COMMON;
}

const struct arus_command *arus_command_find(const char *name)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        if (strcmp(COMMANDS[i].name, name) == 0) {
            return &COMMANDS[i];
        }
    }
    return NULL;
}
