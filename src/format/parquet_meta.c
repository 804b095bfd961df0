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

/* The number of the one field that a union holds. */
static void read_unit(struct arus_thrift *in, const struct arus_thrift_field *field, void *member)
{
    struct arus_thrift_field unit = {0};

    if (!arus_thrift_struct(in, field)) {
        return;
    }
    while (arus_thrift_next(in, &unit)) {
        *(uint8_t *)member = (uint8_t)unit.id;
        arus_thrift_skip(in, &unit);
    }
}

#define ELEMENT(member) offsetof(struct arus_parquet_element, member)
static const struct arus_thrift_row TIME[] = {
    {1, ARUS_THRIFT_TO_BOOL, ELEMENT(is_utc), NULL, NULL},
    {2, ARUS_THRIFT_TO_CUSTOM, ELEMENT(unit), NULL, read_unit},
    {0},
};
static const struct arus_thrift_row DECIMAL[] = {
    {1, ARUS_THRIFT_TO_INT32, ELEMENT(scale), NULL, NULL},
    {2, ARUS_THRIFT_TO_INT32, ELEMENT(precision), NULL, NULL},
    {0},
};
static const struct arus_thrift_row INTEGER[] = {
    {1, ARUS_THRIFT_TO_UINT8, ELEMENT(bit_width), NULL, NULL},
    {2, ARUS_THRIFT_TO_BOOL, ELEMENT(is_signed), NULL, NULL},
    {0},
};

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

