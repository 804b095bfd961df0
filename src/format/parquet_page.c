/** Fetching, unpacking and opening the pages of a chunk. */
#include "base/alloc.h"
#include "format/parquet_column.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FETCH_SIZE    ((size_t)256 * 1024) /* read ahead */
#define HEADER_SIZE   ((size_t)512)        /* first try; statistics can make headers longer */
#define RATIO_MAX     ((uint64_t)1 << 16)  /* beyond any codec's best */
#define PAGE_SIZE_MIN ((uint64_t)1 << 16)

enum arus_status arus_parquet_block_reserve(struct arus_parquet_block *block, size_t size,
                                            size_t keep, struct arus_error *err)
{
    size_t capacity = block->capacity * 2;
    uint8_t *data;

    if (size <= block->capacity) {
        return ARUS_OK;
    }
    capacity = capacity < size ? size : capacity;
    data = arus_alloc_buffer(capacity);
    if (data == NULL) {
        return arus_fail_memory(err);
    }
    if (keep != 0) {
        memcpy(data, block->data, keep);
    }
    arus_free(block->data);
    block->data = data;
    block->capacity = capacity;
    return ARUS_OK;
}

void arus_parquet_block_release(struct arus_parquet_block *block)
{
    arus_free(block->data);
    *block = (struct arus_parquet_block){0};
}

enum arus_status arus_parquet_column_damaged(const struct arus_parquet_column *column,
                                             const char *what, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT", "column %.*s: %s",
                     ARUS_TEXT_ARGS(column->node->element->name), what);
}

/* ---- fetching ---- */

static enum arus_status read_fully(struct arus_parquet_column *column, size_t size,
                                   struct arus_error *err)
{
    while (size != 0) {
        const ssize_t n = pread(column->file->fd, column->input.data + column->input_end, size,
                                (off_t)column->offset);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return arus_fail_errno(err, ARUS_RETRY, errno, "%s", column->file->path);
        }
        if (n == 0) {
            return arus_parquet_column_damaged(column, "the file has become shorter", err);
        }
        column->input_end += (size_t)n;
        column->offset += (uint64_t)n;
        column->byte_count += (uint64_t)n;
        size -= (size_t)n;
    }
    return ARUS_OK;
}

static size_t fetched(const struct arus_parquet_column *column)
{
    return column->input_end - column->input_begin;
}

/** Makes `size` bytes of the chunk lie at input_begin, or as many as there are. */
static enum arus_status fetch(struct arus_parquet_column *column, size_t size,
                              struct arus_error *err)
{
    const size_t here = fetched(column);
    const uint64_t left = column->end - column->offset;
    size_t more;

    if (here >= size || left == 0) {
        return ARUS_OK;
    }
    more = size - here > FETCH_SIZE ? size - here : FETCH_SIZE;
    more = more > left ? (size_t)left : more;
    if (here != 0) {
        memmove(column->input.data, column->input.data + column->input_begin, here);
    }
    column->input_begin = 0;
    column->input_end = here;
    ARUS_TRY(arus_parquet_block_reserve(&column->input, here + more + ARUS_PARQUET_PAD, here, err));
    return read_fully(column, more, err);
}

static enum arus_status read_header(struct arus_parquet_column *column,
                                    struct arus_parquet_page_header *page, struct arus_error *err)
{
    size_t size = HEADER_SIZE;

    for (;;) {
        struct arus_thrift in;

        ARUS_TRY(fetch(column, size, err));
        in = (struct arus_thrift){.at = column->input.data + column->input_begin,
                                  .end = column->input.data + column->input_end};
        if (arus_parquet_page_read(&in, page)) {
            column->input_begin = (size_t)(in.at - column->input.data);
            return ARUS_OK;
        }
        if (column->offset == column->end) {
            return arus_parquet_column_damaged(column, "a page header is damaged", err);
        }
        size = fetched(column) * 2;
    }
}

/** The page's bytes as they are in the file. */
static enum arus_status take_bytes(struct arus_parquet_column *column, size_t size,
                                   struct arus_text *out, struct arus_error *err)
{
    ARUS_TRY(fetch(column, size, err));
    if (fetched(column) < size) {
        return arus_parquet_column_damaged(column, "a page is cut off", err);
    }
    *out = (struct arus_text){(const char *)column->input.data + column->input_begin, size};
    column->input_begin += size;
    return ARUS_OK;
}

/* ---- unpacking ---- */

/** Fills out[0..plain_size); the first `raw_size` bytes are never compressed (levels of V2 pages).
 */
static enum arus_status unpack(struct arus_parquet_column *column,
                               const struct arus_parquet_page_header *page, size_t raw_size,
                               struct arus_text bytes, struct arus_parquet_block *out,
                               struct arus_block_state *codecs, struct arus_error *err)
{
    const size_t plain_size = (size_t)page->plain_size;
    const bool is_compressed = page->type != ARUS_PARQUET_DATA_PAGE_V2 || page->is_compressed;
    const int32_t codec = is_compressed ? column->codec : ARUS_BLOCK_UNCOMPRESSED;
    const struct arus_text block = {bytes.data + raw_size, bytes.size - raw_size};

