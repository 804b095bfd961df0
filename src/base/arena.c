/** A bump allocator over a list of blocks that survive a reset. */
#include "base/arena.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

#define BLOCK_SIZE     ((size_t)64 * 1024)
#define BLOCK_SIZE_MAX ((size_t)4 * 1024 * 1024)
#define UNIT           ((size_t)16)
#define LINE           ((size_t)64)

struct arus_arena_block {
    struct arus_arena_block *next;
    unsigned char *data; /* 64-byte aligned, owned */
    size_t size;
    size_t used;
};

void arus_arena_init(struct arus_arena *arena, size_t size_max)
{
    *arena = (struct arus_arena){.size_max = size_max};
}

static struct arus_arena_block *block_open(size_t size)
{
    struct arus_arena_block *block = arus_alloc(1, sizeof *block);

    if (block == NULL) {
        return NULL;
    }
    block->data = arus_alloc_buffer(size);
    block->size = size;
    if (block->data == NULL) {
        arus_free(block);
        return NULL;
    }
    return block;
}

/* The next kept block that is large enough, or a new one behind the current. */
static struct arus_arena_block *next_block(struct arus_arena *arena, size_t need)
{
    struct arus_arena_block *current = arena->current;
    struct arus_arena_block *next = current == NULL ? arena->blocks : current->next;
    size_t size = current == NULL ? BLOCK_SIZE : current->size * 2;

    if (next != NULL && next->size >= need) {
        next->used = 0;
        return next;
    }
    size = size > BLOCK_SIZE_MAX ? BLOCK_SIZE_MAX : size;
    next = block_open(need > size ? need : size);
    if (next == NULL) {
        return NULL;
    }
    if (current == NULL) {
        next->next = arena->blocks;
        arena->blocks = next;
    } else {
        next->next = current->next;
        current->next = next;
    }
    return next;
}

static enum arus_status take(struct arus_arena *arena, size_t size, size_t unit, void **out,
                             struct arus_error *err)
{
    struct arus_arena_block *block = arena->current;
    const size_t need = (size + unit - 1) / unit * unit;
    size_t at = block == NULL ? 0 : (block->used + unit - 1) / unit * unit;

    *out = NULL;
    if (need < size || (arena->size_max != 0 && need > arena->size_max - arena->used_size)) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "arena limit of %zu bytes reached",
                         arena->size_max);
    }
    if (block == NULL || at > block->size || block->size - at < need) {
        block = next_block(arena, need);
        if (block == NULL) {
            return arus_fail_memory(err);
        }
        arena->current = block;
        at = 0;
    }
    *out = block->data + at;
    block->used = at + need;
    arena->used_size += need;
    return ARUS_OK;
}

enum arus_status arus_arena_alloc(struct arus_arena *arena, size_t size, void **out,
                                  struct arus_error *err)
{
    ARUS_TRY(take(arena, size, UNIT, out, err));
    memset(*out, 0, size);
    return ARUS_OK;
}

enum arus_status arus_arena_buffer(struct arus_arena *arena, size_t size, void **out,
                                   struct arus_error *err)
{
    return take(arena, size, LINE, out, err);
}

enum arus_status arus_arena_bytes(struct arus_arena *arena, size_t size, void **out,
                                  struct arus_error *err)
{
    return take(arena, size, 1, out, err);
}

enum arus_status arus_arena_array(struct arus_arena *arena, size_t item_size, size_t count,
                                  void **out, struct arus_error *err)
{
    *out = NULL;
    if (count != 0 && item_size > SIZE_MAX / count) {
        return arus_fail_memory(err);
    }
    return arus_arena_alloc(arena, item_size * count, out, err);
}

void arus_arena_reset(struct arus_arena *arena)
{
    arena->current = NULL;
    if (arena->blocks != NULL) {
        arena->current = arena->blocks;
        arena->blocks->used = 0;
    }
    arena->used_size = 0;
}

void arus_arena_release(struct arus_arena *arena)
{
    struct arus_arena_block *block = arena->blocks;

    while (block != NULL) {
        struct arus_arena_block *next = block->next;

        arus_free(block->data);
        arus_free(block);
        block = next;
    }
    *arena = (struct arus_arena){.size_max = arena->size_max};
}
