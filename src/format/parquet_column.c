/** Levels and values of a range of rows. */
#include "format/parquet_column.h"

#include "base/alloc.h"

#include <string.h>

#define ENTRY_COUNT_MAX ((uint32_t)1 << 30)
#define SPARE_SIZE_MAX  ((size_t)4 << 20)
#define ARENA_SIZE_MAX  ((size_t)1 << 30)

static void free_pages(struct arus_parquet_page_memory *page)
{
    while (page != NULL) {
        struct arus_parquet_page_memory *next = page->next;

        arus_parquet_block_release(&page->block);
        arus_free(page);
        page = next;
    }
}

void arus_parquet_column_release(struct arus_parquet_column *column)
{
    free_pages(column->page);
    free_pages(column->held);
    free_pages(column->spare);
    arus_parquet_block_release(&column->input);
    arus_parquet_block_release(&column->dictionary_bytes);
    arus_parquet_block_release(&column->dictionary);
    arus_parquet_block_release(&column->places);
    arus_parquet_block_release(&column->last);
    arus_parquet_block_release(&column->repetitions);
    arus_parquet_block_release(&column->definitions);
    arus_parquet_block_release(&column->out);
    arus_parquet_block_release(&column->scratch);
    arus_arena_release(&column->arena);
    *column = (struct arus_parquet_column){0};
}

void arus_parquet_column_rebind(struct arus_parquet_column *column,
                                const struct arus_parquet_node *node)
{
    column->node = node;
    column->conversion = (struct arus_parquet_conversion){0};
    column->is_levels_only = false;
    column->may_index = false;
    column->byte_count = 0;
    column->page_left = 0;
    column->values.encoding = -1;
}

enum arus_status arus_parquet_column_start(struct arus_parquet_column *column,
                                           const struct arus_parquet_file *file,
                                           const struct arus_parquet_chunk *chunk,
                                           struct arus_error *err)
{
    const struct arus_parquet_element *element = column->node->element;
    int64_t begin = chunk->data_offset;

    if (chunk->dictionary_offset > 0 && chunk->dictionary_offset < begin) {
        begin = chunk->dictionary_offset;
    }
    if (chunk->is_elsewhere || chunk->is_encrypted || chunk->physical != element->physical) {
        return arus_parquet_column_damaged(column, "encrypted or in another file", err);
    }
    if (begin < 0 || chunk->compressed_size < 0 || (uint64_t)begin > file->size ||
        (uint64_t)chunk->compressed_size > file->size - (uint64_t)begin) {
        return arus_parquet_column_damaged(column, "it lies outside of the file", err);
    }
    column->file = file;
    column->codec = chunk->codec;
    column->entries_left = chunk->value_count;
    column->offset = (uint64_t)begin;
    column->end = (uint64_t)begin + (uint64_t)chunk->compressed_size;
    column->input_begin = 0;
    column->input_end = 0;
    column->has_dictionary = false;
    column->dictionary_count = 0;
    column->page_left = 0;
    column->ahead_begin = 0;
    column->ahead_end = 0;
    column->values.physical = (enum arus_parquet_physical)element->physical;
    column->values.width = element->physical == ARUS_PARQUET_FIXED ? (uint32_t)element->type_length
                           : element->physical == ARUS_PARQUET_INT96 ? 12
                           : element->physical == ARUS_PARQUET_BYTE_ARRAY
                               ? 4
                               : arus_parquet_physical_size(column->values.physical);
    column->values.last = (struct arus_view){0};
    column->arena.size_max = ARENA_SIZE_MAX;
    return ARUS_OK;
}

/** Keeps what steady reading needs. */
static void trim_spare(struct arus_parquet_column *column)
{
    size_t size = 0;

    for (struct arus_parquet_page_memory *page = column->spare; page != NULL; page = page->next) {
        size += page->block.capacity;
        if (size > SPARE_SIZE_MAX) {
            free_pages(page->next);
            page->next = NULL;
        }
    }
}

