/** Places where a test may kill the process, ARUS_FAILPOINT=name or name:batch, or stop it once as
 * SIGSTOP does, ARUS_PAUSEPOINT likewise. In every build. */
#ifndef ARUS_BASE_FAILPOINT_H
#define ARUS_BASE_FAILPOINT_H

#include "base/text.h"

#include <stdint.h>

/** X(NAME, text, what is true when the process dies there). In the order of a micro-batch. */
#define ARUS_FAILPOINTS(X)                                                                         \
    X(AFTER_PLAN, "after_plan", "the end of the batch is decided, nothing is written")             \
    X(AFTER_SOURCES, "after_sources", "sources/* of the batch are written, offsets/N is not")      \
    X(AFTER_OFFSETS, "after_offsets_before_sink", "plan stored, nothing given out")                \
    X(DURING_RUN, "during_run", "some staged files are written, none is complete")                 \
    X(AFTER_RUN, "after_run", "all staged files are written, not synced")                          \
    X(AFTER_STAGE_SYNC, "after_stage_sync", "the staged form is durable, the journal unaware")     \
    X(BEFORE_PREPARE, "before_prepare", "just before the journal's transaction")                   \
    X(AFTER_PREPARE, "after_prepare", "the batch is prepared, nothing of it is visible")           \
    X(DURING_PUBLISH, "during_publish", "some parts have their final names, others not")           \
    X(AFTER_DATA_FILES, "after_data_files_before_sink_log", "data files in place, not yet listed") \
    X(DURING_SINK_COMPACTION, "during_sink_log_compaction", "the .compact is written, not named")  \
    X(DURING_SIDE_TABLES, "during_side_tables",                                                    \
      "the sink has the batch, a file of a side table has its name, others not")                   \
    X(AFTER_SINK_LOG, "after_sink_log", "the sink lists the batch, commits/N is missing")          \
    X(AFTER_FLUSH, "after_flush_before_kafka_commit", "records sent, transaction open")            \
    X(AFTER_KAFKA_COMMIT, "after_kafka_commit_before_commit_log",                                  \
      "the Kafka transaction is committed, commits/N is missing")                                  \
    X(AFTER_COMMIT_LOG, "after_commit_log", "commits/N is written, nothing was forgotten yet")     \
    X(DURING_SOURCE_COMPACTION, "during_source_log_compaction",                                    \
      "a source's .compact is written, not named")                                                 \
    X(BEFORE_EXPIRY, "before_expiry", "a .compact is durable, what it replaces is still there")    \
    X(AFTER_EXPIRY, "after_expiry", "old log files are gone")                                      \
    X(DURING_CLEAN_SOURCE, "during_clean_source", "a source file was archived or deleted")         \
    X(BEFORE_EXIT_SYNC, "before_exit_sync", "all batches done, mirrors not yet synced")            \
    X(AFTER_REWIND_INTENT, "after_rewind_intent", "going back is decided, all files are there")    \
    X(DURING_REWIND, "during_rewind", "some later files are gone; its batch counts files")         \
    X(BEFORE_REWIND_END, "before_rewind_end", "later files are gone, the journal still has them")

enum arus_failpoint {
#define X(name, text, meaning) ARUS_FAILPOINT_##name,
    ARUS_FAILPOINTS(X)
#undef X
        ARUS_FAILPOINT_COUNT
};

/** Dies or stops when the environment asks for this point (in this batch). Else returns. */
void arus_failpoint_reach(enum arus_failpoint point, int64_t batch_id);
/** Name and meaning, for `arus help`. Never NULL. */
const char *arus_failpoint_name(enum arus_failpoint point);
const char *arus_failpoint_meaning(enum arus_failpoint point);

#endif
