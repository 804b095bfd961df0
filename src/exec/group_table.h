/** Groups by key: an open-addressing table over key columns, with fixed-size states beside it. */
#ifndef ARUS_EXEC_GROUP_TABLE_H
#define ARUS_EXEC_GROUP_TABLE_H

#include "column/append.h"
#include "exec/keys.h"

/** Zeroed = empty and releasable. Fields may be read by others, changed here only. */
struct arus_group_table {
    struct arus_builder *keys; /* [key_count] */
    uint32_t key_count;
    uint32_t group_count;
    uint32_t slot_mask;    /* slots - 1 */
    uint64_t *slots;       /* upper half of the hash, group + 1; 0: free */
    uint64_t *hashes;      /* [group_capacity] */
    unsigned char *states; /* [group_capacity * stride], zeroed when a group is made */
    size_t stride;
    uint32_t group_capacity;
    struct arus_arena heap;       /* bytes of string keys */
    struct arus_arena view_arena; /* vectors of `finish` */
    struct arus_vector *views;    /* [key_count] the keys as vectors, kept up with the builders */
    arus_keys_equal_fn equal;
};

/** `key_types`: [key_count]; `stride` bytes of state a group (multiple of 16). */
ARUS_MUST_USE enum arus_status arus_group_table_init(struct arus_group_table *table,
                                                     const struct arus_type *const *key_types,
                                                     uint32_t key_count, size_t stride,
                                                     struct arus_error *err);
void arus_group_table_release(struct arus_group_table *table);
/** Forgets all groups, keeps the memory. */
void arus_group_table_reset(struct arus_group_table *table);
/** groups[i] = group of row i, made if new. `keys`: FLAT vectors of row_count rows. */
ARUS_MUST_USE enum arus_status arus_group_table_find(struct arus_group_table *table,
                                                     const struct arus_vector *keys,
                                                     uint32_t row_count, const uint64_t *hashes,
                                                     uint32_t *groups, struct arus_error *err);
/** groups[i] = group of group i of `from`, made if new. Bytes of its keys are borrowed. */
ARUS_MUST_USE enum arus_status arus_group_table_merge(struct arus_group_table *table,
                                                      struct arus_group_table *from,
                                                      uint32_t *groups, struct arus_error *err);
/** Key columns of all groups, valid until the next find or reset; [key_count]. */
ARUS_MUST_USE enum arus_status arus_group_table_keys(struct arus_group_table *table,
                                                     const struct arus_vector **out,
                                                     struct arus_error *err);

#endif