/** Ends the batch before: its strings may go. */
static enum arus_status begin_batch(struct arus_parquet_column *column, struct arus_error *err)
{
    struct arus_view *last = &column->values.last;

    if (column->values.encoding == ARUS_PARQUET_DELTA_BYTE_ARRAY && last->size != 0 &&
        last->data != (const char *)column->last.data) {
        ARUS_TRY(arus_parquet_block_reserve(&column->last, last->size, 0, err));
        memcpy(column->last.data, last->data, last->size);
        last->data = (const char *)column->last.data;
    }
    arus_arena_reset(&column->arena);
    if (column->page != NULL && column->page_left == 0 &&
        column->ahead_begin == column->ahead_end) { /* all of it was given out */
        column->page->next = column->held;
        column->held = column->page;
        column->page = NULL;
    }
    while (column->held != NULL) {
        struct arus_parquet_page_memory *page = column->held;

        column->held = page->next;
        page->next = column->spare;
        column->spare = page;
    }
    trim_spare(column);
    column->entry_count = 0;
    column->value_count = 0;
    column->is_indexed = false;
    return ARUS_OK;
}

ARUS_KERNEL static bool levels_fit(const uint8_t *levels, uint32_t count, uint8_t max)
{
    uint8_t is_bad = 0;

    for (uint32_t i = 0; i < count; i++) {
        is_bad |= levels[i] > max;
    }
    return is_bad == 0;
}

static bool read_levels(struct arus_parquet_levels *levels, uint8_t *out, uint32_t count)
{
    if (levels->max == 0) {
        memset(out, 0, count);
        return true;
    }
    if (levels->bits == NULL) {
        if (!arus_parquet_rle_read_bytes(&levels->rle, out, count)) {
            return false;
        }
    } else if (!arus_parquet_bits_read(levels->bits, levels->bits_size, levels->rle.width,
                                       levels->position, out, count)) {
        return false;
    }
    levels->position += count;
    return levels_fit(out, count, levels->max);
}

ARUS_KERNEL static uint32_t count_equal(const uint8_t *levels, uint32_t count, uint8_t level)
{
    uint32_t equal = 0;

    for (uint32_t i = 0; i < count; i++) {
        equal += levels[i] == level;
    }
    return equal;
}

static enum arus_status reserve_entries(struct arus_parquet_column *column, uint32_t more,
                                        struct arus_error *err)
{
    const size_t wanted = (size_t)column->entry_count + more;
    const uint32_t size = column->conversion.out_size;

    if (wanted > ENTRY_COUNT_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "column %.*s: more than %u elements in a batch",
                         ARUS_TEXT_ARGS(column->node->element->name), ENTRY_COUNT_MAX);
    }
    ARUS_TRY(arus_parquet_block_reserve(&column->definitions, wanted, column->entry_count, err));
    ARUS_TRY(arus_parquet_block_reserve(&column->repetitions, wanted, column->entry_count, err));
    return arus_parquet_block_reserve(&column->out, wanted * size,
                                      (size_t)column->value_count * size, err);
}

/* ---- values ---- */

#define INDEXED_MAX ((uint32_t)1 << 17) /* values; the places of more of them repeat too rarely */

#define NAME gather8
#define TYPE uint8_t
#include "format/parquet_gather.inc.h"
#define NAME gather16
#define TYPE uint16_t
#include "format/parquet_gather.inc.h"
#define NAME gather32
#define TYPE uint32_t
#include "format/parquet_gather.inc.h"
#define NAME gather64
#define TYPE uint64_t
#include "format/parquet_gather.inc.h"
#define NAME gather128
#define TYPE struct arus_view
#include "format/parquet_gather.inc.h"

