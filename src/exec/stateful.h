/** What stateful gathers share: tables, the bounds of a run, results in pieces, counts. */
#ifndef ARUS_EXEC_STATEFUL_H
#define ARUS_EXEC_STATEFUL_H

#include "exec/exec_internal.h"
#include "exec/keyed.h"
#include "state/state.h"

/** What one partition gives out in a run, and counts. One thread at a time. */
struct arus_stateful_part {
    struct arus_arena arena;   /* of the pieces; reset by each run */
    struct arus_arena scratch; /* reset by each use */
    struct arus_batch *pieces; /* [piece_count] FLAT or slices, any number of rows */
    uint32_t piece_count;
    uint32_t piece_capacity;
    struct arus_agg_heap *heap; /* behind the views of aggregate states; NULL: none yet */
    size_t heap_floor;          /* its size when it was last made smaller */
    uint64_t updated_rows;
    uint64_t removed_rows;
    uint64_t dropped_rows;   /* late, as Spark counts */
    uint64_t duplicate_rows; /* DEDUP */
    uint64_t update_us;
    uint64_t removal_us;
};

struct arus_group_state_lane;
struct arus_stored_lane;

/** A stateful gather. In the arena of the exec. */
struct arus_stateful {
    struct arus_exec *exec;
    struct arus_gather_state *gather;
    const struct arus_state_operator *plan;
    uint32_t table; /* its first table of exec->state; a JOIN has two */
    struct arus_row_code keys;
    struct arus_row_code rows[2]; /* JOIN: stored rows of each side */
    int64_t late_bound;           /* microseconds: rows with this event time or less are late */
    int64_t evict_bounds[2];      /* state with this expiry or less leaves */
    uint32_t prefix_size; /* bytes of the fixed part before the aggregates: a session's times */
    uint32_t view_count;  /* of the aggregate states, prefix included in the offsets */
    uint32_t *view_offsets;
    struct arus_agg_meter heap_meter;          /* AGGREGATE: heaps count as state */
    _Atomic uint64_t late_rows;                /* the true number */
    struct arus_fates fates;                   /* of rows of streams that waited: DEDUP */
    struct arus_group_state_lane *group_lanes; /* [thread_count]: AGGREGATE */
    struct arus_stored_lane *stored_lanes;     /* [thread_count]: DEDUP, JOIN */
    struct arus_stored **lists[2]; /* the batches of each side, in the order of the input */
    uint32_t list_counts[2];
    struct arus_program_state **conditions; /* [thread_count]: JOIN */
    struct arus_stateful_part parts[ARUS_STATE_PART_COUNT];
};

/* stateful.c */

/** How many tables the operators before this one have. */
uint32_t arus_stateful_table(const struct arus_physical *physical, uint32_t operator_id);
ARUS_MUST_USE enum arus_status arus_stateful_open(struct arus_exec *exec,
                                                  struct arus_gather_state *gather,
                                                  struct arus_error *err);
