/** Session windows of a batch: each row is a session of its own until those that touch are merged.
 */
#include "base/alloc.h"
#include "exec/exec_internal.h"

struct sessions {
    const struct arus_vector *keys; /* [key_count] of all groups */
    uint32_t key_count;
    uint32_t session_key;
};

static const int64_t *bound(const struct sessions *sessions, uint16_t field)
{
    return sessions->keys[sessions->session_key].children[field].values;
}

/* By the other keys; then they can be merged in one pass by start. */
static int compare_keys(const struct sessions *sessions, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < sessions->key_count; k++) {
        const struct arus_vector *key = &sessions->keys[k];
        const int order = k == sessions->session_key ? 0 : arus_vector_compare(key, a, key, b);

        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static bool comes_first(const struct sessions *sessions, uint32_t a, uint32_t b)
{
    const int64_t *starts = bound(sessions, 0);
    const int order = compare_keys(sessions, a, b);

    return order != 0 ? order < 0 : starts[a] <= starts[b];
}

/* Merge sort of group numbers, bottom up. The result is where *groups points. */
static void sort_groups(const struct sessions *sessions, uint32_t **groups, uint32_t *scratch,
                        uint32_t count)
{
    uint32_t *from = *groups;
    uint32_t *to = scratch;

    for (uint64_t width = 1; width < count; width *= 2) {
        uint32_t *swap = from;

        for (uint64_t begin = 0; begin < count; begin += 2 * width) {
            const uint64_t middle = begin + width < count ? begin + width : count;
            const uint64_t end = begin + 2 * width < count ? begin + 2 * width : count;
            uint64_t a = begin;
            uint64_t b = middle;

            for (uint64_t i = begin; i < end; i++) {
                const bool takes_a =
                    a < middle && (b == end || comes_first(sessions, from[a], from[b]));

                to[i] = takes_a ? from[a++] : from[b++];
            }
        }
        from = to;
        to = swap;
    }
    *groups = from;
}

static enum arus_status merge_states(struct arus_exec *exec, struct arus_gather_state *gather,
                                     struct arus_group_lane *lane, uint32_t into, uint32_t from,
                                     struct arus_arena *step, struct arus_error *err)
{
    unsigned char *states = lane->groups.states;

    for (uint32_t i = 0; i < gather->plan->aggregate.item_count; i++) {
        const struct arus_expr *expr = gather->plan->aggregate.items[i].expr;
        const struct arus_agg_call call = {.expr = expr,
                                           .row_count = 1,
                                           .groups = &into,
                                           .states = states + gather->offsets[i],
                                           .stride = gather->stride,
                                           .heap = lane->heap,
                                           .env = &exec->env,
                                           .step = step};

        ARUS_TRY(expr->aggregate->merge(&call,
                                        states + (size_t)from * gather->stride + gather->offsets[i],
                                        gather->stride, 1, err));
    }
    return ARUS_OK;
}

enum arus_status arus_session_merge(struct arus_exec *exec, struct arus_gather_state *gather,
                                    struct arus_group_lane *lane, const uint32_t **kept,
                                    uint32_t *kept_count, struct arus_error *err)
{
    const uint32_t count = lane->groups.group_count;
    struct sessions sessions = {.key_count = gather->plan->key_count,
                                .session_key = gather->plan->aggregate.session_key};
    uint32_t *groups;
    uint32_t *scratch;
    uint32_t last = 0;

    ARUS_TRY(arus_group_table_keys(&lane->groups, &sessions.keys, err));
    ARUS_TRY(ARUS_NEW(&gather->arena, uint32_t, (size_t)count + 1, &groups, err));
    ARUS_TRY(ARUS_NEW(&gather->arena, uint32_t, (size_t)count + 1, &scratch, err));
    for (uint32_t i = 0; i < count; i++) {
        groups[i] = i;
    }
    sort_groups(&sessions, &groups, scratch, count);
    *kept_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t group = groups[i];
        int64_t *ends = (int64_t *)(uintptr_t)bound(&sessions, 1);

        if (i != 0 && compare_keys(&sessions, last, group) == 0 &&
            bound(&sessions, 0)[group] <= ends[last]) {
            ends[last] = ends[group] > ends[last] ? ends[group] : ends[last];
            ARUS_TRY(merge_states(exec, gather, lane, last, group, &gather->arena, err));
        } else {
            last = group;
            groups[(*kept_count)++] = group;
        }
    }
    *kept = groups;
    return ARUS_OK;
}
