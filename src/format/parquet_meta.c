/** Reads the structures of parquet.thrift that we use; unknown fields are passed over. */
#include "format/parquet_meta.h"

#define SPARK_SCHEMA_KEY "org.apache.spark.sql.parquet.row.metadata"
#define CHUNK_SIZE_MIN   8 /* no column chunk and no row group takes fewer bytes */

/* ConvertedType numbers of the annotations with parameters. */
enum {
    TIME_MILLIS = 7,
    TIME_MICROS,
    TIMESTAMP_MILLIS,
    TIMESTAMP_MICROS,
    UINT_8,
    INT_8 = 15,
    INT_64 = 18
};

static void read_unit(struct arus_thrift *in, uint8_t *unit)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        *unit = (uint8_t)field.id;
        arus_thrift_skip(in, &field);
    }
}

static void read_time(struct arus_thrift *in, struct arus_parquet_element *out)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->is_utc = arus_thrift_bool(in, &field);
        } else if (field.id == 2 && arus_thrift_struct(in, &field)) {
            read_unit(in, &out->unit);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

static void read_decimal(struct arus_thrift *in, struct arus_parquet_element *out)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->scale = arus_thrift_int32(in, &field);
        } else if (field.id == 2) {
            out->precision = arus_thrift_int32(in, &field);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

static void read_integer(struct arus_thrift *in, struct arus_parquet_element *out)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->bit_width = (uint8_t)arus_thrift_int(in, &field);
        } else if (field.id == 2) {
            out->is_signed = arus_thrift_bool(in, &field);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

static uint8_t logical_of_id(int16_t id)
{
    static const int8_t IDS[] = {
#define X(name, logical_id, converted_id, text) logical_id,
        ARUS_PARQUET_LOGICALS(X)
#undef X
    };

    for (uint8_t i = 1; i < sizeof IDS; i++) {
        if (IDS[i] == id) {
            return i;
        }
    }
    return ARUS_PARQUET_LOGICAL_OTHER;
}

static void read_logical(struct arus_thrift *in, struct arus_parquet_element *out)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (!arus_thrift_struct(in, &field)) {
            return;
        }
        out->logical = logical_of_id(field.id);
        if (out->logical == ARUS_PARQUET_LOGICAL_DECIMAL) {
            read_decimal(in, out);
        } else if (out->logical == ARUS_PARQUET_LOGICAL_TIME ||
                   out->logical == ARUS_PARQUET_LOGICAL_TIMESTAMP) {
            read_time(in, out);
        } else if (out->logical == ARUS_PARQUET_LOGICAL_INTEGER) {
            read_integer(in, out);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

/** The old annotation, for files that lack the new one. */
static void take_converted(struct arus_parquet_element *out, int32_t converted)
{
    static const int8_t IDS[] = {
#define X(name, logical_id, converted_id, text) converted_id,
        ARUS_PARQUET_LOGICALS(X)
#undef X
    };

    if (converted >= TIME_MILLIS && converted <= TIMESTAMP_MICROS) {
        out->logical = converted < TIMESTAMP_MILLIS ? ARUS_PARQUET_LOGICAL_TIME
                                                    : ARUS_PARQUET_LOGICAL_TIMESTAMP;
        out->is_utc = true;
        out->unit = converted == TIME_MILLIS || converted == TIMESTAMP_MILLIS ? ARUS_PARQUET_MILLIS
                                                                              : ARUS_PARQUET_MICROS;
        return;
    }
    if (converted >= UINT_8 && converted <= INT_64) {
        out->logical = ARUS_PARQUET_LOGICAL_INTEGER;
        out->is_signed = converted >= INT_8;
        out->bit_width = (uint8_t)(8U << ((converted - UINT_8) % 4));
        return;
    }
    for (uint8_t i = 1; i < sizeof IDS && converted >= 0; i++) {
        if (IDS[i] == converted) {
            out->logical = i;
        }
    }
}

static void read_element(struct arus_thrift *in, struct arus_parquet_element *out)
{
    struct arus_thrift_field field = {0};
    int32_t converted = -1;
    int32_t repetition = 0;

    *out = (struct arus_parquet_element){.physical = -1};
    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->physical = (int8_t)arus_thrift_int32(in, &field);
        } else if (field.id == 2) {
            out->type_length = arus_thrift_int32(in, &field);
        } else if (field.id == 3) {
            repetition = arus_thrift_int32(in, &field);
        } else if (field.id == 4) {
            out->name = arus_thrift_text(in, &field);
        } else if (field.id == 5) {
            out->child_count = arus_thrift_int32(in, &field);
        } else if (field.id == 6) {
            converted = arus_thrift_int32(in, &field);
        } else if (field.id == 7) {
            out->scale = arus_thrift_int32(in, &field);
        } else if (field.id == 8) {
            out->precision = arus_thrift_int32(in, &field);
        } else if (field.id == 10 && arus_thrift_struct(in, &field)) {
            read_logical(in, out);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
    in->is_bad |= repetition < 0 || repetition > ARUS_PARQUET_REPEATED;
    out->repetition = (uint8_t)repetition;
    if (out->logical == ARUS_PARQUET_LOGICAL_NONE) {
        take_converted(out, converted);
    }
}

static void read_stats(struct arus_thrift *in, struct arus_parquet_stats *out)
{
    struct arus_thrift_field field = {0};
    struct arus_text old_min = {0};
    struct arus_text old_max = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            old_max = arus_thrift_text(in, &field);
        } else if (field.id == 2) {
            old_min = arus_thrift_text(in, &field);
        } else if (field.id == 3) {
            out->null_count = arus_thrift_int(in, &field);
        } else if (field.id == 5) {
            out->max = arus_thrift_text(in, &field);
        } else if (field.id == 6) {
            out->min = arus_thrift_text(in, &field);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
    if (out->min.data == NULL && out->max.data == NULL) {
        out->min = old_min;
        out->max = old_max;
        out->is_old = true;
    }
}

static void read_chunk_meta(struct arus_thrift *in, struct arus_parquet_chunk *out)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->physical = arus_thrift_int32(in, &field);
        } else if (field.id == 4) {
            out->codec = arus_thrift_int32(in, &field);
        } else if (field.id == 5) {
            out->value_count = arus_thrift_int(in, &field);
        } else if (field.id == 6) {
            out->plain_size = arus_thrift_int(in, &field);
        } else if (field.id == 7) {
            out->compressed_size = arus_thrift_int(in, &field);
        } else if (field.id == 9) {
            out->data_offset = arus_thrift_int(in, &field);
        } else if (field.id == 11) {
            out->dictionary_offset = arus_thrift_int(in, &field);
        } else if (field.id == 12 && arus_thrift_struct(in, &field)) {
            read_stats(in, &out->stats);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

static void read_chunk(struct arus_thrift *in, struct arus_parquet_chunk *out)
{
    struct arus_thrift_field field = {0};

    *out = (struct arus_parquet_chunk){.physical = -1, .stats = {.null_count = -1}};
    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->is_elsewhere = true;
            arus_thrift_skip(in, &field);
        } else if (field.id == 3 && arus_thrift_struct(in, &field)) {
            read_chunk_meta(in, out);
        } else if (field.id == 8 || field.id == 9) {
            out->is_encrypted = true;
            arus_thrift_skip(in, &field);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

static enum arus_status read_chunks(struct arus_thrift *in, const struct arus_thrift_field *field,
                                    struct arus_arena *arena, const struct arus_parquet_meta *meta,
                                    struct arus_parquet_row_group *out, struct arus_error *err)
{
    const uint32_t count = arus_thrift_list(in, field, ARUS_THRIFT_STRUCT);

    if (count != meta->leaf_count || (uint64_t)(in->end - in->at) / CHUNK_SIZE_MIN < count) {
        in->is_bad = true;
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_parquet_chunk, count, &out->chunks, err));
    for (uint32_t i = 0; i < count && !in->is_bad; i++) {
        read_chunk(in, &out->chunks[i]);
    }
    return ARUS_OK;
}

static enum arus_status read_row_group(struct arus_thrift *in, struct arus_arena *arena,
                                       const struct arus_parquet_meta *meta,
                                       struct arus_parquet_row_group *out, struct arus_error *err)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            ARUS_TRY(read_chunks(in, &field, arena, meta, out, err));
        } else if (field.id == 2) {
            out->plain_size = arus_thrift_int(in, &field);
        } else if (field.id == 3) {
            out->row_count = arus_thrift_int(in, &field);
        } else if (field.id == 5) {
            out->file_offset = arus_thrift_int(in, &field);
        } else if (field.id == 6) {
            out->compressed_size = arus_thrift_int(in, &field);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
    in->is_bad |= (out->chunks == NULL && meta->leaf_count != 0) || out->row_count < 0;
    return ARUS_OK;
}

static enum arus_status read_elements(struct arus_thrift *in, const struct arus_thrift_field *field,
                                      struct arus_arena *arena, struct arus_parquet_meta *out,
                                      struct arus_error *err)
{
    const uint32_t count = arus_thrift_list(in, field, ARUS_THRIFT_STRUCT);

    ARUS_TRY(ARUS_NEW(arena, struct arus_parquet_element, count, &out->elements, err));
    out->element_count = count;
    for (uint32_t i = 0; i < count && !in->is_bad; i++) {
        read_element(in, &out->elements[i]);
        out->leaf_count += i > 0 && out->elements[i].physical >= 0;
    }
    return ARUS_OK;
}

static enum arus_status read_row_groups(struct arus_thrift *in,
                                        const struct arus_thrift_field *field,
                                        struct arus_arena *arena, struct arus_parquet_meta *out,
                                        struct arus_error *err)
{
    const uint32_t count = arus_thrift_list(in, field, ARUS_THRIFT_STRUCT);

    ARUS_TRY(ARUS_NEW(arena, struct arus_parquet_row_group, count, &out->row_groups, err));
    out->row_group_count = count;
    for (uint32_t i = 0; i < count && !in->is_bad; i++) {
        ARUS_TRY(read_row_group(in, arena, out, &out->row_groups[i], err));
    }
    return ARUS_OK;
}

static void read_key_values(struct arus_thrift *in, const struct arus_thrift_field *field,
                            struct arus_parquet_meta *out)
{
    const uint32_t count = arus_thrift_list(in, field, ARUS_THRIFT_STRUCT);

    for (uint32_t i = 0; i < count && !in->is_bad; i++) {
        struct arus_thrift_field part = {0};
        struct arus_text key = {0};
        struct arus_text value = {0};

        while (arus_thrift_next(in, &part)) {
            if (part.id == 1) {
                key = arus_thrift_text(in, &part);
            } else if (part.id == 2) {
                value = arus_thrift_text(in, &part);
            } else {
                arus_thrift_skip(in, &part);
            }
        }
        if (arus_text_equal(key, ARUS_TEXT(SPARK_SCHEMA_KEY))) {
            out->spark_schema = value;
        }
    }
}

enum arus_status arus_parquet_meta_read(struct arus_text bytes, struct arus_arena *arena,
                                        struct arus_parquet_meta *out, struct arus_error *err)
{
    const uint8_t *begin = (const uint8_t *)bytes.data;
    struct arus_thrift in = {.at = begin, .end = begin + bytes.size};
    struct arus_thrift_field field = {0};

    *out = (struct arus_parquet_meta){0};
    while (arus_thrift_next(&in, &field)) {
        if (field.id == 2) {
            ARUS_TRY(read_elements(&in, &field, arena, out, err));
        } else if (field.id == 3) {
            out->row_count = arus_thrift_int(&in, &field);
        } else if (field.id == 4) {
            ARUS_TRY(read_row_groups(&in, &field, arena, out, err));
        } else if (field.id == 5) {
            read_key_values(&in, &field, out);
        } else if (field.id == 6) {
            out->created_by = arus_thrift_text(&in, &field);
        } else {
            out->is_encrypted |= field.id == 8;
            arus_thrift_skip(&in, &field);
        }
    }
    if (in.is_bad || out->element_count == 0 || out->elements[0].physical >= 0) {
        return arus_fail(err, ARUS_BAD_DATA, NULL, "the footer is damaged");
    }
    return ARUS_OK;
}

/* ---- page headers ---- */

static void read_data_page(struct arus_thrift *in, struct arus_parquet_page_header *out)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->value_count = arus_thrift_int32(in, &field);
        } else if (field.id == 2) {
            out->encoding = arus_thrift_int32(in, &field);
        } else if (field.id == 3) {
            out->definition_encoding = arus_thrift_int32(in, &field);
        } else if (field.id == 4) {
            out->repetition_encoding = arus_thrift_int32(in, &field);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

static void read_dictionary_page(struct arus_thrift *in, struct arus_parquet_page_header *out)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->value_count = arus_thrift_int32(in, &field);
        } else if (field.id == 2) {
            out->encoding = arus_thrift_int32(in, &field);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

static void read_data_page_v2(struct arus_thrift *in, struct arus_parquet_page_header *out)
{
    struct arus_thrift_field field = {0};

    out->is_compressed = true;
    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->value_count = arus_thrift_int32(in, &field);
        } else if (field.id == 4) {
            out->encoding = arus_thrift_int32(in, &field);
        } else if (field.id == 5) {
            out->definition_size = arus_thrift_int32(in, &field);
        } else if (field.id == 6) {
            out->repetition_size = arus_thrift_int32(in, &field);
        } else if (field.id == 7) {
            out->is_compressed = arus_thrift_bool(in, &field);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
}

bool arus_parquet_page_read(struct arus_thrift *in, struct arus_parquet_page_header *out)
{
    struct arus_thrift_field field = {0};

    *out = (struct arus_parquet_page_header){.type = -1};
    while (arus_thrift_next(in, &field)) {
        if (field.id == 1) {
            out->type = arus_thrift_int32(in, &field);
        } else if (field.id == 2) {
            out->plain_size = arus_thrift_int32(in, &field);
        } else if (field.id == 3) {
            out->compressed_size = arus_thrift_int32(in, &field);
        } else if (field.id == 5 && arus_thrift_struct(in, &field)) {
            read_data_page(in, out);
        } else if (field.id == 7 && arus_thrift_struct(in, &field)) {
            read_dictionary_page(in, out);
        } else if (field.id == 8 && arus_thrift_struct(in, &field)) {
            read_data_page_v2(in, out);
        } else {
            arus_thrift_skip(in, &field);
        }
    }
    return !in->is_bad && out->plain_size >= 0 && out->compressed_size >= 0 &&
           out->value_count >= 0 && out->definition_size >= 0 && out->repetition_size >= 0;
}

enum arus_status arus_parquet_page_write(const struct arus_parquet_page_header *page,
                                         struct arus_buffer *out, struct arus_error *err)
{
    struct arus_thrift_writer to = {.out = out, .err = err};
    const bool is_dictionary = page->type == ARUS_PARQUET_DICTIONARY_PAGE;

    arus_thrift_put_int32(&to, 1, page->type);
    arus_thrift_put_int32(&to, 2, page->plain_size);
    arus_thrift_put_int32(&to, 3, page->compressed_size);
    arus_thrift_begin(&to, is_dictionary ? 7 : 5);
    arus_thrift_put_int32(&to, 1, page->value_count);
    arus_thrift_put_int32(&to, 2, page->encoding);
    if (!is_dictionary) {
        arus_thrift_put_int32(&to, 3, ARUS_PARQUET_RLE);
        arus_thrift_put_int32(&to, 4, ARUS_PARQUET_RLE);
    }
    arus_thrift_end(&to);
    arus_thrift_end(&to);
    return to.status;
}
