/** Arrow's IPC stream format: a schema, record batches, an end; what every Arrow library reads. */
#ifndef ARUS_FORMAT_ARROW_STREAM_H
#define ARUS_FORMAT_ARROW_STREAM_H

#include "format/format.h"

struct arus_arrow_stream;

/** Writes the schema (a STRUCT) at once. */
ARUS_MUST_USE enum arus_status arus_arrow_stream_open(const struct arus_type *schema,
                                                      struct arus_output output,
                                                      struct arus_arrow_stream **out,
                                                      struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_arrow_stream_write(struct arus_arrow_stream *stream,
                                                       const struct arus_batch *batch,
                                                       struct arus_error *err);
/** Writes the end. */
ARUS_MUST_USE enum arus_status arus_arrow_stream_finish(struct arus_arrow_stream *stream,
                                                        struct arus_error *err);
void arus_arrow_stream_close(struct arus_arrow_stream *stream); /* accepts NULL */

#endif
