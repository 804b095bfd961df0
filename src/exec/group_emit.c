/** Rows of groups and sessions: keys decoded, states finished. */
#include "exec/stateful.h"

#define STATE_UNIT 16u

/* Keys of the entries as columns; a session's times come from its state. */
static enum arus_status emit_keys(struct arus_stateful *stateful, uint32_t partition,
                                  const uint32_t *entries, uint32_t count, struct arus_vector *out,
                                  struct arus_error *err)
{
    const struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    const struct arus_gather *plan = stateful->gather->plan;
    struct arus_arena *arena = &stateful->parts[partition].arena;
    struct arus_vector *keys;
    const char **rows;
    uint32_t at = 0;

    ARUS_TRY(ARUS_NEW(arena, const char *, (size_t)count + 1, &rows, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, (size_t)plan->key_count + 1, &keys, err));
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = arus_state_part_key(state, entries[i]).data;
    }
    ARUS_TRY(arus_row_code_decode(&stateful->keys, rows, count, arena, keys, err));
    for (uint32_t k = 0; k < plan->key_count; k++) {
        if (stateful->prefix_size == 0 || k != plan->aggregate.session_key) {
            out[k] = keys[at++];
        }
    }
    return ARUS_OK;
}

static enum arus_status emit_session(struct arus_stateful *stateful, uint32_t partition,
                                     const uint32_t *entries, uint32_t count,
                                     struct arus_vector *out, struct arus_error *err)
{
    const struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    const struct arus_gather *plan = stateful->gather->plan;
    struct arus_vector *column = &out[plan->aggregate.session_key];

    ARUS_TRY(arus_vector_init(column, plan->schema->fields[plan->aggregate.session_key].type, count,
                              &stateful->parts[partition].arena, err));
    for (uint32_t i = 0; i < count; i++) {
        int64_t times[2];

        memcpy(times, arus_state_part_fixed(state, entries[i]), sizeof times);
        ((int64_t *)column->children[0].values)[i] = times[0];
        ((int64_t *)column->children[1].values)[i] = times[1];
    }
    return ARUS_OK;
}

static enum arus_status emit_results(struct arus_stateful *stateful, uint32_t partition,
                                     const uint32_t *entries, uint32_t count,
                                     struct arus_vector *out, struct arus_error *err)
{
    const struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    const struct arus_gather *plan = stateful->gather->plan;
    struct arus_arena *arena = &stateful->parts[partition].arena;
    const size_t stride = stateful->gather->stride;
    void *states;

    ARUS_TRY(arus_arena_buffer(arena, count * stride + 1, &states, err));
    for (uint32_t i = 0; stride != 0 && i < count; i++) {
        const unsigned char *fixed =
            arus_state_part_fixed(state, entries[i]) + stateful->prefix_size;

        for (size_t unit = 0; unit < stride; unit += STATE_UNIT) { /* a call would take longer */
            memcpy((char *)states + i * stride + unit, fixed + unit, STATE_UNIT);
        }
    }
    for (uint32_t i = 0; i < plan->aggregate.item_count; i++) {
        const struct arus_expr *expr = plan->aggregate.items[i].expr;

        ARUS_TRY(expr->aggregate->finish(
            expr, (const unsigned char *)states + stateful->gather->offsets[i], stride, count,
            arena, &out[plan->key_count + i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_group_emit(struct arus_stateful *stateful, uint32_t partition,
                                 const uint32_t *entries, uint32_t count, struct arus_error *err)
{
    struct arus_stateful_part *part = &stateful->parts[partition];
    const struct arus_gather *plan = stateful->gather->plan;
    struct arus_batch piece = {.schema = plan->schema, .row_count = count};

    if (count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&part->arena, struct arus_vector, (size_t)plan->schema->field_count + 1,
                      &piece.columns, err));
    ARUS_TRY(emit_keys(stateful, partition, entries, count, piece.columns, err));
    if (stateful->prefix_size != 0) {
        ARUS_TRY(emit_session(stateful, partition, entries, count, piece.columns, err));
    }
    ARUS_TRY(emit_results(stateful, partition, entries, count, piece.columns, err));
    return arus_stateful_add_piece(part, &piece, err);
}

static enum arus_status emit_all(struct arus_stateful *stateful, uint32_t partition,
                                 struct arus_error *err)
{
    const struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    uint32_t *entries;
    uint32_t count = 0;

    ARUS_TRY(ARUS_NEW(&stateful->parts[partition].arena, uint32_t, (size_t)state->entry_count + 1,
                      &entries, err));
    for (uint32_t entry = arus_state_part_next_live(state, 0); entry != ARUS_STATE_NONE;
         entry = arus_state_part_next_live(state, entry + 1)) {
        entries[count++] = entry;
    }
    return arus_group_emit(stateful, partition, entries, count, err);
}

/* Rule: append gives out what leaves, update what has changed, complete all there is and keeps it.
 */
enum arus_status arus_group_emit_mode(struct arus_stateful *stateful, uint32_t partition,
                                      struct arus_error *err)
{
    struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    struct arus_stateful_part *part = &stateful->parts[partition];
    const uint64_t begin_us = arus_stateful_now_us();
    const int64_t bound = stateful->evict_bounds[0];
    uint32_t *expired = NULL;
    uint32_t count = 0;

    switch (stateful->plan->mode) {
    case ARUS_COMPLETE:
        return emit_all(stateful, partition, err);
    case ARUS_UPDATE:
        ARUS_TRY(arus_group_emit(stateful, partition, state->dirty, state->dirty_count, err));
        break;
    case ARUS_APPEND:
        ARUS_TRY(arus_state_part_expired(state, bound, &part->arena, &expired, &count, err));
        ARUS_TRY(arus_group_emit(stateful, partition, expired, count, err));
        break;
    }
    if (stateful->plan->inputs[0].expiry.kind != ARUS_EXPIRY_NONE) {
        ARUS_TRY(arus_state_part_evict(state, bound, &count, err));
        part->removed_rows += count;
    }
    part->removal_us = arus_stateful_now_us() - begin_us;
    return ARUS_OK;
}
