/** Files of JSON lines. */
#include "base/alloc.h"
#include "format/compress.h"
#include "format/json_encode_internal.h"
#include "format/json_reader_internal.h"
#include "format/json_settings_internal.h"

#define FLUSH_SIZE ((size_t)256 * 1024)

struct json_writer {
    const struct json_write_settings *settings;
    const struct arus_json_encoder *encoder;
    struct arus_arena arena; /* the encoder */
    struct arus_compressor *compressor;
    struct arus_buffer text;    /* UTF-8 */
    struct arus_buffer encoded; /* in the file's encoding, when it is another */
    struct arus_write_stats stats;
    struct arus_output target;
};

const char *json_extension(const void *settings)
{
    static const char *const EXTENSIONS[] = {
#define X(name, spark_name, suffix) [ARUS_COMPRESSION_##name] = ".json" suffix,
        ARUS_COMPRESSIONS(X)
#undef X
    };
    const struct json_write_settings *write = settings;

    return EXTENSIONS[arus_compression_of_choice(write->compression_choice)];
}

/* Counts what reaches the file. */
static enum arus_status count_and_write(void *self, const void *data, size_t size,
                                        struct arus_error *err)
{
    struct json_writer *writer = self;

    writer->stats.byte_count += size;
    return writer->target.write(writer->target.self, data, size, err);
}

enum arus_status json_writer_open(const struct arus_type *schema, const void *settings,
                                  const struct arus_zone *zone, struct arus_output output,
                                  struct arus_writer **out, struct arus_error *err)
{
    struct json_writer *writer = arus_alloc(1, sizeof *writer);
    const struct json_write_settings *write = settings;
    enum arus_status status;

    *out = NULL;
    if (writer == NULL) {
        return arus_fail_memory(err);
    }
    writer->settings = write;
    writer->target = output;
    status = arus_json_encoder_make(schema, settings, zone, &writer->arena, &writer->encoder, err);
    if (status == ARUS_OK) {
        status = arus_compressor_open(arus_compression_of_choice(write->compression_choice),
                                      (struct arus_output){count_and_write, writer},
                                      &writer->compressor, err);
    }
    if (status != ARUS_OK) {
        json_writer_close((struct arus_writer *)writer);
        return status;
    }
    *out = (struct arus_writer *)writer;
    return ARUS_OK;
}

static enum arus_status flush(struct json_writer *writer, struct arus_error *err)
{
    const struct arus_output output = arus_compressor_output(writer->compressor);
    struct arus_buffer *bytes = &writer->text;

    if (writer->text.size == 0) {
        return ARUS_OK;
    }
    if (writer->settings->encoding != ARUS_ENCODING_UTF_8) {
        bytes = &writer->encoded;
        arus_buffer_reset(bytes);
        ARUS_TRY(arus_encoding_encode(writer->settings->encoding, arus_buffer_text(&writer->text),
                                      bytes, err));
    }
    ARUS_TRY(output.write(output.self, bytes->data, bytes->size, err));
    arus_buffer_reset(&writer->text);
    return ARUS_OK;
}

enum arus_status json_writer_write(struct arus_writer *self, const struct arus_batch *batch,
                                   struct arus_error *err)
{
    struct json_writer *writer = (struct json_writer *)self;
    const struct arus_text separator = writer->settings->line_separator;

    for (uint32_t i = 0; i < batch->row_count; i++) {
        ARUS_TRY(json_encode_row(writer->encoder, batch->columns, i, &writer->text, err));
        ARUS_TRY(arus_buffer_append_text(&writer->text, separator, err));
        if (writer->text.size >= FLUSH_SIZE) {
            ARUS_TRY(flush(writer, err));
        }
    }
    writer->stats.row_count += batch->row_count;
    return ARUS_OK;
}

enum arus_status json_writer_finish(struct arus_writer *self, struct arus_write_stats *out,
                                    struct arus_error *err)
{
    struct json_writer *writer = (struct json_writer *)self;

    ARUS_TRY(flush(writer, err));
    ARUS_TRY(arus_compressor_finish(writer->compressor, err));
    *out = writer->stats;
    return ARUS_OK;
}

uint64_t json_writer_held_size(const struct arus_writer *self)
{
    return ((const struct json_writer *)self)->text.size;
}

void json_writer_close(struct arus_writer *self)
{
    struct json_writer *writer = (struct json_writer *)self;

    if (writer == NULL) {
        return;
    }
    arus_compressor_close(writer->compressor);
    arus_buffer_release(&writer->text);
    arus_buffer_release(&writer->encoded);
    arus_arena_release(&writer->arena);
    arus_free(writer);
}
