/** Session windows on a stream: the batch's sessions of each key are laid over the stored ones;
 * what touches becomes one. Rule: Spark's MergingSessionsIterator,
 * StreamingSessionWindowStateManager. */
#include "exec/stateful.h"

#include <stdlib.h>

/* A session of the batch (in a worker's groups), or a stored one. */
struct session {
    int64_t start;
    int64_t end;
    struct arus_text key; /* of the batch's: without the times */
    uint64_t hash;
    const struct arus_group_state_lane *lane; /* NULL: stored */
    uint32_t entry;                           /* in the lane's groups, or in the state */
};

struct sessions {
    struct session *items;
    uint32_t count;
};

static int compare(const void *left, const void *right)
{
    const struct session *a = left;
    const struct session *b = right;
    int order;

    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }
    order = arus_text_compare(a->key, b->key);
    if (order != 0) {
        return order;
    }
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    return (a->end > b->end) - (a->end < b->end);
}

/* All sessions of the batch in a partition, by key and start. */
static enum arus_status list_fresh(const struct arus_stateful *stateful, uint32_t partition,
                                   struct arus_arena *arena, struct sessions *out,
                                   struct arus_error *err)
{
    uint32_t count = 0;

    for (uint32_t w = 0; w < stateful->exec->thread_count; w++) {
        const struct arus_by_partition *order = &stateful->group_lanes[w].groups.order;

        count += order->begin[partition + 1] - order->begin[partition];
    }
    ARUS_TRY(ARUS_NEW(arena, struct session, (size_t)count + 1, &out->items, err));
    out->count = 0;
    for (uint32_t w = 0; w < stateful->exec->thread_count; w++) {
        const struct arus_group_state_lane *lane = &stateful->group_lanes[w];

        for (uint32_t i = lane->groups.order.begin[partition];
             i < lane->groups.order.begin[partition + 1]; i++) {
            struct session *session = &out->items[out->count++];
            const uint32_t entry = lane->groups.order.rows[i];
            const struct arus_text key = arus_state_part_key(&lane->groups.part, entry);

            session->key = (struct arus_text){key.data, key.size - 16};
            memcpy(&session->start, key.data + key.size - 16, 8);
            memcpy(&session->end, key.data + key.size - 8, 8);
            session->hash = lane->groups.hashes[entry];
            session->lane = lane;
            session->entry = entry;
        }
    }
    if (out->count > 1) {
        qsort(out->items, out->count, sizeof *out->items, compare);
    }
    return ARUS_OK;
}

/* Stored sessions of the key and `fresh` ones, by start. */
static enum arus_status lay_over(const struct arus_state_part *state, const struct session *fresh,
                                 uint32_t fresh_count, struct arus_arena *arena,
                                 struct sessions *out, struct arus_error *err)
{
    uint32_t stored = 0;

    for (uint32_t entry = arus_state_part_get(state, fresh->key, fresh->hash);
         entry != ARUS_STATE_NONE; entry = arus_state_part_next(state, entry)) {
        stored++;
    }
    ARUS_TRY(ARUS_NEW(arena, struct session, (size_t)stored + fresh_count, &out->items, err));
    out->count = 0;
    for (uint32_t entry = arus_state_part_get(state, fresh->key, fresh->hash);
         entry != ARUS_STATE_NONE; entry = arus_state_part_next(state, entry)) {
        struct session *session = &out->items[out->count++];

        *session = (struct session){.key = fresh->key, .hash = fresh->hash, .entry = entry};
        memcpy(&session->start, arus_state_part_fixed(state, entry), 8);
        memcpy(&session->end, arus_state_part_fixed(state, entry) + 8, 8);
    }
    memcpy(out->items + out->count, fresh, fresh_count * sizeof *fresh);
    out->count += fresh_count;
    qsort(out->items, out->count, sizeof *out->items, compare);
    return ARUS_OK;
}