    if (plain_size > PAGE_SIZE_MIN && plain_size / RATIO_MAX > bytes.size) {
        return arus_parquet_column_damaged(column, "a page has an impossible size", err);
    }
    ARUS_TRY(arus_parquet_block_reserve(out, plain_size + ARUS_PARQUET_PAD, 0, err));
    memset(out->data + plain_size, 0, ARUS_PARQUET_PAD);
    if (raw_size != 0) {
        memcpy(out->data, bytes.data, raw_size);
    }
    if (plain_size == raw_size) {
        return ARUS_OK;
    }
    if (codec == ARUS_BLOCK_UNCOMPRESSED) {
        if (block.size != plain_size - raw_size) {
            return arus_parquet_column_damaged(column, "a page has a wrong size", err);
        }
        memcpy(out->data + raw_size, block.data, block.size);
        return ARUS_OK;
    }
    if (arus_block_decompress(codecs, codec, block, out->data + raw_size, plain_size - raw_size,
                              err) != ARUS_OK) {
        err->condition = "FAILED_READ_FILE.NO_HINT";
        return arus_error_wrap(err, "column %.*s", ARUS_TEXT_ARGS(column->node->element->name));
    }
    return ARUS_OK;
}

/** Memory for the next page; the present one stays if the batch may point into it. */
static enum arus_status next_memory(struct arus_parquet_column *column, struct arus_error *err)
{
    if (column->page != NULL) {
        if (column->values.physical != ARUS_PARQUET_BYTE_ARRAY &&
            column->values.physical != ARUS_PARQUET_FIXED) {
            return ARUS_OK;
        }
        if (column->is_dictionary_page) {
            return ARUS_OK;
        }
        column->page->next = column->held;
        column->held = column->page;
        column->page = NULL;
    }
    if (column->spare != NULL) {
        column->page = column->spare;
        column->spare = column->page->next;
        column->page->next = NULL;
        return ARUS_OK;
    }
    column->page = arus_alloc(1, sizeof *column->page);
    return column->page != NULL ? ARUS_OK : arus_fail_memory(err);
}

/* ---- dictionaries ---- */

static enum arus_status decode_dictionary(struct arus_parquet_column *column,
                                          const struct arus_parquet_page_header *page,
                                          struct arus_error *err)
{
    const uint32_t count = (uint32_t)page->value_count;
    struct arus_parquet_values values = {.physical = column->values.physical,
                                         .width = column->values.width};
    struct arus_parquet_block raw = {0};
    struct arus_parquet_block *into = &column->dictionary;
    const bool is_copy = column->conversion.id == ARUS_PARQUET_COPY;
    enum arus_status status;

    if ((uint64_t)count * values.width > (uint64_t)page->plain_size ||
        !arus_parquet_values_init(&values, ARUS_PARQUET_PLAIN, column->dictionary_bytes.data,
                                  (size_t)page->plain_size)) {
        return arus_parquet_column_damaged(column, "the dictionary is damaged", err);
    }
    ARUS_TRY(arus_parquet_block_reserve(into, (size_t)count * column->conversion.out_size, 0, err));
    if (!is_copy) {
        into = &raw;
        ARUS_TRY(
            arus_parquet_block_reserve(into, (size_t)count * column->conversion.in_size, 0, err));
    }
    status = arus_parquet_values_read(&values, into->data, count, &column->arena, err);
    if (status != ARUS_OK) {
        status = arus_parquet_column_damaged(column, "the dictionary is damaged", err);
    } else if (!arus_parquet_conversion_apply(&column->conversion, into->data,
                                              column->dictionary.data, count)) {
        status = arus_parquet_column_damaged(column, "a value is out of range", err);
    }
    arus_parquet_block_release(&raw);
    column->dictionary_count = count;
    column->dictionary_identity = arus_vector_new_identity();
    return status;
}

static enum arus_status open_dictionary(struct arus_parquet_column *column,
                                        const struct arus_parquet_page_header *page,
                                        struct arus_block_state *codecs, struct arus_error *err)
{
    struct arus_text bytes;

    ARUS_TRY(take_bytes(column, (size_t)page->compressed_size, &bytes, err));
    if (column->has_dictionary) {
        return arus_parquet_column_damaged(column, "a second dictionary", err);
    }
    column->has_dictionary = true;
    if (column->is_levels_only || column->conversion.id == ARUS_PARQUET_NOTHING) {
        return ARUS_OK;
    }
    ARUS_TRY(unpack(column, page, 0, bytes, &column->dictionary_bytes, codecs, err));
    return decode_dictionary(column, page, err);
}

/* ---- data pages ---- */

static uint8_t width_of(uint8_t max)
{
    uint8_t width = 0;

    for (; max != 0; max >>= 1) {
        width++;
    }
    return width;
}

