/** A map from texts to numbers 0, 1, 2, … in the order of insertion. Exact, open addressing. */
#ifndef ARUS_BASE_TABLE_H
#define ARUS_BASE_TABLE_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** Zeroed = empty and releasable. Fields belong to table.c. */
struct arus_text_table {
    struct arus_arena keys;  /* the texts, when copied */
    struct arus_text *texts; /* [capacity / 2] by index */
    uint64_t *slots;         /* [capacity] upper half of the hash, index + 1; 0: empty */
    uint32_t count;
    uint32_t capacity; /* a power of two, at least twice the count */
};

/** The number of `key`, which is copied when it is new. `*is_new` tells. */
ARUS_MUST_USE enum arus_status arus_text_table_add(struct arus_text_table *table,
                                                   struct arus_text key, uint32_t *out,
                                                   bool *is_new, struct arus_error *err);
/** The number of `key`, or -1. */
int64_t arus_text_table_find(const struct arus_text_table *table, struct arus_text key);
/** The text of a number. */
static inline struct arus_text arus_text_table_key(const struct arus_text_table *table,
                                                   uint32_t index)
{
    return table->texts[index];
}
/** Forgets all texts, keeps the memory. */
void arus_text_table_reset(struct arus_text_table *table);
void arus_text_table_release(struct arus_text_table *table);

#endif
