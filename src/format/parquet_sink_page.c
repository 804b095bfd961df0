/** Encodes and compresses full pages, and tells of them in the page index. */
#include "format/parquet_sink.h"

#include <string.h>

#define INDEX_TEXT_MAX ((size_t)64) /* longer bounds are cut in the page index */

/* ---- encoding ---- */

/** Levels of a V1 page: four bytes of length, then runs. `values` NULL: all are `max`. */
static enum arus_status put_levels(struct arus_parquet_sink *sink, const struct arus_buffer *levels,
                                   uint8_t max, struct arus_error *err)
{
    struct arus_buffer *out = &sink->scratch;
    const size_t begin = out->size;
    const uint8_t width = arus_parquet_bit_width(max);
    uint32_t size = 0;

    if (max == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_append(out, &size, sizeof size, err));
    if (levels->size == 0) {
        ARUS_TRY(arus_parquet_write_run(max, sink->entry_count, width, out, err));
    } else {
        ARUS_TRY(arus_parquet_write_levels((const uint8_t *)levels->data, sink->entry_count, width,
                                           out, err));
    }
    size = (uint32_t)(out->size - begin - sizeof size);
    memcpy(out->data + begin, &size, sizeof size);
    return ARUS_OK;
}

static enum arus_status put_indices(struct arus_parquet_sink *sink, struct arus_error *err)
{
    const uint32_t *indices = (const void *)sink->indices.data;
    const uint32_t count = sink->dictionary.count;
    const uint8_t width = arus_parquet_bit_width(count == 0 ? 0 : count - 1);

    ARUS_TRY(arus_buffer_append_char(&sink->scratch, (char)width, err));
    return arus_parquet_write_indices(indices, sink->value_count, width, &sink->scratch, err);
}

static enum arus_status put_booleans(struct arus_parquet_sink *sink, struct arus_error *err)
{
    const size_t size = (sink->value_count + 7) / 8;
    uint8_t *to;

    ARUS_TRY(arus_buffer_reserve(&sink->scratch, size, err));
    to = (uint8_t *)sink->scratch.data + sink->scratch.size;
    memset(to, 0, size);
    for (uint32_t i = 0; i < sink->value_count; i++) {
        to[i / 8] |= (uint8_t)((sink->plain.data[i] & 1) << (i % 8));
    }
    sink->scratch.size += size;
    return ARUS_OK;
}

/** Deltas if they are clearly smaller. */
static enum arus_status put_integers(struct arus_parquet_sink *sink, int32_t *encoding,
                                     struct arus_error *err)
{
    const void *values = sink->plain.data;
    const size_t begin = sink->scratch.size;

    *encoding = ARUS_PARQUET_DELTA_BINARY_PACKED;
    if (sink->order == ARUS_PARQUET_ORDER_INT32) {
        ARUS_TRY(arus_parquet_write_delta32(values, sink->value_count, &sink->scratch, err));
    } else {
        ARUS_TRY(arus_parquet_write_delta64(values, sink->value_count, &sink->scratch, err));
    }
    if ((sink->scratch.size - begin) * 8 <= sink->plain.size * 7) {
        return ARUS_OK;
    }
    *encoding = ARUS_PARQUET_PLAIN;
    sink->scratch.size = begin;
    return arus_buffer_append_text(&sink->scratch, arus_buffer_text(&sink->plain), err);
}

static enum arus_status put_values(struct arus_parquet_sink *sink, int32_t *encoding,
                                   struct arus_error *err)
{
    *encoding = ARUS_PARQUET_PLAIN;
    if (sink->is_indexed) {
        *encoding = ARUS_PARQUET_RLE_DICTIONARY;
        return put_indices(sink, err);
    }
    if (sink->order == ARUS_PARQUET_ORDER_BOOLEAN) {
        return put_booleans(sink, err);
    }
    if (sink->value_count != 0 &&
        (sink->order == ARUS_PARQUET_ORDER_INT32 || sink->order == ARUS_PARQUET_ORDER_INT64)) {
        return put_integers(sink, encoding, err);
    }
    return arus_buffer_append_text(&sink->scratch, arus_buffer_text(&sink->plain), err);
}

/** Compresses `plain` behind a header into `out`. */
static enum arus_status put_page(struct arus_parquet_sink *sink, struct arus_text plain,
                                 struct arus_parquet_page_header *page,
                                 struct arus_block_state *codecs, struct arus_buffer *out,
                                 struct arus_error *err)
{
    struct arus_buffer *packed = &sink->fixed; /* free between values */
    const size_t begin = out->size;