/** Opens the levels of a V1 page at *at and moves behind them. */
static bool open_levels(struct arus_parquet_levels *levels, int32_t encoding, uint32_t count,
                        const uint8_t **at, const uint8_t *end)
{
    const uint8_t width = width_of(levels->max);
    uint32_t size = 0;

    levels->bits = NULL;
    levels->position = 0;
    if (levels->max == 0) {
        return true;
    }
    if (encoding == ARUS_PARQUET_BIT_PACKED) {
        levels->bits = *at;
        levels->rle.width = width;
        levels->bits_size = ((size_t)count * width + 7) / 8;
        if (levels->bits_size > (size_t)(end - *at)) {
            return false;
        }
        *at += levels->bits_size;
        return true;
    }
    if (encoding != ARUS_PARQUET_RLE || end - *at < 4) {
        return false;
    }
    memcpy(&size, *at, sizeof size);
    *at += 4;
    if (size > (uint64_t)(end - *at)) {
        return false;
    }
    arus_parquet_rle_init(&levels->rle, *at, size, width);
    *at += size;
    return true;
}

static bool open_levels_v2(struct arus_parquet_levels *levels, int32_t size, const uint8_t **at)
{
    levels->bits = NULL;
    levels->position = 0;
    arus_parquet_rle_init(&levels->rle, *at, (size_t)size, width_of(levels->max));
    *at += size;
    return true;
}

/** Values that do not open (an empty rest, when all are null) fail only when one is asked for. */
static enum arus_status open_values(struct arus_parquet_column *column, int32_t encoding,
                                    const uint8_t *at, const uint8_t *end, struct arus_error *err)
{
    column->is_dictionary_page =
        encoding == ARUS_PARQUET_PLAIN_DICTIONARY || encoding == ARUS_PARQUET_RLE_DICTIONARY;
    if (column->is_levels_only || column->conversion.id == ARUS_PARQUET_NOTHING) {
        return ARUS_OK;
    }
    if (!column->is_dictionary_page) {
        if (!arus_parquet_values_init(&column->values, encoding, at, (size_t)(end - at))) {
            column->values.encoding = -1;
        }
        return ARUS_OK;
    }
    if (!column->has_dictionary || (at<end && * at> 32)) {
        return arus_parquet_column_damaged(column, "a page needs a dictionary that is not there",
                                           err);
    }
    arus_parquet_rle_init(&column->indices, at < end ? at + 1 : at,
                          at < end ? (size_t)(end - at) - 1 : 0, at < end ? *at : 0);
    return ARUS_OK;
}

static enum arus_status open_page(struct arus_parquet_column *column,
                                  const struct arus_parquet_page_header *page,
                                  struct arus_block_state *codecs, struct arus_error *err)
{
    const bool is_v2 = page->type == ARUS_PARQUET_DATA_PAGE_V2;
    const uint64_t raw_size =
        is_v2 ? (uint64_t)page->definition_size + (uint64_t)page->repetition_size : 0;
    const uint32_t count = (uint32_t)page->value_count;
    struct arus_text bytes;
    const uint8_t *at;
    const uint8_t *end;
    bool is_fine;

    ARUS_TRY(take_bytes(column, (size_t)page->compressed_size, &bytes, err));
    if (raw_size > bytes.size || raw_size > (uint64_t)page->plain_size) {
        return arus_parquet_column_damaged(column, "a page is damaged", err);
    }
    ARUS_TRY(next_memory(column, err));
    ARUS_TRY(unpack(column, page, (size_t)raw_size, bytes, &column->page->block, codecs, err));
    at = column->page->block.data;
    end = at + page->plain_size;
    column->repetition.max = column->node->repetition;
    column->definition.max = column->node->definition;
    if (is_v2) {
        is_fine = open_levels_v2(&column->repetition, page->repetition_size, &at) &&
                  open_levels_v2(&column->definition, page->definition_size, &at);
    } else {
        is_fine = open_levels(&column->repetition, page->repetition_encoding, count, &at, end) &&
                  open_levels(&column->definition, page->definition_encoding, count, &at, end);
    }
    if (!is_fine) {
        return arus_parquet_column_damaged(column, "the levels of a page are damaged", err);
    }
    column->page_left = count;
    return open_values(column, page->encoding, at, end, err);
}

enum arus_status arus_parquet_column_next_page(struct arus_parquet_column *column,
                                               struct arus_block_state *codecs,
                                               struct arus_error *err)
{
    while (column->page_left == 0) {
        struct arus_parquet_page_header page;
        struct arus_text skipped;

        if (column->offset == column->end && fetched(column) == 0) {
            return arus_parquet_column_damaged(column, "it has fewer values than rows", err);
        }
        ARUS_TRY(read_header(column, &page, err));
        if (page.type == ARUS_PARQUET_DICTIONARY_PAGE) {
            ARUS_TRY(open_dictionary(column, &page, codecs, err));
        } else if (page.type == ARUS_PARQUET_DATA_PAGE || page.type == ARUS_PARQUET_DATA_PAGE_V2) {
            ARUS_TRY(open_page(column, &page, codecs, err));
        } else {
            ARUS_TRY(take_bytes(column, (size_t)page.compressed_size, &skipped, err));
        }
    }
    return ARUS_OK;
}