static enum arus_status merge_into(struct arus_stateful *stateful, uint32_t partition,
                                   uint32_t target, const struct session *from,
                                   struct arus_error *err)
{
    const struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    const unsigned char *bytes =
        from->lane != NULL ? arus_state_part_fixed(&from->lane->groups.part, from->entry)
                           : arus_state_part_fixed(state, from->entry) + stateful->prefix_size;
    const uint32_t group = 0;

    return arus_group_state_merge(stateful, partition,
                                  arus_state_part_fixed(state, target) + stateful->prefix_size, 0,
                                  &group, bytes, 0, 1, err);
}

/* The stored session that begins where the merged one does, or a new one. */
static enum arus_status find_target(struct arus_state_part *state, const struct session *items,
                                    uint32_t count, uint32_t *target, struct arus_error *err)
{
    for (uint32_t i = 0; i < count && items[i].start == items[0].start; i++) {
        if (items[i].lane == NULL) {
            *target = items[i].entry;
            return ARUS_OK;
        }
    }
    return arus_state_part_add(state, items[0].key, items[0].hash, ARUS_STATE_NEVER,
                               (struct arus_text){0}, target, err);
}

/* Sessions that touch one another become one. */
static enum arus_status merge_touching(struct arus_stateful *stateful, uint32_t partition,
                                       const struct session *items, uint32_t count, int64_t end,
                                       struct arus_error *err)
{
    struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    const int64_t times[2] = {items[0].start, end};
    uint32_t target;

    stateful->parts[partition].updated_rows++;
    if (count == 1 && items[0].lane == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(find_target(state, items, count, &target, err));
    ARUS_TRY(arus_state_part_touch(state, target, err));
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].lane == NULL && items[i].entry == target) {
            continue;
        }
        ARUS_TRY(merge_into(stateful, partition, target, &items[i], err));
        if (items[i].lane == NULL) {
            ARUS_TRY(arus_state_part_remove(state, items[i].entry, err));
            stateful->parts[partition].removed_rows++;
        }
    }
    memcpy(arus_state_part_fixed(state, target), times, sizeof times);
    arus_state_part_set_expiry(state, target, end);
    return ARUS_OK;
}

static enum arus_status merge_key(struct arus_stateful *stateful, uint32_t partition,
                                  const struct session *fresh, uint32_t fresh_count,
                                  struct arus_arena *arena, struct arus_error *err)
{
    struct arus_state_part *state = arus_stateful_table_part(stateful, 0, partition);
    struct sessions all;
    uint32_t begin = 0;
    int64_t end;

    ARUS_TRY(lay_over(state, fresh, fresh_count, arena, &all, err));
    end = all.items[0].end;
    for (uint32_t i = 1; i <= all.count; i++) {
        if (i < all.count && all.items[i].start <= end) {
            end = all.items[i].end > end ? all.items[i].end : end;
            continue;
        }
        ARUS_TRY(merge_touching(stateful, partition, all.items + begin, i - begin, end, err));
        begin = i;
        end = i < all.count ? all.items[i].end : 0;
    }
    return ARUS_OK;
}

static enum arus_status merge_all(struct arus_stateful *stateful, uint32_t partition,
                                  struct arus_arena *arena, struct arus_arena *key_arena,
                                  struct arus_error *err)
{
    struct sessions fresh;
    uint32_t begin = 0;

    ARUS_TRY(list_fresh(stateful, partition, arena, &fresh, err));
    for (uint32_t i = 1; i <= fresh.count; i++) {
        if (i < fresh.count && fresh.items[i].hash == fresh.items[begin].hash &&
            arus_text_equal(fresh.items[i].key, fresh.items[begin].key)) {
            continue;
        }
        arus_arena_reset(key_arena);
        ARUS_TRY(merge_key(stateful, partition, fresh.items + begin, i - begin, key_arena, err));
        begin = i;
    }
    return ARUS_OK;
}

enum arus_status arus_session_state_merge(struct arus_stateful *stateful, uint32_t partition,
                                          struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_arena key_arena = {0};
    const enum arus_status status = merge_all(stateful, partition, &arena, &key_arena, err);

    arus_arena_release(&arena);
    arus_arena_release(&key_arena);
    return status;
}
