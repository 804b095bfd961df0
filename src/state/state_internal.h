/** The struct behind state.h, shared by state.c and load.c. */
#ifndef ARUS_STATE_STATE_INTERNAL_H
#define ARUS_STATE_STATE_INTERNAL_H

#include "state/state.h"

#define ARUS_STATE_SHARED   255u /* lane of small pieces */
#define ARUS_STATE_KEY_SIZE 13

/** Batches that have a snapshot of one partition, rising. */
struct arus_state_snapshots {
    int64_t *batches; /* [count] */
    uint32_t count;
    uint32_t capacity;
};

struct arus_state_table {
    struct arus_state_operator_config config;
    struct arus_state_part parts[ARUS_STATE_PART_COUNT];
    struct arus_state_sections sections[ARUS_STATE_PART_COUNT]; /* of the batch under way */
    bool is_encoded[ARUS_STATE_PART_COUNT];
    bool wants_snapshot[ARUS_STATE_PART_COUNT]; /* in the batch under way */
    struct arus_state_snapshots snapshots[ARUS_STATE_PART_COUNT];
    int64_t kept_from[ARUS_STATE_PART_COUNT]; /* nothing older is left in the lane */
    int64_t shared_kept_from;
    struct arus_buffer shared[2]; /* chunks of the shared lane, by kind */
    uint64_t changed_size;        /* bytes of deltas since the sweep of snapshots began */
    uint64_t batch_size;          /* bytes of the last batch's delta */
    uint32_t sweep_next;          /* next partition of the sweep; PART_COUNT: none goes on */
};

struct arus_state {
    struct arus_state_table *operators;
    uint32_t operator_count;
    struct arus_state_budget budget;
};

struct arus_state_key {
    uint32_t op;
    uint32_t lane;
    int64_t batch;
    enum arus_section_kind kind;
    uint32_t chunk;
};

struct arus_text arus_state_key_write(const struct arus_state_key *key,
                                      char out[ARUS_STATE_KEY_SIZE]);
struct arus_state_key arus_state_key_read(const char *data);

ARUS_MUST_USE enum arus_status arus_state_add_snapshot(struct arus_state_snapshots *snapshots,
                                                       int64_t batch, struct arus_error *err);

#endif
