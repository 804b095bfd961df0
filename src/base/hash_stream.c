#include "base/hash_stream.h"

#include <string.h>

void arus_hash_stream_add(struct arus_hash_stream *stream, const void *data, size_t size)
{
    const unsigned char *bytes = data;

    while (size > 0) {
        const size_t room = ARUS_HASH_BLOCK - stream->filled;
        const size_t count = size < room ? size : room;

        if (count == ARUS_HASH_BLOCK) { /* a whole block: not copied */
            stream->hash = arus_hash_bytes(bytes, ARUS_HASH_BLOCK, stream->hash);
        } else {
            memcpy(stream->block + stream->filled, bytes, count);
            stream->filled += (uint32_t)count;
            if (stream->filled == ARUS_HASH_BLOCK) {
                stream->hash = arus_hash_bytes(stream->block, ARUS_HASH_BLOCK, stream->hash);
                stream->filled = 0;
            }
        }
        bytes += count;
        size -= count;
    }
}

uint64_t arus_hash_stream_end(const struct arus_hash_stream *stream)
{
    return arus_hash_bytes(stream->block, stream->filled, stream->hash ^ stream->filled);
}
