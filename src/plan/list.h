/** Arrays that grow in an arena while a plan is made. */
#ifndef ARUS_PLAN_LIST_H
#define ARUS_PLAN_LIST_H

#include "base/arena.h"

#include <string.h>

/** Makes room for one more item behind `count`; doubles. `*items` moves. */
ARUS_MUST_USE static inline enum arus_status arus_list_grow(struct arus_arena *arena, void **items,
                                                            size_t item_size, size_t count,
                                                            size_t *capacity,
                                                            struct arus_error *err)
{
    const size_t wanted = *capacity == 0 ? 4 : *capacity * 2;
    void *grown = NULL;

    if (count < *capacity) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_array(arena, item_size, wanted, &grown, err));
    if (count > 0) {
        memcpy(grown, *items, item_size * count);
    }
    *items = grown;
    *capacity = wanted;
    return ARUS_OK;
}

/** A list of pointers to immutable things. Zeroed = empty. */
struct arus_list {
    const void **items;
    size_t count;
    size_t capacity;
};

ARUS_MUST_USE static inline enum arus_status arus_list_add(struct arus_list *list,
                                                           struct arus_arena *arena,
                                                           const void *item, struct arus_error *err)
{
    ARUS_TRY(arus_list_grow(arena, (void **)&list->items, sizeof(void *), list->count,
                            &list->capacity, err));
    list->items[list->count++] = item;
    return ARUS_OK;
}

#endif
