/** Where writers of text formats put their UTF-8: encoded, compressed, handed to the output in
 * large pieces. */
#ifndef ARUS_FORMAT_TEXT_SINK_H
#define ARUS_FORMAT_TEXT_SINK_H

#include "format/compress.h"
#include "format/encoding.h"
#include "format/format.h"

/** Fields belong to text_sink.c, except `text`: writers append to it and call flush at row ends. */
struct arus_text_sink {
    struct arus_buffer text;
    struct arus_buffer encoded;
    struct arus_output target;
    struct arus_compressor *compressor; /* NULL: none */
    enum arus_encoding encoding;
    bool has_begun;
    uint64_t byte_count; /* handed to the target */
};

/** `self` is zeroed and must not move afterwards. */
ARUS_MUST_USE enum arus_status arus_text_sink_init(struct arus_text_sink *self,
                                                   struct arus_output target,
                                                   enum arus_compression compression,
                                                   enum arus_encoding encoding,
                                                   struct arus_error *err);
/** Passes the text on when there is much of it. */
ARUS_MUST_USE enum arus_status arus_text_sink_flush(struct arus_text_sink *self,
                                                    struct arus_error *err);
/** Passes on everything. Only release may follow. */
ARUS_MUST_USE enum arus_status arus_text_sink_finish(struct arus_text_sink *self,
                                                     struct arus_error *err);
uint64_t arus_text_sink_held_size(const struct arus_text_sink *self);
void arus_text_sink_release(struct arus_text_sink *self);

#endif
