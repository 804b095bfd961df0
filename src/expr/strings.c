#include "expr/strings.h"

#define CHUNK_SIZE ((size_t)32 * 1024)

enum arus_status arus_strings_grow(struct arus_strings *strings, size_t size,
                                   struct arus_error *err)
{
    const size_t chunk = size < CHUNK_SIZE ? CHUNK_SIZE : size;
    void *memory;

    ARUS_TRY(arus_arena_buffer(strings->arena, chunk, &memory, err));
    strings->at = memory;
    strings->left = chunk;
    return ARUS_OK;
}
