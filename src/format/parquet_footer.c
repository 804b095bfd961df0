/** FileMetaData in Thrift, with the new and the old annotations of types. */
#include "format/parquet_footer.h"

#ifndef ARUS_VERSION
#define ARUS_VERSION "0.0.0"
#endif
#define CREATED_BY    "arus version " ARUS_VERSION " (build c17)"
#define SPARK_VERSION "4.3.0" /* whose rules the values follow: no calendar rebase */
#define PATH_MAX_SIZE 256

enum { CONVERTED_TIMESTAMP_MICROS = 10, CONVERTED_INT_8 = 15, CONVERTED_INT_16 = 16 };

/* ---- the schema ---- */

static int8_t logical_id(uint8_t logical)
{
    static const int8_t IDS[] = {
#define X(name, logical_id, converted_id, text) logical_id,
        ARUS_PARQUET_LOGICALS(X)
#undef X
    };

    return IDS[logical];
}

/** -1: the old annotations have no such type. */
static int8_t converted_id(const struct arus_parquet_element *element)
{
    static const int8_t IDS[] = {
#define X(name, logical_id, converted_id, text) converted_id,
        ARUS_PARQUET_LOGICALS(X)
#undef X
    };

    if (element->logical == ARUS_PARQUET_LOGICAL_INTEGER) {
        return element->bit_width == 8 ? CONVERTED_INT_8 : CONVERTED_INT_16;
    }
    if (element->logical == ARUS_PARQUET_LOGICAL_TIMESTAMP && element->is_utc) {
        return CONVERTED_TIMESTAMP_MICROS;
    }
    return IDS[element->logical];
}

static void put_logical(struct arus_thrift_writer *to, const struct arus_parquet_element *element)
{
    arus_thrift_begin(to, 10);
    arus_thrift_begin(to, logical_id(element->logical));
    if (element->logical == ARUS_PARQUET_LOGICAL_DECIMAL) {
        arus_thrift_put_int32(to, 1, element->scale);
        arus_thrift_put_int32(to, 2, element->precision);
    } else if (element->logical == ARUS_PARQUET_LOGICAL_TIMESTAMP) {
        arus_thrift_put_bool(to, 1, element->is_utc);
        arus_thrift_begin(to, 2);
        arus_thrift_begin(to, element->unit);
        arus_thrift_end(to);
        arus_thrift_end(to);
    } else if (element->logical == ARUS_PARQUET_LOGICAL_INTEGER) {
        arus_thrift_put_byte(to, 1, (int8_t)element->bit_width);
        arus_thrift_put_bool(to, 2, element->is_signed);
    }
    arus_thrift_end(to);
    arus_thrift_end(to);
}

static void put_element(struct arus_thrift_writer *to, const struct arus_parquet_element *element,
                        bool is_root)
{
    const int8_t converted = converted_id(element);

    arus_thrift_add_struct(to);
    if (element->physical >= 0) {
        arus_thrift_put_int32(to, 1, element->physical);
    }
    if (element->type_length != 0) {
        arus_thrift_put_int32(to, 2, element->type_length);
    }
    if (!is_root) {
        arus_thrift_put_int32(to, 3, element->repetition);
    }
    arus_thrift_put_text(to, 4, element->name);
    if (element->physical < 0) {
        arus_thrift_put_int32(to, 5, element->child_count);
    }
    if (converted >= 0) {
        arus_thrift_put_int32(to, 6, converted);
    }
    if (element->logical == ARUS_PARQUET_LOGICAL_DECIMAL) {
        arus_thrift_put_int32(to, 7, element->scale);
        arus_thrift_put_int32(to, 8, element->precision);
    }
    if (element->logical != ARUS_PARQUET_LOGICAL_NONE) {
        put_logical(to, element);
    }
    arus_thrift_end(to);
}

/* ---- chunks ---- */

