/** The hash of bytes that come in pieces: the same however they were cut. Not for secrets. */
#ifndef ARUS_BASE_HASH_STREAM_H
#define ARUS_BASE_HASH_STREAM_H

#include "base/hash.h"

#include <stddef.h>
#include <stdint.h>

#define ARUS_HASH_BLOCK 8192u /* part of what a hash means: it is stored */

/** Zeroed = nothing came yet. */
struct arus_hash_stream {
    uint64_t hash;
    uint32_t filled; /* bytes that wait in `block` */
    unsigned char block[ARUS_HASH_BLOCK];
};

void arus_hash_stream_add(struct arus_hash_stream *stream, const void *data, size_t size);
/** Of all that came so far. */
uint64_t arus_hash_stream_end(const struct arus_hash_stream *stream);

#endif
