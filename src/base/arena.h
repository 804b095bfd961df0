/** Memory that is freed together: one arena per plan, one per step. Not thread-safe. */
#ifndef ARUS_BASE_ARENA_H
#define ARUS_BASE_ARENA_H

#include "base/error.h"

#include <stddef.h>

struct arus_arena_block;

/** Zeroed = empty, releasable, without a ceiling. Fields belong to arena.c. */
struct arus_arena {
    struct arus_arena_block *blocks;  /* all blocks, in the order of use */
    struct arus_arena_block *current; /* where the next bytes come from */
    size_t used_size;                 /* bytes handed out since the last reset */
    size_t size_max;                  /* bytes; the ceiling given to init; 0: none */
};

/** Makes an empty arena that hands out at most `size_max` bytes (0: no ceiling). Allocates nothing.
 */
void arus_arena_init(struct arus_arena *arena, size_t size_max);

/**
 * Gives `size` zeroed bytes, aligned for any type.
 *
 * Owns: the arena; `*out` lives until reset or release.
 * Errors: ARUS_NO_MEMORY at the ceiling or when the heap is full; `*out` is NULL then.
 */
ARUS_MUST_USE enum arus_status arus_arena_alloc(struct arus_arena *arena, size_t size, void **out,
                                                struct arus_error *err);
/** As arus_arena_alloc, but the bytes are not zeroed and 64-byte aligned, padded to 64: column
 * buffers. */
ARUS_MUST_USE enum arus_status arus_arena_buffer(struct arus_arena *arena, size_t size, void **out,
                                                 struct arus_error *err);

/** Neither zeroed nor aligned, one behind the other: bytes of texts. */
ARUS_MUST_USE enum arus_status arus_arena_bytes(struct arus_arena *arena, size_t size, void **out,
                                                struct arus_error *err);

/** `count` zeroed items of a type: ARUS_TRY(ARUS_NEW(arena, struct x, 1, &x, err)). */
#define ARUS_NEW(arena, type, count, out, err)                                                     \
    arus_arena_array((arena), sizeof(type), (count), (void **)(out), (err))
ARUS_MUST_USE enum arus_status arus_arena_array(struct arus_arena *arena, size_t item_size,
                                                size_t count, void **out, struct arus_error *err);

/** Ends every pointer handed out; keeps all blocks for the next step (no page faults in the steady
 * state). */
void arus_arena_reset(struct arus_arena *arena);
/** Frees all. Accepts an empty arena; leaves it empty, the ceiling too. */
void arus_arena_release(struct arus_arena *arena);

#endif