static void put_stats(struct arus_thrift_writer *to, const struct arus_parquet_stats *stats)
{
    arus_thrift_begin(to, 12);
    arus_thrift_put_int64(to, 3, stats->null_count);
    if (stats->min.data != NULL) {
        arus_thrift_put_text(to, 5, stats->max);
        arus_thrift_put_text(to, 6, stats->min);
        arus_thrift_put_bool(to, 7, true);
        arus_thrift_put_bool(to, 8, true);
    }
    arus_thrift_end(to);
}

static void put_encodings(struct arus_thrift_writer *to, const struct arus_parquet_chunk *chunk)
{
    arus_thrift_put_list(to, 2, ARUS_THRIFT_I32, (size_t)__builtin_popcount(chunk->encodings));
    for (int i = 0; i <= ARUS_PARQUET_BYTE_STREAM_SPLIT; i++) {
        if ((chunk->encodings >> i & 1) != 0) {
            arus_thrift_add_int(to, i);
        }
    }
}

static void put_encoding_count(struct arus_thrift_writer *to, int page, int encoding, int count)
{
    arus_thrift_add_struct(to);
    arus_thrift_put_int32(to, 1, page);
    arus_thrift_put_int32(to, 2, encoding);
    arus_thrift_put_int32(to, 3, count);
    arus_thrift_end(to);
}

static void put_encoding_stats(struct arus_thrift_writer *to,
                               const struct arus_parquet_chunk *chunk)
{
    size_t kinds = (size_t)chunk->dictionary_pages;

    for (int i = 0; i <= ARUS_PARQUET_BYTE_STREAM_SPLIT; i++) {
        kinds += chunk->page_counts[i] != 0;
    }
    arus_thrift_put_list(to, 13, ARUS_THRIFT_STRUCT, kinds);
    if (chunk->dictionary_pages != 0) {
        put_encoding_count(to, ARUS_PARQUET_DICTIONARY_PAGE, ARUS_PARQUET_PLAIN, 1);
    }
    for (int i = 0; i <= ARUS_PARQUET_BYTE_STREAM_SPLIT; i++) {
        if (chunk->page_counts[i] != 0) {
            put_encoding_count(to, ARUS_PARQUET_DATA_PAGE, i, chunk->page_counts[i]);
        }
    }
}

/** The names from the root to a leaf. */
struct path {
    struct arus_text names[PATH_MAX_SIZE];
    size_t size;
};

static void put_chunk(struct arus_thrift_writer *to, const struct arus_parquet_chunk *chunk,
                      const struct path *path)
{
    arus_thrift_add_struct(to);
    arus_thrift_put_int64(to, 2, 0); /* file_offset: deprecated */
    arus_thrift_begin(to, 3);
    arus_thrift_put_int32(to, 1, chunk->physical);
    put_encodings(to, chunk);
    arus_thrift_put_list(to, 3, ARUS_THRIFT_BINARY, path->size);
    for (size_t i = 0; i < path->size; i++) {
        arus_thrift_add_text(to, path->names[i]);
    }
    arus_thrift_put_int32(to, 4, chunk->codec);
    arus_thrift_put_int64(to, 5, chunk->value_count);
    arus_thrift_put_int64(to, 6, chunk->plain_size);
    arus_thrift_put_int64(to, 7, chunk->compressed_size);
    arus_thrift_put_int64(to, 9, chunk->data_offset);
    if (chunk->dictionary_offset != 0) {
        arus_thrift_put_int64(to, 11, chunk->dictionary_offset);
    }
    put_stats(to, &chunk->stats);
    put_encoding_stats(to, chunk);
    arus_thrift_end(to);
    arus_thrift_put_int64(to, 4, chunk->offset_index_offset);
    arus_thrift_put_int32(to, 5, chunk->offset_index_size);
    if (chunk->column_index_size != 0) {
        arus_thrift_put_int64(to, 6, chunk->column_index_offset);
        arus_thrift_put_int32(to, 7, chunk->column_index_size);
    }
    arus_thrift_end(to);
}