/** The next places in the dictionary, all of them in it. */
static enum arus_status read_places(struct arus_parquet_column *column, uint32_t *out,
                                    uint32_t count, struct arus_error *err)
{
    uint32_t most = 0;

    if (!arus_parquet_rle_read(&column->indices, out, count)) {
        return arus_parquet_column_damaged(column, "a page is damaged", err);
    }
    for (uint32_t i = 0; i < count; i++) {
        most = out[i] > most ? out[i] : most;
    }
    return most >= column->dictionary_count
               ? arus_parquet_column_damaged(column, "a value is not in the dictionary", err)
               : ARUS_OK;
}

static enum arus_status read_indexed(struct arus_parquet_column *column, uint32_t count,
                                     struct arus_error *err)
{
    ARUS_TRY(arus_parquet_block_reserve(&column->places,
                                        ((size_t)column->value_count + count) * sizeof(uint32_t),
                                        (size_t)column->value_count * sizeof(uint32_t), err));
    return read_places(column, (uint32_t *)(void *)column->places.data + column->value_count, count,
                       err);
}

void arus_parquet_column_settle(struct arus_parquet_column *column)
{
    if (column->is_indexed) {
        gather128((const void *)column->dictionary.data, (const void *)column->places.data,
                  (void *)column->out.data, column->value_count);
    }
    column->is_indexed = false;
}

static enum arus_status read_by_index(struct arus_parquet_column *column, uint8_t *out,
                                      uint32_t count, struct arus_error *err)
{
    const void *dictionary = column->dictionary.data;
    uint32_t *indices;

    ARUS_TRY(arus_parquet_block_reserve(&column->scratch, (size_t)count * sizeof *indices, 0, err));
    indices = (void *)column->scratch.data;
    ARUS_TRY(read_places(column, indices, count, err));
    switch (column->conversion.out_size) {
    case 1:
        gather8(dictionary, indices, (void *)out, count);
        break;
    case 2:
        gather16(dictionary, indices, (void *)out, count);
        break;
    case 4:
        gather32(dictionary, indices, (void *)out, count);
        break;
    case 8:
        gather64(dictionary, indices, (void *)out, count);
        break;
    default: /* 16: there is no other size */
        gather128(dictionary, indices, (void *)out, count);
        break;
    }
    return ARUS_OK;
}

static enum arus_status read_direct(struct arus_parquet_column *column, uint8_t *out,
                                    uint32_t count, struct arus_error *err)
{
    const struct arus_parquet_conversion *conversion = &column->conversion;
    void *into = out;

    if (conversion->id != ARUS_PARQUET_COPY) {
        ARUS_TRY(arus_parquet_block_reserve(&column->scratch, (size_t)count * conversion->in_size,
                                            0, err));
        into = column->scratch.data;
    }
    if (arus_parquet_values_read(&column->values, into, count, &column->arena, err) != ARUS_OK) {
        return err->status == ARUS_BAD_DATA
                   ? arus_parquet_column_damaged(column, "a page is damaged", err)
                   : err->status;
    }
    if (!arus_parquet_conversion_apply(conversion, into, out, count)) {
        return arus_parquet_column_damaged(column, "a value is out of range", err);
    }
    return ARUS_OK;
}

static enum arus_status read_values(struct arus_parquet_column *column, uint32_t count,
                                    struct arus_error *err)
{
    uint8_t *out;

    if (count == 0 || column->is_levels_only || column->conversion.id == ARUS_PARQUET_NOTHING) {
        return ARUS_OK;
    }
    if (column->value_count == 0) {
        column->is_indexed = column->may_index && column->is_dictionary_page &&
                             column->dictionary_count <= INDEXED_MAX;
    } else if (!column->is_dictionary_page) {
        arus_parquet_column_settle(column);
    }
    out = column->out.data + (size_t)column->value_count * column->conversion.out_size;
    if (column->is_indexed) {
        ARUS_TRY(read_indexed(column, count, err));
    } else if (column->is_dictionary_page) {
        ARUS_TRY(read_by_index(column, out, count, err));
    } else {
        ARUS_TRY(read_direct(column, out, count, err));
    }
    column->value_count += count;
    return ARUS_OK;
}

/* ---- rows ---- */

