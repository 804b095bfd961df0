/** ORDER BY: a stable merge sort of row numbers over the key columns. */
#include "exec/exec_internal.h"

struct order {
    const struct arus_vector *columns; /* FLAT */
    const struct arus_sort_key *keys;
    uint32_t key_count;
};

static int compare(const struct order *order, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < order->key_count; k++) {
        const struct arus_vector *column = &order->columns[k];
        const struct arus_sort_key *key = &order->keys[k];
        const bool has_a = arus_vector_is_valid(column, a);
        const bool has_b = arus_vector_is_valid(column, b);
        int result;

        if (!has_a || !has_b) {
            if (has_a != has_b) {
                return has_a == key->nulls_first ? 1 : -1;
            }
            continue;
        }
        result = arus_vector_compare(column, a, column, b);
        if (result != 0) {
            return key->is_descending ? -result : result;
        }
    }
    return 0;
}

static void merge(const struct order *order, const uint32_t *from, uint32_t *to, uint32_t begin,
                  uint32_t middle, uint32_t end)
{
    uint32_t a = begin;
    uint32_t b = middle;

    for (uint32_t i = begin; i < end; i++) {
        if (a < middle && (b == end || compare(order, from[a], from[b]) <= 0)) {
            to[i] = from[a++];
        } else {
            to[i] = from[b++];
        }
    }
}

/* Sorts rows[0..count) bottom up; `scratch` is as large. The result is in *rows. */
static void sort_rows(const struct order *order, uint32_t **rows, uint32_t *scratch, uint32_t count)
{
    uint32_t *from = *rows;
    uint32_t *to = scratch;

    for (uint64_t width = 1; width < count; width *= 2) {
        uint32_t *swap = from;

        for (uint64_t begin = 0; begin < count; begin += 2 * width) {
            const uint64_t middle = begin + width < count ? begin + width : count;
            const uint64_t end = begin + 2 * width < count ? begin + 2 * width : count;

            merge(order, from, to, (uint32_t)begin, (uint32_t)middle, (uint32_t)end);
        }
        from = to;
        to = swap;
    }
    *rows = from;
}

static void cut(const struct arus_gather *plan, uint32_t **rows, uint32_t *count)
{
    const uint64_t skip = plan->sort.skip < *count ? (uint64_t)plan->sort.skip : *count;
    const uint64_t left = *count - skip;

    *rows += skip;
    *count = plan->sort.limit >= 0 && (uint64_t)plan->sort.limit < left ? (uint32_t)plan->sort.limit
                                                                        : (uint32_t)left;
}

enum arus_status arus_sort_finish(struct arus_exec *exec, struct arus_gather_state *gather,
                                  struct arus_error *err)
{
    const struct arus_gather *plan = gather->plan;
    struct arus_arena *arena = &gather->arena;
    struct arus_batch rows;
    struct arus_batch keys;
    struct arus_batch sorted;
    struct order order = {.keys = plan->sort.keys, .key_count = plan->key_count};
    uint32_t *indices;
    uint32_t *scratch;
    uint32_t count;

    ARUS_TRY(
        arus_row_store_concat(gather->rows, exec->thread_count, plan->input, arena, &rows, err));
    ARUS_TRY(arus_row_store_concat(gather->keys, exec->thread_count, plan->program_schema, arena,
                                   &keys, err));
    count = rows.row_count;
    order.columns = keys.columns;
    ARUS_TRY(ARUS_NEW(arena, uint32_t, (size_t)count + 1, &indices, err));
    ARUS_TRY(ARUS_NEW(arena, uint32_t, (size_t)count + 1, &scratch, err));
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = i;
    }
    sort_rows(&order, &indices, scratch, count);
    cut(plan, &indices, &count);
    ARUS_TRY(arus_batch_slice(&rows, indices, count, arena, &sorted, err));
    gather->result = (struct arus_batch){.schema = plan->schema, .row_count = count};
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, plan->schema->field_count, &gather->result.columns,
                      err));
    for (uint16_t f = 0; f < plan->schema->field_count; f++) {
        ARUS_TRY(arus_vector_flatten(&sorted.columns[f], arena, &gather->result.columns[f], err));
    }
    return ARUS_OK;
}