/** Writes the chunks below element *index, which it moves behind them. */
static void put_chunks(struct arus_thrift_writer *to, const struct arus_parquet_layout *layout,
                       const struct arus_parquet_chunk **chunk, uint32_t *index, struct path *path)
{
    const struct arus_parquet_element *element = &layout->elements[(*index)++];

    if (element->physical >= 0) {
        put_chunk(to, (*chunk)++, path);
        return;
    }
    for (int32_t i = 0; i < element->child_count; i++) {
        path->names[path->size++] = layout->elements[*index].name;
        put_chunks(to, layout, chunk, index, path);
        path->size--;
    }
}

static void put_row_group(struct arus_thrift_writer *to, const struct arus_parquet_layout *layout,
                          const struct arus_parquet_row_group *group, size_t ordinal)
{
    const struct arus_parquet_chunk *chunk = group->chunks;
    struct path path = {.size = 0};
    uint32_t index = 0;

    arus_thrift_add_struct(to);
    arus_thrift_put_list(to, 1, ARUS_THRIFT_STRUCT, layout->leaf_count);
    put_chunks(to, layout, &chunk, &index, &path);
    arus_thrift_put_int64(to, 2, group->plain_size);
    arus_thrift_put_int64(to, 3, group->row_count);
    arus_thrift_put_int64(to, 5, group->file_offset);
    arus_thrift_put_int64(to, 6, group->compressed_size);
    if (ordinal <= INT16_MAX) {
        arus_thrift_put_int16(to, 7, (int16_t)ordinal);
    }
    arus_thrift_end(to);
}

static void put_key(struct arus_thrift_writer *to, struct arus_text key, struct arus_text value)
{
    arus_thrift_add_struct(to);
    arus_thrift_put_text(to, 1, key);
    arus_thrift_put_text(to, 2, value);
    arus_thrift_end(to);
}

static void put_column_orders(struct arus_thrift_writer *to, uint32_t count)
{
    arus_thrift_put_list(to, 7, ARUS_THRIFT_STRUCT, count);
    for (uint32_t i = 0; i < count; i++) {
        arus_thrift_add_struct(to);
        arus_thrift_begin(to, 1); /* TYPE_ORDER */
        arus_thrift_end(to);
        arus_thrift_end(to);
    }
}

static enum arus_status put_tail(struct arus_buffer *out, size_t begin, struct arus_error *err)
{
    const uint32_t size = (uint32_t)(out->size - begin);
    const uint8_t bytes[] = {(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16),
                             (uint8_t)(size >> 24)};

    ARUS_TRY(arus_buffer_append(out, bytes, sizeof bytes, err));
    return arus_buffer_append_text(out, ARUS_TEXT("PAR1"), err);
}

enum arus_status arus_parquet_footer_write(const struct arus_parquet_footer *footer,
                                           struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_parquet_layout *layout = footer->layout;
    struct arus_thrift_writer to = {.out = out, .err = err};
    const size_t begin = out->size;

    arus_thrift_put_int32(&to, 1, 1);
    arus_thrift_put_list(&to, 2, ARUS_THRIFT_STRUCT, layout->element_count);
    for (uint32_t i = 0; i < layout->element_count; i++) {
        put_element(&to, &layout->elements[i], i == 0);
    }
    arus_thrift_put_int64(&to, 3, footer->row_count);
    arus_thrift_put_list(&to, 4, ARUS_THRIFT_STRUCT, footer->row_group_count);
    for (size_t i = 0; i < footer->row_group_count; i++) {
        put_row_group(&to, layout, &footer->row_groups[i], i);
    }
    arus_thrift_put_list(&to, 5, ARUS_THRIFT_STRUCT, 2);
    put_key(&to, ARUS_TEXT("org.apache.spark.version"), ARUS_TEXT(SPARK_VERSION));
    put_key(&to, ARUS_TEXT("org.apache.spark.sql.parquet.row.metadata"), footer->spark_schema);
    arus_thrift_put_text(&to, 6, ARUS_TEXT(CREATED_BY));
    put_column_orders(&to, layout->leaf_count);
    arus_thrift_end(&to);
    ARUS_TRY(to.status);
    return put_tail(out, begin, err);
}
