/** Comparing, copying and growing bytes. */
#include "base/text.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define BUFFER_SIZE_MAX ((size_t)1 << 30)
#define DISTANCE_MAX    64

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool arus_text_equal_nocase(struct arus_text a, struct arus_text b)
{
    if (a.size != b.size) {
        return false;
    }
    for (size_t i = 0; i < a.size; i++) {
        if (fold(a.data[i]) != fold(b.data[i])) {
            return false;
        }
    }
    return true;
}

int arus_text_compare(struct arus_text a, struct arus_text b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size == 0 ? 0 : memcmp(a.data, b.data, size);

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

bool arus_text_starts_with(struct arus_text text, struct arus_text prefix)
{
    return text.size >= prefix.size &&
           (prefix.size == 0 || memcmp(text.data, prefix.data, prefix.size) == 0);
}

bool arus_text_ends_with(struct arus_text text, struct arus_text suffix)
{
    return text.size >= suffix.size &&
           (suffix.size == 0 ||
            memcmp(text.data + text.size - suffix.size, suffix.data, suffix.size) == 0);
}

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

struct arus_range_label arus_range_label(int64_t first, int64_t last)
{
    struct arus_range_label label;

    if (first == last) {
        (void)snprintf(label.text, sizeof label.text, "%" PRId64, last);
    } else {
        (void)snprintf(label.text, sizeof label.text, "%" PRId64 "-%" PRId64, first, last);
    }
    return label;
}

size_t arus_text_distance(struct arus_text a, struct arus_text b)
{
    size_t rows[3][DISTANCE_MAX + 1]; /* of i - 1, i, i + 1, in turn */

    if (a.size > DISTANCE_MAX || b.size > DISTANCE_MAX) {
        return arus_text_equal_nocase(a, b) ? 0 : SIZE_MAX;
    }
    for (size_t j = 0; j <= b.size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 0; i < a.size; i++) {
        const size_t *before = rows[(i + 2) % 3];
        const size_t *row = rows[i % 3];
        size_t *next = rows[(i + 1) % 3];

        next[0] = i + 1;
        for (size_t j = 0; j < b.size; j++) {
            const size_t change = row[j] + (fold(a.data[i]) != fold(b.data[j]));
            const bool is_swap = i > 0 && j > 0 && fold(a.data[i]) == fold(b.data[j - 1]) &&
                                 fold(a.data[i - 1]) == fold(b.data[j]);

            next[j + 1] = least(change, next[j] + 1, row[j + 1] + 1);
            if (is_swap && before[j - 1] + 1 < next[j + 1]) {
                next[j + 1] = before[j - 1] + 1;
            }
        }
    }
    return rows[a.size % 3][b.size];
}

enum arus_status arus_text_copy(struct arus_text text, struct arus_arena *arena,
                                struct arus_text *out, struct arus_error *err)
{
    void *memory;

    ARUS_TRY(arus_arena_alloc(arena, text.size + 1, &memory, err));
    if (text.size != 0) {
        memcpy(memory, text.data, text.size);
    }
    *out = (struct arus_text){memory, text.size};
    return ARUS_OK;
}

enum arus_status arus_text_format(struct arus_arena *arena, struct arus_text *out,
                                  struct arus_error *err, const char *format, ...)
{
    va_list args;
    void *memory;
    int size;

    va_start(args, format);
    size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    ARUS_ASSERT(size >= 0);
    ARUS_TRY(arus_arena_alloc(arena, (size_t)size + 1, &memory, err));
    va_start(args, format);
    (void)vsnprintf(memory, (size_t)size + 1, format, args);
    va_end(args);
    *out = (struct arus_text){memory, (size_t)size};
    return ARUS_OK;
}

enum arus_status arus_buffer_reserve(struct arus_buffer *buffer, size_t extra,
                                     struct arus_error *err)
{
    const size_t limit = buffer->size_max == 0 ? BUFFER_SIZE_MAX : buffer->size_max;
    size_t wanted;
    char *data;

    if (buffer->capacity - buffer->size >= extra) {
        return ARUS_OK;
    }
    if (extra > limit - buffer->size) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "buffer limit of %zu bytes reached", limit);
    }
    wanted = buffer->capacity == 0 ? 256 : buffer->capacity * 2;
    wanted = wanted < buffer->size + extra ? buffer->size + extra : wanted;
    wanted = wanted > limit ? limit : wanted;
    data = arus_realloc(buffer->data, wanted);
    if (data == NULL) {
        return arus_fail_memory(err);
    }
    buffer->data = data;
    buffer->capacity = wanted;
    return ARUS_OK;
}

enum arus_status arus_buffer_append(struct arus_buffer *buffer, const void *data, size_t size,
                                    struct arus_error *err)
{
    if (size == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_reserve(buffer, size, err));
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return ARUS_OK;
}

enum arus_status arus_buffer_append_text(struct arus_buffer *buffer, struct arus_text text,
                                         struct arus_error *err)
{
    return arus_buffer_append(buffer, text.data, text.size, err);
}

enum arus_status arus_buffer_append_char(struct arus_buffer *buffer, char c, struct arus_error *err)
{
    return arus_buffer_append(buffer, &c, 1, err);
}

enum arus_status arus_buffer_printf(struct arus_buffer *buffer, struct arus_error *err,
                                    const char *format, ...)
{
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    ARUS_ASSERT(size >= 0);
    ARUS_TRY(arus_buffer_reserve(buffer, (size_t)size + 1, err));
    va_start(args, format);
    (void)vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, args);
    va_end(args);
    buffer->size += (size_t)size;
    return ARUS_OK;
}

void arus_buffer_release(struct arus_buffer *buffer)
{
    arus_free(buffer->data);
    *buffer = (struct arus_buffer){.size_max = buffer->size_max};
}
