/** Takes values in: levels, dictionary or PLAIN bytes, bounds; decides where pages end. */
#include "format/parquet_sink.h"

#include <string.h>

#define TRIAL_VALUES ((uint32_t)1024) /* after so many the dictionary must pay */
#define STEP_ROWS    ((uint32_t)1024) /* rows between two looks at the page size */

void arus_parquet_sink_init(struct arus_parquet_sink *sink)
{
    sink->page_bounds.order = sink->order;
    sink->page_bounds.width = sink->width;
    sink->bounds.order = sink->order;
    sink->bounds.width = sink->width;
    sink->dictionary.is_sized = sink->order == ARUS_PARQUET_ORDER_BYTES;
    arus_parquet_sink_reset(sink);
}

void arus_parquet_sink_reset(struct arus_parquet_sink *sink)
{
    sink->is_indexed = sink->settings->has_dictionary && sink->order != ARUS_PARQUET_ORDER_NONE &&
                       sink->order != ARUS_PARQUET_ORDER_BOOLEAN;
    sink->is_tried = false;
    arus_parquet_dictionary_reset(&sink->dictionary);
    arus_buffer_reset(&sink->pages);
    arus_buffer_reset(&sink->notes);
    arus_buffer_reset(&sink->note_texts);
    arus_parquet_bounds_reset(&sink->bounds);
    sink->chunk = (struct arus_parquet_chunk){.physical = sink->element->physical,
                                              .codec = (int32_t)sink->codec};
    sink->chunk_rows = 0;
    sink->null_count = 0;
}

void arus_parquet_sink_release(struct arus_parquet_sink *sink)
{
    arus_buffer_release(&sink->definitions);
    arus_buffer_release(&sink->repetitions);
    arus_buffer_release(&sink->indices);
    arus_buffer_release(&sink->plain);
    arus_buffer_release(&sink->pages);
    arus_buffer_release(&sink->notes);
    arus_buffer_release(&sink->note_texts);
    arus_buffer_release(&sink->scratch);
    arus_buffer_release(&sink->fixed);
    arus_buffer_release(&sink->views);
    arus_parquet_dictionary_release(&sink->dictionary);
    arus_parquet_bounds_release(&sink->page_bounds);
    arus_parquet_bounds_release(&sink->bounds);
}

uint64_t arus_parquet_sink_size(const struct arus_parquet_sink *sink)
{
    return sink->pages.size + sink->plain.size + sink->indices.size + sink->dictionary.plain.size;
}

uint64_t arus_parquet_sink_held_size(const struct arus_parquet_sink *sink)
{
    return sink->definitions.capacity + sink->repetitions.capacity + sink->indices.capacity +
           sink->plain.capacity + sink->pages.capacity + sink->notes.capacity +
           sink->note_texts.capacity + sink->scratch.capacity + sink->fixed.capacity +
           sink->views.capacity + arus_parquet_dictionary_held_size(&sink->dictionary);
}

/* ---- values ---- */

static uint32_t value_size(enum arus_parquet_order order)
{
    switch (order) {
    case ARUS_PARQUET_ORDER_NONE:
        return 0;
    case ARUS_PARQUET_ORDER_BOOLEAN:
        return 1;
    case ARUS_PARQUET_ORDER_INT32:
    case ARUS_PARQUET_ORDER_FLOAT:
        return 4;
    case ARUS_PARQUET_ORDER_INT64:
    case ARUS_PARQUET_ORDER_DOUBLE:
        return 8;
    case ARUS_PARQUET_ORDER_WIDE:
    case ARUS_PARQUET_ORDER_BYTES:
        return 16;
    }
    return 0;
}

