#include "format/json_trace.h"

#include "base/alloc.h"

#include <string.h>

void json_trace_release(struct json_trace *trace)
{
    arus_free(trace->spans);
}

void json_trace_reset(struct json_trace *trace)
{
    trace->count = 0;
    trace->cursor = NULL;
}

enum arus_status json_trace_add(struct json_trace *trace, uint32_t row, bool is_lines,
                                struct arus_text text, struct arus_error *err)
{
    if (!trace->is_on) {
        return ARUS_OK;
    }
    if (trace->count == trace->capacity) {
        const uint32_t capacity = trace->capacity == 0 ? 64 : trace->capacity * 2;
        struct json_span *spans = arus_realloc(trace->spans, capacity * sizeof *spans);

        if (spans == NULL) {
            return arus_fail_memory(err);
        }
        trace->spans = spans;
        trace->capacity = capacity;
    }
    trace->spans[trace->count++] = (struct json_span){row, is_lines, text, trace->shift};
    return ARUS_OK;
}

/* The last span that begins at or before the row. */
static uint32_t find_span(const struct json_trace *trace, uint32_t row)
{
    uint32_t low = 0;
    uint32_t high = trace->count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (trace->spans[middle].row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Lines that programs took end with \n or \r\n. */
static const char *line_end(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));

    return found == NULL ? end : found;
}

struct arus_text json_trace_find(struct json_trace *trace, uint32_t row, const char **place)
{
    const uint32_t index = find_span(trace, row);
    const struct json_span *span = &trace->spans[index];
    const char *end = span->text.data + span->text.size;
    const char *at = span->text.data;
    uint32_t from = span->row;
    const char *behind;

    ARUS_ASSERT(trace->count != 0);
    *place = span->text.data + span->shift;
    if (!span->is_lines) {
        return span->text;
    }
    if (trace->cursor != NULL && trace->cursor_span == index && trace->cursor_row <= row) {
        at = trace->cursor;
        from = trace->cursor_row;
    }
    for (; from < row && at < end; from++) {
        at = line_end(at, end);
        at += at < end;
    }
    trace->cursor_span = index;
    trace->cursor_row = row;
    trace->cursor = at;
    *place = at + span->shift;
    behind = line_end(at, end);
    return (struct arus_text){at, (size_t)(behind - at) - (behind > at && behind[-1] == '\r')};
}