    arus_buffer_reset(packed);
    if (sink->codec != ARUS_BLOCK_UNCOMPRESSED) {
        ARUS_TRY(arus_block_compress(codecs, sink->codec, plain, packed, err));
    }
    page->plain_size = (int32_t)plain.size;
    page->compressed_size =
        (int32_t)(sink->codec == ARUS_BLOCK_UNCOMPRESSED ? plain.size : packed->size);
    ARUS_TRY(arus_parquet_page_write(page, out, err));
    sink->chunk.plain_size += (int64_t)(out->size - begin + plain.size);
    ARUS_TRY(arus_buffer_append_text(
        out, sink->codec == ARUS_BLOCK_UNCOMPRESSED ? plain : arus_buffer_text(packed), err));
    sink->chunk.compressed_size += (int64_t)(out->size - begin);
    sink->chunk.encodings |= 1U << page->encoding;
    return ARUS_OK;
}

/* ---- bounds ---- */

/** Bounds of a page of indexed strings: by the dictionary's values that it uses. */
static enum arus_status find_bounds(struct arus_parquet_sink *sink, struct arus_error *err)
{
    const uint32_t *indices = (const void *)sink->indices.data;
    const uint32_t count = sink->dictionary.count;
    char *is_used;

    if (!sink->is_indexed || sink->order != ARUS_PARQUET_ORDER_BYTES) {
        return ARUS_OK;
    }
    arus_buffer_reset(&sink->fixed);
    ARUS_TRY(arus_buffer_reserve(&sink->fixed, count, err));
    is_used = sink->fixed.data;
    if (count != 0) {
        memset(is_used, 0, count);
    }
    for (uint32_t i = 0; i < sink->value_count; i++) {
        is_used[indices[i]] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_used[i] != 0) {
            ARUS_TRY(arus_parquet_bounds_add_text(
                &sink->page_bounds, arus_parquet_dictionary_value(&sink->dictionary, i), err));
        }
    }
    return ARUS_OK;
}

static enum arus_status note_bounds(struct arus_parquet_sink *sink,
                                    struct arus_parquet_page_note *note, struct arus_error *err)
{
    const struct arus_parquet_bounds *bounds = &sink->page_bounds;
    const bool is_utf8 = sink->element->logical == ARUS_PARQUET_LOGICAL_STRING;
    struct arus_buffer *texts = &sink->note_texts;

    if (!arus_parquet_bounds_hold(bounds)) {
        return ARUS_OK;
    }
    note->has_bounds = true;
    note->min_begin = (uint32_t)texts->size;
    if (sink->order == ARUS_PARQUET_ORDER_BYTES) {
        ARUS_TRY(arus_parquet_cut_min(arus_buffer_text(&bounds->min), INDEX_TEXT_MAX, is_utf8,
                                      texts, err));
        note->max_begin = (uint32_t)texts->size;
        ARUS_TRY(arus_parquet_cut_max(arus_buffer_text(&bounds->max), INDEX_TEXT_MAX, is_utf8,
                                      texts, err));
    } else {
        struct arus_buffer *max = &sink->views; /* free between values */

        arus_buffer_reset(max);
        ARUS_TRY(arus_parquet_bounds_write(bounds, texts, max, err));
        note->max_begin = (uint32_t)texts->size;
        ARUS_TRY(arus_buffer_append_text(texts, arus_buffer_text(max), err));
    }
    note->min_size = note->max_begin - note->min_begin;
    note->max_size = (uint32_t)texts->size - note->max_begin;
    return ARUS_OK;
}

static void begin_page(struct arus_parquet_sink *sink)
{
    arus_buffer_reset(&sink->definitions);
    arus_buffer_reset(&sink->repetitions);
    arus_buffer_reset(&sink->indices);
    arus_buffer_reset(&sink->plain);
    arus_parquet_bounds_reset(&sink->page_bounds);
    sink->entry_count = 0;
    sink->row_count = 0;
    sink->value_count = 0;
}

static enum arus_status write_page(struct arus_parquet_sink *sink, struct arus_block_state *codecs,
                                   struct arus_error *err)
{
    struct arus_parquet_page_header page = {.type = ARUS_PARQUET_DATA_PAGE,
                                            .value_count = (int32_t)sink->entry_count};

    arus_buffer_reset(&sink->scratch);
    ARUS_TRY(put_levels(sink, &sink->repetitions, sink->max_repetition, err));
    ARUS_TRY(put_levels(sink, &sink->definitions, sink->max_definition, err));
    ARUS_TRY(put_values(sink, &page.encoding, err));
    ARUS_TRY(put_page(sink, arus_buffer_text(&sink->scratch), &page, codecs, &sink->pages, err));
    sink->chunk.encodings |= 1U << ARUS_PARQUET_RLE; /* of levels */
    sink->chunk.page_counts[page.encoding]++;
    sink->chunk.dictionary_pages |= sink->is_indexed;
    return ARUS_OK;
}

enum arus_status arus_parquet_sink_end_page(struct arus_parquet_sink *sink,
                                            struct arus_block_state *codecs, struct arus_error *err)
{
    struct arus_parquet_page_note note = {.offset = (int64_t)sink->pages.size,
                                          .first_row = sink->chunk_rows};

