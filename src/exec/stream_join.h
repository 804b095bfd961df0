/** One partition of a join of two streams: what looking for matches and giving out rows share. */
#ifndef ARUS_EXEC_STREAM_JOIN_H
#define ARUS_EXEC_STREAM_JOIN_H

#include "exec/stateful.h"

/** Row or entry numbers. */
struct arus_join_list {
    struct arus_buffer items; /* uint32_t [count] */
    uint32_t count;
};

static inline enum arus_status arus_join_list_add(struct arus_join_list *list, uint32_t number,
                                                  struct arus_error *err)
{
    list->items.size = list->count++ * sizeof number;
    return arus_buffer_append(&list->items, &number, sizeof number, err);
}

struct arus_join_task {
    struct arus_stateful *stateful;
    const struct arus_gather *plan;
    struct arus_stateful_part *part;
    struct arus_state_part *tables[2]; /* stored rows, left and right */
    uint64_t first_id;                 /* of left rows that are stored in this batch */
    uint32_t worker;
    uint32_t side;          /* whose rows are at work */
    uint32_t *pair_rows;    /* [pair_count] rows of the batch at work */
    uint32_t *pair_entries; /* [pair_count] stored rows of the other side */
    uint32_t pair_count;
    struct arus_join_list semi_rows;    /* SEMI: left rows of the batch with their first match */
    struct arus_join_list semi_entries; /* the same of stored left rows */
};

/**
 * Tries the condition on the pairs and gives out those that pass (not of a SEMI join).
 * kept[0..count): their numbers, until the partition's scratch is reset.
 */
ARUS_MUST_USE enum arus_status arus_join_emit_pairs(struct arus_join_task *task,
                                                    const struct arus_stored *stored,
                                                    const uint32_t **kept, uint32_t *count,
                                                    struct arus_error *err);
/** SEMI: the left rows noted. */
ARUS_MUST_USE enum arus_status arus_join_emit_semi(struct arus_join_task *task,
                                                   const struct arus_stored *stored,
                                                   struct arus_error *err);
/** Rows of the side at work, with nulls for the other; `rows` live as long as the piece. */
ARUS_MUST_USE enum arus_status arus_join_emit_rows(struct arus_join_task *task,
                                                   const struct arus_stored *stored,
                                                   const uint32_t *rows, uint32_t count,
                                                   struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_join_emit_entries(struct arus_join_task *task,
                                                      const uint32_t *entries, uint32_t count,
                                                      struct arus_error *err);

#endif
