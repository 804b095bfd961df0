/**
 * One partition of an operator's state: a table of entries in memory. One thread at a time.
 *
 * An entry has a key (bytes, column/row_code.h), a stretch of fixed size that belongs to the
 * operator, and by the layout an expiry time, a payload, neighbours with the same key. Entries live
 * in blocks of 256 in the order in which they came: what comes together expires together, so a
 * closed window gives back blocks, not rows, and looking for what has expired looks at one number a
 * block.
 */
#ifndef ARUS_STATE_PART_H
#define ARUS_STATE_PART_H

#include "base/arena.h"
#include "base/error.h"
#include "base/prefetch.h"
#include "base/text.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ARUS_STATE_NEVER      INT64_MAX  /* expiry of what stays for ever */
#define ARUS_STATE_NONE       UINT32_MAX /* no entry */
#define ARUS_STATE_BLOCK      256u
#define ARUS_STATE_PART_COUNT 64u

/** What state knows of an operator. Immutable. */
struct arus_state_layout {
    uint32_t fixed_size; /* bytes of each entry, zeroed when it is made; a multiple of 16 */
    bool is_multi;       /* several entries may have one key: they are chained, oldest first */
    bool has_expiry;     /* else everything stays for ever */
    bool has_payload;    /* bytes that do not change while the entry lives */
    const uint32_t *view_offsets; /* [view_count] struct arus_view in the fixed bytes; the operator
                                     owns what is behind */
    uint32_t view_count;
};

/** Memory of all partitions of one query. Any thread. */
struct arus_state_budget {
    _Atomic uint64_t used_size;
    uint64_t size_max; /* 0: no limit */
};

struct arus_state_block {
    char *bytes;   /* keys and payloads of its entries */
    uint32_t size; /* used; in a free block: the next free block */
    uint32_t capacity;
    uint16_t used_count; /* entries handed out, dead ones included */
    uint16_t live_count;
    int64_t expiry_min; /* or smaller */
    uint64_t live[ARUS_STATE_BLOCK / 64];
    uint64_t dirty[ARUS_STATE_BLOCK / 64]; /* changed in this batch and listed in `dirty` */
};

struct arus_state_link {
    uint32_t next;     /* NONE: the last */
    uint32_t previous; /* of the first: the last */
    uint64_t id;       /* tells entries of one key apart in stored deltas */
};

/** Zeroed and then initialised. Fields may be read by others, changed here only (but the fixed
 * bytes). */
struct arus_state_part {
    const struct arus_state_layout *layout;
    struct arus_state_budget *budget;
    uint64_t *slots; /* [slot_mask + 1] low half of the hash, entry + 1; 0: free */
    uint32_t slot_mask;
    uint32_t slot_count;  /* in use: keys */
    uint32_t entry_count; /* alive */
    uint32_t entry_capacity;
    unsigned char *fixed;          /* [entry_capacity * fixed_size] */
    uint32_t *key_at;              /* [entry_capacity] in the bytes of its block */
    int64_t *expiry;               /* [entry_capacity]; has_expiry */
    struct arus_state_link *links; /* [entry_capacity]; is_multi */
    uint64_t next_id;
    struct arus_state_block *blocks;
    uint32_t block_count;
    uint32_t block_capacity;
    uint32_t block_free; /* first free block, or NONE */
    uint32_t block_now;  /* where new entries go, or NONE */
    uint32_t block_size; /* of the block before it: the next one will be as large */
    bool evicts_by_key; /* some entries are stored without their expiry: the delta names what leaves
                         */
    bool is_scratch;    /* was reset: nothing is stored, blocks keep their room */
    uint64_t memory_size; /* bytes taken from the heap */
    /* what this batch has changed */
    uint32_t *dirty; /* [dirty_count] entries, some dead by now */
    uint32_t dirty_count;
    uint32_t dirty_capacity;
    struct arus_buffer removed; /* keys (and ids) of entries taken out one by one */
    uint32_t removed_count;
    int64_t evicted; /* all entries with this expiry or less have been taken out; INT64_MIN: none */
};

/** Keys of rows, encoded and hashed. */
struct arus_state_keys {
    const struct arus_text *keys;
    const uint64_t *hashes;  /* arus_state_hash of each */
    const int64_t *expiries; /* of entries that are made; NULL: NEVER */
};

uint64_t arus_state_hash(const char *key, size_t size);
static inline uint32_t arus_state_part_of(uint64_t hash)
{
    return (uint32_t)(hash >> 58);
}

/** What the rows behind row rows[j] (`rows` NULL: j) will need is fetched; called before each of
 * them is looked up. Rows of one partition lie far apart, and so does what they lead to. */
void arus_state_part_fetch(const struct arus_state_part *part, const struct arus_state_keys *keys,
                           const uint32_t *rows, uint32_t j, uint32_t count);

void arus_state_part_init(struct arus_state_part *part, const struct arus_state_layout *layout,
                          struct arus_state_budget *budget);
/** Forgets everything and frees the memory; may be used again. */
void arus_state_part_clear(struct arus_state_part *part);
/** Forgets everything and keeps the memory: for what lives for one batch. */
void arus_state_part_reset(struct arus_state_part *part);

