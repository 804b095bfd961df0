/** Which record each row of a batch came from: for readers that somebody watches. */
#ifndef ARUS_FORMAT_JSON_TRACE_H
#define ARUS_FORMAT_JSON_TRACE_H

#include "format/format.h"

#include <stddef.h>

/** Rows from `row` on, up to the next span's. */
struct json_span {
    uint32_t row;
    bool is_lines; /* a line a row; else all rows are of this one record */
    struct arus_text text;
    ptrdiff_t shift; /* from `text` to where it stands in the stretch: it may be a copy */
};

/** Zeroed: not watched. */
struct json_trace {
    bool is_on;
    /** Told of bad records; `place`: in the stretch. */
    enum arus_status (*bad)(void *self, struct arus_text record, const char *place, bool is_dropped,
                            struct arus_error *err);
    void *self;
    ptrdiff_t shift;         /* of what is being decoded now */
    struct json_span *spans; /* [count], owned; rising rows */
    uint32_t count;
    uint32_t capacity;
    /* where the last question led: the next one is mostly a little further */
    uint32_t cursor_span;
    uint32_t cursor_row;
    const char *cursor; /* the row's line; NULL: nowhere */
};

void json_trace_release(struct json_trace *trace);
/** A new batch. */
void json_trace_reset(struct json_trace *trace);
ARUS_MUST_USE enum arus_status json_trace_add(struct json_trace *trace, uint32_t row, bool is_lines,
                                              struct arus_text text, struct arus_error *err);
/** A record is bad. */
static inline enum arus_status json_trace_bad(const struct json_trace *trace,
                                              struct arus_text record, bool is_dropped,
                                              struct arus_error *err)
{
    return trace->bad == NULL
               ? ARUS_OK
               : trace->bad(trace->self, record, record.data + trace->shift, is_dropped, err);
}
/** The record of a row, and where it stands in the stretch. */
struct arus_text json_trace_find(struct json_trace *trace, uint32_t row, const char **place);

#endif
