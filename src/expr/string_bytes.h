/** Searching in bytes. */
#ifndef ARUS_EXPR_STRING_BYTES_H
#define ARUS_EXPR_STRING_BYTES_H

#include "base/text.h"

#define ARUS_NOT_FOUND SIZE_MAX

/** First place of `needle` at or behind `from`; ARUS_NOT_FOUND. An empty needle is found at `from`.
 */
size_t arus_text_find(struct arus_text text, struct arus_text needle, size_t from);
/** Last place of `needle` that ends at or before `end`. */
size_t arus_text_find_last(struct arus_text text, struct arus_text needle, size_t end);

#endif
