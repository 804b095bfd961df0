#include "format/text_sink.h"

#define FLUSH_SIZE ((size_t)256 * 1024)

static enum arus_status count_and_write(void *self, const void *data, size_t size,
                                        struct arus_error *err)
{
    struct arus_text_sink *sink = self;

    sink->byte_count += size;
    return sink->target.write(sink->target.self, data, size, err);
}

enum arus_status arus_text_sink_init(struct arus_text_sink *self, struct arus_output target,
                                     enum arus_compression compression, enum arus_encoding encoding,
                                     struct arus_error *err)
{
    self->target = target;
    self->encoding = encoding;
    if (compression == ARUS_COMPRESSION_NONE) {
        return ARUS_OK;
    }
    return arus_compressor_open(compression, (struct arus_output){count_and_write, self},
                                &self->compressor, err);
}

static enum arus_status put(struct arus_text_sink *self, struct arus_text bytes,
                            struct arus_error *err)
{
    struct arus_output output;

    if (bytes.size == 0) {
        return ARUS_OK;
    }
    if (self->compressor == NULL) {
        return count_and_write(self, bytes.data, bytes.size, err);
    }
    output = arus_compressor_output(self->compressor);
    return output.write(output.self, bytes.data, bytes.size, err);
}

static enum arus_status pass_on(struct arus_text_sink *self, struct arus_error *err)
{
    const struct arus_text text = arus_buffer_text(&self->text);

    if (self->encoding == ARUS_ENCODING_UTF_8) {
        ARUS_TRY(put(self, text, err));
        arus_buffer_reset(&self->text);
        return ARUS_OK;
    }
    arus_buffer_reset(&self->encoded);
    if (!self->has_begun && text.size > 0) {
        self->has_begun = true;
        if (self->encoding == ARUS_ENCODING_UTF_16) { /* as Java: the one that writes a mark */
            ARUS_TRY(arus_buffer_append(&self->encoded, "\xFE\xFF", 2, err));
        }
    }
    ARUS_TRY(arus_encoding_encode(self->encoding, text, &self->encoded, err));
    arus_buffer_reset(&self->text);
    return put(self, arus_buffer_text(&self->encoded), err);
}

enum arus_status arus_text_sink_flush(struct arus_text_sink *self, struct arus_error *err)
{
    return self->text.size < FLUSH_SIZE ? ARUS_OK : pass_on(self, err);
}

enum arus_status arus_text_sink_finish(struct arus_text_sink *self, struct arus_error *err)
{
    ARUS_TRY(pass_on(self, err));
    return self->compressor == NULL ? ARUS_OK : arus_compressor_finish(self->compressor, err);
}

uint64_t arus_text_sink_held_size(const struct arus_text_sink *self)
{
    return self->text.capacity + self->encoded.capacity;
}

void arus_text_sink_release(struct arus_text_sink *self)
{
    arus_compressor_close(self->compressor);
    arus_buffer_release(&self->text);
    arus_buffer_release(&self->encoded);
    *self = (struct arus_text_sink){0};
}