/** Wide decimals as bytes and views of them. */
static enum arus_status fix_wide(struct arus_parquet_sink *sink, const arus_int128 *values,
                                 uint32_t count, struct arus_error *err)
{
    const size_t width = sink->width;
    struct arus_view *views;

    arus_buffer_reset(&sink->fixed);
    arus_buffer_reset(&sink->views);
    ARUS_TRY(arus_buffer_reserve(&sink->fixed, count * width, err));
    ARUS_TRY(arus_buffer_reserve(&sink->views, count * sizeof *views, err));
    views = (void *)sink->views.data;
    for (uint32_t i = 0; i < count; i++) {
        char *at = sink->fixed.data + i * width;

        arus_parquet_wide_write(values[i], sink->width, (uint8_t *)at);
        views[i] = arus_view_of(at, width);
    }
    sink->fixed.size = count * width;
    return ARUS_OK;
}

static enum arus_status add_indices(struct arus_parquet_sink *sink, const void *values,
                                    uint32_t count, struct arus_error *err)
{
    struct arus_parquet_dictionary *dictionary = &sink->dictionary;
    uint32_t *indices;

    ARUS_TRY(arus_buffer_reserve(&sink->indices, count * sizeof *indices, err));
    indices = (void *)(sink->indices.data + sink->indices.size);
    if (value_size(sink->order) == 4) {
        ARUS_TRY(arus_parquet_dictionary_add32(dictionary, values, count, indices, err));
    } else if (value_size(sink->order) == 8) {
        ARUS_TRY(arus_parquet_dictionary_add64(dictionary, values, count, indices, err));
    } else {
        ARUS_TRY(arus_parquet_dictionary_add_views(dictionary, values, count, indices, err));
    }
    sink->indices.size += count * sizeof *indices;
    return ARUS_OK;
}

static enum arus_status add_strings(struct arus_parquet_sink *sink, const struct arus_view *values,
                                    uint32_t count, struct arus_error *err)
{
    size_t size = 0;
    char *to;

    for (uint32_t i = 0; i < count; i++) {
        size += sizeof(uint32_t) + values[i].size;
    }
    ARUS_TRY(arus_buffer_reserve(&sink->plain, size, err));
    to = sink->plain.data + sink->plain.size;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(to, &values[i].size, sizeof(uint32_t));
        to += sizeof(uint32_t);
        if (values[i].size != 0) {
            memcpy(to, values[i].data, values[i].size);
        }
        to += values[i].size;
    }
    sink->plain.size += size;
    return ARUS_OK;
}

static enum arus_status add_plain(struct arus_parquet_sink *sink, const void *values,
                                  uint32_t count, struct arus_error *err)
{
    if (sink->order == ARUS_PARQUET_ORDER_BYTES) {
        return add_strings(sink, values, count, err);
    }
    if (sink->order == ARUS_PARQUET_ORDER_WIDE) {
        return arus_buffer_append_text(&sink->plain, arus_buffer_text(&sink->fixed), err);
    }
    return arus_buffer_append(&sink->plain, values, (size_t)count * value_size(sink->order), err);
}

/** Turns the page's indices back into PLAIN bytes. */
static enum arus_status drop_indices(struct arus_parquet_sink *sink, struct arus_error *err)
{
    const uint32_t *indices = (const void *)sink->indices.data;
    const size_t count = sink->indices.size / sizeof *indices;

    for (size_t i = 0; i < count; i++) {
        const struct arus_text value = arus_parquet_dictionary_value(&sink->dictionary, indices[i]);
        const uint32_t size = (uint32_t)value.size;

        if (sink->dictionary.is_sized) {
            ARUS_TRY(arus_buffer_append(&sink->plain, &size, sizeof size, err));
        }
        ARUS_TRY(arus_buffer_append_text(&sink->plain, value, err));
        if (sink->order == ARUS_PARQUET_ORDER_BYTES) { /* bounds wait for the page's end */
            ARUS_TRY(arus_parquet_bounds_add_text(&sink->page_bounds, value, err));
        }
    }
    arus_buffer_reset(&sink->indices);
    sink->is_indexed = false;
    if (sink->chunk.dictionary_pages == 0) {
        arus_parquet_dictionary_reset(&sink->dictionary);
    }
    return ARUS_OK;
}

