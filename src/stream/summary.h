/** What a query remembers beside each batch: who it is, and its sums since the beginning. For `arus
 * status`. */
#ifndef ARUS_STREAM_SUMMARY_H
#define ARUS_STREAM_SUMMARY_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

/** Each input row has one fate; sums over all batches. */
struct arus_row_sums {
    uint64_t in;
    uint64_t taken;
    uint64_t late;
    uint64_t rejected;
    uint64_t filtered;
    uint64_t duplicate;
    uint64_t out;
};

struct arus_summary_source {
    struct arus_text kind;     /* json, … */
    struct arus_text path;     /* absolute; empty: none */
    struct arus_text location; /* as written */
    uint64_t known_count;      /* files read */
    uint64_t left_count;       /* files that waited when the batch was planned */
};

/** Where the event times of a WATERMARK step come from. */
struct arus_summary_place {
    struct arus_text source; /* name of the table; empty: not one alone */
    struct arus_text column;
};

/** An operator with state, after the batch. */
struct arus_summary_state {
    struct arus_text name;  /* stateStoreSave, dedupe, .. */
    struct arus_text title; /* aggregate count(*) */
    uint64_t rows;
    uint64_t bytes; /* in memory */
};

struct arus_query_summary {
    struct arus_text query;
    struct arus_text pipeline; /* absolute path of the .sql file; empty: none */
    struct arus_text sink_format;
    struct arus_text sink_path;
    struct arus_text sink_location; /* as written */
    int64_t timestamp_ms;           /* wall clock of the batch */
    struct arus_row_sums rows;
    struct arus_summary_source *sources; /* [source_count] */
    size_t source_count;
    int64_t *watermarks; /* [watermark_count] ms of each WATERMARK step after the batch; INT64_MIN:
                            none */
    size_t watermark_count;
    struct arus_summary_place *watermark_places; /* [watermark_count]; NULL: not written down */
    int64_t next_close_ms;             /* when the next group's time is over; INT64_MIN: none */
    int64_t watermark_ms;              /* of the next batch; meaningful with watermark_count */
    struct arus_summary_state *states; /* [state_count] sink side first */
    size_t state_count;
    struct arus_text progress; /* JSON of the batch's progress, without what came after prepare */
};

/** Which WATERMARK step the watermark comes from: the one that is where the watermark is, else (no
 * row seen) the one that has seen nothing. */
size_t arus_summary_holder(const struct arus_query_summary *summary);

/** Appends JSON. */
ARUS_MUST_USE enum arus_status arus_summary_format(const struct arus_query_summary *summary,
                                                   struct arus_buffer *out, struct arus_error *err);
/** Reads it back; texts live in the arena. A text that is no summary (Spark's batch has none) gives
 * zeros. */
ARUS_MUST_USE enum arus_status arus_summary_parse(struct arus_text json, struct arus_arena *arena,
                                                  struct arus_query_summary *out,
                                                  struct arus_error *err);

#endif
