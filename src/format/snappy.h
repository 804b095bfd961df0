/** Snappy blocks, unpacked: the way of every Parquet page unless its writer chose otherwise.
 * libsnappy packs them. Format: a size, then literals and copies of what came before. */
#ifndef ARUS_FORMAT_SNAPPY_H
#define ARUS_FORMAT_SNAPPY_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/** The size it says it has unpacked; false: the block is broken. */
bool arus_snappy_size(struct arus_text block, size_t *size);

/** Fills plain[0..size) exactly and touches nothing else; false: the block is broken or has another
 * size (the content of `plain` is undefined then). */
bool arus_snappy_unpack(struct arus_text block, char *plain, size_t size);

#endif