static void read_logical(struct arus_thrift *in, const struct arus_thrift_field *whole,
                         void *member)
{
    static const struct arus_thrift_row *const PARAMETERS[UINT8_MAX + 1] = {
        [ARUS_PARQUET_LOGICAL_DECIMAL] = DECIMAL,
        [ARUS_PARQUET_LOGICAL_TIME] = TIME,
        [ARUS_PARQUET_LOGICAL_TIMESTAMP] = TIME,
        [ARUS_PARQUET_LOGICAL_INTEGER] = INTEGER,
    };
    struct arus_parquet_element *out = member;
    struct arus_thrift_field field = {0};

    if (!arus_thrift_struct(in, whole)) {
        return;
    }
    while (arus_thrift_next(in, &field) && arus_thrift_struct(in, &field)) {
        out->logical = logical_of_id(field.id);
        if (PARAMETERS[out->logical] != NULL) {
            arus_thrift_read(in, PARAMETERS[out->logical], out);
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

struct read_element {
    struct arus_parquet_element element; /* first: annotations fill it by its own tables */
    int32_t converted;
    int32_t repetition;
};

#define READ(member) offsetof(struct read_element, member)
static const struct arus_thrift_row ELEMENT_ROWS[] = {
    {1, ARUS_THRIFT_TO_INT8, READ(element.physical), NULL, NULL},
    {2, ARUS_THRIFT_TO_INT32, READ(element.type_length), NULL, NULL},
    {3, ARUS_THRIFT_TO_INT32, READ(repetition), NULL, NULL},
    {4, ARUS_THRIFT_TO_TEXT, READ(element.name), NULL, NULL},
    {5, ARUS_THRIFT_TO_INT32, READ(element.child_count), NULL, NULL},
    {6, ARUS_THRIFT_TO_INT32, READ(converted), NULL, NULL},
    {7, ARUS_THRIFT_TO_INT32, READ(element.scale), NULL, NULL},
    {8, ARUS_THRIFT_TO_INT32, READ(element.precision), NULL, NULL},
    {10, ARUS_THRIFT_TO_CUSTOM, READ(element), NULL, read_logical},
    {0},
};

static void read_element(struct arus_thrift *in, struct arus_parquet_element *out)
{
    struct read_element read = {.element = {.physical = -1}, .converted = -1};

    arus_thrift_read(in, ELEMENT_ROWS, &read);
    in->is_bad |= read.repetition < 0 || read.repetition > ARUS_PARQUET_REPEATED;
    *out = read.element;
    out->repetition = (uint8_t)read.repetition;
    if (out->logical == ARUS_PARQUET_LOGICAL_NONE) {
        take_converted(out, read.converted);
    }
}

struct read_stats {
    struct arus_parquet_stats stats;
    struct arus_text old_min;
    struct arus_text old_max;
};

static void read_stats(struct arus_thrift *in, const struct arus_thrift_field *field, void *member)
{
    static const struct arus_thrift_row ROWS[] = {
        {1, ARUS_THRIFT_TO_TEXT, offsetof(struct read_stats, old_max), NULL, NULL},
        {2, ARUS_THRIFT_TO_TEXT, offsetof(struct read_stats, old_min), NULL, NULL},
        {3, ARUS_THRIFT_TO_INT64, offsetof(struct read_stats, stats.null_count), NULL, NULL},
        {5, ARUS_THRIFT_TO_TEXT, offsetof(struct read_stats, stats.max), NULL, NULL},
        {6, ARUS_THRIFT_TO_TEXT, offsetof(struct read_stats, stats.min), NULL, NULL},
        {0},
    };
    struct arus_parquet_stats *out = member;
    struct read_stats read = {.stats = *out};

    if (!arus_thrift_struct(in, field)) {
        return;
    }
    arus_thrift_read(in, ROWS, &read);
    *out = read.stats;
    if (out->min.data == NULL && out->max.data == NULL) {
        out->min = read.old_min;
        out->max = read.old_max;
        out->is_old = true;
    }
}

#define CHUNK(member) offsetof(struct arus_parquet_chunk, member)
static const struct arus_thrift_row CHUNK_META[] = {
    {1, ARUS_THRIFT_TO_INT32, CHUNK(physical), NULL, NULL},
    {4, ARUS_THRIFT_TO_INT32, CHUNK(codec), NULL, NULL},
    {5, ARUS_THRIFT_TO_INT64, CHUNK(value_count), NULL, NULL},
    {6, ARUS_THRIFT_TO_INT64, CHUNK(plain_size), NULL, NULL},
    {7, ARUS_THRIFT_TO_INT64, CHUNK(compressed_size), NULL, NULL},
    {9, ARUS_THRIFT_TO_INT64, CHUNK(data_offset), NULL, NULL},
    {11, ARUS_THRIFT_TO_INT64, CHUNK(dictionary_offset), NULL, NULL},
    {12, ARUS_THRIFT_TO_CUSTOM, CHUNK(stats), NULL, read_stats},
    {0},
};
static const struct arus_thrift_row CHUNK_ROWS[] = {
    {1, ARUS_THRIFT_TO_SEEN, CHUNK(is_elsewhere), NULL, NULL},
    {3, ARUS_THRIFT_TO_STRUCT, 0, CHUNK_META, NULL},
    {8, ARUS_THRIFT_TO_SEEN, CHUNK(is_encrypted), NULL, NULL},
    {9, ARUS_THRIFT_TO_SEEN, CHUNK(is_encrypted), NULL, NULL},
    {0},
};

static void read_chunk(struct arus_thrift *in, struct arus_parquet_chunk *out)
{
    *out = (struct arus_parquet_chunk){.physical = -1, .stats = {.null_count = -1}};
    arus_thrift_read(in, CHUNK_ROWS, out);
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
    static const struct arus_thrift_row KEY_VALUE[] = {
        {1, ARUS_THRIFT_TO_TEXT, 0, NULL, NULL},
        {2, ARUS_THRIFT_TO_TEXT, sizeof(struct arus_text), NULL, NULL},
        {0},
    };
    const uint32_t count = arus_thrift_list(in, field, ARUS_THRIFT_STRUCT);

    for (uint32_t i = 0; i < count && !in->is_bad; i++) {
        struct arus_text pair[2] = {{0}, {0}};

        arus_thrift_read(in, KEY_VALUE, pair);
        if (arus_text_equal(pair[0], ARUS_TEXT(SPARK_SCHEMA_KEY))) {
            out->spark_schema = pair[1];
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

#define PAGE(member) offsetof(struct arus_parquet_page_header, member)
static const struct arus_thrift_row DATA_PAGE[] = {
    {1, ARUS_THRIFT_TO_INT32, PAGE(value_count), NULL, NULL},
    {2, ARUS_THRIFT_TO_INT32, PAGE(encoding), NULL, NULL},
    {3, ARUS_THRIFT_TO_INT32, PAGE(definition_encoding), NULL, NULL},
    {4, ARUS_THRIFT_TO_INT32, PAGE(repetition_encoding), NULL, NULL},
    {0},
};
static const struct arus_thrift_row DICTIONARY_PAGE[] = {
    {1, ARUS_THRIFT_TO_INT32, PAGE(value_count), NULL, NULL},
    {2, ARUS_THRIFT_TO_INT32, PAGE(encoding), NULL, NULL},
    {0},
};
static const struct arus_thrift_row DATA_PAGE_V2[] = {
    {1, ARUS_THRIFT_TO_INT32, PAGE(value_count), NULL, NULL},
    {4, ARUS_THRIFT_TO_INT32, PAGE(encoding), NULL, NULL},
    {5, ARUS_THRIFT_TO_INT32, PAGE(definition_size), NULL, NULL},
    {6, ARUS_THRIFT_TO_INT32, PAGE(repetition_size), NULL, NULL},
    {7, ARUS_THRIFT_TO_BOOL, PAGE(is_compressed), NULL, NULL},
    {0},
};
static const struct arus_thrift_row PAGE_ROWS[] = {
    {1, ARUS_THRIFT_TO_INT32, PAGE(type), NULL, NULL},
    {2, ARUS_THRIFT_TO_INT32, PAGE(plain_size), NULL, NULL},
    {3, ARUS_THRIFT_TO_INT32, PAGE(compressed_size), NULL, NULL},
    {5, ARUS_THRIFT_TO_STRUCT, 0, DATA_PAGE, NULL},
    {7, ARUS_THRIFT_TO_STRUCT, 0, DICTIONARY_PAGE, NULL},
    {8, ARUS_THRIFT_TO_STRUCT, 0, DATA_PAGE_V2, NULL},
    {0},
};

bool arus_parquet_page_read(struct arus_thrift *in, struct arus_parquet_page_header *out)
{
    /* only version 2 says whether it is compressed, and may leave that out */
    *out = (struct arus_parquet_page_header){.type = -1, .is_compressed = true};
    arus_thrift_read(in, PAGE_ROWS, out);
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