void arus_stateful_close(struct arus_stateful *stateful); /* accepts NULL */
/** Ready for the next run, with its watermarks. */
void arus_stateful_begin(struct arus_stateful *stateful);
/** The operator's gather; NULL: no such operator. */
struct arus_stateful *arus_stateful_find(const struct arus_exec *exec, uint32_t id);
/** Runs a task for each partition; errors name the operator. */
ARUS_MUST_USE enum arus_status arus_stateful_run(struct arus_stateful *stateful, arus_task_fn task,
                                                 struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_stateful_add_piece(struct arus_stateful_part *part,
                                                       const struct arus_batch *piece,
                                                       struct arus_error *err);
static inline struct arus_state_part *arus_stateful_table_part(const struct arus_stateful *stateful,
                                                               uint32_t side, uint32_t partition)
{
    return arus_state_partition(stateful->exec->state, stateful->table + side, partition);
}
/** Microseconds, for times of progress records. */
uint64_t arus_stateful_now_us(void);

/* watermark.c */

/** inputs[id]: the watermark in ms of each operator when the global one is `global_ms`. */
void arus_watermark_inputs(const struct arus_physical *physical, int64_t global_ms,
                           int64_t *inputs);
/** In ms: state of this input with an event time at or before it leaves. */
int64_t arus_watermark_state(const struct arus_expiry *expiry, int64_t input_ms);
/** Notes event times of a batch at a WATERMARK step. */
ARUS_MUST_USE enum arus_status arus_watermark_note(struct arus_lane *lane,
                                                   const struct arus_step *step,
                                                   const struct arus_batch *batch,
                                                   struct arus_error *err);

/* group_state.c: AGGREGATE */

ARUS_MUST_USE enum arus_status arus_group_state_open(struct arus_stateful *stateful,
                                                     struct arus_state_operator_config *table,
                                                     struct arus_error *err);
void arus_group_state_close(struct arus_stateful *stateful);
void arus_group_state_reset(struct arus_stateful *stateful);
ARUS_MUST_USE enum arus_status arus_group_state_add(struct arus_lane *lane,
                                                    struct arus_gather_state *gather,
                                                    struct arus_vector *columns, uint32_t row_count,
                                                    struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_group_state_finish(struct arus_stateful *stateful,
                                                       struct arus_error *err);
/** Groups of one batch, and which partition each belongs to. */
struct arus_group_lane_table {
    struct arus_state_part part;
    uint64_t *hashes; /* [part.entry_capacity] */
    uint32_t hash_capacity;
    struct arus_by_partition order; /* once all are in */
};

/** One worker's groups. */
struct arus_group_state_lane {
    struct arus_state_layout layout;
    struct arus_state_layout late_layout;
    struct arus_state_budget budget; /* not of the state: it lives for one run only */
    struct arus_group_lane_table groups;
    struct arus_group_lane_table late; /* groups of late rows, to be counted */
    struct arus_agg_heap *heap;
    struct arus_arena arena; /* of the orders */
    uint64_t row_count;      /* rows of this batch */
    bool is_appending;       /* the keys hardly repeat: each row is a group for itself */
};
/** Adds `count` states `from` to the states at `fixed` + group * unit (aggregates only). */
ARUS_MUST_USE enum arus_status arus_group_state_merge(struct arus_stateful *stateful,
                                                      uint32_t partition, unsigned char *fixed,
                                                      size_t unit, const uint32_t *groups,
                                                      const unsigned char *from, size_t from_stride,
                                                      uint32_t count, struct arus_error *err);

/* group_emit.c */

/** The rows of these entries as a piece of the partition. */
ARUS_MUST_USE enum arus_status arus_group_emit(struct arus_stateful *stateful, uint32_t partition,
                                               const uint32_t *entries, uint32_t count,
                                               struct arus_error *err);
/** By the output mode: emits what the batch has to give, and evicts. */
ARUS_MUST_USE enum arus_status arus_group_emit_mode(struct arus_stateful *stateful,
                                                    uint32_t partition, struct arus_error *err);

/* session_state.c: the merge of one partition, instead of groups */
ARUS_MUST_USE enum arus_status arus_session_state_merge(struct arus_stateful *stateful,
                                                        uint32_t partition, struct arus_error *err);

/* stored.c, dedup.c, stream_join.c */

/** A batch that waits for the exchange, with its keys. What a partition reads of it lies side by
 * side: item i of what is in the order of partitions belongs to row order.rows[i] of the batch. */
struct arus_stored {
    struct arus_batch rows; /* FLAT copies; DEDUP: as they came; JOIN: in the order of partitions */
    struct arus_row_bytes keys; /* in the order of partitions, as are hashes, times, packed */
    uint64_t *hashes;
    struct arus_by_partition order;
    int64_t *times;               /* event times for the expiry; NULL: none */
    struct arus_row_bytes packed; /* JOIN: the rows as they will be stored */
    unsigned char *flags;         /* [row_count] ARUS_STORED_*, as `rows`; one writer a row */
    uint32_t task;                /* of the stage: the order of the input */
    uint32_t side;
    /* DEDUP: rows whose fate is open */
    bool is_source;              /* they are those of a stream */
    struct arus_fate_rows *fate; /* not NULL: of the rows they were made of, */
    uint32_t *origins;           /* [row_count] which these are */
};
enum {
    ARUS_STORED_KEEP = 1,     /* DEDUP: its key is new */
    ARUS_STORED_NO_KEY = 2,   /* JOIN: a null among its keys */
    ARUS_STORED_NO_MATCH = 4, /* JOIN: it fails the condition on its own side */
    ARUS_STORED_MATCHED = 8   /* JOIN: a match was found in this batch */
};

struct arus_stored_lane {
    struct arus_arena arena;   /* rows */
    struct arus_arena lookups; /* what is in the order of partitions, but rows */
    struct arus_stored *items; /* [count] */
    uint32_t count;
    uint32_t capacity;
};
void arus_stored_reset(struct arus_stateful *stateful);
void arus_stored_close(struct arus_stateful *stateful);
/** All keys have been looked up: much memory of them is for others now. */
void arus_stored_looked_up(struct arus_stateful *stateful);
/** Room for one more in the worker's lane. */
ARUS_MUST_USE enum arus_status arus_stored_next(struct arus_stored_lane *lane,
                                                struct arus_stored **out, struct arus_error *err);
/** All batches of all lanes of a side, in the order of the input; in the run's arena. */
ARUS_MUST_USE enum arus_status arus_stored_list(struct arus_stateful *stateful, uint32_t side,
                                                struct arus_stored ***out, uint32_t *count,
                                                struct arus_error *err);

/** Keeps a copy of the batch, with its keys, in the worker's lane. */
ARUS_MUST_USE enum arus_status arus_stored_add(struct arus_lane *lane,
                                               struct arus_stateful *stateful,
                                               const struct arus_batch *batch,
                                               const struct arus_vector *keys,
                                               struct arus_stored **out, struct arus_error *err);
/** Sets its times: a column's event times, plus a delay. */
ARUS_MUST_USE enum arus_status arus_stored_times(struct arus_lane *lane,
                                                 struct arus_stateful *stateful,
                                                 const struct arus_vector *column, int64_t delay,
                                                 struct arus_stored *stored,
                                                 struct arus_error *err);
/** Its keys of one partition, in the arena. */
ARUS_MUST_USE enum arus_status arus_stored_keys(const struct arus_stored *stored,
                                                uint32_t partition, struct arus_arena *arena,
                                                struct arus_state_keys *out, uint32_t *count,
                                                struct arus_error *err);
/** Encodes its rows as they will be stored. */
ARUS_MUST_USE enum arus_status arus_stored_pack(struct arus_lane *lane,
                                                struct arus_stateful *stateful,
                                                const struct arus_row_code *code,
                                                struct arus_stored *stored, struct arus_error *err);
/** The rows whose event time is not late; the late ones are counted, and their fate is settled. */
ARUS_MUST_USE enum arus_status arus_stored_on_time(struct arus_lane *lane,
                                                   struct arus_stateful *stateful,
                                                   const struct arus_vector *column,
                                                   uint32_t **rows, uint32_t *count,
                                                   struct arus_error *err);

ARUS_MUST_USE enum arus_status arus_dedup_open(struct arus_stateful *stateful,
                                               struct arus_state_operator_config *table,
                                               struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_dedup_add(struct arus_lane *lane,
                                              struct arus_gather_state *gather,
                                              const struct arus_batch *batch,
                                              const struct arus_batch *columns,
                                              struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_dedup_finish(struct arus_stateful *stateful,
                                                 struct arus_error *err);

ARUS_MUST_USE enum arus_status arus_stream_join_open(struct arus_stateful *stateful,
                                                     struct arus_state_operator_config *tables,
                                                     struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_stream_join_add(struct arus_lane *lane,
                                                    struct arus_gather_state *gather,
                                                    const struct arus_batch *batch,
                                                    struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_stream_join_finish(struct arus_stateful *stateful,
                                                       struct arus_error *err);

/* limit_state.c */
ARUS_MUST_USE enum arus_status arus_limit_state_open(struct arus_state_operator_config *table);
/** Rows let through in all batches before. */
int64_t arus_limit_state_get(const struct arus_stateful *stateful);
ARUS_MUST_USE enum arus_status arus_limit_state_set(struct arus_stateful *stateful, int64_t count,
                                                    struct arus_error *err);

#endif