/** Without repetition every entry is a row. */
static enum arus_status read_flat(struct arus_parquet_column *column, uint32_t row_count,
                                  struct arus_block_state *codecs, struct arus_error *err)
{
    ARUS_TRY(reserve_entries(column, row_count, err));
    while (column->entry_count < row_count) {
        uint8_t *levels = column->definitions.data + column->entry_count;
        uint32_t count = row_count - column->entry_count;
        uint32_t values;

        ARUS_TRY(arus_parquet_column_next_page(column, codecs, err));
        count = count < column->page_left ? count : column->page_left;
        if (!read_levels(&column->definition, levels, count)) {
            return arus_parquet_column_damaged(column, "the levels of a page are damaged", err);
        }
        values = count_equal(levels, count, column->definition.max);
        column->page_left -= count;
        column->entry_count += count;
        ARUS_TRY(read_values(column, values, err));
    }
    return ARUS_OK;
}

static enum arus_status look_ahead(struct arus_parquet_column *column,
                                   struct arus_block_state *codecs, struct arus_error *err)
{
    uint32_t count;

    ARUS_TRY(arus_parquet_column_next_page(column, codecs, err));
    count =
        column->page_left < ARUS_PARQUET_LEVELS_STEP ? column->page_left : ARUS_PARQUET_LEVELS_STEP;
    if (!read_levels(&column->repetition, column->ahead_repetition, count) ||
        !read_levels(&column->definition, column->ahead_definition, count)) {
        return arus_parquet_column_damaged(column, "the levels of a page are damaged", err);
    }
    column->page_left -= count;
    column->entries_left -= count;
    column->ahead_begin = 0;
    column->ahead_end = count;
    return ARUS_OK;
}

/** Is there another entry in the chunk? */
static bool has_more(const struct arus_parquet_column *column)
{
    return column->entries_left > 0 || column->ahead_begin != column->ahead_end;
}

/** Gives `count` of the levels read ahead, with their values. */
static enum arus_status take_ahead(struct arus_parquet_column *column, uint32_t count,
                                   struct arus_error *err)
{
    const uint8_t *definition = column->ahead_definition + column->ahead_begin;
    uint32_t values;

    ARUS_TRY(reserve_entries(column, count, err));
    memcpy(column->repetitions.data + column->entry_count,
           column->ahead_repetition + column->ahead_begin, count);
    memcpy(column->definitions.data + column->entry_count, definition, count);
    values = count_equal(definition, count, column->definition.max);
    column->entry_count += count;
    column->ahead_begin += count;
    return read_values(column, values, err);
}

/** A row ends where the next one begins, which may be on a later page. */
static enum arus_status read_nested(struct arus_parquet_column *column, uint32_t row_count,
                                    struct arus_block_state *codecs, struct arus_error *err)
{
    uint32_t rows = 0;
    bool is_complete = false;

    while (!is_complete && (rows < row_count || has_more(column))) {
        uint32_t i;

        if (column->ahead_begin == column->ahead_end) {
            ARUS_TRY(look_ahead(column, codecs, err));
            if (rows == 0 && column->entry_count == 0 && column->ahead_repetition[0] != 0) {
                return arus_parquet_column_damaged(column, "a page begins within a row", err);
            }
        }
        for (i = column->ahead_begin; i < column->ahead_end; i++) {
            if (column->ahead_repetition[i] == 0) {
                is_complete = rows == row_count;
                if (is_complete) {
                    break;
                }
                rows++;
            }
        }
        ARUS_TRY(take_ahead(column, i - column->ahead_begin, err));
    }
    return ARUS_OK;
}

enum arus_status arus_parquet_column_read(struct arus_parquet_column *column, uint32_t row_count,
                                          struct arus_block_state *codecs, struct arus_error *err)
{
    ARUS_TRY(begin_batch(column, err));
    return column->node->repetition == 0 ? read_flat(column, row_count, codecs, err)
                                         : read_nested(column, row_count, codecs, err);
}
