#define _GNU_SOURCE
#include "expr/string_bytes.h"

#include "expr/strings.h"
#include "types/utf8.h"

#include <stdint.h>
#include <string.h>

size_t arus_text_find(struct arus_text text, struct arus_text needle, size_t from)
{
    const char *found;

    if (needle.size == 0) {
        return from <= text.size ? from : ARUS_NOT_FOUND;
    }
    if (from >= text.size || text.size - from < needle.size) {
        return ARUS_NOT_FOUND;
    }
    found = memmem(text.data + from, text.size - from, needle.data, needle.size);
    return found == NULL ? ARUS_NOT_FOUND : (size_t)(found - text.data);
}

size_t arus_text_find_last(struct arus_text text, struct arus_text needle, size_t end)
{
    if (needle.size > end) {
        return ARUS_NOT_FOUND;
    }
    for (size_t at = end - needle.size + 1; at-- > 0;) {
        if (memcmp(text.data + at, needle.data, needle.size) == 0) {
            return at;
        }
    }
    return ARUS_NOT_FOUND;
}

struct arus_view arus_view_code_points(struct arus_view view, int64_t begin, int64_t end)
{
    const struct arus_text text = arus_view_text(view);
    size_t from;
    size_t to;

    if (end <= begin || end <= 0) {
        return arus_view_empty();
    }
    from = begin <= 0 ? 0 : arus_utf8_offset(text, (size_t)begin);
    to = from + arus_utf8_offset((struct arus_text){text.data + from, text.size - from},
                                 (size_t)(end - (begin < 0 ? 0 : begin)));
    return arus_view_part(view, from, to - from);
}
