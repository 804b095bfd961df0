/** Records of a micro-batch as they wait for their transaction: packed, in
 * blocks that do not move.
 */
#ifndef ARUS_CONNECTORS_KAFKA_STAGE_H
#define ARUS_CONNECTORS_KAFKA_STAGE_H

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"

#include <stdint.h>

/** Bytes that may be missing: data NULL. */
struct arus_kafka_bytes {
    const char *data;
    size_t size;
};

struct arus_kafka_header {
    struct arus_text name;
    struct arus_kafka_bytes value;
};

/** A record to send. Borrowed. */
struct arus_kafka_record {
    const char *topic; /* NUL-terminated */
    int32_t partition; /* -1: by the key */
    struct arus_kafka_bytes key;
    struct arus_kafka_bytes value;
    const struct arus_kafka_header *headers;
    uint32_t header_count;
};

struct arus_kafka_block;

/** Names that records were put under, each once in a row. */
struct arus_kafka_topic {
    struct arus_kafka_topic *next;
    const char *name;
};

/** Zeroed = empty. */
struct arus_kafka_stage {
    struct arus_kafka_block *first;
    struct arus_kafka_block *last;
    struct arus_kafka_block *spare; /* of batches before */
    size_t spare_count;
    size_t block_count;                  /* in memory */
    size_t block_max;                    /* more are spilled; 0: no limit */
    const char *spill_folder;            /* where the file is made; NULL: no spilling */
    uint32_t slot;                       /* names it */
    struct arus_file spill;              /* closed: nothing was spilled */
    struct arus_buffer spilled;          /* size_t: bytes of each spilled block */
    struct arus_arena topics;            /* names */
    const char *topic;                   /* of the record before, in the arena */
    struct arus_kafka_topic *topic_list; /* newest first, in the arena */
    uint64_t record_count;
    uint64_t byte_count; /* of keys, values and headers */
    uint64_t header_count;
};

/** Copies a record behind the others. */
ARUS_MUST_USE enum arus_status arus_kafka_stage_put(struct arus_kafka_stage *stage,
                                                    const struct arus_kafka_record *record,
                                                    struct arus_error *err);
/** Forgets all records; keeps some memory for the next batch. */
void arus_kafka_stage_reset(struct arus_kafka_stage *stage);
/** Forgets all records and gives their memory back. */
void arus_kafka_stage_release(struct arus_kafka_stage *stage);

/** A place in a stage; zeroed but for `stage`: before the first record. */
struct arus_kafka_cursor {
    const struct arus_kafka_stage *stage;
    struct arus_kafka_block *block;
    size_t at;
    size_t spilled_index;             /* blocks read back */
    uint64_t spilled_at;              /* in the file */
    struct arus_kafka_block *scratch; /* owned: a spilled block */
};
/** The next record, without headers; pointers into the stage. `*stored` names it for
 * arus_kafka_stage_header; NULL: there is none. */
ARUS_MUST_USE enum arus_status arus_kafka_stage_next(struct arus_kafka_cursor *cursor,
                                                     struct arus_kafka_record *out,
                                                     const void **stored, struct arus_error *err);
/** Will the next call end the pointers of all records before? */
bool arus_kafka_stage_is_turning(const struct arus_kafka_cursor *cursor);
/** Does the record given last come from the file? Its pointers end soon. */
bool arus_kafka_stage_is_spilled(const struct arus_kafka_cursor *cursor);
void arus_kafka_cursor_end(struct arus_kafka_cursor *cursor);
/** Takes header `index` of a record. */
void arus_kafka_stage_header(const void *stored, uint32_t index, struct arus_kafka_header *out);
/** The record again, for texts about it. */
void arus_kafka_stage_record(const void *stored, struct arus_kafka_record *out);

#endif