/**
 * Integers have deltas as an alternative, which cost about as many bits as their range; other
 * values are PLAIN without a dictionary.
 */
static bool dictionary_pays(const struct arus_parquet_sink *sink, uint64_t seen)
{
    const uint32_t count = sink->dictionary.count;
    const struct arus_parquet_bounds *bounds = &sink->page_bounds;

    if (sink->order == ARUS_PARQUET_ORDER_INT32 || sink->order == ARUS_PARQUET_ORDER_INT64) {
        const uint64_t range = (uint64_t)bounds->of.whole.max - (uint64_t)bounds->of.whole.min;
        const uint32_t bits = (uint32_t)arus_parquet_bit_width(range) + 1;

        return count < seen / 4 && arus_parquet_bit_width(count - 1) * 4U < bits * 3U;
    }
    return count < seen / 2;
}

enum arus_status arus_parquet_sink_judge(struct arus_parquet_sink *sink, struct arus_error *err)
{
    const uint64_t seen = (uint64_t)sink->chunk.value_count + sink->entry_count;

    return sink->is_indexed && sink->is_tried && !dictionary_pays(sink, seen)
               ? drop_indices(sink, err)
               : ARUS_OK;
}

/** Gives the dictionary up when it does not pay or has grown too large. */
static enum arus_status judge_dictionary(struct arus_parquet_sink *sink, struct arus_error *err)
{
    if (!sink->is_indexed) {
        return ARUS_OK;
    }
    if (sink->dictionary.plain.size > (uint64_t)sink->settings->dictionary_size) {
        return drop_indices(sink, err);
    }
    if (!sink->is_tried && sink->value_count >= TRIAL_VALUES) {
        sink->is_tried = true;
        if (!dictionary_pays(sink, sink->value_count)) {
            return drop_indices(sink, err);
        }
    }
    return ARUS_OK;
}

static enum arus_status add_values(struct arus_parquet_sink *sink, const void *values,
                                   uint32_t count, struct arus_error *err)
{
    const bool is_late = sink->is_indexed && sink->order == ARUS_PARQUET_ORDER_BYTES;

    if (count == 0 || sink->order == ARUS_PARQUET_ORDER_NONE) {
        return ARUS_OK;
    }
    if (!is_late) { /* bounds of indexed strings come from the dictionary, at the page's end */
        ARUS_TRY(arus_parquet_bounds_add(&sink->page_bounds, values, count, err));
    }
    if (sink->order == ARUS_PARQUET_ORDER_WIDE) {
        ARUS_TRY(fix_wide(sink, values, count, err));
        values = sink->views.data;
    }
    if (sink->is_indexed) {
        ARUS_TRY(add_indices(sink, values, count, err));
    } else {
        ARUS_TRY(add_plain(sink, values, count, err));
    }
    sink->value_count += count;
    return judge_dictionary(sink, err);
}

/* ---- levels ---- */

static enum arus_status add_definitions(struct arus_parquet_sink *sink,
                                        const struct arus_parquet_rows *rows,
                                        struct arus_error *err)
{
    struct arus_buffer *levels = &sink->definitions;
    const uint32_t missing = sink->entry_count - (uint32_t)levels->size;

    if (sink->max_definition == 0 || (rows->definitions == NULL && levels->size == 0)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_reserve(levels, (size_t)missing + rows->entry_count, err));
    memset(levels->data + levels->size, sink->max_definition, missing);
    levels->size += missing;
    if (rows->definitions != NULL) {
        return arus_buffer_append(levels, rows->definitions, rows->entry_count, err);
    }
    memset(levels->data + levels->size, sink->max_definition, rows->entry_count);
    levels->size += rows->entry_count;
    return ARUS_OK;
}

