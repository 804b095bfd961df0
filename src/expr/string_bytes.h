/** Searching in bytes; parts of texts. */
#ifndef ARUS_EXPR_STRING_BYTES_H
#define ARUS_EXPR_STRING_BYTES_H

#include "column/vector.h"

#define ARUS_NOT_FOUND SIZE_MAX

/** First place of `needle` at or behind `from`; ARUS_NOT_FOUND. An empty needle is found at `from`.
 */
size_t arus_text_find(struct arus_text text, struct arus_text needle, size_t from);
/** Last place of `needle` that ends at or before `end`. */
size_t arus_text_find_last(struct arus_text text, struct arus_text needle, size_t end);
/** Code points begin to end - 1 of a text; fewer where it ends. */
struct arus_view arus_view_code_points(struct arus_view view, int64_t begin, int64_t end);
/** 0 to 15; -1: no hexadecimal digit. */
static inline int arus_hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

#endif
