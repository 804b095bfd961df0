/**
 * What the stateful operators of a streaming query keep between micro-batches, and until when.
 *
 * Rules: Spark 4.3 (StateStoreWriter, WatermarkSupport, WatermarkPropagator). W is a watermark in
 * milliseconds. Micro-batch N uses two for each operator: W(N - 1) says which rows are late, W(N)
 * what leaves the state. A row with event time t is late, and state with event time t leaves, when
 * t <= W * 1000 microseconds; a null is never late and never leaves.
 */
#ifndef ARUS_PLAN_STATEFUL_H
#define ARUS_PLAN_STATEFUL_H

#include "connector/connector.h"

#include <stdbool.h>
#include <stdint.h>

struct arus_plan;

enum arus_state_kind {
    ARUS_STATE_AGGREGATE,    /* gather AGGREGATE: a row a group */
    ARUS_STATE_SESSION,      /* gather AGGREGATE with has_session: a row a key and session */
    ARUS_STATE_DEDUP,        /* gather DEDUP: the keys seen */
    ARUS_STATE_DEDUP_WITHIN, /* gather DEDUP: the keys seen and when each leaves */
    ARUS_STATE_JOIN,         /* gather JOIN: the rows of both sides */
    ARUS_STATE_LIMIT         /* gather LIMIT: one number, rows let through so far */
};

enum arus_expiry_kind {
    ARUS_EXPIRY_NONE, /* stays for ever */
    ARUS_EXPIRY_TIME, /* leaves when its event time <= the state watermark */
    ARUS_EXPIRY_DELAY /* DEDUP_WITHIN: leaves when (event time of the first row + delay) <= W */
};

/**
 * When state leaves. The event time is a column of the gather's (the side's) program: a TIMESTAMP,
 * or a window, whose end counts.
 */
struct arus_expiry {
    enum arus_expiry_kind kind;
    uint32_t column;
    bool is_key;          /* column < key_count: all rows of one key leave together */
    int64_t delay_micros; /* DELAY */
    /* TIME: state watermark in ms = (W * 1000 + offset_micros) / 1000 - minus_ms, the division
     * towards zero. Both 0 but for a JOIN bounded by its condition. */
    int64_t offset_micros;
    int64_t minus_ms;
    bool is_limited; /* JOIN: the state watermark is never above limit_ms */
    bool is_fixed;   /* JOIN: it is limit_ms */
    int64_t limit_ms;
};

/** One input of an operator. */
struct arus_state_input {
    int32_t late_column; /* event time that makes a row late: a column of the program, as above; -1:
                            no row is late */
    struct arus_expiry expiry;
};

/**
 * An operator with state. Its watermark: the smallest of the global one (if a watermark lies below
 * it with no operator between) and of the outputs of the operators in `below`; 0 without any.
 * Its output: the same; of a JOIN the smallest of it and the state watermarks of its sides (those
 * with expiry TIME). All are 0 while the global watermark is 0.
 */
struct arus_state_operator {
    enum arus_state_kind kind;
    uint32_t id;                /* 0: nearest to the sink; position in arus_physical.operators */
    const char *name;           /* in progress records: stateStoreSave, dedupe, .. */
    enum arus_output_mode mode; /* of the query */
    uint32_t gather;            /* index of its gather */
    struct arus_place place;
    const struct arus_plan *plan; /* its node */
    bool sees_watermark;
    const uint32_t *below; /* ids of the operators right below that have a watermark below them */
    uint32_t below_count;
    struct arus_state_input inputs[2]; /* JOIN: left, right; else [0] only */
};

#endif
