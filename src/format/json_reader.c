/** Files of JSON lines or documents. */
#include "base/alloc.h"
#include "format/chunk.h"
#include "format/json_decoder_internal.h"
#include "format/json_reader_internal.h"

struct json_reader {
    const struct json_read_settings *settings;
    struct arus_json_decoder *decoder;
    struct arus_chunk *chunk;
    struct arus_stretch stretch;
    size_t at; /* in the stretch */
    const struct arus_bad_records *bad;
};

static enum arus_status check_output(const struct arus_scan *scan, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    if (scan->output->field_count == 1 && scan->output_fields[0] == ARUS_SCAN_CORRUPT) {
        status =
            arus_fail(err, ARUS_BAD_CONFIG, "UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN",
                      "a query of json cannot take only the column of bad records");
        (void)arus_error_help(err, "take another column too");
    }
    return status;
}

enum arus_status json_reader_open(const struct arus_scan *scan, const void *settings,
                                  struct arus_reader **out, struct arus_error *err)
{
    struct json_reader *reader;
    const struct arus_chunk_options options = json_chunk_options(settings);
    enum arus_status status;

    *out = NULL;
    ARUS_TRY(check_output(scan, err));
    reader = arus_alloc(1, sizeof *reader);
    if (reader == NULL) {
        return arus_fail_memory(err);
    }
    reader->settings = settings;
    status = arus_chunk_open(&options, &reader->chunk, err);
    if (status == ARUS_OK) {
        status = arus_json_decoder_open(scan, settings, &reader->decoder, err);
    }
    if (status != ARUS_OK) {
        json_reader_close((struct arus_reader *)reader);
        return status;
    }
    *out = (struct arus_reader *)reader;
    return ARUS_OK;
}

void json_reader_close(struct arus_reader *self)
{
    struct json_reader *reader = (struct json_reader *)self;

    if (reader == NULL) {
        return;
    }
    arus_json_decoder_close(reader->decoder);
    arus_chunk_close(reader->chunk);
    arus_free(reader);
}

enum arus_status json_reader_start(struct arus_reader *self, const struct arus_input *input,
                                   struct arus_error *err)
{
    struct json_reader *reader = (struct json_reader *)self;

    reader->stretch = (struct arus_stretch){0};
    reader->at = 0;
    reader->decoder->pending = (struct json_pending){0};
    return arus_chunk_start(reader->chunk, input, err);
}

/* Path, line and text of the bad record. */
static enum arus_status place_error(struct json_reader *reader, struct arus_error *err)
{
    const char *bad = arus_json_bad_at(reader->decoder);
    const uint64_t column = err->file.column;
    const char *begin = reader->stretch.data;
    const char *end = begin + reader->stretch.size;
    size_t size = 0;

    if (bad == NULL) {
        return err->status;
    }
    if (bad < begin || bad >= end) { /* the unterminated last line was moved */
        bad = begin + reader->at;
    }
    (void)arus_chunk_place(reader->chunk, bad, err);
    err->file.column = column;
    while (bad + size < end && bad[size] != '\n' && bad[size] != '\r' && size < 200) {
        size++;
    }
    return arus_error_row(err, "%s:%llu %.*s", arus_chunk_path(reader->chunk),
                          (unsigned long long)err->file.line, (int)size, bad);
}

static enum arus_status decode(struct json_reader *reader, bool is_new, struct arus_batch *out,
                               struct arus_error *err)
{
    const struct arus_text text = {reader->stretch.data, reader->stretch.size};
    enum arus_status status;

    if (reader->settings->is_multi_line) {
        status = json_decode_whole(reader->decoder, text, is_new, out, err);
        reader->at = text.size;
    } else {
        status = arus_json_decode(reader->decoder, text, &reader->at, ARUS_BATCH_ROWS, out, err);
    }
    return status == ARUS_BAD_DATA ? place_error(reader, err) : status;
}

enum arus_status json_reader_next(struct arus_reader *self, struct arus_batch *out,
                                  struct arus_error *err)
{
    struct json_reader *reader = (struct json_reader *)self;

    for (;;) {
        bool is_new = reader->at < reader->stretch.size;

        if (!is_new && !json_has_pending(reader->decoder)) {
            ARUS_TRY(arus_chunk_next(reader->chunk, &reader->stretch, err));
            reader->at = 0;
            is_new = reader->stretch.size != 0;
            if (!is_new) {
                *out = (struct arus_batch){.schema = reader->decoder->scan->output,
                                           .columns = reader->decoder->vectors};
                return ARUS_OK;
            }
        }
        ARUS_TRY(decode(reader, is_new, out, err));
        if (out->row_count != 0) {
            return ARUS_OK;
        }
    }
}

static enum arus_status tell_bad(void *self, struct arus_text record, const char *place,
                                 bool is_dropped, struct arus_error *err)
{
    struct json_reader *reader = self;
    struct arus_record found = {.text = record};

    ARUS_TRY(arus_chunk_line(reader->chunk, place, &found.line, err));
    return reader->bad->take(reader->bad->self, &found, is_dropped, err);
}

void json_reader_watch(struct arus_reader *self, const struct arus_bad_records *bad)
{
    struct json_reader *reader = (struct json_reader *)self;

    reader->bad = bad;
    reader->decoder->trace.is_on = true;
    if (bad->take != NULL) {
        reader->decoder->trace.bad = tell_bad;
        reader->decoder->trace.self = reader;
    }
    arus_chunk_count_lines(reader->chunk);
}

enum arus_status json_reader_record(struct arus_reader *self, uint32_t row, struct arus_record *out,
                                    struct arus_error *err)
{
    struct json_reader *reader = (struct json_reader *)self;
    const char *place;

    *out = (struct arus_record){.text = json_trace_find(&reader->decoder->trace, row, &place)};
    return arus_chunk_line(reader->chunk, place, &out->line, err);
}

void json_reader_stats(const struct arus_reader *self, struct arus_scan_stats *out)
{
    const struct json_reader *reader = (const struct json_reader *)self;

    arus_json_decoder_stats(reader->decoder, out);
    out->byte_count = arus_chunk_byte_count(reader->chunk);
}

bool json_is_splittable(const void *settings, const char *path)
{
    const struct arus_chunk_options options = json_chunk_options(settings);

    return arus_chunk_is_splittable(&options, path);
}
