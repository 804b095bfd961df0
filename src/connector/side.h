/**
 * Side tables of a streaming table: rows that are no part of its result. `T$late` has what came
 * behind the watermark, `T$rejects` the records that could not be read. One set of columns for
 * both; docs/guide.md describes them.
 */
#ifndef ARUS_CONNECTOR_SIDE_H
#define ARUS_CONNECTOR_SIDE_H

#include "base/text.h"
#include "types/type.h"

/** X(NAME, name in SQL behind `$`, which is the folder below the checkpoint too, its property). */
#define ARUS_SIDES(X)                                                                              \
    X(LATE, "late", "lateTable")                                                                   \
    X(REJECTS, "rejects", "rejectsTable")

enum arus_side {
#define X(name, text, property) ARUS_SIDE_##name,
    ARUS_SIDES(X)
#undef X
        ARUS_SIDE_COUNT
};

/** X(NAME, column, type). In the order of the table. */
#define ARUS_SIDE_COLUMNS(X)                                                                       \
    X(BATCH, "batch", BIGINT)                                                                      \
    X(EVENT_TIME, "event_time", TIMESTAMP)                                                         \
    X(WATERMARK, "watermark", TIMESTAMP)                                                           \
    X(FILE, "file", STRING)                                                                        \
    X(LINE, "line", BIGINT)                                                                        \
    X(TOPIC, "topic", STRING)                                                                      \
    X(PARTITION, "partition", INT)                                                                 \
    X(OFFSET, "offset", BIGINT)                                                                    \
    X(REASON, "reason", STRING)                                                                    \
    X(FATE, "fate", STRING)                                                                        \
    X(ROW, "row", STRING)                                                                          \
    X(RAW, "raw", STRING)                                                                          \
    X(KEY, "key", BINARY)                                                                          \
    X(VALUE, "value", BINARY)

enum arus_side_column {
#define X(name, text, type) ARUS_SIDE_COLUMN_##name,
    ARUS_SIDE_COLUMNS(X)
#undef X
        ARUS_SIDE_COLUMN_COUNT
};

/** STRUCT of the columns, all nullable. */
extern const struct arus_type ARUS_SIDE_SCHEMA;

/** late, rejects. */
const char *arus_side_name(enum arus_side side);
/** lateTable, rejectsTable. */
const char *arus_side_property(enum arus_side side);
/** `windows$late`: the part before `$`, and which side. False: no such name. */
bool arus_side_split(struct arus_text name, struct arus_text *table, enum arus_side *side);

#endif
