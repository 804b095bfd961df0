#include "expr/agg_heap.h"

#include "base/alloc.h"

#include <stdint.h>

#define BLOCK_SIZE ((size_t)64 * 1024)

struct block {
    struct block *next;
    size_t capacity;
    size_t used;
};

struct arus_agg_heap {
    struct block *blocks; /* newest first */
    size_t size;
};

enum arus_status arus_agg_heap_open(struct arus_agg_heap **out, struct arus_error *err)
{
    *out = arus_alloc(1, sizeof **out);
    return *out == NULL ? arus_fail_memory(err) : ARUS_OK;
}

static void free_blocks(struct block *block)
{
    while (block != NULL) {
        struct block *next = block->next;

        arus_free(block);
        block = next;
    }
}

void arus_agg_heap_close(struct arus_agg_heap *heap)
{
    if (heap != NULL) {
        free_blocks(heap->blocks);
    }
    arus_free(heap);
}

enum arus_status arus_agg_heap_alloc(struct arus_agg_heap *heap, size_t size, void **out,
                                     struct arus_error *err)
{
    struct block *block = heap->blocks;
    const size_t wanted = (size + 7) & ~(size_t)7;

    *out = NULL;
    if (block == NULL || block->capacity - block->used < wanted) {
        const size_t capacity = wanted > BLOCK_SIZE / 4 ? wanted : BLOCK_SIZE;

        block = arus_alloc(1, sizeof *block + capacity);
        if (block == NULL) {
            return arus_fail_memory(err);
        }
        block->capacity = capacity;
        if (heap->blocks != NULL && capacity == wanted) { /* keep filling the block before */
            block->next = heap->blocks->next;
            heap->blocks->next = block;
        } else {
            block->next = heap->blocks;
            heap->blocks = block;
        }
    }
    *out = (unsigned char *)(block + 1) + block->used;
    block->used += wanted;
    heap->size += wanted;
    return ARUS_OK;
}

size_t arus_agg_heap_size(const struct arus_agg_heap *heap)
{
    return heap->size;
}

void arus_agg_heap_reset(struct arus_agg_heap *heap)
{
    struct block *block = heap->blocks;

    if (block != NULL) {
        free_blocks(block->next);
        block->next = NULL;
        block->used = 0;
    }
    heap->size = 0;
}