static enum arus_status add_part(struct arus_parquet_sink *sink,
                                 const struct arus_parquet_rows *rows, struct arus_error *err)
{
    ARUS_TRY(add_definitions(sink, rows, err));
    if (rows->repetitions != NULL) {
        ARUS_TRY(arus_buffer_append(&sink->repetitions, rows->repetitions, rows->entry_count, err));
    }
    sink->entry_count += rows->entry_count;
    sink->row_count += rows->row_count;
    return add_values(sink, rows->values, rows->value_count, err);
}

/* ---- pages ---- */

static bool page_is_full(const struct arus_parquet_sink *sink)
{
    return sink->row_count >= (uint64_t)sink->settings->page_rows ||
           sink->plain.size >= (uint64_t)sink->settings->page_size ||
           sink->indices.size >= (uint64_t)sink->settings->page_size;
}

/** Bytes that values [begin, end) will take on a page. */
static uint64_t bytes_of(const struct arus_parquet_sink *sink, const void *values, uint32_t begin,
                         uint32_t end)
{
    const struct arus_view *views = values;
    uint64_t size = 0;

    if (sink->order != ARUS_PARQUET_ORDER_BYTES) {
        return (uint64_t)(end - begin) * value_size(sink->order);
    }
    for (uint32_t i = begin; i < end; i++) {
        size += sizeof(uint32_t) + views[i].size;
    }
    return size;
}

/** Moves the first rows that fit the page, at least one, from `rows` to `part`. */
static void split(const struct arus_parquet_sink *sink, struct arus_parquet_rows *rows,
                  uint32_t row_max, uint64_t byte_max, struct arus_parquet_rows *part)
{
    uint64_t bytes = 0;
    uint32_t entry = 0;
    uint32_t value = 0;
    uint32_t row = 0;

    for (; entry < rows->entry_count; entry++) {
        const bool begins_row = rows->repetitions == NULL || rows->repetitions[entry] == 0;

        if (begins_row && row > 0 && (row == row_max || bytes >= byte_max)) {
            break;
        }
        row += begins_row;
        if (rows->definitions == NULL || rows->definitions[entry] == sink->max_definition) {
            bytes += bytes_of(sink, rows->values, value, value + 1);
            value++;
        }
    }
    *part = *rows;
    part->entry_count = entry;
    part->row_count = row;
    part->value_count = value;
    rows->entry_count -= entry;
    rows->row_count -= row;
    rows->value_count -= value;
    rows->values = rows->values == NULL
                       ? NULL
                       : (const char *)rows->values + (size_t)value * value_size(sink->order);
    rows->definitions = rows->definitions == NULL ? NULL : rows->definitions + entry;
    rows->repetitions = rows->repetitions == NULL ? NULL : rows->repetitions + entry;
}

enum arus_status arus_parquet_sink_add(struct arus_parquet_sink *sink,
                                       const struct arus_parquet_rows *rows,
                                       struct arus_block_state *codecs, struct arus_error *err)
{
    struct arus_parquet_rows rest = *rows;

    while (rest.entry_count != 0) {
        const uint64_t row_room = (uint64_t)sink->settings->page_rows - sink->row_count;
        const uint64_t used = sink->plain.size + sink->indices.size;
        const uint64_t page_size = (uint64_t)sink->settings->page_size;
        const uint64_t byte_room = used < page_size ? page_size - used : 1;
        const uint32_t row_max = (uint32_t)(row_room < STEP_ROWS * 2 ? row_room : STEP_ROWS * 2);
        struct arus_parquet_rows part = rest;

        if (rest.row_count > row_max ||
            bytes_of(sink, rest.values, 0, rest.value_count) > byte_room) {
            split(sink, &rest, row_max, byte_room, &part);
        } else {
            rest.entry_count = 0;
        }
        ARUS_TRY(add_part(sink, &part, err));
        if (page_is_full(sink)) {
            ARUS_TRY(arus_parquet_sink_end_page(sink, codecs, err));
        }
    }
    return ARUS_OK;
}