/** So many new keys will come: there is room in the slots at once. */
ARUS_MUST_USE enum arus_status arus_state_part_expect(struct arus_state_part *part,
                                                      uint64_t key_count, struct arus_error *err);

/* ---- finding; not for is_multi: see the chains below ---- */

/**
 * entries[j] = the entry with the key of row rows[j], made when there is none (then is_new[j]; may
 * be NULL). Made entries are changed ones. `rows` NULL: 0..count-1. Errors: ARUS_NO_MEMORY
 * ARUS_STATE_MEMORY_LIMIT at the budget.
 */
ARUS_MUST_USE enum arus_status arus_state_part_find(struct arus_state_part *part,
                                                    const struct arus_state_keys *keys,
                                                    const uint32_t *rows, uint32_t count,
                                                    uint32_t *entries, bool *is_new,
                                                    struct arus_error *err);

/** For what lives for one batch: an entry a row, without looking whether there is one: for keys
 * that hardly repeat. They are made in the order of `rows`; entries[row] = that of this row. find
 * must not be used after it. */
ARUS_MUST_USE enum arus_status arus_state_part_append(struct arus_state_part *part,
                                                      const struct arus_state_keys *keys,
                                                      const uint32_t *rows, uint32_t count,
                                                      uint32_t *entries, struct arus_error *err);

/* ---- entries of one key; also for is_multi ---- */

/** The (first) entry of a key, or NONE. */
uint32_t arus_state_part_get(const struct arus_state_part *part, struct arus_text key,
                             uint64_t hash);
static inline uint32_t arus_state_part_next(const struct arus_state_part *part, uint32_t entry)
{
    return part->links[entry].next;
}
/** Another entry of the key. */
ARUS_MUST_USE enum arus_status arus_state_part_add(struct arus_state_part *part,
                                                   struct arus_text key, uint64_t hash,
                                                   int64_t expiry, struct arus_text payload,
                                                   uint32_t *entry, struct arus_error *err);
/** Takes one entry out. */
ARUS_MUST_USE enum arus_status arus_state_part_remove(struct arus_state_part *part, uint32_t entry,
                                                      struct arus_error *err);
/** The fixed bytes have changed (or will): the delta of the batch gets them. */
ARUS_MUST_USE enum arus_status arus_state_part_touch(struct arus_state_part *part, uint32_t entry,
                                                     struct arus_error *err);
void arus_state_part_set_expiry(struct arus_state_part *part, uint32_t entry, int64_t expiry);

/** Of 128 bytes and more, from its size on. */
struct arus_text arus_state_part_long_key(const char *at);
static inline struct arus_text arus_state_part_key(const struct arus_state_part *part,
                                                   uint32_t entry)
{
    const char *at = part->blocks[entry / ARUS_STATE_BLOCK].bytes + part->key_at[entry];

    return (*at & 0x80) == 0 ? (struct arus_text){at + 1, (unsigned char)*at}
                             : arus_state_part_long_key(at);
}
/** What key and fixed bytes of an entry need is fetched. */
static inline void arus_state_part_fetch_entry(const struct arus_state_part *part, uint32_t entry)
{
    arus_prefetch(part->blocks[entry / ARUS_STATE_BLOCK].bytes + part->key_at[entry]);
    arus_prefetch(part->fixed + (size_t)entry * part->layout->fixed_size);
}
struct arus_text arus_state_part_payload(const struct arus_state_part *part, uint32_t entry);
static inline unsigned char *arus_state_part_fixed(const struct arus_state_part *part,
                                                   uint32_t entry)
{
    return part->fixed + (size_t)entry * part->layout->fixed_size;
}
static inline bool arus_state_part_is_live(const struct arus_state_part *part, uint32_t entry)
{
    return ((part->blocks[entry / ARUS_STATE_BLOCK].live[entry % ARUS_STATE_BLOCK / 64] >>
             (entry % 64)) &
            1) != 0;
}

/* ---- all entries ---- */

/** The first live entry at or behind `entry`, or NONE: for (e = next_live(p, 0); e != NONE; e =
 * next_live(p, e + 1)) */
uint32_t arus_state_part_next_live(const struct arus_state_part *part, uint32_t entry);
/** Entries with expiry <= bound, in the arena. Changes nothing. */
ARUS_MUST_USE enum arus_status arus_state_part_expired(struct arus_state_part *part, int64_t bound,
                                                       struct arus_arena *arena, uint32_t **entries,
                                                       uint32_t *count, struct arus_error *err);
/** The smallest expiry of all entries; NEVER: nothing expires. */
int64_t arus_state_part_first_expiry(const struct arus_state_part *part);
/** Takes out all entries with expiry <= bound; *count of them. */
ARUS_MUST_USE enum arus_status arus_state_part_evict(struct arus_state_part *part, int64_t bound,
                                                     uint32_t *count, struct arus_error *err);

/** Counts memory that is state. Errors: ARUS_NO_MEMORY ARUS_STATE_MEMORY_LIMIT, nothing counted. */
ARUS_MUST_USE enum arus_status arus_state_take_memory(struct arus_state_budget *budget,
                                                      uint64_t size, struct arus_error *err);
void arus_state_give_memory(struct arus_state_budget *budget, uint64_t size);

#endif
