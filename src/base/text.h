/** Stretches of bytes (not owned) and growing buffers (owned). Text is UTF-8, not NUL-terminated.
 */
#ifndef ARUS_BASE_TEXT_H
#define ARUS_BASE_TEXT_H

#include "base/arena.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** Bytes of somebody else. Zeroed = empty. */
struct arus_text {
    const char *data; /* may be NULL when size is 0 */
    size_t size;
};

/** A constant: ARUS_TEXT("abc"). */
#define ARUS_TEXT(literal) ((struct arus_text){(literal), sizeof(literal) - 1})
/** For "%.*s". */
#define ARUS_TEXT_ARGS(text) (int)(text).size, ((text).data == NULL ? "" : (text).data)

static inline struct arus_text arus_text_of(const char *zero_terminated)
{
    return (struct arus_text){zero_terminated, strlen(zero_terminated)};
}

static inline bool arus_text_equal(struct arus_text a, struct arus_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/** ASCII letters compare without case; other bytes exactly. */
bool arus_text_equal_nocase(struct arus_text a, struct arus_text b);
/** <0, 0, >0: unsigned bytes, shorter first. */
int arus_text_compare(struct arus_text a, struct arus_text b);
bool arus_text_starts_with(struct arus_text text, struct arus_text prefix);
bool arus_text_ends_with(struct arus_text text, struct arus_text suffix);
/** Edit distance over bytes, ASCII case folded, a swap of neighbours counts one; for "did you
 * mean". */
size_t arus_text_distance(struct arus_text a, struct arus_text b);

/** Copies into the arena, with a NUL behind the last byte that is not counted. */
ARUS_MUST_USE enum arus_status arus_text_copy(struct arus_text text, struct arus_arena *arena,
                                              struct arus_text *out, struct arus_error *err);
/** printf into the arena; NUL-terminated. */
ARUS_MUST_USE enum arus_status arus_text_format(struct arus_arena *arena, struct arus_text *out,
                                                struct arus_error *err, const char *format, ...)
    ARUS_PRINTF(4, 5);

/** "0-3", or "3" when both ends are the same. */
struct arus_range_label {
    char text[48];
};
struct arus_range_label arus_range_label(int64_t first, int64_t last);

/** Growing bytes. Zeroed = empty and releasable. Keeps its memory on reset. */
struct arus_buffer {
    char *data;
    size_t size;
    size_t capacity;
    size_t size_max; /* 0: 1 GiB */
};

/** Room for `extra` more bytes behind data + size. */
ARUS_MUST_USE enum arus_status arus_buffer_reserve(struct arus_buffer *buffer, size_t extra,
                                                   struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_buffer_append(struct arus_buffer *buffer, const void *data,
                                                  size_t size, struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_buffer_append_text(struct arus_buffer *buffer, struct arus_text text, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_buffer_append_char(struct arus_buffer *buffer, char c,
                                                       struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_buffer_printf(struct arus_buffer *buffer,
                                                  struct arus_error *err, const char *format, ...)
    ARUS_PRINTF(3, 4);
static inline struct arus_text arus_buffer_text(const struct arus_buffer *buffer)
{
    return (struct arus_text){buffer->data, buffer->size};
}
static inline void arus_buffer_reset(struct arus_buffer *buffer)
{
    buffer->size = 0;
}
void arus_buffer_release(struct arus_buffer *buffer);

#endif
