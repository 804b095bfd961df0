#include "expr/agg_heap.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <string.h>

#define BLOCK_MIN ((size_t)4 * 1024)
#define BLOCK_MAX ((size_t)64 * 1024)

struct block {
    struct block *next;
    struct block *previous; /* of long ones */
    size_t capacity;
    size_t used;
};

struct arus_agg_heap {
    struct block *blocks; /* newest first */
    struct block *longs;  /* one stretch of more than BLOCK_MAX bytes each */
    size_t size;
    const struct arus_agg_meter *meter; /* NULL: none */
    uint64_t metered_size;
};

enum arus_status arus_agg_heap_open(struct arus_agg_heap **out, struct arus_error *err)
{
    *out = arus_alloc(1, sizeof **out);
    return *out == NULL ? arus_fail_memory(err) : ARUS_OK;
}

void arus_agg_heap_set_meter(struct arus_agg_heap *heap, const struct arus_agg_meter *meter)
{
    if (heap->meter != NULL) {
        heap->meter->give(heap->meter->self, heap->metered_size);
    }
    heap->meter = meter;
    heap->metered_size = 0;
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
        arus_agg_heap_set_meter(heap, NULL);
        free_blocks(heap->blocks);
        free_blocks(heap->longs);
    }
    arus_free(heap);
}

/* The block with `capacity` bytes; `old` is a long one that becomes it, or NULL. */
static enum arus_status size_block(struct arus_agg_heap *heap, struct block *old, size_t capacity,
                                   struct block **out, struct arus_error *err)
{
    const size_t more = old == NULL ? sizeof **out + capacity : capacity - old->capacity;

    if (heap->meter != NULL) {
        ARUS_TRY(heap->meter->take(heap->meter->self, more, err));
    }
    *out = arus_realloc(old, sizeof **out + capacity);
    if (*out == NULL) {
        if (heap->meter != NULL) {
            heap->meter->give(heap->meter->self, more);
        }
        return arus_fail_memory(err);
    }
    heap->metered_size += heap->meter == NULL ? 0 : more;
    if (old == NULL) {
        **out = (struct block){0};
    }
    (*out)->capacity = capacity;
    return ARUS_OK;
}

/* Blocks grow with the heap. */
static size_t block_size(const struct arus_agg_heap *heap)
{
    const size_t size = heap->size < BLOCK_MIN ? BLOCK_MIN : heap->size;

    return size < BLOCK_MAX ? size : BLOCK_MAX;
}

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static bool is_long(size_t size)
{
    return size > BLOCK_MAX;
}

/* A long stretch; `old`: the one it grows from, or NULL. */
static enum arus_status size_long(struct arus_agg_heap *heap, struct block *old, size_t size,
                                  void **out, struct arus_error *err)
{
    const size_t before = old == NULL ? 0 : old->used;
    struct block *block;

    ARUS_TRY(size_block(heap, old, size, &block, err));
    if (old == NULL) {
        block->next = heap->longs;
    }
    if (block->next != NULL) {
        block->next->previous = block;
    }
    *(block->previous == NULL ? &heap->longs : &block->previous->next) = block;
    block->used = size;
    heap->size += size - before;
    *out = block + 1;
    return ARUS_OK;
}

enum arus_status arus_agg_heap_alloc(struct arus_agg_heap *heap, size_t size, void **out,
                                     struct arus_error *err)
{
    struct block *block = heap->blocks;
    const size_t wanted = padded(size);

    *out = NULL;
    if (is_long(wanted)) {
        return size_long(heap, NULL, wanted, out, err);
    }
    if (block == NULL || block->capacity - block->used < wanted) {
        const size_t usual = block_size(heap);
        const size_t capacity = wanted > usual / 4 ? wanted : usual;

        ARUS_TRY(size_block(heap, NULL, capacity, &block, err));
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

enum arus_status arus_agg_heap_grow(struct arus_agg_heap *heap, void *memory, size_t old_size,
                                    size_t size, void **out, struct arus_error *err)
{
    if (is_long(padded(old_size))) {
        return size_long(heap, (struct block *)memory - 1, padded(size), out, err);
    }
    ARUS_TRY(arus_agg_heap_alloc(heap, size, out, err));
    if (old_size != 0) {
        memcpy(*out, memory, old_size);
    }
    return ARUS_OK;
}

size_t arus_agg_heap_size(const struct arus_agg_heap *heap)
{
    return heap->size;
}

void arus_agg_heap_reset(struct arus_agg_heap *heap)
{
    struct block *block = heap->blocks;

    arus_agg_heap_set_meter(heap, heap->meter);
    if (block != NULL) {
        free_blocks(block->next);
        block->next = NULL;
        block->used = 0;
    }
    free_blocks(heap->longs);
    heap->longs = NULL;
    heap->size = 0;
}