    if (sink->entry_count == 0) {
        return ARUS_OK;
    }
    note.null_count = (int64_t)sink->entry_count - sink->value_count;
    ARUS_TRY(arus_parquet_sink_judge(sink, err));
    ARUS_TRY(find_bounds(sink, err));
    ARUS_TRY(note_bounds(sink, &note, err));
    ARUS_TRY(arus_parquet_bounds_merge(&sink->bounds, &sink->page_bounds, err));
    ARUS_TRY(write_page(sink, codecs, err));
    note.size = (int32_t)((int64_t)sink->pages.size - note.offset);
    ARUS_TRY(arus_buffer_append(&sink->notes, &note, sizeof note, err));
    sink->chunk.value_count += sink->entry_count;
    sink->chunk_rows += sink->row_count;
    sink->null_count += note.null_count;
    begin_page(sink);
    return ARUS_OK;
}

enum arus_status arus_parquet_sink_dictionary(struct arus_parquet_sink *sink,
                                              struct arus_block_state *codecs,
                                              struct arus_buffer *out, struct arus_error *err)
{
    struct arus_parquet_page_header page = {.type = ARUS_PARQUET_DICTIONARY_PAGE,
                                            .value_count = (int32_t)sink->dictionary.count,
                                            .encoding = ARUS_PARQUET_PLAIN};

    if (sink->chunk.dictionary_pages == 0) {
        return ARUS_OK;
    }
    return put_page(sink, arus_buffer_text(&sink->dictionary.plain), &page, codecs, out, err);
}

/* ---- the page index ---- */

static struct arus_text note_min(const struct arus_parquet_sink *sink,
                                 const struct arus_parquet_page_note *note)
{
    return (struct arus_text){sink->note_texts.data + note->min_begin, note->min_size};
}

static struct arus_text note_max(const struct arus_parquet_sink *sink,
                                 const struct arus_parquet_page_note *note)
{
    return (struct arus_text){sink->note_texts.data + note->max_begin, note->max_size};
}

static enum arus_status put_column_index(const struct arus_parquet_sink *sink, size_t count,
                                         struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_parquet_page_note *notes = (const void *)sink->notes.data;
    struct arus_thrift_writer to = {.out = out, .err = err};

    arus_thrift_put_list(&to, 1, ARUS_THRIFT_TRUE, count);
    for (size_t i = 0; i < count; i++) {
        arus_thrift_add_bool(&to, !notes[i].has_bounds);
    }
    arus_thrift_put_list(&to, 2, ARUS_THRIFT_BINARY, count);
    for (size_t i = 0; i < count; i++) {
        arus_thrift_add_text(&to, note_min(sink, &notes[i]));
    }
    arus_thrift_put_list(&to, 3, ARUS_THRIFT_BINARY, count);
    for (size_t i = 0; i < count; i++) {
        arus_thrift_add_text(&to, note_max(sink, &notes[i]));
    }
    arus_thrift_put_int32(&to, 4, 0); /* no order promised */
    arus_thrift_put_list(&to, 5, ARUS_THRIFT_I64, count);
    for (size_t i = 0; i < count; i++) {
        arus_thrift_add_int(&to, notes[i].null_count);
    }
    arus_thrift_end(&to);
    return to.status;
}

static enum arus_status put_offset_index(const struct arus_parquet_sink *sink, size_t count,
                                         int64_t begin, struct arus_buffer *out,
                                         struct arus_error *err)
{
    const struct arus_parquet_page_note *notes = (const void *)sink->notes.data;
    struct arus_thrift_writer to = {.out = out, .err = err};

    arus_thrift_put_list(&to, 1, ARUS_THRIFT_STRUCT, count);
    for (size_t i = 0; i < count; i++) {
        arus_thrift_add_struct(&to);
        arus_thrift_put_int64(&to, 1, begin + notes[i].offset);
        arus_thrift_put_int32(&to, 2, notes[i].size);
        arus_thrift_put_int64(&to, 3, notes[i].first_row);
        arus_thrift_end(&to);
    }
    arus_thrift_end(&to);
    return to.status;
}

/** A page with values but without bounds (NaN) would read as one of nulls. */
static bool has_column_index(const struct arus_parquet_sink *sink)
{
    return sink->order != ARUS_PARQUET_ORDER_NONE && !sink->bounds.has_nan;
}

enum arus_status arus_parquet_sink_indexes(struct arus_parquet_sink *sink, int64_t begin,
                                           struct arus_buffer *out, struct arus_error *err)
{
    const size_t count = sink->notes.size / sizeof(struct arus_parquet_page_note);
    const size_t start = out->size;
    size_t middle;

    if (has_column_index(sink)) {
        ARUS_TRY(put_column_index(sink, count, out, err));
    }
    middle = out->size;
    ARUS_TRY(put_offset_index(sink, count, begin, out, err));
    sink->chunk.column_index_size = (int32_t)(middle - start);
    sink->chunk.offset_index_size = (int32_t)(out->size - middle);
    return ARUS_OK;
}
