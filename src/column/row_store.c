/** A list of copied batches. */
#include "column/row_store.h"

#include "base/alloc.h"

#define ROWS_MAX ((uint64_t)1 << 31)

enum arus_status arus_row_store_add(struct arus_row_store *store, const struct arus_batch *batch,
                                    struct arus_error *err)
{
    if (store->batch_count == store->batch_capacity) {
        const size_t capacity = store->batch_capacity == 0 ? 16 : store->batch_capacity * 2;
        void *batches = arus_realloc(store->batches, capacity * sizeof *store->batches);

        if (batches == NULL) {
            return arus_fail_memory(err);
        }
        store->batches = batches;
        store->batch_capacity = capacity;
    }
    ARUS_TRY(arus_batch_concat(batch, 1, batch->schema, &store->arena,
                               &store->batches[store->batch_count], err));
    store->batch_count++;
    store->row_count += batch->row_count;
    return ARUS_OK;
}

enum arus_status arus_row_store_concat(const struct arus_row_store *stores, size_t count,
                                       const struct arus_type *schema, struct arus_arena *arena,
                                       struct arus_batch *out, struct arus_error *err)
{
    uint64_t row_count = 0;
    size_t batch_count = 0;
    struct arus_batch *all;
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        row_count += stores[i].row_count;
        batch_count += stores[i].batch_count;
    }
    if (row_count >= ROWS_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "%llu rows are too many to hold at once",
                         (unsigned long long)row_count);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_batch, batch_count, &all, err));
    for (size_t i = 0; i < count; i++) {
        if (stores[i].batch_count != 0) {
            memcpy(all + at, stores[i].batches, stores[i].batch_count * sizeof *all);
        }
        at += stores[i].batch_count;
    }
    return arus_batch_concat(all, batch_count, schema, arena, out, err);
}

void arus_row_store_reset(struct arus_row_store *store)
{
    store->batch_count = 0;
    store->row_count = 0;
    arus_arena_reset(&store->arena);
}

void arus_row_store_release(struct arus_row_store *store)
{
    arus_free(store->batches);
    arus_arena_release(&store->arena);
    *store = (struct arus_row_store){0};
}
