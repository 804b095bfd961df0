/**
 * The state of a query: operators, each in 64 partitions by the hash of the key, in memory; and
 * what of it lies in the journal. A batch appends what it has changed in its one transaction.
 * Snapshots ride in the same transaction, a few partitions at a time, so that the changes since the
 * last one stay about as large as the state; what lies before the snapshots that the oldest batch
 * to be kept needs is deleted.
 *
 *     key  u8 operator, u8 lane (partition, or 255: small pieces of several), u64 batch, u8 kind,
 * u16 chunk
 *
 * One micro-batch: operators work on partitions (any thread, one a partition) ·
 * arus_state_encode_begin · arus_state_encode for each partition (any thread) · arus_state_save ·
 * commit · arus_state_settle. After a failure before the commit: arus_state_load of the batch
 * before.
 */
#ifndef ARUS_STATE_STATE_H
#define ARUS_STATE_STATE_H

#include "base/thread.h"
#include "journal/store.h"
#include "state/section.h"

struct arus_state;

/** What the owner says of an operator. Pointers outlive the state. */
struct arus_state_operator_config {
    struct arus_state_layout layout;
    const char *name;                  /* for errors: stateStoreSave, dedupe, ... */
    struct arus_state_adopter adopter; /* with views only */
    void (*forget)(void *self); /* all entries are gone: what views named may go too; may be NULL */
    void *self;                 /* of forget */
};

ARUS_MUST_USE enum arus_status arus_state_open(const struct arus_state_operator_config *operators,
                                               uint32_t operator_count, uint64_t memory_max,
                                               struct arus_state **out, struct arus_error *err);
void arus_state_close(struct arus_state *state); /* accepts NULL */

uint32_t arus_state_operator_count(const struct arus_state *state);
struct arus_state_part *arus_state_partition(struct arus_state *state, uint32_t op,
                                             uint32_t partition);
struct arus_state_budget *arus_state_budget(struct arus_state *state);
/** Live entries, and bytes in memory, of one operator. */
uint64_t arus_state_entry_count(const struct arus_state *state, uint32_t op);
uint64_t arus_state_memory_size(const struct arus_state *state, uint32_t op);

/**
 * Forgets what is in memory and loads the state as it was after batch `batch_id` (-1: empty).
 * `pool`: workers, or NULL.
 *
 * Errors: ARUS_MISMATCH ARUS_STATE_DAMAGED naming operator, batch and partition; ARUS_NO_MEMORY.
 */
ARUS_MUST_USE enum arus_status arus_state_load(struct arus_state *state, struct arus_store *store,
                                               int64_t batch_id, struct arus_pool *pool,
                                               struct arus_error *err);

/** Decides which partitions get a snapshot in this batch. */
void arus_state_encode_begin(struct arus_state *state);
ARUS_MUST_USE enum arus_status arus_state_encode(struct arus_state *state, uint32_t op,
                                                 uint32_t partition, struct arus_error *err);
/**
 * Adds the batch to a transaction: the encoded bytes (borrowed until settle or load), and the
 * removal of what no batch from `oldest_kept` on needs.
 */
ARUS_MUST_USE enum arus_status arus_state_save(struct arus_state *state, int64_t batch_id,
                                               int64_t oldest_kept, struct arus_store_write *write,
                                               struct arus_error *err);
/** The transaction is durable. */
void arus_state_settle(struct arus_state *state);
/** Takes a batch out of the journal again (with the next commit of `write`); load the one before.
 */
ARUS_MUST_USE enum arus_status arus_state_drop(struct arus_state *state, int64_t batch_id,
                                               struct arus_store_write *write,
                                               struct arus_error *err);
/** All batches behind `batch_id` go, with the next commit of `write`; no state is open. */
ARUS_MUST_USE enum arus_status arus_state_forget_after(struct arus_store *store, int64_t batch_id,
                                                       struct arus_store_write *write,
                                                       struct arus_error *err);
/** Bytes that the batch under way adds to the journal. */
uint64_t arus_state_delta_size(const struct arus_state *state, uint32_t op);

#endif
